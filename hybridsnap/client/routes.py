"""What may happen to a request of a page before it leaves the browser: values, no I/O.

A `Route` has a pattern for addresses and an answer: `Fulfill`, `Abort` or `Continue`, or a function that
looks at each request and returns one of them. `hybridsnap.client.interception` asks the routes and answers.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import mimetypes
import re
import urllib.parse
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hybridsnap.act.conditions import LONGEST_URL, parse_url_glob
from hybridsnap.argument_checks import check_number, check_str, check_whole, read_strs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

#: Why a request fails, in Playwright's words.
AbortReason: TypeAlias = Literal[
    "aborted",
    "accessdenied",
    "addressunreachable",
    "blockedbyclient",
    "blockedbyresponse",
    "connectionaborted",
    "connectionclosed",
    "connectionfailed",
    "connectionrefused",
    "connectionreset",
    "failed",
    "internetdisconnected",
    "namenotresolved",
    "timedout",
]
#: The protocol's words for them (``Network.ErrorReason``).
_REASONS = {
    reason.lower(): reason
    for reason in (
        *("Failed", "Aborted", "TimedOut", "AccessDenied", "ConnectionClosed", "ConnectionReset"),
        *("ConnectionRefused", "ConnectionAborted", "ConnectionFailed", "NameNotResolved"),
        *("InternetDisconnected", "AddressUnreachable", "BlockedByClient", "BlockedByResponse"),
    )
}
#: Types of requests → what the Fetch domain calls them. It does not tell `fetch` from `XMLHttpRequest`.
RESOURCE_TYPES = {
    "document": "Document",
    "stylesheet": "Stylesheet",
    "image": "Image",
    "media": "Media",
    "font": "Font",
    "script": "Script",
    "fetch": "XHR",
    "xhr": "XHR",
    "ping": "Ping",
    "other": "Other",
}
#: What a text is, by the type of the request that it answers.
_TEXT_TYPES = {"document": "text/html", "script": "text/javascript", "stylesheet": "text/css"}
#: Chromium closes a connection over which more than 100 MB come at once; Base64 makes 4 bytes of 3.
MOST_BODY_BYTES = 64_000_000
_TOKEN = re.compile(r"(\\[*?\\])|\*+|([^*\\]+)")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LEAST_STATUS, _MOST_STATUS = 200, 599


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RoutedRequest:
    """A request that has not left the browser yet, as a route's function sees it.

    Attributes:
        url: its address, without the fragment.
        method: ``GET``, …
        headers: by name, in lower case, as far as they are known by now: cookies are not.
        post_data: what is sent, as text; None where nothing is, or the browser does not tell.
        resource_type: ``document``, ``stylesheet``, ``image``, ``media``, ``font``, ``script``, ``fetch``
            (also for XMLHttpRequest and event sources), ``ping``, ``other`` or ``preflight`` (CORS).
        frame_id: of the frame that asks, or whose document is asked for.
    """

    url: str
    method: str
    headers: Mapping[str, str]
    post_data: str | None
    resource_type: str
    frame_id: str

    @property
    def wanted_method(self) -> str:
        """The method; of a preflight the one that it asks about."""
        return self.headers.get("access-control-request-method", self.method)

    @property
    def foreign_origin(self) -> str | None:
        """The origin of the page that asks, where it needs permission (CORS) to read the answer."""
        origin = self.headers.get("origin")
        parts = urllib.parse.urlsplit(self.url)
        return None if origin in {None, f"{parts.scheme}://{parts.netloc}"} else origin


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Fulfill:
    """Answer a request in the place of its server.

    A page of another origin may read the answer (CORS), unless `headers` say who may.

    Attributes:
        status: 200 to 599.
        headers: of the response.
        body: text or bytes.
        json: JSON data, in the place of a body.
        file: a file's path, in the place of a body; it is read at each request.
        content_type: in the place of the one that body, JSON or the file's name suggest.
    """

    status: int = 200
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    body: str | bytes | None = None
    json: Any = None
    file: str | PathLike[str] | None = None
    content_type: str | None = None

    def __post_init__(self) -> None:
        check_whole("status", self.status, _LEAST_STATUS)
        if self.status > _MOST_STATUS:
            raise ValueError(f"status: expected a number from 200 to 599, got {self.status}")
        _check_headers(self.headers)
        check_str("content_type", self.content_type, "text/plain", optional=True)
        if sum(one is not None for one in (self.body, self.json, self.file)) > 1:
            raise ValueError("body, json and file exclude each other; give one of them")
        _check_bytes("body", self.body)
        if self.json is not None:
            json.dumps(self.json)
        if self.file is not None and not Path(self.file).is_file():
            raise ValueError(f"file: there is no file {str(self.file)!r}")

    def read_body(self) -> bytes:
        """The body, read from the file where it is one. It may wait.

        Raises:
            OSError, ValueError: the file is gone, or too large.
        """
        data: str | bytes = b"" if self.body is None else self.body
        if self.json is not None:
            data = json.dumps(self.json)
        elif self.file is not None:
            data = Path(self.file).read_bytes()
            _check_bytes("file", data)
        return data.encode() if isinstance(data, str) else data

    def command(self, request: RoutedRequest, body: bytes) -> tuple[str, dict[str, Any]]:
        """Method and parameters, but for the number of the request."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        if body:
            headers.setdefault("content-type", self._type_for(request))
        origin = request.foreign_origin
        if origin is not None and "access-control-allow-origin" not in headers:
            headers["access-control-allow-origin"] = origin
            headers["access-control-allow-credentials"] = "true"
        if request.resource_type == "preflight":
            headers.setdefault("access-control-allow-methods", request.wanted_method)
            asked = request.headers.get("access-control-request-headers", "")
            headers.setdefault("access-control-allow-headers", asked)
            headers.pop("content-type", None)
            return "Fetch.fulfillRequest", {"responseCode": 204, "responseHeaders": _listed(headers)}
        return "Fetch.fulfillRequest", {
            "responseCode": self.status,
            "responseHeaders": _listed(headers),
            "body": base64.b64encode(body).decode(),
        }

    def _type_for(self, request: RoutedRequest) -> str:
        if self.content_type is not None:
            return self.content_type
        if self.json is not None:
            return "application/json"
        if self.file is not None:
            return mimetypes.guess_type(self.file)[0] or "application/octet-stream"
        if isinstance(self.body, bytes):
            return "application/octet-stream"
        return f"{_TEXT_TYPES.get(request.resource_type, 'text/plain')}; charset=utf-8"


@dataclasses.dataclass(frozen=True, slots=True)
class Abort:
    """Let a request fail.

    Attributes:
        reason: as what; ``blockedbyclient`` is what an ad blocker does.
    """

    reason: AbortReason = "blockedbyclient"

    def __post_init__(self) -> None:
        if self.reason not in get_args(AbortReason):
            raise ValueError(
                f"expected one of {', '.join(get_args(AbortReason))} as reason, got {self.reason!r}"
            )

    def command(self) -> tuple[str, dict[str, Any]]:
        """Method and parameters, but for the number of the request."""
        return "Fetch.failRequest", {"errorReason": _REASONS[self.reason]}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Continue:
    """Send a request to its server, changed or not. The page does not see that it was.

    Attributes:
        url: another address (http or https), for this request.
        method: another method.
        headers: set beside the request's own, or in their place; None takes one out.
        post_data: sent in the place of what the page sends.
    """

    url: str | None = None
    method: str | None = None
    headers: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    post_data: str | bytes | None = None

    def __post_init__(self) -> None:
        check_str("url", self.url, "https://example.com/", optional=True)
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            raise ValueError(f"url: expected an address with http:// or https://, got {self.url!r}")
        check_str("method", self.method, "POST", optional=True)
        if self.method is not None and not _HEADER_NAME.fullmatch(self.method):
            raise ValueError(f"method: expected one such as 'POST', got {self.method!r}")
        _check_headers({name: value or "" for name, value in dict(self.headers).items()})
        _check_bytes("post_data", self.post_data)

    def command(self, request: RoutedRequest) -> tuple[str, dict[str, Any]]:
        """Method and parameters, but for the number of the request."""
        params: dict[str, Any] = {}
        if self.url is not None:
            params["url"] = self.url
        if self.method is not None:
            params["method"] = self.method.upper()
        if self.headers:
            changed = {**request.headers, **{name.lower(): value for name, value in self.headers.items()}}
            params["headers"] = _listed({name: one for name, one in changed.items() if one is not None})
        if self.post_data is not None:
            data = self.post_data.encode() if isinstance(self.post_data, str) else self.post_data
            params["postData"] = base64.b64encode(data).decode()
        return "Fetch.continueRequest", params


#: What is done with a request.
RouteAction: TypeAlias = Fulfill | Abort | Continue
#: Decides it; None leaves it to the next route.
RouteHandler: TypeAlias = Callable[[RoutedRequest], RouteAction | Awaitable[RouteAction | None] | None]


class RoutePattern:
    """Which requests a route is for.

    Args:
        url: a pattern for addresses, as `hybridsnap.act.conditions` has it.
        resource_type: types, of `RESOURCE_TYPES`; None for all.
        method: None for all.

    Raises:
        ValueError, TypeError: one of them means nothing.
    """

    def __init__(self, url: str, resource_type: str | Sequence[str] | None, method: str | None) -> None:
        check_str("url", url, "**/api/*")
        check_str("method", method, "POST", optional=True)
        self._regex = parse_url_glob(url)
        self._method = None if method is None else method.upper()
        names = () if resource_type is None else read_strs("resource_type", resource_type, "image")
        for name in names:
            if name not in RESOURCE_TYPES:
                known = ", ".join(RESOURCE_TYPES)
                raise ValueError(f"resource_type: expected one of {known}, got {name!r}")
        self._types = {RESOURCE_TYPES[name] for name in names}
        #: The types and the method, where it is not for all.
        self.narrowed: tuple[str, ...] = (*names, *([self._method] if self._method else []))
        # What the browser is asked to stop for: no less than fits, for its `*` stands for `/`, too.
        loose = "".join(found[0] if found[1] or found[2] else "*" for found in _TOKEN.finditer(url))
        self.wire: list[dict[str, str]] = (
            [{"urlPattern": loose, "resourceType": one} for one in sorted(self._types)]
            if self._types
            else [{"urlPattern": loose}]
        )

    def fits(self, request: RoutedRequest, wire_type: str) -> bool:
        """Whether it is for this request, whose type the browser calls so."""
        return (
            (not self._types or wire_type in self._types)
            and (self._method is None or request.wanted_method == self._method)
            and self._regex.fullmatch(request.url[:LONGEST_URL]) is not None
        )


def read_request(params: Mapping[str, Any]) -> RoutedRequest:
    """A request from ``Fetch.requestPaused``."""
    sent = params["request"]
    headers = {name.lower(): value for name, value in sent["headers"].items()}
    is_preflight = sent["method"] == "OPTIONS" and "access-control-request-method" in headers
    type_ = params["resourceType"].lower()
    entries = [base64.b64decode(one["bytes"]) for one in sent.get("postDataEntries", ()) if "bytes" in one]
    return RoutedRequest(
        url=sent["url"],
        method=sent["method"],
        headers=headers,
        post_data=b"".join(entries).decode("utf-8", "replace") if entries else sent.get("postData"),
        resource_type="preflight" if is_preflight else "fetch" if type_ == "xhr" else type_,
        frame_id=params["frameId"],
    )


def check_action(action: object) -> None:
    """See that a route's answer is one.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(action, RouteAction) and (isinstance(action, type) or not callable(action)):
        raise TypeError(
            "action: expected hybridsnap.Fulfill(…), Abort(…), Continue(…) or a function that returns one of"
            f" them, got {action!r}"
        )


def check_handler_timeout(seconds: object) -> None:
    """See that a function's time is a number of seconds above 0.

    Raises:
        TypeError, ValueError: it is not.
    """
    check_number("handler_timeout", seconds, "seconds")
    if seconds <= 0:  # type: ignore[operator]  # it is a number
        raise ValueError(f"handler_timeout: expected a number of seconds above 0, got {seconds!r}")


def _check_bytes(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, str | bytes):
        raise TypeError(f"{name}: expected a str or bytes, got {value!r}")
    if len(value) > MOST_BODY_BYTES:
        raise ValueError(f"{name}: expected at most {MOST_BODY_BYTES:,} bytes, got {len(value):,}")


def _check_headers(headers: object) -> None:
    if not isinstance(headers, Mapping):
        raise TypeError(f"headers: expected a dict of strings, got {headers!r}")
    for name, value in headers.items():
        check_str("headers", name, "content-type")
        check_str(f"headers[{name!r}]", value, "text/plain")
        if not _HEADER_NAME.fullmatch(name) or any(one in value for one in "\r\n\0"):
            raise ValueError(f"headers: {name!r}: {value!r} is no header")


def _listed(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]
