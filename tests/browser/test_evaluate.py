"""Evaluating in the page: values both ways, errors, and scripts that never end."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import math
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

import hybridsnap
from hybridsnap import (
    CommandUnanswered,
    ConnectionLost,
    EvaluationFailed,
    EvaluationTimeout,
    HybridsnapError,
    SelectorError,
    SessionEnded,
    StaleElement,
    TargetCrashed,
    TargetDetached,
    UnknownElement,
)
from hybridsnap.act.values import MAX_DEPTH
from hybridsnap.drivers.base import ignore_reply
from tests.support import http
from tests.support.faults import Injecting, injecting, until
from tests.support.pages import ENDLESS, busy_for, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page
    from hybridsnap.client.transport import Transport
    from hybridsnap.deadline import Deadline
    from tests.support.pages import Content, PageServer

_FOREVER = "while (true) {}"
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_NEVER = "new Promise(() => {})"
#: What is promised: the error comes no later than this.
_LATE = 0.5

_PAGES: dict[str, Content] = {
    "/": """<!doctype html><title>Values</title><button id=buy class="big red">Buy</button>
      <script>var own = 42</script>""",
    "/strict": http.Response(
        b"<!doctype html><title>Strict</title><button id=buy>Buy</button>",
        headers={
            "Content-Security-Policy": "script-src 'none'; require-trusted-types-for 'script'",
        },
    ),
    "/tampered": """<!doctype html><script>
      Array.prototype.toJSON = String.prototype.toJSON = Object.prototype.toJSON = () => "forged";
      JSON.parse = () => "forged";
      </script><button id=buy>Buy</button>""",
    "/broken": "<!doctype html><script>Map = Object = JSON = null</script>",
    "/frames": """<!doctype html><p id=p>outer</p>
      <iframe src=/inner.html></iframe><iframe src="http://localhost:{PORT}/other.html"></iframe>""",
    "/inner.html": "<!doctype html><button id=inner>Inner</button><script>var own = 'inner'</script>",
    "/other.html": "<!doctype html><button id=other>Other</button><script>var own = 'other'</script>",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


@pytest.fixture
async def page(page: Page, pages: PageServer) -> Page:
    await page.goto(pages.url("/"))
    return page


def sockets() -> int:
    """How many sockets this process has open."""
    count = 0
    for one in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            count += str(one.readlink()).startswith("socket:")
    return count


@pytest.fixture
async def nothing_left(page: Page) -> AsyncIterator[None]:
    """The connection of evaluations is kept; no other is, and no session of it on which a script is left."""
    await page.evaluate("1")
    browser = page.browser
    open_before = sockets()
    yield
    assert sockets() <= open_before + len(browser._pages)  # each tab may have left one with the server
    assert not [used for used in browser.evaluations._kept.values() if used.spent or used.users]


async def check_alive(page: Page, seconds: float = 5.0) -> None:
    """The page answers, and a snapshot of it is whole."""
    with trio.fail_after(seconds):
        answer = await page.session.send("Runtime.evaluate", {"expression": "6 * 7"})
    assert answer["result"]["value"] == 42
    assert (await page.snapshot(timeout=5)).report.complete


async def ends_late(page: Page, expression: str, seconds: float = 0.5, **more: Any) -> EvaluationTimeout:
    """The error of an evaluation that is out of time, which came in time."""
    started = time.monotonic()
    with pytest.raises(EvaluationTimeout) as caught:
        await page.evaluate(expression, timeout=seconds, **more)
    elapsed = time.monotonic() - started
    assert elapsed < seconds + _LATE
    assert caught.value.seconds == pytest.approx(seconds, abs=0.01)
    return caught.value


# Values


_RECT = {"x": 1, "y": 2, "width": 3, "height": 4, "top": 2, "right": 4, "bottom": 6, "left": 1}
_OUT: list[tuple[str, object]] = [
    ("undefined", None),
    ("null", None),
    ("true", True),
    ("'text \\u2028 \\ud83d\\ude00'", "text \u2028 😀"),
    ("'lone \\ud83d'", "lone \ufffd"),
    ("7", 7),
    ("7.5", 7.5),
    ("2 ** 53 - 1", 2**53 - 1),
    ("1e21", 1e21),
    ("Infinity", math.inf),
    ("-Infinity", -math.inf),
    ("123n", 123),
    ("-(10n ** 5000n)", -(10**5000)),
    ("new Date(Date.UTC(2024, 1, 29, 12, 0, 0, 5))", dt.datetime(2024, 2, 29, 12, 0, 0, 5000, dt.UTC)),
    ("new Date(NaN)", None),
    ("new Date(8.64e15)", "+275760-09-13T00:00:00.000Z"),
    ("[1, [2, undefined], , 'x']", [1, [2, None], None, "x"]),
    ("({a: 1, b: {c: [5n, new Date(0)]}})", {"a": 1, "b": {"c": [5, _EPOCH]}}),
    ("{a: 1}", {"a": 1}),
    ("JSON.parse('{\"__proto__\": 1}')", {"__proto__": 1}),
    ("Object.create(null)", {}),
    ("new Map([['a', 1], [2, [3]]])", {"a": 1, 2: [3]}),
    ("new Map([[1, 'number'], [true, 'boolean']])", [[1, "number"], [True, "boolean"]]),
    ("new Map([[{}, 1]])", [[{}, 1]]),
    ("new Set([1, 'a'])", [1, "a"]),
    ("/a+/gi", "/a+/gi"),
    ("new URL('http://x/y')", "http://x/y"),
    ("new Error('boo')", {"name": "Error", "message": "boo"}),
    ("new Uint8Array([0, 255])", b"\x00\xff"),
    ("new Float64Array([1.5, -0])", [1.5, -0.0]),
    ("[() => 1, function go() {}, Symbol('s')]", ["<function>", "<function go>", "<Symbol(s)>"]),
    (
        "[window, document.body, buy, buy.firstChild]",
        ["<window>", "<body>", "<button#buy.big.red>", "<#text>"],
    ),
    ("document.querySelectorAll('button')", ["<button#buy.big.red>"]),
    ("new DOMRect(1, 2, 3, 4)", _RECT),
    ("new WeakMap()", "<WeakMap>"),
    ("({get bad() { throw 1 }, good: 2})", {"good": 2}),
    ("own", 42),
    ("Promise.resolve(Promise.resolve(5))", 5),
    ("await Promise.resolve(6)", 6),
]


async def test_values_that_come_out(page: Page) -> None:
    for expression, value in _OUT:
        came = await page.evaluate(expression)
        assert came == value, expression
        assert type(came) is type(value), expression


async def test_nan_and_minus_zero(page: Page) -> None:
    assert math.isnan(await page.evaluate("NaN"))
    assert math.copysign(1, await page.evaluate("-0")) == -1
    (zero,) = await page.evaluate("[-0]")
    assert math.copysign(1, zero) == -1


_IN: list[tuple[object, str]] = [
    (None, "object null"),
    (True, "boolean true"),
    (-0.0, "number -0"),
    (math.nan, "number NaN"),
    (-math.inf, "number -Infinity"),
    (2**53 - 1, "number 9007199254740991"),
    (-(2**53), "bigint -9007199254740992"),
    (10**5000, "bigint 1" + "0" * 5000),
    ("\ud83d </script>\u2028", "string \ufffd </script>\u2028"),
    (b"\x00\xff", "object 0,255"),
    (
        dt.datetime(2024, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
        "object 2024-01-01T00:00:00.000Z",
    ),
    ([1, (2, [])], "object [1,[2,[]]]"),
    ({"__proto__": {"a": 1}}, 'object {"__proto__":{"a":1}}'),
]


async def test_elements_behind_names_that_are_taken(page: Page) -> None:
    await page.evaluate("void (globalThis.Node = class {}, globalThis.Element = null)")
    form = "<form id=it class=a><input name=id><input name=nodeType><input name=classList></form>"
    assert await page.evaluate(f"document.body.innerHTML = '{form}'; [document.body.firstChild]") == [
        "<form#it.a>"
    ]


async def test_values_that_go_in(page: Page) -> None:
    look = """(one) => typeof one + " " + (Object.is(one, -0) ? "-0" : one instanceof Date ? one.toISOString()
        : one instanceof Uint8Array || typeof one !== "object" ? String(one) : JSON.stringify(one))"""
    for value, seen in _IN:
        assert await page.evaluate(look, value) == seen


async def test_every_value_that_goes_in_comes_back(page: Page) -> None:
    now = dt.datetime.now(dt.UTC).replace(microsecond=123000)
    given = [None, 0.5, 2**70, "x", b"y", now, {"k": [1, {"": None}]}]
    assert await page.evaluate("(...all) => all", *given) == given


async def test_objects_keep_their_identity(page: Page) -> None:
    one, two = await page.evaluate("() => { const a = {}; a.self = a; return [a, a] }")
    assert one is two
    assert one["self"] is one
    loop: list[Any] = [{}]
    loop.append(loop)
    assert await page.evaluate("(one) => one[1] === one && one[0] !== one", loop) is True


async def test_depth_and_size_are_bounded(page: Page) -> None:
    nested = "(levels) => { let one = null; for (let i = 0; i < levels; i++) one = [one]; return one }"
    came = await page.evaluate(nested, MAX_DEPTH)
    depth = 0
    while came is not None:
        (came,) = came
        depth += 1
    assert depth == MAX_DEPTH
    with pytest.raises(EvaluationFailed, match=r"RangeError: the value is more than 400 levels deep"):
        await page.evaluate(nested, 10_000)
    with pytest.raises(EvaluationFailed, match="holds more than 1000000 items"):
        await page.evaluate("new Array(4e9 >>> 0)")
    for large in (
        "new Array(4e8)",
        "new Float64Array(4e8)",
        "[new Array(6e5), new Array(6e5)]",
        "new Map(Array.from({length: 6e5}, (_, at) => [at, at]))",
    ):
        with pytest.raises(EvaluationFailed, match="holds more than 1000000 items"):
            await page.evaluate(large)
    for large in (
        "'x'.repeat(300e6)",
        "'é'.repeat(60e6)",
        "['x'.repeat(20e6), 'x'.repeat(20e6)]",
        "({['x'.repeat(33e6)]: 1})",
        "new Uint8Array(4e8)",
        "new DataView(new ArrayBuffer(4e8))",
        "2n ** 200000000n",
        "const long = ['x'.repeat(300e6)]; long",
    ):
        with pytest.raises(EvaluationFailed, match="takes more than 32000000 characters; return less"):
            await page.evaluate(large)
    with pytest.raises(EvaluationFailed, match="threw Error: xxx") as caught:
        await page.evaluate("() => { throw new Error('x'.repeat(4e7)) }")
    assert caught.value.js_message.endswith("x… (39900000 more characters)")
    assert len(await page.evaluate("'x'.repeat(31e6)")) == 31_000_000
    assert (await page.snapshot(timeout=10)).report.complete
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    levels = "(one) => { let levels = 0; for (; one.length; one = one[0]) levels++; return levels }"
    assert await page.evaluate(levels, deep) == 10_000
    many = await page.evaluate("Array.from({length: 50000}, (_, at) => ({at}))")
    assert many[49_999] == {"at": 49_999}


_FUNCTIONS: list[str] = [
    "(a, b) => a + b",
    "async (a, b) => { await null; return a + b }",
    "function (a, b) { return a + b }",
    "  function add(a, b) { return a + b } ;\n",
    "/* first */ (a, b) => a + b // last",
    "(a, b) => a + b; // with a semicolon before",
    "const add = (a, b) => a + b; add",
    "const add = await Promise.resolve((a, b) => a + b); add",
    "return (a, b) => a + b",
]


async def test_functions(page: Page) -> None:
    for expression in _FUNCTIONS:
        assert await page.evaluate(expression, 3, 4) == 7, expression


_STATEMENTS: list[tuple[str, object]] = [
    ("document.title;", "Values"),
    ("const a = 1; a + 1", 2),
    ("let q = await Promise.resolve(4);\nq * 2", 8),
    ("const z = 3; return z", 3),
    ("const z = await Promise.resolve(9); return z", 9),
    ("if (own > 5) 'more'; else 'less'", "more"),
    ("function twice(a) { return a * 2 }; twice(4)", 8),
    ("5; new Promise(done => setTimeout(() => done(3), 5))", 3),
    ("this === window", True),
    ("'x;'", "x;"),
]


async def test_statements(page: Page) -> None:
    for expression, value in [*_STATEMENTS, *_STATEMENTS]:  # what one declares is not in another's way
        assert await page.evaluate(expression) == value, expression


async def test_worlds(page: Page) -> None:
    assert await page.evaluate("typeof own + document.title", isolated_world=True) == "undefinedValues"
    await page.evaluate("window.left = 1", isolated_world=True)
    assert await page.evaluate("typeof left") == "undefined"
    assert await page.evaluate("const left = 2; left", isolated_world=True) == 2


async def test_content_security_policy_is_no_matter(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/strict"))
    assert await page.evaluate("(a) => [a, document.title]", b"x") == [b"x", "Strict"]
    assert await page.evaluate("const a = 1; return a") == 1
    assert await page.evaluate("(e) => e.id", element="#buy") == "buy"


async def test_pages_that_change_built_in_objects(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/tampered"))
    assert await page.evaluate("(a) => [a, {b: new Map([['x', 1]])}]", {"c": ["d"]}) == [
        {"c": ["d"]},
        {"b": {"x": 1}},
    ]
    page = await browser.new_page(pages.url("/broken"))
    with pytest.raises(EvaluationFailed):
        await page.evaluate("[1]")
    assert await page.evaluate("[1]", isolated_world=True) == [1]


# Errors


async def test_errors_carry_their_own_stack(page: Page) -> None:
    with pytest.raises(EvaluationFailed) as caught:
        await page.evaluate(
            "() => {\n  const inner = () => { throw new TypeError('bad\\nluck') };\n  inner();\n}"
        )
    error = caught.value
    assert (error.name, error.js_message) == ("TypeError", "bad\nluck")
    assert error.js_stack.splitlines() == [
        "TypeError: bad",
        "luck",
        "    at inner (<anonymous>:2:31)",
        "    at <anonymous>:3:3",
    ]
    assert str(error) == "the script threw TypeError: bad luck"


_THROWN: list[tuple[str, str, object]] = [
    ("null.x", "TypeError", "Cannot read properties of null (reading 'x')"),
    ("nope()", "ReferenceError", "nope is not defined"),
    ("throw new RangeError('late'); 5", "RangeError", "late"),
    ("throw 'words'", "string", "words"),
    ("() => { throw 'words' }", "string", "words"),
    ("() => { throw null }", "null", ""),
    ("() => { throw {code: 5} }", "Object", '{"code":5}'),
    ("() => { throw new DOMException('no', 'DataError') }", "DataError", "no"),
    ("Promise.reject(new Error('rejected'))", "Error", "rejected"),
    ("() => { class Own extends Error { name = 'Own' }; throw new Own('mine') }", "Own", "mine"),
    ("(function more() { more() })()", "RangeError", "Maximum call stack size exceeded"),
    ("JSON.parse('{')", "SyntaxError", ...),
    ("class A {}", "TypeError", "Class constructor A cannot be invoked without 'new'"),
    ("1 +", "SyntaxError", "Unexpected end of input"),
    ("if (1", "SyntaxError", "Unexpected end of input"),
    ("foo bar", "SyntaxError", "Unexpected identifier 'bar'"),
]


async def test_what_scripts_throw(page: Page) -> None:
    for expression, name, message in _THROWN:
        with pytest.raises(EvaluationFailed) as caught:
            await page.evaluate(expression)
        assert caught.value.name == name, expression
        assert message in (..., caught.value.js_message), expression
        assert "\n" not in str(caught.value)


async def test_a_script_that_does_not_compile_has_not_run(page: Page) -> None:
    with pytest.raises(EvaluationFailed, match="does not compile"):
        await page.evaluate("window.ran = 1; }")
    assert await page.evaluate("typeof ran") == "undefined"
    with pytest.raises(EvaluationFailed, match="arguments are for a function"):
        await page.evaluate("5", 1)


async def test_wrong_usage(page: Page) -> None:
    for wrong, error in (
        (object(), TypeError),
        ({1: 2}, TypeError),
        ({1}, TypeError),
        (dt.datetime(2024, 1, 1), ValueError),  # noqa: DTZ001 - the very thing
    ):
        with pytest.raises(error):
            await page.evaluate("(a) => a", wrong)
    for expression in ("", " ; ", "\ud800"):
        with pytest.raises(ValueError, match="expression"):
            await page.evaluate(expression)
    with pytest.raises(TypeError, match="expression"):
        await page.evaluate(5)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(TypeError, match="nth"):
        await page.evaluate("1", nth=1)
    with pytest.raises(ValueError, match="timeout"):
        await page.evaluate("1", timeout=0)


# Elements


async def test_an_element_goes_first(page: Page) -> None:
    snapshot = await page.snapshot(timeout=5)
    (buy,) = snapshot.find(role="button")
    for named in (buy.id, "#buy", "//button"):
        assert await page.evaluate("(e, more) => e.id + more", "!", element=named) == "buy!"
    assert await page.evaluate("element.textContent", element="#buy") == "Buy"
    assert await page.evaluate("this === element && own", element="#buy") == 42
    assert await page.evaluate("(e) => [e.id, typeof own]", element="#buy", isolated_world=True) == [
        "buy",
        "undefined",
    ]
    backend_node_id = int(buy.id.partition("-")[2])
    assert await page.evaluate("(e) => e.id", backend_node_id=backend_node_id) == "buy"
    with pytest.raises(EvaluationFailed, match="with an element, give a function"):
        await page.evaluate("const a = 1; a", element="#buy")
    with pytest.raises(EvaluationFailed) as caught:
        await page.evaluate("(e) => { throw new Error(e.id) }", element="#buy")
    assert caught.value.js_stack == "Error: buy\n    at <anonymous>:1:16"


@pytest.mark.alone
@pytest.mark.parametrize(("selector", "own"), [("#inner", "inner"), ("#other", "other")])
async def test_elements_of_frames(page: Page, pages: PageServer, selector: str, own: str) -> None:
    await page.goto(pages.url("/frames"))
    snapshot = await page.snapshot(timeout=10)
    ids = snapshot.css(selector)
    (element,) = ids
    assert await page.evaluate("(e) => [e.id, own]", element=element) == [own, own]
    assert await page.evaluate("(e) => e.id", element=f"iframe >> {selector}", isolated_world=True) == own
    await ends_late(page, "(e) => { while (true); }", element=element)
    assert (await page.snapshot(timeout=5)).report.complete
    assert await page.evaluate("(e) => e.id", element=element) == own


async def test_elements_that_are_not_there(page: Page) -> None:
    snapshot = await page.snapshot(timeout=5)
    (buy,) = snapshot.find(role="button")
    with pytest.raises(SelectorError):
        await page.evaluate("(e) => e.id", element="#nope")
    with pytest.raises(UnknownElement):
        await page.evaluate("(e) => e.id", element="0-99999999")
    await page.evaluate("buy.replaceWith(buy.cloneNode(true))")
    with pytest.raises(StaleElement) as caught:
        await page.evaluate("() => { window.reached = true }", element=buy.id)
    assert caught.value.element_id == buy.id
    assert await page.evaluate("typeof reached") == "undefined"


async def test_a_frame_that_goes_right_after_its_element_was_found(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = page._context
    run = context.run

    async def run_and_remove(plan_of: Any, deadline: Deadline) -> Any:
        found = await run(plan_of, deadline)
        if len(page.sessions) > 1:
            remove = {"expression": "document.querySelector('iframe').remove()"}
            await page.session.send("Runtime.evaluate", remove)
            await until(lambda: len(page.sessions) == 1)
        return found

    outer = "<iframe src='http://localhost:{PORT}/inner'></iframe>"
    async with serve_pages({"/": outer, "/inner": "<button>Go</button>"}) as pages:
        await page.goto(pages.url())
        (button,) = (await page.snapshot()).find(role="button")
        monkeypatch.setattr(context, "run", run_and_remove)
        with pytest.raises(StaleElement) as caught:
            await page.evaluate("(e) => e.id", element=button.id)
    assert caught.value.reason == "frame gone"


# Scripts that never end


@pytest.mark.alone
@pytest.mark.parametrize(
    "expression",
    [
        _FOREVER,
        "() => { while (true); }",
        "(async () => { while (true) await null })()",
        "await null; while (true);",
        "() => { try { while (true); } finally { while (true); } }",
        "new Promise(() => setTimeout(() => { while (true); }, 5))",
        # What it has put off comes up once it has been ended and the page has answered.
        "requestIdleCallback(() => { while (true); }); while (true);",
        _NEVER,
        "({then() {}})",
        "({get trap() { while (true); }})",
    ],
)
async def test_a_stuck_script_is_ended_and_the_page_lives(
    page: Page,
    expression: str,
    nothing_left: None,  # noqa: ARG001 - pytest-trio runs no fixture of usefixtures
) -> None:
    session = page.session
    await ends_late(page, expression, 0.3)
    await check_alive(page, 0.5)
    assert page.session is session
    assert session.ended is None


@pytest.mark.alone
async def test_the_next_command_of_the_page_is_answered_meanwhile(page: Page) -> None:
    """A promise that is waited for holds nothing up."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ends_late, page, _NEVER)
        await trio.testing.wait_all_tasks_blocked(0.1)
        await check_alive(page)
        assert await page.evaluate("1 + 1") == 2


@pytest.mark.alone
@pytest.mark.parametrize("expression", [_FOREVER, _NEVER])
async def test_twenty_at_once(
    page: Page,
    expression: str,
    nothing_left: None,  # noqa: ARG001 - pytest-trio runs no fixture of usefixtures
) -> None:
    started = time.monotonic()
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(ends_late, page, expression, 1.0)
    assert time.monotonic() - started < 1.0 + _LATE
    await check_alive(page)
    assert await page.evaluate("1 + 1") == 2


@pytest.mark.alone
async def test_evaluations_do_not_end_each_other(page: Page) -> None:
    """One that waits runs out of time while another runs: that one still comes to its end."""
    long = "() => { const end = Date.now() + 1200; while (Date.now() < end); return 'whole' }"
    came: list[object] = []

    async def run(expression: str, seconds: float) -> None:
        came.append(await page.evaluate(expression, timeout=seconds))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ends_late, page, _NEVER, 0.6)
        await trio.testing.wait_all_tasks_blocked(0.05)
        nursery.start_soon(run, long, 10)
        nursery.start_soon(run, "'behind'", 10)
    assert sorted(came) == ["behind", "whole"]  # type: ignore[type-var]  # strings


async def test_one_that_somebody_else_ends_is_told_so(page: Page) -> None:
    async def end() -> None:
        await trio.testing.wait_all_tasks_blocked(0.2)
        await page.session.send("Runtime.terminateExecution")

    for expression in (_FOREVER, "(async () => { while (true); })()"):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(end)
            with pytest.raises(EvaluationFailed, match="ended from outside") as caught:
                await page.evaluate(expression, timeout=10)
        assert caught.value.name == "Terminated"
    await check_alive(page)


@pytest.mark.alone
@pytest.mark.parametrize("expression", [_FOREVER, _NEVER, "1"])
async def test_cancelled(
    page: Page,
    expression: str,
    nothing_left: None,  # noqa: ARG001 - pytest-trio runs no fixture of usefixtures
) -> None:
    for delay in (0.0, 0.001, 0.002, 0.004, 0.008, 0.016, 0.2):
        started = time.monotonic()
        with trio.move_on_after(delay):
            await page.evaluate(expression, timeout=30)
        assert time.monotonic() - started < delay + _LATE
        await check_alive(page)


async def test_a_script_is_ended_when_the_whole_browser_block_is_cancelled(
    browser: Browser, browser_endpoint: str, pages: PageServer
) -> None:
    """What ends the script goes over the evaluations' connection, which is still open then."""
    page = await browser.new_page(pages.url("/"))
    with trio.move_on_after(1) as scope:
        async with hybridsnap.connect(browser_endpoint) as other:
            await (await other.page(page.target_id)).evaluate(_FOREVER, timeout=30)
    assert scope.cancelled_caught
    await check_alive(page)


async def test_an_alert_is_told_at_once_and_the_script_goes_on_when_it_is_answered(page: Page) -> None:
    with trio.fail_after(10), pytest.raises(CommandUnanswered, match="alert: hi there") as caught:
        await page.evaluate("window.answered = confirm('hi there')".replace("confirm", "alert"), timeout=20)
    assert caught.value.cause == "dialog"
    with trio.fail_after(10), pytest.raises(CommandUnanswered, match="alert: hi there"):
        await page.evaluate("1", timeout=20)
    with trio.fail_after(10), pytest.raises(CommandUnanswered, match="alert: hi there"):
        await page.evaluate("(e) => 1", element="#buy", timeout=20)
    await page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True})
    assert await page.evaluate("'answered' in window") is True
    await check_alive(page)


async def test_a_dialog_that_is_answered_does_not_end_the_script(page: Page) -> None:
    async def answer() -> None:
        with page.sessions[0].events("Page.javascriptDialogOpening") as events:
            async for _ in events:
                break
        await page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True, "promptText": "Ada"})

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        await trio.testing.wait_all_tasks_blocked()
        assert await page.evaluate("prompt('name?')") == "Ada"


async def test_an_armed_answer(page: Page) -> None:
    page.arm_dialog(accept=True, text="Ada")
    assert await page.evaluate("prompt('name?')") == "Ada"
    page.arm_dialog(accept=False)
    assert await page.evaluate("confirm('sure?')") is False


async def test_navigation_within(page: Page, pages: PageServer) -> None:
    other = pages.url("/frames", "localhost")
    assert await page.evaluate(f"location.href = '{pages.url('/frames')}'") == pages.url("/frames")
    for leave in (
        "location.reload()",
        f"location.href = '{pages.url('/')}'",
        f"location.href = '{other}'",
        "history.back()",
    ):
        with trio.fail_after(15), pytest.raises(CommandUnanswered, match="went elsewhere") as caught:
            await page.evaluate(f"new Promise(() => {{ {leave} }})")
        assert caught.value.cause == "navigated"
        assert await page.evaluate("1 + 1") == 2


async def test_a_frame_that_goes_takes_its_script_with_it(browser: Browser, pages: PageServer) -> None:
    for selector in ("#inner", "#other"):
        page = await browser.new_page(pages.url("/frames"))
        await page.evaluate(
            "void addEventListener('message',"
            " () => document.querySelectorAll('iframe').forEach((one) => one.remove()))"
        )
        script = (
            "() => { setTimeout(() => parent.postMessage('begun', '*'), 100); return new Promise(() => {}) }"
        )
        with trio.fail_after(15), pytest.raises((CommandUnanswered, TargetDetached)):
            await page.evaluate(script, element=f"iframe >> {selector}")
        await check_alive(page)


async def test_a_script_that_takes_a_frame_away_goes_on(page: Page, pages: PageServer) -> None:
    """Also one that stands in a frame, and one that has a frame go elsewhere."""
    later = "new Promise((resolve) => setTimeout(resolve, 150, 'done'))"
    taken = (
        "document.body.append(document.createElement('iframe')); document.querySelector('iframe').remove()"
    )
    left = "document.querySelector('iframe').src = '/'"
    for element in (None, "iframe >> #inner"):
        for change in (taken, f"document.body.append(document.createElement('iframe')); {left}"):
            await page.goto(pages.url("/frames"))
            script = f"() => {{ {change}; return {later} }}"
            assert await page.evaluate(script, element=element) == "done"


async def test_a_script_that_is_asked_for_before_the_crash_is_heard_of(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium reports a crash to each session separately; here `page.crashed` reads the one told last."""
    page = await browser.new_page()
    connection, own = page.session.connection, page.sessions[0]
    take_event = connection.take_event
    held: list[Any] = []

    def hold(head: Any) -> bool:
        if (head.method, head.session_id) == ("Inspector.targetCrashed", own.id):
            held.append(head)
            return True
        return take_event(head)

    monkeypatch.setattr(connection, "take_event", hold)
    page.session.post("Page.crash", {}, ignore_reply)
    await until(lambda: held)

    async def tell() -> None:
        await trio.testing.wait_all_tasks_blocked(0.2)
        take_event(held[0])

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tell)
        with trio.fail_after(20), pytest.raises(TargetCrashed):
            await page.evaluate("1", timeout=60)
    await page.close()


@pytest.mark.parametrize("expression", [_FOREVER, _NEVER])
async def test_crash_and_close_meanwhile(browser: Browser, pages: PageServer, expression: str) -> None:
    async def after(page: Page, method: str) -> None:
        await trio.testing.wait_all_tasks_blocked(0.2)
        session = page.session if method == "Page.crash" else browser.session
        session.post(method, {"targetId": page.target_id}, ignore_reply)

    error: type[HybridsnapError]
    for method, error in (("Page.crash", TargetCrashed), ("Target.closeTarget", TargetDetached)):
        page = await browser.new_page(pages.url("/"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(after, page, method)
            with trio.fail_after(15), pytest.raises(error):
                await page.evaluate(expression, timeout=9)
        with trio.fail_after(10), pytest.raises(error):
            await page.evaluate("1")


async def test_a_browser_that_dies(pages: PageServer) -> None:
    async with hybridsnap.launch() as browser:
        page = await browser.new_page(pages.url("/"))

        async def kill() -> None:
            await trio.testing.wait_all_tasks_blocked(0.2)
            assert browser.process is not None
            os.kill(browser.process.pid, signal.SIGKILL)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(kill)
            with trio.fail_after(15), pytest.raises((ConnectionLost, SessionEnded)):
                await page.evaluate(_FOREVER)
        await page.session.connection.wait_ended()
        with trio.fail_after(15), pytest.raises((ConnectionLost, SessionEnded)):
            await page.evaluate("1")


@pytest.mark.alone
async def test_a_tab_that_stays_wedged_is_attached_to_anew(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/"))
    before, its_id = page.session, page.session.id
    for _ in range(9):  # it has 150 ms, which is not enough on a machine that is busy
        error = await ends_late(page, ENDLESS, 1.0)
        if "cannot be attached" not in str(error):
            break
    assert "was attached to anew" in str(error)
    assert browser.metrics.reattached == 1
    assert page.session is before
    assert page.session.id != its_id
    assert len(page.session.connection._sessions) == 3  # the browser's, and two of the tab's


@pytest.mark.alone
async def test_a_page_that_is_busy_itself_is_left_alone(browser: Browser, pages: PageServer) -> None:
    """Its own script comes to its end; the script that was waiting for it runs after that."""
    page = await browser.new_page(pages.url("/"))
    await page.evaluate("1")
    endings = browser.metrics.terminations
    await page.evaluate(f"void setTimeout(() => {{ {busy_for(1500)}; window.whole = true }})")
    error = await ends_late(page, "window.late = true")
    assert str(error).startswith(
        "the script had not begun after 0.5 s: the page was busy with work of its own"
    )
    assert await page.evaluate("[whole, late]") == [True, True]
    assert browser.metrics.terminations == endings


async def test_what_is_asked_of_a_page_on_its_way_is_told_no_more_than_is_known(page: Page) -> None:
    """Neither that the page is busy, nor that the script will run: it goes with the document."""
    released = trio.Event()

    async def late(_: http.Request) -> http.Response:
        await released.wait()
        return http.Response(b"<title>Late</title><button>Go</button>")

    served: dict[str, Content] = {"/": "<button>Stay</button>", "/late": late}
    async with serve_pages(served) as pages:
        await page.goto(pages.url("/"))
        assert not (await page.goto(pages.url("/late"), timeout=0.5)).reached
        on_its_way = "the page is going to another document"
        for _ in range(2):
            with pytest.raises(EvaluationTimeout, match=f"had not begun after 0.* s: {on_its_way}"):
                await page.evaluate("window.hit = 1", timeout=0.4)
        with pytest.raises(CommandUnanswered, match=f"^click: {on_its_way}.*wait_for.*; nothing was done$"):
            await page.click("button", timeout=0.4)
        with pytest.raises(CommandUnanswered, match=f"^text: {on_its_way}"):
            await page.text("button", timeout=0.4)
        released.set()
        await page.wait_for(load_state="load", timeout=30)
        assert await page.evaluate("[document.title, 'hit' in window]") == ["Late", False]


# Ways


@pytest.mark.alone
@pytest.mark.parametrize("transport", ["websocket", pytest.param("pipe", marks=pytest.mark.soak), "cbor"])
async def test_ways(pages: PageServer, transport: Any) -> None:
    async with hybridsnap.launch(transport=transport, args=["--site-per-process"]) as browser:
        page = await browser.new_page(pages.url("/frames"))
        await page.snapshot(timeout=10)
        before = len(browser.connection._sessions)
        assert await page.evaluate("1 + 1") == 2
        assert await page.evaluate("(e) => e.id", element="iframe >> #other") == "other"
        kept = {used.session for used in browser.evaluations._kept.values()}
        assert await page.evaluate("1 + 1") == 2
        assert {used.session for used in browser.evaluations._kept.values()} == kept
        assert len(kept) == 2  # one for the page, one for the frame in another process
        await ends_late(page, _FOREVER)
        await ends_late(page, _NEVER)
        await check_alive(page)
        with trio.move_on_after(0.2):
            await page.evaluate(_FOREVER)
        await check_alive(page)
        # What was ended took its session along; the frame's is kept.
        assert len(browser.evaluations._kept) == 1
        assert len(browser.connection._sessions) == before + (transport != "websocket")
        metrics = browser.metrics
        assert metrics.ways == {"own connection" if transport == "websocket" else "second session": 6}
        assert metrics.fallbacks == ({} if transport == "websocket" else {"pipe": 6})


@pytest.mark.alone
async def test_over_one_pages_own_socket(browser: Browser, browser_endpoint: str, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/frames"))
    address = browser_endpoint.partition("://")[2].partition("/")[0]
    async with hybridsnap.connect(f"ws://{address}/devtools/page/{page.target_id}") as own:
        one = await own.page()
        assert await one.evaluate("1 + 1") == 2
        await ends_late(one, _FOREVER)
        assert own.metrics.ways == {"own connection": 2}
        assert await one.evaluate("(e) => [e.id, own]", element="iframe >> #other") == ["other", "other"]
        await ends_late(one, "(e) => { while (true); }", element="iframe >> #other")
        assert own.metrics.ways["own session"] == 2
        assert own.metrics.fallbacks == {"a page's own socket reaches no other target": 2}
        assert (await one.snapshot(timeout=5)).report.complete


@pytest.mark.alone
async def test_sessions_of_closed_tabs_are_forgotten(browser: Browser) -> None:
    """A browser that is open for a week has had many tabs."""
    for _ in range(5):
        page = await browser.new_page()
        assert await page.evaluate("1") == 1
        await page.close()
    assert len(browser.evaluations._kept) == 1


async def test_where_no_second_connection_is_let_in(browser_endpoint: str, pages: PageServer) -> None:
    """A tunnel that carries one connection, and refuses others."""
    address = browser_endpoint.partition("://")[2].partition("/")[0]
    path = browser_endpoint.partition("://")[2].partition("/")[2]
    connections = 0

    async def tunnel(stream: trio.SocketStream) -> None:
        nonlocal connections
        connections += 1
        if connections > 1:
            await stream.send_all(b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n")
            await stream.aclose()
            return
        host, port = address.split(":")
        there = await trio.open_tcp_stream(host, int(port))

        async def carry(source: trio.SocketStream, target: trio.SocketStream) -> None:
            with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                async for data in source:
                    await target.send_all(data)
            nursery.cancel_scope.cancel()

        async with stream, there, trio.open_nursery() as nursery:
            nursery.start_soon(carry, stream, there)
            nursery.start_soon(carry, there, stream)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(trio.serve_tcp, tunnel, 0)
        port = listeners[0].socket.getsockname()[1]
        async with hybridsnap.connect(f"ws://127.0.0.1:{port}/{path}") as narrow:
            page = await narrow.new_page(pages.url("/"))
            assert await page.evaluate("own") == 42
            await ends_late(page, _FOREVER)
            await check_alive(page)
            assert narrow.metrics.ways == {"second session": 2}
            assert narrow.metrics.fallbacks == {"no second connection": 2}
            assert connections == 2  # asked once
            await page.close()
        nursery.cancel_scope.cancel()


async def test_cancelled_at_every_command(pages: PageServer, step: int) -> None:
    """Over the pipe everything goes through one connection: whatever was sent last, nothing stays."""
    async with hybridsnap.launch() as browser:
        page = await browser.new_page(pages.url("/"))
        await page.snapshot(timeout=5)
        known = set(browser.connection._sessions)
        coming_and_going = ("Target.attachedToTarget", "Target.detachedFromTarget")
        with browser.session.events(*coming_and_going, buffer=10_000) as events:
            for expression, element in ((_FOREVER, None), ("(e) => { while (true); }", "#buy")):
                number = 1
                while await cancelled_at(browser, page, number, expression, element):
                    kept = {used.session.id for used in browser.evaluations._kept.values()}
                    assert set(browser.connection._sessions) == known | kept
                    await check_alive(page)
                    number += step
                assert number > 4

            def attached() -> int:
                came = [method for method, _ in events._events]
                return came.count(coming_and_going[0]) - came.count(coming_and_going[1])

            assert events._events
            await until(lambda: attached() == len(browser.evaluations._kept))


async def cancelled_at(
    browser: Browser, page: Page, number: int, expression: str, element: str | None
) -> bool:
    """Cancel an evaluation when its n-th message is sent; whether it came to that."""
    with trio.CancelScope() as scope:

        async def cancel(_: Transport) -> None:
            scope.cancel()

        with Injecting(browser.connection, number, cancel), contextlib.suppress(EvaluationTimeout):
            await page.evaluate(expression, element=element, timeout=0.2)
    return scope.cancelled_caught


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.soak)], ids=["every third", "every"])
async def test_a_page_that_is_busy_is_not_taken_for_one_that_went_on(page: Page, step: int) -> None:
    """Whatever a busy page leaves unanswered, time is out: no element is said to be gone."""
    busy = {"expression": busy_for(500)}
    late = 0
    for number in itertools.count(1, step):
        await check_alive(page)
        with injecting(page, number, "Runtime.evaluate", busy) as wire:
            try:
                await page.evaluate("e => e.id", element="#buy", timeout=0.25)
            except EvaluationTimeout:
                late += 1
        if wire.sent < number:
            break
    assert late > 2
