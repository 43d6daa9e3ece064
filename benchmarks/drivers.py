"""What a foreign driver costs: the same tab captured by turns through our client and through each of them."""

from __future__ import annotations

import asyncio
import gc
import time
from typing import TYPE_CHECKING, Any

import trio

import hybridsnap
from benchmarks.driver_looks import DriverLooks, Drivers
from hybridsnap.drivers import cdp_use, playwright, selenium
from hybridsnap.drivers.operations import ready, run_blocking
from tests.support.driver_stage import (
    cdp_tab,
    chrome,
    page_at,
    playwright_browser,
    playwright_browser_sync,
    switch_to,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.pages import Page

#: Seconds for one capture.
_SECONDS = 120.0


class _Turns:
    """Takes captures by turns, called from a driver's own thread."""

    def __init__(self, ours: hybridsnap.Page, runs: int) -> None:
        self._ours = ours
        self._runs = runs
        self.looks = DriverLooks([], [], same=True)

    async def take(self, snapshot: Callable[[], Any]) -> None:
        """All rounds of a driver, whose snapshots are awaited or simply come; the first does not count."""
        for number in range(self._runs + 1):
            ours_ms, ours = trio.from_thread.run(self._capture)
            gc.collect()
            started = time.perf_counter()
            theirs = (await ready(snapshot())).combined_tree
            theirs_ms = (time.perf_counter() - started) * 1000
            self.looks.same = ours == theirs
            if number:
                self.looks.ours_ms.append(ours_ms)
                self.looks.theirs_ms.append(theirs_ms)

    async def _capture(self) -> tuple[float, str]:
        """One capture of ours: ms, outline."""
        gc.collect()
        started = time.perf_counter()
        snapshot = await self._ours.snapshot(timeout=_SECONDS)
        outline = snapshot.combined_tree
        return (time.perf_counter() - started) * 1000, outline


async def measure_drivers(page: Page, url: str, runs: int) -> Drivers:
    """Capture one tab through every driver, each by turns with our client.

    Args:
        page: to be measured.
        url: where it is.
        runs: captures of each kind.
    """
    measured = Drivers({})
    async with hybridsnap.launch(transport="websocket", args=list(page.arguments)) as browser:
        opened = await browser.new_page(url)
        assert browser.process is not None
        endpoint = browser.process.endpoint
        assert endpoint is not None
        for name, measure in _DRIVERS.items():
            turns = _Turns(opened, runs)
            await trio.to_thread.run_sync(measure, turns, endpoint, opened.url)
            measured.looks[name] = turns.looks
    return measured


def _playwright(turns: _Turns, endpoint: str, url: str) -> None:
    async def main() -> None:
        async with playwright_browser(endpoint) as browser:
            page = page_at(browser, url)
            await turns.take(lambda: playwright.snapshot(page, timeout=_SECONDS))

    asyncio.run(main())


def _playwright_sync(turns: _Turns, endpoint: str, url: str) -> None:
    with playwright_browser_sync(endpoint) as browser:
        page = page_at(browser, url)
        run_blocking(turns.take(lambda: playwright.snapshot_sync(page, timeout=_SECONDS)))


def _selenium(turns: _Turns, endpoint: str, url: str) -> None:
    with chrome(endpoint) as driver:
        switch_to(driver, url)
        run_blocking(turns.take(lambda: selenium.snapshot(driver, timeout=_SECONDS)))


def _execute_cdp_cmd(turns: _Turns, endpoint: str, url: str) -> None:
    with chrome(endpoint) as driver:
        switch_to(driver, url)
        del driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        run_blocking(turns.take(lambda: selenium.snapshot(driver, timeout=_SECONDS)))


def _cdp_use(turns: _Turns, endpoint: str, url: str) -> None:
    async def main() -> None:
        async with cdp_tab(endpoint, url) as tab:
            await turns.take(lambda: cdp_use.snapshot(tab.client, tab.session_id, timeout=_SECONDS))

    asyncio.run(main())


_DRIVERS: dict[str, Callable[[_Turns, str, str], None]] = {
    "Playwright": _playwright,
    "Playwright sync": _playwright_sync,
    "Selenium": _selenium,
    "Selenium, execute_cdp_cmd": _execute_cdp_cmd,
    "cdp-use": _cdp_use,
}
