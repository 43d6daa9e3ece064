"""Traces: what the browser did, in a format that others read, bounded, and gone when nobody wants it."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

import pytest
import trio
from PIL import Image

import hybridsnap.sync
from hybridsnap import CommandRefused
from hybridsnap.client.tracing import cut_trace
from tests.support.pages import PageServer, serve_pages
from tests.support.trace import check_trace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap import Page

_BUSY = """<h1>busy</h1><script>
performance.mark("we were here");
let count = 0;
const paint = () => {
  document.body.style.background = `rgb(${count++ % 255}, 0, 0)`;
  requestAnimationFrame(paint);
};
paint();
</script>"""


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages({"/": _BUSY}) as served:
        yield served


async def test_a_trace_of_a_page_with_pictures(page: Page, pages: PageServer, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    await page.trace.start(screenshots=True)
    await page.goto(pages.url("/"))
    await page.screenshot()
    trace = await page.trace.stop(path=file)
    assert (trace.truncated, trace.lost, len(trace)) == (False, False, file.stat().st_size)
    assert file.read_bytes() == trace.data
    events = check_trace(trace.data)
    marks = [one for one in events if one["name"] == "we were here"]
    assert marks
    assert {one["cat"] for one in marks} == {"blink.user_timing"}
    assert any(pages.url("/") in str(one["args"]) for one in events)
    pictures = [one["args"]["snapshot"] for one in events if one["name"] == "Screenshot"]
    assert pictures
    assert Image.open(io.BytesIO(base64.b64decode(pictures[-1]))).format == "JPEG"


async def test_only_the_categories_that_are_wanted(page: Page, pages: PageServer) -> None:
    await page.trace.start(categories=["blink.user_timing"])
    await page.goto(pages.url("/"))
    events = check_trace((await page.trace.stop()).data)
    assert {name for one in events for name in one["cat"].split(",")} >= {"__metadata", "blink.user_timing"}
    assert all("__metadata" in one["cat"] or "blink.user_timing" in one["cat"] for one in events)


async def test_a_trace_that_is_too_large_is_cut_between_two_events(page: Page, pages: PageServer) -> None:
    await page.trace.start()
    await page.goto(pages.url("/"))
    trace = await page.trace.stop(max_bytes=20_000)
    assert trace.truncated
    assert 15_000 < len(trace) <= 20_004
    assert len(check_trace(trace.data)) > 20
    for most in range(0, len(trace), 997):
        check_trace(cut_trace(trace.data, most))


async def test_a_full_buffer_is_said(page: Page) -> None:
    await page.goto("data:text/html,")
    await page.trace.start(buffer_mb=1)
    await page.evaluate("() => { for (let i = 0; i < 30000; i++) performance.mark(`mark ${i}`) }")
    trace = await page.trace.stop()
    assert trace.lost
    marks = [one for one in check_trace(trace.data) if one["name"].startswith("mark ")]
    assert 0 < len(marks) < 30_000


async def test_one_trace_at_a_time(page: Page) -> None:
    other = await page.browser.new_page()
    await page.trace.start()
    with pytest.raises(ValueError, match=r"end it with page\.trace\.stop\(\)"):
        await page.trace.start()
    with pytest.raises(CommandRefused, match="already been started"):
        await other.trace.start()
    assert not other.trace.recording
    with pytest.raises(ValueError, match=r"begin one with page\.trace\.start\(\)"):
        await other.trace.stop()
    assert page.trace.recording
    await page.trace.stop()
    await other.trace.start()
    await other.trace.stop()
    await other.close()


async def test_what_is_cancelled_is_ended(page: Page) -> None:
    attachment, waiting = page._context.attachment, page._context.connection._waiting
    for begin, method in ((page.trace.start, "Tracing.start"), (page.trace.stop, "Tracing.end")):
        for at_once in (True, False):
            if begin == page.trace.stop:
                await page.trace.start()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(begin)
                if at_once:
                    nursery.cancel_scope.cancel()
                while not any(call.method == method for call in waiting.values()):
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()
            assert not page.trace.recording
            # What the browser still hands out is closed.
            assert await attachment.wait_until(
                lambda: not page.trace._unwanted, hybridsnap.Deadline.after(60)
            )
    await page.trace.start()
    assert len(await page.trace.stop()) > 0


async def test_wrong_options(page: Page) -> None:
    with pytest.raises(TypeError, match="screenshots: expected True or False"):
        await page.trace.start(screenshots=1)  # type: ignore[arg-type]  # which is what is wrong
    with pytest.raises(ValueError, match="buffer_mb: expected a whole number from 1 on"):
        await page.trace.start(buffer_mb=0)
    with pytest.raises(TypeError, match="categories: expected a str"):
        await page.trace.start(categories=5)  # type: ignore[arg-type]  # likewise
    assert not page.trace.recording


def test_from_blocking_code(browser_endpoint: str) -> None:
    with hybridsnap.sync.connect(browser_endpoint) as browser:
        page = browser.new_page()
        page.trace.start()
        assert page.trace.recording
        assert check_trace(page.trace.stop().data)
        page.close()
