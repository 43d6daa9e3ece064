"""Scripts that do not end, in the page and in a frame of another process: each driver is back in time.

"In time" is not before the time is up, and not long after: what a driver is given, it uses.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap
from hybridsnap.drivers import cdp_use, from_send, playwright, selenium
from tests.support.driver_stage import (
    cdp_tab,
    chrome,
    page_at,
    playwright_browser,
    playwright_browser_sync,
    switch_to,
)
from tests.support.headless_shell import not_in_headless_shell
from tests.support.pages import ENDLESS, PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.snapshot import Snapshot

#: Far from what any of it takes.
_SECONDS = 60
#: Says that it begins, by a request that is waited for.
_BUSY = f"""{{
  const word = new XMLHttpRequest();
  word.open("GET", "/begun", false);
  word.send();
  {ENDLESS}
}}"""
#: Each test's are of sites of their own: frames of one site share a process, also with another test's tab.
_PAGES = {
    "/": """<title>Outer</title><button>Here</button><iframe src="http://s{PORT}.localhost:{PORT}/in"></iframe>""",
    "/in": f"<title>Inner</title><button>There</button><script>onmessage = () => {_BUSY}</script>",
}
_IN_PAGE = f"setTimeout(() => {_BUSY}, 50), 1"
_IN_FRAME = "frames[0].postMessage('now', '*'), 1"


def by_playwright(
    endpoint: str, url: str, script: str, begun: Callable[[], None], timeout: float
) -> Snapshot:
    async def main() -> Snapshot:
        async with playwright_browser(endpoint) as browser:
            page = page_at(browser, url)
            await page.evaluate(script)
            begun()
            return await playwright.snapshot(page, timeout=timeout)

    return asyncio.run(main())


def by_playwright_sync(
    endpoint: str, url: str, script: str, begun: Callable[[], None], timeout: float
) -> Snapshot:
    with playwright_browser_sync(endpoint) as browser:
        page = page_at(browser, url)
        page.evaluate(script)
        begun()
        return playwright.snapshot_sync(page, timeout=timeout)


def by_selenium(endpoint: str, url: str, script: str, begun: Callable[[], None], timeout: float) -> Snapshot:
    with chrome(endpoint) as webdriver:
        switch_to(webdriver, url)
        webdriver.execute_script(f"return {script}")
        begun()
        return selenium.snapshot(webdriver, timeout=timeout)


def by_cdp_use(endpoint: str, url: str, script: str, begun: Callable[[], None], timeout: float) -> Snapshot:
    async def main() -> Snapshot:
        async with cdp_tab(endpoint, url) as tab:
            await tab.evaluate(script)
            begun()
            return await cdp_use.snapshot(tab.client, tab.session_id, timeout=timeout)

    return asyncio.run(main())


def by_sending(endpoint: str, url: str, script: str, begun: Callable[[], None], timeout: float) -> Snapshot:
    async def main() -> Snapshot:
        async with cdp_tab(endpoint, url) as tab:
            await tab.evaluate(script)
            begun()
            return await from_send(tab.send).snapshot(timeout=timeout)

    return asyncio.run(main())


_WAYS = [by_playwright, by_playwright_sync, by_selenium, by_cdp_use]


def address(pages: PageServer) -> str:
    return pages.url("/", f"m{pages.port}.localhost")


async def run_way(
    way: Callable[..., Snapshot], endpoint: str, pages: PageServer, script: str, timeout: float
) -> Snapshot:
    """The driver's snapshot of the page, taken once the script runs."""

    def begun() -> None:
        give_up = time.monotonic() + _SECONDS
        while "/begun" not in pages.requests:
            assert time.monotonic() < give_up, "the page does not hang"
            time.sleep(0.02)

    work = functools.partial(way, endpoint, address(pages), script, begun, timeout)
    return await trio.to_thread.run_sync(work)


@pytest.mark.parametrize("way", [*_WAYS, by_sending])
async def test_a_page_that_hangs(
    way: Callable[..., Snapshot], browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    async with serve_pages(_PAGES) as pages:
        await browser.new_page(address(pages))
        started = time.monotonic()
        with pytest.raises(hybridsnap.DeadlineExceeded, match=r"busy|timeout") as caught:
            await run_way(way, browser_endpoint, pages, _IN_PAGE, 2.0)
        assert time.monotonic() - started < _SECONDS / 2
        assert caught.value.report is not None
        assert caught.value.report.elapsed_ms > 1400


@pytest.mark.alone
async def test_what_playwright_sync_is_asked_of_a_page_that_hangs_ends_in_time(
    browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    """What is owed to the page is sent after the deadline, and its answers are not waited for."""
    hanging = f"<title>Hanging</title><button onclick='{ENDLESS}'>Hang</button>"
    async with serve_pages({"/": hanging}) as pages:
        await browser.new_page(address(pages))

        def work() -> list[float]:
            took = []
            with playwright_browser_sync(browser_endpoint) as other:
                tab = playwright.PlaywrightSyncTab(page_at(other, address(pages)))
                for step in (
                    lambda: tab.click("button", timeout=1),
                    lambda: tab.evaluate("1", timeout=1),
                    lambda: tab.snapshot(timeout=1),
                ):
                    started = time.monotonic()
                    with contextlib.suppress(hybridsnap.HybridsnapError):
                        step()
                    took.append(time.monotonic() - started)
            return took

        took = await trio.to_thread.run_sync(work)
        assert max(took) < 1.6, took


@pytest.mark.parametrize("way", _WAYS)
async def test_a_frame_that_hangs(
    way: Callable[..., Snapshot], browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    async with serve_pages(_PAGES) as pages:
        await browser.new_page(address(pages))
        started = time.monotonic()
        snapshot = await run_way(way, browser_endpoint, pages, _IN_FRAME, 4.0)
        assert time.monotonic() - started < _SECONDS / 2
        assert "button: Here" in snapshot.combined_tree
        main, inner = snapshot.report.frames
        assert (main.status, inner.status) == ("captured", "missing")
        # A sync driver asks a silent frame only once, which is not a proof of its being busy.
        assert inner.cause in ("busy", "timeout")


@not_in_headless_shell("dismisses a dialog when a client that has heard of it goes")
async def test_a_dialog_leaves_no_guard_behind(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    """What a click of ours guards against is nobody else's concern once the click is over."""
    buttons = "<button onclick='alert(1)'>Ask</button><button id=go onclick='this.title = 1'>Go</button>"
    async with serve_pages({"/": buttons}) as pages:
        await browser.new_page(pages.url("/"))

        def work() -> str | None:
            with chrome(browser_endpoint) as webdriver:
                switch_to(webdriver, pages.url("/"))
                tab = selenium.SeleniumTab(webdriver)
                tab.click(tab.snapshot().find(role="button", name="Ask")[0].id, timeout=2)
                webdriver.switch_to.alert.accept()
                webdriver.find_element("id", "go").click()
                title: str | None = webdriver.find_element("id", "go").get_attribute("title")
                return title

        assert await trio.to_thread.run_sync(work) == "1"
