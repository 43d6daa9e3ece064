"""A connection that drops and is made again, through a relay that can be cut (`connect(reconnect=True)`)."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

import hybridsnap
from hybridsnap.errors import ConnectionLost, SessionEnded
from hybridsnap.service.browser_pool import BrowserPlan, PooledBrowser
from tests.support.driver_stage import laid_out
from tests.support.faults import cut, until
from tests.support.hosted_browser import borrow_browser
from tests.support.pages import serve_pages
from tests.support.relay import Relay, relaying

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from hybridsnap import Browser, Page

_PAGES = {
    "/": """<!doctype html><title>Here</title>
<button onclick="this.textContent = 'pressed ' + (window.presses = (window.presses || 0) + 1)">Go</button>
<p>words</p><iframe src="http://localhost:{PORT}/frame"></iframe>""",
    "/frame": "<!doctype html><title>Inner</title><button>Inside</button>",
    "/other": "<!doctype html><title>Other</title><p>other",
}


@pytest.fixture
def relay(browser_endpoint: str) -> Iterator[Relay]:
    with relaying(browser_endpoint) as relay:
        yield relay


@pytest.fixture
def endpoint(relay: Relay, browser_endpoint: str) -> str:
    """The browser's address, by the relay."""
    return f"ws://{relay.address}/{browser_endpoint.split('/', 3)[3]}"


@pytest.fixture
async def browser(endpoint: str) -> AsyncIterator[Browser]:
    async with borrow_browser(endpoint, reconnect=True) as browser:
        yield browser


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with serve_pages(_PAGES) as pages:
        yield pages.url("/")


@pytest.fixture
async def page(browser: Browser, url: str) -> Page:
    """A page with a frame in another process."""
    return await browser.new_page(url)


async def close_tab(browser_endpoint: str, page: Page) -> None:
    """Close the tab of a page whose own connection is lost."""
    async with hybridsnap.connect(browser_endpoint) as direct:
        await direct.session.send("Target.closeTarget", {"targetId": page.target_id})


async def test_cut_in_a_capture(relay: Relay, page: Page) -> None:
    before = await laid_out(page)
    relay.lose_at(b'"backendDOMNodeId"', goes_on=True)
    with pytest.raises(ConnectionLost, match="during the capture; it is made again") as caught:
        await page.snapshot()
    assert caught.value.may_have_been_executed is False
    after = await page.snapshot()
    assert after.report.complete
    assert after.combined_tree == before.combined_tree
    assert after.combined_xpath_map == before.combined_xpath_map
    assert [one.ordinal for one in after.report.frames] == [one.ordinal for one in before.report.frames]
    assert any("made again" in note for note in after.report.notes)
    assert not (await page.snapshot()).report.notes
    # Ids that were shown before are acted on.
    receipt = await page.click(str(before.find(role="button")[0].id))
    assert "pressed 1" in str(receipt)
    await page.click(str(before.find(name="Inside")[0].id))


async def test_cut_in_an_action_and_what_is_known_of_it(relay: Relay, browser: Browser, page: Page) -> None:
    relay.lose_at(b"in between", goes_on=True)
    with pytest.raises(ConnectionLost) as caught:
        await page.session.send("Runtime.evaluate", {"expression": "window.done = 'in ' + 'between'"})
    assert "Runtime.evaluate may have been executed" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.may_have_been_executed, str(again)) == (True, str(caught.value))
    assert await page.evaluate("window.done") == "in between"
    relay.shut = True
    await cut(relay, browser)
    with pytest.raises(ConnectionLost, match=r"could not be made again within 0\.\d s") as caught:
        await page.session.send(
            "Runtime.evaluate", {"expression": "1"}, deadline=hybridsnap.Deadline.after(0.3)
        )
    assert caught.value.may_have_been_executed is False
    calls: list[Callable[..., Awaitable[object]]] = [
        page.snapshot,
        page.screenshot,
        functools.partial(page.evaluate, "1"),
        functools.partial(page.click, "button"),
        functools.partial(page.goto, "about:blank"),
    ]

    async def fail(call: Callable[..., Awaitable[object]]) -> None:
        with pytest.raises(ConnectionLost, match="could not be made again") as caught:
            await call(timeout=0.3)
        assert caught.value.may_have_been_executed is False

    async with trio.open_nursery() as nursery:
        for call in calls:
            nursery.start_soon(fail, call)
    relay.shut = False
    await page.click("button")
    assert await page.evaluate("window.presses") == 1


async def test_cut_while_an_action_looks_for_its_element(relay: Relay, page: Page) -> None:
    relay.lose_at(b'"backendDOMNodeId"', goes_on=True)
    with pytest.raises(ConnectionLost, match=r"; nothing was done$") as caught:
        await page.click("button")
    assert not caught.value.may_have_been_executed
    await page.click("button")
    assert await page.evaluate("window.presses") == 1


async def test_cut_while_nothing_is_asked(relay: Relay, browser: Browser, page: Page, url: str) -> None:
    session = page.session
    with session.events("Page.frameNavigated") as subscription:
        for number in range(1, 4):
            await cut(relay, browser)
            receipt = await page.click("button")
            assert f"pressed {number}" in str(receipt)
        assert [event async for event in subscription] == []  # what was switched on for it is off
    assert page.session is session
    # What the page does meanwhile is found, and the tabs that come and go.
    popup = await browser.new_page()
    relay.shut = True
    await page.evaluate(f"setTimeout(() => location.href = '{url}other', 300)")
    await page.evaluate("void setTimeout(() => window.open('about:blank#new'), 100)")
    await cut(relay, browser)
    async with hybridsnap.connect(
        browser.endpoint.replace(relay.address, f"127.0.0.1:{relay.port}")
    ) as direct:
        await (await direct.page(popup.target_id)).close()
        tab = direct.tabs.get(page.target_id)
        assert tab is not None
        await until(lambda: tab.url == f"{url}other")
    relay.shut = False
    snapshot = await page.snapshot()
    assert (snapshot.report.complete, snapshot.report.title, page.url) == (True, "Other", f"{url}other")
    assert not any("load" in note for note in snapshot.report.notes)
    with pytest.raises(SessionEnded):
        await popup.snapshot()
    assert (await browser.wait_for_page(timeout=5)).opener_id == page.target_id
    assert page.target_id in await browser.page_ids()


async def test_what_was_switched_on_is_on_again(relay: Relay, browser: Browser, url: str) -> None:
    browser.record, browser.viewport = ("console", "network"), (800, 600)
    page = await browser.new_page(url)
    with await page.network.route("**/routed", hybridsnap.Fulfill(body="routed")):
        before = await page.evaluate(_SEEN)
        assert before[4] == "refused"
        await page.emulation.set(
            time_zone="Asia/Tokyo",
            color_scheme="dark",
            device_scale_factor=2,
            geolocation=(10, 20),
            headers={"X-Mine": "1"},
        )
        await page.evaluate("console.log('before')")
        await page.console.messages()
        await cut(relay, browser)
        await page.evaluate("console.log('after')")
        await page.settled(hybridsnap.Deadline.after(20))
        inner = page.sessions[1]
        await inner.send("Runtime.evaluate", {"expression": "console.log('inside')"})
        assert await page.evaluate(_SEEN) == ["Asia/Tokyo", True, 2, 800, 10, "routed"]
        zone = {"expression": "Intl.DateTimeFormat().resolvedOptions().timeZone"}
        assert (await inner.send("Runtime.evaluate", zone))["result"]["value"] == "Asia/Tokyo"
        assert [one.text for one in await page.console.messages()] == ["before", "after", "inside"]
        requests = [one.url.rpartition("/")[2] for one in await page.network.requests()]
        assert (requests[-1], len(requests) > 1) == ("routed", True)
        assert any("attached to anew" in str(one) for one in page.network.notices)
    await page.emulation.reset()
    assert (await page.evaluate(_SEEN))[:4] == before[:4]


_SEEN = """(async () => [
    Intl.DateTimeFormat().resolvedOptions().timeZone, matchMedia('(prefers-color-scheme: dark)').matches,
    devicePixelRatio, innerWidth,
    await new Promise(told => navigator.geolocation.getCurrentPosition(
        one => told(one.coords.latitude), () => told('refused'))),
    await (await fetch('/routed')).text()])()"""


async def test_a_context_outlives_the_socket(relay: Relay, endpoint: str, browser: Browser, url: str) -> None:
    async def contexts() -> set[str]:
        return set((await browser.session.send("Target.getBrowserContexts"))["browserContextIds"])

    async with hybridsnap.connect(endpoint, reconnect=True, timeout=20) as other:
        context = await other.new_context(viewport=(500, 400))
        page = await context.new_page(url)
        await context.storage.set_cookies([{"name": "a", "value": "1", "url": url}])
        await cut(relay, other)
        assert await page.evaluate("[document.cookie, innerWidth]") == ["a=1", 500]
        assert context.id in await contexts()
    assert context.id not in await contexts()


@pytest.mark.parametrize("gone", ["refused", "another browser"])
async def test_a_browser_that_is_gone(
    relay: Relay, endpoint: str, browser_endpoint: str, url: str, gone: str
) -> None:
    async with hybridsnap.connect(endpoint, reconnect=True) as browser:
        page = await browser.new_page(url)
        try:
            if gone == "another browser":
                relay.port = int(
                    url.split(":")[2].strip("/")
                )  # it knows no such websocket, as another browser
                relay.cut()
            else:
                relay.lose()
            await browser.connection.wait_ended()
            with pytest.raises(
                ConnectionLost,
                match=r"the browser is not there any more: ws://.* (refused the|answered HTTP 404)",
            ) as caught:
                await page.snapshot()
            assert "\n" not in str(caught.value)
            assert browser.connection.lost
        finally:
            await close_tab(browser_endpoint, page)


async def test_cancelled_while_it_reconnects(relay: Relay, endpoint: str, browser_endpoint: str) -> None:
    async with hybridsnap.connect(browser_endpoint) as direct:
        async with hybridsnap.connect(endpoint, reconnect=True) as browser:
            page = await browser.new_page()
            relay.shut = True
            await cut(relay, browser)
            with trio.move_on_after(0.2) as scope:
                await page.snapshot(timeout=60)
            assert scope.cancelled_caught
            began = trio.current_time()
        assert trio.current_time() - began < 5
        assert page.session.connection._waiting == {}
        with pytest.raises(ConnectionLost, match="connect or launch anew"):
            await page.snapshot()
        relay.shut = False
        await trio.testing.wait_all_tasks_blocked(0.1)
        assert relay.open == 0
        await (await direct.page(page.target_id)).close()


async def test_without_it_the_connection_is_lost_for_good(
    relay: Relay, endpoint: str, browser_endpoint: str
) -> None:
    async with hybridsnap.connect(endpoint) as browser:
        page = await browser.new_page()
        try:
            relay.cut()
            await browser.connection.wait_ended()
            with pytest.raises(ConnectionLost, match=r"closed without a farewell.*was not sent") as caught:
                await page.session.send("Page.enable")
            assert caught.value.may_have_been_executed is False
            with pytest.raises(ConnectionLost):
                await page.snapshot()
        finally:
            await close_tab(browser_endpoint, page)


async def test_a_server_keeps_its_browser(relay: Relay, endpoint: str, url: str) -> None:
    """`serve --cdp` and `mcp --cdp` have their browsers this way."""
    pooled = PooledBrowser(BrowserPlan(endpoint=endpoint), None, lambda path: path, 20.0)
    async with trio.open_nursery() as nursery:
        await nursery.start(pooled.run)
        browser = await pooled.get(hybridsnap.Deadline.after(20))
        page = await browser.new_page(url)
        await cut(relay, browser)
        assert await pooled.get(hybridsnap.Deadline.after(20)) is browser
        assert (await page.snapshot()).report.complete
        assert pooled.starts == 1
        await page.close()
        nursery.cancel_scope.cancel()
