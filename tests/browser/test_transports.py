"""Both transports against real browsers, and against everything that is none."""

from __future__ import annotations

import base64
import hashlib
import os
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import trio

from hybridsnap.client import websocket
from hybridsnap.client.browsers import find_browser
from hybridsnap.client.endpoint import resolve_endpoint
from hybridsnap.client.launcher import LaunchTransport, launch_process
from hybridsnap.client.pipe import CborSplitter, JsonSplitter, PipeTransport
from hybridsnap.client.transport import HEAD_BYTES, MessageTooLarge, Transport
from hybridsnap.client.websocket import open_websocket
from hybridsnap.deadline import Deadline
from hybridsnap.errors import ConnectionLost, EndpointError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap import Browser


MB = 1_000_000
every = pytest.mark.parametrize("kind", ["websocket", "pipe", "cbor"])


def soon(seconds: float = 10.0) -> Deadline:
    return Deadline.after(seconds)


class Caller:
    """The least of a connection: one call at a time."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.last = 0

    async def send(self, method: str, session: str | None = None, **params: Any) -> int:
        self.last += 1
        await self.transport.send(self.transport.codec.encode(self.last, method, params, session))
        return self.last

    async def raw(self, method: str, session: str | None = None, **params: Any) -> bytes:
        call = await self.send(method, session, **params)
        while True:
            message = await self.transport.receive()
            if self.transport.codec.head(message).id == call:
                return message

    async def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.transport.codec.payload(
            await self.raw(method, session, **params)
        ).result(dict)
        return result

    async def page(self) -> str:
        target = await self.call("Target.createTarget", url="about:blank")
        attached = await self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        session: str = attached["sessionId"]
        return session


def string_of(length: int) -> dict[str, Any]:
    return {"expression": f"'x'.repeat({length})", "returnByValue": True}


# -- messages ------------------------------------------------------------------------------------------------


@every
async def test_many_messages_at_once_and_large_ones_until_the_browser_closes(kind: LaunchTransport) -> None:
    async with launch_process(transport=kind) as process:
        caller = Caller(process.transport)
        async with trio.open_nursery() as nursery:
            for _ in range(200):
                nursery.start_soon(caller.send, "Browser.getVersion")
            answered: set[int | None] = set()
            with trio.fail_after(10):
                while len(answered) < 200:
                    answered.add(process.transport.codec.head(await process.transport.receive()).id)
            assert answered == set(range(1, 201))
        session = await caller.page()
        reply = await caller.raw("Runtime.evaluate", session, **string_of(20 * MB))
        assert reply.count(b"x") > 20 * MB - 1
        assert (await caller.call("Runtime.evaluate", session, expression="'ä€😀'"))["result"][
            "value"
        ] == "ä€😀"
        await caller.send("Browser.close")
        with pytest.raises(ConnectionLost), trio.fail_after(10):
            await until_lost(process.transport)
        if kind == "websocket":  # a pipe can be written to until its other end is closed, too
            with pytest.raises(ConnectionLost):
                await process.transport.send(b"{}")


@pytest.mark.soak
async def test_300_mb_pass_through_the_pipe() -> None:
    async with launch_process(transport="pipe") as process:
        caller = Caller(process.transport)
        session = await caller.page()
        with trio.fail_after(60):
            assert len(await caller.raw("Runtime.evaluate", session, **string_of(300 * MB))) > 300 * MB


async def test_what_is_reported_as_dropped_and_only_that_is_lost(tmp_path: Path) -> None:
    """The browser here writes the line about a dropped reply when the test says so."""
    told, starter = tmp_path / "told", tmp_path / "starter"
    os.mkfifo(told)
    starter.write_text(f'#!/bin/sh\ncat "{told}" >&2 &\nexec "{find_browser()}" "$@"\n')
    starter.chmod(0o755)
    async with launch_process(starter, transport="websocket") as process:
        caller = Caller(process.transport)
        async with trio.open_nursery() as nursery:
            line = "[1:2:ERROR:net/server/web_socket.cc:1] Too large write data is pending: size=268435514\n"
            nursery.start_soon(trio.Path(told).write_text, line)
            with pytest.raises(MessageTooLarge) as caught, trio.fail_after(60):
                await process.transport.receive()
        assert (caught.value.size_bytes, caught.value.head) == (268_435_514, b"")
        assert "product" in await caller.call("Browser.getVersion")


@pytest.mark.soak
async def test_what_chromium_drops_is_reported_and_only_that_is_lost() -> None:
    async with launch_process(transport="websocket") as process:
        caller = Caller(process.transport)
        session = await caller.page()
        await caller.send("Runtime.evaluate", session, **string_of(269 * MB))
        with pytest.raises(MessageTooLarge) as caught, trio.fail_after(60):
            await process.transport.receive()
        assert caught.value.size_bytes > 269 * MB
        assert caught.value.head == b""
        assert "product" in await caller.call("Browser.getVersion")


async def test_over_our_own_cap_the_reply_is_named_and_the_websocket_lives(browser: Browser) -> None:
    async with open_websocket(browser.endpoint, None, soon(), cap_bytes=MB) as transport:
        caller = Caller(transport)
        session = await caller.page()
        call = await caller.send("Runtime.evaluate", session, **string_of(2 * MB))
        with pytest.raises(MessageTooLarge) as caught, trio.fail_after(10):
            await transport.receive()
        assert caught.value.head.startswith(b'{"id":%d,"result"' % call)
        assert caught.value.cap_bytes == MB
        assert caught.value.size_bytes > 2 * MB
        assert "product" in await caller.call("Browser.getVersion")


def split(splitter: JsonSplitter | CborSplitter, sent: bytes, step: int) -> list[bytes | MessageTooLarge]:
    return [message for at in range(0, len(sent), step) for message in splitter.feed(sent[at : at + step])]


def enveloped(content: bytes) -> bytes:
    return b"\xd8\x18\x5a" + len(content).to_bytes(4, "big") + content


@pytest.mark.parametrize("step", [1, 2, 3, 7, 8, 10**6])
def test_the_splitters_skip_what_is_too_large(step: int) -> None:
    sent = b"one\0\0" + b"x" * 300 + b"\0" + b"y" * 200 + b"\0tail"
    messages = split(JsonSplitter(200), sent, step)
    large = messages.pop(2)
    assert messages == [b"one", b"", b"y" * 200]
    assert isinstance(large, MessageTooLarge)
    assert (large.size_bytes, large.cap_bytes, large.head) == (300, 200, b"x" * HEAD_BYTES)

    parts = [enveloped(content) for content in (b"one", b"", b"x" * 300, b"y" * 193)]
    messages = split(CborSplitter(200), b"".join(parts) + enveloped(b"tail")[:-1], step)
    large = messages.pop(2)
    assert messages == [parts[0], parts[1], parts[3]]
    assert isinstance(large, MessageTooLarge)
    assert (large.size_bytes, large.cap_bytes) == (307, 200)
    assert parts[2].startswith(large.head)
    assert len(large.head) >= 7


@pytest.mark.parametrize("step", [1, 7, 100])
def test_what_is_no_cbor_message_is_refused(step: int) -> None:
    with pytest.raises(msgspec.DecodeError):
        split(CborSplitter(200), enveloped(b"one") + b'{"error":{"code":-32700}}\0', step)


async def test_a_cancelled_send_leaves_no_half_message() -> None:
    (away_read, away_write), (back_read, back_write) = os.pipe(), os.pipe()
    transport = PipeTransport(back_read, away_write)
    large = b"a" * 3 * MB
    with trio.move_on_after(0.05) as scope:
        await transport.send(large)
    assert scope.cancelled_caught
    got = bytearray()
    async with trio.lowlevel.FdStream(away_read) as away, trio.open_nursery() as nursery:
        nursery.start_soon(transport.send, b"next")
        while not got.endswith(b"next\0"):
            got += await away.receive_some()
    assert bytes(got) == large + b"\0next\0"
    os.close(back_write)
    with pytest.raises(ConnectionLost):
        await transport.receive()
    with pytest.raises(ConnectionLost):
        await transport.send(b"gone")
    await transport.aclose()
    await transport.aclose()
    with pytest.raises(ConnectionLost):
        await transport.send(b"closed")


async def until_lost(transport: Transport) -> None:
    while True:
        await transport.receive()


async def test_the_body_s_error_and_its_cancellation_come_out_bare(browser_endpoint: str) -> None:
    with pytest.raises(KeyError):
        async with open_websocket(browser_endpoint, None, soon()):
            raise KeyError("mine")
    with trio.move_on_after(0.1) as scope:
        async with open_websocket(browser_endpoint, None, soon()) as transport:
            await transport.receive()
    assert scope.cancelled_caught


# -- endpoints that are browsers -----------------------------------------------------------------------------


def port_of(endpoint: str) -> int:
    return int(endpoint.split(":")[2].split("/", maxsplit=1)[0])


class Names(trio.abc.HostnameResolver):
    """A name server that knows one container."""

    async def getaddrinfo(self, host: Any, port: Any, *_: Any, **__: Any) -> Any:
        assert host in {b"chrome.test", "chrome.test"}
        kind = trio.socket.SOCK_STREAM
        return [(trio.socket.AF_INET, kind, 6, "", ("127.0.0.1", int(port)))]

    async def getnameinfo(self, *_: Any) -> Any:
        raise NotImplementedError


async def test_http_addresses_lead_to_the_browser(browser_endpoint: str) -> None:
    port = port_of(browser_endpoint)
    path = browser_endpoint.partition(str(port))[2]
    for given in (f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port}/json/version/"):
        assert await resolve_endpoint(given, None, soon()) == browser_endpoint
    assert await resolve_endpoint(f"http://localhost:{port}/", None, soon()) == f"ws://localhost:{port}{path}"
    assert await resolve_endpoint(browser_endpoint, None, soon()) == browser_endpoint


async def test_a_browser_behind_a_name_is_asked_by_address(browser_endpoint: str) -> None:
    trio.socket.set_custom_hostname_resolver(Names())
    try:
        port = port_of(browser_endpoint)
        url = await resolve_endpoint(f"http://chrome.test:{port}", {"X-Mine": "1"}, soon())
        assert url.startswith(f"ws://chrome.test:{port}/devtools/browser/")
        async with open_websocket(url, None, soon()) as transport:
            assert "product" in await Caller(transport).call("Browser.getVersion")
    finally:
        trio.socket.set_custom_hostname_resolver(None)


async def test_one_page_s_own_socket(browser: Browser) -> None:
    page = await browser.new_page()
    url = f"ws://127.0.0.1:{port_of(browser.endpoint)}/devtools/page/{page.target_id}"
    async with open_websocket(url, None, soon()) as transport:
        assert "frameTree" in await Caller(transport).call("Page.getFrameTree")


@pytest.mark.parametrize("path", ["/devtools/page/NONE", "/devtools/browser/NONE", "/"])
async def test_an_unknown_page_or_browser_is_named(browser_endpoint: str, path: str) -> None:
    url = f"ws://127.0.0.1:{port_of(browser_endpoint)}{path}"
    with pytest.raises(EndpointError, match="there is no such page or browser"):
        async with open_websocket(url, None, soon()):
            pass


# -- endpoints that are none ---------------------------------------------------------------------------------


@asynccontextmanager
async def server(answer: bytes | None) -> AsyncIterator[int]:
    """Says `answer` to whoever comes and hangs up; None: says nothing and holds the line."""

    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            if answer is None:
                await trio.sleep_forever()
            if not answer.startswith(b"SSH"):
                await stream.receive_some()
            await stream.send_all(answer or b"")

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        yield listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()


async def connect(endpoint: str, seconds: float, headers: dict[str, str] | None) -> None:
    url = await resolve_endpoint(endpoint, headers, soon(seconds))
    async with open_websocket(url, headers, soon(seconds)):
        pass


async def failure(endpoint: str, seconds: float = 10.0, headers: dict[str, str] | None = None) -> str:
    """The one line that an endpoint fails with."""
    with pytest.raises(EndpointError) as caught, trio.fail_after(seconds + 1):
        await connect(endpoint, seconds, headers)
    assert caught.value.endpoint in {endpoint, endpoint.strip()}
    line = str(caught.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        ("localhost:9222", "has no scheme"),
        ("pipe 8f65294c", 'launched over a pipe, and listens nowhere; launch it with transport="websocket"'),
        ("127.0.0.1:9222", "has no scheme"),
        ("", "has no scheme"),
        ("ftp://127.0.0.1:9222", "the scheme 'ftp'"),
        ("http://", "names no host"),
        ("ws:///devtools/browser/x", "names no host"),
        ("http://127.0.0.1:nine", "is not an address"),
        ("http://127.0.0.1:99999", "is not an address"),
        ("http://[::1", "is not an address"),
        ("http://127.0.0.1:0", "has port 0"),
        ("ws://127.0.0.1:9222/a b", "characters that no URL has"),
        ("http://nobody.invalid:9222", "cannot be found"),
        ("ws://nobody.invalid:9222/x", "cannot be found"),
        ("http://127.0.0.1:1", "refused the connection"),
        ("ws://127.0.0.1:1/devtools/browser/x", "refused the connection"),
        ("https://127.0.0.1:1", "refused the connection"),
    ],
)
async def test_wrong_addresses(endpoint: str, words: str) -> None:
    assert words in await failure(endpoint)


def answered(body: bytes, status: bytes = b"200 OK", kind: bytes = b"text/html") -> bytes:
    length = str(len(body)).encode()
    return b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %s\r\n\r\n%s" % (status, kind, length, body)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (answered(b"<!DOCTYPE html><title>Welcome</title>"), "answered with an HTML page"),
        (answered(b'{"Browser": "node.js/v20"}'), "JSON without webSocketDebuggerUrl"),
        (answered(b'{"webSocketDebuggerUrl": 5}'), "JSON without webSocketDebuggerUrl"),
        (answered(b'{"webSocketDebuggerUrl": "http://x"}'), "named a websocket that is not an address"),
        (answered(b"hello"), "answered with no JSON"),
        (answered(b"[" * 200_000), "answered with no JSON"),
        (answered(b"x" * 300_000), "answered more than 256 KB"),
        (answered(b"nothing here", b"404 Not Found"), "answered HTTP 404 (nothing here)"),
        (answered(b"", b"401 Unauthorized"), "wants credentials"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{", "half an answer came"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP: 'SSH-2.0-OpenSSH_9.2'"),
        (b"", "does not speak HTTP: a closed connection"),
    ],
)
async def test_http_servers_that_are_no_browser(answer: bytes, words: str) -> None:
    async with server(answer) as port:
        assert words in await failure(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (answered(b"<html>"), "answered HTTP 200 (<html>)"),
        (answered(b"", b"404 Not Found"), "no such page or browser"),
        (answered(b"no", b"403 Forbidden"), "other credentials"),
        (answered(b"", b"302 Found"), "redirects"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "answered 'SSH-2.0-OpenSSH_9.2' and no websocket handshake"),
        (b"", "accepted and closed the connection"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "and no websocket handshake"),
    ],
)
async def test_servers_that_are_no_websocket(answer: bytes, words: str) -> None:
    async with server(answer) as port:
        assert words in await failure(f"ws://127.0.0.1:{port}/devtools/browser/x")


async def shake_hands(stream: trio.SocketStream) -> None:
    request = bytes(await stream.receive_some())
    key = request.lower().partition(b"sec-websocket-key: ")[0]
    key = request[len(key) + 19 :].partition(b"\r\n")[0]
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    await stream.send_all(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )


async def test_a_browser_that_turns_into_something_else_is_lost() -> None:
    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            await shake_hands(stream)
            await stream.send_all(b"\x81\x02{}" + b"\xff" * 100)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        port = listeners[0].socket.getsockname()[1]
        async with open_websocket(f"ws://127.0.0.1:{port}/", None, soon()) as transport:
            assert await transport.receive() == b"{}"
            with pytest.raises(ConnectionLost), trio.fail_after(5):
                await transport.receive()
        nursery.cancel_scope.cancel()


async def test_cancelled_while_it_says_farewell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its reader is cancelled too, and hears no answer: none is waited for."""
    monkeypatch.setattr(websocket, "_CLOSE_SECONDS", 60)  # far longer than any machine takes

    async def serve(stream: trio.SocketStream) -> None:
        await shake_hands(stream)
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        port = listeners[0].socket.getsockname()[1]
        with trio.CancelScope() as scope:
            async with open_websocket(f"ws://127.0.0.1:{port}/", None, soon()):
                scope.deadline = trio.current_time() + 0.05
        assert scope.cancelled_caught
        assert trio.current_time() - scope.deadline < 20
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("scheme", ["http", "ws", "https", "wss"])
async def test_a_server_that_hangs(scheme: str) -> None:
    async with server(None) as port:
        assert "did not answer within 0." in await failure(f"{scheme}://127.0.0.1:{port}", seconds=0.3)


@pytest.mark.parametrize("scheme", ["https", "wss"])
async def test_tls_where_none_is_spoken(browser_endpoint: str, scheme: str) -> None:
    line = await failure(f"{scheme}://127.0.0.1:{port_of(browser_endpoint)}")
    assert "failed the TLS handshake" in line
    assert {"https": "use http://", "wss": "use ws://"}[scheme] in line


async def test_secrets_stay_out_of_messages() -> None:
    line = await failure("ws://me:hidden@127.0.0.1:1/x?token=hidden")
    assert "hidden" not in line


async def test_credentials_and_headers_are_sent() -> None:
    seen: list[bytes] = []

    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            seen.append(bytes(await stream.receive_some()))
            await stream.send_all(answered(b"no", b"403 Forbidden"))

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        port = listeners[0].socket.getsockname()[1]
        for scheme in ("http", "ws"):
            await failure(f"{scheme}://me:pass@127.0.0.1:{port}", headers={"X-Mine": "yes"})
        nursery.cancel_scope.cancel()
    assert len(seen) == 2
    assert all(b"Basic bWU6cGFzcw==" in words and b"yes" in words for words in seen)
    with pytest.raises(ValueError, match="cannot be sent"):
        await resolve_endpoint("http://127.0.0.1:1", {"X": "a\r\nb"}, soon())
    with pytest.raises(TypeError, match="endpoint is a str"):
        await resolve_endpoint(9222, None, soon())  # type: ignore[arg-type]
