"""What the column of a cell is called where its row does not say, and which column tells controls apart.

Which column a cell is in is known as records know it (`hybridsnap.render.records_tables`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from hybridsnap.render.nodes import NodeIndex
from hybridsnap.render.records_rows import RecordRows
from hybridsnap.render.records_tables import lay_out_table
from hybridsnap.render.table_headers import CELLS, HEADER_CELLS, TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.model import ElementId
    from hybridsnap.render.content import Content
    from hybridsnap.render.records_tables import TableLayout


#: Attributes that say which columns or rows a cell is in.
_PLACING = frozenset({"colspan", "rowspan", "aria-colindex", "aria-colspan", "aria-rowspan"})


class UnevenColumns(NamedTuple):
    """The columns of a table with cells that span columns or rows, or of whose rows some lack cells.

    Attributes:
        columns: what the column of a data cell is called; "" where it spans several of other names, or none
            has a name.
        reaching: before a cell, or at the end of a row: column and text of the cells that reach into the row
            from one above.
    """

    columns: Mapping[ElementId, str]
    reaching: Mapping[ElementId, list[tuple[str, str]]]


class TableCells:
    """The cells of a snapshot's tables."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._layouts: dict[int, TableLayout] = {}

    @functools.cached_property
    def _nodes(self) -> NodeIndex:
        return NodeIndex(self._content)

    @functools.cached_property
    def _of(self) -> RecordRows:
        return RecordRows(self._content)

    def _layout(self, table: int) -> TableLayout:
        if table not in self._layouts:
            self._layouts[table] = lay_out_table(self._of, table)
        return self._layouts[table]

    def uneven(self, table: ElementId | None) -> UnevenColumns | None:
        """The columns of a table; None where the order of cells says them, or the DOM is not here."""
        at = None if table is None or self._content.capture is None else self._nodes.row_at.get(table)
        layout = None if at is None or self._is_regular(at) else self._layout(at)
        rows = self._of.rows
        # Only in HTML's tables a row that is short of cells lacks the last ones.
        if layout is None or at is None or (layout.is_even and rows[at].tag != "table"):
            return None
        columns: dict[ElementId, str] = {}
        reaching: dict[ElementId, list[tuple[str, str]]] = {}
        for line in layout.lines:
            if layout.is_even and len(line.cells) == 1:
                continue  # a title of the rows below
            left = sorted(line.reached.items(), reverse=True)
            for cell in (*line.cells, line.rows[-1]):
                id_ = rows[cell].id
                first, across = line.places.get(cell, (None, 1))
                if id_ is None:
                    continue
                if first is not None:
                    names = {layout.columns.get(first + at, "") for at in range(across)}
                    columns[id_] = names.pop() if len(names) == 1 else ""
                while left and (first is None or left[-1][0] < first):
                    column, text = left.pop()
                    reaching.setdefault(id_, []).append((layout.columns.get(column, ""), text))
        return UnevenColumns(columns, reaching)

    def _is_regular(self, table: int) -> bool:
        """Whether all rows have as many cells, none of which says where it stands or what it spans.

        As most tables are; that costs less to see than where each cell is.
        """
        rows = self._content.rows
        depth = rows[table].depth
        counts: list[int] = []
        for at in range(table + 1, len(rows)):
            row = rows[at]
            if row.depth <= depth:
                break
            if row.role == "row":
                counts.append(0)
            elif row.role in TABLES or (row.role in CELLS and not (counts and self._is_unplaced(row.id))):
                return False
            elif row.role in CELLS:
                counts[-1] += 1
        return len(set(counts)) == 1

    def _is_unplaced(self, cell: ElementId | None) -> bool:
        place = None if cell is None else self._nodes.place(cell)
        return place is not None and _PLACING.isdisjoint(place[0].nodes[place[1]].attributes)

    def beside(self, control: ElementId, label: str, key_ids: Sequence[ElementId]) -> str:
        """What tells a control from others, with its column where its row has others of its role and name.

        Args:
            control: its id.
            label: what tells its row, or card, from others.
            key_ids: the elements whose texts tell it; a header tells no row.
        """
        column = self._column_beside(control)
        keys = (self._of.nodes.row_at.get(id_) for id_ in key_ids) if column else ()
        if any(at is not None and self._above(at, HEADER_CELLS) >= 0 for at in keys):
            return column
        return ", ".join(filter(None, (label, column)))

    def _column_beside(self, control: ElementId) -> str:
        of = self._of
        at = of.nodes.row_at.get(control, -1)
        cell = self._above(at, CELLS)
        row, table = self._above(cell, {"row"}), self._above(cell, TABLES)
        if min(at, cell, row, table) < 0 or row < table:
            return ""
        one = of.rows[at]
        alike = [
            other
            for other in range(row, of.ends[row])
            if (of.rows[other].role, of.rows[other].name) == (one.role, one.name)
        ]
        if all(cell <= other < of.ends[cell] for other in alike):
            return ""
        layout = self._layout(table)
        columns = (line.places[cell][0] for line in layout.lines if cell in line.places)
        return layout.columns.get(next(columns, -1), "")

    def _above(self, at: int, roles: frozenset[str] | set[str]) -> int:
        """The row that another is in, or is, of one of these roles; -1 where there is none."""
        while at >= 0 and self._of.rows[at].role not in roles:
            at = self._of.parents[at]
        return at
