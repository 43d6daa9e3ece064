"""Choosing among the options of a select."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.controls import ask, kind_in_words, listed, on_element, opened_dialog, refuse
from hybridsnap.act.focusing import DIALOG_NOTE, Done, ask_with_focus
from hybridsnap.errors import CommandUnanswered
from hybridsnap.model import MOST_INTEGER
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan

#: ``by`` is value, label, index, or either (value before label). ``wanted`` null: the option itself.
_CHOOSE = on_element(
    "by, wanted, act",
    """
  const kind = at ? kindOf(at) : "";
  const select = kind === "option" ? Element.prototype.closest.call(at, "select") : at;
  if (!(select instanceof HTMLSelectElement) || (kind === "option") === Boolean(wanted)) {
    return { refused: "wrong kind", kind };
  }
  const reason = refusalOf(select);
  if (reason) return { refused: reason };
  const squeezed = (text) => text.replace(/\\s+/g, " ").trim();
  const options = [...select.options];
  const labels = options.map((option) => squeezed(option.label));
  const found = {
    value: (one) => options.findIndex((option) => option.value === one),
    label: (one) => labels.indexOf(squeezed(one)),
    index: (one) => one < options.length ? one : -1,
    either: (one) => { const by = found.value(one); return by < 0 ? found.label(one) : by; },
  };
  const chosen = new Set();
  for (const one of wanted ?? []) {
    const index = found[by](one);
    if (index < 0) return { refused: "no such option", missing: one, labels };
    chosen.add(index);
  }
  if (!wanted) chosen.add(options.indexOf(at));
  for (const index of chosen) {
    if (matches(options[index], ":disabled")) return { refused: "disabled", option: labels[index] };
  }
  if (!select.multiple && chosen.size !== 1) return { refused: "wrong kind", kind: "single" };
  if (!act) return {};
  const unable = focusOn(select);
  if (unable) return { refused: unable };
  if (sleeps(select)) return { asleep: true };
  if (!wanted && select.multiple) options.forEach((option, index) => option.selected && chosen.add(index));
  const changes = options.some((option, index) => option.selected !== chosen.has(index));
  if (changes) {
    if (select.multiple) options.forEach((option, index) => { option.selected = chosen.has(index); });
    else select.selectedIndex = [...chosen][0];
    fire(select, "input");
    fire(select, "change");
  }
  return { changes, kept: [...chosen].every((index) => options[index].selected) };
""",
)


def select_option(
    locator: Locator,
    element: Element,
    *,
    value: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    index: int | Sequence[int] | None = None,
) -> Plan[Done]:
    """Choose options of a select; on an option itself, without anything else, that one.

    In a select that takes several they are chosen and all others are not; an option that is named itself is
    chosen beside the others. `input` and `change` fire when something changes. They are not trusted, since no
    input of a person is involved: the list that Chromium opens is no part of the page.

    Args:
        locator: of the page.
        element: a select or an option.
        value: of options, one or several; exactly as in the page.
        label: what a person reads; white space does not count.
        index: from 0, in the order of the page.

    Raises:
        NotInteractable: ``no such option`` (with those that there are), ``disabled`` (the select or the
            option), ``wrong kind`` (no select, or one that takes just one), …
        StaleElement: it is gone.
        TypeError, ValueError: not exactly one of value, label and index is given, or of the wrong type.
    """
    asked = {"value": value, "label": label, "index": index}
    given = {by: one for by, one in asked.items() if one is not None}
    if not given:
        return (yield from _choose(locator, element, "value", None))
    if len(given) > 1:
        raise ValueError(f"give value, label or index, not {' and '.join(given)}")
    ((by, one),) = given.items()
    return (yield from _choose(locator, element, by, _several(by, one)))


def _several(by: str, given: Any) -> list[str | int]:
    type_: type = int if by == "index" else str
    several: list[Any] = [given] if isinstance(given, str | int) else list(given)
    for one in several:
        if not isinstance(one, type_) or isinstance(one, bool):
            raise TypeError(f"{by} is a {type_.__name__} or several, not {type(one).__name__}")
        if isinstance(one, int) and one < 0:
            raise ValueError(f"index counts from 0; it is {one}")
        if isinstance(one, int) and one > MOST_INTEGER:
            raise ValueError(f"index is at most {MOST_INTEGER}")
    return several


def check_options(locator: Locator, element: Element, wanted: list[str]) -> Plan[None]:
    """See whether a select has these options, by value or label, and would take them.

    Raises:
        NotInteractable, StaleElement: as for `select_option`.
    """
    told = yield from ask(locator, element, _CHOOSE, "either", wanted, False)
    _refuse(element, told)


def choose_either(locator: Locator, element: Element, wanted: list[str]) -> Plan[Done]:
    """Choose options by value or, where none has that value, by label.

    Raises:
        NotInteractable, StaleElement: as for `select_option`.
    """
    return (yield from _choose(locator, element, "either", wanted))


def _choose(locator: Locator, element: Element, by: str, wanted: Sequence[str | int] | None) -> Plan[Done]:
    try:
        told = yield from ask_with_focus(locator, element, _CHOOSE, by, wanted, True)
    except CommandUnanswered as error:
        if not opened_dialog(error):
            raise
        return Done((DIALOG_NOTE,))
    _refuse(element, told)
    if not told["changes"]:
        return Done(("it was chosen already",))
    return Done() if told["kept"] else Done(("the page chose something else upon it",))


def _refuse(element: Element, told: dict[str, Any]) -> None:
    reason, kind = told.get("refused", ""), told.get("kind", "")
    if not reason:
        return
    why = ""
    if reason == "no such option":
        labels = told["labels"]
        has = f"it has {listed(labels)}" if labels else "it has none"
        why = f"it has no option {listed([str(told['missing'])])}; {has}"
    elif reason == "disabled" and "option" in told:
        why = f'its option "{clean_text(told["option"])}" is disabled'
    elif kind == "single":
        why = "it takes exactly one option"
    elif kind == "select":
        why = "say which of its options, by value, label or index"
    elif kind == "option":
        why = "it is an option itself: name the select, or leave value, label and index out"
    elif reason == "wrong kind":
        why = f"it is {kind_in_words(kind)}, no select; click it, and click what opens then"
    refuse(element, "choose in", reason, why)
