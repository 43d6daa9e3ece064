"""Acting on a tab that is not in front: it draws no frames, and nothing of that is the caller's concern."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.support.headless_shell import IN_HEADLESS_SHELL

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import pytest

    from hybridsnap import Browser, Page, Receipt

_PAGE = """data:text/html,<!doctype html><button id=b>Button</button>
<div id=from draggable=true style='position:absolute;top:100px'>drag</div>
<div id=to style='position:absolute;top:200px;height:90px' ondragover='event.preventDefault()'
 ondrop='this.append(1)'>drop</div>
<script>
heard = [];
for (const name of ["mousemove", "touchstart", "wheel", "drop", "click", "visibilitychange"]) {
  document.addEventListener(name, (event) => heard.push(name), { capture: true, passive: true });
}
</script>"""

_ACTIONS: dict[str, tuple[Callable[[Page], Awaitable[Receipt]], str]] = {
    "hover": (lambda page: page.hover("#b", timeout=60), "mousemove"),
    "tap": (lambda page: page.tap("#b", timeout=60), "touchstart"),
    "swipe": (lambda page: page.swipe("up", duration=0, timeout=60), "touchstart"),
    "move_to": (lambda page: page.move_to(9, 9, timeout=60), "mousemove"),
    "mouse_path": (lambda page: page.mouse_path([(5, 70), (9, 90), (30, 70)], timeout=60), "mousemove"),
    "wheel": (lambda page: page.wheel(0, 9, timeout=60), "wheel"),
    "scroll": (lambda page: page.scroll(timeout=60), "wheel"),
    "drag": (lambda page: page.drag("#from", "#to", timeout=60), "drop"),
    "click": (lambda page: page.click("#b", timeout=60), "click"),
}


async def test_a_tab_that_is_not_in_front_is_acted_on(browser: Browser, subtests: pytest.Subtests) -> None:
    page = await browser.new_page(_PAGE)
    front = await browser.new_page("data:text/html,<p>in front")
    if not IN_HEADLESS_SHELL:
        await page.evaluate(
            "async () => { while (!document.hidden) await new Promise(requestAnimationFrame) }"
        )
    for action, (act, event) in _ACTIONS.items():
        with subtests.test(action):
            await act_behind(page, front, act, event)


async def act_behind(page: Page, front: Page, act: Callable[[Page], Awaitable[Receipt]], event: str) -> None:
    await page.evaluate("() => { scrollTo(0, 0); heard.length = 0; }")
    with trio.fail_after(20):
        receipt = await act(page)
        assert receipt.elapsed_ms < 4000  # a move alone would be answered after 5 s
        assert not receipt.notes
        await page.evaluate(
            "(name) => new Promise((done) => { (function look() {"
            " heard.includes(name) ? done() : setTimeout(look); })(); })",
            event,
        )
    assert "visibilitychange" not in await page.evaluate("() => heard")
    assert await page.evaluate("() => document.hidden") is not IN_HEADLESS_SHELL
    assert await front.evaluate("() => document.visibilityState") == "visible"
