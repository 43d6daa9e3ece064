"""Routes: requests that are answered, refused or changed before they leave the browser; nothing hangs."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio

import hybridsnap
import hybridsnap.aio
import hybridsnap.sync
from hybridsnap import Abort, Continue, Fulfill
from hybridsnap.drivers.base import ignore_reply
from tests.support import http
from tests.support.pages import Content, PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap import Page, RoutedRequest
    from hybridsnap.client.routes import RouteAction

_GET = (
    "(path, how) => fetch(path, how).then(async (it) => `${it.status} ${await it.text()}`, (it) => it.name)"
)


async def _echo(request: http.Request) -> http.Response:
    told = {
        "method": request.method,
        "path": request.path,
        "body": request.body.decode(),
        "headers": dict(request.headers),
    }
    return http.Response(json.dumps(told).encode(), "application/json")


async def _moved(_: http.Request) -> http.Response:
    return http.Response(status=302, headers={"Location": "/echo"})


_PAGES: dict[str, Content] = {
    "/": "<title>routed</title><iframe src='http://localhost:{PORT}/inner'></iframe>",
    "/inner": "<p>inner</p>",
    "/echo": _echo,
    "/other": _echo,
    "/moved": _moved,
    "/worker": "<script>window.said = new Promise((done) => {"
    " new Worker('/worker.js').onmessage = (it) => done(it.data) })</script>",
    "/worker.js": "fetch('/echo').then((it) => it.text()).then(postMessage)",
    "/late": "<body></body>",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as served:
        yield served


@pytest.fixture
async def page(page: Page, pages: PageServer) -> Page:
    await page.goto(pages.url("/"))
    return page


async def get(page: Page, path: str, **how: Any) -> str:
    """What a script of the page is answered with: status and body, or the name of its error."""
    return str(await page.evaluate(_GET, path, how))


async def told(page: Page, path: str, **how: Any) -> dict[str, Any]:
    """What the server was told, as it says."""
    answer = await get(page, path, **how)
    assert answer.startswith("200 "), answer
    found: dict[str, Any] = json.loads(answer[4:])
    return found


async def test_requests_are_answered_in_the_place_of_the_server(
    page: Page, pages: PageServer, tmp_path: Path
) -> None:
    network = page.network
    await network.route("**/echo", Fulfill(status=418, body="short", headers={"X-Of": "us"}))
    assert await get(page, "/echo") == "418 short"
    assert await page.evaluate("fetch('/echo').then((it) => it.headers.get('x-of'))") == "us"
    await network.route("**/echo", Fulfill(json={"items": []}))
    assert await get(page, "/echo") == '200 {"items": []}'
    assert await page.evaluate("fetch('/echo').then((it) => it.headers.get('content-type'))") == (
        "application/json"
    )
    file = tmp_path / "table.csv"
    file.write_bytes("ä,1".encode())
    await network.route("**/echo", Fulfill(file=file))
    assert await get(page, "/echo") == "200 ä,1"
    file.write_bytes(b"b,2")
    assert await get(page, "/echo") == "200 b,2"
    await network.route("**/nowhere", Fulfill(body="<title>made up</title><h1>Hello</h1>"))
    gone = await page.goto(pages.url("/nowhere"))
    assert gone.status == 200
    assert await page.evaluate("document.title") == "made up"
    assert pages.requests.count("/nowhere") == pages.requests.count("/echo") == 0


async def test_requests_fail_as_they_are_told_to(page: Page, pages: PageServer) -> None:
    await page.network.start()
    route = await page.network.route("**/echo", Abort())
    assert await get(page, "/echo") == "TypeError"
    await page.network.route("**/other", Abort("connectionrefused"))
    assert await get(page, "/other") == "TypeError"
    failed = {one.url: one.failure for one in await page.network.requests(failed=True)}
    assert failed[pages.url("/other")] == "net::ERR_CONNECTION_REFUSED"
    assert "BLOCKED_BY_CLIENT" in str(failed[pages.url("/echo")])
    assert (route.count, route.failures) == (1, 0)
    with pytest.raises(hybridsnap.NavigationFailed, match="ERR_BLOCKED_BY_CLIENT"):
        await page.goto(pages.url("/echo"))


async def test_requests_go_on_changed(page: Page, pages: PageServer) -> None:
    await page.network.route(
        "**/echo",
        Continue(
            url=pages.url("/other"),
            method="put",
            headers={"X-Added": "1", "accept-language": None},
            post_data="äöü",
        ),
    )
    sent = await told(page, "/echo", headers={"X-Own": "2"})
    assert (sent["method"], sent["path"], sent["body"]) == ("PUT", "/other", "äöü")
    assert (sent["headers"]["x-added"], sent["headers"]["x-own"]) == ("1", "2")
    assert await page.evaluate("fetch('/echo').then((it) => it.url)") == pages.url("/echo")
    page.network.remove_routes()
    await page.network.route("**", Continue(headers={"x-added": "all"}))
    await page.goto(pages.url("/echo"))
    assert '"x-added": "all"' in await page.evaluate("document.body.textContent")


async def test_the_last_route_is_asked_first(page: Page) -> None:
    network = page.network
    first = await network.route("**/echo", Fulfill(body="first"))
    second = await network.route("**/ec?o", Fulfill(body="second"), times=2)
    third = await network.route("**/e*", lambda _: None)
    assert network.routes == [third, second, first]
    assert [await get(page, "/echo") for _ in range(3)] == ["200 second", "200 second", "200 first"]
    assert (first.count, second.count, second.active, third.count) == (1, 2, False, 0)
    first.remove()
    first.remove()
    assert network.routes == [third]
    assert (await told(page, "/echo"))["path"] == "/echo"
    with await network.route("**/echo", Fulfill(body="in a block")) as inside:
        assert await get(page, "/echo") == "200 in a block"
    assert not inside.active
    network.remove_routes()
    assert network.routes == []
    assert (await told(page, "/echo"))["path"] == "/echo"


async def test_routes_by_type_and_method(page: Page, pages: PageServer) -> None:
    await page.network.route("**", Abort(), resource_type=["image", "stylesheet"])
    await page.network.route("**/echo", Fulfill(body="posted"), method="post")
    assert (await told(page, "/echo"))["method"] == "GET"
    assert await get(page, "/echo", method="POST") == "200 posted"
    assert await page.evaluate(
        "new Promise((done) => { const it = new Image(); it.onload = () => done('there');"
        " it.onerror = () => done('not there'); it.src = '/echo?picture'; })"
    ) == ("not there")
    assert pages.requests.count("/echo") == 1
    await page.network.route("**/echo", Fulfill(body="asked"), resource_type="xhr")
    assert await get(page, "/echo") == "200 asked"
    await page.goto(pages.url("/echo"))
    assert "GET" in await page.evaluate("document.body.textContent")


async def test_functions_look_and_decide(page: Page, pages: PageServer) -> None:
    seen: list[RoutedRequest] = []
    threads: set[int] = set()

    async def decide(request: RoutedRequest) -> RouteAction | None:
        await trio.lowlevel.checkpoint()
        seen.append(request)
        return Fulfill(json=request.method) if request.post_data == "x=1" else None

    def plain(request: RoutedRequest) -> RouteAction:
        threads.add(threading.get_ident())
        return Fulfill(body=f"plain {request.resource_type}")

    await page.network.route("**/ec*", plain)
    route = await page.network.route("**/echo", decide)
    how = {"method": "POST", "body": "x=1", "headers": {"X-Own": "2"}}
    assert await get(page, "/echo", **how) == '200 "POST"'
    assert await get(page, "/echo") == "200 plain fetch"
    assert (route.count, route.failures) == (1, 0)
    (posted, _) = seen
    assert (posted.url, posted.method, posted.resource_type) == (pages.url("/echo"), "POST", "fetch")
    assert (posted.headers["x-own"], posted.frame_id) == ("2", page.target_id)
    assert threading.get_ident() not in threads
    assert page.network.notices == ()


async def test_functions_that_fail_hold_nothing_up(page: Page) -> None:
    hanging = threading.Event()

    async def hang(_: RoutedRequest) -> None:
        await trio.sleep_forever()

    def hang_blocking(_: RoutedRequest) -> None:
        hanging.wait()

    async def break_down(_: RoutedRequest) -> None:
        raise KeyError("no such thing")

    wrong: dict[Any, str] = {
        hang: "TimeoutError: it did not decide within 0.1 s",
        hang_blocking: "TimeoutError: it did not decide within 0.1 s",
        break_down: "KeyError: 'no such thing'",
        (lambda _: "abort"): "TypeError: expected Fulfill, Abort, Continue or None from it, got 'abort'",
        (lambda _: Continue(headers={"host": "elsewhere"})): "the browser refuses the answer: Unsafe header",
        (lambda _: Fulfill(file="/no/such/file")): "ValueError: file: there is no file '/no/such/file'",
    }
    for number, (function, why) in enumerate(wrong.items(), 1):
        seconds = 0.1 if why.startswith("TimeoutError") else 10
        with await page.network.route("**/echo", function, handler_timeout=seconds) as route:
            assert (await told(page, "/echo"))["path"] == "/echo"
            assert route.failures == 1
        notice = page.network.notices[-1].text
        assert notice.startswith("the route '**/echo' was passed over for GET http"), notice
        assert why in notice
        assert len(page.network.notices) == number
    hanging.set()
    # The next route is asked.
    await page.network.route("**/echo", Fulfill(body="next"))
    await page.network.route("**/echo", break_down)
    assert await get(page, "/echo") == "200 next"


async def test_what_a_removed_function_has_not_decided_goes_on(page: Page) -> None:
    asked = trio.Event()

    async def hang(_: RoutedRequest) -> None:
        asked.set()
        await trio.sleep_forever()

    for others in (False, True):
        asked = trio.Event()
        if others:
            await page.network.route("**/echo", Fulfill(body="the other"))
        route = await page.network.route("**/echo", hang, handler_timeout=1000)
        async with trio.open_nursery() as nursery:
            answers: list[str] = []

            async def ask(answers: list[str] = answers) -> None:
                answers.append(await get(page, "/echo"))

            nursery.start_soon(ask)
            await asked.wait()
            route.remove()
        assert ("the other" in answers[0]) == others
        assert answers[0].startswith("200")
    assert page.network.notices == ()


async def test_frames_workers_and_redirects(page: Page, pages: PageServer) -> None:
    await page.network.route("**/echo", Fulfill(body="ours"))
    inner = page.sessions[1]
    fetching = {"expression": "fetch('/echo').then((it) => it.text())", "awaitPromise": True}
    assert (await inner.send("Runtime.evaluate", fetching))["result"]["value"] == "ours"
    assert await get(page, "/moved") == "200 ours"
    # A frame that comes later, before its scripts run.
    await page.network.route("**/inner", Fulfill(body="<script>document.title = 'made up'</script>"))
    await page.goto(pages.url("/late"))
    await page.evaluate(
        "(url) => new Promise((done) => { const one = document.createElement('iframe'); one.src = url;"
        " one.onload = done; document.body.append(one); })",
        pages.url("/inner", host="localhost"),
    )
    title = await page.sessions[1].send("Runtime.evaluate", {"expression": "document.title"})
    assert title["result"]["value"] == "made up"
    later = await page.sessions[1].send("Runtime.evaluate", fetching)
    assert later["result"]["value"] == "ours"
    await page.goto(pages.url("/worker"))
    assert await page.evaluate("said") == "ours"
    async with page.expect_popup() as popup:
        await page.evaluate("void open('/late')")
    # A popup is a page of its own.
    assert (await told(popup.page, "/echo"))["path"] == "/echo"
    await popup.page.close()


async def test_other_origins_may_read_what_is_made_up(page: Page, pages: PageServer) -> None:
    elsewhere = pages.url("/elsewhere", host="localhost")
    how = {"method": "PUT", "headers": {"X-Own": "2", "content-type": "application/json"}, "body": "{}"}
    assert await get(page, elsewhere, **how) == "TypeError"
    before = pages.requests.count("/elsewhere")
    await page.network.route("**/elsewhere", Fulfill(json=1), method="PUT")
    assert await get(page, elsewhere, **how) == "200 1"
    assert await get(page, elsewhere, **how, credentials="include") == "200 1"
    assert pages.requests.count("/elsewhere") == before
    await page.network.route(
        "**/elsewhere", Fulfill(headers={"Access-Control-Allow-Origin": "http://a.test"})
    )
    assert await get(page, elsewhere) == "TypeError"


async def test_credentials_and_routes_go_together(page: Page) -> None:
    await page.emulation.set(http_credentials=("ada", "1815"))
    route = await page.network.route("**/echo", Fulfill(body="ours"))
    assert await get(page, "/echo") == "200 ours"
    assert (await told(page, "/other"))["path"] == "/other"
    await page.emulation.reset()
    assert await get(page, "/echo") == "200 ours"
    route.remove()
    assert (await told(page, "/echo"))["path"] == "/echo"


async def test_interceptions_of_other_clients_are_left_alone(page: Page, pages: PageServer) -> None:
    theirs = page.session
    with theirs.events("Fetch.requestPaused") as paused:
        await theirs.send("Fetch.enable", {"patterns": [{"urlPattern": "*/other"}]})
        async with trio.open_nursery() as nursery:

            async def answer() -> None:
                async for _, params in paused:
                    made_up = {"requestId": params["requestId"], "responseCode": 203, "body": "dGhlaXJz"}
                    await theirs.send("Fetch.fulfillRequest", made_up)

            nursery.start_soon(answer)
            assert await get(page, "/other") == "203 theirs"
            with await page.network.route("**", Continue()):
                assert await get(page, "/other") == "203 theirs"
            assert await get(page, "/other") == "203 theirs"
            nursery.cancel_scope.cancel()
    await theirs.send("Fetch.disable")
    assert pages.requests.count("/other") == 0


async def test_off_means_off(page: Page) -> None:
    """Nothing is asked of the browser where there is no route, and cancelled set-ups leave none."""
    with page._context.attachment.root.session.events("Fetch.requestPaused") as paused:
        with trio.CancelScope() as scope:
            scope.cancel()
            await page.network.route("**", Abort())
        assert page.network.routes == []
        route = await page.network.route("**/other", Abort())
        assert (await told(page, "/echo"))["path"] == "/echo"  # its address is not stopped for
        route.remove()
        # It never waits, and what evaluates has its own session: behind this reply no request is stopped.
        await page.session.send("Page.getFrameTree")
        assert (await told(page, "/other"))["path"] == "/other"
        assert not paused._events
    assert page._context.attachment.preparations == []


#: What is wrong → the words about it.
_WRONG: list[tuple[Any, type[Exception], str]] = [
    (lambda: Fulfill(status=100), ValueError, "status: expected a whole number from 200 on, got 100"),
    (lambda: Fulfill(status=600), ValueError, "from 200 to 599, got 600"),
    (lambda: Fulfill(body="a", json=1), ValueError, "exclude each other"),
    (lambda: Fulfill(body=cast("Any", 1)), TypeError, "body: expected a str or bytes, got 1"),
    (lambda: Fulfill(json=object()), TypeError, "not JSON serializable"),
    (lambda: Fulfill(file="/no/such/file"), ValueError, "there is no file"),
    (lambda: Fulfill(headers={"a": "b\r\nc: d"}), ValueError, "is no header"),
    (lambda: Fulfill(headers={"a b": "c"}), ValueError, "is no header"),
    (lambda: Fulfill(headers=cast("Any", ["a"])), TypeError, "expected a dict of strings"),
    (lambda: Abort(cast("Any", "bored")), ValueError, "expected one of aborted, .* as reason, got 'bored'"),
    (lambda: Continue(url="/relative"), ValueError, "expected an address with http:// or https://"),
    (lambda: Continue(method="GET IT"), ValueError, "expected one such as 'POST'"),
]


@pytest.mark.parametrize("number", range(len(_WRONG)))
def test_wrong_answers(number: int) -> None:
    make, kind, words = _WRONG[number]
    with pytest.raises(kind, match=words):
        make()


async def test_wrong_routes(page: Page) -> None:
    route: Any = page.network.route
    for args, how, kind, words in (
        (("", Abort()), {}, ValueError, "it is empty"),
        ((5, Abort()), {}, TypeError, "url: expected a str"),
        (("**", Abort), {}, TypeError, "action: expected hybridsnap.Fulfill"),
        (("**", "abort"), {}, TypeError, "action: expected hybridsnap.Fulfill"),
        (("**", Abort()), {"resource_type": "picture"}, ValueError, "expected one of document, stylesheet, "),
        (("**", Abort()), {"times": 0}, ValueError, "times: expected a whole number from 1 on"),
        (("**", Abort()), {"handler_timeout": 0}, ValueError, "above 0"),
        (("**", Abort()), {"method": 5}, TypeError, "method: expected a str"),
    ):
        with pytest.raises(kind, match=words):
            await route(*args, **how)
    assert page.network.routes == []


async def test_a_page_that_asks_too_much_is_not_held_up(page: Page) -> None:
    async def hang(_: RoutedRequest) -> None:
        await trio.sleep_forever()

    route = await page.network.route("**/other*", hang, handler_timeout=1000)
    asked = (
        "(async () => { const all = []; for (let i = 0; i < 600; i++)"
        " all.push(fetch(`/other?${i}`, {method: 'HEAD'}).then((it) => it.status));"
        " return (await Promise.any([Promise.all(all), Promise.all(all.slice(520))])).length; })()"
    )
    assert await page.evaluate(asked) == 80
    assert "500 requests wait for functions of routes already" in page.network.notices[-1].text
    assert route.failures >= 80
    route.remove()


def test_from_blocking_code(browser_endpoint: str) -> None:
    with hybridsnap.sync.connect(browser_endpoint) as browser:
        page = browser.new_page()

        def decide(request: RoutedRequest) -> Fulfill:
            # Not on hybridsnap's own thread: other calls are possible.
            return Fulfill(body=f"<title>{request.method} {len(page.network.routes)}</title>")

        route = page.network.route("http://no.test/**", decide, resource_type="document")
        page.goto("http://no.test/")
        assert page.evaluate("document.title") == "GET 1"
        assert page.network.routes == [route]
        assert (route.url, route.count) == ("http://no.test/**", 1)
        route.remove()
        assert page.network.routes == []
        page.close()


def test_from_asyncio(browser_endpoint: str) -> None:
    async def main() -> None:
        async with hybridsnap.aio.connect(browser_endpoint) as browser:
            page = await browser.new_page()
            loop = asyncio.get_running_loop()

            async def decide(request: RoutedRequest) -> Fulfill:
                assert asyncio.get_running_loop() is loop
                await asyncio.sleep(0)
                return Fulfill(body=f"<title>{request.method} {len(page.network.routes)}</title>")

            async def hang(_: RoutedRequest) -> None:
                await asyncio.Event().wait()

            with await page.network.route("http://no.test/**", decide) as route:
                await page.goto("http://no.test/")
                assert await page.evaluate("document.title") == "GET 1"
                await page.network.route("http://no.test/**", hang, handler_timeout=0.1)
                await page.goto("http://no.test/2")
                assert "did not decide" in page.network.notices[0].text
            assert not route.active
            await page.close()

    asyncio.run(main())


async def test_a_crash_leaves_no_request_stopped(page: Page, pages: PageServer) -> None:
    """The browser goes on stopping requests when the page has another renderer."""
    await page.goto(pages.url("/"), timeout=10)
    route = await page.network.route("**/inner", Abort())
    await crash(page)
    route.remove()
    went = await page.reload(timeout=10)
    assert (went.ended_by, dict(went.under_way)) == ("load", {})
    assert (await page.snapshot(timeout=10)).report.complete


async def test_a_route_of_a_crashed_page_holds_when_it_is_back(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/"), timeout=10)
    await crash(page)
    with await page.network.route("**/other", Fulfill(body="ours"), timeout=10):
        await page.reload(timeout=10)
        assert await page.evaluate(_GET, "/other", {}) == "200 ours"
    assert await page.evaluate(_GET, "/other", {}) != "200 ours"


async def crash(page: Page) -> None:
    page.sessions[0].post("Page.crash", {}, ignore_reply)
    with trio.fail_after(30):
        await page.sessions[0].wait_ended()
