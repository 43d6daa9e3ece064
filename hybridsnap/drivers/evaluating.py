"""Evaluating in a tab of a foreign driver: on a session of ours beside the driver's own, and bounded.

There is no second connection: what is stuck is ended with ``Runtime.terminateExecution``, on the session that
it runs on, and the session goes. That command ends whatever runs in the page, so the script is only sent once
the page has answered: what keeps the page from it before is work of its own, and is left alone. Where the
driver lets us have no session (`AttachedTab.notes` says why), its own is used, which the script then holds up
until it ends or is ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.act.evaluate import evaluate_on_element, evaluate_script, prepare_script
from hybridsnap.act.script_element import find_for_script
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.dialogs import DialogLog
from hybridsnap.drivers.operations import Operation
from hybridsnap.errors import CommandUnanswered, EvaluationTimeout, HybridsnapError
from hybridsnap.protocol.commands import enable_page, get_frame_tree, tell
from hybridsnap.protocol.plan import gather

if TYPE_CHECKING:
    import collections

    from hybridsnap.act.finding import ElementQuery
    from hybridsnap.act.script_element import FoundForScript
    from hybridsnap.drivers.attached_tab import AttachedTab
    from hybridsnap.model import SessionId
    from hybridsnap.protocol.plan import Command, Plan

#: As `hybridsnap.Page.evaluate` has it by default.
EVALUATION_TIMEOUT = 20.0


class Evaluating(Operation[Any]):
    """One evaluation on its way: find the element, run the script, end it.

    Args:
        expression, arguments, element, isolated, naming, timeout: as for `hybridsnap.Page.evaluate`.
        ways: counts the way that is taken.

    Attributes:
        deadline: for all of it.
        session: that the script runs in.
        begun: the page answered, and the script was sent.
        stuck: it was left there.

    Raises:
        TypeError, ValueError: as there.
    """

    def __init__(
        self,
        expression: str,
        arguments: tuple[object, ...],
        element: str | None,
        timeout: float | Deadline,
        *,
        isolated: bool,
        ways: collections.Counter[str],
        **naming: Unpack[ElementQuery],
    ) -> None:
        self.deadline: Deadline = Deadline.of(timeout)
        self._seconds = self.deadline.remaining if isinstance(timeout, Deadline) else float(timeout)
        self._ways = ways
        self._script = prepare_script(expression, arguments)
        self._element, self._naming, self._isolated = element, naming, isolated
        self._on_element = element is not None or naming.get("backend_node_id") is not None
        self._found = False
        self._dialogs = DialogLog()
        self.session: SessionId | None = None
        self.begun: bool = False
        self.stuck: bool = False
        if naming and not self._on_element:
            raise TypeError(f"{', '.join(naming)}: for naming an element, and there is none")

    async def carry_out(self, tab: AttachedTab) -> Any:
        """Find the element, if there is one, and run the script."""
        self._ways["own session" if tab.notes else "second session"] += 1
        self._dialogs = tab.driver.dialogs
        found = None
        try:
            if self._on_element:
                resolver = NodeResolver(tab.sessions, tab.history.ordinals)
                search = find_for_script(resolver, tab.history, self._element, self._naming)
                found = await tab.driver.run(search, self.deadline)
            return await tab.driver.run(self._plan(tab, found), self.deadline, ends=self._end)
        except CommandUnanswered as error:
            raise self.late(error) from None

    def _plan(self, tab: AttachedTab, found: FoundForScript | None) -> Plan[Any]:
        """Run the script; when that is left before it has ended, it is `stuck`."""
        self.session = tab.sessions[0].session if found is None else found.session
        self._found = found is not None
        # A session of ours hears of dialogs with this domain on, and ends with the call.
        bare = any(one.bare for one in tab.sessions if one.session == self.session)
        yield from gather(get_frame_tree(self.session), *([enable_page(self.session)] if bare else []))
        self.begun = True
        try:
            if found is not None:
                value = yield from evaluate_on_element(
                    found.session, self._script, found.element, isolated=self._isolated
                )
            else:
                frame = tab.sessions[0].root_frame if self._isolated else None
                value = yield from evaluate_script(self.session, self._script, frame)
        except (CommandUnanswered, GeneratorExit):
            self.stuck = True
            raise
        return value

    def _end(self) -> list[Command[Any]]:
        """What ends a script that is stuck; one that waits for a dialog goes on when that is answered."""
        if not self.stuck or self._dialogs.left_open is not None:
            return []
        return [tell(self.session, "Runtime.terminateExecution")]

    def late(self, error: CommandUnanswered) -> HybridsnapError:
        """It had not ended in time, or not even begun, or a dialog is in its way."""
        if error.cause == "dialog" or self._dialogs.left_open is not None:
            goes_on = "; the script goes on when it is answered" if self.begun else ""
            return CommandUnanswered(
                "evaluate: a dialog is open on the page; answer it with the driver that saw it open"
                + goes_on,
                method="Runtime.evaluate",
                cause="dialog",
            )
        seconds = f"{self._seconds:.3g} s"
        if self.begun:
            words = f"the script had not ended after {seconds}, and is ended where that can be"
        elif self._on_element and not self._found:
            words = f"the script had not begun after {seconds}: its element had not been found"
        else:
            words = (
                f"the script had not begun after {seconds}: the page was busy with work of its own, which was"
                " left alone, or on its way to another document; the script was not sent; allow more time"
            )
        return EvaluationTimeout(words, seconds=self._seconds)
