"""What a pointer does to an element: click, hover, drag; or to a point of the page."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan

Button: TypeAlias = Literal["left", "middle", "right"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PointerOptions:
    """How to click.

    Attributes:
        button: left, middle or right.
        count: 1 to 3.
        modifiers: names of the keys held meanwhile: Shift, Control, Alt, Meta, ControlOrMeta.
        delay: seconds between down and up.
        position: CSS px from the element's top left corner; None chooses a point that is free.
        force: whatever state the element is in, and whatever lies over it.
    """

    button: Button = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()
    delay: float = 0.0
    position: tuple[float, float] | None = None
    force: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Hit:
    """Where the pointer did it.

    Attributes:
        x: CSS px of the main viewport.
        y: likewise.
        notes: ``forced``, ``retried once: …``.
    """

    x: float
    y: float
    notes: tuple[str, ...] = ()


def click_element(locator: Locator, element: Element, options: PointerOptions) -> Plan[Hit]:
    """Click an element."""
    raise NotImplementedError


def hover_element(locator: Locator, element: Element, options: PointerOptions) -> Plan[Hit]:
    """Move the pointer over an element."""
    raise NotImplementedError


def drag_element(locator: Locator, source: Element, target: Element, options: PointerOptions) -> Plan[Hit]:
    """Drag an element onto another."""
    raise NotImplementedError


def click_at(locator: Locator, x: float, y: float, options: PointerOptions) -> Plan[Hit]:
    """Click a point of the main viewport."""
    raise NotImplementedError


def drag_at(
    locator: Locator, start: tuple[float, float], end: tuple[float, float], options: PointerOptions
) -> Plan[Hit]:
    """Drag from one point of the main viewport to another."""
    raise NotImplementedError


def move_to(locator: Locator, x: float, y: float) -> Plan[Hit]:
    """Move the pointer to a point of the main viewport."""
    raise NotImplementedError
