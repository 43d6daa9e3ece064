"""What holds of every golden page: its tree and queries, its refs, and every id of it.

To open the pages takes most of the time, so each is opened once for all checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.document_checks import check_document, check_queries
from tests.support.golden import look_at_each
from tests.support.naming import resolve
from tests.support.ref_checks import check_aria, check_role

if TYPE_CHECKING:
    from hybridsnap import Browser, Page


async def test_trees_refs_and_ids(browser: Browser) -> None:
    async def look(page: Page, _: str) -> None:
        snapshot = await page.snapshot(timeout=20)
        assert snapshot.report.complete
        check_document(snapshot)
        await check_queries(page, snapshot)
        await check_role(page, snapshot)
        await check_aria(page, snapshot)
        await check_ids(page)

    await look_at_each(browser, look)


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
