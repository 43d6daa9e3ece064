"""Guards in the frames beside an element's own: a press that reaches one of them is stopped there.

A guard in the element's frame, and in those around it, does not see what goes to another frame. And a press
goes where the last picture of the page shows a frame: when something above it has just gone, a frame may have
slipped under the pointer since the point was chosen. (In 10,000 acts on a page of two such frames that
changed all the time it was met once.)

A frame that does not answer at once is left out: its page does nothing with a press, either. Where the
element holds frames itself, a press may be meant for one of them, and no frame is guarded.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.act.aiming import Guarded, aim_at, end_guards, guards_stand
from hybridsnap.act.calling import call_on, read_result
from hybridsnap.act.newcomers import Newcomers
from hybridsnap.act.probes import END, HOLDS_FRAMES, REFUSE
from hybridsnap.errors import CommandError, ReplyUnreadable, SessionEnded
from hybridsnap.protocol.commands import call_function, create_isolated_world
from hybridsnap.protocol.plan import Answer, settle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.act.aiming import Aim, Sight
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

#: So many frames are guarded at most: each costs three commands of about half a millisecond.
_MOST = 32
#: Seconds in which they must answer.
_PATIENCE = 0.15


class Bystanders:
    """The frames beside an element's own and those around it.

    Args:
        locator: of the page.
        element: that is to be pressed.
    """

    def __init__(self, locator: Locator, element: Element) -> None:
        self._locator = locator
        self._element = element
        self._place = element.place
        #: Session and world of each, once they are known.
        self._worlds: list[tuple[int, int]] = []
        self._armed: list[tuple[int, int]] = []
        self._holds: bool | None = None
        self._newcomers = Newcomers(locator, element)

    def prepare(self, aim: Aim) -> Plan[None]:
        """Find the frames, unless the aim is forced: before it is taken, so that the press follows soon."""
        if aim.force:
            return
        frames = yield from self._beside()
        holds = call_on(self._locator, self._place, HOLDS_FRAMES)
        asking = self._newcomers.asking()
        said: list[Outcome[Any]] = yield from settle(*asking, *([holds] if frames else []), within=_PATIENCE)
        self._newcomers.note(said[: len(asking)], aim)
        if frames:
            self._holds = _is_true(said[-1])
        if self._holds:
            frames = []
        arming = self._newcomers.arming()
        locator = self._locator
        creating = [create_isolated_world(locator.id_of(number), frame) for frame, number in frames]
        outcomes: list[Outcome[Any]] = yield from settle(*arming, *creating, within=_PATIENCE)
        self._newcomers.armed(outcomes[: len(arming)])
        for (frame, number), outcome in zip(frames, outcomes[len(arming) :], strict=True):
            if isinstance(outcome, Answer):
                locator.note_world(frame, outcome.value)
                self._worlds.append((number, outcome.value))

    def aim(self, aim: Aim) -> Plan[Sight]:
        """A free point of the element, guarded there and here until `end`. As `aim_at`.

        A frame that is just going keeps us waiting for its answer. The element's own may go meanwhile, its
        guard with it, and the press would be for whatever came in its place.
        """
        while True:
            if arming := self._newcomers.arming():  # anew, after an end
                self._newcomers.armed((yield from settle(*arming, within=_PATIENCE)))
            try:
                sight = yield from aim_at(self._locator, self._element, aim)
                if not self._worlds:
                    return sight
                yield from self._arm(sight, aim)
            except Exception:
                yield from self._newcomers.disarm()
                raise
            if (yield from guards_stand(self._locator, sight)):
                return sight
            yield from self.end(sight)

    def _arm(self, sight: Sight, aim: Aim) -> Plan[None]:
        """Put the guards up: to them every press is for another."""
        key, presses, hold_ms = sight.key, aim.presses, aim.hold_ms
        outcomes = yield from settle(
            *(
                dataclasses.replace(
                    self._call(one, REFUSE, key, presses, hold_ms),
                    undo=self._call(one, END, key, False, False),
                )
                for one in self._worlds
            ),
            within=_PATIENCE,
        )
        self._armed = list(_answered(self._worlds, outcomes))

    def end(
        self, sight: Sight, *, unless_stray: bool = False, keep_cover: bool = False
    ) -> Plan[Guarded | None]:
        """Take all guards away, here and there, and hear what they saw. As `end_guards`.

        Raises:
            StaleElement: its document had gone before the press came, and nobody got it.
        """
        seen = yield from end_guards(self._locator, sight, unless_stray=unless_stray, keep_cover=keep_cover)
        ends = [self._call(one, END, sight.key, unless_stray, False) for one in self._armed]
        outcomes = yield from settle(*ends, within=_PATIENCE)
        yield from self._newcomers.disarm()
        if seen is None or seen.arrived < 0:
            yield from self._newcomers.check()
        stray = any(_was_stray(outcome) for outcome in outcomes)
        if not (stray and unless_stray):
            self._armed = []
        if seen is not None and stray:
            seen.stray = True
        if seen is not None and seen.lost and (yield from self._holds_frames()):
            seen.arrived = -1  # it came to a frame in the element, where nobody counts
        return seen

    def _beside(self) -> Plan[list[tuple[FrameId, int]]]:
        """Other frames than the element's own and those around it, and the session of each."""
        locator = self._locator
        around = {frame for _, frame in (yield from locator.frames_around(self._place))}
        beside: dict[FrameId, int] = {}
        for number, info in enumerate(locator.sessions):
            known = [one.id for one in locator.trees.get(number, ())]
            for frame in [info.root_frame, *info.frames, *known]:
                if frame is not None and frame not in around:
                    # A frame that has moved to a process of its own may be listed where it was, too.
                    beside[frame] = number if frame == info.root_frame else beside.get(frame, number)
        return list(beside.items())[:_MOST]

    def _holds_frames(self) -> Plan[bool]:
        """Whether a press on the element may be meant for a frame in it; asked once."""
        if self._holds is None:
            asked = call_on(self._locator, self._place, HOLDS_FRAMES)
            (outcome,) = yield from settle(asked, within=_PATIENCE)
            self._holds = _is_true(outcome)
        return self._holds

    def _call(self, one: tuple[int, int], function: str, *arguments: object) -> Command[CallResult]:
        session, world = one
        values = [{"value": value} for value in arguments]
        on = {"executionContextId": world}
        return call_function(
            self._locator.id_of(session), function, on, values, self._locator.group, by_value=True
        )


def _is_true(outcome: Outcome[CallResult]) -> bool:
    """What a function answered; one whose document has gone answers no."""
    try:
        return read_result(outcome, bool)
    except (CommandError, SessionEnded):
        return False


def _was_stray(outcome: Outcome[CallResult]) -> bool:
    """Whether a guard has stopped a press; of one whose document has gone nothing is known."""
    if not isinstance(outcome, Answer) or outcome.value.result.value is None:
        return False
    try:
        return read_result(outcome, Guarded).stray
    except ReplyUnreadable:
        return False


def _answered(
    worlds: Sequence[tuple[int, int]], outcomes: Sequence[Outcome[CallResult]]
) -> Iterator[tuple[int, int]]:
    for world, outcome in zip(worlds, outcomes, strict=True):
        if isinstance(outcome, Answer):
            yield world
        elif not isinstance(outcome.error, (CommandError, SessionEnded)):
            raise outcome.error
