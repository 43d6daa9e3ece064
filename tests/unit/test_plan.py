"""Plans alone: what they ask for, and how they go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from hybridsnap.drivers.base import unanswered
from hybridsnap.errors import CommandRefused, CommandUnanswered
from hybridsnap.protocol.plan import (
    Batch,
    Command,
    Failure,
    Outcome,
    Reply,
    gather,
    gather_outcomes,
    parallel,
)

if TYPE_CHECKING:
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")


def command(method: str) -> Command[str]:
    return Command(
        method=method, params={}, session=None, parse=lambda payload: str(payload.result(dict)["is"])
    )


def answer(value: object) -> Reply[Any]:
    return Reply(value, 0.0, 1.0)


def failure(method: str) -> Failure:
    return Failure(unanswered(method, "busy"), 0.0, 1.0)


def finish(plan: Plan[T], outcomes: list[tuple[int, Outcome[Any]]]) -> T:
    """Resume a plan that must end now."""
    with pytest.raises(StopIteration) as stop:
        plan.send(outcomes)
    result: T = stop.value.value
    return result


def methods(asked: Batch) -> list[str]:
    return [one.method for one in asked.commands]


def test_batch_returns_values_in_the_order_asked() -> None:
    plan = gather(command("A"), command("B"), command("C"))
    asked = next(plan)
    assert methods(asked) == ["A", "B", "C"]
    assert asked.wait_all
    assert finish(plan, [(2, answer("c")), (0, answer("a")), (1, answer("b"))]) == ("a", "b", "c")


def test_batch_raises_the_first_error_in_the_order_asked() -> None:
    plan = gather(command("A"), command("B"), command("C"))
    next(plan)
    with pytest.raises(CommandUnanswered, match=r"^B: "):
        plan.send([(2, failure("C")), (1, failure("B")), (0, answer("a"))])


def test_settle_hands_out_errors_as_values() -> None:
    plan = gather_outcomes(command("A"), command("B"))
    next(plan)
    first, second = finish(plan, [(1, answer("b")), (0, failure("A"))])
    assert isinstance(first, Failure)
    assert isinstance(first.error, CommandUnanswered)
    assert isinstance(second, Reply)
    assert second.value == "b"


def test_nothing_asked_asks_nothing() -> None:
    plans: list[Plan[Any]] = [
        gather_outcomes(),
        gather(),
        parallel([]),
        parallel([gather_outcomes(), gather_outcomes()]),
    ]
    for plan in plans:
        with pytest.raises(StopIteration):
            next(plan)


def twice(name: str) -> Plan[str]:
    (first,) = yield from gather(command(f"{name}1"))
    (second,) = yield from gather(command(f"{name}2"))
    return first + second


def test_parallel_sends_what_belongs_together_in_one_batch() -> None:
    plan = parallel([twice("A"), twice("B")])
    first = next(plan)
    assert methods(first) == ["A1", "B1"]
    second = plan.send([(0, answer("a")), (1, answer("b"))])
    assert methods(second) == ["A2", "B2"]
    assert second.first == 2
    assert finish(plan, [(3, answer("d")), (2, answer("c"))]) == ["ac", "bd"]


def test_a_strand_without_answer_holds_up_no_other() -> None:
    plan = parallel([twice("A"), twice("B")])
    assert not next(plan).wait_all
    on = plan.send([(1, answer("b"))])
    assert methods(on) == ["B2"]
    waiting = plan.send([(on.first, answer("d"))])
    assert methods(waiting) == []
    with pytest.raises(CommandUnanswered):
        plan.send([(0, failure("A1"))])


def test_a_strand_waits_for_its_own_whole_batch() -> None:
    plan = parallel([gather_outcomes(command("A"), command("B"))])
    next(plan)
    assert methods(plan.send([(0, answer("a"))])) == []
    assert [one.value for (one,) in [finish(plan, [(1, answer("b"))])[0][1:]] if isinstance(one, Reply)] == [
        "b"
    ]


def test_parallel_nests() -> None:
    def pair(name: str) -> Plan[list[str]]:
        return (yield from parallel([twice(f"{name}x"), twice(f"{name}y")]))

    plan: Plan[list[list[str]]] = parallel([pair("A"), pair("B")])
    asked = next(plan)
    assert methods(asked) == ["Ax1", "Ay1", "Bx1", "By1"]
    # The inner pairs go on one by one: Bx alone is answered.
    on = plan.send([(2, answer("1"))])
    assert methods(on) == ["Bx2"]
    on = plan.send([(0, answer("2")), (1, answer("3")), (3, answer("4"))])
    assert methods(on) == ["Ax2", "Ay2", "By2"]
    plan.send([(4, answer("5"))])
    result = finish(plan, [(on.first + 2, answer("8")), (on.first, answer("6")), (on.first + 1, answer("7"))])
    assert result == [["26", "37"], ["15", "48"]]


def test_an_error_closes_the_other_strands() -> None:
    closed: list[str] = []

    def careful() -> Plan[str]:
        try:
            return (yield from twice("B"))
        finally:
            closed.append("B")

    plan = parallel([twice("A"), careful()])
    next(plan)
    with pytest.raises(CommandUnanswered):
        plan.send([(0, failure("A1"))])
    assert closed == ["B"]


def test_closing_the_whole_closes_the_strands() -> None:
    closed: list[str] = []

    def careful(name: str) -> Plan[str]:
        try:
            return (yield from twice(name))
        finally:
            closed.append(name)

    plan = parallel([careful("A"), careful("B")])
    next(plan)
    plan.close()
    assert closed == ["A", "B"]


def test_a_thousand_strands_with_empty_steps_end() -> None:
    def empty() -> Plan[int]:
        for _ in range(1000):
            yield Batch(())
        return 1

    plan = parallel([empty() for _ in range(10)])
    with pytest.raises(StopIteration) as stop:
        next(plan)
    assert stop.value.value == [1] * 10


def test_refusals_keep_code_and_words() -> None:
    plan = gather(command("A"))
    next(plan)
    error = CommandRefused("A: no (code -1)", method="A", code=-1, reason="no")
    with pytest.raises(CommandRefused) as caught:
        plan.send([(0, Failure(error, 0.0, 0.0))])
    assert caught.value is error
