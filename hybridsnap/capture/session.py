"""The plan for one session: its frame tree, its DOM, and the AX tree of each of its frames.

All in one batch, adjacent on the wire::

    Page.getFrameTree  DOM.enable  DOM.getDocument  DOM.disable  getFullAXTree (each frame)  Page.getFrameTree

With layout, `DOMSnapshot.captureSnapshot` and what belongs to it stand before the AX trees. The frames to ask
for are those the driver has heard of; the first frame tree says whether that was right, and what is missing
is asked for in a second round. Loader ids before and after must agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.capture.ax import a11y_for_frame
from hybridsnap.capture.dom import (
    build_session_dom_index,
)
from hybridsnap.capture.layout import (
    layout_commands,
    read_layout,
)
from hybridsnap.capture.reading import (
    SessionResult,
    compare_loaders,
    judge_silence,
    take_ax,
    take_document,
)
from hybridsnap.protocol.commands import disable_dom, enable_dom, get_document, get_frame_tree
from hybridsnap.protocol.plan import Command, Outcome, Reply, gather_outcomes

if TYPE_CHECKING:
    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.model import CaptureOptions
    from hybridsnap.protocol.plan import Plan


def collect_per_frame_maps(
    info: SessionInfo,
    *,
    main_frame_only: bool = False,
    looking: CaptureOptions | None = None,
    is_main: bool = True,
) -> Plan[SessionResult]:
    """Read one session: its frame tree, its DOM, and the AX tree of each of its frames.

    Args:
        info: the session.
        main_frame_only: only its first frame.
        looking: with layout or screenshot; None for neither.
        is_main: it is the page's own session.
    """
    reading = SessionResult(info)
    session = info.session
    heard = info.frames if info.frames and not main_frame_only else (info.root_frame,)
    looks: dict[str, Command[Any]] = {}
    if looking is not None:
        looks = layout_commands(session, looking, is_main=is_main)
    commands: list[Command[Any]] = [
        get_frame_tree(session),
        enable_dom(session),
        get_document(session, build_session_dom_index),
        disable_dom(session),
        *looks.values(),
        *(a11y_for_frame(session, frame) for frame in heard),
        get_frame_tree(session),
    ]
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(*commands)
    for outcome in outcomes:
        reading.stamp(outcome)
    before, _, document, _, *ax, after = outcomes
    if looks:
        reading.layout = read_layout(looks, ax[: len(looks)])
        ax = ax[len(looks) :]
    if isinstance(before, Reply):
        reading.tree = before.value.frames()
    else:
        reading.lost = judge_silence(before)
    take_ax(reading, heard, ax)
    yield from take_document(reading, document)
    if reading.tree is not None:
        wanted = reading.tree[:1] if main_frame_only else reading.tree
        late = [
            frame.id
            for frame in wanted
            if frame.id not in reading.ax_trees and frame.id not in reading.lost_frames
        ]
        if late:
            outcomes = yield from gather_outcomes(
                *(a11y_for_frame(session, frame) for frame in late), get_frame_tree(session)
            )
            *ax, after = outcomes
            take_ax(reading, late, ax)
            for outcome in outcomes:
                reading.stamp(outcome)
    compare_loaders(reading, after)
    return reading
