"""What a tab shows: which document, and where its frames are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandError, SessionEnded

if TYPE_CHECKING:
    from hybridsnap.client.browser import Page
    from hybridsnap.client.connection import Session

#: So long a process may take to say which frames it has, seconds. One that is stuck hands nothing out.
_PATIENCE = 1.0
#: And so much of a request's budget.
_SHARE = 0.2


@dataclasses.dataclass(frozen=True, slots=True)
class Document:
    """A document that a tab shows.

    Attributes:
        url: where it is.
        loader_id: which it is; None where that is not known.
        unreachable_url: the address whose failure it reports, when it is the browser's error page.
    """

    url: str
    loader_id: str | None
    unreachable_url: str = ""


async def shown_documents(page: Page, deadline: Deadline) -> list[Document]:
    """The documents of all frames, the main one first.

    A process that does not answer (it is stuck, or a dialog is open) counts as the one frame that the browser
    knows it for, and as those whose dialogs are open.

    Raises:
        CommandError, ConnectionLost: not even the browser answers.
    """
    await page.browser.connection.stand(deadline)
    main = Document(page.url, None)
    documents = []
    for session in page.sessions:
        try:
            left = [await _frame_tree(session, deadline, is_held_up=bool(page.dialogs))]
        except SessionEnded:
            continue  # and its frames with it
        if session is page.sessions[0]:
            main = Document(page.url, left[0]["frame"].get("loaderId"))
        while left:
            tree = left.pop()
            frame = tree["frame"]
            failed = frame.get("unreachableUrl", "")
            documents.append(Document(str(frame["url"]), frame.get("loaderId"), failed))
            left += tree.get("childFrames", ())
    return [main, *documents, *dialog_documents(page)]


def dialog_documents(page: Page) -> list[Document]:
    """Those whose dialogs are open. Where only a dialog shows what a frame is, this tells it."""
    return [Document(dialog.url, None) for dialog in page.dialogs]


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
