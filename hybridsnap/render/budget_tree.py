"""A `LineDocument` as a tree of sections, and the worth of each of its lines."""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING

from hybridsnap.capture.roles import CHECKABLE_ROLES, INTERACTIVE_ROLES
from hybridsnap.errors import UnknownElement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.render.line_document import Line, LineDocument

#: A text of so many characters, its id and role among them, is prose, a shorter one a label.
_PROSE_CHARACTERS = 60
#: So many of them are not names of links, but in a paragraph, and one for two that are: else it is a list of
#: links.
_OWN_CHARACTERS, _LINKED_SHARE = 40, 2
#: A paragraph of fewer characters, its id and role among them, is a label: of a chart, for one.
_LABEL_CHARACTERS = 36
#: Rows of a table, or items of a list, that are worth more than the others.
_FIRST_ROWS = 3
#: Headings of so many levels come before the others.
_MAIN_LEVELS = 2
#: Links among the interactive roles: what is left are form controls and buttons.
_CONTROL_ROLES = INTERACTIVE_ROLES - {"link", "option", "treeitem", "menuitem"}
_DIALOG_ROLES = frozenset({"dialog", "alertdialog", "alert"})
_NAVIGATION_ROLES = frozenset({"navigation", "contentinfo", "menu", "menubar"})
_LANDMARK_ROLES = frozenset(
    {"main", "navigation", "banner", "contentinfo", "complementary", "search", "form", "region", "article"}
)
#: What holds the main content: the first of these that a page has.
_MAIN_ROLES = ("main", "article")
#: What holds another document: an advertisement or a video, mostly.
_FRAME_ROLES = frozenset({"Iframe", "IframePresentational"})
_ROW_ROLES = frozenset({"row", "listitem", "treeitem", "option", "term", "definition"})
#: Pictures and what is written below them: read after the text that they stand in.
_PICTURE_ROLES = frozenset({"image", "img", "Figcaption"})


class Worth(enum.IntEnum):
    """Classes of lines, the most important first."""

    KEPT = 0
    DIALOG = 1
    HEADING = 2
    CONTROL = 3
    IN_VIEW = 4
    LANDMARK = 5
    PROSE = 6
    FIRST_ROW = 7
    ROW = 8
    OTHER = 9
    NAVIGATION = 10
    MINOR = 11
    FOLDED = 12


class BudgetTree:
    """A `LineDocument` as a tree.

    A line's children are the lines one level deeper. In formats without closing tags, a heading also holds
    its section: the siblings that follow it, up to the next heading of its level or a higher one.

    Args:
        document: the lines.
        keys: what names each line in a fold's id, when the document is a part of another.

    Attributes:
        parents: for each line the number of the line that holds it; -1 for none.
        ends: for each line where its subtree ends, exclusive.
    """

    def __init__(self, document: LineDocument, keys: Sequence[str] | None = None) -> None:
        self.lines: Sequence[Line] = document.lines
        self.document = document
        self._keys = keys
        count = len(self.lines)
        self.parents: list[int] = [-1] * count
        self.ends: list[int] = [count] * count
        lines = self.lines
        sections = not any(line.closing for line in lines)
        open_lines: list[int] = []
        for at, line in enumerate(lines):
            depth, level = line.depth, line.level
            while open_lines:
                top = lines[open_lines[-1]]
                if top.depth < depth:
                    break
                if sections and top.depth == depth and top.level and (not level or level > top.level):
                    break
                self.ends[open_lines.pop()] = at
            if open_lines:
                self.parents[at] = open_lines[-1]
            open_lines.append(at)

    def members(self, start: int, end: int) -> Iterator[int]:
        """The topmost lines of a range."""
        at = start
        while at < end:
            yield at
            at = self.ends[at]

    def key(self, at: int) -> str:
        """What names a line in a fold's id."""
        if self._keys is not None:
            return self._keys[at]
        own = self.lines[at].id
        return own if own is not None and self._first_by_id[own] == at else f"#{at}"

    @functools.cached_property
    def _first_by_id(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for at, line in enumerate(self.lines):
            if line.id is not None:
                found.setdefault(line.id, at)
        return found

    def find(self, key: str) -> int:
        """The line that a key names.

        Raises:
            UnknownElement: there is none.
        """
        at = int(key[1:]) if key[:1] == "#" and key[1:].isascii() and key[1:].isdigit() else -1
        if not 0 <= at < len(self.lines):
            at = self._first_by_id.get(key, -1)
        if at < 0:
            raise UnknownElement(
                f"{key!r} names no line of this rendering; use an id or a fold that it prints", element_id=key
            )
        return at

    @functools.cached_property
    def by_worth(self) -> list[list[int]]:
        """The lines of each class of `Worth`, the most important first."""
        classes: list[list[int]] = [[] for _ in Worth]
        lines, parents, opened = self.lines, self.parents, self.document.opened
        zones: list[Worth | None] = []
        rows: dict[int, int] = {}
        for at, line in enumerate(lines):
            parent = parents[at]
            zone = zones[parent] if parent >= 0 else None
            if zone is None:
                zone = _zone(line)
            if line.id in opened and zone is not Worth.FOLDED:
                zone = Worth.DIALOG
            zones.append(zone)
            is_leaf = self.ends[at] == at + 1
            worth = Worth.FOLDED if zone is Worth.FOLDED else _worth(line, zone, is_leaf=is_leaf)
            if worth is Worth.ROW:
                rows[parent] = place = rows.get(parent, 0) + 1
                worth = Worth.FIRST_ROW if place <= _FIRST_ROWS else worth
            classes[worth].append(at)
        outside = self._outside_main()
        self._gather_prose(classes, outside)
        classes[Worth.HEADING].sort(
            key=lambda at: (lines[at].level > _MAIN_LEVELS, not lines[at].in_view, lines[at].level)
        )
        repeated = self._repeated(classes[Worth.CONTROL])
        repeated_in_view = {at for at in repeated if lines[at].in_view}
        classes[Worth.IN_VIEW] += repeated_in_view
        classes[Worth.CONTROL] = [at for at in classes[Worth.CONTROL] if at not in repeated_in_view]
        # A row of the main content tells more of the page than the links of a menu above it.
        classes[Worth.IN_VIEW].sort(key=lambda at: (outside[at] or zones[at] is Worth.NAVIGATION, at))
        classes[Worth.CONTROL].sort(
            key=lambda at: (at in repeated, not lines[at].in_view, lines[at].role == "button")
        )
        return classes

    def in_turn(self) -> Iterator[list[tuple[Worth, list[int]]]]:
        """The classes of what is new to the reader, then those of what is not."""
        lines = self.lines
        classes: list[tuple[Worth, list[int]]] = [
            (worth, self.by_worth[worth]) for worth in Worth if worth is not Worth.FOLDED
        ]
        if not any(line.seen for line in lines):
            yield classes
            return
        for seen in (False, True):
            yield [
                (worth, [at for at in members if (lines[at].seen and worth > Worth.DIALOG) is seen])
                for worth, members in classes
            ]

    def _repeated(self, controls: Sequence[int]) -> set[int]:
        """The controls that are one more of the same.

        These are choices after the first ones of a row, as filters have them, and buttons that are named like
        one before.
        """
        found: set[int] = set()
        names: set[str] = set()
        row = 0
        last = ""
        for at in controls:
            line = self.lines[at]
            row = row + 1 if line.role == last else 1
            last = line.role
            if line.role in CHECKABLE_ROLES and row > _FIRST_ROWS:
                found.add(at)
            elif line.role == "button":
                name = line.text.removeprefix(f"[{line.id}]")
                if name in names:
                    found.add(at)
                names.add(name)
        return found

    def _gather_prose(self, classes: list[list[int]], outside: Sequence[bool]) -> None:
        """Put together what is read from the beginning, the main content first.

        Rows of the main content that are texts are prose, too; so is a single line between paragraphs: alone
        it would be a fold. Not so what stands there again and again, as "Advertisement" does. What is written
        of pictures comes after the text around them.
        """
        aside = self._beside_content(outside)
        for worth in (Worth.FIRST_ROW, Worth.ROW):
            texts = [
                at
                for at in classes[worth]
                if not aside[at] and self._is_leaf(at) and _is_long(self.lines[at])
            ]
            classes[Worth.PROSE] += texts
            classes[worth] = sorted(set(classes[worth]).difference(texts))
        holders = {self.parents[at] for at in classes[Worth.PROSE] if _is_long(self.lines[at])}
        others: list[int] = []
        joined: set[str] = set()
        for at in classes[Worth.OTHER]:
            line = self.lines[at]
            joins = self.parents[at] in holders and self._is_leaf(at) and not line.interactive
            if joins:
                said = line.text.removeprefix(f"[{line.id}]")
                joins = said not in joined
                joined.add(said)
            (classes[Worth.PROSE] if joins else others).append(at)
        classes[Worth.OTHER] = others
        classes[Worth.PROSE].sort(
            key=lambda at: (
                not self.lines[at].in_view,
                aside[at],
                self.lines[at].role in _PICTURE_ROLES,
                at,
            )
        )

    def _is_leaf(self, at: int) -> bool:
        return self.ends[at] == at + 1

    def _outside_main(self) -> list[bool]:
        """For each line whether it stands outside of the main content, where the page says what that is."""
        main = next((one for one in _MAIN_ROLES if any(line.role == one for line in self.lines)), "")
        outside: list[bool] = []
        for line, parent in zip(self.lines, self.parents, strict=True):
            outside.append(bool(main) and line.role != main and (parent < 0 or outside[parent]))
        return outside

    def _beside_content(self, outside: Sequence[bool]) -> list[bool]:
        """For each line whether it stands beside the main content.

        That is what stands outside of it, other documents, and cards, which are list items with a heading.
        """
        aside: list[bool] = []
        in_row: list[bool] = []
        for at, (line, parent) in enumerate(zip(self.lines, self.parents, strict=True)):
            top = parent < 0
            in_row.append((not top and in_row[parent]) or line.role in _ROW_ROLES)
            beside = line.role in _FRAME_ROLES or (bool(line.level) and in_row[-1])
            aside.append(outside[at] or beside or (not top and aside[parent] and not outside[parent]))
        return aside


def _zone(line: Line) -> Worth | None:
    """What a line makes of all that stands below it."""
    if line.folded:
        return Worth.FOLDED
    if line.role in _DIALOG_ROLES:
        return Worth.DIALOG
    return Worth.NAVIGATION if line.role in _NAVIGATION_ROLES else None


def _worth(line: Line, zone: Worth | None, *, is_leaf: bool) -> Worth:
    """A line's class, apart from its place among its siblings."""
    role = line.role
    if line.kept or line.minor:
        return Worth.KEPT if line.kept else Worth.MINOR
    if zone is Worth.DIALOG:
        worth = Worth.DIALOG
    elif line.level or role == "heading":
        worth = Worth.HEADING
    elif line.interactive and role in _CONTROL_ROLES:
        worth = Worth.CONTROL
    elif line.in_view and (line.interactive or is_leaf) and not _is_prose(line):
        worth = Worth.IN_VIEW
    elif role in _LANDMARK_ROLES:
        worth = Worth.LANDMARK
    elif zone is Worth.NAVIGATION:
        worth = Worth.NAVIGATION
    elif role in _ROW_ROLES:
        worth = Worth.ROW
    elif _is_prose(line) or role == "code" or (role == "paragraph" and _is_no_label(line)):
        worth = Worth.PROSE
    else:
        worth = Worth.OTHER
    return worth


def _is_prose(line: Line) -> bool:
    """Whether it is a text, perhaps with links in it."""
    return line.role not in INTERACTIVE_ROLES and line.role not in _ROW_ROLES and _is_long(line)


def _is_no_label(line: Line) -> bool:
    return not line.interactive and len(line.text) >= _LABEL_CHARACTERS


def _is_long(line: Line) -> bool:
    text = line.text
    if line.role == "row":
        text = max(text.split(" | "), key=len)
    own = len(line.text) - line.linked
    least = 0 if line.role == "paragraph" else _OWN_CHARACTERS
    return len(text) >= _PROSE_CHARACTERS and own >= max(least, line.linked / _LINKED_SHARE)
