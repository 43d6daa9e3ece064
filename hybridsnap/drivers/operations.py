"""What is done on a tab, written once for callers that await and callers that block.

It is written as coroutines. On a tab that blocks, whatever they await has been done already: such a coroutine
never suspends, and `run_blocking` drives it to its end. What is a value there and an awaitable elsewhere is
awaited by `ready`. So ``try`` and ``with`` around an ``await`` mean the same in both.

An `Operation` says which plans are run on a tab in which order, and what becomes of their results.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from hybridsnap.deadline import Deadline
    from hybridsnap.drivers.attached_tab import AttachedTab
    from hybridsnap.errors import CommandUnanswered, HybridsnapError

T = TypeVar("T")


async def ready(value: Any) -> Any:
    """What a method of either kind has returned: a value, or what an awaitable comes to."""
    return await value if inspect.isawaitable(value) else value


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never suspends.

    Raises:
        RuntimeError: it does.
    """
    try:
        work.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    work.close()
    raise RuntimeError("something that is to be awaited was handed out by a tab that blocks")


class Operation(Generic[T]):
    """What is done on a tab once it is attached to.

    Attributes:
        deadline: for all of it.
    """

    deadline: Deadline

    async def carry_out(self, tab: AttachedTab) -> T:
        """Run one plan after the other."""
        raise NotImplementedError

    def late(self, error: CommandUnanswered) -> HybridsnapError | None:  # noqa: ARG002 - for subclasses
        """What is raised in the place of an error of a tab that did not answer; None for the error itself."""
        return None
