"""Evaluating in a tab of a foreign driver: on a session of ours beside the driver's own, and bounded.

There is no second connection: what is stuck is ended with ``Runtime.terminateExecution``, on the session that
it runs on, and the session goes. Where the driver lets us have no session (`Reached.notes` says why), its own
is used, which the script then holds up until it ends or is ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.act.evaluate import evaluate_on_element, evaluate_script, prepare_script
from hybridsnap.act.script_element import find_for_script
from hybridsnap.capture.locating import Locator
from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandUnanswered, EvaluationTimeout, HybridsnapError
from hybridsnap.protocol.plan import Command

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager

    from hybridsnap.act.perform import Naming
    from hybridsnap.act.script_element import FoundForScript
    from hybridsnap.drivers.asyncio_driver import AsyncioDriver
    from hybridsnap.drivers.base import Channel
    from hybridsnap.drivers.blocking_driver import BlockingDriver
    from hybridsnap.drivers.foreign import Reached
    from hybridsnap.model import Cause, SessionId
    from hybridsnap.protocol.plan import Plan
    from hybridsnap.protocol.wire import Payload

#: As `hybridsnap.Page.evaluate` has it by default.
EVALUATION_TIMEOUT = 20.0


class Evaluating:
    """One evaluation on its way: find the element, run the script, end it.

    Args:
        expression, arguments, element, isolated, naming, timeout: as for `hybridsnap.Page.evaluate`.

    Attributes:
        deadline: for all of it.
        on_element: an element is to be found first.
        session: that the script runs in.
        stuck: it was left there.

    Raises:
        TypeError, ValueError: as there.
    """

    def __init__(
        self,
        expression: str,
        arguments: tuple[object, ...],
        element: str | None,
        timeout: float | Deadline,
        *,
        isolated: bool,
        **naming: Unpack[Naming],
    ) -> None:
        self.deadline: Deadline = Deadline.of(timeout)
        self._seconds = self.deadline.remaining
        self._script = prepare_script(expression, arguments)
        self._element, self._naming, self._isolated = element, naming, isolated
        self.on_element: bool = element is not None or naming.get("backend_node_id") is not None
        self.session: SessionId | None = None
        self.stuck: bool = False
        if naming and not self.on_element:
            raise TypeError(f"{', '.join(naming)}: for naming an element, and there is none")

    def find(self, reached: Reached[Any]) -> Plan[FoundForScript]:
        """Find the element."""
        locator = Locator(reached.sessions, reached.bindings.ordinals)
        return find_for_script(locator, reached.bindings, self._element, self._naming)

    def plan(self, reached: Reached[Any], found: FoundForScript | None) -> Plan[Any]:
        """Run the script; when that is left before it has ended, it is `stuck`."""
        self.session = reached.sessions[0].session if found is None else found.session
        try:
            if found is not None:
                value = yield from evaluate_on_element(
                    found.session, self._script, found.element, isolated=self._isolated
                )
            else:
                frame = reached.sessions[0].root_frame if self._isolated else None
                value = yield from evaluate_script(self.session, self._script, frame)
        except (CommandUnanswered, GeneratorExit):
            self.stuck = True
            raise
        return value

    def end(self) -> list[Command[Any]]:
        """What ends a script that is stuck; it is owed once, and before all else."""
        if not self.stuck:
            return []
        self.stuck = False
        ending: Command[Any] = Command(
            method="Runtime.terminateExecution", params={}, session=self.session, parse=lambda _: None
        )
        return [ending]

    def too_late(self, error: CommandUnanswered) -> HybridsnapError:
        """It had not ended in time, or a dialog is in its way."""
        if error.cause == "dialog":
            return CommandUnanswered(
                "evaluate: a dialog is open on the page; answer it with the driver that saw it open",
                method="Runtime.evaluate",
                cause="dialog",
            )
        return EvaluationTimeout(
            f"the script had not ended after {self._seconds:.3g} s, and was ended", seconds=self._seconds
        )


class EndingDriver:
    """A driver that ends a script that is stuck before all else that is owed, which would wait for it."""

    def __init__(self, driver: AsyncioDriver, work: Evaluating) -> None:
        self.name: str = driver.name
        self._driver, self._work = driver, work

    def channel(self) -> AbstractAsyncContextManager[Channel]:
        """As `Driver.channel`."""
        return self._driver.channel()

    def cause_of_silence(self, session: SessionId | None) -> Cause:
        """As `Driver.cause_of_silence`."""
        return self._driver.cause_of_silence(session)

    async def clean_up(self, commands: Sequence[Command[Any]]) -> None:
        """As `Driver.clean_up`."""
        await self._driver.clean_up(self._work.end())
        await self._driver.clean_up(commands)


class EndingSyncDriver:
    """As `EndingDriver`, for a blocking driver."""

    def __init__(self, driver: BlockingDriver, work: Evaluating) -> None:
        self.name: str = driver.name
        # Nothing is known to it of sessions: the script's gets all the time that is left.
        self._driver, self._work = driver.anew(), work

    def execute(self, command: Command[Any], deadline: Deadline) -> Payload:
        """As `SyncDriver.execute`."""
        self.end()
        return self._driver.execute(command, deadline)

    def cause_of_silence(self, session: SessionId | None) -> Cause:
        """As `SyncDriver.cause_of_silence`."""
        return self._driver.cause_of_silence(session)

    def end(self) -> None:
        """End the script, if it is stuck."""
        if commands := self._work.end():
            self._driver = self._driver.anew()
            self._driver.clean_up(commands)


def way_of(reached: Reached[Any]) -> str:
    """The way that an evaluation takes, as `hybridsnap.client.metrics.Metrics.ways` has it."""
    return "own session" if reached.notes else "second session"
