"""The tabs that one client works on, by number, and the browser behind them."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import deque
from typing import TYPE_CHECKING

import trio

from hybridsnap.errors import HybridsnapError, TargetError
from hybridsnap.mcp.options import ToolError
from hybridsnap.model import TargetId
from hybridsnap.service.content_policy import CheckedTab, checking_time
from hybridsnap.service.errors import ApiError
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from hybridsnap.client.browser import Browser, BrowserContext, Page
    from hybridsnap.deadline import Deadline
    from hybridsnap.mcp.options import Options
    from hybridsnap.model import Dialog, ElementId, LoaderId
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.service.browser_pool import PooledBrowser
    from hybridsnap.service.content_policy import ContentPolicy, SeenTabs
    from hybridsnap.service.folders import Folders
    from hybridsnap.service.page_lock import PageLocks
    from hybridsnap.snapshot import Snapshot

#: So many results of a tab can be expanded.
_EXPANDABLE = 6
#: Of a dialog's message, so much is shown.
_DIALOG_CHARACTERS = 500


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What all clients of one server share.

    Attributes:
        options: of the server.
        browser: theirs.
        content: which addresses may be visited, and which content returned.
        locks: one call per page at a time.
        seen: which documents of tabs that belong to no client are exempt from the rules.
        isolated: each client's tabs are opened in a browser context of its own.
        folders: where files may be read and written.
    """

    options: Options
    browser: PooledBrowser
    content: ContentPolicy
    locks: PageLocks
    seen: SeenTabs
    isolated: bool
    folders: Folders


@dataclasses.dataclass(frozen=True, slots=True)
class Printed:
    """A rendering that its reader has.

    Attributes:
        snapshot_id: what it is of.
        ids: what it, and what was opened of it, has.
    """

    rendering: Rendering
    snapshot_id: str
    ids: set[ElementId]

    def has_fold(self, id_: str) -> bool:
        """Whether it prints a fold of this id."""
        return any(fold.id == id_ for fold in self.rendering.folds)


@dataclasses.dataclass(slots=True, eq=False, kw_only=True)
class NumberedTab(CheckedTab):
    """A tab of a client.

    Attributes:
        number: names the tab; never given again.
        ours: we opened it.
        shown: the page as its reader knows it; None before the first look.
        results: what can be expanded, the latest last.
        document: the one that they show.
        looked_at: the snapshot of the latest look, of which something may have been printed.
    """

    number: int
    ours: bool
    shown: Snapshot | None = None
    results: deque[Printed] = dataclasses.field(default_factory=lambda: deque(maxlen=_EXPANDABLE))
    document: LoaderId | None = None
    looked_at: str = ""

    def note_printed(self, rendering: Rendering, snapshot: Snapshot) -> None:
        """Take a rendering of a snapshot as read, but for what it leaves out."""
        document = snapshot.report.frames[0].loader_id
        if self.document != document:
            self.results.clear()  # what was folded of the one before is gone
            self.document = document
        self.looked_at = snapshot.report.snapshot_id
        self._note(Printed(rendering, snapshot.report.snapshot_id, set(rendering.ids)))

    def note_opened(self, opened: Rendering, printed: Printed) -> None:
        """Take what was opened of an earlier rendering as read."""
        printed.ids.update(opened.ids)
        self._note(dataclasses.replace(printed, rendering=opened))

    def note_listed(self, ids: Collection[ElementId], snapshot: Snapshot) -> None:
        """Take single elements of a snapshot as read; the others are as they were printed before."""
        self.looked_at = snapshot.report.snapshot_id
        self.page.note_printed(snapshot.report.snapshot_id, ids)

    def _note(self, printed: Printed) -> None:
        self.results.append(printed)
        self.page.note_printed(printed.snapshot_id, printed.ids)

    @property
    def gone(self) -> bool:
        """Whether it was closed, or the browser is gone."""
        return self.page.session.ended == "detached" or self.page.browser.connection.lost


def dialog_words(dialog: Dialog) -> str:
    """A dialog and its message, which that of a page that is to be left does not have."""
    message = clean_text(dialog.message)[:_DIALOG_CHARACTERS]
    if dialog.type == "beforeunload" and not message:
        message = "the page asks whether to leave it (accept: true leaves)"
    return f"dialog ({dialog.type}): {message}"


class ClientTabs:
    """The tabs of one client.

    Attributes:
        shared: what all clients share.
        tabs: number → tab, of those that are open.
        used_at: when the last call came.
    """

    def __init__(self, shared: Shared, others: Callable[[], Iterable[ClientTabs]]) -> None:
        self.shared = shared
        self.tabs: dict[int, NumberedTab] = {}
        self.used_at: float = trio.current_time()
        self._others = others
        #: Those that were current, the latest last.
        self._chosen: list[int] = []
        self._numbers: dict[TargetId, int] = {}
        #: The number of the current tab that closed by itself, until the client has been told; 0 for none.
        self._lost = 0
        #: Which start of the browser this client has used; 0 for none.
        self._start = 0
        self._news = ""
        self._tried_first = False
        self._context: BrowserContext | None = None

    @property
    def _cdp(self) -> bool:
        return self.shared.options.cdp is not None

    @property
    def current(self) -> int:
        """The number of the tab that calls are about; 0 for none."""
        return self._chosen[-1] if self._chosen else 0

    def choose(self, tab: NumberedTab) -> None:
        """Make a tab the current one."""
        self._chosen = [number for number in self._chosen if number != tab.number] + [tab.number]
        self._lost = 0

    def take_news(self) -> str:
        """What is to be told once, with the next result; "" for nothing."""
        news, self._news = self._news, ""
        return news

    def told_current(self) -> int:
        """The number of the current tab, 0 for none, for an answer that tells the client."""
        self._lost = 0
        return self.current

    def tell_current(self) -> str:
        """Which tab is the current one, in words for the client."""
        number = self.told_current()
        return f"tab {number}" if number else "none: navigate opens one"

    def check_not_lost(self) -> None:
        """Refuse, once, to take another tab for one that closed by itself: a call means what was shown.

        A window of a login closes itself when it is done, and the page that opened it has other elements with
        the same ids and selectors.

        Raises:
            ToolError: the current tab has closed since the last call.
        """
        self._forget_gone()
        if self._lost:
            lost = self._lost
            raise ToolError(f"tab {lost} has closed; the current one is {self.tell_current()}")

    async def tab(self, deadline: Deadline) -> NumberedTab:
        """The current tab.

        Raises:
            ToolError: there is none, or it has closed since the last call.
        """
        self._forget_gone()
        if ended := self.ended_words():
            raise ToolError(ended)
        self.check_not_lost()
        if not self.current and self._cdp and not self._tried_first:
            await self._take_first(deadline)
        if not self.current:
            raise ToolError("no page is open; navigate to one first, or choose one (tabs)")
        return self.tabs[self.current]

    async def tab_to_navigate(self, deadline: Deadline) -> NumberedTab:
        """The current tab, or a new one.

        Raises:
            ToolError: the current tab has closed since the last call, and another one would be navigated.
        """
        self._forget_gone()
        if self.current:
            self.check_not_lost()
        if not self.current and self._cdp and not self._tried_first:
            browser = await self._get(deadline)
            if self.shared.options.target_id is not None or browser.only_target is not None:
                await self._take_first(deadline)
        return self.tabs[self.current] if self.current else await self.open_tab(deadline)

    async def open_tab(self, deadline: Deadline) -> NumberedTab:
        """A new tab, which becomes the current one."""
        browser = await self._get(deadline)
        where: Browser | BrowserContext = browser
        if self.shared.isolated:
            if self._context is None or self._context.closed:
                self._context = await browser.new_context(timeout=deadline)
            where = self._context
        tab = self._add(await where.new_page(timeout=deadline), ours=True)
        self.choose(tab)
        return tab

    async def refresh(self, deadline: Deadline) -> None:
        """Take up the tabs that pages have opened; of a running browser, all but other clients'."""
        self._forget_gone()
        browser = self.shared.browser.browser
        if browser is None and self._cdp:
            browser = await self._get(deadline)
        if browser is None:
            return
        for target_id in await browser.page_ids(timeout=deadline):
            if target_id in self._numbers:
                continue
            about = browser.tabs.get(target_id)
            opener = None if about is None else about.opener
            is_own = self._owns(target_id)
            if is_own or opener in self._numbers or (self._cdp and not self._is_anothers(target_id)):
                with contextlib.suppress(TargetError):  # closed again
                    page = await browser.page(target_id, timeout=deadline)
                    self._add(page, ours=is_own or opener in self._numbers)

    def in_own_context(self, target_id: TargetId) -> bool:
        """Whether a tab is in this client's browser context: its processes show no other client's tabs."""
        context = self.shared.browser.context_of(target_id)
        return self._context is not None and self._context.id == context

    def _owns(self, target_id: TargetId) -> bool:
        """Whether a tab is one that this client, or a page of its own, opened."""
        if self.in_own_context(target_id):
            return True
        line = [target_id, *self.shared.browser.openers(target_id)]
        tabs = (self.tabs.get(self._numbers.get(TargetId(one), 0)) for one in line)
        return any(tab is not None and tab.ours for tab in tabs)

    def _is_anothers(self, target_id: TargetId) -> bool:
        return any(other is not self and other._owns(target_id) for other in self._others())  # noqa: SLF001

    async def dialog(self, deadline: Deadline) -> str:
        """The dialog that is open on the current tab, in words that may be returned; "" for none."""
        tab = self.tabs.get(self.current)
        if tab is None or not tab.page.dialogs:
            return ""
        dialog = tab.page.dialogs[-1]
        may = await self.may_return(tab, deadline)
        return dialog_words(dialog) if may else f"dialog ({dialog.type})"

    async def may_return(self, tab: NumberedTab, deadline: Deadline) -> bool:
        """Whether what a tab shows now, an open dialog included, may be returned."""
        try:
            await self.shared.content.check(tab, checking_time(deadline))
        except (ApiError, HybridsnapError):
            return False
        return True

    def number_of(self, target_id: str) -> int | None:
        """The number of a tab."""
        return self._numbers.get(TargetId(target_id))

    async def close_tab(self, tab: NumberedTab) -> None:
        """Close a tab; was it the current one, the one before it becomes that again."""
        await tab.page.close()
        self._drop(tab)

    async def close(self) -> None:
        """Close the tabs that were opened here, and the context."""
        for tab in list(self.tabs.values()):
            if tab.ours and not tab.gone:
                with contextlib.suppress(HybridsnapError):
                    await tab.page.close()
        self.tabs.clear()
        self._chosen.clear()
        if self._context is not None:
            await self._context.close()

    def _add(self, page: Page, *, ours: bool) -> NumberedTab:
        number = len(self._numbers) + 1
        self._numbers[page.target_id] = number
        browser = self.shared.browser
        seen = self.shared.seen.documents_of(browser, page.target_id, own=ours)
        seen.enforced |= page.url.startswith("file:")
        tab = NumberedTab(number=number, page=page, ours=ours, seen=seen, proxied=browser.proxied)
        self.tabs[number] = tab
        return tab

    def _drop(self, tab: NumberedTab) -> None:
        self.tabs.pop(tab.number, None)
        self._chosen = [number for number in self._chosen if number != tab.number]

    def _forget_gone(self) -> None:
        current = self.current
        for tab in [tab for tab in self.tabs.values() if tab.gone]:
            self._drop(tab)
        if current not in {0, self.current}:
            self._lost = current

    @property
    def _browser_ended(self) -> bool:
        """Whether the browser that this client used is gone."""
        pooled = self.shared.browser
        return self._start != 0 and (pooled.browser is None or self._start != pooled.starts)

    def ended_words(self) -> str:
        """That the browser of this client has ended, and what to do; "" where it has not."""
        if not self._browser_ended:
            return ""
        anew = "looks for one at its address again" if self._cdp else "starts a new one, without logins"
        return f"the browser has ended, and its tabs are gone; navigate {anew}"

    async def _get(self, deadline: Deadline) -> Browser:
        """The browser. That it is not the one that this client used before is news."""
        ended = self._browser_ended
        browser = await self.shared.browser.get(deadline)
        if ended:
            what = "whichever answers at its address now" if self._cdp else "a new one, without its logins"
            self._news = f"the browser had ended, and its tabs are gone; this is {what}"
        self._start = self.shared.browser.starts
        return browser

    async def _take_first(self, deadline: Deadline) -> None:
        """Begin with the page that is open in a running browser."""
        await self.refresh(deadline)
        wanted = self.shared.options.target_id
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
