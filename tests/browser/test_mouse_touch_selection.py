"""The mouse button by button, fingers, selections of text, values on a scale, taking the focus away."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap import ElementCovered, NotInteractable
from tests.support.pages import busy_for, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from hybridsnap import Page

_PAGE = """<!doctype html><title>Board</title><style>body { margin: 0 }</style>
<canvas id=board width=300 height=100 style="display: block; background: #eee"></canvas>
<button id=go>Go</button> <button id=other>Other</button>
<input id=field value="Hällo 😀 world"><input id=secret type=password value=hidden>
<input id=mail type=email value=me@example.com><textarea id=area>one
two</textarea>
<p id=para>Some <b>bold</b> text</p><div id=rich contenteditable>rich <i>text</i></div>
<input id=range type=range min=0 max=50 step=5><input id=number type=number><input id=date type=date>
<div id=slider role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=10 aria-valuenow=5
  onkeydown="const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key] ?? 0;
    this.ariaValueNow = Number(this.ariaValueNow) + by">slider</div>
<div id=host></div>
<div id=list tabindex=0 style="height: 100px; width: 100px; overflow: auto">
  <div style="height: 2000px">long</div></div>
<div style="height: 3000px"></div>
<script>
const got = [];
for (const type of ["mousedown", "mousemove", "mouseup"]) {
  board.addEventListener(type, (event) => got.push([type, event.offsetX, event.offsetY, event.buttons]));
}
for (const type of ["touchstart", "touchend", "pointerdown", "mousedown", "click"]) {
  for (const one of [go, other]) one.addEventListener(type, (event) => got.push([type, event.target.id]));
}
field.addEventListener("change", () => got.push(["change"]));
host.attachShadow({ mode: "open" }).innerHTML = "<p id=inner>in shadow</p>";
</script>"""


@pytest.fixture
async def page(page: Page) -> AsyncIterator[Page]:
    async with serve_pages({"/": _PAGE}) as pages:
        await page.goto(pages.url("/"))
        yield page


async def test_a_button_is_held_from_one_action_to_the_next(page: Page) -> None:
    with pytest.raises(ValueError, match="the pointer is nowhere yet"):
        await page.mouse_down()
    with pytest.raises(TypeError, match="x and y, or neither"):
        await page.mouse_down(x=5)
    with pytest.raises(ValueError, match="button is left, middle or right"):
        await page.mouse_down(x=5, y=5, button="thumb")  # type: ignore[arg-type]
    await page.mouse_down(x=10, y=20)
    assert (await page.mouse_down()).notes == ("the left button was down already",)
    await page.move_to(60, 20)
    await page.mouse_down(button="right")
    receipt = await page.mouse_up(x=60, y=70)
    assert receipt.action == "let go of the left mouse button"
    await page.mouse_up(button="right")
    assert (await page.mouse_up()).notes == ("the left button was not down",)
    got = await page.evaluate("got")
    held = [one for one in got if one[0] == "mousemove" and one[3]]
    assert ["mousemove", 60, 20, 1] in held
    assert ["mousemove", 60, 70, 3] in held
    assert [one[0] for one in got][:2] == ["mousemove", "mousedown"]


async def test_a_path_is_drawn(page: Page) -> None:
    receipt = await page.mouse_path([(10, 10), (110, 10), (110, 60)], steps=2)
    assert receipt.action == "lead the mouse along 3 points"
    assert await page.evaluate("got") == [
        ["mousemove", 10, 10, 0],
        ["mousedown", 10, 10, 1],
        ["mousemove", 60, 10, 1],
        ["mousemove", 110, 10, 1],
        ["mousemove", 110, 35, 1],
        ["mousemove", 110, 60, 1],
        ["mouseup", 110, 60, 0],
    ]
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        ([(1, 1)], {}, "points: expected a list of 2 to"),
        ([(1, 1), (2, "b")], {}, "point 1 of the path is two numbers"),
        ([(1, 1), (2, 2)], {"steps": 0}, "steps: expected a whole number"),
        ([(1, 1), (2, 2)], {"duration": -1}, "duration: expected a number of seconds"),
    ]
    for points, options, words in wrong:
        with pytest.raises((TypeError, ValueError), match=words):
            await page.mouse_path(points, **options)


async def test_taps(page: Page) -> None:
    receipt = await page.tap("#go")
    assert receipt.action == "tap"
    assert [one[0] for one in await page.evaluate("got")] == [
        "pointerdown",
        "touchstart",
        "touchend",
        "mousedown",
        "click",
    ]
    await page.evaluate(
        "() => { const over = document.createElement('div'); over.style ="
        " 'position: fixed; inset: 0; z-index: 9'; document.body.append(over); got.length = 0; }"
    )
    with pytest.raises(ElementCovered):
        await page.tap("#go", wait=0.5, timeout=20)
    assert await page.evaluate("got") == []


@pytest.mark.parametrize("times", [3, pytest.param(10, marks=pytest.mark.soak)])
async def test_a_tap_reaches_no_other_element(page: Page, times: int) -> None:
    """An element that comes and goes over the one that is tapped hears nothing of it."""
    await page.evaluate(
        """() => {
          const place = { position: 'absolute', top: '200px', left: 0 };
          for (const one of [go, other]) Object.assign(one.style, place);
          setInterval(() => { other.hidden = !other.hidden; }, 20);
        }"""
    )
    taps = 0
    for _ in range(times):
        with contextlib.suppress(ElementCovered, NotInteractable):
            await page.tap("#go", timeout=5)
            taps += 1
    got = await page.evaluate("got")
    assert taps
    assert {target for _, target in got} == {"go"}


async def test_swipes(page: Page) -> None:
    receipt = await page.swipe("up", element="#list", distance=60, duration=0.05)
    assert receipt.action == "swipe up"
    await page.wait_for(function="document.querySelector('#list').scrollTop > 20")
    await page.swipe("up", duration=0.05)
    await page.wait_for(function="scrollY > 50")
    with pytest.raises(ValueError, match="direction is up, down, left or right"):
        await page.swipe("in")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="distance: expected a positive number"):
        await page.swipe("up", distance=0)


@pytest.mark.parametrize("ends", [(4, 9), pytest.param(range(1, 7), marks=pytest.mark.soak)])
async def test_a_page_has_heard_of_a_selection_when_it_is_made(page: Page, ends: Iterable[int]) -> None:
    """Editors read the selection upon the event, which comes late where frames take long."""
    await page.evaluate(f"""void (() => {{
        window.heard = "";
        document.onselectionchange = () => setTimeout(() => {{ heard = String(getSelection()); }}, 1);
        const draw = () => {{
            {busy_for(100)}
            requestAnimationFrame(draw);
        }};
        draw();
    }})()""")
    for end in ends:
        await page.select_text("#rich", end=end, receipt=False)
        assert await page.evaluate("heard") == "rich text"[:end]


async def test_text_is_selected(page: Page) -> None:
    chosen = "({ start: field.selectionStart, end: field.selectionEnd })"
    receipt = await page.select_text("#field")
    assert receipt.value == {"start": 0, "end": 13, "text": "Hällo 😀 world"}
    assert str(receipt).splitlines()[1] == '  selected characters 0 to 13: "Hällo 😀 world"'
    assert await page.evaluate(chosen) == {"start": 0, "end": 14}
    assert (await page.select_text("#field", start=6, end=7)).value["text"] == "😀"
    assert await page.evaluate(chosen) == {"start": 6, "end": 8}
    assert (await page.select_text("#area", start=4)).value["text"] == "two"
    assert (await page.select_text("#secret")).value == {"start": 0, "end": 6, "text": None}
    await page.select_text("#mail")
    with pytest.raises(NotInteractable, match="whose text has no selection"):
        await page.select_text("#mail", end=2)
    for selector, start, end, text in (
        ("#para", 3, 7, "e bo"),
        ("#para", 0, None, "Some bold text"),
        ("#rich", 5, 9, "text"),
    ):
        assert (await page.select_text(selector, start=start, end=end)).value["text"] == text
        assert await page.evaluate("String(getSelection())") == text
    assert (await page.active_element()) is not None, "editable text has the focus"
    assert (await page.select_text("#host >> #inner", end=2)).value["text"] == "in"
    assert await page.evaluate("String(host.shadowRoot.getSelection())") == "in"
    with pytest.raises(NotInteractable, match="it has 14 characters; 3 to 99 is not within them"):
        await page.select_text("#para", start=3, end=99)
    with pytest.raises(NotInteractable, match="an input of type range, whose text has no selection"):
        await page.select_text("#range", start=1)
    with pytest.raises(ValueError, match="expected start <= end, got 3 and 1"):
        await page.select_text("#para", start=3, end=1)


async def test_the_focus_is_taken_away(page: Page) -> None:
    await page.type("#field", "!")
    receipt = await page.blur()
    assert receipt.focus is not None
    assert receipt.focus[1] == ""
    assert await page.evaluate("got") == [["change"]]
    assert (await page.blur()).notes == ("nothing had the focus",)
    assert (await page.blur(element="#go")).notes == ("it did not have the focus",)


async def test_values_on_a_scale(page: Page) -> None:
    await page.set_value("#range", 35)
    await page.set_value("#number", 2.5)
    await page.set_value("#date", "2026-11-22")
    values = "[range.value, number.value, date.value]"
    assert await page.evaluate(
        f"(() => {{ const number = document.querySelector('#number'); return {values} }})()"
    ) == [
        "35",
        "2.5",
        "2026-11-22",
    ]
    await page.set_value("#slider", 7)
    assert await page.evaluate("slider.ariaValueNow") == "7"
    with pytest.raises(NotInteractable, match="no value on a scale; use fill"):
        await page.set_value("#field", 3)
    with pytest.raises(NotInteractable):
        await page.set_value("#range", 7)
    with pytest.raises(TypeError, match="value: expected a number or a str"):
        await page.set_value("#range", None)  # type: ignore[arg-type]
