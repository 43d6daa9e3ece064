"""Filling in forms: every kind of control takes its value.

What a person types is typed (`hybridsnap.act.text_entry`), what a person clicks is clicked. Dates, times,
numbers, ranges and colours have no such way that would not depend on the browser's language: their value is
set, by the prototype's own setter in the isolated world, and `input` and `change` are fired (untrusted). What
the browser would make of a value is tried on an element of our own before.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from hybridsnap.act.checking import set_checked
from hybridsnap.act.choosing import check_options, choose_either
from hybridsnap.act.controls import ask, kind_in_words, on_element, opened_dialog, refuse
from hybridsnap.act.files import check_files, checked_paths, set_input_files
from hybridsnap.act.focusing import DIALOG_NOTE, Done, ask_with_focus
from hybridsnap.act.refusals import blame_frame
from hybridsnap.act.text_entry import replace_text
from hybridsnap.errors import ActionError, CommandUnanswered
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.files import Permit
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan

__all__ = ["Filled", "clear_element", "fill", "fill_form", "set_checked"]

#: What is wrong with a value is said before anything is done. ``value`` null: only what the element is.
_INSPECT = on_element(
    "",
    """
  const kind = at ? kindOf(at) : "";
  if (["", "button", "label", "option"].includes(kind)) return { refused: "wrong kind", kind };
  const UNWRITTEN = ["checkbox", "radio", "aria", "file"];
  let refused = refusalOf(at);
  // These are often hidden, and what stands for them is not.
  if (UNWRITTEN.includes(kind) && ["not displayed", "invisible"].includes(refused)) refused = "";
  if (!refused && at.readOnly && !["range", "color", ...UNWRITTEN].includes(kind)) refused = "read-only";
  return { kind, refused, multiple: at.multiple ?? false };
""",
)
_SET = on_element(
    "value, act",
    """
  const kind = at ? kindOf(at) : "";
  if (!MOMENT.has(kind)) return { refused: "wrong kind", kind };
  const reason = refusalOf(at) || (at.readOnly && kind !== "range" && kind !== "color" && "read-only");
  if (reason) return { refused: reason };
  const own = Document.prototype.createElement.call(document, "input");
  own.type = kind;
  const copied = { range: ["min", "max", "step"], color: ["alpha", "colorspace"] }[kind] ?? [];
  for (const name of copied) if (at.hasAttribute(name)) own.setAttribute(name, at.getAttribute(name));
  own.value = value;
  const plain = !own.hasAttribute("alpha") && !own.hasAttribute("colorspace");
  if (value !== "" && own.value === "") return { refused: "format" };
  if (kind === "color" && plain && own.value !== value.toLowerCase()) return { refused: "format" };
  if (kind === "range" && Number(own.value) !== Number(value)) {
    const [min, max, step] = [at.min || "0", at.max || "100", at.step || "1"];
    return { refused: "value", nearest: own.value, min, max, step };
  }
  if (!act) return {};
  const unable = focusOn(at);
  if (unable) return { refused: unable };
  if (sleeps(at)) return { asleep: true };
  const changes = at.value !== own.value || at.validity.badInput;
  if (changes) {
    at.value = own.value;
    fire(at, "input");
    fire(at, "change");
  }
  return {
    changes,
    kept: at.value === own.value,
    invalid: at.willValidate && !at.validity.valid ? at.validationMessage : "",
  };
""",
)
_DAY = r"[0-9]{4,6}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?"
#: Kind → the form its values have, an example, and what it is called.
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
    "select": ("a str or a list of them", str),
    "file": ("a path or a list of them", str | os.PathLike),
}
_TEXTS = frozenset({"text", "textarea", "editable"})
_ENTRY_KEYS = frozenset({"id", "value"})


@dataclasses.dataclass(frozen=True, slots=True)
class Filled:
    """One entry of a form that was filled in.

    Attributes:
        element: that took the value.
        notes: what else there is to know.
    """

    element: Element
    notes: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class _Usable:
    """A value that has been found right for a kind of control."""

    kind: str
    value: Any


def fill(locator: Locator, element: Element, value: Any, permit: Permit | None = None) -> Plan[Done]:
    """Give a control its value, in the place of the one it has.

    Args:
        locator: of the page.
        element: any control of a form, editable text, or an ARIA checkbox, switch or radio.
        value: a str for text; True or False for a checkbox or switch, True for a radio; value or label of an
            option of a select, or a list of them; ``2026-01-31`` for a date, ``14:30``, ``2026-01-31T14:30``,
            ``2026-01``, ``2026-W05`` for time, datetime-local, month and week; a number for number and range;
            ``#1e90ff`` for a colour; a path, or a list of them, for a file input.
        permit: asked for each such path; None permits all.

    Returns:
        Notes say what was so already, and where the page made something else of the value.

    Raises:
        NotInteractable: it is none of these (``wrong kind``), disabled, read-only, …; has no such option; or
            cannot have this value (``value``): the message says what its values look like.
        StaleElement: it is gone.
        TypeError, ValueError: what is a value of no control at all; or there is no such file.
    """
    _check_value(value)
    usable = yield from _checked(locator, element, value, permit)
    return (yield from _filled(locator, element, usable))


def fill_form(
    locator: Locator,
    resolve: Callable[[str], Plan[Element]],
    entries: Sequence[Mapping[str, Any]],
    permit: Permit | None = None,
) -> Plan[list[Filled]]:
    """Fill several controls, in the order given. All are found and checked before the first is touched.

    Args:
        locator: of the page.
        resolve: finds an element by its id, ref or selector.
        entries: each ``{"id": …, "value": …}``; values as for `fill`.
        permit: as for `fill`.

    Raises:
        ActionError: an entry cannot be filled, or not with this value. One that was found wrong on the way
            says how many were filled before it.
        TypeError, ValueError: an entry has another shape, or what is a value of no control at all; or there
            is no such file.
    """
    _check_entries(entries)
    prepared: list[tuple[Element, _Usable]] = []
    for number, entry in enumerate(entries, 1):
        try:
            element = yield from resolve(entry["id"])
            with blame_frame(element, "fill"):
                prepared.append((element, (yield from _checked(locator, element, entry["value"], permit))))
        except (TypeError, ValueError, ActionError) as error:
            _number(error, f"entry {number} ({entry['id']}): ")
            raise
    filled: list[Filled] = []
    for number, (element, usable) in enumerate(prepared, 1):
        try:
            with blame_frame(element, "fill"):
                done = yield from _filled(locator, element, usable)
        except ActionError as error:
            before = "those before it are filled" if number > 1 else "none is filled"
            _number(error, f"entry {number} of {len(prepared)}, {before}: ")
            raise
        notes = done.notes
        if DIALOG_NOTE in notes and number < len(prepared):
            left = len(prepared) - number
            notes = (*notes, f"the {left} entr{'y' if left == 1 else 'ies'} after it not filled")
            return [*filled, Filled(element, notes)]
        filled.append(Filled(element, notes))
    return filled


def _check_entries(entries: Sequence[Mapping[str, Any]]) -> None:
    if isinstance(entries, str | Mapping) or not hasattr(entries, "__iter__"):
        raise TypeError('entries is a list of {"id": …, "value": …}')
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, Mapping):
            raise TypeError(f'entry {number} is {{"id": …, "value": …}}, not {type(entry).__name__}')
        unknown = [str(key) for key in entry if key not in _ENTRY_KEYS]
        if unknown:
            raise ValueError(f"entry {number} has unknown keys: {', '.join(unknown)}; known are id and value")
        missing = sorted(_ENTRY_KEYS - set(entry))
        if missing:
            raise ValueError(f"entry {number} has no {' and no '.join(missing)}")
        if not isinstance(entry["id"], str):
            raise TypeError(f"entry {number}: id is a str, not {type(entry['id']).__name__}")
        try:
            _check_value(entry["value"])
        except TypeError as error:
            _number(error, f"entry {number} ({entry['id']}): ")
            raise


def _check_value(value: Any) -> None:
    """What no control takes is a mistake of the caller's; all else depends on the page."""
    several = value if isinstance(value, list | tuple) else [value]
    for one in several:
        if not isinstance(one, bool | int | float | str | os.PathLike):
            raise TypeError(
                "a value is a str, a number, True, False, a path, or a list of them, "
                f"not {type(one).__name__}"
            )


def _number(error: Exception, before: str) -> None:
    """Say in an error's line which entry it is about."""
    if error.args:
        error.args = (before + str(error.args[0]), *error.args[1:])


def _checked(locator: Locator, element: Element, value: Any, permit: Permit | None) -> Plan[_Usable]:
    """A value, found right for the element, which is found fit to take it."""
    told = yield from ask(locator, element, _INSPECT)
    kind: str = told["kind"]
    if told.get("refused") == "wrong kind":
        remedy = {
            "button": "click it",
            "label": "name the control that it labels",
            "option": "select it, or name its select",
        }.get(kind, "name a control of a form; a control made by script is clicked and typed into")
        refuse(element, "fill", "wrong kind", f"it is {kind_in_words(kind)}; {remedy}")
    if told["refused"]:
        refuse(element, "fill", told["refused"])
    usable = _Usable(kind, _usable(element, kind, value, permit))
    if kind == "select":
        yield from check_options(locator, element, usable.value)
    elif kind == "file":
        yield from check_files(locator, element, usable.value)
    elif kind in _FORMS:
        _refuse_value(
            element, kind, usable.value, (yield from ask(locator, element, _SET, usable.value, False))
        )
    elif kind == "radio" and not usable.value:
        refuse(element, "uncheck", "wrong kind", "a radio is unchecked by checking another one")
    return usable


def _usable(element: Element, kind: str, value: Any, permit: Permit | None) -> Any:
    """A value as the control's kind takes it.

    Raises:
        NotInteractable: it does not.
    """
    several = list(value) if isinstance(value, list | tuple) else [value]
    if kind not in _TYPES and isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    looks, taken = _TYPES.get(kind, ("a str", str))
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


def _refuse_form(element: Element, kind: str, looks: str, value: Any) -> NoReturn:
    what = kind_in_words(kind) if kind != "aria" else "checked or not"
    refuse(element, "fill", "value", f"it is {what}: {looks}, not like {clean_text(repr(value)[:60])}")


def _filled(locator: Locator, element: Element, usable: _Usable) -> Plan[Done]:
    """Fill with what was checked."""
    kind, value = usable.kind, usable.value
    if kind in _TEXTS:
        return (yield from replace_text(locator, element, value, action="fill"))
    if kind in {"checkbox", "radio", "aria"}:
        return (yield from set_checked(locator, element, value))
    if kind == "select":
        return (yield from choose_either(locator, element, value))
    if kind == "file":
        return (yield from set_input_files(locator, element, value))
    return (yield from _set_value(locator, element, kind, value))


def _set_value(locator: Locator, element: Element, kind: str, value: str) -> Plan[Done]:
    try:
        told = yield from ask_with_focus(locator, element, _SET, value, True)
    except CommandUnanswered as error:
        if not opened_dialog(error):
            raise
        return Done((DIALOG_NOTE,))
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
        refuse(
            element, "fill", "value", f"it is {words}, and {clean_text(repr(value[:60]))} is none that exists"
        )
    if reason == "value":
        runs = ", ".join(clean_text(f"{name} {told[name]}") for name in ("min", "max", "step"))
        refuse(element, "fill", "value", f"it cannot be {value} ({runs}); the nearest is {told['nearest']}")
    if reason:
        refuse(element, "fill", reason)


def clear_element(locator: Locator, element: Element) -> Plan[Done]:
    """Empty a control: text by selecting it all and Backspace; dates, numbers and files by their value.

    A select that takes several has nothing chosen then.

    Raises:
        NotInteractable: it cannot be empty (``wrong kind``: checkboxes, ranges, colours, other selects, what
            is no control), is disabled, read-only, …
        StaleElement: it is gone.
    """
    told = yield from ask(locator, element, _INSPECT)
    kind = told["kind"]
    single = kind == "select" and not told["multiple"]
    if (
        told.get("refused") == "wrong kind"
        or kind in {"checkbox", "radio", "aria", "range", "color"}
        or single
    ):
        remedy = "; uncheck it" if kind in {"checkbox", "aria"} else ""
        words = "a select that takes one option" if single else kind_in_words(kind)
        refuse(element, "clear", "wrong kind", f"it is {words}, which cannot be empty{remedy}")
    if told["refused"]:
        refuse(element, "clear", told["refused"])
    if kind in _TEXTS or kind == "number":
        return (yield from replace_text(locator, element, "", action="clear"))
    empty: Any = [] if kind in {"select", "file"} else ""
    return (yield from _filled(locator, element, _Usable(kind, empty)))
