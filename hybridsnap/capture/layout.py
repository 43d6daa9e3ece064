"""Layout on request: the commands beside DOM and AX tree, and what is made of their replies.

A capture with `CaptureOptions.layout` asks each session for its flat layout in the same batch as the rest
(`layout_commands`). When the rows are made, `add_layout` follows: everything is placed in the main viewport
(`hybridsnap.capture.geometry`), the browser is asked what lies over what (`hybridsnap.capture.occlusion`),
and the rows are marked. What a session does not answer is in the notes; no frame is lost by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from hybridsnap.capture.geometry import Placement
from hybridsnap.capture.layout_snapshot import STYLES, build_session_layout
from hybridsnap.capture.occlusion import find_covered
from hybridsnap.capture.reading import LayoutReading
from hybridsnap.capture.roles import CLICKABLE, COVERED_BY, INTERACTIVE_ROLES, OFFSCREEN
from hybridsnap.capture.xpath import ELEMENT, FRAGMENT, TEXT
from hybridsnap.model import Box, ElementId, Layout
from hybridsnap.protocol.commands import (
    capture_layout,
    capture_screenshot,
    get_device_pixel_ratio,
    get_layout_metrics,
)
from hybridsnap.protocol.plan import Reply, gather_outcomes, parallel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.frames import FrameContext, SessionInfo
    from hybridsnap.capture.geometry import NodeBox
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import (
        CaptureOptions,
        FrameId,
        Provenance,
        Row,
        SessionId,
        Viewport,
    )
    from hybridsnap.protocol.plan import Command, Outcome, Plan

#: An opacity below this leaves nothing of 256 shades.
TRANSPARENT = 1 / 256
#: Positions of elements that stay where they are while the page is scrolled.
_STAYING = frozenset({"fixed", "sticky"})


def layout_commands(
    session: SessionId | None, options: CaptureOptions, *, is_main: bool
) -> dict[str, Command[Any]]:
    """What is asked for beside DOM and AX tree, by the `LayoutReading` field that it fills."""
    asked: dict[str, Command[Any]] = {}
    if options.layout:
        asked["layout"] = capture_layout(session, STYLES, build_session_layout)
        if is_main:
            asked["metrics"] = get_layout_metrics(session)
            asked["device_scale_factor"] = get_device_pixel_ratio(session)
    if options.screenshot and is_main:
        asked["screenshot"] = capture_screenshot(session)
    return asked


def read_layout(asked: Mapping[str, Command[Any]], outcomes: Sequence[Outcome[Any]]) -> LayoutReading:
    """What came of `layout_commands`."""
    reading = LayoutReading()
    words = {"layout": "layout", "metrics": "viewport", "screenshot": "screenshot"}
    for field, outcome in zip(asked, outcomes, strict=True):
        if isinstance(outcome, Reply):
            setattr(reading, field, outcome.value)
        elif field in words:
            reading.problems.append(f"no {words[field]}: {outcome.error}")
    return reading


def ask_for_layout(
    sessions: Sequence[SessionInfo], options: CaptureOptions
) -> Plan[dict[SessionId | None, LayoutReading]]:
    """The layout by itself, for captures that do not read whole sessions."""

    def ask(session: SessionId | None, *, is_main: bool) -> Plan[LayoutReading]:
        asked = layout_commands(session, options, is_main=is_main)
        return read_layout(asked, (yield from gather_outcomes(*asked.values())))

    readings = yield from parallel(
        [ask(info.session, is_main=number == 0) for number, info in enumerate(sessions)]
    )
    return {info.session: reading for info, reading in zip(sessions, readings, strict=True)}


def add_layout(
    capture: Capture, sessions: Sequence[SessionInfo], layouts: Mapping[SessionId | None, LayoutReading]
) -> Plan[None]:
    """Place what the sessions said of their layout, and mark the rows.

    Args:
        capture: gets layout, screenshot, marked rows and notes.
        sessions: in the order of the capture's indexes.
        layouts: by session, what those that were asked said.
    """
    readings = [layouts.get(info.session) for info in sessions]
    for number, reading in enumerate(readings):
        for problem in () if reading is None else reading.problems:
            capture.notes.append(problem if number == 0 else f"{_frames_of(capture, number)}: {problem}")
    main = readings[0]
    if main is None:
        return
    capture.screenshot = main.screenshot
    if main.metrics is None or main.layout is None:
        return
    laid_out = [None if reading is None else reading.layout for reading in readings]
    placement = Placement(
        laid_out,
        main.metrics,
        main.device_scale_factor,
        capture.context,
        capture.owners,
        capture.indexes,
    )
    rows = [row for row in capture.rows if row.id is not None and row.tag]
    rows.sort(key=lambda row: row.role not in INTERACTIVE_ROLES and CLICKABLE not in row.states)
    covered = yield from find_covered(
        [row.id for row in rows if row.id is not None],
        placement,
        [info.session for info in sessions],
        capture.indexes,
        capture.context,
        capture.owners,
        capture.ordinals,
    )
    capture.layout = build_layout(placement, capture, covered)
    capture.rows = mark_rows(capture.rows, capture.layout)


def _frames_of(capture: Capture, session: int) -> str:
    for frame, state in capture.context.frames.items():
        if state.session == session:
            return f"frame {capture.ordinals.by_frame[frame]}"
    return "a frame"


def build_layout(placement: Placement, capture: Capture, covered: Mapping[ElementId, ElementId]) -> Layout:
    """The layout by element id: every element and every text that is laid out, of the frames with rows."""
    boxes: dict[ElementId, Box] = {}
    foreign = _foreign_frames(capture.context)
    names = {row.id: row.name for row in capture.rows if row.id is not None and row.name}
    operable = {row.id for row in capture.rows if row.role in INTERACTIVE_ROLES or CLICKABLE in row.states}
    for placed in placement.documents.values():
        if placed.frame not in capture.ax_trees:
            continue
        nodes = placed.document.nodes
        index = capture.indexes[placed.session]
        ordinal = capture.ordinals.by_frame[placed.frame]
        clickable = {nodes.backend_node_id[at] for at in nodes.is_clickable.index}
        pseudo = set(nodes.pseudo_type.index)
        for at, place in enumerate(placed.places):
            kind = nodes.node_type[at]
            if place is None or at in pseudo or kind == FRAGMENT:
                continue
            left, top, right, bottom = place.rect
            if kind == TEXT and (right <= left or bottom <= top):
                continue  # white space between blocks
            backend_id = nodes.backend_node_id[at]
            if index is not None and index.is_part:
                here = index.position.get(backend_id)
                if here is None or here in index.outside:
                    continue  # the capture is of a part of the page, and this is not in it
            element_id = ElementId(f"{ordinal}-{backend_id}")
            share = place.share
            provenance: Provenance = _provenance(place, share) or (
                "cross-origin" if placed.frame in foreign else ""
            )
            name = "" if provenance else names.get(element_id, "")
            if name and kind == ELEMENT and index is not None:
                here = index.position.get(backend_id, -1)
                if here >= 0 and _is_label_only(index, here, name):
                    provenance = "label"
            boxes[element_id] = Box(
                (left, top, right - left, bottom - top),
                share,
                place.paint_order,
                place.style.cursor,
                backend_id in clickable,
                place.pointer_events,
                place.opacity,
                covered.get(element_id),
                provenance,
                place.style.position if place.style.position in _STAYING and kind == ELEMENT else "",
                *((place.style.color, place.style.background) if element_id in operable else ()),
            )
    return Layout(placement.viewport, boxes)


def _provenance(place: NodeBox, share: float) -> Provenance:
    left, top, right, bottom = place.rect
    if right <= left or bottom <= top:
        if not place.shows:
            return "zero-size"
    elif right - left <= 1 and bottom - top <= 1:  # what words for screen readers are shrunk to
        return "zero-size"
    if place.opacity < TRANSPARENT or not place.style.visible:
        return "transparent"
    return "offscreen" if share <= 0 else ""


def _is_label_only(index: SessionDomIndex, here: int, name: str) -> bool:
    """Whether the name is an attribute's, and neither the element's text nor its value says it."""
    words = " ".join(name.split())
    said = {
        attribute: " ".join((index.attribute(here, attribute) or "").split())
        for attribute in ("aria-label", "alt", "title", "value")
    }
    if said.pop("value") == words or words not in said.values():
        return False
    return words not in " ".join(" ".join(_texts(index, here)).split())


def _texts(index: SessionDomIndex, here: int) -> list[str]:
    """The first texts below an element."""
    found: list[str] = []
    inside = {here}
    for at in range(here + 1, min(here + 256, len(index.nodes))):
        if index.parents[at] < here:
            break
        if index.parents[at] in inside:
            inside.add(at)
            if index.nodes[at].node_type == TEXT:
                found.append(index.nodes[at].node_value)
    return found


def _foreign_frames(context: FrameContext) -> set[FrameId]:
    """The frames of another origin than the main frame's."""
    origins: dict[FrameId, str] = {}
    for frame, parent in context.parent_by_frame.items():
        own = _origin(context.frames[frame].url)
        origins[frame] = origins.get(parent, "") if own is None and parent is not None else own or ""
    return {frame for frame, origin in origins.items() if origin != origins[context.root_id]}


def _origin(url: str) -> str | None:
    """The URL's origin; None where it is the parent's."""
    if not url or url.startswith("about:"):
        return None
    try:
        parts = urlsplit(url.removeprefix("blob:"))
    except ValueError:
        return url
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme != "data" else url


def mark_rows(rows: Sequence[Row], layout: Layout) -> list[Row]:
    """The rows with ``offscreen`` and ``covered by 0-77`` after their other states, and their provenance."""
    marked: list[Row] = []
    for row in rows:
        box = None if row.id is None else layout.boxes.get(row.id)
        marks: tuple[str, ...] = ()
        if box is not None and _is_offscreen(box, layout.viewport):
            marks = (OFFSCREEN,)
        elif box is not None and box.covered_by is not None:
            marks = (f"{COVERED_BY}{box.covered_by}",)
        if box is None or not (marks or box.provenance):
            marked.append(row)
        else:
            states = (*row.states, *marks)
            marked.append(msgspec.structs.replace(row, states=states, provenance=box.provenance))
    return marked


def _is_offscreen(box: Box, viewport: Viewport) -> bool:
    left, top, width, height = box.bounds
    if box.visible_share > 0:
        return False
    if width > 0 and height > 0:
        return True
    return left + width < 0 or top + height < 0 or left > viewport.width or top > viewport.height
