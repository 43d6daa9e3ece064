"""The one exception with which server and MCP refuse a request."""

from __future__ import annotations

from typing import Any


class ApiError(Exception):
    """A request that the service refuses for a reason of its own, not the browser's.

    Attributes:
        status: the HTTP status; MCP has none and shows the message and the remedy.
        name: names the refusal, as ``error`` in an HTTP answer.
        remedy: what the caller or the operator can do.
        fields: more about it, as JSON data.
        headers: of the HTTP answer.
    """

    def __init__(
        self,
        status: int,
        name: str,
        detail: str,
        remedy: str = "",
        *,
        fields: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.name = name
        self.remedy = remedy
        self.fields: dict[str, Any] = fields or {}
        self.headers: dict[str, str] = headers or {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Exception.__new__, (type(self), *self.args), self.__dict__
