"""What the background process does: it takes calls from its socket, and keeps the browsers between them."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import sys
import traceback
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap import __version__
from hybridsnap.background.messages import Greeting, ToolCall, to_line
from hybridsnap.background.place import try_lock
from hybridsnap.errors import HybridsnapError
from hybridsnap.service.signals import ended_by_signal
from hybridsnap.tool import BrowserTool

if TYPE_CHECKING:
    import socket

    from hybridsnap.background.place import Place
    from hybridsnap.tool import BrowserSession

#: Seconds without a call after which the process ends, browsers and all.
IDLE_SECONDS = 600.0
#: Seconds for the first call to come; the caller that started the process may have been ended.
_FIRST_SECONDS = 30.0
#: Seconds for a caller that is connected to say what it wants.
_CALL_SECONDS = 10.0
#: Bytes of a call. The longest thing in it is a text to be typed.
_MOST_BYTES = 64 * 1024 * 1024
#: Seconds between two attempts to end while a caller holds the lock: it is about to connect.
_LOCK_STEP = 0.1
#: Seconds for the browsers to end. What is left then is ended by their watchdogs.
_END_SECONDS = 15.0


class Keeper:
    """The browsers of one user, and who calls. Made in the program that runs it."""

    def __init__(self, place: Place, listener: socket.socket) -> None:
        self._place = place
        self._listener = listener
        self._listens = True
        self._sessions: dict[str, BrowserSession] = {}
        self._has_browser = False
        self._turn = trio.Lock()
        self._callers = 0
        self._idle = IDLE_SECONDS
        #: When the process exits unless a call comes, in trio's time.
        self._until = math.inf
        self._changed = trio.Event()

    async def run(self) -> None:
        """Take calls until there is no browser, the idle time is over, or a signal arrives."""
        self._until = trio.current_time() + _FIRST_SECONDS
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(self._listener))
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ended_by_signal, nursery.cancel_scope.cancel)
                nursery.start_soon(trio.serve_listeners, self._serve, [listener])
                await self._wait_until_unused()
                nursery.cancel_scope.cancel()
        finally:
            self._stop_listening()  # a signal has come
            tool = BrowserTool(sessions=self._sessions)
            with trio.CancelScope(shield=True), trio.move_on_after(_END_SECONDS):
                await trio.to_thread.run_sync(tool.close_all, abandon_on_cancel=True)

    async def _wait_until_unused(self) -> None:
        """Return when the process is to exit and its socket's path is removed."""
        while True:
            left = math.inf if self._callers else self._until - trio.current_time()
            if left <= 0:
                if self._stop_listening():
                    return
                left = _LOCK_STEP
            with trio.move_on_after(left):
                await self._changed.wait()
                self._changed = trio.Event()

    def _stop_listening(self) -> bool:
        """Take the socket's path away, unless a caller is about to connect; whether it is away."""
        try:
            with try_lock(self._place) as held:
                # Callers are greeted before they let go of the lock: whoever has connected is counted.
                if held and self._listens:
                    self._place.socket.unlink(missing_ok=True)
                    self._listens = False
        except HybridsnapError:  # the folder is gone: the user has logged out
            self._listens = False
        return not self._listens

    async def _serve(self, stream: trio.SocketStream) -> None:
        self._callers += 1
        try:
            # Whatever the caller does, Ctrl-C included, the process goes on.
            with contextlib.suppress(trio.BrokenResourceError):
                await stream.send_all(to_line(Greeting(version=__version__, pid=os.getpid())))
                call = await _receive_call(stream)
                answer = None if call is None else await self._answer(stream, call)
                if answer is not None:
                    await stream.send_all(to_line(answer))
        except Exception:  # noqa: BLE001 - a bug costs one call, not the browsers; the log tells
            traceback.print_exc(file=sys.stderr)
        finally:
            self._callers -= 1
            self._until = trio.current_time() + (self._idle if self._has_browser else 0.0)
            self._changed.set()
            await trio.aclose_forcefully(stream)

    async def _answer(self, stream: trio.SocketStream, call: ToolCall) -> dict[str, Any] | None:
        """Do what is asked when its turn comes; nothing, and None, when the caller has gone by then."""
        if call["idle"] is not None:
            self._idle = call["idle"]
        async with self._turn:
            if _is_gone(stream):
                return None
            return await trio.to_thread.run_sync(self._execute, call, abandon_on_cancel=True)

    def _execute(self, call: ToolCall) -> dict[str, Any]:
        tool = BrowserTool(directory=call["directory"], sessions=self._sessions)
        result = tool.execute(call["arguments"])
        self._has_browser = any(session.is_open for session in self._sessions.values())
        return result


async def _receive_call(stream: trio.SocketStream) -> ToolCall | None:
    """What a caller wants; None when it says nothing."""
    received = bytearray()
    with trio.move_on_after(_CALL_SECONDS):
        while not received.endswith(b"\n") and len(received) <= _MOST_BYTES:
            chunk = await stream.receive_some()
            if not chunk:
                return None
            received += chunk
        call: ToolCall = json.loads(received)
        return call
    return None


def _is_gone(stream: trio.SocketStream) -> bool:
    """Whether a caller has closed its end. It has said all it had to say: more to read is the end."""
    looking = select.poll()
    looking.register(stream.socket.fileno(), select.POLLIN)
    return bool(looking.poll(0))
