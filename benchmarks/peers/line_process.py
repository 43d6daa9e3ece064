"""A child process that is spoken to in lines of JSON, over its standard input and output."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from typing import TYPE_CHECKING, Any

from benchmarks.peers.base import SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: Seconds for a process, and the browser that it started, to end by themselves.
_SECONDS_TO_END = 10.0


class LineProcess:
    """A started process.

    Args:
        command: program and arguments.
        folder: that it is started in; None for ours.
    """

    def __init__(self, command: Sequence[str], *, folder: Path | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str] = queue.Queue()
        # A pipe cannot be read with a deadline, a queue can.
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def send(self, message: dict[str, Any]) -> None:
        """Write one line."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Read until a line is a JSON object: servers may print notices between.

        Raises:
            TimeoutError: none came in time.
            EOFError: the process ended.
        """
        while True:
            try:
                line = self._lines.get(timeout=SECONDS)
            except queue.Empty:
                raise TimeoutError(f"no reply within {SECONDS:.0f} s") from None
            if not line:
                raise EOFError(f"the process ended (exit code {self._process.poll()})")
            if line.startswith("{"):
                message: dict[str, Any] = json.loads(line)
                return message

    def close(self) -> None:
        """End the process: at the end of its input, or by a signal."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait(_SECONDS_TO_END)
