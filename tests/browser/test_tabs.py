"""Tabs that are opened, closed, cancelled, and pages that do not stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap
from hybridsnap.errors import NavigationFailed
from tests.support.faults import until
from tests.support.headless_shell import not_in_headless_shell
from tests.support.http import attachment
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("milliseconds", [0, 1, 3, 5, 10, 20, 40])
async def test_a_cancelled_opening_leaves_no_tab(milliseconds: int, browser: hybridsnap.Browser) -> None:
    async with serve_pages({}) as server:
        before = await browser.page_ids()
        with trio.move_on_after(milliseconds / 1000):
            await browser.new_page(server.url("/hang"))
        with trio.fail_after(30):
            while await browser.page_ids() != before:
                pass  # the tab that is being closed is still listed


async def test_a_tab_that_comes_too_late_is_closed(browser: hybridsnap.Browser) -> None:
    before = await browser.page_ids()
    for _ in range(10):
        with pytest.raises(TimeoutError):
            await browser.new_page(timeout=0.0001)
    await (await browser.new_page()).close()  # by now all of them have come
    with trio.fail_after(30):
        while await browser.page_ids() != before:
            pass


async def test_a_page_that_goes_on_for_ever_is_not_called_whole(browser: hybridsnap.Browser) -> None:
    pages = {
        "/reload": "<p>words<script>onload = () => location.reload()</script>",
        "/refresh": "<meta http-equiv=refresh content=0><p>words",
    }
    async with serve_pages(pages) as server:
        for path in pages:
            page = await browser.new_page(server.url(path))
            snapshot = await page.snapshot(timeout=10)
            assert "words" in snapshot.combined_tree or not snapshot.report.complete
            await page.close()


async def test_nothing_is_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = attachment(b"\x00\x01", "file.bin", "application/octet-stream")
    async with (
        serve_pages({"/": "<p>x<iframe src='/file'></iframe>", "/file": file}) as server,
        hybridsnap.launch() as browser,
    ):
        page = await browser.new_page(server.url("/"), wait="networkidle")
        assert "/file" in server.requests
        with pytest.raises(NavigationFailed, match="download"):
            await page.goto(server.url("/file"))
    downloads = tmp_path / "Downloads"
    assert not downloads.exists() or not list(downloads.iterdir())


@not_in_headless_shell("saves nothing unless it is told to")
async def test_what_is_downloaded_all_the_same_goes_with_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a download has just begun, and the connection that refuses it ends."""
    monkeypatch.setenv("HOME", str(tmp_path))
    file = attachment(b"\x00\x01", "file.bin", "application/octet-stream")
    async with serve_pages({"/": "<p>x", "/file": file}) as server, hybridsnap.launch() as browser:
        page = await browser.new_page(server.url("/"))
        await browser.session.send("Browser.setDownloadBehavior", {"behavior": "default"})
        with pytest.raises(NavigationFailed, match="download"):
            await page.goto(server.url("/file"))
        assert browser.process is not None
        assert browser.process.folder is not None
        saved = browser.process.folder / "downloads" / "file.bin"
        await until(saved.exists)
    assert not saved.exists()
    assert not (tmp_path / "Downloads").exists()


async def test_wrong_addresses(browser: hybridsnap.Browser) -> None:
    with pytest.raises(TypeError, match="url is a str"):
        await browser.new_page(b"http://127.0.0.1/")  # type: ignore[arg-type]  # the point
    with pytest.raises(NavigationFailed, match="not valid Unicode"):
        await browser.new_page("http://\udcff/")
