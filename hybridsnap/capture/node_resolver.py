"""From a selector to nodes of a live page, and from a node to its place in it.

Queries run in an isolated world of each frame, whose built-ins the page's script cannot touch. Nothing is
written. Handles on nodes belong to one group, which is released in the end, or is owed when a plan ends
early.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

from hybridsnap.capture.dom import OWNER_TAGS, build_session_dom_index, gather_with_dom
from hybridsnap.capture.partial_ax import cut_ax_tree
from hybridsnap.capture.queries import ANCESTORS, MATCHES
from hybridsnap.capture.role_selectors import find_by_role, names_like, roles_like, text_like
from hybridsnap.capture.selectors import remedy_for
from hybridsnap.capture.xpath import FRAGMENT, build_child_xpath_segments
from hybridsnap.errors import CommandRefused, SelectorError
from hybridsnap.protocol.commands import (
    call_function,
    create_isolated_world,
    describe_node,
    get_document,
    get_frame_owner,
    get_frame_tree,
    get_full_ax_tree,
    get_properties,
    release_objects,
    resolve_node,
)
from hybridsnap.protocol.plan import Reply, gather, gather_outcomes, unless_refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.frames import Ordinals, SessionInfo
    from hybridsnap.capture.role_selectors import RoleQuery
    from hybridsnap.capture.selectors import Part, Selector, Step
    from hybridsnap.model import BackendNodeId, FrameId, LoaderId, SessionId
    from hybridsnap.protocol.ax_tree import AXTree
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult, DOMNode, Frame, FrameTree, RemoteObject

#: How many nodes are described in one batch.
_DESCRIBED = 512


@dataclasses.dataclass(frozen=True, slots=True)
class NodeRef:
    """One node of a live page.

    Attributes:
        session: index of its session.
        frame: that it is in.
        backend_node_id: its id there.
        object_id: a handle on it, in the frame's isolated world; None when there is none yet.
    """

    session: int
    frame: FrameId
    backend_node_id: BackendNodeId
    object_id: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Segment:
    """A node and everything it stands in, up to its frame's document.

    Attributes:
        handles: of the document, …, the node; shadow roots included.
    """

    place: NodeRef
    handles: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Root:
    """Where a part of a selector is sought: a document, or below a node of it.

    Attributes:
        top: a shadow root, or an element that has none; None for the document.
    """

    session: int
    frame: FrameId
    top: BackendNodeId | None = None


class NodeResolver:
    """Finds nodes of a live page. Its methods are plans.

    Args:
        sessions: of the page, its own first.
        ordinals: its frames' numbers.

    Attributes:
        trees: each session's frames, of those that were asked.
        closed: frame id → its closed shadow roots, as far as they are known; others are not searched.
        before_search: a plan that is run before a session's documents are searched.
        is_only: what was found last is all that there is: by a map's path, or by the only match of a role.
    """

    def __init__(self, sessions: Sequence[SessionInfo], ordinals: Ordinals) -> None:
        self.sessions: Sequence[SessionInfo] = sessions
        self.ordinals = ordinals
        self.trees: dict[int, list[Frame]] = {}
        self.closed: dict[FrameId, list[BackendNodeId]] = {}
        #: Of the last search by role, if it found nothing: names that have the sought one in them, a text,
        #: and controls of other roles.
        self.names_like: list[str] = []
        self.text_like: str | None = None
        self.roles_like: list[tuple[str, str]] = []
        self.before_search: Callable[[int], Plan[None]] | None = None
        self.is_only: bool = False
        #: Of the frames in which one search looks for roles.
        self._ax_trees: dict[FrameId, AXTree] = {}
        self._worlds: dict[FrameId, int] = {}
        self._held: set[int] = set()
        ordinals.searches += 1
        self.group: str = f"hybridsnap {ordinals.searches}"

    def note_closed_roots(self, session: int, index: SessionDomIndex) -> None:
        """Learn of the closed shadow roots that a session's DOM holds."""
        tree = self.trees.get(session)
        frame_at = {at: frame for frame, at in index.owners.items()}
        for at, node in enumerate(index.nodes):
            if tree and node.node_type == FRAGMENT and node.shadow_root_type == "closed":
                frame = frame_at.get(index.parents[index.documents[at]], tree[0].id)
                self.closed.setdefault(frame, []).append(node.backend_node_id)

    def id_of(self, session: int) -> SessionId | None:
        """The session's id, for commands."""
        return self.sessions[session].session

    def tree_of(self, session: int) -> Plan[list[Frame]]:
        """A session's frames, asked once."""
        if session not in self.trees:
            (tree,) = yield from gather(get_frame_tree(self.id_of(session)))
            self.trees[session] = tree.frames()
        return self.trees[session]

    def main_frame(self) -> Plan[FrameId]:
        """The page's main frame."""
        tree = yield from self.tree_of(0)
        return tree[0].id

    def release(self) -> Plan[None]:
        """Let go of all handles."""
        yield from gather_outcomes(*self.releasing())

    def releasing(self) -> list[Command[None]]:
        """The commands that let go of all handles."""
        held, self._held = sorted(self._held), set()
        return [release_objects(self.id_of(one), self.group) for one in held]

    def renew(self, sessions: Sequence[SessionInfo]) -> None:
        """Go on with the sessions that there are now. No handle may be held."""
        self.sessions = sessions
        self._held.clear()
        self.forget()

    def forget(self) -> None:
        """Forget what was asked: documents have come and gone since."""
        self.trees.clear()
        self._worlds.clear()
        self.closed.clear()

    def find(self, selector: Selector, nth: int | None, *, only: bool = False) -> Plan[list[NodeRef]]:
        """What a selector matches.

        Args:
            selector: parsed.
            nth: only this match, from 0; None for all of them.
            only: of the first match: see whether it `is_only`, in the same round trip.

        Raises:
            SelectorError: the browser calls it malformed, or a frame on the way cannot be reached.
        """
        if selector.element is not None:
            place = yield from self._by_id(*selector.element)
            return [] if place is None or nth else [place]
        self._ax_trees.clear()
        yield from self.look_at_main_frame()
        roots = [_Root(0, (yield from self.main_frame()))]
        for part in selector.parts[:-1]:
            roots = yield from self._inside(selector, (yield from self._sought(selector, part, roots, None)))
        found = yield from self._sought(selector, selector.parts[-1], roots, nth, only=only)
        self.is_only = self.is_only and len(roots) == 1
        return found

    def look_at_main_frame(self) -> Plan[None]:
        """Ask for the frames, and for the isolated world of the one that was the main frame, at once."""
        root = self.sessions[0].root_frame
        if 0 not in self.trees and root is not None:
            yield from self.look_around(0, root)

    def _sought(
        self,
        selector: Selector,
        part: Part,
        roots: Sequence[_Root],
        nth: int | None,
        *,
        only: bool = False,
    ) -> Plan[list[NodeRef]]:
        """What a part matches in all of the roots, or the nth of that; where it names one itself, of this."""
        self.is_only = False
        wanted = nth if part.nth is None else part.nth
        # What stands in two of the roots counts once; the last are known when all are.
        alone = wanted is not None and wanted >= 0 and len(roots) == 1
        found: dict[tuple[int, BackendNodeId], NodeRef] = {}
        for root in roots:
            places = yield from self._sought_in(selector, part, root, wanted if alone else None, only=only)
            for place in places:
                found.setdefault((place.session, place.backend_node_id), place)
        places = list(found.values())
        if wanted is not None and not alone:
            places = places[wanted:][:1] if wanted >= -len(places) else []
        if part.nth is not None:
            self.is_only = True
            return [] if nth else places
        return places

    def _by_id(self, ordinal: int, backend_node_id: BackendNodeId) -> Plan[NodeRef | None]:
        frames = [frame for frame, number in self.ordinals.by_frame.items() if number == ordinal]
        if not frames and ordinal == 0:
            frames = [(yield from self.main_frame())]
        if not frames:
            return None
        session = yield from self.session_with(frames[0])
        if session is None:
            return None
        place = NodeRef(session, frames[0], backend_node_id)
        return (yield from self.held(place))

    def held(self, place: NodeRef) -> Plan[NodeRef | None]:
        """The place with a handle on its node; None when the node is gone."""
        if place.object_id is not None:
            return place
        try:
            world = yield from self.world(place.session, place.frame)
            (node,) = yield from gather(self._holding(place, world))
        except CommandRefused:
            return None
        return None if node.object_id is None else dataclasses.replace(place, object_id=node.object_id)

    def _holding(self, place: NodeRef, world: int) -> Command[RemoteObject]:
        self._held.add(place.session)
        return resolve_node(self.id_of(place.session), place.backend_node_id, world, self.group)

    def hold_in(self, place: NodeRef, loader: LoaderId) -> Plan[NodeRef | None]:
        """A handle on a node of a document whose isolated world is known; None where it is not, any more.

        Args:
            place: the node.
            loader: the document; its frame still has it.
        """
        known = self.ordinals.worlds.get(place.frame)
        if known is None or known.loader != loader:
            return None
        outcomes: list[Outcome[Any]] = yield from gather_outcomes(
            get_frame_tree(self.id_of(place.session)), self._holding(place, known.context)
        )
        tree, node = outcomes
        if not isinstance(tree, Reply) or not isinstance(node, Reply) or node.value.object_id is None:
            return None
        frames = self.trees[place.session] = tree.value.frames()
        if not any((one.id, one.loader_id) == (place.frame, loader) for one in frames):
            return None
        self._worlds[place.frame] = known.context
        return dataclasses.replace(place, object_id=node.value.object_id)

    def look_around(self, session: int, frame: FrameId) -> Plan[tuple[Outcome[FrameTree], Outcome[int]]]:
        """A session's frames, and the isolated world of one of them, as they came; in one round trip."""
        own = self.id_of(session)
        outcomes: list[Outcome[Any]] = yield from gather_outcomes(
            get_frame_tree(own), create_isolated_world(own, frame)
        )
        tree, world = outcomes
        if isinstance(tree, Reply):
            self.trees[session] = tree.value.frames()
        if isinstance(world, Reply):
            self.note_world(frame, world.value)
        return tree, world

    def session_with(self, frame: FrameId) -> Plan[int | None]:
        """The session whose process a frame is in."""
        for number, info in enumerate(self.sessions):
            if frame == info.root_frame:
                return number
        for number, info in enumerate(self.sessions):
            if frame in info.frames:
                return number
        for number in range(len(self.sessions)):
            if any(one.id == frame for one in (yield from self.tree_of(number))):
                return number
        return None

    def frames_around(self, place: NodeRef) -> Plan[list[tuple[int, FrameId]]]:
        """The frame a node is in, the one around it, …, the main frame: each with its session.

        It ends early where a frame's parent is not known.
        """
        line: list[tuple[int, FrameId]] = []
        session: int | None = place.session
        frame: FrameId | None = place.frame
        while session is not None and frame is not None and (session, frame) not in line:
            line.append((session, frame))
            tree = yield from self.tree_of(session)
            parents = {one.id: one.parent_id for one in tree}
            if frame != tree[0].id:
                frame = parents.get(frame)
            elif session == 0:
                break
            else:
                frame = self.sessions[session].parent_frame or parents.get(frame)
                session = None if frame is None else (yield from self.session_with(frame))
        return line

    def world(self, session: int, frame: FrameId) -> Plan[int]:
        """A frame's isolated world: the id of its execution context, asked once."""
        if frame not in self._worlds:
            (world,) = yield from gather(create_isolated_world(self.id_of(session), frame))
            self.note_world(frame, world)
        return self._worlds[frame]

    def note_world(self, frame: FrameId, context: int) -> None:
        """Learn of a frame's isolated world that was asked for elsewhere."""
        self._worlds[frame] = context
        self.ordinals.note_world(frame, context)

    def scripts_in(self, session: int, frame: FrameId) -> set[str] | None:
        """Keys of the scripts that are installed in a frame's isolated world, to be added to.

        None where it is not sure which document that is: another may have a world of the same number.
        """
        known, tree = self.ordinals.worlds.get(frame), self.trees.get(session, ())
        loader = next((one.loader_id for one in tree if one.id == frame), None)
        if known is None or loader is None or self._worlds.get(frame) != known.context:
            return None
        if known.loader != loader:
            known.loader, known.scripts = loader, set()
        return known.scripts

    def known_world(self, frame: FrameId) -> int:
        """A frame's isolated world; a handle is held on a node in it."""
        return self._worlds[frame]

    def call(self, place: NodeRef, function: str) -> Plan[CallResult]:
        """Call a function on a node that a handle is held on."""
        self._held.add(place.session)
        on = {"objectId": place.object_id}
        (result,) = yield from gather(call_function(self.id_of(place.session), function, on, (), self.group))
        return result

    def call_in_frame(
        self,
        session: int,
        frame: FrameId,
        function: str,
        arguments: Sequence[Mapping[str, Any]] = (),
        *,
        by_value: bool = False,
    ) -> Plan[CallResult]:
        """Call a function in a frame's isolated world."""
        world = yield from self.world(session, frame)
        self._held.add(session)
        on = {"executionContextId": world}
        (result,) = yield from gather(
            call_function(self.id_of(session), function, on, arguments, self.group, by_value=by_value)
        )
        return result

    def nodes_of(
        self, session: int, frame: FrameId, handles: Sequence[str]
    ) -> Plan[list[tuple[NodeRef, DOMNode] | None]]:
        """Handles as places, and the nodes by themselves; None for those that are gone."""
        nodes = yield from self._describe_all([(session, {"objectId": one}) for one in handles])
        return [
            None if node is None else (NodeRef(session, frame, node.backend_node_id, handle), node)
            for handle, node in zip(handles, nodes, strict=True)
        ]

    def node_at_handle(
        self, session: int, frame: FrameId, handle: str | None
    ) -> Plan[tuple[NodeRef, DOMNode] | None]:
        """A handle as a place, and the node by itself; None without one, or when its node is gone."""
        found = [None] if handle is None else (yield from self.nodes_of(session, frame, [handle]))
        return found[0]

    def at_handle(self, session: int, frame: FrameId, handle: str | None) -> Plan[NodeRef | None]:
        """As `node_at_handle`: the place."""
        found = yield from self.node_at_handle(session, frame, handle)
        return None if found is None else found[0]

    def _describe_all(self, asked: Sequence[tuple[int, dict[str, Any]]]) -> Plan[list[DOMNode | None]]:
        """The nodes by themselves; None for those that are gone."""
        nodes: list[DOMNode | None] = []
        for start in range(0, len(asked), _DESCRIBED):
            some = asked[start : start + _DESCRIBED]
            outcomes = yield from gather_outcomes(
                *(describe_node(self.id_of(session), node, depth=0) for session, node in some)
            )
            nodes += map(unless_refused, outcomes)
        return nodes

    def _sought_in(
        self, selector: Selector, part: Part, root: _Root, nth: int | None, *, only: bool
    ) -> Plan[list[NodeRef]]:
        """What a part matches in one root, or the nth of that."""
        if self.before_search is not None:
            yield from self.before_search(root.session)
        self.is_only = False
        if part.role is not None:
            places = yield from self._of_role(part.role, root)
            self.is_only = len(places) == 1
            return places if nth is None else places[nth : nth + 1]
        if part.path is not None:
            place = yield from self._walked(selector, part.path, root)
            if place is not None:
                self.is_only = True
                return [] if nth else [place]
        handles = yield from self._handles_on_roots(root)
        own, world = self.id_of(root.session), (yield from self.world(root.session, root.frame))
        asked: list[dict[str, Any]] = [{"value": part.kind}, {"value": part.text}]

        def match(which: int | None, *, by_value: bool = False) -> Command[CallResult]:
            given = [*asked, {"value": which}, *handles]
            on = {"executionContextId": world}
            return call_function(own, MATCHES, on, given, self.group, by_value=by_value)

        self._held.add(root.session)
        sees_only = only and nth == 0
        result, *second = yield from gather(match(nth), *([match(1, by_value=True)] if sees_only else []))
        if result.exception_details is not None:
            raise _malformed(selector, part, result)
        self.is_only = sees_only and second[0].result.type == "undefined"
        got = result.result
        if got.object_id is None:
            return []
        objects = [got]
        if nth is None:
            (objects,) = yield from gather(
                get_properties(self.id_of(root.session), got.object_id, self.group)
            )
        ids = [one.object_id for one in objects if one.object_id is not None]
        found = yield from self.nodes_of(root.session, root.frame, ids)
        return [one[0] for one in found if one is not None]

    def _of_role(self, query: RoleQuery, root: _Root) -> Plan[list[NodeRef]]:
        """What is sought by role in one root, without handles."""
        tree = self._ax_trees.get(root.frame)
        if tree is None:
            (tree,) = yield from gather(get_full_ax_tree(self.id_of(root.session), root.frame))
            self._ax_trees[root.frame] = tree
        if root.top is not None:
            top = yield from self.describe(NodeRef(root.session, root.frame, root.top), depth=-1)
            if top is None:
                return []
            tree = cut_ax_tree(tree, build_session_dom_index(top), 0)
        found = find_by_role(tree, query)
        self.names_like = [] if found else names_like(tree, query)
        self.text_like = None if found else text_like(tree, query)
        self.roles_like = [] if found else roles_like(tree, query)
        return [NodeRef(root.session, root.frame, node) for node in found if node != root.top]

    def _handles_on_roots(self, root: _Root) -> Plan[list[dict[str, Any]]]:
        """The node to begin in, and the closed shadow roots that are known, as arguments."""
        closed = self.closed.get(root.frame, ())
        if root.top is None and not closed:
            return [{"value": None}]
        world = yield from self.world(root.session, root.frame)
        wanted = [*([] if root.top is None else [root.top]), *closed]
        self._held.add(root.session)
        outcomes = yield from gather_outcomes(
            *(resolve_node(self.id_of(root.session), one, world, self.group) for one in wanted)
        )
        held = map(unless_refused, outcomes)
        ids = [{"value": None} if one is None else {"objectId": one.object_id} for one in held]
        start: list[dict[str, Any]] = [{"value": None}] if root.top is None else ids[:1]
        rest = ids if root.top is None else ids[1:]
        return start + [one for one in rest if "objectId" in one]

    def _inside(self, selector: Selector, places: Sequence[NodeRef]) -> Plan[list[_Root]]:
        """Where it goes on inside of elements: in a frame's document, in shadow roots, or below them."""
        roots: list[_Root] = []
        nodes = yield from self._describe_all(
            [(place.session, {"backendNodeId": place.backend_node_id}) for place in places]
        )
        for place, node in zip(places, nodes, strict=True):
            if node is None:
                continue
            if node.frame_id is not None and node.local_name.lower() in OWNER_TAGS:
                session = yield from self.session_below(selector.text, place.session, node.frame_id)
                roots.append(_Root(session, node.frame_id))
                continue
            shadow = [root for root in node.shadow_roots if root.shadow_root_type != "user-agent"]
            tops = [root.backend_node_id for root in shadow] or [place.backend_node_id]
            roots += [_Root(place.session, place.frame, top) for top in tops]
        return roots

    def describe(self, place: NodeRef, *, depth: int) -> Plan[DOMNode | None]:
        """The node itself; None when it is gone. White space counts."""
        session = self.id_of(place.session)
        command = describe_node(session, {"backendNodeId": place.backend_node_id}, depth=depth)
        (outcome,) = yield from gather_with_dom(session, command)
        return unless_refused(outcome)

    def session_below(self, asked: str, session: int, frame: FrameId) -> Plan[int]:
        """The session of a frame whose owner element stands in `session`.

        Raises:
            SelectorError: no session reaches it.
        """
        for number, info in enumerate(self.sessions):
            if number and info.root_frame == frame:
                return number
        if any(one.id == frame for one in (yield from self.tree_of(session))):
            return session
        raise SelectorError(
            f"{asked!r} leads into a frame that no session reaches; see the report of a whole capture",
            selector=asked,
            reason="frame",
        )

    def _walked(self, selector: Selector, steps: Sequence[Step], root: _Root) -> Plan[NodeRef | None]:
        """Where a map's path leads, through shadow roots and frames; None when nowhere.

        Cost: one round trip for each step.
        """
        session, frame = root.session, root.frame
        if root.top is not None:
            here = yield from self.describe(NodeRef(session, frame, root.top), depth=1)
        else:
            here = yield from self._document(session, frame)
        for number, step in enumerate(steps):
            if here is None:
                return None
            if step.enters:
                found = None
                for shadow in here.shadow_roots:
                    inner = yield from self.describe(NodeRef(session, frame, shadow.backend_node_id), depth=1)
                    found = found or _child(inner, step.segment)
            elif here.frame_id is not None and here.local_name.lower() in OWNER_TAGS and number:
                session = yield from self.session_below(selector.text, session, here.frame_id)
                frame = here.frame_id
                inner = here.content_document or (yield from self._document(session, frame))
                if inner is not None and not inner.children:
                    inner = yield from self.describe(NodeRef(session, frame, inner.backend_node_id), depth=1)
                found = _child(inner, step.segment)
            else:
                found = _child(here, step.segment)
            if found is None:
                return None
            here = yield from self.describe(NodeRef(session, frame, found.backend_node_id), depth=1)
        return None if here is None else NodeRef(session, frame, here.backend_node_id)

    def _document(self, session: int, frame: FrameId) -> Plan[DOMNode | None]:
        """A frame's document, with its children."""
        tree = yield from self.tree_of(session)
        if tree[0].id == frame:
            own = self.id_of(session)
            (outcome,) = yield from gather_with_dom(own, get_document(own, lambda root: root, depth=1))
            return unless_refused(outcome)
        (owner,) = yield from gather(get_frame_owner(self.id_of(session), frame))
        holder = yield from self.describe(NodeRef(session, frame, owner), depth=0)
        if holder is None or holder.content_document is None:
            return None
        return (
            yield from self.describe(
                NodeRef(session, frame, holder.content_document.backend_node_id), depth=1
            )
        )

    def chain(self, place: NodeRef) -> Plan[list[Segment] | None]:
        """A node's place in the page: frame by frame from the main frame, each with what it stands in.

        Returns:
            The last segment is the node's own, the others are those of the frames' owner elements. None when
            the node is gone, or is in none of the page's documents.

        Raises:
            SelectorError: an owner element on the way cannot be found.
        """
        segments: list[Segment] = []
        above: NodeRef | None = place
        while above is not None:
            here = yield from self.held(above)
            handles = None if here is None else (yield from self._line(here))
            if here is None or handles is None:
                return None
            segments.append(Segment(here, handles))
            above = yield from self.owner(here)
        return segments[::-1]

    def _line(self, place: NodeRef) -> Plan[tuple[str, ...] | None]:
        """Handles on a node and all it stands in, the document first."""
        result = yield from self.call(place, ANCESTORS)
        if result.result.object_id is None or result.exception_details is not None:
            return None
        (nodes,) = yield from gather(
            get_properties(self.id_of(place.session), result.result.object_id, self.group)
        )
        return tuple(node.object_id for node in nodes if node.object_id is not None)

    def owner(self, place: NodeRef) -> Plan[NodeRef | None]:
        """The element that holds the frame a node is in; None for the main frame."""
        tree = yield from self.tree_of(place.session)
        parents = {frame.id: frame.parent_id for frame in tree}
        parent = parents.get(place.frame)
        if place.frame == tree[0].id:
            if place.session == 0:
                return None
            parent = self.sessions[place.session].parent_frame or parent
            above = None if parent is None else (yield from self.session_with(parent))
            candidates = range(len(self.sessions)) if above is None else (above,)
        else:
            candidates = (place.session,)
        for number in candidates:
            if number == place.session and place.frame == tree[0].id:
                continue
            (outcome,) = yield from gather_outcomes(get_frame_owner(self.id_of(number), place.frame))
            owner = unless_refused(outcome)
            if owner is not None:
                holder = parent or (yield from self.tree_of(number))[0].id
                return NodeRef(number, holder, owner)
        raise SelectorError(
            f"the element that holds frame {place.frame} cannot be found",
            selector=place.frame,
            reason="frame",
        )


def _child(parent: DOMNode | None, segment: str) -> DOMNode | None:
    if parent is None:
        return None
    steps = build_child_xpath_segments(parent.children)
    return next((node for node, step in zip(parent.children, steps, strict=True) if step == segment), None)


def _malformed(selector: Selector, part: Part, result: CallResult) -> SelectorError:
    details = result.exception_details
    words = details.exception.description if details is not None and details.exception is not None else ""
    why = words.partition("\n")[0].partition(": ")[2] or "the browser refuses it"
    why = re.sub(r"\A.*? on '\w+': ", "", why)  # from its begin only: a long selector stands behind
    what = "XPath" if part.kind == "xpath" else "CSS selector"
    return SelectorError(
        f"{selector.text!r} is not a usable {what}: {why.rstrip('.')}; {remedy_for(selector.text)}",
        selector=selector.text,
        reason="syntax",
    )
