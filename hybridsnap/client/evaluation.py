"""Evaluating a script apart from everything else of a page, so that a stuck one holds nothing up.

Each evaluation has a lane of its own (`hybridsnap.client.lanes`), and is begun and ended there
(`hybridsnap.client.evaluator`).
"""

from __future__ import annotations

import dataclasses
import logging
import weakref
from typing import TYPE_CHECKING, Any, Unpack

import trio

from hybridsnap.act.evaluate import evaluate_on_element, evaluate_script, prepare_script
from hybridsnap.act.script_element import FoundForScript, find_for_script
from hybridsnap.capture.locating import Locator
from hybridsnap.client.evaluator import Evaluator, hand_on, open_to_the_end
from hybridsnap.client.keywords import check_naming
from hybridsnap.client.lanes import attach_to
from hybridsnap.client.page_core import PageCore
from hybridsnap.client.transport import background_nursery
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply, run
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    EvaluationFailed,
    EvaluationTimeout,
    HybridsnapError,
    TargetCrashed,
    TargetDetached,
)
from hybridsnap.render.clean import clean_text
from hybridsnap.snapshot import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.evaluate import Script, ScriptElement
    from hybridsnap.act.perform import Naming
    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.client.attachment import AttachedSession
    from hybridsnap.client.browser import Browser
    from hybridsnap.client.connection import Session
    from hybridsnap.client.lanes import Lane
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
#: Of a dialog's words, so much stands in a message.
_SHOWN = 80


@dataclasses.dataclass(frozen=True, slots=True)
class _Aim:
    """Where a script runs, and with which element."""

    one: AttachedSession
    element: ScriptElement | None


class Evaluation(PageCore):
    """The part of a `Page` that evaluates."""

    def __init__(
        self, browser: Browser, target_id: TargetId, session: Session, engine_session: Session
    ) -> None:
        super().__init__(browser, target_id, session, engine_session)
        #: A target's, as long as an evaluation has or wants it.
        self._turns: weakref.WeakValueDictionary[TargetId, trio.CapacityLimiter] = (
            weakref.WeakValueDictionary()
        )

    async def evaluate(
        self,
        expression: str,
        *args: object,
        element: str | None = None,
        timeout: float | Deadline = EVALUATION_TIMEOUT,
        isolated_world: bool = False,
        **naming: Unpack[Naming],
    ) -> Any:
        """Evaluate JavaScript in the page, apart from everything else that is done to it.

        It runs over a connection of its own, so that one that is stuck delays no other command. (Where there
        can be none, over the pipe for one, it runs on a session of its own. ``browser.metrics`` counts which
        way was taken, and why.)

        Args:
            expression: an expression, a function (which is called with the arguments), statements (their
                value is the last one's), or statements with a ``return``. ``await`` may stand in all of them,
                and a promise is awaited. `hybridsnap.act.evaluate` has the rules.
            args: for the function: None, bool, int, float, str, bytes, datetime, lists and dicts of these.
                NaN, ±Infinity, -0 and ints of any size arrive as what they are.
            element: id, ref or selector of an element: the function gets it first, and runs in its frame. In
                an expression that is no function it is ``element``.
            timeout: seconds, for all of it. The script has until a tenth of that (0.1 s at most) before.
            isolated_world: evaluate in our own world, which has the same DOM, but none of the page's
                variables, and built-in objects that the page cannot have changed.
            **naming: the rest of the element's name, as for every action.

        Returns:
            The value; undefined is None. `hybridsnap.act.values` has the table: numbers keep NaN, ±Infinity
            and -0, a BigInt is an int, a Date a datetime in UTC, a Map a dict; an object that occurs twice is
            one object, and cycles stay cycles. What has no value (functions, DOM nodes, windows) is described
            in angle brackets. More than 400 levels or a million items are refused with a RangeError.

        Raises:
            EvaluationFailed: the script threw, or does not compile; with its name, message and stack. Its
                name is ``Terminated`` when somebody else ended it.
            EvaluationTimeout: it had not ended in time; raised within 0.5 s after that. What ran was ended
                with ``Runtime.terminateExecution``. That ends whatever script the renderer process runs at
                that moment, without a chance to catch it or to clean up (no ``finally``): a handler of the
                page's own, when the script was waiting for that, or one of another tab of the same site,
                which may share the process. When nothing runs it ends nothing, also later (measured). A
                script that only waits for a promise is not ended but forgotten: what it has set up goes on.
                A tab that does not answer after that is attached to anew: `Page.session` is a new one then.
            CommandUnanswered: a dialog is open in the way (cause ``dialog``) and was not answered within
                0.3 s; the script goes on when it is. Or the page went elsewhere before the script ended
                (cause ``navigated``).
            StaleElement, UnknownElement, SelectorError: as for every action; nothing was evaluated.
            TypeError, ValueError: an argument has no form in a page, or the arguments do not go together.
            TargetCrashed, TargetDetached, ConnectionLost: there is nothing to evaluate in.
        """
        deadline = Deadline.of(timeout)
        seconds = deadline.remaining
        script = prepare_script(expression, args)
        check_naming(self, naming)
        if element is None and naming.get("backend_node_id") is None and naming:
            raise TypeError(f"{', '.join(naming)}: for naming an element, and there is none")
        with self.browser.metrics.evaluating():
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
        naming: Naming,
        isolated: bool,
        deadline: Deadline,
        seconds: float,
    ) -> Any:
        aim = _Aim(self._attachment.root, None)
        if aim.one.session.ended is not None:
            raise aim.one.session.error()
        where = "its element had not been found"
        try:
            if element is not None or naming:
                aim = await self._aimed(element, naming, deadline)
            where = "there was no session for it"
            target_id = aim.one.session.target_id or self.target_id
            async with (
                background_nursery() as outside,
                open_to_the_end(self.browser.lanes.open(target_id, aim.one.session, deadline.inner())) as (
                    lane,
                    protection,
                ),
            ):
                with trio.CancelScope() as inner:
                    outside.start_soon(hand_on, inner)
                    try:
                        return await self._on_lane(lane, script, aim, isolated, deadline, seconds)
                    finally:
                        protection.shield = False
                await trio.lowlevel.checkpoint_if_cancelled()
            raise AssertionError("what cancelled the inner scope is over")
        except CommandUnanswered as error:
            if error.cause in ("dialog", "navigated"):
                raise
            raise EvaluationTimeout(
                f"the script had not begun after {seconds:.3g} s: {where}, the page is busy", seconds=seconds
            ) from error
        except CommandRefused as error:
            raise await self._refused(error, aim, seconds) from error

    async def _aimed(self, element: str | None, naming: Naming, deadline: Deadline) -> _Aim:
        """Find the element, and the session that its process is reached by."""

        def plan(sessions: Sequence[SessionInfo]) -> Plan[FoundForScript]:
            locator = Locator(sessions, self._ordinals)
            return find_for_script(locator, self._bindings, element, naming)

        # The second time because its frame may have gone since, which then is found to be so.
        for _ in range(2):
            try:
                found = await self._run(plan, deadline)
            except CommandUnanswered as error:
                if error.cause == "dialog":
                    raise self._blocked(begun=False) from error
                raise
            self.browser.metrics.retries += found.retries
            for one in self._attachment:
                if one.session.id == found.session:
                    return _Aim(one, found.element)
        raise TargetDetached("the frame of the element is gone", session=found.session)

    async def _on_lane(
        self, lane: Lane, script: Script, aim: _Aim, isolated: bool, deadline: Deadline, seconds: float
    ) -> Any:
        root_frame = aim.one.root_frame if isolated else None
        plan = (
            evaluate_script(lane.session.id, script, root_frame)
            if aim.element is None
            else evaluate_on_element(lane.session.id, script, aim.element, isolated=isolated)
        )
        turn = self._turns.setdefault(aim.one.session.target_id or self.target_id, trio.CapacityLimiter(1))
        page_frame, own_frame = self._attachment.root.root_frame, aim.one.root_frame
        frames = {page_frame, own_frame, None if aim.element is None else aim.element.frame}
        evaluator = Evaluator(
            lane,
            turn,
            self._attachment,
            aim.one,
            frozenset(frame for frame in frames if frame is not None),
            deadline,
            self.browser.metrics,
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
            except CommandRefused as error:
                raise await self._refused(error, aim, seconds) from error
            finally:
                evaluator.leave()
        words = f"the script had not ended after {seconds:.3g} s, and was ended"
        if not evaluator.begun:
            words = (
                f"the script had not begun after {seconds:.3g} s: another evaluation of the page was running"
            )
        elif not was_running:
            words = (
                f"the script's promise was not settled after {seconds:.3g} s; it is not waited for any more"
            )
        if not self.responds:
            words = f"the script had not begun after {seconds:.3g} s: the page does not respond: {SILENT}"
        if not answers:
            words += "; " + await self._reattach()
        raise EvaluationTimeout(words, seconds=seconds)

    def _blocked(self, *, begun: bool) -> CommandUnanswered:
        """A dialog is in the way."""
        open_now = [f"{one.type}: {clean_text(one.message)[:_SHOWN]}" for one in self._attachment.dialogs]
        goes_on = "; the script goes on when it is answered" if begun else ""
        return CommandUnanswered(
            f"evaluate: a dialog is open on the page ({'; '.join(open_now) or 'closed by now'}); answer it"
            f" (page.answer_dialog), or arm an answer before (page.arm_dialog){goes_on}",
            method="Runtime.evaluate",
            cause="dialog",
        )

    async def _refused(self, error: CommandRefused, aim: _Aim, seconds: float) -> HybridsnapError:
        """What it means that the browser refused to go on with a script."""
        reason = error.reason
        if "Execution was terminated" in reason or error.code == _INTERNAL_ERROR:
            words = "the script was ended by somebody else: another evaluation of the same process, or client"
            return EvaluationFailed(words, name="Terminated", js_message=reason, js_stack="")
        if "Promise was collected" in reason:
            return EvaluationTimeout(
                "the script's promise can never be settled: nothing in the page holds it any more",
                seconds=seconds,
            )
        if "crashed" in reason:
            return TargetCrashed("the page's renderer has crashed; reload the page")
        if "navigated or closed" in reason or "context" in reason or "No target" in reason:
            return await self._gone(aim)
        return error

    async def _gone(self, aim: _Aim) -> HybridsnapError:
        """The document that the script was in is no more: the tab is closed, or elsewhere."""
        root = self._attachment.root.session
        with trio.move_on_after(_NEWS_SECONDS):
            while root.ended is None and aim.one.session.ended is None:
                await aim.one.session.wait_ended()
        for session in (root, aim.one.session):
            if session.ended is not None:
                return session.error()
        return CommandUnanswered(
            "evaluate: the page went elsewhere before the script had ended",
            method="Runtime.evaluate",
            cause="navigated",
        )

    async def _reattach(self) -> str:
        """Drop our sessions to a wedged tab, and attach to it anew; in words."""
        if self.browser.only_target is not None:
            return "the tab still does not answer"
        _log.warning("page %s did not answer after its script was ended: attaching anew", self.target_id)
        patience = Deadline.after(_REATTACHING_SECONDS)
        try:
            theirs, ours = [await attach_to(self._connection, self.target_id, patience) for _ in range(2)]
        except HybridsnapError:
            return "the tab still does not answer, and cannot be attached to anew"
        before = self.session
        self.session = theirs
        self._attachment.reattach(ours)
        self._connection.root.post("Target.detachFromTarget", {"sessionId": before.id}, ignore_reply)
        if before.id is not None:
            self._connection.drop(before.id)
        self.browser.metrics.reattached += 1
        return "the tab did not answer after that, and was attached to anew"
