"""What stands between callers and one browser: its calls, its blocks, and the proxies that callers hold.

Calls that several threads or tasks make at once run side by side, as tasks of one trio program. When the
block of `launch` or `connect` is left, calls that are still under way are cancelled first, then the browser
is let go: nothing outlives the block.
"""

from __future__ import annotations

import contextvars
import functools
import threading
import weakref
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import trio

from hybridsnap.bridge.thread import TRIO_THREAD, Call, without_first_frame
from hybridsnap.errors import ConnectionLost
from hybridsnap.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from contextlib import AbstractAsyncContextManager

    from hybridsnap.deadline import Deadline

T = TypeVar("T")


class Bridge:
    """Between callers, whose classes are not the client's, and what one `launch` or `connect` opens."""

    def __init__(self, classes: Mapping[type, type[Proxy]]) -> None:
        self._classes = classes
        self._portal = TRIO_THREAD.portal()
        self._calls: set[Call[Any]] = set()
        #: Those that are open.
        self.blocks: set[Block[Any]] = set()
        self._lock = threading.Lock()
        self._proxies: weakref.WeakValueDictionary[int, Proxy] = weakref.WeakValueDictionary()

    @property
    def inherited(self) -> bool:
        """Whether this is a child of the process that it was made in, where its thread is not.

        Raises:
            ConnectionLost: as `TrioThread.portal`.
        """
        return self._portal is not TRIO_THREAD.portal()

    def call(
        self, work: Coroutine[Any, Any, T], *, of_block: bool = False, deadline: Deadline | None = None
    ) -> Call[T]:
        """A call that is still to be waited for.

        Args:
            work: made by the caller.
            of_block: it opens or leaves the browser's block, and is not cancelled when that is left.
            deadline: that the caller gave; the call is cancelled with it.

        Raises:
            RuntimeError: from the trio thread, which would wait for itself; from a trio task of the caller's;
                or in a child after a fork.
            ConnectionLost: at the interpreter's very end, when the thread has stopped.
        """
        try:
            inherited = self.inherited
        except ConnectionLost:
            work.close()
            raise
        wrong = None
        if TRIO_THREAD.here:
            wrong = "this is a callback, on hybridsnap's own thread: what waits has to be called from another"
        elif inherited:
            wrong = "this browser was opened before the process was forked; open one in the child"
        elif trio.lowlevel.in_trio_task():
            wrong = "this is a trio task, which it would hold up: use hybridsnap itself there, with await"
        if wrong is not None:
            work.close()
            raise RuntimeError(wrong)
        call = Call(work, deadline)
        if not of_block:
            self._calls.add(call)
            call.ended.add_done_callback(lambda _: self._calls.discard(call))
        return call

    def now(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call a function that never waits, on the trio thread, and return what it returns.

        It is simply called on the thread itself, and where the thread is not: in a child, or any more.
        """
        if TRIO_THREAD.here or TRIO_THREAD.over or self.inherited:
            return function(*args, **kwargs)

        async def at_once() -> T:
            return function(*args, **kwargs)

        return Call(at_once()).wait()

    def wrapped(self, value: Any) -> Any:
        """A value of the client's, as callers get it: pages, sessions and the like as proxies.

        One object has one proxy, as long as anybody holds it.
        """
        proxy_class = self._classes.get(type(value))
        if proxy_class is not None:
            with self._lock:
                known = self._proxies.get(id(value))
                if known is None:
                    known = self._proxies[id(value)] = proxy_class(self, value)
                return known
        if isinstance(value, Snapshot):
            self.watch_renderings(value)
        elif isinstance(value, list) and value and type(value[0]) in self._classes:
            return [self.wrapped(one) for one in value]
        return value

    def watch_renderings(self, snapshot: Snapshot) -> None:
        """What a page notes of a rendering it notes on its own thread, wherever the snapshot is rendered."""
        noted = snapshot.on_rendering
        if noted is not None and not isinstance(noted, _Noted):
            snapshot.on_rendering = _Noted(self.now, noted)

    async def end(self, outermost: Block[Any]) -> None:
        """Cancel every call and leave every block, but for the browser's own."""
        with trio.CancelScope(shield=True):
            calls = list(self._calls)
            for call in calls:
                call.stop()
            for call in calls:
                await call.wait_ended()
            for block in self.blocks - {outermost}:
                await block.end()


class Proxy:
    """Stands for an object of the client's."""

    __slots__ = ("__weakref__", "_bridge", "_original")

    def __init__(self, bridge: Bridge, original: Any) -> None:
        self._bridge = bridge
        self._original = original

    def __repr__(self) -> str:
        return f"<{type(self).__module__.rpartition('.')[2]} {repr(self._original).removeprefix('<')}"


class _Noted(functools.partial[None]):
    """What a page does when one of its snapshots is rendered, by way of `Bridge.now`."""


class Block(Generic[T]):
    """An asynchronous context manager of the client's, entered and left by one task of the trio thread.

    All methods are for that thread.

    Args:
        bridge: of its browser.
        manager: to enter.
        outermost: it opens the browser itself.
    """

    def __init__(self, bridge: Bridge, manager: AbstractAsyncContextManager[T], *, outermost: bool) -> None:
        self._bridge = bridge
        self._manager = manager
        self.outermost: bool = outermost
        self._scope = trio.CancelScope()
        self._opened = trio.Event()
        self._leaving = trio.Event()
        self._ended = trio.Event()
        self._begun = False
        self._values: list[T] = []
        self._swallowed = False
        #: Of the caller's block, for the manager; then of the manager, for the caller.
        self._theirs: BaseException | None = None
        self._error: BaseException | None = None

    async def open(self) -> T:
        """Enter it, and return what it gives."""
        self._begun = True
        self._bridge.blocks.add(self)
        if self.outermost:
            TRIO_THREAD.opened(self.end)
        trio.lowlevel.spawn_system_task(self._host, context=contextvars.copy_context())
        try:
            await self._opened.wait()
        except trio.Cancelled:
            await self.end()
            raise
        self._raise_error()
        if not self._values:
            raise ConnectionLost("what was being opened was ended meanwhile")
        return self._values[0]

    async def leave(self, theirs: BaseException | None) -> bool:
        """Leave it; `theirs` is what the caller's block has raised.

        Returns:
            Whether that goes no further.
        """
        early = self._ended.is_set()
        self._theirs = theirs
        self._leaving.set()
        try:
            await self._ended.wait()
        except trio.Cancelled:
            await self.end()
            raise
        self._raise_error()
        if early and not self.outermost and theirs is None:
            raise ConnectionLost("the block of this browser was left before this one")
        return self._swallowed

    async def end(self) -> None:
        """Leave it as if cancelled, and wait until it is over."""
        if self._begun:
            self._scope.cancel()
            with trio.CancelScope(shield=True):
                await self._ended.wait()

    async def _host(self) -> None:
        try:
            with self._scope:
                await self._hold()
        except trio.Cancelled:
            raise
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self._error = without_first_frame(error)
        finally:
            TRIO_THREAD.closed(self.end)
            self._bridge.blocks.discard(self)
            self._opened.set()
            self._ended.set()

    async def _hold(self) -> None:
        self._values.append(await self._manager.__aenter__())
        self._opened.set()
        error: BaseException | None = None
        try:
            await self._leaving.wait()
            error = self._theirs
        except BaseException as cancelled:
            await self._let_go(cancelled)
            raise
        self._swallowed = await self._let_go(error)
        self._theirs = None

    async def _let_go(self, error: BaseException | None) -> bool:
        if self.outermost:
            await self._bridge.end(self)
        kind = None if error is None else type(error)
        traceback = None if error is None else error.__traceback__
        return bool(await self._manager.__aexit__(kind, error, traceback))

    def _raise_error(self) -> None:
        if self._error is not None:
            error, self._error = self._error, None
            raise error
