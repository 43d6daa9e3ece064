"""What a node of the live page is now: its document, and its role and name as a capture would have them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.act.remote_call import call_on
from hybridsnap.capture.ax import build_hierarchical_tree
from hybridsnap.capture.ax_node import hide_bullets
from hybridsnap.capture.roles import DROPPED_ROLES, STRUCTURAL_ROLES
from hybridsnap.injected import script
from hybridsnap.protocol.commands import get_full_ax_tree
from hybridsnap.protocol.plan import all_unless_refused, gather, gather_outcomes, unless_refused
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import FrameId, LoaderId, Row
    from hybridsnap.protocol.ax_tree import AXTree
    from hybridsnap.protocol.plan import Outcome, Plan
    from hybridsnap.protocol.replies import FrameTree

_SAYS = script("own_words")


@dataclasses.dataclass(frozen=True, slots=True)
class Identity:
    """A node's role and name.

    Attributes:
        role: Chromium's; "" where the accessibility tree leaves the node out.
        name: the page's own text.
    """

    role: str
    name: str


def identity_in(tree: AXTree) -> Identity:
    """What `Accessibility.getPartialAXTree` of one node says of it."""
    if not tree.nodes or tree.nodes[0].ignored:
        return Identity("", "")
    return Identity(tree.nodes[0].role, tree.nodes[0].name)


def present_in(
    place: NodeRef, tree: Outcome[FrameTree], node: Outcome[AXTree]
) -> tuple[LoaderId, Identity] | None:
    """A node's document and what it is, by its session's frames and by what accessibility says of it.

    Returns:
        None when it is gone.

    Raises:
        HybridsnapError: one of the two has no answer.
    """
    values: list[Any] | None = all_unless_refused([tree, node])
    if values is None:
        return None
    loaders = {frame.id: frame.loader_id for frame in values[0].frames()}
    loader = loaders.get(place.frame)
    return None if loader is None else (loader, identity_in(values[1]))


def is_same(role: str, name: str, now: Identity) -> bool | None:
    """Whether a node is what it was shown as.

    Args:
        role: that was shown.
        name: likewise.
        now: what it is.

    Returns:
        None where the accessibility tree does not tell: it leaves the node out now.
    """
    shown = clean_text(name)
    if not now.role:
        return True if not shown else None
    structural = role in STRUCTURAL_ROLES and now.role in STRUCTURAL_ROLES
    return (role == now.role or structural) and hide_bullets(shown) == hide_bullets(clean_text(now.name))


def still_says(resolver: NodeResolver, place: NodeRef, name: str, *, by_text: bool = False) -> Plan[bool]:
    """Whether a node's own words (text, label, title, …) are still this name.

    Args:
        resolver: of the page.
        place: with a handle.
        name: that was shown.
        by_text: the name was made of the texts in the node.
    """
    shown = clean_text(name)
    (result,) = yield from gather(call_on(resolver, place, _SAYS, 4 * len(name) + 400))
    said = result.result.value
    if not isinstance(said, dict):
        return False
    if any(clean_text(one) == shown for one in _texts(said.get("words"))):
        return True
    return by_text and is_made_of(shown, _texts(said.get("texts")))


def _texts(said: object) -> list[str]:
    return [one for one in said if isinstance(one, str)] if isinstance(said, list) else []


def is_made_of(name: str, texts: Iterable[str]) -> bool:
    """Whether a name is these texts in their order, a space between two of them or none.

    Which of the two it is, only the layout of what they stand in says (`Pruning`).
    """
    left = clean_text(name)
    for text in map(clean_text, texts):
        if not left.startswith(text):
            return False
        left = left[len(text) :].lstrip()
    return not left


def read_texts(resolver: NodeResolver, place: NodeRef) -> Plan[list[str] | None]:
    """The texts in an element, as its frame's accessibility tree has them.

    Args:
        resolver: of the page.
        place: of the element.

    Returns:
        None where it holds something else than texts, or has a role or a name now.

    Cost: the frame's accessibility tree is read.
    """
    (outcome,) = yield from gather_outcomes(get_full_ax_tree(resolver.id_of(place.session), place.frame))
    tree = unless_refused(outcome)
    nodes = {} if tree is None else {node.node_id: node for node in reversed(tree.nodes)}
    own = next((node for node in nodes.values() if node.backend_node_id == place.backend_node_id), None)
    if own is None:
        return None
    texts: list[str] = []
    open_ids = list(own.child_ids[::-1])
    while open_ids:
        node = nodes.pop(open_ids.pop(), None)  # a node that is listed twice counts once
        if node is None:
            continue
        if node.role == "StaticText":
            texts += [] if node.ignored else [node.name]
        elif node.role in DROPPED_ROLES or node.ignored or (node.role in STRUCTURAL_ROLES and not node.name):
            open_ids += node.child_ids[::-1]
        else:
            return None
    return texts


def read_rows(resolver: NodeResolver, session: int, frame: FrameId) -> Plan[list[Row]]:
    """A frame's rows as they are now, from its accessibility tree alone; empty when it cannot be read.

    Args:
        resolver: of the page; the frame has its number.
        session: whose process it is in.
        frame: which.
    """
    (outcome,) = yield from gather_outcomes(get_full_ax_tree(resolver.id_of(session), frame))
    tree = unless_refused(outcome)
    ordinal = resolver.ordinals.by_frame.get(frame, 0)
    return [] if tree is None else build_hierarchical_tree(tree, None, ordinal).rows
