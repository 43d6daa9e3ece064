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
from hybridsnap.act.probes import NEWCOMER, NOW, STOPPED
from hybridsnap.act.refusals import stale
from hybridsnap.errors import CommandError, SessionEnded
from hybridsnap.protocol.commands import (
    add_new_document_script,
    call_function,
    create_isolated_world,
)
from hybridsnap.protocol.plan import Answer, settle

if TYPE_CHECKING:
    from hybridsnap.act.aiming import Aim
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Command, Plan

#: Seconds of a document's life in which it has a guard, beside those that the button is held down: a press
#: comes a few milliseconds after it was sent.
_LIFE = 0.3
#: Seconds in which a page registers, or says what it has stopped.
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
        self._aim: Aim | None = None
        self._registered: list[Command[None]] = []

    def arm(self, aim: Aim) -> Plan[None]:
        """From now on new documents are guarded, in sessions that answer."""
        self._aim = aim
        (now,) = yield from settle(call_on(self._locator, self._place, NOW), within=_PATIENCE)
        if not isinstance(now, Answer):
            return  # busy, or gone: aiming says so
        until = read_result(now, float) + now.remaining * 1000
        script = f"({NEWCOMER})({until:.0f}, {_LIFE * 1000 + aim.hold_ms:.0f})"
        sessions = sorted({0, self._place.session})
        outcomes = yield from settle(
            *(add_new_document_script(self._locator.id_of(session), script) for session in sessions),
            within=_PATIENCE,
        )
        self._registered = [outcome.value for outcome in outcomes if isinstance(outcome, Answer)]

    def disarm(self) -> Plan[None]:
        """Take back what was registered; the guards that stand go by themselves."""
        registered, self._registered = self._registered, []
        yield from settle(*registered, within=_PATIENCE)

    def check(self) -> Plan[None]:
        """Whether the document that the element's frame has now has stopped all presses.

        Raises:
            StaleElement: so it has.
        """
        if self._aim is not None and (yield from self._stopped()) >= self._aim.presses:
            raise stale(self._element, self._aim.action, "navigated")

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
