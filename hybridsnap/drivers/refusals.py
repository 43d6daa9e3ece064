"""What drivers raise when the browser refuses a command, as errors of ours.

Each driver wraps the browser's words in its own way: as JSON in a message (ChromeDriver), as a dict
(cdp-use, nodriver), after the method's name (Playwright), or as they are.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hybridsnap.drivers.base import refused, unanswered
from hybridsnap.errors import ConnectionLost, TargetCrashed, TargetDetached

if TYPE_CHECKING:
    from hybridsnap.errors import HybridsnapError

_JSON = re.compile(r'\{"code":\s*-?\d+,\s*"message":\s*"(?:[^"\\]|\\.)*"[^{}]*\}')
_PLAYWRIGHT = re.compile(r"Protocol error \([\w.]+\): (.*)")
#: ChromeDriver's own classes of errors stand before the browser's words.
_CHROMEDRIVER = re.compile(
    r"(?:no such element|invalid argument|unknown (?:command|error)|javascript error): "
)
#: What it says of a reply that nests deeper than 200 levels, before the whole reply (measured).
_TOO_DEEP = "bad inspector message"
#: So much of a driver's words stands in a message.
_LONGEST = 300
#: JSON-RPC: the browser knows no such session (any more).
_NO_SESSION = -32001
_SERVER_ERROR = -32000
_GONE = re.compile(
    r"session with given id not found|no target with given id|target closed|session closed|detached"
    r"|(?:page|context|target|window).* closed|no such window|not attached|no object with guid",
    re.IGNORECASE,
)
_LOST = re.compile(
    r"(?:browser|connection|websocket|socket|event loop).*(?:closed|lost|stopped)|disconnected"
    r"|client is (?:not started|stopping)|no close frame|(?:sent|received) \d{4} \(|going away"
    r"|invalid session id|max retries exceeded|connection refused",
    re.IGNORECASE,
)
_CRASHED = re.compile(r"(?:target|tab)\b.*crashed|crashed.*(?:target|tab\b)|\bpage crashed", re.IGNORECASE)
#: Where Selenium sends its readers, and what its HTTP client says before it says why.
_SELENIUM = re.compile(r"; For documentation on this error, please visit: \S+$")
_UNREACHED = re.compile(r"HTTPConnectionPool\((.*?)\): Max retries exceeded with url: .*")
#: What a caller's own mistake raises: that is nothing the browser said.
_MISTAKES = (TypeError, AttributeError, NameError, AssertionError, ImportError, NotImplementedError)


def error_of(method: str, raised: Exception) -> HybridsnapError | None:
    """What a driver's exception says of a command; None when it is not an answer but a bug."""
    if isinstance(raised, _MISTAKES):
        return None
    if isinstance(raised, TimeoutError):
        return unanswered(method, "timeout")
    if isinstance(raised, OSError):
        return ConnectionLost(f"{method}: the driver's connection is lost: {raised}")
    code, reason = _read(raised)
    return _judged(method, code, reason)


def _judged(method: str, code: int | None, reason: str) -> HybridsnapError:
    if code == _NO_SESSION or (code is None and _GONE.search(reason)):
        return TargetDetached(f"{method}: {reason}")
    if _CRASHED.search(reason):
        return TargetCrashed(f"{method}: {reason}; reload the page")
    if code is None and _LOST.search(reason):
        return ConnectionLost(f"{method}: the driver's connection is lost: {reason}")
    return refused(method, _SERVER_ERROR if code is None else code, reason)


def _read(raised: Exception) -> tuple[int | None, str]:
    """The browser's code, where it is told, and its words."""
    for part in (*raised.args, getattr(raised, "error", None)):
        if isinstance(part, dict) and "message" in part:
            return _from_dict(part)
    text = str(getattr(raised, "msg", None) or raised)
    if _TOO_DEEP in text:
        return _SERVER_ERROR, "ChromeDriver cannot read a reply that nests so deep: stack limit exceeded"
    if found := _JSON.search(text):
        return _from_dict(json.loads(found[0]))
    if found := _PLAYWRIGHT.search(text):
        return _SERVER_ERROR, found[1]
    first = text.partition("\n")[0].strip() or type(raised).__name__
    first = _UNREACHED.sub(r"connection refused at \1", _SELENIUM.sub("", first))
    words = _CHROMEDRIVER.sub("", first, count=1)
    return (_SERVER_ERROR if words != first else None), words[:_LONGEST]


def _from_dict(said: dict[str, Any]) -> tuple[int, str]:
    code = said.get("code")
    words = f"{said['message']} {said.get('data') or ''}".strip()
    return code if isinstance(code, int) else _SERVER_ERROR, words
