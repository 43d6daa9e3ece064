"""The exception tree: as drawn, picklable, and what the standard library expects."""

from __future__ import annotations

import inspect
import pickle
import re

import pytest

import hybridsnap
from hybridsnap import errors
from hybridsnap.errors import HybridsnapError
from hybridsnap.model import ElementId, FrameId, FrameReport, Report, Successor
from hybridsnap.service.errors import ApiError
from hybridsnap.service.remedies import remedy_of

_FRAME = FrameReport(FrameId("f"), 0, "u", None, None, None, "missing", "busy", 0, 0, 0.0)
_REPORT = Report(
    complete=False,
    consistent=True,
    url="u",
    title="t",
    elapsed_ms=1.0,
    transport="x",
    snapshot_id="s",
    frames=(_FRAME,),
    notes=("n",),
)
_ARGUMENTS: dict[str, object] = {
    "refused": True,
    "silent": True,
    "status": 404,
    "unknown": True,
    "may_have_been_executed": False,
    "stderr": "last words",
    "endpoint": "ws://x",
    "session": "S",
    "method": "A.b",
    "code": -32000,
    "reason": "because",
    "cause": "busy",
    "cap_bytes": 5,
    "url": "http://x/",
    "target_ids": ("a", "b"),
    "element_id": "0-9",
    "selector": "//x",
    "chord": "Ctrl+Entr",
    "key": "Entr",
    "suggestions": ("Enter",),
    "candidates": (),
    "snapshot_id": "5e1f",
    "description": 'button "Buy"',
    "successors": (Successor(ElementId("0-7"), "button", "Buy"),),
    "cover_id": "0-9",
    "cover_role": "dialog",
    "cover_name": "Cookies",
    "name": "TypeError",
    "js_message": "x is undefined",
    "js_stack": "at <anonymous>:1:1",
    "seconds": 1.5,
    "missing": ("text='Done'",),
    "instead": {"value": 'its value is "Ada"'},
    "obstacle": "a dialog is open (alert), so the page could not be looked at",
    "report": _REPORT,
}


def classes() -> list[type[HybridsnapError]]:
    found = [HybridsnapError]
    for one in found:
        found.extend(one.__subclasses__())
    return [one for one in found if one.__module__ == errors.__name__]


def make(cls: type[HybridsnapError]) -> HybridsnapError:
    """One with every attribute set."""
    wanted = inspect.signature(cls).parameters.values()
    arguments = {one.name: _ARGUMENTS[one.name] for one in wanted if one.kind is one.KEYWORD_ONLY}
    return cls("one line", **arguments)


@pytest.mark.parametrize("cls", classes())
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_error_is_picklable_with_its_attributes(cls: type[HybridsnapError], protocol: int) -> None:
    error = make(cls)
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is cls
    assert str(again) == "one line"
    assert again.message == "one line"
    assert again.args == error.args
    assert vars(again) == vars(error)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_refusal_of_the_service_is_picklable_with_its_attributes(protocol: int) -> None:
    error = ApiError(404, "TabUnknown", "tab not found", "GET /tabs lists them", fields={"targetId": "T"})
    again = pickle.loads(pickle.dumps(error, protocol))
    assert (type(again), again.args, vars(again)) == (ApiError, error.args, vars(error))


@pytest.mark.parametrize("cls", classes())
def test_every_error_prints_its_line_only(cls: type[HybridsnapError]) -> None:
    # KeyError would print the repr, OSError its number.
    assert str(make(cls)) == "one line"


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn: dict[str, str] = {}
    stdlib: dict[str, str] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"    ([│├└─ ]*)([A-Z]\w+)(?:\s+\(also (\w+)\))?", line):
            depth = len(match[1]) // 4
            path[depth:] = [match[2]]
            if depth:
                drawn[match[2]] = path[depth - 1]
            if match[3]:
                stdlib[match[2]] = match[3]
    real = {cls.__name__: cls.__bases__[0].__name__ for cls in classes() if cls is not HybridsnapError}
    assert drawn == real
    also = {cls.__name__: cls.__bases__[1].__name__ for cls in classes() if len(cls.__bases__) > 1}
    assert stdlib == also


@pytest.mark.parametrize("cls", classes())
def test_every_error_is_exported(cls: type[HybridsnapError]) -> None:
    assert getattr(hybridsnap, cls.__name__) is cls
    assert cls.__name__ in hybridsnap.__all__


@pytest.mark.parametrize(
    ("cls", "base"),
    [
        (errors.BrowserNotFound, FileNotFoundError),
        (errors.EndpointError, ConnectionError),
        (errors.ConnectionLost, ConnectionError),
        (errors.CommandUnanswered, TimeoutError),
        (errors.DeadlineExceeded, TimeoutError),
        (errors.TargetError, LookupError),
        (errors.UnknownElement, KeyError),
        (errors.SelectorError, ValueError),
    ],
)
def test_errors_are_what_the_standard_library_calls_them(
    cls: type[HybridsnapError], base: type[Exception]
) -> None:
    with pytest.raises(base):
        raise make(cls)


@pytest.mark.parametrize(
    ("reason", "asks_again"), [("net::ERR_UNSAFE_PORT", False), ("net::ERR_CONNECTION_REFUSED", True)]
)
def test_to_ask_again_is_no_remedy_where_the_browser_refuses_the_address(
    reason: str, asks_again: bool
) -> None:
    error = errors.NavigationFailed("it failed", url="http://127.0.0.1:1/", reason=reason)
    for face in ("http", "mcp", "cli"):
        said = remedy_of(error).advice(face)
        assert (said.startswith("check the address"), "ask again" in said) == (True, asks_again)
