"""Steps on a tab of our own client, and which tab is current when one is opened, chosen or closed."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.errors import TargetError
from hybridsnap.webarena.grammar import GoForward, Goto, NewTab, TabFocus
from hybridsnap.webarena.numbering import numbered_tabs, use_tab
from hybridsnap.webarena.steps import Executed, WorkingTab, perform_action

if TYPE_CHECKING:
    from hybridsnap.client.browser import Browser, Page
    from hybridsnap.client.connection import Session
    from hybridsnap.client.navigating import Navigation
    from hybridsnap.webarena.grammar import Action, CloseTab, GoBack
    from hybridsnap.webarena.shown import Shown


class ClientTab(WorkingTab):
    """A `hybridsnap.Page`."""

    def __init__(self, page: Page) -> None:
        self.page: Page = page
        use_tab(page)

    def act(self, action: str, deadline: Deadline, **arguments: Any) -> Any:
        """As `WorkingTab.act`."""
        return getattr(self.page, action)(**arguments, timeout=deadline)

    def snapshot(self, deadline: Deadline, *, layout: bool) -> Any:
        """As `WorkingTab.snapshot`."""
        return self.page.snapshot(layout=layout, timeout=deadline)

    def active_element(self, deadline: Deadline) -> Any:
        """As `WorkingTab.active_element`."""
        return self.page.active_element(timeout=deadline)

    async def travel(self, action: Goto | GoBack | GoForward, deadline: Deadline) -> Navigation:
        """As `WorkingTab.travel`."""
        if isinstance(action, Goto):
            return await self.page.goto(action.url, wait="domcontentloaded", timeout=deadline)
        go = self.page.go_forward if isinstance(action, GoForward) else self.page.go_back
        return await go(wait="domcontentloaded", timeout=deadline)

    async def turn(self, action: NewTab | TabFocus | CloseTab, deadline: Deadline) -> ClientTab:
        """As `WorkingTab.turn`."""
        if isinstance(action, NewTab):
            return ClientTab(await self.page.browser.new_page(timeout=deadline))
        if isinstance(action, TabFocus):
            current = await tab_numbered(action.index, self.page.browser, deadline)
        else:
            current = await _last_tab(self.page, deadline)
            await self.page.close()
        await current.bring_to_front(timeout=deadline)
        return ClientTab(current)

    async def arrive(self, deadline: Deadline) -> ClientTab:
        """As `WorkingTab.arrive`."""
        tab = self
        if self.page.session.ended == "detached":  # it has closed itself
            tab = ClientTab(await _last_tab(self.page, deadline))
        if not tab.page.dialogs:  # a dialog holds the document up until it is answered
            await tab.page.wait_for(load_state="domcontentloaded", timeout=deadline)
        return tab

    async def session(self) -> Session:
        """As `WorkingTab.session`: `Page.session`, which every page has from the beginning."""
        if self.page.session.ended == "detached":
            raise self.page.session.error()
        return self.page.session

    def check_browser(self, browser: Any) -> None:
        """As `WorkingTab.check_browser`."""
        if self.page.browser is not browser:
            raise ValueError("the page is one of another browser")


async def execute(
    action: Action, page: Page, *, shown: Shown = None, timeout: float | Deadline = DEFAULT_TIMEOUT
) -> Executed:
    """Do what an action says, and wait until the current page's DOM is there.

    Args:
        action: of `parse_step`.
        page: that it is done on.
        shown: what the model that gave the action had seen of the page: a webarena rendering (or its
            ``info``), or the nodes of `get_accessibility_tree`. Its ids are looked up there. Without it
            they are element ids, or AX node ids of the main frame.
        timeout: seconds, for all of it.

    Raises:
        ElementNotFound: what was shown has no such id.
        TargetError: there is no such tab.
        NavigationFailed: the address cannot be loaded, or there is nothing to go back or forward to.
        WaitTimeout: the page's DOM was not there in time.
        HybridsnapError: what the action itself raises (`hybridsnap.errors`).
    """
    return await perform_action(action, ClientTab(page), shown, Deadline.of(timeout))


async def _last_tab(gone: Page, deadline: Deadline) -> Page:
    """What is current when a tab goes: the last of the others, or a new one.

    That is opened before the last one closes: there are browsers that end with their last tab.
    """
    browser = gone.browser
    others = [info for info in await numbered_tabs(browser, deadline) if info["targetId"] != gone.target_id]
    for info in reversed(others):
        with contextlib.suppress(TargetError):  # it has just been closed
            return await browser.page(info["targetId"], timeout=deadline)
    return await browser.new_page(timeout=deadline)


async def tab_numbered(index: int, browser: Browser, deadline: Deadline) -> Page:
    """The tab that ``tab_focus [index]`` means.

    Raises:
        TargetError: there is none; ``target_ids`` are those that have a number, in order.
    """
    infos = await numbered_tabs(browser, deadline)
    if index >= len(infos):
        open_ = f"open are 0 to {len(infos) - 1}" if infos else "the browser has no tab open"
        raise TargetError(
            f"there is no tab {index}; {open_}",
            target_ids=tuple(str(one["targetId"]) for one in infos),
        )
    return await browser.page(infos[index]["targetId"], timeout=deadline)
