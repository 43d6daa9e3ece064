"""What changed from one snapshot to another, as data: `hybridsnap.render.diff` finds it.

The text of it (`hybridsnap.render.changes`) and the notes on what moved (`hybridsnap.render.moves`) read it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.model import ElementId, Row
    from hybridsnap.render.match import MatchedBy, Matching

#: What of a row can change; ``url`` is the snapshot's, not the row's.
Field: TypeAlias = Literal["role", "name", "description", "value", "states", "tag", "hint", "url"]


@dataclasses.dataclass(frozen=True, slots=True)
class DiffPosition:
    """Where a row stands.

    Attributes:
        parent_id: the element it stands below; None at the top, or where that row has no id.
        parent: the number of that row in its snapshot's rows; -1 at the top.
        index: how many siblings stand before it.
        depth: as in `Row.depth`.
    """

    parent_id: ElementId | None
    parent: int
    index: int
    depth: int


@dataclasses.dataclass(frozen=True, slots=True)
class _OfRow:
    """Something about a row: the row as it is, or as it was where it is gone."""

    row: Row

    @property
    def id(self) -> ElementId | None:
        """The element's id in the snapshot that has the row."""
        return self.row.id

    @property
    def role(self) -> str:
        """The row's role."""
        return self.row.role

    @property
    def name(self) -> str:
        """The row's name."""
        return self.row.name


@dataclasses.dataclass(frozen=True, slots=True)
class Entry(_OfRow):
    """A row that came or went.

    Attributes:
        id, role, name: the row's.
        row: as it is, or was.
        url: the element's, "" without one.
        at: its number in the rows of the snapshot that has it.
        place: where it stands there.
    """

    url: str
    at: int
    place: DiffPosition


@dataclasses.dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of a row, before and after: strings, of ``states`` tuples of strings."""

    field: Field
    old: Any
    new: Any


@dataclasses.dataclass(frozen=True, slots=True)
class Changed(_OfRow):
    """A row that is in both snapshots, and not the same.

    Attributes:
        id, role, name: the row's, in the newer snapshot.
        row: as it is now.
        was: as it was.
        at: its number in the newer snapshot's rows.
        was_at: its number in the older one's.
        fields: what changed; empty when it has only moved.
        moved: from where, to where; None when it has not.
    """

    was: Row
    at: int
    was_at: int
    fields: tuple[FieldChange, ...]
    moved: tuple[DiffPosition, DiffPosition] | None


@dataclasses.dataclass(frozen=True)
class Behind:
    """Rows that a modal took out of the accessibility tree, or gave back to it.

    Attributes:
        word: what the modal is, such as ``dialog``.
        rows: their numbers.
        lost: the texts of elements that were behind it, and are gone from the page.
        changed: the number of a row that is not among `rows`, as its element changed behind the modal → the
            element's text before, shortened to where that changed; "" where something else did.
    """

    word: str
    rows: frozenset[int]
    lost: tuple[str, ...] = ()
    changed: Mapping[int, str] = dataclasses.field(default_factory=dict, hash=False)


@dataclasses.dataclass(frozen=True)
class Differences:
    """What changed from an older snapshot to a newer one; false when nothing did.

    Attributes:
        added: rows that only the newer snapshot has, in its order.
        removed: rows that only the older one has, in its order.
        changed: rows of both that are not the same, in the newer one's order.
        matched_by: how the main document's rows were told to be the same: ``identity`` (of the document and
            of the element), or ``role, name and place`` when it is another document than before.
        frames: the same for each frame of the newer snapshot that has rows, by ordinal.
        renumbered: number of an old row → its id and frame ordinal now, where those are not what they were:
            in another document, when the snapshots number their frames otherwise, or when the page made the
            element anew (`rebuilt`).
        rebuilt: old id → new id of elements that the page replaced, in the same document and below the same
            row, with elements of the same content.
    """

    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    changed: tuple[Changed, ...]
    matched_by: MatchedBy
    frames: Mapping[int, MatchedBy] = dataclasses.field(hash=False)
    renumbered: Mapping[int, tuple[ElementId | None, int]] = dataclasses.field(hash=False, repr=False)
    rebuilt: Mapping[ElementId, ElementId] = dataclasses.field(hash=False)
    #: For the text alone: the unchanged rows around.
    matching: Matching = dataclasses.field(repr=False, compare=False)
    #: Likewise: the old rows behind a modal that has opened, the new ones that stood behind one before.
    covered: tuple[Behind, ...] = dataclasses.field(repr=False, compare=False)
    uncovered: tuple[Behind, ...] = dataclasses.field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.rebuilt)
