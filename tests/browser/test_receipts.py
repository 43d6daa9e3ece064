"""What a receipt tells of an action, on pages where that is what comes of it."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import pytest

from hybridsnap import ElementCovered, NotInteractable, Receipt
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page
    from tests.support.pages import Content, PageServer

_PART = """<p role=status aria-label=said id=said></p><p aria-live=assertive id=loud></p>
<button onclick="this.ariaExpanded = this.ariaExpanded === 'true' ? 'false' : 'true'" aria-expanded=false>Menu
</button><button aria-pressed=false onclick="this.ariaPressed = 'true'">Bold</button>
<input type=checkbox aria-label=Box><input aria-label=Name value=Ada>
<input type=password aria-label=Secret>
<details><summary>More</summary>words</details>
<button onclick="said.textContent = 'Saved'; loud.append('At once')">Save</button>
<button onclick="for (const name of 'abc') said.dataset[name] = 1">Mark</button>
<button onclick="console.error('not', 'good'); null.x">Fail</button>
<button onfocus="secret.focus()" id=shy>Shy</button>
<script>const secret = document.querySelector('[type=password]')</script>"""
#: Where it stands: how its page begins.
_WHERE = {
    "main": _PART,
    "same": "<iframe src=/part.html width=700 height=400></iframe>",
    "cross": "<iframe src='http://localhost:{PORT}/part.html' width=700 height=400></iframe>",
}


@dataclasses.dataclass
class Stage:
    """A page, and what can be named in it."""

    page: Page
    pages: PageServer
    contents: dict[str, Content]

    async def open(self, body: str) -> None:
        self.contents["/"] = f"<!doctype html><title>Page</title>{body}"
        await self.page.goto(self.pages.url("/"))
        await self.look()

    async def look(self) -> None:
        self.snapshot = await self.page.snapshot(timeout=20)
        assert self.snapshot.report.complete

    def id(self, name: str) -> str:
        (row,) = [
            row for row in self.snapshot.rows if row.name == name and row.role not in {"StaticText", "p"}
        ]
        assert row.id is not None
        return row.id

    async def click(self, name: str) -> Receipt:
        receipt = await self.page.click(self.id(name))
        assert receipt.action == "click"
        assert receipt.element_id == self.id(name)
        return receipt


@pytest.fixture
async def stage(page: Page) -> AsyncIterator[Stage]:
    contents: dict[str, Content] = {"/part.html": f"<!doctype html>{_PART}", "/to.html": "<title>To</title>"}
    async with serve_pages(contents) as pages:
        yield Stage(page, pages, contents)


def changes(receipt: Receipt) -> list[tuple[str, str, str]]:
    return [(one.what, one.before, one.after) for one in receipt.changes]


@pytest.mark.parametrize("where", _WHERE)
async def test_what_became_of_the_element(stage: Stage, where: str) -> None:
    await stage.open(_WHERE[where])
    page = stage.page
    for name, change in (
        ("Menu", ("expanded", "false", "true")),
        ("Menu", ("expanded", "true", "false")),
        ("Bold", ("pressed", "false", "true")),
        ("Box", ("checked", "false", "true")),
        ("More", ("expanded", "false", "true")),
    ):
        receipt = await stage.click(name)
        assert change in changes(receipt), (name, receipt)
        assert not receipt.nothing_happened
        assert f'{change[0]}: "{change[1]}" → "{change[2]}"' in str(receipt)
    assert changes(await page.type(stage.id("Name"), "!")) == [("value", "Ada", "Ada!")]
    # Of what is secret neither what it is nor how long.
    receipt = await page.type(stage.id("Secret"), "swordfish")
    assert "swordfish" not in str(receipt.to_dict())
    assert changes(receipt) == [("value", "", "(hidden)")]
    # Another one, as long: compared where it stands.
    receipt = await page.fill(stage.id("Secret"), "broadband")
    assert "broadband" not in str(receipt.to_dict())
    assert changes(receipt) == [("value", "(hidden)", "(hidden, another)")]
    assert 'value: "(hidden)" → "(hidden, another)"' in str(receipt)
    assert changes(await page.fill(stage.id("Secret"), "broadband")) == []


async def test_several_controls_in_a_label(stage: Stage) -> None:
    """The label's own control is the first; each tells of itself."""
    await stage.open(
        "<label>Words <input aria-label=First> <input aria-label=Second> <input type=checkbox aria-label=Box>"
        "<select aria-label=List><option>a<option>b</select>"
        "<button type=button aria-pressed=false onclick='this.ariaPressed = true'>Press</button>"
        "<b role=button tabindex=0 aria-expanded=false onclick='this.ariaExpanded = true'>More</b></label>"
    )
    page = stage.page
    assert changes(await page.type(stage.id("Second"), "new")) == [("value", "", "new")]
    assert changes(await page.check(stage.id("Box"))) == [("checked", "false", "true")]
    assert changes(await page.select_option(stage.id("List"), value="b")) == [("value", "a", "b")]
    assert changes(await page.click(stage.id("Press"))) == [("pressed", "false", "true")]
    assert changes(await page.click(stage.id("More"))) == [("expanded", "false", "true")]


async def test_editable_text_in_a_label(stage: Stage) -> None:
    """A click on it is handed on to the label's control; what is typed is not."""
    await stage.open(
        "<label>Pick <i contenteditable role=textbox aria-label=Words>edit</i> <input type=checkbox></label>"
        "<label><i contenteditable role=textbox aria-label=More>edit</i> <input value=own></label>"
    )
    page = stage.page
    assert changes(await page.click(stage.id("Words"))) == [("checked", "false", "true")]
    receipt = await page.click(stage.id("Words"))
    assert changes(receipt) == [("checked", "true", "false")]
    assert not receipt.nothing_happened
    for name in ("Words", "More"):
        assert changes(await page.fill(stage.id(name), "new")) == [("value", "edit", "new")]


@pytest.mark.parametrize(
    ("frame", "script"),
    [
        ("src='http://localhost:{PORT}/in.html'", ""),
        ("src='http://localhost:{PORT}/in.html'", "setTimeout(() => parent.postMessage(0, '*'))"),
        ("sandbox src=/in.html", ""),  # which runs no script
    ],
)
async def test_a_frame_of_another_process_that_goes_on_at_the_click(
    stage: Stage, frame: str, script: str
) -> None:
    """What was done is told as done, though nobody in the frame is left to tell of it."""
    stage.contents["/in.html"] = f'<!doctype html><a href=/to.html onclick="{script}">On</a>'
    await stage.open(
        f"<iframe {frame}></iframe><script>onmessage = () => {{ document.body.innerHTML = '' }}</script>"
    )
    receipt = await stage.click("On")
    assert not receipt.nothing_happened
    assert stage.pages.requests.count("/to.html") <= 1


async def test_boxes_that_tell_their_state_to_the_accessibility_tree_alone(stage: Stage) -> None:
    """By ElementInternals, as Material Web's radios do."""
    await stage.open(
        """<x-box tabindex=0>Agree</x-box> <x-box tabindex=0 class=fixed>Stay</x-box>
        <x-radio tabindex=0>Post</x-radio><script>
        const define = (name, role) => customElements.define(name, class extends HTMLElement {
          constructor() {
            super();
            const own = this.attachInternals();
            Object.assign(own, { role, ariaChecked: "false" });
            if (this.className) return;
            this.onclick = () => { own.ariaChecked = String(own.ariaChecked !== "true"); };
          }
        });
        define("x-box", "checkbox"); define("x-radio", "radio");</script>"""
    )
    page, box, radio = stage.page, stage.id("Agree"), stage.id("Post")
    assert (await page.check(box)).notes == ()
    assert (await page.check(box)).notes == ("it was checked already",)
    await page.uncheck(box)
    filled = await page.fill_form([{"id": box, "value": True}, {"id": radio, "value": True}])
    assert [entry["notes"] for entry in filled.value] == [[], []]
    states = {
        row.name: row.states for row in (await page.snapshot()).rows if row.role in {"checkbox", "radio"}
    }
    assert states == {"Agree": ("checked",), "Stay": (), "Post": ("checked", "focused")}
    with pytest.raises(NotInteractable, match="a radio is unchecked by checking another one"):
        await page.fill(radio, value=False, wait=False)
    with pytest.raises(NotInteractable, match="it was clicked, and is unchecked"):
        await page.check(stage.id("Stay"), wait=False)


async def test_a_custom_field_that_is_not_valid_is_told_without_its_message(stage: Stage) -> None:
    """The message of ElementInternals is not to be read from outside: no colon announces it."""
    await stage.open(
        """<form><x-field tabindex=0 name=town></x-field><button>Send</button></form><script>
        customElements.define("x-field", class extends HTMLElement {
          static formAssociated = true;
          connectedCallback() {
            const own = this.attachInternals();
            own.setValidity({ valueMissing: true }, "Which town?");
          }
        })</script>"""
    )
    receipt = await stage.click("Send")
    (line,) = [line for line in str(receipt).splitlines() if "not valid" in line]
    assert line.endswith("]")


async def test_an_item_of_a_check_list_in_an_editor_is_checked(stage: Stage) -> None:
    await stage.open(
        """<div contenteditable role=textbox aria-label=List><ul style="list-style: none">
          <li role=checkbox tabindex=-1 aria-checked=false>Milk</li></ul></div>
        <script>const item = document.querySelector("li");
        const turn = (event) => { item.ariaChecked = item.ariaChecked !== "true"; event.preventDefault(); };
        item.onclick = turn; item.onkeydown = (event) => event.key === " " && turn(event)</script>"""
    )
    item = stage.id("Milk")
    receipt = await stage.page.check(item)
    assert ("checked", "false", "true") in changes(receipt)
    receipt = await stage.page.press("Space", element=item)
    assert ("checked", "true", "false") in changes(receipt), "the item had the focus"
    await stage.page.type(item, " and tea")
    assert await stage.page.evaluate("item.textContent") == "Milk and tea"


async def test_a_line_break_is_seen(stage: Stage) -> None:
    await stage.open("<textarea aria-label=Words>x</textarea>")
    receipt = await stage.page.type(stage.id("Words"), "\n")
    assert changes(receipt) == [("value", "x", "x\n")]
    assert 'value: "x" → "x⏎"' in str(receipt)


_EDITORS = """<div contenteditable role=textbox aria-label=Empty><p><br></p></div>
<textarea aria-label=Long rows=3></textarea><p><button>Go</button></p>"""


async def test_an_empty_editor_holds_nothing(stage: Stage) -> None:
    await stage.open(_EDITORS)
    receipt = await stage.page.type(stage.id("Empty"), "hi")
    assert changes(receipt) == [("value", "", "hi")]
    assert 'value: "hi" → "hi" (only white space differs)' in str(
        await stage.page.type(stage.id("Empty"), " ")
    )
    receipt = await stage.page.fill(stage.id("Empty"), "")
    assert changes(receipt)[0][2] == ""


@pytest.mark.parametrize("lines", [5, 100])
async def test_a_change_far_in_a_long_text_is_seen(stage: Stage, lines: int) -> None:
    await stage.open(_EDITORS)
    text = "\n".join(f"This is line number {number}." for number in range(lines))
    await stage.page.fill(stage.id("Long"), text)
    await stage.look()
    before = stage.snapshot
    receipt = await stage.page.type(stage.id("Long"), " The end.")
    (line,) = (line for line in str(receipt).splitlines() if "value:" in line)
    assert line == f'  value: "…is line number {lines - 1}." → "…is line number {lines - 1}. The end."'
    await stage.look()
    told = str(stage.snapshot.diff(before))
    assert f'line number {lines - 1}. The end.", was: "…' in next(
        one for one in told.splitlines() if "Long" in one
    )


async def test_what_had_the_focus_and_has_gone_is_not_called_an_element_acted_on(stage: Stage) -> None:
    await stage.open("<button onclick=0 onkeydown='this.remove()'>Close</button>")
    await stage.page.focus(stage.id("Close"))
    assert (await stage.page.press("Escape")).notes == ("what it acted on is gone from the page",)


@pytest.mark.parametrize("where", _WHERE)
async def test_what_else_became_of_the_page(stage: Stage, where: str) -> None:
    await stage.open(_WHERE[where])
    receipt = await stage.click("Save")
    assert receipt.announced == ("Saved", "At once")
    assert receipt.dom_changes
    receipt = await stage.click("Mark")
    assert receipt.dom_changes is not None
    assert receipt.dom_changes >= 3
    assert receipt.announced == ()
    receipt = await stage.click("Fail")
    assert receipt.console_errors[0] == "not good"
    assert receipt.console_errors[1].startswith("Uncaught TypeError")
    assert "console error: not good" in str(receipt)
    receipt = await stage.page.focus(stage.id("Name"))
    assert receipt.focus is not None
    assert receipt.focus[1] == stage.id("Name")
    receipt = await stage.click("Shy")
    assert receipt.focus == (stage.id("Name"), stage.id("Secret"))


async def test_the_focus_in_a_closed_root_that_nothing_named(stage: Stage) -> None:
    """For all that look from outside its host has it."""
    await stage.open(
        "<button>Start</button><x-a><template shadowrootmode=closed>"
        "<label>Mail <input></label></template></x-a>"
    )
    mail = stage.id("Mail")
    filled = await stage.page.fill_form([{"id": mail, "value": "x"}])
    assert filled.focus == ("", mail)
    await stage.page.focus(stage.id("Start"))
    pressed = await stage.page.press("Tab")
    assert pressed.focus == (stage.id("Start"), mail)


async def test_nothing_happened(stage: Stage) -> None:
    await stage.open("<div role=button aria-label=Dead>Dead</div>")
    receipt = await stage.click("Dead")
    assert receipt.nothing_happened
    assert str(receipt).splitlines()[1].strip().startswith("nothing changed in the DOM within ")
    assert receipt.dom_changes == 0


async def test_where_it_led(stage: Stage) -> None:
    to = "/to.html"
    await stage.open(f"<a href={to}>Link</a>")
    receipt = await stage.click("Link")
    assert receipt.navigation is not None
    assert receipt.navigation.url == stage.pages.url(to) == stage.page.url
    assert (receipt.navigation.same_document, receipt.navigation.reached) == (False, True)
    assert receipt.dom_changes is None
    assert not receipt.nothing_happened
    await stage.open("<a href='#here'>Link</a><p id=here>here")
    receipt = await stage.click("Link")
    assert receipt.navigation is not None
    assert receipt.navigation.same_document
    await stage.open(f"<a href={to} target=_blank>Link</a>")
    receipt = await stage.click("Link")
    (target,) = receipt.new_targets
    popup = await stage.page.browser.page(target)
    await popup.wait_for(url=stage.pages.url(to), timeout=10)
    assert receipt.navigation is None
    await stage.open("<button onclick='alert(5)'>Link</button>")
    receipt = await stage.click("Link")
    assert receipt.dialog is not None
    assert (receipt.dialog.type, receipt.dialog.message) == ("alert", "5")
    await stage.page.answer_dialog()
    stage.page.arm_dialog(accept=True)
    receipt = await stage.click("Link")
    assert receipt.dialog is None
    assert len(receipt.answered) == 1
    await stage.open(f"<a href={to} download=bill.txt>Link</a>")
    receipt = await stage.click("Link")
    assert [one.file_name for one in receipt.downloads] == ["bill.txt"]
    assert receipt.navigation is None


async def test_what_is_covered_is_counted(stage: Stage) -> None:
    await stage.open(
        "<button style='position:fixed;left:9px;top:9px'>Go</button><button "
        "style='position:fixed;left:0;top:0;width:300px;height:200px'>Cover</button>"
    )
    metrics = stage.page.browser.metrics
    before = metrics.covered_clicks
    for _ in range(2):
        with pytest.raises(ElementCovered) as refused:
            await stage.page.click(stage.id("Go"), wait=False)
        assert refused.value.cover_id == stage.id("Cover")
    assert metrics.covered_clicks == before + 2
    done = metrics.actions["click"]
    await stage.click("Cover")
    assert metrics.covered_clicks == before + 2
    assert metrics.actions["click"] == done + 1


async def test_a_forced_press_names_who_got_it(stage: Stage) -> None:
    await stage.open(
        "<button id=a style='width:9em;height:2em'>Buy</button>"
        "<div role=dialog aria-label=Cookies onclick='this.remove()' style='position:fixed;inset:0'></div>"
    )
    receipt = await stage.page.click("#a", force=True)
    (cover,) = (note for note in receipt.notes if "went to" in note)
    assert re.fullmatch(r'the press went to dialog "Cookies" \[0-\d+\], which lay over it', cover)
    assert "went to" not in str(await stage.page.click("#a", force=True))


async def test_how_it_was_clicked_is_said(stage: Stage) -> None:
    await stage.open(
        "<button id=it oncontextmenu='event.preventDefault(); menu.hidden = false'>Menu</button>"
        "<div id=menu role=menu hidden style='position:fixed;inset:0'>One</div><p id=p>Words</p>"
    )
    receipt = await stage.page.click("#it", button="right")
    assert str(receipt).startswith('right-click button "Menu" [')
    assert receipt.notes == ()  # that the menu lies under the pointer by then is what the press is for
    await stage.page.evaluate("() => { menu.hidden = true }")
    for options, said in (
        ({"count": 2}, "double-click"),
        ({"count": 3, "button": "middle"}, "triple middle-click"),
        ({"modifiers": ["Control", "Shift"]}, "Control+Shift+click"),
        ({"modifiers": "Shift", "delay": 0.01}, "Shift+click"),
        ({}, "click"),
    ):
        assert (await stage.page.click("#p", **options)).action == said
    assert (await stage.page.click_at(5, 300, count=2)).action == "double-click at 5, 300"
    assert (await stage.page.hover("#p", modifiers="Alt")).action == "Alt+hover"


async def test_a_drag_that_has_changed_nothing_says_so(stage: Stage) -> None:
    """As of a list that begins a drag only when the button has been held for a while."""
    await stage.open(
        "<ul id=list style='user-select:none'><li id=a>One<li id=b>Two</ul><script>let held;"
        "list.onpointerdown = () => { held = setTimeout(() => { held = 0 }, 150) };"
        "list.onpointermove = () => { if (held) clearTimeout(held) };"
        "list.onpointerup = () => { if (held === 0) list.prepend(b) }</script>"
    )
    note = "nothing changed in the DOM so far; a page that waits for a long press takes a drag with delay"
    receipt = await stage.page.drag("#a", "#b")
    assert [one for one in receipt.notes if one.startswith(note)]
    assert not (await stage.page.drag("#a", "#b", delay=0.4)).notes
    assert await stage.page.evaluate("() => list.firstElementChild.id") == "b"


async def test_texts_of_separate_elements_are_not_run_together(stage: Stage) -> None:
    await stage.open(
        "<ul><li id=folder onclick='this.append(more)'>src</ul><ul id=more><li>a.js<li>b<b>.js</b></ul>"
        "<div id=row style='display:flex' onclick='this.style.display = `block`'><span>One</span>"
        "<span>Two</span></div><p id=word onclick='this.innerHTML = `H<sub>2</sub>O`'>Water</p>"
    )
    assert changes(await stage.page.click("#folder", position=(2, 2))) == [("text", "src", "src a.js b.js")]
    assert changes(await stage.page.click("#row")) == []
    assert changes(await stage.page.click("#word")) == [("text", "Water", "H2O")]


async def test_a_hover_waits_for_the_menu_that_it_opens(stage: Stage) -> None:
    await stage.open(
        """<button id=a onmouseenter="setTimeout(() => menu.hidden = false, 300)">A</button>
        <ul id=menu hidden>M</ul>
        <button id=b onmouseenter="setTimeout(() => this.after(document.createElement('hr')),
        300)">B</button>"""
    )
    assert (await stage.page.hover("#a")).dom_changes
    assert (await stage.page.hover("#b")).dom_changes


async def test_a_hover_without_a_change_of_the_dom_does_not_seem_useless(stage: Stage) -> None:
    await stage.open(
        "<style>b { position: relative; left: -9999px } p:hover b { left: 0 }</style><p>A <b>Edit</b>"
    )
    receipt = await stage.page.hover("p")
    assert str(receipt).endswith(" ms; what style sheets show under the pointer is not counted")


async def test_selections_are_told_but_not_of_passwords(stage: Stage) -> None:
    await stage.open("<p id=a>One two</p><input id=b value=three><input id=c type=password value=secret>")
    page = stage.page
    assert ("selection", "", "One two") in changes(await page.click("#a", count=3))
    assert ("selection", "One two", "") in changes(await page.click("#b"))
    receipt = await page.press("Control+a")
    assert changes(receipt) == [("selection", "", "three")]
    assert not receipt.nothing_happened
    receipt = await page.press("Control+a", element="#c")
    assert changes(receipt)[-1][2] == "(hidden)"
    assert "6" not in "".join(changes(receipt)[-1])


async def test_the_text_of_an_editor_that_is_gone_is_not_told_anew(stage: Stage) -> None:
    """What is not displayed has no lines: its text would read as another, ``OneTwo``."""
    await stage.open(
        "<div contenteditable role=textbox aria-label=Note id=note onkeydown=\"if (event.key === 'Escape')"
        " this.remove(); if (event.key === 'F2') this.hidden = true\"><div><br></div></div>"
    )
    page = stage.page
    receipt = await page.type("#note", "One")
    assert changes(receipt) == [("value", "", "One")]
    await page.evaluate("() => { note.innerHTML = '<div>One</div><div>Two</div>' }")
    assert changes(await page.press("F2", element="#note")) == []
    await page.evaluate("() => { note.hidden = false }")
    receipt = await page.press("Escape", element="#note")
    assert changes(receipt) == []
    assert "the element is gone from the page" in str(receipt)
