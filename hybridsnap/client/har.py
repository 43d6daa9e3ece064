"""Requests as a HAR 1.2 log (http://www.softwareishard.com/blog/har-12-spec/). No I/O."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import urllib.parse
from typing import TYPE_CHECKING, Any

from hybridsnap.client.request_records import Timing, shown_headers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.client.request_records import NetworkRequest


def build_har(requests: Sequence[NetworkRequest], *, page_url: str, secrets: bool) -> dict[str, Any]:
    """A HAR log of requests in the order in which they began; `secrets` with cookies and credentials."""
    started = timestamp(requests[0].started if requests else 0)
    page = {"startedDateTime": started, "id": "page_1", "title": page_url, "pageTimings": {}}
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "hybridsnap", "version": importlib.metadata.version("hybridsnap")},
            "pages": [page],
            "entries": [_entry(one, secrets=secrets) for one in requests],
        }
    }


def _entry(one: NetworkRequest, *, secrets: bool) -> dict[str, Any]:
    timings = _timings(one)
    entry: dict[str, Any] = {
        "pageref": "page_1",
        "startedDateTime": timestamp(one.started),
        "time": round(sum(value for name, value in timings.items() if value > 0 and name != "ssl"), 3),
        "request": _request(one, secrets=secrets),
        "response": _response(one, secrets=secrets),
        "cache": {},
        "timings": timings,
        "_id": one.id,
        "_resourceType": one.resource_type,
        "_initiator": one.initiator,
        "_state": one.state,
    }
    if one.socket is not None:  # as Chromium's developer tools write it
        entry["_webSocketMessages"] = [
            {
                "type": "send" if message.sent else "receive",
                "time": message.time,
                "opcode": message.opcode,
                "data": message.data,
                **({"_size": message.size} if message.truncated else {}),
            }
            for message in one.socket.messages
        ]
    address = one.remote_address.rpartition(":")[0].strip("[]")
    return entry | ({"serverIPAddress": address} if address else {})


def _request(one: NetworkRequest, *, secrets: bool) -> dict[str, Any]:
    # Not `urlsplit`: it refuses addresses that a page may well ask for.
    _, _, asked = one.url.partition("#")[0].partition("?")
    query = urllib.parse.parse_qsl(asked, keep_blank_values=True)
    request: dict[str, Any] = {
        "method": one.method,
        "url": one.url,
        "httpVersion": one.protocol or "unknown",
        "cookies": _cookies(one.request_headers.get("cookie", ""), ";", secrets=secrets),
        "headers": _headers(one.request_headers, secrets=secrets),
        "queryString": [{"name": name, "value": value} for name, value in query],
        "headersSize": -1,
        "bodySize": 0 if one.request_body_bytes is None else one.request_body_bytes,
    }
    if one.post_data is not None:
        kind = one.request_headers.get("content-type", "")
        request["postData"] = {"mimeType": kind, "params": [], "text": one.post_data}
    return request


def _response(one: NetworkRequest, *, secrets: bool) -> dict[str, Any]:
    response: dict[str, Any] = {
        "status": one.status or 0,
        "statusText": one.status_text,
        "httpVersion": one.protocol or "unknown",
        "cookies": _cookies(one.response_headers.get("set-cookie", ""), "\n", secrets=secrets),
        "headers": _headers(one.response_headers, secrets=secrets),
        "content": {"size": one.body_bytes, "mimeType": one.mime_type or "x-unknown"},
        "redirectURL": one.response_headers.get("location", "") if one.state == "redirected" else "",
        "headersSize": -1,
        "bodySize": -1,
        "_transferSize": one.transferred_bytes,
    }
    return response if one.failure is None else response | {"_error": one.failure}


def _headers(headers: dict[str, str], *, secrets: bool) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in shown_headers(headers, secrets=secrets)]


def _cookies(header: str, separator: str, *, secrets: bool) -> list[dict[str, str]]:
    """The cookies of a header; of each one, what stands before the first ``;``."""
    found = [one.split(";")[0].strip().partition("=") for one in header.split(separator) if one.strip()]
    return [
        {"name": name, "value": value if secrets else f"[{len(value)} characters]"}
        for name, _, value in found
    ]


def _timings(one: NetworkRequest) -> dict[str, float]:
    timing = one.timing or Timing(wait=one.duration_ms or 0.0, receive=0.0)
    return {
        "blocked": timing.blocked,
        "dns": timing.dns,
        # HAR counts the handshake within.
        "connect": timing.connect,
        "ssl": timing.ssl,
        "send": timing.send,
        "wait": timing.wait,
        "receive": max(0.0, timing.receive),
    }


def timestamp(seconds: float) -> str:
    """A moment as JavaScript writes it: ``2026-11-23T18:00:00.000Z``."""
    moment = dt.datetime.fromtimestamp(seconds, dt.UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
