"""What the DOM says of text within a line, which the accessibility tree does not keep.

- Between two pieces of a line: a line break (``<br>``, or where a block begins or ends), or no space at all
  (``Ctrl+C``).
- Which pieces are keys (``<kbd>``), written as ```Ctrl```; in the names of cells and controls, too, which
  have no space between keys.
- What a word stands for (``<abbr title>``), and how it is read (``<ruby>``), as ``WHO (World Health
  Organization)``; of an abbreviation only the first time.

Only ``ai`` joins text into lines, and uses this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hybridsnap.capture.dom import BLOCK_TAGS
from hybridsnap.capture.xpath import ELEMENT, TEXT
from hybridsnap.model import ElementId
from hybridsnap.render.dom import find_documents
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import Row
    from hybridsnap.render.content import Content

#: Roles whose text is explained.
GLOSSED = frozenset({"Abbr", "Ruby"})
#: How a line break within a line is written.
BREAK = " / "
#: Rows whose name is their text, and those of them in which a line break is more than a space.
_NAMED_BY_TEXT = frozenset({"button", "cell", "gridcell", "heading", "link", "option", "rowheader", "tab"})
_BROKEN = frozenset({"cell", "gridcell", "rowheader"})
_MARKING_TAGS = frozenset({"br", "kbd"})
#: Nodes between two pieces of a line at most: further apart, they have something between them.
_MOST_BETWEEN = 32
#: How far above a key or a line break a name is looked for that has it.
_MOST_ABOVE = 16
#: How far above two pieces an element that makes them code, or editable, is looked for.
_MOST_LEVELS = 8
#: So many blocks end between what belongs to two cards, or the like.
_PARTED_BLOCKS = 2
#: In these no space stands between pieces but what is written.
_CODE_TAGS = frozenset({"code", "kbd", "pre", "samp", "tt", "var"})

_MARKS = str.maketrans("", "", " /`")


class _Between(NamedTuple):
    """What lies between two pieces of text.

    Attributes:
        closed: the blocks that end there.
        opened: the blocks that begin there.
        is_beside: one is a text beside the other's element, as in ``un<b>believ</b>able``; a style may set
            two elements apart.
        sides: the positions of the children of the element that holds both, one around each.
    """

    closed: int
    opened: int
    is_beside: bool
    sides: tuple[int, int]


class InlineText:
    """The DOM of a snapshot, asked about pieces of its text.

    Attributes:
        looks: prints the group of an element's looks (`hybridsnap.render.detail`), where these are asked for.
        keys: texts that are the only one of a ``<kbd>``.
        after_break: the texts that follow a ``<br>``, and the elements that begin with them.

    Cost: one look at each node's name.
    """

    def __init__(self, content: Content, looks: Callable[[ElementId], str] | None) -> None:
        self.looks = looks
        self.keys: set[ElementId] = set()
        self.after_break: set[ElementId] = set()
        self._indexes: dict[int, SessionDomIndex] = {}
        #: Position of a line break or key, and its frame.
        self._marks: list[tuple[int, int]] = []
        self._glossed: set[str] = set()
        #: The two rows that were looked at last, their positions, and what is between them.
        self._left: Row | None = None
        self._right: Row | None = None
        self._here = self._there = -1
        self._last_between: _Between | None = None
        for ordinal, (_, index, document) in find_documents(content.capture).items():
            self._indexes[ordinal] = index
            self._read(index, ordinal, document)

    def _read(self, index: SessionDomIndex, ordinal: int, document: int) -> None:
        found = [
            at
            for at, node in enumerate(index.nodes)
            if node.local_name in _MARKING_TAGS and index.documents[at] == document
        ]
        for at in found:
            if index.nodes[at].local_name == "br":
                self._marks.append((at, ordinal))
                for node in index.nodes[at + 1 : at + _MOST_BETWEEN]:
                    if node.node_type != TEXT or node.node_value.strip():
                        self.after_break.add(ElementId(f"{ordinal}-{node.backend_node_id}"))
                        if node.node_type == TEXT:
                            break
                continue
            inside = index.nodes[at + 1 : index.end_of(at)]
            texts = [node for node in inside if node.node_type == TEXT and node.node_value.strip()]
            if len(texts) == 1:
                self._marks.append((at, ordinal))
                self.keys.add(ElementId(f"{ordinal}-{texts[0].backend_node_id}"))

    def written_names(self, rows: Sequence[Row]) -> dict[ElementId, str]:
        """The names of the rows whose text has keys or line breaks, with these; by element id."""
        above: dict[ElementId, int] = {}  # what stands around a mark → its position
        for at, ordinal in self._marks:
            index, here = self._indexes[ordinal], at
            for _ in range(_MOST_ABOVE):
                here = index.parents[here]
                if here < 0 or index.nodes[here].node_type != ELEMENT:
                    break
                above[ElementId(f"{ordinal}-{index.nodes[here].backend_node_id}")] = here
        found: dict[ElementId, str] = {}
        for row in rows if above else ():
            if row.id in above and row.name and row.role in _NAMED_BY_TEXT:
                assert row.id is not None
                if written := self._written(self._indexes[row.frame], above[row.id], row):
                    found[row.id] = written
        return found

    def _written(self, index: SessionDomIndex, at: int, row: Row) -> str:
        """An element's text with keys and line breaks; "" where its name is not its text."""
        parts: list[str] = []
        for node in index.nodes[at + 1 : index.end_of(at)]:
            if node.local_name == "br":
                parts.append(BREAK if row.role in _BROKEN else " ")
            elif node.node_type == TEXT:
                text = clean_text(node.node_value)
                is_key = f"{row.frame}-{node.backend_node_id}" in self.keys
                parts.append(f" `{text}` " if is_key and text else node.node_value)
        written = clean_text("".join(parts)).removeprefix("/ ").removesuffix(" /")
        return written if _bare(written) == _bare(clean_text(row.name)) else ""

    def join(self, before: str, after: str, left: Row, right: Row) -> str:
        """Two pieces of a line as one; accessible names have no space around them.

        Args:
            before: what is written of the line so far.
            after: what is written of its next piece.
            left: the row of the piece before.
            right: of the next one.
        """
        space = space_between(before, after)
        if before and after and left.id is not None and right.id is not None:
            space = self._known_space(left, right, space, before[-1].isalnum() or before[-1] == "%")
        return f"{before}{space}{after}"

    def parts(self, left: Row, right: Row) -> bool:
        """Whether two neighbouring pieces belong to different cards, or the like."""
        between = self._between(left, right)
        if between is None or not (between.closed and between.opened):
            return False
        blocks = between.closed + between.opened
        return (
            between.closed >= _PARTED_BLOCKS
            or blocks >= 2 * _PARTED_BLOCKS
            or (blocks > _PARTED_BLOCKS and _are_alike(self._indexes[left.frame], *between.sides))
        )

    def _known_space(self, left: Row, right: Row, space: str, ends_word: bool) -> str:
        """What stands between two pieces; `space`, which is prose's, where the DOM says nothing else."""
        between = self._between(left, right)
        if right.id in self.after_break or (between is not None and (between.closed or between.opened)):
            return BREAK
        if left.id in self.keys and right.id in self.keys:
            return " "
        if space and right.role == "link":
            return space
        is_apart = self._are_apart(left, right)
        if is_apart or is_apart is None:
            return " " if is_apart else space
        if not ends_word or between is None or between.is_beside:
            return ""
        index = self._indexes[left.frame]
        return "" if _is_as_written(index, index.parents[between.sides[1]]) else space

    def _between(self, left: Row, right: Row) -> _Between | None:
        """What the DOM has between two pieces; None where it does not tell."""
        if left is self._left and right is self._right:
            return self._last_between
        index = self._indexes.get(left.frame)
        if index is None or left.frame != right.frame:
            return None
        # Lines are joined from left to right.
        here = self._there if left is self._right else _position(index, left)
        there = _position(index, right)
        self._left, self._right, self._here, self._there = left, right, here, there
        self._last_between = _compare(index, here, there) if 0 <= here < there else None
        return self._last_between

    def _are_apart(self, left: Row, right: Row) -> bool | None:
        """Whether two pieces have white space between them; None where the DOM does not tell."""
        if left.name[-1:].isspace() or right.name[:1].isspace():
            return True
        if self._between(left, right) is None or self._there > self._here + _MOST_BETWEEN:
            return None
        index = self._indexes[left.frame]
        if (end := index.end_of(self._here)) > self._there:
            return None
        is_apart = any(node.node_type == TEXT for node in index.nodes[end : self._there])
        return is_apart or _ends_in_space(index, end - 1, self._there)

    def gloss(self, row: Row) -> str:
        """What an abbreviation stands for ("" when asked again), or how a ``<ruby>`` is read."""
        if row.role == "Ruby":
            return clean_text(row.description)
        words = clean_text(row.name)
        if words in self._glossed:
            return ""
        self._glossed.add(words)
        return words


def space_between(before: str, after: str) -> str:
    """The space that prose has between two pieces."""
    close = not before or not after or before[-1] in "([{“‘«" or after[0] in ",.;:!?)]}”»"
    is_separator = after[:1] == "»" and "«" not in before  # "Home »"
    return "" if close and not is_separator else " "


def with_gloss(text: str, gloss: str) -> str:
    """A word, and what it stands for: ``WHO (World Health Organization)``."""
    return f"{text} ({gloss})" if gloss and gloss.casefold() != text.casefold() else text


def _bare(text: str) -> str:
    """The text without white space, and without what marks keys and line breaks."""
    return text.translate(_MARKS)


def _position(index: SessionDomIndex, row: Row) -> int:
    return -1 if row.id is None else index.position_of(row.id)


def _compare(index: SessionDomIndex, here: int, there: int) -> _Between:
    """What lies between two nodes, the second behind the first in document order."""
    nodes, parents, blocks = index.nodes, index.parents, BLOCK_TAGS
    closed = opened = 0
    # Nodes stand before what they hold: the first above the one that is not behind the other holds both.
    right = there
    while True:
        opened += nodes[right].local_name in blocks
        above = parents[right]
        if above <= here:
            break
        right = above
    left = here
    if above != here:
        while True:
            closed += nodes[left].local_name in blocks
            if parents[left] == above:
                break
            left = parents[left]
    is_beside = (left == here and nodes[here].node_type == TEXT) or (
        right == there and nodes[there].node_type == TEXT
    )
    return _Between(closed, opened, is_beside, (left, right))


def _are_alike(index: SessionDomIndex, here: int, there: int) -> bool:
    """Whether two elements have one tag and one class."""
    return index.nodes[here].local_name == index.nodes[there].local_name and (
        index.attribute(here, "class") == index.attribute(there, "class")
    )


def _is_as_written(index: SessionDomIndex, here: int) -> bool:
    """Whether an element is code or text to edit, or stands in some, as far as a few levels tell.

    Editors wrap each run of a line's letters in an element, wherever the format or the author changes.
    """
    for _ in range(_MOST_LEVELS):
        if here < 0 or index.nodes[here].node_type != ELEMENT:
            return False
        if index.nodes[here].local_name in _CODE_TAGS:
            return True
        if (editable := index.attribute(here, "contenteditable")) is not None:
            return editable.lower() != "false"
        here = index.parents[here]
    return False


def _ends_in_space(index: SessionDomIndex, last: int, first: int) -> bool:
    """Whether a piece whose last node is `last` ends in a space, or the next piece begins with one."""
    nodes = index.nodes
    if nodes[last].node_value[-1:].isspace():
        return True
    end = index.end_of(first)
    texts = (nodes[at].node_value for at in range(first, end) if nodes[at].node_type == TEXT)
    return next(texts, "")[:1].isspace()
