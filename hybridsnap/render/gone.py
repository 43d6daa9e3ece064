"""Rows that are gone: which of them have a line of their own in a diff, and where it stands.

A modal takes the page behind it out of the accessibility tree, and gives it back when it is closed: one line
each (`hybridsnap.render.modals`). Changes behind it have lines of their own when it is closed, and so has
what a page may have begun to display there meanwhile: a message that it hides until something is saved.
"""

from __future__ import annotations

import bisect
import collections
import re
from typing import TYPE_CHECKING, TypeAlias

from hybridsnap.capture.ax_node import VALUE_CHARACTERS
from hybridsnap.capture.dom import UNREAD_TAGS, attribute_of
from hybridsnap.capture.xpath import ELEMENT, TEXT
from hybridsnap.render.differences import Behind
from hybridsnap.render.dom import find_documents
from hybridsnap.render.modals import find_modals
from hybridsnap.render.moves import is_wrapper
from hybridsnap.render.select import ends_of
from hybridsnap.text import clean_text, cut_alike, squeeze

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import ElementId, Row
    from hybridsnap.protocol.replies import DOMNode
    from hybridsnap.render.match import Matching, RowTree
    from hybridsnap.render.modals import Modal

#: By another value of these a style sheet may display what it did not.
_SHOWING = ("class", "open")
#: Of a style attribute: what it is on is not displayed.
_HIDING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
#: Rows whose class changed behind a modal may have become visible: at most so many are listed. A page that
#: changes the class of more rows usually dims all that is behind the modal.
_MOST_RESTYLED = 25
#: So many siblings that are gone have a line each in any case: a page of a table has ten rows.
_MOST_GONE_ALONE = 10
#: Where a line of the diff is sorted to.
SortKey: TypeAlias = tuple[int, int, int, int]
#: Attributes that a row prints, beside those of ARIA.
_TOLD = frozenset(
    {"alt", "checked", "disabled", "href", "open", "placeholder", "selected", "src", "title", "value"}
)
#: Of ARIA's those by which something is hidden, or that name other elements.
_UNTOLD = frozenset(
    f"aria-{name}" for name in ("hidden", "activedescendant", "controls", "describedby", "labelledby", "owns")
)


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


def find_many_gone(matching: Matching, gone: Mapping[int, int]) -> dict[int, list[int]]:
    """The first of many siblings of one role that are gone → all of them, where fewer stand now than went.

    A list that is filtered, or an editor that is emptied: what is there now says more than each that went.
    """
    groups: dict[tuple[int, int, str], list[int]] = {}
    for at, parent_now in sorted(gone.items()):
        key = parent_now, matching.old.parents[at], matching.old.rows[at].role
        groups.setdefault(key, []).append(at)
    left: collections.Counter[tuple[int, str]] = collections.Counter()
    for parent_now in {key[0] for key, rows in groups.items() if len(rows) > _MOST_GONE_ALONE}:
        left.update((parent_now, matching.new.rows[at].role) for at in matching.new.children[parent_now])
    return {
        rows[0]: rows
        for (parent_now, _, role), rows in groups.items()
        if len(rows) > _MOST_GONE_ALONE and left[parent_now, role] < len(rows)
    }


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


def find_covered(matching: Matching, new: Capture | None, same: Mapping[int, int]) -> tuple[Behind, ...]:
    """The old rows whose elements are behind a modal now.

    Args:
        matching: of both snapshots.
        new: the newer one's; without it, as in a snapshot from JSON, nothing is known of them.
        same: frames with the same document, the older ordinal → the newer one.
    """
    old, found = matching.old, list[Behind]()
    for ordinal, modal in find_modals(matching.new.rows, new).items():
        gone = (
            at
            for at, row in enumerate(old.rows)
            if matching.new_of[at] < 0 and same.get(row.frame) == ordinal
        )
        if rows := _hidden_by(modal, gone, old):
            found.append(Behind(modal.word, rows))
    return tuple(found)


def find_uncovered(
    matching: Matching, old: Capture | None, new: Capture | None, same: Mapping[int, int]
) -> tuple[Behind, ...]:
    """The new rows whose elements were there before, behind a modal, and are as they were.

    Args:
        matching: of both snapshots.
        old: the older one's; without it, as in a snapshot from JSON, nothing is known of them.
        new: the newer one's, which tells what changed meanwhile.
        same: frames with the same document, the older ordinal → the newer one.
    """
    tree, found = matching.new, list[Behind]()
    documents = find_documents(new)
    for ordinal, modal in find_modals(matching.old.rows, old).items():
        if same.get(ordinal) not in documents:
            continue
        now = documents[same[ordinal]]
        changed = _changed_rows(tree.rows, modal.index, now.dom, now.position)
        came = [
            at
            for at, row in enumerate(tree.rows)
            if matching.old_of[at] < 0 and row.frame == same[ordinal] and at not in changed
        ]
        hidden, restyled = _shown_rows(came, tree.rows, modal, now.dom, now.position)
        came = [at for at in came if at not in hidden and at not in restyled]
        stayed = ((at, tree.rows[at].id) for at in (changed | restyled) - hidden if at >= 0)
        before = {
            at: _text_before(id_, modal.index, now.dom)
            for at, id_ in stayed
            if id_ is not None and matching.old_of[at] < 0 and modal.hides(id_)
        }
        if (rows := _hidden_by(modal, came, tree)) or before:
            found.append(Behind(modal.word, rows, tuple(_lost(modal, now.dom)), before))
    return tuple(found)


def _hidden_by(modal: Modal, numbers: Iterable[int], tree: RowTree) -> frozenset[int]:
    """Those of some rows that the modal hides, and wrappers around them.

    A row without an id goes with the one it is in.
    """
    found: set[int] = set()
    for at in numbers:
        row = tree.rows[at]
        if row.id is None:
            is_hidden = tree.parents[at] in found
        else:
            is_hidden = modal.hides(row.id) or (is_wrapper(row) and modal.holds_hidden(row.id))
        if is_hidden:
            found.add(at)
    return frozenset(found)


def _changed_rows(rows: Sequence[Row], old: SessionDomIndex, new: SessionDomIndex, document: int) -> set[int]:
    """The rows in which a text, or an attribute that rows print, has changed."""
    row_at = {new.position_of(row.id): at for at, row in enumerate(rows) if row.id is not None}
    changed: set[int] = set()
    for here in range(document, new.end_of(document)):
        node = new.nodes[here]
        was = old.node_of(node.backend_node_id)
        if (node.node_type == TEXT and was is None and node.node_value.strip()) or (
            was is not None
            and (
                was.node_value != node.node_value
                or (was.attributes != node.attributes and _told(was) != _told(node))
            )
        ):
            above = here
            while above >= 0 and above not in row_at:
                above = new.parents[above]
            changed.add(row_at.get(above, -1))
    return changed


def _shown_rows(
    came: Iterable[int], rows: Sequence[Row], modal: Modal, new: SessionDomIndex, document: int
) -> tuple[set[int], set[int]]:
    """Those of some rows that were not displayed behind the modal, and those that may not have been.

    The accessibility tree lists nothing behind a modal, so only attributes tell: of the rows' elements and
    of those around them.
    """
    old = modal.index
    placed = sorted((new.position_of(id_), at) for at in came if (id_ := rows[at].id) is not None)
    positions = [position for position, _ in placed]
    shown, maybe = set[int](), set[int]()
    restyled: list[list[int]] = []
    for here in range(document, new.end_of(document)):
        node = new.nodes[here]
        was = old.node_of(node.backend_node_id)
        if was is None or was.attributes == node.attributes:
            continue
        if old.position[was.backend_node_id] in modal.own:
            continue  # it changed for the modal
        first, last = (bisect.bisect_left(positions, one) for one in (here, new.end_of(here)))
        found = [at for _, at in placed[first:last]]
        if _is_hidden(was) and not _is_hidden(node):
            shown.update(found)
        elif any(
            attribute_of(was.attributes, name) != attribute_of(node.attributes, name) for name in _SHOWING
        ):
            restyled.append(found)
    room = _MOST_RESTYLED
    for found in sorted(restyled, key=len):
        room -= len(found)
        if room < 0:
            break
        maybe.update(found)
    return shown, maybe - shown


def _is_hidden(node: DOMNode) -> bool:
    """Whether an element's own attributes hide it."""
    return (
        attribute_of(node.attributes, "hidden") is not None
        or attribute_of(node.attributes, "inert") is not None
        or attribute_of(node.attributes, "aria-hidden") == "true"
        or _HIDING.search(attribute_of(node.attributes, "style") or "") is not None
    )


def _told(node: DOMNode) -> list[tuple[str, str]]:
    """The attributes that a row may print."""
    pairs = zip(node.attributes[::2], node.attributes[1::2], strict=False)
    return [one for one in pairs if one[0] in _TOLD or (one[0].startswith("aria-") and one[0] not in _UNTOLD)]


def _lost(modal: Modal, new: SessionDomIndex) -> Iterator[str]:
    """The texts of the topmost elements behind a modal that are gone, and stand nowhere else now."""
    index, said = modal.index, None
    for top in modal.tops:
        here, end = top, index.end_of(top)
        while here < end:
            node = index.nodes[here]
            is_gone = node.backend_node_id not in new.position
            if here != modal.but and not is_gone:
                here += 1
                continue
            behind = index.end_of(here)
            if here != modal.but and node.node_type == ELEMENT and (text := _text(index, here, behind)):
                said = _text(new, 0, len(new.nodes)) if said is None else said
                if text not in said:
                    yield text
            here = behind


def _text_before(element: ElementId, old: SessionDomIndex, new: SessionDomIndex) -> str:
    """What an element said in the older of two DOMs, shortened to where that changed; "" where it did not."""
    was, now = (
        clean_text(_text(index, here, index.end_of(here)))
        for index in (old, new)
        if (here := index.position_of(element)) >= 0
    )
    return cut_alike(was, now, VALUE_CHARACTERS)[0] if was != now else ""


def _text(index: SessionDomIndex, start: int, end: int) -> str:
    """The text between two positions, without what was typed into fields."""
    texts = (
        index.nodes[at].node_value
        for at in range(start, end)
        if index.nodes[at].node_type == TEXT
        and index.tags[index.parents[at]] not in UNREAD_TAGS
        and not index.in_user_agent_shadow(at)
    )
    return squeeze(" ".join(texts))
