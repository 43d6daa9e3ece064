"""The server over streamable HTTP, at ``/mcp``, and at ``/mcp/NAME`` for clients that want tabs of their own.

Closed by default: loopback only, a bearer token, Host and Origin checked, bodies of 4 MiB at most.
"""

from __future__ import annotations

import contextlib
import functools
import secrets
import socket
import sys
from typing import TYPE_CHECKING, Any

import trio
from hypercorn.trio import serve
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import Route

from hybridsnap.mcp.server import ToolServer, open_tool_server
from hybridsnap.service.http_gate import LOOPBACK_NAMES, Gate, GateRules
from hybridsnap.service.listening import HttpConfig, host_in_url, listening
from hybridsnap.service.signals import ended_by_signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

    from hybridsnap.mcp.options import Options

#: Open streams of clients may take so long when the server ends.
_GRACE_SECONDS = 2.0
#: A client that said nothing for so long has to begin anew.
_IDLE_SECONDS = 6 * 3600.0
_BODY_BYTES = 4 * 1024 * 1024
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
            nursery.start_soon(ended_by_signal, ended.set)
            rules = GateRules(
                token=token,
                port=listener.getsockname()[1],
                names=_names(host, server_names),
                own_origins=True,
                body_bytes=_BODY_BYTES,
            )
            app = Gate(build_app(server), rules)
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

    endpoint = StreamableHTTPASGIApp(manager)
    app = Starlette(
        routes=[Route("/mcp", endpoint=endpoint), Route("/mcp/{client}", endpoint=endpoint)],
        lifespan=lifespan,
    )

    async def app_that_notes_leaving(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope, receive, send)
        session = dict(scope.get("headers", ())).get(b"mcp-session-id")
        if session is not None and scope["method"] == "DELETE":
            server.leave((scope["path"], session.decode("latin-1")))

    return app_that_notes_leaving
