"""Events that come faster than they can be read: stop reading for a while, then start again."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.client.connection import Session
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.protocol.codec import Payload

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


class FloodBreaker:
    """Stops the events of a page while too many come, and starts them again after a pause.

    Args:
        most: events a second that can be followed.
        stop: called when more came; it stops the events.
        start: called after the pause.

    Attributes:
        flooding: events are stopped now.
    """

    def __init__(self, most: int, stop: Callable[[], None], start: Callable[[], None]) -> None:
        self._gauge = FloodGauge(most)
        self._stop = stop
        self._start = start
        self.flooding: bool = False

    def floods(self, session: Session) -> bool:
        """Count an event of a session; whether it is one too many, and events were stopped."""
        if not self._gauge.floods(time.monotonic()):
            return False
        self.flooding = True
        self._stop()

        def pause(_: Payload | HybridsnapError) -> None:
            session.connection.call_later(self._gauge.pause(time.monotonic()), self._resume)

        # A page in a loop sends many more events before it reads the command that stops them: the pause
        # begins when it has answered.
        session.post("Runtime.getIsolateId", {}, pause)
        return True

    def _resume(self) -> None:
        self.flooding = False
        self._gauge.resume(time.monotonic())
        self._start()


class FloodGauge:
    """Counts the events of each second: more than `most` are a flood. No I/O, and a clock that is given."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._second = 0.0
        self._count = 0
        self._pause = _FIRST_SECONDS
        self._resumed_at = -math.inf

    def floods(self, now: float) -> bool:
        """Take one more, at a time of a monotonic clock; whether it is one too many within its second."""
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
