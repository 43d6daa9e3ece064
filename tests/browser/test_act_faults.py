"""Bad luck in the middle of an action: the n-th command fails, or it is cancelled there.

Whatever happens: it ends with a typed error or is done, nothing but the element named receives anything, no
mouse button and no key stays down, nothing is waited for, and the next action works.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import trio

from hybridsnap import ActionError, CommandUnanswered, HybridsnapError, SelectorError, StaleElement
from hybridsnap.deadline import Deadline
from tests.support.act_pages import Log, Received, build_page, click_of, ids_by_attribute
from tests.support.faults import Injecting, check_clean, until, until_quiet
from tests.support.pages import busy_for, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from hybridsnap import Browser, Page
    from hybridsnap.client.connection import Connection
    from hybridsnap.client.transport import Transport
    from hybridsnap.model import SessionId

_INNER = "<button id=go>Go</button> <input id=field aria-label=Field> <button id=other>Other</button>"
_FRAME = "<iframe title=f src='http://localhost:{PORT}/'></iframe>"
_PAGES = {
    "/": build_page("main", _INNER),
    "/framed": build_page("framed", _FRAME),
}
_SAME = build_page("same", "<iframe title=f src='/'></iframe>")
_ELSEWHERE = build_page(
    "elsewhere", "<button id=there>There</button> <input id=entry> <button id=more>More</button>"
)
#: What is done → the element it is done to.
_ACTIONS: dict[str, str] = {"click": "go", "type": "field", "slow type": "field", "press": "field"}
#: Where, in the main frame or in a frame of another process, and what.
_CASES = [
    ("/framed", "click"),
    ("/", "slow type"),
    ("/framed", "press"),
    pytest.param("/", "click", marks=pytest.mark.soak),
    pytest.param("/framed", "type", marks=pytest.mark.soak),
]
_DOWN = {"mousedown": "mouseup", "keydown": "keyup"}


class Failing(Injecting):
    """A transport that spoils the n-th command: the browser answers it with an error."""

    def __init__(self, connection: Connection, number: int) -> None:
        async def nothing(_: Transport) -> None:
            pass

        super().__init__(connection, number, nothing)
        self.method = ""

    async def send(self, message: bytes, *, more: bool = False) -> None:  # noqa: ARG002 - one by one
        if self.sent + 1 == self._number:
            command: dict[str, Any] = msgspec.json.decode(message)
            self.method = command["method"]
            message = msgspec.json.encode(command | {"method": "Nothing.known"})
        await super().send(message)


class Opened:
    """A page to act on."""

    def __init__(self, page: Page, log: Log, ids: Mapping[str, str]) -> None:
        self.page = page
        self.log = log
        self.ids = ids

    async def act(self, what: str, timeout: float = 10) -> None:
        element_id = self.ids[_ACTIONS[what]]
        if what == "click":
            await self.page.click(element_id, modifiers=["Shift"], timeout=timeout)
        elif what == "type":
            await self.page.type(element_id, "hé", clear=True, submit=True, timeout=timeout)
        elif what == "slow type":
            await self.page.type(element_id, "A", delay=0.01, timeout=timeout)
        else:
            await self.page.press("Control+Shift+a", element=element_id, timeout=timeout)

    async def check_left(self, what: str, *, refused: bool) -> list[Received]:
        """Nothing is held down, nobody else received anything; what was received."""
        await until_quiet(self.page)
        received = self.log.take()
        identity = _ACTIONS[what]
        # Modifiers of a click go to whatever has the focus.
        assert [one for one in received if one.identity != identity and one.key != "Shift"] == []
        if refused and what == "click":  # they go down before the point is chosen for good
            assert {one.key for one in received} <= {"Shift"}
        elif refused:
            assert received == []
        down: list[tuple[str, str]] = []
        for one in received:
            if one.kind in _DOWN:
                down.append((_DOWN[one.kind], one.key.lower()))
            elif (one.kind, one.key.lower()) in down:  # what was let go without need is no harm
                down.remove((one.kind, one.key.lower()))
        assert down == [], f"still down: {down}"
        return received

    async def check_next(self) -> None:
        """The next click is a plain one."""
        await self.page.click(self.ids["go"], timeout=10)
        assert self.log.take() == click_of("go")


@pytest.fixture
async def opened(page: Page, request: pytest.FixtureRequest) -> AsyncIterator[Opened]:
    log = Log()
    async with serve_pages(_PAGES | log.pages) as pages:
        await page.goto(pages.url(request.param))
        snapshot = await page.snapshot(timeout=10)
        assert snapshot.report.complete
        yield Opened(page, log, ids_by_attribute(snapshot))


@pytest.mark.parametrize(("opened", "what"), _CASES, indirect=["opened"])
async def test_every_command_fails_once(opened: Opened, what: str, page_step: int) -> None:
    """Must hold for each n: a typed error, or done; and it can be told which."""
    page = opened.page
    known = set(page.session.connection._sessions)
    failed: list[tuple[str, str]] = []
    for number in itertools.count(page_step, page_step):
        error: HybridsnapError | None = None
        with Failing(page.session.connection, number) as wire:
            try:
                await opened.act(what)
            except HybridsnapError as came:
                error = came
        if wire.sent < number:
            assert error is None
            break
        failed.append((wire.method, type(error).__name__))
        # Typing says how far it came, and is not a plain refusal then.
        refused = isinstance(error, ActionError) and "characters" not in str(error)
        received = await opened.check_left(what, refused=refused)
        if error is None:
            assert received, f"{wire.method} failed, it is said to be done, and nothing was received"
        await check_clean(page, known)
        await opened.check_next()
    assert number > 5
    assert {"CommandRefused", "StaleElement"} & {came for _, came in failed}, failed


@pytest.mark.parametrize(("opened", "what"), _CASES, indirect=["opened"])
async def test_cancelled_at_every_command(opened: Opened, what: str, page_step: int) -> None:
    page = opened.page
    connection = page.session.connection
    known = set(connection._sessions)

    for number in itertools.count(page_step, page_step):
        with trio.CancelScope() as scope:

            async def cancel(_: Transport, scope: trio.CancelScope = scope) -> None:
                scope.cancel()

            with Injecting(connection, number, cancel) as wire:
                await opened.act(what)
            await trio.lowlevel.checkpoint()  # behind the last commands, which take things down, it is done
        if wire.sent < number:
            break
        assert scope.cancelled_caught, number
        await opened.check_left(what, refused=False)
        await check_clean(page, known)
        await opened.check_next()
    assert number > 5


def _has_no_frame(page: Page) -> bool:
    return len(page.sessions) == 1


@pytest.mark.parametrize("what", ["click", "press"])
async def test_frames_go_at_every_command(page: Page, what: str, page_step: int) -> None:
    """The frame acted in is removed right behind the n-th command.

    Chromium never answers an input event whose frame went while it was on its way: the deadline ends it. What
    is let go after that reaches what is left: the document itself.
    """
    log = Log()
    async with serve_pages(_PAGES | log.pages) as pages:
        for number in itertools.count(page_step, page_step):
            await page.goto(pages.url("/framed"), timeout=10)
            here = Opened(page, log, ids_by_attribute(await page.snapshot(timeout=10)))
            session = page.session.id

            async def remove(transport: Transport, session: Any = session) -> None:
                script = {"expression": "document.querySelector('iframe').remove()"}
                await transport.send(transport.codec.encode(10**9, "Runtime.evaluate", script, session))

            with Injecting(page.session.connection, number, remove) as wire:
                try:
                    await here.act(what, timeout=0.6)
                except HybridsnapError as error:
                    assert "\n" not in str(error)  # noqa: PT017 - what it is depends on when
            assert {one.identity for one in log.take()} <= {_ACTIONS[what], "?body", "?html"}
            if wire.sent < number:
                break
            await until(functools.partial(_has_no_frame, page))
            assert (await page.snapshot(timeout=10)).report.complete
        assert number > 5


@pytest.mark.parametrize(
    "what",
    [
        "click",
        "slow type",
        pytest.param("type", marks=pytest.mark.soak),
        pytest.param("press", marks=pytest.mark.soak),
    ],
)
async def test_documents_go_at_every_command(page: Page, what: str, page_step: int) -> None:
    """The frame acted in goes elsewhere right behind the n-th command: told in words of ours, if at all."""
    log = Log()
    told: set[str] = set()
    async with serve_pages({**_PAGES, "/same": _SAME, "/elsewhere": _ELSEWHERE} | log.pages) as pages:
        for number in itertools.count(page_step, page_step):
            await page.goto(pages.url("/same"), timeout=10)
            ids = ids_by_attribute(await page.snapshot(timeout=10))
            here = Opened(page, log, ids)
            session = page.session.id

            async def lead_away(transport: Transport, session: Any = session) -> None:
                script = {"expression": "frames[0].location = '/elsewhere'"}
                await transport.send(transport.codec.encode(10**9, "Runtime.evaluate", script, session))

            with Injecting(page.session.connection, number, lead_away) as wire:
                try:
                    await here.act(what, timeout=5)
                except (ActionError, CommandUnanswered) as error:
                    told.add(getattr(error, "reason", "unanswered"))
            assert {one.identity for one in log.take()} <= {_ACTIONS[what], "?body", "?html"}
            if wire.sent < number:
                break
        assert number > 5
        assert "navigated" in told


async def test_a_release_of_a_press_before_the_document_is_not_heard(page: Page) -> None:
    """The button was pressed in the document before, and is released over the one that came."""
    there = "<button id=there style='width: 600px; height: 600px'>There</button>"
    log = Log()
    release = {"type": "mouseReleased", "x": 99, "y": 99, "button": "left", "clickCount": 1}
    async with serve_pages({"/": build_page("there", there)} | log.pages) as pages:
        await page.goto(pages.url("/"))
        born = float(await page.evaluate("performance.timeOrigin / 1000"))
        await page.session.send("Input.dispatchMouseEvent", release | {"timestamp": born - 1})
        assert log.take() == []
        await page.session.send("Input.dispatchMouseEvent", release)
        assert {(one.kind, one.identity) for one in log.take()} == {("mouseup", "there")}


#: One button, as large as what it comes in the place of; and a document of it.
_THERE = "<button id=there style='width: 600px; height: 600px'>There</button>"
_BUTTON = f"<script src=/oracle.js></script>{_THERE}"
_IN_ITS_PLACE = {
    "srcdoc": f"document.querySelector('iframe').srcdoc = `{_BUTTON}`",
    "another frame": f"""
        const frame = document.createElement('iframe');
        frame.srcdoc = `{_BUTTON}`;
        document.querySelector('iframe').replaceWith(frame)""",
    "written": f"""
        const inner = frames[0].document;
        inner.open(); inner.write(`{_BUTTON}`); inner.close()""",
    "the page's own": "location = '/elsewhere'",
}


@pytest.mark.parametrize("way", _IN_ITS_PLACE)
async def test_what_comes_in_the_place_of_its_document_is_not_pressed(
    browser: Browser, way: str, page_step: int
) -> None:
    log = Log()
    told: set[str] = set()
    elsewhere = build_page("elsewhere", _THERE)
    async with serve_pages({**_PAGES, "/same": _SAME, "/elsewhere": elsewhere} | log.pages) as pages:
        page = await browser.new_page()
        for number in itertools.count(7, page_step):  # before that nothing is looked for but the element
            if way == "the page's own":  # it may be on its way still, and would end that of ours
                await page.close()
                page = await browser.new_page(pages.url("/same"))
            else:
                await page.goto(pages.url("/same"), timeout=10)
            ids = ids_by_attribute(await page.snapshot(timeout=10))
            session = page.session.id

            async def replace(transport: Transport, session: Any = session) -> None:
                script = {"expression": f"{{{_IN_ITS_PLACE[way]}}}"}
                await transport.send(transport.codec.encode(10**9, "Runtime.evaluate", script, session))

            with Injecting(page.session.connection, number, replace) as wire:
                try:
                    await page.click(ids["go"], timeout=5)
                except ActionError as error:
                    told.add(getattr(error, "reason", ""))
            # What was pressed may be let go anywhere.
            pressed = [one for one in log.take() if one.kind in {"mousedown", "click"}]
            assert {one.identity for one in pressed} <= {"go", "?body", "?html"}
            if wire.sent < number:
                break
    assert told & {"navigated", "detached", "frame gone"}


#: Nobody hears from the document while it begins.
_BUSY = f"<script>{busy_for(400)}</script>"


@pytest.mark.parametrize("before", ["", _BUSY], ids=["soon", "busy"])
async def test_what_has_just_come_can_be_pressed_after_that(page: Page, before: str) -> None:
    log = Log()
    elsewhere = build_page("elsewhere", before + _THERE)
    async with serve_pages({**_PAGES, "/elsewhere": elsewhere} | log.pages) as pages:
        for by in ("element", "point", "somebody else"):
            await page.goto(pages.url("/"), timeout=10)
            await page.snapshot(timeout=10)

            async def leave(transport: Transport, session: Any = page.session.id) -> None:
                script = {"expression": "location = '/elsewhere'"}
                await transport.send(transport.codec.encode(10**9, "Runtime.evaluate", script, session))

            with Leaving(page.session.connection, leave), contextlib.suppress(StaleElement, SelectorError):
                await page.click("#go", wait=False, timeout=10)
            await page.wait_for(selector="#there", timeout=10)
            log.take()
            if by == "element":
                await page.click("#there", timeout=10)
            elif by == "point":
                await page.click_at(40, 40, timeout=10)
            else:
                at = {"x": 40, "y": 40, "button": "left", "clickCount": 1}
                for kind in ("mousePressed", "mouseReleased"):
                    await page.session.send("Input.dispatchMouseEvent", {"type": kind, **at})
            assert log.take() == click_of("there")


class Leaving(Injecting):
    """A transport that has something done right behind the pointer's move to what is to be pressed."""

    def __init__(self, connection: Connection, then: Callable[[Transport], Awaitable[None]]) -> None:
        super().__init__(connection, 0, then)
        self._leave = then

    async def send(self, message: bytes, *, more: bool = False) -> None:  # noqa: ARG002 - one by one
        await super().send(message)
        command = msgspec.json.decode(message)
        if command["method"] == "Input.dispatchMouseEvent" and command["params"]["type"] == "mouseMoved":
            await self._leave(self._transport)


async def test_a_deadline_that_has_passed_is_blamed_on_nobody_else(page: Page) -> None:
    await page.goto("data:text/html,")
    with pytest.raises(TimeoutError):
        await page.click("body", timeout=Deadline(time.monotonic() - 1))


# Documents and frames that come and go while something is looked for


class Misnaming(Injecting):
    """A transport that has the first commands for a frame's world name a frame that is not there."""

    def __init__(self, connection: Connection, times: int) -> None:
        async def nothing(_: Transport) -> None:
            pass

        super().__init__(connection, 0, nothing)
        self.left = times

    async def send(self, message: bytes, *, more: bool = False) -> None:  # noqa: ARG002 - one by one
        command: dict[str, Any] = msgspec.json.decode(message)
        if command["method"] == "Page.createIsolatedWorld" and self.left:
            self.left -= 1
            message = msgspec.json.encode(command | {"params": command["params"] | {"frameId": "gone"}})
        await super().send(message)


_LOOKING: dict[str, Callable[[Page], Awaitable[object]]] = {
    "active element": lambda page: page.active_element(timeout=20),
    "press": lambda page: page.press("a", timeout=20),
    "scroll": lambda page: page.scroll("down", timeout=20),
    "click": lambda page: page.click("#go", wait=False, timeout=20),
    "text": lambda page: page.text("#go", wait=False, timeout=20),
}


@pytest.mark.parametrize("what", _LOOKING)
async def test_a_document_that_is_being_replaced_is_looked_at_again(page: Page, what: str) -> None:
    """And when it never comes to rest, it is said in words of ours that nothing was done."""
    log = Log()
    async with serve_pages(_PAGES | log.pages) as pages:
        await page.goto(pages.url("/"))
        with Misnaming(page.session.connection, 2) as wire:
            await _LOOKING[what](page)
        assert wire.left == 0
        log.take()
        with Misnaming(page.session.connection, 99), pytest.raises(ActionError, match="going elsewhere"):
            await _LOOKING[what](page)
        assert log.take() == []
        await _LOOKING[what](page)


class Vanishing(Injecting):
    """A transport that has a frame hang right before the n-th command for it, and go right behind it."""

    def __init__(self, page: Page, number: int) -> None:
        super().__init__(page.session.connection, number, self._remove)
        self._page, self._frame = page.session.id, page.sessions[1].id

    async def send(self, message: bytes, *, more: bool = False) -> None:  # noqa: ARG002 - one by one
        if msgspec.json.decode(message).get("sessionId") != self._frame:
            await self._transport.send(message)
            return
        if self.sent + 1 == self._number:
            # Longer than any action may take. The next frame of the site may come to the same process.
            await self._run("for (const end = Date.now() + 4000; Date.now() < end;);", self._frame)
        await super().send(message)

    async def _remove(self, _: Transport) -> None:
        await self._run("document.querySelector('iframe').remove()", self._page)

    async def _run(self, script: str, session: SessionId | None) -> None:
        encode = self._transport.codec.encode
        await self._transport.send(encode(10**9, "Runtime.evaluate", {"expression": script}, session))


_IN_FRAME: dict[str, Callable[[Page, Mapping[str, str]], Awaitable[object]]] = {
    "text": lambda page, ids: page.text(ids["go"], timeout=3),
    "text by selector": lambda page, _: page.text("iframe >> #go", wait=False, timeout=3),
    "evaluate": lambda page, ids: page.evaluate("e => e.id", element=ids["go"], timeout=3),
    "drag onto": lambda page, ids: page.drag(ids["outside"], ids["go"], wait=False, timeout=3),
    "fill form": lambda page, ids: page.fill_form(
        [{"id": ids["field"], "value": "v"}], wait=False, timeout=3
    ),
}


@pytest.mark.parametrize(
    "numbers", [(1, 5), pytest.param((3,), marks=pytest.mark.soak)], ids=["first and fifth", "third"]
)
@pytest.mark.parametrize("what", _IN_FRAME)
async def test_a_frame_that_goes_is_not_taken_for_the_page(
    page: Page, what: str, numbers: tuple[int, ...]
) -> None:
    log = Log()
    framed = build_page("outer", "<button id=outside>Outside</button>" + _FRAME)
    came = []
    async with serve_pages({**_PAGES, "/outer": framed} | log.pages) as pages:
        for number in numbers:
            await page.goto(pages.url("/outer"), wait="load", timeout=10)
            ids = ids_by_attribute(await page.snapshot(timeout=10))
            with Vanishing(page, number) as wire:
                try:
                    await _IN_FRAME[what](page, ids)
                except (ActionError, SelectorError, CommandUnanswered) as error:
                    came.append(getattr(error, "reason", ""))
            assert wire.sent >= number
            await until(functools.partial(_has_no_frame, page))
            assert (await page.snapshot(timeout=10)).report.complete
    assert set(came) & {"frame gone", "nothing"}
