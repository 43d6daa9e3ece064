"""The tool that decides about requests to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from hybridsnap.mcp.call_base import ACTING_SHARE, CallBase
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result
from hybridsnap.service.routing import add_route, describe_route, remove_routes

if TYPE_CHECKING:
    from hybridsnap.mcp import caps

_NARROWING = ("type", "method", "times")
_ANSWER = ("status", "headers", "body", "content_type", "reason")


class RouteCalls(CallBase):
    """Calls about routes."""

    async def route(self, asked: caps.RouteRequests) -> Result:
        """Add a route, remove some, or list them."""
        tab = await self._tab()
        network = tab.page.network
        url = None if asked.url is UNSET else asked.url
        narrowing, fields = asked.given(*_NARROWING), asked.given(*_ANSWER)
        if asked.action in {"remove", "list"}:
            needless = [*narrowing, *fields, *(["url"] if url and asked.action == "list" else [])]
            if needless:
                raise ToolError(f"{', '.join(needless)} cannot stand beside {asked.action}")
        elif url is None:
            raise ToolError(f"{asked.action} needs url, such as **/api/*; ** is every address")
        async with self._turn(tab):
            await self._content.check(tab, self.deadline)
            if asked.action == "remove":
                done = f"removed: {remove_routes(tab.page, url)}"
            elif asked.action == "list":
                done = "asked in this order:"
            else:
                assert url is not None, "it was asked for above"
                if "type" in narrowing:
                    narrowing["resource_type"] = narrowing.pop("type")
                try:
                    route = await add_route(
                        tab.page,
                        url,
                        asked.action,
                        self.deadline.share(ACTING_SHARE),
                        scripts=self._options.evaluate,
                        fields=fields,
                        **narrowing,
                    )
                except (ValueError, TypeError, PermissionError) as error:
                    raise ToolError(str(error)) from None
                done = f"added: {route.url}"
        listed = [f"- {describe_route(one)}" for one in network.routes] or ["no routes"]
        return Result([done, *listed])
