"""Waiting for what events bring about, and for a lock."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.deadline import Deadline


class Changes:
    """Whoever takes an event calls `notify`; whoever waits for what it brings about looks again then."""

    def __init__(self) -> None:
        self._changed = trio.Event()

    def notify(self) -> None:
        """Something changed: whoever waits looks again."""
        self._changed.set()

    async def wait_until(self, reached: Callable[[], bool], deadline: Deadline | None = None) -> bool:
        """Wait until something is so; whether it was before the deadline."""
        with trio.move_on_after(float("inf") if deadline is None else deadline.remaining):
            while not reached():
                if self._changed.is_set():
                    self._changed = trio.Event()
                await self._changed.wait()
        return reached()


async def acquire_within(lock: trio.Lock, deadline: Deadline) -> bool:
    """Take a lock before a deadline; whether it was had. A free one is, even when the time is up."""
    with contextlib.suppress(trio.WouldBlock):
        lock.acquire_nowait()
        return True
    with trio.move_on_after(deadline.remaining) as patience:
        await lock.acquire()
    return not patience.cancelled_caught
