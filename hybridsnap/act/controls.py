"""Asking an element what kind of control it is, and saying why it cannot be acted on.

The scripts (`injected/include/controls.js` and those that include it) run in the isolated world of the
element's frame. What a page's own names could hide there (a form named ``activeElement``, an input named
``focus`` in a form) is read off the prototypes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from hybridsnap.act.refusals import stale
from hybridsnap.act.remote_call import call_on, read_result
from hybridsnap.errors import ActionError, CommandRefused, CommandUnanswered, NotInteractable
from hybridsnap.protocol.plan import Failure, gather_outcomes
from hybridsnap.text import clean_text, clip_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

#: So much of a text of the page's stands in a message.
_SHOWN = 40
#: So many of them are named in a message.
MOST_LISTED = 10


class EarlyAnswer:
    """What a function says of an element, asked together with the check of the element's identity.

    Args:
        resolver: of the page.
        function: to call on the element; it only reads.
        arguments: its arguments, JSON data.
    """

    def __init__(self, resolver: NodeResolver, function: str, *arguments: Any) -> None:
        self._resolver = resolver
        self._function = function
        self._arguments = arguments
        self.outcome: Outcome[CallResult] | None = None

    def commands(self, place: NodeRef) -> list[Command[CallResult]]:
        """The call."""
        return [call_on(self._resolver, place, self._function, *self._arguments)]

    def take(self, outcomes: Sequence[Outcome[CallResult]]) -> None:
        """Keep what it says."""
        (self.outcome,) = outcomes


def ask(
    resolver: NodeResolver,
    element: Element,
    function: str,
    *arguments: Any,
    cleanup: Command[Any] | None = None,
    early: EarlyAnswer | None = None,
) -> Plan[Any]:
    """Call a function on an element: what it returns, as JSON data.

    Args:
        resolver: of the page.
        element: its ``this``.
        function: whose own definitions `include/controls.js` precedes.
        arguments: JSON data.
        cleanup: what takes its effect back.
        early: the function's answer, if it was asked for already.

    Raises:
        StaleElement: the element's document is gone.
    """
    outcome = None if early is None else early.outcome
    if outcome is None:
        call = call_on(resolver, element.place, function, *arguments, cleanup=cleanup)
        (outcome,) = yield from gather_outcomes(call)
    if isinstance(outcome, Failure) and isinstance(outcome.error, CommandRefused):
        if "navigated" in outcome.error.reason or "destroyed" in outcome.error.reason:
            raise outcome.error  # it began, and the document went away before it came to an end
        raise stale(element, "act on", "navigated") from outcome.error
    return read_result(outcome, dict)


def opened_dialog(error: CommandUnanswered) -> bool:
    """Whether a command is unanswered because it opened a dialog: what it was to do is done, or waits."""
    return error.cause == "dialog"


#: Why not, in words; the rest is said where it is known.
_WHY = {
    "disabled": "it is disabled",
    "inert": "it is inert: a modal dialog or the page keeps everything from it",
    "not displayed": "it is not displayed",
    "invisible": "it is invisible",
    "read-only": "it is read-only; if it opens a calendar or the like, click it and choose there",
    "not focusable": "it cannot have the focus",
}
_KINDS = {
    "text": "a text field",
    "textarea": "a text field",
    "editable": "editable text",
    "edit context": "an editor with an EditContext",
    "select": "a select",
    "option": "an option",
    "checkbox": "a checkbox",
    "radio": "a radio",
    "file": "a file input",
    "slider": "a slider",
    "button": "a button",
    "label": "a label",
}


#: What errors call giving a control its value that is a number, a date, a time or a colour.
SET_VALUE = "set the value of"
#: What to do instead of replacing the text of such an editor: it alone knows which part of it is selected.
OWN_SELECTION = "only its own keys select its text; press ControlOrMeta+a on it, then type"


def kind_in_words(kind: str) -> str:
    """A kind as `include/controls.js` has it, in words."""
    return _KINDS.get(kind) or (
        f"an input of type {kind}" if kind and kind != "aria" else "not a form control"
    )


#: Role of what takes no text and no value itself → where they go instead.
INSTEAD = {
    "gridcell": "double-click it: many grids open a field there, which takes it",
    "group": "name one of the fields in it",
}


def refuse(element: Element, action: str, reason: str, why: str = "", *, partial: bool = False) -> NoReturn:
    """Say that an action was not done.

    Args:
        element: to which.
        action: in the infinitive: ``type into``.
        reason: in a word or two.
        why: a clause, with the remedy; that of the reason otherwise.
        partial: a part of it was done.

    Raises:
        StaleElement: the reason is that it is detached, or has changed since it was checked.
        NotInteractable: any other.
    """
    error: ActionError
    if reason in {"detached", "changed"}:
        error = stale(element, action, "detached" if reason == "detached" else "identity changed")
    else:
        error = NotInteractable(
            f"cannot {action} {element.description}: {why or _WHY.get(reason, reason)}",
            element_id=element.id,
            reason=reason,
        )
    error.partial = partial
    raise error


def listed(words: Iterable[str]) -> str:
    """Texts of the page in quotes, for a message: ``"Red", "Green", … (30 in all)``."""
    cleaned = [clean_text(word) for word in words]
    shown = ", ".join(f'"{clip_text(word, _SHOWN)}"' for word in cleaned[:MOST_LISTED])
    return shown if len(cleaned) <= MOST_LISTED else f"{shown}, … ({len(cleaned)} in all)"
