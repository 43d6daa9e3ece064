"""Running the command line: as a process, as people do, or in this process, in a tenth of the time."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

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


def _run_in_thread(arguments: Sequence[str], cwd: Path) -> Done:
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    started = time.monotonic()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr), contextlib.chdir(cwd):
        code = main(arguments)
    return Done(code, _written(stdout), _written(stderr), time.monotonic() - started)


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode()
