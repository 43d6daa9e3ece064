"""Every driver passes the one check, against the browser that the run shares."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import trio
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

import hybridsnap
from hybridsnap.drivers import cdp_use, from_send, playwright, selenium
from hybridsnap.drivers.testing import Subject, check_driver, check_driver_sync
from tests.support.driver_stage import (
    BROWSER,
    FLAGS,
    LOADED,
    at_once,
    blocking_send,
    cdp_tab,
    chrome,
    page_at,
    playwright_browser,
    playwright_browser_sync,
)
from tests.support.headless_shell import not_in_headless_shell
from tests.support.hosted_browser import borrow_browser, host_browser
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def by_our_client(endpoint: str, url: str) -> None:
    async def main() -> None:
        async with hybridsnap.connect(endpoint) as browser:
            (page,) = [one for one in await browser.pages() if one.url == url]
            await check_driver(Subject(page.goto, page.snapshot, page.evaluate))

    trio.run(main)


def by_playwright(endpoint: str, url: str) -> None:
    async def main() -> None:
        async with playwright_browser(endpoint) as browser:
            page = page_at(browser, url)
            await check_driver(
                Subject(page.goto, functools.partial(playwright.snapshot, page), page.evaluate)
            )

    asyncio.run(main())


def by_playwright_sync(endpoint: str, url: str) -> None:
    with playwright_browser_sync(endpoint) as browser:
        page = page_at(browser, url)
        check_driver_sync(
            Subject(page.goto, functools.partial(playwright.snapshot_sync, page), page.evaluate)
        )


def by_cdp_use(endpoint: str, url: str) -> None:
    async def main() -> None:
        async with cdp_tab(endpoint, url) as tab:
            snapshot = functools.partial(cdp_use.snapshot, tab.client, tab.session_id)
            await check_driver(Subject(tab.goto, snapshot, tab.evaluate))

    asyncio.run(main())


def by_sending(endpoint: str, url: str) -> None:
    """A send that takes no sessions."""

    async def main() -> None:
        async with cdp_tab(endpoint, url) as tab:
            other = from_send(tab.send)
            await check_driver(Subject(tab.goto, other.snapshot, tab.evaluate, reaches_all=False))

    asyncio.run(main())


def by_blocking(endpoint: str, url: str) -> None:
    """With a session id as its third parameter: all frames, without an event loop."""
    with blocking_send(endpoint) as send:

        def evaluate(expression: str) -> Any:
            params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
            return send("Runtime.evaluate", params, session)["result"].get("value")

        def goto(url: str) -> None:
            send("Page.navigate", {"url": url}, session)
            evaluate(LOADED)

        infos = send("Target.getTargets", {})["targetInfos"]
        (target,) = [info["targetId"] for info in infos if info["url"] == url]
        session = send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        check_driver_sync(Subject(goto, from_send(send, session).snapshot, evaluate))


@pytest.fixture
def other_endpoint() -> Iterator[str]:
    """As `browser_endpoint`: one more."""
    with host_browser(["--site-per-process"]) as endpoint:
        yield endpoint


async def test_browsers_that_run(browser_endpoint: str, other_endpoint: str) -> None:
    """Two browsers side by side, each with one driver after the other."""

    async def check(endpoint: str) -> None:
        for way in ways[endpoint]:
            url = pages.url(f"/{way.__name__}")
            async with borrow_browser(endpoint):
                # Only the driver is attached to the tab: where Playwright has a frame's document wait, and
                # another client then attaches to the frame above, the browser never lets it go on (measured).
                async with hybridsnap.connect(endpoint) as opener:
                    await opener.new_page(url)
                await trio.to_thread.run_sync(way, endpoint, url)

    ways = {
        browser_endpoint: [by_our_client, by_playwright, by_cdp_use],
        other_endpoint: [by_playwright_sync, by_sending, by_blocking],
    }
    async with serve_pages({f"/{way.__name__}": "" for some in ways.values() for way in some}) as pages:
        await at_once(check, ways)


def launched_by_playwright(_: Path) -> None:
    async def main() -> None:
        async with async_playwright() as started:
            browser = await started.chromium.launch(executable_path=BROWSER, args=FLAGS)
            page = await browser.new_page()
            with pytest.raises(TypeError, match=r"got one of its async API; that goes to await snapshot"):
                playwright.snapshot_sync(page)  # type: ignore[arg-type]
            await check_driver(
                Subject(page.goto, functools.partial(playwright.snapshot, page), page.evaluate)
            )
            await browser.close()

    asyncio.run(main())


def launched_by_playwright_sync(profile: Path) -> None:
    """In a persistent context."""
    with sync_playwright() as started:
        context = started.chromium.launch_persistent_context(profile, executable_path=BROWSER, args=FLAGS)
        page = context.pages[0]
        with pytest.raises(TypeError, match=r"got one of its sync API; that goes to snapshot_sync"):
            playwright.PlaywrightTab(page)  # type: ignore[arg-type]
        check_driver_sync(
            Subject(page.goto, functools.partial(playwright.snapshot_sync, page), page.evaluate)
        )
        context.close()


def launched_by_selenium(_: Path) -> None:
    """With an address of its browser, and without."""
    with chrome() as webdriver:

        def evaluate(expression: str) -> Any:
            return webdriver.execute_script(f"return {expression}")

        subject = Subject(webdriver.get, functools.partial(selenium.snapshot, webdriver), evaluate)
        check_driver_sync(subject)
        del webdriver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        check_driver_sync(dataclasses.replace(subject, reaches_all=False))


async def test_browsers_that_drivers_launch(tmp_path: Path) -> None:
    async def check(way: Callable[[Path], None]) -> None:
        await trio.to_thread.run_sync(way, tmp_path)

    await at_once(check, [launched_by_playwright, launched_by_playwright_sync, launched_by_selenium])


_DRAWS_NOTHING = not_in_headless_shell("draws no frames for these drivers, which ask for begin frame control")


# Of those that come by `from_send` one is enough here; that each works is tried by its script in the
# documentation (tests/docs).
@pytest.mark.parametrize(
    "name",
    [
        "pydoll",
        pytest.param("browser_use", marks=pytest.mark.soak),
        pytest.param("nodriver", marks=[_DRAWS_NOTHING, pytest.mark.soak]),
        pytest.param("zendriver", marks=[_DRAWS_NOTHING, pytest.mark.soak]),
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
