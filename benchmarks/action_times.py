"""What actions took, apart from the driver they are held against: that weighs 13 MB."""

from __future__ import annotations

import statistics

import msgspec

#: Action → how much of Playwright's time it may take, with its receipt.
LIMITS = {
    "click": 1.0,
    "check": 1.0,
    "hover": 1.0,
    "fill": 1.3,
    "press": 1.3,
    "select": 1.3,
    "set files": 1.3,
    "text": 1.2,
    "evaluate": 1.2,
    "click, scrolled": 1.0,
    "click in a frame, scrolled": 1.0,
}
#: The same without a receipt, of what has one.
BARE_LIMIT = 0.8
READINGS = frozenset({"text", "evaluate"})


class ActionTimes(msgspec.Struct):
    """One action, by turns.

    Attributes:
        ours_ms: ours, with a receipt.
        bare_ms: ours, with ``receipt=False``; of what only reads, ours once more.
        theirs_ms: Playwright's.
    """

    ours_ms: list[float]
    bare_ms: list[float]
    theirs_ms: list[float]

    @property
    def share(self) -> float:
        """Of Playwright's time, with a receipt: medians."""
        return statistics.median(self.ours_ms) / statistics.median(self.theirs_ms)

    @property
    def bare_share(self) -> float:
        """Likewise without."""
        return statistics.median(self.bare_ms) / statistics.median(self.theirs_ms)


class Actions(msgspec.Struct):
    """What `measure_actions` found: action → its times."""

    actions: dict[str, ActionTimes]
