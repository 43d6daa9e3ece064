"""How much is printed of a row: ``lean`` (the default), ``bare`` and ``rich``.

``bare`` is id, role and name. ``lean`` adds states and values, marks of layout, URLs, and the guess of what a
control without a name is called. ``rich`` adds one group at the end of a line, of what the snapshot knows:
box and colours need layout; test id and classes need the DOM, which a snapshot from JSON does not have::

    [0-12] button: Buy [disabled] {box=24,80,96x32 test-id=buy class=btn-buy color=#777 on #eee fixed}

- ``box``: left, top, width and height in CSS px of the viewport.
- ``class``: the classes that a person may have written; generated ones are left out.
- ``color``: of the text and the element's own background, of what can be operated.
- ``fixed`` or ``sticky``: the element stays where it is when the page is scrolled.
- ``overlay``: the element lies over others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import msgspec

from hybridsnap.capture.hints import own_classes, test_id_of
from hybridsnap.render.nodes import NodeIndex
from hybridsnap.render.tree import format_tree_line
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.model import Box, ElementId, Row
    from hybridsnap.render.content import Content

DetailName: TypeAlias = Literal["bare", "lean", "rich"]


#: Part of the label before a row's role, not a state after it.
IN_LABEL = frozenset({"scrollable", "file", "editable"})
_RGB = re.compile(r"rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)")
_GROUP_AT_END = re.compile(r"\{(?=[^{}]*\}\Z)")


def row_and_looks_printers(
    content: Content, detail: str
) -> tuple[Callable[[Row], str], Callable[[ElementId], str] | None]:
    """The printers of a row's line, and of the group that says what an element looks like (``rich`` only).

    Raises:
        ValueError: there is no such detail.
    """
    if detail not in get_args(DetailName):
        raise ValueError(f"detail: expected one of {', '.join(get_args(DetailName))}, got {detail!r}")
    if detail == "rich":
        printer = _RichPrinter(content)
        return printer.print, printer.group
    if detail == "bare":
        return lambda row: format_tree_line(_bare(row)), None
    return format_tree_line, None


def _bare(row: Row) -> Row:
    """The row with its id, role and name only."""
    if not (row.states or row.value or row.description or row.hint):
        return row
    label = tuple(state for state in row.states if state in IN_LABEL)
    return msgspec.structs.replace(row, states=label, value="", description="", hint="")


class _RichPrinter:
    """Prints rows with what the snapshot knows of how they look."""

    def __init__(self, content: Content) -> None:
        self._boxes: dict[ElementId, Box] = {} if content.layout is None else content.layout.boxes
        self._covers = {box.covered_by for box in self._boxes.values() if box.covered_by is not None}
        self._nodes = NodeIndex(content)
        #: Those printed within lines so far, at the end of which nothing is to be escaped.
        self._printed: set[str] = set()

    def print(self, row: Row) -> str:
        """The row as one line, with the group of its looks."""
        line = format_tree_line(row)
        if line[-1] == "}" and line[line.rfind(" {") :] not in self._printed:
            line = _GROUP_AT_END.sub(r"\\{", line)
        looks = [] if row.id is None else self._looks(row.id)
        return f"{line} {{{' '.join(looks)}}}" if looks else line

    def group(self, id_: ElementId) -> str:
        """The group of an element within a line, with a space before it; "" where nothing is known."""
        looks = self._looks(id_)
        if not looks:
            return ""
        group = f" {{{' '.join(looks)}}}"
        self._printed.add(group)
        return group

    def _looks(self, id_: ElementId) -> list[str]:
        looks: list[str] = []
        box = self._boxes.get(id_)
        if box is not None:
            left, top, width, height = box.bounds
            looks.append(f"box={left:.0f},{top:.0f},{width:.0f}x{height:.0f}")
        place = self._nodes.place(id_)
        if place is not None:
            if word := test_id_of(*place):
                looks.append(f"test-id={clean_text(word)}")
            if classes := own_classes(*place):
                looks.append(f"class={'.'.join(classes)}")
        if box is not None:
            if box.color:
                background = f" on {_hex(box.background)}" if box.background else ""
                looks.append(f"color={_hex(box.color)}{background}")
            if box.position:
                looks.append(box.position)
            if id_ in self._covers:
                looks.append("overlay")
        return looks


def _hex(color: str) -> str:
    """``rgb(255, 0, 0)`` as ``#f00``; any other notation as the browser has it."""
    found = _RGB.fullmatch(color)
    if found is None:
        return color.replace(" ", "")
    red, green, blue = (int(found[at]) for at in (1, 2, 3))
    digits = f"{red:02x}{green:02x}{blue:02x}"
    short = digits[::2] if digits[::2] == digits[1::2] else digits
    return f"#{short}{f'/{found[4]}' if found[4] else ''}"
