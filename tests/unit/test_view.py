"""The report page as a file: what it lets in, what it is made of."""

from __future__ import annotations

import base64
import hashlib
import html
import importlib.resources
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hybridsnap
from hybridsnap.model import (
    MISSING_FRAME,
    ElementId,
    FrameId,
    FrameReport,
)
from hybridsnap.render.boxes import find_marks, pixels_per_css_px, read_png_size
from hybridsnap.render.view import render_view
from hybridsnap.text import clean_text
from tests.support.contents import build_box, build_content, build_row

#: One white pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg=="
)


def read_data(page: str) -> dict[str, Any]:
    """The block of data, found as a browser finds it: it ends at the first ``</script``."""
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script', page, re.DOTALL)
    data: dict[str, Any] = json.loads(block)
    return data


@given(st.text())
def test_any_text_is_data_and_nothing_else(text: str) -> None:
    text = f"<{text}</script><!--\u2028"
    row = build_row("0-1", 0, "button", text, value=text, description=text, states=(text,), tag=text)
    page = render_view(build_content([row], xpaths={"0-1": text}, title=text, url=text, notes=(text,)), None)
    data = read_data(page)
    assert data["rows"]["name"] == [clean_text(text)]
    assert data["rows"]["xpath"] == [text.encode("utf-8", "replace").decode()]
    assert data["gaps"][-1]["text"] == clean_text(text)
    assert page.lower().count("</script") == 2
    assert page.count("<!--") == 0
    (title,) = re.findall(r"<title>(.*?)</title>", page)
    assert html.unescape(title) == f"{clean_text(text)} - hybridsnap"


def test_the_policy_allows_its_own_script_and_style_only() -> None:
    page = render_view(build_content([build_row("0-1", 0, "button")]), PIXEL)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    for tag in ("script", "style"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; img-src data:;")
    assert "unsafe" not in policy
    # The policy comes before all that it is about.
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert re.findall(r'(?:src|href)="(?!data:)', page) == []


def test_the_script_builds_text_only() -> None:
    """No way from a string to markup or code stands in the page's own script."""
    package = importlib.resources.files("hybridsnap.render")
    for name in ("view_model.js", "view_picture.js", "view.js"):
        script = (package / name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(", script)
        assert "</script" not in script.lower()
        assert "\r" not in script


def test_it_is_packed_with_the_library() -> None:
    """Every file the page is made of lies in the package, and no rule of the build or of git keeps it out."""
    folder = Path(hybridsnap.__file__).parent / "render"
    assert {path.name for path in folder.glob("view*") if path.suffix != ".py"} == {
        "view.css",
        "view.html",
        "view.js",
        "view_model.js",
        "view_picture.js",
    }


def test_xpaths_share_what_stands_above() -> None:
    rows = [
        build_row("0-1", 0, "RootWebArea"),
        build_row("0-2", 1, "main"),
        build_row(None, 2, "StaticText", "text"),
        build_row("0-3", 3, "link"),
        build_row("0-4", 1, "dialog"),
        build_row("0-5", 2, "button"),
    ]
    paths = {"0-1": "/", "0-2": "/html[1]/main[1]", "0-3": "/html[1]/a[1]", "0-4": "/html[1]", "0-5": "/else"}
    data = read_data(render_view(build_content(rows, xpaths=paths), None))
    assert data["rows"]["xpath"] == ["/", "+html[1]/main[1]", "", "/html[1]/a[1]", "+html[1]", "/else"]


def test_rows_are_columns() -> None:
    rows = [
        build_row("0-1", 0, "RootWebArea", "X"),
        build_row("0-2", 1, "generic", tag="div", states=("scrollable",)),
        build_row("0-3", 2, "combobox", "Sort", tag="select", states=("collapsed", "required")),
        build_row("0-4", 2, "generic", tag="span", states=("clickable",)),
        build_row(None, 1, MISSING_FRAME, "frame 1 not captured: crashed (https://x.test/in)"),
    ]
    content = build_content(rows, boxes={"0-3": build_box((1.234567, 2, 30, 10), 0.5, "0-4")})
    data = read_data(render_view(content, None))
    columns = data["rows"]
    assert [data["labels"][at] for at in columns["label"]] == [
        "RootWebArea",
        "scrollable, div",
        "select",
        "span",
        "missing frame",
    ]
    assert [data["roles"][at] for at in columns["role"]][:3] == ["RootWebArea", "generic", "combobox"]
    assert columns["interactive"] == [0, 0, 1, 1, 0]
    assert columns["missing"] == [4]
    assert columns["states"][1:3] == ["", "collapsed\nrequired"]
    box = {"bounds": [1.23, 2, 30, 10], "share": 0.5, "coveredBy": "0-4", "provenance": ""}
    assert data["boxes"] == {"2": box}


@pytest.mark.parametrize(
    ("with_layout", "with_screenshot", "title"),
    [
        (True, True, None),
        (False, True, "This snapshot has no layout"),
        (True, False, "This snapshot has no screenshot"),
        (False, False, "This snapshot has no screenshot"),
    ],
)
def test_what_is_lacking_is_said(*, with_layout: bool, with_screenshot: bool, title: str | None) -> None:
    content = build_content(
        [build_row("0-1", 0, "button")],
        boxes={"0-1": build_box()} if with_layout else None,
        url="https://x.test/?a=1&b='$(rm)'",
    )
    data = read_data(render_view(content, resized(800, 600) if with_screenshot else None))
    if title is None:
        assert data["lack"] is None
    else:
        assert data["lack"]["title"] == title
        assert """ 'https://x.test/?a=1&b='"'"'$(rm)'"'"'' --layout """ in data["lack"]["commands"]
    if with_screenshot:
        assert data["picture"] == {"width": 800, "height": 600}
    else:
        assert data["picture"] == ({"width": 800, "height": 600} if with_layout else None)


def resized(width: int, height: int) -> bytes:
    """A PNG that says so of itself."""
    return PIXEL[:16] + width.to_bytes(4, "big") + height.to_bytes(4, "big") + PIXEL[24:]


def test_the_picture_is_as_large_as_the_page_says() -> None:
    png = resized(1600, 1200)
    assert read_png_size(png) == (1600, 1200)
    content = build_content([], boxes={}, scale=2)
    assert read_data(render_view(content, png))["picture"] == {"width": 800, "height": 600}


@pytest.mark.parametrize(
    ("scale", "width", "expected"),
    [
        (1.0, 800, 1.0),
        (2.0, 1600, 2.0),
        (1.25, 1000, 1.25),
        (2.0, 1630, 2.0),  # with a scroll bar that is not part of the viewport
        (2.0, 800, 1.0),  # a scale that the screenshot was not drawn at
        (0.0, 1600, 2.0),
        (-1.0, 800, 1.0),
        (float("inf"), 800, 1.0),
        (float("nan"), 800, 1.0),
    ],
)
def test_the_scale_of_a_screenshot(scale: float, width: int, expected: float) -> None:
    assert pixels_per_css_px(build_content([], boxes={}, scale=scale), resized(width, 600)) == expected
    assert pixels_per_css_px(build_content([]), resized(width, 600)) == 1


@pytest.mark.parametrize("png", [b"", b"GIF89a", PIXEL[:20], PIXEL[:16] + bytes(8) + PIXEL[24:]])
def test_what_is_no_screenshot_is_refused(png: bytes) -> None:
    with pytest.raises(ValueError, match="--screenshot"):
        render_view(build_content([], boxes={}), png)


def test_marks_by_where_they_stand() -> None:
    rows = [build_row(f"0-{at}", 0, "button") for at in range(1, 8)] + [build_row("0-9", 0, "heading")]
    boxes = {
        "0-1": build_box(),
        "0-2": build_box(share=0, provenance="offscreen"),
        "0-3": build_box(covered_by="0-9"),
        "0-4": build_box((5, 5, 0, 10)),
        "0-5": build_box(provenance="transparent"),
        "0-9": build_box(),
    }
    marks = find_marks(build_content(rows, boxes=boxes))
    assert [id_ for id_, _ in marks.seen] == ["0-1", "0-5"]
    assert marks.covered == ["0-3"]
    assert marks.out_of_view == 4


def test_gaps_in_words() -> None:
    frames = (
        FrameReport(FrameId("A"), 0, "https://x.test/", None, None, None, "partial", "loading", 1, 1, 1.0),
        FrameReport(
            FrameId("B"), 1, "", FrameId("A"), ElementId("0-7"), None, "missing", "too_large", 0, 0, 1.0
        ),
        FrameReport(
            FrameId("C"), 2, "https://y.test/", FrameId("A"), None, None, "excluded", None, 0, 0, 1.0
        ),
    )
    content = build_content([], frames=frames, consistent=False, complete=False, notes=("a\nnote",))
    assert read_data(render_view(content, None))["gaps"] == [
        {"text": "Frame 0 is here in part (loading): https://x.test/", "id": None},
        {"text": "Frame 1 is missing (too large): no address", "id": "0-7"},
        {"text": "Frame 2 was left out: https://y.test/", "id": None},
        {"text": "DOM and accessibility tree do not quite agree", "id": None},
        {"text": "a note", "id": None},
    ]
