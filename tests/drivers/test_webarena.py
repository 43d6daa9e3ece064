"""MetaGPT's functions on the pages of other drivers."""

from __future__ import annotations

import asyncio
import inspect
import re
from typing import TYPE_CHECKING, Any

import pytest
import trio

from hybridsnap import NavigationFailed, TargetError
from hybridsnap.drivers import from_send
from hybridsnap.drivers.cdp_use import CdpUseTab
from hybridsnap.webarena import ElementNotFound, aio, sync
from tests.support.agent import FORM
from tests.support.driver_stage import (
    at_once,
    blocking_send,
    cdp_tab,
    chrome,
    new_window,
    playwright_browser,
    playwright_browser_sync,
)
from tests.support.pages import PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    import hybridsnap

_PAGES = {"/": FORM, "/other": "<title>Other</title><h1>Other</h1>"}
#: What the tab of a driver that opens none by itself shows at first.
_BLANK = {"/by_cdp_use": "", "/by_send": ""}


def without_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that never waits."""
    with pytest.raises(StopIteration):
        work.send(None)


async def did(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


class Agent:
    def __init__(self, functions: Any, page: Any, browser: Any, evaluate: Callable[..., Any]) -> None:
        self.functions, self.page, self.browser, self._evaluate = functions, page, browser, evaluate

    async def title(self) -> Any:
        return await did(self._evaluate(self.page, "document.title"))

    async def look(self) -> None:
        self.tree = await self("get_accessibility_tree", self.page)
        self.text, _ = self.functions.parse_accessibility_tree(self.tree)

    async def __call__(self, name: str, *arguments: Any) -> Any:
        return await did(getattr(self.functions, name)(*arguments))

    def id_of(self, line: str) -> str:
        found = re.search(rf"\[([\d-]+)\] {line}", self.text)
        assert found is not None, self.text
        return found[1]

    async def step(self, step: str) -> Any:
        return await self("execute_step", step, self.page, self.browser, self.tree)


async def check_acting(agent: Agent, pages: PageServer) -> None:
    """On the tab itself."""
    await agent.look()
    go = agent.functions.get_backend_node_id(agent.id_of("button 'Go'"), agent.tree)
    assert (await agent("get_element_outer_html", agent.page, go)).startswith("<button")
    await agent("hover_element", agent.page, go)
    assert await agent.title() == "over"
    receipt = await agent("click_element", agent.page, go)
    assert (receipt.action, await agent.title()) == ("click", "clicked")
    page = await agent.step(f"type [{agent.id_of('textbox .Query')}] [tea] [1]")
    assert (page is agent.page, await agent.title()) == (True, "sent tea")
    await agent.step(f"select [{agent.id_of('combobox .Colour')}] [Dark blue]")
    colour = await did(agent._evaluate(agent.page, "document.querySelector('select').value"))
    assert colour == "r"
    await agent.step(f"click [{agent.id_of('textbox .Words')}]")
    await agent("type_text", agent.page, "one")
    await agent("key_press", agent.page, "Backspace")
    assert await did(agent._evaluate(agent.page, "document.querySelector('textarea').value")) == "on"
    await agent("scroll_page", agent.page, "down")
    await agent.step(f"goto [{pages.url('/other')}]")
    assert await agent.title() == "Other"
    await agent.step("go_back")
    # The page as it was left, or loaded anew: the browser may or may not have kept it.
    assert await agent.title() in ("sent tea", "Form")
    await agent.step("go_forward")
    assert await agent.title() == "Other"
    with pytest.raises(NavigationFailed, match="nothing to go forward to"):
        await agent.step("go_forward")
    with pytest.raises(ElementNotFound):
        await agent.step("click [99999]")
    assert await agent.step('stop("done")') == "done"


async def check_session(agent: Agent) -> None:
    await agent.look()
    heading = agent.functions.get_backend_node_id(agent.id_of("heading"), agent.tree)
    session = await agent("get_page_cdp_session", agent.page)
    rect = (await agent("get_bounding_rect", session, heading))["result"]["value"]
    assert (rect["width"] > 0, rect["x"] + rect["width"]) == (True, rect["right"])
    with pytest.raises(ElementNotFound):
        await agent("get_bounding_rect", session, 99_999_999)


async def check_tabs(agent: Agent, number: Callable[[], int]) -> None:
    first, mine = agent.page, number()
    other = agent.page = await agent.step("new_tab")
    assert await agent.title() != "Other"
    agent.page = await agent.step(f"tab_focus [{mine}]")
    assert (agent.page is first, await agent.title()) == (True, "Other")
    with pytest.raises(TargetError, match="there is no tab 999"):
        await agent.step("tab_focus [999]")
    agent.page = other
    await agent.step(f"tab_focus [{mine}]")
    agent.page = await agent.step("close_tab") if other is not first else first
    assert await agent.title() is not None


def by_playwright_sync(endpoint: str, pages: PageServer) -> None:
    with playwright_browser_sync(endpoint) as browser:
        context = browser.new_context()
        page = context.new_page()
        page.goto(pages.url("/"))
        agent = Agent(sync, page, context, lambda page, words: page.evaluate(words))
        without_a_loop(check_acting(agent, pages))
        without_a_loop(check_session(agent))
        without_a_loop(check_tabs(agent, lambda: context.pages.index(page)))
        with pytest.raises(ValueError, match="another browser context"):
            sync.execute_step("None", page, browser.contexts[0], [])
        with pytest.raises(TypeError, match=r"expected a page of hybridsnap\.aio.*got playwright's Page"):
            without_a_loop(aio.scroll_page(page, "down"))
        context.close()


def by_playwright(endpoint: str, pages: PageServer) -> None:
    async def main() -> None:
        async with playwright_browser(endpoint) as browser:
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(pages.url("/"))
            agent = Agent(aio, page, context, lambda page, words: page.evaluate(words))
            await check_acting(agent, pages)
            await check_session(agent)
            await check_tabs(agent, lambda: context.pages.index(page))
            with pytest.raises(
                TypeError, match=r"expected a page of hybridsnap\.sync.*got playwright's Page"
            ):
                sync.scroll_page(page, "down")
            await context.close()

    asyncio.run(main())


def by_selenium(endpoint: str, pages: PageServer) -> None:
    with chrome(endpoint) as webdriver:
        webdriver.switch_to.new_window("tab")
        mine = webdriver.current_window_handle
        webdriver.get(pages.url("/"))
        agent = Agent(sync, webdriver, webdriver, lambda page, words: page.execute_script(f"return {words}"))
        without_a_loop(check_acting(agent, pages))
        without_a_loop(check_session(agent))
        without_a_loop(check_tabs(agent, lambda: webdriver.window_handles.index(mine)))
        webdriver.switch_to.window(mine)
        without_a_loop(did(agent.step("close_tab")))
        assert mine not in webdriver.window_handles


def by_cdp_use(endpoint: str, pages: PageServer) -> None:
    async def main() -> None:
        async with cdp_tab(endpoint, pages.url("/by_cdp_use")) as tab:
            await tab.goto(pages.url("/"))
            page = CdpUseTab(tab.client, tab.session_id)
            agent = Agent(aio, page, tab.client, lambda _, words: tab.evaluate(words))
            await check_acting(agent, pages)
            with pytest.raises(TargetError, match=r"new_tab: the tabs of CdpUseTab are the driver's"):
                await agent.step("new_tab")
            with pytest.raises(TypeError, match="no raw session; ask its driver"):
                await aio.get_page_cdp_session(page)

    asyncio.run(main())


def by_send(endpoint: str, pages: PageServer) -> None:
    with blocking_send(endpoint) as send:
        infos = send("Target.getTargets", {})["targetInfos"]
        (target,) = [info["targetId"] for info in infos if info["url"] == pages.url("/by_send")]
        session = send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = from_send(send, session)
        sync.execute_step(f"goto [{pages.url('/')}]", page, None)
        without_a_loop(check_acting(Agent(sync, page, None, lambda page, words: page.evaluate(words)), pages))


# Side by side; but Selenium counts the tabs of others.
@pytest.mark.parametrize(
    "ways",
    [[by_playwright_sync, by_playwright, by_cdp_use, by_send], [by_selenium]],
    ids=["others", "selenium"],
)
async def test_functions_on_other_drivers_pages(
    browser: hybridsnap.Browser, browser_endpoint: str, ways: list[Callable[[str, PageServer], None]]
) -> None:
    async def check(by: Callable[[str, PageServer], None]) -> None:
        if (path := f"/{by.__name__}") in _BLANK:
            await new_window(browser, pages.url(path))
        await trio.to_thread.run_sync(by, browser_endpoint, pages)

    async with serve_pages(_PAGES | _BLANK) as pages:
        await at_once(check, ways)
