"""Browsers that run beside the tests, in a thread with an event loop of its own."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap
from hybridsnap.act.history_store import history_store
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from hybridsnap.client.tab_tracker import Tab
    from hybridsnap.model import TargetId

#: For a tab to be as it was before a test, seconds; otherwise it is closed.
_RESET_SECONDS = 2.0
#: Ends what a page has put off, so that the next test does not hear of it.
_STOP = """(() => {
  let last = Math.max(setTimeout(() => 0), requestAnimationFrame(() => 0));
  while (last) { clearTimeout(last); cancelAnimationFrame(last--); }
  return document.contentType === "text/html" && location.href;
})()"""
#: Of the pages that most tests serve.
_SITE = "http://127.0.0.1:"


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
            assert browser.process.alive, f"{browser.process} {browser.process.stderr[-2000:]}"

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
                    if (page := browser.known_page(target_id)) is not None:
                        await page.close()  # a test that failed may have left a dialog open
                        continue
                    with contextlib.suppress(hybridsnap.CommandRefused):  # it is just being closed
                        await browser.session.send("Target.closeTarget", {"targetId": target_id})
                tabs = [tab for target_id in opened if (tab := browser.tabs.get(target_id)) is not None]
                await browser.tabs.wait_until(_all_closed(tabs), hybridsnap.Deadline.after(1))


class SharedTab:
    """A tab that tests use one after another: that costs a third of what a new one costs.

    Its page is emptied in between, listeners and frames included: that costs a tenth of what going to another
    page costs. From a page of another site, or one that is no HTML, it goes to one of the same site, so that
    its process stays. A tab that a test left crashed, hung or with a dialog is closed, and the next test gets
    a new one.

    Args:
        endpoint: of a hosted browser that has no other use.
        home: the address of an empty page on 127.0.0.1.
    """

    def __init__(self, endpoint: str, home: str) -> None:
        self._endpoint = endpoint
        self._home = home
        self._target_id: TargetId | None = None

    @contextlib.asynccontextmanager
    async def borrow(self, *, at_home: bool = False) -> AsyncIterator[hybridsnap.Page]:
        """The tab, over a connection of the test's own; other tabs are closed afterwards."""
        if self._target_id is None:
            async with hybridsnap.connect(self._endpoint) as browser:
                self._target_id = (await browser.new_page(self._home)).target_id
        # Frames are numbered from 0 again, and no id of an earlier test is known.
        history_store.forget(self._endpoint, self._target_id)
        async with borrow_browser(self._endpoint) as browser:
            page = await browser.page(self._target_id)
            await page.bring_to_front()
            if at_home:
                await page.goto(self._home)
            is_empty = False
            try:
                yield page
                is_empty = await self._reset(page)
            finally:
                if not is_empty:  # as after a test that failed
                    self._target_id = None
            if not is_empty:
                await page.close()

    async def _reset(self, page: hybridsnap.Page) -> bool:
        with trio.move_on_after(_RESET_SECONDS), contextlib.suppress(hybridsnap.HybridsnapError):
            if page.session.ended is None and not page.dialogs:
                if not await self._empty(page):
                    await page.goto(self._home, wait="domcontentloaded")
                for forget in ("Page.resetNavigationHistory", "Runtime.discardConsoleEntries", "Log.clear"):
                    await page.session.send(forget)
                return page.url.startswith(_SITE)
        return False

    async def _empty(self, page: hybridsnap.Page) -> bool:
        """Leave nothing of what the tab shows but its address; False where that cannot be."""
        stopped = await page.session.send("Runtime.evaluate", {"expression": _STOP, "returnByValue": True})
        if not str(stopped["result"].get("value")).startswith(_SITE):
            return False
        with contextlib.suppress(hybridsnap.CommandRefused):
            frame_id = (await page.session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
            await page.session.send("Page.setDocumentContent", {"frameId": frame_id, "html": ""})
            # A test that takes it for a page of its own is to fail at once, whichever test was before it.
            await page.session.send("Runtime.evaluate", {"expression": "document.documentElement.remove()"})
            return True
        return False


@contextlib.contextmanager
def host_home() -> Iterator[str]:
    """Serve an empty page for as long as the block; its address."""
    address: list[str] = []
    started, finished = threading.Event(), threading.Event()

    async def serve() -> None:
        async with serve_pages({"/": "<!doctype html><title>home</title>"}) as pages:
            address.append(pages.url("/"))
            started.set()
            await trio.to_thread.run_sync(finished.wait)

    thread = threading.Thread(target=trio.run, args=(serve,), name="home page")
    thread.start()
    started.wait()
    try:
        yield address[0]
    finally:
        finished.set()
        thread.join()


def _all_closed(tabs: Sequence[Tab]) -> Callable[[], bool]:
    return lambda: all(tab.closed for tab in tabs)
