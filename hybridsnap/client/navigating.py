"""Going to an address, and waiting for its document.

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
import math
import time
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

import trio

from hybridsnap.client.dialog_tracker import ORPHANED
from hybridsnap.client.external_protocols import check_address, no_url
from hybridsnap.client.first_answers import wait_for_first_answers
from hybridsnap.client.network import RequestTracker
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    HybridsnapError,
    NavigationFailed,
    TargetCrashed,
)
from hybridsnap.render.report import KEPT, SILENT_SINCE
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hybridsnap.client.attachment import AttachedSession, PageAttachment
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.protocol.codec import Payload

#: What a navigation can be waited for.
Wait: TypeAlias = Literal["settled", "load", "domcontentloaded", "networkidle", "none"]
#: So many hosts are named in words.
_HOSTS = 3
#: Of the time, how much attaching to frames may take before a navigation begins.
_ATTACHING_SHARE = 0.1
#: Of the time, how much is waited for the events of a navigation that may not be told.
_SILENT_SHARE = 0.3
#: A parsed document counts as settled when nothing moved for so many seconds; and how often that is asked.
_STILL_SECONDS, _STILL_STEP = 1.0, 0.25
#: The same for one whose parser waits (a script's server does not answer), and for one of which no request is
#: seen to be under way though its load event has not come (a process that starts; a page's own socket).
_SILENT_SECONDS = 4.0
#: Before a navigation begins, the page's process confirms that its requests are reported: if the new document
#: is in another process and comes first, its first requests are not (measured on a busy machine: 4 of 192).
#: A page that hangs does not answer: it is waited for so many seconds, and this share of the time.
_CONFIRMING_SECONDS, _CONFIRMING_SHARE = 1.0, 0.1
#: An answer is there, and so is its document, if no script of the one before keeps it, in far less than this.
_COMMITTING_SECONDS = 1.0
#: How often a navigation is begun that the browser drops together with a crashed renderer: on a busy machine
#: it drops the next one, too (3 of 100, measured in Chromium 156).
_ATTEMPTS = 3
#: How often an idle network is looked for.
_IDLE_STEP = 0.05
#: What the browser calls a navigation that brought no document.
_ABORTED = "net::ERR_ABORTED"
#: HTTP statuses that are sent without a document.
_EMPTY = frozenset({204, 205})
#: What ends a navigation well, beside what was waited for.
_ELSEWISE = frozenset({"same-document", "frame"})


@dataclasses.dataclass(frozen=True, slots=True)
class Navigation:
    """The result of `Page.goto`, `Page.go_back`, `Page.go_forward` or `Page.reload`.

    Attributes:
        url: where the page is now.
        reached: whether what was waited for came in time.
        ended_by: what ended the waiting: the state itself (``load`` where ``settled`` was waited for and the
            load event came), ``deadline``, ``busy`` (an answer came, and a script of the document before
            kept the tab until the deadline), ``traffic`` (``networkidle`` was waited for: the document was
            parsed, and requests went on until the deadline), ``dialog`` (one opened, or one with the
            question whether to leave was dismissed), ``crashed``, ``same-document`` (nothing was loaded),
            ``frame`` (only a frame went back or forward) or ``download`` (in a block of
            `Page.expect_download`).
        elapsed_ms: how long it took.
        status: the HTTP status that the document was answered with, such as 404; None where there is none
            (``file:``, ``data:``, ``about:``, the same document, one kept for going back), where it did not
            come in time, and where the connection is one page's own socket.
        under_way: host → how many requests to it had not ended when ``settled`` was reached without the
            ``load`` event, or when ``traffic`` ended the waiting.
    """

    url: str
    reached: bool
    ended_by: str
    elapsed_ms: float
    status: int | None = None
    under_way: Mapping[str, int] = dataclasses.field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        answered = "" if self.status is None else f" (HTTP {self.status})"
        late = "" if self.arrived else f", not loaded: {KEPT if self.ended_by == 'busy' else self.ended_by}"
        return f"at {clean_text(self.url)}{answered}{late}{self.pending}"

    @property
    def arrived(self) -> bool:
        """Whether the page came to rest at its destination, or is a download, which has no page to wait for.

        When this is False, `ended_by` says why: ``deadline``, ``busy``, ``dialog`` or ``crashed``.
        """
        return self.reached or self.ended_by in {"download", "traffic"}

    @property
    def pending(self) -> str:
        """What was under way, in words that go on a sentence; empty when nothing was."""
        busy = f", the network was not idle within {self.elapsed_ms / 1000:.1f} s"
        loading = f", still loading: {count_requests(self.under_way)}" if self.under_way else ""
        return (busy if self.ended_by == "traffic" else "") + loading


def count_requests(under_way: Mapping[str, int]) -> str:
    """Requests by host in words: ``3 requests (ads.example, cdn.example)``."""
    hosts = ", ".join(clean_text(host) for host in list(under_way)[:_HOSTS])
    hosts += ", …" if len(under_way) > _HOSTS else ""
    count = sum(under_way.values())
    return f"{count} request{'s' if count > 1 else ''} ({hosts})"


class NavigationWaiter:
    """One navigation of a page: begun, and waited for.

    Args:
        attachment: of the page.
        wait: for what.
        deadline: until when.
        started: when it was asked for, on the monotonic clock.

    Attributes:
        reply: to the command that began it; None until it is answered.
        status: the HTTP status that the last document was answered with; None before an answer came.
        loader: of the new document, where the reply tells it.
    """

    def __init__(self, attachment: PageAttachment, wait: Wait, deadline: Deadline, started: float) -> None:
        self._attachment = attachment
        self.wait: Wait = wait
        self.deadline = deadline
        self._started = started
        self._committed = attachment.main.committed
        #: The crashes that this brings the page back from, and whether there is one.
        self._crashes = attachment.crashes
        self._had_crashed = attachment.root.session.ended == "crashed"
        self._drops = attachment.root.session.connection.drops
        self._dialogs = attachment.dialog_tracker.count
        #: They are closed when the page goes elsewhere.
        self._closing = {id(one) for one in attachment.dialogs if one.type != "beforeunload"}
        # The Network domain of a page's own socket is the caller's: no default switches it off there.
        self._requests = RequestTracker(attachment, own_socket=wait == "networkidle")
        self.status: int | None = None
        #: When the document was answered, on the monotonic clock.
        self.answered_at: float = math.inf
        self._watching = contextlib.ExitStack()
        self.reply: Payload | HybridsnapError | None = None
        self.loader: str | None = None

    async def begin(self, method: str, params: Mapping[str, Any]) -> str | None:
        """Send the command, and wait for its reply; what prevented it, if anything did."""
        attachment = self._attachment
        if attachment.traffic_listeners:
            within = self.deadline.share(_CONFIRMING_SHARE).earlier(Deadline.after(_CONFIRMING_SECONDS))
            await self.until(lambda: attachment.traffic_enabled, within=within)
        session = attachment.root.session
        dismisses = bool(self._closing) and not await self._closes_dialogs()
        self._had_crashed = self._had_crashed or attachment.crashes > self._crashes
        self._crashes = attachment.crashes
        with attachment.asking([session], method, params) as replies:
            if dismisses:  # behind the navigation, so that the script that goes on then is not waited for
                session.post("Page.handleJavaScriptDialog", {"accept": False}, ignore_reply)
            await self.until(lambda: bool(replies))
        self.reply = replies.get(session)
        return None if replies else self.obstacle() or "deadline"

    async def _closes_dialogs(self) -> bool:
        """Whether the browser closes dialogs as it goes elsewhere: `chromium-headless-shell` does not."""
        return not (await self._ask_browser()).startswith("HeadlessChrome/")

    async def _ask_browser(self) -> str:
        """The name of the browser, which answers whatever the page does; empty where it gives none."""
        with contextlib.suppress(CommandRefused, CommandUnanswered, TargetCrashed):
            session = self._attachment.root.session
            version = await session.send("Browser.getVersion", deadline=self.deadline)
            return str(version["product"])
        return ""

    async def until(self, reached: Callable[[], bool], *, within: Deadline | None = None) -> bool:
        """Wait for something, or for what prevents it; whether it came."""
        deadline = self.deadline if within is None else self.deadline.earlier(within)
        await self._attachment.wait_until(lambda: reached() or self.obstacle() is not None, deadline)
        return reached()

    @property
    def committed(self) -> bool:
        """Whether there is a new document."""
        main = self._attachment.main
        return main.committed != self._committed or (self.loader is not None and main.loader == self.loader)

    def expect(self, loader: str) -> None:
        """Wait for this document: the browser tells which it is before it commits (measured).

        What has come until now was asked for before, as by an attempt that was taken for dropped in a crash.
        """
        self.loader = loader
        self._committed = self._attachment.main.committed

    async def was_dropped_by_crash(self) -> bool:
        """Whether the browser has dropped the navigation with a renderer that crashed.

        A download and an empty answer end so, too. The browser may tell of the crash behind its reply.
        """
        if isinstance(self.reply, TargetCrashed):
            return True
        if self.reply is None or isinstance(self.reply, HybridsnapError):
            return False
        result = self.reply.result(dict)
        if result.get("errorText") != _ABORTED or result.get("isDownload") or self.status in _EMPTY:
            return False
        if not self._had_crashed:
            await self._ask_browser()
        return self._had_crashed or self._attachment.crashes > self._crashes

    def outlived_crash(self) -> bool:
        """Whether the document came all the same: the crash was heard of behind the command."""
        if not self.committed or self._attachment.root.session.ended is not None:
            return False
        self._crashes = self._attachment.crashes
        return True

    @property
    def stayed(self) -> bool:
        """Whether the page was asked before it was left, and an armed answer kept it."""
        seen = self._attachment.dialog_tracker.since(self._dialogs)
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
        session.connection.check(self._drops, "while the page was loading", may_have_been_executed=True)
        if session.ended == "detached":
            raise session.error()
        return "crashed" if attachment.crashes > self._crashes else None

    async def loaded(self) -> str:
        """Wait until the new document has come as far as is waited for; what ended it."""
        if self.wait == "none":
            return self.wait
        if self.wait == "settled":
            return await self._settled()

        def reached() -> bool:
            main = self._attachment.main
            return self.committed and (main.loaded if self.wait == "load" else main.content_loaded)

        arrived = await self.until(reached)
        if arrived and self.wait == "networkidle" and not await self._idle():
            return self.obstacle() or "traffic"
        return self.wait if arrived else self.obstacle() or "deadline"

    async def _idle(self) -> bool:
        """Wait until there is no traffic; that comes with time, not with an event."""
        while not await self.until(lambda: self._requests.idle, within=Deadline.after(_IDLE_STEP)):
            if self.obstacle() is not None or self.deadline.expired:
                return False
        return True

    async def _settled(self) -> str:
        """Wait for ``load``, or until the document and its requests have not moved for long enough."""
        attachment = self._attachment

        def loaded() -> bool:
            return self.committed and attachment.main.loaded

        await self.until(lambda: self.committed)
        movement = _Movement(attachment, self._requests)
        try:
            while not await self.until(loaded, within=Deadline.after(_STILL_STEP)):
                if self.obstacle() is not None or self.deadline.expired:
                    return self.obstacle() or "deadline"
                under_way = self._requests.under_way
                parsed = attachment.main.content_loaded
                needed = _STILL_SECONDS if parsed and under_way else _SILENT_SECONDS
                if (parsed or under_way) and movement.still_seconds >= needed:
                    attachment.main.under_way = under_way
                    return self.wait
                movement.ask()
        finally:
            movement.forget()
        await wait_for_first_answers(
            attachment,
            self._requests,
            self._started,
            lambda reached, until: self.until(reached, within=until),
        )
        return self.obstacle() or "load"

    def ended(self, by: str) -> Navigation:
        """The result."""
        now, main = time.monotonic(), self._attachment.main
        elapsed_ms = (now - self._started) * 1000
        waited = now - self.answered_at
        if by == "deadline" and main.navigating and not self.committed and waited > _COMMITTING_SECONDS:
            main.kept, by = True, "busy"
        reached = by == self.wait or by in _ELSEWISE or (by == "load" and self.wait == "settled")
        under_way = main.under_way if by == "settled" else None
        if by == "traffic":
            under_way = self._requests.under_way
        return Navigation(self._attachment.root.url, reached, by, elapsed_ms, self.status, under_way or {})

    def _hear_status(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        """Take the HTTP status of the main document from its response.

        The response is reported before the document commits, with the loader id that the document will have,
        even if it moves to another process; images and files that are shown as documents have one too. The
        status 200 of ``file:`` and ``data:`` means nothing. (Measured in Chromium 156.)
        """
        if method != "Network.responseReceived" or one is not self._attachment.root:
            return
        response = params["response"]
        is_document = params["requestId"] == params["loaderId"] and params.get("frameId") == one.root_frame
        if is_document and response["url"].startswith(("http://", "https://")):
            self.status, self.answered_at = response["status"], time.monotonic()
            self._attachment.main.answer = params["loaderId"], response["status"]

    def __enter__(self) -> Self:
        self._watching.enter_context(self._requests.watch())
        if self._attachment.root.session.id is not None:
            self._watching.enter_context(self._attachment.listening(self._hear_status))
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._watching.close()
        if kind is not None and issubclass(kind, trio.Cancelled):
            # The document is no longer awaited: what has not come yet is not wanted.
            self._attachment.root.session.post("Page.stopLoading", {}, ignore_reply)


class _Movement:
    """Whether a document's nodes come and go, and its requests: asked again and again, without a script.

    A page that does not answer is busy, and is not still. Answers are counted, not seconds: where this
    process has no time to hear of movement, it has none to count, either.
    """

    def __init__(self, attachment: PageAttachment, requests: RequestTracker) -> None:
        self._attachment = attachment
        self._requests = requests
        self._open: int | None = None
        self._state: object = None
        self._unchanged = 0

    @property
    def still_seconds(self) -> float:
        """How long nothing has moved, if it is asked every `_STILL_STEP`."""
        return self._unchanged * _STILL_STEP

    def ask(self) -> None:
        """Ask, unless an answer is being waited for."""
        if self._open is None:
            session = self._attachment.root.session
            self._open = session.post("Memory.getDOMCounters", {}, self._told)

    def forget(self) -> None:
        """The answer is no longer awaited."""
        if self._open is not None:
            self._attachment.root.session.connection.forget(self._open)

    def _told(self, reply: Payload | HybridsnapError) -> None:
        self._open = None
        nodes = None if isinstance(reply, HybridsnapError) else reply.result(dict).get("nodes")
        state = nodes, self._requests.moved_at
        self._unchanged = self._unchanged + 1 if state == self._state else 0
        self._state = state
        self._attachment.notify()


class Navigator:
    """The part of a page that goes places."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._attachment = context.attachment

    async def goto(self, url: str, wait: Wait, deadline: Deadline) -> Navigation:
        """Go to an address, and wait for it: `hybridsnap.Page.goto`."""
        if not isinstance(url, str):
            raise TypeError(f"url is a str, not {type(url).__name__}")
        check_wait(wait)
        if not url.isascii() and url.encode(errors="replace").decode() != url:
            raise NavigationFailed(
                f"{url!r} is not a URL: it is not valid Unicode", url=url, reason="surrogates"
            )
        check_address(url)
        attachment = self._attachment
        attempts = 0
        while True:
            attempts += 1
            with await self.prepare(url, wait, deadline) as waiter:
                silent = not attachment.root.attached
                if not url.lower().startswith(("http:", "https:")):  # no server has to answer
                    waiter.answered_at = time.monotonic()
                ended = await waiter.begin("Page.navigate", {"url": url})
                if await waiter.was_dropped_by_crash():
                    ended = await waiter.loaded() if waiter.outlived_crash() else "crashed"
                elif ended is None:
                    ended = self._read_navigated(url, waiter)
                    if ended == "same-document":
                        # The event that says so may come after the reply.
                        attachment.root.url = attachment.root.url.partition("#")[0] + "".join(
                            url.partition("#")[1:]
                        )
                    ended = ended or await waiter.loaded()
                if ended == "crashed" and not waiter.committed and attempts < _ATTEMPTS:
                    continue
                if silent and ended == "deadline" and not waiter.committed:
                    # Which of the two it is nothing tells by now: with a navigation under way the browser
                    # drops the input of a page in a loop, too, by which a dialog is known otherwise.
                    raise NavigationFailed(
                        f"{url} was not reached in time; the page before it may keep the tab: {SILENT_SINCE};"
                        " close the tab, and open another",
                        url=url,
                        reason="silent",
                    )
                return waiter.ended(ended)

    async def prepare(self, url: str, wait: Wait, deadline: Deadline) -> NavigationWaiter:
        """Begin a navigation, as far as it can be begun.

        Raises:
            NavigationFailed: the tab cannot be used any more.
        """
        started = time.monotonic()
        # A page that hangs does not answer, and can be left all the same.
        await self._attachment.settled(deadline, _ATTACHING_SHARE)
        if self._attachment.dialog_tracker.orphans:
            raise NavigationFailed(
                ORPHANED,
                url=url,
                reason="dialog of a removed frame",
            )
        try:
            await self._attachment.refuse_kept(deadline)
        except CommandUnanswered as error:
            raise NavigationFailed(str(error), url=url, reason="busy") from None
        if not self._attachment.root.attached:
            # It hung before we came: events of the document that comes now are lost with it. Whoever asks the
            # document itself needs time for that.
            self._attachment.ask_how_far()
            deadline = deadline.share(_SILENT_SHARE)
        return NavigationWaiter(self._attachment, wait, deadline, started)

    def _read_navigated(self, url: str, waiter: NavigationWaiter) -> str | None:
        """What ended the navigation, if it brought no new document.

        Raises:
            HybridsnapError: it failed.
        """
        reply = waiter.reply
        if isinstance(reply, CommandRefused):
            words = no_url(url) if "invalid URL" in reply.reason else f"{url} {reply.reason}"
            raise NavigationFailed(words, url=url, reason=reply.reason)
        if isinstance(reply, HybridsnapError):
            raise reply
        assert reply is not None, "`NavigationWaiter.begin` told what prevented it"
        result: dict[str, Any] = reply.result(dict)
        reason = result.get("errorText", "")
        if reason and waiter.stayed:
            return "dialog"
        if result.get("isDownload") and self._context.browser.downloads.expects(self._context.target_id):
            return "download"
        if reason:
            words = _NAVIGATION_ERRORS.get(reason, "could not be loaded")
            if waiter.status is not None:
                words += f", with HTTP {waiter.status}"
            raise NavigationFailed(f"{url} {words} ({reason})", url=url, reason=reason)
        if (loader := result.get("loaderId")) is None:
            return "same-document"
        waiter.expect(loader)
        return None


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
    "net::ERR_FILE_NOT_FOUND": "is not a file",
    "net::ERR_ACCESS_DENIED": "may not be read",
    _ABORTED: "brought no document: a download, an empty answer, or the page left by itself",
    "net::ERR_HTTP_RESPONSE_CODE_FAILURE": "was answered with an error and nothing to show",
    "net::ERR_INVALID_RESPONSE": "was answered with nothing to show",
    "net::ERR_UNSAFE_PORT": "has a port that browsers never connect to",
    "net::ERR_INTERNET_DISCONNECTED": "cannot be reached: there is no network",
    "net::ERR_UNKNOWN_URL_SCHEME": "has a scheme that the browser does not know",
    "net::ERR_INVALID_URL": "is not a URL that the browser knows",
    "net::ERR_TOO_MANY_REDIRECTS": "redirects without end",
}
