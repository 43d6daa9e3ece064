"""Waiting for a page's network traffic to pause."""

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


class NetworkQuiet:
    """Counts a page's requests, in all its processes, while `watch` is entered."""

    def __init__(self, attachment: PageAttachment) -> None:
        self._attachment = attachment
        self._open: set[tuple[object, str]] = set()
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
                one.session.post("Network.disable", {}, ignore_reply)

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
                one.session.post("Network.enable", {}, ignore_reply)

    def _listen(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        if method == "Target.attachedToTarget":
            self._enable()
        elif method == "Network.requestWillBeSent" and params.get("type") not in _ENDLESS:
            self._open.add((one.session.id, params["requestId"]))
            self._since = trio.current_time()
        elif method in _ENDED:
            self._open.discard((one.session.id, params["requestId"]))
            self._since = trio.current_time()
