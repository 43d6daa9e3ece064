"""Dragging an element onto another, or from one point to another.

A drag onto an element goes, once it has begun, in one move to where the target is by then: items of a
sortable list that the pointer would cross on a longer way make room for it, and the target would be gone when
the pointer comes. There it rests, and moves again: a page may take no notice of the first move (SortableJS
ignores what comes within 30 ms of its last change), or learn by it only that something is over the target.

When the target has moved since the pointer came, the page decides what that means:

- The target went together with what holds it (the page scrolled): the pointer follows.
- The target made room among its siblings: that is what the drag was to do. The pointer stays.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.element import describe
from hybridsnap.act.finding import found_element
from hybridsnap.act.geometry import points_between
from hybridsnap.act.hit_target import (
    HitRequest,
    count_retries,
    find_hit_point,
    project_frame,
)
from hybridsnap.act.mouse import check_steps
from hybridsnap.act.naming import name_id
from hybridsnap.act.pointer import (
    TRIES,
    Hit,
    Mouse,
    check_point,
    hold_keys,
    keys_down_for,
    point_over,
    went_on,
)
from hybridsnap.act.press_guard import PressGuard
from hybridsnap.act.refusals import blame_frame, stale
from hybridsnap.act.remote_call import call_on, call_with, read_result
from hybridsnap.capture.scope import id_of_place
from hybridsnap.errors import ActionError, CommandRefused, CommandUnanswered, ElementCovered, SessionEnded
from hybridsnap.injected import script
from hybridsnap.protocol.commands import get_frame_tree
from hybridsnap.protocol.plan import Failure, gather_outcomes, pause

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hybridsnap.act.element import Element
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.geometry import Projection
    from hybridsnap.act.hit_target import HitPoint
    from hybridsnap.act.pointer import PointerOptions
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import ElementId, LoaderId
    from hybridsnap.protocol.plan import Command, Plan
    from hybridsnap.protocol.replies import CallResult

#: Moves of a drag between points: a page that draws, or asks how far the pointer went, sees a way and not a
#: jump.
_STEPS = 10
#: CSS px after which a press has become a drag; Chromium takes more than 3 for one.
_BEGIN = 8.0
#: Seconds over the target after each move there. SortableJS ignores `dragover` for 30 ms after a change, and
#: looks every 50 ms where it does without HTML's drag and drop.
_HOLD = 0.06
#: CSS px beyond the middle of an item of the same list: where sortable lists change two items, coming from
#: either side; and before that of an item of another list, whose place is taken. No more than this share of
#: its size.
_BEYOND, _SHARE = 3.0, 0.2
#: Where a drag that failed is let go.
_AWAY = (-20.0, -20.0)
#: How often the pointer follows a target that scrolls.
_FOLLOWS = 4
#: CSS px by which a target must have moved to have moved.
_MOVED = 1.0
_LOOK, _UNDER = script("drop_look"), script("drop_under")
#: Asked of an element: that it is answered says that its document is there.
_THERE = "function () { return true; }"
#: What a receipt says of a drag that lost the document it began in.
_CALLED_OFF = "the document that it began in was replaced: the drag was called off, nothing was dropped"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DragOptions:
    """How to drag onto an element.

    Attributes:
        target_position: where to let go: CSS px from the top left corner of the target's bounding box; None
            chooses a point that is free, its middle if possible.
        steps: moves on the way from the source to the target.
        hold: seconds for which the pointer rests over the target, after each of two moves there.

    Raises:
        TypeError, ValueError: one of them is none of these.
    """

    target_position: tuple[float, float] | None = None
    steps: int = 1
    hold: float = _HOLD

    def __post_init__(self) -> None:
        if self.target_position is not None:
            check_point(self.target_position, "target_position")
        check_steps(self.steps)
        hold: Any = self.hold
        if isinstance(hold, bool) or not isinstance(hold, (int, float)) or not 0 <= hold < math.inf:
            raise ValueError(f"hold: expected a number of seconds, got {self.hold!r}")


@dataclasses.dataclass(frozen=True, slots=True)
class Dropped(Hit):
    """Where the source was let go.

    Attributes:
        over: id, role and name of the element under the pointer, seen through the dragged element; None where
            there was none, or the page could not say.
        made_room: the target moved aside when the pointer came.
    """

    over: tuple[ElementId, str, str] | None = None
    made_room: bool = False


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


def drag_onto(
    resolver: NodeResolver,
    history: ElementHistory,
    source: Element,
    target: str,
    options: PointerOptions,
    way: DragOptions,
) -> Plan[tuple[Dropped, Element]]:
    """Drag an element onto the one that `target` names; what lay under the drop counts as shown.

    Returns:
        Where it was let go, and the target.

    Raises:
        NotInteractable, ElementCovered, StaleElement, UnknownElement, SelectorError: of either.
    """
    onto, _ = yield from found_element(resolver, history, target, {})
    dropped = yield from drag_element(resolver, source, onto, options, way)
    if dropped.over is not None:
        try:
            named = yield from name_id(resolver, history, dropped.over[0])
        except (CommandRefused, SessionEnded, CommandUnanswered):
            named = None  # the drop led elsewhere
        if named is not None:
            dropped = dataclasses.replace(dropped, over=(named.id, named.role, named.name))
    return dropped, onto


def tell_dropped(done: tuple[Dropped, Element]) -> tuple[dict[str, Any], list[str]]:
    """Of `drag_onto`: the receipt's value and details."""
    dropped, target = done
    over = dropped.over
    value = {
        "x": dropped.x,
        "y": dropped.y,
        "over": None if over is None else over[0],
        "made_room": dropped.made_room,
    }
    what = "nothing" if over is None else f"{describe(*over[1:])} [{over[0]}]"
    if over is not None and over[0] == target.id:
        return value, [f"let go over {target.description}"]
    if dropped.made_room:
        return value, [f"let go where {target.description} had been: it made room; over {what}"]
    return value, [f"let go at {target.description}, over {what}"]


def drag_element(
    resolver: NodeResolver,
    source: Element,
    target: Element,
    options: PointerOptions,
    way: DragOptions | None = None,
) -> Plan[Dropped]:
    """Drag an element onto another: pressed on the first, let go over the second.

    In Chromium 156 plain mouse events also do HTML's drag and drop, headless too (measured). When both do not
    fit into the view, the page is scrolled once the drag has begun; before, Chromium would look for what is
    to be dragged where it no longer is (measured).

    Args:
        resolver: of the page.
        source: what to drag.
        target: where to let go. The source itself does not count as lying over it.
        options: button, modifiers, force, position (in the source), and as delay how long the button is down
            before the first move.
        way: where in the target, in how many steps, and how long over it.

    Raises:
        NotInteractable, ElementCovered, StaleElement: of either.
    """
    way = way or DragOptions()
    mouse = Mouse(resolver, options)
    goal = HitRequest(
        action="drop on", enabled=False, force=options.force, position=way.target_position, hollow=True
    )
    grip = HitRequest(action="drag", force=options.force, guarded=True, position=options.position)
    # What cannot be reached is refused before anything is pressed.
    with blame_frame(target, goal.action):
        first = yield from _reachable(resolver, source, target, goal)
    guard = PressGuard(resolver, source, grip)
    yield from guard.prepare()
    retries: list[str] = []
    while True:
        came = yield from keys_down_for(resolver, source, grip, mouse)
        sight = yield from guard.aim()
        x, y = sight.x, sight.y
        up = mouse.up(x, y, 1)
        came = went_on((yield from gather_outcomes(mouse.move(x, y), mouse.down(x, y, 1, up, sight)))) or came
        seen = yield from guard.end(sight, unless_stray=True)
        if seen is None or not seen.stray:
            break
        yield from gather_outcomes(up, *mouse.keys_up)
        last = bool(came) or len(retries) == TRIES - 1
        yield from guard.end(sight, keep_cover=last)
        yield from guard.check_stopped(seen, sight, last=last)
        retries.append("the page moved under the pointer")
    yield from pause(options.delay)
    start = _toward((x, y), (first.x, first.y))
    for point in points_between((x, y), start, 2):
        came = came or went_on((yield from gather_outcomes(mouse.move(*point, pressed=True))))
    try:
        with blame_frame(target, goal.action):
            drop = _Drop(resolver, source, target, goal, way, mouse)
            yield from drop.come(start, came)
    except Exception as error:
        # The target cannot be reached, or is another now.
        if isinstance(error, ActionError):
            error.partial = True
        # Outside of the view, where nothing takes it: over the place it came from another may stand by now.
        away = mouse.up(*_AWAY, 1, discharges=(up, mouse.cancel))
        yield from gather_outcomes(mouse.cancel, mouse.move(*_AWAY, pressed=True), away, *mouse.keys_up)
        raise
    came = drop.came
    hit = yield from _let_go(mouse, drop.point, up, lambda: _source_gone(resolver, source))
    notes = dict.fromkeys((*sight.notes, *count_retries(retries), came, *hit.notes))
    return Dropped(hit.x, hit.y, tuple(note for note in notes if note), drop.over, drop.made_room)


def _reachable(resolver: NodeResolver, source: Element, target: Element, goal: HitRequest) -> Plan[HitPoint]:
    """A point of the target. The dragged source does not count as a cover: it will have moved."""
    try:
        return (yield from find_hit_point(resolver, target, goal))
    except ElementCovered as error:
        if source.place.frame != target.place.frame:
            raise
        sight = yield from find_hit_point(resolver, target, dataclasses.replace(goal, force=True))
        drop = _Drop(resolver, source, target, goal, DragOptions(hold=0), None)
        yield from drop.aim(sight)
        seen = yield from drop.look(0)
        if seen is None or seen.over != "target":
            raise error from None
        return dataclasses.replace(sight, notes=())


class _Drop:
    """The end of a drag: the pointer on its way to the target, and over it. Its methods are plans."""

    def __init__(
        self,
        resolver: NodeResolver,
        source: Element,
        target: Element,
        goal: HitRequest,
        way: DragOptions,
        mouse: Mouse | None,
    ) -> None:
        self._resolver = resolver
        self._source = source
        self._target = target
        self._goal = dataclasses.replace(goal, force=True)
        self._way = way
        self._mouse = mouse
        self._outward: Projection | None = None
        self._inward: Projection | None = None
        #: Where the pointer is, or goes, in CSS px of the main viewport.
        self.point = (0.0, 0.0)
        #: What kept the page from answering.
        self.came = ""
        self.over: tuple[ElementId, str, str] | None = None
        self.made_room = False

    def aim(self, sight: HitPoint | None = None) -> Plan[None]:
        """Where the target is now."""
        if sight is None:
            sight = yield from find_hit_point(self._resolver, self._target, self._goal)
        self.point = (sight.x, sight.y)
        projection = yield from project_frame(self._resolver, self._target, self._goal.action)
        self._outward = projection
        self._inward = None if projection is None else projection.inverse()

    def come(self, start: tuple[float, float], came: str) -> Plan[None]:
        """From `start` to the target, until the pointer is where the source is to be let go."""
        self.came = came
        for follow in range(_FOLLOWS):
            yield from self.aim()
            before = yield from self.look(0)
            self._refuse_changed(before)
            middle = self._middle(before)
            beyond = self._beyond(start, middle, before)
            for point in points_between(start, beyond, self._way.steps if not follow else 1):
                yield from self._move(point)
            seen = yield from self.look(self._way.hold)
            if before is None or seen is None:
                break
            self.made_room = _made_room(before, seen)
            if self.made_room or not _scrolled(before, seen):
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
            last = yield from self.look(self._way.hold)
            self.made_room = self.made_room or (last is not None and _made_room(before, last))
            if last is not None and last.box is None:
                raise stale(self._target, self._goal.action)
            # Items that make room move with what they say; where texts change, another may look as if it had.
            self._refuse_changed(last)
            self.over = yield from self._under()

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
        aside = -_BEYOND if before.back else _BEYOND
        for point in ((middle[0] + aside, beyond[1]), (middle[0] - aside, beyond[1]), beyond):
            yield from self._move(point)
            seen = yield from self.look(self._way.hold)
            if seen is None or _made_room(before, seen):
                self.made_room = seen is not None
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
            x, y = (at - min(_BEYOND, _SHARE * size) for at, size in zip(middle, sizes, strict=True))
            return x, y
        if not seen.alike:
            return middle
        way = [
            math.copysign(min(_BEYOND, _SHARE * size), to - come) if abs(to - come) > _BEYOND else 0.0
            for come, to, size in zip(start, middle, sizes, strict=True)
        ]
        return middle[0] + way[0], middle[1] + way[1]

    def _move(self, point: tuple[float, float]) -> Plan[None]:
        assert self._mouse is not None
        self.point = point
        self.came = self.came or went_on((yield from gather_outcomes(self._mouse.move(*point, pressed=True))))

    def look(self, rest: float) -> Plan[_Seen | None]:
        """The target, `rest` seconds and two frames later; None when the page does not answer."""
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
        (outcome,) = yield from gather_outcomes(self._called(_UNDER, local))
        if isinstance(outcome, Failure):
            return None
        place, handle = self._target.place, outcome.value.result.object_id
        under = yield from self._resolver.at_handle(place.session, place.frame, handle)
        return None if under is None else ((yield from id_of_place(self._resolver, under)), "", "")

    def _called(
        self, function: str, local: tuple[float, float], *more: dict[str, Any], **result: bool
    ) -> Command[CallResult]:
        """A function on the target, with the source, where it is in the same world, and the pointer."""
        place = self._target.place
        same = self._source.place.frame == place.frame
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


def _toward(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """A little way along: enough for a drag to begin."""
    far = math.dist(start, end)
    share = min(1.0, _BEGIN / far) if far else 0.0
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def _source_gone(resolver: NodeResolver, source: Element) -> Plan[str]:
    """A note when the document that an element was in is gone, or cannot be asked; empty otherwise."""
    (outcome,) = yield from gather_outcomes(call_on(resolver, source.place, _THERE))
    return _called_off(outcome, source.place.session) if isinstance(outcome, Failure) else ""


def _documents_gone(resolver: NodeResolver, loaders: Mapping[int, LoaderId]) -> Plan[str]:
    """A note when the root frame of a session shows another document than before; empty otherwise."""
    outcomes = yield from gather_outcomes(*(get_frame_tree(resolver.id_of(session)) for session in loaders))
    for outcome, (session, loader) in zip(outcomes, loaders.items(), strict=True):
        if isinstance(outcome, Failure):
            return _called_off(outcome, session)
        if outcome.value.frame.loader_id != loader:
            return _CALLED_OFF
    return ""


def _called_off(outcome: Failure, session: int) -> str:
    """Why the document could not be asked: it is gone, or the whole page is, or does not answer."""
    of_page = isinstance(outcome.error, SessionEnded) and session == 0
    return went_on([outcome]) if of_page or isinstance(outcome.error, CommandUnanswered) else _CALLED_OFF


def _let_go(
    mouse: Mouse, end: tuple[float, float], up: Command[None], gone: Callable[[], Plan[str]]
) -> Plan[Hit]:
    """Let go of the button. Without the document that the drag began in (`gone`) the drag is called off."""
    called_off = yield from gone()
    if called_off:
        yield from gather_outcomes(mouse.cancel)
    dropped = yield from gather_outcomes(mouse.up(*end, 1, discharges=(up, mouse.cancel)))
    came = called_off or went_on(dropped)
    came = went_on((yield from gather_outcomes(*mouse.keys_up))) or came
    return Hit(*end, (came,) if came else ())


def drag_at(
    resolver: NodeResolver,
    start: tuple[float, float],
    end: tuple[float, float],
    options: PointerOptions,
    place: NodeRef | None = None,
    *,
    steps: int = _STEPS,
    hold: float = 0.0,
) -> Plan[Hit]:
    """Drag from one point of the main viewport to another. CSS px.

    Args:
        resolver: of the page.
        start: where the button goes down.
        end: where the button is let go.
        options: button, modifiers; as delay how long the button is down before the first move.
        place: what is at the start, with a handle, as far as it is known.
        steps: moves on the way.
        hold: seconds at the end before the button is let go.
    """
    notes = yield from point_over(resolver, place, *start, options)
    mouse = Mouse(resolver, options)
    up = mouse.up(*start, 1)
    yield from resolver.main_frame()
    # Whoever has looked for what stands at the point has asked the sessions of all the frames on the way.
    loaders = {session: frames[0].loader_id for session, frames in resolver.trees.items()}
    came = yield from hold_keys(mouse)
    came = went_on((yield from gather_outcomes(mouse.move(*start), mouse.down(*start, 1, up)))) or came
    yield from pause(options.delay)
    # One by one: what is sent together is one move for the page. The last comes twice, since a page that
    # learns by the first that something is over it may only then be ready to take it.
    points = points_between(start, end, steps)
    for x, y in points:
        came = came or went_on((yield from gather_outcomes(mouse.move(x, y, pressed=True))))
    yield from pause(hold)
    came = came or went_on((yield from gather_outcomes(mouse.move(*end, pressed=True))))
    hit = yield from _let_go(mouse, end, up, lambda: _documents_gone(resolver, loaders))
    return dataclasses.replace(hit, notes=(*notes, *([came] if came else []), *hit.notes))
