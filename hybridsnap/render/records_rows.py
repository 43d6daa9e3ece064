"""The rows of a snapshot as records read them: what stands below a row, its text, its controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.render.ai_item import DATE_ROLES
from hybridsnap.render.dom import attributes_of
from hybridsnap.render.match import RowTree
from hybridsnap.render.nodes import NodeIndex
from hybridsnap.render.records import Control
from hybridsnap.render.select import ends_of, is_interactive
from hybridsnap.render.table_headers import FIELDS, TOLD_STATES
from hybridsnap.text import squeeze

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridsnap.model import Row
    from hybridsnap.render.content import Content

#: Chromium cuts longer names; then the text below says more.
_CUT_NAME = 900
#: What it holds is what a record is about, not what it is called.
VALUED = FIELDS | {"slider"} | DATE_ROLES
DELETION = "deletion"
_STRUCK = "~~"
_CHOSEN = frozenset({"checked", "mixed", "pressed"})
#: A number with more digits is none that a table or list counts with.
_DIGITS = 10


class RecordRows:
    """The rows of a snapshot; a row is named by its number.

    Attributes:
        rows: the outline.
        nodes: what the DOM tells of their elements.
        ends: for each row where what stands below it ends, exclusive.
        parents: for each row the one above it; -1 at the top.
        children: for each row those right below it.
    """

    def __init__(self, content: Content) -> None:
        self.rows: Sequence[Row] = content.rows
        self.nodes: NodeIndex = NodeIndex(content)
        tree = RowTree(content.rows)
        self.ends: list[int] = ends_of(tree.parents)
        self.parents: list[int] = tree.parents
        self.children: list[list[int]] = tree.children[:-1]

    def said(self, at: int) -> str:
        """The text of a row: its name, or where it has none or a cut one, what stands below it."""
        name = squeeze(self.rows[at].name)
        if name and len(name) < _CUT_NAME:
            return name
        below = self.leaves(at)
        return below if len(below) > len(name) else name

    def told(self, at: int, text: str | None = None) -> str:
        """What a row says, with what is chosen in it ("Ann (checked)"), and struck text: ``~~€5~~ €4``.

        Args:
            at: the row.
            text: of it; None for what it holds, or `said`.
        """
        row = self.rows[at]
        if text is None:
            text = squeeze(row.value) if row.role in VALUED else self.said(at)
        marks = list(self._marks(at))
        if not text:
            return ", ".join(mark for _, mark in marks if mark not in ("", _STRUCK))
        has_texts = any(said for said, _ in marks)
        parts: list[str] = []
        behind = ""
        done = 0
        for said, mark in marks:
            start = text.find(said, done) if has_texts else -1
            if start < 0 and mark != _STRUCK:
                behind += f" ({mark})" if mark else ""  # the name is not what stands below
            if start < 0:
                continue
            is_struck = mark == _STRUCK and said != ""
            parts += (text[done:start], _STRUCK * is_struck, said, _STRUCK * is_struck)
            parts.append(f" ({mark}) " if mark and mark != _STRUCK else "")
            done = start + len(said)
        return squeeze("".join((*parts, text[done:], behind)))

    def _marks(self, at: int) -> Iterator[tuple[str, str]]:
        """The texts at and below a row in their order; of each what is chosen in it, or that it is struck."""
        inside = at
        while inside < self.ends[at]:
            row, end = self.rows[inside], self.ends[inside]
            chosen = ", ".join(state for state in row.states if state in _CHOSEN)
            if chosen:
                yield squeeze(row.name), chosen
            elif row.role == DELETION:
                yield self.said(inside), _STRUCK
            elif row.role in VALUED:
                yield squeeze(row.value), ""
            elif end == inside + 1:
                yield squeeze(row.name or row.value), ""
            else:
                end = inside + 1
            inside = end

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
            Control(
                row.id,
                row.role,
                squeeze(row.name or row.hint),
                squeeze(row.value),
                tuple(filter(TOLD_STATES.match, row.states)),
            )
            for row in self.rows[rows.start : rows.stop]
            if row.id is not None and is_interactive(row)
        )

    def hidden_cells(self, at: int) -> list[tuple[int, dict[str, str]]]:
        """The cells of a ``<tr>`` that take their place in it and are not shown: position, attributes.

        One with ``visibility: hidden``, for example; what has ``display: none`` takes no place.
        """
        row = self.rows[at]
        place = None if row.id is None or row.tag != "tr" else self.nodes.place(row.id)
        if place is None:
            return []
        index, here = place
        return [
            (index.position[node.backend_node_id], attributes_of(node))
            for node in index.nodes[here].children
            if node.local_name.lower() in {"td", "th"}
            and self.nodes.ignored_reason(row.frame, node) not in {"", "notRendered"}
        ]

    def position(self, at: int) -> int:
        """Where a row's element stands in its DOM; -1 where that is not known."""
        row = self.rows[at]
        place = None if row.id is None else self.nodes.place(row.id)
        return -1 if place is None else place[1]

    def urls(self, rows: range) -> str:
        """Where the links of these rows lead, a blank between two."""
        urls = self.nodes.content.urls
        links = (row.id for row in self.rows[rows.start : rows.stop] if row.role == "link")
        return " ".join(dict.fromkeys(urls[id_] for id_ in links if id_ is not None and id_ in urls))

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
