"""What actions took, apart from the driver they are held against: that weighs 13 MB."""

from __future__ import annotations

import msgspec


class ActionTimes(msgspec.Struct):
    """One action, by turns.

    Attributes:
        ours_ms: ours, with a receipt.
        bare_ms: ours, with ``receipt=False``.
        theirs_ms: Playwright's.
    """

    ours_ms: list[float]
    bare_ms: list[float]
    theirs_ms: list[float]


class Actions(msgspec.Struct):
    """What `measure_actions` found: action → its times."""

    actions: dict[str, ActionTimes]
