"""Captures beside Playwright's `aria_snapshot(mode="ai")`: the same tab, by turns."""

from __future__ import annotations

import asyncio
import gc
import time
from typing import TYPE_CHECKING

import msgspec
import trio

import hybridsnap

if TYPE_CHECKING:
    from benchmarks.pages import Page

#: Seconds for one look.
_SECONDS = 120.0
_CHANGE = "document.body.append(document.createTextNode('changed'))"


class AriaLooks(msgspec.Struct):
    """One page, the first pair left out.

    Attributes:
        transport: of our captures.
        ours_ms: captures, printed as ``tree``.
        ai_ms: the same captures, printed as ``ai`` instead.
        theirs_ms: Playwright's; empty where it failed.
        failed: why.
    """

    transport: str
    ours_ms: list[float]
    ai_ms: list[float]
    theirs_ms: list[float]
    failed: str = ""


async def measure_aria(page: Page, url: str, runs: int) -> AriaLooks:
    """Look at the page by turns.

    Args:
        page: to be measured.
        url: where it is.
        runs: looks of each kind.
    """
    arguments = [*page.arguments, "--remote-debugging-port=0"]
    async with hybridsnap.launch(args=arguments) as browser:
        opened = await browser.new_page(url)
        assert browser.process is not None
        endpoint = browser.process.endpoint
        assert endpoint is not None
        looks = AriaLooks(browser.connection.transport.name, [], [], [])
        await trio.to_thread.run_sync(_by_turns, opened, endpoint, opened.url, runs, looks)
        return looks


def _by_turns(ours: hybridsnap.Page, endpoint: str, url: str, runs: int, looks: AriaLooks) -> None:
    """In a thread of its own: Playwright's event loop is asyncio's."""
    from playwright.async_api import Error, async_playwright  # noqa: PLC0415 - not in every child

    async def capture() -> tuple[float, float]:
        await ours.session.send("Runtime.evaluate", {"expression": _CHANGE})
        gc.collect()
        started = time.perf_counter()
        snapshot = await ours.snapshot(timeout=_SECONDS)
        captured = time.perf_counter()
        _ = snapshot.combined_tree
        printed = time.perf_counter()
        snapshot.render("ai")
        ai_seconds = time.perf_counter() - printed
        return (printed - started) * 1000, (captured - started + ai_seconds) * 1000

    async def main() -> None:
        async with async_playwright() as started:
            browser = await started.chromium.connect_over_cdp(endpoint)
            theirs = next(page for one in browser.contexts for page in one.pages if page.url == url)
            for number in range(runs + 1):
                ours_ms, ai_ms = trio.from_thread.run(capture)
                await theirs.evaluate(_CHANGE)
                gc.collect()
                began = time.perf_counter()
                try:
                    await theirs.locator("body").aria_snapshot(mode="ai", timeout=_SECONDS * 1000)
                except Error as error:
                    looks.failed = str(error).partition("\n")[0]
                    return
                if number:
                    looks.ours_ms.append(ours_ms)
                    looks.ai_ms.append(ai_ms)
                    looks.theirs_ms.append((time.perf_counter() - began) * 1000)

    asyncio.run(main())
