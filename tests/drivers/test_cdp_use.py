"""Beside a user's `CDPClient`: its handlers see nothing of ours, nothing of ours stays, its end is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from cdp_use.client import CDPClient

import hybridsnap
from hybridsnap.drivers import cdp_use
from tests.support.driver_stage import CdpTab, cdp_tab
from tests.support.headless_shell import not_in_headless_shell

_PAGE = """document.body.innerHTML =
  `<button onclick="this.textContent = confirm('Sure?')">Delete</button><iframe srcdoc="<p>in"></iframe>`"""


def events_of(tab: CdpTab, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """Whatever the handlers of the client's user would be told."""
    told: list[tuple[str, str | None]] = []
    registry = tab.client._event_registry
    handle = registry.handle_event

    async def noted(method: str, params: Any, session: str | None = None) -> bool:
        told.append((method, session))
        return bool(await handle(method, params, session))

    monkeypatch.setattr(registry, "handle_event", noted)
    return told


def seconds_of(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The clients that are opened beside the user's."""
    opened: list[Any] = []

    class Noted(CDPClient):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            opened.append(self)

    monkeypatch.setattr(cdp_use, "CDPClient", Noted)
    return opened


@not_in_headless_shell("dismisses a dialog when a client that has heard of it goes")
def test_handlers_see_nothing_of_ours(browser_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dialogs are theirs: told once, on their session."""

    async def main() -> None:
        async with cdp_tab(browser_endpoint) as tab:
            await tab.client.send_raw("Page.enable", {}, tab.session_id)
            await tab.evaluate(_PAGE)
            told = events_of(tab, monkeypatch)
            page = cdp_use.CdpUseTab(tab.client, tab.session_id)
            (button,) = (await page.snapshot()).find(role="button", name="Delete")
            receipt = await page.click(button.id)
            assert any("dialog opened" in note for note in receipt.notes)
            await tab.client.send_raw("Page.handleJavaScriptDialog", {"accept": True}, tab.session_id)
            assert (await page.snapshot()).find(role="button", name="true")
            assert {session for _, session in told} == {tab.session_id}
            assert [method for method, _ in told].count("Page.javascriptDialogOpening") == 1

    asyncio.run(main())


def test_cancelled_calls_leave_no_connection(browser_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with cdp_tab(browser_endpoint) as tab:
            await tab.evaluate(_PAGE)
            opened = seconds_of(monkeypatch)
            for turns in (0, 1, 2, 5, 10, 20, 50, 100):
                task = asyncio.create_task(cdp_use.snapshot(tab.client, tab.session_id))
                for _ in range(turns):
                    await asyncio.sleep(0.001)
                task.cancel()
                await asyncio.wait([task])
            assert (await cdp_use.snapshot(tab.client, tab.session_id)).report.complete
            assert opened
            assert all(client.ws is None and client._message_handler_task is None for client in opened)

    asyncio.run(main())


@pytest.mark.parametrize("which", ["the user's", "ours"])
def test_a_lost_websocket_ends_the_call(
    browser_endpoint: str, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    """Also one whose reader has ended without a word, which cdp-use itself waits for without end."""

    async def main() -> None:
        async with cdp_tab(browser_endpoint) as tab, cdp_tab(browser_endpoint) as other:
            opened = seconds_of(monkeypatch)
            client: Any = other.client
            page = cdp_use.CdpUseTab(client, other.session_id)
            if which == "the user's":
                client._message_handler_task.cancel()
                call = asyncio.create_task(page.snapshot(timeout=60))
            else:
                endless = "new Promise(() => {})"
                call = asyncio.create_task(page.evaluate(endless, timeout=60))
                async with asyncio.timeout(20):
                    while not (opened and opened[0].pending_requests and opened[0].msg_id > 4):  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                opened[0]._message_handler_task.cancel()
            async with asyncio.timeout(20):
                with pytest.raises(hybridsnap.ConnectionLost, match="websocket was closed; start another"):
                    await call
            if which == "the user's":
                client._message_handler_task = asyncio.create_task(client._handle_messages())
            assert (await cdp_use.snapshot(tab.client, tab.session_id)).report.complete

    asyncio.run(main())


def test_where_no_second_client_is_let_in(browser_endpoint: str) -> None:
    async def main() -> None:
        async with cdp_tab(browser_endpoint) as tab:
            await tab.evaluate(_PAGE)
            tab.client.url = "ws://127.0.0.1:9/devtools/browser/none"
            snapshot = await cdp_use.snapshot(tab.client, tab.session_id)
            assert snapshot.report.complete

    asyncio.run(main())
