"""Choosing in ARIA listboxes and comboboxes: opened, looked through, and clicked.

The list of a combobox is found by ``aria-controls`` and ``aria-owns``, or as the only one that has come into
view since this action opened the combobox: what showed before may belong to anything. A list that shows its
items without the role is searched for the label; where it has no size (antd has the options of assistive
technology in an empty box), so is what stands beside it in its popup, and nothing further off. An option that
is still invisible is waited for. What is not there and can be filtered is typed into the combobox. Where
nothing is chosen, the combobox gets its former text again, and the list that was opened is closed.

A list that takes several is closed behind the last, by taking the focus away, or by a press where it keeps
the pointer from the rest of the page. A receipt says that a list is left open.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from hybridsnap.act.controls import MOST_LISTED, ask, listed, opened_dialog, refuse
from hybridsnap.act.focusing import DIALOG_NOTE, Done
from hybridsnap.act.pointer import COVERED, LET_GO, MOVED, PointerOptions, click_element
from hybridsnap.act.readiness import Progress, UntilReady, leave
from hybridsnap.act.remote_call import call_on, find_node
from hybridsnap.act.text_entry import press_chord, replace_text, type_text
from hybridsnap.capture.scope import id_of_place
from hybridsnap.errors import (
    ActionError,
    CommandRefused,
    CommandUnanswered,
    ElementCovered,
    HybridsnapError,
    NotInteractable,
    SessionEnded,
    StaleElement,
)
from hybridsnap.injected import script
from hybridsnap.protocol.plan import clock, pause
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

#: How often a list is looked at until it shows what is wanted, and seconds in between: lists are drawn late,
#: and some are loaded.
_LOOKS, _BREATH = 40, 0.05
#: Seconds of the deadline at which looking ends: the refusal says what the list has, a page without time left
#: would be called busy.
_RESERVE = 1.0
#: So many views of a list in which nothing new is drawn: it draws all of its options, in view or not.
_PAGES_ALIKE = 2
#: So long a click on a combobox may take to open its list, before its keys are tried.
_OPENING_LOOKS = 8

#: What to do where the list is not found.
_BY_HAND = "click it, and then an option"
#: Of a list, where several options are wanted.
_TAKES_ONE = "it takes exactly one option"
#: A note: what opened stays over the page.
_LEFT_OPEN = "its list is left open"
#: A note: the press may have taken back what was chosen.
_SILENT = "its options do not say which are chosen; pressing one that was chosen takes it back: look at it"

_LOOK = script("look_at_listbox")
_BEFORE = script("listbox_before")
_ITEM = script("listbox_item")
_COMBO = script("listbox_combo")
_LEAVE = script("listbox_leave")
_SCROLL = script("listbox_scroll")
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
            (``not open``); ``value`` when an option was pressed and says that it is not selected.
        ElementCovered, StaleElement: of the combobox or an option.
    """
    ones: Sequence[str | int | None] = [None] if wanted is None else wanted
    search = _Search(resolver, element, by, ones[0] if ones else "")
    told = yield from search.look()
    if not told["known"]:
        return None
    if not ones or (wanted is None and not told["alone"]):
        refuse(element, "choose in", "wrong kind", "say which of its options, by value, label or index")
    if told["refused"]:
        refuse(element, "choose in", told["refused"])
    choice = yield from _choose(resolver, element, by, ones[0], told, wanted=len(ones))
    choices = [choice]
    # Upon a choice the list may move, or be drawn anew. That is waited for here: to begin anew with the first
    # option would take its choice back, where the page does not say that it is chosen.
    ready = UntilReady(resolver, _LOOKS * _BREATH, Progress(), whole=False)
    for number, one in enumerate(ones[1:], 2):
        further = functools.partial(_choose, resolver, element, by, one, before=choice, wanted=len(ones))
        try:
            choice = yield from ready.run(further)
        except ActionError as error:
            error.partial = True
            before = f"option {number} of {len(ones)}, those before it are chosen: "
            error.args = (before + error.message, *error.args[1:])
            raise
        choices.append(choice)
    notes = [note for each in choices for note in each.notes]
    already = [each.already for each in choices if each.already is not None]
    if already:
        which = "it was" if len(already) == len(ones) else f"{listed(already)} was"
        notes.append(f"{which} chosen already")
    if choice.opened and DIALOG_NOTE not in notes:
        search = _Search(resolver, element, by, ones[-1])
        notes += yield from _left_open(search, several=choice.several or len(ones) > 1)
    return Done(tuple(dict.fromkeys(notes)))


class _Choice(NamedTuple):
    """One option, chosen.

    Attributes:
        opened: the list had to be opened for it, or for one before it.
        several: the list takes several.
        already: the option's label, where it was chosen already.
    """

    opened: bool
    several: bool
    notes: Sequence[str]
    already: str | None = None


def _choose(
    resolver: NodeResolver,
    element: Element,
    by: str,
    one: str | int | None,
    told: dict[str, Any] | None = None,
    *,
    before: _Choice | None = None,
    wanted: int,
) -> Plan[_Choice]:
    """Choose one option: the first, with what is known of the list, or one beside those chosen before."""
    search = _Search(resolver, element, by, one, opened=before is not None and before.opened, wanted=wanted)
    try:
        if told is None:
            told = yield from _told_for_another(search, several=before is not None and before.several)
        return (yield from _choose_found(search, told))
    except (NotInteractable, ElementCovered) as error:
        if not error.partial:
            leave(error, search)
        raise


def _told_for_another(search: _Search, *, several: bool) -> Plan[dict[str, Any]]:
    """What the list is like behind a choice, where it takes another; `several`: it takes several.

    In one that does not, the other choice would take the place of the first. A field that is empty behind a
    choice takes another.
    """

    def takes_another(told: dict[str, Any]) -> bool:
        return bool(several or told["several"] or (told["editable"] and not told["text"]))

    told = yield from search.awaited(takes_another)
    if not takes_another(told):
        refuse(search.element, "choose in", "wrong kind", _TAKES_ONE)
    return told


def _choose_found(search: _Search, told: dict[str, Any]) -> Plan[_Choice]:
    element, one = search.element, search.one
    if told["opens"] and not told["found"]:
        search.opened = search.opened or not _is_open(told)
        told = yield from _opened(search)
    told = yield from _shown(search, told)
    # Whether a field that takes text is emptied shows only behind the first choice.
    if search.wanted > 1 and not (told["several"] or told["editable"]):
        refuse(element, "choose in", "wrong kind", _TAKES_ONE)
    if told["indices"]:
        _refuse_several(element, str(one), told["indices"])
    if told["off"]:
        why = f'its option "{clean_text(told["label"])}" is disabled'
        refuse(element, "choose in", "disabled", why)
    if told["selected"] and (told["several"] or not search.opened):
        return _Choice(search.opened, told["several"], (), told["label"])
    notes = yield from _press_option(search, told)
    if LET_GO + MOVED in notes and (yield from _told_behind(search)).get("denies"):
        notes = yield from _press_option(search, told)
    # A list that takes one may have handed the choice on, and not mark its options; most of them close.
    after = (yield from _told_behind(search)) if told["several"] or LET_GO + MOVED in notes else {}
    if after.get("silent"):
        notes = [*notes, _SILENT]
    if after.get("denies"):
        left = f"; {_LEFT_OPEN}" if search.opened else ""
        why = f"its option {listed([told['label']])} was pressed, and says that it is not selected{left}"
        refuse(element, "choose in", "value", why, partial=True)
    return _Choice(search.opened, told["several"], notes)


def _press_option(search: _Search, told: dict[str, Any]) -> Plan[Sequence[str]]:
    """Click the option; the notes, without those of a click that did not come and was not needed."""
    resolver, element = search.resolver, search.element
    item = yield from _element_of(resolver, element, _ITEM, told["label"], search.by, search.one)
    notes = (yield from click_element(resolver, item, PointerOptions())).notes
    others = [note for note in notes if not (note == COVERED or note.startswith(LET_GO))]
    if len(others) < len(notes) and (yield from _has_taken(search, told)):
        return others
    return notes


def _told_behind(search: _Search) -> Plan[dict[str, Any]]:
    """What the list is like behind a press; a moment later where the option denies that it is selected.

    Empty where that cannot be told any more.
    """
    try:
        return (yield from search.awaited(lambda told: not told.get("denies")))
    except CommandUnanswered as error:
        if opened_dialog(error):
            raise
        return {}  # the choice counts, and keeps the page busy
    except (StaleElement, CommandRefused, SessionEnded, NotInteractable):
        return {}  # the choice has led elsewhere


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


def _has_taken(search: _Search, before: dict[str, Any]) -> Plan[bool]:
    """Whether an option was chosen as the button went down.

    It is marked so, or has gone from a list that stays; or the list has gone, and the combobox shows
    something else; or the combobox shows the option now, as its list fades away. A list that merely closes
    as the combobox loses the focus has taken nothing.
    """
    try:
        told = yield from search.look()
    except (StaleElement, CommandRefused, SessionEnded):
        return True  # the choice has led elsewhere
    has_gone = before["label"] not in told["labels"]
    shows_other = told["shows"] != before["shows"]
    shows_it = shows_other and before["label"] in told["shows"]
    return bool(told["selected"] or shows_it or (has_gone and (told["open"] or shows_other)))


def _opened(search: _Search) -> Plan[dict[str, Any]]:
    """Open the list of a combobox: by a click, or with the key for it."""
    resolver, element = search.resolver, search.element
    combo = yield from search.combobox()
    told = yield from search.look()
    # Opened by an attempt before, its list may still be to come.
    if told["open"] or (told["expanded"] and told["noted"]):
        return told
    if told["expanded"]:  # which of the lists that show is its own, it does not say
        yield from ask(resolver, combo, _LEAVE, resolver.group)
        told = yield from search.awaited(_is_closed)
    # The combobox may be a thin input below the text of what is chosen: what was named is clicked then.
    covered: ElementCovered | None = None
    for each in dict.fromkeys((combo, element)):
        try:
            told = yield from _pressed(search, each, was_open=told["expanded"])
        except ElementCovered as error:
            covered = error
            continue
        except NotInteractable:
            continue
        if _is_open(told):
            return told
        break
    if covered is not None and not (yield from ask(resolver, combo, _OWN_COVER))["own"]:
        raise covered
    # With Alt the key opens and does no more; alone it chooses the next option of many a closed combobox.
    yield from ask(resolver, element, _BEFORE, resolver.group)
    with contextlib.suppress(NotInteractable):  # a button that takes no focus has no keys
        yield from press_chord(resolver, "Alt+ArrowDown", combo)
    return (yield from search.awaited(_is_open))


def _pressed(search: _Search, part: Element, *, was_open: bool) -> Plan[dict[str, Any]]:
    """Click what opens a list; once more where that has closed what was open."""
    resolver = search.resolver
    yield from ask(resolver, search.element, _BEFORE, resolver.group)
    still = (yield from search.look())["still"]
    yield from click_element(resolver, part, PointerOptions())
    if was_open:
        told = yield from search.awaited(lambda told: _is_closed(told) and told["still"] < still)
        if _is_open(told):
            return told
        yield from ask(resolver, search.element, _BEFORE, resolver.group)
        yield from click_element(resolver, part, PointerOptions())
    return (yield from search.awaited(_is_open))


def _left_open(search: _Search, *, several: bool) -> Plan[list[str]]:
    """Close a list that takes several; a note that a list is left open.

    What keeps the pointer from the rest of the page is closed by a press beside the list, where the combobox
    is. Escape would undo the choice in some, and a press on a combobox may land on what is chosen already.
    """
    try:
        told = yield from search.look()
        if not several:
            told = yield from search.awaited(_is_closed)
            # It stays where the option led on to others, or where it takes several and has taken this one.
            several = told["selected"] or (told["open"] and not told["found"])
        if several and told["known"] and _is_open(told):
            combo = yield from search.combobox()
            if told["shut"]:
                yield from click_element(search.resolver, combo, PointerOptions(force=True))
            else:
                yield from ask(search.resolver, combo, _LEAVE, search.resolver.group)
            told = yield from search.awaited(_is_closed)
        return [_LEFT_OPEN] if told["known"] and _is_open(told) else []
    except CommandUnanswered as error:
        if opened_dialog(error):
            raise
        return []  # the choice counts, and keeps the page busy
    except (StaleElement, CommandRefused, SessionEnded, NotInteractable):
        return []  # the choice has led elsewhere


def _shown(search: _Search, told: dict[str, Any]) -> Plan[dict[str, Any]]:
    """Wait until the list shows the option; what can be filtered is filtered by it."""
    resolver, element, one = search.resolver, search.element, search.one
    typed_at: int | None = None
    took = 0.0
    for look in range(_LOOKS):
        if told["found"]:
            return told
        filters = told["editable"] and isinstance(one, str)
        if look == _OPENING_LOOKS and filters:
            combo = yield from search.combobox()
            search.typed, search.text, search.before = True, told["text"], told
            yield from type_text(resolver, combo, str(one), clear=True)
            typed_at = look
        # What is listed already, and stays so for a moment, will not show it by itself; an option that is
        # there, and invisible, may.
        elif (
            look >= (typed_at or 0) + _OPENING_LOOKS
            and (typed_at or not filters)
            and told["count"]
            and not told["hides"]
        ):
            break
        if (yield from clock()).remaining < max(_RESERVE, 2 * took):
            break
        yield from pause(_BREATH)
        began = yield from clock()
        told = yield from search.look()
        took = (yield from clock()).elapsed - began.elapsed
    has_time = (yield from clock()).remaining > max(_RESERVE, 4 * took)
    # Of a list that does not say how many it has, no option drawn in another view has a number.
    is_told_apart = search.by != "index" or told["size"] > told["count"]
    if has_time and is_told_apart and told["count"] and not (told["found"] or told["hides"]):
        told = yield from _scrolled_to(search, told)
    if told["found"]:
        return told
    if told["opens"] and not told["open"] and not told["count"] and not search.typed:
        opens = "what it opens is not a list of options" if told["expanded"] else "its list does not open"
        refuse(element, "choose in", "not open", f"{opens}; {_BY_HAND}")
    search.now = told
    if told["hides"]:
        refuse(element, "choose in", "not displayed", f"its option {listed([str(one)])} does not show")
    refuse(element, "choose in", "no such option", search.why)


def _scrolled_to(search: _Search, told: dict[str, Any]) -> Plan[dict[str, Any]]:
    """Scroll through a list from its start until it shows the option: it may draw what is in view alone.

    Returns what the list is like in the end; its labels are those of all options that came into view.
    """
    resolver, element = search.resolver, search.element
    labels: dict[str, None] = {}
    went_back = (yield from ask(resolver, element, _SCROLL, resolver.group, True))["moved"]
    last: list[str] = told["labels"] if went_back else []

    def is_drawn(told: dict[str, Any]) -> bool:
        return bool(told["found"] or told["labels"] != last or told["size"] <= told["count"])

    for page in itertools.count():
        began = yield from clock()
        told = yield from search.awaited(is_drawn)
        if told["found"]:
            return told
        last = told["labels"]
        draws_more = told["size"] > told["count"] or not labels.keys() >= set(last)
        labels.update(dict.fromkeys(last))
        took = (yield from clock()).elapsed - began.elapsed
        if (page >= _PAGES_ALIKE and not draws_more) or began.remaining < max(_RESERVE, 4 * took):
            break
        if not (yield from ask(resolver, element, _SCROLL, resolver.group, False))["moved"]:
            break
    return {**told, "labels": [*labels], "count": max(told["count"], len(labels))}


def _is_open(told: dict[str, Any]) -> bool:
    """Whether a list shows, or a combobox says that it has opened something else."""
    return bool(told["open"] or told["expanded"])


def _is_closed(told: dict[str, Any]) -> bool:
    return not _is_open(told)


def _has(told: dict[str, Any]) -> str:
    """Which options a list has."""
    labels, count, size = told["labels"], told["count"], told["size"]
    if not labels:
        return f"none, but shows {listed(told['lines'])}" if told["lines"] else "none"
    if size > count:
        return (
            f"{listed(labels)}, and draws {count} of its {size} options; scroll it to the one that is meant"
        )
    return listed(labels) if count <= len(labels) else f"{listed(labels[:MOST_LISTED])}, … ({count} in all)"


@dataclasses.dataclass(slots=True)
class _Search:
    """Looking for an option, and what that leaves in the page where the option is not chosen.

    Attributes:
        opened: the list was opened for it.
        wanted: how many options are wanted in all.
        typed: the option was typed into the combobox, to filter the list.
        text: what the combobox held before.
        before: what the list was like before.
        now: what it was like in the end, when it did not have the option.
    """

    resolver: NodeResolver
    element: Element
    by: str
    one: str | int | None
    opened: bool = False
    wanted: int = 1
    typed: bool = False
    text: str = ""
    before: dict[str, Any] = dataclasses.field(default_factory=dict)
    now: dict[str, Any] = dataclasses.field(default_factory=dict)

    def look(self) -> Plan[dict[str, Any]]:
        """What the list is like, and whether it has the option."""
        resolver, element = self.resolver, self.element
        told: dict[str, Any] = yield from ask(resolver, element, _LOOK, resolver.group, self.by, self.one)
        return told

    def awaited(self, is_so: Callable[[dict[str, Any]], bool]) -> Plan[dict[str, Any]]:
        """What the list is like, as soon as it is so, or else a moment later."""
        told = yield from self.look()
        for _ in range(_OPENING_LOOKS):
            if is_so(told):
                break
            yield from pause(_BREATH)
            told = yield from self.look()
        return told

    def combobox(self) -> Plan[Element]:
        """What opens the list."""
        return (yield from _element_of(self.resolver, self.element, _COMBO, self.element.name))

    @property
    def why(self) -> str:
        """Why the option is not chosen: which there are."""
        typed = listed([str(self.one)])
        lacks = f"it has no option {typed}"
        if self.typed and not (self.now["listed"] or self.before["listed"]):
            return f"no list of its options is found, also after {typed} was typed into it; {_BY_HAND}"
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
        resolver, element = self.resolver, self.element
        combo = yield from self.combobox()
        if self.typed:
            yield from replace_text(resolver, combo, self.text, action="clear")
        told: dict[str, Any] = {}
        if self.opened:
            # Most close when they lose the focus, others where they are clicked as they were to open. Escape
            # may also close the dialog that a combobox is in.
            yield from ask(resolver, combo, _LEAVE, resolver.group)
            told = yield from self.awaited(_is_closed)
            for each in dict.fromkeys((combo, element)) if _is_open(told) else ():
                with contextlib.suppress(ElementCovered, NotInteractable):
                    yield from click_element(resolver, each, PointerOptions())
                    told = yield from self.awaited(_is_closed)
                    break
        told = told or (yield from self.look())
        if self.typed and not self.before["labels"]:  # a list that only typing opens: without that text
            self.before = told
        left = [f"its text is left changed to {listed([told['text']])}"] if self._is_changed(told) else []
        left += [_LEFT_OPEN] if self.opened and _is_open(told) else []
        return ", and ".join(left)

    def _is_changed(self, told: dict[str, Any]) -> bool:
        return self.typed and told["editable"] and told["text"] != self.text


def _element_of(
    resolver: NodeResolver, element: Element, function: str, name: str, *arguments: Any
) -> Plan[Element]:
    """A part of the list, to be clicked."""
    place = element.place
    call = call_on(resolver, place, function, resolver.group, *arguments, by_value=False)
    part = yield from find_node(resolver, place, call)
    if part is None:
        refuse(element, "choose in", "no such option", "the option went while it was looked for; try again")
    if part.backend_node_id == place.backend_node_id:
        return element
    id_ = yield from id_of_place(resolver, part)
    role = "option" if function is _ITEM else "combobox"
    return dataclasses.replace(element, id=id_, place=part, role=role, name=name)
