"""Sessions and frame trees → the frame context: which frames there are, who holds whom, in which order.

Each renderer process knows only its own frames; a frame in another process is known by its target, and by
its owner element in the parent's DOM. `build_frame_context` puts the three together.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.model import BackendNodeId, Cause, FrameId, LoaderId, SessionId

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.protocol.replies import Frame


#: The main frame's id where it is not known.
_UNNAMED = FrameId("")


@dataclasses.dataclass(frozen=True, slots=True)
class SessionInfo:
    """One session of the page, as its driver knows it.

    Attributes:
        session: its id; None is the driver's own session.
        root_frame: the frame at its root: the page's main frame, or the out-of-process frame.
        parent_frame: of an out-of-process frame, when the browser said.
        url: of the root frame, as last heard.
        frames: frames of this process as last heard; they may be outdated. Empty: not known.
        loading: of those, the ones that have not finished loading.
        loader: of the root frame's document, as last heard; None where that is not known.
        bare: it was attached to for this one run: nothing is switched on in it, and what is, ends with it.
        guards_new_documents: each new document begins with `injected/first_listeners.js`.
    """

    session: SessionId | None
    root_frame: FrameId | None = None
    parent_frame: FrameId | None = None
    url: str = ""
    frames: tuple[FrameId, ...] = ()
    loading: frozenset[FrameId] = frozenset()
    bare: bool = False
    loader: LoaderId | None = None
    guards_new_documents: bool = False


#: Frames of one tab that are remembered, those that are gone included. Chromium has at most 1,000 in a page.
MOST_FRAMES = 2000


@dataclasses.dataclass(slots=True)
class IsolatedWorld:
    """A frame's isolated world, as last heard of. A guess, that saves time where it still holds.

    Attributes:
        context: the id of its execution context.
        loader: the document that it was last used in.
        scripts: keys of the scripts that are installed in it (`hybridsnap.act.remote_call`).
    """

    context: int
    loader: LoaderId | None = None
    scripts: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass(slots=True)
class Ordinals:
    """Frame ids' numbers: given once, in document order, and kept as long as the frame is.

    Of frames that are gone only the last are remembered. No number is given twice.

    Attributes:
        by_frame: frame id → ordinal; 0 is the main frame.
        searches: how many there have been; each names its handles on the page's objects by its number.
        worlds: frame id → its isolated world when it was last asked for.
        nested: documents that nest too deep for one reply over JSON: they are asked for as a list at once.
        passwords: session's document → fields seen there as password fields (`hybridsnap.capture.passwords`).
    """

    by_frame: dict[FrameId, int] = dataclasses.field(default_factory=dict)
    searches: int = 0
    worlds: dict[FrameId, IsolatedWorld] = dataclasses.field(default_factory=dict)
    nested: set[LoaderId] = dataclasses.field(default_factory=set)
    passwords: dict[LoaderId, frozenset[BackendNodeId]] = dataclasses.field(default_factory=dict)

    def assign(self, frames: Iterable[FrameId]) -> None:
        """Number those that have none yet, in the order given."""
        given = list(frames)
        new = [frame for frame in dict.fromkeys(given) if frame not in self.by_frame]
        if not new:
            return
        following = max(self.by_frame.values(), default=-1) + 1
        # Where the page has new frames, all that it has are given: these are the last to go.
        there = {frame: self.by_frame[frame] for frame in given if frame in self.by_frame}
        others = {frame: number for frame, number in self.by_frame.items() if frame not in there}
        excess = len(others) + len(there) + len(new) - MOST_FRAMES
        for frame in [one for one, number in others.items() if number][: max(0, excess)]:
            del others[frame]
        # Another thread may be reading the old one.
        self.by_frame = {**others, **there, **{frame: following + at for at, frame in enumerate(new)}}

    def of(self, frames: Iterable[FrameId]) -> Ordinals:
        """The numbers of some frames by themselves, for what is kept longer than they are remembered here."""
        return Ordinals({frame: self.by_frame[frame] for frame in frames})

    def note_nested(self, loader: LoaderId) -> None:
        """Learn of a document that nests too deep for one reply."""
        if len(self.nested) == MOST_FRAMES:
            self.nested.clear()
        self.nested.add(loader)

    def note_passwords(self, loader: LoaderId, fields: Iterable[BackendNodeId]) -> None:
        """Learn of password fields.

        Args:
            loader: of the first document of their session: while it stands, its node ids are unique.
            fields: backend node ids.
        """
        self.passwords[loader] = self.passwords.pop(loader, frozenset()).union(fields)
        while len(self.passwords) > MOST_FRAMES:
            del self.passwords[next(iter(self.passwords))]

    def note_world(self, frame: FrameId, context: int) -> None:
        """Learn of a frame's isolated world."""
        known = self.worlds.get(frame)
        if known is None or known.context != context:
            self.worlds[frame] = IsolatedWorld(context)
            while len(self.worlds) > MOST_FRAMES:
                del self.worlds[next(iter(self.worlds))]


@dataclasses.dataclass(slots=True)
class FrameState:
    """One frame, as found.

    Attributes:
        frame: its id.
        session: index of the session whose process it is in; None when no session of ours reaches it.
        loader: None when its session did not answer.
    """

    frame: FrameId
    parent: FrameId | None
    url: str
    loader: LoaderId | None
    session: int | None


@dataclasses.dataclass(slots=True)
class FrameContext:
    """Every frame of the page.

    Attributes:
        root_id: the main frame.
        parent_by_frame: frame id → parent's frame id.
        frames: by frame id, in document order.
    """

    root_id: FrameId
    parent_by_frame: dict[FrameId, FrameId | None]
    frames: dict[FrameId, FrameState]


@dataclasses.dataclass(frozen=True, slots=True)
class FrameFailure:
    """Why something could not be read."""

    cause: Cause
    note: str = ""


def build_frame_context(
    sessions: Sequence[SessionInfo],
    frame_trees: Sequence[Sequence[Frame] | None],
    indexes: Sequence[SessionDomIndex | None],
) -> FrameContext:
    """Put together what the sessions, their frame trees and their DOM say of the frames.

    Args:
        sessions: the page's own first.
        frame_trees: for each session its frames, parents first; None where it did not answer.
        indexes: for each session its DOM; None where it could not be read.
    """
    found: dict[FrameId, FrameState] = {}
    for number, (info, tree) in enumerate(zip(sessions, frame_trees, strict=True)):
        if tree is None:
            frame_id = info.root_frame
            if frame_id is None and number == 0:
                frame_id = _UNNAMED  # the driver does not know it, and the browser did not say
            if frame_id is not None:
                found[frame_id] = FrameState(frame_id, info.parent_frame, info.url, None, number)
            continue
        for frame in tree:
            parent = frame.parent_id if frame.parent_id is not None else info.parent_frame
            found[frame.id] = FrameState(
                frame.id, parent, frame.url + frame.url_fragment, frame.loader_id, number
            )
    held_by = _parents_by_owner(sessions, indexes, found)
    for frame_id, parent_id in held_by.items():
        # An owner element whose frame no session reaches: it is in the report as unreachable.
        state = found.setdefault(frame_id, FrameState(frame_id, parent_id, "", None, None))
        if state.parent is None and state.session != 0:
            state.parent = parent_id
    root_id = _root_frame(sessions, frame_trees)
    found[root_id].parent = None
    parents: dict[FrameId, FrameId | None] = {}
    for frame_id in _document_order(root_id, found, indexes):
        state = found[frame_id]
        if state.parent in found and state.parent not in parents:
            state.parent = None  # frames that hold each other: no browser says so, but a reply may
        parents[frame_id] = state.parent
    return FrameContext(root_id, parents, {frame_id: found[frame_id] for frame_id in parents})


def _root_frame(sessions: Sequence[SessionInfo], trees: Sequence[Sequence[Frame] | None]) -> FrameId:
    if trees[0]:
        return trees[0][0].id
    return sessions[0].root_frame or _UNNAMED


def _parents_by_owner(
    sessions: Sequence[SessionInfo],
    indexes: Sequence[SessionDomIndex | None],
    found: Mapping[FrameId, FrameState],
) -> dict[FrameId, FrameId | None]:
    """For each frame that an owner element holds, the frame that the owner element is in."""
    parents: dict[FrameId, FrameId | None] = {}
    roots = {state.session: frame for frame, state in reversed(list(found.items()))}
    for number, index in enumerate(indexes):
        if index is None:
            continue
        root_frame = sessions[number].root_frame or roots.get(number)
        by_owner = {at: frame for frame, at in index.owners.items()}
        for frame, at in index.owners.items():
            document = index.documents[at]
            parent = index.parents[document]
            parents[frame] = root_frame if parent < 0 else by_owner.get(parent)
    return parents


def _document_order(
    root: FrameId, found: Mapping[FrameId, FrameState], indexes: Sequence[SessionDomIndex | None]
) -> list[FrameId]:
    """The frames as their owner elements stand in the page; those whose place is not known come last."""
    children: dict[FrameId | None, list[FrameId]] = {}
    for frame, state in found.items():
        if frame != root:
            children.setdefault(state.parent, []).append(frame)
    place: dict[FrameId, int] = {}
    for index in indexes:
        if index is not None:
            place.update(index.owners)
    unplaced = max(place.values(), default=0) + 1
    order: list[FrameId] = []
    seen = {root}
    tops = [frame for frame, state in found.items() if state.parent not in found]
    for start in (root, *tops, *found):
        if start in seen and order:
            continue
        seen.add(start)
        open_frames = [start]
        while open_frames:
            frame = open_frames.pop()
            order.append(frame)
            below = sorted(
                (child for child in children.get(frame, ()) if child not in seen),
                key=lambda child: place.get(child, unplaced),
            )
            seen.update(below)
            open_frames.extend(reversed(below))
    return order
