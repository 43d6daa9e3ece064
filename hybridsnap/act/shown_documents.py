"""One document, as far as ids of it are known beside the snapshots that are kept each for itself."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hybridsnap.act.shown_rows import ShownElement
from hybridsnap.act.snapshot_node_ids import SnapshotNodeIds
from hybridsnap.capture.element_ids import split_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.act.context import Context
    from hybridsnap.act.shown_rows import Showing
    from hybridsnap.model import ElementId, FrameId, LoaderId, Row

    Place: TypeAlias = tuple[FrameId, LoaderId]


@dataclasses.dataclass(frozen=True, slots=True)
class Single:
    """An element that was named by itself."""

    role: str
    name: str
    when: int
    #: What the last snapshot that showed it proved beyond that; it still has to.
    before: ShownElement | None
    #: What it was said to stand beside, where nothing had shown it before.
    context: Context | None


class Sight(NamedTuple):
    """One time that an element was shown with its role and name.

    Attributes:
        when: in the order of everything that was shown.
        place: the frame and document it was shown in.
        what: its row, or what named it.
        showing: the snapshot, where that is kept for itself.
    """

    when: int
    place: Place
    what: Row | Single
    showing: Showing | None = None

    @property
    def identity(self) -> tuple[LoaderId, str, str]:
        """Its document, role and name."""
        return self.place[1], self.what.role, self.what.name

    def is_printed(self, id_: ElementId) -> bool:
        """Whether the reader saw the element that time."""
        return self.showing is None or self.showing.has_printed(id_)


@dataclasses.dataclass(slots=True)
class ShownDocument:
    """One document of one frame.

    Attributes:
        folded: the rows of snapshots that are not kept each for itself.
        folded_when: when each of them was last shown.
        folded_shared: those of them that another had the role and the name of.
        whole: what the newest whole snapshot's maps hold.
        part: likewise of a newer snapshot of a part.
        singles: elements that were named by themselves.
    """

    frame: FrameId
    loader: LoaderId
    ordinal: int
    folded: dict[ElementId, Row] = dataclasses.field(default_factory=dict)
    folded_when: dict[ElementId, int] = dataclasses.field(default_factory=dict)
    folded_shared: set[ElementId] = dataclasses.field(default_factory=set)
    whole: SnapshotNodeIds | None = None
    part: SnapshotNodeIds | None = None
    singles: dict[ElementId, Single] = dataclasses.field(default_factory=dict)

    @property
    def place(self) -> Place:
        """Its frame and itself."""
        return self.frame, self.loader

    def sights(self, id_: ElementId) -> Iterator[Sight]:
        """What it has of an id, in no order."""
        if (row := self.folded.get(id_)) is not None:
            yield Sight(self.folded_when[id_], self.place, row)
        if (single := self.singles.get(id_)) is not None:
            yield Sight(single.when, self.place, single)

    def fold(self, showing: Showing) -> None:
        """Keep the rows of a snapshot that is dropped, as far as they were printed, or are as they were."""
        table = {
            id_: row
            for id_, row in showing.table(self.ordinal).items()
            if showing.has_printed(id_) or _is_same(row, self.folded.get(id_))
        }
        named = collections.Counter((row.role, row.name) for row in table.values())
        self.folded_shared -= table.keys()
        self.folded_shared |= {id_ for id_, row in table.items() if named[row.role, row.name] > 1}
        self.folded.update(table)
        self.folded_when.update(dict.fromkeys(table, showing.when))

    def of_folded(self, row: Row, snapshot_id: str | None) -> ShownElement:
        """What a folded row was shown as; the snapshot that showed it is not kept."""
        assert row.id is not None
        found = ShownElement.of_row(row, self.place, snapshot_id)
        return dataclasses.replace(found, too_old=row.id in self.folded_shared)

    def of_single(self, id_: ElementId, single: Single) -> ShownElement:
        """An element that was named by itself: what a snapshot told beyond its role and name still counts."""
        found = ShownElement(id_, *self.place, split_id(id_)[1], single.role, single.name, None)
        before = single.before
        if before is None:
            return dataclasses.replace(found, context=single.context)
        return dataclasses.replace(
            found, context=before.context, url=before.url, control=before.control, too_old=before.too_old
        )

    def in_maps(self, id_: ElementId, as_of: str | None = None) -> ShownElement | None:
        """What an id stands for of which only the maps of a snapshot are kept.

        Args:
            id_: of this document's frame.
            as_of: the snapshot; None for the newest whose maps hold it.
        """
        node = split_id(id_)[1]
        for maps in (self.part, self.whole):
            if maps is not None and node in maps.nodes and as_of in {None, maps.snapshot_id}:
                return ShownElement(id_, *self.place, node, None, "", maps.snapshot_id)
        return None

    def forget_nodes(self) -> None:
        """Now that it is gone, keep only about which nodes it had."""
        known, self.part = self.whole or self.part, None
        if known is not None:
            nodes = range(min(known.nodes, default=0), max(known.nodes, default=-1) + 1)
            self.whole = SnapshotNodeIds(known.snapshot_id, nodes)


def _is_same(row: Row, other: Row | None) -> bool:
    return other is not None and (row.role, row.name) == (other.role, other.name)
