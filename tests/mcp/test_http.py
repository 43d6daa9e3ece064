"""Malformed and unusual requests over HTTP."""

from __future__ import annotations

import json
import os
import signal
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import trio

from hybridsnap.mcp import http
from tests.support.mcp_client import TOKEN, connected, serving_http_here

_RIGHT = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}
_INFO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
_BEGIN: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _INFO}
_LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}

#: Body → words of the refusal.
_NO_MESSAGES = {
    b"": "not JSON",
    b"{": "not JSON",
    b"\xff": "not JSON",
    b"[" * 100_000: "not JSON",
    b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}': "not JSON",
    b"5": "not a message of JSON-RPC 2.0",
    b"[{}]": "batches are not supported, send one message at a time",
    b'{"jsonrpc": "2.0", "id": null, "method": "ping"}': "not a message of JSON-RPC 2.0",
    b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}': "not a message of JSON-RPC 2.0",
    b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": [1]}': "not a message of JSON-RPC 2.0",
}


async def _begin(web: httpx2.AsyncClient, url: str) -> dict[str, str]:
    answer = await web.post(url, json=_BEGIN)
    assert answer.status_code == 200
    return {"Mcp-Session-Id": answer.headers["mcp-session-id"]}


async def test_what_means_nothing_is_refused_in_one_line() -> None:
    async with serving_http_here("--port", "0") as url, httpx2.AsyncClient(headers=_RIGHT) as web:
        session = await _begin(web, url)

        async def refused(answer: httpx2.Response, status: int) -> str:
            assert answer.status_code == status, answer.text
            line = answer.json()["error"]["message"]
            assert "\n" not in line
            return str(line)

        for body, words in _NO_MESSAGES.items():
            assert words in await refused(await web.post(url, content=body, headers=session), 400)
        assert "send initialize" in await refused(await web.post(url, json=_LIST), 400)
        assert "send initialize" in await refused(await web.get(url), 400)
        assert "/mcp/NAME" in await refused(await web.post(url.removesuffix("/mcp"), json=_BEGIN), 404)
        elsewhere = await web.post(url, json=_LIST, headers={"Origin": "https://evil.example"})
        assert "--server-name" in elsewhere.json()["remedy"], "this server has no --cors-origin"
        # Events have no ids, so the stream begins anew.
        async with web.stream("GET", url, headers={**session, "Last-Event-ID": "7"}) as stream:
            assert stream.status_code == 200
        assert (await web.post(url, json=_LIST, headers=session)).status_code == 200


async def test_sessions_that_nobody_ends_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_MOST_SESSIONS", 5)
    async with serving_http_here("--port", "0") as url, httpx2.AsyncClient(headers=_RIGHT) as web:
        kept, quiet = await _begin(web, url), await _begin(web, url)
        before = trio.lowlevel.current_statistics().tasks_living
        for _ in range(10):
            assert (await web.post(url, json=_LIST)).status_code == 400
            assert (await web.get(url)).status_code == 400
        assert trio.lowlevel.current_statistics().tasks_living <= before, "a refusal makes no session"
        for _ in range(10):
            await _begin(web, url)
            assert (await web.post(url, json=_LIST, headers=kept)).status_code == 200
        assert (await web.post(url, json=_LIST, headers=quiet)).status_code == 404
        async with connected(url) as host:
            assert "no page is open" in await host.refused("snapshot")


async def test_a_connection_ends_when_its_client_wants_that(caplog: pytest.LogCaptureFixture) -> None:
    async with serving_http_here("--port", "0") as url:
        host, body = urlsplit(url), json.dumps(_BEGIN).encode()
        fields = {**_RIGHT, "Host": host.netloc, "Content-Length": str(len(body)), "Connection": "close"}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        request = f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body
        assert host.hostname is not None
        async with await trio.open_tcp_stream(host.hostname, host.port or 0) as stream:
            await stream.send_all(request)
            answer = b""
            with trio.fail_after(10):
                while piece := await stream.receive_some():
                    answer += piece
            assert b"serverInfo" in answer
        async with await trio.open_tcp_stream(host.hostname, host.port or 0) as stream:
            await stream.send_all(request[:-10])
        async with connected(url) as client:
            assert "no page is open" in await client.refused("snapshot")
    assert "Traceback" not in caplog.text, "a client that disconnects is not an error"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_calls_that_a_signal_ends_are_answered(
    browser_endpoint: str, number: signal.Signals, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        serving_http_here("--port", "0", "--cdp", browser_endpoint) as url,
        httpx2.AsyncClient(headers=_RIGHT, timeout=20) as web,
    ):
        session = await _begin(web, url)

        async def call(tool: str, **arguments: Any) -> str:
            params = {"name": tool, "arguments": arguments}
            body = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}
            return (await web.post(url, json=body, headers=session)).text

        async def wait() -> None:
            assert "wait_for: the server is stopping" in await call("wait_for", seconds=15)

        assert "current: " in await call("tabs", action="new")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.sleep(0.3)  # until the call is under way
            os.kill(os.getpid(), number)
    assert caplog.text == ""
