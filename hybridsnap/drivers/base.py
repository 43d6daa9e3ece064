"""Running plans: the driver's contract, and the loops that hold a plan against it.

An async driver opens a `Channel` for each run: commands go in, replies come out as they arrive. A sync
driver sends one command and returns its reply. `run`, `run_sync` and `replay` do the rest alike: replies are
parsed the moment they arrive, stamped, and handed to the plan; at the deadline what is still open counts as
unanswered, with the cause the driver knows; what a sent command owes as its cleanup is sent in any case.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import msgspec

from hybridsnap.deadline import Deadline
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    HybridsnapError,
    ReplyUnreadable,
    TargetCrashed,
)
from hybridsnap.gc_pause import paused_collector
from hybridsnap.protocol.codec import JsonPayload, Payload, as_builtin
from hybridsnap.protocol.plan import Command, Failure, Outcome, Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from contextlib import AbstractAsyncContextManager

    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.model import Cause, SessionId
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")
#: Asked, when a plan is over, for what ends something that the plan has left running in the page.
Ends: TypeAlias = "Callable[[], list[Command[Any]]]"

#: Seconds that a blocking driver waits for the answers to what is owed: all of it together; and with no time
#: left. It is sent either way.
_OWING_SECONDS = 1.0
LEAST_OWING_SECONDS = 0.1
#: Parameters as a key.
_SORTED = msgspec.json.Encoder(enc_hook=as_builtin, order="sorted")


class Channel(Protocol):
    """One run's way to the browser and back."""

    async def send(self, commands: Sequence[tuple[int, Command[Any]]]) -> None:
        """Send commands, in this order and back to back, without waiting for replies."""
        ...  # pragma: no cover - a protocol

    async def receive(self, deadline: Deadline) -> Sequence[tuple[int, Payload | HybridsnapError]]:
        """Wait for replies: what has arrived, by ticket; nothing when the deadline passes first."""
        ...  # pragma: no cover - a protocol


class Driver(Protocol):
    """An async connection to a browser.

    Attributes:
        name: how the report calls the way the browser was spoken to.
    """

    name: str

    def channel(self) -> AbstractAsyncContextManager[Channel]:
        """Open a channel for one run. Replies that are no longer awaited are dropped."""
        ...  # pragma: no cover - a protocol

    def cause_of_silence(self, session: SessionId | None) -> Cause:
        """Why a session may not have answered by the deadline."""
        ...  # pragma: no cover - a protocol

    async def clean_up(self, commands: Sequence[Command[Any]]) -> None:
        """Send commands that are owed, also when cancelled: shielded, and bounded by a second."""
        ...  # pragma: no cover - a protocol


class SyncDriver(Protocol):
    """A blocking connection to a browser. A deadline is only seen between two commands."""

    name: str

    def execute(self, command: Command[Any], deadline: Deadline) -> Payload:
        """Send one command and wait for its reply.

        Raises:
            HybridsnapError: it was refused, or no reply can come.
        """
        ...  # pragma: no cover - a protocol

    def cause_of_silence(self, session: SessionId | None) -> Cause:
        """Why a session may not have answered by the deadline."""
        ...  # pragma: no cover - a protocol


class Execution(Generic[T]):
    """One run of a plan, without I/O: open commands, pending cleanup, the result.

    At the deadline what is open counts as unanswered.
    """

    def __init__(self, plan: Plan[T], deadline: Deadline) -> None:
        self._plan = plan
        self._deadline = deadline
        self._started = time.monotonic()
        self._wait_all = True
        self._arrived: list[tuple[int, Outcome[Any]]] = []
        self._pending_cleanup: dict[tuple[SessionId | None, str, bytes], Command[Any]] = {}
        self._cleanup_methods: set[str] = set()
        # A plan numbers the commands of each batch anew. What comes for one that has expired must not be
        # taken for the answer to a later one, so what goes out has numbers of its own.
        self._tickets = itertools.count()
        self._asked: dict[int, int] = {}
        self.open: dict[int, Command[Any]] = {}
        #: Seconds that the plan wants to pass before it goes on.
        self.pause: float = 0.0
        #: Whoever runs the plan has its turn before it goes on.
        self.yields_to_runner: bool = False
        #: Until when what is open may take.
        self.until: Deadline = deadline
        self.done: bool = False
        self.result: T | None = None

    @property
    def pending_cleanup(self) -> list[Command[Any]]:
        """Cleanups that have not been sent, last first: sent once more, they do no harm."""
        return list(reversed(self._pending_cleanup.values()))

    def start(self) -> list[tuple[int, Command[Any]]]:
        """Begin; the commands to send."""
        return self._resume(first=True)

    def feed(self, ticket: int, reply: Payload | HybridsnapError) -> None:
        """Take a reply, and parse it now."""
        command = self.open.pop(ticket, None)
        if command is None:
            return
        asked = self._asked.pop(ticket)
        if not isinstance(reply, CommandRefused):  # what was refused has undone nothing
            if command.method in self._cleanup_methods:
                self._pending_cleanup.pop(_key(command), None)
            for cleanup in command.discharges:
                self._pending_cleanup.pop(_key(cleanup), None)
        elapsed, remaining = time.monotonic() - self._started, self._deadline.remaining
        outcome: Outcome[Any]
        if isinstance(reply, HybridsnapError):
            outcome = Failure(reply, elapsed, remaining)
        else:
            try:
                with paused_collector():
                    outcome = Reply(command.parse(reply), elapsed, remaining)
                if command.cleanup_from_reply is not None:
                    self._note_cleanup(command.cleanup_from_reply(outcome.value))
            except (msgspec.MsgspecError, ValueError, KeyError, TypeError, RecursionError) as error:
                outcome = Failure(unreadable(command.method, error), elapsed, remaining)
        self._arrived.append((asked, outcome))

    def expire(self, cause_of: Driver | SyncDriver) -> None:
        """Answer everything that is still open with "unanswered"."""
        for ticket, command in list(self.open.items()):
            self.feed(ticket, unanswered(command.method, cause_of.cause_of_silence(command.session)))

    def advance(self) -> list[tuple[int, Command[Any]]]:
        """Resume the plan if it can go on; the commands to send next."""
        if self.done or not (self._arrived or not self.open) or (self._wait_all and self.open):
            return []
        return self._resume()

    def close(self) -> None:
        """End the plan early."""
        self._plan.close()

    def _resume(self, *, first: bool = False) -> list[tuple[int, Command[Any]]]:
        arrived, self._arrived = self._arrived, []
        if not arrived and not first:  # the batch had no commands: its outcome is the time
            arrived = [(0, Reply(None, time.monotonic() - self._started, self._deadline.remaining))]
        try:
            with paused_collector():
                asked = next(self._plan) if first else self._plan.send(arrived)
        except StopIteration as stop:
            self.done = True
            self.result = stop.value
            return []
        self._wait_all = asked.wait_all
        self.pause = min(asked.pause, self._deadline.remaining)
        self.yields_to_runner = asked.yields_to_runner
        self.until = (
            self._deadline.earlier(Deadline.after(asked.timeout)) if asked.timeout else self._deadline
        )
        wanted = self.pending_cleanup if asked.send_cleanups else asked.commands
        commands = [(next(self._tickets), command) for command in wanted]
        for number, (ticket, command) in enumerate(commands, asked.first):
            self.open[ticket] = command
            self._asked[ticket] = number
            if command.cleanup is not None:
                self._note_cleanup(command.cleanup)
        return commands

    def _note_cleanup(self, cleanup: Command[Any]) -> None:
        self._pending_cleanup[_key(cleanup)] = cleanup
        self._cleanup_methods.add(cleanup.method)


def _key(command: Command[Any] | Exchange) -> tuple[SessionId | None, str, bytes]:
    return command.session, command.method, _SORTED.encode(command.params)


def unreadable(method: str, error: Exception) -> ReplyUnreadable:
    """A reply that cannot be parsed, as an error."""
    return ReplyUnreadable(
        f"{method}: the browser's reply is not what the protocol describes ({error})", method=method
    )


#: What a caller in Python is advised to do about a page that is on its way.
WAIT_FOR_IT = "; wait for it (wait_for with load_state), or go elsewhere (goto)"
#: Of a page that is on its way; also where a client of ours says so.
ON_ITS_WAY = f"the page is going to another document, and answers nothing before that is there{WAIT_FOR_IT}"
_SILENCE: dict[str, str] = {
    "busy": "no answer in time: the page is busy (an endless script?)",
    "dialog": "a dialog is open on the page, which answers nothing before that is answered",
    "loading": f"no answer in time: {ON_ITS_WAY}",
    "crashed": "no answer in time: the page has crashed",
    "navigated": f"no answer in time: {ON_ITS_WAY}",
}


def crashed(session: str | None = None) -> TargetCrashed:
    """The error of a command to a page whose renderer has crashed."""
    return TargetCrashed("the page's renderer has crashed; reload the page", session=session)


def unanswered(method: str, cause: Cause) -> CommandUnanswered:
    """An action or a command without a reply, as an error; a command's name comes last where the page is to
    blame.
    """
    why = _SILENCE.get(cause)
    words = f"{method}: {why or f'no answer in time: {cause}'}"
    if why is not None and "." in method:
        words = f"{why} ({method})"
    return CommandUnanswered(words, method=method, cause=cause)


def ignore_reply(_: Payload | HybridsnapError) -> None:
    """For commands whose reply says nothing."""


async def run(
    plan: Plan[T],
    driver: Driver,
    deadline: Deadline,
    between: Callable[[], Awaitable[None]] | None = None,
    ends: Ends | None = None,
) -> T:
    """Run a plan on an async driver.

    Args:
        plan: not started yet.
        driver: to run it on.
        deadline: for all of it.
        between: called where the plan says `yield_to_runner`.
        ends: asked, when the plan is over, for what is owed before its cleanups, which would wait for it.

    Returns:
        What the plan returns; at the deadline it still assembles what is there.

    Raises:
        HybridsnapError: what the plan raises.
    """
    inner = deadline.inner()
    execution = Execution(plan, inner)
    try:
        async with driver.channel() as channel:
            commands = execution.start()
            while not execution.done:
                if commands:
                    await channel.send(commands)
                if execution.yields_to_runner and between is not None:
                    await between()
                if execution.pause:
                    await channel.receive(Deadline.after(execution.pause))  # nothing is open: it only waits
                if execution.open:
                    replies = [*reversed(await channel.receive(execution.until))]
                    if not replies:
                        execution.expire(driver)
                    # A reply of 30 MB goes before the next is parsed, and before the plan makes rows of it.
                    while replies:
                        execution.feed(*replies.pop())
                commands = execution.advance()
    finally:
        execution.close()
        for owed in (ends() if ends is not None else [], execution.pending_cleanup):
            if owed:
                await driver.clean_up(owed)
    return execution.result  # type: ignore[return-value]  # done, so the plan has returned


def owing_deadline(deadline: Deadline) -> Deadline:
    """Until when a blocking driver waits for the answers to what is owed after a call with this deadline."""
    return Deadline.after(min(_OWING_SECONDS, max(LEAST_OWING_SECONDS, deadline.remaining)))


def run_sync(
    plan: Plan[T],
    driver: SyncDriver,
    deadline: Deadline,
    between: Callable[[], None] | None = None,
    ends: Ends | None = None,
) -> T:
    """Run a plan on a blocking driver, one command after the other. Arguments as for `run`.

    Raises:
        HybridsnapError: what the plan raises.
    """
    execution = Execution(plan, deadline)
    try:
        commands = execution.start()
        while not execution.done:
            for ticket, command in commands:
                if execution.until.expired:
                    break
                try:
                    reply: Payload | HybridsnapError = driver.execute(command, execution.until)
                except HybridsnapError as error:
                    reply = error
                execution.feed(ticket, reply)
                del reply  # as in `run`
            if execution.yields_to_runner and between is not None:
                between()
            if execution.pause:  # to sleep for no time takes a tenth of a millisecond
                time.sleep(execution.pause)
            execution.expire(driver)
            commands = execution.advance()
    finally:
        execution.close()
        owing = owing_deadline(deadline)
        for command in (*(ends() if ends is not None else ()), *execution.pending_cleanup):
            try:
                driver.execute(command, owing)
            except HybridsnapError:
                break
    return execution.result  # type: ignore[return-value]  # done, so the plan has returned


@dataclasses.dataclass(slots=True)
class Exchange:
    """One command of a transcript, and its outcome.

    Attributes:
        method, params, session: as sent.
        reply: the message as JSON (``{"result": …}``), or None.
        error: code and words of a refusal, or None.
        cause: why nothing came, when nothing did.
    """

    method: str
    params: dict[str, Any]
    session: SessionId | None
    reply: bytes | None = None
    error: tuple[int, str] | None = None
    cause: Cause | None = None

    def answer(self) -> Payload | HybridsnapError:
        """The reply, as a driver would hand it out."""
        if self.reply is not None:
            return JsonPayload(self.reply)
        if self.error is not None:
            return refused(self.method, *self.error)
        return unanswered(self.method, self.cause or "timeout")


@dataclasses.dataclass(slots=True)
class Transcript:
    """A live run, written down: the sessions it started with, and every command with its reply."""

    sessions: list[SessionInfo]
    exchanges: list[Exchange] = dataclasses.field(default_factory=list)


def refused(method: str, code: int, reason: str) -> CommandRefused:
    """The browser's refusal of a command, as an error."""
    return CommandRefused(f"{method}: {reason} (code {code})", method=method, code=code, reason=reason)


class ReplayDriver:
    """Answers commands from a transcript; each exchange serves once."""

    name = "replay"

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._exchanges: dict[tuple[Any, ...], list[Exchange]] = {}
        for exchange in exchanges:
            self._exchanges.setdefault(_key(exchange), []).append(exchange)
        self.sent: list[Command[Any]] = []

    def execute(self, command: Command[Any], deadline: Deadline) -> Payload:  # noqa: ARG002 - the protocol's
        """The next recorded answer to this very command.

        Raises:
            HybridsnapError: as recorded; `CommandRefused` when the transcript has no answer (left).
        """
        self.sent.append(command)
        waiting = self._exchanges.get(_key(command))
        if not waiting:
            raise refused(command.method, -32601, "the transcript holds no (further) answer to this command")
        answer = waiting.pop(0).answer()
        if isinstance(answer, HybridsnapError):
            raise answer
        return answer

    def cause_of_silence(self, session: SessionId | None) -> Cause:  # noqa: ARG002 - the protocol's
        """A transcript answers or not; it is never silent."""
        return "timeout"


def replay(plan: Plan[T], transcript: Transcript) -> T:
    """Run a plan on a transcript, without a browser and without waiting."""
    return run_sync(plan, ReplayDriver(transcript.exchanges), Deadline.after(3600))
