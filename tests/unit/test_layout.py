"""Layout without a browser: columns that do not fit, sessions that say nothing, and what becomes of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.frames import Ordinals
from hybridsnap.capture.layout_snapshot import STYLES, build_session_layout
from hybridsnap.drivers.base import refused
from hybridsnap.model import CaptureOptions, ElementId
from hybridsnap.protocol.codec import PlainPayload
from hybridsnap.protocol.replies import LayoutSnapshot
from hybridsnap.render.tree import format_tree_line
from hybridsnap.snapshot import build_snapshot
from tests.support.fake_browser import FakeBrowser, ax, body, element, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.model import Box
    from hybridsnap.protocol.plan import Command
    from hybridsnap.snapshot import Snapshot
    from tests.support.fake_browser import Data

_WORDS = ["main", *("auto", "1", "auto", "visible", "static", "none", "visible", "visible"), "0px", "0.5"]


def style(**changes: str) -> list[str]:
    """A node's computed styles; underscores for hyphens."""
    plain = dict(zip(STYLES, _WORDS[1:9] + ["0px"] * 8 + ["rgb(0, 0, 0)", "rgba(0, 0, 0, 0)"], strict=True))
    return list({**plain, **{name.replace("_", "-"): value for name, value in changes.items()}}.values())


class Columns:
    """A `DOMSnapshot.captureSnapshot` of one document, node by node."""

    def __init__(self, frame: str = "main") -> None:
        self.strings = [frame]
        self.nodes: Data = {"parentIndex": [], "nodeType": [], "backendNodeId": []}
        self.layout: Data = {"nodeIndex": [], "styles": [], "bounds": [], "paintOrders": []}
        self.clickable: list[int] = []

    def add(
        self, id_: int, parent: int, bounds: Sequence[float] | None, *, kind: int = 1, **styles: str
    ) -> Columns:
        ids = self.nodes["backendNodeId"]
        self.nodes["parentIndex"].append(ids.index(parent) if parent else -1)
        self.nodes["nodeType"].append(kind)
        ids.append(id_)
        if bounds is not None:
            self.layout["nodeIndex"].append(len(ids) - 1)
            self.layout["bounds"].append(list(bounds))
            self.layout["paintOrders"].append(1)
            words = [] if kind == 9 else style(**styles)
            self.layout["styles"].append([self._string(word) for word in words])
        return self

    def _string(self, word: str) -> int:
        if word not in self.strings:
            self.strings.append(word)
        return self.strings.index(word)

    def reply(self) -> Data:
        nodes = {**self.nodes, "isClickable": {"index": self.clickable}}
        return {
            "documents": [{"frameId": 0, "nodes": nodes, "layout": self.layout, "scrollOffsetY": 100}],
            "strings": self.strings,
        }


def page() -> Columns:
    """Ids as in `browser`: a document that is scrolled by 100, in a viewport of 400 by 300."""
    return (
        Columns()
        .add(1, 0, (0, 0, 400, 300), kind=9)
        .add(2, 1, (0, 0, 400, 900))
        .add(3, 2, (0, 0, 400, 900), overflow_y="hidden")
        .add(4, 3, (10, 110, 100, 20))
        .add(5, 3, (10, 50, 100, 20))
        .add(6, 3, (10, 150, 100, 20), opacity="0.5")
        .add(7, 6, (10, 150, 50, 20), kind=3, opacity="0.5")
        .add(8, 3, (0, 390, 100, 20))
    )


def browser(columns: Columns | None = None, answers: Mapping[str, Any] | None = None) -> FakeBrowser:
    fake = FakeBrowser(
        body(element(4, "button"), element(5, "button"), element(6, "div", text(7, "Buy")), element(8, "p")),
        [
            ax(1, "RootWebArea", "main", 4, 5, 6, 8),
            ax(4, "button", "Go"),
            ax(5, "button", "Up"),
            ax(6, "generic", "", 7),
            ax(7, "StaticText", "Buy"),
            ax(8, "paragraph", "Below", value="7"),
        ],
    )
    viewport = {"pageX": 0, "pageY": 100, "clientWidth": 400, "clientHeight": 300}
    fake.answers |= {
        "DOMSnapshot.captureSnapshot": (columns or page()).reply(),
        "Page.getLayoutMetrics": {
            "layoutViewport": viewport,
            "cssLayoutViewport": viewport,
            "cssContentSize": {"x": 0, "y": 0, "width": 400, "height": 900},
        },
        "Runtime.evaluate": {"result": {"type": "number", "value": 1}},
        "DOM.getNodeForLocation": {"backendNodeId": 3},
        "Page.captureScreenshot": {"data": "UE5H"},
        **(answers or {}),
    }
    return fake


def look(fake: FakeBrowser, *, screenshot: bool = False) -> Snapshot:
    plan = capture_hybrid_snapshot(
        fake.sessions, Ordinals(), CaptureOptions(layout=True, screenshot=screenshot)
    )
    return build_snapshot(fake.run(plan), transport="fake", elapsed_ms=1.0)


def box(snapshot: Snapshot, element_id: str) -> Box:
    assert snapshot.layout is not None
    return snapshot.layout.boxes[ElementId(element_id)]


def lines(snapshot: Snapshot) -> list[str]:
    return [line.strip() for line in snapshot.combined_tree.splitlines()]


def test_bounds_shares_and_marks() -> None:
    columns = page()
    columns.clickable = [5]
    snapshot = look(browser(columns))
    assert lines(snapshot) == [
        "[0-1] RootWebArea: main",
        "[0-4] button: Go",
        "[0-5] button: Up [offscreen]",
        "[0-6] div: Buy [clickable]",
        '[0-8] paragraph: Below [value="7"]',
    ]
    assert snapshot.layout is not None
    assert box(snapshot, "0-4").bounds == (10, 10, 100, 20)
    assert box(snapshot, "0-5").provenance == "offscreen"
    assert box(snapshot, "0-7").opacity == 0.5
    assert box(snapshot, "0-8").visible_share == 0.5
    assert box(snapshot, "0-1").bounds == (0, 0, 400, 300)
    assert snapshot.layout.viewport.scroll_y == 100


def test_layout_px_are_not_css_px() -> None:
    columns = page()
    columns.layout["bounds"] = [[2 * one for one in bounds] for bounds in columns.layout["bounds"]]
    reply = columns.reply()
    reply["documents"][0]["scrollOffsetY"] = 200
    fake = browser(answers={"DOMSnapshot.captureSnapshot": reply})
    metrics: Any = fake.answers["Page.getLayoutMetrics"]
    metrics = {
        **metrics,
        "layoutViewport": {**metrics["layoutViewport"], "clientWidth": 801, "clientHeight": 600},
    }
    fake.answers |= {
        "Page.getLayoutMetrics": metrics,
        "Runtime.evaluate": {"result": {"type": "number", "value": 2}},
    }
    snapshot = look(fake)
    assert snapshot.layout is not None
    assert box(snapshot, "0-4").bounds == (10, 10, 100, 20)
    asked = [one.params for one in fake.sent if one.method == "DOM.getNodeForLocation"]
    assert {"x": 60, "y": 120, "ignorePointerEventsNone": False} in asked


def test_what_lies_over_an_element_is_named() -> None:
    def hit(command: Command[Any]) -> Data:
        return {"backendNodeId": 8 if command.params["y"] < 140 else 3}

    snapshot = look(browser(answers={"DOM.getNodeForLocation": hit}))
    assert "[0-4] button: Go [covered by 0-8]" in lines(snapshot)
    assert snapshot.layout is not None
    assert [id_ for id_, box in snapshot.layout.boxes.items() if box.covered_by is not None] == ["0-4"]


def test_what_covers_only_the_middle_does_not_cover() -> None:
    def hit(command: Command[Any]) -> Data:
        return {"backendNodeId": 8 if (command.params["x"], command.params["y"]) == (60, 120) else 3}

    assert "[0-4] button: Go" in lines(look(browser(answers={"DOM.getNodeForLocation": hit})))


@pytest.mark.parametrize(
    ("method", "note"),
    [
        ("DOMSnapshot.captureSnapshot", "no layout"),
        ("Page.getLayoutMetrics", "no viewport"),
        ("Page.captureScreenshot", "no screenshot"),
        ("Runtime.evaluate", ""),
        ("DOM.getNodeForLocation", ""),
    ],
)
def test_a_refusal_costs_no_frame(method: str, note: str) -> None:
    snapshot = look(browser(answers={method: refused(method, -32000, "not today")}), screenshot=True)
    assert snapshot.report.complete
    assert [note in one for one in snapshot.report.notes] == ([True] if note else [])
    assert lines(snapshot)[1] == "[0-4] button: Go"
    assert (snapshot.layout is None) == (note in ("no layout", "no viewport"))
    assert (snapshot.screenshot is None) == (note == "no screenshot")


def test_without_it_nothing_more_is_asked() -> None:
    fake = browser()
    snapshot = fake.snapshot()
    assert snapshot.layout is None
    assert fake.methods == [
        "Page.getFrameTree",
        "DOM.enable",
        "DOM.getDocument",
        "Accessibility.getFullAXTree",
        "Page.getFrameTree",
        "DOM.getNodesForSubtreeByStyle",
        "DOM.disable",
    ]


_BREAKS: list[tuple[str, str, Any]] = [
    ("nodes", "parentIndex", [-1, 5, 1, 2, 2, 2, 5, 2]),
    ("nodes", "parentIndex", [-1]),
    ("nodes", "isClickable", {"index": [99]}),
    ("nodes", "pseudoType", {"index": [-1]}),
    ("nodes", "contentDocumentIndex", {"index": [1], "value": [7]}),
    ("layout", "nodeIndex", [0, 1, 2, 3, 4, 5, 6, 8]),
    ("layout", "styles", [[999]] * 8),
    ("layout", "bounds", []),
    ("layout", "paintOrders", [1]),
]


@pytest.mark.parametrize(("part", "column", "value"), _BREAKS)
def test_columns_that_do_not_fit_are_no_layout(part: str, column: str, value: Any) -> None:
    reply = page().reply()
    assert build_session_layout(PlainPayload(reply).result(LayoutSnapshot)).frames == ["main"]
    reply["documents"][0][part][column] = value
    with pytest.raises(ValueError, match="do not fit"):
        build_session_layout(PlainPayload(reply).result(LayoutSnapshot))
    snapshot = look(browser(answers={"DOMSnapshot.captureSnapshot": reply}))
    assert snapshot.layout is None
    assert snapshot.report.complete
    assert "no layout" in snapshot.report.notes[0]


def test_marks_stand_last_and_cannot_be_forged() -> None:
    snapshot = look(browser())
    [row] = [row for row in snapshot.rows if row.role == "paragraph"]
    row = msgspec.structs.replace(
        row, states=("focused", "clickable", "covered by 0-4"), name="x [offscreen]"
    )
    assert format_tree_line(row) == (
        '[0-8] paragraph: x \\[offscreen] [focused] [value="7"] [clickable] [covered by 0-4]'
    )
