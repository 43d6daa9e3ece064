"""What kind of control an element is, and why it cannot be acted on: the part that all our script shares.

The script runs in the isolated world of the element's frame. What a page's own names could hide there (a form
named ``activeElement``, an input named ``focus`` in a form) is read off the prototypes.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NoReturn

from hybridsnap.act.calling import call_on, read_result
from hybridsnap.act.refusals import stale
from hybridsnap.errors import CommandRefused, CommandUnanswered, NotInteractable
from hybridsnap.protocol.plan import Failure, settle
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Command, Plan

#: So much of a text of the page's stands in a message.
_SHOWN = 40
#: Definitions that every function of ours begins with.
_SHARED = """
  const get = (type, name, on) => Object.getOwnPropertyDescriptor(type.prototype, name).get.call(on);
  const TEXT = new Set(["text", "search", "url", "tel", "email", "password"]);
  const MOMENT = new Set(["date", "time", "datetime-local", "month", "week", "number", "range", "color"]);
  const CHECKED = new Set(["checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"]);
  const rootOf = (one) => Node.prototype.getRootNode.call(one);
  const isActive = (one) => {
    const root = rootOf(one);
    if (root instanceof ShadowRoot) return get(ShadowRoot, "activeElement", root) === one;
    return root instanceof Document && get(Document, "activeElement", root) === one;
  };
  const hasFocus = () => Document.prototype.hasFocus.call(document);
  const matches = (one, selector) => Element.prototype.matches.call(one, selector);
  const attribute = (one, name) => Element.prototype.getAttribute.call(one, name);
  const isShown = (one, options) => Element.prototype.checkVisibility.call(one, options);
  const isEditable = (one) => one instanceof HTMLElement && get(HTMLElement, "isContentEditable", one);
  const isChecked = (one) => CHECKED.has((attribute(one, "role") ?? "").trim().split(/\\s+/)[0]);
  const kindOf = (one) => {
    if (one instanceof HTMLInputElement) {
      if (TEXT.has(one.type)) return "text";
      if (MOMENT.has(one.type) || ["checkbox", "radio", "file"].includes(one.type)) return one.type;
      return isChecked(one) ? "aria" : "button";
    }
    if (one instanceof HTMLTextAreaElement) return "textarea";
    if (one instanceof HTMLSelectElement) return "select";
    if (one instanceof HTMLOptionElement) return "option";
    if (isEditable(one)) return "editable";
    if (one instanceof HTMLLabelElement) return "label";
    if (isChecked(one)) return "aria";
    return one instanceof HTMLButtonElement ? "button" : "";
  };
  // Of a part of something editable, what takes the focus.
  const hostOf = (one) => {
    if (kindOf(one) !== "editable") return one;
    if (get(Document, "designMode", document) === "on") return get(Document, "body", document);
    for (let above = one; ; above = get(Node, "parentElement", above)) {
      if (!isEditable(get(Node, "parentElement", above))) return above;
    }
  };
  const around = (one) => one instanceof ShadowRoot ? get(ShadowRoot, "host", one)
    : (one instanceof Element && get(Element, "assignedSlot", one)) || get(Node, "parentNode", one);
  const refusalOf = (one) => {
    if (!get(Node, "isConnected", one)) return "detached";
    if (matches(one, ":disabled")) return "disabled";
    if (!isShown(one)) return "not displayed";
    if (!isShown(one, { visibilityProperty: true })) return "invisible";
    for (let above = one; above; above = around(above)) {
      if (above instanceof Element && matches(above, "[inert]")) return "inert";
    }
    return "";
  };
  // Gives it the focus; why not, when it does not have it then.
  const focusOn = (one) => {
    // The body is what is active where nothing has the focus.
    if (isActive(one) && one !== get(Document, "body", document)) return "";
    let had = false;
    const note = () => { had = true; };
    EventTarget.prototype.addEventListener.call(one, "focus", note, { capture: true, once: true });
    const type = [HTMLElement, SVGElement, MathMLElement].find((type) => one instanceof type);
    if (type) type.prototype.focus.call(one);
    EventTarget.prototype.removeEventListener.call(one, "focus", note, true);
    if (isActive(one)) return "";
    if (had) return "focus moved";
    const modal = Document.prototype.querySelector.call(document, ":modal");
    return modal && !Node.prototype.contains.call(modal, one) ? "inert" : "not focusable";
  };
  // What a page in the background needs before it takes an empty insertion, which would delete a selection.
  const collapse = (one) => {
    if (one.selectionEnd != null) one.setSelectionRange(one.selectionEnd, one.selectionEnd);
    else getSelection().modify("move", "forward", "character");
  };
  const sleeps = (one) => {
    if (hasFocus()) return false;
    collapse(one);
    return true;
  };
  const fire = (one, type) => {
    EventTarget.prototype.dispatchEvent.call(
      one, new Event(type, { bubbles: true, composed: type === "input" }));
  };
"""

#: The element itself, of a text node its parent. Of the inner parts of a control (its text, the fields of a
#: date), which the accessibility tree shows too, the control.
_AT = """
  const at = ((node) => {
    const root = rootOf(node);
    const host = root instanceof ShadowRoot ? get(ShadowRoot, "host", root) : null;
    for (const type of [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement]) {
      if (host instanceof type) return host;
    }
    return node instanceof Element ? node : get(Node, "parentElement", node);
  })(this);
"""


def on_element(parameters: str, body: str) -> str:
    """The source of a function that is called on an element, with `_SHARED` before its body."""
    return f"function ({parameters}) {{{_SHARED}{_AT}{body}}}"


def in_world(parameters: str, body: str) -> str:
    """The source of a function that is called in a frame's isolated world, with `_SHARED` before its body."""
    return f"function ({parameters}) {{{_SHARED}{body}}}"


def ask(
    locator: Locator, element: Element, function: str, *arguments: Any, undo: Command[Any] | None = None
) -> Plan[Any]:
    """Call a function on an element: what it returns, as JSON data.

    Args:
        locator: of the page.
        element: its ``this``.
        function: as `on_element` makes them.
        arguments: JSON data.
        undo: what takes its effect back.

    Raises:
        StaleElement: the element's document is gone.
    """
    call = call_on(locator, element.place, function, *arguments)
    (outcome,) = yield from settle(dataclasses.replace(call, undo=undo))
    if isinstance(outcome, Failure) and isinstance(outcome.error, CommandRefused):
        if leads_elsewhere(outcome.error):
            raise outcome.error
        raise stale(element, "act on", "navigated") from outcome.error
    return read_result(outcome, dict)


def leads_elsewhere(error: CommandRefused) -> bool:
    """Whether a call began, and the document went away before it came to an end."""
    return "navigated" in error.reason or "destroyed" in error.reason


def opened_dialog(error: CommandUnanswered) -> bool:
    """Whether a command is unanswered because it opened a dialog: what it was to do is done, or waits."""
    return error.cause == "dialog"


#: Why not, in words; the rest is said where it is known.
_WHY = {
    "disabled": "it is disabled",
    "inert": "it is inert: a modal dialog or the page keeps everything from it",
    "not displayed": "it is not displayed",
    "invisible": "it is invisible",
    "read-only": "it is read-only",
    "not focusable": "it cannot have the focus",
    "focus moved": "the page moved the focus away from it",
}
_KINDS = {
    "text": "a text field",
    "textarea": "a text field",
    "editable": "editable text",
    "select": "a select",
    "option": "an option",
    "checkbox": "a checkbox",
    "radio": "a radio",
    "file": "a file input",
    "button": "a button",
    "label": "a label",
}


def kind_in_words(kind: str) -> str:
    """A kind as `_SHARED` has it, in words."""
    return _KINDS.get(kind) or (f"an input of type {kind}" if kind and kind != "aria" else "no form control")


def refuse(element: Element, action: str, reason: str, why: str = "") -> NoReturn:
    """Say that an action was not done.

    Args:
        element: to which.
        action: in the infinitive: ``type into``.
        reason: in a word or two.
        why: a clause, with the remedy; that of the reason otherwise.

    Raises:
        StaleElement: the reason is that it is detached.
        NotInteractable: any other.
    """
    if reason == "detached":
        raise stale(element, action)
    raise NotInteractable(
        f"cannot {action} {element.description}: {why or _WHY.get(reason, reason)}",
        element_id=element.id,
        reason=reason,
    )


def listed(words: Iterable[str], most: int = 10) -> str:
    """Texts of the page in quotes, for a message: ``"Red", "Green", … (30 in all)``."""
    cleaned = [clean_text(word) for word in words]
    shown = ", ".join(
        f'"{word if len(word) <= _SHOWN else word[: _SHOWN - 1] + "…"}"' for word in cleaned[:most]
    )
    return shown if len(cleaned) <= most else f"{shown}, … ({len(cleaned)} in all)"
