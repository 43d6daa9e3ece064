"""Launching a browser, and connecting to one that runs."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING

from hybridsnap.argument_checks import check_bool
from hybridsnap.client.browser import Browser
from hybridsnap.client.connection import Connection, open_connection
from hybridsnap.client.context_manager_errors import explained_context_manager
from hybridsnap.client.endpoint import resolve_endpoint
from hybridsnap.client.launcher import launch_process
from hybridsnap.client.recording import check_recorded
from hybridsnap.client.shared_wires import shared_wire
from hybridsnap.client.viewport import DEFAULT_VIEWPORT, check_viewport
from hybridsnap.client.websocket import open_websocket
from hybridsnap.deadline import DEFAULT_TIMEOUT, LOADING_SHARE, Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import CommandRefused, EndpointError
from hybridsnap.model import TargetId

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Mapping, Sequence

    from hybridsnap.client.launcher import LaunchTransport
    from hybridsnap.client.recording import Recorded
    from hybridsnap.client.viewport import ViewportSize

#: The path of one page's own socket.
_PAGE_PATH = "/devtools/page/"


@explained_context_manager
async def launch(
    executable: str | os.PathLike[str] | None = None,
    *,
    headless: bool = True,
    transport: LaunchTransport | None = None,
    args: Sequence[str] = (),
    viewport: ViewportSize | None = DEFAULT_VIEWPORT,
    record: Sequence[Recorded] = (),
    timeout: float | Deadline = DEFAULT_TIMEOUT,
) -> AsyncIterator[Browser]:
    """Start a browser of our own; it and its profile are gone after the block, whatever ends it.

    Args:
        executable: which; found by itself when left out (HYBRIDSNAP_BROWSER, PATH, the usual places).
        headless: False opens a window.
        transport: ``cbor`` or ``pipe``, which open no port and have no cap worth the name, or ``websocket``,
            which lets other programs connect to the browser, too (`Browser.endpoint`). None takes the fastest
            that works here: ``cbor`` where hybridsnap's decoder for it is compiled, else ``pipe``
            (``websocket`` on Windows). `snapshot.report.transport` says what was used.
        args: more flags for the browser. Lists of features (``--disable-features=``) add to our own.
            ``--remote-debugging-port=0`` opens a port beside the pipe, for those who want
            `Browser.endpoint` and ``cbor``.
        viewport: width and height in CSS px of its pages; None leaves them to the browser's window (780 × 493
            in a headless Chromium). A popup that was opened with a size keeps that.
        record: ``["console", "network"]``, or one of them, records what pages log and request from the
            moment that they are attached to: see `hybridsnap.Console`, `hybridsnap.Network`. By default
            nothing is recorded until it is asked for.
        timeout: seconds until it must be up.

    Raises:
        BrowserNotFound, BrowserLaunchFailed, DeadlineExceeded: there is none, or it does not come up.
        ValueError: an argument is unusable.
    """
    size = check_viewport(viewport)
    recorded = check_recorded(record)
    async with (
        launch_process(
            executable, headless=headless, transport=transport, args=args, deadline=Deadline.of(timeout)
        ) as process,
        open_connection(process.transport) as connection,
    ):
        browser = Browser(
            connection, process=process, endpoint=process.endpoint, viewport=size, record=recorded
        )
        # A page that is looked at must not write into anybody's ~/Downloads.
        browser.session.post(
            "Browser.setDownloadBehavior", {"behavior": "deny", "eventsEnabled": True}, ignore_reply
        )
        async with browser.evaluations.open():
            yield browser


@explained_context_manager
async def connect(
    endpoint: str,
    *,
    headers: Mapping[str, str] | None = None,
    record: Sequence[Recorded] = (),
    reconnect: bool = False,
    timeout: float | Deadline = DEFAULT_TIMEOUT,
) -> AsyncIterator[Browser]:
    """Connect to a browser that runs. After the block it runs on, without our sessions.

    All who connect to the same address within one trio run share one websocket, which is closed with the last
    of them. Each has a `Browser` of its own: its pages, its contexts, its recordings and sizes end with its
    block. An address of one page, ``ws://…/devtools/page/…``, is not shared.

    Args:
        endpoint: ``ws://`` or ``wss://`` of a browser or of one page, or ``http://host:port``.
        headers: sent with the handshake, such as ``Authorization``.
        record: what is recorded of pages from the moment that they are attached to, as `launch` has it.
        reconnect: True makes the connection again when it drops and the browser lives. What was under way
            fails with `ConnectionLost`, whose ``may_have_been_executed`` says what is known of it; what is
            asked next waits for the connection, within its own time. Pages, ids, frame ordinals, emulation,
            routes and recordings live on. See "When the connection drops" in the guide to the client.
        timeout: seconds until the connection must stand.

    Raises:
        EndpointError: it refuses, does not answer, or is not a DevTools endpoint.
    """
    deadline = Deadline.of(timeout)
    recorded = check_recorded(record)
    check_bool("reconnect", reconnect)
    async with contextlib.AsyncExitStack() as stack:
        connection, url = await _connected(stack, endpoint, headers, deadline, reconnect=reconnect)
        only_target = None
        if _PAGE_PATH in url:
            only_target = TargetId(url.partition(_PAGE_PATH)[2].partition("?")[0])
        browser = Browser(connection, only_target=only_target, endpoint=url, headers=headers, record=recorded)
        try:
            async with browser.evaluations.open():
                yield browser
        finally:
            if reconnect:
                await browser.close_contexts()
            await browser.downloads.clean_up()


async def _connected(
    stack: contextlib.AsyncExitStack,
    endpoint: str,
    headers: Mapping[str, str] | None,
    deadline: Deadline,
    *,
    reconnect: bool,
) -> tuple[Connection, str]:
    """A connection to a browser, or to one page, and the address of its websocket."""
    if _PAGE_PATH not in str(endpoint):
        async with contextlib.AsyncExitStack() as sharing:
            shared = await sharing.enter_async_context(
                shared_wire(endpoint, headers, deadline, reconnect=reconnect)
            )
            connection = Connection(shared.wire)
            await sharing.enter_async_context(connection.served())
            if await _has_own_root(connection, endpoint, deadline):
                stack.push_async_exit(sharing.pop_all())
                return connection, shared.url
    # One page, or a browser that knows no sessions of its own.
    url = await resolve_endpoint(endpoint, headers, deadline)
    reopen = functools.partial(open_websocket, url, headers)
    transport = await stack.enter_async_context(reopen(deadline))
    return await stack.enter_async_context(open_connection(transport, reopen if reconnect else None)), url


async def _has_own_root(connection: Connection, endpoint: str, deadline: Deadline) -> bool:
    """Give a connection a browser session of its own; False where the browser has none to give.

    Raises:
        EndpointError: this is not a browser. A websocket server that is none does not know the commands, or
            says nothing.
    """
    patience = deadline.share(LOADING_SHARE)
    try:
        try:
            await connection.take_own_root(patience)
        except CommandRefused:
            await connection.root.ask("Target.getTargets", {}, patience)
            return False
    except (CommandRefused, TimeoutError, ConnectionError) as error:
        raise EndpointError(
            f"{endpoint} is a websocket, but no browser's DevTools endpoint ({error})", endpoint=endpoint
        ) from error
    return True
