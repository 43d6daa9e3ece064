"""What a stale id may have stood for, in the page as it is now.

Looked for among the rows of the frame it was in, and of the other frames when that has nothing of the same
role and name (or is gone); controls of the same name and another role come last. Where a text told the
element from others ("Delete" beside "Bob"), only what stands beside that text counts. A name that is merely
alike counts if it is more so than those of the others that stood there: of the days of a calendar, each is
much like any other. Of equals the one counts whose surroundings are most like the old ones: what it stands
in, and what stands before and behind it.
"""

from __future__ import annotations

import dataclasses
import difflib
import heapq
from typing import TYPE_CHECKING

from hybridsnap.act.identity import read_rows
from hybridsnap.capture.roles import CLICKABLE, INTERACTIVE_ROLES, STRUCTURAL_ROLES
from hybridsnap.capture.scope import number_frames
from hybridsnap.errors import HybridsnapError, UnknownElement
from hybridsnap.model import Successor
from hybridsnap.protocol.commands import get_frame_tree
from hybridsnap.protocol.plan import Reply, gather_outcomes
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.act.context import Context
    from hybridsnap.act.element import Element
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.shown_rows import ShownElement
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.model import ElementId, FrameId, LoaderId, Row
    from hybridsnap.protocol.plan import Plan

#: So many are named.
SUCCESSORS = 3
#: How alike two names must be, from 0 to 1.
_SIMILAR = 0.6
#: A control of the same name that has another role comes after all that have the same.
_OF_OTHER_ROLE = _SIMILAR / 2
#: So much of a name is compared.
_COMPARED = 100
#: What the text counts that told the stale id from others: more than all its surroundings.
_BESIDE = 100
#: Rows before and behind, and ancestors, that are looked at.
_NEAR = 4


@dataclasses.dataclass(frozen=True, slots=True)
class _Surroundings:
    """What stands around a row, as (role, name)."""

    above: frozenset[tuple[str, str]]
    before: tuple[tuple[str, str], ...]
    behind: tuple[tuple[str, str], ...]
    share: float

    def likeness(self, other: _Surroundings) -> float:
        """Higher is more alike; the nearer neighbours weigh more than how far down the document it is."""
        alike = float(len(self.above & other.above))
        for own, its in ((self.before, other.before), (self.behind, other.behind)):
            alike += sum(
                1 / (at + 1) for at, pair in enumerate(zip(own, its, strict=False)) if pair[0] == pair[1]
            )
        return alike - abs(self.share - other.share)


@dataclasses.dataclass(frozen=True, slots=True)
class _Candidate:
    row: Row
    frame: FrameId
    loader: LoaderId
    closeness: tuple[float, float]
    beside: str = ""
    context: Context | None = None
    #: Whether it is of another record: the "Delete" of Ann's row is not that of Bob's.
    of_another: bool = False


def find_successors(
    resolver: NodeResolver, history: ElementHistory, binding: ShownElement
) -> Plan[tuple[tuple[Successor, ...], bool | None]]:
    """Up to three elements of the current page that may be meant, likeliest first.

    They count as shown, but for those whose ids were shown as something else: a caller that goes on with the
    ids it has, whatever became of the first, must not reach another element than the one that was seen.

    Cost: the accessibility tree of the frame, or of all frames.

    Returns:
        They, and whether others of its role and name are there, but not beside the text that it stood beside;
        None of a container without a name: it is like any other. Nothing where the page does not answer: the
        id is stale all the same.
    """
    if binding.role is None:
        return (), False
    if binding.role in STRUCTURAL_ROLES and not clean_text(binding.name):
        own = next((row for row in history.rows_around(binding) if row.id == binding.id), None)
        if own is None or CLICKABLE not in own.states:
            return (), None
    try:
        candidates = yield from _candidates(resolver, history, binding)
    except HybridsnapError:
        return (), False
    has_others = any(one.of_another and one.closeness[0] >= 1 for one in candidates)
    fitting = (one for one in candidates if not one.of_another)
    found = heapq.nlargest(SUCCESSORS, fitting, key=lambda one: one.closeness)
    for one in found:
        row = one.row
        assert row.id is not None
        if not history.has_shown_another(row.id, one.loader, row.role, row.name):
            history.show_single(row.id, one.frame, one.loader, row.role, row.name, context=one.context)
    successors = (
        Successor(one.row.id, one.row.role, one.row.name, one.beside)
        for one in found
        if one.row.id is not None
    )
    return tuple(successors), has_others


def said_elsewhere(history: ElementHistory, element: Element) -> list[ElementId]:
    """Up to three others that say the same as an element, can be operated, and were shown with it."""
    name = clean_text(element.name)
    try:
        rows = history.rows_around(history.look_up(element.id)) if name else ()
    except UnknownElement:  # a selector named it
        return []
    return [
        row.id
        for row in rows
        if row.id not in (None, element.id)
        and (row.role in INTERACTIVE_ROLES or CLICKABLE in row.states)
        and clean_text(row.name) == name
    ][:SUCCESSORS]


def _candidates(
    resolver: NodeResolver, history: ElementHistory, binding: ShownElement
) -> Plan[list[_Candidate]]:
    resolver.trees.clear()
    outcomes = yield from gather_outcomes(
        *(get_frame_tree(resolver.id_of(at)) for at in range(len(resolver.sessions)))
    )
    places: list[tuple[int, FrameId, LoaderId]] = []
    for session, outcome in enumerate(outcomes):
        if isinstance(outcome, Reply):
            resolver.trees[session] = outcome.value.frames()
            places += [(session, frame.id, frame.loader_id) for frame in resolver.trees[session]]
    fellows = history.rows_around(binding)
    old = _old_surroundings(fellows, binding.id)
    name = _Name(binding.name)
    others = (name.likeness(row.name) for row in fellows if row.role == binding.role)
    least = max((alike for alike in others if alike < 1), default=0.0)
    found: list[_Candidate] = []
    for own in (True, False):
        for session, frame, loader in places:
            if (frame == binding.frame) is not own:
                continue
            if frame not in resolver.ordinals.by_frame:
                yield from number_frames(resolver)
            rows = yield from read_rows(resolver, session, frame)
            found += _like(binding, name, least, rows, old, frame, loader)
        if any(one.closeness[0] >= 1 and not one.of_another for one in found):
            break
    return found


class _Name:
    """A name that others are compared with."""

    def __init__(self, name: str) -> None:
        self._name = clean_text(name)[:_COMPARED]
        self._matcher = difflib.SequenceMatcher(None, "", self._name.casefold(), autojunk=False)

    def likeness(self, other: str) -> float:
        """1 for the same, less for what is alike, 0 for what is not."""
        here = clean_text(other)[:_COMPARED]
        if here == self._name:
            return 1.0
        self._matcher.set_seq1(here.casefold())
        if self._matcher.real_quick_ratio() < _SIMILAR or self._matcher.quick_ratio() < _SIMILAR:
            return 0.0
        alike = self._matcher.ratio()
        return min(alike, 0.99) if alike >= _SIMILAR else 0.0


def _like(
    binding: ShownElement,
    name: _Name,
    least: float,
    rows: Sequence[Row],
    old: _Surroundings | None,
    frame: FrameId,
    loader: LoaderId,
) -> Iterator[_Candidate]:
    """The rows that may be what the binding was: of the same name, or of one more alike than `least`."""
    stale = binding.id if (frame, loader) == (binding.frame, binding.loader) else None
    for at, row in enumerate(rows):
        if row.id is None or not (row.role == binding.role or _may_replace(row, binding)):
            continue
        if row.id == stale:
            continue  # that very node, which has become something else
        alike = name.likeness(row.name)
        if alike < 1 and alike <= least:
            continue
        if row.role != binding.role:
            alike = _OF_OTHER_ROLE
        near = 0.0 if old is None else old.likeness(_surroundings(rows, at))
        beside, context, of_another = "", None, False
        if binding.context is not None:
            beside, context = binding.context.found_near(rows, at, stale)
            of_another = not beside and bool(binding.context.telling)
        closeness = alike, near + (_BESIDE if beside else 0)
        yield _Candidate(row, frame, loader, closeness, beside, context, of_another)


def _may_replace(row: Row, binding: ShownElement) -> bool:
    """Whether a control of another role may stand for one: a page puts a button in the place of a select."""
    name = clean_text(binding.name)
    return bool(name) and {row.role, binding.role} <= INTERACTIVE_ROLES and clean_text(row.name) == name


def _old_surroundings(rows: Sequence[Row], id_: ElementId) -> _Surroundings | None:
    at = next((at for at, row in enumerate(rows) if row.id == id_), None)
    return None if at is None else _surroundings(rows, at)


def _surroundings(rows: Sequence[Row], at: int) -> _Surroundings:
    above: set[tuple[str, str]] = set()
    depth = rows[at].depth
    here = at
    while here > 0 and len(above) < _NEAR and depth > 0:
        here -= 1
        if rows[here].depth < depth:
            depth = rows[here].depth
            if rows[here].name:
                above.add(_said(rows[here]))
    return _Surroundings(
        frozenset(above),
        tuple(_said(row) for row in rows[max(0, at - _NEAR) : at][::-1]),
        tuple(_said(row) for row in rows[at + 1 : at + 1 + _NEAR]),
        at / len(rows),
    )


def _said(row: Row) -> tuple[str, str]:
    return row.role, clean_text(row.name)
