"""Step 4 of the outline for a model: a row of a table becomes a record, in one line."""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.roles import CLICKABLE, STRUCTURAL_ROLES
from hybridsnap.render.ai_item import DATE_ROLES, Item, among_text, clean, holds
from hybridsnap.render.select import is_interactive
from hybridsnap.render.table_headers import (
    BOXES,
    CELLS,
    FIELDS,
    HEADER_CELLS,
    TABLES,
    TOLD_STATES,
    is_part_of_week,
    is_week,
    name_of_column,
)
from hybridsnap.text import clean_text, clip_text, squeeze

if TYPE_CHECKING:
    from hybridsnap.model import ElementId
    from hybridsnap.render.table_cells import UnevenColumns

#: States of a part of a cell that can stand in its row's line.
_OF_PARTS = frozenset({CLICKABLE, "disabled"})
#: So much is said again of a cell that reaches into the rows below it.
_REACHING_CHARACTERS = 40
_FORM_FIELDS = FIELDS | DATE_ROLES | BOXES


def make_records(table: Item, uneven: UnevenColumns | None) -> None:
    """Step 4. A cell that holds more than text and what can be operated stays below its row; the text, link
    or heading that it begins with stands in the row's line.

    Args:
        table: the table.
        uneven: its columns, where the order of cells in a row does not say them.
    """
    headers: list[str] = []  # the lowest header row's
    hints: list[str] = []  # those of them that say what a control below is
    has_data = False
    open_items = table.below[::-1]
    while open_items:
        item = open_items.pop()
        if item.row.role != "row":
            if item.row.role not in TABLES:
                open_items.extend(reversed(item.below))
            continue
        cells = [inner for inner in item.below if inner.row.role in CELLS]
        handles = [inner for inner in item.below if inner.row.role not in CELLS]
        if not cells or not all(map(_is_handle, handles)):
            continue
        is_header = _is_header(cells)
        if is_header and len(cells) > 1 and not has_data:  # one cell is the table's title, not a column's
            # A row of fields that filter says nothing: the columns keep the names that they have.
            above = headers if len(headers) == len(cells) else [""] * len(cells)
            headers = [_label_of(cell, name) for cell, name in zip(cells, above, strict=True)]
            hints = ["" if _is_of_box(*one) else one[1] for one in zip(cells, headers, strict=True)]
        has_data = has_data or not is_header
        # Where the numbers differ, some cell spans several, and it is not known which header is whose.
        is_told = len(cells) == len(headers)
        names = list(zip(headers, hints, strict=True)) if is_told else [("", "")] * len(cells)
        if uneven is not None:
            said = [clean(uneven.columns.get(cell.row.id, "")) if cell.row.id else "" for cell in cells]
            names = list(zip(said, said, strict=True))
        reaching = [_reaching(inner, uneven) for inner in (*cells, item)]
        before = item.below
        _make_record(item, cells, names, reaching, columns=len(headers), is_header=is_header)
        item.below += handles if item.below is not before else []


def _is_header(cells: list[Item]) -> bool:
    """Whether a row names columns. Cells that say nothing, or only select all, may stand among the names."""
    headers = sum(cell.row.role in HEADER_CELLS for cell in cells)
    others = (cell for cell in cells if cell.row.role not in HEADER_CELLS)
    return headers == len(cells) or (headers > 1 and all(map(_says_nothing, others)))


def _is_handle(inner: Item) -> bool:
    """Whether something between cells is only pressed or dragged, as what makes a column wider is."""
    return inner.row.role in STRUCTURAL_ROLES and not (inner.below or inner.name or inner.links)


def _says_nothing(cell: Item) -> bool:
    """Whether a cell is empty, but for what can be operated in it."""
    if not cell.below:
        return not (cell.text or cell.links)
    return all(is_interactive(inner.row) for inner in cell.below)


def _label_of(header: Item, above: str) -> str:
    parts = [(inner.text, is_interactive(inner.row)) for inner in header.below]
    is_filter = any(inner.row.role in FIELDS for inner in header.below)
    if above and is_filter and all(is_operated for _, is_operated in parts):
        return above
    return name_of_column(clean(header.row.name), parts) or above


def _is_of_box(header: Item, name: str) -> bool:
    """Whether a column has the name of the box in its header: "Select all" is what that box does."""
    return any(inner.row.role in BOXES and clean(inner.row.name) == name for inner in header.below)


def _reaching(item: Item, uneven: UnevenColumns | None) -> list[str]:
    """What cells of rows above say in a row, before one of its cells or at its end."""
    if uneven is None or item.row.id is None:
        return []
    found = uneven.reaching.get(item.row.id, ())
    parts = ((clean(column), clip_text(clean(text), _REACHING_CHARACTERS)) for column, text in found)
    return [f"{column}: {text}" if column and column != text else text for column, text in parts if text]


def _make_record(
    row: Item,
    cells: list[Item],
    headers: list[tuple[str, str]],
    reaching: list[list[str]],
    *,
    columns: int,
    is_header: bool,
) -> None:
    parts: list[str] = []
    below: list[Item] = []
    stay = list(map(_stays, cells))
    texts = [_text_of(cell, is_header=is_header) for cell in cells]
    are_days = is_week(texts) or is_part_of_week(texts, columns)
    if any(stay) and (are_days or not any(itertools.compress(texts, map(operator.not_, stay)))):
        return
    for number, cell in enumerate(cells):
        kept, text = cell.below, texts[number]
        column, hint_of_column = headers[number]
        parts += reaching[number]
        if stay[number]:
            parts += _take_beginning(cell, row, "" if is_header else column, is_header=is_header)
            below += _unwrapped(cell, row)
            continue
        in_text = not cell.name or text != cell.name
        row.links += cell.links
        row.linked += cell.linked
        pressed = _pressed_itself(cell, is_day=are_days, is_named_header=is_header and bool(text))
        is_blank = not text
        if pressed and text:
            text = f"[{pressed}] {text}"
            row.links += (pressed,)
            row.linked += len(text)
        told = _states_of(cell)
        text = f"{text} ({told})".lstrip() if told else text
        header = "" if is_header else column
        if text or not header:  # an empty cell keeps the place of those behind it
            parts.append(f"{header}: {text}" if header and header != text else text)
        if pressed and is_blank:
            cell.row = msgspec.structs.replace(cell.row, hint=cell.row.hint or hint_of_column)
            below.append(cell)
            continue
        row.tells += cell.told()
        for inner in kept:
            if inner.plain or (in_text and _fits_record(inner)):
                _take_in(row, inner)
            else:
                if hint_of_column and is_interactive(inner.row) and not inner.name:
                    hint = _hint_in_column(inner, kept, hint_of_column, is_header=is_header)
                    inner.row = msgspec.structs.replace(inner.row, hint=hint)
                below.append(inner)
    parts += reaching[-1]
    row.name = _join(parts, keep_all=are_days)
    row.below = below


def _stays(cell: Item) -> bool:
    """Whether a cell holds more than text and what can be operated."""
    return any(inner.below and not _says_more(inner) for inner in cell.below)


def _take_in(row: Item, inner: Item) -> None:
    """Note in a row what its line tells of something in a cell."""
    row.tells += inner.told()
    row.links += inner.links
    row.linked += inner.linked
    if (is_interactive(inner.row) or _is_part(inner)) and inner.row.id is not None:
        row.links += (inner.row.id,)
        row.linked += len(among_text(inner))


def _take_beginning(cell: Item, row: Item, column: str, *, is_header: bool) -> list[str]:
    """Take what a cell that stays begins with into its row's line: often the name of what the row is of."""
    taken = list(itertools.takewhile(_begins_record, cell.below)) if not cell.name else []
    if not any(inner.name for inner in taken):
        return [] if column else [""]
    for inner in taken:
        _take_in(row, inner)
    cell.below = cell.below[len(taken) :]
    text = squeeze(" ".join(_in_record(one, is_header=is_header) for one in taken))
    return [f"{column}: {text}" if column else text]


def _join(parts: list[str], *, keep_all: bool) -> str:
    """The line of a row; with nothing behind them, empty cells keep no place."""
    if not any(parts):
        return ""
    last = max(number for number, part in enumerate(parts) if part)
    return " | ".join(parts if keep_all else parts[: last + 1])


def _begins_record(inner: Item) -> bool:
    return _fits_record(inner) or _is_heading(inner)


def _is_heading(inner: Item) -> bool:
    states = (state for state in inner.row.states if not state.startswith("level="))
    return inner.row.role == "heading" and bool(inner.name) and not (inner.below or any(states))


def _unwrapped(cell: Item, row: Item) -> list[Item]:
    """A cell that stays below its row; of one that only holds one thing, that thing."""
    if len(cell.below) > 1 or cell.name or cell.row.states or cell.row.description:
        return [cell]
    row.tells += cell.told()
    return cell.below


def _states_of(cell: Item) -> str:
    """The states of a cell that a reader wants to know, but for what all that stands in it says, too."""
    states = [*filter(TOLD_STATES.match, cell.row.states)]
    if cell.below and all("disabled" in inner.row.states for inner in cell.below):
        states = [state for state in states if state != "disabled"]
    return ", ".join(states)


def _hint_in_column(inner: Item, kept: list[Item], column: str, *, is_header: bool) -> str:
    """What to call a control: its column's head says more than the hint of a field, its form's name."""
    hint = inner.row.hint
    alone = sum(one.row.role in _FORM_FIELDS for one in kept) == 1
    if not hint or (alone and inner.row.role in _FORM_FIELDS):
        return column
    return f"{column} {hint}" if is_header else hint  # "sort", of which column


def _says_more(inner: Item) -> bool:
    """Whether it is operated, and holds nothing but texts beside its name: it stands below its row."""
    return is_interactive(inner.row) and all(one.plain and not one.below for one in inner.below)


def _text_of(cell: Item, *, is_header: bool) -> str:
    """What a cell says, with the ids of what is operated in it."""
    kept = cell.below
    said = squeeze(" ".join(f"{inner.text} {clean_text(inner.row.value)}" for inner in kept))
    named = any(inner.links or not inner.plain for inner in kept)
    if not kept or not (named or said == cell.text or not holds(cell.text, said)):
        return cell.name
    # The name says what stands below; or it is a label; or it was cut: Chromium cuts long ones.
    label = "" if holds(said, cell.text.rstrip(".…")) else cell.name
    fitting = [inner for inner in kept if _fits_record(inner)]
    return squeeze(" ".join([label, *(_in_record(one, is_header=is_header) for one in fitting)]))


def _pressed_itself(cell: Item, *, is_day: bool, is_named_header: bool) -> ElementId | None:
    """The id of a cell that is operated, and nothing in it, as a day is; or of a header that sorts, which may
    hold a button besides, as for a filter.
    """
    within = not is_named_header and any(is_interactive(inner.row) or inner.links for inner in cell.below)
    is_pressed = is_interactive(cell.row) or (is_day and bool(cell.text))
    return cell.row.id if is_pressed and not within else None


def _fits_record(inner: Item) -> bool:
    """Whether what a cell holds can stand in its row's line."""
    row = inner.row
    return (
        inner.plain
        or _is_paragraph(inner)
        or inner.inline_link
        or inner.inline_image
        or _is_part(inner)
        or (
            row.role == "button"
            and row.id is not None
            and not (inner.below or row.states or row.description)
            and bool(inner.name)
        )
    )


def _is_paragraph(inner: Item) -> bool:
    return inner.row.role == "paragraph" and bool(inner.name) and not (inner.below or inner.row.states)


def _is_text(inner: Item) -> bool:
    """Whether its role says nothing in a record."""
    return _is_paragraph(inner) or _is_heading(inner)


def _is_part(inner: Item) -> bool:
    """Whether it is an element without a role that has a name: the number or an event of a calendar's day."""
    row = inner.row
    return (
        row.role in STRUCTURAL_ROLES
        and row.id is not None
        and bool(inner.name)
        and not (inner.below or row.description)
        and all(state in _OF_PARTS for state in row.states)
    )


def _in_record(inner: Item, *, is_header: bool) -> str:
    is_label = is_header and _is_part(inner) and not inner.row.states
    text = inner.name if inner.plain or is_label or _is_text(inner) else among_text(inner)
    return f"{text} (disabled)" if "disabled" in inner.row.states else text
