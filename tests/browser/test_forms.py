"""Forms in real pages: every kind of control takes its value, by the events a person would cause."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

import pytest
import trio

from hybridsnap.act.checking import set_checked
from hybridsnap.act.choosing import select_option
from hybridsnap.act.files import set_input_files
from hybridsnap.act.focusing import Done
from hybridsnap.act.forms import clear_element, fill, fill_form
from hybridsnap.errors import NotInteractable, StaleElement, WaitTimeout
from hybridsnap.protocol.commands import get_document, get_frame_tree, tell
from hybridsnap.protocol.plan import gather, pause
from tests.support.faults import Injecting, until
from tests.support.form_pages import FRAME_PARAMETERS, FRAMES, RECORDER, Bench, found, framed
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap import Browser, Page
    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.client.transport import Transport
    from hybridsnap.protocol.plan import Plan
    from tests.support.pages import PageServer

_SELECTS = """<select id=one><option value=r>Red<option value=g>Green<optgroup label=More><option value=b>Blue
    <option value=x disabled>Black</optgroup><optgroup label=Off disabled><option value=w>White</optgroup>
    <option value=Red>Odd</select>
    <select id=many multiple><option selected>a<option>b<option>c<option disabled>d</select>"""
_FIELDS = f"""<form><input id=text value=old><textarea id=area>old</textarea>
    <div id=rich contenteditable>old <b>words</b></div>
    <input id=box type=checkbox><input id=r1 type=radio name=r checked><input id=r2 type=radio name=r>
    <input id=date type=date><input id=range type=range><input id=file type=file>{_SELECTS}</form>"""
_PAGES = {
    **framed(_FIELDS),
    "/kinds": f"""<!doctype html><title>Kinds</title>{RECORDER}<form id=form>
        <input id=text><input id=search type=search><input id=url type=url><input id=tel type=tel>
        <input id=email type=email><input id=password type=password><textarea id=area></textarea>
        <input id=number type=number min=0 max=100 step=any>
        <input id=date type=date max=2026-12-31><input id=time type=time>
        <input id=local type=datetime-local><input id=month type=month><input id=week type=week>
        <input id=range type=range min=10 max=50 step=5><input id=color type=color value="#000000">
        <input id=box type=checkbox><input id=radio type=radio><input id=file type=file>
        <input id=button type=button value=b><input id=submit type=submit><input id=hidden type=hidden>
        <button id=push type=button>Push</button><label id=label>Words <input id=in></label><p id=p>p</p>
        <div id=rich contenteditable></div><div id=listbox role=listbox tabindex=0>l</div>
        <input id=mask maxlength=14
          oninput="this.value = this.value.replace(/^(...)(...)(....)$/, '($1) $2-$3')">
        <input id=short maxlength=3><input id=needed pattern="[0-9]+"></form>
        <input id=readonly readonly><input id=stilldate type=date readonly><input id=off type=date disabled>
        <input id=gone type=color style="display: none"><div inert><input id=inert type=range></div>
        <input id=stubborn type=date onchange="this.value = '2000-01-01'">""",
    "/selects": f"""<!doctype html><title>Selects</title>{RECORDER}{_SELECTS}
        <select id=off disabled><option>a</select><select id=gone style="display: none"><option>a</select>
        <select id=jump onchange="this.selectedIndex = 0"><option>Go to<option>There</select>
        <select id=spaced><option>  Two
          words </option><option label="Labelled">text</option></select><select id=empty></select>
        <select id=long></select>
        <script>for (let n = 0; n < 300; n++) long.add(new Option("option " + n))</script>
        <div id=custom role=combobox tabindex=0>custom</div>""",
    "/checks": f"""<!doctype html><title>Checks</title>{RECORDER}<style>.hide {{ display: none }}
          .clip {{ position: absolute; width: 1px; height: 1px; clip-path: inset(50%) }}</style>
        <input id=box type=checkbox><input id=on type=checkbox checked><input id=off type=checkbox disabled>
        <input id=mixed type=checkbox><script>mixed.indeterminate = true</script>
        <label id=terms style="display: inline-block"><input id=agreed type=checkbox>
          <a href="#followed">the long terms of use, in the middle</a></label>
        <label id=hidden style="display: inline-block"><input id=behind type=checkbox class=hide>
          <a href="#followed">the long terms of use, in the middle</a> agreed</label>
        <label id=pair style="display: inline-block"><input id=first type=checkbox>
          <input id=second type=checkbox></label>
        <label><input id=beside type=checkbox> <b id=words>I agree</b>
          <a href="#read" id=link><i id=inlink>terms</i></a> <button type=button id=why>why</button></label>
        <label><input id=other type=radio> Other: <input id=which></label>
        <label id=wrap><input id=wrapped type=radio name=w class=hide><b>Wrapped</b></label>
        <label id=wrap2><input id=clipped type=radio name=w class=clip>Clipped</label>
        <input id=alone type=checkbox class=hide>
        <input id=for type=checkbox class=hide><label for=for>For</label>
        <span id=aria role=checkbox aria-checked=false tabindex=0
          onclick="setTimeout(() => this.ariaChecked = String(this.ariaChecked !== 'true'), 50)">ARIA</span>
        <span id=switch role=switch aria-checked=true tabindex=0 onclick="this.ariaChecked = 'false'">S</span>
        <span id=ariamixed role=checkbox aria-checked=mixed tabindex=0
          onclick="this.ariaChecked = this.ariaChecked === 'mixed' ? 'false' : 'true'">Mixed</span>
        <i id=ariaradio role=radio aria-checked=false tabindex=0 onclick="this.ariaChecked = 'true'">R</i>
        <span id=ariaoff role=checkbox aria-checked=false aria-disabled=true tabindex=0>Off</span>
        <button id=pressed role=switch aria-checked=false onclick="this.ariaChecked = 'true'">B</button>
        <label>In <button id=inlabel role=checkbox aria-checked=false
          onclick="this.ariaChecked = 'true'">L</button></label>
        <input id=input type=button role=checkbox aria-checked=true onclick="this.ariaChecked = 'false'">
        <button id=buttonoff role=checkbox aria-checked=false disabled>Off</button>
        <span id=deaf role=checkbox aria-checked=false tabindex=0>Deaf</span>
        <input id=refusing type=checkbox onclick="return false"><button id=button>Button</button>
        <input id=leading type=checkbox onchange="location = '/sent'">
        <input id=asking type=checkbox onchange="alert('sure?')">""",
    # Directus' checkboxes; Element UI's switches, which Vue 2 draws without an attribute that is false; and
    # those that only draw whether they are on.
    "/toggles": """<!doctype html><title>Toggles</title>
        <button id=on role=checkbox aria-pressed=true
          onclick="this.ariaPressed = String(this.ariaPressed !== 'true')">On</button>
        <button id=off role=switch aria-pressed=false
          onclick="this.ariaPressed = String(this.ariaPressed !== 'true')">Off</button>
        <div id=bare role=switch tabindex=0 onclick="this.toggleAttribute('aria-checked');
          if (this.ariaChecked !== null) this.ariaChecked = 'true'">Bare</div>
        <div id=drawn role=checkbox class=on tabindex=0 onclick="this.classList.toggle('on')">Drawn</div>
        <input id=native type=checkbox aria-label=Native aria-pressed=true>""",
    "/files": f"""<!doctype html><title>Files</title>{RECORDER}
        <input id=one type=file><input id=many type=file multiple>
        <input id=hidden type=file style="display: none"><input id=off type=file disabled>
        <input id=folder type=file webkitdirectory><label id=label>Choose <input type=file></label>
        <button id=button>Upload</button><input id=removing type=file onchange="this.remove()">
        <form action=/sent><input id=sending type=file onchange="this.form.submit()"></form>
        <iframe id=frame src="http://a.localhost:{{PORT}}/upload"></iframe>""",
    "/upload": "<!doctype html><input type=file>",
    "/upload2": "<!doctype html><input type=file>",
    "/rerender": f"""<!doctype html>{RECORDER}<div id=host></div><script>
        const draw = () => {{ host.innerHTML = "<input id=b>"; }}; draw();</script>
        <input id=a oninput="draw()">""",
    "/sent": "<!doctype html><title>Sent</title>",
}
#: Kind → a value, and the value the control has then.
_VALUES: dict[str, tuple[Any, Any]] = {
    "text": ("Ada é 👩🏽‍🚀", "Ada é 👩🏽‍🚀"),
    "search": ("cats", "cats"),
    "url": ("http://a/b?c", "http://a/b?c"),
    "tel": ("+49 1", "+49 1"),
    "email": ("a@b.c", "a@b.c"),
    "password": ("p w", "p w"),
    "area": ("one\ntwo", "one\ntwo"),
    "number": (12.5, "12.5"),
    "date": ("2026-01-31", "2026-01-31"),
    "time": ("14:30", "14:30"),
    "local": ("2026-01-31T14:30", "2026-01-31T14:30"),
    "month": ("2026-01", "2026-01"),
    "week": ("2026-W05", "2026-W05"),
    "range": (45, "45"),
    "color": ("#1E90FF", "#1e90ff"),
    "box": (True, True),
    "radio": (True, True),
    "rich": ("one two", "one two"),
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def refused(bench: Bench, act: Any, selector: str, *args: Any, **options: Any) -> NotInteractable:
    with pytest.raises(NotInteractable) as caught:
        await bench.do(act, selector, *args, **options)
    assert "\n" not in str(caught.value)
    assert caught.value.element_id is not None
    assert caught.value.element_id in str(caught.value)
    return caught.value


async def fill_entries(bench: Bench, entries: Any) -> Any:
    return await bench.run(lambda resolver: fill_form(resolver, lambda name: found(resolver, name), entries))


# fill


async def test_every_type_of_input(page: Page, pages: PageServer, tmp_path: Path) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    for kind, (value, after) in _VALUES.items():
        done = await bench.do(fill, f"#{kind}", value)
        assert await bench.value(f"#{kind}") == after, kind
        assert done.notes == (), kind
    (tmp_path / "a.txt").write_text("a")
    await bench.do(fill, "#file", str(tmp_path / "a.txt"))
    assert await bench.script("#file", "return this.files[0].name") == "a.txt"
    # Once more: what is set by script says that there was nothing to do.
    for kind in ("date", "range", "color", "number"):
        done = await bench.do(fill, f"#{kind}", _VALUES[kind][0])
        assert done.notes == ("it had this value already",)
    for kind in ("box", "radio"):
        done = await bench.do(fill, f"#{kind}", True)
        assert done.notes == ("it was checked already",)
    for kind in ("text", "area", "date", "number", "rich"):
        await bench.do(fill, f"#{kind}", "")
        assert (await bench.value(f"#{kind}")).strip() == "", kind


async def test_the_events_of_filling(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    for kind, expected in (
        ("text", ["focus", "beforeinput insertText", "input insertText"]),
        ("area", ["beforeinput insertText", "input insertText", "input insertText", "input insertText"]),
        ("number", ["focus", "input untrusted", "change untrusted"]),
        ("color", ["focus", "input untrusted", "change untrusted"]),
        ("box", ["focus", "click", "input", "change"]),
    ):
        await bench.do(fill, f"#{kind}", _VALUES[kind][0])
        got = [one.replace(f" {kind}", "", 1) for one in await bench.events("#form") if f" {kind}" in one]
        assert [one for one in got if one in expected] == expected, (kind, got)
        assert ("keydown" in " ".join(got)) is False
    # A person's change comes when the focus leaves.
    events = await bench.events("#form")
    await bench.do(fill, "#text", "more")
    await bench.do(fill, "#tel", "1")
    events = await bench.events("#form")
    assert "change text" in events
    assert events.index("change text") < events.index("focus tel")


@pytest.mark.parametrize("where", FRAME_PARAMETERS)
async def test_forms_in_every_frame(page: Page, pages: PageServer, where: str, tmp_path: Path) -> None:
    bench = await Bench.open(page, pages.url("/"))
    to = FRAMES[where]
    (tmp_path / "f").write_text("f")
    entries = {
        "text": ("new", "new"),
        "area": ("a\nb", "a\nb"),
        "rich": ("all new", "all new"),
        "box": (True, True),
        "r2": (True, True),
        "date": ("2026-11-21", "2026-11-21"),
        "range": (7, "7"),
        "one": ("Blue", ["b"]),
        "many": (["b", "c"], ["b", "c"]),
        "file": (str(tmp_path / "f"), None),
    }
    filled = await fill_entries(
        bench, [{"id": f"{to}#{key}", "value": value} for key, (value, _) in entries.items()]
    )
    assert [one.notes for one in filled] == [()] * len(entries)
    for key, (_, after) in entries.items():
        if after is not None:
            assert await bench.value(f"{to}#{key}") == after, key
    assert await bench.value(f"{to}#r1") is False
    assert await bench.script(f"{to}#file", "return this.files.length") == 1
    for other in FRAMES.values():
        if other != to:
            form = "return [this.elements.text.value, this.elements.box.checked, this.elements.one.value]"
            assert await bench.script(f"{other}form", form) == ["old", False, "r"]


_WRONG_FORMS = [
    ("date", "31.1.2026", "its value looks like 2026-01-31, not like '31.1.2026'"),
    ("date", "2026-02-30", "'2026-02-30' is none that exists"),
    ("time", "2 pm", "looks like 14:30"),
    ("time", "25:00", "is none that exists"),
    ("local", "2026-01-31 14:30", "looks like 2026-01-31T14:30"),
    ("month", "January", "looks like 2026-01,"),
    ("week", "2026-W60", "is none that exists"),
    ("number", "12abc", "looks like -12.5"),
    ("number", "1e999", "is none that exists"),
    ("range", "", "looks like 50"),
    ("color", "blue", "looks like #1e90ff"),
]


async def test_a_value_of_the_wrong_form(page: Page, pages: PageServer, subtests: pytest.Subtests) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    for kind, value, words in _WRONG_FORMS:
        with subtests.test(kind, value=value):
            before = await bench.value(f"#{kind}")
            error = await refused(bench, fill, f"#{kind}", value)
            assert error.reason == "value"
            assert words in str(error)
            assert await bench.value(f"#{kind}") == before
            assert await bench.events("#form") == []


async def test_a_value_of_the_wrong_type(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    for selector, value, words in (
        ("#text", True, "a text field: its value is a str, not like True"),
        ("#box", "yes", "a checkbox: its value is True or False, not like 'yes'"),
        ("#date", ["2026-01-31"], "its value is a str"),
        ("#file", 5, "its value is a path or a list of them, not like 5"),
    ):
        error = await refused(bench, fill, selector, value)
        assert error.reason == "value"
        assert words in str(error)
    # What no control takes is a mistake of the program's, not of the page's.
    strange: list[Any] = [None, {"a": 1}, [None]]
    for none in strange:
        with pytest.raises(TypeError, match="a value is a str, a number, True, False, a path, or a list"):
            await bench.do(fill, "#text", none)
    with pytest.raises(ValueError, match="there is no file '/no/such/file'"):
        await bench.do(fill, "#file", "/no/such/file")
    assert await bench.events("#form") == []


async def test_what_cannot_be_filled(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    for selector, value, reason, words in (
        ("#button", "x", "wrong kind", "it is a button; click it"),
        ("#submit", "x", "wrong kind", "it is a button; click it"),
        ("#hidden", "x", "wrong kind", "button"),
        ("#push", "x", "wrong kind", "it is a button; click it"),
        ("#label", "x", "wrong kind", "name the control that it labels"),
        ("#p", "x", "wrong kind", "it is not a form control"),
        ("#listbox", "x", "wrong kind", "it is not a form control"),
        ("#readonly", "x", "read-only", "it is read-only"),
        ("#stilldate", "2026-01-31", "read-only", "it is read-only"),
        ("#off", "2026-01-31", "disabled", "it is disabled"),
        ("#gone", "#000000", "not displayed", "it is not displayed"),
        ("#inert", "5", "inert", "it is inert"),
        ("#range", "47", "value", "it cannot be 47 (min 10, max 50, step 5); the nearest is 45"),
        ("#range", "99", "value", "the nearest is 50"),
        ("#radio", False, "wrong kind", "a radio is unchecked by checking another one"),
    ):
        error = await refused(bench, fill, selector, value)
        assert error.reason == reason, selector
        assert words in str(error), selector
    assert await bench.events("#form") == []


async def test_notes_of_filling(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    done = await bench.do(fill, "#stubborn", "2026-01-31")
    assert done.notes == ("the page made something else of the value",)
    assert await bench.value("#stubborn") == "2000-01-01"
    done = await bench.do(fill, "#short", "abcdef")
    assert done.notes == ("it holds no more than 3 characters; the text was cut",)
    done = await bench.do(fill, "#mask", "5551234567")
    assert await bench.value("#mask") == "(555) 123-4567"
    assert done.notes == ("the page, or the field, made something else of the text",)
    for selector, value in (("#number", "101"), ("#date", "2027-01-01"), ("#needed", "x"), ("#email", "x")):
        done = await bench.do(fill, selector, value)
        assert len(done.notes) == 1
        assert done.notes[0].startswith("the field is not valid: ")
        assert await bench.value(selector) == value
    # A line break in an input presses nothing: the form is not sent.
    done = await bench.do(fill, "#text", "a\nb")
    assert done.notes == ("it has one line: line breaks became blanks, and submitted nothing",)
    assert await bench.value("#text") == "a b"
    assert bench.page.url.endswith("/kinds")


async def test_clear(page: Page, pages: PageServer, tmp_path: Path) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    (tmp_path / "a").write_text("a")
    for kind in ("text", "password", "area", "number", "date", "week", "rich"):
        await bench.do(fill, f"#{kind}", _VALUES[kind][0])
        await bench.events("#form")
        assert (await bench.do(clear_element, f"#{kind}")).notes == ()
        assert await bench.value(f"#{kind}") in {"", "\n"}, kind
        assert any(one.startswith(f"input {kind}") for one in await bench.events("#form"))
    await bench.do(fill, "#file", str(tmp_path / "a"))
    await bench.do(clear_element, "#file")
    assert await bench.script("#file", "return this.files.length") == 0
    assert (await bench.do(clear_element, "#text")).notes == ("it was empty already",)
    for selector in ("#box", "#radio", "#range", "#color", "#push", "#p"):
        assert (await refused(bench, clear_element, selector)).reason == "wrong kind"
    assert (await refused(bench, clear_element, "#readonly")).reason == "read-only"
    # What was typed and is not a number has no value, but is there.
    await bench.script("#number", "this.focus()")
    await bench.page.session.send("Input.insertText", {"text": "-"})
    assert await bench.script("#number", "return this.validity.badInput")
    await bench.do(clear_element, "#number")
    assert not await bench.script("#number", "return this.validity.badInput")
    selects = await Bench.open(page, pages.url("/selects"))
    await selects.do(clear_element, "#many")
    assert await selects.value("#many") == []
    assert "takes one option" in str(await refused(selects, clear_element, "#one"))


# Several at once


async def test_entries_are_checked_before_the_first_is_filled(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    good = {"id": "#text", "value": "x"}
    for bad, kind, words in (
        ({"id": "#tel", "value": "1", "frame": 0, "x": 1}, ValueError, "entry 2 has unknown keys: frame, x"),
        ({"id": "#tel"}, ValueError, "entry 2 has no value"),
        ({}, ValueError, "entry 2 has no element and no value"),
        ("#tel", TypeError, "entry 2 is {"),
        ({"id": 5, "value": "1"}, TypeError, "entry 2: id is a str"),
        ({"id": "#date", "value": "today"}, NotInteractable, "entry 2 (#date): "),
        ({"id": "#box", "value": 1}, NotInteractable, "entry 2 (#box): "),
        ({"id": "#box", "value": None}, TypeError, "entry 2 (#box): a value is a str"),
        ({"id": "#range", "value": 51}, NotInteractable, "entry 2 (#range): cannot set the value of"),
        ({"id": "#file", "value": "/no/such"}, ValueError, "entry 2 (#file): there is no file"),
        ({"id": "#p", "value": "x"}, NotInteractable, "entry 2 (#p): "),
    ):
        with pytest.raises(kind) as caught:
            await fill_entries(bench, [good, bad])
        assert str(caught.value).startswith(words), caught.value
        if kind is NotInteractable:
            assert str(caught.value).endswith("; no entry is filled")
    with pytest.raises(TypeError, match="entries is a list"):
        await fill_entries(bench, good)
    assert await fill_entries(bench, []) == []
    assert await bench.value("#text") == ""
    assert await bench.events("#form") == []


async def test_an_entry_that_is_replaced_on_the_way(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/rerender"))
    with pytest.raises(StaleElement, match=r"^entry 2 of 2, those before it are filled: ") as caught:
        await fill_entries(bench, [{"id": "#a", "value": "x"}, {"id": "#b", "value": "y"}])
    assert caught.value.reason == "detached"
    assert await bench.value("#a") == "x"
    assert await bench.value("#b") == ""


async def test_the_first_entry_goes_on_the_way(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/rerender"))
    await bench.script("#a", "this.addEventListener('focus', () => this.remove())")
    with pytest.raises(
        (NotInteractable, StaleElement), match=r"^entry 1 of 2, none is filled( completely)?: "
    ):
        await fill_entries(bench, [{"id": "#a", "value": "x"}, {"id": "#b", "value": "y"}])
    assert await bench.value("#b") == ""


async def test_a_dialog_in_the_middle_of_a_form(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/checks"))
    entries = [{"id": "#box", "value": True}, {"id": "#asking", "value": True}, {"id": "#on", "value": False}]
    filled = await fill_entries(bench, entries)
    assert [len(one.notes) for one in filled] == [0, 2]
    assert filled[1].notes[1] == "the 1 entry after it not filled"
    await until(lambda: bench.page.dialogs)
    await bench.page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True})
    await until(lambda: not bench.page.dialogs)
    assert await bench.value("#on") is True


# Selects


async def test_choosing_options(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/selects"))
    choices: list[tuple[dict[str, Any], list[str]]] = [
        ({"value": "g"}, ["g"]),
        ({"label": "Blue"}, ["b"]),
        ({"index": 5}, ["Red"]),
        ({"label": "Red"}, ["r"]),
        ({"value": "Red"}, ["Red"]),
        ({"value": ["b"]}, ["b"]),
        ({"value": "Green"}, ["g"]),  # no option has that value, and one that label
        ({"label": "b"}, ["b"]),
    ]
    for options, after in choices:
        await bench.events("#one")
        done = await bench.do(select_option, "#one", **options)
        assert (await bench.value("#one"), done.notes) == (after, ())
        events = [one for one in await bench.events("#one") if not one.startswith("focus")]
        assert events == ["input one untrusted", "change one untrusted"]
    done = await bench.do(select_option, "#one", label="Blue")
    assert done.notes == ("it was chosen already",)
    assert await bench.events("#one") == []
    await bench.do(fill, "#one", "Red")
    assert await bench.value("#one") == ["r"], "the label counts, which outlines show, before a value"
    several: list[tuple[dict[str, Any], list[str]]] = [
        ({"label": ["b", "c"]}, ["b", "c"]),
        ({"index": [0]}, ["a"]),
        ({"value": ("a", "c", "a")}, ["a", "c"]),
        ({"value": []}, []),
    ]
    for options, chosen in several:
        await bench.do(select_option, "#many", **options)
        assert await bench.value("#many") == chosen
    # Options themselves.
    await bench.do(select_option, "//*[@id='one']/option[2]")
    assert await bench.value("#one") == ["g"]
    await bench.do(select_option, "//*[@id='many']/option[2]")
    await bench.do(select_option, "//*[@id='many']/option[3]")
    assert await bench.value("#many") == ["b", "c"]
    await bench.do(select_option, "#spaced", label="Two words")
    await bench.do(select_option, "#spaced", label="Labelled")
    assert await bench.value("#spaced") == ["text"]
    done = await bench.do(select_option, "#jump", label="There")
    assert done.notes == ("the page chose something else upon it",)


async def test_options_that_cannot_be_chosen(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/selects"))
    for selector, options, reason, words in (
        (
            "#one",
            {"value": "Grey"},
            "no such option",
            'has no option "Grey"; it has "Red", "Green", "Blue"',
        ),
        ("#one", {"index": 6}, "no such option", 'has no option "6"'),
        ("#long", {"label": "x"}, "no such option", "… (300 in all)"),
        ("#empty", {"label": "x"}, "no such option", "it has none"),
        ("#one", {"value": "x"}, "disabled", 'its option "Black" is disabled'),
        ("#one", {"value": "w"}, "disabled", 'its option "White" is disabled'),
        ("#many", {"label": ["a", "d"]}, "disabled", 'its option "d" is disabled'),
        ("//*[@id='many']/option[4]", {}, "disabled", 'its option "d" is disabled'),
        ("#one", {"value": ["r", "g"]}, "wrong kind", "it takes exactly one option"),
        ("#one", {"value": []}, "wrong kind", "it takes exactly one option"),
        ("#one", {}, "wrong kind", "say which of its options"),
        ("//*[@id='one']/option[1]", {"value": "r"}, "wrong kind", "it is an option itself"),
        ("#off", {"label": "a"}, "disabled", "it is disabled"),
        ("#custom", {"label": "a"}, "not open", "its list does not open"),
    ):
        error = await refused(bench, select_option, selector, **options)
        assert error.reason == reason, (selector, options, error)
        assert words in str(error)
    wrong: dict[str, Any]
    for wrong in ({"value": "r", "label": "Red"}, {"index": -1}):
        with pytest.raises(ValueError, match=r"\S"):
            await bench.do(select_option, "#one", **wrong)
    for wrong in ({"value": 1}, {"index": "1"}, {"index": True}, {"label": [1]}):
        with pytest.raises(TypeError):
            await bench.do(select_option, "#one", **wrong)
    assert await bench.value("#one") == ["r"]
    assert await bench.value("#many") == ["a"]
    events = await bench.events("#one")
    assert [one for one in events if "custom" not in one] == []  # that one was tried to be opened


# Checkboxes


async def test_check_and_uncheck(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/checks"))
    done = await bench.do(set_checked, "#box", True)
    assert (await bench.value("#box"), done.notes) == (True, ())
    events = await bench.events("#box")
    assert [one for one in events if " box" in one] == ["focus box", "click box", "input box", "change box"]
    assert (await bench.do(set_checked, "#box", True)).notes == ("it was checked already",)
    assert await bench.events("#box") == []
    await bench.do(set_checked, "#box", False)
    assert await bench.value("#box") is False
    await bench.do(set_checked, "#on", False)
    assert await bench.value("#on") is False
    await bench.do(set_checked, "#mixed", True)
    assert await bench.script("#mixed", "return this.checked && !this.indeterminate")
    # Hidden ones have labels.
    for selector in ("#wrapped", "#clipped", "#wrapped", "#for"):
        await bench.do(set_checked, selector, True)
        assert await bench.value(selector) is True
    await bench.do(set_checked, "#wrap", True)
    assert await bench.value("#wrapped") is True
    await bench.do(set_checked, "#wrap2", True)
    assert await bench.value("#clipped") is True
    # A label stands for its control, whatever else lies in its middle.
    for selector, own in (("#terms", "#agreed"), ("#hidden", "#behind"), ("#pair", "#first")):
        await bench.do(set_checked, selector, True)
        assert await bench.value(own) is True
    assert await bench.value("#second") is False
    assert await bench.script("#terms", "return location.hash") == ""
    await bench.do(set_checked, "#words", True)
    assert await bench.value("#beside") is True
    for selector, checked in (
        ("#aria", True),
        ("#aria", False),
        ("#switch", False),
        ("#pressed", True),
        ("#inlabel", True),
        ("#input", False),
        ("#ariamixed", True),
        ("#ariaradio", True),
    ):
        await bench.do(set_checked, selector, checked)
        assert await bench.script(selector, "return this.ariaChecked") == str(checked).lower(), selector


async def test_what_cannot_be_checked(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/checks"))
    await bench.do(set_checked, "#wrapped", True)
    for selector, checked, reason, words in (
        ("#off", True, "disabled", "it is disabled"),
        ("#ariaoff", True, "disabled", "it is disabled"),
        ("#buttonoff", True, "disabled", "it is disabled"),
        ("#wrapped", False, "wrong kind", "a radio is unchecked by checking another one"),
        ("#ariaradio", False, "wrong kind", "a radio is unchecked by checking another one"),
        ("#button", True, "wrong kind", "it is a button, and not a checkbox, switch or radio; click it"),
        ("#link", True, "wrong kind", "it is not a form control, and not a checkbox"),
        ("#inlink", True, "wrong kind", "it is not a form control, and not a checkbox"),
        ("#why", True, "wrong kind", "it is a button, and not a checkbox"),
        ("#which", True, "wrong kind", "it is a text field, and not a checkbox"),
        ("#alone", True, "not displayed", "it is not displayed"),
        ("#refusing", True, "value", "it was clicked, and is unchecked"),
        ("#deaf", True, "value", "it was clicked, and is unchecked"),
    ):
        error = await refused(bench, set_checked, selector, checked)
        assert (error.reason, words in str(error)) == (reason, True), error
    for selector in ("#beside", "#other"):
        assert await bench.value(selector) is False


async def test_a_state_that_aria_checked_does_not_say(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/toggles"))

    rows = {row.name: row.states for row in (await page.snapshot()).rows if row.name}
    named = {name: rows[name] for name in ("On", "Off", "Bare", "Drawn", "Native")}
    assert named == {"On": ("checked",), "Off": (), "Bare": (), "Drawn": (), "Native": ()}
    assert (await bench.do(set_checked, "#on", True)).notes == ("it was checked already",)
    assert (await bench.do(set_checked, "#off", False)).notes == ("it was unchecked already",)
    for selector, checked in (("#on", False), ("#on", True), ("#off", True), ("#off", False)):
        assert (await bench.do(set_checked, selector, checked)).notes == ()
        assert await bench.script(selector, "return this.ariaPressed") == str(checked).lower()
    await fill_entries(bench, [{"id": "#on", "value": True}, {"id": "#off", "value": True}])
    assert await bench.script("#on", "return this.ariaPressed + off.ariaPressed") == "truetrue"
    # No attribute is how some say unchecked, and how others say nothing.
    unsaid = "neither aria-checked nor aria-pressed says whether it is checked"
    for selector in ("#bare", "#drawn"):
        done = await bench.do(set_checked, selector, False)
        assert done.notes == (f"{unsaid}, so it counts as unchecked: not clicked",)
    for checked, attribute in ((True, "true"), (False, None)):
        assert (await bench.do(set_checked, "#bare", checked)).notes == ()
        assert await bench.script("#bare", "return this.ariaChecked") == attribute
    error = await refused(bench, set_checked, "#drawn", True)
    assert (error.partial, str(error).endswith(f"it was clicked, and {unsaid}: look at it")) == (True, True)
    with pytest.raises(WaitTimeout, match=unsaid):
        await page.wait_for(checked="#drawn", timeout=0.5)


@pytest.mark.parametrize("said", ["checked", "TRUE", "0", "FALSE", "undefined", "true", ""])
async def test_what_the_outline_says_of_a_checkbox_is_not_clicked_for(
    page: Page, pages: PageServer, said: str
) -> None:
    bench = await Bench.open(page, pages.url("/toggles"))
    await bench.script("#drawn", f"this.setAttribute('aria-checked', {said!r})")
    (drawn,) = (await page.snapshot()).find("checkbox", "Drawn")
    assert ("checked" in drawn.states) == (said not in {"FALSE", "undefined", ""})
    await bench.do(set_checked, "#drawn", "checked" in drawn.states)
    assert await bench.script("#drawn", "return this.className") == "on"


async def test_a_check_that_leads_elsewhere(page: Page, pages: PageServer) -> None:
    bench = await Bench.open(page, pages.url("/checks"))
    await bench.do(set_checked, "#leading", True)
    await until(lambda: bench.page.url.endswith("/sent"))


@pytest.mark.parametrize("put_off", [False, True])
async def test_of_a_box_that_the_page_draws_anew_no_state_is_told(page: Page, put_off: bool) -> None:
    draw = "task.innerHTML = '<label>Task A <input type=checkbox></label>'"
    await page.goto(
        f"data:text/html,<div id=task></div><script>{draw}; task.onchange = () => "
        f"{f'setTimeout(() => {{ {draw} }})' if put_off else f'{{ {draw} }}'}</script>"
    )
    receipt = await page.check("#task input")
    assert receipt.changes == ()
    assert "the element is gone from the page" in receipt.notes
    if not put_off:
        assert "whether what stands in its place is checked was not seen; take a snapshot" in receipt.notes
    assert await page.evaluate("() => task.querySelector('input').checked") is False


# Files


async def test_files(page: Page, pages: PageServer, tmp_path: Path) -> None:
    bench = await Bench.open(page, pages.url("/files"))
    first, second, folder = tmp_path / "a é.txt", tmp_path / "b.txt", tmp_path / "folder"
    first.write_text("first")
    second.write_text("second")
    folder.mkdir()
    (folder / "in.txt").write_text("in")
    read = """return Promise.all([...this.files].map(
        (file) => file.text().then((text) => file.name + ":" + text)))"""
    await bench.do(set_input_files, "#one", first)
    assert await bench.script("#one", read) == ["a é.txt:first"]
    assert [one for one in await bench.events("#one") if " one" in one] == ["input one", "change one"]
    await bench.do(set_input_files, "#many", [str(first), second])
    assert await bench.script("#many", read) == ["a é.txt:first", "b.txt:second"]
    await bench.do(set_input_files, "#many", [])
    assert await bench.script("#many", read) == []
    await bench.do(set_input_files, "#hidden", str(second))
    assert await bench.script("#hidden", read) == ["b.txt:second"]
    await bench.do(set_input_files, "#folder", folder)
    assert await bench.script("#folder", read) == ["in.txt:in"]
    for selector, paths, words in (
        ("#one", [first, second], "it takes one file, not 2"),
        ("#one", folder, "is a folder"),
        ("#folder", first, "it takes one folder"),
        ("#off", first, "it is disabled"),
        ("#label", first, "a file input is needed, and this is a label; name the input, or click this"),
        ("#button", first, "a file input is needed, and this is a button"),
    ):
        assert words in str(await refused(bench, set_input_files, selector, paths))
    for name, words in (
        (str(tmp_path / "none"), "there is no file"),
        ("", "not a path"),
        ("a\0b", "not a path"),
    ):
        with pytest.raises(ValueError, match=words):
            await bench.do(set_input_files, "#one", name)
    for wrong in (5, {"a": 1}, [5], None):
        with pytest.raises(TypeError):
            await bench.do(set_input_files, "#one", wrong)


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("host", ["a.localhost", "b.localhost"])
async def test_files_of_a_frame_that_goes_on_meanwhile(
    page: Page, pages: PageServer, tmp_path: Path, host: str, ids: bool
) -> None:
    """Another document's input may have the same backend node id; it gets nothing."""
    bench = await Bench.open(page, pages.url("/files"))
    path = tmp_path / "secret.txt"
    path.write_text("secret")
    root, frame = bench.page.sessions
    to = pages.url("/upload2", host)
    assert frame.target_id is not None
    go = tell(root.id, "Page.navigate", {"url": to, "frameId": frame.target_id})

    def goes_on() -> Plan[None]:
        yield from gather(go)
        url = ""
        while url != to:
            yield from pause(0.01)
            (tree,) = yield from gather(get_frame_tree(frame.id))
            url = tree.frame.url
        if ids:
            yield from gather(get_document(frame.id, lambda root: root))

    def giving(resolver: NodeResolver, element: Element) -> Plan[Done]:
        plan = set_input_files(resolver, element, path)
        asked = next(plan)
        while True:
            if any(one.method == "DOM.setFileInputFiles" for one in asked.commands):
                yield from goes_on()
            outcomes = yield asked
            try:
                asked = plan.send(outcomes)
            except StopIteration as stop:
                done: Done = stop.value
                return done

    with pytest.raises(StaleElement) as caught:
        await bench.do(giving, "#frame >> input")
    assert caught.value.reason == "navigated"
    assert await bench.script("#frame >> input", "return this.files.length") == 0


async def test_files_of_an_input_that_is_taken_out_meanwhile(
    page: Page, pages: PageServer, tmp_path: Path
) -> None:
    bench = await Bench.open(page, pages.url("/files"))
    path = tmp_path / "a.txt"
    path.write_text("a")
    remove = tell(bench.page.sessions[0].id, "Runtime.evaluate", {"expression": "one.remove()"})

    def giving(resolver: NodeResolver, element: Element) -> Plan[Done]:
        plan = set_input_files(resolver, element, path)
        checked = yield next(plan)
        asked = plan.send(checked)
        yield from gather(remove)
        outcomes = yield asked
        plan.send(outcomes)
        raise AssertionError("it raises")

    with pytest.raises(StaleElement) as caught:
        await bench.do(giving, "#one")
    assert caught.value.reason == "detached"


async def test_files_upon_which_the_input_goes(page: Page, pages: PageServer, tmp_path: Path) -> None:
    """What the page does when it has them is its own affair: they were given."""
    bench = await Bench.open(page, pages.url("/files"))
    path = tmp_path / "a.txt"
    path.write_text("a")
    assert await bench.do(set_input_files, "#removing", path) == Done()
    assert await bench.do(set_input_files, "#sending", path) == Done()
    await until(lambda: "/sent" in bench.page.url)


async def test_a_folder_is_there_when_it_was_given(home_page: Page, tmp_path: Path) -> None:
    """The browser looks through it first, behind its answer: in one of five calls it was not there yet."""
    body = "<input id=folder type=file webkitdirectory>"
    await home_page.evaluate("html => { document.body.innerHTML = html }", body)
    (tmp_path / "in.txt").write_text("in")
    counts = []
    for _ in range(30):
        await home_page.set_input_files("#folder", str(tmp_path), receipt=False)
        counts.append(await home_page.evaluate("folder.files.length"))
        await home_page.evaluate("folder.value = ''")
    assert counts == [1] * 30
    await home_page.evaluate("folder.onchange = () => alert('Well?'), 1")
    assert (await home_page.set_input_files("#folder", str(tmp_path))).dialog is not None
    await home_page.answer_dialog()


# In the background, cut off


async def test_a_form_in_a_background_tab(browser: Browser, pages: PageServer) -> None:
    bench = await Bench.open(await browser.new_page(), pages.url("/"))
    await Bench.open(await browser.new_page(), pages.url("/kinds"))
    await bench.script("#area", "this.focus(); this.select()")
    for to in ("", "#other >> "):
        await bench.do(fill, f"{to}#date", "2026-01-31")
        await bench.do(select_option, f"{to}#one", label="Green")
        await bench.do(fill, f"{to}#text", "typed")
        assert await bench.value(f"{to}#date") == "2026-01-31"
        assert await bench.value(f"{to}#one") == ["g"]
        assert await bench.value(f"{to}#text") == "typed"
    assert await bench.value("#area") == "old"


async def test_a_form_cancelled_at_every_command(page: Page, pages: PageServer, step: int) -> None:
    bench = await Bench.open(page, pages.url("/kinds"))
    entries: list[dict[str, Any]] = [
        {"id": "#text", "value": "A"},
        {"id": "#box", "value": True},
        {"id": "#date", "value": "2026-01-31"},
    ]
    for number in itertools.count(1, step):
        await bench.script("#form", "this.reset()")
        with trio.CancelScope() as scope:

            async def cancel(_: Transport, scope: trio.CancelScope = scope) -> None:
                scope.cancel()

            with Injecting(bench.page.session.connection, number, cancel):
                await fill_entries(bench, entries)
        await bench.until_clean()
        values = [await bench.value(one["id"]) for one in entries]
        # In order: nothing is filled whose forerunner is not.
        whole = [value == entry["value"] for value, entry in zip(values, entries, strict=True)]
        assert whole == sorted(whole, reverse=True), (number, values)
        # No guard is left: a person can type elsewhere.
        await bench.script("#tel", "this.focus()")
        await bench.page.session.send("Input.insertText", {"text": "1"})
        assert await bench.value("#tel") == "1"
        if not scope.cancelled_caught:
            break
    assert number > 20
    assert values == ["A", True, "2026-01-31"]


def test_results_are_values() -> None:
    assert Done() == Done(())
    with pytest.raises(dataclasses.FrozenInstanceError):
        Done().notes = ("x",)  # type: ignore[misc]


async def test_an_editor_has_heard_of_the_selection_before_it_is_cleared(home_page: Page) -> None:
    """Lexical deletes what was selected as `selectionchange` said, which comes with the next frame."""
    await home_page.evaluate(
        """() => {
          document.body.innerHTML = "<div id=e contenteditable></div>";
          let known = "";
          document.onselectionchange = () => { known = String(getSelection()); };
          e.onkeydown = (event) => {
            if (event.key !== "Backspace") return;
            event.preventDefault();
            e.textContent = e.textContent.replace(known, "");
          };
        }"""
    )
    for _ in range(8):
        await home_page.evaluate("() => { e.textContent = 'one two'; }")
        await home_page.select_text("#e", start=0, end=3)
        await home_page.clear("#e")
        assert await home_page.evaluate("() => e.textContent") == ""


async def test_a_form_tells_what_fields_made_of_their_text_when_they_lost_the_focus(page: Page) -> None:
    async with serve_pages(
        {
            "/": """<!doctype html><title>Form</title>
            <input aria-label=Code onchange="this.value = this.value.toUpperCase()">
            <input aria-label=Gone onblur="this.value = ''">
            <input aria-label=Secret type=password onblur="this.value = 'other'">
            <textarea aria-label=Kept></textarea><input aria-label=Mail type=email>
            <input aria-label=Last onblur="this.value = ''">"""
        }
    ) as server:
        await page.goto(server.url("/"))
        ids = {row.name: row.id for row in (await page.snapshot()).rows}
        values = {
            "Code": "ab",
            "Gone": "b",
            "Secret": "c",
            "Kept": "d\r\ne",
            "Mail": "f@example.org",
            "Last": "g",
        }
        entries = [{"id": ids[name], "value": value} for name, value in values.items()]
        notes = [entry["notes"] for entry in (await page.fill_form(entries)).value]
    said = "the page made something else of the value afterwards"
    assert notes == [[f'{said}: it holds "AB"'], [f"{said}: it is empty"], [said], [], [], []]


async def test_a_form_tells_of_a_date_that_the_page_writes_back(home_page: Page) -> None:
    """A survey's model does not know the date yet as another field's blur makes it write all of them."""
    await home_page.evaluate(
        "html => { document.body.innerHTML = html }",
        """<input id=name onblur="setTimeout(() => { day.value = ''; amount.value = 3 }, 5)">
        <input id=amount type=number><input id=kept type=time><input id=day type=date>""",
    )
    values = {"kept": "14:30", "amount": "4", "name": "Ann", "day": "2026-01-31"}
    done = await home_page.fill_form([{"id": f"#{name}", "value": value} for name, value in values.items()])
    said = "the page made something else of the value afterwards: it"
    assert [one["notes"] for one in done.value] == [[], [f'{said} holds "3"'], [], [f"{said} is empty"]]
    await home_page.evaluate("document.activeElement.blur()")
    values = {"day": "2026-01-31", "kept": "15:30"}
    done = await home_page.fill_form([{"id": f"#{name}", "value": value} for name, value in values.items()])
    assert [one["notes"] for one in done.value] == [[], []]


@pytest.mark.parametrize("later", ["requestAnimationFrame", "setTimeout"])
async def test_a_value_that_the_page_takes_back_a_moment_later_is_told(home_page: Page, later: str) -> None:
    await home_page.evaluate(
        "([html, later]) => { document.body.innerHTML = html.replaceAll('later', later) }",
        [
            """<input id=text value=old oninput="later(() => text.value = 'old')">
            <input id=number type=number value=1 oninput="later(() => number.value = 1)">
            <input id=secret type=password value=old oninput="later(() => secret.value = 'old')">
            <input id=kept value=old><input id=sent value=old onkeydown="later(() => sent.value = '')">""",
            later,
        ],
    )
    said = "the page made something else of the value afterwards"
    for name, value, holds in (
        ("text", "new", ': it holds "old"'),
        ("number", "2", ': it holds "1"'),
        ("secret", "new", ""),
        ("kept", "new", None),
    ):
        notes = [] if holds is None else [said + holds]
        # A frame may come before the end of the typing has been looked at.
        at_once = ["the page, or the field, made something else of the text"]
        assert [*(await home_page.fill(f"#{name}", value)).notes] in (notes, at_once[: len(notes)])
        done = await home_page.fill_form([{"id": f"#{name}", "value": value}])
        assert done.value[0]["notes"] in (notes, at_once[: len(notes)])
        assert done.notes == ()
    assert (await home_page.type("#sent", "new", clear=True, submit=True)).notes == ()


async def test_a_box_that_the_page_hides_is_filled_by_its_label(home_page: Page) -> None:
    """Such a box has no row and no id; its label has."""
    await home_page.evaluate(
        "html => { document.body.innerHTML = html }",
        """<style>input[type] { display: none }</style>
        <input type=checkbox id=stay><label for=stay>Stay</label><label id=text>Name <input></label>""",
    )
    rows = (await home_page.snapshot()).rows
    label = next(row.id for row in rows if row.role == "LabelText")
    filled = await home_page.fill_form([{"id": label, "value": True}])
    assert [entry["notes"] for entry in filled.value] == [[]]
    assert await home_page.evaluate("stay.checked")
    await home_page.fill(label, "false")
    assert not await home_page.evaluate("stay.checked")
    with pytest.raises(NotInteractable, match="name the control that it labels"):
        await home_page.fill("#text", "x")
