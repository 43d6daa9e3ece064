"""The size of a page's viewport.

A headless Chromium 156 leaves 780 × 493 px to a page (measured): many sites show their narrow layout there,
without the navigation of a desktop. So the pages of a browser that hybridsnap launches are given
`DEFAULT_VIEWPORT`. A browser that is only connected to keeps its own sizes, unless a caller asks.

The size is an emulation on `Page.session` (``Emulation.setDeviceMetricsOverride``). It ends with the session,
and a caller who sends that command there replaces it.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, TypeAlias

import trio

from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandError, CommandUnanswered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.client.connection import Session
    from hybridsnap.model import TargetId

#: Width and height in CSS px.
ViewportSize: TypeAlias = tuple[int, int]

DEFAULT_VIEWPORT: ViewportSize = (1280, 720)
#: For a page to be laid out anew, and between two looks at it.
_RESIZED_SECONDS, _LOOK_SECONDS = 1.0, 0.01
#: Chromium refuses a larger one (Page.setDeviceMetricsOverride, protocol 1.3).
MOST_PX = 10_000_000


def check_viewport(viewport: object, name: str = "viewport") -> ViewportSize | None:
    """A viewport, or another size of that kind, as a caller gave it.

    Raises:
        TypeError, ValueError: it is neither None nor two whole numbers of CSS px.
    """
    if viewport is None:
        return None
    if not isinstance(viewport, tuple | list) or len(viewport) != 2:  # noqa: PLR2004 - width and height
        raise TypeError(f"{name}: expected (width, height) in CSS px, such as (1280, 720), got {viewport!r}")
    width, height = viewport
    for size in (width, height):
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"{name}: expected two whole numbers of CSS px, got {viewport!r}")
        if not 0 < size <= MOST_PX:
            raise ValueError(f"{name}: expected sizes from 1 to {MOST_PX} CSS px, got {viewport!r}")
    return width, height


def size_params(settings: Mapping[str, Any], size: ViewportSize) -> dict[str, Any]:
    """Parameters of ``Emulation.setDeviceMetricsOverride``, with what else is set of a screen."""
    screen = settings.get("screen") or size
    params: dict[str, Any] = {
        "width": size[0],
        "height": size[1],
        "deviceScaleFactor": settings.get("device_scale_factor", 0),
        "mobile": bool(settings.get("mobile")),
        "screenWidth": screen[0],
        "screenHeight": screen[1],
    }
    if settings.get("mobile"):
        upright = size[1] >= size[0]
        params["screenOrientation"] = {
            "type": "portraitPrimary" if upright else "landscapePrimary",
            "angle": 0 if upright else 90,
        }
    return params


async def set_viewport(session: Session, viewport: ViewportSize, deadline: Deadline) -> None:
    """Give a page's viewport a size, for as long as its session lives.

    Raises:
        HybridsnapError: the browser refuses, does not answer, or is gone.
    """
    await session.send("Emulation.setDeviceMetricsOverride", size_params({}, viewport), deadline=deadline)


async def wait_for_size(session: Session, size: ViewportSize, deadline: Deadline) -> None:
    """Wait, for a second at most, until a page has a size: some milliseconds after the reply (measured)."""
    params = {"expression": "[innerWidth, innerHeight]", "returnByValue": True}
    bound = deadline.earlier(Deadline.after(_RESIZED_SECONDS))
    with contextlib.suppress(CommandUnanswered):
        while True:
            reply = await session.send("Runtime.evaluate", params, deadline=bound)
            if reply["result"].get("value") == [*size]:
                return
            await trio.sleep(_LOOK_SECONDS)


async def has_own_window(browser: Session, target_id: TargetId, opener: TargetId, deadline: Deadline) -> bool:
    """Whether a page was opened in a window of its own (``window.open`` with a size), not in its opener's.

    In `chromium-headless-shell` every tab has its own window, and all but those popups have it in one size.
    """
    windows, sizes = set(), set()
    with contextlib.suppress(CommandError):
        for one in (target_id, opener):
            reply = await browser.send("Browser.getWindowForTarget", {"targetId": one}, deadline=deadline)
            windows.add(reply["windowId"])
            sizes.add((reply["bounds"].get("width"), reply["bounds"].get("height")))
    return len(windows) > 1 and len(sizes) > 1
