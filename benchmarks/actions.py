"""What each action takes, by turns with Playwright, on one tab of one browser.

Ours are measured twice: with the receipt that says what changed, and with ``receipt=False``, which is what
Playwright's do.
"""

from __future__ import annotations

import asyncio
import gc
import random
import time
from typing import TYPE_CHECKING, Any

import trio

import hybridsnap
from benchmarks import pages
from benchmarks.action_times import Actions, ActionTimes
from tests.support.driver_stage import page_at, playwright_browser

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from benchmarks.measure import Transport
    from benchmarks.pages import Page

#: Seconds for one action.
_SECONDS = 30.0
#: Actions of each kind that do not count: the first ones find cold code on both sides.
_WARM_UP = 3
#: What a file field is given, by turns.
_FILES = (__file__, pages.__file__)


class _Ours:
    """Our actions on the page `actions`, by ids."""

    def __init__(self, page: hybridsnap.Page, snapshot: hybridsnap.Snapshot) -> None:
        self._page = page
        self._ids = {row.name: row.id for row in snapshot.rows if row.id is not None and row.name}
        self._words = snapshot.find(role="paragraph")[0].id

    def build(self, number: int, *, receipt: bool) -> dict[str, Callable[[], Awaitable[Any]]]:
        """Action → what does it, in a given round."""
        page, ids = self._page, self._ids
        odd = number % 2
        return {
            "click": lambda: page.click(ids["Press me"], receipt=receipt),
            "fill": lambda: page.fill(ids["Name"], f"text {number}", receipt=receipt),
            "press": lambda: page.press("ArrowLeft", element=ids["Name"], receipt=receipt),
            "select": lambda: page.select_option(ids["Colour"], label=["red", "blue"][odd], receipt=receipt),
            "set files": lambda: page.set_input_files(ids["File"], _FILES[odd], receipt=receipt),
            "check": lambda: (page.uncheck if odd else page.check)(ids["Agree"], receipt=receipt),
            "hover": lambda: page.hover(ids[["Press me", "Other"][odd]], receipt=receipt),
            "drag": lambda: page.drag(ids["Source"], ids["Target"], receipt=receipt),
            "text": lambda: page.text(self._words),
            "evaluate": lambda: page.evaluate("1 + 1"),
            "click, scrolled": lambda: page.click(ids[["Press me", "Far away"][odd]], receipt=receipt),
            "fill, scrolled": lambda: page.fill(
                ids[["Name", "Far field"][odd]], f"text {number}", receipt=receipt
            ),
            "click in a frame, scrolled": lambda: page.click(
                ids[["Framed", "Framed far"][odd]], receipt=receipt
            ),
        }


def _build_theirs(page: Any, number: int) -> dict[str, Callable[[], Awaitable[Any]]]:
    odd = number % 2
    agree, framed = page.locator("#agree"), page.frame_locator("iframe")
    return {
        "click": lambda: page.locator("#press").click(),
        "fill": lambda: page.locator("#name").fill(f"text {number}"),
        "press": lambda: page.locator("#name").press("ArrowLeft"),
        "select": lambda: page.locator("#colour").select_option(["red", "blue"][odd]),
        "set files": lambda: page.locator("#file").set_input_files(_FILES[odd]),
        "check": lambda: agree.uncheck() if odd else agree.check(),
        "hover": lambda: page.locator(["#press", "#other"][odd]).hover(),
        "drag": lambda: page.locator("#source").drag_to(page.locator("#target")),
        "text": lambda: page.locator("#words").inner_text(),
        "evaluate": lambda: page.evaluate("1 + 1"),
        "click, scrolled": lambda: page.locator(["#press", "#far"][odd]).click(),
        "fill, scrolled": lambda: page.locator(["#name", "#farname"][odd]).fill(f"text {number}"),
        "click in a frame, scrolled": lambda: framed.locator(["#top", "#end"][odd]).click(),
    }


async def measure_actions(page: Page, url: str, transport: Transport, runs: int) -> Actions:
    """Each action by ours, by ours without a receipt, and by Playwright's, by turns.

    Args:
        page: to be measured.
        url: where it is.
        transport: ours; Playwright comes over a websocket.
        runs: actions of each kind.
    """
    port = [] if transport == "websocket" else ["--remote-debugging-port=0"]
    async with hybridsnap.launch(transport=transport, args=[*page.arguments, *port]) as browser:
        opened = await browser.new_page(url)
        assert browser.process is not None
        endpoint = browser.process.endpoint
        assert endpoint is not None
        ours = _Ours(opened, await opened.snapshot())
        return await trio.to_thread.run_sync(_by_turns, ours, endpoint, opened.url, runs)


def _by_turns(ours: _Ours, endpoint: str, url: str, runs: int) -> Actions:
    """In a thread of its own: Playwright's event loop is asyncio's."""

    async def main() -> Actions:
        async with playwright_browser(endpoint) as browser:
            theirs = page_at(browser, url)
            measured = Actions({})
            for name in _build_theirs(theirs, 0):
                times = measured.actions[name] = ActionTimes([], [], [])
                # Three rounds of one action in a row toggle what is toggled each time.
                for number in range(runs + _WARM_UP):
                    took = [
                        _time_ours(ours.build(3 * number, receipt=True)[name]),
                        _time_ours(ours.build(3 * number + 1, receipt=False)[name]),
                        await _time(_build_theirs(theirs, 3 * number + 2)[name], asyncio.sleep),
                    ]
                    if number >= _WARM_UP:
                        for kept, one in zip(
                            (times.ours_ms, times.bare_ms, times.theirs_ms), took, strict=True
                        ):
                            kept.append(one)
            return measured

    return asyncio.run(main())


async def _time(act: Callable[[], Awaitable[Any]], sleep: Callable[[float], Awaitable[None]]) -> float:
    gc.collect()
    # What waits for the next frame would otherwise begin at the same time between two frames each time.
    await sleep(random.random() / 30)
    started = time.perf_counter()
    await act()
    return (time.perf_counter() - started) * 1000


def _time_ours(act: Callable[[], Awaitable[Any]]) -> float:
    async def timed() -> float:
        with trio.fail_after(_SECONDS):
            return await _time(act, trio.sleep)

    return trio.from_thread.run(timed)
