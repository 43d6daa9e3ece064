"""Running the command line: as a process, as people do, or in this process, in a tenth of the time."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import trio

from hybridsnap.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence


COMMAND = [sys.executable, "-m", "hybridsnap"]


@dataclasses.dataclass
class Done:
    code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def line(self) -> str:
        """The error, which is one line."""
        lines = self.stderr.splitlines()
        assert len(lines) == 1, self.stderr
        assert lines[0].startswith("hybridsnap: ")
        return lines[0]


async def run(*arguments: str, cwd: Path | None = None) -> Done:
    started = time.monotonic()
    done = await trio.run_process(
        [*COMMAND, *arguments], capture_stdout=True, capture_stderr=True, check=False, cwd=cwd
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode(), time.monotonic() - started)


async def run_here(*arguments: str, cwd: Path | None = None) -> Done:
    """As `run`, in a thread of this process: for what does not depend on a process of its own.

    Tests run one at a time, so nothing else writes to the streams or depends on the directory meanwhile.
    """
    return await trio.to_thread.run_sync(functools.partial(_run_in_thread, arguments, cwd or Path.cwd()))


class _OfEachThread:
    """A stream in place of stdout or stderr: each thread writes to one of its own."""

    def __init__(self) -> None:
        self.own = threading.local()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own.stream, name)


async def run_together(*commands: Sequence[str]) -> list[Done]:
    """As `run_here`, for several commands at once: for those that wait until their time is up."""
    done: dict[int, Done] = {}
    stdout, stderr = _OfEachThread(), _OfEachThread()

    def run_one(number: int, arguments: Sequence[str]) -> None:
        stdout.own.stream, stderr.own.stream = _stream(), _stream()
        started = time.monotonic()
        code = main(arguments)
        seconds = time.monotonic() - started
        done[number] = Done(code, _written(stdout.own.stream), _written(stderr.own.stream), seconds)

    with (
        contextlib.redirect_stdout(cast("TextIO", stdout)),
        contextlib.redirect_stderr(cast("TextIO", stderr)),
    ):
        async with trio.open_nursery() as nursery:
            for number, arguments in enumerate(commands):
                nursery.start_soon(trio.to_thread.run_sync, run_one, number, arguments)
    return [done[number] for number in range(len(commands))]


def _run_in_thread(arguments: Sequence[str], cwd: Path) -> Done:
    stdout, stderr = _stream(), _stream()
    started = time.monotonic()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr), contextlib.chdir(cwd):
        code = main(arguments)
    return Done(code, _written(stdout), _written(stderr), time.monotonic() - started)


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode()
