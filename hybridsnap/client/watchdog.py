"""Starts a browser, outlives its owner if need be, and leaves nothing of the browser behind.

Run as a program of its own (``python -I -S watchdog.py ROOT FDS COMMAND…``), not imported: cleaning up
after an owner that was killed takes a process that was not. POSIX only; standard library only.

* ROOT: the directory for everything the browser writes. Made here, removed here.
* FDS: ``-``, or two inherited descriptors ``read,write`` that become the browser's 3 and 4.
* stdin: the owner holds the other end and never writes. Its end means that the owner is done, or gone.
* stdout: what happened, one line each: ``pid N`` or ``error TEXT``; then ``exit CODE``, should the browser
  end by itself.
* stderr: handed on to the browser.

It sits in its own session, the browser in a process group of that session, so that Ctrl-C in a terminal
reaches neither. On Linux it is the *subreaper* of the browser's processes: one whose parent dies becomes
the watchdog's child, so that none, however it detached itself, escapes the final count.
"""

# `os` and `try`: pathlib, contextlib and json would delay the browser by their import.
# ruff: noqa: PTH102, PTH103, PTH118, PTH123, PTH208, SIM105

from __future__ import annotations

import os
import select
import signal
import sys
import time

_OWNER, _STATUS = 0, 1
_PR_SET_CHILD_SUBREAPER = 36
#: Seconds for killed processes to vanish, and for their files to be removable. Both take some 50 ms.
_PATIENCE = 5.0
#: Where a forked copy of the owner holds stdin open, only the parent's pid tells that the owner is gone.
_LOOK_AFTER_PARENT = 2.0
#: A folder of ROOT that comes first on the browser's PATH.
PROGRAMS = "programs"
#: Before Chromium asks whether a link (``tel:``, ``slack://``) may start another program, in a prompt that
#: keeps all input from the page, it has ``xdg-settings`` say whether it is that program itself. It is told
#: so, for any scheme, and lets the link be: no prompt, no program (measured in Chromium 156; no preference
#: and no flag does it there).
_XDG_SETTINGS = b"#!/bin/sh\necho yes\n"
#: A profile that is gone afterwards has nothing to fill in. With autofill, a document with 100 inputs costs
#: 40 ms of CPU time more, for a guess at what they ask for (measured in Chromium 156), and again at a change.
_NO_AUTOFILL = (
    '"autofill": {"profile_enabled": false, "credit_card_enabled": false},'
    ' "credentials_enable_service": false'
)


def say(line: str) -> None:
    """Tell the owner, who may be gone."""
    try:
        os.write(_STATUS, (" ".join(line.split()) + "\n").encode(errors="replace"))
    except OSError:
        pass


def start(command: list[str], pipe_fds: list[int]) -> int:
    """Start the browser in its own process group; return its pid.

    Raises:
        OSError: the system's reason why not.
    """
    actions: list[tuple[int, int, str, int, int] | tuple[int, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    actions += [(os.POSIX_SPAWN_DUP2, fd, 3 + index) for index, fd in enumerate(pipe_fds)]
    return os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=actions,
        setpgroup=0,
        setsigmask=[],
        setsigdef=[signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE],
    )


def move_up(fd: int) -> int:
    """The same descriptor under a number that the browser's 3 and 4 cannot overwrite, closed on exec."""
    import fcntl  # noqa: PLC0415 - the module must be readable on Windows

    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(fd)
    return moved


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent dies (Linux)."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - of no use elsewhere

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def keep_inside(root: str) -> None:
    """Let no page of the browser start a program, or ask for it (Linux)."""
    if not sys.platform.startswith("linux"):
        return
    folder = os.path.join(root, PROGRAMS)
    try:
        os.mkdir(folder, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        file = os.open(os.path.join(folder, "xdg-settings"), flags, 0o700)
        try:
            os.write(file, _XDG_SETTINGS)
        finally:
            os.close(file)
    except OSError:
        pass  # the browser can do without; a disk that is full it will report itself


def write_preferences(root: str) -> None:
    """Set up the browser's profile, as far as no flag does it.

    What a page has the browser save goes where all of the browser's files go, not to the user's own.
    Downloads are refused while the client is there, but one that has just begun when its connection ends is
    saved in the browser's own way (measured): that way leads here.
    """
    try:
        folder = os.path.join(root, "profile", "Default")
        os.makedirs(folder, mode=0o700)
        place = os.path.join(root, "downloads").replace("\\", "\\\\").replace('"', '\\"')
        preferences = '{"download": {"default_directory": "' + place + '"}, ' + _NO_AUTOFILL + "}"
        with open(os.path.join(folder, "Preferences"), "x", encoding="utf-8", errors="replace") as file:
            file.write(preferences)
    except OSError:
        pass  # as in `keep_inside`


def reap(browser: int) -> tuple[bool, int | None]:
    """Collect ended children: whether any is left, and the browser's exit code if it was among them."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False, code
        if pid == 0:
            return True, code
        if pid == browser:
            code = os.waitstatus_to_exitcode(status)


def watch(browser: int, signals_fd: int) -> None:
    """Return when the browser has ended, or the owner is done, or we are told to stop."""
    owner = os.getppid()
    while os.getppid() == owner:
        ready = select.select([_OWNER, signals_fd], [], [], _LOOK_AFTER_PARENT)[0]
        if _OWNER in ready and not os.read(_OWNER, 64):
            return
        if signals_fd in ready:
            _, code = reap(browser)
            if code is not None:
                say(f"exit {code}")
                return
            if {signal.SIGTERM, signal.SIGHUP} & set(os.read(signals_fd, 64)):
                return


def end(browser: int) -> None:
    """Kill the browser's group and whatever else it left; return when all of them are gone.

    SIGKILL at once: there is nothing to save, the profile is thrown away.
    """
    give_up = time.monotonic() + _PATIENCE
    group = True
    while time.monotonic() < give_up:
        if group:
            try:
                os.killpg(browser, signal.SIGKILL)
            except OSError:
                group = False
        if not reap(browser)[0]:
            return
        if not group:
            for pid in children():
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
        time.sleep(0.003)


def children() -> list[int]:
    """Our direct children, from /proc; where there is none, there are no adopted children either."""
    found: list[int] = []
    try:
        names = os.listdir("/proc")
    except OSError:
        return found
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stat:
                    # After the command's name, which may hold anything: state, parent's pid.
                    parent = int(stat.read().rpartition(b")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            if parent == os.getpid():
                found.append(int(name))
    return found


def remove(root: str) -> None:
    """Remove the directory; a process just killed may still have a file in the making."""
    import shutil  # noqa: PLC0415 - not before the browser is up

    give_up = time.monotonic() + _PATIENCE
    while os.path.lexists(root) and time.monotonic() < give_up:
        shutil.rmtree(root, ignore_errors=True)
        if os.path.lexists(root):
            time.sleep(0.01)


def main(arguments: list[str]) -> int:
    """Guard one browser from its start to the last of its files."""
    root, fds, *command = arguments
    signals_fd, wakeup_fd = os.pipe()
    os.set_blocking(wakeup_fd, False)
    signals_fd, wakeup_fd = move_up(signals_fd), move_up(wakeup_fd)
    pipe_fds = [] if fds == "-" else [move_up(int(fd)) for fd in fds.split(",")]
    signal.set_wakeup_fd(wakeup_fd, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    try:
        os.mkdir(root, mode=0o700)
    except OSError as error:
        # Not made here, so not removed here.
        say(f"error {root}: {error.strerror or error}")
        return 1
    try:
        keep_inside(root)
        write_preferences(root)
        # Before the browser starts: on a busy machine its daemons may be quicker than we (3 ms).
        adopt_orphans()
        browser = start(command, pipe_fds)
        say(f"pid {browser}")
        # Only the browser holds its ends now, so that its end is the end of the stream.
        for fd in pipe_fds:
            os.close(fd)
        watch(browser, signals_fd)
        end(browser)
    except OSError as error:
        say(f"error {error.strerror or error}")
        return 1
    finally:
        remove(root)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
