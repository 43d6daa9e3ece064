"""The seam between the connection and whatever carries its messages: a websocket, a pipe.

A `Transport` moves whole messages and knows nothing of what they say. Which encoding they are in, its
`codec` says; a pipe that carries CBOR brings another codec, and nothing above this seam changes.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap.protocol.codec import Codec

#: How much of an oversize message is kept. Chromium writes a reply's id first.
HEAD_BYTES = 125


class MessageTooLarge(Exception):
    """A message came, or should have come, that is larger than the transport takes. Internal.

    The transport goes on: the message is skipped, and `Transport.receive` can be called again.

    Args:
        cap_bytes: the limit that was passed: the transport's own, or the browser's.
        size_bytes: the message's size.
        head: the first bytes of the message; empty when they are not known, as when the browser itself
            dropped the message. Then nothing says which call will stay unanswered.
    """

    def __init__(self, cap_bytes: int, *, size_bytes: int, head: bytes = b"") -> None:
        super().__init__(f"a message of {size_bytes} bytes exceeds the cap of {cap_bytes} bytes")
        self.cap_bytes = cap_bytes
        self.size_bytes = size_bytes
        self.head = head


class Transport(Protocol):
    """Carries whole messages to the browser and back."""

    @property
    def name(self) -> str:
        """For the report: ``websocket``, ``pipe`` or ``cbor``."""
        ...  # pragma: no cover - a protocol

    @property
    def cap_bytes(self) -> int:
        """The largest message that is taken."""
        ...  # pragma: no cover - a protocol

    @property
    def codec(self) -> Codec:
        """How messages are encoded."""
        ...  # pragma: no cover - a protocol

    async def send(self, message: bytes, *, more: bool = False) -> None:
        """Send one message. Several tasks may do so at once.

        A cancelled call may still have sent its message; it never leaves half of one behind that would
        spoil the next.

        Args:
            message: encoded by `codec`.
            more: another one is sent right after it: they may go out together.

        Raises:
            ConnectionLost: the other end is gone.
        """
        ...  # pragma: no cover - a protocol

    async def receive(self) -> bytes:
        """The next message, whole. One task at a time. Cancelling it loses nothing.

        Raises:
            ConnectionLost: the other end is gone, and all that it sent has been received.
            MessageTooLarge: the next message was skipped.
        """
        ...  # pragma: no cover - a protocol

    async def aclose(self) -> None:
        """Close this end. Returns within a second whatever the other end does."""
        ...  # pragma: no cover - a protocol


@asynccontextmanager
async def background_nursery() -> AsyncIterator[trio.Nursery]:
    """A nursery for tasks that merely accompany the body, and are cancelled when it ends.

    An error of the body comes out as it is, not inside an exception group: who writes ``async with`` around
    a connection need not know that there are tasks behind it.
    """
    error: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            except BaseException as caught:  # noqa: BLE001 - raised again below, outside the nursery
                error = caught
            nursery.cancel_scope.cancel()
    except BaseExceptionGroup:
        # Cancelled from outside as well: the body's own error says more.
        if error is None or isinstance(error, trio.Cancelled):
            raise
    if error is not None:
        raise error
