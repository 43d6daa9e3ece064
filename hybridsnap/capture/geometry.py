"""Every document of the page in the main viewport, in CSS px: where each node stands, and what of it is seen.

`DOMSnapshot.captureSnapshot` gives, for each document, bounds counted from the document's own corner, in the
px that layout counts in (device pixels under ``--force-device-scale-factor`` and browser zoom, CSS px under
an emulated scale factor; measured). Scrolling of inner containers and CSS transforms are in them already.
From there to the main viewport:

1. a document's `View` maps its px: its scroll position off, scaled, its owner's content box added;
2. what clips a node is carried down in `_Clips`: the content box of each frame, the padding box of each
   container whose overflow is not visible. Positioned elements escape the containers below the one that
   holds them;
3. opacity is multiplied on the way; an owner's pointer-events hold for all in its frame.

A frame that is rotated or skewed is taken as its bounds: there is no more in the data.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple

from hybridsnap.capture.layout_snapshot import Rect, SlotParents, Style, read_styles
from hybridsnap.capture.xpath import DOCUMENT, TEXT
from hybridsnap.model import Viewport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.frames import FrameContext
    from hybridsnap.capture.layout_snapshot import SessionLayout
    from hybridsnap.capture.merge import Owner
    from hybridsnap.model import BackendNodeId, FrameId
    from hybridsnap.protocol.replies import LayoutMetrics, SnapshotDocument

#: Layout px by which a frame's viewport may be smaller than its owner's content box: a scrollbar.
_SCROLLBAR = 20.0
#: By which it may be larger: both are rounded.
_ROUNDED = 1.5
#: How far two scales may differ and still be one: both are made of rounded numbers.
_SAME_SCALE = 0.02


class _Clips(NamedTuple):
    """What clips the children of a node, by how they are positioned; in CSS px of the main viewport."""

    flow: Rect
    absolute: Rect
    fixed: Rect


@dataclasses.dataclass(frozen=True, slots=True)
class View:
    """From a document's layout px to CSS px of the main viewport.

    Attributes:
        x: where the corner of the document's viewport is.
        scale: CSS px of the main viewport to one layout px of the document.
        scroll_x: in layout px of the document.
        zoom: layout px to one CSS px of the document.
        clip: the part of the main viewport in which the document can be seen.
    """

    x: float
    y: float
    scale: float
    scroll_x: float
    scroll_y: float
    zoom: float
    clip: Rect
    opacity: float = 1.0
    pointer_events: bool = True

    def place(self, bounds: tuple[float, float, float, float]) -> Rect:
        """Bounds of the document → the main viewport."""
        left = self.x + (bounds[0] - self.scroll_x) * self.scale
        top = self.y + (bounds[1] - self.scroll_y) * self.scale
        return left, top, left + bounds[2] * self.scale, top + bounds[3] * self.scale

    def point(self, x: float, y: float) -> tuple[int, int]:
        """A point of the main viewport → whole CSS px of the document, as hit tests want it."""
        return (
            round(((x - self.x) / self.scale + self.scroll_x) / self.zoom),
            round(((y - self.y) / self.scale + self.scroll_y) / self.zoom),
        )


def meet(one: Rect, other: Rect) -> Rect:
    """What two rectangles have in common; an empty one where that is nothing."""
    left, top = max(one[0], other[0]), max(one[1], other[1])
    return left, top, max(left, min(one[2], other[2])), max(top, min(one[3], other[3]))


@dataclasses.dataclass(slots=True)
class NodeBox:
    """A laid-out node, on the way to a `Box`.

    Attributes:
        rect: where it stands in the main viewport.
        seen: the part of it that is not clipped.
    """

    rect: Rect
    seen: Rect
    style: Style
    paint_order: int
    opacity: float
    pointer_events: bool
    #: Something below it, or itself, has a size and can be seen.
    shows: bool = False

    @property
    def share(self) -> float:
        """How much of its area is seen; of an element without one, whether anything of it is."""
        left, top, right, bottom = self.rect
        area = (right - left) * (bottom - top)
        if area <= 0:
            return 1.0 if self.shows else 0.0
        seen = self.seen
        return min(1.0, (seen[2] - seen[0]) * (seen[3] - seen[1]) / area)


@dataclasses.dataclass(slots=True)
class PlacedDocument:
    """A document in the main viewport.

    Attributes:
        places: by its nodes' numbers in the layout; None for what is not laid out.
    """

    frame: FrameId
    session: int
    document: SnapshotDocument
    view: View
    places: list[NodeBox | None]


class Placement:
    """Every document of the page, laid out in the main viewport.

    Attributes:
        documents: frame id → its document.
        viewport: the main one.
    """

    def __init__(
        self,
        layouts: Sequence[SessionLayout | None],
        metrics: LayoutMetrics,
        device_scale_factor: float,
        context: FrameContext,
        owners: Mapping[FrameId, Owner],
        indexes: Sequence[SessionDomIndex | None],
    ) -> None:
        css, laid = metrics.css_layout_viewport, metrics.layout_viewport
        self.zoom: float = _snapped(laid.client_width, css.client_width, device_scale_factor)
        self.viewport: Viewport = Viewport(
            css.client_width,
            css.client_height,
            css.page_x,
            css.page_y,
            metrics.css_content_size.width,
            metrics.css_content_size.height,
            device_scale_factor if device_scale_factor > 0 else self.zoom,
        )
        self.documents: dict[FrameId, PlacedDocument] = {}
        self._layouts = layouts
        self._nodes: dict[FrameId, dict[BackendNodeId, int]] = {}
        styles = [{} if layout is None else read_styles(layout.snapshot) for layout in layouts]
        for frame, state in context.frames.items():  # parents come before their children
            number = state.session
            layout = None if number is None else layouts[number]
            document = None if layout is None else layout.document_of.get(frame)
            if number is None or document is None:
                continue
            view = self._view(frame, context, owners.get(frame), document)
            if view is not None:
                places = _place(document, view, styles[number], indexes[number])
                self.documents[frame] = PlacedDocument(frame, number, document, view, places)

    @functools.cached_property
    def frame_of(self) -> dict[tuple[int, BackendNodeId], FrameId]:
        """(session, backend node id of a document) → its frame."""
        return {
            (placed.session, placed.document.nodes.backend_node_id[0]): frame
            for frame, placed in self.documents.items()
            if placed.places
        }

    def root_of(self, session: int) -> PlacedDocument | None:
        """A session's own document: hit tests count from its corner."""
        layout = self._layouts[session]
        return None if layout is None or not layout.frames else self.documents.get(layout.frames[0])

    def pseudo_hosts(self, session: int) -> dict[BackendNodeId, BackendNodeId]:
        """Pseudo-elements of a session, each with the element that it belongs to."""
        hosts: dict[BackendNodeId, BackendNodeId] = {}
        layout = self._layouts[session]
        for document in [] if layout is None else layout.snapshot.documents:
            nodes = document.nodes
            for at in nodes.pseudo_type.index:
                if nodes.parent_index[at] < 0:
                    continue
                host = nodes.backend_node_id[nodes.parent_index[at]]
                hosts[nodes.backend_node_id[at]] = hosts.get(host, host)
        return hosts

    def lets_pointer_through(self, session: int) -> set[BackendNodeId]:
        """The nodes of a session whose pointer-events are none."""
        return {
            placed.document.nodes.backend_node_id[at]
            for placed in self.documents.values()
            if placed.session == session
            for at, place in enumerate(placed.places)
            if place is not None and not place.pointer_events
        }

    def _view(
        self, frame: FrameId, context: FrameContext, owner: Owner | None, document: SnapshotDocument
    ) -> View | None:
        scroll = document.scroll_offset_x, document.scroll_offset_y
        if frame == context.root_id:
            whole = (0.0, 0.0, self.viewport.width, self.viewport.height)
            return View(0.0, 0.0, 1 / self.zoom, *scroll, self.zoom, whole)
        parent = context.parent_by_frame[frame]
        above = None if parent is None else self.documents.get(parent)
        if above is None or owner is None:
            return None
        at = self.node_in(above, owner.backend_node_id)
        place = None if at is None else above.places[at]
        if place is None:
            return None  # its owner is not laid out
        laid_out = zip(document.layout.node_index, document.layout.bounds, strict=True)
        size = next((bounds[2:] for at, bounds in laid_out if at == 0), (0.0, 0.0))
        return _framed(place, above.view, size, scroll)

    def node_in(self, placed: PlacedDocument, backend_id: BackendNodeId) -> int | None:
        """The number of a node in its document's layout."""
        if placed.frame not in self._nodes:
            ids = placed.document.nodes.backend_node_id
            self._nodes[placed.frame] = {one: at for at, one in enumerate(ids)}
        return self._nodes[placed.frame].get(backend_id)


def _place(
    document: SnapshotDocument,
    view: View,
    styles: Mapping[tuple[int, ...], Style],
    index: SessionDomIndex | None,
) -> list[NodeBox | None]:
    nodes, layout = document.nodes, document.layout
    count = len(nodes.parent_index)
    laid_out: list[int] = [-1] * count
    for number in range(len(layout.node_index) - 1, -1, -1):  # of several boxes the first one
        laid_out[layout.node_index[number]] = number
    places: list[NodeBox | None] = [None] * count
    whole = _Clips(view.clip, view.clip, view.clip)
    clips: list[_Clips] = [whole] * count
    opacities: list[float] = [view.opacity] * count
    slots = SlotParents(index, nodes.backend_node_id)
    root_clips = False
    for at in range(count):
        tree_parent = nodes.parent_index[at]
        parent = slots.parent(at, tree_parent)
        above = whole if parent < 0 else clips[parent]
        opacity = view.opacity if parent < 0 else opacities[parent]
        number = laid_out[at]
        if number < 0:
            clips[at], opacities[at] = above, opacity
            continue
        style = styles[layout.styles[number]]
        kind = nodes.node_type[at]
        bounds = layout.bounds[number]
        if kind == DOCUMENT:  # its viewport, wherever it is scrolled to
            bounds = (view.scroll_x, view.scroll_y, bounds[2], bounds[3])
        rect = view.place(bounds)
        if kind == TEXT:
            clip = above.flow
        else:
            if style.opacity != 1.0:
                opacity *= style.opacity
            # The root element's overflow is the viewport's, and so is its body's, where it has none.
            if is_root := tree_parent <= 0:
                root_clips = root_clips or style.clips_x or style.clips_y
            clips_own = not is_root and (root_clips or nodes.parent_index[tree_parent] != 0)
            clip, clips[at] = _clipped(style, above, rect, view.scale * view.zoom, clips=clips_own)
        opacities[at] = opacity
        places[at] = NodeBox(
            rect,
            meet(rect, clip),
            style,
            layout.paint_orders[number] if layout.paint_orders else 0,
            opacity,
            view.pointer_events and style.pointer_events,
        )
    _show(nodes.parent_index, places)
    return places


def _snapped(laid_out: float, css: float, told: float) -> float:
    """Layout px to a CSS px: the ratio of two rounded lengths, or the exact number that it must be."""
    if css <= 0 or laid_out <= 0:
        return 1.0
    ratio = laid_out / css
    slack = 2 * ratio / css
    for exact in (1.0, told):
        if abs(ratio - exact) <= slack:
            return exact
    return ratio


def _framed(place: NodeBox, above: View, size: tuple[float, ...], scroll: tuple[float, float]) -> View:
    """The view of a frame's document in its owner's content box.

    The owner's edges are known as styles in CSS px, its bounds and the document's size in layout px. What the
    owner is larger than both together, it is scaled (a transform), or its edges are (a CSS zoom).
    """
    style = place.style
    edges = [(one + other) * above.zoom for one, other in zip(style.border, style.padding, strict=True)]
    across, down = edges[0] + edges[2], edges[1] + edges[3]
    width = (place.rect[2] - place.rect[0]) / above.scale
    height = (place.rect[3] - place.rect[1]) / above.scale
    more_x, more_y = width - size[0] - across, height - size[1] - down
    scale = zoom = 1.0
    if not all(-_ROUNDED <= more <= _SCROLLBAR * above.zoom for more in (more_x, more_y)):
        scale_x = width / (size[0] + across) if size[0] + across > 0 else 1.0
        scale_y = height / (size[1] + down) if size[1] + down > 0 else 1.0
        if scale_x > 0 and abs(scale_x - scale_y) <= _SAME_SCALE * scale_x:
            scale = (scale_x + scale_y) / 2
        elif across > 0 and width > size[0]:
            zoom = (width - size[0]) / across
    step = above.scale * scale
    x = place.rect[0] + edges[0] * zoom * step
    y = place.rect[1] + edges[1] * zoom * step
    content = (x, y, x + size[0] * step, y + size[1] * step)
    return View(
        x,
        y,
        step,
        *scroll,
        above.zoom * zoom,
        meet(place.seen, content),
        place.opacity,
        place.pointer_events,
    )


def _clipped(style: Style, above: _Clips, rect: Rect, step: float, *, clips: bool) -> tuple[Rect, _Clips]:
    """What clips an element, and what clips its children.

    Args:
        style: its own.
        above: what its parent says.
        rect: where it stands.
        step: CSS px of the main viewport to one of its border's.
        clips: False for the elements whose overflow is the viewport's matter.
    """
    if style.position in ("absolute", "fixed"):
        own = above.fixed if style.position == "fixed" else above.absolute
    else:
        own = above.flow
    inner = own
    if clips and (style.clips_x or style.clips_y):
        border = style.border
        left, top, right, bottom = own
        if style.clips_x:
            left, right = max(left, rect[0] + border[0] * step), min(right, rect[2] - border[2] * step)
        if style.clips_y:
            top, bottom = max(top, rect[1] + border[1] * step), min(bottom, rect[3] - border[3] * step)
        inner = (left, top, max(left, right), max(top, bottom))
    elif style.position == "static" and not style.holds_fixed and inner is above.flow:
        return own, above
    held = style.holds_fixed or style.position != "static"
    return own, _Clips(inner, inner if held else above.absolute, inner if style.holds_fixed else above.fixed)


def _show(parents: Sequence[int], places: Sequence[NodeBox | None]) -> None:
    """Note what can be seen, or holds something that can."""
    for at in range(len(places) - 1, -1, -1):
        place = places[at]
        if place is None:
            continue
        left, top, right, bottom = place.seen
        if right > left and bottom > top:
            place.shows = True
        parent = parents[at]
        while parent >= 0 and places[parent] is None:
            parent = parents[parent]
        if place.shows and parent >= 0 and (holder := places[parent]) is not None:
            holder.shows = True
