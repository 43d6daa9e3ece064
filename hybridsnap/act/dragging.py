"""Dragging an element onto another, or from one point to another.

How the pointer goes on once the drag has begun is `hybridsnap.act.dropping`.

A drag that cannot end where it was to end is broken off: the pointer goes back over the place where the drag
began, a little beyond it first, rests there, and the button is let go outside of the view. Measured with
dnd-kit, @hello-pangea/dnd, SortableJS (with HTML's drag and drop and without) and jQuery UI: each has the
old order again then. Let go outside at once, each kept the new one; Escape before that helped in two of six.
At its own place the source would be clicked. What follows the pointer freely ends outside of the view.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from hybridsnap.act.dropping import BEYOND, HOLD, DragOptions, Drop
from hybridsnap.act.element import describe
from hybridsnap.act.finding import found_element
from hybridsnap.act.geometry import points_between
from hybridsnap.act.hit_target import HitRequest, count_retries, find_hit_point
from hybridsnap.act.naming import name_id
from hybridsnap.act.pointer import (
    TRIES,
    Hit,
    Mouse,
    hold_keys,
    keys_down_for,
    point_over,
    went_on,
)
from hybridsnap.act.press_guard import PressGuard
from hybridsnap.act.refusals import blame_frame, stale
from hybridsnap.act.remote_call import call_on
from hybridsnap.errors import (
    ActionError,
    CommandRefused,
    CommandUnanswered,
    ElementCovered,
    SessionEnded,
)
from hybridsnap.protocol.commands import get_frame_tree
from hybridsnap.protocol.plan import Failure, gather_outcomes, pause

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hybridsnap.act.element import Element
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.hit_target import HitPoint
    from hybridsnap.act.pointer import PointerOptions
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import ElementId, LoaderId
    from hybridsnap.protocol.plan import Command, Plan

#: Moves of a drag between points: a page that draws, or asks how far the pointer went, sees a way and not a
#: jump.
_STEPS = 10
#: CSS px after which a press has become a drag; Chromium takes more than 3 for one.
_BEGIN = 8.0
#: Where a drag that failed is let go.
_AWAY = (-20.0, -20.0)
#: Asked of an element: that it is answered says that its document is there.
_THERE = "function () { return true; }"
#: What a receipt says of a drag that lost the document it began in.
_CALLED_OFF = "the document that it began in was replaced: the drag was called off, nothing was dropped"
_RENDERED_ANEW = "the page rendered the target anew while it was dragged; it has another id now"
#: What is said of a drag that was broken off.
_BROKEN_OFF = "it was broken off, back at its start, and let go out of view: see what the page made of it"


@dataclasses.dataclass(frozen=True, slots=True)
class Dropped(Hit):
    """Where the source was let go.

    Attributes:
        over: id, role and name of the element under the pointer, seen through the dragged element; None where
            there was none, or the page could not say.
        made_room: the target moved aside when the pointer came.
        target: that was named.
    """

    over: tuple[ElementId, str, str] | None = None
    made_room: bool = False
    target: Element | None = None


def drag_onto(
    resolver: NodeResolver,
    history: ElementHistory,
    source: Element,
    target: str,
    options: PointerOptions,
    way: DragOptions,
) -> Plan[Dropped]:
    """Drag an element onto the one that `target` names; what lay under the drop counts as shown.

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
    return dropped


def tell_dropped(dropped: Dropped) -> tuple[dict[str, Any], list[str]]:
    """Of `drag_onto`: the receipt's value and details."""
    over, target = dropped.over, dropped.target
    assert target is not None
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
        return value, [f"let go where {target.description} had been: it moved during the drag; over {what}"]
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
        yield from _check_taken(guard, sight, source)
        with blame_frame(target, goal.action):
            drop = Drop(resolver, source, target, goal, way, mouse, (first.x, first.y))
            yield from drop.come(start, came)
    except Exception as error:
        # The source has gone, or the target cannot be reached, or is another now.
        called_off = yield from _break_off(resolver, source, mouse, up, (x, y), start)
        if isinstance(error, ActionError):
            error.partial = True
            done = called_off or _BROKEN_OFF
            error.args = (f"the drag had begun; {done}: {error.message}", *error.args[1:])
        raise
    came = drop.came
    renewed = _RENDERED_ANEW if drop.renewed else ""
    hit = yield from _let_go(mouse, drop.point, up, lambda: _source_gone(resolver, source))
    notes = dict.fromkeys((*sight.notes, *count_retries(retries), renewed, came, *hit.notes))
    return Dropped(hit.x, hit.y, tuple(note for note in notes if note), drop.over, drop.made_room, target)


def _reachable(resolver: NodeResolver, source: Element, target: Element, goal: HitRequest) -> Plan[HitPoint]:
    """A point of the target. The dragged source does not count as a cover: it will have moved."""
    try:
        return (yield from find_hit_point(resolver, target, goal))
    except ElementCovered as error:
        if source.place.frame != target.place.frame:
            raise
        sight = yield from find_hit_point(resolver, target, dataclasses.replace(goal, force=True))
        drop = Drop(resolver, source, target, goal, DragOptions(hold=0), None)
        yield from drop.aim(sight)
        seen = yield from drop.look(0)
        if seen is None or seen.over != "target":
            raise error from None
        return dataclasses.replace(sight, notes=())


def _toward(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """A little way along: enough for a drag to begin."""
    far = math.dist(start, end)
    share = min(1.0, _BEGIN / far) if far else 0.0
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def _check_taken(guard: PressGuard, sight: HitPoint, source: Element) -> Plan[None]:
    """See that HTML's drag and drop, if it is that, did not begin with another element; so it was stopped.

    Raises:
        StaleElement: it would have.
    """
    seen = yield from guard.end(sight)
    if seen is not None and seen.stray:
        error = stale(source, "drag")
        words = "what stands in its place by now would have been dragged; take a snapshot and use its ids"
        error.args = (f"cannot drag {source.description}: {words}", *error.args[1:])
        raise error


def _break_off(
    resolver: NodeResolver,
    source: Element,
    mouse: Mouse,
    up: Command[None],
    begin: tuple[float, float],
    toward: tuple[float, float],
) -> Plan[str]:
    """Let go where nothing is dropped, and what was reordered for the drag is put back before.

    Returns:
        A note when the document that the drag began in is gone; empty otherwise.
    """
    called_off = yield from _source_gone(resolver, source)
    if not called_off:
        far = math.dist(begin, toward) or 1.0
        beyond = tuple(at - (to - at) / far * BEYOND for at, to in zip(begin, toward, strict=True))
        for x, y in (beyond, begin):
            yield from gather_outcomes(mouse.move(x, y, pressed=True))
            yield from pause(HOLD)
    # Outside of the view, where nothing takes it: over the place it came from another may stand by now.
    away = mouse.up(*_AWAY, 1, discharges=(up, mouse.cancel))
    yield from gather_outcomes(mouse.cancel, mouse.move(*_AWAY, pressed=True), away, *mouse.keys_up)
    return called_off


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
