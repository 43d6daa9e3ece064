r"""The outline for a model that reads it: the same ids, fewer words.

Rows become items, and items pass through these steps, from the leaves up; nothing recurses:

1. *Text*: bullets go; a formula is a text, ``a+b^2``; neighbouring pieces of plain text (code, emphasis, …)
   and the links among them become one text: ``text: The [0-82] cat is a species``. Page text like an id is
   escaped: ``\\[0-82]``.
2. *Names*: text that only repeats the name of what it stands in goes; a name that the rows below say goes,
   unless it can be operated; a row without a name takes over a text that stands alone in it.
3. *Wrappers*: a structural row without a name goes when it holds nothing, gives way to an only child, and
   dissolves unless it is one of several in a row, as cards are. A list item and a form without a name give
   way to an only child, too, an item of a tree takes over what a group says. A section that begins with a
   heading is printed as the heading with the rest below it, a link around a heading as
   ``heading: [0-12] Tea``.
4. *Tables*: a row of a table becomes a record: ``row [selected]: Name: [0-12] Tea | Price: 2 (invalid)``.
5. *Selects*: the options of a closed select are named on its line; what does not fit there is folded.
6. *Dates*: the parts of a date or time field go: the field says its value, and takes a whole one.

Whatever a step takes away, the line that says it in its place tells (`Line.tells`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.roles import OFFSCREEN
from hybridsnap.model import MISSING_FRAME
from hybridsnap.render.ai_item import (
    Item,
    clean,
    is_closed_select,
    is_date_field,
    items_of,
    name_of_option,
    said_options,
)
from hybridsnap.render.ai_sections import unwrap_children
from hybridsnap.render.ai_tables import make_records
from hybridsnap.render.ai_text import MATH, drop_repeated_text, take_in_math, take_in_text, without_label
from hybridsnap.render.datalists import Suggestions
from hybridsnap.render.detail import row_and_looks_printers
from hybridsnap.render.inline_text import InlineText
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.preformatted import PREFORMATTED, lines_of, with_preformatted
from hybridsnap.render.report import shorten_url
from hybridsnap.render.role import link_to
from hybridsnap.render.select import (
    description_of,
    is_interactive,
    select_rows,
    with_known_description,
)
from hybridsnap.render.table_cells import TableCells
from hybridsnap.render.table_headers import TABLES
from hybridsnap.render.tree import NOT_SHOWN, format_viewport, label_of, level_of
from hybridsnap.render.unexposed import with_unexposed

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.model import Row
    from hybridsnap.render.content import Content, RenderOptions

#: What a fold calls lines whose role is not a word.
_WORDS = {"StaticText": "text", NOT_SHOWN: "line"}


def build_ai(content: Content, options: RenderOptions) -> LineDocument:
    """The page's head line, and its rows pruned for reading."""
    head = _head(content)  # a dialog that is only listed as not shown is not open
    cells = TableCells(content)
    content, stands_for = with_preformatted(with_unexposed(content))
    rows = select_rows(content, options)
    print_row, print_looks = row_and_looks_printers(content, options.detail)
    inline_text = InlineText(content, print_looks)
    items = items_of(rows, stands_for, inline_text)
    _shorten_descriptions(items)
    suggestions = Suggestions(content)
    for item in reversed(items):
        if item.row.tag == "input" and item.row.role == "combobox" and item.row.id is not None:
            item.options = _options_part([clean(one) for one in suggestions.of(item.row.id)])[0]
        if not item.below:
            continue
        take_in_text(item, inline_text, urls=options.urls)
        if not item.below:  # as of most
            continue
        if item.row.role.startswith(MATH):
            take_in_math(item)
        drop_repeated_text(item)
        _unwrap_children(item)
        if item.row.role == "row":
            continue
        if item.row.role in TABLES:
            make_records(item, cells.uneven(item.row.id))
        if is_closed_select(item.row):
            _name_options(item)
        if is_date_field(item.row):
            _take_in_parts(item)
    top = [item for item in items if item.row.depth == 0]
    lines = [Line(0, head, "page", kept=True, head=True)]
    return LineDocument(lines + _lines(top, content, options, print_row))


def _unwrap_children(item: Item) -> None:
    """Step 3, and step 2 for a label whose text stood in a wrapper with its control."""
    unwrap_children(item)
    if item.row.role == "LabelText":
        item.below = without_label(item.below)


def _shorten_descriptions(items: list[Item]) -> None:
    """Cut descriptions that an element before has, as the handles of a list that can be sorted have one."""
    known: set[str] = set()
    for item in items:
        if said := description_of(item.row):
            if said in known:
                item.row = with_known_description(item.row)
            known.add(said)


def _options_part(names: list[str]) -> tuple[str, bool]:
    """The part of a line that names options; "" without any. And whether it names all of them."""
    said, is_whole = said_options(names)
    return (f" (options: {said})" if names else ""), is_whole


def _name_options(select: Item) -> None:
    """Step 5."""
    names: list[str] = []
    open_items = select.below[::-1]
    while open_items:
        item = open_items.pop()
        if item.row.role == "option":
            names.append(name_of_option(item.row, select.row, item.name))
        open_items.extend(reversed(item.below))
    select.options, is_whole = _options_part(names)
    if len(select.below) == 1 and select.below[0].row.role == "MenuListPopup":
        select.tells += select.below[0].told()
        select.below = select.below[0].below
    if is_whole and all(option.row.role == "option" and not option.below for option in select.below):
        for option in select.below:
            select.tells += option.told()
        select.below = []


def _take_in_parts(field: Item) -> None:
    """Step 6; where a part says more than the field, as while it is half filled in, all of them stay."""
    parts: list[Item] = []
    open_items = list(field.below)
    while open_items:
        part = open_items.pop()
        if (part.row.value and not field.row.value) or not set(part.row.states).issubset(field.row.states):
            return
        parts.append(part)
        open_items.extend(part.below)
    for part in parts:
        field.tells += part.told()
    field.below = []


def _lines(
    top: list[Item], content: Content, options: RenderOptions, print_row: Callable[[Row], str]
) -> list[Line]:
    lines: list[Line] = []
    marks = options.detail != "bare"
    open_items: list[tuple[Item, int, Item | None]] = [(item, 0, None) for item in reversed(top)]
    while open_items:
        item, depth, above = open_items.pop()
        row = item.row
        label = _WORDS.get(row.role) or label_of(row)
        text = _text(item, content, print_row, urls=options.urls, states=marks)
        if marks and item.offscreen and not (above is not None and above.offscreen):
            text += f" [{OFFSCREEN}]"
        in_view = content.in_view(row.id)
        if in_view is False:
            in_view = any(content.in_view(id_) for id_ in item.links)
        lines.append(
            Line(
                depth,
                text,
                label,
                row.id,
                tuple(item.tells),
                row.role,
                level_of(row),
                interactive=is_interactive(row) + len(item.links),
                linked=item.linked,
                in_view=in_view,
                kept=row.role == MISSING_FRAME,
                folded=above is not None and (bool(above.options) or above.row.role == NOT_SHOWN),
            )
        )
        if row.role == PREFORMATTED:
            # Its lines begin with a mark, so that none of them looks like a line of the outline.
            lines += (
                Line(depth + 1, f"| {line}".rstrip(), "line", role="code", in_view=in_view)
                for line in lines_of(row.name)
            )
        open_items.extend((child, depth + 1, item) for child in reversed(item.below))
    return lines


def _text(item: Item, content: Content, print_row: Callable[[Row], str], *, urls: bool, states: bool) -> str:
    row = item.row
    if row.role == PREFORMATTED:
        return print_row(msgspec.structs.replace(row, name=""))
    if row.role == "StaticText":
        return print_row(msgspec.structs.replace(row, role="text", name=item.name))
    if row.name != item.name:
        row = msgspec.structs.replace(row, name=item.name)
    if states and row.states and row.name and label_of(row) == "row":
        return _record_with_states(row, print_row)
    text = print_row(row)
    url = content.urls.get(row.id) if urls and row.id is not None else None
    return f"{text}{item.options}{link_to(url) if url else ''}"


def _record_with_states(row: Row, print_row: Callable[[Row], str]) -> str:
    """A record says its states before its cells: at the line's end they would be the last cell's."""
    said = "".join(f" [{state}]" for state in row.states)
    text = print_row(msgspec.structs.replace(row, states=()))
    return text.replace("row: ", f"row{said}: ", 1)


def _is_seen(row: Row, content: Content) -> bool:
    """Whether nothing is known that hides an element."""
    box = content.layout and row.id and content.layout.boxes.get(row.id)
    return not box or box.provenance not in {"transparent", "zero-size"}


def _head(content: Content) -> str:
    """What a reader should know of the page as a whole."""
    report = content.report
    parts = [f"page {clean(report.title) or '(no title)'} <{shorten_url(report.url)}>"]
    if content.layout is not None:
        parts.append(format_viewport(content.layout.viewport))
    dialogs = [
        f"[{row.id}] {clean(row.name)}".rstrip()
        for row in content.rows
        if row.role in {"dialog", "alertdialog"} and row.id is not None and _is_seen(row, content)
    ]
    if dialogs:
        parts.append(f"dialog open: {', '.join(dialogs)}")
    missing = [
        f"frame {frame.ordinal} ({frame.cause})"
        for frame in report.frames
        if frame.status in ("missing", "partial")
    ]
    if missing:
        parts.append(f"not whole: {', '.join(missing)}")
    return " · ".join(parts)
