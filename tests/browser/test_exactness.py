"""Random pages in real Chromium: every id leads back to its node, every control is there exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, note

import hybridsnap
from tests.conftest import soak_settings
from tests.oracle import assert_exact
from tests.pages import serve_pages
from tests.random_pages import PageFiles, random_pages
from tests.walker import strayed

if TYPE_CHECKING:
    from hybridsnap import Snapshot


async def check_page(endpoint: str, drawn: PageFiles) -> None:
    # A connection for each example: pytest-trio sets its fixtures up once for all of them.
    async with serve_pages(drawn.files) as pages, hybridsnap.connect(endpoint) as browser:
        page = await browser.new_page(pages.url(drawn.path))
        try:
            first = await page.snapshot(timeout=20)
            second = await page.snapshot(timeout=20)
            note(first.combined_tree)
            assert without_clock(first) == without_clock(second), "two captures of an untouched page differ"
            await assert_exact(page, first)
            # Every node of the page has a path that leads back, not only those in the outline.
            assert await strayed(page, first, list(first.combined_xpath_map)) == []
        finally:
            await page.close()


def without_clock(snapshot: Snapshot) -> dict[str, Any]:
    """The snapshot's JSON data without what tells one capture of the same page from another."""
    data = snapshot.to_dict(all_xpaths=True)
    report = data["report"]
    del report["elapsedMs"], report["snapshotId"]
    for frame in report["frames"]:
        del frame["elapsedMs"]
    return data


@given(random_pages())
async def test_random_pages(browser_endpoint: str, drawn: PageFiles) -> None:
    await check_page(browser_endpoint, drawn)


@pytest.mark.soak
@soak_settings()
@given(random_pages())
async def test_many_random_pages(browser_endpoint: str, drawn: PageFiles) -> None:
    await check_page(browser_endpoint, drawn)
