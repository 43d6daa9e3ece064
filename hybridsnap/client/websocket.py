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

from hybridsnap.client.endpoint import Address, connect_stream, http_headers, parse_address, refused_host
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

#: Over a larger message, which no Chromium sends, trio-websocket ends the connection. Up to here one above
#: the cap is received and then refused, so that only its own call fails.
_ENDS_CONNECTION_BYTES = 2 * CAP_BYTES

#: Measured, client CPU for a 30 MB reply on a busy machine: 4 KiB 187 ms, 64 KiB 68, 256 KiB 63, 1 MiB 65.
READ_BYTES = 1024 * 1024

#: Messages that may wait for `receive`; then the socket is not read on, and the browser holds the rest.
_QUEUED_MESSAGES = 16

#: Seconds that the farewell may take.
_CLOSE_SECONDS = 0.5

#: Of what an endpoint answers that is no websocket, so much is quoted.
_QUOTED_BYTES = 80


class _Stream(trio.abc.Stream):
    """The socket as trio-websocket sees it, which never has half a frame written."""

    def __init__(self, stream: trio.SocketStream | trio.SSLStream[trio.SocketStream]) -> None:
        self._stream = stream
        #: The first bytes that came.
        self.beginning: bytes = b""
        #: Of a frame whose sending was cancelled, or that waits for the next; it goes out before that.
        self._unsent = bytearray()
        #: More frames are sent right away: one call of the system takes them all.
        self.more: bool = False
        #: No more bytes will come. trio-websocket keeps waiting when this happens in the handshake.
        self.ended: trio.Event = trio.Event()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        if isinstance(self._stream, trio.SSLStream):
            # A cancelled TLS record cannot be taken up again: trio marks the stream as broken.
            await self._stream.send_all(data)
            return
        self._unsent += data
        try:
            while self._unsent and not self.more:
                sent = await self._stream.socket.send(self._unsent)
                del self._unsent[:sent]
        except OSError as error:
            raise trio.BrokenResourceError from error

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        try:
            data = await self._stream.receive_some(max_bytes)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self.ended.set()
            raise
        if not data:
            self.ended.set()
        if len(self.beginning) < _QUOTED_BYTES:
            self.beginning += data[:_QUOTED_BYTES]
        return bytes(data)

    async def aclose(self) -> None:
        self.ended.set()
        await self._stream.aclose()


class WebSocketTransport:
    """Messages over one websocket. `open_websocket` makes it."""

    name: ClassVar[str] = "websocket"

    def __init__(
        self,
        connection: trio_websocket.WebSocketConnection,
        stream: _Stream,
        *,
        cap_bytes: int,
        url: str,
    ) -> None:
        self.cap_bytes = cap_bytes
        self.codec: Codec = codec.JSON
        #: Where it leads.
        self.url = url
        self._connection = connection
        self._stream = stream
        self._dropped: deque[int] = deque()
        self._waiting: trio.CancelScope | None = None
        self._farewell = trio.CancelScope(shield=True)

    async def send(self, message: bytes, *, more: bool = False) -> None:
        """As `Transport.send`."""
        self._stream.more = more
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
                data = message.encode() if isinstance(message, str) else message
                if len(data) > self.cap_bytes:
                    raise MessageTooLarge(self.cap_bytes, size_bytes=len(data), head=data[:HEAD_BYTES])
                return data
        except trio_websocket.ConnectionClosed:
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
        self._stream.more = False
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
    watched = _Stream(stream)
    transport: WebSocketTransport | None = None
    try:
        async with trio.open_nursery() as nursery:

            async def give_up_at_end() -> None:
                await watched.ended.wait()
                if transport is None:
                    nursery.cancel_scope.cancel()

            nursery.start_soon(give_up_at_end)
            connection = await trio_websocket.wrap_client_stream(
                nursery,
                watched,  # type: ignore[arg-type] # any Stream serves, its own server half says so
                host,
                address.target,
                extra_headers=headers,
                message_queue_size=_QUEUED_MESSAGES,
                max_message_size=_ENDS_CONNECTION_BYTES,
                receive_buffer_size=READ_BYTES,
            )
            transport = WebSocketTransport(connection, watched, cap_bytes=cap_bytes, url=address.shown)
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
        raise _no_handshake(address, watched.beginning)


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
    unknown = status == 404 or "No such target id" in words  # noqa: PLR2004 - HTTP's own number
    if unknown:
        remedy = "there is no such page or browser; list what is there with /json/list and /json/version"
    elif status in {401, 403}:
        remedy = "it wants other credentials (headers=…) or, of a browser, --remote-allow-origins"
    elif 300 <= status < 400:  # noqa: PLR2004 - HTTP's own numbers
        remedy = "give the address that it redirects to"
    else:
        remedy = "give a DevTools websocket (ws://…/devtools/…) or http://host:port of the browser"
    return EndpointError(
        f"{address.shown} answered {said} to the websocket handshake; {remedy}",
        endpoint=address.given,
        status=status,
        unknown=unknown,
    )


def _no_handshake(address: Address, came: bytes) -> EndpointError:
    """What it means that the other side ended the handshake."""
    words = " ".join(came[:_QUOTED_BYTES].decode("latin-1").split())
    said = f"answered {words!r} and no websocket handshake" if words else "accepted and closed the connection"
    return EndpointError(
        f"{address.shown} {said}; is that the browser's remote debugging port?", endpoint=address.given
    )
