"""The plan for one session: its frame tree, its DOM, and the AX tree of each of its frames.

All in one batch, adjacent on the wire::

    Page.getFrameTree  DOM.enable  DOM.getDocument  getFullAXTree (each frame)  Page.getFrameTree

and, as soon as the DOM is here, while the browser computes the AX trees::

    DOM.getNodesForSubtreeByStyle  DOM.disable

Where the DOM nests too deep for one reply, DOM.getFlattenedDocument comes before these, and from then on, as
long as the document is there, in the place of DOM.getDocument. With layout,
`DOMSnapshot.captureSnapshot` and what belongs to it stand before the AX trees, and the second batch falls
away. The frames to ask for are those the driver has heard of; the first frame tree says whether that was
right, and what is missing is asked for in a second round. Loader ids before and after must agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.capture.ax import a11y_for_frame
from hybridsnap.capture.clickable import find_pointed, find_styled_in_pieces
from hybridsnap.capture.dom import build_session_dom_index, get_flat_dom_tree, is_nesting_error
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
    take_pointed,
)
from hybridsnap.capture.unrendered import empty_locked_frames, find_unrendered
from hybridsnap.errors import CommandRefused
from hybridsnap.protocol.commands import disable_dom, enable_dom, get_document, get_frame_tree
from hybridsnap.protocol.plan import Command, Failure, Outcome, Reply, gather_outcomes, parallel

if TYPE_CHECKING:
    from hybridsnap.capture.frames import Ordinals, SessionInfo
    from hybridsnap.model import CaptureOptions
    from hybridsnap.protocol.plan import Plan


def collect_per_frame_maps(
    info: SessionInfo,
    ordinals: Ordinals,
    *,
    main_frame_only: bool = False,
    looking: CaptureOptions | None = None,
    is_main: bool = True,
) -> Plan[SessionResult]:
    """Read one session: its frame tree, its DOM, and the AX tree of each of its frames.

    Args:
        info: the session.
        ordinals: of the page, with what is known of its documents.
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
    _, outcomes = yield from parallel(
        [
            read_dom(reading, pointed=not looks, known=ordinals),
            gather_outcomes(
                *looks.values(), *(a11y_for_frame(session, frame) for frame in heard), get_frame_tree(session)
            ),
        ]
    )
    assert outcomes is not None
    for outcome in outcomes:
        reading.stamp(outcome)
    *ax, after = outcomes
    if looks:
        reading.layout = read_layout(looks, ax[: len(looks)])
        ax = ax[len(looks) :]
    take_ax(reading, heard, ax)
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
    if reading.index is not None:
        unrendered, note = yield from find_unrendered(session, reading.index, reading.ax_trees.values())
        reading.index.unrendered = unrendered
        locked = yield from empty_locked_frames(session, reading.index, reading.ax_trees)
        reading.notes += [words for words in (note, locked) if words]
    return reading


def read_dom(reading: SessionResult, *, pointed: bool, known: Ordinals | None = None) -> Plan[None]:
    """Read a session's frame tree and DOM.

    Args:
        reading: to be filled in.
        pointed: also find the elements that show a pointer.
        known: of the page: which documents nest too deep for one reply.
    """
    session = reading.info.session
    nested = set() if known is None else known.nested
    nests = reading.info.loader in nested
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(
        get_frame_tree(session),
        enable_dom(session),
        get_flat_dom_tree(session) if nests else get_document(session, build_session_dom_index),
        *([] if pointed else [disable_dom(session)]),
    )
    for outcome in outcomes:
        reading.stamp(outcome)
    before, _, document, *_ = outcomes
    if nests and isinstance(document, Failure) and isinstance(document.error, CommandRefused):
        nested.discard(reading.info.loader)
        _, document = yield from gather_outcomes(
            enable_dom(session), get_document(session, build_session_dom_index)
        )
    if isinstance(before, Reply):
        reading.tree = before.value.frames()
    else:
        reading.lost = judge_silence(before)
    found: Outcome[list[int]] | None = None
    if pointed and isinstance(document, Failure) and is_nesting_error(document.error):
        (flat,) = yield from gather_outcomes(get_flat_dom_tree(session))
        document = flat if isinstance(flat, Reply) else document
        if known is not None and reading.tree is not None and document is flat:
            known.note_nested(reading.tree[0].loader_id)
    if pointed and isinstance(document, Reply) and not document.value.truncated:
        found = yield from find_pointed(session, document.value)
    elif pointed:
        yield from gather_outcomes(disable_dom(session))
    yield from take_document(reading, document)
    if found is not None:
        take_pointed(reading, found)
    elif pointed and reading.index is not None:
        take_pointed(reading, *(yield from find_styled_in_pieces(session, reading.index)))
