"""Components as the libraries of the web make them, reduced to what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hybridsnap import NotInteractable
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page, Snapshot
    from tests.support.pages import Content, PageServer

_POPUP = """onmousedown="pop.hidden = !pop.hidden; this.ariaExpanded = String(!pop.hidden)" """
_PAGES: dict[str, Content] = {
    # A combobox whose popup is a tree, beside a list of its own.
    "/tree": f"""<style>[hidden] {{ display: none }}</style><script>log = []</script>
        <input id=cb role=combobox aria-label=Tree aria-haspopup=tree aria-expanded=false aria-controls=pop
          readonly {_POPUP}>
        <ul role=tree id=pop hidden><li role=treeitem onclick="cb.value = 'Apple'">Apple
          <li role=treeitem>Pear</ul>
        <div role=listbox aria-label=Other tabindex=0><div role=option onclick="log.push('Apple')">Apple</div>
          <div role=option onclick="log.push('Lemon')">Lemon</div></div>""",
    "/editors": """<div></div><div id=a contenteditable role=textbox><div><span>let</span> a = 1;</div></div>
        <div></div><p>Notes</p><div></div><div id=b contenteditable role=textbox><p>Hello</p></div>""",
    "/slider": """<div role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=100
        aria-valuenow=10 onkeydown="const by = {ArrowRight: 1, ArrowLeft: -1}[event.key] ?? 0;
        this.ariaValueNow = +this.ariaValueNow + by; shown.textContent = this.ariaValueNow"
        ><span id=shown>10</span></div>""",
    # Named by a label that says its value, beside another one.
    "/labelled": """<label id=l>Price <b id=shown>10</b></label><div role=slider tabindex=0 aria-labelledby=l
        aria-valuenow=10 onkeydown="const by = {ArrowRight: 1, ArrowLeft: -1}[event.key] ?? 0;
        this.ariaValueNow = +this.ariaValueNow + by; shown.textContent = this.ariaValueNow">o</div>
        <label id=m>Price 30</label><div role=slider tabindex=0 aria-labelledby=m aria-valuenow=30>o</div>""",
    "/stubborn": """<div contenteditable role=textbox aria-label=Text onbeforeinput="event.preventDefault()">
        abc</div>""",
    "/news": """<div aria-live=polite><p>Old one</p><p id=news></p></div>
        <button onclick="news.textContent = 'fresh'">Tell</button>""",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def look(page: Page, pages: PageServer, path: str) -> Snapshot:
    await page.goto(pages.url(path))
    return await page.snapshot()


async def test_a_combobox_that_opens_a_tree(page: Page, pages: PageServer) -> None:
    tree = (await look(page, pages, "/tree")).find("combobox", "Tree")[0].id
    await page.select_option(tree, label="Apple")
    assert await page.evaluate("[cb.value, log.length]") == ["Apple", 0]


async def test_the_options_of_another_list_are_not_taken(page: Page, pages: PageServer) -> None:
    tree = (await look(page, pages, "/tree")).find("combobox", "Tree")[0].id
    with pytest.raises(NotInteractable, match='no option "Lemon"; it has "Apple", "Pear"'):
        await page.select_option(tree, label="Lemon", timeout=5)
    assert await page.evaluate("log.length") == 0


async def test_editors_without_a_name_are_told_apart_and_typed_into(page: Page, pages: PageServer) -> None:
    snapshot = await look(page, pages, "/editors")
    first, second = (row.id for row in snapshot.rows if row.role == "textbox")
    assert first is not None
    assert second is not None
    await page.fill(first, "one two")
    await page.fill(second, "bee")
    await page.type(second, " more")
    await page.type(first, "!")
    assert await page.evaluate("[a.innerText.trim(), b.innerText.trim()]") == ["one two!", "bee more"]


async def test_a_slider_that_shows_its_value(page: Page, pages: PageServer) -> None:
    slider = (await look(page, pages, "/slider")).find("slider", "Volume")[0].id
    receipt = await page.fill(slider, "20")
    assert await page.evaluate("shown.textContent") == "20"
    assert 'value: "10" → "20"' in str(receipt)


async def test_a_slider_whose_name_says_its_value(page: Page, pages: PageServer) -> None:
    slider = (await look(page, pages, "/labelled")).find("slider", "Price 10")[0].id
    await page.fill(slider, 20)
    assert await page.evaluate("shown.textContent") == "20"


async def test_an_editor_that_keeps_its_text_is_not_called_cleared(page: Page, pages: PageServer) -> None:
    text = (await look(page, pages, "/stubborn")).find("textbox", "Text")[0].id
    receipt = await page.clear(text)
    assert receipt.notes == ("the page, or the field, made something else of the text",)


_ANNOUNCED = {
    "a list that is full": (
        f"<div role=log id=g>{'<p>Message number 0' * 40}</div>",
        "g.append(Object.assign(document.createElement('p'), {textContent: 'the new one'}))",
        ("the new one",),
    ),
    "a list that is drawn anew": (
        f"<div role=log id=g><ul>{'<li>Message number 0' * 40}</ul></div>",
        "g.innerHTML = g.innerHTML.replace('</ul>', '<li>the <b>new</b> one</ul>')",
        ("the new one",),
    ),
    "a list that lets the first one go": (
        "<div aria-live=polite id=g><p>one</p><p>two</p></div>",
        "g.firstChild.remove(); g.insertAdjacentHTML('beforeend', '<p>three</p>')",
        ("three",),
    ),
    "what is taken away": (
        "<div aria-live=polite id=g><i>News</i> <i>Travel</i></div>",
        "g.firstChild.remove()",
        (),
    ),
    "what is moved": ("<div aria-live=polite id=g><i>a</i><i>b</i></div>", "g.append(g.firstChild)", ()),
    "what is read as a whole": (
        "<div role=status id=g>Basket: <b>1</b> item</div>",
        "g.querySelector('b').firstChild.data = '2'",
        ("Basket: 2 item",),
    ),
    "a part that is read as a whole": (
        "<div aria-live=polite><p>Old</p><p aria-atomic=true>Total: <b id=g>1</b></p></div>",
        "g.textContent = '2'",
        ("Total: 2",),
    ),
    "a status that is not": (
        "<div role=status aria-atomic=false>Basket: <b id=g>1</b></div>",
        "g.textContent = '2'",
        ("2",),
    ),
    "additions only": (
        "<div role=log aria-relevant=additions id=g><p>one</p></div>",
        (
            "g.firstChild.firstChild.data = 'two'; g.append(Object.assign(document.createElement('p'),"
            " {textContent: 'three'}))"
        ),
        ("three",),
    ),
    "a log that is off": ("<div role=log aria-live=off id=g></div>", "g.textContent = 'x'", ()),
    "a message slotted into an alert": (
        "<x-toast id=g>Saved</x-toast><script>g.attachShadow({mode: 'open'})</script>",
        "g.shadowRoot.innerHTML = '<div role=alert><bdi><slot></slot></bdi></div>'",
        ("Saved",),
    ),
    "an alert that is shown": ("<div role=alert id=g hidden>Saved</div>", "g.hidden = false", ("Saved",)),
    "a popover with an alert that is shown": (
        (
            "<x-toast id=g popover>Saved</x-toast><script>g.attachShadow({mode: 'open'}).innerHTML ="
            " '<div role=alert><slot></slot></div>'</script>"
        ),
        "g.showPopover()",
        ("Saved",),
    ),
    "a component that was not there": (
        "<div id=g></div>",
        (
            "const one = document.createElement('x-toast'); one.attachShadow({mode: 'open'}); g.append(one);"
            " setTimeout(() => { one.shadowRoot.innerHTML = '<div role=alert>Saved</div>'; })"
        ),
        ("Saved",),
    ),
    "what changes in a component within a region": (
        (
            "<div aria-live=polite><x-a id=g></x-a></div><script>g.attachShadow({mode: 'open'}).innerHTML ="
            " '<p>old</p>'</script>"
        ),
        "g.shadowRoot.firstChild.textContent = 'fresh'",
        ("fresh",),
    ),
}


@pytest.mark.parametrize("name", _ANNOUNCED)
async def test_what_is_announced_is_what_came(page: Page, name: str) -> None:
    before, then, announced = _ANNOUNCED[name]
    html = f"""<!doctype html><title>Page</title>{before}<button onclick="{then}">Do</button>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        assert (await page.click("button")).announced == announced


async def test_what_is_announced_is_in_words(page: Page, pages: PageServer) -> None:
    button = (await look(page, pages, "/news")).find("button", "Tell")[0].id
    assert (await page.click(button)).announced == ("fresh",)
