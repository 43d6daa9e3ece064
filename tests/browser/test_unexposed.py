"""What the accessibility tree leaves out: shown where a person sees it, counted at the end otherwise."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

import pytest

from hybridsnap.errors import UnknownElement
from hybridsnap.render.ignored_nodes import IgnoredNodes
from hybridsnap.render.select import is_interactive
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    import hybridsnap
    from hybridsnap.render.rendering import Rendering


@pytest.fixture
async def page(home_page: hybridsnap.Page) -> hybridsnap.Page:
    return home_page


_PAGE = """<!doctype html><title>Hidden</title>
<style>.gone { display: none } .unseen { visibility: hidden }</style>
<main><h1>Head</h1>
<div aria-hidden=true>Seen words <b onclick="0">Star</b>
  <button onclick="document.title = 'pressed'">Go on</button>
  <span class=gone>not drawn</span><p>More <a href=x>to read</a></p></div>
<div inert>Inert words <button>Inert button</button></div>
<div class=unseen>Unseen words <button>Unseen button</button></div>
<div class=gone aria-hidden=true>Closed menu <button>Item</button></div>
<p>Price <span aria-hidden=true>about $10</span></p>
<button aria-label="Close menu"><span aria-hidden=true>Close menu</span></button>
<i class=material-icons aria-hidden=true>shopping_cart</i>
</main>"""
_DIALOG = """() => {
  const dialog = document.createElement('dialog');
  dialog.innerHTML = '<p>Sure?</p><button>Yes</button>';
  document.body.append(dialog);
  dialog.showModal();
}"""


async def opened(page: hybridsnap.Page) -> hybridsnap.Page:
    await page.evaluate("html => { document.open(); document.write(html); document.close() }", _PAGE)
    return page


def line_with(rendering: Rendering, words: str) -> str:
    return next(line for line in rendering.splitlines() if words in line)


@pytest.mark.parametrize("format_", ["ai", "tree"])
async def test_what_is_seen_below_aria_hidden_is_shown_and_marked(
    page: hybridsnap.Page, format_: str
) -> None:
    page = await opened(page)
    snapshot = await page.snapshot(layout=True)
    rendering = snapshot.render(format_)  # type: ignore[arg-type]
    hidden = line_with(rendering, "div [aria-hidden]")
    lines = rendering.splitlines()
    at = lines.index(hidden)
    inner = len(hidden) - len(hidden.lstrip()) + 2
    assert lines[at - 1].endswith("heading: Head [level=1]")
    assert lines[at + 1].startswith(" " * inner)
    assert "Seen words" in lines[at + 1]
    assert "about $10" in rendering
    assert "Star [clickable]" in rendering
    for word in ("not drawn", "Closed menu", "shopping_cart"):
        assert word not in rendering
    assert rendering.count("Close menu") == 1
    # It can be operated, as a person can.
    button = line_with(rendering, "button: Go on").strip()
    await page.click(button[1 : button.index("]")])
    assert await page.evaluate("document.title") == "pressed"


@pytest.mark.parametrize("format_", ["tree", "ai"])
async def test_what_is_seen_below_aria_hidden_can_be_the_scope(page: hybridsnap.Page, format_: str) -> None:
    html = "<p>Out</p><div id=app aria-hidden=true><p>In</p><button>Go</button></div>"
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
    for scope in (snapshot.find("button")[0].id, "#app"):
        rendering = snapshot.render(format_, scope=scope)  # type: ignore[arg-type]
        assert ("button: Go" in rendering, "Out" in rendering) == (True, False)
        with pytest.raises(UnknownElement, match="shows nothing"):
            snapshot.render("role", scope=scope)


async def test_without_layout_text_that_may_be_seen_is_counted(page: hybridsnap.Page) -> None:
    page = await opened(page)
    rendering = (await page.snapshot()).render("ai")
    assert "div [aria-hidden]" in rendering
    told = line_with(rendering, "left out, aria-hidden")
    assert "2 elements" in told or "3 elements" in told
    opened_fold = rendering.expand(next(fold.id for fold in rendering.folds if fold.id in told))
    assert "about $10" in opened_fold
    assert "Closed menu" in opened_fold


async def test_a_fold_of_the_line_for_hidden_content_is_in_words(page: hybridsnap.Page) -> None:
    hidden = "<div aria-hidden=true style='height: 1px; overflow: hidden'><input><select></select></div>"
    buttons = "".join(f"<button>Press button {number}</button>" for number in range(30))
    await page.evaluate("html => { document.body.innerHTML = html }", f"{buttons}{hidden}")
    snapshot = await page.snapshot()
    folds = {
        fold.words for most in range(80, 400, 5) for fold in snapshot.render("ai", max_tokens=most).folds
    }
    assert not [words for words in folds if "× …" in words]
    assert any("1 line" in words for words in folds), folds


async def test_hidden_content_is_one_line_that_opens(page: hybridsnap.Page) -> None:
    page = await opened(page)
    rendering = (await page.snapshot(layout=True)).render("ai", max_tokens=400)
    for cause, words in (
        ("inert: 2 elements", "button: Inert button"),
        ("visibility: hidden: 2 elements", "Unseen words"),
        ("visibility: hidden: 2 elements", "button: Unseen button"),
    ):
        assert words not in rendering
        told = line_with(rendering, f"not shown, {cause}")
        assert words in rendering.expand(next(fold.id for fold in rendering.folds if fold.id in told))


_ICONS = """<style>.p { cursor: pointer } .gone { display: none }</style>
<i class="q-icon p" aria-hidden=true>edit_calendar</i> <i class=q-icon aria-hidden=true>plain_icon</i>
<button class=p>Press <i class=q-icon aria-hidden=true>chevron</i></button>
<div class=p aria-hidden=true>Card <button>Inner</button></div>
<label>Day <input><i class="q-icon p gone" aria-hidden=true>closed_icon</i></label>"""


async def test_an_icon_that_shows_a_pointer_is_told_though_aria_hidden(page: hybridsnap.Page) -> None:
    await page.evaluate("html => { document.body.innerHTML = html }", _ICONS)
    rendering = (await page.snapshot(layout=True)).render("ai")
    assert "i: edit_calendar [aria-hidden] [clickable]" in rendering
    assert "button: Inner" in rendering
    assert not [one for one in ("plain_icon", "chevron", "closed_icon") if one in rendering]
    # Nothing tells without layout whether it is seen.
    rendering = (await page.snapshot()).render("ai")
    told = line_with(rendering, "left out, aria-hidden: 2 elements")
    assert "closed_icon" not in rendering
    opened_fold = rendering.expand(next(fold.id for fold in rendering.folds if fold.id in told))
    assert "i: edit_calendar [clickable]" in opened_fold
    assert "i: closed_icon [clickable]" in opened_fold
    assert "button: Inner" in rendering


_UNSEEN = """<style>.clear { opacity: 0 } .through { pointer-events: none }
.empty { width: 0; height: 0; overflow: hidden }
.read { position: absolute; width: 1px; height: 1px; overflow: hidden }</style>
<div class=clear>Clear words <button>Ghost</button></div>
<input type=checkbox class=clear id=c><label for=c>Gift</label>
<div class=empty>Cut words <button>Cut button</button></div>
<div class=empty></div><p class=clear></p>
<div class=through>Through words <button>No press</button><b>bold</b></div>
<span class=read>For screen readers</span><p>Seen"""


@pytest.mark.parametrize("format_", ["ai", "tree"])
async def test_what_is_there_and_not_seen_is_counted_by_cause(page: hybridsnap.Page, format_: str) -> None:
    """It stays where it is, as it can be operated; a line at the end says what of it nobody sees."""
    await page.evaluate("html => { document.body.innerHTML = html }", _UNSEEN)
    snapshot = await page.snapshot(layout=True)
    rendering = snapshot.render(format_)  # type: ignore[arg-type]
    lines = rendering.splitlines()
    clear, empty, through = lines[-3:]
    assert clear.startswith("not shown, opacity: 0: 3 elements, above as [")
    assert empty.startswith("not shown, zero size: 2 elements, above as [")
    assert through.startswith("not clickable, pointer-events: none: 1 element, above as [")
    checkbox = line_with(rendering, "checkbox: Gift").strip()
    assert checkbox[: checkbox.index("]") + 1] in clear
    # Each id opens what it names.
    first = clear[clear.index("[") + 1 : clear.index("]")]
    assert "button: Ghost" in rendering.expand(first)
    assert "not shown" not in (await page.snapshot()).render(format_)  # type: ignore[arg-type]


async def test_hidden_symbols_tell_nothing_and_pictures_of_letters_do(page: hybridsnap.Page) -> None:
    html = (
        "<style>.mark { visibility: hidden }</style>"
        "<h2>Install <a class=mark href=#i>¶</a></h2><h2>Run <a class=mark href=#r>¶</a></h2>"
        "<p>A matrix <img aria-hidden=true alt=A> is square.</p>"
    )
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    rendering = (await page.snapshot(layout=True)).render("ai")
    assert "not shown" not in rendering
    assert "A matrix (image: A) is square." in rendering


async def test_what_is_hidden_below_aria_hidden_is_not_shown_as_seen(page: hybridsnap.Page) -> None:
    html = (
        "<div aria-hidden=true>Seen words <b style='opacity:0'>clear words</b>"
        "<b style='visibility:hidden'>hidden words</b></div>"
    )
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    rendering = (await page.snapshot(layout=True)).render("ai")
    assert "Seen words" in rendering
    assert "clear words" not in rendering
    assert "hidden words" not in rendering
    assert "not shown, visibility: hidden: 1 element" in rendering


async def test_a_hidden_popup_with_generated_text_is_not_shown_as_seen(page: hybridsnap.Page) -> None:
    """As NiceGUI's "Connection lost": Chromium lists what a style sheet puts something into."""
    popup = "<div aria-hidden=true class={}><span>Connection lost</span><ul><li>Item</ul>{}</div>"
    html = "<style>span::before { content: '!' } .waits { visibility: hidden }</style><p>Hello</p>"
    html += popup.format("waits", "<button>Again</button>") + popup.format("seen", "<a href=x>Help</a>")
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    shown = (await page.snapshot()).render("tree").partition("not shown")[0]
    assert [shown.count(one) for one in ("[aria-hidden]", "Connection lost", "Item", "Help")] == [1] * 4
    assert "Again" not in shown


async def test_a_closed_form_below_aria_hidden_is_not_shown_as_seen(page: hybridsnap.Page) -> None:
    """Chromium lists labels, tables and selects in the AX tree whether they are rendered or not."""
    form = "<label>Name <input></label><table><tr><td>Cell</table><select><option>A</select>"
    html = (
        "<style>#closed { display: none }</style><h1>Head</h1>"
        f"<div id=closed aria-hidden=true>{form}</div><div aria-hidden=true>{form}<button>Seen</button></div>"
    )
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
    outline = snapshot.render("tree").splitlines()
    (seen,) = [line for line in outline if "[aria-hidden]" in line]
    assert f"[{snapshot.css('body > div:last-child')[0]}]" in seen
    assert any(line.startswith("left out, aria-hidden: ") for line in outline)
    assert len([line for line in outline if "Cell" in line]) == 1


async def test_a_closed_dialog_that_its_heading_names_is_not_shown_as_seen(page: hybridsnap.Page) -> None:
    """Chromium lists what names or describes something, and the parts of a player, rendered or not."""
    html = (
        "<style>.closed { display: none }</style><h1>Head</h1>"
        "<svg width=0 height=0><symbol id=cross><path d='M8 0 L4 4'/></symbol></svg>"
        "<div class='closed modal' role=dialog aria-hidden=true aria-labelledby=title aria-describedby=what>"
        "<h2 id=title>Schedule</h2><p id=what>Choose when</p><button>Save</button></div>"
        "<div class=closed aria-hidden=true><details><summary>More</summary>Text</details>"
        "<video controls></video><svg><use href='#cross'></use></svg>"
        "<meter value=1>One</meter><progress value=1>Two</progress></div>"
        "<div aria-hidden=true aria-labelledby=named><h2 id=named>Open</h2><button>Seen</button></div>"
    )
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        rendering = (await page.snapshot()).render("ai")
    outline = rendering.splitlines()
    shown = [line for line in outline if "[aria-hidden]" in line]
    assert len(shown) == 1
    assert not any("Schedule" in line or "More" in line for line in outline)
    assert line_with(rendering, "button: Seen")
    assert any(line.startswith("left out, aria-hidden: ") for line in outline)


async def test_below_a_closed_description_nothing_is_shown_as_seen(page: hybridsnap.Page) -> None:
    """As the clock of a time picker: Chromium lists all below what describes something, rendered or not."""
    clock = "<div aria-hidden=true><p>{} <b>clock</b></p><button>{} hand</button></div>"
    html = (
        "<h1>Head</h1><button aria-describedby=closed>Time</button>"
        f"<div id=closed style='display:none'><section>{clock.format('Closed', 'Closed')}</section></div>"
        "<button aria-describedby=open>Date</button>"
        f"<div id=open style='display:contents'><section>{clock.format('Open', 'Open')}</section></div>"
    )
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        rendering = (await page.snapshot()).render("ai")
    outline = rendering.splitlines()
    assert len([line for line in outline if "[aria-hidden]" in line]) == 1
    assert line_with(rendering, "button: Open hand")
    assert not any("Closed" in line and "description" not in line for line in outline)
    assert any(line.startswith("left out, aria-hidden: ") for line in outline)


async def test_a_closed_panel_of_a_shadow_host_is_not_shown_as_seen(page: hybridsnap.Page) -> None:
    """As Shoelace's tabs and dialogs: Chromium lists what stands right below a host, rendered or not."""
    shadow = "<template shadowrootmode=open>{}</template>"
    slot = shadow.format("<slot></slot>")
    panel = f"<x-p aria-hidden=true class={{}}>{slot}Panel <b>text</b><div>{{}}</div></x-p>"
    dialog = "<div role=dialog aria-hidden=true><h2><slot>Confirm</slot></h2><button>Close</button></div>"
    html = (
        "<style>.closed { display: none }</style><h1>Head</h1>"
        f"{panel.format('closed', '<button>History</button>')}{panel.format('open', '<button>Seen</button>')}"
        f"<div class=closed><x-d>{shadow.format(dialog)}</x-d></div>"
    )
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        rendering = (await page.snapshot()).render("ai")
    outline = rendering.splitlines()
    assert len([line for line in outline if "[aria-hidden]" in line]) == 1
    assert line_with(rendering, "button: Seen")
    assert not any("History" in line or "Confirm" in line or "Close" in line for line in outline)
    assert any(line.startswith("left out, aria-hidden: ") for line in outline)


async def test_a_closed_menu_whose_host_has_a_role_by_itself_is_not_shown_as_seen(
    page: hybridsnap.Page,
) -> None:
    """As Material Web's: Chromium lists a host with a role of ElementInternals, whatever is in it."""
    html = """<h1>Head</h1><x-menu>Closed</x-menu> <x-menu class=open>Open</x-menu><script>
      customElements.define("x-menu", class extends HTMLElement {
        constructor() {
          super();
          const put = this.className ? "" : "display:none;", root = this.attachShadow({ mode: "open" });
          root.innerHTML = `<style>:host { display: contents }</style>
            <div style="${put}"><slot></slot></div>`;
          this.attachInternals().role = "menu";
          this.ariaHidden = "true";
        }
      })</script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        rendering = (await page.snapshot()).render("ai")
    seen, _, unseen = rendering.partition("left out, aria-hidden: ")
    assert ("Closed" in seen, "Open" in seen, bool(unseen)) == (False, True, True)


@pytest.mark.parametrize("layout", [False, True], ids=["without layout", "with layout"])
async def test_what_is_not_rendered_while_out_of_view_is_shown_and_can_be_pressed(
    page: hybridsnap.Page, layout: bool
) -> None:
    html = (
        "<style>.far { content-visibility: auto }</style><h1>Head</h1>"
        "<section class=far>In view</section><div style='height: 5000px'></div>"
        "<section class=far><h2>Far</h2><button onclick='document.title = 1'>Go</button></section>"
        "<ul><li class=far>one <b>item</b></li></ul>"
    )
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(layout=layout)
        ids = {name: snapshot.css(name)[0] for name in ("section + div + section", "h2", "button", "li")}
        outline = snapshot.render("tree").splitlines()
        for id_ in ids.values():
            (line,) = [line for line in outline if f"[{id_}]" in line]
            assert "[offscreen]" in line
        assert all("[offscreen]" in line for line in outline if "Text: one" in line or "Text: item" in line)
        assert f"[{ids['li']}] listitem: one item" in snapshot.render("ai")
        assert snapshot.render("ai").count("In view") == 1
        await page.click(ids["button"])
        assert await page.evaluate("document.title") == "1"
        assert "[offscreen]" not in line_with((await page.snapshot()).render("tree"), "button: Go")


async def test_a_region_with_a_name_is_read_while_it_is_out_of_view(page: hybridsnap.Page) -> None:
    html = (
        "<h1>Head</h1><div style='height: 5000px'></div>"
        "<section aria-label=Comments style='content-visibility: auto'><p>Far</p><button>Go</button>"
    )
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        rendering = (await page.snapshot()).render("ai")
        for words in ("region: Comments [offscreen]", "paragraph: Far", "button: Go"):
            assert words in rendering


async def test_the_page_behind_a_modal_dialog_is_one_line(page: hybridsnap.Page) -> None:
    page = await opened(page)
    await page.evaluate(_DIALOG)
    for layout in (False, True):
        rendering = (await page.snapshot(layout=layout)).render("ai")
        lines = rendering.splitlines()
        assert lines[-1].startswith("behind the dialog: ")
        assert "Yes" in rendering
        assert "Head" not in rendering
        behind = rendering.expand(rendering.folds[-1].id)
        assert "heading: Head [level=1]" in behind
        assert "Sure?" not in behind
        assert len(lines) <= 8


@pytest.mark.parametrize("layout", [False, True])
async def test_a_list_box_without_a_size_beside_the_options_that_are_drawn(
    page: hybridsnap.Page, *, layout: bool
) -> None:
    """As Ant Design's, which has two of its options for screen readers."""
    options = "<div role=option>Ann</div><div role=option>Bob</div>"
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        f"<div role=listbox style='height: 0px; width: 0px; overflow: hidden'>{options}</div>"
        "<div>Ann</div><div>Bob</div>"
        f"<div role=listbox style='height: 90px; overflow: hidden'>{options}</div>",
    )
    snapshot = await page.snapshot(layout=layout)
    first = next(row.id for row in snapshot.rows if row.role == "listbox")
    lines = snapshot.render("ai").splitlines()
    assert lines[-1] == f"not shown, zero size: 3 elements, above as [{first}]"


_APP = """<div id=app><h1>Head</h1><div id=in><a href=x>Basket</a><i aria-hidden=true>Star</i></div></div>
  <div aria-hidden=true class=backdrop></div>%s"""
_POPUPS = {
    "dialog": "<div role=alertdialog aria-label=Sure><button>Yes</button></div>",
    "menu": "<div><div role=menu><a role=menuitem href=y>Yes</a></div></div>",
    "listbox": "<ul role=listbox><li role=option>Yes</ul>",
}


@pytest.mark.parametrize("hide", ["ariaHidden = 'true'", "inert = true"])
@pytest.mark.parametrize("word", _POPUPS)
async def test_the_page_that_a_library_hides_behind_its_popup_is_one_line(
    page: hybridsnap.Page, word: str, hide: str
) -> None:
    await page.evaluate("html => { document.body.innerHTML = html }", _APP % _POPUPS[word])
    await page.evaluate(f"document.querySelector('#app').{hide}")
    for layout in (False, True):
        rendering = (await page.snapshot(layout=layout)).render("ai")
        assert "Yes" in rendering
        assert rendering.splitlines()[-1].startswith(f"behind the {word}: ")
        assert "Head" not in rendering
        behind = rendering.expand(rendering.folds[-1].id)
        assert "heading: Head [level=1]" in behind
        assert "] Basket" in behind


@pytest.mark.parametrize("word", _POPUPS)
async def test_the_page_that_is_hidden_around_a_live_region_is_one_line(
    page: hybridsnap.Page, word: str
) -> None:
    """As Radix hides it: what is to be announced while the dialog is open has to stay in the tree."""
    html = """<div id=app><nav aria-hidden=true><a href=x>Basket</a></nav><main>
        <div aria-hidden=true><h1>Head</h1><button>More</button></div>
        <section aria-live=polite aria-label=Messages></section></main></div>%s
        <i aria-hidden=true></i>"""
    await page.evaluate("html => { document.body.innerHTML = html }", html % _POPUPS[word])
    rendering = (await page.snapshot()).render("ai")
    assert "Yes" in rendering
    assert rendering.splitlines()[-1].startswith(f"behind the {word}: ")
    assert "Head" not in rendering
    behind = rendering.expand(rendering.folds[-1].id)
    assert "heading: Head [level=1]" in behind
    assert "link: Basket" in behind


@pytest.mark.parametrize(
    "html",
    [
        # Decoration beside a dialog, with nothing to operate.
        "<p aria-hidden=true>Drawn</p><div role=dialog><button>Yes</button></div>",
        # A list box that stands in the page for good, and a part of the page beside it.
        "<p><b aria-hidden=true>Drawn <a href=x>Go</a></b><span role=listbox><b role=option>Yes</b></span>",
        # A live region beside a part of the page that has nothing to do with the dialog.
        """<main><p>Text</p><div aria-hidden=true>Drawn <a href=x>Go</a></div><p aria-live=polite></p></main>
        <div role=dialog><button>Yes</button></div>""",
        # The focus is in what is hidden: Chromium takes no notice of it.
        "<div aria-hidden=true>Drawn <input autofocus></div><div role=dialog><button>Yes</button></div>",
    ],
    ids=["decoration", "list box in the page", "live region", "focus"],
)
async def test_what_no_popup_hides_stays_in_its_place(page: hybridsnap.Page, html: str) -> None:
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    await page.evaluate("document.querySelector('[autofocus]')?.focus()")
    rendering = (await page.snapshot(layout=True)).render("ai")
    assert "behind the" not in rendering
    assert rendering.index("Drawn") < rendering.index("Yes")


async def test_a_dialog_that_only_says_that_it_is_modal_hides_nothing(page: hybridsnap.Page) -> None:
    """As JupyterLab's: what is behind it is in the tree, and was listed a second time."""
    dialog = "<dialog aria-modal=true style='display: block'><button>Yes</button></dialog>"
    async with serve_pages({"/": f"<button>Save</button><div aria-hidden=true>Drawn</div>{dialog}"}) as pages:
        await page.goto(pages.url("/"))
        rendering = (await page.snapshot(layout=True)).render("ai")
    assert rendering.count("Save") == 1
    assert "behind the dialog" not in rendering
    assert "Drawn" in rendering


async def test_the_native_checkbox_in_one_of_script_is_said_once(page: hybridsnap.Page) -> None:
    box = """<b role=switch tabindex=0 aria-label=On><i aria-hidden=true style='display: block'>
      <input type=checkbox></i></b>"""
    async with serve_pages({"/": box}) as pages:
        await page.goto(pages.url("/"))
        for layout in (False, True):
            rendering = (await page.snapshot(layout=layout)).render("ai")
            assert "switch: On" in rendering
            assert "checkbox" not in rendering


async def test_a_page_of_which_nothing_is_shown_says_what_there_is(page: hybridsnap.Page) -> None:
    """As pages are while they load: body { visibility: hidden } until a script has run."""
    html = "<style>body { visibility: hidden }</style><h1>Shop</h1><button>Buy</button>"
    async with serve_pages({"/": html, "/empty": "<title>Empty</title>"}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        assert len(snapshot.rows) == 1
        rendering = snapshot.render("ai")
        told = line_with(rendering, "not shown, hidden by style or not ready: 2 elements")
        below = rendering.expand(next(fold.id for fold in rendering.folds if fold.id in told))
        assert "heading: Shop" in below
        assert "button: Buy" in below
        await page.goto(pages.url("/empty"))
        assert "not shown" not in (await page.snapshot()).render("ai")


async def test_a_frame_below_aria_hidden_hides_nothing_beside_it(page: hybridsnap.Page) -> None:
    page = await opened(page)
    html = (
        "<nav aria-hidden=true><a href=/x>Seen headline</a><iframe></iframe>"
        "<div onclick='1'></div></nav><p>after"
    )
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    for layout in (False, True):
        snapshot = await page.snapshot(layout=layout)
        rendering = snapshot.render("ai")
        assert "link: Seen headline" in rendering
        assert {row.id for row in snapshot.rows if row.id and is_interactive(row)} <= rendering.ids


async def test_a_text_with_a_link_below_the_viewport_says_so(page: hybridsnap.Page) -> None:
    page = await opened(page)
    html = (
        "<p style='height: 2000px'>Tall</p>"
        "<table><tr><td><p>One</p>Loose text with <a href=/>a link</a></table>"
    )
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    rendering = (await page.snapshot(layout=True)).render("ai")
    lines = rendering.splitlines()
    at = next(at for at, line in enumerate(lines) if "Loose text with" in line)
    depth = len(lines[at]) - len(lines[at].lstrip())
    above = [line for line in lines[:at] if len(line) - len(line.lstrip()) < depth]
    assert "[offscreen]" in lines[at] or any("[offscreen]" in line for line in above)


async def test_a_closed_panel_is_read_once_however_many_popups_stand_beside_it(
    page: hybridsnap.Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: collections.Counter[int] = collections.Counter()
    show_rendered = IgnoredNodes.show_rendered

    def counted(nodes: IgnoredNodes, here: int) -> bool:
        read[here] += 1
        return show_rendered(nodes, here)

    panel = "<div aria-hidden=true style='display: none'><button>Closed</button></div>"
    menus = "<div role=menu aria-label=Menu><div role=menuitem>Item</div></div>" * 20
    await page.evaluate("html => { document.body.innerHTML = html }", panel + menus)
    snapshot = await page.snapshot()
    monkeypatch.setattr(IgnoredNodes, "show_rendered", counted)
    assert "menuitem: Item" in snapshot.render("ai")
    assert set(read.values()) == {2}, "once for the popups, and once for what is printed of it"


async def test_a_button_of_an_icon_alone_hides_nothing(page: hybridsnap.Page) -> None:
    icon = '<i class="material-icons" aria-hidden=true>delete</i>'
    async with serve_pages({"/": f"<button>{icon}</button>"}) as served:
        await page.goto(served.url("/"))
        rows = (await page.snapshot()).rows
        opened = await page.expand(next(row.id for row in rows if row.role == "button" and row.id))
    assert "not shown" not in str(opened.render("ai"))
