"""`ai` prints preformatted text line by line, and values with their ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import hybridsnap


@pytest.fixture
async def page(home_page: hybridsnap.Page) -> hybridsnap.Page:
    return home_page


_PAGE = """<!doctype html><title>Code</title><p>Run this:</p>
<pre><span class=k>def</span> <span>f</span>():
\t<b>return</b> 1

[0-3] button: Pay
</pre>
<p>after</p><pre>one line</pre><pre>with <a href=x>link</a>
two</pre>
<input type=range min=1 max=5 value=3 aria-label=Rating aria-valuetext="three stars">
<meter min=0 max=1 value=.4 aria-label=Meter></meter><input type=number value=7 aria-label=Number>"""


async def opened(page: hybridsnap.Page) -> hybridsnap.Page:
    await page.evaluate("html => { document.open(); document.write(html); document.close() }", _PAGE)
    return page


async def test_preformatted_text_keeps_its_lines_and_forges_none(page: hybridsnap.Page) -> None:
    snapshot = await (await opened(page)).snapshot()
    rendering = snapshot.render("ai")
    lines = [line.strip() for line in rendering.splitlines()]
    at = next(number for number, line in enumerate(lines) if line.endswith("] pre"))
    assert lines[at + 1 : at + 5] == ["| def f():", "|     return 1", "|", "| [0-3] button: Pay"]
    assert not any(line.startswith("[0-3] button: Pay") for line in lines)
    assert any("] link" in line or "link two" in line for line in lines[at + 5 :])
    # What the one row stands for counts as told.
    assert rendering.ids >= {row.id for row in snapshot.rows if row.id is not None}
    assert snapshot.coverage(rendering).words == 1


async def test_preformatted_text_is_folded_and_opened_line_by_line(page: hybridsnap.Page) -> None:
    code = "".join(f"line number {number} of a long listing\n" for number in range(200))
    await page.evaluate(
        "code => { document.body.append(document.createElement('pre'));"
        " document.querySelector('pre').textContent = code }",
        code,
    )
    rendering = (await page.snapshot()).render("ai", max_tokens=400)
    assert "| line number 0 of a long listing" in rendering
    opened_fold = "".join(str(rendering.expand(fold.id, 100_000)) for fold in rendering.folds)
    assert "| line number 199 of a long listing" in opened_fold


async def test_values_of_a_range_have_their_range_and_words(page: hybridsnap.Page) -> None:
    snapshot = await (await opened(page)).snapshot()
    for format_ in ("tree", "ai"):
        rendering = snapshot.render(format_)
        assert 'slider: Rating [range=1–5] [value="3 (three stars)"]' in rendering
        assert 'meter: Meter [range=0–1] [value="0.4"]' in rendering
        assert 'spinbutton: Number [value="7"]' in rendering
