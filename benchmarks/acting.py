"""How long a click takes on a quiet small page: from the id to the receipt, and each step of it."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

import msgspec

import hybridsnap

if TYPE_CHECKING:
    from benchmarks.pages import Page

#: Clicks, after some that do not count: the first ones find cold code on both sides.
CLICKS = 60
QUICK_CLICKS = 10
_WARM_UP = 5


class Clicks(msgspec.Struct):
    """What clicking took.

    Attributes:
        call_ms: each call of `Page.click`, in the order made.
        steps_ms: step → of each click, as its receipt has it.
        floor_ms: press and release alone, by raw commands: what the browser itself needs.
    """

    call_ms: list[float]
    steps_ms: dict[str, list[float]]
    floor_ms: list[float]


async def measure_clicks(page: Page, url: str, count: int) -> Clicks:
    """Click the page's first button again and again; between any two clicks, the same by raw commands.

    Args:
        page: to be measured.
        url: where it is.
        count: clicks of each kind.
    """
    measured = Clicks([], {}, [])
    async with hybridsnap.launch(args=list(page.arguments)) as browser:
        opened = await browser.new_page(url)
        button = (await opened.snapshot()).find(role="button")[0].id
        box = await opened.bounding_box(button)
        if box is None:
            raise RuntimeError("the button has no box")
        left, top, width, height = box
        at = (left + width / 2, top + height / 2)
        for number in range(count + _WARM_UP):
            gc.collect()
            started = time.perf_counter()
            receipt = await opened.click(button)
            call_ms = (time.perf_counter() - started) * 1000
            floor_ms = await _raw_click(opened, *at)
            if number < _WARM_UP:
                continue
            measured.call_ms.append(call_ms)
            measured.floor_ms.append(floor_ms)
            for step, took in receipt.steps_ms.items():
                measured.steps_ms.setdefault(step, []).append(took)
    return measured


async def _raw_click(page: hybridsnap.Page, x: float, y: float) -> float:
    started = time.perf_counter()
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        held = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
        await page.session.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **held})
    return (time.perf_counter() - started) * 1000
