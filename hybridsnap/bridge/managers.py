"""Context managers of the client's, for ``with`` and for asyncio's ``async with``."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from hybridsnap.bridge.bridge import Block, Bridge, Proxy
from hybridsnap.bridge.thread import TRIO_THREAD

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType


T_co = TypeVar("T_co", covariant=True)


class _Managed(Generic[T_co]):
    """One use of a context manager. Nothing is opened, and no thread started, before it is entered.

    Args:
        manager: the client's.
        bridge: of its browser; None for one that opens the browser.
        classes: as `Bridge` wants them.
    """

    #: How it is entered.
    _way = "with"

    def __init__(
        self,
        manager: AbstractAsyncContextManager[Any],
        bridge: Bridge | None,
        classes: Mapping[type, type[Proxy]],
    ) -> None:
        self._manager = manager
        self._bridge = bridge
        self._classes = classes
        self._outermost = bridge is None
        self._block: Block[Any] | None = None

    def __getattr__(self, attribute: str) -> NoReturn:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        raise AttributeError(
            f"this is a block, and has no {attribute!r}: enter it with `{self._way} … as …`, and what stands"
            " after `as` may have it"
        )

    def _begin(self) -> tuple[Bridge, Block[Any]]:
        if self._block is not None:
            raise RuntimeError("this block has been entered before; each needs a call of its own")
        bridge = self._bridge = self._bridge or Bridge(self._classes)
        block = self._block = Block(bridge, self._manager, outermost=self._outermost)
        return bridge, block

    def _held(self) -> tuple[Bridge, Block[Any]]:
        if self._bridge is None or self._block is None:
            raise RuntimeError("this block has not been entered")
        return self._bridge, self._block


class SyncManager(_Managed[T_co], AbstractContextManager[T_co, bool]):
    """For ``with``."""

    def __enter__(self) -> T_co:
        bridge, block = self._begin()
        try:
            value = bridge.call(block.open(), of_block=self._outermost).wait()
        except BaseException:
            # Interrupted when it had just been opened, perhaps.
            bridge.call(block.end(), of_block=True).wait()
            raise
        entered: T_co = bridge.wrapped(value)
        return entered

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool:
        bridge, block = self._held()
        if TRIO_THREAD.over or bridge.inherited:
            return False
        return bridge.call(block.leave(error), of_block=self._outermost).wait()


class AsyncManager(_Managed[T_co], AbstractAsyncContextManager[T_co, bool]):
    """For ``async with``."""

    _way = "async with"

    async def __aenter__(self) -> T_co:
        bridge, block = self._begin()
        try:
            value = await bridge.call(block.open(), of_block=self._outermost).wait_elsewhere()
        except BaseException:
            await bridge.call(block.end(), of_block=True).wait_elsewhere()
            raise
        entered: T_co = bridge.wrapped(value)
        return entered

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool:
        bridge, block = self._held()
        if TRIO_THREAD.over or bridge.inherited:
            return False
        return await bridge.call(block.leave(error), of_block=self._outermost).wait_elsewhere()


class InstantManager(AbstractContextManager[Any, bool]):
    """For a context manager that does not wait, whichever way its callers do."""

    def __init__(self, bridge: Bridge, manager: AbstractContextManager[Any, bool | None]) -> None:
        self._bridge = bridge
        self._manager = manager

    def __enter__(self) -> Any:
        return self._bridge.wrapped(self._bridge.now(self._manager.__enter__))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool:
        return bool(self._bridge.now(self._manager.__exit__, kind, error, traceback))
