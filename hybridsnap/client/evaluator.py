"""One evaluation on its session: when its script begins, what holds it up, and how it is ended.

Behind the command that runs the script goes a probe, a command that the renderer's main thread answers
without running anything: once that is answered, the script has come to its end, or to the first point at
which it waits. Until then it *runs*, and no other of our evaluations of the same target is begun, as it could
not run anyway. So what is to be ended when one runs out of time is known:

- it has not begun: nothing. A script that was sent has not begun while the question that went out before it,
  which documents there are, has no answer: the page is busy with something of its own. That is left alone,
  and the script runs when it is over;
- it runs: the main thread's script is ended;
- it waits (for a promise): nothing, when the main thread answers another probe. Otherwise something runs
  there, likely its own continuation, and is ended, unless that may be another evaluation of ours that still
  has time.

Measured in Chromium 156: `Runtime.terminateExecution` is answered while a script runs, ends it within a
millisecond or two, and does nothing to later scripts when none runs. The command that ran the script is then
refused ("Execution was terminated"; "Internal error" where a promise was awaited), or stays open, when a
promise is. While a dialog is open, `Runtime.terminateExecution` is not answered. A script that sends one
synchronous request after another does not end: V8 looks for it once in some thousand steps.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from hybridsnap.act.evaluate import SCRIPTS
from hybridsnap.client.channel import ConnectionChannel
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import crashed, ignore_reply, unanswered
from hybridsnap.errors import HybridsnapError
from hybridsnap.protocol.replies import FrameTreeResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.client.attachment import AttachedSession, PageAttachment
    from hybridsnap.client.evaluation_connections import EvaluationSession
    from hybridsnap.client.metrics import Metrics
    from hybridsnap.model import Cause, FrameId, LoaderId, SessionId
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command
    from hybridsnap.protocol.replies import Frame

#: Seconds in which what runs is ended. They begin a margin before the deadline, and may pass it: a tab counts
#: as wedged only when it stays so for a while.
_ENDING_SECONDS = 0.35
#: Seconds for the main thread to answer when nothing runs there. It takes one millisecond.
_PROBE_SECONDS = 0.08
#: Seconds between two attempts to end what runs: a page may begin anew at once.
_AGAIN_SECONDS = 0.04
#: Seconds for whoever is to answer a dialog: an armed answer takes a few milliseconds.
_DIALOG_PATIENCE = 0.3
#: Seconds for a reply that was sent before its document was left; it comes over another connection.
_LAST_WORDS_SECONDS = 0.05


class Evaluator:
    """One evaluation on its session. `hybridsnap.drivers.base.Driver` for its plan.

    Args:
        used: the session, and which kind of session that is.
        turn: taken while the script runs.
        attachment: of the page, which hears of dialogs.
        one: the page's own session of the same target.
        frames: whose documents the script needs: its own, and those that it stands in, as far as known.
        deadline: of the evaluation.
        metrics: to count in.
    """

    def __init__(
        self,
        used: EvaluationSession,
        turn: trio.CapacityLimiter,
        attachment: PageAttachment,
        one: AttachedSession,
        frames: frozenset[FrameId],
        deadline: Deadline,
        metrics: Metrics,
    ) -> None:
        self.name: str = used.way
        self._used = used
        self._session = used.session
        self._connection = used.session.connection
        self._channel: EvaluationChannel | None = None
        self._turn = turn
        self._attachment = attachment
        self._one = one
        self._deadline = deadline
        self._metrics = metrics
        self._waiting: trio.CancelScope | None = None
        self._frames = frames
        #: The documents that the script was begun in, and those that frames have got since; None for a frame
        #: that is gone.
        self._documents: dict[FrameId, LoaderId] = {}
        self._arrivals: dict[FrameId, LoaderId | None] = {}
        self._failed_for: Cause | None = None
        self._probes = 0
        #: The script was sent. It has begun if it is `reached`, too.
        self.begun: bool = False
        #: The main thread took the command right before the script, so the script has begun.
        self.reached: bool = False
        #: It runs, as far as is known: the turn is ours.
        self.runs: bool = False

    def channel(self) -> EvaluationChannel:
        """As `Driver.channel`."""
        self._channel = EvaluationChannel(self)
        return self._channel

    def cause_of_silence(self, _: SessionId | None) -> Cause:
        """As `Driver.cause_of_silence`."""
        return self._failed_for or self._obstacle() or "busy"

    async def clean_up(self, commands: Sequence[Command[Any]]) -> None:
        """As `Driver.clean_up`."""
        for command in commands:
            self._session.post(command.method, command.params, ignore_reply)
        await self._connection.flush()

    async def take_turn(self) -> Cause | None:
        """Wait until no other evaluation of the target runs; what prevented that, if anything."""
        if self._failed_for is not None:
            return self._failed_for
        self._probes += 1
        if self.runs:
            return None  # a step of it has just ended, and its probe is not answered yet
        with trio.move_on_after(self._deadline.inner().remaining) as scope:
            self._waiting = scope
            await self._turn.acquire_on_behalf_of(self)
            self.begun = self.runs = True
        self._waiting = None
        return self.cause_of_silence(None) if scope.cancelled_caught else None

    def note_documents(self) -> None:
        """The script is about to go out: learn which documents it begins in."""

        def answered(reply: Payload | HybridsnapError) -> None:
            if not isinstance(reply, HybridsnapError):
                self.reached = True
                with contextlib.suppress(msgspec.MsgspecError, ValueError):
                    tree = reply.result(FrameTreeResult).frame_tree
                    self._documents = self._needed(tree.frames())
            self._attachment.notify()

        self._session.post("Page.getFrameTree", {}, answered)

    def _needed(self, tree: Sequence[Frame]) -> dict[FrameId, LoaderId]:
        """The documents of the frames that the script needs, and of those around them. Any other frame may
        go, even because the script removes it.
        """
        by_id = {frame.id: frame for frame in tree}
        needed: dict[FrameId, LoaderId] = {}
        for frame in map(by_id.get, self._frames):
            above = frame
            while above is not None and above.id not in needed:
                needed[above.id] = above.loader_id
                above = None if above.parent_id is None else by_id.get(above.parent_id)
        return needed

    def follow(self, commands: Sequence[tuple[int, Command[Any]]]) -> None:
        """The script is on its way: learn when it does not run any more."""
        at_once = [ticket for ticket, command in commands if not command.params.get("awaitPromise", True)]

        def answered(_: Payload | HybridsnapError) -> None:
            self._probes -= 1
            if self._channel is not None:
                for ticket in at_once:
                    self._channel.fail_dropped(ticket)
            if not self._probes:
                self.leave()

        self._session.post("Runtime.getIsolateId", {}, answered)

    def leave(self) -> None:
        """Leave the turn to others."""
        if self.runs:
            self.runs = False
            self._turn.release_on_behalf_of(self)

    def listening(self) -> contextlib.AbstractContextManager[None]:
        """Hear of frames that go elsewhere, for the length of the block."""
        return self._attachment.listening(self._listen)

    def _listen(self, _: AttachedSession, method: str, params: dict[str, Any]) -> None:
        if method == "Page.frameNavigated":
            self._arrivals[params["frame"]["id"]] = params["frame"]["loaderId"]
        elif method == "Page.frameDetached" and params.get("reason") != "swap":
            self._arrivals[params["frameId"]] = None
        self._attachment.notify()

    def _departed(self) -> bool:
        """Whether the document that the script was begun in was left."""
        return any(
            frame in self._documents and self._documents[frame] != loader
            for frame, loader in self._arrivals.items()
        )

    def _obstacle(self) -> Cause | None:
        """What keeps the script from ending."""
        if self._attachment.blocked_by_dialog(self._one):
            return "dialog"
        # A session that was attached to a page that has crashed hears nothing of that; the page's own does.
        if self._one.session.ended == "crashed":
            return "crashed"
        return "navigated" if self._departed() else None

    async def watch(self) -> None:
        """Fail the script's commands when something holds them up for good: a dialog, a document's end."""
        attachment, deadline = self._attachment, self._deadline
        while await attachment.wait_until(lambda: self._obstacle() is not None, deadline):
            cause = self._obstacle()
            patience = Deadline.after(_DIALOG_PATIENCE if cause == "dialog" else _LAST_WORDS_SECONDS)
            await attachment.wait_until(lambda: self._obstacle() is None, patience.earlier(deadline))
            cause = self._obstacle()
            if cause is not None:
                self._fail(cause)
                return

    def _fail(self, cause: Cause) -> None:
        self._failed_for = cause
        if self._waiting is not None:
            self._waiting.cancel()
        if self._channel is not None:
            self._channel.fail_open(
                "", lambda method: crashed() if cause == "crashed" else unanswered(method, cause)
            )

    async def end(self) -> bool:
        """End what runs, when that is ours to end; whether the target's main thread answers in the end."""
        if not self.begun or self._session.ended is not None or self._connection.lost:
            return True
        self._used.spent = True
        patience = Deadline.after(_ENDING_SECONDS)
        with trio.CancelScope(shield=True):
            if not await self._attachment.wait_until(lambda: self.reached, patience):
                return True  # what runs is the page's own
        with trio.move_on_after(_ENDING_SECONDS, shield=True):
            if not self.runs:
                if await self._answers(_PROBE_SECONDS):
                    return True
                if self._turn.borrowed_tokens:
                    return True  # another evaluation runs, and has its own deadline
            self._metrics.terminations += 1
            while True:
                # A session that was attached while a script of the page's ran reaches nothing before that
                # ends (measured): the page's own session does.
                for session in (self._session, self._one.session):
                    session.post("Runtime.terminateExecution", {}, ignore_reply)
                if await self._answers(_AGAIN_SECONDS):
                    # A timer of the script may have come up meanwhile, and hold it up again.
                    await trio.sleep(_AGAIN_SECONDS / 4)
                    if await self._answers(_AGAIN_SECONDS):
                        return True
        return False

    async def _answers(self, seconds: float) -> bool:
        """Whether the main thread answers within some time, after all that was asked of it before."""
        answered = trio.Event()
        number = self._session.post("Runtime.getIsolateId", {}, lambda _: answered.set())
        with trio.move_on_after(seconds):
            await answered.wait()
        self._connection.forget(number)
        return answered.is_set()


class EvaluationChannel(ConnectionChannel):
    """A channel that begins a script when it is its turn, and learns when it does not run any more."""

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator._connection)  # noqa: SLF001 - they are one
        self._evaluator = evaluator

    async def send(self, commands: Sequence[tuple[int, Command[Any]]]) -> None:
        """As `ConnectionChannel.send`."""
        script = any(command.method in SCRIPTS for _, command in commands)
        if script:
            cause = await self._evaluator.take_turn()
            if cause is not None:
                for ticket, command in commands:
                    self.put(ticket, unanswered(command.method, cause))
                return
            self._evaluator.note_documents()
        await super().send(commands)
        if script:
            self._evaluator.follow(commands)
