"""Ids that one driver has shown, acted on through it and through another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import trio

import hybridsnap
from hybridsnap.drivers import from_send, playwright, selenium
from tests.drivers.stage import cdp_tab, chrome, page_at, playwright_browser, switch_to
from tests.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import Callable

_PAGES = {
    "/": """<title>Order</title><button onclick="this.textContent = 'Bought'">Buy</button>
<iframe src="http://localhost:{PORT}/name"></iframe>""",
    "/name": "<label>Name <input></label><label>Note <textarea></textarea></label>",
}


def in_thread(work: Callable[[], Any]) -> Any:
    return trio.to_thread.run_sync(work)


async def test_what_one_has_shown_another_acts_on(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async def main(url: str) -> tuple[str, hybridsnap.Snapshot]:
        async with playwright_browser(browser_endpoint) as found:
            snapshot = await playwright.snapshot(page_at(found, url))
        async with cdp_tab(browser_endpoint, url) as tab:

            async def send(method: str, params: dict[str, Any], session: str | None) -> dict[str, Any]:
                return await tab.client.send_raw(method, params, session)

            other = from_send(send, tab.session_id)
            (field,) = snapshot.find(role="textbox", name="Name")
            receipt = await other.type(field.id, "Ada")
            assert receipt.element_id == field.id
            assert receipt.dom_changes is not None
            note = snapshot.find(role="textbox", name="Note")[0].id
            await other.fill(note, "By the door")
            assert (await other.press(note, "End")).action == "press"
            return field.id, await other.snapshot()

    async with serve_pages(_PAGES) as pages:
        page = await browser.new_page(pages.url("/"))
        field, snapshot = await in_thread(lambda: asyncio.run(main(pages.url("/"))))
        assert snapshot.node(field).value == "Ada"
        assert 'value="By the door"' in snapshot.combined_tree
        await page.fill(field, "Grace")
        assert (await page.snapshot()).node(field).value == "Grace"


async def test_clicking_by_id(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    def main(url: str) -> None:
        with chrome(browser_endpoint) as webdriver:
            switch_to(webdriver, url)
            tab = selenium.SeleniumTab(webdriver)
            before = tab.snapshot()
            (button,) = before.find(role="button", name="Buy")
            receipt = tab.click(button.id)
            assert receipt.target == 'button "Buy"'
            assert receipt.dom_changes
            assert "Bought" in str(tab.snapshot().diff(before))
            with pytest.raises(hybridsnap.UnknownElement):
                tab.click("0-999999")

    async with serve_pages(_PAGES) as pages:
        await browser.new_page(pages.url("/"))
        await in_thread(lambda: main(pages.url("/")))
