"""Ending on a signal, with everything that is undone then."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Callable


async def ended_by_signal(end: Callable[[], object]) -> None:
    """Call `end` when SIGINT or SIGTERM comes."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            end()
