"""hybridsnap: DOM and accessibility tree of every frame of a live page, in one outline with ids to act on.

::

    async with hybridsnap.launch() as browser:
        page = await browser.new_page("https://example.com")
        snapshot = await page.snapshot()
        print(snapshot.combined_tree)

Layout, from the ground up; each module imports only from below:

- `errors`, `deadline`, `model`: the exception tree, the one deadline, the data; `text`, `json_data`,
  `argument_checks`, `gc_pause`: what all others use.
- `protocol`: the wire; plans, commands, replies.
- `capture`: the engine, plans without I/O. `render`: rows to text. `act`: plans that touch the page.
- `snapshot`: what users hold. `drivers`: whoever runs plans.
- `client`: the trio client, the default driver.
- `webarena`: the actions of WebArena, read and done.
- `sync`, `aio`: the client for threads and for asyncio, over `bridge`.
- `service`: what the servers share. `cli`, `server`, `mcp`, `tool`, `background`, `demo`: faces.

All names but those of the errors are imported when first used: importing hybridsnap costs next to nothing,
and neither trio nor a websocket library until a browser is wanted.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

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
    UnknownKey,
    WaitTimeout,
)

if TYPE_CHECKING:
    from hybridsnap.act.receipt import Change, Downloaded, Invalid, Moved, Receipt
    from hybridsnap.capture.pointing import FoundElement
    from hybridsnap.client.browser import Browser, BrowserContext, Page, Popup
    from hybridsnap.client.choosers import FileChooser
    from hybridsnap.client.connection import Session
    from hybridsnap.client.console import Console
    from hybridsnap.client.console_messages import ConsoleMessage, PageError
    from hybridsnap.client.console_record import ConsoleSubscription
    from hybridsnap.client.dialog_tracker import ArmedAnswer
    from hybridsnap.client.download_tracker import Download
    from hybridsnap.client.emulation import Emulation
    from hybridsnap.client.emulation_settings import EmulationSettings
    from hybridsnap.client.flood import Notice
    from hybridsnap.client.interception import Route
    from hybridsnap.client.launch import attach, connect, launch
    from hybridsnap.client.launcher import BrowserProcess
    from hybridsnap.client.metrics import Metrics
    from hybridsnap.client.navigating import Navigation
    from hybridsnap.client.page_network import Network
    from hybridsnap.client.profile_storage import ProfileStorage
    from hybridsnap.client.request_log import RequestSubscription
    from hybridsnap.client.request_records import (
        NetworkRequest,
        ResponseBody,
        SocketMessage,
        SocketTraffic,
        Timing,
    )
    from hybridsnap.client.routes import Abort, Continue, Fulfill, RoutedRequest
    from hybridsnap.client.screencast import FrameRecording, RecordedFrame
    from hybridsnap.client.storage import Storage
    from hybridsnap.client.storage_state import Cookie, StorageState
    from hybridsnap.client.subscriptions import Dropped, EventSubscription
    from hybridsnap.client.trace_summary import (
        LongTask,
        ScriptTime,
        TracedNavigation,
        TracedRequest,
        TraceSummary,
    )
    from hybridsnap.client.tracing import Trace, Tracing
    from hybridsnap.client.waits import Waited
    from hybridsnap.deadline import Deadline
    from hybridsnap.model import (
        Box,
        CaptureOptions,
        Dialog,
        FrameReport,
        Layout,
        Report,
        Row,
        SeenDialog,
        Successor,
        Viewport,
    )
    from hybridsnap.render.coverage import Coverage
    from hybridsnap.render.diff import Diff
    from hybridsnap.render.locators import Locators
    from hybridsnap.render.nodes import Node
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.snapshot import FrameSnapshot, Snapshot

__version__ = "0.1.0"

# Nothing is printed unless the program that uses hybridsnap asks for the log.
logging.getLogger("hybridsnap").addHandler(logging.NullHandler())

__all__ = [
    "Abort",
    "ActionError",
    "ArmedAnswer",
    "Box",
    "Browser",
    "BrowserContext",
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
    "Console",
    "ConsoleMessage",
    "ConsoleSubscription",
    "Continue",
    "Cookie",
    "Coverage",
    "Deadline",
    "DeadlineExceeded",
    "Dialog",
    "Diff",
    "Download",
    "DownloadFailed",
    "Downloaded",
    "Dropped",
    "ElementCovered",
    "Emulation",
    "EmulationSettings",
    "EndpointError",
    "EvaluationFailed",
    "EvaluationTimeout",
    "EventSubscription",
    "FileChooser",
    "FoundElement",
    "FrameRecording",
    "FrameReport",
    "FrameSnapshot",
    "Fulfill",
    "HybridsnapError",
    "Invalid",
    "Layout",
    "Locators",
    "LongTask",
    "Metrics",
    "Moved",
    "Navigation",
    "NavigationFailed",
    "Network",
    "NetworkRequest",
    "NoDialog",
    "Node",
    "NotInteractable",
    "Notice",
    "Page",
    "PageError",
    "Popup",
    "ProfileStorage",
    "Receipt",
    "RecordedFrame",
    "Rendering",
    "ReplyTooLarge",
    "ReplyUnreadable",
    "Report",
    "RequestSubscription",
    "ResponseBody",
    "Route",
    "RoutedRequest",
    "Row",
    "ScriptTime",
    "SeenDialog",
    "SelectorError",
    "Session",
    "SessionEnded",
    "Snapshot",
    "SocketMessage",
    "SocketTraffic",
    "StaleElement",
    "Storage",
    "StorageState",
    "Successor",
    "TargetCrashed",
    "TargetDetached",
    "TargetError",
    "Timing",
    "Trace",
    "TraceSummary",
    "TracedNavigation",
    "TracedRequest",
    "Tracing",
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

#: Modules → the names of theirs that are imported when first used.
_NAMES = {
    "act.receipt": ("Change", "Downloaded", "Invalid", "Moved", "Receipt"),
    "capture.pointing": ("FoundElement",),
    "client.browser": ("Browser", "BrowserContext", "Page", "Popup"),
    "client.choosers": ("FileChooser",),
    "client.connection": ("Session",),
    "client.console": ("Console",),
    "client.console_messages": ("ConsoleMessage", "PageError"),
    "client.console_record": ("ConsoleSubscription",),
    "client.dialog_tracker": ("ArmedAnswer",),
    "client.download_tracker": ("Download",),
    "client.emulation": ("Emulation",),
    "client.emulation_settings": ("EmulationSettings",),
    "client.flood": ("Notice",),
    "client.interception": ("Route",),
    "client.launch": ("attach", "connect", "launch"),
    "client.launcher": ("BrowserProcess",),
    "client.metrics": ("Metrics",),
    "client.navigating": ("Navigation",),
    "client.page_network": ("Network",),
    "client.profile_storage": ("ProfileStorage",),
    "client.request_log": ("RequestSubscription",),
    "client.request_records": ("NetworkRequest", "ResponseBody", "SocketMessage", "SocketTraffic", "Timing"),
    "client.routes": ("Abort", "Continue", "Fulfill", "RoutedRequest"),
    "client.screencast": ("FrameRecording", "RecordedFrame"),
    "client.storage": ("Storage",),
    "client.storage_state": ("Cookie", "StorageState"),
    "client.subscriptions": ("Dropped", "EventSubscription"),
    "client.trace_summary": ("LongTask", "ScriptTime", "TraceSummary", "TracedNavigation", "TracedRequest"),
    "client.tracing": ("Trace", "Tracing"),
    "client.waits": ("Waited",),
    "deadline": ("Deadline",),
    "model": (
        "Box",
        "CaptureOptions",
        "Dialog",
        "FrameReport",
        "Layout",
        "Report",
        "Row",
        "SeenDialog",
        "Successor",
        "Viewport",
    ),
    "render.coverage": ("Coverage",),
    "render.diff": ("Diff",),
    "render.locators": ("Locators",),
    "render.nodes": ("Node",),
    "render.rendering": ("Rendering",),
    "snapshot": ("FrameSnapshot", "Snapshot"),
}
_LAZY = {name: module for module, names in _NAMES.items() for name in names}
#: Modules that can be named without an import of their own.
_MODULES = ("aio", "deadline", "drivers", "errors", "model", "snapshot", "sync", "webarena")


def __getattr__(name: str) -> object:
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"hybridsnap.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'hybridsnap' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"hybridsnap.{_LAZY[name]}"), name)
    globals()[name] = value
    return value
