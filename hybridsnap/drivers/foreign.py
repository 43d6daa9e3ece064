"""A tab that another driver holds: captures and other plans on sessions of ours beside the driver's own.

Nothing is switched on or off in the driver's own sessions. For each call a session of ours is attached to the
page, and one to each of its frames in other processes, wherever the driver lets us; afterwards they are
detached. What has been shown of a tab is remembered by its target id, so ids and frame numbers hold from one
call to the next, and whichever driver asks for the tab.

An adapter says how a tab is reached (`Reached`); `AsyncTab` and `SyncTab` do the rest.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import importlib
import time
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, Unpack

from hybridsnap.act.memory import memory
from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.locating import Locator
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.acting import told_of_dialog
from hybridsnap.drivers.action_table import plan_action
from hybridsnap.drivers.base import run, run_sync
from hybridsnap.drivers.evaluating import (
    EVALUATION_TIMEOUT,
    EndingDriver,
    EndingSyncDriver,
    Evaluating,
    way_of,
)
from hybridsnap.errors import CommandUnanswered, DeadlineExceeded, TargetDetached
from hybridsnap.model import CaptureOptions
from hybridsnap.snapshot import Snapshot, build_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from hybridsnap.act.bindings import Bindings
    from hybridsnap.act.perform import Naming
    from hybridsnap.act.pointer import Button
    from hybridsnap.act.receipt import Receipt
    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.capture.reading import Capture
    from hybridsnap.drivers.asyncio_driver import AsyncioDriver
    from hybridsnap.drivers.blocking_driver import BlockingDriver
    from hybridsnap.model import TargetId
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")
D = TypeVar("D")
DEFAULT_TIMEOUT = 30.0
#: Attaching to the frames may take this share of the time, and so many seconds: a frame that hangs holds up
#: what is done beside it no longer. It is asked again when it is captured.
_REACHING_SHARE = 0.4
_REACHING_SECONDS = 3.0


def reaching(deadline: Deadline) -> Deadline:
    """Until when attaching to a tab's frames may take."""
    return deadline.share(_REACHING_SHARE).earlier(Deadline.after(_REACHING_SECONDS))


class SnapshotOptions(TypedDict, total=False):
    """The options of `hybridsnap.Page.snapshot`, but for the timeout; the same names, the same defaults."""

    pierce_shadow: bool
    include_iframes: bool
    focus: str | None
    focus_nth: int
    focus_missing: Literal["error", "full"]
    ignore: str | Sequence[str]
    layout: bool
    screenshot: bool


@dataclasses.dataclass(slots=True)
class Reached(Generic[D]):
    """A tab, ready for plans.

    Attributes:
        driver: to run them on.
        target_id: of the tab.
        sessions: the page's own first, then those of its out-of-process frames.
        notes: what a reader of the report should know of them.
    """

    driver: D
    target_id: TargetId
    sessions: list[SessionInfo]
    notes: list[str] = dataclasses.field(default_factory=list)

    @property
    def bindings(self) -> Bindings:
        """What has been shown of the tab."""
        return memory.recall("", self.target_id)


class _Look:
    """One snapshot on its way."""

    def __init__(self, timeout: float | Deadline, options: SnapshotOptions) -> None:
        self.deadline = Deadline.of(timeout)
        if options.get("focus_missing", "error") not in ("error", "full"):
            raise ValueError(f"focus_missing is error or full, not {options['focus_missing']!r}")
        ignore = options.get("ignore", ())
        given: dict[str, Any] = {**options, "ignore": (ignore,) if isinstance(ignore, str) else tuple(ignore)}
        self.options = CaptureOptions(**given)
        self._started = time.monotonic()

    def plan(self, reached: Reached[Any]) -> Plan[Capture]:
        return capture_hybrid_snapshot(reached.sessions, reached.bindings.ordinals, self.options)

    def late(self, error: CommandUnanswered) -> DeadlineExceeded:
        """The tab could not even be attached to in time."""
        return DeadlineExceeded(f"the page could not be reached in time ({error}); allow more time")

    def finish(self, capture: Capture, reached: Reached[Any]) -> Snapshot:
        main = capture.frames[0]
        if main.status == "missing" and reached.driver.lost is not None:
            raise reached.driver.lost
        if main.cause == "detached":
            raise TargetDetached(f"page {reached.target_id} was closed, or its session was ended")
        missing = {frame.cause for frame in capture.frames if frame.status == "missing"}
        capture.notes += [] if "unreachable" not in missing else reached.notes
        elapsed_ms = (time.monotonic() - self._started) * 1000
        snapshot = build_snapshot(capture, transport=reached.driver.name, elapsed_ms=elapsed_ms)
        bindings, focus = reached.bindings, self.options.focus
        bindings.show(snapshot.content, focus=focus)
        snapshot.on_rendering = functools.partial(bindings.note_rendering, snapshot.report, focus=focus)
        return snapshot


class AsyncTab:
    """A tab of an async driver. Adapters say how it is reached."""

    @functools.cached_property
    def ways(self) -> collections.Counter[str]:
        """Evaluations by the way they took: ``second session``, ``own session`` (the driver's)."""
        return collections.Counter()

    def reach(self, deadline: Deadline) -> AbstractAsyncContextManager[Reached[AsyncioDriver]]:
        """Attach to the page and its frames; when left, detach. Shielded from cancellation."""
        raise NotImplementedError

    async def snapshot(
        self, *, timeout: float | Deadline = DEFAULT_TIMEOUT, **options: Unpack[SnapshotOptions]
    ) -> Snapshot:
        """Capture the page. Options, result and errors are those of `hybridsnap.Page.snapshot`.

        Raises:
            CaptureFailed, SelectorError, TargetDetached, ConnectionLost: as there.
        """
        look = _Look(timeout, options)
        try:
            async with self.reach(look.deadline) as reached:
                return look.finish(await run(look.plan(reached), reached.driver, look.deadline), reached)
        except CommandUnanswered as error:
            raise look.late(error) from error

    async def run(
        self,
        plan_of: Callable[[Locator, Bindings], Plan[T]],
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> T:
        """Run a plan on the tab.

        Args:
            plan_of: makes it, of a way to find nodes and what has been shown of the tab.
            timeout: seconds.

        Raises:
            HybridsnapError: what the plan raises.
        """
        deadline = Deadline.of(timeout)
        async with self.reach(deadline) as reached:
            plan = plan_of(Locator(reached.sessions, reached.bindings.ordinals), reached.bindings)
            result = await run(plan, reached.driver, deadline)
            return told_of_dialog(result, reached.driver.obstacles)

    async def click(
        self,
        element: str,
        *,
        button: Button = "left",
        count: int = 1,
        force: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Click an element, with input of ours beside the driver's. As `hybridsnap.Page.click`.

        The receipt tells what was seen from within the page (`hybridsnap.drivers.acting`).
        """
        options = {"button": button, "count": count, "force": force, **naming}
        receipt: Receipt = await self._act("click", element, (), options, timeout)
        return receipt

    async def type(
        self,
        element: str,
        text: str,
        *,
        clear: bool = False,
        submit: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Type into a text field. As `hybridsnap.Page.type`; the receipt as for `click`."""
        options = {"clear": clear, "submit": submit, **naming}
        receipt: Receipt = await self._act("type", element, (text,), options, timeout)
        return receipt

    async def fill(
        self,
        element: str,
        value: Any,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Give a control its value. As `hybridsnap.Page.fill`; the receipt as for `click`."""
        receipt: Receipt = await self._act("fill", element, (value,), {**naming}, timeout)
        return receipt

    async def press(
        self,
        element: str,
        chord: str,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Press keys on an element: ``Enter``, ``Ctrl+a``. The receipt as for `click`."""
        receipt: Receipt = await self._act("press", element, (chord,), {**naming}, timeout)
        return receipt

    async def act(
        self,
        action: str,
        element: str | None = None,
        *arguments: Any,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Any,
    ) -> Any:
        """Any action of `hybridsnap.Page` that acts or reads, by the name of its method and its arguments.

        ``await tab.act("select_option", "0-7", label="Blue")``, ``await tab.act("scroll")``. What acts
        returns a receipt as for `click`, what reads (``text``, ``attributes``, …) what it reads.

        Args:
            action: of `hybridsnap.drivers.action_table.ACTIONS`.
            element: id, ref or selector; None for actions on the page.
            *arguments: the method's.
            timeout: seconds.
            **options: the method's, with ``nth``, ``as_of``, ``backend_node_id``, ``frame``.

        Raises:
            TypeError, ValueError: there is no such action, or it does not take these. Nothing was done.
        """
        return await self._act(action, element, arguments, options, timeout)

    async def _act(
        self,
        action: str,
        element: str | None,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        timeout: float | Deadline,
    ) -> Any:
        return await self.run(plan_action(action, element, arguments, options), timeout)

    async def evaluate(
        self,
        expression: str,
        *args: object,
        element: str | None = None,
        timeout: float | Deadline = EVALUATION_TIMEOUT,
        isolated_world: bool = False,
        **naming: Unpack[Naming],
    ) -> Any:
        """Evaluate JavaScript in the page. Arguments, result and errors: `hybridsnap.Page.evaluate`.

        It runs on a session of ours on the driver's connection; on the driver's own where there can be no
        other (``ways`` counts that). What has not ended at the deadline is ended.

        Raises:
            CommandRefused: the document was left before the script had ended.
            CommandUnanswered: a dialog is open (cause ``dialog``); nothing was evaluated.
        """
        work = Evaluating(expression, args, element, timeout, isolated=isolated_world, **naming)
        async with self.reach(work.deadline) as reached:
            self.ways[way_of(reached)] += 1
            driver, found = reached.driver, None
            if work.on_element:
                found = await run(work.find(reached), driver, work.deadline)
            ending = EndingDriver(driver, work)
            try:
                return await run(work.plan(reached, found), ending, work.deadline)
            except CommandUnanswered as error:
                raise work.too_late(error) from None
            finally:
                await ending.clean_up([])


class SyncTab:
    """A tab of a blocking driver. Adapters say how it is reached."""

    @functools.cached_property
    def ways(self) -> collections.Counter[str]:
        """Evaluations by the way they took: ``second session``, ``own session`` (the driver's)."""
        return collections.Counter()

    def reach(self, deadline: Deadline) -> AbstractContextManager[Reached[BlockingDriver]]:
        """As `AsyncTab.reach`."""
        raise NotImplementedError

    def snapshot(
        self, *, timeout: float | Deadline = DEFAULT_TIMEOUT, **options: Unpack[SnapshotOptions]
    ) -> Snapshot:
        """As `AsyncTab.snapshot`. Where the driver itself cannot be interrupted, the deadline is only seen
        between two commands.
        """
        look = _Look(timeout, options)
        try:
            with self.reach(look.deadline) as reached:
                return look.finish(run_sync(look.plan(reached), reached.driver, look.deadline), reached)
        except CommandUnanswered as error:
            raise look.late(error) from error

    def run(
        self,
        plan_of: Callable[[Locator, Bindings], Plan[T]],
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> T:
        """As `AsyncTab.run`."""
        deadline = Deadline.of(timeout)
        with self.reach(deadline) as reached:
            plan = plan_of(Locator(reached.sessions, reached.bindings.ordinals), reached.bindings)
            return told_of_dialog(run_sync(plan, reached.driver, deadline), reached.driver.obstacles)

    def click(
        self,
        element: str,
        *,
        button: Button = "left",
        count: int = 1,
        force: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Click an element, with input of ours beside the driver's. As `hybridsnap.Page.click`.

        The receipt tells what was seen from within the page (`hybridsnap.drivers.acting`).
        """
        options = {"button": button, "count": count, "force": force, **naming}
        receipt: Receipt = self._act("click", element, (), options, timeout)
        return receipt

    def type(
        self,
        element: str,
        text: str,
        *,
        clear: bool = False,
        submit: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Type into a text field. As `hybridsnap.Page.type`; the receipt as for `click`."""
        options = {"clear": clear, "submit": submit, **naming}
        receipt: Receipt = self._act("type", element, (text,), options, timeout)
        return receipt

    def fill(
        self,
        element: str,
        value: Any,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Give a control its value. As `hybridsnap.Page.fill`; the receipt as for `click`."""
        receipt: Receipt = self._act("fill", element, (value,), {**naming}, timeout)
        return receipt

    def press(
        self,
        element: str,
        chord: str,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Press keys on an element: ``Enter``, ``Ctrl+a``. The receipt as for `click`."""
        receipt: Receipt = self._act("press", element, (chord,), {**naming}, timeout)
        return receipt

    def act(
        self,
        action: str,
        element: str | None = None,
        *arguments: Any,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Any,
    ) -> Any:
        """As `AsyncTab.act`."""
        return self._act(action, element, arguments, options, timeout)

    def _act(
        self,
        action: str,
        element: str | None,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        timeout: float | Deadline,
    ) -> Any:
        return self.run(plan_action(action, element, arguments, options), timeout)

    def evaluate(
        self,
        expression: str,
        *args: object,
        element: str | None = None,
        timeout: float | Deadline = EVALUATION_TIMEOUT,
        isolated_world: bool = False,
        **naming: Unpack[Naming],
    ) -> Any:
        """As `AsyncTab.evaluate`. Where the driver itself cannot be interrupted, a script that does not end
        by itself is never ended.
        """
        work = Evaluating(expression, args, element, timeout, isolated=isolated_world, **naming)
        with self.reach(work.deadline) as reached:
            self.ways[way_of(reached)] += 1
            found = None
            if work.on_element:
                found = run_sync(work.find(reached), reached.driver, work.deadline)
            driver = EndingSyncDriver(reached.driver, work)
            try:
                return run_sync(work.plan(reached, found), driver, work.deadline.inner())
            except CommandUnanswered as error:
                raise work.too_late(error) from None
            finally:
                driver.end()


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
