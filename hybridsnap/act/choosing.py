"""Choosing among the options of a select."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.focusing import Done
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan


def select_option(
    locator: Locator,
    element: Element,
    *,
    value: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    index: int | Sequence[int] | None = None,
) -> Plan[Done]:
    """Choose options."""
    raise NotImplementedError
