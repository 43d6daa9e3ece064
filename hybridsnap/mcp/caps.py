"""Tools that a host is offered only when the server is started with ``--caps``: their list costs it, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from hybridsnap.mcp.tools import READS, Arguments, Tool

if TYPE_CHECKING:
    from collections.abc import Iterable

_Limit: TypeAlias = Annotated[int, Meta(ge=1, le=500, description="The last so many")] | UnsetType


class ReadConsole(Arguments, frozen=True, kw_only=True):
    level: Literal["debug", "info", "warning", "error"] | UnsetType = UNSET
    text: Annotated[str, Meta(description="Only what has this in it")] | UnsetType = UNSET
    limit: _Limit = UNSET


class ListRequests(Arguments, frozen=True, kw_only=True):
    url: Annotated[str, Meta(description="Glob: **/api/*")] | UnsetType = UNSET
    type: Annotated[str, Meta(description="Such as document, fetch, script")] | UnsetType = UNSET
    status: Annotated[str, Meta(description="404, 4xx")] | UnsetType = UNSET
    failed: bool | UnsetType = UNSET
    limit: _Limit = UNSET


class GetRequest(Arguments, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="Such as r12")]


#: Capability → its tools.
CAPS: dict[str, tuple[Tool, ...]] = {
    "console": (
        Tool("console", ReadConsole, "What the page logged, and its uncaught errors, the last first.", READS),
    ),
    "network": (
        Tool("requests", ListRequests, "What the page requested, the last first.", READS),
        Tool("request", GetRequest, "One request: headers, what was sent, the response's body.", READS),
    ),
}


def tools_of(caps: Iterable[str]) -> tuple[Tool, ...]:
    """The tools of some capabilities."""
    return tuple(tool for name, tools in CAPS.items() if name in caps for tool in tools)
