"""What to do about each error: the status that HTTP answers with, and advice in each face's own words."""

from __future__ import annotations

import dataclasses
from typing import Any

from hybridsnap import errors
from hybridsnap.snapshot import HELD


@dataclasses.dataclass(frozen=True, slots=True)
class Remedy:
    """What to do about an error.

    Attributes:
        status: of HTTP.
        http: advice to a client of the HTTP server.
        mcp: advice to a model that calls tools.
    """

    status: int
    http: str
    mcp: str


_ANSWER_HTTP = 'answer the dialog first: POST /control/act {"action": "answer_dialog", "accept": true}'
_ANSWER_MCP = "answer the dialog first (handle_dialog)"
_LOOK = "take a snapshot to see the page as it is"

#: Error → status, advice over HTTP, and over MCP where that differs; of several that fit, the first.
_REMEDIES: tuple[tuple[type[Exception], int, str, str], ...] = (
    (
        errors.DeadlineExceeded,
        504,
        f"allow more time (timeoutMs); {HELD}",
        "try again, or close the tab (tabs)",
    ),
    (errors.CaptureFailed, 502, "the report in fields says what went wrong", "try again"),
    (
        errors.StaleElement,
        409,
        "take a snapshot anew; fields.successors are what may be meant now",
        "take a new snapshot, and use the ids it shows",
    ),
    (
        errors.ElementCovered,
        409,
        "deal with what covers it (fields.coverId) first, or click with force",
        "deal with what covers the element first",
    ),
    (errors.NotInteractable, 409, f"fields.reason says why; {_LOOK}", _LOOK),
    (errors.ActionError, 409, _LOOK, ""),
    (errors.UnknownElement, 404, "take a snapshot, and name an id or a ref that it shows", ""),
    (errors.TargetError, 404, "GET /tabs lists the tabs; name one by targetId", "list the tabs (tabs)"),
    (errors.EvaluationFailed, 422, "the script is at fault; fields has its own words", "mend the script"),
    (
        errors.EvaluationTimeout,
        504,
        "the script was ended; allow more time, or make it do less",
        "",
    ),
    (
        errors.WaitTimeout,
        504,
        "allow more time, or take a snapshot to see what is there instead",
        "wait longer, or take a snapshot to see what is there instead",
    ),
    (errors.NoDialog, 409, "there is nothing to answer; go on", ""),
    (
        errors.DownloadFailed,
        502,
        "see the detail; fields.receipt says what was done all the same",
        "the action itself was done",
    ),
    (errors.NavigationFailed, 502, "check the address; ask again when the other side is up", ""),
    (
        errors.BrowserError,
        503,
        "ask again; if it goes on, see `hybridsnap doctor` on the server",
        "",
    ),
    (errors.ConnectionLost, 503, "the browser is gone and is being started anew; ask again", ""),
    (errors.TargetCrashed, 409, 'reload the page: {"action": "reload"}', "navigate to reload"),
    (
        errors.SessionEnded,
        410,
        "the tab or frame is gone; GET /tabs lists what is open",
        "the tab or frame is gone; list the tabs (tabs)",
    ),
    (errors.CommandUnanswered, 504, "allow more time", "try again, or close the tab (tabs)"),
    (errors.ReplyTooLarge, 502, "use a browser over the pipe", ""),
    (errors.CommandError, 502, "ask again", ""),
)


def remedy_of(error: errors.HybridsnapError) -> Remedy:
    """What to do about an error."""
    if _is_of_dialog(error):
        return Remedy(_status_of(error), _ANSWER_HTTP, _ANSWER_MCP)
    if isinstance(error, errors.SelectorError):
        is_malformed = error.reason == "syntax"
        return _same(400, "mend the selector") if is_malformed else _same(404, _LOOK)
    if isinstance(error, errors.TargetError) and error.message.startswith("several"):
        return Remedy(409, "name one by targetId", "choose a tab (tabs)")
    for class_, status, http, mcp in _REMEDIES:
        if isinstance(error, class_):
            return Remedy(status, http, mcp or http)
    return _same(400, "mend the request") if isinstance(error, ValueError) else _same(502, "ask again")


def _status_of(error: errors.HybridsnapError) -> int:
    return next(status for class_, status, _, _ in _REMEDIES if isinstance(error, class_))


def _same(status: int, advice: str) -> Remedy:
    return Remedy(status, advice, advice)


def _is_of_dialog(error: errors.HybridsnapError) -> bool:
    """Whether an open dialog is the cause."""
    if isinstance(error, errors.CaptureFailed):
        report: Any = error.report
        return report is not None and any(frame.cause == "dialog" for frame in report.frames)
    return isinstance(error, errors.CommandUnanswered) and error.cause == "dialog"
