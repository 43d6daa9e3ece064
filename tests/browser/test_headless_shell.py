"""`chromium-headless-shell`, which Playwright launches unless told otherwise, whatever other tests run on."""

from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import async_playwright

import hybridsnap
from hybridsnap import NavigationFailed
from hybridsnap.client import navigating
from hybridsnap.drivers.playwright import PlaywrightTab
from tests.support.driver_stage import FLAGS
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser

_SHELL = shutil.which("chromium-headless-shell") or shutil.which("chrome-headless-shell")
pytestmark = pytest.mark.skipif(_SHELL is None, reason="needs chromium-headless-shell")

_PAGE = """<!doctype html><title>Page</title>
<button onclick="this.title = 1 + Number(this.title)">Count</button> <input aria-label=Name>
<a href="/" target=_blank>Another</a> <button onclick="this.title = confirm('Sure?')">Ask</button>
<div style="height: 3000px"></div><button onclick="this.title = 'low'">Low</button>"""


@pytest.fixture
async def shell() -> AsyncIterator[Browser]:
    async with hybridsnap.launch(_SHELL, transport="websocket") as browser:
        yield browser


async def test_a_tab_that_a_link_opens_has_the_viewport(shell: Browser) -> None:
    async with serve_pages({"/": _PAGE}) as pages:
        page = await shell.new_page(pages.url("/"))
        async with page.expect_popup() as popup:
            await page.click("a")
        assert await popup.page.evaluate("[innerWidth, innerHeight]") == [1280, 720]


async def test_a_dialog_of_another_client_keeps_the_page(
    shell: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(navigating, "_SILENT_SHARE", 0.1)  # of the time, for a document that does not come
    async with serve_pages({"/": _PAGE, "/two": "<p>two"}) as pages:
        page = await shell.new_page(pages.url("/"))
        assert (await page.click("role=button[name=Ask]")).dialog is not None
        async with hybridsnap.connect(shell.endpoint, headers={"X-Another": "1"}) as other:
            late = await other.page(page.target_id)
            with pytest.raises(NavigationFailed, match="an endless script, or a dialog that was open before"):
                await late.goto(pages.url("/two"), timeout=10)


def test_two_pages_of_playwright_are_acted_on_by_turns() -> None:
    async def act(page: Any) -> list[Any]:
        tab = PlaywrightTab(page)
        await tab.click("role=button[name=Count]", timeout=20)
        await tab.fill("input", "Ada", timeout=20)
        await tab.click("role=button[name=Low]", timeout=20)
        await tab.act("wheel", None, 0, -9000, timeout=20)
        shown: list[Any] = await page.evaluate(
            "[...document.querySelectorAll('button')].map(one => one.title)"
            ".concat(document.querySelector('input').value)"
        )
        return shown

    async def main() -> list[list[Any]]:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=_SHELL, args=FLAGS)
            context = await browser.new_context()
            pages = [await context.new_page() for _ in range(2)]
            for page in pages:
                await page.set_content(_PAGE)
            seen = [await act(page) for page in pages * 2]
            await browser.close()
            return seen

    assert asyncio.run(main()) == [[count, "", "low", "Ada"] for count in ("1", "1", "2", "2")]
