"""The report page: one HTML file that shows a snapshot to people.

Everything of the page stands in one block of JSON that the file's script reads, and becomes text nodes there;
a Content-Security-Policy lets no other script run and nothing be loaded.
"""

from __future__ import annotations

import base64
import hashlib
import html
import importlib.resources
import re
import shlex
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.model import MISSING_FRAME
from hybridsnap.render.boxes import is_seen, pixels_per_css_px, read_png_size
from hybridsnap.render.detail import IN_LABEL
from hybridsnap.render.select import is_interactive, parents_of
from hybridsnap.render.tree import label_of
from hybridsnap.text import SURROGATE, clean_text, cut_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.model import FrameReport, Report
    from hybridsnap.render.content import Content

#: In this order they are one script.
_SCRIPTS = ("view_model.js", "view_picture.js", "view.js")
_SLOT = re.compile(r"\{\{([A-Z]+)\}\}")
#: A name or a value longer than this is cut: the report is for reading.
_LONGEST_TEXT = 5000


def render_view(content: Content, screenshot: bytes | None) -> str:
    """The report page, as one HTML file that needs nothing else.

    Args:
        content: of a snapshot; layout is shown when it is there.
        screenshot: PNG of the viewport; None when there is none.

    Raises:
        ValueError: the screenshot is not a PNG.
    """
    style = _asset("view.css")
    script = "".join(map(_asset, _SCRIPTS))
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)};"
        " base-uri 'none'; form-action 'none'"
    )
    title = clean_text(content.report.title) or clean_text(content.report.url)
    picture = _picture_size(content, screenshot)
    slots = {
        "POLICY": policy,
        "TITLE": html.escape(f"{title} - hybridsnap"),
        "STYLE": style,
        "IMAGE": "" if screenshot is None else _image(screenshot),
        "DATA": _as_script_data(_build_data(content, picture, has_screenshot=screenshot is not None)),
        "SCRIPT": script,
    }
    # One pass: what is put in is not looked at again.
    return _SLOT.sub(lambda slot: slots[slot[1]], _asset("view.html"))


def _asset(name: str) -> str:
    return (importlib.resources.files("hybridsnap.render") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _image(screenshot: bytes) -> str:
    encoded = base64.b64encode(screenshot).decode()
    words = "The page as it stood; the outline lists its elements"
    return f'<img id="shot" alt="{words}" src="data:image/png;base64,{encoded}">'


def _as_script_data(data: dict[str, Any]) -> str:
    """JSON that cannot end the script element it stands in."""
    text = msgspec.json.encode(data).decode()
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _build_data(
    content: Content, picture: dict[str, float] | None, *, has_screenshot: bool
) -> dict[str, Any]:
    rows = content.rows
    report = content.report
    roles, role_numbers = _number([clean_text(row.role) or "none" for row in rows])
    labels, label_numbers = _number(
        ["missing frame" if row.role == MISSING_FRAME else label_of(row) for row in rows]
    )
    return {
        "title": _text(report.title),
        "url": _text(report.url),
        "summary": _summary(report, len(rows)),
        "gaps": _gaps(report),
        "frames": [
            {"ordinal": frame.ordinal, "url": _text(frame.url), "status": frame.status}
            for frame in report.frames
        ],
        "roles": roles,
        "labels": labels,
        "rows": {
            "id": [row.id or "" for row in rows],
            "depth": [row.depth for row in rows],
            "role": role_numbers,
            "label": label_numbers,
            "name": [_text(row.name) for row in rows],
            "value": [_text(row.value) for row in rows],
            "description": [_text(row.description) for row in rows],
            "states": [
                "\n".join(clean_text(state) for state in row.states if state not in IN_LABEL) for row in rows
            ],
            "frame": [row.frame for row in rows],
            "interactive": [int(is_interactive(row)) for row in rows],
            "missing": [at for at, row in enumerate(rows) if row.role == MISSING_FRAME],
            "xpath": _shared_xpaths(content),
        },
        "urls": {
            str(at): _text(url)
            for at, row in enumerate(rows)
            if row.id is not None and (url := content.urls.get(row.id))
        },
        "boxes": _boxes(content),
        "viewport": None if content.layout is None else content.layout.viewport,
        "picture": picture,
        "lack": _lack(content, has_screenshot=has_screenshot),
    }


def _number(words: Sequence[str]) -> tuple[list[str], list[int]]:
    """Each word once, and for each place the number of its word."""
    numbers: dict[str, int] = {}
    column = [numbers.setdefault(word, len(numbers)) for word in words]
    return list(numbers), column


def _text(text: str) -> str:
    return cut_text(clean_text(text), _LONGEST_TEXT)


def _shared_xpaths(content: Content) -> list[str]:
    """Each row's path as ``+`` and what it adds to that of the row above; else whole."""
    rows = content.rows
    whole = ["" if row.id is None else content.xpaths.get(row.id, "") for row in rows]
    shared: list[str] = []
    for path, parent in zip(whole, parents_of(rows), strict=True):
        above = whole[parent] if parent >= 0 else ""
        own = f"+{path[len(above) :]}" if above and path.startswith(above) else path
        shared.append(SURROGATE.sub("\ufffd", own))
    return shared


def _boxes(content: Content) -> dict[str, dict[str, Any]]:
    """Row number → its box."""
    if content.layout is None:
        return {}
    found = {}
    for at, row in enumerate(content.rows):
        box = None if row.id is None else content.layout.boxes.get(row.id)
        if box is not None:
            found[str(at)] = {
                "bounds": [round(number, 2) for number in box.bounds],
                "share": round(box.visible_share, 3) if is_seen(box) else 0,
                "coveredBy": box.covered_by,
                "provenance": box.provenance,
            }
    return found


def _picture_size(content: Content, screenshot: bytes | None) -> dict[str, float] | None:
    """Of the screenshot in CSS px; without one that of the viewport, where boxes can stand all the same."""
    if screenshot is not None:
        width, height = read_png_size(screenshot)
        scale = pixels_per_css_px(content, screenshot)
        return {"width": width / scale, "height": height / scale}
    if content.layout is None:
        return None
    viewport = content.layout.viewport
    if viewport.width <= 0 or viewport.height <= 0:
        return None
    return {"width": viewport.width, "height": viewport.height}


def _lack(content: Content, *, has_screenshot: bool) -> dict[str, str] | None:
    """What the screenshot's side has to do without, and how to get it."""
    if has_screenshot and content.layout is not None:
        return None
    if not has_screenshot and content.layout is None:
        title = "This snapshot has no screenshot"
        words = "It was taken without layout, so where its elements stand is not known. To see them:"
    elif has_screenshot:
        title = "This snapshot has no layout"
        words = "Where its elements stand on the screenshot is not known. To see them:"
    else:
        title = "This snapshot has no screenshot"
        words = "Below, its elements stand where they were in the viewport. To see the page itself:"
    url = shlex.quote(clean_text(content.report.url))
    return {
        "title": title,
        "words": words,
        "commands": f"hybridsnap snapshot {url} --layout --screenshot page.png --format json -o page.json\n"
        "hybridsnap view page.json -o report.html",
    }


def _summary(report: Report, rows: int) -> str:
    frames = f"{len(report.frames)} frame{'' if len(report.frames) == 1 else 's'}"
    return f"{frames}, {rows:,} row{'' if rows == 1 else 's'}, {report.elapsed_ms:,.0f} ms"


def _gaps(report: Report) -> list[dict[str, str | None]]:
    """What the snapshot lacks, in words, and the element to look at."""
    gaps: list[dict[str, str | None]] = [
        {"text": _gap(frame), "id": frame.owner_id} for frame in report.frames if frame.status != "captured"
    ]
    if not report.consistent:
        gaps.append({"text": "DOM and accessibility tree do not quite agree", "id": None})
    gaps += [{"text": _text(note), "id": None} for note in report.notes]
    return gaps


def _gap(frame: FrameReport) -> str:
    state = {
        "missing": "is missing",
        "partial": "is here in part",
        "excluded": "was left out",
        "captured": "is here",
    }[frame.status]
    cause = "" if frame.cause is None else f" ({frame.cause.replace('_', ' ')})"
    return f"Frame {frame.ordinal} {state}{cause}: {_text(frame.url) or 'no address'}"
