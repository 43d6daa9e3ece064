"""Guards for documents that are only just coming: no press is meant for them.

The guard over a press goes with its document. When the frame is led elsewhere right behind the last look at
it, the press is for whatever came in its place (measured: one of a hundred times, with nothing but a round
trip in between). So while a press is made, every new document begins with a guard of its own, which stops
what is pressed in its first moments. It needs `Page.enable`, which every client of pages has asked for.

What is registered is taken back by its identifier, which only the answer brings. One that was cancelled
before that does nothing any more after the action's deadline, by the page's own clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.act.calling import call_on, read_result
from hybridsnap.act.probes import NEWCOMER, NOTE, STOPPED
from hybridsnap.act.refusals import stale
from hybridsnap.errors import CommandError, SessionEnded
from hybridsnap.protocol.commands import (
    add_new_document_script,
    call_function,
    create_isolated_world,
)
from hybridsnap.protocol.plan import Answer, settle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.aiming import Aim
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

#: Seconds of a document's life in which it has a guard, beside those that the button is held down: a press
#: comes a round trip after the last look at what it is for. The next action on the document ends it
#: (`hybridsnap.act.watch`).
_LIFE = 0.15
#: Seconds in which a page says what it has stopped.
_PATIENCE = 0.15


class Newcomers:
    """The documents that come into an element's frame, and into those around it, while it is pressed.

    Args:
        locator: of the page.
        element: that is to be pressed.
    """

    def __init__(self, locator: Locator, element: Element) -> None:
        self._locator = locator
        self._element = element
        self._place = element.place
        self._presses = 1
        self._action = ""
        self._script = ""
        self._registered: list[Command[None]] = []

    def asking(self) -> Command[CallResult]:
        """The command to begin with: its outcome is for `note`."""
        return call_on(self._locator, self._place, NOTE)

    def note(self, outcome: Outcome[CallResult], aim: Aim) -> None:
        """Take the page's clock. A page that is busy, or gone, has no newcomers: aiming says so."""
        self._presses, self._action = aim.presses, aim.action
        if isinstance(outcome, Answer):
            until = read_result(outcome, float) + outcome.remaining * 1000
            self._script = f"({NEWCOMER})({until:.0f}, {_LIFE * 1000 + aim.hold_ms:.0f})"

    def arming(self) -> list[Command[Command[None]]]:
        """What has new documents guarded, unless they are; the outcomes are for `armed`."""
        if not self._script or self._registered:
            return []
        sessions = sorted({0, self._place.session})
        return [add_new_document_script(self._locator.id_of(one), self._script) for one in sessions]

    def armed(self, outcomes: Sequence[Outcome[Command[None]]]) -> None:
        """Keep what takes it back."""
        self._registered += [outcome.value for outcome in outcomes if isinstance(outcome, Answer)]

    def disarming(self) -> list[Command[None]]:
        """Commands that take back what was registered; the guards that stand go by themselves."""
        registered, self._registered = self._registered, []
        return registered

    def check(self) -> Plan[None]:
        """Whether the document that the element's frame has now has stopped all presses.

        Raises:
            StaleElement: so it has.
        """
        if self._script and (yield from self._stopped()) >= self._presses:
            raise stale(self._element, self._action, "navigated")

    def _stopped(self) -> Plan[int]:
        session = self._locator.id_of(self._place.session)
        try:
            (world,) = yield from settle(create_isolated_world(session, self._place.frame), within=_PATIENCE)
            if not isinstance(world, Answer):
                return 0
            on = {"executionContextId": world.value}
            (said,) = yield from settle(
                call_function(session, STOPPED, on, (), self._locator.group, by_value=True), within=_PATIENCE
            )
            return read_result(said, int)
        except (CommandError, SessionEnded):
            return 0
