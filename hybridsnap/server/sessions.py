"""Clients' sessions: whose tab is whose, and when it is closed.

- ``POST /sessions`` gives out an id, which the client sends with each request (``Hybridsnap-Session``). Such
  a session ends when it is deleted, or when nobody has used it for a while.
- ``GET /events`` without an id registers a session for the length of that stream: when the client goes, it
  ends. Its id is the stream's first event.
- Requests without an id share one session, ``default``. It begins anew when it has ended.

Tabs that a session opens, and those that its pages open, are its own: nobody else sees them, and they are
closed with it. Tabs that were there before belong to nobody: every session may use them, none closes them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
from typing import TYPE_CHECKING

import trio

from hybridsnap.errors import HybridsnapError, TargetError
from hybridsnap.model import TargetId
from hybridsnap.server.events import Listener, Log
from hybridsnap.server.problems import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.client.browser import Browser
    from hybridsnap.client.page import Page
    from hybridsnap.client.tabs import Tab
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.addresses import AddressRules
    from hybridsnap.server.browsers import BrowserKeeper, Browsers
    from hybridsnap.server.settings import Settings
    from hybridsnap.server.showing import Document

#: The header that names a session.
SESSION_HEADER = "Hybridsnap-Session"
DEFAULT_SESSION = "default"
#: For a tab to be listened to; one that hangs is used without.
_LISTENING_SECONDS = 1.0
#: Of so many tabs that were there before it is remembered, also when they are closed: for those they opened.
_MOST_VETTINGS = 10_000


@dataclasses.dataclass(slots=True)
class Vetting:
    """What of a tab is held against the rules, whichever session uses it.

    Attributes:
        on: all of it; not so where somebody else brought it there, as long as it stays there.
        there: loader id → address, as last seen, of what it showed when it was first asked; None before.
        nameless: addresses of what it showed then and could not be told the loader id of.
    """

    on: bool
    there: dict[str, str] | None = None
    nameless: set[str] = dataclasses.field(default_factory=set)

    def look(self, shown: Sequence[Document]) -> list[str]:
        """Take note of what the tab shows.

        Args:
            shown: the main document first.

        Returns:
            The address of each, "" for what was there before and is held to nothing.
        """
        if self.there is None:
            self.there = {one.loader_id: "" for one in shown if one.loader_id is not None}
            self.nameless = {_bare(one.url) for one in shown if one.loader_id is None}
        was_there = [self._was_there(one) for one in shown]
        # Without a loader id it may be there still: another address is one that the document gave itself.
        self.on |= not was_there[0] and shown[0].loader_id is not None
        return ["" if known and not self.on else one.url for one, known in zip(shown, was_there, strict=True)]

    def is_known(self, url: str) -> bool:
        """Whether this is the address of something that was there before; all are until the tab is asked."""
        return self.there is None or _bare(url) in {*self.there.values(), *self.nameless}

    def _was_there(self, one: Document) -> bool:
        if one.loader_id is None:
            return self.is_known(one.url)
        assert self.there is not None
        if _bare(one.url) in self.nameless and one.loader_id not in self.there:
            self.nameless.discard(_bare(one.url))  # now it has its name
        elif one.loader_id not in self.there:
            return False
        self.there[one.loader_id] = _bare(one.url)
        return True


@dataclasses.dataclass(slots=True, eq=False)
class HeldTab:
    """A tab that a session uses.

    Attributes:
        own: it is closed with the session.
        vetting: of what it shows.
    """

    keeper: BrowserKeeper
    page: Page
    own: bool
    vetting: Vetting
    listening: trio.CancelScope | None = None


class ClientSession:
    """One client's session.

    Attributes:
        id: its id.
        log: what its tabs do.
        ended: it is over.
        with_stream: it ends with its stream of events.
    """

    def __init__(self, id_: str, idle_seconds: float, *, with_stream: bool) -> None:
        self.id = id_
        self.idle_seconds = idle_seconds
        self.with_stream = with_stream
        self.log: Log = Log()
        self.ended = False
        self.tabs: dict[tuple[str, str], HeldTab] = {}
        self._users = 0
        self._last_used = trio.current_time()
        #: Somebody has listened to it: its tabs are listened to.
        self.heard = False

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """It is in use for the length of the block."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            self._last_used = trio.current_time()

    @property
    def idle_at(self) -> float:
        """When it will have been idle for too long, in `trio.current_time`, if nobody uses it."""
        return (trio.current_time() if self._users else self._last_used) + self.idle_seconds

    def own(self, keeper: BrowserKeeper | None = None) -> list[HeldTab]:
        """Its own tabs that are open."""
        return [
            tab
            for tab in self.tabs.values()
            if tab.own and keeper in {None, tab.keeper} and tab.page.session.ended != "detached"
        ]


class Sessions:
    """All sessions of a server.

    Args:
        settings: of the server.
        browsers: of the server.
        rules: where browsers may go.
        nursery: for what accompanies them.
    """

    def __init__(
        self, settings: Settings, browsers: Browsers, rules: AddressRules, nursery: trio.Nursery
    ) -> None:
        self._settings = settings
        self._rules = rules
        self._browsers = browsers
        self._nursery = nursery
        self._sessions: dict[str, ClientSession] = {}
        self._opening = 0
        #: Of the tabs that were there before and that sessions have used, by browser and target id.
        self._vettings: dict[tuple[str, str], Vetting] = {}
        for keeper in browsers:
            keeper.on_tab = self._tab_opened
            keeper.on_lost = self._browser_lost

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[ClientSession]:
        return iter(list(self._sessions.values()))

    @property
    def tab_count(self) -> int:
        """How many tabs belong to sessions."""
        return sum(len(session.own()) for session in self._sessions.values())

    def create(self, idle_seconds: float | None = None, *, with_stream: bool = False) -> ClientSession:
        """Register a session.

        Raises:
            Refused: there are too many.
        """
        return self._register(secrets.token_urlsafe(12), idle_seconds, with_stream=with_stream)

    def get(self, session_id: str | None) -> ClientSession:
        """The session that is meant.

        Raises:
            Refused: there is no such session (any more).
        """
        session = self._sessions.get(session_id or DEFAULT_SESSION)
        if session is not None:
            return session
        if session_id in {None, DEFAULT_SESSION}:
            return self._register(DEFAULT_SESSION, None, with_stream=False)
        raise Refused(
            404,
            "SessionUnknown",
            "there is no such session (any more); its tabs are closed",
            "POST /sessions for a new one, or leave the header out",
        )

    async def end(self, session: ClientSession) -> None:
        """End a session: its own tabs are closed, those who listen to it hear that it is over."""
        if session.ended:
            return
        session.ended = True
        self._sessions.pop(session.id, None)
        own = session.own()
        session.log.put("sessionEnded", sessionId=session.id)
        session.log.close()
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for tab in session.tabs.values():
                    if tab.listening is not None:
                        tab.listening.cancel()
                for tab in own:
                    nursery.start_soon(_close, tab.page)
        session.tabs.clear()

    async def end_all(self) -> None:
        """End all of them."""
        async with trio.open_nursery() as nursery:
            for session in list(self._sessions.values()):
                nursery.start_soon(self.end, session)

    async def open_tab(self, session: ClientSession, keeper: BrowserKeeper, deadline: Deadline) -> HeldTab:
        """Open a tab of a session's own.

        Raises:
            Refused: there are too many.
        """
        if self.tab_count + self._opening >= self._settings.tabs:
            raise Refused(
                503,
                "TooManyTabs",
                f"{self._settings.tabs} tabs are open",
                "close some: DELETE /tabs",
                headers={"Retry-After": "5"},
            )
        self._opening += 1
        try:
            browser = await keeper.get(deadline)
            page = await browser.new_page(timeout=deadline)
        finally:
            self._opening -= 1
        if session.ended:
            await _close(page)
            raise Refused(410, "SessionOver", "the session has ended meanwhile", "POST /sessions for another")
        return await self._held(session, keeper, page, own=True)

    async def tab(
        self,
        session: ClientSession,
        keeper: BrowserKeeper,
        target_id: str | None,
        deadline: Deadline,
        *,
        takes_url: bool = False,
    ) -> HeldTab:
        """A tab that is open, and that the session may use.

        Args:
            session: whose.
            keeper: of the browser.
            target_id: which; None when it has only one, or else the browser has.
            deadline: until when.
            takes_url: whether the request could name a URL instead; its error says so.

        Raises:
            TargetError: there is none, or none was named and there are several; ``target_ids`` are those that
                the session may use.
        """
        browser = await keeper.get(deadline)
        if target_id is None:
            own = session.own(keeper)
            ids = [str(tab.page.target_id) for tab in own] or await self._visible_ids(
                session, keeper, browser
            )
            if len(ids) != 1:
                several = f"several tabs are open: {', '.join(ids)}; name one by targetId"
                none = "no tab is open; POST /tabs opens one"
                also = ", or give a url" if takes_url else ""
                raise TargetError((several if ids else none) + also, target_ids=tuple(ids))
            target_id = ids[0]
        held = session.tabs.get((keeper.id, target_id))
        if held is not None and held.page.session.ended != "detached":
            return held
        if not self.visible(session, keeper, target_id):
            # As if it were not there: whose it is, is nobody's business.
            raise await self._no_tab(session, keeper, browser, target_id)
        try:
            page = await browser.page(target_id, timeout=deadline)
        except TargetError as error:
            # The browser's own words list the tabs of all sessions.
            raise await self._no_tab(session, keeper, browser, target_id) from error
        return await self._held(session, keeper, page, own=False)

    async def _no_tab(
        self, session: ClientSession, keeper: BrowserKeeper, browser: Browser, target_id: str
    ) -> TargetError:
        ids = await self._visible_ids(session, keeper, browser)
        return TargetError(
            f"the browser has no tab {target_id[:60]!r} for this session", target_ids=tuple(ids)
        )

    async def _visible_ids(
        self, session: ClientSession, keeper: BrowserKeeper, browser: Browser
    ) -> list[str]:
        return [str(one) for one in await browser.page_ids() if self.visible(session, keeper, one)]

    async def close_tab(self, session: ClientSession, held: HeldTab) -> None:
        """Close a tab of the session's own.

        Raises:
            Refused: it is not its own.
        """
        if not held.own:
            raise Refused(
                403,
                "TabNotOwn",
                "this tab was there before; a session closes its own only",
                "close it in the browser",
            )
        await _close(held.page)
        self._let_go(session, held)

    def visible(self, session: ClientSession, keeper: BrowserKeeper, target_id: str) -> bool:
        """Whether a session may know of a tab.

        What is nobody's in a browser that the server launched is the empty tab that it began with.
        """
        owner = self._owner(keeper, target_id)
        return owner is session or (owner is None and not keeper.launched)

    def listen(self, session: ClientSession) -> None:
        """Begin to tell of what a session's tabs do."""
        if not session.heard:
            session.heard = True
            for held in list(session.tabs.values()):
                self._nursery.start_soon(self._follow, session, held, self._listener(session, held))

    def _register(self, id_: str, idle_seconds: float | None, *, with_stream: bool) -> ClientSession:
        if len(self._sessions) >= self._settings.sessions:
            raise Refused(
                503,
                "TooManySessions",
                f"{len(self._sessions)} sessions are open",
                "end some: DELETE /sessions/ID; idle ones end by themselves",
                headers={"Retry-After": "10"},
            )
        most = self._settings.idle_seconds
        session = ClientSession(id_, min(idle_seconds or most, most), with_stream=with_stream)
        self._sessions[id_] = session
        self._nursery.start_soon(self._end_when_idle, session)
        return session

    async def _end_when_idle(self, session: ClientSession) -> None:
        while not session.ended:
            await trio.sleep_until(session.idle_at)
            if trio.current_time() >= session.idle_at:
                break
        await self.end(session)

    def _owner(self, keeper: BrowserKeeper, target_id: str) -> ClientSession | None:
        """Whose tab this is: who opened it, or the page that opened it, or the one that opened that."""
        for one in (target_id, *self._openers(keeper, target_id)):
            for session in self._sessions.values():
                held = session.tabs.get((keeper.id, one))
                if held is not None and held.own:
                    return session
        return None

    def _openers(self, keeper: BrowserKeeper, target_id: str) -> list[str]:
        """The tab that opened a tab, the one that opened that, and so on."""
        found: list[str] = []
        tab = None if keeper.browser is None else keeper.browser.tabs.get(TargetId(target_id))
        while keeper.browser is not None and tab is not None and tab.opener not in {None, target_id, *found}:
            found.append(str(tab.opener))
            tab = keeper.browser.tabs.get(TargetId(found[-1]))
        return found

    async def _held(self, session: ClientSession, keeper: BrowserKeeper, page: Page, *, own: bool) -> HeldTab:
        """Take a tab as one of a session's, listened to where somebody listens to the session."""
        key = (keeper.id, str(page.target_id))
        for other, held in list(session.tabs.items()):
            if held.page.session.ended == "detached":
                del session.tabs[other]
        vetting = Vetting(own or self.led(keeper, key[1]))
        if not own:
            vetting = self._vettings.setdefault(key, vetting)
            for oldest in list(self._vettings)[:-_MOST_VETTINGS]:
                del self._vettings[oldest]
        held = session.tabs[key] = HeldTab(keeper, page, own, vetting)
        if session.heard:
            listener = self._listener(session, held)
            self._nursery.start_soon(self._follow, session, held, listener)
            with trio.move_on_after(_LISTENING_SECONDS):
                await listener.ready.wait()
        return held

    def led(self, keeper: BrowserKeeper, target_id: str, url: str | None = None) -> bool:
        """Whether a session may have led a tab that is nobody's to where it is.

        Args:
            keeper: of the browser.
            target_id: of the tab.
            url: where it is now, when that is known.
        """
        known = self._vettings.get((keeper.id, target_id))
        if known is not None:
            return known.on or (url is not None and not known.is_known(url))
        return any((keeper.id, one) in self._vettings for one in self._openers(keeper, target_id))

    def _let_go(self, session: ClientSession, held: HeldTab) -> None:
        session.tabs.pop((held.keeper.id, str(held.page.target_id)), None)

    def _listener(self, session: ClientSession, held: HeldTab) -> Listener:
        browser_id = held.keeper.id

        def tell(name: str, **data: object) -> None:
            session.log.put(name, browserId=browser_id, **data)

        async def may_tell(urls: Sequence[str]) -> bool:
            if held.keeper.launched or not self._settings.filters:
                return True  # there only is what the server's door let in
            vetting = held.vetting
            held_to = ["" if not vetting.on and vetting.is_known(url) else url for url in urls]
            return await self._rules.may_tell(held_to)

        return Listener(held.page, tell, may_tell)

    async def _follow(self, session: ClientSession, held: HeldTab, listener: Listener) -> None:
        page = held.page
        whose = {"browserId": held.keeper.id, "targetId": page.target_id}
        session.log.put("target", **whose, openerId=page.opener_id, url=page.url, state="opened")
        with trio.CancelScope() as held.listening, contextlib.suppress(HybridsnapError):
            await listener.run()
        if not session.ended:
            session.log.put("target", **whose, url=page.url, state="closed")
            self._let_go(session, held)

    def _tab_opened(self, keeper: BrowserKeeper, tab: Tab) -> None:
        """A page has opened a tab: it belongs to whom the page belongs to."""
        owner = None if tab.opener is None else self._owner(keeper, tab.opener)
        if owner is not None:
            self._nursery.start_soon(self._adopt, owner, keeper, tab)

    async def _adopt(self, session: ClientSession, keeper: BrowserKeeper, tab: Tab) -> None:
        browser = keeper.browser
        if browser is None:
            return
        with contextlib.suppress(HybridsnapError):
            if self.tab_count >= self._settings.tabs or session.ended:
                await browser.session.send("Target.closeTarget", {"targetId": tab.target_id})
                session.log.put("target", targetId=tab.target_id, url=tab.url, state="refused")
                return
            page = await browser.page(tab.target_id)
            await self._held(session, keeper, page, own=True)
            await self._close_if_over(session, page)

    async def _close_if_over(self, session: ClientSession, page: Page) -> None:
        """A session may have ended while a tab of its own was attached to."""
        if session.ended:
            await _close(page)

    def _browser_lost(self, keeper: BrowserKeeper) -> None:
        for session in self._sessions.values():
            lost = [key for key, tab in session.tabs.items() if tab.keeper is keeper]
            for key in lost:
                del session.tabs[key]
            if lost or session.heard:
                session.log.put("browserLost", browserId=keeper.id)


def _bare(url: str) -> str:
    """An address without its fragment, which is not always told."""
    return url.partition("#")[0]


async def _close(page: Page) -> None:
    with contextlib.suppress(HybridsnapError):
        await page.close()
