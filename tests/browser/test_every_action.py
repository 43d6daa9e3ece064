"""Every action of a page, by the id that a snapshot has shown, in every kind of frame and shadow root.

The other tests try each action's plan at its hard places; here all go the way that users go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from pathlib import Path

    from hybridsnap import Page, Receipt, Snapshot
    from hybridsnap.model import ElementId

_STYLE = "<style>[role=button] { display: inline-block; width: 70px; height: 30px; background: #def }</style>"
#: What stands in every frame; WHERE is where. What is done to an element is written down in its dataset.
_PART = """
<button aria-label="WHERE go" onclick="this.dataset.clicks = event.detail" onfocus="this.dataset.focused = 1"
  onmouseenter="this.dataset.over = 1" onkeydown="this.dataset.key = event.key"
  onkeyup="this.dataset.up = event.key">Go</button>
<input aria-label="WHERE text" value=old><input aria-label="WHERE box" type=checkbox>
<input aria-label="WHERE day" type=date><input aria-label="WHERE file" type=file>
<select aria-label="WHERE pick"><option>none<optgroup label=G><option value=a>A<option value=b>B</optgroup>
</select>
<div role=button draggable=true aria-label="WHERE source"
  ondragstart="event.dataTransfer.setData('text/plain', 'from WHERE')">source</div>
<div role=button aria-label="WHERE target" ondragover="event.preventDefault()"
  ondrop="this.dataset.got = event.dataTransfer.getData('text/plain'); event.preventDefault()">target</div>
<div role=region tabindex=0 aria-label="WHERE scroller" style="height: 50px; overflow: auto">
  <div style="height: 400px"></div><button aria-label="WHERE low">Low</button></div>
"""
_FRAME = "<iframe src='http://{}:{{PORT}}/{}' style='width: 700px; height: {}px; border: 3px solid'></iframe>"
_HERE, _THERE = "127.0.0.1", "localhost"


def _part(where: str) -> str:
    return _PART.replace("WHERE", where)


def _shadow(mode: str, where: str) -> str:
    return f"<div><template shadowrootmode={mode}>{_STYLE}{_part(where)}</template></div>"


_PAGES = {
    "/": _STYLE
    + _part("main")
    + _shadow("open", "open")
    + _shadow("closed", "closed")
    + _FRAME.format(_HERE, "same", 400)
    + _FRAME.format(_THERE, "cross", 600),
    "/same": _STYLE + _part("same") + _FRAME.format(_THERE, "deep", 200),
    "/deep": _STYLE + _part("deep"),
    "/cross": _STYLE + _part("cross") + _shadow("closed", "shut") + _FRAME.format(_HERE, "back", 200),
    "/back": _STYLE + _part("back"),
}
#: In the main frame, a frame of the same site and of another, frames within those, and shadow roots.
_WHERE = ["main", "open", "closed", "same", "deep", "cross", "shut", "back"]
#: Those of the gate: a shadow root of the page, one within another process, a process below a frame of ours.
#: Single actions go to all the others in `test_keyboard`, `test_forms` and `test_clicks_land`.
_FEW = ["closed", "deep", "shut"]


class Place:
    """One kind of frame of an open page."""

    def __init__(self, page: Page, snapshot: Snapshot, where: str) -> None:
        self.page = page
        self.where = where
        #: An element's name, but for where it is → its id.
        self.ids: dict[str, ElementId] = {
            row.name.partition(" ")[2]: row.id
            for row in snapshot.rows
            if row.id is not None and row.name.partition(" ")[0] == where
        }

    async def of(self, name: str, expression: str) -> Any:
        return await self.page.evaluate(f"(it) => {expression}", element=self.ids[name])

    def check(self, receipt: Receipt, name: str) -> None:
        assert receipt.element_id == self.ids[name]
        assert not receipt.nothing_happened, receipt


@pytest.mark.parametrize(
    "places", [_FEW, pytest.param(_WHERE, marks=pytest.mark.soak)], ids=["a few places", "everywhere"]
)
@pytest.mark.parametrize("part", ["pointer and scrolling", "keyboard", "forms and reading"])
async def test_every_action(page: Page, part: str, places: list[str], tmp_path: Path) -> None:
    """One page for all places: each has elements of its own."""
    (tmp_path / "note.txt").write_text("words")
    async with serve_pages(_PAGES) as pages:
        await page.goto(pages.url("/"))
        for where in places:
            snapshot = await page.snapshot(timeout=20)
            assert snapshot.report.complete
            assert len(snapshot.report.frames) == 5
            place = Place(page, snapshot, where)
            try:
                if part == "keyboard":
                    await use_keyboard(place)
                elif part == "forms and reading":
                    await fill_and_read(place, tmp_path / "note.txt")
                else:
                    await point_and_scroll(place)
            except Exception as error:
                error.add_note(f"in the place {where!r}")
                raise


async def point_and_scroll(place: Place) -> None:
    page, ids = place.page, place.ids
    await page.hover(ids["go"])
    assert await place.of("go", "it.dataset.over") == "1"
    place.check(await page.click(ids["go"]), "go")
    assert await place.of("go", "it.dataset.clicks") == "1"
    place.check(await page.click(ids["go"], count=2), "go")
    assert await place.of("go", "it.dataset.clicks") == "2"
    await page.scroll_into_view(ids["go"])
    box = await page.bounding_box(ids["go"])
    assert box is not None
    await page.click_at(box[0] + box[2] / 2, box[1] + box[3] / 2)
    assert await place.of("go", "it.dataset.clicks") in {"1", "3"}  # it may count as the third of a row
    place.check(await page.drag(ids["source"], ids["target"]), "source")
    assert await place.of("target", "it.dataset.got") == f"from {place.where}"
    receipt = await page.scroll("down", element=ids["scroller"], distance=30)
    assert receipt.value == {"x": 0, "y": 30, "what": "element"}
    assert await place.of("scroller", "it.scrollTop") == 30
    place.check(await page.scroll_into_view(ids["low"]), "low")
    assert await place.of("scroller", "it.scrollTop") > 300
    await page.highlight(ids["low"], seconds=0.01)


async def use_keyboard(place: Place) -> None:
    page, ids = place.page, place.ids
    receipt = await page.focus(ids["go"])
    assert receipt.focus is not None
    assert receipt.focus[1] == ids["go"]
    await page.press("Home")
    assert await place.of("go", "[it.dataset.key, it.dataset.up]") == ["Home", "Home"]
    await page.key_down("Shift")
    assert await place.of("go", "[it.dataset.key, it.dataset.up]") == ["Shift", "Home"]
    await page.key_up("Shift")
    assert await place.of("go", "it.dataset.up") == "Shift"
    place.check(await page.type(ids["text"], "er"), "text")
    assert await place.of("text", "it.value") == "older"
    place.check(await page.type(ids["text"], "new", clear=True, delay=0.001), "text")
    await page.press("Backspace", element=ids["text"])
    assert await place.of("text", "it.value") == "ne"


async def fill_and_read(place: Place, path: Path) -> None:
    page, ids = place.page, place.ids
    place.check(await page.fill(ids["text"], "filled"), "text")
    place.check(await page.clear(ids["text"]), "text")
    assert await place.of("text", "it.value") == ""
    place.check(await page.check(ids["box"]), "box")
    assert await place.of("box", "it.checked")
    place.check(await page.uncheck(ids["box"]), "box")
    for options in ({"value": "b"}, {"label": "A"}, {"index": 2}):
        place.check(await page.select_option(ids["pick"], **options), "pick")
    assert await place.of("pick", "it.value") == "b"
    place.check(await page.set_input_files(ids["file"], path), "file")
    assert await place.of("file", "it.files[0].text()") == "words"
    entries = {"text": "all", "box": True, "day": "2026-11-21", "pick": "A"}
    receipt = await page.fill_form([{"id": ids[name], "value": value} for name, value in entries.items()])
    assert [one["id"] for one in receipt.value] == [ids[name] for name in entries]
    assert await place.of("text", "it.value") == "all"
    assert await place.of("box", "it.checked")
    assert await place.of("day", "it.value") == "2026-11-21"
    assert await place.of("pick", "it.value") == "a"
    assert (await page.outer_html(ids["low"])).endswith(">Low</button>")
    assert await page.text(ids["target"]) == "target"
    assert (await page.attributes(ids["text"]))["value"] == "old"
