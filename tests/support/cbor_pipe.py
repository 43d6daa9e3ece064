"""A Chromium that speaks CBOR over two pipes, for tests of the codec: one command at a time."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

from hybridsnap.client.browsers import find_browser
from hybridsnap.protocol.cbor import CBOR, HEADER_BYTES, message_size

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS = 60.0
# Between fork and exec no code of ours may run where there are threads: a Python of its own makes the pipes
# file descriptors 3 and 4, and becomes the browser.
_WITH_PIPES = """
import fcntl, os, sys
for fd, copy in enumerate([fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]], 3):
    os.dup2(copy, fd)
os.execv(sys.argv[3], sys.argv[3:])
"""


class CborPipe:
    """A browser's pipes, with a tab attached.

    Args:
        commands: a file descriptor to write to.
        replies: one to read from.
    """

    def __init__(self, commands: int, replies: int) -> None:
        self._commands = commands
        self._replies = replies
        self._calls = 0
        self.session: str | None = None
        #: Every event so far, as bytes.
        self.events: list[bytes] = []

    def _read(self, size: int, until: float) -> bytes:
        parts = []
        while size:
            ready, _, _ = select.select([self._replies], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser did not answer"
            part = os.read(self._replies, min(size, 1 << 20))
            assert part, "the browser closed its pipe"
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def message(self) -> bytes:
        """The next message of the browser."""
        until = time.monotonic() + _SECONDS
        header = self._read(HEADER_BYTES, until)
        return header + self._read(message_size(header) - HEADER_BYTES, until)

    def reply(self, method: str, params: dict[str, Any] | None = None) -> bytes:
        """Send a command to the tab, or without one to the browser, and wait for the bytes of its reply."""
        self._calls += 1
        command = CBOR.encode(self._calls, method, params or {}, self.session)
        while command:
            command = command[os.write(self._commands, command) :]
        while True:
            message = self.message()
            head = CBOR.head(message)
            if head.id == self._calls:
                return message
            self.events.append(message)

    def ask(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """The result of a command."""
        message = self.reply(method, params)
        head = CBOR.head(message)
        assert head.error is None, head.error
        return CBOR.payload(message).result(dict)

    def go(self, url: str) -> None:
        """Load a page and wait until it is complete."""
        self.ask("Page.navigate", {"url": url})
        until = time.monotonic() + _SECONDS
        while True:
            state = self.ask(
                "Runtime.evaluate",
                {"expression": "document.readyState + location.href", "returnByValue": True},
            )["result"]["value"]
            if state.startswith("complete") and state != "completeabout:blank":
                return
            assert time.monotonic() < until, state
            time.sleep(0.02)

    def fill(self, html: str) -> None:
        """Show other content in the tab."""
        frame = self.ask("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self.ask("Page.setDocumentContent", {"frameId": frame, "html": html})


@contextlib.contextmanager
def cbor_browser() -> Iterator[CborPipe]:
    """A headless browser with one tab."""
    to_read, commands = os.pipe()
    replies, to_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [
                *(sys.executable, "-I", "-c", _WITH_PIPES, str(to_read), str(to_write)),
                *(str(find_browser()), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
                *(f"--user-data-dir={profile}", "--remote-debugging-pipe=cbor", "about:blank"),
            ],
            pass_fds=(to_read, to_write),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        try:
            pipe = CborPipe(commands, replies)
            target = pipe.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
            attached = pipe.ask("Target.attachToTarget", {"targetId": target, "flatten": True})
            pipe.session = attached["sessionId"]
            yield pipe
        finally:
            os.close(commands)
            os.close(replies)
            browser.kill()
            browser.wait()
