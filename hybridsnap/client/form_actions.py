"""Filling in the forms of a page."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.act.choosing import select_option
from hybridsnap.act.element import describe
from hybridsnap.act.files import set_input_files
from hybridsnap.act.forms import clear_element, fill, fill_form, set_checked
from hybridsnap.act.perform import Naming, found_element
from hybridsnap.client.page_core import DEFAULT_TIMEOUT
from hybridsnap.client.performing import Performing, nowhere

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.forms import Filled
    from hybridsnap.act.receipt import Receipt
    from hybridsnap.capture.locating import Locator
    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.plan import Plan


class FormActions(Performing):
    """What can be done to forms. All say and raise what `hybridsnap.client.actions.Actions` does."""

    async def fill(
        self,
        element: str | None,
        value: Any,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Give any control its value.

        Args:
            element: id, ref or selector.
            value: text; True or False for what is checked; a label or value (or several) for a select;
                ``2026-11-21`` for a date, likewise for times; ``#aa00ff`` for a colour; paths for files.
            timeout: seconds.
            naming: as for `click`.

        In a one-line field line breaks become blanks, as when text is pasted, and submit nothing.

        Raises:
            NotInteractable: the control cannot hold such a value (reason ``value``); the message says what it
                can, with an example. Nothing was filled.
            TypeError, ValueError: no control has such values (a dict, None); or there is no such file.
        """
        return await self._act(
            "fill",
            element,
            naming,
            lambda locator, found: fill(locator, found, value, self.browser.permit_upload),
            timeout,
        )

    async def fill_form(
        self, entries: Sequence[Mapping[str, Any]], *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> Receipt:
        """Fill several controls in one call. All are looked at before the first is filled.

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

        def resolve(locator: Locator, element: str) -> Plan[Element]:
            found, _ = yield from found_element(locator, self._bindings, element, {})
            return found

        return await self._act_on_page(
            "fill form",
            nowhere,
            lambda locator: fill_form(
                locator, functools.partial(resolve, locator), entries, self.browser.permit_upload
            ),
            timeout,
            _tell_filled,
        )

    async def select_option(
        self,
        element: str | None = None,
        *,
        value: str | Sequence[str] | None = None,
        label: str | Sequence[str] | None = None,
        index: int | Sequence[int] | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Choose options of a select, by value, by label or by index from 0; several of a multiple one."""
        return await self._act(
            "select",
            element,
            naming,
            lambda locator, found: select_option(locator, found, value=value, label=label, index=index),
            timeout,
        )

    async def check(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Check a checkbox, radio button or switch, by a click; nothing when it is checked."""
        return await self._act(
            "check", element, naming, lambda locator, found: set_checked(locator, found, True), timeout
        )

    async def uncheck(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Uncheck a checkbox or switch, by a click; nothing when it is not checked."""
        return await self._act(
            "uncheck", element, naming, lambda locator, found: set_checked(locator, found, False), timeout
        )

    async def clear(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Empty a field."""
        return await self._act("clear", element, naming, clear_element, timeout)

    async def set_input_files(
        self,
        element: str | None,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Give a file field its files.

        Args:
            element: id, ref or selector of the ``<input type=file>``.
            paths: of files that exist; several only where it takes several.
            timeout: seconds.
            naming: as for `click`.

        Raises:
            FileNotFoundError, ValueError: a path leads to no file.
        """
        return await self._act(
            "set files",
            element,
            naming,
            lambda locator, found: set_input_files(locator, found, paths, self.browser.permit_upload),
            timeout,
        )


def _tell_filled(filled: Sequence[Filled]) -> tuple[list[dict[str, Any]], list[str]]:
    value = [
        {
            "id": one.element.id,
            "target": describe(one.element.role, one.element.name),
            "notes": list(one.notes),
        }
        for one in filled
    ]
    said = ["; ".join([f"filled {one.element.description}", *one.notes]) for one in filled]
    return value, said
