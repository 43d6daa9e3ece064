"""CBOR as Chromium writes it, and the JSON that Chromium makes of it: for tests of the codec.

Written from ``third_party/inspector_protocol/crdtp/cbor.cc`` and ``json.cc``, and nothing of the decoder is
used. Data nests only as deep here as Python's own calls.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from typing import Any

_FIRST = {0: 0x00, 1: 0x20, 2: 0x40, 3: 0x60}


def _head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([_FIRST[major] + number])
    for info, form in ((24, ">B"), (25, ">H"), (26, ">I")):
        if number < 256 ** struct.calcsize(form):
            return bytes([_FIRST[major] + info]) + struct.pack(form, number)
    raise OverflowError(number)


def envelope(content: bytes) -> bytes:
    return b"\xd8\x18\x5a" + struct.pack(">I", len(content)) + content


def to_cbor(value: Any) -> bytes:  # noqa: PLR0911  # one for each type
    """What Chromium sends for `value`; a `bytes` is binary data."""
    match value:
        case None:
            return b"\xf6"
        case bool():
            return b"\xf5" if value else b"\xf4"
        case int() if -(2**31) <= value < 2**31:
            return _head(0, value) if value >= 0 else _head(1, -1 - value)
        case int() | float():
            return b"\xfb" + struct.pack(">d", value)
        case str() if value.isascii():
            return _head(3, len(value)) + value.encode()
        case str():
            units = value.encode("utf-16-le", "surrogatepass")
            return _head(2, len(units)) + units
        case bytes():
            return b"\xd6" + _head(2, len(value)) + value
        case list():
            return envelope(b"\x9f" + b"".join(map(to_cbor, value)) + b"\xff")
        case dict():
            pairs = (to_cbor(key) + to_cbor(item) for key, item in value.items())
            return envelope(b"\xbf" + b"".join(pairs) + b"\xff")
    raise TypeError(type(value))


def from_cbor(message: bytes) -> Any:
    """Plain data of a valid message: text as UTF-16 has it, numbers and binary data as they come."""
    value, end = _value(message, 0)
    assert end == len(message)
    return value


def _number(message: bytes, at: int) -> tuple[int, int]:
    info = message[at] & 31
    if info < 24:
        return info, at + 1
    size = {24: 1, 25: 2, 26: 4}[info]
    return int.from_bytes(message[at + 1 : at + 1 + size], "big"), at + 1 + size


def _value(message: bytes, at: int) -> tuple[Any, int]:  # noqa: PLR0911  # the same
    first = message[at]
    if first == 0xD8:
        assert message[at : at + 3] == b"\xd8\x18\x5a"
        end = at + 7 + int.from_bytes(message[at + 3 : at + 7], "big")
        is_map = message[at + 7] == 0xBF
        assert is_map or message[at + 7] == 0x9F
        at += 8
        found: list[Any] = []
        while message[at] != 0xFF:
            item, at = _value(message, at)
            found.append(item)
        assert at + 1 == end
        return (dict(zip(found[::2], found[1::2], strict=True)) if is_map else found), end
    if first in (0xF4, 0xF5, 0xF6):
        return {0xF4: False, 0xF5: True, 0xF6: None}[first], at + 1
    if first == 0xFB:
        return struct.unpack(">d", message[at + 1 : at + 9])[0], at + 9
    if first == 0xD6:
        size, at = _number(message, at + 1)
        return message[at : at + size], at + size
    number, after = _number(message, at)
    match first >> 5:
        case 0:
            return number, after
        case 1:
            return -1 - number, after
        case 2:
            return message[after : after + number].decode("utf-16-le", "surrogatepass"), after + number
        case 3:
            return message[after : after + number].decode(), after + number
    raise AssertionError(hex(first))


def to_json(value: Any) -> bytes:
    """The JSON that Chromium makes of a message."""
    return json.dumps(_as_json(value)).encode()


def _as_json(value: Any) -> Any:
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case float() if not math.isfinite(value):
            return None
        case float() if -(2.0**63) <= value < 2.0**63 and value == math.floor(value):
            return int(value)
        case list():
            return [_as_json(item) for item in value]
        case dict():
            return {key: _as_json(item) for key, item in value.items()}
    return value
