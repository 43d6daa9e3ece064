"""hybridsnap: DOM and accessibility tree of every frame of a live page, in one outline with ids to act on.

::

    async with hybridsnap.launch() as browser:
        page = await browser.new_page("https://example.com")
        snapshot = await page.snapshot()
        print(snapshot.combined_tree)

Layout, from the ground up; each room imports only from below:

- `errors`, `deadline`, `model`: the exception tree, the one deadline, the data.
- `protocol`: the wire; plans, commands, replies.
- `capture`: the engine, plans without I/O. `render`: rows to text. `act`: plans that touch the page.
- `snapshot`: what users hold. `drivers`: whoever runs plans.
- `client`: the trio client, the default driver.
- `webarena`: the actions of WebArena, read and done.
- `sync`, `aio`: the client for threads and for asyncio, over `bridge`.
- `arguments`, `cli`, `acting`, `doctor`, `server`, `mcp`, `demo`: faces.

Names of the client are imported when first used: importing hybridsnap costs neither trio nor a websocket
library until a browser is wanted.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from hybridsnap.act.receipt import Receipt
from hybridsnap.deadline import Deadline
from hybridsnap.errors import (
    ActionError,
    BrowserError,
    BrowserLaunchFailed,
    BrowserNotFound,
    CaptureFailed,
    CommandError,
    CommandRefused,
    CommandUnanswered,
    ConnectionLost,
    DeadlineExceeded,
    DownloadFailed,
    ElementCovered,
    EndpointError,
    EvaluationFailed,
    EvaluationTimeout,
    HybridsnapError,
    NavigationFailed,
    NoDialog,
    NotInteractable,
    ReplyTooLarge,
    ReplyUnreadable,
    SelectorError,
    SessionEnded,
    StaleElement,
    TargetCrashed,
    TargetDetached,
    TargetError,
    UnknownElement,
    WaitTimeout,
)
from hybridsnap.model import (
    Box,
    CaptureOptions,
    Dialog,
    FrameReport,
    Layout,
    Report,
    Row,
    Successor,
    Viewport,
)
from hybridsnap.snapshot import FrameSnapshot, Snapshot

if TYPE_CHECKING:
    from hybridsnap.client.attach import attach
    from hybridsnap.client.browser import Browser, connect, launch
    from hybridsnap.client.connection import Session
    from hybridsnap.client.page import Navigation, Page

__version__ = "0.1.0"

# Nothing is printed unless the program that uses hybridsnap asks for the log.
logging.getLogger("hybridsnap").addHandler(logging.NullHandler())

__all__ = [
    "ActionError",
    "Box",
    "Browser",
    "BrowserError",
    "BrowserLaunchFailed",
    "BrowserNotFound",
    "CaptureFailed",
    "CaptureOptions",
    "CommandError",
    "CommandRefused",
    "CommandUnanswered",
    "ConnectionLost",
    "Deadline",
    "DeadlineExceeded",
    "Dialog",
    "DownloadFailed",
    "ElementCovered",
    "EndpointError",
    "EvaluationFailed",
    "EvaluationTimeout",
    "FrameReport",
    "FrameSnapshot",
    "HybridsnapError",
    "Layout",
    "Navigation",
    "NavigationFailed",
    "NoDialog",
    "NotInteractable",
    "Page",
    "Receipt",
    "ReplyTooLarge",
    "ReplyUnreadable",
    "Report",
    "Row",
    "SelectorError",
    "Session",
    "SessionEnded",
    "Snapshot",
    "StaleElement",
    "Successor",
    "TargetCrashed",
    "TargetDetached",
    "TargetError",
    "UnknownElement",
    "Viewport",
    "WaitTimeout",
    "__version__",
    "attach",
    "connect",
    "launch",
]

_CLIENT = {
    "Browser": "browser",
    "attach": "attach",
    "connect": "browser",
    "launch": "browser",
    "Session": "connection",
    "Navigation": "page",
    "Page": "page",
}


def __getattr__(name: str) -> object:
    if name not in _CLIENT:
        raise AttributeError(f"module 'hybridsnap' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"hybridsnap.client.{_CLIENT[name]}"), name)
