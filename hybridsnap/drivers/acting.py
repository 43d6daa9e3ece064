"""Actions on a tab of a foreign driver: the same plans as the client's, with what can be told without events.

Nobody here hears the driver's events. So after an action a moment is let pass before the page is looked at,
and the receipt tells what was seen from within the page (the DOM, the focus, the element), but not of
navigations, new tabs, dialogs and downloads, which the driver itself tells.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from hybridsnap.act.element import describe
from hybridsnap.act.forms import fill
from hybridsnap.act.perform import Progress, perform_on_element
from hybridsnap.act.pointer import PointerOptions, click_element
from hybridsnap.act.receipt import Receipt
from hybridsnap.act.text_entry import press_chord, type_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.act.bindings import Bindings
    from hybridsnap.act.element import Element
    from hybridsnap.act.perform import Naming
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan

#: Seconds that a page is given to react.
_QUIET = 0.25


def clicking(element: str, naming: Naming, options: PointerOptions) -> Callable[..., Plan[Receipt]]:
    """Click an element, as `hybridsnap.Page.click`."""
    return _acting("click", element, naming, lambda locator, found: click_element(locator, found, options))


def typing(
    element: str, naming: Naming, text: str, *, clear: bool, submit: bool
) -> Callable[..., Plan[Receipt]]:
    """Type into an element, as `hybridsnap.Page.type`."""
    return _acting(
        "type",
        element,
        naming,
        lambda locator, found: type_text(locator, found, text, clear=clear, submit=submit),
    )


def filling(element: str, naming: Naming, value: Any) -> Callable[..., Plan[Receipt]]:
    """Give a control its value, as `hybridsnap.Page.fill`."""
    return _acting("fill", element, naming, lambda locator, found: fill(locator, found, value))


def pressing(element: str, naming: Naming, chord: str) -> Callable[..., Plan[Receipt]]:
    """Press keys on an element, as `hybridsnap.Page.press`."""
    return _acting("press", element, naming, lambda locator, found: press_chord(locator, chord, found))


def _acting(
    action: str, element: str, naming: Naming, act: Callable[[Locator, Element], Plan[Any]]
) -> Callable[[Locator, Bindings], Plan[Receipt]]:
    def plan(locator: Locator, bindings: Bindings) -> Plan[Receipt]:
        started = time.monotonic()
        performed = yield from perform_on_element(
            locator,
            bindings,
            element,
            naming,
            lambda found: act(locator, found),
            progress=Progress(),
            quiet=_QUIET,
        )
        seen, found = performed.seen, performed.element
        notes = [*getattr(performed.result, "notes", ())]
        notes += ["the element is gone from the page"] if seen.gone else []
        return Receipt(
            action=action,
            element_id=None if found is None else found.id,
            target="" if found is None else describe(found.role, found.name),
            focus=seen.focus,
            changes=seen.changes,
            announced=seen.announced,
            dom_changes=seen.dom_changes,
            notes=tuple(notes),
            elapsed_ms=(time.monotonic() - started) * 1000,
        )

    return plan
