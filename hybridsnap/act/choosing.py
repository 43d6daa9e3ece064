"""Choosing among the options of a select, or of an ARIA listbox or combobox."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.controls import MOST_LISTED, ask, kind_in_words, listed, refuse
from hybridsnap.act.focusing import Done, ends_at_dialog
from hybridsnap.act.listboxes import choose_in_listbox
from hybridsnap.errors import CommandRefused, StaleElement, TargetDetached
from hybridsnap.injected import script
from hybridsnap.model import MOST_INTEGER
from hybridsnap.protocol.plan import pause
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

_CHOOSE = script("choose_options")
#: A note: another widget of the page shows, or does not, what is chosen in the select.
_UNSEEN = "it is hidden or covered; what the page shows in its place may lag behind"
#: Seconds in which a page takes a choice over. React sets a select back to the state that it still has, and
#: chooses again when the state has changed, which may be a few tasks later.
_TAKES_OVER = 0.1


def select_option(
    resolver: NodeResolver,
    element: Element,
    *,
    value: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    index: int | Sequence[int] | None = None,
) -> Plan[Done]:
    """Choose options of a select; on an option itself, without anything else, that one.

    In a select that takes several they are chosen and all others are not; an option that is named itself is
    chosen beside the others. `input` and `change` fire when something changes. They are not trusted, since no
    input of a person is involved: the list that Chromium opens is not part of the page. A select may be
    hidden behind a widget, and needs no focus.

    The list of an ARIA combobox is opened, and the option clicked; options that were chosen in a listbox that
    takes several stay so.

    Args:
        resolver: of the page.
        element: a select or an option, HTML's or ARIA's; an ARIA listbox or combobox, or what holds one.
        value: of options, one or several; exactly as in the page. What no option has is taken for a label.
        label: what a person reads; white space does not count. What no option has is taken for a value.
        index: from 0, in the order of the page.

    Raises:
        NotInteractable: ``no such option`` (with those that there are), ``several`` (of the same label, or
            value; the message names them by index), ``disabled`` (the select or the option), ``wrong kind``
            (no select, or one that takes just one), ``value`` (an ARIA option was pressed, and says that it
            is not selected), …
        StaleElement: it is gone.
        TypeError, ValueError: not exactly one of value, label and index is given, or of the wrong type.
    """
    asked = {"value": value, "label": label, "index": index}
    given = {by: one for by, one in asked.items() if one is not None}
    if not given:
        return (yield from _choose(resolver, element, "value", None))
    if len(given) > 1:
        raise ValueError(f"give value, label or index, not {' and '.join(given)}")
    ((by, one),) = given.items()
    return (yield from _choose(resolver, element, by, _several(by, one)))


def _several(by: str, given: Any) -> list[str | int]:
    type_: type = int if by == "index" else str
    several: list[Any] = [given] if isinstance(given, str | int) else list(given)
    for one in several:
        if not isinstance(one, type_) or isinstance(one, bool):
            # A number might be meant as text or as a place.
            instead = f'; write "{one}", or index={one}' if type(one) is int else ""
            raise TypeError(f"{by} is a {type_.__name__} or several, not {type(one).__name__}{instead}")
        if isinstance(one, int) and one < 0:
            raise ValueError(f"index counts from 0; it is {one}")
        if isinstance(one, int) and one > MOST_INTEGER:
            raise ValueError(f"index is at most {MOST_INTEGER}")
    return several


def check_options(resolver: NodeResolver, element: Element, wanted: list[str]) -> Plan[None]:
    """See whether a select has these options, by label or value, and would take them.

    Raises:
        NotInteractable, StaleElement: as for `select_option`.
    """
    told = yield from ask(resolver, element, _CHOOSE, "label", wanted, False)
    _refuse(element, told)


@ends_at_dialog
def _choose(
    resolver: NodeResolver, element: Element, by: str, wanted: Sequence[str | int] | None
) -> Plan[Done]:
    told = yield from ask(resolver, element, _CHOOSE, by, wanted, True)
    if told.get("refused") == "wrong kind" and told["kind"] not in {"select", "option", "single"}:
        done = yield from choose_in_listbox(resolver, element, by, wanted)
        if done is not None:
            return done
    _refuse(element, told)
    notes = [_UNSEEN] if told["hides"] else []
    if not told["changes"]:
        notes.append("it was chosen already")
    elif not told["kept"] and not (yield from _is_chosen_later(resolver, element, by, wanted)):
        notes.append("the page chose something else upon it")
    return Done(tuple(notes))


def _is_chosen_later(
    resolver: NodeResolver, element: Element, by: str, wanted: Sequence[str | int] | None
) -> Plan[bool]:
    """Whether the page has taken the choice over after all, or can no longer be asked."""
    yield from pause(_TAKES_OVER)
    try:
        told = yield from ask(resolver, element, _CHOOSE, by, wanted, False)
    except (StaleElement, TargetDetached, CommandRefused):  # the choice has led elsewhere
        return True
    return bool(told.get("kept", True))


def _several_fit(one: str, several: Sequence[dict[str, Any]]) -> str:
    shown = ", ".join(
        f"index {each['index']} ({listed([each['label']])}, value {listed([each['value']])})"
        for each in several[:MOST_LISTED]
    )
    more = f", … ({len(several)} in all)" if len(several) > MOST_LISTED else ""
    by_value = "value or " if len({each["value"] for each in several}) == len(several) else ""
    return (
        f"{len(several)} options fit {listed([one])}: {shown}{more}; "
        f"say which by {by_value}index (select_option)"
    )


def _refuse(element: Element, told: dict[str, Any]) -> None:
    reason, kind = told.get("refused", ""), told.get("kind", "")
    if not reason:
        return
    why = ""
    if reason == "no such option":
        labels = told["labels"]
        has = f"it has {listed(labels)}" if labels else "it has none"
        why = f"it has no option {listed([str(told['missing'])])}; {has}"
    elif reason == "several":
        why = _several_fit(told["one"], told["several"])
    elif reason == "disabled" and "option" in told:
        why = f'its option "{clean_text(told["option"])}" is disabled'
    elif kind == "single":
        why = "it takes exactly one option"
    elif kind == "select":
        why = "say which of its options, by value, label or index"
    elif kind == "option":
        why = "it is an option itself: name the select, or leave value, label and index out"
    elif reason == "wrong kind":
        why = f"it is {kind_in_words(kind)} and has no options to choose; click it, and click what opens then"
    refuse(element, "choose in", reason, why)
