"""What captures and actions yield, as plain data: rows, reports, options, dialogs, successors.

Frozen, without behaviour beyond itself. The structs are msgspec's: built in C, invisible to the cyclic
garbage collector (a large page has a hundred thousand of them), and their own JSON schema.
"""

from __future__ import annotations

import dataclasses
import time
from typing import Literal, NewType, TypeAlias

import msgspec

SessionId = NewType("SessionId", str)
TargetId = NewType("TargetId", str)
ContextId = NewType("ContextId", str)
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
#: The protocol's integers have 32 bits; a browser leaves a command with many more digits unanswered.
MOST_INTEGER = 2**31 - 1
#: HTTP statuses from here on say that something is wrong.
FIRST_ERROR_STATUS = 400
#: How the address of a frame begins that shows the browser's error page in the place of its document.
ERROR_PAGE = "chrome-error:"


#: Why a person does not see an element, or its name: ``label`` (only an ``aria-label`` or the like says it),
#: ``offscreen``, ``transparent``, ``zero-size``, ``cross-origin`` (it stands in another site's frame); ""
#: when they do.
Provenance: TypeAlias = Literal["", "label", "offscreen", "transparent", "zero-size", "cross-origin"]


#: Why an id does not stand for what it stood for: its frame holds another document, the node is out of its
#: document, its frame is out of the page, or the node has another role or name now.
StaleReason: TypeAlias = Literal["navigated", "detached", "frame gone", "identity changed"]


class Row(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
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
    #: With layout only, and in JSON only where a person does not see it.
    provenance: Provenance = ""
    #: Of a control without a name: a word from its markup that a person might call it by. A guess, printed as
    #: ``?cart``.
    hint: str = ""


class Viewport(msgspec.Struct, frozen=True, rename="camel"):
    """The main frame's viewport, in CSS px.

    Attributes:
        scroll_x: how far the document is scrolled.
        content_width: of the whole document.
        device_scale_factor: device pixels to a CSS px.
    """

    width: float
    height: float
    scroll_x: float
    scroll_y: float
    content_width: float
    content_height: float
    device_scale_factor: float


class Box(msgspec.Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """Where an element stands, and what of it can be seen.

    Attributes:
        bounds: x, y, width, height in CSS px of the main viewport, whatever frame it is in.
        visible_share: of its area, what lies in the viewport and is not clipped on the way; 0 to 1.
        paint_order: higher is painted later, within one process.
        cursor: the computed CSS ``cursor``.
        clickable: script listens to clicks on it, or it is a link.
        pointer_events: False when it lets the pointer through.
        opacity: with all it stands in, 0 to 1.
        covered_by: what lies over its middle, when that is neither above nor below it in the tree.
        provenance: why a person does not see it.
        position: ``fixed`` or ``sticky`` when it stays where it is while the page is scrolled; else "".
        color: of its text when it can be operated, as the browser writes it (``rgb(0, 0, 0)``); else "".
        background: its own, likewise; "" where it is transparent.
    """

    bounds: tuple[float, float, float, float]
    visible_share: float
    paint_order: int
    cursor: str
    clickable: bool
    pointer_events: bool
    opacity: float
    covered_by: ElementId | None
    provenance: Provenance
    position: str = ""
    color: str = ""
    background: str = ""


class Layout(msgspec.Struct, frozen=True, rename="camel"):
    """Where things stood when the snapshot was taken."""

    viewport: Viewport
    boxes: dict[ElementId, Box]


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
        focus: a selector (`hybridsnap.capture.selectors`); only the subtree of what it matches is captured.
        focus_nth: which of its matches, from 0.
        focus_missing: what to do when there is none: ``error``, or capture the ``full`` page.
        ignore: selectors; the subtrees of all that they match are left out, frames included.
        layout: where everything stands, what can be seen of it, and what listens to clicks unseen.
        screenshot: of the viewport.
    """

    pierce_shadow: bool = True
    include_iframes: bool = True
    focus: str | None = None
    focus_nth: int = 0
    focus_missing: Literal["error", "full"] = "error"
    ignore: tuple[str, ...] = ()
    layout: bool = False
    screenshot: bool = False


class Dialog(msgspec.Struct, frozen=True):
    """A dialog that is open.

    Attributes:
        type: alert, confirm, prompt or beforeunload.
        message: its words; the page's own text.
        url: of the frame that opened it.
        frame: that frame, when the browser says.
        default: what a prompt's field holds.
    """

    type: str
    message: str
    url: str
    frame: FrameId | None = None
    default: str = ""


@dataclasses.dataclass(slots=True, eq=False)
class SeenDialog:
    """A dialog that was opened.

    Attributes:
        dialog: what it said.
        accepted: how it was closed; None while it is open.
        text: what a prompt was answered with.
        armed: the answer had been armed (`Page.arm_dialog`).
        opened_at: when this was heard, in seconds since 1970.
        closed_at: likewise; None while it is open.
    """

    dialog: Dialog
    accepted: bool | None = None
    text: str | None = None
    armed: bool = False
    opened_at: float = dataclasses.field(default_factory=time.time)
    closed_at: float | None = None

    def __str__(self) -> str:
        how = "open" if self.accepted is None else "accepted" if self.accepted else "dismissed"
        return f"dialog ({self.dialog.type}): {self.dialog.message!r}, {how}"


class Successor(msgspec.Struct, frozen=True):
    """An element that may be meant: by a stale id, by a selector that matches several.

    Attributes:
        id: it can be acted on.
        role: as the page has it now.
        name: likewise; the page's own text.
        beside: what tells it from others of its role and name, as it told the stale id, or as a snapshot has
            shown it: the name in its row; "" where nothing does, or something else stands there.
    """

    id: ElementId
    role: str
    name: str
    beside: str = ""
