"""What to do about each error: the status that HTTP answers with, and advice in each face's own words.

A refusal of the servers themselves (`hybridsnap.service.errors`) brings its remedy with it; what to do about
a frame that was not read is in `hybridsnap.render.report`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

from hybridsnap import errors
from hybridsnap.capture.selectors import MEND_SELECTOR
from hybridsnap.drivers.base import WAIT_FOR_IT
from hybridsnap.render.report import CLOSE_IT, HELD, KEPT

if TYPE_CHECKING:
    from hybridsnap.model import Cause


@dataclasses.dataclass(frozen=True, slots=True)
class Remedy:
    """What to do about an error.

    Attributes:
        status: of HTTP.
        http: advice to a client of the HTTP server.
        mcp: advice to a model that calls tools; "" for the same, None for none: the error says it.
        cli: advice to whoever runs ``hybridsnap act``; "" for the same.
    """

    status: int
    http: str
    mcp: str | None = ""
    cli: str = ""

    def advice(self, face: Literal["http", "mcp", "cli"]) -> str:
        """The advice in a face's own words; "" for none."""
        if face == "mcp" and self.mcp is None:
            return ""
        return {"mcp": self.mcp, "cli": self.cli}.get(face) or self.http


_LOOK = "take a snapshot to see the page as it is"
_OF_DIALOG = {
    "http": 'answer the dialog first: POST /control/act {"action": "answer_dialog", "accept": true}',
    "mcp": "answer the dialog first (handle_dialog)",
    "cli": 'put {"action": "answer_dialog", "accept": true} after it, in the same call',
}
_NAME_A_TAB = "name one of fields.target_ids with --target-id"

_ALLOW_MORE_TIME = Remedy(
    504,
    f"allow more time (timeoutMs); {HELD}",
    "try again, or close the tab (tabs)",
    f"allow more time (--timeout); {HELD}",
)

_CLOSE_THE_TAB = Remedy(
    504,
    "close the tab (DELETE /tabs/{targetId}), and open another (POST /tabs)",
    "close the tab, and open another (tabs)",
    "close the tab, and open another",
)
_WAIT_FOR_IT = Remedy(
    504,
    "wait for it (wait_for with load_state), or go elsewhere (goto); close the tab if it stays so",
    "look again later, or navigate elsewhere; close the tab (tabs) if it stays so",
)

#: `NotInteractable.reason` → the call is at fault, and not the state that the page is in.
_OF_CALL = frozenset({"document", "wrong kind", "no such option", "several", "value", "lost", "prompt"})
#: `NavigationFailed.reason` → no other side is asked: the browser itself refuses the address.
_OF_ADDRESS = frozenset(
    {"net::ERR_UNSAFE_PORT", "net::ERR_INVALID_URL", "net::ERR_UNKNOWN_URL_SCHEME", "net::ERR_FILE_NOT_FOUND"}
    | {"net::ERR_ACCESS_DENIED", "script", "no scheme", "another program", "surrogates"}
)
_SAYS_IT = Remedy(409, "see the detail: it says what would do", None, "see the message")

#: Error → remedy; of several that fit, the first.
_REMEDIES: dict[type[Exception], Remedy] = {
    errors.DeadlineExceeded: _ALLOW_MORE_TIME,
    errors.CaptureFailed: Remedy(502, "the report in fields says what went wrong", "try again"),
    errors.StaleElement: Remedy(
        409,
        "take a snapshot anew; fields.successors are what may be meant now",
        "take a new snapshot, and use the ids it shows",
    ),
    errors.ElementCovered: Remedy(
        409,
        "deal with what covers it (fields.coverId) first, or click with force",
        "deal with what covers the element first",
        "deal with fields.cover_id first, or click with force",
    ),
    errors.NotInteractable: Remedy(409, f"fields.reason says why; {_LOOK}", _LOOK),
    errors.ActionError: Remedy(409, _LOOK),
    errors.UnknownElement: Remedy(404, "take a snapshot, and name an id or a ref that it shows"),
    errors.TargetError: Remedy(
        404, "GET /tabs lists the tabs; name one by targetId", "list the tabs (tabs)", _NAME_A_TAB
    ),
    errors.EvaluationFailed: Remedy(
        422, "the script is at fault; fields has its own words", "mend the script"
    ),
    errors.EvaluationTimeout: Remedy(504, "allow more time; where the script had begun, make it do less"),
    errors.WaitTimeout: Remedy(
        504,
        "allow more time, or take a snapshot to see what is there instead",
        "wait longer, or take a snapshot to see what is there instead",
    ),
    errors.NoDialog: Remedy(409, "there is nothing to answer; go on"),
    errors.DownloadFailed: Remedy(
        502,
        "see the detail; fields.receipt says what was done all the same",
        "the action itself was done",
        "see the message; the action itself was done",
    ),
    errors.NavigationFailed: Remedy(502, "check the address; ask again when the other side is up"),
    errors.BrowserError: Remedy(
        503, "ask again; if it goes on, see `hybridsnap doctor` on the server", cli="see hybridsnap doctor"
    ),
    errors.ConnectionLost: Remedy(
        503,
        "the browser is gone; it is started anew, or connected to again, at the next request: ask again",
        cli="the browser is gone; start it again",
    ),
    errors.TargetCrashed: Remedy(
        409,
        'reload the page: {"action": "reload"}',
        'navigate with url "reload", or to another address',
        "reload the page: the action reload",
    ),
    errors.SessionEnded: Remedy(
        410,
        "the tab or frame is gone; GET /tabs lists what is open",
        "the tab or frame is gone; list the tabs (tabs)",
        "the tab or frame is gone; take a snapshot to see what is open",
    ),
    errors.CommandUnanswered: _ALLOW_MORE_TIME,
    errors.ReplyTooLarge: Remedy(502, "use a browser over the pipe"),
    errors.CommandError: Remedy(502, "ask again"),
}


def remedy_of(error: errors.HybridsnapError) -> Remedy:
    """What to do about an error."""
    found = next((one for class_, one in _REMEDIES.items() if isinstance(error, class_)), None)
    if found is not None and (of_page := _of_page(error, found.status)) is not None:
        return of_page
    if (of_call := _of_named(error)) is not None:
        return of_call
    if isinstance(error, errors.TargetError) and error.message.startswith("several"):
        return Remedy(409, "name one by targetId", "choose a tab (tabs)", _NAME_A_TAB)
    if found is not None:
        return found
    return Remedy(400, "mend the request") if isinstance(error, ValueError) else Remedy(502, "ask again")


def _of_named(error: errors.HybridsnapError) -> Remedy | None:
    """What to do where the call names what is not there, or asks what its element cannot."""
    if isinstance(error, errors.SelectorError):
        status = 400 if error.reason == "syntax" else 404
        if MEND_SELECTOR in str(error):
            return Remedy(status, MEND_SELECTOR)
        return dataclasses.replace(_SAYS_IT, status=status)
    if isinstance(error, errors.NavigationFailed) and error.reason in _OF_ADDRESS:
        return Remedy(_REMEDIES[errors.NavigationFailed].status, "check the address")
    return _SAYS_IT if isinstance(error, errors.NotInteractable) and error.reason in _OF_CALL else None


def _of_page(error: errors.HybridsnapError, status: int) -> Remedy | None:
    """What to do about the state that the page is in, whatever call came upon it."""
    if _has_cause(error, "dialog"):
        return Remedy(status, **_OF_DIALOG)
    if KEPT in str(error) or (isinstance(error, errors.NavigationFailed) and error.reason == "silent"):
        return dataclasses.replace(_CLOSE_THE_TAB, status=status)
    report: Any = getattr(error, "report", None)
    cause = report.frames[0].cause if report is not None else getattr(error, "cause", None)
    if cause in ("loading", "navigated") and not isinstance(error, errors.WaitTimeout):
        return dataclasses.replace(_WAIT_FOR_IT, status=status)
    if isinstance(error, errors.CaptureFailed) and _has_cause(error, "crashed"):
        return dataclasses.replace(_REMEDIES[errors.TargetCrashed], status=status)
    return None


#: What a message advises a caller in Python to do, who gets no remedy beside it; a face may not offer it.
_ADVICE = (
    "; take a new snapshot",
    "; take a snapshot and use its ids",
    "; act on that first",
    ", or use force=True",
    WAIT_FOR_IT,
    CLOSE_IT,
    f"; {MEND_SELECTOR}",
)


def without_advice(error: errors.HybridsnapError) -> str:
    """What an error says, for a face that puts its own advice (`remedy_of`) beside it."""
    words = str(error)
    for advice in _ADVICE:
        words = words.replace(advice, "")
    return words


def _has_cause(error: errors.HybridsnapError, cause: Cause) -> bool:
    """Whether this is why a command has no answer, a frame was not read, or a wait could not look."""
    if isinstance(error, errors.CaptureFailed):
        report: Any = error.report
        return report is not None and any(frame.cause == cause for frame in report.frames)
    return isinstance(error, errors.CommandUnanswered | errors.WaitTimeout) and error.cause == cause
