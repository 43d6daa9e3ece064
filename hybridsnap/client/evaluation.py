"""Evaluating a script apart from everything else of a page, so that a stuck one holds nothing up.

Evaluations have sessions of their own (`hybridsnap.client.evaluation_connections`), and are begun and ended
there (`hybridsnap.client.evaluator`).
"""

from __future__ import annotations

import dataclasses
import logging
import weakref
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.act.actions.by_client import EVALUATE
from hybridsnap.act.evaluate import evaluate_on_element, evaluate_script, fail, prepare_script
from hybridsnap.act.script_element import FoundForScript, find_for_script
from hybridsnap.act.values import TOO_LARGE, Thrown
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.client.evaluator import Evaluator
from hybridsnap.client.transport import background_nursery
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ON_ITS_WAY, crashed, ignore_reply, run
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    EvaluationFailed,
    EvaluationTimeout,
    HybridsnapError,
    ReplyTooLarge,
    TargetDetached,
)
from hybridsnap.render.report import HELD, KEPT, SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.evaluate import Script, ScriptElement
    from hybridsnap.act.finding import ElementQuery
    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.client.attachment import AttachedSession
    from hybridsnap.client.evaluation_connections import EvaluationSession
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.model import TargetId
    from hybridsnap.protocol.plan import Plan

_log = logging.getLogger("hybridsnap")

#: As `Page.evaluate` has it by default.
EVALUATION_TIMEOUT = 20.0
#: Seconds in which a tab that stays wedged is attached to anew.
_REATTACHING_SECONDS = 0.15
#: Seconds past the deadline after which nothing more is tried.
_OVERRUN_SECONDS = 0.45
#: Seconds for the news that the tab is gone, after a reply that says either that or that it has navigated.
_NEWS_SECONDS = 0.1
#: The code of an internal error: so Chromium 156 answers for an awaited script that was ended.
_INTERNAL_ERROR = -32603


@dataclasses.dataclass(frozen=True, slots=True)
class _Aim:
    """Where a script runs, and with which element."""

    one: AttachedSession
    element: ScriptElement | None


class Evaluation:
    """The part of a page that evaluates."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._attachment = context.attachment
        self._browser = context.browser
        #: A target's, as long as an evaluation has or wants it.
        self._turns: weakref.WeakValueDictionary[TargetId, trio.CapacityLimiter] = (
            weakref.WeakValueDictionary()
        )

    async def evaluate(
        self,
        expression: str,
        args: tuple[object, ...],
        element: str | None,
        naming: ElementQuery,
        deadline: Deadline,
        *,
        isolated_world: bool = False,
    ) -> Any:
        """Evaluate JavaScript in the page: `hybridsnap.Page.evaluate`."""
        seconds = deadline.remaining
        script = prepare_script(expression, args)
        EVALUATE.bind(element, naming, {})
        with self._browser.metrics.evaluating():
            with trio.move_on_after(seconds + _OVERRUN_SECONDS):
                return await self._evaluate(script, element, naming, isolated_world, deadline, seconds)
            raise EvaluationTimeout(
                f"the script had not ended after {seconds:.3g} s, and the browser is slow to end it",
                seconds=seconds,
            )

    async def _evaluate(
        self,
        script: Script,
        element: str | None,
        naming: ElementQuery,
        isolated: bool,
        deadline: Deadline,
        seconds: float,
    ) -> Any:
        aim = _Aim(self._attachment.root, None)
        if aim.one.session.ended is not None:
            await self._attachment.settled(deadline, 0.5)
            if aim.one.session.ended is not None:
                raise aim.one.session.error()
        where = "its element had not been found, the page is busy"
        try:
            await self._attachment.refuse_kept(deadline)
        except CommandUnanswered as error:
            raise EvaluationTimeout(f"the script was not sent: {KEPT}", seconds=seconds) from error
        try:
            if element is not None or naming:
                aim = await self._aimed(element, naming, deadline)
            where = "a session for it had not been opened, the page is busy"
            target_id = aim.one.session.target_id or self._context.target_id
            async with self._browser.evaluations.session(
                target_id, aim.one.session, deadline.inner()
            ) as used:
                return await self._run_script(used, script, aim, isolated, deadline, seconds)
        except CommandUnanswered as error:
            if error.cause in ("dialog", "navigated"):
                raise
            raise EvaluationTimeout(self._not_begun(where, seconds), seconds=seconds) from error
        except CommandRefused as error:
            raise await self._refused(error, aim, seconds) from error

    async def _aimed(self, element: str | None, naming: ElementQuery, deadline: Deadline) -> _Aim:
        """Find the element, and the session that its process is reached by."""

        def plan(sessions: Sequence[SessionInfo]) -> Plan[FoundForScript]:
            resolver = NodeResolver(sessions, self._context.ordinals)
            return find_for_script(resolver, self._context.history, element, naming)

        # The second time because its frame may have gone since, which then is found to be so.
        for _ in range(2):
            try:
                found = await self._context.run(plan, deadline)
            except CommandUnanswered as error:
                if error.cause == "dialog":
                    raise self._blocked(begun=False) from error
                raise
            self._browser.metrics.retries += found.retries
            for one in self._attachment:
                if one.session.id == found.session:
                    return _Aim(one, found.element)
        raise TargetDetached("the frame of the element is gone", session=found.session)

    async def _run_script(
        self,
        used: EvaluationSession,
        script: Script,
        aim: _Aim,
        isolated: bool,
        deadline: Deadline,
        seconds: float,
    ) -> Any:
        root_frame = aim.one.root_frame if isolated else None
        plan = (
            evaluate_script(used.session.id, script, root_frame)
            if aim.element is None
            else evaluate_on_element(used.session.id, script, aim.element, isolated=isolated)
        )
        turn = self._turns.setdefault(
            aim.one.session.target_id or self._context.target_id, trio.CapacityLimiter(1)
        )
        page_frame, own_frame = self._attachment.root.root_frame, aim.one.root_frame
        frames = {page_frame, own_frame, None if aim.element is None else aim.element.frame}
        evaluator = Evaluator(
            used,
            turn,
            self._attachment,
            aim.one,
            frozenset(frame for frame in frames if frame is not None),
            deadline,
            self._browser.metrics,
        )
        answers = True
        async with background_nursery() as nursery:
            nursery.start_soon(evaluator.watch)
            try:
                with evaluator.listening():
                    return await run(plan, evaluator, deadline)
            except CommandUnanswered as error:
                if error.cause == "dialog":
                    raise self._blocked(begun=evaluator.begun) from None
                if error.cause == "navigated":
                    raise await self._gone(aim) from None
                was_running = evaluator.runs
                answers = await evaluator.end()
            except trio.Cancelled:
                await evaluator.end()
                raise
            except ReplyTooLarge:
                fail(script, Thrown("RangeError", TOO_LARGE, ""))
            finally:
                evaluator.leave()
        raise await self._out_of_time(evaluator, seconds, was_running=was_running, answers=answers)

    async def _out_of_time(
        self, evaluator: Evaluator, seconds: float, *, was_running: bool, answers: bool
    ) -> EvaluationTimeout:
        """The error of a script that was ended at its deadline; a tab that stays wedged is attached to anew.

        Args:
            evaluator: of the script.
            seconds: that it was given.
            was_running: it was not merely waiting for a promise.
            answers: the tab answers again. Where it does not, the script may still run: what is in a request
                most of the time hardly ever comes to where V8 looks whether it is to end.
        """
        ending = (
            "was ended" if answers else "could not be: it may wait in one synchronous request after another"
        )
        words = f"the script had not ended after {seconds:.3g} s, and {ending}"
        if not evaluator.begun:
            words = self._not_begun("another evaluation of the page was running", seconds)
        elif not evaluator.reached:
            words = self._not_begun(
                "the page was busy with work of its own, which was left alone; the script runs when that is"
                f" over, unless its document is left before; {HELD}",
                seconds,
                sent=True,
            )
        elif not was_running:
            words = (
                f"the script's promise was not settled after {seconds:.3g} s; it is not waited for any more"
            )
        if not self._context.responds:
            words = self._not_begun(f"the page does not respond: {SILENT}", seconds)
        if not answers:
            words += "; " + await self._reattach()
        return EvaluationTimeout(words, seconds=seconds)

    def _not_begun(self, why: str, seconds: float, *, sent: bool = False) -> str:
        """That a script had not begun, and why; of a page that is going elsewhere that is the reason."""
        if self._attachment.main.navigating and self._context.responds:
            why = ON_ITS_WAY
            if sent:
                why += "; the script was sent, and may or may not run before the page leaves"
        after = f" after {seconds:.3g} s" if seconds > 0 else ", as no time was left for it"
        return f"the script had not begun{after}: {why}"

    def _blocked(self, *, begun: bool) -> CommandUnanswered:
        goes_on = "; the script goes on when it is answered" if begun else ""
        return CommandUnanswered(
            f"evaluate: {self._attachment.dialog_words()}{goes_on}",
            method="Runtime.evaluate",
            cause="dialog",
        )

    async def _refused(self, error: CommandRefused, aim: _Aim, seconds: float) -> HybridsnapError:
        """What it means that the browser refused to go on with a script."""
        reason = error.reason
        if "Execution was terminated" in reason or error.code == _INTERNAL_ERROR:
            words = (
                "the script was ended from outside: by another evaluation of the same process, or by a client"
            )
            return EvaluationFailed(words, name="Terminated", js_message=reason, js_stack="")
        if "Promise was collected" in reason:
            return EvaluationTimeout(
                "the script's promise can never be settled: nothing in the page holds it any more",
                seconds=seconds,
            )
        if "crashed" in reason:
            return crashed()
        if "navigated or closed" in reason or "context" in reason or "No target" in reason:
            return await self._gone(aim)
        return error

    async def _gone(self, aim: _Aim) -> HybridsnapError:
        """The document that the script ran in is gone: the tab was closed or has navigated."""
        sessions = (self._attachment.root.session, aim.one.session)
        await self._attachment.wait_until(
            lambda: any(one.ended is not None for one in sessions), Deadline.after(_NEWS_SECONDS)
        )
        for session in sessions:
            if session.ended is not None:
                return session.error()
        return CommandUnanswered(
            "evaluate: the page went elsewhere before the script had ended",
            method="Runtime.evaluate",
            cause="navigated",
        )

    async def _reattach(self) -> str:
        """Drop our sessions to a wedged tab, and attach to it anew; in words."""
        if self._browser.only_target is not None:
            return "the tab still does not answer"
        _log.warning(
            "page %s did not answer after its script was ended: attaching anew", self._context.target_id
        )
        patience = Deadline.after(_REATTACHING_SECONDS)
        before = [self._context.session.id, self._attachment.root.session.id]
        try:
            await self._context.attach_anew(patience)
        except HybridsnapError:
            return "the tab still does not answer, and cannot be attached to anew"
        for session_id in before:
            self._context.connection.root.post(
                "Target.detachFromTarget", {"sessionId": session_id}, ignore_reply
            )
        self._browser.metrics.reattached += 1
        return "the tab does not answer, and was attached to anew"
