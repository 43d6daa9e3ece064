"""Giving an ARIA slider its value, by its keys: arrows, Home and End.

A separator that takes the focus and says its value (as between two panes) is one of them, and so is a spin
button that is not a text field (such as the hours of a time picker, drawn as a button).
"""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, Any

from hybridsnap.act.controls import SET_VALUE, ask, refuse
from hybridsnap.act.focusing import Done
from hybridsnap.act.text_entry import press_chord
from hybridsnap.errors import ActionError, HybridsnapError
from hybridsnap.injected import script
from hybridsnap.protocol.plan import pause
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

#: No value is set with more presses than this.
_MOST_PRESSES = 1000
#: How often the keys' effect is looked at, and seconds in between: script may draw it in a later turn.
_LOOKS, _BREATH = 15, 0.02
#: How often the rest of the way is worked out anew: some sliders go in uneven steps.
_ROUNDS = 6
#: Of a step: two values nearer than this are the same.
_SAME = 1e-6

#: The keys that lead to greater values, and those that lead back.
_BACK = {"ArrowRight": "ArrowLeft", "ArrowUp": "ArrowDown"}
_STATE = script("slider_state")


def check_slider(resolver: NodeResolver, element: Element, value: str) -> Plan[float]:
    """A value, found right for an ARIA slider.

    Raises:
        NotInteractable: the value is none that the slider can have (``value``), or the slider is disabled.
        StaleElement: it is gone.
    """
    told: dict[str, Any] = yield from ask(resolver, element, _STATE)
    if told["off"]:
        refuse(element, SET_VALUE, "disabled")
    wanted = _number(value)
    _check_limits(element, told, wanted, value)
    return wanted


def check_spun(resolver: NodeResolver, element: Element, value: str) -> Plan[None]:
    """See whether a spin button that is a text field may have a value.

    Only a number within the limits that it says, if any; or a text with digits in it (``1,50``), and any text
    where it calls its value by words (as "January").

    Raises:
        NotInteractable: it may not (``value``).
        StaleElement: it is gone.
    """
    told: dict[str, Any] = yield from ask(resolver, element, _STATE)
    wanted = _number(value)
    is_text = told["words"] or not value or any(map(str.isdigit, value))
    if not (math.isnan(wanted) and is_text):
        _check_limits(element, told, wanted, value)


def _number(value: str) -> float:
    """NaN for what is none."""
    try:
        return float(value)
    except ValueError:
        return math.nan


def _check_limits(element: Element, told: dict[str, Any], wanted: float, value: str) -> None:
    least, most = told["min"], told["max"]
    beyond = (least is not None and wanted < least) or (most is not None and wanted > most)
    if beyond or not math.isfinite(wanted):
        limits = [("from", least), ("to", most)]
        span = "".join(f" {word} {limit:g}" for word, limit in limits if limit is not None)
        got = clean_text(repr(value[:40]))
        why = f"it is a {element.role or 'slider'}: its value is a number{span}, not {got}"
        refuse(element, SET_VALUE, "value", why)


def set_slider(resolver: NodeResolver, element: Element, wanted: float) -> Plan[Done]:
    """Press a slider's keys until it has a value.

    Raises:
        NotInteractable: ``value``: its keys do not lead there; the message says where it is now. It is
            ``partial`` where that is elsewhere than before.
        StaleElement: it is gone.
    """
    told: dict[str, Any] = yield from ask(resolver, element, _STATE)
    if told["now"] == wanted:
        return Done(("it had this value already",))
    try:
        return (yield from _move(resolver, element, told, wanted))
    except ActionError as error:
        with contextlib.suppress(HybridsnapError):  # it is gone: that is said
            after: dict[str, Any] = yield from ask(resolver, element, _STATE)
            error.partial = error.partial or after["now"] != told["now"]
        raise


def _move(resolver: NodeResolver, element: Element, told: dict[str, Any], wanted: float) -> Plan[Done]:
    """From where it is, as `slider_state` has told it."""
    now: float | None = told["now"]
    for key, end in (("Home", told["min"]), ("End", told["max"])):
        if wanted == end or now is None:
            now = yield from _press(resolver, element, key, 1, now)
            if now == wanted:
                return Done()
    step = 0.0
    for key, back in _BACK.items():
        if told["upright"] and key == "ArrowRight":
            continue
        after = yield from _press(resolver, element, key, 1, now)
        if after is None or after == now:  # it may stand at its end
            after = yield from _press(resolver, element, back, 1, now)
            step = 0.0 if after is None or now is None else now - after
        else:
            step = 0.0 if now is None else after - now
        now = after
        if step:
            yield from _walk(resolver, element, key, step, now, wanted)
            return Done()
    where = "" if now is None else f"; it is at {now:g}"
    refuse(element, SET_VALUE, "value", f"its keys do not move it{where}; drag its handle")


def _walk(
    resolver: NodeResolver, element: Element, key: str, step: float, now: float | None, wanted: float
) -> Plan[None]:
    for _ in range(_ROUNDS):
        if now is None or abs(now - wanted) <= _SAME * abs(step):
            break
        count = round((wanted - now) / step)
        if not count:
            break
        if abs(count) > _MOST_PRESSES:
            far = f"{abs(count)} steps of {abs(step):g}"
            why = f"it is at {now:g}, {far} away; drag its handle"
            refuse(element, SET_VALUE, "value", why)
        now = yield from _press(resolver, element, key if count > 0 else _BACK[key], abs(count), now)
    if now is None or abs(now - wanted) > _SAME * abs(step):
        where = "nowhere known" if now is None else f"at {now:g}"
        why = f"its keys go in steps of {abs(step):g}, and do not lead to {wanted:g}; it is {where}"
        refuse(element, SET_VALUE, "value", why)


def _press(
    resolver: NodeResolver, element: Element, key: str, times: int, before: float | None
) -> Plan[float | None]:
    """The value after a key was pressed so often; as soon as it is another one."""
    yield from press_chord(resolver, key, element, times=times)
    now: float | None = before
    for _ in range(_LOOKS):
        told: dict[str, Any] = yield from ask(resolver, element, _STATE, True)
        last, now = now, told["now"]
        if now not in {before, None} and (times == 1 or now == last):
            break
        yield from pause(_BREATH)
    return now
