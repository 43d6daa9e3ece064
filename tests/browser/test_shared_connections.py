"""One websocket to a browser for all who connect to it in one trio run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

import hybridsnap
from hybridsnap.errors import ConnectionLost, EndpointError
from tests.support.faults import until
from tests.support.relay import relaying

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.relay import Relay


@pytest.fixture
def relay(browser_endpoint: str) -> Iterator[Relay]:
    with relaying(browser_endpoint) as relay:
        yield relay


async def closed(relay: Relay) -> None:
    await until(lambda: not relay.open)


async def test_shared_counted_and_closed_with_the_last(relay: Relay) -> None:
    endpoint = f"http://{relay.address}"
    done, leave = trio.Event(), trio.Event()

    async def use() -> None:
        async with hybridsnap.connect(endpoint, record=["console"]) as browser:
            browsers.append(browser)
            browser.viewport = (500, 400)
            context = await browser.new_context()
            pages.append(await context.new_page("data:text/html,<p>first"))
            done.set()
            await leave.wait()

    browsers: list[hybridsnap.Browser] = []
    pages: list[hybridsnap.Page] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(use)
        async with hybridsnap.connect(endpoint) as second:
            await done.wait()
            (first,) = browsers
            assert relay.open == 1
            assert second.connection.transport is first.connection.transport
            # What is the first one's own.
            assert (second.viewport, second.record, second.contexts) == (None, (), [])
            seen = await second.page(pages[0].target_id)
            assert seen is not pages[0]
            assert (pages[0].console.recording, seen.console.recording) == (True, False)
            popup = await second.new_page("data:text/html,<title>popup</title><p>here")
            async with trio.open_nursery() as both:
                for page in (pages[0], popup):
                    both.start_soon(page.snapshot)
            sessions = [pages[0].session.id, first.session.id]
            leave.set()
            await first.connection.wait_ended()
            # With the first one all that it had set up is gone, by the browser's own hand.
            with pytest.raises(ConnectionLost, match="connect or launch anew"):
                await pages[0].snapshot()
            await until(lambda: second.tabs.get(seen.target_id).closed)  # type: ignore[union-attr]
            assert set(sessions).isdisjoint(second.connection._sessions)
            assert (await popup.snapshot()).report.title == "popup"
            await popup.close()
    await closed(relay)


async def test_waiting_for_one_that_is_connecting(relay: Relay) -> None:
    endpoint = f"http://{relay.address}"
    relay.held.clear()  # it takes connections, and says nothing
    browsers: list[hybridsnap.Browser] = []

    async def use(scope: trio.CancelScope, timeout: float) -> None:
        with scope:
            async with hybridsnap.connect(endpoint, timeout=timeout) as browser:
                browsers.append(browser)
                await browser.page_ids()

    async with trio.open_nursery() as nursery:
        first = trio.CancelScope()
        nursery.start_soon(use, first, 30)
        await trio.testing.wait_all_tasks_blocked(0.05)
        nursery.start_soon(use, trio.CancelScope(), 30)
        with pytest.raises(EndpointError, match=r"did not answer within 0\.\d s"):
            await use(trio.CancelScope(), 0.1)
        assert relay.open == 1
        first.cancel()
        await trio.testing.wait_all_tasks_blocked(0.05)
        relay.held.set()
    assert len(browsers) == 1
    await closed(relay)


async def test_others_have_connections_of_their_own(relay: Relay) -> None:
    endpoint = f"http://{relay.address}"
    async with (
        hybridsnap.connect(endpoint) as one,
        hybridsnap.connect(endpoint, headers={"X-Who": "me"}) as two,
        hybridsnap.connect(endpoint, reconnect=True) as three,
    ):
        transports = {id(each.connection.transport) for each in (one, two, three)}
        assert len(transports) == 3
        page = await one.new_page()
        own = f"ws://{relay.address}/devtools/page/{page.target_id}"
        async with hybridsnap.connect(own) as four, hybridsnap.connect(own) as five:
            assert four.connection.transport is not five.connection.transport
        await page.close()
        # One that was lost is not handed out again.
        relay.cut()
        await one.connection.wait_ended()
        async with hybridsnap.connect(endpoint) as again:
            assert await again.page_ids()
    with pytest.raises(EndpointError, match="refused the connection"):
        async with hybridsnap.connect("http://127.0.0.1:9"):
            pass
    with pytest.raises(TypeError, match="reconnect"):
        async with hybridsnap.connect(endpoint, reconnect="yes"):  # type: ignore[arg-type]
            pass
