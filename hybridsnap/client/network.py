"""A page's network traffic: waiting for it to pause, and the HTTP status of a document."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.drivers.base import ignore_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hybridsnap.client.attachment import AttachedSession, PageAttachment
    from hybridsnap.deadline import Deadline

#: This long without a request under way counts as quiet.
QUIET_SECONDS = 0.5
#: They stay open for as long as the page likes.
_ENDLESS = frozenset({"EventSource", "WebSocket", "Ping"})
_ENDED = frozenset({"Network.loadingFinished", "Network.loadingFailed"})


def hear_traffic(one: AttachedSession) -> None:
    """Switch the Network domain on for a listener. Bodies are not kept."""
    if not one.traffic_listeners:
        one.session.post("Network.enable", {"maxTotalBufferSize": 0}, ignore_reply)
    one.traffic_listeners += 1


def stop_hearing(one: AttachedSession) -> None:
    """A listener has heard enough; with the last of them the domain goes off."""
    one.traffic_listeners -= 1
    if not one.traffic_listeners:
        one.session.post("Network.disable", {}, ignore_reply)


class DocumentStatus:
    """Hears what HTTP status a page's main document is answered with, while `watch` is entered.

    It is told before the document is there, under the document's own loader id, also when the document comes
    to another process; an image or a file that is shown as a document has one too. ``file:`` and ``data:``
    are answered with 200, which means nothing. (Measured in Chromium 156.)

    Attributes:
        status: of the last answer; None before one came.
    """

    def __init__(self, attachment: PageAttachment) -> None:
        self._attachment = attachment
        self.status: int | None = None

    @contextlib.contextmanager
    def watch(self) -> Iterator[DocumentStatus]:
        """Listen for the length of the block; not on a page's own socket, whose domains are the caller's."""
        root = self._attachment.root
        if root.session.id is None:
            yield self
            return
        hear_traffic(root)
        self._attachment.listeners.append(self._listen)
        try:
            yield self
        finally:
            self._attachment.listeners.remove(self._listen)
            stop_hearing(root)

    def _listen(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        if method != "Network.responseReceived" or one is not self._attachment.root:
            return
        response = params["response"]
        is_document = params["requestId"] == params["loaderId"] and params.get("frameId") == one.root_frame
        if is_document and response["url"].startswith(("http://", "https://")):
            self.status = response["status"]
            self._attachment.main.answer = params["loaderId"], response["status"]


class NetworkQuiet:
    """Counts a page's requests, in all its processes, while `watch` is entered."""

    def __init__(self, attachment: PageAttachment) -> None:
        self._attachment = attachment
        #: (session id, request id) → the frame whose document it is; None for anything else.
        self._open: dict[tuple[object, str], str | None] = {}
        #: The same → the document that asked.
        self._loaders: dict[tuple[object, str], str] = {}
        #: Session id → the document that is there, if it came while we looked.
        self._committed: dict[object, str] = {}
        self._since = trio.current_time()
        self._enabled: list[AttachedSession] = []

    @contextlib.contextmanager
    def watch(self) -> Iterator[NetworkQuiet]:
        """Follow the traffic for the length of the block, and leave the domain switched off after it."""
        self._enable()
        self._attachment.listeners.append(self._listen)
        try:
            yield self
        finally:
            self._attachment.listeners.remove(self._listen)
            for one in self._enabled:
                stop_hearing(one)

    @property
    def idle(self) -> bool:
        """Whether there has been no traffic for 500 ms."""
        return not self._open and trio.current_time() - self._since >= QUIET_SECONDS

    async def wait(self, deadline: Deadline, obstacle: Callable[[], str | None]) -> bool:
        """Wait for 500 ms without traffic; False when the deadline or an obstacle came first."""
        while not deadline.expired and obstacle() is None:
            quiet_for = trio.current_time() - self._since
            if not self._open and quiet_for >= QUIET_SECONDS:
                return True
            await trio.sleep(min(QUIET_SECONDS - min(quiet_for, 0.45), deadline.remaining))
        return False

    def _enable(self) -> None:
        for one in self._attachment:
            if one not in self._enabled:
                self._enabled.append(one)
                hear_traffic(one)

    def _listen(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        if method == "Target.attachedToTarget":
            self._enable()
            # The frame moves to a process of its own: its document was asked for here, and ends there.
            self._drop(lambda _, frame: frame == params["targetInfo"]["targetId"])
        elif method == "Target.detachedFromTarget":
            self._drop(lambda session, _: session == params["sessionId"])
        elif method == "Page.frameNavigated" and params["frame"]["id"] == one.root_frame:
            self._leave(one, params["frame"]["loaderId"])
        elif method == "Page.loadEventFired":
            # A short document's end is not always told (measured).
            loader = self._committed.get(one.session.id, "")
            self._drop(lambda session, frame: (session, frame) == (one.session.id, one.root_frame), loader)
        elif method == "Network.requestWillBeSent" and params.get("type") not in _ENDLESS:
            frame = params.get("frameId") if params.get("type") == "Document" else None
            key = one.session.id, params["requestId"]
            self._open[key], self._loaders[key] = frame, params["loaderId"]
            self._since = trio.current_time()
        elif method == "Network.responseReceived" and params.get("type") == "Fetch":
            # When script does not read the body, no end of it is told (measured).
            self._forget((one.session.id, params["requestId"]))
        elif method == "Network.dataReceived":
            self._since = trio.current_time()
        elif method in _ENDED:
            self._forget((one.session.id, params["requestId"]))

    def _leave(self, one: AttachedSession, loader: str) -> None:
        """Forget what the document before asked for: no end is told where it is kept for going back."""
        self._committed[one.session.id] = loader
        for key, frame in list(self._open.items()):
            if key[0] == one.session.id and frame != one.root_frame and self._loaders[key] != loader:
                self._forget(key)

    def _drop(self, ended: Callable[[object, str | None], bool], loader: str | None = None) -> None:
        """Forget requests of which no end will be heard; judged by session id and frame, and by document."""
        for key, frame in list(self._open.items()):
            if ended(key[0], frame) and loader in {None, self._loaders[key]}:
                self._forget(key)

    def _forget(self, key: tuple[object, str]) -> None:
        if key in self._open:
            del self._open[key], self._loaders[key]
        self._since = trio.current_time()
