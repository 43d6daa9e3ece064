"""The socket of an HTTP server, and how Hypercorn serves it."""

from __future__ import annotations

import contextlib
import logging
import socket
from typing import TYPE_CHECKING, Any

import h11
import hypercorn.protocol
from hypercorn.config import Config, Sockets
from hypercorn.protocol.h11 import H11Protocol

from hybridsnap.errors import HybridsnapError

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger("hybridsnap")

#: So many connections wait until they are taken up. Of more at once Linux resets some: of 300 requests 26.
_BACKLOG = 1024
#: A client that takes nothing of its answer for so long is dropped, ms.
_TAKING_MS = 15_000
#: An idle connection is kept for so long, and a request's head may take so long, seconds.
_IDLE_SECONDS = 30
_HEAD_BYTES = 32 * 1024


class HttpConfig(Config):
    """Hypercorn's configuration, with a socket that listens already.

    Args:
        listener: the socket.
        grace_seconds: what runs at the end may go on for so long.
    """

    def __init__(self, listener: socket.socket, grace_seconds: float) -> None:
        super().__init__()
        self._listener = listener
        self.accesslog: logging.Logger | str | None = None
        self.errorlog: logging.Logger | str | None = _log
        self.include_server_header = False
        self.keep_alive_timeout = _IDLE_SECONDS
        self.h11_max_incomplete_size = _HEAD_BYTES
        # The grace time is kept before; then only answers are still to be sent.
        self.graceful_timeout: float = min(grace_seconds, 1.0)
        self.shutdown_timeout: float = grace_seconds

    def create_sockets(self) -> Sockets:
        """The one that was given."""
        return Sockets([], [self._listener], [])


class _Http1Connection(h11.Connection):
    """Refuses upgrades while the request is still HTTP/1.1: no application sees it.

    HTTP/2 (505; ``Upgrade: h2c``) would lead around whatever a proxy before the server checks. There are no
    websockets here (403); Hypercorn keeps the connection of a handshake that it refuses open for good.
    """

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            upgrades = [value for name, value in event.headers if name == b"upgrade"]
            protocols = [one.strip().lower() for value in upgrades for one in value.split(b",")]
            if event.http_version == b"2.0" or b"h2c" in protocols:
                raise h11.RemoteProtocolError("HTTP/2 is not served", error_status_hint=505)
            if b"websocket" in protocols:
                raise h11.RemoteProtocolError("websockets are not served", error_status_hint=403)
        return event


class _Protocol(H11Protocol):
    """Hypercorn's HTTP/1.1. Hypercorn has no setting that turns HTTP/2 off, so this class takes its place;
    servers of others in this process, which have another configuration, keep HTTP/2.
    """

    def __init__(self, app: Any, config: Config, *further: Any) -> None:
        super().__init__(app, config, *further)
        if isinstance(config, HttpConfig):
            most = config.h11_max_incomplete_size
            self.connection = _Http1Connection(h11.SERVER, max_incomplete_event_size=most)


hypercorn.protocol.H11Protocol = _Protocol  # type: ignore[attr-defined, assignment]


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens for the length of the block.

    Raises:
        HybridsnapError: it cannot listen there.
    """
    address = "127.0.0.1" if host == "localhost" else host
    try:
        family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((address, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise HybridsnapError(
            f"cannot listen on {host}:{port}: {reason}; choose another --host or --port"
        ) from error
    with listener:
        # Accepted sockets inherit this from the listener. Hypercorn itself never gives up sending.
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _TAKING_MS)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.setblocking(False)
        yield listener


def host_in_url(host: str) -> str:
    """A host as a URL has it: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host
