"""The usual changes of a page take few lines of a diff: five of them, on real pages."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.test_diff import check

if TYPE_CHECKING:
    import hybridsnap
    from hybridsnap import Snapshot


@pytest.fixture
async def page(home_page: hybridsnap.Page) -> hybridsnap.Page:
    return home_page


_PEOPLE = "".join(f"<li>{name} <button>Edit {name}</button>" for name in ("Ann", "Bob", "Cid", "Dan"))
_ITEMS = "".join(f"<li>Item {number}" for number in range(100))
_CARDS = "".join(
    f"<li>Item {number} <button>Edit</button><a href=x{number}>open</a>" for number in range(100)
)
_TEXT = "".join(f"<p>Para {number} <a href=x{number}>link {number}</a>" for number in range(30))
_SHOP = (
    f"<h1>Shop</h1><nav><a href=a>a</a><a href=b>b</a></nav><main>{_TEXT}</main><footer>end</footer>"
    "<dialog><h2>Delete?</h2><p>This cannot be undone.</p><label>Reason <input></label>"
    "<button>Yes</button><button>No</button></dialog>"
)
_TABS = (
    "<div role=tablist><button role=tab aria-selected=true>One</button><button role=tab>Two</button></div>"
    f"<div role=tabpanel aria-label=One><h2>First</h2>{_TEXT}</div>"
    "<div role=tabpanel aria-label=Two hidden><h2>Second</h2><p>Text of two</p><button>Save</button></div>"
)
_DAY = "<nav aria-label=May><div><a href=#16>16</a><a href=#t>Trip</a></div></nav>"
_REORDER = "list.insertBefore(list.children[2], list.children[0])"
_INSERT = """const made = list.children[0].cloneNode(true);
  made.firstChild.data = "New item";
  list.insertBefore(made, list.children[50])"""
_RENDER_ANEW = "list.innerHTML = list.innerHTML"
_RENDER_ONE_MORE = "list.innerHTML = list.innerHTML + '<li>One more</li>'"
_OPEN = "document.querySelector('dialog').showModal()"
_CLOSE = """document.querySelector('dialog').close();
  document.querySelector('footer').insertAdjacentHTML('beforebegin', '<div role=status>Deleted</div>')"""
_NEXT_TAB = """const [one, two] = document.querySelectorAll("[role=tab]");
  const [first, second] = document.querySelectorAll("[role=tabpanel]");
  one.ariaSelected = "false"; two.ariaSelected = "true"; two.focus();
  first.hidden = true; second.hidden = false"""


async def changed(page: hybridsnap.Page, html: str, *scripts: str) -> list[Snapshot]:
    """The page as it is at first, and after each script."""
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    snapshots = [await page.snapshot()]
    for script in scripts:
        await page.evaluate(f"() => {{ const list = document.querySelector('ul'); {script} }}")
        snapshots.append(await page.snapshot())
    return snapshots


@pytest.mark.parametrize(
    ("html", "script", "most", "words"),
    [
        (f"<ul>{_PEOPLE}</ul>", _REORDER, 3, ["listitem: Cid", "(moved before [", '"Ann")']),
        (f"<ul>{_ITEMS}</ul>", _INSERT, 3, ["listitem: New item", '"Item 50"']),
        (f"<ul>{_ITEMS}</ul>", _RENDER_ANEW, 3, ["100 rebuilt unchanged"]),
        (f"<ul>{_ITEMS}</ul>", _RENDER_ONE_MORE, 3, ["100 rebuilt unchanged", "listitem: One more"]),
        (f"<ul>{_CARDS}</ul>", _RENDER_ANEW, 3, ["100 rebuilt unchanged"]),
        (f"<ul>{_CARDS}</ul>", _RENDER_ONE_MORE, 3, ["100 rebuilt unchanged", "listitem: One more"]),
        (_SHOP, _OPEN, 12, ["behind the dialog: ", "heading: Delete?", "textbox: Reason", "button: No"]),
        (_DAY, "document.querySelector('a + a').remove()", 3, ["-     [", "] link: Trip"]),
        (_TABS, _NEXT_TAB, 8, ["tab: Two [selected]", "tabpanel: One", "heading: Second", "button: Save"]),
    ],
    ids=[
        "reorder", "insert in 100", "re-render 100", "re-render 100 and one", "re-render 100 cards",
        "re-render 100 cards and one", "modal", "one of two in a wrapper", "tabs",
    ],
)  # fmt: skip
async def test_the_usual_changes_take_few_lines(
    page: hybridsnap.Page, html: str, script: str, most: int, words: list[str]
) -> None:
    old, new = await changed(page, html, script)
    diff = check(new, old)
    lines = str(diff).splitlines()
    assert 0 < len(lines) <= most, str(diff)
    assert [word for word in words if word not in str(diff)] == []


async def test_a_body_that_gets_a_dialog_is_not_gone_with_it(page: hybridsnap.Page) -> None:
    """It listens to clicks, so that it has a row while it holds more than one element."""
    await page.evaluate("() => document.body.addEventListener('click', () => {})")
    html = "<div style='overflow: auto; height: 50px'><button>A</button><p style='height: 900px'>Text</div>"
    tour = "<div role=dialog aria-label=Tour><p>One<p>Two</div>"
    _, opened, closed = await changed(
        page,
        html,
        f"document.body.insertAdjacentHTML('beforeend', `{tour}`)",
        "document.body.lastChild.remove()",
    )
    (body,) = (row for row in opened.rows if row.tag == "body")
    text = str(check(closed, opened))
    assert f"[{body.id}]" not in text, text
    assert "] dialog: Tour   (with 2 lines)" in text


async def test_what_is_gone_and_held_nothing_has_no_line(page: hybridsnap.Page) -> None:
    """Around a menu of Radix stand two guards that keep the focus in it; a tour has its overlay."""
    guard = "<span tabindex=0></span>"
    menu = f"{guard}<div role=menu><div role=menuitem>Cut</div></div>{guard}"
    old, new = await changed(page, f"<p>Head</p><div id=popup>{menu}</div>", "popup.innerHTML = ''")
    text = str(check(new, old))
    assert "(with 2 lines)" in text  # the menu and its item
    alone, gone = await changed(page, f"<p>Head</p>{guard}", "document.querySelector('span').remove()")
    assert "] span" in str(check(gone, alone))  # there is nothing else


async def test_bullets_of_entries_that_are_no_list_items(page: hybridsnap.Page) -> None:
    html = "<style>li { list-style: square }</style><main></main>"
    entries = "<ul role=listbox aria-label=Press><li role=option>Knopf</li><li role=option>Penguin</li></ul>"
    old, new = await changed(page, html, f"document.querySelector('main').innerHTML = '{entries}'")
    assert any(row.name.startswith("■") for row in new.rows)
    lines = str(check(new, old)).splitlines()
    assert [line for line in lines if "■" in line] == []
    assert len([line for line in lines if "option: " in line]) == 2


async def test_ids_of_what_was_rendered_anew_lead_on(page: hybridsnap.Page) -> None:
    old, new = await changed(page, f"<ul>{_CARDS}</ul>", _RENDER_ONE_MORE)
    diff = new.diff(old)
    before = {row.name: row.id for row in old.rows if row.role == "link"}
    after = {row.name: row.id for row in new.rows if row.role == "link"}
    assert before
    buttons = [row.id for row in old.rows if row.role == "button"]
    assert all(diff.rebuilt[id_] in {row.id for row in new.rows} for id_ in buttons if id_ is not None)
    assert {diff.rebuilt[id_] for id_ in before.values() if id_ is not None} == set(after.values())
    # Nothing of it is new or changed.
    marked = new.render("tree", since=old)
    assert marked.count("[new]") == 2
    assert "[changed]" not in marked


_ANN_AND_BOB = "<ul><li>Ann <button>Delete</button><li>Bob <button>Delete</button></ul>"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            "list.innerHTML = [...list.children].reverse().map(item => item.outerHTML).join('')",
            ["~ listitem: Bob", "~   button: Delete", "~ listitem: Ann", "~   button: Delete"],
        ),
        (
            "for (const one of list.querySelectorAll('button')) one.outerHTML += ''; list.title = 1",
            [
                "~ list: 1",
                "    listitem: Ann",
                "~     button: Delete",
                "    listitem: Bob",
                "~     button: Delete",
            ],
        ),
    ],
    ids=["items too", "only the buttons"],
)
async def test_buttons_of_one_name_that_are_drawn_anew_stand_below_their_items(
    page: hybridsnap.Page, script: str, words: list[str]
) -> None:
    old, new = await changed(page, _ANN_AND_BOB, script)
    lines = str(new.diff(old)).splitlines()[1:]
    told = [re.sub(r"\[.*?\] |   \(.*", "", line) for line in lines]
    assert told == [f"{one[:2]}  {one[2:]}" for one in words]


async def test_the_page_behind_a_dialog_comes_back_in_one_line(page: hybridsnap.Page) -> None:
    first, opened, closed = await changed(page, _SHOP, _OPEN, _CLOSE)
    text = str(check(closed, opened))
    assert len(text.splitlines()) <= 5, text
    assert "no longer behind the dialog: " in text
    assert "status: Deleted" in text  # what is new is told
    assert "dialog [modal]   (with" in text
    # Without the DOM nothing tells what was there before.
    from_json = type(opened).from_json(opened.to_json())
    assert "heading: Shop" in str(closed.diff(from_json))
    assert "heading: Shop" not in str(closed.diff(first))


_APP = (
    "<div id=app><h1>Shop</h1><ul><li>Ann <button>Edit Ann</button><li>Bob <button>Edit Bob</button></ul>"
    f"{_TEXT}"
    "<div role=combobox tabindex=0 aria-label=Size>Ten</div><input aria-label=Day value=1>"
    "<div id=late hidden>Late words</div></div><div id=popups></div>"
)
_SHOW = """document.querySelector('#app').ariaHidden = 'true';
  document.querySelector('#popups').innerHTML = "%s" """
_HIDE = """document.querySelector('#app').ariaHidden = null;
  document.querySelector('#popups').innerHTML = "" """
_SURE = _SHOW % "<div role=dialog aria-label=Sure><button>Yes</button></div>"
_SIZES = _SHOW % "<ul role=listbox><li role=option>Ten<li role=option>Twenty</ul>"


async def test_the_page_behind_a_library_s_popup_goes_and_comes_in_one_line(page: hybridsnap.Page) -> None:
    first, opened, closed = await changed(page, _APP, _SURE, _HIDE)
    opening, closing = str(check(opened, first)), str(check(closed, opened))
    assert "- behind the dialog: 1" in " ".join(opening.split())
    assert "dialog: Sure" in opening
    assert len(opening.splitlines()) <= 4, opening
    assert "no longer behind the dialog: 1" in closing
    assert len(closing.splitlines()) <= 3, closing
    from_json = type(first).from_json(opened.to_json())
    assert "heading: Shop" in str(closed.diff(from_json))  # without the DOM nothing tells what was there


async def test_a_popup_may_hide_what_stands_beside_its_button(page: hybridsnap.Page) -> None:
    """As Headless UI: the button stays, and what it stands in."""
    html = (
        "<div id=app><h1>Shop</h1><a href=x>Basket</a><p>Words</p>"
        "<div><button id=b aria-controls=m aria-expanded=false>Sort</button></div></div><div id=popups></div>"
    )
    _, opened, closed = await changed(
        page,
        html,
        """for (const one of app.children) one.inert = !one.contains(b);
        b.ariaExpanded = "true";
        popups.innerHTML = "<div id=m role=menu><b role=menuitem>Price</b></div>" """,
        """for (const one of app.children) one.inert = false;
        b.ariaExpanded = "false"; popups.innerHTML = "" """,
    )
    assert opened.render("ai").splitlines()[-1].startswith("behind the menu: 4 elements")
    text = str(check(closed, opened))
    assert "no longer behind the menu: " in text
    assert "Basket" not in text


_FIELDS = """<main><h1>Order</h1><div class=f><label>Name <input></label></div>
<div><input role=combobox aria-label=Country aria-expanded=false aria-controls=l>
<button class=f>Open</button></div>
<div class=f><button>Submit</button> <a href=#>Terms</a></div></main>"""
_DROP = """document.querySelector('[role=combobox]').ariaExpanded = 'true';
  document.querySelectorAll('h1, .f').forEach(one => one.ariaHidden = 'true');
  const popup = document.body.appendChild(document.createElement('div'));
  popup.innerHTML = "<div id=l role=listbox><div role=option>Chile</div></div><button>Dismiss</button>" """
_CHOOSE = """document.querySelector('[role=combobox]').ariaExpanded = 'false';
  document.body.lastElementChild.remove();
  document.querySelectorAll('h1, .f').forEach(one => one.ariaHidden = null)"""


async def test_the_page_behind_a_list_whose_field_is_left_out_goes_and_comes_in_one_line(
    page: hybridsnap.Page,
) -> None:
    first, opened, closed = await changed(page, _FIELDS, _DROP, _CHOOSE)
    opening, closing = str(check(opened, first)), str(check(closed, opened))
    assert "- behind the listbox: " in " ".join(opening.split())
    assert len(opening.splitlines()) <= 8, opening
    assert "no longer behind the listbox: " in closing
    assert len(closing.splitlines()) <= 6, closing
    outline = str(opened.render("ai"))
    assert "behind the listbox: " in outline
    assert "Submit" not in outline


async def test_a_page_whose_controls_stand_in_a_table_is_behind_its_menu(page: hybridsnap.Page) -> None:
    """As Radix: Chromium lists tables in any case, but the buttons in them only where they are rendered."""
    rows = "".join(f"<tr><th>Mail {at}<td><button>Delete</button>" for at in range(9))
    html = f"<main id=app><h1>Inbox</h1><table>{rows}</table></main><div id=popups></div>"
    _, opened, closed = await changed(
        page,
        html,
        """app.ariaHidden = "true";
        popups.innerHTML = "<div role=menu><b role=menuitem>Archive</b></div>" """,
        """app.ariaHidden = null; popups.innerHTML = "";
        document.querySelectorAll("tr")[2].remove() """,
    )
    assert opened.render("ai").splitlines()[-1].startswith("behind the menu: ")
    text = str(check(closed, opened))
    assert "no longer behind the menu: " in text
    assert '"Mail 2' in text
    assert "Mail 3" not in text


async def test_a_list_that_is_scrolled_into_view_was_there_before(page: hybridsnap.Page) -> None:
    """Also where something else of the page stands below aria-hidden."""
    far, near = await changed(
        page,
        "<div aria-hidden=true><button>Seen</button></div><div style='height: 9000px'></div>"
        "<ul style='content-visibility: auto'><li>One</ul>",
        "scrollTo(0, 9000); return new Promise((done) => setTimeout(done, 300));",
    )
    assert ("list [offscreen]" in far.render("ai"), "list [offscreen]" in near.render("ai")) == (True, False)
    for diff in (near.diff(far), far.diff(near)):
        (line,) = [line for line in str(diff).splitlines() if line.endswith(" list")]
        assert line.startswith("  "), line


async def test_a_page_that_stays_hidden_when_its_dialog_has_closed_is_told_of(page: hybridsnap.Page) -> None:
    """As PatternFly's dialogs may leave it: below aria-hidden, shown, and used as before."""
    first, opened, closed, used = await changed(
        page,
        "<div id=app><h1>Accounts</h1><button>Create</button><p>None yet <a href=x>Help</a></p></div>",
        """document.body.insertAdjacentHTML("beforeend", "<div role=dialog aria-modal=true>Sure?</div>");
        document.querySelector("#app").ariaHidden = "true" """,
        "document.querySelector('[role=dialog]').remove()",
        "document.querySelector('p').firstChild.data = 'Ann '",
    )
    assert "- behind the dialog: " in " ".join(str(check(opened, first)).split())
    assert "+ no longer behind the dialog: " in " ".join(str(check(closed, opened)).split())
    assert "not shown" not in closed.render("ai")
    assert [node.name for node in closed.find("button")] == ["Create"]
    assert closed.find(name="Help", within=first.css("#app")[0])
    assert 'text: "Ann"' in str(check(used, closed)), str(used.diff(closed))
    assert used.diff(closed)
    assert "Ann [" in str(used.render("ai", since=closed, only_changes=True))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("row.cells[1].textContent = '4 €'", 'cell: 4 €   (was: "3 €")'),
        (
            "row.className = 'sold'; row.cells[1].textContent = '4 €'",
            'row: Name: Cid | Price: 4 €   (was: "Cid 3 €")',
        ),
        ("row.className = 'sold'", "row: Name: Cid | Price: 3 €   (changed there)"),
    ],
)
async def test_what_changed_behind_a_dialog_is_not_printed_as_new(
    page: hybridsnap.Page, change: str, line: str
) -> None:
    people = "".join(f"<tr><td>{name}<td>3 €" for name in ("Ann", "Bob", "Cid", "Dan"))
    _, opened, closed = await changed(
        page,
        f"<table><tr><th>Name<th>Price{people}</table><dialog><button>Yes</button></dialog>",
        "document.querySelector('dialog').showModal()",
        f"""const rows = [...document.querySelectorAll("tr")], row = rows[3];
        rows[1].remove(); rows[2].remove(); {change}; document.querySelector("dialog").close()""",
    )
    text = str(check(closed, opened))
    assert 'gone there: "Ann 3 €", "Bob 3 €"' in text
    assert [one for one in text.splitlines() if one.startswith("~") and one.endswith(line)], text
    assert [one for one in text.splitlines() if one.startswith("+")] == [
        one for one in text.splitlines() if "no longer behind the dialog" in one
    ], text


async def test_a_panel_that_holds_a_list_box_is_not_called_by_it(page: hybridsnap.Page) -> None:
    old, new = await changed(
        page,
        "<div id=app><h1>Head</h1><button>Open</button><a href=x>Link</a></div><div id=panel></div>",
        """const panel = document.querySelector("#panel");
        panel.innerHTML = "<h2>Settings</h2><select multiple aria-label=Cols><option>One</select>";
        panel.tabIndex = -1; panel.focus(); document.querySelector("#app").ariaHidden = "true" """,
    )
    assert "- behind the panel: " in " ".join(str(check(new, old)).split())
    assert "behind the panel: " in new.render("ai")


async def test_what_takes_the_place_of_what_is_hidden_was_not_rebuilt(page: hybridsnap.Page) -> None:
    before, after, anew = await changed(
        page,
        "<div><button>Copy</button> one</div><div hidden><button>Copy</button> two</div>",
        "for (const one of document.querySelectorAll('div')) one.hidden = !one.hidden",
        "const shown = document.querySelector('div + div'); shown.innerHTML = shown.innerHTML",
    )
    diff = after.diff(before)
    assert not diff.rebuilt
    assert "rebuilt" not in str(diff)
    assert [one[0] for one in str(diff).splitlines()] == [" ", "-", "+", "+", "+"], str(diff)
    assert len(anew.diff(after).rebuilt) == 2


async def test_a_link_in_a_new_record_ends_where_its_name_does(page: hybridsnap.Page) -> None:
    row = "<tr><td><a href=x>{0}</a> costs {1} € now<td><a href=y>More</a> <button>Go</button>"
    before, after = await changed(
        page,
        f"<table><tr><th>Name<th>Act{row.format('one', 3)}</table>",
        f"document.querySelector('tbody').insertAdjacentHTML('beforeend', `{row.format('two', 5)}`)",
    )
    (line,) = (one for one in str(check(after, before)).splitlines() if one.startswith("+"))
    assert re.sub(r"\[0-\d+\]", "[]", line).endswith(
        'row: Name: [] link: "two" costs 5 € now | Act: [] link: More [] button: Go'
    )


async def test_a_popup_that_follows_another_is_told(page: hybridsnap.Page) -> None:
    """As Element Plus and Bootstrap: closed ones wait in the page, below aria-hidden and not displayed."""
    popup = (
        "<div class=popup aria-hidden={1} style='display: {2}' role=dialog>"
        "<ul><li><button>{0}</button></ul><table><tr><td><button>Only {0}</button></table></div>"
    )
    html = "<main><h1>Order</h1><ul></ul><button>Date</button></main>"
    html += popup.format("May", "false", "block") + popup.format("Oslo", "true", "none")
    first, second = await changed(
        page,
        html,
        """const [one, two] = document.querySelectorAll(".popup");
        one.ariaHidden = "true"; one.style.display = "none";
        two.ariaHidden = "false"; two.style.display = "block" """,
    )
    text = str(second.diff(first))
    assert "behind" not in text
    assert len([line for line in text.split("\n") if line.startswith("+") and "button: Oslo" in line]) == 1
    assert len([line for line in text.split("\n") if line.startswith("-") and "dialog" in line]) == 1


async def test_a_popup_may_be_there_before_the_page_is_hidden_and_after(page: hybridsnap.Page) -> None:
    shown = "document.querySelector('#popups').innerHTML = '<div role=dialog><button>Yes</button></div>'"
    hidden = "document.querySelector('#app').ariaHidden = %s"
    _, opened, covered, uncovered = await changed(page, _APP, shown, hidden % "'true'", hidden % "null")
    assert "- behind the dialog: 1" in " ".join(str(check(covered, opened)).split())
    text = str(check(uncovered, covered))
    assert "no longer behind the dialog: 1" in text
    assert len(text.splitlines()) <= 2, text


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("list.children[0].remove()", ['gone there: "Ann Edit Ann"']),
        ("list.append(document.createElement('li'), list.children[0])", []),  # moved, not gone
        ("list.innerHTML = list.innerHTML", ["listitem", "button: Edit Ann"]),  # made anew, not gone
        (
            "document.querySelector('[role=combobox]').firstChild.data = 'Twenty'",
            ["combobox: Size", '"Twenty"'],
        ),
        ("document.querySelector('input').value = '2'", ["textbox: Day", 'value="2"']),
        ("document.querySelector('[role=combobox]').ariaExpanded = 'true'", ["combobox: Size [expanded]"]),
        ("const { body } = document; body.insertAdjacentHTML('beforeend', '<li>Cid')", ["listitem", "Cid"]),
    ],
)
async def test_what_changed_behind_a_popup_is_told_when_it_closes(
    page: hybridsnap.Page, script: str, words: list[str]
) -> None:
    _, opened, closed = await changed(page, _APP, _SIZES, f"{script}; {_HIDE}")
    text = str(check(closed, opened))
    assert "no longer behind the listbox: " in text
    assert [word for word in words if word not in text] == [], text
    assert ("gone there" in text) == any("gone" in word for word in words), text
    assert len(text.splitlines()) <= 12, text


_BESIDE = (
    "<style>.gone { display: none }</style>"
    f"{_APP}<p id=m %s>Order placed <button>Undo</button></p><dialog><button>Yes</button></dialog>"
)


@pytest.mark.parametrize(
    ("hidden", "show"),
    [
        ("style='display: none'", "m.style.display = 'block'"),
        ("class=gone", "m.className = 'shown'"),
        ("hidden", "m.hidden = false"),
        ("inert", "m.inert = false"),
    ],
)
async def test_what_is_displayed_as_a_dialog_closes_is_told(
    page: hybridsnap.Page, hidden: str, show: str
) -> None:
    """The accessibility tree does not tell what was displayed behind the dialog."""
    close = "document.querySelector('dialog').close(); document.querySelector('#app').className = 'bright'"
    _, opened, closed = await changed(page, _BESIDE % hidden, _OPEN, f"{close}; {show}")
    text = str(check(closed, opened))
    assert "no longer behind the dialog: 1" in text
    assert "Order placed" in text
    assert "button: Undo" in text
    assert len(text.splitlines()) <= 7, text  # the rest of the page is not


async def test_the_state_of_a_box_that_is_only_drawn_is_told(page: hybridsnap.Page) -> None:
    """Trees of rc-tree (Ant Design, MLflow) say only by a class that an entry is chosen."""
    old, new = await changed(
        page,
        "<style>i { cursor: pointer; display: inline-block; width: 9px; height: 9px }</style>"
        "<i class=tree-box></i>",
        "document.querySelector('i').classList.add('tree-box-checked')",
    )
    text = str(check(new, old))
    assert "?tree-box-checked [clickable]" in text
    assert 'hint was: "tree-box"' in text


async def test_a_budget_leaves_the_fields_that_came_and_what_is_otherwise(page: hybridsnap.Page) -> None:
    fields = "".join(f"<label>{name} <input></label>" for name in ("Name", "City", "Street"))
    old, new = await changed(
        page,
        "<main></main><footer><b role=status>Draft</b><button>Send</button></footer>",
        f"document.querySelector('main').innerHTML = `<h2>Address</h2>{_TEXT}{fields}`;"
        "document.querySelector('button').disabled = true; document.querySelector('b').textContent = 'Saved'",
    )
    text = str(new.diff(old).render(max_tokens=250))
    words = [
        "heading: Address",
        "textbox: Name",
        "textbox: City",
        "textbox: Street",
        "button: Send [disabled]",
    ]
    assert [word for word in [*words, '"Saved"'] if word not in text] == [], text
    assert "StaticText: Para 1\n" not in text


async def test_a_password_that_is_gone_from_behind_a_popup_is_not_told(page: hybridsnap.Page) -> None:
    form = "<form><h2>Log in</h2><input type=password value=s3cret><input value=typed></form>"
    _, opened, closed = await changed(
        page,
        f"{_APP}",
        f"list.before(document.createRange().createContextualFragment('{form}')); {_SURE}",
        f"document.querySelector('form').remove(); {_HIDE}",
    )
    text = str(check(closed, opened))
    assert 'gone there: "Log in"' in text
    assert "s3cret" not in text


async def test_what_only_held_the_page_behind_a_dialog_has_no_line(page: hybridsnap.Page) -> None:
    html = f"<section><p>Top <a href=x>of all</a></p>{_APP}</section>"
    old, new = await changed(page, html, f"document.querySelector('p').ariaHidden = 'true'; {_SURE}")
    gone = [line for line in str(check(new, old)).splitlines() if line.startswith("-")]
    assert len(gone) == 1, gone
    assert "behind the dialog: 1" in gone[0]


_ROW = (
    "<tr><th scope=row><label>Select Tea <input type=checkbox></label></th>"
    "<td><b><a href=t>Tea</a></b><div><a href=e>Edit</a> | <a href=d>Delete</a></div></td><td>Ada</td></tr>"
)
_FIELD = (
    "<div><label for=f>Name<b>*</b></label><div><input id=f aria-label='Name*' aria-describedby=h></div>"
    "<p id=h></p></div>"
)
_KEYED = (
    "<div><label for=k aria-label='sql:spaces'>Use spaces</label><input id=k aria-label='sql:spaces'></div>"
)


_BOX_AND_BUTTON = """<table><tr><th><input type=checkbox aria-label=All><th>Id
<th aria-label=Count><button>Count</button><th></tr></table>"""


@pytest.mark.parametrize(
    ("html", "script", "lines"),
    [
        (
            "<table><tr><th>Sel<th>Title<th>By</tr></table>",
            f"document.querySelector('tbody').insertAdjacentHTML('beforeend', {_ROW!r})",
            ["+ row: Title: link: Tea link: Edit | link: Delete | By: Ada", "+ checkbox: Select Tea"],
        ),
        (
            "<table><tr><th>Name<th>City</tr></table>",
            "document.querySelector('tbody').innerHTML += '<tr><td><input name=n value=Ann><td>Rome</tr>'",
            ["+ row: City: Rome", '+ textbox ?n [value="Ann"]'],
        ),
        (
            _BOX_AND_BUTTON,
            (
                "document.querySelector('tbody').innerHTML +="
                " '<tr><td>x<td>P06<td>23<td><button>EDIT</button></tr>'"
            ),
            ["+ row: x | Id: P06 | Count: 23 | button: EDIT"],
        ),
        (
            "<main>Form</main>",
            f"document.querySelector('main').insertAdjacentHTML('beforeend', {_FIELD!r})",
            ["+ textbox: Name*"],
        ),
        (
            "<main>Form</main>",
            f"document.querySelector('main').insertAdjacentHTML('beforeend', {_KEYED!r})",
            ["+ LabelText: sql:spaces", "+ StaticText: Use spaces", "+ textbox: sql:spaces"],
        ),
        (
            "<main><input aria-describedby=h></main>",
            "document.querySelector('main').insertAdjacentHTML('beforeend', '<p id=h></p>')",
            ["+ paragraph"],
        ),
    ],
    ids=[
        "row of a table",
        "row with a field",
        "columns that a box and a button name",
        "field",
        "a label that shows something else",
        "an empty paragraph alone",
    ],
)
async def test_new_rows_say_a_thing_once(
    page: hybridsnap.Page, html: str, script: str, lines: list[str]
) -> None:
    old, new = await changed(page, html, script)
    text = str(check(new, old))
    plain = [re.sub(r" +(\[\d+-\d+\] )?", " ", line) for line in text.splitlines()]
    assert [line for line in lines if line not in plain] == [], text
    assert text.count("Select Tea") == (lines[-1] == "+ checkbox: Select Tea"), text
    assert "LabelText: Name" not in text
    assert "StaticText: *" not in text
    assert ("+ paragraph" in plain) == (lines == ["+ paragraph"]), text


_MONTHS = "".join(
    f"<tr><td><button>{a}</button></td><td><button>{b}</button></td></tr>" for a, b in ("Ab", "Cd")
)
_WEEKS = "".join(
    f"<tr>{''.join(f'<td><button>May {day}</button>' for day in range(week, week + 7))}" for week in (1, 8)
)
_TURN = """for (const cell of document.querySelectorAll("td")) {
  const other = document.createElement("td");
  other.innerHTML = `<button>June ${cell.innerText.slice(4)}</button>`;
  cell.replaceWith(other);
}"""


async def test_cells_around_new_controls_have_no_lines(page: hybridsnap.Page) -> None:
    old, new = await changed(
        page, "<main>Months</main>", f"document.querySelector('main').innerHTML = `<table>{_MONTHS}</table>`"
    )
    lines = [line for line in str(check(new, old)).splitlines() if line.startswith("+")]
    assert sum(": " in line and "button" in line for line in lines) == 4
    assert not [line for line in lines if "ell" in line], lines
    header = "<tr><th>Mo<th>Tu<th>We<th>Th<th>Fr<th>Sa<th>Su</tr>"
    old, new = await changed(page, f"<table>{header}{_WEEKS}</table>", _TURN)
    text = str(check(new, old))
    lines = [line for line in text.splitlines() if line.startswith("+")]
    assert len(lines) == 14, text
    assert all("] button: June " in line for line in lines)


async def test_a_new_header_that_sorts_has_its_id_beside_a_button(page: hybridsnap.Page) -> None:
    header = "<tr><th tabindex=0 onclick=1>Name <button>Filter</button><th>City"
    old, new = await changed(
        page, "<main>Wait</main>", f"document.querySelector('main').innerHTML = `<table>{header}</table>`"
    )
    text = str(check(new, old))
    assert re.search(r"row: \[\d+-\d+\] Name .*\[\d+-\d+\] button: Filter \| City", text), text


@pytest.mark.parametrize(
    ("html", "script", "lines"),
    [
        (
            "<ul role=menu hidden><li role=menuitem tabindex=0><div><u>O</u>pen</div><div>F2</div></li></ul>",
            "list.hidden = false",
            ["menu", "menuitem: Open F2"],
        ),
        (
            "<ul hidden><button><em></em><p>Go</p></button><a href=x><h3>Home</h3></a></ul>",
            "list.hidden = false",
            ["list", "button: Go", "link: Home"],
        ),
        (
            "<ul hidden><label aria-label=Wide><input type=radio>Wide</label><button><b>U</b>p</button></ul>",
            "list.hidden = false",
            ["list", "radio: Wide", "button: Up"],
        ),
        (
            "<ul hidden><button aria-label='Upload file'><em></em><span>Files</span></button></ul>",
            "list.hidden = false",
            ["list", "button: Upload file", "StaticText: Files"],
        ),
    ],
    ids=["menu item", "button and link", "label and pieces", "another text"],
)
async def test_what_stands_in_a_control_is_not_printed_when_its_name_says_it(
    page: hybridsnap.Page, html: str, script: str, lines: list[str]
) -> None:
    before, after = await changed(page, html, script)
    printed = [
        re.sub(r"\[\d+-\d+\] ", "", line[1:]).strip()
        for line in str(after.diff(before)).splitlines()
        if line[0] == "+"
    ]
    assert printed == lines


async def test_what_is_typed_in_an_editor_is_printed_once(page: hybridsnap.Page) -> None:
    """CodeMirror makes an element of each word; a heading is more than its text."""
    editor = "<div contenteditable role=textbox aria-label=Code><div><br></div></div>"
    typed = "<div><span>import</span> <span>math</span></div><div><b>for</b> <span>i</span></div>"
    snapshots = await changed(
        page,
        editor,
        f"document.querySelector('[role=textbox]').innerHTML = '{typed}'",
        f"document.querySelector('[role=textbox]').innerHTML = '{typed.replace('for', 'if')}'",
        "document.querySelector('[role=textbox]').innerHTML = '<h2>Maths</h2>'",
    )
    typed_first, typed_then, heading = (
        [line for line in str(after.diff(before)).splitlines() if line[0] in "+-~"]
        for before, after in itertools.pairwise(snapshots)
    )
    assert len(typed_first) == len(typed_then) == 1
    assert 'value="import math for i"' in typed_first[0]
    assert 'value="import math if i"' in typed_then[0]
    assert any("+ " in line and "heading: Maths" in line for line in heading)


async def test_a_wrapper_that_comes_around_what_was_there_is_not_new(page: hybridsnap.Page) -> None:
    """A body that listens to clicks has a row as long as it holds several elements."""
    before, after = await changed(
        page,
        "<div><main><p>One</p></main></div>",
        "const around = document.querySelector('div'); around.onclick = () => 0;"
        "around.insertAdjacentHTML('beforeend', '<dialog open><button>OK</button></dialog>')",
    )
    new = [line for line in str(after.diff(before)).splitlines() if line.startswith("+")]
    assert len(new) == 2
    assert "dialog" in new[0]
    assert "button: OK" in new[1]


async def test_a_new_form_takes_a_line_for_each_field(page: hybridsnap.Page) -> None:
    """A closed select names its options, as an outline does; a label around a field is not said beside it."""
    days = "".join(f"<option>{day}" for day in range(1, 32))
    sizes = "<optgroup label=Usual><option>L &quot;[0-1]<option disabled>XL</optgroup>"
    form = f"""<label>Title <input><span>*</span></label><label>Day <select>{days}</select></label>
        <label>Size <select>{sizes}</select></label><button>Save</button>"""
    before, after = await changed(
        page, "<section aria-label=Edit></section>", f"document.querySelector(`section`).innerHTML = `{form}`"
    )
    check(after, before)
    text = str(after.diff(before))
    shown = [re.sub(r"\[\d+-\d+\] ", "", line[2:]).strip() for line in text.splitlines() if line[0] == "+"]
    most = ", ".join(map(str, range(1, 23)))
    assert shown == [
        "textbox: Title *",
        f'select: Day [collapsed] [value="1"]   (options: "{most}, …")',
        r'select: Size [collapsed] [value="L \"[0-1]"]   (options: "L \"\\[0-1], XL (disabled)")',
        "button: Save",
    ]


async def test_the_choice_of_a_closed_select_takes_a_line(page: hybridsnap.Page) -> None:
    """Which options are selected is what its value says; of a list that is seen, the options say it."""
    options = "<option>One<option>Two"
    html = f"<select>{options}</select><select size=2><option selected>One<option>Two</select>"
    choose = "for (const one of document.querySelectorAll('select')) one.selectedIndex = 1"
    before, after = await changed(page, html, choose)
    check(after, before)
    shown = [re.sub(r" ?\[\d+-\d+\]", "", line).strip() for line in str(after.diff(before)).splitlines()]
    assert shown[-3:] == [
        '~   select [collapsed] [value="Two"]   (value was: "One")',
        "~   option: One   (no longer selected)",
        "~   option: Two [selected]   (now selected)",
    ]
    assert sum("option" in line for line in shown) == 2
    assert sum(change.row.role == "option" for change in after.diff(before).changed) == 4


async def test_a_new_row_of_cells_that_cannot_be_edited_takes_a_line(page: hybridsnap.Page) -> None:
    cells = "".join(f"<td role=gridcell aria-readonly=true>{cell}" for cell in ("Ann", "Bern"))
    before, after = await changed(
        page, "<table role=grid></table>", f"document.querySelector('table').innerHTML = '<tr>{cells}'"
    )
    check(after, before)
    shown = [re.sub(r"\[\d+-\d+\] ", "", line) for line in str(after.diff(before)).splitlines()]
    assert shown[-1].strip("+ ") == "row: Ann | Bern"


@pytest.mark.parametrize("label", ["", "Pick"])
async def test_a_new_row_whose_box_stands_in_a_label_takes_a_line(page: hybridsnap.Page, label: str) -> None:
    """As Ant Design's, whose label has no text."""
    box = f"<label><span><input type=checkbox></span>{label}</label>"
    cells = "".join(f"<td>{cell}" for cell in (box, "Ann", "30", "<button><span>Edit</span></button>"))
    before, after = await changed(
        page, "<table role=table></table>", f"document.querySelector('table').innerHTML = '<tr>{cells}'"
    )
    check(after, before)
    shown = [re.sub(r"\[\d+-\d+\] ", "", line) for line in str(after.diff(before)).splitlines()]
    assert [line.strip("+ ") for line in shown[-2:]] == [
        "row: | Ann | 30 | button: Edit",
        f"checkbox: {label}".removesuffix(": "),
    ]


async def test_a_new_row_says_once_that_a_button_is_disabled(page: hybridsnap.Page) -> None:
    cells = "".join(
        f"<td role=gridcell aria-disabled=true><button disabled>{day}</button>" for day in ("May 1", "May 2")
    )
    before, after = await changed(
        page,
        "<table role=grid aria-label=May></table>",
        f"document.querySelector('table').innerHTML = '<tr>{cells}'",
    )
    check(after, before)
    shown = [re.sub(r"\[\d+-\d+\] ", "", line) for line in str(after.diff(before)).splitlines()]
    assert shown[-1].strip("+ ") == "row: button: May 1 (disabled) | button: May 2 (disabled)"


async def test_a_new_address_of_the_page_changes_none_of_its_places(page: hybridsnap.Page) -> None:
    links = "".join(f"<a href=#s{number}>Section {number}</a>" for number in range(9))
    before, after = await changed(
        page, f"<nav>{links}<a href=?x>Else</a></nav>", "history.replaceState({}, '', 'edit/7')"
    )
    diff = after.diff(before)
    assert len(diff.changed) == 11, "the data has all of them"
    assert re.findall(r"~ +\[\d+-\d+\] (\w+)", str(diff)) == ["RootWebArea", "link"]
    await page.evaluate("() => { document.querySelector('a').href = '#other' }")
    assert "#other" in str((await page.snapshot()).diff(after))
    check(after, before)


@pytest.mark.parametrize("router", ["", "#/runs"])
async def test_a_new_query_of_the_page_is_not_told_of_links_that_take_it_along(
    page: hybridsnap.Page, router: str
) -> None:
    """As pages do that keep what is sorted and selected in their address."""
    links = "".join(f"<a>{number}</a>" for number in range(9))
    draw = f"""(query) => {{
        history.replaceState({{}}, '', location.pathname + '{router}?' + query);
        document.querySelectorAll('a').forEach((one, at) => {{
            one.href = location.pathname + '{router}?page=' + at + '&' + query;
        }});
        document.querySelector('a').href = '?page=0&sort=' + query.length;
    }}"""
    _, before, after = await changed(
        page, f"<nav>{links}</nav>", f"({draw})('by=x')", f"({draw})('by=x&asc=1')"
    )
    diff = after.diff(before)
    assert len(diff.changed) == 10, "the data has all of them"
    assert re.findall(r"~ +\[\d+-\d+\] (\w+)", str(diff)) == ["RootWebArea", "link"]
    check(after, before)


async def test_a_budget_shows_a_new_field_without_a_name_before_buttons(page: hybridsnap.Page) -> None:
    tools = "".join(f"<button>Tool number {number}</button>" for number in range(30))
    block = f"<section><h3>Quote</h3><p>{tools}</p><p><input name=body></p></section>"
    before, after = await changed(page, "<main id=m><button>Add</button></main>", f"m.innerHTML += `{block}`")
    assert "textbox ?body" in str(after.diff(before).render(170))


async def test_a_new_menu_has_a_line_for_each_of_its_items(page: hybridsnap.Page) -> None:
    """Items of a list, and rows of a table as Handsontable has them."""
    names = ("Copy", "Paste", "Remove row")
    rows = "".join(f"<tr><td role=menuitem tabindex=-1>{name}" for name in names)
    items = "".join(f"<li><a href=#x>{name}</a>" for name in names)
    opened, added = f"<div role=menu><table>{rows}</table></div>", f"<ul id=u>{items}</ul>"
    more = "u.innerHTML += '<li><a href=#x>Undo</a>'"
    old, new, last = await changed(page, "<main id=m></main>", f"m.innerHTML = `{opened}{added}`", more)
    lines = [line.split("] ")[1] for line in str(check(new, old)).splitlines() if line.startswith("+")]
    assert [line for line in lines if line.startswith(("row", "listitem"))] == [], lines
    assert lines[-4:] == ["list", *(f"link: {name}" for name in names)]
    assert [line for line in lines if "menuitem" in line] == [f"menuitem: {name}" for name in names]
    assert "listitem" in str(check(last, new))


async def test_a_new_panel_that_has_the_focus_does_not_say_what_stands_in_it(page: hybridsnap.Page) -> None:
    panel = "<div id=p tabindex=-1><p>Really?</p><button>Yes</button><button>No</button></div>"
    old, new = await changed(page, "<main id=m></main>", f"m.innerHTML = `{panel}`; p.focus()")
    lines = [line.split("] ", 1)[1] for line in str(check(new, old)).splitlines() if line.startswith("+")]
    assert lines == ["div [focused]", "paragraph: Really?", "button: Yes", "button: No"]


async def test_a_new_date_field_has_one_line(page: hybridsnap.Page) -> None:
    fields = "<label>Due <input type=date></label><label>At <input type=time value=14:30></label>"
    old, new = await changed(page, "<main id=m></main>", f"m.innerHTML = `{fields}`")
    lines = [line.split("] ", 1)[1] for line in str(check(new, old)).splitlines() if line.startswith("+")]
    assert [line.split(":")[0] for line in lines] == ["Date", "InputTime"], lines


_PICKED = (
    "<div onclick='1'><span aria-live=polite>Bergen</span>"
    "<input role=combobox aria-expanded=false aria-label=City><span>Bergen</span></div>"
)


async def test_a_text_that_stood_twice_is_not_gone(page: hybridsnap.Page) -> None:
    remove = "document.querySelector('[aria-live]').remove()"
    before, after, neither = await changed(page, _PICKED, remove, "document.querySelector('span').remove()")
    said = str(check(after, before))
    assert '(one of the texts "Bergen" gone, another is still there)' in said
    assert "text gone" not in said
    assert '(text gone: "Bergen")' in str(check(neither, after))


async def test_a_text_that_was_a_buttons_name_is_no_new_text(page: hybridsnap.Page) -> None:
    icon = "<i role=img aria-label=loading></i>"
    add = f"document.querySelector('button').insertAdjacentHTML('afterbegin', '{icon}')"
    before, after = await changed(page, "<button>OK</button>", add)
    said = str(check(after, before))
    assert 'button: loading OK   (was: "OK")' in said
    assert "new text" not in said


async def test_a_button_of_an_icon_is_known_when_it_was_made_anew(page: hybridsnap.Page) -> None:
    icon = "<i class=material-icons aria-hidden=true>%s</i>"
    html = f"<p>Milk <button id=c1>{icon % 'edit'}</button><button id=c2>{icon % 'delete'}</button>"
    anew = """const was = document.querySelector("#c2"), now = was.cloneNode(true);
        now.id = "c32"; was.replaceWith(now)"""
    before, after = await changed(page, html, anew)
    (line,) = [line for line in str(check(after, before)).splitlines() if "button" in line]
    assert "button ?delete   (rebuilt, was [" in line


async def test_what_was_opened_and_has_the_focus_is_not_folded_for_what_came_beside_it(
    page: hybridsnap.Page,
) -> None:
    panels = "".join(
        f"<h2>Panel {n}</h2><button>Open {n}</button><input aria-label='Field {n}'>" for n in range(14)
    )
    html = f"""<button id=go>List</button><div role=region aria-label="List View" id=view></div>
        <div role=region aria-label=Settings id=settings></div><template id=made>{panels}</template>"""
    fill = """view.innerHTML = "<p>Blocks<ul><li><a href=#a>Paragraph</a><li><a href=#b>Picture</a></ul>";
        settings.append(made.content); view.querySelector("a").focus()"""
    before, after = await changed(page, html, fill)
    text = str(after.diff(before).render(250))
    assert "link: Paragraph [focused]" in text
    assert "link: Picture" in text


@pytest.mark.parametrize("first", ["<i>\ue5cd</i>", "<button aria-label='\u200b'></button>"])
async def test_a_group_that_went_is_called_by_the_first_words_in_it(
    page: hybridsnap.Page, first: str
) -> None:
    """Not by an icon, whose character no line shows."""
    html = f"<main>Form<section role=region>{first}<h2>Hello</h2><p>One</p></section></main>"
    old, new = await changed(page, html, "document.querySelector('section').remove()")
    text = str(check(new, old))
    assert re.search(r'lines: "Hello"\)', text), text
