"""What tabs said and requested, as answers of the server."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from hybridsnap.errors import CommandRefused
from hybridsnap.server import answers
from hybridsnap.server.messages import bad_request
from hybridsnap.service.problems import data_of
from hybridsnap.service.records import read_console, read_request, read_requests

if TYPE_CHECKING:
    from hybridsnap.client.page_network import Network
    from hybridsnap.client.request_records import NetworkRequest
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.messages import ConsoleRequest, NetworkQuery
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
    try:
        # What was cut within a character is text all the same.
        answer.text = body.data.decode() if not body.truncated else body.data[:-3].decode("utf-8", "ignore")
    except UnicodeDecodeError:
        answer.base64 = base64.b64encode(body.data).decode()
    return {"body": answer}
