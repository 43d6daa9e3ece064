"""Choosing in ARIA listboxes and comboboxes: opened, looked through, and clicked.

The list of a combobox is found by ``aria-controls`` and ``aria-owns``, or as the only listbox that shows. A
list that shows its items without the role (antd has the options of assistive technology in an empty box) is
searched for the label. What is not there and can be filtered is typed into the combobox. A list that takes
several and stays open is left so, unless it keeps the pointer from the rest of the page.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridsnap.act.controls import ask, listed, refuse
from hybridsnap.act.focusing import DIALOG_NOTE, Done
from hybridsnap.act.pointer import LET_GO, PointerOptions, click_element
from hybridsnap.act.readiness import Progress, UntilReady
from hybridsnap.act.remote_call import call_with
from hybridsnap.act.text_entry import press_chord, type_text
from hybridsnap.capture.scope import id_of_place
from hybridsnap.errors import (
    ActionError,
    CommandRefused,
    ElementCovered,
    NotInteractable,
    SessionEnded,
    StaleElement,
)
from hybridsnap.injected import script
from hybridsnap.protocol.plan import Reply, clock, gather_outcomes, pause
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

#: How often a list is looked at until it shows what is wanted, and seconds in between: lists are drawn late,
#: and some are loaded.
_LOOKS, _BREATH = 40, 0.05
#: Seconds of the deadline at which looking ends: the refusal says what the list has, a page without time left
#: would be called busy.
_RESERVE = 1.0
#: So long a click on a combobox may take to open its list, before its keys are tried.
_OPENING_LOOKS = 8

_LOOK = script("look_at_listbox")
_ITEM = script("listbox_item")
_COMBO = script("listbox_combo")
_OWN_COVER = script("own_cover")


def choose_in_listbox(
    resolver: NodeResolver, element: Element, by: str, wanted: Sequence[str | int] | None
) -> Plan[Done | None]:
    """Choose in a listbox, or in what a combobox opens.

    Args:
        resolver: of the page.
        element: an ARIA combobox, listbox or option; or what holds a combobox.
        by: ``value`` or ``label`` (or the other, where no option has that), or ``index`` (of the options
            that the list has).
        wanted: options; None for the option itself.

    Returns:
        None when the element is none of these.

    Raises:
        NotInteractable: ``no such option`` (with those that there are), ``disabled``, ``wrong kind`` (several
            options in a list that takes one), or the list does not open (``not open``).
        ElementCovered, StaleElement: of the combobox or an option.
    """
    ones: Sequence[str | int | None] = [None] if wanted is None else wanted
    told: dict[str, Any] = yield from ask(resolver, element, _LOOK, by, ones[0] if ones else "")
    if not told["known"]:
        return None
    if told["refused"]:
        refuse(element, "choose in", told["refused"])
    if not ones:
        refuse(element, "choose in", "wrong kind", "say which of its options, by value, label or index")
    choice = yield from _choose(resolver, element, by, ones[0], told)
    notes = [*choice.notes]
    # Upon a choice the list may move, or be drawn anew. That is waited for here: to begin anew with the first
    # option would take its choice back, where the page does not say that it is chosen.
    ready = UntilReady(resolver, _LOOKS * _BREATH, Progress(), whole=False)
    for number, one in enumerate(ones[1:], 2):
        further = functools.partial(_choose, resolver, element, by, one, opened=choice.opened)
        try:
            choice = yield from ready.run(further)
        except ActionError as error:
            error.partial = True
            before = f"option {number} of {len(ones)}, those before it are chosen: "
            error.args = (before + error.message, *error.args[1:])
            raise
        notes += choice.notes
    if choice.opened and choice.several and DIALOG_NOTE not in notes:
        yield from _close_in_the_way(resolver, element, by, ones[-1])
    return Done(tuple(dict.fromkeys(notes)))


class _Choice(NamedTuple):
    """One option, chosen.

    Attributes:
        opened: the list had to be opened for it, or for one before it.
        several: the list takes several.
    """

    opened: bool
    several: bool
    notes: Sequence[str]


def _choose(
    resolver: NodeResolver,
    element: Element,
    by: str,
    one: str | int | None,
    told: dict[str, Any] | None = None,
    *,
    opened: bool = False,
) -> Plan[_Choice]:
    """Choose one option: the first, with what is known of the list, or one beside it."""
    is_first = told is not None
    told = told or (yield from ask(resolver, element, _LOOK, by, one))
    if told["opens"] and not told["found"]:
        told = yield from _opened(resolver, element, by, one)
        opened = True
    if not (is_first or told["several"] or told["open"]):
        refuse(element, "choose in", "wrong kind", "it takes exactly one option")
    told = yield from _shown(resolver, element, by, one, told)
    if told["off"]:
        why = f'its option "{clean_text(told["label"])}" is disabled'
        refuse(element, "choose in", "disabled", why)
    if told["selected"] and (told["several"] or not opened):
        return _Choice(opened, told["several"], ["it was chosen already"])
    item = yield from _element_of(resolver, element, _ITEM, told["label"], by, one)
    done = yield from click_element(resolver, item, PointerOptions())
    notes = done.notes
    let_go = any(note.startswith(LET_GO) for note in notes)
    if let_go and (yield from _has_taken(resolver, element, by, one, told["label"])):
        notes = tuple(note for note in notes if not note.startswith(LET_GO))
    return _Choice(opened, told["several"], notes)


def _has_taken(
    resolver: NodeResolver, element: Element, by: str, one: str | int | None, label: str
) -> Plan[bool]:
    """Whether an option was chosen as the button went down: it is marked so, or is in the list no more."""
    try:
        told: dict[str, Any] = yield from ask(resolver, element, _LOOK, by, one)
    except (StaleElement, CommandRefused, SessionEnded):
        return True  # the choice has led elsewhere
    return bool(told["selected"] or label not in told["labels"])


def _opened(resolver: NodeResolver, element: Element, by: str, one: str | int | None) -> Plan[dict[str, Any]]:
    """Open the list of a combobox: by a click, or with the key for it."""
    combo = yield from _element_of(resolver, element, _COMBO, element.name)
    told: dict[str, Any] = yield from ask(resolver, element, _LOOK, by, one)
    if told["open"]:
        return told
    # The combobox may be a thin input below the text of what is chosen: what was named is clicked then.
    covered: ElementCovered | None = None
    for each in dict.fromkeys((combo, element)):
        try:
            yield from click_element(resolver, each, PointerOptions())
        except ElementCovered as error:
            covered = error
            continue
        except NotInteractable:
            continue
        for _ in range(_OPENING_LOOKS):
            told = yield from ask(resolver, element, _LOOK, by, one)
            if told["open"] or told["found"]:
                return told
            yield from pause(_BREATH)
        break
    if covered is not None and not (yield from ask(resolver, combo, _OWN_COVER))["own"]:
        raise covered
    # With Alt the key opens and does no more; alone it chooses the next option of many a closed combobox.
    yield from press_chord(resolver, "Alt+ArrowDown", combo)
    for _ in range(_OPENING_LOOKS):
        told = yield from ask(resolver, element, _LOOK, by, one)
        if told["open"] or told["found"]:
            return told
        yield from pause(_BREATH)
    return told


def _close_in_the_way(resolver: NodeResolver, element: Element, by: str, one: str | int | None) -> Plan[None]:
    """Close a list that stays open and keeps the pointer from the rest of the page.

    The press lands beside the list, where the combobox is. Escape would undo the choice in some.
    """
    try:
        told: dict[str, Any] = yield from ask(resolver, element, _LOOK, by, one)
        if told["known"] and told["shut"]:
            combo = yield from _element_of(resolver, element, _COMBO, element.name)
            yield from click_element(resolver, combo, PointerOptions(force=True))
    except (StaleElement, CommandRefused, SessionEnded):
        pass  # the choice has led elsewhere


def _shown(
    resolver: NodeResolver, element: Element, by: str, one: str | int | None, told: dict[str, Any]
) -> Plan[dict[str, Any]]:
    """Wait until the list shows the option; what can be filtered is filtered by it."""
    typed_at: int | None = None
    took = 0.0
    for look in range(_LOOKS):
        if told["found"]:
            return told
        filters = told["editable"] and isinstance(one, str)
        if look == _OPENING_LOOKS and filters:
            combo = yield from _element_of(resolver, element, _COMBO, element.name)
            yield from type_text(resolver, combo, str(one), clear=True)
            typed_at = look
        # What is listed already, and stays so for a moment, will not show it by itself.
        elif look >= (typed_at or 0) + _OPENING_LOOKS and told["count"] and (typed_at or not filters):
            break
        if (yield from clock()).remaining < max(_RESERVE, 2 * took):
            break
        yield from pause(_BREATH)
        began = yield from clock()
        told = yield from ask(resolver, element, _LOOK, by, one)
        took = (yield from clock()).elapsed - began.elapsed
    if told["found"]:
        return told
    if told["opens"] and not told["open"] and not told["count"]:
        refuse(element, "choose in", "not open", "its list does not open; click it, and then an option")
    has = f"it has {listed(told['labels'])}" if told["labels"] else "it has none"
    if told["count"] > len(told["labels"]):
        has += f" and {told['count'] - len(told['labels'])} more"
    refuse(element, "choose in", "no such option", f"it has no option {listed([str(one)])}; {has}")


def _element_of(
    resolver: NodeResolver, element: Element, function: str, name: str, *arguments: Any
) -> Plan[Element]:
    """A part of the list, to be clicked."""
    place = element.place
    on, values = {"objectId": place.object_id}, [{"value": one} for one in arguments]
    call = call_with(resolver, place.session, place.frame, on, function, values)
    (outcome,) = yield from gather_outcomes(call)
    handle = outcome.value.result.object_id if isinstance(outcome, Reply) else None
    part = yield from resolver.at_handle(place.session, place.frame, handle)
    if part is None:
        refuse(element, "choose in", "no such option", "the option went while it was looked for; try again")
    if part.backend_node_id == place.backend_node_id:
        return element
    id_ = yield from id_of_place(resolver, part)
    role = "option" if function is _ITEM else "combobox"
    return dataclasses.replace(element, id=id_, place=part, role=role, name=name)
