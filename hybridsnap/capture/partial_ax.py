"""A part of a frame's accessibility tree, without the rest of it.

`Accessibility.getChildAXNodes` is asked level by level. `Accessibility.queryAXTree` would be one command, but
it waits for the next frame that is painted: in a hidden tab, and in a frame that is scrolled out of sight, it
never answers; of the host of a shadow root it knows nothing; and of ignored nodes it says what they would be
(all measured). `Accessibility.getPartialAXTree` knows no descendants. A large part is cut from the full tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from hybridsnap.capture.xpath import DOCUMENT
from hybridsnap.protocol.ax_tree import AXNode, AXTree, with_descendants
from hybridsnap.protocol.commands import get_ax_children
from hybridsnap.protocol.plan import all_unless_refused, gather_outcomes, unless_refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import FrameId, SessionId
    from hybridsnap.protocol.plan import Outcome, Plan, Reply

#: DOM nodes of a subtree up to which its AX nodes are asked for in steps: 0.1 to 0.3 ms for each (measured).
IN_STEPS = 1000
#: Steps at most; each is a round trip.
_LEVELS = 64


def read_ax_in_steps(
    session: SessionId | None, frame: FrameId, line: Sequence[AXNode]
) -> Plan[AXTree | None]:
    """A node's AX subtree, level by level; None when that does not serve."""
    top, *above = line
    if not top.node_id:
        return None  # it has none of its own; what is below it may have
    if top.ignored and not (above and top.node_id in above[0].child_ids):
        top.backend_node_id = None  # the whole tree passes over it: it makes no row
    found, level = [top], [top]
    known = {top.node_id}
    for _ in range(_LEVELS):
        asked = [node for node in level if not known.issuperset(node.child_ids)]
        if not asked:
            return AXTree(found)
        outcomes = yield from gather_outcomes(
            *(get_ax_children(session, frame, node.node_id) for node in asked)
        )
        trees = all_unless_refused(outcomes)
        if trees is None:
            return None
        level = []
        for tree in trees:
            for node in tree.nodes:
                if node.node_id not in known:
                    known.add(node.node_id)
                    level.append(node)
        found += level
    return None


def cut_ax_tree(tree: AXTree, index: SessionDomIndex, here: int) -> AXTree:
    """Of a frame's AX tree what is below one DOM node, under a root of its own that makes no row."""
    if index.nodes[here].node_type == DOCUMENT:
        return tree
    end = index.end_of(here)
    place = {
        node.node_id: at
        for node in tree.nodes
        if node.backend_node_id is not None
        and here <= (at := index.position.get(node.backend_node_id, -1)) < end
    }
    children = {node.node_id: node.child_ids for node in reversed(tree.nodes)}
    inside = with_descendants(place, children)
    held = {child for node_id in inside for child in children.get(node_id, ())}
    tops = sorted((node_id for node_id in place if node_id not in held), key=place.__getitem__)
    root = AXNode(0, ignored=True, child_ids=tuple(tops))
    return AXTree([root, *(node for node in tree.nodes if node.node_id in inside)])


def has_nodes(outcome: Outcome[Any]) -> TypeGuard[Reply[AXTree]]:
    """Whether AX nodes came, rather than a refusal.

    Raises:
        HybridsnapError: anything else came.
    """
    tree = unless_refused(outcome)
    return tree is not None and bool(tree.nodes)
