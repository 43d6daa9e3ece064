"""What a capture yields, as plain data: rows, frame reports, the report, the options.

Frozen, without behaviour beyond itself. The structs are msgspec's: built in C, invisible to the cyclic
garbage collector (a large page has a hundred thousand of them), and their own JSON schema.
"""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

import msgspec

SessionId = NewType("SessionId", str)
TargetId = NewType("TargetId", str)
FrameId = NewType("FrameId", str)
LoaderId = NewType("LoaderId", str)
BackendNodeId = NewType("BackendNodeId", int)
#: ``{frame ordinal}-{backend node id}``, such as ``0-29``.
ElementId = NewType("ElementId", str)

#: captured: DOM and AX tree are here. partial: the AX tree only (rows without XPaths), or a page that was
#: still loading. missing: not here. excluded: left out because an option said so.
Status: TypeAlias = Literal["captured", "partial", "missing", "excluded"]
#: Why a frame is not simply "captured".
Cause: TypeAlias = Literal[
    "loading",
    "dialog",
    "busy",
    "navigated",
    "detached",
    "crashed",
    "unreachable",
    "timeout",
    "too_large",
    "error",
]

#: The role of the row that stands where a missing frame would; never a role of Chromium's.
MISSING_FRAME = "!"


class Row(msgspec.Struct, frozen=True, gc=False):
    """One line of the outline, before it is text. Strings are the page's own, not cleaned."""

    #: None where no DOM node stands behind the row (generated content), or where another row has it.
    id: ElementId | None
    #: 0 for the main document.
    depth: int
    #: Chromium's AX role; MISSING_FRAME for a frame that could not be read.
    role: str
    name: str
    description: str
    value: str
    #: In printing order, without the value: ``("checked", "level=2")``; ``"scrollable"`` comes first.
    states: tuple[str, ...]
    #: Tag name, lower-case for HTML elements; "" where there is no element.
    tag: str
    #: The frame's ordinal.
    frame: int


class FrameReport(msgspec.Struct, frozen=True, rename="camel"):
    """What came of one frame."""

    frame_id: FrameId
    ordinal: int
    url: str
    parent_frame_id: FrameId | None
    #: The element that holds the frame: `0-44`; None for the main frame or when it is not known.
    owner_id: ElementId | None
    loader_id: LoaderId | None
    status: Status
    cause: Cause | None
    dom_nodes: int
    ax_nodes: int
    elapsed_ms: float


class Report(msgspec.Struct, frozen=True, rename="camel"):
    """What a snapshot holds and what it lacks."""

    #: Every frame is captured (or excluded by option).
    complete: bool
    #: DOM and AX tree describe the same documents, as far as can be told.
    consistent: bool
    url: str
    title: str
    elapsed_ms: float
    #: How the browser was spoken to: websocket, pipe, replay, or the name of a foreign driver.
    transport: str
    snapshot_id: str
    #: The main frame first, then by ordinal.
    frames: tuple[FrameReport, ...]
    notes: tuple[str, ...]


class CaptureOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a capture may leave out.

    Args:
        pierce_shadow: False leaves out what stands in author shadow roots (open and closed).
        include_iframes: False captures the main frame only; the others are in the report as excluded.
    """

    pierce_shadow: bool = True
    include_iframes: bool = True
