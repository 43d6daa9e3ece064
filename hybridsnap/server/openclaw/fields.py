"""How values of a body or a query are read: leniently, as OpenClaw's clients write them.

A text may be a number, a boolean may be ``"1"``, a number may be ``"12"``, and null or an empty text leaves a
field out. Fields that nobody knows are ignored.
"""

from __future__ import annotations

import dataclasses
import math
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.server.messages import bad_request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Makes a field of one kind: ``(name, doc="", *, required=False)``.
MakeField: TypeAlias = "Callable[..., Field]"
_TRUE, _FALSE = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,15}(\.[0-9]{0,20})?|\.[0-9]{1,20})(e[+-]?[0-9]{1,2})?", re.IGNORECASE)


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """One field of a body or a query.

    Attributes:
        name: as it is written.
        read: its value out of JSON data; None leaves it out.
        schema: of its values, for the description.
        doc: what it means.
        required: it may not be left out.
    """

    name: str
    read: Callable[[str, Any], Any]
    schema: dict[str, Any]
    doc: str = ""
    required: bool = False


def read_text(_: str, value: Any) -> str | None:
    """A text without the blanks around it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() or None if isinstance(value, str | int | float) else None


def read_boolean(_: str, value: Any) -> bool | None:
    """A boolean; None where it is neither true nor false."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if isinstance(value, str | int | float) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def read_number(name: str, value: Any) -> float | None:
    """A finite number."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise bad_request(f"{name}: expected a number, got {value!r:.40}")
    return value


def read_whole(name: str, value: Any) -> int | None:
    """A whole number from 0 on."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise bad_request(f"{name}: expected a whole number from 0 on, got {value!r:.40}")
    return value


def read_positive(name: str, value: Any) -> int | None:
    """A whole number from 1 on."""
    number = read_whole(name, value)
    if number == 0:
        raise bad_request(f"{name}: expected a whole number from 1 on, got 0")
    return number


def read_texts(_: str, value: Any) -> list[str] | None:
    """Texts that are not empty."""
    given = value if isinstance(value, list) else []
    texts = [text for one in given if (text := read_text("", one)) is not None]
    return texts or None


def _as_it_is(type_: type) -> Callable[[str, Any], Any]:
    """A value of a type, as it is; anything else is left out."""
    return lambda _, value: value if isinstance(value, type_) else None


def _kind(read: Callable[[str, Any], Any], *types: str) -> MakeField:
    def make(name: str, doc: str = "", *, required: bool = False) -> Field:
        return Field(name, read, {"type": [*types, "null"]}, doc, required)

    return make


#: A field for a text, and one for a text whose blanks count.
text: MakeField = _kind(read_text, "string", "number")
exact: MakeField = _kind(_as_it_is(str), "string")
boolean: MakeField = _kind(read_boolean, "boolean", "string", "number")
#: A field for any number, for a whole one from 0 on, and for one from 1 on.
number: MakeField = _kind(read_number, "number", "string")
whole: MakeField = _kind(read_whole, "integer", "string")
positive: MakeField = _kind(read_positive, "integer", "string")
#: A field for a list of texts, for an object, and for any list.
texts: MakeField = _kind(read_texts, "array")
mapping: MakeField = _kind(_as_it_is(dict), "object")
listing: MakeField = _kind(_as_it_is(list), "array")


def read_fields(fields: Sequence[Field], data: Mapping[str, Any]) -> dict[str, Any]:
    """The values of fields by their names; None for those that are left out.

    Raises:
        ApiError: a value means nothing, or a field is missing.
    """
    found = {one.name: one.read(one.name, data.get(one.name)) for one in fields}
    for one in fields:
        if one.required and found[one.name] is None:
            raise bad_request(f"{one.name} is missing: {one.doc}")
    return found
