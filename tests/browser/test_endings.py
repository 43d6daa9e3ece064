"""Whoever waits for a page hears at once that it is gone."""

from __future__ import annotations

import os
import signal
import time

import pytest
import trio
import trio.testing

import hybridsnap
from tests.support.pages import Content, PageServer, serve_pages

# Neither of these makes the document finish loading.
_NEVER_LOADED = '<!doctype html><title>waits</title><p>here<img src="/hang">'


@pytest.mark.alone
async def test_closing_a_tab_takes_no_longer_than_the_browser(browser: hybridsnap.Browser) -> None:
    page = await browser.new_page()
    started = time.monotonic()
    await page.close()
    assert time.monotonic() - started < 2, "it waited for its own time limit"
    assert page.target_id not in await browser.page_ids()


async def go(page: hybridsnap.Page, url: str, ends: type[Exception]) -> None:
    with pytest.raises(ends):
        await page.goto(url)


async def asked_for_the_image(pages: PageServer) -> None:
    while pages.requests[-1:] != ["/hang"]:
        await trio.testing.wait_all_tasks_blocked(0.01)


async def test_going_somewhere_ends_with_the_tab(browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/": _NEVER_LOADED}) as pages:
        page = await browser.new_page()
        with trio.fail_after(25):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(go, page, pages.url("/"), hybridsnap.TargetDetached)
                await asked_for_the_image(pages)
                await browser.session.send("Target.closeTarget", {"targetId": page.target_id})


async def test_going_somewhere_ends_with_the_connection() -> None:
    async with serve_pages({"/": _NEVER_LOADED}) as pages, hybridsnap.launch() as browser:
        assert browser.process is not None
        page = await browser.new_page()
        with trio.fail_after(25):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(go, page, pages.url("/"), hybridsnap.ConnectionLost)
                await asked_for_the_image(pages)
                os.kill(browser.process.pid, signal.SIGKILL)


async def test_the_network_is_quiet_although_frames_moved_to_other_processes(
    browser: hybridsnap.Browser,
) -> None:
    """A frame's document is asked for in its parent's session, and ends in its own, or nowhere."""
    outer = """<!doctype html><title>outer</title><iframe src="http://localhost:{PORT}/in.html"></iframe>
        <iframe id="gone" src="http://localhost:{PORT}/waits.html"></iframe>
        <script>onmessage = () => document.getElementById("gone").remove()</script>"""
    files: dict[str, Content] = {
        "/": outer,
        "/in.html": "<button>in</button><img src='/dot.gif'>",
        "/waits.html": "<script>parent.postMessage(1, '*')</script><img src='/hang'>",
        "/dot.gif": b"",
    }
    async with serve_pages(files) as pages:
        page = await browser.new_page()
        navigation = await page.goto(pages.url("/"), wait="networkidle", timeout=60)
    assert (navigation.reached, navigation.ended_by) == (True, "networkidle")
    assert navigation.elapsed_ms < 30_000
