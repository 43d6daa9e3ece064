"""Plans on any coroutine function that sends a command, under asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from hybridsnap.deadline import Deadline
from hybridsnap.drivers.attaching import reaching
from hybridsnap.drivers.base import run, unanswered
from hybridsnap.drivers.diagnosis import (
    DIAGNOSIS_SHARE,
    PATIENCE,
    ForeignDriver,
    acts,
    diagnose_page,
    refused_for,
)
from hybridsnap.protocol.codec import PlainPayload

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.drivers.attaching import AttachStrategy
    from hybridsnap.drivers.base import Ends
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import SessionId
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command, Plan

    #: (method, params, session) → the result object.
    Send: TypeAlias = Callable[[str, dict[str, Any], SessionId | None], Awaitable[Mapping[str, Any]]]

T = TypeVar("T")
#: What is owed is not waited for longer than this.
_CLEAN_UP_SECONDS = 1.0


class AsyncioDriver(ForeignDriver):
    """`hybridsnap.drivers.base.Driver` on a function that sends one command and returns its result.

    Commands of a batch are sent one behind the other without waiting for replies, in tasks of their own: they
    go out in the order in which they are asked as long as `send` does not wait before it writes.
    """

    def __init__(self, name: str, send: Send) -> None:
        super().__init__(name)
        self._send = send
        #: Those that were diagnosed, the page's first.
        self._diagnosed: list[SessionId | None] = []

    async def run(self, plan: Plan[T], deadline: Deadline, *, ends: Ends | None = None) -> T:
        """Run a plan, as `hybridsnap.drivers.base.run`."""
        return await run(plan, self, deadline, ends=ends)

    async def attach(self, way: AttachStrategy, deadline: Deadline) -> list[SessionInfo]:
        """Attach to a tab. As soon as it is attached to, find what keeps it from answering."""

        async def between() -> None:
            await self.diagnose(way.page, deadline)

        return await run(way.attach(), self, reaching(deadline), between)

    def channel(self) -> contextlib.AbstractAsyncContextManager[_Channel]:
        """As `Driver.channel`."""
        return contextlib.aclosing(_Channel(self))

    async def diagnose(self, session: SessionId | None, deadline: Deadline, *, silent: bool = False) -> None:
        """Find what keeps a session from answering, for `obstacles`; half of the time at most.

        `silent` as for `diagnose_page`.
        """
        self._diagnosed.append(session)
        plan = diagnose_page(session, silent=silent)
        cause = await self.run(plan, deadline.share(DIAGNOSIS_SHARE))
        if cause is not None:
            self.obstacles[session] = cause

    def doubts(self, command: Command[Any]) -> bool:
        """Whether something may be in the way of a command that is not answered yet.

        The page was diagnosed at the beginning; a frame in another process may have a dialog of its own.
        """
        return acts(command) or command.session not in (None, *self._diagnosed)

    async def clean_up(self, commands: Sequence[Command[Any]]) -> None:
        """As `Driver.clean_up`. A task that is cancelled once more meanwhile does not stop it."""
        if commands:
            await shielded(asyncio.gather(*map(self.ask, commands), return_exceptions=True))

    async def ask(self, command: Command[Any]) -> Payload | HybridsnapError:
        """Send a command and wait for its outcome."""
        if (obstacle := refused_for(command, self.obstacles)) is not None:
            return obstacle
        try:
            result = await self._send(command.method, dict(command.params), command.session)
            return PlainPayload(result or {})  # some have None where there is nothing to tell
        except Exception as error:
            answer = self._answer_of(command.method, error)
            if answer is None:
                raise
            return answer


async def shielded(work: Awaitable[Any], seconds: float = _CLEAN_UP_SECONDS) -> None:
    """Do what is owed also when the task is cancelled (again), for so long at most."""

    async def bounded() -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await work

    await asyncio.shield(asyncio.create_task(bounded()))


async def opened(opening: Awaitable[T], close: Callable[[T], Awaitable[Any]]) -> T:
    """Open something that is to be closed again. When cancelled meanwhile, it is closed once it is open."""
    task = asyncio.ensure_future(opening)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:

        async def close_late() -> None:
            with contextlib.suppress(Exception):  # it could not be opened: then there is nothing to close
                await close(await task)

        await shielded(close_late())
        raise


class _Channel:
    def __init__(self, driver: AsyncioDriver) -> None:
        self._driver = driver
        self._tasks: dict[asyncio.Task[None], tuple[int, Command[Any]]] = {}
        self._arrived: list[tuple[int, Payload | HybridsnapError]] = []
        self._mistake: Exception | None = None
        self._filled = asyncio.Event()

    async def aclose(self) -> None:
        """The result is no longer awaited. What was just being opened is closed first."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await shielded(asyncio.wait(tasks))

    async def send(self, commands: Sequence[tuple[int, Command[Any]]]) -> None:
        for ticket, command in commands:
            task = asyncio.create_task(self._ask(ticket, command))
            self._tasks[task] = ticket, command
            task.add_done_callback(self._tasks.pop)
        await asyncio.sleep(0)

    async def _ask(self, ticket: int, command: Command[Any]) -> None:
        try:
            reply = await self._driver.ask(command)
            self._arrived.append((ticket, reply))
        except Exception as error:  # noqa: BLE001 - it is raised where the channel is read
            self._mistake = error
        self._filled.set()

    async def receive(self, deadline: Deadline) -> Sequence[tuple[int, Payload | HybridsnapError]]:
        patience = PATIENCE
        while not self._arrived and self._mistake is None and not deadline.expired:
            doubted = next((one for _, one in self._tasks.values() if self._driver.doubts(one)), None)
            until = deadline if doubted is None else Deadline.after(patience).earlier(deadline)
            self._filled.clear()
            # Not wait_for: in Python 3.11 it loses a cancellation that comes together with what it waits for.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(until.remaining):
                    await self._filled.wait()
            if doubted is not None and not self._filled.is_set() and not deadline.expired:
                # A script may take long on a page that answers.
                await self._driver.diagnose(doubted.session, deadline, silent=not acts(doubted))
                self._give_up(doubted.session)
                patience *= 2
        if self._mistake is not None:
            raise self._mistake
        arrived, self._arrived = self._arrived, []
        return arrived

    def _give_up(self, session: SessionId | None) -> None:
        """Wait no longer for what is open in a session, if something is known to be in its way."""
        cause = self._driver.obstacles.get(session)
        for task, (ticket, command) in list(self._tasks.items()):
            if cause is not None and command.session == session:
                task.cancel()
                self._arrived.append((ticket, unanswered(command.method, cause)))
