"""Guards for documents that are only just coming: no press is meant for them.

The guard over a press goes with its document. When the frame is led elsewhere right behind the last look at
it, the press is for whatever came in its place (measured: one of a hundred times, with nothing but a round
trip in between). So while a press is made, every new document begins with a guard of its own. It stops
a press that is older than the document: ours has the time of the look that it follows (`Sight.clock`). What
anybody else presses there passes, so that a guard which is not ended, as the page was busy or the call
cancelled, does no harm. Where the clocks of the browser's processes differ (the machine has slept since it
began), the page sees a press that is so much off in time, and a guard may stop nothing.

That takes `Page.enable` on the session. Our own client has it, and so have most drivers on theirs; in a bare
session it is switched on first. Not so in the old headless shell, which cancels an open dialog when a session
that has heard of it ends, though another is to answer it (measured in 156; Chromium itself leaves it open).
There, and in another's session that lacks it, new documents have no guard.

What is registered is taken back by its identifier, which only the answer brings. One that was cancelled
before that does nothing any more after the action's deadline, by the page's own clock.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from hybridsnap.act.calling import call_on, read_result
from hybridsnap.act.probes import NEWCOMER, NOTE, STOPPED
from hybridsnap.act.refusals import stale
from hybridsnap.errors import CommandError, SessionEnded
from hybridsnap.protocol.commands import (
    add_new_document_script,
    call_function,
    create_isolated_world,
    enable_page,
    get_frame_tree,
    get_product,
)
from hybridsnap.protocol.plan import Answer, settle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.aiming import Aim
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.model import FrameId, SessionId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

#: Seconds of a document's life in which it has a guard, beside those that the button is held down: a press
#: comes a round trip after the last look at what it is for, on a starved machine later.
_LIFE = 2.0
#: Seconds in which pages answer here.
_PATIENCE = 0.15
#: So many documents are asked what they stopped.
_MOST = 32


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
        self._sessions = sorted({0, element.place.session})
        self._presses = 1
        self._action = ""
        self._script = ""
        self._bare = [locator.id_of(one) for one in self._sessions if locator.sessions[one].bare]
        self._registered: list[Command[None]] = []

    def asking(self) -> list[Command[Any]]:
        """The commands to begin with: their outcomes are for `note`."""
        clock = call_on(self._locator, self._place, NOTE)
        return [clock, *([get_product(self._bare[0])] if self._bare else [])]

    def note(self, outcomes: Sequence[Outcome[Any]], aim: Aim) -> None:
        """Take the page's clock. A page that is busy, or gone, has no newcomers: aiming says so."""
        self._presses, self._action = aim.presses, aim.action
        clock, *products = outcomes
        if isinstance(clock, Answer) and all(map(_leaves_dialogs, products)):
            until = read_result(clock, float) + clock.remaining * 1000
            self._script = f"({NEWCOMER})({until:.0f}, {_LIFE * 1000 + aim.hold_ms:.0f})"

    def arming(self) -> list[Command[Any]]:
        """What has new documents guarded, unless they are; the outcomes are for `armed`."""
        if not self._script or self._registered:
            return []
        scripts = [add_new_document_script(self._locator.id_of(one), self._script) for one in self._sessions]
        return [*map(enable_page, self._bare), *scripts]

    def armed(self, outcomes: Sequence[Outcome[Any]]) -> None:
        """Keep what takes it back."""
        scripts = outcomes[-len(self._sessions) :] if outcomes else ()
        self._registered += [outcome.value for outcome in scripts if isinstance(outcome, Answer)]

    def disarm(self) -> Plan[None]:
        """Take back what was registered: guards that stand leave by themselves."""
        registered, self._registered = self._registered, []
        yield from settle(*registered, within=_PATIENCE)

    def _ask_all(
        self, frames: Sequence[tuple[SessionId | None, FrameId]], function: str
    ) -> Plan[list[Outcome[CallResult]]]:
        """Call a function in the documents that frames have now, as far as they answer."""
        worlds = yield from settle(*(create_isolated_world(*one) for one in frames), within=_PATIENCE)
        return (
            yield from settle(
                *(
                    call_function(
                        session,
                        function,
                        {"executionContextId": world.value},
                        (),
                        self._locator.group,
                        by_value=True,
                    )
                    for (session, _), world in zip(frames, worlds, strict=True)
                    if isinstance(world, Answer)
                ),
                within=_PATIENCE,
            )
        )

    def check(self) -> Plan[None]:
        """Whether the documents that have come have stopped all presses.

        Raises:
            StaleElement: so they have.
        """
        if not self._script:
            return
        locator = self._locator
        trees = yield from settle(
            *(get_frame_tree(locator.id_of(one)) for one in self._sessions), within=_PATIENCE
        )
        came: list[tuple[SessionId | None, FrameId]] = []
        stays = False
        for number, tree in zip(self._sessions, trees, strict=True):
            known = {one.loader_id for one in locator.trees.get(number, ())}
            frames = tree.value.frames() if isinstance(tree, Answer) else ()
            stays = stays or any(one.id == self._place.frame for one in frames)
            came += [(locator.id_of(number), one.id) for one in frames if one.loader_id not in known]
        stopped = 0
        for said in (yield from self._ask_all(came[:_MOST], STOPPED)):
            with contextlib.suppress(CommandError, SessionEnded):
                stopped += read_result(said, int)
        if stopped >= self._presses:
            raise stale(self._element, self._action, "navigated" if stays else "frame gone")


def _leaves_dialogs(product: Outcome[str]) -> bool:
    """Whether dialogs stay open when a session ends that has heard of them."""
    return isinstance(product, Answer) and not product.value.startswith("HeadlessChrome/")
