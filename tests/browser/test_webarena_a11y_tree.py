"""MetaGPT's functions on real pages, and what its document says against its own: it is not so here."""

from __future__ import annotations

import re
from typing import Any

import pytest

import hybridsnap
from hybridsnap.demo.server import serve_shop
from hybridsnap.webarena import (
    ElementNotFound,
    a11y_tree,
    click_element,
    execute_step,
    get_accessibility_tree,
    get_backend_node_id,
    get_bounding_rect,
    get_element_center,
    get_element_outer_html,
    get_page_cdp_session,
    hover_element,
    key_press,
    parse_accessibility_tree,
    type_text,
)
from tests.support.agent import FORM, Agent, evaluated
from tests.support.pages import serve_pages

INNER = """<!DOCTYPE html><title>inner</title>
<div style="height: 900px"></div>
<div id="box" style="height: 120px; overflow: auto">
  <div style="height: 700px"></div>
  <button onclick="parent.postMessage(document.title + ' ' + this.textContent, '*')">Deep</button>
  <span onclick="parent.postMessage(document.title + ' span', '*')">Some words</span>
  <div style="height: 700px"></div>
</div>
<div style="height: 900px"></div>"""


def nested(host: str) -> str:
    return f"""<!DOCTYPE html><title>outer</title>
<script>var received = []; onmessage = (event) => received.push(event.data)</script>
<div style="height: 3000px"></div>
<style>iframe {{ margin-left: 90px; width: 300px; height: 200px }}</style>
<iframe src="http://{host}:{{PORT}}/inner.html"></iframe>
<button onclick="postMessage('outer', '*')" style="margin-left: 400px">Near</button>
<div style="height: 3000px"></div>"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_clicks_land_after_scrolling_in_frames_and_boxes(page: hybridsnap.Page, host: str) -> None:
    """MetaGPT's takes document coordinates for the viewport's, and a frame's for the page's."""
    async with serve_pages({"/": nested(host), "/inner.html": INNER}) as pages:
        await page.goto(pages.url("/"))
        tree = await get_accessibility_tree(page)
        text, _ = parse_accessibility_tree(tree)
        for start in (0, 1500, 6000):
            for line in ("button 'Deep'", "button 'Near'", "StaticText 'Some words'"):
                await evaluated(page, f"scrollTo(0, {start})")
                found = re.search(rf"\[([\d-]+)\] {line}", text)
                assert found is not None
                receipt = await click_element(page, get_backend_node_id(found[1], tree))
                assert not receipt.nothing_happened
        heard = ["inner Deep", "outer", "inner span"] * 3
        assert await evaluated(page, "received") == heard


async def test_what_moves_after_the_tree_was_taken_is_still_hit(browser: hybridsnap.Browser) -> None:
    """There is no moment between finding the place and clicking in which the page may slip away."""
    source = """<!DOCTYPE html><title>x</title><div id="above"></div>
<button onclick="document.title = 'right'">Right</button>
<button onclick="document.title = 'wrong'">Wrong</button>
<script>onscroll = () => { above.style.height = '37px' }</script><div style="height: 4000px"></div>"""
    async with serve_pages({"/": source}) as pages:
        page = await browser.new_page(pages.url("/"))
        tree = await get_accessibility_tree(page)
        text, _ = parse_accessibility_tree(tree)
        await evaluated(page, "scrollTo(0, 2000)")
        found = re.search(r"\[(\d+)\] button 'Right'", text)
        assert found is not None
        await execute_step(f"click [{found[1]}]", page, browser, tree)
        assert await evaluated(page, "document.title") == "right"


async def test_a_page_has_one_session_and_it_ends_with_the_page(browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/": FORM}) as pages:
        page = await browser.new_page(pages.url("/"))
        tree = await get_accessibility_tree(page)
        button = await _first(tree, "Go")
        before = set(browser.connection._sessions)
        session = await get_page_cdp_session(page)
        for _ in range(5):
            assert await get_page_cdp_session(page) is session
            await hover_element(page, button)
            await get_bounding_rect(session, button)
            await get_element_outer_html(page, button)
        assert set(browser.connection._sessions) == before
        await page.close()
        assert session.ended == "detached"
        with pytest.raises(hybridsnap.TargetDetached):
            await get_page_cdp_session(page)
        assert not set(browser.connection._sessions) & {session.id}


async def _first(tree: list[dict[str, Any]], name: str) -> int:
    (node_id, *_) = [node["nodeId"] for node in tree if node.get("name", {}).get("value") == name]
    return get_backend_node_id(node_id, tree)


async def test_errors_are_what_they_are(page: hybridsnap.Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """MetaGPT's says "Element not found" whatever went wrong."""
    source = """<title>x</title><button>Gone</button><button>Hidden</button><button>Other</button>
<button disabled>Off</button>"""
    async with serve_pages({"/": source}) as pages:
        await page.goto(pages.url("/"))
        tree = await get_accessibility_tree(page)
        gone, hidden, off = [await _first(tree, name) for name in ("Gone", "Hidden", "Off")]
        session = await get_page_cdp_session(page)
        assert await get_element_outer_html(page, gone) == "<button>Gone</button>"
        await evaluated(page, "document.querySelector('button').remove()")
        await evaluated(page, "document.querySelector('button').style.display = 'none'")
        for action in (click_element, hover_element, get_element_outer_html):
            with pytest.raises(hybridsnap.StaleElement) as stale:
                await action(page, gone)
            assert stale.value.reason == "detached"
            assert isinstance(stale.value, ValueError)  # as MetaGPT's own
        with monkeypatch.context() as patch:
            patch.setattr(a11y_tree, "MODEL_WAIT_SECONDS", 0.5)  # until it is taken for one that stays so
            with pytest.raises(hybridsnap.NotInteractable) as refused:
                await click_element(page, off)
        assert refused.value.reason == "disabled"
        with pytest.raises(hybridsnap.NotInteractable) as refused:
            await get_bounding_rect(session, hidden)
        assert refused.value.reason == "not displayed"
        with pytest.raises(ElementNotFound, match="is gone"):
            await get_bounding_rect(session, 99_999_999)
        await page.close()
        with pytest.raises(hybridsnap.TargetDetached):
            await get_bounding_rect(session, hidden)


async def test_an_id_of_a_former_document_is_refused(browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/": FORM}) as pages:
        agent = Agent(await browser.new_page(pages.url("/")))
        await agent.look()
        old, go = agent.tree, agent.id_of("button 'Go'")
        await agent.do(f"goto [{pages.url('/')}]")
        with pytest.raises(hybridsnap.StaleElement) as stale:
            await execute_step(f"click [{go}]", agent.page, browser, old)
        assert stale.value.reason == "navigated"
        assert await evaluated(agent.page, "document.title") == "Form"


_RECT_OF_WORDS = """(() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector("p"));
  return range.getBoundingClientRect().toJSON();
})()"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_rectangles_are_the_page_s(page: hybridsnap.Page, host: str) -> None:
    """Of elements and of texts, in the viewport as it is scrolled; not of another process's nodes."""
    inner = "<!DOCTYPE html><body style='margin: 10px'><button>In</button>"
    outer = f"""<!DOCTYPE html><body style="margin: 0"><p style="margin: 0; height: 500px">words</p>
<iframe src="http://{host}:{{PORT}}/inner.html" style="border: 0; margin: 5px"></iframe>
<div style="height: 3000px"></div>"""
    async with serve_pages({"/": outer, "/inner.html": inner}) as pages:
        await page.goto(pages.url("/"))
        await evaluated(page, "scrollTo(0, 100)")
        tree = await get_accessibility_tree(page, layout=True)
        session = await get_page_cdp_session(page)
        words, button = await _first(tree, "words"), await _first(tree, "In")
        rect = (await get_bounding_rect(session, words))["result"]["value"]
        assert rect == pytest.approx(await evaluated(page, _RECT_OF_WORDS))
        middle = (rect["x"] + rect["width"] / 2, rect["y"] + rect["height"] / 2)
        assert await get_element_center(rect) == middle
        if host == "localhost":
            with pytest.raises(ElementNotFound, match="another process"):
                await get_bounding_rect(session, button)
        else:
            rect = (await get_bounding_rect(session, button))["result"]["value"]
            _, info = parse_accessibility_tree(tree)
            (bounds,) = [one["union_bound"] for one in info.values() if one["text"].endswith("button 'In'")]
            assert [rect[key] for key in ("x", "y", "width", "height")] == pytest.approx(bounds)
            assert (rect["x"], rect["y"]) == (15, 415)


async def test_the_browser_s_own_tree_can_be_used(browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/": FORM}) as pages:
        page = await browser.new_page(pages.url("/"))
        session = await get_page_cdp_session(page)
        nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
        text, info = parse_accessibility_tree(nodes)
        ours, _ = parse_accessibility_tree(await get_accessibility_tree(page))
        assert text == ours
        (go,) = [node_id for node_id, one in info.items() if one["text"].endswith("button 'Go'")]
        await execute_step(f"click [{go}]", page, browser, nodes)
        assert await evaluated(page, "document.title") == "clicked"


async def test_the_tree_of_the_shop_is_what_the_webarena_format_prints(browser: hybridsnap.Browser) -> None:
    async with serve_shop() as shop:
        for url in shop.page_urls:
            page = await browser.new_page(url, wait="networkidle")
            text, _ = parse_accessibility_tree(await get_accessibility_tree(page))
            rendered = (await page.snapshot()).render("webarena", tabs=[], static_text=False)
            full = re.sub(r"^(\t*)\[(\d+)\]", r"\1[0-\2]", text, flags=re.MULTILINE)
            assert full == rendered
            await page.close()


async def test_typing_goes_where_the_focus_is(page: hybridsnap.Page) -> None:
    async with serve_pages({"/": FORM}) as pages:
        await page.goto(pages.url("/"))
        tree = await get_accessibility_tree(page)
        await click_element(page, await _first(tree, "Words"))
        await type_text(page, "ein Käse\r\nzwei")
        assert await evaluated(page, "document.querySelector('textarea').value") == "ein Käse\nzwei"
        await click_element(page, await _first(tree, "Query"))
        await type_text(page, "tea\n")
        assert await evaluated(page, "document.title") == "sent tea"
        await evaluated(page, "document.title = ''; document.querySelector('p').focus()")
        await type_text(page, "kä!")
        assert (await evaluated(page, "document.title")).replace("Shift", "") == "k!"
        await key_press(page, "Meta+z")
        assert "Control" in await evaluated(page, "document.title")
