"""Pictures of a page."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hybridsnap.act.actions.reading import BOUNDING_BOX
from hybridsnap.act.actions.scroll import SCROLL_INTO_VIEW
from hybridsnap.argument_checks import check_number, check_whole
from hybridsnap.errors import NotInteractable

if TYPE_CHECKING:
    from hybridsnap.client.action_runner import ActionRunner
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.deadline import Deadline

PictureFormat: TypeAlias = Literal["png", "jpeg", "webp"]
#: Left, top, width, height in CSS px.
Clip: TypeAlias = tuple[float, float, float, float]


async def take_screenshot(
    context: PageContext,
    runner: ActionRunner,
    deadline: Deadline,
    *,
    full_page: bool,
    element: str | None,
    clip: Clip | None,
    format: PictureFormat,  # noqa: A002 - the protocol's name
    quality: int | None,
    transparent: bool,
) -> bytes:
    """A picture of the page: `hybridsnap.Page.screenshot`."""
    params = _check_options(full_page, element, clip, format, quality, transparent)
    root = context.attachment.root.session
    if full_page or element is not None or clip is not None:
        if element is not None:
            await runner.act(SCROLL_INTO_VIEW, element, {}, deadline)
        metrics = await root.send("Page.getLayoutMetrics", deadline=deadline)
        viewport, content = metrics["cssVisualViewport"], metrics["cssContentSize"]
        left, top = viewport["pageX"], viewport["pageY"]
        if full_page:
            area = (content["x"], content["y"], content["width"], content["height"])
        elif clip is not None:
            area = (clip[0] + left, clip[1] + top, clip[2], clip[3])
        else:
            box = await runner.read(BOUNDING_BOX, element, {}, deadline)
            if box is None or box[2] <= 0 or box[3] <= 0:
                raise NotInteractable(
                    f"screenshot of {element}: the element is not laid out; nothing of it can be seen",
                    element_id=element,
                    reason="no size",
                )
            area = (box[0] + left, box[1] + top, box[2], box[3])
        names = ("x", "y", "width", "height")
        params |= {"captureBeyondViewport": True, "clip": {**dict(zip(names, area, strict=True)), "scale": 1}}
    if not transparent:
        return _picture(await root.send("Page.captureScreenshot", params, deadline=deadline))
    background = "Emulation.setDefaultBackgroundColorOverride"
    try:
        await root.send(background, {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}, deadline=deadline)
        return _picture(await root.send("Page.captureScreenshot", params, deadline=deadline))
    finally:
        root.post(background, {}, lambda _: None)


def _picture(result: dict[str, Any]) -> bytes:
    return base64.b64decode(result["data"])


def _check_clip(clip: Any) -> None:
    if clip is None:
        return
    if not isinstance(clip, tuple | list) or len(clip) != 4:  # noqa: PLR2004
        raise TypeError(f"clip: expected left, top, width and height in CSS px, got {clip!r}")
    for one in clip:
        check_number("clip", one, "CSS px")
    if min(clip[2:]) <= 0:
        raise ValueError(f"expected left, top, width and height in CSS px as clip, got {clip!r}")


def _check_options(
    full_page: bool,
    element: str | None,
    clip: Clip | None,
    format_: str,
    quality: int | None,
    transparent: bool,
) -> dict[str, Any]:
    """Parameters of `Page.captureScreenshot` so far.

    Raises:
        ValueError: options that contradict each other, or a value that means nothing.
    """
    if sum((full_page, element is not None, clip is not None)) > 1:
        raise ValueError("full_page, element and clip exclude each other; give one of them")
    if format_ not in get_args(PictureFormat):
        raise ValueError(f"expected one of {', '.join(get_args(PictureFormat))} as format, got {format_!r}")
    _check_clip(clip)
    if transparent and format_ == "jpeg":
        raise ValueError("a JPEG has no transparent background; use png or webp")
    params: dict[str, Any] = {"format": format_}
    if quality is not None:
        if format_ == "png":
            raise ValueError("a PNG has no quality; use jpeg or webp")
        check_whole("quality", quality, 0)
        if not 0 <= quality <= 100:  # noqa: PLR2004
            raise ValueError(f"expected a quality from 0 to 100, got {quality!r}")
        params["quality"] = quality
    return params
