"""Bad luck: whatever happens before or in the middle of a capture, it is back in time and says what it lacks.

A fault "at the n-th command" is put on the wire right behind the capture's n-th command, so that the browser
meets it between two commands of the same batch.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trio

import hybridsnap
from hybridsnap import (
    CaptureFailed,
    ConnectionLost,
    DeadlineExceeded,
    HybridsnapError,
    NavigationFailed,
    Snapshot,
    TargetDetached,
)
from hybridsnap.client.channel import ConnectionChannel
from hybridsnap.drivers.base import ignore_reply
from tests.support.faults import (
    _GRACE,
    Injecting,
    causes,
    check_clean,
    commands_of,
    evaluate,
    injecting,
    outcome,
    until,
    until_loaded_at,
    until_quiet,
)
from tests.support.http import Response, attachment
from tests.support.pages import ENDLESS, busy_for, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from hybridsnap import Browser, Page, Session
    from hybridsnap.client.connection import Connection
    from hybridsnap.client.transport import Transport
    from tests.support.pages import Content, PageServer


#: The frames of each test are of a site of its own: those of one site share a process, also with a tab of
#: another test that hung and is not gone yet.
_PAGES = {
    "/": """<!doctype html><title>Main</title><button>Go</button>
        <iframe id=same src=/inner></iframe>
        <iframe id=other src="http://s{PORT}.localhost:{PORT}/outer"></iframe>""",
    "/outer": "<!doctype html><title>Outer</title><p>outer</p><iframe src='http://127.0.0.1:{PORT}/inner'></iframe>",
    "/inner": "<!doctype html><title>Inner</title><p>inner</p>",
    "/next": "<!doctype html><title>Next</title><p>next</p>",
    "/hanging": "<!doctype html><button>Go</button><iframe src='http://s{PORT}.localhost:{PORT}/hang'></iframe>",
    "/looping": "<!doctype html><button>Go</button><iframe src='http://s{PORT}.localhost:{PORT}/loop'></iframe>",
    "/loop": f"<!doctype html><p>before<script>onload = () => setTimeout(() => {ENDLESS}, 0)</script>",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def open_page(page: Page, pages: PageServer, path: str = "/") -> Page:
    await page.goto(pages.url(path))
    frames = {"/": 4, "/next": 1}.get(path)
    if frames is not None:
        snapshot = await page.snapshot(timeout=30)
        assert snapshot.report.complete, snapshot.report
        assert len(snapshot.report.frames) == frames
    return page


async def test_the_check_for_dom_events_sees_them(page: Page, pages: PageServer) -> None:
    page = await open_page(page, pages, "/next")
    engine = page.sessions[0]
    known = set(page.session.connection._sessions)
    await engine.send("DOM.getDocument", {"depth": -1})
    with pytest.raises(AssertionError):
        await check_clean(page, known)
    await engine.send("DOM.disable")
    await check_clean(page, known)


# Cancelled at the n-th command, at the n-th reply


async def test_cancelled_at_every_command(page: Page, pages: PageServer, step: int) -> None:
    page = await open_page(page, pages)
    connection = page.session.connection
    known = set(connection._sessions)
    for number in range(1, await commands_of(page) + 1, step):
        with trio.CancelScope() as scope:

            async def cancel(_: Transport, scope: trio.CancelScope = scope) -> None:
                scope.cancel()

            with Injecting(connection, number, cancel):
                await page.snapshot(timeout=10)
        assert scope.cancelled_caught, number
        await check_clean(page, known)
    assert (await page.snapshot(timeout=10)).report.complete


async def test_cancelled_at_every_reply(
    page: Page, pages: PageServer, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    page = await open_page(page, pages)
    known = set(page.session.connection._sessions)
    put = ConnectionChannel.put
    replies = 0
    commands = await commands_of(page)
    for number in (*range(1, commands, step), commands):
        replies = 0
        with trio.CancelScope() as scope:

            def counted(
                channel: ConnectionChannel,
                ticket: int,
                reply: Any,
                number: int = number,
                scope: trio.CancelScope = scope,
            ) -> None:
                nonlocal replies
                put(channel, ticket, reply)
                replies += 1
                if replies == number:
                    scope.cancel()

            monkeypatch.setattr(ConnectionChannel, "put", counted)
            await page.snapshot(timeout=10)
        await check_clean(page, known)
    assert replies == number
    monkeypatch.undo()
    assert (await page.snapshot(timeout=10)).report.complete


async def test_cancelled_while_the_page_does_not_answer(page: Page, pages: PageServer) -> None:
    page = await open_page(page, pages)
    known = set(page.session.connection._sessions)
    await hold(page, 400)
    with trio.move_on_after(0.1) as scope:
        await page.snapshot(timeout=10)
    assert scope.cancelled_caught
    await check_clean(page, known)


async def hold(page: Page, milliseconds: int) -> None:
    """Keep the main frame's script busy for a while; returns at once."""
    page.session.post(
        "Runtime.evaluate",
        {"expression": busy_for(milliseconds)},
        ignore_reply,
    )
    await page.session.connection.flush()


# The renderer crashes, is killed


async def test_crashed_before(page: Page, pages: PageServer) -> None:
    page = await open_page(page, pages)
    page.session.post("Page.crash", {}, ignore_reply)
    await until(lambda: page.sessions[0].ended == "crashed")
    started = time.monotonic()
    with pytest.raises(CaptureFailed, match="crashed") as caught:
        await page.snapshot(timeout=10)
    assert time.monotonic() - started < _GRACE
    assert caught.value.report is not None
    assert caught.value.report.frames[0].cause == "crashed"
    assert not page.session.connection._waiting
    # Where it is loaded anew, it can be read again.
    await page.goto(pages.url("/next"), timeout=10)
    assert "next" in (await page.snapshot(timeout=10)).combined_tree


async def test_crashed_at_every_command(browser: Browser, pages: PageServer, page_step: int) -> None:
    found = set[str]()
    for number in itertools.count(1, page_step):
        page = await open_page(await browser.new_page(), pages)
        with injecting(page, number, "Page.crash", {}) as wire:
            came = await outcome(page, 10)
        if wire.sent < number:
            assert isinstance(came, Snapshot)
            break
        found |= causes(came)
        await until_quiet(page)
        await page.close()
    assert number > 10
    assert "crashed" in found
    assert found <= {"crashed", "unreachable", "detached"}


async def test_a_crashed_frame_in_another_process_is_only_itself_missing(
    page: Page, pages: PageServer
) -> None:
    page = await open_page(page, pages)
    frame = page.sessions[1]
    frame.post("Page.crash", {}, ignore_reply)
    await until(lambda: frame.ended is not None)
    snapshot = await page.snapshot(timeout=10)
    assert "button: Go" in snapshot.combined_tree
    by_url = {report.url.rpartition("/")[2]: report for report in snapshot.report.frames}
    assert by_url["outer"].cause == "crashed"
    assert "not captured: crashed (http://s" in snapshot.combined_tree
    assert not snapshot.report.complete


def _has_crashed(page: Page) -> Callable[[], bool]:
    return lambda: page.sessions[0].ended == "crashed"


def renderers(pid: int) -> list[int]:
    """The renderer processes below a browser that this test launched."""
    below: dict[int, list[int]] = {}
    commands: dict[int, bytes] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                commands[int(entry.name)] = (entry / "cmdline").read_bytes()
            except (OSError, IndexError):
                continue
            below.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    open_pids = [pid]
    while open_pids:
        for child in below.get(open_pids.pop(), ()):
            open_pids.append(child)
            if b"--type=renderer" in commands[child]:
                found.append(child)
    return found


async def test_killed_renderers(pages: PageServer) -> None:
    # Without a spare renderer: it would be killed, too, and the next tab be given it.
    flags = ["--site-per-process", "--disable-features=SpareRendererForSitePerProcess"]
    async with hybridsnap.launch(args=flags) as browser:
        assert browser.process is not None
        browser_pid = browser.process.pid

        async def kill(_: object = None) -> None:
            for pid in renderers(browser_pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

        for in_the_middle in (False, True):
            page = await open_page(await browser.new_page(), pages)
            assert renderers(browser_pid)
            if in_the_middle:
                await hold(page, 500)
                with Injecting(page.session.connection, 3, kill):
                    came = await outcome(page, 10)
            else:
                await kill()
                await until(_has_crashed(page))
                came = await outcome(page, 10)
            assert isinstance(came, CaptureFailed)
            assert not isinstance(came, DeadlineExceeded)
            assert came.report is not None
            assert came.report.frames[0].cause == "crashed"
            await until_quiet(page)
            # The browser goes on.
            assert (await (await browser.new_page(pages.url("/next"))).snapshot(timeout=10)).report.complete


async def test_going_somewhere_right_after_a_crash_brings_the_page_back(pages: PageServer) -> None:
    """The crash is heard of while the navigation is prepared, or after it has begun."""
    flags = ["--site-per-process", "--disable-features=SpareRendererForSitePerProcess"]
    async with hybridsnap.launch(args=flags) as browser:
        assert browser.process is not None
        page = await browser.new_page(pages.url("/next"))
        for _ in range(3):
            for pid in renderers(browser.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            assert (await page.goto(pages.url("/next"), timeout=10)).ended_by == "load"
            assert (await page.snapshot(timeout=10)).report.complete


async def test_what_brings_no_document_is_asked_for_once_after_a_crash(browser: Browser) -> None:
    documents: dict[str, Content] = {
        "/": "<p>words",
        "/file": attachment(b"x", "file.bin"),
        "/nothing": Response(status=204),
    }
    async with serve_pages(documents) as pages:
        for path in ("/file", *["/nothing"] * 5):
            page = await browser.new_page(pages.url("/"))
            page.session.post("Page.crash", {}, lambda _: None)
            await page.session.wait_ended()
            pages.requests.clear()
            with pytest.raises(NavigationFailed, match="brought no document"):
                await page.goto(pages.url(path), timeout=20)
            assert pages.requests.count(path) == 1


# Endless scripts


async def test_an_endless_loop_before(page: Page, pages: PageServer) -> None:
    page = await open_page(page, pages)
    known = set(page.session.connection._sessions)
    page.session.post("Runtime.evaluate", {"expression": "while (true);"}, ignore_reply)
    came = await outcome(page, 1)
    assert isinstance(came, DeadlineExceeded)
    assert came.report is not None
    assert came.report.frames[0].cause == "busy"
    # What is in another process has been read all the same, and the report knows.
    by_url = {frame.url.rpartition("/")[2]: frame.status for frame in came.report.frames}
    assert by_url["outer"] == "captured"
    await page.session.send("Runtime.terminateExecution")
    await check_clean(page, known)
    assert (await page.snapshot(timeout=10)).report.complete


@pytest.mark.parametrize("number", [1, pytest.param(3, marks=pytest.mark.soak), 5])
async def test_an_endless_loop_in_the_middle(page: Page, pages: PageServer, number: int) -> None:
    page = await open_page(page, pages)
    known = set(page.session.connection._sessions)
    with injecting(page, number, "Runtime.evaluate", {"expression": "while (true);"}):
        came = await outcome(page, 1)
    assert causes(came) <= {"busy"}
    if isinstance(came, HybridsnapError):
        assert isinstance(came, DeadlineExceeded)
    await page.session.send("Runtime.terminateExecution")
    await check_clean(page, known)
    assert (await page.snapshot(timeout=10)).report.complete


async def test_a_frame_in_an_endless_loop(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/looping"), wait="domcontentloaded", timeout=5)
    await until(lambda: len(page.sessions) == 2)
    loop = page.sessions[1]
    await until(lambda: "/loop" in pages.requests)
    with trio.move_on_after(5):
        while True:  # until it does not answer any more
            with trio.move_on_after(0.2) as scope:
                await evaluate(loop, "1")
            if scope.cancelled_caught:
                break
    snapshot = await page.snapshot(timeout=2)
    assert "button: Go" in snapshot.combined_tree
    main, frame = snapshot.report.frames
    assert main.status in {"captured", "partial"}  # its load event waits for the frame's
    assert (frame.status, frame.cause) == ("missing", "busy")
    assert "not captured: busy (http://s" in snapshot.combined_tree


async def test_a_frame_whose_server_never_answers(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/hanging"), wait="domcontentloaded", timeout=5)
    await until(lambda: "/hang" in pages.requests)
    started = time.monotonic()
    snapshot = await page.snapshot(timeout=3)
    assert time.monotonic() - started < 3 + _GRACE
    assert "button: Go" in snapshot.combined_tree
    frame = snapshot.report.frames[1]
    assert frame.cause == "loading", snapshot.report
    assert not snapshot.report.complete


# Dialogs


async def open_alert(page: Page, session: Session) -> None:
    session.post("Runtime.evaluate", {"expression": "setTimeout(() => alert('halt'), 0)"}, ignore_reply)
    await until(lambda: page.dialogs)


async def answer_dialog(page: Page) -> None:
    await page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True})
    await until(lambda: not page.dialogs)


async def test_an_alert_open_in_the_main_frame(page: Page, pages: PageServer) -> None:
    page = await open_page(page, pages)
    known = set(page.session.connection._sessions)
    await open_alert(page, page.session)
    assert page.dialogs[0].message == "halt"
    started = time.monotonic()
    came = await outcome(page, 30)
    assert time.monotonic() - started < 15, "a known dialog need not be waited for"
    assert isinstance(came, CaptureFailed)
    assert came.report is not None
    assert came.report.frames[0].cause == "dialog"
    await answer_dialog(page)
    await check_clean(page, known)
    assert (await page.snapshot(timeout=10)).report.complete


async def test_an_alert_opens_at_every_command(page: Page, pages: PageServer, step: int) -> None:
    page = await open_page(page, pages)
    known = set(page.session.connection._sessions)
    found = set[str]()
    for number in range(1, await commands_of(page) + 1, step):
        with injecting(page, number, "Runtime.evaluate", {"expression": "alert('halt')"}):
            came = await outcome(page, 5)
        found |= causes(came)
        await until(lambda: page.dialogs)
        await answer_dialog(page)
        await check_clean(page, known)
    assert "dialog" in found
    assert found <= {"dialog"}
    assert (await page.snapshot(timeout=10)).report.complete


async def test_an_alert_open_in_a_frame_of_another_process(page: Page, pages: PageServer) -> None:
    page = await open_page(page, pages)
    known = set(page.session.connection._sessions)
    frame = next(session for session in page.sessions if session.target_id != page.target_id)
    await open_alert(page, frame)
    started = time.monotonic()
    snapshot = await page.snapshot(timeout=30)
    assert time.monotonic() - started < 15
    assert "button: Go" in snapshot.combined_tree
    by_url = {report.url.rpartition("/")[2]: report for report in snapshot.report.frames}
    assert by_url[""].status == "captured"
    assert by_url["outer"].cause == "dialog"
    assert "not captured: dialog (http://s" in snapshot.combined_tree
    await answer_dialog(page)
    await check_clean(page, known)
    assert (await page.snapshot(timeout=10)).report.complete


# Frames and pages that go


async def test_a_frame_removed_before(page: Page, pages: PageServer) -> None:
    page = await open_page(page, pages)
    await evaluate(page.session, "other.remove()")
    snapshot = await page.snapshot(timeout=5)
    assert snapshot.report.complete
    assert [frame.ordinal for frame in snapshot.report.frames] == [0, 1]
    assert len(page.sessions) == 1, "sessions of frames that are gone are forgotten"


async def test_frames_removed_at_every_command(page: Page, pages: PageServer, page_step: int) -> None:
    found = set[str]()
    for number in itertools.count(1, page_step):
        page = await open_page(page, pages)
        known = set(page.session.connection._sessions)
        remove = {"expression": "other.remove(); same.remove()"}
        with injecting(page, number, "Runtime.evaluate", remove) as wire:
            came = await outcome(page, 5)
        assert isinstance(came, Snapshot)
        assert "button: Go" in came.combined_tree
        found |= causes(came)
        if wire.sent >= number:
            await check_clean(page, known)
            after = await page.snapshot(timeout=5)
            assert after.report.complete
            assert len(after.report.frames) == 1
        if wire.sent < number:
            break
    assert number > 10
    assert found <= {"detached", "unreachable"}


async def test_a_page_that_navigates_at_every_command(page: Page, pages: PageServer, page_step: int) -> None:
    found = set[str]()
    for number in itertools.count(1, page_step):
        page = await open_page(page, pages)
        with injecting(page, number, "Page.navigate", {"url": pages.url("/next", "localhost")}) as wire:
            came = await outcome(page, 5)
        found |= causes(came)
        if wire.sent < number:
            assert isinstance(came, Snapshot)
            break
        if isinstance(came, Snapshot) and came.report.consistent and came.report.complete:
            # Whole means: of one of the two, never a mixture.
            whole = "button: Go" in came.combined_tree
            assert whole != ("next" in came.combined_tree)
        await until_loaded_at(page, "/next")
        known = set(page.session.connection._sessions)
        await check_clean(page, known)
        after = await page.snapshot(timeout=5)
        assert after.report.complete, after.report
        assert "next" in after.combined_tree
    assert number > 10
    assert found <= {"navigated", "loading", "detached", "unreachable", ""}


async def until_closed(connection: Connection) -> None:
    """Wait until nothing is left of the only page."""
    await until(lambda: set(connection._sessions) == {connection.root.id} and not connection._waiting)


async def test_a_closed_page_is_said_to_be_closed(page: Page, pages: PageServer) -> None:
    page = await open_page(page, pages)
    await page.close()
    with pytest.raises(TargetDetached):
        await page.snapshot(timeout=5)
    assert not page.session.connection._waiting


async def test_a_page_closed_at_every_command(browser: Browser, pages: PageServer, page_step: int) -> None:
    found = set[str]()
    for number in itertools.count(1, page_step):
        page = await open_page(await browser.new_page(), pages)
        connection = page.session.connection
        close = {"targetId": page.target_id}
        with injecting(page, number, "Target.closeTarget", close, session=browser.session) as wire:
            came = await outcome(page, 5)
        if wire.sent < number:
            assert isinstance(came, Snapshot)
            break
        found |= causes(came)
        await until_closed(connection)
    assert number > 10
    assert found <= {"TargetDetached", "detached", "unreachable"}


# The browser goes


@pytest.mark.parametrize(
    ("transport", "number"),
    [
        ("websocket", 0),
        ("websocket", 4),
        ("cbor", 1),
        ("cbor", 9),
        pytest.param("websocket", 1, marks=pytest.mark.soak),
        pytest.param("websocket", 9, marks=pytest.mark.soak),
        pytest.param("cbor", 0, marks=pytest.mark.soak),
        pytest.param("cbor", 4, marks=pytest.mark.soak),
    ],
)
async def test_a_browser_that_dies(pages: PageServer, transport: Any, number: int) -> None:
    async with hybridsnap.launch(transport=transport, args=["--site-per-process"]) as browser:
        assert browser.process is not None
        pid = browser.process.pid
        page = await open_page(await browser.new_page(), pages)

        async def kill(_: object = None) -> None:
            os.kill(pid, signal.SIGKILL)

        if number:
            await hold(page, 500)
            with Injecting(page.session.connection, number, kill):
                came = await outcome(page, 10)
        else:
            await kill()
            await page.session.connection.wait_ended()
            came = await outcome(page, 10)
        assert isinstance(came, ConnectionLost), came
        assert not page.session.connection._waiting
        with pytest.raises(ConnectionLost):
            await page.session.send("Page.getFrameTree")
