"""What counts as a flood, and how long nobody listens then."""

from __future__ import annotations

from hybridsnap.client.flood import FloodGauge


def flood(gauge: FloodGauge, now: float) -> bool:
    return any(gauge.floods(now) for _ in range(gauge.most + 1))


def test_so_many_within_a_second_are_none() -> None:
    gauge = FloodGauge(10)
    assert not any(gauge.floods(100 + second + step / 10) for second in range(5) for step in range(10))


def test_one_more_is() -> None:
    gauge = FloodGauge(10)
    assert [gauge.floods(100.0) for _ in range(11)] == [False] * 10 + [True]


def test_pauses_grow_while_it_goes_on_and_begin_anew_after_a_calm() -> None:
    gauge = FloodGauge(10)
    now, pauses = 100.0, []
    for _ in range(8):
        assert flood(gauge, now)
        pauses.append(gauge.pause(now))
        now += pauses[-1]
        gauge.resume(now)
    assert pauses == [1, 2, 4, 8, 16, 30, 30, 30]
    assert not gauge.floods(now)
    now += 11
    assert flood(gauge, now)
    assert gauge.pause(now) == 1
