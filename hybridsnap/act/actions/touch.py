"""Actions of a finger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hybridsnap.act.actions.pointer import FORCE, POSITION, check_pointer
from hybridsnap.act.actions.spec import ActionContext, ActionSpec, Arguments, Parameter, on_element
from hybridsnap.act.geometry import MOST_PX
from hybridsnap.act.scrolling import check_direction
from hybridsnap.act.touch import swipe_element, swipe_page, tap_element

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.act.pointer import Hit
    from hybridsnap.protocol.plan import Plan

#: A longer swipe is none.
_MOST_SECONDS = 10.0


def _check_swipe(arguments: Arguments) -> None:
    direction, distance, duration = arguments["direction"], arguments["distance"], arguments["duration"]
    check_direction(direction)
    far: Any = distance
    if far is not None and not (isinstance(far, (int, float)) and 0 < far <= MOST_PX):
        raise ValueError(f"distance: expected a positive number of CSS px, got {distance!r}")
    seconds: Any = duration
    if not (isinstance(seconds, (int, float)) and 0 <= seconds <= _MOST_SECONDS):
        raise ValueError(f"duration: expected 0 to {_MOST_SECONDS:g} seconds, got {duration!r}")


def _swipe(context: ActionContext, element: Element | None, arguments: Arguments) -> Plan[Hit]:
    if element is None:
        return (yield from swipe_page(context.resolver, **arguments))
    return (yield from swipe_element(context.resolver, element, **arguments))


TAP = ActionSpec(
    name="tap",
    doc="Tap an element with a finger.",
    element="required",
    parameters=(POSITION, FORCE),
    plan=on_element(tap_element),
    check=check_pointer,
)
SWIPE = ActionSpec(
    name="swipe",
    doc="Draw a finger over the page, or from an element, in a direction; what is under it goes along.",
    element="optional",
    parameters=(
        Parameter(
            "direction", Literal["up", "down", "left", "right"], "in which the finger goes", positional=True
        ),
        Parameter("distance", float, "CSS px; else half of the viewport, or 200 px from an element", None),
        Parameter("duration", float, "seconds; a short swipe is a fling", 0.2),
    ),
    plan=_swipe,
    check=_check_swipe,
    title=lambda arguments: f"swipe {arguments['direction']}",
)
