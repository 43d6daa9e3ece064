"""`attach`: our own second client beside any driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import trio

from hybridsnap.client.context_manager_errors import explained_context_manager
from hybridsnap.client.launch import connect
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from selenium.webdriver.chromium.webdriver import ChromiumDriver

    from hybridsnap.client.browser import Page


@overload
def attach(
    to: str, target_id: str | None = None, *, timeout: float | Deadline = DEFAULT_TIMEOUT
) -> AbstractAsyncContextManager[Page]: ...
@overload
def attach(
    to: ChromiumDriver, *, timeout: float | Deadline = DEFAULT_TIMEOUT
) -> AbstractAsyncContextManager[Page]: ...
@explained_context_manager
async def attach(
    to: Any, target_id: str | None = None, *, timeout: float | Deadline = DEFAULT_TIMEOUT
) -> AsyncIterator[Page]:
    """A page that another driver holds, over a connection of ours to the same browser.

    What is asked there never waits in that driver's queue, and nothing of the driver's is touched. After the
    block the tab stays open, without our sessions.

    Args:
        to: where the browser listens (as for `connect`), or a webdriver of Selenium's on this machine.
        target_id: which page; None when there is only one. A webdriver's is the window it is at.
        timeout: seconds until the page is there.

    Raises:
        EndpointError: nothing listens there, or the webdriver does not say where its browser listens.
        TargetError: the browser has no such page.
    """
    deadline = Deadline.of(timeout)
    endpoint = to
    if not isinstance(to, str):
        endpoint = _endpoint_of(to)
        # It asks ChromeDriver, which may be busy with a command of another thread.
        target_id = await trio.to_thread.run_sync(lambda: to.current_window_handle, abandon_on_cancel=True)
    async with connect(endpoint, timeout=deadline) as browser:
        yield await browser.page(target_id, timeout=deadline)


def _endpoint_of(webdriver: Any) -> str:
    capabilities = getattr(webdriver, "capabilities", None)
    if capabilities is None:
        raise TypeError(
            f"attach takes an endpoint (ws://… or http://…) or a webdriver, not {type(webdriver).__name__}"
        )
    options = capabilities.get("goog:chromeOptions") or capabilities.get("ms:edgeOptions") or {}
    address = options.get("debuggerAddress")
    if address is None:
        raise EndpointError(
            "the webdriver does not tell its debuggerAddress; use hybridsnap.drivers.selenium.snapshot",
            endpoint="",
        )
    return f"http://{address}"
