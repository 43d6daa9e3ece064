"""`ai` joins text into lines: breaks, keys, abbreviations, and the space that the page has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import hybridsnap


@pytest.fixture
async def page(home_page: hybridsnap.Page) -> hybridsnap.Page:
    return home_page


async def lines_of(page: hybridsnap.Page, html: str) -> list[str]:
    """The lines of a page in `ai`, without ids and indentation."""
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    snapshot = await page.snapshot()
    rendering = snapshot.render("ai")
    assert snapshot.coverage(rendering).interactive == 1
    return [line.strip().partition("] ")[2] for line in rendering.splitlines()[2:]]


#: An editor's value is cut at 100 characters; what is longer is read from its lines.
_LONG = "a word " * 20
_EDITED = f"<div role=application contenteditable><p>{_LONG}</p>"
_LINES: list[tuple[str, list[str]]] = [
    ("<p>Ann Lee<br>12 High St<br><br>\nLondon</p>", ["paragraph: Ann Lee / 12 High St / London"]),
    ("<p><br>one<br></p>", ["paragraph: one"]),
    ("<div>a<br><b>b</b> c</div>", ["div: a / b c"]),
    ("<blockquote>Roses<br><i>Violets</i></blockquote>", ["blockquote: Roses / Violets"]),
    ("<p>Press <kbd>Ctrl</kbd>+<kbd>C</kbd> now</p>", ["paragraph: Press `Ctrl`+`C` now"]),
    ("<p><kbd><kbd>Alt</kbd><kbd>F4</kbd></kbd></p>", ["paragraph: `Alt` `F4`"]),
    ("<button>Copy <kbd>Ctrl</kbd><kbd>C</kbd></button>", ["button: Copy `Ctrl` `C`"]),
    ("<h2>Two<br>lines</h2>", ["heading: Two lines [level=2]"]),
    (
        "<table><tr><th>Where<th>Key<tr><td>High St<br>London<td><kbd>k</kbd><kbd>j</kbd></table>",
        ["table", "row: Where | Key", "row: Where: High St / London | Key: `k` `j`"],
    ),
    ("<textarea>a\nb</textarea>", ['textbox [value="a b"]']),
    (
        "<p>The <abbr title=Health>WHO</abbr> is <abbr title=Health>WHO</abbr>, <abbr>EU</abbr>.",
        ["paragraph: The WHO (Health) is WHO, EU."],
    ),
    ("<p><abbr title=Hyper>HTML</abbr></p>", ["paragraph: HTML (Hyper)"]),
    (
        "<h2>Use <abbr title=Cascading>CSS</abbr> now</h2>",
        ["heading: Use CSS (Cascading) now [level=2]"],
    ),
    ("<p>a <ruby>漢<rt>kan</rt></ruby> b</p>", ["paragraph: a 漢 (kan) b"]),
    ("<p>A <dfn>term</dfn> is <time>now</time></p>", ["paragraph: A term is now"]),
    (
        "<p><b>$</b><i>5</i>, <b>50</b>% off <b>a</b> (<b>b</b>) foo<b>(</b>bar</p>",
        ["paragraph: $5, 50% off a (b) foo(bar"],
    ),
    ("<p>10<sup>2</sup> H<sub>2</sub>O <b>one</b><i>two</i></p>", ["paragraph: 10^2 H_2O one two"]),
    ("<div><b>a </b>+<b> b</b></div>", ["div: a + b"]),
    (
        "<p>in <code>.git</code> or <b>a</b> <code>.b</code>, <b>c</b>.d ( <b>e</b> )</p>",
        ["paragraph: in .git or a .b, c.d ( e )"],
    ),
    (
        "<p>If <img alt=A> is <img alt='A^H'>, then</p>",
        ["paragraph: If (image: A) is (image: A^H), then"],
    ),
    ("<h2>Tea <img alt=new></h2>", ["heading: Tea (image: new) [level=2]"]),
    (
        "<ul><li><img alt=Done> Wash<li>Dry</ul>",
        ["list", "listitem: (image: Done) Wash", "listitem: Dry"],
    ),
    ("<div><img alt=Logo></div><p>Us</p>", ["image: Logo", "paragraph: Us"]),
    (
        "<table><tr><th>Land<th>Flag<tr><td>NZ<td><img alt='Blue flag'></table>",
        ["table", "row: Land | Flag", "row: Land: NZ | Flag: (image: Blue flag)"],
    ),
    (
        f"{_EDITED}<p><span>Age</span><span><b>n</b></span><i>da</i></p></div><p><b>Age</b><i>nda</i></p>",
        ["application [editable]", f"paragraph: {_LONG.strip()}", "paragraph: Agenda", "paragraph: Age nda"],
    ),
    (
        f"{_EDITED}<p contenteditable=false><b>Ann</b><b>Bob</b></p></div>",
        ["application [editable]", f"paragraph: {_LONG.strip()}", "paragraph: Ann Bob"],
    ),
    ("<p>a</p><iframe></iframe>", ["paragraph: a", "Iframe"]),
]


async def test_lines(page: hybridsnap.Page, subtests: pytest.Subtests) -> None:
    for html, expected in _LINES:
        with subtests.test(html):
            assert await lines_of(page, html) == expected


async def test_links_among_text_keep_their_ids_and_breaks(page: hybridsnap.Page) -> None:
    (line,) = await lines_of(page, "<p>see <a href=x>one <kbd>K</kbd></a><br><a href=y>two</a>.</p>")
    assert line.startswith("paragraph: see [")
    assert "] one `K` / [" in line
    assert line.endswith("] two.")


async def test_tables_within_preformatted_text_glue_no_words(page: hybridsnap.Page) -> None:
    html = "<pre>a\n<div>b</div><div>c</div><table><tr><td>d<td>e<tr><td>f</table><b>g</b>h</pre>"
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    rendering = (await page.snapshot()).render("ai")
    lines = [line.strip() for line in rendering.splitlines()]
    assert lines[-6:] == ["| a", "| b", "| c", "| d   e", "| f", "| gh"]
