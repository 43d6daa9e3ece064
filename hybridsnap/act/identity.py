"""What a node of the live page is now: its document, and its role and name as a capture would have them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.capture.ax import build_hierarchical_tree, name_of, role_of
from hybridsnap.capture.roles import STRUCTURAL_ROLES
from hybridsnap.errors import CommandRefused
from hybridsnap.protocol.commands import call_function, get_ax_node, get_frame_tree, get_full_ax_tree
from hybridsnap.protocol.plan import Answer, batch, settle
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from typing import Any

    from hybridsnap.capture.locating import Locator, Place
    from hybridsnap.model import BackendNodeId, FrameId, LoaderId, Row
    from hybridsnap.protocol.plan import Outcome, Plan
    from hybridsnap.protocol.replies import AXTree

#: On a node: what it says of itself, apart from the accessibility tree: words that a name may be made of,
#: each cut to a number of characters.
_SAYS = """function (most) {
  const get = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const text = (node) => get(Node, "textContent").call(node) || "";
  const said = [text(this)];
  if (this instanceof Element) {
    const attribute = (name) => Element.prototype.getAttribute.call(this, name) || "";
    said.push(...["aria-label", "alt", "title", "placeholder", "label", "value"].map(attribute));
    const root = Node.prototype.getRootNode.call(this);
    const named = attribute("aria-labelledby").split(/\\s+/).filter((id) => id);
    const find = (root instanceof Document ? Document : DocumentFragment).prototype.getElementById;
    said.push(named.map((id) => find.call(root, id)).filter((one) => one).map(text).join(" "));
    for (const type of [HTMLInputElement, HTMLButtonElement, HTMLSelectElement, HTMLTextAreaElement,
        HTMLMeterElement, HTMLOutputElement, HTMLProgressElement]) {
      if (this instanceof type) said.push([...(get(type, "labels").call(this) || [])].map(text).join(" "));
    }
  }
  return said.filter((one) => one).map((one) => one.slice(0, most));
}"""


@dataclasses.dataclass(frozen=True, slots=True)
class Identity:
    """A node's role and name.

    Attributes:
        role: Chromium's; "" where the accessibility tree leaves the node out.
        name: the page's own text.
    """

    role: str
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Present:
    """What a node is now, and in which document.

    Attributes:
        loader: of the node's frame.
        node: its role and name.
    """

    loader: LoaderId
    node: Identity


def identity_in(tree: AXTree) -> Identity:
    """What `Accessibility.getPartialAXTree` of one node says of it."""
    if not tree.nodes or tree.nodes[0].ignored:
        return Identity("", "")
    return Identity(role_of(tree.nodes[0]), name_of(tree.nodes[0]))


def read_identity(locator: Locator, place: Place) -> Plan[Present | None]:
    """What a node is now.

    Args:
        locator: of the page.
        place: with a handle: of another document it fails, where a backend node id might mean another node.

    Returns:
        None when it is gone.
    """
    own = locator.id_of(place.session)
    outcomes: list[Outcome[Any]] = yield from settle(
        get_frame_tree(own), get_ax_node(own, {"objectId": place.object_id})
    )
    for outcome in outcomes:
        if not isinstance(outcome, Answer):
            if isinstance(outcome.error, CommandRefused):
                return None
            raise outcome.error
    tree, node = outcomes
    assert isinstance(tree, Answer)
    assert isinstance(node, Answer)
    loaders = {frame.id: frame.loader_id for frame in tree.value.frames()}
    loader = loaders.get(place.frame)
    return None if loader is None else Present(loader, identity_in(node.value))


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
    return (role == now.role or structural) and shown == clean_text(now.name)


def still_says(locator: Locator, place: Place, name: str) -> Plan[bool]:
    """Whether a node's own words (text, label, title, …) are still this name.

    Args:
        locator: of the page.
        place: with a handle.
        name: that was shown.
    """
    shown = clean_text(name)
    arguments = [{"value": 4 * len(name) + 400}]
    (result,) = yield from batch(
        call_function(
            locator.id_of(place.session),
            _SAYS,
            {"objectId": place.object_id},
            arguments,
            locator.group,
            by_value=True,
        )
    )
    said = result.result.value
    return isinstance(said, list) and any(clean_text(one) == shown for one in said if isinstance(one, str))


def read_rows(
    locator: Locator,
    session: int,
    frame: FrameId,
    *,
    clickable: frozenset[BackendNodeId] = frozenset(),
) -> Plan[list[Row]]:
    """A frame's rows as they are now, from its accessibility tree alone; empty when it cannot be read.

    Args:
        locator: of the page; the frame has its number.
        session: whose process it is in.
        frame: which.
        clickable: elements that script makes clickable.
    """
    (outcome,) = yield from settle(get_full_ax_tree(locator.id_of(session), frame))
    if isinstance(outcome, Answer):
        ordinal = locator.ordinals.by_frame.get(frame, 0)
        return build_hierarchical_tree(outcome.value, None, ordinal, clickable=clickable).rows
    if isinstance(outcome.error, CommandRefused):
        return []
    raise outcome.error
