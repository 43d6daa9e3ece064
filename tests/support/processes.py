"""Processes and files that a browser may leave behind."""

from __future__ import annotations

import os
import time
from pathlib import Path


def left_of(place: Path) -> list[str]:
    """Processes whose command line or environment names the directory, and files in it."""
    found = [str(path) for path in place.iterdir()]
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                words = (process / "cmdline").read_bytes()
                told = words + (process / "environ").read_bytes()
            except OSError:
                continue
            if words and f"{place}/hybridsnap-".encode() in told:
                found.append(f"{process.name}: {words[:200]!r}")
    return found


def wait_until_nothing_is_left(place: Path) -> None:
    """For what the watchdog of a process that was killed has still to end and remove."""
    give_up = time.monotonic() + 30
    while left := left_of(place):
        assert time.monotonic() < give_up, left
        time.sleep(0.02)
