"""Real pages, saved by the browser tool: each selector in the file finds its element in the browser.

The pages are the bundled shop's, a few of our own, and of the documentation packages that are installed.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
import trio

from hybridsnap.demo.server import serve_shop
from hybridsnap.tool import BrowserTool
from tests.support.corpus import OWN_PAGES, sample
from tests.support.pages import serve_pages
from tests.support.printed_selectors import check_printed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import hybridsnap
    from tests.support.pages import Content


@pytest.fixture
async def tool(tmp_path: Path) -> AsyncIterator[BrowserTool]:
    tool = BrowserTool(directory=tmp_path)
    launched = await trio.to_thread.run_sync(tool.execute, {"action": "launch"})
    assert launched["success"], launched
    try:
        yield tool
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(tool.close_all)


async def saved(tool: BrowserTool, url: str) -> str:
    result = await trio.to_thread.run_sync(tool.execute, {"action": "navigate", "url": url})
    assert result["success"], result
    (path,) = result["output_files"]
    return await trio.Path(path).read_text(encoding="utf-8")


async def save_all(
    tool: BrowserTool, urls: list[str], sender: trio.MemorySendChannel[tuple[str, str]]
) -> None:
    async with sender:
        for url in urls:
            await sender.send((url, await saved(tool, url)))


@pytest.mark.parametrize("documents", [2, pytest.param(20, marks=pytest.mark.soak)])
async def test_each_printed_selector_finds_its_element(
    tool: BrowserTool, page: hybridsnap.Page, documents: int
) -> None:
    files = {f"/{number}{path.suffix}": path for number, path in enumerate(sample(documents))}
    contents: dict[str, Content] = {**OWN_PAGES, **{at: path.read_bytes() for at, path in files.items()}}
    figures: dict[str, int] = {}
    async with contextlib.AsyncExitStack() as stack:
        shop = await stack.enter_async_context(serve_shop())
        pages = await stack.enter_async_context(serve_pages(contents))
        nursery = await stack.enter_async_context(trio.open_nursery())
        urls = [*shop.page_urls, *(pages.url(path) for path in contents)]
        sender, receiver = trio.open_memory_channel[tuple[str, str]](len(urls))
        nursery.start_soon(save_all, tool, urls, sender)
        # Another browser looks at what the tool has saved, which goes on to the next pages meanwhile.
        async for url, text in receiver:
            await page.goto(url)
            figures[url] = await check_printed(page, await page.snapshot(timeout=20), text)
    assert len(figures) == len(urls)
    for url, count in figures.items():
        print(f"{count:5} selectors, all of them right  {url}")  # noqa: T201 - the figures to show
    assert sum(figures.values()) > 200
    assert all(figures[url] > 5 for url in shop.page_urls)
