"""What new rows of a diff say twice, or do not say at all: it takes lines that the rest needs in a budget."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from hybridsnap.capture.ax_node import VALUE_CHARACTERS
from hybridsnap.capture.roles import CLICKABLE, FRAME_ROLE, STRUCTURAL_ROLES
from hybridsnap.model import MISSING_FRAME
from hybridsnap.render.ai_item import AMONG_TEXT, EMPTY_WITHOUT_NAME, PLAIN_TEXT, clean
from hybridsnap.render.moves import is_text_or_marker, is_wrapper, quote
from hybridsnap.render.select import description_of, is_interactive
from hybridsnap.render.table_headers import (
    BOXES,
    CELLS,
    HEADER_CELLS,
    TABLES,
    TOLD_STATES,
    is_part_of_week,
    is_week,
    name_of_column,
)
from hybridsnap.render.tree import label_of
from hybridsnap.text import clean_text, squeeze

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from hybridsnap.model import Row
    from hybridsnap.render.match import RowTree

#: Roles whose name is what stands in them, often several elements that have lines of their own. So is that
#: of an element without a role that takes the focus, as the panel of a dialog does.
_NAMED_BY_CONTENT = CELLS | STRUCTURAL_ROLES | {"row", "LayoutTableCell", "tooltip"}
_CELLS = CELLS | {"LayoutTableCell"}
#: Roles that tell nothing where there is nothing in them.
_EMPTY_ROLES = EMPTY_WITHOUT_NAME | {"StaticText", "table", "rowgroup"}
#: Punctuation that may stand beside a word.
_POINTS = r"""[,.;:!?()"']*"""
#: Roles that say nothing around one element.
_AROUND_ONE = frozenset({"listitem", "row"})
_EDITORS = frozenset({"textbox", "searchbox"})
#: What in an editor is text and nothing else.
_PLAIN = PLAIN_TEXT | STRUCTURAL_ROLES | {"paragraph"}
#: Frames, and those that are missing.
_FRAMES = frozenset({FRAME_ROLE, MISSING_FRAME})
#: Longer names are not searched for what stands in the control: that would cost more than it saves.
_LONGEST_NAME = 2000
#: States of a new cell that its row's line leaves out.
_UNTOLD = frozenset({CLICKABLE, "readonly"})
#: A row of one cell is its text; several are a record.
_LEAST_CELLS = 2
_SEVERAL = 2
#: Rows of a month: its weeks, and what stands above and below them.
_MOST_OF_MONTH = 9


class _Cell(NamedTuple):
    """A new cell: its text in the line of its row, and those of its states that are printed."""

    row: Row
    has_controls: bool
    said: str
    states: list[str]


def _in_record(cell: _Cell, *, are_days: bool) -> str:
    """What a cell says in the line of its row, with its id where it is pressed itself."""
    is_pressed = is_interactive(cell.row) or (are_days and cell.said != "")
    # A header that sorts may hold a button of its own, as for a filter.
    is_alone = not cell.has_controls or (cell.row.role in HEADER_CELLS and cell.said != "")
    id_ = f"[{cell.row.id}]" if is_pressed and is_alone else ""
    told = f"({', '.join(cell.states)})" if cell.states else ""
    return squeeze(f"{id_} {cell.said} {told}")


def said_by_control(tree: RowTree, at: int) -> set[int]:
    """The rows below a control that say no more than its name, below an editor than its value.

    However they wrap it: of code, each word is a text of its own. What says nothing is among them.
    """
    row = tree.rows[at]
    is_editor = row.role in _EDITORS
    whole = clean_text(row.value) if is_editor else row.name
    if len(whole) > (VALUE_CHARACTERS if is_editor else _LONGEST_NAME):
        return set()
    if not is_editor and not (whole and is_interactive(row)):
        return set()
    branches = (_texts_of(tree, one, is_editor=is_editor) for one in tree.children[at])
    told = [branch for branch in branches if branch is not None]
    printed = whole.casefold()
    is_all = "".join(said for _, said in told) == "".join(printed.split())
    return {inner for inside, said in told if is_all or _holds(printed, said) for inner in inside}


def _texts_of(tree: RowTree, top: int, *, is_editor: bool) -> tuple[list[int], str] | None:
    """A row with all below it, and their text without white space; None where that is more than text."""
    inside: list[int] = []
    texts: list[str] = []
    open_rows = [top]
    while open_rows:
        at = open_rows.pop()
        row = tree.rows[at]
        states = [state for state in row.states if not state.startswith("level=")]
        if states or row.description or row.value or row.role in _FRAMES or is_interactive(row):
            return None
        if is_editor and row.role not in _PLAIN:
            return None  # a heading or a list is news
        inside.append(at)
        if not tree.children[at]:
            texts.append("".join(row.name.split()).casefold())
        open_rows.extend(reversed(tree.children[at]))
    return inside, "".join(texts)


def _holds(whole: str, said: str) -> bool:
    """Whether a text holds another, which has no white space, as words of their own: ``1,000`` no ``1``."""
    joined = "".join(whole.split())
    if said == joined or not said:
        return True
    if said not in joined:
        return False
    letters = r"\s*".join(map(re.escape, said))
    return re.search(rf"(?<!\S){_POINTS}{letters}{_POINTS}(?!\S)", whole) is not None


class Repeats:
    """Which of the printed rows repeat others.

    Args:
        tree: of the new rows.
        shown: numbers of those that are printed.
        taken: number of a row → the text that it takes over from below.
    """

    def __init__(self, tree: RowTree, shown: AbstractSet[int], taken: Mapping[int, str]) -> None:
        self._tree = tree
        self._shown = shown
        self._taken = taken
        self._empty: set[int] = set()
        self._controls: dict[int, AbstractSet[str]] = {}
        #: A table → what its columns are called.
        self._headers: dict[int, list[str]] = {}

    def is_empty(self, at: int) -> bool:
        """Whether a row says nothing, nor holds anything that does; those below it are asked first."""
        row = self._tree.rows[at]
        # A glyph of an icon font is cleaned away when it is printed.
        says = row.description or row.value or row.states or clean_text(row.name)
        if says or not (row.role in _EMPTY_ROLES or is_wrapper(row)):
            return False
        if not self._empty.issuperset(self._tree.children[at]):
            return False
        self._empty.add(at)
        return True

    def is_label(self, at: int) -> bool:
        """Whether a row is the label of a printed control beside it, or in a wrapper beside it."""
        tree = self._tree
        texts = tree.children[at]
        if tree.rows[at].role != "LabelText" or not all(is_text_or_marker(tree, one) for one in texts):
            return False
        # What is seen counts, whatever aria-label says; the mark of a required field is a text of its own.
        said = "".join(map(self._said, texts)) or self._said(at)
        return bool(said) and said in self._controls_in(tree.parents[at])

    def is_label_around(self, at: int) -> bool:
        """Whether a row is the label around a printed control, and it and its texts say that one's name."""
        tree = self._tree
        if tree.rows[at].role != "LabelText":
            return False
        texts = (one for one in tree.children[at] if is_text_or_marker(tree, one))
        said = self._said(at) or "".join(map(self._said, texts))
        return said in self._controls_in(at)

    def _controls_in(self, parent: int) -> AbstractSet[str]:
        """The names of the printed controls in a row, and in wrappers in it."""
        if parent not in self._controls:
            tree = self._tree
            inside = (
                one
                for beside in tree.children[parent]
                for one in (beside, *(tree.children[beside] if is_wrapper(tree.rows[beside]) else ()))
            )
            controls = (one for one in inside if one in self._shown and is_interactive(tree.rows[one]))
            self._controls[parent] = frozenset(map(self._said, controls))
        return self._controls[parent]

    def is_said_below(self, at: int) -> bool:
        """Whether a row's name is what the printed rows below it say, in their order."""
        tree = self._tree
        if tree.rows[at].role not in _NAMED_BY_CONTENT:
            return False
        left = "".join(tree.rows[at].name.split())
        open_rows = tree.children[at][::-1]
        while open_rows and left:
            inner = open_rows.pop()
            said = self._said(inner) or "".join(tree.rows[inner].value.split())
            if said and inner in self._shown and left.startswith(said):
                left = left[len(said) :]
            else:
                open_rows.extend(reversed(tree.children[inner]))
        return not left

    def is_around_one(self, at: int) -> bool:
        """Whether an item of a list says nothing itself and holds one printed control, as those of menus.

        A row of a table is one only where it holds no cell.
        """
        tree = self._tree
        row = tree.rows[at]
        says = self._taken.get(at, row.name) or row.states or row.description or row.value
        if row.role not in _AROUND_ONE or says:
            return False
        inside: list[int] = []
        open_rows = tree.children[at][:]
        while open_rows and len(inside) < _SEVERAL:
            inner = open_rows.pop()
            if inner in self._shown:
                inside.append(inner)
            else:
                open_rows.extend(tree.children[inner])
        only = tree.rows[inside[0]] if len(inside) == 1 else None
        return only is not None and is_interactive(only) and only.role not in CELLS

    def is_said_within(self, at: int) -> bool:
        """Whether a new cell only holds controls that are printed, in a row whose cells are all new."""
        tree = self._tree
        row = tree.rows[at]
        if row.role not in _CELLS or is_interactive(row) or row.states or row.description or row.value:
            return False
        if tree.parents[at] < 0 or not all(one in self._shown for one in tree.children[tree.parents[at]]):
            return False
        inside = tree.children[at]
        are_controls = all(one in self._shown and is_interactive(tree.rows[one]) for one in inside)
        return bool(inside) and are_controls and (not row.name or self.is_said_below(at))

    def record_of(self, at: int) -> tuple[str, list[int]] | None:
        """What a row of a table says in one line, as the outline for a model does; and what it tells.

        What else is operated in it keeps its line. None where its cells hold more than that and text.
        """
        tree = self._tree
        cells = tree.children[at]
        if tree.rows[at].role != "row" or len(cells) < _LEAST_CELLS:
            return None
        below: list[int] = []
        parts: list[_Cell] = []
        for cell in cells:
            read = self._read_cell(cell, below)
            if read is None:
                return None
            parts.append(read)
        said_in = [cell.said for cell in parts]
        beside = tree.children[tree.parents[at]]
        most = max(len(tree.children[row]) for row in beside) if len(beside) <= _MOST_OF_MONTH else 0
        are_days = is_week(said_in) or is_part_of_week(said_in, most)
        own = self._text(at)
        label = "" if not own or self.is_said_below(at) else f"{own}: "
        texts = [_in_record(cell, are_days=are_days) for cell in parts]
        if not are_days and any(cell.row.role not in HEADER_CELLS for cell in parts):
            columns = self._columns(at, len(texts))
            texts = [
                f"{column}: {text}" if column and column != text else text
                for column, text in zip(columns, texts, strict=True)
                if text or not column  # an empty cell keeps the place of those behind it
            ]
        return (label + " | ".join(texts) if any(texts) else own), below

    def _read_cell(self, cell: int, below: list[int]) -> _Cell | None:
        """A cell of a record; None where more stands in it than its line can say.

        Args:
            cell: its number.
            below: takes the numbers of the rows that the record tells.
        """
        tree = self._tree
        row = tree.rows[cell]
        states = [state for state in row.states if state not in _UNTOLD]
        is_told = all(map(TOLD_STATES.match, states)) and not (description_of(row) or row.value)
        if cell not in self._shown or row.role not in CELLS or not is_told:
            return None
        below.append(cell)
        texts: list[str] = []
        names: list[str] = []  # the same without ids and roles
        unended = -1  # the last part that is a control: words behind it would read as its name
        controls = off_controls = 0
        open_rows = tree.children[cell][::-1]
        while open_rows:
            inner = open_rows.pop()
            control = tree.rows[inner]
            if self._stands_in_record(inner):
                off = " (disabled)" if control.states else ""
                names.append(self._text(inner))
                texts.append(f"[{control.id}] {label_of(control)}: {names[-1]}{off}")
                unended = -1 if off else len(texts) - 1
                controls += 1
                off_controls += bool(off)
            elif is_interactive(control) and inner in self._shown:
                controls += 1
                off_controls += "disabled" in control.states
                continue  # it keeps its line
            elif self._is_told_label(inner):
                open_rows.extend(one for one in reversed(tree.children[inner]) if one in self._shown)
            elif not self._is_plain(inner) and not self.is_empty(inner):
                return None
            else:
                names.append("" if tree.children[inner] else self._text(inner))
                texts.append(names[-1])
                if unended >= 0 and any(map(str.isalnum, names[-1])):
                    texts[unended] = f"{texts[unended].removesuffix(names[unended])}{quote(names[unended])}"
                    unended = -1
                open_rows.extend(reversed(tree.children[inner]))
            below.append(inner)
        said, name = squeeze(" ".join(texts)), self._text(cell)
        is_name_said = "".join("".join(names).split()) == "".join(name.split()) or self.is_said_below(cell)
        if not (controls and is_name_said):
            said = name if said in name else f"{name} {said}"
        if controls and controls == off_controls:  # each says it by itself
            states = [state for state in states if state != "disabled"]
        return _Cell(row, bool(controls), said, states)

    def _columns(self, at: int, count: int) -> list[str]:
        """What the columns of a row's table are called: by its lowest header row, before the first other one.

        Nameless where another number of cells stands there: some cell spans several columns.
        """
        tree = self._tree
        table = tree.parents[at]
        while table >= 0 and tree.rows[table].role not in TABLES:
            table = tree.parents[table]
        if table not in self._headers:
            self._headers[table] = self._header_of(table) if table >= 0 else []
        headers = self._headers[table]
        return headers if len(headers) == count else [""] * count

    def _header_of(self, table: int) -> list[str]:
        tree = self._tree
        headers: list[str] = []
        open_rows = tree.children[table][::-1]
        while open_rows:
            at = open_rows.pop()
            cells = tree.children[at]
            if tree.rows[at].role != "row":
                open_rows.extend(reversed([] if tree.rows[at].role in TABLES else cells))
            elif sum(tree.rows[cell].role in HEADER_CELLS for cell in cells) > 1:
                headers = [self._name_of_column(cell) for cell in cells]
            elif len(cells) > 1:
                break
        return headers

    def _name_of_column(self, header: int) -> str:
        """The name of a column; "" where it is that of a box, which says what the box does."""
        tree = self._tree
        parts: list[tuple[str, bool]] = []
        boxes: set[str] = set()
        open_rows = tree.children[header][::-1]
        while open_rows:
            at = open_rows.pop()
            row = tree.rows[at]
            if is_interactive(row):
                parts.append((self._text(at), True))
                boxes |= {self._text(at)} if row.role in BOXES else set()
            elif tree.children[at]:
                open_rows.extend(reversed(tree.children[at]))
            elif self._text(at):
                parts.append((self._text(at), False))
        name = name_of_column(self._text(header), parts)
        return "" if name in boxes or tree.rows[header].role not in HEADER_CELLS else name

    def _stands_in_record(self, at: int) -> bool:
        """Whether a printed row is a link or button that says no more than its name, or is disabled."""
        row = self._tree.rows[at]
        says_more = description_of(row) or row.value or set(row.states) - {"disabled"}
        return (
            row.role in AMONG_TEXT
            and bool(self._text(at))
            and row.id is not None
            and not says_more
            and at in self._shown
            and self._shown.isdisjoint(self._tree.children[at])
        )

    def _is_told_label(self, at: int) -> bool:
        """Whether a row is a label whose text the line of the control in it says."""
        return self._tree.rows[at].role == "LabelText" and at not in self._shown

    def _text(self, at: int) -> str:
        """A row's name on one line; nothing in it can be taken for an id."""
        return squeeze(clean(self._tree.rows[at].name))

    def _is_plain(self, at: int) -> bool:
        """Whether a row is text, or groups it, and nothing else."""
        row = self._tree.rows[at]
        is_text = is_text_or_marker(self._tree, at) or row.role in STRUCTURAL_ROLES
        return is_text and not (row.states or row.description or row.value or is_interactive(row))

    def _said(self, at: int) -> str:
        """A row's name without white space."""
        return "".join((self._taken.get(at) or self._tree.rows[at].name).split())
