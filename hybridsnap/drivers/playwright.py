"""Playwright, async and sync: ``await snapshot(page)`` and ``snapshot_sync(page)``.

A session of ours is opened for the page by `BrowserContext.new_cdp_session`, and one for each of its frames
in another process; they are detached afterwards, so nothing that Playwright has switched on is touched. It
works for launched and persistent contexts and for those of `connect_over_cdp`, in Chromium only.

The sync variant uses no thread: each command is a call of Playwright's own with the deadline as its timeout.
Opening and ending sessions has none: the browser does it, not the page, so a busy page does not hold it up.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.drivers import playwright_sessions
from hybridsnap.drivers.asyncio_driver import AsyncioDriver, opened, shielded
from hybridsnap.drivers.attaching import name_sessions
from hybridsnap.drivers.base import run, run_sync, unanswered
from hybridsnap.drivers.blocking_driver import BlockingDriver
from hybridsnap.drivers.foreign import DEFAULT_TIMEOUT, REACHING_SHARE, AsyncTab, Reached, SyncTab, require
from hybridsnap.drivers.refusals import error_of
from hybridsnap.model import SessionId, TargetId

require("playwright", "playwright")

from playwright.async_api import Error as PlaywrightError  # noqa: E402 - it is there

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from playwright import async_api, sync_api

    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.deadline import Deadline
    from hybridsnap.drivers.foreign import SnapshotOptions
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.snapshot import Snapshot

NAME = "playwright"


async def snapshot(
    page: async_api.Page,
    *,
    timeout: float | Deadline = DEFAULT_TIMEOUT,
    **options: Unpack[SnapshotOptions],
) -> Snapshot:
    """Capture a page of Playwright's async API. Options, result and errors: `hybridsnap.Page.snapshot`."""
    return await PlaywrightTab(page).snapshot(timeout=timeout, **options)


def snapshot_sync(
    page: sync_api.Page,
    *,
    timeout: float | Deadline = DEFAULT_TIMEOUT,
    **options: Unpack[SnapshotOptions],
) -> Snapshot:
    """Capture a page of Playwright's sync API. Options, result and errors: `hybridsnap.Page.snapshot`."""
    return PlaywrightSyncTab(page).snapshot(timeout=timeout, **options)


class PlaywrightTab(AsyncTab):
    """A page of Playwright's async API."""

    def __init__(self, page: async_api.Page) -> None:
        self._page = page

    @contextlib.asynccontextmanager
    async def reach(self, deadline: Deadline) -> AsyncIterator[Reached[AsyncioDriver]]:
        """As `AsyncTab.reach`."""
        context = self._page.context
        held: list[async_api.CDPSession] = []

        async def send(method: str, params: dict[str, Any], session: SessionId | None) -> Any:
            return await playwright_sessions.send(held[int(session or 0)], method, params)

        async def attach(to: async_api.Page | async_api.Frame) -> None:
            async with asyncio.timeout(within.remaining):
                held.append(await opened(context.new_cdp_session(to), lambda session: session.detach()))

        driver = AsyncioDriver(NAME, send)
        within = deadline.share(REACHING_SHARE)
        try:
            try:
                await attach(self._page)
            except (PlaywrightError, TimeoutError) as error:
                raise _not_attached(error) from error
            sessions = await run(name_sessions(_ids(held)), driver, within)
            frames = self._page.frames
            if not sessions or len(sessions[0].frames) < len(frames):  # some are in other processes
                tries = (attach(frame) for frame in frames[1:])  # most are in their parent's process
                await asyncio.gather(*tries, return_exceptions=True)
                sessions += await run(name_sessions(_ids(held)[1:]), driver, within)
            yield Reached(driver, _target(sessions), sessions)
        finally:
            await shielded(asyncio.gather(*(one.detach() for one in held), return_exceptions=True))


class PlaywrightSyncTab(SyncTab):
    """A page of Playwright's sync API."""

    def __init__(self, page: sync_api.Page) -> None:
        self._page = page

    @contextlib.contextmanager
    def reach(self, deadline: Deadline) -> Iterator[Reached[BlockingDriver]]:
        """As `SyncTab.reach`."""
        context = self._page.context
        opened: list[sync_api.CDPSession] = []

        def send(method: str, params: dict[str, Any], session: SessionId | None, until: Deadline) -> Any:
            timeout_ms = max(1.0, until.remaining * 1000)
            return playwright_sessions.send_sync(opened[int(session or 0)], method, params, timeout_ms)

        driver = BlockingDriver(NAME, send)
        within = deadline.share(REACHING_SHARE)
        try:
            try:
                opened.append(context.new_cdp_session(self._page))
            except PlaywrightError as error:
                raise _not_attached(error) from error
            sessions = run_sync(name_sessions(_ids(opened)), driver, within)
            frames = self._page.frames
            if not sessions or len(sessions[0].frames) < len(frames):  # some are in other processes
                for frame in frames[1:]:
                    with contextlib.suppress(PlaywrightError):  # most are in their parent's process
                        opened.append(context.new_cdp_session(frame))
                sessions += run_sync(name_sessions(_ids(opened)[1:]), driver, within)
            yield Reached(driver, _target(sessions), sessions)
        finally:
            for session in opened:
                with contextlib.suppress(PlaywrightError):
                    session.detach()


def _ids(opened: Sequence[object]) -> list[SessionId]:  # Playwright does not tell them, so they are numbers
    return [SessionId(str(number)) for number in range(len(opened))]


def _target(sessions: Sequence[SessionInfo]) -> TargetId:
    if not sessions:
        raise unanswered("Target.getTargetInfo", "timeout")
    return TargetId(str(sessions[0].root_frame))


def _not_attached(error: Exception) -> HybridsnapError:
    return error_of("Target.attachToTarget", error) or unanswered("Target.attachToTarget", "timeout")
