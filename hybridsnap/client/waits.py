"""Waiting for what a page shows, where it is, how far it has loaded.

All conditions are looked at together, and hold together. Between two looks nothing is asked: events say when
the page goes elsewhere, and the frames themselves (`injected/wait_for_change.js`) when something in them
changes. As not every change is one of the DOM (a style sheet arrives, a transition ends, a field is filled),
the page is looked at a few times a second in any case.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time as clock
import uuid
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.act.waiting import CHANGED, END, Look, Watched, find_closed_roots, look
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.client.background_call import BackgroundCall
from hybridsnap.client.network import RequestTracker
from hybridsnap.deadline import Deadline
from hybridsnap.errors import (
    CommandError,
    CommandUnanswered,
    ConnectionLost,
    EvaluationTimeout,
    SessionEnded,
    WaitTimeout,
)
from hybridsnap.render.report import KEPT
from hybridsnap.text import excerpt

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.act.conditions import Conditions
    from hybridsnap.client.evaluation import Evaluation
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.model import FrameId

#: The page is looked at again after this, when nothing was heard of it.
_STEP = 0.25
#: The same, where only looking tells: a function, the network.
_SHORT_STEP = 0.05
#: Between two looks at a page that changes all the time: so many times as long as a look takes, in bounds.
_LEAST = 0.03
_SHARE = 3
_MOST = 0.5
#: A frame that does not answer holds a look up so long at first; then twice as long, and so on.
_PATIENCE = 1.0
#: Closed shadow roots are searched for at the first look and then again after this; then twice as long after.
_ROOTS_AGAIN = 1.0
#: A look that gets less time than this says nothing of the page when it fails.
_FAIR = 0.3
#: What else held is looked at again when the function has answered later than this after the last look began.
_LONG_CALL = 0.1
_SHOWN = 200


@dataclasses.dataclass(frozen=True, slots=True)
class Waited:
    """The result of `hybridsnap.Page.wait_for`.

    Attributes:
        conditions: that hold now, as they were asked for: ``text='Done'``.
        url: where the page is.
        elapsed_ms: how long it took.
    """

    conditions: tuple[str, ...]
    url: str
    elapsed_ms: float


async def wait_for(
    context: PageContext, evaluation: Evaluation, conditions: Conditions, deadline: Deadline
) -> Waited:
    """Wait until all conditions hold at the same moment: `hybridsnap.Page.wait_for`."""
    with contextlib.ExitStack() as stack:
        requests = None
        if conditions.load_state == "networkidle":
            requests = stack.enter_context(RequestTracker(context.attachment, own_socket=True).watch())
        waiting = _Waiting(context, evaluation, conditions, deadline, requests)
        stack.callback(waiting.end)
        return await waiting.run()


class _Waiting:
    def __init__(
        self,
        context: PageContext,
        evaluation: Evaluation,
        conditions: Conditions,
        deadline: Deadline,
        requests: RequestTracker | None,
    ) -> None:
        self._context = context
        self._evaluation = evaluation
        self._attachment = context.attachment
        self._conditions = conditions
        self._deadline = deadline
        self._inner = deadline.inner()
        self._seconds = round(deadline.remaining, 2)
        self._requests = requests
        self._started = clock.monotonic()
        self._watched = Watched(uuid.uuid4().hex)
        self._questions: list[BackgroundCall] = []
        self._patience = _PATIENCE
        self._roots_at = 0.0
        self._roots_step = _ROOTS_AGAIN
        #: How long the last look took.
        self._took = 0.0
        #: The last look failed, and had little time.
        self._hurried = False
        #: Why the page could not be looked at, when it could not.
        self._obstacle: str | None = None
        self._silent = 0
        #: The function has come to its end, when it last had time to.
        self._function_ends = False
        #: Condition on an element → what held instead, when it was last looked at.
        self._lacking: dict[str, str] = {}

    @property
    def _elapsed(self) -> float:
        return clock.monotonic() - self._started

    async def run(self) -> Waited:
        conditions = self._conditions
        missing = list(conditions.names)
        last = False
        while True:
            before = self._state()
            holds = await self._look()
            if not self._hurried:
                missing = [name for name in conditions.names if name not in holds]
            if not missing:
                words = tuple(conditions.words(name) for name in conditions.names)
                return Waited(words, self._context.url, self._elapsed * 1000)
            self._check_alive()
            if last or self._deadline.expired:
                raise self._too_late(missing)
            if missing == ["time"]:
                await trio.sleep(min(self._time_left(), self._deadline.remaining))
                continue
            await self._wait(missing, before)
            last = self._inner.expired

    def end(self) -> None:
        """Leave nothing in the page."""
        for question in self._questions:
            question.forget()
        self._ask(END, lambda: None)

    # Looking

    async def _look(self) -> set[str]:
        """The conditions that hold now."""
        looked = clock.monotonic()
        holds = await self._look_once()
        names = set(self._conditions.names)
        if "function" not in names or names - holds != {"function"}:
            return holds
        asked = clock.monotonic()
        holds_too = await self._function_holds()
        self._took += clock.monotonic() - asked
        if not holds_too:
            return holds
        if clock.monotonic() - looked > _LONG_CALL:
            holds = await self._look_once()
        return holds | {"function"}

    async def _look_once(self) -> set[str]:
        conditions = self._conditions
        committed = self._attachment.main.committed
        began = clock.monotonic()
        self._hurried = False
        seen = Look()
        if conditions.in_page or (conditions.load_state is not None and not self._loaded(None)):
            seen = await self._look_at_page() or seen
        self._took = clock.monotonic() - began
        holds = seen.holds
        if conditions.time is not None and not self._time_left():
            holds.add("time")
        if conditions.url is not None and conditions.url_fits(self._context.url):
            holds.add("url")
        same = self._attachment.main.committed == committed
        if conditions.load_state is not None and self._loaded(seen.state if same else None):
            holds.add("load_state")
        return holds

    async def _look_at_page(self) -> Look | None:
        """Look into the page; None when it does not answer."""
        context, watched = self._context, self._watched
        history = context.history
        bound = self._deadline.earlier(Deadline.after(self._patience))
        fair = bound.remaining >= _FAIR
        try:
            await self._find_closed_roots(bound.share(0.5))
            seen = await context.run(
                lambda sessions: look(
                    NodeResolver(sessions, history.ordinals), history, self._conditions, watched
                ),
                bound,
            )
        except CommandUnanswered as error:
            if self._attachment.dialogs:
                self._obstacle = f"{self._dialog()}, so the page could not be looked at"
            elif not fair:
                self._hurried = True
            elif error.cause in ("busy", "timeout"):
                self._patience *= 2
                kept = self._attachment.main.kept
                self._obstacle = KEPT if kept else "the page is busy and did not answer"
            return None
        except (CommandError, SessionEnded):
            return None  # a document is just being replaced, or a frame goes; of the page itself events tell
        except ConnectionLost:
            self._check_alive()
            self._obstacle = "the connection to the browser was lost, and is being made again"
            return None
        self._silent, self._obstacle, self._lacking = seen.silent, None, seen.lacking
        return seen

    def _dialog(self) -> str:
        return f"a dialog is open ({self._attachment.dialogs[-1].type})"

    async def _find_closed_roots(self, bound: Deadline) -> None:
        """Search for closed shadow roots now and then: no script finds them, and it takes long."""
        if not self._conditions.in_page or self._elapsed < self._roots_at:
            return
        history = self._context.history
        self._watched.closed = await self._context.run(
            lambda sessions: find_closed_roots(NodeResolver(sessions, history.ordinals)), bound
        )
        self._roots_at = self._elapsed + self._roots_step
        self._roots_step *= 2

    def _loaded(self, state: str | None) -> bool:
        """Whether the load state is reached, by what events have told and by what the document says."""
        main = self._attachment.main
        wanted = self._conditions.load_state
        if main.navigating:
            return False
        if wanted == "load":
            return main.loaded or state == "complete"
        parsed = main.content_loaded or state in {"interactive", "complete"}
        return parsed and (self._requests is None or self._requests.idle)

    async def _function_holds(self) -> bool:
        assert self._conditions.function is not None
        if self._attachment.dialogs:
            self._obstacle = f"{self._dialog()}, so the function could not be asked"
            return False
        if self._function_ends and self._inner.expired:
            return False
        fair = self._inner.remaining >= _FAIR
        self._obstacle = None
        try:
            value = await self._evaluation.evaluate(self._conditions.function, (), None, {}, self._inner)
        except EvaluationTimeout:
            if fair or not self._function_ends:
                self._function_ends = False
                self._obstacle = "the function had not come to its end, and was ended"
            return False
        except CommandUnanswered:
            if self._attachment.dialogs:
                self._obstacle = f"{self._dialog()}, so the function could not end"
            return False
        except CommandError:
            return False  # a document is just being replaced
        self._function_ends = True
        return is_true(value)

    def _time_left(self) -> float:
        return max(0.0, (self._conditions.time or 0.0) - self._elapsed)

    # Waiting

    def _state(self) -> tuple[Any, ...]:
        """All that events have told and that may make a difference."""
        attachment = self._attachment
        main = attachment.main
        frames: list[FrameId] = [frame for one in attachment for frame in one.frames]
        return (
            self._context.url,
            main.committed,
            main.content_loaded,
            main.loaded,
            main.navigating,
            len(attachment.dialogs),
            attachment.root.session.ended,
            tuple(frames),
        )

    async def _wait(self, missing: list[str], before: tuple[Any, ...]) -> None:
        looked = clock.monotonic()
        in_page = self._obstacle is None and any(name in self._conditions.in_page for name in missing)
        step = _SHORT_STEP if {"function", "load_state"}.intersection(missing) else _STEP
        if "time" in missing:
            step = min(step, self._time_left())
        least = max(_LEAST, min(self._took * _SHARE, _MOST))
        bound = self._inner.earlier(Deadline.after(max(step, least)))
        if in_page:
            # Every frame says when something in it changes.
            self._questions += self._ask(CHANGED, self._attachment.notify, math.ceil(bound.remaining * 1000))
        await self._attachment.wait_until(
            lambda: self._state() != before or any(one.answered for one in self._questions), bound
        )
        for question in self._questions:
            question.forget()
        self._questions.clear()
        rest = least - (clock.monotonic() - looked)
        await trio.sleep(max(0.0, min(rest, self._inner.remaining)))

    def _ask(self, function: str, notify: Callable[[], None], *further: Any) -> list[BackgroundCall]:
        """Call a function in every frame that is watched."""
        sessions = {one.session.id: one.session for one in self._attachment}
        given = [self._watched.key, *further]
        return [
            BackgroundCall(sessions[session_id], None, function, given, notify, world=world)
            for session_id, world in self._watched.worlds
            if session_id in sessions
        ]

    def _check_alive(self) -> None:
        session = self._attachment.root.session
        if session.connection.lost:
            raise ConnectionLost(
                "the connection to the browser was lost while waiting", may_have_been_executed=False
            )
        if session.ended is not None:
            raise session.error()

    def _too_late(self, missing: list[str]) -> WaitTimeout:
        words = [self._conditions.words(name) for name in missing]
        instead = {name: self._lacking[name] for name in missing if name in self._lacking}
        held = [self._conditions.words(name) for name in self._conditions.names if name not in missing]
        parts = [f"{' and '.join(words)} did not come within {self._seconds:g} s"]
        parts += [f"{name}: {lacking}" for name, lacking in instead.items()]
        if held:
            parts.append(f"{' and '.join(held)} held")
        parts.append(f"the page is at {excerpt(self._context.url, _SHOWN) or 'about:blank'}")
        if self._obstacle is not None:
            parts.append(self._obstacle)
        if self._silent:
            parts.append(f"{self._silent} frame{'s' if self._silent > 1 else ''} did not answer")
        return WaitTimeout(
            "; ".join(parts),
            missing=tuple(words),
            instead=instead,
            obstacle=self._obstacle or "",
            cause="dialog" if self._obstacle is not None and self._attachment.dialogs else None,
        )


def is_true(value: Any) -> bool:
    """Whether JavaScript would take a value of `hybridsnap.Page.evaluate` for true: an empty list is."""
    if value is None or isinstance(value, bool):
        return bool(value)
    if isinstance(value, (int, float)):
        return value != 0 and not math.isnan(value)
    return value != "" if isinstance(value, str) else True
