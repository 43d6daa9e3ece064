"""Steps 1 and 2 of the outline for a model: neighbouring text becomes one text, and nothing is said twice.

A formula (MathML) is a text, ``a+b^2``.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.ax_node import VALUE_CHARACTERS
from hybridsnap.capture.roles import EDITABLE, ROOT_ROLE, STRUCTURAL_ROLES
from hybridsnap.render.ai_item import PLAIN_TEXT, Item, among_text, is_told_below
from hybridsnap.render.inline_text import GLOSSED, space_between, with_gloss
from hybridsnap.render.select import is_interactive
from hybridsnap.render.table_headers import CELLS, HEADER_CELLS
from hybridsnap.text import clean_text, squeeze

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.render.inline_text import InlineText

#: How text is written that means something else without its markup: ``~~$100~~ $80``, ``10^2``, ``H_2 O``.
_MARKUP = {
    "deletion": ("~~", "~~"),
    "mark": ("==", "=="),
    "subscript": ("_", ""),
    "superscript": ("^", ""),
}
_RAISED = frozenset({"subscript", "superscript"})
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
#: Elements that no block stands in.
_WITHOUT_BLOCKS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
#: Roles of what a style sheet prints before an entry, and its characters.
_MARKERS = frozenset({"ListMarker", "StaticText"})
#: What style sheets print before entries of lists, and a blank.
BULLETS = "•·∙◦○●▪▫■□▸►‣ "
#: Text of so many characters without letters and digits is an icon: ``×`` in a button that is named Close.
_ICON_CHARACTERS = 2
_DATA_CELLS = CELLS - HEADER_CELLS
_NAMED_BY_CONTENT = CELLS | {"row", "LayoutTableCell"}
#: Roles of what names the group or table that it stands in.
_NAMING = frozenset({"Legend", "caption"})
#: Roles whose name is their text, which may have links in it.
_NAMED_WITH_LINKS = frozenset({"heading", "term"})
#: How the roles of a formula and its elements begin.
MATH = "MathML"
#: Role → what stands between its parts.
_MATH_MARKS = {
    "MathMLFraction": "/",
    "MathMLSup": "^",
    "MathMLOver": "^",
    "MathMLSub": "_",
    "MathMLUnder": "_",
    "MathMLSubSup": "_^",
    "MathMLUnderOver": "_^",
}


def take_in_text(item: Item, inline_text: InlineText, *, urls: bool) -> None:
    """Step 1, and the second half of step 2."""
    below = _with_texts_joined(item, inline_text, urls=urls)
    if item.row.role == "LabelText":
        below = without_label(below)
    item.below = below
    if not below or not below[0].plain or EDITABLE in item.row.states:  # typed text is not a name
        return
    first = below[0]
    alone = len(below) == 1 and item.row.role not in {ROOT_ROLE, "Iframe"}
    if alone and item.row.role in GLOSSED:
        item.name, item.said = with_gloss(first.name, item.name), first.text
    elif not item.name and alone and item.row.role in _MARKUP:
        before, after = _MARKUP[item.row.role]
        item.name, item.said = f"{before}{first.name}{after}", first.text
    elif not item.name and (alone or item.row.role in _BEGIN_WITH_TEXT):
        item.name, item.said = first.name, first.said
    elif alone and _says_the_same(item, first):
        item.name, item.said = first.name, first.text
        item.tells += [] if item.row.id is None else [item.row.id]  # it may glue the words of two elements
    else:
        return
    item.links, item.linked = first.links, first.linked
    item.tells += first.told()
    item.below = below[1:]


def _says_the_same(item: Item, text: Item) -> bool:
    """Whether a heading, term or cell is named by this text, which also says its links and line breaks."""
    role = item.row.role
    if role not in _NAMED_WITH_LINKS and (role not in _DATA_CELLS or text.links):
        return False
    said, name = "".join(text.text.split()), "".join(item.name.split())
    # A heading's name lacks the numbers that a style sheet counts (Chromium 156).
    return said == name or (role == "heading" and said.endswith(name))


def _with_texts_joined(item: Item, inline_text: InlineText, *, urls: bool) -> list[Item]:
    """An item's children, without bullets, neighbouring text as one item."""
    if len(item.below) == 1 and item.below[0].row.role == "StaticText" and item.below[0].row.id is not None:
        return item.below  # most elements with text hold nothing else
    below: list[Item] = []
    run: list[Item] = []
    holds_blocks = item.row.tag not in _WITHOUT_BLOCKS
    for child in _opened(item.below):
        if child.row.role in _MARKERS and child.row.id is None and not child.name.strip(BULLETS):
            continue
        inline = child.plain or (child.inline_link and not urls) or child.inline_image
        last = run[-1].row if run else child.row
        is_apart = run and holds_blocks and inline and inline_text.parts(last, child.row)
        if run and (not inline or last.frame != child.row.frame or is_apart):
            below += _one_text(run, item, inline_text)
            run = []
        if inline:
            run.append(child)
        else:
            below.append(child)
    return below + _one_text(run, item, inline_text) if run else below


def _opened(below: list[Item]) -> Iterator[Item]:
    """The items, those in a ``span`` or the like in its place when they are text and links."""
    for child in below:
        if child.below and child.inline_wrapper and all(map(_is_inline, child.below)):
            child.below[0].tells += child.told()
            yield from child.below
        else:
            yield child


def _is_inline(item: Item) -> bool:
    return item.plain or item.inline_link or item.inline_image


def _one_text(run: list[Item], parent: Item, inline_text: InlineText) -> list[Item]:
    """Neighbouring texts, and the links and images among them, as one text.

    Links and images without any text stay as they are.
    """
    role = parent.row.role
    is_text = role == "heading" or (role in PLAIN_TEXT and not parent.row.states)
    if len(run) == 1 and (run[0].plain or not is_text):  # as most are
        return run
    links = sum(one.row.role == "link" for one in run)
    is_text = is_text or (role in _BEGIN_WITH_TEXT and links == 1 and len(run) > 1)  # "Home »"
    if not is_text and not any(one.plain and any(map(str.isalnum, one.name)) for one in run):
        return run
    first = next((one for one in run if one.plain and one.row.id is not None), run[0])
    made = Item(first.row, first.name, [], first.tells)
    if first.row.role != "StaticText":
        made.row = msgspec.structs.replace(first.row, role="StaticText", tag="", states=(), value="")
    made.offscreen = all(one.offscreen for one in run if not one.plain) and any(one.offscreen for one in run)
    made.name, made.said = "", ""
    last = first
    for one in run:
        made.links += one.links
        made.linked += one.linked
        made.said += space_between(made.said, one.text) + one.text
        shown = one.name if one.plain else among_text(one)
        if one.row.role == "link" and one.row.id is not None:
            made.links += (one.row.id,)
            made.linked += len(shown)
        is_raised = one.row.role in _RAISED
        made.name = made.name + shown if is_raised else inline_text.join(made.name, shown, last.row, one.row)
        last = one
        if one is not first:
            made.tells += one.told()
    return [made]


def without_label(below: list[Item]) -> list[Item]:
    """A label's children without the text that is the name of the control beside it."""
    controls = {child.name: child for child in below if is_interactive(child.row)}
    kept: list[Item] = []
    for child in below:
        is_text = child.plain or (child.row.role == "paragraph" and not (child.below or child.links))
        if is_text and child.name in controls:
            controls[child.name].tells += child.told()
        else:
            kept.append(child)
    return kept


def drop_repeated_text(item: Item) -> None:
    """Step 2: the name says it already, or what stands below says the name, or all that was typed."""
    if item.below and item.row.value and (item.row.role == "textbox" or EDITABLE in item.row.states):
        _drop_repeated_value(item)
    if not item.name or not item.below:
        return
    first = item.below[0]
    names = first.row.role in _NAMING and "".join(first.text.split()) == "".join(item.name.split())
    if names and not (first.below or first.links):
        item.tells += first.told()
        item.below = item.below[1:]
        return
    if len(item.below) == 1 and first.name == item.name and first.plain and not is_interactive(first.row):
        item.tells += first.told()  # as of most links
        item.below = []
        return
    text = squeeze(" ".join(child.text for child in item.below)).strip(BULLETS)
    told_below = all(
        (child.plain and not child.links)
        or (not child.below and not child.row.states and is_interactive(item.row))
        for child in item.below
    ) and not any(is_interactive(child.row) for child in item.below)
    is_icon = is_interactive(item.row) and len(text) <= _ICON_CHARACTERS and not any(map(str.isalnum, text))
    if told_below and (is_icon or "".join(text.split()) in "".join(item.name.split())):
        for child in item.below:
            item.tells += child.told()
        item.below = []
    elif (
        item.row.id is not None
        and item.row.role != "heading"
        and not is_interactive(item.row)
        and (text == item.text or (item.row.role in _NAMED_BY_CONTENT and is_told_below(item)))
    ):
        item.name = ""
        item.tells.append(item.row.id)


def _drop_repeated_value(editor: Item) -> None:
    """What was typed is said once: on the line, or where it is long or more than text, below it."""
    inside: list[Item] = []
    open_items = editor.below[::-1]
    while open_items:
        item = open_items.pop()
        inside.append(item)
        open_items.extend(reversed(item.below))
    value = clean_text(editor.row.value)
    if "".join(value.split()) not in "".join("".join(item.text for item in inside).split()):
        return
    only_text = all(item.row.role in PLAIN_TEXT or item.row.role in STRUCTURAL_ROLES for item in inside)
    if only_text and len(value) <= VALUE_CHARACTERS and not any(is_interactive(item.row) for item in inside):
        for item in inside:
            editor.tells += item.told()
        editor.below = []
    else:
        editor.row = msgspec.structs.replace(editor.row, value="")


def take_in_math(item: Item) -> None:
    """Make an element of a formula, whose parts are text, a text itself."""
    parts = item.below
    if item.name or not all(map(_is_math_text, parts)):
        return
    marks = _MATH_MARKS.get(item.row.role, "")
    said = [part.text if not marks or len(part.text) == 1 else f"({part.text})" for part in parts]
    item.name = "".join(mark + text for mark, text in itertools.zip_longest(("", *marks), said, fillvalue=""))
    for part in parts:
        item.tells += part.told()
    item.below = []


def _is_math_text(part: Item) -> bool:
    return part.plain or (part.row.role.startswith(MATH) and not (part.below or part.row.states))
