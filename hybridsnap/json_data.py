"""Any value as JSON data, and JSON data as text that may be printed."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Levels of a value that is written as JSON; a script can return no more.
_DEEPEST = 400
#: Characters that hide, reorder or break text, or that a terminal obeys: Unicode's categories Cc, Cf, Cs, Zl
#: and Zp, by their ranges, as asking for each character's category takes a second for 8 MB of Chinese. Line
#: breaks and tabs are no harm, and stand in no string of JSON text.
_HIDING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u180e\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u2064\u2066-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)
#: What is said of a text that JSON cannot hold: its error speaks of bytes that nobody sent.
HALF_SURROGATE = "a text in it is not valid Unicode: it holds half a surrogate pair"


def to_json(value: Any) -> Any:
    """A value as JSON data: what JSON cannot say is a string.

    Raises:
        ValueError: it goes round in a circle, or nests deeper than what a script returns can.
    """
    _check_nesting(value)
    return _as_json(value)


def to_json_text(value: Any, indent: int | None = None) -> str:
    """JSON data as text; with `indent` None it is one line.

    Characters that hide, reorder or break text are escaped in it.
    """
    return escape_hiding(json.dumps(value, ensure_ascii=False, indent=indent))


def escape_hiding(text: str) -> str:
    r"""Text with characters that hide, reorder or break it as JSON has them: ``\u009b``.

    JSON text says the same after it as before.
    """
    return _HIDING.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _check_nesting(value: Any) -> None:
    """Refuse a value that holds itself, or nests too deep to be written.

    Raises:
        ValueError: it does.
    """
    within: list[Any] = [value]  # what holds what is looked at, and its contents
    contents = [_contents(value)]
    while contents:
        for inner in contents[-1]:
            if not isinstance(inner, dict | list | tuple):
                continue
            if any(inner is one for one in within):
                raise ValueError("the value goes round in a circle, which JSON cannot say; return less of it")
            if len(within) > _DEEPEST:
                raise ValueError(f"the value is more than {_DEEPEST} levels deep; return less of it")
            within.append(inner)
            contents.append(_contents(inner))
            break
        else:
            within.pop()
            contents.pop()


def _contents(value: Any) -> Iterator[Any]:
    match value:
        case dict():
            return iter(value.values())
        case list() | tuple():
            return iter(value)
    return iter(())


def _as_json(value: Any) -> Any:
    match value:
        case msgspec.Struct():
            said: Any = msgspec.to_builtins(value)
        case float() if not math.isfinite(value):
            said = "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        case dt.datetime():
            said = value.isoformat()
        case dict():
            said = {str(key): _as_json(one) for key, one in value.items()}
        case list() | tuple():
            said = [_as_json(one) for one in value]
        case None | bool() | int() | float() | str():
            said = value
        case _ if dataclasses.is_dataclass(value):
            said = {one.name: _as_json(getattr(value, one.name)) for one in dataclasses.fields(value)}
        case _:
            said = str(value)
    return said
