"""The end of a drag onto an element: the pointer on its way to the target, and over it.

A drag goes, once it has begun, in one move to where the target is by then: items of a sortable list that the
pointer would cross on a longer way make room for it, and the target would be gone when the pointer comes.
There it rests, and moves again: a page may take no notice of the first move (SortableJS ignores what comes
within 30 ms of its last change), or learn by it only that something is over the target.

When the target has moved since the pointer came, the page decides what that means:

- The target went together with what holds it (the page scrolled): the pointer follows.
- The target made room among its siblings: that is what the drag was to do. The pointer stays.

Pages that render a list anew put other nodes in the place of source and target. The drag goes on with the new
target where that passes the check which ids pass, and stands where the old one stood, or beside an equal of
the source that stands there (`injected/drop_renewed.js`).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.geometry import points_between
from hybridsnap.act.hit_target import find_hit_point, project_frame
from hybridsnap.act.mouse import check_steps
from hybridsnap.act.pointer import check_point, went_on
from hybridsnap.act.refusals import stale
from hybridsnap.act.remote_call import call_with, find_node, read_result
from hybridsnap.capture.scope import id_of_place
from hybridsnap.errors import CommandUnanswered, StaleElement
from hybridsnap.injected import script
from hybridsnap.protocol.plan import Failure, gather_outcomes

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.act.geometry import Projection
    from hybridsnap.act.hit_target import HitPoint, HitRequest
    from hybridsnap.act.pointer import Mouse
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.model import ElementId
    from hybridsnap.protocol.plan import Command, Plan
    from hybridsnap.protocol.replies import CallResult

#: Seconds over the target after each move there. SortableJS ignores `dragover` for 30 ms after a change, and
#: looks every 50 ms where it does without HTML's drag and drop.
HOLD: float = 0.06
#: The same before HTML's drag and drop ends: pages that look at `dragover` every 200 ms (as WordPress's list
#: of blocks does) have then seen the last one. Measured with such a page: of 6 drags 0.06 s loses 2 to 5,
#: 0.15 s one, 0.2 s none.
NATIVE_HOLD: float = 0.25
#: CSS px beyond the middle of an item of the same list: where sortable lists change two items, coming from
#: either side; and before that of an item of another list, whose place is taken. No more than this share of
#: its size.
BEYOND: float = 3.0
_SHARE = 0.2
#: How often the pointer follows a target that scrolls.
_FOLLOWS = 4
#: CSS px by which a target must have moved to have moved.
_MOVED = 1.0
_LOOK, _UNDER, _RENEWED = script("drop_look"), script("drop_under"), script("drop_renewed")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DragOptions:
    """How to drag onto an element.

    Attributes:
        target_position: where to let go: CSS px from the top left corner of the target's bounding box; None
            chooses a point that is free, its middle if possible.
        steps: moves on the way from the source to the target.
        hold: seconds for which the pointer rests over the target, after each of two moves there; None for
            `HOLD`, and `NATIVE_HOLD` before the end of HTML's own drag and drop.

    Raises:
        TypeError, ValueError: one of them is none of these.
    """

    target_position: tuple[float, float] | None = None
    steps: int = 1
    hold: float | None = None

    def __post_init__(self) -> None:
        if self.target_position is not None:
            check_point(self.target_position, "target_position")
        check_steps(self.steps)
        hold: Any = self.hold
        if hold is None:
            return
        if isinstance(hold, bool) or not isinstance(hold, (int, float)) or not 0 <= hold < math.inf:
            raise ValueError(f"hold: expected a number of seconds, got {self.hold!r}")


class _Seen(msgspec.Struct):
    box: tuple[float, float, float, float] | None
    origin: tuple[float, float]
    over: str
    alike: bool
    akin: bool
    clear: bool
    back: bool
    native: bool
    changed: str = ""


class Drop:
    """The end of a drag: the pointer on its way to the target, and over it. Its methods are plans.

    Args:
        resolver: of the page.
        source: what is dragged.
        target: where it is to be let go.
        goal: what is wanted of the point there.
        way: where in the target, in how many steps, and how long over it.
        mouse: that drags; None where the target is only looked at.
        spot: the point of the target, as far as one is known before `aim`.
    """

    def __init__(
        self,
        resolver: NodeResolver,
        source: Element,
        target: Element,
        goal: HitRequest,
        way: DragOptions,
        mouse: Mouse | None,
        spot: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self._resolver = resolver
        self._source = source
        self._target = target
        self._goal = dataclasses.replace(goal, force=True)
        self._way = way
        self._hold = HOLD if way.hold is None else way.hold
        self._mouse = mouse
        self._outward: Projection | None = None
        self._inward: Projection | None = None
        #: The point of the target that was aimed at, in CSS px of the main viewport.
        self._spot = spot
        #: Where the pointer is, or goes, in CSS px of the main viewport.
        self.point: tuple[float, float] = (0.0, 0.0)
        #: What kept the page from answering.
        self.came: str = ""
        self.over: tuple[ElementId, str, str] | None = None
        self.made_room: bool = False
        #: The page has rendered the target anew.
        self.renewed: bool = False

    def aim(self, sight: HitPoint | None = None) -> Plan[None]:
        """Where the target is now."""
        if sight is None:
            try:
                sight = yield from find_hit_point(self._resolver, self._target, self._goal)
            except StaleElement as error:
                if error.reason != "detached":
                    raise
                yield from self._project()
                if not (yield from self._renew()):
                    raise
                sight = yield from find_hit_point(self._resolver, self._target, self._goal)
        self.point = self._spot = (sight.x, sight.y)
        yield from self._project()

    def _project(self) -> Plan[None]:
        projection = yield from project_frame(self._resolver, self._target, self._goal.action)
        self._outward = projection
        self._inward = None if projection is None else projection.inverse()

    def _renew(self, *, alone: bool = True) -> Plan[bool]:
        """Whether the page has rendered the target anew; the new node is the target then.

        Args:
            alone: without the source, which else may have taken the place of the target.

        Raises:
            StaleElement: what stands for the target is something else.
        """
        spot = None if self._inward is None else self._inward.apply(*self._spot)
        if spot is None or self._target.verify is None:
            return False
        call = self._called(_RENEWED, spot, alone=alone)
        place = yield from find_node(self._resolver, self._target.place, call)
        held = None if place is None else (yield from self._resolver.held(place))
        if held is None:
            return False
        self._target = yield from self._target.verify(held)
        self.renewed = True
        return True

    def come(self, start: tuple[float, float], came: str) -> Plan[None]:
        """From `start` to the target, until the pointer is where the source is to be let go."""
        self.came = came
        for follow in range(_FOLLOWS):
            yield from self.aim()
            before = yield from self.look(0)
            self._refuse_changed(before)
            target = self._target
            middle = self._middle(before)
            beyond = self._beyond(start, middle, before)
            for point in points_between(start, beyond, self._way.steps if not follow else 1):
                yield from self._move(point)
            seen = yield from self.look(self._hold)
            if before is None or seen is None:
                break
            self._note_room(target, before, seen)
            if self.made_room or self._target is not target or not _scrolled(before, seen):
                break
            start = self.point
        else:
            seen = None
        if (
            seen is not None
            and seen.alike
            and not (seen.native or self.made_room or self._way.target_position is not None)
        ):
            yield from self._sway(middle, beyond, seen)
        # The last comes twice, since a page that learns by the first that something is over it may only then
        # be ready to take it.
        yield from self._move(self.point)
        if before is not None:
            hold = NATIVE_HOLD if before.native and self._way.hold is None else self._hold
            last = yield from self.look(hold)
            if last is not None and last.box is None:
                raise stale(self._target, self._goal.action)
            self._note_room(target, before, last)
            # Items that make room move with what they say; where texts change, another may look as if it had.
            self._refuse_changed(last)
            self.over = yield from self._under()

    def _note_room(self, target: Element, before: _Seen, seen: _Seen | None) -> None:
        """Whether the target has made room; boxes do not tell of one rendered anew."""
        if self._target is target and seen is not None:
            self.made_room = self.made_room or _made_room(before, seen)

    def _refuse_changed(self, seen: _Seen | None) -> None:
        """Raise StaleElement where one of the two stands for another record by now: nothing is dropped."""
        if seen is not None and seen.changed:
            moved = self._source if seen.changed == "source" else self._target
            raise stale(moved, "drag" if seen.changed == "source" else self._goal.action, "identity changed")

    def _sway(self, middle: tuple[float, float], beyond: tuple[float, float], before: _Seen) -> Plan[None]:
        """A little to one side of the middle and to the other, until the target makes room.

        A sortable grid of jQuery UI asks in which direction the pointer goes, not whence it has come. It does
        without HTML's drag and drop.
        """
        target = self._target
        aside = -BEYOND if before.back else BEYOND
        for point in ((middle[0] + aside, beyond[1]), (middle[0] - aside, beyond[1]), beyond):
            yield from self._move(point)
            seen = yield from self.look(self._hold)
            self._note_room(target, before, seen)
            if seen is None or self.made_room or self._target is not target:
                return

    def _middle(self, seen: _Seen | None) -> tuple[float, float]:
        """The target's middle, of a text in an item of a list the item's; else the free point aimed at."""
        if seen is None or seen.box is None or not seen.clear or self._way.target_position is not None:
            return self.point
        left, top, right, bottom = seen.box
        outward = self._outward
        return (outward and outward.apply((left + right) / 2, (top + bottom) / 2)) or self.point

    def _beyond(
        self, start: tuple[float, float], middle: tuple[float, float], seen: _Seen | None
    ) -> tuple[float, float]:
        if seen is None or seen.box is None or self._way.target_position is not None:
            return middle
        left, top, right, bottom = seen.box
        sizes = (right - left, bottom - top)
        if seen.akin and seen.clear:
            # SortableJS puts an item of another list before the target or after it, and not at its middle.
            x, y = (at - min(BEYOND, _SHARE * size) for at, size in zip(middle, sizes, strict=True))
            return x, y
        if not seen.alike:
            return middle
        way = [
            math.copysign(min(BEYOND, _SHARE * size), to - come) if abs(to - come) > BEYOND else 0.0
            for come, to, size in zip(start, middle, sizes, strict=True)
        ]
        return middle[0] + way[0], middle[1] + way[1]

    def _move(self, point: tuple[float, float]) -> Plan[None]:
        assert self._mouse is not None
        self.point = point
        self.came = self.came or went_on((yield from gather_outcomes(self._mouse.move(*point, pressed=True))))

    def look(self, rest: float) -> Plan[_Seen | None]:
        """The target, `rest` seconds and two frames later; None when the page does not answer."""
        seen = yield from self._looked(rest)
        if seen is None or seen.box is not None:
            return seen
        if not (yield from self._renew()):
            if not (yield from self._renew(alone=False)):
                return seen
            self.made_room = True
        return (yield from self._looked(0))

    def _looked(self, rest: float) -> Plan[_Seen | None]:
        local = self._local()
        if local is None or self.came:
            return None
        call = self._called(_LOOK, local, {"value": rest * 1000}, by_value=True)
        (outcome,) = yield from gather_outcomes(call)
        if isinstance(outcome, Failure):
            if isinstance(outcome.error, CommandUnanswered):
                self.came = went_on([outcome])
            return None
        return read_result(outcome, _Seen)

    def _under(self) -> Plan[tuple[ElementId, str, str] | None]:
        local = self._local()
        if local is None or self.came:
            return None
        under = yield from find_node(self._resolver, self._target.place, self._called(_UNDER, local))
        return None if under is None else ((yield from id_of_place(self._resolver, under)), "", "")

    def _called(
        self,
        function: str,
        local: tuple[float, float],
        *more: dict[str, Any],
        alone: bool = False,
        **result: bool,
    ) -> Command[CallResult]:
        """A function on the target, with a point and, unless `alone`, the source, if in the same world."""
        place = self._target.place
        same = self._source.place.frame == place.frame and not alone
        node = {"objectId": self._source.place.object_id} if same else {"value": None}
        given = [node, {"value": local[0]}, {"value": local[1]}, *more]
        on = {"objectId": place.object_id}
        return call_with(self._resolver, place.session, place.frame, on, function, given, **result)

    def _local(self) -> tuple[float, float] | None:
        """The pointer in the viewport of the target's frame."""
        return None if self._inward is None else self._inward.apply(*self.point)


def _shift(before: _Seen, after: _Seen) -> tuple[float, float]:
    """By how much what holds the target has moved."""
    return after.origin[0] - before.origin[0], after.origin[1] - before.origin[1]


def _made_room(before: _Seen, after: _Seen) -> bool:
    """Whether the target has moved among its siblings, or is gone."""
    if before.box is None or after.box is None:
        return before.box is not None
    x, y = _shift(before, after)
    return max(abs(after.box[0] - before.box[0] - x), abs(after.box[1] - before.box[1] - y)) > _MOVED


def _scrolled(before: _Seen, after: _Seen) -> bool:
    """Whether the target has moved together with what holds it, away from under the pointer."""
    return max(map(abs, _shift(before, after))) > _MOVED
