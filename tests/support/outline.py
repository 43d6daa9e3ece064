"""The outline's grammar, read by itself: what every line must look like, whatever the page says.

    LINE   := INDENT ( MISSING | [ "[" ID "] " ] LABEL [ ": " NAME ] { " [" STATE "]" } )
    MISSING := "! frame " N " not captured: " CAUSE [ " (" URL ")" ]

States stand in the order of `STATES`, each at most once.

`parse_outline` reads states from the end of the line, as a reader of the outline would: what the page says
must never be among them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

STATES = (
    "checked",
    "mixed",
    "selected",
    "pressed",
    "expanded",
    "collapsed",
    "disabled",
    "required",
    "readonly",
    "invalid",
    "focused",
    "modal",
    "multiselectable",
    "level",
    "current",
    "sort",
    "range",
    "editable",
    "description",
    "value",
    "clickable",
)
_ID = re.compile(r"\[(\d+-\d+)\] ")
_LABEL = re.compile(r"(?:scrollable, )?(?:input, file|[^\s\[\]:][^\s]*?)(?: \?[\w.@-]+)?(?=: |\Z)")
_CLICKABLE = " [clickable]"
_FLAG = re.compile(r" \[([a-z]+|level=\d+|range=[^\[\]]+|(?:current|sort)=[a-z]+)\]\Z")
_MISSING = re.compile(
    r"! frame \d+ not captured: "
    r"(loading|dialog|busy|navigated|detached|crashed|unreachable|timeout|too_large|error)( \(.*\))?\Z"
)
#: What no line may hold: controls, line and paragraph separators, lone surrogates, what hides or reorders.
_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ue000-\uf8ff"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an outline, read back. `id` is None for a row that prints none; `value` likewise."""

    depth: int
    id: str | None
    label: str
    name: str
    states: tuple[str, ...]
    value: str | None


def parse_outline(text: str) -> list[Line]:
    """All lines, or an AssertionError that quotes the first that breaks the grammar."""
    lines: list[Line] = []
    text.encode()  # no lone surrogate
    for number, line in enumerate(text.split("\n"), start=1):
        assert not (bad := _FORBIDDEN.search(line)), f"line {number} holds {bad[0]!r}: {line!r}"
        parsed = parse_line(line)
        assert parsed is not None, f"line {number} breaks the grammar: {line!r}"
        deepest = lines[-1].depth + 1 if lines else 0
        assert parsed.depth <= deepest, f"line {number} is indented by more than one level: {line!r}"
        lines.append(parsed)
    return lines


def parse_line(line: str) -> Line | None:
    """One line, or None when it is none."""
    body = line.lstrip(" ")
    indent = len(line) - len(body)
    if indent % 2 or not body:
        return None
    depth = indent // 2
    if body.startswith("!"):
        return Line(depth, None, "!", body[2:], (), None) if _MISSING.match(body) else None
    element_id = None
    if found := _ID.match(body):
        element_id, body = found[1], body[found.end() :]
    states: list[str] = []
    if body.endswith(_CLICKABLE):  # it stands after the value
        body = body.removesuffix(_CLICKABLE)
        states.append("clickable")
    value: str | None = None
    body, value = _take_quoted(body, "value")
    body, _ = _take_quoted(body, "description")
    while (state := _FLAG.search(body)) and state[1].partition("=")[0] in STATES:
        states.insert(0, state[1])
        body = body[: state.start()]
    order = [STATES.index(state.partition("=")[0]) for state in states]
    if order != sorted(set(order)) or not (label := _LABEL.match(body)):
        return None
    name = body[label.end() + 2 :]
    return Line(depth, element_id, label[0], name, tuple(states), value)


def _take_quoted(body: str, group: str) -> tuple[str, str | None]:
    """The line without its value or description, and that: the shortest group at the end that is JSON."""
    if not body.endswith('"]'):
        return body, None
    at = len(body)
    while (at := body.rfind(f' [{group}="', 0, at)) >= 0:
        try:
            return body[:at], str(json.loads(body[at + len(f" [{group}=") : -1]))
        except ValueError:
            continue
    return body, None
