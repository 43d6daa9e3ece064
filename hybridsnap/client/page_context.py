"""What the parts of a page are built with: its sessions, its driver, what was shown of it, its browser."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

from hybridsnap.act.history_store import history_store
from hybridsnap.argument_checks import read_strs
from hybridsnap.client.attachment import PageAttachment
from hybridsnap.client.channel import ConnectionChannel
from hybridsnap.client.console_feed import ConsoleFeed
from hybridsnap.client.console_record import ConsoleRecord
from hybridsnap.client.creation import attach_to
from hybridsnap.client.interception import Interception
from hybridsnap.client.request_log import RequestLog
from hybridsnap.client.workers import PageWorkers
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ON_ITS_WAY, ignore_reply, run, unanswered
from hybridsnap.errors import CommandUnanswered

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable, Sequence

    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.capture.frames import Ordinals, SessionInfo
    from hybridsnap.client.browser_services import BrowserServices
    from hybridsnap.client.connection import Connection, Session
    from hybridsnap.client.viewport import ViewportSize
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import Cause, SessionId, TargetId
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command, Plan

T = TypeVar("T")
#: Input that was on its way to a frame of another process is never answered when the frame goes (measured).
_INPUT = "Input."
#: Chromium draws no frame for the first picture of a tab that went behind another while a client, such as
#: Playwright, emulated its focus; it does for a second one.
_CAPTURE = "Page.captureScreenshot"
#: For a page that is busy, to tell what it has to tell.
_ANSWER_SECONDS = 1.0
#: An answer that is on its way all the same is here by then.
_LATE_SECONDS = 0.25
#: Input that the page handles when it draws a frame, and answers then.
_WITH_FRAMES = frozenset({"mouseMoved", "mouseWheel", "touchStart", "touchMove", "touchEnd", "touchCancel"})
#: The cheapest picture. With a clip, input that comes meanwhile reaches other elements (measured).
_PICTURE = {"format": "jpeg", "quality": 1, "optimizeForSpeed": True}


#: What can be recorded: the parts of a page of these names.
Recorded: TypeAlias = Literal["console", "network"]


def check_recorded(names: Sequence[Recorded]) -> tuple[Recorded, ...]:
    """What is to be recorded, if it can be.

    Raises:
        ValueError, TypeError: it is not one of these names.
    """
    known = get_args(Recorded)
    found = [one for name in read_strs("record", names, "console") for one in known if one == name]
    if len(found) < len(read_strs("record", names, "console")):
        raise ValueError(f"record: expected {' or '.join(known)}, got {names!r}")
    return tuple(found)


class _PageChannel(ConnectionChannel):
    """A channel that does not wait for what a dialog holds up, nor for input to a frame that is gone.

    A tab in the background draws no frames, so it does not answer to moves, touches and the wheel. While a
    picture of it is taken, up to a second or two, it draws; its `visibilityState` stays hidden, and the other
    tabs notice nothing (measured).
    """

    def __init__(self, connection: Connection, attachment: PageAttachment) -> None:
        super().__init__(connection)
        self._attachment = attachment
        self._frames_gone = attachment.frames_gone
        #: The page has left input unanswered that waits for a frame.
        self._draws_late = False
        self._is_pictured = False

    async def send(self, commands: Sequence[tuple[int, Command[Any]]]) -> None:
        self._frames_gone = self._attachment.frames_gone
        await super().send(commands)
        self._attachment.refuse_blocked()
        if self._draws_late:
            self._have_frames_drawn()

    async def receive(self, deadline: Deadline) -> Sequence[tuple[int, Payload | HybridsnapError]]:
        while (self.waits_for(_INPUT) or self.waits_for(_CAPTURE)) and not deadline.expired:
            arrived = await super().receive(Deadline.after(_LATE_SECONDS).earlier(deadline))
            if arrived:
                return arrived
            if self._attachment.frames_gone > self._frames_gone:
                self.fail_open(_INPUT, lambda method: unanswered(method, "detached"))
            self._have_frames_drawn()
        return await super().receive(deadline)

    def _have_frames_drawn(self) -> None:
        """Take a picture of the page, for the input, or another picture, that waits for a frame."""
        waiting = self.waits_for(_CAPTURE) or any(
            command.params.get("type") in _WITH_FRAMES for _, command in self._open.values()
        )
        if waiting and not self._is_pictured:
            self._draws_late = self._is_pictured = True
            self._attachment.root.session.post(_CAPTURE, _PICTURE, self._saw_picture)

    def _saw_picture(self, _: Payload | HybridsnapError) -> None:
        self._is_pictured = False


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
            # What is queued goes out before anything else, and before the connection ends.
            session.post(command.method, command.params, ignore_reply)


class PageContext:
    """One tab as its parts see it. A part takes it alone, and never the `hybridsnap.Page` that it is of.

    Args:
        browser: that the tab belongs to.
        target_id: the tab's id in the browser.
        session: for the user's own commands.
        engine_session: for ours; the same one where the connection is one page's own socket.

    Attributes:
        connection: to the browser.
        attachment: the page's sessions and what their events have told.
        driver: runs plans on those sessions.
        ordinals: the numbers of its frames.
        viewport: that the page was given when it was handed out; None where it was left as it is.
        catches_choosers: file choosers are caught (`hybridsnap.Page.expect_file_chooser`).
    """

    def __init__(
        self, browser: BrowserServices, target_id: TargetId, session: Session, engine_session: Session
    ) -> None:
        self.browser = browser
        self.target_id = target_id
        self.session = session
        self.connection: Connection = browser.connection
        self.attachment: PageAttachment = PageAttachment(self.connection, engine_session, target_id)
        session.cause_of_silence = self.attachment.cause_of_timeout
        self.driver: _PageDriver = _PageDriver(self.connection, self.attachment)
        self._shown = history_store.recall(browser.endpoint, target_id)
        self.ordinals: Ordinals = self._shown.ordinals
        self.viewport: ViewportSize | None = None
        self.catches_choosers: bool = False
        #: The page's workers, while what they say is recorded.
        self.workers: PageWorkers = PageWorkers(
            self.connection,
            self.attachment,
            browser.shared_workers if browser.only_target is None else None,
            functools.partial(browser.tabs.context_of, target_id),
        )
        #: What the page's console says, for all who listen.
        self.console_feed: ConsoleFeed = ConsoleFeed(
            self.attachment, self.workers, shared=session is engine_session
        )
        self.console_record: ConsoleRecord = ConsoleRecord(self.console_feed, self.workers)
        #: The requests of the page.
        self.request_log: RequestLog = RequestLog(self.attachment)
        #: Those that are stopped before they leave the browser.
        self.interception: Interception = Interception(
            self.connection, self.attachment, self.request_log.notices
        )
        self.attachment.start()

    @property
    def history(self) -> ElementHistory:
        """What has been shown of the page; its memory is refreshed by the asking."""
        return history_store.use(self.browser.endpoint, self.target_id, self._shown)

    @property
    def url(self) -> str:
        """Where the page is, as last heard."""
        return self.attachment.root.url

    @property
    def responds(self) -> bool:
        """Whether the page has answered at all since it was attached to."""
        return self.attachment.root.attached

    @property
    def gone(self) -> bool:
        """Whether the page was closed or has crashed, or the connection was lost."""
        return self.attachment.root.session.ended is not None or self.connection.lost

    def begin_recording(self, names: Sequence[Recorded]) -> None:
        """Have parts of the page record. Never waits: what is asked of the page after this comes after it."""
        if "console" in names:
            self.console_record.start()
        if "network" in names:
            self.request_log.start()

    def explain(self, error: CommandUnanswered, what: str) -> CommandUnanswered:
        """An error that says what is in the way of a call, and what to do; others as they are.

        Args:
            error: of one of the call's commands.
            what: the call: ``click``.
        """
        if error.cause == "dialog":
            why = self.attachment.dialog_words()
        elif error.cause in {"loading", "navigated"} and self.attachment.main.navigating:
            why = ON_ITS_WAY
        else:
            return error
        done = "; nothing was done" if error.nothing_done else ""
        explained = CommandUnanswered(f"{what}: {why}{done}", method=error.method, cause=error.cause)
        explained.nothing_done = error.nothing_done
        return explained

    async def receive_events(self, deadline: Deadline) -> None:
        """Wait until what the page's processes and workers have told so far is here.

        Each is asked something: its answer comes after the events from before. One that is busy does not
        answer: it is waited for a second at most, and one that a dialog holds up is not asked.
        """
        bound = deadline.earlier(Deadline.after(_ANSWER_SECONDS))
        await self.attachment.wait_until(lambda: self.workers.unconfirmed <= 0, bound)
        asked = [one for one in self.attachment if not self.attachment.blocked_by_dialog(one)]
        asked += self.workers
        with self.attachment.asking([one.session for one in asked], "Runtime.getIsolateId", {}) as replies:
            await self.attachment.wait_until(lambda: len(replies) == len(asked), bound)

    async def attach_anew(self, deadline: Deadline) -> None:
        """Go on with new sessions to the tab: the ones before are over, or of no use.

        Raises:
            HybridsnapError: the tab is gone, or the browser.
        """
        if self.browser.only_target is None:
            kept = (self.session, self.attachment.root.session)
            new = [await attach_to(self.connection, self.target_id, deadline) for _ in kept]
            for session, one in zip(kept, new, strict=True):
                if one.id is not None:
                    self.connection.rebind(session, one.id)
        self.attachment.renew()

    async def run(self, plan_of: Callable[[Sequence[SessionInfo]], Plan[T]], deadline: Deadline) -> T:
        """Run a plan on the page's sessions, once every frame in another process is attached to."""
        await self.attachment.settled(deadline, 0.5)
        await self.attachment.refuse_kept(deadline)
        return await run(plan_of(self.attachment.sessions()), self.driver, deadline)
