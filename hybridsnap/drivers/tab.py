"""A tab that another driver holds: captures and other plans on sessions of ours beside the driver's own.

Nothing is switched on or off in the driver's own sessions. For each call a session of ours is attached to the
page, and one to each of its frames in other processes, wherever the driver lets us; afterwards they are
detached. What has been shown of a tab is remembered by its target id, so ids and frame numbers hold from one
call to the next, and whichever driver asks for the tab.

An adapter says how a tab is reached (`AttachedTab`); `AsyncTab` and `SyncTab` do the rest.
"""

from __future__ import annotations

import collections
import functools
import importlib
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from hybridsnap.act.receipt import Receipt
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.drivers.acting import plan_action, told_of_dialogs
from hybridsnap.drivers.evaluating import EVALUATION_TIMEOUT, Evaluating
from hybridsnap.drivers.operations import Operation, run_blocking
from hybridsnap.drivers.snapshot_run import SnapshotRun
from hybridsnap.errors import CommandUnanswered, DeadlineExceeded, HybridsnapError, TargetDetached
from hybridsnap.protocol.plan import pause
from hybridsnap.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from hybridsnap.act.actions.spec import ElementOptions
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.finding import ElementQuery
    from hybridsnap.act.input_state import Button
    from hybridsnap.drivers.attached_tab import AttachedTab
    from hybridsnap.drivers.snapshot_run import SnapshotOptions
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")
SnapshotT = TypeVar("SnapshotT")
ReceiptT = TypeVar("ReceiptT")
ValueT = TypeVar("ValueT")


class _Snapshot(Operation[Snapshot]):
    """A snapshot of a tab whose events are not heard."""

    def __init__(self, timeout: float | Deadline, options: SnapshotOptions) -> None:
        self._look = SnapshotRun(timeout, options)
        self.deadline = self._look.deadline

    async def carry_out(self, tab: AttachedTab) -> Snapshot:
        """Capture, and say what is known of the tab beside."""
        plan = self._look.plan(tab.sessions, tab.history.ordinals)
        capture = await tab.driver.run(plan, self.deadline)
        if capture.frames[0].status == "missing" and tab.driver.lost is not None:
            raise tab.driver.lost
        unreachable = any(one.status == "missing" and one.cause == "unreachable" for one in capture.frames)
        return self._look.finish(
            capture,
            tab.history,
            transport=tab.driver.name,
            closed=TargetDetached(f"page {tab.target_id} was closed, or its session was ended"),
            notes=tab.notes if unreachable else (),
        )

    def late(self, error: CommandUnanswered) -> HybridsnapError:
        """The tab could not even be attached to in time."""
        return DeadlineExceeded(f"the page could not be reached in time ({error}); allow more time")


#: How often, and how far apart in seconds, an open dialog is looked at again before a receipt is given.
_LOOKS, _LOOK_SECONDS = 10, 0.03


class _Run(Operation[T]):
    """A plan of the caller's."""

    def __init__(
        self, plan_of: Callable[[NodeResolver, ElementHistory], Plan[T]], deadline: Deadline
    ) -> None:
        self._plan_of = plan_of
        self.deadline = deadline

    async def carry_out(self, tab: AttachedTab) -> T:
        """Run it, and tell of the dialogs that opened meanwhile."""
        history = tab.history
        plan = self._plan_of(NodeResolver(tab.sessions, history.ordinals), history)
        result: T = await tab.driver.run(plan, self.deadline)
        # Whoever answers dialogs may be about to: the receipt is to say what became of it.
        for _ in range(_LOOKS):
            if tab.driver.dialogs.left_open is None or self.deadline.remaining < _LOOK_SECONDS:
                break
            await tab.driver.run(pause(_LOOK_SECONDS), self.deadline)
        return told_of_dialogs(result, tab.driver.obstacles, tab.driver.dialogs)


class _Tab(Generic[SnapshotT, ReceiptT, ValueT]):
    """What a tab of a foreign driver does, whether its results are awaited or simply come."""

    @functools.cached_property
    def ways(self) -> collections.Counter[str]:
        """Evaluations by the way they took: ``second session``, ``own session`` (the driver's)."""
        return collections.Counter()

    def reach(self, deadline: Deadline) -> AbstractAsyncContextManager[AttachedTab]:
        """Attach to the page and its frames; when left, detach. Shielded from cancellation.

        Of a blocking driver it never suspends (`hybridsnap.drivers.operations`).
        """
        raise NotImplementedError

    def _carry_out(self, operation: Operation[Any]) -> Any:
        raise NotImplementedError

    async def _work(self, operation: Operation[Any]) -> Any:
        try:
            async with self.reach(operation.deadline) as attached:
                return await operation.carry_out(attached)
        except CommandUnanswered as error:
            late = operation.late(error)
            if late is None:
                raise
            raise late from error

    def snapshot(
        self, *, timeout: float | Deadline = DEFAULT_TIMEOUT, **options: Unpack[SnapshotOptions]
    ) -> SnapshotT:
        """Capture the page. Options, result and errors are those of `hybridsnap.Page.snapshot`.

        Raises:
            CaptureFailed, SelectorError, TargetDetached, ConnectionLost: as there.
        """
        result: SnapshotT = self._carry_out(_Snapshot(timeout, options))
        return result

    def click(
        self,
        element: str,
        *,
        button: Button = "left",
        count: int = 1,
        force: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[ElementOptions],
    ) -> ReceiptT:
        """Click an element, with input of ours beside the driver's. As `hybridsnap.Page.click`.

        The receipt tells what was seen from within the page (`hybridsnap.drivers.acting`).
        """
        options = {"button": button, "count": count, "force": force, **naming}
        receipt: ReceiptT = self._act("click", element, (), options, timeout)
        return receipt

    def type(
        self,
        element: str,
        text: str,
        *,
        clear: bool = False,
        submit: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[ElementOptions],
    ) -> ReceiptT:
        """Type into a text field. As `hybridsnap.Page.type`; the receipt as for `click`."""
        options = {"clear": clear, "submit": submit, **naming}
        receipt: ReceiptT = self._act("type", element, (text,), options, timeout)
        return receipt

    def fill(
        self,
        element: str,
        value: Any,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[ElementOptions],
    ) -> ReceiptT:
        """Give a control its value. As `hybridsnap.Page.fill`; the receipt as for `click`."""
        receipt: ReceiptT = self._act("fill", element, (value,), {**naming}, timeout)
        return receipt

    def press(
        self,
        element: str,
        chord: str,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[ElementOptions],
    ) -> ReceiptT:
        """Press keys on an element: ``Enter``, ``Ctrl+a``. The receipt as for `click`."""
        receipt: ReceiptT = self._act("press", element, (chord,), {**naming}, timeout)
        return receipt

    def act(
        self,
        action: str,
        element: str | None = None,
        *arguments: Any,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Any,
    ) -> ValueT:
        """Any action of `hybridsnap.Page` that acts or reads, by the name of its method and its arguments.

        ``await tab.act("select_option", "0-7", label="Blue")``, ``await tab.act("scroll")``. What acts
        returns a receipt as for `click`, what reads (``text``, ``attributes``, …) what it reads.

        Args:
            action: a name of `hybridsnap.act.actions.ACTIONS` that has a plan.
            element: id, ref or selector; None for actions on the page.
            *arguments: the method's.
            timeout: seconds.
            **options: the method's, with ``nth``, ``as_of``, ``backend_node_id``, ``frame``.

        Raises:
            TypeError, ValueError: there is no such action, or it does not take these. Nothing was done.
        """
        result: ValueT = self._act(action, element, arguments, options, timeout)
        return result

    def _act(
        self,
        action: str,
        element: str | None,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        timeout: float | Deadline,
    ) -> Any:
        plan_of = plan_action(action, element, arguments, options)
        return self._carry_out(_Run(plan_of, Deadline.of(timeout)))

    def evaluate(
        self,
        expression: str,
        *args: object,
        element: str | None = None,
        timeout: float | Deadline = EVALUATION_TIMEOUT,
        isolated_world: bool = False,
        **naming: Unpack[ElementQuery],
    ) -> ValueT:
        """Evaluate JavaScript in the page. Arguments, result and errors: `hybridsnap.Page.evaluate`.

        It runs on a session of ours on the driver's connection; on the driver's own where there can be no
        other (``ways`` counts that). What has not ended at the deadline is ended.

        Raises:
            CommandRefused: the document was left before the script had ended.
            CommandUnanswered: a dialog is open (cause ``dialog``); nothing was evaluated.
        """
        work = Evaluating(
            expression, args, element, timeout, isolated=isolated_world, ways=self.ways, **naming
        )
        result: ValueT = self._carry_out(work)
        return result


class AsyncTab(_Tab[Coroutine[Any, Any, Snapshot], Coroutine[Any, Any, Receipt], Coroutine[Any, Any, Any]]):
    """A tab of an async driver. Adapters say how it is reached."""

    async def run(
        self,
        plan_of: Callable[[NodeResolver, ElementHistory], Plan[T]],
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> T:
        """Run a plan on the tab.

        Args:
            plan_of: makes it, of a way to find nodes and what has been shown of the tab.
            timeout: seconds.

        Raises:
            HybridsnapError: what the plan raises.
        """
        result: T = await self._carry_out(_Run(plan_of, Deadline.of(timeout)))
        return result

    def _carry_out(self, operation: Operation[Any]) -> Coroutine[Any, Any, Any]:
        return self._work(operation)


class SyncTab(_Tab[Snapshot, Receipt, Any]):
    """A tab of a blocking driver. Adapters say how it is reached.

    Where the driver itself cannot be interrupted, a deadline is only seen between two commands, and a script
    that does not end by itself is never ended.
    """

    def run(
        self,
        plan_of: Callable[[NodeResolver, ElementHistory], Plan[T]],
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> T:
        """As `AsyncTab.run`."""
        result: T = self._carry_out(_Run(plan_of, Deadline.of(timeout)))
        return result

    def _carry_out(self, operation: Operation[Any]) -> Any:
        return run_blocking(self._work(operation))


def require(package: str, extra: str) -> None:
    """Refuse to go on without a driver's package.

    Raises:
        ImportError: with the line that installs it.
    """
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"hybridsnap.drivers needs {package} for this: pip install 'hybridsnap[{extra}]'", name=package
        ) from error
