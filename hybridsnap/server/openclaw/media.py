"""Pictures and documents that OpenClaw's answers name by their path: files on the server's own machine."""

from __future__ import annotations

import collections
import secrets
import tempfile
from pathlib import Path

import trio

#: So many files are kept; the oldest go first.
_MOST_FILES = 100


class Media:
    """A folder of the server's own, which only its user may read, and which is gone when the server ends."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._files: collections.deque[Path] = collections.deque()

    async def save(self, data: bytes, suffix: str) -> str:
        """Save a file, whose name ends with the suffix; its path."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="hybridsnap-", ignore_cleanup_errors=True)
        path = Path(self._folder.name, f"{secrets.token_hex(12)}{suffix}")
        self._files.append(path)
        await trio.to_thread.run_sync(path.write_bytes, data)
        while len(self._files) > _MOST_FILES:
            self._files.popleft().unlink(missing_ok=True)
        return str(path)

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
