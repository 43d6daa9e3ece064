"""One tab of one browser through every driver: the same outline; ids to the drivers' own objects and back."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from typing import TYPE_CHECKING, Any

import pytest
import trio

import hybridsnap
from hybridsnap.drivers import cdp_use, from_send, id_of, playwright, selenium, to_locator, to_web_element
from tests.support.driver_stage import (
    cdp_tab,
    chrome,
    laid_out,
    page_at,
    playwright_browser,
    playwright_browser_sync,
    switch_to,
)
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from hybridsnap.snapshot import Snapshot

_ROWS = "".join(f"<li><a href='/{n}'>Item {n}</a> <button>Buy {n}</button></li>" for n in range(18))
_PAGES = {
    "/": """<!DOCTYPE html><title>Everything</title><h1>Nested</h1>
<svg><title>S</title><a href="#"><text>x</text></a></svg>
<iframe srcdoc='<p>In</p><iframe src="http://localhost:{PORT}/shop"></iframe>'></iframe>
<div><b>light</b><template shadowrootmode="open"><button>First</button><slot></slot>
<div><i>light too</i><template shadowrootmode="open"><slot></slot><button>Second</button>
<iframe src="http://localhost:{PORT}/shop"></iframe></template></div></template></div>
<div id="closed"><template shadowrootmode="closed"><button>Closed</button></template></div>""",
    "/shop": f"<title>Shop</title><ul>{_ROWS}</ul><iframe src='http://127.0.0.1:{{PORT}}/form'></iframe>",
    # A field of this name hides the children of the form itself from scripts; the class hides the browser's.
    "/form": "<script>class Element {}</script><form><input type=hidden name=children><label>Name <input>"
    "</label><select><option>One<option>Two</select><p>Last</form>",
}


@contextlib.asynccontextmanager
async def shown(browser: hybridsnap.Browser) -> AsyncIterator[tuple[str, Snapshot]]:
    async with serve_pages(_PAGES) as pages:
        page = await browser.new_page(pages.url("/"))
        yield pages.url("/"), await laid_out(page)


async def in_thread(work: Callable[[], Any]) -> Any:
    """Other drivers have event loops of their own."""
    return await trio.to_thread.run_sync(work)


def by_playwright(endpoint: str, url: str) -> Snapshot:
    async def main() -> Snapshot:
        async with playwright_browser(endpoint) as browser:
            return await playwright.snapshot(page_at(browser, url))

    return asyncio.run(main())


def by_playwright_sync(endpoint: str, url: str) -> Snapshot:
    with playwright_browser_sync(endpoint) as browser:
        return playwright.snapshot_sync(page_at(browser, url))


def by_selenium(endpoint: str, url: str) -> Snapshot:
    with chrome(endpoint) as webdriver:
        switch_to(webdriver, url)
        return selenium.snapshot(webdriver)


def by_cdp_use(endpoint: str, url: str) -> Snapshot:
    async def main() -> Snapshot:
        async with cdp_tab(endpoint, url) as tab:
            return await cdp_use.snapshot(tab.client, tab.session_id)

    return asyncio.run(main())


def by_sending(endpoint: str, url: str) -> Snapshot:
    async def main() -> Snapshot:
        async with cdp_tab(endpoint, url) as tab:
            return await from_send(tab.send).snapshot()

    return asyncio.run(main())


async def test_one_tab_through_every_driver(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async with shown(browser) as (url, ours):
        assert ours.report.complete
        assert len(ours.report.frames) == 6
        for way in (by_playwright, by_playwright_sync, by_selenium, by_cdp_use):
            theirs: Snapshot = await in_thread(functools.partial(way, browser_endpoint, url))
            assert theirs.report.complete, (way.__name__, theirs.report)
            assert theirs.combined_tree == ours.combined_tree, way.__name__
            ids = list(ours.combined_xpath_map)
            assert [theirs.combined_xpath_map[one] for one in ids] == list(ours.combined_xpath_map.values())
            assert dict(theirs.combined_url_map) == dict(ours.combined_url_map)
        part: Snapshot = await in_thread(functools.partial(by_sending, browser_endpoint, url))
        assert not part.report.complete
        lost = [frame for frame in part.report.frames if frame.status == "missing"]
        assert [frame.cause for frame in lost] == ["unreachable", "unreachable"]
        assert "cannot be reached" in part.report.notes[-1]
        assert set(part.combined_tree.splitlines()) - set(ours.combined_tree.splitlines()) == {
            line for line in part.combined_tree.splitlines() if line.strip().startswith("!")
        }


def hundred(snapshot: Snapshot) -> Sequence[str]:
    """Ids of elements in every frame, but in none of those places where only CDP leads."""
    assert snapshot.report.complete, snapshot.report
    ids = [
        row.id
        for row in snapshot.rows
        if row.id is not None and row.tag and row.name != "Closed" and row.role != "MenuListPopup"
    ]
    frames = {one.partition("-")[0] for one in ids}
    assert len(frames) == 6
    assert len(ids) >= 100
    return ids[:60] + ids[-40:]


async def test_locators_there_and_back(browser: hybridsnap.Browser, browser_endpoint: str, step: int) -> None:
    async def main(url: str) -> None:
        async with playwright_browser(browser_endpoint) as found:
            page = page_at(found, url)
            snapshot = await playwright.snapshot(page)
            before = await page.content()
            for id_ in hundred(snapshot)[::step]:
                resolver = await to_locator(page, id_)
                assert await resolver.count() == 1, id_
                assert await id_of(resolver) == id_
            handle = await (await to_locator(page, hundred(snapshot)[-1])).element_handle()
            assert await id_of(handle) == hundred(snapshot)[-1]
            assert await page.content() == before
            (closed,) = snapshot.find(role="button", name="Closed")
            with pytest.raises(hybridsnap.NotInteractable, match="closed shadow root"):
                await to_locator(page, closed.id)

    async with shown(browser) as (url, _):
        await in_thread(lambda: asyncio.run(main(url)))


async def test_locators_there_and_back_sync(
    browser: hybridsnap.Browser, browser_endpoint: str, step: int
) -> None:
    def main(url: str) -> None:
        with playwright_browser_sync(browser_endpoint) as found:
            page = page_at(found, url)
            for id_ in hundred(playwright.snapshot_sync(page))[50:70:step]:
                assert id_of(to_locator(page, id_)) == id_

    async with shown(browser) as (url, _):
        await in_thread(functools.partial(main, url))


async def test_web_elements_there_and_back(
    browser: hybridsnap.Browser, browser_endpoint: str, step: int
) -> None:
    def main(url: str) -> None:
        with chrome(browser_endpoint) as webdriver:
            switch_to(webdriver, url)
            snapshot = selenium.snapshot(webdriver)
            (closed,) = snapshot.find(role="button", name="Closed")
            for id_ in [*hundred(snapshot)[::step], closed.id]:
                element = to_web_element(webdriver, id_)
                assert element.is_enabled()
                assert id_of(element) == id_
            assert to_web_element(webdriver, closed.id).text == "Closed"

    async with shown(browser) as (url, _):
        await in_thread(functools.partial(main, url))


async def test_parts_of_controls_have_no_handles(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    def main(url: str, ids: Sequence[str]) -> None:
        with playwright_browser_sync(browser_endpoint) as found:
            page = page_at(found, url)
            for id_ in ids:
                with pytest.raises(hybridsnap.NotInteractable, match="has no locator: it is a part of"):
                    to_locator(page, id_)
        with chrome(browser_endpoint) as webdriver:
            switch_to(webdriver, url)
            for id_ in ids:
                with pytest.raises(hybridsnap.NotInteractable, match="it is a part of a control"):
                    to_web_element(webdriver, id_)

    pages = {
        "/": "<!DOCTYPE html><title>Parts</title><select><option>Red</select><input type=date><div>"
        "<template shadowrootmode=closed><input type=date></template></div>"
    }
    async with serve_pages(pages) as served:
        page = await browser.new_page(served.url("/"))
        snapshot = await page.snapshot()
        parts = [row.id for row in snapshot.rows if row.role in ("MenuListPopup", "spinbutton") and row.id]
        assert len(parts) == 1 + 3 + 3, snapshot.combined_tree
        await in_thread(functools.partial(main, served.url("/"), parts))
        assert await page.evaluate("1 + 1") == 2, "the renderer lives"
