"""Who waits for whom: many requests at once, pages that hang, clients that go."""

from __future__ import annotations

import collections
import contextlib
import functools
import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import trio

from hybridsnap.deadline import Deadline
from hybridsnap.server import messages
from hybridsnap.service.browser_pool import BrowserPlan
from hybridsnap.service.listening import listening
from tests.support.pages import ENDLESS, busy_for, serve_pages
from tests.support.server_stage import TOKEN, answer_to, eventually, serving

if TYPE_CHECKING:
    import hybridsnap
    from tests.support.pages import PageServer
    from tests.support.server_stage import Served

_HANGS = "/hangs"
_HUNG = f"""<title>hung</title><p>here<script>onclick = () => {{
  const word = new XMLHttpRequest();
  word.open("GET", "{_HANGS}", false);
  word.send();
  {ENDLESS}
}}</script>"""
_KILOBYTE = 1024
#: A budget that no machine needs, ms.
_LONG_MS = 240_000


def _resident_kilobytes() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4


async def _hang(served: Served, pages: PageServer) -> str:
    """A tab that is in a script without end: it says so before."""
    target = await served.open(pages.url("/hung"))
    before = pages.requests.count(_HANGS)
    click = {"targetId": target, "action": "click", "element": "p", "timeoutMs": _LONG_MS}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: served.post("/control/act", **click))
        await eventually(lambda: pages.requests.count(_HANGS) > before)
        nursery.cancel_scope.cancel()
    await eventually(lambda: not _waiting(served, target, 1))
    return target


async def _load(served: Served, pages: PageServer, requests: int, hung_ms: int) -> None:
    """Requests over 8 tabs, one of them hung; each is held against what must come of it.

    How long the others take is the machine's affair. That none of them waits for the hung tab shows in that
    all are answered while a request for it, of a far longer budget, still waits.
    """
    served.client.timeout = httpx.Timeout(_LONG_MS / 1000)
    hung = await _hang(served, pages)
    tabs = [await served.open(pages.url(f"/{number}")) for number in range(7)]
    answers: collections.Counter[str] = collections.Counter()

    async def ask(number: int) -> None:
        at = number % 8
        # One in three acts on what it has seen.
        acts = number // 8 % 3 == 2
        path, what = (
            ("/control/act", {"action": "click", "element": "button"}) if acts else ("/control/snapshot", {})
        )
        if at == 7:
            started = trio.current_time()
            answer = await served.post(path, targetId=hung, timeoutMs=hung_ms, **what)
            took = trio.current_time() - started
            assert answer.status_code == 504, answer.text
            assert took < hung_ms / 1000 + 15, f"{took} s for a budget of {hung_ms} ms"
            answers["hung"] += 1
            return
        answer = await served.post(path, targetId=tabs[at], timeoutMs=_LONG_MS, **what)
        assert answer.status_code == 200, answer.text
        data = answer.json()
        if acts:
            assert data["ok"] is True
        else:
            assert data["report"]["complete"] is True
            assert f"heading: Number {at}" in data["combinedTree"]
        answers["right"] += 1

    async with trio.open_nursery() as nursery:
        for_long = await nursery.start(_wait_for_long, served, hung)
        async with trio.open_nursery() as asking:
            for number in range(requests):
                asking.start_soon(ask, number)
        assert not for_long.is_set()
        nursery.cancel_scope.cancel()
    assert answers == {"right": requests * 7 // 8, "hung": requests // 8}


async def _wait_for_long(
    served: Served, target: str, task_status: trio.TaskStatus[trio.Event] = trio.TASK_STATUS_IGNORED
) -> None:
    """Ask for a hung tab with a long budget; the event is set when that is answered."""
    answered = trio.Event()
    task_status.started(answered)
    await served.post("/control/snapshot", targetId=target, timeoutMs=_LONG_MS)
    answered.set()


def _numbered() -> dict[str, Any]:
    button = "<button onclick='this.textContent += 1'>one more</button>"
    pages: dict[str, Any] = {f"/{at}": f"<h1>Number {at}</h1>{button}" for at in range(7)}
    return {
        **pages,
        "/hung": _HUNG,
        "/slow": f"<script>onload = () => setTimeout(() => {busy_for(1500)}, 100)</script><p>slow",
    }


async def test_requests_over_8_tabs_of_which_one_hangs(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    before = set(await browser.page_ids())
    async with serve_pages(_numbered()) as pages, serving(browser_endpoint, captures=2) as served:
        await _load(served, pages, 48, 1000)
    assert set(await browser.page_ids()) == before


@pytest.mark.soak
async def test_200_requests_over_8_tabs_of_which_one_hangs(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    before = set(await browser.page_ids())
    async with serve_pages(_numbered()) as pages, serving(browser_endpoint, captures=2) as served:
        resident = []
        for _ in range(5):
            made = await served.done("/sessions")
            mine = {"Hybridsnap-Session": made["sessionId"]}
            served.client.headers.update(mine)
            await _load(served, pages, 200, 15_000)
            del served.client.headers["Hybridsnap-Session"]
            assert (await served.client.delete(f"/sessions/{made['sessionId']}")).status_code == 204
            resident.append(_resident_kilobytes())
        assert resident[-1] - resident[1] < 30 * _KILOBYTE, resident
    assert set(await browser.page_ids()) == before


async def test_one_capture_at_a_time_and_yet_no_page_waits_for_a_hung_one(browser_endpoint: str) -> None:
    async with serve_pages(_numbered()) as pages, serving(browser_endpoint, captures=1) as served:
        hung = await _hang(served, pages)
        fine = await served.open(pages.url("/1"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: served.post("/control/snapshot", targetId=hung, timeoutMs=15_000))
            places = served.server.control.slots
            await eventually(lambda: places.stalled)
            started = trio.current_time()
            await served.done("/control/snapshot", targetId=fine, timeoutMs=10_000)
            assert trio.current_time() - started < 5
            nursery.cancel_scope.cancel()


async def test_a_page_that_hangs_while_it_is_captured_gives_its_place_back(browser_endpoint: str) -> None:
    async with serve_pages(_numbered()) as pages, serving(browser_endpoint, captures=1) as served:
        target = await served.open(pages.url("/hung"))
        fine = await served.open(pages.url("/1"))
        control = served.server.control
        pooled = control.browsers.find(None)
        held = await control.sessions.tab(control.sessions.get(None), pooled, target, _deadline())
        async with trio.open_nursery() as nursery:
            async with control.slots.take(held.page, _deadline()):
                assert control.slots.taken == 1
                click = {"targetId": target, "action": "click", "element": "p", "timeoutMs": 9000}
                nursery.start_soon(lambda: served.post("/control/act", **click))
                await served.done("/control/snapshot", targetId=fine, timeoutMs=15_000)
                assert (control.slots.taken, control.slots.stalled) == (0, 1)
            assert control.slots.stalled == 0
            nursery.cancel_scope.cancel()


def _deadline() -> Deadline:
    return Deadline.after(30)


def _waiting(served: Served, target: str, count: int) -> bool:
    return served.waiting_for(target) >= count


def test_many_connections_at_once_wait_until_they_are_taken_up() -> None:
    with listening("127.0.0.1", 0) as listener, contextlib.ExitStack() as stack:
        for _ in range(300):  # none of them is taken up here; one that finds no place is tried for seconds
            stack.enter_context(socket.create_connection(listener.getsockname(), timeout=0.5))


async def test_where_too_many_wait_one_is_told_to_come_again(browser_endpoint: str) -> None:
    async with serve_pages(_numbered()) as pages, serving(browser_endpoint, queue=2) as served:
        target = await served.open(pages.url("/1"))
        wait = {"targetId": target, "action": "wait_for", "text": "never", "timeoutMs": 60_000}
        async with trio.open_nursery() as nursery:
            for count in range(1, 4):
                nursery.start_soon(lambda: served.post("/control/act", **wait))
                await eventually(functools.partial(_waiting, served, target, count))
            full = await served.post("/control/snapshot", targetId=target)
            assert (full.status_code, full.json()["error"]) == (503, "QueueFull")
            assert int(full.headers["retry-after"]) > 0
            # Nobody else is concerned.
            await served.done("/control/snapshot", url=pages.url("/2"))
            nursery.cancel_scope.cancel()


async def test_requests_for_one_page_keep_their_order(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    page = "<label>text <input></label>"
    async with serve_pages({"/": page}) as pages, serving(browser_endpoint) as served:
        target = await served.open(pages.url("/"))

        async def type_letter(letter: str) -> None:
            typed = {"targetId": target, "action": "type", "element": "input", "text": letter}
            await served.done("/control/act", **typed)

        async with trio.open_nursery() as nursery:
            wait = {"targetId": target, "action": "wait_for", "text": "go on", "timeoutMs": 60_000}
            nursery.start_soon(lambda: served.done("/control/act", **wait))
            for at, letter in enumerate("abcdef", 1):
                await eventually(functools.partial(_waiting, served, target, at))
                nursery.start_soon(type_letter, letter)
            await eventually(functools.partial(_waiting, served, target, 7))
            await (await browser.page(target)).evaluate("void document.body.append('go on')")
        seen = await served.done("/control/snapshot", targetId=target, format="json")
        assert "abcdef" in [row["value"] for row in seen["rows"]]


async def test_a_client_that_goes_cancels_its_capture(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    before = set(await browser.page_ids())
    async with serve_pages(_numbered()) as pages, serving(browser_endpoint) as served:
        hung = await _hang(served, pages)
        control = served.server.control
        bodies: list[dict[str, Any]] = [
            {"targetId": hung, "timeoutMs": 60_000},
            {"url": pages.url("/hang"), "timeoutMs": 60_000},
        ]
        async with trio.open_nursery() as nursery:
            for body in bodies:
                nursery.start_soon(functools.partial(served.post, "/control/snapshot", **body))
            await eventually(lambda: served.waiting_for(hung) and "/hang" in pages.requests)
            nursery.cancel_scope.cancel()
        await eventually(
            lambda: (
                not (served.waiting_for(hung) or control.slots.stalled) and control.sessions.tab_count == 1
            )
        )
        gone = 'hybridsnap_http_disconnects_total{method="POST",route="/control/snapshot"} 2.0'
        with trio.fail_after(15):
            while gone not in (await served.client.get("/metrics")).text:  # noqa: ASYNC110 - nobody tells
                await trio.sleep(0.05)
        assert set(await browser.page_ids()) - before == {hung}


async def test_several_browsers_by_their_ids(browser_endpoint: str) -> None:
    browsers = (BrowserPlan(id="one", endpoint=browser_endpoint), BrowserPlan(id="two"))
    async with serving(None, browsers=browsers) as served:
        first = await served.done("/tabs")
        second = await served.done("/tabs", browserId="two")
        assert (first["browserId"], second["browserId"]) == ("one", "two")
        wrong = await served.post("/control/snapshot", browserId="two", targetId=first["targetId"])
        assert wrong.status_code == 404
        seen = await served.done("/control/snapshot", browserId="two")
        assert seen["targetId"] == second["targetId"]


async def test_a_browser_that_died_is_started_anew() -> None:
    async with serving(None) as served, served.reader() as events:
        mine = {"Hybridsnap-Session": (await events.until("session"))["sessionId"]}
        await served.open("about:blank", **mine)
        browser = served.server.control.browsers.find(None).browser
        assert browser is not None
        assert browser.process is not None
        with trio.move_on_after(10):
            await browser.close()
        await events.until("browserLost", browserId="default")
        seen = await served.done("/control/snapshot", mine, url="about:blank", timeoutMs=30_000)
        assert seen["report"]["complete"] is True
        health = (await served.client.get("/health")).json()
        assert health["browsers"][0]["starts"] == 2


async def test_a_client_that_reads_nothing_keeps_nobody_waiting(browser_endpoint: str) -> None:
    async with serving(browser_endpoint, allow_evaluate=True) as served:
        target = await served.open("about:blank")
        body = b'{"expression": "\'x\'.repeat(20000000)", "targetId": "%s"}' % target.encode()
        stream = await trio.open_tcp_stream("127.0.0.1", served.server.port)
        async with stream:
            head = (
                f"POST /control/evaluate HTTP/1.1\r\nHost: 127.0.0.1:{served.server.port}\r\n"
                f"Content-Type: application/json\r\nAuthorization: Bearer {TOKEN}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n"
            )
            await stream.send_all(head.encode() + body)
            assert await stream.receive_some(10)
            async with httpx.AsyncClient(trust_env=False, headers=served.client.headers, timeout=20) as other:
                seen = await other.post(f"{served.server.url}/control/snapshot", json={"targetId": target})
                assert seen.status_code == 200


async def test_a_connection_ends_when_its_client_wants_no_more(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        for method, path, status in (
            ("GET", "/health", 200),
            ("GET", "/metrics", 200),
            ("POST", "/control/act", 400),  # without an action
            ("POST", "/control/none", 404),
            ("GET", "/none", 404),
        ):
            head = (
                f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.server.port}\r\n"
                f"Authorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
            )
            text = await answer_to(served.server.port, head, seconds=15)
            assert text.startswith(f"HTTP/1.1 {status} ".encode()), path
            fields = text.lower().partition(b"\r\n\r\n")[0].decode()
            names = [line.partition(":")[0] for line in fields.split("\r\n")]
            assert len(names) == len(set(names)), names
            assert "cache-control: no-store" in fields


async def test_a_body_that_does_not_come_is_refused_with_what_to_do(
    browser_endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "DEFAULT_MS", 200)
    async with serving(browser_endpoint) as served:
        begun = (
            f"POST /control/act HTTP/1.1\r\nHost: 127.0.0.1:{served.server.port}\r\n"
            f"Authorization: Bearer {TOKEN}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )
        text = await answer_to(served.server.port, begun, seconds=15)
    assert text.startswith(b"HTTP/1.1 408 ")
    answer = json.loads(text.partition(b"\r\n\r\n")[2])
    assert answer["error"] == "BodyTimeout"
    assert "Content-Length" in answer["remedy"]
