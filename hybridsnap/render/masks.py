"""Parts of a picture that are painted over, and pictures in other formats. Needs Pillow."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

#: Of JPEG and WebP, where none is asked for: Chromium's own.
_QUALITY = 80
_BLACK = (0, 0, 0)


def import_pillow() -> tuple[ModuleType, ModuleType]:
    """Pillow's `Image` and `ImageDraw`.

    Raises:
        ImportError: it is not installed.
    """
    try:
        from PIL import Image, ImageDraw  # noqa: PLC0415 - an extra, asked for when it is needed
    except ImportError as error:
        raise ImportError(
            "masks and labels are drawn with Pillow: pip install 'hybridsnap[labels]'"
        ) from error
    return Image, ImageDraw


def paint_over(png: bytes, boxes: Sequence[tuple[float, float, float, float]], scale: float) -> bytes:
    """A picture with black in the place of some rectangles, rounded outwards.

    Args:
        png: the picture.
        boxes: left, top, width and height, in CSS px from its left upper corner.
        scale: pixels of the picture to a CSS px.

    Returns:
        PNG.

    Raises:
        ImportError: Pillow is not installed.
    """
    image_of, draw_on = import_pillow()
    with image_of.open(io.BytesIO(png), formats=["PNG"]) as image:
        image.load()
        draw = draw_on.Draw(image)
        for left, top, width, height in boxes:
            first = (max(math.floor(left * scale), 0), max(math.floor(top * scale), 0))
            last = (math.ceil((left + width) * scale) - 1, math.ceil((top + height) * scale) - 1)
            if last[0] >= first[0] and last[1] >= first[1]:
                draw.rectangle((*first, *last), fill=_BLACK)
        out = io.BytesIO()
        image.save(out, "PNG")
    return out.getvalue()


def encode_picture(png: bytes, format_: Literal["png", "jpeg", "webp"], quality: int | None) -> bytes:
    """A PNG in another format.

    Raises:
        ImportError: Pillow is not installed.
    """
    if format_ == "png":
        return png
    image_of, _ = import_pillow()
    options: dict[str, Any] = {"quality": _QUALITY if quality is None else quality}
    with image_of.open(io.BytesIO(png), formats=["PNG"]) as image:
        out = io.BytesIO()
        (image.convert("RGB") if format_ == "jpeg" else image).save(out, format_.upper(), **options)
    return out.getvalue()
