"""Scrolling and how far it went, what is in view, where things stand, and the overlay."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
import trio
from PIL import Image

import hybridsnap
from hybridsnap import NotInteractable, StaleElement
from hybridsnap.act.highlight import highlight_element
from hybridsnap.act.pointer import PointerOptions, click_at
from hybridsnap.act.scrolling import (
    Scrolled,
    read_bounding_box,
    scroll_element,
    scroll_into_view,
    scroll_page,
)
from hybridsnap.protocol.input_commands import dispatch_mouse
from hybridsnap.protocol.plan import gather
from tests.support.faults import evaluate
from tests.support.headless_shell import not_in_headless_shell
from tests.support.pages import serve_pages
from tests.support.pointer_stage import Stage, click_on, find

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page
    from hybridsnap.act.scrolling import Direction
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

_FAR = "<div style='width:5000px;height:5000px'></div>"


@pytest.fixture
async def stage(page: Page) -> AsyncIterator[Stage]:
    stage = Stage(page)
    async with serve_pages(stage.contents) as server:
        stage.server = server
        yield stage


async def scroll(stage: Stage, selector: str, *asked: Any) -> Scrolled:
    if not selector:
        return await stage.run(lambda resolver: scroll_page(resolver, *asked))
    return await stage.act(selector, lambda resolver, one: scroll_element(resolver, one, *asked))


async def test_the_page_goes_a_distance_or_a_viewport_and_not_beyond_its_end(stage: Stage) -> None:
    await stage.open(f"<style>html {{ scroll-behavior: smooth }}</style>{_FAR}")
    width, height = json.loads(await stage.evaluate("JSON.stringify([innerWidth, innerHeight])"))
    assert await scroll(stage, "", "down") == Scrolled(0, height)
    assert await scroll(stage, "", "down", 120) == Scrolled(0, 120)
    assert await scroll(stage, "", "up", 20) == Scrolled(0, -20)
    assert await scroll(stage, "", "right") == Scrolled(width, 0)
    assert await scroll(stage, "", "left", 9000) == Scrolled(-width, 0)
    assert await stage.evaluate("scrollY") == height + 100
    bottom = await stage.evaluate("document.documentElement.scrollHeight - innerHeight")
    went = await scroll(stage, "", "down", 99999)
    assert went.y == pytest.approx(bottom - height - 100, abs=30)  # a scroll bar lies over the last of it
    assert await scroll(stage, "", "down") == Scrolled(0, 0)


async def test_a_page_that_scrolls_within(stage: Stage) -> None:
    await stage.open(
        "<style>html, body { height:100%; overflow:hidden }</style>"
        f"<div style='height:50px;overflow:auto'>{_FAR}</div>"
        f"<main id=main style='height:80%;overflow:auto'>{_FAR}</main>"
    )
    assert await scroll(stage, "", "down", 70) == Scrolled(0, 70, "inside")
    assert await stage.evaluate("main.scrollTop") == 70
    height = await stage.evaluate("main.clientHeight")
    assert await scroll(stage, "", "down") == Scrolled(0, height, "inside")


async def test_a_page_that_only_listens_to_the_wheel(stage: Stage) -> None:
    await stage.open(
        "<div id=map style='height:200px'></div><script>window.turned = [];"
        "addEventListener('wheel', (event) => turned.push([event.deltaX, event.deltaY, event.target.id]))"
        "</script>"
    )
    assert await scroll(stage, "", "down", 250) == Scrolled(0, 0, "wheel")
    assert await scroll(stage, "#map", "left", 30) == Scrolled(0, 0, "wheel")
    # The page hears of a turned wheel after the browser has answered.
    with trio.fail_after(30):
        while len(json.loads(await stage.evaluate("JSON.stringify(turned)"))) < 2:  # noqa: ASYNC110
            await trio.sleep(0.02)
    assert json.loads(await stage.evaluate("JSON.stringify(turned)")) == [[0, 250, ""], [-30, 0, "map"]]


_BY_SCRIPT = """<!doctype html><body style='margin:0;height:{height}px'>
  <div id=view style='height:100px;width:200px;overflow:hidden'><ul id=items style='margin:0'></ul></div>
  <div id=clipped style='height:60px;width:200px;overflow:hidden'><p id=inside style='height:300px'>in it
  </div>
  <script>
    for (let n = 0; n < 100; n++) items.append(document.createElement("li"));
    let at = 0;
    view.addEventListener("wheel", (event) => {
      event.preventDefault();
      at = Math.max(0, Math.min(items.offsetHeight - 100, at + event.deltaY));
      setTimeout(() => { items.style.transform = `translateY(${-at}px)` }, 50);
    }, { passive: false });
  </script>"""


@pytest.mark.parametrize("height", [50, 3000])
async def test_a_view_that_scrolls_by_script(stage: Stage, height: int) -> None:
    await stage.open(_BY_SCRIPT.replace("{height}", str(height)))
    page = stage.page
    for selector in ("#view", "//li[3]"):
        assert await scroll(stage, selector, "down", 40) == Scrolled(0, 40, "view")
        assert await scroll(stage, selector, "up", 40) == Scrolled(0, -40, "view")
    receipt = await page.scroll("down", element="#view")
    assert "the wheel was turned: the view scrolled by 0, 100 px by script" in str(receipt)
    assert await stage.evaluate("scrollY") == 0
    # What only cuts off what is in it moves nothing: the page around it scrolls, exactly as far as asked.
    went = await scroll(stage, "#inside", "down", 130)
    assert went == (Scrolled(0, 130, "page") if height == 3000 else Scrolled(0, 0, "wheel"))


async def test_the_wheel_as_an_action(stage: Stage) -> None:
    await stage.open(
        "<div style='height:3000px'></div><div id=map style='height:200px;width:300px;overflow:hidden'></div>"
        "<div style='height:2000px'></div><script>window.turned = [];"
        "addEventListener('wheel', (event) => { event.preventDefault(); "
        "turned.push([event.deltaX, event.deltaY, event.target.id, event.clientX, event.clientY]) }, "
        "{ passive: false })</script>"
    )
    page = stage.page

    async def turned() -> list[Any]:
        with trio.fail_after(30):
            while not json.loads(await stage.evaluate("JSON.stringify(turned)")):  # noqa: ASYNC110
                await trio.sleep(0.02)
        return list(json.loads(await stage.evaluate("JSON.stringify(turned.splice(0))")))

    receipt = await page.wheel(0, 120, at=(30, 40))
    assert await turned() == [[0, 120, "", 30, 40]]
    assert receipt.value == {"dx": 0, "dy": 120, "x": 30, "y": 40}
    assert "the wheel was turned by 0, 120 px at 30, 40" in str(receipt)
    receipt = await page.wheel(-20, 0, at="#map")
    assert (await turned())[0][:3] == [-20, 0, "map"]
    await page.wheel(0, -7.5)
    assert (await turned())[0][:2] == [0, -7.5]
    for wrong, error in (
        ({"dx": "1", "dy": 0}, "dx: expected a number of CSS px, got '1'"),
        ({"dx": 0, "dy": float("nan")}, "dy: expected a number of CSS px, up to"),
        ({"dx": 0, "dy": 0}, "expected CSS px to turn the wheel by"),
        ({"dx": 0, "dy": 1, "at": (1,)}, "at is two numbers of CSS px"),
    ):
        with pytest.raises((TypeError, ValueError), match=error):
            await page.wheel(**wrong)


async def two_pages(page: Page) -> None:
    for title in ("First", "Second"):
        await page.goto(f"data:text/html,<title>{title}</title><button>Go</button>")


async def button_of(page: Page) -> str:
    snapshot = await page.snapshot(timeout=20)
    return next(row.id for row in snapshot.rows if row.role == "button" and row.id)


async def test_a_page_that_cannot_go_that_way_is_not_left() -> None:
    # As browsers are that somebody else has started.
    async with hybridsnap.launch(args=["--enable-features=OverscrollHistoryNavigation"]) as browser:
        page = await browser.new_page()
        await two_pages(page)
        directions: tuple[Direction, Direction] = ("left", "right")
        for direction in directions:
            if direction == "right":
                await page.go_back()
            button = await button_of(page)
            stays = page.url
            for distance in (None, 400):
                receipt = await page.scroll(direction, distance=distance)
                assert "nothing scrolls that way" in str(receipt)
            clicked = await page.click(button)
            assert clicked.navigation is None
            assert clicked.focus == ("", button)
            assert page.url == stays


async def test_the_wheel_swipes_through_no_history(stage: Stage) -> None:
    await stage.open("")
    await two_pages(stage.page)
    button = await button_of(stage.page)
    turn = {"type": "mouseWheel", "x": 300, "y": 300, "deltaX": -600, "deltaY": 0}
    await stage.run(lambda resolver: gather(dispatch_mouse(resolver.id_of(0), turn)))
    clicked = await stage.page.click(button)
    assert clicked.navigation is None
    assert clicked.focus == ("", button)
    assert await stage.evaluate("document.title") == "Second"


async def test_an_element_its_box_or_the_nearest_around_it(stage: Stage) -> None:
    await stage.open(
        "<div id=outer style='height:200px;overflow:auto'><div id=inner style='width:90px;overflow-x:auto'>"
        f"<p id=words style='width:3000px'>words</p></div>{_FAR}</div>{_FAR}<p id=low>low</p>"
    )
    assert await scroll(stage, "#outer", "down", 40) == Scrolled(0, 40, "element")
    assert await scroll(stage, "#words", "down", 30) == Scrolled(0, 30, "ancestor")
    assert await scroll(stage, "#words", "right", 25) == Scrolled(25, 0, "ancestor")
    assert await stage.evaluate("inner.scrollLeft") == 25
    assert await scroll(stage, "//p[@id='words']/text()", "right", 5) == Scrolled(5, 0, "ancestor")
    assert await scroll(stage, "#low", "down", 60) == Scrolled(0, 60, "page")
    height = await stage.evaluate("outer.clientHeight")
    assert await scroll(stage, "#outer", "down") == Scrolled(0, height, "element")


async def test_an_iframe_and_what_is_in_it(stage: Stage) -> None:
    for host in ("127.0.0.1", "localhost"):
        await stage.open(
            f"<iframe src='http://{host}:{{PORT}}/in.html' style='height:200px'></iframe>{_FAR}",
            **{"in": f"<p id=it>in</p>{_FAR}"},
        )
        assert await scroll(stage, "iframe", "down", 50) == Scrolled(0, 50, "page")
        assert await scroll(stage, "iframe >> #it", "down", 30) == Scrolled(0, 30, "page")
        assert await stage.evaluate("scrollY") == 0


@pytest.mark.parametrize(
    ("direction", "distance"), [("sideways", None), ("down", 0), ("down", -5), ("up", float("nan"))]
)
async def test_what_is_no_way_to_scroll(stage: Stage, direction: Any, distance: float | None) -> None:
    with pytest.raises(ValueError, match=r"direction is|distance is"):
        await stage.page.scroll(direction, distance=distance)


async def test_into_view_through_all_frames(stage: Stage) -> None:
    frame = "<iframe src='{}' style='width:300px;height:200px;{}'></iframe>"
    here, there = "http://127.0.0.1:{PORT}", "http://localhost:{PORT}"
    await stage.open(
        _FAR + frame.format(there + "/a.html", "transform:rotate(30deg)") + _FAR,
        a=_FAR + frame.format(here + "/b.html", "") + _FAR,
        b=f"{_FAR}<div style='height:60px;overflow:auto'>{_FAR}<button id=it>Go</button></div>{_FAR}",
    )
    selector = "iframe >> iframe >> #it"
    before = await stage.act(selector, read_bounding_box)
    went = await stage.act(selector, scroll_into_view)
    after = await stage.act(selector, read_bounding_box)
    assert before is not None
    assert after is not None
    assert (went.x, went.y) == pytest.approx((before[0] - after[0], before[1] - after[1]), abs=0.5)
    x, y = after[0] + after[2] / 2, after[1] + after[3] / 2
    width, height = json.loads(await stage.evaluate("JSON.stringify([innerWidth, innerHeight])"))
    assert 0 < x < width
    assert 0 < y < height
    await stage.run(lambda resolver: click_at(resolver, x, y, PointerOptions()))
    assert stage.kinds() == click_on("it")
    # It is there: nothing has to move.
    assert await stage.act(selector, scroll_into_view) == Scrolled(0, 0)


async def test_what_cannot_be_brought_into_view(stage: Stage) -> None:
    await stage.open("<p id=none style='display:none'>no</p><p id=empty></p>")
    with pytest.raises(NotInteractable, match="not displayed") as caught:
        await stage.act("#none", scroll_into_view)
    assert caught.value.reason == "not displayed"
    with pytest.raises(NotInteractable, match="no size"):
        await stage.act("#empty", scroll_into_view)


async def test_bounding_boxes(stage: Stage) -> None:
    await stage.open(
        "<div id=box style='position:absolute;left:20px;top:30px;width:100px;height:40px;padding:5px'>text"
        "</div><div id=turned style='position:absolute;left:200px;top:100px;width:100px;height:40px;"
        "transform:rotate(90deg)'></div><p id=none style='display:none'>no</p>"
        "<div id=contents style='display:contents'><b style='position:absolute;left:7px;top:200px;width:30px;"
        "height:10px'></b></div>"
        "<iframe src='http://localhost:{PORT}/in.html' style='position:absolute;left:300px;top:200px;"
        "width:200px;height:100px;border:4px solid;transform:scale(.5);transform-origin:0 0'></iframe>"
        "<iframe id=off src='/in.html' style='display:none'></iframe>",
        **{"in": "<div id=it style='position:absolute;left:10px;top:20px;width:50px;height:60px'></div>"},
    )

    async def box(selector: str) -> tuple[float, float, float, float] | None:
        return await stage.act(selector, read_bounding_box)

    assert await box("#box") == (20, 30, 110, 50)
    assert await box("#turned") == pytest.approx((230, 70, 40, 100), abs=0.01)
    assert await box("#contents") == (7, 200, 30, 10)
    assert await box("iframe >> #it") == pytest.approx((307, 212, 25, 30), abs=0.6)
    assert await box("#none") is None
    assert await box("#off >> #it") is None
    text = await box("//div[@id='box']/text()")
    assert text is not None
    assert text[:2] == pytest.approx((25, 35), abs=2)


async def test_what_is_gone_has_no_box(stage: Stage) -> None:
    await stage.open("<p id=it>it</p>")

    def plan(resolver: NodeResolver) -> Plan[Any]:
        element = yield from find(resolver, "#it")
        yield from resolver.call(element.place, "function () { this.remove(); }")
        return (yield from read_bounding_box(resolver, element))

    with pytest.raises(StaleElement):
        await stage.run(plan)


# The overlay


async def until_white(stage: Stage, *, white: bool) -> None:
    """Look at the middle of the element until it is painted over, or no more."""
    with trio.fail_after(30):
        while True:
            snapshot = await stage.page.snapshot(screenshot=True, timeout=10)
            assert snapshot.screenshot is not None
            image = Image.open(io.BytesIO(snapshot.screenshot)).convert("RGB")
            if (image.getpixel((100, 80)) == (255, 255, 255)) is white:
                return


@not_in_headless_shell("draws no overlay")
@pytest.mark.parametrize("where", ["main", "cross-site"])
async def test_the_overlay_shows_and_goes_and_the_page_does_not_know(stage: Stage, where: str) -> None:
    element = "<div id=it style='position:absolute;left:50px;top:60px;width:100px;height:40px'></div>"
    frame = "<iframe src='http://localhost:{PORT}/in.html' style='position:absolute;left:0;top:0;border:0'>"
    await stage.open(element if where == "main" else frame, **{"in": element})
    own = stage.page.sessions[-1]
    await evaluate(
        own,
        "window.changes = 0; new MutationObserver((all) => { changes += all.length }).observe(document, "
        "{ subtree: true, childList: true, attributes: true, characterData: true })",
    )
    selector = "#it" if where == "main" else "iframe >> #it"
    await until_white(stage, white=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            stage.act, selector, lambda resolver, one: highlight_element(resolver, one, seconds=9)
        )
        await until_white(stage, white=False)
        nursery.cancel_scope.cancel()
    await until_white(stage, white=True)
    assert await evaluate(own, "changes") == 0
    await stage.act(selector, lambda resolver, one: highlight_element(resolver, one, seconds=0.01))
    with pytest.raises(ValueError, match="seconds is"):
        await stage.act(selector, lambda resolver, one: highlight_element(resolver, one, seconds=0))
