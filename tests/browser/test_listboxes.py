"""Choosing and setting what script has made: comboboxes, listboxes, sliders, selects behind widgets."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap import ElementCovered, NotInteractable
from hybridsnap.act import listboxes
from tests.support.faults import evaluate
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page
    from tests.support.pages import PageServer

_PAGE = """<!doctype html><style>[hidden] { display: none } [role=option] { height: 20px }</style>
<div id=late role=combobox tabindex=0 aria-label=Late aria-controls=lates aria-expanded=false>choose</div>
<ul id=lates role=listbox hidden></ul>
<div id=around><input id=filter role=combobox aria-label=Filter aria-controls=filters aria-expanded=false>
  <ul id=filters role=listbox hidden></ul></div>
<div id=keys role=combobox tabindex=0 aria-label=Keys aria-controls=keyed aria-expanded=false>k</div>
<ul id=keyed role=listbox hidden><li role=option data-value=x>X-ray<li role=option>Yankee</ul>
<div style='position:relative;width:9em'>
  <div id=below role=combobox tabindex=0 aria-label=Below aria-controls=belows aria-expanded=false>5</div>
  <div id=above style='position:absolute;inset:0'></div></div>
<ul id=belows role=listbox hidden><li role=option>5<li role=option>10<li role=option>20</ul>
<x-choice id=slotted><x-item>Oslo</x-item>
  <x-item>Rome <i style='display:none'>(closed)</i></x-item></x-choice>
<div id=virtual role=combobox tabindex=0 aria-label=Virtual
  aria-controls=virtuals aria-expanded=false>v</div>
<div id=popup hidden><div id=virtuals role=listbox style='height:0;width:0;overflow:hidden'>
  <div role=option aria-label=Lima>l</div></div><div class=items><div>Lima</div><div>Mike</div></div></div>
<div id=tops role=combobox tabindex=0 aria-label=Tops aria-haspopup=listbox aria-controls=topped
  aria-expanded=false>tops</div>
<div id=veil hidden style='position:fixed;inset:0'></div>
<ul id=topped role=listbox aria-multiselectable=true hidden style='position:fixed;bottom:0'>
  <li role=option aria-selected=false>Cheese<li role=option aria-selected=false>Onion</ul>
<button id=bare aria-haspopup=listbox aria-controls=bared aria-expanded=false>Bare</button>
<ul id=bared role=listbox hidden><li role=option>Red<li role=option>Blue</ul>
<ul id=several role=listbox aria-multiselectable=true aria-label=Several>
  <li role=option aria-selected=true>One
  <li role=option aria-selected=false>Two<li role=option aria-disabled=true>Three
  <li role=option aria-selected=false>Four</ul>
<ul id=busy role=listbox aria-multiselectable=true aria-label=Busy><li role=option>Oak<li role=option>Elm</ul>
<input id=shown aria-label=Shown readonly aria-haspopup=listbox aria-controls=showns>
<ul id=showns role=listbox hidden><li role=option>Small<li role=option>Large</ul>
<input id=days aria-label=Days readonly role=combobox aria-haspopup=dialog>
<div id=stuck role=combobox tabindex=0 aria-label=Stuck>stuck</div>
<div id=off role=combobox tabindex=0 aria-disabled=true aria-label=Off>off</div>
<div id=slider role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=10 aria-valuenow=3
  style='width:90px;height:20px'></div>
<div id=coarse role=slider tabindex=0 aria-label=Coarse aria-valuemin=0 aria-valuemax=100 aria-valuenow=30
  style='width:90px;height:20px'></div>
<div id=parted role=slider aria-label=Parted aria-valuemin=0 aria-valuemax=10 aria-valuenow=3>
  <div tabindex=0 style='width:90px;height:20px'></div></div>
<div id=dead role=slider tabindex=0 aria-label=Dead aria-valuenow=5 style='width:90px;height:20px'></div>
<div id=divider role=separator tabindex=0 aria-label=Panes aria-valuemin=0 aria-valuemax=10 aria-valuenow=3
  style='width:4px;height:40px'></div><hr id=rule>
<select id=shy onfocus='this.blur()' onchange='log.push("shy " + value)'><option>a<option>b</select>
<select id=behind style='display:none' onchange='log.push("behind " + value)'><option>a<option>b</select>
<div style='width:0;height:0;overflow:hidden;position:relative'><select id=clipped
  style='position:absolute;left:-100%' onfocus='log.push("list opened")'
  onchange='log.push("clipped " + value)'><option>a<option>b</select></div>
<input id=field aria-label=Field onchange='log.push("field " + value)'>
<input id=pushes aria-label=Pushes onfocus='other.focus()'><input id=other aria-label=Other>
<script>
  window.log = [];
  const opens = (combo, list, fill) => () => {
    list.hidden = false;
    combo.setAttribute("aria-expanded", "true");
    fill?.();
  };
  const option = (text, list) => {
    const one = document.createElement("li");
    one.role = "option";
    one.textContent = text;
    list.append(one);
  };
  late.onclick = opens(late, lates, () => setTimeout(() => {
    for (let n = 0; n < 100; n++) option("Item " + n, lates);
  }, 300));
  filter.onfocus = opens(filter, filters, () => option("Alpha", filters));
  filter.oninput = () => setTimeout(() => {
    filters.textContent = "";
    option(filter.value === "Zulu" ? "Zulu" : "none", filters);
  }, 100);
  shown.onclick = opens(shown, showns);
  busy.onclick = () => {  // it lets nothing through for a while
    busy.style.pointerEvents = "none";
    setTimeout(() => busy.style.pointerEvents = "", 400);
  };
  keys.onkeydown = (event) => { if (event.key === "ArrowDown") opens(keys, keyed)() };
  above.onclick = opens(below, belows);
  below.onkeydown = (event) => {
    if (event.key !== "ArrowDown") return;
    if (event.altKey) opens(below, belows)();
    else log.push("the next one");
  };
  for (const item of document.querySelectorAll("x-item")) {  // text beside, option in the shadow root
    item.attachShadow({ mode: "open" }).innerHTML = "<li role=option><span><slot></slot></span></li>";
  }
  const choice = slotted.attachShadow({ mode: "open" });
  choice.innerHTML = `<style>[hidden] { display: none }</style>
    <div role=combobox tabindex=0 aria-label=Slotted aria-expanded=false aria-controls=items>o</div>
    <div id=items role=listbox hidden><slot></slot></div>`;
  const [, head, items] = choice.children;
  head.onclick = opens(head, items);
  items.onclick = (event) => { log.push(event.target.innerText.trim()); items.hidden = true; };
  const veiled = (on) => {  // as a backdrop; or the body takes no pointer meanwhile
    if (location.hash) document.body.style.pointerEvents = on ? "none" : "";
    else veil.hidden = !on;
    topped.style.pointerEvents = "auto";
    tops.ariaExpanded = String(on);
    topped.hidden = !on;
  };
  tops.onclick = () => setTimeout(() => veiled(true));
  addEventListener("mousedown", (event) => { if (!topped.contains(event.target)) veiled(false); });
  bare.onclick = opens(bare, bared);
  virtual.onclick = opens(virtual, popup);
  addEventListener("click", (event) => {
    const one = event.target.closest("[role=option], .items > div");
    if (!one) return;
    log.push(one.textContent.trim());
    if (one.closest("#busy")) return;
    if (one.closest("#several, #topped")) one.ariaSelected = String(one.ariaSelected !== "true");
    else {
      one.closest("[role=listbox], #popup").hidden = true;
      for (const combo of document.querySelectorAll("[aria-expanded]")) combo.ariaExpanded = "false";
    }
  });
  const slides = (one, step) => one.onkeydown = (event) => {
    const by = { ArrowRight: step, ArrowLeft: -step, Home: -1000, End: 1000 }[event.key] ?? 0;
    setTimeout(() => one.ariaValueNow = Math.max(0, Math.min(+one.ariaValueMax, +one.ariaValueNow + by)));
  };
  slides(slider, 0.5);
  slides(coarse, 7);
  slides(parted, 1);
  slides(divider, 1);
</script>"""


@pytest.fixture
async def page(page: Page) -> AsyncIterator[Page]:
    async with serve_pages({"/": _PAGE}) as server:
        await page.goto(_root(server))
        yield page


@pytest.fixture
def short_breaths(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many looks at a list as ever, in a tenth of the time: what is looked for does not come."""
    monkeypatch.setattr(listboxes, "_BREATH", listboxes._BREATH / 10)


def _root(server: PageServer) -> str:
    return server.url("/")


async def _log(page: Page) -> list[str]:
    found: list[str] = await evaluate(page.session, "log.splice(0)")
    return found


async def test_a_combobox_opens_and_its_option_is_clicked_in_one_call(page: Page) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("#late", {"label": "Item 90"}, "Item 90"),  # drawn 0.3 s later, and to be scrolled to
        ("#filter", {"label": "Zulu"}, "Zulu"),  # shown only once it is typed
        ("#around", {"label": "Zulu"}, "Zulu"),
        ("#keys", {"value": "x"}, "X-ray"),  # opened by a key alone
        ("#below", {"label": "20"}, "20"),  # covered, and ArrowDown alone chooses the next option
        ("#slotted", {"label": "Rome"}, "Rome"),  # the text of its options is slotted into them
        ("#virtual", {"label": "Mike"}, "Mike"),  # shown without the role
        ("#virtual", {"label": "Lima"}, "Lima"),
    ]
    for selector, options, chosen in cases:
        receipt = await page.select_option(selector, **options)
        assert await _log(page) == [chosen], (selector, str(receipt))


async def test_lists_are_filled_like_other_controls(page: Page) -> None:
    await page.fill("#late", "Item 90")
    await page.fill("#several", ["One", "Two"])
    await page.fill("#filter", ["Zulu"])
    entries = [{"id": "#field", "value": "words"}, {"id": "#keys", "value": "Yankee"}]
    assert [entry["notes"] for entry in (await page.fill_form(entries)).value] == [[], []]
    assert await _log(page) == ["Item 90", "Two", "Zulu", "field words", "Yankee"]
    with pytest.raises(NotInteractable, match="its value is a str or a list of them, not like True"):
        await page.fill("#keys", value=True, wait=False)


async def test_a_form_tells_what_a_combobox_took_back(page: Page) -> None:
    """As Gradio's: what is typed only filters, and goes when the field loses the focus."""
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        "<input role=combobox aria-label=Size value=Small onblur='this.value = `Small`'>"
        "<input role=combobox aria-label=Box onblur='this.value = ``'>"
        "<input role=combobox aria-label=Town><input aria-label=Name>",
    )
    ids = {row.name: row.id for row in (await page.snapshot()).rows}
    values = {"Size": "Large", "Box": "Red", "Town": "Rome", "Name": "Zoe"}
    entries = [{"id": ids[name], "value": value} for name, value in values.items()]
    said = (
        "the page made something else of the value afterwards: {}; to choose an option, give its"
        " label as a list, or use select_option"
    )
    receipt = await page.fill_form(entries)
    notes = [entry["notes"] for entry in receipt.value]
    typed = "typed as text; to choose an option, give its label as a list, or use select_option"
    assert notes == [[said.format('it holds "Small"')], [said.format("it is empty")], [typed], []]
    assert (await page.fill(ids["Town"], "Oslo")).notes == (typed,)
    assert (await page.fill(ids["Town"], "")).notes == ()
    said_filled = re.findall(r"^ *((?:not filled:|filled|typed into) [^\[]*) \[", str(receipt), re.MULTILINE)
    assert said_filled == [
        'typed into combobox "Size"',
        'not filled: combobox "Box"',
        'typed into combobox "Town"',
        'filled textbox "Name"',
    ]


async def test_a_choice_that_is_made_as_the_button_goes_down_is_told_plainly(page: Page) -> None:
    """As Gradio's: the option takes the press, shows in the field, and fades away from under the pointer."""
    await page.evaluate(
        "html => { document.body.innerHTML = html; }",
        "<input id=pick role=combobox aria-controls=picks aria-expanded=false value=Red>"
        "<div id=picks role=listbox style='display: none'><div role=option>Red</div>"
        "<div role=option>Blue</div></div>",
    )
    await page.evaluate(
        """() => {
          pick.onfocus = () => { pick.ariaExpanded = "true"; picks.style.display = ""; };
          picks.onmousedown = ({ target }) => {
            pick.value = target.textContent;
            picks.style.pointerEvents = "none";
            setTimeout(() => { pick.ariaExpanded = "false"; picks.remove(); }, 300);
          };
        }"""
    )
    receipt = await page.select_option("#pick", label="Blue")
    assert await page.evaluate("pick.value") == "Blue"
    assert receipt.notes == ()


async def test_a_form_tells_what_a_combobox_took_back_when_its_list_had_faded_away(page: Page) -> None:
    """As Base UI's: the text goes with the list. An entry that fails says so of those before it, too."""
    await page.evaluate(
        "html => { document.body.innerHTML = html; }",
        "<input role=combobox aria-expanded=false aria-label=Fruit><p>Kiwi</p><input aria-label=Name>"
        "<button aria-label=Off role=checkbox aria-checked=false style='pointer-events: none'>",
    )
    await page.evaluate(
        "void (document.querySelector('[role=combobox]').onblur = ({ target }) => {"
        "  const faded = document.querySelector('p').animate({ opacity: [1, 0] }, 200);"
        "  faded.onfinish = () => { target.value = '' } })"
    )
    said = (
        "the page made something else of the value afterwards: it is empty; to choose an option,"
        " give its label as a list, or use select_option"
    )
    entries: list[dict[str, Any]] = [
        {"id": "role=combobox", "value": "Mango"},
        {"id": "role=textbox", "value": "Zoe"},
    ]
    assert [entry["notes"] for entry in (await page.fill_form(entries)).value] == [[said], []]
    with pytest.raises(
        NotInteractable, match=f"entry 3 of 3, those before it are filled, but entry 1: {said}: "
    ):
        await page.fill_form([*entries, {"id": "role=checkbox", "value": True}], wait=0.4)


async def test_a_listbox_that_takes_several(page: Page) -> None:
    receipt = await page.select_option("#several", label=["One", "Two"])
    assert await _log(page) == ["Two"]
    assert receipt.notes == ('"One" was chosen already',)
    await page.select_option("#several", index=3)
    assert await _log(page) == ["Four"]
    await page.select_option("//*[@id='several']/li[2]")  # an option itself: chosen already
    assert await _log(page) == []


#: The list moves as its first option is pressed; "Oak" cannot be chosen; "Fir" is, a moment later.
_WOODS = """<!doctype html><div id=above style="height: 120px">Above</div>
<div id=list role=listbox aria-multiselectable=true aria-label=Woods></div><script>
  for (const name of ["Ash", "Beech", "Elm", "Oak", "Fir"]) {
    const one = document.createElement("div");
    one.role = "option";
    one.ariaSelected = "false";
    one.textContent = name;
    const turn = () => { one.ariaSelected = String(one.ariaSelected !== "true"); };
    one.onpointerdown = () => { above.hidden = true; };
    if (name !== "Oak") one.onclick = () => name === "Fir" ? setTimeout(turn, 200) : turn();
    list.append(one);
  }
</script>"""


async def test_an_option_that_moved_away_under_the_press_is_pressed_once_more(page: Page) -> None:
    chosen = "[...list.children].filter((one) => one.ariaSelected === 'true').map((one) => one.textContent)"
    async with serve_pages({"/": _WOODS}) as pages:
        for wanted in (["Ash"], ["Elm", "Ash"], ["Fir"]):
            await page.goto(pages.url("/"))
            receipt = await page.select_option("#list", label=wanted)
            assert receipt.notes == ()
            assert sorted(await page.evaluate(chosen)) == sorted(wanted)


async def test_an_option_that_says_it_is_not_selected_was_not_chosen(page: Page) -> None:
    async with serve_pages({"/": _WOODS}) as pages:
        await page.goto(pages.url("/"))
        with pytest.raises(NotInteractable, match='"Oak" was pressed, and says that it is not') as caught:
            await page.select_option("#list", label=["Elm", "Oak"])
        assert (caught.value.reason, caught.value.partial) == ("value", True)
        assert "option 2 of 2, those before it are chosen" in str(caught.value)


#: As Choices makes of a select: the option that the keys point at is called selected, and the press chooses.
_POINTED_AT = """<!doctype html><style>[role=option] { height: 20px } [hidden] { display: none }</style>
<div id=combo role=combobox aria-expanded=false><select multiple hidden><option>Rust</select>
<p tabindex=0>Languages <b></b></p>
<div id=list hidden><div role=listbox aria-multiselectable=true></div></div></div><script>
  const chosen = combo.querySelector("select"), box = combo.querySelector("[role=listbox]");
  const draw = () => {
    const taken = [...chosen.selectedOptions].map((one) => one.text);
    const left = ["Python", "Rust", "Go"].filter((name) => !taken.includes(name));
    box.innerHTML = left.map((name, at) => `<div role=option aria-selected=${!at}>${name}</div>`).join("");
    combo.querySelector("b").textContent = taken.join();
  };
  const open = (is) => { list.hidden = !is; combo.ariaExpanded = String(is); };
  draw();
  combo.onclick = () => open(true);
  box.onmousedown = ({ target }) => {
    chosen.add(new Option(target.textContent, target.textContent, true, true));
    draw();
  };
</script>"""


async def test_an_option_that_the_keys_point_at_is_not_taken_for_chosen(page: Page) -> None:
    """The widget's hidden select says what is chosen; no other note where the press chose the option."""
    async with serve_pages({"/": _POINTED_AT}) as pages:
        await page.goto(pages.url("/"))
        receipt = await page.select_option("[role=combobox]", label=["Python", "Go"])
        assert receipt.notes == ("its list is left open",)
        assert await evaluate(page.session, "combo.querySelector('b').textContent") == "Python,Go"


_TICKS = {
    "input": "<input type=checkbox tabindex=-1><label>{}</label>",
    "role": "<i role=checkbox aria-checked=false></i> {}",
    "shadow": "<x-tick>{}</x-tick>",  # as Carbon's, whose options say aria-selected=false throughout
}


@pytest.mark.parametrize("tick", _TICKS)
@pytest.mark.parametrize("says", ["aria-multiselectable=true", ""])
async def test_a_box_to_tick_in_an_option_says_that_it_is_chosen(page: Page, tick: str, says: str) -> None:
    """Pressing it once more would take the choice back."""
    selected = "aria-selected=false" if tick == "shadow" else ""
    options = "".join(
        f"<div role=option {selected}>{_TICKS[tick].format(one)}</div>" for one in ("Ann", "Bo")
    )
    html = f"""<!doctype html><div id=combo role=combobox tabindex=0 aria-expanded=false aria-controls=list
      aria-label=Roles>Choose</div><div id=list role=listbox {says} hidden>{options}</div><script>
      for (const one of document.querySelectorAll("x-tick")) {{
        one.attachShadow({{ mode: "open" }}).innerHTML = "<input type=checkbox><slot></slot>";
      }}
      const tickOf = (one) => (one.querySelector("x-tick")?.shadowRoot ?? one).querySelector("input, [role]");
      const isOn = (one) => tickOf(one).checked ?? tickOf(one).ariaChecked === "true";
      window.ticked = () => [...list.children].map(isOn);
      combo.onclick = () => {{ list.hidden = false; combo.ariaExpanded = "true"; }};
      combo.onblur = () => {{ list.hidden = true; combo.ariaExpanded = "false"; }};
      list.onmousedown = (event) => event.preventDefault();
      list.onclick = ({{ target }}) => {{
        const tick = tickOf(target.closest("[role=option]"));
        if (tick.localName === "i") tick.ariaChecked = String(tick.ariaChecked !== "true");
        else if (target !== tick) tick.checked = !tick.checked;
      }};
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        assert (await page.select_option("#combo", label=["Ann", "Bo"])).notes == ()
        assert await page.evaluate("ticked()") == [True, True]
        for label in ("Ann", ["Bo", "Ann"]):
            assert (await page.select_option("#combo", label=label)).notes == ("it was chosen already",)
            assert await page.evaluate("ticked()") == [True, True]


#: As Tom Select's, and the pattern of ARIA: the option that the keys point at is called selected. Where it
#: shows in the field or beside it, it is chosen, too (MUI's).
_HIGHLIGHTS = """<!doctype html><style>[role=option] { height: 20px } [hidden] { display: none }</style>
<div><div id=field><span id=chip></span><input id=user role=combobox aria-label=User aria-controls=list
  aria-expanded=false autocomplete=off></div><div id=list role=listbox hidden></div></div><output></output>
<script>
  const out = document.querySelector("output");
  const draw = () => {
    const found = ["Bo", "Bobby", "Bob"].filter((name) => name.startsWith(user.value));
    const option = (name, at) => `<div role=option id=o${at} aria-selected=${!at}>${name}</div>`;
    list.innerHTML = found.map(option).join("");
    list.hidden = false;
    user.ariaExpanded = "true";
    user.setAttribute("aria-activedescendant", "o0");
  };
  user.oninput = user.onclick = draw;
  list.onmousedown = (event) => event.preventDefault();
  list.onclick = ({ target }) => { out.append(target.textContent + ";"); };
</script>"""


@pytest.mark.parametrize("typed", ["Bo", "B"])
async def test_an_option_that_a_field_points_at_is_pressed(page: Page, typed: str) -> None:
    async with serve_pages({"/": _HIGHLIGHTS}) as pages:
        await page.goto(pages.url("/"))
        await page.type("#user", typed)
        receipt = await page.select_option("#user", "Bo")
        assert await page.evaluate("out.textContent") == "Bo;"
        assert receipt.notes == ()


@pytest.mark.parametrize("shown", ["chip.textContent = 'Bo'", "user.value = 'Bo'"])
async def test_an_option_that_a_field_points_at_and_shows_was_chosen_already(page: Page, shown: str) -> None:
    async with serve_pages({"/": _HIGHLIGHTS}) as pages:
        await page.goto(pages.url("/"))
        await page.evaluate(f"{shown}; draw()")
        receipt = await page.select_option("#user", "Bo")
        assert await page.evaluate("out.textContent") == ""
        assert receipt.notes == ("it was chosen already",)


@pytest.mark.parametrize("way", ["", "#none"], ids=["backdrop", "pointer-events"])
async def test_a_list_of_several_that_keeps_the_pointer_from_the_page_is_closed(page: Page, way: str) -> None:
    await evaluate(page.session, f"location.hash = {way!r}")
    await page.fill_form(
        [{"id": "#tops", "value": ["Cheese", "Onion"]}, {"id": "#bare", "value": "Blue"}], wait=False
    )
    assert await _log(page) == ["Cheese", "Onion", "Blue"]
    assert await evaluate(page.session, "tops.ariaExpanded") == "false"


async def test_a_list_whose_cover_leaves_a_hole_for_its_combobox_is_closed(page: Page) -> None:
    """As Base UI's: the combobox can be pressed through it, which closes the list; nothing else can."""
    await page.goto(
        "data:text/html,<style>body { margin: 40px } div[hidden] { display: none }</style>"
        "<button id=combo role=combobox aria-expanded=false aria-controls=list>Pick</button>"
        "<div id=list role=listbox aria-multiselectable=true hidden style='position: relative; z-index: 2'>"
        "<div role=option aria-selected=false>Red</div><div role=option aria-selected=false>Blue</div></div>"
        "<p><button id=other onclick='document.title = `pressed`'>Other</button>"
        "<div id=veil role=presentation hidden style='position: fixed; inset: 0'></div><script>"
        "combo.onclick = () => { const open = combo.ariaExpanded === 'false';"
        "  combo.ariaExpanded = String(open); list.hidden = veil.hidden = !open;"
        "  const { left, top, right, bottom } = combo.getBoundingClientRect();"
        "  veil.style.clipPath = `polygon(0 0, 100% 0, 100% 100%, 0 100%, 0 0, ${left}px ${top}px, "
        "    ${left}px ${bottom}px, ${right}px ${bottom}px, ${right}px ${top}px, ${left}px ${top}px)` };"
        "list.onclick = (event) => { event.target.ariaSelected = 'true' }</script>"
    )
    await page.select_option("#combo", label=["Red", "Blue"])
    assert await page.evaluate("combo.ariaExpanded") == "false"
    assert await page.evaluate("[...list.children].map((one) => one.ariaSelected)") == ["true", "true"]
    await page.click("#other", wait=False)
    assert await page.evaluate("document.title") == "pressed"


async def test_an_option_that_has_to_be_waited_for_leaves_those_before_it_chosen(page: Page) -> None:
    receipt = await page.select_option("#busy", label=["Oak", "Elm"])
    assert await _log(page) == ["Oak", "Elm"]
    (note,) = receipt.notes
    assert note.startswith("its options do not say which are chosen; pressing one that was chosen takes it")


@pytest.mark.usefixtures("short_breaths")
async def test_which_options_were_chosen_before_one_that_there_is_not(page: Page) -> None:
    said = '^option 2 of 2, those before it are chosen: cannot choose in .* no option "Five"'
    with pytest.raises(NotInteractable, match=said) as caught:
        await page.select_option("#several", label=["Two", "Five"])
    assert await _log(page) == ["Two"]
    assert caught.value.partial


async def test_a_read_only_field_that_opens_a_list_is_filled_from_it(page: Page) -> None:
    await page.fill("#shown", "Large")
    assert await _log(page) == ["Large"]
    await page.fill_form([{"id": "#shown", "value": "Small"}])
    assert await _log(page) == ["Small"]
    for refused in (page.fill("#days", "x", wait=False), page.clear("#shown", wait=False)):
        with pytest.raises(NotInteractable) as caught:
            await refused
        assert caught.value.reason == "read-only"


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize(
    ("leads", "became"),
    [
        ("location.href = '/second'", "second"),
        ("document.title = 'cleared'; document.body.textContent = ''", "cleared"),
        ("setTimeout(() => { document.title = 'asked'; alert(1) })", "asked"),
    ],
)
async def test_a_choice_may_lead_elsewhere(page: Page, leads: str, became: str, *, several: bool) -> None:
    """As in the list of a site's languages: the action ends there."""
    first = f"""<title>first</title><div role=combobox id=c tabindex=0 aria-label=Language aria-expanded=false
        aria-controls=l onclick="l.hidden = false; this.ariaExpanded = 'true'">English</div>
        <ul role=listbox id=l hidden aria-multiselectable={str(several).lower()}><li role=option>English
        <li role=option onclick="{leads}">French</ul>"""
    async with serve_pages({"/": first, "/second": "<title>second</title>"}) as pages:
        await page.goto(pages.url("/"))
        await page.select_option("#c", label="French", timeout=10)
        if became == "asked":
            await page.answer_dialog(True)
        await page.wait_for(function=f"() => document.title === '{became}'", timeout=10)


@pytest.mark.usefixtures("short_breaths")
async def test_what_cannot_be_chosen_in_a_listbox(page: Page) -> None:
    for selector, options, reason, said in (
        (
            "#several",
            {"label": "Five"},
            "no such option",
            'no option "Five"; it has "One", "Two", "Three", "Four"',
        ),
        ("#several", {"label": "Three"}, "disabled", 'its option "Three" is disabled'),
        ("#stuck", {"label": "x"}, "not open", "its list does not open"),
        ("#off", {"label": "x"}, "disabled", "it is disabled"),
        ("#several", {"label": []}, "wrong kind", "say which of its options"),
        ("#several", {}, "wrong kind", "say which of its options, by value, label or index"),
        ("#stuck", {}, "wrong kind", "say which of its options, by value, label or index"),
        ("#slider", {"label": "x"}, "wrong kind", "it is a slider and has no options to choose"),
    ):
        with pytest.raises(NotInteractable, match=said) as caught:
            await page.select_option(selector, wait=False, **options)
        assert caught.value.reason == reason, selector
    with pytest.raises(NotInteractable, match='it has no option "Zulu"; it has "X-ray", "Yankee"'):
        await page.fill("#keys", "Zulu", wait=False)
    assert await _log(page) == []


#: Two of one name: in a list, in one that says values of its own, in one that shows items without the role.
_ALIKE = """<!doctype html><style>[hidden] { display: none } [role=option] { height: 20px }</style>
<div id=owner role=combobox tabindex=0 aria-label=Owner aria-controls=owners aria-expanded=false>choose</div>
<ul id=owners role=listbox hidden><li role=option>Jones<li role=option>Smith<li role=option>Smith</ul>
<ul id=recent role=listbox aria-label=Recent><li role=option data-value=o>Oslo<li role=option data-value=r>
  Rome<li role=option data-value=o>Oslo<li role=option data-value=b>Bergen
  <li role=option data-value=x>Bergen</ul>
<div id=town role=combobox tabindex=0 aria-label=Town aria-controls=towns aria-expanded=false>choose</div>
<div id=popup hidden><div id=towns role=listbox style='height:0;width:0;overflow:hidden'>
  <div role=option aria-label=Lima>l</div></div>
  <div class=items><div><b>Lima</b></div><div><b>Lima</b></div><div><b>Mike</b></div></div></div>
<output></output><script>
  const show = (combo, list, on) => { list.hidden = !on; combo.ariaExpanded = String(on); };
  owner.onclick = () => show(owner, owners, owners.hidden);
  town.onclick = () => show(town, popup, popup.hidden);
  addEventListener("click", ({ target }) => {
    const one = target.closest("[role=option], .items > div");
    if (!one) return;
    const all = [...one.parentElement.children];
    document.querySelector("output").append(`${one.textContent.trim()} ${all.indexOf(one)}; `);
    show(owner, owners, false);
    show(town, popup, false);
  });
</script>"""


#: A button as Radix's Select is, a list that stands open, and a field that filters; each takes one.
_TAKES_ONE = """<!doctype html><style>[hidden] { display: none } [role=option] { height: 20px }</style>
<div id=fruit role=combobox tabindex=0 aria-label=Fruit aria-controls=fruits aria-expanded=false>pick</div>
<ul id=fruits role=listbox hidden><li role=option>Pear<li role=option>Plum</ul>
<input id=city role=combobox aria-label=City aria-controls=cities aria-expanded=false>
<ul id=cities role=listbox hidden></ul>
<ul id=tree role=listbox aria-label=Tree><li role=option>Ash<li role=option>Elm</ul><output></output><script>
  const out = document.querySelector("output");
  const show = (combo, list, on) => { list.hidden = !on; combo.ariaExpanded = String(on); };
  const draw = () => {
    const found = ["Rome", "Oslo"].filter((name) => name.includes(city.value));
    cities.innerHTML = found.map((name) => `<li role=option>${name}`).join("");
    show(city, cities, true);
  };
  city.onclick = city.oninput = draw;
  fruit.onclick = () => show(fruit, fruits, fruits.hidden);
  for (const list of [fruits, cities, tree]) list.onclick = ({ target }) => {
    out.append(`${target.textContent};`);
    if (list === fruits) { fruit.textContent = target.textContent; show(fruit, fruits, false); }
    if (list === cities) { city.value = target.textContent; show(city, cities, false); }
  };
</script>"""


async def test_in_a_list_that_takes_one_a_second_choice_does_not_replace_the_first(page: Page) -> None:
    async with serve_pages({"/": _TAKES_ONE}) as pages:
        await page.goto(pages.url("/"))
        for refused in (
            page.select_option("#fruit", label=["Pear", "Plum"]),
            page.fill_form([{"id": "#fruit", "value": ["Pear", "Plum"]}]),
            page.select_option("#tree", label=["Ash", "Elm"]),
        ):
            with pytest.raises(NotInteractable, match="it takes exactly one option") as caught:
                await refused
            assert (caught.value.reason, caught.value.partial) == ("wrong kind", False)
            assert await page.evaluate("[out.textContent, fruit.ariaExpanded]") == ["", "false"]
        # Whether a field that takes text is emptied for another shows only behind the first choice.
        said = "option 2 of 2, those before it are chosen: .*it takes exactly one option"
        with pytest.raises(NotInteractable, match=said) as caught:
            await page.select_option("#city", label=["Rome", "Oslo"])
        assert caught.value.partial
        assert await page.evaluate("[out.textContent, city.value, cities.hidden]") == ["Rome;", "Rome", True]


async def test_of_two_options_with_the_same_words_none_is_taken(page: Page) -> None:
    async with serve_pages({"/": _ALIKE}) as pages:
        await page.goto(pages.url("/"))
        for selector, label, said in (
            ("#owner", "Smith", '2 options fit "Smith": index 1, index 2; say which by index'),
            ("#recent", "Bergen", '2 options fit "Bergen": index 3, index 4; say which by index'),
            ("#town", "Lima", '2 items of its list say "Lima"; open it, and click the one that is meant'),
        ):
            with pytest.raises(NotInteractable, match=said) as caught:
                await page.select_option(selector, label=label)
            assert (caught.value.reason, caught.value.partial) == ("several", False)
        assert await page.evaluate("document.querySelectorAll('[aria-expanded=true]').length") == 0
        assert await page.evaluate("document.querySelector('output').textContent") == ""
        await page.select_option("#owner", index=2)
        await page.select_option("#recent", label="Oslo")  # the page itself says that both are one
        await page.select_option("#recent", value="x")
        await page.select_option("#town", label="Mike")
        chosen = await page.evaluate("document.querySelector('output').textContent")
        assert chosen == "Smith 2; Oslo 0; Bergen 4; Mike 2; "


async def test_of_two_options_of_a_select_that_fit_none_is_taken(page: Page) -> None:
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        "<select aria-label=Owner><option>-<option value=1>Smith<option value=2>Smith<option>Same<option>Same"
        "<option value=x>Xavier<option value=x>Xenia<option disabled>Gone<option value=g>Gone"
        "<optgroup label=Texas><option>Paris</optgroup>"
        "<optgroup label=France><option>Paris<option>Same</select>",
    )
    smiths = '2 options fit "Smith": index 1 ("Smith", value "1"), index 2 ("Smith", value "2"); say which by'
    xs = '2 options fit "x": index 5 ("Xavier", value "x"), index 6 ("Xenia", value "x"); say which by index'
    for refused, said in (
        (page.select_option("select", label="Smith"), f"{smiths} value or index"),
        (page.select_option("select", "Smith"), smiths),
        (page.fill("select", "Smith"), smiths),
        (
            page.fill_form([{"id": "select", "value": "Smith"}]),
            f"{smiths} value or index (select_option); no",
        ),
        (page.select_option("select", "x"), xs),
        (page.select_option("select", label="Paris"), '2 options fit "Paris"'),
    ):
        with pytest.raises(NotInteractable, match=re.escape(said)) as caught:
            await refused
        assert caught.value.reason == "several"
    cases: list[tuple[dict[str, Any], int]] = [
        ({"value": "2"}, 2),
        ({"label": "Same"}, 3),  # of the same value, and one in no group: no form tells which
        ({"label": "Xenia"}, 6),
        ({"label": "Gone"}, 8),  # the other cannot be chosen
        ({"index": 10}, 10),
    ]
    for options, chosen in cases:
        await page.select_option("select", **options)
        assert await page.evaluate("document.querySelector('select').selectedIndex") == chosen


#: A combobox that filters as in the pattern of ARIA, one that opens a list and takes no text, and one whose
#: list stays open whatever is done.
_FILTERING = """<!doctype html><style>[hidden] { display: none } [role=option] { height: 20px }</style>
<input id=fruit role=combobox aria-label=Fruit aria-controls=fruits aria-expanded=false VALUE>
<ul id=fruits role=listbox hidden></ul>
<div id=size role=combobox tabindex=0 aria-label=Size aria-controls=sizes aria-expanded=false>choose</div>
<ul id=sizes role=listbox hidden><li role=option>Small<li role=option aria-disabled=true>Large</ul>
<div id=kept role=combobox tabindex=0 aria-label=Kept aria-controls=keeps aria-expanded=false>choose</div>
<ul id=keeps role=listbox hidden><li role=option>One</ul>
<script>
  const show = (combo, list, on) => { list.hidden = !on; combo.ariaExpanded = String(on); };
  const draw = () => {
    const words = fruit.value.toLowerCase();
    const found = ["Apple", "Pear", "Fig"].filter((name) => name.toLowerCase().includes(words));
    fruits.innerHTML = found.map((name) => `<li role=option>${name}</li>`).join("");
    show(fruit, fruits, true);
  };
  fruit.onclick = fruit.oninput = draw;
  fruit.onblur = () => show(fruit, fruits, false);
  size.onclick = () => show(size, sizes, sizes.hidden);
  kept.onclick = () => show(kept, keeps, true);
</script>"""


@pytest.mark.usefixtures("short_breaths")
@pytest.mark.parametrize("wait", [False, 1], ids=["once", "again and again"])
@pytest.mark.parametrize(
    ("value", "has"), [("", '"Apple", "Pear", "Fig"'), ("value=pea", '"Pear"')], ids=["empty", "filled"]
)
async def test_a_search_in_vain_leaves_the_combobox_as_it_was(
    page: Page, value: str, has: str, *, wait: float
) -> None:
    """The text that filtered the list is taken back, the list is closed; the message tells of both lists."""
    said = f'it has no option "Kiwi"; it has {has}; once "Kiwi" was typed into it, none'
    async with serve_pages({"/": _FILTERING.replace("VALUE", value)}) as pages:
        await page.goto(pages.url("/"))
        state = "[fruit.value, fruit.ariaExpanded, fruits.hidden, document.activeElement.localName]"
        before = await page.evaluate(state)
        for refused in (
            page.select_option("#fruit", label="Kiwi", wait=wait),
            page.fill_form([{"id": "#fruit", "value": ["Kiwi"]}], wait=wait),
        ):
            with pytest.raises(NotInteractable, match=said) as caught:
                await refused
            assert (caught.value.reason, caught.value.partial) == ("no such option", False)
            assert await page.evaluate(state) == before


@pytest.mark.usefixtures("short_breaths")
async def test_a_search_in_vain_tells_of_a_list_that_only_typing_opens(page: Page) -> None:
    said = 'it has no option "Kiwi"; it has "Apple", "Pear", "Fig"; once "Kiwi" was typed into it, none'
    opens_by_typing = _FILTERING.replace("fruit.onclick = fruit.oninput", "fruit.oninput")
    async with serve_pages({"/": opens_by_typing.replace("VALUE", "")}) as pages:
        await page.goto(pages.url("/"))
        with pytest.raises(NotInteractable, match=said):
            await page.select_option("#fruit", label="Kiwi", wait=False)


@pytest.mark.usefixtures("short_breaths")
async def test_a_list_that_was_opened_in_vain_is_closed_or_said_to_be_open(page: Page) -> None:
    async with serve_pages({"/": _FILTERING}) as pages:
        await page.goto(pages.url("/"))
        for label, said in (("Huge", "no option"), ("Large", "is disabled")):
            with pytest.raises(NotInteractable, match=said) as caught:
                await page.select_option("#size", label=label, wait=False)
            assert not caught.value.partial
            assert await page.evaluate("[size.ariaExpanded, sizes.hidden]") == ["false", True]
        with pytest.raises(NotInteractable, match='it has "One"; its list is left open') as caught:
            await page.select_option("#kept", label="Two", wait=False)
        assert caught.value.partial
        # What was open before stays so.
        await page.click("#size")
        with pytest.raises(NotInteractable) as caught:
            await page.select_option("#size", label="Huge", wait=False)
        assert not caught.value.partial
        assert await page.evaluate("size.ariaExpanded") == "true"


async def test_a_search_that_the_deadline_ends_says_what_the_list_has(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on a machine so slow that the looks do not fit into the deadline: the page was said to be busy.
    monkeypatch.setattr(listboxes, "_LOOKS", 10_000)
    with pytest.raises(NotInteractable, match='it has no option "Nothing"') as refused:
        await page.select_option("#filter", label="Nothing", timeout=6)
    assert refused.value.reason == "no such option"


async def test_a_slider_of_script_is_filled_by_its_keys(page: Page) -> None:
    for value in (7.5, "2", 10, 0):
        receipt = await page.fill("#slider", value)
        assert float(await evaluate(page.session, "slider.ariaValueNow")) == float(value), str(receipt)
    await page.fill("#divider", 8)
    await page.set_value("#divider", 4)
    assert await evaluate(page.session, "divider.ariaValueNow") == "4"
    await page.fill("#parted", 8)
    assert await evaluate(page.session, "parted.ariaValueNow") == "8"
    assert (await page.fill("#slider", 0)).notes == ("it had this value already",)
    for selector, value, said, partial in (
        ("#slider", 11, "its value is a number from 0 to 10, not '11'", False),
        ("#slider", "loud", "its value is a number from 0 to 10", False),
        ("#divider", 11, "it is a separator: its value is a number from 0 to 10, not '11'", False),
        ("#coarse", 40, "its keys go in steps of 7, and do not lead to 40; it is at 37", True),
        ("#dead", 40, "its keys do not move it; it is at 5; drag its handle", False),
    ):
        with pytest.raises(NotInteractable, match=said) as caught:
            await page.fill(selector, value)
        assert (caught.value.reason, caught.value.partial) == ("value", partial)
    with pytest.raises(NotInteractable, match=r"entry 1 of 1, none is filled completely: .* it is at 44"):
        await page.fill_form([{"element": "#coarse", "value": 45}])


async def test_a_spin_button_without_a_field_is_set_by_its_keys(page: Page) -> None:
    clock = """<button role=spinbutton id=hours aria-label=Hours aria-valuenow=22 aria-valuemin=0
      aria-valuemax=23>22</button>
      <div role=spinbutton tabindex=0 id=days aria-label=Days aria-valuenow=3></div>
    <script>
      beside = 0;
      for (const one of [hours, days]) one.onkeydown = (event) => {
        if (/ArrowLeft|ArrowRight/.test(event.key)) beside += 1;
        const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (step) one.ariaValueNow = one.textContent = Number(one.ariaValueNow) + step;
      };
    </script>"""
    async with serve_pages({"/": clock}) as pages:
        await page.goto(pages.url())
        hours = (await page.snapshot()).find(role="spinbutton", name="Hours")[0].id
        await page.set_value(hours, 9)
        await page.fill("#days", "-120")
        assert await page.evaluate("() => [hours.ariaValueNow, days.ariaValueNow, beside]") == [
            "9",
            "-120",
            0,
        ]
        said = (
            r"^cannot set the value of spinbutton .*: it is a spinbutton: its value is a number from 0 to 23"
        )
        with pytest.raises(NotInteractable, match=said):
            await page.set_value(hours, 24)
        with pytest.raises(NotInteractable, match=r"its value is a number, not 'late'"):
            await page.fill("#days", "late")
        with pytest.raises(NotInteractable, match="fill it"):
            await page.type(hours, "9", wait=False)


async def test_a_spin_button_that_is_a_text_field_is_set_as_it_is_filled(page: Page) -> None:
    await page.evaluate(
        "html => { document.body.innerHTML = html; }",
        "<input id=guests role=spinbutton aria-label=Guests aria-valuemin=0 aria-valuemax=10 value=5>"
        "<input id=plain role=spinbutton aria-label=Plain value=5>"
        "<input id=month role=spinbutton aria-label=Month aria-valuemin=1 aria-valuemax=12 aria-valuenow=2"
        " aria-valuetext=February value=Feb>",
    )
    for selector, value in (("#guests", 7.0), ("#plain", "7"), ("#month", "May")):
        await page.set_value(selector, value)
    assert await page.evaluate("[guests.value, plain.value, month.value]") == ["7", "7", "May"]
    await page.set_value("#plain", "1,50")
    for selector, wrong, limits in (
        ("#guests", 11, " from 0 to 10"),
        ("#guests", "many", " from 0 to 10"),
        ("#plain", "many", ""),
        ("#month", 13, " from 1 to 12"),
    ):
        with pytest.raises(NotInteractable, match=f"its value is a number{limits}, not '{wrong}'$"):
            await page.set_value(selector, wrong)
    assert await page.evaluate("[guests.value, plain.value, month.value]") == ["7", "1,50", "May"]


async def test_a_scale_is_named_where_there_is_none(page: Page) -> None:
    for selector, said in (
        ("#rule", "it is not a form control and has no value on a scale; name a slider"),
        ("#field", "it is a text field and has no value on a scale; use fill, check or select_option"),
    ):
        with pytest.raises(NotInteractable, match=said):
            await page.set_value(selector, 5)
    with pytest.raises(NotInteractable, match="it is not a form control and takes no text"):
        await page.type("#rule", "5", wait=False)


async def test_selects_that_have_no_focus_or_hide_behind_a_widget(page: Page) -> None:
    await page.select_option("#shy", label="b")
    receipt = await page.select_option("#behind", label="b")
    assert await _log(page) == ["shy b", "behind b"]
    assert "it is hidden" in str(receipt)
    await page.fill("#behind", "a")
    assert await _log(page) == ["behind a"]
    receipt = await page.select_option("#clipped", label="b")
    assert await _log(page) == ["clipped b"]  # a widget that opens its list upon a focus does not
    assert "it is hidden" in str(receipt)


@pytest.mark.parametrize(
    ("content", "unseen"),
    [
        ("<select id=it style='position:absolute;left:-9999px'>OPTIONS</select>", True),
        ("<p style='opacity:0'><select id=it>OPTIONS</select></p>", True),
        ("<p style='position:relative'><select id=it>OPTIONS</select><b class=over>a</b></p>", True),
        ("<p><select id=it>OPTIONS</select></p>", False),
        ("<p><select id=it size=3>OPTIONS</select></p>", False),
        (
            "<p style='position:relative'><select id=it>OPTIONS</select><label for=it class=over>a</label>",
            False,
        ),
        ("<p style='margin-top:4000px'><select id=it>OPTIONS</select></p>", False),
    ],
    ids=["off the page", "transparent", "covered", "plain", "list", "labelled", "far down"],
)
async def test_a_receipt_says_that_the_select_is_not_what_is_seen(
    page: Page, content: str, *, unseen: bool
) -> None:
    style = "<style>.over { position: absolute; inset: 0; background: #fff }</style>"
    body = style + content.replace("OPTIONS", "<option>a<option>b")
    await evaluate(page.session, f"document.body.setHTMLUnsafe({json.dumps(body)})")
    receipt = await page.select_option("#it", label="b")
    assert await evaluate(page.session, "it.value") == "b"
    assert any("may lag behind" in note for note in receipt.notes) == unseen


async def test_a_select_that_the_page_sets_back_and_chooses_in_again_a_moment_later(page: Page) -> None:
    """As React does where its state changes later; the body is flat, as everything in it is positioned."""
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        """<style>body { margin: 0; overflow: hidden } main { position: absolute }</style>
        <main><select aria-label=Kind><option>Code<option>Raw</select></main>""",
    )
    await page.evaluate(
        """() => {
          const select = document.querySelector("select");
          select.onchange = () => {
            const value = select.value;
            select.value = "Code";
            setTimeout(() => { select.value = value; }, 30);
          };
        }"""
    )
    receipt = await page.select_option("select", label="Raw")
    assert receipt.notes == ()
    assert '"Code" → "Raw"' in str(receipt)


async def test_filling_with_commit_takes_the_focus_away(page: Page) -> None:
    await page.fill("#field", "one")
    assert await _log(page) == []
    await page.fill("#field", "two", commit=True)
    assert await _log(page) == ["field two"]
    assert await evaluate(page.session, "document.activeElement.localName") == "body"


async def test_a_focus_that_the_page_moves_on_was_given(page: Page) -> None:
    receipt = await page.focus("#pushes")
    assert receipt.notes == ("the page has seen the focus, and moved it on at once",)
    assert await evaluate(page.session, "document.activeElement.id") == "other"


async def test_a_combobox_that_something_else_covers_is_refused_as_a_click_is(page: Page) -> None:
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        """<div role=combobox tabindex=0 aria-label=Colour aria-controls=all aria-expanded=false>Pick</div>
        <ul id=all role=listbox hidden><li role=option>Red</ul><output></output>
        <div style="position: fixed; inset: 0; background: white">Cookies</div>""",
    )
    await page.evaluate(
        "() => { document.querySelector('[role=combobox]').onkeydown = (event) => { all.hidden = false;"
        " document.querySelector('output').textContent += event.key } }"
    )
    said = 'cannot click combobox "Colour".* lies over it.*; act on that first, or use force=True'
    with pytest.raises(ElementCovered, match=said):
        await page.select_option("[role=combobox]", label="Red", wait=False)
    assert await page.evaluate("document.querySelector('output').textContent") == ""


async def test_a_combobox_below_its_own_text_is_opened_by_its_key(page: Page) -> None:
    """As in React Select, where the field and what lies over it stand in boxes of their own."""
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        """<div style="position: relative; width: 9em"><div style="position: absolute; inset: 0">Pick</div>
        <div><div><input role=combobox size=2 aria-label=Colour aria-controls=hues aria-expanded=false
        onkeydown="hues.hidden = false"></div></div></div>
        <ul id=hues role=listbox hidden><li role=option onclick="this.ariaSelected = true">Red</ul>""",
    )
    await page.select_option("[role=combobox]", label="Red", timeout=5)
    assert await page.evaluate("document.querySelector('li').ariaSelected") == "true"
    said = "lies over it; if that is its text, click that, or choose with select_option, or use force=True"
    with pytest.raises(ElementCovered, match=said):
        await page.click("[role=combobox]", wait=False)
