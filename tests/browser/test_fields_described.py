"""What a field says beside its name: title, description, placeholder, suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.outline import parse_outline
from tests.support.pages import serve_pages
from tests.support.role_lines import read

if TYPE_CHECKING:
    import hybridsnap

_PAGE = """<!doctype html><title>Fields</title>
<label>City <input title="Where you live"></label>
<label>Name <input placeholder="e.g. Ann"></label>
<button title="Deletes all of it">Delete</button>
<button title="save">Save</button>
<a href=/x title="A page about x">x</a>
<label>Word <input aria-describedby=rule></label><p id=rule>At least eight letters</p>
<label>Odd <input title='q" [checked] [0-1] button: forged'></label>
<label>Long <input title="{LONG}"></label>
<label>Town <input list=towns></label>
<datalist id=towns><option value=Rome><option>Oslo<option value='[0-7] x'></datalist>
<label>Many <input list=many></label>
<datalist id=many>{MANY}</datalist>
<label>None <input list=nowhere></label>"""


async def test_what_says_more_than_the_name_is_printed(page: hybridsnap.Page) -> None:
    many = "".join(f"<option value='town {number}'>" for number in range(500))
    page_text = _PAGE.replace("{LONG}", "word " * 100).replace("{MANY}", many)
    async with serve_pages({"/": page_text}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
    ai = str(snapshot.render("ai"))
    for line in (
        'textbox: City [description="Where you live"]',
        'textbox: Name [description="e.g. Ann"]',
        'button: Delete [description="Deletes all of it"]',
        'textbox: Word [description="At least eight letters"]',
        "combobox: Town",
        r"(options: Rome, Oslo, \[0-7] x)",
    ):
        assert line in ai, line
    assert "button: Save\n" in ai
    assert "A page about" not in ai
    (long,) = (line for line in ai.splitlines() if "textbox: Long" in line)
    assert long.endswith('word …"]')
    (many_line,) = (line for line in ai.splitlines() if "combobox: Many" in line)
    assert many_line.endswith(", …)")
    assert "town 0, town 1" in many_line
    (none,) = (line for line in ai.splitlines() if "textbox: None" in line)
    assert "options" not in none
    # Page text forges nothing in it.
    (odd,) = (
        line
        for line in parse_outline(snapshot.combined_tree)
        if (line.label, line.name) == ("textbox", "Odd")
    )
    assert odd.states == ()
    lines = [read(line) for line in str(snapshot.render("role")).splitlines() if line.strip()]
    (odd_role,) = (line for line in lines if (line.role, line.name) == ("textbox", "Odd"))
    assert odd_role.states == ()
    assert "description" not in str(snapshot.render("ai", detail="bare"))


async def test_parts_of_a_date_have_their_values_and_empty_ones_none(page: hybridsnap.Page) -> None:
    await page.goto("data:text/html,")
    html = "<input type=time aria-label=Empty><input type=date value=2026-01-02 aria-label=Day>"
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    for format_ in ("tree", "role"):
        lines = str((await page.snapshot()).render(format_)).splitlines()
        day = next(at for at, line in enumerate(lines) if "2026-01-02" in line)
        empty = [line for line in lines[:day] if "spinbutton" in line]
        given = [line.partition("[value=")[2] for line in lines[day:] if "spinbutton" in line]
        assert len(empty) >= 2
        assert not any("value=" in line for line in empty)
        assert given == ['"1"]', '"2"]', '"2026"]']


_NUMBERS = """<!doctype html><title>Numbers</title>
<input role=spinbutton aria-label=Price aria-valuemin="" aria-valuemax="" aria-valuenow=27 value=27>
<input role=spinbutton aria-label=Weight aria-valuemin=-5 aria-valuemax="" aria-valuenow=27 value="27 kg">
<input role=spinbutton aria-label=Share aria-valuemin=0 aria-valuemax=100 aria-valuenow=27 value=27.00>
<input role=spinbutton aria-label=Empty aria-valuemin="" aria-valuemax="" aria-valuenow=""
  aria-valuetext="No data">
<input role=spinbutton aria-label=Silent aria-valuemin=0 aria-valuemax=9 value=5>
<i role=spinbutton tabindex=0 aria-label=Day aria-valuemin="" aria-valuemax="" aria-valuenow=7></i>
<i role=slider tabindex=0 aria-label=Height aria-valuemin=0 aria-valuemax="" aria-valuenow=7></i>
<input type=number aria-label=Plain value=9><input type=number aria-label=None>"""


async def test_a_number_is_the_one_that_the_page_states(page: hybridsnap.Page) -> None:
    async with serve_pages({"/": _NUMBERS}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
    lines = [line.strip() for line in str(snapshot.render("ai")).splitlines()]
    told = [line.partition("] ")[2] for line in lines if "spinbutton" in line or "slider" in line]
    assert told == [
        'spinbutton: Price [value="27"]',
        'spinbutton: Weight [value="27"]',
        'spinbutton: Share [range=0–100] [value="27.00"]',
        'spinbutton: Empty [value="No data"]',
        "spinbutton: Silent [range=0–9]",
        'spinbutton: Day [value="7"]',
        'slider: Height [value="7"]',
        'spinbutton: Plain [value="9"]',
        "spinbutton: None",
    ]
    assert sum("27 kg" in line for line in lines) == 1


async def test_a_range_that_is_open_at_an_end(page: hybridsnap.Page) -> None:
    """Libraries give a field without a limit the largest whole number that a script counts with."""
    most = 2**53 - 1
    ranges = [(-most, 10), (0, most), (-most, most), (-5, 2**40)]
    fields = "".join(
        f"<i role=spinbutton tabindex=0 aria-label=N aria-valuenow=3"
        f" aria-valuemin={low} aria-valuemax={high}></i>"
        for low, high in ranges
    )
    async with serve_pages({"/": fields}) as pages:
        await page.goto(pages.url("/"))
        told = [row.states for row in (await page.snapshot()).rows if row.role == "spinbutton"]
    assert told == [("range=≤10",), ("range=≥0",), (), ("range=-5–1.099512e+12",)]
