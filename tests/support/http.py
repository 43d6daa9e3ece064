"""A small HTTP/1.1 server for tests, on trio and h11: answers may hang, trickle, or be dropped.

- It listens on 127.0.0.1 and, where IPv6 is there, on ::1 at the same port: `localhost` may mean either.
- A route is a fixed `Response` (GET and HEAD) or an async function from `Request` to `Response` (any method),
  which may take as long as it likes, or never answer; a body may come in pieces. Only the exact path counts.
- A handler that raises is logged and answered with 500.
- When the context ends, or is cancelled, listeners, connections and handlers are gone.
"""

import errno
import logging
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import quote, unquote

import h11
import trio

__all__ = [
    "ConnectionDropped",
    "Handler",
    "Request",
    "Response",
    "Route",
    "Server",
    "attachment",
    "redirect",
    "serve",
]

logger: logging.Logger = logging.getLogger(__name__)

_RECEIVE_BYTES = 64 * 1024
_WRITE_SECONDS = 30.0
# A client that was refused may still be sending. Closing at once would reset the connection and lose the
# answer, so its bytes are read away for this long (RFC 9112, section 9.6).
_LINGER_SECONDS = 1.0
# The kernel picks a port free on 127.0.0.1; that it is taken on ::1 is rare, and never so often in a row.
_PORT_ATTEMPTS = 20
_NO_IPV6 = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT})
_BODILESS = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})


class ConnectionDropped(Exception):
    """Raised by a handler to close the connection without an answer, as a server that dies would."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, read whole.

    Args:
        method: As sent: GET, HEAD, POST, …
        path: Percent-decoded, without the query.
        query: As sent, without the question mark.
        headers: By lower-case name; of a repeated one, the last.
        port: The port it came in on.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    port: int


@dataclass(frozen=True, slots=True)
class Response:
    """One answer. `headers` replace the default ones of the same name.

    Args:
        body: Bytes, or pieces that are sent as they come (then the response is good for one request).
        content_type: With its charset, where it has one.
        status: 200–599.
        headers: More headers, by name.
    """

    body: bytes | AsyncIterable[bytes] = b""
    content_type: str = "text/html; charset=utf-8"
    status: int = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)


Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
Route: TypeAlias = Response | Handler


@dataclass(frozen=True, slots=True)
class Server:
    """A server that listens."""

    port: int

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """The address of a path here; `host` may also be localhost, which is another site to a browser."""
        return f"http://{host}:{self.port}{path}"


def redirect(location: str, status: int = HTTPStatus.SEE_OTHER) -> Response:
    """Sends the browser elsewhere."""
    return Response(status=status, headers={"Location": location})


def attachment(body: bytes, filename: str, content_type: str = "application/octet-stream") -> Response:
    """A download under that name (RFC 6266, section 4.3: any characters)."""
    disposition = f"attachment; filename*=UTF-8''{quote(filename, safe='')}"
    return Response(body, content_type, headers={"Content-Disposition": disposition})


@asynccontextmanager
async def serve(routes: Mapping[str, Route] | Handler, *, port: int = 0) -> AsyncIterator[Server]:
    """Serves while the context is open.

    Args:
        routes: Routes by exact path, looked up at each request, so the mapping may change; or one function
            for every request.
        port: 0 lets the system choose one.

    Raises:
        OSError: The port is taken.
    """
    handler = _handler_of(routes)
    listeners = await _open_listeners(port)
    bound_port: int = listeners[0].socket.getsockname()[1]

    async def converse(stream: trio.SocketStream) -> None:
        await _Connection(stream, handler, bound_port).run()

    failure: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(trio.serve_listeners, converse, listeners)
            # What the caller raises goes out as it is; the nursery would wrap it in a group.
            try:
                yield Server(bound_port)
            except (Exception, KeyboardInterrupt, SystemExit) as raised:  # noqa: BLE001 - raised again below
                failure = raised
            nursery.cancel_scope.cancel()
    finally:
        if failure is not None:
            raise failure


def _handler_of(routes: Mapping[str, Route] | Handler) -> Handler:
    if not isinstance(routes, Mapping):
        return routes

    async def look_up(request: Request) -> Response:
        route = routes.get(request.path)
        if route is None:
            return _plain(HTTPStatus.NOT_FOUND)
        if not isinstance(route, Response):
            return await route(request)
        if request.method not in {"GET", "HEAD"}:
            return _plain(HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, HEAD"})
        return route

    return look_up


def _plain(status: HTTPStatus, headers: Mapping[str, str] | None = None) -> Response:
    body = f"{status.value} {status.phrase}\n".encode()
    return Response(body, "text/plain; charset=utf-8", status, headers if headers is not None else {})


async def _open_listeners(port: int) -> list[trio.SocketListener]:
    for attempt in range(_PORT_ATTEMPTS):
        (first,) = await trio.open_tcp_listeners(port, host="127.0.0.1")
        try:
            second = await trio.open_tcp_listeners(first.socket.getsockname()[1], host="::1")
        except OSError as error:
            if error.errno in _NO_IPV6:
                return [first]
            await first.aclose()
            if port != 0 or error.errno != errno.EADDRINUSE or attempt == _PORT_ATTEMPTS - 1:
                raise
        except BaseException:
            await trio.aclose_forcefully(first)
            raise
        else:
            return [first, *second]
    raise AssertionError("the last attempt returns or raises")


@asynccontextmanager
async def _closing(pieces: AsyncIterable[bytes]) -> AsyncIterator[AsyncIterable[bytes]]:
    # A generator that is left halfway has its clean-up run now, not when it is collected.
    try:
        yield pieces
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()


class _Connection:
    """One client: requests read one after the other, each answered before the next is read."""

    def __init__(self, stream: trio.SocketStream, handler: Handler, port: int) -> None:
        self._stream = stream
        self._handler = handler
        self._port = port
        self._wire = h11.Connection(h11.SERVER)

    async def run(self) -> None:
        try:
            try:
                await self._exchange_all()
            except h11.RemoteProtocolError as error:
                await self._refuse(HTTPStatus(error.error_status_hint))
            await self._hang_up()
        except (trio.BrokenResourceError, trio.TooSlowError, ConnectionDropped):
            # The client went, or takes nothing any more, or the handler wants no answer: closing is all.
            return
        except Exception:
            logger.exception("a handler's response cannot be sent, or its body failed on the way")

    async def _exchange_all(self) -> None:
        while True:
            request = await self._read_request()
            if request is None:
                return
            await self._send_response(await self._respond(request), head_only=request.method == "HEAD")
            if self._wire.our_state is not h11.DONE or self._wire.their_state is not h11.DONE:
                return
            self._wire.start_next_cycle()

    async def _read_request(self) -> Request | None:
        head: h11.Request | None = None
        body = bytearray()
        while True:
            event = self._wire.next_event()
            if event is h11.NEED_DATA:
                if self._wire.they_are_waiting_for_100_continue:
                    await self._send(h11.InformationalResponse(status_code=HTTPStatus.CONTINUE, headers=[]))
                self._wire.receive_data(await self._stream.receive_some(_RECEIVE_BYTES))
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                return self._build_request(head, bytes(body))
            else:
                return None

    def _build_request(self, head: h11.Request, body: bytes) -> Request:
        target = head.target.decode("latin-1")
        if not target.startswith("/"):
            # The absolute form, which a server must take too (RFC 9112, section 3.2.2). `*` becomes `/`.
            target = "/" + target.partition("://")[2].partition("/")[2]
        path, _, query = target.partition("?")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
        return Request(head.method.decode("latin-1"), unquote(path), query, headers, body, self._port)

    async def _respond(self, request: Request) -> Response:
        try:
            return await self._handler(request)
        except ConnectionDropped:
            raise
        except Exception:
            logger.exception("the handler of %s %s failed", request.method, request.path)
            return _plain(HTTPStatus.INTERNAL_SERVER_ERROR)

    async def _refuse(self, status: HTTPStatus) -> None:
        # Where an answer has begun already, no other can be given.
        if self._wire.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            await self._send_response(_plain(status, {"Connection": "close"}), head_only=False)

    async def _send_response(self, response: Response, *, head_only: bool) -> None:
        bodiless = response.status in _BODILESS
        fields = {"date": formatdate(usegmt=True), "cache-control": "no-store"}
        if not bodiless:
            fields["content-type"] = response.content_type
            if isinstance(response.body, bytes):
                fields["content-length"] = str(len(response.body))
        fields |= {name.lower(): value for name, value in response.headers.items()}
        head = h11.Response(status_code=response.status, headers=list(fields.items()))
        if head_only or bodiless:
            await self._send(head, h11.EndOfMessage())
        elif isinstance(response.body, bytes):
            await self._send(head, h11.Data(data=response.body), h11.EndOfMessage())
        else:
            await self._send(head)
            async with _closing(response.body) as pieces:
                async for piece in pieces:
                    await self._send(h11.Data(data=piece))
            await self._send(h11.EndOfMessage())

    async def _send(self, *events: h11.Event) -> None:
        data = b"".join([self._wire.send(event) or b"" for event in events])
        if data:
            with trio.fail_after(_WRITE_SECONDS):
                await self._stream.send_all(data)

    async def _hang_up(self) -> None:
        with trio.move_on_after(_LINGER_SECONDS):
            await self._stream.send_eof()
            while await self._stream.receive_some(_RECEIVE_BYTES):
                pass
