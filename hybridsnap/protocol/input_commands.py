"""One constructor for each command that plans send to act on a page: input, files, the browser's overlay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hybridsnap.protocol.commands import tell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.model import SessionId
    from hybridsnap.protocol.plan import Command

#: Seconds in which input that is on its way has come to the page, or is lost.
INPUT_SECONDS = 0.05


def dispatch_touch(
    session: SessionId | None,
    kind: Literal["touchStart", "touchMove", "touchEnd", "touchCancel"],
    points: Sequence[tuple[float, float]] = (),
    *,
    cleanup: Command[None] | None = None,
    discharges: Sequence[Command[None]] = (),
) -> Command[None]:
    """`Input.dispatchTouchEvent`: answered when the page has handled it.

    It needs no touch emulation (measured).

    Args:
        session: the page's own.
        kind: of event.
        points: where the fingers are, in CSS px of the main viewport; none at the end of a touch.
        cleanup: owed until it was sent.
        discharges: cleanups that are owed no more then.
    """
    return tell(
        session,
        "Input.dispatchTouchEvent",
        {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        cleanup=cleanup,
        discharges=tuple(discharges),
    )


def insert_text(session: SessionId | None, text: str) -> Command[None]:
    """`Input.insertText`: into whatever has the focus, as an input method does; answered when it is there.

    A page in a background tab is given the focus by it first. An empty text takes away what is selected, and
    does nothing where nothing is (measured).
    """
    return tell(session, "Input.insertText", {"text": text})


def dispatch_key(
    session: SessionId | None, params: Mapping[str, Any], *, cleanup: Command[None] | None = None
) -> Command[None]:
    """`Input.dispatchKeyEvent`: answered when the page has handled it.

    Args:
        session: the page's own: the browser hands keys to the frame that has the focus, in any process; or an
            out-of-process frame's: they reach that frame or nothing.
        params: as `hybridsnap.act.keyboard` makes them.
        cleanup: what lets go of the key.
    """
    return tell(session, "Input.dispatchKeyEvent", dict(params), cleanup=cleanup)


def set_file_input_files(
    session: SessionId | None, node: Mapping[str, Any], paths: Sequence[str]
) -> Command[None]:
    """`DOM.setFileInputFiles`: absolute paths, as the browser's machine has them. Events fire.

    Args:
        session: where.
        node: ``{"objectId": …}``: the same backend node id is another input where the frame went on.
        paths: none at all does nothing (measured).
    """
    return tell(session, "DOM.setFileInputFiles", {"files": list(paths), **node})


def dispatch_mouse(
    session: SessionId | None,
    params: Mapping[str, Any],
    *,
    cleanup: Command[None] | None = None,
    discharges: Sequence[Command[None]] = (),
) -> Command[None]:
    """`Input.dispatchMouseEvent`: answered when the page has handled it.

    A move alone waits for the next frame, but not when a press follows right behind it; the wheel and touches
    wait too. A hidden tab draws no frames: a move is answered after 5 s there, the wheel and touches are not
    answered at all, presses are at once (all measured).

    Args:
        session: the page's own: the browser finds the frame that is meant, in any process.
        params: ``type``, ``x`` and ``y`` in CSS px of the main viewport, and so on.
        cleanup: what lets go of the button.
        discharges: cleanups that are owed no more once this was done.
    """
    return tell(
        session, "Input.dispatchMouseEvent", dict(params), cleanup=cleanup, discharges=tuple(discharges)
    )


def cancel_dragging(session: SessionId | None) -> Command[None]:
    """`Input.cancelDragging`: HTML's drag ends without a drop; where there is none, nothing does.

    Letting go of the button when the document that a drag began in has been replaced by another ends the
    whole browser, its other tabs too (Chromium 156, measured); after this it does not.
    """
    return tell(session, "Input.cancelDragging")


def enable_overlay(session: SessionId | None) -> Command[None]:
    """`Overlay.enable`: refused unless the DOM domain is on (measured)."""
    return tell(session, "Overlay.enable", cleanup=disable_overlay(session))


def disable_overlay(session: SessionId | None) -> Command[None]:
    """`Overlay.disable`: what it has drawn goes too."""
    return tell(session, "Overlay.disable")


def highlight_node(session: SessionId | None, object_id: str, config: Mapping[str, Any]) -> Command[None]:
    """`Overlay.highlightNode`: the browser draws over the page; the page does not see it."""
    return tell(session, "Overlay.highlightNode", {"objectId": object_id, "highlightConfig": dict(config)})
