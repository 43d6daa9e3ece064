"""cdp-use, and browser-use on top of it: ``await snapshot(client, session_id)``.

`client` is a started `cdp_use.CDPClient`, `session_id` a session of it on the page (None where the client's
own socket is the page's). The client is asked which target that is; everything else goes over a second client
to the same endpoint, for the length of one call. A `CDPClient` hands every event to its user's handlers,
whatever the session: over the user's own they would see our sessions come and go, and answer dialogs in them.
When the second client is closed, the browser ends its sessions, also those that were just being attached.

Where the endpoint lets no second client in, or starts another browser for it, the user's client is used, and
its handlers see our sessions' events; the report's notes say so.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.deadline import DEFAULT_TIMEOUT
from hybridsnap.drivers.asyncio_driver import AsyncioDriver, shielded
from hybridsnap.drivers.attaching import get_target_info, reaching
from hybridsnap.drivers.base import run
from hybridsnap.drivers.custom import AsyncSentTab
from hybridsnap.drivers.tab import AsyncTab, require
from hybridsnap.drivers.type_checks import check_has
from hybridsnap.errors import ConnectionLost
from hybridsnap.model import SessionId
from hybridsnap.protocol.plan import gather

require("cdp_use", "cdp-use")

from cdp_use import CDPClient  # noqa: E402 - it has just been found

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from browser_use.browser import BrowserSession

    from hybridsnap.deadline import Deadline
    from hybridsnap.drivers.attached_tab import AttachedTab
    from hybridsnap.drivers.dialogs import DialogLog
    from hybridsnap.drivers.snapshot_run import SnapshotOptions
    from hybridsnap.snapshot import Snapshot

NAME = "cdp-use"
_SEEN = "no second client was let in, so the handlers of this one see the events of our sessions"


async def snapshot(
    client: CDPClient,
    session_id: str | None,
    *,
    timeout: float | Deadline = DEFAULT_TIMEOUT,
    **options: Unpack[SnapshotOptions],
) -> Snapshot:
    """Capture a page. Options, result and errors: `hybridsnap.Page.snapshot`."""
    return await CdpUseTab(client, session_id).snapshot(timeout=timeout, **options)


class CdpUseTab(AsyncTab):
    """A page of a `CDPClient`.

    Args:
        client: started.
        session_id: of the page; None where the client's socket is the page's own.
    """

    def __init__(self, client: CDPClient, session_id: str | None) -> None:
        check_has(client, "send_raw", "a CDPClient of cdp-use")
        self._client, self._session_id = client, session_id

    @contextlib.asynccontextmanager
    async def reach(self, deadline: Deadline) -> AsyncIterator[AttachedTab]:
        """As `AsyncTab.reach`."""
        within = reaching(deadline)
        target_id = await self._target(within)
        async with contextlib.AsyncExitStack() as stack:
            second = await _second_client(stack, self._client, target_id, within)
            tab = AsyncSentTab(
                functools.partial(_send, second or self._client),
                self._session_id if second is None else None,
                name=NAME,
                target_id=target_id,
            )
            async with tab.reach(deadline) as reached:
                if second is None:
                    reached.notes.append(_SEEN)
                else:
                    _hear_dialogs(second, reached.driver.dialogs)
                yield reached

    async def _target(self, within: Deadline) -> str:
        """The page's target, as the user's client knows it.

        Raises:
            HybridsnapError: the page is gone, or the client has stopped.
        """

        def plan() -> Any:
            session = None if self._session_id is None else SessionId(self._session_id)
            return (yield from gather(get_target_info(session)))

        (info,) = await run(plan(), AsyncioDriver(NAME, functools.partial(_send, self._client)), within)
        return str(info.target_id)


async def _send(
    client: CDPClient, method: str, params: dict[str, Any], session: SessionId | None
) -> dict[str, Any]:
    """Send a command on a `CDPClient`, and wait for its result no longer than its reader lives.

    What is asked while the client stops, or after a handler of the user's has ended its reader, is never
    answered by cdp-use (1.4).
    """
    asked = asyncio.ensure_future(client.send_raw(method, params, session))
    reader = getattr(client, "_message_handler_task", None)
    try:
        await asyncio.wait(
            {asked} if reader is None else {asked, reader}, return_when=asyncio.FIRST_COMPLETED
        )
        if asked.done():
            return asked.result()
    finally:
        asked.cancel()
    raise ConnectionLost(f"{method}: the client's websocket was closed; start another client")


def _hear_dialogs(client: CDPClient, dialogs: DialogLog) -> None:
    """Have the dialogs noted that our session on the page hears of."""
    client.register.Page.javascriptDialogOpening(lambda event, _: dialogs.opened(event))
    client.register.Page.javascriptDialogClosed(lambda event, _: dialogs.closed(event))


async def _second_client(
    stack: contextlib.AsyncExitStack, client: CDPClient, target_id: str, within: Deadline
) -> CDPClient | None:
    """Another client to the same browser, closed with the stack; None where there is none to be had."""
    second = CDPClient(client.url, client.additional_headers, client.max_ws_frame_size)
    start: Callable[[], Awaitable[None]] = second.start  # the library says no types of these two
    stop: Callable[[], Awaitable[None]] = second.stop
    stack.push_async_callback(lambda: shielded(stop()))
    try:
        async with asyncio.timeout(within.remaining):
            await start()
            if "/devtools/page/" in client.url:
                return second
            targets = (await _send(second, "Target.getTargets", {}, None))["targetInfos"]
    except Exception:  # noqa: BLE001 - whatever the library raises: there is none
        return None
    if target_id not in {one["targetId"] for one in targets}:
        return None
    return second


def browser_use_session(session: BrowserSession) -> BrowserUseTab:
    """The page that a browser-use session is at.

    Args:
        session: started.

    Returns:
        With ``await snapshot(…)``; each call looks at the tab that has the agent's focus then.
    """
    return BrowserUseTab(session)


class BrowserUseTab(CdpUseTab):
    """The tab that has the focus of a browser-use session's agent."""

    def __init__(self, session: BrowserSession) -> None:
        self._session = session
        super().__init__(session.cdp_client, None)

    async def _target(self, within: Deadline) -> str:
        """The tab that has the focus. A session that has lost its websocket has a new client."""
        self._client = self._session.cdp_client
        return self._session.agent_focus_target_id or await super()._target(within)
