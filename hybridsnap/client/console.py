"""Errors that a page writes to its console, or throws, while one listens.

A console keeps its old messages, and tells them all to whoever begins to listen. They come before the reply
to the command that switches it on, so what comes after that is new: no clock is needed.

Measured in Chromium 156: switching on costs under 1 ms where the console is empty, and 50 to 80 ms where it
holds 1,000 messages. Where it holds many it is therefore left on, once it is.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hybridsnap.drivers.base import ignore_reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.client.attachment import AttachedSession, PageAttachment
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import SessionId
    from hybridsnap.protocol.codec import Payload

#: With more old messages than this, the console is left on.
_MANY = 50
#: So many errors are kept; the rest is counted.
_KEPT = 20
_SHOWN = 300
_DOMAINS = ("Runtime", "Log")


class ConsoleErrors:
    """What was heard while one listened: one line for each error, as the page has it."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._more = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The first of them, and how many more there were."""
        rest = (f"and {self._more} more errors",) if self._more else ()
        return (*self._texts, *rest)

    def clear(self) -> None:
        """Forget what was heard."""
        self._texts.clear()
        self._more = 0

    def add(self, text: str) -> None:
        """Take one more."""
        if len(self._texts) < _KEPT:
            self._texts.append(text[:_SHOWN])
        else:
            self._more += 1


@dataclasses.dataclass(slots=True)
class _Told:
    """What a session's console has told since it was switched on.

    Attributes:
        telling: how many of its domains still tell old messages.
        old: how many there were.
    """

    telling: int
    old: int = 0


class Console:
    """The consoles of a page's processes, switched on while there are listeners.

    What counts as an error: uncaught exceptions, unhandled rejections, ``console.error`` and
    ``console.assert``, and what the browser itself reports (a file that could not be loaded, a policy that
    forbids something).

    Args:
        attachment: the page's sessions.
        shared: another client uses them too: what is switched on stays so.
    """

    def __init__(self, attachment: PageAttachment, *, shared: bool) -> None:
        self._attachment = attachment
        self._shared = shared
        self._heard: list[ConsoleErrors] = []
        self._told: dict[SessionId | None, _Told] = {}

    @contextlib.contextmanager
    def listen(self) -> Iterator[ConsoleErrors]:
        """Listen for the length of the block. Never waits."""
        heard = ConsoleErrors()
        self._heard.append(heard)
        if self.take not in self._attachment.listeners:
            self._attachment.listeners.append(self.take)
        for one in self._attachment:
            if one.session.id not in self._told:
                self._switch_on(one)
        try:
            yield heard
        finally:
            # Not `remove`: two with the same contents must not count as equal.
            self._heard = [one for one in self._heard if one is not heard]
            if not self._heard:
                self._attachment.listeners.remove(self.take)
                self._switch_off()

    def _switch_on(self, one: AttachedSession) -> None:
        session = one.session
        told = self._told[session.id] = _Told(len(_DOMAINS))

        def done(_: Payload | HybridsnapError) -> None:
            # Where all is over before the reply comes, it must not count for the next time.
            told.telling -= 1

        for domain in _DOMAINS:
            session.post(f"{domain}.enable", {}, done)

    def _switch_off(self) -> None:
        """Let go of what the messages held; where few are kept, switch off."""
        attached = {one.session.id: one.session for one in self._attachment}
        for id_, told in list(self._told.items()):
            session = attached.get(id_)
            if session is not None and not self._shared:
                session.post("Runtime.releaseObjectGroup", {"objectGroup": "console"}, ignore_reply)
                if told.old > _MANY:
                    continue
                for domain in _DOMAINS:
                    session.post(f"{domain}.disable", {}, ignore_reply)
            del self._told[id_]

    def take(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        """Look at an event."""
        reader = _READERS.get(method)
        told = self._told.get(one.session.id)
        if reader is None or told is None:
            return
        if told.telling > 0:
            told.old += 1
        elif text := reader(params):
            for heard in self._heard:
                heard.add(text)


def read_error(method: str, params: dict[str, Any]) -> str:
    """The error that an event of ``Runtime`` or ``Log`` tells of, in words; empty where it tells of none."""
    reader = _READERS.get(method)
    return "" if reader is None else reader(params)


def _read_call(params: dict[str, Any]) -> str:
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


def _read_exception(params: dict[str, Any]) -> str:
    """`Runtime.exceptionThrown`."""
    details = params["exceptionDetails"]
    thrown = details.get("exception")
    words: str = details["text"]
    return words if thrown is None else f"{words} {_argument(thrown)}"


def _read_entry(params: dict[str, Any]) -> str:
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


_READERS = {
    "Runtime.consoleAPICalled": _read_call,
    "Runtime.exceptionThrown": _read_exception,
    "Log.entryAdded": _read_entry,
}
