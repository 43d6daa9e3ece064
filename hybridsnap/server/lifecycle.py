"""A server from start to stop.

Starlette on Hypercorn's trio worker; everything in one trio loop. When it is told to stop, it takes nothing
new; what runs may go on for the grace time, and is cancelled then. Sessions end, their tabs are closed, and
the browsers that it launched are ended.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import TYPE_CHECKING, Any, cast

import trio
from hypercorn.trio import serve as serve_hypercorn

from hybridsnap.client.transport import background_nursery
from hybridsnap.server.app import Api, build_app
from hybridsnap.server.control import Control
from hybridsnap.server.metrics import ServerMetrics
from hybridsnap.server.openclaw.host import Host
from hybridsnap.server.openclaw.media import Media
from hybridsnap.server.sessions import Sessions
from hybridsnap.service.addresses import AddressPolicy
from hybridsnap.service.browser_pool import BrowserPool, PooledBrowser
from hybridsnap.service.content_policy import ContentPolicy
from hybridsnap.service.egress_proxy import EgressProxy
from hybridsnap.service.folders import Folders
from hybridsnap.service.http_gate import Gate
from hybridsnap.service.listening import HttpConfig, host_in_url, listening
from hybridsnap.service.page_lock import CaptureSlots, PageLocks
from hybridsnap.service.signals import ended_by_signal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from hybridsnap.server.settings import Settings
    from hybridsnap.service.addresses import Resolve

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
    addresses = AddressPolicy(settings, resolve)
    folders = Folders(settings.upload_folders, settings.download_folders)
    stop, stopped = trio.Event(), trio.Event()
    with listening(settings.host, settings.port) as listener:
        port: int = listener.getsockname()[1]
        async with contextlib.AsyncExitStack() as stack:
            launches = any(plan.endpoint is None for plan in settings.browsers)
            proxy = None
            if settings.filters and launches:
                proxy = await stack.enter_async_context(EgressProxy.open(addresses))
            browsers = await stack.enter_async_context(_browser_pool(settings, folders, proxy))
            background = await stack.enter_async_context(background_nursery())
            control = Control(
                settings=settings,
                browsers=browsers,
                sessions=Sessions(settings, browsers, addresses, background),
                locks=PageLocks(settings.queue),
                slots=CaptureSlots(settings.captures, settings.queue),
                addresses=addresses,
                folders=folders,
                content=ContentPolicy(addresses=addresses, proxy=proxy),
            )
            metrics = ServerMetrics(control)
            openclaw = None
            if settings.openclaw:
                media = Media()
                stack.callback(media.close)
                openclaw = Host(control, media, background)
            api = Api(control, metrics, openclaw)
            gate = Gate(
                build_app(api),
                token=settings.token,
                port=port,
                body_bytes=settings.body_bytes,
                names=settings.server_names,
                origins=settings.origins,
                on_refused=metrics.refused,
            )
            server = Server(f"http://{host_in_url(settings.host)}:{port}", port, control, stop)
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_stop, server, api, settings.grace_seconds, stopped)
                    serving = functools.partial(
                        serve_hypercorn,
                        cast("Any", gate),  # Starlette's types of ASGI are looser than Hypercorn's
                        HttpConfig(listener, settings.grace_seconds),
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

    `started` is called with the `Server` once it is there.
    """
    server: Server | None = None
    async with trio.open_nursery() as nursery:

        def end() -> None:
            if server is None or server.stop.is_set():
                nursery.cancel_scope.cancel()
            else:
                server.stop.set()

        nursery.start_soon(ended_by_signal, end)
        async with trio.open_nursery() as serving:
            server = await serving.start(serve, settings)
            started(server)
        nursery.cancel_scope.cancel()


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


@contextlib.asynccontextmanager
async def _browser_pool(
    settings: Settings, folders: Folders, proxy: EgressProxy | None
) -> AsyncIterator[BrowserPool]:
    browsers = [
        PooledBrowser(plan, proxy, folders.permit_upload, settings.start_seconds)
        for plan in settings.browsers
    ]
    async with background_nursery() as nursery:
        for browser in browsers:
            await nursery.start(browser.run)
        yield BrowserPool(browsers)
