"""One absolute deadline."""

from __future__ import annotations

import math

import pytest

from hybridsnap.deadline import Deadline, check_timeout


class Clock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("wrong", [0, 0.0, -1, -0.001, math.nan, math.inf, -math.inf])
def test_no_timeout_at_all_is_wrong_usage(wrong: float) -> None:
    with pytest.raises(ValueError, match="positive, finite"):
        check_timeout(wrong)
    with pytest.raises(ValueError, match="positive, finite"):
        Deadline.of(wrong)


@pytest.mark.parametrize("wrong", ["10", None, True, b"1", [1]])
def test_what_is_no_number_is_wrong_usage(wrong: object) -> None:
    with pytest.raises(TypeError, match="timeout"):
        check_timeout(wrong)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(TypeError, match="timeout"):
        Deadline.of(wrong)  # type: ignore[arg-type]  # on purpose


def test_it_runs_down_and_stays_at_zero() -> None:
    clock = Clock()
    deadline = Deadline.after(10, clock)
    assert (deadline.remaining, deadline.expired) == (10, False)
    clock.now += 9.5
    assert (deadline.remaining, deadline.expired) == (0.5, False)
    clock.now += 0.5
    assert (deadline.remaining, deadline.expired) == (0, True)
    clock.now += 100
    assert (deadline.remaining, deadline.expired) == (0, True)


def test_handing_one_on_does_not_start_it_anew() -> None:
    deadline = Deadline.after(10)
    assert Deadline.of(deadline) is deadline


def test_a_share_is_of_what_remains() -> None:
    clock = Clock()
    deadline = Deadline.after(10, clock)
    clock.now += 5
    share = deadline.share(0.6)
    assert share.remaining == pytest.approx(3)
    clock.now += 4
    assert share.expired
    assert deadline.remaining == pytest.approx(1)


def test_a_margin_never_reaches_into_the_past() -> None:
    clock = Clock()
    deadline = Deadline.after(10, clock)
    assert deadline.before(4).remaining == pytest.approx(6)
    assert deadline.before(40).at == clock.now
    assert deadline.before(40).expired


def test_without_a_clock_it_is_monotonic_time() -> None:
    assert 9 < Deadline.after(10).remaining <= 10
