"""A tab of our own client, for steps; and which tab is current when one is opened, chosen or closed."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from hybridsnap.errors import TargetError
from hybridsnap.webarena.grammar import GoForward, Goto, NewTab, TabFocus
from hybridsnap.webarena.numbering import numbered_tabs, use_tab
from hybridsnap.webarena.steps import Steps, WorkingTab

if TYPE_CHECKING:
    from hybridsnap.client.browser import Browser, Page
    from hybridsnap.client.navigating import Navigation
    from hybridsnap.deadline import Deadline
    from hybridsnap.webarena.grammar import CloseTab, GoBack


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

    def travel(self, action: Goto | GoBack | GoForward, deadline: Deadline) -> Steps[Navigation]:
        """As `WorkingTab.travel`."""
        if isinstance(action, Goto):
            gone: Navigation = yield self.page.goto(action.url, wait="domcontentloaded", timeout=deadline)
            return gone
        go = self.page.go_forward if isinstance(action, GoForward) else self.page.go_back
        went: Navigation = yield go(wait="domcontentloaded", timeout=deadline)
        return went

    def turn(self, action: NewTab | TabFocus | CloseTab, deadline: Deadline) -> Steps[ClientTab]:
        """As `WorkingTab.turn`."""
        if isinstance(action, NewTab):
            return ClientTab((yield self.page.browser.new_page(timeout=deadline)))
        if isinstance(action, TabFocus):
            current = yield tab_numbered(action.index, self.page.browser, deadline)
        else:
            current = yield _last_tab(self.page, deadline)
            yield self.page.close()
        yield current.bring_to_front(timeout=deadline)
        return ClientTab(current)

    def arrive(self, deadline: Deadline) -> Steps[ClientTab]:
        """As `WorkingTab.arrive`."""
        tab = self
        if self.page.session.ended == "detached":  # it has closed itself
            tab = ClientTab((yield _last_tab(self.page, deadline)))
        if not tab.page.dialogs:  # a dialog holds the document up until it is answered
            yield tab.page.wait_for(load_state="domcontentloaded", timeout=deadline)
        return tab


async def _last_tab(gone: Page, deadline: Deadline) -> Page:
    """What is current when a tab goes: the last of the others, or a new one.

    That is opened before the last one closes: there are browsers that end with their last tab.
    """
    browser = gone.browser
    others = [info for info in await numbered_tabs(browser) if info["targetId"] != gone.target_id]
    for info in reversed(others):
        with contextlib.suppress(TargetError):  # it has just been closed
            return await browser.page(info["targetId"], timeout=deadline)
    return await browser.new_page(timeout=deadline)


async def tab_numbered(index: int, browser: Browser, deadline: Deadline) -> Page:
    """The tab that ``tab_focus [index]`` means.

    Raises:
        TargetError: there is none; ``target_ids`` are those that have a number, in order.
    """
    infos = await numbered_tabs(browser)
    if index >= len(infos):
        open_ = f"open are 0 to {len(infos) - 1}" if infos else "the browser has no tab open"
        raise TargetError(
            f"there is no tab {index}; {open_}",
            target_ids=tuple(str(one["targetId"]) for one in infos),
        )
    return await browser.page(infos[index]["targetId"], timeout=deadline)
