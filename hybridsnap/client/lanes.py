"""Where evaluations run: apart from the sessions that everything else of a page uses.

Best first: a websocket of its own to the same endpoint; a second session of the browser's one connection; the
session that captures use. What keeps an evaluation from the first way is counted, by reason, in
`hybridsnap.client.metrics.Metrics.fallbacks`.

A connection of its own costs 3 to 7 ms on one machine (measured: handshake and attaching), so none is kept:
it is closed with the evaluation, and what it left goes with it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from typing import TYPE_CHECKING, Literal, TypeAlias

import trio

from hybridsnap.client.connection import open_connection
from hybridsnap.client.websocket import open_websocket
from hybridsnap.drivers.base import ignore_reply, unanswered
from hybridsnap.errors import CommandRefused, ConnectionLost, EndpointError, HybridsnapError
from hybridsnap.model import SessionId, TargetId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from hybridsnap.client.connection import Connection, Session
    from hybridsnap.client.metrics import Metrics
    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.wire import Payload

_log = logging.getLogger("hybridsnap")

Way: TypeAlias = Literal["own connection", "second session", "own session"]
#: Of the time of an evaluation, what a connection of its own may take; then it runs on a second session.
_CONNECTING_SHARE = 0.4
#: How many connections are made at the same time.
_AT_ONCE = 4
#: After so many that did not stand in time, one after the other, none is tried any more.
_TRIES = 3
#: Seconds that such a one must have had.
_LEAST_SECONDS = 0.3


@dataclasses.dataclass(frozen=True, slots=True)
class Door:
    """How a browser was connected to, so that it can be done once more.

    Attributes:
        url: the websocket; anything else where there is none (the pipe).
        headers: of the handshake.
    """

    url: str
    headers: Mapping[str, str] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Lane:
    """Where one evaluation runs.

    Attributes:
        session: attached to the target.
        way: how it came about.
    """

    session: Session
    way: Way


class Lanes:
    """Opens lanes to the targets of one browser.

    Args:
        connection: the browser's.
        door: how to make another.
        only_target: the page, when the connection is one page's own socket.
        metrics: to count in.
    """

    def __init__(
        self, connection: Connection, door: Door, only_target: TargetId | None, metrics: Metrics
    ) -> None:
        self._connection = connection
        self._door = door
        self._only_target = only_target
        self._metrics = metrics
        self._connecting = trio.CapacityLimiter(_AT_ONCE)
        self._slow = 0
        self._lacked: str | None = None
        #: Why no connection of its own is tried any more.
        self._shut: str | None = None if door.url.startswith(("ws://", "wss://")) else "pipe"

    @contextlib.asynccontextmanager
    async def open(
        self, target_id: TargetId, own_session: Session, deadline: Deadline
    ) -> AsyncIterator[Lane]:
        """A lane to a target, for the length of the block; left also when cancelled.

        Args:
            target_id: a page, or a frame in another process.
            own_session: that captures use for it.
            deadline: of the evaluation.

        Raises:
            HybridsnapError: the target is gone, or the browser.
        """
        async with contextlib.AsyncExitStack() as stack:
            session = await self._own_connection(stack, target_id, deadline)
            way: Way = "own connection"
            if session is None and self._only_target is None:
                session = await stack.enter_async_context(self._second_session(target_id, deadline))
                way = "second session"
                # The target is there: a service that starts another browser for each connection.
                self._shut = self._shut or self._lacked
            if session is None:
                session, way = own_session, "own session"
            self._metrics.ways[way] += 1
            yield Lane(session, way)

    async def _own_connection(
        self, stack: contextlib.AsyncExitStack, target_id: TargetId, deadline: Deadline
    ) -> Session | None:
        """A session over a connection of its own; None where there is none to be had, which is counted."""
        reason, self._lacked = self._shut, None
        if reason is None and self._only_target not in (None, target_id):
            reason = "a page's own socket reaches no other target"
        if reason is None and self._connection.lost:
            raise ConnectionLost("the connection to the browser was lost")
        if reason is not None:
            self._metrics.fallbacks[reason] += 1
            return None
        async with contextlib.AsyncExitStack() as opening, self._connecting:
            patience = deadline.share(_CONNECTING_SHARE)
            given = patience.remaining
            try:
                session = await self._connected(opening, target_id, patience)
            except CommandRefused as error:
                self._lacked = self._note("the second connection has no such target", error)
            except EndpointError as error:
                if patience.expired:
                    self._note_slow(given, error)
                else:
                    # Whoever refuses once does so again, and asking may take its time.
                    self._shut = self._note("no second connection", error)
            except (TimeoutError, ConnectionLost) as error:
                self._note_slow(given, error)
            else:
                self._slow = 0
                stack.push_async_exit(opening.pop_all())
                return session
        return None

    def _note_slow(self, given: float, error: Exception) -> None:
        reason = self._note("the second connection is slow", error)
        self._slow += given >= _LEAST_SECONDS
        if self._slow >= _TRIES:
            self._shut = reason

    async def _connected(
        self, opening: contextlib.AsyncExitStack, target_id: TargetId, patience: Deadline
    ) -> Session:
        transport = await opening.enter_async_context(
            open_websocket(self._door.url, self._door.headers, patience)
        )
        connection = await opening.enter_async_context(open_connection(transport))
        if self._only_target is not None:
            return connection.root
        return await attach_to(connection, target_id, patience)

    def _note(self, reason: str, error: Exception) -> str:
        self._metrics.fallbacks[reason] += 1
        _log.info("an evaluation does not run over a connection of its own: %s (%s)", reason, error)
        return reason

    @contextlib.asynccontextmanager
    async def _second_session(self, target_id: TargetId, deadline: Deadline) -> AsyncIterator[Session]:
        """Another session of the browser's connection; detached after the block."""
        session = await attach_to(self._connection, target_id, deadline)
        try:
            yield session
        finally:
            if session.id is not None:
                self._connection.root.post("Target.detachFromTarget", {"sessionId": session.id}, ignore_reply)
                self._connection.drop(session.id)
                await self._connection.flush()


async def attach_to(connection: Connection, target_id: TargetId, deadline: Deadline) -> Session:
    """Attach to a target. Cancelled before the answer, the session is detached when that comes.

    Raises:
        CommandRefused: there is no such target.
        CommandUnanswered: the deadline passed.
        ConnectionLost: the browser is gone.
    """
    arrived = trio.Event()
    reply: Payload | HybridsnapError | None = None
    wanted = True

    def detach(came: Payload | HybridsnapError | None) -> None:
        if came is not None and not isinstance(came, HybridsnapError):
            session_id = came.result(dict)["sessionId"]
            connection.root.post("Target.detachFromTarget", {"sessionId": session_id}, ignore_reply)

    def deliver(came: Payload | HybridsnapError) -> None:
        nonlocal reply
        reply = came
        arrived.set()
        if not wanted:
            detach(came)

    connection.root.post("Target.attachToTarget", {"targetId": target_id, "flatten": True}, deliver)
    try:
        with trio.move_on_after(deadline.remaining):
            await arrived.wait()
    except trio.Cancelled:
        wanted = False
        detach(reply)  # it may have come at the same moment
        raise
    if reply is None:
        wanted = False
        raise unanswered("Target.attachToTarget", "timeout")
    if isinstance(reply, HybridsnapError):
        raise reply
    return connection.session(SessionId(reply.result(dict)["sessionId"]), target_id)
