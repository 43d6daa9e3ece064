"""A page on paper, and in one file: PDF and MHTML."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.argument_checks import check_bool, check_number, check_str
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import CommandRefused

if TYPE_CHECKING:
    from hybridsnap.client.connection import Session
    from hybridsnap.deadline import Deadline

#: A length on paper: inches as a number, or with a unit: in, cm, mm, px, pt.
Length: TypeAlias = float | str
#: Width and height, upright.
PAPERS: dict[str, tuple[Length, Length]] = {
    "letter": (8.5, 11),
    "legal": (8.5, 14),
    "tabloid": (11, 17),
    "ledger": (17, 11),
    "a0": ("841mm", "1189mm"),
    "a1": ("594mm", "841mm"),
    "a2": ("420mm", "594mm"),
    "a3": ("297mm", "420mm"),
    "a4": ("210mm", "297mm"),
    "a5": ("148mm", "210mm"),
    "a6": ("105mm", "148mm"),
}
_PER_INCH = {"in": 1.0, "cm": 2.54, "mm": 25.4, "px": 96.0, "pt": 72.0}
_LENGTH = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(in|cm|mm|px|pt)\s*")
_SIDES = ("Top", "Right", "Bottom", "Left")
#: Bytes of a file that come with one reply.
_PIECE = 4_000_000
#: Words of Chromium 156 for a value that it refuses → the option (measured), and what is wanted.
_REFUSED = {"page range": "pages", "content area": "margin", "paper ": "paper"}
_WANTED = {
    "pages": 'expected pages that the document has, such as "1-3, 5"',
    "margin": "no room is left on the paper; give a smaller margin, or a larger paper",
    "paper": "expected a width and a height of more than 0",
}
_LEAST_SCALE, _MOST_SCALE = 0.1, 2.0


def check_pdf_options(
    *,
    paper: str | tuple[Length, Length],
    landscape: bool,
    margin: Length | tuple[Length, Length, Length, Length],
    scale: float,
    pages: str,
    background: bool,
    header: str | None,
    footer: str | None,
    css_page_size: bool,
    tagged: bool,
    outline: bool,
) -> dict[str, Any]:
    """Parameters of `Page.printToPDF`.

    Raises:
        ValueError, TypeError: an option means nothing.
    """
    flags = {
        "landscape": landscape,
        "background": background,
        "css_page_size": css_page_size,
        "tagged": tagged,
        "outline": outline,
    }
    for name, flag in flags.items():
        check_bool(name, flag)
    check_str("pages", pages, "1-3, 5")
    check_str("header", header, "<b class=title></b>", optional=True)
    check_str("footer", footer, "<b class=pageNumber></b>", optional=True)
    check_number("scale", scale, "1 for the page's own size")
    width, height = (_inches("paper", one) for one in _size_of(paper))
    if not _LEAST_SCALE <= scale <= _MOST_SCALE:
        raise ValueError(f"expected a scale from {_LEAST_SCALE} to {_MOST_SCALE}, got {scale!r}")
    margins = margin if isinstance(margin, tuple) else (margin,) * len(_SIDES)
    if len(margins) != len(_SIDES):
        raise ValueError(f"expected one margin or four (top, right, bottom, left), got {margin!r}")
    params: dict[str, Any] = {
        "paperWidth": width,
        "paperHeight": height,
        "landscape": landscape,
        "scale": scale,
        "pageRanges": pages,
        "printBackground": background,
        "preferCSSPageSize": css_page_size,
        "generateTaggedPDF": tagged,
        "generateDocumentOutline": outline,
        "transferMode": "ReturnAsStream",
    }
    params |= {f"margin{side}": _inches("margin", one) for side, one in zip(_SIDES, margins, strict=True)}
    if header is not None or footer is not None:
        # Without a template Chromium prints one of its own.
        nothing = "<span></span>"
        params["displayHeaderFooter"] = True
        params |= {"headerTemplate": header or nothing, "footerTemplate": footer or nothing}
    return params


def _size_of(paper: Any) -> tuple[Length, Length]:
    if isinstance(paper, str):
        if paper.lower() not in PAPERS:
            known = ", ".join(PAPERS)
            raise ValueError(f"paper: expected one of {known} or (width, height), got {paper!r}")
        return PAPERS[paper.lower()]
    if not isinstance(paper, tuple | list) or len(paper) != 2:  # noqa: PLR2004
        raise TypeError(f"paper: expected a name such as 'a4', or (width, height), got {paper!r}")
    return paper[0], paper[1]


async def print_pdf(session: Session, params: dict[str, Any], deadline: Deadline) -> bytes:
    """The page as a PDF file, read in pieces, so that its size does not matter.

    Raises:
        ValueError: the document has no such pages, or the paper no room beside the margin.
        HybridsnapError: the browser refuses, does not answer, or is gone.
    """
    try:
        reply = await session.send("Page.printToPDF", params, deadline=deadline)
    except CommandRefused as error:
        if found := next((name for words, name in _REFUSED.items() if words in error.reason.lower()), None):
            given = f", got {params['pageRanges']!r:.100}" if found == "pages" else ""
            raise ValueError(f"{found}: {_WANTED[found]}{given} ({error.reason})") from error
        raise
    stream = {"handle": reply["stream"]}
    pieces: list[bytes] = []
    try:
        while True:
            read = await session.send("IO.read", {**stream, "size": _PIECE}, deadline=deadline)
            data = read["data"]
            pieces.append(base64.b64decode(data) if read.get("base64Encoded") else data.encode("latin-1"))
            if read["eof"]:
                return b"".join(pieces)
    finally:
        session.post("IO.close", stream, ignore_reply)


async def save_mhtml(session: Session, deadline: Deadline) -> bytes:
    """The page with all it shows, frames included, as one MHTML file."""
    reply = await session.send("Page.captureSnapshot", {"format": "mhtml"}, deadline=deadline)
    text: str = reply["data"]
    return text.encode()


def _inches(what: str, length: Length) -> float:
    if isinstance(length, str):
        found = _LENGTH.fullmatch(length)
        if found is None:
            raise ValueError(f'{what}: expected a length such as "20mm", "1in" or inches, got {length!r}')
        return float(found[1]) / _PER_INCH[found[2]]
    if isinstance(length, bool) or not isinstance(length, int | float):
        raise TypeError(f"{what}: expected a length, got {length!r}")
    if length < 0:
        raise ValueError(f"{what}: expected a length of 0 or more, got {length!r}")
    return float(length)
