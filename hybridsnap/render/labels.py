"""The labelled screenshot: a box and its element id over what can be operated. Needs Pillow."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, NamedTuple

from hybridsnap.render.boxes import find_marks, is_seen, pixels_per_css_px
from hybridsnap.render.select import is_interactive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from PIL import Image, ImageDraw, ImageFont

    from hybridsnap.model import ElementId
    from hybridsnap.render.boxes import Marks
    from hybridsnap.render.content import Content

#: How many labels are drawn by default: more than that are not readable.
MOST_LABELS = 150
#: White text on each of these has a contrast of at least 4.5:1; neighbours in the list differ most.
_COLOURS = ("#1259c3", "#b3261e", "#1b7a3d", "#7b3fb5", "#9a5200", "#00707a", "#b01e74", "#4a5568")
#: In CSS px.
_TEXT_SIZE = 12
_LINE_WIDTH = 2
#: In pixels of the image: smaller text cannot be read, whatever the scale.
_LEAST_TEXT_SIZE = 8
#: How bad it is when a px of a tag lies over another tag, outside the image, or over a box.
_OVER_TAG, _OUTSIDE, _OVER_BOX = 100.0, 1000.0, 1.0


class _Area(NamedTuple):
    """In pixels of the image."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: _Area) -> float:
        """How many pixels both have."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0.0


def draw_labels(
    png: bytes, content: Content, *, names: Mapping[ElementId, str] | None = None
) -> tuple[bytes, str]:
    """Draw a box and the element id over each interactive element in view, over the first `MOST_LABELS`.

    Args:
        png: the screenshot of the viewport that was taken with the snapshot.
        content: the snapshot's, with layout.
        names: what is drawn in the place of an element's id, such as its ref.

    Returns:
        The labelled screenshot as PNG, and in words what was left out: ``""`` when nothing was.

    Raises:
        ValueError: the snapshot has no layout, or the screenshot cannot be read.
        ImportError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415 - an extra, asked for when it is needed
    except ImportError as error:
        raise ImportError("labels are drawn with Pillow: pip install 'hybridsnap[labels]'") from error
    if content.layout is None:
        raise ValueError("labels need to know where the elements stand; capture with layout=True (--layout)")
    scale = pixels_per_css_px(content, png)
    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as opened:
            image = opened.convert("RGB")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"the screenshot cannot be read as PNG: {error}") from error
    marks = find_marks(content)
    font = ImageFont.load_default(size=max(_TEXT_SIZE * scale, _LEAST_TEXT_SIZE))
    _draw(image, ImageDraw.Draw(image), font, marks, scale, names or {})
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue(), _left_out(marks)


def find_labelled(content: Content) -> list[ElementId]:
    """The elements whose ids `draw_labels` draws, and the texts in view; none without layout."""
    if content.layout is None:
        return []
    boxes = content.layout.boxes
    texts = [
        row.id
        for row in content.rows
        if row.id is not None
        and not is_interactive(row)
        and (box := boxes.get(row.id)) is not None
        and is_seen(box)
        and box.covered_by is None
    ]
    return [id_ for id_, _ in find_marks(content).seen[:MOST_LABELS]] + texts


def _draw(
    image: Image.Image,
    draw: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    marks: Marks,
    scale: float,
    names: Mapping[ElementId, str],
) -> None:
    whole = _Area(0, 0, image.width, image.height)
    labelled = marks.seen[:MOST_LABELS]
    line = max(1, round(_LINE_WIDTH * scale))
    boxes = [_framed(place.bounds, scale, line, whole) for _, place in labelled]
    for at, box in enumerate(boxes):
        draw.rectangle(box, outline=_COLOURS[at % len(_COLOURS)], width=line)
    # Tags after all boxes, so that no line runs through an id.
    tags: list[_Area] = []
    pad = 2 * scale
    for at, ((id_, _), box) in enumerate(zip(labelled, boxes, strict=True)):
        name = names.get(id_, id_)
        left, top, right, bottom = font.getbbox(name)
        tag = _place_tag(box, right - left + 2 * pad, bottom - top + 2 * pad, tags, boxes, whole)
        tags.append(tag)
        draw.rectangle(tag, fill=_COLOURS[at % len(_COLOURS)])
        draw.text((tag.left + pad - left, tag.top + pad - top), name, fill="#ffffff", font=font)


def _framed(bounds: tuple[float, float, float, float], scale: float, line: int, whole: _Area) -> _Area:
    """The frame around an element, in the image; never less than its own line at the image's edge."""
    x, y, width, height = bounds
    left = min(max(x * scale - line, 0), max(whole.right - 2 * line, 0))
    top = min(max(y * scale - line, 0), max(whole.bottom - 2 * line, 0))
    right = min(max((x + width) * scale + line - 1, left + 2 * line), whole.right - 1)
    bottom = min(max((y + height) * scale + line - 1, top + 2 * line), whole.bottom - 1)
    return _Area(left, top, max(left, right), max(top, bottom))


def _place_tag(
    box: _Area, width: float, height: float, tags: list[_Area], boxes: list[_Area], whole: _Area
) -> _Area:
    """Where a tag hides least: the first of the best places beside its box, or on it."""
    best: _Area | None = None
    least = 0.0
    for spot in _spots(box, width, height):
        shown = spot.shared(whole)
        cost = (width * height - shown) * _OUTSIDE
        cost += sum(spot.shared(tag) for tag in tags) * _OVER_TAG
        cost += sum(spot.shared(other) for other in boxes) * _OVER_BOX
        if best is None or cost < least - 0.5:
            best, least = spot, cost
    assert best is not None
    return best


def _spots(box: _Area, width: float, height: float) -> Iterator[_Area]:
    """Above, below, beside, then on the box."""
    last_left = box.right - width
    for left, top in (
        (box.left, box.top - height - 1),
        (last_left, box.top - height - 1),
        (box.left, box.bottom + 1),
        (last_left, box.bottom + 1),
        (box.right + 1, box.top),
        (box.left - width - 1, box.top),
        (box.left, box.top),
        (last_left, box.top),
        (box.left, box.bottom - height),
        (last_left, box.bottom - height),
        ((box.left + box.right - width) / 2, (box.top + box.bottom - height) / 2),
    ):
        yield _Area(left, top, left + width, top + height)


def _left_out(marks: Marks) -> str:
    parts = []
    more = len(marks.seen) - MOST_LABELS
    if more > 0:
        parts.append(f"{more} of {len(marks.seen)} in view (at most {MOST_LABELS} get a label)")
    if marks.covered:
        parts.append(f"{len(marks.covered)} covered by something else")
    if marks.out_of_view:
        parts.append(f"{marks.out_of_view} out of view")
    return f"interactive elements without a label: {'; '.join(parts)}" if parts else ""
