"""Waiting for what the scripts of a new document have asked servers for: its content, in many applications.

Nothing is waited for where no such request is under way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.client.background_call import BackgroundCall
from hybridsnap.deadline import Deadline
from hybridsnap.injected import script

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hybridsnap.client.attachment import PageAttachment
    from hybridsnap.client.network import RequestTracker

#: What scripts have asked servers for, or a link's download, is waited for no longer than this: a page may
#: keep a request open for as long as it lives.
ANSWER_SECONDS = 0.5
#: A page that goes on changing is waited for no longer than this.
CHANGING_SECONDS = 0.25
_QUIET = script("quiet")


async def wait_for_first_answers(
    attachment: PageAttachment,
    requests: RequestTracker,
    since: float,
    until: Callable[[Callable[[], bool], Deadline], Awaitable[object]],
) -> None:
    """Wait until scripts have their answers and the page has drawn these, for half a second in all.

    Args:
        attachment: of the page.
        requests: the page's; it has listened since before the document came.
        since: when the navigation began (`time.monotonic`).
        until: waits for a condition, until a deadline or until something keeps the page from going on.
    """
    bound = Deadline.after(ANSWER_SECONDS)

    def answered() -> bool:
        return not (requests.asked_since(since) or requests.socket_asked_since(since))

    while not answered():
        await until(answered, bound)
        if not answered():
            return
        quiet = bound.earlier(Deadline.after(CHANGING_SECONDS))
        given = (None, 0, CHANGING_SECONDS * 1000, 0)
        question = BackgroundCall(
            attachment.root.session, attachment.root.root_frame, _QUIET, given, attachment.notify
        )
        try:
            await until(lambda: question.answered, quiet)  # noqa: B023 - called within this turn only
        finally:
            question.forget()
