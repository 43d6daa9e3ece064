"""What ``hybridsnap doctor`` looks at: the browser, each transport, and a capture with it."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
import time
from typing import TYPE_CHECKING

import trio

from hybridsnap.client.browsers import find_browser
from hybridsnap.client.launch import launch
from hybridsnap.client.launcher import LaunchTransport, fastest_transport
from hybridsnap.errors import BrowserNotFound, HybridsnapError
from hybridsnap.protocol import cbor
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.deadline import Deadline

_TRANSPORTS: tuple[LaunchTransport, ...] = ("websocket", "pipe", "cbor")
_PACKAGES = ("trio", "trio-websocket", "msgspec", "lxml", "chrome-devtools-protocol")
_PAGE = (
    "data:text/html,<title>doctor</title><button>Click Me</button>"
    "<iframe srcdoc='<a href=/>a link</a>'></iframe>"
)


def examine(browser: str | None, deadline: Deadline) -> tuple[list[str], bool]:
    """Look at everything a capture needs, with this browser or the one that is found.

    Returns:
        Lines for people, and whether a capture works.
    """
    lines = [
        _line(True, "python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        _line(True, "hybridsnap", _version("hybridsnap")),
        _line(True, "packages", ", ".join(f"{name} {_version(name)}" for name in _PACKAGES)),
    ]
    try:
        path = str(find_browser(browser))
    except BrowserNotFound as error:
        lines.append(_line(False, "browser", error.message))
        return lines, False
    lines.append(_line(True, "browser", path))
    works = {}
    for transport in _TRANSPORTS:
        works[transport], words = _try(path, transport, deadline)
        if transport == fastest_transport():
            words += " (the default)"
        lines.append(_line(works[transport], transport, words))
    return lines, works[fastest_transport()]


def _line(fine: bool, what: str, words: str) -> str:
    return f"{'ok     ' if fine else 'MISSING'}  {what:<11} {clean_text(words)}"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _try(path: str, transport: LaunchTransport, deadline: Deadline) -> tuple[bool, str]:
    if transport != "websocket" and sys.platform == "win32":
        return False, "not on Windows; websocket serves there"
    if transport == "cbor" and not cbor.is_compiled():
        return False, (
            "its decoder is not compiled here, and slower than JSON without; pipe serves. To have it"
            " compiled, reinstall hybridsnap where there is a C compiler and Python's headers (python3-dev)"
        )
    started = time.monotonic()
    try:
        product, used, rows = trio.run(_capture, path, transport, deadline)
    except HybridsnapError as error:
        return False, error.message
    if used != transport:
        return False, f"{product} does not know it; {used} serves"
    return True, f"{product}: started, captured {rows} rows and ended in {time.monotonic() - started:.1f} s"


async def _capture(path: str, transport: LaunchTransport, deadline: Deadline) -> tuple[str, str, int]:
    async with launch(path, transport=transport, timeout=deadline) as browser:
        version = await browser.session.send("Browser.getVersion", deadline=deadline)
        page = await browser.new_page(_PAGE, timeout=deadline)
        snapshot = await page.snapshot(timeout=deadline)
        return str(version["product"]), snapshot.report.transport, len(snapshot.rows)
