"""Which row of an older snapshot a row of a newer one is.

In the same document (same frame id, same loader id) a row is who its element id says. A row without an id is
the row without an id of the same role and name below the same parent; of several, in order. A page may also
draw a part of itself anew: what replaced it, below the same parent, is matched where its
subtree says the same throughout, in order; and where a group keeps its role, its name and its first or last
child.

In another document (the page, or a frame of it, has navigated) no id means what it meant. There rows are
matched by role, name and place, from the top down: below rows that are matched,

1. subtrees that are the same throughout, in order;
2. rows of the same role and name, in order;
3. rows of the same role and tag, in order: they have changed their names;

and in the end rows of a role and name that is left once on either side, wherever they stand: they have moved.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import TYPE_CHECKING, Literal, TypeAlias

from hybridsnap.render.select import parents_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from hybridsnap.model import Report, Row

#: How a frame's rows were matched.
MatchedBy: TypeAlias = Literal["identity", "role, name and place"]
IDENTITY: MatchedBy = "identity"
PLACE: MatchedBy = "role, name and place"
#: What is not looked for elsewhere: text and list markers are too much alike.
_BOUND_TO_PLACE = frozenset({"StaticText", "ListMarker"})


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


def label_of(tree: RowTree, at: int, now: Sequence[int] = ()) -> str:
    """A row's name; without one, the first name below it, where that is not far; "" where there is none.

    Args:
        tree: the row's.
        at: its number.
        now: for each row the same row of the other tree; rows below count where there is none.
    """
    while True:
        row = tree.rows[at]
        if row.name:
            return row.name
        below = (child for child in tree.children[at] if tree.rows[child].role != "ListMarker")
        first = next((child for child in below if not now or now[child] < 0), None)
        if first is None:
            return ""
        at = first


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


def match_rows(new: Sequence[Row], old: Sequence[Row], same: Mapping[int, int]) -> Matching:
    """Find each new row among the old ones.

    Args:
        new: the newer snapshot's rows.
        old: the older one's.
        same: as `same_documents` gives it.

    Cost: linear, but for the look-ups.
    """
    pairing = _Pairing(RowTree(new), RowTree(old), same)
    pairing.by_identity()
    pairing.compare_contents()
    pairing.from_the_top()
    pairing.anywhere()
    frames = {row.frame for row in new}
    matched_by = {ordinal: IDENTITY if ordinal in pairing.same_new else PLACE for ordinal in sorted(frames)}
    return Matching(pairing.new, pairing.old, pairing.old_of, pairing.new_of, matched_by)


class _Pairing:
    def __init__(self, new: RowTree, old: RowTree, same: Mapping[int, int]) -> None:
        self.new, self.old, self.same = new, old, same
        self.same_new = frozenset(same.values())
        self.old_of = [-1] * (len(new.rows) + 1)
        self.new_of = [-1] * (len(old.rows) + 1)
        self.open_pairs: list[tuple[int, int]] = [(-1, -1)]
        self.by_place = any(row.frame not in self.same_new for row in new.rows) and any(
            row.frame not in same for row in old.rows
        )
        self.new_shapes: list[int] = []
        self.old_shapes: list[int] = []

    def pair(self, new: int, old: int) -> None:
        self.old_of[new] = old
        self.new_of[old] = new
        if self.new.children[new] and self.old.children[old]:
            self.open_pairs.append((new, old))

    def by_identity(self) -> None:
        waiting: dict[tuple[int, str], collections.deque[int]] = {}
        for at, row in enumerate(self.old.rows):
            if row.id is not None and row.frame in self.same:
                key = (self.same[row.frame], row.id.partition("-")[2])
                waiting.setdefault(key, collections.deque()).append(at)
        for at, row in enumerate(self.new.rows):
            if row.id is not None and row.frame in self.same_new:
                # One id in two rows: no capture says so, but rows may.
                found = waiting.get((row.frame, row.id.partition("-")[2]))
                if found:
                    self.pair(at, found.popleft())

    def compare_contents(self) -> None:
        """Number the contents of all subtrees, where there is something to match by content."""
        both = (self.new, self.old_of), (self.old, self.new_of)
        replaced = all(
            any(at < 0 and row.id is not None for at, row in zip(matched, tree.rows, strict=False))
            for tree, matched in both
        )
        if self.by_place or replaced:
            shapes: dict[Hashable, int] = {}
            self.new_shapes = _shapes(self.new, shapes)
            self.old_shapes = _shapes(self.old, shapes)

    def from_the_top(self) -> None:
        """Match what stands below matched rows, and so on downwards."""
        steps = self._steps()
        while self.open_pairs:
            new, old = self.open_pairs.pop()
            mine = [at for at in self.new.children[new] if self.old_of[at] < 0]
            theirs = [at for at in self.old.children[old] if self.new_of[at] < 0]
            for new_key, old_key in steps:
                if not mine or not theirs:
                    break
                mine, theirs = self._in_order(mine, theirs, new_key, old_key)

    def _steps(self) -> list[tuple[Callable[[int], Hashable], Callable[[int], Hashable]]]:
        """What must agree, most first; None where a row takes no part."""
        new, old, same, same_new = self.new.rows, self.old.rows, self.same, self.same_new

        def nameless_new(at: int) -> Hashable:
            row = new[at]
            return (row.frame, row.role, row.name) if row.id is None and row.frame in same_new else None

        def nameless_old(at: int) -> Hashable:
            row = old[at]
            return (same[row.frame], row.role, row.name) if row.id is None and row.frame in same else None

        steps: list[tuple[Callable[[int], Hashable], Callable[[int], Hashable]]] = [
            (nameless_new, nameless_old)
        ]
        if self.new_shapes:
            frames = dict(zip(same_new, same_new, strict=True))
            steps += [
                (
                    functools.partial(content, self.new, self.new_shapes, frames),
                    functools.partial(content, self.old, self.old_shapes, same),
                )
                for content in (_whole, _with_first_child, _with_last_child)
            ]
        if self.by_place:
            free_new = [row.frame not in same_new for row in new]
            free_old = [row.frame not in same for row in old]
            steps += [
                (
                    lambda at: self.new_shapes[at] if free_new[at] else None,
                    lambda at: self.old_shapes[at] if free_old[at] else None,
                ),
                (
                    lambda at: (new[at].id is None, new[at].role, new[at].name) if free_new[at] else None,
                    lambda at: (old[at].id is None, old[at].role, old[at].name) if free_old[at] else None,
                ),
                (
                    lambda at: (new[at].id is None, new[at].role, new[at].tag) if free_new[at] else None,
                    lambda at: (old[at].id is None, old[at].role, old[at].tag) if free_old[at] else None,
                ),
            ]
        return steps

    def _in_order(
        self,
        mine: Sequence[int],
        theirs: Sequence[int],
        new_key: Callable[[int], Hashable],
        old_key: Callable[[int], Hashable],
    ) -> tuple[list[int], list[int]]:
        """Match rows of equal keys, the first with the first; what is left of either side."""
        waiting: dict[Hashable, collections.deque[int]] = {}
        for at in theirs:
            if (key := old_key(at)) is not None:
                waiting.setdefault(key, collections.deque()).append(at)
        left: list[int] = []
        for at in mine:
            key = new_key(at)
            found = waiting.get(key) if key is not None else None
            if found:
                self.pair(at, found.popleft())
            else:
                left.append(at)
        return left, [at for at in theirs if self.new_of[at] < 0]

    def anywhere(self) -> None:
        """Match what has one role and name, once on either side, in documents that are not the same."""
        if not self.by_place:
            return
        mine = self._once(self.new.rows, self.old_of, self.same_new)
        theirs = self._once(self.old.rows, self.new_of, frozenset(self.same))
        for key, at in mine.items():
            other = theirs.get(key, -1)
            if at >= 0 and other >= 0:
                self.pair(at, other)
        # Only now: what is matched must not hang on which side is read first.
        self.from_the_top()

    @staticmethod
    def _once(rows: Sequence[Row], matched: Sequence[int], same: frozenset[int]) -> dict[Hashable, int]:
        """Rows without a match by id or not, role and name; -1 where there are several."""
        found: dict[Hashable, int] = {}
        for at, row in enumerate(rows):
            if matched[at] < 0 and row.name and row.frame not in same and row.role not in _BOUND_TO_PLACE:
                key = (row.id is None, row.role, row.name)
                found[key] = -1 if key in found else at
        return found


def _whole(tree: RowTree, shapes: Sequence[int], frames: Mapping[int, int], at: int) -> Hashable:
    """All that a row of a document that stays says, with its subtree; None where it says nothing."""
    row = tree.rows[at]
    if row.id is None or row.frame not in frames or not label_of(tree, at):
        return None
    return frames[row.frame], shapes[at]


def _with_first_child(
    tree: RowTree, shapes: Sequence[int], frames: Mapping[int, int], at: int, number: int = 0
) -> Hashable:
    """A group's role and name, and the content of a child that says something."""
    row, children = tree.rows[at], tree.children[at]
    if row.id is None or row.frame not in frames or not children or not label_of(tree, children[number]):
        return None
    return frames[row.frame], row.role, row.name, row.tag, shapes[children[number]]


_with_last_child = functools.partial(_with_first_child, number=-1)


def _shapes(tree: RowTree, shapes: dict[Hashable, int]) -> list[int]:
    """For each row a number that stands for all that its subtree says."""
    numbers = [0] * len(tree.rows)
    for at in range(len(tree.rows) - 1, -1, -1):
        row = tree.rows[at]
        below = tuple(numbers[child] for child in tree.children[at])
        told = (row.id is None, row.role, row.name, row.description, row.value, row.states, row.tag, below)
        numbers[at] = shapes.setdefault(told, len(shapes))
    return numbers
