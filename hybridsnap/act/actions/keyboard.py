"""Actions of the keyboard."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.act.actions.spec import ActionContext, ActionSpec, Arguments, Parameter, on_element
from hybridsnap.act.element import describe
from hybridsnap.act.focusing import Done, blur_element, focus_element
from hybridsnap.act.keyboard import parse_chord
from hybridsnap.act.naming import name_place
from hybridsnap.act.text_entry import key_down, key_up, press_chord, type_text
from hybridsnap.capture.pointing import active_place
from hybridsnap.errors import ActionError
from hybridsnap.protocol.commands import get_user_agent
from hybridsnap.protocol.plan import gather

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeRef
    from hybridsnap.protocol.plan import Plan

_KEY = Parameter("key", str, "one key, such as Shift", positional=True)


def on_mac(context: ActionContext, keys: str) -> Plan[bool]:
    """Whether ``ControlOrMeta`` among these keys is Meta: the browser is asked once, where it matters."""
    if "ormeta" not in keys.lower():
        return False
    state = context.history.input
    if state.mac is None:
        (agent,) = yield from gather(get_user_agent(context.resolver.id_of(0)))
        state.mac = "Mac OS X" in agent
    return state.mac


def _around_focus(context: ActionContext, _: Arguments) -> Plan[NodeRef | None]:
    return (yield from active_place(context.resolver))


def _focused(context: ActionContext) -> Plan[Element | None]:
    """What has the focus; None where nothing has it."""
    if context.place is None:
        return None
    return (yield from name_place(context.resolver, context.history, context.place))


def _type(context: ActionContext, element: Element | None, arguments: Arguments) -> Plan[Done]:
    chosen = element or (yield from _focused(context))
    if chosen is None:
        raise ActionError("cannot type: nothing has the focus; name an element", element_id=None)
    done = yield from type_text(context.resolver, chosen, **arguments, over_selection=element is None)
    if element is not None:
        return done
    into = f"into what had the focus: {describe(chosen.role, chosen.name)} [{chosen.id}]"
    return dataclasses.replace(done, notes=(into, *done.notes))


def _press(context: ActionContext, element: Element | None, arguments: Arguments) -> Plan[Done]:
    chord = arguments["chord"]
    mac = yield from on_mac(context, chord)
    held = context.history.input.keys
    return (yield from press_chord(context.resolver, chord, element, held=held, mac=mac))


def _key_down(context: ActionContext, _: None, arguments: Arguments) -> Plan[Done]:
    key = arguments["key"]
    mac = yield from on_mac(context, key)
    return (yield from key_down(context.resolver, key, context.history.input.keys, mac=mac))


def _key_up(context: ActionContext, _: None, arguments: Arguments) -> Plan[Done]:
    key = arguments["key"]
    mac = yield from on_mac(context, key)
    return (yield from key_up(context.resolver, key, context.history.input.keys, mac=mac))


def _blur(context: ActionContext, element: Element | None, _: Arguments) -> Plan[Done]:
    if element is None:
        element = yield from _focused(context)
    if element is None:
        return Done(("nothing had the focus",))
    return (yield from blur_element(context.resolver, element))


BLUR = ActionSpec(
    name="blur",
    doc="Take the focus from an element, or from whatever has it.",
    element="optional",
    plan=_blur,
    around=_around_focus,
)
FOCUS = ActionSpec(
    name="focus",
    doc="Give an element the focus, without clicking it.",
    element="required",
    plan=on_element(focus_element),
)
TYPE = ActionSpec(
    name="type",
    doc="Type into an element, or into whatever has the focus, behind what it holds.",
    element="optional",
    parameters=(
        Parameter("text", str, "what to type", positional=True),
        Parameter("clear", bool, "replace what it holds", default=False),
        Parameter("delay", float, "seconds between characters; 0 enters the text at once", 0.0),
        Parameter("by_keys", bool, "key events for each character, without delay", default=False),
        Parameter("submit", bool, "press Enter afterwards", default=False),
    ),
    plan=_type,
    around=_around_focus,
)
PRESS = ActionSpec(
    name="press",
    doc="Press keys together.",
    element="optional",
    parameters=(
        Parameter(
            "chord", str, "the keys, such as Enter, Ctrl+a, ControlOrMeta+Shift+ArrowLeft", positional=True
        ),
    ),
    plan=_press,
    around=_around_focus,
    check=lambda arguments: parse_chord(arguments["chord"]),
    title=lambda arguments: f"press {arguments['chord']}",
)
KEY_DOWN = ActionSpec(
    name="key_down",
    doc="Press a key and keep it down, until key_up.",
    parameters=(_KEY,),
    plan=_key_down,
    around=_around_focus,
    check=lambda arguments: parse_chord(arguments["key"]),
    title=lambda arguments: f"hold {arguments['key']}",
)
KEY_UP = ActionSpec(
    name="key_up",
    doc="Let go of a key.",
    parameters=(_KEY,),
    plan=_key_up,
    around=_around_focus,
    check=lambda arguments: parse_chord(arguments["key"]),
    title=lambda arguments: f"let go of {arguments['key']}",
)
