"""Actions that scroll."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

from hybridsnap.act.actions.spec import ActionContext, ActionSpec, Arguments, Parameter, on_element
from hybridsnap.act.pointer import check_point
from hybridsnap.act.scrolling import (
    check_scroll,
    check_wheel,
    scroll_element,
    scroll_into_view,
    scroll_page,
    tell_turned,
    turn_wheel_at,
    turn_wheel_over,
)
from hybridsnap.capture.pointing import place_at

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.act.scrolling import Scrolled, Turned
    from hybridsnap.capture.node_resolver import NodeRef
    from hybridsnap.protocol.plan import Plan

_VALUE = 'how far it went: {"x": 0.0, "y": 720.0, "what": "page"}'


def _scroll(context: ActionContext, element: Element | None, arguments: Arguments) -> Plan[Scrolled]:
    direction, distance = arguments["direction"], arguments["distance"]
    if element is None:
        return (yield from scroll_page(context.resolver, direction, distance))
    return (yield from scroll_element(context.resolver, element, direction, distance))


def _tell(scrolled: Scrolled) -> tuple[dict[str, Any], list[str]]:
    x, y = round(scrolled.x), round(scrolled.y)
    if scrolled.what == "wheel":
        said = "nothing scrolls that way; the wheel was turned"
    elif scrolled.what == "view":
        said = f"the wheel was turned: the view scrolled by {x}, {y} px by script"
    else:
        said = f"the {scrolled.what} scrolled by {x}, {y} px"
    return dataclasses.asdict(scrolled), [said]


def _check_wheel(arguments: Arguments) -> None:
    check_wheel(arguments["dx"], arguments["dy"])
    if arguments["at"] is not None and not isinstance(arguments["at"], str):
        check_point(arguments["at"], "at")


def _around_wheel(context: ActionContext, arguments: Arguments) -> Plan[NodeRef | None]:
    at = arguments["at"]
    if isinstance(at, str):
        return (yield from context.find(at)).place
    return None if at is None else (yield from place_at(context.resolver, *at))


def _wheel(context: ActionContext, _: None, arguments: Arguments) -> Plan[Turned]:
    dx, dy, at = arguments["dx"], arguments["dy"], arguments["at"]
    if isinstance(at, str):
        found = yield from context.find(at)
        return (yield from turn_wheel_over(context.resolver, found, dx, dy))
    return (yield from turn_wheel_at(context.resolver, dx, dy, at, context.place))


SCROLL = ActionSpec(
    name="scroll",
    doc="Scroll the page, or an element (the nearest around it that scrolls).",
    element="optional",
    parameters=(
        Parameter(
            "direction",
            Literal["up", "down", "left", "right"],
            "up, down, left or right",
            "down",
            positional=True,
        ),
        Parameter("distance", float, "CSS px; else one viewport", None),
    ),
    plan=_scroll,
    check=lambda arguments: check_scroll(**arguments),
    title=lambda arguments: f"scroll {arguments['direction']}",
    tell=_tell,
    value=_VALUE,
)
SCROLL_INTO_VIEW = ActionSpec(
    name="scroll_into_view",
    doc="Scroll until an element is in view, in all frames around it.",
    element="required",
    plan=on_element(scroll_into_view),
    title="scroll into view",
    tell=_tell,
    value=_VALUE,
)
WHEEL = ActionSpec(
    name="wheel",
    doc="Turn the mouse wheel, for maps and views that scroll by script.",
    parameters=(
        Parameter("dx", float, "CSS px to the right; negative is left", positional=True),
        Parameter("dy", float, "CSS px down; negative is up", positional=True),
        Parameter(
            "at",
            str | tuple[float, float],
            "id, ref or selector, or a point in CSS px of the main viewport; else its middle",
            None,
        ),
    ),
    plan=_wheel,
    around=_around_wheel,
    check=_check_wheel,
    title=lambda arguments: f"wheel {arguments['dx']:g}, {arguments['dy']:g}",
    tell=tell_turned,
    value='how far, and where: {"dx": 0, "dy": 300, "x": 640.0, "y": 360.0}',
)
