"""Typing into a page, filling in its forms, and reading single elements of it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.act.actions.forms import (
    CHECK,
    CLEAR,
    FILL,
    FILL_FORM,
    SELECT_OPTION,
    SET_INPUT_FILES,
    SET_VALUE,
    UNCHECK,
)
from hybridsnap.act.actions.keyboard import BLUR, FOCUS, KEY_DOWN, KEY_UP, PRESS, TYPE
from hybridsnap.act.actions.reading import ATTRIBUTES, BOUNDING_BOX, OUTER_HTML, TEXT
from hybridsnap.act.actions.selecting import SELECT_TEXT
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.errors import SelectorError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from hybridsnap.act.actions.spec import ActionOptions, ElementOptions, ReadingOptions
    from hybridsnap.act.receipt import Receipt
    from hybridsnap.client.action_runner import ActionRunner

#: What holds the main content, where a page has exactly one: the first of these.
_MAIN = tuple(f":is({name}, [role={name}]):not([hidden])" for name in ("main", "article"))


class InputMethods:
    """What a page can be told to do with the keyboard and its forms, and what can be read of its elements.

    All say and raise what `hybridsnap.client.pointer_methods.PointerMethods` does.
    """

    #: Runs the plans of actions; `hybridsnap.Page` makes it.
    _runner: ActionRunner

    # Keyboard

    async def focus(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Give an element the focus, without clicking it."""
        return await self._runner.act(FOCUS, element, options, timeout)

    async def blur(
        self,
        *,
        element: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Take the focus from an element, or from whatever has it.

        A field that was edited fires ``change``.
        """
        return await self._runner.act(BLUR, element, options, timeout)

    async def select_text(
        self,
        element: str | None = None,
        *,
        start: int = 0,
        end: int | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Select a range of an element's text: of a field what it holds, of anything else the text in it.

        Args:
            element: id, ref or selector.
            start: characters before the selection, counted as Python counts them.
            end: characters up to its end; None selects to the end of the text.
            timeout: seconds.
            options: as for `click`.

        Returns:
            The receipt's ``value`` is the selection: ``{"start": 0, "end": 5, "text": "Hello"}``; the text of
            a password is None.

        Raises:
            NotInteractable: its text cannot be selected (``wrong kind``), or is shorter (``range``).
        """
        return await self._runner.act(SELECT_TEXT, element, options, timeout, start=start, end=end)

    async def type(
        self,
        element: str | None,
        text: str,
        *,
        clear: bool = False,
        delay: float = 0.0,
        by_keys: bool = False,
        submit: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Type into an element, behind what it holds.

        Args:
            element: id, ref or selector; None is whatever has the focus, and replaces what is selected in
                there, as a keyboard does.
            text: what to type. Line breaks are such in a textarea and in editable text; in an input they
                become blanks, as when text is pasted, and submit nothing (a note says so).
            clear: replace what it holds.
            delay: seconds between characters, each typed with key events; 0 enters the text at once, and a
                script's `keyup` of the last character follows.
            by_keys: key events for each character, without delay.
            submit: press Enter afterwards.
            timeout: seconds.
            options: as for `click`.
        """
        return await self._runner.act(
            TYPE,
            element,
            options,
            timeout,
            text=text,
            clear=clear,
            delay=delay,
            by_keys=by_keys,
            submit=submit,
        )

    async def press(
        self,
        chord: str,
        *,
        element: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Press keys together: ``Enter``, ``Ctrl+a``, ``ControlOrMeta+Shift+ArrowLeft``.

        Args:
            chord: the keys (`hybridsnap.act.keyboard`).
            element: that gets the focus before; None presses them wherever it is.
            timeout: seconds.
            options: as for `click`.

        Raises:
            UnknownKey: there is no such key.
        """
        return await self._runner.act(PRESS, element, options, timeout, chord=chord)

    async def key_down(
        self, key: str, *, timeout: float | Deadline = DEFAULT_TIMEOUT, **options: Unpack[ActionOptions]
    ) -> Receipt:
        """Press a key and keep it down, until `key_up`. Modifiers count for all that is pressed meanwhile."""
        return await self._runner.act(KEY_DOWN, None, options, timeout, key=key)

    async def key_up(
        self, key: str, *, timeout: float | Deadline = DEFAULT_TIMEOUT, **options: Unpack[ActionOptions]
    ) -> Receipt:
        """Let go of a key."""
        return await self._runner.act(KEY_UP, None, options, timeout, key=key)

    # Forms

    async def fill(
        self,
        element: str | None,
        value: Any,
        *,
        commit: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Give any control its value.

        Args:
            element: id, ref or selector.
            value: text; True or False for what is checked; a label or value (or several) for a select,
                an ARIA listbox or combobox, which is opened for it; ``2026-11-21`` for a date, likewise for
                times; ``#aa00ff`` for a colour; paths for files; a number for a slider, which is set by its
                keys where script has made it.
            commit: take the focus away afterwards, for fields that answer only then (`change`).
            timeout: seconds.
            options: as for `click`.

        In a one-line field line breaks become blanks, as when text is pasted, and submit nothing.

        Raises:
            NotInteractable: the control cannot hold such a value (reason ``value``); the message says what it
                can, with an example. Nothing was filled.
            TypeError, ValueError: no control has such values (a dict, None); or there is no such file.
        """
        return await self._runner.act(FILL, element, options, timeout, value=value, commit=commit)

    async def fill_form(
        self,
        entries: Sequence[Mapping[str, Any]],
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Fill several controls in one call. All are looked at before the first is filled; what options a
        list has that has to be opened, only then.

        Args:
            entries: ``{"id": …, "value": …}`` each, as for `fill`.
            timeout: seconds.

        Returns:
            The receipt's ``value`` lists each: ``{"id": "0-7", "target": 'textbox "Name"', "notes": []}``.

        Raises:
            ActionError: an entry cannot be filled, or not with this value.
            TypeError, ValueError: an entry has unknown keys, or what is a value of no control. Nothing was
                filled.
        """
        return await self._runner.act(FILL_FORM, None, options, timeout, entries=entries)

    async def select_option(
        self,
        element: str | None = None,
        value: str | Sequence[str] | None = None,
        *,
        label: str | Sequence[str] | None = None,
        index: int | Sequence[int] | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Choose options of a select, or of an ARIA listbox or combobox, which is opened for it.

        Args:
            element: id, ref or selector of the select, listbox or combobox; or of an option, without value,
                label and index. A select may be hidden behind a widget of the page's.
            value: of options, one or several; of an ARIA option its ``data-value``, ``value`` or text. What
                no option has is taken for a label.
            label: what a person reads. What no option has is taken for a value.
            index: from 0.
            timeout: seconds.
            options: as for `click`.

        Raises:
            NotInteractable: ``no such option``: the message lists those that there are; ``several``: of the
                same label, or value: the message has the index of each.
        """
        return await self._runner.act(
            SELECT_OPTION, element, options, timeout, value=value, label=label, index=index
        )

    async def check(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Check a checkbox, radio button or switch, by a click; nothing when it is checked."""
        return await self._runner.act(CHECK, element, options, timeout)

    async def uncheck(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Uncheck a checkbox or switch, by a click; nothing when it is not checked."""
        return await self._runner.act(UNCHECK, element, options, timeout)

    async def clear(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Empty a field."""
        return await self._runner.act(CLEAR, element, options, timeout)

    async def set_value(
        self,
        element: str | None,
        value: float | str,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Set a slider, a number, a date or a colour; a slider made by script is moved by its keys.

        Args:
            element: id, ref or selector.
            value: a number, or a text as the control writes it (``2026-11-21``, ``#aa00ff``).
            timeout: seconds.
            options: as for `click`.

        Raises:
            NotInteractable: it has no value on a scale (``wrong kind``), or cannot have this one (``value``).
        """
        return await self._runner.act(SET_VALUE, element, options, timeout, value=value)

    async def set_input_files(
        self,
        element: str | None,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Give a file field its files.

        Args:
            element: id, ref or selector of the ``<input type=file>``.
            paths: of files that exist; several only where it takes several.
            timeout: seconds.
            options: as for `click`.

        Raises:
            FileNotFoundError, ValueError: a path leads to no file.
        """
        return await self._runner.act(SET_INPUT_FILES, element, options, timeout, paths=paths)

    # Reading

    async def outer_html(
        self,
        element: str | None = None,
        *,
        reveal: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ReadingOptions],
    ) -> str:
        """An element's markup, as it is now; passwords as ``[redacted]`` unless `reveal`."""
        return await self._runner.read(OUTER_HTML, element, options, timeout, reveal=reveal)

    async def text(
        self,
        element: str | None = None,
        *,
        reveal: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ReadingOptions],
    ) -> str:
        """An element's rendered text, of a field its value; passwords as ``[redacted]`` unless `reveal`.

        ``await page.text()`` is the text of the main content: of the page's one ``main``, else of its one
        ``article``, else of the whole main frame.
        """
        if element is not None or options:
            return await self._runner.read(TEXT, element, options, timeout, reveal=reveal)
        deadline = Deadline.of(timeout)
        for selector in _MAIN:
            with contextlib.suppress(SelectorError):
                return await self._runner.read(TEXT, selector, {"wait": False}, deadline, reveal=reveal)
        return await self._runner.read(TEXT, ":root", {}, deadline, reveal=reveal)

    async def attributes(
        self,
        element: str | None = None,
        *,
        reveal: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ReadingOptions],
    ) -> dict[str, str]:
        """An element's attributes; passwords as ``[redacted]`` unless `reveal`."""
        return await self._runner.read(ATTRIBUTES, element, options, timeout, reveal=reveal)

    async def bounding_box(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ReadingOptions],
    ) -> tuple[float, float, float, float] | None:
        """Where an element stands, whatever frame it is in.

        Returns:
            x, y, width, height in CSS px of the main viewport; None where it is not laid out.
        """
        return await self._runner.read(BOUNDING_BOX, element, options, timeout)
