"""Which list a combobox opens, where it does not name it, and what is left of that list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap import HybridsnapError, NotInteractable
from hybridsnap.act import listboxes
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from hybridsnap import Page

#: A list that always shows, and a combobox whose own list comes some time after the click. What is chosen in
#: the first is in `deleted`.
_PAGE = """<!doctype html>
<style>[role=option], [role=menuitem] { height: 20px } #combo { min-height: 20px }</style>
<div role=listbox aria-label="Delete for ever"><div role=option>Ann</div><div role=option>Bob</div></div>
<COMBO role=combobox aria-label="Assign to" aria-haspopup=listbox aria-expanded=false id=combo></COMBO>
<script>
  window.deleted = [];
  document.querySelector("[role=listbox]").onclick = ({ target }) => deleted.push(target.textContent);
  window.chosen = () => combo.value || combo.textContent;
  combo.onclick = () => {
    if (combo.ariaExpanded === "true") return;
    combo.ariaExpanded = "true";
    const list = document.createElement("div");
    list.id = "own";
    list.role = "ROLE";
    list.innerHTML = "<div role=ITEM>Ann</div><div role=ITEM>Bob</div>";
    list.onclick = ({ target }) => {
      combo["value" in combo ? "value" : "textContent"] = target.textContent;
      list.remove();
      combo.ariaExpanded = "false";
    };
    const show = () => document.body.append(list);
    SHOW;
  };
</script>"""


def _page(
    show: str, *, names: str = "", combo: str = "input", role: str = "listbox", item: str = "option"
) -> str:
    words = {"SHOW": show, "COMBO": combo, "ROLE": role, "ITEM": item}
    html = _PAGE.replace("id=combo", f"id=combo {names}")
    for word, with_ in words.items():
        html = html.replace(word, with_)
    return html


async def _chosen(page: Page) -> list[Any]:
    found: list[Any] = await page.evaluate("[chosen(), deleted]")
    return found


@pytest.mark.parametrize(
    "html",
    [
        _page("setTimeout(show, 400)", names="aria-controls=own"),
        _page("setTimeout(show, 100)", names="aria-controls=own"),
        _page("setTimeout(show, 400)"),
        _page("setTimeout(show)"),
        _page("show()", names="aria-controls=gone"),
        _page("setTimeout(show, 200)", names="readonly"),
        _page("setTimeout(show, 200)", combo="div"),
        _page("show()", role="menu", item="menuitem"),
        _page("show()", role="tree", item="treeitem"),
    ],
    ids=["named late", "named soon", "late", "soon", "names none", "read-only", "div", "menu", "tree"],
)
async def test_a_list_that_showed_before_is_not_what_a_combobox_opens(page: Page, html: str) -> None:
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        await page.select_option("#combo", label="Bob")
        assert await _chosen(page) == ["Bob", []]
        await page.fill_form([{"id": "#combo", "value": ["Ann"]}])
        assert await _chosen(page) == ["Ann", []]


@pytest.mark.parametrize("combo", ["input", "div"])
async def test_nothing_is_chosen_where_no_list_opens(page: Page, combo: str) -> None:
    async with serve_pages({"/": _page("", combo=combo)}) as pages:
        await page.goto(pages.url("/"))
        said = (
            'no list of its options is found, also after "Bob" was typed into it'
            if combo == "input"
            else "what it opens is not a list of options"
        )
        with pytest.raises(NotInteractable, match=f"{said}; click it, and then an option"):
            await page.select_option("#combo", label="Bob", wait=False)
        assert await _chosen(page) == ["", []]


async def test_the_list_that_another_field_has_left_open_is_not_taken(page: Page) -> None:
    """The fields say that they open a list, and nothing else; the second one's comes late."""
    html = """<!doctype html><input id=a aria-label=A aria-haspopup=listbox>
    <input id=b aria-label=B aria-haspopup=listbox><script>
      window.taken = [];
      for (const [field, ms] of [[a, 0], [b, 450]]) field.onclick = () => setTimeout(() => {
        if (field.own) return;
        field.own = document.createElement("div");
        field.own.role = "listbox";
        field.own.innerHTML = ["Red", "Green"].map((name) => `<div role=option>${name}</div>`).join("");
        field.own.onclick = ({ target }) => taken.push(field.id + " " + target.textContent);
        document.body.append(field.own);
      }, ms);
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        for field, label in (("#a", "Red"), ("#b", "Green")):
            receipt = await page.select_option(field, label=label)
            assert receipt.notes == ("its list is left open",)
        assert await page.evaluate("taken") == ["a Red", "b Green"]


async def test_a_list_that_a_choice_brings_is_not_that_of_the_combobox(page: Page) -> None:
    html = """<!doctype html><input id=field aria-label=Land aria-haspopup=listbox><div id=at></div><script>
      window.towns = [];
      const list = (names, take) => {
        const items = names.map((name) => `<div role=option>${name}</div>`);
        at.innerHTML = `<div role=listbox>${items.join("")}</div>`;
        at.firstChild.onclick = ({ target }) => take(target.textContent);
      };
      field.onclick = () => list(["Italy", "Rome"], (name) => {
        field.value = name;
        list(["Rome", "Milan"], (town) => towns.push(town));
        field.onclick = null;
      });
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        receipt = await page.select_option("#field", label="Italy")
        assert receipt.notes == ()
        await page.reload()
        with pytest.raises(NotInteractable, match="option 2 of 2, those before it are chosen"):
            await page.select_option("#field", label=["Italy", "Rome"])
        assert await page.evaluate("[field.value, towns]") == ["Italy", []]


async def test_a_list_that_leads_on_to_another_is_left_open(page: Page) -> None:
    """As the columns of a cascade: the first choice shows the second column, and chooses nothing itself."""
    html = """<!doctype html><input id=field role=combobox aria-label=Region aria-expanded=false>
    <div id=at></div><script>
      const column = (name, take) => {
        const item = `<li role=menuitemcheckbox aria-checked=false>${name}`;
        at.insertAdjacentHTML("beforeend", `<ul role=menu>${item}</ul>`);
        at.lastElementChild.onclick = take;
      };
      field.onclick = () => {
        field.ariaExpanded = "true";
        column("France", () => column("Paris", () => { field.value = "Paris"; }));
      };
      field.onblur = () => { at.textContent = ""; };
      at.onmousedown = (event) => event.preventDefault();
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        receipt = await page.select_option("#field", label="France")
        assert receipt.notes == ("its list is left open",)
        await page.click("#at > :last-child")
        assert await page.evaluate("field.value") == "Paris"


#: As PrimeReact's Dropdown: a wrapper that opens, with a clipped field and a button in it. None of them names
#: the list.
_WRAPPER = """<!doctype html><style>[role=option] { height: 20px }</style>
<div id=wrapper style="width: 9em"><div style="position: absolute; width: 1px; height: 1px; overflow: hidden">
  <input id=field readonly aria-haspopup=listbox></div><span>Letter</span>
  <div id=button role=button aria-haspopup=listbox aria-expanded=false aria-label=Letter>v</div></div>
<script>
  let list = null;
  wrapper.onclick = () => {
    list ? list.remove() : document.body.append(list = document.createElement("div"));
    if (!list.isConnected) list = null;
    button.ariaExpanded = String(list !== null);
    if (!list) return;
    list.role = "listbox";
    list.innerHTML = "<div role=option>X</div><div role=option>Y</div>";
    list.onclick = ({ target }) => {
      wrapper.querySelector("span").textContent = target.textContent;
      list.remove();
      list = null;
      button.ariaExpanded = "false";
    };
  };
  field.onkeydown = () => wrapper.onclick();
  window.state = () => [wrapper.querySelector("span").textContent, button.ariaExpanded];
</script>"""


async def test_a_list_that_none_of_a_wrappers_parts_names(page: Page) -> None:
    async with serve_pages({"/": _WRAPPER}) as pages:
        await page.goto(pages.url("/"))
        for selector in ("#wrapper", "#button", "#field"):
            for label in ("X", "Y"):
                await page.select_option(selector, label=label)
                assert await page.evaluate("state()") == [label, "false"]
            with pytest.raises(NotInteractable, match='no option "Q"; it has "X", "Y"') as caught:
                await page.select_option(selector, label="Q", wait=False)
            is_open = await page.evaluate("button.ariaExpanded") == "true"
            assert caught.value.partial == is_open == ("its list is left open" in str(caught.value))
            if is_open:
                await page.click("#wrapper")


@pytest.mark.parametrize("combo", ["input", "div"])
async def test_a_combobox_that_is_open_is_opened_anew_to_learn_which_list_is_its_own(
    page: Page, combo: str
) -> None:
    html = _page("show()", combo=combo).replace('=== "true") return;', '=== "true") return shut();')
    html = html.replace(
        "<script>", '<script>const shut = () => { own.remove(); combo.ariaExpanded = "false"; };'
    )
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        await page.click("#combo")
        await page.select_option("#combo", label="Bob")
        assert await _chosen(page) == ["Bob", []]


async def test_a_combobox_that_says_it_is_closed_beside_what_it_opened(page: Page) -> None:
    """Refused, as the list may be anything's, and not said to be as before."""
    html = _page("show()", combo="div").replace('combo.ariaExpanded = "true";', "")
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        with pytest.raises(
            HybridsnapError, match="click it, and then an option; its list is left open"
        ) as caught:
            await page.select_option("#combo", label="Bob", wait=False)
        assert isinstance(caught.value, NotInteractable)
        assert caught.value.partial
        assert await _chosen(page) == ["", []]


async def test_what_has_the_role_of_a_list_and_opens_a_tree_is_a_combobox(page: Page) -> None:
    """As PrimeReact's TreeSelect. Its items may have no role that tells of them."""
    html = """<!doctype html><input id=field role=listbox readonly aria-haspopup=tree aria-expanded=false>
    <script>field.onclick = () => {
      field.ariaExpanded = "true";
      document.body.insertAdjacentHTML("beforeend", "<ul role=tree><li>Docs<li>Work</ul>");
      document.querySelector("ul").onclick = ({ target }) => { field.value = target.textContent; };
    }</script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        said = 'it has no option "Home"; it has none, but shows "Docs", "Work"; its list is left open'
        with pytest.raises(NotInteractable, match=said):
            await page.select_option("#field", label="Home", wait=False)
        await page.reload()
        receipt = await page.select_option("#field", label="Work")
        assert receipt.notes == ("its list is left open",)
        assert await page.evaluate("field.value") == "Work"


async def test_an_option_that_says_more_to_assistive_technology_than_it_shows(page: Page) -> None:
    """As UI5's: "Not Selected," stands in it, out of sight."""
    html = """<!doctype html><div role=listbox id=list>
    <div role=option><span style="position: absolute; left: -1000px; font-size: 0">Not Selected,</span>
      <i>Sea</i> view</div>
    <div role=option aria-label="Choose Garden">Garden</div><div role=option>Sea view, garden</div></div>
    <script>
      list.onclick = ({ target }) => { target.closest("[role=option]").ariaSelected = "true"; };
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        await page.select_option("#list", label="Sea view")
        await page.select_option("#list", "Garden")
        assert await page.evaluate("[...list.children].map((one) => one.ariaSelected)") == [
            "true",
            "true",
            None,
        ]


#: A field that takes text, and opens a list which takes several and covers the button below: as Mantine's.
_SEVERAL = """<!doctype html><style>[role=option] { height: 20px } [hidden] { display: none }</style>
<input id=fruit aria-label=Fruit aria-haspopup=listbox autocomplete=off><output></output>
<div id=list role=listbox hidden style="position: absolute; background: white; width: 9em"></div>
<p><button id=below onclick="document.title = 'pressed'">Below</button><script>
  const left = ["Apple", "Banana", "Cherry", "Date"], out = document.querySelector("output");
  const draw = () => { list.innerHTML = left.map((name) => `<div role=option>${name}</div>`).join(""); };
  fruit.onclick = () => { list.hidden = false; draw(); };
  fruit.onblur = () => { list.hidden = LEAVES; fruit.value = ""; };
  list.onmousedown = (event) => event.preventDefault();
  list.onclick = ({ target }) => {
    out.textContent += target.textContent + " ";
    left.splice(left.indexOf(target.textContent), 1);
    draw();
  };
</script>"""


async def test_a_list_of_several_is_closed_by_taking_the_focus_away(page: Page) -> None:
    async with serve_pages({"/": _SEVERAL.replace("LEAVES", "true")}) as pages:
        await page.goto(pages.url("/"))
        for options in (["Banana", "Cherry"], ["Date"]):
            receipt = await page.select_option("#fruit", label=options)
            assert receipt.notes == ()
            assert await page.evaluate("list.hidden")
            await page.click("#below", wait=False)
        assert await page.evaluate("[out.textContent, document.title]") == ["Banana Cherry Date ", "pressed"]


async def test_a_list_that_stays_open_is_said_to_be_left_open(page: Page) -> None:
    async with serve_pages({"/": _SEVERAL.replace("LEAVES", "false")}) as pages:
        await page.goto(pages.url("/"))
        receipt = await page.select_option("#fruit", label=["Banana", "Cherry"])
        assert receipt.notes == ("its list is left open",)


async def test_a_field_of_text_that_opens_a_list_is_filled_from_it_by_a_list_of_labels(page: Page) -> None:
    async with serve_pages({"/": _SEVERAL.replace("LEAVES", "true")}) as pages:
        await page.goto(pages.url("/"))
        assert (await page.fill_form([{"id": "#fruit", "value": ["Banana", "Cherry"]}])).notes == ()
        assert await page.evaluate("out.textContent") == "Banana Cherry "
        receipt = await page.fill_form([{"id": "#fruit", "value": "Date"}])
        assert 'typed into textbox "Fruit"' in str(receipt)


async def test_a_list_that_closes_before_it_takes_the_choice_is_told_of(page: Page) -> None:
    """It goes as the press takes the focus from its field, and nothing is chosen."""
    html = """<!doctype html><input id=field aria-label=Field aria-haspopup=listbox aria-controls=list>
    <div id=list role=listbox hidden><div role=option>Red</div></div><script>
      field.onclick = () => { list.hidden = false; };
      field.onblur = () => { list.hidden = true; list.innerHTML = ""; };
      list.onclick = () => { field.value = "Red"; };
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        receipt = await page.select_option("#field", label="Red")
        assert await page.evaluate("field.value") == ""
        assert [note[:36] for note in receipt.notes] == ["it was let go over something else: i"]
        await page.evaluate("void (list.innerHTML = '<div role=option>Red</div>')")
        await page.evaluate("void (list.onmousedown = list.onclick)")
        assert (await page.select_option("#field", label="Red")).notes == ()


#: A list that is in the page before it is visible, and a button that is not in it.
_INVISIBLE = """<!doctype html><meta charset=utf-8>
<div id=combo role=combobox aria-haspopup=listbox aria-expanded=false aria-controls=list tabindex=0>Pick</div>
<button aria-label="Delete account" style="width: 30px; height: 30px"></button><button>Three</button>
<p>Three</p>
<script>
  window.pressed = "";
  addEventListener("click", ({ target }) => { if (target.matches("button, p")) pressed = target.outerHTML; });
  combo.onclick = () => {
    combo.ariaExpanded = "true";
    const list = document.createElement("div");
    list.id = "list";
    list.role = "listbox";
    list.style.cssText = "position: absolute; left: 250px; top: 8px; HIDDEN";
    list.innerHTML = "<div role=option>One</div><div role=option>Two</div><div role=option>Three</div>";
    list.onclick = ({ target }) => {
      combo.textContent = target.textContent;
      combo.ariaExpanded = "false";
      list.remove();
    };
    document.body.append(list);
    setTimeout(() => list.style.cssText = "position: absolute; left: 250px; top: 8px", AFTER);
  };
</script>"""


@pytest.mark.parametrize("hidden", ["visibility: hidden", "display: none", "height: 0; overflow: hidden"])
@pytest.mark.parametrize("way", ["select", "fill"])
async def test_while_a_list_is_invisible_its_option_is_waited_for(page: Page, hidden: str, way: str) -> None:
    """As Quasar's. Nothing outside the list is pressed in its stead."""
    html = _INVISIBLE.replace("HIDDEN", hidden).replace("AFTER", "600")
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        if way == "select":
            await page.select_option("#combo", label="Three")
        else:
            await page.fill_form([{"id": "#combo", "value": "Three"}])
        assert await page.evaluate("[combo.textContent, pressed]") == ["Three", ""]


async def test_an_option_that_stays_invisible_is_named_in_the_refusal(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listboxes, "_LOOKS", 10)
    html = _INVISIBLE.replace("HIDDEN", "visibility: hidden").replace("AFTER", "1e9")
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        with pytest.raises(NotInteractable, match='its option "Three" does not show') as caught:
            await page.select_option("#combo", label="Three", wait=False)
        assert caught.value.reason == "not displayed"
        with pytest.raises(NotInteractable, match='no option "Four"; it has "One", "Two", "Three"'):
            await page.select_option("#combo", label="Four", wait=False)
        assert await page.evaluate("pressed") == ""


async def test_items_without_a_role_are_sought_in_the_popup_alone(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """antd's list has no visible content. A landmark, or what contains the combobox, is not a popup."""
    monkeypatch.setattr(listboxes, "_LOOKS", 10)
    empty = (
        "<div id=list role=listbox style='height: 0; width: 0; overflow: hidden'>"
        "<div role=option>Lima</div></div>"
    )
    combo = "<div id=combo role=combobox tabindex=0 aria-expanded=true aria-controls=list>Pick</div>"
    items = "<div onclick='pressed += `item`'>Lima</div>"
    pages_ = {
        "/popup": f"{combo}<div><div>{empty}{items}<button>Lima</button></div></div>",
        "/body": f"{combo}{empty}{items}",
        "/around": f"<div><div>{combo}</div>{empty}{items}</div>",
        "/main": f"{combo}<main>{empty}{items}</main>",
        "/beside": f"{combo}<div>{empty}<button onclick='pressed += `button`'>Lima</button></div>",
    }
    start = "<!doctype html><script>window.pressed = ''</script>"
    async with serve_pages({path: start + html for path, html in pages_.items()}) as pages:
        for path in pages_:
            await page.goto(pages.url(path))
            if path == "/popup":
                await page.select_option("#combo", label="Lima")
            else:
                with pytest.raises(NotInteractable, match='its option "Lima" does not show'):
                    await page.select_option("#combo", label="Lima", wait=False)
            assert await page.evaluate("pressed") == ("item" if path == "/popup" else ""), path


#: As Choices makes of a select: what is chosen stands in a listbox, too, beside the one that opens.
_SHOWS_CHOSEN = """<!doctype html><style>[role=option] { height: 20px } [hidden] { display: none }
  #combo { padding-top: 150px }</style>
<div id=combo role=combobox tabindex=0 aria-haspopup=true aria-expanded=false><div id=now role=listbox></div>
  <select id=kept multiple hidden></select><div id=popup role=listbox hidden></div></div><script>
  const option = (name, is) => `<div role=option aria-selected=${is}>${name}</div>`;
  const several = location.pathname === "/several";
  let chosen = several ? [] : ["S"];
  const draw = () => {
    kept.innerHTML = chosen.map((name) => `<option selected>${name}`).join("");
    now.innerHTML = chosen.map((name) => option(name, true)).join("");
    const left = ["S", "M", "L"].filter((name) => !(several && chosen.includes(name)));
    popup.innerHTML = left.map((name, at) => option(name, several ? !at : chosen.includes(name))).join("");
  };
  const open = (is) => { popup.hidden = !is; combo.ariaExpanded = String(is); };
  draw();
  combo.onblur = () => open(false);
  combo.onclick = ({ target }) => {
    const one = target.closest("#popup [role=option]");
    if (!one) return open(true);
    chosen = several ? [...chosen, one.textContent] : [one.textContent];
    draw();
    if (!several) open(false);
  };
</script>"""


async def test_a_list_that_shows_what_is_chosen_is_not_the_one_that_opens(page: Page) -> None:
    async with serve_pages({"/": _SHOWS_CHOSEN, "/several": _SHOWS_CHOSEN}) as pages:
        await page.goto(pages.url("/"))
        for label in ("L", "M", "S"):
            await page.select_option("#combo", label=label)
            assert await page.evaluate("chosen") == [label]
        await page.click("#combo")
        await page.select_option("#combo", label="L")
        assert await page.evaluate("chosen") == ["L"]
        await page.goto(pages.url("/several"))
        await page.select_option("#combo", label=["L", "S"])
        assert await page.evaluate("chosen") == ["L", "S"]
        await page.click("#combo")
        await page.select_option("#combo", label="M")
        assert await page.evaluate("chosen") == ["L", "S", "M"]


async def test_a_field_in_an_option_of_what_is_chosen_opens_its_own_list(page: Page) -> None:
    """As PrimeVue's for several words: typing opens the list, and the field is empty behind each choice."""
    html = """<!doctype html><div role=listbox><span role=option><input id=field role=combobox
      aria-label=Words aria-expanded=false aria-haspopup=listbox></span></div>
      <div id=at></div><output></output><script>
      field.oninput = () => setTimeout(() => {
        const found = ["alpha", "alps", "beta"].filter((name) => name.startsWith(field.value || "?"));
        const options = found.map((name) => `<li role=option>${name}`).join("");
        at.innerHTML = `<ul id=list role=listbox>${options}</ul>`;
        field.ariaExpanded = "true";
        field.setAttribute("aria-controls", "list");
      }, 100);
      at.onclick = ({ target }) => {
        document.querySelector("output").append(target.textContent + " ");
        at.innerHTML = field.value = "";
        field.ariaExpanded = "false";
        field.removeAttribute("aria-controls");
      };
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        receipt = await page.fill_form([{"id": "#field", "value": ["alpha", "beta"]}])
        assert await page.evaluate("document.querySelector('output').textContent") == "alpha beta "
        assert receipt.notes == ()
        receipt = await page.select_option("#field", label="alps")
        assert await page.evaluate("document.querySelector('output').textContent") == "alpha beta alps "
        # Nothing was made else of the text that filtered the list (nor with Quasar's): it has served.
        assert receipt.notes == ()


#: As PrimeReact's: 100 options, of which those are drawn that are in view; a list says how many there are.
_VIRTUAL = """<!doctype html><button id=combo role=combobox aria-haspopup=listbox aria-expanded=false
  aria-controls=list>Pick</button><div id=view hidden style="height: 200px; overflow: auto">
  <ul id=list role=listbox style="position: relative; margin: 0; height: 2000px"></ul></div><script>
  const draw = () => {
    list.innerHTML = "";
    const first = Math.floor(view.scrollTop / 20), before = location.pathname === "/around" ? 6 : 0;
    for (let n = Math.max(0, first - before); n < Math.min(100, first + 12); n++) {
      const one = document.createElement("li");
      one.role = "option";
      if (location.pathname === "/says") {
        one.ariaSetSize = 100;
        one.ariaPosInSet = n + 1;
      }
      one.style.cssText = `position: absolute; height: 20px; top: ${n * 20}px`;
      one.textContent = "City " + n;
      list.append(one);
    }
  };
  const open = (is) => { view.hidden = !is; combo.ariaExpanded = String(is); if (is) draw(); };
  combo.onclick = () => open(view.hidden);
  view.onscroll = () => location.pathname === "/says" ? setTimeout(draw, 60) : requestAnimationFrame(draw);
  list.onclick = ({ target }) => { combo.textContent = target.textContent; open(false); };
</script>"""


@pytest.mark.parametrize("path", ["/says", "/silent"])
async def test_a_list_that_draws_what_is_in_view_is_scrolled_through(page: Page, path: str) -> None:
    async with serve_pages({"/says": _VIRTUAL, "/silent": _VIRTUAL}) as pages:
        await page.goto(pages.url(path))
        for label in ("City 60", "City 4", "City 99"):
            await page.select_option("#combo", label=label)
            assert await page.evaluate("combo.textContent") == label
        if path == "/says":
            await page.select_option("#combo", index=30)
            assert await page.evaluate("combo.textContent") == "City 30"
            with pytest.raises(NotInteractable, match=r'no option "Rome"; it has "City 0", .*100 in all'):
                await page.select_option("#combo", label="Rome", wait=False)
            said = (
                r'it has "City 0", .*, and draws \d+ of its 100 options; scroll it to the one that is meant'
            )
            await page.evaluate("void (view.scrollTo = view.onscroll = null, view.style.overflow = 'clip')")
            with pytest.raises(NotInteractable, match=said):
                await page.select_option("#combo", label="City 80", wait=False)


async def test_no_option_is_counted_from_another_than_the_first(page: Page) -> None:
    """A list may draw more options around a view in its middle than at its start."""
    async with serve_pages({"/around": _VIRTUAL}) as pages:
        await page.goto(pages.url("/around"))
        with pytest.raises(NotInteractable, match='no option "14"'):
            await page.select_option("#combo", index=14, wait=False)
        assert await page.evaluate("combo.textContent") == "Pick"
        await page.select_option("#combo", index=11)
        assert await page.evaluate("combo.textContent") == "City 11"
        await page.select_option("#combo", label="City 70")


@pytest.mark.parametrize("said", ["Infinity", "1e400", "1e300", "x"])
async def test_a_list_whose_numbers_are_none(page: Page, said: str) -> None:
    """What a page says of a list's size and of places in it may be anything."""
    option = "<div role=option aria-posinset={} aria-setsize={}>Ann</div>"
    for number, size in ((said, 9), (1, said)):
        html = f"<div role=listbox id=list tabindex=0>{option.format(number, size) * 2}</div>"
        async with serve_pages({"/": html}) as pages:
            await page.goto(pages.url("/"))
            with pytest.raises(NotInteractable, match=r'2 (items|options) .*"Ann"'):
                await page.select_option("#list", label="Ann", wait=False)
            with pytest.raises(NotInteractable, match='no option "Bob"; it has "Ann"'):
                await page.select_option("#list", label="Bob", wait=False)


@pytest.mark.parametrize("count", [60, 100])
async def test_how_many_options_a_list_has_is_said_once(page: Page, count: int) -> None:
    options = "".join(f"<div role=option>Land {n}</div>" for n in range(count))
    async with serve_pages({"/": f"<div role=listbox id=list tabindex=0>{options}</div>"}) as pages:
        await page.goto(pages.url("/"))
        with pytest.raises(NotInteractable, match=rf'"Land 9", … \({count} in all\)$'):
            await page.select_option("#list", label="Rome", wait=False)
