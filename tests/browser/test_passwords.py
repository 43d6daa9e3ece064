"""What a password field holds is printed nowhere, also while the page shows it as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from lxml import etree

from hybridsnap.render.formats import FORMATS

if TYPE_CHECKING:
    from hybridsnap import Page, Snapshot
    from hybridsnap.render.formats import FormatName

TOGGLED = """<input type=password id=p aria-label=Password value="{}">
    <button onclick="p.type = p.type == 'text' ? 'password' : 'text'">Show</button>
    <input aria-label=Name value=plain>"""


@pytest.fixture
async def page(home_page: Page) -> Page:
    return home_page


async def show(page: Page, html: str) -> None:
    await page.evaluate("html => { document.body.innerHTML = html }", html)


def assert_hidden(snapshot: Snapshot, *secrets: str) -> None:
    """No format has one of the texts, and all have the other field's."""
    texts = {str(name): str(snapshot.render(cast("FormatName", name))) for name in FORMATS}
    texts["lxml"] = etree.tostring(snapshot.to_lxml(), encoding="unicode")
    texts["nodes"] = "".join(
        f"{(node := snapshot.node(id_))}{node.text}{node.attributes}" for id_ in snapshot.combined_xpath_map
    )
    for name, text in texts.items():
        assert not any(secret in text for secret in secrets), (name, text)
    assert '[value="plain"]' in texts["tree"]


@pytest.mark.parametrize("value", ["", "hunter1"])
@pytest.mark.parametrize("looked", [True, False])
async def test_a_password_that_the_page_shows_stays_hidden(page: Page, value: str, looked: bool) -> None:
    await show(page, TOGGLED.format(value))
    before = await page.snapshot() if looked else None
    receipt = await page.fill("#p", "hunter2")
    assert "hunter" not in str(receipt)
    await page.click("role=button")
    after = await page.snapshot()
    assert_hidden(after, "hunter")
    if before is not None:
        assert "value" not in str(after.diff(before)), "it was hidden, and is"
    assert 'value: "(hidden)" → "(hidden, another)"' in str(await page.fill("#p", "hunter3"))


@pytest.mark.parametrize("word", ["new-password", "section-a Current-Password webauthn"])
async def test_a_field_that_says_what_it_is_for_is_hidden_from_the_beginning(page: Page, word: str) -> None:
    await show(
        page,
        f"<input id=p autocomplete='{word}' aria-label=Password value=hunter2>"
        "<input aria-label=Name value=plain>",
    )
    before = await page.snapshot()
    assert_hidden(before, "hunter2")
    receipt = await page.fill("#p", "hunter3")
    assert 'value: "(hidden)" → "(hidden, another)"' in str(receipt)
    after = await page.snapshot()
    assert_hidden(after, "hunter")
    assert "value" not in str(after.diff(before))
    receipt = await page.fill("#p", "")
    assert 'value: "(hidden)" → ""' in str(receipt)


async def test_passwords_in_frames_are_hidden(page: Page) -> None:
    inner = TOGGLED.format("").replace('"', "&quot;")
    await show(page, f'<iframe srcdoc="{inner}"></iframe>')
    await page.fill("iframe >> #p", "hunter2")
    await page.click("iframe >> button")
    assert_hidden(await page.snapshot(), "hunter")
