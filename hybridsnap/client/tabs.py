"""The tabs of a browser, in the order in which they were opened, and who opened which.

`TabBook` hears of every tab (`Target.setDiscoverTargets`, for tabs only). It stays on for the whole
connection, as it costs next to nothing: one event for a tab that opens, one when it closes, and one for each
change of address or title, which Chromium bundles (20,000 changes of a title in a loop came as 2 events;
measured in Chromium 156).

A tab that a page opened names its opener, with ``rel=noopener`` too. It is named before `window.open`
returns, with an empty address until its first document is there. `Target.getTargets` lists tabs in no order.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from hybridsnap.act.memory import memory
from hybridsnap.client.connection import raise_here
from hybridsnap.client.page_core import DEFAULT_TIMEOUT, PageCore
from hybridsnap.deadline import LOADING_SHARE, Deadline
from hybridsnap.drivers.base import ignore_reply, unanswered, unreadable
from hybridsnap.errors import (
    CommandRefused,
    ConnectionLost,
    HybridsnapError,
    SessionEnded,
    TargetError,
    WaitTimeout,
)
from hybridsnap.model import FrameId, TargetId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from hybridsnap.client.connection import Connection
    from hybridsnap.client.page import Page
    from hybridsnap.protocol.wire import Payload

#: How long a closed tab may take to say so.
_CLOSE_SECONDS = 5.0
#: A tab that hangs takes half a second.
_CLOSE_AGAIN_SECONDS = 1.0
#: From the browser's word of a document to the page's own it takes some ms.
_HEARD_SECONDS = 2.0
_CREATE = "Target.createTarget"
#: So many tabs that were opened are remembered, closed ones included.
_REMEMBERED = 500
#: Events of the browser that are for the `TabBook`.
TAB_EVENTS = ("Target.targetCreated", "Target.targetInfoChanged", "Target.targetDestroyed")


@dataclasses.dataclass(slots=True, eq=False)
class Tab:
    """A tab, as the browser tells of it.

    Attributes:
        target_id: its id.
        opener: the tab that opened it, when one did.
        opener_frame: the frame of that tab.
        context: the browser context (profile) it belongs to.
        url: where it is; empty until its first document is there.
        found: it was open when we came.
        given: somebody has been handed its `Page`.
        closed: it is no more.
        used: it is one of those that WebArena's tab numbers count, though it may be blank.
    """

    target_id: TargetId
    opener: TargetId | None
    opener_frame: FrameId | None
    context: str | None
    url: str = ""
    found: bool = False
    given: bool = False
    closed: bool = False
    used: bool = False


def _target_of(answer: Payload | HybridsnapError) -> TargetId:
    """The tab that an answer to ``Target.createTarget`` names.

    Raises:
        HybridsnapError: it names none.
    """
    if isinstance(answer, HybridsnapError):
        raise_here(answer)
    try:
        return TargetId(answer.result(dict)["targetId"])
    except (msgspec.MsgspecError, ValueError, KeyError) as error:
        raise unreadable(_CREATE, error) from error


class TabBook:
    """Every tab of a browser.

    Attributes:
        count: how many have been heard of so far: a mark for `since`.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open: dict[TargetId, Tab] = {}
        self._heard: deque[Tab] = deque(maxlen=_REMEMBERED)
        self._changed = trio.Event()
        self.count: int = 0
        #: How many tabs we are just opening ourselves: theirs are not told from others yet.
        self._opening = 0

    def start(self) -> None:
        """Begin to listen."""
        filter_ = [{"type": "page"}, {"exclude": True}]
        self._connection.root.post(
            "Target.setDiscoverTargets", {"discover": True, "filter": filter_}, self._first_told
        )

    def _first_told(self, _: object) -> None:
        for tab in self._open.values():
            tab.found = True

    def take(self, method: str, params: dict[str, Any]) -> None:
        """Take one of `TAB_EVENTS`. Called by the reader."""
        if method == "Target.targetDestroyed":
            tab = self._open.pop(TargetId(params["targetId"]), None)
            if tab is not None:
                tab.closed = True
        elif (info := params["targetInfo"])["type"] == "page" and not info.get("subtype"):
            tab = self._open.get(TargetId(info["targetId"]))
            if tab is None:
                tab = self._add(info)
            tab.url = info["url"]
        self.pulse()

    def pulse(self) -> None:
        """Something changed: whoever waits looks again."""
        self._changed.set()

    def _add(self, info: dict[str, Any]) -> Tab:
        opener, frame = info.get("openerId"), info.get("openerFrameId")
        tab = Tab(
            TargetId(info["targetId"]),
            TargetId(opener) if opener else None,
            FrameId(frame) if frame else None,
            info.get("browserContextId"),
        )
        self._open[tab.target_id] = tab
        self._heard.append(tab)
        self.count += 1
        return tab

    def since(self, mark: int, opener: TargetId | None = None) -> list[Tab]:
        """The tabs that were opened since `count` was `mark`, in order, closed ones included.

        Args:
            mark: an earlier value of `count`.
            opener: only those that this tab opened.
        """
        new = self.count - mark
        tabs = list(self._heard)[-new:] if new > 0 else []
        return [tab for tab in tabs if opener in {None, tab.opener}]

    def get(self, target_id: TargetId) -> Tab | None:
        """A tab that is open, or was not long ago."""
        found = self._open.get(target_id)
        return found or next((tab for tab in reversed(self._heard) if tab.target_id == target_id), None)

    def give(self, target_id: TargetId) -> None:
        """Somebody is handed the page of this tab."""
        tab = self._open.get(target_id)
        if tab is not None:
            tab.given = True

    def place(self, target_id: str) -> int:
        """The how-manieth of the open tabs this is; those not heard of yet come last."""
        for place, known in enumerate(self._open):
            if known == target_id:
                return place
        return len(self._open)

    @contextlib.contextmanager
    def opening(self) -> Iterator[None]:
        """We open a tab ourselves: nobody who waits for tabs is given one without opener meanwhile."""
        self._opening += 1
        try:
            yield
        finally:
            self._opening -= 1
            self.pulse()

    async def open(self, deadline: Deadline) -> TargetId:
        """Open a tab of our own, and be handed it. Shielded: nobody else would know its id.

        Raises:
            CommandUnanswered: the time was up; a tab that comes too late is closed.
            HybridsnapError: the browser refuses, or is gone.
        """
        answered = trio.Event()
        answer: Payload | HybridsnapError | None = None
        late = False

        def deliver(came: Payload | HybridsnapError) -> None:
            nonlocal answer
            answer = came
            answered.set()
            if late:
                with contextlib.suppress(HybridsnapError):
                    params = {"targetId": _target_of(came)}
                    self._connection.root.post("Target.closeTarget", params, ignore_reply)

        with trio.CancelScope(shield=True), self.opening():
            self._connection.root.post(_CREATE, {"url": "about:blank"}, deliver)
            with trio.move_on_after(deadline.remaining):
                await answered.wait()
            if answer is not None:
                self.give(target_id := _target_of(answer))
        if answer is None:
            late = True
            raise unanswered(_CREATE, "timeout")
        return target_id

    def not_given(self, opener: TargetId | None) -> Tab | None:
        """The first open tab that was opened in our time and that nobody has been handed."""
        for tab in self._open.values():
            ours = self._opening and tab.opener is None
            if not (tab.found or tab.given or ours) and opener in {None, tab.opener}:
                return tab
        return None

    async def wait_until(self, reached: Callable[[], bool], deadline: Deadline) -> bool:
        """Wait for something that tabs bring about; whether it came before the deadline.

        Raises:
            ConnectionLost: the browser is gone.
        """
        with trio.move_on_after(deadline.remaining):
            while not reached():
                if self._connection.lost:
                    raise ConnectionLost("the connection to the browser was lost while waiting for a page")
                if self._changed.is_set():
                    self._changed = trio.Event()
                await self._changed.wait()
        return reached()


class Popup:
    """What `Page.expect_popup` waits for.

    Attributes:
        page: the page that was opened, once the block is over.
    """

    def __init__(self) -> None:
        self._page: Page | None = None

    @property
    def page(self) -> Page:
        """The page that was opened.

        Raises:
            LookupError: the block is not over yet.
        """
        if self._page is None:
            raise LookupError("the popup is there when the block of expect_popup is over")
        return self._page


class Tabs(PageCore):
    """The part of a page that is a tab among others."""

    @property
    def opener_id(self) -> TargetId | None:
        """The target id of the tab that opened this one; None when no page did.

        It is known with ``rel=noopener`` too, and when the opener has been closed.
        """
        tab = self.browser.tabs.get(self.target_id)
        return None if tab is None else tab.opener

    @property
    def opener(self) -> Page | None:
        """The page that opened this one, if it is open and has been asked for; see `opener_id`."""
        opener_id = self.opener_id
        return None if opener_id is None else self.browser.known_page(opener_id)

    def on_browser_events(self, take: Callable[[str, dict[str, Any]], None]) -> None:
        """Hand on the browser's events: on a page's own socket they come to the page's session."""
        self._attachment.listeners.append(lambda _, method, params: take(method, params))

    async def bring_to_front(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> None:
        """Make this the tab that is shown. The others become hidden: their animation frames stop.

        A page need not be in front to be looked at or acted on. An open dialog does not hinder it.
        """
        await self._attachment.root.session.send("Page.bringToFront", deadline=Deadline.of(timeout))

    @contextlib.asynccontextmanager
    async def expect_popup(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> AsyncIterator[Popup]:
        """Wait for the page that is opened in this block (`window.open`, ``target=_blank``).

        ::

            async with page.expect_popup() as popup:
                await page.click("0-29")
            print(popup.page.url)

        The block ends when the page is attached to and its first document has come (or 60 % of the time
        are over); it may be loading still.

        Args:
            timeout: seconds, from the beginning of the block.

        Raises:
            WaitTimeout: none was opened.
            TargetError: it was closed again at once.
        """
        deadline = Deadline.of(timeout)
        tabs = self.browser.tabs
        mark = tabs.count
        popup = Popup()
        yield popup
        opened = await tabs.wait_until(lambda: bool(tabs.since(mark, self.target_id)), deadline)
        if not opened:
            raise WaitTimeout("no page was opened in time", missing=("a page that this one opens",))
        found = tabs.since(mark, self.target_id)
        tab = next((tab for tab in found if not tab.closed), found[0])
        popup._page = await self.browser.page_of_tab(tab, deadline)  # noqa: SLF001 - the two belong together

    async def first_document(self, tab: Tab, deadline: Deadline) -> None:
        """Wait until there is a document in this tab, which has just been opened, for 60 % of the time.

        Raises:
            TargetError: the tab was closed.
        """
        first = deadline.share(LOADING_SHARE)
        await self.browser.tabs.wait_until(lambda: bool(tab.url) or tab.closed, first)
        if tab.closed:
            raise TargetError(f"page {tab.target_id} was closed as soon as it was opened")
        # The page itself hears of it a little later than the browser.
        heard = min(first, Deadline.after(_HEARD_SECONDS), key=lambda one: one.at)
        await self._attachment.wait_until(lambda: not tab.url or self.url == tab.url, heard)

    async def close(self) -> None:
        """Close the tab, also when cancelled. No `beforeunload` handler is asked; a dialog is dismissed."""
        session = self._attachment.root.session
        memory.forget(self.browser.endpoint, self.target_id)
        # Closing a tab over a frame's dialog brings Chromium 156 down, but for this (measured).
        session.post("Page.disable", {}, ignore_reply)
        # What is asked while a document comes whose script hangs at once is lost (measured): ask again.
        with trio.move_on_after(_CLOSE_SECONDS, shield=True):
            closed = False
            while not closed:
                with contextlib.suppress(CommandRefused, SessionEnded, ConnectionLost):
                    await self._connection.root.send("Target.closeTarget", {"targetId": self.target_id})
                closed = self._connection.lost or await self._attachment.wait_until(
                    lambda: session.ended is not None, Deadline.after(_CLOSE_AGAIN_SECONDS)
                )
