"""One transport, written and read for all connections over it, and opened again when it ends too early.

- Calls are numbered here, so that a reply finds the connection that asked. They are written in the order in
  which they were made; several made at once stay adjacent. A reply is handed on undecoded.
- Where there is a way to open the transport again, its end is no end: every connection is told that it has
  dropped, and later that it is open again. In between nothing can be asked. It is tried again and again, with
  pauses, until the address says that this browser is not there any more, or for `_PATIENCE` seconds.
"""

from __future__ import annotations

import itertools
import logging
from collections import deque
from typing import TYPE_CHECKING, Protocol, TypeAlias

import msgspec
import trio

from hybridsnap.client.transport import MessageTooLarge
from hybridsnap.deadline import Deadline
from hybridsnap.errors import ConnectionLost, EndpointError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from hybridsnap.client.transport import Transport
    from hybridsnap.protocol.codec import Head

#: Opens another transport to the same browser.
Reopen: TypeAlias = "Callable[[Deadline], AbstractAsyncContextManager[Transport]]"
_log = logging.getLogger("hybridsnap")

#: At closing time, how long what is still queued may take to be written, in seconds.
_FLUSH_SECONDS = 1.0
#: For so many seconds it is tried to open a transport again.
_PATIENCE = 60.0
#: Seconds between two tries: the first pause, which doubles, and the longest.
_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
#: A transport that has stood for so many seconds counts as well open: the next pause is the first again.
_STEADY = 5.0
#: HTTP's codes by which an address says that it does not want us.
_REFUSALS = range(400, 500)


class Sendable(Protocol):
    """A call, as the wire sees it."""

    #: Its writing has begun: the browser may have it.
    sent: bool


class Receiver(Protocol):
    """A connection, as its wire sees it. Nothing here waits."""

    def take_reply(self, number: int, head: Head, message: bytes) -> bool:
        """Take a reply; False where no call of this number is open."""
        ...  # pragma: no cover - a protocol

    def take_event(self, head: Head) -> bool:
        """Take an event; False where it is of another connection's session."""
        ...  # pragma: no cover - a protocol

    def take_too_large(self, number: int | None, cap_bytes: int) -> None:
        """A reply was dropped for its size; to a call that is not known where `number` is None."""
        ...  # pragma: no cover - a protocol

    def dropped(self, words: str) -> None:
        """The transport has ended, and will be opened again if it can be."""
        ...  # pragma: no cover - a protocol

    def reopened(self) -> None:
        """It is open again; the browser knows nothing of what was set up before."""
        ...  # pragma: no cover - a protocol

    def end(self, words: str) -> None:
        """It has ended for good."""
        ...  # pragma: no cover - a protocol


class Wire:
    """Writes to a transport, and reads from it.

    Args:
        transport: connected.
        reopen: opens another one to the same browser; None where the first one's end is the end.

    Attributes:
        transport: the one that is in use.
        receivers: the connections over it.
        reopens: whether it is opened again when it ends too early.
        gap: why there is no transport for now; None while there is one.
        lost: why it is gone for good; None while it is not.
    """

    def __init__(self, transport: Transport, reopen: Reopen | None = None) -> None:
        self.transport: Transport = transport
        self.receivers: list[Receiver] = []
        self.reopens: bool = reopen is not None
        self.gap: str | None = None
        self.lost: str | None = None
        self._reopen = reopen
        self._numbers = itertools.count(1)
        self._outbox: deque[tuple[bytes, Sendable | None]] = deque()
        self._outbox_filled = trio.Event()
        self._outbox_empty = trio.Event()
        self._outbox_empty.set()

    def next_number(self) -> int:
        """A number for a call."""
        return next(self._numbers)

    def queue(self, message: bytes, call: Sendable | None = None) -> None:
        """Have a message written; `call` is told when that begins. Never blocks."""
        self._outbox.append((message, call))
        self._outbox_filled.set()
        if self._outbox_empty.is_set():
            self._outbox_empty = trio.Event()

    async def flush(self) -> None:
        """Wait, within a second, until everything queued is written. Shielded."""
        with trio.move_on_after(_FLUSH_SECONDS, shield=True):
            await self._outbox_empty.wait()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Read and write until the end. Runs as a task of whoever opened the transport."""
        words = "the connection to the browser was closed; connect or launch anew"
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                task_status.started()
                words = await self._read()
                if self._reopen is not None:
                    words = await self._keep_open(self._reopen, words)
                nursery.cancel_scope.cancel()
        finally:
            self.lost = words
            self._empty_outbox()
            for receiver in self.receivers:
                receiver.end(words)

    async def _keep_open(self, reopen: Reopen, words: str) -> str:
        """Open the transport again whenever it ends; why that came to an end, in words."""
        pause, since, problem = 0.0, trio.current_time(), ""
        while True:
            self._empty_outbox()
            if self.gap is None:
                self.gap = words
                for receiver in self.receivers:
                    receiver.dropped(words)
            left = since + _PATIENCE - trio.current_time()
            if left <= 0:
                return f"{words}; it could not be opened again within {_PATIENCE:g} s{problem}"
            await trio.sleep(pause)
            try:
                async with reopen(Deadline.after(left)) as transport:
                    self.transport = transport
                    opened, self.gap = trio.current_time(), None
                    for receiver in self.receivers:
                        receiver.reopened()
                    words = await self._read()
                    if trio.current_time() - opened > _STEADY:
                        pause, since = 0.0, trio.current_time()
            except EndpointError as error:
                if error.refused or error.unknown or error.status in _REFUSALS:
                    return f"{words}, and the browser is not there any more: {error}"
                problem = f": {error}"
            pause = min(max(pause * 2, _PAUSE), _LONGEST_PAUSE)

    def _empty_outbox(self) -> None:
        self._outbox.clear()
        self._outbox_empty.set()

    async def _write(self) -> None:
        while True:
            await self._outbox_filled.wait()
            self._outbox_filled = trio.Event()
            try:
                while self._outbox:
                    entry = self._outbox[0]
                    if entry[1] is not None:
                        entry[1].sent = True
                    await self.transport.send(entry[0], more=len(self._outbox) > 1)
                    if self._outbox and self._outbox[0] is entry:  # the transport's end empties it
                        self._outbox.popleft()
            except ConnectionLost:
                continue  # the reader hears of it too, after the last replies
            self._outbox_empty.set()

    async def _read(self) -> str:
        """Read until the transport ends; how it did, in words."""
        codec = self.transport.codec
        while True:
            try:
                message = await self.transport.receive()
            except MessageTooLarge as error:
                self._too_large(error)
                continue
            except ConnectionLost as error:
                return error.message
            try:
                head = codec.head(message)
            except msgspec.MsgspecError:
                _log.warning("the browser sent something that is not a message: %r", message[:100])
                continue
            for receiver in list(self.receivers):
                taken = (
                    receiver.take_event(head)
                    if head.id is None
                    else receiver.take_reply(head.id, head, message)
                )
                if taken:
                    break

    def _too_large(self, error: MessageTooLarge) -> None:
        """A reply was dropped for its size: the call it was for fails.

        Where nothing says which, all that `Session.send` waits for; a channel finds out by itself.
        """
        try:
            number = self.transport.codec.head(error.head).id if error.head else None
        except msgspec.MsgspecError:
            number = None
        for receiver in self.receivers:
            receiver.take_too_large(number, error.cap_bytes)
