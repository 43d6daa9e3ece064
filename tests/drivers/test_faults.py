"""Cancelling, closing, missing packages: what drivers do when things do not go well."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

import hybridsnap
from hybridsnap.drivers import cdp_use, from_send, id_of, playwright, selenium, to_locator, to_web_element
from tests.support.driver_stage import cdp_tab, chrome, playwright_browser, playwright_browser_sync

#: getTargetInfo, getTargets, attachToTarget.
ATTACHING = 2


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 6, 9])
def test_cancelling_sends_the_clean_up(browser_endpoint: str, number: int) -> None:
    """Cancelled at the n-th command, and once more while it cleans up: no session of ours stays."""

    async def main() -> None:
        async with cdp_tab(browser_endpoint) as tab:
            sent: list[str] = []
            attached: set[str] = set()
            reached, detached = asyncio.Event(), asyncio.Event()
            if number < ATTACHING:
                detached.set()

            async def send(method: str, params: dict[str, Any], session: str | None) -> dict[str, Any]:
                sent.append(method)
                if len(sent) == number + 1:
                    reached.set()
                    await asyncio.sleep(0)
                result: dict[str, Any] = await tab.client.send_raw(method, params, session or tab.session_id)
                if method == "Target.attachToTarget":
                    attached.add(result["sessionId"])
                if method == "Target.detachFromTarget":
                    attached.discard(params["sessionId"])
                    if not attached:
                        detached.set()
                return result

            task = asyncio.create_task(from_send(send).snapshot())
            await reached.wait()
            task.cancel()
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            async with asyncio.timeout(5):
                await detached.wait()
            assert not attached

    asyncio.run(main())


def test_cancelling_playwright_leaves_no_session(
    browser_endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancelled once its n-th session has been asked for: each that was opened is closed again."""

    async def main() -> None:
        async with playwright_browser(browser_endpoint) as browser:
            page = await browser.contexts[0].new_page()
            await page.set_content("<button>x</button><iframe srcdoc='y'></iframe>")
            context, open_sessions = page.context, set[int]()
            asked, all_closed = asyncio.Event(), asyncio.Event()
            open_one = context.new_cdp_session

            def closed(number: int) -> None:
                open_sessions.discard(number)
                if not open_sessions:
                    all_closed.set()

            async def noted(to: Any) -> Any:
                asked.set()
                session = await open_one(to)
                number = id(session)
                open_sessions.add(number)
                session.on("close", lambda _: closed(number))
                return session

            monkeypatch.setattr(context, "new_cdp_session", noted)  # it is watched, not replaced
            for turns in (0, 1, 5, 20, 100):
                asked.clear()
                all_closed.clear()
                task = asyncio.create_task(playwright.snapshot(page))
                await asked.wait()
                for _ in range(turns):
                    await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                async with asyncio.timeout(5):
                    await all_closed.wait()
            assert (await playwright.snapshot(page)).report.complete
            await page.close()

    asyncio.run(main())


def test_a_page_that_was_closed(browser_endpoint: str) -> None:
    async def main() -> None:
        async with playwright_browser(browser_endpoint) as browser:
            page = await browser.contexts[0].new_page()
            await page.close()
            with pytest.raises(
                hybridsnap.TargetDetached, match=r"^the page of Playwright's was closed; open"
            ):
                await playwright.snapshot(page)
        async with cdp_tab(browser_endpoint) as tab:
            await tab.client.send_raw("Target.detachFromTarget", {"sessionId": tab.session_id})
            with pytest.raises(hybridsnap.TargetDetached):
                await cdp_use.snapshot(tab.client, tab.session_id)

    asyncio.run(main())


def test_a_page_that_was_closed_sync(browser_endpoint: str) -> None:
    with playwright_browser_sync(browser_endpoint) as browser:
        page = browser.contexts[0].new_page()
        page.close()
        with pytest.raises(hybridsnap.TargetDetached, match=r"^the page of Playwright's was closed; open"):
            playwright.snapshot_sync(page)
    with chrome(browser_endpoint) as webdriver:
        webdriver.switch_to.new_window("tab")
        webdriver.close()
        with pytest.raises(hybridsnap.TargetDetached):
            selenium.snapshot(webdriver)


def test_a_client_that_has_stopped(browser_endpoint: str) -> None:
    async def main() -> None:
        async with cdp_tab(browser_endpoint) as tab:
            ws = tab.client.ws
            assert ws is not None
            await ws.close()
            with pytest.raises((hybridsnap.ConnectionLost, hybridsnap.CommandRefused)):
                await cdp_use.snapshot(tab.client, tab.session_id)

    with pytest.raises(ConnectionClosed):  # the stage closes its tab over the same client
        asyncio.run(main())


def test_a_mistake_in_send_is_nobodys_answer() -> None:
    async def send(_method: str, _params: dict[str, Any]) -> dict[str, Any]:
        raise AttributeError("no such thing")

    with pytest.raises(AttributeError, match="no such thing"):
        asyncio.run(from_send(send).snapshot())


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("playwright", "playwright", "playwright"),
        ("selenium", "selenium", "selenium"),
        ("cdp_use", "cdp_use", "cdp-use"),
    ],
)
def test_without_its_package(module: str, package: str, extra: str) -> None:
    script = f"import sys; sys.modules[{package!r}] = None; import hybridsnap.drivers.{module}"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert f"pip install 'hybridsnap[{extra}]'" in last


_NOTHING: Any = None


def test_what_is_no_page_of_the_driver_is_refused_in_words() -> None:
    for wanted, call in (
        ("a page of Playwright's sync API", lambda: playwright.snapshot_sync(_NOTHING)),
        ("a page of Playwright's async API", lambda: asyncio.run(playwright.snapshot(_NOTHING))),
        ("a webdriver of Selenium for Chromium", lambda: selenium.snapshot(_NOTHING)),
        ("a CDPClient of cdp-use", lambda: asyncio.run(cdp_use.snapshot(_NOTHING, None))),
        ("a page of Playwright", lambda: to_locator(_NOTHING, "0-1")),
        ("a webdriver of Selenium for Chromium", lambda: to_web_element(_NOTHING, "0-1")),
        ("an element id, a ref or a selector", lambda: to_locator(_NOTHING, _NOTHING)),
        ("a locator or element handle of Playwright", lambda: id_of(_NOTHING)),
    ):
        with pytest.raises(TypeError, match=f"^expected {wanted}.*, got None$"):
            call()


_BUTTONS = "<button>One</button><button>Two</button>"
_NO_HANDLE = "^expected a locator or element handle of Playwright, .* got a "


def test_what_has_no_id_is_refused_in_words_sync(browser_endpoint: str) -> None:
    with playwright_browser_sync(browser_endpoint) as browser:
        page = browser.contexts[0].new_page()
        page.set_content(_BUTTONS)
        for given in (page, page.main_frame, page.evaluate_handle("window"), page.frame_locator("iframe")):
            with pytest.raises(TypeError, match=f"{_NO_HANDLE}{type(given).__name__}$"):
                id_of(given)  # type: ignore[call-overload]
        page.set_default_timeout(500)  # of a command, too
        with pytest.raises(hybridsnap.UnknownElement, match="Playwright has found no element in time"):
            id_of(page.locator("#none"))
        page.set_default_timeout(30000)
        with pytest.raises(hybridsnap.UnknownElement, match="matches 2 elements, and one is wanted"):
            id_of(page.locator("button"))
        locator, handle = page.locator("button").first, page.query_selector("button")
        assert handle is not None
        assert id_of(locator) == id_of(handle)
        page.goto("data:text/html,<button>One</button>")
        with pytest.raises(hybridsnap.UnknownElement, match="no element that is in the page"):
            id_of(handle)
        page.close()
        with pytest.raises(hybridsnap.TargetDetached):
            id_of(locator)
    with pytest.raises(hybridsnap.ConnectionLost):
        id_of(locator)


def test_what_has_no_id_is_refused_in_words(browser_endpoint: str) -> None:
    async def main() -> None:
        async with playwright_browser(browser_endpoint) as browser:
            page = await browser.contexts[0].new_page()
            await page.set_content(_BUTTONS)
            for given in (page, await page.evaluate_handle("window")):
                with pytest.raises(TypeError, match=f"{_NO_HANDLE}{type(given).__name__}$"):
                    await id_of(given)  # type: ignore[call-overload]
            page.set_default_timeout(500)  # of a command, too
            with pytest.raises(hybridsnap.UnknownElement, match="Playwright has found no element in time"):
                await id_of(page.locator("#none"))
            page.set_default_timeout(30000)
            with pytest.raises(hybridsnap.UnknownElement, match="matches 2 elements, and one is wanted"):
                await id_of(page.locator("button"))
            locator = page.locator("button").first
            await id_of(locator)
            await page.close()
            with pytest.raises(hybridsnap.TargetDetached):
                await id_of(locator)
        async with asyncio.timeout(10):
            with pytest.raises((hybridsnap.ConnectionLost, hybridsnap.TargetDetached)):
                await id_of(locator)

    asyncio.run(main())
