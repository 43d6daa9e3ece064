"""Counters."""

from __future__ import annotations

import json

import pytest
import trio

from hybridsnap.client.metrics import DURATION_BOUNDS, Durations, Metrics
from hybridsnap.errors import EvaluationFailed, EvaluationTimeout, StaleElement


def test_durations() -> None:
    durations = Durations()
    for seconds in (0.001, 0.005, 0.02, 9.0, 100.0):
        durations.add(seconds)
    assert durations.count == 5
    assert durations.total == pytest.approx(109.026)
    assert durations.longest == 100
    assert sum(durations.classes) == 5
    assert len(durations.classes) == len(DURATION_BOUNDS) + 1
    assert durations.to_dict() == {
        "count": 5,
        "totalMs": 109026.0,
        "maxMs": 100000.0,
        "upTo": {"5": 2, "25": 1, "10000": 1, "longer": 1},
    }


def test_what_came_of_evaluations() -> None:
    metrics = Metrics()
    with metrics.evaluating():
        pass
    for error in (
        EvaluationTimeout("", seconds=1),
        EvaluationFailed("", name="", js_message="", js_stack=""),
        StaleElement("", element_id=None, reason="detached"),
    ):
        with pytest.raises(type(error)), metrics.evaluating():
            raise error
    assert metrics.evaluations.count == 4
    assert (metrics.evaluation_timeouts, metrics.evaluations_failed, metrics.stale_ids) == (1, 1, 1)


async def test_a_cancelled_evaluation_counts_as_that() -> None:
    metrics = Metrics()
    with trio.move_on_after(0), metrics.evaluating():
        await trio.sleep_forever()
    assert (metrics.evaluations.count, metrics.evaluations_cancelled) == (1, 1)


def test_as_json() -> None:
    metrics = Metrics()
    metrics.fallbacks["pipe"] += 2
    metrics.note_capture(complete=True)
    metrics.note_capture(complete=False)
    data = json.loads(json.dumps(metrics.to_dict()))
    assert data["fallbacks"] == {"pipe": 2}
    assert (data["captures"], data["partialCaptures"]) == (2, 1)
    assert all(type(value) in (int, dict) for value in data.values())
