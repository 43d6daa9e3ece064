"""What a tab shows: which document, and where its frames are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandError, SessionEnded

if TYPE_CHECKING:
    from hybridsnap.client.connection import Session
    from hybridsnap.client.page import Page

#: So long a process may take to say which frames it has, seconds. One that is stuck hands nothing out.
_PATIENCE = 1.0
#: And so much of a request's budget.
_SHARE = 0.2


async def shown_frames(page: Page, deadline: Deadline) -> tuple[str | None, list[str]]:
    """The main document's loader id, and where all frames are, the main one first.

    A process that does not answer (it is stuck, or a dialog is open) counts as the one frame that the browser
    knows it for, and a document in it as None.
    """
    document: str | None = None
    urls = [page.url]
    for session in page.sessions:
        try:
            left = [await _frame_tree(session, deadline, is_held_up=bool(page.dialogs))]
        except SessionEnded:
            continue  # and its frames with it
        if session is page.sessions[0]:
            document = left[0]["frame"].get("loaderId")
        while left:
            tree = left.pop()
            urls.append(str(tree["frame"]["url"]))
            left += tree.get("childFrames", ())
    return document, urls


async def _frame_tree(session: Session, deadline: Deadline, *, is_held_up: bool) -> dict[str, Any]:
    """The frames of one process, as CDP has them."""
    if not is_held_up:
        patience = Deadline.after(_PATIENCE).earlier(deadline.share(_SHARE))
        try:
            return dict((await session.send("Page.getFrameTree", deadline=patience))["frameTree"])
        except CommandError:
            pass
    info = await session.send("Target.getTargetInfo", deadline=deadline)  # asked of the browser itself
    return {"frame": {"url": info["targetInfo"]["url"]}}
