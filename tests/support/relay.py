"""A relay between a driver and a browser, which loses the connection in the middle of a reply."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXTENSIONS = re.compile(rb"sec-websocket-extensions:[^\r\n]*\r\n", re.IGNORECASE)


class Relay:
    """Passes on what comes, until something is seen that was waited for: then every connection is gone.

    Args:
        port: where the browser listens, on this machine.

    Attributes:
        address: ``host:port`` for the driver.
        lost: whether the connections are gone.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._marker: bytes | None = None
        self._sockets: list[socket.socket] = []
        self.lost = False
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_at(self, marker: bytes) -> None:
        """Lose the connections as soon as the browser says this; it is not passed on."""
        self._marker = marker

    def lose(self) -> None:
        """Lose the connections now, and take no others."""
        self.lost = True
        for one in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # it is closed
            while True:
                client, _ = self._listener.accept()
                browser = socket.create_connection(("127.0.0.1", self._port))
                self._sockets += [client, browser]
                for source, sink in ((client, browser), (browser, client)):
                    threading.Thread(
                        target=self._pass_on, args=(source, sink, source is client), daemon=True
                    ).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, from_client: bool) -> None:
        before = b""
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if from_client and data.startswith(b"GET "):  # what is compressed cannot be read here
                    data = _EXTENSIONS.sub(b"", data)
                elif not from_client and self._marker is not None:
                    if self._marker in before + data:
                        self.lose()
                        return
                    before = data[-len(self._marker) :]
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def relaying(endpoint: str) -> Iterator[Relay]:
    """A relay to a browser (``ws://host:port/…``)."""
    relay = Relay(int(endpoint.split("/")[2].rpartition(":")[2]))
    try:
        yield relay
    finally:
        relay.lose()
