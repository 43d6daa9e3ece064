"""Actions of the pointer, on elements and at points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hybridsnap.act.actions.keyboard import on_mac
from hybridsnap.act.actions.spec import ActionContext, ActionSpec, Arguments, Parameter, on_element
from hybridsnap.act.highlight import highlight_element
from hybridsnap.act.hit_target import EarlyAim
from hybridsnap.act.pointer import (
    PointerOptions,
    check_point,
    click_at,
    click_element,
    click_request,
    hover_element,
    hover_request,
    read_modifiers,
)
from hybridsnap.capture.pointing import place_at

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.act.pointer import Hit
    from hybridsnap.capture.node_resolver import NodeRef
    from hybridsnap.protocol.plan import Plan

#: Parameters that `PointerOptions` takes as they are.
_PLAIN = ("button", "count", "delay", "position", "force")

BUTTON = Parameter("button", Literal["left", "middle", "right"], "left, middle or right", "left")
_COUNT = Parameter("count", int, "2 for a double click, 3 for a triple one", 1)
MODIFIERS = Parameter(
    "modifiers", list[str] | str, "keys held meanwhile: Shift, Control, Alt, Meta, ControlOrMeta", ()
)
DELAY = Parameter("delay", float, "seconds between down and up", 0.0)
POSITION = Parameter(
    "position", tuple[float, float], "CSS px from the element's top left corner; else a free point", None
)
FORCE = Parameter("force", bool, "whatever state it is in and whatever lies on top", default=False)
POINT = (
    Parameter("x", float, "CSS px of the main viewport", positional=True),
    Parameter("y", float, "CSS px of the main viewport", positional=True),
)


def check_pointer(arguments: Arguments) -> None:
    """Refuse what is wrong of what `PointerOptions` holds."""
    _plain_options(arguments, modifiers=read_modifiers(arguments.get("modifiers", ())))


def pointer_options(context: ActionContext, arguments: Arguments) -> Plan[PointerOptions]:
    """How to point, by the arguments and by the keys that are down."""
    names, held = read_modifiers(arguments.get("modifiers", ())), tuple(context.history.input.keys)
    mac = yield from on_mac(context, "+".join(names))
    return _plain_options(arguments, modifiers=names, held=held, mac=mac)


def _noted(context: ActionContext, hit: Hit) -> Hit:
    """Remember where the pointer is now."""
    context.history.input.position = (hit.x, hit.y)
    return hit


def _aim_to_click(context: ActionContext, arguments: Arguments) -> EarlyAim | None:
    """Where to click, unless keys go down before: between guards and press nothing may keep us waiting."""
    if read_modifiers(arguments["modifiers"]):
        return None
    return EarlyAim(context.resolver, click_request(_plain_options(arguments)))


def _plain_options(arguments: Arguments, **keys: Any) -> PointerOptions:
    return PointerOptions(**{name: arguments[name] for name in _PLAIN if name in arguments}, **keys)


def _click(context: ActionContext, element: Element, arguments: Arguments) -> Plan[Hit]:
    options = yield from pointer_options(context, arguments)
    hit = yield from click_element(context.resolver, element, options, context.early)
    return _noted(context, hit)


def _hover(context: ActionContext, element: Element, arguments: Arguments) -> Plan[Hit]:
    options = yield from pointer_options(context, arguments)
    hit = yield from hover_element(context.resolver, element, options, context.early)
    return _noted(context, hit)


def _check_at(arguments: Arguments) -> None:
    check_point((arguments["x"], arguments["y"]))
    check_pointer(arguments)


def _around_point(context: ActionContext, arguments: Arguments) -> Plan[NodeRef | None]:
    return (yield from place_at(context.resolver, arguments["x"], arguments["y"], in_view=True))


def _click_at(context: ActionContext, _: None, arguments: Arguments) -> Plan[Hit]:
    options = yield from pointer_options(context, arguments)
    x, y = arguments["x"], arguments["y"]
    return _noted(context, (yield from click_at(context.resolver, x, y, options, context.place)))


_TIMES = {1: "", 2: "double", 3: "triple"}


def _title_click(arguments: Arguments) -> str:
    """How it is clicked, where that is not once with the left button: ``Control+double-click``."""
    button = "" if arguments["button"] == "left" else arguments["button"]
    how = " ".join(word for word in (_TIMES[arguments["count"]], button) if word)
    return with_keys(arguments, f"{how}-click" if how else "click")


def with_keys(arguments: Arguments, title: str) -> str:
    """The title of an action, behind the keys that are held meanwhile: ``Control+drag``."""
    return "+".join((*read_modifiers(arguments["modifiers"]), title))


CLICK = ActionSpec(
    name="click",
    doc="Click an element, as a person would.",
    element="required",
    parameters=(BUTTON, _COUNT, MODIFIERS, DELAY, POSITION, FORCE),
    title=_title_click,
    plan=_click,
    early=_aim_to_click,
    check=check_pointer,
)
HOVER = ActionSpec(
    name="hover",
    doc="Move the pointer over an element.",
    element="required",
    parameters=(MODIFIERS, POSITION, FORCE),
    title=lambda arguments: with_keys(arguments, "hover"),
    plan=_hover,
    early=lambda context, arguments: EarlyAim(context.resolver, hover_request(_plain_options(arguments))),
    check=check_pointer,
)
CLICK_AT = ActionSpec(
    name="click_at",
    doc="Click a point, whatever is there.",
    parameters=(*POINT, BUTTON, _COUNT, MODIFIERS, DELAY),
    plan=_click_at,
    around=_around_point,
    check=_check_at,
    title=lambda arguments: f"{_title_click(arguments)} at {arguments['x']:g}, {arguments['y']:g}",
)
HIGHLIGHT = ActionSpec(
    name="highlight",
    doc="Draw a frame over an element for some seconds; the page is not touched.",
    element="required",
    parameters=(Parameter("seconds", float, "for how long", 2.0),),
    plan=on_element(highlight_element),
)
