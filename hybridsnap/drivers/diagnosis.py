"""Why a tab does not answer: a crash and an open dialog, told without events.

The driver's events are not received here, and a session that comes later is told of neither. But some
commands are answered by the browser, whatever the page does. Measured in Chromium 156, on sessions attached
to late:

==============================  ==========  ================  ===============  ==============
asked                           a sound     a crashed page    a page busy      a page with an
                                page                          with a script    open dialog
==============================  ==========  ================  ===============  ==============
`Page.getFrameTree`             answers     is silent         is silent        is silent
a screenshot of width 0         "0 width"   "Internal error"  "0 width"        "0 width"
a mouse button let go that is   answers     "Internal error"  is silent        answers at once
none, outside of the view
==============================  ==========  ================  ===============  ==============

The screenshot is refused by the browser before anything is drawn. Of a page that is silent it is asked for
once more: it may just be crashing (Playwright comes back from ``goto("chrome://crash")`` before it has). The
mouse event is one that no page sees; while a dialog is open the browser drops all input and answers for it.
It is only sent where a page has been silent, and a dialog is only believed in when the page goes on to be
silent while input is answered at once, several times: a page that works in long tasks answers both, or
neither. While a navigation waits for a busy page, the browser drops its input as well, and the page cannot be
told from one with a dialog (measured): what goes somewhere does not ask here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.drivers.base import crashed, unanswered
from hybridsnap.drivers.dialogs import DialogLog
from hybridsnap.drivers.refusals import error_of
from hybridsnap.errors import CommandRefused, ConnectionLost, HybridsnapError, TargetCrashed
from hybridsnap.protocol.commands import get_frame_tree, tell
from hybridsnap.protocol.input_commands import dispatch_mouse
from hybridsnap.protocol.plan import Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.model import Cause, SessionId
    from hybridsnap.protocol.plan import Command, Plan

_SCRIPTS = frozenset({"Runtime.callFunctionOn", "Runtime.evaluate"})
#: Seconds within which the browser answers by itself, and a sound page mostly.
_BROWSER_SECONDS = 1.0
_FIRST_LOOK_SECONDS = 0.4
#: Rounds at most, their seconds, and in how many of them the page must be silent while input is answered.
#: One late answer is tolerated, as on a loaded machine; the second ends the diagnosis.
_ROUNDS = 4
_ROUND_SECONDS = 0.3
_PROOF = 2
_MISSES = 2
#: Of the time of a call, so much may go into a diagnosis.
DIAGNOSIS_SHARE = 0.5
#: Seconds that the page may take over an action before it is diagnosed; then twice as many, and so on.
PATIENCE = 1.0


class ForeignDriver:
    """What is known of a browser whose events go to another driver.

    Attributes:
        name: for the report.
        lost: the browser is gone, since a command said so.
        obstacles: what is known to keep a session from answering.
        dialogs: those that opened, as far as a session of ours hears of them.
    """

    def __init__(self, name: str) -> None:
        self.name: str = name
        self.lost: ConnectionLost | None = None
        self.obstacles: dict[SessionId | None, Cause] = {}
        self.dialogs: DialogLog = DialogLog()

    def cause_of_silence(self, session: SessionId | None) -> Cause:
        """As `Driver.cause_of_silence`: nothing more is known than what was found out."""
        return self.obstacles.get(session, "busy")

    def _answer_of(self, method: str, error: Exception) -> HybridsnapError | None:
        """What an exception says of a command; None when it is not an answer but a bug."""
        answer = error if isinstance(error, HybridsnapError) else error_of(method, error)
        if isinstance(answer, ConnectionLost):
            self.lost = answer
        return answer


def refused_for(command: Command[Any], obstacles: Mapping[SessionId | None, Cause]) -> HybridsnapError | None:
    """What comes of a command whose session is known not to answer, in the words of our own client.

    Targets are the browser's, which answers all the same.
    """
    cause = obstacles.get(command.session)
    if cause is None or command.method.startswith("Target."):
        return None
    if cause == "crashed":
        return crashed(command.session)
    return unanswered(command.method, cause)


def acts(command: Command[Any]) -> bool:
    """Whether a command lets the page's own script run, which may open a dialog before it is answered."""
    return command.method.startswith("Input.") or command.method in _SCRIPTS


def diagnose_page(session: SessionId | None, *, silent: bool = False) -> Plan[Cause | None]:
    """Find what keeps the page's session from answering; None when nothing is known to.

    Args:
        session: the page's.
        silent: it has just been; no time goes into seeing that once more.
    """
    if (yield from _crashed(session)):
        return "crashed"
    if not silent:
        (tree,) = yield from gather_outcomes(get_frame_tree(session), timeout=_FIRST_LOOK_SECONDS)
        if isinstance(tree, Reply):
            return None
    proofs = misses = 0
    for _ in range(_ROUNDS):
        asked: tuple[Command[Any], ...] = (_let_go(session), get_frame_tree(session))
        released, tree = yield from gather_outcomes(*asked, timeout=_ROUND_SECONDS)
        if isinstance(tree, Reply):
            return None
        if isinstance(released, Reply):
            proofs += 1
            continue
        misses += 1
        if misses == _MISSES:
            break  # it is busy, or has crashed since it was first asked, or the time is up
    if proofs >= _PROOF:
        return "dialog"
    return "crashed" if (yield from _crashed(session)) else None


def _crashed(session: SessionId | None) -> Plan[bool]:
    (view,) = yield from gather_outcomes(_ask_for_view(session), timeout=_BROWSER_SECONDS)
    if isinstance(view, Reply):
        return False
    return isinstance(view.error, TargetCrashed) or (
        isinstance(view.error, CommandRefused) and "Internal error" in view.error.reason
    )


def _ask_for_view(session: SessionId | None) -> Command[Any]:
    """A screenshot of nothing: it is always refused."""
    clip = {"x": 0, "y": 0, "width": 0, "height": 0, "scale": 1}
    return tell(session, "Page.captureScreenshot", {"clip": clip})


def _let_go(session: SessionId | None) -> Command[Any]:
    """A button that is none, let go outside of the view."""
    return dispatch_mouse(session, {"type": "mouseReleased", "x": -10, "y": -10, "button": "none"})
