"""How `ai` writes what stands side by side: blocks, cards, words, cells, columns, dialogs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from hybridsnap import Page

#: A grid whose columns of commands have no header.
_FILTERED = """<style>[role=row] { display: flex } [role=row] > * { width: 90px }</style><div role=grid>
<div role=row><div role=gridcell><input type=checkbox aria-label='Select all'></div>
<div role=columnheader tabindex=0 aria-label='Column Name' style='cursor: pointer'>
<button style='float: right'>Filter</button><span>Name</span></div>
<div role=columnheader aria-label='Column Paid'>Paid</div><div role=gridcell></div></div>
<div role=row><div role=gridcell></div><div role=gridcell>Ann</div>
<div role=gridcell><div role=checkbox aria-checked=true tabindex=0 style='width: 9px; height: 9px'></div>
</div>
<div role=gridcell><button>Edit</button></div></div></div>"""

#: What is on the page, and its lines, without ids.
_LINES = {
    "cards": (
        """<main><div class=card><a href=/a>Tea</a><div>4.8</div><div>$89</div></div><div class=card>
        <a href=/b>Jam</a><div>4.4</div></div><div class=p><div>Ann</div><div>Lead</div></div></main>""",
        ["text: Tea / 4.8 / $89", "text: Jam / 4.4", "text: Ann / Lead"],
    ),
    "rows that end in a link": (
        """<div><div class=row><div><div>March</div><div>$29</div></div><a href=/m>Get</a></div>
        <div class=row><div><div>April</div><div>$30</div></div><a href=/n>Get</a></div><hr>
        <div class=user><div>A</div><div>Ann</div><b>Owner</b></div>
        <div class=user><div>B</div><b>Guest</b></div></div>""",
        ["text: March / $29 / Get", "text: April / $30 / Get", "text: A / Ann / Owner", "text: B / Guest"],
    ),
    "items of a tree that can be dragged": (
        """<div role=tree><div role=treeitem aria-level=1 aria-expanded=false tabindex=-1><div draggable=true>
        <span>+</span> <span>Unread</span></div></div></div>""",
        ["tree", "treeitem: + Unread [collapsed] [level=1]"],
    ),
    "links beside blocks": (
        "<nav><div>APPS</div><a href=/c>Chat <span>3</span></a> <a href=/i>Inbox</a><div>SHOP</div></nav>",
        ["navigation: APPS / Chat 3 Inbox / SHOP"],
    ),
    "elements set apart by a style": (
        "<ul><li style='display: flex'><span>Total</span><strong>$20</strong></li></ul>",
        ["listitem: Total $20"],
    ),
    "elements within a word": (
        "<p>un<b>believ</b>able <span>O</span>nce wo<wbr>rd 4<b>K</b></p>",
        ["paragraph: unbelievable Once word 4K"],
    ),
    "a script without spaces": ("<p>これは<b>太字</b>です</p>", ["paragraph: これは太字です"]),
    "a heading of two": ("<h2>i<em>Phone</em></h2>", ["heading: iPhone [level=2]"]),
    "what script makes clickable": (
        "<div style='cursor: pointer'><div>6</div><div>1:1 with Sara</div></div>",
        ["div: 6 1:1 with Sara [clickable]"],
    ),
    "columns of a preformatted text": (
        "<pre>NAME   AGE  CITY\nEve         Oslo</pre>",
        ["| NAME   AGE  CITY", "| Eve         Oslo"],
    ),
    "an empty cell": (
        """<table><thead><tr><th rowspan=2>Name<th colspan=2>HR</tr><tr><th>Age<th>Driver</tr></thead>
        <tr><td>Bob<td><td>yes</table>""",
        ["row: Name: Bob | HR Driver: yes"],
    ),
    "dates": (
        "<label>From <input type=date value=2026-03-04></label><label>At <input type=time disabled></label>",
        ['Date: From [value="2026-03-04"]', "InputTime: At [disabled]"],
    ),
    "shapes of a chart": (
        """<svg role=application><g role=group><g role=graphics-symbol><rect width=9 height=9 /></g></g>
        <g role=group><g role=graphics-symbol aria-label="May: 4"><rect width=9 height=9 /></g></g>
        <g role=group><g role=graphics-object onclick=f()><rect width=9 height=9 /></g></g></svg>""",
        ["application", "group", "graphics-symbol: May: 4", "group", "graphics-object [clickable]"],
    ),
    "cells with a control that says more than its name": (
        """<table><tr><th>Name<th>Time<th>Tags</tr><tr><td><a href=/t>Tea</a><td>4 PM
        <td><button aria-label="Edit tags"><span>Add tags</span></button></tr></table>""",
        ["row: Name: Tea | Time: 4 PM", "button: Edit tags", "text: Add tags"],
    ),
    "cells with controls": (
        """<table><tr><th>Name<th>Size<th>Number</tr><tr><td>Tea<td><input value=big><td>
        <label for=n>Qty</label><input id=n type=number value=3><button>+</button></table>""",
        [
            "row: Name: Tea | Number: button: +",
            'textbox ?Size [value="big"]',
            'spinbutton: Qty [value="3"]',
        ],
    ),
    "a cell of several lines, and one that holds a list": (
        "<table><tr><th>A<th>B<tr><td><a href=x>Link</a><br>sub text<td><ul><li>one<li>two</ul></table>",
        ["row: A: Link / sub text", "list", "listitem: one"],
    ),
    "a cell that holds more than a list": (
        "<table><tr><th>A<td>Ann<td>Here<ul><li>one<li>two</ul></table>",
        ["row: A | Ann | Here", "list", "listitem: one"],
    ),
    "a cell that begins with a heading, before a list of links": (
        """<table><tr><th><th>Page<th>Date<th></tr><tr><td><input type=checkbox aria-label=Choose>
        <td><div><h2><a href=/x>Home</a></h2><ul><li><a href=/x/e>Edit</a><li><a href=/x/v>View</a></ul></div>
        <td>2 May<td></table>""",
        [
            "row: | Page | Date",
            "row: | Page: Home | Date: 2 May",
            "checkbox: Choose",
            "list",
            "link: Edit",
            "link: View",
        ],
    ),
    "a form with one button, and a button with a description, in a row": (
        """<table><tr><th><th>Who<tr><td><form><button>Go</button></form>
        <form><button title="Delete record">x</button></form><td>Ann</table>""",
        ["row: button: Go | Who: Ann", 'button: x [description="Delete record"]'],
    ),
    "a heading that a style sheet numbers": (
        """<style>h2::before{content: counter(s) ". "} h2{counter-increment: s}</style>
        <h2>Tea</h2><h2>Hot <em>milk</em></h2>""",
        ["heading: 1. Tea [level=2]", "heading: 2. Hot milk [level=2]"],
    ),
    "a formula": (
        """<p>Here <math><mfrac><mi>x</mi><mrow><mn>1</mn><mo>+</mo><msup><mi>y</mi><mn>2</mn></msup>
        </mrow></mfrac></math> is small.</p>""",
        ["paragraph: Here 𝑥/(1+𝑦^2) is small."],
    ),
    "options that are disabled": (
        "<select><option disabled>a<option>b</select>",
        ['select [collapsed] [value="b"] (options: a (disabled), b)'],
    ),
    "states of rows and cells": (
        """<div role=grid><div role=row><i role=columnheader>Who</i><i role=columnheader>Due</i></div>
        <div role=row aria-selected=true><i role=gridcell>Ann</i><i role=gridcell><button>Pay</button></i>
        </div><div role=row><i role=gridcell aria-selected=true>Bob</i>
        <i role=gridcell aria-expanded=false></i></div></div>""",
        ["row [selected]: Who: Ann | Due: button: Pay", "row: Who: Bob (selected) | Due: (collapsed)"],
    ),
    "groups of columns": (
        """<table><thead><tr><th>Who<th colspan=2>HR</tr><tr><th>Name<th>Age<th>Driver</tr></thead>
        <tr><td>Bob<td>41<td>yes</table>""",
        ["row: Who Name: Bob | HR Age: 41 | HR Driver: yes"],
    ),
    "columns whose headers are links, and a number as it is written": (
        """<table><tr><th><a href=?1>Name</a><th><a href=?2>Price</a></tr>
        <tr><td>Tea<td><input type=number value=44.50></tr></table>""",
        ["row: Name: Tea", 'spinbutton ?Price [value="44.50"]'],
    ),
    "a description that several have": (
        """<p id=how hidden>To pick up an item, press the space bar. Arrow keys move it.</p>
        <button aria-describedby=how>Milk</button><button aria-describedby=how>Tea</button>
        <button title='Press it'>Go</button><button title='Press it'>Stop</button>""",
        [
            'button: Milk [description="To pick up an item, press the space bar. Arrow keys move it."]',
            'button: Tea [description="To pick up an item, press the …"]',
            'button: Go [description="Press it"]',
            'button: Stop [description="Press it"]',
        ],
    ),
    "fields that filter a column": (
        """<table><thead><tr><th>Name<th>City <input value=Oslo><tr>
        <th><input placeholder='by name'><button>Menu</button><th><input type=search></thead>
        <tr><td>Ann<td>Bern</table>""",
        [
            "row: Name | City",
            'textbox ?City [value="Oslo"]',
            "textbox: by name",
            "searchbox ?City",
            "row: Name: Ann | City: Bern",
        ],
    ),
    "boxes that only a form's names tell apart": (
        """<table><tr><th>Who<th>Paid<th>May</tr><tr><td>Ann
        <td><input type=checkbox name=chk_7><button class='fa fa-trash'></button>
        <td><input type=checkbox name=read><input type=checkbox name=write></table>""",
        ["row: Who: Ann", "checkbox ?Paid", "button ?trash", "checkbox ?read", "checkbox ?write"],
    ),
    "a column with a button that sorts": (
        """<table><tr><th><span>ORDER</span><button aria-label='Order: sort'></button><th>Total</tr>
        <tr><td>1<td>$5</table>""",
        ["row: ORDER: 1 | Total: $5"],
    ),
}
_CLOSED = {
    "aria-hidden": "<div style='display: none' role=dialog aria-hidden=true><h2>Hi</h2></div>",
    "within something hidden": "<div hidden><div role=dialog aria-modal=true aria-hidden=true>Hi</div></div>",
}


async def _ai(page: Page, body: str, *, layout: bool = False) -> list[str]:
    async with serve_pages({"/": f"<!doctype html><title>Lines</title>{body}"}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(layout=layout)
    text = snapshot.render("ai")
    return [re.sub(r"\[\d+-\d+\] ", "", line).strip() for line in text.splitlines()]


@pytest.mark.parametrize("name", _LINES)
async def test_lines(page: Page, name: str) -> None:
    body, expected = _LINES[name]
    lines = await _ai(page, body)
    assert [line for line in lines if line in expected] == expected, lines


async def test_the_days_of_a_calendar_stand_on_the_line_of_their_week_with_ids(page: Page) -> None:
    await page.goto(
        "data:text/html,<style>.day { cursor: pointer }</style><table role=grid><tr><th>Mon<th>Tue"
        "<tr><td class=day>1<td class=day>2</table><table role=grid><tr><th><a aria-label=Monday>Mon</a>"
        "<th><a aria-label=Tuesday>Tue</a><tr><td aria-label='8 March'><div><a aria-label='8 March'>8</a>"
        "</div><div class=day><b>10a</b> Talk</div>"
        "<td aria-label='9 March'><span class=day aria-disabled=true>9</span></table>"
    )
    snapshot = await page.snapshot()
    lines = [line.strip() for line in snapshot.render("ai").splitlines() if "row: " in line]
    called = {row.name: row.id for row in snapshot.rows if row.role != "row"}
    rows = [row.id for row in snapshot.rows if row.role == "row"]
    talk = f"[{called['8 March']}] 8 March [{called['10a Talk']}] 10a Talk"
    assert lines == [
        f"[{rows[0]}] row: Mon | Tue",
        f"[{rows[1]}] row: Mon: [{called['1']}] 1 | Tue: [{called['2']}] 2",
        f"[{rows[2]}] row: Monday | Tuesday",
        f"[{rows[3]}] row: Monday: {talk} | Tuesday: 9 March [{called['9']}] 9 (disabled)",
    ]


_SORTED = """<style>.p { cursor: pointer }</style>
<table><tr><th class=p>Name<th class=p aria-sort=ascending>Age<th>City</tr>
<tr><td>Ann<td>5<td class=p></td></tr><tr><td>Bob<td class=p>6<td><button>Find</button></tr></table>"""


_MONTH = "".join(
    f"<tr>{''.join(f'<td>{day if 0 < day < 32 else str()}' for day in range(first, first + 7))}</tr>"
    for first in (-2, 5)
)


async def test_days_that_show_only_under_the_pointer_that_they_are_pressed_have_ids(page: Page) -> None:
    await _ai(page, f"<table role=grid><tr><td>1<td>2<td>2<td>3<td>4<td>5<td>6</tr>{_MONTH}</table>")
    before = await page.snapshot()
    rows = [
        "[id] row: 1 | 2 | 2 | 3 | 4 | 5 | 6",
        "[id] row: | | | [id] 1 | [id] 2 | [id] 3 | [id] 4",
        "[id] row: [id] 5 | [id] 6 | [id] 7 | [id] 8 | [id] 9 | [id] 10 | [id] 11",
    ]
    await page.evaluate("document.body.append(document.querySelector('table').cloneNode(true))")
    for text in (str(before.render("ai")), str((await page.snapshot()).diff(before))):
        lines = [re.sub(r"\d+-\d+", "id", line).strip(" +") for line in text.splitlines()]
        assert [line for line in lines if "row: " in line] == rows


async def test_a_cell_that_is_pressed_itself_has_its_id(page: Page) -> None:
    await _ai(page, _SORTED)
    outline = str((await page.snapshot()).render("ai"))
    lines = [re.sub(r"\d+-\d+", "id", line).strip() for line in outline.splitlines()]
    assert lines[lines.index("[id] table") + 1 :] == [
        "[id] row: [id] Name | [id] Age (sort=ascending) | City",
        "[id] row: Name: Ann | Age: 5",
        "[id] cell ?City [clickable]",
        "[id] row: Name: Bob | Age: [id] 6 | City: [id] button: Find",
    ]
    name = re.search(r"\[(\d+-\d+)\] Name", outline)
    assert name is not None
    assert (await page.click(name[1])).target == 'columnheader "Name"'


async def test_a_header_that_sorts_has_its_id_beside_the_button_of_its_filter(page: Page) -> None:
    await _ai(page, _FILTERED)
    outline = str((await page.snapshot()).render("ai"))
    lines = [re.sub(r"\d+-\d+", "id", line).strip() for line in outline.splitlines()]
    assert lines[lines.index("[id] grid") + 1 :] == [
        "[id] row: | [id] Column Name [id] button: Filter Name | Column Paid",
        "[id] checkbox: Select all",
        "[id] row: Name: Ann | [id] button: Edit",
        "[id] checkbox ?Column Paid [checked]",
    ]
    sorts = re.search(r"\[(\d+-\d+)\] Column Name", outline)
    assert sorts is not None
    assert (await page.click(sorts[1])).target == 'columnheader "Column Name"'


async def test_what_sorts_and_filters_says_of_which_column(page: Page) -> None:
    """As Toast UI Grid's: links without names, in several columns."""
    icons = "<a href='#' class=sorting></a><a href='#' class=filter></a>"
    lines = await _ai(
        page,
        f"<table><tr><th>Name {icons}<th>Kind<th>Price <a href='#' class=sorting></a>"
        "<tr><td>Tea<td>Food<td>3 <a href='#' class=trash></a></table>",
    )
    assert lines[-6:] == [
        "row: Name | Kind | Price",
        "link ?Name sorting",
        "link ?Name filter",
        "link ?Price sorting",
        "row: Name: Tea | Kind: Food | Price: 3",
        "link ?trash",
    ]


@pytest.mark.parametrize(
    "box",
    [
        "<input type=checkbox aria-label='Select all'>",
        "<label><input type=checkbox> Select all</label>",
        "<div role=checkbox tabindex=0 aria-checked=false>Select all</div>",
    ],
)
async def test_a_box_that_selects_all_rows_names_no_column(page: Page, box: str) -> None:
    rows = "".join(f"<tr><td><input type=checkbox><td>{name}" for name in ("Ann", "Bob"))
    lines = await _ai(page, f"<table><tr><th>{box}<th>Name{rows}</table>")
    assert lines[-4:] == ["row: Name: Ann", "checkbox", "row: Name: Bob", "checkbox"]
    assert any(line.startswith("checkbox: Select all") for line in lines)


async def test_a_cell_does_not_repeat_that_what_stands_in_it_is_disabled(page: Page) -> None:
    days = "".join(
        f"<td aria-disabled=true><span role=button aria-disabled=true aria-label='Day {day}'>{day}</span>"
        for day in (1, 2)
    )
    lines = await _ai(page, f"<table role=grid><tr>{days}</table>")
    assert lines[-2:] == ["button: Day 1 [disabled]", "button: Day 2 [disabled]"]
    assert "(disabled)" not in "".join(lines)


async def test_days_have_ids_where_those_of_other_months_are_hidden(page: Page) -> None:
    """In the outline and in a diff; a row of numbers of another table has none."""
    week = "".join(f"<td {'style=visibility:hidden' * (day < 1)}>{day % 31}" for day in range(-3, 4))
    month = f"<table><tr>{'<th>D' * 7}<tr>{week}<tr>{''.join(f'<td>{day}' for day in range(4, 11))}</table>"
    table = "<table><tr><th>Rank<th>Wins<tr><td>1<td>2</table>"
    html = f"<!doctype html><main></main><script>made = `{month + table}`</script>"
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        old = await page.snapshot()
        await page.evaluate("void (document.querySelector('main').innerHTML = made)")
        new = await page.snapshot()
    for text in (str(new.render("ai")), str(new.diff(old))):
        lines = [
            re.sub(r"\d+-\d+", "id", line).lstrip("+ ").replace(" D: ", " ") for line in text.splitlines()
        ]
        assert "[id] row: [id] 1 | [id] 2 | [id] 3" in lines, text
        assert lines[-1] in ("[id] row: Rank: 1 | Wins: 2", "[id] row: 1 | 2")


async def test_a_place_for_announcements_that_is_empty_has_no_line(page: Page) -> None:
    lines = await _ai(page, "<div role=alert></div><div role=status></div><div role=alert>Required</div>")
    assert [line for line in lines if line.startswith(("alert", "status"))] == ["alert: Required"]


async def test_a_date_that_is_half_filled_in_shows_its_parts(page: Page) -> None:
    async with serve_pages({"/": "<!doctype html><label>From <input type=date></label>"}) as pages:
        await page.goto(pages.url("/"))
        await page.click((await page.snapshot()).css("input")[0])
        await page.press("3")
        await page.evaluate("document.querySelector('input').blur()")
        text = (await page.snapshot()).render("ai")
    assert text.count("spinbutton: ") == 3
    assert text.count('[value="3') == 1


@pytest.mark.parametrize("name", _CLOSED)
@pytest.mark.parametrize("layout", [False, True])
async def test_a_closed_dialog_is_not_called_open(page: Page, name: str, *, layout: bool) -> None:
    head, *_ = await _ai(page, f"<h1>Shop</h1>{_CLOSED[name]}", layout=layout)
    assert "dialog open" not in head


async def test_a_dialog_that_nobody_sees_is_not_called_open(page: Page) -> None:
    body = "<h1>Shop</h1><div role=dialog aria-label=Zero style='opacity: 0'><button>No</button></div>"
    head, *_ = await _ai(page, body, layout=True)
    assert "dialog open" not in head


async def test_an_open_dialog_is_named(page: Page) -> None:
    head, *_ = await _ai(page, "<h1>Shop</h1><div role=dialog aria-label=Cart><button>Buy</button></div>")
    assert head.endswith("· dialog open: Cart")


#: Each of the numbers stands once on the page.
_ONCE = {
    "layout tables": """<table width=100%><tr><td><table><tr><td><h1>n1</h1><p>n2 <a href=y>n3</a><br>n4</p>
        <table><tr><td><img src=x alt=n5></td><td>n6 <a href=z>n7</a></td></tr></table></td></tr></table>
        </td></tr><tr><td>n8</td></tr></table>""",
    "a data table in a layout table": """<table width=100%><tr><td><table><tr><th>A<th>B</table>
        <table><tr><td><p>n1</p></td></tr></table><p>n2</p></td></tr></table>""",
    "a legend, a caption, a label of lines": """<fieldset><legend>n1</legend><input aria-label=n2></fieldset>
        <table><caption>n3</caption><tr><th>A<th>B<tr><td>n4<td>n5</table>
        <label for=n>n6<br>n7</label><input id=n>""",
    "a legend and a caption of several texts": """<fieldset><legend>n1<b>*</b></legend>
        <input aria-label=n2></fieldset>
        <table><caption>n3<i>n4</i></caption><tr><th>A<th>B<tr><td>n5<td>n6</table>""",
    "a label's paragraph": "<div><label><input type=checkbox><div><p>n1</p></div></label><p>n2</div>",
    "a value in a cell": """<table><tr><th>A<th>B<tr><td><div><progress></progress>
        <meter value=77 max=100></meter><small>n4</small></div><td><ul><li>n5<li>n6</ul></table>""",
}


@pytest.mark.parametrize("name", _ONCE)
async def test_each_text_stands_once(page: Page, name: str) -> None:
    _, *lines = await _ai(page, _ONCE[name])  # the first has the port
    text = "\n".join(lines)
    said = re.findall(r"n\d|77", text)
    assert sorted(said) == sorted(set(said)), text


async def test_a_label_says_nothing_of_a_field_in_a_wrapper_beside_it(page: Page) -> None:
    field = "<input id=p type=password><button>Show</button>"
    lines = await _ai(page, f"<form><h2>Log in</h2><label for=p>Password</label><div>{field}</div></form>")
    assert [line for line in lines if "LabelText" in line] == []
    assert any(line.endswith("textbox: Password") for line in lines)


async def test_a_label_says_nothing_of_a_required_field_either(page: Page) -> None:
    label = "<label for=n>Name<span style='display: inline-block'>*</span></label>"
    lines = await _ai(page, f"<form><h2>Sign up</h2>{label}<input id=n aria-label='Name*'></form>")
    assert [line for line in lines if "LabelText" in line] == []


async def test_a_label_around_a_box_that_takes_the_focus_says_its_field_once(page: Page) -> None:
    """As Quasar has it."""
    field = "<div tabindex=-1><div><div>Street</div><input aria-label=Street></div></div>"
    labels = f"<label>{field}</label><label>{field} Other</label>"
    lines = await _ai(page, f"<form><h2>Address</h2>{labels}</form>")
    fields = [line for line in lines if "Street" in line or "LabelText" in line]
    assert fields == ["textbox: Street", "LabelText", "textbox: Street"], lines


async def test_a_table_that_ends_in_a_header_alone_says_of_which_column_its_cells_are(page: Page) -> None:
    """As Directus, whose last header has the button that adds a column."""
    heads = "".join(f"<th scope=col>{name}</th>" for name in ("", "In Stock", "Status", "Title"))
    row = "<tr><td><input type=checkbox aria-label=All><td>check<td><td>{}</tr>"
    lines = await _ai(
        page,
        f"<table><thead><tr>{heads}<td><button>Add</button><tbody>{row.format('Dune')}{row.format('Emma')}"
        "<tr><td>Sold out</table>",
    )
    assert "row: | In Stock: check | Title: Dune" in lines
    assert "row: Sold out" in lines


async def test_what_makes_a_column_wider_leaves_its_row_a_record(page: Page) -> None:
    """As Tabulator's, between the cells: with layout it is known that they are pressed."""
    row = "<div role=row><div role={0}>{1}</div><i class=sizer></i><div role={0}>{2}</div></div>"
    html = (
        "<style>[role=row] * { display: inline-block; width: 90px; height: 9px } i { cursor: pointer }"
        "</style><div role=grid>"
        f"{row.format('columnheader', 'name', 'qty')}{row.format('gridcell', 'Ann', 1)}"
    )
    for layout in (False, True):
        lines = await _ai(page, html, layout=layout)
        assert "row: name: Ann | qty: 1" in lines
        assert "i ?sizer [clickable]" in lines


async def test_a_date_field_without_a_name_is_called_by_its_column(page: Page) -> None:
    cells = "<td>Ann<td><input type=date class=input-base><button>Pick</button>"
    lines = await _ai(page, f"<table><tr><th>Who<th>Born<tr>{cells}<tr>{cells}</table>")
    assert [line for line in lines if line.startswith("Date")] == ["Date ?Born"] * 2, lines


async def test_a_menu_that_shows_icons_only_has_hints_from_its_addresses(page: Page) -> None:
    icons = "".join(
        f"<a role=option href=/{name}><svg width=9 height=9></svg></a>" for name in ("todo", "map")
    )
    lines = await _ai(
        page,
        f"<div role=listbox>{icons}</div><select size=2 id=s><option value=''></option><option>A</select>",
    )
    options = [line for line in lines if line.startswith("option")]
    assert options[:2] == ["option ?todo", "option ?map"], lines
    assert "?" not in "".join(options[2:])


async def test_within_a_budget_each_row_of_an_admin_table_says_what_tells_it_apart(page: Page) -> None:
    """As Flask-Admin has it: boxes and forms stand before the texts, and are the same in each row."""
    row = """<tr><td><input type=checkbox title="Select record"><td><a href=/e title="Edit record"></a>
        <form><select aria-label=State><option>a<option>b</select><button>Save</button></form>
        <td>Ann %s<td><a href=/p>Post %s</a>"""
    rows = "".join(row % (n, n) for n in range(10))
    async with serve_pages({"/": f"<table><tr><th><th><th>Author<th>Title{rows}</table>"}) as pages:
        await page.goto(pages.url("/"))
        text = (await page.snapshot()).render("ai", max_tokens=400)
    printed = [line for line in text.splitlines() if "] row: " in line]
    assert len(printed) > 3
    for number, line in enumerate(printed[1:]):
        assert f"Author: Ann {number} | Title: " in line
