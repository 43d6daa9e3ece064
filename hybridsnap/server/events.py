"""What pages do, told to whoever listens: navigation, dialogs, new targets, downloads, console errors.

A `Log` holds the last events of one session of a client's, numbered, so that one who was cut off can go on
where it stopped. A `Listener` fills it from one tab, with a session of the protocol of its own: captures and
actions do not notice. What a page says itself is told only where all that the tab shows then may be shown.
"""

from __future__ import annotations

import dataclasses
import json
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.client.changes import Changes
from hybridsnap.client.console_messages import CONSOLE_EVENTS, read_error
from hybridsnap.client.file_names import make_file_name
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import HybridsnapError
from hybridsnap.model import SessionId, TargetId
from hybridsnap.service.problems import encode

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

    from hybridsnap.client.browser import Page
    from hybridsnap.client.connection import Session
    from hybridsnap.protocol.codec import Payload

#: So many are kept.
_KEPT = 1000
#: Of a text of the page's, so much is told.
_SHOWN = 1000
#: Seconds of silence after which a listener hears that the server is still there.
_HEARTBEAT = 15.0
_PAGE_EVENTS = (
    "Page.frameNavigated",
    "Page.frameDetached",
    "Page.navigatedWithinDocument",
    "Page.javascriptDialogOpening",
    "Page.javascriptDialogClosed",
    "Page.downloadWillBegin",
    "Page.downloadProgress",
    "Inspector.targetCrashed",
)
_TARGETS = "Target.attachedToTarget"
#: Stands among the events where a console has told its old messages.
_SWITCHED_ON = ""
#: Stands among them where a process has told which frames it has.
_FRAMES = "frames"
#: Frames of other sites are in processes, and have consoles, of their own.
_AUTO_ATTACH = {
    "autoAttach": True,
    "waitForDebuggerOnStart": False,
    "flatten": True,
    "filter": [{"type": "iframe"}, {"exclude": True}],
}


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """One event.

    Attributes:
        number: from 1, in order.
        name: such as ``navigation``.
        data: as JSON data.
    """

    number: int
    name: str
    data: dict[str, Any]

    def to_sse(self) -> bytes:
        """As the stream has it (https://html.spec.whatwg.org/#server-sent-events)."""
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (self.number, self.name.encode(), encode(self.data))


class Log:
    """The events of one session, the last of them."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=_KEPT)
        self._count = 0
        self._changes = Changes()
        self.closed: bool = False

    @property
    def count(self) -> int:
        """How many there have been."""
        return self._count

    def put(self, name: str, **data: Any) -> None:
        """Take one."""
        self._count += 1
        self._events.append(Event(self._count, name, data))
        self._changes.notify()

    def close(self) -> None:
        """No more come."""
        self.closed = True
        self._changes.notify()

    async def stream(self, after: int) -> AsyncGenerator[bytes]:
        """What comes after an event's number, as server-sent events, until the log is closed.

        Args:
            after: what fell out of the log since is told as one event, ``dropped``.
        """
        while True:
            waiting = [event for event in self._events if event.number > after]
            if waiting:
                missing = waiting[0].number - after - 1
                if missing:
                    yield b"event: dropped\ndata: %s\n\n" % json.dumps({"count": missing}).encode()
                for event in waiting:
                    yield event.to_sse()
                after = waiting[-1].number
                continue
            if self.closed:
                return
            came = partial(self._is_beyond, after)
            if not await self._changes.wait_until(came, Deadline.after(_HEARTBEAT)):
                yield b": still here\n\n"

    def _is_beyond(self, number: int) -> bool:
        return self.closed or self._count > number


class Listener:
    """Listens to one tab.

    Args:
        page: the tab.
        tell: takes an event's name and data.
        may_tell: whether words of what these addresses show, the main document's first, may be told.

    Attributes:
        ready: the tab's own process has been switched on. A navigation that begins before may not be heard:
            the new document's process then does not know of it (Chromium 156).
    """

    def __init__(
        self, page: Page, tell: Callable[..., None], may_tell: Callable[[Sequence[str]], Awaitable[bool]]
    ) -> None:
        self._page = page
        self._tell = tell
        self._may_tell = may_tell
        #: One event at a time, whichever process it is of: they are told in the order in which they came.
        self._turn = trio.Lock()
        #: Frame → where it is, of all that the tab shows.
        self._frames: dict[str, str] = {}
        self.ready: trio.Event = trio.Event()
        #: The tab was attached to anew, which is still to be told.
        self._reattached = False
        #: As they came, and as they were told.
        self._dialogs: list[tuple[dict[str, Any], dict[str, Any]]] = []
        #: guid → name, as told, of downloads that are under way.
        self._downloads: dict[str, str] = {}

    async def run(self) -> None:
        """Listen until the tab is closed, or the browser gone."""
        page = self._page
        while True:
            session = page.session
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._follow, session, nursery, page.target_id, page.url)
            if session.ended is not None or session.connection.lost:
                self.ready.set()
                return
            # The page was attached to anew: its connection had dropped, or a script had wedged it.
            self._dialogs.clear()
            self._downloads.clear()
            self._reattached = True

    async def _follow(self, session: Session, nursery: trio.Nursery, frame: str, url: str) -> None:
        """Listen to one process of the tab, whose own frame is at an address."""
        self._frames[frame] = url
        methods = (*_PAGE_EVENTS, *CONSOLE_EVENTS, _TARGETS)
        # A frame's process that comes later has nothing old to tell, but may have begun before it is asked.
        old = 0 if self.ready.is_set() and frame != self._page.target_id else 2
        with session.events(*methods) as events:

            def switched_on(_: object) -> None:
                events.put(_SWITCHED_ON, {})

            def told_frames(reply: Payload | HybridsnapError) -> None:
                if not isinstance(reply, HybridsnapError):
                    events.put(_FRAMES, reply.result(dict)["frameTree"])

            session.post("Page.enable", {}, ignore_reply)
            session.post("Page.getFrameTree", {}, told_frames)
            session.post("Inspector.enable", {}, ignore_reply)
            session.post("Target.setAutoAttach", _AUTO_ATTACH, ignore_reply)
            # A console tells its old messages first; what comes after the replies is new.
            session.post("Runtime.enable", {}, switched_on)
            session.post("Log.enable", {}, switched_on)
            async for method, params in events:
                if method == _TARGETS:
                    info = params["targetInfo"]
                    target_id = TargetId(info["targetId"])
                    child = session.connection.session(SessionId(params["sessionId"]), target_id)
                    nursery.start_soon(self._follow, child, nursery, target_id, info["url"])
                elif method == _SWITCHED_ON:
                    old -= 1
                    if old == 0:
                        self.ready.set()
                elif method in CONSOLE_EVENTS:
                    if old <= 0 and (text := read_error(method, params)):
                        async with self._turn:
                            may = await self._may(*_sources(params))
                            self._say("consoleError", text=text[:_SHOWN] if may else "")
                else:
                    async with self._turn:
                        await self._take(method, params, frame)

    def _say(self, name: str, **data: Any) -> None:
        self._tell(name, targetId=str(self._page.target_id), **data)

    async def _may(self, *urls: str) -> bool:
        """Whether words may be told that are of these addresses, too, or of whatever the tab shows."""
        main = self._page.target_id
        frames = [url for frame, url in self._frames.items() if frame != main]
        return await self._may_tell([self._frames.get(main, self._page.url), *frames, *urls])

    async def _take(self, method: str, params: dict[str, Any], own_frame: str) -> None:
        self._note_frames(method, params)
        is_main = own_frame == self._page.target_id
        match method:
            case "Page.frameNavigated" if is_main and params["frame"]["id"] == own_frame:
                frame = params["frame"]
                self._say("navigation", url=frame["url"] + frame.get("urlFragment", ""), sameDocument=False)
            case "Page.navigatedWithinDocument" if is_main and params["frameId"] == own_frame:
                self._say("navigation", url=params["url"], sameDocument=True)
            case "frames" if is_main and self._reattached:
                self._reattached = False
                frame = params["frame"]
                self._say("reattached", url=frame["url"] + frame.get("urlFragment", ""))
            case "Page.javascriptDialogOpening":
                await self._dialog_opened(params)
            case "Page.javascriptDialogClosed" if self._dialogs:  # once, however many sessions hear of it
                _, opened = self._dialogs.pop()
                self._say("dialog", **{**opened, "state": "closed", "accepted": params["result"]})
            case "Page.downloadWillBegin":
                await self._download_began(params)
            case "Page.downloadProgress":
                self._download_moved(params)
            case "Inspector.targetCrashed":
                self._say("crashed", frame=own_frame)

    def _note_frames(self, method: str, params: dict[str, Any]) -> None:
        """Keep up with where the tab's frames are."""
        if method == "Page.frameNavigated":
            frame = params["frame"]
            if frame["id"] == self._page.target_id:
                self._frames.clear()  # they went with the document
            self._frames[frame["id"]] = frame["url"]
        elif method == "Page.frameDetached" and params.get("reason") != "swap":
            self._frames.pop(params["frameId"], None)
        elif method == _FRAMES:
            left = [params]
            while left:
                tree = left.pop()
                self._frames[tree["frame"]["id"]] = tree["frame"]["url"]
                left += tree.get("childFrames", ())

    async def _dialog_opened(self, params: dict[str, Any]) -> None:
        dialog = {
            "type": params["type"],
            "message": params["message"][:_SHOWN],
            "url": params["url"],
            "default": params.get("defaultPrompt", ""),
        }
        if all(dialog != came for came, _ in self._dialogs):
            may = await self._may(params["url"])
            told = dialog if may else {**dialog, "message": "", "default": ""}
            self._dialogs.append((dialog, told))
            self._say("dialog", **told, state="opened")

    async def _download_began(self, params: dict[str, Any]) -> None:
        guid = params["guid"]
        if guid not in self._downloads:
            url = params["url"]
            may = await self._may(url)
            name = self._downloads[guid] = make_file_name(params["suggestedFilename"]) if may else ""
            # An address of data is the file itself.
            url = url if may or not url.startswith("data:") else ""
            self._say("download", guid=guid, fileName=name, url=url, state="began")

    def _download_moved(self, params: dict[str, Any]) -> None:
        if params["state"] != "inProgress" and params["guid"] in self._downloads:
            name = self._downloads.pop(params["guid"])
            self._say("download", guid=params["guid"], fileName=name, state=params["state"])


def _sources(params: dict[str, Any]) -> list[str]:
    """The addresses that an error of a console's names: of scripts, or of what could not be loaded."""
    details = params.get("exceptionDetails") or params.get("entry") or params
    calls = (details.get("stackTrace") or {}).get("callFrames", ())
    return [url for url in (details.get("url", ""), *(call["url"] for call in calls)) if url]
