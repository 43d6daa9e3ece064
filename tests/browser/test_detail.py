"""The details `bare`, `lean` and `rich` of one page, and what stays the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

import pytest

from hybridsnap.render.detail import DetailName

if TYPE_CHECKING:
    import hybridsnap
    from hybridsnap.snapshot import Snapshot

_PAGE = """<!doctype html><title>Form</title><style>
  body { margin: 0 } header { position: sticky; top: 0 }
  #buy { position: absolute; left: 10px; top: 50px; width: 80px; height: 24px; border: 0; color: #777;
         background: #eeeeee }
  #veil { position: fixed; left: 0; top: 100px; width: 300px; height: 100px }
  #below { position: absolute; left: 20px; top: 120px }
</style>
<header class="site-head css-1q2w3e4r">Shop</header>
<button id=buy data-testid="buy-tea" class="btn-buy x1a2b3c4d5" disabled>Buy</button>
<label><input type=checkbox checked> Gift</label><p>Not a box {box=1,2,3x4}</p>
<a href="/cart"></a><button id=below>Below</button>
<div id=veil role=group aria-label=Veil>Sale</div>
"""


async def captured(browser: hybridsnap.Browser) -> Snapshot:
    page = await browser.new_page(viewport=(900, 600))
    await page.evaluate("html => { document.open(); document.write(html); document.close() }", _PAGE)
    return await page.snapshot(layout=True)


async def test_rich_prints_boxes_markup_colours_and_layers(browser: hybridsnap.Browser) -> None:
    snapshot = await captured(browser)
    lines = snapshot.render("ai", detail="rich").splitlines()
    buy = next(line for line in lines if "button: Buy" in line)
    assert buy.endswith(
        "button: Buy [disabled] {box=10,50,80x24 test-id=buy-tea class=btn-buy color=#777 on #eee}"
    )
    assert any("class=site-head sticky}" in line and "css-1q" not in line for line in lines)
    veil = next(line for line in lines if "Veil" in line)
    assert "box=0,100,300x100" in veil
    assert veil.endswith(" fixed overlay}")
    # Text of the page that is written like a group is not a group.
    assert any("Not a box \\{box=1,2,3x4}" in line for line in lines)


async def test_rich_prints_the_looks_of_elements_within_a_line(page: hybridsnap.Page) -> None:
    await page.goto("data:text/html,")
    html = (
        "<p>See <a href=x class=terms>the terms</a>.</p><h2><a href=y class=go>Go</a> there</h2>"
        "<table><tr><th>Name<th>Do<tr><td>Tea<td>2 <button class=buy>Buy</button></table>"
    )
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    snapshot = await page.snapshot(layout=True)
    rich = snapshot.render("ai", detail="rich")
    for words, written in (("the terms", "terms"), ("Go", "go"), ("button: Buy", "buy")):
        assert re.search(rf"\] {words} {{box=[\d,x]+ class={written}\b[^}}]*}}", rich), words
    assert "{" not in snapshot.render("ai")


async def test_bare_prints_ids_roles_and_names(browser: hybridsnap.Browser) -> None:
    snapshot = await captured(browser)
    for format_ in ("ai", "tree"):
        bare = snapshot.render(format_, detail="bare")
        assert "button: Buy" in bare
        assert "checkbox: Gift" in bare
        for word in ("[checked]", "[disabled]", "?cart", "covered by", "box=10"):
            assert word not in bare
        assert bare.ids == snapshot.render(format_).ids


async def test_lean_is_the_default_and_all_details_have_the_same_lines(browser: hybridsnap.Browser) -> None:
    snapshot = await captured(browser)
    for format_ in ("ai", "tree"):
        assert snapshot.render(format_, detail="lean") == snapshot.render(format_)
        assert len({snapshot.render(format_, detail=one).shown for one in get_args(DetailName)}) == 1


async def test_a_detail_that_is_none_or_means_nothing_is_refused(browser: hybridsnap.Browser) -> None:
    snapshot = await captured(browser)
    with pytest.raises(ValueError, match="expected one of bare, lean, rich, got 'full'"):
        snapshot.render("ai", detail="full")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="detail means nothing to the format 'html'"):
        snapshot.render("html", detail="rich")
