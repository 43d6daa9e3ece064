"""Which tab has which number, in ``tab_focus [n]`` and in an observation's first line.

Tabs are numbered from 0 in the order in which they were opened; those that were open before the connection
come first, in the order of their ids (the browser does not tell which is older, measured in Chromium 156), so
that every connection numbers them alike. The blank tab that a browser has left from its launch is not counted
until an action uses it, unless there is no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.client.tab_tracker import is_blank
from hybridsnap.model import TargetId

if TYPE_CHECKING:
    from hybridsnap.client.browser import Browser, Page


def use_tab(page: Page) -> None:
    """Count a page's tab from now on, though it may be blank: it is acted on."""
    tab = page.browser.tabs.get(page.target_id)
    if tab is not None:
        tab.used = True


async def numbered_tabs(browser: Browser) -> list[dict[str, Any]]:
    """`Target.TargetInfo` of the tabs that have a number; it is their place."""
    infos = await browser.page_infos()
    return [info for info in infos if not _is_left_over(browser, info)] or infos


def _is_left_over(browser: Browser, info: dict[str, Any]) -> bool:
    tab = browser.tabs.get(TargetId(info["targetId"]))
    return is_blank(info) and tab is not None and tab.found and not tab.used


async def list_tabs(page: Page) -> list[tuple[str, bool]]:
    """The open tabs as an observation's first line names them: what ``render`` takes as ``tabs``.

    ::

        snapshot.render("webarena", tabs=await list_tabs(page))  # Tab 0: Shop | Tab 1 (current): Mail

    Args:
        page: the one that is current.

    Returns:
        For each its title (its address, as long as it has none) and whether it is the page's own, in the
        order of the numbers that ``tab_focus [n]`` takes.
    """
    use_tab(page)
    infos = await numbered_tabs(page.browser)
    return [(str(info["title"] or info["url"]), info["targetId"] == page.target_id) for info in infos]
