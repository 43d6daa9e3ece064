"""The JSON of a request's body."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.service.errors import ApiError
from hybridsnap.service.http_gate import too_large

if TYPE_CHECKING:
    from starlette.types import Receive


async def read_json(receive: Receive, most: int) -> Any:
    """The JSON of a request's body; `msgspec.UNSET` where it has none.

    Whole numbers may be written as floats (``1.0``), as in JSON Schema.

    Raises:
        ApiError: it is too large, or no JSON, or the client left while it sent it.
    """
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ApiError(400, "BadRequest", "the body broke off")
        body += message.get("body", b"")
        if len(body) > most:
            raise too_large(most)
        if not message.get("more_body", False):
            break
    if not body:
        return msgspec.UNSET
    try:
        return json.loads(body, parse_float=_number, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ApiError(400, "BadRequest", "the body nests too deep", "send less in it") from error
    except ValueError as error:
        raise ApiError(400, "BadRequest", f"the body is not JSON: {error}", "send JSON") from error


def _number(text: str) -> float | int:
    number = float(text)
    return int(number) if number.is_integer() else number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")
