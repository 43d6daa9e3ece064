"""Random pages in real Chromium: ids, paths and selectors lead back, every control is there exactly once."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, note

import hybridsnap
from tests.conftest import gate_settings, soak_settings
from tests.support.oracle import assert_exact
from tests.support.pages import at_rest, serve_pages
from tests.support.printed_selectors import check_printed, find_wrong_selectors
from tests.support.random_pages import PageFiles, random_pages
from tests.support.walker import strayed

if TYPE_CHECKING:
    from hybridsnap import Snapshot


async def check_page(endpoint: str, drawn: PageFiles) -> None:
    # A connection for each example: pytest-trio sets its fixtures up once for all of them.
    async with serve_pages(drawn.files) as pages, hybridsnap.connect(endpoint) as browser:
        page = await browser.new_page(pages.url(drawn.path), wait=at_rest(drawn.files.values()))
        try:
            first = await page.snapshot(timeout=20)
            second = await page.snapshot(timeout=20)
            note(first.combined_tree)
            assert differences(first, second) == [], "two captures of an untouched page differ"
            await assert_exact(page, first)
            # Every node of the page has a path that leads back, not only those in the outline.
            assert await strayed(page, first, list(first.combined_xpath_map)) == []
            note(second.render("controls"))
            assert await find_wrong_selectors(page, second) == []
            await check_printed(page, second)
        finally:
            await page.close()


def without_clock(snapshot: Snapshot) -> dict[str, Any]:
    """The snapshot's JSON data without what tells one capture of the same page from another.

    Of what waits to be found (``hidden=until-found``) Chromium lists further ignored nodes once somebody has
    asked for its style, as each capture does in the end.
    """
    data = snapshot.to_dict(all_xpaths=True)
    report = data["report"]
    del report["elapsedMs"], report["snapshotId"]
    for frame in report["frames"]:
        del frame["elapsedMs"], frame["axNodes"]
    return data


def differences(first: Snapshot, second: Snapshot) -> list[str]:
    older, newer = (json.dumps(without_clock(one), indent=1).split("\n") for one in (first, second))
    return list(difflib.unified_diff(older, newer, lineterm="", n=2))


@gate_settings(max_examples=6)
@given(random_pages())
async def test_random_pages(browser_endpoint: str, drawn: PageFiles) -> None:
    await check_page(browser_endpoint, drawn)


@pytest.mark.soak
@soak_settings()
@given(random_pages())
async def test_many_random_pages(browser_endpoint: str, drawn: PageFiles) -> None:
    await check_page(browser_endpoint, drawn)


async def test_names_that_chromium_writes_otherwise(page: hybridsnap.Page) -> None:
    """An HTML element's `nodeName` is upper-case in ASCII letters only, its prefix included."""
    html = """<!doctype html><title>names</title><body><x:y>parsed</x:y><xé>parsed</xé><script>
      const html = document.documentElement.namespaceURI;
      for (const [namespace, name] of [[html, "x:y"], [html, "X:y"], [html, "X:Y"], ["urn:x", "X:Y"],
          ["urn:x", "x:y"], [html, "xé"], [html, "XÉ"], [html, "straße"], ["urn:x", "y"], [html, "y"]])
        document.body.append(document.createElementNS(namespace, name), document.createElement("x:y"));
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=10)
        paths = dict(snapshot.combined_xpath_map)
        assert '/html[1]/body[1]/*[local-name()="y"][1]' in paths.values()
        assert '/html[1]/body[1]/*[name()="xé"][1]' in paths.values()
        assert await strayed(page, snapshot, list(paths)) == []
