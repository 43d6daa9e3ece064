"""Giving files to a file input."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.focusing import Done
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Plan


def set_input_files(
    locator: Locator, element: Element, paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
) -> Plan[Done]:
    """Give files."""
    raise NotImplementedError
