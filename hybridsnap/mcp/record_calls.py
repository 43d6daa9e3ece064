"""The tools that read what a page said and requested, and the one that decides about requests to come."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import trio
from msgspec import UNSET

from hybridsnap.client.console_messages import PageError
from hybridsnap.client.request_log import REQUESTS
from hybridsnap.client.request_records import shown_headers
from hybridsnap.errors import CommandRefused, HybridsnapError, WaitTimeout
from hybridsnap.mcp.call_base import ACTING_SHARE, CallBase
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result, cut
from hybridsnap.service.records import read_console, read_request, read_requests, text_of_body
from hybridsnap.service.routing import NO_ANSWERS, change_routes, describe_route
from hybridsnap.text import clean_text, excerpt

if TYPE_CHECKING:
    from hybridsnap.client.console_messages import ConsoleMessage
    from hybridsnap.client.request_records import NetworkRequest, ResponseBody
    from hybridsnap.mcp import caps

_LIMIT = 100
_HAR = ".har"
#: Of one line so many characters are shown.
_LINE = 300
#: A body is asked for up to this size; what is shown of it is a question of the budget.
_BODY_BYTES = 200_000
#: A body that still comes is waited for during this share of a call's time.
_BODY_SHARE = 0.7

#: What may be said of a route.
_ROUTE = (
    *("url", "type", "method", "times"),
    *("status", "headers", "body", "content_type", "reason"),
)


class RecordCalls(CallBase):
    """Calls that read records, which take no turn as the page is not asked for anything; and about routes."""

    async def console(self, asked: caps.ReadConsole) -> Result:
        """What the page logged, and its errors."""
        tab = await self._tab()
        filters = asked.given("level", "text")
        limit = _LIMIT if asked.limit is UNSET else asked.limit
        said = await read_console(self._content, tab, self.deadline, limit=limit, **filters)
        found: list[ConsoleMessage | PageError] = [*said.messages, *said.errors]
        found.sort(key=lambda one: one.time, reverse=True)
        result = Result()
        self._list(result, [_console_line(one) for one in found], self._budget(asked), "messages")
        _tell(result, said.hidden, tab.page.console)
        return result

    async def requests(self, asked: caps.ListRequests) -> Result:
        """What the page requested."""
        tab = await self._tab()
        filters: dict[str, Any] = asked.given("url", "failed")
        if asked.type is not UNSET:
            filters["resource_type"] = asked.type
        if asked.status is not UNSET:
            filters["status"] = int(asked.status) if asked.status.isdecimal() else asked.status
        limit = _LIMIT if asked.limit is UNSET else asked.limit
        try:
            found, hidden = await read_requests(self._content, tab, self.deadline, limit=limit, **filters)
        except ValueError as error:
            if isinstance(error, HybridsnapError):
                raise
            raise ToolError(str(error).replace("resource_type", "type")) from None
        result = Result()
        self._list(result, [_request_line(one) for one in reversed(found)], self._budget(asked), "requests")
        _tell(result, hidden, tab.page.network)
        return result

    async def request(self, asked: caps.GetRequest) -> Result:
        """One request in detail."""
        tab = await self._tab()
        budget = self._budget(asked)
        request = await read_request(self._content, tab, self.deadline, asked.id)
        result = Result()
        body = None
        try:
            body = await tab.page.network.response_body(
                asked.id, max_bytes=_BODY_BYTES, timeout=self.deadline.share(_BODY_SHARE)
            )
        except CommandRefused:
            result.said.append("the browser has no body of it (any more)")
        except WaitTimeout:
            result.said.append("its body was still coming when the time was over")
        await self._content.check_done(tab, self.deadline)
        text, left_out = cut("\n".join([*_detail(request), *_body_lines(body)]), budget)
        result.said += [left_out] if left_out else []
        result.page.append(text)
        result.data["request"] = text
        return result

    async def save_requests(self, asked: caps.SaveRequests) -> Result:
        """Keep what the page requested, as far as it may be shown, as a HAR file."""
        folders = self._client.shared.folders
        name = "requests.har" if asked.file is UNSET else asked.file
        if not name.strip():
            raise ToolError("file is an empty text; give a file name such as shop.har, or none")
        name = name if name.lower().endswith(_HAR) else name + _HAR
        folders.check_new(name)  # where nothing may be saved, nothing is read
        tab = await self._tab()
        found, hidden = await read_requests(
            self._content, tab, self.deadline, limit=REQUESTS, **asked.given("url")
        )
        har = json.dumps(tab.page.network.build_har(found), indent=1).encode()
        path = await trio.to_thread.run_sync(folders.write_new, name, har)
        result = Result([f"saved: {path} ({len(found)} requests, {len(har):,} bytes)"])
        _tell(result, hidden, tab.page.network)
        return result

    async def route(self, asked: caps.RouteRequests) -> Result:
        """Add a route, remove some, or list them."""
        if asked.action == "fulfill" and not self._options.evaluate:
            raise ToolError(NO_ANSWERS)
        given = asked.given(*_ROUTE)
        if "type" in given:
            given["resource_type"] = given.pop("type")
        async with self._turn() as tab:
            await self._content.check(tab, self.deadline)
            try:
                removed = await change_routes(
                    tab.page,
                    asked.action,
                    given,
                    self.deadline.share(ACTING_SHARE),
                    names={"resource_type": "type"},
                )
            except (ValueError, TypeError) as error:
                raise ToolError(str(error)) from None
        done = {"remove": f"removed: {removed}", "list": "asked in this order:"}
        listed = [f"- {describe_route(one)}" for one in tab.page.network.routes] or ["no routes"]
        return Result([done.get(asked.action, f"added: {asked.url}"), *listed])


def _tell(result: Result, hidden: int, part: Any) -> None:
    if part.dropped:
        result.said.append(f"at least {part.dropped:,} earlier ones are not kept")
    if hidden:
        result.said.append(f"{hidden} of addresses that are not shown here")
    if part.notices:
        result.said.append(str(part.notices[-1]))


def _console_line(one: ConsoleMessage | PageError) -> str:
    where = f"({one.url}:{one.line})" if one.url and one.line else f"({one.url})" if one.url else ""
    said = f"uncaught {one.message}" if isinstance(one, PageError) else f"{one.level} {one.text}"
    if isinstance(one, PageError):
        said = said.replace("uncaught Uncaught", "uncaught", 1)
    said = f"{one.worker} worker: {said}" if one.worker else said
    return f"{excerpt(said, _LINE)} {excerpt(where, _LINE)}".rstrip()


def _request_line(one: NetworkRequest) -> str:
    came = one.failure or one.status or one.state
    late = "" if one.duration_ms is None else f" {one.duration_ms:.0f} ms"
    return excerpt(f"{one.id} {one.method} {came} {one.resource_type}{late} {one.url}", _LINE)


def _detail(one: NetworkRequest) -> list[str]:
    lines = [_request_line(one), f"asked for by {clean_text(one.initiator)}"]
    lines += [f"redirected here: {clean_text(url)} ({status})" for url, status in one.redirects]
    for title, headers in (("sent", one.request_headers), ("received", one.response_headers)):
        lines.append(f"{title}:")
        lines += [
            f"  {clean_text(name)}: {excerpt(value, _LINE)}"
            for name, value in shown_headers(headers, secrets=False)
        ]
    if one.post_data is not None:
        lines += ["posted:", f"  {clean_text(one.post_data)}"]
    return lines


def _body_lines(body: ResponseBody | None) -> list[str]:
    if body is None:
        return []
    head = f"body, {body.size:,} bytes of {body.mime_type or 'unknown type'}:"
    text = text_of_body(body)
    if text is None:
        return [head, "  (not text)"]
    if "json" in body.mime_type:  # on one line
        with contextlib.suppress(ValueError):
            text = json.dumps(json.loads(text), ensure_ascii=False)
    return [head, *(f"  {clean_text(line)}" for line in text.splitlines())]
