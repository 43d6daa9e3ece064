"""Filling in forms: every kind of control takes its value."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.focusing import Done
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan


@dataclasses.dataclass(frozen=True, slots=True)
class Filled:
    """One entry of a form that was filled in.

    Attributes:
        element: that took the value.
        notes: what else there is to know.
    """

    element: Element
    notes: tuple[str, ...] = ()


def fill(locator: Locator, element: Element, value: Any) -> Plan[Done]:
    """Give a control its value."""
    raise NotImplementedError


def fill_form(
    locator: Locator,
    resolve: Callable[[Mapping[str, Any]], Plan[Element]],
    entries: Sequence[Mapping[str, Any]],
) -> Plan[list[Filled]]:
    """Fill several controls. ``resolve`` is handed each entry without its value."""
    raise NotImplementedError


def set_checked(locator: Locator, element: Element, checked: bool) -> Plan[Done]:  # noqa: FBT001 - the value
    """Check or uncheck."""
    raise NotImplementedError


def clear_element(locator: Locator, element: Element) -> Plan[Done]:
    """Empty a control."""
    raise NotImplementedError
