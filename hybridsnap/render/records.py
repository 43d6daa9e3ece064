"""Tables, repeated cards and definition lists of a page as records: values by column, with the ids to act on.

Values say what fields hold, what is chosen ("Ann (checked)") and what is struck: ``~~€5~~ €4``.

- *Tables*: roles ``table``, ``grid``, ``treegrid``. Header cells name the columns, behind the names
  of the groups that they are in. A cell that spans columns or rows stands in each of them. A table in a cell
  or card is a set of its own. Parts of one row in pinned columns are joined, where the page numbers rows and
  columns.
- *Definitions*: one record a list, its terms being the columns.
- *Cards*: at least three siblings of one tag and class that hold the same kinds of elements, such as search
  results, products and posts. What stands at the same place of each is a column
  (`hybridsnap.render.records_columns`). Parts that repeat in each of several siblings, beside a picture or
  something to operate, make these the cards. Columns are named by role: ``heading``, ``link``, ``text``,
  ``text 2``.

What a set does not show is told in its notes: spanning cells, nested tables, and rows that a virtual grid has
not drawn (``aria-rowcount``).
"""

from __future__ import annotations

import csv
import io
from typing import Literal, TypeAlias

import msgspec

from hybridsnap.model import ElementId
from hybridsnap.text import clean_text

RecordKind: TypeAlias = Literal["table", "cards", "definitions"]


class Control(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element in a record that can be operated.

    Attributes:
        id: it can be acted on.
        role: as in the outline.
        name: the page's own text.
        value: what it holds; never a password.
        states: ``checked``, ``pressed``, ``disabled``, …
    """

    id: ElementId
    role: str
    name: str
    value: str = ""
    states: tuple[str, ...] = ()


class Record(msgspec.Struct, frozen=True):
    """One row of a table, one card, one list of definitions.

    Attributes:
        id: of the row or card; None where it has none.
        values: column → text, in the order of the columns.
        controls: what can be operated in it.
        index: the row's number among all of a virtual grid, from 1; None where the page does not say.
        urls: column → where the links in it lead, a blank between two.
    """

    id: ElementId | None
    values: dict[str, str]
    controls: tuple[Control, ...] = ()
    index: int | None = None
    urls: dict[str, str] = {}


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

    def to_dicts(self, *, urls: bool = False) -> list[dict[str, str]]:
        """The values of each record with all columns, for ``pandas.DataFrame`` or ``polars.DataFrame``.

        Args:
            urls: behind each column with links, one for where they lead: ``Name``, ``Name (url)``. Of several
                links in one value all are there, a blank between two.
        """
        columns = self._columns(urls=urls)
        return [
            {
                name: (record.urls if is_url else record.values).get(column, "")
                for name, (column, is_url) in columns.items()
            }
            for record in self.records
        ]

    def _columns(self, *, urls: bool) -> dict[str, tuple[str, bool]]:
        """What columns are called in data → the column, and whether it has the addresses of its links."""
        linked = {column for record in self.records for column in record.urls} if urls else set()
        columns: dict[str, tuple[str, bool]] = {}
        for column in self.columns:
            columns[column] = (column, False)
            if column in linked:
                name = f"{column} (url)"
                while name in self.columns or name in columns:  # a column of the page
                    name += " (url)"
                columns[name] = (column, True)
        return columns

    def to_csv(self, *, urls: bool = False) -> str:
        """The values as CSV (RFC 4180), with a head line; text is cleaned as in outlines.

        A row that begins with ``#`` is quoted, so that no line of it reads as a comment. A cell that begins
        like a formula keeps its characters: open the file as text in a spreadsheet.

        Args:
            urls: as `to_dicts`.
        """
        out = io.StringIO()
        plain, quoting = csv.writer(out), csv.writer(out, quoting=csv.QUOTE_ALL)
        for values in (self._columns(urls=urls), *(row.values() for row in self.to_dicts(urls=urls))):
            cells = [clean_text(value) for value in values]
            # The format ``records`` has comment lines, which a page's text must not forge.
            writer = quoting if cells and cells[0].startswith("#") else plain
            writer.writerow(cells)
        return out.getvalue()
