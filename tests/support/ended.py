"""Waiting for the end of processes that are nobody's children here, and seeing whether one runs."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SECONDS = 60


@contextlib.contextmanager
def watched(*pids: int) -> Iterator[Sequence[int]]:
    """Descriptors of processes, for `ended`: of these very processes, whoever has their numbers later."""
    descriptors = [os.pidfd_open(pid) for pid in pids]
    try:
        yield descriptors
    finally:
        for one in descriptors:
            os.close(one)


async def ended(descriptors: Sequence[int]) -> None:
    """Wait until all of the processes have ended."""
    with trio.fail_after(_SECONDS):
        for one in descriptors:
            await trio.lowlevel.wait_readable(one)


async def end(pid: int | None, words: str) -> None:
    """End a process if its command line has these words: its number may be another's by now."""
    if pid is None:
        return
    with contextlib.suppress(OSError), watched(pid) as processes:
        if words in _command_line(pid):
            send(processes[0], signal.SIGTERM)
            with trio.CancelScope(shield=True):
                await ended(processes)


def _command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")


def send(descriptor: int, number: signal.Signals) -> None:
    """Send a signal, unless the process has ended."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(descriptor, number)
