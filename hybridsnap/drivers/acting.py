"""Actions on a tab of a foreign driver: the same plans as the client's, with what can be told without events.

Nobody here hears the driver's events. So after an action a moment is let pass before the page is looked at,
and the receipt tells what was seen from within the page (the DOM, the focus, the element), but not of
navigations, new tabs and downloads, which the driver itself tells; of a dialog, only that it opened.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hybridsnap.act.element import describe
from hybridsnap.act.focusing import DIALOG_NOTE
from hybridsnap.act.perform import Progress, perform_on_element, perform_on_page
from hybridsnap.act.pointer import DIALOG_OPENED
from hybridsnap.act.receipt import Receipt, tell_chooser
from hybridsnap.model import ElementId

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hybridsnap.act.bindings import Bindings
    from hybridsnap.act.element import Element
    from hybridsnap.act.perform import Naming, Performed
    from hybridsnap.capture.locating import Locator, Place
    from hybridsnap.model import Cause, SessionId
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")
#: Seconds that a page is given to react.
_QUIET = 0.25


def acting(
    action: str,
    element: str | None,
    naming: Naming,
    act: Callable[[Locator, Bindings, Element], Plan[Any]],
    tell: Callable[[Any], Any] | None = None,
) -> Callable[[Locator, Bindings], Plan[Receipt]]:
    """An action on an element.

    Args:
        action: its name.
        element: id, ref or selector.
        naming: the rest of its name.
        act: what to do.
        tell: the receipt's ``value``, of what that returns.
    """

    def plan(locator: Locator, bindings: Bindings) -> Plan[Receipt]:
        started = time.monotonic()
        performed = yield from perform_on_element(
            locator,
            bindings,
            element,
            naming,
            functools.partial(act, locator, bindings),
            progress=Progress(),
            quiet=_QUIET,
        )
        return _receipt(action, performed, tell, started)

    return plan


def acting_on_page(
    action: str,
    around: Callable[[Locator], Plan[Place | None]],
    act: Callable[[Locator, Bindings], Plan[Any]],
    tell: Callable[[Any], Any] | None = None,
) -> Callable[[Locator, Bindings], Plan[Receipt]]:
    """An action on the page; `around` says where it will show. All else as `acting`."""

    def plan(locator: Locator, bindings: Bindings) -> Plan[Receipt]:
        started = time.monotonic()
        performed = yield from perform_on_page(
            locator,
            bindings,
            functools.partial(around, locator),
            functools.partial(act, locator, bindings),
            progress=Progress(),
            quiet=_QUIET,
        )
        return _receipt(action, performed, tell, started)

    return plan


def told_of_dialog(result: T, obstacles: Mapping[SessionId | None, Cause]) -> T:
    """A receipt with the dialog that opened once the input had been answered. All else as it is."""
    if not isinstance(result, Receipt) or "dialog" not in obstacles.values():
        return result
    if any(note in result.notes for note in (DIALOG_OPENED, DIALOG_NOTE)):
        return result
    return msgspec.structs.replace(result, notes=(*result.notes, DIALOG_OPENED))


def _receipt(
    action: str, performed: Performed[Any], tell: Callable[[Any], Any] | None, started: float
) -> Receipt:
    seen, found = performed.seen, performed.element
    notes = [*getattr(performed.result, "notes", ())]
    notes += tell_chooser(seen.file_chooser)
    notes += ["the element is gone from the page"] if seen.gone else []
    return Receipt(
        action=action,
        element_id=None if found is None else found.id,
        target="" if found is None else describe(found.role, found.name),
        focus=seen.focus,
        changes=seen.changes,
        invalid=seen.invalid,
        file_chooser=None if seen.file_chooser is None else ElementId(seen.file_chooser),
        announced=seen.announced,
        dom_changes=seen.dom_changes,
        notes=tuple(notes),
        value=None if tell is None else tell(performed.result),
        elapsed_ms=(time.monotonic() - started) * 1000,
    )
