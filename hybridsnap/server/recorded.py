"""What tabs said, requested and were slow at, as answers of the server."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from hybridsnap.client.tracing import cut_trace
from hybridsnap.errors import CommandRefused
from hybridsnap.server import answers
from hybridsnap.server.messages import bad_request
from hybridsnap.service.errors import ApiError
from hybridsnap.service.problems import data_of
from hybridsnap.service.records import read_console, read_request, read_requests, text_of_body
from hybridsnap.service.tracing import may_show_trace, only_of_tab, shown_summary

if TYPE_CHECKING:
    from hybridsnap.client.page_network import Network
    from hybridsnap.client.request_records import NetworkRequest
    from hybridsnap.client.tracing import Trace
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.messages import ConsoleRequest, NetworkQuery
    from hybridsnap.server.part_messages import TraceRequest
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.service.content_policy import ContentPolicy

#: Only told of one request.
_IN_DETAIL = (
    *("status_text", "protocol", "remote_address", "served_from", "request_headers", "response_headers"),
    *("post_data", "request_body_bytes", "timing", "redirects"),
)
_FILTERS = ("url", "resource_type", "status", "method", "failed", "after")


async def answer_console(
    request: ConsoleRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    """The fields of `answers.ConsoleAnswer`, without whose tab it is."""
    filters = {"level": request.level, "text": request.text, "url": request.url}
    try:
        said = await read_console(content, held, deadline, limit=request.limit, **filters)
    except ValueError as error:
        raise bad_request(str(error)) from None
    console = held.page.console
    answer = {
        "messages": data_of(said.messages),
        "errors": data_of(said.errors),
        "dropped": console.dropped,
        "hidden": said.hidden,
        "notices": [str(one) for one in console.notices],
    }
    if request.clear:
        console.clear()
    return answer


async def answer_network(
    query: NetworkQuery, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    """The fields of `answers.NetworkAnswer`, without whose tab it is."""
    network = held.page.network
    beside: dict[str, Any] = {}
    hidden = 0
    if query.id is not None:
        found = [await read_request(content, held, deadline, query.id)]
        beside = await _body(network, query, deadline)
    else:
        filters = {name: getattr(query, name) for name in _FILTERS}
        try:
            found, hidden = await read_requests(content, held, deadline, limit=query.limit, **filters)
        except ValueError as error:
            raise bad_request(str(error).replace("resource_type", "resourceType")) from None
    if query.har:
        beside["har"] = network.build_har(found)
    answer = {
        "requests": [_request(one, detailed=query.id is not None) for one in found],
        "dropped": network.dropped,
        "hidden": hidden,
        "notices": [str(one) for one in network.notices],
        **beside,
    }
    if query.clear:
        network.clear()
    return answer


def _request(one: NetworkRequest, *, detailed: bool) -> answers.RequestAnswer:
    data = one.to_dict()
    socket = data.pop("socket")
    told = answers.RequestAnswer(
        **{name: value for name, value in data.items() if detailed or name not in _IN_DETAIL}
    )
    if socket is not None:
        messages = socket.pop("messages")
        told.socket = answers.SocketAnswer(**socket)
        if detailed:
            told.socket.messages = [answers.SocketMessageAnswer(**each) for each in messages]
    return told


async def _body(network: Network, query: NetworkQuery, deadline: Deadline) -> dict[str, Any]:
    if query.id is None or not query.max_bytes:
        return {}
    try:
        body = await network.response_body(query.id, max_bytes=query.max_bytes, timeout=deadline)
    except CommandRefused:  # it has none, or not any more
        return {}
    answer = answers.BodyAnswer(size=body.size, truncated=body.truncated, mime_type=body.mime_type)
    text = text_of_body(body)
    if text is None:
        answer.base64 = base64.b64encode(body.data).decode()
    else:
        answer.text = text
    return {"body": answer}


async def answer_trace(
    request: TraceRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    """The fields of `answers.TraceAnswer`, without whose tab it is."""
    if request.action == "start":
        if request.max_bytes:
            raise bad_request("maxBytes cannot stand beside the action start")
        return await _start_trace(request, held, content, deadline)
    if request.screenshots:
        raise bad_request("screenshots cannot stand beside the action stop")
    return await _stop_trace(request, held, content, deadline)


async def _start_trace(
    request: TraceRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    tracing = held.page.trace
    await content.check(held, deadline)
    if tracing.recording:
        raise ApiError(
            409, "TraceRecording", "a trace of this tab is being recorded already", "end it with action stop"
        )
    try:
        await tracing.start(screenshots=request.screenshots, timeout=deadline)
    except CommandRefused as error:
        raise ApiError(
            409,
            "TraceRecording",
            "the browser records one trace at a time, and records one of another tab or for another client",
            "end that one first, with action stop and the targetId of its tab, or wait until it is over",
        ) from error
    return {"recording": True}


async def _stop_trace(
    request: TraceRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    tracing = held.page.trace
    if not tracing.recording:
        raise ApiError(
            409, "NoTrace", "no trace of this tab is being recorded", "begin one with action start"
        )
    if request.max_bytes and not held.isolated:
        raise ApiError(
            403,
            "TraceNotShown",
            "the trace itself is not shown: tabs of others can be in it, as this one shares their profile",
            "leave maxBytes out for the summary; the trace of a tab that POST /tabs opens is shown, where the"
            " server was not started with --shared-profile",
        )
    trace = await tracing.stop(timeout=deadline)
    try:
        summary = await trio.to_thread.run_sync(trace.summarize)
    except ValueError as error:
        raise ApiError(502, "TraceUnreadable", str(error), "record anew, for less time") from error
    shown = await shown_summary(content, held, summary, deadline)
    told = data_of(shown)
    answer: dict[str, Any] = {"recording": False, "lost": trace.lost, "truncated": trace.truncated}
    if request.max_bytes:
        data = await trio.to_thread.run_sync(only_of_tab, trace.data)
        if await may_show_trace(content, held, data, deadline):
            answer |= _bounded(data, trace, request.max_bytes)
        else:
            told["notes"].append("the trace itself is left out: it has addresses that are not shown here")
    await content.check_done(held, deadline)
    return {**answer, "lines": shown.lines(), "summary": told}


def _bounded(data: bytes, trace: Trace, max_bytes: int) -> dict[str, Any]:
    is_cut = len(data) > max_bytes
    cut = cut_trace(data, max_bytes) if is_cut else data
    return {"trace": msgspec.Raw(cut), "truncated": trace.truncated or is_cut}
