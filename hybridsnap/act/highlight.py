"""Showing a person where an element is. The browser's own overlay draws it: nothing is written in the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan


def highlight_element(locator: Locator, element: Element, seconds: float = 2.0) -> Plan[None]:
    """Draw a frame over an element for a while."""
    raise NotImplementedError
