"""The folder that only this user may open: callers and the background process meet there, and ``hybridsnap
snapshot`` keeps there what it has shown.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import stat
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from hybridsnap.errors import DeadlineExceeded, HybridsnapError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.deadline import Deadline

#: Bytes of a socket's path: 104 on macOS, 108 on Linux, the final zero included.
_MOST_PATH_BYTES = 103
#: Seconds between two looks at a lock that somebody else holds.
_LOCK_STEP = 0.02
#: Rights of anybody but the owner.
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """The files that one user's calls leave to each other.

    Attributes:
        folder: that holds them, with mode 0700.
    """

    folder: Path

    @property
    def socket(self) -> Path:
        """Where the process listens. A process that was killed leaves it behind."""
        return self.folder / "tool.sock"

    @property
    def lock(self) -> Path:
        """Held while a call connects and while the process stops listening; holds the process's number."""
        return self.folder / "tool.lock"

    @property
    def log(self) -> Path:
        """What the process wrote to stderr: empty, unless it failed."""
        return self.folder / "tool.log"

    @property
    def shown(self) -> Path:
        """A folder: the last snapshot of each tab that ``hybridsnap snapshot`` printed."""
        return self.folder / "shown"

    def process_id(self) -> int | None:
        """The number of the process that was started last; None when that is not known."""
        try:
            return int(self.lock.read_bytes())
        except (OSError, ValueError):
            return None


def user_place() -> Place:
    """The place of this user: in ``XDG_RUNTIME_DIR``, else in the system's directory for temporary files.

    Raises:
        HybridsnapError: there are no Unix sockets (Windows), or the folder cannot be made, or others may open
            it.
    """
    if sys.platform == "win32":
        raise HybridsnapError(
            "hybridsnap tool keeps its browsers behind a Unix socket, which Windows does not have; use"
            " hybridsnap.tool.BrowserTool in a program, hybridsnap mcp, or hybridsnap serve"
        )
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if Path(given).is_absolute() and _is_ours(given):
        place = Place(Path(given, "hybridsnap"))
    else:
        place = Place(Path(tempfile.gettempdir(), f"hybridsnap-{os.geteuid()}"))
    if len(os.fsencode(place.socket)) > _MOST_PATH_BYTES:
        raise HybridsnapError(
            f"{place.socket}: the path is too long for a socket; set XDG_RUNTIME_DIR to a shorter one"
        )
    _make_private(place.folder)
    return place


def _is_ours(folder: str) -> bool:
    """Whether this user owns a folder and no other user may write to it. ``sudo`` keeps variables."""
    try:
        state = Path(folder).stat()
    except (OSError, ValueError):
        return False
    is_own = stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid()
    return is_own and not state.st_mode & _OTHERS_MAY_WRITE


def _make_private(folder: Path) -> None:
    """Make a folder for this user alone, or check the one that is there."""
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        state = folder.lstat()
    except OSError as error:
        raise HybridsnapError(
            f"{folder}: cannot be made: {error.strerror}; set XDG_RUNTIME_DIR to a folder of yours"
        ) from error
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & _OTHERS:
        raise HybridsnapError(
            f"{folder}: expected a folder that only this user may open (mode 0700), got"
            f" {stat.filemode(state.st_mode)} of user {state.st_uid}; remove it, or set XDG_RUNTIME_DIR to a"
            " folder of yours"
        )


@contextlib.contextmanager
def hold_lock(place: Place, deadline: Deadline) -> Iterator[int]:
    """Hold the lock for the length of the block; its file's descriptor.

    Raises:
        DeadlineExceeded: somebody else held it all the time.
    """
    with _open_lock(place) as lock:
        while not _take(lock):
            if deadline.expired:
                raise DeadlineExceeded(
                    f"another call has held {place.lock} all the time; end it, or allow more with --timeout"
                )
            time.sleep(min(_LOCK_STEP, deadline.remaining))
        yield lock


@contextlib.contextmanager
def try_lock(place: Place) -> Iterator[bool]:
    """Hold the lock for the length of the block if nobody else does; whether it is held."""
    with _open_lock(place) as lock:
        yield _take(lock)


@contextlib.contextmanager
def _open_lock(place: Place) -> Iterator[int]:
    try:
        # Not inherited: a lock is let go when its last descriptor is closed.
        lock = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise HybridsnapError(f"{place.lock}: cannot be opened: {error.strerror}; remove it") from error
    try:
        yield lock
    finally:
        os.close(lock)


def _take(lock: int) -> bool:
    import fcntl  # noqa: PLC0415 - the module must be readable on Windows

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
