"""Playwright, async and sync: ``await snapshot(page)`` and ``snapshot_sync(page)``.

A session of ours is opened for the page by `BrowserContext.new_cdp_session`, and one for each of its frames
in another process; they are detached afterwards, so nothing that Playwright has switched on is touched.
Launched and persistent contexts will do, and those of `connect_over_cdp`, in Chromium only.

The sync variant uses no thread: each command is a call of Playwright's own with the deadline as its timeout.
Opening a session has none: the browser does it, not the page, so a busy page does not hold it up.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.deadline import DEFAULT_TIMEOUT
from hybridsnap.drivers.asyncio_driver import AsyncioDriver, opened, shielded
from hybridsnap.drivers.attached_tab import AttachedTab
from hybridsnap.drivers.attaching import name_page, name_sessions, reaching
from hybridsnap.drivers.base import run, run_sync
from hybridsnap.drivers.blocking_driver import BlockingDriver
from hybridsnap.drivers.playwright_sessions import (
    BREATHS,
    all_known,
    detach_sync,
    end_of,
    hear_dialogs,
    ids_of,
    lost_of,
    not_attached,
    retry_frames,
    send_command,
    send_command_sync,
)
from hybridsnap.drivers.tab import AsyncTab, SyncTab, require
from hybridsnap.drivers.type_checks import check_has
from hybridsnap.model import TargetId

require("playwright", "playwright")

from playwright.async_api import Error as PlaywrightError  # noqa: E402 - it is there

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright import async_api, sync_api

    from hybridsnap.deadline import Deadline
    from hybridsnap.drivers.snapshot_run import SnapshotOptions
    from hybridsnap.model import SessionId
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
        _check_page(page, "async", "sync", "snapshot_sync(page)")
        self._page = page

    @contextlib.asynccontextmanager
    async def reach(self, deadline: Deadline) -> AsyncIterator[AttachedTab]:
        """As `AsyncTab.reach`."""
        held: list[async_api.CDPSession] = []
        reached: set[async_api.Page | async_api.Frame] = set()

        async def send(method: str, params: dict[str, Any], session: SessionId | None) -> Any:
            try:
                return await send_command(held[int(session or 0)], method, params)
            except PlaywrightError as error:
                raise lost_of(error, method, self._page) or error from error

        async def attach(to: async_api.Page | async_api.Frame) -> None:
            async with asyncio.timeout(within.remaining):
                held.append(await opened(self._page.context.new_cdp_session(to), lambda one: one.detach()))
            reached.add(to)

        driver = AsyncioDriver(NAME, send)
        within = reaching(deadline)
        try:
            try:
                await attach(self._page)
            except (PlaywrightError, TimeoutError) as error:
                raise not_attached(error, self._page) from error
            hear_dialogs(held[0], driver.dialogs)
            await driver.diagnose(ids_of(held)[0], deadline)
            within = reaching(deadline)
            sessions = [await run(name_page(ids_of(held)[0]), driver, within)]
            for seconds in BREATHS:
                if all_known(sessions, len(frames := self._page.frames[1:]), driver.obstacles):
                    break
                await asyncio.sleep(min(seconds, within.remaining))
                before = len(held)
                tries = (attach(frame) for frame in frames if frame not in reached)
                await asyncio.gather(*tries, return_exceptions=True)  # most are in their parent's process
                sessions += await run(name_sessions(ids_of(held)[before:], bare=True), driver, within)
            yield AttachedTab(driver, TargetId(str(sessions[0].root_frame)), sessions)
        finally:
            ends = asyncio.gather(*(one.detach() for one in held), return_exceptions=True)
            await shielded(ends, end_of(deadline, answers=not driver.obstacles).remaining)


class PlaywrightSyncTab(SyncTab):
    """A page of Playwright's sync API."""

    def __init__(self, page: sync_api.Page) -> None:
        _check_page(page, "sync", "async", "await snapshot(page)")
        self._page = page

    @contextlib.asynccontextmanager
    async def reach(self, deadline: Deadline) -> AsyncIterator[AttachedTab]:
        """As `SyncTab.reach`."""
        held: list[sync_api.CDPSession] = []
        reached: set[sync_api.Page | sync_api.Frame] = set()

        def send(method: str, params: dict[str, Any], session: SessionId | None, until: Deadline) -> Any:
            timeout_ms = max(1.0, until.remaining * 1000)
            try:
                return send_command_sync(held[int(session or 0)], method, params, timeout_ms)
            except PlaywrightError as error:
                raise lost_of(error, method, self._page) or error from error

        driver = BlockingDriver(NAME, send)
        try:
            try:
                held.append(self._page.context.new_cdp_session(self._page))
            except PlaywrightError as error:
                raise not_attached(error, self._page) from error
            hear_dialogs(held[0], driver.dialogs)
            driver.diagnose(ids_of(held)[0], deadline)
            within = reaching(deadline)
            sessions = [run_sync(name_page(ids_of(held)[0]), driver, within)]
            for frames in retry_frames(self._page, sessions, driver, within):
                before = len(held)
                for frame in [one for one in frames if one not in reached]:
                    with contextlib.suppress(PlaywrightError):  # most are in their parent's process
                        held.append(self._page.context.new_cdp_session(frame))
                        reached.add(frame)
                sessions += run_sync(name_sessions(ids_of(held)[before:], bare=True), driver, within)
            yield AttachedTab(driver, TargetId(str(sessions[0].root_frame)), sessions)
        finally:
            within = end_of(deadline, answers=not driver.obstacles)
            for session in held:
                with contextlib.suppress(PlaywrightError):
                    detach_sync(session, within)


def _check_page(page: object, api: str, other: str, instead: str) -> None:
    wanted = f"a page of Playwright's {api} API"
    check_has(page, "context", wanted)
    if any(one.__module__.startswith(f"playwright.{other}_api.") for one in type(page).__mro__):
        raise TypeError(f"expected {wanted}, got one of its {other} API; that goes to {instead}")
