"""What the events of a console say: messages, uncaught errors, and an error in one line.

Reads `Runtime.consoleAPICalled`, `Runtime.exceptionThrown` and `Log.entryAdded`; no I/O.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Level: TypeAlias = Literal["debug", "info", "warning", "error"]
LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error")
#: The events that are read here.
CONSOLE_EVENTS = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
#: Of each text (a message, its arguments together, a stack) so many characters are kept: 500 messages of a
#: hostile page then take 20 MB at most.
MOST_CHARACTERS = 4_000
#: So many arguments are kept.
_ARGUMENTS = 20
#: Types of console calls that are not plain information.
_CALL_LEVELS: dict[str, Level] = {
    "error": "error",
    "assert": "error",
    "warning": "warning",
    "debug": "debug",
}


@dataclasses.dataclass(frozen=True, slots=True)
class ConsoleMessage:
    """One message of a page's console.

    Attributes:
        level: ``debug``, ``info``, ``warning`` or ``error``.
        type: of the call, as the protocol has it: ``log``, ``info``, ``table``, ``dir``, ``assert``, …; for
            what the browser itself says its source: ``network``, ``security``, ``deprecation``, ``worker``, …
        text: all arguments in words; cut after 4,000 characters.
        args: each of the first 20 arguments in words.
        url: of the script that called, or what the browser's message is about; empty where there is none.
        line: in it, from 1; 0 where there is none.
        column: in the line, from 1.
        time: when, in seconds since 1970.
        worker: what said it, where that was no frame: a ``dedicated``, ``shared`` or ``service`` worker.
        worker_url: of that worker's own script.
    """

    level: Level
    type: str
    text: str
    args: tuple[str, ...] = ()
    url: str = ""
    line: int = 0
    column: int = 0
    time: float = 0.0
    worker: str = ""
    worker_url: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {**dataclasses.asdict(self), "args": list(self.args)}


@dataclasses.dataclass(frozen=True, slots=True)
class PageError:
    """An error that nothing in the page caught: an exception, or the rejection of a promise.

    Attributes:
        message: such as ``Uncaught TypeError: x is not a function``.
        stack: as the script's engine words it; empty where there is none.
        url: of the script; empty where there is none.
        line: in it, from 1; 0 where there is none.
        column: in the line, from 1.
        time: when, in seconds since 1970.
        worker: what said it, where that was no frame: a ``dedicated``, ``shared`` or ``service`` worker.
        worker_url: of that worker's own script.
    """

    message: str
    stack: str = ""
    url: str = ""
    line: int = 0
    column: int = 0
    time: float = 0.0
    worker: str = ""
    worker_url: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return dataclasses.asdict(self)


def read_event(
    method: str, params: dict[str, Any], *, worker: str = "", worker_url: str = ""
) -> ConsoleMessage | PageError | None:
    """What an event says; None where it says nothing of a console.

    Args:
        method: of the event.
        params: of the event.
        worker: the kind of worker whose event it is; empty for a frame's.
        worker_url: of that worker's script.

    Raises:
        LookupError, TypeError, AttributeError: it is not as the protocol describes it.
    """
    readers = _READERS.get(method)
    if readers is None:
        return None
    said = readers[0](params)
    return dataclasses.replace(said, worker=worker, worker_url=_clip(worker_url)) if worker else said


def _read_message(params: dict[str, Any]) -> ConsoleMessage:
    args = [_clip(_argument(one)) for one in params["args"][:_ARGUMENTS]]
    frame = _first_frame(params.get("stackTrace"))
    words = " ".join(args)
    return ConsoleMessage(
        level=_CALL_LEVELS.get(params["type"], "info"),
        type=params["type"],
        text=_clip(words),
        args=tuple(args) if len(words) <= MOST_CHARACTERS else (_clip(words),),
        url=frame[0],
        line=frame[1],
        column=frame[2],
        time=params["timestamp"] / 1000,
    )


def _read_page_error(params: dict[str, Any]) -> PageError:
    details = params["exceptionDetails"]
    described = (details.get("exception") or {}).get("description", "")
    frames = (details.get("stackTrace") or {}).get("callFrames", ())
    stack = described if "\n" in described else "\n".join(_frame_lines(frames))
    url = details.get("url") or _first_frame(details.get("stackTrace"))[0]
    return PageError(
        message=_clip(_exception_words(params)),
        stack=_clip(stack),
        url=_clip(url),
        line=details["lineNumber"] + 1,
        column=details["columnNumber"] + 1,
        time=params["timestamp"] / 1000,
    )


def _read_log_entry(params: dict[str, Any]) -> ConsoleMessage:
    entry = params["entry"]
    level = entry["level"]
    frame = _first_frame(entry.get("stackTrace"))
    return ConsoleMessage(
        level="debug" if level == "verbose" else level,
        type=entry["source"],
        text=_clip(entry["text"]),
        url=_clip(entry.get("url", "")) or frame[0],
        line=entry["lineNumber"] + 1 if "lineNumber" in entry else frame[1],
        column=0 if "url" in entry else frame[2],
        time=entry["timestamp"] / 1000,
    )


def _first_frame(trace: dict[str, Any] | None) -> tuple[str, int, int]:
    """Where the innermost call is: address, line, column."""
    frames = (trace or {}).get("callFrames", ())
    if not frames:
        return "", 0, 0
    return _clip(frames[0]["url"]), frames[0]["lineNumber"] + 1, frames[0]["columnNumber"] + 1


def _frame_lines(frames: Iterable[dict[str, Any]]) -> list[str]:
    return [
        f"    at {one['functionName'] or '(anonymous)'}"
        f" ({one['url']}:{one['lineNumber'] + 1}:{one['columnNumber'] + 1})"
        for one in frames
    ]


def _clip(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]}… ({len(text) - MOST_CHARACTERS} more characters)"


def read_error(method: str, params: dict[str, Any]) -> str:
    """The error that an event of ``Runtime`` or ``Log`` tells of, in one line; empty where there is none."""
    readers = _READERS.get(method)
    return "" if readers is None else readers[1](params)


def _call_words(params: dict[str, Any]) -> str:
    """`Runtime.consoleAPICalled`."""
    if params["type"] not in {"error", "assert"}:
        return ""
    words = " ".join(_argument(one) for one in params["args"])
    return f"assertion failed: {words}" if params["type"] == "assert" else words or "console.error()"


def _argument(value: dict[str, Any]) -> str:
    """A `Runtime.RemoteObject` in words."""
    if "value" in value:
        plain = value["value"]
        return plain if isinstance(plain, str) else json.dumps(plain)
    preview = value.get("preview")
    if preview is not None and value.get("subtype") != "error":
        parts = [
            one.get("value", "")
            if value.get("subtype") == "array"
            else f"{one['name']}: {one.get('value', '')}"
            for one in preview.get("properties", ())
        ]
        inside = ", ".join([*parts, *(["…"] if preview.get("overflow") else [])])
        return f"[{inside}]" if value.get("subtype") == "array" else "{" + inside + "}"
    described: str = value.get("unserializableValue") or value.get("description") or value["type"]
    return described.partition("\n")[0]


def _exception_words(params: dict[str, Any]) -> str:
    """`Runtime.exceptionThrown`."""
    details = params["exceptionDetails"]
    thrown = details.get("exception")
    words: str = details["text"]
    return words if thrown is None else f"{words} {_argument(thrown)}"


def _entry_words(params: dict[str, Any]) -> str:
    """`Log.entryAdded`."""
    entry = params["entry"]
    if entry["level"] != "error" or _is_own_icon(entry):
        return ""
    return " ".join(part for part in (entry["text"], entry.get("url", "")) if part)


def _is_own_icon(entry: dict[str, Any]) -> bool:
    """Whether it is about the icon that the browser itself asks every site for, be there one or not.

    Where a page names none, Chromium asks for ``/favicon.ico`` when it likes, and logs that there is none: no
    error of the page's, and none of an action's.
    """
    return entry.get("source") == "network" and urlsplit(entry.get("url", "")).path == "/favicon.ico"


#: Event → what it says, and the words of the error in it.
_READERS: dict[
    str, tuple[Callable[[dict[str, Any]], ConsoleMessage | PageError], Callable[[dict[str, Any]], str]]
] = {
    "Runtime.consoleAPICalled": (_read_message, _call_words),
    "Runtime.exceptionThrown": (_read_page_error, _exception_words),
    "Log.entryAdded": (_read_log_entry, _entry_words),
}
