"""A rendering of a part of a snapshot: what its scope names, and what it says of one that shows nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hybridsnap import Snapshot, UnknownElement
from tests.support.command_line import run_here

if TYPE_CHECKING:
    from pathlib import Path

    from hybridsnap import Page

HTML = """<h1>Top</h1><div id=page_content><div><p>Hello <button>Go</button></p></div></div>
    <div id=void></div><div id=page_content2>Next</div>"""


@pytest.fixture
async def snapshot(home_page: Page) -> Snapshot:
    await home_page.evaluate("html => { document.body.innerHTML = html }", HTML)
    return await home_page.snapshot()


async def test_an_element_without_a_row_stands_for_the_rows_in_it(snapshot: Snapshot) -> None:
    (id_,) = snapshot.css("#page_content")
    assert id_ not in {row.id for row in snapshot.rows}
    for selector in ("#page_content", id_, snapshot.combined_xpath_map[id_]):
        for format_ in ("tree", "ai", "role"):
            text = snapshot.render(format_, scope=selector)
            assert "Go" in text, (selector, format_)
            assert "Top" not in text.partition("\n")[2], (selector, format_)
            assert "Next" not in text, (selector, format_)
    lines = snapshot.render("tree", scope="#page_content").split("\n")
    assert "paragraph" in lines[0]
    assert [line.strip().partition(" ")[2] for line in lines[1:3]] == ["StaticText: Hello", "button: Go"]


async def test_a_scope_that_shows_nothing_is_refused(snapshot: Snapshot) -> None:
    with pytest.raises(UnknownElement, match="'#void' shows nothing: the page hides it"):
        snapshot.render("tree", scope="#void")
    with pytest.raises(UnknownElement, match="is not an element of this snapshot"):
        snapshot.render("tree", scope="#nowhere")


async def test_the_command_line_says_where_there_is_nothing(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(HTML)
    done = await run_here("snapshot", str(page), "--scope", "#void")
    assert done.code == 2
    assert "'#void' shows nothing" in done.stderr
    done = await run_here("snapshot", str(page), "--query", "zebra")
    assert (done.code, done.stderr.strip()) == (0, "hybridsnap: no line holds 'zebra' (--query)")
    done = await run_here("snapshot", str(page), "--query", "hello")
    assert (done.code, done.stderr) == (0, "")
