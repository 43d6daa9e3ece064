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

Names of the client, and some others, are imported when first used: importing hybridsnap costs neither trio
nor a websocket library until a browser is wanted.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from hybridsnap.act.receipt import Change, Downloaded, Invalid, Moved, Receipt
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
    from hybridsnap.act.keyboard import UnknownKey
    from hybridsnap.capture.pointing import FoundElement
    from hybridsnap.client.attach import attach
    from hybridsnap.client.browser import Browser, connect, launch
    from hybridsnap.client.choosers import FileChooser
    from hybridsnap.client.connection import EventSubscription, Session
    from hybridsnap.client.dialog_book import ArmedAnswer, SeenDialog
    from hybridsnap.client.downloads import Download
    from hybridsnap.client.launcher import BrowserProcess
    from hybridsnap.client.metrics import Metrics
    from hybridsnap.client.page import Navigation, Page
    from hybridsnap.client.tabs import Popup
    from hybridsnap.client.waits import Waited
    from hybridsnap.render.coverage import Coverage
    from hybridsnap.render.diff import Diff
    from hybridsnap.render.nodes import Node
    from hybridsnap.render.rendering import Rendering

__version__ = "0.1.0"

# Nothing is printed unless the program that uses hybridsnap asks for the log.
logging.getLogger("hybridsnap").addHandler(logging.NullHandler())

__all__ = [
    "ActionError",
    "ArmedAnswer",
    "Box",
    "Browser",
    "BrowserError",
    "BrowserLaunchFailed",
    "BrowserNotFound",
    "BrowserProcess",
    "CaptureFailed",
    "CaptureOptions",
    "Change",
    "CommandError",
    "CommandRefused",
    "CommandUnanswered",
    "ConnectionLost",
    "Coverage",
    "Deadline",
    "DeadlineExceeded",
    "Dialog",
    "Diff",
    "Download",
    "DownloadFailed",
    "Downloaded",
    "ElementCovered",
    "EndpointError",
    "EvaluationFailed",
    "EvaluationTimeout",
    "EventSubscription",
    "FileChooser",
    "FoundElement",
    "FrameReport",
    "FrameSnapshot",
    "HybridsnapError",
    "Invalid",
    "Layout",
    "Metrics",
    "Moved",
    "Navigation",
    "NavigationFailed",
    "NoDialog",
    "Node",
    "NotInteractable",
    "Page",
    "Popup",
    "Receipt",
    "Rendering",
    "ReplyTooLarge",
    "ReplyUnreadable",
    "Report",
    "Row",
    "SeenDialog",
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
    "UnknownKey",
    "Viewport",
    "WaitTimeout",
    "Waited",
    "__version__",
    "attach",
    "connect",
    "launch",
]

#: Names that are imported when first used → their modules.
_LATER = {
    "Node": "render.nodes",
    "Coverage": "render.coverage",
    "Diff": "render.diff",
    "Rendering": "render.rendering",
    "FoundElement": "capture.pointing",
    "UnknownKey": "act.keyboard",
    "ArmedAnswer": "client.dialog_book",
    "Browser": "client.browser",
    "BrowserProcess": "client.launcher",
    "Download": "client.downloads",
    "EventSubscription": "client.connection",
    "FileChooser": "client.choosers",
    "Metrics": "client.metrics",
    "Navigation": "client.page",
    "Page": "client.page",
    "Popup": "client.tabs",
    "SeenDialog": "client.dialog_book",
    "Session": "client.connection",
    "Waited": "client.waits",
    "attach": "client.attach",
    "connect": "client.browser",
    "launch": "client.browser",
}


#: Rooms that are imported when they are first spoken of.
_ROOMS = ("aio", "drivers", "sync", "webarena")


def __getattr__(name: str) -> object:
    import importlib

    if name in _ROOMS:
        return importlib.import_module(f"hybridsnap.{name}")
    if name not in _LATER:
        raise AttributeError(f"module 'hybridsnap' has no attribute {name!r}")
    return getattr(importlib.import_module(f"hybridsnap.{_LATER[name]}"), name)
