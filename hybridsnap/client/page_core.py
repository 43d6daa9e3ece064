"""What every part of a page stands on: its sessions, its driver, its frames' numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from hybridsnap.act.memory import memory
from hybridsnap.client.attachment import PageAttachment
from hybridsnap.client.channel import ConnectionChannel
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply, run, unanswered

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable, Sequence

    from hybridsnap.act.bindings import Bindings
    from hybridsnap.capture.frames import Ordinals, SessionInfo
    from hybridsnap.client.browser import Browser
    from hybridsnap.client.connection import Connection, Session
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import Cause, Dialog, SessionId, TargetId
    from hybridsnap.protocol.plan import Command, Plan
    from hybridsnap.protocol.wire import Payload

T = TypeVar("T")
DEFAULT_TIMEOUT = 30.0
#: Input that was on its way to a frame of another process is never answered when the frame goes (measured).
_INPUT = "Input."
#: An answer that is on its way all the same is here by then.
_LATE_SECONDS = 0.25


class _PageChannel(ConnectionChannel):
    """A channel that does not wait for what a dialog holds up, nor for input to a frame that is gone."""

    def __init__(self, connection: Connection, attachment: PageAttachment) -> None:
        super().__init__(connection)
        self._attachment = attachment
        self._frames_gone = attachment.frames_gone

    async def send(self, commands: Sequence[tuple[int, Command[Any]]]) -> None:
        self._frames_gone = self._attachment.frames_gone
        await super().send(commands)
        self._attachment.refuse_blocked()

    async def receive(self, deadline: Deadline) -> Sequence[tuple[int, Payload | HybridsnapError]]:
        while self.waits_for(_INPUT) and not deadline.expired:
            arrived = await super().receive(Deadline.after(_LATE_SECONDS).earlier(deadline))
            if arrived:
                return arrived
            if self._attachment.frames_gone > self._frames_gone:
                self.fail_open(_INPUT, lambda method: unanswered(method, "detached"))
        return await super().receive(deadline)


class _PageDriver:
    """`hybridsnap.drivers.base.Driver` over a page's own sessions."""

    def __init__(self, connection: Connection, attachment: PageAttachment) -> None:
        self._connection = connection
        self._attachment = attachment
        self.name: str = connection.transport.name

    def channel(self) -> contextlib.AbstractAsyncContextManager[ConnectionChannel]:
        return _PageChannel(self._connection, self._attachment)

    def cause_of_silence(self, session: SessionId | None) -> Cause:
        return self._attachment.cause_of_silence(session)

    async def clean_up(self, commands: Sequence[Command[Any]]) -> None:
        for command in commands:
            session = self._connection.session_of(command.session)
            session.post(command.method, command.params, ignore_reply)
        await self._connection.flush()


class PageCore:
    """A tab's sessions, and plans run on them. The parts that a `Page` is made of stand on it.

    Attributes:
        browser: that the tab belongs to.
        target_id: the tab's id in the browser.
        session: for commands of your own. It is not the session that captures use: what you enable there
            does not touch them, nor they you. (Where the connection is one page's own socket there is
            only one session, shared by both.)
    """

    def __init__(
        self, browser: Browser, target_id: TargetId, session: Session, engine_session: Session
    ) -> None:
        self.browser = browser
        self._connection: Connection = browser.connection
        self._attachment = PageAttachment(self._connection, engine_session, target_id)
        self._shown = memory.recall(browser.endpoint, target_id)
        self._driver = _PageDriver(self._connection, self._attachment)
        self.target_id = target_id
        self.session = session
        #: File choosers are caught (`Page.expect_file_chooser`).
        self._catches_choosers = False
        self._attachment.start()

    @property
    def _bindings(self) -> Bindings:
        """What has been shown of the page; its memory is refreshed by the asking."""
        return memory.use(self.browser.endpoint, self.target_id, self._shown)

    @property
    def _ordinals(self) -> Ordinals:
        """Its frames' numbers."""
        return self._shown.ordinals

    @property
    def url(self) -> str:
        """Where the page is, as last heard."""
        return self._attachment.root.url

    @property
    def dialogs(self) -> tuple[Dialog, ...]:
        """Dialogs that are open now, oldest first. `Page.answer_dialog` answers."""
        return tuple(self._attachment.dialogs)

    @property
    def responds(self) -> bool:
        """Whether the page has answered at all since it was attached to.

        One that was in an endless script then, or had a dialog open, does not. Such a dialog is not in
        `dialogs`: only who saw it open hears of it and can answer it. `Page.goto` closes it.
        """
        return self._attachment.root.attached

    @property
    def sessions(self) -> list[Session]:
        """The sessions captures use: the page's own first, then one for each frame in another process."""
        return [one.session for one in self._attachment]

    async def settled(self, deadline: Deadline) -> None:
        """Wait until every frame in another process is attached to."""
        await self._attachment.settled(deadline)

    async def _run(self, plan_of: Callable[[Sequence[SessionInfo]], Plan[T]], deadline: Deadline) -> T:
        """Run a plan on the page's sessions, once every frame in another process is attached to."""
        await self._attachment.settled(deadline.share(0.5))
        return await run(plan_of(self._attachment.sessions()), self._driver, deadline)
