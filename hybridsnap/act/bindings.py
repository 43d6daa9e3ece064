"""What snapshots of one page have shown: which node an id stands for, and what the reader saw of it.

Element ids are short and not unique: two renderer processes give out the same backend node ids, and a frame's
next document may hold an id of the last one. So an id alone proves nothing. `Bindings` remembers for each id
in which frame and document it was shown, with which role and name, and in which snapshot;
`hybridsnap.act.naming` holds that against the live page before anything is done.

What is kept are rows and ids, never DOM or accessibility trees:

- the last snapshots' rows, each snapshot for itself (`Bindings.look_up` with ``as_of``),
- older snapshots' rows folded together, document by document, the newest of each id,
- which nodes the newest snapshot's maps hold beside its rows,
- the refs of the last renderings, with how they were rendered,
- single elements that a message, a receipt or a selector has named.
"""

from __future__ import annotations

import dataclasses
import itertools
import threading
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.act.held_nodes import HeldNodes, ListedIds, NodeRange, nodes_by_document
from hybridsnap.act.identity import read_identity
from hybridsnap.capture.frames import Ordinals
from hybridsnap.capture.paths import XpathMap
from hybridsnap.capture.roles import CLICKABLE
from hybridsnap.errors import UnknownElement
from hybridsnap.model import BackendNodeId, ElementId

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.locating import Locator
    from hybridsnap.model import FrameId, LoaderId, Report, Row
    from hybridsnap.protocol.plan import Plan
    from hybridsnap.render.content import Content
    from hybridsnap.render.rendering import Rendering

    #: A session's documents by their positions: the nodes that are in the maps.
    _NodesOfIndexes: TypeAlias = dict[SessionDomIndex, dict[int, Sequence[BackendNodeId]]]

#: Snapshots whose rows are kept each for itself.
_SNAPSHOTS = 16
#: Rows in them at most, the newest snapshots aside; and folded rows at most.
_ROWS = 100_000
_NEWEST = 2
#: Documents of one frame, and of all frames together, of which folded rows are kept.
_DOCUMENTS_OF_FRAME = 5
_DOCUMENTS = 300
#: Renderings whose refs are kept.
_RENDERINGS = 8
#: Single elements of a document.
_SINGLES = 2000
#: Ids of snapshots that have been folded, so that a message can say so.
_FOLDED_IDS = 1000


@dataclasses.dataclass(frozen=True, slots=True)
class Binding:
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
    """

    id: ElementId
    frame: FrameId
    loader: LoaderId
    backend_node_id: BackendNodeId
    role: str | None
    name: str
    snapshot_id: str | None
    named_by_text: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Rendered:
    """A rendering that gave refs.

    Attributes:
        mode: its format.
        options: how it was rendered: those that were given, by name.
        scope: the elements it was limited to; None for all.
        focus: the selector its snapshot was limited to; None for the whole page.
        refs: ref → `hybridsnap.render.role.Ref`, or `hybridsnap.render.aria.AxRef`.
        documents: ordinal → frame and document.
        when: its place in the order of everything that was shown.
    """

    snapshot_id: str
    mode: str
    options: Mapping[str, Any]
    scope: tuple[ElementId, ...] | None
    focus: str | None
    refs: Mapping[str, Any]
    documents: Mapping[int, tuple[FrameId, LoaderId]]
    when: int


class _Showing:
    """One snapshot's rows."""

    __slots__ = ("_rows", "_tables", "documents", "focus", "size", "snapshot_id", "when")

    def __init__(self, report: Report, rows: Sequence[Row], focus: str | None, when: int) -> None:
        self.snapshot_id = report.snapshot_id
        self.documents = _documents_of(report)
        self.focus = focus
        self.size = len(rows)
        self.when = when
        self._rows: Sequence[Row] | None = rows
        self._tables: dict[int, dict[ElementId, Row]] = {}

    def table(self, ordinal: int) -> Mapping[ElementId, Row]:
        """A frame's rows that have an id, in document order. Made when it is first wanted."""
        if self._rows is not None:
            for number, rows in itertools.groupby(self._rows, lambda row: row.frame):
                table = self._tables.setdefault(number, {})
                table.update({row.id: row for row in rows if row.id is not None})
            self._rows = None
        return self._tables.get(ordinal, {})


@dataclasses.dataclass(frozen=True, slots=True)
class _Single:
    """An element that was named by itself."""

    role: str
    name: str
    when: int


@dataclasses.dataclass(slots=True)
class _Document:
    """One document of one frame.

    Attributes:
        folded: the rows of snapshots that are not kept each for itself.
        folded_when: when each of them was last shown.
        whole: what the newest whole snapshot's maps hold.
        part: likewise of a newer snapshot of a part.
        singles: elements that were named by themselves.
    """

    frame: FrameId
    loader: LoaderId
    ordinal: int
    folded: dict[ElementId, Row] = dataclasses.field(default_factory=dict)
    folded_when: dict[ElementId, int] = dataclasses.field(default_factory=dict)
    whole: HeldNodes | ListedIds | NodeRange | None = None
    part: HeldNodes | ListedIds | NodeRange | None = None
    singles: dict[ElementId, _Single] = dataclasses.field(default_factory=dict)


class Bindings:
    """What has been shown of one target. It outlives the `Page` it was shown through.

    Attributes:
        ordinals: the frames' numbers.
        stale: how many ids have been refused as stale.
    """

    def __init__(self) -> None:
        self.ordinals: Ordinals = Ordinals()
        self.stale: int = 0
        self._when = itertools.count(1)
        self._showings: list[_Showing] = []
        #: In the order in which they were last shown.
        self._documents: dict[tuple[FrameId, LoaderId], _Document] = {}
        self._renderings: list[Rendered] = []
        #: When a snapshot was shown that is folded → its id.
        self._folded: dict[int, str] = {}
        # One target may be spoken to from two threads, each with an event loop of its own.
        self._lock = threading.RLock()

    @property
    def renderings(self) -> tuple[Rendered, ...]:
        """The last renderings that gave refs, oldest first."""
        return tuple(self._renderings)

    # Showing

    def show(self, content: Content, *, focus: str | None = None) -> None:
        """Take a snapshot's ids as shown.

        Cost: next to nothing; its rows are sorted by frame when one is first looked up, or later snapshots
        push them out (70,000 rows: about 10 ms).

        Args:
            content: of the snapshot.
            focus: the selector it was limited to.
        """
        with self._lock:
            showing = _Showing(content.report, content.rows, focus, next(self._when))
            self._showings = [one for one in self._showings if one.snapshot_id != showing.snapshot_id]
            self._showings.append(showing)
            known: _NodesOfIndexes = {}
            for ordinal, (frame, loader) in showing.documents.items():
                self._note_known(self._document(frame, loader, ordinal), content, known)
            self._limit()

    def note_rendering(
        self, report: Report, rendering: Rendering, options: Mapping[str, Any], *, focus: str | None = None
    ) -> None:
        """Take the refs of a rendering as shown; one that gives none is of no interest.

        Args:
            report: of its snapshot.
            rendering: with ``extras["refs"]``.
            options: it was rendered with.
            focus: the selector its snapshot was limited to.
        """
        refs = rendering.extras.get("refs")
        if refs:
            scope = rendering.extras.get("scope")
            self._render(report, refs, rendering.format_name, options, scope, focus)

    def note_refs(self, report: Report, refs: Mapping[str, Any], mode: str = "role") -> None:
        """Take refs as shown that were given elsewhere, for instance by another process."""
        self._render(report, refs, mode, {}, None, None)

    def _render(
        self,
        report: Report,
        refs: Mapping[str, Any],
        mode: str,
        options: Mapping[str, Any],
        scope: tuple[ElementId, ...] | None,
        focus: str | None,
    ) -> None:
        with self._lock:
            rendered = Rendered(
                report.snapshot_id,
                mode,
                options,
                scope,
                focus,
                refs,
                _documents_of(report),
                next(self._when),
            )
            # Refs are numbered over the whole snapshot, whatever a rendering leaves out of it.
            kept = [
                one
                for one in self._renderings
                if (one.snapshot_id, one.mode) != (rendered.snapshot_id, mode) or one.refs != refs
            ]
            kept.append(rendered)
            while len(kept) > _RENDERINGS or (
                len(kept) > 1 and sum(len(one.refs) for one in kept[:-1]) > _ROWS
            ):
                del kept[0]
            self._renderings = kept

    def show_single(self, id_: ElementId, frame: FrameId, loader: LoaderId, role: str, name: str) -> None:
        """Take one element as shown, as it is now: a message named it, or a selector found it."""
        with self._lock:
            ordinal, _ = split_id(id_)
            singles = self._document(frame, loader, ordinal).singles
            singles.pop(id_, None)
            singles[id_] = _Single(role, name, next(self._when))
            if len(singles) > _SINGLES:
                del singles[next(iter(singles))]

    def show_again(self, locator: Locator, element: Element) -> Plan[None]:
        """Take an element as shown, as it is now, because its role or name may have changed."""
        identity = yield from read_identity(locator, element.place)
        if identity is not None:
            self.show_single(
                element.id, element.place.frame, identity.loader, identity.node.role, identity.node.name
            )

    def adopt(self, report: Report) -> None:
        """Take over the frames' numbers of a snapshot that was taken elsewhere.

        Raises:
            ValueError: the page's frames have been numbered otherwise since.
        """
        with self._lock:
            known = self.ordinals.by_frame
            taken = {number: frame for frame, number in known.items()}
            for frame in report.frames:
                if (
                    known.get(frame.frame_id, frame.ordinal) != frame.ordinal
                    or taken.get(frame.ordinal, frame.frame_id) != frame.frame_id
                ):
                    raise ValueError(
                        f"snapshot {report.snapshot_id} numbers the page's frames otherwise than they are"
                        " numbered here; recall a snapshot before the first one is taken, or take a new one"
                    )
            known.update((frame.frame_id, frame.ordinal) for frame in report.frames)

    # Looking up

    def look_up(self, id_: ElementId, *, as_of: str | None = None) -> Binding:
        """What an element id stands for.

        Args:
            id_: well formed.
            as_of: the snapshot it was read in; None for the newest that showed it.

        Raises:
            UnknownElement: no snapshot has shown it; or that one has not, or is not known (any more).
        """
        with self._lock:
            if as_of is not None:
                return self._look_up_as_of(id_, as_of)
            found = self._newest_row(id_) or self._newest_known(id_)
        if found is None:
            raise UnknownElement(
                f"no snapshot of this page has shown {id_}; take a snapshot and use an id that it shows",
                element_id=id_,
            )
        return found

    def look_up_ref(self, ref: str, *, as_of: str | None = None) -> Binding:
        """What a ref of a rendering stands for.

        Args:
            ref: without its ``@``: ``e12``.
            as_of: the snapshot that was rendered; None for the newest rendering that has such a ref.

        Raises:
            UnknownElement: no rendering has given it, or it stands for nothing that has an id.
        """
        with self._lock:
            renderings = [one for one in self._renderings if as_of in (None, one.snapshot_id)]
            rendered = next((one for one in reversed(renderings) if ref in one.refs), None)
            if rendered is None:
                where = "this page" if as_of is None else f"snapshot {as_of}"
                raise UnknownElement(
                    f"no rendering of {where} has given the ref {ref}; render a snapshot as 'role' and use a"
                    " ref of it, or an element id such as 0-29",
                    element_id=ref,
                )
            what = rendered.refs[ref]
            place = rendered.documents.get(what.frame)
            if what.element_id is None or place is None:
                raise UnknownElement(
                    f"the ref {ref} stands for something without an element of its own; name another",
                    element_id=ref,
                )
            document = self._documents.get(place)
            single = None if document is None else document.singles.get(what.element_id)
            row = self._row_in(rendered.snapshot_id, what.element_id)
            role, name = what.role, what.name
            if as_of is None and single is not None and single.when > rendered.when:
                role, name, row = single.role, single.name, None
        return Binding(
            what.element_id,
            *place,
            split_id(what.element_id)[1],
            role,
            name,
            rendered.snapshot_id,
            row is not None and CLICKABLE in row.states,
        )

    def rows_around(self, binding: Binding) -> Sequence[Row]:
        """The rows of the frame in the snapshot that showed an element; empty when they are not kept."""
        with self._lock:
            ordinal, _ = split_id(binding.id)
            for showing in reversed(self._showings):
                if showing.snapshot_id == binding.snapshot_id:
                    return tuple(showing.table(ordinal).values())
            document = self._documents.get((binding.frame, binding.loader))
            return () if document is None else tuple(document.folded.values())

    def frame_of(self, ordinal: int) -> FrameId | None:
        """The frame with this number."""
        found = (frame for frame, number in list(self.ordinals.by_frame.items()) if number == ordinal)
        return next(found, None)

    # Within

    def _look_up_as_of(self, id_: ElementId, as_of: str) -> Binding:
        ordinal, node = split_id(id_)
        showing = next((one for one in self._showings if one.snapshot_id == as_of), None)
        if showing is None:
            words = (
                "is too old to tell what it showed"
                if as_of in self._folded.values()
                else "is none of this page's; as_of takes a snapshot's report.snapshot_id"
            )
            raise UnknownElement(f"snapshot {as_of} {words}", element_id=id_)
        place = showing.documents.get(ordinal)
        row = showing.table(ordinal).get(id_)
        if place is not None and row is not None:
            return _of_row(row, place, as_of)
        document = None if place is None else self._documents.get(place)
        for known in () if document is None else (document.whole, document.part):
            if known is not None and known.snapshot_id == as_of and known.holds(id_, node):
                assert place is not None
                return Binding(id_, *place, node, None, "", as_of)
        raise UnknownElement(f"snapshot {as_of} has not shown {id_}", element_id=id_)

    def _newest_row(self, id_: ElementId) -> Binding | None:
        """Where it was last shown with its role and name."""
        ordinal, node = split_id(id_)
        found: list[tuple[int, Binding]] = []
        for showing in reversed(self._showings):
            place = showing.documents.get(ordinal)
            if place is not None and (row := showing.table(ordinal).get(id_)) is not None:
                found.append((showing.when, _of_row(row, place, showing.snapshot_id)))
                break
        for document in self._documents_of_ordinal(ordinal):
            place = document.frame, document.loader
            if (row := document.folded.get(id_)) is not None:
                when = document.folded_when[id_]
                found.append((when, _of_row(row, place, self._folded.get(when))))
            if (single := document.singles.get(id_)) is not None:
                found.append((single.when, Binding(id_, *place, node, single.role, single.name, None)))
        return max(found, key=lambda one: one[0])[1] if found else None

    def _newest_known(self, id_: ElementId) -> Binding | None:
        """The newest document whose maps hold it."""
        ordinal, node = split_id(id_)
        for document in self._documents_of_ordinal(ordinal):
            for known in (document.part, document.whole):
                if known is not None and known.holds(id_, node):
                    return Binding(id_, document.frame, document.loader, node, None, "", known.snapshot_id)
        return None

    def _row_in(self, snapshot_id: str, id_: ElementId) -> Row | None:
        ordinal, _ = split_id(id_)
        for showing in self._showings:
            if showing.snapshot_id == snapshot_id:
                return showing.table(ordinal).get(id_)
        return None

    def _documents_of_ordinal(self, ordinal: int) -> Iterator[_Document]:
        """A frame's documents, the one shown last first."""
        return (one for one in reversed(self._documents.values()) if one.ordinal == ordinal)

    def _document(self, frame: FrameId, loader: LoaderId, ordinal: int) -> _Document:
        """A document, now the one shown last."""
        document = self._documents.pop((frame, loader), None)
        if document is None:
            document = _Document(frame, loader, ordinal)
            former = [one for one in self._documents.values() if one.frame == frame]
            for one in former:
                _forget_nodes(one)
            for one in former[: max(0, len(former) - _DOCUMENTS_OF_FRAME + 1)]:
                del self._documents[one.frame, one.loader]
        self._documents[frame, loader] = document
        return document

    def _note_known(self, document: _Document, content: Content, nodes: _NodesOfIndexes) -> None:
        snapshot_id = content.report.snapshot_id
        if isinstance(content.xpaths, XpathMap):
            place = content.xpaths.paths.document_of(document.frame)
            if place is None:
                return
            index, at = place
            if index not in nodes:
                nodes[index] = nodes_by_document(index)
            known = HeldNodes(snapshot_id, nodes[index].get(at, ()))
            if index.is_part:
                document.part = known
            else:
                document.whole, document.part = known, None
        else:
            document.part = ListedIds(snapshot_id, frozenset(content.xpaths))

    def _limit(self) -> None:
        """Fold the oldest snapshots, and let go of the oldest documents."""
        while len(self._showings) > _SNAPSHOTS or (
            len(self._showings) > _NEWEST and sum(one.size for one in self._showings[:-_NEWEST]) > _ROWS
        ):
            self._fold(self._showings.pop(0))
        for key in list(self._documents)[: max(0, len(self._documents) - _DOCUMENTS)]:
            del self._documents[key]
        too_many = sum(len(one.folded) for one in self._documents.values()) - _ROWS
        for document in list(self._documents.values()) if too_many > 0 else ():
            for id_ in list(itertools.islice(document.folded, max(0, too_many))):
                del document.folded[id_], document.folded_when[id_]
                too_many -= 1

    def _fold(self, showing: _Showing) -> None:
        self._folded[showing.when] = showing.snapshot_id
        if len(self._folded) > _FOLDED_IDS:
            del self._folded[next(iter(self._folded))]
        for ordinal, place in showing.documents.items():
            document = self._documents.get(place)
            if document is not None:
                table = showing.table(ordinal)
                document.folded.update(table)
                document.folded_when.update(dict.fromkeys(table, showing.when))


def split_id(id_: ElementId) -> tuple[int, BackendNodeId]:
    """A well-formed id's ordinal and backend node id."""
    ordinal, _, node = id_.partition("-")
    return int(ordinal), BackendNodeId(int(node))


def _of_row(row: Row, place: tuple[FrameId, LoaderId], snapshot_id: str | None) -> Binding:
    assert row.id is not None
    return Binding(
        row.id, *place, split_id(row.id)[1], row.role, row.name, snapshot_id, CLICKABLE in row.states
    )


def _documents_of(report: Report) -> dict[int, tuple[FrameId, LoaderId]]:
    """The documents that a snapshot shows, by their frames' ordinals."""
    return {
        frame.ordinal: (frame.frame_id, frame.loader_id)
        for frame in report.frames
        if frame.loader_id is not None and frame.status in ("captured", "partial")
    }


def _forget_nodes(document: _Document) -> None:
    """Of a document that is no more, keep only about which nodes it had."""
    known, document.part = document.whole or document.part, None
    if isinstance(known, HeldNodes):
        nodes = range(min(known.nodes, default=0), max(known.nodes, default=-1) + 1)
        document.whole = NodeRange(known.snapshot_id, nodes)
