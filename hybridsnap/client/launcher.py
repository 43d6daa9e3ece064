"""A browser of one's own: started, watched, and gone without a trace when the block ends.

The browser is not our child but the watchdog's (watchdog.py), a small process that cleans up even where we
cannot: when this process is killed. Its end is one closed pipe away, so cancellation, exceptions, Ctrl-C
and SIGKILL all take the same road.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import trio

from hybridsnap.argument_checks import check_bool
from hybridsnap.client import watchdog
from hybridsnap.client.browsers import build_flags, find_browser, is_headless_shell, is_root
from hybridsnap.client.pipe import NotCbor, PipeTransport, check_platform
from hybridsnap.client.transport import MessageTooLarge, background_nursery
from hybridsnap.client.websocket import WebSocketTransport, open_websocket
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.errors import BrowserLaunchFailed, ConnectionLost, DeadlineExceeded, EndpointError
from hybridsnap.protocol import cbor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from hybridsnap.client.transport import Transport

_log = logging.getLogger("hybridsnap")

#: How a browser of our own is spoken to.
LaunchTransport: TypeAlias = Literal["websocket", "pipe", "cbor"]
_TRANSPORTS = ("websocket", "pipe", "cbor")

#: How much of the browser's stderr is kept.
STDERR_BYTES = 64 * 1024
#: Seconds for a browser to say that it is there, where the deadline would leave more. On a cold, slow disk
#: a start takes 10 s; one here takes 0.22 s.
_START_SECONDS = 60.0
#: Seconds for everything to be gone; it takes 0.05 s.
_END_SECONDS = 12.0
#: Of the browser's own last words, so many stand in an error.
_LAST_CHARACTERS = 600
#: Chromium keeps a socket at TMPDIR/org.chromium.Chromium.XXXXXX/SingletonSocket, and dies when that path
#: has more bytes than a socket's may: 104 on macOS, 108 on Linux, the final zero included.
_BASE_BYTES = 104 - len("/hybridsnap-0123456789ab/org.chromium.Chromium.XXXXXX/SingletonSocket") - 1
_SHORT_BASE = "/tmp"  # noqa: S108 - the directory made there has a random name and is ours alone

_LISTENING = re.compile(rb"DevTools listening on (ws://\S+)")
_DROPPED = re.compile(rb"Too large write data is pending: size=(\d+)")
#: What Chromium complains of wherever there is no desktop; never the reason for anything.
_NOISE = re.compile(
    r"dbus/|DevTools listening|gcm/engine|ALSA lib|vaapi|viz_main_impl|/crashpad/|zygote_linux"
)


class BrowserProcess:
    """A running browser and the connection to it. `launch_process` makes it.

    Attributes:
        transport: connected to the browser itself, not to one page.
        endpoint: the browser's ``ws://`` address; None over a pipe, unless a flag opens a port as well.
        pid: of the browser's main process.
        returncode: None while it runs; negative for the signal that ended it.
        folder: of its profile and its temporary files; gone when it has ended.
    """

    def __init__(self) -> None:
        self.transport: Transport
        self.endpoint: str | None = None
        self.pid: int = 0
        self.returncode: int | None = None
        self.folder: Path | None = None
        self._stderr = bytearray()
        self._stderr_done = trio.Event()
        #: Why it could not be started, in the system's words.
        self._error = ""
        #: It listens, or it has ended.
        self._settled = trio.Event()

    @property
    def stderr(self) -> str:
        """The last of what the browser wrote there, 64 KiB at most."""
        return self._stderr[-STDERR_BYTES:].decode(errors="replace")

    @property
    def alive(self) -> bool:
        """Whether it runs, as far as is known."""
        return self.returncode is None and not self._error

    def __repr__(self) -> str:
        state = "alive" if self.alive else f"ended with {self.returncode}"
        return f"<BrowserProcess {self.pid} {state}>"

    async def _drain_stderr(self, stream: trio.abc.ReceiveStream) -> None:
        """Read it for the whole life: a browser that cannot write its log stops."""
        line = b""
        async for chunk in _chunks(stream):
            self._stderr += chunk
            if len(self._stderr) > 2 * STDERR_BYTES:
                del self._stderr[:-STDERR_BYTES]
            *lines, line = (line + chunk).split(b"\n")
            for whole in lines:
                self._read_line(whole)
            line = line[-STDERR_BYTES:]
        self._stderr_done.set()

    def _read_line(self, line: bytes) -> None:
        if self.endpoint is None and (match := _LISTENING.search(line)):
            self.endpoint = match[1].decode(errors="replace")
            self._settled.set()
        elif match := _DROPPED.search(line):
            transport = getattr(self, "transport", None)
            if isinstance(transport, WebSocketTransport):
                transport.report_dropped(int(match[1]))

    async def _follow_status(self, stream: trio.abc.ReceiveStream) -> None:
        rest = b""
        async for chunk in _chunks(stream):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                word, _, value = line.decode(errors="replace").partition(" ")
                if word == "pid":
                    self.pid = int(value)
                elif word == "exit":
                    self.returncode = int(value)
                    self._settled.set()
                elif word == "error":
                    self._error = value
                    self._settled.set()
        if self.returncode is None:
            # The watchdog is gone, and with it the browser, or the only one who would tell.
            self.returncode = -signal.SIGKILL
        self._settled.set()

    def _last_words(self) -> str:
        """The last lines of stderr as one."""
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        lines = [line for line in lines if not _NOISE.search(line)] or lines
        words = " | ".join([line for line in lines[:-4] if ":FATAL:" in line] + lines[-4:])
        if not words:
            return "its stderr is empty"
        last = words if len(words) <= _LAST_CHARACTERS else "…" + words[-_LAST_CHARACTERS:]
        return f"its stderr ends: {last}"

    async def _failure(self, path: Path) -> BrowserLaunchFailed:
        """Why the browser that ended did so."""
        with trio.move_on_after(1.0):
            await self._settled.wait()
            await self._stderr_done.wait()
        if "Missing X server" in self.stderr:
            return BrowserLaunchFailed(
                f"{path} needs a display for its window, and there is none (DISPLAY);"
                " leave headful out, or use xvfb-run",
                stderr=self.stderr,
            )
        if self._error:
            what = f"could not be started: {self._error}"
        elif self.returncode is None:
            what = "closed the connection while starting"
        elif self.returncode < 0:
            what = f"was ended by {_signal_name(-self.returncode)} while starting"
        else:
            what = f"ended with status {self.returncode} while starting"
        return BrowserLaunchFailed(
            f"{path} {what}; {self._last_words()}; is it a Chromium, and does it start from a terminal?",
            stderr=self.stderr,
        )


async def _chunks(stream: trio.abc.ReceiveStream) -> AsyncIterator[bytes]:
    """What comes until the stream ends, at either end."""
    with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
        while chunk := await stream.receive_some():
            yield bytes(chunk)


def _new_root() -> Path:
    """Where all files of one browser go. The watchdog makes it: what it made, it removes."""
    base = Path(tempfile.gettempdir()).absolute()
    if len(os.fsencode(base)) > _BASE_BYTES and sys.platform != "win32" and os.access(_SHORT_BASE, os.W_OK):
        base = Path(_SHORT_BASE)
    return base / f"hybridsnap-{secrets.token_hex(6)}"


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def fastest_transport() -> LaunchTransport:
    """The transport that is fastest here, and needs no port.

    CBOR where its decoder is compiled (captures of large pages take two thirds of the time); uncompiled it is
    slower than JSON. Windows has no pipes of this kind.
    """
    if sys.platform == "win32":
        return "websocket"
    return "cbor" if cbor.is_compiled() else "pipe"


@asynccontextmanager
async def launch_process(
    executable: str | os.PathLike[str] | None = None,
    *,
    headless: bool = True,
    transport: LaunchTransport | None = None,
    args: Sequence[str] = (),
    deadline: Deadline | None = None,
) -> AsyncIterator[BrowserProcess]:
    """Start a browser with a profile of its own, and end it with the block.

    However the block ends, and also when this process is killed, no process, profile or temporary file of
    the browser is left.

    Args:
        executable: the browser; found by `find_browser` when left out.
        headless: False opens windows, and needs a display.
        transport: ``"websocket"``; ``"pipe"`` (no open port, no limit of the browser's on replies);
            ``"cbor"``, a pipe that carries Chromium's own encoding (a browser that does not know it is spoken
            to in JSON). None takes `fastest_transport`.
        args: more flags; of two that say the same, Chromium takes these. Lists of features add to our own.
            ``--remote-debugging-port=0`` opens a port beside the pipe.
        deadline: until when it must be up; 30 s from now when left out.

    Raises:
        BrowserNotFound: there is none.
        BrowserLaunchFailed: it ended, or said nothing for 60 s; its stderr is quoted. Or it is to open
            windows, and has none.
        DeadlineExceeded: the time was up first.

    Cost: 0.22 s to start, 0.05 s to end (measured, Chromium 156, 2 cores).
    """
    check_bool("headless", headless)
    if isinstance(args, str) or not all(isinstance(one, str) for one in args):
        raise TypeError(
            f"args: expected a list of flags such as ['--lang=de'], got {args!r}; put it in a list"
        )
    if executable is not None and not isinstance(executable, str | os.PathLike):
        raise TypeError(
            f"executable: expected the path of a browser, got {executable!r}; leave it out to have one found"
        )
    if transport is None:
        transport = fastest_transport()
    if transport not in _TRANSPORTS:
        raise ValueError(f'transport is "websocket", "pipe" or "cbor", not {transport!r}')
    if transport != "websocket":
        check_platform()
    deadline = deadline or Deadline.after(DEFAULT_TIMEOUT)
    given = deadline.remaining
    path = await trio.to_thread.run_sync(find_browser, executable)
    if not headless and is_headless_shell(path):
        raise BrowserLaunchFailed(f"{path} has no windows; leave headful out, or name another browser")
    root = _new_root()
    flags = build_flags(args, headless=headless, transport=transport, profile=str(root / "profile"))
    if is_root():
        _log.info("running as root: starting %s with --no-sandbox, which Chromium demands of root", path)
    process = BrowserProcess()
    process.folder = root
    async with background_nursery() as nursery, AsyncExitStack() as stack:
        # Without an address of its own the browser opens its new-tab page, which loads for a while.
        start = [] if any(not arg.startswith("-") for arg in args) else ["about:blank"]
        command = [str(path), *flags, *start]
        pipe = await _start(process, command, root, transport=transport, nursery=nursery, stack=stack)
        listens = pipe is None or any(arg.startswith("--remote-debugging-port=") for arg in args)
        seconds = min(deadline.remaining, _START_SECONDS)
        with trio.move_on_after(seconds) as scope:
            await _ready(process, path, pipe, listens=listens)
        if scope.cancelled_caught:
            within = given if deadline.expired else seconds
            message = f"{path} was not ready within {within:.1f} s; {process._last_words()}"  # noqa: SLF001 - a class of this module
            if deadline.expired:
                raise DeadlineExceeded(f"{message}; allow more time")
            raise BrowserLaunchFailed(f"{message}; is it a Chromium?", stderr=process.stderr)
        process.transport = pipe or await _connect(process, path, deadline, stack)
        yield process


async def _ready(process: BrowserProcess, path: Path, pipe: PipeTransport | None, *, listens: bool) -> None:
    if listens:
        await process._settled.wait()  # noqa: SLF001 - same module, one object in two phases
        if process.endpoint is None:
            raise await process._failure(path)  # noqa: SLF001 - a class of this module
    if pipe is not None:
        try:
            await _greet(pipe)
        except ConnectionLost as error:
            raise await process._failure(path) from error  # noqa: SLF001 - a class of this module


async def _connect(
    process: BrowserProcess, path: Path, deadline: Deadline, stack: AsyncExitStack
) -> WebSocketTransport:
    assert process.endpoint is not None
    try:
        return await stack.enter_async_context(open_websocket(process.endpoint, None, deadline))
    except EndpointError as error:
        if deadline.expired:
            raise DeadlineExceeded(f"{path} did not answer in time ({error}); allow more time") from None
        raise await process._failure(path) from error  # noqa: SLF001 - a class of this module


async def _greet(pipe: PipeTransport) -> None:
    """Find out that the browser is there, and whether it speaks CBOR."""
    try:
        await _ask_version(pipe)
    except NotCbor:
        _log.info("the browser does not know --remote-debugging-pipe=cbor: it is spoken to in JSON")
        pipe.fall_back_to_json()
        await _ask_version(pipe)


async def _ask_version(pipe: PipeTransport) -> None:
    """Over a pipe a browser says nothing by itself, and neither does what is none."""
    await pipe.send(pipe.codec.encode(0, "Browser.getVersion", {}, None))
    while True:
        with suppress(MessageTooLarge, msgspec.MsgspecError):
            if pipe.codec.head(await pipe.receive()).id == 0:
                return


async def _start(
    process: BrowserProcess,
    command: list[str],
    root: Path,
    *,
    transport: LaunchTransport,
    nursery: trio.Nursery,
    stack: AsyncExitStack,
) -> PipeTransport | None:
    """Start watchdog and browser; whatever has to be undone is put on the stack."""
    if sys.platform == "win32":
        await _start_without_guardian(process, command, root, nursery, stack)
        return None
    ours = None
    fds: tuple[int, ...] = ()
    if transport != "websocket":
        (command_read, command_write), (reply_read, reply_write) = os.pipe(), os.pipe()
        fds = (command_read, reply_write)
        ours = PipeTransport(reply_read, command_write, encoding="cbor" if transport == "cbor" else "json")
        stack.push_async_callback(ours.aclose)
    environment = dict(os.environ)
    # Where crash dumps would go; Chromium makes this directory whatever its profile.
    environment["CHROME_CONFIG_HOME"] = str(root / "config")
    # Chromium leaves its singleton socket's directory there when it is killed.
    environment["TMPDIR"] = str(root)
    # First there, so that links do not start programs, nor ask whether they may.
    environment["PATH"] = os.pathsep.join([str(root / watchdog.PROGRAMS), os.environ.get("PATH", os.defpath)])
    arguments = [str(root), ",".join(map(str, fds)) or "-", *command]
    try:
        guard = await trio.lowlevel.open_process(
            [sys.executable, "-I", "-S", watchdog.__file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=fds,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise BrowserLaunchFailed(
            f"{sys.executable or 'python'} could not be started to guard the browser: {error.strerror}"
        ) from error
    finally:
        for fd in fds:
            os.close(fd)
    stack.push_async_callback(_end, process, guard, root)
    assert guard.stdout is not None
    assert guard.stderr is not None
    nursery.start_soon(process._follow_status, guard.stdout)  # noqa: SLF001 - a class of this module
    nursery.start_soon(process._drain_stderr, guard.stderr)  # noqa: SLF001 - a class of this module
    return ours


async def _end(process: BrowserProcess, guard: trio.Process, root: Path) -> None:
    """Have the watchdog clean up, and wait until it has."""
    with trio.CancelScope(shield=True):
        if guard.stdin is not None:
            await guard.stdin.aclose()
        with trio.move_on_after(_END_SECONDS):
            await guard.wait()
        if guard.returncode is None:
            guard.kill()
        if await guard.wait() < 0:
            # The watchdog was killed, so its work is ours; its group's id is the browser's pid.
            await trio.to_thread.run_sync(_end_without_guardian, process.pid, root)
        for stream in (guard.stdout, guard.stderr):
            if stream is not None:
                await stream.aclose()


def _end_without_guardian(pid: int, root: Path) -> None:
    if sys.platform != "win32" and pid:
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
    watchdog.remove(str(root))


async def _start_without_guardian(
    process: BrowserProcess, command: list[str], root: Path, nursery: trio.Nursery, stack: AsyncExitStack
) -> None:
    """Windows (untested): a plain child; its tree is ended with taskkill."""
    await trio.Path(root).mkdir(mode=0o700)
    try:
        child = await trio.lowlevel.open_process(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
    except OSError as error:
        shutil.rmtree(root, ignore_errors=True)
        raise BrowserLaunchFailed(f"{command[0]} could not be started: {error.strerror}") from error
    process.pid = child.pid

    async def follow() -> None:
        process.returncode = await child.wait()
        process._settled.set()  # noqa: SLF001 - a class of this module

    async def end() -> None:
        with trio.move_on_after(_END_SECONDS, shield=True):
            await trio.run_process(
                ["taskkill", "/T", "/F", "/PID", str(child.pid)], check=False, capture_stdout=True
            )
            await child.wait()
            await trio.to_thread.run_sync(watchdog.remove, str(root))

    stack.push_async_callback(end)
    assert child.stderr is not None
    nursery.start_soon(follow)
    nursery.start_soon(process._drain_stderr, child.stderr)  # noqa: SLF001 - a class of this module
