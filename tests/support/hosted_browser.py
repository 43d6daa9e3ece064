"""A browser that runs beside the tests, in a thread with an event loop of its own."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from hybridsnap.client.tab_tracker import Tab


@contextlib.contextmanager
def host_browser(args: Sequence[str] = ()) -> Iterator[str]:
    """Run a Chromium for as long as the block; its ``ws://`` address."""
    endpoint: list[str] = []
    failure: list[BaseException] = []
    started, finished = threading.Event(), threading.Event()

    async def keep_browser() -> None:
        async with hybridsnap.launch(transport="websocket", args=args) as browser:
            assert browser.process is not None
            assert browser.process.endpoint is not None
            endpoint.append(browser.process.endpoint)
            started.set()
            await trio.to_thread.run_sync(finished.wait)

    def host() -> None:
        try:
            trio.run(keep_browser)
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread below
            failure.append(error)
        finally:
            started.set()

    thread = threading.Thread(target=host, name="hosted browser")
    with pytest.MonkeyPatch.context() as patch:
        # Chromium names the parts of controls ("Show date picker") in the user's language.
        patch.setenv("LANGUAGE", "en")
        thread.start()
        started.wait()
    try:
        if failure:
            raise failure[0]
        yield endpoint[0]
    finally:
        finished.set()
        thread.join()
    if failure:
        raise failure[0]


@contextlib.asynccontextmanager
async def borrow_browser(endpoint: str, *, reconnect: bool = False) -> AsyncIterator[hybridsnap.Browser]:
    """A connection to a hosted browser; the tabs that were opened meanwhile are closed afterwards."""
    async with hybridsnap.connect(endpoint, reconnect=reconnect) as browser:
        before = set(await browser.page_ids())
        yield browser
        # What a tab is asked while its document comes is lost, so ask until it is gone: the next test may
        # serve its pages at the same address.
        with trio.fail_after(30):
            while opened := set(await browser.page_ids()) - before:
                for target_id in opened:
                    with contextlib.suppress(hybridsnap.CommandRefused):  # it is just being closed
                        await browser.session.send("Target.closeTarget", {"targetId": target_id})
                tabs = [tab for target_id in opened if (tab := browser.tabs.get(target_id)) is not None]
                await browser.tabs.wait_until(_all_closed(tabs), hybridsnap.Deadline.after(1))


def _all_closed(tabs: Sequence[Tab]) -> Callable[[], bool]:
    return lambda: all(tab.closed for tab in tabs)
