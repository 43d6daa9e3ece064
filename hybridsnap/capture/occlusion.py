"""What lies over what: the browser's own hit test, asked for the elements that stand in the viewport.

Paint order alone does not say what a click reaches: clip paths, rounded corners, transforms, pointer-events
and the top layer decide too. So the browser is asked (`DOM.getNodeForLocation`, 0.2 ms each, all in one
batch; measured), first for the middle of each element's visible part. Where something else is there, for a
few points more: an element is covered when its middle and most of these are. Texts are asked for line by
line, since the middle of a link that wraps may belong to its neighbour.

A hit counts as the element's own when it is the element, or above or below it in the tree (slots counted as
they are laid out), or its label. In a frame of another process the frame's own session is asked, and each
above it whether the frame's owner is what lies there.
"""

from __future__ import annotations

import bisect
import collections
import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.capture.geometry import meet
from hybridsnap.capture.layout_snapshot import slots_by_host
from hybridsnap.capture.xpath import ELEMENT, FRAGMENT
from hybridsnap.model import BackendNodeId, ElementId
from hybridsnap.protocol.commands import get_node_at
from hybridsnap.protocol.plan import Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.frames import FrameContext, Ordinals
    from hybridsnap.capture.geometry import NodeBox, PlacedDocument, Placement
    from hybridsnap.capture.merge import Owner
    from hybridsnap.model import FrameId, SessionId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import NodeAt

#: Elements that are asked for, the interactive ones first: a fifth of a second at most (measured).
MOST_ELEMENTS = 1000
#: Points beside the middle, and lines of text.
_MOST_POINTS = 5
#: Smaller than this, an element has no whole pixel of its own that could be asked for.
_SMALLEST = 2.0


@dataclasses.dataclass(frozen=True, slots=True)
class _Step:
    """An element, or the owner of the frame that it is in, in one session.

    Attributes:
        space: the session's own document.
        position: of the element in the session's DOM.
    """

    session: int
    space: PlacedDocument
    position: int


@dataclasses.dataclass(frozen=True, slots=True)
class _Candidate:
    element_id: ElementId
    placed: PlacedDocument
    node: int
    place: NodeBox
    #: The outermost session first, the element's own last.
    steps: tuple[_Step, ...]


def find_covered(
    wanted: Sequence[ElementId],
    placement: Placement,
    sessions: Sequence[SessionId | None],
    indexes: Sequence[SessionDomIndex | None],
    context: FrameContext,
    owners: Mapping[FrameId, Owner],
    ordinals: Ordinals,
) -> Plan[dict[ElementId, ElementId]]:
    """Ask the browser which of the elements are covered, and by what.

    Args:
        wanted: in order of their weight; those beyond `MOST_ELEMENTS` in view are not asked for.
        placement: where everything stands.
        sessions: by number.
        indexes: each session's DOM.
        context: the frames.
        owners: their owner elements.
        ordinals: their numbers.
    """
    trees = [
        None if index is None else _Tree(placement, number, index) for number, index in enumerate(indexes)
    ]
    chains = _Chains(placement, context, owners)
    candidates = list(_candidates(wanted, placement, chains, indexes, ordinals))
    if not candidates:
        return {}
    middles = [[_middle(candidate.place)] for candidate in candidates]
    found = yield from _ask(candidates, middles, sessions, trees)
    suspects = [candidate for candidate, hits in zip(candidates, found, strict=True) if hits[0] is not None]
    votes = yield from _ask(suspects, [_points(one) for one in suspects], sessions, trees)
    covered: dict[ElementId, ElementId] = {}
    for candidate, hits in zip(suspects, votes, strict=True):
        strangers = collections.Counter(hit for hit in hits if hit is not None)
        if strangers.total() * 2 > len(hits):
            session, hit = strangers.most_common(1)[0][0]
            by = _name(session, hit, trees, placement, ordinals)
            if by is not None:
                covered[candidate.element_id] = by
    return covered


def _ask(
    candidates: Sequence[_Candidate],
    points: Sequence[Sequence[tuple[float, float]]],
    sessions: Sequence[SessionId | None],
    trees: Sequence[_Tree | None],
) -> Plan[list[list[tuple[int, BackendNodeId] | None]]]:
    """For each point of each candidate the stranger there, as (session, node); None where there is none."""
    commands: list[Command[NodeAt]] = []
    for candidate, own in zip(candidates, points, strict=True):
        for x, y in own:
            for step in candidate.steps:
                at_x, at_y = step.space.view.point(x, y)
                through = candidate.place.pointer_events
                commands.append(get_node_at(sessions[step.session], at_x, at_y, through=through))
    outcomes: Iterator[Outcome[Any]] = iter((yield from gather_outcomes(*commands)))
    found: list[list[tuple[int, BackendNodeId] | None]] = []
    for candidate, own in zip(candidates, points, strict=True):
        hits: list[tuple[int, BackendNodeId] | None] = []
        for _ in own:
            stranger: tuple[int, BackendNodeId] | None = None
            for step in candidate.steps:
                outcome = next(outcomes)
                tree = trees[step.session]
                if stranger is None and tree is not None and isinstance(outcome, Reply):
                    hit = outcome.value.backend_node_id
                    if tree.is_stranger(hit, step, blocks_only=not candidate.place.pointer_events):
                        stranger = step.session, hit
            hits.append(stranger)
        found.append(hits)
    return found


def _candidates(
    wanted: Sequence[ElementId],
    placement: Placement,
    chains: _Chains,
    indexes: Sequence[SessionDomIndex | None],
    ordinals: Ordinals,
) -> Iterator[_Candidate]:
    frame_of = {ordinals.by_frame[frame]: frame for frame in placement.documents}
    left = MOST_ELEMENTS
    for element_id in wanted:
        ordinal, _, number = element_id.partition("-")
        frame = frame_of.get(int(ordinal))
        if frame is None:
            continue
        placed = placement.documents[frame]
        at = placement.node_in(placed, BackendNodeId(int(number)))
        place = None if at is None else placed.places[at]
        index = indexes[placed.session]
        here = -1 if index is None else index.position.get(BackendNodeId(int(number)), -1)
        if at is None or place is None or here < 0 or placed.document.nodes.node_type[at] != ELEMENT:
            continue
        seen = place.seen
        if seen[2] - seen[0] < _SMALLEST or seen[3] - seen[1] < _SMALLEST or not place.style.visible:
            continue
        steps = chains.steps(placed, here)
        if steps is None:
            continue
        yield _Candidate(element_id, placed, at, place, steps)
        left -= 1
        if not left:
            return


class _Chains:
    """Which sessions have a say in what lies over a frame's elements."""

    def __init__(
        self,
        placement: Placement,
        context: FrameContext,
        owners: Mapping[FrameId, Owner],
    ) -> None:
        self._placement = placement
        self._context = context
        self._owners = owners
        self._above: dict[int, tuple[_Step, ...] | None] = {}

    def steps(self, placed: PlacedDocument, position: int) -> tuple[_Step, ...] | None:
        """Every session on the way to an element; None where one of them is not known."""
        root = self._placement.root_of(placed.session)
        if root is None:
            return None
        if placed.session not in self._above:
            self._above[placed.session] = self._to_owner(root)
        above = self._above[placed.session]
        return None if above is None else (*above, _Step(placed.session, root, position))

    def _to_owner(self, root: PlacedDocument) -> tuple[_Step, ...] | None:
        """The sessions above the one whose own document this is."""
        steps: list[_Step] = []
        while root.frame != self._context.root_id:
            owner = self._owners.get(root.frame)
            above = None if owner is None else self._placement.root_of(owner.session)
            if owner is None or above is None:
                return None
            steps.append(_Step(owner.session, above, owner.position))
            root = above
        return tuple(reversed(steps))


class _Tree:
    """Who is who's in one session's DOM."""

    def __init__(self, placement: Placement, session: int, index: SessionDomIndex) -> None:
        self._index = index
        self._slots: dict[int, dict[str, int]] = {}
        for host, name, slot in slots_by_host(index):
            self._slots.setdefault(host, {}).setdefault(name, slot)
        self._hosts = placement.pseudo_hosts(session)
        self._lets_through = placement.lets_pointer_through(session)
        self._controls = _controls(index)

    def position(self, node: BackendNodeId) -> int:
        """Where a node is, a pseudo-element being its element; -1 for one that has come since."""
        return self._index.position.get(self._hosts.get(node, node), -1)

    def names(self, here: int) -> tuple[BackendNodeId, BackendNodeId]:
        """The ids of a node's document and of itself."""
        nodes = self._index.nodes
        return nodes[self._index.documents[here]].backend_node_id, nodes[here].backend_node_id

    def is_stranger(self, hit: BackendNodeId, step: _Step, *, blocks_only: bool) -> bool:
        """Whether what was hit is neither the element nor of its kin.

        Args:
            hit: what lies there.
            step: the element that was asked for.
            blocks_only: what lets the pointer through counts as nothing.
        """
        there = self.position(hit)
        if there < 0 or there == step.position:
            return False
        if blocks_only and hit in self._lets_through:
            return False
        above_hit, above_own = self._ancestors(there), self._ancestors(step.position)
        if step.position in above_hit or there in above_own:
            return False
        return not (
            self._label_of(above_hit, step.position, above_own) or self._label_of(above_own, there, above_hit)
        )

    def _ancestors(self, here: int) -> set[int]:
        """The node and all above it, in the tree and as it is laid out."""
        found: set[int] = set()
        open_nodes = [here]
        while open_nodes:
            here = open_nodes.pop()
            if here < 0 or here in found:
                continue
            found.add(here)
            parent = self._index.parents[here]
            open_nodes.append(parent)
            if parent in self._slots and self._index.nodes[here].node_type != FRAGMENT:
                open_nodes.append(self._slots[parent].get(self._index.attribute(here, "slot") or "", -1))
        return found

    def _label_of(self, above: set[int], control: int, above_control: set[int]) -> bool:
        """Whether a click on the first reaches the second, as its label."""
        for label in above:
            if self._index.nodes[label].local_name == "label" and (
                label in above_control
                or self._controls.get(
                    (self._index.documents[label], self._index.attribute(label, "for") or "")
                )
                == control
            ):
                return True
        return False


def _controls(index: SessionDomIndex) -> dict[tuple[int, str], int]:
    """(document, id) → the first element that has the id, for the ids that labels name."""
    named = {
        (index.documents[at], index.attribute(at, "for") or "")
        for at, node in enumerate(index.nodes)
        if node.local_name == "label"
    }
    found: dict[tuple[int, str], int] = {}
    if named:
        for at, node in enumerate(index.nodes):
            if node.attributes and (own := index.attribute(at, "id")):
                key = index.documents[at], own
                if key in named:
                    found.setdefault(key, at)
    return found


def _name(
    session: int,
    hit: BackendNodeId,
    trees: Sequence[_Tree | None],
    placement: Placement,
    ordinals: Ordinals,
) -> ElementId | None:
    """The element id of what was hit; None where its frame has no layout."""
    tree = trees[session]
    here = -1 if tree is None else tree.position(hit)
    if tree is None or here < 0:
        return None
    document, own = tree.names(here)
    frame = placement.frame_of.get((session, document))
    return None if frame is None else ElementId(f"{ordinals.by_frame[frame]}-{own}")


def _middle(place: NodeBox) -> tuple[float, float]:
    left, top, right, bottom = place.seen
    return (left + right) / 2, (top + bottom) / 2


def _points(candidate: _Candidate) -> list[tuple[float, float]]:
    """Where an element is asked for a second time: its lines, where it has several, or a small grid."""
    lines = _lines(candidate)
    if len(lines) > 1:
        step = max(1.0, len(lines) / _MOST_POINTS)
        return [lines[int(at * step)] for at in range(min(len(lines), _MOST_POINTS))]
    left, top, right, bottom = candidate.place.seen
    across, down = (right - left) / 4, (bottom - top) / 4
    return [
        _middle(candidate.place),
        *((x, y) for x in (left + across, right - across) for y in (top + down, bottom - down)),
    ]


def _lines(candidate: _Candidate) -> list[tuple[float, float]]:
    """The middle of each line of text in the element, as far as it can be seen."""
    document = candidate.placed.document
    parents = document.nodes.parent_index
    end = candidate.node + 1
    while end < len(parents) and parents[end] >= candidate.node:
        end += 1
    node_of, boxes = document.layout.node_index, document.text_boxes
    first = bisect.bisect_left(boxes.layout_index, candidate.node, key=lambda number: node_of[number])
    found: list[tuple[float, float]] = []
    for at in range(first, len(boxes.layout_index)):
        if node_of[boxes.layout_index[at]] >= end:
            break
        left, top, right, bottom = meet(candidate.place.seen, candidate.placed.view.place(boxes.bounds[at]))
        if right - left >= _SMALLEST and bottom - top >= _SMALLEST:
            found.append(((left + right) / 2, (top + bottom) / 2))
    return found
