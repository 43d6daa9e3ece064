"""Checking and unchecking: checkboxes, switches and radios, HTML's and ARIA's."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.act.controls import ask, kind_in_words, on_element, opened_dialog, refuse
from hybridsnap.act.focusing import DIALOG_NOTE, Done
from hybridsnap.act.pointer import PointerOptions, click_element
from hybridsnap.errors import CommandRefused, CommandUnanswered, ElementCovered, NotInteractable
from hybridsnap.protocol.plan import pause

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan

#: How often the state is looked at after the click, and how long is waited in between, in seconds: script may
#: draw it in a later turn.
_LOOKS = 25
_BREATH = 0.02

#: The control that a label labels is meant by the label too.
_STATE = on_element(
    "",
    """
  if (!at) return { refused: "wrong kind", kind: "" };
  const label = Element.prototype.closest.call(at, "label");
  const own = kindOf(at);
  const meant = ["checkbox", "radio", "aria"].includes(own) || !label ? at : label.control ?? at;
  const kind = kindOf(meant);
  if (kind === "checkbox" || kind === "radio") {
    return {
      kind,
      refused: !get(Node, "isConnected", meant) ? "detached" : matches(meant, ":disabled") ? "disabled" : "",
      checked: kind === "checkbox" && meant.indeterminate ? "mixed" : String(meant.checked),
      shown: meant !== at || isShown(meant, { visibilityProperty: true }),
      labelled: meant === at && (meant.labels ?? []).length > 0,
    };
  }
  if (kind !== "aria") return { refused: "wrong kind", kind };
  const disabled = attribute(meant, "aria-disabled") === "true";
  const role = attribute(meant, "role").trim().split(/\\s+/)[0];
  return {
    kind: role.endsWith("radio") ? "radio" : "checkbox",
    refused: !get(Node, "isConnected", meant) ? "detached" : disabled ? "disabled" : "",
    checked: attribute(meant, "aria-checked") ?? "false",
    shown: true,
    labelled: false,
  };
""",
)
#: The first label of a control that a person sees.
_LABEL = on_element(
    "",
    """
  return [...(at.labels ?? [])].find((one) => isShown(one, { visibilityProperty: true })) ?? null;
""",
)


def set_checked(locator: Locator, element: Element, checked: bool) -> Plan[Done]:
    """Check or uncheck, by a click. Where the control itself is hidden or covered, its label is clicked.

    Args:
        locator: of the page.
        element: a checkbox, switch or radio, HTML's or ARIA's, or a label of one.
        checked: how it is to be.

    Returns:
        Notes say when it was so already, and when the label was clicked.

    Raises:
        NotInteractable: ``wrong kind`` (a radio cannot be unchecked), ``disabled``, …; ``value`` when it was
            clicked and is not as asked.
        ElementCovered: something lies over it.
        StaleElement: it is gone.
    """
    action = "check" if checked else "uncheck"
    told = yield from ask(locator, element, _STATE)
    if told["refused"] == "wrong kind":
        refuse(
            element,
            action,
            "wrong kind",
            f"it is {kind_in_words(told['kind'])}, and no checkbox, switch or radio; click it",
        )
    if told["refused"]:
        refuse(element, action, told["refused"])
    if told["kind"] == "radio" and not checked:
        refuse(element, action, "wrong kind", "a radio is unchecked by checking another one")
    wanted = str(checked).lower()
    if told["checked"] == wanted:
        return Done((f"it was {action}ed already",))
    notes: list[str] = []
    try:
        # What is mixed may take two clicks.
        for _ in range(2 if told["checked"] == "mixed" else 1):
            notes += yield from _click(locator, element, told)
            now = yield from _changed(locator, element, told["checked"])
            if now in {wanted, ""}:
                return Done(tuple(dict.fromkeys(notes)))
            told["checked"] = now
    except CommandUnanswered as error:
        if not opened_dialog(error):
            raise
        return Done((*notes, DIALOG_NOTE))
    state = {"true": "checked", "false": "unchecked"}.get(told["checked"], "mixed")
    refuse(element, action, "value", f"it was clicked, and is {state}: the page does not let it be otherwise")


def _click(locator: Locator, element: Element, told: dict[str, Any]) -> Plan[list[str]]:
    """Click the control, or its label where the control itself cannot be."""
    if told["shown"]:
        try:
            return list((yield from click_element(locator, element, PointerOptions())).notes)
        except (ElementCovered, NotInteractable):
            label = (yield from _label_of(locator, element)) if told["labelled"] else None
            if label is None:
                raise
    else:
        label = yield from _label_of(locator, element)
        if label is None:
            refuse(element, "check", "not displayed", "it is not displayed, and has no label that is")
    hit = yield from click_element(locator, label, PointerOptions())
    return [*hit.notes, "its label was clicked"]


def _label_of(locator: Locator, element: Element) -> Plan[Element | None]:
    result = yield from locator.call(element.place, _LABEL)
    handle = result.result.object_id
    if handle is None:
        return None
    place = element.place
    places = yield from locator.described(place.session, place.frame, [handle])
    return dataclasses.replace(element, place=places[0]) if places else None


def _changed(locator: Locator, element: Element, before: str) -> Plan[str]:
    """The state after a click, as soon as it is another one; "" when there is no element any more."""
    for _ in range(_LOOKS):
        try:
            told = yield from ask(locator, element, _STATE)
        except (CommandRefused, LookupError):
            return ""
        if told["refused"] == "detached":
            return ""
        now: str = told.get("checked", "")
        if now != before:
            return now
        yield from pause(_BREATH)
    return before
