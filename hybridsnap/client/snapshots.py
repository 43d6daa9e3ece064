"""Snapshots of a page, with what its events have told, and finding single elements of it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Unpack

import trio

from hybridsnap.act.finding import found_element, try_again
from hybridsnap.act.naming import name_id
from hybridsnap.argument_checks import check_number
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.capture.pointing import find_active_element, find_element_at
from hybridsnap.client.changes import acquire_within
from hybridsnap.client.console_feed import FLOOD_WORDS as CONSOLE_FLOOD
from hybridsnap.client.navigating import count_requests
from hybridsnap.client.request_log import FLOOD_WORDS as NETWORK_FLOOD
from hybridsnap.deadline import LOADING_SHARE, Deadline
from hybridsnap.drivers.base import run
from hybridsnap.drivers.snapshot_run import SnapshotRun, remember
from hybridsnap.errors import CommandUnanswered, DeadlineExceeded, HybridsnapError
from hybridsnap.model import FIRST_ERROR_STATUS
from hybridsnap.render.report import SILENT, shorten_url
from hybridsnap.render.role import number_refs
from hybridsnap.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.finding import ElementQuery
    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.capture.pointing import FoundElement
    from hybridsnap.capture.reading import Capture
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.drivers.snapshot_run import SnapshotOptions
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Plan

#: For this share of its time a capture waits for others of the same page. A second was too little: on a busy
#: machine a capture takes longer than that, and then none of eight at once knew what shows a pointer.
_TURN_SHARE = 0.5
#: What the report of the first capture after a drop says.
RECONNECTED = (
    "the connection to the browser was lost since the last look, and made again: what the page did meanwhile"
    " was not heard"
)


class Snapshots:
    """The part of a page that looks at it."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._attachment = context.attachment
        self._turn = trio.Lock()
        #: How often the connection had dropped when a report last said so.
        self._told_drops = context.connection.drops

    @contextlib.asynccontextmanager
    async def _in_turn(self, deadline: Deadline) -> AsyncIterator[None]:
        """One capture after another: each numbers the page's nodes anew, and would spoil another's numbers.

        Who has waited for half of its time goes ahead: a frame that hangs in one capture keeps no other from
        saying what is there.
        """
        is_ours = await acquire_within(self._turn, deadline.share(_TURN_SHARE))
        try:
            yield
        finally:
            if is_ours:
                self._turn.release()

    async def take(self, timeout: float | Deadline, **options: Unpack[SnapshotOptions]) -> Snapshot:
        """Capture the page: `hybridsnap.Page.snapshot`."""
        look = SnapshotRun(timeout, options)
        context, attachment = self._context, self._attachment
        await attachment.settled(look.deadline, 0.5)
        try:
            await attachment.refuse_kept(look.deadline)
        except CommandUnanswered as error:
            raise DeadlineExceeded(f"the page could not be captured: {error}") from None
        drops = context.connection.drops
        sessions: list[SessionInfo] = []

        async def arrive() -> None:
            """The page, or a frame of it, went elsewhere as it was captured: wait for the page's document."""
            if attachment.main.loader != sessions[0].loader:
                await attachment.wait_until(
                    lambda: attachment.main.loaded, look.deadline.share(LOADING_SHARE)
                )
            sessions[:] = attachment.sessions()

        async with self._in_turn(look.deadline):
            sessions += attachment.sessions()
            capture = await run(look.plan(sessions, context.ordinals), context.driver, look.deadline, arrive)
        if capture.frames[0].cause != "too_large":
            context.connection.check(drops, "during the capture", may_have_been_executed=False)
        snapshot = look.finish(
            capture,
            context.history,
            transport=context.driver.name,
            closed=attachment.root.session.error(),
            notes=self._notes(),
            loading=self._loading(capture),
        )
        context.browser.metrics.note_capture(complete=snapshot.report.complete)
        return snapshot

    def _notes(self) -> list[str]:
        """What is known of the page beside what a capture finds."""
        notes = [
            f"a dialog is open ({dialog.type}, {shorten_url(dialog.url)}): {dialog.message}"
            for dialog in self._attachment.dialogs
        ]
        if not self._context.responds:
            notes.append(SILENT)
        if self._told_drops != self._context.connection.drops:
            self._told_drops = self._context.connection.drops
            notes.append(RECONNECTED)
        if self._context.console_feed.flooding:
            notes.append(CONSOLE_FLOOD)
        if self._context.request_log.flooding:
            notes.append(NETWORK_FLOOD)
        status = self._attachment.main.status
        if status is not None and status >= FIRST_ERROR_STATUS:
            notes.append(f"the page was answered with HTTP {status}")
        under_way = self._attachment.main.unfinished
        if under_way is not None:
            notes.append(
                f"still loading when it was looked at: {count_requests(under_way)}"
                if under_way
                else "its load event had not come when it was looked at"
            )
        return notes

    def _loading(self, capture: Capture) -> set[FrameId]:
        """The captured documents that are still loading."""
        loading = {frame for info in self._attachment.sessions() for frame in info.loading}
        main = capture.frames[0]
        if main.status == "captured" and main.loader_id != self._attachment.main.loader:
            loading.discard(main.frame_id)
        return loading

    def recall(self, snapshot: Snapshot) -> None:
        """Take a snapshot of this very page as shown: `hybridsnap.Page.recall`."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"what is recalled is a snapshot, not {snapshot!r}")
        report = snapshot.report
        if report.frames[0].frame_id != self._attachment.root.root_frame:
            raise ValueError(
                f"snapshot {report.snapshot_id} is not of page {self._context.target_id}: it shows another"
                f" tab, at {report.url}; its ids hold in that tab of that browser only: name it, or capture"
                " this one"
            )
        history = self._context.history
        history.adopt(report)
        remember(snapshot, history)
        history.note_refs(report, number_refs(snapshot.rows))

    async def find(self, element: str | None, naming: ElementQuery, deadline: Deadline) -> Element:
        """The element that is named, proven."""

        def find(sessions: Sequence[SessionInfo]) -> Plan[Element]:
            history = self._context.history
            resolver = NodeResolver(sessions, history.ordinals)
            found, _ = yield from found_element(resolver, history, element, naming)
            yield from resolver.release()
            return found

        return await self._context.run(find, deadline)

    async def element_at(self, x: float, y: float, deadline: Deadline) -> FoundElement | None:
        """The element that a click at a point would reach: `hybridsnap.Page.element_at`."""
        check_number("x", x, "CSS px")
        check_number("y", y, "CSS px")
        ordinals = self._context.ordinals
        return await self._found(
            lambda: find_element_at(self._attachment.sessions(), ordinals, x, y), deadline
        )

    async def active_element(self, deadline: Deadline) -> FoundElement | None:
        """The element that has the focus: `hybridsnap.Page.active_element`."""
        ordinals = self._context.ordinals
        return await self._found(lambda: find_active_element(self._attachment.sessions(), ordinals), deadline)

    async def _found(
        self, plan_of: Callable[[], Plan[FoundElement | None]], deadline: Deadline
    ) -> FoundElement | None:
        """Run a plan that finds an element; from then on its id can be acted on."""
        context = self._context
        found, _ = await context.run(
            lambda sessions: try_again(NodeResolver(sessions, context.ordinals), plan_of), deadline
        )
        if found is not None:
            resolver = NodeResolver(self._attachment.sessions(), context.ordinals)
            with contextlib.suppress(HybridsnapError):  # it is gone already: an action will say so
                await run(name_id(resolver, context.history, found.id), context.driver, deadline)
        return found
