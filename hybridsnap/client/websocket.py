"""The websocket transport: a running browser's DevTools endpoint, or one page's own.

What Chromium does with a reply above its own limit (measured, 156): it does NOT close the socket. Its server
holds at most 256 MiB of unsent data per connection; a reply that would exceed that is dropped whole, without
a word on the socket, and the connection goes on (268,435,104 bytes came, 268,435,514 did not). The only trace
is one line on the browser's stderr: ``Too large write data is pending: size=N``. So a client that did not
start the browser sees a call that is never answered, on a connection that still answers others; one that did
can tell the transport (`WebSocketTransport.report_dropped`), and `receive` raises `MessageTooLarge` at once.
A socket that closes (`ConnectionLost`) is always a browser, page or network that ended.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, ClassVar

import trio
import trio_websocket
import wsproto

from hybridsnap.client.endpoint import (
    Address,
    connect_stream,
    http_headers,
    parse_address,
    refused_host,
    resolve_endpoint,
)
from hybridsnap.client.transport import HEAD_BYTES, MessageTooLarge, background_nursery
from hybridsnap.errors import ConnectionLost, EndpointError
from hybridsnap.protocol import codec

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.codec import Codec

_log = logging.getLogger("hybridsnap")

#: Chromium itself never sends more over a websocket.
CAP_BYTES = 256 * 1024**2

#: Measured, client CPU for a 30 MB reply: 4 KiB 95 ms, 64 KiB 12.6, 256 KiB 9.3, 1 MiB 8.9.
READ_BYTES = 1024 * 1024

#: Messages that may wait for `receive`; then the socket is not read on, and the browser holds the rest.
_QUEUED_MESSAGES = 16

#: Seconds that the farewell may take.
_CLOSE_SECONDS = 0.5

_TEXT, _BINARY, _OPCODE, _FINAL = 0x1, 0x2, 0x0F, 0x80
_MASKED, _LENGTH_16, _LENGTH_64 = 0x80, 126, 127
_TOO_BIG = 1009


class FrameGuard:
    """Watches the bytes of one websocket: makes text messages binary, and takes oversize ones out.

    Text is decoded by the websocket only for us to encode it again, three copies of a 39 MB reply: so its
    frames are relabelled as binary on their way, and the JSON decoder is the one that checks the encoding
    (measured, 30 MB: 9 ms of client CPU instead of 45).

    trio-websocket ends the connection over a message above its cap. With this between it and the socket only
    that message is lost: a small text frame stands in its place and holds its first bytes. A message in
    several frames is left to trio-websocket's own cap; Chromium sends one each.

    Args:
        cap_bytes: the largest message let through.
    """

    def __init__(self, cap_bytes: int) -> None:
        self._cap = cap_bytes
        #: The answer to the handshake; kept for the message when it is not a websocket's.
        self.answer: bytes = b""
        #: Sizes of the messages taken out, in order.
        self.skipped: deque[int] = deque()
        self._open = False
        self._off = False
        self._header = b""
        self._left = 0
        self._oversize = 0
        self._head = b""

    def feed(self, data: bytes) -> bytes:
        """Take received bytes; return those that the websocket may see."""
        if self._off:
            return data
        if not self._open:
            return self._handshake(data)
        if len(data) <= self._left and not self._oversize:
            self._left -= len(data)
            return data
        return self._frames(data)

    def _handshake(self, data: bytes) -> bytes:
        before = len(self.answer)
        self.answer += data
        end = self.answer.find(b"\r\n\r\n") + 4
        if end < 4:  # noqa: PLR2004 - not found: the headers go on
            self._off = len(self.answer) > 64 * 1024
            return data
        if b" 101 " not in self.answer[:16]:
            self._off = True
            return data
        self._open = True
        self.answer, rest = self.answer[:end], self.answer[end:]
        return data[: end - before] + self.feed(rest)

    def _frames(self, data: bytes) -> bytes:
        passed = []
        position = 0
        while position < len(data):
            if not self._left:
                self._header += data[position : position + 1]
                position += 1
                length = _payload_length(self._header)
                if length is None:
                    continue
                self._begin(length)
                if not self._oversize:
                    passed.append(self._header)
                self._header = b""
                continue
            part = data[position : position + self._left]
            position += len(part)
            self._left -= len(part)
            if not self._oversize:
                passed.append(part)
                continue
            if len(self._head) < HEAD_BYTES:
                self._head = (self._head + part)[:HEAD_BYTES]
            if not self._left:
                passed.append(self._stand_in())
        return b"".join(passed)

    def _begin(self, length: int) -> None:
        self._left = length
        if self._header[0] & _OPCODE == _TEXT:
            self._header = bytes([self._header[0] ^ _TEXT ^ _BINARY]) + self._header[1:]
        if self._header[0] == _FINAL | _BINARY and length > self._cap:
            self._oversize = length

    def _stand_in(self) -> bytes:
        # Text must be UTF-8, and the cut may go through a character.
        head = self._head.decode("ascii", errors="replace").replace("\ufffd", "?").encode()
        frame = bytes([_FINAL | _TEXT, len(head)]) + head
        self.skipped.append(self._oversize)
        self._oversize, self._head = 0, b""
        return frame


def _payload_length(header: bytes) -> int | None:
    """The length that a frame's header announces; None while bytes of it are missing."""
    if len(header) < 2:  # noqa: PLR2004 - RFC 6455, 5.2: the first two bytes are always there
        return None
    # A server never masks; where one does, trio-websocket ends the connection over this very header.
    short = header[1] & ~_MASKED
    extended = {_LENGTH_16: 2, _LENGTH_64: 8}.get(short, 0)
    if len(header) < 2 + extended:
        return None
    return int.from_bytes(header[2:]) if extended else short


class _GuardedStream(trio.abc.Stream):
    """The socket as trio-websocket sees it: without oversize messages, never with half a frame written."""

    def __init__(
        self, stream: trio.SocketStream | trio.SSLStream[trio.SocketStream], guard: FrameGuard
    ) -> None:
        self._stream = stream
        self._guard = guard
        #: Of a frame whose sending was cancelled; it goes out before the next.
        self._unsent = bytearray()
        #: No more bytes will come. trio-websocket keeps waiting when this happens in the handshake.
        self.ended = trio.Event()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        if isinstance(self._stream, trio.SSLStream):
            # A cancelled TLS record cannot be taken up again: trio marks the stream as broken.
            await self._stream.send_all(data)
            return
        self._unsent += data
        try:
            while self._unsent:
                sent = await self._stream.socket.send(self._unsent)
                del self._unsent[:sent]
        except OSError as error:
            raise trio.BrokenResourceError from error

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        while True:
            try:
                data = await self._stream.receive_some(max_bytes)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                self.ended.set()
                raise
            if not data:
                self.ended.set()
                return b""
            if passed := self._guard.feed(bytes(data)):
                return passed

    async def aclose(self) -> None:
        self.ended.set()
        await self._stream.aclose()


class WebSocketTransport:
    """Messages over one websocket. `open_websocket` makes it."""

    name: ClassVar[str] = "websocket"

    def __init__(
        self, connection: trio_websocket.WebSocketConnection, guard: FrameGuard, *, cap_bytes: int, url: str
    ) -> None:
        self.cap_bytes = cap_bytes
        self.codec: Codec = codec.JSON
        #: Where it leads.
        self.url = url
        self._connection = connection
        self._guard = guard
        self._dropped: deque[int] = deque()
        self._waiting: trio.CancelScope | None = None
        self._ended_over_size = False
        self._farewell = trio.CancelScope(shield=True)

    async def send(self, message: bytes) -> None:
        """As `Transport.send`."""
        try:
            await self._connection.send_message(message.decode())
        except (trio_websocket.ConnectionClosed, wsproto.utilities.LocalProtocolError):
            raise self._lost() from None

    async def receive(self) -> bytes:
        """As `Transport.receive`."""
        if self._dropped:
            raise MessageTooLarge(CAP_BYTES, size_bytes=self._dropped.popleft())
        try:
            with trio.CancelScope() as self._waiting:
                message = await self._connection.get_message()
                if isinstance(message, bytes):
                    return message
                # The guard's stand-in.
                size = self._guard.skipped.popleft()
                raise MessageTooLarge(self.cap_bytes, size_bytes=size, head=message.encode())
        except trio_websocket.ConnectionClosed as closed:
            reason = closed.reason
            if (
                reason is not None
                and reason.code == _TOO_BIG
                and not self._ended_over_size
                and (reason.reason or "").startswith("Exceeded maximum message size")
            ):
                # trio-websocket's own words: a message in several frames, and the connection went with it.
                self._ended_over_size = True
                raise MessageTooLarge(self.cap_bytes) from None
            raise self._lost() from None
        finally:
            self._waiting = None
        # The scope was cancelled by report_dropped, which said what follows.
        raise MessageTooLarge(CAP_BYTES, size_bytes=self._dropped.popleft())

    def report_dropped(self, size_bytes: int) -> None:
        """Say that the browser dropped a reply of this size; `receive` raises `MessageTooLarge` for it.

        For whoever reads the browser's stderr: nothing on the socket tells.
        """
        self._dropped.append(size_bytes)
        if self._waiting is not None:
            self._waiting.cancel()

    def _lost(self) -> ConnectionLost:
        reason = self._connection.closed
        if reason is None or reason.code == wsproto.frame_protocol.CloseReason.ABNORMAL_CLOSURE:
            how = "without a farewell: the browser, or the network between, is gone"
        else:
            how = f"with code {reason.code} {reason.name}" + (f" ({reason.reason})" if reason.reason else "")
        return ConnectionLost(f"the websocket {self.url} was closed {how}")

    async def aclose(self) -> None:
        """As `Transport.aclose`."""
        self._farewell.deadline = trio.current_time() + _CLOSE_SECONDS
        with self._farewell:
            await self._connection.aclose()

    def stop_listening(self) -> None:
        """Nothing is read any more after a cancellation, so a closing handshake would get no reply."""
        self._farewell.cancel()


class _HostRefused(Exception):
    """Chromium answers to IP addresses and localhost only; carries the address that it would answer to."""

    def __init__(self, host: str) -> None:
        super().__init__(host)
        self.host = host


@asynccontextmanager
async def open_websocket(
    url: str,
    headers: Mapping[str, str] | None,
    deadline: Deadline,
    *,
    cap_bytes: int = CAP_BYTES,
) -> AsyncIterator[WebSocketTransport]:
    """Connect to a DevTools websocket, of a browser or of one page; closed when the block ends.

    Args:
        url: ``ws://…`` or ``wss://…``; `resolve_endpoint` makes one of an ``http://`` address.
        headers: sent with the handshake, such as ``Authorization``.
        deadline: until when the handshake must be over.
        cap_bytes: the largest message taken.

    Raises:
        EndpointError: the address is wrong, refuses, is not a DevTools websocket, or does not answer.
    """
    address = parse_address(url, ("ws", "wss"))
    extra = http_headers(address, headers)
    async with background_nursery() as nursery:
        transport: WebSocketTransport
        host = address.host_header
        with address.patience(deadline):
            try:
                transport = await nursery.start(_serve, address, host, extra, cap_bytes)
            except _HostRefused as refused:
                transport = await nursery.start(_serve, address, refused.host, extra, cap_bytes)
        try:
            yield transport
        finally:
            await transport.aclose()


async def _serve(
    address: Address,
    host: str,
    headers: list[tuple[bytes, bytes]],
    cap_bytes: int,
    task_status: trio.TaskStatus[WebSocketTransport],
) -> None:
    """Make the connection, hand it out, and run its reader until it ends."""
    stream = await connect_stream(address)
    guard = FrameGuard(cap_bytes)
    guarded = _GuardedStream(stream, guard)
    transport: WebSocketTransport | None = None
    try:
        async with trio.open_nursery() as nursery:

            async def give_up_at_end() -> None:
                await guarded.ended.wait()
                if transport is None:
                    nursery.cancel_scope.cancel()

            nursery.start_soon(give_up_at_end)
            connection = await trio_websocket.wrap_client_stream(
                nursery,
                guarded,  # type: ignore[arg-type] # any Stream serves, its own server half says so
                host,
                address.target,
                extra_headers=headers,
                message_queue_size=_QUEUED_MESSAGES,
                max_message_size=cap_bytes,
                receive_buffer_size=READ_BYTES,
            )
            transport = WebSocketTransport(connection, guard, cap_bytes=cap_bytes, url=address.shown)
            task_status.started(transport)
    except BaseExceptionGroup as group:
        errors, cancelled = group.split(Exception)
        if cancelled is not None:
            raise cancelled from None
        rejected = group.subgroup(trio_websocket.ConnectionRejected)
        if transport is None and rejected is not None:
            rejection = rejected.exceptions[0]
            assert isinstance(rejection, trio_websocket.ConnectionRejected)
            raise _rejected(address, host, rejection, stream) from None
        # What else its reader raises is that wsproto cannot say in this state what it wants to say about
        # bytes that are not a websocket's. The connection is over: `receive` says so, or we do below.
        _log.debug("the websocket %s broke", address.shown, exc_info=errors)
    finally:
        if transport is not None:
            transport.stop_listening()
        with suppress(trio.BrokenResourceError):
            await trio.aclose_forcefully(stream)
    if transport is None:
        raise _no_handshake(address, guard)


def _rejected(
    address: Address,
    host: str,
    rejection: trio_websocket.ConnectionRejected,
    stream: trio.SocketStream | trio.SSLStream[trio.SocketStream],
) -> Exception:
    """What an HTTP answer instead of a websocket means."""
    status = rejection.status_code
    words = " ".join((rejection.body or b"").decode(errors="replace").split())[:200]
    if refused_host(words) and host == address.host_header and isinstance(stream, trio.SocketStream):
        return _HostRefused(address.peer_header(stream))
    said = f"HTTP {status}" + (f" ({words})" if words else "")
    if status == 404 or "No such target id" in words:  # noqa: PLR2004 - HTTP's own number
        remedy = "there is no such page or browser; list what is there with /json/list and /json/version"
    elif status in {401, 403}:
        remedy = "it wants other credentials (headers=…) or, of a browser, --remote-allow-origins"
    elif 300 <= status < 400:  # noqa: PLR2004 - HTTP's own numbers
        remedy = "give the address that it redirects to"
    else:
        remedy = "give a DevTools websocket (ws://…/devtools/…) or http://host:port of the browser"
    return EndpointError(
        f"{address.shown} answered {said} to the websocket handshake; {remedy}", endpoint=address.given
    )


def _no_handshake(address: Address, guard: FrameGuard) -> EndpointError:
    """What it means that the other side ended the handshake."""
    words = " ".join(guard.answer[:80].decode("latin-1").split())
    came = f"answered {words!r} and no websocket handshake" if words else "accepted and closed the connection"
    return EndpointError(
        f"{address.shown} {came}; is that the browser's remote debugging port?", endpoint=address.given
    )


__all__ = ["CAP_BYTES", "FrameGuard", "WebSocketTransport", "open_websocket", "resolve_endpoint"]
