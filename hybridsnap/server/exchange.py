"""A request and its answer, as endpoints have them."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.deadline import Deadline
from hybridsnap.json_data import where_not_json, words_of_mismatch
from hybridsnap.server import messages
from hybridsnap.service.errors import ApiError
from hybridsnap.service.http_gate import read_body

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from starlette.types import Receive


@dataclasses.dataclass(frozen=True, slots=True)
class Exchange:
    """One request.

    Attributes:
        data: the JSON of its body; `msgspec.UNSET` where it has none.
        path, query, headers: by name, the headers' in lower case.
        began: when its head had come, by `time.monotonic`.
        client: the address that the request came from.
    """

    data: Any
    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    began: float
    client: str

    def deadline(self, milliseconds: float) -> Deadline:
        """A budget that began with the request."""
        return Deadline(self.began + milliseconds / 1000)

    @property
    def query_deadline(self) -> Deadline:
        """The budget of a request without a body: ``?timeoutMs=``."""
        given = self.query.get("timeoutMs", str(messages.DEFAULT_MS))
        try:
            milliseconds = msgspec.json.decode(given, type=messages.Milliseconds)
        except (UnicodeEncodeError, msgspec.DecodeError):
            most = f"a number of ms over 0, at most {messages.MOST_MS}"
            raise messages.bad_request(f"timeoutMs: expected {most}; got {given[:20]!r}") from None
        return self.deadline(milliseconds)

    def read(self, type_: type[Any]) -> Any:
        """The body as a message."""
        try:
            return msgspec.convert({} if self.data is msgspec.UNSET else self.data, type_)
        except msgspec.ValidationError as error:
            raise messages.bad_request(f"the body: {words_of_mismatch(error, type_)}") from None


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What is answered.

    Attributes:
        data: as JSON.
        text: in the place of data, as it is; without either there is no body.
        stream: pieces of text that are sent as they come, in the place of both.
        content_type: of the body.
    """

    data: Any = None
    status: int = 200
    stream: AsyncGenerator[bytes] | None = None
    text: bytes = b""
    content_type: str = "application/json"


async def read_json(receive: Receive, most: int) -> Any:
    """The JSON of a request's body; `msgspec.UNSET` where it has none.

    Whole numbers may be written as floats (``1.0``), as in JSON Schema.

    Raises:
        ApiError: it is no JSON, or `read_body` refuses it.
    """
    body = await read_body(receive, most, messages.DEFAULT_MS / 1000)
    if not body:
        return msgspec.UNSET
    try:
        return json.loads(body, parse_float=_number, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ApiError(400, "BadRequest", "the body nests too deep", "send less in it") from error
    except ValueError as error:
        why = where_not_json(error) if isinstance(error, json.JSONDecodeError) else error
        raise ApiError(400, "BadRequest", f"the body is not JSON: {why}", "send JSON") from error


def _number(text: str) -> float | int:
    number = float(text)
    return int(number) if number.is_integer() else number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")
