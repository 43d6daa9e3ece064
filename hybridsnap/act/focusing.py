"""Giving an element the focus, so that keys reach it, and taking it away.

Measured in Chromium 156:

- Keys and text sent to the page's own session reach the frame that has the focus, in whatever process it is;
  those sent to the session of an out-of-process frame reach that frame, or nothing.
- A page in a background tab takes the focus for its elements, but does not believe to have it itself: no
  `focus` event fires, `document.hasFocus()` is false. The first input gives it the focus, and inserting an
  empty text is an input that the page does not see. It stays in the background (`visibilityState`), and no
  other tab loses its focus. `Emulation.setFocusEmulationEnabled` would do too, but makes the page believe
  that it is visible, and takes the focus away again when it ends: it is not used.
- A frame in another process hears a moment later that it has the focus.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec

from hybridsnap.act.controls import ask, opened_dialog, refuse
from hybridsnap.act.element import describe
from hybridsnap.act.refusals import name_node
from hybridsnap.errors import CommandRefused, CommandUnanswered
from hybridsnap.injected import script
from hybridsnap.protocol.input_commands import insert_text
from hybridsnap.protocol.plan import gather, pause

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Command, Plan

_P = ParamSpec("_P")

#: How often a page is asked whether it has the focus by now, and how long is waited in between, in seconds.
_TRIES = 50
_BREATH = 0.01

_FOCUS, BLUR, _FOCUSED = script("focus"), script("blur"), script("focused")


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """What came of an action that took place.

    Attributes:
        notes: what else there is to know, one short line each.
    """

    notes: tuple[str, ...] = ()


#: What is said when a dialog came in between.
DIALOG_NOTE = "a dialog opened meanwhile; what would have come after it was not done"


#: What is said when the page answered to the focus by moving it.
MOVED_ON_NOTE = "the page has seen the focus, and moved it on at once"


def ends_at_dialog(action: Callable[_P, Plan[Done]]) -> Callable[_P, Plan[Done]]:
    """Make an action be done as far as it came when it opens a dialog, which its last command waits for."""

    @functools.wraps(action)
    def until_dialog(*args: _P.args, **kwargs: _P.kwargs) -> Plan[Done]:
        try:
            return (yield from action(*args, **kwargs))
        except CommandUnanswered as error:
            if not opened_dialog(error):
                raise
            return Done((DIALOG_NOTE,))

    return until_dialog


@ends_at_dialog
def focus_element(resolver: NodeResolver, element: Element) -> Plan[Done]:
    """Give an element the focus, as `element.focus()` does; of a part of editable text, the whole of it.

    Returns:
        A note says when the page moved the focus on at once: it has seen the focus, and answered to it.

    Raises:
        NotInteractable: it is disabled, inert, not displayed, invisible, or cannot have the focus (``not
            focusable``, ``focus taken``).
        StaleElement: it is gone.
    """
    told = yield from ask_with_focus(resolver, element, _FOCUS)
    if told.get("refused") == "focus moved":
        return Done((MOVED_ON_NOTE,))
    if told.get("refused"):
        yield from refuse_focus(resolver, element, "focus", told["refused"])
    return Done()


@ends_at_dialog
def blur_element(resolver: NodeResolver, element: Element) -> Plan[Done]:
    """Take the focus from an element, as `element.blur()` does: a field that was edited fires ``change``.

    Raises:
        StaleElement: it is gone.
    """
    told = yield from ask(resolver, element, BLUR)
    if told.get("refused"):
        refuse(element, "blur", told["refused"])
    if not told["had"]:
        return Done(("it did not have the focus",))
    return Done(("the page gave it the focus again",) if told["has"] else ())


def ask_with_focus(
    resolver: NodeResolver,
    element: Element,
    function: str,
    *arguments: Any,
    cleanup: Command[Any] | None = None,
) -> Plan[dict[str, Any]]:
    """Call a function that gives the element the focus, until the page believes that it has it.

    Args:
        resolver: of the page.
        element: to call it on.
        function: it returns ``asleep`` when the page did not have the focus, with nothing selected then.
        arguments: its arguments.
        cleanup: what takes its effect back.

    Raises:
        NotInteractable: the page does not get the focus.
        StaleElement: the element is gone.
    """
    for attempt in range(_TRIES):
        told: dict[str, Any] = yield from ask(resolver, element, function, *arguments, cleanup=cleanup)
        if not told.get("asleep"):
            return told
        if attempt:
            yield from gather(insert_text(resolver.id_of(0), ""))
            yield from pause(_BREATH)
    refuse(element, "focus", "not focusable", "the page does not get the focus in its window")


def refuse_focus(resolver: NodeResolver, element: Element, action: str, reason: str) -> Plan[NoReturn]:
    """Say that an action was not done which gives the element the focus first.

    Where the page has seen the focus move, and moved it on, or back, it may have done something else, too:
    that is `partial`, and the message says where the focus is now.

    Raises:
        NotInteractable, StaleElement: as `refuse`.
    """
    if reason not in {"focus moved", "focus taken"}:
        refuse(element, action, reason)
    where = "to nothing"
    try:
        result = yield from resolver.call(element.place, _FOCUSED)
        handle = result.result.object_id
        named = None if handle is None else (yield from name_node(resolver, element.place, handle))
        if named is not None:
            where = f"to {describe(*named[1:])} [{named[0]}]"
    except (CommandRefused, CommandUnanswered):
        where = "elsewhere"
    how = "moved the focus on" if reason == "focus moved" else "taken the focus back"
    why = f"the page has {how}, {where}; act on that if it is meant, or look at the page first"
    refuse(element, action, reason, why, partial=True)
