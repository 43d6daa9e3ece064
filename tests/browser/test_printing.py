"""A page as PDF and as MHTML."""

from __future__ import annotations

import email
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page

_PAGES = {
    "/": "<title>Ü</title><h1>One</h1>"
    + "<p>line</p>" * 400
    + "<iframe src='http://localhost:{PORT}/in'></iframe>",
    "/in": "<p>inner 日本</p>",
}
_SIZE = re.compile(rb"/MediaBox \[([\d. ]+)\]")


@pytest.fixture
async def page(page: Page) -> AsyncIterator[Page]:
    async with serve_pages(_PAGES) as pages:
        await page.goto(pages.url("/"))
        yield page


def read_pdf(pdf: bytes) -> tuple[int, list[int]]:
    """How many pages, and width and height of the first in points."""
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    found = _SIZE.search(pdf)
    assert found is not None
    return len(re.findall(rb"/Type /Page\b(?!s)", pdf)), [round(float(one)) for one in found[1].split()][2:]


async def test_pdf(page: Page) -> None:
    count, size = read_pdf(await page.pdf())
    assert count > 10
    assert size == [612, 792]
    assert read_pdf(await page.pdf(paper="a4", landscape=True, pages="2-3")) == (2, [842, 596])  # rounded up
    assert read_pdf(await page.pdf(paper=("100mm", 5), margin=0, pages="1"))[1] == [284, 360]
    assert read_pdf(await page.pdf(scale=0.5))[0] < count
    narrow = await page.pdf(margin=("1in", 0, "72pt", "2cm"), header="<b class=title></b>", footer="")
    assert read_pdf(narrow)[0] > count
    assert b"/StructTreeRoot" in narrow
    assert b"/StructTreeRoot" not in await page.pdf(tagged=False)
    assert b"/Outlines" in await page.pdf(outline=True)


_REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"paper": "a9"}, ValueError, "expected one of letter, legal"),
    ({"scale": 3}, ValueError, "expected a scale from 0.1 to 2"),
    ({"margin": "1 foot"}, ValueError, "expected a length such as"),
    ({"margin": -1}, ValueError, "0 or more"),
    ({"margin": (1, 2)}, ValueError, "one margin or four"),
    ({"margin": None}, TypeError, "margin: expected a length"),
    ({"margin": "50in"}, ValueError, "margin: no room is left"),
    ({"pages": "900"}, ValueError, "pages: expected pages that the document has.*got '900'"),
    ({"pages": "abc"}, ValueError, "pages: .*got 'abc'"),
]


async def test_what_cannot_be_printed(page: Page) -> None:
    for options, kind, words in _REFUSED:
        with pytest.raises(kind, match=words):
            await page.pdf(**options)


async def test_mhtml_has_every_frame(page: Page) -> None:
    parts = list(email.message_from_bytes(await page.mhtml()).walk())
    documents = [part for part in parts if part.get_content_type() == "text/html"]
    bodies = [part.get_payload(decode=True) for part in documents]
    assert len(bodies) == 2
    assert b"<h1>One</h1>" in bodies[0]
    assert "inner 日本".encode() in bodies[1]
