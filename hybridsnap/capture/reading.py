"""What the sessions answered, and the capture made of it: the data between the plans and the rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.capture.clickable import by_pointer
from hybridsnap.capture.dom import (
    SessionDomIndex,
    build_session_dom_index,
    get_dom_tree_with_fallback,
    hydrate_dom_tree,
    is_nesting_error,
)
from hybridsnap.capture.frames import FrameContext, FrameFailure, Ordinals, SessionInfo
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    HybridsnapError,
    ReplyTooLarge,
    TargetCrashed,
    TargetDetached,
)
from hybridsnap.protocol.plan import Failure, Outcome, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.layout_snapshot import SessionLayout
    from hybridsnap.capture.merge import Owner
    from hybridsnap.model import BackendNodeId, FrameId, FrameReport, Layout, Row, SessionId
    from hybridsnap.protocol.ax_tree import AXTree
    from hybridsnap.protocol.plan import Plan
    from hybridsnap.protocol.replies import Frame, LayoutMetrics

#: Seconds of silence from which on a page counts as busy; a healthy one answers in milliseconds.
_PROOF_OF_BUSY = 0.25


@dataclasses.dataclass(slots=True)
class Capture:
    """What a capture found, before anything is printed.

    Attributes:
        context: the frames.
        ordinals: their numbers.
        indexes: each session's DOM, in the order of the sessions; None where it could not be read.
        owners: the frames' owner elements.
        frames: the outcome for each frame, the main frame first.
        rows: the outline, all frames merged.
        urls: element id → URL.
        title: of the main document.
        complete: every frame is captured or excluded.
        consistent: DOM and AX tree describe the same documents.
        notes: what a reader should know beside.
        ax_trees: of each frame that was read.
        layout: where things stand, when it was asked for.
        screenshot: of the viewport, as PNG, when it was asked for.
    """

    context: FrameContext
    ordinals: Ordinals
    indexes: list[SessionDomIndex | None]
    owners: dict[FrameId, Owner]
    frames: list[FrameReport]
    rows: list[Row]
    urls: dict[str, str]
    title: str
    complete: bool
    consistent: bool
    notes: list[str]
    ax_trees: dict[FrameId, AXTree]
    layout: Layout | None = None
    screenshot: bytes | None = None

    def index(self, session: int) -> SessionDomIndex:
        """The DOM of a session whose DOM is here."""
        index = self.indexes[session]
        assert index is not None
        return index


@dataclasses.dataclass(slots=True)
class LayoutReading:
    """What a session answered about its layout.

    Attributes:
        layout: None where it could not be read.
        metrics: the main viewport's; of the page's own session only.
        device_scale_factor: as the page tells; 0 where it is not known.
        problems: what went wrong, in words.
    """

    layout: SessionLayout | None = None
    metrics: LayoutMetrics | None = None
    device_scale_factor: float = 0.0
    screenshot: bytes | None = None
    problems: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class SessionResult:
    """What one session answered."""

    info: SessionInfo
    tree: list[Frame] | None = None
    index: SessionDomIndex | None = None
    ax_trees: dict[FrameId, AXTree] = dataclasses.field(default_factory=dict)
    #: The session as a whole (tree or DOM), and its frames one by one.
    lost: FrameFailure | None = None
    lost_frames: dict[FrameId, FrameFailure] = dataclasses.field(default_factory=dict)
    navigated: set[FrameId] = dataclasses.field(default_factory=set)
    elapsed: dict[FrameId, float] = dataclasses.field(default_factory=dict)
    last: float = 0.0
    remaining: float = 0.0
    layout: LayoutReading | None = None
    #: The elements that only the pointer over them shows to be clickable.
    pointed: frozenset[BackendNodeId] = frozenset()
    #: What could not be looked for.
    notes: list[str] = dataclasses.field(default_factory=list)

    def stamp(self, outcome: Outcome[Any]) -> None:
        """Note when an outcome came, and what was left of the deadline then."""
        if outcome.elapsed >= self.last:
            self.last = outcome.elapsed
            self.remaining = outcome.remaining


@dataclasses.dataclass(slots=True)
class CaptureScope:
    """What part of the page a capture is limited to (`hybridsnap.capture.scope`).

    Attributes:
        root: the frame that the rows begin with; None for the main frame.
        kept: the frames to read; None for all.
        excluded: frames to leave out, with all frames below them.
        left_out: frame id → its AX nodes that make no row.
        title: of the main document, when its AX tree is not read.
        notes: what a reader should know of it.
        layouts: by session, where the readings do not have them.
    """

    root: FrameId | None = None
    kept: set[FrameId] | None = None
    excluded: set[FrameId] = dataclasses.field(default_factory=set)
    left_out: dict[FrameId, frozenset[int]] = dataclasses.field(default_factory=dict)
    title: str | None = None
    notes: list[str] = dataclasses.field(default_factory=list)
    layouts: dict[SessionId | None, LayoutReading] = dataclasses.field(default_factory=dict)


def take_ax(
    reading: SessionResult, frames: Sequence[FrameId | None], outcomes: Sequence[Outcome[Any]]
) -> None:
    """Take in the AX trees of frames; None stands for the session's first."""
    known = None if reading.tree is None else {frame.id for frame in reading.tree}
    for asked, outcome in zip(frames, outcomes, strict=True):
        frame = asked
        if frame is None and reading.tree:
            frame = reading.tree[0].id
        if frame is None:
            continue
        if known is not None and frame not in known:
            continue  # the driver had heard of it, and it is gone since
        reading.elapsed[frame] = outcome.elapsed
        if isinstance(outcome, Reply):
            reading.ax_trees[frame] = outcome.value
        else:
            reading.lost_frames[frame] = judge_silence(outcome)


def take_document(reading: SessionResult, outcome: Outcome[SessionDomIndex]) -> Plan[None]:
    """Take in a session's DOM, with what it takes to have it whole."""
    session = reading.info.session
    try:
        if isinstance(outcome, Reply):
            index = outcome.value
            reading.index = index
            reading.index = yield from hydrate_dom_tree(session, index)
        elif is_nesting_error(outcome.error):
            reading.index = yield from get_dom_tree_with_fallback(session, outcome.error)
        else:
            raise outcome.error
    except HybridsnapError as error:
        reading.lost = lost_by(error)
        if reading.index is not None:
            # Some of what was cut short has come, the rest has not.
            reading.index = build_session_dom_index(reading.index.nodes[0])


def take_pointed(reading: SessionResult, outcome: Outcome[list[int]], left_out: int = 0) -> None:
    """Take in the positions of the elements that show a pointer."""
    if isinstance(outcome, Reply):
        assert reading.index is not None
        reading.pointed = by_pointer(reading.index, outcome.value)
        if left_out:
            reading.notes.append(f"{left_out} elements that show a pointer were not looked up: too many")
    else:
        reading.notes.append(
            f"elements that only show a pointer could not be looked for: {outcome.error.message}"
        )


def compare_loaders(reading: SessionResult, after: Outcome[Any]) -> None:
    """Note which frames have another document at the end than at the beginning."""
    if reading.tree is None or not isinstance(after, Reply):
        return
    loaders = {frame.id: frame.loader_id for frame in after.value.frames()}
    for frame in reading.tree:
        if loaders.get(frame.id) != frame.loader_id:
            reading.navigated.add(frame.id)


def judge_silence(failure: Failure) -> FrameFailure:
    """As `lost_by`; but a page that was given no time to answer is not called busy."""
    lost = lost_by(failure.error)
    return FrameFailure("timeout") if lost.cause == "busy" and failure.elapsed < _PROOF_OF_BUSY else lost


def lost_by(error: HybridsnapError) -> FrameFailure:
    """What an error means for a frame's report."""
    match error:
        case TargetCrashed():
            return FrameFailure("crashed")
        case TargetDetached():
            return FrameFailure("detached")
        case CommandUnanswered():
            return FrameFailure(error.cause)
        case ReplyTooLarge():
            return FrameFailure("too_large", error.message)
        case CommandRefused() if "Frame with the given frameId is not found" in error.reason:
            return FrameFailure("detached")
        case _:
            return FrameFailure("error", error.message)
