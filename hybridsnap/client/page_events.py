"""What a page's events tell of an action: the navigations it began, and how they ended.

What a click begins shows in this order (measured in Chromium 156)::

    link, form, location=   frameScheduledNavigation/frameRequestedNavigation, around the reply to the input,
                            frameStartedNavigating, …, frameNavigated, domContentEventFired
    history.back()          frameStartedNavigating, 5 ms after the reply
    setTimeout(…, 0)        the same as a link, 7 ms after the reply
    #fragment, pushState    navigatedWithinDocument; nothing is requested
    javascript:             scheduled and cleared; nothing is requested
    download, 204, tel:     as a link, then frameStoppedLoading without frameNavigated; a download is
                            announced up to 20 ms after that
    <a download>            nothing until the server has answered; within the page, a ``navigate`` event
                            (`hybridsnap/injected/observe.js`)
    beforeunload            requested, then the dialog; the rest when it is answered
    window.open, _blank     windowOpen before the reply
    Control and a click     frameScheduledNavigation, frameRequestedNavigation of a newTab, …Cleared; the tab
                            names no opener
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.act.receipt import Moved
from hybridsnap.client.external_protocols import is_external
from hybridsnap.model import FrameId

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.client.attachment import AttachedSession, PageAttachment

#: A navigation that is put off for longer has not begun, seconds.
_SOON = 0.5
#: Navigations that load nothing.
_WITHIN = frozenset({"sameDocument", "historySameDocument"})


@dataclasses.dataclass(slots=True)
class FrameNavigation:
    """How far the navigations of one frame have come.

    Attributes:
        scheduled, requested: asked for by the page, and not begun yet.
        going: where to, once begun, until there is a document.
        told_by: the session that told of its beginning.
        moved: how many documents came while we looked; `url` of the last, `parsed` when it is known to be.
        within: where it moved within its document.
        empty: where a navigation was going that ended without a document.
    """

    scheduled: bool = False
    requested: bool = False
    going: str | None = None
    told_by: AttachedSession | None = None
    url: str = ""
    moved: int = 0
    parsed: bool = False
    within: str | None = None
    empty: str | None = None

    @property
    def asked(self) -> bool:
        """Whether something is asked for that has not begun."""
        return (self.scheduled or self.requested) and self.going is None

    def arrive(self) -> None:
        """A document has come."""
        self.moved += 1
        self.going = self.within = self.empty = None
        self.parsed = False

    def told(self) -> Moved | None:
        """What there is to say; None when it did not move."""
        if self.moved:
            return Moved(self.url, same_document=False, reached=self.parsed)
        if self.going is not None:
            return Moved(self.going, same_document=False, reached=False)
        return None if self.within is None else Moved(self.within, same_document=True, reached=True)


class PageEventLog:
    """The events of a page from a moment on.

    Attributes:
        main: the way of the main frame.
        frames: of the other frames that were there at the start.
        opened: addresses of windows and tabs that were asked for.
        by_click: of those, the ones that were opened for how the user clicked (with Control, in the middle).
        outside: addresses for other programs that were asked for, in whatever frame or tab.
    """

    def __init__(self, attachment: PageAttachment) -> None:
        self._attachment = attachment
        self.main_frame: FrameId = FrameId(str(attachment.target_id))
        self.main: FrameNavigation = FrameNavigation()
        self._began_at = attachment.root.url
        self.frames: dict[FrameId, FrameNavigation] = {
            frame: FrameNavigation() for one in attachment for frame in (*one.frames, one.root_frame)
        }
        self.frames.pop(self.main_frame, None)
        self.opened: list[str] = []
        self.by_click: list[str] = []
        self.outside: list[str] = []
        self._readers: dict[str, Callable[[AttachedSession, dict[str, Any]], None]] = {
            "Page.frameScheduledNavigation": self._scheduled,
            "Page.frameClearedScheduledNavigation": self._cleared,
            "Page.frameRequestedNavigation": self._requested,
            "Page.frameStartedNavigating": self._started,
            "Page.frameStoppedLoading": self._stopped,
            "Page.frameNavigated": self._navigated,
            "Page.frameDetached": self._detached,
            "Page.navigatedWithinDocument": self._moved_within,
            "Page.windowOpen": self._window_opened,
        }

    def take(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        """Look at an event. Called by the reader."""
        reader = self._readers.get(method)
        if reader is not None:
            reader(one, params)
            self._attachment.notify()

    def _navigation_of(self, frame: str) -> FrameNavigation:
        """Of a frame; one that was not there before goes its way unseen."""
        return self.main if frame == self.main_frame else self.frames.get(FrameId(frame), FrameNavigation())

    def _scheduled(self, _: AttachedSession, params: dict[str, Any]) -> None:
        if params["delay"] < _SOON:
            self._navigation_of(params["frameId"]).scheduled = True

    def _cleared(self, _: AttachedSession, params: dict[str, Any]) -> None:
        self._navigation_of(params["frameId"]).scheduled = False

    def _requested(self, _: AttachedSession, params: dict[str, Any]) -> None:
        navigation = self._navigation_of(params["frameId"])
        if is_external(params["url"]):
            self.outside.append(params["url"])
        if params["disposition"] == "currentTab":
            navigation.requested = True
        elif params["disposition"] in {"newTab", "newWindow"}:
            navigation.scheduled = False
            self.opened.append(params["url"])
            self.by_click.append(params["url"])

    def _started(self, one: AttachedSession, params: dict[str, Any]) -> None:
        navigation = self._navigation_of(params["frameId"])
        if params["navigationType"] not in _WITHIN:
            navigation.going, navigation.empty, navigation.told_by = params["url"], None, one
        navigation.requested = False

    def _navigated(self, _: AttachedSession, params: dict[str, Any]) -> None:
        frame = params["frame"]
        navigation = self._navigation_of(frame["id"])
        navigation.url = frame["url"] + frame.get("urlFragment", "")
        navigation.arrive()

    def _stopped(self, one: AttachedSession, params: dict[str, Any]) -> None:
        navigation = self._navigation_of(params["frameId"])
        if navigation.going is None:
            return
        if navigation.told_by is one:
            navigation.going, navigation.empty = None, navigation.going
        else:  # its document came in another process, before that one's events were switched on
            navigation.url = navigation.going
            navigation.arrive()

    def _detached(self, _: AttachedSession, params: dict[str, Any]) -> None:
        navigation = self._navigation_of(params["frameId"])
        if params.get("reason") == "swap":  # its document came, in another process
            url = navigation.going or navigation.url
            if url:  # else it was on its way there before
                navigation.url = url
                navigation.arrive()
        else:
            self.frames.pop(FrameId(params["frameId"]), None)

    def _moved_within(self, _: AttachedSession, params: dict[str, Any]) -> None:
        navigation = self._navigation_of(params["frameId"])
        # Some libraries, such as htmx, store state in the current history entry (`history.replaceState`).
        if navigation is self.main and navigation.within is None and params["url"] == self._began_at:
            return
        navigation.within = params["url"]

    def _window_opened(self, _: AttachedSession, params: dict[str, Any]) -> None:
        self.opened.append(params["url"])
        if is_external(params["url"]):
            self.outside.append(params["url"])
