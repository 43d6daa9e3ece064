"""Tabs that the browser has frozen or discarded, and pages that have crashed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap
from hybridsnap.model import TargetId
from tests.support.faults import until
from tests.support.headless_shell import not_in_headless_shell

if TYPE_CHECKING:
    from hybridsnap import Browser, Page

_URL = "data:text/html,<title>{}</title><button>Go</button>"
_TIMER = "new Promise(done => setTimeout(done, 20, 'rang'))"
#: chrome://discards lists the tabs, and is told of a new one within a second.
_PRESS = """async (title, what) => {
    for (;;) {
        const tab = document.querySelector('discards-main')?.shadowRoot?.querySelector('discards-tab')
        const rows = [...tab?.shadowRoot?.querySelectorAll('tr') ?? []]
        const row = rows.find(row => row.textContent.includes(title))
        const link = [...row?.querySelectorAll('div') ?? []].find(link => link.textContent.includes(what))
        if (link) { link.click(); return }
        await new Promise(done => setTimeout(done, 50))
    }
}"""


@pytest.fixture
async def discards(browser: Browser) -> Page:
    """The browser's own page that discards and freezes tabs."""
    page = await browser.new_page("chrome://chrome-urls")
    (enable,) = (await page.snapshot()).find(name="Enable internal debugging pages") or (None,)
    if enable is not None:
        await page.click(str(enable.id))
    await page.goto("chrome://discards")
    return page


needs_discards = not_in_headless_shell("has no chrome://discards")


async def opened_by_another(browser_endpoint: str, title: str) -> str:
    """A tab that nobody is attached to any more, as the browser wants it for this."""
    async with hybridsnap.connect(browser_endpoint, headers={"X-Another": title}) as other:
        return (await other.new_page(_URL.format(title))).target_id


@needs_discards
async def test_frozen_and_discarded_tabs_are_woken(
    browser: Browser, browser_endpoint: str, discards: Page, subtests: pytest.Subtests
) -> None:
    """The browser's own pages take longest to open, and hear of new tabs once a second: all share them."""
    uses = ("look", "act", "evaluate", "reload")
    frozen = await opened_by_another(browser_endpoint, "frozen one")
    old = {use: await opened_by_another(browser_endpoint, f"discarded to {use}") for use in uses}
    await discards.bring_to_front()
    await discards.evaluate(_PRESS, "frozen one", "[Freeze]")
    for use in uses:
        await discard(browser, discards, old[use], f"discarded to {use}")
    with subtests.test("frozen"):
        await use_frozen(browser, frozen)
    for use in uses:
        with subtests.test(f"discarded, {use}"):
            await use_discarded(browser, use)


async def discard(browser: Browser, discards: Page, target_id: str, title: str) -> None:
    tab = browser.tabs.get(TargetId(target_id))
    assert tab is not None

    async def press() -> None:
        while True:
            for _ in range(10):  # a tab let go of a moment ago is not discarded, and nothing says so
                await discards.evaluate(_PRESS, title, "[Urgent Discard]")
                await trio.sleep(0.2)
            # Now and then this page loses the browser: its list stands still, and no press does a thing.
            await discards.reload()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(press)
        await until(lambda: tab.closed)  # it has another id from now on
        nursery.cancel_scope.cancel()


async def use_frozen(browser: Browser, target_id: str) -> None:
    page = await browser.page(target_id)
    assert await page.evaluate(_TIMER) == "rang"
    # One that is frozen while it is attached to.
    await page.session.send("Page.setWebLifecycleState", {"state": "frozen"})
    with pytest.raises(hybridsnap.EvaluationTimeout):
        await page.evaluate(_TIMER, timeout=0.5)
    await page.bring_to_front()
    assert await page.evaluate(_TIMER) == "rang"


async def use_discarded(browser: Browser, use: str) -> None:
    title = f"discarded to {use}"
    (target_id,) = [info["targetId"] for info in await browser.page_infos() if info["title"] == title]
    page = await browser.page(target_id)
    assert [page.crashed] == [True]  # so it seems
    if use == "look":
        snapshot = await page.snapshot()
        assert (snapshot.report.complete, snapshot.report.title) == (True, title)
    elif use == "evaluate":
        assert await page.evaluate("document.wasDiscarded") is True
    elif use == "reload":
        assert (await page.reload()).reached
    else:
        await page.click("button")
    assert not page.crashed
    assert (await page.snapshot()).find(role="button")


async def test_a_page_that_crashed_is_reloaded_when_that_is_wanted(
    browser: Browser, browser_endpoint: str
) -> None:
    page = await browser.new_page(_URL.format("crashing"))
    page.session.post("Page.crash", {}, lambda _: None)
    await until(lambda: page.crashed)
    async with hybridsnap.connect(browser_endpoint, headers={"X-Another": "one"}) as other:
        again = await other.page(page.target_id)
        for one in (page, again):
            with pytest.raises(hybridsnap.CaptureFailed, match="crashed; reload it"):
                await one.snapshot()
            with pytest.raises(hybridsnap.TargetCrashed, match="reload the page"):
                await one.evaluate("1")
        await again.reload()
        for one in (page, again):
            assert (await one.snapshot()).report.title == "crashing"
            assert not one.crashed
