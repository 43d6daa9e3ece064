r"""The outline for a model that reads it: the same ids, fewer words.

Rows become items, and items pass through these steps, from the leaves up; nothing recurses:

1. *Text*: list markers go; neighbouring pieces of plain text (code, emphasis, …) and the links among them
   become one text: ``text: The [0-82] cat is a species``. Page text like an id is escaped: ``\\[0-82]``.
2. *Names*: text that only repeats the name of what it stands in goes; a name that the rows below say goes,
   unless it can be operated; a row without a name takes over a text that stands alone in it.
3. *Wrappers*: a structural row without a name goes when it holds nothing, gives way to an only child, and
   dissolves unless it is one of several in a row, as cards are. So does a list item around one thing.
4. *Tables*: a row of a table becomes a record: ``row: Name: [0-12] Tea | Price: 2``.
5. *Selects*: the options of a closed select are named on its line; what does not fit there is folded.

Whatever a step takes away, the line that says it in its place tells (`Line.tells`).
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.ax import VALUE_CHARACTERS, squeeze
from hybridsnap.capture.roles import EDITABLE, OFFSCREEN, ROOT_ROLE, STRUCTURAL_ROLES
from hybridsnap.model import MISSING_FRAME
from hybridsnap.render.clean import clean_text
from hybridsnap.render.detail import DETAILS, row_printer
from hybridsnap.render.inline_text import GLOSSED, InlineText, space_between, with_gloss
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.preformatted import PREFORMATTED, lines_of, with_preformatted
from hybridsnap.render.report import shorten_url
from hybridsnap.render.select import is_interactive, select_rows
from hybridsnap.render.suggestions import Suggestions
from hybridsnap.render.tree import NOT_SHOWN, format_viewport, label_of, level_of
from hybridsnap.render.unexposed import with_unexposed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hybridsnap.model import ElementId, Row
    from hybridsnap.render.content import Content, RenderOptions

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
        "Ruby",
    }
)
#: Structural elements that stand in a line of text.
_INLINE_TAGS = frozenset(
    {
        "span",
        "b",
        "i",
        "u",
        "s",
        "small",
        "big",
        "font",
        "cite",
        "bdi",
        "bdo",
        "tt",
        "var",
        "kbd",
        "samp",
        "q",
    }
)
#: How text is written that means something else without its markup: ``~~$100~~ $80``, ``10^2``, ``H_2 O``.
_MARKUP = {
    "deletion": ("~~", "~~"),
    "mark": ("==", "=="),
    "subscript": ("_", ""),
    "superscript": ("^", ""),
}
_RAISED = frozenset({"subscript", "superscript"})
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
#: So many structural siblings in a row are cards, and stay.
_CARDS = 3
#: Page text that a reader would take for an id among text.
_LIKE_AN_ID = re.compile(r"\[(?=\d+-\d+[\].@])")
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
        said: its name without the ids of links among it; None where that is the name.
        links: the elements among its text that can be operated.
        options: of a closed select, as they are named on its line.
        offscreen: it is out of the viewport.
    """

    row: Row
    name: str
    below: list[_Item]
    tells: list[ElementId]
    said: str | None = None
    links: tuple[ElementId, ...] = ()
    options: str = ""
    offscreen: bool = False

    @property
    def plain(self) -> bool:
        """Whether it is text, and links among it, and nothing else."""
        row = self.row
        if self.below or row.states:
            return False
        return row.role in _PLAIN_TEXT or (bool(self.name) and (self.inline_wrapper or row.tag == "dfn"))

    @property
    def inline_wrapper(self) -> bool:
        """Whether it is an element like ``span``, which does not break a line of text."""
        row = self.row
        return (
            row.role in STRUCTURAL_ROLES and row.tag in _INLINE_TAGS and not (row.states or row.description)
        )

    @property
    def text(self) -> str:
        """What it says, without ids."""
        return self.name if self.said is None else self.said

    @property
    def inline_link(self) -> bool:
        """Whether it is a link that can stand among text."""
        row = self.row
        return (
            row.role == "link"
            and row.id is not None
            and bool(self.name)
            and not self.below
            and not row.states
            and not row.value
            and self.said is None
        )

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


def build_ai(content: Content, options: RenderOptions) -> LineDocument:
    """The page's head line, and its rows pruned for reading."""
    content, stands_for = with_preformatted(with_unexposed(content))
    rows = select_rows(content, options)
    inline_text = InlineText(content)
    items = _items(rows, stands_for, inline_text)
    suggestions = Suggestions(content)
    for item in reversed(items):
        if item.row.tag == "input" and item.row.role == "combobox" and item.row.id is not None:
            item.options = _said_options([_clean(one) for one in suggestions.of(item.row.id)])[0]
        if not item.below:
            continue
        _take_in_text(item, inline_text, urls=options.urls)
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
    return LineDocument(lines + _lines(top, content, options))


def _clean(text: str) -> str:
    """Page text that cannot be taken for an id."""
    text = clean_text(text)
    return _LIKE_AN_ID.sub(r"\\[", text) if "[" in text else text


def _items(
    rows: list[Row], stands_for: Mapping[ElementId, list[ElementId]], inline_text: InlineText
) -> list[_Item]:
    """An item for each row, each below its parent; in document order."""
    items: list[_Item] = []
    open_items: list[_Item] = []
    written = inline_text.written_names(rows)
    for row in rows:
        item = _Item(row, row.name if row.role == NOT_SHOWN else _clean(row.name), [], [])
        if row.role == PREFORMATTED and row.id is not None:
            item.tells += stands_for.get(row.id, ())
        if row.role in GLOSSED:
            item.name = _clean(inline_text.gloss(row))
        elif row.id in inline_text.keys:
            item.name, item.said = f"`{item.name}`", item.name
        elif written and row.id in written:
            item.said = None if row.role == "link" else item.name
            item.name = _clean(written[row.id])
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


def _take_in_text(item: _Item, inline_text: InlineText, *, urls: bool) -> None:
    """Step 1, and the second half of step 2."""
    below = _with_texts_joined(item, inline_text, urls=urls)
    if item.row.role == "LabelText":
        below = _without_label(below)
    item.below = below
    alone = len(below) == 1 and item.row.role not in {ROOT_ROLE, "Iframe"}
    if EDITABLE in item.row.states:  # its text is what has been typed, no name
        return
    if not below or not below[0].plain:
        return
    first = below[0]
    if alone and item.row.role in GLOSSED:
        item.name, item.said, item.links = with_gloss(first.name, item.name), first.text, first.links
    elif not item.name and alone and item.row.role in _MARKUP:
        before, after = _MARKUP[item.row.role]
        item.name, item.said, item.links = f"{before}{first.name}{after}", first.text, first.links
    elif not item.name and (alone or item.row.role in _BEGIN_WITH_TEXT):
        item.name, item.said, item.links = first.name, first.said, first.links
    elif alone and _says_the_same(item, first):
        item.name, item.said, item.links = first.name, first.text, first.links
    else:
        return
    item.tells += first.told()
    item.below = below[1:]


def _says_the_same(item: _Item, text: _Item) -> bool:
    """Whether a heading or a cell is named by this text, which also says its links, keys and line breaks."""
    if item.row.role != "heading" and (item.row.role not in _CELLS - _HEADER_CELLS or text.links):
        return False
    return "".join(text.text.split()) == "".join(item.name.split())


def _with_texts_joined(item: _Item, inline_text: InlineText, *, urls: bool) -> list[_Item]:
    """An item's children, without list markers, neighbouring text as one item."""
    below: list[_Item] = []
    run: list[_Item] = []
    for child in _opened(item.below):
        if child.row.role == "ListMarker":
            continue
        inline = child.plain or (child.inline_link and not urls)
        if run and not (inline and run[-1].row.frame == child.row.frame):
            below += _one_text(run, item, inline_text)
            run = []
        if inline:
            run.append(child)
        else:
            below.append(child)
    return below + _one_text(run, item, inline_text) if run else below


def _opened(below: list[_Item]) -> Iterator[_Item]:
    """The items, those in a ``span`` or the like in its place when they are text and links."""
    for child in below:
        if child.below and child.inline_wrapper and all(one.plain or one.inline_link for one in child.below):
            child.below[0].tells += child.told()
            yield from child.below
        else:
            yield child


def _one_text(run: list[_Item], parent: _Item, inline_text: InlineText) -> list[_Item]:
    """Neighbouring texts, and the links among them, as one text; links without any text stay as they are."""
    if len(run) == 1 and run[0].plain:
        return run
    is_text = parent.row.role == "heading" or (parent.row.role in _PLAIN_TEXT and not parent.row.states)
    if not is_text and not any(one.plain and any(map(str.isalnum, one.name)) for one in run):
        return run
    first = run[0]
    made = _Item(first.row, first.name, [], first.tells)
    if first.row.role != "StaticText":
        made.row = msgspec.structs.replace(first.row, role="StaticText", tag="", states=(), value="")
    made.name, made.said = "", ""
    last = first
    for one in run:
        made.links += one.links
        if not one.plain and one.row.id is not None:
            made.links += (one.row.id,)
        made.said += space_between(made.said, one.text) + one.text
        shown = one.name if one.plain else _with_id(one)
        is_raised = one.row.role in _RAISED
        made.name = made.name + shown if is_raised else inline_text.join(made.name, shown, last.row, one.row)
        last = one
        if one is not first:
            made.tells += one.told()
    return [made]


def _with_id(item: _Item) -> str:
    """An element among text: ``[0-12] Terms``; what is not a link says what it is."""
    role = "" if item.row.role == "link" else f"{label_of(item.row)}: "
    return f"[{item.row.id}] {role}{item.name}"


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


def _drop_repeated_text(item: _Item) -> None:
    """Step 2: the name says it already, or what stands below says the name, or all that was typed."""
    if item.below and item.row.value and (item.row.role == "textbox" or EDITABLE in item.row.states):
        _drop_repeated_value(item)
    if not item.name or not item.below:
        return
    text = squeeze(" ".join(child.text for child in item.below))
    told_below = all(
        (child.plain and not child.links)
        or (not child.below and not child.row.states and is_interactive(item.row))
        for child in item.below
    ) and not any(is_interactive(child.row) for child in item.below)
    if told_below and "".join(text.split()) in "".join(item.name.split()):
        for child in item.below:
            item.tells += child.told()
        item.below = []
    elif text == item.name and item.row.id is not None and not is_interactive(item.row):
        item.name = ""
        item.tells.append(item.row.id)


def _drop_repeated_value(editor: _Item) -> None:
    """What was typed is said once: on the line, or where it is long or more than text, below it."""
    inside: list[_Item] = []
    open_items = editor.below[::-1]
    while open_items:
        item = open_items.pop()
        inside.append(item)
        open_items.extend(reversed(item.below))
    value = clean_text(editor.row.value)
    if "".join(value.split()) not in "".join("".join(item.text for item in inside).split()):
        return
    only_text = all(item.row.role in _PLAIN_TEXT or item.row.role in STRUCTURAL_ROLES for item in inside)
    if only_text and len(value) <= VALUE_CHARACTERS and not any(is_interactive(item.row) for item in inside):
        for item in inside:
            editor.tells += item.told()
        editor.below = []
    else:
        editor.row = msgspec.structs.replace(editor.row, value="")


def _unwrap_children(item: _Item) -> None:
    """Step 3, for the children of `item`."""
    below: list[_Item] = []
    cards = sum(child.wrapper and bool(child.below) for child in item.below) >= _CARDS
    for child in item.below:
        around_one = len(child.below) == 1 and (
            child.wrapper or (child.row.role in _AROUND_ONE and not child.name)
        )
        if around_one:
            inner = child.below[0]
            inner.tells += child.told()
            below.append(inner)
        elif child.wrapper and child.below and not cards:
            child.below[0].tells += child.told()
            below += child.below
        elif child.below or not (child.wrapper or child.empty):
            below.append(child)
        else:
            item.tells += child.told()
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
        said = squeeze(" ".join(inner.text for inner in kept))
        text = cell.name
        named = any(inner.links or not inner.plain for inner in kept)
        if kept and (named or said == cell.text or not _holds(cell.text, said)):
            # The name says what stands below; or it is a label; or it was cut: Chromium cuts long ones.
            label = "" if _holds(said, cell.text.rstrip(".…")) else cell.name
            text = squeeze(" ".join([label, *(_in_record(inner) for inner in kept if _fits_record(inner))]))
        row.links += cell.links
        header = headers[number] if number < len(headers) else ""
        if text:
            parts.append(f"{header}: {text}" if header and header != text else text)
        in_text = not cell.name or text != cell.name
        row.tells += cell.told()
        for inner in kept:
            if inner.plain or (in_text and _fits_record(inner)):
                row.tells += inner.told()
                row.links += inner.links
                if not inner.plain and inner.row.id is not None:
                    row.links += (inner.row.id,)
            else:
                below.append(inner)
    row.name = " | ".join(parts)
    row.below = below


def _fits_record(inner: _Item) -> bool:
    """Whether what a cell holds can stand in its row's line."""
    row = inner.row
    return (
        inner.plain
        or inner.inline_link
        or (
            row.role == "button"
            and row.id is not None
            and not (inner.below or row.states)
            and bool(inner.name)
        )
    )


def _in_record(inner: _Item) -> str:
    return inner.name if inner.plain else _with_id(inner)


def _holds(text: str, part: str) -> bool:
    """Whether one text is in the other, white space aside."""
    return part in text or "".join(part.split()) in "".join(text.split())


def _said_options(names: list[str]) -> tuple[str, bool]:
    """What a line says of options, and whether that is all of them."""
    said = ", ".join(names)
    if len(said) <= _OPTION_CHARACTERS:
        return (f" (options: {said})" if names else ""), True
    whole = said[:_OPTION_CHARACTERS].rpartition(", ")[0]
    return f" (options: {whole}, …)" if whole else f" (options: {said[:_OPTION_CHARACTERS]}…)", False


def _name_options(select: _Item) -> None:
    """Step 5."""
    names: list[str] = []
    open_items = select.below[::-1]
    while open_items:
        item = open_items.pop()
        if item.row.role == "option":
            names.append(item.name)
        open_items.extend(reversed(item.below))
    select.options, is_whole = _said_options(names)
    if len(select.below) == 1 and select.below[0].row.role == "MenuListPopup":
        select.tells += select.below[0].told()
        select.below = select.below[0].below
    if is_whole and all(option.row.role == "option" and not option.below for option in select.below):
        for option in select.below:
            select.tells += option.told()
        select.below = []


def _lines(top: list[_Item], content: Content, options: RenderOptions) -> list[Line]:
    lines: list[Line] = []
    print_row = row_printer(content, options.detail)
    marks = DETAILS[options.detail].states
    boxes = None if content.layout is None else content.layout.boxes
    open_items: list[tuple[_Item, int, _Item | None]] = [(item, 0, None) for item in reversed(top)]
    while open_items:
        item, depth, above = open_items.pop()
        row = item.row
        label = "text" if row.role == "StaticText" else label_of(row)
        text = _text(item, content, print_row, urls=options.urls)
        if marks and item.offscreen and not (above is not None and above.offscreen):
            text += f" [{OFFSCREEN}]"
        in_view: bool | None = None
        if boxes is not None:
            box = None if row.id is None else boxes.get(row.id)
            in_view = box is not None and box.visible_share > 0
            if item.links and not in_view:
                linked = (boxes.get(id_) for id_ in item.links)
                in_view = any(box is not None and box.visible_share > 0 for box in linked)
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
                in_view=in_view,
                kept=row.role == MISSING_FRAME,
                folded=above is not None and (bool(above.options) or above.row.role == NOT_SHOWN),
            )
        )
        if row.role == PREFORMATTED:
            # Its lines begin with a mark, so that none of them looks like a line of the outline.
            lines += (
                Line(depth + 1, f"| {line}".rstrip(), "line", role="paragraph", in_view=in_view)
                for line in lines_of(row.name)
            )
        open_items.extend((child, depth + 1, item) for child in reversed(item.below))
    return lines


def _text(item: _Item, content: Content, print_row: Callable[[Row], str], *, urls: bool) -> str:
    row = item.row
    if row.role == PREFORMATTED:
        return print_row(msgspec.structs.replace(row, name=""))
    if row.role == "StaticText":
        return print_row(msgspec.structs.replace(row, role="text", name=item.name))
    states = row.states
    if row.role == "listitem":  # its level is its indentation
        states = tuple(state for state in states if not state.startswith("level="))
    if row.name != item.name or row.states != states:
        row = msgspec.structs.replace(row, name=item.name, states=states)
    text = print_row(row)
    url = content.urls.get(row.id) if urls and row.id is not None else None
    return f"{text}{item.options}{f' -> {clean_text(url)}' if url else ''}"


def _head(content: Content) -> str:
    """What a reader should know of the page as a whole."""
    report = content.report
    parts = [f"page {clean_text(report.title) or '(no title)'} <{shorten_url(report.url)}>"]
    if content.layout is not None:
        parts.append(format_viewport(content.layout.viewport))
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
