"""Focus: a capture of one subtree.

The cheap way: the browser finds the node, and tells the line of nodes it stands in. One batch then
asks for each of these with its children (siblings count in paths), and for the node with all that is below
it. Its share of the accessibility tree comes level by level::

    Page.getFrameTree  DOM.enable  DOM.describeNode…  DOM.disable
    Accessibility.enable  getAXNodeAndAncestors
    getChildAXNodes…                               (once for each level)
    Accessibility.disable  Page.getFrameTree

Only the frames on the way, the frame itself and the frames below it are asked for. The DOM of the whole page
is read instead, though never its whole AX tree, where a part does not say enough: the frames have no numbers
yet (they go by document order); the node may stand in a closed shadow root; an AX node below it belongs to
another part of the DOM (a slot, ``aria-owns``); the subtree nests too deep for one reply.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

from hybridsnap.capture.assembly import assemble
from hybridsnap.capture.ax import a11y_for_frame
from hybridsnap.capture.clickable import find_styled_below, number_of
from hybridsnap.capture.dom import build_session_dom_index
from hybridsnap.capture.frames import FrameFailure, build_frame_context
from hybridsnap.capture.ignore import capture_without
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.capture.partial_ax import IN_STEPS, cut_ax_tree, has_nodes, read_ax_in_steps
from hybridsnap.capture.queries import POINTED_ABOVE
from hybridsnap.capture.reading import (
    Capture,
    CaptureScope,
    SessionResult,
    compare_loaders,
    lost_by,
    take_ax,
    take_pointed,
)
from hybridsnap.capture.selectors import parse_selector, remedy_for
from hybridsnap.capture.session import collect_per_frame_maps, read_dom
from hybridsnap.capture.xpath import DOCUMENT, FRAGMENT
from hybridsnap.errors import HybridsnapError, SelectorError
from hybridsnap.model import MOST_INTEGER, ElementId
from hybridsnap.protocol.commands import (
    describe_node,
    disable_ax,
    disable_dom,
    enable_ax,
    enable_dom,
    get_ax_line,
    get_ax_node,
    get_document,
    get_frame_tree,
    request_node,
)
from hybridsnap.protocol.plan import Reply, all_unless_refused, gather_outcomes, parallel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.frames import Ordinals, SessionInfo
    from hybridsnap.capture.node_resolver import NodeRef, Segment
    from hybridsnap.model import CaptureOptions, FrameId
    from hybridsnap.protocol.ax_tree import AXTree
    from hybridsnap.protocol.plan import Outcome, Plan
    from hybridsnap.protocol.replies import DOMNode


def check_selectors(options: CaptureOptions) -> None:
    """Refuse at once what is wrong without asking the browser.

    Raises:
        SelectorError: a selector is empty, or lacks something around a ``>>``.
        ValueError: `focus_nth` is not a number of a match.
    """
    for text in (*(() if options.focus is None else (options.focus,)), *options.ignore):
        parse_selector(text)
    if options.focus_nth < 0:
        raise ValueError(f"focus_nth counts the matches from 0, it cannot be {options.focus_nth}")
    if options.focus_nth > MOST_INTEGER:
        raise ValueError(f"focus_nth is at most {MOST_INTEGER}")


def capture_focus(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions, limits: CaptureScope
) -> Plan[tuple[Capture, list[SessionResult]] | None]:
    """Capture the subtree that ``options.focus`` matches.

    Returns:
        The capture and the sessions that were asked; None when nothing matches and the whole page is wanted
        then (`limits` says so in its notes).

    Raises:
        SelectorError: it matches nothing, or is not a selector.
    """
    focus = _Focus(sessions, ordinals, options)
    focus.limits.layouts = limits.layouts
    try:
        yield from focus.read()
        readings = focus.narrowed_readings()
        if options.ignore:
            capture = yield from capture_without(readings, ordinals, options, focus.limits)
        else:
            capture = assemble(readings, ordinals, options, focus.limits)
    except SelectorError as error:
        if options.focus_missing == "error" or error.reason == "syntax":
            raise
        yield from focus.resolver.release()
        limits.notes.append(f"{error.message}; this is the whole page")
        return None
    except _Unread as error:
        return focus.failed(error.lost)
    except HybridsnapError as error:
        return focus.failed(lost_by(error))
    return capture, [reading for reading in readings if reading.tree is not None]


class _Unread(HybridsnapError):
    """A session's DOM did not come."""

    def __init__(self, lost: FrameFailure) -> None:
        super().__init__(lost.note or lost.cause)
        self.lost = lost


class _Focus:
    """One focus capture on its way.

    Attributes:
        limits: what of the page it is limited to.
        readings: of each session; empty for those that were not asked.
    """

    def __init__(self, sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions) -> None:
        assert options.focus is not None
        self.sessions = sessions
        self.ordinals = ordinals
        self.options = options
        self.limits = CaptureScope()
        self.resolver = NodeResolver(sessions, ordinals)
        self.selector = parse_selector(options.focus)
        self.readings: list[SessionResult] = []
        #: Session → where its line ends: at the node itself, or at the owner of another process's frame.
        self._ends: dict[int, int] = {}
        self._kept: dict[int, bytearray] = {}

    def read(self) -> Plan[None]:
        """Find the node, and read all that is needed of it."""
        yield from self.resolver.main_frame()
        if not unnumbered(self.resolver) and (yield from self._read_line()):
            yield from self.resolver.release()
            return
        new_frames = unnumbered(self.resolver)
        others = [SessionResult(info) for info in self.sessions[1:]] if new_frames else []
        yield from parallel([self._read_whole(), *(read_dom(reading, pointed=False) for reading in others)])
        if new_frames:
            # As a whole capture would have numbered them.
            known = [self.readings[0], *others]
            context = build_frame_context(
                self.sessions, [reading.tree for reading in known], [reading.index for reading in known]
            )
            self.ordinals.assign(context.frames)
        yield from self.resolver.release()

    def narrowed_readings(self) -> list[SessionResult]:
        """The readings, with nothing in their DOM but the subtree and the line to it."""
        for session, kept in self._kept.items():
            reading = self.readings[session]
            if reading.index is not None:
                reading.index = reading.index.narrowed(kept)
        return self.readings

    def failed(self, lost: FrameFailure) -> tuple[Capture, list[SessionResult]]:
        """A capture that says why there is nothing in it."""
        readings = [SessionResult(info) for info in self.sessions]
        for session, tree in self.resolver.trees.items():
            readings[session].tree = tree
        readings[0].lost = lost
        context = build_frame_context(
            self.sessions, [reading.tree for reading in readings], [None] * len(readings)
        )
        limits = CaptureScope(kept={context.root_id})
        return assemble(readings, self.ordinals, self.options, limits), readings

    def _nothing(self) -> SelectorError:
        text, nth = self.selector.text, self.options.focus_nth
        words = f"{text!r} matches nothing on the page; {remedy_for(text)}"
        if nth:
            words = (
                f"{text!r} has no match number {nth} (counted from 0) on the page; give a smaller focus_nth"
            )
        return SelectorError(words, selector=text)

    def _read_line(self) -> Plan[bool]:
        """The cheap way: the node and the line it stands in. False when that is not enough."""
        self.readings = [SessionResult(info) for info in self.sessions]
        places = yield from self.resolver.find(self.selector, self.options.focus_nth)
        if not places:
            if any(part.kind == "css" for part in self.selector.parts):
                return False  # a closed shadow root may hold it
            raise self._nothing()
        chain = yield from self.resolver.chain(places[0])
        if chain is None:
            raise self._nothing()
        if unnumbered(self.resolver):
            return False
        place = chain[-1].place
        read = yield from parallel(
            [
                self._read_segments(session, list(segments), place)
                for session, segments in itertools.groupby(chain, lambda segment: segment.place.session)
            ]
        )
        if not all(read):
            return False
        yield from self._read_ax(place)
        if not self._mark(place, whole=False):
            return False
        yield from self._read_below(place)
        return True

    def _read_segments(self, session: int, segments: Sequence[Segment], place: NodeRef) -> Plan[bool]:
        """One session's share of the line; False when a node is gone, or nests too deep."""
        reading = self.readings[session]
        own = reading.info.session
        handles = [handle for segment in segments for handle in segment.handles]
        below = -1 if session == place.session else 1
        pointed = session == place.session and not self.options.layout
        described = [describe_node(own, {"objectId": handle}, depth=1) for handle in handles[:-1]]
        described.append(describe_node(own, {"objectId": handles[-1]}, depth=below))
        outcomes: list[Outcome[Any]] = yield from gather_outcomes(
            get_frame_tree(own),
            enable_dom(own),
            *described,
            # `DOM.requestNode` is answered when the document has been asked for.
            *([get_document(own, number_of, depth=0), request_node(own, handles[-1])] if pointed else []),
        )
        for outcome in outcomes:
            reading.stamp(outcome)
        here = self._take_line(reading, outcomes[0], outcomes[2 : 2 + len(handles)])
        if here is None or not pointed:
            yield from gather_outcomes(disable_dom(own))
        else:
            yield from self._find_pointed(reading, here, outcomes[-1], place, handles[-1])
        if here is None:
            return False
        self._ends[session] = here
        return True

    def _take_line(
        self, reading: SessionResult, before: Outcome[Any], described: Sequence[Outcome[Any]]
    ) -> int | None:
        """Index a line of nodes: the position of the last; None when one is gone, or not where it was."""
        values = all_unless_refused([before, *described])
        if values is None:
            return None
        reading.tree, line = values[0].frames(), values[1:]
        root = graft(line)
        if root is None:
            return None
        reading.index = build_session_dom_index(root)
        return reading.index.position.get(line[-1].backend_node_id)

    def _find_pointed(
        self, reading: SessionResult, here: int, top: Outcome[int], place: NodeRef, handle: str
    ) -> Plan[None]:
        """Find the elements of the subtree that show a pointer, and whether that begins above it."""
        assert reading.index is not None
        found, left_out = yield from find_styled_below(reading.info.session, reading.index, top)
        if isinstance(found, Reply) and here in found.value:
            above = yield from self.resolver.call(dataclasses.replace(place, object_id=handle), POINTED_ABOVE)
            if above.result.value is True:
                up = reading.index.parents[here]
                in_shadow = reading.index.nodes[up].node_type == FRAGMENT
                found.value.append(reading.index.parents[up] if in_shadow else up)
        take_pointed(reading, found, left_out)

    def _read_ax(self, place: NodeRef) -> Plan[None]:
        """The subtree's AX nodes, and the main document's name, which is the page's title."""
        reading, main = self.readings[place.session], self.readings[0]
        own = reading.info.session
        index = reading.index
        assert index is not None
        assert main.index is not None
        document = {"backendNodeId": main.index.nodes[0].backend_node_id}
        here = self._ends[place.session]
        end = index.end_of(here)
        in_steps = end - here <= IN_STEPS and index.nodes[here].node_type != DOCUMENT
        named, *line = yield from gather_outcomes(
            get_ax_node(main.info.session, document),
            *((enable_ax(own), get_ax_line(own, place.backend_node_id)) if in_steps else ()),
        )
        self.limits.title = named.value.nodes[0].name if has_nodes(named) else ""
        tree: AXTree | None = None
        if in_steps and has_nodes(line[1]):
            tree = yield from read_ax_in_steps(own, place.frame, line[1].value.nodes)
        outcomes: list[Outcome[Any]] = yield from gather_outcomes(
            *([disable_ax(own)] if in_steps else []),
            *([a11y_for_frame(own, place.frame)] if tree is None else []),
            get_frame_tree(own),
        )
        for outcome in outcomes:
            reading.stamp(outcome)
        after = outcomes[-1]
        came = outcomes[-2]
        if tree is not None:
            came = Reply(tree, after.elapsed, after.remaining)
        elif isinstance(came, Reply):
            came = Reply(cut_ax_tree(came.value, index, here), came.elapsed, came.remaining)
        take_ax(reading, [place.frame], [came])
        compare_loaders(reading, after)

    def _mark(self, place: NodeRef, *, whole: bool) -> bool:
        """Mark what of the DOM stays; False when the AX tree speaks of nodes that were not read."""
        for session, end in self._ends.items():
            index = self.readings[session].index
            assert index is not None
            kept = self._kept[session] = bytearray(len(index.nodes))
            tops = [end]
            if session == place.session:
                inside = {end, *self._elsewhere(index, place, end)}
                for top in inside:
                    for at in range(
                        top, index.end_of(top) if top in (end, *index.owners.values()) else top + 1
                    ):
                        kept[at] = 1
                if not whole and not self._known(index, place, kept):
                    return False
                tops = sorted(inside)
            else:
                kept[end] = 1
            outside = set() if session == place.session else {end}
            for top in tops:
                here = index.parents[top]
                while here >= 0 and not kept[here]:
                    kept[here] = 1
                    outside.add(here)
                    here = index.parents[here]
            index.outside = frozenset(outside)
        return True

    def _elsewhere(self, index: SessionDomIndex, place: NodeRef, here: int) -> list[int]:
        """Nodes that the AX tree has below the node, but the DOM has not: slotted, or owned."""
        tree = self.readings[place.session].ax_trees.get(place.frame)
        end = index.end_of(here)
        return [
            at
            for node in ([] if tree is None else tree.nodes)
            if node.backend_node_id is not None
            and (at := index.position.get(node.backend_node_id)) is not None
            and not here <= at < end
        ]

    def _known(self, index: SessionDomIndex, place: NodeRef, kept: Sequence[int]) -> bool:
        """Whether the DOM of everything that the AX tree speaks of has been read."""
        tree = self.readings[place.session].ax_trees.get(place.frame)
        return not any(kept[at] for at in index.truncated) and all(
            node.backend_node_id is None
            or node.backend_node_id in index.position
            or node.backend_node_id in index.pseudo_elements
            for node in ([] if tree is None else tree.nodes)
        )

    def _read_whole(self) -> Plan[None]:
        """The sure way: over the whole DOM of the sessions on the way."""
        self.readings = [SessionResult(info) for info in self.sessions]
        self._ends.clear()
        self._kept.clear()
        self.resolver.before_search = self._whole_dom
        places = yield from self.resolver.find(self.selector, self.options.focus_nth)
        chain = None if not places else (yield from self.resolver.chain(places[0]))
        if chain is None:
            raise self._nothing()
        place = chain[-1].place
        for segment in chain:
            # Of several frames in one session the last counts: the others are on its way.
            session = segment.place.session
            yield from self._whole_dom(session)
            index = self.readings[session].index
            here = None if index is None else index.position.get(segment.place.backend_node_id)
            if here is None:
                raise self._nothing()
            self._ends[session] = here
        yield from self._read_ax(place)
        self._mark(place, whole=True)
        yield from self._read_below(place)

    def _whole_dom(self, session: int) -> Plan[None]:
        """Read a session's DOM, unless it has been."""
        if self.readings[session].index is not None:
            return
        yield from read_dom(self.readings[session], pointed=True, known=self.resolver.ordinals)
        reading = self.readings[session]
        if reading.index is None or reading.tree is None:
            raise _Unread(reading.lost or FrameFailure("error"))
        self.resolver.trees[session] = reading.tree
        self.resolver.note_closed_roots(session, reading.index)

    def _read_below(self, place: NodeRef) -> Plan[None]:
        """Read the frames below the node, in and out of its process."""
        self.limits.root = place.frame
        frames = self.limits.kept = {place.frame}
        open_sessions = [place.session] if self.options.include_iframes else []
        while open_sessions:
            session = open_sessions.pop()
            reading = self.readings[session]
            index, tree = reading.index, reading.tree or []
            here = self._held_frames(session)
            frames.update(here)
            own = {frame.id for frame in tree}
            late = [frame for frame in here if frame in own and frame not in reading.ax_trees]
            if late and index is not None:
                asked = [a11y_for_frame(reading.info.session, frame) for frame in late]
                outcomes: list[Outcome[Any]] = yield from gather_outcomes(
                    *asked, get_frame_tree(reading.info.session)
                )
                for outcome in outcomes:
                    reading.stamp(outcome)
                take_ax(reading, late, outcomes[:-1])
                compare_loaders(reading, outcomes[-1])
            others = [
                number
                for number, info in enumerate(self.sessions)
                if number and info.root_frame in here and info.root_frame not in own
            ]
            read = yield from parallel(
                [collect_per_frame_maps(self.sessions[number], self.resolver.ordinals) for number in others]
            )
            for number, other in zip(others, read, strict=True):
                self.readings[number] = other
            open_sessions += others

    def _held_frames(self, session: int) -> list[FrameId]:
        """The frames whose owner elements are to be captured."""
        index = self.readings[session].index
        if index is None:
            return []
        kept = self._kept.get(session)
        return [
            frame
            for frame, at in index.owners.items()
            if (kept is None or (kept[at] and at not in index.outside))
            and (self.options.pierce_shadow or not index.in_author_shadow[at])
        ]


def unnumbered(resolver: NodeResolver) -> bool:
    """Whether there are frames whose numbers only the order of the whole page tells."""
    heard = {frame for info in resolver.sessions for frame in (info.root_frame, *info.frames) if frame}
    heard.update(frame.id for tree in resolver.trees.values() for frame in tree)
    return len(heard) > 1 and not heard <= resolver.ordinals.by_frame.keys()


def number_frames(resolver: NodeResolver) -> Plan[None]:
    """Number the page's frames as a whole capture would, unless they have their numbers."""
    main = yield from resolver.main_frame()
    if unnumbered(resolver):
        readings = [SessionResult(info) for info in resolver.sessions]
        yield from parallel([read_dom(reading, pointed=False) for reading in readings])
        trees = [reading.tree for reading in readings]
        context = build_frame_context(resolver.sessions, trees, [reading.index for reading in readings])
        resolver.ordinals.assign(context.frames)
    resolver.ordinals.assign([main])


def id_of_place(resolver: NodeResolver, place: NodeRef) -> Plan[ElementId]:
    """A node's element id; its frame gets its number, where it has none."""
    if place.frame not in resolver.ordinals.by_frame:
        main = yield from resolver.main_frame()
        if place.frame != main:
            yield from number_frames(resolver)
        resolver.ordinals.assign([place.frame])
    return ElementId(f"{resolver.ordinals.by_frame[place.frame]}-{place.backend_node_id}")


def graft(line: Sequence[DOMNode]) -> DOMNode | None:
    """Put a line of nodes together: each into its place among the children of the one before it.

    Args:
        line: the document, …, the node. Those on the way have their children, without what is below them.
            After an owner element stands the document that it holds.

    Returns:
        The document; None when a node is not where the line says.
    """
    for parent, child in itertools.pairwise(line):
        if child.node_type == DOCUMENT:
            parent.content_document = child
            continue
        siblings = parent.shadow_roots if child.node_type == FRAGMENT else parent.children
        found = [one for one in siblings if one.backend_node_id == child.backend_node_id]
        if not found:
            return None
        child.shadow_root_type = found[0].shadow_root_type
        whole = tuple(child if one is found[0] else one for one in siblings)
        if child.node_type == FRAGMENT:
            parent.shadow_roots = whole
        else:
            parent.children = whole
    return line[0]
