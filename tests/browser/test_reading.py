"""Reading an element: its markup, its text, its attributes, in every kind of frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap.act.reading import read_attributes, read_outer_html, read_text, redact_passwords
from hybridsnap.errors import StaleElement
from tests.support.form_pages import FRAMES, Bench, framed
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page
    from tests.support.pages import PageServer

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
    "/secrets": """<!doctype html><title>Secrets</title><form id=form>
        <input type=password id=pw value=hunter2 title="a > b"><input type=PassWord value=hunter2>
        <input value=open><input id=empty type=password></form>""",
    "/data.xml": "<root><item a='1'>x</item></root>",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def test_every_frame(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/"))
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


async def test_kinds_of_elements(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    for selector, text in (
        ("#svg", "drawn"),
        ("#form", ""),
        ("#list", "a\nb"),
        ("#hidden", "not seen"),
        ("#host", "light"),
        ("#odd", "tab nbsp\u00a0end"),
        ("#script", "let x = 1;"),
        ("#t", "v"),  # what it shows, as a person would say
    ):
        assert await bench.do(read_text, selector) == text, selector
    assert await bench.do(read_attributes, "#form") == {"id": "form"}
    assert await bench.do(read_attributes, "#svg") == {"id": "svg", "viewBox": "0 0 1 1"}
    assert "in the shadow" not in await bench.do(read_outer_html, "#host")
    assert (await bench.do(read_outer_html, "html")).startswith("<html><head><title>Kinds</title>")
    assert (await bench.do(read_text, "html")).startswith("drawn")
    xml = await Bench.open(page, pages.url("/data.xml"))
    assert await xml.do(read_text, "//item") == "x"
    assert await xml.do(read_attributes, "//item") == {"a": "1"}


async def test_a_long_text_comes_whole(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    await bench.script("#odd", "this.textContent = 'word '.repeat(100000) + '\\ud800😀'")
    assert await bench.do(read_text, "#odd") == "word " * 100000 + "\ufffd😀"
    assert await bench.do(read_outer_html, "#odd") == f'<p id="odd">{"word " * 100000}\ufffd😀</p>'


async def test_what_is_gone(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/"))
    for act in (read_outer_html, read_text, read_attributes):

        def plan(resolver: Any, element: Any, act: Any = act) -> Any:
            yield from resolver.release()
            gone = element.place.__class__(element.place.session, element.place.frame, 999999, "1.1.1")
            return (yield from act(resolver, element.__class__(element.id, gone, "paragraph", "P")))

        with pytest.raises(StaleElement) as caught:
            await bench.do(plan, "#p")
        assert "\n" not in str(caught.value)


async def test_passwords_are_redacted_in_every_reading_unless_revealed(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/secrets"))
    snapshot = await page.snapshot()
    markup = await page.outer_html("#form")
    assert "open" in markup
    assert '<input type="password" id="pw" value="[redacted]" title="a &gt; b">' in markup
    assert '<input type="PassWord" value="[redacted]">' in markup
    assert '<input id="empty" type="password">' in markup
    assert (await page.attributes("#pw"))["value"] == "[redacted]"
    assert "hunter2" in await page.outer_html("#form", reveal=True)
    assert (await page.attributes("#pw", reveal=True))["value"] == "hunter2"
    # The inner parts of the field hold what was typed, and have ids of their own.
    ids = {path: id_ for id_, path in snapshot.combined_xpath_map.items()}
    inner = ids["/html[1]/body[1]/form[1]/input[1]//div[1]/text()[1]"]
    for part in (inner, ids["/html[1]/body[1]/form[1]/input[1]//div[1]"]):
        assert await page.text(part) == await page.outer_html(part) == "[redacted]"
    assert await page.text(inner, reveal=True) == "hunter2"
    assert await page.text("#pw") == "[redacted]"
    assert await page.text("#pw", reveal=True) == "hunter2"
    assert await page.text("#empty") == ""
    assert await page.text("[value=open]") == "open"
    for text in (
        *(snapshot.render(format_) for format_ in ("tree", "role", "ai", "aria", "webarena", "html", "xml")),
        snapshot.render("aria", json_lines=True),
        snapshot.to_json(),
    ):
        assert "hunter2" not in text
        assert "\u2022\u2022" not in text, "the bullets say how long it is"


async def test_markup_with_inputs_of_any_shape_is_redacted_in_one_pass() -> None:
    for markup, redacted in (
        ('<INPUT TYPE="password" VALUE="x">', '<INPUT TYPE="password" VALUE="[redacted]">'),
        ('<x:input type="password" value="x"/>', '<x:input type="password" value="[redacted]"/>'),
        ('<input title="<input type=&quot;" value="x">', '<input title="<input type=&quot;" value="x">'),
        ('<input value="x" data-type="password">', '<input value="x" data-type="password">'),
        ('<inputs type="password" value="x">', '<inputs type="password" value="x">'),
    ):
        assert redact_passwords(markup) == redacted
    endless = '<input "' * 500_000
    assert redact_passwords(endless) == endless
    secret = '<script>"<input \\""</script><input type="password" value="x">'
    assert 'value="x"' not in redact_passwords(secret)


async def test_the_text_of_the_main_content(page: Page) -> None:
    await page.goto("data:text/html,")
    article = "<article>First</article>"
    for html, text in (
        (
            f"<nav>Menu</nav>{article}<main>Content <b>here</b></main><main hidden>Later</main>",
            "Content here",
        ),
        (f"<nav>Menu</nav>{article}<div role=main>By its role</div>", "By its role"),
        (f"<nav>Menu</nav>{article}", "First"),
        (f"<nav>Menu</nav>{article}{article}", "Menu\nFirst\nFirst"),
        ("<title>Title</title><p>All of it</p>", "All of it"),
    ):
        await page.evaluate("(html) => { document.documentElement.innerHTML = html }", html)
        assert await page.text() == text
    await page.close()
