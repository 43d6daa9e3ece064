"""One page: go somewhere, take a snapshot, talk to it in raw protocol."""

from __future__ import annotations

import contextlib
import functools
import math
import time
from typing import TYPE_CHECKING, Literal

import msgspec

from hybridsnap.act.naming import name_id
from hybridsnap.act.perform import try_again
from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.locating import Locator
from hybridsnap.capture.paths import parse_element_id
from hybridsnap.capture.pointing import find_active_element, find_element_at
from hybridsnap.client.actions import Actions
from hybridsnap.client.choosers import Choosers
from hybridsnap.client.dialogs import Dialogs
from hybridsnap.client.downloads import Downloads
from hybridsnap.client.evaluation import Evaluation
from hybridsnap.client.form_actions import FormActions
from hybridsnap.client.history import History
from hybridsnap.client.navigating import Navigation, Wait
from hybridsnap.client.page_core import DEFAULT_TIMEOUT, PageCore
from hybridsnap.client.settling import Settling
from hybridsnap.client.tabs import Tabs
from hybridsnap.client.waits import Waits
from hybridsnap.deadline import LOADING_SHARE, Deadline
from hybridsnap.drivers.base import run
from hybridsnap.errors import ConnectionLost, HybridsnapError, SelectorError, UnknownElement
from hybridsnap.model import FIRST_ERROR_STATUS, CaptureOptions
from hybridsnap.render.report import shorten_url
from hybridsnap.render.role import number_refs
from hybridsnap.snapshot import SILENT, Snapshot, build_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.capture.pointing import FoundElement
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Plan

__all__ = ["Navigation", "Page", "Wait"]


class Page(
    Actions, FormActions, Waits, Evaluation, Settling, History, Dialogs, Downloads, Choosers, Tabs, PageCore
):
    """A tab. `Browser.new_page` and `Browser.page` make it."""

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
        if not self.responds:
            capture.notes.append(SILENT)
        if self.status is not None and self.status >= FIRST_ERROR_STATUS:
            capture.notes.append(f"the page was answered with HTTP {self.status}")
        _drop_finished_loading(capture, {frame for info in finished for frame in info.loading})
        self.browser.metrics.note_capture(complete=capture.complete)
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
            TypeError: it is no snapshot.
            ValueError: it is of another page, or numbers the frames otherwise than they are numbered here.
        """
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"what is recalled is a snapshot, not {snapshot!r}")
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
            ActionError: it is going elsewhere all the time.
        """
        if not (math.isfinite(x) and math.isfinite(y)):
            raise ValueError(f"a point is two finite numbers, not {x!r}, {y!r}")
        deadline = Deadline.of(timeout)
        await self._attachment.settled(deadline.share(0.5))
        return await self._found(
            lambda: find_element_at(self._attachment.sessions(), self._ordinals, x, y), deadline
        )

    async def active_element(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> FoundElement | None:
        """The element that has the focus, through frames and shadow roots.

        Args:
            timeout: seconds.

        Returns:
            Its id and XPath; None when nothing but the document has it.

        Raises:
            CommandUnanswered: the page did not answer in time.
            ActionError: it is going elsewhere all the time.
        """
        deadline = Deadline.of(timeout)
        await self._attachment.settled(deadline.share(0.5))
        return await self._found(
            lambda: find_active_element(self._attachment.sessions(), self._ordinals), deadline
        )

    async def _found(
        self, plan_of: Callable[[], Plan[FoundElement | None]], deadline: Deadline
    ) -> FoundElement | None:
        """Run a plan that finds an element; from then on its id can be acted on."""
        locator = Locator(self._attachment.sessions(), self._ordinals)
        found, _ = await run(try_again(locator, plan_of), self._driver, deadline)
        if found is not None:
            locator = Locator(self._attachment.sessions(), self._ordinals)
            with contextlib.suppress(HybridsnapError):  # it is gone already: an action will say so
                await run(name_id(locator, self._bindings, found.id), self._driver, deadline)
        return found

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

    def __repr__(self) -> str:
        return f"<Page {self.target_id} at {self.url!r}>"


def _drop_finished_loading(capture: Capture, loading: set[FrameId]) -> None:
    """A frame counts as loading when it still is at the end: the browser's news may come a little late."""
    for at, frame in enumerate(capture.frames):
        if frame.cause == "loading" and frame.status == "partial" and frame.frame_id not in loading:
            capture.frames[at] = msgspec.structs.replace(frame, status="captured", cause=None)
    capture.complete = all(frame.status in ("captured", "excluded") for frame in capture.frames)
