"""Creating in the browser what only the reply names, without ever losing it.

A tab, a browser context or a session exists before the caller knows its id. What the browser creates after
the deadline is removed when its id comes. Tabs and contexts outlive the connection, so the wait for them is
shielded.
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
from hybridsnap.model import SessionId

if TYPE_CHECKING:
    from hybridsnap.client.connection import Connection, Session
    from hybridsnap.deadline import Deadline
    from hybridsnap.model import ContextId, TargetId
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
_SESSION = Creation("Target.attachToTarget", "sessionId", "Target.detachFromTarget")


def in_context(context: ContextId | None) -> dict[str, Any]:
    """Which profile a command to the browser is about, as its parameter; None is the browser's own."""
    return {} if context is None else {"browserContextId": context}


async def create(connection: Connection, what: Creation, params: dict[str, Any], deadline: Deadline) -> str:
    """Create something and return its id. No checkpoint lies between the reply and the return.

    Raises:
        CommandUnanswered: the time was up; what comes too late is removed.
        HybridsnapError: the browser refuses, or is gone.
    """
    await connection.stand(deadline)
    return await _created(connection, what, params, deadline, shield=True)


async def attach_to(connection: Connection, target_id: TargetId, deadline: Deadline) -> Session:
    """Attach to a target. Cancelled before the answer, the session is detached when that comes.

    Raises:
        CommandRefused: the browser knows no target of this id.
        CommandUnanswered: the deadline passed.
        ConnectionLost: the browser is gone.
    """
    params = {"targetId": target_id, "flatten": True}
    session_id = await _created(connection, _SESSION, params, deadline, shield=False)
    return connection.session(SessionId(session_id), target_id)


async def _created(
    connection: Connection, what: Creation, params: dict[str, Any], deadline: Deadline, *, shield: bool
) -> str:
    answered = trio.Event()
    reply: Payload | HybridsnapError | None = None
    wanted = True

    def remove(came: Payload | HybridsnapError) -> None:
        with contextlib.suppress(HybridsnapError):
            connection.root.post(what.undo, {what.field: what.id_in(came)}, ignore_reply)

    def deliver(came: Payload | HybridsnapError) -> None:
        nonlocal reply
        reply = came
        answered.set()
        if not wanted:
            remove(came)

    connection.root.post(what.method, params, deliver)
    try:
        with trio.move_on_after(deadline.remaining, shield=shield):
            await answered.wait()
    except trio.Cancelled:
        wanted = False
        if reply is not None:  # it has come at the same moment
            remove(reply)
        raise
    if reply is None:
        wanted = False
        raise unanswered(what.method, "timeout")
    return what.id_in(reply)
