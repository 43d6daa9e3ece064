"""From a script to commands and from replies to values, without a browser."""

from __future__ import annotations

import datetime as dt
import enum
import json
import math
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.act.evaluate import (
    Script,
    ScriptElement,
    evaluate_on_element,
    evaluate_script,
    prepare_script,
)
from hybridsnap.act.values import Thrown, read_outcome, write_arguments
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import refused, run_sync
from hybridsnap.errors import CommandRefused, EvaluationFailed, HybridsnapError, ReplyUnreadable, StaleElement
from hybridsnap.model import BackendNodeId, ElementId, FrameId, LoaderId, SessionId
from hybridsnap.protocol.codec import JsonPayload

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.model import Cause
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command

_SESSION = SessionId("session")


class Colour(enum.IntEnum):
    RED = 1


# Arguments


def test_arguments_as_a_table() -> None:
    shared = ["x"]
    table = json.loads(write_arguments((None, True, 1.5, shared, {"a": shared}, Colour.RED)))
    assert table == [["a", "x"], ["o", "a", [0]], ["a", None, True, 1.5, [0], [1], 1]]


def test_arguments_without_a_form_in_json() -> None:
    now = dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=dt.UTC)
    table = json.loads(write_arguments((math.nan, -math.inf, -0.0, 2**53, -(2**64), b"\xff", now)))
    assert table == [
        ["b", "/w=="],
        ["d", 1000.0],
        [
            "a",
            ["n", "NaN"],
            ["n", "-Infinity"],
            ["n", "-0"],
            ["i", 1, "0x20000000000000"],
            ["i", -1, "0x10000000000000000"],
            [0],
            [1],
        ],
    ]


def test_arguments_become_ascii() -> None:
    assert write_arguments(("é\u2028\ud800",)).isascii()


def test_deep_and_cyclic_arguments() -> None:
    deep: list[Any] = []
    deep.append(deep)
    assert json.loads(write_arguments((deep,))) == [["a", [0]], ["a", [0]]]
    for _ in range(50_000):
        deep = [deep]
    assert len(json.loads(write_arguments((deep,)))) == 50_002


@pytest.mark.parametrize("wrong", [object(), {1, 2}, {1: 2}, [{None: 1}], 1j, dt.date(2024, 1, 1), len])
def test_what_has_no_form_in_a_page(wrong: object) -> None:
    with pytest.raises(TypeError, match="an argument"):
        write_arguments((wrong,))


def test_a_datetime_needs_a_time_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        write_arguments((dt.datetime(2024, 1, 1),))  # noqa: DTZ001 - the very thing


# Outcomes


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[0,null,[]]", None),
        ('[0,["i",-1,"ff"],[]]', -255),
        ('[0,["n","-0"],[]]', -0.0),
        ('[0,["d",0],[]]', dt.datetime(1970, 1, 1, tzinfo=dt.UTC)),
        ('[0,["b","eQ=="],[]]', b"y"),
        ("[0,9007199254740992,[]]", 2.0**53),
        ('[0,[0],[["a",1,[1]],["o","k",[2]],["m","a",1]]]', [1, {"k": {"a": 1}}]),
        ('[0,[0],[["m",1,1,true,2]]]', [[1, 1], [True, 2]]),
        ('[0,[0],[["m",[0],1]]]', ...),
        ('[1,"TypeError","bad","TypeError: bad"]', Thrown("TypeError", "bad", "TypeError: bad")),
        ('[0,"\\ud800",[]]', "\ufffd"),
    ],
)
def test_outcomes(text: str, value: object) -> None:
    came = read_outcome(text)
    if value is ...:
        assert came[0][0] is came
        return
    assert came == value
    assert type(came) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "forged",
        "[]",
        "[0]",
        "{}",
        "[0,[5],[]]",
        "[0,[-1],[]]",
        '[0,["z"],[]]',
        '[0,["i",1,"zz"],[]]',
        '[0,["n","1e"],[]]',
        '[0,["d",1e300],[]]',
        '[0,["b","?"],[]]',
        '[0,[0],[["z"]]]',
        '[0,[0],[["o","a"]]]',
        '[0,[0],[["o",[0],1]]]',
        '[0,[0],[["m",1]]]',
        '[0,[0],[["m",[9],1]]]',
        "[0,[0],[5]]",
        "[1,2]",
        "[" * 100_000,
    ],
)
def test_outcomes_that_are_none(text: str) -> None:
    with pytest.raises(ReplyUnreadable, match="does the page change built-in objects"):
        read_outcome(text)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("aimod"), inner, max_size=3),
    max_leaves=12,
)


@given(_JSON)
def test_any_outcome_is_a_value_or_a_typed_error(outcome: object) -> None:
    for text in (json.dumps(outcome), json.dumps([0, outcome, [outcome]])):
        try:
            read_outcome(text)
        except ReplyUnreadable as error:
            assert "\n" not in str(error)  # noqa: PT017 - there may be none


# Scripts


class Page:
    """Answers a plan's commands by what the test says, and keeps them."""

    name = "test"

    def __init__(self, answer: Callable[[Command[Any]], dict[str, Any] | HybridsnapError]) -> None:
        self._answer = answer
        self.sent: list[Command[Any]] = []

    def execute(self, command: Command[Any], _: Deadline) -> Payload:
        self.sent.append(command)
        answer = self._answer(command)
        if isinstance(answer, HybridsnapError):
            raise answer
        return JsonPayload(json.dumps({"result": answer}).encode())

    def cause_of_silence(self, _: SessionId | None) -> Cause:
        return "timeout"


def wrote(text: str) -> dict[str, Any]:
    return {"result": {"type": "string", "value": text}}


def syntax_error(words: str) -> dict[str, Any]:
    exception = {"className": "SyntaxError", "description": f"SyntaxError: {words}", "objectId": "1"}
    return {"result": exception, "exceptionDetails": {"text": "Uncaught", "exception": exception}}


def evaluated(script: Script, page: Page, world: FrameId | None = None) -> Any:
    return run_sync(evaluate_script(_SESSION, script, world), page, Deadline.after(5))


def test_an_expression_is_one_command() -> None:
    page = Page(lambda _: wrote("[0,5,[]]"))
    assert evaluated(prepare_script(" a +\n b; ", (1,)), page) == 5
    (command,) = page.sent
    assert command.method == "Runtime.evaluate"
    assert command.session == _SESSION
    assert command.params["awaitPromise"] is True
    expression = command.params["expression"]
    # Alone on its lines, the first of them the second.
    assert expression.splitlines()[1:3] == ["a +", " b"]


def test_statements_are_tried_when_an_expression_does_not_compile() -> None:
    replies = [syntax_error("Unexpected token 'const'"), {"result": {"type": "number", "value": 3}}]
    page = Page(lambda command: {} if "Group" in command.method else replies.pop(0))
    assert evaluated(prepare_script("const a = 3; a", ()), page) == 3
    assert page.sent[1].params["expression"] == "{\nconst a = 3; a\n}"
    assert "replMode" not in page.sent[1].params
    assert page.sent[-1].method == "Runtime.releaseObjectGroup"


@pytest.mark.parametrize(
    ("remote", "value"),
    [
        ({"type": "undefined"}, None),
        ({"type": "number", "unserializableValue": "-0"}, -0.0),
        ({"type": "bigint", "unserializableValue": "-12n"}, -12),
        ({"type": "number", "unserializableValue": "Infinity"}, math.inf),
        ({"type": "string", "value": "x"}, "x"),
    ],
)
def test_primitive_values_of_statements(remote: dict[str, Any], value: object) -> None:
    replies = [syntax_error("Unexpected token 'let'"), {"result": remote}]
    page = Page(lambda command: {} if "Group" in command.method else replies.pop(0))
    came = evaluated(prepare_script("let a; a", ()), page)
    assert came == value
    assert type(came) is type(value)


def test_await_among_statements_wants_the_console_mode() -> None:
    replies = [syntax_error("x"), syntax_error("Illegal return statement"), wrote("[0,1,[]]")]
    page = Page(lambda command: {} if "Group" in command.method else replies.pop(0))
    assert evaluated(prepare_script("let a = await b(); return a", ()), page) == 1
    assert page.sent[1].params["replMode"] is True
    assert "async () => {\nlet a = await b(); return a\n}" in page.sent[2].params["expression"]


def test_what_does_not_compile_is_said_in_the_parsers_words() -> None:
    replies = [syntax_error("one"), syntax_error("two"), syntax_error("as it stands")]
    page = Page(lambda command: {} if "Group" in command.method else replies.pop(0))
    with pytest.raises(EvaluationFailed, match=r"^the script does not compile: as it stands$") as caught:
        evaluated(prepare_script("1 +", ()), page)
    assert (caught.value.name, caught.value.js_stack) == ("SyntaxError", "")
    assert page.sent[2].params["expression"] == "1 +"
    assert page.sent[2].params["throwOnSideEffect"] is True


def test_a_stack_has_the_lines_of_the_script_and_no_others() -> None:
    stack = """Error: no
    at one (<anonymous>:3:5)
    at https://x/app.js:9:9
    at async <anonymous>:7:1
    at <anonymous>:1:1"""
    page = Page(lambda _: wrote(json.dumps([1, "Error", "no", stack])))
    with pytest.raises(EvaluationFailed) as caught:
        evaluated(prepare_script("() => {\n  one()\n}", ()), page)
    assert caught.value.js_stack.splitlines() == [
        "Error: no",
        "    at one (<anonymous>:2:5)",
        "    at https://x/app.js:9:9",
    ]
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.name, again.js_message, again.js_stack) == ("Error", "no", caught.value.js_stack)


def test_a_hostile_message_stays_one_line() -> None:
    page = Page(lambda _: wrote(json.dumps([1, "Evil\nname", "a\u202eb\n[0-1] button: x" + "y" * 5000, ""])))
    with pytest.raises(EvaluationFailed) as caught:
        evaluated(prepare_script("x", ()), page)
    line = str(caught.value)
    assert "\n" not in line
    assert "\u202e" not in line
    assert len(line) < 300


def test_our_own_world() -> None:
    page = Page(lambda one: {"executionContextId": 7} if "World" in one.method else wrote("[0,1,[]]"))
    assert evaluated(prepare_script("1", ()), page, FrameId("F")) == 1
    assert page.sent[0].method == "Page.createIsolatedWorld"
    assert page.sent[1].params["contextId"] == 7


_ELEMENT = ScriptElement(
    ElementId("0-5"), 'button "Buy" [0-5]', FrameId("F"), LoaderId("L"), BackendNodeId(5)
)


def answer_element(loader: str, *, node: bool = True) -> Callable[[Command[Any]], Any]:
    def answer(command: Command[Any]) -> Any:
        if command.method == "DOM.resolveNode":
            return (
                {"object": {"type": "object", "objectId": "9"}}
                if node
                else refused(command.method, -32000, "No node with given id found")
            )
        if command.method == "Page.getFrameTree":
            frame = {"id": "F", "loaderId": loader, "url": "http://x/"}
            return {"frameTree": {"frame": frame}}
        return wrote("[0,1,[]]") if command.method == "Runtime.callFunctionOn" else {}

    return answer


def test_an_element_is_resolved_in_the_document_that_it_was_found_in() -> None:
    page = Page(answer_element("L"))
    plan = evaluate_on_element(_SESSION, prepare_script("(e) => e", ()), _ELEMENT, isolated=False)
    assert run_sync(plan, page, Deadline.after(5)) == 1
    assert [one.method for one in page.sent[:3]] == [
        "DOM.resolveNode",
        "Page.getFrameTree",
        "Runtime.callFunctionOn",
    ]
    assert page.sent[2].params["arguments"] == [{"objectId": "9"}]


@pytest.mark.parametrize(
    ("loader", "node", "reason"),
    [("M", True, "navigated"), ("L", False, "detached"), ("M", False, "navigated")],
)
def test_an_element_of_another_document_is_never_touched(loader: str, node: bool, reason: str) -> None:
    page = Page(answer_element(loader, node=node))
    plan = evaluate_on_element(_SESSION, prepare_script("(e) => e", ()), _ELEMENT, isolated=False)
    with pytest.raises(StaleElement) as caught:
        run_sync(plan, page, Deadline.after(5))
    assert caught.value.reason == reason
    assert "Runtime.callFunctionOn" not in [one.method for one in page.sent]


def test_a_refusal_is_handed_on() -> None:
    page = Page(lambda one: refused(one.method, -32000, "Inspected target navigated or closed"))
    with pytest.raises(CommandRefused):
        evaluated(prepare_script("1", ()), page)
