"""Bytes to messages and back: the codec of a transport, and payloads that decode themselves.

A transport carries bytes and names its codec. The connection asks the codec for a message's head (is it a
reply, to which call; is it an event) without decoding the rest: a reply of 40 MB is decoded by the one who
waits for it, never by the reader. Whatever the encoding, a reply ends as a `Payload`, and a command's
``parse`` calls `Payload.result`. A transport with another encoding brings its own `Codec`.

What goes wrong here: `ReplyUnreadable` when a reply is not a valid message of this protocol.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

T = TypeVar("T")


class Payload(Protocol):
    """The answer to one command, not decoded yet."""

    def result(self, shape: type[T], *, strict: bool = True) -> T:
        """Decode the ``result`` object as `shape`, a msgspec Struct or ``dict``.

        Args:
            shape: what the object should be.
            strict: False takes a string that holds a number for that number where one is asked for.

        Raises:
            msgspec.MsgspecError, ValueError: it has another shape.
        """
        ...  # pragma: no cover - a protocol


class Refusal(msgspec.Struct, frozen=True):
    """The ``error`` object of a reply."""

    code: int = 0
    message: str = ""
    data: str = ""


class Head(msgspec.Struct, frozen=True, rename="camel"):
    """What the connection must know of a message before anybody decodes it."""

    #: Of a reply; None for an event.
    id: int | None = None
    #: Of an event.
    method: str = ""
    session_id: str | None = None
    #: In the encoding of the message, for `Codec.params`.
    params: msgspec.Raw = msgspec.Raw(b"{}")
    error: Refusal | None = None


class Codec(Protocol):
    """One encoding of the protocol's messages."""

    def encode(self, call: int, method: str, params: Mapping[str, Any], session: str | None) -> bytes:
        """The bytes of one command."""
        ...  # pragma: no cover - a protocol

    def head(self, message: bytes) -> Head:
        """Whose message this is. Cheap whatever its size.

        Raises:
            msgspec.MsgspecError: it is not a message.
        """
        ...  # pragma: no cover - a protocol

    def payload(self, message: bytes) -> Payload:
        """The message as the answer to a command."""
        ...  # pragma: no cover - a protocol

    def params(self, head: Head, shape: type[T]) -> T:
        """An event's parameters."""
        ...  # pragma: no cover - a protocol


class _Reply(msgspec.Struct, Generic[T]):
    result: T


@functools.cache
def _reply_decoder(shape: Hashable, *, strict: bool) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_Reply[shape], strict=strict)  # type: ignore[valid-type]  # a type made at run time


@functools.cache
def _value_decoder(shape: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(shape)


#: One escape of a JSON string: a surrogate pair, a surrogate alone, or any other.
_ESCAPE = re.compile(rb"\\(?:(u[dD][89abAB]..\\u[dD][c-fC-F]..)|(u[dD][89a-fA-F]..)|.)", re.DOTALL)


def mend_surrogates(message: bytes) -> bytes:
    """Replace each lone surrogate in JSON text by U+FFFD.

    A page's strings are UTF-16 and may hold them; they have no UTF-8 form, and JSON decoders refuse them.
    """
    return _ESCAPE.sub(lambda match: b"\\ufffd" if match[2] else match[0], message)


def _decode(decoder: msgspec.json.Decoder[T], message: bytes) -> T:
    try:
        return decoder.decode(message)
    except RecursionError as error:
        raise msgspec.DecodeError("JSON nests deeper than can be read") from error
    except msgspec.DecodeError as error:
        mended = mend_surrogates(message)
        if mended == message:
            raise
        try:
            return decoder.decode(mended)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            raise error from None


class JsonPayload:
    """A reply as the bytes that came: ``{"id": 7, "result": {…}}``."""

    __slots__ = ("message",)

    def __init__(self, message: bytes) -> None:
        self.message: bytes = message

    def result(self, shape: type[T], *, strict: bool = True) -> T:
        """As `Payload.result`."""
        decoder: msgspec.json.Decoder[_Reply[T]] = _reply_decoder(cast("Hashable", shape), strict=strict)
        return _decode(decoder, self.message).result


class PlainPayload:
    """A reply that a foreign driver has decoded already."""

    __slots__ = ("data",)

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data: Mapping[str, Any] = data

    def result(self, shape: type[T], *, strict: bool = True) -> T:
        """As `Payload.result`."""
        return msgspec.convert(self.data, shape, strict=strict)


#: How Chromium writes a reply; the id alone says whose it is.
_REPLY_HEAD = re.compile(rb'\{"id":(\d{1,18}),"result":')


def as_builtin(value: object) -> str | int | float:
    """PyCDP's ids are subclasses of the built-in types, which msgspec does not take for them."""
    for builtin in (str, int, float):
        if isinstance(value, builtin):
            return builtin(value)
    raise TypeError(f"parameters are JSON data, not {type(value).__name__}")


_COMMAND_ENCODER = msgspec.json.Encoder(enc_hook=as_builtin)


class _JsonCodec:
    """JSON as Chromium writes it: ASCII only, ``id`` first."""

    def encode(self, call: int, method: str, params: Mapping[str, Any], session: str | None) -> bytes:
        message: dict[str, Any] = {"id": call, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        return _COMMAND_ENCODER.encode(message)

    def head(self, message: bytes) -> Head:
        match = _REPLY_HEAD.match(message)
        if match:
            return Head(id=int(match[1]))
        head: Head = _decode(_value_decoder(Head), message)
        return head

    def payload(self, message: bytes) -> Payload:
        return JsonPayload(message)

    def params(self, head: Head, shape: type[T]) -> T:
        decoder: msgspec.json.Decoder[T] = _value_decoder(cast("Hashable", shape))
        return _decode(decoder, bytes(head.params))


JSON: Codec = _JsonCodec()
