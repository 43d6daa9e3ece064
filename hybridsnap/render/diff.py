"""What changed between two snapshots: rows that came, went, and are otherwise than before.

`Diff` is data, complete enough to make the new rows out of the old ones (`Diff.apply`); its text
(`hybridsnap.render.changes`) is for reading. Which row is which, `hybridsnap.render.match` says.

Where a row stands is its parent and its order among its siblings there. That rows before it came or went, or
that its parent moved, is not a change of the row. Of siblings that change their order the fewest count as
moved.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.capture.roles import COVERED_BY, OFFSCREEN
from hybridsnap.model import ElementId, Row
from hybridsnap.render.changes import render_diff
from hybridsnap.render.diff_budget import fit_diff
from hybridsnap.render.differences import Changed, Differences, DiffPosition, Entry, Field, FieldChange
from hybridsnap.render.dom import find_documents
from hybridsnap.render.gone import find_covered, find_uncovered
from hybridsnap.render.match import IDENTITY, PLACE, match_rows, same_documents
from hybridsnap.render.moves import longest_increasing
from hybridsnap.render.select import parents_of
from hybridsnap.render.unexposed import with_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.capture.reading import Capture
    from hybridsnap.render.content import Content
    from hybridsnap.render.match import Matching, RowTree
    from hybridsnap.render.rendering import Rendering

_FIELDS: tuple[Field, ...] = ("role", "name", "description", "value", "states", "tag", "hint")


@dataclasses.dataclass(frozen=True)
class Diff(Differences):
    """What changed from an older snapshot to a newer one; false when nothing did, as text `str(diff)`.

    `Differences` has the attributes: ``added``, ``removed``, ``changed`` and how the rows were matched. They
    are of `Snapshot.rows`; the text is also of what the formats show beyond these (`Snapshot.shown_rows`).
    """

    #: With the rows that the accessibility tree leaves out; None where neither snapshot has any.
    shown: Differences | None = dataclasses.field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return super().__bool__() or bool(self.shown)

    def __str__(self) -> str:
        return render_diff(self.told)

    @property
    def told(self) -> Differences:
        """What the text tells of."""
        return self if self.shown is None else self.shown

    def render(self, max_tokens: int) -> Rendering:
        """The text within a budget: what has no room is folded where it stands, and can be opened.

        Raises:
            ValueError: the budget is too small for anything.
        """
        return fit_diff(self.told, max_tokens)

    def apply(self, old_rows: Sequence[Row]) -> list[Row]:
        """The newer snapshot's rows, made of the older one's and of what changed, without marks of layout.

        Raises:
            ValueError: these are not the rows of the older snapshot.
        """
        old_rows = without_places(old_rows)
        for entry in self.removed:
            _expect(old_rows, entry.at, entry.row)
        for change in self.changed:
            _expect(old_rows, change.was_at, change.was)
        return _Patch(self, old_rows).run()


def without_places(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows without the marks that say where they stand (``offscreen``, ``covered by 0-77``)."""
    if not any(row.provenance or any(map(_is_place, row.states)) for row in rows):
        return rows
    return [
        msgspec.structs.replace(
            row, states=tuple(state for state in row.states if not _is_place(state)), provenance=""
        )
        for row in rows
    ]


def _is_place(state: str) -> bool:
    return state == OFFSCREEN or state.startswith(COVERED_BY)


def _expect(rows: Sequence[Row], at: int, row: Row) -> None:
    if at >= len(rows) or rows[at] != row:
        raise ValueError(
            "these are not the rows of the older snapshot: apply takes what the diff was made of"
        )


class _Patch:
    """`Diff.apply`: walks the new tree from the top, old rows in their old order, new ones where they say."""

    def __init__(self, diff: Diff, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.renumbered = diff.renumbered
        self.changes = {change.was_at: change for change in diff.changed}
        self.parents = parents_of(rows)
        leave = {entry.at for entry in diff.removed}
        leave |= {at for at, change in self.changes.items() if change.moved is not None}
        #: For each old row the rows that stay below it; last, those at the top.
        self.staying: list[list[int]] = [[] for _ in range(len(rows) + 1)]
        for at, parent in enumerate(self.parents):
            if at not in leave:
                self.staying[parent].append(at)
        #: For the number of each new row what comes to stand below it: an old row's number, or a new row.
        self.coming: dict[int, list[tuple[DiffPosition, int | Row]]] = {}
        for entry in diff.added:
            self.coming.setdefault(entry.place.parent, []).append((entry.place, entry.row))
        for change in diff.changed:
            if change.moved is not None:
                to = change.moved[1]
                self.coming.setdefault(to.parent, []).append((to, change.was_at))

    def run(self) -> list[Row]:
        made: list[Row] = []
        todo = self._below(-1, -1, -1)[::-1]
        while todo:
            what, depth = todo.pop()
            number = len(made)
            if isinstance(what, Row):
                made.append(what)
                below = self._below(number, None, depth)
            else:
                made.append(self._made(what, depth))
                below = self._below(number, what, depth)
            todo.extend(reversed(below))
        return made

    def _below(self, number: int, old: int | None, depth: int) -> list[tuple[int | Row, int]]:
        """What stands below a row in the end, each with its depth."""
        items: list[tuple[int | Row, int]] = []
        if old is not None:
            above = self.rows[old].depth if old >= 0 else -1
            items = [(at, depth + self.rows[at].depth - above) for at in self.staying[old]]
        coming = self.coming.get(number)
        if coming is None:
            return items
        staying, items = iter(items), []
        for place, what in sorted(coming, key=lambda one: one[0].index):
            while len(items) < place.index and (next_ := next(staying, None)) is not None:
                items.append(next_)
            items.append((what, place.depth))
        items.extend(staying)
        return items

    def _made(self, at: int, depth: int) -> Row:
        row = self.rows[at]
        other: dict[str, Any] = {}
        if (change := self.changes.get(at)) is not None:
            other = {one.field: one.new for one in change.fields if one.field != "url"}
        if at in self.renumbered:
            other["id"], other["frame"] = self.renumbered[at]
        if row.depth != depth:
            other["depth"] = depth
        return msgspec.structs.replace(row, **other) if other else row


def diff_contents(new: Content, old: Content) -> Diff:
    """Compare two snapshots.

    Where things stand is left aside: a page that was only scrolled has not changed.

    Cost: linear in their rows, and n log n where siblings change their order; twice that where there are rows
    that the accessibility tree leaves out.
    """
    diff = _compare(new, old)
    shown = with_shown(dataclasses.replace(new, layout=None), old)
    shown_before = with_shown(dataclasses.replace(old, layout=None), new)
    if shown.rows is new.rows and shown_before.rows is old.rows:
        return diff
    return dataclasses.replace(diff, shown=_compare(shown, shown_before))


def _compare(new: Content, old: Content) -> Diff:
    new = dataclasses.replace(new, rows=without_places(new.rows))
    old = dataclasses.replace(old, rows=without_places(old.rows))
    same = same_documents(new.report, old.report)
    back = {now: was for was, now in same.items()}
    stays = (_in_document_of(old.capture, back), _in_document_of(new.capture, same))
    matching = match_rows(new.rows, old.rows, same, stays)
    old_of, new_of = matching.old_of, matching.new_of
    new_places, old_places = _Places(matching.new), _Places(matching.old)
    moved = _moved(matching)
    changed: list[Changed] = []
    renumbered: dict[int, tuple[ElementId | None, int]] = {}
    rebuilt: dict[ElementId, ElementId] = {}
    for at, row in enumerate(new.rows):
        was_at = old_of[at]
        if was_at < 0:
            continue
        was = old.rows[was_at]
        if was.id != row.id or was.frame != row.frame:
            renumbered[was_at] = (row.id, row.frame)
            if was.id is not None and row.id is not None and _is_rebuilt(was.id, row.id, was.frame in same):
                rebuilt[was.id] = row.id
        fields = _fields(row, was, new.urls, old.urls)
        if fields or at in moved:
            places = (old_places.of(was_at), new_places.of(at)) if at in moved else None
            changed.append(Changed(row, was, at, was_at, fields, places))
    main = new.report.frames[0].ordinal if new.report.frames else 0
    return Diff(
        tuple(
            Entry(row, _url(new.urls, row), at, new_places.of(at))
            for at, row in enumerate(new.rows)
            if old_of[at] < 0
        ),
        tuple(
            Entry(row, _url(old.urls, row), at, old_places.of(at))
            for at, row in enumerate(old.rows)
            if new_of[at] < 0
        ),
        tuple(changed),
        IDENTITY if main in same.values() else PLACE,
        matching.matched_by,
        renumbered,
        rebuilt,
        matching,
        find_covered(matching, new.capture, same),
        find_uncovered(matching, old.capture, new.capture, same),
    )


def _in_document_of(capture: Capture | None, same: Mapping[int, int]) -> Callable[[Row], bool]:
    """Whether the element of a row of another snapshot stands in a capture's DOM, shown or not.

    Args:
        capture: without one, as in a snapshot from JSON, nothing is known.
        same: frames with the same document, that snapshot's ordinal → the capture's.
    """
    documents = find_documents(capture)

    def stands_there(row: Row) -> bool:
        place = documents.get(same.get(row.frame, -1))
        return place is not None and row.id is not None and place.dom.position_of(row.id) >= 0

    return stands_there


def _is_rebuilt(old: ElementId, new: ElementId, same_document: bool) -> bool:
    """Whether two matched rows of one document are different elements of the page."""
    return same_document and old.partition("-")[2] != new.partition("-")[2]


def _url(urls: Mapping[ElementId, str], row: Row) -> str:
    return "" if row.id is None else urls.get(row.id, "")


def _fields(
    row: Row, was: Row, urls: Mapping[ElementId, str], old_urls: Mapping[ElementId, str]
) -> tuple[FieldChange, ...]:
    found: list[FieldChange] = []
    if row != was:
        for field in _FIELDS:
            before, after = getattr(was, field), getattr(row, field)
            if before != after:
                found.append(FieldChange(field, before, after))
    before, after = _url(old_urls, was), _url(urls, row)
    if before != after:
        found.append(FieldChange("url", before, after))
    return tuple(found)


class _Places:
    """Where rows stand; the siblings' numbers are counted once for each parent that is asked for."""

    def __init__(self, tree: RowTree) -> None:
        self._tree = tree
        self._index: dict[int, int] = {}

    def of(self, at: int) -> DiffPosition:
        rows, parent = self._tree.rows, self._tree.parents[at]
        if at not in self._index:
            self._index.update((child, number) for number, child in enumerate(self._tree.children[parent]))
        parent_id = rows[parent].id if parent >= 0 else None
        return DiffPosition(parent_id, parent, self._index[at], rows[at].depth)


def _moved(matching: Matching) -> set[int]:
    """New rows that are old ones, and stand below another row or in another order than those."""
    new, old, old_of = matching.new, matching.old, matching.old_of
    moved: set[int] = set()
    for parent in range(-1, len(new.rows)):
        children = new.children[parent]
        if not children:
            continue
        was_parent = old_of[parent] if parent >= 0 else -1
        same_parent = parent < 0 or was_parent >= 0
        depth = new.rows[parent].depth if parent >= 0 else -1
        was_depth = old.rows[was_parent].depth if was_parent >= 0 else -1
        stay: list[int] = []
        for at in children:
            was_at = old_of[at]
            if was_at < 0:
                continue
            if (
                same_parent
                and old.parents[was_at] == was_parent
                and new.rows[at].depth - depth == old.rows[was_at].depth - was_depth
            ):
                stay.append(at)
            else:
                moved.add(at)
        order = [old_of[at] for at in stay]
        if any(one > other for one, other in itertools.pairwise(order)):
            kept = longest_increasing(order)
            moved.update(at for at, was_at in zip(stay, order, strict=True) if was_at not in kept)
    return moved
