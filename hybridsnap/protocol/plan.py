"""Plans: what has to be asked of the browser, without doing any I/O.

A plan is a generator. It yields a `Batch` of commands and is resumed with their outcomes; whoever holds
a connection *runs* it (`hybridsnap.drivers.base`). PyCDP's idea, a command as a generator, one step up.

Inside a plan one does not yield by hand, but says::

    tree, root = yield from gather(get_frame_tree(session), get_document(session))  # all, or the first error
    outcomes = yield from gather_outcomes(*commands)                                # errors as values
    results = yield from parallel([plan_a(), plan_b()])                             # as if at the same time

A command may name its ``cleanup``. Once the command was sent, its cleanup is owed: sent by the plan itself,
or, when the plan fails or is cancelled before that, by whoever runs it.

A plan has no clock. Each outcome carries when it came and how much time is left; ``yield from clock()``
tells the same without a command. Where a person would wait a moment (between two keys), a plan says
``yield from pause(0.05)``, and whoever runs it waits; ``yield from yield_to_runner()`` lets whoever runs it
do something of its own in between. A plan that goes on after a failure says ``yield from send_cleanups()``
first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

from hybridsnap.errors import CommandRefused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import SessionId
    from hybridsnap.protocol.codec import Payload

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
T_co = TypeVar("T_co", covariant=True)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Command(Generic[T_co]):
    """One protocol command.

    Attributes:
        method: such as ``DOM.getDocument``.
        params: its parameters, JSON data.
        session: the flat session it is for; None is the driver's own.
        parse: payload → value; called the moment the reply arrives. Whatever it raises of msgspec's errors,
            ValueError, KeyError, TypeError or RecursionError becomes `ReplyUnreadable`.
        cleanup: what takes the command's effect back.
        cleanup_from_reply: value → what takes the command's effect back, where only its reply can tell.
        discharges: cleanups that are owed no more once this was answered, beside those that are the same
            command.
    """

    method: str
    params: Mapping[str, Any]
    session: SessionId | None
    parse: Callable[[Payload], T_co]
    cleanup: Command[object] | None = None
    cleanup_from_reply: Callable[[Any], Command[object]] | None = None
    discharges: tuple[Command[object], ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Reply(Generic[T_co]):
    """A command's parsed reply.

    Attributes:
        value: what ``parse`` made of it.
        elapsed: seconds from the start of the run to its arrival.
        remaining: seconds left of the deadline then.
    """

    value: T_co
    elapsed: float
    remaining: float


@dataclasses.dataclass(frozen=True, slots=True)
class Failure:
    """What came instead of a reply, stamped as a `Reply` is."""

    error: HybridsnapError
    elapsed: float
    remaining: float


Outcome: TypeAlias = Reply[T] | Failure


@dataclasses.dataclass(frozen=True, slots=True)
class Batch:
    """What a plan yields: commands to be sent now, in this order, back to back.

    Attributes:
        commands: they are numbered from `first` on.
        first: the ticket of the first command. A plan never uses a ticket twice.
        wait_all: True resumes the plan when every open command of it is answered, False as soon as one is.
        pause: seconds to wait before it is resumed, in a batch without commands.
        yields_to_runner: whoever runs the plan has its turn before the plan is resumed; without commands.
        timeout: seconds after which commands without a reply count as unanswered; 0 is the deadline.
        send_cleanups: the cleanups that are owed now are sent, in a batch without commands.
    """

    commands: tuple[Command[Any], ...]
    first: int = 0
    wait_all: bool = True
    pause: float = 0.0
    yields_to_runner: bool = False
    timeout: float = 0.0
    send_cleanups: bool = False


Outcomes: TypeAlias = Sequence[tuple[int, Outcome[Any]]]
Plan: TypeAlias = Generator[Batch, Outcomes, T]


def gather_outcomes(*commands: Command[T], timeout: float = 0.0) -> Plan[list[Outcome[T]]]:
    """Send all, and return the outcome of each, in the order asked. A failure is a value.

    Args:
        commands: to send.
        timeout: seconds that a reply may take; 0 leaves it to the deadline. Not for plans that run in
            `parallel`.
    """
    if not commands:
        return []
    arrived = yield Batch(commands, timeout=timeout)
    by_ticket = dict(arrived)
    return [by_ticket[ticket] for ticket in range(len(commands))]


def pause(seconds: float) -> Plan[None]:
    """Let time pass. Not for plans that run in `parallel`."""
    if seconds > 0:
        yield Batch((), pause=seconds)


def yield_to_runner() -> Plan[None]:
    """Give whoever runs the plan its turn: the ``between`` of `hybridsnap.drivers.base.run`.

    What the plan owes stays owed meanwhile. Not for plans that run in `parallel`.
    """
    yield Batch((), yields_to_runner=True)


def clock() -> Plan[Reply[None]]:
    """The time: ``elapsed`` and ``remaining`` seconds. Sends nothing. Not for plans in `parallel`."""
    ((_, now),) = yield Batch(())
    assert isinstance(now, Reply)
    return now


def send_cleanups() -> Plan[None]:
    """Send every cleanup that is owed by now, and wait for the replies. Not for plans in `parallel`."""
    yield Batch((), send_cleanups=True)


@overload
def gather(first: Command[A], /) -> Plan[tuple[A]]: ...
@overload
def gather(first: Command[A], second: Command[B], /) -> Plan[tuple[A, B]]: ...
@overload
def gather(*commands: Command[T]) -> Plan[tuple[T, ...]]: ...
def gather(*commands: Command[Any]) -> Plan[tuple[Any, ...]]:
    """Send all, and return their values in the order asked.

    Raises:
        HybridsnapError: the first failure, in the order asked.
    """
    outcomes = yield from gather_outcomes(*commands)
    for outcome in outcomes:
        if isinstance(outcome, Failure):
            raise outcome.error
    return tuple(outcome.value for outcome in outcomes if isinstance(outcome, Reply))


def unless_refused(outcome: Outcome[T]) -> T | None:
    """The value of a command; None where the browser refused it.

    Raises:
        HybridsnapError: there was no answer.
    """
    if isinstance(outcome, Reply):
        return outcome.value
    if isinstance(outcome.error, CommandRefused):
        return None
    raise outcome.error


def all_unless_refused(outcomes: Iterable[Outcome[T]]) -> list[T] | None:
    """The values of commands, in the order asked; None where the browser refused one.

    Raises:
        HybridsnapError: one before that has no answer.
    """
    values: list[T] = []
    for outcome in outcomes:
        value = unless_refused(outcome)
        if value is None:
            return None
        values.append(value)
    return values


class _Strand(Generic[T]):
    """One plan among several: its open commands, and the outcomes since it was last resumed."""

    def __init__(self, plan: Plan[T]) -> None:
        self.plan = plan
        self.started = False
        self.ended = False
        self.open = 0
        self.wait_all = True
        self.arrived: list[tuple[int, Outcome[Any]]] = []
        self.result: T | None = None

    @property
    def ready(self) -> bool:
        return not self.ended and (self.open == 0 or (not self.wait_all and bool(self.arrived)))

    def resume(self) -> Batch | None:
        """Go on with what arrived: the next batch, or None when the plan has ended."""
        arrived, self.arrived = self.arrived, []
        try:
            asked = self.plan.send(arrived) if self.started else next(self.plan)
        except StopIteration as stop:
            self.ended = True
            self.result = stop.value
            return None
        if asked.pause or asked.yields_to_runner or asked.timeout or asked.send_cleanups:
            raise TypeError("a plan that runs beside others cannot pause, nor be in a hurry")
        self.started = True
        self.open += len(asked.commands)
        self.wait_all = asked.wait_all
        return asked


def parallel(plans: Sequence[Plan[T]]) -> Plan[list[T]]:
    """Run several plans side by side: what they ask for goes out together, one batch a round.

    No plan waits for another: each goes on as soon as its own commands are answered, so that a frame that
    never answers does not hold up the others.

    Raises:
        HybridsnapError: the first that a plan raises; the others are closed.
    """
    strands = [_Strand(plan) for plan in plans]
    asked_by: dict[int, tuple[_Strand[T], int]] = {}
    tickets = 0
    try:
        while True:
            commands: list[Command[Any]] = []
            first = tickets
            for strand in strands:
                while strand.ready:
                    asked = strand.resume()
                    if asked is None:
                        break
                    for offset, command in enumerate(asked.commands):
                        asked_by[tickets] = (strand, asked.first + offset)
                        commands.append(command)
                        tickets += 1
            if not asked_by:
                return [strand.result for strand in strands]  # type: ignore[misc]  # all have ended
            for ticket, outcome in (yield Batch(tuple(commands), first, wait_all=False)):
                strand, own_ticket = asked_by.pop(ticket)
                strand.open -= 1
                strand.arrived.append((own_ticket, outcome))
    finally:
        for strand in strands:
            strand.plan.close()
