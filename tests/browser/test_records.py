"""Tables, cards and definition lists as records."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from hybridsnap.mcp.finding import find_elements
from hybridsnap.snapshot import Snapshot

if TYPE_CHECKING:
    import hybridsnap


@pytest.fixture
async def page(home_page: hybridsnap.Page) -> hybridsnap.Page:
    return home_page


_PAGE = """<!doctype html><title>Records</title>
<h2>Prices</h2>
<table><thead><tr><th>Name<th colspan=2>Price</tr><tr><th>&nbsp;<th>EUR<th>USD</tr></thead>
<tr><td rowspan=2>Tea<td>2<td>3
<tr><td colspan=2>sold out <button>Tell me</button>
<tr><td>Cake, "best"<td><table><tr><th>In<tr><td>inner</table><td>9
</table>
<dl><dt>Weight<dd>1 kg<dt>Colour<dd>red<dd>blue</dl>
<h2>Results</h2>
<div class=results>
  <div class=card><h3><a href=/a>Alpha</a></h3><p>First of all.</p><button>Save</button></div>
  <div class=card><h3><a href=/b>Beta</a></h3><p>The second.</p><button>Save</button></div>
  <div class=card><h3><a href=/c>Gamma</a></h3><p>Last {"set": 9}.</p><button>Save</button></div>
</div>
<ul><li><a href=1>One</a><li><a href=2>Two</a><li><a href=3>Three</a></ul>
<div role=grid aria-label=Virtual aria-rowcount=500>
  <div role=row aria-rowindex=1><span role=columnheader>Id</span><span role=columnheader>Who</span></div>
  <div role=row aria-rowindex=41><span role=gridcell>41</span><span role=gridcell>Ada</span></div>
  <div role=row aria-rowindex=42><span role=gridcell>42</span><span role=gridcell>Bob</span></div>
</div>"""


#: Tables, their columns, and their first record's values.
_HEADS = {
    "a group of columns": (
        """<table><tr><th rowspan=2>Name<th colspan=2 scope=colgroup>Price</tr><tr><th>EUR<th>USD</tr>
        <tr><td>Tea<td>2<td>3</table>""",
        {"Name": "Tea", "Price EUR": "2", "Price USD": "3"},
    ),
    "a group that holds its columns": (
        """<div role=grid><div role=row><span role=columnheader>Name</span><div role=columngroup>Work
        <span role=columnheader>Age</span><span role=columnheader>Fav</span></div></div>
        <div role=row><span role=gridcell>Ann</span><span role=gridcell>41</span>
        <span role=gridcell>red</span></div></div>""",
        {"Name": "Ann", "Age": "41", "Fav": "red"},
    ),
    "a group of which nothing says what it spans": (
        """<div role=grid><div role=row><i role=columnheader>Who</i><i role=columnheader>Price</i></div>
        <div role=row><i role=columnheader>Name</i><i role=columnheader>EUR</i>
        <i role=columnheader>USD</i></div>
        <div role=row><i role=gridcell>Tea</i><i role=gridcell>2</i><i role=gridcell>3</i></div></div>""",
        {"Name": "Tea", "EUR": "2", "USD": "3"},
    ),
    "columns that the page numbers": (
        """<div role=grid><div role=row><i role=columnheader aria-colindex=2 aria-colspan=2>Price</i></div>
        <div role=row><i role=columnheader aria-colindex=1>Name</i>
        <i role=columnheader aria-colindex=2>EUR</i><i role=columnheader aria-colindex=3>USD</i></div>
        <div role=row><i role=gridcell aria-colindex=1>Tea</i><i role=gridcell aria-colindex=3>3</i></div>
        </div>""",
        {"Name": "Tea", "Price USD": "3"},
    ),
    "fields that filter": (
        """<table><thead><tr><th>Name<th>Price<tr><th><input placeholder='by name'><button>Menu</button><th>
        </thead><tr><td>Tea<td>2</table>""",
        {"Name": "Tea", "Price": "2"},
    ),
    "a title over all columns": (
        "<table><tr><th colspan=2>Teas</tr><tr><th>Name<th>Price</tr><tr><td>Assam<td>2</table>",
        {"Name": "Assam", "Price": "2"},
    ),
    "a corner that chooses all rows": (
        """<table><thead><tr><td><input type=checkbox aria-label=All><th>Name<th>Price<tbody>
        <tr><td><input type=checkbox aria-label=One><td>Assam<td>2</table>""",
        {"All": "One", "Name": "Assam", "Price": "2"},
    ),
}


async def captured(page: hybridsnap.Page) -> Snapshot:
    await page.evaluate("html => { document.open(); document.write(html); document.close() }", _PAGE)
    return await page.snapshot()


async def test_tables_with_spanning_cells_and_nested_tables(page: hybridsnap.Page) -> None:
    snapshot = await captured(page)
    table, inner = snapshot.records()[:2]
    assert (table.kind, table.name) == ("table", "Prices")
    assert table.columns == ("Name", "Price EUR", "Price USD")
    assert table.to_dicts() == [
        {"Name": "Tea", "Price EUR": "2", "Price USD": "3"},
        {"Name": "Tea", "Price EUR": "sold out Tell me", "Price USD": "sold out Tell me"},
        {"Name": 'Cake, "best"', "Price EUR": "", "Price USD": "9"},
    ]
    (control,) = table.records[1].controls
    assert (control.role, control.name) == ("button", "Tell me")
    assert snapshot.node(control.id).role == "button"
    assert "spanning cells" in table.notes[0]
    assert "1 tables in cells" in table.notes[1]
    assert inner.to_dicts() == [{"In": "inner"}]


async def test_definitions_cards_and_virtual_grids(page: hybridsnap.Page) -> None:
    found = (await captured(page)).records()
    assert [one.kind for one in found] == ["table", "table", "definitions", "cards", "table"]
    _, _, definitions, cards, grid = found
    assert definitions.to_dicts() == [{"Weight": "1 kg", "Colour": "red; blue"}]
    assert cards.name == "Results"
    assert cards.columns == ("heading", "text", "button")
    assert cards.to_dicts()[1] == {"heading": "Beta", "text": "The second.", "button": "Save"}
    assert [control.role for control in cards.records[0].controls] == ["link", "button"]
    assert (grid.name, grid.total) == ("Virtual", 499)
    assert [(record.index, record.values["Who"]) for record in grid.records] == [(41, "Ada"), (42, "Bob")]
    assert grid.notes == ("2 of 499 rows are drawn; scroll the table for the others",)


async def test_json_lines_and_csv(page: hybridsnap.Page) -> None:
    snapshot = await captured(page)
    lines = [json.loads(line) for line in snapshot.render("records").splitlines()]
    assert [line["set"] for line in lines] == sorted(line["set"] for line in lines)
    heads = [line for line in lines if "kind" in line]
    assert [head["kind"] for head in heads] == ["table", "table", "definitions", "cards", "table"]
    assert lines[1]["values"]["Name"] == "Tea"
    assert lines[2]["controls"][0]["name"] == "Tell me"
    text = snapshot.render("records", csv=True)
    first = text.split("\n\n")[0].splitlines()
    assert first[0].startswith("# table: Prices")
    assert list(csv.reader(first[1:])) == [
        ["Name", "Price EUR", "Price USD"],
        ["Tea", "2", "3"],
        ["Tea", "sold out Tell me", "sold out Tell me"],
        ['Cake, "best"', "", "9"],
    ]
    assert list(csv.reader(io.StringIO(snapshot.records()[3].to_csv())))[3][1] == 'Last {"set": 9}.'


async def test_no_row_of_csv_reads_as_a_comment(page: hybridsnap.Page) -> None:
    rows = "<tr><th># a<th>b<tr><td># table: Prices<td>1<tr><td>x<td># y"
    await page.evaluate("rows => { document.body.innerHTML = `<table>${rows}</table>` }", rows)
    text = (await page.snapshot()).render("records", csv=True)
    comment, *lines = text.splitlines()
    assert comment.startswith("# table")
    assert not [line for line in lines if line.startswith("#")]
    assert list(csv.reader(lines)) == [["# a", "b"], ["# table: Prices", "1"], ["x", "# y"]]


async def test_records_fit_a_budget_and_are_read_from_json(page: hybridsnap.Page) -> None:
    snapshot = await captured(page)
    whole = snapshot.render("records")
    part = snapshot.render("records", max_chars=len(whole) - 200)
    assert len(part) <= len(whole) - 200
    assert all(isinstance(json.loads(line), dict) for line in part.splitlines())
    assert part.folds
    again = Snapshot.from_json(snapshot.to_json()).records()
    assert again[2] == snapshot.records()[2]
    with pytest.raises(ValueError, match="'csv' is not an option of the format 'ai'"):
        snapshot.render("ai", csv=True)
    with pytest.raises(ValueError, match=r"max_tokens is probably meant; it takes .*, beside max_tokens"):
        snapshot.render("ai", max_token=500)


async def test_a_page_without_records_says_so(page: hybridsnap.Page) -> None:
    await page.goto("data:text/html,<p>Words")
    snapshot = await page.snapshot()
    assert snapshot.records() == []
    assert json.loads(snapshot.render("records")) == {"sets": 0}
    assert snapshot.render("records", csv=True) == ""


async def test_terms_that_share_a_definition_and_headings_of_cards(page: hybridsnap.Page) -> None:
    cards = "".join(f"<div class=card><h3>Card {n}</h3><p>text {n}</p></div>" for n in range(3))
    html = (
        f"<h2>Results</h2><section>{cards}</section>"
        "<dl><dt>a<dd>1<dd>2<dt>b<dt>c<dd>3</dl><h2>Rows</h2><table><tr><th>x<th>y<tr><td>1<td>2</table>"
    )
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    found = (await page.snapshot()).records()
    assert [(one.kind, one.name) for one in found] == [
        ("cards", "Results"),
        ("definitions", "Results"),
        ("table", "Rows"),
    ]
    assert found[1].records[0].values == {"a": "1; 2", "b": "3", "c": "3"}


async def test_cards_of_a_virtual_list_say_how_many_there_are(page: hybridsnap.Page) -> None:
    items = "".join(
        f"<li aria-setsize=500 aria-posinset={number}><b>t{number}</b> <a href=x>x{number}</a>"
        for number in range(41, 45)
    )
    await page.evaluate("html => { document.body.innerHTML = html }", f"<ul>{items}</ul>")
    (found,) = (await page.snapshot()).records()
    assert (found.total, [one.index for one in found.records]) == (500, [41, 42, 43, 44])
    assert found.notes == ("4 of 500 are drawn; scroll the list for the others",)


@pytest.mark.parametrize("name", _HEADS)
async def test_the_columns_are_those_of_the_lowest_header_row(page: hybridsnap.Page, name: str) -> None:
    html, values = _HEADS[name]
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    (table,) = (await page.snapshot()).records()
    assert [record.values for record in table.records] == [values]


async def test_what_stands_between_header_and_data_is_no_record(page: hybridsnap.Page) -> None:
    rows = "".join(
        f"<div role=row aria-rowindex={n + 3}><i role=gridcell>Tea {n}</i><i role=gridcell>{n}</i></div>"
        for n in range(2)
    )
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        f"""<div role=grid aria-rowcount=4><div role=row aria-rowindex=1><i role=columnheader>Name</i>
        <i role=columnheader aria-sort=ascending><span>Price</span>
        <button aria-label="Price, sort">^</button></i></div>
        <div role=row aria-rowindex=2><i role=gridcell><input aria-label="Filter names"></i>
        <i role=gridcell></i></div>{rows}</div>""",
    )
    (grid,) = (await page.snapshot()).records()
    assert (grid.columns, grid.total) == (("Name", "Price"), 2)
    assert grid.notes == ("sorted by Price, ascending",)
    assert [record.values["Name"] for record in grid.records] == ["Tea 0", "Tea 1"]


def _card(number: int, parts: int) -> str:
    specs = "".join(f"<div class=spec><span>Spec {n}</span><b>{n * number}</b></div>" for n in range(parts))
    return f"<div class=card><h3><a href=/{number}>Tea {number}</a></h3><div>{specs}</div></div>"


_CARDS = {
    "with more parts each": f"<div>{''.join(_card(n, 3 + 4 * n) for n in range(4))}</div>",
    "only two": f"<div>{_card(0, 3)}{_card(1, 3)}</div>",
    "two a row": f"<div>{_card(0, 3)}{_card(1, 3)}</div><div>{_card(2, 3)}{_card(3, 3)}</div>",
}


@pytest.mark.parametrize("name", _CARDS)
async def test_parts_of_a_card_are_no_cards(page: hybridsnap.Page, name: str) -> None:
    await page.evaluate("html => { document.body.innerHTML = html }", f"<h2>Teas</h2>{_CARDS[name]}")
    sets = (await page.snapshot()).records()
    records = [record for one in sets for record in one.records]
    assert [record.values["heading"] for record in records] == [f"Tea {n}" for n in range(len(records))]
    assert {one.name for one in sets} == {"Teas"}
    for number, record in enumerate(records):
        said = [value for column, value in record.values.items() if column != "heading"]
        parts = len(record.controls) and 3 + (4 * number if name == "with more parts each" else 0)
        specs = [f"Spec {n}" for n in range(parts)]
        values = [str(n * number) for n in range(parts)]
        one_each = [text for pair in zip(specs, values, strict=True) for text in pair]
        assert said in (one_each, ["; ".join(specs), "; ".join(values)])


async def test_cards_in_sections_stay_cards(page: hybridsnap.Page) -> None:
    box = "<div class=box><h3>Visits</h3><p>41</p></div>" * 3
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        f"<section><h2>Today</h2><div>{box}</div></section><section><h2>May</h2><div>{box}</div></section>",
    )
    assert [(one.name, len(one.records)) for one in (await page.snapshot()).records()] == [
        ("Today", 3),
        ("May", 3),
    ]


def _product(inside: str) -> str:
    return f'<div class="card">{inside}</div>'


#: Cards, and the values of their records.
_ALIGNED = {
    "an optional tag": (
        "<h2>Red</h2><em>Sale</em><p>Soft</p><b>€5</b>",
        "<h2>Blue</h2><p>Hard</p><b>€6</b>",
        "<h2>Green</h2><em>New</em><b>€7</b>",
        [
            {"heading": "Red", "text": "Sale", "text 2": "Soft", "text 3": "€5"},
            {"heading": "Blue", "text 2": "Hard", "text 3": "€6"},
            {"heading": "Green", "text": "New", "text 3": "€7"},
        ],
    ),
    "an optional class": (
        "<h2>Red</h2><i class=badge>Sale</i> <i class=price>€5</i>",
        "<h2>Blue</h2><i class=price>€6</i>",
        "<h2>Green</h2><i class=price>€7</i> <i class=note>Last</i>",
        [
            {"heading": "Red", "text": "Sale", "text 2": "€5"},
            {"heading": "Blue", "text 2": "€6"},
            {"heading": "Green", "text 2": "€7", "text 3": "Last"},
        ],
    ),
    "a class that only some have beside another": (
        '<div class="body on"><h2>Red</h2><i class="price sale">€5</i></div>',
        "<div class=body><h3>Blue</h3><i class=price>€6</i></div>",
        "<div class=body><h2>Green</h2><i class=price>€7</i></div>",
        [
            {"heading": "Red", "text": "€5"},
            {"heading": "Blue", "text": "€6"},
            {"heading": "Green", "text": "€7"},
        ],
    ),
    "either side of what all have": (
        "<h2>Red</h2><i>Sale</i><b>€5</b>",
        "<h2>Blue</h2><b>€6</b><i>Last</i>",
        "<h2>Green</h2><i>New</i><b>€7</b><i>Soon</i>",
        [
            {"heading": "Red", "text": "Sale", "text 2": "€5"},
            {"heading": "Blue", "text 2": "€6", "text 3": "Last"},
            {"heading": "Green", "text": "New", "text 2": "€7", "text 3": "Soon"},
        ],
    ),
    "nothing that tells them apart": (
        "<h2>Red</h2><i>Sale</i> <i>€5</i>",
        "<h2>Blue</h2><i>€6</i>",
        "<h2>Green</h2><i>€7</i>",
        [
            {"heading": "Red", "text": "Sale; €5"},
            {"heading": "Blue", "text": "€6"},
            {"heading": "Green", "text": "€7"},
        ],
    ),
    "as many of one kind in each": (
        "<h2>Red</h2><i>5</i> <i>1</i>",
        "<h2>Blue</h2><i>6</i> <i>2</i>",
        "<h2>Green</h2><i>7</i> <i>3</i>",
        [
            {"heading": "Red", "text": "5", "text 2": "1"},
            {"heading": "Blue", "text": "6", "text 2": "2"},
            {"heading": "Green", "text": "7", "text 2": "3"},
        ],
    ),
    "prose with links": (
        "<h2>Red</h2><p>By <a href=/a>Ann</a>, 2 days</p><b>€5</b>",
        "<h2>Blue</h2><p>Soon</p><b>€6</b>",
        "<h2>Green</h2><p>By <a href=/b>Bob</a> and <a href=/c>Cy</a></p><b>€7</b>",
        [
            {"heading": "Red", "text": "By Ann, 2 days", "text 2": "€5"},
            {"heading": "Blue", "text": "Soon", "text 2": "€6"},
            {"heading": "Green", "text": "By Bob and Cy", "text 2": "€7"},
        ],
    ),
    "what is chosen, and struck": (
        "<h2>Red</h2><label>Size <select><option>S<option selected>M</select></label><s>€9</s> <b>€5</b>",
        "<h2>Blue</h2><label>Size <select><option>S</select></label><b>€6</b>",
        "<h2>Green</h2><label>Size<select><option>S</select></label><b>€7</b><input type=radio checked>",
        [
            {"heading": "Red", "text": "Size", "combobox": "M", "text 2": "~~€9~~", "text 3": "€5"},
            {"heading": "Blue", "text": "Size", "combobox": "S", "text 3": "€6"},
            {
                "heading": "Green",
                "text": "Size",
                "combobox": "S",
                "text 3": "€7",
                "radio": "checked",
            },
        ],
    ),
    "a table in each": (
        "<h2>Red</h2><b>€5</b><table><tr><th>a<th>b<tr><td>1<td>2</table>",
        "<h2>Blue</h2><b>€6</b><table><tr><th>a<th>b<tr><td>1<td>2</table>",
        "<h2>Green</h2><b>€7</b><table><tr><th>a<th>b<tr><td>1<td>2</table>",
        [
            {"heading": "Red", "text": "€5"},
            {"heading": "Blue", "text": "€6"},
            {"heading": "Green", "text": "€7"},
        ],
    ),
}


@pytest.mark.parametrize("name", _ALIGNED)
async def test_a_column_has_one_kind_of_text(page: hybridsnap.Page, name: str) -> None:
    *cards, values = _ALIGNED[name]
    html = "".join(_product(str(one)) for one in cards)
    await page.evaluate("html => { document.body.innerHTML = html }", f"<main>{html}</main>")
    found = next(one for one in (await page.snapshot()).records() if one.kind == "cards")
    assert [record.values for record in found.records] == values
    assert list(found.columns) == sorted(
        dict.fromkeys(column for record in found.records for column in record.values),
        key=found.columns.index,
    )


async def test_tables_are_no_cards(page: hybridsnap.Page) -> None:
    table = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
    terms = "<dl><dt>x<dd>1<dt>y<dd>2</dl>"
    await page.evaluate("html => { document.body.innerHTML = html }", table * 4 + terms * 3)
    found = (await page.snapshot()).records()
    assert [one.kind for one in found] == ["table"] * 4 + ["definitions"] * 3


async def test_cells_that_are_not_visible_keep_their_place(page: hybridsnap.Page) -> None:
    rows = (
        "<tr><td>Bob<td style='visibility:hidden'>800<td>40",
        "<tr><td>Cy<td style='visibility:hidden' colspan=2>",
        "<tr><td aria-hidden=true>Di<td>700<td>50",
        "<tr><td>Ed<td style='display:none'>x<td>600<td>60",
    )
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        f"<table><tr><th>Name<th>Salary<th>Age{''.join(rows)}</table>",
    )
    (table,) = (await page.snapshot()).records()
    assert [record.values for record in table.records] == [
        {"Name": "Bob", "Age": "40"},
        {"Name": "Cy"},
        {"Salary": "700", "Age": "50"},
        {"Name": "Ed", "Salary": "600", "Age": "60"},
    ]


async def test_tables_say_what_is_chosen_and_struck(page: hybridsnap.Page) -> None:
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        """<table><tr><th>Task<th>Done<th>Star<th>Size<th>Price
        <tr><td>A<td><input type=checkbox checked aria-label=done><td><button aria-pressed=true>Star</button>
        <td><input type=radio name=s aria-label=S><input type=radio name=s checked aria-label=M>
        <td><s>€5</s> €4
        <tr><td>B<td><input type=checkbox aria-label=done><td><button aria-pressed=false>Star</button>
        <td><select><option>S<option selected>L</select><td>€4
        <tr><td>C<td><input type=checkbox checked><td aria-label=Starred><input type=checkbox checked>
        <td><input value=XL aria-label=Size><td>€3 (was <s>€3</s>)
        <tr><td>D<td><td><td><td><s></s></table>""",
    )
    (table,) = (await page.snapshot()).records()
    assert [tuple(record.values.values()) for record in table.records] == [
        ("A", "done (checked)", "Star (pressed)", "S M (checked)", "~~€5~~ €4"),
        ("B", "done", "Star", "L", "€4"),
        ("C", "checked", "Starred (checked)", "XL", "€3 (was ~~€3~~)"),
        ("D", "", "", "", ""),
    ]
    box, star, *_ = table.records[0].controls
    assert (box.states, star.states) == (("checked",), ("pressed",))
    assert table.records[2].controls[-1].value == "XL"


async def test_parts_of_a_row_in_pinned_columns_are_joined(page: hybridsnap.Page) -> None:
    def part(column: int, *cells: tuple[int, str]) -> str:
        return "".join(
            f"<div role=row aria-rowindex={row}><i role={'gridcell' if row > 1 else 'columnheader'}"
            f" aria-colindex={column}>{text}</i></div>"
            for row, text in cells
        )

    left = part(1, (1, "Name"), (2, "Ann"), (3, "Bob <button>Edit</button>"))
    right = part(2, (1, "Age"), (3, "40 <button>Up</button>"), (2, "30"))
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        f"<div role=grid aria-rowcount=9><div>{left}</div><div>{right}</div></div>",
    )
    (grid,) = (await page.snapshot()).records()
    assert (grid.columns, grid.total) == (("Name", "Age"), 8)
    assert [(record.index, tuple(record.values.values())) for record in grid.records] == [
        (2, ("Ann", "30")),
        (3, ("Bob Edit", "40 Up")),
    ]
    assert [one.name for one in grid.records[1].controls] == ["Edit", "Up"]


async def test_columns_with_the_addresses_of_links(page: hybridsnap.Page) -> None:
    card = (
        "<div class=c><h3><a href=/{0}>Tea {0}</a></h3><p>By <a href=/p>P</a> and <a href=/q>Q</a></p></div>"
    )
    await page.goto("data:text/html,<title>links")
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        "<base href=https://tea.example><table><tr><th>Name<th>Name (url)<th>Price"
        "<tr><td rowspan=2><a href=/a>A</a><td>x<td>1<tr><td>y<td><a href=/b>2</a></table>"
        f"<section>{''.join(card.format(n) for n in range(3))}</section>"
        "<dl><dt>Site<dd><a href=/s>S</a></dl>",
    )
    snapshot = await page.snapshot()
    table, cards, terms = snapshot.records()
    site = "https://tea.example"
    assert table.to_dicts(urls=True)[1] == {
        "Name": "A",
        "Name (url) (url)": f"{site}/a",
        "Name (url)": "y",
        "Price": "2",
        "Price (url)": f"{site}/b",
    }
    assert cards.to_dicts(urls=True)[1] == {
        "heading": "Tea 1",
        "heading (url)": f"{site}/1",
        "text": "By P and Q",
        "text (url)": f"{site}/p {site}/q",
    }
    assert terms.records[0].urls == {"Site": f"{site}/s"}
    assert terms.to_csv(urls=True) == f"Site,Site (url)\r\nS,{site}/s\r\n"
    assert "urls" not in snapshot.render("records")
    lines = list(map(json.loads, snapshot.render("records", urls=True).splitlines()))
    assert lines[-1]["urls"] == {"Site": f"{site}/s"}
    assert snapshot.render("records", csv=True, urls=True).endswith(f"Site,Site (url)\nS,{site}/s")


async def test_what_tells_controls_of_one_row_apart_is_their_column(page: hybridsnap.Page) -> None:
    def row(head: str, *cells: str) -> str:
        return f"<tr>{head}{''.join(f'<td>{cell}' for cell in cells)}"

    book, choose, box = "<button>Book</button>", "<button>Choose</button>", "<input type=checkbox>"
    plans = row("<th>Plan<th>Basic<th>Pro") + row("<td>Price", "1", "2") + row("<td>", choose, choose)
    hours = row("<td><th>Mon<th>Tue") + row("<th>9:00", book, book) + row("<th>10:00", book, book)
    rights = row("<th>Name<th>Read<th>Edit") + row("<td>Ann", box, box) + row("<td>Bob", box, box)
    people = row("<th>Name<th>Do") + row("<td>Ann", "<a href=#>Go</a>") + row("<td>Bob", "<a href=#>Go</a>")
    html = "".join(f"<table>{rows}</table>" for rows in (plans, hours, rights, people))
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    snapshot = await page.snapshot()
    controls = [one.id for one in snapshot.rows if one.role in ("button", "checkbox", "link")]
    expected = [
        *("Basic", "Pro", "9:00, Mon", "9:00, Tue", "10:00, Mon", "10:00, Tue"),
        *("Ann, Read", "Ann, Edit", "Bob, Read", "Bob, Edit", "Ann", "Bob"),
    ]
    assert [snapshot.beside(id_ or "") for id_ in controls] == expected
    lines = [
        line
        for role in ("button", "checkbox", "link")
        for line in find_elements(snapshot, {"role": role}).lines
    ]
    assert [line.partition("[beside=")[2][1:-2] for line in lines] == expected


#: Tables, and lines of the format ``ai``.
_UNEVEN = {
    "row headers over two rows, and two rows of headers": (
        """<table><tr><th rowspan=2>City<th rowspan=2>Kind<th colspan=2>2025<th colspan=2>2026
        <tr><th>Jan<th>Feb<th>Jan<th>Feb<tr><th rowspan=2>Oslo<td>in<td>1<td>2<td>3<td>4
        <tr><td>out<td>9<td>10<td colspan=2>none</table>""",
        [
            "City: Oslo | Kind: in | 2025 Jan: 1 | 2025 Feb: 2 | 2026 Jan: 3 | 2026 Feb: 4",
            "City: Oslo | Kind: out | 2025 Jan: 9 | 2025 Feb: 10 | none",
        ],
    ),
    "a last cell over two rows": (
        "<table><tr><th>Who<th>Day<tr><td>Ann<td rowspan=2>Mon<tr><td>Bob</table>",
        ["Who: Ann | Day: Mon", "Who: Bob | Day: Mon"],
    ),
    "a cell that is not visible": (
        "<table><tr><th>Who<th>Pay<th>Age<tr><td>Ann<td style='visibility:hidden'>9<td>40</table>",
        ["Who: Ann | Age: 40"],
    ),
    "columns that the page numbers": (
        """<div role=grid><div role=row><i role=columnheader aria-colindex=1>Who</i>
        <i role=columnheader aria-colindex=2>Pay</i><i role=columnheader aria-colindex=4>Age</i></div>
        <div role=row><i role=gridcell aria-colindex=1>Ann</i><i role=gridcell aria-colindex=4>40</i></div>
        </div>""",
        ["Who: Ann | Age: 40"],
    ),
    "a box that chooses all": (
        """<table><tr><th><input type=checkbox aria-label=All><th>Who<th colspan=2>Day
        <tr><td><input type=checkbox><td>Ann<td>Mon<td>Tue</table>""",
        ["| Who: Ann | Day: Mon | Day: Tue"],
    ),
}


@pytest.mark.parametrize("name", _UNEVEN)
async def test_lines_for_a_model_name_columns_that_records_know(page: hybridsnap.Page, name: str) -> None:
    html, lines = _UNEVEN[name]
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    text = str((await page.snapshot()).render("ai"))
    rows = [line.partition("row: ")[2] for line in text.splitlines() if "row: " in line]
    assert rows[-len(lines) :] == lines
    assert "?All" not in text
