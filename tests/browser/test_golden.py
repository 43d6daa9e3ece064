"""Pages beside what they must give: `tests/golden/NAME.html`, `NAME.txt` (the outline), `FORMAT/NAME.txt`.

What holds of every page is held against each of them too: its tree, its refs, and every id of it.

Ids are numbered by first appearance in each frame. `pytest --update-golden` writes the outlines anew; read
each before committing it: by the rules of the design, is it right?
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap.protocol.ax_vocabulary import ARIA_ROLES
from tests.support.document_checks import check_document, check_queries
from tests.support.golden import GOLDEN, PAGES, served
from tests.support.naming import resolve
from tests.support.oracle import assert_exact, outline_without_numbers, without_numbers
from tests.support.pages import at_rest, serve_pages
from tests.support.ref_checks import check_aria, check_role

if TYPE_CHECKING:
    from hybridsnap import Page
    from hybridsnap.render.formats import FormatName

#: That a headless Chromium gives a tab; `chromium-headless-shell` gives 800 × 600.
_SIZE = (780, 493)
FORMATS: dict[FormatName, dict[str, Any]] = {
    "role": {"compact": True},
    "aria": {},
    "ai": {},
    "webarena": {},
    "controls": {"lang": "en", "time": "2026-01-01 12:00:00"},
    "html": {},
    "xml": {},
}


def test_there_are_golden_pages() -> None:
    assert len(PAGES) >= 30
    stray = {path.stem for path in GOLDEN.rglob("*.txt")} - {Path(page).stem for page in PAGES}
    assert not stray, "outlines without a page"


@pytest.mark.parametrize("page_file", PAGES)
async def test_golden_page(page: Page, page_file: str, *, update_golden: bool) -> None:
    files = served()
    async with serve_pages(files) as pages:
        await page.set_viewport(*_SIZE)
        await page.goto(pages.url(f"/{page_file}"), wait=at_rest([files[f"/{page_file}"]]))
        await page.wait_for(function="() => document.hasFocus()")  # the browser tells a new document late
        snapshot = await page.snapshot(timeout=20)
        assert snapshot.report.complete
        await assert_exact(page, snapshot)
        check_document(snapshot)
        await check_queries(page, snapshot)
        await check_role(page, snapshot)
        await check_aria(page, snapshot)
        await check_ids(page)
    outline = outline_without_numbers(snapshot)
    compare(outline, (GOLDEN / page_file).with_suffix(".txt"), pages.port, update=update_golden)
    for format_, options in FORMATS.items():
        rendering = snapshot.render(format_, **options)
        assert all(id_ in snapshot.combined_xpath_map for id_ in rendering.ids)
        expected = (GOLDEN / format_ / page_file).with_suffix(".txt")
        compare(without_numbers(snapshot, rendering), expected, pages.port, update=update_golden)
    for line in snapshot.render("role").splitlines():
        if not line.lstrip().startswith("!"):
            role = line.lstrip().split(" ")[1]
            assert role in ARIA_ROLES | {"text", "iframe"} or role.startswith("doc-"), line


async def check_ids(page: Page) -> None:
    """Every id of a fresh snapshot is what it says: names are read one by one as whole captures read them."""
    snapshot = await page.snapshot(timeout=20, layout=True)
    assert snapshot.report.complete
    rows = [row for row in snapshot.rows if row.id is not None]
    # Of many alike, some: each costs a few ms.
    kinds = {(row.role, row.tag, row.states, row.depth): row for row in rows}
    for row in kinds.values():
        found = await resolve(page, row.id)
        assert found.id == row.id
    refs = snapshot.render("aria").extras["refs"]
    for ref, what in list(refs.items())[::7]:
        if what.element_id is not None:
            assert (await resolve(page, ref)).id == what.element_id
    shown = {row.id for row in rows}
    for id_ in [id_ for id_ in snapshot.combined_xpath_map if id_ not in shown][::7]:
        assert (await resolve(page, id_)).id == id_


def compare(text: str, expected: Path, port: int, *, update: bool) -> None:
    text = text.replace(f":{port}", "") + "\n"
    if update:
        expected.parent.mkdir(exist_ok=True)
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")
