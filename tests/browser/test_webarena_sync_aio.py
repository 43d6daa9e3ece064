"""MetaGPT's functions for callers that block, and for asyncio."""

from __future__ import annotations

import asyncio
import re

import pytest
import trio

import hybridsnap
from hybridsnap import aio, sync
from hybridsnap.webarena import aio as webarena_aio
from hybridsnap.webarena import sync as webarena_sync
from tests.support.agent import FORM
from tests.support.pages import serve_pages


def number_of(text: str, line: str) -> str:
    found = re.search(rf"\[([\d-]+)\] {line}", text)
    assert found is not None, text
    return found[1]


def by_threads(endpoint: str, url: str) -> None:
    functions = webarena_sync
    with sync.connect(endpoint) as browser:
        page = browser.new_page(url)
        tree = functions.get_accessibility_tree(page)
        text, _ = functions.parse_accessibility_tree(tree)
        go = functions.get_backend_node_id(number_of(text, "button 'Go'"), tree)
        rect = functions.get_bounding_rect(functions.get_page_cdp_session(page), go)["result"]["value"]
        assert functions.get_element_center(rect)[0] > rect["x"]
        assert functions.get_element_outer_html(page, go).startswith("<button")
        functions.hover_element(page, go)
        assert page.evaluate("document.title") == "over"
        assert functions.click_element(page, go).element_id == tree_id(tree, go)
        assert page.evaluate("document.title") == "clicked"
        step = f"type [{number_of(text, 'textbox .Query')}] [tea] [1]"
        assert functions.execute_step(step, page, browser, tree) is page
        assert page.evaluate("document.title") == "sent tea"
        other = functions.execute_step("new_tab", page, browser, tree)
        assert isinstance(other, sync.Page)
        assert other.target_id != page.target_id
        assert functions.execute_step('stop("done")', other, browser) == "done"
        with pytest.raises(TypeError, match=r"expected a page of hybridsnap\.sync"):
            functions.key_press(object(), "Enter")
        other.close()
        page.close()


def tree_id(tree: list[dict[str, object]], number: int) -> object:
    (found,) = {node["elementId"] for node in tree if node.get("backendDOMNodeId") == number}
    return found


async def by_asyncio(endpoint: str, url: str) -> None:
    functions = webarena_aio
    async with aio.connect(endpoint) as browser:
        page = await browser.new_page(url)
        tree = await functions.get_accessibility_tree(page)
        text, _ = functions.parse_accessibility_tree(tree)
        step = f"click [{number_of(text, 'button .Go')}]"
        assert await functions.execute_step(step, page, browser, tree) is page
        assert await page.evaluate("document.title") == "clicked"
        await functions.scroll_page(page, "down")
        with pytest.raises(hybridsnap.webarena.ElementNotFound):
            await functions.execute_step("click [99999]", page, browser, tree)
        await page.close()


async def test_for_callers_that_block(browser_endpoint: str) -> None:
    async with serve_pages({"/": FORM}) as pages:
        url = pages.url("/")
        await trio.to_thread.run_sync(lambda: by_threads(browser_endpoint, url))


async def test_for_asyncio(browser_endpoint: str) -> None:
    async with serve_pages({"/": FORM}) as pages:
        url = pages.url("/")
        await trio.to_thread.run_sync(lambda: asyncio.run(by_asyncio(browser_endpoint, url)))
