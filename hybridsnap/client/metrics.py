"""What has been done to a browser, counted."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import time
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.errors import EvaluationFailed, EvaluationTimeout, StaleElement

if TYPE_CHECKING:
    from collections.abc import Generator

#: Upper bounds of the classes of durations, in seconds; what lasts longer is in a last class.
DURATION_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


@dataclasses.dataclass(slots=True)
class Durations:
    """How long something took, of all the times that it was done.

    Attributes:
        count: how often.
        total: seconds, in all.
        longest: seconds.
        classes: how many lasted up to each of `DURATION_BOUNDS` (and longer than the one before), and longer
            than the last.
    """

    count: int = 0
    total: float = 0.0
    longest: float = 0.0
    classes: list[int] = dataclasses.field(default_factory=lambda: [0] * (len(DURATION_BOUNDS) + 1))

    def add(self, seconds: float) -> None:
        """Count one."""
        self.count += 1
        self.total += seconds
        self.longest = max(self.longest, seconds)
        at = next((at for at, bound in enumerate(DURATION_BOUNDS) if seconds <= bound), -1)
        self.classes[at] += 1

    def to_dict(self) -> dict[str, Any]:
        """As JSON data, in ms; ``upTo`` has the classes that are not empty, by their upper bound."""
        bounds = [f"{bound * 1000:g}" for bound in DURATION_BOUNDS] + ["longer"]
        return {
            "count": self.count,
            "totalMs": round(self.total * 1000, 3),
            "maxMs": round(self.longest * 1000, 3),
            "upTo": {bound: count for bound, count in zip(bounds, self.classes, strict=True) if count},
        }


@dataclasses.dataclass(slots=True)
class Metrics:
    """Counters of one `Browser`, from when it was connected to. ``browser.metrics`` has them.

    Attributes:
        evaluations: `Page.evaluate` was called, and how long it took, whatever came of it.
        evaluation_timeouts: evaluations that were ended at their deadline.
        evaluations_failed: scripts that threw or did not compile.
        evaluations_cancelled: evaluations that were cancelled.
        terminations: a script was ended with ``Runtime.terminateExecution``.
        ways: evaluations by the way they took: ``own connection``, ``second session`` (of the same
            connection), ``own session`` (the one that captures use).
        fallbacks: evaluations that did not run over a connection of their own, by reason: ``pipe``, …
        reattached: a tab stayed wedged after its script was ended, and was attached to anew.
        captures: snapshots that were taken.
        partial_captures: of these, those that lack something.
        stale_ids: actions refused because their element was gone.
        covered_clicks: actions refused because something else lay on top.
        retries: how often an element was looked for again within one action.
        actions: by their kind.
    """

    evaluations: Durations = dataclasses.field(default_factory=Durations)
    evaluation_timeouts: int = 0
    evaluations_failed: int = 0
    evaluations_cancelled: int = 0
    terminations: int = 0
    ways: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    fallbacks: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    reattached: int = 0
    captures: int = 0
    partial_captures: int = 0
    stale_ids: int = 0
    covered_clicks: int = 0
    retries: int = 0
    actions: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    @contextlib.contextmanager
    def evaluating(self) -> Generator[None, None, None]:
        """Count the evaluation that is the block, and its outcome."""
        started = time.monotonic()
        try:
            yield
        except EvaluationTimeout:
            self.evaluation_timeouts += 1
            raise
        except EvaluationFailed:
            self.evaluations_failed += 1
            raise
        except StaleElement:
            self.stale_ids += 1
            raise
        except BaseException as error:
            # Out of a nursery it may come as a group.
            cancelled = (
                error.split(trio.Cancelled)[1] is None
                if isinstance(error, BaseExceptionGroup)
                else (isinstance(error, trio.Cancelled))
            )
            self.evaluations_cancelled += cancelled
            raise
        finally:
            self.evaluations.add(time.monotonic() - started)

    def note_capture(self, *, complete: bool) -> None:
        """Count a capture."""
        self.captures += 1
        self.partial_captures += not complete

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "evaluations": self.evaluations.to_dict(),
            "evaluationTimeouts": self.evaluation_timeouts,
            "evaluationsFailed": self.evaluations_failed,
            "evaluationsCancelled": self.evaluations_cancelled,
            "terminations": self.terminations,
            "ways": dict(self.ways),
            "fallbacks": dict(self.fallbacks),
            "reattached": self.reattached,
            "captures": self.captures,
            "partialCaptures": self.partial_captures,
            "staleIds": self.stale_ids,
            "coveredClicks": self.covered_clicks,
            "retries": self.retries,
            "actions": dict(self.actions),
        }
