"""Going to an address, and waiting for the document that comes of it.

What ends a navigation shows in these events (measured in Chromium 156). `Page.navigate` is answered when
there is a document, `Page.reload` and `Page.navigateToHistoryEntry` when they have begun::

    another document    frameStartedNavigating, frameNavigated, domContentEventFired, loadEventFired
    kept for going back frameStartedNavigating, frameStoppedLoading, frameNavigated (BackForwardCacheRestore)
    the same document   frameStartedNavigating, navigatedWithinDocument
    a frame only        the same, of that frame
    no document (204, a download, a beforeunload prompt that kept the page)
                        frameStartedNavigating, frameStoppedLoading
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from hybridsnap.client.network import DocumentStatus, NetworkQuiet
from hybridsnap.client.outside import check_address
from hybridsnap.client.page_core import DEFAULT_TIMEOUT, PageCore
from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandRefused, ConnectionLost, HybridsnapError, NavigationFailed
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hybridsnap.client.attachment import PageAttachment
    from hybridsnap.protocol.wire import Payload

#: What a navigation can be waited for.
Wait: TypeAlias = Literal["load", "domcontentloaded", "networkidle", "none"]
#: Of the time, how much attaching to frames may take before a navigation begins.
_ATTACHING_SHARE = 0.1
#: Of the time, how much is waited for the events of a navigation that may not be told.
_SILENT_SHARE = 0.3
#: What ends a navigation well, beside what was waited for.
_ELSEWISE = frozenset({"same-document", "frame"})


@dataclasses.dataclass(frozen=True, slots=True)
class Navigation:
    """What came of `Page.goto`, `Page.go_back`, `Page.go_forward` or `Page.reload`.

    Attributes:
        url: where the page is now.
        reached: whether what was waited for came in time.
        ended_by: what ended the waiting: the state itself, ``deadline``, ``dialog`` (one opened, or one with
            the question whether to leave was dismissed), ``crashed``, ``same-document`` (nothing was loaded),
            ``frame`` (only a frame went back or forward) or ``download`` (in a block of
            `Page.expect_download`).
        elapsed_ms: how long it took.
        status: the HTTP status that the document was answered with, such as 404; None where there is none
            (``file:``, ``data:``, ``about:``, the same document, one kept for going back), where it did not
            come in time, and where the connection is one page's own socket.
    """

    url: str
    reached: bool
    ended_by: str
    elapsed_ms: float
    status: int | None = None

    def __str__(self) -> str:
        answered = "" if self.status is None else f" (HTTP {self.status})"
        late = "" if self.reached or self.ended_by == "download" else f", not loaded: {self.ended_by}"
        return f"at {clean_text(self.url)}{answered}{late}"


class Journey:
    """One navigation of a page: begun, and waited for.

    Args:
        attachment: of the page.
        wait: for what.
        deadline: until when.
        started: when it was asked for, on the monotonic clock.

    Attributes:
        replies: to the command that began it; empty until it is answered.
        document: what it was answered with.
    """

    def __init__(self, attachment: PageAttachment, wait: Wait, deadline: Deadline, started: float) -> None:
        self._attachment = attachment
        self.wait: Wait = wait
        self.deadline = deadline
        self._started = started
        self._committed = attachment.main.committed
        self._crashes = attachment.crashes
        self._dialogs = attachment.dialog_book.count
        #: The browser closes them itself when it goes elsewhere.
        self._closing = {id(one) for one in attachment.dialogs if one.type != "beforeunload"}
        self._quiet: NetworkQuiet | None = NetworkQuiet(attachment) if wait == "networkidle" else None
        self.document: DocumentStatus = DocumentStatus(attachment)
        self._watching = contextlib.ExitStack()
        self.replies: list[Payload | HybridsnapError] = []

    async def begin(self, method: str, params: Mapping[str, Any]) -> str | None:
        """Send the command, and wait for its reply; what came in its way, if something did."""
        attachment = self._attachment

        def deliver(reply: Payload | HybridsnapError) -> None:
            self.replies.append(reply)
            attachment.pulse()

        session = attachment.root.session
        number = session.post(method, params, deliver)
        try:
            await self.until(lambda: bool(self.replies))
        finally:
            session.connection.forget(number)
        return None if self.replies else self.obstacle() or "deadline"

    async def until(self, reached: Callable[[], bool], *, within: Deadline | None = None) -> bool:
        """Wait for something, or for what prevents it; whether it came."""
        deadline = self.deadline
        if within is not None and within.at < deadline.at:
            deadline = within
        await self._attachment.wait_until(lambda: reached() or self.obstacle() is not None, deadline)
        return reached()

    @property
    def committed(self) -> bool:
        """Whether there is a new document."""
        return self._attachment.main.committed != self._committed

    @property
    def stayed(self) -> bool:
        """Whether the page was asked before it was left, and an armed answer kept it."""
        seen = self._attachment.dialog_book.since(self._dialogs)
        return any(one.dialog.type == "beforeunload" and one.accepted is False for one in seen)

    def obstacle(self) -> str | None:
        """What keeps the page from loading any further, if that is known.

        Raises:
            ConnectionLost, TargetDetached: there is no page any more that could load.
        """
        attachment = self._attachment
        session = attachment.root.session
        if self.stayed or any(id(one) not in self._closing for one in attachment.dialogs):
            return "dialog"
        if session.connection.lost:
            raise ConnectionLost("the connection to the browser was lost while the page was loading")
        if session.ended == "detached":
            raise session.error()
        return "crashed" if attachment.crashes > self._crashes else None

    async def loaded(self) -> str:
        """Wait until the new document has come as far as is waited for; what ended it."""
        if self.wait == "none":
            return self.wait

        def reached() -> bool:
            main = self._attachment.main
            return self.committed and (main.loaded if self.wait == "load" else main.content_loaded)

        arrived = await self.until(reached)
        if arrived and self._quiet is not None:
            arrived = await self._quiet.wait(self.deadline, self.obstacle)
        return self.wait if arrived else self.obstacle() or "deadline"

    def ended(self, by: str) -> Navigation:
        """What came of it."""
        elapsed_ms = (time.monotonic() - self._started) * 1000
        reached = by == self.wait or by in _ELSEWISE
        return Navigation(self._attachment.root.url, reached, by, elapsed_ms, self.document.status)

    def __enter__(self) -> Self:
        self._watching.enter_context(self.document.watch())
        if self._quiet is not None:
            self._watching.enter_context(self._quiet.watch())
        return self

    def __exit__(self, *_: object) -> None:
        self._watching.close()


class Navigating(PageCore):
    """The part of a page that goes places."""

    @property
    def status(self) -> int | None:
        """The HTTP status of the document that is there, such as 404, if `goto` or its like brought it.

        None for a document without one (``file:``, ``data:``), and for one that a click or script led to.
        """
        main = self._attachment.main
        return main.answer[1] if main.answer is not None and main.answer[0] == main.loader else None

    async def goto(
        self, url: str, *, wait: Wait = "load", timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> Navigation:
        """Go to an address, and wait for it. A dialog that is open is closed (but for a ``beforeunload``).

        Args:
            url: with a scheme: ``https://…``, ``file:///…``, ``about:blank``.
            wait: ``load``, ``domcontentloaded``, ``networkidle`` (500 ms without traffic) or ``none``
                (only until the browser has begun). Whatever comes first, it or the deadline, ends it;
                `Navigation.ended_by` says which.
            timeout: seconds.

        Returns:
            Where it led, and how: a page that a server answers with 404 or 500 is a page, and no error;
            `Navigation.status` says so.

        Raises:
            NavigationFailed: the address does not resolve, is refused, is no URL, is a script
                (``javascript:``) or for another program (``tel:``), or is a download that nobody expects.
            ValueError: `wait` is unknown, or `timeout` unusable.
        """
        if not isinstance(url, str):
            raise TypeError(f"url is a str, not {type(url).__name__}")
        check_wait(wait)
        deadline = Deadline.of(timeout)
        if not url.isascii() and url.encode(errors="replace").decode() != url:
            raise NavigationFailed(
                f"{url!r} is no URL: it is not valid Unicode", url=url, reason="surrogates"
            )
        check_address(url)
        attachment = self._attachment
        with await self._set_out(url, wait, deadline) as journey:
            obstacle = await journey.begin("Page.navigate", {"url": url})
            if obstacle is not None:
                return journey.ended(obstacle)
            began = self._read_navigated(url, journey)
            if began == "same-document":
                # The event that says so may come after the reply.
                attachment.root.url = attachment.root.url.partition("#")[0] + "".join(url.partition("#")[1:])
            return journey.ended(began or await journey.loaded())

    async def _set_out(self, url: str, wait: Wait, deadline: Deadline) -> Journey:
        """Begin a navigation, as far as it can be begun.

        Raises:
            NavigationFailed: the tab cannot be used any more.
        """
        started = time.monotonic()
        # A page that hangs does not answer, and can be left all the same.
        await self._attachment.settled(deadline.share(_ATTACHING_SHARE))
        if self._attachment.dialog_book.orphans:
            raise NavigationFailed(
                "the frame whose dialog was open is gone, and Chromium cannot go on with this tab: close it",
                url=url,
                reason="dialog of a removed frame",
            )
        if not self._attachment.root.attached:
            # It hung before we came: events of the document that comes now may be lost with it. Whoever asks
            # the document itself needs time for that.
            deadline = deadline.share(_SILENT_SHARE)
        return Journey(self._attachment, wait, deadline, started)

    def _read_navigated(self, url: str, journey: Journey) -> str | None:
        """What ended the navigation, if it brought no new document.

        Raises:
            HybridsnapError: it failed.
        """
        reply = journey.replies[0]
        if isinstance(reply, CommandRefused):
            words = "is no URL that the browser knows" if "invalid URL" in reply.reason else reply.reason
            raise NavigationFailed(f"{url} {words}", url=url, reason=reply.reason)
        if isinstance(reply, HybridsnapError):
            raise reply
        result: dict[str, Any] = reply.result(dict)
        reason = result.get("errorText", "")
        if reason and journey.stayed:
            return "dialog"
        if result.get("isDownload") and self.browser.downloads.expects(self.target_id):
            return "download"
        if reason:
            words = _NAVIGATION_ERRORS.get(reason, "could not be loaded")
            if journey.document.status is not None:
                words += f", with HTTP {journey.document.status}"
            raise NavigationFailed(f"{url} {words} ({reason})", url=url, reason=reason)
        return None if "loaderId" in result else "same-document"


def check_wait(wait: str) -> None:
    """See whether this is something that can be waited for.

    Raises:
        ValueError: it is not.
    """
    if wait not in get_args(Wait):
        raise ValueError(f"wait is one of {', '.join(get_args(Wait))}, not {wait!r}")


_NAVIGATION_ERRORS: dict[str, str] = {
    "net::ERR_NAME_NOT_RESOLVED": "does not resolve: no such host",
    "net::ERR_CONNECTION_REFUSED": "refuses the connection: nothing listens there",
    "net::ERR_CONNECTION_RESET": "broke the connection off",
    "net::ERR_EMPTY_RESPONSE": "closed the connection without an answer",
    "net::ERR_FILE_NOT_FOUND": "is no file",
    "net::ERR_ACCESS_DENIED": "may not be read",
    "net::ERR_ABORTED": "brought no document: a download, an empty answer, or the page left by itself",
    "net::ERR_HTTP_RESPONSE_CODE_FAILURE": "was answered with an error and nothing to show",
    "net::ERR_INVALID_RESPONSE": "was answered with nothing to show",
    "net::ERR_INTERNET_DISCONNECTED": "cannot be reached: there is no network",
    "net::ERR_UNKNOWN_URL_SCHEME": "has a scheme that the browser does not know",
    "net::ERR_INVALID_URL": "is no URL",
    "net::ERR_TOO_MANY_REDIRECTS": "redirects without end",
}
