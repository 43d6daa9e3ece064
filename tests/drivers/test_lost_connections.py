"""A connection lost in the middle of a call ends it at once, in every driver, with `ConnectionLost`."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
import trio
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

import hybridsnap
from hybridsnap.drivers import cdp_use, from_send, playwright, selenium
from tests.support.driver_stage import (
    at_once,
    blocking_send,
    cdp_tab,
    chrome,
    new_window,
    page_at,
    switch_to,
)
from tests.support.pages import serve_pages
from tests.support.relay import Relay, relaying

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    #: A relay whose connections are lost in the middle of the call of this name, for each call.
    Calls: TypeAlias = Iterable[tuple[Relay, str]]

#: The time of a call, and what is far from it on a loaded machine.
_SECONDS, _SOON = 100.0, 40.0
#: What is called → what the browser says in the middle of that.
_CALLS: dict[str, tuple[Callable[[Any], Any], bytes]] = {
    "snapshot": (lambda tab: tab.snapshot(timeout=_SECONDS), b'"backendDOMNodeId"'),
    "click": (lambda tab: tab.click("button", timeout=_SECONDS), b'"objectId"'),
    "type": (lambda tab: tab.type("input", "words", timeout=_SECONDS), b'"objectId"'),
    "evaluate": (lambda tab: tab.evaluate("'in ' + 'between'", timeout=_SECONDS), b"in between"),
}
#: The same, while the page is attached to: where a driver names its sessions.
_ATTACHING: dict[str, tuple[Callable[[Any], Any], bytes]] = {
    "snapshot at once": (lambda tab: tab.snapshot(timeout=_SECONDS), b'"targetInfo"'),
    "click at once": (lambda tab: tab.click("button", timeout=_SECONDS), b'"targetInfo"'),
}
_PAGE = "<!doctype html><title>Here</title><button>Go</button><input>"


async def lose(tab: Any, relay: Relay, call: str) -> None:
    do, marker = (_CALLS | _ATTACHING)[call]
    started = time.monotonic()
    relay.lose_at(marker)
    with pytest.raises(hybridsnap.ConnectionLost):
        await do(tab)
    assert (relay.lost, time.monotonic() - started < _SOON) == (True, True)


def lose_sync(tab: Any, relay: Relay, call: str) -> None:
    do, marker = (_CALLS | _ATTACHING)[call]
    started = time.monotonic()
    relay.lose_at(marker)
    with pytest.raises(hybridsnap.ConnectionLost):
        do(tab)
    assert (relay.lost, time.monotonic() - started < _SOON) == (True, True)


def by_our_client(calls: Calls, url: str) -> None:
    async def main(relay: Relay, call: str) -> None:
        async with hybridsnap.connect(f"http://{relay.address}") as browser:
            (page,) = [one for one in await browser.pages() if one.url == url]
            await lose(page, relay, call)

    for each in calls:
        trio.run(main, *each)


def by_playwright(calls: Calls, url: str) -> None:
    async def main() -> None:
        async with async_playwright() as started:
            for relay, call in calls:
                browser = await started.chromium.connect_over_cdp(f"http://{relay.address}")
                await lose(playwright.PlaywrightTab(page_at(browser, url)), relay, call)

    asyncio.run(main())


def by_playwright_sync(calls: Calls, url: str) -> None:
    with sync_playwright() as started:
        for relay, call in calls:
            browser = started.chromium.connect_over_cdp(f"http://{relay.address}")
            lose_sync(playwright.PlaywrightSyncTab(page_at(browser, url)), relay, call)


def by_selenium(calls: Calls, url: str) -> None:
    for relay, call in calls:
        with chrome(f"http://{relay.address}") as webdriver:
            switch_to(webdriver, url)
            lose_sync(selenium.SeleniumTab(webdriver), relay, call)


def by_chromedriver(calls: Calls, url: str) -> None:
    for relay, call in calls:
        with chrome(f"http://{relay.address}") as webdriver:
            del webdriver.capabilities["goog:chromeOptions"]["debuggerAddress"]
            switch_to(webdriver, url)
            lose_sync(selenium.SeleniumTab(webdriver), relay, call)


def socket_of(relay: Relay) -> str:
    with urllib.request.urlopen(f"http://{relay.address}/json/version") as reply:
        return str(json.load(reply)["webSocketDebuggerUrl"])


def by_cdp_use(calls: Calls, url: str) -> None:
    async def main() -> None:
        for relay, call in calls:
            async with cdp_tab(socket_of(relay), url) as tab:
                await lose(cdp_use.CdpUseTab(tab.client, tab.session_id), relay, call)

    asyncio.run(main())


def by_sending(calls: Calls, url: str) -> None:
    async def main() -> None:
        for relay, call in calls:
            async with cdp_tab(socket_of(relay), url) as tab:
                await lose(from_send(tab.client.send_raw, tab.session_id), relay, call)

    asyncio.run(main())


def by_blocking(calls: Calls, url: str) -> None:
    for relay, call in calls:
        with blocking_send(socket_of(relay)) as send:
            infos = send("Target.getTargets", {})["targetInfos"]
            (target,) = [info["targetId"] for info in infos if info["url"] == url]
            session = send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
            lose_sync(from_send(send, session), relay, call)


_PLAYWRIGHT = [by_playwright, by_playwright_sync]
_OTHERS = [by_our_client, by_selenium, by_chromedriver, by_cdp_use, by_sending, by_blocking]


@pytest.mark.parametrize("ways", [_PLAYWRIGHT, _OTHERS], ids=["playwright", "others"])
async def test_a_connection_lost_in_the_middle_of_a_call(
    ways: list[Callable[[Calls, str], None]], browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    """A driver takes longest to start, so each is started once for all calls, if it can be."""
    wanted = [*_CALLS, *(_ATTACHING if ways is _PLAYWRIGHT else ())]

    async def check(by: Callable[[Calls, str], None]) -> None:
        url = pages.url(f"/{by.__name__}")
        page = await new_window(browser, url)
        came: list[str] = []

        def calls() -> Iterator[tuple[Relay, str]]:
            for call in wanted:
                came.append(call)
                with relaying(browser_endpoint) as relay:
                    yield relay, call
                assert trio.from_thread.run(page.evaluate, "document.title") == "Here", call

        try:
            await trio.to_thread.run_sync(by, calls(), url)
        except BaseException as error:
            error.add_note(f"in the call {came[-1]!r}")
            raise
        assert came == wanted

    async with serve_pages({f"/{by.__name__}": _PAGE for by in ways}) as pages:
        await at_once(check, ways)
