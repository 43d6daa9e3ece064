"""Selenium with ChromeDriver: ``snapshot(webdriver)``, of the window that the webdriver is at.

ChromeDriver tells where its browser listens (``goog:chromeOptions.debuggerAddress``). Where that can be
reached from here, a socket of ours to the same browser and target does the work: frames in other processes
are reached, a dialog is not dismissed by looking, and the deadline holds within a command. Where it cannot (a
remote grid), `execute_cdp_cmd` is used: the deadline is then only seen between two commands, and frames in
other processes are in the report as unreachable.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.deadline import DEFAULT_TIMEOUT
from hybridsnap.drivers.attached_tab import AttachedTab
from hybridsnap.drivers.attaching import FlatSessions
from hybridsnap.drivers.base import unanswered
from hybridsnap.drivers.blocking_driver import BlockingDriver
from hybridsnap.drivers.custom import SyncSentTab
from hybridsnap.drivers.refusals import error_of
from hybridsnap.drivers.tab import SyncTab, require
from hybridsnap.drivers.type_checks import check_has
from hybridsnap.errors import TargetCrashed, TargetDetached
from hybridsnap.model import TargetId

require("selenium", "selenium")

from selenium.common.exceptions import (  # noqa: E402 - it has just been found
    NoAlertPresentException,
    WebDriverException,
)
from selenium.webdriver.remote.webelement import WebElement  # noqa: E402 - the same
from urllib3.exceptions import HTTPError  # noqa: E402 - Selenium brings it
from websocket import WebSocketException  # noqa: E402 - the same

from hybridsnap.drivers.blocking_socket import Socket  # noqa: E402 - the same

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from selenium.webdriver.chromium.webdriver import ChromiumDriver

    from hybridsnap.deadline import Deadline
    from hybridsnap.drivers.snapshot_run import SnapshotOptions
    from hybridsnap.model import Cause
    from hybridsnap.snapshot import Snapshot

NAME = "selenium"


def snapshot(
    webdriver: ChromiumDriver,
    *,
    timeout: float | Deadline = DEFAULT_TIMEOUT,
    **options: Unpack[SnapshotOptions],
) -> Snapshot:
    """Capture the window that the webdriver is at. Options, result and errors: `hybridsnap.Page.snapshot`."""
    return SeleniumTab(webdriver).snapshot(timeout=timeout, **options)


class SeleniumTab(SyncTab):
    """The window that a webdriver is at."""

    def __init__(self, webdriver: ChromiumDriver) -> None:
        check_has(webdriver, "execute_cdp_cmd", "a webdriver of Selenium for Chromium")
        self._webdriver = webdriver

    @contextlib.asynccontextmanager
    async def reach(self, deadline: Deadline) -> AsyncIterator[AttachedTab]:
        """As `SyncTab.reach`."""
        try:
            # ChromeDriver's name of a window is its target's id.
            target_id = TargetId(self._webdriver.current_window_handle)
        except (WebDriverException, HTTPError) as error:
            known = error_of("Target.getTargetInfo", error)
            raise (_closed() if isinstance(known, TargetDetached) else known or error) from error
        if not target_id:  # the first time that it is asked after a page has closed its window
            raise _closed()
        socket, why = self._connect(deadline)
        if socket is None:
            other = SyncSentTab(self._send, None, name=NAME, target_id=target_id)
            if (obstacle := self._obstacle()) is not None:
                yield other.blocked(obstacle)
                return
            async with other.reach(deadline) as reached:
                reached.notes[:] = [f"frames in other processes cannot be reached: Selenium has {why}"]
                yield reached
            return
        flat = FlatSessions(target_id)
        driver = BlockingDriver(NAME, socket.send)
        socket.on_event = driver.dialogs.take
        try:
            yield AttachedTab(driver, flat.target_id, driver.attach(flat, deadline))
        finally:
            driver.clean_up(flat.detachments())
            socket.close()

    def _send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """By ChromeDriver, which answers None when a dialog opens meanwhile, and dismisses it next time."""
        result: dict[str, Any] | None = self._webdriver.execute_cdp_cmd(method, params)
        if result is None:
            raise unanswered(method, "dialog")
        return result

    def _obstacle(self) -> Cause | None:
        """What ChromeDriver knows of. Its other commands dismiss an open dialog, unless told not to."""
        try:
            self._webdriver.switch_to.alert  # noqa: B018 - it is asked for
        except NoAlertPresentException:
            return None
        except (WebDriverException, HTTPError) as error:
            known = error_of("Target.getTargetInfo", error)
            if isinstance(known, TargetCrashed):
                return "crashed"
            raise known or error from error
        return "dialog"

    def _connect(self, deadline: Deadline) -> tuple[Socket | None, str]:
        """A socket of ours, or why there is none."""
        address = debugger_address(self._webdriver)
        if address is None:
            return None, "no debuggerAddress"
        try:
            return Socket(address, deadline), ""
        except (OSError, ValueError, WebSocketException) as error:
            return None, f"a debuggerAddress, {address}, that cannot be reached from here ({error})"


def _closed() -> TargetDetached:
    return TargetDetached("the window of Selenium's was closed; go to another with switch_to.window()")


def debugger_address(webdriver: ChromiumDriver) -> str | None:
    """Where the browser of a webdriver listens, ``localhost:41234``, as far as it is told."""
    options = webdriver.capabilities.get("goog:chromeOptions") or webdriver.capabilities.get("ms:edgeOptions")
    return None if options is None else options.get("debuggerAddress")


def web_element(webdriver: ChromiumDriver, name: str) -> WebElement:
    """ChromeDriver's element of this name."""
    return WebElement(webdriver, name)
