"""The workers of a page, attached to while somebody listens to what they say.

- Dedicated workers, those that they start, and the page's service workers come with the page's frames
  (`Target.setAutoAttach`). Nobody has them wait, unless frames wait (`PageAttachment.preparations`): Chromium
  156 then has dedicated workers wait as well, and they are let go on as soon as the listeners are ready.
- Of shared workers the browser does not tell whose they are. Those of the page's browser context count as
  the page's where their script has the origin of one of its processes' documents. They never wait.

Worklets are let go on and detached from: what they log is in the page's own log.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hybridsnap.client.attachment import AttachedSession, attached_through
from hybridsnap.client.network import origin_of
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import HybridsnapError
from hybridsnap.model import FrameId, SessionId, TargetId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hybridsnap.client.attachment import PageAttachment
    from hybridsnap.client.connection import Connection, Session
    from hybridsnap.model import ContextId
    from hybridsnap.protocol.codec import Payload

#: What a worker is: of one document or worker, shared by those of an origin, or a service worker.
WorkerKind: TypeAlias = Literal["dedicated", "shared", "service"]
_KINDS: dict[str, WorkerKind] = {
    "worker": "dedicated",
    "shared_worker": "shared",
    "service_worker": "service",
}
#: More workers of one page than this are not listened to.
MOST_WORKERS = 100


@dataclasses.dataclass(frozen=True, slots=True)
class SharedWorker:
    """A shared worker.

    Attributes:
        url: of its script.
        context: the browser context that it belongs to.
    """

    url: str
    context: ContextId | None


class SharedWorkers:
    """The shared workers of a browser, as it tells of them.

    Attributes:
        known: those that there are.
        followers: page → called when there are others, and when the page is gone.
    """

    def __init__(self) -> None:
        self.known: dict[TargetId, SharedWorker] = {}
        self.followers: dict[TargetId, PageWorkers] = {}

    def take(self, method: str, params: dict[str, Any]) -> None:
        """Take one of `hybridsnap.client.tab_tracker.TAB_EVENTS`. Called by the reader."""
        if method == "Target.targetDestroyed":
            gone = TargetId(params["targetId"])
            if follower := self.followers.get(gone):
                follower.stop()
            self.known.pop(gone, None)
        elif (info := params["targetInfo"])["type"] == "shared_worker":
            worker = SharedWorker(info["url"], info.get("browserContextId"))
            if self.known.get(TargetId(info["targetId"])) != worker:
                self.known[TargetId(info["targetId"])] = worker
                for follower in list(self.followers.values()):
                    follower.match_shared()


class PageWorkers:
    """The workers of one page; iterating gives their sessions.

    Args:
        connection: that carries them.
        attachment: of the page.
        shared: the shared workers of its browser; None on a page's own socket, which does not reach them.
        context_of_page: gives the browser context of the page.

    Attributes:
        beginnings: called with each new session, before the worker is let go on.
        listeners: called with every event of every session.
        unconfirmed: so many commands that may lead to further sessions are still to be answered.
    """

    def __init__(
        self,
        connection: Connection,
        attachment: PageAttachment,
        shared: SharedWorkers | None,
        context_of_page: Callable[[], ContextId | None],
    ) -> None:
        self._connection = connection
        self._attachment = attachment
        self._shared = shared
        self._context_of_page = context_of_page
        self._sessions: dict[SessionId | None, AttachedSession] = {}
        #: Shared workers that are attached to, or will be.
        self._own_shared: dict[TargetId, SessionId | None] = {}
        self.beginnings: list[Callable[[AttachedSession], None]] = []
        self.listeners: list[Callable[[AttachedSession, str, dict[str, Any]], None]] = []
        self.unconfirmed: int = 0

    def __iter__(self) -> Iterator[AttachedSession]:
        return iter(list(self._sessions.values()))

    def start(self) -> None:
        """Attach to the workers that there are, and to those to come. Never waits."""
        if self._attachment.workers == self.take:
            return
        self._attachment.workers = self.take
        self._attachment.listeners.append(self._follow_page)
        self._attachment.renewals.append(self._renew)
        self._attachment.listen_for_frames(self._confirmed)
        self.unconfirmed += len(list(self._attachment))
        if self._shared is not None:
            self._shared.followers[self._attachment.target_id] = self
            self.match_shared()

    def stop(self) -> None:
        """Detach from all of them. Never waits."""
        if self._attachment.workers != self.take:
            return
        self._attachment.workers = None
        self._attachment.listeners.remove(self._follow_page)
        self._attachment.renewals.remove(self._renew)
        self._attachment.listen_for_frames()
        target_id = self._attachment.target_id
        if self._shared is not None and self._shared.followers.get(target_id) is self:
            del self._shared.followers[target_id]
        for one in self:
            self._detach(one)
        self._own_shared.clear()

    def take(self, parent: AttachedSession, session: Session, params: dict[str, Any]) -> bool:
        """Take a session of a target that is no frame; False where it is not wanted."""
        info = params["targetInfo"]
        kind = _KINDS.get(info["type"])
        known = any(one.session.target_id == info["targetId"] for one in self)
        if kind is None or known or len(self._sessions) >= MOST_WORKERS:
            return False
        self._begin(
            AttachedSession(session, FrameId(""), url=info.get("url", ""), parent=parent, worker=kind)
        )
        if params.get("waitingForDebugger"):
            session.post("Runtime.runIfWaitingForDebugger", {}, ignore_reply)
        return True

    def _gone(self, ended: AttachedSession) -> None:
        """A session is over, and with it those of the workers that it started."""
        self._sessions.pop(ended.session.id, None)
        for one in attached_through(ended, self):
            self._sessions.pop(one.session.id, None)
            self._connection.drop(one.session)

    def match_shared(self) -> None:
        """Attach to the shared workers that are the page's by now, and detach from the others."""
        if self._shared is None:
            return
        context = self._context_of_page()
        origins = {origin_of(one.url) for one in self._attachment}
        wanted = {
            id_
            for id_, one in self._shared.known.items()
            if one.context == context and origin_of(one.url) in origins
        }
        for id_ in wanted - self._own_shared.keys():
            if len(self._own_shared) < MOST_WORKERS:
                self._attach_shared(id_, self._shared.known[id_].url)
        for id_ in self._own_shared.keys() - wanted:
            session_id = self._own_shared.pop(id_)
            if session_id in self._sessions:
                self._detach(self._sessions[session_id])

    def _attach_shared(self, id_: TargetId, url: str) -> None:
        self._own_shared[id_] = None

        def attached(reply: Payload | HybridsnapError) -> None:
            self._confirmed(reply)
            if isinstance(reply, HybridsnapError):
                self._own_shared.pop(id_, None)
                return
            session_id = SessionId(reply.result(dict)["sessionId"])
            session = self._connection.session(session_id, id_)
            one = AttachedSession(session, FrameId(""), url=url, worker="shared")
            if id_ not in self._own_shared:  # the page does not want it any more
                self._detach(one)
                return
            self._own_shared[id_] = session_id
            self._begin(one)

        self.unconfirmed += 1
        self._connection.root.post("Target.attachToTarget", {"targetId": id_, "flatten": True}, attached)

    def _begin(self, one: AttachedSession) -> None:
        session = one.session
        self._sessions[session.id] = one

        def take(method: str, params: dict[str, Any]) -> None:
            if method == "Target.attachedToTarget":
                self._attachment.take_worker(one, params)
            for listener in self.listeners:
                listener(one, method, params)

        def ended() -> None:
            if not self._connection.lost:  # or else all end
                self._gone(one)

        session.on_event, session.on_end = take, ended
        # For the workers that it starts; they do not wait for us.
        nested = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        self.unconfirmed += 1
        session.post("Target.setAutoAttach", nested, self._confirmed)
        for begin in self.beginnings:
            begin(one)

    def _detach(self, one: AttachedSession) -> None:
        self._sessions.pop(one.session.id, None)
        above = self._connection.root if one.parent is None else one.parent.session
        above.post("Target.detachFromTarget", {"sessionId": one.session.id}, ignore_reply)

    def _confirmed(self, _: object) -> None:
        self.unconfirmed -= 1
        self._attachment.notify()

    def _follow_page(self, _: AttachedSession, method: str, __: dict[str, Any]) -> None:
        if method in {"Page.frameNavigated", "Target.attachedToTarget", "Target.detachedFromTarget"}:
            self.match_shared()

    def _renew(self) -> None:
        """The page was attached to anew: what came through the session before has ended with that."""
        for one in self:
            if one.parent is not None:
                self._connection.drop(one.session)
        # Shared ones came through the browser's session, which may have ended as well.
        for id_, session_id in list(self._own_shared.items()):
            if session_id is not None and session_id not in self._sessions:
                del self._own_shared[id_]
        self.match_shared()
