"""The rows of a snapshot as records read them: what stands below a row, its text, its controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.render.dom import attributes_of
from hybridsnap.render.match import RowTree
from hybridsnap.render.nodes import NodeIndex
from hybridsnap.render.records import Control
from hybridsnap.render.select import ends_of, is_interactive
from hybridsnap.text import squeeze

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.model import Row
    from hybridsnap.render.content import Content

#: Chromium cuts longer names; then the text below says more.
_CUT_NAME = 900
#: A number with more digits is none that a table or list counts with.
_DIGITS = 10


class RecordRows:
    """The rows of a snapshot; a row is named by its number.

    Attributes:
        rows: the outline.
        nodes: what the DOM tells of their elements.
        ends: for each row where what stands below it ends, exclusive.
        children: for each row those right below it.
    """

    def __init__(self, content: Content) -> None:
        self.rows: Sequence[Row] = content.rows
        self.nodes: NodeIndex = NodeIndex(content)
        tree = RowTree(content.rows)
        self.ends: list[int] = ends_of(tree.parents)
        self.children: list[list[int]] = tree.children[:-1]

    def said(self, at: int) -> str:
        """The text of a row: its name, or where it has none or a cut one, what stands below it."""
        name = squeeze(self.rows[at].name)
        if name and len(name) < _CUT_NAME:
            return name
        below = self.leaves(at)
        return below if len(below) > len(name) else name

    def leaves(self, at: int) -> str:
        """The names and values of the lowest rows."""
        rows = self.rows[at : self.ends[at]]
        parts = (
            row.name or row.value
            for number, row in enumerate(rows, at)
            if self.ends[number] == number + 1 and row.role != "ListMarker"
        )
        return squeeze(" ".join(filter(None, parts)))

    def parts(self, at: int) -> list[tuple[str, bool]]:
        """The texts below a row, and whether each is that of something that can be operated."""
        parts: list[tuple[str, bool]] = []
        inside = at + 1
        while inside < self.ends[at]:
            row = self.rows[inside]
            is_operated = is_interactive(row)
            if is_operated or self.ends[inside] == inside + 1:
                parts.append((row.name or row.value, is_operated))
                inside = self.ends[inside]
            else:
                inside += 1
        return parts

    def controls(self, rows: range) -> tuple[Control, ...]:
        """What can be operated in these rows."""
        return tuple(
            Control(row.id, row.role, squeeze(row.name or row.hint))
            for row in self.rows[rows.start : rows.stop]
            if row.id is not None and is_interactive(row)
        )

    def number(self, at: int, attribute: str) -> int | None:
        """The number that an attribute of a row's element says, from 1; None where it says none."""
        return number_in(self.attributes(at), attribute)

    def attributes(self, at: int) -> Mapping[str, str]:
        """Those of a row's element; {} where the DOM does not tell."""
        row = self.rows[at]
        place = None if row.id is None else self.nodes.place(row.id)
        return {} if place is None else attributes_of(place[0].nodes[place[1]])


def number_in(attributes: Mapping[str, str], name: str) -> int | None:
    """The number that an attribute says, from 1; None where it says none."""
    value = attributes.get(name, "")
    is_number = value.isascii() and value.isdigit() and len(value) < _DIGITS and value != "0"
    return int(value) if is_number else None
