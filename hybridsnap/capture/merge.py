"""Many frames, one snapshot: child rows spliced below their owner element's row, XPaths prefixed.

Splicing works on rows, never on text (Stagehand's ``injectSubtrees`` is `_splice` here). The order is the
document's: an owner element that the AX tree leaves out is put in where it stands among its siblings.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from hybridsnap.capture.roles import FRAME_ROLE
from hybridsnap.capture.xpath import DOCUMENT, prefix_xpath
from hybridsnap.model import MISSING_FRAME, ElementId, Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.ax import FrameRows
    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.frames import FrameContext, Ordinals
    from hybridsnap.model import BackendNodeId, FrameId


@dataclasses.dataclass(frozen=True, slots=True)
class Owner:
    """The element that holds a frame.

    Attributes:
        session: index of the session in whose DOM it stands.
        position: where, in that session's index.
        element_id: its id.
        backend_node_id: the same without the ordinal.
    """

    session: int
    position: int
    element_id: ElementId
    backend_node_id: BackendNodeId


@dataclasses.dataclass(frozen=True, slots=True)
class _Inset:
    """Rows to stand before row `at` of a frame: a child frame's, below its owner."""

    at: int
    place: int
    depth: int
    child: FrameId
    owner_row: Row | None


def find_owners(
    context: FrameContext, indexes: Sequence[SessionDomIndex | None], ordinals: Ordinals
) -> dict[FrameId, Owner]:
    """The owner element of every child frame that has one in its parent's DOM."""
    owners: dict[FrameId, Owner] = {}
    for number, index in enumerate(indexes):
        if index is None:
            continue
        for frame, at in index.owners.items():
            parent = context.parent_by_frame.get(frame)
            # Another process's DOM may still hold an element for a frame that has moved.
            if parent in context.frames and context.frames[parent].session == number:
                backend_id = index.nodes[at].backend_node_id
                element_id = ElementId(f"{ordinals.by_frame[parent]}-{backend_id}")
                owners[frame] = Owner(number, at, element_id, backend_id)
    return owners


class DocumentPlace(NamedTuple):
    """Where a frame's document stands: its session, that session's DOM, and the document's position there."""

    session: int
    dom: SessionDomIndex
    position: int


def find_document(
    context: FrameContext,
    owners: Mapping[FrameId, Owner],
    indexes: Sequence[SessionDomIndex | None],
    frame: FrameId,
) -> DocumentPlace | None:
    """Where a frame's document stands; None where its DOM is not here."""
    state = context.frames.get(frame)
    number = None if state is None else state.session
    index = None if number is None else indexes[number]
    if number is None or index is None:
        return None
    owner = owners.get(frame)
    if owner is None or owner.session != number:
        return DocumentPlace(number, index, 0)
    content = index.nodes[owner.position].content_document
    return None if content is None else DocumentPlace(number, index, index.position[content.backend_node_id])


def compute_frame_prefixes(
    context: FrameContext, owners: Mapping[FrameId, Owner], indexes: Sequence[SessionDomIndex | None]
) -> dict[FrameId, str | None]:
    """For each frame its owner element's path through all frames above: ``/html[1]/body[1]/iframe[2]``.

    The main frame's is ``/``. None where an owner element on the way is not known.
    """
    prefixes: dict[FrameId, str | None] = {}
    for frame, parent in context.parent_by_frame.items():
        if parent is None or frame == context.root_id:
            prefixes[frame] = "/" if frame == context.root_id else None
            continue
        owner, above = owners.get(frame), prefixes.get(parent)
        index = None if owner is None else indexes[owner.session]
        own = None if owner is None or index is None else index.xpath(owner.position)
        prefixes[frame] = None if own is None or above is None else prefix_xpath(above, own)
    return prefixes


def merge_frames_into_snapshot(
    context: FrameContext,
    owners: Mapping[FrameId, Owner],
    indexes: Sequence[SessionDomIndex | None],
    rows_by_frame: Mapping[FrameId, FrameRows],
    missing: Mapping[FrameId, str],
    ordinals: Ordinals,
) -> list[Row]:
    """All frames' rows in document order, child frames one level below their owner element's row.

    Args:
        context: the frames.
        owners: their owner elements.
        indexes: each session's DOM.
        rows_by_frame: of the frames that could be read.
        missing: of the frames that could not, what their line says.
        ordinals: the frames' numbers.
    """
    shown: dict[FrameId, Sequence[Row]] = {frame: rows.rows for frame, rows in rows_by_frame.items()}
    for frame, words in missing.items():
        shown[frame] = [Row(None, 0, MISSING_FRAME, words, "", "", (), "", ordinals.by_frame[frame])]
    if len(shown) == 1 and context.root_id in shown:
        return list(shown[context.root_id])
    children: dict[FrameId, list[FrameId]] = {}
    for frame, parent in context.parent_by_frame.items():
        if frame in shown and frame != context.root_id:
            above = parent
            while above is not None and above not in shown:
                above = context.parent_by_frame.get(above)
            children.setdefault(context.root_id if above is None else above, []).append(frame)
    insets = {
        parent: _insets(rows_by_frame.get(parent), held, owners, indexes) for parent, held in children.items()
    }
    return _splice(context.root_id, shown, insets)


def _insets(
    above: FrameRows | None,
    held: Sequence[FrameId],
    owners: Mapping[FrameId, Owner],
    indexes: Sequence[SessionDomIndex | None],
) -> list[_Inset]:
    """Where in the parent's rows each child frame goes, in order."""
    if above is None:
        return [_Inset(1, 0, 0, child, None) for child in held]
    row_of = {
        backend_id: at for at, backend_id in enumerate(above.backend_node_ids) if backend_id is not None
    }
    insets: list[_Inset] = []
    printed: set[ElementId] = set()
    for child in held:
        owner = owners.get(child)
        index = None if owner is None else indexes[owner.session]
        if owner is None or index is None:
            insets.append(_Inset(len(above.rows), 0, 0, child, None))
        elif (at := row_of.get(owner.backend_node_id)) is not None:
            insets.append(_Inset(at + 1, 0, above.rows[at].depth, child, None))
        else:
            element_id = None if owner.element_id in printed else owner.element_id
            printed.add(owner.element_id)
            insets.append(_unprinted(above, owner, element_id, child, index, row_of))
    return sorted(insets, key=lambda inset: (inset.at, -inset.depth, inset.place))


def _unprinted(
    above: FrameRows,
    owner: Owner,
    element_id: ElementId | None,
    child: FrameId,
    index: SessionDomIndex,
    row_of: Mapping[BackendNodeId, int],
) -> _Inset:
    """A row for an owner element that has none, below its nearest ancestor that has one."""
    ancestor = index.parents[owner.position]
    while ancestor >= 0 and index.nodes[ancestor].backend_node_id not in row_of:
        if index.nodes[ancestor].node_type == DOCUMENT:
            break
        ancestor = index.parents[ancestor]
    start = row_of.get(index.nodes[ancestor].backend_node_id, 0) if ancestor >= 0 else 0
    depth = above.rows[start].depth + 1 if above.rows else 0
    at = start + 1
    while at < len(above.rows) and above.rows[at].depth >= depth:
        backend_id = above.backend_node_ids[at]
        if (
            above.rows[at].depth == depth
            and backend_id is not None
            and index.position[backend_id] > owner.position
        ):
            break
        at += 1
    ordinal = above.rows[start].frame if above.rows else 0
    row = Row(element_id, depth, FRAME_ROLE, "", "", "", (), index.tags[owner.position], ordinal)
    return _Inset(at, owner.position, depth, child, row)


def _splice(
    root: FrameId, shown: Mapping[FrameId, Sequence[Row]], insets: Mapping[FrameId, Sequence[_Inset]]
) -> list[Row]:
    merged: list[Row] = []
    open_frames = [_Reading(root, 0)]
    while open_frames:
        reading = open_frames[-1]
        own = insets.get(reading.frame, ())
        inset = own[reading.inset] if reading.inset < len(own) else None
        rows = shown[reading.frame]
        until = len(rows) if inset is None else inset.at
        merged.extend(_shifted(rows[reading.at : until], reading.depth))
        reading.at = until
        if inset is None:
            open_frames.pop()
            continue
        reading.inset += 1
        if inset.owner_row is not None:
            merged.extend(_shifted([inset.owner_row], reading.depth))
        open_frames.append(_Reading(inset.child, reading.depth + inset.depth + 1))
    return merged


@dataclasses.dataclass(slots=True)
class _Reading:
    """How far a frame's rows have been merged, and how deep they stand."""

    frame: FrameId
    depth: int
    at: int = 0
    inset: int = 0


def _shifted(rows: Sequence[Row], depth: int) -> Sequence[Row]:
    if not depth:
        return rows
    return [
        Row(
            row.id,
            row.depth + depth,
            row.role,
            row.name,
            row.description,
            row.value,
            row.states,
            row.tag,
            row.frame,
            row.provenance,
            row.hint,
        )
        for row in rows
    ]
