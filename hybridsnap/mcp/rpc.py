"""Reading messages of JSON-RPC: what is none the SDK drops, or refuses in many lines about its own types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)

from hybridsnap.protocol.codec import mend_surrogates

if TYPE_CHECKING:
    from mcp_types import JSONRPCMessage


class NoMessageError(ValueError):
    """What came is not a message, or means nothing here.

    Attributes:
        refusal: the answer, of one line.
    """

    def __init__(self, code: int, words: str, id_: int | str | None = None) -> None:
        super().__init__(words)
        self.refusal: JSONRPCError = JSONRPCError(
            jsonrpc="2.0", id=id_, error=ErrorData(code=code, message=words)
        )


def read_message(data: bytes, name: str) -> tuple[JSONRPCMessage, str]:
    """A message, and its text without half surrogates.

    Args:
        data: that came.
        name: what it is called, such as ``line``.

    Raises:
        NoMessageError: it is none.
    """
    text = mend_surrogates(data).decode(errors="replace")
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
        # To the SDK a request whose id is neither text nor number is a notification: nobody answers it.
        if not isinstance(message, JSONRPCNotification) or "id" not in msgspec.json.decode(text):
            return message, text
    except (ValueError, msgspec.DecodeError):
        pass
    raise _what_it_is(text, name)


def _what_it_is(text: str, name: str) -> NoMessageError:
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return NoMessageError(PARSE_ERROR, f"this {name} is not JSON; each {name} is one message")
    id_ = data.get("id") if isinstance(data, dict) and "method" in data else None
    if isinstance(id_, bool) or not isinstance(id_, int | str):  # to Python, true is a number
        id_ = None
    more = "; there are no batches, send one message at a time" if isinstance(data, list) else ""
    return NoMessageError(INVALID_REQUEST, f"this is not a message of JSON-RPC 2.0{more}", id_)
