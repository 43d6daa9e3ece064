"""A relay between a driver and a browser, which loses connections, in the middle of a reply too."""

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
        port: the same; another from the next connection on, when it is set.
        address: ``host:port`` for the driver.
        lost: whether the connections are gone.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._marker: bytes | None = None
        self._sockets: list[socket.socket] = []
        self._open: set[socket.socket] = set()
        self.lost = False
        #: Whether new connections are closed at once, as by a tunnel whose other end is down.
        self.shut = False
        #: Cleared, nothing is passed on.
        self.held = threading.Event()
        self.held.set()
        self._goes_on = False
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_at(self, marker: bytes, *, goes_on: bool = False) -> None:
        """Lose the connections as soon as the browser says this; it is not passed on.

        Args:
            marker: once.
            goes_on: others are taken after that.
        """
        self._marker, self._goes_on = marker, goes_on

    @property
    def open(self) -> int:
        """How many connections are open, from the driver's side."""
        return len(self._open)

    def cut(self) -> None:
        """Lose the connections now; others are taken."""
        sockets, self._sockets = self._sockets, []
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def lose(self) -> None:
        """Lose the connections now, and take no others."""
        self.lost = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # it is closed
            while True:
                client, _ = self._listener.accept()
                if self.shut:
                    client.close()
                    continue
                browser = socket.create_connection(("127.0.0.1", self.port))
                self._sockets += [client, browser]
                self._open.add(client)
                for source, sink in ((client, browser), (browser, client)):
                    threading.Thread(
                        target=self._pass_on, args=(source, sink, source is client), daemon=True
                    ).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, from_client: bool) -> None:
        before = b""
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.held.wait()
                if from_client and data.startswith(b"GET "):  # what is compressed cannot be read here
                    data = _EXTENSIONS.sub(b"", data)
                elif not from_client and self._marker is not None:
                    if self._marker in before + data:
                        self._marker = None
                        if self._goes_on:
                            self.cut()
                        else:
                            self.lose()
                        break
                    before = data[-len(self._marker) :]
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        self._open.discard(source)


@contextlib.contextmanager
def relaying(endpoint: str) -> Iterator[Relay]:
    """A relay to a browser (``ws://host:port/…``)."""
    relay = Relay(int(endpoint.split("/")[2].rpartition(":")[2]))
    try:
        yield relay
    finally:
        relay.lose()
