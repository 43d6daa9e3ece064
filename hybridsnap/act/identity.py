"""What a node of the live page is now: its document, and its role and name as a capture would have them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.act.remote_call import call_on
from hybridsnap.capture.ax import build_hierarchical_tree
from hybridsnap.capture.ax_node import hide_bullets
from hybridsnap.capture.roles import STRUCTURAL_ROLES
from hybridsnap.injected import script
from hybridsnap.protocol.commands import get_full_ax_tree
from hybridsnap.protocol.plan import all_unless_refused, gather, gather_outcomes, unless_refused
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from typing import Any

    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import BackendNodeId, FrameId, LoaderId, Row
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


def still_says(resolver: NodeResolver, place: NodeRef, name: str) -> Plan[bool]:
    """Whether a node's own words (text, label, title, …) are still this name.

    Args:
        resolver: of the page.
        place: with a handle.
        name: that was shown.
    """
    shown = clean_text(name)
    (result,) = yield from gather(call_on(resolver, place, _SAYS, 4 * len(name) + 400))
    said = result.result.value
    return isinstance(said, list) and any(clean_text(one) == shown for one in said if isinstance(one, str))


def read_rows(
    resolver: NodeResolver,
    session: int,
    frame: FrameId,
    *,
    clickable: frozenset[BackendNodeId] = frozenset(),
) -> Plan[list[Row]]:
    """A frame's rows as they are now, from its accessibility tree alone; empty when it cannot be read.

    Args:
        resolver: of the page; the frame has its number.
        session: whose process it is in.
        frame: which.
        clickable: elements that script makes clickable.
    """
    (outcome,) = yield from gather_outcomes(get_full_ax_tree(resolver.id_of(session), frame))
    tree = unless_refused(outcome)
    ordinal = resolver.ordinals.by_frame.get(frame, 0)
    return [] if tree is None else build_hierarchical_tree(tree, None, ordinal, clickable=clickable).rows
