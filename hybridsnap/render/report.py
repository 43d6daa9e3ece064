"""The report as text for people: one line for the whole, one for each frame, one for each note."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from hybridsnap.model import FrameReport, Report

#: A URL longer than this is cut in the middle.
_URL_CHARACTERS = 100


def render_report(report: Report, *, gaps_only: bool = False) -> str:
    """The report; no newline at its end.

    Args:
        report: of a snapshot, or of a capture that failed.
        gaps_only: True leaves out the frames that are whole.
    """
    whole = "whole" if report.complete else "INCOMPLETE"
    counts = Counter(frame.status for frame in report.frames)
    size = ", ".join(f"{counts[status]} {status}" for status in counts)
    quality = "" if report.consistent else "; DOM and accessibility tree do not quite agree"
    head = f"{whole}: {_plural(len(report.frames), 'frame')} ({size})"
    lines = [f"{head} in {report.elapsed_ms:.0f} ms over {report.transport}{quality}"]
    lines += [_frame_line(frame) for frame in report.frames if not gaps_only or frame.status != "captured"]
    lines += [f"  note: {clean_text(note)}" for note in report.notes]
    return "\n".join(lines)


def _frame_line(frame: FrameReport) -> str:
    state = frame.status if frame.cause is None else f"{frame.status} ({frame.cause})"
    owner = "" if frame.owner_id is None else f"  in [{frame.owner_id}]"
    size = f"{frame.dom_nodes} DOM nodes, {frame.ax_nodes} AX nodes"
    return f"  frame {frame.ordinal}  {state}  {size}{owner}  {shorten_url(frame.url)}".rstrip()


def shorten_url(url: str) -> str:
    """A URL cleaned, and cut in the middle when it is long."""
    url = clean_text(url)
    if len(url) <= _URL_CHARACTERS:
        return url
    half = _URL_CHARACTERS // 2
    return f"{url[:half]}…{url[-half + 1 :]}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
