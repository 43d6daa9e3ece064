"""Fingers: taps on elements, and swipes.

A page hears of touches also where it is not emulated as a touch device (measured in Chromium 156): first the
pointer and touch events, then, a few ms later, the mouse's and the click of a tap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.act.geometry import points_between
from hybridsnap.act.hit_target import HitRequest, count_retries, find_hit_point
from hybridsnap.act.pointer import TRIES, Hit, went_on
from hybridsnap.act.press_guard import PressGuard
from hybridsnap.act.remote_call import call_on
from hybridsnap.injected import script
from hybridsnap.protocol.commands import get_layout_metrics
from hybridsnap.protocol.input_commands import dispatch_touch
from hybridsnap.protocol.plan import gather, gather_outcomes, pause

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.act.scrolling import Direction
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

#: Seconds that the click of a tap may take: 2 to 20 ms is usual, 200 ms were seen on a busy machine.
_CLICK_SECONDS = 1.0
#: Moves of a swipe: a page sees a way, and not a jump.
_STEPS = 12
_DIRECTIONS: dict[Direction, tuple[int, int]] = {
    "up": (0, -1),
    "down": (0, 1),
    "left": (-1, 0),
    "right": (1, 0),
}
#: Of the viewport, what a swipe without a distance crosses, in its middle.
_SHARE = 0.5
#: CSS px of a swipe on an element, where no distance is given.
_DISTANCE = 200.0


def tap_element(
    resolver: NodeResolver,
    element: Element,
    *,
    position: tuple[float, float] | None = None,
    force: bool = False,
) -> Plan[Hit]:
    """Tap an element with a finger: scrolled into view, at rest, at a free point, guarded as a click is.

    Raises:
        NotInteractable, ElementCovered, StaleElement: as for a click.
    """
    session = resolver.id_of(0)
    aim = HitRequest(
        action="tap",
        force=force,
        guarded=True,
        apart=True,
        position=position,
        hold_ms=_CLICK_SECONDS * 1000,
    )
    guard = PressGuard(resolver, element, aim)
    yield from guard.prepare()
    retries: list[str] = []
    while True:
        sight = yield from guard.aim()
        end = dispatch_touch(session, "touchEnd")
        start = dispatch_touch(session, "touchStart", [(sight.x, sight.y)], cleanup=end)
        came = went_on((yield from gather_outcomes(start, end)))
        # The guards stay until the tap's mouse events have come, or the page has taken the touch for itself.
        yield from gather_outcomes(
            call_on(resolver, sight.places[0], script("tapped"), sight.key, _CLICK_SECONDS * 1000),
            timeout=_CLICK_SECONDS * 2,
        )
        last = bool(came) or len(retries) == TRIES - 1
        seen = yield from guard.end(sight, keep_cover=last)
        if seen is None or not seen.stray:
            notes = (*sight.notes, *count_retries(retries), *([came] if came else []))
            return Hit(sight.x, sight.y, notes)
        yield from guard.check_stopped(seen, sight, last=last)
        retries.append("the page moved under the finger")


def swipe(
    resolver: NodeResolver, start: tuple[float, float], end: tuple[float, float], duration: float
) -> Plan[Hit]:
    """Draw a finger from one point of the main viewport to another.

    Args:
        resolver: of the page.
        start: CSS px.
        end: CSS px.
        duration: seconds for all of it; a short one is a fling.
    """
    session = resolver.id_of(0)
    cancel = dispatch_touch(session, "touchCancel")
    came = went_on(
        (yield from gather_outcomes(dispatch_touch(session, "touchStart", [start], cleanup=cancel)))
    )
    for point in points_between(start, end, _STEPS):
        if came:
            break
        yield from pause(duration / _STEPS)
        came = went_on((yield from gather_outcomes(dispatch_touch(session, "touchMove", [point]))))
    came = (
        went_on((yield from gather_outcomes(dispatch_touch(session, "touchEnd", discharges=(cancel,)))))
        or came
    )
    return Hit(*end, (came,) if came else ())


def swipe_element(
    resolver: NodeResolver, element: Element, direction: Direction, distance: float | None, duration: float
) -> Plan[Hit]:
    """Swipe from a free point of an element: by 200 px where no distance is given.

    Raises:
        NotInteractable, ElementCovered, StaleElement: it cannot be touched; nothing was.
    """
    sight = yield from find_hit_point(resolver, element, HitRequest(action="swipe on", enabled=False))
    x, y = _DIRECTIONS[direction]
    far = _DISTANCE if distance is None else distance
    end = (sight.x + x * far, sight.y + y * far)
    hit = yield from swipe(resolver, (sight.x, sight.y), end, duration)
    return Hit(hit.x, hit.y, (*sight.notes, *hit.notes))


def swipe_page(
    resolver: NodeResolver,
    direction: Direction,
    distance: float | None,
    duration: float,
) -> Plan[Hit]:
    """Swipe over the middle of the viewport; by half of it where no distance is given."""
    x, y = _DIRECTIONS[direction]
    (metrics,) = yield from gather(get_layout_metrics(resolver.id_of(0)))
    width, height = metrics.css_layout_viewport.client_width, metrics.css_layout_viewport.client_height
    far = (width if x else height) * _SHARE if distance is None else distance
    start = (width / 2 - x * far / 2, height / 2 - y * far / 2)
    return (yield from swipe(resolver, start, (start[0] + x * far, start[1] + y * far), duration))
