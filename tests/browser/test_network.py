"""What a page requests: recorded, filtered, read, followed, exported, and bounded when it is too much."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing
import trio_websocket

import hybridsnap
import hybridsnap.sync
from hybridsnap.client.request_log import REQUESTS
from tests.support import http
from tests.support.driver_stage import FLAGS
from tests.support.har import check_har
from tests.support.pages import Content, PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap import Browser, Page

_PAGE = """<title>busy</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css">
<script src="/app.js"></script>
<img src="/missing.png"><button onclick="fetch('/api/late?n=1&amp;m=2').then(r => r.text())">Load</button>
<iframe src="http://localhost:{PORT}/inner"></iframe>"""
_APP = """(async () => {
  const headers = {authorization: "Bearer secret"};
  await (await fetch("/api/save", {method: "POST", body: "x=1", headers})).text();
  await (await fetch("/moved")).text();
  await fetch("http://localhost:{PORT}/not-for-others").catch(() => {});
  window.asked = true;
})();"""


_WORKERS = """<script>
window.said = [];
new Worker("/worker.js").onmessage = (it) => said.push(it.data);
new Worker("/missing-worker.js");
new AudioContext().audioWorklet.addModule("/worklet.js").then(() => said.push("worklet"));
</script>"""


async def _api(_: http.Request) -> http.Response:
    headers = {"Set-Cookie": "token=abc; HttpOnly"}
    return http.Response(json.dumps({"saved": True}).encode(), "application/json", headers=headers)


class _Slow:
    """A body that stops halfway until it may `go` on."""

    def __init__(self) -> None:
        self.go = trio.Event()

    async def __call__(self, request: http.Request) -> http.Response:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"one "
            if request.query:
                await trio.sleep_forever()
            await self.go.wait()
            yield b"two"

        return http.Response(pieces(), "text/plain")


async def _moved(_: http.Request) -> http.Response:
    return http.Response(status=302, headers={"Location": "/api/moved"})


@pytest.fixture
def slow() -> _Slow:
    return _Slow()


@pytest.fixture
async def pages(slow: _Slow) -> AsyncIterator[PageServer]:
    documents: dict[str, Content] = {
        "/": _PAGE,
        "/style.css": "p { color: red }",
        "/app.js": _APP,
        "/api/save": _api,
        "/api/moved": _api,
        "/api/late": _api,
        "/moved": _moved,
        "/slow": slow,
        "/inner": "<script src='/inner.js'></script>",
        "/inner.js": "0",
        "/not-for-others": "no CORS header",
        "/large": "x" * 300_000,
        "/workers": _WORKERS,
        "/worker.js": "new Worker('/nested.js').onmessage = (it) => { postMessage(it.data);"
        " postMessage('worker'); };",
        "/nested.js": "postMessage('nested')",
        "/worklet.js": "0",
    }
    async with serve_pages(documents) as served:
        yield served


@pytest.fixture
async def page(page: Page, pages: PageServer) -> Page:
    await page.network.start()
    await page.goto(pages.url("/"))
    await page.wait_for(function="window.asked")
    return page


async def one_of(page: Page, url: str, **how: Any) -> hybridsnap.NetworkRequest:
    (found,) = await page.network.requests(url=url, **how)
    return found


async def test_recording_ends_on_a_page_that_had_crashed(page: Page, pages: PageServer) -> None:
    session = page.sessions[0]
    page.session.post("Page.crash", {}, lambda _: None)
    await session.wait_ended()
    await page.reload()
    assert len(await page.network.requests(url=pages.url("/"))) == 2
    page.network.stop()
    await session.send(
        "Runtime.getIsolateId"
    )  # scripts run in another session, which this is not in order with
    with session.events("Network.requestWillBeSent") as heard:
        await page.evaluate("fetch('/large').then((it) => it.text())")
        await session.send("Runtime.getIsolateId")
    assert not [one for _, one in heard._events if one["request"]["url"] == pages.url("/large")]


async def test_a_document_and_what_it_needs(page: Page, pages: PageServer) -> None:
    document = await one_of(page, pages.url("/"))
    assert (document.id, document.method, document.resource_type) == ("r1", "GET", "document")
    assert (document.state, document.status, document.ok, document.failure) == ("finished", 200, True, None)
    assert (document.mime_type, document.protocol) == ("text/html", "http/1.1")
    assert document.remote_address == f"127.0.0.1:{pages.port}"
    assert document.body_bytes == len(_PAGE.replace("{PORT}", str(pages.port)))
    assert document.transferred_bytes > document.body_bytes
    assert document.request_headers["host"] == f"127.0.0.1:{pages.port}"
    assert document.response_headers["content-type"] == "text/html; charset=utf-8"
    assert document.timing is not None
    assert document.duration_ms is not None
    assert 0 <= document.timing.wait <= document.duration_ms
    script = await one_of(page, "**/app.js")
    assert (script.resource_type, script.initiator) == ("script", f"parser {pages.url('/')}:2")
    assert (await one_of(page, "**/style.css")).resource_type == "stylesheet"
    inner = await one_of(page, "**/inner.js")
    assert inner.initiator == f"parser {pages.url('/inner', 'localhost')}:1"
    now = await page.evaluate("Date.now() / 1000")
    assert all(now - 60 < one.started <= now for one in await page.network.requests())


async def test_what_was_sent_and_what_came(page: Page) -> None:
    sent = await one_of(page, "**/api/save", method="post")
    assert (sent.method, sent.post_data, sent.request_body_bytes) == ("POST", "x=1", 3)
    assert sent.request_headers["authorization"] == "Bearer secret"
    assert sent.response_headers["set-cookie"] == "token=abc; HttpOnly"
    body = await page.network.response_body(sent.id)
    assert json.loads(body.text) == {"saved": True}
    assert (body.size, body.truncated, body.mime_type) == (15, False, "application/json")
    cut = await page.network.response_body(sent.id, max_bytes=4)
    assert (cut.data, cut.size, cut.truncated) == (body.data[:4], 15, True)
    shown = sent.to_dict()
    assert shown["request_headers"]["authorization"] == "[13 characters]"
    assert shown["response_headers"]["set-cookie"] == "[19 characters]"
    assert sent.to_dict(secrets=True)["request_headers"]["authorization"] == "Bearer secret"
    json.dumps(shown)


async def test_workers_run_though_frames_are_prepared(page: Page, pages: PageServer) -> None:
    gone = await page.goto(pages.url("/workers"), wait="networkidle")
    assert gone.ended_by == "networkidle"
    await page.wait_for(function="said.length === 3")
    assert sorted(await page.evaluate("said")) == ["nested", "worker", "worklet"]
    script = await one_of(page, "**/worker.js")
    assert (script.state, script.status, script.ok) == ("answered", 200, True)
    await one_of(page, "**/missing-worker.js", status=404)


async def test_redirects_know_of_each_other(page: Page, pages: PageServer) -> None:
    first = await one_of(page, "**/moved", status=302)
    then = await one_of(page, "**/api/moved")
    assert (first.state, first.status, first.response_headers["location"]) == (
        "redirected",
        302,
        "/api/moved",
    )
    assert (then.redirected_from, then.redirects) == (first.id, ((pages.url("/moved"), 302),))
    assert then.initiator == first.initiator
    assert json.loads((await page.network.response_body(then.id)).text) == {"saved": True}
    with pytest.raises(hybridsnap.CommandRefused, match=first.id):
        await page.network.response_body(first.id)


async def test_what_fails_says_why(page: Page) -> None:
    refused = await one_of(page, "**/not-for-others")
    assert (refused.state, refused.ok) == ("failed", False)
    assert "CORS" in str(refused.failure)
    missing = await one_of(page, "**/missing.png")
    assert (missing.status, missing.ok) == (404, False)
    failed = [one.url for one in await page.network.requests(failed=True)]
    assert failed == [missing.url, refused.url]
    assert len(await page.network.requests(failed=False)) == len(await page.network.requests()) - 2
    assert [one.url for one in await page.network.requests(status="4xx")] == [missing.url]


async def test_filters(page: Page) -> None:
    network = page.network
    assert {one.resource_type for one in await network.requests(resource_type="fetch")} == {"fetch"}
    types = {one.resource_type for one in await network.requests(resource_type=["script", "image"])}
    assert types == {"script", "image"}
    every = await network.requests()
    assert await network.requests(limit=2) == every[-2:]
    assert await network.requests(after=every[2].id) == every[3:]
    assert await network.request(every[3].id) == every[3]


_WRONG_FILTERS: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"url": ""}, ValueError),
    ({"url": 1}, TypeError),
    ({"status": "bad"}, ValueError),
    ({"status": 9}, ValueError),
    ({"resource_type": "foo"}, ValueError),
    ({"after": "12"}, ValueError),
    ({"limit": 0}, ValueError),
    ({"resource_type": 3}, TypeError),
]


async def test_wrong_filters(page: Page, subtests: pytest.Subtests) -> None:
    for wrong, error in _WRONG_FILTERS:
        with subtests.test(str(wrong)), pytest.raises(error, match=next(iter(wrong))):
            await page.network.requests(**wrong)


async def test_a_body_that_still_comes_is_waited_for(page: Page, slow: _Slow) -> None:
    await page.evaluate("void fetch('/slow').then(r => r.text())")
    (coming,) = await page.network.requests(url="**/slow")
    bodies: list[str] = []

    async def read() -> None:
        bodies.append((await page.network.response_body(coming.id)).text)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert bodies == []
        assert not coming.ended
        slow.go.set()
    assert bodies == ["one two"]
    await page.evaluate("void fetch('/slow?endless').then(r => r.text())")
    (endless,) = await page.network.requests(url="**/slow?endless")
    with pytest.raises(hybridsnap.WaitTimeout, match=f"^the response of {endless.id} was still coming"):
        await page.network.response_body(endless.id, timeout=1)


async def test_unknown_requests(page: Page) -> None:
    with pytest.raises(LookupError, match="r99"):
        await page.network.response_body("r99")
    with pytest.raises(LookupError, match="r99"):
        await page.network.request("r99")


async def test_waiting_for_a_response(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    before = page.network.last_id
    await page.click("button")
    found = await page.network.wait_for_response("**/api/late*", after=before)
    assert json.loads((await page.network.response_body(found.id)).text) == {"saved": True}
    async with trio.open_nursery() as nursery:

        async def click() -> None:
            await page.click("button")

        nursery.start_soon(click)
        again = await page.network.wait_for_response("**/api/late*", status=200)
    assert int(again.id[1:]) > int(found.id[1:])
    # No script reads the body: its end is not told, and waited for this long.
    monkeypatch.setattr("hybridsnap.client.page_network._UNREAD_SECONDS", 0.5)
    unread = page.network.last_id
    await page.evaluate("void fetch('/api/save')")
    assert (await page.network.wait_for_response("**/api/save", after=unread)).status == 200
    with pytest.raises(hybridsnap.WaitTimeout, match="never"):
        await page.network.wait_for_response("**/never", timeout=0.2)


async def test_clear_and_stop(page: Page) -> None:
    last = page.network.last_id
    page.network.clear()
    assert await page.network.requests() == []
    await page.evaluate("fetch('/api/save').then(r => r.text())")
    (one,) = await page.network.requests()
    assert int(one.id[1:]) == int(last[1:]) + 1
    page.network.stop()
    await page.evaluate("fetch('/api/save').then(r => r.text())")
    assert page.network.recording is False
    assert len(await page.network.requests()) == 1  # which begins again


async def test_requests_can_be_followed(page: Page) -> None:
    with page.network.follow(buffer=2) as requests:
        await page.evaluate("fetch('/api/save').then(r => r.text())")
        one = await anext(requests)
        assert isinstance(one, hybridsnap.NetworkRequest)
        assert (one.state, one.url[-9:]) == ("finished", "/api/save")
        await page.evaluate(
            "(async () => { for (let i = 0; i < 5; i++) await (await fetch('/api/save')).text() })()"
        )
        await page.network.requests()
        assert await anext(requests) == hybridsnap.Dropped(3)
        assert isinstance(await anext(requests), hybridsnap.NetworkRequest)


async def test_actions_and_waiting_do_not_disturb_the_record(page: Page) -> None:
    """They follow the traffic, too, with no bodies kept."""
    for _ in range(3):
        await page.click("button")
        (*_, last) = await page.network.requests(url="**/api/late*")
        assert (await page.network.response_body(last.id)).size == 15
    await page.reload()
    await page.wait_for(function="window.asked")
    (*_, last) = await page.network.requests(url="**/app.js")
    assert "authorization" in (await page.network.response_body(last.id)).text


async def test_har(page: Page, tmp_path: Path) -> None:
    har = await page.network.har(path=tmp_path / "page.har")
    check_har(har)
    assert json.loads((tmp_path / "page.har").read_text(encoding="utf-8")) == har
    entries = har["log"]["entries"]
    assert [one["_id"] for one in entries] == [one.id for one in await page.network.requests()]
    (saved,) = [one for one in entries if one["request"]["url"].endswith("/api/save")]
    assert saved["request"]["postData"]["text"] == "x=1"
    assert saved["response"]["cookies"] == [{"name": "token", "value": "[3 characters]"}]
    assert "secret" not in json.dumps(har)
    assert "Bearer secret" in json.dumps(await page.network.har(secrets=True))
    (moved,) = [one for one in entries if one["_state"] == "redirected"]
    assert moved["response"]["redirectURL"] == "/api/moved"
    page.network.clear()
    check_har(await page.network.har())


async def _echo(request: trio_websocket.WebSocketRequest) -> None:
    async with await request.accept() as socket:
        try:
            while True:
                await socket.send_message(await socket.get_message())
        except trio_websocket.ConnectionClosed:
            return


_TALK = """(port, texts) => new Promise((done) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/echo`);
  let left = texts.length + 1;
  socket.onopen = () => { texts.forEach((one) => socket.send(one)); socket.send(new Uint8Array(300)); };
  socket.onmessage = () => { left -= 1; if (!left) { socket.onclose = done; socket.close(); } };
})"""


async def test_messages_of_websockets(page: Page, pages: PageServer) -> None:
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(trio_websocket.serve_websocket, _echo, "127.0.0.1", 0, None)
        await page.goto(pages.url("/inner"))
        await page.network.start()
        await page.evaluate(_TALK, listeners.port, ["hé", "x" * 1000])
        (found,) = await page.network.requests(resource_type="websocket")
        socket = found.socket
        assert socket is not None
        assert (socket.sent, socket.received, socket.sent_bytes, socket.received_bytes) == (3, 3, 1303, 1303)
        sent = [one for one in socket.messages if one.sent]
        assert [(one.opcode, one.size, one.truncated) for one in sent] == [
            (1, 3, False),
            (1, 1000, True),
            (2, 300, True),
        ]
        assert [one.data for one in sent] == ["hé", "x" * 200, "A" * 200]
        assert all(0 <= one.time - found.started < 60 for one in socket.messages)
        assert "3 sent, 3 received" in str(found)
        har = await page.network.har()
        check_har(har)
        (entry,) = [one for one in har["log"]["entries"] if one["_resourceType"] == "websocket"]
        first = entry["_webSocketMessages"][0]
        assert (first["type"], first["opcode"], first["data"]) == ("send", 1, "hé")
        # Bounded, however much is said.
        await page.evaluate(_TALK, listeners.port, [str(number) for number in range(200)])
        last = (await page.network.requests(resource_type="websocket"))[-1].socket
        assert last is not None
        assert (last.sent, last.received, len(last.messages)) == (201, 201, 50)
        await page.reload()
        (document, *_) = await page.network.requests(resource_type="document")
        assert document.socket is None
        await page.close()
        nursery.cancel_scope.cancel()


async def test_on_a_page_s_own_socket(browser_endpoint: str, browser: Browser, pages: PageServer) -> None:
    """What is switched on there stays on: the socket may be shared."""
    page = await browser.new_page(pages.url("/"))
    address = f"{browser_endpoint.partition('/devtools/')[0]}/devtools/page/{page.target_id}"
    async with hybridsnap.connect(address, record=["console", "network"]) as alone:
        (own,) = await alone.pages()
        await own.goto(pages.url("/"))
        (script,) = await own.network.requests(url="**/app.js")
        assert "authorization" in (await own.network.response_body(script.id)).text
        assert any("missing.png" in one.url for one in await own.console.messages(level="error"))


def test_without_await(browser_endpoint: str) -> None:
    with hybridsnap.sync.connect(browser_endpoint, record=["network"]) as browser:
        page = browser.new_page("data:text/html,<p>x")
        page.evaluate("fetch('data:,hello').then(r => r.text())")
        assert [one.url for one in page.network.requests(url="data:,hello")] == ["data:,hello"]
        check_har(page.network.har())
        page.close()


@pytest.mark.parametrize(
    ("count", "most_bytes"), [(2_000, 6_000_000), pytest.param(50_000, 30_000_000, marks=pytest.mark.soak)]
)
async def test_a_flood_is_bounded_and_ebbs(count: int, most_bytes: int) -> None:
    """Requests are not recorded for a while, captures come, the memory does not grow."""
    async with hybridsnap.launch(args=FLAGS, record=["network"]) as browser:
        page = await browser.new_page()
        await page.evaluate("document.body.append('here')")
        flood = f"(async () => {{ for (let i = 0; i < {count}; i += 50) await Promise.all(Array.from("
        flood += "{length: 50}, async (_, n) => (await fetch('data:,' + i + n)).text())) })()"
        tracemalloc.start()
        try:
            await page.session.send("Runtime.evaluate", {"expression": flood, "awaitPromise": True})
            with trio.fail_after(35):
                snapshot = await page.snapshot(timeout=30)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert "here" in snapshot.combined_tree
        assert peak < most_bytes
        with trio.fail_after(60):
            while page.network.notices and "again" not in str(page.network.notices[-1]):  # noqa: ASYNC110
                await trio.sleep(0.05)
        requests = await page.network.requests()
        assert len(requests) <= REQUESTS
        # Of those that came while it was off nothing is known; then a notice says so.
        assert page.network.dropped + len(requests) >= count or page.network.notices
        await page.evaluate("fetch('data:,after').then(r => r.text())")
        assert (await page.network.requests())[-1].url == "data:,after"


async def test_a_burst_of_events_switches_the_record_off_and_the_report_says_so(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, so many come within a second.
    monkeypatch.setattr("hybridsnap.client.request_log.MOST_A_SECOND", 100)
    page = await browser.new_page("data:text/html,<p>here")
    await page.network.start()
    burst = "for (let i = 0; i < 1000; i++) fetch('data:,' + i)"
    await page.session.send("Runtime.evaluate", {"expression": burst})
    await page.network.requests()
    assert any("network events" in note for note in (await page.snapshot()).report.notes)
    assert "network events" in str(page.network.notices[0])
    await page.close()
