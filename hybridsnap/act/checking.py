"""Checking and unchecking: checkboxes, switches and radios, HTML's and ARIA's."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from hybridsnap.act.controls import EarlyAnswer, ask, kind_in_words, opened_dialog, refuse
from hybridsnap.act.focusing import DIALOG_NOTE, Done
from hybridsnap.act.hit_target import AT_LABEL, AT_STAND_IN, EarlyAim
from hybridsnap.act.pointer import PointerOptions, click_element, click_request
from hybridsnap.capture.roles import CHECKABLE_ROLES
from hybridsnap.errors import CommandRefused, CommandUnanswered
from hybridsnap.injected import script
from hybridsnap.protocol.commands import get_ax_node
from hybridsnap.protocol.plan import Reply, gather_outcomes, pause

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.protocol.plan import Command, Outcome, Plan

#: How often the state is looked at after the click, and how long is waited in between, in seconds: script may
#: draw it in a later turn.
_LOOKS = 25
_BREATH = 0.02

_STATE = script("checked_state")

#: Why the state of one is not known where it has neither attribute: the browser counts it as unchecked, and
#: pages rely on it (Vue 2 takes the attribute away from what is off, as in Element UI's switches).
UNSAID: Final = "neither aria-checked nor aria-pressed says whether it is checked"

_CLICKED = script("clicked_for_checking")


class EarlyLook:
    """The state, and a look for where to click, together with the check of the element's identity.

    Args:
        resolver: of the page.
    """

    def __init__(self, resolver: NodeResolver) -> None:
        self.state: EarlyAnswer = EarlyAnswer(resolver, _STATE)
        self.aim: EarlyAim = EarlyAim(resolver, click_request(PointerOptions(), through=True))

    def commands(self, place: NodeRef) -> list[Command[Any]]:
        """The look first: it waits for the next frame meanwhile."""
        return [*self.aim.commands(place), *self.state.commands(place)]

    def take(self, outcomes: Sequence[Outcome[Any]]) -> None:
        """Keep their outcomes."""
        self.aim.take(outcomes[:-1])
        self.state.take(outcomes[-1:])


def set_checked(
    resolver: NodeResolver, element: Element, checked: bool, early: EarlyLook | None = None
) -> Plan[Done]:
    """Check or uncheck, by a click: on its label where a control hides behind it; on what is around it, where
    it lets the pointer through and that takes clicks.

    Args:
        resolver: of the page.
        element: a checkbox, switch or radio, HTML's or ARIA's, or a label of one.
        checked: how it is to be.
        early: what was asked with its identity.

    Returns:
        Notes say when it was so already, and how it was clicked.

    Raises:
        NotInteractable: ``wrong kind`` (a radio cannot be unchecked), ``disabled``, …; ``value`` when it was
            clicked and is not as asked, or does not say.
        ElementCovered: something lies over it.
        StaleElement: it is gone.
    """
    action = "check" if checked else "uncheck"
    told = yield from checked_state(resolver, element, None if early is None else early.state)
    if told["refused"] == "wrong kind":
        why = f"it is {kind_in_words(told['kind'])}, and not a checkbox, switch or radio; click it"
        refuse(element, action, "wrong kind", why)
    if told["refused"]:
        refuse(element, action, told["refused"])
    if told["kind"] == "radio" and not checked:
        refuse(element, action, "wrong kind", "a radio is unchecked by checking another one")
    wanted = str(checked).lower()
    if (told["checked"] or "false") == wanted:
        already = f"it was {action}ed already"
        return Done((already if told["checked"] else f"{UNSAID}, so it counts as unchecked: not clicked",))
    notes: list[str] = []
    try:
        # What is mixed may take two clicks.
        for _ in range(2 if told["checked"] == "mixed" else 1):
            clicked = element if told["here"] else (yield from _clicked_for(resolver, element))
            aim = early.aim if early is not None and told["here"] else None
            hit = yield from click_element(resolver, clicked, PointerOptions(), aim, through=True)
            notes += hit.notes
            now = yield from _changed(resolver, element, told["checked"])
            if now == "detached":
                notes.append(f"whether what stands in its place is {action}ed was not seen; take a snapshot")
            if now in {None, "detached"} or (now or "false") == wanted:
                return Done(tuple(dict.fromkeys(notes)))
            told["checked"] = now
    except CommandUnanswered as error:
        if not opened_dialog(error):
            raise
        return Done((DIALOG_NOTE,))
    state = {"true": "checked", "false": "unchecked"}.get(told["checked"], "mixed")
    why = f"and is {state} all the same" if told["checked"] else f"and {UNSAID}: look at it"
    where = "".join(f" (it was clicked {note})" for note in (AT_LABEL, AT_STAND_IN) if note in notes)
    refuse(element, action, "value", f"it was clicked, {why}{where}", partial=True)


def checked_state(
    resolver: NodeResolver, element: Element, early: EarlyAnswer | None = None
) -> Plan[dict[str, Any]]:
    """Kind and state of what is checked; the state is "true", "false" or "mixed", or "" (`UNSAID`).

    Of an element without the attributes of its role the accessibility tree says it.

    Args:
        resolver: of the page.
        element: perhaps a checkbox, switch or radio, or a label of one.
        early: what the script says of it.
    """
    told: dict[str, Any] = yield from ask(resolver, element, _STATE, early=early)
    if told.get("checked") not in {None, "true", "false", "mixed"}:
        told["checked"] = ""
    # A custom element may say what it is to the accessibility tree alone (ElementInternals).
    if told["refused"] != "wrong kind" or element.role not in CHECKABLE_ROLES:
        return told
    place = element.place
    ax_node = get_ax_node(resolver.id_of(place.session), {"objectId": place.object_id})
    (outcome,) = yield from gather_outcomes(ax_node)
    if not isinstance(outcome, Reply) or not outcome.value.nodes:
        return {"refused": "detached"}
    found = outcome.value.nodes[0].properties
    checked = found.get("checked")
    return {
        "kind": "radio" if element.role.endswith("radio") else "checkbox",
        "refused": "disabled" if found.get("disabled") else "",
        "checked": checked if checked in {"true", "mixed"} else "false",
        "here": True,
    }


def _clicked_for(resolver: NodeResolver, element: Element) -> Plan[Element]:
    """What a person clicks: the control that is meant, or its label where the control is not displayed."""
    place = element.place
    result = yield from resolver.call(place, _CLICKED)
    clicked = yield from resolver.at_handle(place.session, place.frame, result.result.object_id)
    return element if clicked is None else dataclasses.replace(element, place=clicked)


def _changed(resolver: NodeResolver, element: Element, before: str) -> Plan[str | None]:
    """The state after a click, as soon as it is another one; ``detached`` when the element has gone.

    None when its document has.
    """
    for _ in range(_LOOKS):
        try:
            told = yield from checked_state(resolver, element)
        except (CommandRefused, LookupError):
            return None
        if told["refused"] == "detached":
            return "detached"
        now: str = told.get("checked", "")
        if now != before:
            return now
        yield from pause(_BREATH)
    return before
