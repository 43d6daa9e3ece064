"""Clients' sessions: whose tab is whose, and when it is closed.

- ``POST /sessions`` gives out an id, which the client sends with each request (``Hybridsnap-Session``). Such
  a session ends when it is deleted, or when it has not been used for a while.
- ``GET /events`` without an id registers a session for the length of that stream: when the client goes, it
  ends. Its id is the stream's first event.
- Requests without an id share one session, ``default``. It begins anew when it has ended.

Tabs that a session opens, and those that its pages open, are its own: no other session sees them, and they
are closed with it. They are in a browser context of the session's own, so sessions share no cookies and no
storage, unless the operator asks for that (`Settings.shared_profile`). Tabs that were there before belong to
no session: every session may use them, none closes them.
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
from hybridsnap.service.content_policy import CheckedTab, SeenTabs
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.client.browser import Browser, BrowserContext, Page
    from hybridsnap.client.tab_tracker import Tab
    from hybridsnap.client.viewport import ViewportSize
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.settings import Settings
    from hybridsnap.service.addresses import AddressPolicy
    from hybridsnap.service.browser_pool import BrowserPool, PooledBrowser

#: The header that names a session.
SESSION_HEADER = "Hybridsnap-Session"
DEFAULT_SESSION = "default"
#: For a tab to be listened to; one that hangs is used without.
_LISTENING_SECONDS = 1.0


@dataclasses.dataclass(slots=True, eq=False, kw_only=True)
class HeldTab(CheckedTab):
    """A tab that a session uses.

    Attributes:
        pooled: its browser.
        own: it is closed with the session.
        isolated: it is in a browser context of the session's own: its processes show no other session's tabs.
    """

    pooled: PooledBrowser
    own: bool
    isolated: bool
    listening: trio.CancelScope | None = None


class ClientSession:
    """One client's session.

    Attributes:
        id: its id.
        client: the address of the client that registered the session; None for the session ``default``.
        log: what its tabs do.
        with_stream: it ends with its stream of events.
    """

    def __init__(self, id_: str, idle_seconds: float, *, client: str | None, with_stream: bool) -> None:
        self.id = id_
        self.client = client
        self.idle_seconds = idle_seconds
        self.with_stream = with_stream
        self.log: Log = Log()
        self._over = trio.Event()
        self.tabs: dict[tuple[str, str], HeldTab] = {}
        #: Browser id → the context that its tabs are opened in.
        self.contexts: dict[str, BrowserContext] = {}
        #: Browser id → the tab that a request which named none was about, the last time.
        self.unnamed: dict[str, str] = {}
        self._making = trio.Lock()
        self._users = 0
        self._last_used = trio.current_time()
        #: It has had a listener: its tabs are listened to.
        self.heard = False

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self._over.is_set()

    def end(self) -> None:
        """It is over."""
        self._over.set()

    async def wait_idle(self) -> None:
        """Wait until it has been idle for too long, or is over."""
        while not self.ended and trio.current_time() < self.idle_at:
            with trio.move_on_at(self.idle_at):
                await self._over.wait()

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """It is in use for the length of the block."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            self._last_used = trio.current_time()

    async def context(self, pooled: PooledBrowser, deadline: Deadline) -> BrowserContext:
        """The session's own context in a browser."""
        async with self._making:
            context = self.contexts.get(pooled.id)
            if context is None or context.closed:
                browser = await pooled.get(deadline)
                context = self.contexts[pooled.id] = await browser.new_context(timeout=deadline)
            return context

    @property
    def idle_at(self) -> float:
        """When it will have been idle for too long, in `trio.current_time`, if it is not used."""
        return (trio.current_time() if self._users else self._last_used) + self.idle_seconds

    def own(self, pooled: PooledBrowser | None = None) -> list[HeldTab]:
        """Its own tabs that are open."""
        return [
            tab
            for tab in self.tabs.values()
            if tab.own and pooled in {None, tab.pooled} and tab.page.session.ended != "detached"
        ]


class Sessions:
    """All sessions of a server."""

    def __init__(
        self, settings: Settings, browsers: BrowserPool, rules: AddressPolicy, nursery: trio.Nursery
    ) -> None:
        self._settings = settings
        self._rules = rules
        self._nursery = nursery
        self._sessions: dict[str, ClientSession] = {}
        self._opening = 0
        self.seen: SeenTabs = SeenTabs()
        for pooled in browsers:
            pooled.on_tab = self._tab_opened
            pooled.on_lost = self._browser_lost

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[ClientSession]:
        return iter(list(self._sessions.values()))

    @property
    def tab_count(self) -> int:
        """How many tabs belong to sessions."""
        return sum(len(session.own()) for session in self._sessions.values())

    def create(
        self, client: str, idle_seconds: float | None = None, *, with_stream: bool = False
    ) -> ClientSession:
        """Register a session.

        Args:
            client: the address that asks.
            idle_seconds: the session ends after so long without a request.
            with_stream: the session ends with its stream of events.

        Raises:
            ApiError: this client has too many sessions; those of others, and ``default``, do not count.
        """
        most = self._settings.sessions
        if sum(session.client == client for session in self._sessions.values()) >= most:
            raise ApiError(
                503,
                "TooManySessions",
                f"this client ({client}) has {most} sessions",
                "end some: DELETE /sessions/ID; idle ones end by themselves",
                headers={"Retry-After": "10"},
            )
        return self._register(secrets.token_urlsafe(12), idle_seconds, client=client, with_stream=with_stream)

    def get(self, session_id: str | None) -> ClientSession:
        """The session that is meant.

        Raises:
            ApiError: there is no such session (any more).
        """
        session = self._sessions.get(session_id or DEFAULT_SESSION)
        if session is not None:
            return session
        if session_id in {None, DEFAULT_SESSION}:
            return self._register(DEFAULT_SESSION, None, client=None, with_stream=False)
        raise ApiError(
            404,
            "SessionUnknown",
            "there is no such session (any more); its tabs are closed",
            "POST /sessions for a new one, or leave the header out",
        )

    async def end(self, session: ClientSession) -> None:
        """End a session: its own tabs are closed, those who listen to it hear that it is over."""
        if session.ended:
            return
        session.end()
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
            await _close_contexts(session)
        session.tabs.clear()

    async def end_all(self) -> None:
        """End all of them."""
        async with trio.open_nursery() as nursery:
            for session in list(self._sessions.values()):
                nursery.start_soon(self.end, session)

    async def open_tab(
        self,
        session: ClientSession,
        pooled: PooledBrowser,
        deadline: Deadline,
        viewport: ViewportSize | None = None,
    ) -> HeldTab:
        """Open a tab of a session's own.

        Raises:
            ApiError: there are too many.
        """
        if self.tab_count + self._opening >= self._settings.tabs:
            raise ApiError(
                503,
                "TooManyTabs",
                f"{self._settings.tabs} tabs are open",
                "close some: DELETE /tabs",
                headers={"Retry-After": "5"},
            )
        self._opening += 1
        try:
            where: Browser | BrowserContext
            if self._settings.shared_profile:
                where = await pooled.get(deadline)
            else:
                where = await session.context(pooled, deadline)
            page = await where.new_page(viewport=viewport, timeout=deadline)
        finally:
            self._opening -= 1
            if session.ended:
                await _close_contexts(session)
        if session.ended:
            await _close(page)
            raise ApiError(
                410, "SessionOver", "the session has ended meanwhile", "POST /sessions for another"
            )
        session.unnamed.pop(pooled.id, None)
        return await self._held(session, pooled, page, own=True)

    async def tab(
        self,
        session: ClientSession,
        pooled: PooledBrowser,
        target_id: str | None,
        deadline: Deadline,
        *,
        takes_url: bool = False,
    ) -> HeldTab:
        """A tab that is open, and that the session may use.

        Args:
            session: whose.
            pooled: of the browser.
            target_id: which; None when it has only one, or else the browser has.
            deadline: until when.
            takes_url: whether the request could name a URL instead; its error says so.

        Raises:
            TargetError: there is none, or none was named and there are several, or (once) the one that was
                meant so before has closed; ``target_ids`` are those that the session may use.
        """
        browser = await pooled.get(deadline)
        if target_id is None:
            own = session.own(pooled)
            ids = [str(tab.page.target_id) for tab in own] or await self._visible_ids(
                session, pooled, browser, deadline
            )
            if len(ids) != 1:
                several = f"several tabs are open: {', '.join(ids)}; name one by targetId"
                none = "no tab is open; POST /tabs opens one"
                also = ", or give a url" if takes_url else ""
                raise TargetError((several if ids else none) + also, target_ids=tuple(ids))
            target_id = ids[0]
            # What was meant for the tab that was the only one before reaches no other without a word.
            before, session.unnamed[pooled.id] = session.unnamed.get(pooled.id, target_id), target_id
            about = browser.tabs.get(TargetId(before))
            if before != target_id and (about is None or about.closed):
                raise TargetError(
                    f"tab {before} has closed; the only one that is open now is {target_id}",
                    target_ids=(target_id,),
                )
        held = session.tabs.get((pooled.id, target_id))
        if held is not None and held.page.session.ended != "detached":
            return held
        if not self.visible(session, pooled, target_id):
            # As if it were not there: its owner must not be revealed.
            raise await self._no_tab(session, pooled, browser, target_id, deadline)
        try:
            page = await browser.page(target_id, timeout=deadline)
        except TargetError as error:
            # The browser's own words list the tabs of all sessions.
            raise await self._no_tab(session, pooled, browser, target_id, deadline) from error
        # One that a page of the session has just opened may be used before it is taken as its own.
        belongs = self._owner(pooled, target_id) is session
        return await self._held(session, pooled, page, own=belongs)

    async def _no_tab(
        self,
        session: ClientSession,
        pooled: PooledBrowser,
        browser: Browser,
        target_id: str,
        deadline: Deadline,
    ) -> TargetError:
        ids = await self._visible_ids(session, pooled, browser, deadline)
        return TargetError(
            f"the browser has no tab {target_id[:60]!r} for this session", target_ids=tuple(ids)
        )

    async def _visible_ids(
        self, session: ClientSession, pooled: PooledBrowser, browser: Browser, deadline: Deadline
    ) -> list[str]:
        ids = await browser.page_ids(timeout=deadline)
        return [str(one) for one in ids if self.visible(session, pooled, one)]

    async def close_tab(self, session: ClientSession, held: HeldTab) -> None:
        """Close a tab of the session's own.

        Raises:
            ApiError: it is not its own.
        """
        if not held.own:
            raise ApiError(
                403,
                "TabNotOwn",
                "this tab was there before; a session closes its own only",
                "close it in the browser",
            )
        await _close(held.page)
        self._let_go(session, held)
        session.unnamed.pop(held.pooled.id, None)

    def visible(self, session: ClientSession, pooled: PooledBrowser, target_id: str) -> bool:
        """Whether a session may know of a tab.

        In a browser that the server launched, the only tab without an owner is the empty one it began with.
        """
        owner = self._owner(pooled, target_id)
        return owner is session or (owner is None and not pooled.launched)

    def listen(self, session: ClientSession) -> None:
        """Begin to tell of what a session's tabs do."""
        if not session.heard:
            session.heard = True
            for held in list(session.tabs.values()):
                self._nursery.start_soon(self._follow, session, held, self._listener(session, held))

    def _register(
        self, id_: str, idle_seconds: float | None, *, client: str | None, with_stream: bool
    ) -> ClientSession:
        most = self._settings.idle_seconds
        session = ClientSession(id_, min(idle_seconds or most, most), client=client, with_stream=with_stream)
        self._sessions[id_] = session
        self._nursery.start_soon(self._end_when_idle, session)
        return session

    async def _end_when_idle(self, session: ClientSession) -> None:
        await session.wait_idle()
        await self.end(session)

    def _owner(self, pooled: PooledBrowser, target_id: str) -> ClientSession | None:
        """Whose tab this is: by its context, or who opened it, or the page that opened it, and so on."""
        context = pooled.context_of(target_id)
        for session in self._sessions.values():
            own = session.contexts.get(pooled.id)
            if own is not None and own.id == context:
                return session
        for one in (target_id, *pooled.openers(target_id)):
            for session in self._sessions.values():
                held = session.tabs.get((pooled.id, one))
                if held is not None and held.own:
                    return session
        return None

    async def _held(self, session: ClientSession, pooled: PooledBrowser, page: Page, *, own: bool) -> HeldTab:
        """Take a tab as one of a session's, listened to where the session has a listener."""
        key = (pooled.id, str(page.target_id))
        for other, held in list(session.tabs.items()):
            if held.page.session.ended == "detached":
                del session.tabs[other]
        if key in session.tabs and session.tabs[key].own:
            return session.tabs[key]  # taken meanwhile
        seen = self.seen.documents_of(pooled, key[1], own=own)
        isolated = own and not self._settings.shared_profile
        held = HeldTab(
            pooled=pooled, page=page, own=own, isolated=isolated, seen=seen, proxied=pooled.proxied
        )
        session.tabs[key] = held
        if session.heard:
            listener = self._listener(session, held)
            self._nursery.start_soon(self._follow, session, held, listener)
            with trio.move_on_after(_LISTENING_SECONDS):
                await listener.ready.wait()
        return held

    def _let_go(self, session: ClientSession, held: HeldTab) -> None:
        session.tabs.pop((held.pooled.id, str(held.page.target_id)), None)

    def _listener(self, session: ClientSession, held: HeldTab) -> Listener:
        browser_id = held.pooled.id

        def tell(name: str, **data: object) -> None:
            session.log.put(name, browserId=browser_id, **data)

        async def may_tell(urls: Sequence[str]) -> bool:
            if held.proxied or not self._settings.filters:
                return True  # only what the proxy let in
            seen = held.seen
            held_to = ["" if not seen.enforced and seen.is_known(url) else url for url in urls]
            return await self._rules.may_tell(held_to)

        return Listener(held.page, tell, may_tell)

    async def _follow(self, session: ClientSession, held: HeldTab, listener: Listener) -> None:
        page = held.page
        whose = {"browserId": held.pooled.id, "targetId": page.target_id}
        session.log.put("target", **whose, openerId=page.opener_id, url=page.url, state="opened")
        with trio.CancelScope() as held.listening, contextlib.suppress(HybridsnapError):
            await listener.run()
        if not session.ended:
            session.log.put("target", **whose, url=page.url, state="closed")
            self._let_go(session, held)

    def _tab_opened(self, pooled: PooledBrowser, tab: Tab) -> None:
        """A page has opened a tab: it belongs to whom the page belongs to."""
        owner = None if tab.opener is None else self._owner(pooled, tab.opener)
        if owner is not None:
            self._nursery.start_soon(self._adopt, owner, pooled, tab)

    async def _adopt(self, session: ClientSession, pooled: PooledBrowser, tab: Tab) -> None:
        browser = pooled.browser
        if browser is None:
            return
        with contextlib.suppress(HybridsnapError):
            if self.tab_count >= self._settings.tabs or session.ended:
                await browser.session.send("Target.closeTarget", {"targetId": tab.target_id})
                session.log.put("target", targetId=tab.target_id, url=tab.url, state="refused")
                return
            page = await browser.page(tab.target_id)
            await self._held(session, pooled, page, own=True)
            await self._close_if_over(session, page)

    async def _close_if_over(self, session: ClientSession, page: Page) -> None:
        """A session may have ended while a tab of its own was attached to."""
        if session.ended:
            await _close(page)

    def _browser_lost(self, pooled: PooledBrowser) -> None:
        for session in self._sessions.values():
            lost = [key for key, tab in session.tabs.items() if tab.pooled is pooled]
            for key in lost:
                del session.tabs[key]
            session.contexts.pop(pooled.id, None)
            session.unnamed.pop(pooled.id, None)
            if lost or session.heard:
                session.log.put("browserLost", browserId=pooled.id)


async def _close_contexts(session: ClientSession) -> None:
    for context in list(session.contexts.values()):
        await context.close()
    session.contexts.clear()


async def _close(page: Page) -> None:
    with contextlib.suppress(HybridsnapError):
        await page.close()
