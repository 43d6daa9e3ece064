"""Ignore: a capture without some subtrees.

The page is captured as ever, what the selectors match is looked up, and its rows go when everything else
about the rows is decided: the others are as they are in the whole. The maps and the DOM lose it too; the
frames in it are in the report as excluded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.assembly import assemble
from hybridsnap.capture.frames import build_frame_context
from hybridsnap.capture.merge import find_owners
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.capture.selectors import parse_selector
from hybridsnap.capture.shadow import NOT
from hybridsnap.errors import HybridsnapError, SelectorError
from hybridsnap.protocol.ax_tree import AXTree, with_descendants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.frames import Ordinals
    from hybridsnap.capture.node_resolver import NodeRef
    from hybridsnap.capture.reading import Capture, CaptureScope, SessionResult
    from hybridsnap.model import CaptureOptions
    from hybridsnap.protocol.plan import Plan


def capture_without(
    readings: list[SessionResult], ordinals: Ordinals, options: CaptureOptions, limits: CaptureScope
) -> Plan[Capture]:
    """Make a capture of what the sessions answered, without what ``options.ignore`` matches.

    Raises:
        SelectorError: one of the selectors is none.
    """
    sessions = [reading.info for reading in readings]
    indexes = [reading.index for reading in readings]
    context = build_frame_context(sessions, [reading.tree for reading in readings], indexes)
    ordinals.assign(context.frames)
    resolver = NodeResolver(sessions, ordinals)
    for number, reading in enumerate(readings):
        if reading.tree is not None:
            resolver.trees[number] = reading.tree
        if reading.index is not None:
            resolver.note_closed_roots(number, reading.index)
    removed = [bytearray(0 if index is None else len(index.nodes)) for index in indexes]
    for text in options.ignore:
        for place in (yield from _ignored(resolver, text, limits)):
            _remove(indexes[place.session], removed[place.session], place)
    yield from resolver.release()
    _leave_out(readings, removed, limits)
    capture = assemble(readings, ordinals, options, limits)
    for number, index in enumerate(indexes):
        if index is not None and any(removed[number]):
            capture.indexes[number] = index.narrowed(removed[number].translate(NOT))
    capture.owners = find_owners(capture.context, capture.indexes, ordinals)
    for frame, left_out in limits.left_out.items():
        if (tree := capture.ax_trees.get(frame)) is not None:
            capture.ax_trees[frame] = _without(tree, left_out)
    return capture


def _ignored(resolver: NodeResolver, text: str, limits: CaptureScope) -> Plan[list[NodeRef]]:
    """What a selector matches; where that is nothing, or cannot be told, a note says so."""
    try:
        places = yield from resolver.find(parse_selector(text), None)
    except HybridsnapError as error:
        if isinstance(error, SelectorError) and error.reason == "syntax":
            raise
        limits.notes.append(f"ignore: {text!r} could not be looked up: {error.message}")
        return []
    if not places:
        limits.notes.append(f"ignore: {text!r} matches nothing on the page")
    return places


def _remove(index: SessionDomIndex | None, removed: bytearray, place: NodeRef) -> None:
    """Mark a node's subtree."""
    here = None if index is None else index.position.get(place.backend_node_id)
    if index is not None and here is not None and not removed[here]:
        for at in range(here, index.end_of(here)):
            removed[at] = 1


def _leave_out(readings: Sequence[SessionResult], removed: Sequence[bytearray], limits: CaptureScope) -> None:
    """Say which frames and which AX nodes go with the marked part of the DOM."""
    for reading, marks in zip(readings, removed, strict=True):
        index = reading.index
        if index is None or not any(marks):
            continue
        gone = {frame for frame, at in index.owners.items() if marks[at]}
        limits.excluded |= gone
        for frame, tree in reading.ax_trees.items():
            children = {node.node_id: node.child_ids for node in reversed(tree.nodes)}
            marked = [
                node.node_id
                for node in tree.nodes
                if node.backend_node_id is not None
                and (at := index.position.get(node.backend_node_id)) is not None
                and marks[at]
            ]
            limits.left_out[frame] = frozenset(with_descendants(marked, children))


def _without(tree: AXTree, left_out: frozenset[int]) -> AXTree:
    for node in tree.nodes:
        if not left_out.isdisjoint(node.child_ids):
            node.child_ids = tuple(child for child in node.child_ids if child not in left_out)
    return AXTree([node for node in tree.nodes if node.node_id not in left_out])
