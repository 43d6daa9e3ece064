"""What the tests of drivers share: each driver with a tab of its own, on the browser that the run shares.

Most of what drivers do is waiting, so tests that ask the same of several have them do it `at_once`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import shutil
import threading
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import trio
import websocket
from cdp_use.client import CDPClient
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from hybridsnap.client.browsers import find_browser

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator

    from playwright import async_api, sync_api
    from selenium.webdriver.chrome.webdriver import WebDriver

    import hybridsnap
    from hybridsnap.snapshot import Snapshot

T = TypeVar("T")
#: For browsers that a driver launches itself.
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--site-per-process"]
BROWSER = str(find_browser())
LOADED = """new Promise(done => {
  if (document.readyState === "complete") done(1); else addEventListener("load", () => done(1));
})"""


_SIZED = """() => new Promise(done => {
  const look = () => { if (innerWidth === 300 && innerHeight === 150) done(1); else setTimeout(look, 20); };
  look();
})"""


async def laid_out(page: hybridsnap.Page) -> Snapshot:
    """The page once each of its frames has the size that an iframe has unless told: a frame in a process of
    its own is 0 by 0 at first, and everything in it scrolls.
    """
    first = await page.snapshot()
    inner = {id_.partition("-")[0]: id_ for id_ in first.combined_xpath_map if not id_.startswith("0-")}
    for id_ in inner.values():
        await page.evaluate(_SIZED, element=id_)
    return await page.snapshot()


async def new_window(browser: hybridsnap.Browser, url: str) -> hybridsnap.Page:
    """A tab in a window of its own: unlike a tab behind another, it is drawn, whatever is opened after it."""
    opened = await browser.session.send("Target.createTarget", {"url": "about:blank", "newWindow": True})
    page = await browser.page(opened["targetId"])
    await page.goto(url)
    return page


async def at_once(check: Callable[[T], Awaitable[None]], cases: Iterable[T]) -> None:
    """Run a check of several cases side by side; what fails has a note that says in which case."""

    async def noted(case: T) -> None:
        try:
            await check(case)
        except BaseException as error:
            error.add_note(f"in the case {getattr(case, '__name__', case)!r}")
            raise

    async with trio.open_nursery() as nursery:
        for case in cases:
            nursery.start_soon(noted, case)


def meet(drivers: int) -> Callable[[], object]:
    """Waits until so many drivers, each in a thread of its own, have connected: Playwright does not connect
    while a tab hangs or shows a dialog.
    """
    return functools.partial(threading.Barrier(drivers).wait, 60)


def address_of(endpoint: str) -> str:
    """``host:port`` of a browser."""
    return urlsplit(endpoint).netloc


@contextlib.asynccontextmanager
async def playwright_browser(endpoint: str) -> AsyncIterator[async_api.Browser]:
    async with async_playwright() as playwright:
        yield await playwright.chromium.connect_over_cdp(endpoint)


@contextlib.contextmanager
def playwright_browser_sync(endpoint: str) -> Iterator[sync_api.Browser]:
    with sync_playwright() as playwright:
        yield playwright.chromium.connect_over_cdp(endpoint)


def page_at(browser: Any, url: str) -> Any:
    """The tab that shows an address."""
    pages = [page for context in browser.contexts for page in context.pages]
    found = [page for page in pages if page.url == url]
    assert len(found) == 1, f"one tab shows {url}: {[page.url for page in pages]}"
    return found[0]


@contextlib.contextmanager
def chrome(endpoint: str | None = None) -> Iterator[WebDriver]:
    """A webdriver, on a browser that runs already or on one of its own."""
    options = webdriver.ChromeOptions()
    if endpoint is None:
        options.binary_location = BROWSER
        for flag in ("--headless=new", *FLAGS):
            options.add_argument(flag)
    else:
        options.debugger_address = address_of(endpoint)
    found = shutil.which("chromedriver")
    assert found is not None, "ChromeDriver is on PATH"
    driver = webdriver.Chrome(options=options, service=Service(found))
    try:
        yield driver
    finally:
        driver.quit()


def switch_to(webdriver: WebDriver, url: str) -> None:
    """The window that shows an address."""
    for handle in webdriver.window_handles:
        webdriver.switch_to.window(handle)
        if webdriver.current_url == url:
            return
    raise AssertionError(f"no window shows {url}")


@contextlib.contextmanager
def blocking_send(endpoint: str) -> Iterator[Callable[..., dict[str, Any]]]:
    """``send(method, params, session=None)`` of a user's own, that waits for as long as it takes."""
    numbers = itertools.count(1)
    with contextlib.closing(websocket.create_connection(endpoint, suppress_origin=True)) as socket:

        def send(method: str, params: dict[str, Any], session: str | None = None) -> dict[str, Any]:
            number = next(numbers)
            message = {"id": number, "method": method, "params": params}
            socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
            while (reply := json.loads(socket.recv())).get("id") != number:
                pass  # an event
            if "error" in reply:
                raise RuntimeError(reply["error"])
            result: dict[str, Any] = reply["result"]
            return result

        yield send


class CdpTab:
    """A tab spoken to by cdp-use."""

    def __init__(self, client: CDPClient, session_id: str) -> None:
        self.client = client
        self.session_id = session_id

    async def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return await self.client.send_raw(method, params, self.session_id)

    async def evaluate(self, expression: str) -> Any:
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return (await self.send("Runtime.evaluate", params))["result"].get("value")

    async def goto(self, url: str) -> None:
        await self.send("Page.navigate", {"url": url})
        await self.evaluate(LOADED)


@contextlib.asynccontextmanager
async def cdp_client(endpoint: str) -> AsyncIterator[CDPClient]:
    async with CDPClient(endpoint) as client:
        yield client


@contextlib.asynccontextmanager
async def cdp_tab(endpoint: str, url: str | None = None) -> AsyncIterator[CdpTab]:
    """A new tab, or the one that shows an address."""
    async with cdp_client(endpoint) as client:
        if url is None:
            target = (await client.send_raw("Target.createTarget", {"url": "about:blank"}))["targetId"]
        else:
            infos = (await client.send_raw("Target.getTargets"))["targetInfos"]
            found = [info for info in infos if info["type"] == "page" and info["url"] == url]
            assert len(found) == 1, infos
            target = found[0]["targetId"]
        params = {"targetId": target, "flatten": True}
        session = (await client.send_raw("Target.attachToTarget", params))["sessionId"]
        yield CdpTab(client, session)
        if url is None:
            await client.send_raw("Target.closeTarget", {"targetId": target})
