"""Selecting text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.actions.spec import ActionContext, ActionSpec, Arguments, Natural, Parameter
from hybridsnap.act.selecting import check_range, select_text
from hybridsnap.text import clean_text, clip_text

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.protocol.plan import Plan

#: So much of the text stands in a line.
_SHOWN = 60


def _check(arguments: Arguments) -> None:
    check_range(arguments["start"], arguments["end"])


def _select_text(context: ActionContext, element: Element, arguments: Arguments) -> Plan[dict[str, Any]]:
    return (yield from select_text(context.resolver, element, **arguments))


def _tell(told: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    start, end, text = told["start"], told["end"], told["text"]
    value = {"start": start, "end": end, "text": text}
    if text is None:
        return value, [*told["notes"], f"selected characters {start} to {end}"]
    shown = clip_text(clean_text(text), _SHOWN)
    return value, [f'selected characters {start} to {end}: "{shown}"']


SELECT_TEXT = ActionSpec(
    name="select_text",
    doc="Select a range of an element's text, or all of it.",
    element="required",
    parameters=(
        Parameter("start", Natural, "characters before the selection", 0),
        Parameter("end", Natural, "characters up to its end; else all", None),
    ),
    plan=_select_text,
    check=_check,
    tell=_tell,
    value='the selection: {"start": 0, "end": 5, "text": "Hello"}; no text of passwords',
)
