"""The elements that script makes clickable: they stay in the outline, whatever their role says.

Four signs tell of them. Attributes that handle clicks are in the DOM, as are those of a header that sorts its
column and takes the focus: its listeners may be at the root of the page. A pointer that the
page shows over an element (``cursor: pointer``) is asked for right after the DOM, while the browser is at
work on the accessibility tree. Listeners that scripts add take `DOMSnapshot.captureSnapshot` to find (on a
page of 50,000 elements a fifth of a capture's time), so they count with layout only.

The ``cursor`` is inherited: of elements that show a pointer the outermost is the one that is meant.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from hybridsnap.capture.dom import CLICK_HANDLERS, UNREAD_TAGS
from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.capture.xpath import ELEMENT, FRAGMENT, TEXT
from hybridsnap.protocol.commands import describe_node, disable_dom, enable_dom, find_by_style, get_document
from hybridsnap.protocol.plan import Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId, SessionId
    from hybridsnap.protocol.plan import Outcome, Plan
    from hybridsnap.protocol.replies import DOMNode

#: A computed style, and its value as the browser computes it.
_POINTER = ("cursor", "pointer")
#: So far is looked down from an element for the one control that it wraps.
_WRAPPERS = 8
#: `DOM.describeNode` commands in one batch, and in all.
_DESCRIBED = 256
_MOST_DESCRIBED = 4096


def by_listener(index: SessionDomIndex, clickable: frozenset[BackendNodeId]) -> frozenset[BackendNodeId]:
    """Of the elements that respond to clicks those that do only because script says so.

    Whatever its role says is left to `hybridsnap.capture.ax`, and so are elements that can be edited:
    Chromium calls everything in them clickable.
    """
    found: set[BackendNodeId] = set()
    for backend_id in clickable:
        here = index.position.get(backend_id, -1)
        if (
            here >= 0
            and (not index.takes_clicks[here] or _has_handler(index, here))
            and not index.in_user_agent_shadow(here)
        ):
            found.add(backend_id)
    return frozenset(found)


def by_attribute(index: SessionDomIndex) -> frozenset[BackendNodeId]:
    """The elements with an attribute that handles clicks."""
    return frozenset(
        index.nodes[here].backend_node_id
        for here in index.handling
        if _has_handler(index, here) and not index.in_user_agent_shadow(here)
    )


def by_sorting(index: SessionDomIndex) -> frozenset[BackendNodeId]:
    """The headers with ``aria-sort`` that take the focus themselves, unless a control is all they hold."""
    return frozenset(
        index.nodes[here].backend_node_id
        for here in index.stated
        if index.attribute(here, "aria-sort") is not None
        and index.attribute(here, "tabindex") is not None
        and not index.in_user_agent_shadow(here)
        and not _wraps_control(index, here)
    )


def by_pointer(index: SessionDomIndex, pointed: Iterable[int]) -> frozenset[BackendNodeId]:
    """Of the elements that show a pointer those that are not controls anyway, and do not just wrap one.

    Args:
        index: the session's DOM.
        pointed: the positions of all elements that show one, in any order.
    """
    pointed = frozenset(pointed)
    nodes, parents, takes_clicks = index.nodes, index.parents, index.takes_clicks
    # What stands in a host is shown in a slot, and has the style of that.
    slotting: dict[int, bool] = {}
    found: set[BackendNodeId] = set()
    for here in pointed:
        above = parents[here]
        if takes_clicks[here] or above in pointed:
            continue
        if above >= 0 and nodes[above].shadow_roots:
            if above not in slotting:
                slotting[above] = _shows_pointer_in_slot(index, above, pointed)
            if slotting[above]:
                continue
        while above >= 0 and nodes[above].node_type == FRAGMENT:
            above = parents[above]
        if (
            above not in pointed
            and nodes[here].node_type == ELEMENT
            and not _wraps_control(index, here)
            and not index.in_user_agent_shadow(here)
        ):
            found.add(nodes[here].backend_node_id)
    return frozenset(found)


def find_pointed(session: SessionId | None, index: SessionDomIndex) -> Plan[Outcome[list[int]]]:
    """The positions of the elements that show a pointer, of a document that was just fetched whole.

    The DOM domain is on, and is switched off by this.
    """
    found: Outcome[Any]
    found, _ = yield from gather_outcomes(
        find_by_style(session, index.nodes[0].node_id, *_POINTER), disable_dom(session)
    )
    if not isinstance(found, Reply):
        return found
    numbers = frozenset(found.value)
    positions = [at for at, node in enumerate(index.nodes) if node.node_id in numbers] if numbers else []
    return Reply(positions, found.elapsed, found.remaining)


def find_styled_in_pieces(
    session: SessionId | None, index: SessionDomIndex, style: tuple[str, str] = _POINTER
) -> Plan[tuple[Outcome[list[int]], int]]:
    """The same for any style where the DOM domain is off; what `find_styled_below` returns."""
    root: list[Outcome[Any]] = yield from gather_outcomes(
        enable_dom(session), get_document(session, number_of, depth=0)
    )
    return (yield from find_styled_below(session, index, root[-1], style))


def find_styled_below(
    session: SessionId | None,
    index: SessionDomIndex,
    top: Outcome[int],
    style: tuple[str, str] = _POINTER,
) -> Plan[tuple[Outcome[list[int]], int]]:
    """The positions of the elements below one that have a computed style.

    The browser is asked which node each number stands for: those in `index` have none. The DOM domain is on,
    and is switched off by this.

    Args:
        session: whose documents.
        index: what of them was read.
        top: the session's number of the node to begin at, as it came.
        style: its name, and its value as the browser computes it.

    Returns:
        The positions, and how many elements were not looked up because there are too many.
    """
    found: Outcome[Any] = top
    if isinstance(found, Reply):
        (found,) = yield from gather_outcomes(find_by_style(session, found.value, *style))
    numbers = found.value[:_MOST_DESCRIBED] if isinstance(found, Reply) else []
    positions: list[int] = []
    while numbers:
        some, numbers = numbers[:_DESCRIBED], numbers[_DESCRIBED:]
        described: list[Outcome[DOMNode]] = yield from gather_outcomes(
            *(describe_node(session, {"nodeId": number}, depth=0) for number in some)
        )
        known = (index.position.get(one.value.backend_node_id) for one in described if isinstance(one, Reply))
        positions += [here for here in known if here is not None]
    yield from gather_outcomes(disable_dom(session))
    if not isinstance(found, Reply):
        return found, 0
    left_out = max(0, len(found.value) - _MOST_DESCRIBED)
    return Reply(positions, found.elapsed, found.remaining), left_out


def number_of(root: DOMNode) -> int:
    """The session's own number of a node, for `get_document`."""
    return root.node_id


def _shows_pointer_in_slot(index: SessionDomIndex, host: int, pointed: frozenset[int]) -> bool:
    """Whether a slot of the host's own shadow root shows a pointer."""
    open_nodes = [child for root in index.nodes[host].shadow_roots for child in root.children]
    while open_nodes:
        node = open_nodes.pop()
        if node.local_name == "slot":
            here = index.position[node.backend_node_id]
            if here in pointed or index.parents[here] in pointed:
                return True
        open_nodes.extend(node.children)
    return False


def _has_handler(index: SessionDomIndex, here: int) -> bool:
    """Whether an attribute of the element handles clicks; of the page's frame it does not count."""
    return index.tags[here] not in {"html", "body"} and any(
        index.attribute(here, name) is not None for name in CLICK_HANDLERS
    )


def _wraps_control(index: SessionDomIndex, here: int) -> bool:
    """Whether there is nothing in the element but one control: to click it is to click that."""
    for _ in itertools.repeat(None, _WRAPPERS):
        host = index.nodes[here]
        shadow = next((root for root in host.shadow_roots if root.shadow_root_type != "user-agent"), host)
        inner = [
            node
            for node in shadow.children
            if (node.node_type == ELEMENT and node.local_name not in UNREAD_TAGS)
            or (node.node_type == TEXT and node.node_value.strip())
        ]
        if len(inner) != 1 or inner[0].node_type != ELEMENT:
            return False
        here = index.position[inner[0].backend_node_id]
        if index.takes_clicks[here] or (index.attribute(here, "role") or "") in INTERACTIVE_ROLES:
            return True
    return False
