"""Rows and snapshots without a browser: written as outlines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hybridsnap.model import ElementId, FrameId, FrameReport, LoaderId, Report
from hybridsnap.snapshot import Snapshot
from tests.support.contents import build_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hybridsnap.model import Layout, Row

_LINE = re.compile(r"\s*(?:\[(?P<id>\d+-\d+)\] )?(?P<label>[^\s:\[]+)(?:: (?P<rest>.*))?")


def frame(ordinal: int = 0, loader: str | None = "l", frame_id: str | None = None) -> FrameReport:
    own = FrameId(frame_id or f"frame{ordinal}")
    return FrameReport(
        own,
        ordinal,
        "http://shop.test/",
        FrameId("frame0") if ordinal else None,
        None,
        None if loader is None else LoaderId(loader),
        "captured",
        None,
        1,
        1,
        1.0,
    )


def row(depth: int, number: int | None, role: str, name: str = "", **more: Any) -> Row:
    """A row; `more`: the fields of `Row` that are not empty."""
    id_ = None if number is None else f"{more.get('frame', 0)}-{number}"
    return build_row(id_, depth, role, name, **more)


def snapshot(
    rows: Iterable[Row],
    *frames: FrameReport,
    urls: Mapping[Any, str] | None = None,
    layout: Layout | None = None,
) -> Snapshot:
    report = Report(True, True, "http://shop.test/", "Shop", 1.0, "x", "s", frames or (frame(),), ())
    known = {ElementId(id_): url for id_, url in (urls or {}).items()}
    return Snapshot(tuple(rows), {}, known, report, (), layout=layout)


def outline(text: str, frame_: int = 0) -> list[Row]:
    """Rows of an outline: ``[0-5] role: name``, two spaces a level; ``(state)`` at the end is a state."""
    rows = []
    lines = [line for line in text.split("\n") if line.strip()]
    base = min(len(line) - len(line.lstrip()) for line in lines)
    for line in lines:
        found = _LINE.fullmatch(line)
        assert found is not None, line
        name, _, state = (found["rest"] or "").partition(" (")
        depth = (len(line) - len(line.lstrip()) - base) // 2
        states = (state.rstrip(")"),) if state else ()
        rows.append(build_row(found["id"], depth, found["label"], name, states=states, frame=frame_))
    return rows


SHOP = """
[0-1] RootWebArea: Shop
  [0-2] banner
    [0-3] link: Cart
      [0-4] status: Items
        [0-5] StaticText: 0
  [0-6] main
    [0-7] list
      [0-8] listitem
        [0-9] StaticText: Tea
      [0-10] listitem
        [0-11] StaticText: Rice
    [0-12] paragraph
      [0-13] StaticText: Total
      [0-14] button: Pay
"""


def edited(*edits: tuple[str, str], of: str = SHOP) -> str:
    for old, new in edits:
        assert of.count(old) == 1, old
        of = of.replace(old, new)
    return of
