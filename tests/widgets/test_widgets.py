"""Soak: acting by ids on the widget libraries that pages are made of, as they come from npm.

Each test is one library. What is refused stands in the test, with the reason that the refusal gives.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import trio

from hybridsnap import NotInteractable
from tests.support.faults import evaluate
from tests.support.pages import serve_pages
from tests.widgets.shelf import Shelf, install

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from hybridsnap import Browser, Page
    from tests.support.pages import PageServer

pytestmark = pytest.mark.soak

_LIB = "/lib/node_modules"
_JQUERY = f"<script src={_LIB}/jquery/dist/jquery.min.js></script>"
_LOG = "<!doctype html><meta charset=utf-8><body><script>window.log = []</script>"
_ITEMS = "".join(f"<li id=n{n}>Card {n}</li>" for n in range(1, 6))
_LIST = f"<style>li {{ height: 30px; margin: 2px }}</style><ul id=list style='padding:0'>{_ITEMS}</ul>"
_PAGES = {
    "/react": "<!doctype html><meta charset=utf-8><div id=root></div><script src=/lib/react.js></script>",
    "/select2": f"""{_LOG}<link rel=stylesheet href={_LIB}/select2/dist/css/select2.min.css>{_JQUERY}
      <script src={_LIB}/select2/dist/js/select2.min.js></script>
      <select id=one aria-label=Color style='width:200px'>
      <option value=r>Red<option value=g>Green<option value=b>Blue</select><script>
      $('#one').select2().on('change', (event) => log.push('color ' + event.target.value));</script>""",
    "/sortable": f"""{_LOG}{_LIST}<script src={_LIB}/sortablejs/Sortable.min.js></script>
      <script>new Sortable(list, {{ animation: 150 }})</script>""",
    "/jquery-ui": f"""{_LOG}{_LIST}{_JQUERY}<script src={_LIB}/jquery-ui-dist/jquery-ui.min.js></script>
      <script>$('#list').sortable()</script>""",
    "/flatpickr": f"""{_LOG}<link rel=stylesheet href={_LIB}/flatpickr/dist/flatpickr.min.css>
      <script src={_LIB}/flatpickr/dist/flatpickr.min.js></script><input id=day aria-label=Day>
      <input id=typed aria-label=Typed><script>
      flatpickr(day, {{ defaultDate: "2026-03-05", onChange: (_, text) => log.push("day " + text) }});
      flatpickr(typed, {{ allowInput: true, onChange: (_, text) => log.push("typed " + text) }});</script>""",
    "/ag-grid": f"""{_LOG}<div id=grid style='height:300px;width:500px'></div>
      <script src={_LIB}/ag-grid-community/dist/ag-grid-community.min.js></script><script>
      agGrid.ModuleRegistry?.registerModules([agGrid.AllCommunityModule]);
      agGrid.createGrid(grid, {{ columnDefs: [{{ field: "make", editable: true }}, {{ field: "price" }}],
        rowData: Array.from({{ length: 500 }}, (_, n) => ({{ make: "Make " + n, price: 1000 - n }})),
        onCellValueChanged: (event) => log.push("cell " + event.newValue) }});</script>""",
    "/shoelace": f"""{_LOG}<link rel=stylesheet href={_LIB}/@shoelace-style/shoelace/cdn/themes/light.css>
      <script type=module src={_LIB}/@shoelace-style/shoelace/cdn/shoelace.js></script>
      <sl-input id=name label=Name></sl-input><sl-checkbox id=terms>Terms</sl-checkbox>
      <sl-select id=color label=Color><sl-option value=r>Red</sl-option><sl-option value=g>Green</sl-option>
      </sl-select><sl-button id=press>Press me</sl-button><script>
      const say = (what, value) => log.push(what + " " + value);
      const field = document.getElementById("name");
      field.addEventListener("sl-input", (event) => say("name", event.target.value));
      terms.addEventListener("sl-change", (event) => say("terms", event.target.checked));
      color.addEventListener("sl-change", (event) => say("color", event.target.value));
      press.addEventListener("click", () => say("button", 1));</script>""",
    "/codemirror": f"""{_LOG}<link rel=stylesheet href={_LIB}/codemirror/lib/codemirror.css>
      <script src={_LIB}/codemirror/lib/codemirror.js></script><script>
      window.editor = CodeMirror(document.body, {{ value: "one", inputStyle: "contenteditable",
        screenReaderLabel: "Code" }});</script>""",
    "/quill": f"""{_LOG}<link rel=stylesheet href={_LIB}/quill/dist/quill.snow.css>
      <script src={_LIB}/quill/dist/quill.js></script><div id=box><p>one</p></div><script>
      window.editor = new Quill("#box", {{ theme: "snow" }}); editor.root.ariaLabel = "Letter";
      editor.root.role = "textbox";</script>""",
    "/tinymce": f"""{_LOG}<script src={_LIB}/tinymce/tinymce.min.js></script><textarea id=area>one</textarea>
      <script>tinymce.init({{ selector: "#area", license_key: "gpl", promotion: false }})</script>""",
    "/vue": f"""{_LOG}<div id=app><input aria-label=Name v-model=name>
      <button @click="items.push(name)">Add</button>
      <select aria-label=Color v-model=color><option value=r>Red<option value=g>Green</select>
      <input type=checkbox aria-label=Terms v-model=terms>
      <output>{{{{ name }}}} {{{{ color }}}} {{{{ terms }}}}</output>
      <ul><li v-for="(one, n) in items" :key=n><span>{{{{ one }}}}</span>
      <button @click="items.splice(n, 1)">Delete</button></li></ul></div>
      <script src={_LIB}/vue/dist/vue.global.prod.js></script><script>Vue.createApp({{ data: () => (
      {{ name: "", color: "r", terms: false, items: ["Ann", "Bob"] }}) }}).mount("#app")</script>""",
}


@pytest.fixture(scope="module")
def libraries() -> Path:
    return install()


@pytest.fixture
async def server(libraries: Path) -> AsyncIterator[PageServer]:
    async with serve_pages(Shelf(libraries, _PAGES)) as server:
        yield server


class Widget:
    """A page of a library, acted on by the ids of snapshots."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def id(self, role: str, name: str) -> str:
        with trio.fail_after(20):
            while True:
                found = (await self.page.snapshot()).find(role=role, name=name)
                if found:
                    return str(found[0].id)
                await trio.sleep(0.1)

    async def log(self) -> list[str]:
        return list(json.loads(await evaluate(self.page.session, "JSON.stringify(log.splice(0))")))

    async def shows(self, expression: str, wanted: Any) -> None:
        """Until the page has it so: widgets draw late."""
        for _ in range(100):
            found = await evaluate(self.page.session, expression)
            if found == wanted:
                return
            await trio.sleep(0.05)
        assert found == wanted


@pytest.fixture
def opened(browser: Browser, server: PageServer) -> Callable[[str], Any]:
    async def open_page(path: str) -> Widget:
        return Widget(await browser.new_page(server.url(path)))

    return open_page


async def test_mui(opened: Callable[[str], Any]) -> None:
    widget = await opened("/react#mui")
    page = widget.page
    await page.click(await widget.id("button", "Press me"))
    await page.fill(await widget.id("textbox", "Full name"), "Ada")
    assert await widget.log() == ["button 1", "name Ada"]
    await page.select_option(await widget.id("combobox", "Color"), label="Blue")
    assert await widget.log() == ["color blue"]
    await page.select_option(await widget.id("combobox", "Item"), label="Item 250")
    assert await widget.log() == ["auto Item 250"]
    await page.check(await widget.id("checkbox", "Terms"))
    await page.check(await widget.id("switch", "Dark"))
    await page.fill(await widget.id("slider", "Volume"), 70)
    assert await widget.log() == ["terms true", "dark true", "volume 70"]
    await page.click(await widget.id("button", "Open dialog"))
    await page.click(await widget.id("button", "Yes, do it"))
    assert await widget.log() == ["dialog yes"]


async def test_antd(opened: Callable[[str], Any]) -> None:
    widget = await opened("/react#antd")
    page = widget.page
    await page.click(await widget.id("button", "Press me"))
    assert await widget.log() == ["button 1"]
    await page.select_option(await widget.id("combobox", "Color"), label="Green")
    assert await widget.log() == ["color green"]
    await page.select_option(await widget.id("combobox", "Item"), label="Item 250")
    assert await widget.log() == ["item Item 250"]
    await page.select_option(await widget.id("combobox", "Colors"), label=["Red", "Blue"])
    assert await widget.log() == ["colors red", "colors red+blue"]
    await page.press("Escape")
    await page.check(await widget.id("checkbox", "Terms"))
    await page.check(await widget.id("switch", "Dark"))
    await page.fill(await widget.id("slider", "Volume"), 35)
    said = await widget.log()
    assert [said[0], said[1], said[-1]] == ["terms true", "dark true", "volume 35"]
    await page.type(await widget.id("textbox", "Day"), "2026-03-05", submit=True)
    assert await widget.log() == ["day 2026-03-05"]
    await page.click(await widget.id("button", "Open modal"))
    await page.click(await widget.id("button", "Yes, do it"))
    assert await widget.log() == ["modal yes"]
    await widget.shows("document.querySelector('.ant-modal-wrap')?.checkVisibility() ?? false", False)
    receipt = await page.scroll("down", element=".ant-table-tbody-virtual-holder", distance=2000)
    assert receipt.value["what"] in {"view", "element"}
    assert receipt.value["y"] == pytest.approx(2000, abs=60)
    assert not (await page.snapshot()).find(name="Person 0")


async def test_react_select(opened: Callable[[str], Any]) -> None:
    widget = await opened("/react#select")
    await widget.page.select_option(await widget.id("combobox", "Color"), label="Violet")
    assert await widget.log() == ["color violet"]
    await widget.page.select_option(await widget.id("combobox", "Colors"), label=["Red", "Blue"])
    assert await widget.log() == ["colors red", "colors red+blue"]
    with pytest.raises(NotInteractable, match='it has no option "Pink"'):
        await widget.page.select_option(await widget.id("combobox", "Color"), label="Pink")


async def test_select2(opened: Callable[[str], Any]) -> None:
    widget = await opened("/select2")
    # The select that the widget hides, and the widget itself.
    await widget.page.select_option("#one", label="Blue")
    assert await widget.log() == ["color b"]
    await widget.shows("document.querySelector('.select2-selection__rendered').title.trim()", "Blue")
    await widget.page.select_option(".select2-selection", label="Green")
    assert await widget.log() == ["color g"]


@pytest.mark.parametrize("library", ["sortable", "jquery-ui"])
async def test_sortable_lists(opened: Callable[[str], Any], library: str) -> None:
    widget = await opened(f"/{library}")
    order = "[...document.querySelectorAll('#list li')].map((one) => one.textContent.slice(-1)).join('')"
    now = "12345"
    for source, target in ((1, 3), (5, 1), (2, 5), (4, 2)):
        row, onto = [await widget.id("StaticText", f"Card {n}") for n in (source, target)]
        await widget.page.drag(row, onto)
        at = now.index(str(target))
        rest = now.replace(str(source), "")
        now = rest[:at] + str(source) + rest[at:]
        await widget.shows(order, now)
        await trio.sleep(0.3)  # its items move to their places


async def test_flatpickr(opened: Callable[[str], Any]) -> None:
    widget = await opened("/flatpickr")
    page = widget.page
    # A field of a picker is read-only for a person, too: the calendar is the way.
    with pytest.raises(NotInteractable, match="read-only"):
        await page.fill(await widget.id("textbox", "Day"), "2026-03-17")
    await page.click(await widget.id("textbox", "Day"))
    await page.click(await widget.id("generic", "March 17, 2026"))
    assert await widget.log() == ["day 2026-03-17"]
    await page.type(await widget.id("textbox", "Typed"), "2026-04-01", submit=True)
    assert await widget.log() == ["typed 2026-04-01"]


async def test_ag_grid(opened: Callable[[str], Any]) -> None:
    widget = await opened("/ag-grid")
    page = widget.page
    await page.click(await widget.id("gridcell", "Make 3"), count=2)
    editor = next(row.id for row in (await page.snapshot()).rows if row.role == "textbox")
    await page.fill(editor, "Changed")
    await page.press("Enter")
    assert await widget.log() == ["cell Changed"]
    await page.click(await widget.id("columnheader", "Price"))
    await widget.id("gridcell", "Make 499")
    receipt = await page.scroll("down", element=await widget.id("gridcell", "Make 499"), distance=4000)
    assert receipt.value["y"] == pytest.approx(4000, abs=1)
    await widget.id("gridcell", "Make 400")


async def test_shoelace(opened: Callable[[str], Any]) -> None:
    widget = await opened("/shoelace")
    page = widget.page
    await page.fill(await widget.id("textbox", "Name"), "Ada")
    await page.check(await widget.id("checkbox", "Terms"))
    assert await widget.log() == ["name Ada", "terms true"]
    await page.select_option(await widget.id("combobox", "Color"), label="Green")
    assert await widget.log() == ["color g"]
    await page.click(await widget.id("button", "Press me"))
    assert await widget.log() == ["button 1"]


async def test_editors(opened: Callable[[str], Any]) -> None:
    widget = await opened("/codemirror")
    await widget.page.type(await widget.id("textbox", "Code"), "two", clear=True)
    await widget.shows("editor.getValue()", "two")
    widget = await opened("/quill")
    await widget.page.fill(await widget.id("textbox", "Letter"), "two words")
    await widget.shows("editor.getText().trim()", "two words")
    widget = await opened("/tinymce")
    await widget.shows("Boolean(tinymce.get('area')?.initialized)", True)
    await widget.page.fill("iframe >> body", "two words")
    await widget.shows("tinymce.get('area').getContent({ format: 'text' }).trim()", "two words")


async def test_vue(opened: Callable[[str], Any]) -> None:
    widget = await opened("/vue")
    page = widget.page
    await page.fill(await widget.id("textbox", "Name"), "Cid")
    await page.select_option(await widget.id("combobox", "Color"), label="Green")
    await page.check(await widget.id("checkbox", "Terms"))
    await widget.shows("document.querySelector('output').textContent.trim()", "Cid g true")
    await page.click(await widget.id("button", "Add"))
    await widget.shows(
        "[...document.querySelectorAll('li span')].map((one) => one.textContent).join()",
        "Ann,Bob,Cid",
    )
