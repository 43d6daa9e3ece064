"""What the browser does not render: yet, out of view (``content-visibility: auto``), or at all (``hidden``).

Chromium lists nothing below them in the accessibility tree, though a person sees it as soon as it is scrolled
to. To ask which elements have the style costs as much as all else on a small page, so that is asked only
where an element without anything below it in the accessibility tree holds text in the DOM: on few pages, and
for another cause on fewer still.

A frame below ``content-visibility: hidden`` (a closed ``<details>``, ``hidden=until-found``) is not
displayed. Chromium lists nothing in its document until somebody asks for a style there, as our own search for
pointers does; from then on it lists all. So a frame that has content though its owner element is not listed
is emptied where such an element holds it.

The process of a cross-site frame may not know yet, when the frame has loaded, that the frame is displayed:
nothing in its document is rendered then, though the page shows its owner element. It is asked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.ax import a11y_for_frame
from hybridsnap.capture.clickable import find_styled_in_pieces
from hybridsnap.capture.dom import UNREAD_TAGS
from hybridsnap.capture.xpath import DOCUMENT, ELEMENT, FRAGMENT, TEXT
from hybridsnap.protocol.ax_tree import AXTree
from hybridsnap.protocol.plan import Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.reading import SessionResult
    from hybridsnap.model import BackendNodeId, FrameId, SessionId
    from hybridsnap.protocol.plan import Plan

#: Elements in which text in the DOM is a value, or a substitute for what is drawn.
_DRAWN_OTHERWISE = UNREAD_TAGS | {"canvas", "meter", "option", "picture", "progress", "select", "textarea"}
#: Roles of containers that authors name. What has another role and a name may be drawn by that alone.
_NAMED_CONTAINERS = frozenset(
    {"article", "complementary", "form", "group", "list", "main", "navigation", "region", "search"}
)
#: Why an AX node is ignored that may be rendered.
_SHOWN_REASONS = frozenset({"", "uninteresting"})


def find_unrendered(
    session: SessionId | None, index: SessionDomIndex, trees: Iterable[AXTree]
) -> Plan[tuple[frozenset[BackendNodeId], str]]:
    """The elements of a session whose content is not rendered while it is out of view.

    Args:
        session: whose documents; its DOM domain is off.
        index: its DOM.
        trees: of its frames.

    Returns:
        The elements, and a note on what could not be looked for; "" where all was.
    """
    suspected = {
        node.backend_node_id
        for tree in trees
        for node in tree.nodes
        if not node.child_ids
        and node.backend_node_id is not None
        and (not node.name or node.role in _NAMED_CONTAINERS)
        and node.ignored_reason in _SHOWN_REASONS
        and _holds_text(index, index.position.get(node.backend_node_id, -1))
    }
    if not suspected:
        return frozenset(), ""
    found, left_out = yield from find_styled_in_pieces(session, index, ("content-visibility", "auto"))
    if not isinstance(found, Reply):
        why = found.error.message
        return frozenset(), f"content that is not rendered yet could not be looked for: {why}"
    note = f"{left_out} elements with content-visibility were not looked up: too many" if left_out else ""
    return frozenset(suspected.intersection(index.nodes[at].backend_node_id for at in found.value)), note


def empty_locked_frames(
    session: SessionId | None, index: SessionDomIndex, trees: dict[FrameId, AXTree]
) -> Plan[str]:
    """Leave of frames that are not displayed the root only, as Chromium does before it is asked for styles.

    Args:
        session: whose documents; its DOM domain is off.
        index: its DOM.
        trees: of its frames; those that are not displayed are replaced.

    Returns:
        A note on what could not be looked for; "" where all was.
    """
    filled = {
        frame: at for frame, at in index.owners.items() if frame in trees and len(trees[frame].nodes) > 1
    }
    if not filled:
        return ""
    listed = {node.backend_node_id for tree in trees.values() for node in tree.nodes}
    if listed.issuperset(index.nodes[at].backend_node_id for at in filled.values()):
        return ""
    found, _ = yield from find_styled_in_pieces(session, index, ("content-visibility", "hidden"))
    if not isinstance(found, Reply):
        return f"whether frames are displayed could not be looked for: {found.error.message}"
    locked = {at for element in found.value for at in _shown_in(index, element)}
    for frame, at in filled.items():
        # In a frame that is emptied itself, the owners below are listed.
        hidden, here = index.nodes[at].backend_node_id not in listed, at
        while here >= 0 and not (hidden and here in locked):
            here = index.parents[here]
            hidden = hidden or (here >= 0 and index.nodes[here].backend_node_id not in listed)
        if here >= 0:
            trees[frame] = AXTree([msgspec.structs.replace(trees[frame].nodes[0], child_ids=())])
    return ""


def reread_undrawn_frames(readings: Sequence[SessionResult]) -> Plan[None]:
    """Ask once more for the AX trees of cross-site frames that are displayed, and render nothing.

    Args:
        readings: of all sessions; the AX trees are replaced.
    """
    undrawn = [
        (reading, reading.tree[0].id)
        for reading in readings[1:]
        if reading.tree and _renders_nothing(reading.ax_trees.get(reading.tree[0].id))
    ]
    if not undrawn:
        return
    owners = {
        frame: reading.index.nodes[at].backend_node_id
        for reading in readings
        if reading.index is not None
        for frame, at in reading.index.owners.items()
    }
    wanted = {owners[frame] for _, frame in undrawn if frame in owners}
    shown = {
        node.backend_node_id
        for reading in readings
        for tree in reading.ax_trees.values()
        for node in tree.nodes
        if node.backend_node_id in wanted and not node.ignored
    }
    undrawn = [(reading, frame) for reading, frame in undrawn if owners.get(frame) in shown]
    outcomes = yield from gather_outcomes(
        *(a11y_for_frame(reading.info.session, frame) for reading, frame in undrawn)
    )
    for (reading, frame), outcome in zip(undrawn, outcomes, strict=True):
        reading.stamp(outcome)
        if isinstance(outcome, Reply):
            reading.ax_trees[frame] = outcome.value


def _renders_nothing(tree: AXTree | None) -> bool:
    """Whether all that the tree tells of its document is that its element is not rendered."""
    return tree is not None and [node.ignored_reason for node in tree.nodes] == ["", "notRendered"]


def _shown_in(index: SessionDomIndex, here: int) -> Iterator[int]:
    """The element itself, and of one with slots the host, whose children are shown in them."""
    yield here
    inside = range(here, index.end_of(here))
    while here >= 0 and index.nodes[here].node_type not in {FRAGMENT, DOCUMENT}:
        here = index.parents[here]
    if (
        here >= 0
        and index.nodes[here].node_type == FRAGMENT
        and any(index.tags[at] == "slot" for at in inside)
    ):
        yield index.parents[here]


def _holds_text(index: SessionDomIndex, here: int) -> bool:
    """Whether an element has text below it, as far as its markup tells."""
    if here < 0 or index.nodes[here].node_type != ELEMENT or not index.nodes[here].children:
        return False
    if index.nodes[here].local_name in _DRAWN_OTHERWISE or index.in_user_agent_shadow(here):
        return False
    end = index.end_of(here)
    here += 1
    while here < end:
        node = index.nodes[here]
        if node.node_type == TEXT and node.node_value.strip():
            return True
        if node.node_type == ELEMENT and (
            node.local_name in _DRAWN_OTHERWISE or index.attribute(here, "hidden") is not None
        ):
            here = index.end_of(here)
        else:
            here += 1
    return False
