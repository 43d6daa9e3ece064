"""The plans: everything that is asked of the browser for one snapshot, and what is made of the replies.

A session is asked in one batch, adjacent on the wire::

    Page.getFrameTree  DOM.enable  DOM.getDocument  DOM.disable  getFullAXTree (each frame)  Page.getFrameTree

With layout, `DOMSnapshot.captureSnapshot` and what belongs to it stand before the AX trees.

The frames to ask for are those the driver has heard of; the first frame tree says whether that was right,
and what is missing is asked for in a second round. Loader ids before and after must agree. Sessions go side
by side, so that a frame which never answers holds up none of the others; what has not come at the deadline is
in the report, with its cause.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.capture.ax import FrameRows, a11y_for_frame, build_hierarchical_tree, name_of
from hybridsnap.capture.dom import (
    SessionDomIndex,
    build_session_dom_index,
    get_dom_tree_with_fallback,
    hydrate_dom_tree,
    is_nesting_error,
)
from hybridsnap.capture.frames import FrameContext, Lost, Ordinals, SessionInfo, build_frame_context
from hybridsnap.capture.layout import (
    LayoutReading,
    add_layout,
    ask_for_layout,
    layout_commands,
    made_clickable,
    read_layout,
)
from hybridsnap.capture.merge import Owner, find_owners, merge_frames_into_snapshot
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    HybridsnapError,
    ReplyTooLarge,
    TargetCrashed,
    TargetDetached,
)
from hybridsnap.model import CaptureOptions, Cause, FrameReport, Row, Status
from hybridsnap.protocol.commands import disable_dom, enable_dom, get_document, get_frame_tree
from hybridsnap.protocol.plan import Answer, Command, Failure, Outcome, parallel, settle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.model import BackendNodeId, FrameId, Layout, SessionId
    from hybridsnap.protocol.plan import Plan
    from hybridsnap.protocol.replies import AXTree, Frame

#: A capture is tried once more when it was not consistent and this many times its own duration is left.
_RETRY_MARGIN = 2.0
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
        frames: what came of each frame, the main frame first.
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


@dataclasses.dataclass(slots=True)
class SessionReading:
    """What one session answered."""

    info: SessionInfo
    tree: list[Frame] | None = None
    index: SessionDomIndex | None = None
    ax_trees: dict[FrameId, AXTree] = dataclasses.field(default_factory=dict)
    #: The session as a whole (tree or DOM), and its frames one by one.
    lost: Lost | None = None
    lost_frames: dict[FrameId, Lost] = dataclasses.field(default_factory=dict)
    navigated: set[FrameId] = dataclasses.field(default_factory=set)
    elapsed: dict[FrameId, float] = dataclasses.field(default_factory=dict)
    last: float = 0.0
    remaining: float = 0.0
    dom_asked: bool = False
    layout: LayoutReading | None = None

    def stamp(self, outcome: Outcome[Any]) -> None:
        if outcome.elapsed >= self.last:
            self.last = outcome.elapsed
            self.remaining = outcome.remaining


@dataclasses.dataclass(slots=True)
class Limits:
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


def capture_hybrid_snapshot(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions | None = None
) -> Plan[Capture]:
    """Capture every frame of a page.

    Args:
        sessions: the page's own first, then those of its out-of-process frames.
        ordinals: the page's frame numbers so far; new frames are added.
        options: what to leave out.

    Returns:
        What was found. A frame that could not be read is in it, with its cause; whether the main frame
        is there is for the caller to see.

    Raises:
        SelectorError: `CaptureOptions.focus` matches nothing, or one of the selectors is none.
    """
    options = options or CaptureOptions()
    if options.focus is not None or options.ignore:
        from hybridsnap.capture.scope import check_selectors

        check_selectors(options)
    capture, readings = yield from _attempt(sessions, ordinals, options)
    took = max(reading.last for reading in readings)
    left = min(reading.remaining for reading in readings)
    if capture.consistent or not capture.complete or left < took * _RETRY_MARGIN:
        return capture
    again, _ = yield from _attempt(sessions, ordinals, options)
    again.notes.insert(0, "the page changed during the first attempt; this is the second")
    return again


def capture_simple_snapshot(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions | None = None
) -> Plan[Capture]:
    """Capture the main frame only; the others are in the report as excluded."""
    shadow = True if options is None else options.pierce_shadow
    return capture_hybrid_snapshot(
        sessions, ordinals, CaptureOptions(pierce_shadow=shadow, include_iframes=False)
    )


def _attempt(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions
) -> Plan[tuple[Capture, list[SessionReading]]]:
    limits = Limits()
    capture, readings = yield from _attempt_rows(sessions, ordinals, options, limits)
    if options.layout or options.screenshot:
        layouts = {one.info.session: one.layout for one in readings if one.layout is not None}
        yield from add_layout(capture, sessions, {**limits.layouts, **layouts})
    return capture, readings


def _attempt_rows(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions, limits: Limits
) -> Plan[tuple[Capture, list[SessionReading]]]:
    if options.focus is not None:
        if options.layout or options.screenshot:
            limits.layouts = yield from ask_for_layout(sessions, options)
        from hybridsnap.capture.scope import capture_focus

        found = yield from capture_focus(sessions, ordinals, options, limits)
        if found is not None:
            return found
    asked = sessions if options.include_iframes else sessions[:1]
    readings = yield from parallel(
        [
            collect_per_frame_maps(
                info,
                main_frame_only=not options.include_iframes,
                looking=options if options.layout or options.screenshot else None,
                is_main=number == 0,
            )
            for number, info in enumerate(asked)
        ]
    )
    readings.extend(SessionReading(info) for info in sessions[len(asked) :])
    if options.ignore:
        from hybridsnap.capture.ignore import capture_without

        return (yield from capture_without(readings, ordinals, options, limits)), readings
    return assemble(readings, ordinals, options, limits), readings


def collect_per_frame_maps(
    info: SessionInfo,
    *,
    main_frame_only: bool = False,
    looking: CaptureOptions | None = None,
    is_main: bool = True,
) -> Plan[SessionReading]:
    """Read one session: its frame tree, its DOM, and the AX tree of each of its frames.

    Args:
        info: the session.
        main_frame_only: only its first frame.
        looking: with layout or screenshot; None for neither.
        is_main: it is the page's own session.
    """
    reading = SessionReading(info)
    session = info.session
    heard = info.frames if info.frames and not main_frame_only else (info.root_frame,)
    looks: dict[str, Command[Any]] = {}
    if looking is not None:
        looks = layout_commands(session, looking, is_main=is_main)
    commands: list[Command[Any]] = [
        get_frame_tree(session),
        enable_dom(session),
        get_document(session, build_session_dom_index),
        disable_dom(session),
        *looks.values(),
        *(a11y_for_frame(session, frame) for frame in heard),
        get_frame_tree(session),
    ]
    outcomes: list[Outcome[Any]] = yield from settle(*commands)
    for outcome in outcomes:
        reading.stamp(outcome)
    before, _, document, _, *ax, after = outcomes
    if looks:
        reading.layout = read_layout(looks, ax[: len(looks)])
        ax = ax[len(looks) :]
    if isinstance(before, Answer):
        reading.tree = before.value.frames()
    else:
        reading.lost = _judge_silence(before)
    take_ax(reading, heard, ax)
    yield from take_document(reading, document)
    if reading.tree is not None:
        wanted = reading.tree[:1] if main_frame_only else reading.tree
        late = [
            frame.id
            for frame in wanted
            if frame.id not in reading.ax_trees and frame.id not in reading.lost_frames
        ]
        if late:
            outcomes = yield from settle(
                *(a11y_for_frame(session, frame) for frame in late), get_frame_tree(session)
            )
            *ax, after = outcomes
            take_ax(reading, late, ax)
            for outcome in outcomes:
                reading.stamp(outcome)
    compare_loaders(reading, after)
    return reading


def take_ax(
    reading: SessionReading, frames: Sequence[FrameId | None], outcomes: Sequence[Outcome[Any]]
) -> None:
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
        if isinstance(outcome, Answer):
            reading.ax_trees[frame] = outcome.value
        else:
            reading.lost_frames[frame] = _judge_silence(outcome)


def take_document(reading: SessionReading, outcome: Outcome[SessionDomIndex]) -> Plan[None]:
    session = reading.info.session
    try:
        if isinstance(outcome, Answer):
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


def compare_loaders(reading: SessionReading, after: Outcome[Any]) -> None:
    if reading.tree is None or not isinstance(after, Answer):
        return
    loaders = {frame.id: frame.loader_id for frame in after.value.frames()}
    for frame in reading.tree:
        if loaders.get(frame.id) != frame.loader_id:
            reading.navigated.add(frame.id)


def _judge_silence(failure: Failure) -> Lost:
    """As `lost_by`; but a page that was given no time to answer is not called busy."""
    lost = lost_by(failure.error)
    return Lost("timeout") if lost.cause == "busy" and failure.elapsed < _PROOF_OF_BUSY else lost


def lost_by(error: HybridsnapError) -> Lost:
    """What an error means for a frame's report."""
    match error:
        case TargetCrashed():
            return Lost("crashed")
        case TargetDetached():
            return Lost("detached")
        case CommandUnanswered():
            return Lost(error.cause)
        case ReplyTooLarge():
            return Lost("too_large", error.message)
        case CommandRefused() if "Frame with the given frameId is not found" in error.reason:
            return Lost("detached")
        case _:
            return Lost("error", error.message)


def assemble(
    readings: list[SessionReading],
    ordinals: Ordinals,
    options: CaptureOptions,
    limits: Limits,
) -> Capture:
    """Make a capture of what the sessions answered."""
    sessions = [reading.info for reading in readings]
    indexes = [reading.index for reading in readings]
    context = build_frame_context(sessions, [reading.tree for reading in readings], indexes)
    ordinals.assign(context.frames)
    owners = find_owners(context, indexes, ordinals)
    excluded = _excluded_frames(context, owners, indexes, options, limits)
    notes: list[str] = list(limits.notes)
    clickable = _find_clickable(readings, limits)
    rows_by_frame: dict[FrameId, FrameRows] = {}
    lost: dict[FrameId, Lost] = {}
    changed = False
    for frame, state in context.frames.items():
        if frame in excluded:
            continue
        reading = None if state.session is None else readings[state.session]
        tree = None if reading is None else reading.ax_trees.get(frame)
        ordinal = ordinals.by_frame[frame]
        if reading is None or tree is None:
            lost[frame] = _why_missing(reading, frame)
            continue
        rows = build_hierarchical_tree(
            tree,
            reading.index,
            ordinal,
            pierce_shadow=options.pierce_shadow,
            left_out=limits.left_out.get(frame, frozenset()),
            clickable=clickable.get(state.session, frozenset()),
        )
        rows_by_frame[frame] = rows
        if reading.index is not None and rows.unknown:
            changed = True
            notes.append(f"frame {ordinal}: {len(rows.unknown)} AX nodes have no counterpart in the DOM")
        if frame in reading.navigated:
            changed = True
            notes.append(f"frame {ordinal}: navigated during the capture")
    for reading in readings:
        if reading.index is not None and reading.index.truncated:
            changed = True
            notes.append(f"{len(reading.index.truncated)} DOM nodes could not be read in full")
    merged = merge_frames_into_snapshot(
        context if limits.root is None else dataclasses.replace(context, root_id=limits.root),
        owners,
        indexes,
        rows_by_frame,
        {
            frame: f"frame {ordinals.by_frame[frame]} not captured: {why.cause}"
            f"{' (' + context.frames[frame].url + ')' if context.frames[frame].url else ''}"
            for frame, why in lost.items()
        },
        ordinals,
    )
    reports = [
        _frame_report(context, frame, readings, ordinals, owners, rows_by_frame, lost, excluded, notes)
        for frame in sorted(
            context.frames, key=lambda frame: (frame != context.root_id, ordinals.by_frame[frame])
        )
    ]
    main_tree = readings[0].ax_trees.get(context.root_id)
    return Capture(
        context=context,
        ordinals=ordinals,
        indexes=indexes,
        owners=owners,
        frames=reports,
        rows=merged,
        urls={id_: url for rows in rows_by_frame.values() for id_, url in rows.urls.items()},
        title=limits.title
        if limits.title is not None
        else (name_of(main_tree.nodes[0]) if main_tree is not None and main_tree.nodes else ""),
        complete=all(report.status in ("captured", "excluded") for report in reports),
        consistent=not changed,
        notes=notes,
        ax_trees={
            frame: readings[number].ax_trees[frame]
            for frame in rows_by_frame
            if (number := context.frames[frame].session) is not None
        },
    )


def _find_clickable(
    readings: Sequence[SessionReading], limits: Limits
) -> dict[int | None, frozenset[BackendNodeId]]:
    """By session the elements that script makes clickable; nothing without layout."""
    found: dict[int | None, frozenset[BackendNodeId]] = {}
    for number, reading in enumerate(readings):
        reading.layout = reading.layout or limits.layouts.get(reading.info.session)
        if reading.layout is not None and reading.layout.layout is not None:
            found[number] = made_clickable(reading.index, reading.layout.layout.clickable)
    return found


def _why_missing(reading: SessionReading | None, frame: FrameId) -> Lost:
    if reading is None:
        return Lost("unreachable")
    return reading.lost_frames.get(frame) or reading.lost or Lost("error", "no AX tree came")


def _excluded_frames(
    context: FrameContext,
    owners: dict[FrameId, Owner],
    indexes: Sequence[SessionDomIndex | None],
    options: CaptureOptions,
    limits: Limits,
) -> set[FrameId]:
    """Frames that the options leave out, with all frames below them."""
    excluded: set[FrameId] = set() if limits.kept is None else set(context.frames) - limits.kept
    for frame, parent in context.parent_by_frame.items():
        if frame == context.root_id:
            continue
        if limits.kept is not None:
            # What is on the way to a frame is left out, and the frame is not.
            if frame in limits.excluded or (parent in excluded and parent in limits.kept):
                excluded.add(frame)
            continue
        owner = owners.get(frame)
        index = None if owner is None else indexes[owner.session]
        in_shadow = (
            not options.pierce_shadow
            and owner is not None
            and index is not None
            and index.in_author_shadow[owner.position]
        )
        if not options.include_iframes or in_shadow or parent in excluded or frame in limits.excluded:
            excluded.add(frame)
    return excluded


def _frame_report(
    context: FrameContext,
    frame: FrameId,
    readings: Sequence[SessionReading],
    ordinals: Ordinals,
    owners: dict[FrameId, Owner],
    rows_by_frame: dict[FrameId, FrameRows],
    lost: dict[FrameId, Lost],
    excluded: set[FrameId],
    notes: list[str],
) -> FrameReport:
    state = context.frames[frame]
    reading = None if state.session is None else readings[state.session]
    rows = rows_by_frame.get(frame)
    status: Status = "captured"
    cause: Cause | None = None
    if frame in excluded:
        status = "excluded"
    elif rows is None:
        status, cause = "missing", lost[frame].cause
        if lost[frame].note:
            notes.append(f"frame {ordinals.by_frame[frame]}: {lost[frame].note}")
    elif reading is not None and reading.index is None:
        why = reading.lost or Lost("error")
        status, cause = "partial", why.cause
        notes.append(
            f"frame {ordinals.by_frame[frame]}: no XPaths, its DOM could not be read. {why.note}".rstrip()
        )
    elif reading is not None and reading.index is not None and reading.index.truncated and reading.lost:
        status, cause = "partial", reading.lost.cause
    elif reading is not None and frame in reading.info.loading:
        status, cause = "partial", "loading"
    elif reading is not None and frame in reading.navigated:
        cause = "navigated"
    owner = owners.get(frame)
    return FrameReport(
        frame_id=frame,
        ordinal=ordinals.by_frame[frame],
        url=state.url,
        parent_frame_id=state.parent if frame != context.root_id else None,
        owner_id=None if owner is None else owner.element_id,
        loader_id=state.loader,
        status=status,
        cause=cause,
        dom_nodes=0
        if reading is None or frame in excluded
        else _count_dom_nodes(reading, owner, state.session),
        ax_nodes=0 if rows is None else rows.ax_nodes,
        elapsed_ms=0.0 if reading is None else round(reading.elapsed.get(frame, 0.0) * 1000, 1),
    )


def _count_dom_nodes(reading: SessionReading, owner: Owner | None, session: int | None) -> int:
    """Nodes in the frame's own document, shadow roots included, frames below it not."""
    index = reading.index
    if index is None:
        return 0
    document = 0
    if owner is not None and owner.session == session:
        content = index.nodes[owner.position].content_document
        if content is None:
            return 0
        document = index.position[content.backend_node_id]
    return index.document_sizes.get(document, 0)
