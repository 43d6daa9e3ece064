"""The hybrid tree of a page: nothing lost, nothing forged. Of the golden pages: test_golden.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from tests.support.document_checks import check_document, ids_of
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from hybridsnap import Page


async def evaluate(page: Page, expression: str) -> None:
    await page.session.send("Runtime.evaluate", {"expression": expression})


async def test_frames_and_shadow_roots(page: Page) -> None:
    html = """<!doctype html><title>T</title>
      <form id="pay"><x-pay><template shadowrootmode="closed"><button>Pay</button></template></x-pay></form>
      <form id="other"><iframe srcdoc="<button>Inner</button>"></iframe>
      <iframe src="http://localhost:{PORT}/far"></iframe></form>"""
    async with serve_pages({"/": html, "/far": "<title>Far</title><button disabled>Far</button>"}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=20)
        check_document(snapshot)
        (form,) = snapshot.xpath("//form[.//*[@hs:role='button' and @hs:name='Pay']]")
        assert snapshot.node(form).attributes == {"id": "pay"}
        (other,) = snapshot.css("#other")
        assert [snapshot.node(id_).name for id_ in snapshot.css("#other button")] == ["Inner", "Far"]
        assert [found.name for found in snapshot.find("button", within=other)] == ["Inner", "Far"]
        (far,) = snapshot.xpath("//hs:document[@hs:name='Far']//button[@hs:disabled='true']")
        await evaluate(page, "document.querySelector('form').remove()")
        assert snapshot.node(far).text == "Far", "a snapshot asks the browser nothing"


async def test_what_had_the_focus(page: Page) -> None:
    html = "<!doctype html><title>T</title><input id=a><form><input id=b autofocus></form>"
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        await page.focus("#b")
        snapshot = await page.snapshot()
        assert snapshot.css(":focus") == snapshot.css("#b")
        assert snapshot.css("input:not(:focus)") == snapshot.css("#a")


async def test_a_typed_password_is_nowhere(page: Page) -> None:
    html = "<!doctype html><title>T</title><input type=password aria-label=P><input aria-label=Q>"
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        await evaluate(
            page,
            "for (const one of document.querySelectorAll('input')) one.value = 'typed ' + one.ariaLabel",
        )
        snapshot = await page.snapshot(timeout=20)
        source = etree.tostring(snapshot.to_lxml(), encoding="unicode")
        assert "typed Q" in source
        assert "typed P" not in source
        assert "typed P" not in snapshot.render("xml")
        for id_ in snapshot.combined_xpath_map:
            assert "typed P" not in f"{snapshot.node(id_)} {snapshot.node(id_).text}"


async def test_text_without_what_is_hidden(page: Page) -> None:
    html = """<!doctype html><title>T</title>
      <style>.v { visibility: hidden } .w { visibility: visible }</style>
      <p>plain <b>bold</b><span style="display:none">out <i>out</i></span>, <i>next</i></p>
      <p class=v>out <b class=w>seen</b></p>
      <p aria-hidden=true>out</p><p hidden>out</p><p inert>out</p><dialog>out</dialog>
      <details><summary>Summary</summary>out</details><details open><summary>Open</summary>in</details>
      <div style="content-visibility:hidden">out</div>
      <button aria-label=Pay>Pay <span>now</span><span style="display:none">out</span></button>
      <div role=img aria-label=Logo>logo</div> <label><input type=radio> Radio</label>
      <select size=3><option>Ann<option hidden>out<option>Bob</select> <datalist><option>out</datalist>
      <textarea>out</textarea><noscript>out</noscript><template>out</template><video>out</video>
      <x-a><span>out</span></x-a><x-b><span>slotted</span></x-b>
      <script>let out</script><style>.out {}</style>
      <table><tr><th>Cell<td>1<sup>st</sup></table><pre>two
      lines</pre><svg><title>out</title><text>svg</text></svg>
      <script>for (const [name, inner] of [["x-a", "<b>out</b>"], ["x-b", "<b>out</b><slot></slot>"]])
        document.querySelector(name).attachShadow({ mode: "open" }).innerHTML = inner</script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=20)
        (body,) = snapshot.css("body")
        assert snapshot.node(body).text == (
            "plain bold, next seen Summary Open in Pay now logo Radio Ann Bob slotted Cell 1st two lines svg"
        )
        for selector in ("p[hidden]", "dialog", "script", "textarea"):
            assert snapshot.node(snapshot.css(selector)[0]).text == "", selector


async def test_what_stands_above_a_focus(page: Page) -> None:
    html = "<!doctype html><title>T</title><main><form><button>Pay</button></form><p>beside</p></main>"
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=20, focus="form")
        (form,) = snapshot.xpath("//main/form")
        assert [snapshot.node(id_).tag for id_ in ids_of(snapshot.to_lxml())] == ["form", "button"]
        assert snapshot.xpath("//main") == snapshot.css("p") == []
        assert snapshot.node(form).parent is None
        etree.fromstring(snapshot.render("xml"))
