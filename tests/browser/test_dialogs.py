"""Dialogs: answered now, or by an answer that was armed; and what they must never block."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest
import trio

import hybridsnap
from hybridsnap import NavigationFailed, NoDialog, Session
from hybridsnap.client.navigating import NavigationWaiter
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply, run
from hybridsnap.errors import CommandUnanswered
from hybridsnap.protocol.commands import tell
from hybridsnap.protocol.plan import gather
from tests.support.headless_shell import not_in_headless_shell
from tests.support.http import Response
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from hybridsnap import Browser, Navigation, Page
    from tests.support.http import Request
    from tests.support.pages import Content, PageServer

_PAGES: dict[str, Content] = {
    "/": """<!doctype html><title>Main</title><p id=said></p>
        <button id=confirm onclick="said.textContent = confirm('Sure?')">Confirm</button>
        <button id=prompt onclick="said.textContent = JSON.stringify(prompt('Name?', 'Ann'))">Prompt</button>
        <button id=three onclick="said.textContent = [confirm(1), confirm(2), confirm(3)]">Three</button>""",
    "/two": "<!doctype html><title>Two</title><p>two",
    "/frames": """<!doctype html><p>outer
        <iframe id=a src='http://localhost:{PORT}/inner'></iframe>
        <iframe id=b src='http://[::1]:{PORT}/inner'></iframe>
        <iframe id=c src='/inner'></iframe>""",
    "/inner": "<!doctype html><p id=said>inner",
    "/form": """<!doctype html><button id=confirm onclick="this.title = 'pressed'">Confirm</button>
        <input id=name><input id=tick type=checkbox><iframe src='http://localhost:{PORT}/inner'></iframe>""",
    "/asks": """<!doctype html><title>Asks</title><p>form
        <script>onbeforeunload = (event) => { event.preventDefault(); }</script>""",
    "/print": "<!doctype html><button id=print onclick='print()'>Print</button>",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def until(page: Page, reached: Callable[[], bool]) -> None:
    assert await page._context.attachment.wait_until(reached, Deadline.after(30))


async def value(session: Session, expression: str) -> Any:
    result = await session.send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
    return result["result"].get("value")


async def begin(page: Page, expression: str, session: Session | None = None) -> None:
    """Run a script that opens a dialog, and wait until it is open."""
    seen = page._context.attachment.dialog_tracker.count
    where = session or page.sessions[0]
    where.post("Runtime.evaluate", {"expression": expression, "userGesture": True}, ignore_reply)
    await until(page, lambda: page._context.attachment.dialog_tracker.count > seen)


async def touch(page: Page, x: float = 5, y: float = 5) -> None:
    """Click for real: before that no page may ask whether to leave it."""
    for kind in ("mousePressed", "mouseReleased"):
        await page.sessions[0].send(
            "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        )


def frame_sessions(page: Page) -> list[Session]:
    found = [session for session in page.sessions if session.target_id != page.target_id]
    assert len(found) == 2
    return found


async def test_a_crash_ends_the_dialog_that_is_open(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url())
    await begin(page, "alert('open')")
    page.session.post("Page.crash", {}, ignore_reply)
    await until(page, lambda: page._context.attachment.crashes > 0)
    assert page.dialogs == ()
    assert (await page.goto(pages.url("/two"), timeout=10)).reached
    await page.close()


# Answering now


@pytest.mark.parametrize("accept", [True, False])
async def test_a_confirmation_is_answered(page: Page, pages: PageServer, accept: bool) -> None:
    await page.goto(pages.url())
    receipt = await page.click("#confirm", timeout=10)
    assert receipt.dialog is not None
    assert (receipt.dialog.type, receipt.dialog.message) == ("confirm", "Sure?")
    assert list(page.dialogs) == [receipt.dialog]
    answered = await page.answer_dialog(accept)
    assert answered == receipt.dialog
    assert list(page.dialogs) == []
    assert await value(page.session, "said.textContent") == str(accept).lower()
    (seen,) = page.dialogs_seen
    assert (seen.accepted, seen.armed) == (accept, False)


@pytest.mark.parametrize(
    ("accept", "text", "returned"),
    [(True, "Bob", '"Bob"'), (True, "", '""'), (True, None, '"Ann"'), (False, None, "null")],
)
async def test_a_prompt_is_answered(
    page: Page, pages: PageServer, accept: bool, text: str | None, returned: str
) -> None:
    await page.goto(pages.url())
    await page.click("#prompt", timeout=10)
    assert page.dialogs[0].default == "Ann"
    await page.answer_dialog(accept, text)
    assert await value(page.session, "said.textContent") == returned


@pytest.mark.parametrize("accept", [True, False])
async def test_what_an_answer_starts_is_waited_for(page: Page, accept: bool) -> None:
    async def slow(_: Request) -> Response:
        await trio.sleep(0.3)
        return Response(b"", "text/plain")

    html = """<!doctype html><ul><li id=one>One <button
        onclick="if (confirm('Sure?')) fetch('slow').then(() => one.remove())">Delete</button><li>Two</ul>"""
    async with serve_pages({"/": html, "/slow": slow}) as pages:
        await page.goto(pages.url("/"))
        await page.click("role=button")
        await page.answer_dialog(accept)
        assert await page.evaluate("document.querySelectorAll('li').length") == (1 if accept else 2)


async def test_an_answer_waits_for_the_page_that_it_leads_to(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/"))
    await page.evaluate(
        "document.querySelector('#confirm').onclick = () => { if (confirm()) location = '/two' }; 0"
    )
    await page.click("#confirm")
    await page.answer_dialog()
    assert await page.evaluate("document.title") == "Two"


async def test_dialogs_one_after_the_other(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url())
    await begin(page, "three.click()")
    for number in (1, 2, 3):
        await until(page, lambda: bool(page.dialogs))
        assert page.dialogs[0].message == str(number)
        await page.answer_dialog(number != 2)
    assert await value(page.session, "said.textContent") == "true,false,true"


@pytest.mark.parametrize("where", [0, 1])
async def test_the_next_dialog_can_be_answered_at_once(page: Page, pages: PageServer, where: int) -> None:
    await page.goto(pages.url("/frames"))
    session = page.sessions[where]
    script = "said = [confirm(1), prompt(2), confirm(3)].join()"
    if where:
        assert session in frame_sessions(page)
    await begin(page, script, session)
    given = [await page.answer_dialog(number != 3) for number in (1, 2, 3)]
    assert [dialog.message for dialog in given] == ["1", "2", "3"]
    assert not page.dialogs
    assert await value(session, "said") == "true,,false"
    with pytest.raises(NoDialog, match="no dialog is open"):
        await page.answer_dialog()


async def test_a_page_that_does_not_go_on_is_not_waited_for(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url())
    await begin(page, "alert(1); for (;;) {}")
    with trio.fail_after(30):
        assert (await page.answer_dialog(timeout=60)).message == "1"
    await page.close()
    page = await browser.new_page(pages.url("/two"))
    await begin(page, "alert(1); close()")
    with trio.fail_after(30):
        await page.answer_dialog(timeout=60)


async def test_a_dialog_of_each_kind_of_frame(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/frames"))
    ways: list[tuple[Session, str, str]] = [
        *((one, "said.textContent = prompt('in')", "said.textContent") for one in frame_sessions(page)),
        (
            page.sessions[0],
            "frames[2].said.textContent = frames[2].prompt('in')",
            "frames[2].said.textContent",
        ),
    ]
    for session, script, result in ways:
        await begin(page, script, session)
        assert page.dialogs[0].url.endswith("/inner")
        await page.answer_dialog(text="from outside")
        assert await value(session, result) == "from outside"


async def test_another_client_has_answered_it(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/frames"))
    await begin(page, "said = confirm('Sure?')")
    await page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": False})
    await until(page, lambda: not page.dialogs)
    with pytest.raises(NoDialog, match=r"the last \(confirm\) was dismissed \d+ s ago"):
        await page.answer_dialog()


async def test_who_answers_twice_is_told_of_the_first_answer(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/"))
    await page.evaluate("setTimeout(() => alert('once'))")
    await until(page, lambda: bool(page.dialogs))
    await page.answer_dialog()
    with pytest.raises(NoDialog, match=r"the last \(alert\) was accepted \d+ s ago by an answer given here"):
        await page.answer_dialog()


async def test_there_is_nothing_to_answer(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/print"))
    with pytest.raises(NoDialog, match="no dialog is open"):
        await page.answer_dialog()
    with pytest.raises(ValueError, match="takes no text"):
        await page.answer_dialog(accept=False, text="x")
    with pytest.raises(TypeError, match="text: expected a str"):
        await page.answer_dialog(text=3)  # type: ignore[arg-type]  # the point
    await page.click("#print", timeout=10)  # opens nothing that could be answered
    assert list(page.dialogs) == []
    await begin(page, "alert('words')")
    with pytest.raises(ValueError, match='text is for a prompt, and the alert "words" is open'):
        await page.answer_dialog(text="x")
    await page.answer_dialog()


# Armed answers


async def test_an_armed_answer_is_given_at_once(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url())
    mark = page._context.attachment.dialog_tracker.count
    page.arm_dialog(accept=False)
    receipt = await page.click("#confirm", timeout=10)
    assert receipt.dialog is None
    assert list(page.dialogs) == []
    assert await value(page.session, "said.textContent") == "false"
    (seen,) = page._context.attachment.dialog_tracker.since(mark)
    assert (seen.dialog.message, seen.accepted, seen.armed) == ("Sure?", False, True)
    assert str(seen) == "dialog (confirm): 'Sure?', dismissed"
    # It was for one dialog only.
    assert (await page.click("#confirm", timeout=10)).dialog is not None
    await page.answer_dialog()


@pytest.mark.parametrize(("text", "returned"), [("Eve", '"Eve"'), (None, '"Ann"')])
async def test_a_prompt_takes_an_armed_text(
    page: Page, pages: PageServer, text: str | None, returned: str
) -> None:
    await page.goto(pages.url())
    armed = page.arm_dialog(text=text)
    await page.click("#prompt", timeout=10)
    assert await value(page.session, "said.textContent") == returned
    assert [seen.text for seen in armed.given] == [returned.strip('"')]


async def test_a_policy_for_all_dialogs_of_a_block(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url())
    with page.arm_dialog(times=None) as armed:
        assert await value(page.session, "[confirm('a'), prompt('b', 'c')].join()") == "true,c"
        # What is armed later goes first, and is used up first.
        page.arm_dialog(accept=False, times=2)
        await value(page.session, "three.click()")
    assert await value(page.session, "said.textContent") == "false,false,true"
    assert [seen.dialog.message for seen in armed.given] == ["a", "b", "3"]
    await begin(page, "confirm('not any more')")
    assert len(page.dialogs) == 1
    await page.answer_dialog()


async def test_an_answer_for_one_type_of_dialog(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url())
    armed = page.arm_dialog(only="prompt", text="for you")
    await begin(page, "said.textContent = confirm('x') + prompt('y')")
    assert [dialog.type for dialog in page.dialogs] == ["confirm"]
    await page.answer_dialog(accept=False)
    assert await value(page.session, "said.textContent") == "falsefor you"
    assert armed.left == 0
    armed.disarm()  # once more does no harm


async def test_an_armed_answer_of_a_frame_in_another_process(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/frames"))
    with page.arm_dialog(times=None):
        for session in frame_sessions(page):
            assert await value(session, "confirm('in')") is True


async def test_what_cannot_be_armed(page: Page) -> None:
    with pytest.raises(ValueError, match="takes no text"):
        page.arm_dialog(accept=False, text="x")
    with pytest.raises(ValueError, match="times: expected a whole number from 1 on"):
        page.arm_dialog(times=0)
    with pytest.raises(ValueError, match="only is one of alert, confirm"):
        page.arm_dialog(only="question")  # type: ignore[arg-type]  # the point
    with pytest.raises(ValueError, match="has no field"):
        page.arm_dialog(only="alert", text="x")


# What a dialog does not block


async def test_evaluation_captures_and_the_front_are_not_blocked(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/frames"))
    await begin(page, "alert('in the frame')", frame_sessions(page)[0])
    with trio.fail_after(10):
        snapshot = await page.snapshot(timeout=8)
        assert "outer" in snapshot.combined_tree
        assert await page.evaluate("1 + 1") == 2
        await page.bring_to_front()
    await page.answer_dialog()
    await begin(page, "alert('in the page')")
    with trio.fail_after(10), pytest.raises(hybridsnap.CommandUnanswered, match="dialog"):
        await page.evaluate("1 + 1")
    await page.answer_dialog()


_ACTIONS: dict[str, Callable[[Page], Awaitable[Any]]] = {
    "click": lambda page: page.click("#confirm", timeout=10),
    "hover": lambda page: page.hover("#confirm", timeout=10),
    "tap": lambda page: page.tap("#confirm", timeout=10),
    "click_at": lambda page: page.click_at(5, 5, timeout=10),
    "press": lambda page: page.press("Tab", timeout=10),
    "fill": lambda page: page.fill("#name", "Ann", timeout=10),
    "check": lambda page: page.check("#tick", timeout=10),
}


async def test_input_behind_the_dialog_of_another_process_is_refused_at_once(
    page: Page, pages: PageServer
) -> None:
    await page.goto(pages.url("/form"))
    await page.settled(Deadline.after(20))
    await begin(page, "alert('from the frame')", page.sessions[1])
    move = tell(page.sessions[0].id, "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 5, "y": 5})
    with trio.fail_after(5), pytest.raises(CommandUnanswered) as caught:
        await run(gather(move), page._context.driver, Deadline.after(20))
    assert caught.value.cause == "dialog"
    await page.answer_dialog()


@pytest.mark.parametrize("where", [0, 1])
async def test_an_action_says_that_a_dialog_is_open(page: Page, pages: PageServer, where: int) -> None:
    """Also that of a frame in another process: the browser drops all input to the tab meanwhile."""
    await page.goto(pages.url("/form"))
    await begin(page, "alert('wait')", page.sessions[where])
    for name, act in _ACTIONS.items():
        with pytest.raises(hybridsnap.CommandUnanswered, match=f"{name}: .*a dialog is open") as caught:
            await act(page)
        assert (caught.value.cause, caught.value.nothing_done) == ("dialog", True)
        assert str(caught.value) == (
            f"{name}: a dialog is open on the page (alert: wait); answer it (answer_dialog), or arm an answer"
            " before (arm_dialog); nothing was done"
        )
    await page.answer_dialog()
    assert (await page.fill("#name", "Bob", timeout=10)).dialog is None
    assert (
        await page.evaluate(
            "() => [document.all.confirm.title, document.all.name.value, tick.checked].join()"
        )
        == ",Bob,false"
    )


async def test_what_takes_a_page_does_not_wait_for_a_dialog(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url(), timeout=10)
    await begin(page, "confirm(1)")
    asked: list[Callable[[], Awaitable[object]]] = [
        functools.partial(page.screenshot, full_page=True),
        functools.partial(page.set_viewport, 500, 400),
        functools.partial(page.emulation.set, time_zone="Asia/Tokyo"),
        page.trace.start,
        page.pdf,
        page.mhtml,
        page.storage.origins,
        page.storage.items,
        page.storage.databases,
    ]

    async def is_refused(ask: Callable[[], Awaitable[object]]) -> None:
        with trio.fail_after(10), pytest.raises(hybridsnap.CommandUnanswered, match="dialog") as raised:
            await ask()
        assert raised.value.cause == "dialog"

    async with trio.open_nursery() as nursery:  # each waits a moment for an answer
        for ask in asked:
            nursery.start_soon(is_refused, ask)
    await is_refused(functools.partial(page.emulation.reset, "time_zone"))
    with page.arm_dialog(times=None):
        await page.answer_dialog()
        await page.session.send("Runtime.evaluate", {"expression": "setInterval(() => confirm(2), 20)"})
        await page.set_viewport(600, 500, timeout=20)
        assert (await page.pdf(timeout=20)).startswith(b"%PDF")
        assert await page.storage.items(timeout=20) == {}


@pytest.mark.alone
@pytest.mark.parametrize("where", ["main", "frame", "frame, with another client", "two frames"])
async def test_a_tab_is_closed_over_its_dialogs(browser: Browser, pages: PageServer, where: str) -> None:
    page = await browser.new_page(pages.url("/frames"))
    sessions = {
        "main": page.sessions[:1],
        "frame": frame_sessions(page)[:1],
        "frame, with another client": frame_sessions(page)[:1],
        "two frames": frame_sessions(page),
    }
    if "another" in where:
        await page.session.send("Page.enable")
    for session in sessions[where]:
        await begin(page, "alert('stay')", session)
    with trio.fail_after(4):
        await page.close()
    assert page.target_id not in await browser.page_ids()
    assert (await browser.new_page(pages.url("/two"))).url == pages.url("/two")


async def test_a_tab_is_closed_over_a_dialog_that_has_just_come(browser: Browser, pages: PageServer) -> None:
    """The page has not heard of it yet."""
    for _ in range(4):
        page = await browser.new_page(pages.url("/frames"))
        await page.session.send("Page.enable")
        with page.session.events("Page.javascriptDialogOpening") as opening:
            script = {"expression": "setTimeout(() => alert('stay'))"}
            await frame_sessions(page)[0].send("Runtime.evaluate", script)
            await anext(aiter(opening))
        await page.close()
    assert (await browser.new_page(pages.url("/two"))).url == pages.url("/two")


@not_in_headless_shell("opens the second dialog when the first is answered")
async def test_of_two_frames_dialogs_the_older_is_closed_and_the_newer_is_lost(
    page: Page, pages: PageServer
) -> None:
    await page.goto(pages.url("/frames"))
    for number, session in enumerate(frame_sessions(page)):
        await begin(page, f"alert({number})", session)
    await until(page, lambda: len(page.dialogs) == 1)
    assert page.dialogs[0].message == "1"
    with pytest.raises(NoDialog, match='the alert "1" cannot be answered'):
        await page.answer_dialog()
    assert (await page.goto(pages.url("/two"), timeout=10)).reached
    assert list(page.dialogs) == []


async def test_a_frame_that_goes_takes_its_dialog_along(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/frames"))
    await begin(page, "alert('halt')", frame_sessions(page)[0])
    frame = page.dialogs[0].frame
    await value(page.session, "for (const one of document.querySelectorAll('iframe')) one.remove()")
    await until(page, lambda: all(frame not in one.frames for one in page._context.attachment))
    await until(page, lambda: not page.dialogs)
    assert (await page.snapshot(timeout=10)).report.complete
    # Chromium 156 comes down with the next navigation or dialog of such a tab.
    with pytest.raises(NavigationFailed, match="close it"):
        await page.goto(pages.url("/two"))
    with pytest.raises(NoDialog, match="close it"):
        await page.answer_dialog()
    await page.close()
    assert (await browser.new_page(pages.url("/two"))).url == pages.url("/two")


# Going elsewhere


@pytest.mark.parametrize("session_number", [0, 1])
async def test_going_elsewhere_closes_a_dialog(page: Page, pages: PageServer, session_number: int) -> None:
    await page.goto(pages.url("/frames"))
    await begin(page, "confirm('stay')", page.sessions[session_number])
    went = await page.goto(pages.url("/two"), timeout=10)
    assert (went.reached, page.dialogs) == (True, ())
    assert [seen.accepted for seen in page.dialogs_seen] == [False]


async def test_going_elsewhere_dismisses_a_dialog_where_the_browser_does_not(
    page: Page, pages: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`chromium-headless-shell` leaves it open. Where it is closed already, dismissing it does no harm."""
    posted: list[str] = []
    post = Session.post

    def noting(session: Session, method: str, *rest: Any, **more: Any) -> int:
        posted.append(method)
        return post(session, method, *rest, **more)

    async def closes_none(_: NavigationWaiter) -> bool:
        return False

    await page.goto(pages.url("/frames"))
    await begin(page, "confirm('stay')", page.session)
    monkeypatch.setattr(NavigationWaiter, "_closes_dialogs", closes_none)
    monkeypatch.setattr(Session, "post", noting)
    went = await page.goto(pages.url("/two"), timeout=10)
    assert (went.reached, page.dialogs) == (True, ())
    at = posted.index("Page.navigate")
    assert posted[at + 1] == "Page.handleJavaScriptDialog"
    assert [seen.accepted for seen in page.dialogs_seen] == [False]


async def test_no_page_asks_before_it_was_touched(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/asks"))
    assert (await page.goto(pages.url("/two"), timeout=10)).reached


async def test_a_page_asks_before_it_is_left(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/asks"))
    await touch(page)
    with trio.fail_after(20):
        went = await page.goto(pages.url("/two"), timeout=30)
    assert (went.reached, went.ended_by) == (False, "dialog")
    assert page.dialogs[0].type == "beforeunload"
    await page.answer_dialog(accept=False)
    assert page.url == pages.url("/asks")
    with trio.fail_after(20):
        assert (await page.goto(pages.url("/two"), timeout=30)).ended_by == "dialog"
    await page.answer_dialog()
    assert page.url == pages.url("/two")


async def answer_late(_: Request) -> Response:
    await trio.sleep(1)
    return Response(b"<!doctype html><title>Late</title><p>late")


@pytest.mark.parametrize("way", ["command", "page"])
async def test_the_page_that_an_answer_lets_go_is_waited_for(page: Page, way: str) -> None:
    async with serve_pages({**_PAGES, "/late": answer_late}) as server:
        await page.goto(server.url("/asks"))
        await touch(page)
        if way == "command":
            assert (await page.goto(server.url("/late"))).ended_by == "dialog"
        else:
            await begin(page, "location = '/late'")
        await page.answer_dialog()
        snapshot = await page.snapshot()
        assert (snapshot.report.title, snapshot.report.complete) == ("Late", True)


async def test_an_answer_without_content_that_a_page_is_left_for_holds_nothing_up(
    page: Page, pages: PageServer
) -> None:
    await page.goto(pages.url("/asks"))
    await touch(page)
    await begin(page, "location = '/moment'")
    with trio.fail_after(10):
        await page.answer_dialog(timeout=30)
    assert (await page.snapshot()).report.title == "Asks"


@pytest.mark.parametrize("accept", [True, False])
async def test_leaving_with_an_armed_answer(page: Page, pages: PageServer, accept: bool) -> None:
    await page.goto(pages.url("/two"))
    await page.goto(pages.url("/asks"))
    journeys: list[Callable[[], Awaitable[Navigation]]] = [
        lambda: page.goto(pages.url("/two"), timeout=30),
        lambda: page.reload(timeout=30),
        lambda: page.go_back(timeout=30),
    ]
    for journey in journeys:
        await touch(page)
        with page.arm_dialog(accept, only="beforeunload") as armed:
            with trio.fail_after(20):
                went = await journey()
            assert len(armed.given) == 1
        if accept:
            assert (went.reached, went.ended_by) == (True, "load")
            await page.goto(pages.url("/asks"))
        else:
            assert (went.reached, went.ended_by, went.url) == (False, "dialog", pages.url("/asks"))


@pytest.mark.alone
async def test_a_tab_that_would_ask_is_closed(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page(pages.url("/asks"))
    await touch(page)
    with trio.fail_after(4), page.arm_dialog(accept=False) as armed:
        await page.close()
    assert armed.given == []
    assert page.target_id not in await browser.page_ids()


async def test_a_click_in_a_frame_of_another_site_does_not_wait_for_its_dialog(page: Page) -> None:
    """Input goes to the page's own session, which does not hear of the frame's dialog."""
    async with serve_pages(
        {
            "/": "<iframe src='http://localhost:{PORT}/inner'></iframe>",
            "/inner": """<button onclick="alert('inner')">Inner</button>""",
        }
    ) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        receipt = await page.click(snapshot.find("button", "Inner")[0].id, timeout=60)
        assert receipt.dialog is not None
        assert receipt.dialog.message == "inner"
        assert receipt.elapsed_ms < 30_000
        await page.answer_dialog(accept=True)
