"""Chromium's CBOR, the other encoding of the protocol (``--remote-debugging-pipe=cbor``).

Chromium converts its own CBOR to JSON for everybody who does not ask for CBOR, which takes longer than making
the reply, and refuses to where a reply nests deeply. What it sends is described in
`hybridsnap.protocol.cbor_decoder`; what it takes is the same: each map and array of a command in an envelope.

The large replies (the accessibility tree, the DOM) are read from the bytes straight into their structs. All
others are decoded to plain data first. Either gives what `hybridsnap.protocol.codec.JSON` gives for the JSON
that Chromium makes of the same reply: whole numbers are ints, binary data is base64, what is not a finite
number is None, lone surrogates are U+FFFD.

What goes wrong here: `msgspec.DecodeError` where bytes are not this CBOR, `msgspec.ValidationError` where the
shape is another.
"""

from __future__ import annotations

import functools
import struct
from importlib.machinery import ExtensionFileLoader
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from hybridsnap.protocol import cbor_decoder
from hybridsnap.protocol.codec import Head, as_builtin
from hybridsnap.protocol.replies import DescribedNode, DOMDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hybridsnap.protocol.codec import Codec, Payload

T = TypeVar("T")

#: What `message_size` needs of a message.
HEADER_BYTES = 7

_ENVELOPE = b"\xd8\x18\x5a"
_EMPTY_MAP = _ENVELOPE + b"\0\0\0\2\xbf\xff"
_UNSIGNED, _NEGATIVE, _TEXT = 0x00, 0x20, 0x60
_INT32 = 2**31


def is_compiled() -> bool:
    """Whether the decoder is the compiled one. The other gives the same, more slowly than JSON is read."""
    return isinstance(cbor_decoder.__loader__, ExtensionFileLoader)


def message_size(header: bytes) -> int:
    """The size in bytes of the message that begins with these `HEADER_BYTES` bytes, themselves included.

    Raises:
        msgspec.DecodeError: no message begins so.
    """
    if len(header) < HEADER_BYTES or not header.startswith(_ENVELOPE):
        raise msgspec.DecodeError(
            f"a CBOR message begins with d8185a and its size, not with {header[:7].hex()}"
        )
    return HEADER_BYTES + int.from_bytes(header[3:7], "big")


def _head(major: int, number: int) -> bytes:
    """The first bytes of a value: its type and its number or length."""
    if number < 24:  # noqa: PLR2004  # CBOR's forms, RFC 8949 section 3
        return bytes((major | number,))
    for info, size in ((24, 1), (25, 2), (26, 4)):
        if number < 1 << 8 * size:
            return bytes((major | info,)) + number.to_bytes(size, "big")
    raise ValueError(f"a string of {number} bytes is too long for the protocol")


def _number(value: float) -> bytes:
    # Chromium takes an integer for a double, but no double for an integer: whole numbers go as integers, as
    # its JSON parser makes them.
    if -_INT32 <= value < _INT32 and value == int(value) and str(value) != "-0.0":
        whole = int(value)
        return _head(_NEGATIVE, -1 - whole) if whole < 0 else _head(_UNSIGNED, whole)
    number = float(value)
    return b"\xfb" + struct.pack(">d", number) if abs(number) < float("inf") else b"\xf6"


_TEXT_HEADS = [_head(_TEXT, number) for number in range(256)]


def _text(value: str) -> bytes:
    text = value.encode()
    size = len(text)
    return (_TEXT_HEADS[size] if size < len(_TEXT_HEADS) else _head(_TEXT, size)) + text


#: Of methods, parameters and sessions, which come again; never of a value, which may be a password.
_name = functools.lru_cache(maxsize=1024)(_text)


#: The simple values.
_SCALARS = {None: b"\xf6", True: b"\xf5", False: b"\xf4"}


def _encoded(value: Any) -> bytes:
    """`value`, which is plain data, or encoded already where it is bytes."""
    parts: list[bytes] = []
    size = 0
    # What is left to write of each open map or array; where its envelope's head stands; the size before it.
    open_ones: list[tuple[Iterator[Any], int, int]] = []
    rest = iter((value,))
    while True:
        for item in rest:
            kind = type(item)
            if kind is bytes:
                part = item
            elif kind is str:
                part = _text(item)
            elif kind is dict or kind is list or kind is tuple:
                open_ones.append((rest, len(parts), size))
                if kind is dict:
                    rest = chain.from_iterable(zip(map(_name, item), item.values(), strict=False))
                    parts += (b"", b"\xbf")
                else:
                    rest = iter(item)
                    parts += (b"", b"\x9f")
                size += HEADER_BYTES + 1
                break
            else:
                part = _SCALARS[item] if kind is bool or item is None else _number(item)
            parts.append(part)
            size += len(part)
        else:
            if not open_ones:
                return b"".join(parts)
            rest, place, before = open_ones.pop()
            parts.append(b"\xff")
            size += 1
            content = size - before - HEADER_BYTES
            if content >= 1 << 32:
                raise ValueError(f"{content} bytes of parameters are too many for the protocol")
            parts[place] = _ENVELOPE + content.to_bytes(4, "big")


def _shaped(data: Any, shape: type[T], *, strict: bool) -> T:
    if shape is dict:
        if isinstance(data, dict):
            return cast("T", data)
        raise msgspec.ValidationError(f"Expected `object`, got `{type(data).__name__}`")
    try:
        return msgspec.convert(data, shape, strict=strict)
    except RecursionError as error:
        raise msgspec.DecodeError("CBOR nests deeper than can be read") from error


class CborPayload:
    """A reply as the bytes that came."""

    __slots__ = ("message",)

    def __init__(self, message: bytes) -> None:
        self.message: bytes = message

    def result(self, shape: type[T], *, strict: bool = True) -> T:
        """As `hybridsnap.protocol.codec.Payload.result`."""
        try:
            if shape is DOMDocument:
                return cast("T", DOMDocument(cbor_decoder.dom_node(self.message, b"root")))
            if shape is DescribedNode:
                return cast("T", DescribedNode(cbor_decoder.dom_node(self.message, b"node")))
        except cbor_decoder.Unexpected:
            pass  # the general way says what is wrong, if anything is
        return _shaped(cbor_decoder.result(self.message), shape, strict=strict)


class _CborCodec:
    """CBOR as Chromium writes and reads it."""

    def encode(self, call: int, method: str, params: Mapping[str, Any], session: str | None) -> bytes:
        message: dict[str, Any] = {"id": call, "method": _name(method)}
        message["params"] = msgspec.to_builtins(params, str_keys=True, enc_hook=as_builtin)
        if session is not None:
            message["sessionId"] = _name(session)
        return _encoded(message)

    def head(self, message: bytes) -> Head:
        fields, params = cbor_decoder.head(message)
        read = _shaped(fields, Head, strict=True)
        return Head(read.id, read.method, read.session_id, msgspec.Raw(params or _EMPTY_MAP), read.error)

    def payload(self, message: bytes) -> Payload:
        return CborPayload(message)

    def params(self, head: Head, shape: type[T]) -> T:
        return _shaped(cbor_decoder.plain(bytes(head.params)), shape, strict=True)


CBOR: Codec = _CborCodec()
