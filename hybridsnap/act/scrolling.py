"""Scrolling: the page, an element's own scroll container, an element into view."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan

Direction: TypeAlias = Literal["up", "down", "left", "right"]


@dataclasses.dataclass(frozen=True, slots=True)
class Scrolled:
    """How far it really went.

    Attributes:
        x: CSS px; positive is to the right.
        y: CSS px; positive is down.
        what: ``page``, ``element``, or ``ancestor`` (the nearest that scrolls).
    """

    x: float
    y: float
    what: str = "page"


def scroll_page(locator: Locator, direction: Direction, distance: float | None = None) -> Plan[Scrolled]:
    """Scroll the page by a distance in CSS px; None is one viewport."""
    raise NotImplementedError


def scroll_element(
    locator: Locator, element: Element, direction: Direction, distance: float | None = None
) -> Plan[Scrolled]:
    """Scroll an element, or the nearest one above it that scrolls."""
    raise NotImplementedError


def scroll_into_view(locator: Locator, element: Element) -> Plan[Scrolled]:
    """Scroll until an element is in view, in all frames."""
    raise NotImplementedError


def read_bounding_box(locator: Locator, element: Element) -> Plan[tuple[float, float, float, float] | None]:
    """x, y, width, height in CSS px of the main viewport; None where it is not laid out."""
    raise NotImplementedError
