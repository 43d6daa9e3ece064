"""WebArena's steps on real pages: a whole shopping flow by steps alone, and every action."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import hybridsnap
from hybridsnap.demo.server import serve_shop
from hybridsnap.webarena import (
    Click,
    Executed,
    NoAction,
    StepError,
    Stop,
    Type,
    execute,
    execute_step,
    extract_step,
    scroll_page,
    steps,
)
from tests.support.agent import FORM, Agent, evaluated
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def own_browser() -> AsyncIterator[hybridsnap.Browser]:
    """A browser of the test's own, for tests that count tabs."""
    async with hybridsnap.launch(args=["--site-per-process"]) as browser:
        yield browser


# The shop


async def test_a_whole_shopping_flow_by_steps_alone(own_browser: hybridsnap.Browser) -> None:
    """In the forms in which MetaGPT's document and WebArena's prompts write them."""
    async with serve_shop() as shop:
        agent = Agent((await own_browser.pages())[0])
        assert await agent.do("None") == ""
        await agent.do(f"goto[{shop.url}]")
        assert shop.nonce in agent.text

        # Search, as in WebArena's example with a search box.
        answer = "Let's think step-by-step. In summary, the next action I will perform is ```{}```"
        step = extract_step(answer.format(f"type [{agent.id_of('combobox')}] [river throw] [1]"))
        await agent.do(step)
        assert "1 of 12 products" in agent.text
        await agent.do("hover[{}]", "link 'River Throw'")
        await agent.do("click [{}]", "link 'River Throw'")
        assert "heading 'River Throw'" in agent.text
        await agent.do("go_back")
        assert "heading 'All products'" in agent.text
        await agent.do("go_forward")
        assert "heading 'River Throw'" in agent.text

        # Two of it, with a control in a shadow root.
        await agent.do("click[{}]", "button 'One more'")
        await agent.do("scroll [down]")
        await agent.do("scroll [up]")
        await agent.do("click[{}]", "button 'Buy River Throw'")
        assert "2 × River Throw, €238.00" in agent.text

        # Another tab to compare, and back.
        await agent.do("new_tab")
        assert agent.page.url == "about:blank"
        await agent.do(f"goto [{shop.url}product/ember-lantern]")
        assert "Ember Lantern" in agent.text
        await agent.do("tab_focus [0]")
        assert "River Throw" in agent.text
        await agent.do("tab_focus [1]")
        await agent.do("close_tab")
        assert "River Throw" in agent.text

        await agent.do("click [{}]", "link 'To the checkout'")
        await agent.do("type[{}][Ada Weaver][0]", "textbox 'Full name'")
        await agent.do("press [Tab]")
        await agent.do("type [{}] [ada@example.org] [0]", "textbox 'E-mail'")
        await agent.do("type [{}] [Lisbon] [0]", "combobox 'City'")
        await agent.do("type [{}] [Rua do Alecrim [4]] [0]", "textbox 'Street and number'")
        await agent.do("select [{}] [Portugal]", "combobox 'Country'")
        await agent.do("type [{}] [no bell,\nplease] [0]", "textbox 'Note to the packer'")
        await agent.do("click [{}]", "checkbox 'I have read the terms'")
        # In a frame of another site.
        await agent.do("type [{}] [4111 1111] [0]", "textbox 'Card number'")
        await agent.do("click[{}] to finish", "button 'Place the order'")

        assert "heading 'Thank you for your order'" in agent.text
        for value in ("Ada Weaver", "ada@example.org", "Lisbon", "Rua do Alecrim [4]", "pt", shop.nonce):
            assert repr(value) in agent.text
        assert "no bell, please" in agent.text
        assert await agent.do('stop("€238.00")') == "€238.00"
        assert await agent.do("stop [€238.00 [paid]]") == "€238.00 [paid]"
        assert await agent.do("stop") == ""


# Every action


async def test_typing_appends_clears_and_presses_enter(browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/": FORM}) as pages:
        agent = Agent(await browser.new_page(pages.url("/")))
        await agent.look()
        name, query = "document.querySelector('[aria-label=Name]').value", "textbox 'Query'"
        await agent.do("type [{}] [er] [0]", "textbox 'Name'")
        assert await evaluated(agent.page, name) == "older"
        await agent.do("clear [{}]", "textbox 'Name'")
        assert await evaluated(agent.page, name) == ""
        await agent.do("type [{}] [tea [green] 茶] [0]", "textbox 'Name'")
        assert await evaluated(agent.page, name) == "tea [green] 茶"
        await agent.do("type [{}] [] [0]", "textbox 'Name'")
        assert await evaluated(agent.page, name) == ""
        await agent.do("type [{}] [1]", query)
        assert await evaluated(agent.page, "document.title") == "sent 1"
        await agent.do("type [{}] []", query)
        assert await evaluated(agent.page, "document.title") == "sent"
        await agent.do("type [{}] [one\ntwo] [0]", query)
        assert await evaluated(agent.page, "document.title") == "sent", "nothing is sent at a line break"
        assert await evaluated(agent.page, "document.querySelector('[aria-label=Query]').value") == "one two"
        await agent.do("type [{}] [one\ntwo] [0]", "textbox 'Words'")
        assert await evaluated(agent.page, "document.querySelector('textarea').value") == "one\ntwo"


LABELLED = """<!DOCTYPE html><title>Labelled</title>
<label for="city">City</label> <input id="city" aria-label="Where to">
<button onclick="sought.hidden = false; sought.focus()">Search</button>
<input id="sought" aria-label="Sought" hidden onchange="document.title = 'sought ' + this.value">
<input type="date" aria-label="Day"> <div tabindex="0">Nothing</div>
"""


async def test_typing_goes_where_the_click_has_put_the_focus(browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/": LABELLED}) as pages:
        agent = Agent(await browser.new_page(pages.url("/")))
        await agent.look()
        await agent.do("type [{}] [Lisbon] [0]", "StaticText 'City'")
        assert await evaluated(agent.page, "city.value") == "Lisbon"
        await agent.do("type [{}] [tea]", "button 'Search'")
        assert await evaluated(agent.page, "document.title") == "sought tea"
        await agent.do("type [{}] [2030-05-14]", "Date 'Day'")
        assert await evaluated(agent.page, "document.querySelector('[type=date]').value") == "2030-05-14"
        with pytest.raises(hybridsnap.NotInteractable, match="looks like 2026-01-31, not like"):
            await agent.do("type [{}] [tomorrow] [0]", "Date 'Day'")
        with pytest.raises(hybridsnap.NotInteractable, match='cannot type into StaticText "Nothing"'):
            await agent.do("type [{}] [x] [0]", "StaticText 'Nothing'")


async def test_select_upload_hover_and_press(
    browser: hybridsnap.Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = tmp_path / "a [1].png"
    picture.write_bytes(b"png")
    colour = "document.querySelector('select').selectedIndex"
    async with serve_pages({"/": FORM}) as pages:
        agent = Agent(await browser.new_page(pages.url("/")))
        await agent.look()
        await agent.do("select [{}] [Dark blue]", "combobox 'Colour'")
        assert await evaluated(agent.page, colour) == 1
        await agent.do("select [{}] [Red]", "combobox 'Colour'")  # a label counts before a value
        assert await evaluated(agent.page, colour) == 0
        await agent.do("select [{}] [r]", "combobox 'Colour'")
        assert await evaluated(agent.page, colour) == 1
        with monkeypatch.context() as patch:
            patch.setattr(steps, "MODEL_WAIT_SECONDS", 0.5)  # seconds until a missing option is reported
            with pytest.raises(hybridsnap.NotInteractable, match="Green"):
                await agent.do("select [{}] [Green]", "combobox 'Colour'")
        await agent.do(f"upload [{agent.id_of('button ' + repr('Picture'))}] [{picture}]")
        assert (
            await evaluated(agent.page, "document.querySelector('[type=file]').files[0].name") == picture.name
        )
        await agent.do("hover [{}]", "button 'Go'")
        assert await evaluated(agent.page, "document.title") == "over"
        await agent.do("type [{}] [abc] [0]", "textbox 'Name'")
        for step in ("press [Meta+a]", "press [Ctrl+x]", "press [Ctrl+v]", "press [cmd+v]", "press [!]"):
            await agent.do(step)
        assert await evaluated(agent.page, "document.querySelector('input').value") == "oldabcoldabc!"


async def test_scrolling_is_by_the_height_of_the_viewport(browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/": "<title>Tall</title><div style='height: 9000px'>"}) as pages:
        page = await browser.new_page(pages.url("/"))
        height = await evaluated(page, "innerHeight")
        for step, pages_down in (
            ("scroll [down]", 1),
            ("scroll down", 2),
            ("scroll[up]", 1),
            ("scroll up", 0),
        ):
            assert await execute_step(step, page, browser, []) is page
            assert await evaluated(page, "scrollY") == pages_down * height
        await scroll_page(page, "down")
        assert await evaluated(page, "scrollY") == height
        with pytest.raises(ValueError, match="up or down"):
            await scroll_page(page, "left")


async def test_tabs(own_browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/a": "<title>a</title>", "/b": "<title>b</title>"}) as pages:
        (first,) = await own_browser.pages()
        await execute_step(f"goto [{pages.url('/a')}]", first, own_browser, [])
        second = await execute_step("new_tab", first, own_browser, [])
        assert isinstance(second, hybridsnap.Page)
        assert second is not first
        assert first.url == pages.url("/a")
        await execute_step(f"goto [{pages.url('/b')}]", second, own_browser, [])
        assert await execute_step("tab_focus [0]", second, own_browser, []) is first
        assert await evaluated(first, "document.visibilityState") == "visible"
        with pytest.raises(hybridsnap.TargetError, match="there is no tab 2; open are 0 to 1"):
            await execute_step("tab_focus [2]", first, own_browser, [])
        assert await execute_step("close_tab", first, own_browser, []) is second
        last = await execute_step("close_tab", second, own_browser, [])
        assert isinstance(last, hybridsnap.Page)
        assert last.url == "about:blank"
        assert await own_browser.page_ids() == [last.target_id]


async def test_a_tab_that_closes_itself_leaves_the_last_one(own_browser: hybridsnap.Browser) -> None:
    opener = "<title>opener</title><button onclick=\"window.open('/popup')\">Open</button>"
    popup = '<title>popup</title><button onclick="window.close()">Close</button>'
    async with serve_pages({"/": opener, "/popup": popup}) as pages:
        (first,) = await own_browser.pages()
        agent = Agent(first)
        await agent.do(f"goto [{pages.url('/')}]")
        await agent.do("click [{}]", "button 'Open'")
        assert agent.page is first
        await agent.do("tab_focus [1]")
        assert "RootWebArea 'popup'" in agent.text
        await agent.do("click [{}]", "button 'Close'")
        assert agent.page is first


async def test_history_waits_for_the_document(browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/a": "<title>a</title>", "/b": "<title>b</title>"}) as pages:
        page = await browser.new_page(pages.url("/a"))
        await execute_step(f"goto [{pages.url('/b')}]", page, browser, [])
        await execute_step("go_back", page, browser, [])
        assert await evaluated(page, "document.title") == "a"
        await execute_step("go_forward", page, browser, [])
        assert await evaluated(page, "document.readyState") != "loading"
        assert await evaluated(page, "document.title") == "b"
        with pytest.raises(hybridsnap.NavigationFailed) as end:
            await execute_step("go_forward", page, browser, [])
        assert end.value.reason == "no history entry"


async def test_a_dialog_does_not_hold_a_step_up(browser: hybridsnap.Browser) -> None:
    async with serve_pages({"/": "<button onclick=\"alert('Hello')\">Ask</button>"}) as pages:
        agent = Agent(await browser.new_page(pages.url("/")))
        await agent.look()
        step = f"click [{agent.id_of('button')}]"
        assert await execute_step(step, agent.page, browser, agent.tree) is agent.page
        assert [dialog.message for dialog in agent.page.dialogs] == ["Hello"]
        await agent.page.answer_dialog(accept=True)


async def test_typed_actions_give_receipts(page: hybridsnap.Page) -> None:
    async with serve_pages({"/": FORM}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        shown = snapshot.render("webarena")
        (field,) = snapshot.find(role="textbox", name="Name")
        done = await execute(Type(field.id, "er", enter=False), page, shown=shown)
        assert [receipt.action for receipt in done.receipts] == ["click", "type"]
        assert [(one.what, one.after) for one in done.receipts[1].changes] == [("value", "older")]
        # An AX node id of the main frame, with and without what was shown.
        (button,) = snapshot.find(role="button", name="Go")
        number = button.id.removeprefix("0-")
        for known in (shown, shown.extras["info"], None):
            (receipt,) = (await execute(Click(number), page, shown=known)).receipts
            assert receipt.element_id == button.id
        assert await execute(NoAction(), page) == Executed(page)
        assert await execute(Stop("x"), page) == Executed(page, answer="x")


async def test_what_is_no_step_does_nothing(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async with serve_pages({"/": FORM}) as pages:
        agent = Agent(await browser.new_page(pages.url("/")))
        await agent.look()
        go = agent.id_of("button 'Go'")
        for step, words in (
            ("click Go", "Invalid click action"),
            (f"dance [{go}]", "Unknown action dance"),
            ("click [99999]", "Element 99999 not found"),
        ):
            with pytest.raises(ValueError, match=re.escape(words)):
                await agent.do(step)
        with pytest.raises(StepError):
            await execute_step(f"click[{go}]", agent.page, browser, agent.tree, lenient=False)
        async with hybridsnap.connect(browser_endpoint) as other:
            with pytest.raises(ValueError, match="another browser"):
                await execute_step(f"click [{go}]", agent.page, other, agent.tree)
        assert await evaluated(agent.page, "document.title") == "Form"
