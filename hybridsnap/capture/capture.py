"""The plans: everything that is asked of the browser for one snapshot, and what is made of the replies.

Each session is asked by a plan of its own (`hybridsnap.capture.session`). They go side by side, so that a
frame which never answers holds up none of the others; what has not come at the deadline is in the report,
with its cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.assembly import assemble
from hybridsnap.capture.ignore import capture_without
from hybridsnap.capture.layout import (
    add_layout,
    ask_for_layout,
)
from hybridsnap.capture.reading import (
    Capture,
    CaptureScope,
    SessionResult,
)
from hybridsnap.capture.scope import capture_focus, check_selectors
from hybridsnap.capture.session import collect_per_frame_maps
from hybridsnap.capture.unrendered import reread_undrawn_frames
from hybridsnap.model import CaptureOptions
from hybridsnap.protocol.plan import parallel, yield_to_runner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.frames import Ordinals, SessionInfo
    from hybridsnap.model import FrameId, SessionId
    from hybridsnap.protocol.plan import Plan

#: A capture is tried once more when it was not consistent and this many times its own duration is left.
_RETRY_MARGIN = 2.0


def capture_hybrid_snapshot(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions | None = None
) -> Plan[Capture]:
    """Capture every frame of a page; a second time when it changed or was left meanwhile, and never a third.

    Args:
        sessions: the page's own first, then those of its out-of-process frames. Whoever runs the plan has its
            turn before a second attempt, and may put others into the list: that a frame has gone to another
            process meanwhile, or has loaded, is a reason for one.
        ordinals: the page's frame numbers so far; new frames are added.
        options: what to leave out.

    Returns:
        What was found. A frame that could not be read is in it, with its cause; whether the main frame
        is there is for the caller to see.

    Raises:
        SelectorError: `CaptureOptions.focus` matches nothing, or one of the selectors is none.
    """
    options = options or CaptureOptions()
    if options.focus is not None or options.ignore:
        check_selectors(options)
    capture, readings = yield from _attempt(sessions, ordinals, options)
    if _left_meanwhile(capture, sessions):
        yield from yield_to_runner()
        capture, _ = yield from _attempt(sessions, ordinals, options)
        if _left_meanwhile(capture, sessions):
            capture.frames[0] = msgspec.structs.replace(
                capture.frames[0], status="partial", cause="navigated"
            )
            capture.complete = False
        return capture
    took = max(reading.last for reading in readings)
    left = min(reading.remaining for reading in readings)
    if (capture.consistent and capture.complete) or left < took * _RETRY_MARGIN:
        return capture
    asked = _under_way(sessions)
    yield from yield_to_runner()
    if not capture.complete and asked == _under_way(sessions):
        return capture
    again, _ = yield from _attempt(sessions, ordinals, options)
    if not capture.consistent:
        again.notes.insert(0, "the page changed during the first attempt; this is the second")
    return again


def _left_meanwhile(capture: Capture, sessions: Sequence[SessionInfo]) -> bool:
    """Whether the page went to another document when the capture had begun: there is hardly one yet."""
    main, known = capture.frames[0], sessions[0].loader
    return known is not None and main.status == "captured" and main.loader_id not in {None, known}


def _under_way(sessions: Sequence[SessionInfo]) -> list[tuple[SessionId | None, frozenset[FrameId]]]:
    return [(info.session, info.loading) for info in sessions]


def capture_simple_snapshot(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions | None = None
) -> Plan[Capture]:
    """Capture the main frame only; the others are in the report as excluded. Takes all other options, too."""
    options = msgspec.structs.replace(options or CaptureOptions(), include_iframes=False)
    return capture_hybrid_snapshot(sessions, ordinals, options)


def _attempt(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions
) -> Plan[tuple[Capture, list[SessionResult]]]:
    limits = CaptureScope()
    capture, readings = yield from _attempt_rows(sessions, ordinals, options, limits)
    if options.layout or options.screenshot:
        layouts = {one.info.session: one.layout for one in readings if one.layout is not None}
        yield from add_layout(capture, sessions, {**limits.layouts, **layouts})
    return capture, readings


def _attempt_rows(
    sessions: Sequence[SessionInfo], ordinals: Ordinals, options: CaptureOptions, limits: CaptureScope
) -> Plan[tuple[Capture, list[SessionResult]]]:
    if options.focus is not None:
        if options.layout or options.screenshot:
            limits.layouts = yield from ask_for_layout(sessions, options)
        found = yield from capture_focus(sessions, ordinals, options, limits)
        if found is not None:
            return found
    asked = sessions if options.include_iframes else sessions[:1]
    readings = yield from parallel(
        [
            collect_per_frame_maps(
                info,
                ordinals,
                main_frame_only=not options.include_iframes,
                looking=options if options.layout or options.screenshot else None,
                is_main=number == 0,
            )
            for number, info in enumerate(asked)
        ]
    )
    yield from reread_undrawn_frames(readings)
    readings.extend(SessionResult(info) for info in sessions[len(asked) :])
    if options.ignore:
        return (yield from capture_without(readings, ordinals, options, limits)), readings
    return assemble(readings, ordinals, options, limits), readings
