"""A capture without what stands in author shadow roots (``pierce_shadow=False``).

The rows are without it already (`hybridsnap.capture.ax`); here the DOM and the AX trees lose it too, so that
no format and no map shows what was to be left out. What is slotted into a shadow root is the page's own, and
stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.merge import find_owners
from hybridsnap.protocol.ax_tree import with_descendants

if TYPE_CHECKING:
    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.reading import Capture
    from hybridsnap.protocol.ax_tree import AXTree

#: Turns marks of what goes into marks of what stays.
NOT = bytes([1]) + bytes(255)


def leave_out_shadow(capture: Capture) -> None:
    """Take author shadow roots out of a capture's DOM and AX trees."""
    for number, index in enumerate(capture.indexes):
        if index is None or not any(index.in_author_shadow):
            continue
        for frame, tree in capture.ax_trees.items():
            if capture.context.frames[frame].session == number:
                _see_through(tree, index)
        capture.indexes[number] = index.narrowed(bytes(index.in_author_shadow).translate(NOT))
    capture.owners = find_owners(capture.context, capture.indexes, capture.ordinals)


def _see_through(tree: AXTree, index: SessionDomIndex) -> None:
    """Make the AX nodes of shadow roots transparent; what a style sheet made below them goes."""
    position, in_shadow = index.position, index.in_author_shadow
    in_dom = {
        node.node_id
        for node in tree.nodes
        if node.backend_node_id is not None and node.backend_node_id in position
    }
    below = {node.node_id: node.child_ids for node in reversed(tree.nodes)}
    gone: set[int] = set()
    for node in tree.nodes:
        here = None if node.backend_node_id is None else position.get(node.backend_node_id)
        if here is not None and in_shadow[here]:
            node.ignored = True
            gone.update(child for child in node.child_ids if child not in in_dom)
            node.child_ids = tuple(child for child in node.child_ids if child in in_dom)
    gone = with_descendants(gone, below)
    tree.nodes = [node for node in tree.nodes if node.node_id not in gone]
