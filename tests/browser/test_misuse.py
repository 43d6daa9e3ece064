"""What an action cannot mean is refused in one line, before anything is done."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap.act.pointer import check_point, modifier_keys, read_modifiers

if TYPE_CHECKING:
    from hybridsnap import Browser, Page

_PAGE = """data:text/html,<script>var held = null</script>
<button id=a onclick="held = [event.shiftKey, event.ctrlKey, event.metaKey]">A</button>
<input id=b>"""


async def refused(action: Any) -> str:
    """The message of an action that is refused."""
    with pytest.raises((TypeError, ValueError)) as caught:
        await action
    message = str(caught.value)
    assert "\n" not in message
    return message


async def test_modifiers_by_one_text_and_for_macos(browser: Browser) -> None:
    page: Page = await browser.new_page(_PAGE)
    await page.click("#a", modifiers="Shift")
    assert await page.evaluate("held") == [True, False, False]
    await page.click("#a", modifiers="Shift+Control")
    assert await page.evaluate("held") == [True, True, False]
    await page.click("#a", modifiers=["ControlOrMeta"])
    assert await page.evaluate("held") == [False, True, False]
    # As if the browser had said that it runs on macOS, which `press` is told, too.
    page._mac = True
    await page.click("#a", modifiers=["ControlOrMeta"])
    assert await page.evaluate("held") == [False, False, True]
    await page.close()


def test_modifiers() -> None:
    assert read_modifiers("") == read_modifiers(()) == ()
    assert read_modifiers("Control+Shift") == read_modifiers(["Control", "Shift"]) == ("Control", "Shift")
    wrong: Any
    for wrong in (5, [5], {"Shift": True}):
        with pytest.raises(TypeError, match=r"modifiers are names such as"):
            read_modifiers(wrong)
    assert [key.key for key in modifier_keys(["ControlOrMeta"])] == ["Control"]
    assert [key.key for key in modifier_keys(["ControlOrMeta"], mac=True)] == ["Meta"]


def test_points() -> None:
    check_point((1, 2.5))
    for wrong in ((1, 2, 3), ("a", 2), 5, "ab", None):
        with pytest.raises(TypeError, match="two numbers of CSS px"):
            check_point(wrong)
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match="of CSS px"):
            check_point((0, value))


async def test_misuse_is_named(browser: Browser) -> None:
    page: Any = await browser.new_page(_PAGE)
    snapshot = await page.snapshot()
    node = snapshot.node(snapshot.css("#a")[0])
    told = {
        "a point is two numbers of CSS px, (x, y), not ('a', 2)": page.click_at("a", 2),
        "button is left, middle or right, not 'lef'": page.click("#a", button="lef"),
        "position is two numbers of CSS px, (x, y), not 5": page.click("#a", position=5),
        "delay is a number of seconds, not 'x'": page.click("#a", delay="x"),
        "start is two numbers of CSS px, (x, y), not 1": page.drag_at(1, (2, 3)),
        # More digits than a browser reads: it would leave the command unanswered.
        "nth is at most 2147483647": page.click("#a", nth=10**400),
        "a backend_node_id is at most 2147483647": page.click(backend_node_id=10**5000),
        "focus_nth is at most 2147483647": page.snapshot(focus="#a", focus_nth=10**400),
        "index is at most 2147483647": page.select_option("#a", index=10**400),
    }
    for words, action in told.items():
        assert await refused(action) == words
    assert (await refused(page.click(node))).endswith(f"not by Node: give its id, '{node.id}'")
    assert (await refused(page.click(123))).endswith("an XPath or a CSS selector; not by 123")
    assert "of CSS px" in await refused(page.move_to(math.nan, 2))
    await page.close()


async def test_an_unknown_keyword_names_the_method(browser: Browser) -> None:
    page: Any = await browser.new_page(_PAGE)
    told = {
        "click() has no keyword 'foo'": page.click("#a", foo=1),
        "type() has no keyword 'submitt'; submit is probably meant": page.type("#b", "x", submitt=True),
        "press() has no keyword 'elemnt'; element is probably meant": page.press("a", elemnt="#b"),
        "outer_html() has no keyword 'nht'; nth is probably meant": page.outer_html("#a", nht=2),
        "evaluate() has no keyword 'elment'; element is probably meant": page.evaluate("1", elment="#a"),
    }
    for words, action in told.items():
        assert await refused(action) == words
    assert await page.evaluate("[held, b.value]") == [None, ""]
    await page.close()
