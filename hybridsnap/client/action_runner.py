"""How an action is done on a page: within its deadline, with its events watched, up to its receipt."""

from __future__ import annotations

import contextlib
import functools
import time
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import trio

from hybridsnap.act.actions.receipts import build_receipt
from hybridsnap.act.actions.spec import ActionContext
from hybridsnap.act.perform import perform, read_element
from hybridsnap.act.readiness import Progress
from hybridsnap.act.receipt import Downloaded, Receipt, tell_chooser
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.client.changes import acquire_within
from hybridsnap.client.external_protocols import (
    REMEDY,
    ExternalProtocolRequests,
    is_external,
    may_prompt,
    shown_address,
)
from hybridsnap.client.network import describe_under_way
from hybridsnap.client.settling import Settled, watch_events
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import run, unanswered
from hybridsnap.errors import (
    ActionError,
    CommandUnanswered,
    ConnectionLost,
    ElementCovered,
    NotInteractable,
    StaleElement,
)
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from hybridsnap.act.actions.spec import ActionCall, ActionSpec, ReadingOptions
    from hybridsnap.act.perform import Performed
    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.client.download_tracker import Download
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.client.settling import EventWatch

T = TypeVar("T")

_ENDINGS = {
    "busy": "the page had not come to rest",
    "crashed": "the page has crashed",
    "closed": "the page was closed",
    "deadline": "the time was up before the page had settled",
}


class _Action(Progress):
    """How far an action on a page has come, and what happened to the page meanwhile.

    Attributes:
        ms: how long each step took.
        watched_at: when the element had been found (`time.monotonic`).
        events: of the page from then on; None without a receipt.
        settled: what they told until the page had settled; None before that.
        dialogs_before, downloads_before: how many of them the page had had when the element had been found.
    """

    def __init__(self, page: PageContext, started: float) -> None:
        self._dialogs = page.attachment.dialog_tracker
        self._downloads = page.browser.downloads
        self._started = self._last = self.watched_at = started
        self.ms: dict[str, float] = {}
        self.events: EventWatch | None = None
        self.settled: Settled | None = None
        self._note_before()

    def _note_before(self) -> None:
        """What has happened up to now is not an effect of the action."""
        self.dialogs_before = self._dialogs.count
        self.downloads_before = self._downloads.count

    def mark(self, step: str) -> None:
        now = time.monotonic()
        self.ms[step] = self.ms.get(step, 0.0) + (now - self._last) * 1000
        self._last = now
        if step == "watch":
            self._begin(now)

    def _begin(self, now: float) -> None:
        """The element was found."""
        self.watched_at = now
        # Looking for it may take longer than a navigation that was under way: commands are held back until
        # the new document is there.
        if "wait" in self.ms or (self.events is not None and self.events.navigated):
            self._note_before()
            if self.events is not None:
                self.events.restart()

    @property
    def elapsed_ms(self) -> float:
        return (time.monotonic() - self._started) * 1000


class _Turn:
    """One action's turn on the page, which has one mouse, one keyboard, one focus."""

    def __init__(self, lock: trio.Lock, deadline: Deadline) -> None:
        self.deadline = deadline
        self._lock = lock
        self._taken = False

    async def take(self) -> None:
        """Wait until no other action has the page.

        Raises:
            ActionError: the deadline came first.
        """
        if not await acquire_within(self._lock, self.deadline):
            raise ActionError("another action on this page has not come to its end", element_id=None)
        self._taken = True

    def give_up(self) -> None:
        """Let others act."""
        if self._taken:
            self._taken = False
            self._lock.release()


class ActionRunner:
    """The part of a page that runs the plans of actions, and makes their receipts."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._attachment = context.attachment
        self._browser = context.browser
        self._acting = trio.Lock()
        self._outside = ExternalProtocolRequests(context.attachment)

    async def act(
        self,
        spec: ActionSpec[Any],
        element: str | None,
        options: Mapping[str, object],
        timeout: float | Deadline,
        **arguments: Any,
    ) -> Receipt:
        """Do an action of the table."""
        call = spec.bind(element, options, arguments)
        turn = _Turn(self._acting, Deadline.of(timeout))
        await turn.take()
        try:
            return await self._perform(call, turn)
        finally:
            turn.give_up()

    async def _perform(self, call: ActionCall[Any], turn: _Turn) -> Receipt:
        started = time.monotonic()
        await self._get_ready(call, turn.deadline)
        context = self.action_context(self._attachment.sessions())
        action = _Action(self._context, started)
        watching = watch_events(self._context) if call.receipt else contextlib.nullcontext(None)
        with self._counted(), self._knowing(action, call), watching as action.events:
            plan = perform(call, context, progress=action)
            between = functools.partial(self._between, call, context, turn, action)
            try:
                performed = await run(plan, self._context.driver, turn.deadline, between)
            except NotInteractable as error:
                raise self._outside.lost(error) from None
        self._browser.metrics.actions[call.spec.name] += 1
        self._browser.metrics.retries += performed.retries
        return self._receipt(call, action, performed)

    async def _get_ready(self, call: ActionCall[Any], deadline: Deadline) -> None:
        """Wait until the page's frames are known.

        Raises:
            CommandUnanswered: a dialog is open. It keeps all input from the page, whatever frame opened it
                (measured). Or a script keeps the page.
        """
        await self._attachment.settled(deadline, 0.5)
        await self._attachment.refuse_kept(deadline)
        if self._attachment.dialogs:
            error = unanswered(call.spec.name, "dialog")
            error.nothing_done = True
            raise self._context.explain(error, call.spec.name)

    async def _between(
        self, call: ActionCall[Any], context: ActionContext, turn: _Turn, action: _Action
    ) -> None:
        """Where the plan yields: let others act while it waits; let the page settle after the action."""
        if action.resting:
            turn.give_up()
        elif action.resting is False:
            await turn.take()
            await self._get_ready(call, turn.deadline)
            context.resolver.renew(self._attachment.sessions())
            action.mark("wait")
        elif action.events is not None and action.observer is not None:
            action.settled = await action.events.settle(
                turn.deadline, action.observer, acted_at=action.watched_at
            )
            action.seen = action.settled.seen

    def _receipt(self, call: ActionCall[Any], action: _Action, performed: Performed[Any]) -> Receipt:
        dialogs = self._attachment.dialog_tracker
        settled = action.settled or Settled(
            ended_by="quiet", dialog=dialogs.open_since(action.dialogs_before)
        )
        receipt = build_receipt(
            call,
            performed,
            elapsed_ms=action.elapsed_ms,
            steps_ms=action.ms,
            navigated=settled.navigation is not None,
        )
        receipt = _add_events(receipt, settled, self._attachment.root.url)
        downloads = self._browser.downloads.since(action.downloads_before, self._context.target_id)
        return msgspec.structs.replace(
            receipt,
            notes=(
                *receipt.notes,
                *self._outside_notes(receipt, settled),
                *self._download_notes(downloads),
                *tell_chooser(None if self._context.catches_choosers else receipt.file_chooser),
            ),
            answered=tuple(
                str(one) for one in dialogs.since(action.dialogs_before) if one.accepted is not None
            ),
            downloads=tuple(map(_downloaded, downloads)),
        )

    def _download_notes(self, downloads: Sequence[Download]) -> list[str]:
        """That a download which nothing expects is not refused, in a browser that was connected to."""
        target_id, tracker = self._context.target_id, self._browser.downloads
        if not downloads or tracker.expects(target_id) or tracker.refused_for(target_id):
            return []
        return ["downloads here go by the settings of the browser that was connected to, and may be saved"]

    def _outside_notes(self, receipt: Receipt, settled: Settled) -> list[str]:
        prompts = may_prompt(self._browser.process)
        if settled.outside_urls:
            asked = ", ".join(map(shown_address, settled.outside_urls))
            came = "the browser may ask first, and its prompt keeps input from the page"
            return [
                f"the page asked for another program ({asked}): {came if prompts else 'none was started'}"
            ]
        if prompts and self._outside.url and receipt.nothing_happened:
            asked = shown_address(self._outside.url)
            return [f"the browser's prompt for {asked} may have kept the input from the page; {REMEDY}"]
        return []

    async def read(
        self,
        spec: ActionSpec[T],
        element: str | None,
        options: ReadingOptions,
        timeout: float | Deadline,
        **arguments: Any,
    ) -> T:
        """Do an action of the table that only reads."""
        call = spec.bind(element, options, arguments)
        deadline = Deadline.of(timeout)
        with self._counted():
            try:
                return await self._context.run(
                    lambda sessions: read_element(call, self.action_context(sessions)), deadline
                )
            except CommandUnanswered as error:
                raise self._context.explain(error, call.spec.name) from error

    def action_context(self, sessions: Sequence[SessionInfo]) -> ActionContext:
        """What plans of the table are run with."""
        history = self._context.history
        return ActionContext(NodeResolver(sessions, history.ordinals), history, self._browser.permit_upload)

    @contextlib.contextmanager
    def _knowing(self, action: _Action, call: ActionCall[Any]) -> Generator[None, None, None]:
        """Have an error say that nothing was done, where the element was only looked for by then."""
        try:
            yield
        except ConnectionLost as error:
            if "watch" not in action.ms:
                error.deny_execution()
            raise
        except CommandUnanswered as error:
            error.nothing_done |= "watch" not in action.ms
            raise self._context.explain(error, call.spec.name) from error

    @contextlib.contextmanager
    def _counted(self) -> Generator[None, None, None]:
        try:
            yield
        except StaleElement:
            self._browser.metrics.stale_ids += 1
            raise
        except ElementCovered:
            self._browser.metrics.covered_clicks += 1
            raise


def _add_events(receipt: Receipt, settled: Settled, page_url: str) -> Receipt:
    frames = settled.frame_navigations
    notes = [f"a frame navigated to {clean_text(one.url)}" for one in frames[settled.navigation is None :]]
    if settled.no_document is not None and not settled.downloads and not is_external(settled.no_document):
        notes.append(f"no document came of {clean_text(settled.no_document)}")
    if settled.under_way:
        notes.append(describe_under_way(settled.under_way, page_url))
    if settled.ended_by not in ("quiet", "loaded", "no document", "dialog"):
        notes.append(_ENDINGS.get(settled.ended_by, settled.ended_by))
    return msgspec.structs.replace(
        receipt,
        navigation=settled.navigation or next(iter(frames), None),
        new_targets=settled.new_targets,
        dialog=settled.dialog,
        console_errors=settled.console_errors,
        notes=(*receipt.notes, *notes),
    )


def _downloaded(download: Download) -> Downloaded:
    path = None if download.path is None else str(download.path)
    under_way = path is None and download.state != "failed"
    return Downloaded(download.url, download.suggested_name, path, under_way)
