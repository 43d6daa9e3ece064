"""The trio client against a real browser: connecting, going places, events, PyCDP, several at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import cdp
import pytest
import trio

import hybridsnap
from hybridsnap import CommandRefused, CommandUnanswered, NavigationFailed, TargetDetached, TargetError
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply
from tests.support.http import Request, Response
from tests.support.pages import Content, PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page
    from hybridsnap.client.launcher import LaunchTransport
    from hybridsnap.client.navigating import Wait

_PAGES: dict[str, Content] = {
    "/": "<!doctype html><title>Main</title><h1>Main</h1><button>Go</button><a href='#end'>end</a><p id=end>",
    "/frames": "<!doctype html><p>outer<iframe src='http://localhost:{PORT}/'></iframe>",
    "/never": '<!doctype html><title>Never</title><p>here<img src="/hang">',
    "/poll": "<!doctype html><p>poll<script>setInterval(() => fetch('/'), 100)</script>",
    "/lazy": "<!doctype html><p id=p>early<script>"
    "fetch('/').then(one => one.text()).then(() => fetch('/frames')).then(two => two.text())"
    ".then(() => { p.textContent = 'late' })</script>",
    "/alert": "<!doctype html><script>alert('halt')</script><p>after",
    "/file.bin": b"\x00\x01",
    "/empty": Response(status=204),
}


async def redirect(request: Request) -> Response:
    return Response(status=302, headers={"Location": f"http://localhost:{request.port}/"})


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages({**_PAGES, "/redirect": redirect}) as server:
        yield server


def http_of(endpoint: str) -> str:
    return "http://" + endpoint.partition("://")[2].partition("/")[0]


def page_socket(endpoint: str, page: Page) -> str:
    return f"ws://{endpoint.partition('://')[2].partition('/')[0]}/devtools/page/{page.target_id}"


# Connecting


@pytest.mark.parametrize("way", ["http", "websocket"])
async def test_connecting_to_a_browser(browser_endpoint: str, pages: PageServer, way: str) -> None:
    endpoint = http_of(browser_endpoint) if way == "http" else browser_endpoint
    async with hybridsnap.connect(endpoint) as browser:
        page = await browser.new_page(pages.url("/"))
        snapshot = await page.snapshot(timeout=10)
        assert snapshot.report.title == "Main"
        assert snapshot.report.transport == "websocket"
        await page.close()


async def test_connecting_to_one_page(browser: Browser, browser_endpoint: str, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/frames"))
    async with hybridsnap.connect(page_socket(browser_endpoint, page)) as own:
        assert own.only_target == page.target_id
        assert await own.page_ids() == [page.target_id]
        one = await own.page()
        snapshot = await one.snapshot(timeout=10)
        assert snapshot.report.complete
        assert len(snapshot.report.frames) == 2
        assert (await own.page(page.target_id)) is one
        with pytest.raises(TargetError, match="own socket"):
            await own.new_page()
        with pytest.raises(TargetError, match="own socket"):
            await own.page("another")
    # The page lives on, and the other connection to it.
    assert (await page.snapshot(timeout=10)).report.complete


async def test_after_the_block_the_browser_runs_on(browser_endpoint: str, pages: PageServer) -> None:
    async with hybridsnap.connect(browser_endpoint) as browser:
        page = await browser.new_page(pages.url("/"))
    async with hybridsnap.connect(browser_endpoint) as again:
        assert page.target_id in await again.page_ids()
        found = await again.page(page.target_id)
        assert found.url == pages.url("/")
        assert "button: Go" in (await found.snapshot(timeout=10)).combined_tree
        await found.close()


@pytest.mark.parametrize("transport", ["websocket", "pipe", "cbor"])
async def test_all_transports_tell_the_same(pages: PageServer, transport: LaunchTransport) -> None:
    async with hybridsnap.launch(transport=transport, args=["--site-per-process"]) as browser:
        page = await browser.new_page(pages.url("/frames"))
        snapshot = await page.snapshot(timeout=10)
        assert snapshot.report.transport == transport
        assert snapshot.report.complete
        lines = [line.partition("] ")[2] for line in snapshot.combined_tree.splitlines()]
        assert lines[-2:] == ["link: end", "paragraph"]
        assert "RootWebArea: Main" in lines


async def test_two_clients_at_once(browser: Browser, browser_endpoint: str, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/frames"))
    trees: list[str] = []

    async def look(from_: Page) -> None:
        for _ in range(5):
            snapshot = await from_.snapshot(timeout=10)
            assert snapshot.report.complete
            assert snapshot.report.consistent
            trees.append(snapshot.combined_tree)

    async with hybridsnap.connect(browser_endpoint) as other:
        same = await other.page(page.target_id)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(look, page)
            nursery.start_soon(look, same)
    assert len(set(trees)) == 1


async def test_pages_are_named_by_their_id(pages: PageServer) -> None:
    async with hybridsnap.launch() as browser:
        (first,) = await browser.page_ids()
        assert (await browser.page()).target_id == first
        second = await browser.new_page(pages.url("/"))
        assert await browser.page() is second, "the blank one that a browser begins with is not meant"
        third = await browser.new_page(pages.url("/"))
        with pytest.raises(TargetError, match="several pages are open") as several:
            await browser.page()
        assert set(several.value.target_ids) >= {second.target_id, third.target_id}
        assert pages.url("/") in str(several.value)
        await third.close()
        with pytest.raises(TargetError, match="no page 4711") as unknown:
            await browser.page("4711")
        assert set(unknown.value.target_ids) == {first, second.target_id}
        assert {page.target_id for page in await browser.pages()} == {first, second.target_id}
        assert await browser.page(second.target_id) is second
        await second.close()
        assert await browser.page_ids() == [first]


# Going somewhere


@pytest.mark.parametrize("wait", ["settled", "load", "domcontentloaded", "networkidle", "none"])
async def test_each_wait_is_reached(browser: Browser, pages: PageServer, wait: Wait) -> None:
    page = await browser.new_page()
    went = await page.goto(pages.url("/"), wait=wait, timeout=30)
    assert (went.reached, went.ended_by) == (True, "load" if wait == "settled" else wait)
    assert went.elapsed_ms < 15_000
    if wait != "none":
        assert went.url == page.url == pages.url("/")


async def test_what_is_not_loaded_in_time_is_left_as_it_is(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page()
    went = await page.goto(pages.url("/never"), wait="load", timeout=0.7)
    assert (went.reached, went.ended_by) == (False, "deadline")
    assert 600 < went.elapsed_ms < 10_000
    snapshot = await page.snapshot(timeout=3)
    assert "here" in snapshot.combined_tree
    assert (snapshot.report.frames[0].status, snapshot.report.frames[0].cause) == ("partial", "loading")
    assert (await page.goto(pages.url("/never"), wait="domcontentloaded", timeout=5)).reached


async def test_the_network_pauses_after_what_scripts_ask_for(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page()
    went = await page.goto(pages.url("/lazy"), wait="networkidle", timeout=10)
    assert (went.reached, went.ended_by) == (True, "networkidle")
    assert went.elapsed_ms >= 500
    assert "late" in (await page.snapshot(timeout=10)).combined_tree


async def test_a_page_that_polls_for_ever_is_never_quiet(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page()
    went = await page.goto(pages.url("/poll"), wait="networkidle", timeout=1.5)
    assert (went.reached, went.ended_by) == (False, "traffic")
    assert ", the network was not idle within " in str(went)
    assert 1400 < went.elapsed_ms < 10_000
    # Nobody listens to the network any more, once the browser has taken note of it.
    await page.sessions[0].send("Page.getFrameTree")
    with page.sessions[0].events("Network.requestWillBeSent") as events:
        seen = len(pages.requests)
        with trio.fail_after(30):
            while len(pages.requests) < seen + 2:  # noqa: ASYNC110 - the server's list
                await trio.sleep(0.02)
        await page.sessions[0].send("Page.getFrameTree")
        assert list(events._events) == []


async def test_a_dialog_ends_the_waiting(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page()
    started = time.monotonic()
    went = await page.goto(pages.url("/alert"), timeout=60)
    assert time.monotonic() - started < 30
    assert (went.reached, went.ended_by) == (False, "dialog")
    assert page.dialogs[0].message == "halt"
    await page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True})


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:1/", "ERR_UNSAFE_PORT"),
        ("http://127.0.0.1:9/", "has a port that browsers never connect to"),
        ("http://no-such-host.invalid/", "does not resolve"),
        ("file:///no/such/file.html", "is not a file"),
        ("no url at all", "is not a URL"),
        ("", "expected a URL"),
        ("nosuchscheme:x", "scheme|download|could not"),
    ],
)
async def test_addresses_that_lead_nowhere(browser: Browser, url: str, words: str) -> None:
    page = await browser.new_page()
    with pytest.raises(NavigationFailed, match=words) as caught:
        await page.goto(url, timeout=10)
    assert caught.value.url == url
    assert caught.value.reason
    # The page can be used all the same.
    assert (await page.snapshot(timeout=10)).report.frames[0].status in {"captured", "partial"}


@pytest.mark.parametrize("path", ["/file.bin", "/empty"])
async def test_downloads_and_empty_answers(browser: Browser, pages: PageServer, path: str) -> None:
    page = await browser.new_page(pages.url("/"))
    with pytest.raises(NavigationFailed, match="no document"):
        await page.goto(pages.url(path), timeout=10)
    assert page.url == pages.url("/")
    assert (await page.snapshot(timeout=10)).report.complete


async def test_a_failed_new_page_leaves_no_tab(browser: Browser) -> None:
    before = set(await browser.page_ids())
    with pytest.raises(NavigationFailed):
        await browser.new_page("http://no-such-host.invalid/", timeout=10)
    with trio.fail_after(30):
        while set(await browser.page_ids()) - before:  # noqa: ASYNC110 - the browser's own state
            await trio.sleep(0.02)


async def test_within_the_same_document_nothing_is_loaded(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/"))
    went = await page.goto(pages.url("/#end"), timeout=30)
    assert (went.reached, went.ended_by) == (True, "same-document")
    assert went.elapsed_ms < 15_000
    assert page.url == pages.url("/#end")
    assert (await page.snapshot(timeout=10)).report.url == pages.url("/#end")


async def test_a_redirect_to_another_process(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/"))
    went = await page.goto(pages.url("/redirect"), timeout=10)
    assert went.reached
    assert went.url == pages.url("/", "localhost")
    snapshot = await page.snapshot(timeout=10)
    assert snapshot.report.complete
    assert snapshot.report.consistent
    assert snapshot.report.url == pages.url("/", "localhost")


async def test_wrong_arguments(browser: Browser) -> None:
    page = await browser.new_page()
    with pytest.raises(ValueError, match="wait is one of settled, load, domcontentloaded"):
        await page.goto("about:blank", wait="idle")  # type: ignore[arg-type]  # on purpose
    for timeout in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="timeout"):
            await page.goto("about:blank", timeout=timeout)
        with pytest.raises(ValueError, match="timeout"):
            await page.snapshot(timeout=timeout)
    with pytest.raises(TypeError, match="timeout"):
        await page.snapshot(timeout="10")  # type: ignore[arg-type]  # on purpose


# Talking to it directly


async def test_pycdp_commands(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page()
    frame_id, loader_id, error = (await page.session.execute(cdp.page.navigate(pages.url("/"))))[:3]
    assert str(frame_id) == page.target_id
    assert loader_id is not None
    assert error is None
    result, thrown = await page.session.execute(cdp.runtime.evaluate("6 * 7"))
    assert (result.value, thrown) == (42, None)
    assert await page.session.execute(cdp.page.enable()) is None  # type: ignore[func-returns-value]  # typed so
    with pytest.raises(CommandRefused, match=r"DOM\.resolveNode"):
        await page.session.execute(cdp.dom.resolve_node(node_id=cdp.dom.NodeId(10**6)))
    version = await browser.session.execute(cdp.browser.get_version())
    assert "Chrom" in version[1]


async def test_sending_raw_commands(browser: Browser) -> None:
    page = await browser.new_page()
    with pytest.raises(CommandRefused, match=r"^No\.such: .*\(code -32601\)$") as refused:
        await page.session.send("No.such")
    assert refused.value.code == -32601
    with pytest.raises(CommandRefused) as wrong:
        await page.session.send("Runtime.evaluate", {"expression": 7})
    assert wrong.value.method == "Runtime.evaluate"
    page.session.post("Runtime.evaluate", {"expression": "while (true);"}, ignore_reply)
    with pytest.raises(CommandUnanswered, match=r"Runtime\.evaluate"):
        await page.session.send("Runtime.evaluate", {"expression": "1"}, deadline=Deadline.after(0.2))
    await page.session.send("Runtime.terminateExecution")
    assert (await page.session.send("Runtime.evaluate", {"expression": "2"}))["result"]["value"] == 2
    waiting: list[BaseException] = []

    async def wait_for_ever() -> None:
        try:
            await page.session.send(
                "Runtime.evaluate", {"expression": "new Promise(() => 0)", "awaitPromise": True}
            )
        except TargetDetached as error:
            waiting.append(error)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait_for_ever)
        await page.session.send("Runtime.evaluate", {"expression": "3"})
        await page.close()
    assert len(waiting) == 1
    with pytest.raises(TargetDetached):
        await page.session.send("Runtime.evaluate", {"expression": "4"})


async def test_text_of_the_page_survives_whatever_it_holds(browser: Browser) -> None:
    page = await browser.new_page()
    result = await page.session.send("Runtime.evaluate", {"expression": r"'a\ud800b\u2028\ud83d\ude00'"})
    assert result["result"]["value"] == "a\ufffdb\u2028\U0001f600"


async def test_events_overflow_by_losing_the_oldest(browser: Browser) -> None:
    page = await browser.new_page()
    await page.session.send("Runtime.enable")
    with page.session.events("Runtime.consoleAPICalled", buffer=5) as events:
        await page.session.send(
            "Runtime.evaluate", {"expression": "for (let n = 0; n < 20; n++) console.log(n)"}
        )
        assert events.dropped == 15
        await page.close()
        seen = [params["args"][0]["value"] async for _, params in events]
    assert seen == [15, 16, 17, 18, 19]


async def test_events_of_several_methods_in_order(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page()
    await page.session.send("Page.enable")
    with page.session.events("Page.domContentEventFired", "Page.loadEventFired") as events:
        await page.goto(pages.url("/"), timeout=10)
        with trio.fail_after(30):
            assert [(await anext(events))[0] for _ in range(2)] == [
                "Page.domContentEventFired",
                "Page.loadEventFired",
            ]


# Several captures, and captures beside the user's own work


async def test_concurrent_captures_of_one_page(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/frames"))
    # A frame in another process gets its size after it has loaded; before, its document can be scrolled.
    with trio.fail_after(20):
        while "scrollable" in (await page.snapshot(timeout=10)).combined_tree:
            pass
    trees: list[str] = []

    async def look() -> None:
        snapshot = await page.snapshot(timeout=10)
        assert snapshot.report.complete
        assert snapshot.report.consistent
        trees.append(snapshot.combined_tree)

    async with trio.open_nursery() as nursery:
        for _ in range(8):
            nursery.start_soon(look)
    assert len(trees) == 8
    assert len(set(trees)) == 1
    assert page.session.connection._waiting == {}


async def test_what_the_user_has_enabled_stays_as_it_is(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/"))
    user = page.session
    await user.send("DOM.enable")
    root = (await user.send("DOM.getDocument", {"depth": -1}))["root"]
    button = (await user.send("DOM.querySelector", {"nodeId": root["nodeId"], "selector": "button"}))[
        "nodeId"
    ]

    async def check() -> None:
        described = await user.send("DOM.describeNode", {"nodeId": button})
        assert described["node"]["localName"] == "button"
        with user.events("DOM.attributeModified") as events:
            await user.send(
                "DOM.setAttributeValue", {"nodeId": button, "name": "x", "value": str(time.time())}
            )
            with trio.fail_after(30):
                assert (await anext(events))[1]["nodeId"] == button

    await check()
    for _ in range(2):
        assert (await page.snapshot(timeout=10)).report.complete
        await check()
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(capture, page)
            nursery.start_soon(check)


async def capture(page: Page) -> Any:
    return await page.snapshot(timeout=10)


async def test_on_a_page_s_own_socket_nothing_is_left_switched_on(
    browser: Browser, browser_endpoint: str, pages: PageServer
) -> None:
    page = await browser.new_page(pages.url("/"))
    async with hybridsnap.connect(page_socket(browser_endpoint, page)) as own:
        one = await own.page()
        snapshot = await one.snapshot(timeout=10)
        assert snapshot.report.complete
        with one.session.events(
            "DOM.documentUpdated", "DOM.childNodeInserted", "DOM.childNodeCountUpdated"
        ) as events:
            await one.session.send("Runtime.evaluate", {"expression": "document.body.append('more')"})
            await one.session.send("Page.getFrameTree")
            assert list(events._events) == []
