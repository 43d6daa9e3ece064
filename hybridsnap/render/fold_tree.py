"""A sketch as a tree: who stands below whom, which siblings are alike, and what matters most."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import TYPE_CHECKING

from hybridsnap.errors import UnknownElement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.render.lines import Line, Sketch

#: The longest sequence of kinds that counts as one record, as ``term, definition`` does.
_LONGEST_RECORD = 4
#: Runs of like siblings in one gap before they are gathered by kind instead.
_MOST_RUNS = 4
#: Weights of a rank; `hybridsnap.render.fold` says which order they make.
_ALIKE, _REPEATS, _DEEP, _OFFSCREEN, _INERT = 16, 8, 4, 2, 1
#: The rank of what is printed only in an expansion.
_NEVER = 1 << 30


class FoldTree:
    """A sketch as a tree, with ranks.

    Args:
        sketch: the lines.
        keys: what names each line in a fold's id, when the sketch is a part of another.
    """

    def __init__(self, sketch: Sketch, keys: Sequence[str] | None = None) -> None:
        self.lines: Sequence[Line] = sketch.lines
        self.sketch = sketch
        self._keys = keys
        count = len(self.lines)
        self.parents: list[int] = [-1] * count
        #: For each line where its subtree ends, exclusive.
        self.ends: list[int] = [count] * count
        open_lines: list[int] = []
        for at, line in enumerate(self.lines):
            while open_lines and self.lines[open_lines[-1]].depth >= line.depth:
                self.ends[open_lines.pop()] = at
            if open_lines:
                self.parents[at] = open_lines[-1]
            open_lines.append(at)
        #: How many lines before each are interactive.
        self.interactive_before: list[int] = list(
            itertools.accumulate((line.interactive for line in self.lines), initial=0)
        )

    def children(self, parent: int) -> Iterator[int]:
        """The lines one level below; -1 for the topmost."""
        at = parent + 1
        end = len(self.lines) if parent < 0 else self.ends[parent]
        while at < end:
            yield at
            at = self.ends[at]

    def interactive_within(self, members: Sequence[int]) -> int:
        """Interactive lines in these subtrees."""
        before = self.interactive_before
        return sum(before[self.ends[at]] - before[at] for at in members)

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
    def places(self) -> list[int]:
        """For each line its place among the like siblings it stands in a row with."""
        places = [0] * len(self.lines)
        for parent in range(-1, len(self.lines)):
            if parent >= 0 and self.ends[parent] == parent + 1:
                continue
            for group in runs_of(self, list(self.children(parent))):
                for number, at in enumerate(group.members):
                    places[at] = number // group.record
        return places

    @functools.cached_property
    def order(self) -> list[int]:
        """Line numbers, the most important first; no line before the one it stands below."""
        lines, parents = self.lines, self.parents
        alike: list[int] = []
        ranks: list[int] = []
        for at, (line, parent) in enumerate(zip(lines, parents, strict=True)):
            alike.append((alike[parent] if parent >= 0 else 0) + self.places[at].bit_length())
            if line.kept:
                rank = -2
            elif line.folded or (parent >= 0 and ranks[parent] == _NEVER):
                rank = _NEVER
            elif line.interactive and line.in_view:
                rank = -1
            else:
                rank = alike[at] * _ALIKE + line.repeats * _REPEATS + (line.in_view is False) * _OFFSCREEN
                if not line.interactive:
                    inert = self.interactive_before[self.ends[at]] == self.interactive_before[at]
                    rank += _INERT + inert * _DEEP
            ranks.append(rank)
        for at in range(len(lines) - 1, -1, -1):
            parent = parents[at]
            if parent >= 0 and ranks[at] < ranks[parent]:
                ranks[parent] = ranks[at]
        return sorted(range(len(lines)), key=ranks.__getitem__)


@dataclasses.dataclass(slots=True)
class Group:
    """Like siblings that share a fold: `record` kinds again and again."""

    members: list[int]
    record: int = 1


def runs_of(tree: FoldTree, siblings: Sequence[int]) -> list[Group]:
    """Siblings in a row, cut into rows of like ones."""
    kinds = [tree.lines[at].kind for at in siblings]
    groups: list[Group] = []
    at = 0
    while at < len(kinds):
        best, record = 1, 1
        for length in range(1, _LONGEST_RECORD + 1):
            pattern = kinds[at : at + length]
            if len(set(pattern)) < length:
                break
            until = at + length
            while kinds[until : until + length] == pattern:
                until += length
            repeated = until - at
            if (length == 1 or repeated > length) and repeated > best:
                best, record = repeated, length
        groups.append(Group(list(siblings[at : at + best]), record))
        at += best
    return groups


def gather(tree: FoldTree, hidden: Sequence[int]) -> list[Group]:
    """Folds for a gap between two printed siblings: runs, or one for each kind where those are too many."""
    runs = runs_of(tree, hidden)
    if len(runs) <= _MOST_RUNS:
        return runs
    by_kind: dict[str, list[int]] = {}
    for at in hidden:
        by_kind.setdefault(tree.lines[at].kind, []).append(at)
    return [Group(members) for members in by_kind.values()]
