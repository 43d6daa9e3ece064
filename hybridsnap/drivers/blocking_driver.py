"""Plans on any function that sends a command and waits for its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from hybridsnap.deadline import Deadline
from hybridsnap.drivers.attaching import reaching
from hybridsnap.drivers.base import run_sync, unanswered
from hybridsnap.drivers.diagnosis import (
    DIAGNOSIS_SHARE,
    PATIENCE,
    ForeignDriver,
    diagnose_page,
    refused_for,
)
from hybridsnap.errors import CommandUnanswered, HybridsnapError
from hybridsnap.protocol.codec import PlainPayload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.drivers.attaching import AttachStrategy, FlatSessions
    from hybridsnap.drivers.base import Ends
    from hybridsnap.model import SessionId
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command, Plan

    #: (method, params, session, deadline) → the result object, or its message.
    Send: TypeAlias = Callable[
        [str, dict[str, Any], SessionId | None, Deadline], Mapping[str, Any] | Payload | None
    ]

T = TypeVar("T")
#: Of the time that is left, for one command to a child frame's session.
_CHILD_SHARE = 0.4
#: Seconds for a move of the pointer, which is answered when it is drawn: in a tab in the background after 5 s
#: (Chromium 156), or by the press that follows.
_MOVE_SECONDS = 0.3
#: Seconds by which a driver's own timeout may come early.
_MOMENT = 0.005


class BlockingDriver(ForeignDriver):
    """`hybridsnap.drivers.base.SyncDriver` on a function that sends one command and returns its result.

    Commands go one after the other, so a frame that never answers would take the time of all others. Sessions
    but the page's own, the first with a name, get half of what is left for one command, and one that has been
    silent is not asked again, but for what a dialog in its way shows by (`hybridsnap.drivers.diagnosis`).

    Args:
        name: for the report.
        send: (method, params, session, deadline) → the result object; one that cannot be interrupted may
            leave the deadline alone.
    """

    def __init__(self, name: str, send: Send) -> None:
        super().__init__(name)
        self._send = send
        self._first: SessionId | None = None
        self._silent: set[SessionId | None] = set()

    async def run(self, plan: Plan[T], deadline: Deadline, *, ends: Ends | None = None) -> T:
        """As `AsyncioDriver.run`, but that it never suspends (`hybridsnap.drivers.operations`)."""
        if ends is None:
            return run_sync(plan, self, deadline)
        # A driver that knows nothing of sessions: the plan's gets all the time that is left.
        return run_sync(plan, self.anew(), deadline.inner(), ends=ends)

    def attach(self, way: AttachStrategy | FlatSessions, deadline: Deadline) -> list[SessionInfo]:
        """As `AsyncioDriver.attach`."""
        return run_sync(way.attach(), self, reaching(deadline), lambda: self.diagnose(way.page, deadline))

    def execute(self, command: Command[Any], deadline: Deadline) -> Payload:
        """As `SyncDriver.execute`."""
        session = command.session
        if (obstacle := refused_for(command, self.obstacles)) is not None:
            raise obstacle
        if self._first is None:
            self._first = session
        if session in self._silent:
            raise unanswered(command.method, "busy")
        until = deadline if session in (None, self._first) else deadline.share(_CHILD_SHARE)
        try:
            if command.method.startswith("Input."):
                return self._enter(command, until)
            return self._ask(command.method, command.params, session, until)
        except CommandUnanswered as error:
            if error.cause == "dialog":
                self.obstacles[session] = "dialog"
            elif until is not deadline:
                self._silent.add(session)
                self.anew().diagnose(session, deadline, silent=True)
                raise unanswered(command.method, self.cause_of_silence(session)) from error
            raise

    def _ask(
        self, method: str, params: Mapping[str, Any], session: SessionId | None, until: Deadline
    ) -> Payload:
        try:
            result = self._send(method, dict(params), session, until)
        except Exception as error:
            if until.remaining < _MOMENT and not isinstance(error, HybridsnapError):
                raise unanswered(method, "busy") from error
            answer = self._answer_of(method, error)
            if answer is None or answer is error:
                raise
            raise answer from error
        if result is None:  # some have it so where there is nothing to tell
            return PlainPayload({})
        return PlainPayload(result) if isinstance(result, dict) else result  # type: ignore[return-value]

    def _enter(self, command: Command[Any], until: Deadline) -> Payload:
        """Input: where the page does not answer to it, something may have come in its way.

        Its answer, which says nothing, cannot be waited for again: instead the page is asked something.
        """
        session, method, params = command.session, command.method, command.params
        moves = params.get("type") == "mouseMoved"
        patience = _MOVE_SECONDS if moves else PATIENCE
        while True:
            try:
                payload = self._ask(method, params, session, Deadline.after(patience).earlier(until))
            except CommandUnanswered as error:
                if error.cause == "dialog" or until.remaining < _MOMENT:
                    raise unanswered(command.method, error.cause) from None
                if moves:
                    return PlainPayload({})
            else:
                return payload if method == command.method else PlainPayload({})
            self.diagnose(session, until)
            if (obstacle := refused_for(command, self.obstacles)) is not None:
                raise obstacle
            method, params, patience = "Page.getFrameTree", {}, patience * 2

    def anew(self) -> BlockingDriver:
        """Another on the same function, to which no session has been silent yet."""
        other = BlockingDriver(self.name, self._send)
        other.obstacles = self.obstacles
        return other

    def diagnose(self, session: SessionId | None, deadline: Deadline, *, silent: bool = False) -> None:
        """As `AsyncioDriver.diagnose`; `silent` as for `diagnose_page`."""
        cause = run_sync(diagnose_page(session, silent=silent), self, deadline.share(DIAGNOSIS_SHARE))
        if cause is not None:
            self.obstacles[session] = cause

    def clean_up(self, commands: Sequence[Command[Any]]) -> None:
        """Send commands that are owed, until one cannot be sent."""
        for command in commands:
            try:
                self.execute(command, Deadline.after(1))
            except HybridsnapError:
                break
