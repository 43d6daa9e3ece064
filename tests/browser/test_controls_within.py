"""Where an element is pressed that holds other controls: at its own words, or else it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hybridsnap import ElementCovered, NotInteractable
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from hybridsnap import Page

_CLICKED = "<script>onclick = (e) => { document.title = e.target.closest('[id]').id }</script>"
_ROLES = (
    *(
        "tab",
        "option",
        "row",
        "gridcell",
        "cell",
        "listitem",
        "article",
        "group",
        "menuitem",
        "menuitemradio",
    ),
    *("heading", "switch", "radio", "checkbox", "treeitem", "button", "link"),
)
_OVER = "style='position:absolute;top:10px;left:100px;width:100px;height:20px'"
_WIDE = "tabindex=0 style='position:relative;width:300px;height:40px'"
_PLAIN = "style='position:relative;width:300px;height:40px'"
#: A custom element that is a button, and one that holds words and a button.
_SHADOWED = f"""<script>
  const within = {{
    "x-button": `<button id=a style='width:100%;height:100%'><slot></slot></button>`,
    "x-row": `<div {_WIDE}>Ann<button id=a {_OVER}>Delete</button></div>`,
  }};
  for (const [name, html] of Object.entries(within)) {{
    customElements.define(name, class extends HTMLElement {{
      constructor() {{ super(); this.attachShadow({{ mode: "open" }}).innerHTML = html; }}
    }});
  }}
</script>"""
_BELOW = "".join(f"<li role=treeitem id=b{n}>Kind {n}" for n in range(60))
_HOLDERS = {
    "item of a tree": "<ul role=tree><li role=treeitem id=it>Fruit<ul role=group><li role=treeitem id=a>Apple"
    "<li role=treeitem id=b>Pear<li role=treeitem id=c>Kiwi</ul></ul>",
    "item of a tree higher than the view": (
        f"<br style='line-height:2000px'><ul role=tree><li role=treeitem id=it>Fruit<ul>{_BELOW}</ul></ul>"
    ),
    "item of a tree that scrolls": (
        "<div style='height:200px;overflow:auto'><div style='height:700px'></div><ul role=tree>"
        f"<li role=treeitem id=it><span>Fruit</span><ul role=group>{_BELOW}</ul></ul></div>"
    ),
    "item with a box to tick": (
        "<div id=it role=treeitem style='width:90px;display:flex'>"
        "<b aria-hidden=true>▸</b><input id=a type=checkbox style='width:60px'><span>Fruit</span></div>"
    ),
    "item of a list": "<ul><li id=it>Fruit<ul><li id=a>Apple<li id=b>Pear<li id=c>Kiwi</ul></ul>",
    "link with a button": (
        "<a id=it href='#1' style='display:block;width:200px;text-align:center'>Tea<br>"
        "<button id=a>Add</button><br>2 pounds</a>"
    ),
    "row of a table": (
        "<table role=grid><tr id=it tabindex=0><td>Ann<td><button id=a>Delete</button><td>Age 20</table>"
    ),
    "row with a link": "<table><tr id=it tabindex=0><td>Ann<td><a id=a href='#1'>Profile</a><td>20</table>",
    "row with a label": (
        f"<div id=it role=row {_WIDE}>Ann<label id=l {_OVER}><input id=a type=checkbox>Mark</label></div>"
    ),
    "row that shows a button under the pointer": (
        f"<style>#it:not(:hover) button {{ display: none }}</style><div id=it role=row {_WIDE}>Ann"
        f"<button id=a {_OVER}>Delete</button></div>"
    ),
    "row with a custom element": f"<div id=it role=row {_WIDE}>Ann<x-button {_OVER}>Delete</x-button></div>",
    "row in a shadow tree": "<x-row id=it role=row tabindex=0 style='display:block'></x-row>",
    "tab with a picture": (
        f"<div id=it role=tab aria-label=Home {_WIDE}><svg width=20 height=20></svg>"
        f"<button id=a {_OVER}>x</button></div>"
    ),
    "tab whose words are cut off under its button": (
        f"<div id=it role=tab {_WIDE}><div style='overflow:hidden;white-space:nowrap;width:90px'>A name that"
        f" is much longer than its tab</div><button id=a {_OVER}>x</button></div>"
    ),
    "option with words for the eye only": (
        f"<div id=it role=option aria-label=Ann {_WIDE}><b aria-hidden=true>Ann</b>"
        f"<button id=a aria-label='Ann: remove' {_OVER}>x</button></div>"
    ),
    "summary": f"<details><summary id=it {_WIDE}>More<button id=a {_OVER}>x</button></summary></details>",
    "cell with two buttons": (
        "<table><tr><td id=it style='padding:9px'><button id=a>A</button><button id=b>B</button></table>"
    ),
    **{
        role: f"<div id=it role={role} {_WIDE}>Ann<button id=a {_OVER}>Delete</button></div>"
        for role in _ROLES
    },
}


@pytest.mark.parametrize("holder", _HOLDERS)
async def test_what_holds_others_is_clicked_at_its_own_words(page: Page, holder: str) -> None:
    async with serve_pages({"/": _SHADOWED + _CLICKED + _HOLDERS[holder]}) as pages:
        await page.goto(pages.url())
        await page.click("#it")
        assert await page.evaluate("() => document.title") == "it"


async def test_a_row_in_a_frame_is_clicked_at_its_own_words(page: Page) -> None:
    framed = "<iframe src=/in width=400 height=200></iframe>"
    async with serve_pages({"/": framed, "/in": _CLICKED + _HOLDERS["row"]}) as pages:
        await page.goto(pages.url())
        row = (await page.snapshot()).find(role="row")[0]
        await page.click(row.id)
        assert await page.evaluate("() => frames[0].document.title") == "it"


# Its only useful place is the control in it
_FOR = {
    "button around a button": (
        "<div id=it role=button tabindex=0 style='width:60px'><button id=a>Go</button></div>"
    ),
    "button filled by another": (
        "<div id=it role=button tabindex=0 aria-label=Upload style='display:inline-block'>"
        "<button id=a>Browse</button></div>"
    ),
    "cell with a button": "<table><tr><td id=it style='padding:9px'><button id=a>Save</button></table>",
    "cell with a box": "<table><tr><td id=it style='padding:9px'><input id=a type=checkbox></table>",
    "item with a link": "<ul><li id=it style='width:40px'><a id=a href='#1'>Home</a></ul>",
    "card with a link": (f"<article id=it {_PLAIN}>Card <a id=a href='#1' {_OVER}>More</a></article>"),
    "link stretched over a card": (
        "<style>#a::after { content: ''; position: absolute; inset: 0 }</style>"
        f"<div id=it {_WIDE}><b>Title</b> <a id=a href='#1'>More</a></div>"
    ),
    "box around a box": f"<div id=it role=checkbox {_WIDE}>Accept<input id=a type=checkbox {_OVER}></div>",
    "field around": f"<div id=it {_PLAIN}>Name<input id=a {_OVER}></div>",
    "combobox": f"<div id=it role=combobox {_WIDE}><button>x</button><input id=a {_OVER}></div>",
    "custom element": "<x-button id=it>Press</x-button>",
}


@pytest.mark.parametrize("holder", _FOR)
async def test_what_is_for_the_control_in_it_is_clicked_there(page: Page, holder: str) -> None:
    async with serve_pages({"/": _SHADOWED + _CLICKED + _FOR[holder]}) as pages:
        await page.goto(pages.url())
        await page.click("#it")
        pressed = await page.evaluate("() => document.title")
        assert pressed == ("it" if holder == "custom element" else "a")


async def test_what_is_filled_with_controls_is_refused_and_they_are_named(page: Page) -> None:
    tabs = "<div role=tablist id=it style='display:flex;width:200px'>" + "".join(
        f"<div role=tab tabindex=0 style='flex:1' id={name}>{name}</div>" for name in "abc"
    )
    row = (
        f"<div id=row role=row {_WIDE}>Ann<button id=x style='position:absolute;z-index:2;inset:0 0 0 50px'>"
        "Delete</button><div style='position:absolute;inset:0;background:#eee' id=over>over</div></div>"
    )
    async with serve_pages({"/": _CLICKED + tabs + "</div>" + row}) as pages:
        await page.goto(pages.url())
        with pytest.raises(ElementCovered, match="controls in it take all of its place") as caught:
            await page.click("#it", wait=False)
        assert (caught.value.cover_role, caught.value.cover_name) == ("tab", "b")
        assert await page.evaluate("() => document.title") == ""
        await page.hover("#it")
        await page.click("#it", position=(10, 5))
        assert await page.evaluate("() => document.title") == "a"


async def test_a_box_is_checked_beside_the_link_in_it(page: Page) -> None:
    toggle = "this.ariaChecked = String(this.ariaChecked !== 'true')"
    box = (
        f'<div role=checkbox aria-checked=false id=it {_WIDE} onclick="{toggle}">Accept '
        f"<a href='#terms' onclick='event.stopPropagation()' {_OVER}>terms</a></div>"
    )
    async with serve_pages({"/": box}) as pages:
        await page.goto(pages.url())
        await page.check("#it")
        assert await page.evaluate("() => [it.ariaChecked, location.hash]") == ["true", ""]


async def test_a_box_that_lets_the_pointer_through_is_checked_at_the_item_around_it(page: Page) -> None:
    """As the items of Shoelace's tree have it."""
    item = """<div role=treeitem tabindex=-1><div id=it style="cursor:pointer;padding:9px;width:200px"
      onclick="if (!fixed) box.checked = !box.checked"><span style="pointer-events:none"><input type=checkbox
      id=box aria-label=Mark></span>Fruit</div></div><div style="padding:9px"><input type=checkbox id=dead
      aria-label=Dead style="pointer-events:none"></div><script>fixed = false</script>"""
    framed = {"/": item, "/framed": "<iframe src=/ width=400 height=200></iframe>"}
    async with serve_pages(framed) as pages:
        for path in ("/", "/framed"):
            await page.goto(pages.url(path))
            frame = "window" if path == "/" else "frames[0]"
            box = (await page.snapshot()).find(role="checkbox", name="Mark")[0].id
            receipt = await page.check(box)
            assert await page.evaluate(f"() => {frame}.box.checked")
            assert receipt.notes == ("at the element around it, which stands for it",)
            await page.uncheck(box)
            assert not await page.evaluate(f"() => {frame}.box.checked")
            with pytest.raises(NotInteractable, match="lets the pointer through"):
                await page.click(box, wait=False)
        await page.goto(pages.url("/"))
        with pytest.raises(NotInteractable, match="lets the pointer through"):
            await page.check("#dead", wait=False)
        await page.evaluate("() => { fixed = true }")
        with pytest.raises(NotInteractable, match="it was clicked, and is unchecked") as caught:
            await page.check("#box")
        assert caught.value.partial


async def test_what_says_the_same_does_the_same(page: Page) -> None:
    """An item of a tree that listens to clicks in its link only."""
    item = "<li role=treeitem id=it style='display:inline-block;padding:20px'><a id=a href='#1'>Fruit</a>"
    async with serve_pages({"/": f"{_CLICKED}<ul role=tree>{item}</ul>"}) as pages:
        await page.goto(pages.url())
        await page.click("#it")
        assert await page.evaluate("() => document.title") == "a"
