"""`attach`: a client of ours beside another driver."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap
from tests.support.driver_stage import address_of, chrome, laid_out, switch_to
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

_PAGE = {
    "/": "<title>Attached</title><button>Here</button><iframe src='http://localhost:{PORT}/in'></iframe>",
    "/in": "<a href='/'>Inner</a>",
}


async def test_beside_an_endpoint(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async with serve_pages(_PAGE) as pages:
        page = await browser.new_page(pages.url("/"))
        ours = await laid_out(page)
        address = f"http://{address_of(browser_endpoint)}"
        async with hybridsnap.attach(address, page.target_id) as second:
            assert (await second.snapshot()).combined_tree == ours.combined_tree
        assert page.target_id in await browser.page_ids(), "it stays open"


async def test_beside_a_webdriver_that_is_busy(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async with serve_pages(_PAGE) as pages:
        await browser.new_page(pages.url("/"))

        def start() -> WebDriver:
            webdriver: WebDriver = stack.enter_context(chrome(browser_endpoint))
            switch_to(webdriver, pages.url("/"))
            return webdriver

        with contextlib.ExitStack() as stack:
            webdriver = await trio.to_thread.run_sync(start)
            async with hybridsnap.attach(webdriver) as second, trio.open_nursery() as nursery:
                free = trio.Event()

                async def occupy() -> None:
                    script = "window.free = arguments[0]"
                    await trio.to_thread.run_sync(webdriver.execute_async_script, script)
                    free.set()

                nursery.start_soon(occupy)
                await second.wait_for(function="'free' in window")
                snapshot = await second.snapshot()
                assert not free.is_set()
                await second.evaluate("void free()")
            assert snapshot.report.complete
            assert "link: Inner" in snapshot.combined_tree


async def test_what_it_cannot_attach_to() -> None:
    with pytest.raises(TypeError, match="not int"):
        async with hybridsnap.attach(7):  # type: ignore[call-overload]
            pass
    grid = SimpleNamespace(capabilities={"browserName": "chrome"})
    with pytest.raises(hybridsnap.EndpointError, match="debuggerAddress"):
        async with hybridsnap.attach(grid):  # type: ignore[call-overload]
            pass
