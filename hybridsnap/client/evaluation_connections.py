"""The sessions that evaluations run on, apart from the sessions that everything else of a page uses.

There is one session per target, and all of them are kept on one websocket of their own to the same endpoint,
so an evaluation costs one round trip, and a large result holds up no other reply. Both are opened when they
are first needed. Where there can be no second websocket (the pipe, a tunnel that carries one connection), the
sessions are further ones of the browser's connection; where there can be no further session (one page's own
socket), evaluations run on the session that captures use. `Metrics.ways` counts each of the three, and
`Metrics.fallbacks` why it was not the first.

A session in which a script was left unfinished is not used again: it is detached as soon as no other
evaluation uses it, and what the script left in it (handles, promises that are waited for) goes with it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from typing import TYPE_CHECKING, Literal, TypeAlias

import trio

from hybridsnap.client.changes import acquire_within
from hybridsnap.client.connection import open_connection
from hybridsnap.client.creation import attach_to
from hybridsnap.client.transport import background_nursery
from hybridsnap.client.websocket import open_websocket
from hybridsnap.drivers.base import ignore_reply, unanswered
from hybridsnap.errors import CommandRefused, ConnectionLost, EndpointError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from hybridsnap.client.connection import Connection, Session
    from hybridsnap.client.metrics import Metrics
    from hybridsnap.deadline import Deadline
    from hybridsnap.model import TargetId

_log = logging.getLogger("hybridsnap")

Way: TypeAlias = Literal["own connection", "second session", "own session"]
#: The share of an evaluation's time that opening the connection may take; then a second session is used.
_CONNECTING_SHARE = 0.4
#: An endpoint that did not let a second connection in within so many seconds is not asked again.
_PATIENT_SECONDS = 0.3
_NO_TARGET = "the second connection has no such target"


@dataclasses.dataclass(eq=False, slots=True)
class EvaluationSession:
    """A session that evaluations of one target run on.

    Attributes:
        session: attached to the target.
        way: which of the three kinds of session.
        users: how many evaluations use it now.
        spent: a script may have been left unfinished in it.
    """

    session: Session
    way: Way
    users: int = 0
    spent: bool = False

    @property
    def usable(self) -> bool:
        """Whether another evaluation can be begun in it."""
        return not self.spent and self.session.ended is None and not self.session.connection.lost


class EvaluationConnections:
    """Opens and keeps the sessions that evaluations in one browser run on.

    Args:
        connection: the browser's.
        url: of the websocket that a second connection is opened to; anything else where there is none (the
            pipe).
        headers: of the handshake.
        only_target: the page, when the connection is one page's own socket.
        metrics: to count in.
    """

    def __init__(
        self,
        connection: Connection,
        url: str,
        headers: Mapping[str, str] | None,
        only_target: TargetId | None,
        metrics: Metrics,
    ) -> None:
        self._connection = connection
        self._url = url
        self._headers = headers
        self._only_target = only_target
        self._metrics = metrics
        self._nursery: trio.Nursery | None = None
        self._second: Connection | None = None
        self._scope: trio.CancelScope | None = None
        self._opening = trio.Lock()
        self._kept: dict[TargetId, EvaluationSession] = {}
        #: Why no second connection is tried (any more).
        self._refused: str | None = None if url.startswith(("ws://", "wss://")) else "pipe"
        #: Why the last evaluation that looked for the second connection did without it.
        self._lacking: str = ""

    @contextlib.asynccontextmanager
    async def session(
        self, target_id: TargetId, own_session: Session, deadline: Deadline
    ) -> AsyncIterator[EvaluationSession]:
        """A session of a target for the length of the block.

        Raises:
            HybridsnapError: the target is gone, or the browser.
        """
        await self._connection.stand(deadline)
        if self._connection.lost:
            raise ConnectionLost("the connection to the browser was lost", may_have_been_executed=False)
        used = self._kept.get(target_id)
        if used is None or not used.usable:
            used = await self._open(target_id, own_session, deadline)
        if used.way != "own connection":
            self._metrics.fallbacks[self._refused or self._lacking] += 1
        self._metrics.ways[used.way] += 1
        used.users += 1
        try:
            yield used
        finally:
            used.users -= 1
            if not used.usable:
                if self._kept.get(target_id) is used:
                    del self._kept[target_id]
                if not used.users:
                    self._detach(used)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """For the length of the block a second connection can be held open; its sessions go with it."""
        async with background_nursery() as self._nursery:
            try:
                yield
            finally:
                if self._scope is not None:
                    self._scope.cancel()

    async def _open(self, target_id: TargetId, own_session: Session, deadline: Deadline) -> EvaluationSession:
        opened = await self._on_second_connection(target_id, deadline.share(_CONNECTING_SHARE))
        if opened is None and self._only_target is not None:
            return EvaluationSession(own_session, "own session")
        if opened is None:
            session = await attach_to(self._connection, target_id, deadline)
            opened = EvaluationSession(session, "second session")
            if self._lacking == _NO_TARGET:  # as it is there: a service with a browser for each connection
                self._refused = _NO_TARGET
        kept = self._kept.get(target_id)
        if kept is not None and kept.usable:  # another evaluation was faster
            self._detach(opened)
            return kept
        # Those of targets that are gone are asked for no more.
        self._kept = {id_: one for id_, one in self._kept.items() if one.usable}
        self._kept[target_id] = opened
        return opened

    async def _on_second_connection(
        self, target_id: TargetId, patience: Deadline
    ) -> EvaluationSession | None:
        """A session of the second connection; None where there is none, with the reason in `_lacking`."""
        if self._only_target not in (None, target_id):
            self._lacking = "a page's own socket reaches no other target"
            return None
        if self._refused is not None:
            return None
        seconds = patience.remaining
        try:
            connection = await self._connected(patience)
            if self._only_target is not None:
                return EvaluationSession(connection.root, "own connection")
            return EvaluationSession(await attach_to(connection, target_id, patience), "own connection")
        except CommandRefused as error:
            self._note(_NO_TARGET, error)
        except (EndpointError, ConnectionLost, TimeoutError) as error:
            if isinstance(error, EndpointError) and not patience.expired:
                # Whoever refuses once does so again, and asking may take its time.
                self._refused = self._note("no second connection", error)
            else:
                reason = self._note("the second connection is slow", error)
                if seconds >= _PATIENT_SECONDS:
                    self._refused = reason
        return None

    async def _connected(self, patience: Deadline) -> Connection:
        """The second connection.

        Raises:
            EndpointError: there is none to be had.
            CommandUnanswered: another evaluation is still opening it.
        """
        if not await acquire_within(self._opening, patience):
            raise unanswered("Target.attachToTarget", "timeout")
        try:
            if self._second is None or self._second.lost:
                assert self._nursery is not None, "the browser is open"
                self._second = await self._nursery.start(self._serve, patience)
            return self._second
        finally:
            self._opening.release()

    async def _serve(self, patience: Deadline, *, task_status: trio.TaskStatus[Connection]) -> None:
        """Hold a connection open to the end: cancelled evaluations have yet to end their scripts on it."""
        with trio.CancelScope() as scope:
            async with (
                open_websocket(self._url, self._headers, patience) as transport,
                open_connection(transport) as connection,
            ):
                self._scope = scope
                scope.shield = True
                task_status.started(connection)
                await connection.wait_ended()

    def _note(self, reason: str, error: Exception) -> str:
        self._lacking = reason
        _log.info("an evaluation does not run over a connection of its own: %s (%s)", reason, error)
        return reason

    def _detach(self, opened: EvaluationSession) -> None:
        session = opened.session
        if session.id is None or opened.way == "own session" or session.connection.lost:
            return
        session.connection.root.post("Target.detachFromTarget", {"sessionId": session.id}, ignore_reply)
        session.connection.drop(session)
