"""Named parts of a form or a document hide its own properties from scripts: ours must not care.

One page has a part for every name that there is, as the browser itself lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from pathlib import Path

    from hybridsnap import Page, Receipt
    from tests.support.pages import Content

_NAMES = """() => [HTMLFormElement, HTMLDocument].map((type) => {
  const names = new Set();
  for (let at = type.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  return [...names];
})"""
#: Under these, functions of ours kept what they had to find again.
_OURS = ("hybridsnapGuards", "hybridsnapWatches", "hybridsnapWaits", "hybridsnap")
_FORM = """<form id=it tabindex=0 style='width:600px; min-height:60px' onsubmit='return false'>Words of it
<label>Text <input id=text></label> <label>Box <input type=checkbox id=box></label>
<select id=list><option>a<option>b</select> <input type=file id=file>
<button type=button id=buy onclick='this.firstChild.data = "Bought"'>Buy</button>
<div id=host><template shadowrootmode=open><button id=inner>Inner</button></template></div>
<div id=editable contenteditable>old</div><details><summary id=more>More</summary>rest</details>
<div id=scroller style='height:50px; overflow:auto'><p style='height:500px'>tall</div>"""


#: What the browser said, in answer to `_NAMES`.
_told_names: list[list[str]] = []


@pytest.fixture
async def page(home_page: Page) -> AsyncIterator[Page]:
    page = home_page
    _told_names[:] = _told_names or await page.evaluate(_NAMES)
    of_form, of_document = _told_names
    assert min(len(of_form), len(of_document)) > 250
    fields = "".join(f"<input type=hidden name='{name}'>" for name in of_form)
    images = "".join(f"<img name='{name}' width=1 height=1>" for name in of_document)
    ours = "".join(f"<img id='{name}' width=1 height=1>" for name in _OURS)
    contents: dict[str, Content] = {
        "/": f"<!doctype html><title>Page</title>{_FORM}{fields}</form>"
        f"<iframe id=frame srcdoc='<button>Framed</button>'></iframe>{images}{ours}"
    }
    async with serve_pages(contents) as pages:
        await page.goto(pages.url("/"))
        assert await page.evaluate("document.nodeType !== 9 && it.nodeType !== 1")
        yield page


def _told(receipt: Receipt) -> dict[str, Any]:
    """What it says came of an action, but for where the focus went."""
    fields = ("changes", "console_errors", "notes", "announced", "file_chooser")
    return {name: value for name in fields if (value := getattr(receipt, name))}


_ACTIONS: dict[str, tuple[Callable[[Page], Coroutine[Any, Any, Receipt]], list[tuple[str, str]]]] = {
    "click the form": (lambda page: page.click("#it", position=(590, 5)), []),
    "click a button": (lambda page: page.click("#buy"), [("text", "Bought")]),
    "click in a shadow root": (lambda page: page.click("#inner"), []),
    "click a summary": (lambda page: page.click("#more"), [("expanded", "true")]),
    "click in a frame": (lambda page: page.click("#frame >> button"), []),
    "hover": (lambda page: page.hover("#it"), []),
    "focus": (lambda page: page.focus("#it"), []),
    "type": (lambda page: page.type("#text", "new"), [("value", "new")]),
    "type by keys": (lambda page: page.type("#text", "new", by_keys=True), [("value", "new")]),
    "type into what is editable": (lambda page: page.type("#editable", "new"), [("value", "oldnew")]),
    "check": (lambda page: page.check("#box"), [("checked", "true")]),
    "select": (lambda page: page.select_option("#list", value="b"), [("value", "b")]),
    "drag": (lambda page: page.drag("#buy", "#editable"), []),
    "scroll": (lambda page: page.scroll("down", element="#scroller"), []),
}


async def test_actions(page: Page) -> None:
    for name, (act, changes) in _ACTIONS.items():
        await page.goto(page.url)
        told = _told(await act(page))
        assert [(one.what, one.after) for one in told.pop("changes", ())] == changes, name
        if name == "drag":
            (note,) = told.pop("notes")
            assert note.startswith("nothing changed in the DOM so far; ")
        assert told == {}, name


async def test_the_form_has_the_focus(page: Page) -> None:
    first = await page.focus("#it")
    assert first.focus is not None
    assert (await page.focus("#it")).focus is None
    assert await page.evaluate("one => one === it", element="#it")


async def test_what_is_read(page: Page) -> None:
    assert (await page.text("#it")).startswith("Words of it")
    assert (await page.outer_html("#it")).startswith("<form id=")
    assert (await page.attributes("#it"))["tabindex"] == "0"
    box = await page.bounding_box("#it")
    assert box is not None
    assert box[2] == 600
    await page.wait_for(text="Words of it", selector="#it", text_gone="nothing", timeout=10)
    assert await page.evaluate("one => [one, one.ownerDocument === document]", element="#it") == [
        "<form#it>",
        False,
    ]


async def test_files(page: Page, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    receipt = await page.set_input_files("#file", [tmp_path / "a.txt"])
    assert [(one.what, one.after) for one in receipt.changes] == [("files", "a.txt")]


async def test_every_id_leads_back(page: Page) -> None:
    snapshot = await page.snapshot()
    assert snapshot.report.complete
    form = next(row for row in snapshot.rows if row.role == "form")
    assert form.id is not None
    assert (await page.attributes(snapshot.combined_xpath_map[form.id]))["id"] == "it"
    assert (await page.hover(form.id)).element_id == form.id
