"""What snapshots of one page have shown: which node an id stands for, and what the reader saw of it.

Element ids are short and not unique: two renderer processes give out the same backend node ids, and a frame's
next document may hold an id of the last one. So an id alone proves nothing. `ElementHistory` remembers for
each id in which frame and document it was shown, with which role and name, and in which snapshot;
`hybridsnap.act.verification` compares that with the live page before anything is done.

What is kept are rows and ids, never DOM or accessibility trees:

- the last snapshots' rows, each snapshot for itself (`ElementHistory.look_up` with ``as_of``),
- older snapshots' rows folded together, document by document, the newest of each id,
- which nodes the newest snapshot's maps hold beside its rows,
- the refs of the last renderings,
- single elements that a message, a receipt or a selector has named.

A snapshot *shows* its rows; its reader may have had only some of them *printed* (`note_printed`). An id
stands for what the reader last had printed: `ElementHistory._printed` says which of the times that an element
was shown these are, and `_printed_context` with which text beside it.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import threading
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.act.input_state import InputState
from hybridsnap.act.shown_documents import ShownDocument, Sight, Single
from hybridsnap.act.shown_rows import Showing, ShownElement, documents_of
from hybridsnap.act.snapshot_node_ids import SnapshotNodeIds, nodes_by_document
from hybridsnap.capture.element_ids import split_id
from hybridsnap.capture.frames import Ordinals
from hybridsnap.capture.paths import XpathMap
from hybridsnap.errors import UnknownElement

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from hybridsnap.act.context import Context
    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId, ElementId, FrameId, LoaderId, Report, Row
    from hybridsnap.render.content import Content

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
class _ShownRefs:
    """The refs of a rendering.

    Attributes:
        refs: ref → `hybridsnap.render.role.Ref`, or `hybridsnap.render.aria.AxRef`.
        documents: ordinal → frame and document.
        when: its place in the order of everything that was shown.
    """

    snapshot_id: str
    refs: Mapping[str, Any]
    documents: Mapping[int, tuple[FrameId, LoaderId]]
    when: int


class ElementHistory:
    """What has been shown of one target. It outlives the `Page` it was shown through.

    Attributes:
        ordinals: the frames' numbers.
        input: what the target's keyboard and mouse are holding.
    """

    def __init__(self) -> None:
        self.ordinals: Ordinals = Ordinals()
        self.input: InputState = InputState()
        self._when = itertools.count(1)
        self._showings: list[Showing] = []
        #: In the order in which they were last shown.
        self._documents: dict[tuple[FrameId, LoaderId], ShownDocument] = {}
        self._renderings: list[_ShownRefs] = []
        #: When a snapshot was shown that is folded → its id.
        self._folded: dict[int, str] = {}
        # One target may be spoken to from two threads, each with an event loop of its own.
        self._lock = threading.RLock()

    # Showing

    def show(self, content: Content) -> None:
        """Take a snapshot's ids as shown.

        Cost: next to nothing; its rows are sorted by frame when one is first looked up, or later snapshots
        push them out (70,000 rows: about 10 ms).

        Args:
            content: of the snapshot.
        """
        with self._lock:
            showing = Showing(content, next(self._when))
            self._showings = [one for one in self._showings if one.snapshot_id != showing.snapshot_id]
            self._showings.append(showing)
            nodes: _NodesOfIndexes = {}
            for ordinal, (frame, loader) in showing.documents.items():
                self._note_nodes(self._document(frame, loader, ordinal), content, nodes)
            self._limit()

    def note_printed(self, snapshot_id: str, ids: Collection[ElementId]) -> None:
        """Count only the printed rows of a snapshot as shown; the others stay as they were shown before.

        That goes for an element itself, and for what stands beside it.

        Args:
            snapshot_id: of one that is kept; of another, nothing is done.
            ids: its rows that its reader sees, texts included.
        """
        with self._lock:
            if (showing := self._showing(snapshot_id)) is not None:
                showing.printed = frozenset(ids)

    def note_refs(self, report: Report, refs: Mapping[str, Any]) -> None:
        """Take the refs of a rendering as shown.

        Args:
            report: of its snapshot.
            refs: those that it gave.
        """
        with self._lock:
            rendered = _ShownRefs(report.snapshot_id, refs, documents_of(report), next(self._when))
            # Refs are numbered over the whole snapshot, whatever a rendering leaves out of it.
            kept = [
                one for one in self._renderings if one.snapshot_id != report.snapshot_id or one.refs != refs
            ]
            kept.append(rendered)
            while len(kept) > _RENDERINGS or (
                len(kept) > 1 and sum(len(one.refs) for one in kept[:-1]) > _ROWS
            ):
                del kept[0]
            self._renderings = kept

    def show_single(
        self,
        id_: ElementId,
        frame: FrameId,
        loader: LoaderId,
        role: str,
        name: str,
        *,
        context: Context | None = None,
    ) -> None:
        """Take one element as shown, as it is now: a message named it, or a selector found it.

        Args:
            id_: its own.
            frame: it is in.
            loader: of the frame's document.
            role: it has now.
            name: likewise.
            context: what it was said to stand beside; what has shown it before counts more.
        """
        with self._lock:
            ordinal, _ = split_id(id_)
            before = self._as_printed(id_)
            if before is not None and (before.frame, before.loader) != (frame, loader):
                before = None
            if before is not None and before.role and not role:
                return  # hidden or inert for now: that says nothing else of what it is
            singles = self._document(frame, loader, ordinal).singles
            singles.pop(id_, None)
            singles[id_] = Single(role, name, next(self._when), before, context)
            if len(singles) > _SINGLES:
                del singles[next(iter(singles))]

    def has_shown_another(self, id_: ElementId, loader: LoaderId, role: str, name: str) -> bool:
        """Whether an id stands for something else so far: of another document, role or name."""
        with self._lock:
            printed = self._printed(id_)
        return bool(printed) and printed[0].identity != (loader, role, name)

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

    def look_up(self, id_: ElementId, *, as_of: str | None = None) -> ShownElement:
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
            found = self._as_printed(id_) or self._in_maps(id_)
        if found is None:
            raise UnknownElement(
                f"no known snapshot of this page has shown {id_}; take a snapshot and use an id that it"
                " shows",
                element_id=id_,
            )
        return found

    def look_up_ref(self, ref: str, *, as_of: str | None = None) -> ShownElement:
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
            showing = self._showing(rendered.snapshot_id)
            shown = None if showing is None else showing.binding(what.element_id)
            role, name = what.role, what.name
            if as_of is None and document is not None and single is not None and single.when > rendered.when:
                return document.of_single(what.element_id, single)
        if shown is None or (shown.frame, shown.loader) != place:
            node = split_id(what.element_id)[1]
            return ShownElement(what.element_id, *place, node, role, name, rendered.snapshot_id)
        return dataclasses.replace(shown, role=role, name=name)

    def rows_around(self, binding: ShownElement) -> Sequence[Row]:
        """The rows of the frame in the snapshot that showed an element; empty when they are not kept."""
        with self._lock:
            ordinal, _ = split_id(binding.id)
            if (showing := self._showing(binding.snapshot_id)) is not None:
                return tuple(showing.table(ordinal).values())
            document = self._documents.get((binding.frame, binding.loader))
            return () if document is None else tuple(document.folded.values())

    def frame_of(self, ordinal: int) -> FrameId | None:
        """The frame with this number."""
        found = (frame for frame, number in list(self.ordinals.by_frame.items()) if number == ordinal)
        return next(found, None)

    # Within

    def _look_up_as_of(self, id_: ElementId, as_of: str) -> ShownElement:
        if (showing := self._showing(as_of)) is None:
            words = (
                "is too old to tell what it showed"
                if as_of in self._folded.values()
                else "is none of this page's; as_of takes a snapshot's report.snapshot_id"
            )
            raise UnknownElement(f"snapshot {as_of} {words}", element_id=id_)
        if (shown := showing.binding(id_)) is not None:
            return shown
        place = showing.documents.get(split_id(id_)[0])
        document = None if place is None else self._documents.get(place)
        found = None if document is None else document.in_maps(id_, as_of)
        if found is None:
            raise UnknownElement(f"snapshot {as_of} has not shown {id_}", element_id=id_)
        return found

    def _sights(self, id_: ElementId) -> list[Sight]:
        """Each time that an element was shown with a role and a name, oldest first."""
        ordinal, _ = split_id(id_)
        found: list[Sight] = []
        for document in self._documents_of_ordinal(ordinal):
            found += document.sights(id_)
        for showing in reversed(self._showings):
            if ordinal in showing.documents and (row := showing.table(ordinal).get(id_)) is not None:
                found.append(Sight(showing.when, showing.documents[ordinal], row, showing))
                if showing.printed is None:
                    break
        return sorted(found, key=lambda one: one.when)

    def _printed(self, id_: ElementId, until: float = math.inf) -> list[Sight]:
        """The times up to `until` that an element was shown as it was last printed by then, newest first."""
        printed: list[Sight] = []
        for one in self._sights(id_):
            if one.when > until:
                break
            if printed and one.identity == printed[0].identity:
                printed.insert(0, one)
            elif one.is_printed(id_):
                printed = [one]
        return printed

    def _as_printed(self, id_: ElementId) -> ShownElement | None:
        """What an id stands for: its role, its name and the text beside it, as they were last printed."""
        sights = self._printed(id_) or self._sights(id_)[-1:]
        if not sights:
            return None
        newest = self._element(id_, sights[0])
        context = self._printed_context(id_, sights, newest)
        if context is None or (newest.context is not None and newest.context.says(context)):
            return newest
        return dataclasses.replace(newest, context=context)

    def _printed_context(
        self, id_: ElementId, sights: Sequence[Sight], newest: ShownElement
    ) -> Context | None:
        """The newest context whose key texts were printed; if none, the one at the newest printed row.

        `sights` are the times that the element was shown so, newest first, and `newest` what it was then.
        """
        at_printed: ShownElement | None = None
        for one in sights:
            found = newest if one is sights[0] else self._element(id_, one)
            if self._is_printed(found.context, one):
                return found.context
            if at_printed is None and one.is_printed(id_):
                at_printed = found
        return None if at_printed is None else at_printed.context

    def _is_printed(self, context: Context | None, sight: Sight) -> bool:
        """Whether all that a context holds had been printed by then, as it stood that time."""
        if sight.showing is None or sight.showing.printed is None:
            return True
        if context is None:
            return not sight.showing.is_part  # a part of the page may lack what stands beside the element
        last_printed = (self._printed(id_, sight.when)[:1] for id_ in context.key_ids)
        return all(one and one[0].when == sight.when for one in last_printed)

    def _element(self, id_: ElementId, one: Sight) -> ShownElement:
        """The element as it was shown that time."""
        if one.showing is not None:
            found = one.showing.binding(id_)
            assert found is not None
            return found
        document = self._documents[one.place]
        if isinstance(one.what, Single):
            return document.of_single(id_, one.what)
        return document.of_folded(one.what, self._folded.get(one.when))

    def _in_maps(self, id_: ElementId) -> ShownElement | None:
        """What an id stands for in the newest document whose maps hold it."""
        ordinal, _ = split_id(id_)
        found = (document.in_maps(id_) for document in self._documents_of_ordinal(ordinal))
        return next((one for one in found if one is not None), None)

    def _showing(self, snapshot_id: str | None) -> Showing | None:
        return next((one for one in self._showings if one.snapshot_id == snapshot_id), None)

    def _documents_of_ordinal(self, ordinal: int) -> Iterator[ShownDocument]:
        """A frame's documents, the one shown last first."""
        return (one for one in reversed(self._documents.values()) if one.ordinal == ordinal)

    def _document(self, frame: FrameId, loader: LoaderId, ordinal: int) -> ShownDocument:
        """A document, now the one shown last."""
        document = self._documents.pop((frame, loader), None)
        if document is None:
            document = ShownDocument(frame, loader, ordinal)
            former = [one for one in self._documents.values() if one.frame == frame]
            for one in former:
                one.forget_nodes()
            for one in former[: max(0, len(former) - _DOCUMENTS_OF_FRAME + 1)]:
                del self._documents[one.frame, one.loader]
        self._documents[frame, loader] = document
        while len(self._documents) > _DOCUMENTS:
            del self._documents[next(iter(self._documents))]
        return document

    def _note_nodes(self, document: ShownDocument, content: Content, nodes: _NodesOfIndexes) -> None:
        snapshot_id = content.report.snapshot_id
        if isinstance(content.xpaths, XpathMap):
            place = content.xpaths.paths.document_of(document.frame)
            if place is None:
                return
            _, index, at = place
            if index not in nodes:
                nodes[index] = nodes_by_document(index)
            known = SnapshotNodeIds(snapshot_id, nodes[index].get(at, ()))
            if index.is_part:
                document.part = known
            else:
                document.whole, document.part = known, None
        else:
            named = map(split_id, content.xpaths)
            nodes_of_ids = frozenset(node for ordinal, node in named if ordinal == document.ordinal)
            document.part = SnapshotNodeIds(snapshot_id, nodes_of_ids)

    def _limit(self) -> None:
        """Fold the oldest snapshots, and let go of the oldest rows of those."""
        while len(self._showings) > _SNAPSHOTS or (
            len(self._showings) > _NEWEST and sum(one.size for one in self._showings[:-_NEWEST]) > _ROWS
        ):
            self._fold(self._showings.pop(0))
        too_many = sum(len(one.folded) for one in self._documents.values()) - _ROWS
        for document in list(self._documents.values()) if too_many > 0 else ():
            for id_ in list(itertools.islice(document.folded, max(0, too_many))):
                del document.folded[id_], document.folded_when[id_]
                document.folded_shared.discard(id_)
                too_many -= 1

    def _fold(self, showing: Showing) -> None:
        self._folded[showing.when] = showing.snapshot_id
        if len(self._folded) > _FOLDED_IDS:
            del self._folded[next(iter(self._folded))]
        for place in showing.documents.values():
            if (document := self._documents.get(place)) is not None:
                document.fold(showing)
