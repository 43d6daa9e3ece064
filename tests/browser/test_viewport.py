"""The viewport of pages that hybridsnap opens, and of those that it only finds."""

from __future__ import annotations

from typing import Any

import pytest

import hybridsnap
from hybridsnap.client.viewport import check_viewport

_SIZE = "[innerWidth, innerHeight]"


async def test_pages_of_a_launched_browser_have_the_default_viewport() -> None:
    async with hybridsnap.launch(transport="websocket") as browser:
        page = await browser.new_page()
        other = await (await browser.new_context()).new_page()
        assert await page.evaluate(_SIZE) == await other.evaluate(_SIZE) == [1280, 720]
        await page.goto("data:text/html,<title>elsewhere</title>")
        assert await page.evaluate(_SIZE) == [1280, 720]
        # A tab has the viewport, a popup with a size of its own keeps that.
        async with page.expect_popup() as tab:
            await page.evaluate("void open('about:blank')")
        async with page.expect_popup() as popup:
            await page.evaluate("void open('about:blank', '', 'popup,width=320,height=240')")
        assert await tab.page.evaluate(_SIZE) == [1280, 720]
        assert await popup.page.evaluate("innerWidth") == 320
        # Who only connects changes nothing.
        assert browser.endpoint.startswith("ws://")
        async with hybridsnap.connect(browser.endpoint) as guest:
            seen = await guest.page(other.target_id)
            assert await seen.evaluate(_SIZE) == [1280, 720]
            assert await (await guest.new_page()).evaluate(_SIZE) != [1280, 720]


async def test_a_viewport_is_given_to_a_page_a_context_or_later(browser: hybridsnap.Browser) -> None:
    page = await browser.new_page(viewport=(500, 400))
    async with await browser.new_context(viewport=(600, 300)) as context:
        other = await context.new_page()
        third = await context.new_page(viewport=(700, 350))
        sizes = [await one.evaluate(_SIZE) for one in (page, other, third)]
        assert sizes == [[500, 400], [600, 300], [700, 350]]
        await other.set_viewport(900, 700)
        assert await other.evaluate(_SIZE) == [900, 700]
        for width in range(400, 600, 20):  # it has that size when the call returns
            await other.set_viewport(width, 300)
            assert await other.evaluate("innerWidth") == width
    await page.goto("data:text/html,<body style='height:2000px;margin:0'><script>scrollTo(0, 70)</script>")
    snapshot = await page.snapshot(layout=True)
    for rendering in (snapshot.render("ai"), snapshot.render("tree", max_tokens=200)):
        assert "viewport 500x400 at 0,70 of 500x2000" in rendering.splitlines()[0]


@pytest.mark.parametrize(
    ("viewport", "words"),
    [
        ("1280x720", "expected .width, height. in CSS px"),
        ((1280,), "expected .width, height."),
        ((1280.0, 720), "two whole numbers"),
        ((True, 720), "two whole numbers"),
        ((0, 720), "sizes from 1 to 10000000"),
        ((1280, 10**9), "sizes from 1 to 10000000"),
    ],
)
def test_a_viewport_that_is_none_is_refused(viewport: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        check_viewport(viewport)
