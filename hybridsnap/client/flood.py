"""When a page says more than can be followed, and when to listen again. No I/O, and a clock that is given."""

from __future__ import annotations

import dataclasses
import math

#: The first pause lasts so many seconds; each that comes soon after one lasts twice as long, up to the most.
_FIRST_SECONDS, _LONGEST_SECONDS = 1.0, 30.0
#: So many seconds after a pause without another flood, the next pause is a first one again.
_CALM_SECONDS = 10.0


@dataclasses.dataclass(frozen=True, slots=True)
class Notice:
    """Something that befell a record: its page said more than could be followed, for instance.

    Attributes:
        text: in words.
        time: when, in seconds since 1970.
    """

    text: str
    time: float

    def __str__(self) -> str:
        return self.text


class FloodGauge:
    """Counts what comes within a second.

    Args:
        most: more than this is a flood.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._second = 0.0
        self._count = 0
        self._pause = _FIRST_SECONDS
        self._resumed_at = -math.inf

    def floods(self, now: float) -> bool:
        """Take one more; whether it is one too many within its second.

        Args:
            now: on a monotonic clock.
        """
        if now - self._second >= 1:
            self._second, self._count = now, 0
        self._count += 1
        return self._count > self.most

    def pause(self, now: float) -> float:
        """How many seconds not to listen, after a flood."""
        calm = now - self._resumed_at > _CALM_SECONDS
        self._pause = _FIRST_SECONDS if calm else min(self._pause * 2, _LONGEST_SECONDS)
        return self._pause

    def resume(self, now: float) -> None:
        """Listening goes on."""
        self._resumed_at, self._second, self._count = now, now, 0
