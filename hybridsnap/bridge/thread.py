"""The one thread that runs trio for callers that do not, and a call on it.

The thread is anyio's blocking portal. It is started when first wanted, and is a daemon, so nothing waits for
it. At the interpreter's end, when all threads that Python waits for are done, what is still open is closed:
browsers end as if their block had been left. What is left later still (by a generator that Python finalizes
in the very end) has nothing to wait for: the thread does not run any more. A process that does not come that
far (killed, `os._exit`) leaves nothing behind either: see `hybridsnap.client.watchdog`.

After a fork the child has no such thread. What was opened before belongs to the parent; the child may open
something of its own.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import contextvars
import functools
import os
import sys
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import trio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from hybridsnap.errors import ConnectionLost, DeadlineExceeded, HybridsnapError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from hybridsnap.deadline import Deadline

T = TypeVar("T")

#: How long a blocked caller may not notice a signal.
_GLANCE_SECONDS = 0.5
#: Only the caller learns of what these open: if it is cancelled before the call returns, that is closed.
_MAKERS = frozenset({"new_page", "new_context"})
#: At the interpreter's end, how long everything that is still open may take to close. A browser may take 12.
_END_SECONDS = 15.0
#: What a call says that ended with `Deadline.cancel`.
_CANCELLED = "the call was cancelled (Deadline.cancel)"


class TrioThread:
    """The thread, of this process."""

    def __init__(self) -> None:
        #: Holds the thread. It is never left, nor let go of: the thread ends with the process.
        self._stack = contextlib.ExitStack()
        self.forget()

    def forget(self) -> None:
        """Know of no thread; in a child after a fork: all of it is the parent's."""
        self._lock: threading.Lock = threading.Lock()
        self._started: Future[BlockingPortal] | None = None
        self._id: int | None = None
        self._token: trio.lowlevel.TrioToken | None = None
        #: How to close what is open. In a dict, for the order.
        self._open: dict[Callable[[], Awaitable[object]], None] = {}

    @property
    def here(self) -> bool:
        """Whether the caller is the thread itself: in a callback."""
        return self._id == threading.get_ident()

    @property
    def over(self) -> bool:
        """Whether the interpreter has come so far in its end that the thread never runs again."""
        return sys.is_finalizing()

    def portal(self) -> BlockingPortal:
        """The way to it; the thread is started when there is none.

        Raises:
            ConnectionLost: it is over.
        """
        if self.over:
            raise ConnectionLost(
                "Python is ending: what hybridsnap had open is closed, and its thread has stopped"
            )
        with self._lock:
            started = self._started
            if started is None:
                started = self._started = Future()
                # Not in this thread: interrupted by Ctrl-C, `start_blocking_portal` would wait for ever.
                threading.Thread(target=self._start, args=(started,), daemon=True).start()
        return started.result()

    def _start(self, started: Future[BlockingPortal]) -> None:
        try:
            portal = self._stack.enter_context(start_blocking_portal("trio", name="hybridsnap"))
            self._token = portal.call(trio.lowlevel.current_trio_token)
            self._id = portal.call(threading.get_ident)
        except BaseException as error:  # noqa: BLE001 - for whoever waits
            self._started = None
            started.set_exception(error)
        else:
            started.set_result(portal)

    def soon(self, function: Callable[..., object], *args: Any) -> None:
        """Have a quick function called there, and wait for nothing, not even for its beginning.

        anyio's portal has this from 4.16 on only, which browser-use does not go with.
        """
        assert self._token is not None, "there is a portal"
        self._token.run_sync_soon(function, *args)

    def opened(self, close: Callable[[], Awaitable[object]]) -> None:
        """Something was opened that is to be closed at the interpreter's end, if it is open then."""
        self._open[close] = None

    def closed(self, close: Callable[[], Awaitable[object]]) -> None:
        """It has been."""
        self._open.pop(close, None)

    def close(self) -> None:
        """Close what is open, and wait for that, within 15 s."""
        left = list(self._open)
        if left:
            portal = self.portal()
            concurrent.futures.wait([portal.start_task_soon(close) for close in left], _END_SECONDS)


TRIO_THREAD = TrioThread()
atexit.register(TRIO_THREAD.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=TRIO_THREAD.forget)


class Call(Generic[T]):
    """A coroutine on the trio thread: begun, waited for, cancelled; and its result.

    What it raises is raised again where it is waited for, so that the traceback begins with the caller and
    goes on with the client's own frames. Context variables are those of the caller.

    Args:
        work: made by the caller, so that wrong arguments are an error there; awaited on the thread.
        deadline: that the caller gave; the call is cancelled with it.

    Attributes:
        ended: done when nothing of it runs any more, whatever came of it.
    """

    def __init__(self, work: Coroutine[Any, Any, T], deadline: Deadline | None = None) -> None:
        self._work = work
        self._scope = trio.CancelScope()
        self._begun = False
        self._values: list[T] = []
        self._error: BaseException | None = None
        self.ended: Future[None] = Future()
        self._deadline = deadline
        if deadline is not None:
            forget = deadline.on_cancel(lambda: TRIO_THREAD.soon(self.stop))
            self.ended.add_done_callback(lambda _: forget())

    def wait(self) -> T:
        """Have it done, and wait for the result. From any thread but trio's.

        Interrupted (by Ctrl-C, or by whatever else a signal's handler raises), it is cancelled, and its
        clean-up is waited for; interrupted once more, it is not.

        Raises:
            ConnectionLost: it was cancelled, because the browser's block was left meanwhile.
            DeadlineExceeded: it was cancelled by `Deadline.cancel`.
            BaseException: what it raised.
        """
        try:
            self._begin()
            self._wait_ended()
        except BaseException:
            if not self.ended.done():
                TRIO_THREAD.soon(self.stop)
                self._wait_ended()
            if (closing := self._closing()) is not None:
                closing.wait()
            raise
        return self._result()

    def _wait_ended(self) -> None:
        """Block until it has ended, with a glance at signals in between.

        A signal that comes just before a lock is waited for does not interrupt the wait: without the glance,
        a Ctrl-C in that moment would be noticed when the call has ended.
        """
        while not self.ended.done():
            with contextlib.suppress(TimeoutError):
                self.ended.result(_GLANCE_SECONDS)

    async def wait_elsewhere(self) -> T:
        """The same in another event loop, asyncio's, which it does not hold up.

        Cancelled there, it is cancelled here, and its clean-up is waited for. Raises as `wait`.
        """
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()

        def tell(_: Future[None]) -> None:
            with contextlib.suppress(RuntimeError):  # that loop is closed
                loop.call_soon_threadsafe(ended.set_result, None)

        self.ended.add_done_callback(tell)
        self._begin()
        try:
            await asyncio.wait([ended])  # which leaves it alone when cancelled
        except GeneratorExit:  # its loop was closed, and nothing can be awaited any more
            TRIO_THREAD.soon(self.stop)
            raise
        except BaseException:
            TRIO_THREAD.soon(self.stop)
            await asyncio.wait([ended])
            if (closing := self._closing()) is not None:
                await closing.wait_elsewhere()
            raise
        return self._result()

    def _closing(self) -> Call[None] | None:
        """A call that closes a result that came too late for its caller; None where that is not needed."""
        if not self._values or getattr(self._work, "__name__", "") not in _MAKERS:
            return None
        made: Any = self._values[0]

        async def close() -> None:
            with contextlib.suppress(HybridsnapError):
                await made.close()

        return Call(close())

    def stop(self) -> None:
        """Cancel it. On the trio thread. `ended` says when its clean-up is over."""
        if self.ended.done():
            return
        self._scope.cancel()
        if not self._begun:
            self._begun = True
            self._work.close()
            self.ended.set_result(None)

    async def wait_ended(self) -> None:
        """Wait until nothing of it runs any more. On the trio thread."""
        ended = trio.Event()
        self.ended.add_done_callback(lambda _: ended.set())
        await ended.wait()

    def _begin(self) -> None:
        context = contextvars.copy_context()
        TRIO_THREAD.soon(lambda: trio.lowlevel.spawn_system_task(self._run, context=context))

    async def _run(self) -> None:
        if self._begun:  # stopped before
            return
        self._begun = True
        try:
            with self._scope:
                self._values.append(await self._work)
        except trio.Cancelled:
            raise
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self._error = without_first_frame(error)
        finally:
            self.ended.set_result(None)

    def _result(self) -> T:
        cancelled = self._deadline is not None and self._deadline.cancelled
        if self._error is not None:
            error, self._error = self._error, None
            try:
                if cancelled and isinstance(error, TimeoutError):  # it saw the deadline before it was stopped
                    raise DeadlineExceeded(_CANCELLED) from error
                raise error
            finally:
                del error  # or frame and error would keep each other alive
        if not self._values:
            if cancelled:
                raise DeadlineExceeded(_CANCELLED)
            raise ConnectionLost("the block of this browser was left while the call was under way")
        return self._values[0]


def without_first_frame(error: BaseException) -> BaseException:
    """The error, its traceback without the frame that has caught it."""
    traceback = error.__traceback__
    return error.with_traceback(None if traceback is None else traceback.tb_next)


def on_loop(function: Callable[..., Coroutine[Any, Any, T]]) -> Callable[..., Coroutine[Any, Any, T]]:
    """A coroutine function of asyncio's, for the trio thread to await; it runs in the loop that runs now.

    Cancelled there, its task in the loop is cancelled, and not waited for.
    """
    loop = asyncio.get_running_loop()

    @functools.wraps(function)
    async def call(*args: Any) -> T:
        ended = trio.Event()
        token = trio.lowlevel.current_trio_token()

        def tell(_: Future[T]) -> None:
            with contextlib.suppress(trio.RunFinishedError):
                token.run_sync_soon(ended.set)

        work = function(*args)
        try:
            result = asyncio.run_coroutine_threadsafe(work, loop)
        except RuntimeError:  # that loop is closed
            work.close()
            raise
        result.add_done_callback(tell)
        try:
            await ended.wait()
        except trio.Cancelled:
            result.cancel()
            raise
        return result.result()

    return call
