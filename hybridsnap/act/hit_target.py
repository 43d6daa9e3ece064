"""Where to point at an element: the plans that find a free point, and stand guard over it.

1. In the element's own frame (`injected/aim.js`, one call): its state, its rest over two
   frames, its visible parts, and of these a point where the frame's hit test finds it; scrolled if that needs
   it.
2. For each frame around it: that the point, carried over, leads into the frame.
3. Guards, set in the call that has just hit-tested the point once more: what would press something else, or
   the element after it has changed, is stopped before the page sees it. In documents that began before the
   client attached, and through foreign drivers, listeners that the page itself put on the window in the
   capture phase still hear it. Those of other documents are `hybridsnap.act.press_guard`'s.

An element of the main frame takes one round trip for all three.
"""

from __future__ import annotations

import dataclasses
import uuid
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.geometry import IDENTITY, project_viewport
from hybridsnap.act.refusals import (
    cover_error,
    filled_error,
    is_gone,
    not_interactable,
    owed_to,
    position_outside,
    stale,
    take_cover,
)
from hybridsnap.act.remote_call import call_on, read_result
from hybridsnap.capture.pointing import VIEWPORT
from hybridsnap.errors import CommandRefused, SelectorError
from hybridsnap.injected import script
from hybridsnap.protocol.commands import get_box_model
from hybridsnap.protocol.plan import Reply, gather, gather_outcomes, pause

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.geometry import Projection
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.errors import ElementCovered, NotInteractable
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

_AIM, _REST_STILL = script("aim"), script("rest")
_PASSES, _ARM, _OWN_COVER = script("passes"), script("arm"), script("own_cover")
#: (key, unlessStray, keepCover) → {reached, slipped, stray}: presses that reached the node, whether one was
#: let go elsewhere, and whether one was stopped that would have reached another. The guard ends; unless one
#: was stopped, if so asked. Its cover can be kept, for `hybridsnap.act.refusals.take_cover`.
END = """function (key, unlessStray, keepCover) {
  return globalThis[Symbol.for("hybridsnap guards")]?.get(key)?.end(unlessStray, keepCover) ?? null;
}"""
#: How an element is scrolled into view, in turn: not at all, as little as need be, and so that what sticks to
#: one edge of the page does not lie over it.
_SCROLLS = ("", "nearest", "center", "end", "start")
#: Seconds that one call waits for an element to come to rest; then the plan looks at what time is left.
_REST = 0.5
#: Seconds likewise, of the look that is taken together with the check of the element's identity.
_EARLY_REST = 0.06
#: Seconds that are kept back to say that it did not.
_RESERVE = 0.3
#: Seconds in which a frame's scrolling has reached the frames around it in other processes (17 ms, measured).
_REMOTE_SCROLL = 0.03
#: How often a refusal that passes is tried again, and seconds before that.
_TRIES, _BREATH = 4, 0.04
#: A note: the point is one of the element's label.
AT_LABEL = "at its label"
#: Likewise, of the element around a hidden control, which a person sees in its place.
AT_STAND_IN = "at the element around it, which stands for it"
#: Chromium's words for what passes: a frame's owner whose layout is just being made anew.
_PASSING = "Could not compute box model"


class _Found(msgspec.Struct):
    """What a probe says. ``reason`` is empty when there is a point."""

    reason: str
    points: tuple[tuple[float, float], ...] = ()
    label: bool = False
    instead: bool = False
    size: tuple[float, float] = (0, 0)
    clock: float = 0.0
    passed: tuple[bool, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HitRequest:
    """What is wanted of a point.

    Attributes:
        action: in words, for messages: ``click``.
        enabled: a disabled element is refused.
        force: it need not be free, at rest, or enabled.
        guarded: guards are to stand, until `PressGuard.end`.
        position: the point itself, from the element's top left corner.
        hollow: the inside of a drawn shape that has no fill will do, too.
        apart: a point of another control that is in the element will not do.
        through: of a box that lets the pointer through, what is around it and takes clicks will do, too.
        presses: for so many the guards stand.
        hold_ms: how long the button is held down in all.
        scrolls: how the element is scrolled into view, in turn, until a point is free.
    """

    action: str
    scrolls: Sequence[str] = _SCROLLS
    enabled: bool = True
    force: bool = False
    guarded: bool = False
    position: tuple[float, float] | None = None
    hollow: bool = False
    apart: bool = False
    through: bool = False
    presses: int = 1
    hold_ms: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class HitPoint:
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
    places: tuple[NodeRef, ...]
    notes: tuple[str, ...] = ()
    clock: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class _Blocked:
    """Why a point does not do, and the node whose frame says so."""

    at: NodeRef
    reason: str


@dataclasses.dataclass(frozen=True, slots=True)
class FrameOwner:
    """An element that holds a frame on the way to an element.

    Attributes:
        place: its own, with a handle.
        session: of the frame that it holds.
    """

    place: NodeRef
    session: int


class EarlyAim:
    """A first look for a point, together with the check of the element's identity.

    It asks for a point where the element stands, without scrolling, and has the guard put up if asked.
    The result counts only when there is a point; otherwise `find_hit_point` looks anew, and says why not.
    Only in the main frame, and where new documents are guarded already: a document that comes behind this
    look must not get the press.

    Args:
        resolver: of the page.
        aim: what is wanted of the point.
    """

    def __init__(self, resolver: NodeResolver, aim: HitRequest) -> None:
        self._resolver = resolver
        self._aim = aim
        self.key: str = uuid.uuid4().hex
        #: None before a point was found, and after it was used.
        self.found: _Found | None = None

    def commands(self, place: NodeRef) -> list[Command[CallResult]]:
        """The look, where it can be taken."""
        resolver, tree = self._resolver, self._resolver.trees.get(0, [])
        in_main_frame = place.session == 0 and [one.id for one in tree[:1]] == [place.frame]
        if not in_main_frame or self._aim.force or not resolver.sessions[0].guards_new_documents:
            return []
        return [
            _look(resolver, place, self.key, self._aim, ("",), _EARLY_REST, early=True, arm=self._aim.guarded)
        ]

    def take(self, outcomes: Sequence[Outcome[CallResult]]) -> None:
        """Keep what it says, if it has a point."""
        for outcome in outcomes:
            if isinstance(outcome, Reply) and outcome.value.exception_details is None:
                found = read_result(outcome, _Found)
                self.found = None if found.reason else found


def find_hit_point(
    resolver: NodeResolver, element: Element, aim: HitRequest, early: EarlyAim | None = None
) -> Plan[HitPoint]:
    """Find a point at which an element can be hit.

    Args:
        resolver: of the page.
        element: to be hit.
        aim: what is wanted of the point.
        early: a look for it that was taken already; it serves once.

    Raises:
        StaleElement: it is in no document any more.
        NotInteractable: its state does not allow it, or no point of it can be brought into view.
        ElementCovered: something else lies over every point of it.
    """
    refusals: list[str] = []
    if early is not None and early.found is not None:
        found, early.found = early.found, None
        return _hit_in_main_frame(element.place, early.key, found, aim)
    while True:
        try:
            sight = yield from _aimed(resolver, element, aim)
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


def _aimed(resolver: NodeResolver, element: Element, aim: HitRequest) -> Plan[HitPoint]:
    place = element.place
    owners = yield from owners_around(resolver, element, aim.action)
    key = uuid.uuid4().hex
    if not owners:
        found, _ = yield from _rested(resolver, element, key, aim, aim.scrolls, owners)
        if found.reason:
            raise (yield from _refusal(resolver, element, place, key, found.reason, aim))
        return _hit_in_main_frame(place, key, found, aim)
    remote = any(owner.place.session != owner.session for owner in owners)
    blocked = _Blocked(place, "off screen")
    # What is out of view in its own frame is scrolled to in the first look.
    first = aim.scrolls[:1] if remote else aim.scrolls[:2]
    for number, scrolls in enumerate((first, *((scroll,) for scroll in aim.scrolls[1:]), ("",))):
        found, sizes = yield from _rested(resolver, element, key, aim, scrolls, owners)
        if found.reason:
            blocked = _Blocked(place, found.reason)
            continue
        if scrolls != ("",) and remote:
            yield from pause(_REMOTE_SCROLL)
        if not number:
            # What is in view by its edge only is scrolled like what is not.
            found.points = found.points[:1]
        came = yield from _through(resolver, owners, place, found, sizes, key, aim)
        if isinstance(came, HitPoint):
            return came
        blocked = came or blocked
    raise (yield from _refusal(resolver, element, blocked.at, key, blocked.reason, aim))


def _hit_in_main_frame(place: NodeRef, key: str, found: _Found, aim: HitRequest) -> HitPoint:
    x, y = found.points[0]
    return HitPoint(x, y, key, (place,) if aim.guarded else (), tuple(_notes(found, aim)), found.clock)


def _look(
    resolver: NodeResolver,
    place: NodeRef,
    key: str,
    aim: HitRequest,
    scrolls: Sequence[str],
    limit: float,
    *,
    early: bool = False,
    many: bool = False,
    arm: bool = False,
) -> Command[CallResult]:
    """`injected/aim.js` on the element, as a command.

    `limit` is in seconds; `many` asks for all points that do, not only the first; `arm` puts the guard up.
    """
    asked = {
        "key": key,
        "limit": limit * 1000,
        "enabled": aim.enabled,
        "force": aim.force,
        "position": aim.position,
        "hollow": aim.hollow,
        "apart": aim.apart,
        "through": aim.through,
        "scrolls": list(scrolls),
        "early": early,
        "many": many,
        "arm": [aim.presses, aim.hold_ms] if arm else None,
    }
    cleanup = end_guard(resolver, place, key) if arm else None
    return call_on(resolver, place, _AIM, asked, cleanup=cleanup)


def _notes(found: _Found, aim: HitRequest) -> Iterator[str]:
    if aim.force:
        yield "forced"
    if found.label:
        yield AT_LABEL
    if found.instead:
        yield AT_STAND_IN


def owners_around(resolver: NodeResolver, element: Element, action: str) -> Plan[tuple[FrameOwner, ...]]:
    """The elements that hold the frames around an element, the outermost first.

    Raises:
        StaleElement: a frame is out of the page.
    """
    found: list[FrameOwner] = []
    here = element.place
    while True:
        try:
            above = yield from resolver.owner(here)
        except SelectorError:
            raise stale(element, action, "frame gone") from None
        if above is None:
            break
        held = yield from resolver.held(above)
        if held is None:
            raise stale(element, action, "frame gone")
        found.append(FrameOwner(held, here.session))
        here = held
    return tuple(reversed(found))


def _rested(
    resolver: NodeResolver,
    element: Element,
    key: str,
    aim: HitRequest,
    scrolls: Sequence[str],
    owners: Sequence[FrameOwner],
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
        look = _look(resolver, element.place, key, aim, scrolls, limit, many=bool(owners), arm=arm)
        outcomes = yield from gather_outcomes(
            look, *(call_on(resolver, one.place, _REST_STILL, limit * 1000) for one in owners)
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
        if reason == "outside":
            raise position_outside(element, aim.action, aim.position, found.size)
        if reason == "moving" and remaining > 2 * _RESERVE:
            limit = min(_REST, remaining - _RESERVE)
        elif reason in {"", "covered", "filled", "off screen", "inert", "pointer-events"}:
            return found, [one.size for one in (*around, found)][1:]
        else:
            raise not_interactable(element, aim.action, reason, what)


def _through(
    resolver: NodeResolver,
    owners: Sequence[FrameOwner],
    place: NodeRef,
    found: _Found,
    sizes: Sequence[tuple[float, float]],
    key: str,
    aim: HitRequest,
) -> Plan[HitPoint | _Blocked | None]:
    """A point of a frame, carried over into those around it; None when they have just changed."""
    projections = yield from _projections(resolver, owners, sizes)
    ways = [way for point in found.points if (way := _way(point, projections)) is not None]
    if not ways:
        return _Blocked(place, "off screen")
    outcomes = yield from gather_outcomes(
        *(
            call_on(resolver, owner.place, _PASSES, key, [way[number] for way in ways], aim.force)
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
    sight = HitPoint(*way[0], key, (), tuple(_notes(found, aim)), found.clock)
    if not aim.guarded or aim.force:
        return sight
    sight = dataclasses.replace(sight, places=(place, *(owner.place for owner in reversed(owners))))
    points = (way[-1], *reversed(way[:-1]))
    armed = yield from gather_outcomes(
        *(
            call_on(
                *(resolver, one, _ARM, key, *point, one is place, aim.presses, aim.hold_ms, aim.through),
                cleanup=end_guard(resolver, one, key),
            )
            for one, point in zip(sight.places, points, strict=True)
        )
    )
    if all(read_result(outcome, bool) for outcome in armed):
        return sight
    yield from gather_outcomes(*(end_guard(resolver, one, key) for one in sight.places))
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
    resolver: NodeResolver, owners: Sequence[FrameOwner], sizes: Sequence[tuple[float, float]]
) -> Plan[list[Projection | None]]:
    """Of each owner's frame onto the main viewport.

    `DOM.getBoxModel` counts in the viewport of its session's root frame, through all frames and transforms of
    that process (measured).
    """
    boxes = yield from gather(
        *(get_box_model(resolver.id_of(one.place.session), one.place.backend_node_id) for one in owners)
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


def project_frame(resolver: NodeResolver, element: Element, action: str) -> Plan[Projection | None]:
    """Of an element's frame onto the main viewport; None where it has no area there.

    Raises:
        StaleElement: its frame is out of the page.
        CommandRefused: a frame on the way is not laid out.
    """
    owners = yield from owners_around(resolver, element, action)
    if not owners:
        return IDENTITY
    nodes = (*(owner.place for owner in owners[1:]), element.place)
    outcomes = yield from gather_outcomes(*(call_on(resolver, one, VIEWPORT) for one in nodes))
    sizes = [read_result(outcome, tuple[float, float]) for outcome in outcomes]
    return (yield from _projections(resolver, owners, sizes))[-1]


def _refusal(
    resolver: NodeResolver, element: Element, at: NodeRef, key: str, reason: str, aim: HitRequest
) -> Plan[ElementCovered | NotInteractable]:
    """Why there is no point. ``at``: the node whose frame knows."""
    cover = None
    if reason in {"covered", "filled", "inert", "pointer-events"}:
        cover = yield from take_cover(resolver, at, key, discharges=[end_guard(resolver, at, key)])
    if cover is not None and reason == "filled":
        return filled_error(element, aim.action, cover)
    if cover is not None and reason != "covered":
        return owed_to(element, aim.action, reason, cover)
    if cover is None:
        return not_interactable(
            element, aim.action, "off screen" if reason in {"covered", "filled"} else reason
        )
    beside = element.role == "combobox" and (yield from _is_covered_by_own(resolver, element))
    return cover_error(element, aim.action, cover, beside=beside)


def _is_covered_by_own(resolver: NodeResolver, element: Element) -> Plan[bool]:
    """Whether what lies over a combobox stands in the same box."""
    (outcome,) = yield from gather_outcomes(call_on(resolver, element.place, _OWN_COVER))
    is_read = isinstance(outcome, Reply) and outcome.value.exception_details is None
    return is_read and bool(read_result(outcome, dict[str, Any]).get("own"))


def end_guard(resolver: NodeResolver, place: NodeRef, key: str) -> Command[CallResult]:
    """The command that takes a guard down, unconditionally."""
    return call_on(resolver, place, END, key, False, False)
