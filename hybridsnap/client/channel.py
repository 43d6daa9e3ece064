"""A plan's way to the browser and back, over a connection."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Self

import trio

from hybridsnap.client.changes import Changes
from hybridsnap.errors import HybridsnapError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.client.connection import Connection
    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command

#: A session answers these and the bulk commands strictly in the order asked (its renderer's main thread).
_IN_ORDER = frozenset({"Page.getFrameTree", "DOM.disable"})
_BULK = frozenset(
    {"DOM.getDocument", "DOM.getFlattenedDocument", "DOM.describeNode", "Accessibility.getFullAXTree"}
)


class ConnectionChannel:
    """`hybridsnap.drivers.base.Channel` on a connection.

    Over a websocket Chromium drops a reply of more than 256 MB, and says nothing (measured). It is missed
    when a later command of the same session is answered first.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open: dict[int, tuple[int, Command[Any]]] = {}
        self._arrived: list[tuple[int, Payload | HybridsnapError]] = []
        self._changes = Changes()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for number, _command in self._open.values():
            self._connection.forget(number)

    def fail_open(self, methods: str, error: Callable[[str], HybridsnapError]) -> None:
        """Answer with an error what is open and begins with `methods`."""
        for ticket, (number, command) in list(self._open.items()):
            if command.method.startswith(methods):
                self._connection.forget(number)
                self.put(ticket, error(command.method))

    def waits_for(self, methods: str) -> bool:
        """Whether something is open whose name begins so."""
        return any(command.method.startswith(methods) for _, command in self._open.values())

    def put(self, ticket: int, reply: Payload | HybridsnapError) -> None:
        """Take a reply. Called by the reader."""
        _, command = self._open.pop(ticket, (0, None))
        self._arrived.append((ticket, reply))
        self._changes.notify()
        if command is not None and command.method in _IN_ORDER and not isinstance(reply, HybridsnapError):
            self._miss_dropped(ticket, command)

    def _miss_dropped(self, answered: int, by: Command[Any]) -> None:
        """Bulk replies that should have come before this one were dropped for their size."""
        for ticket, (_, command) in list(self._open.items()):
            if ticket < answered and command.session == by.session and command.method in _BULK:
                self.fail_dropped(ticket)

    def fail_dropped(self, ticket: int) -> None:
        """The reply to this command was dropped for its size, if the command is still open."""
        if ticket in self._open:
            number, command = self._open[ticket]
            self._connection.forget(number)
            self.put(ticket, self._connection.too_large(command.method, self._connection.transport.cap_bytes))

    async def send(self, commands: Sequence[tuple[int, Command[Any]]]) -> None:
        """Queue the commands; they are adjacent on the wire, and all or none are sent."""
        await trio.lowlevel.checkpoint_if_cancelled()
        connection = self._connection
        for ticket, command in commands:
            session = connection.session_of(command.session)
            deliver = functools.partial(self.put, ticket)
            number = connection.post(session, command.method, command.params, deliver, of_channel=True)
            if connection.waits_for(number):
                self._open[ticket] = (number, command)

    async def receive(self, deadline: Deadline) -> Sequence[tuple[int, Payload | HybridsnapError]]:
        """What has arrived; nothing at the deadline."""
        if self._arrived:
            await trio.lowlevel.checkpoint()
        await self._changes.wait_until(lambda: bool(self._arrived), deadline)
        arrived, self._arrived = self._arrived, []
        return arrived
