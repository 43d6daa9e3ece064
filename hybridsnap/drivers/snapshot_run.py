"""One snapshot on its way: its options and deadline, its plan, and what is made of what the plan found.

Our own client and the adapters of foreign drivers take snapshots by it; they differ in what they know of the
page beside what the plan found.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import msgspec

from hybridsnap.argument_checks import check_bool, check_str, check_whole, read_strs
from hybridsnap.capture.assembly import NOT_PARSED_YET
from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.deadline import Deadline
from hybridsnap.model import CaptureOptions
from hybridsnap.snapshot import Snapshot, build_snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.capture.frames import Ordinals, SessionInfo
    from hybridsnap.capture.reading import Capture
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Plan
    from hybridsnap.render.rendering import Rendering


class SnapshotOptions(TypedDict, total=False):
    """The options of `hybridsnap.Page.snapshot`, but for the timeout; the same names, the same defaults."""

    pierce_shadow: bool
    include_iframes: bool
    focus: str | None
    focus_nth: int
    focus_missing: Literal["error", "full"]
    ignore: str | Sequence[str]
    layout: bool
    screenshot: bool


class SnapshotRun:
    """One snapshot on its way, with the options of `hybridsnap.Page.snapshot`.

    Attributes:
        deadline: for all of it.

    Raises:
        TypeError, ValueError: an option is unusable.
    """

    def __init__(self, timeout: float | Deadline, options: SnapshotOptions) -> None:
        self.deadline: Deadline = Deadline.of(timeout)
        if options.get("focus_missing", "error") not in ("error", "full"):
            raise ValueError(f"focus_missing is error or full, not {options['focus_missing']!r}")
        check_str("focus", options.get("focus"), "#main", optional=True)
        check_whole("focus_nth", options.get("focus_nth", 0), 0)
        for name in ("pierce_shadow", "include_iframes", "layout", "screenshot"):
            check_bool(name, options.get(name, False))
        ignore = read_strs("ignore", options.get("ignore", ()), ".ad")
        given: dict[str, Any] = {**options, "ignore": ignore}
        self._options = CaptureOptions(**given)
        self._started = time.monotonic()

    def plan(self, sessions: Sequence[SessionInfo], ordinals: Ordinals) -> Plan[Capture]:
        """What is asked of the page."""
        return capture_hybrid_snapshot(sessions, ordinals, self._options)

    def finish(
        self,
        capture: Capture,
        history: ElementHistory,
        *,
        transport: str,
        closed: HybridsnapError | None,
        notes: Sequence[str] = (),
        loading: AbstractSet[FrameId] | None = None,
    ) -> Snapshot:
        """Make the snapshot, and count its ids as shown.

        Args:
            capture: what the plan found.
            history: of the page.
            transport: how the browser was spoken to.
            closed: raised when the page is gone.
            notes: what is known of the page beside, for the report.
            loading: the frames that are still loading, where that is known.

        Raises:
            CaptureFailed: the main frame could not be read.
        """
        if closed is not None and capture.frames[0].cause == "detached":
            raise closed
        capture.notes += notes
        if loading is not None:
            _note_loading(capture, loading)
        elapsed_ms = (time.monotonic() - self._started) * 1000
        snapshot = build_snapshot(capture, transport=transport, elapsed_ms=elapsed_ms)
        remember(snapshot, history)
        return snapshot


def remember(snapshot: Snapshot, history: ElementHistory) -> None:
    """Take a snapshot's ids as shown, and the refs that it will be rendered with."""
    history.show(snapshot.content)
    report = snapshot.report

    def note_refs(rendering: Rendering, _: Mapping[str, Any]) -> None:
        if refs := rendering.extras.get("refs"):
            history.note_refs(report, refs)

    snapshot.on_rendering = note_refs


def _note_loading(capture: Capture, loading: AbstractSet[FrameId]) -> None:
    """A frame counts as loading when it still is at the end: the browser's news may come a little late."""
    main = capture.frames[0]
    if main.status == "captured" and main.frame_id in loading:
        capture.frames[0] = msgspec.structs.replace(main, status="partial", cause="loading")
    for at, frame in enumerate(capture.frames):
        known = frame.frame_id in loading or frame.dom_nodes == NOT_PARSED_YET
        if frame.cause == "loading" and frame.status == "partial" and not known:
            capture.frames[at] = msgspec.structs.replace(frame, status="captured", cause=None)
    capture.complete = all(frame.status in ("captured", "excluded") for frame in capture.frames)
