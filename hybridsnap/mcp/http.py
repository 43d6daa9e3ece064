"""The server over streamable HTTP, at ``/mcp``, and at ``/mcp/NAME`` for clients that want tabs of their own.

Closed by default: loopback only, a bearer token, Host and Origin checked, bodies of 4 MiB at most.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import socket
import sys
from typing import TYPE_CHECKING, Any

import trio
from hypercorn.config import Config, Sockets
from hypercorn.trio import serve
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from hybridsnap.errors import HybridsnapError
from hybridsnap.mcp.server import ToolServer
from hybridsnap.mcp.signals import ended_by_signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

    from hybridsnap.mcp.desk import Options

#: Open streams of clients may take so long when the server ends.
_GRACE_SECONDS = 2.0
#: A client that said nothing for so long has to begin anew.
_IDLE_SECONDS = 6 * 3600.0
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_ANY = {"0.0.0.0", "::", ""}  # noqa: S104 - what is listened on if somebody says so


class Gate:
    """Lets in who has the token; tells the server of clients that leave.

    Args:
        app: what is behind it.
        token: that they have.
        server: that is told.
    """

    def __init__(self, app: ASGIApp, token: str, server: ToolServer) -> None:
        self._app = app
        self._token = token.encode()
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given, self._token):
            refusal = PlainTextResponse(
                "a bearer token is needed (Authorization: Bearer TOKEN), as hybridsnap mcp printed it\n",
                401,
                {"WWW-Authenticate": "Bearer"},
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)
        session = headers.get(b"mcp-session-id")
        if scope["method"] == "DELETE" and session is not None:
            self._server.leave((scope["path"], session.decode("latin-1")))


class _Bound(Config):
    """Hypercorn's configuration, with a socket that listens already."""

    def __init__(self, listener: socket.socket) -> None:
        super().__init__()
        self._listener = listener
        self.graceful_timeout = _GRACE_SECONDS
        self.errorlog = None

    def create_sockets(self) -> Sockets:
        """The one that was given."""
        return Sockets([], [self._listener], [])


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        HybridsnapError: there can be none.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise HybridsnapError(
            f"cannot listen on {host}:{port}: {reason}; choose another --host or --port"
        ) from error
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.setblocking(False)
    return listener


async def serve_http(
    options: Options, *, host: str, port: int, token: str | None, allow_hosts: Sequence[str] = ()
) -> None:
    """Serve until a signal comes. Where it listens, and the token if it was made here, is said on stderr.

    Raises:
        HybridsnapError: it cannot listen there.
    """
    made = token is None
    token = secrets.token_urlsafe(24) if token is None else token
    with _listening(host, port) as listener:
        async with trio.open_nursery() as nursery:
            server = ToolServer(nursery, options)
            ended = trio.Event()
            nursery.start_soon(ended_by_signal, ended.set)
            app = Gate(build_app(server, host, allow_hosts), token, server)
            async with trio.open_nursery() as serving:
                binds: list[str] = await serving.start(_serve, app, _Bound(listener), ended)
                print(f"hybridsnap: MCP at {binds[0]}/mcp", file=sys.stderr, flush=True)  # noqa: T201 - for people
                if made:
                    print(f"hybridsnap: token {token}", file=sys.stderr, flush=True)  # noqa: T201 - for people
            with trio.CancelScope(shield=True):
                await server.close()
            nursery.cancel_scope.cancel()


async def _serve(
    app: Any, config: Config, ended: trio.Event, *, task_status: trio.TaskStatus[list[str]]
) -> None:
    await serve(app, config, shutdown_trigger=ended.wait, task_status=task_status, mode="asgi")


def build_app(server: ToolServer, host: str, allow_hosts: Sequence[str]) -> Starlette:
    """The web application, without its gate."""
    names = [*_LOOPBACK, *allow_hosts]
    if host in _ANY:
        names.append(socket.gethostname())
    else:
        names.append(f"[{host}]" if ":" in host else host)
    manager = StreamableHTTPSessionManager(
        server.sdk,
        security_settings=TransportSecuritySettings(
            allowed_hosts=[*names, *(f"{name}:*" for name in names)],
            allowed_origins=[
                origin for name in names for scheme in ("http", "https") for origin in _origins(scheme, name)
            ],
        ),
        session_idle_timeout=_IDLE_SECONDS,
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> Any:
        async with manager.run():
            yield

    endpoint = StreamableHTTPASGIApp(manager)
    return Starlette(
        routes=[Route("/mcp", endpoint=endpoint), Route("/mcp/{desk}", endpoint=endpoint)], lifespan=lifespan
    )


def _origins(scheme: str, name: str) -> tuple[str, str]:
    return f"{scheme}://{name}", f"{scheme}://{name}:*"
