"""Rows that are gone: which of them have a line of their own in a diff, and where it stands.

A modal dialog takes the page behind it out of the accessibility tree, and gives it back when it is closed:
one line each.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, TypeAlias

from hybridsnap.model import BackendNodeId
from hybridsnap.render.dom import find_documents
from hybridsnap.render.select import ends_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from collections.abc import Set as AbstractSet

    from hybridsnap.capture.reading import Capture
    from hybridsnap.render.match import Matching, RowTree

#: Where a line of the diff is sorted to.
SortKey: TypeAlias = tuple[int, int, int, int]


def find_gone(matching: Matching, removed: AbstractSet[int]) -> dict[int, int]:
    """Old row that is gone, from below one that is not → that one's number now, -1 at the top."""
    old, new_of = matching.old, matching.new_of
    found: dict[int, int] = {}
    for at in removed:
        parent = old.parents[at]
        while parent >= 0 and new_of[parent] < 0 and parent not in removed:
            parent = old.parents[parent]  # what is gone there is not told
        if parent < 0 or new_of[parent] >= 0:
            found[at] = new_of[parent] if parent >= 0 else -1
    return found


def count_below(shown: Collection[int], tree: RowTree) -> collections.Counter[int]:
    """For each row how many of these rows stand below it."""
    counted: collections.Counter[int] = collections.Counter()
    for at in sorted(shown, reverse=True):
        counted[tree.parents[at]] += counted[at] + 1
    return counted


def sort_keys(matching: Matching, gone: Mapping[int, int], moved: AbstractSet[int]) -> dict[int, SortKey]:
    """Where the lines of gone rows stand: each behind the sibling that it followed.

    Args:
        matching: of both snapshots.
        gone: as `find_gone` gives it.
        moved: the new rows that have moved.
    """
    new, old, new_of = matching.new, matching.old, matching.new_of
    ends = ends_of(new.parents)
    before: dict[int, int] = {}
    for parent, parent_now in {old.parents[at]: parent_now for at, parent_now in gone.items()}.items():
        place = parent_now + 1
        for child in old.children[parent]:
            child_now = new_of[child]
            if child_now < 0:
                before[child] = place
            elif new.parents[child_now] == parent_now and child_now not in moved:
                place = ends[child_now]
    keys: dict[int, SortKey] = {}
    for at, parent_now in gone.items():
        depth = new.rows[parent_now].depth if parent_now >= 0 else -1
        keys[at] = (before[at], 0, -depth, at)
    return keys


def behind_dialogs(
    matching: Matching, added: Collection[int], gone: Mapping[int, int]
) -> tuple[dict[int, int], set[int]]:
    """What the accessibility tree lost because a modal dialog has opened.

    Returns:
        Of each such frame the first gone row → how many are gone with it; and all gone rows that the lines
        for these stand for.
    """
    rows = matching.new.rows
    modal = {rows[at].frame for at in added if rows[at].tag == "dialog" and "modal" in rows[at].states}
    below = count_below([at for at, now in enumerate(matching.new_of[:-1]) if now < 0], matching.old)
    counted: dict[int, int] = {}
    told: set[int] = set()
    for frame in modal:
        tops = sorted(at for at, parent in gone.items() if parent >= 0 and rows[parent].frame == frame)
        if len(tops) > 1:
            counted[tops[0]] = sum(below[at] + 1 for at in tops)
            told.update(tops)
    return counted, told


def find_uncovered(matching: Matching, old: Capture | None, same: Mapping[int, int]) -> frozenset[int]:
    """The new rows whose elements were there before, behind a modal dialog that is closed now.

    Args:
        matching: of both snapshots.
        old: the older one's; without it, as in a snapshot from JSON, nothing is known of them.
        same: frames with the same document, the older ordinal → the newer one.
    """
    rows, new = matching.old.rows, matching.new
    closed = {
        rows[at].frame
        for at, now in enumerate(matching.new_of[:-1])
        if now < 0 and rows[at].tag == "dialog" and "modal" in rows[at].states
    }
    found: set[int] = set()
    for ordinal, (_, index, document) in find_documents(old).items() if closed else ():
        if ordinal not in closed or ordinal not in same:
            continue
        for at, row in enumerate(new.rows):
            if matching.old_of[at] >= 0 or row.frame != same[ordinal]:
                continue
            if row.id is None:
                known = new.parents[at] in found
            else:
                here = index.position.get(BackendNodeId(int(row.id.partition("-")[2])), -1)
                known = here >= 0 and index.documents[here] == document
            if known:
                found.add(at)
    return frozenset(found)


def count_uncovered(matching: Matching, uncovered: AbstractSet[int]) -> dict[int, int]:
    """The first of these rows in each frame → how many there are."""
    counted: dict[int, list[int]] = {}
    for at in sorted(uncovered):
        counted.setdefault(matching.new.rows[at].frame, []).append(at)
    return {rows[0]: len(rows) for rows in counted.values()}
