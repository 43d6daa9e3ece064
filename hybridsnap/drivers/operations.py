"""What is done on a tab of a foreign driver, as steps that a runner of either kind carries out.

An operation says once which plans are run in which order, and what becomes of their results; whether they are
awaited is the runner's matter (`hybridsnap.drivers.tab`).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator

    from hybridsnap.deadline import Deadline
    from hybridsnap.drivers.attached_tab import AttachedTab
    from hybridsnap.errors import CommandUnanswered, HybridsnapError
    from hybridsnap.protocol.plan import Command, Plan

T = TypeVar("T")


class Ending:
    """Something that may be left running in the page."""

    def end(self) -> list[Command[Any]]:
        """The commands that end it; they are owed once, and before all else."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One plan of an operation.

    Attributes:
        plan: to run.
        ends: what may be left running when the plan is over.
    """

    plan: Plan[Any]
    ends: Ending | None = None


class Operation(Generic[T]):
    """What is done on a tab once it is attached to.

    Attributes:
        deadline: for all of it.
    """

    deadline: Deadline

    def steps(self, tab: AttachedTab[Any]) -> Generator[Step, Any, T]:
        """Yield the steps; each is answered with what its plan returned, or raised."""
        raise NotImplementedError

    def late(self, error: CommandUnanswered) -> HybridsnapError | None:  # noqa: ARG002 - for subclasses
        """What is raised in the place of an error of a tab that did not answer; None for the error itself."""
        return None


class Steps(Generic[T]):
    """An operation on its way.

    Attributes:
        next: the step to carry out; None when all are done.
        result: of the operation, when it is done.
    """

    result: T

    def __init__(self, operation: Operation[T], tab: AttachedTab[Any]) -> None:
        self._steps = operation.steps(tab)
        self.next: Step | None = None
        self.answer(None)

    def answer(self, value: Any) -> None:
        """Go on with what a step's plan returned."""
        try:
            self.next = self._steps.send(value)
        except StopIteration as stop:
            self.next, self.result = None, stop.value

    def refuse(self, error: HybridsnapError) -> None:
        """Go on with what a step's plan raised; it is raised again unless the operation takes it."""
        try:
            self.next = self._steps.throw(error)
        except StopIteration as stop:
            self.next, self.result = None, stop.value
