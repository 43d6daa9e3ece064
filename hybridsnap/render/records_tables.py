"""Tables as records.

Each cell has a column: the one that ``aria-colindex`` says, else the next that no cell of a row above reaches
into. The columns are those of the lowest header row. The rows above it name groups of columns, as far as
their cells say which they span; a cell over all columns is the table's title.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hybridsnap.render.records import Record, RecordSet
from hybridsnap.render.records_rows import number_in
from hybridsnap.render.table_headers import BOXES, CELLS, FIELDS, HEADER_CELLS, TABLES, name_of_column
from hybridsnap.text import squeeze

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridsnap.render.records_rows import RecordRows

#: A table that spans more columns or rows than this says something else.
_MOST_SPAN = 200
#: A row with at least so many header cells is a header row; a single one is the header of its row.
_HEADERS = 2


@dataclasses.dataclass(slots=True)
class Line:
    """A row of a table.

    Attributes:
        row: its number.
        cells: the numbers of its cells.
        rows: those that it is made of: where columns are pinned, a row has several parts.
        values: column, from 0 → text.
        urls: column → where the links in it lead.
        places: cell → its first column, and over how many it goes.
        reached: column → text of a cell of a row above that reaches into this one.
        is_placed: the cells say themselves which columns they are in.
    """

    row: int
    cells: list[int]
    rows: list[int]
    values: dict[int, str] = dataclasses.field(default_factory=dict)
    urls: dict[int, str] = dataclasses.field(default_factory=dict)
    is_placed: bool = False
    places: dict[int, tuple[int, int]] = dataclasses.field(default_factory=dict)
    reached: dict[int, str] = dataclasses.field(default_factory=dict)


class TableLayout(NamedTuple):
    """Which cell of a table is in which column.

    Attributes:
        columns: the name of each; "" where no header cell has one, or only that of a box, which says what
            the box does.
        lines: the rows below the headers.
        is_even: the first cell of each row is in the first column, and so on.
    """

    columns: dict[int, str]
    lines: list[Line]
    is_even: bool


def read_table(of: RecordRows, table: int) -> RecordSet:
    """The table at a row, as records."""
    return _Table(of, table).read()


def lay_out_table(of: RecordRows, table: int) -> TableLayout:
    """Which cell is where in the table at a row."""
    reading = _Table(of, table)
    heads, _, lines = reading.line_up()
    _, heads = _without_title(heads)
    columns = _said_names(heads, _numbers(heads, lines))
    for head in heads:
        for cell, (first, _) in head.places.items():
            boxes = (row for row in of.rows[cell : of.ends[cell]] if row.role in BOXES)
            if any(squeeze(box.name) == head.values[first] for box in boxes):
                columns[first] = ""
    return TableLayout(columns, lines, reading.is_even([*heads, *lines]))


class _Table:
    def __init__(self, of: RecordRows, table: int) -> None:
        self._of = of
        self._table = table
        self._nested = self._spans = 0
        #: Column → text and addresses of a cell that reaches into the rows to come, and into how many.
        self._open_cells: dict[int, tuple[str, str, int]] = {}

    def is_even(self, lines: Sequence[Line]) -> bool:
        """Whether the cells of each line stand in its columns one after the other, from the first."""
        return self._spans == 0 and all(
            first == number for line in lines for number, (first, _) in enumerate(line.places.values())
        )

    def line_up(self) -> tuple[list[Line], list[Line], list[Line]]:
        """The rows of headers, those that filter, and those of data."""
        heads: list[Line] = []
        filters: list[Line] = []
        lines: list[Line] = []
        for line, in_head in self._lines():
            is_head = in_head or self._is_head(line)
            self._fill(line, is_head=is_head)
            if is_head and not lines:
                (filters if heads and self._is_filter(line) else heads).append(line)
            elif line.cells and not (is_head and heads and line.values == heads[-1].values):
                lines.append(line)
        if heads and len(lines) > 1 and self._is_filter(lines[0]) and not self._is_filter(lines[1]):
            filters.append(lines.pop(0))
        return heads, filters, lines

    def read(self) -> RecordSet:
        of, table = self._of, self._table
        heads, filters, lines = self.line_up()
        above = heads + filters  # rows that aria-rowcount counts, though they are not records
        title, heads = _without_title(heads)
        numbers = _numbers(heads, lines)
        columns = dict(zip(numbers, _names(heads, numbers), strict=True))
        records = tuple(
            Record(
                of.rows[line.row].id,
                {columns[column]: text for column, text in sorted(line.values.items())},
                tuple(one for row in line.rows for one in of.controls(range(row, of.ends[row]))),
                of.number(line.row, "aria-rowindex"),
                {columns[column]: url for column, url in sorted(line.urls.items())},
            )
            for line in lines
        )
        notes: list[str] = []
        total = of.number(table, "aria-rowcount")
        if total is not None:
            total -= sum(of.number(line.row, "aria-rowindex") is not None for line in above)
        if total is not None and total > len(lines):
            notes.append(f"{len(lines)} of {total} rows are drawn; scroll the table for the others")
        if self._spans:
            notes.append(f"{self._spans} spanning cells stand in each column and row that they span")
        if self._nested:
            notes.append(f"{self._nested} tables in cells are sets of their own")
        notes += (
            f"sorted by {self._label(cell)}, {state.removeprefix('sort=')}"
            for line in heads
            for cell in line.cells
            for state in of.rows[cell].states
            if state.startswith("sort=")
        )
        name = of.rows[table].name or self._caption() or title
        return RecordSet(
            "table", of.rows[table].id, name, tuple(columns.values()), records, total, tuple(notes)
        )

    def _lines(self) -> Iterator[tuple[Line, bool]]:
        """The rows, and whether each stands in a ``<thead>``.

        Parts of one row that stand apart, as those of a grid with pinned columns do, are joined: they have
        the number of the row, and each cell has that of its column.
        """
        found: list[tuple[Line, bool]] = []
        by_number: dict[int, tuple[Line, dict[int, int]]] = {}
        for row, in_head in self._rows():
            line = Line(row, list(self._cells(row)), [row])
            found.append((line, in_head))
            number = self._of.number(row, "aria-rowindex")
            if number is None:
                continue
            columns = {self._of.number(cell, "aria-colindex"): cell for cell in line.cells}
            said = {column: cell for column, cell in columns.items() if column is not None}
            if len(said) < len(line.cells):
                continue
            first, others = by_number.setdefault(number, (line, said))
            if first is not line and others.keys().isdisjoint(said):
                found.pop()
                others |= said
                first.rows.append(row)
                first.cells = [others[column] for column in sorted(others)]
        return iter(found)

    def _rows(self) -> Iterator[tuple[int, bool]]:
        """The rows, without those of tables in cells, and whether each stands in a ``<thead>``."""
        of = self._of
        at, end, head_end = self._table + 1, of.ends[self._table], 0
        while at < end:
            role = of.rows[at].role
            if of.rows[at].tag == "thead":
                head_end = of.ends[at]
            if role == "row":
                yield at, at < head_end
            at = of.ends[at] if role == "row" or role in TABLES else at + 1

    def _cells(self, row: int) -> Iterator[int]:
        """The cells of a row, also those in a group of columns, which may be a header cell itself."""
        of = self._of
        open_rows = of.children[row][::-1]
        while open_rows:
            at = open_rows.pop()
            role = of.rows[at].role
            is_group = role in HEADER_CELLS and any(
                of.rows[inner].role in HEADER_CELLS for inner in range(at + 1, of.ends[at])
            )
            if role in CELLS and not is_group:
                yield at
            elif role not in TABLES:
                open_rows.extend(reversed(of.children[at]))

    def _is_head(self, line: Line) -> bool:
        """Whether all cells are headers, or at least two, and the others are empty or choose all rows."""
        of = self._of
        others = [cell for cell in line.cells if of.rows[cell].role not in HEADER_CELLS]
        if not others or len(line.cells) - len(others) < _HEADERS:
            return bool(line.cells) and not others
        return not any(of.said(cell) and not of.controls(range(cell, of.ends[cell])) for cell in others)

    def _is_filter(self, line: Line) -> bool:
        """Whether all that a row has is to be operated, fields among it, as below the header of a grid."""
        of = self._of
        is_filter = False
        for cell in line.cells:
            if not all(is_operated for _, is_operated in of.parts(cell)):
                return False
            is_filter |= any(of.rows[at].role in FIELDS for at in range(cell, of.ends[cell]))
        return is_filter

    def _fill(self, line: Line, *, is_head: bool) -> None:
        """Give each cell its columns."""
        of = self._of
        line.reached = {column: text for column, (text, _, _) in self._open_cells.items()}
        line.values = dict(line.reached)
        line.urls = {column: url for column, (_, url, _) in self._open_cells.items() if url}
        reaching = {
            column: (text, url, left - 1)
            for column, (text, url, left) in self._open_cells.items()
            if left > 1
        }
        column = 0
        for cell, attributes in self._placed(line):
            across, down = _span(attributes, "colspan"), _span(attributes, "rowspan")
            self._spans += across > 1 or down > 1
            said = number_in(attributes, "aria-colindex")
            line.is_placed |= said is not None
            if said is not None:
                column = said - 1
            while said is None and column in line.values:
                column += 1
            text = "" if cell is None else self._label(cell) if is_head else self._text(cell)
            if cell is not None:
                line.places[cell] = (column, across)
            url = "" if cell is None else of.urls(range(cell, of.ends[cell]))
            for at in range(column, column + across):
                if cell is not None:
                    line.values[at] = text
                    if url:
                        line.urls[at] = url
                if down > 1:
                    reaching[at] = (text, url, down - 1)
            column += across
        self._open_cells = reaching

    def _placed(self, line: Line) -> list[tuple[int | None, Mapping[str, str]]]:
        """The cells with their attributes, and those that are not shown but take their place, as None."""
        of = self._of
        cells: list[tuple[int | None, Mapping[str, str]]] = [
            (cell, of.attributes(cell)) for cell in line.cells
        ]
        if hidden := of.hidden_cells(line.row):
            positions = list(map(of.position, line.cells))
            for position, attributes in hidden:
                at = bisect.bisect_left(positions, position)
                positions.insert(at, position)
                cells.insert(at, (None, attributes))
        return cells

    def _text(self, cell: int) -> str:
        """A cell's text, without that of tables in it."""
        of = self._of
        inner = [at for at in range(cell + 1, of.ends[cell]) if of.rows[at].role in TABLES]
        if not inner:
            return of.told(cell)
        self._nested += len(inner)
        parts: list[str] = []
        at = cell + 1
        while at < of.ends[cell]:
            if of.rows[at].role in TABLES:
                at = of.ends[at]
                continue
            if of.ends[at] == at + 1:
                parts.append(of.rows[at].name or of.rows[at].value)
            at += 1
        return squeeze(" ".join(parts))

    def _label(self, cell: int) -> str:
        return name_of_column(self._of.said(cell), self._of.parts(cell))

    def _caption(self) -> str:
        of = self._of
        return next((of.said(at) for at in of.children[self._table] if of.rows[at].role == "caption"), "")


def _span(attributes: Mapping[str, str], name: str) -> int:
    span = number_in(attributes, f"aria-{name}") or number_in(attributes, name) or 1
    return min(span, _MOST_SPAN)


def _without_title(heads: list[Line]) -> tuple[str, list[Line]]:
    """The table's title, where its first header cell spans all columns, and the other header rows."""
    if heads and len(heads[0].cells) == 1 and len(heads[0].values) > 1:
        said = heads[0].values
        if said.keys() >= heads[-1].values.keys():
            return said[min(said)], heads[1:]
    return "", heads


def _names(heads: Sequence[Line], numbers: Sequence[int]) -> list[str]:
    """The columns' names, each once; those without a header by their number."""
    names: list[str] = []
    used: Counter[str] = Counter()
    for column, said in _said_names(heads, numbers).items():
        name = said or f"column {column + 1}"
        used[name] += 1
        names.append(name if used[name] == 1 else f"{name} {used[name]}")
    return names


def _said_names(heads: Sequence[Line], numbers: Sequence[int]) -> dict[int, str]:
    """What the headers say of each column, those of groups before those in them."""
    heads = [one for one in heads if one.is_placed or len(one.values) == len(heads[-1].values)]
    return {
        column: " ".join(dict.fromkeys(filter(None, (head.values.get(column) for head in heads))))
        for column in numbers
    }


def _numbers(heads: Sequence[Line], lines: Sequence[Line]) -> list[int]:
    """The columns that have a header or a value, from the left."""
    return sorted({column for line in (*heads[-1:], *lines) for column in line.values})
