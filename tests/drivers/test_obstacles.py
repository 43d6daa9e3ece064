"""A crash, a dialog, an end: each driver says what our own client says of them, and not only in the end."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
import trio
from playwright.sync_api import Error as PlaywrightError

import hybridsnap
from hybridsnap.deadline import Deadline
from hybridsnap.drivers import cdp_use, from_send, playwright, selenium
from hybridsnap.drivers.base import refused
from hybridsnap.drivers.blocking_driver import BlockingDriver
from hybridsnap.drivers.playwright_sessions import retry_frames
from hybridsnap.model import SessionId
from hybridsnap.protocol.commands import get_frame_tree
from tests.support.driver_stage import (
    at_once,
    blocking_send,
    cdp_tab,
    chrome,
    meet,
    new_window,
    page_at,
    playwright_browser,
    playwright_browser_sync,
)
from tests.support.faults import until
from tests.support.headless_shell import not_in_headless_shell
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selenium.webdriver.chrome.webdriver import WebDriver

    from hybridsnap.drivers.tab import AsyncTab, SyncTab

    #: (endpoint, address of the tab, what brings the trouble about, whether a click does) → what came of it.
    Way: TypeAlias = Callable[[str, str, Callable[[], object], bool], list[Exception]]

#: Far longer than what is found out needs.
_SECONDS = 30.0
_PAGE = "<title>Still</title><button>Go</button>"
_FRAMED = {
    "/": f"{_PAGE}<iframe srcdoc=in></iframe><iframe src='http://localhost:{{PORT}}/in'></iframe>",
    "/in": "<p>In",
}
_ASKING = "<title>Asking</title><button onclick=\"alert('Well?'); this.title = 'asked'\">Go</button>"
_OPENED = "a dialog opened; the page goes on when it is answered"
_ALERT = "setTimeout(() => alert('Well?'), 0), 1"
_STEPS: list[Callable[[Any], Any]] = [
    lambda tab: tab.snapshot(timeout=_SECONDS),
    lambda tab: tab.click("button", timeout=_SECONDS),
    lambda tab: tab.evaluate("1", timeout=_SECONDS),
]


def crashing(page: hybridsnap.Page) -> Callable[[], None]:
    """What crashes a page's renderer, called in another thread."""

    async def crash_it() -> None:
        with contextlib.suppress(hybridsnap.TargetCrashed):
            await page.session.send("Page.crash")

    return functools.partial(trio.from_thread.run, crash_it)


async def came_of(tab: AsyncTab) -> list[Exception]:
    """The errors of a snapshot, a click and a script."""
    came: list[Exception] = []
    for step in _STEPS:
        with pytest.raises(hybridsnap.HybridsnapError) as caught:
            await step(tab)
        came.append(caught.value)
    return came


def came_of_sync(tab: SyncTab) -> list[Exception]:
    """As `came_of`."""
    came: list[Exception] = []
    for step in _STEPS:
        with pytest.raises(hybridsnap.HybridsnapError) as caught:
            step(tab)
        came.append(caught.value)
    return came


async def came_of_asking(tab: AsyncTab) -> list[Exception]:
    """The error of a script, after a click that has opened a dialog."""
    receipt = await tab.click("button", timeout=_SECONDS)
    assert _OPENED in receipt.notes
    with pytest.raises(hybridsnap.HybridsnapError) as caught:
        await tab.evaluate("1", timeout=_SECONDS)
    return [caught.value]


def came_of_asking_sync(tab: SyncTab) -> list[Exception]:
    """As `came_of_asking`."""
    receipt = tab.click("button", timeout=_SECONDS)
    assert _OPENED in receipt.notes
    with pytest.raises(hybridsnap.HybridsnapError) as caught:
        tab.evaluate("1", timeout=_SECONDS)
    return [caught.value]


def by_playwright(
    endpoint: str, url: str, bring: Callable[[], object], asks: bool = False
) -> list[Exception]:
    async def main() -> list[Exception]:
        async with playwright_browser(endpoint) as browser:
            page = page_at(browser, url)
            page.context.on("dialog", lambda _: None)  # also those of the tabs of others, which it hears of
            bring()
            return await (came_of_asking if asks else came_of)(playwright.PlaywrightTab(page))

    return asyncio.run(main())


def by_playwright_sync(endpoint: str, url: str, bring: Callable[[], object], asks: bool) -> list[Exception]:
    with playwright_browser_sync(endpoint) as browser:
        page = page_at(browser, url)
        page.context.on("dialog", lambda _: None)
        bring()
        return (came_of_asking_sync if asks else came_of_sync)(playwright.PlaywrightSyncTab(page))


def by_cdp_use(endpoint: str, url: str, bring: Callable[[], object], asks: bool = False) -> list[Exception]:
    async def main() -> list[Exception]:
        async with cdp_tab(endpoint, url) as tab:
            bring()
            return await (came_of_asking if asks else came_of)(cdp_use.CdpUseTab(tab.client, tab.session_id))

    return asyncio.run(main())


def by_sending(endpoint: str, url: str, bring: Callable[[], object], asks: bool = False) -> list[Exception]:
    async def main() -> list[Exception]:
        async with cdp_tab(endpoint, url) as tab:
            bring()
            return await (came_of_asking if asks else came_of)(from_send(tab.send))

    return asyncio.run(main())


def by_blocking(endpoint: str, url: str, bring: Callable[[], object], asks: bool = False) -> list[Exception]:
    """A send that waits for as long as it takes."""
    with blocking_send(endpoint) as send:
        infos = send("Target.getTargets", {})["targetInfos"]
        (target,) = [info["targetId"] for info in infos if info["url"] == url]
        session = send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        bring()
        return (came_of_asking_sync if asks else came_of_sync)(from_send(send, session))


_ASYNC = [by_playwright, by_playwright_sync, by_cdp_use, by_sending]


def check_crashed(came: list[Exception]) -> None:
    snapshot, click, script = came
    assert isinstance(snapshot, hybridsnap.CaptureFailed)
    assert snapshot.report is not None
    assert snapshot.report.frames[0].cause == "crashed"
    for error in (click, script):
        assert isinstance(error, hybridsnap.TargetCrashed)
        assert "has crashed; reload the page" in str(error)


def check_dialog(came: list[Exception]) -> None:
    snapshot, click, script = came
    assert isinstance(snapshot, hybridsnap.CaptureFailed)
    assert not isinstance(snapshot, hybridsnap.DeadlineExceeded), "it was not known before the end"
    assert snapshot.report is not None
    assert snapshot.report.frames[0].cause == "dialog"
    for error in (click, script):
        assert isinstance(error, hybridsnap.CommandUnanswered)
        assert error.cause == "dialog"


@pytest.mark.parametrize("way", [*_ASYNC, by_blocking])
async def test_a_page_that_has_crashed(way: Way, browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async with serve_pages({"/": _PAGE}) as pages:
        page = await browser.new_page(pages.url("/"))
        bring = crashing(page)
        check_crashed(await trio.to_thread.run_sync(way, browser_endpoint, pages.url("/"), bring, False))
        await page.close()


@pytest.mark.parametrize("way", [by_playwright, by_playwright_sync])
async def test_a_page_that_has_crashed_beside_its_frames(
    way: Way, browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    """Playwright still knows of frames that no session reaches any more."""
    async with serve_pages(_FRAMED) as pages:
        page = await browser.new_page(pages.url("/"))
        frames = (await page.snapshot()).report.frames
        assert [frame.status for frame in frames] == ["captured"] * 3
        bring = crashing(page)
        check_crashed(await trio.to_thread.run_sync(way, browser_endpoint, pages.url("/"), bring, False))
        await page.close()


@not_in_headless_shell("dismisses a dialog when a client that has heard of it goes")
async def test_a_page_with_a_dialog(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    """Each call has sessions of its own, which come later, and are not told of it."""

    async def check(way: Way) -> None:
        url = pages.url(f"/{way.__name__}")
        page = await new_window(browser, url)

        async def ask() -> None:
            await page.session.send("Page.enable")
            with page.session.events("Page.javascriptDialogOpening") as opening:
                await page.evaluate(_ALERT)
                await anext(aiter(opening))

        def bring() -> None:
            all_connected()
            trio.from_thread.run(ask)

        check_dialog(await trio.to_thread.run_sync(way, browser_endpoint, url, bring, False))
        assert [one.message for one in page.dialogs] == ["Well?"], "it was answered by looking"
        await page.answer_dialog()
        assert await page.evaluate("document.title") == "Still"

    all_connected = meet(len(_ASYNC))
    async with serve_pages({f"/{way.__name__}": _PAGE for way in _ASYNC}) as pages:
        await at_once(check, _ASYNC)


def look_by_playwright(endpoint: str, url: str, bring: Callable[[], object]) -> hybridsnap.Snapshot:
    async def main() -> hybridsnap.Snapshot:
        async with playwright_browser(endpoint) as browser:
            page = page_at(browser, url)
            page.context.on("dialog", lambda _: None)  # also those of the tabs of others, which it hears of
            bring()
            return await playwright.PlaywrightTab(page).snapshot(timeout=_SECONDS)

    return asyncio.run(main())


def look_by_playwright_sync(endpoint: str, url: str, bring: Callable[[], object]) -> hybridsnap.Snapshot:
    with playwright_browser_sync(endpoint) as browser:
        page = page_at(browser, url)
        page.context.on("dialog", lambda _: None)
        bring()
        return playwright.PlaywrightSyncTab(page).snapshot(timeout=_SECONDS)


@not_in_headless_shell("dismisses a dialog when a client that has heard of it goes")
@pytest.mark.parametrize("look", [look_by_playwright, look_by_playwright_sync])
async def test_a_frame_of_another_process_with_a_dialog(
    look: Callable[..., hybridsnap.Snapshot], browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    async with serve_pages(_FRAMED) as pages:
        page = await browser.new_page(pages.url("/"))

        async def ask() -> None:
            (inner,) = [one for one in page.sessions if one.target_id != page.target_id]
            with page.session.events("Page.javascriptDialogOpening") as opening:
                await inner.send("Runtime.evaluate", {"expression": _ALERT})
                await anext(aiter(opening))

        await page.session.send("Page.enable")
        bring = functools.partial(trio.from_thread.run, ask)
        snapshot = await trio.to_thread.run_sync(look, browser_endpoint, pages.url("/"), bring)
        assert [frame.cause for frame in snapshot.report.frames] == [None, None, "dialog"]
        assert [one.message for one in page.dialogs] == ["Well?"], "it was answered by looking"
        await page.answer_dialog()
        await page.close()


def test_a_dialog_in_a_frame_is_told_while_frames_are_reached_though_the_browser_is_slow() -> None:
    def send(method: str, _: object, session: object, deadline: Deadline) -> dict[str, Any]:
        if method == "Page.captureScreenshot":
            raise refused(method, -32000, "0 width")
        answers = session == "page" or method.startswith("Input.")
        if answers and deadline.remaining > 0.1:
            time.sleep(0.1)
            return {"frameTree": {"frame": {"id": "F", "loaderId": "L", "url": "", "securityOrigin": ""}}}
        time.sleep(max(deadline.remaining, 0))
        raise TimeoutError(method)

    driver = BlockingDriver("slow", send)
    reaching = Deadline.after(3)  # a tenth of 30 s
    driver.execute(get_frame_tree(SessionId("page")), reaching)
    with pytest.raises(hybridsnap.CommandUnanswered) as caught:
        driver.execute(get_frame_tree(SessionId("child")), reaching)
    assert caught.value.cause == "dialog"


@not_in_headless_shell("dismisses a dialog when a client that has heard of it goes")
async def test_a_click_that_opens_a_dialog(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async def check(way: Way) -> None:
        url = pages.url(f"/{way.__name__}")
        page = await new_window(browser, url)
        work = functools.partial(way, browser_endpoint, url, all_connected)
        (error,) = await trio.to_thread.run_sync(work, True)
        assert isinstance(error, hybridsnap.CommandUnanswered)
        assert error.cause == "dialog"
        await until(lambda: page.dialogs)  # this client hears of it by another connection
        assert [one.message for one in page.dialogs] == ["Well?"], "it was answered by looking"
        await page.answer_dialog()
        assert await page.evaluate("document.querySelector('button').title") == "asked"

    all_connected = meet(len(_ASYNC))
    async with serve_pages({f"/{way.__name__}": _ASKING for way in _ASYNC}) as pages:
        await at_once(check, _ASYNC)


async def test_a_script_that_opens_a_dialog(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    def work() -> Exception:
        async def main() -> Exception:
            async with cdp_tab(browser_endpoint, pages.url("/")) as tab:
                with pytest.raises(hybridsnap.CommandUnanswered) as caught:
                    await from_send(tab.send).evaluate("alert('Well?')", timeout=_SECONDS)
                return caught.value

        return asyncio.run(main())

    async with serve_pages({"/": _PAGE}) as pages:
        page = await browser.new_page(pages.url("/"))
        assert "dialog" in str(await trio.to_thread.run_sync(work))
        await until(lambda: page.dialogs)
        assert [one.message for one in page.dialogs] == ["Well?"]
        await page.answer_dialog()
        assert await page.evaluate("document.title") == "Still"
        await page.close()


@contextlib.contextmanager
def without_address(webdriver: WebDriver) -> Iterator[None]:
    """The driver does not say where its browser listens, as one on another machine."""
    options = webdriver.capabilities["goog:chromeOptions"]
    address = options.pop("debuggerAddress")
    yield
    options["debuggerAddress"] = address


@not_in_headless_shell("dismisses a dialog when a client that has heard of it goes")
async def test_selenium_clicks_what_opens_a_dialog() -> None:
    """With an address of its browser, and without."""

    def click(webdriver: WebDriver) -> None:
        webdriver.get(pages.url("/"))
        (error,) = came_of_asking_sync(selenium.SeleniumTab(webdriver))
        assert isinstance(error, hybridsnap.CommandUnanswered)
        assert error.cause == "dialog"
        assert webdriver.switch_to.alert.text == "Well?", "it was dismissed by looking"
        webdriver.switch_to.alert.accept()
        assert selenium.SeleniumTab(webdriver).evaluate("document.title") == "Asking"

    def work() -> None:
        with chrome() as webdriver:
            click(webdriver)
            with without_address(webdriver):
                click(webdriver)

    async with serve_pages({"/": _ASKING}) as pages:
        await trio.to_thread.run_sync(work)


async def test_selenium() -> None:
    """With an address of its browser, and without."""

    def ask_and_crash(webdriver: WebDriver, address: str) -> None:
        webdriver.get(pages.url("/"))
        tab = selenium.SeleniumTab(webdriver)
        webdriver.execute_script(f"return {_ALERT}")
        check_dialog(came_of_sync(tab))
        assert webdriver.switch_to.alert.text == "Well?", "it was dismissed by looking"
        webdriver.switch_to.alert.accept()
        crash(address, webdriver.current_window_handle)
        check_crashed(came_of_sync(tab))

    def check_ended(webdriver: WebDriver) -> None:
        for error in came_of_sync(selenium.SeleniumTab(webdriver)):
            assert isinstance(error, hybridsnap.ConnectionLost)

    def work() -> None:
        with chrome() as webdriver:
            address = webdriver.capabilities["goog:chromeOptions"]["debuggerAddress"]
            first = webdriver.current_window_handle
            webdriver.switch_to.new_window("window")
            ask_and_crash(webdriver, address)
            webdriver.switch_to.window(first)
            with without_address(webdriver):
                ask_and_crash(webdriver, address)
        check_ended(webdriver)
        with without_address(webdriver):
            check_ended(webdriver)

    async with serve_pages({"/": _PAGE}) as pages:
        await trio.to_thread.run_sync(work)


async def test_a_window_of_selenium_that_was_closed() -> None:
    """By a page's script: what ChromeDriver is asked first after that is answered with nothing."""
    async with serve_pages({"/": "<button onclick='window.close()'>Close me</button>"}) as pages:

        def work() -> None:
            with chrome() as webdriver:
                webdriver.get(pages.url("/"))
                first = webdriver.current_window_handle
                for closes in (selenium.SeleniumTab(webdriver).click, lambda _: webdriver.close()):
                    webdriver.execute_script("window.open('/')")
                    (popup,) = {*webdriver.window_handles} - {first}
                    webdriver.switch_to.window(popup)
                    tab = selenium.SeleniumTab(webdriver)
                    closes("button")
                    for error in came_of_sync(tab):
                        assert isinstance(error, hybridsnap.TargetDetached)
                        assert "was closed; go to another with switch_to.window()" in str(error)
                    webdriver.switch_to.window(first)

        await trio.to_thread.run_sync(work)


def crash(address: str, target: str) -> None:
    async def main() -> None:
        async with hybridsnap.connect(f"http://{address}") as browser:
            page = await browser.page(target)
            with contextlib.suppress(hybridsnap.TargetCrashed):
                await page.session.send("Page.crash")

    trio.run(main)


async def test_a_driver_that_has_stopped(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    def work() -> list[Exception]:
        async def by_cdp() -> list[Exception]:
            async with cdp_tab(browser_endpoint, pages.url("/")) as tab:
                used = tab.client, tab.session_id, tab.send
            two = cdp_use.CdpUseTab(*used[:2]), from_send(used[2])
            return [error for one in two for error in await came_of(one)]

        async def by_playwright() -> list[Exception]:
            async with playwright_browser(browser_endpoint) as other:
                tab = playwright.PlaywrightTab(page_at(other, pages.url("/")))
                await other.close()
                return await came_of(tab)

        with playwright_browser_sync(browser_endpoint) as other:
            tab = playwright.PlaywrightSyncTab(page_at(other, pages.url("/")))
        came = came_of_sync(tab)
        return came + asyncio.run(by_cdp()) + asyncio.run(by_playwright())

    async with serve_pages({"/": _PAGE}) as pages:
        page = await browser.new_page(pages.url("/"))
        for error in await trio.to_thread.run_sync(work):
            assert isinstance(error, hybridsnap.ConnectionLost)
            assert "\n" not in str(error)
        await page.close()


async def test_a_crash_while_playwright_is_waited_on(
    browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    """Looking about has found nothing yet; so Playwright is the first to say so."""

    def work(crash_it: Callable[[], None]) -> BlockingDriver:
        driver = BlockingDriver("playwright", lambda *_: {})
        with playwright_browser_sync(browser_endpoint) as other:
            found = page_at(other, pages.url("/"))
            with found.expect_event("crash"):
                crash_it()
            assert len(found.frames) > 1
            assert not [*retry_frames(found, [], driver, Deadline.after(5))]
            found.close()
            with pytest.raises(hybridsnap.TargetDetached, match="closed"):
                list(retry_frames(found, [], BlockingDriver("playwright", lambda *_: {}), Deadline.after(5)))
        return driver

    async with serve_pages(_FRAMED) as pages:
        page = await browser.new_page(pages.url("/"))
        driver = await trio.to_thread.run_sync(work, crashing(page))
        assert [*driver.obstacles.values()] == ["crashed"]


async def test_a_page_that_is_about_to_crash(browser_endpoint: str) -> None:
    """Playwright comes back before the renderer has ended; with frames, and without."""

    def work() -> None:
        with playwright_browser_sync(browser_endpoint) as other:
            for path in ("/", "/in"):
                page = other.contexts[0].new_page()
                page.goto(pages.url(path))
                with contextlib.suppress(PlaywrightError):
                    page.goto("chrome://crash")
                check_crashed(came_of_sync(playwright.PlaywrightSyncTab(page)))
                page.close()

    async with serve_pages(_FRAMED) as pages:
        with trio.fail_after(_SECONDS / 2):
            await trio.to_thread.run_sync(work)
