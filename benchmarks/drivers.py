"""What a foreign driver costs: the same tab captured by turns through our client and through each of them."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import shutil
import time
from typing import TYPE_CHECKING, Any

import trio
from cdp_use.client import CDPClient
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

import hybridsnap
from benchmarks.driver_looks import DriverLooks, Drivers
from hybridsnap.drivers import cdp_use, playwright, selenium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.pages import Page

#: Seconds for one capture.
_SECONDS = 120.0


class _Turns:
    """Takes captures by turns, called from a driver's own thread."""

    def __init__(self, ours: hybridsnap.Page, runs: int) -> None:
        self._ours = ours
        self._runs = runs
        self.looks = DriverLooks([], [], same=True)

    def rounds(self) -> Iterator[bool]:
        """Whether each round counts."""
        yield False
        yield from (True for _ in range(self._runs))

    def ours(self) -> tuple[float, str]:
        """One capture of ours: ms, outline."""

        async def capture() -> tuple[float, str]:
            gc.collect()
            started = time.perf_counter()
            snapshot = await self._ours.snapshot(timeout=_SECONDS)
            outline = snapshot.combined_tree
            return (time.perf_counter() - started) * 1000, outline

        return trio.from_thread.run(capture)

    def note(self, counts: bool, ours: tuple[float, str], theirs: tuple[float, str]) -> None:
        """Keep a pair."""
        self.looks.same = ours[1] == theirs[1]
        if counts:
            self.looks.ours_ms.append(ours[0])
            self.looks.theirs_ms.append(theirs[0])

    def sync(self, snapshot: Callable[[], hybridsnap.Snapshot]) -> None:
        """All rounds of a blocking driver."""
        for counts in self.rounds():
            ours = self.ours()
            gc.collect()
            started = time.perf_counter()
            outline = snapshot().combined_tree
            self.note(counts, ours, ((time.perf_counter() - started) * 1000, outline))

    async def asynchronous(self, snapshot: Callable[[], Any]) -> None:
        """All rounds of a driver on asyncio."""
        for counts in self.rounds():
            ours = self.ours()
            gc.collect()
            started = time.perf_counter()
            outline = (await snapshot()).combined_tree
            self.note(counts, ours, ((time.perf_counter() - started) * 1000, outline))


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
            await trio.to_thread.run_sync(measure, turns, endpoint, opened.target_id, opened.url)
            measured.looks[name] = turns.looks
    return measured


def _page_at(contexts: list[Any], url: str) -> Any:
    return next(page for context in contexts for page in context.pages if page.url == url)


def _playwright(turns: _Turns, endpoint: str, _: str, url: str) -> None:
    async def main() -> None:
        async with async_playwright() as started:
            browser = await started.chromium.connect_over_cdp(endpoint)
            page = _page_at(browser.contexts, url)
            await turns.asynchronous(lambda: playwright.snapshot(page, timeout=_SECONDS))

    asyncio.run(main())


def _playwright_sync(turns: _Turns, endpoint: str, _: str, url: str) -> None:
    with sync_playwright() as started:
        browser = started.chromium.connect_over_cdp(endpoint)
        page = _page_at(browser.contexts, url)
        turns.sync(lambda: playwright.snapshot_sync(page, timeout=_SECONDS))


@contextlib.contextmanager
def _chrome(endpoint: str, target_id: str) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.debugger_address = endpoint.removeprefix("ws://").partition("/")[0]
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.switch_to.window(target_id)
        yield driver
    finally:
        driver.quit()


def _selenium(turns: _Turns, endpoint: str, target_id: str, _: str) -> None:
    with _chrome(endpoint, target_id) as driver:
        turns.sync(lambda: selenium.snapshot(driver, timeout=_SECONDS))


def _execute_cdp_cmd(turns: _Turns, endpoint: str, target_id: str, _: str) -> None:
    with _chrome(endpoint, target_id) as driver:
        del driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        turns.sync(lambda: selenium.snapshot(driver, timeout=_SECONDS))


def _cdp_use(turns: _Turns, endpoint: str, target_id: str, _: str) -> None:
    async def main() -> None:
        async with CDPClient(endpoint) as client:
            params = {"targetId": target_id, "flatten": True}
            attached = await client.send_raw("Target.attachToTarget", params)
            session = attached["sessionId"]
            await turns.asynchronous(lambda: cdp_use.snapshot(client, session, timeout=_SECONDS))

    asyncio.run(main())


_DRIVERS: dict[str, Callable[[_Turns, str, str, str], None]] = {
    "Playwright": _playwright,
    "Playwright sync": _playwright_sync,
    "Selenium": _selenium,
    "Selenium, execute_cdp_cmd": _execute_cdp_cmd,
    "cdp-use": _cdp_use,
}
