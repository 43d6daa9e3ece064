"""Cells and headers of tables, for all formats that read tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.text import squeeze

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLES = frozenset({"table", "grid", "treegrid"})
CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
HEADER_CELLS = frozenset({"columnheader"})
#: What a row below the header holds to filter the rows by.
FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})


def name_of_column(name: str, parts: Sequence[tuple[str, bool]]) -> str:
    """What a column is called: not what a button in its header, which sorts, is called.

    Args:
        name: of the header cell.
        parts: the texts in it, and whether each is that of something that can be operated.
    """
    text = squeeze(" ".join(part for part, is_operated in parts if not is_operated))
    has_controls = any(is_operated for _, is_operated in parts)
    return text if text and (has_controls or not name) else name
