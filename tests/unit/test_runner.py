"""Running plans without an event loop: deadlines, clean-up, replies that cannot be parsed."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import (
    Exchange,
    Execution,
    ReplayDriver,
    Transcript,
    refused,
    replay,
    run_sync,
    unanswered,
)
from hybridsnap.drivers.testing import load_transcript, save_transcript
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    HybridsnapError,
    ReplyUnreadable,
    TargetCrashed,
)
from hybridsnap.model import SessionId
from hybridsnap.protocol.codec import JsonPayload, PlainPayload
from hybridsnap.protocol.commands import enable_dom
from hybridsnap.protocol.plan import (
    Command,
    Failure,
    Reply,
    gather,
    gather_outcomes,
    parallel,
    pause,
    yield_to_runner,
)
from tests.support.fake_browser import ScriptedDriver

if TYPE_CHECKING:
    from pathlib import Path

    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Plan


def plain(payload: Payload) -> Any:
    return payload.result(dict)


def command(method: str, cleanup: Command[object] | None = None, session: str | None = None) -> Command[Any]:
    own = None if session is None else SessionId(session)
    return Command(method=method, params={}, session=own, parse=plain, cleanup=cleanup)


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_replies_reach_the_plan_stamped() -> None:
    clock = Clock()
    execution = Execution(gather_outcomes(command("A"), command("B")), Deadline.after(10, clock))
    assert [(ticket, one.method) for ticket, one in execution.start()] == [(0, "A"), (1, "B")]
    execution.feed(1, PlainPayload({"b": 2}))
    assert execution.advance() == []
    assert not execution.done
    clock.now += 4
    execution.feed(0, PlainPayload({"a": 1}))
    assert execution.advance() == []
    assert execution.result is not None
    first, second = execution.result
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (first.value, first.remaining) == ({"a": 1}, 6)
    assert (second.value, second.remaining) == ({"b": 2}, 10)
    assert 0 <= second.elapsed <= first.elapsed


def test_a_reply_nobody_asked_for_is_dropped() -> None:
    execution = Execution(gather(command("A")), Deadline.after(10))
    execution.start()
    execution.feed(7, PlainPayload({}))
    execution.feed(0, PlainPayload({"a": 1}))
    execution.feed(0, PlainPayload({"a": 2}))
    execution.advance()
    assert execution.result == ({"a": 1},)


def test_the_late_answer_to_an_expired_command_is_no_answer_to_the_next() -> None:
    def plan() -> Plan[Any]:
        (missed,) = yield from gather_outcomes(command("A"))
        (late,) = yield from gather_outcomes(command("B"))
        return missed, late

    execution = Execution(plan(), Deadline.after(10))
    ((first, _),) = execution.start()
    execution.expire(ScriptedDriver({}))
    ((second, _),) = execution.advance()
    execution.feed(first, PlainPayload({"of": "A"}))
    execution.advance()
    assert not execution.done
    execution.feed(second, PlainPayload({"of": "B"}))
    execution.advance()
    assert execution.result is not None
    missed, late = execution.result
    assert isinstance(missed, Failure)
    assert late.value == {"of": "B"}


@pytest.mark.parametrize(
    "error",
    [msgspec.ValidationError("x"), ValueError("x"), KeyError("x"), TypeError("x"), RecursionError("x")],
)
def test_a_reply_that_cannot_be_parsed_is_unreadable(error: Exception) -> None:
    def parse(_: Payload) -> object:
        raise error

    asked: Command[object] = Command(method="A.b", params={}, session=None, parse=parse)
    with pytest.raises(ReplyUnreadable, match=r"^A\.b: ") as caught:
        ScriptedDriver({"A.b": {}}).run(gather(asked))
    assert caught.value.method == "A.b"


def test_a_reply_nested_without_end_is_unreadable() -> None:
    deep = JsonPayload(b'{"id":1,"result":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001)
    execution = Execution(gather(command("A")), Deadline.after(10))
    execution.start()
    execution.feed(0, deep)
    with pytest.raises(ReplyUnreadable):
        execution.advance()


def test_at_the_deadline_what_is_open_counts_as_unanswered() -> None:
    class Late(ScriptedDriver):
        def execute(self, command: Command[Any], deadline: Deadline) -> Payload:
            reply = super().execute(command, deadline)
            clock.now += 6
            return reply

    clock = Clock()
    driver = Late({"A": {}, "B": {}, "C": {}})
    outcomes = run_sync(
        gather_outcomes(command("A"), command("B"), command("C")), driver, Deadline.after(10, clock)
    )
    assert driver.methods == ["A", "B"]
    a, b, c = outcomes
    assert isinstance(a, Reply)
    assert isinstance(b, Reply)
    assert isinstance(c, Failure)
    assert isinstance(c.error, CommandUnanswered)
    assert c.error.cause == "busy"


def test_an_undo_the_plan_sends_itself_is_not_owed() -> None:
    driver = ScriptedDriver({"On": {}, "Off": {}})
    driver.run(gather(command("On", cleanup=command("Off")), command("Off")))
    assert driver.methods == ["On", "Off"]


def test_an_undo_is_owed_when_the_plan_forgets_it() -> None:
    driver = ScriptedDriver({"On": {}, "Off": {}})
    driver.run(gather(command("On", cleanup=command("Off"))))
    assert driver.methods == ["On", "Off"]


@pytest.mark.parametrize("error", [refused("B", -1, "no"), TargetCrashed("crashed"), unanswered("B", "busy")])
def test_undos_are_owed_when_the_plan_fails_last_first(error: HybridsnapError) -> None:
    def plan() -> Plan[None]:
        yield from gather(command("On1", cleanup=command("Off1")), command("On2", cleanup=command("Off2")))
        yield from gather(command("B"))

    driver = ScriptedDriver({"On1": {}, "On2": {}, "Off1": {}, "Off2": {}, "B": error})
    with pytest.raises(type(error)):
        driver.run(plan())
    assert driver.methods == ["On1", "On2", "B", "Off2", "Off1"]


def test_undos_count_by_session() -> None:
    driver = ScriptedDriver({"DOM.enable": {}, "DOM.disable": {}})
    one, two = SessionId("1"), SessionId("2")
    driver.run(parallel([gather(enable_dom(one)), gather(enable_dom(two))]))
    off = [(sent.method, sent.session) for sent in driver.sent[2:]]
    assert sorted(off) == [("DOM.disable", "1"), ("DOM.disable", "2")]


def test_undos_count_by_parameters() -> None:
    def call(what: str, cleanup: Command[object] | None = None) -> Command[Any]:
        return Command(method="Call", params={"what": what}, session=None, parse=plain, cleanup=cleanup)

    driver = ScriptedDriver({"Call": {}})
    driver.run(gather(call("watch a", call("stop a")), call("watch b", call("stop b")), call("stop a")))
    assert [sent.params["what"] for sent in driver.sent] == ["watch a", "watch b", "stop a", "stop b"]


def test_a_plan_pauses_and_gives_its_runner_a_turn() -> None:
    driver = ScriptedDriver({"On": {}, "Off": {}, "Read": {}})
    seen: list[list[str]] = []

    def plan() -> Plan[str]:
        yield from gather(command("On", cleanup=command("Off")))
        yield from pause(0.001)
        yield from yield_to_runner()
        yield from gather(command("Read"), command("Off"))
        return "done"

    done = run_sync(plan(), driver, Deadline.after(5), lambda: seen.append(list(driver.methods)))
    assert done == "done"
    assert seen == [["On"]]
    assert driver.methods == ["On", "Read", "Off"]


def test_a_pause_ends_with_the_deadline() -> None:
    driver = ScriptedDriver({"Read": {}})

    def plan() -> Plan[Any]:
        yield from pause(3600)
        return (yield from gather_outcomes(command("Read")))

    (read,) = run_sync(plan(), driver, Deadline.after(0.01))
    assert isinstance(read, Failure)


@pytest.mark.parametrize("waiting", [pause(1), yield_to_runner()])
def test_what_runs_beside_others_cannot_pause(waiting: Plan[None]) -> None:
    with pytest.raises(TypeError, match="pause"):
        replay(parallel([waiting]), Transcript([]))


def test_an_undo_that_was_refused_is_still_owed() -> None:
    driver = ScriptedDriver({"On": {}, "Off": refused("Off", -1, "no")})
    driver.run(gather_outcomes(command("On", cleanup=command("Off")), command("Off")))
    assert driver.methods == ["On", "Off", "Off"]


@pytest.mark.parametrize(("discharges", "owed"), [(True, []), (False, ["Up at 1"])])
def test_a_command_can_settle_what_another_owes(discharges: bool, owed: list[str]) -> None:
    up = command("Up at 1")
    down, other_up = command("Down", cleanup=up), command("Up at 2")
    if discharges:
        other_up = dataclasses.replace(other_up, discharges=(up,))
    driver = ScriptedDriver({"Down": {}, "Up at 1": {}, "Up at 2": {}})
    driver.run(gather(down, other_up))
    assert driver.methods == ["Down", "Up at 2", *owed]


def test_an_undo_is_owed_when_a_plan_has_a_bug() -> None:
    def plan() -> Plan[None]:
        yield from gather(command("On", cleanup=command("Off")))
        raise ZeroDivisionError

    driver = ScriptedDriver({"On": {}, "Off": {}})
    with pytest.raises(ZeroDivisionError):
        driver.run(plan())
    assert driver.methods == ["On", "Off"]


def test_a_failing_clean_up_hides_no_error() -> None:
    driver = ScriptedDriver({"On": {}, "B": refused("B", -1, "no")})
    with pytest.raises(CommandRefused) as caught:
        driver.run(gather(command("On", cleanup=command("Off")), command("B")))
    assert caught.value.method == "B"


def test_replay_answers_each_exchange_once_and_in_order() -> None:
    exchanges = [
        Exchange("A", {"x": 1}, None, b'{"result":{"n":1}}'),
        Exchange("A", {"x": 1}, None, b'{"result":{"n":2}}'),
        Exchange("A", {"x": 1}, SessionId("s"), b'{"result":{"n":3}}'),
        Exchange("B", {}, None, error=(-32000, "no")),
        Exchange("C", {}, None, cause="dialog"),
    ]

    def ask(method: str, session: str | None = None, **params: Any) -> Command[Any]:
        own = None if session is None else SessionId(session)
        return Command(method=method, params=params, session=own, parse=plain)

    outcomes = replay(
        gather_outcomes(ask("A", x=1), ask("A", "s", x=1), ask("A", x=1), ask("A", x=1), ask("B"), ask("C")),
        Transcript([], exchanges),
    )
    values = [outcome.value if isinstance(outcome, Reply) else outcome.error for outcome in outcomes]
    assert values[:3] == [{"n": 1}, {"n": 3}, {"n": 2}]
    assert isinstance(values[3], CommandRefused)
    assert "transcript" in values[3].reason
    assert isinstance(values[4], CommandRefused)
    assert (values[4].code, values[4].reason) == (-32000, "no")
    assert isinstance(values[5], CommandUnanswered)
    assert values[5].cause == "dialog"


def test_a_replay_driver_tells_what_was_sent() -> None:
    driver = ReplayDriver([])
    run_sync(gather_outcomes(command("A"), command("B")), driver, Deadline.after(1))
    assert [sent.method for sent in driver.sent] == ["A", "B"]


def test_transcripts_are_saved_and_read_back(tmp_path: Path) -> None:
    sessions: list[SessionInfo] = []
    exchanges = [
        Exchange("A", {"x": [1, {"y": "z"}]}, None, b'{"result":{"n":1}}'),
        Exchange("B", {}, SessionId("s"), error=(-32000, "no")),
        Exchange("C", {}, None, cause="dialog"),
    ]
    save_transcript(Transcript(sessions, exchanges), tmp_path / "some.jsonl")
    again = load_transcript(tmp_path / "some.jsonl")
    assert again.sessions == sessions
    assert again.exchanges == exchanges
