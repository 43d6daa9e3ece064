"""What events tell of an action, and waiting until the page has settled after it.

What a click begins shows in this order (measured in Chromium 156)::

    link, form, location=   frameScheduledNavigation/frameRequestedNavigation, around the reply to the input,
                            frameStartedNavigating, …, frameNavigated, domContentEventFired
    history.back()          frameStartedNavigating, 5 ms after the reply
    setTimeout(…, 0)        the same as a link, 7 ms after the reply
    #fragment, pushState    navigatedWithinDocument; nothing is requested
    javascript:             scheduled and cleared; nothing is requested
    download, 204, mailto   as a link, then frameStoppedLoading without frameNavigated; a download is
                            announced up to 20 ms after that
    beforeunload            requested, then the dialog; the rest when it is answered
    window.open             windowOpen before the reply

From frameStartedNavigating to frameNavigated the browser holds back commands to the page, so a page that does
not answer may be on its way. Everything is known one frame of the page after the reply, but for what the page
itself puts off: so quiet is looked for from within the page, in one round trip.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from hybridsnap.act.receipt import Moved
from hybridsnap.client.console import Console
from hybridsnap.client.page_core import PageCore
from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandError, ConnectionLost, HybridsnapError
from hybridsnap.model import FrameId, TargetId
from hybridsnap.protocol.commands import call_function, create_isolated_world
from hybridsnap.protocol.replies import CallResult, IsolatedWorld

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hybridsnap.client.attachment import AttachedSession, PageAttachment
    from hybridsnap.client.browser import Browser
    from hybridsnap.client.connection import Session
    from hybridsnap.client.console import ConsoleErrors
    from hybridsnap.model import Dialog
    from hybridsnap.protocol.wire import Payload

#: A page that goes on changing is waited for no longer than this.
_QUIET_SECONDS = 0.25
#: What was asked for begins within this, or was refused (by a policy, by the page's own handler).
_BEGIN_SECONDS = 0.5
#: A download is announced this soon after its navigation ended.
_ANNOUNCE_SECONDS = 0.1
#: A frame's new document, not the page's, is waited for no longer than this.
_FRAME_SECONDS = 2.0
#: A new tab has its id this soon after it was asked for.
_TAB_SECONDS = 1.0
#: A page that sends the visitor on and on is followed so often.
_HOPS = 5
#: Between two questions for a new tab's id.
_TAB_STEP = 0.02
#: Navigations that load nothing.
_WITHIN = frozenset({"sameDocument", "historySameDocument"})
#: Resolves when two frames have passed without a mutation (those of ``style`` do not count: so scripts
#: animate), or after `most` ms. The second is not waited for to its end. A hidden page has no frames, and its
#: timers are slow.
_QUIET = """function (most) {
  const hidden = Object.getOwnPropertyDescriptor(Document.prototype, "hidden").get;
  const end = performance.now() + most;
  let still = 0;
  const observer = new MutationObserver((records) => {
    if (records.some((one) => one.attributeName !== "style")) still = 0;
  });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, all);
  return new Promise((done) => {
    const wait = () => {
      const mine = still;
      let over = false;
      const next = () => {
        if (over) return;
        over = true;
        still++;
        if (still >= 2 || performance.now() >= end) { observer.disconnect(); done(still >= 2); } else wait();
      };
      if (hidden.call(document)) {
        const channel = new MessageChannel();
        channel.port1.onmessage = next;
        channel.port2.postMessage(0);
      } else {
        requestAnimationFrame(next);
        setTimeout(next, mine ? 8 : 30);
      }
    };
    wait();
  });
}"""

#: Resolves when the document has been parsed.
_PARSED = """function () {
  const state = Object.getOwnPropertyDescriptor(Document.prototype, "readyState").get;
  if (state.call(document) !== "loading") return true;
  return new Promise((done) => addEventListener("DOMContentLoaded", () => done(true), { once: true }));
}"""


@dataclasses.dataclass(frozen=True, slots=True)
class FileOffered:
    """A download that began.

    Attributes:
        url: of what is downloaded.
        file_name: as suggested, not made safe.
        guid: the browser's name for it.
        frame: in which it began.
    """

    url: str
    file_name: str
    guid: str
    frame: FrameId


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What events told of an action, until the page had settled.

    Attributes:
        ended_by: what ended the waiting: ``quiet``, ``busy`` (the page went on changing), ``loaded``,
            ``no document`` (a navigation ended without one), ``dialog``, ``crashed``, ``closed`` or
            ``deadline``.
        navigation: the last of the main frame; None when there was none, or it brought no document.
        frame_navigations: of other frames that were there before.
        no_document: where a navigation was going that brought none: an answer without content, a download, a
            program outside, or the page stopped it.
        dialog: that was opened, and is open still.
        dialogs: how many were opened.
        downloads: that began.
        opened_urls: of windows that were opened, in order.
        new_targets: the tabs they are, as far as the browser has named them.
        console_errors: errors the page logged or threw meanwhile.
        rewritten: the document was opened and written anew (``document.write``).
        elapsed_ms: of the waiting.
    """

    ended_by: str
    navigation: Moved | None = None
    frame_navigations: tuple[Moved, ...] = ()
    no_document: str | None = None
    dialog: Dialog | None = None
    dialogs: int = 0
    downloads: tuple[FileOffered, ...] = ()
    opened_urls: tuple[str, ...] = ()
    new_targets: tuple[TargetId, ...] = ()
    console_errors: tuple[str, ...] = ()
    rewritten: bool = False
    elapsed_ms: float = 0.0


@dataclasses.dataclass(slots=True)
class _Course:
    """How far the navigations of one frame have come.

    Attributes:
        scheduled, requested: asked for by the page, and not begun yet.
        going: where to, once begun, until there is a document.
        moved: how many documents came while we looked; `url` of the last, `parsed` when it is known to be.
        within: where it moved within its document.
        empty: where a navigation was going that ended without a document.
    """

    scheduled: bool = False
    requested: bool = False
    going: str | None = None
    url: str = ""
    moved: int = 0
    parsed: bool = False
    within: str | None = None
    empty: str | None = None

    @property
    def asked(self) -> bool:
        return (self.scheduled or self.requested) and self.going is None

    def arrive(self) -> None:
        self.moved += 1
        self.going = self.within = self.empty = None
        self.parsed = False

    def told(self) -> Moved | None:
        if self.moved:
            return Moved(self.url, same_document=False, reached=self.parsed)
        if self.going is not None:
            return Moved(self.going, same_document=False, reached=False)
        return None if self.within is None else Moved(self.within, same_document=True, reached=True)


class _Question:
    """A function called in a frame's isolated world, on whose answer nobody waits by itself.

    Attributes:
        answered: something came, be it an error.
        value: what it returned; None with an error.
    """

    def __init__(
        self,
        one: AttachedSession,
        frame: FrameId,
        function: str,
        arguments: Sequence[Any],
        pulse: Callable[[], None],
    ) -> None:
        self._session = one.session
        self._frame = frame
        self._function = function
        self._arguments = arguments
        self._pulse = pulse
        self._open: int | None = None
        self._world: int | None = None
        self._wanted = False
        self.answered: bool = False
        self.value: Any = None

    def prepare(self) -> None:
        """Ask for the world."""
        command = create_isolated_world(self._session.id, self._frame)
        self._open = self._session.post(command.method, command.params, self._made)

    def ask(self) -> None:
        """Call the function, once there is a world."""
        self._wanted = True
        if self._world is None:
            return
        on = {"executionContextId": self._world}
        given = [{"value": one} for one in self._arguments]
        command = call_function(self._session.id, self._function, on, given, "", by_value=True)
        self._open = self._session.post(
            command.method, {**command.params, "awaitPromise": True}, self._answer
        )

    def forget(self) -> None:
        """Nobody wants to know any more."""
        if self._open is not None:
            self._session.connection.forget(self._open)

    def _made(self, reply: Payload | HybridsnapError) -> None:
        self._open = None
        if isinstance(reply, HybridsnapError):
            self._answer(reply)
            return
        self._world = reply.result(IsolatedWorld).execution_context_id
        if self._wanted:
            self.ask()

    def _answer(self, reply: Payload | HybridsnapError) -> None:
        self._open = None
        self.answered = True
        if not isinstance(reply, HybridsnapError):
            self.value = reply.result(CallResult).result.value
        self._pulse()


class EventWatch:
    """The events of a page from before an action on. `Settling._watch_events` makes it."""

    def __init__(self, page: PageCore, attachment: PageAttachment, errors: ConsoleErrors) -> None:
        self._browser = page.browser
        self._attachment = attachment
        self._errors = errors
        self._committed = attachment.main.committed
        self._crashes = attachment.crashes
        self._main = _Course()
        #: Of the frames that were there at the start, the main frame aside.
        self._frames: dict[FrameId, _Course] = {
            frame: _Course() for one in attachment for frame in (*one.frames, *filter(None, [one.root_frame]))
        }
        self._main_frame = attachment.root.root_frame or FrameId(str(attachment.target_id))
        self._frames.pop(self._main_frame, None)
        self._dialogs = 0
        self._downloads: list[FileOffered] = []
        self._opened: list[str] = []
        self._tabs: set[TargetId] = set()
        self._rewritten = False
        self._quiet_question = self._question(
            attachment.root, self._main_frame, _QUIET, _QUIET_SECONDS * 1000
        )
        self._readers: dict[str, Callable[[AttachedSession, dict[str, Any]], None]] = {
            "Page.frameScheduledNavigation": self._scheduled,
            "Page.frameClearedScheduledNavigation": self._cleared,
            "Page.frameRequestedNavigation": self._requested,
            "Page.frameStartedNavigating": self._started,
            "Page.frameNavigated": self._navigated,
            "Page.frameStoppedLoading": self._stopped,
            "Page.frameDetached": self._detached,
            "Page.navigatedWithinDocument": self._moved_within,
            "Page.documentOpened": self._document_opened,
            "Page.javascriptDialogOpening": self._dialog_opened,
            "Page.downloadWillBegin": self._download_began,
            "Page.windowOpen": self._window_opened,
        }

    def start(self) -> None:
        """Begin to look. Sends what is wanted later, and waits for nothing."""
        self._attachment.listeners.append(self.take)
        self._quiet_question.prepare()
        self._browser.session.post("Target.getTargets", {}, self._know_tabs)

    def stop(self) -> None:
        """Look no more."""
        self._attachment.listeners.remove(self.take)
        self._quiet_question.forget()

    def take(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        """Look at an event. Called by the reader."""
        reader = self._readers.get(method)
        if reader is not None:
            reader(one, params)
            self._attachment.pulse()

    async def settle(self, deadline: Deadline, *, frame: FrameId | None = None) -> Settled:
        """Wait until what the action began has come to a rest.

        A navigation that began is awaited to its DOMContentLoaded, also through redirects by script. Else two
        frames without a mutation are waited for, at most 250 ms. An open dialog, a crash, the end of the page
        end it at once.

        Args:
            deadline: for all of it.
            frame: another frame than the main one in which quiet is to be looked for too.

        Cost: one round trip and some 20 ms when nothing happens; no round trip when a navigation has begun.

        Raises:
            ConnectionLost: the browser is gone.
        """
        started = time.monotonic()
        ended_by = await self._settled(deadline, frame)
        opened = await self._named_tabs(deadline) if self._opened else ()
        if self._browser.connection.lost:
            raise ConnectionLost("the connection to the browser was lost while the page was settling")
        return self._told(ended_by, opened, time.monotonic() - started)

    async def _settled(self, deadline: Deadline, frame: FrameId | None) -> str:
        for _ in range(_HOPS):
            quiet = False
            if not self._moving():
                quiet = await self._quiet(deadline, frame)
            if not self._moving():
                await self._framed(deadline)
                return self._obstacle() or self._resting(quiet=quiet)
            await self._arrived(deadline)
            if obstacle := self._obstacle():
                return obstacle
            if self._main.moved and not self._moving():
                break
            if deadline.expired:
                return "deadline"
        return "loaded"

    def _resting(self, *, quiet: bool) -> str:
        if self._main.moved:
            return "loaded"
        if self._main.empty is not None:
            return "no document"
        return "quiet" if quiet else "busy"

    def _moving(self) -> bool:
        """Whether the main frame is on its way to another document."""
        main = self._main
        return main.asked or main.going is not None or (main.moved > 0 and not self._loaded())

    def _loaded(self) -> bool:
        main = self._attachment.main
        return main.committed > self._committed and main.content_loaded

    def _obstacle(self) -> str | None:
        attachment = self._attachment
        session = attachment.root.session
        if self._browser.connection.lost or session.ended == "detached":
            return "closed"
        if attachment.crashes > self._crashes or session.ended == "crashed":
            return "crashed"
        return "dialog" if self._dialogs and attachment.dialogs else None

    async def _until(self, reached: Callable[[], bool], *deadlines: Deadline) -> None:
        first = min(deadlines, key=lambda one: one.at)
        await self._attachment.wait_until(lambda: reached() or self._obstacle() is not None, first)

    async def _arrived(self, deadline: Deadline) -> None:
        """Wait for the main frame's new document, or for the end of its way there."""
        main = self._main
        await self._until(lambda: not main.asked, Deadline.after(_BEGIN_SECONDS), deadline)
        if main.asked and self._obstacle() is None:
            main.scheduled = main.requested = False
        before = len(self._downloads)
        await self._until(lambda: not self._moving() or main.asked, deadline)
        if main.empty is not None and not self._moving():
            announced = Deadline.after(_ANNOUNCE_SECONDS)
            await self._until(lambda: len(self._downloads) > before or self._moving(), announced, deadline)

    async def _quiet(self, deadline: Deadline, frame: FrameId | None) -> bool:
        """Look for two frames without a mutation; False when they did not come within 250 ms."""
        questions = [self._quiet_question]
        inner = None if frame in {None, self._main_frame} else self._attachment.session_with(frame)
        if inner is not None and frame is not None:
            questions.append(self._question(inner, frame, _QUIET, _QUIET_SECONDS * 1000))
            questions[-1].prepare()
        try:
            for one in questions:
                one.answered = False
                one.ask()
            bound = Deadline.after(_QUIET_SECONDS)
            await self._until(
                lambda: all(one.answered for one in questions) or self._moving(), bound, deadline
            )
            return all(one.value for one in questions)
        finally:
            for one in questions:
                one.forget()

    async def _framed(self, deadline: Deadline) -> None:
        """Wait until the documents that other frames were sent to have been parsed."""
        bound = min(deadline, Deadline.after(_FRAME_SECONDS), key=lambda one: one.at)
        for frame, course in list(self._frames.items()):
            if course.asked or course.going is not None or course.moved:
                await self._parsed(frame, course, bound)

    async def _parsed(self, frame: FrameId, course: _Course, bound: Deadline) -> None:
        await self._until(lambda: not course.asked and course.going is None, bound)
        one = self._attachment.session_with(frame)
        if one is None or not course.moved or self._obstacle() is not None:
            return
        question = self._question(one, frame, _PARSED)
        question.prepare()
        question.ask()
        try:
            await self._until(lambda: question.answered, bound)
        finally:
            question.forget()
        course.parsed = bool(question.value)

    def _question(self, one: AttachedSession, frame: FrameId, function: str, *arguments: Any) -> _Question:
        return _Question(one, frame, function, arguments, self._attachment.pulse)

    async def _named_tabs(self, deadline: Deadline) -> tuple[TargetId, ...]:
        """The tabs that were opened, as soon as the browser knows them."""
        found: list[TargetId] = []
        bound = min(deadline, Deadline.after(_TAB_SECONDS), key=lambda one: one.at)
        while not bound.expired:
            with contextlib.suppress(CommandError):
                targets = await self._browser.session.send("Target.getTargets", deadline=bound)
                found = [one for one in self._opened_by_us(targets) if one not in self._tabs]
            if len(found) >= len(self._opened):
                break
            await trio.sleep(_TAB_STEP)
        return tuple(found)

    def _opened_by_us(self, targets: dict[str, Any]) -> Iterator[TargetId]:
        ours = {str(self._attachment.target_id)}
        for one in self._attachment:
            ours.update(one.frames)
        for info in targets["targetInfos"]:
            if info["type"] == "page" and ours.intersection(
                (info.get("openerId"), info.get("openerFrameId"))
            ):
                yield TargetId(info["targetId"])

    def _told(self, ended_by: str, tabs: tuple[TargetId, ...], elapsed: float) -> Settled:
        attachment, main = self._attachment, self._main
        moved: Moved | None = None
        if main.moved:
            moved = Moved(attachment.root.url, same_document=False, reached=self._loaded())
        elif main.going is not None:
            moved = Moved(main.going, same_document=False, reached=False)
        elif main.within is not None:
            moved = Moved(main.within, same_document=True, reached=True)
        return Settled(
            ended_by=ended_by,
            navigation=moved,
            frame_navigations=tuple(
                one for one in (course.told() for course in self._frames.values()) if one is not None
            ),
            no_document=None if main.moved else main.empty,
            dialog=attachment.dialogs[-1] if self._dialogs and attachment.dialogs else None,
            dialogs=self._dialogs,
            downloads=tuple(self._downloads),
            opened_urls=tuple(self._opened),
            new_targets=tabs,
            console_errors=self._errors.texts,
            rewritten=self._rewritten,
            elapsed_ms=elapsed * 1000,
        )

    # What the events say.

    def _know_tabs(self, reply: Payload | HybridsnapError) -> None:
        if not isinstance(reply, HybridsnapError):
            with contextlib.suppress(msgspec.MsgspecError, ValueError):
                self._tabs.update(self._opened_by_us(reply.result(dict)))

    def _course(self, frame: str) -> _Course:
        """Of a frame; one that was not there before goes its way unseen."""
        return self._main if frame == self._main_frame else self._frames.get(FrameId(frame), _Course())

    def _scheduled(self, _: AttachedSession, params: dict[str, Any]) -> None:
        if params["delay"] < _BEGIN_SECONDS:
            self._course(params["frameId"]).scheduled = True

    def _cleared(self, _: AttachedSession, params: dict[str, Any]) -> None:
        self._course(params["frameId"]).scheduled = False

    def _requested(self, _: AttachedSession, params: dict[str, Any]) -> None:
        if params["disposition"] == "currentTab":
            self._course(params["frameId"]).requested = True

    def _started(self, _: AttachedSession, params: dict[str, Any]) -> None:
        course = self._course(params["frameId"])
        if params["navigationType"] not in _WITHIN:
            course.going, course.empty = params["url"], None
        course.requested = False

    def _navigated(self, _: AttachedSession, params: dict[str, Any]) -> None:
        frame = params["frame"]
        course = self._course(frame["id"])
        course.url = frame["url"] + frame.get("urlFragment", "")
        course.arrive()

    def _stopped(self, _: AttachedSession, params: dict[str, Any]) -> None:
        course = self._course(params["frameId"])
        if course.going is not None:
            course.going, course.empty = None, course.going

    def _detached(self, _: AttachedSession, params: dict[str, Any]) -> None:
        course = self._course(params["frameId"])
        if params.get("reason") == "swap":  # its document came, in another process
            course.url = course.going or ""
            course.arrive()
        else:
            self._frames.pop(FrameId(params["frameId"]), None)

    def _moved_within(self, _: AttachedSession, params: dict[str, Any]) -> None:
        self._course(params["frameId"]).within = params["url"]

    def _document_opened(self, _: AttachedSession, __: dict[str, Any]) -> None:
        self._rewritten = True

    def _dialog_opened(self, _: AttachedSession, __: dict[str, Any]) -> None:
        self._dialogs += 1

    def _download_began(self, _: AttachedSession, params: dict[str, Any]) -> None:
        frame = FrameId(params["frameId"])
        self._downloads.append(FileOffered(params["url"], params["suggestedFilename"], params["guid"], frame))

    def _window_opened(self, _: AttachedSession, params: dict[str, Any]) -> None:
        self._opened.append(params["url"])


class Settling(PageCore):
    """The part of a page that waits for what an action brings about."""

    def __init__(
        self, browser: Browser, target_id: TargetId, session: Session, engine_session: Session
    ) -> None:
        super().__init__(browser, target_id, session, engine_session)
        self._console = Console(self._attachment, shared=session is engine_session)

    @contextlib.contextmanager
    def _watch_events(self) -> Iterator[EventWatch]:
        """Follow what happens to the page for the length of the block; `EventWatch.settle` waits and tells.

        Nothing is waited for on the way in and out.
        """
        with self._console.listen() as errors:
            watch = EventWatch(self, self._attachment, errors)
            watch.start()
            try:
                yield watch
            finally:
                watch.stop()
