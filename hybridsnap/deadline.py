"""One absolute deadline per operation, from which every step takes what remains.

A timeout that is handed on as a number of seconds grows: each step starts it anew. A `Deadline` is a
point in time instead, made once where the operation begins (for the command line: when the process
began), and handed down unchanged.

OpenClaw's ``createBudget`` and ``remainingMs`` are `Deadline.of` and `Deadline.remaining` (in seconds).
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds that an operation may take where its caller does not say.
DEFAULT_TIMEOUT = 30.0
#: Waiting for a page to load may take this share of the time; then what is there is captured.
LOADING_SHARE = 0.6
#: Seconds by which an inner deadline ends before the outer one: to end what runs, and to make a result or an
#: error of what is there.
INNER_MARGIN = 0.1
#: Of a short time the margin is only this share. So a deadline inside a deadline is always the earlier one.
INNER_SHARE = 0.1


def check_timeout(seconds: float) -> float:
    """Return `seconds` as a float when it is a usable timeout.

    Raises:
        TypeError: it is not a number.
        ValueError: it is 0, negative, NaN or infinite.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"timeout is a number of seconds, not {type(seconds).__name__}")
    if not math.isfinite(seconds) or seconds <= 0:
        raise ValueError(f"timeout is a positive, finite number of seconds, not {seconds!r}")
    return float(seconds)


class Deadline:
    """A point in time on a monotonic clock, which `cancel` moves to now.

    Args:
        at: when it passes, in seconds of `clock`.
        clock: where the time comes from; tests pass their own.
    """

    __slots__ = ("_cancelled", "_clock", "_listeners", "at")

    def __init__(self, at: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.at: float = at
        self._clock = clock
        self._cancelled = False
        self._listeners: list[Callable[[], object]] = []

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Deadline:
        """A deadline `seconds` from now.

        Raises:
            TypeError, ValueError: as `check_timeout`.
        """
        return cls(clock() + check_timeout(seconds), clock)

    @classmethod
    def of(cls, timeout: float | Deadline) -> Deadline:
        """`timeout` as a deadline: seconds from now, or a deadline that runs already.

        Raises:
            TypeError, ValueError: as `check_timeout`.
        """
        return timeout if isinstance(timeout, Deadline) else cls.after(timeout)

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """End now what has this deadline; from any thread.

        A call of `hybridsnap.sync` or `hybridsnap.aio` that was given this very deadline as its ``timeout``
        is cancelled, and raises `DeadlineExceeded` when what it had begun in the browser is cleaned up. So
        one deadline is the abort token of any number of calls::

            deadline = Deadline.after(60)
            threading.Timer(5, deadline.cancel).start()     # or a button, or another thread
            page.wait_for(text="done", timeout=deadline)

        For whatever begins later the deadline has passed. Trio's own tasks are cancelled by their scopes.
        """
        self._cancelled = True
        self.at = min(self.at, self._clock())
        for listener in list(self._listeners):
            listener()

    def on_cancel(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Have a function called by `cancel`, in the thread of that; at once if it was called before.

        Returns:
            What takes the function off again.
        """
        self._listeners.append(listener)  # before the look, so that a cancellation in between is not missed
        if self._cancelled:
            listener()

        def forget() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return forget

    @property
    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.at - self._clock())

    @property
    def expired(self) -> bool:
        """Whether it has passed."""
        return self._clock() >= self.at

    def share(self, fraction: float) -> Deadline:
        """An earlier deadline that leaves the rest of the time to what comes after.

        Args:
            fraction: of the time that remains now, between 0 and 1.
        """
        return Deadline(self._clock() + self.remaining * fraction, self._clock)

    def before(self, margin: float) -> Deadline:
        """The same deadline, `margin` seconds earlier (but not in the past)."""
        return Deadline(max(self._clock(), self.at - margin), self._clock)

    def inner(self, margin: float = INNER_MARGIN) -> Deadline:
        """A deadline for a step of what this one is for. It ends earlier, so that the step's own end (its
        error, its clean-up) comes within this one.

        Args:
            margin: seconds; of less than ten times as much time, a tenth is kept back.

        Returns:
            Earlier by the margin, as long as any time remains; so the inner ones of inner ones are earlier
            still. Ten levels of 0.1 s take 1 s of a long time, and about two thirds of a short one.
        """
        return self.before(min(margin, self.remaining * INNER_SHARE))

    def earlier(self, other: Deadline) -> Deadline:
        """Whichever of two comes first; on clocks of their own, the one with less time left."""
        return self if self.remaining <= other.remaining else other

    def __repr__(self) -> str:
        return f"<Deadline in {self.remaining:.3f} s>"
