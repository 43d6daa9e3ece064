"""The browsers of a server: one connection to each, opened again when it is lost and needed.

The connection to a browser that runs already is made again when it drops (``reconnect=True``): tabs, ids and
records live on. It is lost when that browser is gone; then whatever is at its address is taken.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from typing import TYPE_CHECKING

import trio

from hybridsnap.client.changes import Changes
from hybridsnap.client.launch import connect, launch
from hybridsnap.client.transport import background_nursery
from hybridsnap.client.viewport import DEFAULT_VIEWPORT
from hybridsnap.deadline import Deadline
from hybridsnap.errors import BrowserError, ConnectionLost, HybridsnapError
from hybridsnap.model import TargetId
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator
    from pathlib import Path

    from hybridsnap.client.browser import Browser
    from hybridsnap.client.launcher import LaunchTransport
    from hybridsnap.client.page_context import Recorded
    from hybridsnap.client.tab_tracker import Tab
    from hybridsnap.client.viewport import ViewportSize
    from hybridsnap.model import ContextId
    from hybridsnap.service.egress_proxy import EgressProxy

_log = logging.getLogger("hybridsnap")

#: Seconds; it is waited for again.
_LONG = 3600.0


#: The id of the browser that is meant when none is named.
DEFAULT_BROWSER = "default"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BrowserPlan:
    """A browser that a server has.

    Attributes:
        id: its ``browserId``.
        endpoint: of one that runs already, which is left running; None launches one.
        executable: which to launch; None finds one.
        headless: False opens a window.
        transport: of one that is launched; None takes the fastest.
        viewport: of its pages, in CSS px; None for 1280 × 720 when it is launched, and for what each page has
            when it runs already.
        record: what is recorded of its pages from the moment that they are attached to.
    """

    id: str = DEFAULT_BROWSER
    endpoint: str | None = None
    executable: str | None = None
    headless: bool = True
    transport: LaunchTransport | None = None
    viewport: ViewportSize | None = None
    record: tuple[Recorded, ...] = ()


class PooledBrowser:
    """One browser for as long as the service runs: opened, and opened again when it is lost and needed.

    Args:
        plan: which.
        proxy: a launched browser connects through it; None lets it connect by itself.
        permit_upload: returns the path that a page gets for one that was asked for, or refuses.
        start_seconds: for the browser to be up.
        takes_page_endpoint: `plan.endpoint` may be one page's own socket.

    Attributes:
        id: its ``browserId``.
        launched: the service launched it.
        proxied: it connects through the service's proxy.
        starts: how often it was opened.
        on_tab: called with each tab that is opened by a page.
        on_lost: called when the browser is gone.
    """

    def __init__(
        self,
        plan: BrowserPlan,
        proxy: EgressProxy | None,
        permit_upload: Callable[[Path], Path],
        start_seconds: float,
        *,
        takes_page_endpoint: bool = False,
    ) -> None:
        self._plan = plan
        self._proxy = proxy if plan.endpoint is None else None
        self._permit_upload = permit_upload
        self._start_seconds = start_seconds
        self._takes_page_endpoint = takes_page_endpoint
        self._browser: Browser | None = None
        self._failure: HybridsnapError | None = None
        self._changes = Changes()
        self._wanted = trio.Event()
        self.id: str = plan.id
        self.launched: bool = plan.endpoint is None
        self.proxied: bool = self._proxy is not None
        self.starts: int = 0
        self.on_tab: Callable[[PooledBrowser, Tab], None] = lambda _, __: None
        self.on_lost: Callable[[PooledBrowser], None] = lambda _: None

    @property
    def browser(self) -> Browser | None:
        """The browser, when it is there, and not about to be cleared away."""
        browser = self._browser
        return None if browser is None or browser.connection.lost else browser

    async def get(self, deadline: Deadline) -> Browser:
        """The browser; waited for when it has to be started anew.

        Raises:
            BrowserError, ConnectionLost: it cannot be had, or not in time.
        """
        self._failure = None
        await self._changes.wait_until(self._is_decided, deadline)
        if (browser := self.browser) is not None:
            return browser
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        raise ConnectionLost(f"the browser {self.id!r} was not there in time")

    def _is_decided(self) -> bool:
        """Whether the browser is there, or cannot be had; asks for it otherwise, as often as it is lost."""
        if self.browser is None and self._failure is None:
            self._wanted.set()
        return self.browser is not None or self._failure is not None

    async def run(
        self, *, at_once: bool = True, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Keep the browser.

        Args:
            at_once: open it now; False waits for the first `get`.
            task_status: is told when the browser is up, or waits to be needed.

        Raises:
            HybridsnapError: it was to be opened at once, and cannot be.
        """
        if not at_once:
            task_status.started()
            await self._wanted.wait()
        while True:
            try:
                async with self._opened() as browser:
                    self.starts += 1
                    self._browser = browser
                    self._changes.notify()
                    if at_once and self.starts == 1:
                        task_status.started()
                    async with background_nursery() as nursery:
                        if browser.only_target is None:
                            nursery.start_soon(self._watch_tabs, browser)
                        await browser.connection.wait_ended()
            except HybridsnapError as error:
                if at_once and not self.starts:
                    raise
                self._failure = error
            _log.warning("the browser %r is gone", self.id)
            self._browser, self._wanted = None, trio.Event()
            self.on_lost(self)
            self._changes.notify()
            await self._wanted.wait()

    @contextlib.asynccontextmanager
    async def _opened(self) -> AsyncIterator[Browser]:
        plan = self._plan
        opening = (
            launch(
                plan.executable,
                headless=plan.headless,
                transport=plan.transport,
                args=() if self._proxy is None else self._proxy.flags,
                viewport=plan.viewport or DEFAULT_VIEWPORT,
                timeout=self._start_seconds,
            )
            if plan.endpoint is None
            else connect(plan.endpoint, reconnect=True, timeout=self._start_seconds)
        )
        async with opening as browser:
            if browser.only_target is not None and not self._takes_page_endpoint:
                raise BrowserError(f"{plan.endpoint} is one page's own socket; name the browser's")
            browser.permit_upload = self._permit_upload
            browser.viewport = plan.viewport or browser.viewport
            browser.record = plan.record
            yield browser

    def openers(self, target_id: str) -> list[str]:
        """The tab that opened a tab, the one that opened that, and so on."""
        found: list[str] = []
        tabs = None if self.browser is None else self.browser.tabs
        tab = None if tabs is None else tabs.get(TargetId(target_id))
        while tabs is not None and tab is not None and tab.opener not in {None, target_id, *found}:
            found.append(str(tab.opener))
            tab = tabs.get(TargetId(found[-1]))
        return found

    def context_of(self, target_id: str) -> ContextId | None:
        """The browser context that a tab belongs to, when it is known."""
        tab = None if self.browser is None else self.browser.tabs.get(TargetId(target_id))
        return None if tab is None else tab.context

    async def _watch_tabs(self, browser: Browser) -> None:
        """Tell of each tab that a page opens."""
        tabs = browser.tabs
        mark = tabs.count
        with contextlib.suppress(ConnectionLost):
            while True:
                await tabs.wait_until(lambda: tabs.count != mark, Deadline.after(_LONG))  # noqa: B023 - at once
                new, mark = tabs.since(mark), tabs.count
                for tab in new:
                    if tab.opener is not None and not tab.closed:
                        self.on_tab(self, tab)


class BrowserPool:
    """All browsers of a server.

    Args:
        browsers: the first is the one that is meant when none is named.
    """

    def __init__(self, browsers: Iterable[PooledBrowser]) -> None:
        self._browsers = {pooled.id: pooled for pooled in browsers}

    def __iter__(self) -> Iterator[PooledBrowser]:
        return iter(self._browsers.values())

    def find(self, browser_id: str | None) -> PooledBrowser:
        """The one that is meant.

        Raises:
            ApiError: there is none of this id.
        """
        if browser_id is None:
            return next(iter(self))
        pooled = self._browsers.get(browser_id)
        if pooled is None:
            known = ", ".join(self._browsers)
            raise ApiError(
                404,
                "BrowserUnknown",
                f"there is no browser {browser_id[:60]!r}",
                f"there are: {known}",
                fields={"browserIds": list(self._browsers)},
            )
        return pooled
