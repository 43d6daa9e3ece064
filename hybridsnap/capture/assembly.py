"""From what the sessions answered to one capture: frames, rows, reports. Nothing here asks for anything."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.capture.ax import FrameRows, build_hierarchical_tree
from hybridsnap.capture.clickable import by_attribute, by_listener, by_pointer, by_sorting
from hybridsnap.capture.frames import FrameContext, FrameFailure, Ordinals, build_frame_context
from hybridsnap.capture.merge import Owner, find_document, find_owners, merge_frames_into_snapshot
from hybridsnap.capture.passwords import hide_passwords
from hybridsnap.capture.reading import Capture, CaptureScope, SessionResult
from hybridsnap.capture.shadow import leave_out_shadow
from hybridsnap.model import ERROR_PAGE, CaptureOptions, Cause, FrameReport, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId, FrameId

#: Nodes of a document that has no element yet: its frame was loading, whatever has been heard of that.
NOT_PARSED_YET = 1


def assemble(
    readings: list[SessionResult],
    ordinals: Ordinals,
    options: CaptureOptions,
    limits: CaptureScope,
) -> Capture:
    """Make a capture of what the sessions answered."""
    indexes = [reading.index for reading in readings]
    for one in readings:
        hide_passwords(one, ordinals)
    context = build_frame_context(
        [reading.info for reading in readings], [reading.tree for reading in readings], indexes
    )
    ordinals.assign(context.frames)
    owners = find_owners(context, indexes, ordinals)
    excluded = _excluded_frames(context, owners, indexes, options, limits)
    frames = _Frames(context, readings, indexes, ordinals, owners, excluded, list(limits.notes))
    frames.build_rows(options, limits)
    frames.note_sessions()
    merged = merge_frames_into_snapshot(
        context if limits.root is None else dataclasses.replace(context, root_id=limits.root),
        owners,
        indexes,
        frames.rows,
        frames.missing_lines(),
        ordinals,
    )
    reports = frames.reports()
    main_tree = readings[0].ax_trees.get(context.root_id)
    title = main_tree.nodes[0].name if main_tree is not None and main_tree.nodes else ""
    capture = Capture(
        context=context,
        ordinals=ordinals.of(context.frames),
        indexes=indexes,
        owners=owners,
        frames=reports,
        rows=merged,
        urls={id_: url for rows in frames.rows.values() for id_, url in rows.urls.items()},
        title=title if limits.title is None else limits.title,
        complete=all(report.status in ("captured", "excluded") for report in reports),
        consistent=frames.consistent,
        notes=frames.notes,
        ax_trees={
            frame: reading.ax_trees[frame] for frame in frames.rows if (reading := frames.reading(frame))
        },
    )
    if not options.pierce_shadow:
        leave_out_shadow(capture)
    return capture


@dataclasses.dataclass(slots=True)
class _Frames:
    """What a capture is made of, frame by frame.

    Attributes:
        context: the frames.
        readings: what each session answered.
        indexes: its DOM; None where that could not be read.
        ordinals: the frames' numbers.
        owners: their owner elements.
        excluded: those that the options leave out.
        notes: what a reader should know beside.
        rows: of the frames that could be read.
        lost: why the others could not.
        consistent: DOM and AX tree describe the same documents.
    """

    context: FrameContext
    readings: Sequence[SessionResult]
    indexes: Sequence[SessionDomIndex | None]
    ordinals: Ordinals
    owners: dict[FrameId, Owner]
    excluded: set[FrameId]
    notes: list[str]
    rows: dict[FrameId, FrameRows] = dataclasses.field(default_factory=dict)
    lost: dict[FrameId, FrameFailure] = dataclasses.field(default_factory=dict)
    consistent: bool = True

    def reading(self, frame: FrameId) -> SessionResult | None:
        """Of the session that the frame is in; None where that is not known."""
        session = self.context.frames[frame].session
        return None if session is None else self.readings[session]

    def build_rows(self, options: CaptureOptions, limits: CaptureScope) -> None:
        """The rows of each frame, or why it has none."""
        clickable = _find_clickable(self.readings, limits)
        for frame, state in self.context.frames.items():
            if frame in self.excluded:
                continue
            reading = self.reading(frame)
            tree = None if reading is None else reading.ax_trees.get(frame)
            if reading is None or tree is None:
                self.lost[frame] = _why_missing(reading, frame)
                continue
            ordinal = self.ordinals.by_frame[frame]
            rows = self.rows[frame] = build_hierarchical_tree(
                tree,
                reading.index,
                ordinal,
                pierce_shadow=options.pierce_shadow,
                left_out=limits.left_out.get(frame, frozenset()),
                clickable=clickable.get(state.session, frozenset()),
            )
            if reading.index is not None and rows.unknown:
                unknown = len(rows.unknown)
                self._note_change(f"frame {ordinal}: {unknown} AX nodes have no counterpart in the DOM")
            if frame in reading.navigated:
                self._note_change(f"frame {ordinal}: navigated during the capture")

    def note_sessions(self) -> None:
        """What there is to say of each session."""
        for reading in self.readings:
            if reading.index is not None and reading.index.truncated:
                self._note_change(f"{len(reading.index.truncated)} DOM nodes could not be read in full")
            self.notes += reading.notes

    def _note_change(self, words: str) -> None:
        self.consistent = False
        self.notes.append(words)

    def missing_lines(self) -> dict[FrameId, str]:
        """What the outline says in the place of each lost frame."""
        lines: dict[FrameId, str] = {}
        for frame, why in self.lost.items():
            url = self.context.frames[frame].url
            place = f" ({url})" if url else ""
            lines[frame] = f"frame {self.ordinals.by_frame[frame]} not captured: {why.cause}{place}"
        return lines

    def reports(self) -> list[FrameReport]:
        """The outcome for each frame, the main frame first; notes say what does not fit in there."""
        root, by_frame = self.context.root_id, self.ordinals.by_frame
        in_order = sorted(self.context.frames, key=lambda frame: (frame != root, by_frame[frame]))
        reports = [self._report(frame) for frame in in_order]
        if failed := [str(one.ordinal) for one in reports if one.url.startswith(ERROR_PAGE)]:
            words = "could not be loaded, this is the browser's error page"
            self.notes.append(f"frame {', '.join(failed)}: {words}")
        return reports

    def _report(self, frame: FrameId) -> FrameReport:
        state, ordinal, reading = (
            self.context.frames[frame],
            self.ordinals.by_frame[frame],
            self.reading(frame),
        )
        rows, owner = self.rows.get(frame), self.owners.get(frame)
        place = None
        if reading is not None and frame not in self.excluded:
            place = find_document(self.context, self.owners, self.indexes, frame)
        # In its own document: shadow roots included, frames below it not.
        dom_nodes = 0 if place is None else place.dom.document_sizes.get(place.position, 0)
        status, cause = self._status(frame, dom_nodes)
        return FrameReport(
            frame_id=frame,
            ordinal=ordinal,
            url=state.url,
            parent_frame_id=state.parent if frame != self.context.root_id else None,
            owner_id=None if owner is None else owner.element_id,
            loader_id=state.loader,
            status=status,
            cause=cause,
            dom_nodes=dom_nodes,
            ax_nodes=0 if rows is None else rows.ax_nodes,
            elapsed_ms=0.0 if reading is None else round(reading.elapsed.get(frame, 0.0) * 1000, 1),
        )

    def _status(self, frame: FrameId, dom_nodes: int) -> tuple[Status, Cause | None]:
        """How much of a frame there is, and why not more."""
        ordinal, reading = self.ordinals.by_frame[frame], self.reading(frame)
        if frame in self.excluded:
            return "excluded", None
        if frame in self.lost or reading is None:
            why = self.lost[frame]
            if why.note:
                self.notes.append(f"frame {ordinal}: {why.note}")
            return "missing", why.cause
        if reading.index is None:
            why = reading.lost or FrameFailure("error")
            words = "no XPaths, its DOM could not be read."
            self.notes.append(f"frame {ordinal}: {words} {why.note}".rstrip())
            return "partial", why.cause
        if reading.index.truncated and reading.lost:
            return "partial", reading.lost.cause
        if frame in reading.info.loading or dom_nodes == NOT_PARSED_YET:
            return "partial", "loading"
        return "captured", "navigated" if frame in reading.navigated else None


def _find_clickable(
    readings: Sequence[SessionResult], limits: CaptureScope
) -> dict[int | None, frozenset[BackendNodeId]]:
    """By session the elements that script makes clickable."""
    found: dict[int | None, frozenset[BackendNodeId]] = {}
    for number, reading in enumerate(readings):
        reading.layout = reading.layout or limits.layouts.get(reading.info.session)
        index, layout = reading.index, None if reading.layout is None else reading.layout.layout
        if index is None:
            found[number] = reading.pointed
            continue
        if layout is None:
            told = by_attribute(index) | reading.pointed
        else:
            pointed = (at for one in layout.pointed if (at := index.position.get(one)) is not None)
            told = by_listener(index, layout.clickable) | by_pointer(index, pointed)
        found[number] = index.clickable = told | by_sorting(index)
    return found


def _why_missing(reading: SessionResult | None, frame: FrameId) -> FrameFailure:
    if reading is None:
        return FrameFailure("unreachable")
    return reading.lost_frames.get(frame) or reading.lost or FrameFailure("error", "no AX tree came")


def _excluded_frames(
    context: FrameContext,
    owners: dict[FrameId, Owner],
    indexes: Sequence[SessionDomIndex | None],
    options: CaptureOptions,
    limits: CaptureScope,
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
