"""Creating in the browser what only the reply names, without ever losing it.

A tab, or a browser context, exists before the caller knows its id. So the wait for the reply is shielded, and
what the browser creates after the deadline is removed when its id comes.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from hybridsnap.client.connection import raise_here
from hybridsnap.drivers.base import ignore_reply, unanswered, unreadable
from hybridsnap.errors import HybridsnapError

if TYPE_CHECKING:
    from hybridsnap.client.connection import Connection
    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.codec import Payload


@dataclasses.dataclass(frozen=True, slots=True)
class Creation:
    """A command that creates something.

    Attributes:
        method: the command.
        field: of the reply; it holds the new id.
        undo: the command that removes what was created; its one parameter has the same name.
    """

    method: str
    field: str
    undo: str

    def id_in(self, reply: Payload | HybridsnapError) -> str:
        """The id that a reply names.

        Raises:
            HybridsnapError: it names none.
        """
        if isinstance(reply, HybridsnapError):
            raise_here(reply)
        try:
            return str(reply.result(dict)[self.field])
        except (msgspec.MsgspecError, ValueError, KeyError) as error:
            raise unreadable(self.method, error) from error


TAB = Creation("Target.createTarget", "targetId", "Target.closeTarget")
CONTEXT = Creation("Target.createBrowserContext", "browserContextId", "Target.disposeBrowserContext")


async def create(connection: Connection, what: Creation, params: dict[str, Any], deadline: Deadline) -> str:
    """Create something and return its id. No checkpoint lies between the reply and the return.

    Raises:
        CommandUnanswered: the time was up; what comes too late is removed.
        HybridsnapError: the browser refuses, or is gone.
    """
    answered = trio.Event()
    reply: Payload | HybridsnapError | None = None
    late = False

    def deliver(came: Payload | HybridsnapError) -> None:
        nonlocal reply
        reply = came
        answered.set()
        if late:
            with contextlib.suppress(HybridsnapError):
                connection.root.post(what.undo, {what.field: what.id_in(came)}, ignore_reply)

    await connection.stand(deadline)
    with trio.CancelScope(shield=True):
        connection.root.post(what.method, params, deliver)
        with trio.move_on_after(deadline.remaining):
            await answered.wait()
    if reply is None:
        late = True
        raise unanswered(what.method, "timeout")
    return what.id_in(reply)
