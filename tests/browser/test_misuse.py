"""What an action cannot mean is refused in one line, before anything is done."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any, cast

import pytest

import hybridsnap
from hybridsnap import HybridsnapError, TargetDetached
from hybridsnap.act.pointer import check_point, modifier_keys, read_modifiers
from hybridsnap.webarena import extract_step, parse_step

if TYPE_CHECKING:
    from collections.abc import Callable

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
    page._context.history.input.mac = True
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
        'value is a str or several, not int; write "3", or index=3': page.select_option("#a", 3),
    }
    for words, action in told.items():
        assert await refused(action) == words
    assert (await refused(page.click(node))).endswith(f"not by Node: give its id, '{node.id}'")
    assert (await refused(page.click(123))).endswith('(CSS, XPath, role=button[name="Buy"]); not by 123')
    assert "of CSS px" in await refused(page.move_to(math.nan, 2))
    await page.close()


async def test_every_message_says_what_to_do(browser: Browser) -> None:
    """A wrong use → what its one line must hold: what was expected, and what to do."""
    page: Any = await browser.new_page(_PAGE)
    snapshot = await page.snapshot()
    id_ = snapshot.css("#a")[0]
    foreign = (
        r"belong to other libraries; name the element by an id of a snapshot, by role and name .* or by XPath"
    )
    table: list[tuple[Any, str]] = [
        (
            page.click("#a", position=(500, 5), wait=False),
            r"inside its [\d.]+ x [\d.]+ CSS px.*got \(500, 5\); give one, or",
        ),
        (
            page.hover("#a", position=(-1, 5), wait=False),
            r"expected a position inside .*got \(-1, 5\); give one, or",
        ),
        (
            page.click_at(5000, 5),
            r"inside the viewport of \d+ x \d+ CSS px, got \(5000, 5\); scroll there first",
        ),
        (page.click_at(5, -1), r"inside the viewport .*got \(5, -1\); scroll"),
        (page.drag_at((-5, 5), (5, 5)), r"inside the viewport .*got \(-5, 5\); scroll"),
        (page.click(f"[{id_}]"), f"write {id_}, without the brackets"),
        (page.click(f"[{id_}] button: A"), f"write {id_}, without the brackets"),
        (page.click("text=A"), foreign),
        (page.click("label=A"), foreign),
        (page.click("button:has-text('A')"), foreign),
        (page.click(":text('A')"), foreign),
        (page.click("button:contains('A')"), foreign),
        (page.click("div >> text=A", wait=False), foreign),
        (page.snapshot(focus="text=A"), foreign),
        (page.click("Add to cart", wait=False), "matches nothing on the page; take a snapshot"),
        (page.snapshot(focus="#none"), "matches nothing on the page; take a snapshot"),
        (page.click("((("), r"not a usable XPath.*; take a snapshot and use an id"),
        (page.click("#a", nth=5, wait=False), "no match number 5 .*; give a smaller nth"),
        (page.click("#a", nth="1"), "nth is a whole number that counts the matches from 0, not '1'"),
        (page.click("0-99999999", wait=False), "take a snapshot and use an id that it shows"),
        (page.click("e99"), "render a snapshot as 'role' and use a ref of it"),
        (page.goto("example.com"), "example.com has no scheme; write https://example.com"),
        (page.goto("www.example.com/path"), "write https://www.example.com/path"),
        (page.goto("/tmp/x.html"), "has no scheme; write file://"),
        (page.goto(""), "got an empty text; give one such as https://"),
        (browser.new_page("example.com"), "write https://example.com"),
        (page.press(None), "keys are a text such as 'Enter' or 'Control[+]a', not None"),
        (page.press(""), "write one such as Enter or Control[+]a"),
        (page.scroll("down", distance="x"), "distance is a number of CSS px, not 'x'"),
        (page.type("#a", "x", wait=False), "is a button and takes no text; click it"),
        (page.evaluate("1", 2), r"arguments are for a function, and this is none; write \(a, b\) =>"),
        (page.answer_dialog(), "no dialog is open; arm_dialog answers"),
        (page.set_input_files("#b", "/none", wait=False), "give the path of one that exists"),
    ]
    for action, words in table:
        with pytest.raises((HybridsnapError, TypeError, ValueError), match=words) as caught:
            await action
        assert "\n" not in str(caught.value)
    assert await page.evaluate("held") is None
    await page.close()
    for late in (
        page.click("#a"),
        page.snapshot(),
        page.goto("about:blank"),
        page.evaluate("1"),
        page.press("a"),
    ):
        with pytest.raises(TargetDetached, match=r"take one that is open .browser.pages..") as gone:
            await late
        assert "browser.new_page()" in str(gone.value)


async def _done(call: Callable[[], Any]) -> None:
    done = call()
    if inspect.isawaitable(done):
        await done


async def test_arguments_of_the_wrong_type(browser: Browser) -> None:
    """What was expected, what came, and an example, before anything is asked of the browser."""
    page: Any = await browser.new_page(_PAGE)
    shown: Any = await page.snapshot()
    any_browser: Any = browser
    text = "expected a str such as .*, got 5"
    table: dict[str, tuple[Any, str]] = {
        "ignore": (
            lambda: page.snapshot(ignore=5),
            r"ignore: expected a str such as '.ad', or a list of .*, got 5",
        ),
        "ignore in a list": (lambda: page.snapshot(ignore=[5]), r"or a list of them, got \[5\]"),
        "focus": (lambda: page.snapshot(focus=5), f"focus: {text}"),
        "focus_nth": (lambda: page.snapshot(focus="p", focus_nth="a"), "a whole number from 0 on, got 'a'"),
        "layout": (lambda: page.snapshot(layout="no"), "layout: expected True or False, got 'no'"),
        "find role": (lambda: shown.find(role=5), f"role: {text}"),
        "find name": (lambda: shown.find(name=5), f"name: {text}"),
        "find within": (lambda: shown.find(within=5), f"within: {text}"),
        "render max_depth": (lambda: shown.render(max_depth="x"), "a whole number from 0 on, got 'x'"),
        "render scope": (lambda: shown.render(scope=5), f"scope: {text}"),
        "render urls": (lambda: shown.render(urls=5), "urls: expected True or False, got 5"),
        "render tabs": (
            lambda: shown.render("webarena", tabs=5),
            "tabs: expected a list of titles, .* got 5",
        ),
        "arm_dialog": (lambda: page.arm_dialog(5), "accept: expected True or False, got 5"),
        "answer_dialog": (lambda: page.answer_dialog(5), "accept: expected True or False, got 5"),
        "expect_download": (lambda: page.expect_download(5).__aenter__(), "folder: expected a path such as"),
        "xpath": (lambda: shown.xpath(5), f"expression: {text}"),
        "css": (lambda: shown.css(5), f"selector: {text}"),
        "backend_node_id": (lambda: page.click(backend_node_id="x"), "a whole number from 1 on, got 'x'"),
        "element_at": (lambda: page.element_at("a", 1), "x: expected a number of CSS px, got 'a'"),
        "expand": (lambda: page.expand(5), f"element_id: {text}"),
        "quality": (lambda: page.screenshot(format="jpeg", quality="x"), "quality: expected a whole number"),
        "clip": (lambda: page.screenshot(clip=5), "clip: expected left, top, width and height"),
        "highlight": (lambda: page.highlight("#a", seconds="x"), "a number of seconds, got 'x'"),
        "page": (lambda: any_browser.page(5), f"target_id: {text}"),
        "opener": (lambda: any_browser.wait_for_page(5), "expected a hybridsnap.Page, got 5; leave it out"),
        "parse_step": (lambda: parse_step(cast("Any", 5)), f"step: {text}"),
        "extract_step": (lambda: extract_step(cast("Any", 5)), f"response: {text}"),
    }
    for name, (call, words) in table.items():
        with pytest.raises(TypeError, match=words) as caught:
            await _done(call)
        assert "\n" not in str(caught.value), name
    await page.close()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"args": "--x"}, r"args: expected a list of flags such as .*, got '--x'; put it in a list"),
        ({"args": [5]}, r"args: expected a list of flags"),
        ({"headless": "no"}, "headless: expected True or False, got 'no'"),
        ({"executable": 5}, "executable: expected the path of a browser, got 5; leave it out"),
    ],
)
async def test_arguments_of_launch_of_the_wrong_type(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        async with hybridsnap.launch(**wrong):
            pass


async def test_headers_of_the_wrong_type() -> None:
    with pytest.raises(TypeError, match=r"headers: expected a mapping such as .*, got 'x'"):
        async with hybridsnap.connect("ws://127.0.0.1:1/devtools/browser/x", headers=cast("Any", "x")):
            pass


async def test_an_unknown_keyword_names_the_method(browser: Browser) -> None:
    page: Any = await browser.new_page(_PAGE)
    told = {
        "click() has no keyword 'foo'; it takes element, button, count, modifiers, delay, position, force,"
        " wait, receipt, nth, as_of, backend_node_id, frame, timeout": page.click("#a", foo=1),
        "check() has no keyword 'force'; it takes element, wait, receipt, nth, as_of, backend_node_id,"
        " frame, timeout": page.check("#b", force=True),
        "click() has no keyword 'timeou'; timeout is probably meant": page.click("#b", timeou=1),
        "click() has no keyword 'chooser_files'; use Page.expect_file_chooser around it": page.click(
            "#b", chooser_files=["x"]
        ),
        "type() has no keyword 'submitt'; submit is probably meant": page.type("#b", "x", submitt=True),
        "press() has no keyword 'elemnt'; element is probably meant": page.press("a", elemnt="#b"),
        "outer_html() has no keyword 'nht'; nth is probably meant": page.outer_html("#a", nht=2),
        "evaluate() has no keyword 'elment'; element is probably meant": page.evaluate("1", elment="#a"),
    }
    for words, action in told.items():
        assert await refused(action) == words
    assert await page.evaluate("[held, b.value]") == [None, ""]
    await page.close()
