"""The `html` format in a real parser: it gives back the page's own tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.pages import at_rest, serve_pages

if TYPE_CHECKING:
    from hybridsnap import Browser, Page

GOLDEN = Path(__file__).parent.parent / "golden"
FILES = {
    f"/{path.relative_to(GOLDEN).as_posix()}": path.read_text(encoding="utf-8")
    for path in [*GOLDEN.glob("*.*html"), *GOLDEN.glob("parts/*")]
}
#: What is left out on purpose, or cannot be said in HTML: scripts' work, templates' contents, XHTML.
_NOT_THE_SAME = ("<script", "<noscript", "<template", 'type="password"', "type=password")
PAGES = sorted(
    name
    for name, html in FILES.items()
    if name.count("/") == 1 and name.endswith(".html") and not any(word in html for word in _NOT_THE_SAME)
)

ODD = r"""<!doctype html><html lang=en data-x='a"b<c>&amp;&nbsp;'><head><title>A &lt; B</title>
<style>a > b::after { content: "</b>" }</style></head><body onload="0"><!-- c -- d --><pre>

two breaks</pre><textarea>
</textarea><table><tr><td>cell<tr><td>next</table><p>one<p>two<br>three<hr>
<svg viewBox="0 0 9 9"><linearGradient id=g /><style>a > b</style><foreignObject><p>in</p></foreignObject>
<title>t &amp; t</title></svg><math><mi>x</mi><annotation-xml><b>y</b></annotation-xml></math>
<select><option>a &amp; b<option selected>c</select><iframe>raw <b> text</iframe><xmp><b></xmp>
<noembed><p></noembed><input value="a&quot;b"><a href="?a=1&amp;b=2">&lt;script&gt;&nbsp;</a>
<p title="&#27;[1m">&#27;[1m&#127;&#8238;&#8232;
<p>&#13;x<custom-el attr>中文 😀</custom-el><object><p>fallback</p></object>
<video controls></video><details open><summary>s</summary>d</details>
</body></html>
after"""

#: What a parser made of the output, without the templates that are not the page's.
_OUTER = """(() => {
    for (const one of document.querySelectorAll("template[data-frame]")) one.remove();
    return document.documentElement.outerHTML;
})()"""


async def evaluate(page: Page, expression: str) -> str:
    answer = await page.session.send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
    assert "exceptionDetails" not in answer, answer
    return str(answer["result"]["value"])


async def parse(page: Page, html: str) -> None:
    """Have the page hold what Chromium's parser makes of `html`."""
    frame = (await page.session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    await page.session.send("Page.setDocumentContent", {"frameId": frame, "html": html})


async def test_the_page_s_own_tree(browser: Browser) -> None:
    files = {**FILES, "/odd": ODD}
    async with serve_pages(files) as pages:
        page, again = await browser.new_page(), await browser.new_page()
        for path in ("/odd", *PAGES):
            await page.goto(pages.url(path), wait=at_rest([files[path]]))
            snapshot = await page.snapshot(timeout=20)
            await parse(again, str(snapshot.render("html")))
            for expression in (_OUTER, "document.body.textContent"):
                assert await evaluate(again, expression) == await evaluate(page, expression), path


async def test_frames_shadow_roots_and_scripts(browser: Browser) -> None:
    files = {
        "/": """<!doctype html><title>outer</title><p>before</p><x-card>light</x-card>
            <iframe src="http://localhost:{PORT}/far.html"></iframe><iframe srcdoc="<p>near</p>"></iframe>
            <script>document.querySelector("x-card").attachShadow({mode: "closed"}).innerHTML =
                "<b>in shadow</b><iframe srcdoc='<i>in both</i>'></iframe>";
            document.body.append(document.createComment("--><img src=/forged>"));
            document.body.append(document.createElement("style"));
            document.querySelector("body > style").textContent = "/* </style><img src=/forged> */";
            </script><p>after</p>""",
        "/far.html": "<!doctype html><title>far</title><frameset><frame src='/leaf.html'></frameset>",
        "/leaf.html": "<p>leaf</p><script>document.write('<p>written</p>')</script>",
    }
    async with serve_pages(files) as pages:
        page = await browser.new_page(pages.url("/"))
        snapshot = await page.snapshot(timeout=20)
        assert snapshot.report.complete, snapshot.report
        printed = str(snapshot.render("html"))
        again = await browser.new_page()
        await parse(again, printed)
        frames = await evaluate(
            again,
            """(() => {
                const found = [];
                const open = [document];
                while (open.length) {
                    const here = open.shift();
                    for (const one of here.querySelectorAll("template")) {
                        const text = one.content.textContent.replace(/\\s+/g, "");
                        if (one.hasAttribute("data-frame")) found.push(text);
                        open.push(one.content);
                    }
                }
                return found.sort().join("|");
            })()""",
        )
        assert frames == "far|leafwritten|near"
        assert 'shadowrootmode="closed"><b>in shadow</b>' in printed
        assert "<i>in both</i>" in printed
        assert await evaluate(again, "String(document.querySelectorAll('img').length)") == "0"
        text = "(one => one.innerText.split(/\\s+/).join(' ').trim())(document.body)"
        assert await evaluate(again, text) == await evaluate(page, text)
