"""Actions on a tab of a foreign driver: the same plans as the client's, with what can be told without events.

The driver's events are not received here. So after an action the page is looked at only after a moment,
and the receipt tells what was seen from within the page (the DOM, the focus, the element), but not of
navigations, new tabs and downloads, which the driver itself tells. Dialogs it has from a session of ours,
where the driver lets events through (Playwright, Selenium, cdp-use); elsewhere only that one opened.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hybridsnap.act.actions import find_action
from hybridsnap.act.actions.receipts import build_receipt
from hybridsnap.act.actions.spec import ActionContext
from hybridsnap.act.focusing import DIALOG_NOTE
from hybridsnap.act.perform import perform, read_element
from hybridsnap.act.pointer import DIALOG_OPENED
from hybridsnap.act.readiness import Progress
from hybridsnap.act.receipt import Receipt, tell_chooser
from hybridsnap.protocol.commands import enable_page
from hybridsnap.protocol.plan import gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.drivers.dialogs import DialogLog
    from hybridsnap.model import Cause, SessionId
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")
#: Seconds that a page is given to react.
_QUIET = 0.25


def plan_action(
    action: str, element: str | None, arguments: Sequence[Any], options: Mapping[str, Any]
) -> Callable[[NodeResolver, ElementHistory], Plan[Any]]:
    """A plan for an action of the table.

    Args:
        action: its name.
        element: id, ref or selector; None for actions on the page, or with a ``backend_node_id``.
        arguments: by position, as for `hybridsnap.Page`'s method of this name, but for the element.
        options: likewise by name, with how the element is named.

    Returns:
        Of what does something, a plan of a `Receipt`; of what reads, of what it reads.

    Raises:
        ValueError: there is no such action.
        TypeError: it does not take these arguments, or needs an element, or a client's `Page`.
    """
    spec = find_action(action)
    if action == "evaluate":
        raise TypeError("evaluate is a method of its own: tab.evaluate(expression, *args, element=…)")
    if spec.plan is None:
        raise TypeError(f"{action} takes the events of a client of ours; connect one: hybridsnap.attach")
    call = spec.bind_positional(element, arguments, options)

    def plan(resolver: NodeResolver, history: ElementHistory) -> Plan[Any]:
        context = ActionContext(resolver, history)
        if spec.reads:
            return (yield from read_element(call, context))
        started = time.monotonic()
        # Sessions of ours hear of dialogs with this domain on, and end with the call.
        own = [enable_page(one.session) for one in resolver.sessions if one.bare]
        if own:
            yield from gather_outcomes(*own)
        performed = yield from perform(call, context, progress=Progress(), quiet=_QUIET)
        receipt = build_receipt(call, performed, elapsed_ms=(time.monotonic() - started) * 1000)
        notes = (*receipt.notes, *tell_chooser(receipt.file_chooser))
        return msgspec.structs.replace(receipt, notes=notes)

    return plan


def told_of_dialogs(result: T, obstacles: Mapping[SessionId | None, Cause], dialogs: DialogLog) -> T:
    """A receipt with the dialogs that were answered, and the one that is open. All else as it is."""
    if not isinstance(result, Receipt):
        return result
    notes = result.notes
    if "dialog" in obstacles.values() and not {DIALOG_OPENED, DIALOG_NOTE} & set(notes):
        notes = (*notes, DIALOG_OPENED)
    return msgspec.structs.replace(result, dialog=dialogs.left_open, answered=dialogs.answered(), notes=notes)
