"""Every driver passes the one check, against the browser that the run shares."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

from hybridsnap.drivers import cdp_use, from_send, playwright, selenium
from hybridsnap.drivers.testing import Subject, check_driver, check_driver_sync
from tests.support.driver_stage import (
    BROWSER,
    FLAGS,
    LOADED,
    blocking_send,
    cdp_tab,
    chrome,
    playwright_browser,
    playwright_browser_sync,
)
from tests.support.headless_shell import not_in_headless_shell

if TYPE_CHECKING:
    from pathlib import Path

    import hybridsnap


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
    async def main() -> None:
        async with async_playwright() as started:
            browser = await started.chromium.launch(executable_path=BROWSER, args=FLAGS)
            page = await browser.new_page()
            await check_driver(
                Subject(page.goto, functools.partial(playwright.snapshot, page), page.evaluate)
            )
            await browser.close()

    asyncio.run(main())


def test_playwright_in_a_persistent_context(tmp_path: Path) -> None:
    with sync_playwright() as started:
        context = started.chromium.launch_persistent_context(tmp_path, executable_path=BROWSER, args=FLAGS)
        page = context.pages[0]
        check_driver_sync(
            Subject(page.goto, functools.partial(playwright.snapshot_sync, page), page.evaluate)
        )
        context.close()


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


def test_a_blocking_send(browser_endpoint: str) -> None:
    """With a session id as its third parameter: all frames, without an event loop."""
    with blocking_send(browser_endpoint) as send:

        def evaluate(expression: str) -> Any:
            params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
            return send("Runtime.evaluate", params, session)["result"].get("value")

        def goto(url: str) -> None:
            send("Page.navigate", {"url": url}, session)
            evaluate(LOADED)

        target = send("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        check_driver_sync(Subject(goto, from_send(send, session).snapshot, evaluate))
        send("Target.closeTarget", {"targetId": target})


_DRAWS_NOTHING = not_in_headless_shell("draws no frames for these drivers, which ask for begin frame control")


@pytest.mark.parametrize(
    "name",
    [
        "browser_use",
        pytest.param("nodriver", marks=_DRAWS_NOTHING),
        "pydoll",
        pytest.param("zendriver", marks=_DRAWS_NOTHING),
    ],
)
def test_others_in_a_program_of_their_own(name: str, browser_endpoint: str) -> None:
    """They have warnings, loggers and clean-ups of their own, which are no business of this process."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.other_drivers", name, browser_endpoint],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
