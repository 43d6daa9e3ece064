"""Every driver passes the one check, against the browser that the run shares."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

from hybridsnap.drivers import cdp_use, from_send, playwright, selenium
from hybridsnap.drivers.testing import Subject, check_driver, check_driver_sync
from tests.drivers.stage import (
    BROWSER,
    FLAGS,
    cdp_tab,
    chrome,
    playwright_browser,
    playwright_browser_sync,
)

if TYPE_CHECKING:
    from pathlib import Path

    import hybridsnap
    from hybridsnap.snapshot import Snapshot


async def test_our_client(browser: hybridsnap.Browser) -> None:
    page = await browser.new_page()
    await check_driver(Subject(page.goto, page.snapshot, page.evaluate))


def test_playwright(browser_endpoint: str) -> None:
    async def main() -> None:
        async with playwright_browser(browser_endpoint) as browser:
            page = await browser.contexts[0].new_page()
            await check_driver(
                Subject(page.goto, functools.partial(playwright.snapshot, page), page.evaluate)
            )
            await page.close()

    asyncio.run(main())


def test_playwright_sync(browser_endpoint: str) -> None:
    with playwright_browser_sync(browser_endpoint) as browser:
        page = browser.contexts[0].new_page()
        check_driver_sync(
            Subject(page.goto, functools.partial(playwright.snapshot_sync, page), page.evaluate)
        )
        page.close()


def test_playwright_in_a_browser_it_has_launched() -> None:
    async def main() -> Snapshot:
        async with async_playwright() as started:
            browser = await started.chromium.launch(executable_path=BROWSER, args=FLAGS)
            page = await browser.new_page()
            await page.set_content("<button>In a context of its own</button>")
            snapshot = await playwright.snapshot(page)
            await browser.close()
            return snapshot

    assert "button: In a context of its own" in asyncio.run(main()).combined_tree


def test_playwright_in_a_persistent_context(tmp_path: Path) -> None:
    with sync_playwright() as started:
        context = started.chromium.launch_persistent_context(tmp_path, executable_path=BROWSER, args=FLAGS)
        context.pages[0].set_content("<button>Kept</button>")
        snapshot = playwright.snapshot_sync(context.pages[0])
        context.close()
    assert "button: Kept" in snapshot.combined_tree


@pytest.mark.parametrize("debugger_address", [True, False])
def test_selenium(debugger_address: bool) -> None:
    with chrome() as webdriver:
        if not debugger_address:
            del webdriver.capabilities["goog:chromeOptions"]["debuggerAddress"]

        def evaluate(expression: str) -> Any:
            return webdriver.execute_script(f"return {expression}")

        check_driver_sync(
            Subject(
                webdriver.get,
                functools.partial(selenium.snapshot, webdriver),
                evaluate,
                reaches_all=debugger_address,
            )
        )


def test_cdp_use(browser_endpoint: str) -> None:
    async def main() -> None:
        async with cdp_tab(browser_endpoint) as tab:
            snapshot = functools.partial(cdp_use.snapshot, tab.client, tab.session_id)
            await check_driver(Subject(tab.goto, snapshot, tab.evaluate))

    asyncio.run(main())


def test_a_send_that_takes_no_sessions(browser_endpoint: str) -> None:
    async def main() -> None:
        async with cdp_tab(browser_endpoint) as tab:
            other = from_send(tab.send)
            await check_driver(Subject(tab.goto, other.snapshot, tab.evaluate, reaches_all=False))

    asyncio.run(main())
