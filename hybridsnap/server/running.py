"""A server from start to stop.

Starlette on Hypercorn's trio worker; everything in one trio loop. When it is told to stop, it takes nothing
new; what runs may go on for the grace time, and is cancelled then. Sessions end, their tabs are closed, and
the browsers that it launched are ended.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import signal
import socket
from typing import TYPE_CHECKING, Any, cast

import trio
from hypercorn.config import Config, Sockets
from hypercorn.trio import serve as serve_hypercorn

from hybridsnap.client.transport import background_nursery
from hybridsnap.errors import HybridsnapError
from hybridsnap.server.addresses import AddressRules
from hybridsnap.server.app import Api, build_app
from hybridsnap.server.browsers import BrowserKeeper, Browsers
from hybridsnap.server.control import Control
from hybridsnap.server.egress import Egress
from hybridsnap.server.folders import Folders
from hybridsnap.server.gate import Gate
from hybridsnap.server.measures import Measures
from hybridsnap.server.sessions import Sessions
from hybridsnap.server.turns import PageTurns, Places
from hybridsnap.server.vetting import Vetter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from hybridsnap.server.addresses import Resolve
    from hybridsnap.server.settings import Settings

_log = logging.getLogger("hybridsnap")

_BACKLOG = 100
#: A client that takes nothing of its answer for so long is dropped, ms.
_TAKING_MS = 15_000
#: An idle connection is kept for so long, and a request's head may take so long, seconds.
_IDLE_SECONDS = 30
_HEAD_BYTES = 32 * 1024
#: What is cancelled closes the tab that it opened, which a page that hangs draws out to 5 s.
_CLEARING_SECONDS = 6.0


@dataclasses.dataclass(frozen=True, slots=True)
class Server:
    """A server that runs.

    Attributes:
        url: where.
        port: likewise.
        control: what it does; for those in the same process.
        stop: set, it stops.
    """

    url: str
    port: int
    control: Control
    stop: trio.Event


class _Bound(Config):
    """Hypercorn's configuration, with a socket that listens already."""

    def __init__(self, listener: socket.socket, settings: Settings) -> None:
        super().__init__()
        self._listener = listener
        self.accesslog = None
        self.errorlog = _log
        self.include_server_header = False
        self.keep_alive_timeout = _IDLE_SECONDS
        self.h11_max_incomplete_size = _HEAD_BYTES
        # The grace time is kept before; then only answers are still to be sent.
        self.graceful_timeout = min(settings.grace_seconds, 1.0)
        self.shutdown_timeout = settings.grace_seconds

    def create_sockets(self) -> Sockets:
        """The one that was given."""
        return Sockets([], [self._listener], [])


async def serve(
    settings: Settings,
    *,
    resolve: Resolve | None = None,
    task_status: trio.TaskStatus[Server] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve until `Server.stop` is set, or the task is cancelled.

    Args:
        settings: what is allowed.
        resolve: how hosts are looked up; as the system does by default.
        task_status: is told the `Server` once it listens and its browsers are up.

    Raises:
        HybridsnapError: it cannot listen there, or a browser cannot be had.
    """
    rules = AddressRules(settings, resolve)
    folders = Folders(settings.upload_folders, settings.download_folders)
    stop, stopped = trio.Event(), trio.Event()
    with _listening(settings) as listener:
        port: int = listener.getsockname()[1]
        async with contextlib.AsyncExitStack() as stack:
            launches = any(plan.endpoint is None for plan in settings.browsers)
            egress = None
            if settings.filters and launches:
                egress = await stack.enter_async_context(Egress.open(rules))
            browsers = await stack.enter_async_context(_browsers(settings, folders, egress))
            background = await stack.enter_async_context(background_nursery())
            control = Control(
                settings=settings,
                browsers=browsers,
                sessions=Sessions(settings, browsers, rules, background),
                turns=PageTurns(settings.queue),
                places=Places(settings.captures, settings.queue),
                rules=rules,
                folders=folders,
                vetter=Vetter(rules=rules, filters=settings.filters, egress=egress),
            )
            measures = Measures()
            measures.watch(control)
            api = Api(control, measures)
            gate = Gate(build_app(api), settings)
            gate.port, gate.refused = port, measures.refused
            server = Server(f"http://{_in_url(settings.host)}:{port}", port, control, stop)
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_stop, server, api, settings.grace_seconds, stopped)
                    serving = functools.partial(
                        serve_hypercorn,
                        cast("Any", gate),  # Starlette's types of ASGI are looser than Hypercorn's
                        _Bound(listener, settings),
                        shutdown_trigger=stopped.wait,
                        mode="asgi",
                    )
                    await nursery.start(serving)
                    task_status.started(server)
            finally:
                with trio.CancelScope(shield=True):
                    await control.sessions.end_all()


async def serve_until_signal(settings: Settings, started: Callable[[Server], None]) -> None:
    """Serve until SIGTERM or SIGINT; after a second one nothing is waited for.

    Args:
        settings: what is allowed.
        started: called with the `Server` once it is there.
    """
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async with trio.open_nursery() as nursery:
            server: Server | None = None

            async def run() -> None:
                nonlocal server
                async with trio.open_nursery() as inner:
                    server = await inner.start(functools.partial(serve, settings))
                    started(server)
                nursery.cancel_scope.cancel()

            nursery.start_soon(run)
            async for _ in signals:
                if server is None or server.stop.is_set():
                    nursery.cancel_scope.cancel()
                else:
                    server.stop.set()


async def _stop(server: Server, api: Api, grace_seconds: float, stopped: trio.Event) -> None:
    """Once it is told to stop: let what runs come to its end, or cancel it."""
    await server.stop.wait()
    api.stop()
    for session in server.control.sessions:
        session.log.close()
    with trio.move_on_after(grace_seconds):
        await api.idle()
    api.cancel()
    with trio.move_on_after(_CLEARING_SECONDS):
        await api.idle()
    stopped.set()


@contextlib.contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    """A socket that listens."""
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    try:
        family = socket.getaddrinfo(host, settings.port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, settings.port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise HybridsnapError(
            f"cannot listen on {settings.host}:{settings.port}: {reason}; choose another --host or --port"
        ) from error
    with listener:
        # Those that are accepted have it from the one that listens. Hypercorn never gives up sending.
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _TAKING_MS)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.setblocking(False)
        yield listener


@contextlib.asynccontextmanager
async def _browsers(settings: Settings, folders: Folders, egress: Egress | None) -> AsyncIterator[Browsers]:
    """The browsers, all up."""
    flags = () if egress is None else egress.flags
    keepers = [
        BrowserKeeper(plan, flags, folders.permit_upload, settings.start_seconds)
        for plan in settings.browsers
    ]
    async with background_nursery() as nursery:
        for keeper in keepers:
            await nursery.start(keeper.run)
        yield Browsers(keepers)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
