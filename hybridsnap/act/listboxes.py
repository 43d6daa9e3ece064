"""Choosing in ARIA listboxes and comboboxes: opened, looked through, and clicked.

The list of a combobox is found by ``aria-controls`` and ``aria-owns``, or as the only listbox that shows. A
list that shows its items without the role (antd has the options of assistive technology in an empty box) is
searched for the label. What is not there and can be filtered is typed into the combobox. A list that takes
several and stays open is left so, unless it keeps the pointer from the rest of the page. Where nothing is
chosen, the combobox gets its former text again, and the list that was opened is closed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from hybridsnap.act.controls import MOST_LISTED, ask, listed, refuse
from hybridsnap.act.focusing import BLUR, DIALOG_NOTE, Done
from hybridsnap.act.pointer import LET_GO, PointerOptions, click_element
from hybridsnap.act.readiness import Progress, UntilReady, leave
from hybridsnap.act.remote_call import call_with
from hybridsnap.act.text_entry import press_chord, replace_text, type_text
from hybridsnap.capture.scope import id_of_place
from hybridsnap.errors import (
    ActionError,
    CommandRefused,
    ElementCovered,
    HybridsnapError,
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
        NotInteractable: ``no such option`` (with those that there are), ``several`` (of the same words),
            ``disabled``, ``wrong kind`` (several options in a list that takes one), or the list does not open
            (``not open``).
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
    search = _Search(resolver, element, by, one, opened)
    try:
        return (yield from _choose_found(search, told))
    except (NotInteractable, ElementCovered) as error:
        if not error.partial:
            leave(error, search)
        raise


def _choose_found(search: _Search, told: dict[str, Any] | None) -> Plan[_Choice]:
    resolver, element, by, one = search.resolver, search.element, search.by, search.one
    is_first = told is not None
    told = told or (yield from ask(resolver, element, _LOOK, by, one))
    if told["opens"] and not told["found"]:
        search.opened = search.opened or not _is_open(told)
        told = yield from _opened(resolver, element, by, one)
    if not (is_first or told["several"] or told["open"]):
        refuse(element, "choose in", "wrong kind", "it takes exactly one option")
    told = yield from _shown(search, told)
    if told["indices"]:
        _refuse_several(element, str(one), told["indices"])
    if told["off"]:
        why = f'its option "{clean_text(told["label"])}" is disabled'
        refuse(element, "choose in", "disabled", why)
    if told["selected"] and (told["several"] or not search.opened):
        return _Choice(search.opened, told["several"], ["it was chosen already"])
    item = yield from _element_of(resolver, element, _ITEM, told["label"], by, one)
    done = yield from click_element(resolver, item, PointerOptions())
    notes = done.notes
    let_go = any(note.startswith(LET_GO) for note in notes)
    if let_go and (yield from _has_taken(resolver, element, by, one, told["label"])):
        notes = tuple(note for note in notes if not note.startswith(LET_GO))
    return _Choice(search.opened, told["several"], notes)


def _refuse_several(element: Element, one: str, indices: Sequence[int]) -> NoReturn:
    if min(indices) < 0:  # shown without the role, and so without an index
        why = (
            f"{len(indices)} items of its list say {listed([one])}; open it, and click the one that is meant"
        )
        refuse(element, "choose in", "several", why)
    shown = ", ".join(f"index {index}" for index in indices[:MOST_LISTED])
    more = f", … ({len(indices)} in all)" if len(indices) > MOST_LISTED else ""
    why = f"{len(indices)} options fit {listed([one])}: {shown}{more}; say which by index (select_option)"
    refuse(element, "choose in", "several", why)


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


def _shown(search: _Search, told: dict[str, Any]) -> Plan[dict[str, Any]]:
    """Wait until the list shows the option; what can be filtered is filtered by it."""
    resolver, element, by, one = search.resolver, search.element, search.by, search.one
    typed_at: int | None = None
    took = 0.0
    for look in range(_LOOKS):
        if told["found"]:
            return told
        filters = told["editable"] and isinstance(one, str)
        if look == _OPENING_LOOKS and filters:
            combo = yield from _element_of(resolver, element, _COMBO, element.name)
            search.typed, search.text, search.before = True, told["text"], told
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
    if told["opens"] and not told["open"] and not told["count"] and not search.typed:
        opens = "what it opens is not a list of options" if told["expanded"] else "its list does not open"
        refuse(element, "choose in", "not open", f"{opens}; click it, and then an option")
    search.now = told
    refuse(element, "choose in", "no such option", search.why)


def _is_open(told: dict[str, Any]) -> bool:
    """Whether a list shows, or a combobox says that it has opened something else."""
    return bool(told["open"] or told["expanded"])


def _has(told: dict[str, Any]) -> str:
    """Which options a list has."""
    labels, count = told["labels"], told["count"]
    return (listed(labels) if labels else "none") + (
        f" and {count - len(labels)} more" if count > len(labels) else ""
    )


@dataclasses.dataclass(slots=True)
class _Search:
    """Looking for an option, and what that leaves in the page where the option is not chosen.

    Attributes:
        opened: the list was opened for it.
        typed: the option was typed into the combobox, to filter the list.
        text: what the combobox held before.
        before: what the list was like before.
        now: what it was like in the end, when it did not have the option.
    """

    resolver: NodeResolver
    element: Element
    by: str
    one: str | int | None
    opened: bool
    typed: bool = False
    text: str = ""
    before: dict[str, Any] = dataclasses.field(default_factory=dict)
    now: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def why(self) -> str:
        """Why the option is not chosen: which there are."""
        typed = listed([str(self.one)])
        lacks = f"it has no option {typed}"
        if not self.typed:
            return f"{lacks}; it has {_has(self.now)}"
        if self.now["labels"] == self.before["labels"]:
            return f"{lacks}, also after that was typed into it; it has {_has(self.now)}"
        return f"{lacks}; it has {_has(self.before)}; once {typed} was typed into it, {_has(self.now)}"

    def behind(self, earlier: _Search) -> _Search:
        """All that is left, where an earlier search has left its list open, or its text."""
        both = dataclasses.replace(self, opened=self.opened or earlier.opened)
        if earlier.typed:
            both.typed, both.text, both.before = True, earlier.text, earlier.before
        return both

    def take_back(self, error: ActionError) -> Plan[None]:
        """Give the combobox its former text, and close the list if it was opened."""
        if not (self.opened or self.typed):
            return
        left = "what was typed and opened for it may be left"
        with contextlib.suppress(HybridsnapError):  # the refusal counts, and says what may be left
            left = yield from self._put_back()
        error.partial = bool(left)
        words = error.message
        if self.now and isinstance(error, NotInteractable) and error.reason == "no such option":
            words = f"cannot choose in {self.element.description}: {self.why}"
        error.args = (f"{words}; {left}" if left else words, *error.args[1:])

    def _put_back(self) -> Plan[str]:
        """What is left all the same, in words."""
        resolver, element, by, one = self.resolver, self.element, self.by, self.one
        combo = yield from _element_of(resolver, element, _COMBO, element.name)
        if self.typed:
            yield from replace_text(resolver, combo, self.text, action="clear")
        told: dict[str, Any] = {}
        if self.opened:
            # Most close when they lose the focus, others where they are clicked as they were to open. Escape
            # may also close the dialog that a combobox is in.
            yield from ask(resolver, combo, BLUR)
            told = yield from self._closed()
            if _is_open(told):
                with contextlib.suppress(ElementCovered, NotInteractable):
                    yield from click_element(resolver, combo, PointerOptions())
                told = yield from self._closed()
        told = told or (yield from ask(resolver, element, _LOOK, by, one))
        left = [f"its text is left changed to {listed([told['text']])}"] if self._is_changed(told) else []
        left += ["its list is left open"] if self.opened and _is_open(told) else []
        return ", and ".join(left)

    def _closed(self) -> Plan[dict[str, Any]]:
        """The list, as soon as it is closed."""
        told: dict[str, Any] = {}
        for look in range(_OPENING_LOOKS):
            if look:
                yield from pause(_BREATH)
            told = yield from ask(self.resolver, self.element, _LOOK, self.by, self.one)
            if not _is_open(told):
                break
        return told

    def _is_changed(self, told: dict[str, Any]) -> bool:
        return self.typed and told["editable"] and told["text"] != self.text


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
