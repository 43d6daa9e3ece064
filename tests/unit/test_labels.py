"""The labelled screenshot: where boxes and tags stand, and what is said of the rest."""

from __future__ import annotations

import io
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageChops

from hybridsnap.render.labels import _Area, _place_tag, draw_labels
from tests.support.contents import build_box, build_content, build_row

if TYPE_CHECKING:
    from hybridsnap.model import Box
    from hybridsnap.render.content import Content


def blank(width: int = 800, height: int = 600) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(out, "PNG")
    return out.getvalue()


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def drawn_area(png: bytes) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom of what was drawn on a white image."""
    image = opened(png)
    return ImageChops.difference(image, Image.new("RGB", image.size, "white")).getbbox()


def buttons(boxes: dict[str, Box], scale: float = 1.0) -> Content:
    return build_content([build_row(id_, 0, "button") for id_ in boxes], boxes=boxes, scale=scale)


@pytest.mark.parametrize("scale", [1.0, 2.0, 1.5])
def test_a_box_frames_its_element_at_any_scale(scale: float) -> None:
    png = blank(round(800 * scale), round(600 * scale))
    labelled, left_out = draw_labels(png, buttons({"0-7": build_box((100, 80, 200, 60))}, scale))
    assert left_out == ""
    image = opened(labelled)
    assert image.size == (round(800 * scale), round(600 * scale))
    area = drawn_area(labelled)
    assert area is not None
    left, top, right, bottom = (number / scale for number in area)
    assert (left, right, bottom) == pytest.approx((98, 302, 142), abs=1)
    assert 60 < top < 78, "the tag stands above the box"
    inside = image.crop((round(101 * scale), round(81 * scale), round(299 * scale), round(139 * scale)))
    assert inside.getcolors() == [(inside.width * inside.height, (255, 255, 255))]


def test_a_tag_says_the_id() -> None:
    same, _ = draw_labels(blank(), buttons({"0-7": build_box((100, 80, 200, 60))}))
    again, _ = draw_labels(blank(), buttons({"0-7": build_box((100, 80, 200, 60))}))
    other, _ = draw_labels(blank(), buttons({"0-8": build_box((100, 80, 200, 60))}))
    assert same == again
    difference = ImageChops.difference(opened(same), opened(other)).getbbox()
    assert difference is not None
    assert difference[3] < 80, "only the tag differs"


def test_no_more_labels_than_can_be_told_apart() -> None:
    boxes = {f"0-{at}": build_box((40 * (at % 18), 30 * (at // 18), 30, 20)) for at in range(150)}
    boxes |= {f"0-{at}": build_box((40 * (at - 150), 500, 30, 20)) for at in range(150, 160)}
    boxes["0-900"] = build_box(share=0)
    boxes["0-901"] = build_box(covered_by="0-1")
    first, left_out = draw_labels(blank(), buttons(boxes))
    area = drawn_area(first)
    assert area is not None
    assert area[3] < 450
    assert left_out == (
        "interactive elements without a label: 10 of 160 in view (at most 150 get a label);"
        " 1 covered by something else; 1 out of view"
    )


def test_tags_keep_clear_of_each_other_and_of_boxes() -> None:
    """A grid with room between the boxes: every tag finds a free place."""
    whole = _Area(0, 0, 800, 600)
    boxes = [_Area(x, y, x + 60, y + 16) for y in range(4, 560, 40) for x in range(4, 760, 80)]
    tags: list[_Area] = []
    for box in boxes:
        tag = _place_tag(box, 36, 14, tags, boxes, whole)
        assert tag.shared(whole) == 36 * 14
        assert all(tag.shared(other) == 0 for other in [*tags, *boxes])
        tags.append(tag)


def test_tags_of_stacked_boxes_do_not_hide_each_other() -> None:
    """Boxes one within the other, and without room between: tags move aside."""
    whole = _Area(0, 0, 800, 600)
    boxes = [_Area(100, 100 + 18 * at, 400, 118 + 18 * at) for at in range(12)]
    tags: list[_Area] = []
    for box in boxes:
        tags.append(_place_tag(box, 36, 14, tags, boxes, whole))
    assert all(above.shared(below) == 0 for above, below in pairwise(tags))


@pytest.mark.parametrize(
    "bounds",
    [
        (-50, -50, 100, 100),
        (790, 590, 100, 100),
        (-500, -500, 3000, 3000),
        (799.6, 599.6, 0.4, 0.4),
        (0, 0, 1, 1),
        (0, 300, 800, 1),
    ],
)
def test_edges_of_the_viewport(bounds: tuple[float, float, float, float]) -> None:
    labelled, _ = draw_labels(blank(), buttons({"0-7": build_box(bounds, 0.1)}))
    assert drawn_area(labelled) is not None
    assert opened(labelled).size == (800, 600)


@pytest.mark.parametrize("size", [(800, 1), (785, 5), (20, 5), (1, 1)])
def test_screenshots_smaller_than_a_tag(size: tuple[int, int]) -> None:
    labelled, _ = draw_labels(blank(*size), buttons({"0-7": build_box((0, 0, 800, 600))}))
    assert opened(labelled).size == size


def test_without_layout_there_is_nothing_to_draw() -> None:
    with pytest.raises(ValueError, match="--layout"):
        draw_labels(blank(), build_content([build_row("0-1", 0, "button")]))


def test_what_is_asked_wrongly_is_refused() -> None:
    with pytest.raises(ValueError, match="not a PNG"):
        draw_labels(b"GIF89a", buttons({}))
    with pytest.raises(ValueError, match="cannot be read as PNG"):
        draw_labels(blank()[:60], buttons({}))


def test_without_pillow_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    png = blank()
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"pip install 'hybridsnap\[labels\]'"):
        draw_labels(png, buttons({}))
