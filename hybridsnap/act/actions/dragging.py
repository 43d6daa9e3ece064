"""Dragging, onto an element and from point to point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.actions.pointer import FORCE, MODIFIERS, check_pointer, pointer_options, with_keys
from hybridsnap.act.actions.spec import ActionContext, ActionSpec, Arguments, Parameter
from hybridsnap.act.dragging import drag_at, drag_onto, tell_dropped
from hybridsnap.act.dropping import DragOptions
from hybridsnap.act.pointer import check_point
from hybridsnap.capture.pointing import place_at

if TYPE_CHECKING:
    from hybridsnap.act.dragging import Dropped
    from hybridsnap.act.element import Element
    from hybridsnap.act.pointer import Hit
    from hybridsnap.capture.node_resolver import NodeRef
    from hybridsnap.protocol.plan import Plan

_HOLD = (
    "seconds for which the pointer rests over the target, after each of two moves there;"
    " None: 0.06, with HTML's own drag and drop 0.25 at the end"
)
#: Some lists begin a drag only when the button has been held for a while (dnd-kit's delay: 200 ms).
_DELAY = Parameter("delay", float, "seconds for which the button is held before the first move", 0.0)
_UNMOVED = (
    "nothing changed in the DOM so far; a page that waits for a long press takes a drag with delay, such as"
    " 0.5"
)


def _way(arguments: Arguments) -> DragOptions:
    names = ("target_position", "steps", "hold")
    given: dict[str, Any] = {name: arguments[name] for name in names if name in arguments}
    return DragOptions(**given)


def _of_pointer(arguments: Arguments) -> dict[str, Any]:
    """The arguments by the names that clicks have for them."""
    return {"position" if name == "source_position" else name: value for name, value in arguments.items()}


def _check_drag(arguments: Arguments) -> None:
    _way(arguments)
    check_pointer(_of_pointer(arguments))


def _drag(context: ActionContext, element: Element, arguments: Arguments) -> Plan[Dropped]:
    options = yield from pointer_options(context, _of_pointer(arguments))
    target, way = arguments["target"], _way(arguments)
    return (yield from drag_onto(context.resolver, context.history, element, target, options, way))


def _check_drag_at(arguments: Arguments) -> None:
    check_point(arguments["start"], "start")
    check_point(arguments["end"], "end")
    _way(arguments)
    check_pointer(arguments)


def _around_start(context: ActionContext, arguments: Arguments) -> Plan[NodeRef | None]:
    return (yield from place_at(context.resolver, *arguments["start"], in_view=True))


def _drag_at(context: ActionContext, _: None, arguments: Arguments) -> Plan[Hit]:
    options = yield from pointer_options(context, arguments)
    start, end = arguments["start"], arguments["end"]
    steps, hold = arguments["steps"], arguments["hold"]
    return (yield from drag_at(context.resolver, start, end, options, context.place, steps=steps, hold=hold))


def _title_drag_at(arguments: Arguments) -> str:
    (x, y), (to_x, to_y) = arguments["start"], arguments["end"]
    return with_keys(arguments, f"drag from {x:g}, {y:g} to {to_x:g}, {to_y:g}")


DRAG = ActionSpec(
    name="drag",
    doc="Drag an element onto another.",
    element="required",
    element_name="source",
    naming=False,
    parameters=(
        Parameter("target", str, "id, ref or selector of where it is dropped", positional=True),
        MODIFIERS,
        Parameter(
            "source_position",
            tuple[float, float],
            "where to take hold: CSS px from the source's top left corner; else a free point",
            None,
        ),
        Parameter(
            "target_position",
            tuple[float, float],
            "where to let go: CSS px from the target's top left corner; else a free point",
            None,
        ),
        Parameter("steps", int, "moves on the way", 1),
        _DELAY,
        Parameter("hold", float, _HOLD, None),
        FORCE,
    ),
    title=lambda arguments: with_keys(arguments, "drag"),
    unmoved=_UNMOVED,
    plan=_drag,
    check=_check_drag,
    tell=tell_dropped,
    value='what lay under the drop: {"x": 10.0, "y": 20.0, "over": "0-23", "made_room": false}',
)
DRAG_AT = ActionSpec(
    name="drag_at",
    doc="Drag from one point to another.",
    parameters=(
        Parameter("start", tuple[float, float], "CSS px of the main viewport", positional=True),
        Parameter("end", tuple[float, float], "CSS px of the main viewport", positional=True),
        MODIFIERS,
        Parameter("steps", int, "moves on the way", 10),
        _DELAY,
        Parameter("hold", float, "seconds for which the pointer rests at the end", 0.0),
    ),
    plan=_drag_at,
    around=_around_start,
    check=_check_drag_at,
    title=_title_drag_at,
)
