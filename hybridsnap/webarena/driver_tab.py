"""Tabs of other drivers, for steps: Playwright, Selenium, cdp-use, and any tab of `hybridsnap.drivers`.

Actions and navigations go over sessions of ours beside the driver's (`hybridsnap.drivers.tab`); tabs are
opened, chosen and closed by the driver itself, so that the page that comes back is one of the driver's own.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hybridsnap.capture.pointing import find_active_element
from hybridsnap.drivers.operations import ready
from hybridsnap.drivers.tab import AsyncTab, SyncTab
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    NavigationFailed,
    TargetDetached,
    TargetError,
    WaitTimeout,
)
from hybridsnap.protocol.commands import ask
from hybridsnap.protocol.plan import Reply, gather, gather_outcomes, pause
from hybridsnap.webarena.grammar import GoForward, Goto, NewTab, TabFocus, format_step
from hybridsnap.webarena.steps import WorkingTab

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.bridge.proxies import Style
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.capture.pointing import FoundElement
    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.plan import Command, Plan
    from hybridsnap.snapshot import Snapshot
    from hybridsnap.webarena.grammar import CloseTab, GoBack

#: Seconds between two looks at whether the history has moved.
_STEP = 0.05
_BEING_REPLACED = "Not attached to an active page"
_PARSED = """new Promise((done) => {
  if (document.readyState !== "loading") done(1); else addEventListener("DOMContentLoaded", () => done(1));
})"""
_KINDS = {
    "sync": "a page of hybridsnap.sync, a page of Playwright's sync API, a webdriver of Selenium, or a"
    " blocking tab of hybridsnap.drivers",
    "aio": "a page of hybridsnap.aio, a page of Playwright's async API, or a tab of hybridsnap.drivers"
    " (CdpUseTab, browser_use_session, from_send)",
}


class DriverTab(WorkingTab):
    """A tab that is spoken to through `hybridsnap.drivers`; `page` is the tab itself."""

    def __init__(self, page: Any, tab: AsyncTab | SyncTab) -> None:
        self.page = page
        self._tab = tab

    def act(self, action: str, deadline: Deadline, **arguments: Any) -> Awaitable[Any]:
        """As `WorkingTab.act`."""
        return ready(self._tab.act(action, arguments.pop("element", None), timeout=deadline, **arguments))

    def snapshot(self, deadline: Deadline, *, layout: bool) -> Awaitable[Snapshot]:
        """As `WorkingTab.snapshot`."""
        return ready(self._tab.snapshot(layout=layout, timeout=deadline))

    def active_element(self, deadline: Deadline) -> Awaitable[FoundElement | None]:
        """As `WorkingTab.active_element`."""
        found = self._tab.run(lambda nodes, _: find_active_element(nodes.sessions, nodes.ordinals), deadline)
        return ready(found)

    async def travel(self, action: Goto | GoBack | GoForward, deadline: Deadline) -> None:
        """As `WorkingTab.travel`."""

        def plan_of(nodes: NodeResolver, _: ElementHistory) -> Plan[None]:
            if isinstance(action, Goto):
                return _navigate(nodes, action.url)
            return _go(nodes, 1 if isinstance(action, GoForward) else -1)

        await ready(self._tab.run(plan_of, deadline))

    async def turn(self, action: NewTab | TabFocus | CloseTab, deadline: Deadline) -> WorkingTab:  # noqa: ARG002 - refused
        """As `WorkingTab.turn`."""
        raise TargetError(
            f"{format_step(action)}: the tabs of {type(self._tab).__name__} are the driver's; open, choose"
            " and close them there, and give the tab that is current then"
        )

    async def arrive(self, deadline: Deadline) -> WorkingTab:
        """As `WorkingTab.arrive`. A dialog that is open holds the document up: it is not waited for."""
        while not deadline.expired:
            try:
                await ready(self._tab.evaluate(_PARSED, timeout=deadline, isolated_world=True))
            except CommandRefused:  # the document was left meanwhile
                continue
            except CommandUnanswered as error:
                if error.cause == "dialog":
                    break
                raise
            break
        else:
            raise WaitTimeout("the page's DOM was not there in time", missing=("load_state",))
        return self

    async def session(self) -> Any:
        """As `WorkingTab.session`."""
        raise TypeError(f"{type(self._tab).__name__} has no raw session; ask its driver for one")


class PlaywrightPage(DriverTab):
    """A page of Playwright's, async or sync: the names are the same."""

    def check_browser(self, browser: Any) -> None:
        """As `WorkingTab.check_browser`: the context of the page, or its browser."""
        context = self.page.context
        if browser not in (context, context.browser):
            raise ValueError("the page is one of another browser context; give page.context")

    async def turn(self, action: NewTab | TabFocus | CloseTab, deadline: Deadline) -> WorkingTab:  # noqa: ARG002 - Playwright has its own
        """As `WorkingTab.turn`."""
        context = self.page.context
        if isinstance(action, NewTab):
            return _working(await ready(context.new_page()))
        if isinstance(action, TabFocus):
            if action.index >= len(context.pages):
                raise _no_tab(action.index, len(context.pages))
            current = context.pages[action.index]
        else:
            current = await self._last()
            await ready(self.page.close())
        await ready(current.bring_to_front())
        return _working(current)

    async def _last(self) -> Any:
        others = [one for one in self.page.context.pages if one is not self.page]
        return others[-1] if others else await ready(self.page.context.new_page())

    async def arrive(self, deadline: Deadline) -> WorkingTab:
        """As `WorkingTab.arrive`."""
        if self.page.is_closed():
            last = _working(await self._last())
            return await last.arrive(deadline)
        return await super().arrive(deadline)

    async def session(self) -> Any:
        """As `WorkingTab.session`: a session is opened once, and kept on the page, as MetaGPT does."""
        if not hasattr(self.page, "cdp_session"):
            self.page.cdp_session = await ready(self.page.context.new_cdp_session(self.page))
        return self.page.cdp_session


class SeleniumWindow(DriverTab):
    """The window that a webdriver of Selenium's is at; the webdriver stays the same."""

    async def turn(self, action: NewTab | TabFocus | CloseTab, deadline: Deadline) -> WorkingTab:  # noqa: ARG002 - Selenium has no deadlines here
        """As `WorkingTab.turn`."""
        webdriver = self.page
        if isinstance(action, NewTab):
            webdriver.switch_to.new_window("tab")
        elif isinstance(action, TabFocus):
            if action.index >= len(webdriver.window_handles):
                raise _no_tab(action.index, len(webdriver.window_handles))
            webdriver.switch_to.window(webdriver.window_handles[action.index])
        else:
            closing = webdriver.current_window_handle
            if len(webdriver.window_handles) == 1:  # ChromeDriver ends with its last window
                webdriver.switch_to.new_window("tab")
                webdriver.switch_to.window(closing)
            webdriver.close()
            webdriver.switch_to.window(webdriver.window_handles[-1])
        return self

    async def arrive(self, deadline: Deadline) -> WorkingTab:
        """As `WorkingTab.arrive`."""
        try:
            return await super().arrive(deadline)
        except TargetDetached:  # it has closed itself
            self.page.switch_to.window(self.page.window_handles[-1])
            return await super().arrive(deadline)

    async def session(self) -> Any:
        """As `WorkingTab.session`."""
        return SeleniumSession(self.page)


class SeleniumSession:
    """ChromeDriver's way to the browser, as a session."""

    def __init__(self, webdriver: Any) -> None:
        self._webdriver = webdriver

    def send(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Send a command; its result."""
        return self._webdriver.execute_cdp_cmd(method, params or {})


def driver_tab(page: Any, style: Style) -> DriverTab:
    """A page of Playwright, Selenium, or a tab of `hybridsnap.drivers`, for steps.

    Raises:
        TypeError: it is something else, or one for callers that wait otherwise.
    """
    playwright = "playwright.sync_api" if style == "sync" else "playwright.async_api"
    found: DriverTab | None = None
    known = isinstance(page, AsyncTab | SyncTab) or hasattr(page, "execute_cdp_cmd")
    if known or type(page).__module__.startswith(playwright):
        found = _working(page)
    if found is None or isinstance(found._tab, SyncTab) != (style == "sync"):  # noqa: SLF001 - ours
        owner = type(page).__module__.partition(".")[0]
        raise TypeError(f"expected {_KINDS[style]}, got {owner}'s {type(page).__name__}")
    return found


def _working(page: Any) -> DriverTab:
    if isinstance(page, AsyncTab | SyncTab):
        return DriverTab(page, page)
    if hasattr(page, "execute_cdp_cmd"):
        return SeleniumWindow(page, _adapter("selenium", "SeleniumTab")(page))
    is_sync = type(page).__module__.startswith("playwright.sync_api")
    return PlaywrightPage(
        page, _adapter("playwright", "PlaywrightSyncTab" if is_sync else "PlaywrightTab")(page)
    )


def _adapter(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"hybridsnap.drivers.{module}"), name)


def _no_tab(index: int, count: int) -> TargetError:
    return TargetError(f"there is no tab {index}; open are 0 to {count - 1}")


def _command(nodes: NodeResolver, method: str, params: dict[str, Any]) -> Command[dict[str, Any]]:
    return ask(nodes.sessions[0].session, method, params, lambda payload: dict(payload.result(dict)))


def _navigate(nodes: NodeResolver, url: str) -> Plan[None]:
    (reply,) = yield from gather(_command(nodes, "Page.navigate", {"url": url}))
    if reason := reply.get("errorText"):
        raise NavigationFailed(f"{url} could not be loaded ({reason})", url=url, reason=reason)


def _go(nodes: NodeResolver, steps: int) -> Plan[None]:
    """One step through the tab's history, until the tab is there."""
    history = yield from _history(nodes)
    wanted = history["currentIndex"] + steps
    if not 0 <= wanted < len(history["entries"]):
        raise NavigationFailed(
            f"there is nothing to go {'back' if steps < 0 else 'forward'} to",
            url=history["entries"][history["currentIndex"]]["url"],
            reason="no history entry",
        )
    entry = history["entries"][wanted]["id"]
    yield from gather(_command(nodes, "Page.navigateToHistoryEntry", {"entryId": entry}))
    while history["currentIndex"] != wanted:
        yield from pause(_STEP)
        history = yield from _history(nodes)


def _history(nodes: NodeResolver) -> Plan[dict[str, Any]]:
    """The tab's history; asked again while a document that was kept for going back takes its place."""
    while True:
        (outcome,) = yield from gather_outcomes(_command(nodes, "Page.getNavigationHistory", {}))
        if isinstance(outcome, Reply):
            return outcome.value
        if not (isinstance(outcome.error, CommandRefused) and _BEING_REPLACED in outcome.error.reason):
            raise outcome.error
        yield from pause(_STEP)
