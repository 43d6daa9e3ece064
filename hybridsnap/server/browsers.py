"""The browsers of a server: one connection to each, made anew when it is lost and asked for."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

import trio

from hybridsnap.client.browser import connect, launch
from hybridsnap.client.transport import background_nursery
from hybridsnap.deadline import Deadline
from hybridsnap.errors import BrowserError, ConnectionLost, HybridsnapError
from hybridsnap.server.problems import Refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator
    from pathlib import Path

    from hybridsnap.client.browser import Browser
    from hybridsnap.client.tabs import Tab
    from hybridsnap.server.settings import BrowserPlan

_log = logging.getLogger("hybridsnap")

#: Seconds; it is waited for again.
_LONG = 3600.0


class BrowserKeeper:
    """One browser, as long as the server runs.

    Args:
        plan: which.
        flags: more of them, where it is launched.
        permit_upload: says which files its pages may get.
        start_seconds: for it to be up.

    Attributes:
        id: its ``browserId``.
        launched: it is ours, and goes out by the server's own door.
        on_tab: called with each tab that is opened by a page.
        on_lost: called when the browser is gone.
    """

    def __init__(
        self,
        plan: BrowserPlan,
        flags: tuple[str, ...],
        permit_upload: Callable[[Path], Path],
        start_seconds: float,
    ) -> None:
        self._plan = plan
        self._flags = flags
        self._permit_upload = permit_upload
        self._start_seconds = start_seconds
        self._browser: Browser | None = None
        self._failure: HybridsnapError | None = None
        self._changed = trio.Event()
        self._wanted = trio.Event()
        self.id: str = plan.id
        self.launched: bool = plan.endpoint is None
        self.starts: int = 0
        self.on_tab: Callable[[BrowserKeeper, Tab], None] = lambda _, __: None
        self.on_lost: Callable[[BrowserKeeper], None] = lambda _: None

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
        with trio.move_on_after(deadline.remaining):
            while True:
                browser = self.browser
                if browser is not None:
                    return browser
                if self._failure is not None:
                    raise self._failure.with_traceback(None)
                self._wanted.set()
                await self._changed.wait()
        raise ConnectionLost(f"the browser {self.id!r} was not there in time")

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep it.

        Raises:
            HybridsnapError: it cannot be had at the very start.
        """
        while True:
            try:
                async with self._opened() as browser:
                    self.starts += 1
                    self._browser = browser
                    self._pulse()
                    if self.starts == 1:
                        task_status.started()
                    async with background_nursery() as nursery:
                        nursery.start_soon(self._watch_tabs, browser)
                        await browser.connection.wait_ended()
            except HybridsnapError as error:
                if not self.starts:
                    raise
                self._failure = error
            _log.warning("the browser %r is gone", self.id)
            self._browser, self._wanted = None, trio.Event()
            self.on_lost(self)
            self._pulse()
            await self._wanted.wait()

    @contextlib.asynccontextmanager
    async def _opened(self) -> AsyncIterator[Browser]:
        plan = self._plan
        opening = (
            launch(
                plan.executable,
                headless=plan.headless,
                transport=plan.transport,
                args=[*self._flags, *plan.args],
                timeout=self._start_seconds,
            )
            if plan.endpoint is None
            else connect(plan.endpoint, timeout=self._start_seconds)
        )
        async with opening as browser:
            if browser.only_target is not None:
                raise BrowserError(f"{plan.endpoint} is one page's own socket; name the browser's")
            browser.permit_upload = self._permit_upload
            yield browser

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

    def _pulse(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


class Browsers:
    """All browsers of a server.

    Args:
        keepers: the first is the one that is meant when none is named.
    """

    def __init__(self, keepers: Iterable[BrowserKeeper]) -> None:
        self._keepers = {keeper.id: keeper for keeper in keepers}

    def __iter__(self) -> Iterator[BrowserKeeper]:
        return iter(self._keepers.values())

    def keeper(self, browser_id: str | None) -> BrowserKeeper:
        """The one that is meant.

        Raises:
            Refused: there is none of this id.
        """
        if browser_id is None:
            return next(iter(self))
        keeper = self._keepers.get(browser_id)
        if keeper is None:
            known = ", ".join(self._keepers)
            raise Refused(
                404,
                "BrowserUnknown",
                f"there is no browser {browser_id[:60]!r}",
                f"there are: {known}",
                fields={"browserIds": list(self._keepers)},
            )
        return keeper
