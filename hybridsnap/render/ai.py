"""The outline for a model that reads it: the same ids, fewer words.

Rows become items, and items pass through these steps, from the leaves up; nothing recurses:

1. *Text*: list markers go; neighbouring pieces of plain text (code, emphasis, …) become one text.
2. *Names*: text that only repeats the name of what it stands in goes; a name that the rows below say goes,
   unless it can be operated; a row without a name takes over a text that stands alone in it.
3. *Wrappers*: a structural row without a name goes when it holds nothing, gives way to an only child, and
   dissolves when it is an only child itself. So does a list item around one thing.
4. *Tables*: a row of a table becomes a record: ``row: Name: Tea | Price: 2``, its links and buttons below it.
5. *Selects*: the options of a closed select are named on its line, and folded.

Whatever a step takes away, the line that says it in its place tells (`Line.tells`).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.ax import squeeze
from hybridsnap.capture.roles import OFFSCREEN, ROOT_ROLE, STRUCTURAL_ROLES
from hybridsnap.model import MISSING_FRAME
from hybridsnap.render.clean import clean_text
from hybridsnap.render.lines import Line, Sketch
from hybridsnap.render.report import shorten_url
from hybridsnap.render.select import is_interactive, select_rows
from hybridsnap.render.tree import format_tree_line, label_of

if TYPE_CHECKING:
    from hybridsnap.model import ElementId, Row
    from hybridsnap.render.content import Content, RenderOptions

#: Like siblings in a row that are printed before the rest is folded.
REPEAT = 20
#: A select's options are named on its line up to this many characters.
_OPTION_CHARACTERS = 80
#: Text that has a role of its own only for how it looks.
_PLAIN_TEXT = frozenset(
    {
        "StaticText",
        "code",
        "strong",
        "emphasis",
        "mark",
        "subscript",
        "superscript",
        "deletion",
        "insertion",
        "time",
        "Abbr",
    }
)
#: Roles that mean nothing to a reader without a name and without anything below.
_EMPTY_WITHOUT_NAME = frozenset(
    {"image", "img", "SvgRoot", "LabelText", "paragraph", "list", "listitem", "group", "Section", "article"}
)
#: Roles whose line takes over the text that they begin with; what follows stands below it.
_BEGIN_WITH_TEXT = frozenset(
    {
        "listitem",
        "paragraph",
        "LabelText",
        "term",
        "definition",
        "blockquote",
        "caption",
        "Figcaption",
        "Legend",
    }
)
#: Roles that say nothing around one thing.
_AROUND_ONE = frozenset({"listitem", "LabelText"})
_HEADER_CELLS = frozenset({"columnheader"})
_CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})


@dataclasses.dataclass(slots=True)
class _Item:
    """A row on its way to a line.

    Attributes:
        row: what it is.
        name: cleaned; starts as the row's.
        below: its children.
        tells: elements that were taken away, and are told by this line.
        options: of a closed select, as they are named on its line.
        offscreen: it is out of the viewport.
    """

    row: Row
    name: str
    below: list[_Item]
    tells: list[ElementId]
    options: str = ""
    offscreen: bool = False

    @property
    def plain(self) -> bool:
        """Whether it is text and nothing else."""
        return not self.below and self.row.role in _PLAIN_TEXT and not self.row.states

    @property
    def wrapper(self) -> bool:
        """Whether it only groups."""
        row = self.row
        return row.role in STRUCTURAL_ROLES and not self.name and not row.states and not row.description

    @property
    def empty(self) -> bool:
        """Whether it neither says nor groups anything."""
        row = self.row
        return row.role in _EMPTY_WITHOUT_NAME and not (
            self.name or row.states or row.description or row.value
        )

    def told(self) -> list[ElementId]:
        """Its own element and those it tells."""
        return [*([] if self.row.id is None else [self.row.id]), *self.tells]


def build_ai(content: Content, options: RenderOptions) -> Sketch:
    """The page's head line, and its rows pruned for reading."""
    rows = select_rows(content, options)
    items = _items(rows)
    for item in reversed(items):
        _take_in_text(item)
        _drop_repeated_text(item)
        _unwrap_children(item)
        if item.row.role == "row":
            continue
        if item.row.role in {"table", "grid", "treegrid"}:
            _make_records(item)
        if "collapsed" in item.row.states and label_of(item.row) == "select":
            _name_options(item)
    top = [item for item in items if item.row.depth == 0]
    lines = [Line(0, _head(content), "page", kept=True, head=True)]
    lines += _lines(top, content, urls=options.urls)
    repeat = int(options.special.get("repeat", REPEAT))
    return Sketch(lines, most_alike=repeat)


def _items(rows: list[Row]) -> list[_Item]:
    """An item for each row, each below its parent; in document order."""
    items: list[_Item] = []
    open_items: list[_Item] = []
    for row in rows:
        item = _Item(row, clean_text(row.name), [], [])
        if OFFSCREEN in row.states:
            # Of a branch out of sight it is said once, at its top.
            item.offscreen = True
            item.row = msgspec.structs.replace(row, states=tuple(s for s in row.states if s != OFFSCREEN))
        while open_items and open_items[-1].row.depth >= row.depth:
            open_items.pop()
        if open_items:
            open_items[-1].below.append(item)
        open_items.append(item)
        items.append(item)
    return items


def _take_in_text(item: _Item) -> None:
    """Step 1, and the second half of step 2."""
    below: list[_Item] = []
    for child in item.below:
        if child.row.role == "ListMarker":
            continue
        before = below[-1] if below else None
        if child.plain and before is not None and before.plain and before.row.frame == child.row.frame:
            before.name = _joined(before.name, child.name)
            before.tells += child.told()
            if before.row.role != "StaticText":
                before.row = msgspec.structs.replace(before.row, role="StaticText", tag="")
        else:
            below.append(child)
    if item.row.role == "LabelText":
        below = _without_label(below)
    item.below = below
    alone = len(below) == 1 and item.row.role not in {ROOT_ROLE, "Iframe"}
    if not item.name and below and below[0].plain and (alone or item.row.role in _BEGIN_WITH_TEXT):
        item.name = below[0].name
        item.tells += below[0].told()
        item.below = below[1:]


def _without_label(below: list[_Item]) -> list[_Item]:
    """A label's children without the text that is the name of the control beside it."""
    controls = {child.name: child for child in below if is_interactive(child.row)}
    kept: list[_Item] = []
    for child in below:
        if child.plain and child.name in controls:
            controls[child.name].tells += child.told()
        else:
            kept.append(child)
    return kept


def _joined(before: str, after: str) -> str:
    """Two pieces of a line: the spaces between them are gone, and come back where prose has them."""
    close = not before or not after or before[-1] in "([{" or after[0] in ",.;:!?)]}"
    return f"{before}{'' if close else ' '}{after}"


def _drop_repeated_text(item: _Item) -> None:
    """Step 2: the name says it already, or what stands below says the name."""
    if not item.name or not item.below:
        return
    text = squeeze(" ".join(child.name for child in item.below))
    told_below = all(
        child.plain or (not child.below and not child.row.states and is_interactive(item.row))
        for child in item.below
    ) and not any(is_interactive(child.row) for child in item.below)
    if told_below and "".join(text.split()) in "".join(item.name.split()):
        for child in item.below:
            item.tells += child.told()
        item.below = []
    elif text == item.name and item.row.id is not None and not is_interactive(item.row):
        item.name = ""
        item.tells.append(item.row.id)


def _unwrap_children(item: _Item) -> None:
    """Step 3, for the children of `item`."""
    below: list[_Item] = []
    for child in item.below:
        around_one = len(child.below) == 1 and (
            child.wrapper or (child.row.role in _AROUND_ONE and not child.name)
        )
        if around_one:
            inner = child.below[0]
            inner.tells += child.told()
            below.append(inner)
        elif child.below or not (child.wrapper or child.empty):
            below.append(child)
    if len(below) == 1 and below[0].wrapper:
        item.tells += below[0].told()
        below = below[0].below
    item.below = below


def _make_records(table: _Item) -> None:
    """Step 4. A row that holds more than text and what can be operated stays as it is."""
    headers: list[str] = []
    open_items = table.below[::-1]
    while open_items:
        item = open_items.pop()
        if item.row.role != "row":
            if item.row.role not in {"table", "grid", "treegrid"}:
                open_items.extend(reversed(item.below))
            continue
        cells = item.below
        if not cells or any(cell.row.role not in _CELLS for cell in cells):
            continue
        if all(cell.row.role in _HEADER_CELLS for cell in cells):
            headers = headers or [cell.name for cell in cells]
        _make_record(item, cells, [] if all(cell.row.role in _HEADER_CELLS for cell in cells) else headers)


def _make_record(row: _Item, cells: list[_Item], headers: list[str]) -> None:
    parts: list[str] = []
    below: list[_Item] = []
    for number, cell in enumerate(cells):
        kept = cell.below
        if any(inner.below for inner in kept) or (is_interactive(cell.row) and cell.row.role not in _CELLS):
            return
        said = squeeze(" ".join(inner.name for inner in kept))
        text = "" if kept and said == cell.name else cell.name
        text = text or squeeze(" ".join(inner.name for inner in kept if inner.plain))
        header = headers[number] if number < len(headers) else ""
        if text:
            parts.append(f"{header}: {text}" if header and header != text else text)
        below += [inner for inner in kept if not inner.plain]
        row.tells += cell.told()
        for inner in kept:
            if inner.plain:
                row.tells += inner.told()
    row.name = " | ".join(parts)
    row.below = below


def _name_options(select: _Item) -> None:
    """Step 5."""
    names: list[str] = []
    open_items = select.below[::-1]
    while open_items:
        item = open_items.pop()
        if item.row.role == "option":
            names.append(item.name)
        open_items.extend(reversed(item.below))
    said = ", ".join(names)
    if len(said) > _OPTION_CHARACTERS:
        said = said[:_OPTION_CHARACTERS].rpartition(", ")[0] + ", …"
    select.options = f" (options: {said})" if names else ""
    if len(select.below) == 1 and select.below[0].row.role == "MenuListPopup":
        select.tells += select.below[0].told()
        select.below = select.below[0].below


def _lines(top: list[_Item], content: Content, *, urls: bool) -> list[Line]:
    lines: list[Line] = []
    boxes = None if content.layout is None else content.layout.boxes
    open_items: list[tuple[_Item, int, _Item | None]] = [(item, 0, None) for item in reversed(top)]
    while open_items:
        item, depth, above = open_items.pop()
        row = item.row
        label = "text" if row.role == "StaticText" else label_of(row)
        text = _text(item, content, urls=urls)
        if item.offscreen and not (above is not None and above.offscreen):
            text += f" [{OFFSCREEN}]"
        box = None if boxes is None or row.id is None else boxes.get(row.id)
        in_view = None if boxes is None else box is not None and box.visible_share > 0
        lines.append(
            Line(
                depth,
                text,
                label,
                row.id,
                tuple(item.tells),
                interactive=is_interactive(row),
                in_view=in_view,
                kept=row.role == MISSING_FRAME,
                folded=above is not None and bool(above.options),
            )
        )
        open_items.extend((child, depth + 1, item) for child in reversed(item.below))
    return lines


def _text(item: _Item, content: Content, *, urls: bool) -> str:
    row = item.row
    if row.role == "StaticText":
        return format_tree_line(msgspec.structs.replace(row, role="text", name=item.name))
    states = row.states
    if row.role == "listitem":  # its level is its indentation
        states = tuple(state for state in states if not state.startswith("level="))
    if row.name != item.name or row.states != states:
        row = msgspec.structs.replace(row, name=item.name, states=states)
    text = format_tree_line(row)
    url = content.urls.get(row.id) if urls and row.id is not None else None
    return f"{text}{item.options}{f' -> {clean_text(url)}' if url else ''}"


def _head(content: Content) -> str:
    """What a reader should know of the page as a whole."""
    report = content.report
    parts = [f"page {clean_text(report.title) or '(no title)'} <{shorten_url(report.url)}>"]
    if content.layout is not None:
        view = content.layout.viewport
        parts.append(
            f"viewport {view.width:.0f}x{view.height:.0f} at {view.scroll_x:.0f},{view.scroll_y:.0f}"
            f" of {view.content_width:.0f}x{view.content_height:.0f}"
        )
    dialogs = [
        f"[{row.id}] {clean_text(row.name)}".rstrip()
        for row in content.rows
        if row.role in {"dialog", "alertdialog"} and row.id is not None
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
