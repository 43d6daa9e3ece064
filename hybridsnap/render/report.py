"""The report as text for people: one line for the whole, one for each frame, one for each note; and the error
of a capture that failed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hybridsnap.errors import CaptureFailed, DeadlineExceeded
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.model import FrameReport, Report

#: A URL longer than this is cut in the middle.
_URL_CHARACTERS = 100
#: What a page that hung before we came may suffer from: Chromium tells of a dialog only those who saw it
#: open, lets only them answer it, and is as silent about a page in a loop (measured in Chromium 156).
SILENT_SINCE = (
    "it has answered nothing since it was attached to: an endless script, or a dialog that was open before,"
    " which only the client that saw it open can answer"
)
#: Going elsewhere closes a dialog, but for that of `chromium-headless-shell`; going to another site leaves an
#: endless script, but where a navigation is under way already that waits for it (measured in 156).
SILENT = f"{SILENT_SINCE}; go to another site, and close the tab if that is not reached"
#: How a tab is rid of an endless script. A document of another site gets a process of its own; one of the
#: same site, or about:blank, has to wait for the script, and the tab with it: nothing but closing helps then
#: (measured in Chromium 156).
HELD = (
    "an endless script is left by going to another site at once (a page of its own site, or about:blank,"
    " waits for it), or by closing the tab"
)
#: The same where another document was asked for already, and has been answered: nothing but closing helps.
CLOSE_IT = "; close the tab, and open another"
KEPT = (
    "the page is busy with a script that does not end, and the document that was to follow waits for that"
    f" script, as any other would now{CLOSE_IT}"
)
_REMEDY_OF_CAUSE: dict[str, str] = {
    "busy": f"it did not answer: too little time for its size, or an endless script; allow more time; {HELD}",
    "dialog": "a dialog is open on it; answer the dialog first",
    "crashed": "its renderer crashed; reload it",
    "navigated": "it is going elsewhere, or went meanwhile; try again, and close the tab if it stays so",
    "detached": "it was closed meanwhile",
    "loading": (
        "it is still loading, or an endless script of the page before it keeps the tab; allow more time, or"
        " close the tab"
    ),
    "timeout": "allow more time",
    "too_large": "the page is too large for one reply on this transport; use the pipe (--transport pipe)",
    "unreachable": "no session reaches it",
    "error": "see the notes of the report",
}


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


def build_failure(report: Report) -> CaptureFailed:
    """The error of a capture whose main frame could not be read; `DeadlineExceeded` for lack of time."""
    main = report.frames[0]
    cause = main.cause or "error"
    seconds = report.elapsed_ms / 1000
    remedy = (
        SILENT
        if cause in ("busy", "timeout", "loading") and SILENT in report.notes
        else _REMEDY_OF_CAUSE[cause]
    )
    # Of the caller's time a navigation before it may have taken a part.
    words = f"the page could not be captured (cause: {cause}, after {seconds:.1f} s of capturing): {remedy}"
    if cause in ("error", "too_large", "dialog") and report.notes:
        words += f" [{report.notes[0]}]"
    if cause in ("busy", "timeout", "loading"):
        return DeadlineExceeded(words, report=report)
    return CaptureFailed(words, report=report)


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
