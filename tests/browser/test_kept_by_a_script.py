"""A script that does not end keeps the next document from coming: each call says so, and what helps."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from hybridsnap import CommandUnanswered, DeadlineExceeded, EvaluationTimeout, NavigationFailed
from tests.support.pages import ENDLESS, busy_for, serve_pages

if TYPE_CHECKING:
    from hybridsnap import Browser, Page

_PAGE = "<!doctype html><title>Busy</title><button>Go</button>"


async def _until_busy(page: Page, script: str) -> None:
    await page.evaluate(script)
    with pytest.raises(DeadlineExceeded):
        await page.snapshot(timeout=0.5)


@pytest.mark.parametrize("there", ["/inner", "about:blank"])
async def test_a_script_that_keeps_the_next_document_from_coming_is_named_by_every_call(
    browser: Browser, there: str
) -> None:
    async with serve_pages({"/": _PAGE, "/inner": "<p>inner"}) as pages:
        page = await browser.new_page(pages.url())
        button = (await page.snapshot()).find("button", "Go")[0].id
        assert button is not None
        await _until_busy(page, f"void setTimeout(() => {ENDLESS}, 0)")
        went = await page.goto(pages.url(there) if there.startswith("/") else there, timeout=3)
        assert (went.reached, went.ended_by) == (False, "busy")
        said = "a script that does not end, and the document that was to follow waits for that"
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded, match=said):
            await page.snapshot()
        with pytest.raises(CommandUnanswered, match=said) as refused:
            await page.click(button)
        assert refused.value.nothing_done
        with pytest.raises(EvaluationTimeout, match=f"not sent: .*{said}"):
            await page.evaluate("1")
        with pytest.raises(NavigationFailed, match=said):
            await page.goto(f"http://localhost:{pages.port}/inner")
        assert time.monotonic() - started < 10  # of 30 that each call has
        await page.close()


async def test_a_page_whose_script_ends_after_all_is_used_as_any_other(browser: Browser) -> None:
    async with serve_pages({"/": _PAGE, "/next": "<button>Next</button>"}) as pages:
        page = await browser.new_page(pages.url())
        await _until_busy(page, f"void setTimeout(() => {busy_for(6000)}, 0)")
        assert (await page.goto(pages.url("/next"), timeout=3)).ended_by == "busy"
        await page.wait_for(text="Next", timeout=20)
        assert (await page.snapshot()).find("button", "Next")


async def test_a_slow_server_is_not_called_a_script(browser: Browser) -> None:
    async with serve_pages({"/": _PAGE, "/inner": "<p>inner"}) as pages:
        page = await browser.new_page(pages.url())
        assert (await page.goto(pages.url("/hang"), timeout=2)).ended_by == "deadline"
        assert (await page.goto(pages.url("/inner"))).reached
