"""What a server answered a navigation with; and openers where they cannot be entered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import hybridsnap
from hybridsnap.webarena import execute_step, list_tabs
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import Callable


async def test_the_status_of_a_navigation(page: hybridsnap.Page) -> None:
    async with serve_pages({"/": "<p>here"}) as pages:
        assert (await page.goto(pages.url("/"))).status == 200
        missing = await page.goto(pages.url("/missing", "localhost"))
        assert (missing.status, missing.reached, page.status) == (404, True, 404)
        assert "HTTP 404" in str(missing)
        assert "the page was answered with HTTP 404" in (await page.snapshot()).report.notes
        assert (await page.goto("data:text/html,x")).status is None
        assert page.status is None, "it is the document's that is there"
        assert (await page.go_back()).status in {404, None}, "None where the document was kept"


async def test_tabs_have_the_same_numbers_in_both() -> None:
    async with hybridsnap.launch() as browser:
        page = await browser.new_page("data:text/html,<title>a</title>")
        snapshot = await page.snapshot()
        assert snapshot.render("webarena", tabs=await list_tabs(page)).startswith("Tab 0 (current): a\n")
        other = await execute_step("new_tab", page, browser, [])
        assert isinstance(other, hybridsnap.Page)
        await other.goto("data:text/html,<title>b</title>")
        assert await list_tabs(other) == [("a", False), ("b", True)]
        assert await execute_step("tab_focus [0]", other, browser, []) is page
        assert await execute_step("tab_focus [1]", page, browser, []) is other
        with pytest.raises(hybridsnap.TargetError, match="open are 0 to 1"):
            await execute_step("tab_focus [2]", page, browser, [])


async def _entered() -> None:
    async with hybridsnap.launch():
        pass


async def _awaited() -> None:
    await hybridsnap.launch()  # type: ignore[misc]  # the point


def _with() -> None:
    with hybridsnap.launch():  # type: ignore[attr-defined]  # the point
        pass


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "asyncio": (lambda: asyncio.run(_entered()), r"hybridsnap\.aio\.launch"),
    "no loop": (lambda: _entered().send(None), r"hybridsnap\.sync\.launch"),
    "with": (_with, r"hybridsnap\.sync\.launch"),
    "awaited": (lambda: _awaited().send(None), "async with launch"),
    "not entered": (lambda: hybridsnap.launch().new_page, r"hybridsnap\.sync\.launch"),  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("case", WRONG)
def test_an_opener_says_what_to_use_instead(case: str) -> None:
    call, words = WRONG[case]
    with pytest.raises((RuntimeError, TypeError, AttributeError), match=words) as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1
