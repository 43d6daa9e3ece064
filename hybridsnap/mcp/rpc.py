"""Reads JSON-RPC messages, and refuses in one line what is not one.

The SDK ignores such input, or answers with a report of many lines about its own types.
"""

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


class InvalidMessageError(ValueError):
    """The input is not a JSON-RPC message, or has no meaning here.

    Attributes:
        refusal: the answer, of one line.
    """

    def __init__(self, code: int, words: str, id_: int | str | None = None) -> None:
        super().__init__(words)
        self.refusal: JSONRPCError = JSONRPCError(
            jsonrpc="2.0", id=id_, error=ErrorData(code=code, message=words)
        )


def read_message(data: bytes, name: str) -> tuple[JSONRPCMessage, str]:
    """Parse a message, which errors call by `name`, such as ``line``.

    Returns:
        The message, and its text without lone surrogates.

    Raises:
        InvalidMessageError: it is not a message.
    """
    text = mend_surrogates(data).decode(errors="replace")
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
        # The SDK takes a request whose id is neither a string nor a number for a notification, and does not
        # answer it.
        if not isinstance(message, JSONRPCNotification) or "id" not in msgspec.json.decode(text):
            return message, text
    except (ValueError, msgspec.DecodeError):
        pass
    raise _refusal_of(text, name)


def _refusal_of(text: str, name: str) -> InvalidMessageError:
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return InvalidMessageError(PARSE_ERROR, f"this {name} is not JSON; each {name} is one message")
    id_ = data.get("id") if isinstance(data, dict) and "method" in data else None
    if isinstance(id_, bool) or not isinstance(id_, int | str):  # to Python, true is a number
        id_ = None
    more = "; batches are not supported, send one message at a time" if isinstance(data, list) else ""
    return InvalidMessageError(INVALID_REQUEST, f"this is not a message of JSON-RPC 2.0{more}", id_)
