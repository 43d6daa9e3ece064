"""What a page's sessions have told so far: its frames, what is loading, which dialog is open.

`PageAttachment` attaches itself to every frame in another process, recursively, as they come and go, and
follows the events that a capture and a navigation need. Handling an event never waits; what it needs to send
is queued.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import trio

from hybridsnap.capture.frames import SessionInfo
from hybridsnap.client.changes import Changes
from hybridsnap.client.dialog_tracker import DialogTracker
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply, unanswered
from hybridsnap.errors import CommandUnanswered, HybridsnapError
from hybridsnap.injected import script
from hybridsnap.model import Dialog, FrameId, LoaderId, SessionId, TargetId
from hybridsnap.protocol.commands import WORLD
from hybridsnap.protocol.replies import FrameTreeResult
from hybridsnap.render.report import KEPT
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hybridsnap.client.connection import Connection, Deliver, Session
    from hybridsnap.model import Cause, SeenDialog
    from hybridsnap.protocol.codec import Payload


def _all_but(*types: str) -> list[dict[str, Any]]:
    return [*({"type": type_, "exclude": True} for type_ in types), {}]


#: Frames only: workers have neither a DOM nor an accessibility tree.
_FRAMES = _all_but("browser", "tab", "service_worker", "shared_worker", "worker", "worklet")
#: Where frames wait for us, Chromium 156 has dedicated workers and worklets wait, even those that a filter
#: excludes: they have to be let go on (measured). The other workers do not wait when they are excluded.
_ALL_THAT_WAIT = _all_but("browser", "tab", "service_worker", "shared_worker")
#: With the workers that somebody listens to. Shared workers are not the page's, as far as the browser knows.
_WITH_WORKERS = _all_but("browser", "tab", "shared_worker")
#: Whoever answers dialogs as they open is given so many seconds.
_DIALOG_PATIENCE = 0.3
#: What a call to a page that a script keeps waits for the script's end, in seconds.
_KEPT_PATIENCE = 1.0
#: Of a dialog's words, so much stands in a message.
_SHOWN = 80


@dataclasses.dataclass(slots=True)
class AttachedSession:
    """One session and the frames of its process.

    Attributes:
        parent: the session through which it was attached; None for the page's own, and a shared worker's.
        root_frame: "" for a worker's.
        frames: frame id → whether it is loading.
        attached: children are being attached to (the browser has confirmed).
        silent_sockets: a websocket's id → how many of its messages in a row were not answered in time.
        worker: what kind of worker it is of (`hybridsnap.client.workers`); empty for frames.
        auto_attach: the parameters of the last `Target.setAutoAttach`; None before the first.
    """

    session: Session
    root_frame: FrameId
    parent_frame: FrameId | None = None
    url: str = ""
    parent: AttachedSession | None = None
    frames: dict[FrameId, bool] = dataclasses.field(default_factory=dict)
    attached: bool = False
    silent_sockets: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    worker: str = ""
    auto_attach: Mapping[str, Any] | None = None


#: Takes an event: the session, the method, the parameters.
Listener: TypeAlias = "Callable[[AttachedSession, str, dict[str, Any]], None]"
#: Called with a frame's session, the session of a worker that was attached through it, and the parameters of
#: that event; returns False for a worker that nobody wants.
TakeWorker: TypeAlias = "Callable[[AttachedSession, Session, dict[str, Any]], bool]"


@dataclasses.dataclass(slots=True)
class MainDocument:
    """How far the main frame's document has come.

    Attributes:
        committed: how many documents there have been.
        unreachable_url: of the document in whose place the browser's own error page stands; "" for none.
        content_loaded, loaded: whether its DOMContentLoaded and load events have fired.
        navigating: another document is on its way.
        kept: ``navigating``, and a script of the document that is there keeps the next one from coming.
        under_way: host → requests that had not ended when a navigation was content with less than ``load``;
            None where none was.
        answer: loader id and HTTP status of the last document that was heard to be answered; it may not be
            there yet, or not any more.
    """

    loader: LoaderId | None = None
    committed: int = 0
    unreachable_url: str = ""
    content_loaded: bool = False
    loaded: bool = False
    navigating: bool = False
    kept: bool = False
    answer: tuple[str, int] | None = None
    under_way: Mapping[str, int] | None = None

    @property
    def status(self) -> int | None:
        """The HTTP status of the document that is there; None where it was not heard of."""
        return self.answer[1] if self.answer is not None and self.answer[0] == self.loader else None

    @property
    def unfinished(self) -> Mapping[str, int] | None:
        """`under_way`, as long as the load event has not fired."""
        return None if self.loaded else self.under_way


class PageAttachment:
    """All sessions of one page."""

    def __init__(self, connection: Connection, root: Session, target_id: TargetId) -> None:
        self._connection = connection
        self.target_id = target_id
        self.root: AttachedSession = AttachedSession(root, FrameId(str(target_id)))
        self._sessions: dict[SessionId | None, AttachedSession] = {root.id: self.root}
        self.main: MainDocument = MainDocument()
        self.dialog_tracker: DialogTracker = DialogTracker()
        #: Those that are open and wait for an answer.
        self.dialogs: list[Dialog] = self.dialog_tracker.open
        #: How often a navigation of the main frame has begun, and how often any frame has arrived somewhere.
        self.departures: int = 0
        self.arrivals: int = 0
        #: How often the main frame has moved within its document.
        self.moves: int = 0
        #: How many frames of other processes have gone.
        self.frames_gone: int = 0
        #: How often the page itself has crashed.
        self.crashes: int = 0
        #: How many listen to the Network events of all sessions (`hybridsnap.client.network`).
        self.traffic_listeners: int = 0
        #: The page's own session has confirmed that its Network events are on.
        self.traffic_enabled: bool = False
        #: Called when the page was attached to anew: what was switched on for its session is off again.
        self.renewals: list[Callable[[], None]] = []
        #: Called with each new session of a frame, before the frame's scripts run.
        self.preparations: list[Callable[[AttachedSession], None]] = []
        #: Who wants the workers; None: they are let go on, and detached from.
        self.workers: TakeWorker | None = None
        #: Called with every event of every session of a frame.
        self.listeners: list[Listener] = []
        #: The page's session has taken what is asked of it at first: its page had not crashed before that.
        self._is_followed: bool = False
        #: It was seen alive, or it was tried to wake it.
        self._woken: bool = False
        self._changes = Changes()
        self._handlers: dict[str, Callable[[AttachedSession, dict[str, Any]], None]] = {
            "Target.attachedToTarget": self._attached,
            "Target.detachedFromTarget": self._detached,
            "Target.targetInfoChanged": self._target_changed,
            "Page.frameAttached": self._frame_attached,
            "Page.frameDetached": self._frame_detached,
            "Page.frameNavigated": self._frame_navigated,
            "Page.navigatedWithinDocument": self._moved_within,
            "Page.frameStartedLoading": self._frame_loading,
            "Page.frameStoppedLoading": self._frame_loaded,
            "Page.frameStartedNavigating": self._navigating,
            "Page.domContentEventFired": self._content_loaded,
            "Page.loadEventFired": self._loaded,
            "Page.lifecycleEvent": self._lifecycle,
            "Page.javascriptDialogOpening": self._dialog_opened,
            "Page.javascriptDialogClosed": self._dialog_closed,
            "Inspector.targetCrashed": self._crashed,
            "Inspector.targetReloadedAfterCrash": self._reloaded,
        }

    def on(self, method: str, handler: Callable[[AttachedSession, dict[str, Any]], None]) -> None:
        """Have an event handled that is not handled here; who waits looks again after it."""
        assert method not in self._handlers, f"{method} is handled already"
        self._handlers[method] = handler

    def start(self) -> None:
        """Begin to follow the page."""
        self._follow(self.root)

    def renew(self) -> None:
        """Go on after the page's session was attached anew (`Connection.rebind`): what was attached through
        it before is over, and what was switched on for it is off.
        """
        root, ended = self.root, [one for one in self if one is not self.root]
        root.attached = self.traffic_enabled = False
        root.frames = dict.fromkeys(root.frames, False)
        self._sessions = {root.session.id: root}
        for one in ended:
            self._connection.drop(one.session)
        self.frames_gone += len(ended)
        # Of a dialog that is open only those hear who saw it open.
        self.dialog_tracker.closed(None, False, "")
        self.main.navigating = self.main.kept = False
        self._follow(root)
        self.ask_how_far()
        for renew in list(self.renewals):
            renew()

    def ask_how_far(self) -> None:
        """Have the browser tell again how far the document has come (`_lifecycle`)."""
        for on in (True, False):
            self.root.session.post("Page.setLifecycleEventsEnabled", {"enabled": on}, ignore_reply)

    def enable_traffic(self, one: AttachedSession) -> None:
        """Switch a session's Network domain on. Bodies are not kept."""

        def enabled(_: object) -> None:
            self.traffic_enabled |= one is self.root
            self.notify()

        one.session.post("Network.enable", {"maxTotalBufferSize": 0}, enabled)

    async def settled(self, deadline: Deadline, share: float = 1.0) -> None:
        """Wait until the browser has named every frame in another process.

        Args:
            deadline: for a connection that has dropped to stand again.
            share: of the time that is left then, for the frames.

        Raises:
            ConnectionLost: it did not stand again in time.
        """
        connection = self._connection
        await connection.stand(deadline)
        attaching = deadline.share(share)
        if self.root.session.ended == "crashed" and not self._woken:
            await self._wake(attaching)
        await self.wait_until(self._is_attached, attaching)
        while not (connection.standing or connection.lost):  # it has dropped meanwhile
            await connection.stand(deadline)
            await self.wait_until(self._is_attached, attaching)

    async def refuse_kept(self, deadline: Deadline) -> None:
        """Refuse what a page cannot do while a script keeps its next document from coming, which may still
        come within a moment.

        Raises:
            CommandUnanswered: it does not.
        """
        patience = deadline.earlier(Deadline.after(_KEPT_PATIENCE))
        if self.main.kept and not await self.wait_until(lambda: not self.main.kept, patience):
            error = CommandUnanswered(KEPT, method="Page.navigate", cause="busy")
            error.nothing_done = True
            raise error

    async def _wake(self, deadline: Deadline) -> None:
        """Have a tab that the browser had discarded before we came loaded again; once.

        To us such a tab is one that has crashed. What is shown is loaded, and one that has crashed is not
        (measured).
        """
        self._woken = True
        departures = self.departures
        with self.asking([self.root.session], "Page.bringToFront", {}) as replies:
            await self.wait_until(lambda: bool(replies), deadline)
        if self.departures > departures:
            await self.wait_until(lambda: self.main.content_loaded, deadline)

    def _is_attached(self) -> bool:
        return self.root.session.ended is not None or all(one.attached for one in self)

    async def wait_until(
        self, reached: Callable[[], bool], deadline: Deadline, *, outlasts_drops: bool = False
    ) -> bool:
        """Wait for something that events bring about; whether it came before the deadline.

        Args:
            reached: whether it is there.
            deadline: until when.
            outlasts_drops: it can still come when the connection drops, and is made again.
        """
        drops = self._connection.drops

        def in_vain() -> bool:
            return self._connection.lost or (self._connection.drops != drops and not outlasts_drops)

        await self._changes.wait_until(lambda: reached() or in_vain(), deadline)
        return reached()

    def __iter__(self) -> Iterator[AttachedSession]:
        return iter(list(self._sessions.values()))

    def sessions(self) -> list[SessionInfo]:
        """The sessions as a capture starts with them."""
        loading = self.loading_frames()
        return [
            SessionInfo(
                one.session.id,
                one.root_frame,
                one.parent_frame,
                one.url,
                tuple(one.frames),
                frozenset(loading.intersection(one.frames)),
                loader=self.main.loader if one is self.root else None,
                guards_new_documents=True,
            )
            for one in self
        ]

    def loading_frames(self) -> set[FrameId]:
        """Frames that have not finished loading. Once the load event has fired the main frame has."""
        loading = {frame for one in self for frame, is_loading in one.frames.items() if is_loading}
        if self.main.loaded:
            loading.discard(self.root.root_frame)
        return loading

    def cause_of_silence(self, session: SessionId | None) -> Cause:
        """Why a session has not answered, as far as events tell."""
        one = self._sessions.get(session)
        if one is not None and one.session.ended is not None:
            return one.session.ended
        if self.dialogs:
            return "dialog"
        if one is self.root and self.main.navigating and not self.main.kept:
            return "loading" if not self.main.committed else "navigated"
        return "busy"

    def cause_of_timeout(self) -> Cause:
        """Why a single command to the page was not answered by its deadline."""
        return "dialog" if self.dialogs else "timeout"

    def dialog_words(self) -> str:
        """That a dialog is open, its words, and what to do."""
        said = "; ".join(f"{one.type}: {clean_text(one.message)[:_SHOWN]}" for one in self.dialogs)
        return (
            f"a dialog is open on the page ({said or 'closed by now'}); answer it (answer_dialog), or arm an"
            " answer before (arm_dialog)"
        )

    def blocked_by_dialog(self, one: AttachedSession) -> bool:
        """Whether a dialog holds up this session's process.

        Frames of one host in one page share a process.
        """
        return any(
            dialog.frame in one.frames
            or dialog.frame == one.root_frame
            or (one is not self.root and _host(dialog.url) == _host(one.url))
            for dialog in self.dialogs
        )

    @contextlib.contextmanager
    def not_behind_dialog(self, method: str, deadline: Deadline) -> Iterator[None]:
        """End the block where a dialog is open, for it would wait for the answer until its deadline.

        Raises:
            CommandUnanswered: a dialog was open for 0.3 s.
        """
        over = False

        async def watch() -> None:
            while await self.wait_until(lambda: over or bool(self.dialogs), deadline) and not over:
                patience = deadline.earlier(Deadline.after(_DIALOG_PATIENCE))
                if not await self.wait_until(lambda: over or not self.dialogs, patience):
                    scope.cancel()
                    return

        with trio.CancelScope() as scope:
            self._connection.start_soon(watch)
            try:
                yield
            finally:
                over = True
                self.notify()
        if scope.cancelled_caught:
            raise unanswered(method, "dialog")

    def session_with(self, frame: FrameId) -> AttachedSession | None:
        """The session whose process a frame is in, as last heard."""
        own = next((one for one in self if one.root_frame == frame), None)
        return own or next((one for one in self if frame in one.frames), None)

    def refuse_blocked(self) -> None:
        """Fail what captures wait for where a dialog will not let it come."""
        for one in self:
            if self.blocked_by_dialog(one):
                self._fail_for_dialog(one)
        if self.dialogs:
            # Input goes to the page, whatever frame it is meant for, and waits for the answer of that one.
            self._fail_for_dialog(self.root, "Input.")

    def _fail_for_dialog(self, one: AttachedSession, methods: str = "") -> None:
        self._connection.fail(
            one.session, lambda method: unanswered(method, "dialog"), captures_only=True, methods=methods
        )

    def _follow(self, one: AttachedSession) -> None:
        def take(method: str, params: dict[str, Any]) -> None:
            handler = self._handlers.get(method)
            if handler is not None:
                handler(one, params)
                self.notify()
            for listener in self.listeners:
                listener(one, method, params)

        def confirmed(reply: Payload | HybridsnapError) -> None:
            one.attached = True
            if one is self.root:
                self._is_followed = not isinstance(reply, HybridsnapError)
            self.notify()

        session = one.session
        session.on_event = take
        session.cause_of_silence = self.cause_of_timeout
        # So the browser says so when the renderer has crashed before we came.
        session.post("Inspector.enable", {}, ignore_reply)
        session.on_end = self.notify
        if one is self.root:
            session.post("Target.getTargetInfo", {}, self._named)  # answered even when the page is busy
            # A tab that was frozen, and is not shown, runs no timers (measured).
            session.post("Page.setWebLifecycleState", {"state": "active"}, ignore_reply)
        if self.traffic_listeners:
            self.enable_traffic(one)
        for prepare in self.preparations:
            prepare(one)
        session.post("Page.enable", {}, ignore_reply)
        listening = {"source": f"({script('first_listeners')})()", "worldName": WORLD}
        session.post("Page.addScriptToEvaluateOnNewDocument", listening, ignore_reply)
        self._attach_frames(one, confirmed)
        session.post("Page.getFrameTree", {}, lambda reply: self._first_frames(one, reply))

    @property
    def _is_loading(self) -> bool:
        """Whether a frame may be loading.

        The load event of a page comes after those of its frames. If the page was open before we attached, we
        have not seen that event, and rely on what its frames report.
        """
        main = self.main
        is_loading = main.navigating or (main.committed > 0 and not main.loaded)
        return is_loading or bool(self.loading_frames())

    def listen_for_frames(self, deliver: Deliver | None = None) -> None:
        """Have new frames wait before their scripts run, or no longer, as `preparations` asks, and attach to
        workers, as `workers` does.

        Args:
            deliver: called with the reply from each session. If None, the command is sent only where its
                parameters change, and waiting is not switched off while a frame may be loading.
        """
        for one in self:
            self._attach_frames(one, deliver)

    def _attach_frames(self, one: AttachedSession, deliver: Deliver | None) -> None:
        waits = bool(self.preparations)
        params = {"autoAttach": True, "waitForDebuggerOnStart": waits, "flatten": True, "filter": _FRAMES}
        if self.workers is not None:
            params["filter"] = _WITH_WORKERS
        elif waits:
            params["filter"] = _ALL_THAT_WAIT
        if deliver is None and one.auto_attach is not None:
            # Every setAutoAttach, even with the same parameters, detaches us from a frame that is paused
            # before its first document. It can no longer be resumed, and never loads (Chromium 156).
            may_wait = one.auto_attach["waitForDebuggerOnStart"] and self._is_loading
            if params == one.auto_attach or (may_wait and not waits):
                return
        one.auto_attach = params
        one.session.post("Target.setAutoAttach", params, deliver or ignore_reply)

    def _first_frames(self, one: AttachedSession, reply: Payload | HybridsnapError) -> None:
        """The frames that were there before the first event."""
        if isinstance(reply, HybridsnapError):
            return
        try:
            frames = reply.result(FrameTreeResult).frame_tree.frames()
        except (msgspec.MsgspecError, ValueError):
            return  # a capture asks again, and reports it
        self._woken = True
        for frame in frames:
            one.frames.setdefault(frame.id, False)
            if frame.id == one.root_frame:
                one.url = frame.url + frame.url_fragment
                if one is self.root and self.main.loader is None:
                    self.main.loader = frame.loader_id
                elif one is self.root and self.main.loader != frame.loader_id:
                    self.main = MainDocument(frame.loader_id, self.main.committed + 1)
        self.notify()

    def _named(self, reply: Payload | HybridsnapError) -> None:
        """Where the page was when we came."""
        if not isinstance(reply, HybridsnapError) and not self.root.url:
            with contextlib.suppress(msgspec.MsgspecError, ValueError, KeyError):
                self.root.url = reply.result(dict)["targetInfo"]["url"]

    @contextlib.contextmanager
    def asking(
        self, sessions: Iterable[Session], method: str, params: Mapping[str, Any]
    ) -> Iterator[dict[Session, Payload | HybridsnapError]]:
        """Ask sessions something; what they reply within the block, as it comes (`wait_until`)."""
        replies: dict[Session, Payload | HybridsnapError] = {}

        def ask(session: Session) -> int:
            def deliver(reply: Payload | HybridsnapError) -> None:
                replies[session] = reply
                self.notify()

            return session.post(method, params, deliver)

        numbers = [ask(session) for session in sessions]
        try:
            yield replies
        finally:
            for number in numbers:
                self._connection.forget(number)

    @contextlib.contextmanager
    def listening(self, listener: Listener, renew: Callable[[], None] | None = None) -> Iterator[None]:
        """Hear every event of every session of a frame, for the length of the block.

        Where the page was attached to anew, `renew` is called.
        """
        renewals = [] if renew is None else [renew]
        self.listeners.append(listener)
        self.renewals += renewals
        try:
            yield
        finally:
            self.listeners.remove(listener)
            for one in renewals:
                self.renewals.remove(one)

    def notify(self) -> None:
        """Something changed: whoever waits looks again."""
        self._changes.notify()

    def _attached(self, parent: AttachedSession, params: dict[str, Any]) -> None:
        info, session_id = params["targetInfo"], SessionId(params["sessionId"])
        if session_id in self._sessions:
            return
        if info["type"] not in {"iframe", "webview", "fencedframe"}:
            self.take_worker(parent, params)
            return
        session = self._connection.session(session_id, TargetId(info["targetId"]))
        frame = FrameId(info["targetId"])
        above = FrameId(info.get("parentFrameId") or parent.root_frame)
        one = AttachedSession(session, frame, above, info.get("url", ""), parent)
        self._sessions[session_id] = one
        self._follow(one)
        if params.get("waitingForDebugger"):
            session.post("Runtime.runIfWaitingForDebugger", {}, ignore_reply)

    def take_worker(self, parent: AttachedSession, params: dict[str, Any]) -> None:
        """Hand on a target that is no frame (`Target.attachedToTarget`), or let it go on and detach."""
        session_id = SessionId(params["sessionId"])
        session = self._connection.session(session_id, TargetId(params["targetInfo"]["targetId"]))
        if self.workers is None or not self.workers(parent, session, params):
            session.post("Runtime.runIfWaitingForDebugger", {}, ignore_reply)
            parent.session.post("Target.detachFromTarget", {"sessionId": session_id}, ignore_reply)

    def _detached(self, _: AttachedSession, params: dict[str, Any]) -> None:
        gone = self._sessions.pop(SessionId(params["sessionId"]), None)
        if gone is None:
            return
        self.frames_gone += 1
        for one in attached_through(gone, self):
            self._sessions.pop(one.session.id, None)
            self._connection.drop(one.session)

    def _target_changed(self, _: AttachedSession, params: dict[str, Any]) -> None:
        info = params["targetInfo"]
        for one in self:
            if one.session.target_id == info["targetId"] and one is not self.root:
                one.url = info.get("url", one.url)

    def _frame_attached(self, one: AttachedSession, params: dict[str, Any]) -> None:
        one.frames.setdefault(params["frameId"], False)

    def _frame_detached(self, one: AttachedSession, params: dict[str, Any]) -> None:
        one.frames.pop(params["frameId"], None)
        if params.get("reason") != "swap":  # to another process
            self.dialog_tracker.frame_removed(params["frameId"])

    def _frame_navigated(self, one: AttachedSession, params: dict[str, Any]) -> None:
        frame = params["frame"]
        self.arrivals += 1
        one.frames.setdefault(frame["id"], False)
        if frame["id"] != one.root_frame:
            return
        one.url = frame["url"] + frame.get("urlFragment", "")
        one.silent_sockets.clear()
        # Those of a document that is kept for going back are not said to be detached (measured).
        for other in [other for other in one.frames if other != one.root_frame]:
            del one.frames[other]
        # A document that was kept comes back whole, without a word about its frames and its load events.
        kept = params.get("type") == "BackForwardCacheRestore"
        if one is self.root:
            self.dialog_tracker.orphans.clear()
            self.main = MainDocument(
                frame["loaderId"],
                self.main.committed + 1,
                unreachable_url=frame.get("unreachableUrl", ""),
                content_loaded=kept,
                loaded=kept,
                answer=self.main.answer,
            )
        if kept:
            one.session.post("Page.getFrameTree", {}, lambda reply: self._first_frames(one, reply))

    def _moved_within(self, one: AttachedSession, params: dict[str, Any]) -> None:
        self.arrivals += 1
        if params["frameId"] == one.root_frame:
            one.url = params["url"]
            if one is self.root:
                self.moves += 1

    def _frame_loading(self, one: AttachedSession, params: dict[str, Any]) -> None:
        if params["frameId"] in one.frames or params["frameId"] == one.root_frame:
            one.frames[params["frameId"]] = True

    def _frame_loaded(self, one: AttachedSession, params: dict[str, Any]) -> None:
        if params["frameId"] in one.frames:
            one.frames[params["frameId"]] = False
        if one is self.root and params["frameId"] == one.root_frame:
            self.main.navigating = self.main.kept = False

    def _navigating(self, one: AttachedSession, params: dict[str, Any]) -> None:
        other = params.get("navigationType") not in {"sameDocument", "historySameDocument"}
        if one is self.root and params["frameId"] == one.root_frame and other:
            self.departures += 1
            self.main.navigating = True

    def _content_loaded(self, one: AttachedSession, _: dict[str, Any]) -> None:
        if one is self.root:
            self.main.content_loaded = True

    def _loaded(self, one: AttachedSession, _: dict[str, Any]) -> None:
        if one is self.root:
            self.main.loaded = True
        else:
            one.frames[one.root_frame] = False

    def _lifecycle(self, one: AttachedSession, params: dict[str, Any]) -> None:
        """How far a document has come, which is told from its beginning on to who asks for it."""
        if one is self.root and (params["frameId"], params["loaderId"]) == (one.root_frame, self.main.loader):
            self.main.content_loaded |= params["name"] == "DOMContentLoaded"
            self.main.loaded |= params["name"] == "load"

    def _dialog_opened(self, one: AttachedSession, params: dict[str, Any]) -> None:
        frame = params.get("frameId")
        if frame is None:
            frame = one.root_frame
        dialog = Dialog(
            params["type"], params["message"], params["url"], frame, params.get("defaultPrompt", "")
        )
        seen = self.dialog_tracker.opened(dialog)
        if seen.armed:
            self._give_answer(seen)
        else:
            self.refuse_blocked()

    def _give_answer(self, seen: SeenDialog) -> None:
        """Answer a dialog as was armed for it. The answer goes to the page, whatever frame asked."""

        def check(reply: Payload | HybridsnapError) -> None:
            if isinstance(reply, HybridsnapError):
                self.dialog_tracker.not_answered(seen)
                self.refuse_blocked()
                self.notify()

        params: dict[str, Any] = {"accept": seen.accepted}
        if seen.text is not None:
            params["promptText"] = seen.text
        self.root.session.post("Page.handleJavaScriptDialog", params, check)

    def _dialog_closed(self, _: AttachedSession, params: dict[str, Any]) -> None:
        self.dialog_tracker.closed(params.get("frameId"), params["result"], params.get("userInput", ""))

    def _crashed(self, one: AttachedSession, _: dict[str, Any]) -> None:
        if one is self.root:
            self.crashes += 1
            self.main.kept = False
            # `chromium-headless-shell` does not say that its dialog is closed.
            self.dialog_tracker.closed(None, False, "")

    def _reloaded(self, one: AttachedSession, _: dict[str, Any]) -> None:
        """A page has a renderer again; one that had crashed before we came is asked now what it was not."""
        if self.traffic_listeners:  # the new process need not know
            self.enable_traffic(one)
        if one is self.root and not self._is_followed:
            self.main.loader = LoaderId("")  # whatever comes is another document
            self.renew()


def attached_through(ended: AttachedSession, sessions: Iterable[AttachedSession]) -> list[AttachedSession]:
    """The sessions that end with one, because they were attached through it: no event says so."""
    children = collections.defaultdict(list)
    for one in sessions:
        children[id(one.parent)].append(one)
    found = children[id(ended)][:]
    for one in found:
        found += children[id(one)]
    return found


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2]
