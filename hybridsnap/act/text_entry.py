"""Typing, and pressing keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.act.focusing import Done
    from hybridsnap.act.keyboard import HeldKeys
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan


def type_text(
    locator: Locator,
    element: Element,
    text: str,
    *,
    clear: bool = False,
    delay: float = 0.0,
    submit: bool = False,
    by_keys: bool = False,
) -> Plan[Done]:
    """Type into an element."""
    raise NotImplementedError


def press_chord(
    locator: Locator,
    chord: str,
    element: Element | None = None,
    *,
    held: HeldKeys | None = None,
    mac: bool = False,
) -> Plan[Done]:
    """Press keys together: on an element, or on whatever has the focus."""
    raise NotImplementedError


def key_down(locator: Locator, key: str, held: HeldKeys, *, mac: bool = False) -> Plan[Done]:
    """Press a key and keep it down."""
    raise NotImplementedError


def key_up(locator: Locator, key: str, held: HeldKeys, *, mac: bool = False) -> Plan[Done]:
    """Let go of a key."""
    raise NotImplementedError
