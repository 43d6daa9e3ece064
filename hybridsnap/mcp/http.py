"""The server over streamable HTTP, at ``/mcp``, and at ``/mcp/NAME`` for clients that want tabs of their own.

Closed by default: loopback only, a bearer token, Host and Origin checked, bodies of 4 MiB at most.
"""

from __future__ import annotations

import contextlib
import functools
import secrets
import socket
import sys
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import trio
from hypercorn.trio import serve
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_REQUEST, JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from hybridsnap.mcp.rpc import InvalidMessageError, read_message
from hybridsnap.mcp.server import ToolServer, open_tool_server
from hybridsnap.service.errors import ApiError
from hybridsnap.service.http_gate import LOOPBACK_NAMES, Gate, read_body, respond
from hybridsnap.service.listening import HttpConfig, host_in_url, listening
from hybridsnap.service.signals import ended_by_signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from hybridsnap.mcp.options import Options

#: Open streams of clients may take so long when the server ends.
_GRACE_SECONDS = 2.0
#: Calls may take so long then. Those that take longer are answered with an error, as long as an answer can
#: be sent: `HttpConfig` ends connections a second after the signal.
_CALLS_GRACE_SECONDS = 0.5
#: A client that said nothing for so long has to begin anew.
_IDLE_SECONDS = 6 * 3600.0
_BODY_BYTES = 4 * 1024 * 1024
_BODY_SECONDS = 30.0
#: Of more sessions than this, the one that was quiet longest is ended. One takes some 30 KB.
_MOST_SESSIONS = 200
_SESSION = b"mcp-session-id"
_JSON = "application/json"
_NO_SESSION = "no session is named; send initialize, then the Mcp-Session-Id of its answer with each request"
_ANY = {"0.0.0.0", "::", ""}  # noqa: S104 - listened on only when asked for


async def serve_http(
    options: Options,
    *,
    host: str,
    port: int,
    token: str | None,
    server_names: Sequence[str] = (),
    task_status: trio.TaskStatus[str] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve until a signal comes. Where it listens, and the token if it was made here, is said on stderr.

    Started as a task, it reports its address.

    Raises:
        HybridsnapError: it cannot listen there.
    """
    made = token is None
    token = secrets.token_urlsafe(24) if token is None else token
    with listening(host, port) as listener:
        isolated = not options.shared_profile
        async with open_tool_server(options, isolated=isolated) as server, trio.open_nursery() as nursery:
            ended = trio.Event()

            async def end_calls() -> None:
                await ended.wait()
                await trio.sleep(_CALLS_GRACE_SECONDS)
                server.end_calls()

            nursery.start_soon(ended_by_signal, ended.set)
            nursery.start_soon(end_calls)
            app = Gate(
                build_app(server),
                token=token,
                port=listener.getsockname()[1],
                body_bytes=_BODY_BYTES,
                names=_names(host, server_names),
                own_origins=True,
            )
            async with trio.open_nursery() as serving:
                config = HttpConfig(listener, _GRACE_SECONDS)
                http: Any = functools.partial(serve, shutdown_trigger=ended.wait, mode="asgi")
                binds: list[str] = await serving.start(http, app, config)
                print(f"hybridsnap: MCP at {binds[0]}/mcp", file=sys.stderr, flush=True)  # noqa: T201 - for people
                if made:
                    print(f"hybridsnap: token {token}", file=sys.stderr, flush=True)  # noqa: T201 - for people
                task_status.started(f"{binds[0]}/mcp")
            nursery.cancel_scope.cancel()


def _names(host: str, server_names: Sequence[str]) -> tuple[str, ...]:
    """The names under which the server may be called; at any port, for clients behind a tunnel."""
    own = socket.gethostname() if host in _ANY else host_in_url(host)
    return (*LOOPBACK_NAMES, *server_names, own)


def build_app(server: ToolServer) -> ASGIApp:
    """The web application, without its gate."""
    manager = StreamableHTTPSessionManager(
        server.sdk,
        # The gate has checked Host and Origin.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        session_idle_timeout=_IDLE_SECONDS,
        max_request_body_size=_BODY_BYTES,
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> Any:
        async with manager.run():
            yield

    endpoint = _Endpoint(StreamableHTTPASGIApp(manager), server)
    return Starlette(
        routes=[Route("/mcp", endpoint=endpoint), Route("/mcp/{client}", endpoint=endpoint)],
        lifespan=lifespan,
        exception_handlers={HTTPStatus.NOT_FOUND: _no_such_path},
    )


async def _no_such_path(_: Request, __: Exception) -> Response:
    words = "MCP is at /mcp, and at /mcp/NAME for a client that wants tabs of its own"
    return Response(
        _encode(InvalidMessageError(INVALID_REQUEST, words)), HTTPStatus.NOT_FOUND, media_type=_JSON
    )


class _Endpoint:
    """Checks each request before the SDK sees it, and ends the least recently used sessions beyond a limit.

    The SDK creates a session for every request that names none, even one that it refuses. It logs a traceback
    when a body ends early. It does not answer a request to resume a stream (``Last-Event-ID``), which cannot
    be resumed: our events have no ids.

    Args:
        app: the SDK's.
        server: whose tools are called.
    """

    def __init__(self, app: ASGIApp, server: ToolServer) -> None:
        self._app = app
        self._server = server
        #: Session → the path that it began at; the most recently used is the last.
        self._sessions: dict[bytes, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        session = dict(scope["headers"]).get(_SESSION)
        scope["headers"] = [one for one in scope["headers"] if one[0] != b"last-event-id"]
        try:
            body = await _read(scope, receive)
        except ApiError as refused:
            await _refuse(send, refused.status, f"{refused}; {refused.remedy}")
            return
        except InvalidMessageError as error:
            await _refuse(send, HTTPStatus.BAD_REQUEST, error)
            return
        if session is not None and session in self._sessions:
            self._sessions[session] = self._sessions.pop(session)
        left = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return left.pop() if left else await receive()

        async def note_session(message: Message) -> None:
            made = dict(message.get("headers", ())).get(_SESSION)
            if session is None and made is not None:
                self._sessions[made] = scope["path"]
            await send(message)

        await self._app(scope, receive_again, note_session)
        if session is not None and scope["method"] == "DELETE":
            self._sessions.pop(session, None)
            self._server.leave((scope["path"], session.decode("latin-1")))
        while len(self._sessions) > _MOST_SESSIONS:
            await self._end(scope, next(iter(self._sessions)))

    async def _end(self, scope: Scope, session: bytes) -> None:
        """End a session, as its client would."""

        async def receive() -> Message:
            await trio.lowlevel.checkpoint()
            return {"type": "http.request", "body": b"", "more_body": False}

        async def ignore(_: Message) -> None:
            await trio.lowlevel.checkpoint()

        path = self._sessions.pop(session)
        own = {**scope, "path": path, "method": "DELETE", "headers": [(_SESSION, session)]}
        await self._app(own, receive, ignore)
        self._server.leave((path, session.decode("latin-1")))


async def _read(scope: Scope, receive: Receive) -> bytes:
    """Read and check a request; its body."""
    body = await read_body(receive, _BODY_BYTES, _BODY_SECONDS)
    begins = False
    if scope["method"] == "POST":
        message, text = read_message(body, "body")
        begins, body = isinstance(message, JSONRPCRequest) and message.method == "initialize", text.encode()
    headers = dict(scope["headers"])
    version = headers.get(b"mcp-protocol-version", b"").decode("latin-1")
    if not begins and _SESSION not in headers and version in {"", *HANDSHAKE_PROTOCOL_VERSIONS}:
        raise InvalidMessageError(INVALID_REQUEST, _NO_SESSION)
    return body


async def _refuse(send: Send, status: int, why: str | InvalidMessageError) -> None:
    why = InvalidMessageError(INVALID_REQUEST, why) if isinstance(why, str) else why
    await respond(send, status, _encode(why), {"content-type": _JSON, "connection": "close"})


def _encode(why: InvalidMessageError) -> bytes:
    return why.refusal.model_dump_json(by_alias=True, exclude_unset=True).encode()
