"""Editors that take input by an EditContext and draw their text themselves, as Monaco does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hybridsnap import ElementCovered, NotInteractable

if TYPE_CHECKING:
    from hybridsnap import Page

_EDITOR = """data:text/html,<!doctype html><div id=e role=textbox tabindex=0 style="height:60px"></div>
<script>
const context = new EditContext();
e.editContext = context;
context.addEventListener("textupdate", () => { e.textContent = context.text; });
e.addEventListener("keydown", (event) => {
  if (event.key === "a" && event.ctrlKey) context.updateSelection(0, context.text.length);
});
</script>"""


@pytest.mark.parametrize("by_keys", [False, True])
async def test_text_is_typed_where_the_caret_is(page: Page, by_keys: bool) -> None:
    await page.goto(_EDITOR)
    receipt = await page.type("#e", "one", by_keys=by_keys)
    assert receipt.notes == ("it went where the editor's caret was",)
    await page.type("#e", " two\nthree")
    assert await page.evaluate("() => context.text") == "one two\nthree"
    await page.press("Control+a", element="#e")
    await page.type("#e", "new", by_keys=by_keys)
    assert await page.evaluate("() => context.text") == "new"


async def test_its_text_is_not_replaced(page: Page) -> None:
    await page.goto(_EDITOR)
    await page.type("#e", "one")
    for action in (
        page.fill("#e", "two", timeout=10),
        page.clear("#e", timeout=10),
        page.type("#e", "two", clear=True, timeout=10),
    ):
        with pytest.raises(
            NotInteractable, match=r"with an EditContext; .* press ControlOrMeta\+a on it"
        ) as caught:
            await action
        assert caught.value.reason == "wrong kind"
    assert await page.evaluate("() => context.text") == "one"


async def test_where_its_text_is_drawn_beside_it_it_is_clicked_there(page: Page) -> None:
    """As in Monaco, where what takes the input has no size."""
    await page.goto(
        "data:text/html,<div id=around style='width:300px;height:60px'><div id=e role=textbox tabindex=0"
        " aria-label=Code style='width:0;height:0'></div>"
        "<p aria-hidden=true style='margin:0;height:60px'>let a</p>"
        "<button hidden>Find</button></div>"
        "<script>e.editContext = new EditContext(); around.onmousedown = (event) => {"
        "event.preventDefault(); e.focus(); around.title = event.target.tagName }</script>"
    )
    receipt = await page.click("#e", timeout=10)
    assert await page.evaluate("() => [document.activeElement.id, around.title]") == ["e", "P"]
    assert receipt.notes == ("at the element around it, which stands for it",)
    await page.evaluate(
        "() => { const b = document.querySelector('button'); b.hidden = false;"
        "b.style = 'position:absolute;inset:0' }"
    )
    with pytest.raises(ElementCovered, match="Find"):  # a control of the editor's own is another element
        await page.click("#e", wait=0.3, timeout=20)
