"""A call of the browser tool that the background process answers; the process is started when wanted."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridsnap import __version__
from hybridsnap.background.messages import Greeting, ToolCall, to_line
from hybridsnap.background.place import hold_lock
from hybridsnap.errors import ConnectionLost, DeadlineExceeded, HybridsnapError

if TYPE_CHECKING:
    from hybridsnap.background.place import Place
    from hybridsnap.deadline import Deadline

_PROGRAM = "hybridsnap.background.process"
#: Callers hold the lock while they connect, so hardly any wait to be greeted.
_BACKLOG = 16
_CHUNK = 65536


def call_background(
    place: Place, call: ToolCall, deadline: Deadline, *, start: bool
) -> dict[str, Any] | None:
    """Have the background process of this user do an action of the tool; `start` it when it does not run.

    Returns:
        What `hybridsnap.tool.BrowserTool.execute` returned; None when nothing runs there and nothing is to be
        started.

    Raises:
        DeadlineExceeded: it did not answer in time; it goes on with the action.
        ConnectionLost: it ended meanwhile.
        HybridsnapError: it could not be started or reached, or is of another version.
    """
    with contextlib.ExitStack() as stack:
        with hold_lock(place, deadline) as lock:
            connection = _connect(place, deadline)
            if connection is None:
                if not start:
                    return None
                connection = _start(place, lock, deadline)
            stack.enter_context(connection)
            lines = _Lines(place, connection, deadline)
            greeting: Greeting = lines.receive("greet")
        if greeting["version"] != __version__:
            raise HybridsnapError(
                f"the browsers of this user are kept by hybridsnap {greeting['version']}, and this is"
                f" {__version__}; end that process, and its browsers with it: kill {greeting['pid']}"
            )
        lines.send(to_line(call))
        answer: dict[str, Any] = lines.receive("answer")
        return answer


class _Lines:
    """Lines of JSON over a connection, within a deadline."""

    def __init__(self, place: Place, connection: socket.socket, deadline: Deadline) -> None:
        self._place = place
        self._connection = connection
        self._deadline = deadline
        self._seconds = deadline.remaining
        self._received = b""

    def send(self, line: bytes) -> None:
        self._connection.settimeout(max(self._deadline.remaining, 0.001))
        try:
            self._connection.sendall(line)
        except TimeoutError:
            raise self._too_late("take the call") from None
        except OSError as error:
            raise self._lost() from error

    def receive(self, what: str) -> Any:
        """The next line; `what` says in an error what did not come."""
        while b"\n" not in self._received:
            self._connection.settimeout(max(self._deadline.remaining, 0.001))
            try:
                chunk = self._connection.recv(_CHUNK)
            except TimeoutError:
                raise self._too_late(what) from None
            except OSError as error:
                raise self._lost() from error
            if not chunk:
                raise self._lost()
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        return json.loads(line)

    def _too_late(self, what: str) -> DeadlineExceeded:
        return DeadlineExceeded(
            f"{_named(self._place)} did not {what} within {self._seconds:.1f} s, and may still be at work;"
            " allow more with --timeout, or end it and its browsers:"
            f" kill {self._place.process_id() or 'PID'}"
        )

    def _lost(self) -> ConnectionLost:
        words = _last_line(self._place)
        why = f" ({words})" if words else ""
        return ConnectionLost(
            f"{_named(self._place)} ended before it answered{why}, and its browsers with it; launch again"
        )


def _named(place: Place) -> str:
    number = place.process_id()
    return "the background process" + ("" if number is None else f" {number}")


def _last_line(place: Place) -> str:
    """The last line that the process wrote to stderr."""
    try:
        lines = place.log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _connect(place: Place, deadline: Deadline) -> socket.socket | None:
    """A connection to the process; None when it does not run."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(max(deadline.remaining, 0.001))
    try:
        connection.connect(os.fspath(place.socket))
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except OSError as error:
        connection.close()
        raise HybridsnapError(f"{place.socket}: cannot be connected to: {error.strerror or error}") from error
    return connection


def _start(place: Place, lock: int, deadline: Deadline) -> socket.socket:
    """Start the process, and connect to it.

    The socket is made here and handed over: whoever connects waits until the process is ready.

    Raises:
        HybridsnapError: it cannot be started.
    """
    try:
        place.socket.unlink(missing_ok=True)  # of a process that was killed
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.fspath(place.socket))
            listener.listen(_BACKLOG)
            number = _spawn(place, listener.fileno(), deadline)
            os.ftruncate(lock, 0)
            os.pwrite(lock, number, 0)
            connection = _connect(place, deadline)
    except (OSError, subprocess.SubprocessError) as error:
        words = getattr(error, "strerror", None) or error
        raise HybridsnapError(f"the background process could not be started: {words}") from error
    if connection is None:
        raise HybridsnapError(f"the background process could not be started; {place.log} may say why")
    return connection


def _spawn(place: Place, listener: int, deadline: Deadline) -> bytes:
    """Start the program; its number, in digits."""
    # Chromium makes the folder where it is not there, and the next call would look for the process in it.
    there = Path(os.environ.get("XDG_RUNTIME_DIR", "")).is_dir()
    env = {name: value for name, value in os.environ.items() if there or name != "XDG_RUNTIME_DIR"}
    log = os.open(place.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        # A session of its own: Ctrl-C in the caller's terminal does not reach it. It leaves the caller at
        # once, and says its number before it does.
        with subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-P", "-m", _PROGRAM, str(listener), os.fspath(place.folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env=env,
            pass_fds=[listener],
            start_new_session=True,
        ) as starter:
            return starter.communicate(timeout=max(deadline.remaining, 0.001))[0].strip()
    finally:
        os.close(log)
