r"""The outline: one line a row, ``[id] role: name [state]``, two spaces a level.

- A structural row is printed with its tag name; ``scrollable, TAG`` or ``scrollable, ROLE`` when it scrolls;
  a ``combobox`` that is a ``<select>`` as ``select``; a file input as ``input, file``; a structural row that
  can be typed into (``contenteditable``) as ``textbox``, any other such row with ``[editable]``.
- A control without a name prints a hint from its markup instead, which is a guess: ``link ?cart``.
- A row without an id prints none. A missing frame prints ``! frame 3 not captured: crashed (URL)``.
- Text of the page is cleaned. Where it ends in brackets that would read as a state, they are escaped:
  ``Save \[disabled]``.
"""

from __future__ import annotations

import functools
import json
import re
from typing import TYPE_CHECKING

from hybridsnap.capture.ax_node import VALUE_CHARACTERS
from hybridsnap.capture.roles import CLICKABLE, COVERED_BY, EDITABLE, OFFSCREEN, STRUCTURAL_ROLES
from hybridsnap.model import MISSING_FRAME
from hybridsnap.render.select import description_of, is_editor
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hybridsnap.model import Row, Viewport

#: The role of a line for content that is not shown and can be opened; never a role of Chromium's.
NOT_SHOWN = "…"
_DECORATIONS = frozenset({"scrollable", "file"})
#: What layout says of a row stands after all that its element says, values included.
_MARKS = frozenset({CLICKABLE, OFFSCREEN})
#: A bracket group at the end of a line that a reader would take for a state.
_STATE_AT_END = re.compile(
    r"\[(?=(?:checked|mixed|selected|pressed|expanded|collapsed|disabled|required|readonly|invalid|focused|modal|editable"
    r"|multiselectable|(?:level|current|sort|range)=[^\[\]]*|current|description=.*|value=.*|new|changed"
    r"|clickable|offscreen|aria-hidden|covered by [^\[\]]*|…[^\[\]]*)\]\Z)",
    re.IGNORECASE,
)
#: Of a heading that does not say its level: WAI-ARIA's default.
_LEVEL_WITHOUT_NUMBER = 2
#: Roles of rows that stand for no node of the page: their whole line is their name.
_WITHOUT_LABEL = frozenset({MISSING_FRAME, NOT_SHOWN})
_INDENTS = ["  " * depth for depth in range(64)]


def label_of(row: Row) -> str:
    """What a row is called in the outline, before its name."""
    states = row.states
    if not states:
        return _label(row.role, row.tag)
    if EDITABLE in states and is_editor(row):
        return "scrollable, textbox" if states[0] == "scrollable" else "textbox"
    if states[0] in _DECORATIONS:
        return _label(row.role, row.tag, scrolls=states[0] == "scrollable", is_file="file" in states[:2])
    return _label(row.role, row.tag)


@functools.lru_cache(maxsize=4096)
def _label(role: str, tag: str, *, scrolls: bool = False, is_file: bool = False) -> str:
    label = clean_text(role) or "none"
    tag = clean_text(tag).replace(" ", "_").replace("[", "_")  # a page may name an element `x-[0-7]`
    if is_file:
        label = "input, file"
    elif tag and (label in STRUCTURAL_ROLES or tag == "html"):
        label = tag
    elif label == "combobox" and tag == "select":
        label = "select"
    return f"scrollable, {label}" if scrolls else label


def level_of(row: Row) -> int:
    """A heading's level; 0 of anything else."""
    if row.role != "heading":
        return 0
    found = next((state[6:] for state in row.states if state.startswith("level=")), "")
    return int(found) if found.isdigit() else _LEVEL_WITHOUT_NUMBER


def _quoted(row: Row, name: str) -> str:
    """What is printed in quotes: the description and the value."""
    groups = ""
    if row.description and (said := description_of(row)):
        groups = f" [description={json.dumps(said, ensure_ascii=False)}]"
    value = clean_text(row.value) if row.value else ""
    if not value or value == name:
        return groups
    if len(value) > VALUE_CHARACTERS:
        value = value[:VALUE_CHARACTERS] + "…"
    return f"{groups} [value={json.dumps(value, ensure_ascii=False)}]"


def _suffix(row: Row, name: str) -> str:
    """What is printed behind the name: states, then what is quoted, then what layout says."""
    said = marks = ""
    for state in row.states:
        if state in _MARKS or state.startswith(COVERED_BY):
            marks += f" [{state}]"
        elif state not in _DECORATIONS and not (state == EDITABLE and is_editor(row)):
            said += f" [{state}]"
    if row.value or row.description:
        said += _quoted(row, name)
    return said + marks


def format_tree_line(row: Row) -> str:
    """The row as one line of the outline, without indentation."""
    name, id_, states = row.name, row.id, row.states
    if name:
        name = clean_text(name)
    label = label_of(row) if states else _label(row.role, row.tag)
    if name:
        line = f"{label}: {name}"
    elif row.hint:
        line = f"{label} ?{clean_text(row.hint)}"
    else:
        line = label
    if line[-1] == "]":
        line = _STATE_AT_END.sub(r"\\[", line)
    if id_ is not None:
        line = f"[{id_}] {line}"
    elif row.role in _WITHOUT_LABEL:
        return f"{MISSING_FRAME} {name}" if row.role == MISSING_FRAME else name
    return line + _suffix(row, name) if states or row.value or row.description else line


def render_tree(rows: Iterable[Row], *, base_depth: int = 0) -> str:
    """The rows as an outline; no newline at its end.

    Args:
        rows: in document order.
        base_depth: taken off each row's depth.
    """
    lines: list[str] = []
    for row in rows:
        depth = row.depth - base_depth
        indent = _INDENTS[depth] if depth < len(_INDENTS) else "  " * depth
        lines.append(indent + format_tree_line(row))
    return "\n".join(lines)


def format_viewport(viewport: Viewport) -> str:
    """The main viewport, where the page is scrolled to, and how large the page is, in CSS px."""
    size = f"{viewport.width:.0f}x{viewport.height:.0f}"
    scrolled = f"{viewport.scroll_x:.0f},{viewport.scroll_y:.0f}"
    return f"viewport {size} at {scrolled} of {viewport.content_width:.0f}x{viewport.content_height:.0f}"
