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
    at_once,
    cdp_tab,
    chrome,
    meet,
    new_window,
    page_at,
    playwright_browser,
    playwright_browser_sync,
    switch_to,
)
from tests.support.headless_shell import not_in_headless_shell
from tests.support.pages import ENDLESS, PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hybridsnap.snapshot import Snapshot

#: Far from what any of it takes.
_SECONDS = 60
#: Says that it begins, by a request that is waited for.
_BUSY = f"""{{
  const word = new XMLHttpRequest();
  word.open("GET", "/begun" + location.pathname, false);
  word.send();
  {ENDLESS}
}}"""
_IN_PAGE = f"setTimeout(() => {_BUSY}, 50), 1"
_IN_FRAME = "frames[0].postMessage('now', '*'), 1"


def by_playwright(endpoint: str, url: str, hang: Callable[[], None], timeout: float) -> Snapshot:
    async def main() -> Snapshot:
        async with playwright_browser(endpoint) as browser:
            page = page_at(browser, url)
            hang()
            return await playwright.snapshot(page, timeout=timeout)

    return asyncio.run(main())


def by_playwright_sync(endpoint: str, url: str, hang: Callable[[], None], timeout: float) -> Snapshot:
    with playwright_browser_sync(endpoint) as browser:
        page = page_at(browser, url)
        hang()
        return playwright.snapshot_sync(page, timeout=timeout)


def by_selenium(endpoint: str, url: str, hang: Callable[[], None], timeout: float) -> Snapshot:
    with chrome(endpoint) as webdriver:
        switch_to(webdriver, url)
        hang()
        return selenium.snapshot(webdriver, timeout=timeout)


def by_cdp_use(endpoint: str, url: str, hang: Callable[[], None], timeout: float) -> Snapshot:
    async def main() -> Snapshot:
        async with cdp_tab(endpoint, url) as tab:
            hang()
            return await cdp_use.snapshot(tab.client, tab.session_id, timeout=timeout)

    return asyncio.run(main())


def by_sending(endpoint: str, url: str, hang: Callable[[], None], timeout: float) -> Snapshot:
    async def main() -> Snapshot:
        async with cdp_tab(endpoint, url) as tab:
            hang()
            return await from_send(tab.send).snapshot(timeout=timeout)

    return asyncio.run(main())


#: Side by side; ChromeDriver also asks the tabs of others.
_WAYS = [by_playwright, by_playwright_sync, by_cdp_use]


def pages_for(ways: Iterable[Callable[..., Snapshot]]) -> dict[str, str]:
    """A page for each driver. Each is of sites of its own: frames of one site share a process, also with
    another tab.
    """
    pages = {}
    for way in ways:
        name = way.__name__
        inner = f"http://{name.replace('_', '-')}-{{PORT}}.localhost:{{PORT}}/in/{name}"
        pages[f"/{name}"] = f"<title>Outer</title><button>Here</button><iframe src='{inner}'></iframe>"
        pages[f"/in/{name}"] = (
            f"<title>Inner</title><button>There</button><script>onmessage = () => {_BUSY}</script>"
        )
    return pages


def address(pages: PageServer, name: str = "") -> str:
    return pages.url(f"/{name}", f"m{name.replace('_', '-')}{pages.port}.localhost")


async def run_ways(
    ways: Sequence[Callable[..., Snapshot]],
    browser: hybridsnap.Browser,
    endpoint: str,
    script: str,
    timeout: float,
    check: Callable[[Callable[[], Snapshot]], None],
) -> None:
    """Check what each driver gives of a page of its own, once a script runs in it."""
    begins = "/begun/in/" if script == _IN_FRAME else "/begun/"
    all_connected = meet(len(ways))

    async def run(way: Callable[..., Snapshot]) -> None:
        url = address(pages, way.__name__)
        page = await new_window(browser, url)

        def hang() -> None:
            all_connected()
            trio.from_thread.run(page.evaluate, script)
            give_up = time.monotonic() + _SECONDS
            while f"{begins}{way.__name__}" not in pages.requests:
                assert time.monotonic() < give_up, "the page does not hang"
                time.sleep(0.02)

        def work() -> None:
            started = time.monotonic()
            check(functools.partial(way, endpoint, url, hang, timeout))
            assert time.monotonic() - started < _SECONDS / 2

        await trio.to_thread.run_sync(work)

    async with serve_pages(pages_for(ways)) as pages:
        await at_once(run, ways)


@pytest.mark.parametrize("ways", [[*_WAYS, by_sending], [by_selenium]], ids=["others", "selenium"])
async def test_a_page_that_hangs(
    ways: Sequence[Callable[..., Snapshot]], browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    def check(snapshot: Callable[[], Snapshot]) -> None:
        with pytest.raises(hybridsnap.DeadlineExceeded, match=r"busy|timeout") as caught:
            snapshot()
        assert caught.value.report is not None
        assert caught.value.report.elapsed_ms > 1400

    await run_ways(ways, browser, browser_endpoint, _IN_PAGE, 2.0, check)


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


@pytest.mark.parametrize("ways", [_WAYS, [by_selenium]], ids=["others", "selenium"])
async def test_a_frame_that_hangs(
    ways: Sequence[Callable[..., Snapshot]], browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    def check(snapshot: Callable[[], Snapshot]) -> None:
        given = snapshot()
        assert "button: Here" in given.combined_tree
        main, inner = given.report.frames
        assert (main.status, inner.status) == ("captured", "missing")
        # A sync driver asks a silent frame only once, which is not a proof of its being busy.
        assert inner.cause in ("busy", "timeout")

    await run_ways(ways, browser, browser_endpoint, _IN_FRAME, 4.0, check)


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
