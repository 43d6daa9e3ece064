"""Scrolling: the page, what scrolls in it, an element into view. And where an element stands."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import msgspec

from hybridsnap.act.aiming import project_frame
from hybridsnap.act.calling import call_on, read_result
from hybridsnap.act.geometry import MOST_PX, project_box
from hybridsnap.act.refusals import is_gone, read_live, refuse, stale
from hybridsnap.act.scroll_probes import BOX, BRING, SCROLL
from hybridsnap.capture.dom import OWNER_TAGS
from hybridsnap.errors import ActionError, CommandRefused, SelectorError
from hybridsnap.protocol.commands import call_function, dispatch_mouse
from hybridsnap.protocol.plan import batch, pause, settle

if TYPE_CHECKING:
    from typing import Any

    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Plan

Direction: TypeAlias = Literal["up", "down", "left", "right"]
#: Seconds that an element may take to come to rest where it was scrolled to.
_REST = 0.5
#: Seconds in which a frame's scrolling has reached the frames around it in other processes (17 ms, measured).
_REMOTE_SCROLL = 0.03
#: How often the page is scrolled when its document goes at that moment, and seconds before the second time.
_TRIES = 5
_BREATH = 0.03
#: Of the wheel, where nothing scrolls by itself and the page may make something of it: CSS px.
_WHEEL = 600.0
#: Sideways no more than this: Chromium holds 300 px that nobody takes for a swipe through the history, and
#: the next move of the mouse goes back or forward. Of 50 px it does not, ten times in a row (measured).
_WHEEL_ACROSS = 50.0


@dataclasses.dataclass(frozen=True, slots=True)
class Scrolled:
    """How far it really went.

    Attributes:
        x: CSS px; positive is to the right.
        y: CSS px; positive is down.
        what: that went: the ``page``, the ``element``, its ``ancestor`` (the nearest that scrolls), what
            scrolls ``inside`` of a page that does not scroll itself; ``wheel`` where nothing scrolls that
            way, and the wheel was turned instead (sideways by 50 px at most).
    """

    x: float
    y: float
    what: str = "page"


class _Moved(msgspec.Struct):
    x: float
    y: float
    what: str


class _Measured(msgspec.Struct):
    detached: bool
    box: tuple[float, float, float, float] | None


class _Brought(msgspec.Struct):
    reason: str


def scroll_page(locator: Locator, direction: Direction, distance: float | None = None) -> Plan[Scrolled]:
    """Scroll the page; where it does not scroll itself, the largest thing in it that does.

    Args:
        locator: of the page.
        direction: up, down, left or right.
        distance: CSS px; None is one viewport (of what scrolls).

    Raises:
        ActionError: the page is going elsewhere all the time.
        ValueError: the direction or the distance is none.
    """
    _check(direction, distance)
    tries = 0
    while True:
        try:
            main = yield from locator.main_frame()
            return (yield from _scroll_frame(locator, 0, main, direction, distance, None))
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
        locator.forget()
        yield from pause(_BREATH * tries)


def scroll_element(
    locator: Locator, element: Element, direction: Direction, distance: float | None = None
) -> Plan[Scrolled]:
    """Scroll an element, or the nearest one above it that scrolls that way; of an iframe, its document.

    Raises:
        StaleElement: it is gone.
        ValueError: the direction or the distance is none.
    """
    _check(direction, distance)
    place = element.place
    node = yield from locator.describe(place, depth=0)
    if node is None:
        raise stale(element, "scroll")
    if node.frame_id is not None and node.local_name.lower() in OWNER_TAGS:
        try:
            session = yield from locator.session_below(element.id, place.session, node.frame_id)
        except SelectorError:
            raise stale(element, "scroll", "frame gone") from None
        return (yield from _scroll_frame(locator, session, node.frame_id, direction, distance, None))
    return (yield from _scroll_frame(locator, place.session, place.frame, direction, distance, element))


def _check(direction: str, distance: float | None) -> None:
    if direction not in get_args(Direction):
        raise ValueError(f"direction is up, down, left or right, not {direction!r}")
    if distance is not None and not 0 < distance <= MOST_PX:
        raise ValueError(f"distance is a number of CSS px above 0, up to {MOST_PX:g}, not {distance!r}")


def _scroll_frame(
    locator: Locator,
    session: int,
    frame: FrameId,
    direction: Direction,
    distance: float | None,
    element: Element | None,
) -> Plan[Scrolled]:
    world = yield from locator.world(session, frame)
    node: dict[str, Any] = {"value": None} if element is None else {"objectId": element.place.object_id}
    arguments = ({"value": direction}, {"value": distance}, node)
    on = {"executionContextId": world}
    own = locator.id_of(session)
    (outcome,) = yield from settle(call_function(own, SCROLL, on, arguments, locator.group, by_value=True))
    moved = read_result(outcome, _Moved) if element is None else read_live(outcome, _Moved, element, "scroll")
    if moved.what != "nothing":
        return Scrolled(moved.x, moved.y, moved.what)
    return (yield from _turn_wheel(locator, direction, distance, element))


def _turn_wheel(
    locator: Locator, direction: Direction, distance: float | None, element: Element | None
) -> Plan[Scrolled]:
    """For pages that scroll nothing, and listen to the wheel: maps, slides."""
    box = None if element is None else (yield from read_bounding_box(locator, element))
    if box is None:
        main = yield from locator.main_frame()
        size = "function () { return [0, 0, innerWidth, innerHeight]; }"
        result = yield from locator.call_in_frame(0, main, size, by_value=True)
        box = msgspec.convert(result.result.value, tuple[float, float, float, float])
    across = direction in {"left", "right"}
    far = _WHEEL if distance is None else distance
    far = (min(far, _WHEEL_ACROSS) if across else far) * (1 if direction in {"right", "down"} else -1)
    params = {
        "type": "mouseWheel",
        "x": box[0] + box[2] / 2,
        "y": box[1] + box[3] / 2,
        "deltaX": far if across else 0,
        "deltaY": 0 if across else far,
    }
    yield from batch(dispatch_mouse(locator.id_of(0), params))
    return Scrolled(0, 0, "wheel")


def scroll_into_view(locator: Locator, element: Element) -> Plan[Scrolled]:
    """Scroll until an element's middle is in view, in all frames around it; not at all when it is.

    Returns:
        How far the element went; what scrolled is not told apart.

    Raises:
        StaleElement: it is gone.
        NotInteractable: it is not displayed, or has no size.
    """
    before = yield from read_bounding_box(locator, element)
    (outcome,) = yield from settle(call_on(locator, element.place, BRING, _REST * 1000, awaited=True))
    reason = read_live(outcome, _Brought, element, "scroll to").reason
    if reason == "detached":
        raise stale(element, "scroll to")
    if reason and reason != "moving":
        raise refuse(element, "scroll to", reason)
    if element.place.session:
        yield from pause(_REMOTE_SCROLL)
    after = yield from read_bounding_box(locator, element)
    if before is None or after is None:
        return Scrolled(0, 0)
    return Scrolled(before[0] - after[0], before[1] - after[1])


def read_bounding_box(locator: Locator, element: Element) -> Plan[tuple[float, float, float, float] | None]:
    """Where an element stands, in CSS px of the main viewport, through all frames and transforms.

    Returns:
        x, y, width, height; None where it is not laid out.

    Raises:
        StaleElement: it is gone.
    """
    (outcome,) = yield from settle(call_on(locator, element.place, BOX))
    measured = read_live(outcome, _Measured, element, "measure")
    if measured.detached:
        raise stale(element, "measure")
    if measured.box is None:
        return None
    try:
        projection = yield from project_frame(locator, element, "measure")
    except CommandRefused as error:
        if error.reason.startswith("Could not compute box model"):
            return None  # a frame around it is not laid out
        raise
    return None if projection is None else project_box(projection, measured.box)
