"""Scrolling: the page, what scrolls in it, an element into view. And where an element stands."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import msgspec

from hybridsnap.act.geometry import MOST_PX, project_box
from hybridsnap.act.hit_target import owners_around, project_frame
from hybridsnap.act.pointer import PointerOptions, point_over
from hybridsnap.act.refusals import is_gone, not_interactable, read_live, stale
from hybridsnap.act.remote_call import call_on, call_with, find_node, read_result
from hybridsnap.capture.dom import OWNER_TAGS
from hybridsnap.capture.pointing import VIEWPORT
from hybridsnap.errors import ActionError, CommandRefused, SelectorError
from hybridsnap.injected import script
from hybridsnap.protocol.input_commands import dispatch_mouse
from hybridsnap.protocol.plan import gather, gather_outcomes, pause

if TYPE_CHECKING:
    from typing import Any

    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Plan

_BOX, _BRING, _SCROLL = script("box"), script("bring"), script("scroll")
_VIEW, _LAID = script("scrolled_view"), script("scrolled_items")
Direction: TypeAlias = Literal["up", "down", "left", "right"]
#: Seconds that an element may take to come to rest where it was scrolled to.
_REST = 0.5
#: A frame's scrolling reaches the frames around it in other processes later: after 17 ms, measured, and ten
#: times that on a busy machine. Seconds between two looks whether it has, and how many looks at most.
_REMOTE_SCROLL = 0.03
_REMOTE_LOOKS = 20
#: How often the page is scrolled when its document goes at that moment, and seconds before the second time.
_TRIES = 5
_BREATH = 0.03
#: How often a view that scrolls by script is looked at after the wheel was turned.
_VIEW_LOOKS = 12
#: Of the wheel, where nothing scrolls by itself and the page may make something of it: CSS px.
_WHEEL = 600.0
#: Sideways no more than this: Chromium takes 300 px that no element handles for a swipe through the history,
#: and the next move of the mouse goes back or forward. Of 50 px it does not, ten times in a row (measured).
_WHEEL_ACROSS = 50.0


@dataclasses.dataclass(frozen=True, slots=True)
class Scrolled:
    """How far it really went.

    Attributes:
        x: CSS px; positive is to the right.
        y: CSS px; positive is down.
        what: that went: the ``page``, the ``element``, its ``ancestor`` (the nearest that scrolls), what
            scrolls ``inside`` of a page that does not scroll itself; ``view``, which scrolls by script when
            the wheel is turned over it; ``wheel`` where nothing scrolls that way, and the wheel was turned
            instead (sideways by 50 px at most).
    """

    x: float
    y: float
    what: str = "page"


class _Laid(msgspec.Struct):
    at: tuple[float, float]
    first: tuple[float, float]
    items: str
    size: float
    from_: tuple[float, float] = msgspec.field(name="from")


class _Measured(msgspec.Struct):
    detached: bool
    box: tuple[float, float, float, float] | None


def scroll_page(
    resolver: NodeResolver, direction: Direction, distance: float | None = None
) -> Plan[Scrolled]:
    """Scroll the page; where it does not scroll itself, the largest thing in it that does.

    Args:
        resolver: of the page.
        direction: up, down, left or right.
        distance: CSS px; None is one viewport (of what scrolls).

    Raises:
        ActionError: the page is going elsewhere all the time.
    """
    tries = 0
    while True:
        try:
            main = yield from resolver.main_frame()
            return (yield from _scroll_frame(resolver, 0, main, direction, distance, None))
        except CommandRefused as error:
            # What may have been scrolled is gone: the page is the document that comes.
            if not is_gone(error) and not error.reason.startswith("No frame"):
                raise
            tries += 1
            if tries == _TRIES:
                raise ActionError(
                    "cannot scroll the page: it is just going elsewhere; wait until it has settled",
                    element_id=None,
                ) from error
        resolver.forget()
        yield from pause(_BREATH * tries)


def scroll_element(
    resolver: NodeResolver, element: Element, direction: Direction, distance: float | None = None
) -> Plan[Scrolled]:
    """Scroll an element, or the nearest one above it that scrolls that way; of an iframe, its document.

    Raises:
        StaleElement: it is gone.
    """
    place = element.place
    node = yield from resolver.describe(place, depth=0)
    if node is None:
        raise stale(element, "scroll")
    if node.frame_id is not None and node.local_name.lower() in OWNER_TAGS:
        try:
            session = yield from resolver.session_below(element.id, place.session, node.frame_id)
        except SelectorError:
            raise stale(element, "scroll", "frame gone") from None
        return (yield from _scroll_frame(resolver, session, node.frame_id, direction, distance, None))
    return (yield from _scroll_frame(resolver, place.session, place.frame, direction, distance, element))


def check_direction(direction: str) -> None:
    """See whether this is a direction.

    Raises:
        ValueError: it is none.
    """
    if direction not in get_args(Direction):
        raise ValueError(f"direction is up, down, left or right, not {direction!r}")


def check_scroll(direction: str, distance: float | None) -> None:
    """See whether something can be scrolled so.

    Raises:
        TypeError, ValueError: the direction or the distance is none.
    """
    check_direction(direction)
    if distance is not None and (isinstance(distance, bool) or not isinstance(distance, int | float)):
        raise TypeError(f"distance is a number of CSS px, not {distance!r}")
    if distance is not None and not 0 < distance <= MOST_PX:
        raise ValueError(f"distance is a number of CSS px above 0, up to {MOST_PX:g}, not {distance!r}")


def _scroll_frame(
    resolver: NodeResolver,
    session: int,
    frame: FrameId,
    direction: Direction,
    distance: float | None,
    element: Element | None,
) -> Plan[Scrolled]:
    moved = yield from _scrolled_natively(resolver, session, frame, direction, distance, element)
    if moved.what == "view" and element is not None:
        return (yield from _scroll_view(resolver, direction, distance, element))
    if moved.what != "nothing":
        return moved
    return (yield from _turn_wheel(resolver, direction, distance, element))


def _scrolled_natively(
    resolver: NodeResolver,
    session: int,
    frame: FrameId,
    direction: Direction,
    distance: float | None,
    element: Element | None,
    begin: tuple[float, float] | None = None,
) -> Plan[Scrolled]:
    world = yield from resolver.world(session, frame)
    node: dict[str, Any] = {"value": None} if element is None else {"objectId": element.place.object_id}
    arguments = ({"value": direction}, {"value": distance}, node, {"value": begin})
    on = {"executionContextId": world}
    call = call_with(resolver, session, frame, on, _SCROLL, arguments, by_value=True)
    (outcome,) = yield from gather_outcomes(call)
    if element is None:
        return read_result(outcome, Scrolled)
    return read_live(outcome, Scrolled, element, "scroll")


def _scroll_view(
    resolver: NodeResolver, direction: Direction, distance: float | None, element: Element
) -> Plan[Scrolled]:
    """Turn the wheel over an element that cuts off what it holds; scroll what is around it otherwise."""
    place = element.place

    def laid() -> Plan[_Laid]:
        (outcome,) = yield from gather_outcomes(call_on(resolver, place, _LAID, direction))
        return read_live(outcome, _Laid, element, "scroll")

    seen = yield from find_node(resolver, place, call_on(resolver, place, _VIEW, direction, by_value=False))
    view = element if seen is None else dataclasses.replace(element, place=seen)
    before = yield from laid()
    yield from scroll_into_view(resolver, view)
    yield from _turn_wheel(resolver, direction, before.size if distance is None else distance, view)
    begun = now = yield from laid()
    for _ in range(_VIEW_LOOKS):
        yield from pause(_BREATH)
        last, now = now, (yield from laid())
        if now.items != before.items and now.items == last.items:
            break
    if now.items == before.items:
        moved = yield from _scrolled_natively(
            resolver, place.session, place.frame, direction, distance, element, begun.from_
        )
        return Scrolled(0, 0, "wheel") if moved.what == "nothing" else moved
    x, y = now.at[0] - before.at[0], now.at[1] - before.at[1]
    if not x and not y:
        x, y = before.first[0] - now.first[0], before.first[1] - now.first[1]
    return Scrolled(x, y, "view")


def _turn_wheel(
    resolver: NodeResolver, direction: Direction, distance: float | None, element: Element | None
) -> Plan[Scrolled]:
    """For pages that scroll nothing, and listen to the wheel: maps, slides."""
    across = direction in {"left", "right"}
    far = _WHEEL if distance is None else distance
    far = (min(far, _WHEEL_ACROSS) if across else far) * (1 if direction in {"right", "down"} else -1)
    point = yield from _middle(resolver, element)
    place = None if element is None else element.place
    yield from _turned(resolver, point, far if across else 0.0, 0.0 if across else far, place)
    return Scrolled(0, 0, "wheel")


def _middle(resolver: NodeResolver, element: Element | None) -> Plan[tuple[float, float]]:
    """The middle of what is seen of an element, or of the page."""
    main = yield from resolver.main_frame()
    result = yield from resolver.call_in_frame(0, main, VIEWPORT, by_value=True)
    width, height = msgspec.convert(result.result.value, tuple[float, float])
    box = None if element is None else (yield from read_bounding_box(resolver, element))
    if box is None:
        return width / 2, height / 2
    left, top = max(0.0, box[0]), max(0.0, box[1])
    right, bottom = min(width, box[0] + box[2]), min(height, box[1] + box[3])
    if left >= right or top >= bottom:
        return box[0] + box[2] / 2, box[1] + box[3] / 2
    return (left + right) / 2, (top + bottom) / 2


def _turned(
    resolver: NodeResolver, point: tuple[float, float], dx: float, dy: float, place: NodeRef | None
) -> Plan[None]:
    yield from point_over(resolver, place, *point, PointerOptions())
    params = {"type": "mouseWheel", "x": point[0], "y": point[1], "deltaX": dx, "deltaY": dy}
    yield from gather(dispatch_mouse(resolver.id_of(0), params))


@dataclasses.dataclass(frozen=True, slots=True)
class Turned:
    """A wheel that was turned.

    Attributes:
        dx: CSS px; positive is to the right.
        dy: CSS px; positive is down.
        x: where, in CSS px of the main viewport.
        y: likewise.
    """

    dx: float
    dy: float
    x: float
    y: float


def check_wheel(dx: Any, dy: Any) -> None:
    """See whether the wheel can be turned by so much.

    Raises:
        TypeError, ValueError: it cannot.
    """
    for name, one in (("dx", dx), ("dy", dy)):
        if isinstance(one, bool) or not isinstance(one, (int, float)):
            raise TypeError(f"{name}: expected a number of CSS px, got {one!r}")
        if not abs(one) <= MOST_PX:
            raise ValueError(f"{name}: expected a number of CSS px, up to {MOST_PX:g}, got {one!r}")
    if not dx and not dy:
        raise ValueError("dx, dy: expected CSS px to turn the wheel by, got 0 and 0")


def turn_wheel_at(
    resolver: NodeResolver,
    dx: float,
    dy: float,
    point: tuple[float, float] | None = None,
    place: NodeRef | None = None,
) -> Plan[Turned]:
    """Turn the wheel at a point of the main viewport, or in its middle. The page makes of it what it likes.

    Args:
        resolver: of the page.
        dx: CSS px; positive is to the right.
        dy: likewise; positive is down.
        point: None for the middle.
        place: what is there, with a handle, as far as it is known.

    """
    if point is None:
        point = yield from _middle(resolver, None)
    yield from _turned(resolver, point, dx, dy, place)
    return Turned(dx, dy, *point)


def turn_wheel_over(resolver: NodeResolver, element: Element, dx: float, dy: float) -> Plan[Turned]:
    """Turn the wheel over an element, which is scrolled into view for it.

    Raises:
        NotInteractable, StaleElement: the element cannot be brought into view, or is gone.
    """
    yield from scroll_into_view(resolver, element)
    point = yield from _middle(resolver, element)
    yield from _turned(resolver, point, dx, dy, element.place)
    return Turned(dx, dy, *point)


def tell_turned(turned: Turned) -> tuple[dict[str, Any], list[str]]:
    """The receipt's value and details."""
    where = f"{turned.x:g}, {turned.y:g}"
    return dataclasses.asdict(turned), [f"the wheel was turned by {turned.dx:g}, {turned.dy:g} px at {where}"]


def scroll_into_view(resolver: NodeResolver, element: Element) -> Plan[Scrolled]:
    """Scroll until an element's middle is in view, in all frames around it; not at all when it is.

    Returns:
        How far the element went; what scrolled is not told apart.

    Raises:
        StaleElement: it is gone.
        NotInteractable: it is not displayed, or has no size.
    """
    before = yield from read_bounding_box(resolver, element)
    (outcome,) = yield from gather_outcomes(call_on(resolver, element.place, _BRING, _REST * 1000))
    reason = read_live(outcome, dict[str, str], element, "scroll to")["reason"]
    if reason == "detached":
        raise stale(element, "scroll to")
    if reason and reason != "moving":
        raise not_interactable(element, "scroll to", reason)
    if element.place.session:
        after = yield from _remote_rest(resolver, element)
    else:
        after = yield from read_bounding_box(resolver, element)
    if before is None or after is None:
        return Scrolled(0, 0)
    return Scrolled(before[0] - after[0], before[1] - after[1])


def _remote_rest(resolver: NodeResolver, element: Element) -> Plan[tuple[float, float, float, float] | None]:
    """Where an element stands once the frames around it in other processes have scrolled too: its middle is
    in the main viewport, and two looks find it at the same place.
    """
    seen: tuple[float, float, float, float] | None = None
    for _ in range(_REMOTE_LOOKS):
        yield from pause(_REMOTE_SCROLL)
        before = seen
        seen = yield from read_bounding_box(resolver, element)
        if seen is None:
            break
        if seen != before:
            continue
        owners = yield from owners_around(resolver, element, "scroll to")
        if not owners:
            break
        (outcome,) = yield from gather_outcomes(call_on(resolver, owners[0].place, VIEWPORT))
        width, height = read_result(outcome, tuple[float, float])
        if 0 <= seen[0] + seen[2] / 2 <= width and 0 <= seen[1] + seen[3] / 2 <= height:
            break
    return seen


def read_bounding_box(
    resolver: NodeResolver, element: Element
) -> Plan[tuple[float, float, float, float] | None]:
    """Where an element stands, in CSS px of the main viewport, through all frames and transforms.

    Returns:
        x, y, width, height; None where it is not laid out.

    Raises:
        StaleElement: it is gone.
    """
    (outcome,) = yield from gather_outcomes(call_on(resolver, element.place, _BOX))
    measured = read_live(outcome, _Measured, element, "measure")
    if measured.detached:
        raise stale(element, "measure")
    if measured.box is None:
        return None
    try:
        projection = yield from project_frame(resolver, element, "measure")
    except CommandRefused as error:
        if error.reason.startswith("Could not compute box model"):
            return None  # a frame around it is not laid out
        raise
    return None if projection is None else project_box(projection, measured.box)
