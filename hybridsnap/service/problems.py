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
from hybridsnap.protocol.codec import mend_surrogates
from hybridsnap.service.errors import ApiError
from hybridsnap.service.remedies import remedy_of

PROBLEM_TYPE = "application/problem+json"
_URN = "urn:hybridsnap:problem:"


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """An error as it is answered."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str] = dataclasses.field(default_factory=dict)


_RETRIES = (errors.BrowserError, errors.ConnectionLost)
_TOO_LONG = 2000
#: What the disk says of a path that cannot be one, or that is something else.
_NO_PATH = {errno.ENAMETOOLONG, errno.ENOTDIR, errno.EEXIST}


def problem_of(error: Exception) -> Problem | None:
    """An error as it is answered; None for one that is a bug."""
    if isinstance(error, ApiError):
        return refusal_of(error)
    if isinstance(error, errors.HybridsnapError):
        known = remedy_of(error)
        return _typed(error, known.status, known.http)
    if isinstance(error, ValueError | TypeError):
        advice = "mend the request; /openapi.json has its shape"
        name, detail = type(error).__name__, str(error)
        if isinstance(error, UnicodeEncodeError):
            name, detail = "BadRequest", HALF_SURROGATE
        return _problem(400, name, detail, {}, advice, {})
    if isinstance(error, OSError):
        status, name, whose, remedy = 502, "OSError", "the server's disk", "ask again"
        if error.errno in _NO_PATH:
            status, name, whose, remedy = 400, "BadRequest", "a path cannot be used", "mend the request"
        return _problem(status, name, f"{whose}: {error.strerror}", {}, remedy, {})
    return None


def refusal_of(error: ApiError) -> Problem:
    """A refusal as it is answered."""
    return _problem(error.status, error.name, str(error), error.fields, error.remedy, error.headers)


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
        ValueError: it contains itself, or nests too deep.
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
        raise ValueError("the value contains itself, which JSON cannot express") from None


def _camel_keys(data: Any) -> Any:
    if isinstance(data, dict):
        return {camel(key): _camel_keys(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_camel_keys(one) for one in data]
    return data


def encode(data: Any) -> bytes:
    """JSON text of data; what is not valid Unicode in it is mended."""
    try:
        return msgspec.json.encode(data)
    except (UnicodeEncodeError, OverflowError):
        return mend_surrogates(json.dumps(data).encode())
