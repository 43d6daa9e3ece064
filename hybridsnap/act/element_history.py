"""What snapshots of one page have shown: which node an id stands for, and what the reader saw of it.

Element ids are short and not unique: two renderer processes give out the same backend node ids, and a frame's
next document may hold an id of the last one. So an id alone proves nothing. `ElementHistory` remembers for
each id in which frame and document it was shown, with which role and name, and in which snapshot;
`hybridsnap.act.naming` compares that with the live page before anything is done.

What is kept are rows and ids, never DOM or accessibility trees:

- the last snapshots' rows, each snapshot for itself (`ElementHistory.look_up` with ``as_of``),
- older snapshots' rows folded together, document by document, the newest of each id,
- which nodes the newest snapshot's maps hold beside its rows,
- the refs of the last renderings,
- single elements that a message, a receipt or a selector has named.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import threading
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.act.input_state import InputState
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


@dataclasses.dataclass(frozen=True, slots=True)
class _Single:
    """An element that was named by itself."""

    role: str
    name: str
    when: int
    #: What the last snapshot that showed it proved beyond that; it still has to.
    before: ShownElement | None
    #: What it was said to stand beside, where nothing had shown it before.
    context: Context | None


@dataclasses.dataclass(slots=True)
class _Document:
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
    singles: dict[ElementId, _Single] = dataclasses.field(default_factory=dict)


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
        self._documents: dict[tuple[FrameId, LoaderId], _Document] = {}
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
            known: _NodesOfIndexes = {}
            for ordinal, (frame, loader) in showing.documents.items():
                self._note_known(self._document(frame, loader, ordinal), content, known)
            self._limit()

    def hold_back(
        self, snapshot_id: str, ids: Collection[ElementId], printed: Collection[ElementId] = ()
    ) -> None:
        """Of rows that were not printed, let what was shown before count where it is otherwise.

        What was held back before stays so until it is printed.

        Cost: the rows of the snapshot, and of later ones, are gone through once (70,000 rows: about 100 ms).

        Args:
            snapshot_id: of one that is kept; of another, nothing is done.
            ids: its rows that its reader does not see.
            printed: those that its reader does see, whatever was held back before.
        """
        with self._lock:
            at = next((n for n, one in enumerate(self._showings) if one.snapshot_id == snapshot_id), None)
            if at is None:
                return
            showing = self._showings[at]
            showing.left_out, showing.printed = frozenset(ids), frozenset(printed)
            for one in self._showings[at:]:  # a fold may be opened after later looks
                one.held_back = frozenset(self._find_held_back(one))

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
            before = self._newest_row(id_)
            if before is not None and (before.frame, before.loader) != (frame, loader):
                before = None
            if before is not None and before.role and not role:
                return  # hidden or inert for now: that says nothing else of what it is
            singles = self._document(frame, loader, ordinal).singles
            singles.pop(id_, None)
            singles[id_] = _Single(role, name, next(self._when), before, context)
            if len(singles) > _SINGLES:
                del singles[next(iter(singles))]

    def has_shown_another(self, id_: ElementId, loader: LoaderId, role: str, name: str) -> bool:
        """Whether an id stands for something else so far: of another document, role or name."""
        with self._lock:
            shown = self._newest_row(id_)
        return shown is not None and (shown.loader, shown.role, shown.name) != (loader, role, name)

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
            found = self._newest_row(id_) or self._newest_known(id_)
        if found is None:
            raise UnknownElement(
                f"no snapshot of this page has shown {id_}; take a snapshot and use an id that it shows",
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
            shown = self._shown_in(rendered.snapshot_id, what.element_id)
            role, name = what.role, what.name
            if as_of is None and document is not None and single is not None and single.when > rendered.when:
                return self._of_single(what.element_id, document, single)
        if shown is None or (shown.frame, shown.loader) != place:
            node = split_id(what.element_id)[1]
            return ShownElement(what.element_id, *place, node, role, name, rendered.snapshot_id)
        return dataclasses.replace(shown, role=role, name=name)

    def rows_around(self, binding: ShownElement) -> Sequence[Row]:
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

    def _look_up_as_of(self, id_: ElementId, as_of: str) -> ShownElement:
        ordinal, node = split_id(id_)
        showing = next((one for one in self._showings if one.snapshot_id == as_of), None)
        if showing is None:
            words = (
                "is too old to tell what it showed"
                if as_of in self._folded.values()
                else "is none of this page's; as_of takes a snapshot's report.snapshot_id"
            )
            raise UnknownElement(f"snapshot {as_of} {words}", element_id=id_)
        if (shown := showing.binding(id_)) is not None:
            return shown
        place = showing.documents.get(ordinal)
        document = None if place is None else self._documents.get(place)
        for known in () if document is None else (document.whole, document.part):
            if known is not None and known.snapshot_id == as_of and node in known.nodes:
                assert place is not None
                return ShownElement(id_, *place, node, None, "", as_of)
        raise UnknownElement(f"snapshot {as_of} has not shown {id_}", element_id=id_)

    def _find_held_back(self, showing: Showing) -> Iterator[ElementId]:
        """Rows left out that the same document was last shown with in another role or name before."""
        for ordinal, place in showing.documents.items() if showing.left_out is not None else ():
            document = self._documents.get(place)
            if document is None:
                continue
            earlier = [
                (one.table(ordinal), one)
                for one in reversed(self._showings)
                if one.when < showing.when and one.documents.get(ordinal) == place
            ]
            for id_, row in showing.table(ordinal).items():
                last = next((one for table, one in earlier if id_ in table), None)
                if not showing.leaves_out(id_, last):
                    continue
                before, when = document.folded.get(id_), document.folded_when.get(id_, 0)
                for table, one in earlier:
                    if id_ in table and id_ not in one.held_back:
                        before, when = table[id_], one.when
                        break
                said: Row | _Single | None = before
                single = document.singles.get(id_)
                if single is not None and when < single.when < showing.when:
                    said = single
                if said is not None and (said.name != row.name or said.role != row.role):
                    yield id_

    def _newest_row(self, id_: ElementId) -> ShownElement | None:
        """Where it was last shown with its role and name."""
        ordinal, _ = split_id(id_)
        found: list[tuple[int, ShownElement]] = []
        left_out: Showing | None = None
        for showing in reversed(self._showings):
            if id_ in showing.held_back:
                left_out = left_out or showing
                continue
            if (shown := showing.binding(id_)) is not None:
                found.append((showing.when, shown))
                break
        for document in self._documents_of_ordinal(ordinal):
            if (row := document.folded.get(id_)) is not None:
                when, place = document.folded_when[id_], (document.frame, document.loader)
                folded = ShownElement.of_row(row, place, self._folded.get(when))
                shared = id_ in document.folded_shared
                found.append((when, dataclasses.replace(folded, too_old=shared)))
            if (single := document.singles.get(id_)) is not None:
                found.append((single.when, self._of_single(id_, document, single)))
        if found:
            return max(found, key=lambda one: one[0])[1]
        return None if left_out is None else left_out.binding(id_)

    def _newest_known(self, id_: ElementId) -> ShownElement | None:
        """The newest document whose maps hold it."""
        ordinal, node = split_id(id_)
        for document in self._documents_of_ordinal(ordinal):
            for known in (document.part, document.whole):
                if known is not None and node in known.nodes:
                    return ShownElement(
                        id_, document.frame, document.loader, node, None, "", known.snapshot_id
                    )
        return None

    def _shown_in(self, snapshot_id: str, id_: ElementId) -> ShownElement | None:
        showings = (one for one in self._showings if one.snapshot_id == snapshot_id)
        return next((showing.binding(id_) for showing in showings), None)

    @staticmethod
    def _of_single(id_: ElementId, document: _Document, single: _Single) -> ShownElement:
        """An element that was named by itself: what a snapshot told beyond its role and name still counts."""
        found = ShownElement(
            id_, document.frame, document.loader, split_id(id_)[1], single.role, single.name, None
        )
        before = single.before
        if before is None:
            return dataclasses.replace(found, context=single.context)
        return dataclasses.replace(
            found, context=before.context, url=before.url, control=before.control, too_old=before.too_old
        )

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
        while len(self._documents) > _DOCUMENTS:
            del self._documents[next(iter(self._documents))]
        return document

    def _note_known(self, document: _Document, content: Content, nodes: _NodesOfIndexes) -> None:
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
        for ordinal, place in showing.documents.items():
            document = self._documents.get(place)
            if document is not None:
                table = {
                    id_: row for id_, row in showing.table(ordinal).items() if id_ not in showing.held_back
                }
                named = collections.Counter((row.role, row.name) for row in table.values())
                document.folded_shared -= table.keys()
                document.folded_shared |= {id_ for id_, row in table.items() if named[row.role, row.name] > 1}
                document.folded.update(table)
                document.folded_when.update(dict.fromkeys(table, showing.when))


def _forget_nodes(document: _Document) -> None:
    """Of a document that is gone, keep only about which nodes it had."""
    known, document.part = document.whole or document.part, None
    if known is not None:
        nodes = range(min(known.nodes, default=0), max(known.nodes, default=-1) + 1)
        document.whole = SnapshotNodeIds(known.snapshot_id, nodes)
