"""One page: go somewhere, take a snapshot, talk to it in raw protocol."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import msgspec
import trio

from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.paths import parse_element_id
from hybridsnap.capture.pointing import find_active_element, find_element_at
from hybridsnap.client.memory import memory
from hybridsnap.client.network import NetworkQuiet
from hybridsnap.client.page_core import DEFAULT_TIMEOUT, PageCore
from hybridsnap.client.settling import Settling
from hybridsnap.deadline import LOADING_SHARE, Deadline
from hybridsnap.drivers.base import ignore_reply, run
from hybridsnap.errors import (
    CommandRefused,
    ConnectionLost,
    HybridsnapError,
    NavigationFailed,
    SelectorError,
    SessionEnded,
    UnknownElement,
)
from hybridsnap.model import CaptureOptions
from hybridsnap.render.report import shorten_url
from hybridsnap.render.role import number_refs
from hybridsnap.snapshot import build_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.pointing import FoundElement
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.wire import Payload
    from hybridsnap.snapshot import Snapshot

#: What `Page.goto` can wait for.
Wait: TypeAlias = Literal["load", "domcontentloaded", "networkidle", "none"]
#: How long a closed tab may take to say so.
_CLOSE_SECONDS = 5.0


@dataclasses.dataclass(frozen=True, slots=True)
class Navigation:
    """What came of `Page.goto`.

    Attributes:
        url: where the page is now.
        reached: whether what was waited for came in time.
        ended_by: what ended the waiting: the state itself, ``deadline``, ``dialog``, ``crashed`` or
            ``same-document`` (nothing was loaded).
        elapsed_ms: how long it took.
    """

    url: str
    reached: bool
    ended_by: str
    elapsed_ms: float


class Page(Settling, PageCore):
    """A tab. `Browser.new_page` and `Browser.page` make it."""

    async def goto(
        self, url: str, *, wait: Wait = "load", timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> Navigation:
        """Go to an address, and wait for it.

        Args:
            url: with a scheme: ``https://…``, ``file:///…``, ``about:blank``.
            wait: ``load``, ``domcontentloaded``, ``networkidle`` (500 ms without traffic) or ``none``
                (only until the browser has begun). Whatever comes first, it or the deadline, ends it;
                `Navigation.ended_by` says which.
            timeout: seconds.

        Raises:
            NavigationFailed: the address does not resolve, is refused, is no URL, or is a download.
            ValueError: `wait` is unknown, or `timeout` unusable.
        """
        if not isinstance(url, str):
            raise TypeError(f"url is a str, not {type(url).__name__}")
        if wait not in get_args(Wait):
            raise ValueError(f"wait is one of {', '.join(get_args(Wait))}, not {wait!r}")
        deadline = Deadline.of(timeout)
        if not url.isascii() and url.encode(errors="replace").decode() != url:
            raise NavigationFailed(
                f"{url!r} is no URL: it is not valid Unicode", url=url, reason="surrogates"
            )
        started = time.monotonic()
        await self._attachment.settled(deadline)
        if wait == "networkidle":
            with NetworkQuiet(self._attachment).watch() as quiet:
                ended_by = await self._navigate(url, wait, deadline, quiet)
        else:
            ended_by = await self._navigate(url, wait, deadline, None)
        return Navigation(
            self.url, ended_by in (wait, "same-document"), ended_by, (time.monotonic() - started) * 1000
        )

    async def _navigate(self, url: str, wait: Wait, deadline: Deadline, quiet: NetworkQuiet | None) -> str:
        """Go there; what ended the waiting."""
        attachment = self._attachment
        before = attachment.main.committed
        replies: list[Payload | HybridsnapError] = []

        def deliver(reply: Payload | HybridsnapError) -> None:
            replies.append(reply)
            attachment.pulse()

        obstacle = functools.partial(self._obstacle, attachment.crashes)

        def reached() -> bool:
            main = attachment.main
            return main.committed != before and (main.loaded if wait == "load" else main.content_loaded)

        number = attachment.root.session.post("Page.navigate", {"url": url}, deliver)
        try:
            await attachment.wait_until(lambda: bool(replies) or obstacle() is not None, deadline)
        finally:
            self._connection.forget(number)
        if not replies:
            return obstacle() or "deadline"
        document_loads = _read_navigated(url, replies[0])
        if not document_loads:
            # The event that says so may come after the reply.
            attachment.root.url = attachment.root.url.partition("#")[0] + "".join(url.partition("#")[1:])
        if wait == "none" or not document_loads:
            return wait if document_loads else "same-document"
        await attachment.wait_until(lambda: reached() or obstacle() is not None, deadline)
        if quiet is not None and reached() and not await quiet.wait(deadline, obstacle):
            return obstacle() or "deadline"
        return wait if reached() else obstacle() or "deadline"

    def _obstacle(self, crashes_before: int) -> str | None:
        """What keeps the page from loading any further, if that is known.

        Raises:
            ConnectionLost, TargetDetached: there is no page any more that could load.
        """
        session = self._attachment.root.session
        if self._attachment.dialogs:
            return "dialog"
        if self._connection.lost:
            raise ConnectionLost("the connection to the browser was lost while the page was loading")
        if session.ended == "detached":
            raise session.error()
        return "crashed" if self._attachment.crashes > crashes_before else None

    async def snapshot(
        self,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        pierce_shadow: bool = True,
        include_iframes: bool = True,
        focus: str | None = None,
        focus_nth: int = 0,
        focus_missing: Literal["error", "full"] = "error",
        ignore: str | Sequence[str] = (),
        layout: bool = False,
        screenshot: bool = False,
    ) -> Snapshot:
        """Capture the page: every frame's DOM and accessibility tree, as one outline with maps.

        Args:
            timeout: seconds until it is back, with what there is by then.
            pierce_shadow: False leaves out what stands in author shadow roots.
            include_iframes: False captures the main frame only.
            focus: capture only the subtree of what this matches: an element id, an XPath or a CSS selector,
                with ``>>`` into iframes and shadow roots (`hybridsnap.capture.selectors` has the language).
                Ids and XPaths are those of the whole page.
            focus_nth: which of its matches, from 0.
            focus_missing: ``full`` captures the whole page when nothing matches, and says so in the report's
                notes; ``error`` raises.
            ignore: selectors; the subtrees of all they match are left out, with the frames in them. One that
                matches nothing is a note in the report.
            layout: where everything stands (`Snapshot.layout`); rows are marked ``clickable`` (by script
                only), ``offscreen`` and ``covered by 0-77`` (what a click in the middle would reach instead).
            screenshot: of the viewport, as PNG (`Snapshot.screenshot`).

        Returns:
            The snapshot; ``snapshot.report`` says what it lacks.

        Raises:
            CaptureFailed: not even the main frame could be read; `DeadlineExceeded` when time was the
                reason. The error carries the report.
            SelectorError: `focus` matches nothing, or a selector is malformed.
            ConnectionLost: the browser is gone.
        """
        deadline = Deadline.of(timeout)
        if focus_missing not in ("error", "full"):
            raise ValueError(f"focus_missing is error or full, not {focus_missing!r}")
        options = CaptureOptions(
            pierce_shadow=pierce_shadow,
            include_iframes=include_iframes,
            focus=focus,
            focus_nth=focus_nth,
            focus_missing=focus_missing,
            ignore=(ignore,) if isinstance(ignore, str) else tuple(ignore),
            layout=layout,
            screenshot=screenshot,
        )
        started = time.monotonic()
        await self._attachment.settled(deadline.share(0.5))
        capture = await self._capture(options, deadline)
        if self._connection.lost and capture.frames[0].cause != "too_large":
            raise ConnectionLost("the connection to the browser was lost during the capture")
        if capture.frames[0].cause == "detached":
            raise self._attachment.root.session.error()
        finished = self._attachment.sessions()
        capture.notes += [
            f"a dialog is open ({dialog.type}, {shorten_url(dialog.url)}): {dialog.message}"
            for dialog in self._attachment.dialogs
        ]
        _drop_finished_loading(capture, {frame for info in finished for frame in info.loading})
        elapsed_ms = (time.monotonic() - started) * 1000
        snapshot = build_snapshot(capture, transport=self._driver.name, elapsed_ms=elapsed_ms)
        self._remember(snapshot, focus)
        return snapshot

    def _remember(self, snapshot: Snapshot, focus: str | None) -> None:
        """Take a snapshot's ids as shown, and the refs that it will be rendered with."""
        bindings = self._bindings
        bindings.show(snapshot.content, focus=focus)
        snapshot.on_rendering = functools.partial(bindings.note_rendering, snapshot.report, focus=focus)

    def recall(self, snapshot: Snapshot) -> None:
        """Take a snapshot of this very page as shown, for instance one that another process took and saved.

        Its ids, and the refs of a role rendering of it, can be acted on like those of this page's own
        snapshots: what they stood for is held against the page first.

        Args:
            snapshot: as `Snapshot.from_json` reads it.

        Raises:
            ValueError: it is of another page, or numbers the frames otherwise than they are numbered here.
        """
        report = snapshot.report
        if report.frames[0].frame_id != self._attachment.root.root_frame:
            raise ValueError(
                f"snapshot {report.snapshot_id} is not of page {self.target_id}: it shows {report.url}"
            )
        bindings = self._bindings
        bindings.adopt(report)
        self._remember(snapshot, None)
        bindings.note_refs(report, number_refs(snapshot.rows))

    async def expand(self, element_id: str, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> Snapshot:
        """Capture one element of the page, as it is now, with all that is below it.

        Args:
            element_id: of an earlier snapshot.
            timeout: seconds.

        Raises:
            UnknownElement: the page has no such element (any more).
        """
        try:
            parse_element_id(element_id)
        except KeyError:
            raise UnknownElement(
                f"{element_id!r} is no element id; ids look like 0-29", element_id=element_id
            ) from None
        try:
            return await self.snapshot(focus=element_id, timeout=timeout)
        except SelectorError as error:
            raise UnknownElement(
                f"the page has no element {element_id} (any more); take a snapshot of it anew",
                element_id=element_id,
            ) from error

    async def element_at(
        self, x: float, y: float, *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> FoundElement | None:
        """The element that a click at a point would reach, through frames and shadow roots.

        Args:
            x: CSS px of the viewport.
            y: likewise.
            timeout: seconds.

        Returns:
            Its id and XPath; None outside the viewport.

        Raises:
            CommandUnanswered: the page did not answer in time.
        """
        if not (math.isfinite(x) and math.isfinite(y)):
            raise ValueError(f"a point is two finite numbers, not {x!r}, {y!r}")
        deadline = Deadline.of(timeout)
        await self._attachment.settled(deadline.share(0.5))
        plan = find_element_at(self._attachment.sessions(), self._ordinals, x, y)
        return await run(plan, self._driver, deadline)

    async def active_element(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> FoundElement | None:
        """The element that has the focus, through frames and shadow roots.

        Args:
            timeout: seconds.

        Returns:
            Its id and XPath; None when nothing but the document has it.

        Raises:
            CommandUnanswered: the page did not answer in time.
        """
        deadline = Deadline.of(timeout)
        await self._attachment.settled(deadline.share(0.5))
        return await run(
            find_active_element(self._attachment.sessions(), self._ordinals), self._driver, deadline
        )

    async def _capture(self, options: CaptureOptions, deadline: Deadline) -> Capture:
        """Capture; once more when the page had just gone elsewhere, and there was hardly a document yet."""
        attachment = self._attachment
        for attempt in (1, 2):
            loader = attachment.main.loader
            plan = capture_hybrid_snapshot(attachment.sessions(), self._ordinals, options)
            capture = await run(plan, self._driver, deadline)
            main = capture.frames[0]
            if loader is None or main.loader_id in {None, loader} or main.status != "captured":
                break
            if attempt == 1:
                await attachment.wait_until(lambda: attachment.main.loaded, deadline.share(LOADING_SHARE))
            else:
                capture.frames[0] = msgspec.structs.replace(main, status="partial", cause="navigated")
        main = capture.frames[0]
        if (
            main.status == "captured"
            and main.loader_id == attachment.main.loader
            and main.frame_id in attachment.loading_frames()
        ):
            capture.frames[0] = msgspec.structs.replace(main, status="partial", cause="loading")
        return capture

    async def close(self) -> None:
        """Close the tab, also when cancelled. A `beforeunload` handler is not asked, a dialog is accepted."""
        session = self._attachment.root.session
        memory.forget(self.browser.endpoint, self.target_id)
        for _ in self._attachment.dialogs:
            # Closing a tab over a frame's dialog brings Chromium 156 down (measured).
            session.post("Page.handleJavaScriptDialog", {"accept": True}, ignore_reply)
        with trio.move_on_after(_CLOSE_SECONDS, shield=True):
            with contextlib.suppress(CommandRefused, SessionEnded, ConnectionLost):
                await self._connection.root.send("Target.closeTarget", {"targetId": self.target_id})
            await self._attachment.wait_until(
                lambda: session.ended is not None, Deadline.after(_CLOSE_SECONDS)
            )

    def __repr__(self) -> str:
        return f"<Page {self.target_id} at {self.url!r}>"


def _read_navigated(url: str, reply: Payload | HybridsnapError) -> bool:
    """Whether `Page.navigate` brought a new document.

    Raises:
        HybridsnapError: it failed.
    """
    if isinstance(reply, CommandRefused):
        words = "is no URL that the browser knows" if "invalid URL" in reply.reason else reply.reason
        raise NavigationFailed(f"{url} {words}", url=url, reason=reply.reason)
    if isinstance(reply, HybridsnapError):
        raise reply
    result: dict[str, Any] = reply.result(dict)
    reason = result.get("errorText", "")
    if reason:
        words = _NAVIGATION_ERRORS.get(reason, "could not be loaded")
        raise NavigationFailed(f"{url} {words} ({reason})", url=url, reason=reason)
    return "loaderId" in result


_NAVIGATION_ERRORS: dict[str, str] = {
    "net::ERR_NAME_NOT_RESOLVED": "does not resolve: no such host",
    "net::ERR_CONNECTION_REFUSED": "refuses the connection: nothing listens there",
    "net::ERR_CONNECTION_RESET": "broke the connection off",
    "net::ERR_EMPTY_RESPONSE": "closed the connection without an answer",
    "net::ERR_FILE_NOT_FOUND": "is no file",
    "net::ERR_ACCESS_DENIED": "may not be read",
    "net::ERR_ABORTED": "brought no document: a download, or an empty answer",
    "net::ERR_INTERNET_DISCONNECTED": "cannot be reached: there is no network",
    "net::ERR_UNKNOWN_URL_SCHEME": "has a scheme that the browser does not know",
    "net::ERR_INVALID_URL": "is no URL",
    "net::ERR_TOO_MANY_REDIRECTS": "redirects without end",
}


def _drop_finished_loading(capture: Capture, loading: set[FrameId]) -> None:
    """A frame counts as loading when it still is at the end: the browser's news may come a little late."""
    for at, frame in enumerate(capture.frames):
        if frame.cause == "loading" and frame.status == "partial" and frame.frame_id not in loading:
            capture.frames[at] = msgspec.structs.replace(frame, status="captured", cause=None)
    capture.complete = all(frame.status in ("captured", "excluded") for frame in capture.frames)
