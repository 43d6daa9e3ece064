"""The pipe transport: messages over two file descriptors, no open port.

``--remote-debugging-pipe`` makes Chromium read commands from its fd 3 and write replies to its fd 4: JSON, a
NUL after each message. With ``--remote-debugging-pipe=cbor`` both ways are CBOR, Chromium's own form of a
message, which it need not turn into JSON first: each message is one envelope that begins with its length.
Chromium puts no limit on a reply here (a websocket's is 256 MB), and no other program on the machine can
connect.
"""

from __future__ import annotations

import io
import os
import sys
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import trio

from hybridsnap.client.transport import HEAD_BYTES, MessageTooLarge
from hybridsnap.errors import BrowserLaunchFailed, ConnectionLost
from hybridsnap.protocol import cbor, codec

if TYPE_CHECKING:
    from hybridsnap.protocol.codec import Codec

Message: TypeAlias = bytes | MessageTooLarge

#: The largest message taken: what is larger would not leave room for its decoded form either.
CAP_BYTES = 2 * 1024**3

#: Measured, client CPU for a 30 MB reply: 4 KiB 49 ms, 64 KiB 18.9, 256 KiB 19.1, 1 MiB 18.5. A message of
#: 500 MB took 0.67 s of it.
READ_BYTES = 256 * 1024

#: The kernel's buffer between the browser and us; Linux lets an ordinary user ask for up to this.
PIPE_BYTES = 1024 * 1024

_MESSAGE_END = b"\0"


def check_platform() -> None:
    """Refuse where browsers cannot be given file descriptors 3 and 4.

    Raises:
        BrowserLaunchFailed: on Windows.
    """
    if sys.platform == "win32":
        raise BrowserLaunchFailed(
            "a pipe to the browser needs POSIX file descriptors, which Windows has not;"
            ' use transport "websocket"'
        )


class _Splitter:
    """Keeps the message that is coming; one above the cap is skipped, and a `MessageTooLarge` made of it."""

    def __init__(self, cap_bytes: int) -> None:
        self._cap = cap_bytes
        self._kept = io.BytesIO()
        self._size = 0

    def _finish(self) -> Message:
        # The value of a BytesIO is its buffer: there is never a second copy of a message of 500 MB.
        message, size = self._kept.getvalue(), self._size
        self._kept, self._size = io.BytesIO(), 0
        if size > self._cap:
            return MessageTooLarge(self._cap, size_bytes=size, head=message)
        return message


class JsonSplitter(_Splitter):
    """A NUL ends a message. Each byte is looked at once."""

    def feed(self, chunk: bytes) -> list[Message]:
        """Take the next bytes; return the messages that end in them. Anything at all is a message here."""
        *ends, rest = chunk.split(_MESSAGE_END)
        messages = []
        for end in ends:
            self._take(end)
            messages.append(self._finish())
        self._take(rest)
        return messages

    def _take(self, part: bytes) -> None:
        if not part:
            return
        was_over = self._size > self._cap
        self._size += len(part)
        if self._size <= self._cap:
            self._kept.write(part)
        elif not was_over:
            # From here on the message is only counted; its head is kept.
            self._kept.truncate(HEAD_BYTES)
            self._kept.seek(0, io.SEEK_END)
            self._kept.write(part[: HEAD_BYTES - self._kept.tell()])


class CborSplitter(_Splitter):
    """A message begins with its length."""

    def __init__(self, cap_bytes: int) -> None:
        super().__init__(cap_bytes)
        #: The beginning of a message whose length has not come yet.
        self._header = b""
        #: What is missing of the message that is coming.
        self._missing = 0

    def feed(self, chunk: bytes) -> list[Message]:
        """Take the next bytes; return the messages that end in them.

        Raises:
            msgspec.DecodeError: a message is malformed. The start of the next one cannot be found.
        """
        messages: list[Message] = []
        if self._header:
            chunk, self._header = self._header + chunk, b""
        at, end = 0, len(chunk)
        while at < end:
            if not self._missing:
                if end - at < cbor.HEADER_BYTES:
                    self._header = chunk[at:]
                    break
                self._size = self._missing = cbor.message_size(chunk[at : at + cbor.HEADER_BYTES])
            part = chunk[at : at + self._missing]
            at += len(part)
            self._missing -= len(part)
            if self._size <= self._cap:
                self._kept.write(part)
            elif not self._kept.tell():
                self._kept.write(part[:HEAD_BYTES])
            if not self._missing:
                messages.append(self._finish())
        return messages


class NotCbor(ConnectionLost):
    """Where a CBOR message should begin, something else came. Internal."""


class PipeTransport:
    """Messages over two pipes. Owns both descriptors from the start.

    Args:
        read_fd: where the browser's messages come from.
        write_fd: where commands go.
        encoding: of the messages, both ways.
    """

    def __init__(self, read_fd: int, write_fd: int, *, encoding: Literal["json", "cbor"] = "json") -> None:
        check_platform()
        self.cap_bytes: int = CAP_BYTES
        #: For the report: ``pipe``, or ``cbor``.
        self.name: str
        self.codec: Codec
        self._splitter: JsonSplitter | CborSplitter
        self._messages: deque[Message] = deque()
        if encoding == "cbor":
            self.name, self.codec, self._splitter = "cbor", cbor.CBOR, CborSplitter(CAP_BYTES)
        else:
            self._use_json()
        _enlarge(read_fd)
        self._incoming = trio.lowlevel.FdStream(read_fd)
        os.set_blocking(write_fd, False)
        self._write_fd = write_fd
        #: What is accepted but not written yet. A call cancelled half-way leaves the rest of its message
        #: here, and the next call writes it first.
        self._unsent = bytearray()
        self._sending = trio.Lock()

    def _use_json(self) -> None:
        self.name, self.codec, self._splitter = "pipe", codec.JSON, JsonSplitter(CAP_BYTES)

    def fall_back_to_json(self) -> None:
        """The browser took the CBOR that it was sent for JSON: speak that from here on.

        What it still has to say of those bytes (one error for each part between two NULs) are messages to
        skip; a NUL ends the last part.
        """
        self._use_json()
        self._messages.clear()
        self._unsent += _MESSAGE_END

    async def send(self, message: bytes, *, more: bool = False) -> None:
        """As `Transport.send`."""
        async with self._sending:
            if self._write_fd < 0:
                raise ConnectionLost("the pipe to the browser was closed on this side")
            self._unsent += message
            if self.codec is codec.JSON:
                self._unsent += _MESSAGE_END
            if more:
                return
            try:
                await self._flush()
            except OSError as error:
                self._unsent.clear()
                raise ConnectionLost(
                    f"the browser closed its pipe ({error.strerror}): it ended or was ended"
                ) from None

    async def _flush(self) -> None:
        while self._unsent:
            try:
                written = os.write(self._write_fd, self._unsent)
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self._write_fd)
            else:
                del self._unsent[:written]

    async def receive(self) -> bytes:
        """As `Transport.receive`.

        Raises:
            ConnectionLost: also where what came is not in the transport's encoding.
        """
        while not self._messages:
            try:
                chunk = await self._incoming.receive_some(READ_BYTES)
            except trio.ClosedResourceError:
                raise ConnectionLost("the pipe to the browser was closed on this side") from None
            except trio.BrokenResourceError as error:
                raise ConnectionLost(f"the pipe from the browser broke: {error.__cause__ or error}") from None
            if not chunk:
                raise ConnectionLost("the browser closed its pipe: it ended or was ended")
            try:
                self._messages += self._splitter.feed(chunk)
            except msgspec.DecodeError as error:
                raise NotCbor(f"the browser sent something that is no CBOR message: {error}") from error
        message = self._messages.popleft()
        if isinstance(message, MessageTooLarge):
            raise message
        return message

    async def aclose(self) -> None:
        """As `Transport.aclose`."""
        fd, self._write_fd = self._write_fd, -1
        if fd >= 0:
            trio.lowlevel.notify_closing(fd)
            os.close(fd)
        await self._incoming.aclose()


def _enlarge(fd: int) -> None:
    if sys.platform == "linux":
        import fcntl  # noqa: PLC0415 - POSIX only

        # Refused when the user's pipes hold too much already; then the smaller buffer serves.
        with suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
