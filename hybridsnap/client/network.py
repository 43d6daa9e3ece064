"""A page's network traffic: the requests that have not ended."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import math
import time
import urllib.parse
from typing import TYPE_CHECKING, Any

from hybridsnap.drivers.base import ignore_reply
from hybridsnap.text import clean_text, clip_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hybridsnap.client.attachment import AttachedSession, PageAttachment

#: This long without a request under way counts as quiet.
QUIET_SECONDS = 0.5
#: What scripts send, and go on with when it is answered; pictures, styles, beacons and streams are not.
_ASKED_BY_SCRIPT = frozenset({"Fetch", "XHR", "Script"})
#: So much of an address is shown, and so many of them.
_SHOWN = 80
_MOST = 3
#: They stay open for as long as the page likes.
_ENDLESS = frozenset({"EventSource", "WebSocket", "Ping"})
#: Of an address so much is looked at for its host.
_LONGEST_URL = 2_000
#: Events of the domain that come in numbers.
TRAFFIC_EVENTS = (
    *("Network.requestWillBeSent", "Network.requestWillBeSentExtraInfo", "Network.requestServedFromCache"),
    *("Network.responseReceived", "Network.responseReceivedExtraInfo", "Network.dataReceived"),
    *("Network.loadingFinished", "Network.loadingFailed", "Network.resourceChangedPriority"),
    *("Network.webSocketFrameReceived", "Network.webSocketFrameSent", "Network.eventSourceMessageReceived"),
)
_ENDED = frozenset({"Network.loadingFinished", "Network.loadingFailed"})
#: A websocket with so many unanswered messages in a row is not waited for: the page only reports over it.
_UNANSWERED = 3


def enable_network(attachment: PageAttachment) -> None:
    """Switch the Network domain of a page's sessions on for a listener, those that are to come included."""
    attachment.traffic_listeners += 1
    if attachment.traffic_listeners == 1:
        for one in attachment:
            for method in TRAFFIC_EVENTS:
                one.session.muted.pop(method, None)
            attachment.enable_traffic(one)


def disable_network(attachment: PageAttachment) -> None:
    """A listener has heard enough; with the last of them the domain goes off."""
    attachment.traffic_listeners -= 1
    if not attachment.traffic_listeners:
        attachment.traffic_enabled = False
        for one in attachment:
            # Those that are on their way need not be decoded.
            one.session.muted.update(dict.fromkeys(TRAFFIC_EVENTS, 0))
            one.session.post("Network.disable", {}, ignore_reply)


def host_of(url: str) -> str:
    """The host of an address, with its port; the scheme where there is none."""
    try:
        parts = urllib.parse.urlsplit(url[:_LONGEST_URL])
    except ValueError:
        return "an address that is not a URL"
    return parts.netloc.rpartition("@")[2] or parts.scheme


def origin_of(url: str) -> str:
    """The part of an address that says whose it is: ``https://shop.example``."""
    return "/".join(url.split("/", 3)[:3])


@dataclasses.dataclass(frozen=True, slots=True)
class _Request:
    """A request that has not ended.

    Attributes:
        url: its address.
        kind: Chromium's resource type.
        loader: the document that asked.
        frame: the frame whose document is asked for; None for anything else.
        sent: when, on the monotonic clock.
    """

    url: str
    kind: str
    loader: str
    frame: str | None
    sent: float


def _is_icon(params: dict[str, Any]) -> bool:
    """Whether the browser itself asks, for the page's icon: it does so when it likes.

    On a busy machine no end of such a request was told (5 of 140 pages at load 15, measured in Chromium 156).
    """
    return params.get("type") == "Other" and params["initiator"]["type"] == "other"


def is_worker_script(params: dict[str, Any]) -> bool:
    """Whether a worker's own script is asked for: no end of that is told to the page, nor an answer but for
    its headers (measured in Chromium 156).
    """
    return params.get("type") == "Script" and not params["loaderId"]


class RequestTracker:
    """The requests of a page that have not ended, in all its processes, while `watch` is entered.

    Args:
        attachment: of the page.
        own_socket: whether to listen on a page's own socket, too, whose Network domain is the caller's and
            is switched off at the end.

    Attributes:
        moved_at: when a request last began, ended or brought data, on the monotonic clock.
    """

    def __init__(self, attachment: PageAttachment, *, own_socket: bool) -> None:
        self._attachment = attachment
        self._own_socket = own_socket
        #: (session id, request id) → request.
        self._open: dict[tuple[object, str], _Request] = {}
        #: (session id, socket id) of websockets over which scripts have sent messages → the session, and when
        #: the last one was sent; -inf once it is answered.
        self._sockets: dict[tuple[object, str], tuple[AttachedSession, float]] = {}
        #: When a message last came over one of them.
        self._socket_heard_at = -math.inf
        #: Session id → the document that was committed while `watch` was entered.
        self._committed: dict[object, str] = {}
        self.moved_at: float = time.monotonic()

    @contextlib.contextmanager
    def watch(self) -> Iterator[RequestTracker]:
        """Follow the traffic for the length of the block. Sends commands, and waits for no reply."""
        if self._attachment.root.session.id is None and not self._own_socket:
            yield self
            return
        enable_network(self._attachment)
        try:
            with self._attachment.listening(self._listen):
                yield self
        finally:
            disable_network(self._attachment)

    @property
    def idle(self) -> bool:
        """Whether there has been no traffic for 500 ms."""
        return not self._open and time.monotonic() - self.moved_at >= QUIET_SECONDS

    @property
    def under_way(self) -> dict[str, int]:
        """Host → how many requests to it have not ended."""
        return dict(collections.Counter(host_of(one.url) for one in self._open.values()))

    def asked_since(self, moment: float) -> tuple[str, ...]:
        """Addresses that scripts have asked for since then (`time.monotonic`), and that are under way."""
        return tuple(
            one.url for one in self._open.values() if one.sent >= moment and one.kind in _ASKED_BY_SCRIPT
        )

    def socket_asked_since(self, moment: float) -> bool:
        """Whether scripts have sent a message over a websocket since then, and have received none over it.

        Applications whose pages the server renders (LiveView, Blazor, Streamlit) are updated that way.
        Which messages are answers cannot be known: any message received counts as one.
        """
        return any(sent >= moment and one.session.ended is None for one, sent in self._sockets.values())

    @property
    def socket_heard_seconds(self) -> float:
        """Seconds since a message was last received over a websocket that scripts have sent one over."""
        return time.monotonic() - self._socket_heard_at

    def note_silent_sockets(self) -> None:
        """Count the sockets whose answer was waited for in vain."""
        for (_, socket), (one, sent) in self._sockets.items():
            if sent > -math.inf:
                one.silent_sockets[socket] += 1

    def _listen(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        session = one.session.id
        if method.startswith("Network.webSocket"):
            self._listen_to_sockets(one, method, params)
        elif method == "Target.attachedToTarget":
            # The frame moves to a process of its own: its document was asked for here, and ends there.
            self._drop(lambda _, request: request.frame == params["targetInfo"]["targetId"])
        elif method == "Target.detachedFromTarget":
            self._drop(lambda of, _: of == params["sessionId"])
        elif method == "Page.frameNavigated" and params["frame"]["id"] == one.root_frame:
            # No end is told of what the document before asked for, where it is kept for going back.
            loader = self._committed[session] = params["frame"]["loaderId"]
            self._sockets = {key: asked for key, asked in self._sockets.items() if key[0] != session}
            self._drop(
                lambda of, request: (
                    of == session and request.frame != one.root_frame and request.loader != loader
                )
            )
        elif method == "Page.loadEventFired":
            # A short document's end is not always told (measured).
            loader = self._committed.get(session, "")
            self._drop(
                lambda of, request: (of, request.frame, request.loader) == (session, one.root_frame, loader)
            )
        elif method == "Network.requestWillBeSent":
            if params.get("type") not in _ENDLESS and not _is_icon(params) and not is_worker_script(params):
                self._begin((session, params["requestId"]), params)
        elif method == "Network.dataReceived":
            self.moved_at = time.monotonic()
        elif method in _ENDED or (method == "Network.responseReceived" and params.get("type") == "Fetch"):
            # When script does not read the body of a fetch, no end of it is told (measured).
            self._forget((session, params["requestId"]))

    def _begin(self, key: tuple[object, str], params: dict[str, Any]) -> None:
        self.moved_at = now = time.monotonic()
        before = self._open.get(key)  # a redirect is the same request
        kind = params.get("type", "")
        self._open[key] = _Request(
            url=params["request"]["url"],
            kind=kind,
            loader=params["loaderId"],
            frame=params.get("frameId") if kind == "Document" else None,
            sent=now if before is None else before.sent,
        )

    def _drop(self, ended: Callable[[object, _Request], bool]) -> None:
        """Forget requests of which no end will be heard; judged by session id and request."""
        for key, request in list(self._open.items()):
            if ended(key[0], request):
                self._forget(key)

    def _listen_to_sockets(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        socket = params["requestId"]
        key = one.session.id, socket
        if method == "Network.webSocketFrameSent":
            if one.silent_sockets[socket] < _UNANSWERED:
                self._sockets[key] = one, time.monotonic()
        elif method in {"Network.webSocketFrameReceived", "Network.webSocketClosed"}:
            one.silent_sockets.pop(socket, None)
            if key in self._sockets:
                self._socket_heard_at = time.monotonic()
                self._sockets[key] = one, -math.inf
                self._attachment.notify()

    def _forget(self, key: tuple[object, str]) -> None:
        self.moved_at = time.monotonic()
        if self._open.pop(key, None) is not None:
            self._attachment.notify()


def describe_under_way(urls: tuple[str, ...], page_url: str) -> str:
    """One line: ``a request is still under way: /api/basket``."""
    here = urllib.parse.urlsplit(page_url)
    shown = []
    for url in urls[:_MOST]:
        parts = urllib.parse.urlsplit(url)
        same = (parts.scheme, parts.netloc) == (here.scheme, here.netloc)
        words = clean_text(url.partition(parts.netloc)[2] if same and parts.netloc else url)
        shown.append(clip_text(words, _SHOWN))
    shown += ["…"] if len(urls) > _MOST else []
    what = "a request is" if len(urls) == 1 else f"{len(urls)} requests are"
    return f"{what} still under way: {', '.join(shown)}"
