"""Selecting text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.controls import kind_in_words, opened_dialog, refuse
from hybridsnap.act.focusing import DIALOG_NOTE, ask_with_focus, refuse_focus
from hybridsnap.act.remote_call import call_on
from hybridsnap.errors import CommandUnanswered
from hybridsnap.injected import script
from hybridsnap.protocol.plan import Failure, gather_outcomes

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

_SELECT = script("select_text")
_HEARD = script("selection_heard")


def check_range(start: Any, end: Any) -> None:
    """See whether these are positions in a text.

    Raises:
        TypeError, ValueError: they are none.
    """
    for name, at in (("start", start), ("end", end)):
        if at is None and name == "end":
            continue
        if isinstance(at, bool) or not isinstance(at, int) or at < 0:
            raise ValueError(f"{name}: expected a number of characters from 0, got {at!r}")
    if end is not None and end < start:
        raise ValueError(f"expected start <= end, got {start} and {end}")


def select_text(
    resolver: NodeResolver, element: Element, start: int = 0, end: int | None = None
) -> Plan[dict[str, Any]]:
    """Select a range of an element's text: of a field what it holds, of anything else the text in it.

    Args:
        resolver: of the page.
        element: whose text.
        start: characters before the selection.
        end: characters up to its end; None is all of them.

    Returns:
        ``{"start", "end", "text", "notes"}``; no text of passwords.

    Raises:
        NotInteractable: it has no text that could be selected (``wrong kind``), or less of it (``range``).
        StaleElement: it is gone.
    """
    try:
        told = yield from ask_with_focus(resolver, element, _SELECT, start, end)
    except CommandUnanswered as error:
        if not opened_dialog(error):
            raise
        return {"start": start, "end": end, "text": None, "notes": [DIALOG_NOTE]}
    reason = told.get("refused", "")
    if reason == "range":
        length = told["length"]
        asked = f"{start} to {'its end' if end is None else end}"
        refuse(element, "select text of", reason, f"it has {length} characters; {asked} is not within them")
    if reason == "wrong kind":
        refuse(
            element,
            "select text of",
            reason,
            f"it is {kind_in_words(told['kind'])}, whose text has no selection",
        )
    if reason:
        yield from refuse_focus(resolver, element, "select text of", reason)
    heard = yield from hear_selection(resolver, element)
    failure = heard.error if isinstance(heard, Failure) else None
    by_dialog = isinstance(failure, CommandUnanswered) and opened_dialog(failure)
    return {**told, "notes": [DIALOG_NOTE] if by_dialog else []}


def hear_selection(resolver: NodeResolver, element: Element) -> Plan[Outcome[CallResult]]:
    """Wait until the page has heard of a selection that was just made in an element's frame.

    An editor that is pressed before that, on its toolbar or by a key, takes the selection before.
    """
    (heard,) = yield from gather_outcomes(call_on(resolver, element.place, _HEARD))
    return heard
