"""Which element stands at a point, and which has the focus: plans that answer with an id and an XPath.

Both go down from the main frame, through frames in and out of process. `DOM.getNodeForLocation` sees into
shadow roots and same-process frames by itself; it counts in px of the document, so the scroll position is
added, and stops at the element that holds another process's frame: there the point is carried over into
that frame's viewport by the corners of the element's content box, so that transforms come out right.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING

from hybridsnap.capture.dom import OWNER_TAGS, gather_with_dom
from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
from hybridsnap.capture.scope import id_of_place
from hybridsnap.capture.xpath import FRAGMENT, build_child_xpath_segments, prefix_xpath
from hybridsnap.errors import SelectorError
from hybridsnap.protocol.commands import (
    describe_node,
    get_box_model,
    get_layout_metrics,
    get_node_at,
)
from hybridsnap.protocol.plan import all_unless_refused, gather, gather_outcomes, unless_refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.frames import Ordinals, SessionInfo
    from hybridsnap.capture.node_resolver import Segment
    from hybridsnap.model import ElementId, FrameId
    from hybridsnap.protocol.plan import Plan
    from hybridsnap.protocol.replies import BoxModel, DOMNode

#: A function of a node: width and height of its frame's viewport, CSS px.
VIEWPORT = "function () { return [innerWidth, innerHeight]; }"
#: The element that has the focus in a document; null for its body and root element, which have it by default.
_ACTIVE = """function () {
  const read = (name) => Object.getOwnPropertyDescriptor(Document.prototype, name).get.call(document);
  const active = read("activeElement");
  return active === read("body") || active === read("documentElement") ? null : active;
}"""
_ACTIVE_IN_ROOT = """function () {
  return Object.getOwnPropertyDescriptor(ShadowRoot.prototype, "activeElement").get.call(this);
}"""


@dataclasses.dataclass(frozen=True, slots=True)
class FoundElement:
    """An element of the live page.

    Attributes:
        id: as snapshots of the page have it.
        xpath: through all frames, as their maps have it.
    """

    id: ElementId
    xpath: str


def find_element_at(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, x: float, y: float
) -> Plan[FoundElement | None]:
    """The element at a point, as a click would find it.

    Args:
        sessions: of the page, its own first.
        ordinals: its frames' numbers.
        x: CSS px of the main viewport.
        y: likewise.

    Returns:
        None outside the viewport.
    """
    resolver = NodeResolver(sessions, ordinals)
    return (yield from _described(resolver, (yield from place_at(resolver, x, y))))


def place_at(resolver: NodeResolver, x: float, y: float, *, in_view: bool = False) -> Plan[NodeRef | None]:
    """As `find_element_at`: the node itself.

    Raises:
        ValueError: with `in_view`, the point lies outside the viewport, where a press reaches nothing.
    """
    main = yield from resolver.main_frame()
    place: NodeRef | None = None
    session: int | None = 0
    while session is not None:
        root = main if session == 0 else (yield from resolver.tree_of(session))[0].id
        here = yield from _node_at(resolver, session, root, x, y, in_view=in_view and session == 0)
        if here is None:
            break  # at the edge of a frame it is the element that holds it
        place = here
        session = yield from _held_elsewhere(resolver, place)
        if session is not None:
            moved = yield from _carried_over(resolver, place, session, x, y)
            if moved is None:
                break
            x, y = moved
    return place


def find_active_element(sessions: Sequence[SessionInfo], ordinals: Ordinals) -> Plan[FoundElement | None]:
    """The element that has the focus, through frames and shadow roots.

    Returns:
        None when nothing but a document has it. Where only a frame's document has it, the element that holds
        the frame.
    """
    resolver = NodeResolver(sessions, ordinals)
    return (yield from _described(resolver, (yield from active_place(resolver))))


def active_place(resolver: NodeResolver) -> Plan[NodeRef | None]:
    """As `find_active_element`: the node itself."""
    place: NodeRef | None = None
    yield from resolver.look_at_main_frame()
    root: tuple[int, FrameId] | None = (0, (yield from resolver.main_frame()))
    while root is not None:
        here = yield from _active_in_frame(resolver, *root)
        root = None
        while here is not None:
            place, node = here
            if node.frame_id is not None and node.local_name.lower() in OWNER_TAGS:
                root = yield from _frame_in(resolver, place, node.frame_id)
                break
            here = yield from _active_in_shadow(resolver, place, node)
    return place


def active_within(resolver: NodeResolver, place: NodeRef, node: DOMNode) -> Plan[NodeRef]:
    """What has the focus of an element that has it in its document: that, or what is in its shadow roots."""
    while (inner := (yield from _active_in_shadow(resolver, place, node))) is not None:
        place, node = inner
    return place


def _node_at(
    resolver: NodeResolver, session: int, root: FrameId, x: float, y: float, *, in_view: bool = False
) -> Plan[NodeRef | None]:
    own = resolver.id_of(session)
    (metrics,) = yield from gather(get_layout_metrics(own))
    scrolled = metrics.css_layout_viewport
    if in_view and not (0 <= x < scrolled.client_width and 0 <= y < scrolled.client_height):
        raise ValueError(
            f"expected a point inside the viewport of {scrolled.client_width:g} x {scrolled.client_height:g}"
            f" CSS px, got ({x:g}, {y:g}); scroll there first, and count from the viewport's top left corner"
        )
    at = math.floor(x + scrolled.page_x), math.floor(y + scrolled.page_y)
    (outcome,) = yield from gather_outcomes(get_node_at(own, *at))
    found = unless_refused(outcome)
    return None if found is None else NodeRef(session, found.frame_id or root, found.backend_node_id)


def _held_elsewhere(resolver: NodeResolver, place: NodeRef) -> Plan[int | None]:
    """The session of the frame that an element holds, when it is another one."""
    node = yield from resolver.describe(place, depth=0)
    if node is None or node.frame_id is None or node.local_name.lower() not in OWNER_TAGS:
        return None
    below = yield from _frame_in(resolver, place, node.frame_id)
    return None if below is None or below[0] == place.session else below[0]


def _frame_in(resolver: NodeResolver, place: NodeRef, frame: FrameId) -> Plan[tuple[int, FrameId] | None]:
    try:
        return (yield from resolver.session_below("", place.session, frame)), frame
    except SelectorError:
        return None


def _carried_over(
    resolver: NodeResolver, owner: NodeRef, session: int, x: float, y: float
) -> Plan[tuple[float, float] | None]:
    """A point of one session's viewport in that of a frame in another process."""
    (outcome,) = yield from gather_outcomes(
        get_box_model(resolver.id_of(owner.session), owner.backend_node_id)
    )
    tree = yield from resolver.tree_of(session)
    result = yield from resolver.call_in_frame(session, tree[0].id, VIEWPORT, by_value=True)
    box = unless_refused(outcome)
    share = None if box is None else shares_of(box, x, y)
    match result.result.value:
        case [int() | float() as width, int() | float() as height] if share is not None:
            return share[0] * width, share[1] * height
    return None


def shares_of(box: BoxModel, x: float, y: float) -> tuple[float, float] | None:
    """How far along a box's own width and height a point lies, from 0 to 1; None outside the box."""
    left, top, right, right_top, _, _, bottom, bottom_top = box.content
    along_x, along_y = right - left, right_top - top
    down_x, down_y = bottom - left, bottom_top - top
    area = along_x * down_y - along_y * down_x
    if not area:
        return None
    across, down = x - left, y - top
    share = (across * down_y - down * down_x) / area, (along_x * down - along_y * across) / area
    return share if 0 <= share[0] < 1 and 0 <= share[1] < 1 else None


def _active_in_frame(
    resolver: NodeResolver, session: int, frame: FrameId
) -> Plan[tuple[NodeRef, DOMNode] | None]:
    result = yield from resolver.call_in_frame(session, frame, _ACTIVE)
    return (yield from resolver.node_at_handle(session, frame, result.result.object_id))


def _active_in_shadow(
    resolver: NodeResolver, host: NodeRef, node: DOMNode
) -> Plan[tuple[NodeRef, DOMNode] | None]:
    """What has the focus in a host's shadow root, open or closed."""
    for root in node.shadow_roots:
        if root.shadow_root_type == "user-agent":
            continue
        inner = yield from resolver.held(NodeRef(host.session, host.frame, root.backend_node_id))
        if inner is not None:
            result = yield from resolver.call(inner, _ACTIVE_IN_ROOT)
            return (yield from resolver.node_at_handle(host.session, host.frame, result.result.object_id))
    return None


def _described(resolver: NodeResolver, place: NodeRef | None) -> Plan[FoundElement | None]:
    """A place as users know it."""
    found: FoundElement | None = None
    chain = None if place is None else (yield from resolver.chain(place))
    path = None if chain is None else (yield from _path(resolver, chain))
    if chain is not None and path is not None:
        found = FoundElement((yield from id_of_place(resolver, chain[-1].place)), path)
    yield from resolver.release()
    return found


def _path(resolver: NodeResolver, chain: Sequence[Segment]) -> Plan[str | None]:
    """The XPath of the last node of a chain; None when the page has changed meanwhile."""
    path = "/"
    for segment in chain:
        own = resolver.id_of(segment.place.session)
        outcomes = yield from gather_with_dom(
            own, *(describe_node(own, {"objectId": handle}, depth=1) for handle in segment.handles)
        )
        line = all_unless_refused(outcomes)
        if line is None:
            return None
        steps: list[str] = [""]
        for parent, child in itertools.pairwise(line):
            if child.node_type == FRAGMENT:
                steps.append("")
                continue
            segments = build_child_xpath_segments(parent.children)
            siblings = zip(parent.children, segments, strict=True)
            step = next((own for one, own in siblings if one.backend_node_id == child.backend_node_id), None)
            if step is None:
                return None
            steps.append(step)
        path = prefix_xpath(path, "/".join(steps) or "/")
    return path
