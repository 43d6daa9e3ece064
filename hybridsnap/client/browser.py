"""A browser, the contexts (profiles) in it, and its pages. They lead to one another, so they share a module.

Chromium 156 (measured): a context is created and removed in some 5 ms; its tabs, and those that they open, go
with it; flags of the process, such as a proxy, hold in every context.
"""

from __future__ import annotations

import contextlib
import inspect
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.argument_checks import check_str
from hybridsnap.client.action_runner import ActionRunner
from hybridsnap.client.browser_services import BrowserServices
from hybridsnap.client.choosers import Choosers
from hybridsnap.client.console import Console
from hybridsnap.client.creation import CONTEXT, attach_to, create
from hybridsnap.client.dialogs import answer_dialog, arm_dialog
from hybridsnap.client.document_methods import DocumentMethods
from hybridsnap.client.downloads import Downloads
from hybridsnap.client.emulation import Emulation
from hybridsnap.client.evaluation import Evaluation
from hybridsnap.client.history import HistoryNavigator
from hybridsnap.client.input_methods import InputMethods
from hybridsnap.client.other_names import refuse_name
from hybridsnap.client.page_context import PageContext, check_recorded
from hybridsnap.client.page_network import Network
from hybridsnap.client.pointer_methods import PointerMethods
from hybridsnap.client.profile_storage import ProfileStorage
from hybridsnap.client.screencast import MOST_FRAMES, Screencast
from hybridsnap.client.snapshots import Snapshots
from hybridsnap.client.storage import Storage
from hybridsnap.client.storage_state import load_state
from hybridsnap.client.tab_tracker import is_blank
from hybridsnap.client.tabs import close_tab, wait_for_first_document
from hybridsnap.client.tracing import Tracing
from hybridsnap.client.viewport import check_viewport, has_own_window, set_viewport
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import (
    CommandError,
    CommandRefused,
    ConnectionLost,
    SessionEnded,
    TargetError,
    WaitTimeout,
)
from hybridsnap.model import ContextId, TargetId

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from hybridsnap.act.files import Paths
    from hybridsnap.client.choosers import FileChooser
    from hybridsnap.client.connection import Connection, Session
    from hybridsnap.client.dialog_tracker import ArmedAnswer
    from hybridsnap.client.dialogs import DialogType
    from hybridsnap.client.download_tracker import Download
    from hybridsnap.client.launcher import BrowserProcess
    from hybridsnap.client.navigating import Wait
    from hybridsnap.client.page_context import Recorded
    from hybridsnap.client.screencast import FrameRecording
    from hybridsnap.client.storage_state import StorageState
    from hybridsnap.client.tab_tracker import Tab
    from hybridsnap.client.viewport import ViewportSize
    from hybridsnap.model import Dialog, SeenDialog

#: Of the time, how much attaching to a page may take, and seconds; whatever is asked of the page waits anew.
_ATTACHING_SHARE, _ATTACHING_SECONDS = 0.25, 3.0
#: For the browser to remove a context, seconds.
_CLOSE_SECONDS = 5.0


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


class Page(PointerMethods, InputMethods, DocumentMethods):
    """A tab. `Browser.new_page` and `Browser.page` make it.

    What it does, its parts do; each is built with the page's `PageContext`.

    Attributes:
        browser: that the tab belongs to.
        target_id: the tab's id in the browser.
        console: what it logs, and the errors that nothing in it catches.
        network: what it requested.
        storage: what its profile and its frames' origins keep.
        emulation: what it is made to believe of the device, the network and the place.
        trace: what the browser does meanwhile.
    """

    if not TYPE_CHECKING:  # type checkers report unknown names themselves
        __getattr__ = refuse_name

    def __init__(self, browser: Browser, context: PageContext) -> None:
        self.browser = browser
        self.target_id: TargetId = context.target_id
        self._context = context
        self._runner = ActionRunner(context)
        self._navigator = HistoryNavigator(context)
        self._snapshots = Snapshots(context)
        self._evaluation = Evaluation(context)
        self._choosers = Choosers(context)
        self._downloads = Downloads(context)
        self._screencast = Screencast(context)
        self.emulation: Emulation = Emulation(context)
        self.trace: Tracing = Tracing(context)
        self.console: Console = Console(context)
        self.network: Network = Network(context)
        self.storage: Storage = Storage(context)

    @property
    def session(self) -> Session:
        """For commands of your own; what you enable in it does not touch captures, nor they you.

        Captures use sessions of their own. (Where the connection is one page's own socket there is only one
        session, shared by both.)
        """
        return self._context.session

    @property
    def url(self) -> str:
        """Where the page is, as last heard."""
        return self._context.attachment.root.url

    @property
    def dialogs(self) -> tuple[Dialog, ...]:
        """Dialogs that are open now, oldest first. `Page.answer_dialog` answers."""
        return tuple(self._context.attachment.dialogs)

    @property
    def responds(self) -> bool:
        """Whether the page has answered at all since it was attached to.

        One that was in an endless script then, or had a dialog open, does not. Such a dialog is not in
        `dialogs`: only who saw it open hears of it and can answer it. `Page.goto` closes it.
        """
        return self._context.responds

    @property
    def crashed(self) -> bool:
        """Whether its renderer has crashed. `Page.reload` and `Page.goto` bring it back."""
        return self._context.attachment.root.session.ended == "crashed"

    @property
    def sessions(self) -> list[Session]:
        """The sessions captures use: the page's own first, then one for each frame in another process."""
        return [one.session for one in self._context.attachment]

    async def settled(self, deadline: Deadline) -> None:
        """Wait until every frame in another process is attached to."""
        await self._context.attachment.settled(deadline)

    async def answer_dialog(
        self,
        accept: bool = True,
        text: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Dialog:
        """Answer the dialog that is open, as with OK or Cancel.

        It returns when the script that opened it has come to its end (half a second later at the latest) and
        the page has settled, as after an action; or when the next dialog is open, which can be answered at
        once. A page that is allowed to leave (``beforeunload``) is waited for until its next document has
        been parsed.

        Args:
            accept: False dismisses it: `confirm` returns false, `prompt` null, and a ``beforeunload`` prompt
                keeps the page.
            text: for a prompt that is accepted; None leaves what stands in it.
            timeout: seconds.

        Returns:
            The dialog, as it was.

        Raises:
            NoDialog: none is open; or it can no longer be answered, because another frame opened one over it.
            ValueError: a text is given, and the dialog is not a prompt or is not accepted.
            CommandUnanswered: the browser did not answer in time.
        """
        return await answer_dialog(self._context, accept, text, Deadline.of(timeout))

    def arm_dialog(
        self,
        accept: bool = True,
        text: str | None = None,
        *,
        times: int | None = 1,
        only: DialogType | None = None,
    ) -> ArmedAnswer:
        """Keep an answer ready for the next dialog. It is given the moment the dialog opens: nothing waits.

        As a call it stays until it is used up; as a block it ends with the block::

            page.arm_dialog(accept=False)                       # the next one is dismissed
            with page.arm_dialog(times=None) as armed:          # all are accepted, in here
                await page.click("0-29")
            print(armed.given)

        Args:
            accept: or dismiss.
            text: for prompts; None leaves what stands in them.
            times: for how many dialogs; None for all.
            only: for this type of dialog only: alert, confirm, prompt or beforeunload.

        Returns:
            The armed answer: `given` lists what it answered, `disarm()` takes it back. Of several, the one
            that was armed last goes first.

        Raises:
            ValueError: `times` is less than 1, `only` no type, or a text comes with ``accept=False``.
        """
        return arm_dialog(self._context.attachment, accept, text, times, only)

    @property
    def dialogs_seen(self) -> tuple[SeenDialog, ...]:
        """The dialogs the page has opened so far (the last 200), and how each was answered."""
        return tuple(self._context.attachment.dialog_tracker.since(0))

    @contextlib.asynccontextmanager
    async def expect_file_chooser(
        self, paths: Paths | None = None, *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> AsyncIterator[FileChooser]:
        """Catch the file chooser that opens in this block, and answer it.

        ::

            async with page.expect_file_chooser("cv.pdf"):
                await page.click("0-29")

            async with page.expect_file_chooser() as chooser:      # or look at it first
                await page.click("0-29")
            await chooser.set_files(["1.png", "2.png"] if chooser.multiple else "1.png")

        The block ends when the chooser has opened, and, with `paths`, when it is answered. An input that can
        be named needs no chooser: see `set_input_files`.

        Args:
            paths: what to answer with; none at all (``[]``) cancels. Left out, `FileChooser.set_files`
                answers, in the block or after it.
            timeout: seconds, from the beginning of the block.

        Raises:
            WaitTimeout: no chooser opened.
            TypeError, ValueError: a value is not a path, or the file does not exist; or this page expects a
                chooser already.
            NotInteractable, StaleElement: as `FileChooser.set_files`.
        """
        async with self._choosers.expect(paths, Deadline.of(timeout)) as chooser:
            yield chooser

    @contextlib.asynccontextmanager
    async def expect_download(
        self,
        folder: str | os.PathLike[str],
        *,
        max_bytes: int | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> AsyncIterator[Download]:
        """Take the download that begins in this block, and save it.

        ::

            async with page.expect_download("files") as download:
                await page.click("0-29")
            print(download.path, download.received)

        The block ends when the file is complete and in its place. In the block `download` says how far it
        has come. One download is taken, of this page or of a tab it opens; others are refused, as they are
        outside of such blocks (where the browser was connected to, those go by its own settings). An address
        that is a download can be gone to (`goto` then says so instead of failing).

        Args:
            folder: made when it is not there. A file that is there already is never overwritten: the new
                one gets " (1)" and so on. The name the page suggests is made safe: no separators, no dots
                first, no names of devices, 200 bytes at most.
            max_bytes: larger ones are cancelled, as soon as their size is known.
            timeout: seconds, from the beginning of the block until the file is complete.

        Raises:
            DownloadFailed: none began (``none``), it was refused or broke off (``cancelled``), took too long
                (``timeout``), is larger than `max_bytes` (``too large``), or the browser saved it where
                we cannot get at it (``out of reach``), on another machine for instance.
            OSError: the folder cannot be made or written to.
            ConnectionLost, SessionEnded: the browser or the page is gone.
        """
        async with self._downloads.expect(folder, max_bytes, Deadline.of(timeout)) as download:
            yield download

    @contextlib.asynccontextmanager
    async def record_frames(
        self,
        folder: str | os.PathLike[str],
        *,
        max_frames: int = MOST_FRAMES,
        size: ViewportSize | None = None,
        every: int = 1,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> AsyncIterator[FrameRecording]:
        """Save a PNG file of each frame that the page is drawn in, for the length of the block.

        ::

            async with page.record_frames("frames") as recording:
                await page.click("0-29")
            print(len(recording.frames), recording.frames[-1].path)

        The files are ``frame-000001.png`` and so on. A page that does not change is drawn once. Frames that
        the page draws faster than they can be written are left out by the browser.

        Args:
            folder: made when it is not there.
            max_frames: then the recording ends.
            size: frames are made smaller so that they fit into this width and height, in px.
            every: 2 for every second frame, and so on.
            timeout: seconds, for the browser to begin.

        Raises:
            ValueError: this page is being recorded already.
            FileExistsError: there are frames of another recording in the folder.
            OSError: a file cannot be written.
            ConnectionLost: the connection was lost; the frames that came before are saved.
        """
        async with self._screencast.record(
            folder, max_frames, size, every, Deadline.of(timeout)
        ) as recording:
            yield recording

    async def storage_state(
        self,
        *,
        path: str | Path | None = None,
        origins: Sequence[str] = (),
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> StorageState:
        """Cookies and local storage of the page's profile, in Playwright's format: `Storage.state`.

        Args:
            path: a file to write it to, as JSON.
            origins: further origins whose local storage is wanted, though no tab shows them.
            timeout: seconds, for all of it.
        """
        return await self.storage.state(path=path, origins=origins, timeout=timeout)

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

    async def bring_to_front(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> None:
        """Make this the tab that is shown. The others become hidden: their animation frames stop.

        A page need not be in front to be looked at or acted on. An open dialog does not hinder it.
        """
        await self._context.attachment.root.session.send("Page.bringToFront", deadline=Deadline.of(timeout))

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

    async def close(self) -> None:
        """Close the tab, also when cancelled. No `beforeunload` handler is asked; a dialog is dismissed."""
        await close_tab(self._context)

    def __repr__(self) -> str:
        return f"<Page {self.target_id} at {self.url!r}>"


class BrowserContext:
    """A profile of its own within a browser; `Browser.new_context` makes it.

    ::

        async with await browser.new_context() as context:
            page = await context.new_page("https://example.com")

    Attributes:
        browser: whose it is.
        id: the browser's id of it (``Target.BrowserContextID``).
        viewport: of its pages, width and height in CSS px; None for the browser's.
        storage: its cookies and permissions, and its storage state.
    """

    def __init__(self, browser: Browser, id_: ContextId, viewport: ViewportSize | None = None) -> None:
        self.browser = browser
        self.id = id_
        self.viewport = viewport
        self.storage: ProfileStorage = ProfileStorage(browser.session, lambda: id_)
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether it was closed, or its browser is gone."""
        return self._closed or self.browser.connection.lost

    async def new_page(
        self,
        url: str | None = None,
        *,
        wait: Wait = "settled",
        viewport: ViewportSize | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Page:
        """Open a tab in this context.

        Args:
            url: where to go; None stays at about:blank.
            wait: as `Page.goto`.
            viewport: width and height in CSS px; None for the context's `viewport`.
            timeout: seconds, for all of it.

        Raises:
            NavigationFailed: as `Page.goto`; the tab is closed again.
            TargetError: the context is closed.
        """
        if self._closed:
            raise TargetError("this browser context is closed; open another with browser.new_context()")
        return await self.browser._open_page(  # noqa: SLF001 - the two belong together
            self.id, url, wait, check_viewport(viewport) or self.viewport, Deadline.of(timeout)
        )

    async def pages(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> list[Page]:
        """The tabs of this context that are open, in the order in which they were opened.

        Args:
            timeout: seconds.
        """
        deadline = Deadline.of(timeout)
        found = []
        for info in [] if self._closed else await self.browser.page_infos(timeout=deadline):
            if info.get("browserContextId") == self.id:
                with contextlib.suppress(TargetError):  # it has just been closed
                    target_id = TargetId(info["targetId"])
                    found.append(await self.browser._page_of(target_id, deadline))  # noqa: SLF001 - as above
        return found

    async def close(self) -> None:
        """Close the context with all its tabs, also when cancelled. Its cookies and storage are gone then.

        No ``beforeunload`` handler is asked.
        """
        if self._closed:
            return
        self._closed = True
        with trio.CancelScope(shield=True):
            # A tab's own `close` copes with dialogs, over which Chromium 156 would come down.
            async with trio.open_nursery() as nursery:
                for page in self.browser._known_pages(self.id):  # noqa: SLF001 - as above
                    nursery.start_soon(page.close)
            with contextlib.suppress(CommandError, ConnectionLost):
                await self.browser.session.send(
                    "Target.disposeBrowserContext",
                    {"browserContextId": self.id},
                    deadline=Deadline.after(_CLOSE_SECONDS),
                )
        self.browser._contexts.pop(self.id, None)  # noqa: SLF001 - as above

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<BrowserContext {self.id}{', closed' if self.closed else ''}>"


class Browser(BrowserServices):
    """A browser that is spoken to. `launch` and `connect` make it.

    Attributes:
        connection: everything that is said to it goes here.
        process: the browser's process, when we launched it.
        only_target: the one page that can be reached, when the connection is that page's own socket.
        endpoint: its address; over a pipe, which has none, a name that no other browser has
            (``transport="websocket"`` of `launch` gives it one).
        metrics: counters of what was done over this connection.
        evaluations: the sessions that evaluations run on.
        tabs: what is known of the tabs, in the order in which they were opened.
        downloads: whose they are.
        permit_upload: asked for each path that a page is to get, and gives the path that it gets; None
            permits all. For whoever acts for others.
        viewport: width and height in CSS px that its pages are given when they are handed out; None leaves
            each as it is.
        record: which parts of its pages record from the moment that they are attached to.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        process: BrowserProcess | None = None,
        only_target: TargetId | None = None,
        endpoint: str | None = None,
        headers: Mapping[str, str] | None = None,
        viewport: ViewportSize | None = None,
        record: Sequence[Recorded] = (),
    ) -> None:
        self.viewport = viewport
        self.record: tuple[Recorded, ...] = check_recorded(record)
        self._contexts: dict[ContextId, BrowserContext] = {}
        super().__init__(
            connection,
            own_contexts=self._contexts.keys(),
            process=process,
            only_target=only_target,
            endpoint=endpoint,
            headers=headers,
        )
        self._pages: dict[TargetId, Page] = {}
        self._attaching: dict[TargetId, trio.Lock] = {}

    async def new_page(
        self,
        url: str | None = None,
        *,
        wait: Wait = "settled",
        viewport: ViewportSize | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Page:
        """Open a tab.

        Args:
            url: where to go; None stays at about:blank.
            wait: as `Page.goto`.
            viewport: width and height in CSS px; None for the browser's `viewport`.
            timeout: seconds, for all of it. What is not loaded by then is left as it is.

        Raises:
            NavigationFailed: as `Page.goto`; the tab is closed again.
            TargetError: the connection is one page's own socket.
        """
        return await self._open_page(None, url, wait, check_viewport(viewport), Deadline.of(timeout))

    @property
    def contexts(self) -> list[BrowserContext]:
        """The contexts that `new_context` made here and that are open, in the order of their making."""
        return list(self._contexts.values())

    async def new_context(
        self,
        *,
        viewport: ViewportSize | None = None,
        storage_state: StorageState | str | Path | None = None,
        proxy: str | None = None,
        proxy_bypass: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> BrowserContext:
        """Make a profile of its own within this browser: it shares no cookies, storage or permissions.

        ::

            async with await browser.new_context() as context:
                page = await context.new_page("https://example.com")

        The context and its tabs are gone when it is closed, and when the connection to the browser ends. Over
        a connection with ``reconnect=True`` they outlive a socket that drops: they are gone with the block of
        `connect`, but stay in the browser where this process is killed, or ends while the socket is down.

        Args:
            viewport: of its pages, width and height in CSS px; None for the browser's `viewport`.
            storage_state: cookies and local storage to begin with, as `Page.storage_state` returns them, or
                the file that it, or Playwright, has written.
            proxy: for its pages, such as ``http://127.0.0.1:3128`` or ``socks5://…``.
            proxy_bypass: hosts that are reached without it, separated by commas.
            timeout: seconds; a context that comes later is removed.

        Raises:
            CommandUnanswered: the time was up.
            ValueError, OSError: `storage_state` is none, or its file cannot be read.
            TargetError: the connection is one page's own socket.
        """
        size = check_viewport(viewport)
        for name, value, example in (
            ("proxy", proxy, "http://127.0.0.1:3128"),
            ("proxy_bypass", proxy_bypass, "127.0.0.1, *.example"),
        ):
            check_str(name, value, example, optional=True)
        if proxy is not None and len(proxy.split()) != 1:  # Chromium would go without one
            raise ValueError(f"proxy: expected an address such as http://127.0.0.1:3128, got {proxy!r}")
        self._refuse_own_socket("make browser contexts")
        deadline = Deadline.of(timeout)
        state = None if storage_state is None else await load_state(storage_state)
        # Where a connection that drops is made again, the context outlives it.
        params: dict[str, Any] = {"disposeOnDetach": not self.connection.reopens}
        params |= {} if proxy is None else {"proxyServer": proxy}
        params |= {} if proxy_bypass is None else {"proxyBypassList": proxy_bypass}
        id_ = ContextId(await create(self.connection, CONTEXT, params, deadline))
        context = self._contexts[id_] = BrowserContext(self, id_, size)
        self.downloads.deny(id_)
        if state is not None:
            try:
                await context.storage.restore(state, timeout=deadline)
            except BaseException:
                await context.close()
                raise
        return context

    async def restore(self, deadline: Deadline) -> None:
        """As `BrowserServices.restore`, and attach to the pages anew."""
        await super().restore(deadline)
        for page in list(self._pages.values()):
            with contextlib.suppress(CommandRefused):  # it was closed meanwhile
                await page._context.attach_anew(deadline)  # noqa: SLF001 - they share a module

    async def close_contexts(self) -> None:
        """Close the contexts that `new_context` made, also when cancelled."""
        for context in self.contexts:
            await context.close()

    async def _open_page(
        self,
        context: ContextId | None,
        url: str | None,
        wait: Wait,
        viewport: ViewportSize | None,
        deadline: Deadline,
    ) -> Page:
        """Open a tab, in a context or in the browser's own profile, and go to an address."""
        self._refuse_own_socket("open tabs")
        target_id = await self.tabs.open(context, deadline)
        try:
            page = await self._attach(target_id, deadline, viewport)
            if url is not None:
                await page.goto(url, wait=wait, timeout=deadline)
        except BaseException:
            self.session.post("Target.closeTarget", {"targetId": target_id}, ignore_reply)
            await self.connection.flush()
            raise
        return page

    def _known_pages(self, context: ContextId) -> list[Page]:
        """The open tabs of a context whose `Page` has been handed out."""
        wanted = [id_ for id_ in self._pages if self.tabs.context_of(id_) == context]
        return [page for id_ in wanted if (page := self.known_page(id_)) is not None]

    async def pages(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> list[Page]:
        """The tabs that are open, in the order in which they were opened; those that were open before the
        connection come first, in that of their ids.

        A tab has one `Page` as long as it lives: asked again, it is the same object.

        Args:
            timeout: seconds.
        """
        deadline = Deadline.of(timeout)
        found = []
        for target_id in await self.page_ids(timeout=deadline):
            with contextlib.suppress(TargetError):  # it has just been closed
                found.append(await self._page_of(target_id, deadline))
        return found

    async def page_ids(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> list[TargetId]:
        """The target ids of the tabs that are open, in the order of `pages`.

        Args:
            timeout: seconds.
        """
        if self.only_target is not None:
            return [self.only_target]
        return [TargetId(info["targetId"]) for info in await self.page_infos(timeout=timeout)]

    async def page_infos(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> list[dict[str, Any]]:
        """`Target.TargetInfo` of each open tab, as the browser gives it, in the order of `pages`.

        Args:
            timeout: seconds.
        """
        deadline = Deadline.of(timeout)
        if self.only_target is not None:
            page = await self.page(timeout=deadline)
            return [{"targetId": self.only_target, "url": page.url, "title": ""}]
        targets = await self.session.send("Target.getTargets", deadline=deadline)
        tabs = (one for one in targets["targetInfos"] if one["type"] == "page" and not one.get("subtype"))
        return sorted(tabs, key=lambda info: self.tabs.place(info["targetId"]))

    async def wait_for_page(
        self, opener: Page | None = None, *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> Page:
        """The next unclaimed tab; waits for one when there is none.

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
        if opener is not None and not isinstance(opener, Page):
            raise TypeError(
                f"opener: expected a hybridsnap.Page, got {opener!r}; leave it out for any opener"
            )
        opener_id = None if opener is None else opener.target_id
        while await self.tabs.wait_until(lambda: self.tabs.not_given(opener_id) is not None, deadline):
            tab = self.tabs.not_given(opener_id)
            assert tab is not None, "nothing runs between the two"
            with contextlib.suppress(TargetError):  # closed again at once: the next one, then
                return await self.page_of_tab(tab, deadline)
        raise WaitTimeout("no page was opened in time", missing=("an unclaimed page",))

    async def page_of_tab(self, tab: Tab, deadline: Deadline) -> Page:
        """The page of a tab that has just been opened, once its first document is there.

        Raises:
            TargetError: it was closed again.
        """
        self._refuse_own_socket("be handed other tabs")
        tab.given = True
        page = await self._page_of(tab.target_id, deadline)
        await wait_for_first_document(page._context, tab, deadline)  # noqa: SLF001 - they share a module
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
        check_str("target_id", target_id, "8A451A47382B5CB52FCA0AE2D06B81AA", optional=True)
        deadline = Deadline.of(timeout)
        if self.only_target is None:
            infos = await self.page_infos(timeout=deadline)
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
        async with self._attaching.setdefault(target_id, trio.Lock()):
            return self.known_page(target_id) or await self._attach(target_id, deadline)

    async def _attach(
        self, target_id: TargetId, deadline: Deadline, viewport: ViewportSize | None = None
    ) -> Page:
        await self.connection.stand(deadline)
        if self.only_target is not None:
            context = PageContext(self, target_id, self.session, self.session)
            # The browser's events come to the page's session, too.
            context.attachment.listeners.append(lambda _, method, params: self._take_event(method, params))
        else:
            try:
                theirs, ours = [await attach_to(self.connection, target_id, deadline) for _ in range(2)]
            except CommandRefused as error:
                raise TargetError(f"there is no page {target_id} ({error.reason})") from error
            context = PageContext(self, target_id, theirs, ours)
        context.begin_recording(self.record)
        page = Page(self, context)
        self._pages = {id_: known for id_, known in self._pages.items() if known.session.ended != "detached"}
        self._pages[target_id] = page
        self._attaching = {id_: lock for id_, lock in self._attaching.items() if lock.locked()}
        self.tabs.give(target_id)
        # A page that hangs says nothing: what is to be done with it needs time, too.
        patience = deadline.share(_ATTACHING_SHARE).earlier(Deadline.after(_ATTACHING_SECONDS))
        size = viewport or await self._viewport_of(target_id, patience)
        if size is not None:
            context.viewport = size
            # A page that has crashed is returned, too.
            with contextlib.suppress(CommandError, SessionEnded):
                await set_viewport(page.session, size, patience)
        await page.settled(patience)
        if page.session.ended == "detached":
            raise TargetError(f"the page {target_id} has just been closed")
        return page

    async def _viewport_of(self, target_id: TargetId, deadline: Deadline) -> ViewportSize | None:
        """The viewport that a page is given; None for a popup in a window of its own."""
        tab = self.tabs.get(target_id)
        context = None if tab is None or tab.context is None else self._contexts.get(tab.context)
        size = self.viewport if context is None or context.viewport is None else context.viewport
        opener = None if tab is None or size is None else tab.opener
        if opener is not None and await has_own_window(self.session, target_id, opener, deadline):
            return None
        return size

    def _refuse_own_socket(self, what: str) -> None:
        if self.only_target is not None:
            raise TargetError(
                f"this connection is one page's own socket and cannot {what};"
                " connect to the browser (http://host:port) instead",
                target_ids=(self.only_target,),
            )

    def __repr__(self) -> str:
        return f"<Browser over {self.connection.transport.name}{', lost' if self.connection.lost else ''}>"


for _part in (PointerMethods, InputMethods, DocumentMethods):
    for _name, _function in vars(_part).items():
        if inspect.isfunction(_function) and not _name.startswith("_"):
            _function.__qualname__ = f"{Page.__name__}.{_name}"  # what Python's own errors call it


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


def _listed(infos: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{info['targetId']} ({info['url'][:80]})" for info in infos) or "none"
