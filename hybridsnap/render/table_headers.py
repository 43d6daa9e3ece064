"""Cells and headers of tables, for all formats that read tables."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from hybridsnap.text import squeeze

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLES = frozenset({"table", "grid", "treegrid"})
CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
HEADER_CELLS = frozenset({"columnheader"})
#: What a row below the header holds to filter the rows by.
FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
BOXES = frozenset({"checkbox", "radio", "switch"})
#: States that a reader wants to know of a cell, or of what can be operated in it.
TOLD_STATES = re.compile("selected|checked|mixed|pressed|expanded|collapsed|disabled|invalid|current|sort=")
_DAYS = 7
_DAY = re.compile(r"[1-9]|[12]\d|3[01]")


def is_week(texts: Sequence[str]) -> bool:
    """Whether the cells of a row are the days of a week.

    Such cells can be clicked, although some calendars show that only while the pointer is over one.

    Args:
        texts: of all cells of a row; "" where the month has no such day.
    """
    days = [int(text) for text in texts if _DAY.fullmatch(text)]
    follows = all(one + 1 == after or after == 1 for one, after in itertools.pairwise(days))
    return len(texts) == _DAYS and bool(days) and follows and len(days) + texts.count("") == _DAYS


def is_part_of_week(texts: Sequence[str], columns: int) -> bool:
    """Whether the cells of a row are the first or the last days of a month, those of others being hidden.

    Args:
        texts: of all cells of a row.
        columns: of its table.
    """
    return columns == _DAYS and "" not in texts and is_week([*texts, *[""] * (_DAYS - len(texts))])


def name_of_column(name: str, parts: Sequence[tuple[str, bool]]) -> str:
    """What a column is called: not what a button in its header, which sorts, is called.

    Args:
        name: of the header cell.
        parts: the texts in it, and whether each is that of something that can be operated.
    """
    text = squeeze(" ".join(part for part, is_operated in parts if not is_operated))
    has_controls = any(is_operated for _, is_operated in parts)
    return text if text and (has_controls or not name) else name
