"""Reading an element: its markup, its text, its attributes, in every kind of frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap.act.reading import read_attributes, read_outer_html, read_text
from hybridsnap.errors import StaleElement
from tests.form_pages import FRAMES, Bench, framed
from tests.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser
    from tests.pages import PageServer

_PART = """<p id=p title="a &quot;b&quot;" data-x>One <b>two</b
    ><span style="display:none"> hidden</span><br>three</p>"""
_PAGES = {
    **framed(_PART),
    "/kinds": """<!doctype html><title>Kinds</title><svg id=svg viewBox="0 0 1 1"><text>drawn</text></svg>
        <form id=form><input name=attributes><input name=innerText><input name=textContent></form>
        <ul id=list><li>a<li>b</ul><p id=hidden style="display: none">not <b>seen</b></p>
        <textarea id=t>v</textarea>
        <div id=host><template shadowrootmode=open>in the shadow<slot></slot></template>light</div>
        <p id=odd>tab\tnbsp&nbsp;end</p><script id=script>let x = 1;</script>""",
    "/data.xml": "<root><item a='1'>x</item></root>",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def test_every_frame(browser: Browser, pages: PageServer) -> None:
    bench = await Bench.open(browser, pages.url("/"))
    for to in FRAMES.values():
        html = await bench.do(read_outer_html, f"{to}#p")
        assert html == (
            '<p id="p" title="a &quot;b&quot;" data-x="">One <b>two</b>'
            '<span style="display:none"> hidden</span><br>three</p>'
        )
        assert await bench.do(read_text, f"{to}#p") == "One two\nthree"
        assert await bench.do(read_attributes, f"{to}#p") == {"id": "p", "title": 'a "b"', "data-x": ""}
    # Text nodes have an id too.
    for to in ("", "#other >> "):
        assert await bench.do(read_outer_html, f"{to}xpath=//*[@id='p']/text()[1]") == "One "
        assert await bench.do(read_text, f"{to}xpath=//*[@id='p']/text()[2]") == "three"
        assert await bench.do(read_attributes, f"{to}xpath=//*[@id='p']/text()[1]") == {}


async def test_kinds_of_elements(browser: Browser, pages: PageServer) -> None:
    bench = await Bench.open(browser, pages.url("/kinds"))
    for selector, text in (
        ("#svg", "drawn"),
        ("#form", ""),
        ("#list", "a\nb"),
        ("#hidden", "not seen"),
        ("#host", "light"),
        ("#odd", "tab nbsp\u00a0end"),
        ("#script", "let x = 1;"),
        ("#t", ""),
    ):
        assert await bench.do(read_text, selector) == text, selector
    assert await bench.do(read_attributes, "#form") == {"id": "form"}
    assert await bench.do(read_attributes, "#svg") == {"id": "svg", "viewBox": "0 0 1 1"}
    assert "in the shadow" not in await bench.do(read_outer_html, "#host")
    assert (await bench.do(read_outer_html, "html")).startswith("<html><head><title>Kinds</title>")
    assert (await bench.do(read_text, "html")).startswith("drawn")
    xml = await Bench.open(browser, pages.url("/data.xml"))
    assert await xml.do(read_text, "//item") == "x"
    assert await xml.do(read_attributes, "//item") == {"a": "1"}


async def test_a_long_text_comes_whole(browser: Browser, pages: PageServer) -> None:
    bench = await Bench.open(browser, pages.url("/kinds"))
    await bench.script("#odd", "this.textContent = 'word '.repeat(100000) + '\\ud800😀'")
    assert await bench.do(read_text, "#odd") == "word " * 100000 + "\ufffd😀"
    assert await bench.do(read_outer_html, "#odd") == f'<p id="odd">{"word " * 100000}\ufffd😀</p>'


async def test_what_is_gone(browser: Browser, pages: PageServer) -> None:
    bench = await Bench.open(browser, pages.url("/"))
    for act in (read_outer_html, read_text, read_attributes):

        def plan(locator: Any, element: Any, act: Any = act) -> Any:
            yield from locator.release()
            gone = element.place.__class__(element.place.session, element.place.frame, 999999, "1.1.1")
            return (yield from act(locator, element.__class__(element.id, gone, "paragraph", "P")))

        with pytest.raises(StaleElement) as caught:
            await bench.do(plan, "#p")
        assert "\n" not in str(caught.value)
