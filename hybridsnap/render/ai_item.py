"""An item of the outline for a model: a row on its way to a line."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.roles import OFFSCREEN, ROOT_ROLE, STRUCTURAL_ROLES
from hybridsnap.render.inline_text import GLOSSED
from hybridsnap.render.preformatted import PREFORMATTED
from hybridsnap.render.tree import NOT_SHOWN, label_of, level_of
from hybridsnap.render.unexposed import ARIA_HIDDEN
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.model import ElementId, Row
    from hybridsnap.render.inline_text import InlineText

#: Text that has a role of its own only for how it looks.
PLAIN_TEXT = frozenset(
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
        "MathMLMath",
        "ListMarker",  # a number
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
#: Roles that mean nothing to a reader without a name and without anything below.
EMPTY_WITHOUT_NAME = frozenset(
    {
        *(
            "image",
            "img",
            "SvgRoot",
            "graphics-document",
            "graphics-object",
            "graphics-symbol",
            "LabelText",
            "paragraph",
            "list",
            "listitem",
            "group",
            "Section",
            "article",
            "alert",  # waits for what is to be announced
            "status",
        ),
        ROOT_ROLE,  # of an empty frame
    }
)
#: Roles that only group, in this format: what lies side by side for its looks, and the parts of a section.
_WRAPPERS = STRUCTURAL_ROLES | {
    "LayoutTable",
    "LayoutTableRow",
    "LayoutTableCell",
    "sectionheader",
    "sectionfooter",
}
#: Page text that a reader would take for an id among text.
_LIKE_AN_ID = re.compile(r"\[(?=\d+-\d+[\].@])")
#: Roles of what is printed within a line, with its id.
AMONG_TEXT = frozenset({"link", "button"})
#: A select's options are named on its line up to this many characters.
_OPTION_CHARACTERS = 80
#: Roles of rows whose line is not just their name.
_READ_OTHERWISE = GLOSSED | {NOT_SHOWN, PREFORMATTED}
#: Roles of native fields for dates and times.
DATE_ROLES = frozenset({"Date", "DateTime", "InputTime"})


@dataclasses.dataclass(slots=True)
class Item:
    """A row on its way to a line.

    Attributes:
        row: what it is.
        name: cleaned; starts as the row's.
        below: its children.
        tells: elements that were taken away, and are told by this line.
        said: its name without the ids of links among it; None where that is the name.
        links: the elements among its text that can be operated.
        linked: characters of its name that these take, with their ids.
        options: of a closed select, as they are named on its line.
        offscreen: it is out of the viewport.
        looks: where it can stand among text, what is printed of how it looks.
    """

    row: Row
    name: str
    below: list[Item]
    tells: list[ElementId]
    said: str | None = None
    links: tuple[ElementId, ...] = ()
    linked: int = 0
    options: str = ""
    offscreen: bool = False
    looks: str = ""

    @property
    def plain(self) -> bool:
        """Whether it is text, and links among it, and nothing else."""
        row = self.row
        if self.below or row.states:
            return False
        return row.role in PLAIN_TEXT or (bool(self.name) and (self.inline_wrapper or row.tag == "dfn"))

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
    def inline_image(self) -> bool:
        """Whether it is an image that can stand among text, in words."""
        row = self.row
        return (
            row.role == "image"
            and row.id is not None
            and bool(self.name)
            and not self.below
            and not (row.description or row.value)
            and all(state == ARIA_HIDDEN for state in row.states)
        )

    @property
    def wrapper(self) -> bool:
        """Whether it only groups."""
        row = self.row
        return row.role in _WRAPPERS and not self.name and not row.states and not row.description

    @property
    def is_section(self) -> bool:
        """Whether it only groups, and begins with a heading that can stand for it, above all others in it."""
        if not (self.wrapper and self.below):
            return False
        heading, *others = self.below
        level = level_of(heading.row)
        return (
            level > 0
            and not heading.below
            and (self.offscreen or not heading.offscreen)
            and all(level_of(one.row) == 0 or level_of(one.row) > level for one in others)
        )

    @property
    def empty(self) -> bool:
        """Whether it neither says nor groups anything."""
        row = self.row
        return row.role in EMPTY_WITHOUT_NAME and not (
            self.name or row.states or row.description or row.value
        )

    def told(self) -> list[ElementId]:
        """Its own element and those it tells."""
        return [*([] if self.row.id is None else [self.row.id]), *self.tells]


def clean(text: str) -> str:
    """Page text that cannot be taken for an id."""
    text = clean_text(text)
    return _LIKE_AN_ID.sub(r"\\[", text) if "[" in text else text


def items_of(
    rows: list[Row], stands_for: Mapping[ElementId, list[ElementId]], inline_text: InlineText
) -> list[Item]:
    """An item for each row, each below its parent; in document order."""
    items: list[Item] = []
    open_items: list[Item] = []
    written, looks = inline_text.written_names(rows), inline_text.looks
    marked = inline_text.keys.union(written)
    last = cleaned = ""  # a link's text has the link's name
    for row in rows:
        role, id_ = row.role, row.id
        if row.name != last:
            last, cleaned = row.name, clean(row.name)
        item = Item(row, cleaned, [], [])
        if role in _READ_OTHERWISE:
            _read_otherwise(item, stands_for, inline_text)
        elif marked and id_ in marked:
            _write_marks(item, written)
        if looks is not None and role in AMONG_TEXT and id_ is not None:
            item.looks = looks(id_)
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


def _read_otherwise(
    item: Item, stands_for: Mapping[ElementId, list[ElementId]], inline_text: InlineText
) -> None:
    row = item.row
    if row.role == NOT_SHOWN:
        item.name = row.name
    elif row.role in GLOSSED:
        item.name = clean(inline_text.gloss(row))
        item.row = msgspec.structs.replace(row, description="")
    elif row.id is not None:
        item.tells += stands_for.get(row.id, ())


def _write_marks(item: Item, written: Mapping[ElementId, str]) -> None:
    """Its name with the keys and line breaks in it; or it is the name of a key."""
    said = item.name
    if item.row.id is not None and item.row.id in written:
        item.said = None if item.row.role == "link" else said
        item.name = clean(written[item.row.id])
    else:
        item.name, item.said = f"`{said}`", said


def among_text(item: Item) -> str:
    """An element among text: ``[0-12] Terms``; others say what they are, images without id."""
    if item.inline_image:
        return f"(image: {item.name})"
    role = "" if item.row.role == "link" or item.row.role in STRUCTURAL_ROLES else f"{label_of(item.row)}: "
    return f"[{item.row.id}] {role}{item.name}{item.looks}"


def is_told_below(item: Item) -> bool:
    """Whether a name is what its descendants say, in their order, as the name of a cell is.

    They may say more: a table or list does not count for the name of what it stands in.
    """
    left = "".join(item.text.split()).rstrip(".…")
    open_items = item.below[::-1] if left else []
    while open_items:
        inner = open_items.pop()
        is_said = False
        for text in (clean(inner.row.value), inner.text):  # a control counts with its value
            said = "".join(text.split())
            if said and not is_said and (left.startswith(said) or said.startswith(left)):
                left, is_said = left[len(said) :], True
        if not left:
            return True
        if not (is_said and clean(inner.row.name)):
            # A name of its own says what stands below it, too; a text that it took over does not.
            open_items.extend(reversed(inner.below))
    return False


def holds(text: str, part: str) -> bool:
    """Whether one text is in the other, white space aside."""
    return part in text or "".join(part.split()) in "".join(text.split())


def is_date_field(row: Row) -> bool:
    """Whether a row is a native field for a date or time, whose parts have rows below it."""
    return row.role in DATE_ROLES and row.tag == "input"


def is_closed_select(row: Row) -> bool:
    """Whether it is a select whose list is not open."""
    return "collapsed" in row.states and label_of(row) == "select"


def name_of_option(option: Row, select: Row, name: str) -> str:
    """What a select's line says of an option: its cleaned name, and whether it is disabled by itself."""
    is_off = "disabled" in option.states and "disabled" not in select.states
    return f"{name} (disabled)" if is_off else name


def said_options(names: Sequence[str]) -> tuple[str, bool]:
    """What a line says of options, and whether that is all of them."""
    said = ", ".join(names)
    if len(said) <= _OPTION_CHARACTERS:
        return said, True
    whole = said[:_OPTION_CHARACTERS].rpartition(", ")[0]
    return f"{whole}, …" if whole else f"{said[:_OPTION_CHARACTERS]}…", False
