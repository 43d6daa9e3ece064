"""Which tab has which number, in ``tab_focus [n]`` and in an observation's first line.

Tabs are numbered from 0 in the order in which they were opened, and every connection numbers them alike. The
browser lists tabs in no order, but it counts the entries of all tabs' histories together: the id of a tab's
first entry says how old the tab is, until that entry is replaced, or dropped behind 50 later ones (measured
in Chromium 156). The browser itself answers for it, whatever the page does.

The oldest tab, as long as it is blank, is what the browser has left from its launch. It gets a number once an
action uses it, or when it is the only tab.
"""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.client.creation import attach_to
from hybridsnap.client.tab_tracker import is_blank
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import CommandRefused, SessionEnded
from hybridsnap.model import TargetId

if TYPE_CHECKING:
    from hybridsnap.client.browser import Browser, Page
    from hybridsnap.client.tab_tracker import Tab

#: How often a tab is asked that a new document is just coming into: it says that it is "not attached to an
#: active page" then, for a few milliseconds (one in 40 that were going somewhere, in Chromium 156).
_ATTEMPTS = 20
_PAUSE = 0.02


def use_tab(page: Page) -> None:
    """Count a page's tab from now on, though it may be blank: it is acted on."""
    tab = page.browser.tabs.get(page.target_id)
    if tab is not None:
        tab.used = True


async def numbered_tabs(
    browser: Browser, timeout: float | Deadline = DEFAULT_TIMEOUT
) -> list[dict[str, Any]]:
    """`Target.TargetInfo` of the tabs that have a number; it is their place.

    Cost: three commands for each tab that was open before the connection, once.
    """
    deadline = Deadline.of(timeout)
    infos = await browser.page_infos(timeout=deadline)
    known = {info["targetId"]: browser.tabs.get(TargetId(info["targetId"])) for info in infos}
    for tab in known.values():
        if tab is not None and tab.found and tab.first_entry is None:
            tab.first_entry = await _ask_for_first_entry(browser, tab, deadline)

    def place(info: dict[str, Any]) -> tuple[bool, float]:
        tab = known[info["targetId"]]
        if tab is None or not tab.found:
            return True, 0
        return False, math.inf if tab.first_entry is None else tab.first_entry

    infos.sort(key=place)  # the others keep the order in which we heard of them
    return infos[1:] if len(infos) > 1 and _is_left_over(browser, infos[0]) else infos


async def _ask_for_first_entry(browser: Browser, tab: Tab, deadline: Deadline) -> int | None:
    """The id of the first entry; None for a tab that is closed by now, or does not say."""
    try:
        session = await attach_to(browser.connection, tab.target_id, deadline)
        try:
            for attempt in range(_ATTEMPTS):
                await trio.sleep(attempt and _PAUSE)
                with contextlib.suppress(CommandRefused):
                    reply = await session.send("Page.getNavigationHistory", deadline=deadline)
                    return int(reply["entries"][0]["id"]) if reply["entries"] else None
        finally:
            browser.session.post("Target.detachFromTarget", {"sessionId": session.id}, ignore_reply)
            browser.connection.drop(session)
    except (CommandRefused, SessionEnded):
        pass
    return None


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
