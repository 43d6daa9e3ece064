"""Pictures of a page."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import trio

from hybridsnap.act.actions.reading import BOUNDING_BOX
from hybridsnap.act.actions.scroll import SCROLL_INTO_VIEW
from hybridsnap.argument_checks import check_bool, check_number, check_whole, read_strs
from hybridsnap.drivers.base import run, unanswered
from hybridsnap.errors import NotInteractable
from hybridsnap.protocol.commands import ask
from hybridsnap.protocol.plan import gather
from hybridsnap.protocol.replies import Screenshot
from hybridsnap.render.boxes import read_png_size
from hybridsnap.render.labels import draw_labels
from hybridsnap.render.masks import encode_picture, import_pillow, paint_over

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from hybridsnap.client.action_runner import ActionRunner
    from hybridsnap.client.connection import Session
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.plan import Plan
    from hybridsnap.snapshot import Snapshot

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
    mask: Sequence[str],
    look: Callable[[], Awaitable[Snapshot]] | None,
) -> bytes:
    """A picture of the page: `hybridsnap.Page.screenshot`."""
    params = _check_options(full_page, element, clip, format, quality, transparent)
    masked = read_strs("mask", mask, "#balance")
    # `look` takes the snapshot whose ids are drawn on the picture.
    if look is not None and (full_page or transparent or element is not None or clip is not None):
        raise ValueError("labels are drawn on the viewport; give no full_page, element, clip or transparent")
    drawn = bool(masked) or look is not None
    if drawn:
        import_pillow()
        params = {"format": "png"}
    if element is not None:
        await runner.act(SCROLL_INTO_VIEW, element, {}, deadline)
    area, origin = None, (0.0, 0.0)
    beyond = full_page or element is not None or clip is not None
    if masked or beyond:
        area, origin, zoom = await _area(context, runner, deadline, full_page, element, clip)
        names = ("x", "y", "width", "height")
        # The viewport is drawn as large as it is without a clip: a phone may show a page smaller than it is.
        params["clip"] = {**dict(zip(names, area, strict=True)), "scale": 1 if beyond else zoom}
        params["captureBeyondViewport"] = beyond
    before = await _boxes_of(runner, masked, deadline)
    snapshot = None if look is None else await look()
    if snapshot is not None:
        if snapshot.screenshot is None:
            raise unanswered("Page.captureScreenshot", "busy")
        picture = snapshot.screenshot
    else:
        picture = await _capture(context, params, deadline, transparent=transparent)
    if not drawn:
        return picture
    if area is not None:
        after = await _boxes_of(runner, masked, deadline)
        hulls = [_hull(pair) for pair in zip(before, after, strict=True)]
        shift = (area[0] - origin[0], area[1] - origin[1])
        boxes = [(box[0] - shift[0], box[1] - shift[1], box[2], box[3]) for box in hulls if box is not None]
        scale = read_png_size(picture)[0] / area[2]
        picture = await trio.to_thread.run_sync(paint_over, picture, boxes, scale)
    if snapshot is not None:
        picture, _ = await trio.to_thread.run_sync(draw_labels, picture, snapshot.content)
    return await trio.to_thread.run_sync(encode_picture, picture, format, quality)


async def _area(
    context: PageContext,
    runner: ActionRunner,
    deadline: Deadline,
    full_page: bool,
    element: str | None,
    clip: Clip | None,
) -> tuple[Clip, tuple[float, float], float]:
    """What is to be seen, in CSS px of the document; where in it the viewport begins; how it is zoomed."""
    metrics = await context.attachment.root.session.send("Page.getLayoutMetrics", deadline=deadline)
    viewport, content = metrics["cssVisualViewport"], metrics["cssContentSize"]
    left, top, zoom = viewport["pageX"], viewport["pageY"], viewport["scale"]
    if full_page:
        return (content["x"], content["y"], content["width"], content["height"]), (left, top), zoom
    if clip is None and element is None:
        return (left, top, viewport["clientWidth"], viewport["clientHeight"]), (left, top), zoom
    box = clip
    if box is None:
        box = await runner.read(BOUNDING_BOX, element, {}, deadline)
        if box is None or box[2] <= 0 or box[3] <= 0:
            raise NotInteractable(
                f"screenshot of {element}: the element is not laid out; nothing of it can be seen",
                element_id=element,
                reason="no size",
            )
    return (box[0] + left, box[1] + top, box[2], box[3]), (left, top), zoom


async def _capture(
    context: PageContext, params: dict[str, Any], deadline: Deadline, *, transparent: bool
) -> bytes:
    await context.connection.stand(deadline)
    root = context.session  # which has the emulated size and scale: others get the picture without that
    if not transparent:
        return await run(_draw(root, params), context.driver, deadline)
    background = "Emulation.setDefaultBackgroundColorOverride"
    try:
        await root.send(background, {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}, deadline=deadline)
        return await run(_draw(root, params), context.driver, deadline)
    finally:
        root.post(background, {}, lambda _: None)


def _draw(session: Session, params: dict[str, Any]) -> Plan[bytes]:
    (drawn,) = yield from gather(
        ask(session.id, "Page.captureScreenshot", params, lambda payload: payload.result(Screenshot))
    )
    return base64.b64decode(drawn.data)


async def _boxes_of(runner: ActionRunner, elements: Sequence[str], deadline: Deadline) -> list[Clip | None]:
    """Where elements stand, in CSS px of the viewport; None where one is not laid out."""
    return [await runner.read(BOUNDING_BOX, element, {"wait": False}, deadline) for element in elements]


def _hull(boxes: Sequence[Clip | None]) -> Clip | None:
    """What holds all of the boxes; None where there are none."""
    laid_out = [box for box in boxes if box is not None]
    if not laid_out:
        return None
    left, top = min(box[0] for box in laid_out), min(box[1] for box in laid_out)
    right, bottom = max(box[0] + box[2] for box in laid_out), max(box[1] + box[3] for box in laid_out)
    return left, top, right - left, bottom - top


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
    check_bool("full_page", full_page)
    check_bool("transparent", transparent)
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
