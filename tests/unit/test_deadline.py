"""One absolute deadline."""

from __future__ import annotations

import itertools
import math

import pytest

from hybridsnap.deadline import INNER_MARGIN, INNER_SHARE, Deadline, check_timeout


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


def test_an_inner_deadline_ends_before_the_outer_one() -> None:
    clock = Clock()
    outer = Deadline.after(10, clock)
    assert outer.inner().remaining == pytest.approx(10 - INNER_MARGIN)
    assert outer.inner(0.5).remaining == pytest.approx(9.5)
    # Of a short time only a share is kept back, so something of it remains.
    short = Deadline.after(0.2, clock)
    assert short.inner().remaining == pytest.approx(0.2 * (1 - INNER_SHARE))
    assert short.inner(5).remaining == pytest.approx(0.2 * (1 - INNER_SHARE))


@pytest.mark.parametrize("seconds", [0.001, 0.1, 1, 20, 3600])
def test_inner_deadlines_nest(seconds: float) -> None:
    clock = Clock()
    deadlines = [Deadline.after(seconds, clock)]
    for _ in range(10):
        deadlines.append(deadlines[-1].inner())
    remaining = [one.remaining for one in deadlines]
    assert remaining == sorted(remaining, reverse=True)
    assert len(set(remaining)) == len(remaining)
    assert remaining[-1] > seconds / 3
    # Time goes by, and they pass one after the other, the innermost first.
    passed = []
    while not deadlines[0].expired:
        clock.now += seconds / 1000
        passed.append(sum(one.expired for one in deadlines))
    assert passed == sorted(passed)
    for outer, inner in itertools.pairwise(deadlines):
        assert not (outer.expired and not inner.expired)
        assert inner.at < outer.at


def test_what_has_passed_has_no_margin_left() -> None:
    clock = Clock()
    deadline = Deadline.after(1, clock)
    clock.now += 2
    assert deadline.inner().expired
    assert deadline.inner().at == clock.now
    assert deadline.share(0.5).expired


def test_the_earlier_of_two() -> None:
    clock = Clock()
    soon, late = Deadline.after(1, clock), Deadline.after(2, clock)
    assert soon.earlier(late) is soon
    assert late.earlier(soon) is soon
    assert soon.earlier(soon) is soon
