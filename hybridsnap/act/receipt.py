"""What an action did to the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.model import Dialog, ElementId
from hybridsnap.text import clean_text, cut_alike, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: So much of a text of the page's stands in a line.
_SHOWN = 100
#: The same of an error: an address stands at its end.
_ERROR_SHOWN = 200
#: The same of a field's value in a note.
_VALUE_SHOWN = 60


class Change(msgspec.Struct, frozen=True):
    """Something of the element, or of the focus, that is not what it was.

    Attributes:
        what: ``value``, ``checked``, ``selected``, ``expanded``, ``pressed``, ``files``, ``text``,
            ``selection`` (the text that is selected in the element's frame).
        before: as text, of a long one 1,000 characters, from shortly before where it changed; of passwords
            only ``(hidden)``, and nothing of an empty one.
        after: likewise; ``(hidden, another)`` where a password has become another one.
    """

    what: str
    before: str
    after: str


#: What stands for a password.
_HIDDEN = ("", "(hidden)", "(hidden, another)")


def hide_password(change: Change) -> Change | None:
    """What a receipt tells of a field that holds a password, as of a field that the browser masks.

    Returns:
        None where the field was masked at one end only: the page has shown its password, or masked it.
    """
    if change.what not in {"value", "selection"}:
        return change
    if change.what == "selection" and change.after in _HIDDEN[1:]:
        return change  # masked by the browser; another field's text may have been selected before
    before, after = (one if one in _HIDDEN else "(hidden)" for one in (change.before, change.after))
    if (before, after) == (change.before, change.after):
        return change
    if before == after and before in {change.before, change.after}:
        return None
    return Change(change.what, before, _HIDDEN[2] if before == after else after)


class Invalid(msgspec.Struct, frozen=True):
    """A field that is not valid, so that its form was not sent.

    Attributes:
        element_id: of the field; "" where it could not be told.
        field: it in words: ``textbox "Mail"``; by its HTML name or id where it has no other name.
        message: the browser's own, in its language, or the one the page has set; "" where only the element
            itself could read it, as of a custom element.
    """

    element_id: str
    field: str
    message: str

    def __str__(self) -> str:
        where = f" [{self.element_id}]" if self.element_id else ""
        return f"{self.field}{where}" + (f": {_short(self.message)}" if self.message else "")


class Moved(msgspec.Struct, frozen=True):
    """A navigation that the action began.

    Attributes:
        url: where the page is now, or was going.
        same_document: nothing was loaded (a fragment, ``history.pushState``).
        reached: the new document's DOMContentLoaded came in time.
    """

    url: str
    same_document: bool
    reached: bool


class Downloaded(msgspec.Struct, frozen=True):
    """A download that the action began.

    Attributes:
        url: of what is downloaded.
        file_name: as suggested, made safe.
        path: where it was saved; None when it was refused, or is not complete.
        under_way: it went on when the receipt was made. In a browser that was connected to no end is heard of
            one that nothing expects: the notes say so.
    """

    url: str
    file_name: str
    path: str | None
    under_way: bool = False


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What an action did. ``str(receipt)`` is one short line for each thing.

    Attributes:
        action: such as ``click``.
        element_id: of the element acted on; None for actions on the page.
        target: it in words: ``button "Buy"``.
        navigation: of the main frame or the element's frame.
        new_targets: target ids of tabs that were opened.
        dialog: that was opened, and is open still.
        answered: dialogs that were opened and answered meanwhile, in words.
        focus: (before, after) when the focus moved: element ids, "" for nothing.
        changes: of the element acted on, unless it is gone; of the selection.
        invalid: fields that the browser found not valid when a form was to be sent, by a click or Enter.
        file_chooser: the file field whose file chooser was opened, "" where its id cannot be told. Seen are a
            click on the field or its label, and the field's ``click()``; not ``showPicker()``, and no field
            out of the document.
        announced: texts that appeared in live regions.
        dom_changes: how many mutations of the DOM were seen in the element's frame and those around it; None
            when it could not be told (the document is another one).
        downloads: that it began.
        console_errors: errors the page logged or threw meanwhile.
        details: what was done, where the action's name does not say it: each entry of a form, how far it
            scrolled.
        notes: what else there is to know: ``forced``, ``retried once: …``.
        value: what an action reads returns.
        elapsed_ms: from the call to here.
        steps_ms: step → how long it took, in order: ``resolve`` (find the element), ``watch`` (put observers
            up), ``act``, ``settle`` (wait for the effect), ``look`` (what the observers saw). Empty
            where another driver acts.
    """

    action: str
    element_id: ElementId | None = None
    target: str = ""
    navigation: Moved | None = None
    new_targets: tuple[str, ...] = ()
    dialog: Dialog | None = None
    answered: tuple[str, ...] = ()
    focus: tuple[str, str] | None = None
    changes: tuple[Change, ...] = ()
    invalid: tuple[Invalid, ...] = ()
    file_chooser: ElementId | None = None
    announced: tuple[str, ...] = ()
    dom_changes: int | None = 0
    downloads: tuple[Downloaded, ...] = ()
    console_errors: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    value: Any = None
    elapsed_ms: float = 0.0
    steps_ms: dict[str, float] = msgspec.field(default_factory=dict)

    @property
    def nothing_happened(self) -> bool:
        """Whether nothing was seen to come of it until the page had settled; timers may do more later."""
        return not any(
            (
                self.navigation,
                self.new_targets,
                self.dialog,
                self.answered,
                self.focus,
                self.changes,
                self.invalid,
                self.file_chooser is not None,
                self.announced,
                self.dom_changes,
                self.downloads,
                self.console_errors,
                self.details,
            )
        ) and (self.dom_changes is not None)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data

    def __str__(self) -> str:
        on = f" {self.target} [{self.element_id}]" if self.element_id else f" {self.target}".rstrip()
        lines = [f"{self.action}{on}", *(f"  {line}" for line in self._said())]
        return "\n".join(lines)

    def _said(self) -> Iterator[str]:
        yield from self.details
        if self.nothing_happened:
            # Not "nothing happened": a style sheet may have shown something, which only a look tells.
            looked = self.steps_ms.get("settle")
            within = "so far" if looked is None else f"within {looked:.0f} ms"
            # A :hover style is often the whole purpose of a hover, and does not change the DOM.
            shown = "; what style sheets show under the pointer is not counted" * (self.action == "hover")
            yield f"nothing changed in the DOM {within}{shown}"
        if self.navigation is not None:
            how = "moved within the document to" if self.navigation.same_document else "navigated to"
            late = "" if self.navigation.reached else " (not loaded yet)"
            yield f"{how} {_short(self.navigation.url)}{late}"
        yield from (f"opened tab {target}" for target in self.new_targets)
        if self.dialog is not None:
            yield f"opened a dialog ({self.dialog.type}): {_short(self.dialog.message)}"
        yield from (_short(words) for words in self.answered)
        if self.focus is not None:
            before, after = (one or "nothing" for one in self.focus)
            yield f"focus: {before} → {after}"
        for change in self.changes:
            # In a field's value a line break is a character like any other.
            shown = "⏎" if change.what == "value" else "\n"
            before, after = (clean_text(one.replace("\n", shown)) for one in (change.before, change.after))
            before, after = cut_alike(before, after, _SHOWN)
            blanks = " (only white space differs)" if before == after else ""
            yield f'{change.what}: "{before}" → "{after}"{blanks}'
        yield from (f"not valid: {one}" for one in self.invalid)
        if self.file_chooser is not None:
            yield f"opened the file chooser of {f'[{self.file_chooser}]' if self.file_chooser else 'a field'}"
        yield from (f"announced: {_short(text)}" for text in self.announced)
        if self.dom_changes:
            yield f"the DOM changed ({self.dom_changes} mutation{'s' if self.dom_changes != 1 else ''})"
        for download in self.downloads:
            where = "under way" if download.under_way else "refused, not saved"
            if download.path is not None:
                where = f"saved as {_short(download.path)}"
            yield f"download {_short(download.file_name)}: {where}"
        yield from (f"console error: {excerpt(text, _ERROR_SHOWN)}" for text in self.console_errors)
        yield from (f"note: {note}" for note in self.notes)


def tell_chooser(field: str | None) -> list[str]:
    """How to answer a file chooser that was not caught: notes of a receipt.

    Args:
        field: id of its field, "" where it cannot be told; None for no chooser.
    """
    if field is None:
        return []
    where = f"[{field}]" if field else "the field"
    caught = "expect_file_chooser (chooser_files)"
    return [f"give {where} its files with set_input_files (upload), or open it in {caught}"]


def made_else(values: Sequence[str]) -> str:
    """A note of a field in which a value did not last.

    Args:
        values: what it holds, in words that a person sees; none of a password.
    """
    holds = excerpt("".join(values), _VALUE_SHOWN)
    said = (f': it holds "{holds}"' if holds else ": it is empty") if values else ""
    return f"the page made something else of the value afterwards{said}"


def _short(text: str) -> str:
    return excerpt(text, _SHOWN)
