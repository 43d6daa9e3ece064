"""Reading an element: its markup, its text, its attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan


def read_outer_html(locator: Locator, element: Element) -> Plan[str]:
    """Its markup."""
    raise NotImplementedError


def read_text(locator: Locator, element: Element) -> Plan[str]:
    """Its text, as rendered."""
    raise NotImplementedError


def read_attributes(locator: Locator, element: Element) -> Plan[dict[str, str]]:
    """Its attributes."""
    raise NotImplementedError
