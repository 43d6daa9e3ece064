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
from hypercorn.trio import serve
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from hybridsnap.mcp.server import ToolServer, open_tool_server
from hybridsnap.service.listening import HttpConfig, listening
from hybridsnap.service.signals import ended_by_signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypercorn.config import Config
    from starlette.types import ASGIApp, Receive, Scope, Send

    from hybridsnap.mcp.options import Options

#: Open streams of clients may take so long when the server ends.
_GRACE_SECONDS = 2.0
#: A client that said nothing for so long has to begin anew.
_IDLE_SECONDS = 6 * 3600.0
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_ANY = {"0.0.0.0", "::", ""}  # noqa: S104 - listened on only when asked for


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


async def serve_http(
    options: Options, *, host: str, port: int, token: str | None, server_names: Sequence[str] = ()
) -> None:
    """Serve until a signal comes. Where it listens, and the token if it was made here, is said on stderr.

    Raises:
        HybridsnapError: it cannot listen there.
    """
    made = token is None
    token = secrets.token_urlsafe(24) if token is None else token
    with listening(host, port) as listener:
        isolated = not options.shared_profile
        async with open_tool_server(options, isolated=isolated) as server, trio.open_nursery() as nursery:
            ended = trio.Event()
            nursery.start_soon(ended_by_signal, ended.set)
            app = Gate(build_app(server, host, server_names), token, server)
            async with trio.open_nursery() as serving:
                config = HttpConfig(listener, _GRACE_SECONDS)
                binds: list[str] = await serving.start(_serve, app, config, ended)
                print(f"hybridsnap: MCP at {binds[0]}/mcp", file=sys.stderr, flush=True)  # noqa: T201 - for people
                if made:
                    print(f"hybridsnap: token {token}", file=sys.stderr, flush=True)  # noqa: T201 - for people
            nursery.cancel_scope.cancel()


async def _serve(
    app: Any, config: Config, ended: trio.Event, *, task_status: trio.TaskStatus[list[str]]
) -> None:
    await serve(app, config, shutdown_trigger=ended.wait, task_status=task_status, mode="asgi")


def build_app(server: ToolServer, host: str, server_names: Sequence[str]) -> Starlette:
    """The web application, without its gate."""
    names = [*_LOOPBACK, *server_names]
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
        routes=[Route("/mcp", endpoint=endpoint), Route("/mcp/{client}", endpoint=endpoint)],
        lifespan=lifespan,
    )


def _origins(scheme: str, name: str) -> tuple[str, str]:
    return f"{scheme}://{name}", f"{scheme}://{name}:*"
