"""One session's flat layout, as it came: checked, its styles read, its clickable elements found.

`DOMSnapshot.captureSnapshot` writes columns and points into one list of strings. Where things stand in the
main viewport is `hybridsnap.capture.geometry`'s matter.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hybridsnap.capture.xpath import DOCUMENT, ELEMENT, FRAGMENT
from hybridsnap.model import FrameId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId
    from hybridsnap.protocol.replies import LayoutSnapshot, SnapshotDocument

#: Left, top, right, bottom.
Rect: TypeAlias = tuple[float, float, float, float]

#: The computed styles that are asked for, in this order; see `Style`.
STYLES = (
    "cursor",
    "opacity",
    "pointer-events",
    "visibility",
    "position",
    "transform",
    "overflow-x",
    "overflow-y",
    "border-left-width",
    "border-top-width",
    "border-right-width",
    "border-bottom-width",
    "padding-left",
    "padding-top",
    "padding-right",
    "padding-bottom",
    "color",
    "background-color",
)
_TRANSPARENT = frozenset({"rgba(0, 0, 0, 0)", "transparent"})
_NOWHERE: Rect = (0.0, 0.0, 0.0, 0.0)


class Style(NamedTuple):
    """A node's computed style, as far as it matters here."""

    cursor: str
    opacity: float
    pointer_events: bool
    visible: bool
    position: str
    #: It holds fixed elements below it, and absolute ones.
    holds_fixed: bool
    clips_x: bool
    clips_y: bool
    #: Left, top, right, bottom, in CSS px.
    border: Rect
    padding: Rect
    #: As the browser writes colours; "" where none is known, and for a transparent background.
    color: str = ""
    background: str = ""


_PLAIN_STYLE = Style("auto", 1.0, True, True, "static", False, False, False, _NOWHERE, _NOWHERE)


@dataclasses.dataclass
class SessionLayout:
    """The layout of one session's documents.

    Attributes:
        snapshot: as it came.
        frames: of each document its frame id.
        clickable: elements that respond to clicks, and that a pointer can reach.
        pointed: elements that show a pointer (``cursor: pointer``), and that one can reach.
    """

    snapshot: LayoutSnapshot
    frames: list[FrameId]
    clickable: frozenset[BackendNodeId]
    pointed: frozenset[BackendNodeId]

    @functools.cached_property
    def document_of(self) -> dict[FrameId, SnapshotDocument]:
        """Frame id → its document."""
        return dict(zip(self.frames, self.snapshot.documents, strict=True))


def build_session_layout(snapshot: LayoutSnapshot) -> SessionLayout:
    """Check a layout's columns against each other, once, so that later code can rely on them.

    Raises:
        ValueError: they do not fit.
    """
    strings = snapshot.strings
    for document in snapshot.documents:
        nodes, layout, boxes = document.nodes, document.layout, document.text_boxes
        count = len(nodes.parent_index)
        laid_out = len(layout.node_index)
        indexed = (nodes.pseudo_type.index, nodes.is_clickable.index, nodes.content_document_index.index)
        if (
            not count == len(nodes.node_type) == len(nodes.backend_node_id)
            or not laid_out == len(layout.styles) == len(layout.bounds)
            or len(layout.paint_orders) not in (0, laid_out)
            or len(boxes.layout_index) != len(boxes.bounds)
            or len(nodes.content_document_index.index) != len(nodes.content_document_index.value)
            or not 0 <= document.frame_id < len(strings)
            or any(not -1 <= parent < at for at, parent in enumerate(nodes.parent_index))
            or not all(_within(column, count) for column in (layout.node_index, *indexed))
            or not _within(boxes.layout_index, laid_out)
            or not _within(nodes.content_document_index.value, len(snapshot.documents))
            or any(style and not _within(style, len(strings)) for style in set(layout.styles))
        ):
            raise ValueError("the columns of the layout do not fit together")
    frames = [FrameId(strings[document.frame_id]) for document in snapshot.documents]
    return SessionLayout(snapshot, frames, *_reachable(snapshot))


def _within(numbers: Sequence[int], count: int) -> bool:
    return not numbers or (min(numbers) >= 0 and max(numbers) < count)


def _reachable(snapshot: LayoutSnapshot) -> tuple[frozenset[BackendNodeId], frozenset[BackendNodeId]]:
    """Elements that respond to clicks, and those that show a pointer, where one can reach them at all."""
    clickable: set[BackendNodeId] = set()
    pointed: set[BackendNodeId] = set()
    styles = read_styles(snapshot)
    for document in snapshot.documents:
        nodes, layout = document.nodes, document.layout
        listening = set(nodes.is_clickable.index)
        # An element without a size of its own is reached where its children stand.
        sized = [False] * len(nodes.parent_index)
        reached: list[tuple[int, bool]] = []
        for at, key, bounds in zip(layout.node_index, layout.styles, layout.bounds, strict=True):
            sized[at] = bounds[2] > 0 and bounds[3] > 0
            style = styles[key]
            points = style.cursor == "pointer"
            if (points or at in listening) and style.visible and style.pointer_events:
                reached.append((at, points))
        for at in range(len(sized) - 1, 0, -1):
            if sized[at] and (parent := nodes.parent_index[at]) >= 0:
                sized[parent] = True
        for at, points in reached:
            if sized[at] and nodes.node_type[at] == ELEMENT:
                if points:
                    pointed.add(nodes.backend_node_id[at])
                if at in listening:
                    clickable.add(nodes.backend_node_id[at])
    return frozenset(clickable), frozenset(pointed)


def read_styles(snapshot: LayoutSnapshot) -> dict[tuple[int, ...], Style]:
    """Every style that occurs: a page has a few hundred, and a hundred thousand nodes."""
    strings = snapshot.strings
    return {
        style: _read_style([strings[at] for at in style])
        for document in snapshot.documents
        for style in set(document.layout.styles)
    }


def _read_style(words: list[str]) -> Style:
    if len(words) != len(STYLES):
        return _PLAIN_STYLE  # a document's own
    edges = [_pixels(word) for word in words[8:16]]
    return Style(
        cursor=words[0],
        opacity=min(max(_pixels(words[1]), 0.0), 1.0),
        pointer_events=words[2] != "none",
        visible=words[3] == "visible",
        position=words[4],
        holds_fixed=words[5] not in ("none", ""),
        clips_x=words[6] not in ("visible", ""),
        clips_y=words[7] not in ("visible", ""),
        border=(edges[0], edges[1], edges[2], edges[3]),
        padding=(edges[4], edges[5], edges[6], edges[7]),
        color=words[16],
        background="" if words[17] in _TRANSPARENT else words[17],
    )


def _pixels(word: str) -> float:
    try:
        return float(word.removesuffix("px"))
    except ValueError:
        return 0.0


class SlotParents:
    """Parents as they are laid out: what is put into a slot stands in it, not in the host."""

    def __init__(self, index: SessionDomIndex | None, ids: Sequence[BackendNodeId]) -> None:
        self._ids = ids
        self._index = index
        self._hosts: dict[int, dict[str, int]] = {}
        slots = [] if index is None else slots_by_host(index)
        if slots:
            at_of = {one: at for at, one in enumerate(ids)}
            assert index is not None
            for host, name, slot in slots:
                host_at = at_of.get(index.nodes[host].backend_node_id)
                slot_at = at_of.get(index.nodes[slot].backend_node_id)
                if host_at is not None and slot_at is not None:
                    self._hosts.setdefault(host_at, {}).setdefault(name, slot_at)

    def parent(self, at: int, parent: int) -> int:
        """What a node stands in; `parent` where it is in no slot."""
        if parent not in self._hosts or self._index is None:
            return parent
        here = self._index.position.get(self._ids[at], -1)
        if here < 0 or self._index.nodes[here].node_type == FRAGMENT:
            return parent
        slot = self._hosts[parent].get(self._index.attribute(here, "slot") or "", parent)
        return slot if slot < at else parent


def slots_by_host(index: SessionDomIndex) -> list[tuple[int, str, int]]:
    """(host, name, slot) of every slot in an author's shadow root."""
    found: list[tuple[int, str, int]] = []
    for at, node in enumerate(index.nodes):
        if node.local_name != "slot":
            continue
        above = index.parents[at]
        while above >= 0 and index.nodes[above].node_type not in (FRAGMENT, DOCUMENT):
            above = index.parents[above]
        if above >= 0 and index.nodes[above].shadow_root_type in ("open", "closed"):
            found.append((index.parents[above], index.attribute(at, "name") or "", at))
    return found
