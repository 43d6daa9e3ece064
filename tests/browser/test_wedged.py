"""A page that a script has wedged is the same page again, once the script is ended."""

from __future__ import annotations

import time

import pytest

from hybridsnap import Browser, DeadlineExceeded, EvaluationTimeout
from tests.support.pages import ENDLESS, serve_pages

pytestmark = pytest.mark.alone

_PAGE = """<!doctype html><title>Wedge</title><button onclick="this.textContent = 'Gone'">Go</button>
<iframe src="http://localhost:{PORT}/inner"></iframe>"""


@pytest.mark.parametrize("script", ["while (true) {}", "new Promise(() => {})", "for (;;) alert"])
async def test_after_a_hung_script_the_page_can_be_clicked_and_captured(
    browser: Browser, script: str
) -> None:
    async with serve_pages({"/": _PAGE, "/inner": "<p>inner<button>In</button>"}) as pages:
        page = await browser.new_page(pages.url())
        before = await page.snapshot()
        button = before.find("button", "Go")[0].id
        assert button is not None
        started = time.monotonic()
        with pytest.raises(EvaluationTimeout):
            await page.evaluate(script, timeout=0.5)
        ended = time.monotonic()
        assert ended - started < 1.0
        receipt = await page.click(button)
        assert time.monotonic() - ended < 0.5
        assert ("text", "Go", "Gone") in [(one.what, one.before, one.after) for one in receipt.changes]
        after = await page.snapshot()
        assert after.report.complete
        assert after.find("button", "In")


async def test_a_script_that_cannot_be_ended_is_not_called_ended(browser: Browser) -> None:
    async with serve_pages({"/": _PAGE, "/inner": "<p>inner"}) as pages:
        page = await browser.new_page(pages.url())
        with pytest.raises(
            EvaluationTimeout, match=r"not ended after 0\.5 s, and could not be.*attached to anew"
        ):
            await page.evaluate(ENDLESS, timeout=0.5)
        assert (await page.goto(f"http://localhost:{pages.port}/inner")).reached
        assert (await page.snapshot()).report.complete


async def test_a_tab_in_a_loop_is_left_as_the_error_says(browser: Browser) -> None:
    async with serve_pages({"/": _PAGE, "/inner": "<p>inner"}) as pages:
        page = await browser.new_page(pages.url())
        await page.evaluate("void setTimeout(() => { while (true); }, 0)")
        with pytest.raises(DeadlineExceeded, match="left by going to another site at once"):
            await page.snapshot(timeout=1)
        there = await page.goto(f"http://localhost:{pages.port}/inner")
        assert there.reached
        assert (await page.snapshot()).report.complete
