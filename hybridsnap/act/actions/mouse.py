"""Actions of the mouse, button by button: held from one action to the next, or led along a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.act.actions.pointer import BUTTON, MODIFIERS, POINT, check_pointer, pointer_options
from hybridsnap.act.actions.spec import ActionContext, ActionSpec, Arguments, Parameter
from hybridsnap.act.input_state import check_button
from hybridsnap.act.mouse import (
    check_path,
    check_place,
    lead_along,
    mouse_down,
    mouse_up,
    move_mouse,
)
from hybridsnap.act.pointer import check_point
from hybridsnap.capture.pointing import place_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.act.pointer import Hit
    from hybridsnap.capture.node_resolver import NodeRef
    from hybridsnap.protocol.plan import Plan

_HERE = "CSS px of the main viewport; else where the pointer is"
_BUTTON_PARAMETERS = (Parameter("x", float, _HERE, None), Parameter("y", float, _HERE, None), BUTTON)


def _check_button(arguments: Arguments) -> None:
    check_button(arguments["button"])
    check_place(arguments["x"], arguments["y"])


def _around(context: ActionContext, arguments: Arguments) -> Plan[NodeRef | None]:
    position = context.history.input.position
    if arguments["x"] is not None:
        position = (arguments["x"], arguments["y"])
    return None if position is None else (yield from place_at(context.resolver, *position))


def _of_mouse(plan: Callable[..., Plan[Hit]]) -> Callable[[ActionContext, None, Arguments], Plan[Hit]]:
    """A plan of an action: this one, with the page's resolver and mouse, and the arguments by name."""
    return lambda context, _, arguments: plan(context.resolver, context.history.input, **arguments)


def _check_path(arguments: Arguments) -> None:
    check_path(arguments["points"], arguments["steps"], arguments["duration"])
    check_pointer(arguments)


def _around_path(context: ActionContext, arguments: Arguments) -> Plan[NodeRef | None]:
    return (yield from place_at(context.resolver, *arguments["points"][0]))


def _mouse_path(context: ActionContext, _: None, arguments: Arguments) -> Plan[Hit]:
    options = yield from pointer_options(context, arguments)
    points, state = arguments["points"], context.history.input
    steps, duration = arguments["steps"], arguments["duration"]
    return (yield from lead_along(context.resolver, state, points, options, steps=steps, duration=duration))


MOUSE_DOWN = ActionSpec(
    name="mouse_down",
    doc="Press a button of the mouse and keep it down, until mouse_up.",
    parameters=_BUTTON_PARAMETERS,
    plan=_of_mouse(mouse_down),
    around=_around,
    check=_check_button,
    title=lambda arguments: f"hold the {arguments['button']} mouse button",
)
MOUSE_UP = ActionSpec(
    name="mouse_up",
    doc="Let go of a button of the mouse.",
    parameters=_BUTTON_PARAMETERS,
    plan=_of_mouse(mouse_up),
    around=_around,
    check=_check_button,
    title=lambda arguments: f"let go of the {arguments['button']} mouse button",
)
MOVE_TO = ActionSpec(
    name="move_to",
    doc="Move the pointer to a point, with the buttons that are down.",
    parameters=POINT,
    plan=_of_mouse(move_mouse),
    around=_around,
    check=lambda arguments: check_point((arguments["x"], arguments["y"])),
    title=lambda arguments: f"move to {arguments['x']:g}, {arguments['y']:g}",
)
MOUSE_PATH = ActionSpec(
    name="mouse_path",
    doc="Press at the first point, move along the others, let go at the last: to draw, or for a lasso.",
    parameters=(
        Parameter("points", list[tuple[float, float]], "CSS px of the main viewport", positional=True),
        BUTTON,
        MODIFIERS,
        Parameter("steps", int, "moves from each point to the next", 4),
        Parameter("duration", float, "seconds for all of it", 0.0),
    ),
    plan=_mouse_path,
    around=_around_path,
    check=_check_path,
    title=lambda arguments: f"lead the mouse along {len(arguments['points'])} points",
)
