"""Ids that one driver has shown, acted on through it and through another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
import trio

import hybridsnap
from hybridsnap.drivers import cdp_use, from_send, playwright, selenium
from hybridsnap.drivers.asyncio_driver import AsyncioDriver
from hybridsnap.drivers.blocking_driver import BlockingDriver
from hybridsnap.protocol.plan import Command
from tests.support.driver_stage import (
    cdp_tab,
    chrome,
    new_window,
    page_at,
    playwright_browser,
    playwright_browser_sync,
    switch_to,
)
from tests.support.headless_shell import not_in_headless_shell
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from playwright import async_api

    from hybridsnap.deadline import Deadline

    #: What an action is given: by position, by name.
    Call: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]

_PAGES = {
    "/": """<title>Order</title><button onclick="this.textContent = 'Bought'">Buy</button>
<iframe src="http://localhost:{PORT}/name"></iframe>""",
    "/name": "<label>Name <input></label><label>Note <textarea></textarea></label>",
}


def in_thread(work: Callable[[], Any]) -> Any:
    return trio.to_thread.run_sync(work)


async def test_what_one_has_shown_another_acts_on(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async def main(url: str) -> tuple[str, hybridsnap.Snapshot]:
        async with playwright_browser(browser_endpoint) as found:
            snapshot = await playwright.snapshot(page_at(found, url))
        async with cdp_tab(browser_endpoint, url) as tab:

            async def send(method: str, params: dict[str, Any], session: str | None) -> dict[str, Any]:
                return await tab.client.send_raw(method, params, session)

            other = from_send(send, tab.session_id)
            (field,) = snapshot.find(role="textbox", name="Name")
            receipt = await other.type(field.id, "Ada")
            assert receipt.element_id == field.id
            assert receipt.dom_changes is not None
            note = snapshot.find(role="textbox", name="Note")[0].id
            await other.fill(note, "By the door")
            assert (await other.press(note, "End")).action == "press End"
            return field.id, await other.snapshot()

    async with serve_pages(_PAGES) as pages:
        page = await browser.new_page(pages.url("/"))
        field, snapshot = await in_thread(lambda: asyncio.run(main(pages.url("/"))))
        assert snapshot.node(field).value == "Ada"
        assert 'value="By the door"' in snapshot.combined_tree
        await page.fill(field, "Grace")
        assert (await page.snapshot()).node(field).value == "Grace"


async def test_clicking_by_id(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    def main(url: str) -> None:
        with chrome(browser_endpoint) as webdriver:
            switch_to(webdriver, url)
            tab = selenium.SeleniumTab(webdriver)
            before = tab.snapshot()
            (button,) = before.find(role="button", name="Buy")
            receipt = tab.click(button.id)
            assert receipt.target == 'button "Buy"'
            assert receipt.dom_changes
            assert "Bought" in str(tab.snapshot().diff(before))
            with pytest.raises(hybridsnap.UnknownElement):
                tab.click("0-999999")

    async with serve_pages(_PAGES) as pages:
        await browser.new_page(pages.url("/"))
        await in_thread(lambda: main(pages.url("/")))


_TO_BE_REPLACED = {
    "/": """<title>Framed</title><script>var pressed = "nothing";</script>
<iframe style="width: 400px; height: 400px" srcdoc="<button style='width: 300px; height: 300px'>Go</button>">
</iframe>"""
}
_REPLACE = {
    "srcdoc": "frame.onload = () => done(1); frame.srcdoc = there",
    "written": """
        frame.onload = () => {
          frame.onload = null;
          const inner = frame.contentDocument;
          inner.open(); inner.write(there); inner.close();
          done(1);
        };
        frame.srcdoc = "soon to be written anew" """,
    "another frame": """
        const other = document.createElement("iframe");
        other.style = frame.style.cssText;
        other.onload = () => done(1);
        other.srcdoc = there;
        frame.replaceWith(other)""",
}


class Replaced:
    """A command that has something else come in the place of the frame's document right before a press."""

    def __init__(self) -> None:
        self.by = "srcdoc"
        self.presses = 0
        #: Seconds by which answers are late from the press on.
        self.late = 0.0

    def before(self, command: Command[Any]) -> list[Command[Any]]:
        if command.method != "Input.dispatchMouseEvent" or command.params["type"] != "mousePressed":
            return []
        self.presses += 1
        script = f"""new Promise(done => {{
          const frame = document.querySelector("iframe");
          const there = `<button style="width: 300px; height: 300px" onmousedown="parent.pressed = 'there'"
            onclick="parent.pressed = 'there'">There</button>`;
          {_REPLACE[self.by]};
        }})"""
        params = {"expression": script, "awaitPromise": True}
        return [
            Command(method="Runtime.evaluate", params=params, session=command.session, parse=lambda _: None)
        ]


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> Replaced:
    behind = Replaced()
    ask, execute = AsyncioDriver.ask, BlockingDriver.execute

    async def ask_after(driver: AsyncioDriver, command: Command[Any]) -> Any:
        for one in behind.before(command):
            await ask(driver, one)
        answer = await ask(driver, command)
        await asyncio.sleep(behind.late if behind.presses else 0)
        return answer

    def execute_after(driver: BlockingDriver, command: Command[Any], deadline: Deadline) -> Any:
        for one in behind.before(command):
            execute(driver, one, deadline)
        return execute(driver, command, deadline)

    monkeypatch.setattr(AsyncioDriver, "ask", ask_after)
    monkeypatch.setattr(BlockingDriver, "execute", execute_after)
    return behind


async def by_playwright(endpoint: str, url: str) -> None:
    async with playwright_browser(endpoint) as found:
        tab = playwright.PlaywrightTab(page_at(found, url))
        (button,) = (await tab.snapshot()).find(role="button", name="Go")
        await tab.click(button.id)


async def by_cdp_use(endpoint: str, url: str) -> None:
    async with cdp_tab(endpoint, url) as there:
        tab = cdp_use.CdpUseTab(there.client, there.session_id)
        (button,) = (await tab.snapshot()).find(role="button", name="Go")
        await tab.click(button.id)


def by_playwright_sync(endpoint: str, url: str) -> None:
    with playwright_browser_sync(endpoint) as found:
        tab = playwright.PlaywrightSyncTab(page_at(found, url))
        (button,) = tab.snapshot().find(role="button", name="Go")
        tab.click(button.id)


def by_selenium(endpoint: str, url: str) -> None:
    with chrome(endpoint) as webdriver:
        switch_to(webdriver, url)
        tab = selenium.SeleniumTab(webdriver)
        (button,) = tab.snapshot().find(role="button", name="Go")
        tab.click(button.id)


@pytest.mark.parametrize(
    ("way", "by"),
    [
        *((way, "srcdoc") for way in (by_playwright, by_playwright_sync, by_cdp_use, by_selenium)),
        *((by_playwright, by) for by in ("written", "another frame", "another frame, answers late")),
    ],
)
async def test_what_comes_in_the_place_of_its_document_is_not_pressed(
    browser: hybridsnap.Browser,
    browser_endpoint: str,
    way: Callable[[str, str], Any],
    by: str,
    replaced: Replaced,
) -> None:
    replaced.by = by.removesuffix(", answers late")
    replaced.late = 0.0 if by == replaced.by else 0.7

    def main(url: str) -> None:
        clicking = way(browser_endpoint, url)
        if clicking is not None:
            asyncio.run(clicking)

    async with serve_pages(_TO_BE_REPLACED) as pages:
        page = await browser.new_page(pages.url("/"))
        with pytest.raises(hybridsnap.StaleElement, match="Go"):
            await in_thread(lambda: main(pages.url("/")))
        assert replaced.presses == 1
        assert await page.evaluate("pressed") == "nothing"
        # What has come can be pressed by the next.
        await page.click((await page.snapshot()).find(role="button", name="There")[0].id)
        assert await page.evaluate("pressed") == "there"


async def test_a_dialog_is_told_and_left_to_who_is_to_answer_it(
    browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    """A dialog that opens upon the click, and one a moment later. The sessions that heard of them end long
    before they are answered.
    """
    confirms = "this.textContent = confirm('Sure?')"
    asking = {
        "/at-once": f'<button onclick="{confirms}">Delete</button>',
        "/later": f'<button onclick="setTimeout(() => {{ {confirms} }}, 100)">Delete</button>',
    }

    async def click(found: async_api.Browser, url: str) -> None:
        page = page_at(found, url)
        dialogs: list[Any] = []
        page.on("dialog", lambda one: dialogs.append(one))  # noqa: PLW0108 - it looks into what it is given
        tab = playwright.PlaywrightTab(page)
        (button,) = (await tab.snapshot()).find(role="button", name="Delete")
        receipt = await tab.click(button.id)
        assert any("dialog opened" in note for note in receipt.notes)
        await asyncio.sleep(0.3)
        await dialogs[0].accept()
        await page.wait_for_function("document.querySelector('button').textContent === 'true'")

    async def main(urls: Iterable[str]) -> None:
        async with playwright_browser(browser_endpoint) as found:
            await asyncio.gather(*(click(found, url) for url in urls))

    async with serve_pages(asking) as pages:
        urls = [pages.url(path) for path in asking]
        for url in urls:
            await new_window(browser, url)
        await in_thread(lambda: asyncio.run(main(urls)))


async def test_a_dialog_that_the_driver_answers_is_in_the_receipt(
    browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    """By a handler of its user's, and by Playwright itself, which dismisses where there is none."""

    async def main(url: str) -> list[hybridsnap.Receipt]:
        async with playwright_browser(browser_endpoint) as found:
            page = page_at(found, url)
            tab = playwright.PlaywrightTab(page)
            (button,) = (await tab.snapshot()).find(role="button", name="Delete")
            dismissed = await tab.click(button.id)
            page.on("dialog", lambda one: asyncio.ensure_future(one.accept()))
            return [dismissed, await tab.click(button.id)]

    asking = {"/": """<button onclick="this.title = confirm('Sure?')">Delete</button>"""}
    async with serve_pages(asking) as pages:
        await browser.new_page(pages.url("/"))
        receipts = await in_thread(lambda: asyncio.run(main(pages.url("/"))))
    told = "dialog (confirm): 'Sure?', "
    assert [receipt.answered for receipt in receipts] == [(f"{told}dismissed",), (f"{told}accepted",)]


_ASKS = "this.dataset.answer = confirm('Sure?')"
#: An action → a page that asks upon it, what it is given, and to which element it is done.
_ACTIONS: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "type": (f'<input oninput="{_ASKS}">', ("x",), "input"),
    "fill": (f'<input onchange="{_ASKS}" oninput="{_ASKS}">', ("x",), "input"),
    "press": (f'<button onkeydown="{_ASKS}">Go</button>', ("Escape",), "button"),
    "select_option": (f'<select onchange="{_ASKS}"><option>a<option>b</select>', (), "select"),
    # When its dialog is closed, it gets the focus again.
    "focus": (f'<button onfocus="this.onfocus = null; {_ASKS}">Go</button>', (), "button"),
    "click": (f'<button onclick="{_ASKS}">Go</button>', (), "button"),
}


def act_by_playwright(endpoint: str, url: str, calls: Iterable[Call]) -> list[Any]:
    """Playwright dismisses what nobody listens to."""

    async def main() -> list[Any]:
        async with playwright_browser(endpoint) as found:
            tab = playwright.PlaywrightTab(page_at(found, url))
            return [await tab.act(*given, **options, timeout=60) for given, options in calls]

    return asyncio.run(main())


def act_by_playwright_sync(endpoint: str, url: str, calls: Iterable[Call]) -> list[Any]:
    with playwright_browser_sync(endpoint) as found:
        tab = playwright.PlaywrightSyncTab(page_at(found, url))
        return [tab.act(*given, **options, timeout=60) for given, options in calls]


def act_by_cdp_use(endpoint: str, url: str, calls: Iterable[Call]) -> list[Any]:
    """A connection and a tab for each: what it answers must be over before a tab goes on."""

    async def act(given: tuple[Any, ...], options: dict[str, Any]) -> Any:
        async with cdp_tab(endpoint, f"{url.rpartition('/')[0]}/{given[0]}") as tab:

            def answer(_: Any, session: str | None) -> None:
                said = tab.client.send_raw("Page.handleJavaScriptDialog", {"accept": False}, session)
                answers.append(asyncio.ensure_future(said))

            answers: list[Any] = []
            await tab.send("Page.enable", {})
            tab.client.register.Page.javascriptDialogOpening(answer)
            return await cdp_use.CdpUseTab(tab.client, tab.session_id).act(*given, **options, timeout=60)

    return [asyncio.run(act(*call)) for call in calls]


def act_by_selenium(endpoint: str, url: str, calls: Iterable[Call]) -> list[Any]:
    receipts = []
    with chrome(endpoint) as webdriver:
        switch_to(webdriver, url)
        tab = selenium.SeleniumTab(webdriver)
        for given, options in calls:
            receipts.append(tab.act(*given, **options, timeout=60))
            webdriver.switch_to.alert.dismiss()
    return receipts


_SOAK = pytest.mark.soak


@pytest.mark.parametrize(
    ("by", "actions"),
    [
        (act_by_playwright, [*_ACTIONS]),
        (act_by_playwright_sync, ["fill", "click"]),
        (act_by_cdp_use, ["fill", "click"]),
        pytest.param(
            act_by_selenium,
            [*_ACTIONS],
            marks=not_in_headless_shell("dismisses a dialog when a client that has heard of it goes"),
        ),
        pytest.param(act_by_playwright_sync, [*_ACTIONS], marks=_SOAK),
        pytest.param(act_by_cdp_use, [*_ACTIONS], marks=_SOAK),
    ],
)
async def test_dialogs_are_in_the_receipts_of_all_actions(
    browser: hybridsnap.Browser,
    browser_endpoint: str,
    by: Callable[..., list[hybridsnap.Receipt]],
    actions: list[str],
) -> None:
    """Each action on a page of its own, one after the other in one tab: a driver takes longest to connect."""
    contents = {f"/{name}": content for name, (content, _, _) in _ACTIONS.items()}
    async with serve_pages({"/": "<p>start", **contents}) as pages:
        page = await browser.new_page(pages.url("/"))
        show = browser.new_page if by is act_by_cdp_use else page.goto

        def calls() -> Iterator[Call]:
            for action in actions:
                _, given, element = _ACTIONS[action]
                trio.from_thread.run(show, pages.url(f"/{action}"))
                yield (action, element, *given), {"label": "b"} if action == "select_option" else {}

        receipts = await in_thread(lambda: by(browser_endpoint, pages.url("/"), calls()))
        assert len(receipts) == len(actions)
        for action, receipt in zip(actions, receipts, strict=True):
            if by is act_by_selenium:  # its user answers later
                assert receipt.dialog is not None, action
                assert (receipt.dialog.type, receipt.dialog.message) == ("confirm", "Sure?"), action
                assert "opened a dialog (confirm): Sure?" in str(receipt), action
            else:
                assert set(receipt.answered) == {"dialog (confirm): 'Sure?', dismissed"}, action
                assert receipt.dialog is None, action
        await page.close()
