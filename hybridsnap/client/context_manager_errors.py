"""`launch`, `connect` and `attach` as context managers that say what to use where they cannot be.

The client runs on trio. Entered under asyncio, with a plain ``with``, or not entered at all, trio and Python
would speak of what they miss, not of what to do.
"""

from __future__ import annotations

import contextlib
import functools
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import TracebackType

P = ParamSpec("P")
T_co = TypeVar("T_co", covariant=True)


class _Opening(AbstractAsyncContextManager[T_co, bool | None]):
    """One use of an opener; only ``async with``, on trio, enters it."""

    def __init__(self, name: str, manager: AbstractAsyncContextManager[T_co, bool | None]) -> None:
        self._name = name
        self._manager = manager

    async def __aenter__(self) -> T_co:
        if not trio.lowlevel.in_trio_run():
            self._refuse_loop()
        return await self._manager.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool | None:
        return await self._manager.__aexit__(kind, error, traceback)

    def _refuse_loop(self) -> NoReturn:
        import asyncio  # noqa: PLC0415 - costs 3 MB, and trio has no use for it

        name = self._name
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise RuntimeError(
                f"hybridsnap.{name} runs on trio, and no event loop runs here: use trio.run(main), or"
                f" {_other('sync', name)}, which needs no loop"
            ) from None
        raise RuntimeError(
            f"hybridsnap.{name} runs on trio, and this is asyncio: use {_other('aio', name)}, which is"
            " the same for asyncio"
        )

    def __enter__(self) -> NoReturn:
        name = self._name
        raise TypeError(
            f"hybridsnap.{name} is for `async with`, on trio; for a plain `with` use {_other('sync', name)}"
        )

    def __exit__(self, *_: object) -> None:
        """Never called; `with` looks for it before it enters."""

    def __await__(self) -> NoReturn:
        name = self._name
        raise TypeError(f"hybridsnap.{name} opens a block: `async with {name}(…) as …`, without await")

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        name = self._name
        raise AttributeError(
            f"hybridsnap.{name}(…) has no {attribute!r} before it is entered: `async with {name}(…) as …`, on"
            f" trio; without a loop use {_other('sync', name)}"
        )


def _other(module: str, name: str) -> str:
    """Where the same is for other callers; what `attach` does `connect` does, too."""
    return f"hybridsnap.{module}.{'connect' if name == 'attach' else name}"


def explained_context_manager(
    function: Callable[P, AsyncIterator[T_co]],
) -> Callable[P, AbstractAsyncContextManager[T_co]]:
    """As `contextlib.asynccontextmanager`; used where it cannot work, it says what to use instead."""
    manager = contextlib.asynccontextmanager(function)

    @functools.wraps(function)
    def opening(*args: P.args, **kwargs: P.kwargs) -> AbstractAsyncContextManager[T_co]:
        return _Opening(function.__name__, manager(*args, **kwargs))

    return opening
