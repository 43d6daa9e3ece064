"""Giving an element the focus, so that keys reach it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """What came of an action that took place.

    Attributes:
        notes: what else there is to know, one short line each.
    """

    notes: tuple[str, ...] = ()


def focus_element(locator: Locator, element: Element) -> Plan[Done]:
    """Give an element the focus."""
    raise NotImplementedError
