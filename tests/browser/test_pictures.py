"""Pictures of a page: what of it, in which format, with parts painted over, with ids drawn on it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
import trio
from PIL import Image

from hybridsnap.errors import NotInteractable, SelectorError, StaleElement, UnknownElement
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page

_RED, _BLUE, _GREEN, _BLACK, _WHITE = (255, 0, 0), (0, 0, 255), (0, 128, 0), (0, 0, 0), (255, 255, 255)
_STYLE = """<style>body { margin: 0; height: 2000px }
div, iframe { position: absolute; width: 100px; height: 50px; border: 0 }</style>"""
_PAGES = {
    "/": f"""<!doctype html><title>Boxes</title>{_STYLE}
<div id=red style="left: 40px; top: 20px; background: red"></div>
<div id=blue style="left: 40px; top: 1500px; background: blue"></div>
<div id=fixed style="position: fixed; left: 200px; bottom: 10px; background: green"></div>
<iframe src="http://localhost:{{PORT}}/in" style="left: 300px; top: 100px"></iframe>
<p id=none hidden>hidden</p>
<button style="position: absolute; left: 500px; top: 200px; width: 90px; height: 40px">Press</button>""",
    "/in": f"<!doctype html>{_STYLE}<div id=inner style='left: 10px; top: 10px; background: red'></div>",
}


@pytest.fixture
async def page(page: Page) -> AsyncIterator[Page]:
    async with serve_pages(_PAGES) as pages:
        await page.set_viewport(800, 600)
        await page.goto(pages.url("/"))
        yield page


async def picture(page: Page, **options: Any) -> Image.Image:
    """A picture, as RGBA."""
    with Image.open(io.BytesIO(await page.screenshot(**options))) as opened:
        assert (opened.format or "").lower() == options.get("format", "png")
        return opened.convert("RGBA")


def colour(image: Image.Image, x: float, y: float) -> tuple[int, ...]:
    """Without its alpha."""
    found = image.getpixel((int(x), int(y)))
    assert isinstance(found, tuple)
    return found[:3]


async def test_what_is_seen(page: Page) -> None:
    viewport = await picture(page)
    assert viewport.size == (800, 600)
    assert (colour(viewport, 41, 21), colour(viewport, 39, 21)) == (_RED, _WHITE)
    whole = await picture(page, full_page=True)
    assert whole.size == (800, 2000)
    assert (colour(whole, 90, 45), colour(whole, 139, 1549), colour(whole, 141, 1549)) == (
        _RED,
        _BLUE,
        _WHITE,
    )
    element = await picture(page, element="#blue")
    assert (element.size, colour(element, 0, 0), colour(element, 99, 49)) == ((100, 50), _BLUE, _BLUE)
    assert await page.evaluate("scrollY") > 900  # the page was scrolled to it
    await page.evaluate("scrollTo(0, 0)")
    clip = await picture(page, clip=(30, 10, 20, 20))
    assert (clip.size, colour(clip, 9, 9), colour(clip, 10, 10)) == ((20, 20), _WHITE, _RED)
    await page.evaluate("scrollTo(0, 1400)")
    assert colour(await picture(page, clip=(40, 100, 10, 10)), 5, 5) == _BLUE
    with pytest.raises(NotInteractable, match="not displayed"):
        await page.screenshot(element="#none", timeout=3)


async def test_formats(page: Page) -> None:
    for format_ in ("jpeg", "webp"):
        image = await picture(page, format=format_, quality=90)
        assert image.size == (800, 600)
        assert all(abs(a - b) < 12 for a, b in zip(colour(image, 90, 45), _RED, strict=True))
    assert len(await page.screenshot(format="jpeg", quality=5)) < len(await page.screenshot(format="jpeg"))
    for options in ({}, {"format": "webp"}, {"full_page": True}, {"mask": ["#blue"]}):
        image = await picture(page, transparent=True, **options)
        assert image.getpixel((5, 5)) == (0, 0, 0, 0)
        assert all(abs(a - b) < 12 for a, b in zip(colour(image, 90, 45), _RED, strict=True))
    assert (await picture(page)).getpixel((5, 5)) == (*_WHITE, 255)  # as it was


@pytest.mark.parametrize("factor", [1, 2])
async def test_masks(page: Page, factor: int) -> None:
    await page.emulation.set(device_scale_factor=factor)
    snapshot = await page.snapshot()
    assert snapshot.report.complete
    masked = await picture(page, mask=["#red", "#fixed", "iframe >> #inner", "#none"])
    assert masked.size == (800 * factor, 600 * factor)

    def at(image: Image.Image, x: float, y: float) -> tuple[int, ...]:
        return colour(image, x * factor, y * factor)

    edges = [(40, 20), (139.5, 69.5), (200, 540), (299.5, 589.5), (310, 110), (399.5, 149.5)]
    assert {at(masked, *edge) for edge in edges} == {_BLACK}
    beside = [(39.5, 20), (140, 69), (199.5, 540), (300, 589), (308.5, 110)]
    assert {at(masked, *edge) for edge in beside} == {_WHITE}
    await page.evaluate("scrollTo(0, 1300)")
    whole = await picture(page, full_page=True, mask=["#red", "#blue", "#fixed"])
    assert whole.size == (800 * factor, 2000 * factor)
    assert {at(whole, 40, 20), at(whole, 139.5, 1549.5), at(whole, 250, 1300 + 565)} == {_BLACK}
    clip = await picture(page, clip=(35, 195, 20, 20), mask=["#blue"])
    assert (at(clip, 4.5, 4.5), at(clip, 5, 5)) == (_WHITE, _BLACK)
    one = await picture(page, element="#blue", mask=["#blue"], format="webp", quality=100)
    assert max(at(one, 50, 25)) < 8
    assert await page.evaluate("[innerWidth, innerHeight, devicePixelRatio]") == [800, 600, factor]
    button = str(snapshot.find(name="Press")[0].id)
    await page.evaluate("scrollTo(0, 0)")
    assert at(await picture(page, mask=[button], format="jpeg"), 545, 220) == _BLACK


async def test_masks_on_a_phone(page: Page) -> None:
    """It shows a page that was not made for phones smaller than it is."""
    await page.emulation.device("iPhone 15")
    await page.reload()
    plain, masked = await picture(page), await picture(page, mask=["#red", "iframe >> #inner"])
    assert plain.size == masked.size
    scale = plain.width / await page.evaluate("visualViewport.width")
    at = (round(90 * scale), round(45 * scale))
    assert (colour(plain, *at), colour(masked, *at)) == (_RED, _BLACK)
    assert colour(masked, *(one + round(60 * scale) for one in at)) == _WHITE
    colours = masked.getcolors(1_000_000) or []
    assert not any(rgba == (*_RED, 255) for count, rgba in colours if count > 1000)


async def test_a_mask_follows_what_moves(page: Page) -> None:
    await page.evaluate(
        "requestAnimationFrame(function move(time) {"
        " red.style.left = `${40 + 600 * (time % 60_000) / 60_000}px`; requestAnimationFrame(move); })"
    )
    for _ in range(3):
        colours = (await picture(page, mask=["#red"])).crop((0, 20, 800, 70)).getcolors(100_000) or []
        shown = sum(count for count, rgba in colours if rgba == (*_RED, 255))
        assert shown == 0


async def test_labels(page: Page) -> None:
    plain, drawn = await picture(page), await picture(page, labels=True)
    frame = (496, 196, 594, 244)
    assert plain.crop(frame).tobytes() != drawn.crop(frame).tobytes()
    assert plain.crop((0, 300, 800, 600)).tobytes() == drawn.crop((0, 300, 800, 600)).tobytes()
    both = await picture(page, labels=True, mask=["#red"], format="jpeg", quality=95)
    assert max(colour(both, 90, 45)) < 12


async def test_what_labels_do_not_show_stands_for_what_was_shown_before(page: Page) -> None:
    await page.evaluate(
        'document.body.innerHTML = \'<button>Here</button><p style="height: 3000px"></p>'
        "<button>There</button>'"
    )
    here, there = (one.id for one in (await page.snapshot()).find("button"))
    await page.evaluate(
        "document.querySelectorAll('button').forEach(one => { one.textContent += ' is another'; })"
    )
    await picture(page, labels=True)
    assert 'click button "Here is another"' in str(await page.click(here))
    with pytest.raises(StaleElement, match='is now button "There is another"'):
        await page.click(there)


_IMPOSSIBLE: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"mask": [5]}, TypeError, "mask: expected"),
    ({"mask": ["#nothing"]}, SelectorError, "#nothing"),
    ({"mask": ["0-999999"]}, UnknownElement, "0-999999"),
    ({"labels": 1}, TypeError, "labels: expected True or False"),
    ({"labels": True, "full_page": True}, ValueError, "labels are drawn on the viewport"),
    ({"labels": True, "element": "#red"}, ValueError, "labels are drawn on the viewport"),
    ({"full_page": True, "clip": (0, 0, 1, 1)}, ValueError, "exclude each other"),
    ({"format": "gif"}, ValueError, "expected one of png, jpeg, webp"),
    ({"format": "jpeg", "transparent": True}, ValueError, "no transparent background"),
    ({"quality": 5}, ValueError, "a PNG has no quality"),
]


async def test_what_cannot_be(page: Page, subtests: pytest.Subtests) -> None:
    for options, error, words in _IMPOSSIBLE:
        with subtests.test(str(options)):
            with trio.fail_after(4), pytest.raises(error, match=words) as caught:
                await page.screenshot(timeout=5, **options)
            assert "\n" not in str(caught.value)


async def test_a_tab_behind_another_whose_focus_is_emulated(page: Page, browser: Browser) -> None:
    """As Playwright does to each page of a browser that it connects to: its own pictures then hang."""
    behind = await browser.new_page(page.url)
    await behind.session.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
    front = await browser.new_page("data:text/html,front")
    await front.bring_to_front()
    await trio.sleep(0.5)
    for _ in range(2):
        seen = await behind.snapshot(screenshot=True, timeout=10)
        for taken in (await behind.screenshot(timeout=10), seen.screenshot or b""):
            with Image.open(io.BytesIO(taken)) as opened:
                assert colour(opened.convert("RGBA"), 41, 21) == _RED
