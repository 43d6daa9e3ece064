"""One snapshot, as far as it proves ids: its rows, where its links lead, the structure behind the rows."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

from hybridsnap.act.context_finding import find_context
from hybridsnap.act.nearby_texts import is_alike, value_to_hold, without_options
from hybridsnap.act.structure import DomStructure, PathStructure
from hybridsnap.capture.element_ids import split_id
from hybridsnap.capture.paths import XpathMap
from hybridsnap.capture.roles import CLICKABLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.act.context import Context
    from hybridsnap.act.structure import Control
    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId, ElementId, FrameId, LoaderId, Report, Row
    from hybridsnap.render.content import Content

#: Rows before one among which the link around it is sought.
_NEAR = 100


@dataclasses.dataclass(frozen=True, slots=True)
class ShownElement:
    """What an id stands for.

    Attributes:
        id: as it was shown.
        frame: the frame's own id.
        loader: the document.
        backend_node_id: the node, in that document's process.
        role: that was shown; None where only the id was (in a map, or in a tree of elements).
        name: likewise, the page's own text.
        snapshot_id: of the newest snapshot that showed it so; None when it was named in another way.
        named_by_text: the name was made of the texts in it: the browser itself calls it nothing.
        context: what it was shown in, where its role and name do not tell it from others.
        url: where the link leads that it is, or is in.
        control: what it was as an input or a button.
        too_old: others had its role and name, and what stood beside it has been forgotten.
    """

    id: ElementId
    frame: FrameId
    loader: LoaderId
    backend_node_id: BackendNodeId
    role: str | None
    name: str
    snapshot_id: str | None
    named_by_text: bool = False
    context: Context | None = None
    url: str | None = None
    control: Control | None = None
    too_old: bool = False

    @classmethod
    def of_row(cls, row: Row, place: tuple[FrameId, LoaderId], snapshot_id: str | None) -> ShownElement:
        """What a row with an id says by itself.

        Args:
            row: of a snapshot.
            place: its frame and document.
            snapshot_id: None when that is forgotten.
        """
        assert row.id is not None
        node = split_id(row.id)[1]
        return cls(row.id, *place, node, row.role, row.name, snapshot_id, CLICKABLE in row.states)


class Showing:
    """One snapshot.

    Args:
        content: of the snapshot; its DOM and its accessibility trees are not kept.
        when: its place in the order of everything that was shown.

    Attributes:
        printed: the rows that its reader saw; None where these are all.
        is_part: it has only a part of the page.
    """

    __slots__ = (
        "_by_frame",
        "_rows",
        "_structures",
        "_tables",
        "_urls",
        "documents",
        "is_part",
        "printed",
        "size",
        "snapshot_id",
        "when",
    )

    def __init__(self, content: Content, when: int) -> None:
        self.snapshot_id: str = content.report.snapshot_id
        self.documents: dict[int, tuple[FrameId, LoaderId]] = documents_of(content.report)
        self.size: int = len(content.rows)
        self.when: int = when
        self.printed: frozenset[ElementId] | None = None
        self.is_part: bool = False
        self._rows: Sequence[Row] | None = content.rows
        self._urls = content.urls
        self._by_frame: dict[int, list[Row]] = {}
        self._tables: dict[int, dict[ElementId, Row]] = {}
        self._structures: dict[int, DomStructure | PathStructure] = {}
        by_index: dict[SessionDomIndex, DomStructure] = {}
        for ordinal, (frame, _) in self.documents.items():
            if not isinstance(content.xpaths, XpathMap):
                self._structures[ordinal] = PathStructure(content.xpaths)
            elif (place := content.xpaths.paths.document_of(frame)) is not None:
                self.is_part = self.is_part or place.dom.is_part
                if place.dom not in by_index:
                    by_index[place.dom] = DomStructure(place.dom)
                self._structures[ordinal] = by_index[place.dom]

    def table(self, ordinal: int) -> Mapping[ElementId, Row]:
        """A frame's rows that have an id, in document order. Made when it is first wanted."""
        if self._rows is not None:
            for number, rows in itertools.groupby(self._rows, lambda row: row.frame):
                self._by_frame.setdefault(number, []).extend(rows)
            for number, all_rows in self._by_frame.items():
                self._tables[number] = {row.id: row for row in all_rows if row.id is not None}
            self._rows = None
        return self._tables.get(ordinal, {})

    def has_printed(self, id_: ElementId) -> bool:
        """Whether a row was printed."""
        return self.printed is None or id_ in self.printed

    def binding(self, id_: ElementId) -> ShownElement | None:
        """What an id stood for in this snapshot; None when no row had it.

        Cost: the frame's rows are gone through once.
        """
        ordinal, node = split_id(id_)
        place = self.documents.get(ordinal)
        table = self.table(ordinal)
        row = table.get(id_)
        if place is None or row is None:
            return None
        found = ShownElement.of_row(row, place, self.snapshot_id)
        structure = self._structures.get(ordinal)
        rows = without_options(self._by_frame[ordinal], row)
        at = next(n for n, one in enumerate(rows) if one.id == id_)
        context: Context | None = None
        if structure is not None:
            alike = (one for one in rows if is_alike(one, row))
            is_shared = sum(1 for _ in itertools.islice(alike, 2)) > 1
            context = find_context(rows, at, structure, self._value_of, is_shared=is_shared)
        return dataclasses.replace(
            found,
            context=context,
            url=self._url_around(rows, at),
            control=structure.control(node) if isinstance(structure, DomStructure) else None,
        )

    def _value_of(self, row: Row) -> str:
        return value_to_hold(row, None if row.id is None else self._urls.get(row.id))

    def _url_around(self, rows: Sequence[Row], at: int) -> str | None:
        """Where the link leads that a row is, or is in."""
        depth = rows[at].depth + 1
        for n in range(at, max(-1, at - _NEAR), -1):
            row = rows[n]
            if row.depth < depth:
                depth = row.depth
                if row.role == "link" and row.id is not None:
                    return self._urls.get(row.id)
        return None


def documents_of(report: Report) -> dict[int, tuple[FrameId, LoaderId]]:
    """The documents that a snapshot shows, by their frames' ordinals."""
    return {
        frame.ordinal: (frame.frame_id, frame.loader_id)
        for frame in report.frames
        if frame.loader_id is not None and frame.status in ("captured", "partial")
    }
