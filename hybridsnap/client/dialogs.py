"""The dialogs a page opens, and answering them; `hybridsnap.client.dialog_tracker` has the facts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from hybridsnap.act.observer import Observer
from hybridsnap.argument_checks import check_bool, check_str, check_whole
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.client.dialog_tracker import NO_DIALOG, ORPHANED
from hybridsnap.client.settling import watch_events
from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandRefused, NoDialog
from hybridsnap.text import excerpt

if TYPE_CHECKING:
    from hybridsnap.client.attachment import PageAttachment
    from hybridsnap.client.dialog_tracker import ArmedAnswer, DialogTracker
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.model import Dialog

DialogType: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]
#: So much of a dialog's words stands in a message.
_SHOWN = 60
#: So long a page may take to go on after an answer, until it is left to itself.
_GOING_ON_SECONDS = 0.5


async def answer_dialog(context: PageContext, accept: bool, text: str | None, deadline: Deadline) -> Dialog:
    """Answer the dialog that is open, and let the page settle: `hybridsnap.Page.answer_dialog`."""
    _check_text(accept, text)
    answered_at = time.monotonic()
    with watch_events(context) as events:
        before = _departures(context.attachment)
        dialog = await _answer(context.attachment, accept, text, deadline)
        if dialog.type == "beforeunload" and accept:
            await _left(context.attachment, before, deadline)
        if dialog.type != "beforeunload" or accept:  # else nothing comes of it
            observer = Observer(NodeResolver(context.attachment.sessions(), context.history.ordinals))
            await events.settle(deadline, observer, acted_at=answered_at)
    return dialog


async def _answer(attachment: PageAttachment, accept: bool, text: str | None, deadline: Deadline) -> Dialog:
    tracker = attachment.dialog_tracker
    if not tracker.open:
        raise NoDialog(ORPHANED if tracker.orphans else _none_open(tracker))
    dialog = tracker.open[-1]  # Chromium closes the older ones
    if text is not None and dialog.type != "prompt":
        raise ValueError(f"text is for a prompt, and {_words(dialog)} is open")
    params: dict[str, object] = {"accept": accept}
    if accept and dialog.type == "prompt":
        params["promptText"] = dialog.default if text is None else text
    session = attachment.root.session
    try:
        await session.send("Page.handleJavaScriptDialog", params, deadline=deadline)
    except CommandRefused as error:
        if dialog not in tracker.open:
            raise NoDialog(f"{_words(dialog)} was closed before it could be answered") from error
        raise NoDialog(
            f"{_words(dialog)} cannot be answered: Chromium lost hold of it when it opened over another"
            " frame's dialog; go to another address, or close the tab"
        ) from error
    tracker.answered = dialog
    await attachment.wait_until(lambda: all(one is not dialog for one in tracker.open), deadline)
    if dialog.type != "beforeunload":  # what comes of that is a navigation, and no script that goes on
        await _gone_on(attachment, dialog, deadline)
    return dialog


def _none_open(tracker: DialogTracker) -> str:
    """What is said where none is open: another client of the tab may have answered the last one.

    Without its words: they may be those of a page that must not be shown.
    """
    for last in tracker.since(tracker.count - 1):
        if last.closed_at is not None:
            did, ago = "accepted" if last.accepted else "dismissed", max(time.time() - last.closed_at, 0)
            by = ", maybe by another client"
            if last.armed or last.dialog is tracker.answered:
                by = " by an answer that was armed" if last.armed else " by an answer given here"
            how = f"was {did} {ago:.0f} s ago{by}"
            return f"{NO_DIALOG}; the last ({last.dialog.type}) {how}"
    return NO_DIALOG


async def _gone_on(attachment: PageAttachment, dialog: Dialog, deadline: Deadline) -> None:
    """Wait until the script behind an answered dialog is over or has opened another, for a short while.

    Chromium does not evaluate anything in between: an answer to that says that the script is over.
    """
    session = next((one.session for one in attachment if dialog.frame in one.frames), attachment.root.session)
    crashes = attachment.crashes
    with attachment.asking([session], "Runtime.evaluate", {"expression": "0"}) as replies:
        await attachment.wait_until(
            lambda: bool(replies or attachment.dialogs) or attachment.crashes > crashes,
            deadline.earlier(Deadline.after(_GOING_ON_SECONDS)),
        )


def _departures(attachment: PageAttachment) -> tuple[int, int]:
    """How many navigations have begun, and how many documents come."""
    return attachment.departures, attachment.main.committed


async def _left(attachment: PageAttachment, before: tuple[int, int], deadline: Deadline) -> None:
    """Wait for the document of the navigation that the question whether to leave has held back.

    One that a command has begun is on its way since before the question; one that the page has begun goes
    on its way now. A download, and an answer without content, end it without a document.
    """

    def obstructed() -> bool:
        return bool(attachment.dialogs) or attachment.root.session.ended is not None

    def goes() -> bool:
        return attachment.main.navigating or _departures(attachment) != before

    def arrived() -> bool:
        return attachment.main.content_loaded and not attachment.main.navigating

    within = deadline.earlier(Deadline.after(_GOING_ON_SECONDS))
    await attachment.wait_until(lambda: goes() or obstructed(), within)
    if goes():
        await attachment.wait_until(lambda: arrived() or obstructed(), deadline)


def arm_dialog(
    attachment: PageAttachment, accept: bool, text: str | None, times: int | None, only: DialogType | None
) -> ArmedAnswer:
    """Keep an answer ready for the next dialog: `hybridsnap.Page.arm_dialog`."""
    _check_text(accept, text)
    check_whole("times", times, 1, optional=True)
    if only is not None and only not in get_args(DialogType):
        raise ValueError(f"only is one of {', '.join(get_args(DialogType))}, not {only!r}")
    if text is not None and only not in {None, "prompt"}:
        raise ValueError(f"text is for prompts, and {only} has no field")
    return attachment.dialog_tracker.arm(accept, text, times, only)


def _check_text(accept: bool, text: str | None) -> None:
    check_bool("accept", accept)
    check_str("text", text, "Ada", optional=True)
    if text is not None and not accept:
        raise ValueError("a dialog that is dismissed takes no text")


def _words(dialog: Dialog) -> str:
    said = excerpt(dialog.message, _SHOWN)
    return f'the {dialog.type} "{said}"' if said else f"the {dialog.type} prompt"
