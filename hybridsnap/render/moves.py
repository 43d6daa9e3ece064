"""Which rows of a diff count as moved, and the words that say where they stand now."""

from __future__ import annotations

import bisect
import itertools
import json
from typing import TYPE_CHECKING

from hybridsnap.capture.roles import STRUCTURAL_ROLES
from hybridsnap.render.match import name_at_or_below
from hybridsnap.text import clean_text, cut_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.model import Row
    from hybridsnap.render.differences import Changed, Differences, DiffPosition
    from hybridsnap.render.match import Matching, RowTree

#: A neighbour's name is cut at this length: it only says where a row stands.
_LABEL_CHARACTERS = 40
#: So many siblings on either side are looked at for one that is not text.
_NEIGHBOURS = 5


def is_wrapper(row: Row) -> bool:
    """Whether a row only groups."""
    return row.role in STRUCTURAL_ROLES and not (row.name or row.states or row.description or row.value)


def is_page(row: Row) -> bool:
    """Whether a row is a document's ``html``, which is there when the page scrolls and says no more."""
    return row.tag == "html" and row.role in STRUCTURAL_ROLES and not row.name


def rewrapped(diff: Differences) -> set[int]:
    """New rows that have another parent only because rows around them came or went.

    The nearest row above that stays and is not a wrapper is the same as before, and the order of what it
    holds is the same too.

    Cost: linear, and n log n where the order changed.
    """
    matching = diff.matching
    moved = {change.at: change for change in diff.changed if change.moved is not None}
    candidates = {
        at
        for at, change in moved.items()
        if change.moved is not None and not same_row(matching, change.moved[0].parent, change.moved[1].parent)
    }
    if not candidates:
        return set()
    new_above = _holders(matching.new, matching.old_of)
    old_above = _holders(matching.old, matching.new_of)
    candidates = {at for at in candidates if same_row(matching, old_above[moved[at].was_at], new_above[at])}
    really_moved = moved.keys() - candidates
    # Rows below one that really moved went with it: their order says nothing.
    carried = [False] * (len(matching.new.rows) + 1)
    held: dict[int, list[int]] = {}
    for at, parent in enumerate(matching.new.parents):
        carried[at] = at in really_moved or (carried[parent] and at not in candidates)
        was_at = matching.old_of[at]
        if was_at >= 0 and not carried[at] and same_row(matching, old_above[was_at], new_above[at]):
            held.setdefault(new_above[at], []).append(was_at)
    for order in held.values():
        if any(one > other for one, other in itertools.pairwise(order)):
            kept = longest_increasing(order)
            candidates.difference_update(matching.new_of[was_at] for was_at in order if was_at not in kept)
    return candidates


def same_row(matching: Matching, old: int, new: int) -> bool:
    """Whether an old and a new row are one; -1 stands for the top."""
    return old == new if old < 0 or new < 0 else matching.old_of[new] == old


def _holders(tree: RowTree, matched: Sequence[int]) -> list[int]:
    """For each row the nearest one above it that stays and is not a wrapper; -1 at the top."""
    above = [-1] * (len(tree.rows) + 1)
    for at, parent in enumerate(tree.parents):
        passes = parent >= 0 and (matched[parent] < 0 or is_wrapper(tree.rows[parent]))
        above[at] = above[parent] if passes else parent
    return above


def longest_increasing(numbers: Sequence[int]) -> set[int]:
    """One of the longest increasing subsequences of numbers that are all different.

    Cost: n log n (patience sorting).
    """
    tops: list[int] = []
    at_top: list[int] = []
    before: list[int] = []
    for at, number in enumerate(numbers):
        pile = bisect.bisect_left(tops, number)
        before.append(at_top[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(number)
            at_top.append(at)
        else:
            tops[pile] = number
            at_top[pile] = at
    kept: set[int] = set()
    at = at_top[-1] if at_top else -1
    while at >= 0:
        kept.add(numbers[at])
        at = before[at]
    return kept


def moved_note(matching: Matching, change: Changed) -> str:
    """Where a row went: ``moved before [0-60] "Ann"``."""
    assert change.moved is not None
    was, now = change.moved
    start = "moved"
    if not same_row(matching, was.parent, now.parent):
        start = f"moved from below [{was.parent_id}]" if was.parent_id is not None else "moved from elsewhere"
    place = place_note(matching.new, change.at, now)
    word, _, beside = place.partition(" ")
    if was.parent_id is not None and beside.startswith(f"[{was.parent_id}] "):
        return f"moved out of {beside}, {word} it"
    return f"{start} {place}" if place else f"{start} among its siblings" if start == "moved" else start


def place_note(tree: RowTree, at: int, place: DiffPosition) -> str:
    """The sibling that a row stands before, or behind when it is the last; "" when it has none."""
    siblings = tree.children[place.parent]
    assert siblings[place.index] == at
    for word, neighbours in (
        ("before", siblings[place.index + 1 : place.index + _NEIGHBOURS]),
        ("behind", siblings[max(place.index - _NEIGHBOURS, 0) : place.index][::-1]),
    ):
        for neighbour in neighbours:
            if not is_text_or_marker(tree, neighbour):
                return f"{word} {named(tree, neighbour)}"
    return ""


def is_text_or_marker(tree: RowTree, at: int) -> bool:
    """Whether a row is a piece of its parent's text."""
    return tree.rows[at].role in ("StaticText", "ListMarker") and not tree.children[at]


def named(tree: RowTree, at: int) -> str:
    """A neighbour in a note: ``[0-60] "Ann"``; without a name, its role."""
    row = tree.rows[at]
    label = name_at_or_below(tree, at)
    words = quote(label, _LABEL_CHARACTERS) if label else clean_text(row.role)
    return words if row.id is None else f"[{row.id}] {words}"


def quote(text: str, most: int | None = None) -> str:
    """Page text in a note: a JSON string, cut where `most` says."""
    return json.dumps(cut_text(clean_text(text), most) if most else clean_text(text), ensure_ascii=False)
