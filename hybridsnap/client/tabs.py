"""The beginning and the end of a tab."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import trio

from hybridsnap.act.history_store import history_store
from hybridsnap.deadline import LOADING_SHARE, Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import CommandRefused, ConnectionLost, SessionEnded, TargetError

if TYPE_CHECKING:
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.client.tab_tracker import Tab

#: How long a closed tab may take to say so.
_CLOSE_SECONDS = 5.0
#: A tab that hangs takes half a second.
_CLOSE_AGAIN_SECONDS = 1.0
#: From the browser's word of a document to the page's own it takes some ms.
_HEARD_SECONDS = 2.0


async def wait_for_first_document(context: PageContext, tab: Tab, deadline: Deadline) -> None:
    """Wait until there is a document in this tab, which has just been opened, for 60 % of the time.

    Raises:
        TargetError: the tab was closed.
    """
    first = deadline.share(LOADING_SHARE)
    await context.browser.tabs.wait_until(lambda: bool(tab.url) or tab.closed, first)
    if tab.closed:
        raise TargetError(f"page {tab.target_id} was closed as soon as it was opened")
    # The page itself hears of it a little later than the browser.
    heard = first.earlier(Deadline.after(_HEARD_SECONDS))
    await context.attachment.wait_until(lambda: not tab.url or context.url == tab.url, heard)


async def close_tab(context: PageContext) -> None:
    """Close a tab, also when cancelled: `hybridsnap.Page.close`."""
    session = context.attachment.root.session
    history_store.forget(context.browser.endpoint, context.target_id)
    # Closing a tab over a frame's dialog brings Chromium 156 down, but for this (measured): the first where
    # another client has the Page domain on, the second where the dialog cannot be dismissed. One that has
    # just come may not have been heard of yet. Of one whose frame has gone, the first would bring it down;
    # the second would bring `chromium-headless-shell` down over a page's own dialog, if others heard of it.
    tracker = context.attachment.dialog_tracker
    if not tracker.orphans:
        session.post("Page.handleJavaScriptDialog", {"accept": False}, ignore_reply)
    if any(one.frame != context.attachment.root.root_frame for one in (*tracker.open, *tracker.orphans)):
        session.post("Page.disable", {}, ignore_reply)
    # What is asked while a document comes whose script hangs at once is lost (measured): ask again.
    with trio.move_on_after(_CLOSE_SECONDS, shield=True):
        closed = False
        while not closed:
            with contextlib.suppress(CommandRefused, SessionEnded, ConnectionLost):
                await context.connection.root.send("Target.closeTarget", {"targetId": context.target_id})
            closed = context.connection.lost or await context.attachment.wait_until(
                lambda: session.ended is not None, Deadline.after(_CLOSE_AGAIN_SECONDS)
            )
