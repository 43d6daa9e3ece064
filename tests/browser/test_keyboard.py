"""Keys and text in real pages: who gets them, as which events, and that nothing stays down."""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING, Any

import pytest
import trio

import hybridsnap
from hybridsnap.act.focusing import focus_element
from hybridsnap.act.forms import fill
from hybridsnap.act.keyboard import KEYS, Key, modifier_bits
from hybridsnap.act.text_entry import key_down, key_up, press_chord, type_text
from hybridsnap.client.channel import ConnectionChannel
from hybridsnap.errors import CommandUnanswered, NotInteractable, StaleElement
from tests.support.faults import Injecting, evaluate, injecting, until
from tests.support.form_pages import FRAME_PARAMETERS, FRAMES, RECORDER, Bench, found, framed
from tests.support.headless_shell import IN_HEADLESS_SHELL
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from hybridsnap import Browser, Page
    from hybridsnap.client.transport import Transport
    from tests.support.pages import PageServer

_FIELDS = """<input id=a value=abc><textarea id=t>x</textarea><div id=e contenteditable>one <b>two</b></div>
    <input id=n type=number value=12><button id=b>Go</button>"""
_KEYS = """<script>
  window.keys = [];
  for (const type of ["keydown", "keyup"]) addEventListener(type, (event) => keys.push([
    type, event.key, event.code, event.keyCode, event.location, event.repeat, event.shiftKey, event.ctrlKey,
    event.altKey, event.metaKey, event.isTrusted]));
  addEventListener("keypress", (event) => keys.push(["keypress", event.key, event.charCode]));
</script>"""
_PAGES = {
    **framed(_FIELDS),
    "/keys": f"""<!doctype html><title>Keys</title>{RECORDER}{_KEYS}<input id=a value="hello world">
        <textarea id=t></textarea>
        <form id=form onsubmit="event.preventDefault()"><input id=one><input id=two><button>Go</button>
        </form>""",
    "/kinds": f"""<!doctype html><title>Kinds</title>{RECORDER}
        <input id=text value=v><input id=search type=search value=v><input id=url type=url value=http://v>
        <input id=tel type=tel value=1><input id=email type=email value=a@b.c><input id=password type=password
        value=p><input id=number type=number value=1><textarea id=area>v</textarea>
        <input id=short maxlength=5 value=ab><input id=locked readonly value=v><input id=off disabled value=v>
        <fieldset disabled><input id=inset></fieldset><div inert><input id=inert></div>
        <input id=gone style="display:none"><input id=unseen style="visibility:hidden"><p id=p>words</p>
        <select id=select><option id=option>o</select><input id=date type=date><input id=check type=checkbox>
        <label id=label>Label <input id=in></label><p id=tab tabindex=0>focusable</p>
        <div id=rich contenteditable><p>first</p><p id=second>second</p></div><div id=plain
        contenteditable=plaintext-only>plain</div><input id=pattern pattern="[0-9]+" title="digits">
        <input id=upper oninput="this.value = this.value.toUpperCase()">
        <div id=deaf contenteditable onbeforeinput="event.preventDefault()">as it was</div>
        <form id=form name=activeElement><input name=focus><input id=inform name=getRootNode></form>""",
    "/modal": f"""<!doctype html>{RECORDER}<input id=under><dialog id=d><input id=over></dialog>
        <script>d.showModal()</script>""",
    "/design": f"<!doctype html>{RECORDER}<body id=body>words<script>document.designMode = 'on'</script>",
    "/thief": f"""<!doctype html>{RECORDER}<input id=a oninput="b.focus()"><input id=b>
        <input id=early onfocus="b.focus()"><input id=down onkeydown="b.focus()">
        <input id=remade oninput="this.outerHTML = '<input id=new>'; document.querySelector('#new').focus()">
        <input id=late><iframe id=frame src=/one></iframe>
        <input id=out oninput="frame.contentWindow.i.focus()">""",
    "/one": f"<!doctype html>{RECORDER}<input id=i>",
    "/alerts": f"""<!doctype html>{RECORDER}<input id=a onkeydown="if (event.key === 'Enter') alert('halt')">
        <input id=i oninput="alert('halt')"><input id=f onfocus="this.onfocus = null; alert('halt')">""",
    "/form": """<!doctype html><form action=/sent><input id=q name=q></form><textarea id=area></textarea>
        <div id=rich contenteditable=plaintext-only></div><script>let sent = 0; const pressed = [];
        addEventListener("submit", () => { sent += 1; });
        addEventListener("keydown", (event) => pressed.push(event.key));</script>""",
    "/sent": "<!doctype html><title>Sent</title><p>sent",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def press(bench: Bench, chord: str, **options: Any) -> None:
    await bench.run(lambda resolver: press_chord(resolver, chord, **options))


# Every kind of frame


@pytest.mark.parametrize("where", FRAME_PARAMETERS)
async def test_typing_reaches_the_element_in_every_frame(page: Page, pages: PageServer, where: str) -> None:
    bench = await Bench.open(page, pages.url("/"))
    to = FRAMES[where]
    await bench.do(type_text, f"{to}#a", "é👩‍👧")
    assert await bench.value(f"{to}#a") == "abcé👩‍👧"
    assert await bench.events(f"{to}#a") == [
        "focus a",
        "beforeinput a insertText",
        "input a insertText",
        "keyup a 👩\u200d👧 untrusted",
    ]
    await bench.do(type_text, f"{to}#n", "34")
    assert await bench.value(f"{to}#n") == "1234"
    await bench.do(type_text, f"{to}#t", "y\nz")
    assert await bench.value(f"{to}#t") == "xy\nz"
    await bench.do(type_text, f"{to}#e", " three")
    assert await bench.value(f"{to}#e") == "one two three"
    await bench.do(type_text, f"{to}#e", "new", clear=True)
    assert await bench.value(f"{to}#e") == "new"
    events = await bench.events(f"{to}#a")
    assert [one for one in events if one.startswith(("change", "blur"))] == [
        "change a",
        "blur a",
        "change n",
        "blur n",
        "change t",
        "blur t",
    ]
    await bench.do(type_text, f"{to}#a", "Q?", clear=True, by_keys=True)
    assert await bench.value(f"{to}#a") == "Q?"
    await bench.do(lambda resolver, element: press_chord(resolver, "Backspace", element), f"{to}#a")
    assert await bench.value(f"{to}#a") == "Q"
    await bench.do(focus_element, f"{to}#b")
    await bench.events(f"{to}#b")
    await press(bench, "Enter")
    assert "click b" in await bench.events(f"{to}#b")
    # Nothing has reached a field of another frame.
    for other in FRAMES.values():
        if other != to:
            assert await bench.value(f"{other}#a") == "abc"
            assert await bench.value(f"{other}#t") == "x"


async def test_the_focus_goes_from_frame_to_frame_and_no_key_strays(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/"))
    for number in range(3):
        for to in FRAMES.values():
            await bench.do(type_text, f"{to}#a", str(number))
            await press(bench, "x")
    for to in FRAMES.values():
        assert await bench.value(f"{to}#a") == "abc0x1x2x"


async def test_a_page_in_the_background_gets_focus_and_text(browser: Browser, pages: PageServer) -> None:
    bench = await Bench.open(await browser.new_page(), pages.url("/"))
    front = await Bench.open(await browser.new_page(), pages.url("/keys"))
    await front.do(focus_element, "#a")
    await front.events("#a")
    assert await evaluate(bench.page.session, "document.hidden") is not IN_HEADLESS_SHELL
    await bench.script("#a", "this.select()")
    for to in FRAMES.values():
        await bench.do(focus_element, f"{to}#a")
        assert "focus a" in await bench.events(f"{to}#a")
        assert await bench.value(f"{to}#a") == "abc"
        await bench.do(type_text, f"{to}#a", "1")
        assert await bench.value(f"{to}#a") == "abc1"
    assert await evaluate(bench.page.session, "document.hidden") is not IN_HEADLESS_SHELL
    assert await evaluate(front.page.session, "document.hasFocus()")
    assert await front.events("#a") == []


async def test_what_is_selected_in_a_background_page_stays(browser: Browser, pages: PageServer) -> None:
    bench = await Bench.open(await browser.new_page(), pages.url("/kinds"))
    await Bench.open(await browser.new_page(), pages.url("/keys"))
    await bench.script("#rich", "getSelection().selectAllChildren(this)")
    for selector in ("#tab", "#text", "#number", "#select", "#rich"):
        await bench.do(focus_element, selector)
    assert await bench.value("#rich") == "first\n\nsecond"
    assert await bench.value("#text") == "v"
    assert await bench.value("#number") == "1"


# What is typed


async def test_every_text_is_unharmed(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    text = "Aa1 ~|\\\"'é ß 漢字 שלום مرحبا 👩🏽‍🚀 e\u0301 \u200d \ud800"
    for kind in ("text", "search", "tel", "password", "area", "plain"):
        for by_keys in (False, True):
            done = await bench.do(type_text, f"#{kind}", text, clear=True, by_keys=by_keys)
            value = await bench.value(f"#{kind}")
            assert value == text.replace("\ud800", "\ufffd"), (kind, by_keys)
            assert done.notes == (), (kind, by_keys)
            await bench.script(f"#{kind}", "this['value' in this ? 'value' : 'textContent'] = ''")


async def test_each_kind_of_field(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    for kind, added, after in (
        ("url", "/x", "http://v/x"),
        ("email", "d", "a@b.cd"),
        ("number", "5e2", "15e2"),
        ("area", "\r\nw", "v\nw"),
    ):
        done = await bench.do(type_text, f"#{kind}", added)
        assert (await bench.value(f"#{kind}"), done.notes) == (after, ())
    done = await bench.do(type_text, "#number", "x", clear=True)
    assert await bench.value("#number") == ""
    assert done.notes == ("the page, or the field, made something else of the text",)
    done = await bench.do(type_text, "#short", "cdefgh")
    assert await bench.value("#short") == "abcde"
    assert done.notes == ("it holds no more than 5 characters; the text was cut",)
    done = await bench.do(type_text, "#upper", "loud")
    assert await bench.value("#upper") == "LOUD"
    assert done.notes == ("the page, or the field, made something else of the text",)
    done = await bench.do(type_text, "#pattern", "abc")
    assert "the field is not valid: " in done.notes[0]
    done = await bench.do(type_text, "#text", "", clear=True)
    assert (await bench.value("#text"), done.notes) == ("", ())
    done = await bench.do(type_text, "#text", "", clear=True)
    assert done.notes == ("it was empty already",)
    done = await bench.do(type_text, "#deaf", "more")
    assert await bench.value("#deaf") == "as it was"
    assert done.notes == ("the field took none of the text; it holds what it held before",)
    await bench.do(type_text, "#inform", "in a form that names its things badly")
    assert await bench.value("#inform") == "in a form that names its things badly"


async def test_a_whole_date_in_a_part_of_a_date_field(page: Page) -> None:
    """As in React Aria: a month above 12 is not taken, and only its last digit stays."""
    await page.goto(
        "data:text/html,<div id=m role=spinbutton contenteditable aria-label=Month aria-valuemax=12>mm</div>"
        "<script>let typed = ''; m.addEventListener('beforeinput', (event) => { event.preventDefault(); "
        "typed = Number(typed + event.data) <= 12 ? typed + event.data : event.data; "
        "m.textContent = Number(typed) <= 12 ? typed : '6' })</script>"
    )
    receipt = await page.type("#m", "12/31/2026")
    assert await page.evaluate("() => m.textContent") == "6"
    said = "the page, or the field, made something else of the text"
    assert receipt.notes == (f"{said}; if it is a part of a date, fill each part by itself",)
    assert (await page.fill("#m", "11")).notes == ()
    assert (await page.type("#m", "77")).notes == (said,)


async def test_an_editor_that_takes_back_what_it_has_not_heard_of(page: Page) -> None:
    """As Lexical does: of a text of several lines, it hears of the first; the browser makes the others."""
    await page.goto(
        "data:text/html,<div id=e contenteditable>one</div><script>new MutationObserver(() => {"
        "while (e.childNodes.length > 1) e.lastChild.remove() }).observe(e, { childList: true })</script>"
    )
    receipt = await page.type("#e", " two\nthree\n")
    assert await page.evaluate("() => e.textContent") == "one two"
    assert receipt.notes == ("the page, or the field, made something else of the text",)
    assert (await page.type("#e", "\u00a0four  five")).notes == ()


@pytest.mark.parametrize("by_keys", [False, True])
async def test_text_goes_behind_what_an_editor_has_not_drawn(page: Page, by_keys: bool) -> None:
    """As CodeMirror has it: an empty box stands for the lines that are out of view."""
    await page.goto(
        "data:text/html,<div id=e contenteditable><div>line 1</div><div style='height:500px'></div></div>"
        "<script>e.addEventListener('keydown', event => { if (!event.ctrlKey || event.key !== 'End') return;"
        "event.preventDefault(); e.innerHTML = '<div style=height:500px></div><div>line 99</div>';"
        "getSelection().selectAllChildren(e.lastChild); getSelection().collapseToEnd(); })</script>"
    )
    receipt = await page.type("#e", ", the last", by_keys=by_keys)
    assert await page.evaluate("() => e.innerText.trim()") == "line 99, the last"
    assert receipt.notes == ()


#: An editor that keeps its text in `held`, and takes its input by a text area, which it empties.
_UNSEEN = "the editor keeps its text elsewhere: what it made of this was not seen"
_BY_TEXT_AREA = """data:text/html,<div style="STYLE"><textarea id=e></textarea></div><p id=drawn>one two</p>
<script>
let held = "one two", all = false;
const put = (text) => {
  held = all ? text : held + text; all = false; drawn.textContent = held; e.value = "";
};
e.style = "position:absolute;resize:none;border:0;padding:0;OWN";
e.addEventListener("keydown", (event) => {
  if (event.key === "a" && event.ctrlKey) { all = true; event.preventDefault(); }
  if (event.key === "Backspace") { put(all ? "" : held.slice(0, -1)); event.preventDefault(); }
});
e.addEventListener("input", () => put(e.value));
</script>"""


@pytest.mark.parametrize(
    ("around", "own"),
    [
        ("overflow:hidden;position:relative;width:3px;height:0", "width:1000px;height:1em;bottom:-1em"),
        ("position:relative", "width:.5em;height:1em;opacity:0"),
        ("position:relative", "width:1px;height:1px"),
    ],
    ids=["cut off", "transparent", "a dot"],
)
async def test_an_editor_behind_an_unseen_text_area_is_filled(page: Page, around: str, own: str) -> None:
    """As CodeMirror 5, Ace and Monaco have it: what the text area holds is not the editor's text."""
    await page.goto(_BY_TEXT_AREA.replace("STYLE", around).replace("OWN", own))
    receipt = await page.type("#e", "!")
    assert await page.evaluate("() => held") == "one two!"
    assert receipt.notes == ("it went where the editor's caret was", _UNSEEN)
    receipt = await page.fill("#e", "three")
    assert await page.evaluate("() => held") == "three"
    assert receipt.notes == (_UNSEEN,)
    await page.type("#e", "four\nfive", clear=True)
    assert await page.evaluate("() => held") == "four\nfive"
    await page.clear("#e")
    assert await page.evaluate("() => held") == ""


@pytest.mark.parametrize("way", ["type", "fill", "submit"])
async def test_an_editor_that_adds_to_what_is_typed_is_told(page: Page, way: str) -> None:
    """As Monaco, which closes brackets and indents: its text area holds what became of the lines there."""
    proxy = """<div style="position: relative"><textarea id=t style="position: absolute;
        width: 1px; height: 1px; padding: 0; border: 0; overflow: hidden"></textarea></div>
      <div id=c contenteditable>old</div><script>
      t.oninput = () => {
        if (!t.value.endsWith("{")) return;
        t.value += "}";
        t.selectionEnd = t.selectionStart = t.value.length - 1;
      };
      c.oninput = () => { if (c.textContent.endsWith("{")) c.textContent += "}"; };
    </script>"""
    else_ = "the page, or the field, made something else of the text"
    came = "it went where the editor's caret was"
    async with serve_pages({"/": proxy}) as served:
        await page.goto(served.url())
        for text, notes in (("a = 1", []), ("if {", [else_]), ("x\nb", []), ("\n", [_UNSEEN])):
            if way == "fill":
                assert list((await page.fill("#t", text)).notes) == notes
            else:
                await page.evaluate("void (t.value = '')")
                receipt = await page.type("#t", text, submit=way == "submit")
                assert list(receipt.notes) == [came, *notes]
        for text, notes in (("a = 1", []), ("if {", [else_]), ("x\nb", [])):
            receipt = await page.fill("#c", text)
            assert list(receipt.notes) == notes


async def test_a_text_area_that_is_only_transparent_is_filled_as_others_are(page: Page) -> None:
    """Behind a drawing of its text, or while it is faded in."""
    await page.goto("data:text/html,<textarea id=e style='opacity:0'>one</textarea>")
    assert (await page.type("#e", "!")).notes == ()
    assert await page.evaluate("() => e.value") == "one!"


async def test_a_code_that_the_page_spreads_over_fields_is_not_said_to_be_cut(page: Page) -> None:
    """Radix's field for a one-time code takes the whole text in its first part. A short field cuts it."""
    fields = "<input maxlength=1 aria-label=Digit>" * 4
    await page.goto(
        f"data:text/html,<form>{fields}</form>"
        "<script>document.forms[0].addEventListener('beforeinput', (event) => {"
        "if (event.data?.length !== 4) return; event.preventDefault();"
        "[...event.data].forEach((one, at) => { document.forms[0][at].value = one })})</script>"
    )
    receipt = await page.type("input >> nth=0", "1234")
    assert receipt.notes == ("the page put the rest of the text into the fields behind it",)
    assert await page.evaluate("[...document.forms[0]].map((one) => one.value).join('')") == "1234"
    receipt = await page.type("input >> nth=1", "56", clear=True)
    assert receipt.notes == ("it holds no more than 1 character; the text was cut",)


async def test_a_field_that_takes_its_text_with_enter_has_handed_nothing_on(page: Page) -> None:
    """As Element Plus's time picker: until then it shows the time that it still has."""
    await page.goto(
        "data:text/html,<input id=e value=00:00:00><input value=10:10><script>let typed = '';"
        "e.oninput = () => { typed = e.value; Promise.resolve().then(() => { e.value = '00:00:00' }) };"
        "e.onkeydown = ({ key }) => { if (key === 'Enter') e.value = typed }</script>"
    )
    receipt = await page.type("#e", "07:30:15", clear=True, submit=True)
    assert (receipt.notes, await page.evaluate("e.value")) == ((), "07:30:15")
    receipt = await page.type("#e", "07:30:20", clear=True)
    assert receipt.notes == ("the page, or the field, made something else of the text",)


#: As MUI X draws a date: its parts take keys, and no text; one that is full gives the focus to the next.
_DATE = """<div id=date><span id=month role=spinbutton contenteditable aria-label=Month>MM</span>
  <span id=day role=spinbutton contenteditable aria-label=Day>DD</span></div><script>
  for (const one of [month, day]) {
    let typed = "";
    one.onfocus = () => { typed = ""; };
    one.onbeforeinput = (event) => event.preventDefault();
    one.onkeydown = (event) => {
      if (!/^[0-9]$/.test(event.key)) return;
      if (location.hash) event.preventDefault();
      typed += event.key;
      one.textContent = typed.padStart(2, "0");
      if (typed.length === 2) one.nextElementSibling?.focus();
    };
  }
</script>"""


@pytest.mark.parametrize("prevented", ["", "#prevented"])
async def test_a_part_of_a_date_that_takes_keys_alone_is_typed_by_keys(page: Page, prevented: str) -> None:
    async with serve_pages({"/": _DATE}) as pages:
        await page.goto(pages.url("/") + prevented)
        said = await page.type("#month", "11")
        await page.fill("#day", "5")
        assert (said.notes, await page.evaluate("date.innerText")) == ((), "11 05")
        await page.evaluate("document.activeElement.blur()")
        await page.fill_form([{"id": "#month", "value": "12"}, {"id": "#day", "value": 31}])
        assert await page.evaluate("date.innerText") == "12 31"
        # A whole date is not a number, which is what a part of it takes.
        await page.evaluate("document.activeElement.blur()")
        notes = (await page.fill("#month", "10/12")).notes
        assert notes[-1] == "if it is a part of a date, fill each part by itself"
        with pytest.raises(NotInteractable, match="after 2 of 3 characters; no other element has got the"):
            await page.type("#month", "101")
        assert await page.evaluate("date.innerText") == "10 31"


async def test_a_number_is_typed_into_a_spin_button_of_script_by_keys(page: Page) -> None:
    """As PrimeReact's InputNumber: it makes its text of the keys, and takes back what comes without one."""
    html = """<input id=price role=spinbutton aria-label=Price value="3 EUR"><script>
      let held = "3";
      const show = () => { price.value = held && held + " EUR"; };
      price.oninput = () => { held = ""; show(); };
      price.onkeydown = (event) => {
        if (!/^[0-9.,]$/.test(event.key)) return;
        event.preventDefault();
        held = price.selectionEnd > price.selectionStart ? event.key : held + event.key;
        show();
      };
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        made_else = ("the page, or the field, made something else of the text",)
        assert (await page.fill("#price", "12,50")).notes == made_else
        assert await page.evaluate("price.value") == "12,50 EUR"
        await page.type("#price", "1.234,5", clear=True)
        assert await page.evaluate("price.value") == "1.234,5 EUR"
        await page.set_value("#price", 7)
        assert await page.evaluate("price.value") == "7 EUR"
    async with serve_pages(
        {"/": html.replace("held = price", 'if (event.key === ".") return; held = price')}
    ) as pages:
        await page.goto(pages.url("/"))
        assert (await page.fill("#price", "12.5")).notes == ('it took no "."; it holds "125 EUR"',)
        assert (await page.fill("#price", "12,5")).notes == made_else


_FILTERED = """<input id=town role=combobox aria-expanded=true aria-controls=towns>
<ul id=towns role=listbox></ul><p id=out></p><script>
  const draw = () => {
    const typed = town.value.toLowerCase();
    const found = ["Oslo", "Rome", "Turin"].filter((one) => one.toLowerCase().includes(typed));
    if (found.length) towns.innerHTML = found.map((one) => `<li role=option>${one}</li>`).join("");
  };
  let timer;
  town.oninput = () => { clearTimeout(timer); timer = setTimeout(draw, 300); };
  town.onkeydown = ({ key }) => { if (key === "Enter") out.textContent = towns.firstChild?.textContent; };
  draw();
</script>"""


async def test_enter_comes_once_the_list_of_a_combobox_shows_what_was_typed(page: Page) -> None:
    async with serve_pages({"/": _FILTERED}) as pages:
        await page.goto(pages.url("/"))
        receipt = await page.type("#town", "turin", submit=True)
        assert (receipt.notes, await page.evaluate("out.textContent")) == ((), "Turin")
        receipt = await page.type("#town", "Kiev", clear=True, submit=True)
        assert receipt.notes == ("its list did not show the text in front when Enter came",)


async def test_a_terminal_gets_the_text_by_its_keys_and_no_others(page: Page) -> None:
    """Control+A would be for the program in it: xterm.js says that its unseen text area takes one line.

    It takes keys by `keydown`, of which it keeps some from the text area; with ``screenReaderMode`` it lets
    them all go there, and does not take text that is inserted.
    """
    for keeps in ("false", "event.key !== ' '"):
        await page.goto(
            "data:text/html,<textarea id=e aria-multiline=false style='width:0;height:0;border:0;padding:0'>"
            "</textarea><script>keys = []; addEventListener('keydown', (event) => { keys.push(event.key);"
            f" if ({keeps}) event.preventDefault(); if (event.key === 'Enter') e.value = ''; }});</script>"
        )
        said = ("it was pressed key by key, as a terminal takes it; what became of it is not seen here",)
        for act in (page.type, page.fill):
            assert (await act("#e", "ls -a")).notes == said
            assert await page.evaluate("() => keys.splice(0)") == [*"ls -a"]
        assert (await page.type("#e", "ls", clear=True, submit=True)).notes == said
        assert await page.evaluate("() => keys.splice(0)") == ["l", "s", "Enter"]


async def test_inner_parts_of_a_control_are_the_control(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/keys"))
    for part in ("//div[1]", "//div[1]/text()[1]"):
        await bench.script("#a", "this.value = 'in'")
        await bench.do(type_text, f"/html[1]/body[1]/input[1]{part}", "side")
        assert await bench.value("#a") == "inside"
        await bench.do(type_text, f"/html[1]/body[1]/input[1]{part}", "new", clear=True)
        assert await bench.value("#a") == "new"


async def test_parts_of_editable_text(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    await bench.do(type_text, "#second", "!")
    assert await bench.value("#rich") == "first\n\nsecond!"
    await bench.do(type_text, "//*[@id='rich']/p[1]/text()", "?")
    assert await bench.value("#rich") == "first?\n\nsecond!"
    await bench.do(type_text, "//*[@id='rich']/p[1]/text()", "1st", clear=True)
    assert await bench.value("#rich") == "1st\n\nsecond!"
    design = await Bench.open(page, pages.url("/design"))
    await design.do(type_text, "body", " more")
    assert await design.value("body") == "words more"


async def test_what_takes_no_text_is_refused(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    for selector, reason, words in (
        ("#locked", "read-only", "it is read-only"),
        ("#off", "disabled", "it is disabled"),
        ("#inset", "disabled", "it is disabled"),
        ("#inert", "inert", "it is inert"),
        ("#gone", "not displayed", "it is not displayed"),
        ("#unseen", "invisible", "it is invisible"),
        ("#p", "wrong kind", "not a form control"),
        ("#select", "wrong kind", "choose one of its options"),
        ("#option", "wrong kind", "an option"),
        ("#date", "wrong kind", "an input of type date and takes no text; fill it"),
        ("#check", "wrong kind", "a checkbox and takes no text; fill it"),
        ("#label", "wrong kind", "name the control that it labels"),
    ):
        with pytest.raises(NotInteractable) as caught:
            await bench.do(type_text, selector, "x")
        assert caught.value.reason == reason, selector
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
        assert str(caught.value).startswith('cannot type into role "')
    assert await bench.events("#p") == []
    modal = await Bench.open(page, pages.url("/modal"))
    with pytest.raises(NotInteractable) as caught:
        await modal.do(type_text, "#under", "x")
    assert caught.value.reason == "inert"
    await modal.do(type_text, "#over", "x")
    assert await modal.value("#over") == "x"


async def test_wrong_arguments(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    with pytest.raises(TypeError, match="text is a str, not int"):
        await bench.do(type_text, "#text", 5)
    with pytest.raises(ValueError, match="delay is a number of seconds"):
        await bench.do(type_text, "#text", "x", delay=-1)
    with pytest.raises(ValueError, match="several keys"):
        await bench.run(lambda resolver: key_down(resolver, "Ctrl+a", []))
    with pytest.raises(ValueError, match="unknown key"):
        await press(bench, "Entre")
    with pytest.raises(ValueError, match="unknown key"):
        await bench.run(lambda resolver: key_up(resolver, "Entre", []))


# The focus


async def test_focus(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    for selector in ("#text", "#locked", "#tab", "#select", "#check", "#rich", "#form [name=focus]"):
        await bench.do(focus_element, selector)
        assert await bench.script(selector, "return this.matches(':focus')"), selector
    await bench.do(focus_element, "#second")
    assert await bench.script("#rich", "return this.matches(':focus')")
    for selector, reason in (
        ("#p", "not focusable"),
        ("#off", "disabled"),
        ("#gone", "not displayed"),
        ("#inert", "inert"),
        ("#form", "not focusable"),
    ):
        with pytest.raises(NotInteractable) as caught:
            await bench.do(focus_element, selector)
        assert caught.value.reason == reason


async def test_an_element_that_is_gone(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))

    def remove_then(act: Any) -> Any:
        def plan(resolver: Any, element: Any) -> Any:
            yield from resolver.call(element.place, "function () { this.remove(); }")
            return (yield from act(resolver, element))

        return plan

    with pytest.raises(StaleElement, match="not in the page any more") as caught:
        await bench.do(remove_then(focus_element), "#tab")
    assert caught.value.reason == "detached"
    with pytest.raises(StaleElement, match="not in the page any more"):
        await bench.do(remove_then(lambda resolver, element: type_text(resolver, element, "x")), "#text")

    def navigate_then(resolver: Any, element: Any) -> Any:
        yield from resolver.release()
        return (yield from type_text(resolver, element, "x"))

    with pytest.raises(StaleElement, match="its document is gone") as caught:
        await bench.do(navigate_then, "#area")
    assert caught.value.reason == "navigated"


@pytest.mark.parametrize("frame", ["", "iframe >> "])
async def test_typing_into_what_has_the_focus(page: Page, frame: str) -> None:
    async with serve_pages(
        {"/": "<input id=a><iframe src='http://localhost:{PORT}/in'></iframe>", "/in": "<input id=a value=x>"}
    ) as pages:
        await page.goto(pages.url())
        with pytest.raises(hybridsnap.ActionError, match="nothing has the focus; name an element"):
            await page.type(None, "Ada")
        await page.focus(f"{frame}#a")
        await page.type(None, "Ada")
        assert await page.text(f"{frame}#a") == ("xAda" if frame else "Ada")


@pytest.mark.parametrize(
    ("field", "by_keys"),
    [
        ("<input id=a value=Hello>", False),
        ("<input id=a type=email value=Hello>", True),
        ("<textarea id=a>Hello</textarea>", False),
        ("<div id=a contenteditable>Hello</div>", True),
        pytest.param("<input id=a value=Hello>", True, marks=pytest.mark.soak),
        pytest.param("<input id=a type=email value=Hello>", False, marks=pytest.mark.soak),
        pytest.param("<textarea id=a>Hello</textarea>", True, marks=pytest.mark.soak),
        pytest.param("<div id=a contenteditable>Hello</div>", False, marks=pytest.mark.soak),
    ],
)
async def test_typing_without_an_element_replaces_what_is_selected(
    page: Page, field: str, by_keys: bool
) -> None:
    async with serve_pages({"/": field}) as pages:
        await page.goto(pages.url())
        await page.focus("#a")
        await page.press("ControlOrMeta+a")
        await page.type(None, "Good bye", by_keys=by_keys)
        assert await page.text("#a") == "Good bye"
        await page.press("Home")
        for _ in range(4):
            await page.press("Shift+ArrowRight")
        receipt = await page.type(None, "Hi", by_keys=by_keys)
        assert await page.text("#a") == "Hi bye"
        assert not [one for one in receipt.notes if "something else" in one]
        (into,) = (one for one in receipt.notes if one.startswith("into what had the focus: "))
        focused = await page.active_element()
        assert focused is not None
        assert into.endswith(f"[{focused.id}]"), "an id that can be acted on"
        await page.press("ControlOrMeta+a")
        await page.type("#a", "!", by_keys=by_keys)  # an element that is named gets it behind what it holds
        assert await page.text("#a") == "Hi bye!"


@pytest.mark.parametrize(
    ("selector", "got", "other"),
    [
        ("#a", "1", "#b"),
        ("#early", "", "#b"),
        ("#down", "", "#b"),
        ("#remade", None, "#new"),
        ("#out", "1", "#frame >> #i"),
    ],
)
async def test_nothing_is_typed_into_another_element(
    page: Page, pages: PageServer, selector: str, got: str | None, other: str
) -> None:
    bench = await Bench.open(page, pages.url("/thief"))
    with pytest.raises(NotInteractable) as caught:
        await bench.do(type_text, selector, "123", by_keys=True)
    assert caught.value.reason == "focus moved"
    assert await bench.value(other) == ""
    if got is not None:
        assert await bench.value(selector) == got
    # The guard is gone: a person can type there.
    await bench.do(type_text, other, "9", by_keys=True)
    assert await bench.value(other) == "9"


async def test_where_a_field_opens_a_dialog_as_it_gets_the_focus_that_is_said(page: Page) -> None:
    shown = """<input id=m aria-label=Search onfocus="d.showModal(); p.focus()"><input id=n type=date
      onfocus="d.showModal(); p.focus()"><dialog id=d><input id=p aria-label=Palette></dialog>"""
    async with serve_pages({"/": shown}) as served:
        actions: tuple[Callable[[], Awaitable[Any]], ...] = (
            lambda: page.type("#m", "hi"),
            lambda: page.fill("#m", "hi"),
            lambda: page.fill("#n", "2026-01-31"),
            lambda: page.press("a", element="#m"),
            lambda: page.select_text("#m"),
        )
        for action in actions:
            await page.goto(served.url())
            with pytest.raises(NotInteractable) as caught:
                await action()
            palette = (await page.snapshot()).find(role="textbox", name="Palette")[0].id
            assert f'moved the focus on, to textbox "Palette" [{palette}]' in str(caught.value)
            assert (caught.value.reason, caught.value.partial) == ("focus moved", True)
            assert await page.evaluate("() => p.value") == ""


@pytest.mark.parametrize("where", ["the document", "a shadow root"])
async def test_a_field_that_takes_the_focus_back_as_it_is_left(page: Page, where: str) -> None:
    """Once, as Bokeh's autocomplete, which puts in what it completes; or always, as one that is not valid."""
    fields = """<input id=a aria-label=City><input id=b aria-label=Street><input id=c type=date>"""
    put = {
        "the document": "document.querySelector('main').innerHTML = fields; const root = document;",
        "a shadow root": """const root = document.querySelector("main").attachShadow({mode: "open"});
            root.innerHTML = fields;""",
    }[where]
    shown = f"""<!doctype html><main></main><script>
      const fields = `{fields}`; {put}
      globalThis.find = (id) => root.getElementById(id);
      globalThis.times = 1;
      find("a").onblur = () => {{ if (times-- > 0) {{ find("a").value += "!"; find("a").focus(); }} }};
    </script>"""
    inside = "" if where == "the document" else "main >> "
    actions: dict[str, Callable[[], Awaitable[Any]]] = {
        "fill": lambda: page.fill(f"{inside}#b", "Bo"),
        "type": lambda: page.type(f"{inside}#b", "Bo"),
        "press": lambda: page.press("B", element=f"{inside}#b"),
        "set": lambda: page.set_value(f"{inside}#c", "2026-01-31"),
        "select": lambda: page.select_text(f"{inside}#b"),
        "focus": lambda: page.focus(f"{inside}#b"),
        "form": lambda: page.fill_form([{"element": f"{inside}#b", "value": "Bo"}]),
    }
    async with serve_pages({"/": shown}) as served:
        for name, action in actions.items():
            await page.goto(served.url())
            await page.fill(f"{inside}#a", "Par")
            await action()
            held = await page.evaluate("[find('a').value, find('b').value, find('c').value]")
            assert held[0] == "Par!", name
            wanted = {"press": "B", "set": "2026-01-31", "select": "", "focus": ""}.get(name, "Bo")
            assert held[2 if name == "set" else 1] == wanted, name
            await page.goto(served.url())
            await page.fill(f"{inside}#a", "Par")
            await page.evaluate("times = 99")
            with pytest.raises(NotInteractable) as caught:
                await action()
            city = (await page.snapshot()).find(role="textbox", name="City")[0].id
            assert f'the page has taken the focus back, to textbox "City" [{city}]' in str(caught.value)
            assert (caught.value.reason, caught.value.partial) == ("focus taken", True), name
            assert await page.evaluate("[find('b').value, find('c').value]") == ["", ""]


@pytest.mark.parametrize("way", ["focus", "fill", "press"])
async def test_a_field_that_goes_as_another_is_left_for_it(page: Page, way: str) -> None:
    shown = "<input id=a><input id=b><script>a.onblur = () => b.remove()</script>"
    async with serve_pages({"/": shown}) as served:
        await page.goto(served.url())
        await page.focus("#a")
        id_ = (await page.snapshot()).find("textbox")[1].id
        actions: dict[str, Callable[[], Awaitable[Any]]] = {
            "focus": lambda: page.focus(id_),
            "fill": lambda: page.fill(id_, "Bo"),
            "press": lambda: page.press("B", element=id_),
        }
        with pytest.raises(StaleElement, match="taken out of its document"):
            await actions[way]()


@pytest.mark.parametrize(
    "numbers",
    [range(4, 7), pytest.param(range(1, 12), marks=pytest.mark.soak)],
    ids=["around the focus", "at every command"],
)
async def test_the_focus_is_stolen_right_before_the_text(
    page: Page, pages: PageServer, numbers: range
) -> None:
    bench = await Bench.open(page, pages.url("/thief"))

    async def steal(transport: Transport) -> None:
        theft = {"expression": "stolen += document.activeElement === late; b.focus()"}
        await transport.send(transport.codec.encode(10**9, "Runtime.evaluate", theft, bench.page.session.id))
        await trio.sleep(0.2)  # text takes another way to the page, and could be there before it

    await page.evaluate("void (window.stolen = 0)")
    # Behind the command that gives the focus, and before the one that inserts.
    for number in numbers:
        await bench.script("#late", "this.value = ''; this.blur(); b.value = '';")
        with Injecting(bench.page.session.connection, number, steal):
            await bench.do(type_text, "#late", "123")
        assert await bench.value("#late") == "123"
        assert await bench.value("#b") == "", number
    assert await bench.script("#late", "return stolen;")


@pytest.mark.parametrize("way", ["fill", "type", "fill_form"])
async def test_a_dialog_that_takes_the_focus_as_it_has_opened(page: Page, way: str) -> None:
    """As Bootstrap's: nothing has come of the text by then, so that it can be typed again."""
    shown = """<!doctype html><div role=dialog tabindex=-1 id=d><input id=first><input id=born></div><script>
      window.had = 0;
      born.onfocus = () => { had += 1; if (had <= TIMES) queueMicrotask(() => d.focus()); };
    </script>"""
    actions: dict[str, Callable[[], Awaitable[Any]]] = {
        "fill": lambda: page.fill("#born", "2001-02-03"),
        "type": lambda: page.type("#born", "2001-02-03"),
        "fill_form": lambda: page.fill_form(
            [{"id": "#first", "value": "Q"}, {"id": "#born", "value": "2001-02-03"}]
        ),
    }
    pages = {"/once": shown.replace("TIMES", "1"), "/always": shown.replace("TIMES", "99")}
    async with serve_pages(pages) as served:
        await page.goto(served.url("/once"))
        await actions[way]()
        assert await page.evaluate("[born.value, had]") == ["2001-02-03", 2]
        await page.goto(served.url("/always"))
        with pytest.raises(NotInteractable, match="after 0 of 10 characters") as caught:
            await actions[way]()
        assert (caught.value.reason, caught.value.partial) == ("focus moved", True)
        assert await page.evaluate("[born.value, had]") == ["", 2]


async def test_how_many_characters_had_come_when_the_last_one_went_astray(page: Page) -> None:
    shown = """<!doctype html><input id=code onkeydown="if (key.n++ === 2) other.focus()"><input id=other>
      <script>window.key = { n: 0 };</script>"""
    async with serve_pages({"/": shown}) as served:
        await page.goto(served.url())
        with pytest.raises(NotInteractable, match="after 2 of 3 characters"):
            await page.type("#code", "123", by_keys=True)
        assert await page.evaluate("[code.value, other.value]") == ["12", ""]


async def test_a_dialog_does_not_block(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/alerts"))
    for selector, submit in (("#a", True), ("#i", False), ("#f", False)):
        done = await bench.do(type_text, selector, "x", submit=submit)
        assert done.notes == ("a dialog opened meanwhile; what would have come after it was not done",)
        await until(lambda: bench.page.dialogs)
        await bench.page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True})
        await until(lambda: not bench.page.dialogs)


async def test_enter_submits_and_leads_elsewhere(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/form"))
    await bench.do(type_text, "#q", "a b", submit=True)
    await until(lambda: bench.page.url.endswith("/sent?q=a+b"))
    bench = await Bench.open(page, pages.url("/form"))
    await bench.do(lambda resolver, element: press_chord(resolver, "Enter", element), "#q")
    await until(lambda: bench.page.url.endswith("/sent?q="))


@pytest.mark.parametrize(
    "options", [{}, {"delay": 0.001}, pytest.param({"by_keys": True}, marks=pytest.mark.soak)]
)
async def test_a_line_break_in_one_line_submits_nothing(
    page: Page, pages: PageServer, options: dict[str, Any]
) -> None:
    bench = await Bench.open(page, pages.url("/form"))
    became = "it has one line: line breaks became {}, and submitted nothing"
    for text, value, words in (
        ("one\ntwo", "one two", "blanks"),
        ("\r\none\rtwo\n\n", " one two", "blanks and nothing at the end"),
        ("line\n", "line", "nothing at the end"),
        ("\n", "", "nothing at the end"),
    ):
        done = await bench.do(type_text, "#q", text, clear=True, **options)
        assert (await bench.value("#q"), done.notes) == (value, (became.format(words),))
    # The same as the browser makes of it.
    await bench.script("#q", "this.select()")
    await bench.page.session.send("Input.insertText", {"text": "\r\none\rtwo\n\n"})
    assert await bench.value("#q") == " one two"
    for field in ("#area", "#rich"):
        done = await bench.do(type_text, field, "one\ntwo", **options)
        assert (await bench.value(field), done.notes) == ("one\ntwo", ())
    assert await bench.script("#q", "return [sent, pressed.includes('Enter')]") == [0, bool(options)]
    await bench.do(type_text, "#q", "one\ntwo", clear=True, submit=True, **options)
    await until(lambda: bench.page.url.endswith("/sent?q=one+two"))


# Keys


async def test_every_key_as_the_page_sees_it(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/keys"))
    await bench.do(focus_element, "#t")
    for code, key in KEYS.items():
        held: list[Key] = []
        await evaluate(bench.page.session, "keys.length = 0")
        await bench.run(lambda resolver, code=code, held=held: key_down(resolver, code, held))  # type: ignore[misc]
        await bench.run(lambda resolver, code=code, held=held: key_up(resolver, code, held))  # type: ignore[misc]
        assert held == []
        bits = [key.key == name for name in ("Shift", "Control", "Alt", "Meta")]
        keys = await evaluate(bench.page.session, "keys.splice(0)")
        expected = ["keydown", key.key, code, key.key_code, key.location, False, *bits, True]
        assert keys[0] == expected, code
        assert keys[-1] == ["keyup", *expected[1:6], False, False, False, False, True], code
        if key.text:
            assert keys[1] == ["keypress", key.key, ord(key.text)]
        assert len(keys) == (3 if key.text else 2), code
        # F5 and the like are the browser's own: the page stays where it is.
    assert bench.page.url.endswith("/keys")


async def test_shifted_characters_and_repeats(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/keys"))
    await bench.do(focus_element, "#t")
    held: list[Key] = []

    async def do(act: Any, key: str) -> None:
        await bench.run(lambda resolver: act(resolver, key, held))

    await do(key_down, "Shift")
    await do(key_down, "a")
    await do(key_down, "a")
    await press(bench, "1", held=held)
    await do(key_up, "a")
    assert modifier_bits(held) == 8
    await do(key_up, "Shift")
    assert modifier_bits(held) == 0
    assert await bench.value("#t") == "AA!"
    keys = await evaluate(bench.page.session, "keys.filter((one) => one[0] !== 'keypress')")
    assert [(one[0], one[1], one[5], one[6]) for one in keys] == [
        ("keydown", "Shift", False, True),
        ("keydown", "A", False, True),
        ("keydown", "A", True, True),
        ("keydown", "!", False, True),
        ("keyup", "!", False, True),
        ("keyup", "A", False, True),
        ("keyup", "Shift", False, False),
    ]
    done = await bench.run(lambda resolver: key_up(resolver, "Shift", held))
    assert done.notes == ("the key was not down",)
    await do(key_down, "ControlOrMeta")
    await press(bench, "a", held=held)
    await do(key_up, "ControlOrMeta")
    await press(bench, "Backspace")
    assert await bench.value("#t") == ""
    # A chord of a key that is held lets go of it.
    await do(key_down, "b")
    await press(bench, "b", held=held)
    assert held == []
    assert await bench.value("#t") == "bb"


async def test_editing_shortcuts(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/keys"))
    await bench.do(focus_element, "#a")
    whole = "hello world"
    for chord, value, start, end in (
        ("Ctrl+a", whole, 0, 11),
        ("ctrl+C", whole, 0, 11),
        ("End", whole, 11, 11),
        ("Control+v", whole * 2, 22, 22),
        ("ControlOrMeta+z", whole, 11, 11),
        ("Ctrl+Shift+z", whole * 2, 22, 22),
        ("Ctrl+a", whole * 2, 0, 22),
        ("Ctrl+x", "", 0, 0),
        ("Ctrl+v", whole * 2, 22, 22),
        ("home", whole * 2, 0, 0),
        ("right", whole * 2, 1, 1),
        ("Shift+ArrowRight", whole * 2, 1, 2),
        ("Shift+Ctrl+ArrowRight", whole * 2, 1, 5),
        ("del", "h worldhello world", 1, 1),
        ("bksp", " worldhello world", 0, 0),
        ("Shift+End", " worldhello world", 0, 17),
        ("A", "A", 1, 1),
        ("?", "A?", 2, 2),
        ("esc", "A?", 2, 2),
    ):
        await press(bench, chord)
        got = await bench.script("#a", "return [this.value, this.selectionStart, this.selectionEnd]")
        assert got == [value, start, end], chord


async def test_tab_and_enter(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/keys"))
    await bench.do(lambda resolver, element: press_chord(resolver, "Tab", element), "#one")
    assert await bench.script("#two", "return document.activeElement === this")
    assert (await bench.events("#two"))[-4:] == ["keydown one Tab", "blur one", "focus two", "keyup two Tab"]
    await press(bench, "Shift+Tab")
    assert await bench.script("#one", "return document.activeElement === this")
    await bench.events("#one")
    await press(bench, "return")
    assert "submit form" in await bench.events("#one")
    await bench.do(type_text, "#t", "a\nb", by_keys=True, submit=True)
    assert await bench.value("#t") == "a\nb\n"


async def test_slow_typing_is_one_key_after_the_other(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/keys"))
    await bench.script(
        "#t", "this.times = []; this.addEventListener('input', () => this.times.push(performance.now()))"
    )
    await bench.do(type_text, "#t", "Aé", delay=0.05)
    assert await bench.events("#t") == [
        "focus t",
        "keydown t Shift",
        "keydown t A",
        "keypress t A",
        "beforeinput t insertText",
        "input t insertText",
        "keyup t A",
        "keyup t Shift",
        "beforeinput t insertText",
        "input t insertText",
    ]
    first, second = await bench.script("#t", "return this.times")
    assert second - first >= 45


# Cut off


async def check_let_go(bench: Bench) -> None:
    """Every key that went down is up, and no guard stands in the way of the next text.

    A key may go up twice: what lets go of it is sent once more when nobody has heard of the first.
    """
    await bench.until_clean()
    down = set[str]()
    for kind, _, code, *_ in await evaluate(bench.page.session, "keys.splice(0)"):
        if kind == "keydown":
            down.add(code)
        elif kind == "keyup":
            down.discard(code)
    assert down == set()
    await bench.script("#a", "this.value = ''")
    await bench.do(type_text, "#t", "ok", clear=True)
    assert await bench.value("#t") == "ok"
    # With a guard for #a still there, this would not come through.
    await bench.script("#one", "this.value = ''; this.focus()")
    await press(bench, "z")
    assert await bench.value("#one") == "z"
    await evaluate(bench.page.session, "keys.length = 0")


async def test_typing_and_pressing_cancelled_at_every_command(
    page: Page, pages: PageServer, step: int
) -> None:
    bench = await Bench.open(page, pages.url("/keys"))

    def both(resolver: Any, element: Any) -> Any:
        yield from type_text(resolver, element, "A", clear=True, by_keys=True)
        yield from press_chord(resolver, "Ctrl+Shift+ArrowLeft", element)

    for number in itertools.count(1, step):
        with trio.CancelScope() as scope:

            async def cancel(_: Transport, scope: trio.CancelScope = scope) -> None:
                scope.cancel()

            with Injecting(bench.page.session.connection, number, cancel):
                await bench.do(both, "#a")
        await check_let_go(bench)
        if not scope.cancelled_caught:
            break
    assert number > 15


async def test_typing_cancelled_at_every_reply(
    page: Page, pages: PageServer, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    bench = await Bench.open(page, pages.url("/keys"))
    put = ConnectionChannel.put
    for number in itertools.count(1, step):
        replies = 0
        with trio.CancelScope() as scope:

            def counted(
                channel: ConnectionChannel,
                ticket: int,
                reply: Any,
                number: int = number,
                scope: trio.CancelScope = scope,
            ) -> None:
                nonlocal replies
                put(channel, ticket, reply)
                replies += 1
                if replies == number:
                    scope.cancel()

            monkeypatch.setattr(ConnectionChannel, "put", counted)
            await bench.do(type_text, "#a", "Ab", clear=True, by_keys=True)
        monkeypatch.undo()
        await check_let_go(bench)
        if not scope.cancelled_caught:
            break
    assert number > 10


async def test_a_page_that_does_not_answer_gets_its_keys_back(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/keys"))
    await bench.script(
        "#a",
        """this.addEventListener("keydown", (event) => {
        const end = Date.now() + 700; while (event.key === "A" && Date.now() < end); })""",
    )
    with pytest.raises(CommandUnanswered):
        await bench.run(_typing("#a", "A"), seconds=0.4)
    await check_let_go(bench)


def _typing(selector: str, text: str) -> Any:
    def plan(resolver: Any) -> Any:
        element = yield from found(resolver, selector)
        return (yield from type_text(resolver, element, text, by_keys=True))

    return plan


async def test_the_page_goes_elsewhere_at_every_command(page: Page, pages: PageServer, step: int) -> None:
    lost = (hybridsnap.HybridsnapError, LookupError)  # whatever was refused, it is said
    for number in itertools.count(1, step):
        bench = await Bench.open(page, pages.url("/keys"))
        elsewhere = {"url": pages.url("/sent", "localhost")}
        with injecting(bench.page, number, "Page.navigate", elsewhere) as wire, contextlib.suppress(*lost):
            await bench.do(type_text, "#a", "Ab", clear=True)
        await bench.until_clean()
        if wire.sent < number:
            break
    assert number > 5


async def test_behind_a_text_that_comes_at_once_a_key_goes_up(page: Page, pages: PageServer) -> None:
    """Many pages look at what is typed, complete it and check it when a key comes up."""
    bench = await Bench.open(page, pages.url("/keys"))
    heard = "({ key, code, keyCode, shiftKey }) => this.seen.push([key, code, keyCode, shiftKey, this.value])"
    await bench.script("#t", f"this.seen = []; this.addEventListener('keyup', {heard})")
    for text, key in (
        ("Berlin", ["n", "KeyN", 78, False]),
        ("ABC", ["C", "KeyC", 67, True]),
        ("50%", ["%", "Digit5", 53, True]),  # 37, the number of its character, is an arrow's
        ("né", ["é", "", 0, False]),
        ("東京", ["京", "", 0, False]),
        ("line\n", ["e", "KeyE", 69, False]),
        (" ", None),
    ):
        await bench.do(type_text, "#t", text, clear=True)
        assert await bench.script("#t", "return this.seen.splice(0)") == (
            [] if key is None else [[*key, text]]
        )
    await bench.do(fill, "#t", "Rome")
    assert await bench.script("#t", "return this.seen.splice(0)") == [["e", "KeyE", 69, False, "Rome"]]
    # A note says that the page changed the text on that key.
    await bench.script("#t", "this.addEventListener('keyup', () => { this.value = 'Roma'; }, {once: true})")
    done = await bench.do(fill, "#t", "Rome")
    assert done.notes == ("the page, or the field, made something else of the text",)
    # Where the page has moved the focus on, no key goes up.
    await bench.script("#two", "this.keys = []; this.addEventListener('keyup', () => this.keys.push(1))")
    await bench.script("#one", "this.keys = []; this.addEventListener('keyup', () => this.keys.push(1))")
    await bench.script("#one", "this.addEventListener('input', () => two.focus())")
    await bench.do(type_text, "#one", "7")
    assert await bench.value("#one") == "7"
    for field in ("#one", "#two"):
        assert await bench.script(field, "return this.keys") == []


@pytest.mark.parametrize("kept", ["nothing", "keyup", "all"])
async def test_a_key_is_over_behind_what_the_page_makes_of_it(
    page: Page, pages: PageServer, kept: str
) -> None:
    """Also where the page keeps its events to itself."""
    bench = await Bench.open(page, pages.url("/keys"))
    await bench.script("#t", "this.addEventListener('keyup', () => { this.value += '!'; })")
    stopped = {"nothing": [], "keyup": ["keyup"], "all": ["keydown", "keypress", "input", "keyup"]}[kept]
    await bench.script(
        "#t", f"for (const one of {stopped}) this.addEventListener(one, (e) => e.stopPropagation())"
    )
    await bench.do(type_text, "#t", "a", clear=True, by_keys=True)
    assert await bench.value("#t") == "a!"
    await bench.do(lambda resolver, element: press_chord(resolver, "b", element), "#t")
    assert await bench.value("#t") == "a!b!"


async def test_a_row_that_moves_when_it_is_typed_in_has_its_text(page: Page) -> None:
    """The text is entered, and not refused because the row changed; only the `keyup` is left out."""
    await page.goto(
        "data:text/html,<ul><li><b>Ann</b> <input aria-label=Age></li>"
        "<li><b>Bob</b> <input aria-label=Age></li></ul>"
        "<script>keys = 0; addEventListener('keyup', () => { keys += 1; });"
        "addEventListener('input', () => { const [a, b] = document.querySelectorAll('b');"
        "[a.textContent, b.textContent] = ['Bob', 'Ann']; }, {once: true})</script>"
    )
    snapshot = await page.snapshot()
    await page.fill(snapshot.find(role="textbox")[0].id, "41")
    assert await page.evaluate("[document.querySelector('input').value, keys]") == ["41", 0]


_SENDS = "if (event.key === 'Enter') { this.value = ''; this.textContent = '' }"
_TOOK_NONE = "the field took none of the text; it holds what it held before"
_MADE_ELSE = "the page, or the field, made something else of the text"


@pytest.mark.parametrize("by_keys", [False, True])
@pytest.mark.parametrize(
    ("field", "notes"),
    [
        (f'<input id=field required onkeydown="{_SENDS}">', ()),
        (f'<textarea id=field onkeydown="{_SENDS}"></textarea>', ()),
        (f'<div id=field contenteditable onkeydown="{_SENDS}"></div>', ()),
        (f'<input id=field oninput="this.value += 1" onkeydown="{_SENDS}">', (_MADE_ELSE,)),
        ('<input id=field value=old onbeforeinput="event.preventDefault()">', (_TOOK_NONE,)),
        ('<div id=field contenteditable onbeforeinput="event.preventDefault()">old</div>', (_TOOK_NONE,)),
        ("""<input id=field oninput="this.value = ''">""", (_MADE_ELSE,)),
    ],
)
async def test_what_became_of_a_text_that_enter_sends_off(
    page: Page, field: str, notes: tuple[str, ...], *, by_keys: bool
) -> None:
    """What the field held before Enter counts; afterwards it may be empty since all is well."""
    await page.goto("about:blank")
    await page.evaluate(f"void (document.body.innerHTML = {field!r})")
    receipt = await page.type("#field", "Car 3", submit=True, by_keys=by_keys)
    assert receipt.notes == notes


async def test_a_field_that_takes_no_text_is_not_called_filled(page: Page) -> None:
    await page.goto("about:blank")
    await page.evaluate(
        "void (document.body.innerHTML = '<input id=a><input id=b onbeforeinput=event.preventDefault()>')"
    )
    receipt = await page.fill_form([{"id": "#a", "value": "x"}, {"id": "#b", "value": "y"}])
    first, second = receipt.details
    assert first.startswith("filled textbox")
    assert second.startswith("not filled: textbox")
    assert second.endswith(_TOOK_NONE)
    assert (await page.fill("#b", "y")).notes == (_TOOK_NONE,)
