"""What is done on a tab, written once for callers that await and callers that block.

A `Steps` generator yields what a method has returned: a value where the tab blocks, an awaitable where it
does not. `run_steps` awaits each, `run_steps_sync` hands each back as it is; what was raised is raised in the
generator, at its ``yield``. So ``try`` and ``with`` around a ``yield`` mean the same in both.

An `Operation` says which plans are run on a tab in which order, and what becomes of their results.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from hybridsnap.deadline import Deadline
    from hybridsnap.drivers.attached_tab import AttachedTab
    from hybridsnap.errors import CommandUnanswered, HybridsnapError
    from hybridsnap.protocol.plan import Command, Plan

T = TypeVar("T")
Steps: TypeAlias = Generator[Any, Any, T]
#: Asked, when a plan is over, for what ends something that the plan has left running in the page.
Ends: TypeAlias = "Callable[[], list[Command[Any]]]"


async def run_steps(steps: Steps[T]) -> T:
    """Run steps for a caller that awaits."""
    value: Any = None
    error: BaseException | None = None
    while True:
        try:
            given = steps.send(value) if error is None else steps.throw(error)
        except StopIteration as stop:
            result: T = stop.value
            return result
        value = error = None
        try:
            value = await given if inspect.isawaitable(given) else given
        except BaseException as raised:  # noqa: BLE001 - it is raised in the steps
            error = raised


def run_steps_sync(steps: Steps[T]) -> T:
    """Run steps for a caller that blocks: what they yield has been done."""
    value: Any = None
    while True:
        try:
            value = steps.send(value)
        except StopIteration as stop:
            result: T = stop.value
            return result


class RunPlan(Protocol):
    """Runs a plan on a tab: what it returns, or an awaitable of that."""

    def __call__(self, plan: Plan[Any], *, ends: Ends | None = None) -> Any:
        """Run a plan."""
        ...  # pragma: no cover - a protocol


class Operation(Generic[T]):
    """What is done on a tab once it is attached to.

    Attributes:
        deadline: for all of it.
    """

    deadline: Deadline

    def steps(self, tab: AttachedTab[Any], run: RunPlan) -> Steps[T]:
        """Yield what `run` returns for one plan after the other."""
        raise NotImplementedError

    def late(self, error: CommandUnanswered) -> HybridsnapError | None:  # noqa: ARG002 - for subclasses
        """What is raised in the place of an error of a tab that did not answer; None for the error itself."""
        return None
