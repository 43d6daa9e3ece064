"""Selecting text."""

from __future__ import annotations

from typing import Any

from hybridsnap.act.actions.spec import ActionSpec, Natural, Parameter, on_element
from hybridsnap.act.selecting import check_range, select_text
from hybridsnap.text import excerpt

#: So much of the text stands in a line.
_SHOWN = 60


def _tell(told: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    start, end, text = told["start"], told["end"], told["text"]
    value = {"start": start, "end": end, "text": text}
    if text is None:
        return value, [*told["notes"], f"selected characters {start} to {end}"]
    shown = excerpt(text, _SHOWN)
    return value, [f'selected characters {start} to {end}: "{shown}"']


SELECT_TEXT = ActionSpec(
    name="select_text",
    doc="Select a range of an element's text, or all of it.",
    element="required",
    parameters=(
        Parameter("start", Natural, "characters before the selection", 0),
        Parameter("end", Natural, "characters up to its end; else all", None),
    ),
    title="select text",
    plan=on_element(select_text),
    check=lambda arguments: check_range(arguments["start"], arguments["end"]),
    tell=_tell,
    value='the selection: {"start": 0, "end": 5, "text": "Hello"}; no text of passwords',
)
