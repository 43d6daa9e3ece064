"""Errors as OpenClaw's clients read them: ``{"error": TEXT}``, and ``code`` or ``reason`` where one is known.

The status is OpenClaw's, too: 500 for whatever failed in the page, with ``ACT_OPERATION_FAILED`` where an
element was at fault; 404 for a tab that is gone; 400 for a refused address, with its reason. What OpenClaw's
server does not know keeps the status that ours has for it: a full queue (503), a browser that is gone (503).
"""

from __future__ import annotations

from typing import Any

from hybridsnap import errors
from hybridsnap.service.errors import ApiError
from hybridsnap.service.problems import Problem

INVALID_REQUEST = "ACT_INVALID_REQUEST"
KIND_REQUIRED = "ACT_KIND_REQUIRED"
SELECTOR_UNSUPPORTED = "ACT_SELECTOR_UNSUPPORTED"
TARGET_ID_MISMATCH = "ACT_TARGET_ID_MISMATCH"
OPERATION_FAILED = "ACT_OPERATION_FAILED"
EVALUATE_DISABLED = "ACT_EVALUATE_DISABLED"
NAVIGATION_BLOCKED = "navigation_blocked"

_OF_ELEMENT = (errors.ActionError, errors.UnknownElement, errors.SelectorError)
_UNSUPPORTED = "Unsupported"
#: An address that is none: refused as one.
INVALID_URL = "InvalidUrl"
#: Names of our refusals of addresses.
_ADDRESSES = frozenset({"AddressRefused", "SchemeRefused", INVALID_URL})
#: The browser's, and the server's own limits: nothing of a page.
_OF_SERVER = (errors.BrowserError, errors.ConnectionLost)


def invalid(words: str, code: str = INVALID_REQUEST, status: int = 400) -> ApiError:
    """A request to act that cannot be meant."""
    return ApiError(status, code, words)


def unsupported(what: str, instead: str, **known: str) -> ApiError:
    """What OpenClaw's server has and this one has not.

    Args:
        what: it is.
        instead: what to do in its place.
        **known: ``code`` and ``reason`` that clients know.
    """
    return ApiError(501, _UNSUPPORTED, f"{what} is not supported by hybridsnap", instead, fields=known)


def tab_not_found(named: str | None) -> ApiError:
    """There is no such tab."""
    which = "" if named is None else f": {named[:60]!r}"
    return ApiError(
        404, "TabUnknown", f"tab not found{which}", "GET /tabs lists them; pass suggestedTargetId"
    )


def present(path: str, error: Exception, problem: Problem) -> Problem:
    """An error in OpenClaw's shape, by what was raised and by `problem`, the same in ours.

    ``/act`` has codes of its own.
    """
    status, extra = _kind(path, error, problem.status)
    body: dict[str, Any] = {"error": words_of(error, problem.body["detail"]), **extra}
    return Problem(status, body, {"content-type": "application/json", **problem.headers})


def words_of(error: Exception, detail: str) -> str:
    """What an error says, in one text."""
    if isinstance(error, ApiError) and error.remedy:
        return f"{detail}; {error.remedy}"
    if isinstance(error, errors.UnknownElement):
        return f"no snapshot of this page has shown {error.element_id}; run a new one and use a ref of it"
    return detail


def _kind(path: str, error: Exception, status: int) -> tuple[int, dict[str, str]]:
    """Status, and what stands beside the message."""
    if isinstance(error, ApiError):
        return _kind_of_refusal(path, error)
    if isinstance(error, errors.UnknownKey) or not isinstance(error, errors.HybridsnapError):
        is_usage = isinstance(error, ValueError | TypeError)
        return status, {"code": INVALID_REQUEST} if is_usage and path == "/act" else {}
    if isinstance(error, errors.TargetError):
        return (409 if error.message.startswith("several") else 404), {}
    if isinstance(error, errors.SessionEnded):
        return 404, {}
    if isinstance(error, _OF_SERVER):
        return status, {}
    return 500, {"code": OPERATION_FAILED} if isinstance(error, _OF_ELEMENT) else {}


def _kind_of_refusal(path: str, error: ApiError) -> tuple[int, dict[str, str]]:
    if error.name.startswith("ACT_"):
        return error.status, {"code": error.name}
    if error.name == "EvaluateOff":
        return error.status, {"code": EVALUATE_DISABLED}
    if error.name == _UNSUPPORTED:
        return error.status, dict(error.fields)
    if error.name in _ADDRESSES:
        return 400, {"reason": NAVIGATION_BLOCKED}
    if error.name == "BadRequest" and path == "/act":
        return error.status, {"code": INVALID_REQUEST}
    return error.status, {}
