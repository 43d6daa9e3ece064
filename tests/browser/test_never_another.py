"""Whatever happens to a page, an action reaches the element that its id named when it was shown, or nothing.

Act, mutate, act: at random, and reproducibly, on `tests.support.act_stage`. After each action the
oracle in the page says who received what. Some changes happen between actions, some while one goes on.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import random
import secrets
from typing import TYPE_CHECKING, Protocol

import pytest

import hybridsnap
from hybridsnap import ActionError, ElementCovered, HybridsnapError, NotInteractable, StaleElement
from tests.support.act_pages import Log, Received
from tests.support.act_stage import FRAME_MUTATIONS, LASTING, MUTATIONS, Shown, Stage, State, stage_pages
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from hybridsnap.act.receipt import Receipt

#: Steps between two times that the items of both iframes are given equal backend node ids.
_EPOCH = 40
#: Steps of a failed run that are told.
_TOLD = 12
_FRAMES = 3
SEED = 20261121
STEPS_IN_GATE = 60
STEPS = 10_000


class Actor(Protocol):
    """Acts on an item, which may come with a receipt; raises HybridsnapError where it does not."""

    async def act(self, how: str, shown: Shown, as_of: str | None) -> Receipt | None: ...


class PageActor:
    """Acts as everybody does."""

    def __init__(self, stage: Stage) -> None:
        self._page = stage.page

    async def act(self, how: str, shown: Shown, as_of: str | None) -> Receipt:
        page = self._page
        if how == "click":
            return await page.click(shown.id, as_of=as_of, wait=False, timeout=10)
        if how == "type":
            return await page.type(shown.id, "x", as_of=as_of, wait=False, timeout=10)
        if how == "press":
            return await page.press("a", element=shown.id, as_of=as_of, wait=False, timeout=10)
        return await page.check(shown.id, as_of=as_of, wait=False, timeout=10)


class MixingActor:
    """Takes an id for its backend node id alone, as if that were enough: the oracle must catch it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def act(self, how: str, shown: Shown, as_of: str | None) -> None:  # noqa: ARG002 - the protocol's
        number = int(shown.id.partition("-")[2])
        for session in self._stage.page.sessions[1:]:
            with contextlib.suppress(hybridsnap.CommandRefused):
                node = await session.send("DOM.resolveNode", {"backendNodeId": number})
                click = "function () { this.click(); }"
                handle = node["object"]["objectId"]
                await session.send(
                    "Runtime.callFunctionOn", {"functionDeclaration": click, "objectId": handle}
                )
                return


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One action and what came of it."""

    number: int
    changes: tuple[str, ...]
    during: bool
    how: str
    shown: Shown
    before: State | None
    error: HybridsnapError | None
    received: tuple[Received, ...]

    def __str__(self) -> str:
        it_was = "" if self.during else f"\n    it was {self.before}"
        came = "done" if self.error is None else f"{type(self.error).__name__}: {self.error}"
        when = "meanwhile" if self.during else "before"
        return (
            f"{self.number}: {when} {', '.join(self.changes) or 'nothing'}\n"
            f"    {self.how} {self.shown}{it_was}\n    {came}\n    received {self.received}"
        )


class Run:
    """A run of steps.

    Args:
        stage: in a tab.
        log: of its pages.
        actor: acts.
        seed: of what happens.
    """

    def __init__(self, stage: Stage, log: Log, actor: Actor, seed: int) -> None:
        self._stage = stage
        self._log = log
        self._actor = actor
        self._seed = seed
        self._chance = random.Random(seed)
        #: Element id → as the newest snapshot of those that showed it had it.
        self._newest: dict[str, Shown] = {}
        #: The last snapshots' items.
        self._recent: collections.deque[list[Shown]] = collections.deque(maxlen=3)
        self.told: collections.deque[Step] = collections.deque(maxlen=_TOLD)
        self.outcomes: collections.Counter[str] = collections.Counter()

    async def steps(self, count: int) -> None:
        for number in range(count):
            if number % _EPOCH == 0:
                await self._stage.equalize()
                await self._look()
                self._assert_equal_ids()
            elif self._chance.random() < 0.2:
                await self._look()
            await self._step(number)

    async def _look(self) -> None:
        snapshot = await self._stage.page.snapshot(timeout=20)
        assert snapshot.report.complete, (self._seed, snapshot.report)
        items = await self._stage.shown_in(snapshot)
        for id_ in snapshot.combined_xpath_map:
            self._newest.pop(id_, None)  # another document may have given its number to what is not an item
        self._newest |= {one.id: one for one in items}
        self._recent.append(items)

    def _assert_equal_ids(self) -> None:
        """Both iframes' items differ in nothing but the frame's number and who they are."""
        by_ordinal: dict[str, list[tuple[str, str, str]]] = {}
        for one in self._recent[-1]:
            ordinal, _, number = one.id.partition("-")
            by_ordinal.setdefault(ordinal, []).append((number, one.kind, one.name))
        _, first, second = (by_ordinal[ordinal] for ordinal in sorted(by_ordinal))
        assert first == second
        assert len(first) == 6

    async def _step(self, number: int) -> None:
        chance = self._chance
        shown = chance.choice([one for items in self._recent for one in items])
        # Without as_of an id means what was last said of it.
        newest = self._newest.get(shown.id) == shown
        as_of = shown.snapshot_id if not newest or chance.random() < 0.2 else None
        how = chance.choice(_ACTIONS[shown.kind]) if not shown.role else "click"
        during = chance.random() < 0.25
        self._log.take()
        changes: list[str] = []
        for _ in range(chance.choice([0, 1, 1, 1, 2])):
            after = chance.uniform(0, 60) if during else None
            changes.append(await self._change(shown, after))
        if not during:
            await self._stage.until_whole()
        before = None if during else await self._stage.state(shown.secret)
        error: HybridsnapError | None = None
        receipt: Receipt | None = None
        try:
            receipt = await self._actor.act(how, shown, as_of)
        except HybridsnapError as came:
            error = came
        await self._stage.until_whole()
        step = Step(number, tuple(changes), during, how, shown, before, error, tuple(self._log.take()))
        self.told.append(step)
        for named in _named_by(error) + _told_anew_by(receipt, shown):
            self._newest.pop(named, None)  # it counts as shown, as it is now
        self.outcomes["done" if error is None else f"{type(error).__name__} {_reason(error)}"] += 1
        fault = fault_of(step)
        if fault:
            told = "\n".join(str(one) for one in self.told)
            pytest.fail(f"seed {self._seed}, step {number}: {fault}\n{told}", pytrace=False)

    async def _change(self, shown: Shown, after_ms: float | None) -> str:
        """Something happens, now or a little later; what."""
        chance = self._chance
        if chance.random() < 0.08:
            kind, which = chance.choice(FRAME_MUTATIONS), chance.randrange(2)
            await self._stage.reframe(kind, which, after_ms=after_ms)
            return f"{kind} {which}"
        kind = chance.choice(MUTATIONS if after_ms is None else MUTATIONS + LASTING)
        name = f"Item {chance.randrange(1, 9)}"
        other = chance.randrange(100)
        if chance.random() < 0.5:
            # To the very element; where its document is gone nothing happens.
            for frame in range(_FRAMES):
                await self._stage.mutate(frame, kind, shown.secret, other, name, after_ms=after_ms)
            return f"{kind} it ({other}, {name})"
        frame, first = chance.randrange(_FRAMES), chance.randrange(100)
        await self._stage.mutate(frame, kind, first, other, name, after_ms=after_ms)
        return f"{kind} {first} ({other}, {name}) in {frame}"


_ACTIONS = {"button": ["click"], "text": ["click", "type", "press"], "check": ["click", "check"]}
#: What an action that was done must have made its element receive.
_SIGNS = {"click": "click", "type": "input", "press": "keydown"}


def _named_by(error: HybridsnapError | None) -> list[str]:
    """The elements whose ids a refusal has given: what is likely meant, what covers it."""
    if isinstance(error, StaleElement):
        return [one.id for one in error.successors if one.id != error.element_id]
    return [error.cover_id] if isinstance(error, ElementCovered) else []


def _told_anew_by(receipt: Receipt | None, shown: Shown) -> list[str]:
    """The element, where its receipt has told that it has another text now."""
    changes = receipt.changes if receipt is not None else ()
    return [shown.id] if any(change.what == "text" for change in changes) else []


def _reason(error: HybridsnapError) -> str:
    return error.reason if isinstance(error, StaleElement | NotInteractable) else ""


def fault_of(step: Step) -> str:
    """What is wrong with a step; empty when it is right."""
    strangers = [
        one
        for one in step.received
        if one.identity != step.shown.secret
        # A key is let go where the focus is by then: in the document itself, when the element was hidden;
        # a button, where the pointer is.
        and not (step.during and one.kind == "keyup" and one.identity in {"?body", "?html"})
        and not (step.during and one.kind in {"mouseup", "pointerup"})
    ]
    if strangers:
        return f"another element was reached: {strangers}"
    if step.during:
        return ""  # done, or refused on the way
    return _fault_of_done(step) if step.error is None else _fault_of_refused(step)


def _fault_of_refused(step: Step) -> str:
    fitting = _fitting(step)
    # What is covered in part, or for some ways of acting only, may be refused or not.
    hindered = step.before is not None and step.before.free != "all"
    if step.received:
        return "refused, and yet the element received something"
    if not isinstance(step.error, ActionError):
        return "refused with an error that is none of an action's"
    lost = isinstance(step.error, NotInteractable) and step.error.reason == "lost"
    if lost or (isinstance(step.error, StaleElement) and _stands_elsewhere(step)):
        return ""  # on a busy machine the browser's picture of the page may be behind for long
    if not fitting and not hindered:
        return "refused, and nothing stood in the way"
    if fitting and not isinstance(step.error, tuple(fitting)):
        return f"refused for another reason than {fitting}"
    return ""


def _stands_elsewhere(step: Step) -> bool:
    """Whether only what stands beside it tells it from others, and not the same is shown there any more."""
    now, then = step.before, step.shown
    return now is not None and then.is_one_of_several and tuple(now.beside) != then.beside


def _fault_of_done(step: Step) -> str:
    now, then = step.before, step.shown
    if now is None or not now.connected:
        return "done, and the element was gone"
    sign = _SIGNS.get(step.how)
    if step.how == "check" and not step.received:
        return ""  # it was checked already
    faults = {
        "done, and the element had become another": (now.name, now.role) != (then.name, then.role),
        "done, and the element could not be acted on": not now.shown or now.disabled,
        "done, and the element was covered": step.how == "click" and now.free == "none",
        "said to be done, and the element received nothing": sign is not None
        and not any(one.kind == sign and one.trusted for one in step.received),
    }
    return next((words for words, holds in faults.items() if holds), "")


def _fitting(step: Step) -> Sequence[type[ActionError]]:
    """The errors that fit."""
    now, then = step.before, step.shown
    if now is None or not now.connected:
        return [StaleElement]
    fitting: list[type[ActionError]] = []
    if (now.name, now.role) != (then.name, then.role):
        fitting.append(StaleElement)
    if not now.shown or now.disabled:
        fitting.append(NotInteractable)
    if now.free == "none" and step.how in {"click", "check"} and not fitting:
        fitting.append(ElementCovered)
    return fitting


@contextlib.asynccontextmanager
async def on_stage() -> AsyncIterator[tuple[Stage, Log]]:
    """A stage in a browser of its own: in a shared one other tabs would use up backend node ids."""
    log = Log()
    async with (
        hybridsnap.launch(args=["--site-per-process"]) as browser,
        serve_pages(stage_pages(log)) as pages,
    ):
        stage = Stage(await browser.new_page(pages.url("/")))
        await stage.until_whole()
        yield stage, log


async def test_the_stage_shows_whom_an_event_reached() -> None:
    async with on_stage() as (stage, log):
        numbers = await stage.equalize()
        shown = await stage.shown_in(await stage.page.snapshot())
        assert [int(one.id.partition("-")[2]) for one in shown[6:]] == 2 * numbers
        in_second = shown[-1]
        await MixingActor(stage).act("click", in_second, None)
        received = log.take()
        assert [one.kind for one in received] == ["click"]
        assert received[0].identity != in_second.secret
        before = await stage.state(in_second.secret)
        step = Step(1, (), False, "click", in_second, before, None, tuple(received))
        assert "another element was reached" in fault_of(step)


async def test_never_another() -> None:
    async with on_stage() as (stage, log):
        run = Run(stage, log, PageActor(stage), SEED)
        await run.steps(STEPS_IN_GATE)
        print(run.outcomes)  # noqa: T201 - the figures to show
        assert run.outcomes["done"] > STEPS_IN_GATE / 5


@pytest.mark.soak
async def test_never_another_in_ten_thousand_steps() -> None:
    seed = secrets.randbelow(2**32)
    print(f"seed {seed}")  # noqa: T201 - to repeat it
    async with on_stage() as (stage, log):
        run = Run(stage, log, PageActor(stage), seed)
        await run.steps(STEPS)
        print(run.outcomes)  # noqa: T201 - the figures to show
