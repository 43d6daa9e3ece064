"""Which elements are marked on a screenshot, and how large it is."""

from __future__ import annotations

import dataclasses
import math
import struct
from typing import TYPE_CHECKING

from hybridsnap.render.select import is_interactive

if TYPE_CHECKING:
    from hybridsnap.model import Box, ElementId
    from hybridsnap.render.content import Content

#: A PNG begins with its signature and the length and name of its first chunk, then come width and height.
_PNG_HEAD = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
_SIZE = struct.Struct(">II")
#: In CSS px: a viewport's width may be given without the scroll bar that the screenshot shows.
_SCROLL_BAR = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Marks:
    """The interactive elements of a snapshot, by whether they can be marked.

    Attributes:
        seen: those in the viewport with their boxes, in document order.
        covered: in the viewport, below something else.
        out_of_view: not in the viewport, or without a box: options of a closed select, hidden parts.
    """

    seen: list[tuple[ElementId, Box]]
    covered: list[ElementId]
    out_of_view: int


def find_marks(content: Content) -> Marks:
    """Sort the interactive elements by where they stand; all are out of view when no layout is known."""
    boxes = {} if content.layout is None else content.layout.boxes
    seen: list[tuple[ElementId, Box]] = []
    covered: list[ElementId] = []
    out_of_view = 0
    for row in content.rows:
        if row.id is None or not is_interactive(row):
            continue
        box = boxes.get(row.id)
        if box is None or not is_seen(box):
            out_of_view += 1
        elif box.covered_by is None:
            seen.append((row.id, box))
        else:
            covered.append(row.id)
    return Marks(seen, covered, out_of_view)


def is_seen(box: Box) -> bool:
    """Whether any of it lies in the viewport. What is transparent counts: it takes clicks where it stands."""
    return box.visible_share > 0 and box.bounds[2] > 0 and box.bounds[3] > 0


def read_png_size(png: bytes) -> tuple[int, int]:
    """A PNG's width and height in pixels, from its head.

    Raises:
        ValueError: it is not a PNG, or an empty one.
    """
    if len(png) < len(_PNG_HEAD) + _SIZE.size or not png.startswith(_PNG_HEAD):
        raise ValueError("the screenshot is not a PNG; take the snapshot again, with --screenshot")
    width, height = _SIZE.unpack_from(png, len(_PNG_HEAD))
    if not width or not height:
        raise ValueError("the screenshot is empty; take the snapshot again, with --screenshot")
    return width, height


def pixels_per_css_px(content: Content, png: bytes) -> float:
    """Pixels of a screenshot to a CSS px of the layout; 1 when no layout is known.

    A browser may draw the screenshot at another scale than the page is told (an emulated one that only one
    session knows): where the two widths contradict each other by more than a scroll bar, the image counts.

    Raises:
        ValueError: it is not a PNG.
    """
    width, _ = read_png_size(png)
    if content.layout is None:
        return 1.0
    viewport = content.layout.viewport
    scale = viewport.device_scale_factor
    if 0 < scale < math.inf and abs(width / scale - viewport.width) <= _SCROLL_BAR:
        return scale
    return width / viewport.width if 0 < viewport.width < math.inf else 1.0
