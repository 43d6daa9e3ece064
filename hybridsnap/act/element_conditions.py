"""The state of one element, for those who wait for it: enabled, covered, checked, its value; and counts.

Each is judged as the actions judge it: what `enabled` and `uncovered` say is what a click would find, what
`checked` says is what `check` would find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hybridsnap.act.checking import UNSAID, checked_state
from hybridsnap.act.controls import ask, kind_in_words
from hybridsnap.act.element import clip, describe, said_beside
from hybridsnap.act.hit_target import HitRequest, find_hit_point
from hybridsnap.act.naming import resolve_element
from hybridsnap.capture.selectors import parse_selector
from hybridsnap.errors import ElementCovered, NotInteractable, SelectorError, StaleElement
from hybridsnap.injected import script

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

#: Conditions that name one element, and nothing else.
OF_ELEMENT: Final = ("enabled", "disabled", "uncovered", "checked")
#: What holds instead when the condition does not, in words; "" when the condition holds.
Lacking = str
_GONE: Final = "it is gone"
_NOTHING: Final = "nothing matches"
#: Reasons of `NotInteractable`.
_SIZELESS: Final = frozenset({"no size", "hidden control"})

_DISABLED = script("is_disabled")
_VALUE = script("compare_value")


def look_at_element(
    resolver: NodeResolver, history: ElementHistory, name: str, element: str, wanted: str = ""
) -> Plan[Lacking]:
    """What keeps a condition on one element from holding.

    Args:
        resolver: of the page.
        history: what has been shown of the page.
        name: of the condition: one of `OF_ELEMENT`, or ``value``.
        element: an element id, a ref or a selector.
        wanted: the value, for ``value``.

    Returns:
        Such as ``it is disabled``; "" when the condition holds.

    Raises:
        SelectorError: the selector is malformed, or matches several elements.
        UnknownElement: an id or ref that no snapshot has shown.
        NotInteractable: ``wrong kind``: the element has no such state.
    """
    try:
        found = yield from resolve_element(resolver, history, element.strip())
        return (yield from _look(resolver, found, name, wanted))
    except StaleElement:
        return _GONE
    except SelectorError as error:
        if error.reason in {"nothing", "frame"}:
            return _NOTHING
        if error.reason != "several":
            raise
        named = ", ".join(
            f"{one.id} {describe(one.role, one.name)}{said_beside(one)}" for one in error.candidates
        )
        raise SelectorError(
            f"{name}={element!r} matches several elements: {named}, …; name one by its id",
            selector=element,
            reason="several",
            candidates=error.candidates,
        ) from None


def _look(resolver: NodeResolver, element: Element, name: str, wanted: str) -> Plan[Lacking]:
    if name == "uncovered":
        return (yield from _look_at_cover(resolver, element))
    if name == "checked":
        return (yield from _look_at_check(resolver, element))
    if name == "value":
        return (yield from _look_at_value(resolver, element, wanted))
    disabled: bool = (yield from ask(resolver, element, _DISABLED))["disabled"]
    return "" if disabled == (name == "disabled") else "it is disabled" if disabled else "it is enabled"


def count_matches(resolver: NodeResolver, selector: str, number: int) -> Plan[Lacking]:
    """What keeps a selector from matching so many elements, displayed or not; "" when it does."""
    try:
        places = yield from resolver.find(parse_selector(selector), None)
    except SelectorError as error:
        if error.reason == "syntax":
            raise
        places = []  # the frame that the selector leads into is not there yet
    if len(places) == number:
        return ""
    return _NOTHING if not places else f"{len(places)} match{'es' if len(places) == 1 else ''}"


def _look_at_cover(resolver: NodeResolver, element: Element) -> Plan[Lacking]:
    """Why the pointer would not reach an element. The view is scrolled to it, as little as need be."""
    aim = HitRequest(action="wait for", enabled=False, scrolls=("", "nearest"))
    try:
        yield from find_hit_point(resolver, element, aim)
    except ElementCovered as error:
        cover = error.cover_id
        return f"{cover} covers it" if cover else "it is covered"
    except NotInteractable as error:
        return "it has no size" if error.reason in _SIZELESS else f"it is {error.reason}"
    return ""


def _look_at_check(resolver: NodeResolver, element: Element) -> Plan[Lacking]:
    told = yield from checked_state(resolver, element)
    if told["refused"] == "wrong kind":
        raise _wrong_kind(element, "checked", told["kind"], "checkbox, switch or radio")
    if told["refused"] == "detached":
        return _GONE
    return {"true": "", "mixed": "it is mixed", "": UNSAID}.get(told["checked"], "it is unchecked")


def _look_at_value(resolver: NodeResolver, element: Element, wanted: str) -> Plan[Lacking]:
    told = yield from ask(resolver, element, _VALUE, wanted)
    if told["values"] is None:
        raise _wrong_kind(element, "value", told["kind"], "field, list or slider")
    if told["holds"]:
        return ""
    return "its value is " + (" or ".join(f'"{clip(one)}"' for one in told["values"]) or "another one")


def _wrong_kind(element: Element, name: str, kind: str, expected: str) -> NotInteractable:
    return NotInteractable(
        f"{name} is a condition of a {expected}, and {element.description} is {kind_in_words(kind)}; name"
        " such an element, or its text",
        element_id=element.id,
        reason="wrong kind",
    )
