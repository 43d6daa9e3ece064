"""The guard over a press: whatever would reach anything but the element is stopped before the page sees it.

One guard, a listener on the window, in each document that a press might come to:

- the element's own, and those of the frames around it (`hybridsnap.act.hit_target` sets them, in the call
  that has just hit-tested the point);
- the frames beside: a press goes where the last picture of the page shows a frame, and when something above
  it has just gone, a frame may have slipped under the pointer since the point was chosen. A frame that does
  not answer at once is left out: its page does nothing with a press, either. Where the element holds frames
  itself, a press may be meant for one of them, and no frame beside is guarded;
- documents that come only now, in the place of the element's: each begins with
  `injected/first_listeners.js`, which stops presses that are older than the document. Ours have the time of
  the look that they follow (`HitPoint.clock`); what anybody else presses there passes. Where the clocks of
  the browser's processes differ (the machine has slept since it began), nothing may be stopped.

A client of ours has that script in all its sessions for good. In a foreign driver's, it is registered for the
time of the press, which takes `Page.enable` on the session. Most drivers have it on theirs; in a bare session
it is switched on first. Not so in the old headless shell, which cancels an open dialog when a session that
has heard of it ends, though another is to answer it (measured in 156; Chromium itself leaves it open). There,
and in another's session that lacks it, new documents have no guard. What stays registered, as the call was
cancelled before the reply came, stops nothing but presses older than their document.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.hit_target import END, end_guard, find_hit_point
from hybridsnap.act.refusals import Cover, before_pressing, cover_error, stale, take_cover
from hybridsnap.act.remote_call import call_on, read_result
from hybridsnap.errors import CommandError, CommandRefused, CommandUnanswered, SessionEnded, StaleElement
from hybridsnap.injected import script
from hybridsnap.model import ElementId
from hybridsnap.protocol.commands import (
    add_new_document_script,
    call_function,
    create_isolated_world,
    enable_page,
    get_frame_tree,
    get_product,
)
from hybridsnap.protocol.input_commands import INPUT_SECONDS
from hybridsnap.protocol.plan import Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.hit_target import EarlyAim, HitPoint, HitRequest
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

_HOLDS_FRAMES, _REFUSE = script("holds_frames"), script("refuse_presses")
#: (key) → whether a guard stands in this document.
_STANDS = """function (key) {
  return Boolean(globalThis[Symbol.for("hybridsnap guards")]?.has(key));
}"""
#: How many presses this document has stopped that were older than itself (`injected/first_listeners.js`).
_STOPPED = """function () {
  return globalThis[Symbol.for("hybridsnap first listeners")]?.stopped ?? 0;
}"""
_END_WHEN_OVER = script("end_when_over")
#: So many frames are guarded, or asked what they stopped: each costs three commands of half a millisecond.
_MOST = 32
#: Seconds in which frames beside, and new documents, must answer.
_PATIENCE = 0.15
#: The same where nothing else shows whether the press had an effect: a driver on a busy machine takes a
#: second and more, and a press that was stopped would be reported as done.
_CHECK_PATIENCE = 3.0


class GuardResult(msgspec.Struct, rename="camel"):
    """What a guard saw.

    Attributes:
        reached: presses that reached the element.
        arrived: events of presses that came to its frame or those around it, whatever became of them; -1
            where they are not counted.
        stray: one would have reached another, and was stopped.
        slipped: the button was let go over another node.
        moved: so it was, as the element moved while it was pressed; it stands elsewhere.
        changed: what had changed on the element since it was checked, so that its press was stopped.
        for_frame: a press for a frame came to the element that holds the frame, and was stopped.
        withheld: the page has heard the beginning of a press whose rest was stopped.
        gone: when the button was let go over another node, nothing was seen of the element any more.
    """

    reached: int
    stray: bool
    slipped: bool = False
    arrived: int = -1
    changed: str = ""
    for_frame: bool = False
    moved: bool = False
    withheld: bool = False
    gone: bool = False

    @property
    def lost(self) -> bool:
        """No press has reached the page: it can be done again."""
        return not self.reached and (self.for_frame or (self.arrived == 0 and not self.stray))


class PressGuard:
    """Guards one element while it is pressed, in all documents that the press might come to.

    Args:
        resolver: of the page.
        element: that is to be pressed.
        aim: what is wanted of the point.
        early: a look for the point that was taken already.
    """

    def __init__(
        self, resolver: NodeResolver, element: Element, aim: HitRequest, early: EarlyAim | None = None
    ) -> None:
        self._resolver = resolver
        self._element = element
        self._place = element.place
        self._aim = aim
        self._early = early
        #: Session and world of each frame beside, once they are known; of those that have a guard.
        self._beside: list[tuple[int, int]] = []
        self._armed: list[tuple[int, int]] = []
        #: Whether the element holds frames; None until that was asked.
        self._holds: bool | None = None
        self._sessions = sorted({0, element.place.session})
        unguarded = [resolver.sessions[one] for one in self._sessions]
        unguarded = [one for one in unguarded if not one.guards_new_documents]
        self._to_register = [one.session for one in unguarded]
        self._to_enable = [one.session for one in unguarded if one.bare]
        self._registered: list[Command[None]] = []

    def prepare(self) -> Plan[None]:
        """Find the frames beside: before the point is looked for, so that the press follows soon."""
        with before_pressing():
            if self._aim.force:
                self._to_register = []
                return
            if self._to_enable:
                (product,) = yield from gather_outcomes(get_product(self._to_enable[0]))
                if not isinstance(product, Reply) or product.value.startswith("HeadlessChrome/"):
                    self._to_register = []
            frames = yield from self._frames_beside()
            if not frames or (yield from self._holds_frames()):
                return
            creating = [
                create_isolated_world(self._resolver.id_of(number), frame) for frame, number in frames
            ]
            outcomes = yield from gather_outcomes(*creating, timeout=_PATIENCE)
            for (frame, number), outcome in zip(frames, outcomes, strict=True):
                if isinstance(outcome, Reply):
                    self._resolver.note_world(frame, outcome.value)
                    self._beside.append((number, outcome.value))

    def aim(self) -> Plan[HitPoint]:
        """A free point of the element, guarded everywhere until `end`. Raises as `find_hit_point`.

        A frame that is just going keeps us waiting for its answer. The element's own may go meanwhile, its
        guard with it, and the press would be for whatever came in its place.
        """
        with before_pressing():
            while True:
                if self._to_register and not self._registered:
                    yield from self._register()
                sight = yield from find_hit_point(self._resolver, self._element, self._aim, self._early)
                if not self._beside:
                    return sight
                yield from self._arm_beside(sight)
                if (yield from self._all_stand(sight)):
                    return sight
                yield from self.end(sight)

    def ending(self, sight: HitPoint, *, keep_cover: bool = False) -> list[Command[CallResult]]:
        """The command that ends a single guard once its presses are over; it is sent right after them.

        Empty if there are several guards, or if the single one hears none of our events.
        """
        if len(sight.places) != 1 or self._armed or self._registered:
            return []
        place, key = sight.places[0], sight.key
        end = call_on(self._resolver, place, _END_WHEN_OVER, key, keep_cover, INPUT_SECONDS * 1000)
        return [dataclasses.replace(end, discharges=(end_guard(self._resolver, place, key),))]

    def end(
        self,
        sight: HitPoint,
        *,
        unless_stray: bool = False,
        keep_cover: bool = False,
        ended: Sequence[Outcome[CallResult]] = (),
    ) -> Plan[GuardResult | None]:
        """Take all guards away, and hear what they saw.

        Args:
            sight: that they stand over.
            ended: the outcomes of `ending`.
            unless_stray: they stay when they have stopped a press, and have to stop what belongs to it. When
                they have not, what is left keeps HTML's drag and drop from another, and the next `end` tells.
            keep_cover: what they kept a press from reaching is remembered for `check_stopped`.

        Returns:
            None if that is unknown: there are no guards, or the page has navigated, or it does not answer (a
            dialog, an endless script). The guards then end with the document, or as soon as it answers.

        Raises:
            StaleElement: its document was gone before the press arrived; no element received it.
        """
        seen = _told(ended)
        ends: list[Command[Any]] = []
        for place in sight.places if seen is None else ():
            end = call_on(self._resolver, place, END, sight.key, unless_stray, keep_cover)
            settled = () if unless_stray else (end_guard(self._resolver, place, sight.key),)
            ends.append(dataclasses.replace(end, discharges=settled))
        registered, self._registered = self._registered, []
        outcomes: list[Outcome[Any]] = yield from gather_outcomes(*ends, *registered)
        if seen is None:
            ended = outcomes[: len(ends)]
            seen = _told(ended)
        beside = [self._call(one, END, sight.key, unless_stray, False) for one in self._armed]
        stray = any(
            one is not None and one.stray
            for one in map(_read, (yield from gather_outcomes(*beside, timeout=_PATIENCE)))
        )
        if not (stray and unless_stray):
            self._armed = []
        if ended and _is_gone(ended[0]):
            yield from self._check_new_documents()
        if seen is not None and stray:
            seen.stray = True
        if (
            seen is not None
            and seen.lost
            and not seen.for_frame
            and (yield from self._holds_frames(_PATIENCE))
        ):
            seen.arrived = -1  # it went to a frame in the element, where presses are not counted
        return seen

    def check_stopped(self, seen: GuardResult, sight: HitPoint, *, last: bool) -> Plan[None]:
        """See whether a press that was stopped can be tried again, once the guards have ended.

        Args:
            seen: by the guards.
            sight: that they stood over.
            last: the press is not tried again.

        Raises:
            StaleElement: the element is something else now; or it still is what was shown, and changed each
                time. Its `partial` says whether the page has heard a press begin.
            ElementCovered: the press would have reached another each time; it names what.
        """
        element, action = self._element, self._aim.action
        if seen.changed and element.verify is not None:
            try:
                yield from element.verify(element.place)
            except StaleElement as error:
                error.partial = seen.withheld
                if seen.withheld:
                    heard = "the page has heard the press begin, and what follows it was stopped: "
                    error.args = (heard + error.message, *error.args[1:])
                raise
        if not last:
            return
        if seen.changed:
            raise stale(element, action, "identity changed")
        for place in sight.places:
            try:
                cover = yield from take_cover(self._resolver, place, sight.key)
            except (CommandRefused, CommandUnanswered):
                continue  # its document is gone, and the cover with it; or it does not answer any more
            if cover is not None:
                raise cover_error(element, action, cover)
        raise cover_error(element, action, Cover(ElementId("")))

    def _register(self) -> Plan[None]:
        """Have new documents guarded, in sessions that do not have that already."""
        first = f"({script('first_listeners')})()"
        enabling = [enable_page(one) for one in self._to_enable]
        scripts = [add_new_document_script(one, first) for one in self._to_register]
        outcomes: list[Outcome[Any]] = yield from gather_outcomes(*enabling, *scripts, timeout=_PATIENCE)
        self._registered = [one.value for one in outcomes[len(enabling) :] if isinstance(one, Reply)]

    def _arm_beside(self, sight: HitPoint) -> Plan[None]:
        """Put guards up in the frames beside: to them every press is for another."""
        key, presses, hold_ms = sight.key, self._aim.presses, self._aim.hold_ms
        outcomes = yield from gather_outcomes(
            *(
                dataclasses.replace(
                    self._call(one, _REFUSE, key, presses, hold_ms),
                    cleanup=self._call(one, END, key, False, False),
                )
                for one in self._beside
            ),
            timeout=_PATIENCE,
        )
        self._armed = []
        for world, outcome in zip(self._beside, outcomes, strict=True):
            if isinstance(outcome, Reply):
                self._armed.append(world)
            elif not isinstance(outcome.error, (CommandError, SessionEnded)):
                raise outcome.error

    def _all_stand(self, sight: HitPoint) -> Plan[bool]:
        """Whether the guards over a sight still stand; of a page that is busy it is believed."""
        asked = [call_on(self._resolver, place, _STANDS, sight.key) for place in sight.places]
        for outcome in (yield from gather_outcomes(*asked, timeout=_PATIENCE)):
            if isinstance(outcome, Reply):
                if not read_result(outcome, bool):
                    return False
            elif not isinstance(outcome.error, CommandUnanswered):
                return False
        return True

    def _frames_beside(self) -> Plan[list[tuple[FrameId, int]]]:
        """Other frames than the element's own and those around it, and the session of each."""
        resolver = self._resolver
        around = {frame for _, frame in (yield from resolver.frames_around(self._place))}
        beside: dict[FrameId, int] = {}
        for number, info in enumerate(resolver.sessions):
            known = [one.id for one in resolver.trees.get(number, ())]
            for frame in [info.root_frame, *info.frames, *known]:
                if frame is not None and frame not in around:
                    # A frame that has moved to a process of its own may be listed where it was, too.
                    beside[frame] = number if frame == info.root_frame else beside.get(frame, number)
        return list(beside.items())[:_MOST]

    def _holds_frames(self, timeout: float = 0.0) -> Plan[bool]:
        """Whether a press on the element may be meant for a frame in it; asked until it is answered."""
        if self._holds is None:
            asked = call_on(self._resolver, self._place, _HOLDS_FRAMES)
            (outcome,) = yield from gather_outcomes(asked, timeout=timeout)
            try:
                self._holds = read_result(outcome, bool)
            except CommandUnanswered:
                return True  # the page is busy: it may be
            except (CommandError, SessionEnded):
                self._holds = False  # its document is gone
        return self._holds

    def _check_new_documents(self) -> Plan[None]:
        """Whether the documents that have come have stopped all presses.

        Raises:
            StaleElement: so they have.
        """
        if self._aim.force:
            return
        resolver = self._resolver
        trees = yield from gather_outcomes(
            *(get_frame_tree(resolver.id_of(one)) for one in self._sessions), timeout=_CHECK_PATIENCE
        )
        came: list[tuple[int, FrameId]] = []
        stays = False
        for number, tree in zip(self._sessions, trees, strict=True):
            known = {one.loader_id for one in resolver.trees.get(number, ())}
            frames = tree.value.frames() if isinstance(tree, Reply) else ()
            stays = stays or any(one.id == self._place.frame for one in frames)
            came += [(number, one.id) for one in frames if one.loader_id not in known]
        creating = [create_isolated_world(resolver.id_of(number), frame) for number, frame in came[:_MOST]]
        worlds = yield from gather_outcomes(*creating, timeout=_CHECK_PATIENCE)
        asked = [
            self._call((number, world.value), _STOPPED)
            for (number, _), world in zip(came, worlds, strict=False)
            if isinstance(world, Reply)
        ]
        stopped = 0
        for said in (yield from gather_outcomes(*asked, timeout=_CHECK_PATIENCE)):
            with contextlib.suppress(CommandError, SessionEnded):
                stopped += read_result(said, int)
        if stopped >= self._aim.presses:
            raise stale(self._element, self._aim.action, "navigated" if stays else "frame gone")

    def _call(self, one: tuple[int, int], function: str, *arguments: object) -> Command[CallResult]:
        session, world = one
        values = [{"value": value} for value in arguments]
        on = {"executionContextId": world}
        return call_function(
            self._resolver.id_of(session), function, on, values, self._resolver.group, by_value=True
        )


def _read(outcome: Outcome[CallResult]) -> GuardResult | None:
    """What a guard has seen; of one whose document has gone nothing is known."""
    if not isinstance(outcome, Reply) or outcome.value.result.value is None:
        return None
    return read_result(outcome, GuardResult)


def _is_gone(outcome: Outcome[CallResult]) -> bool:
    """Whether the document of a guard has gone; one that does not answer (a dialog) is still there."""
    if isinstance(outcome, Reply):
        return outcome.value.result.value is None
    return isinstance(outcome.error, (CommandRefused, SessionEnded))


def _told(outcomes: Sequence[Outcome[CallResult]]) -> GuardResult | None:
    """What the guards of the element's own frame, and of those around it, have seen together."""
    read = [_read(outcome) for outcome in outcomes]
    found = [one for one in read if one is not None]
    if not found:
        return None
    return GuardResult(
        max(one.reached for one in found),
        any(one.stray for one in found),
        any(one.slipped for one in found),
        # Where the element's own frame has navigated or is gone, it is not known what arrived there.
        -1 if read[0] is None else max(one.arrived for one in found),
        next((one.changed for one in found if one.changed), ""),
        any(one.for_frame for one in found),
        any(one.moved for one in found),
        any(one.withheld for one in found),
        any(one.gone for one in found),
    )
