"""What ``POST /act`` takes: each kind's fields, and the actions of ours that it stands for.

Refs (``e12``, ``12``, ``@e12``, ``ref=e12``, and element ids such as ``0-29``) go on as they are: the engine
holds them against the page, and refuses one that means something else by now.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.server.openclaw.fields import (
    boolean,
    exact,
    listing,
    number,
    positive,
    read_boolean,
    read_fields,
    read_text,
    text,
    texts,
    whole,
)
from hybridsnap.server.openclaw.host import named_ref
from hybridsnap.server.openclaw.refusals import (
    INVALID_REQUEST,
    KIND_REQUIRED,
    SELECTOR_UNSUPPORTED,
    invalid,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hybridsnap.server.openclaw.fields import Field

#: OpenClaw's limits: ms, CSS px, actions, levels.
_MOST_DELAY_MS, _MOST_TIME_MS, _MOST_SIDE = 5_000, 30_000, 8192
MOST_ACTIONS, _MOST_LEVELS = 100, 5
#: Least, most, and what a kind has when it says nothing, ms.
_INTERACTION = (500, 60_000, 8_000)
_WAITING = (500, 120_000, 20_000)
#: Seconds between the keys of what is typed slowly.
_SLOWLY = 0.075
_KEYS = {
    "esc": "Escape",
    "return": "Enter",
    "del": "Delete",
    "ctrl": "Control",
    "cmd": "Meta",
    "space": "Space",
}

_REF = text("ref", "of a snapshot: e12, 12, or an element id")
_SELECTOR = text("selector", "CSS or XPath, in the place of a ref")
_BUTTON = text("button", "left, right or middle")
_DELAY = whole("delayMs", "ms, at most 5000")
_DOUBLE = boolean("doubleClick", "twice")
_TIMEOUT = positive("timeoutMs", "for the element to be ready; 8000 if left out, 20000 of a wait")


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One action of ours.

    Attributes:
        data: as ``/control/act`` takes it.
        seconds: its budget.
    """

    data: dict[str, Any]
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """An action of OpenClaw's, checked.

    Attributes:
        kind: of its kinds.
        given: its fields.
        target_id: the tab it names itself.
        steps: what is done, in order; empty for what is no action of ours.
        actions: of a batch.
        stop_on_error: of a batch.
    """

    kind: str
    given: Mapping[str, Any]
    target_id: str | None
    steps: tuple[Step, ...] = ()
    actions: tuple[Act, ...] = ()
    stop_on_error: bool = True

    @property
    def seconds(self) -> float:
        """The budget of all its parts."""
        return sum(one.seconds for one in self.steps) + sum(one.seconds for one in self.actions)


def parse_act(data: Mapping[str, Any], level: int = 0) -> Act:
    """An action out of a body, or out of a batch.

    Raises:
        ApiError: it has no kind, or the kind does not take these fields.
    """
    kind = read_text("kind", data.get("kind"))
    if kind not in ACT_KINDS:
        known = ", ".join(ACT_KINDS)
        raise invalid(
            f"kind: expected one of {known}, got {kind!r:.40}",
            KIND_REQUIRED if not level else INVALID_REQUEST,
        )
    fields, steps_of = ACT_KINDS[kind]
    if "selector" in data and not level and kind not in _WITH_SELECTOR:
        raise invalid(
            f"{kind} takes no selector: name an element by a ref of a snapshot", SELECTOR_UNSUPPORTED
        )
    given = read_fields(fields, data)
    target_id = read_text("targetId", data.get("targetId"))
    if kind == "batch":
        actions = _parse_batch(given, level)
        stop = given["stopOnError"] is not False
        return Act(kind=kind, given=given, target_id=target_id, actions=actions, stop_on_error=stop)
    return Act(kind=kind, given=given, target_id=target_id, steps=tuple(steps_of(given)))


def _parse_batch(given: Mapping[str, Any], level: int) -> tuple[Act, ...]:
    if level > _MOST_LEVELS:
        raise invalid(f"batches in batches: at most {_MOST_LEVELS} levels")
    found = []
    for one in given["actions"] or ():
        if not isinstance(one, dict):
            raise invalid(f"actions: expected objects such as {{'kind': 'click'}}, got {one!r:.40}")
        found.append(parse_act(one, level + 1))
    if not found:
        raise invalid("actions: expected a list with at least one action")
    if _count(found) > MOST_ACTIONS:
        raise invalid(f"actions: expected at most {MOST_ACTIONS} in all, got {_count(found)}")
    return tuple(found)


def _count(actions: list[Act]) -> int:
    todo, count = list(actions), 0
    while todo:
        count += 1
        todo.extend(todo.pop().actions)
    return count


def _seconds(given: Mapping[str, Any], limits: tuple[int, int, int]) -> float:
    """How long an element, or a condition, is waited for."""
    least, most, usual = limits
    return max(least, min(most, given.get("timeoutMs") or usual)) / 1000


def _element(given: Mapping[str, Any], kind: str, ref: str = "ref", selector: str = "selector") -> str:
    named: str | None = given[ref] or given[selector]
    if named is None:
        raise invalid(f"{kind} needs {ref} or {selector}")
    return named_ref(named) if given[ref] else named


def _on(action: str, element: str, seconds: float, **arguments: Any) -> Step:
    """An action on an element, which is waited for as long as the kind's time says."""
    return Step({"action": action, "element": element, "wait": seconds, **arguments}, seconds)


def _delay(given: Mapping[str, Any], kind: str) -> float:
    milliseconds = given["delayMs"] or 0
    if milliseconds > _MOST_DELAY_MS:
        raise invalid(f"{kind}: delayMs is at most {_MOST_DELAY_MS}, got {milliseconds}")
    return float(milliseconds) / 1000


def _button(given: Mapping[str, Any], kind: str) -> dict[str, Any]:
    button = given["button"] or "left"
    if button not in {"left", "right", "middle"}:
        raise invalid(f"{kind}: expected left, right or middle as button, got {button!r:.40}")
    return {"button": button, "count": 2 if given["doubleClick"] else 1}


def _pause(seconds: float) -> Step:
    return Step({"action": "wait_for", "time": seconds}, seconds)


def _click(given: Mapping[str, Any]) -> list[Step]:
    element, seconds = _element(given, "click"), _seconds(given, _INTERACTION)
    delay, modifiers = _delay(given, "click"), given["modifiers"] or []
    known = {"Alt", "Control", "ControlOrMeta", "Meta", "Shift"}
    if set(modifiers) - known:
        raise invalid(f"click: modifiers are {', '.join(sorted(known))}, not {', '.join(modifiers):.60}")
    before = [_on("hover", element, seconds), _pause(delay)] if delay else []
    return [*before, _on("click", element, seconds, modifiers=modifiers, **_button(given, "click"))]


def _click_coords(given: Mapping[str, Any]) -> list[Step]:
    x, y = given["x"], given["y"]
    if x is None or y is None or x < 0 or y < 0:
        raise invalid("clickCoords needs x and y, in CSS px of the viewport, from 0 on")
    delay = _delay(given, "clickCoords")
    data = {"action": "click_at", "x": x, "y": y, "delay": delay, **_button(given, "clickCoords")}
    return [Step(data, _seconds(given, _INTERACTION) + 2 * delay)]


def _type(given: Mapping[str, Any]) -> list[Step]:
    element, seconds, words = _element(given, "type"), _seconds(given, _INTERACTION), given["text"]
    if words is None:
        raise invalid("type needs text")
    if given["slowly"]:
        steps = [_on("click", element, seconds)]
        if words:
            steps.append(_on("type", element, seconds + len(words) * _SLOWLY, text=words, delay=_SLOWLY))
    else:
        steps = [_fill_text(element, seconds, words)]
    return [*steps, _on("press", element, seconds, chord="Enter")] if given["submit"] else steps


def _fill_text(element: str, seconds: float, words: str) -> Step:
    return _on("fill", element, seconds, value=words) if words else _on("clear", element, seconds)


def _insert_text(given: Mapping[str, Any]) -> list[Step]:
    if given["text"] is None:
        raise invalid("insertText needs text")
    return []


def _press(given: Mapping[str, Any]) -> list[Step]:
    # The space bar's own character is cut away from any other key.
    words = "Space" if given["key"] == " " else (given["key"] or "").strip()
    keys = [_KEYS.get(one.lower(), one) for one in words.split("+")]
    if not words:
        raise invalid("press needs key")
    seconds, delay = _seconds({}, _INTERACTION), _delay(given, "press")
    if not delay or "" in keys:
        return [Step({"action": "press", "chord": "+".join(keys)}, seconds)]
    down = [Step({"action": "key_down", "key": one}, seconds) for one in keys]
    up = [Step({"action": "key_up", "key": one}, seconds) for one in reversed(keys)]
    return [*down, _pause(delay), *up]


def _hover(given: Mapping[str, Any]) -> list[Step]:
    return [_on("hover", _element(given, "hover"), _seconds(given, _INTERACTION))]


def _scroll_into_view(given: Mapping[str, Any]) -> list[Step]:
    return [_on("scroll_into_view", _element(given, "scrollIntoView"), _seconds(given, _WAITING))]


def _drag(given: Mapping[str, Any]) -> list[Step]:
    source = _element(given, "drag", "startRef", "startSelector")
    target = _element(given, "drag", "endRef", "endSelector")
    seconds = _seconds(given, _INTERACTION)
    return [Step({"action": "drag", "source": source, "target": target, "wait": seconds}, seconds)]


def _select(given: Mapping[str, Any]) -> list[Step]:
    element, seconds = _element(given, "select"), _seconds(given, _INTERACTION)
    if not given["values"]:
        raise invalid("select needs values")
    return [_on("select_option", element, seconds, value=given["values"])]


def _fill(given: Mapping[str, Any]) -> list[Step]:
    steps, seconds = [], _seconds(given, _INTERACTION)
    for at, field in enumerate(given["fields"] or ()):
        if not isinstance(field, dict) or set(field) - {"ref", "type", "value"}:
            raise invalid(f"fields[{at}]: expected {{ref, type, value}}, got {field!r:.80}")
        named = read_fields((_REF, text("type")), field)
        element = _element({**named, "selector": None}, f"fields[{at}]")
        value = field.get("value")
        if value is not None and not isinstance(value, str | int | float | bool):
            raise invalid(f"fields[{at}]: expected a text, a number, a boolean or null as value")
        if named["type"] in {"checkbox", "radio"}:
            is_on = read_boolean("", value) is True
            steps.append(_on("check" if is_on else "uncheck", element, seconds))
        else:
            steps.append(_fill_text(element, seconds, read_field_text(value)))
    if not steps:
        raise invalid("fill needs fields")
    return steps


def read_field_text(value: object) -> str:
    """The text that a value of a form's field stands for, as JavaScript has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _resize(given: Mapping[str, Any]) -> list[Step]:
    sides = (given["width"], given["height"])
    if any(one is None or not 0 < one <= _MOST_SIDE or one != int(one) for one in sides):
        raise invalid(f"resize needs width and height, whole CSS px from 1 to {_MOST_SIDE}")
    return []


def _wait(given: Mapping[str, Any]) -> list[Step]:
    """Each condition by itself, one after the other."""
    if (given["timeMs"] or 0) > _MOST_TIME_MS:
        raise invalid(f"wait: timeMs is at most {_MOST_TIME_MS}, got {given['timeMs']}")
    state = given["loadState"]
    conditions = {
        "text": given["text"],
        "text_gone": given["textGone"],
        "selector": given["selector"],
        "url": given["url"],
        "load_state": state if state in {"load", "domcontentloaded", "networkidle"} else None,
        "function": given["fn"],
    }
    seconds = _seconds(given, _WAITING)
    steps = [] if given["timeMs"] is None else [_pause(given["timeMs"] / 1000)]
    steps += [
        Step({"action": "wait_for", name: value}, seconds)
        for name, value in conditions.items()
        if value is not None
    ]
    if not steps:
        raise invalid("wait needs one of timeMs, text, textGone, selector, url, loadState, fn")
    return steps


def _evaluate(given: Mapping[str, Any]) -> list[Step]:
    if given["fn"] is None:
        raise invalid("evaluate needs fn")
    element = None if given["ref"] is None else _element({**given, "selector": None}, "evaluate")
    data = {"action": "evaluate", "expression": given["fn"], "element": element}
    return [Step(data, _seconds(given, _WAITING))]


def _nothing(_: Mapping[str, Any]) -> list[Step]:
    return []


_WITH_SELECTOR = frozenset({"batch", "click", "drag", "hover", "scrollIntoView", "select", "type", "wait"})
_ELEMENT = (_REF, _SELECTOR, _TIMEOUT)
#: Kind → its fields, and what it stands for.
ACT_KINDS: dict[str, tuple[tuple[Field, ...], Callable[[Mapping[str, Any]], list[Step]]]] = {
    "batch": ((listing("actions", "of these kinds, at most 100"), boolean("stopOnError", "true")), _nothing),
    "click": ((*_ELEMENT, _BUTTON, texts("modifiers"), _DOUBLE, _DELAY), _click),
    "clickCoords": ((number("x"), number("y"), _BUTTON, _DOUBLE, _DELAY, _TIMEOUT), _click_coords),
    "close": ((), _nothing),
    "drag": (
        (text("startRef"), text("startSelector"), text("endRef"), text("endSelector"), _TIMEOUT),
        _drag,
    ),
    "evaluate": ((text("fn", "a function, an expression or statements"), _REF, _TIMEOUT), _evaluate),
    "fill": ((listing("fields", "{ref, type, value} each"), _TIMEOUT), _fill),
    "hover": (_ELEMENT, _hover),
    "insertText": ((exact("text", "for what has the focus"),), _insert_text),
    "press": ((exact("key", "such as Enter, Control+a"), _DELAY), _press),
    "resize": ((number("width"), number("height")), _resize),
    "scrollIntoView": (_ELEMENT, _scroll_into_view),
    "select": ((*_ELEMENT, texts("values", "values, or else labels")), _select),
    "type": (
        (*_ELEMENT, exact("text"), boolean("submit", "press Enter"), boolean("slowly", "key by key")),
        _type,
    ),
    "wait": (
        (
            whole("timeMs", "at most 30000"),
            *(text(one) for one in ("text", "textGone", "selector", "url", "loadState", "fn")),
            _TIMEOUT,
        ),
        _wait,
    ),
}
