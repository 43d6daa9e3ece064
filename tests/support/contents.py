"""Rows, boxes and contents of snapshots, built without a browser."""

from __future__ import annotations

from typing import Any

import msgspec

from hybridsnap.model import (
    Box,
    ElementId,
    FrameId,
    FrameReport,
    Layout,
    Provenance,
    Report,
    Row,
    Viewport,
)
from hybridsnap.render.content import Content


def build_row(id_: str | None, depth: int, role: str, name: str = "", **others: Any) -> Row:
    given_ = {"description": "", "value": "", "states": (), "tag": "", "frame": 0, **others}
    return Row(None if id_ is None else ElementId(id_), depth, role, name, **given_)


def build_box(
    bounds: tuple[float, float, float, float] = (0, 0, 10, 10),
    share: float = 1.0,
    covered_by: str | None = None,
    provenance: Provenance = "",
) -> Box:
    cover = None if covered_by is None else ElementId(covered_by)
    return Box(bounds, share, 0, "auto", False, True, 1.0, cover, provenance)


def build_content(
    rows: list[Row],
    *,
    boxes: dict[str, Box] | None = None,
    scale: float = 1.0,
    xpaths: dict[str, str] | None = None,
    **report: Any,
) -> Content:
    frame = FrameReport(FrameId("F"), 0, "https://x.test/", None, None, None, "captured", None, 9, 9, 1.0)
    whole = Report(True, True, "https://x.test/", "X", 1.0, "replay", "0", (frame,), ())
    layout = None
    if boxes is not None:
        layout = Layout(
            Viewport(800, 600, 0, 0, 800, 600, scale), {ElementId(id_): box for id_, box in boxes.items()}
        )
    paths = {ElementId(id_): path for id_, path in (xpaths or {}).items()}
    return Content(rows, paths, {}, msgspec.structs.replace(whole, **report), layout, None)
