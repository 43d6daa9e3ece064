"""Any value as JSON data, and JSON data as text that may be printed."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import difflib
import json
import math
import re
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Levels of a value that is written as JSON; a script can return no more.
_DEEPEST = 400
#: Characters that hide, reorder or break text, or that a terminal obeys: Unicode's categories Cc, Cf, Cs, Zl
#: and Zp, and what fonts show as nothing (fillers, variation selectors beyond one VS15 or VS16), by their
#: ranges, as asking for each character its category takes a second for 8 MB of Chinese. Line breaks and tabs
#: do no harm, and do not occur in strings of JSON text.
_HIDING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160"
    r"\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff"
    r"\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff]|(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]"
)
#: What is said of a text that JSON cannot hold: its error speaks of bytes that were never sent.
HALF_SURROGATE = "a text in it is not valid Unicode: it holds half a surrogate pair"

#: What JSON's types are called.
_TYPES = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}


def words_of_mismatch(error: msgspec.ValidationError, type_: Any = None) -> str:
    """Why JSON data does not fit a type: what was expected and what was given, for its author.

    Args:
        error: as msgspec words it: ``Expected `int`, got `str` - at `$.limit` ``.
        type_: that the data was to have: its names and choices are told.

    Returns:
        Such as ``limit: expected a whole number, got a text``.
    """
    said, _, where = str(error).partition(" - at `$")
    where = where.removesuffix("`").removeprefix(".")
    fields: dict[str, Any] = {}
    with contextlib.suppress(TypeError):
        fields = {one.encode_name: one.type for one in msgspec.structs.fields(type_)}
    choices = list(dict.fromkeys(_choices_of(fields.get(where, type_))))
    own = [name for name in fields if name in _own_names(type_)]
    fields = {} if where else dict.fromkeys([*own, *fields])  # those that others have, too, last
    takes = f"; it takes {', '.join(fields)}" if fields else ""
    if found := re.fullmatch("Object contains unknown field `(.*)`", said, re.DOTALL):
        near = difflib.get_close_matches(found[1], fields, 1)
        said = f"there is no {found[1]!r:.60}" + (f"; did you mean {near[0]}?" if near else takes)
    elif found := re.fullmatch("Object missing required field `(.*)`", said, re.DOTALL):
        said = f"{found[1]} is missing{takes}"
    elif choices and (found := re.fullmatch("Invalid enum value (.*)", said, re.DOTALL)):
        said = f"expected {', '.join(choices[:-1])} or {choices[-1]}, got {found[1]:.60}"
    else:
        said = re.sub(
            "`([^`]*)`",
            # To leave out what may be null is to write null.
            lambda one: (
                " or ".join(_TYPES.get(name, name) for name in one[1].split(" | ") if name != "null")
                or "null"
            ),
            said,
        )
        said = re.sub(r"\.0$", "", said)
        said = said[:1].lower() + said[1:]
    return f"{where}: {said}" if where else said


def _own_names(type_: Any) -> set[str]:
    """The fields that a structure adds to those of its base, by their names in JSON."""
    given = vars(type_).get("__annotations__", {})
    return {one.encode_name for one in msgspec.structs.fields(type_) if one.name in given}


def _choices_of(type_: Any) -> list[str]:
    if get_origin(type_) is Literal:
        return [one for one in get_args(type_) if isinstance(one, str)]
    return [choice for inner in get_args(type_) for choice in _choices_of(inner)]


def to_json(value: Any) -> Any:
    """A value as JSON data: what JSON cannot say is a string.

    Raises:
        ValueError: it contains itself, or nests deeper than what a script returns can.
    """
    _check_nesting(value)
    return _as_json(value)


def to_json_text(value: Any, indent: int | None = None) -> str:
    """JSON data as text; with `indent` None it is one line.

    Characters that hide, reorder or break text are escaped in it.
    """
    return escape_hiding(json.dumps(value, ensure_ascii=False, indent=indent))


def encode_json(data: Any) -> str:
    """JSON data, with msgspec's structures in it, as text on one line without blanks; escaped likewise."""
    return escape_hiding(msgspec.json.encode(data).decode())


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
                raise ValueError("the value contains itself, which JSON cannot express; return less of it")
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


def where_not_json(error: json.JSONDecodeError) -> str:
    """Where a text stops being JSON; positions are counted from 0."""
    at = error.doc[error.pos : error.pos + 1]
    return f"it goes wrong at position {error.pos}, " + (f"at {at!r}" if at else "where it ends")
