"""The tabs that one client works on, and the browser behind them."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

import trio

from hybridsnap.client.browser import connect, launch
from hybridsnap.errors import HybridsnapError, TargetError
from hybridsnap.model import TargetId
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hybridsnap.client.browser import Browser
    from hybridsnap.client.page import Page
    from hybridsnap.deadline import Deadline
    from hybridsnap.model import Dialog
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.snapshot import Snapshot

_log = logging.getLogger("hybridsnap")
#: So many results of a tab can be expanded.
_EXPANDABLE = 6
#: So much of what a dialog says is told.
_DIALOG_CHARACTERS = 500


class ToolError(Exception):
    """A call that cannot be done; the message is one line in our words, and says what to do."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What the server was told when it was started.

    Attributes:
        cdp: the endpoint of a running browser; None launches one.
        target_id: the page of it to begin with.
        browser: the executable to launch.
        headful: with a window.
        timeout: seconds for each call.
        max_tokens: of page text in a result, where the call says nothing.
        files: folders whose files may be opened and uploaded.
        evaluate: whether there is a tool that runs scripts.
        structured: whether results have structured content.
    """

    cdp: str | None = None
    target_id: str | None = None
    browser: str | None = None
    headful: bool = False
    timeout: float = 30.0
    max_tokens: int = 1000
    files: tuple[Path, ...] = ()
    evaluate: bool = True
    structured: bool = True

    def allowed_file(self, path: Path) -> bool:
        """Whether a file stands in one of the folders, wherever links lead."""
        try:
            real = path.expanduser().resolve()
        except (OSError, RuntimeError, ValueError):
            return False
        return any(real.is_relative_to(folder.resolve()) for folder in self.files)

    def permit_upload(self, path: Path) -> Path:
        """The file, or folder, that a page may be given, wherever links lead; asked for by every action.

        Raises:
            ToolError: it may not.
        """
        real = path.expanduser().resolve() if self.allowed_file(path) else None
        if real is None or not all(map(self.allowed_file, real.rglob("*") if real.is_dir() else ())):
            raise ToolError(
                f"{str(path)!r} is not handed out; the server is started with --files FOLDER for those it may"
            )
        return real

    def check_frames(self, urls: Iterable[str]) -> None:
        """See whether a page of these frames may be shown: a file may hold other files in frames.

        Raises:
            ToolError: it may not.
        """
        for url in urls:
            if url.startswith("file:"):
                self.check_url(url)

    def may_tell(self, url: str, dialog: Dialog) -> bool:
        """Whether a dialog's words may be told: they are of the document that opened it.

        Args:
            url: of the page.
            dialog: of it, or of one of its frames.
        """
        try:
            self.check_frames([url, dialog.url])
        except ToolError:
            return False
        # A document without an address of its own is of whichever file holds it.
        return dialog.url.startswith(("http:", "https:", "file:")) or not url.startswith("file:")

    def check_url(self, url: str) -> None:
        """See whether pages from there may be shown.

        Raises:
            ToolError: they may not.
        """
        scheme = url.partition(":")[0].lower()
        if scheme in {"http", "https"} or url == "about:blank":
            return
        if scheme != "file":
            remedy = "run scripts with evaluate" if scheme == "javascript" else "give an http or https one"
            raise ToolError(f"{scheme}: addresses are not opened; {remedy}")
        parts = urlsplit(url)
        if parts.netloc not in {"", "localhost"} or not self.allowed_file(Path(url2pathname(parts.path))):
            raise ToolError(
                "this file is not opened; the server is started with --files FOLDER for those it may"
            )


class BrowserKeeper:
    """Has a browser ready when one is wanted, and a new one when that is gone.

    Args:
        nursery: where it lives; cancelled, the browser ends.
        options: how it is started.
    """

    def __init__(self, nursery: trio.Nursery, options: Options) -> None:
        self._nursery = nursery
        self._options = options
        self._lock = trio.Lock()
        self._browser: Browser | None = None
        self._scope = trio.CancelScope()

    @property
    def running(self) -> Browser | None:
        """The browser, if there is one that answers."""
        browser = self._browser
        return None if browser is None or browser.connection.lost else browser

    async def browser(self, deadline: Deadline) -> Browser:
        """The browser, started now if need be.

        Raises:
            BrowserError, DeadlineExceeded: there is none, and none can be had.
        """
        async with self._lock:
            browser = self.running
            if browser is None:
                self._scope.cancel()
                browser = self._browser = await self._nursery.start(self._keep, deadline)
            return browser

    async def _keep(self, deadline: Deadline, *, task_status: trio.TaskStatus[Browser]) -> None:
        options = self._options
        started = False
        with trio.CancelScope() as self._scope:
            try:
                async with (
                    launch(options.browser, headless=not options.headful, timeout=deadline)
                    if options.cdp is None
                    else connect(options.cdp, timeout=deadline)
                ) as browser:
                    started = True
                    browser.permit_upload = options.permit_upload
                    task_status.started(browser)
                    await trio.sleep_forever()
            except Exception:
                if not started:
                    raise
                _log.warning("the browser is gone", exc_info=True)


@dataclasses.dataclass(slots=True, eq=False)
class Tab:
    """A tab of a desk.

    Attributes:
        number: that names it; never given again.
        page: it.
        ours: we opened it.
        shown: the page as its reader knows it; None before the first look.
        results: renderings that can be expanded, the latest last.
        turn: held by the call that works on it.
    """

    number: int
    page: Page
    ours: bool
    shown: Snapshot | None = None
    results: deque[Rendering] = dataclasses.field(default_factory=lambda: deque(maxlen=_EXPANDABLE))
    turn: trio.Lock = dataclasses.field(default_factory=trio.Lock)

    @property
    def gone(self) -> bool:
        """Whether it was closed, or the browser is gone."""
        return self.page.session.ended == "detached" or self.page.browser.connection.lost


async def frame_urls(page: Page, deadline: Deadline) -> list[str]:
    """Where the frames of a page are now."""
    urls = []
    for session in page.sessions:
        left = [(await session.send("Page.getFrameTree", deadline=deadline))["frameTree"]]
        while left:
            tree = left.pop()
            urls.append(str(tree["frame"]["url"]))
            left += tree.get("childFrames", ())
    return urls


def dialog_words(dialog: Dialog) -> str:
    """A dialog and what it says."""
    return f"dialog ({dialog.type}): {clean_text(dialog.message)[:_DIALOG_CHARACTERS]}"


class Desk:
    """The tabs of one client.

    Attributes:
        options: of the server.
        tabs: number → tab, of those that are open.
        used_at: when the last call came.
    """

    def __init__(self, keeper: BrowserKeeper, options: Options) -> None:
        self.options = options
        self.tabs: dict[int, Tab] = {}
        self.used_at: float = trio.current_time()
        self._keeper = keeper
        #: Those that were current, the latest last.
        self._chosen: list[int] = []
        self._numbers: dict[TargetId, int] = {}
        self._tried_first = False

    @property
    def current(self) -> int:
        """The number of the tab that calls are about; 0 for none."""
        return self._chosen[-1] if self._chosen else 0

    def choose(self, tab: Tab) -> None:
        """Make a tab the current one."""
        self._chosen = [number for number in self._chosen if number != tab.number] + [tab.number]

    async def tab(self, deadline: Deadline) -> Tab:
        """The current tab.

        Raises:
            ToolError: there is none.
        """
        self._forget_gone()
        if not self.current and self.options.cdp is not None and not self._tried_first:
            await self._take_first(deadline)
        if not self.current:
            raise ToolError("no page is open; navigate to one first, or choose one (tabs)")
        return self.tabs[self.current]

    async def tab_to_navigate(self, deadline: Deadline) -> Tab:
        """The current tab, or a new one."""
        self._forget_gone()
        if not self.current and self.options.cdp is not None and not self._tried_first:
            browser = await self._keeper.browser(deadline)
            if self.options.target_id is not None or browser.only_target is not None:
                await self._take_first(deadline)
        return self.tabs[self.current] if self.current else await self.open_tab(deadline)

    async def open_tab(self, deadline: Deadline) -> Tab:
        """A new tab, which becomes the current one."""
        browser = await self._keeper.browser(deadline)
        tab = self._add(await browser.new_page(timeout=deadline), ours=True)
        self.choose(tab)
        return tab

    async def refresh(self, deadline: Deadline) -> None:
        """Take up the tabs that pages have opened; of a running browser, all there are."""
        self._forget_gone()
        browser = self._keeper.running
        if browser is None and self.options.cdp is not None:
            browser = await self._keeper.browser(deadline)
        if browser is None:
            return
        for target_id in await browser.page_ids():
            if target_id in self._numbers:
                continue
            about = browser.tabs.get(target_id)
            opener = None if about is None else about.opener
            if opener in self._numbers or self.options.cdp is not None:
                with contextlib.suppress(TargetError):  # closed again
                    page = await browser.page(target_id, timeout=deadline)
                    self._add(page, ours=opener in self._numbers)

    @property
    def dialog(self) -> str:
        """The dialog that is open on the current tab, in words that may be told; "" for none."""
        tab = self.tabs.get(self.current)
        if tab is None or not tab.page.dialogs:
            return ""
        dialog = tab.page.dialogs[-1]
        told = self.options.may_tell(tab.page.url, dialog)
        return dialog_words(dialog) if told else f"dialog ({dialog.type})"

    def number_of(self, target_id: str) -> int | None:
        """The number of a tab."""
        return self._numbers.get(TargetId(target_id))

    async def close_tab(self, tab: Tab) -> None:
        """Close a tab; was it the current one, the one before it becomes that again."""
        await tab.page.close()
        self._drop(tab)

    async def close(self) -> None:
        """Close the tabs that were opened here."""
        for tab in list(self.tabs.values()):
            if tab.ours and not tab.gone:
                with contextlib.suppress(HybridsnapError):
                    await tab.page.close()
        self.tabs.clear()
        self._chosen.clear()

    def _add(self, page: Page, *, ours: bool) -> Tab:
        number = len(self._numbers) + 1
        self._numbers[page.target_id] = number
        tab = self.tabs[number] = Tab(number, page, ours)
        return tab

    def _drop(self, tab: Tab) -> None:
        self.tabs.pop(tab.number, None)
        self._chosen = [number for number in self._chosen if number != tab.number]

    def _forget_gone(self) -> None:
        for tab in [tab for tab in self.tabs.values() if tab.gone]:
            self._drop(tab)

    async def _take_first(self, deadline: Deadline) -> None:
        """Begin with the page that is open in a running browser."""
        await self.refresh(deadline)
        wanted = self.options.target_id
        found = [tab for tab in self.tabs.values() if wanted in {None, tab.page.target_id}]
        if wanted is not None and not found:
            raise ToolError(f"the browser has no page {wanted}; choose one with tabs, or navigate")
        if len(found) > 1:
            raise ToolError(
                f"{len(found)} pages are open; choose one with tabs, or navigate to open a new one"
            )
        if found:
            self.choose(found[0])
        self._tried_first = True
