"""Layout: marks that are right, none that are wrong, and bounds as the page itself measures them."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest

import hybridsnap
from hybridsnap.capture.roles import CLICKABLE, COVERED_BY, OFFSCREEN
from hybridsnap.model import ElementId
from tests.support.pages import serve_pages, until_sized

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page, Snapshot
    from hybridsnap.model import Box

#: Cells of 140 by 40; `{TOP}` puts the same grid half out of a frame that is scrolled to it.
GRID = """<!doctype html><title>grid</title><style>
  body { margin: 0; font: 12px sans-serif }
  .cell { position: absolute; box-sizing: border-box; width: 120px; height: 30px; margin: 0; padding: 0 }
</style>
<body>
<button id=plain class=cell style="left:0;top:200px">plain</button>
<button id=covered class=cell style="left:140px;top:200px">covered</button>
<div id=cover class=cell style="left:135px;top:195px;width:130px;height:40px;background:red"></div>
<button id=below_glass class=cell style="left:280px;top:200px">below glass</button>
<div id=glass class=cell style="left:280px;top:200px;pointer-events:none;background:#0003">glass</div>
<button id=badged class=cell style="left:420px;top:200px">badged</button>
<div id=badge class=cell style="left:470px;top:205px;width:20px;height:20px;background:red">3</div>

<button id=transparent class=cell style="left:0;top:240px;opacity:0">transparent</button>
<button id=below_nothing class=cell style="left:140px;top:240px">below nothing</button>
<div id=nothing class=cell style="left:140px;top:240px;opacity:0"></div>
<div class=cell style="left:280px;top:240px;opacity:0.5">
  <div style="opacity:0"><a id=faint href="#x">faint</a></div></div>
<button id=own_child class=cell style="left:420px;top:240px">
  <span style="position:absolute;inset:0">child</span></button>

<div id=by_attribute class=cell style="left:0;top:280px" onclick="0">by attribute</div>
<div id=by_listener class=cell style="left:140px;top:280px">by <b id=in_listener>listener</b></div>
<div id=open_host class=cell style="left:280px;top:280px"></div>
<div id=closed_host class=cell style="left:420px;top:280px"></div>

<div id=plain_div class=cell style="left:0;top:320px" aria-label="plain div" role=group>plain div</div>
<h2 id=hovered class=cell style="left:140px;top:320px">hovered</h2>
<label id=around class=cell style="left:280px;top:320px">around <input id=inside type=checkbox></label>
<input id=custom type=checkbox class=cell style="left:420px;top:320px">
<label for=custom class=cell style="left:420px;top:320px;background:#eee">custom</label>

<div class=cell style="left:0;top:360px;overflow:hidden">
  <button id=clipped style="margin-top:60px">clipped</button></div>
<div class=cell style="left:140px;top:360px;overflow:auto" tabindex=0>
  <button id=scrolled_out style="margin-top:90px">out</button></div>
<p id=lines class=cell style="left:280px;top:360px;height:60px">and
  <a id=first href="#1">a link over lines</a>
  or <a id=second href="#2">another link of lines</a> end</p>
<div id=edit class=cell contenteditable style="left:420px;top:360px">edit <i id=edited>this</i></div>

<button id=above class=cell style="left:0;top:10px">above</button>
<button id=left class=cell style="left:-400px;top:240px">left</button>
<button id=far class=cell style="left:0;top:3000px">far</button>
<button id=fixed style="position:fixed;left:560px;top:60px;width:40px;height:20px">fixed</button>
<x-tabs id=tabs class=cell style="left:560px;top:240px;width:60px"><button id=slotted>slot</button></x-tabs>
<script>
  by_listener.addEventListener("click", () => 0);
  hovered.addEventListener("mouseover", () => 0);
  for (const mode of ["open", "closed"]) {
    const root = document.getElementById(mode + "_host").attachShadow({ mode });
    root.innerHTML = `<div id=${mode}_clickable>in ${mode}</div><div id=${mode}_plain>plain</div>`;
    root.getElementById(mode + "_clickable").addEventListener("click", () => 0);
  }
  tabs.attachShadow({ mode: "open" }).innerHTML = "<div style='overflow:hidden'><slot></slot></div>";
  addEventListener("load", () => scrollTo(0, SCROLL));
</script>"""

#: What every element of the grid is marked with; those not named here, with nothing.
MARKS = {
    "covered": "covered by cover",
    "below_nothing": "covered by nothing",
    "by_attribute": "clickable",
    "by_listener": "clickable",
    "open_clickable": "clickable",
    "closed_clickable": "clickable",
    "clipped": "offscreen",
    "scrolled_out": "offscreen",
    "left": "offscreen",
    "far": "offscreen",
}
#: By how much the grid is scrolled: the first button goes out at the top.
SCROLL = 150
#: Once more in a frame in a process of its own, which may have had no size when it was loaded.
_SCROLLED = f"document.title !== 'grid' || (scrollTo(0, {SCROLL}), Math.round(scrollY) === {SCROLL})"
#: Plain elements that must be in the outline, or nothing is shown by their having no marks.
PLAIN = {
    "plain",
    "below_glass",
    "badged",
    "transparent",
    "faint",
    "own_child",
    "plain_div",
    "hovered",
    "inside",
} | {
    "custom",
    "first",
    "second",
    "fixed",
    "slotted",
}
HOLDER = """<!doctype html><title>holder</title><body style="margin:0"><p>above</p>
<iframe id=holder src="SOURCE" style="position:absolute;left:0;top:60px;
  width:650px;height:240px;border:4px solid;padding:6px 0 0 8px"></iframe>
<div id=bar style="position:absolute;left:0;top:150px;width:150px;height:40px;background:blue"></div>"""
PAGES = {
    "/grid.html": GRID.replace("SCROLL", str(SCROLL)),
    "/same.html": HOLDER.replace("SOURCE", "/grid.html"),
    "/cross.html": HOLDER.replace("SOURCE", "http://localhost:{PORT}/grid.html"),
}


def id_attributes(snapshot: Snapshot) -> dict[ElementId, str]:
    """Element id → the page's own ``id`` attribute."""
    capture = snapshot.content.source("a test")
    names: dict[ElementId, str] = {}
    for frame, state in capture.context.frames.items():
        index = None if state.session is None else capture.indexes[state.session]
        if index is None:
            continue
        for here in range(len(index.nodes)):
            if name := index.attribute(here, "id"):
                backend_id = index.nodes[here].backend_node_id
                names[ElementId(f"{capture.ordinals.by_frame[frame]}-{backend_id}")] = name
    return names


def marks_of(snapshot: Snapshot) -> dict[str, str]:
    """``id`` attribute → the marks of its row, with attributes in place of element ids."""
    names = id_attributes(snapshot)
    found: dict[str, str] = {}
    for row in snapshot.rows:
        if row.id is not None and (name := names.get(row.id)) is not None:
            marks = [
                COVERED_BY + names[ElementId(state.removeprefix(COVERED_BY))]
                if state.startswith(COVERED_BY)
                else state
                for state in row.states
                if state in (CLICKABLE, OFFSCREEN) or state.startswith(COVERED_BY)
            ]
            found[name] = ", ".join(marks)
    return found


def box_of(snapshot: Snapshot, name: str) -> Box:
    assert snapshot.layout is not None
    [box] = [
        snapshot.layout.boxes[id_]
        for id_, own in id_attributes(snapshot).items()
        if own == name and id_ in snapshot.layout.boxes
    ]
    return box


@contextlib.asynccontextmanager
async def opened(page: Page, path: str, pages: dict[str, str] = PAGES, scale: int = 1) -> AsyncIterator[Page]:
    async with serve_pages(pages) as served:
        await page.sessions[0].send(
            "Emulation.setDeviceMetricsOverride",
            {"width": 700, "height": 400, "deviceScaleFactor": scale, "mobile": False},
        )
        await page.goto(served.url(path))
        await until_sized(page, _SCROLLED)
        yield page


def assert_marks(marks: dict[str, str], different: dict[str, str]) -> None:
    assert PLAIN - set(marks) == set()
    expected = {**dict.fromkeys(marks, ""), **MARKS, **different}
    assert {name: mark for name, mark in marks.items() if mark} == {
        name: mark for name, mark in expected.items() if mark
    }


#: What lies differently in a frame: the first of its buttons is out at the top, the bar lies over another.
IN_FRAME = {"above": "offscreen", "transparent": "covered by bar", "bar": ""}


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize(
    ("path", "different"),
    [
        ("/grid.html", {"above": "offscreen"}),
        ("/same.html", IN_FRAME),
        ("/cross.html", IN_FRAME),
    ],
)
async def test_grid_is_marked_right(page: Page, path: str, different: dict[str, str], scale: int) -> None:
    async with opened(page, path, scale=scale):
        snapshot = await page.snapshot(timeout=20, layout=True)
        assert snapshot.report.notes == ()
        assert_marks(marks_of(snapshot), different)
        assert snapshot.layout is not None
        assert snapshot.layout.viewport.device_scale_factor == scale
        assert box_of(snapshot, "transparent").provenance == "transparent"
        assert box_of(snapshot, "faint").provenance == "transparent"
        assert box_of(snapshot, "faint").opacity == 0
        assert not box_of(snapshot, "glass").pointer_events
        foreign = "cross-origin" if path == "/cross.html" else ""
        assert box_of(snapshot, "plain").provenance == foreign
        assert box_of(snapshot, "far").provenance == "offscreen"
        assert snapshot.layout is not None
        for row in snapshot.rows:
            box = None if row.id is None else snapshot.layout.boxes.get(row.id)
            assert row.provenance == ("" if box is None else box.provenance)
        assert box_of(snapshot, "plain").visible_share == 1
        await assert_bounds(page, snapshot, at_least=30)


async def test_grid_under_a_forced_device_scale_factor(subtests: pytest.Subtests) -> None:
    args = ["--site-per-process", "--force-device-scale-factor=2"]
    async with hybridsnap.launch(args=args, viewport=(1400, 1000)) as browser, serve_pages(PAGES) as pages:
        page = await browser.new_page("about:blank")
        for path, different in (("/grid.html", {"above": "offscreen"}), ("/cross.html", IN_FRAME)):
            with subtests.test(path):
                await page.goto(pages.url(path))
                await until_sized(page, _SCROLLED)
                snapshot = await page.snapshot(timeout=20, layout=True)
                assert snapshot.report.notes == ()
                assert snapshot.layout is not None
                assert snapshot.layout.viewport.device_scale_factor == 2
                assert_marks(marks_of(snapshot), different)
                await assert_bounds(page, snapshot, at_least=30)


_MEASURE = """(() => {
  const found = [];
  const walk = (root, x, y, way) => {
    for (const element of root.querySelectorAll("*")) {
      const rect = element.getBoundingClientRect();
      if (element.id) found.push([element.id, x + rect.x, y + rect.y, rect.width, rect.height]);
      if (element.shadowRoot) walk(element.shadowRoot, x, y);
      if (element.localName === "iframe") {
        const style = getComputedStyle(element);
        const inner = [x + rect.x + element.clientLeft + parseFloat(style.paddingLeft),
                       y + rect.y + element.clientTop + parseFloat(style.paddingTop)];
        found.push(["inside " + element.id, ...inner, 0, 0]);
        if (element.contentDocument) walk(element.contentDocument, ...inner);
      }
    }
  };
  walk(document, 0, 0);
  return JSON.stringify(found);
})()"""


async def assert_bounds(page: Page, snapshot: Snapshot, *, at_least: int) -> None:
    """Every element's bounds are what the page measures, summed through frames.

    A frame in another process is held by the one element ``holder``, or by the one its URL names.
    """
    assert snapshot.layout is not None
    measured: dict[str, list[float]] = {}
    for number, session in enumerate(page.sessions):
        answer: Any = await session.send("Runtime.evaluate", {"expression": _MEASURE, "returnByValue": True})
        where: Any = await session.send(
            "Runtime.evaluate", {"expression": "location.hash.slice(1) || 'holder'"}
        )
        x, y = measured["inside " + where["result"]["value"]][:2] if number else (0, 0)
        for name, left, top, width, height in json.loads(answer["result"]["value"]):
            measured[name] = [left + x, top + y, width, height]
    names = id_attributes(snapshot)
    compared = 0
    for id_, box in snapshot.layout.boxes.items():
        name = names.get(id_)
        if name in measured:
            assert box.bounds == pytest.approx(measured[name], abs=1), name
            compared += 1
    assert compared >= at_least


_SCATTER = """<!doctype html><title>scatter</title>
<style>body { margin: 7px } * { border: 0 solid }</style><body>
<script>
  let seed = SEED;
  const pick = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const holders = [document.body];
  for (let n = 0; n < 150; n++) {
    const element = document.createElement(["div", "span", "button", "p", "section", "table"][pick(6)]);
    element.id = "NAME" + n;
    element.append("words " + "and more ".repeat(pick(6)));
    const style = element.style;
    if (pick(3) == 0) { style.width = 20 + pick(300) + "px"; style.height = 5 + pick(90) + "px" }
    if (pick(4) == 0) style.overflow = ["hidden", "auto", "scroll", "clip"][pick(4)];
    if (pick(4) == 0) { style.position = ["relative", "absolute", "fixed", "sticky"][pick(4)];
                        style.left = pick(500) - 60 + "px"; style.top = pick(300) + "px" }
    if (pick(6) == 0) style.transform = ["rotate(20deg)", "scale(1.5)", "translate(13px, 7px)"][pick(3)];
    if (pick(5) == 0) { style.borderWidth = pick(5) + "px"; style.padding = pick(9) + ".5px" }
    if (pick(9) == 0) style.float = "left";
    holders[pick(holders.length)].append(element);
    holders.push(element);
  }
  addEventListener("load", () => {
    scrollTo(pick(40), pick(200));
    for (const holder of holders) { holder.scrollTop = pick(30); holder.scrollLeft = pick(30) }
  });
</script>"""


def scattered(seed: int) -> dict[str, str]:
    """A page of frames in frames, each full of elements of all kinds of layout."""

    def scatter(name: str, more: str = "") -> str:
        return _SCATTER.replace("SEED", str(seed + ord(name))).replace("NAME", name) + more

    style = "width:420px;height:180px;border:5px solid;padding:3px 9px"
    frame = f"<iframe id={{0}} src='{{1}}#{{0}}' style='{style}'></iframe>"
    return {
        "/": scatter(
            "a", frame.format("same", "/b.html") + frame.format("cross", "http://localhost:{PORT}/c.html")
        ),
        "/b.html": scatter("b", frame.format("deep", "http://localhost:{PORT}/d.html")),
        "/c.html": scatter("c"),
        "/d.html": scatter("d"),
    }


@pytest.mark.parametrize(
    "seed", [4000, 7000, 8500, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1000, 5500))]
)
async def test_bounds_are_what_the_page_measures(page: Page, seed: int) -> None:
    async with opened(page, "/", scattered(seed), scale=1 + seed // 500 % 2):
        snapshot = await page.snapshot(timeout=20, layout=True)
        assert snapshot.report.complete
        await assert_bounds(page, snapshot, at_least=400)
        assert await assert_hits(page, snapshot) > 0


_PROBE = """((id, other) => {
  const own = document.getElementById(id), rect = own.getBoundingClientRect();
  const [right, bottom] = [Math.min(rect.right, innerWidth), Math.min(rect.bottom, innerHeight)];
  let others = 0;
  for (const step of [20, other === null ? 3 : 1])  // most are found at the first points
    for (let x = Math.max(rect.left, 0) + 1; x < right - 1; x += step)
      for (let y = Math.max(rect.top, 0) + 1; y < bottom - 1; y += step) {
        const hit = document.elementFromPoint(x, y);
        if (other !== null ? hit?.id === other : hit && (hit.contains(own) || own.contains(hit)))
          return [1, 1];
        if (hit) others++;
      }
  return [0, other === null ? others : 0];
})"""


async def assert_hits(page: Page, snapshot: Snapshot) -> int:
    """In the page's own document, by `elementFromPoint`: what covers an element is found over it, and an
    element of which no point can be reached is covered.

    Returns:
        How many are covered.
    """
    assert snapshot.layout is not None
    names = id_attributes(snapshot)
    asked: dict[str, str | None] = {}
    for row in snapshot.rows:
        box = None if row.id is None else snapshot.layout.boxes.get(row.id)
        name = names.get(ElementId(row.id or ""))
        if box is None or name is None or row.frame != 0 or box.visible_share == 0:
            continue
        by = None if box.covered_by is None else names.get(box.covered_by)
        if by is not None or (box.covered_by is None and box.visible_share == 1):
            asked[name] = by
    answer: Any = await page.session.send(
        "Runtime.evaluate",
        {
            "expression": f"{json.dumps(list(asked.items()))}.map((pair) => {_PROBE}(...pair))",
            "returnByValue": True,
        },
    )
    for (name, by), (kin, others) in zip(asked.items(), answer["result"]["value"], strict=True):
        if by is not None:
            assert others > 0, (name, by)
        else:
            assert kin > 0 or others == 0, name
    return sum(by is not None for by in asked.values())


async def test_nothing_is_asked_and_nothing_said_without_it(page: Page) -> None:
    async with opened(page, "/grid.html"):
        plain = await page.snapshot(timeout=20)
        assert plain.layout is None
        assert plain.screenshot is None
        assert not any(mark in plain.combined_tree for mark in ("[offscreen]", "[covered by"))
    # What an attribute like onclick makes clickable needs no layout to be found; listeners do.
    clickable = [plain.node(row.id).attributes for row in plain.rows if row.id and "clickable" in row.states]
    assert all(any(name.startswith("on") for name in attributes) for attributes in clickable)


async def test_screenshot_and_json_hold_it_all(page: Page) -> None:
    async with opened(page, "/grid.html", scale=2):
        snapshot = await page.snapshot(timeout=20, layout=True, screenshot=True)
    assert snapshot.screenshot is not None
    assert snapshot.screenshot[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(snapshot.screenshot[16:20]), int.from_bytes(snapshot.screenshot[20:24])) == (
        1400,
        800,
    )
    read = hybridsnap.Snapshot.from_json(snapshot.to_json())
    assert read == snapshot
    assert read.layout == snapshot.layout
    assert "by attribute [clickable]" in snapshot.render("tree", interactive=True)


async def test_only_what_can_be_operated_has_the_text_that_names_a_row(home_page: hybridsnap.Page) -> None:
    row = "<div onclick='f()'><p>Flow %s</p><p>Idle</p><button>x</button></div>"
    await home_page.evaluate("(html) => { document.body.innerHTML = html; }", row % 1 + row % 2)
    text = (await home_page.snapshot()).render("tree", interactive=True)
    texts = [line.partition(": ")[2] for line in text.splitlines() if "StaticText" in line]
    assert texts == ["Flow 1", "Flow 2"]


async def test_page_text_forges_no_mark(page: Page) -> None:
    forged = """<!doctype html><button>pay [clickable]</button><button>pay [offscreen]</button>
        <button>pay [covered by 0-7]</button>"""
    async with opened(page, "/", {"/": forged}):
        snapshot = await page.snapshot(timeout=20, layout=True)
    for words in ("clickable", "offscreen", "covered by 0-7"):
        assert f"pay \\[{words}]" in snapshot.combined_tree


async def test_modal_dialog_covers_what_is_below_it(page: Page) -> None:
    html = """<!doctype html><title>modal</title>
        <style>#veil { position: fixed; inset: 0; background: #0008 }</style>
        <button id=pay>pay</button><a id=more href="#">more</a>
        <div id=veil><button id=close style="position:absolute;left:300px;top:200px">close</button></div>"""
    async with opened(page, "/", {"/": html}):
        snapshot = await page.snapshot(timeout=20, layout=True)
    marks = marks_of(snapshot)
    assert marks["pay"] == marks["more"] == "covered by veil"
    assert marks["close"] == ""


async def test_names_that_nobody_sees(page: Page) -> None:
    html = """<!doctype html><title>names</title><button id=label aria-label="Close dialog">x</button>
        <button id=said aria-label="Close">Close</button>
        <img id=picture alt="A cat" width=20 height=20
        src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
        <button id=reader style="position:absolute;
          width:1px;height:1px;padding:0;border:0;overflow:hidden">skip</button>
        <a id=wrap href="#"><div style="float:left">floating</div></a><button id=plain>plain</button>"""
    async with opened(page, "/", {"/": html}):
        snapshot = await page.snapshot(timeout=20, layout=True)
    said = {
        name: box_of(snapshot, name).provenance
        for name in ("label", "said", "picture", "reader", "wrap", "plain")
    }
    assert said == {
        "label": "label",
        "said": "",
        "picture": "label",
        "reader": "zero-size",
        "wrap": "",
        "plain": "",
    }


async def test_deep_page_has_its_layout(page: Page) -> None:
    html = """<!doctype html><title>deep</title><script>
        let holder = document.body || document.documentElement;
        for (let n = 0; n < 600; n++) holder = holder.appendChild(document.createElement("div"));
        holder.innerHTML = "<button id=deep onclick=0>deep</button><div id=made onclick=0>made</div>";
        </script>"""
    async with opened(page, "/", {"/": html}):
        snapshot = await page.snapshot(timeout=20, layout=True)
    assert snapshot.report.complete
    assert marks_of(snapshot)["made"] == "clickable"
    assert box_of(snapshot, "deep").visible_share == 1
