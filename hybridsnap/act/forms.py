"""Filling in forms: every kind of control takes its value.

What a person types is typed (`hybridsnap.act.text_entry`), what a person clicks is clicked; sliders made by
script have their keys. Dates, times, numbers, ranges and colours have no such way that would not depend on
the browser's language: their value is set, by the prototype's own setter in the isolated world, and `input`
and `change` are fired (untrusted). What the browser would make of a value is tried on an element of our own
before.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from hybridsnap.act.checking import set_checked
from hybridsnap.act.choosing import check_options, select_option
from hybridsnap.act.controls import (
    INSTEAD,
    OWN_SELECTION,
    SET_VALUE,
    ask,
    kind_in_words,
    opened_dialog,
    refuse,
)
from hybridsnap.act.files import check_files, checked_paths, set_input_files
from hybridsnap.act.focusing import BLUR, DIALOG_NOTE, Done, ask_with_focus, ends_at_dialog, refuse_focus
from hybridsnap.act.readiness import Progress, UntilReady
from hybridsnap.act.receipt import made_else
from hybridsnap.act.refusals import blame_frame
from hybridsnap.act.remote_call import call_on, read_result
from hybridsnap.act.sliders import check_slider, check_spun, set_slider
from hybridsnap.act.text_entry import replace_text
from hybridsnap.capture.roles import CHECKABLE_ROLES
from hybridsnap.errors import ActionError, CommandUnanswered, StaleElement
from hybridsnap.injected import script
from hybridsnap.protocol.plan import Reply, gather_outcomes, pause
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.act.controls import EarlyAnswer
    from hybridsnap.act.element import Element
    from hybridsnap.act.files import Permit
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

INSPECT = script("inspect_control")
_SET = script("set_value")
_COMPARE = script("compare_value")
#: How often comboboxes are looked at while a list leaves, and seconds in between: half a second in all, as
#: for a receipt.
_LEAVING_LOOKS, _LEAVING = 10, 0.05
#: Seconds in which a framework that keeps values itself writes into their fields what it has: some do with
#: the next frame.
_WRITING_BACK = 0.02
_DAY = r"[0-9]{4,6}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?"
#: Kind → the form its values have, and an example.
_FORMS = {
    "date": (_DAY, "2026-01-31"),
    "time": (_TIME, "14:30"),
    "datetime-local": (f"{_DAY}T{_TIME}", "2026-01-31T14:30"),
    "month": (r"[0-9]{4,6}-[0-9]{2}", "2026-01"),
    "week": (r"[0-9]{4,6}-W[0-9]{2}", "2026-W05"),
    "number": (r"-?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][-+]?[0-9]+)?", "-12.5"),
    "range": (r"-?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][-+]?[0-9]+)?", "50"),
    "color": (r"#[0-9a-fA-F]{6}", "#1e90ff"),
}
#: Kind → what its values are, and their type; a str for all others.
_TYPES: dict[str, tuple[str, Any]] = {
    "checkbox": ("True or False", bool),
    "radio": ("True or False", bool),
    "aria": ("True or False", bool),
    "slider": ("a number", str),
    "select": ("a str or a list of them", str),
    "file": ("a path or a list of them", str | os.PathLike),
}
#: What models write for True and False: other tools' forms have every value as text.
_TRUTH = {"true": True, "false": False}
_TEXTS = frozenset({"text", "textarea", "editable"})
#: What takes a value that is on no scale.
_CONTROLS = _TEXTS | {"select", "checkbox", "radio", "aria"}
#: Made by script of elements that take no text: their options are seen once they are opened.
_LISTS = frozenset({"combobox", "listbox"})
_CHOOSE = "to choose an option, give its label as a list, or use select_option"
#: Said of all: of two fields that look the same (Gradio's), one takes any text, the other options alone.
_TYPED = f"typed as text; {_CHOOSE}"
_ENTRY_KEYS = frozenset({"id", "element", "ref", "type", "value"})
#: Other names of ``id`` in an entry: that of all other MCP tools, and that of Playwright's.
_ALIASES = frozenset({"element", "ref"})


@dataclasses.dataclass(frozen=True, slots=True)
class Filled:
    """One entry of a form that was filled in.

    Attributes:
        element: that took the value.
        notes: what else there is to know.
        verb: what was done, as far as it has lasted: ``filled``, ``typed into`` (a combobox, whose text may
            choose nothing) or ``not filled:`` (it is empty again).
    """

    element: Element
    notes: tuple[str, ...] = ()
    verb: str = "filled"


@dataclasses.dataclass(frozen=True, slots=True)
class _Usable:
    """A value that has been found right for a kind of control.

    Attributes:
        opens: the control opens a list of options, and what is typed into it may choose none of them.
        own_list: that list is made by script. HTML's (``<datalist>``) only suggests texts.
    """

    kind: str
    value: Any
    opens: bool = False
    own_list: bool = False


def fill(
    resolver: NodeResolver,
    element: Element,
    value: Any,
    permit: Permit | None = None,
    *,
    commit: bool = False,
    early: EarlyAnswer | None = None,
) -> Plan[Done]:
    """Give a control its value, in the place of the one it has.

    Args:
        resolver: of the page.
        element: any control of a form, editable text, or an ARIA checkbox, switch, radio, slider, combobox
            or listbox.
        value: a str for text; True or False (``"true"`` or ``"false"``, too) for a checkbox or switch, True
            for a radio; value or label of an option of a select, a list or a read-only field that opens one,
            or several of them (always a list for a field that takes text and opens a list); ``2026-01-31``
            for a date, ``14:30``, ``2026-01-31T14:30``, ``2026-01``, ``2026-W05`` for time, datetime-local,
            month and week; a number for number and range; ``#1e90ff`` for a colour; a path, or a list of
            them, for a file input.
        permit: asked for each such path; None permits all.
        commit: take the focus away afterwards, for fields that listen to `change`.
        early: an `EarlyAnswer` of `INSPECT`, if there is one.

    Returns:
        Notes say what was so already, and where the page made something else of the value.

    Raises:
        NotInteractable: it is none of these (``wrong kind``), disabled, read-only, …; has no such option; or
            cannot have this value (``value``): the message says what its values look like.
        StaleElement: it is gone.
        TypeError, ValueError: what is a value of no control at all; or there is no such file.
    """
    _check_value(value)
    usable = yield from _checked(resolver, element, value, permit, early)
    done = yield from _filled(resolver, element, usable)
    if not commit or DIALOG_NOTE in done.notes:
        return done
    try:
        yield from ask(resolver, element, BLUR)
    except CommandUnanswered as error:
        if not opened_dialog(error):
            raise
    except StaleElement:
        return done  # the value led elsewhere
    return done


def fill_form(
    resolver: NodeResolver,
    resolve: Callable[[str], Plan[Element]],
    entries: Sequence[Mapping[str, Any]],
    permit: Permit | None = None,
    ready: UntilReady | None = None,
) -> Plan[list[Filled]]:
    """Fill several controls, in the order given. All are found and checked before the first is touched,
    but for options of lists that have to be opened.

    Args:
        resolver: of the page.
        resolve: finds an element by its id, ref or selector.
        entries: each ``{"id": …, "value": …}``; values as for `fill`.
        permit: as for `fill`.
        ready: waits until all entries can be filled, and then for each at its turn; None does not wait.

    Raises:
        ActionError: an entry cannot be filled, or not with this value. One that was found wrong on the way
            says how many were filled before it.
        TypeError, ValueError: an entry has another shape, or what is a value of no control at all; or there
            is no such file.
    """
    _check_entries(entries)
    ready = ready or UntilReady(resolver, 0.0, Progress(), whole=False)
    prepared = yield from ready.run(lambda: _prepared(resolver, resolve, entries, permit))
    filled: list[Filled] = []
    for number, (element, usable) in enumerate(prepared, 1):
        try:
            with blame_frame(element, "fill"):
                done = yield from ready.run(functools.partial(_filled, resolver, element, usable))
        except ActionError as error:
            none = "none is filled completely" if error.partial else "none is filled"
            before = "those before it are filled" if number > 1 else none
            for taken, (_, note) in (yield from _taken_back(resolver, prepared[: number - 1])).items():
                before += f", but entry {taken + 1}: {note}"
            error.partial = error.partial or number > 1
            _number(error, f"entry {number} of {len(prepared)}, {before}: ")
            raise
        notes = done.notes
        if DIALOG_NOTE in notes and number < len(prepared):
            left = len(prepared) - number
            notes = (*notes, f"the {left} entr{'y' if left == 1 else 'ies'} after it not filled")
            return [*filled, Filled(element, notes, _verb(usable))]
        filled.append(Filled(element, notes, _verb(usable)))
    if filled and DIALOG_NOTE not in filled[-1].notes:
        for at, (verb, note) in (yield from _taken_back(resolver, prepared, _LEAVING_LOOKS)).items():
            notes = (*(one for one in filled[at].notes if one != _TYPED), note)
            filled[at] = Filled(filled[at].element, notes, verb)
    return filled


def _taken_back(
    resolver: NodeResolver, prepared: Sequence[tuple[Element, _Usable]], looks: int = 1
) -> Plan[dict[int, tuple[str, str]]]:
    """What the page made of fields' values behind their turn, by their number: the verb of what has
    lasted, and a note. All are asked at once.

    Args:
        resolver: of the page.
        prepared: what was filled. The last one has the focus still.
        looks: so many at most, where a combobox holds its text and something on the page still moves, as a
            list that fades away. Some comboboxes empty themselves when their list has gone (Base UI).
    """
    fields = [number for number, (_, usable) in enumerate(prepared) if usable.kind in _TEXTS | _FORMS.keys()]
    told: dict[int, tuple[str, str]] = {}
    moved = False
    if not fields:
        return told
    yield from pause(_WRITING_BACK)
    for look in range(looks):
        outcomes: list[Outcome[CallResult]] = yield from gather_outcomes(
            *(call_on(resolver, prepared[number][0].place, _COMPARE, None) for number in fields)
        )
        moves = False
        for number, outcome in zip(fields, outcomes, strict=True):
            if not isinstance(outcome, Reply) or outcome.value.exception_details is not None:
                return told  # the form led elsewhere
            found = read_result(outcome, dict[str, Any])
            if found.get("holds", True):
                moves = moves or found.get("moves", False)
            else:
                usable = prepared[number][1]
                told[number] = _took_back(usable, found["values"])
        # One more look behind what has moved.
        if look == looks - 1 or not (moves or moved):
            break
        moved = moves
        yield from pause(_LEAVING)
    return told


def _took_back(usable: _Usable, values: Sequence[str]) -> tuple[str, str]:
    note = made_else(values)
    if usable.opens:
        note += f"; {_CHOOSE}"
    return ("not filled:" if values and not any(values) else _verb(usable)), note


def _verb(usable: _Usable) -> str:
    """What the filling was: some comboboxes (Quasar's) keep no text, but only a chosen option."""
    return "typed into" if usable.opens and usable.kind in _TEXTS else "filled"


def _prepared(
    resolver: NodeResolver,
    resolve: Callable[[str], Plan[Element]],
    entries: Sequence[Mapping[str, Any]],
    permit: Permit | None,
) -> Plan[list[tuple[Element, _Usable]]]:
    """Find every entry's element, and check that it takes its value."""
    prepared: list[tuple[Element, _Usable]] = []
    for number, entry in enumerate(map(_named, entries), 1):
        try:
            element = yield from resolve(entry["id"])
            with blame_frame(element, "fill"):
                prepared.append((element, (yield from _checked(resolver, element, entry["value"], permit))))
        except (TypeError, ValueError, ActionError) as error:
            _number(error, f"entry {number} ({entry['id']}): ", "; no entry is filled")
            raise
    return prepared


def _check_entries(entries: Sequence[Mapping[str, Any]]) -> None:
    if isinstance(entries, str | Mapping) or not hasattr(entries, "__iter__"):
        raise TypeError('entries is a list of {"element": …, "value": …}')
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, Mapping):
            raise TypeError(f'entry {number} is {{"element": …, "value": …}}, not {type(entry).__name__}')
        unknown = [str(key) for key in entry if key not in _ENTRY_KEYS]
        if unknown:
            raise ValueError(
                f"entry {number} has unknown keys: {', '.join(unknown)}; "
                "known are element (or id, or ref), type, value"
            )
        missing = [name for name in ("id", "value") if name not in _named(entry)]
        if missing:
            named = " and no ".join("element" if name == "id" else name for name in missing)
            raise ValueError(f"entry {number} has no {named}")
        names = [key for key in ("id", *sorted(_ALIASES)) if key in entry]
        if len(names) > 1:
            raise ValueError(
                f"entry {number} has {' and '.join(names)}, which name its element; give one of them"
            )
        id_ = _named(entry)["id"]
        if not isinstance(id_, str):
            raise TypeError(f"entry {number}: {names[0]} is a str, not {type(id_).__name__}")
        try:
            _check_value(entry["value"])
        except TypeError as error:
            _number(error, f"entry {number} ({id_}): ")
            raise


def _named(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """An entry with the name of its element as ``id``. Its ``type`` is for readers: the page knows it."""
    return {"id" if key in _ALIASES else key: value for key, value in entry.items()}


def _check_value(value: Any) -> None:
    """What no control takes is a mistake of the caller's; all else depends on the page."""
    several = value if isinstance(value, list | tuple) else [value]
    for one in several:
        if not isinstance(one, bool | int | float | str | os.PathLike):
            raise TypeError(
                "a value is a str, a number, True, False, a path, or a list of them, "
                f"not {type(one).__name__}"
            )


def _number(error: Exception, before: str, behind: str = "") -> None:
    """Say in an error's line which entry it is about."""
    if error.args:
        error.args = (f"{before}{error.args[0]}{behind}", *error.args[1:])


def _checked(
    resolver: NodeResolver,
    element: Element,
    value: Any,
    permit: Permit | None,
    early: EarlyAnswer | None = None,
) -> Plan[_Usable]:
    """A value, found right for the element, which is found fit to take it."""
    told = yield from ask(resolver, element, INSPECT, early=early)
    kind: str = told["kind"]
    if _takes_options(told, element, value):
        return _Usable("select", _usable(element, "select", value, permit))
    if told.get("refused") == "wrong kind" and element.role in CHECKABLE_ROLES:
        return _Usable("aria", _usable(element, "aria", value, permit))
    if told.get("refused") == "wrong kind":
        remedy = {
            "button": "click it",
            "label": "name the control that it labels",
            "option": "select it, or name its select",
            "edit context": OWN_SELECTION,
        }.get(kind) or INSTEAD.get(
            element.role, "name a control of a form; any other is clicked and typed into"
        )
        refuse(element, "fill", "wrong kind", f"it is {kind_in_words(kind)}; {remedy}")
    if told["refused"]:
        refuse(element, _error_verb(kind), told["refused"])
    opens = element.role == "combobox" or bool(told["opens"])
    usable = _Usable(kind, _usable(element, kind, value, permit), opens, bool(told["opens"]))
    if kind == "slider":
        return _Usable(kind, (yield from check_slider(resolver, element, usable.value)))
    if kind == "select":
        yield from check_options(resolver, element, usable.value)
    elif kind == "file":
        yield from check_files(resolver, element, usable.value)
    elif kind in _FORMS:
        _refuse_value(
            element, kind, usable.value, (yield from ask(resolver, element, _SET, usable.value, False))
        )
    elif kind == "radio" and not usable.value:
        refuse(element, "uncheck", "wrong kind", "a radio is unchecked by checking another one")
    return usable


def _takes_options(told: Mapping[str, Any], element: Element, value: Any) -> bool:
    """Whether filling a control other than a ``<select>`` means choosing in the list that it opens."""
    kind, refused = told["kind"], told.get("refused")
    if refused == "wrong kind":
        return bool(told["opens"]) or (kind in {"", "button"} and element.role in _LISTS)
    if refused == "read-only":
        return bool(told["opens"])
    # Several values are options; text is one str.
    is_list = element.role in _LISTS or bool(told["opens"])
    return not refused and kind in _TEXTS and is_list and isinstance(value, list | tuple)


def _usable(element: Element, kind: str, value: Any, permit: Permit | None) -> Any:
    """A value as the control's kind takes it.

    Raises:
        NotInteractable: it does not.
    """
    several = list(value) if isinstance(value, list | tuple) else [value]
    plain = kind not in _TYPES or kind == "slider"
    if plain and isinstance(value, int | float) and not isinstance(value, bool):
        value = _number_text(value)
    looks, taken = _TYPES.get(kind, ("a str", str))
    if taken is bool and isinstance(value, str):
        value = _TRUTH.get(value.lower(), value)
    given = several if kind in {"select", "file"} else [value]
    if not all(isinstance(one, taken) for one in given):
        _refuse_form(element, kind, f"its value is {looks}", value)
    if kind == "file":
        return checked_paths(value, permit)
    if kind == "select":
        return several
    if kind in _FORMS and (value or kind in {"range", "color"}):
        form, example = _FORMS[kind]
        if kind != "color" and not re.fullmatch(form, value):
            _refuse_form(element, kind, f"its value looks like {example}", value)
    return value


def _number_text(number: float) -> str:
    """A whole number without a point: JSON does not tell 8 from 8.0, and a field may take digits only."""
    return str(int(number) if math.isfinite(number) and number == int(number) else number)


def _is_valued(kind: str) -> bool:
    """Whether such a control has a value on a scale, or in a form of its own."""
    return kind in _FORMS or kind == "slider"


def _error_verb(kind: str) -> str:
    """What filling such a control is called in errors."""
    return SET_VALUE if _is_valued(kind) else "fill"


def _refuse_form(element: Element, kind: str, looks: str, value: Any) -> NoReturn:
    what = kind_in_words(kind) if kind != "aria" else "checked or not"
    refuse(
        element, _error_verb(kind), "value", f"it is {what}: {looks}, not like {clean_text(repr(value)[:60])}"
    )


def _filled(resolver: NodeResolver, element: Element, usable: _Usable) -> Plan[Done]:
    """Fill with what was checked."""
    kind, value = usable.kind, usable.value
    if kind in _TEXTS:
        done = yield from replace_text(resolver, element, value, action="fill")
        return Done((*done.notes, _TYPED)) if value and usable.own_list else done
    if kind in {"checkbox", "radio", "aria"}:
        return (yield from set_checked(resolver, element, value))
    if kind == "select":
        return (yield from select_option(resolver, element, label=value))
    if kind == "slider":
        return (yield from set_slider(resolver, element, value))
    if kind == "file":
        return (yield from set_input_files(resolver, element, value))
    return (yield from _set_value(resolver, element, kind, value))


@ends_at_dialog
def _set_value(resolver: NodeResolver, element: Element, kind: str, value: str) -> Plan[Done]:
    told = yield from ask_with_focus(resolver, element, _SET, value, True)
    if told.get("refused") in {"focus moved", "focus taken"}:
        yield from refuse_focus(resolver, element, SET_VALUE, told["refused"])
    _refuse_value(element, kind, value, told)
    notes = [] if told["changes"] else ["it had this value already"]
    if not told["kept"]:
        notes.append("the page made something else of the value")
    if told["invalid"]:
        notes.append(f"the field is not valid: {clean_text(told['invalid'])}")
    return Done(tuple(notes))


def _refuse_value(element: Element, kind: str, value: str, told: dict[str, Any]) -> None:
    reason = told.get("refused", "")
    if reason == "format":
        words = f"{kind_in_words(kind)}: its value looks like {_FORMS[kind][1]}"
        why = f"it is {words}, and {clean_text(repr(value[:60]))} is none that exists"
        refuse(element, SET_VALUE, "value", why)
    if reason == "value":
        runs = ", ".join(clean_text(f"{name} {told[name]}") for name in ("min", "max", "step"))
        refuse(
            element, SET_VALUE, "value", f"it cannot be {value} ({runs}); the nearest is {told['nearest']}"
        )
    if reason:
        refuse(element, SET_VALUE, reason)


def check_value(value: Any) -> None:
    """See whether this is a value on a scale.

    Raises:
        TypeError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(f"value: expected a number or a str, got {value!r:.60}")


def set_value(resolver: NodeResolver, element: Element, value: float | str) -> Plan[Done]:
    """Give a valued control its value: a slider of ARIA by its keys, others as `fill` does.

    A spin button that is a text field, as scripts make them, is one.

    Raises:
        NotInteractable: it has no value (``wrong kind``), cannot have this one (``value``), is disabled, …
        StaleElement: it is gone.
    """
    told = yield from ask(resolver, element, INSPECT)
    kind: str = told["kind"]
    is_spun = kind in _TEXTS and element.role == "spinbutton"
    if not (_is_valued(kind) or is_spun):
        others = "name a slider, or a field of a number, a date, a time or a colour"
        instead = "use fill, check or select_option" if kind in _CONTROLS else others
        why = f"it is {kind_in_words(kind)} and has no value on a scale; {instead}"
        refuse(element, SET_VALUE, "wrong kind", why)
    if is_spun:
        yield from check_spun(resolver, element, value if isinstance(value, str) else _number_text(value))
    return (yield from fill(resolver, element, value))


def clear_element(resolver: NodeResolver, element: Element) -> Plan[Done]:
    """Empty a control: text by selecting it all and Backspace; dates, numbers and files by their value.

    A select that takes several has nothing chosen then.

    Raises:
        NotInteractable: it cannot be empty (``wrong kind``: checkboxes, ranges, colours, other selects, what
            is not a control), is disabled, read-only, …
        StaleElement: it is gone.
    """
    told = yield from ask(resolver, element, INSPECT)
    kind = told["kind"]
    if kind == "edit context":
        refuse(element, "clear", "wrong kind", f"it is {kind_in_words(kind)}; {OWN_SELECTION}")
    single = kind == "select" and not told["multiple"]
    if (
        told.get("refused") == "wrong kind"
        or kind in {"checkbox", "radio", "aria", "range", "color", "slider"}
        or single
    ):
        remedy = "; uncheck it" if kind in {"checkbox", "aria"} else ""
        words = "a select that takes one option" if single else kind_in_words(kind)
        refuse(element, "clear", "wrong kind", f"it is {words} and cannot be empty{remedy}")
    if told["refused"]:
        refuse(element, "clear", told["refused"])
    if kind in _TEXTS or kind == "number":
        return (yield from replace_text(resolver, element, "", action="clear"))
    empty: Any = [] if kind in {"select", "file"} else ""
    return (yield from _filled(resolver, element, _Usable(kind, empty)))
