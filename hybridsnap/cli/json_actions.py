"""Actions as JSON, made of what was typed as a step: what a message shows whoever wrote it otherwise."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from hybridsnap.act.actions import ACTIONS
from hybridsnap.act.keyboard import parse_chord
from hybridsnap.capture.element_ids import is_element_id, is_ref
from hybridsnap.errors import UnknownKey
from hybridsnap.json_data import where_not_json
from hybridsnap.webarena.grammar import ACTIONS as STEPS

if TYPE_CHECKING:
    from hybridsnap.webarena import StepError

#: Step, or action → the action, and those of its parameters that are shown: where these are not the required
#: ones, or else the first.
_SHOWN: dict[str, tuple[str, tuple[str, ...]]] = {
    "type": ("type", ("element", "text")),
    "select": ("select_option", ("element", "label")),
    "select_option": ("select_option", ("element", "label")),
    "upload": ("set_input_files", ("element", "paths")),
    "wait_for": ("wait_for", ("text",)),
    "press": ("press", ("chord",)),
    "mouse_down": ("mouse_down", ("x", "y")),
    "mouse_up": ("mouse_up", ("x", "y")),
}
#: Steps that are for the loop around an agent.
_OF_LOOPS = frozenset({"None", "stop"})
_WORD = re.compile(r"\[[^\]]*\]|\S+")
_NAME = re.compile(r'"action"\s*:\s*"(\w+)"')
_GAP = "…"
#: So many characters of a name are compared with the names there are.
_COMPARED = 30


def json_form(name: str, typed: str = "") -> str | None:
    """An action of the table as JSON, quoted for a shell; None where there is none.

    Args:
        name: of an action, or of a step.
        typed: what stands behind it in a step; it is taken up where it is plain which part is which.
    """
    action, names = _SHOWN.get(name, (name, ()))
    if action not in ACTIONS:
        return None
    takes = {one.name: one.type for one in ACTIONS[action].takes}
    names = names or tuple(one.name for one in ACTIONS[action].takes if one.required) or tuple(takes)[:1]
    words = _WORD.findall(typed)
    if len(names) == 1 and words:
        words = [typed.strip()]
    given = words if len(words) <= len(names) else []
    values = [*map(_unbracketed, given), *[None] * len(names)]
    data = {one: _value(takes[one], word) for one, word in zip(names, values, strict=False)}
    return shlex.quote(json.dumps({"action": action, **data}, ensure_ascii=False))


def explain_step(error: StepError, text: str) -> str:
    """What a step error says, for whoever may write JSON, too."""
    name = error.action
    typed = text.strip()[len(name) :]
    shown = name in STEPS
    if not shown and name in ACTIONS:
        return f"{name} is written as JSON: {json_form(name, typed)} (see hybridsnap act --help)"
    if not shown:
        return _unknown(name) or _with_element_id(error)
    if name == "press" and typed and "[" not in typed:
        try:
            parse_chord(typed.strip())
        except UnknownKey as unknown:
            return f"{unknown}; keys stand in brackets, as in {STEPS[name].example}"
    words = _with_element_id(error)
    if STEPS[name].example.partition(" ")[2].startswith("[7]"):
        form = json_form(name, typed)
        words += f"; ids stand in brackets, as in [0-29], and refs and selectors in JSON: {form}"
    return words


def explain_json(error: json.JSONDecodeError) -> str:
    """Where a text stops being JSON, and how an action is written."""
    found = _NAME.search(error.doc)
    form = (json_form(found[1]) if found else None) or json_form("click", "#go")
    return f"{where_not_json(error)}; an action is written as in: {form}"


def _unknown(name: str) -> str | None:
    """The message for an action that does not exist; None where a step's own error names the nearest."""
    near = difflib.get_close_matches(name[:_COMPARED], [*STEPS, *ACTIONS], 1)
    if near and near[0] in STEPS:
        return None
    if near:
        return f"Unknown action {name}; did you mean {near[0]}, written as JSON: {json_form(near[0])}"
    steps = ", ".join(one for one in STEPS if one not in _OF_LOOPS)
    others = ", ".join(one for one in ACTIONS if one not in STEPS)
    return (
        f"Unknown action {name[:_COMPARED] or '(none)'}; actions are {steps}, written as in: click [0-29];"
        f" and in JSON, written as in {json_form('fill')}: {others}"
    )


def _with_element_id(error: StepError) -> str:
    """What a step error says, with an element id in its example: WebArena's numbers are none here."""
    words, shown, _ = str(error).rpartition(error.example)
    return words + error.example.replace("[7]", "[0-29]") if shown else str(error)


def _unbracketed(word: str) -> str:
    """A word without the brackets of a step; ``[name=q]`` is a selector."""
    inner = word[1:-1]
    in_brackets = word.startswith("[") and word.endswith("]")
    return inner if in_brackets and (is_element_id(inner) or is_ref(inner) or "=" not in inner) else word


def _value(type_: Any, word: str | None) -> Any:
    """What was typed, or else something that such a parameter takes."""
    for strict in (True, False) if word else ():
        try:
            return msgspec.convert(word, type_, strict=strict)
        except msgspec.ValidationError:
            pass
    entry = {"element": _GAP, "value": _GAP}
    for some in (_GAP, True, 100, [9, 9], [[9, 9], [99, 99]], [entry], *get_args(type_)):
        try:
            msgspec.convert(some, type_)
        except msgspec.ValidationError:
            continue
        return some
    return _GAP
