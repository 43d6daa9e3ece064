"""cdp-use, and browser-use on top of it: ``await snapshot(client, session_id)``.

`client` is a started `cdp_use.CDPClient`, `session_id` a session of it on the page (None where the client's
own socket is the page's). What the page's target is, is asked in that session; everything else is done in
sessions of ours on the same socket, so no domain that others have switched on is touched, and no event
handler replaced.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.drivers.foreign import DEFAULT_TIMEOUT, SnapshotOptions, require
from hybridsnap.drivers.given import check_given
from hybridsnap.drivers.sending import AsyncSentTab

require("cdp_use", "cdp-use")

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from browser_use.browser import BrowserSession
    from cdp_use import CDPClient

    from hybridsnap.deadline import Deadline
    from hybridsnap.drivers.asyncio_driver import AsyncioDriver
    from hybridsnap.drivers.foreign import Reached
    from hybridsnap.model import SessionId
    from hybridsnap.snapshot import Snapshot

NAME = "cdp-use"


async def snapshot(
    client: CDPClient,
    session_id: str | None,
    *,
    timeout: float | Deadline = DEFAULT_TIMEOUT,
    **options: Unpack[SnapshotOptions],
) -> Snapshot:
    """Capture a page. Options, result and errors: `hybridsnap.Page.snapshot`."""
    return await CdpUseTab(client, session_id).snapshot(timeout=timeout, **options)


class CdpUseTab(AsyncSentTab):
    """A page of a `CDPClient`.

    Args:
        client: started.
        session_id: of the page; None where the client's socket is the page's own.
    """

    def __init__(self, client: CDPClient, session_id: str | None) -> None:
        check_given(client, "send_raw", "a CDPClient of cdp-use")

        async def send(method: str, params: dict[str, Any], session: SessionId | None) -> dict[str, Any]:
            return await client.send_raw(method, params, session)

        super().__init__(send, session_id, name=NAME)


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

    @contextlib.asynccontextmanager
    async def reach(self, deadline: Deadline) -> AsyncIterator[Reached[AsyncioDriver]]:
        """As `AsyncTab.reach`."""
        self._target_id = self._session.agent_focus_target_id
        async with super().reach(deadline) as reached:
            yield reached
