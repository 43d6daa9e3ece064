"""A blocking connection to a browser, on the websocket library that Selenium brings."""

from __future__ import annotations

import itertools
import json
import urllib.request
from typing import TYPE_CHECKING, Any

import msgspec
import websocket

from hybridsnap.drivers.base import refused, unanswered
from hybridsnap.errors import TargetDetached
from hybridsnap.protocol.codec import JSON

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.deadline import Deadline
    from hybridsnap.model import SessionId
    from hybridsnap.protocol.codec import Payload

#: Seconds within which a browser on this machine answers.
_CONNECT_SECONDS = 5.0


class Socket:
    """A blocking connection to the browser at an address, ``host:port``.

    Raises:
        OSError, ValueError, websocket.WebSocketException: nothing there speaks the protocol.
    """

    def __init__(self, address: str, deadline: Deadline) -> None:
        seconds = min(_CONNECT_SECONDS, max(0.01, deadline.remaining))
        where = f"http://{address}/json/version"
        with urllib.request.urlopen(where, timeout=seconds) as reply:
            url = json.load(reply)["webSocketDebuggerUrl"]
        self._socket = websocket.create_connection(
            url, timeout=seconds, suppress_origin=True, skip_utf8_validation=True
        )
        self._calls = itertools.count(1)
        #: Takes each event: method and parameters.
        self.on_event: Callable[[str, dict[str, Any]], None] | None = None

    def send(
        self, method: str, params: dict[str, Any], session: SessionId | None, deadline: Deadline
    ) -> Payload:
        """Send a command and wait for its reply; the events that come meanwhile go to `on_event`.

        Raises:
            HybridsnapError: the browser refuses it; `CommandUnanswered` when a dialog opens meanwhile,
                `TargetDetached` when the session ends.
            TimeoutError, websocket.WebSocketException: there is no reply.
        """
        call = next(self._calls)
        self._socket.send(JSON.encode(call, method, params, session))
        while True:
            self._socket.settimeout(max(0.001, deadline.remaining))
            message = self._socket.recv()
            data = message if isinstance(message, bytes) else message.encode("utf-8", "surrogatepass")
            head = JSON.head(data)
            if head.id is None:
                told = msgspec.json.decode(head.params, type=dict)
                if self.on_event is not None:
                    self.on_event(head.method, told)
                if head.method == "Page.javascriptDialogOpening":  # nothing more is answered until it is
                    raise unanswered(method, "dialog")
                if head.method == "Target.detachedFromTarget" and told.get("sessionId") == session:
                    raise TargetDetached(f"{method}: the page was closed, or its frame is gone")
            if head.id != call:
                continue
            if head.error is not None:
                raise refused(method, head.error.code, f"{head.error.message} {head.error.data}".strip())
            return JSON.payload(data)

    def close(self) -> None:
        """End it, without waiting for the browser."""
        self._socket.close(timeout=0)
