"""Actions as the servers take them: JSON objects, or steps as WebArena writes them (``click [0-29]``)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.act.actions import ACTIONS
from hybridsnap.client.navigating import Navigation
from hybridsnap.client.requests import ActionRequest, parse_action
from hybridsnap.errors import NavigationFailed
from hybridsnap.webarena.client_tab import execute
from hybridsnap.webarena.grammar import ACTIONS as STEPS
from hybridsnap.webarena.grammar import CloseTab, NewTab, StepError, TabFocus, format_step
from hybridsnap.webarena.reader import parse_step

if TYPE_CHECKING:
    from hybridsnap.client.browser import Page
    from hybridsnap.deadline import Deadline
    from hybridsnap.webarena.grammar import Action


@dataclasses.dataclass(frozen=True, slots=True)
class StepRequest:
    """One step, checked.

    Attributes:
        form: the class of the step, in `hybridsnap.webarena.grammar`.
        arguments: the fields of that class.
    """

    form: type[Action]
    arguments: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The first word of the step."""
        return format_step(self.step).partition(" ")[0]

    @property
    def step(self) -> Action:
        """The step as a value."""
        return self.form(**self.arguments)

    async def perform(self, page: Page, deadline: Deadline) -> Any:
        """Do the step.

        Returns:
            A tuple with the receipt of each of its parts (to type is to click, then to type); the receipt
            itself where there is one; a `Navigation`; the answer of ``stop``; or None.

        Raises:
            HybridsnapError, TypeError, ValueError: what the actions raise.
        """
        done = await execute(self.step, page, timeout=deadline)
        if len(done.receipts) > 1:
            return done.receipts
        return done.receipts[0] if done.receipts else done.navigation or done.answer


def check_arrived(result: Any, page: Page) -> None:
    """Refuse to go on after a navigation that did not arrive: what follows is meant for the page it leads to.

    Behind a dialog that is open, the next action may answer it; any other is refused by itself.

    Args:
        result: of an action that others follow.
        page: as it is now.

    Raises:
        NavigationFailed: it has not arrived.
    """
    if not isinstance(result, Navigation) or result.arrived or page.dialogs:
        return
    raise NavigationFailed(
        f"{result}; what was to follow is not done: allow more time, or wait for the page (wait_for)",
        url=result.url,
        reason=result.ended_by,
    )


ServedAction: TypeAlias = ActionRequest | StepRequest


def read_action(data: object, *, tabs: str) -> ServedAction:
    """An action out of JSON data.

    Args:
        data: an object for `parse_action`; or a step: a text, or an object whose ``action`` is one.
        tabs: what to do in place of a step that opens, chooses or closes a tab, which only a client with a
            whole browser can do.

    Raises:
        ValueError: data is neither, or a step for tabs.
    """
    named: object = data
    beside: list[str] = []
    if isinstance(data, Mapping):
        named = data.get("action")
        if not (isinstance(named, str) and "[" in named):
            return parse_action(data)
        beside = [str(key) for key in data if key not in {"action", "description"}]
    if not isinstance(named, str):
        return parse_action(data)
    if beside:
        raise ValueError(f"a step says everything itself; {', '.join(beside)[:100]} cannot stand beside it")
    try:
        step = parse_step(named)
    except StepError as error:
        if error.action in ACTIONS and error.action not in STEPS:
            raise ValueError(
                f"{error.action} is not written as a step: action is its name alone, and its arguments stand"
                " apart"
            ) from None
        raise
    if isinstance(step, NewTab | TabFocus | CloseTab):
        raise ValueError(f"{format_step(step)}: {tabs}")  # noqa: TRY004 - a wrong value
    fields = dataclasses.fields(step)
    return StepRequest(type(step), {one.name: getattr(step, one.name) for one in fields})
