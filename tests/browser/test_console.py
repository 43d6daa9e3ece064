"""What a page logs and throws: recorded, filtered, followed, and bounded when it is too much."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
import trio

import hybridsnap
import hybridsnap.sync
from hybridsnap.client.console_record import ERRORS, MESSAGES
from tests.support.driver_stage import FLAGS
from tests.support.pages import PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page

_APP = """console.log("plain", 1, [1, "b"], {deep: {er: 1}});
console.warn("careful");
console.debug("detail");
console.assert(false, "not so");
function fail() { throw new TypeError("no such thing"); }
setTimeout(fail, 0);
Promise.reject(new Error("nobody waits"));
console.error(new RangeError("as an argument"));
setTimeout(() => { window.over = true }, 0);
"""
_PAGE = """<title>noisy</title><script src="/app.js"></script><img src="/missing.png">
<button onclick="console.error('clicked')">Click</button>
<iframe src="http://localhost:{PORT}/inner"></iframe>"""
_INNER = "<script>console.info('from the frame')</script>"


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages({"/": _PAGE, "/app.js": _APP, "/inner": _INNER, "/quiet": "<p>quiet"}) as served:
        yield served


async def visit(page: Page, pages: PageServer) -> None:
    """Open the noisy page, and wait until it has said and thrown everything."""
    await page.goto(pages.url("/"))
    await page.wait_for(function="window.over")


async def test_messages_with_level_text_arguments_place_and_time(page: Page, pages: PageServer) -> None:
    await page.console.start()
    await visit(page, pages)
    found = await page.console.messages()
    app = [one for one in found if one.url == pages.url("/app.js")]
    assert [(one.level, one.type, one.text) for one in app] == [
        ("info", "log", "plain 1 [1, b] {deep: Object}"),
        ("warning", "warning", "careful"),
        ("debug", "debug", "detail"),
        ("error", "assert", "not so"),
        ("error", "error", "RangeError: as an argument"),
    ]
    assert app[0].args == ("plain", "1", "[1, b]", "{deep: Object}")
    assert [(one.line, one.column) for one in app] == [(1, 9), (2, 9), (3, 9), (4, 9), (8, 9)]
    (missing,) = [one for one in found if one.type == "network"]
    assert missing.level == "error"
    assert missing.url == pages.url("/missing.png")
    (inner,) = [one for one in found if one.text == "from the frame"]
    assert inner.url == pages.url("/inner", "localhost")
    now = await page.evaluate("Date.now() / 1000")
    assert all(now - 60 < one.time <= now for one in found)
    assert found == sorted(found, key=lambda one: one.time)


async def test_errors_with_stack(page: Page, pages: PageServer) -> None:
    await visit(page, pages)
    rejected, thrown = sorted(await page.console.errors(), key=lambda one: one.message)
    assert thrown.message == "Uncaught TypeError: no such thing"
    assert thrown.stack.splitlines()[1].strip() == f"at fail ({pages.url('/app.js')}:5:25)"
    assert (thrown.url, thrown.line) == (pages.url("/app.js"), 5)
    assert rejected.message == "Uncaught (in promise) Error: nobody waits"
    assert rejected.stack.startswith("Error: nobody waits\n")


async def test_what_was_logged_before_recording_began_is_there_once(page: Page, pages: PageServer) -> None:
    await visit(page, pages)
    first = await page.console.messages()
    assert {"careful", "from the frame"} <= {one.text for one in first}
    await page.click("button")  # its receipt listens too
    then = await page.console.messages()
    assert then[:-1] == first
    assert then[-1].text == "clicked"
    page.console.stop()
    await page.evaluate("console.log('while stopped')")
    await page.console.start()
    assert [one.text for one in await page.console.messages()][len(then) :] == ["while stopped"]


async def test_filters(page: Page, pages: PageServer) -> None:
    await visit(page, pages)
    console = page.console
    assert {one.level for one in await console.messages(level="error")} == {"error"}
    assert {one.level for one in await console.messages(level=["debug", "warning"])} == {"debug", "warning"}
    assert [one.text for one in await console.messages(text="CAREFUL")] == ["careful"]
    of_app = await console.messages(url="**/app.js")
    assert {one.url for one in of_app} == {pages.url("/app.js")}
    assert await console.messages(url="**/app.js", limit=2) == of_app[-2:]
    assert len(await console.errors(text="no such")) == 1
    assert await console.errors(url="**/other.js") == []


async def test_clear(page: Page, pages: PageServer) -> None:
    await visit(page, pages)
    assert await page.console.messages()
    page.console.clear()
    assert await page.console.messages() == []
    assert await page.console.errors() == []
    await page.evaluate("console.log('new')")
    assert [one.text for one in await page.console.messages()] == ["new"]


_WRONG_FILTERS: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"level": "loud"}, ValueError),
    ({"level": 3}, TypeError),
    ({"text": 3}, TypeError),
    ({"url": ""}, ValueError),
    ({"limit": 0}, ValueError),
]


async def test_wrong_filters(page: Page, subtests: pytest.Subtests) -> None:
    for wrong, error in _WRONG_FILTERS:
        with subtests.test(str(wrong)), pytest.raises(error, match=next(iter(wrong))):
            await page.console.messages(**wrong)


async def test_the_last_are_kept_and_the_rest_is_counted(page: Page) -> None:
    await page.goto("data:text/html,")
    await page.console.start()
    await page.evaluate(
        f"for (let i = 0; i < {MESSAGES + 10}; i++) console.log(i);"
        f" for (let i = 0; i < {ERRORS + 5}; i++) Promise.reject(new Error(String(i))); 0"
    )
    messages = await page.console.messages()
    assert [one.text for one in messages] == [str(one) for one in range(10, MESSAGES + 10)]
    assert len(await page.console.errors()) == ERRORS
    assert page.console.dropped == 15


async def test_long_texts_are_cut_and_say_so(page: Page) -> None:
    await page.goto("data:text/html,")
    await page.console.start()
    await page.evaluate("console.log('x'.repeat(100000), 'y'.repeat(100000))")
    (long,) = await page.console.messages()
    assert len(long.text) < 5_000
    assert long.text.endswith("more characters)")
    assert sum(map(len, long.args)) < 5_000


async def test_messages_can_be_followed(page: Page, pages: PageServer) -> None:
    await visit(page, pages)
    with page.console.follow() as said:
        assert await page.console.messages()
        await page.evaluate("console.log('one'); console.warn('two'); setTimeout(() => { throw 3 }, 0)")
        seen = []
        async for one in said:
            seen.append(one)
            if isinstance(one, hybridsnap.PageError) and one.message == "Uncaught 3":
                break
    texts = [one.text for one in seen if isinstance(one, hybridsnap.ConsoleMessage)]
    assert texts[-2:] == ["one", "two"]


async def test_a_reader_that_falls_behind_is_told_how_many_it_lost(page: Page) -> None:
    await page.goto("data:text/html,")
    with page.console.follow(buffer=3) as said:
        await page.evaluate("for (let i = 0; i < 10; i++) console.log(i)")
        assert len(await page.console.messages()) == 10
        assert await anext(said) == hybridsnap.Dropped(7)
        assert [str(getattr(await anext(said), "text", "")) for _ in range(3)] == ["7", "8", "9"]
        await page.close()
        with pytest.raises(StopAsyncIteration):
            await anext(said)


async def test_a_browser_that_records_hears_the_first_message(
    browser_endpoint: str, pages: PageServer
) -> None:
    async with hybridsnap.connect(browser_endpoint, record=["console"]) as browser:
        page = await browser.new_page(pages.url("/"))
        assert page.console.recording
        # An object that was logged before would be told without what is in it.
        assert "plain 1 [1, b] {deep: Object}" in [one.text for one in await page.console.messages()]
        await page.close()


async def test_receipts_tell_errors_while_the_console_is_recorded(page: Page, pages: PageServer) -> None:
    await visit(page, pages)
    await page.console.messages()
    assert (await page.click("button")).console_errors == ("clicked",)
    page.console.stop()
    assert (await page.click("button")).console_errors == ("clicked",)


async def test_a_busy_page_answers_with_what_was_received(page: Page) -> None:
    await page.goto("data:text/html,")
    await page.evaluate("console.log('before')")
    assert len(await page.console.messages()) == 1
    page.session.post("Runtime.evaluate", {"expression": "for (;;);"}, lambda _: None)
    with trio.fail_after(20):
        assert [one.text for one in await page.console.messages(timeout=5)] == ["before"]
    await page.session.send("Runtime.terminateExecution")
    await page.close()


async def test_a_crashed_page_is_recorded_again_when_it_is_reloaded(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/quiet"))
    await page.console.start()
    page.session.post("Page.crash", {}, lambda _: None)
    await page.sessions[0].wait_ended()
    await page.reload()
    await page.evaluate("console.log('alive')")
    assert [one.text for one in await page.console.messages()] == ["alive"]


def test_without_await(browser_endpoint: str) -> None:
    with hybridsnap.sync.connect(browser_endpoint, record=["console"]) as browser:
        page = browser.new_page()
        page.evaluate("console.log('hello')")
        assert [one.text for one in page.console.messages()] == ["hello"]
        with page.console.follow() as said:
            page.evaluate("console.log('again')")
            assert getattr(next(said), "text", "") == "again"
        page.console.clear()
        assert page.console.notices == ()
        page.close()


@pytest.mark.parametrize(
    ("count", "most_bytes"),
    [(3_000, 4_000_000), pytest.param(1_000_000, 10_000_000, marks=pytest.mark.soak)],
)
async def test_a_flood_is_bounded_and_ebbs(
    count: int, most_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The consoles are switched off, captures come, the memory does not grow, the last messages return."""
    # Of a websocket Chromium drops what would make it hold more than 256 MB, replies included.
    transport: Any = "websocket" if count == 3_000 else None
    if count == 3_000:  # so many come within a second however slow the machine is
        monkeypatch.setattr("hybridsnap.client.console_feed.MOST_A_SECOND", 100)
    async with hybridsnap.launch(args=FLAGS, transport=transport, record=["console"]) as browser:
        page = await browser.new_page()
        await page.evaluate("document.body.append('here')")
        tracemalloc.start()
        try:
            flood = f"for (let i = 0; i < {count}; i++) console.log('message ' + i, {{i}})"
            # By a connection of its own the answer would come before the messages.
            await page.session.send("Runtime.evaluate", {"expression": flood})
            with trio.fail_after(65):
                snapshot = await page.snapshot(timeout=60)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert "here" in snapshot.combined_tree
        assert peak < most_bytes
        off, *_ = page.console.notices
        assert "switched off" in str(off)
        with trio.fail_after(60):
            while "switched on again" not in str(page.console.notices[-1]):  # noqa: ASYNC110
                await trio.sleep(0.05)
        await page.evaluate("console.log('after')")
        messages = await page.console.messages()
        assert len(messages) == MESSAGES
        assert messages[-1].text == "after"
        assert messages[-2].text.startswith(f"message {count - 1} ")
        # All of it is accounted for: what the browser told twice counts once.
        assert count - MESSAGES <= page.console.dropped <= count
        assert not any("switched off" in note for note in (await page.snapshot()).report.notes)


_NESTED = "console.warn('nested'); setTimeout(() => { throw new Error('in nested') })"
_WORKERS = {
    "/": """<script>
        new Worker("/short.js"), new Worker("/dedicated.js"), new SharedWorker("/shared.js");
        navigator.serviceWorker.register("/service.js");
        new AudioContext().audioWorklet.addModule("/worklet.js");
        window.said = [];
        new Worker("/asked.js").onmessage = (it) => said.push(it.data);
      </script><iframe src="http://localhost:{PORT}/inner"></iframe>""",
    "/inner": "<script>new Worker('/dedicated.js?inner')</script>",
    "/short.js": "console.log('short'); close()",
    "/dedicated.js": "console.log('dedicated', {a: 1}); new Worker('/nested.js');"
    " Promise.reject(new Error('rejected'))",
    "/nested.js": _NESTED,
    "/dedicated.js?inner": "console.log('inner')",
    "/shared.js": "console.log('shared'); setTimeout(() => { throw new Error('in shared') })",
    "/service.js": "console.error('service'); setTimeout(() => { throw new Error('in service') })",
    "/worklet.js": "console.log('worklet')",
    "/asked.js": "new Worker('/answer.js').onmessage = (it) => postMessage(it.data)",
    "/answer.js": "postMessage('answered')",
}
_SAID = {
    ("shared", "shared.js", "shared"),
    ("service", "service.js", "service"),
    ("dedicated", "nested.js", "nested"),
}
_THROWN = {
    ("dedicated", "dedicated.js", "Uncaught (in promise) Error: rejected"),
    ("dedicated", "nested.js", "Uncaught Error: in nested"),
    ("shared", "shared.js", "Uncaught Error: in shared"),
    ("service", "service.js", "Uncaught Error: in service"),
}


def _name(url: str) -> str:
    return url.rpartition("/")[2].partition("?")[0]


@pytest.mark.parametrize("beside", ["nothing", "network", "emulation", "routes", "too late"])
async def test_workers_are_heard_and_none_hangs(browser: hybridsnap.Browser, beside: str) -> None:
    """Chromium has workers wait where frames are prepared: for the network's record, for what is emulated."""
    # With a context they end, service workers included.
    async with serve_pages(_WORKERS) as pages, await browser.new_context() as context:
        page = await context.new_page()
        if beside == "network":
            await page.network.start()
        elif beside == "emulation":
            await page.emulation.set(locale="de-DE")
        elif beside == "routes":
            await page.network.route("**/nothing", hybridsnap.Abort())
        if beside != "too late":
            await page.console.start()
        await page.goto(pages.url("/"))
        await page.wait_for(function="said.length === 1")
        said: set[tuple[str, str, str]] = set()
        thrown: set[tuple[str, str, str]] = set()
        told: list[str] = []
        with trio.fail_after(20):
            heard = False
            while not heard:
                messages = await page.console.messages()
                said = {(one.worker, _name(one.worker_url), one.text) for one in messages}
                errors = await page.console.errors()
                thrown = {(one.worker, _name(one.worker_url), one.message) for one in errors}
                told = [one.text for one in messages]
                heard = said >= _SAID and thrown >= _THROWN
                heard = heard and {"short", "worklet"} <= set(told) and told.count("nested") > 1
                await trio.sleep(0.05)
        # Where they have not waited for us, they were faster, and only an object's class is known.
        waited = beside in {"network", "emulation", "routes"}
        assert ("dedicated", "dedicated.js", "dedicated {a: 1}") in said or not waited
        assert told.count("shared") == told.count("short") == told.count("service") == 1
        # In the page and in the frame, once each; nothing of it twice in other words.
        assert sorted(one.partition(" ")[0] for one in told if one.startswith(("nested", "dedicated"))) == [
            *["dedicated"] * 2,
            *["nested"] * 2,
        ]
        assert not {one for one in thrown if one[2] == "Uncaught null"}


async def test_a_page_that_was_attached_to_once_more_is_recorded_by_itself(page: Page) -> None:
    await page.console.start()
    await page.browser.session.send("Target.detachFromTarget", {"sessionId": page.session.id})
    again = await page.browser.page(page.target_id)
    assert again is not page
    await again.console.start()
    page.console.stop()
    await again.evaluate("console.log('here')")
    assert [one.text for one in await again.console.messages()] == ["here"]
    again.console.stop()


async def test_a_shared_worker_is_let_go_of_with_the_page() -> None:
    async with serve_pages(_WORKERS) as pages, hybridsnap.launch(args=FLAGS, record=["console"]) as browser:
        first, second = [await browser.new_page(pages.url("/")) for _ in range(2)]
        await first.evaluate("new SharedWorker('/shared.js')")
        for page in (first, second):
            assert any(one.worker == "shared" for one in await page.console.messages())
        second.console.stop()
        await first.close()

        attached = True
        with trio.fail_after(10):
            while attached:
                asked = {"filter": [{"type": "shared_worker"}]}
                told = await browser.session.send("Target.getTargets", asked)
                attached = any(one["attached"] for one in told["targetInfos"])
        # A page elsewhere has none of it.
        third = await browser.new_page(pages.url("/inner", "localhost"))
        assert not any(one.worker == "shared" for one in await third.console.messages())


async def test_a_flood_is_in_the_report_and_in_the_receipt(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, so many come within a second.
    monkeypatch.setattr("hybridsnap.client.console_feed.MOST_A_SECOND", 50)
    await page.goto("data:text/html,<button onclick='console.error(1)'>Go")
    await page.console.start()
    await page.session.send(
        "Runtime.evaluate", {"expression": "for (let i = 0; i < 3000; i++) console.log(i)"}
    )
    await page.console.messages()
    assert any("its console is switched off" in note for note in (await page.snapshot()).report.notes)
    assert any("not followed" in line for line in (await page.click("button")).console_errors)
    await page.close()
