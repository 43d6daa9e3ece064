r"""Errors as ``application/problem+json`` (RFC 9457).

::

    {"type": "urn:hybridsnap:problem:StaleElement", "title": "StaleElement", "status": 409,
     "detail": "0-29 was button \"Buy\"; …", "error": "StaleElement",
     "fields": {"elementId": "0-29", "reason": "navigated", …}, "remedy": "take a snapshot anew, and …"}

``error`` is the name of the class in `hybridsnap.errors`, or of a refusal of the server's own; ``fields`` are
its public attributes.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import re
from typing import Any

import msgspec

from hybridsnap import errors
from hybridsnap.json_data import HALF_SURROGATE, to_json
from hybridsnap.protocol.wire import mend_surrogates
from hybridsnap.snapshot import HELD

PROBLEM_TYPE = "application/problem+json"
_URN = "urn:hybridsnap:problem:"


class Refused(Exception):
    """A request that is answered with a refusal of the server's own.

    Attributes:
        status: of HTTP.
        name: of the refusal, as ``error`` has it.
        remedy: what to do.
        fields: more about it, as JSON data.
        headers: of the answer.
    """

    def __init__(
        self,
        status: int,
        name: str,
        detail: str,
        remedy: str = "",
        *,
        fields: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.name = name
        self.remedy = remedy
        self.fields: dict[str, Any] = fields or {}
        self.headers: dict[str, str] = headers or {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.args, self.__dict__)


def _rebuild(args: tuple[Any, ...], attributes: dict[str, Any]) -> Refused:
    error = Refused.__new__(Refused, *args)
    error.__dict__.update(attributes)
    return error


def bad_request(detail: str) -> Refused:
    """A request that cannot mean anything."""
    return Refused(400, "BadRequest", detail, "see /openapi.json for what this takes")


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """An error as it is answered."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str] = dataclasses.field(default_factory=dict)


#: Error → status and remedy; of several that fit, the first.
_STATUSES: tuple[tuple[type[Exception], int, str], ...] = (
    (
        errors.DeadlineExceeded,
        504,
        f"allow more time (timeoutMs); {HELD}",
    ),
    (errors.CaptureFailed, 502, "the report in fields says what came in the way"),
    (errors.StaleElement, 409, "take a snapshot anew; fields.successors are what may be meant now"),
    (errors.ElementCovered, 409, "deal with what covers it (fields.coverId) first, or click with force"),
    (errors.NotInteractable, 409, "fields.reason says why; take a snapshot to see the page as it is"),
    (errors.ActionError, 409, "take a snapshot to see the page as it is"),
    (errors.UnknownElement, 404, "take a snapshot, and name an id or a ref that it shows"),
    (errors.TargetError, 404, "GET /tabs lists the tabs; name one by targetId"),
    (errors.EvaluationFailed, 422, "the script is at fault; fields has its own words"),
    (errors.EvaluationTimeout, 504, "the script was ended; allow more time, or make it do less"),
    (errors.WaitTimeout, 504, "allow more time, or take a snapshot to see what is there instead"),
    (errors.NoDialog, 409, "there is nothing to answer; go on"),
    (errors.DownloadFailed, 502, "see the detail; fields.receipt says what was done all the same"),
    (errors.NavigationFailed, 502, "check the address; ask again when the other side is up"),
    (errors.BrowserError, 503, "ask again; if it goes on, see `hybridsnap doctor` on the server"),
    (errors.ConnectionLost, 503, "the browser is gone and is being started anew; ask again"),
    (errors.TargetCrashed, 409, 'reload the page: {"action": "reload"}'),
    (errors.SessionEnded, 410, "the tab or frame is gone; GET /tabs lists what is open"),
    (errors.CommandUnanswered, 504, "allow more time; if a dialog is open, answer it: answer_dialog"),
    (errors.ReplyTooLarge, 502, "use a browser over the pipe"),
    (errors.CommandError, 502, "ask again"),
)
_RETRIES = (errors.BrowserError, errors.ConnectionLost)
_TOO_LONG = 2000
#: What the disk says of a path that cannot be one, or that is something else.
_NO_PATH = {errno.ENAMETOOLONG, errno.ENOTDIR, errno.EEXIST}


def problem_of(error: Exception) -> Problem | None:
    """An error as it is answered; None for one that is a bug."""
    if isinstance(error, Refused):
        return _problem(error.status, error.name, str(error), error.fields, error.remedy, error.headers)
    if isinstance(error, errors.HybridsnapError):
        return _typed(error, *_status_of(error))
    if isinstance(error, ValueError | TypeError):
        remedy = "mend the request; /openapi.json has its shape"
        name, detail = type(error).__name__, str(error)
        if isinstance(error, UnicodeEncodeError):
            name, detail = "BadRequest", HALF_SURROGATE
        return _problem(400, name, detail, {}, remedy, {})
    if isinstance(error, OSError):
        status, name, whose, remedy = 502, "OSError", "the server's disk", "ask again"
        if error.errno in _NO_PATH:
            status, name, whose, remedy = 400, "BadRequest", "a path cannot be used", "mend the request"
        return _problem(status, name, f"{whose}: {error.strerror}", {}, remedy, {})
    return None


def _status_of(error: errors.HybridsnapError) -> tuple[int, str]:
    """Status and remedy of an error."""
    if isinstance(error, errors.SelectorError):
        is_malformed = error.reason == "syntax"
        return (400, "mend the selector") if is_malformed else (404, "take a snapshot to see what is there")
    if isinstance(error, errors.TargetError) and error.message.startswith("several"):
        return 409, "name one by targetId"
    for class_, status, remedy in _STATUSES:
        if isinstance(error, class_):
            return status, remedy
    return (400, "mend the request") if isinstance(error, ValueError) else (502, "ask again")


def _typed(error: errors.HybridsnapError, status: int, remedy: str) -> Problem:
    fields = {camel(name): data_of(value) for name, value in vars(error).items() if not name.startswith("_")}
    headers = {"Retry-After": "1"} if isinstance(error, _RETRIES) else {}
    return _problem(status, type(error).__name__, str(error), fields, remedy, headers)


def _problem(
    status: int, name: str, detail: str, fields: dict[str, Any], remedy: str, headers: dict[str, str]
) -> Problem:
    body = {
        "type": _URN + name,
        "title": name,
        "status": status,
        "detail": detail[:_TOO_LONG],
        "error": name,
        "fields": fields,
        "remedy": remedy,
    }
    return Problem(status, body, headers)


def camel(name: str) -> str:
    """``element_id`` as ``elementId``."""
    return re.sub(r"(?<=[a-z0-9])_([a-z])", lambda found: found[1].upper(), name)


def data_of(value: Any) -> Any:
    """A value as JSON data, the names of its fields as JSON has them.

    Raises:
        ValueError: it goes round in a circle, or nests too deep.
    """
    try:
        if isinstance(value, msgspec.Struct):
            return _camel_keys(msgspec.to_builtins(value))
        if isinstance(value, list | tuple):
            return [data_of(one) for one in value]
        if dataclasses.is_dataclass(value):
            fields = dataclasses.fields(value)
            return {camel(one.name): data_of(getattr(value, one.name)) for one in fields}
        return to_json(value)
    except RecursionError:
        raise ValueError("the value goes round in a circle, which JSON cannot say") from None


def _camel_keys(data: Any) -> Any:
    if isinstance(data, dict):
        return {camel(key): _camel_keys(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_camel_keys(one) for one in data]
    return data


def encode(data: Any) -> bytes:
    """JSON text of data; what is no valid Unicode in it is mended."""
    try:
        return msgspec.json.encode(data)
    except (UnicodeEncodeError, OverflowError):
        return mend_surrogates(json.dumps(data).encode())
