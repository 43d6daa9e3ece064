"""A browser: launch one, or connect to one that runs; its pages."""

from __future__ import annotations

import contextlib
import uuid
from typing import TYPE_CHECKING, Any, Literal

import trio

from hybridsnap.client.connection import open_connection
from hybridsnap.client.downloads import DOWNLOAD_EVENTS, DownloadBook
from hybridsnap.client.endpoint import resolve_endpoint
from hybridsnap.client.lanes import Door, Lanes
from hybridsnap.client.launcher import launch_process
from hybridsnap.client.metrics import Metrics
from hybridsnap.client.opening import opener
from hybridsnap.client.page import Page
from hybridsnap.client.page_core import DEFAULT_TIMEOUT
from hybridsnap.client.tabs import TAB_EVENTS, TabBook
from hybridsnap.client.websocket import open_websocket
from hybridsnap.deadline import LOADING_SHARE, Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import CommandRefused, EndpointError, TargetError, WaitTimeout
from hybridsnap.model import SessionId, TargetId

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Mapping, Sequence

    from hybridsnap.act.files import Permit
    from hybridsnap.client.connection import Connection, Session
    from hybridsnap.client.launcher import BrowserProcess
    from hybridsnap.client.page import Wait
    from hybridsnap.client.tabs import Tab

#: The path of one page's own socket.
_PAGE_PATH = "/devtools/page/"
#: Of the time, how much attaching to a page may take.
_ATTACHING_SHARE = 0.25


class Browser:
    """A browser that is spoken to. `launch` and `connect` make it.

    Attributes:
        connection: everything that is said to it goes here.
        process: the browser's process, when we launched it.
        only_target: the one page that can be reached, when the connection is that page's own socket.
        endpoint: its address; over a pipe, which has none, a name that no other browser has.
        metrics: counters of what was done over this connection.
        lanes: where evaluations run.
        tabs: what is known of the tabs, in the order in which they were opened.
        downloads: whose they are.
        permit_upload: asked for each path that a page is to get, and gives the path that it gets; None
            permits all. For whoever acts for others.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        process: BrowserProcess | None = None,
        only_target: TargetId | None = None,
        endpoint: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.endpoint: str = endpoint or f"pipe {uuid.uuid4()}"
        self.metrics: Metrics = Metrics()
        self.lanes: Lanes = Lanes(connection, Door(self.endpoint, headers), only_target, self.metrics)
        self.connection = connection
        self.process = process
        self.only_target = only_target
        self._pages: dict[TargetId, Page] = {}
        self._attaching: dict[TargetId, trio.Lock] = {}
        self.tabs: TabBook = TabBook(connection)
        self.downloads: DownloadBook = DownloadBook(self)
        self.permit_upload: Permit | None = None
        if only_target is None:
            connection.root.on_event = self._take_event
            connection.root.on_end = self.tabs.pulse
        self.tabs.start()

    @property
    def session(self) -> Session:
        """The browser's own session, for commands such as ``Target.getTargets``."""
        return self.connection.root

    async def new_page(
        self,
        url: str | None = None,
        *,
        wait: Wait = "load",
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Page:
        """Open a tab.

        Args:
            url: where to go; None stays at about:blank.
            wait: as `Page.goto`.
            timeout: seconds, for all of it. What is not loaded by then is left as it is.

        Raises:
            NavigationFailed: as `Page.goto`; the tab is closed again.
            TargetError: the connection is one page's own socket.
        """
        deadline = Deadline.of(timeout)
        self._refuse_own_socket("open tabs")
        target_id = await self.tabs.open(deadline)
        try:
            page = await self._attach(target_id, deadline)
            if url is not None:
                await page.goto(url, wait=wait, timeout=deadline)
        except BaseException:
            self.session.post("Target.closeTarget", {"targetId": target_id}, ignore_reply)
            await self.connection.flush()
            raise
        return page

    async def pages(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> list[Page]:
        """The tabs that are open, in the order in which they were opened.

        A tab has one `Page` as long as it lives: asked again, it is the same object.

        Args:
            timeout: seconds.
        """
        deadline = Deadline.of(timeout)
        found = []
        for target_id in await self.page_ids():
            with contextlib.suppress(TargetError):  # it has just been closed
                found.append(await self._page_of(target_id, deadline))
        return found

    async def page_ids(self) -> list[TargetId]:
        """The target ids of the tabs that are open, in the order in which they were opened."""
        if self.only_target is not None:
            return [self.only_target]
        return [TargetId(info["targetId"]) for info in await self.page_infos()]

    async def page_infos(self) -> list[dict[str, Any]]:
        """`Target.TargetInfo` of each open tab, as the browser gives it, in the order they were opened."""
        if self.only_target is not None:
            return [{"targetId": self.only_target, "url": (await self.page()).url, "title": ""}]
        targets = await self.session.send("Target.getTargets")
        tabs = (one for one in targets["targetInfos"] if one["type"] == "page" and not one.get("subtype"))
        return sorted(tabs, key=lambda info: self.tabs.place(info["targetId"]))

    async def wait_for_page(
        self, opener: Page | None = None, *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> Page:
        """A tab that was opened and that nobody has been handed yet; wait for one when there is none.

        So a popup is found whether it came before the call or comes after it. Tabs that were open before
        this connection, and those of `new_page`, do not count, nor those that have been closed again.

        Args:
            opener: only a tab that this page opened.
            timeout: seconds.

        Returns:
            The page, attached to and with its first document (or after 60 % of the time); it may be loading
            still.

        Raises:
            WaitTimeout: none came.
            TargetError: the connection is one page's own socket.
        """
        deadline = Deadline.of(timeout)
        self._refuse_own_socket("be handed other tabs")
        opener_id = None if opener is None else opener.target_id
        while await self.tabs.wait_until(lambda: self.tabs.not_given(opener_id) is not None, deadline):
            tab = self.tabs.not_given(opener_id)
            assert tab is not None, "nothing runs between the two"
            with contextlib.suppress(TargetError):  # closed again at once: the next one, then
                return await self.page_of_tab(tab, deadline)
        raise WaitTimeout("no page was opened in time", missing=("a page that nobody has been handed",))

    async def page_of_tab(self, tab: Tab, deadline: Deadline) -> Page:
        """The page of a tab that has just been opened, once its first document is there.

        Raises:
            TargetError: it was closed again.
        """
        self._refuse_own_socket("be handed other tabs")
        tab.given = True
        page = await self._page_of(tab.target_id, deadline)
        await page.first_document(tab, deadline)
        return page

    def known_page(self, target_id: TargetId) -> Page | None:
        """The page of a tab that is open, if it has been asked for before."""
        page = self._pages.get(target_id)
        return None if page is None or page.session.ended == "detached" else page

    async def page(
        self,
        target_id: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Page:
        """A tab that is open.

        Args:
            target_id: which; None when there is only one. Blank tabs that no page opened (about:blank, as a
                browser has after its launch) do not count beside one that is somewhere.
            timeout: seconds.

        Raises:
            TargetError: there is no such tab, or none was named and there are several; the message and
                ``target_ids`` list them.
        """
        deadline = Deadline.of(timeout)
        if self.only_target is None:
            infos = await self.page_infos()
            target_id = _chosen(target_id, infos)
        elif target_id not in (None, self.only_target):
            raise TargetError(
                f"this connection is the own socket of page {self.only_target}, not of {target_id}",
                target_ids=(self.only_target,),
            )
        else:
            target_id = self.only_target
        return await self._page_of(TargetId(target_id), deadline)

    async def close(self) -> None:
        """Close the browser, whoever launched it. It ends by itself with the ``async with`` of `launch`."""
        with contextlib.suppress(CommandRefused, ConnectionError):
            await self.session.send("Browser.close", deadline=Deadline.after(5))

    async def _page_of(self, target_id: TargetId, deadline: Deadline) -> Page:
        """The one page of a tab."""
        async with self._attaching.setdefault(target_id, trio.Lock()):
            return self.known_page(target_id) or await self._attach(target_id, deadline)

    async def _attach(self, target_id: TargetId, deadline: Deadline) -> Page:
        if self.only_target is not None:
            page = Page(self, target_id, self.session, self.session)
            page.on_browser_events(self._take_event)
        else:
            theirs, ours = [await self._session(target_id, deadline) for _ in range(2)]
            page = Page(self, target_id, theirs, ours)
        self._pages = {id_: known for id_, known in self._pages.items() if known.session.ended != "detached"}
        self._pages[target_id] = page
        self._attaching = {id_: lock for id_, lock in self._attaching.items() if lock.locked()}
        self.tabs.give(target_id)
        # A page that hangs says nothing: what is to be done with it needs time, too.
        await page.settled(deadline.share(_ATTACHING_SHARE))
        return page

    def _refuse_own_socket(self, what: str) -> None:
        if self.only_target is not None:
            raise TargetError(
                f"this connection is one page's own socket and cannot {what};"
                " connect to the browser (http://host:port) instead",
                target_ids=(self.only_target,),
            )

    def _take_event(self, method: str, params: dict[str, Any]) -> None:
        """An event of the browser itself."""
        if method in TAB_EVENTS:
            self.tabs.take(method, params)
        elif method in DOWNLOAD_EVENTS:
            self.downloads.take(method, params)

    async def _session(self, target_id: TargetId, deadline: Deadline) -> Session:
        try:
            attached = await self.session.send(
                "Target.attachToTarget", {"targetId": target_id, "flatten": True}, deadline=deadline
            )
        except CommandRefused as error:
            raise TargetError(f"there is no page {target_id} ({error.reason})") from error
        return self.connection.session(SessionId(attached["sessionId"]), target_id)

    def __repr__(self) -> str:
        return f"<Browser over {self.connection.transport.name}{', lost' if self.connection.lost else ''}>"


def _chosen(target_id: str | None, infos: Sequence[Mapping[str, Any]]) -> str:
    ids = tuple(str(info["targetId"]) for info in infos)
    if target_id is not None:
        if target_id not in ids:
            raise TargetError(
                f"the browser has no page {target_id}; open are: {_listed(infos)}", target_ids=ids
            )
        return target_id
    if not ids:
        raise TargetError("the browser has no page open; name a URL to open one")
    somewhere = [str(info["targetId"]) for info in infos if not is_blank(info)]
    if 1 in {len(ids), len(somewhere)}:
        return somewhere[0] if somewhere else ids[0]
    raise TargetError(f"several pages are open, name one by its id: {_listed(infos)}", target_ids=ids)


def is_blank(info: Mapping[str, Any]) -> bool:
    """Whether a tab is one that nobody has been to, such as the one a browser has after its launch."""
    return info["url"] == "about:blank" and not info.get("openerId")


def _listed(infos: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{info['targetId']} ({info['url'][:80]})" for info in infos) or "none"


@opener
async def launch(
    executable: str | os.PathLike[str] | None = None,
    *,
    headless: bool = True,
    transport: Literal["websocket", "pipe"] = "websocket",
    args: Sequence[str] = (),
    timeout: float | Deadline = DEFAULT_TIMEOUT,
) -> AsyncIterator[Browser]:
    """Start a browser of our own; it and its profile are gone after the block, whatever ends it.

    Args:
        executable: which; found by itself when left out (HYBRIDSNAP_BROWSER, PATH, the usual places).
        headless: False opens a window.
        transport: ``websocket``, or ``pipe``, which opens no port and has no cap worth the name.
        args: more flags for the browser.
        timeout: seconds until it must be up.

    Raises:
        BrowserNotFound, BrowserLaunchFailed, DeadlineExceeded: there is none, or it does not come up.
        ValueError: an argument is unusable.
    """
    async with (
        launch_process(
            executable, headless=headless, transport=transport, args=args, deadline=Deadline.of(timeout)
        ) as process,
        open_connection(process.transport) as connection,
    ):
        browser = Browser(connection, process=process, endpoint=process.endpoint)
        # A page that is looked at must not write into anybody's ~/Downloads.
        browser.session.post(
            "Browser.setDownloadBehavior", {"behavior": "deny", "eventsEnabled": True}, ignore_reply
        )
        yield browser


@opener
async def connect(
    endpoint: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float | Deadline = DEFAULT_TIMEOUT,
) -> AsyncIterator[Browser]:
    """Connect to a browser that runs. After the block it runs on, without our sessions.

    Args:
        endpoint: ``ws://`` or ``wss://`` of a browser or of one page, or ``http://host:port``.
        headers: sent with the handshake, such as ``Authorization``.
        timeout: seconds until the connection must stand.

    Raises:
        EndpointError: it refuses, does not answer, or is no DevTools endpoint.
    """
    deadline = Deadline.of(timeout)
    url = await resolve_endpoint(endpoint, headers, deadline)
    async with (
        open_websocket(url, headers, deadline) as transport,
        open_connection(transport) as connection,
    ):
        only_target = None
        if _PAGE_PATH in url:
            only_target = TargetId(url.partition(_PAGE_PATH)[2].partition("?")[0])
        else:
            await _check_browser(connection, endpoint, deadline)
        browser = Browser(connection, only_target=only_target, endpoint=url, headers=headers)
        try:
            yield browser
        finally:
            await browser.downloads.clean_up()


async def _check_browser(connection: Connection, endpoint: str, deadline: Deadline) -> None:
    """A websocket server that is no browser does not know this command, or says nothing."""
    patience = deadline.share(LOADING_SHARE)
    try:
        await connection.root.send("Target.getTargets", deadline=patience)
    except (CommandRefused, TimeoutError, ConnectionError) as error:
        raise EndpointError(
            f"{endpoint} is a websocket, but no browser's DevTools endpoint ({error})", endpoint=endpoint
        ) from error
