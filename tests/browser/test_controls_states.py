"""`controls` says what a control holds and the states it is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import hybridsnap


@pytest.fixture
async def page(home_page: hybridsnap.Page) -> hybridsnap.Page:
    return home_page


_BLOCKS: list[tuple[str, list[str]]] = [
    ("<input type=checkbox checked id=c>", ["[Checkbox] c -> input#c", "State: checked"]),
    ("<input type=radio checked disabled id=c>", ["[Radio] c -> input#c", "State: checked, disabled"]),
    (
        "<input id=c value=Ann required>",
        ["[Input] c -> input#c", "Type: text", 'Value: "Ann"', "State: required"],
    ),
    ("<input id=c type=password value=hush>", ["[Input] c -> input#c", "Type: password"]),
    (
        "<input id=c type=range min=0 max=9 value=4 disabled>",
        ["[Slider] c -> input#c", "Type: range", 'Value: "4"', "State: disabled"],
    ),
    (
        "<div id=c role=slider tabindex=0 aria-valuenow=3 aria-valuetext='three stars'></div>",
        ["[Slider] c -> div#c", "Type: slider", 'Value: "3 (three stars)"'],
    ),
    (
        "<button id=c aria-pressed=true>B</button>",
        ["[Button] B -> button#c", 'Text: "B"', "State: pressed"],
    ),
    ("<select id=c><option>p<option>q</select>", ["[Select] c -> select#c", "Options: p, q"]),
    (
        "<select id=c><option>p<option selected>q</select>",
        ["[Select] c -> select#c", "Options: p, q", 'Value: "q"'],
    ),
    (
        "<select id=c multiple><option selected>x<option>y<option selected>z</select>",
        ["[Select] c -> select#c", "Options: x, y, z", 'Value: "x", "z"'],
    ),
    (
        "<ul id=c role=listbox tabindex=0><li role=option>A<li role=option aria-selected=true>B</ul>",
        ["[Select] c -> ul#c", "Options: A, B", 'Value: "B"'],
    ),
    (
        "<div id=c role=switch tabindex=0 aria-checked=mixed></div>",
        ["[Checkbox] c -> div#c"],
    ),
    (
        "<div id=c role=checkbox tabindex=0 aria-checked=mixed></div>",
        ["[Checkbox] c -> div#c", "State: mixed"],
    ),
]


async def test_values_and_states(page: hybridsnap.Page, subtests: pytest.Subtests) -> None:
    for html, block in _BLOCKS:
        with subtests.test(html):
            await page.evaluate("html => { document.body.innerHTML = html }", html)
            lines = (await page.snapshot()).render("controls", lang="en").splitlines()
            assert [line.strip() for line in lines[6:]] == block


async def test_text_that_is_cut_says_so(page: hybridsnap.Page) -> None:
    await page.evaluate(
        "() => { document.body.innerHTML = '<div onclick=x>' + '<p>many words </p>'.repeat(300) + '</div>' }"
    )
    assert (await page.snapshot()).render("controls", lang="en").endswith(' many words…"')


async def test_an_open_combobox_with_a_field_in_it_has_its_value_once(page: hybridsnap.Page) -> None:
    html = """<div id=c role=combobox tabindex=0 aria-expanded=false aria-label=Language
        onclick="l.hidden = !l.hidden; c.ariaExpanded = !l.hidden">
        <input readonly tabindex=-1 value="en - English">
        <div id=l role=listbox hidden><div role=option aria-selected=true>en - English</div>
        <div role=option>de - Deutsch</div></div></div>"""
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    closed = await page.snapshot()
    await page.click("#c")
    opened = await page.snapshot()
    for snapshot in (closed, opened):
        assert [one.value for one in snapshot.find("combobox")] == ["en - English"]
    assert "value was" not in str(opened.diff(closed))
