"""The golden pages: `tests/golden/NAME.html`, with the outlines they must give beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.pages import at_rest, serve_pages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hybridsnap import Browser, Page

GOLDEN = Path(__file__).parents[1] / "golden"


PAGES = sorted(path.relative_to(GOLDEN).as_posix() for path in GOLDEN.glob("*.*html"))


def served() -> dict[str, str]:
    files = [*GOLDEN.glob("*.*html"), *GOLDEN.glob("parts/*")]
    return {f"/{path.relative_to(GOLDEN).as_posix()}": path.read_text(encoding="utf-8") for path in files}


async def look_at_each(browser: Browser, look: Callable[[Page, str], Awaitable[None]]) -> None:
    """Open one golden page after the other in one tab: a tab for each costs more than the looking.

    Args:
        look: given the tab, and the name of the page that it shows.

    Raises:
        ExceptionGroup: what was wrong, of each page that was not as it should be, with the page's name.
    """
    files = served()
    wrong: list[Exception] = []
    async with serve_pages(files) as pages:
        page = await browser.new_page()
        for name in PAGES:
            await page.goto(pages.url(f"/{name}"), wait=at_rest([files[f"/{name}"]]))
            try:
                await look(page, name)
            except Exception as error:  # noqa: BLE001 - raised below, once all pages are seen
                error.add_note(f"on the golden page {name}")
                wrong.append(error)
    if wrong:
        raise ExceptionGroup("golden pages", wrong)
