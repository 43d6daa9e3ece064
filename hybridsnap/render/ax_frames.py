"""The accessibility trees of a snapshot's frames: the nodes of each, and which node holds which frame."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from hybridsnap.capture.xpath import DOCTYPE, FRAGMENT
from hybridsnap.model import ElementId

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import BackendNodeId, FrameId
    from hybridsnap.protocol.ax_tree import AXNode


class FrameTree:
    """One frame's nodes, ignored ones included.

    Attributes:
        ordinal: the frame's.
        nodes: by id; of two of one id the first counts.
        root: the first node.
        orphans: the other nodes that no node names as its child.
    """

    def __init__(self, nodes: Sequence[AXNode], ordinal: int, index: SessionDomIndex | None) -> None:
        self.ordinal = ordinal
        self._index = index
        self.nodes: dict[int, AXNode] = {}
        for node in nodes:
            self.nodes.setdefault(node.node_id, node)
        self.root: AXNode = nodes[0]
        named = {child for node in self.nodes.values() for child in node.child_ids}
        self.orphans: list[AXNode] = [
            node for node in self.nodes.values() if node.node_id not in named and node is not self.root
        ]

    @functools.cached_property
    def by_backend_id(self) -> dict[BackendNodeId, AXNode]:
        """The first node of each DOM node."""
        found: dict[BackendNodeId, AXNode] = {}
        for node in self.nodes.values():
            if node.backend_node_id is not None:
                found.setdefault(node.backend_node_id, node)
        return found

    def id_of(self, node: AXNode) -> ElementId | None:
        """The node's id; None where nothing of the DOM that has a path stands behind the node."""
        backend_id = node.backend_node_id
        if backend_id is None:
            return None
        if self._index is not None:
            dom_node = self._index.node_of(backend_id)
            if dom_node is None or dom_node.node_type in (DOCTYPE, FRAGMENT):
                return None
        return ElementId(f"{self.ordinal}-{backend_id}")


def read_frame_trees(capture: Capture) -> dict[FrameId, FrameTree]:
    """The trees of all frames that have nodes."""
    trees: dict[FrameId, FrameTree] = {}
    for frame, state in capture.context.frames.items():
        if frame in capture.ax_trees and capture.ax_trees[frame].nodes:
            index = None if state.session is None else capture.indexes[state.session]
            trees[frame] = FrameTree(capture.ax_trees[frame].nodes, capture.ordinals.by_frame[frame], index)
    return trees


def holder_of(
    capture: Capture, trees: Mapping[FrameId, FrameTree], frame: FrameId
) -> tuple[FrameId, int | None]:
    """The frame that a child frame stands below, and the id of the node there; None for the root.

    That node is the owner element's, or that of the nearest element above it that has a node. Where frames
    between the two have no tree, the owner element of the topmost of these counts.
    """
    context = capture.context
    above = context.parent_by_frame.get(frame)
    while above is not None and above not in trees:
        frame, above = above, context.parent_by_frame.get(above)
    if above is None:
        above = context.root_id
    owner = capture.owners.get(frame)
    index = None if owner is None else capture.indexes[owner.session]
    if above in trees and owner is not None and index is not None:
        here = owner.position
        while here >= 0:
            node = trees[above].by_backend_id.get(index.nodes[here].backend_node_id)
            if node is not None:
                return above, node.node_id
            here = index.parents[here]
    return above, None
