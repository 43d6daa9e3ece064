"""How an action is done on a page: within its deadline, with its events watched, up to its receipt."""

from __future__ import annotations

import contextlib
import functools
import time
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec
import trio

from hybridsnap.act.element import describe
from hybridsnap.act.perform import Naming, Progress, found_element, perform_on_element, perform_on_page
from hybridsnap.act.receipt import Downloaded, Receipt, tell_chooser
from hybridsnap.act.refusals import blame_frame
from hybridsnap.capture.locating import Locator
from hybridsnap.client.keywords import check_naming
from hybridsnap.client.outside import REMEDY, OutsideRequests, is_outside, may_prompt, shown_address
from hybridsnap.client.settling import Settling
from hybridsnap.client.under_way import tell_under_way
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import run
from hybridsnap.errors import ActionError, ElementCovered, NotInteractable, StaleElement
from hybridsnap.model import ElementId
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.perform import Performed
    from hybridsnap.capture.locating import Place
    from hybridsnap.client.browser import Browser
    from hybridsnap.client.connection import Session
    from hybridsnap.client.settling import Settled
    from hybridsnap.model import TargetId
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")
#: From what an action returns to the receipt's value and details.
Told: TypeAlias = "Callable[[Any], tuple[Any, Sequence[str]]] | None"

_ENDINGS = {
    "busy": "the page goes on changing",
    "crashed": "the page has crashed",
    "closed": "the page was closed",
    "deadline": "the time was up before the page had settled",
}


class _Steps(Progress):
    """When each step of an action was done."""

    def __init__(self) -> None:
        self._started = self._last = self.watched_at = time.monotonic()
        self.ms: dict[str, float] = {}

    def mark(self, step: str) -> None:
        now = time.monotonic()
        self.ms[step] = (now - self._last) * 1000
        self._last = now
        if step == "watch":
            self.watched_at = now

    @property
    def elapsed_ms(self) -> float:
        return (time.monotonic() - self._started) * 1000


class Performing(Settling):
    """Runs the plans of actions, and makes their receipts."""

    def __init__(
        self, browser: Browser, target_id: TargetId, session: Session, engine_session: Session
    ) -> None:
        super().__init__(browser, target_id, session, engine_session)
        self._acting = trio.Lock()
        self._outside = OutsideRequests(self._attachment)

    async def _act(
        self,
        action: str,
        element: str | None,
        naming: Naming,
        act: Callable[[Locator, Element], Plan[Any]],
        timeout: float | Deadline,
        told: Told = None,
    ) -> Receipt:
        check_naming(self, naming)

        def plan(locator: Locator, progress: Progress) -> Plan[Performed[Any]]:
            return perform_on_element(
                locator,
                self._bindings,
                element,
                naming,
                functools.partial(act, locator),
                progress=progress,
            )

        return await self._perform(action, plan, timeout, told)

    async def _act_on_page(
        self,
        action: str,
        around: Callable[[Locator], Plan[Place | None]],
        act: Callable[[Locator], Plan[Any]],
        timeout: float | Deadline,
        told: Told = None,
    ) -> Receipt:
        def plan(locator: Locator, progress: Progress) -> Plan[Performed[Any]]:
            return perform_on_page(
                locator,
                self._bindings,
                functools.partial(around, locator),
                functools.partial(act, locator),
                progress=progress,
            )

        return await self._perform(action, plan, timeout, told)

    async def _perform(
        self,
        action: str,
        plan: Callable[[Locator, Progress], Plan[Performed[Any]]],
        timeout: float | Deadline,
        told: Told,
    ) -> Receipt:
        deadline = Deadline.of(timeout)
        async with self._turn(deadline):
            return await self._perform_now(action, plan, deadline, told)

    @contextlib.asynccontextmanager
    async def _turn(self, deadline: Deadline) -> AsyncGenerator[None, None]:
        """One action at a time: a page has one mouse, one keyboard, one focus."""
        try:
            # Where nobody acts, no deadline is to blame on another action, not even one that has passed.
            self._acting.acquire_nowait()
        except trio.WouldBlock:
            with trio.move_on_after(deadline.remaining) as waiting:
                await self._acting.acquire()
            if waiting.cancelled_caught:
                said = "another action on this page has not come to its end"
                raise ActionError(said, element_id=None) from None
        try:
            yield
        finally:
            self._acting.release()

    async def _perform_now(
        self,
        action: str,
        plan: Callable[[Locator, Progress], Plan[Performed[Any]]],
        deadline: Deadline,
        told: Told,
    ) -> Receipt:
        steps = _Steps()
        await self._attachment.settled(deadline.share(0.5))
        locator = Locator(self._attachment.sessions(), self._bindings.ordinals)
        settled: Settled | None = None
        dialogs, downloads = self._attachment.dialog_book, self.browser.downloads
        marks = dialogs.count, downloads.count
        with self._counted(), self._watch_events() as events:

            async def settle() -> None:
                nonlocal settled
                settled = await events.settle(deadline, frame=steps.frame, acted_at=steps.watched_at)

            try:
                performed = await run(plan(locator, steps), self._driver, deadline, settle)
            except NotInteractable as error:
                raise self._outside.lost(error) from None
        assert settled is not None, "the plan gives its runner a turn"
        self.browser.metrics.actions[action.partition(" ")[0]] += 1
        self.browser.metrics.retries += performed.retries
        receipt = _receipt(action, performed, settled, steps, told, self._attachment.root.url)
        begun = [
            Downloaded(
                one.url,
                one.suggested_name,
                None if one.path is None else str(one.path),
                one.path is None and one.state != "failed",
            )
            for one in downloads.since(marks[1], self.target_id)
        ]
        return msgspec.structs.replace(
            receipt,
            notes=(
                *receipt.notes,
                *self._outside_notes(receipt, settled),
                *tell_chooser(None if self._catches_choosers else receipt.file_chooser),
            ),
            answered=tuple(str(one) for one in dialogs.since(marks[0]) if one.accepted is not None),
            downloads=tuple(begun) or receipt.downloads,
        )

    def _outside_notes(self, receipt: Receipt, settled: Settled) -> list[str]:
        """What there is to say of addresses for other programs."""
        prompts = may_prompt(self.browser)
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

    async def _read(
        self,
        element: str | None,
        naming: Naming,
        read: Callable[[Locator, Element], Plan[T]],
        timeout: float | Deadline,
    ) -> T:
        check_naming(self, naming)
        deadline = Deadline.of(timeout)

        def plan(locator: Locator) -> Plan[T]:
            found, _ = yield from found_element(locator, self._bindings, element, naming)
            with blame_frame(found, "read"):
                value = yield from read(locator, found)
            yield from locator.release()
            return value

        with self._counted():
            return await self._run(
                lambda sessions: plan(Locator(sessions, self._bindings.ordinals)), deadline
            )

    @contextlib.contextmanager
    def _counted(self) -> Generator[None, None, None]:
        """Count what is refused."""
        try:
            yield
        except StaleElement:
            self.browser.metrics.stale_ids += 1
            raise
        except ElementCovered:
            self.browser.metrics.covered_clicks += 1
            raise


def nowhere(_: Locator) -> Plan[Place | None]:
    """For actions on the page itself: the main frame is watched."""
    yield from ()
    return None


def _receipt(
    action: str,
    performed: Performed[Any],
    settled: Settled,
    steps: _Steps,
    told: Told,
    page_url: str,
) -> Receipt:
    element, seen = performed.element, performed.seen
    notes = [*getattr(performed.result, "notes", ())]
    value, details = (None, ()) if told is None else told(performed.result)
    if performed.retries:
        notes.append(f"looked for again {performed.retries} time{'s' if performed.retries > 1 else ''}")
    if seen.gone and settled.navigation is None:
        notes.append("the element is gone from the page")
    frames = settled.frame_navigations
    notes += [f"a frame navigated to {clean_text(one.url)}" for one in frames[settled.navigation is None :]]
    if settled.no_document is not None and not settled.downloads and not is_outside(settled.no_document):
        notes.append(f"no document came of {clean_text(settled.no_document)}")
    if settled.under_way:
        notes.append(tell_under_way(settled.under_way, page_url))
    if settled.ended_by not in ("quiet", "loaded", "no document", "dialog"):
        notes.append(_ENDINGS.get(settled.ended_by, settled.ended_by))
    return Receipt(
        action=action,
        element_id=None if element is None else element.id,
        target="" if element is None else describe(element.role, element.name),
        navigation=settled.navigation or next(iter(frames), None),
        new_targets=settled.new_targets,
        dialog=settled.dialog,
        focus=seen.focus,
        changes=seen.changes,
        invalid=seen.invalid,
        file_chooser=None if seen.file_chooser is None else ElementId(seen.file_chooser),
        announced=seen.announced,
        dom_changes=seen.dom_changes,
        downloads=tuple(Downloaded(one.url, one.file_name, None) for one in settled.downloads),
        console_errors=settled.console_errors,
        details=tuple(details),
        notes=tuple(notes),
        value=value,
        elapsed_ms=steps.elapsed_ms,
        steps_ms=steps.ms,
    )
