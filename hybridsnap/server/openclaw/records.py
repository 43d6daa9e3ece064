"""What a page said, requested and asked: ``/console``, ``/errors``, ``/requests``, ``/dialogs``, …."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hybridsnap.client.console_messages import LEVELS
from hybridsnap.client.har import timestamp
from hybridsnap.server.openclaw.fields import boolean, positive, text
from hybridsnap.server.openclaw.host import done
from hybridsnap.server.openclaw.performing import browser_state
from hybridsnap.server.openclaw.registry import TARGET, TIMEOUT, route
from hybridsnap.service.records import read_console, read_request, read_requests

if TYPE_CHECKING:
    from hybridsnap.server.openclaw.host import Call

#: OpenClaw's: all that is kept; ms; characters.
_MOST = 500
_BODY_MS = 20_000
_CHARS, _MOST_CHARS = 200_000, 5_000_000
#: Bytes of a body, and of the longest character.
_MOST_BYTES, _BYTES_EACH = 10_000_000, 4
_LEVEL_OF = {"log": "info", "warn": "warning"}
#: Types of messages that scripts log; what the browser itself says has its level in that place.
_CALLS = {
    *("log", "debug", "info", "error", "warning", "dir", "dirxml", "table", "trace", "clear", "assert"),
    *("startGroup", "startGroupCollapsed", "endGroup", "profile", "profileEnd", "count", "timeEnd"),
}
#: Where an error's message begins with what it is.
_NAMED = re.compile(r"(?:Uncaught (?:\(in promise\) )?)?([A-Za-z]*(?:Error|Exception)): ")
_CLEAR = boolean("clear", "forget them after")


@route("GET", "/console", TARGET, text("level"), answers=("messages",))
async def console(call: Call) -> dict[str, Any]:
    """``GET /console``: messages of this level, and of those above it."""
    given = call.given["level"]
    level = _LEVEL_OF.get(given, given)
    wanted = [*LEVELS[LEVELS.index(level) :]] if level in LEVELS else None
    held, deadline = await call.here()
    said = await read_console(call.host.control.content, held, deadline, limit=_MOST, level=wanted)
    messages = [
        {
            "type": one.type if one.type in _CALLS else one.level,
            "text": one.text,
            "timestamp": timestamp(one.time),
            # Lines and columns are counted from 0 here.
            "location": {
                "url": one.url,
                "lineNumber": max(one.line - 1, 0),
                "columnNumber": max(one.column - 1, 0),
            },
        }
        for one in said.messages
    ]
    return done(held, messages=messages)


@route("GET", "/errors", TARGET, _CLEAR, answers=("errors",))
async def errors(call: Call) -> dict[str, Any]:
    """``GET /errors``: what nothing in the page caught. To clear clears the messages, too."""
    held, deadline = await call.here()
    said = await read_console(call.host.control.content, held, deadline, limit=_MOST)
    if call.given["clear"]:
        held.page.console.clear()
    found = []
    for one in said.errors:
        named = _NAMED.match(one.message)
        found.append(
            {
                "message": one.message if named is None else one.message[named.end() :],
                **({} if named is None else {"name": named[1]}),
                **({"stack": one.stack} if one.stack else {}),
                "timestamp": timestamp(one.time),
            }
        )
    return done(held, errors=found)


@route("GET", "/requests", TARGET, text("filter"), _CLEAR, answers=("requests",))
async def requests(call: Call) -> dict[str, Any]:
    """``GET /requests``: those with this text in their address or type."""
    held, deadline = await call.here()
    kept, _ = await read_requests(call.host.control.content, held, deadline, limit=_MOST)
    if call.given["clear"]:
        held.page.network.clear()
    text = call.given["filter"] or ""
    found: list[dict[str, Any]] = []
    for one in kept:
        if text not in one.url and text not in one.resource_type:
            continue
        found.append(
            {
                "id": one.id,
                "timestamp": timestamp(one.started),
                "method": one.method,
                "url": one.url,
                "resourceType": one.resource_type,
                **({} if one.status is None else {"status": one.status}),
                **({} if one.state == "pending" else {"ok": one.ok}),
                **({} if one.failure is None else {"failureText": one.failure}),
            }
        )
    return done(held, requests=found)


@route(
    "POST",
    "/response/body",
    TARGET,
    text("url", "a pattern, or a part", required=True),
    positive("maxChars"),
    TIMEOUT,
    answers=("response",),
)
async def response_body(call: Call) -> dict[str, Any]:
    """``POST /response/body``: of the next response of an address that fits."""
    given = call.given
    held, deadline = await call.here(given["timeoutMs"] or _BODY_MS)
    most = min(given["maxChars"] or _CHARS, _MOST_CHARS)
    pattern = given["url"] if "*" in given["url"] else f"**{given['url']}**"
    content = call.host.control.content
    async with content.checked(held, deadline) as page:
        answered = await page.network.wait_for_response(pattern, timeout=deadline)
        one = await read_request(content, held, deadline, answered.id)
        size = min(most * _BYTES_EACH, _MOST_BYTES)
        body = await page.network.response_body(one.id, max_bytes=size, timeout=deadline)
    words = body.data.decode("utf-8", "replace")
    truncated = body.truncated or len(words) > most
    response = {
        "url": one.url,
        "status": one.status,
        "headers": one.to_dict()["response_headers"],
        "body": words[:most],
        **({"truncated": True} if truncated else {}),
    }
    return done(held, response=response)


@route("GET", "/dialogs", TARGET, answers=("browserState",))
async def dialogs(call: Call) -> dict[str, Any]:
    """``GET /dialogs``."""
    held, deadline = await call.here()
    return done(held, browserState=await browser_state(call, held, deadline))
