"""Tables, repeated cards and definition lists of a page as records: values by column, with the ids to act on.

- *Tables*: roles ``table``, ``grid``, ``treegrid``. Header cells name the columns; several header rows are
  joined. A cell that spans columns or rows stands in each of them. A table in a cell is a set of its own.
- *Definitions*: one record a list, its terms being the columns.
- *Cards*: at least three siblings of one tag and class that hold the same kinds of elements, such as search
  results, products and posts. Columns are named by role: ``heading``, ``link``, ``text``, ``text 2``.

What a set does not show is told in its notes: spanning cells, nested tables, and rows that a virtual grid has
not drawn (``aria-rowcount``).
"""

from __future__ import annotations

import bisect
import csv
import io
from collections import Counter
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.model import BackendNodeId, ElementId
from hybridsnap.render.dom import attributes_of
from hybridsnap.render.nodes import NodeIndex
from hybridsnap.render.select import is_interactive, parents_of
from hybridsnap.text import clean_text, squeeze

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import Row
    from hybridsnap.render.content import Content

RecordKind: TypeAlias = Literal["table", "cards", "definitions"]

_TABLES = frozenset({"table", "grid", "treegrid"})
_HEADERS = frozenset({"columnheader"})
_CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
_DEFINITIONS = "DescriptionList"
#: So many siblings of one structure are cards.
_CARDS = 3
#: A card has at least so many fields; what has fewer is a list of links or words.
_FIELDS = 2
#: Cards share at least this part of their fields with the most common card.
_SHARED_FIELDS = 0.5
#: Chromium cuts longer names; then the text below says more.
_CUT_NAME = 900
#: A table that spans more columns or rows than this says something else.
_MOST_SPAN = 200
#: Roles whose name is their content.
_NAMED = frozenset({"heading", "link", "button", "image", "img", "StaticText", *INTERACTIVE_ROLES})


class Control(msgspec.Struct, frozen=True):
    """An element in a record that can be operated.

    Attributes:
        id: it can be acted on.
        role: as in the outline.
        name: the page's own text.
    """

    id: ElementId
    role: str
    name: str


class Record(msgspec.Struct, frozen=True):
    """One row of a table, one card, one list of definitions.

    Attributes:
        id: of the row or card; None where it has none.
        values: column → text, in the order of the columns.
        controls: what can be operated in it.
        index: the row's number among all of a virtual grid, from 1; None where the page does not say.
    """

    id: ElementId | None
    values: dict[str, str]
    controls: tuple[Control, ...] = ()
    index: int | None = None


class RecordSet(msgspec.Struct, frozen=True):
    """The records of one table or list.

    Attributes:
        kind: what they were found as.
        id: of the element that holds them; None where it has none.
        name: its name, or the heading before it.
        columns: the keys of the records' values; a record has those that it fills.
        records: in document order.
        total: how many rows there are, where a virtual grid says; None otherwise.
        notes: what a reader should know: spanning cells, nested tables, rows that are not drawn.
    """

    kind: RecordKind
    id: ElementId | None
    name: str
    columns: tuple[str, ...]
    records: tuple[Record, ...]
    total: int | None = None
    notes: tuple[str, ...] = ()

    def to_dicts(self) -> list[dict[str, str]]:
        """The values of each record with all columns, for ``pandas.DataFrame`` or ``polars.DataFrame``."""
        return [{column: record.values.get(column, "") for column in self.columns} for record in self.records]

    def to_csv(self) -> str:
        """The values as CSV (RFC 4180), with a head line; text is cleaned as in outlines.

        A cell that begins like a formula keeps its characters: open the file as text in a spreadsheet.
        """
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(map(clean_text, self.columns))
        writer.writerows([clean_text(value) for value in row.values()] for row in self.to_dicts())
        return out.getvalue()


def find_records(content: Content) -> list[RecordSet]:
    """The tables, cards and definition lists of a page, in document order."""
    return _Finder(content).find()


class _Finder:
    """Looks for records in the rows of a page."""

    def __init__(self, content: Content) -> None:
        self._rows: Sequence[Row] = content.rows
        self._nodes = NodeIndex(content)
        parents = parents_of(content.rows)
        count = len(content.rows)
        self._ends = list(range(1, count + 1))
        self._children: list[list[int]] = [[] for _ in range(count)]
        for at in range(count - 1, -1, -1):
            if (parent := parents[at]) >= 0:
                self._ends[parent] = max(self._ends[parent], self._ends[at])
                self._children[parent].append(at)
        for children in self._children:
            children.reverse()

    def find(self) -> list[RecordSet]:
        """All sets; what stands in a card is not a set of its own, but a table is."""
        found: list[tuple[int, RecordSet]] = []
        for at, row in enumerate(self._rows):
            if row.role in _TABLES:
                found.append((at, self._table(at)))
            elif row.role == _DEFINITIONS:
                found.append((at, self._definitions(at)))
        taken = [(at, self._ends[at]) for at, _ in found]
        groups = self._groups_of_rows() if self._nodes.content.capture is None else self._groups_of_elements()
        until = 0
        cards_at: dict[int, int] = {}  # where a set of cards begins → where it ends
        for parent, cards in sorted(groups, key=lambda group: (group[1][0].start, -group[1][-1].stop)):
            start, end = cards[0].start, cards[-1].stop
            if start < until or any(first <= start and end <= last for first, last in taken):
                continue
            one = self._cards(parent, cards)
            if one is not None:
                found.append((start, one))
                until = cards_at[start] = end
        heading_at = self._headings(cards_at)
        return [
            one if one.name else msgspec.structs.replace(one, name=heading_at[at])
            for at, one in sorted(found, key=lambda entry: entry[0])
            if one.records
        ]

    def _headings(self, cards_at: Mapping[int, int]) -> list[str]:
        """For each row the heading before it; the headings in cards name nothing behind the cards."""
        headings: list[str] = []
        heading, before, until = "", "", 0
        for at, row in enumerate(self._rows):
            if at == until:
                heading = before if until else heading
            headings.append(heading)
            if at in cards_at:
                before, until = heading, cards_at[at]
            heading = row.name if row.role == "heading" else heading
        return headings

    # Tables

    def _table(self, table: int) -> RecordSet:
        notes: list[str] = []
        heads: list[list[str]] = []
        lines: list[tuple[int, list[str]]] = []
        nested, spans = 0, 0
        open_cells: dict[int, tuple[str, int]] = {}  # column → text of a cell that spans more rows, how many
        for line in self._lines(table):
            cells = [at for at in self._children[line] if self._rows[at].role in _CELLS]
            values: list[str] = []
            for cell in cells:
                _fill(values, open_cells)
                text, inner = self._cell(cell)
                nested += inner
                across, down = self._span(cell)
                spans += across > 1 or down > 1
                for _ in range(across):
                    if down > 1:
                        open_cells[len(values)] = (text, down - 1)
                    values.append(text)
            _fill(values, open_cells)
            if cells and not lines and all(self._rows[at].role in _HEADERS for at in cells):
                heads.append(values)
            elif cells:
                lines.append((line, values))
        columns = _columns(heads, max((len(values) for _, values in lines), default=0))
        records = tuple(
            Record(
                self._rows[line].id,
                dict(zip(columns, values, strict=False)),
                self._controls(range(line, self._ends[line])),
                self._number(line, "aria-rowindex"),
            )
            for line, values in lines
        )
        total = self._number(table, "aria-rowcount")
        if total is not None and total > len(lines):
            notes.append(f"{len(lines)} of {total} rows are drawn; scroll the table for the others")
        if spans:
            notes.append(f"{spans} spanning cells stand in each column and row that they span")
        if nested:
            notes.append(f"{nested} tables in cells are sets of their own")
        name = self._rows[table].name or self._caption(table)
        return RecordSet("table", self._rows[table].id, name, columns, records, total, tuple(notes))

    def _lines(self, table: int) -> Iterator[int]:
        """The rows of a table, without those of tables in its cells."""
        at, end = table + 1, self._ends[table]
        while at < end:
            role = self._rows[at].role
            if role == "row":
                yield at
            at = self._ends[at] if role == "row" or role in _TABLES else at + 1

    def _cell(self, cell: int) -> tuple[str, int]:
        """A cell's text, and how many tables stand in it, whose text it leaves out."""
        inner = [at for at in range(cell + 1, self._ends[cell]) if self._rows[at].role in _TABLES]
        if not inner:
            return self._said(cell), 0
        parts: list[str] = []
        at = cell + 1
        while at < self._ends[cell]:
            if self._rows[at].role in _TABLES:
                at = self._ends[at]
                continue
            if self._ends[at] == at + 1:
                parts.append(self._rows[at].name or self._rows[at].value)
            at += 1
        return squeeze(" ".join(parts)), len(inner)

    def _span(self, cell: int) -> tuple[int, int]:
        spans = [self._number(cell, name) or 1 for name in ("colspan", "rowspan")]
        spans = [
            self._number(cell, aria) or span
            for aria, span in zip(("aria-colspan", "aria-rowspan"), spans, strict=True)
        ]
        return min(spans[0], _MOST_SPAN), min(spans[1], _MOST_SPAN)

    def _caption(self, table: int) -> str:
        return next((self._said(at) for at in self._children[table] if self._rows[at].role == "caption"), "")

    # Definition lists

    def _definitions(self, list_: int) -> RecordSet:
        values: dict[str, list[str]] = {}
        terms: list[str] = []  # those that the next definitions are of
        is_defined = False
        at = list_ + 1
        while at < self._ends[list_]:
            role = self._rows[at].role
            if role == "term":
                terms = [*([] if is_defined else terms), self._said(at) or "term"]
                values.setdefault(terms[-1], [])
                is_defined = False
            elif role == "definition":
                is_defined = True
                for term in terms:
                    values[term].append(self._said(at))
            at = self._ends[at] if role in {"term", "definition"} else at + 1
        row = self._rows[list_]
        record = Record(
            row.id,
            {name: "; ".join(said) for name, said in values.items()},
            self._controls(range(list_, self._ends[list_])),
        )
        records = (record,) if values else ()
        return RecordSet("definitions", row.id, row.name, tuple(values), records)

    # Cards

    def _groups_of_rows(self) -> Iterator[tuple[ElementId | None, list[range]]]:
        """Children of one row that have one role and tag, with what each holds."""
        for parent, children in enumerate(self._children):
            kinds: dict[tuple[str, str], list[int]] = {}
            for at in children:
                if self._ends[at] > at + 1:
                    kinds.setdefault((self._rows[at].role, self._rows[at].tag), []).append(at)
            for (_, tag), cards in kinds.items():
                if len(cards) >= _CARDS and tag not in _NO_CARDS:
                    yield self._rows[parent].id, [range(at, self._ends[at]) for at in cards]

    def _groups_of_elements(self) -> Iterator[tuple[ElementId | None, list[range]]]:
        """Children of one element that have one tag and first class, with the rows that each holds.

        Chromium leaves most ``div`` elements out of the accessibility tree, so the DOM says where cards end.
        """
        for ordinal, (session, document) in self._nodes.frames.items():
            index = self._nodes.session(session)
            places = self._places(ordinal, index)
            positions = [position for position, _ in places]
            end = index.end_of(document)
            for here in range(document, end):
                children = index.nodes[here].children
                if len(children) < _CARDS or index.documents[here] != document:
                    continue
                kinds: dict[tuple[str, str], list[range]] = {}
                for child in children:
                    tag = child.local_name.lower()
                    if not tag or tag in _NO_CARDS or not child.children:
                        continue
                    at = index.position[child.backend_node_id]
                    first = bisect.bisect_left(positions, at)
                    last = bisect.bisect_left(positions, index.end_of(at))
                    if last - first >= _FIELDS:
                        rows = sorted(number for _, number in places[first:last])
                        class_ = (index.attribute(at, "class") or "").partition(" ")[0]
                        kinds.setdefault((tag, class_), []).append(range(rows[0], rows[-1] + 1))
                for cards in kinds.values():
                    if len(cards) >= _CARDS:
                        yield ElementId(f"{ordinal}-{index.nodes[here].backend_node_id}"), cards

    def _places(self, ordinal: int, index: SessionDomIndex) -> list[tuple[int, int]]:
        """The frame's rows by the position of their nodes, each with its number."""
        prefix = f"{ordinal}-"
        found = [
            (index.position.get(BackendNodeId(int(row.id[len(prefix) :])), -1), at)
            for at, row in enumerate(self._rows)
            if row.id is not None and row.id.startswith(prefix)
        ]
        return sorted(place for place in found if place[0] >= 0)

    def _cards(self, parent: ElementId | None, cards: list[range]) -> RecordSet | None:
        """Siblings of one kind as records; None where too few are alike."""
        fields = [dict(self._fields(card)) for card in cards]
        common = Counter(frozenset(one) for one in fields).most_common(1)[0][0]
        if len(common) < _FIELDS:
            return None
        alike = [
            (card, one)
            for card, one in zip(cards, fields, strict=True)
            if len(common & one.keys()) >= _SHARED_FIELDS * len(common | one.keys()) and len(one) >= _FIELDS
        ]
        if len(alike) < _CARDS or len(alike) * 2 < len(cards):
            return None
        columns = tuple(dict.fromkeys(key for _, one in alike for key in one))
        records = tuple(
            Record(
                self._rows[card.start].id,
                one,
                self._controls(card),
                self._number(card.start, "aria-posinset"),
            )
            for card, one in alike
        )
        left = len(cards) - len(alike)
        notes: tuple[str, ...] = (f"{left} siblings of another structure are left out",) if left else ()
        total = self._number(cards[0].start, "aria-setsize")
        if total is not None and total > len(cards):
            notes += (f"{len(cards)} of {total} are drawn; scroll the list for the others",)
        else:
            total = None
        at = None if parent is None else self._nodes.row_at.get(parent)
        name = self._rows[at].name if at is not None and self._rows[at].role not in _ROOTS else ""
        return RecordSet("cards", parent, name, columns, records, total, notes)

    def _fields(self, card: range) -> Iterator[tuple[str, str]]:
        """What a card says, by role: ``heading``, ``link``, ``text``, ``text 2``."""
        seen: Counter[str] = Counter()
        at = card.start
        while at < card.stop:
            row = self._rows[at]
            if self._ends[at] > at + 1 and row.role not in _NAMED:
                at += 1
                continue
            text = self._said(at)
            if text and row.role != "ListMarker":
                name = row.role if row.role in _NAMED and row.role != "StaticText" else "text"
                seen[name] += 1
                yield name if seen[name] == 1 else f"{name} {seen[name]}", text
            at = self._ends[at]

    # Rows

    def _said(self, at: int) -> str:
        """The text of a row: its name, or where it has none or a cut one, what stands below it."""
        name = squeeze(self._rows[at].name)
        if name and len(name) < _CUT_NAME:
            return name
        below = self._leaves(at)
        return below if len(below) > len(name) else name

    def _leaves(self, at: int) -> str:
        rows = self._rows[at : self._ends[at]]
        parts = (
            row.name or row.value
            for number, row in enumerate(rows, at)
            if self._ends[number] == number + 1 and row.role != "ListMarker"
        )
        return squeeze(" ".join(filter(None, parts)))

    def _controls(self, rows: range) -> tuple[Control, ...]:
        return tuple(
            Control(row.id, row.role, squeeze(row.name or row.hint))
            for row in self._rows[rows.start : rows.stop]
            if row.id is not None and is_interactive(row)
        )

    def _number(self, at: int, attribute: str) -> int | None:
        value = self._attributes(at).get(attribute, "")
        return (
            int(value)
            if value.isascii() and value.isdigit() and len(value) < _DIGITS and value != "0"
            else None
        )

    def _attributes(self, at: int) -> Mapping[str, str]:
        row = self._rows[at]
        place = None if row.id is None else self._nodes.place(row.id)
        return {} if place is None else attributes_of(place[0].nodes[place[1]])


_DIGITS = 10
_ROOTS = frozenset({"RootWebArea", "main", "generic", "none"})
#: Elements that are text or parts of tables, never cards.
_NO_CARDS = frozenset(
    [
        "p",
        "tr",
        "td",
        "th",
        "tbody",
        "thead",
        "tfoot",
        "caption",
        "col",
        "colgroup",
        "option",
        "dt",
        "dd",
        "span",
        "a",
        "b",
        "i",
        "em",
        "strong",
        "code",
        "br",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "pre",
        "blockquote",
        "script",
        "style",
        "head",
        "body",
        "iframe",
        "label",
        "sup",
        "sub",
    ]
)


def _fill(values: list[str], open_cells: dict[int, tuple[str, int]]) -> None:
    """Take over the cells of rows above that reach into this one."""
    while (column := len(values)) in open_cells:
        text, left = open_cells.pop(column)
        values.append(text)
        if left > 1:
            open_cells[column] = (text, left - 1)


def _columns(heads: Sequence[Sequence[str]], count: int) -> tuple[str, ...]:
    """The columns' names, each once; those without a header by their number."""
    names: list[str] = []
    used: Counter[str] = Counter()
    for column in range(max(count, *map(len, heads), 0) if heads else count):
        said = dict.fromkeys(head[column] for head in heads if column < len(head) and head[column])
        name = " ".join(said) or f"column {column + 1}"
        used[name] += 1
        names.append(name if used[name] == 1 else f"{name} {used[name]}")
    return tuple(names)
