"""Tabs: their order and identity, who opened which, popups as pages, and the tab in front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

import hybridsnap
from hybridsnap import TargetError, WaitTimeout
from tests.support.headless_shell import not_in_headless_shell
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page
    from tests.support.pages import Content, PageServer

_PAGES: dict[str, Content] = {
    "/": """<!doctype html><title>Opener</title>
        <button id=open onclick="window.opened = window.open('/popup')">Open</button>
        <button id=plain onclick="window.open('/popup', '_blank', 'noopener')">Plain</button>
        <button id=empty onclick="window.open('').document.title = 'Empty'">Empty</button>
        <button id=brief onclick="window.open('/popup').close()">Brief</button>
        <button id=hangs onclick="window.open('/hang')">Hangs</button>
        <a id=link href=/popup target=_blank>link</a>
        <iframe src='http://localhost:{PORT}/inner'></iframe>""",
    "/inner": "<!doctype html><button id=open onclick=\"window.open('/popup')\">Open</button>",
    "/popup": "<!doctype html><title>Popup</title><p>in the popup",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def click(page: Page, name: str, session: int = 0) -> None:
    script = f"document.getElementById('{name}').click()"
    await page.sessions[session].send("Runtime.evaluate", {"expression": script, "userGesture": True})


async def value(page: Page, expression: str) -> Any:
    result = await page.session.send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
    return result["result"].get("value")


async def test_order_and_identity(browser: Browser, pages: PageServer) -> None:
    before = await browser.pages()
    made = [await browser.new_page(pages.url()) for _ in range(4)]
    assert await browser.pages() == before + made
    await made[2].goto(pages.url("/popup"), timeout=10)
    await made[3].bring_to_front()
    assert await browser.pages() == before + made
    await made[1].close()
    async with made[0].expect_popup(timeout=10) as popup:
        await click(made[0], "open")
    assert await browser.pages() == [*before, made[0], made[2], made[3], popup.page]
    assert await browser.page(made[2].target_id) is made[2]
    assert await browser.page_ids() == [page.target_id for page in await browser.pages()]


async def test_one_page_for_all_who_ask_at_once(browser: Browser, browser_endpoint: str) -> None:
    made = await browser.new_page()
    async with hybridsnap.connect(browser_endpoint) as other:
        found: list[Page] = []

        async def ask() -> None:
            found.append(await other.page(made.target_id))

        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(ask)
        assert len(found) == 5
        assert len(set(map(id, found))) == 1
        assert made.target_id in await other.page_ids()


@pytest.mark.parametrize(
    ("name", "session", "script_sees_opener"),
    [("open", 0, True), ("open", 1, True), ("plain", 0, False), ("link", 0, False)],
)
async def test_popups_are_pages(
    browser: Browser, pages: PageServer, name: str, session: int, script_sees_opener: bool
) -> None:
    page = await browser.new_page(pages.url())
    async with page.expect_popup(timeout=10) as popup:
        await click(page, name, session)
        with pytest.raises(LookupError, match="when the block"):
            popup.page  # noqa: B018 - the point
    opened = popup.page
    assert opened.url == pages.url("/popup", "localhost" if session else "127.0.0.1")
    assert "in the popup" in (await opened.snapshot(timeout=10)).combined_tree
    assert opened.opener is page
    assert opened.opener_id == page.target_id
    assert (await value(opened, "opener !== null")) == script_sees_opener
    assert page.opener_id is None
    await page.close()
    assert opened.opener_id == page.target_id
    assert browser.known_page(page.target_id) is None


async def test_a_click_that_opens_a_page(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url())
    mark = browser.tabs.count
    receipt = await page.click("#open", timeout=10)
    # It came before anybody waited for it.
    opened = await browser.wait_for_page(page, timeout=10)
    assert receipt.new_targets == (opened.target_id,)
    assert [tab.target_id for tab in browser.tabs.since(mark, page.target_id)] == [opened.target_id]
    assert (await value(opened, "document.title")) == "Popup"


async def test_a_window_without_a_document_of_its_own(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url())
    async with page.expect_popup(timeout=10) as popup:
        await click(page, "empty")
    assert popup.page.url == "about:blank"
    assert await value(popup.page, "document.title") == "Empty"


async def test_waiting_for_pages(browser: Browser, pages: PageServer) -> None:
    one, two = [await browser.new_page(pages.url()) for _ in range(2)]
    found: dict[str, Page] = {}

    async def wait(name: str, opener: Page | None) -> None:
        found[name] = await browser.wait_for_page(opener, timeout=10)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait, "of two", two)
        await trio.testing.wait_all_tasks_blocked()
        await click(one, "open")
        await click(two, "open")
    assert found["of two"].opener is two
    # That of the first was left, and is the only unclaimed one.
    assert (await browser.wait_for_page(timeout=10)).opener is one
    with pytest.raises(WaitTimeout, match="no page was opened") as caught:
        await browser.wait_for_page(timeout=0.2)
    assert caught.value.missing == ("an unclaimed page",)


async def test_pages_of_our_own_are_not_waited_for(browser: Browser, browser_endpoint: str) -> None:
    found: list[Page] = []

    async def wait() -> None:
        found.append(await browser.wait_for_page(timeout=10))

    async with hybridsnap.connect(browser_endpoint) as other, trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await browser.new_page()
        assert not found
        theirs = await other.new_page()
    assert [page.target_id for page in found] == [theirs.target_id]


async def test_a_popup_that_is_closed_at_once(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url())
    mark = browser.tabs.count
    with trio.fail_after(20), pytest.raises(TargetError):
        async with page.expect_popup(timeout=30):
            await click(page, "brief")
    with pytest.raises(WaitTimeout):
        await browser.wait_for_page(page, timeout=0.2)
    (brief,) = browser.tabs.since(mark)
    assert brief.closed
    async with page.expect_popup(timeout=60) as popup:
        await click(page, "brief")
        with trio.fail_after(30):
            while len(browser.tabs.since(mark)) < 2 or not browser.tabs.since(mark)[1].closed:
                await browser.page_ids()
        await click(page, "open")
    assert popup.page.target_id in await browser.page_ids()


async def test_a_popup_whose_document_does_not_come(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url())
    with trio.fail_after(20):
        async with page.expect_popup(timeout=1) as popup:
            await click(page, "hangs")
    await popup.page.goto(pages.url("/popup"), timeout=10)
    assert "in the popup" in (await popup.page.snapshot(timeout=10)).combined_tree


async def test_none_is_opened(browser: Browser, pages: PageServer) -> None:
    page, other = [await browser.new_page(pages.url()) for _ in range(2)]
    with pytest.raises(WaitTimeout, match="no page was opened in time"):
        async with page.expect_popup(timeout=0.3):
            await click(other, "open")


@not_in_headless_shell("counts every tab as shown")
async def test_the_tab_in_front(browser: Browser, pages: PageServer) -> None:
    one, two = [await browser.new_page(pages.url("/popup")) for _ in range(2)]
    for front, back in ((one, two), (two, one)):
        await front.bring_to_front()
        with trio.fail_after(30):
            while await value(back, "document.visibilityState") != "hidden":
                pass
        assert await value(front, "document.visibilityState") == "visible"


async def test_tabs_that_close_while_they_are_attached_to_are_left_out() -> None:
    async def open_and_close() -> None:
        for _ in range(20):
            made = await browser.session.send("Target.createTarget", {"url": "about:blank"})
            await trio.sleep(0.02)  # of the order of an attachment, so that many are cut off by the closing
            await browser.session.send("Target.closeTarget", made)
        nursery.cancel_scope.cancel()

    # A browser of our own gives each tab a viewport, which a closed one does not take.
    async with hybridsnap.launch() as browser:
        one = await browser.new_page()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(open_and_close)
            while True:
                assert one in await browser.pages()


async def test_a_page_s_own_socket_has_no_other_tabs(
    browser: Browser, browser_endpoint: str, pages: PageServer
) -> None:
    page = await browser.new_page(pages.url())
    host = browser_endpoint.partition("://")[2].partition("/")[0]
    async with hybridsnap.connect(f"ws://{host}/devtools/page/{page.target_id}") as only:
        one = await only.page()
        assert await only.pages() == [one]
        await one.bring_to_front()
        mark = only.tabs.count
        with pytest.raises(TargetError, match="own socket"):
            async with one.expect_popup(timeout=10):
                await click(one, "open")
        assert [tab.opener for tab in only.tabs.since(mark)] == [page.target_id]
        with pytest.raises(TargetError, match="own socket"):
            await only.wait_for_page(timeout=1)
    assert len([tab for tab in browser.tabs.since(0, page.target_id) if not tab.closed]) == 1


async def test_no_popup_event_is_heard_after_the_browser_is_gone(pages: PageServer) -> None:
    async with hybridsnap.launch() as browser:
        page = await browser.new_page(pages.url("/popup"))
        with trio.fail_after(20), pytest.raises(hybridsnap.ConnectionLost):
            async with page.expect_popup(timeout=30):
                await browser.close()
