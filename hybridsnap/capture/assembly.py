"""From what the sessions answered to one capture: frames, rows, reports. Nothing here asks for anything."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.capture.ax import FrameRows, build_hierarchical_tree
from hybridsnap.capture.clickable import by_attribute, by_listener, by_pointer, by_sorting
from hybridsnap.capture.frames import FrameContext, FrameFailure, Ordinals, build_frame_context
from hybridsnap.capture.merge import Owner, find_document, find_owners, merge_frames_into_snapshot
from hybridsnap.capture.reading import Capture, CaptureScope, SessionResult
from hybridsnap.capture.shadow import leave_out_shadow
from hybridsnap.model import ERROR_PAGE, CaptureOptions, Cause, FrameReport, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import (
        SessionDomIndex,
    )
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
    sessions = [reading.info for reading in readings]
    indexes = [reading.index for reading in readings]
    context = build_frame_context(sessions, [reading.tree for reading in readings], indexes)
    ordinals.assign(context.frames)
    owners = find_owners(context, indexes, ordinals)
    excluded = _excluded_frames(context, owners, indexes, options, limits)
    notes: list[str] = list(limits.notes)
    clickable = _find_clickable(readings, limits)
    rows_by_frame: dict[FrameId, FrameRows] = {}
    lost: dict[FrameId, FrameFailure] = {}
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
        notes += reading.notes
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
        _frame_report(
            context, frame, readings, indexes, ordinals, owners, rows_by_frame, lost, excluded, notes
        )
        for frame in sorted(
            context.frames, key=lambda frame: (frame != context.root_id, ordinals.by_frame[frame])
        )
    ]
    if failed := [str(one.ordinal) for one in reports if one.url.startswith(ERROR_PAGE)]:
        notes.append(f"frame {', '.join(failed)}: could not be loaded, this is the browser's error page")
    main_tree = readings[0].ax_trees.get(context.root_id)
    capture = Capture(
        context=context,
        ordinals=ordinals.of(context.frames),
        indexes=indexes,
        owners=owners,
        frames=reports,
        rows=merged,
        urls={id_: url for rows in rows_by_frame.values() for id_, url in rows.urls.items()},
        title=limits.title
        if limits.title is not None
        else (main_tree.nodes[0].name if main_tree is not None and main_tree.nodes else ""),
        complete=all(report.status in ("captured", "excluded") for report in reports),
        consistent=not changed,
        notes=notes,
        ax_trees={
            frame: readings[number].ax_trees[frame]
            for frame in rows_by_frame
            if (number := context.frames[frame].session) is not None
        },
    )
    if not options.pierce_shadow:
        leave_out_shadow(capture)
    return capture


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


def _frame_report(
    context: FrameContext,
    frame: FrameId,
    readings: Sequence[SessionResult],
    indexes: Sequence[SessionDomIndex | None],
    ordinals: Ordinals,
    owners: dict[FrameId, Owner],
    rows_by_frame: dict[FrameId, FrameRows],
    lost: dict[FrameId, FrameFailure],
    excluded: set[FrameId],
    notes: list[str],
) -> FrameReport:
    state = context.frames[frame]
    reading = None if state.session is None else readings[state.session]
    rows = rows_by_frame.get(frame)
    owner = owners.get(frame)
    place = None if reading is None or frame in excluded else find_document(context, owners, indexes, frame)
    # In its own document: shadow roots included, frames below it not.
    dom_nodes = 0 if place is None else place.dom.document_sizes.get(place.position, 0)
    status: Status = "captured"
    cause: Cause | None = None
    if frame in excluded:
        status = "excluded"
    elif rows is None:
        status, cause = "missing", lost[frame].cause
        if lost[frame].note:
            notes.append(f"frame {ordinals.by_frame[frame]}: {lost[frame].note}")
    elif reading is not None and reading.index is None:
        why = reading.lost or FrameFailure("error")
        status, cause = "partial", why.cause
        notes.append(
            f"frame {ordinals.by_frame[frame]}: no XPaths, its DOM could not be read. {why.note}".rstrip()
        )
    elif reading is not None and reading.index is not None and reading.index.truncated and reading.lost:
        status, cause = "partial", reading.lost.cause
    elif reading is not None and (frame in reading.info.loading or dom_nodes == NOT_PARSED_YET):
        status, cause = "partial", "loading"
    elif reading is not None and frame in reading.navigated:
        cause = "navigated"
    return FrameReport(
        frame_id=frame,
        ordinal=ordinals.by_frame[frame],
        url=state.url,
        parent_frame_id=state.parent if frame != context.root_id else None,
        owner_id=None if owner is None else owner.element_id,
        loader_id=state.loader,
        status=status,
        cause=cause,
        dom_nodes=dom_nodes,
        ax_nodes=0 if rows is None else rows.ax_nodes,
        elapsed_ms=0.0 if reading is None else round(reading.elapsed.get(frame, 0.0) * 1000, 1),
    )
