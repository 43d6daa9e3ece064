"""Which row of an older snapshot a row of a newer one is.

In the same document (same frame id, same loader id) a row is who its element id says. A row without an id is
the row without an id of the same role and name below the same parent; of several, in order. A page may also
draw a part of itself anew: what replaced it, below the same parent, is matched where its subtree says the
same throughout, in order; and where a group keeps its role, its name and its first, last or second child, if
no group beside it has such a child: what stands in every row tells no row from another. What is only hidden
now, or was, is not matched so: with a DOM it is known to be another element.

In another document (the page, or a frame of it, has navigated) no id means what it meant. There rows are
matched by role, name and place, from the top down: below rows that are matched,

1. subtrees that are the same throughout, in order;
2. rows of the same role and name, in order;
3. groups of the same role and tag, in order: they have changed their names. A text, a link, a control or a
   label of another name is another one;

and in the end rows of a role and name that is left once on either side, wherever they stand: they have moved.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import TYPE_CHECKING, Literal, TypeAlias

from hybridsnap.capture.roles import INTERACTIVE_ROLES, STRUCTURAL_ROLES
from hybridsnap.render.select import parents_of
from hybridsnap.render.table_headers import CELLS
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from hybridsnap.model import Report, Row

#: How a frame's rows were matched.
MatchedBy: TypeAlias = Literal["identity", "role, name and place"]
IDENTITY: MatchedBy = "identity"
PLACE: MatchedBy = "role, name and place"
#: What is not looked for elsewhere: text and list markers are too much alike.
_BOUND_TO_PLACE = frozenset({"StaticText", "ListMarker"})
#: What chooses the row of a table that it stands in.
_CHOOSING = frozenset({"checkbox", "radio"})
#: What is called by the text below it.
_LABEL = "LabelText"
#: What such a box may stand in.
_LABELS = STRUCTURAL_ROLES | {_LABEL}


class RowTree:
    """Rows with what stands below each.

    Attributes:
        parents: for each row the number of the row it stands below; -1 at the top.
        children: for each row the rows one level below; of -1, which is the last entry, the topmost.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.parents: list[int] = parents_of(rows)
        self.children: list[list[int]] = [[] for _ in range(len(rows) + 1)]
        for at, parent in enumerate(self.parents):
            self.children[parent].append(at)

    def below(self, at: int) -> list[int]:
        """All rows that stand below a row, in their order."""
        found: list[int] = []
        open_rows = self.children[at][::-1]
        while open_rows:
            found.append(open_rows.pop())
            open_rows.extend(reversed(self.children[found[-1]]))
        return found


def name_at_or_below(tree: RowTree, at: int, now: Sequence[int] = ()) -> str:
    """A row's name; without one, the first name below it, where that is not far; "" where there is none.

    Of a table's row that is the text of a cell rather than the name of the box that chooses the row.

    Args:
        tree: the row's.
        at: its number.
        now: for each row the same row of the other tree; rows below count where there is none.
    """
    while True:
        row = tree.rows[at]
        if clean_text(row.name):
            return row.name
        children = (child for child in tree.children[at] if not _says_nothing(tree, child))
        below = (child for child in children if not now or now[child] < 0)
        first = next(below, None)
        if first is None:
            return ""
        at = next(below, first) if _chooses(tree, first) else first


def _says_nothing(tree: RowTree, at: int) -> bool:
    """Whether a row is a list marker, or text of which no line shows anything, as that of an icon font."""
    row = tree.rows[at]
    is_blank = row.name and not tree.children[at] and not clean_text(row.name)
    return row.role == "ListMarker" or bool(is_blank)


def _chooses(tree: RowTree, at: int) -> bool:
    """Whether a row is a cell that holds a box to be ticked, in a label or alone."""
    if tree.rows[at].role not in CELLS:
        return False
    inner = tree.children[at]
    while len(inner) == 1 and tree.rows[inner[0]].role in _LABELS:
        inner = tree.children[inner[0]]
    return bool(inner) and tree.rows[inner[0]].role in _CHOOSING


@dataclasses.dataclass(frozen=True, slots=True)
class Matching:
    """Two row trees, and which rows are the same.

    Attributes:
        new: the newer.
        old: the older.
        old_of: for each new row the old one, -1 where there is none; the last entry is -1's own.
        new_of: the reverse.
        matched_by: frame ordinal (of the newer snapshot) → how its rows were matched.
    """

    new: RowTree
    old: RowTree
    old_of: list[int]
    new_of: list[int]
    matched_by: Mapping[int, MatchedBy]


def same_documents(new: Report, old: Report) -> dict[int, int]:
    """The frames that hold the same document in both: the older report's ordinal → the newer one's."""
    known = {frame.frame_id: frame for frame in new.frames}
    same: dict[int, int] = {}
    for frame in old.frames:
        now = known.get(frame.frame_id)
        # A frame whose loader is not known may hold anything.
        if now is not None and now.loader_id and now.loader_id == frame.loader_id:
            same[frame.ordinal] = now.ordinal
    return same


def _is_unknown(_: Row) -> bool:
    """Of rows alone nothing tells."""
    return False


def match_rows(
    new: Sequence[Row],
    old: Sequence[Row],
    same: Mapping[int, int],
    stays: tuple[Callable[[Row], bool], Callable[[Row], bool]] = (_is_unknown, _is_unknown),
) -> Matching:
    """Find each new row among the old ones.

    Args:
        new: the newer snapshot's rows.
        old: the older one's.
        same: as `same_documents` gives it.
        stays: whether the element of a new row was in the older document; of an old row, whether it still is
            in the newer one.

    Cost: linear, but for the look-ups.
    """
    mine = _Side(RowTree(new), {ordinal: ordinal for ordinal in same.values()}, stays[0])
    theirs = _Side(RowTree(old), same, stays[1])
    pairing = _Pairing(mine, theirs)
    pairing.by_identity()
    pairing.compare_contents()
    pairing.from_the_top()
    pairing.anywhere()
    frames = sorted({row.frame for row in new})
    matched_by = {ordinal: IDENTITY if ordinal in mine.frames else PLACE for ordinal in frames}
    return Matching(mine.tree, theirs.tree, mine.match_of, theirs.match_of, matched_by)


class _Side:
    """One of the two snapshots.

    Attributes:
        tree: its rows.
        frames: ordinal of a frame whose document is in both snapshots → the newer one's ordinal.
        match_of: for each row that of the other side, -1 while there is none.
        shapes: for each row a number that stands for all that its subtree says; empty where none is needed.
        telling: for each row whether no other in the groups beside its own says the same; empty likewise.
        has_others: rows of other documents.
        stays: whether a row's element is in the document of the other side, too: hidden there, it was not
            drawn anew.
    """

    def __init__(self, tree: RowTree, frames: Mapping[int, int], stays: Callable[[Row], bool]) -> None:
        self.tree, self.frames, self.stays = tree, frames, stays
        self.match_of = [-1] * (len(tree.rows) + 1)
        self.shapes: list[int] = []
        self.telling: list[bool] = []
        self.has_others = any(row.frame not in frames for row in tree.rows)

    # What must agree, of rows of documents that stay, then of others; None where a row takes no part.

    def nameless(self, at: int) -> Hashable:
        row = self.tree.rows[at]
        if row.id is not None or row.frame not in self.frames:
            return None
        return self.frames[row.frame], row.role, row.name

    def whole(self, at: int) -> Hashable:
        """All that a row says, with its subtree, where it says something."""
        row = self.tree.rows[at]
        if row.id is None or row.frame not in self.frames or self.stays(row):
            return None
        says = bool(name_at_or_below(self.tree, at))
        if not (says or row.hint):  # a button of an icon says it by its hint
            return None
        return self.frames[row.frame], self.shapes[at], "" if says else row.hint

    def with_child(self, at: int, number: int) -> Hashable:
        """A group's role and name, and the content of a child that says something of this group alone."""
        row, children = self.tree.rows[at], self.tree.children[at]
        if row.id is None or row.frame not in self.frames or len(children) <= max(number, 0):
            return None
        if self.stays(row):
            return None
        child = children[number]
        if not self.telling[child] or not name_at_or_below(self.tree, child):
            return None
        return self.frames[row.frame], row.role, row.name, row.tag, self.shapes[child]

    def shape(self, at: int) -> Hashable:
        return None if self.tree.rows[at].frame in self.frames else self.shapes[at]

    def role_and_name(self, at: int) -> Hashable:
        row = self.tree.rows[at]
        name = name_at_or_below(self.tree, at) if row.role == _LABEL else row.name
        return None if row.frame in self.frames else (row.id is None, row.role, name)

    def role_and_tag(self, at: int) -> Hashable:
        row = self.tree.rows[at]
        is_its_name = row.role in INTERACTIVE_ROLES or row.role == _LABEL or not self.tree.children[at]
        if row.frame in self.frames or is_its_name:  # under another name it is another one
            return None
        return row.id is None, row.role, row.tag

    def once(self) -> dict[Hashable, int]:
        """Rows of other documents without a match by id or not, role and name; -1 where there are several."""
        found: dict[Hashable, int] = {}
        for at, row in enumerate(self.tree.rows):
            if self.match_of[at] < 0 and row.name and row.role not in _BOUND_TO_PLACE:
                key = self.role_and_name(at)
                if key is not None:
                    found[key] = -1 if key in found else at
        return found


class _Pairing:
    def __init__(self, new: _Side, old: _Side) -> None:
        self.new, self.old = new, old
        self.open_pairs: list[tuple[int, int]] = [(-1, -1)]
        self.by_place = new.has_others and old.has_others

    def pair(self, new: int, old: int) -> None:
        self.new.match_of[new] = old
        self.old.match_of[old] = new
        if self.new.tree.children[new] and self.old.tree.children[old]:
            self.open_pairs.append((new, old))

    def by_identity(self) -> None:
        waiting: dict[tuple[int, str], collections.deque[int]] = {}
        for at, row in enumerate(self.old.tree.rows):
            if row.id is not None and row.frame in self.old.frames:
                key = (self.old.frames[row.frame], row.id.partition("-")[2])
                waiting.setdefault(key, collections.deque()).append(at)
        for at, row in enumerate(self.new.tree.rows):
            if row.id is not None and row.frame in self.new.frames:
                # One id in two rows: no capture says so, but rows may.
                found = waiting.get((row.frame, row.id.partition("-")[2]))
                if found:
                    self.pair(at, found.popleft())

    def compare_contents(self) -> None:
        """Number the contents of all subtrees, where there is something to match by content."""
        sides = self.new, self.old
        replaced = all(
            any(at < 0 and row.id is not None for at, row in zip(one.match_of, one.tree.rows, strict=False))
            for one in sides
        )
        if self.by_place or replaced:
            shapes: dict[Hashable, int] = {}
            for one in sides:
                one.shapes = _shapes(one.tree, shapes)
                one.telling = _telling(one.tree, one.shapes)

    def from_the_top(self) -> None:
        """Match what stands below matched rows, and so on downwards."""
        steps: list[Callable[[_Side, int], Hashable]] = [_Side.nameless]
        if self.new.shapes:
            # The first child, the last, the second.
            steps += [_Side.whole, *(functools.partial(_Side.with_child, number=n) for n in (0, -1, 1))]
        if self.by_place:
            steps += [_Side.shape, _Side.role_and_name, _Side.role_and_tag]
        while self.open_pairs:
            new, old = self.open_pairs.pop()
            mine = [at for at in self.new.tree.children[new] if self.new.match_of[at] < 0]
            theirs = [at for at in self.old.tree.children[old] if self.old.match_of[at] < 0]
            for key_of in steps:
                if not mine or not theirs:
                    break
                mine, theirs = self._in_order(mine, theirs, key_of)

    def _in_order(
        self, mine: Sequence[int], theirs: Sequence[int], key_of: Callable[[_Side, int], Hashable]
    ) -> tuple[list[int], list[int]]:
        """Match rows of equal keys, the first with the first; what is left of either side."""
        waiting: dict[Hashable, collections.deque[int]] = {}
        for at in theirs:
            if (key := key_of(self.old, at)) is not None:
                waiting.setdefault(key, collections.deque()).append(at)
        left: list[int] = []
        for at in mine:
            key = key_of(self.new, at)
            found = waiting.get(key) if key is not None else None
            if found:
                self.pair(at, found.popleft())
            else:
                left.append(at)
        return left, [at for at in theirs if self.old.match_of[at] < 0]

    def anywhere(self) -> None:
        """Match what has one role and name, once on either side, in documents that are not the same."""
        if not self.by_place:
            return
        theirs = self.old.once()
        for key, at in self.new.once().items():
            other = theirs.get(key, -1)
            if at >= 0 and other >= 0:
                self.pair(at, other)
        # Only now: what is matched must not hang on which side is read first.
        self.from_the_top()


def _shapes(tree: RowTree, shapes: dict[Hashable, int]) -> list[int]:
    """For each row a number that stands for all that its subtree says."""
    numbers = [0] * len(tree.rows)
    for at in range(len(tree.rows) - 1, -1, -1):
        row = tree.rows[at]
        below = tuple(numbers[child] for child in tree.children[at])
        told = (row.id is None, row.role, row.name, row.description, row.value, row.states, row.tag, below)
        numbers[at] = shapes.setdefault(told, len(shapes))
    return numbers


def _telling(tree: RowTree, shapes: Sequence[int]) -> list[bool]:
    """For each row whether no other in the groups beside its own says the same."""
    places = [
        (tree.parents[parent] if parent >= 0 else -1, shapes[at]) for at, parent in enumerate(tree.parents)
    ]
    counted = collections.Counter(places)
    return [counted[place] == 1 for place in places]
