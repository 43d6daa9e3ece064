"""The receipt of an action, as far as its plan knows it; whoever runs the plan adds what events have told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.element import describe
from hybridsnap.act.receipt import Receipt, made_else
from hybridsnap.model import ElementId

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.act.actions.spec import ActionCall
    from hybridsnap.act.perform import Performed


def build_receipt(
    call: ActionCall[Any],
    performed: Performed[Any],
    *,
    elapsed_ms: float,
    steps_ms: Mapping[str, float] | None = None,
    navigated: bool = False,
) -> Receipt:
    """The receipt of an action.

    Args:
        call: of the action.
        performed: what its plan did, and what was seen from within the page.
        elapsed_ms: of all of it.
        steps_ms: of its steps.
        navigated: the page went elsewhere, and took the element with it.
    """
    element, seen = performed.element, performed.seen
    value, details = call.tell(performed.result)
    notes = [*getattr(performed.result, "notes", ())]
    if performed.waited:
        notes.append(performed.waited)
    if performed.retries:
        notes.append(f"looked for again {performed.retries} time{'s' if performed.retries > 1 else ''}")
    if seen.gone and not navigated:
        what = "what it acted on" if element is None else "the element"
        notes.append(f"{what} is gone from the page")
    if element is not None and seen.became is not None and not navigated:
        notes.append(made_else(seen.became))
    if call.spec.unmoved and call.receipt and not navigated and seen.dom_changes == 0:
        notes.append(call.spec.unmoved)
    return Receipt(
        action=call.title,
        element_id=None if element is None else element.id,
        target="" if element is None else describe(element.role, element.name),
        focus=seen.focus,
        changes=seen.changes,
        invalid=seen.invalid,
        file_chooser=None if seen.file_chooser is None else ElementId(seen.file_chooser),
        announced=seen.announced,
        dom_changes=seen.dom_changes,
        details=tuple(details),
        notes=tuple(notes),
        value=value,
        elapsed_ms=elapsed_ms,
        steps_ms=dict(steps_ms or {}),
    )
