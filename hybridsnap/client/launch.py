"""Launching a browser, connecting to one that runs, and being the second client beside any driver."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, overload

import trio

from hybridsnap.argument_checks import check_bool
from hybridsnap.client.browser import Browser, Page
from hybridsnap.client.connection import Connection, open_connection
from hybridsnap.client.context_manager_errors import explained_context_manager
from hybridsnap.client.endpoint import resolve_endpoint
from hybridsnap.client.launcher import launch_process
from hybridsnap.client.page_context import check_recorded
from hybridsnap.client.shared_wires import shared_wire
from hybridsnap.client.viewport import DEFAULT_VIEWPORT, check_viewport
from hybridsnap.client.websocket import open_websocket
from hybridsnap.deadline import DEFAULT_TIMEOUT, LOADING_SHARE, Deadline
from hybridsnap.errors import CommandRefused, EndpointError
from hybridsnap.model import TargetId

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from selenium.webdriver.chromium.webdriver import ChromiumDriver

    from hybridsnap.client.launcher import LaunchTransport
    from hybridsnap.client.page_context import Recorded
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
        browser.downloads.deny()
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


@overload
def attach(
    to: str, target_id: str | None = None, *, timeout: float | Deadline = DEFAULT_TIMEOUT
) -> AbstractAsyncContextManager[Page]: ...
@overload
def attach(
    to: ChromiumDriver, *, timeout: float | Deadline = DEFAULT_TIMEOUT
) -> AbstractAsyncContextManager[Page]: ...
@explained_context_manager
async def attach(
    to: Any, target_id: str | None = None, *, timeout: float | Deadline = DEFAULT_TIMEOUT
) -> AsyncIterator[Page]:
    """A page that another driver holds, over a connection of ours to the same browser.

    What is asked there never waits in that driver's queue, and nothing of the driver's is touched. After the
    block the tab stays open, without our sessions.

    Args:
        to: where the browser listens (as for `connect`), or a webdriver of Selenium's on this machine.
        target_id: which page; None when there is only one. A webdriver's is the window it is at.
        timeout: seconds until the page is there.

    Raises:
        EndpointError: nothing listens there, or the webdriver does not say where its browser listens.
        TargetError: the browser has no such page.
    """
    deadline = Deadline.of(timeout)
    endpoint = to
    if not isinstance(to, str):
        endpoint = _endpoint_of(to)
        # It asks ChromeDriver, which may be busy with a command of another thread.
        target_id = await trio.to_thread.run_sync(lambda: to.current_window_handle, abandon_on_cancel=True)
    async with connect(endpoint, timeout=deadline) as browser:
        yield await browser.page(target_id, timeout=deadline)


def _endpoint_of(webdriver: Any) -> str:
    capabilities = getattr(webdriver, "capabilities", None)
    if capabilities is None:
        raise TypeError(
            f"attach takes an endpoint (ws://… or http://…) or a webdriver, not {type(webdriver).__name__}"
        )
    options = capabilities.get("goog:chromeOptions") or capabilities.get("ms:edgeOptions") or {}
    address = options.get("debuggerAddress")
    if address is None:
        raise EndpointError(
            "the webdriver does not tell its debuggerAddress; use hybridsnap.drivers.selenium.snapshot",
            endpoint="",
        )
    return f"http://{address}"


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
            await connection.stand(patience)  # it may have come to a wire that has just dropped
            await connection.take_own_root(patience)
        except CommandRefused:
            await connection.root.ask("Target.getTargets", {}, patience)
            return False
    except (CommandRefused, TimeoutError, ConnectionError) as error:
        raise EndpointError(
            f"{endpoint} is a websocket, but no browser's DevTools endpoint ({error})", endpoint=endpoint
        ) from error
    return True
