"""Where to point at an element: the plans that find a free point, and stand guard over it.

1. In the element's own frame (`hybridsnap.act.probes`, one call): its state, its rest over two frames, its
   visible parts, and of these a point where the frame's hit test finds it; scrolled if that needs it.
2. For each frame around it: that the point, carried over, leads into the frame.
3. Guards, set in the call that has just hit-tested the point once more: what would press something else is
   stopped before the page sees it (but for what listens on the window itself since before). Those of the
   frames beside are `hybridsnap.act.bystanders`.

An element of the main frame takes one round trip for all three.
"""

from __future__ import annotations

import dataclasses
import uuid
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.act.calling import call_on, read_result
from hybridsnap.act.geometry import IDENTITY, project_viewport
from hybridsnap.act.probes import AIM, ARM, END, PASSES, REST, STANDS
from hybridsnap.act.refusals import cover_error, is_gone, refuse, stale, take_cover
from hybridsnap.errors import CommandRefused, CommandUnanswered, SelectorError
from hybridsnap.model import ElementId
from hybridsnap.protocol.commands import get_box_model
from hybridsnap.protocol.plan import Answer, batch, pause, settle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.geometry import Projection
    from hybridsnap.capture.locating import Locator, Place
    from hybridsnap.errors import ElementCovered, NotInteractable
    from hybridsnap.protocol.plan import Command, Plan
    from hybridsnap.protocol.replies import CallResult

#: How an element is scrolled into view, in turn: not at all, as little as need be, and so that what sticks to
#: one edge of the page does not lie over it.
_SCROLLS = ("", "nearest", "center", "end", "start")
#: Seconds that one call waits for an element to come to rest; then the plan looks at what time is left.
_REST = 0.5
#: Seconds that are kept back to say that it did not.
_RESERVE = 0.3
#: Seconds in which a frame's scrolling has reached the frames around it in other processes (17 ms, measured).
_REMOTE_SCROLL = 0.03
#: How often a refusal that passes is tried again, and seconds before that.
_TRIES, _BREATH = 4, 0.04
#: Guards that stand say so within this, or their page is busy.
_STANDING_SECONDS = 0.15
#: Chromium's words for what passes: a node whose layout is just being made anew.
_PASSING = (
    "Could not compute box model",
    "Could not compute content quads",
    "Node does not have a layout object",
)


class _Found(msgspec.Struct):
    """What a probe says. ``reason`` is empty when there is a point."""

    reason: str
    points: tuple[tuple[float, float], ...] = ()
    label: bool = False
    size: tuple[float, float] = (0, 0)
    clock: float = 0.0
    passed: tuple[bool, ...] = ()


class Guarded(msgspec.Struct):
    """What a guard saw.

    Attributes:
        reached: presses that reached the element.
        arrived: events of presses that came to its frame or those around it, whatever became of them; -1
            where nobody counts.
        stray: one would have reached another, and was stopped.
        slipped: the button was let go over another node: the element moved while it was pressed.
    """

    reached: int
    stray: bool
    slipped: bool = False
    arrived: int = -1

    @property
    def lost(self) -> bool:
        """Nobody has got a press: it can be done again."""
        return self.arrived == 0 and not self.reached and not self.stray


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What is wanted of a point.

    Attributes:
        action: in words, for messages: ``click``.
        enabled: a disabled element is refused.
        force: it need not be free, at rest, or enabled.
        guarded: guards are to stand, until `end_guards`.
        position: the point itself, from the element's top left corner.
        presses: for so many the guards stand.
        hold_ms: how long the button is held down in all.
    """

    action: str
    enabled: bool = True
    force: bool = False
    guarded: bool = False
    position: tuple[float, float] | None = None
    presses: int = 1
    hold_ms: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Sight:
    """A point at which an element can be hit.

    Attributes:
        x: CSS px of the main viewport.
        y: likewise.
        key: names its guards.
        places: where guards stand: the element, then the owners of the frames around it.
        notes: what was special.
        clock: the page's own when it was looked at, in milliseconds since 1970.
    """

    x: float
    y: float
    key: str
    places: tuple[Place, ...]
    notes: tuple[str, ...] = ()
    clock: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class _Blocked:
    """Why a point does not do, and the node whose frame says so."""

    at: Place
    reason: str


@dataclasses.dataclass(frozen=True, slots=True)
class Owner:
    """An element that holds a frame on the way to an element.

    Attributes:
        place: its own, with a handle.
        session: of the frame that it holds.
    """

    place: Place
    session: int


def aim_at(locator: Locator, element: Element, aim: Aim) -> Plan[Sight]:
    """Find a point at which an element can be hit.

    Raises:
        StaleElement: it is in no document any more.
        NotInteractable: its state does not allow it, or no point of it can be brought into view.
        ElementCovered: something else lies over every point of it.
    """
    refusals: list[str] = []
    while True:
        try:
            sight = yield from _aimed(locator, element, element.place, aim)
        except CommandRefused as error:
            if is_gone(error):
                # Never resolved anew: in another document the same number may be another element's.
                raise stale(element, aim.action, "navigated") from None
            if not error.reason.startswith(_PASSING) or len(refusals) == _TRIES:
                raise
            refusals.append(error.reason)
            yield from pause(_BREATH * len(refusals))
        else:
            return dataclasses.replace(sight, notes=(*sight.notes, *count_retries(refusals)))


def count_retries(reasons: Sequence[str]) -> list[str]:
    """Notes of what was tried again: ``retried once: Could not compute box model.``."""
    counted = {reason: reasons.count(reason) for reason in reasons}
    words = {1: "once", 2: "twice"}
    return [
        f"retried {words.get(count, f'{count} times')}: {reason.rstrip('.')}"
        for reason, count in counted.items()
    ]


def _aimed(locator: Locator, element: Element, place: Place, aim: Aim) -> Plan[Sight]:
    owners = yield from owners_around(locator, element, place, aim.action)
    key = uuid.uuid4().hex
    if not owners:
        found, _ = yield from _rested(locator, element, place, key, aim, _SCROLLS, owners)
        if found.reason:
            raise (yield from _refusal(locator, element, place, key, found.reason, aim))
        x, y = found.points[0]
        return Sight(x, y, key, (place,) if aim.guarded else (), tuple(_notes(found, aim)), found.clock)
    remote = any(owner.place.session != owner.session for owner in owners)
    blocked = _Blocked(place, "off screen")
    for scroll in (*_SCROLLS, ""):
        found, sizes = yield from _rested(locator, element, place, key, aim, (scroll,), owners)
        if found.reason:
            blocked = _Blocked(place, found.reason)
            continue
        if scroll and remote:
            yield from pause(_REMOTE_SCROLL)
        came = yield from _through(locator, owners, place, found, sizes, key, aim)
        if isinstance(came, Sight):
            return came
        blocked = came or blocked
    raise (yield from _refusal(locator, element, blocked.at, key, blocked.reason, aim))


def _notes(found: _Found, aim: Aim) -> Iterator[str]:
    if aim.force:
        yield "forced"
    if found.label:
        yield "at its label"


def owners_around(locator: Locator, element: Element, place: Place, action: str) -> Plan[tuple[Owner, ...]]:
    """The elements that hold the frames around a node, the outermost first.

    Raises:
        StaleElement: a frame is out of the page.
    """
    found: list[Owner] = []
    here: Place | None = place
    while here is not None:
        try:
            above = yield from locator.owner(here)
        except SelectorError:
            raise stale(element, action, "frame gone") from None
        if above is None:
            break
        held = yield from locator.held(above)
        if held is None:
            raise stale(element, action, "frame gone")
        found.append(Owner(held, here.session))
        here = held
    return tuple(reversed(found))


def _rested(
    locator: Locator,
    element: Element,
    place: Place,
    key: str,
    aim: Aim,
    scrolls: Sequence[str],
    owners: Sequence[Owner],
) -> Plan[tuple[_Found, list[tuple[float, float]]]]:
    """Points in the element's own frame, once it and the frames around it stand still.

    Returns:
        The points, and the size of each owner's frame's viewport.

    Raises:
        NotInteractable, StaleElement: the state of the element, or of a frame around it, does not allow it.
    """
    arm = aim.guarded and not aim.force and not owners
    limit = _REST
    while True:
        asked = {
            "key": key,
            "limit": limit * 1000,
            "enabled": aim.enabled,
            "force": aim.force,
            "position": aim.position,
            "scrolls": list(scrolls),
            "many": bool(owners),
            "arm": [aim.presses, aim.hold_ms] if arm else None,
        }
        look = call_on(locator, place, AIM, asked, awaited=True)
        if arm:
            look = dataclasses.replace(look, undo=_end(locator, place, key))
        outcomes = yield from settle(
            look, *(call_on(locator, one.place, REST, limit * 1000, awaited=True) for one in owners)
        )
        found, *around = (read_result(outcome, _Found) for outcome in outcomes)
        remaining = outcomes[0].remaining
        reason, what = found.reason, ""
        for one in around:
            if one.reason and not aim.force:
                reason, what = one.reason, "the frame that it is in"
                break
        if reason == "detached":
            raise stale(element, aim.action, "frame gone" if what else "detached")
        if reason == "moving" and remaining > 2 * _RESERVE:
            limit = min(_REST, remaining - _RESERVE)
        elif reason in {"", "covered", "off screen", "inert", "pointer-events"}:
            return found, [one.size for one in (*around, found)][1:]
        else:
            raise refuse(element, aim.action, reason, what)


def _through(
    locator: Locator,
    owners: Sequence[Owner],
    place: Place,
    found: _Found,
    sizes: Sequence[tuple[float, float]],
    key: str,
    aim: Aim,
) -> Plan[Sight | _Blocked | None]:
    """A point of a frame, carried over into those around it; None when they have just changed."""
    projections = yield from _projections(locator, owners, sizes)
    ways = [way for point in found.points if (way := _way(point, projections)) is not None]
    if not ways:
        return _Blocked(place, "off screen")
    outcomes = yield from settle(
        *(
            call_on(locator, owner.place, PASSES, key, [way[number] for way in ways], aim.force)
            for number, owner in enumerate(owners)
        )
    )
    answers = [read_result(outcome, _Found) for outcome in outcomes]
    for owner, answer in zip(owners, answers, strict=True):
        if answer.reason:
            return _Blocked(owner.place, answer.reason)
    way = next((way for at, way in enumerate(ways) if all(one.passed[at] for one in answers)), None)
    if way is None:
        return _Blocked(place, "off screen")
    sight = Sight(*way[0], key, (), tuple(_notes(found, aim)), found.clock)
    if not aim.guarded or aim.force:
        return sight
    sight = dataclasses.replace(sight, places=(place, *(owner.place for owner in reversed(owners))))
    points = (way[-1], *reversed(way[:-1]))
    armed = yield from settle(
        *(
            dataclasses.replace(
                call_on(locator, one, ARM, key, *point, one is place, aim.presses, aim.hold_ms),
                undo=_end(locator, one, key),
            )
            for one, point in zip(sight.places, points, strict=True)
        )
    )
    if all(read_result(outcome, bool) for outcome in armed):
        return sight
    yield from end_guards(locator, sight)
    return None


def _way(
    point: tuple[float, float], projections: Sequence[Projection | None]
) -> list[tuple[float, float]] | None:
    """A point of the innermost frame in each frame's viewport, the main frame's first."""
    innermost = projections[-1]
    main = None if innermost is None else innermost.apply(*point)
    if main is None:
        return None
    way = [main]
    for projection in projections[:-1]:
        back = None if projection is None else projection.inverse()
        there = None if back is None else back.apply(*main)
        if there is None:
            return None
        way.append(there)
    return [*way, point]


def _projections(
    locator: Locator, owners: Sequence[Owner], sizes: Sequence[tuple[float, float]]
) -> Plan[list[Projection | None]]:
    """Of each owner's frame onto the main viewport.

    `DOM.getBoxModel` counts in the viewport of its session's root frame, through all frames and transforms of
    that process (measured).
    """
    boxes = yield from batch(
        *(get_box_model(locator.id_of(one.place.session), one.place.backend_node_id) for one in owners)
    )
    found: list[Projection | None] = []
    for owner, size, box in zip(owners, sizes, boxes, strict=True):
        base: Projection | None = IDENTITY
        if owner.place.session:
            at = next(at for at, above in enumerate(owners) if above.session == owner.place.session)
            base = found[at]
        own = project_viewport(*size, box.content)
        found.append(None if base is None or own is None else base.after(own))
    return found


def project_frame(locator: Locator, element: Element, action: str) -> Plan[Projection | None]:
    """Of an element's frame onto the main viewport; None where it has no area there.

    Raises:
        StaleElement: its frame is out of the page.
        CommandRefused: a frame on the way is not laid out.
    """
    owners = yield from owners_around(locator, element, element.place, action)
    if not owners:
        return IDENTITY
    nodes = (*(owner.place for owner in owners[1:]), element.place)
    size = "function () { return [innerWidth, innerHeight]; }"
    outcomes = yield from settle(*(call_on(locator, one, size) for one in nodes))
    sizes = [read_result(outcome, tuple[float, float]) for outcome in outcomes]
    return (yield from _projections(locator, owners, sizes))[-1]


def guards_stand(locator: Locator, sight: Sight) -> Plan[bool]:
    """Whether all guards over a sight stand still; of a page that is busy it is believed."""
    asked = [call_on(locator, place, STANDS, sight.key) for place in sight.places]
    for outcome in (yield from settle(*asked, within=_STANDING_SECONDS)):
        if isinstance(outcome, Answer):
            if not read_result(outcome, bool):
                return False
        elif not isinstance(outcome.error, CommandUnanswered):
            return False
    return True


def end_guards(
    locator: Locator, sight: Sight, *, unless_stray: bool = False, keep_cover: bool = False
) -> Plan[Guarded | None]:
    """Take the guards away, and hear what they saw.

    Args:
        locator: of the page.
        sight: that they stand over.
        unless_stray: they stay when they have stopped a press, and have to stop what belongs to it.
        keep_cover: what they kept a press from reaching is remembered for `blame_stray`.

    Returns:
        None when nobody can say: there are none, the page has gone on to another document, or does not
        answer (a dialog, an endless script). Then they go with the document, or as soon as it answers.
    """
    ends = []
    for place in sight.places:
        end = _end(locator, place, sight.key)
        if unless_stray or keep_cover:
            settled = () if unless_stray else (end,)
            end = call_on(locator, place, END, sight.key, unless_stray, keep_cover)
            end = dataclasses.replace(end, settles=settled)
        ends.append(end)
    outcomes = yield from settle(*ends)
    found = [
        read_result(outcome, Guarded)
        for outcome in outcomes
        if isinstance(outcome, Answer) and outcome.value.result.value is not None
    ]
    if not found:
        return None
    # Where the element's own frame has gone on, or away, nobody knows what came there.
    own = outcomes[0]
    told = isinstance(own, Answer) and own.value.result.value is not None
    return Guarded(
        max(one.reached for one in found),
        any(one.stray for one in found),
        any(one.slipped for one in found),
        max(one.arrived for one in found) if told else -1,
    )


def blame_stray(locator: Locator, element: Element, sight: Sight, action: str) -> Plan[ElementCovered]:
    """The refusal that names what a press was kept from reaching, once the guards have ended."""
    for place in sight.places:
        try:
            cover = yield from take_cover(locator, place, sight.key)
        except CommandRefused:
            continue  # its document is gone, and the cover with it
        if cover is not None:
            return cover_error(element, action, *cover)
    return cover_error(element, action, ElementId(""), "", "")


def _refusal(
    locator: Locator, element: Element, at: Place, key: str, reason: str, aim: Aim
) -> Plan[ElementCovered | NotInteractable]:
    """Why there is no point. ``at``: the node whose frame knows."""
    cover = None
    if reason == "covered":
        cover = yield from take_cover(locator, at, key, settles=[_end(locator, at, key)])
    if cover is None:
        return refuse(element, aim.action, "off screen" if reason == "covered" else reason)
    return cover_error(element, aim.action, *cover)


def _end(locator: Locator, place: Place, key: str) -> Command[CallResult]:
    return call_on(locator, place, END, key, False, False)
