"""What events tell of a click, and that a page is waited for until it has settled."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
import trio

from hybridsnap.act.observer import Observer
from hybridsnap.act.receipt import Moved
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.capture.selectors import parse_selector
from hybridsnap.client import console_feed
from hybridsnap.client.settling import Settled, watch_events
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply, run
from hybridsnap.protocol.plan import yield_to_runner
from tests.support import http
from tests.support.faults import check_clean, evaluate, until, until_quiet
from tests.support.pages import serve_pages, until_sized

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from hybridsnap import HybridsnapError, Page
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Plan
    from tests.support.pages import Content, PageServer

_HEAD = """<!doctype html><title>From</title>
  <style>#t { position: fixed; left: 0; top: 0; width: 100px; height: 40px }</style>"""
_BUTTON = "<button id=t>Go</button><script>document.getElementById('t').onclick = () => { %s }</script>"


async def _file(_: http.Request) -> http.Response:
    return http.attachment(b"x" * 100, "bill.bin")


async def _empty(_: http.Request) -> http.Response:
    await trio.sleep(0.05)
    return http.Response(status=204)


async def _elsewhere(request: http.Request) -> http.Response:
    return http.redirect(f"http://localhost:{request.port}/to.html")


async def _slow(_: http.Request) -> http.Response:
    await trio.sleep(0.4)  # longer than a quiet page is waited for
    return http.Response(b"<title>To</title><p>slow")


async def _slow_file(request: http.Request) -> http.Response:
    await trio.sleep(0.2)
    return await _file(request)


_TARGETS: dict[str, Content] = {
    "/to.html": "<title>To</title><p id=there>there",
    "/hop.html": "<title>Hop</title><script>location.replace('/to.html')</script>",
    "/round.html": "<title>Round</title><script>location.replace('/round.html?' + Math.random())</script>",
    "/frame.html": "<title>Frame</title><p>frame",
    "/file": _file,
    "/empty": _empty,
    "/elsewhere": _elsewhere,
    "/slow.html": _slow,
    "/slow_file": _slow_file,
}
#: What ends the waiting where nothing is on its way; a machine under load may look like a busy page.
_AT_REST = ("quiet", "busy")
#: What is clicked, and where the page is then.
_LOADS = {
    "link": ("<a id=t href=/to.html>Go</a>", "/to.html"),
    "slow link": ("<a id=t href=/slow.html>Go</a>", "/slow.html"),
    "form": ("<form action=/to.html><input name=a value=1><button id=t>Go</button></form>", "/to.html?a=1"),
    "post": ("<form action=/slow.html method=post><button id=t>Go</button></form>", "/slow.html"),
    "location": (_BUTTON % "location.href = '/to.html'", "/to.html"),
    "reload": (_BUTTON % "location.reload()", "/from.html"),
    "timeout": (_BUTTON % "setTimeout(() => { location.href = '/to.html' })", "/to.html"),
    "frame": (_BUTTON % "requestAnimationFrame(() => { location.href = '/to.html' })", "/to.html"),
    "refresh": (
        _BUTTON
        % """const meta = document.createElement('meta');
        meta.httpEquiv = 'refresh'; meta.content = '0;url=/to.html'; document.head.append(meta)""",
        "/to.html",
    ),
    "script on the way": ("<a id=t href=/hop.html>Go</a>", "/to.html"),
    "another after it": (
        _BUTTON % "location.href = '/slow.html'; setTimeout(() => { location.href = '/to.html' }, 20)",
        "/to.html",
    ),
    "history": (_BUTTON % "history.back()", "/to.html"),
    "javascript": ("<a id=t href=\"javascript:void(location.href = '/to.html')\">Go</a>", "/to.html"),
}


_PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"


class Stage:
    """A tab whose pages have something to click in their corner."""

    def __init__(self, page: Page, server: PageServer, contents: dict[str, Content]) -> None:
        self.page = page
        self.server = server
        self._contents = contents

    async def open(self, body: str, *, after: str = "", **more: Content) -> Page:
        """Go to this page, after another one if need be; `more` are others, `/NAME.html`."""
        self._contents["/from.html"] = _HEAD + body
        self._contents.update({f"/{name}.html": content for name, content in more.items()})
        if after:
            await self.page.goto(self.server.url(after))
        await self.page.goto(self.server.url("/from.html"))
        # Chromium drops what is pressed before a page is painted for the first time.
        await self.page.evaluate(_PAINTED)
        return self.page

    async def press(self, **more: object) -> None:
        """Click the corner. With an open dialog the browser does not answer."""
        session = self.page.sessions[0]
        answered: list[object] = []

        def deliver(reply: Payload | HybridsnapError) -> None:
            answered.append(reply)
            self.page._context.attachment.notify()

        point = {"x": 20, "y": 20, "button": "left", "clickCount": 1, **more}
        session.post("Input.dispatchMouseEvent", {**point, "type": "mousePressed"}, ignore_reply)
        session.post("Input.dispatchMouseEvent", {**point, "type": "mouseReleased"}, deliver)
        await self.page._context.attachment.wait_until(
            lambda: bool(answered or self.page.dialogs) or session.ended is not None, Deadline.after(20)
        )

    async def settled(
        self, *, seconds: float = 10, inside: bool = False, how: Mapping[str, object] | None = None
    ) -> Settled:
        """Click, and wait until the page has settled, and the frame in its first `iframe` if `inside`."""

        context = self.page._context
        resolver = NodeResolver(context.attachment.sessions(), context.ordinals)
        observer = Observer(resolver)
        settled: list[Settled] = []

        def watch() -> Plan[None]:
            places = (yield from resolver.find(parse_selector("iframe >> body"), 0)) if inside else [None]
            yield from observer.start(places[0])
            yield from yield_to_runner()

        with watch_events(context) as events:

            async def between() -> None:
                acted_at = time.monotonic()
                await self.press(**(how or {}))
                settled.append(await events.settle(Deadline.after(seconds), observer, acted_at=acted_at))

            await run(watch(), context.driver, Deadline.after(60), between)
        return settled[0]

    async def settled_after_answer(self, *, accept: bool) -> Settled:
        """Answer the open dialog, and wait until the page has settled. Nothing observes it."""
        context = self.page._context
        observer = Observer(NodeResolver(context.attachment.sessions(), context.ordinals))
        with watch_events(context) as events:
            acted_at = time.monotonic()
            await self.page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": accept})
            return await events.settle(Deadline.after(10), observer, acted_at=acted_at)


@pytest.fixture
async def stage(page: Page) -> AsyncIterator[Stage]:
    contents = dict(_TARGETS)
    async with serve_pages(contents) as server:
        yield Stage(page, server, contents)


# Navigations


@pytest.mark.parametrize("name", _LOADS)
async def test_a_navigation_is_awaited(stage: Stage, name: str) -> None:
    body, path = _LOADS[name]
    page = await stage.open(body, after="/to.html" if name == "history" else "")
    committed = page._context.attachment.main.committed
    settled = await stage.settled()
    assert settled.navigation == Moved(stage.server.url(path), same_document=False, reached=True)
    assert (settled.ended_by, settled.no_document) == ("loaded", None)
    assert page._context.attachment.main.committed > committed
    state = await evaluate(page.session, "document.readyState + ' ' + location.pathname")
    assert state.split()[1] == path.partition("?")[0]
    assert state.split()[0] != "loading"


async def test_what_a_new_document_asks_for_is_there(stage: Stage) -> None:
    asking = """<title>Shop</title><p id=list>loading</p><script>
      fetch('/slow_file').then(one => one.text()).then(() => { list.textContent = 'loaded' })</script>"""
    page = await stage.open("<a id=t href=/shop.html>Go</a>", shop=asking)
    settled = await stage.settled()
    assert settled.ended_by == "loaded"
    assert await evaluate(page.session, "list.textContent") == "loaded"
    await page.goto(stage.server.url("/to.html"))
    went = await page.goto(stage.server.url("/shop.html"))
    assert (went.reached, went.ended_by) == (True, "load")
    assert await evaluate(page.session, "list.textContent") == "loaded"


async def test_a_new_document_whose_request_is_never_answered_is_not_waited_for(stage: Stage) -> None:
    page = await stage.open("<p id=t>", poll="<title>Poll</title><script>fetch('/hang')</script>")
    went = await page.goto(stage.server.url("/poll.html"))
    assert (went.reached, went.ended_by) == (True, "load")
    assert went.elapsed_ms < 10_000


@pytest.mark.parametrize("path", ["http://localhost:{PORT}/to.html", "/elsewhere"])
async def test_into_another_process(stage: Stage, path: str) -> None:
    page = await stage.open(f"<a id=t href={path}>Go</a>")
    settled = await stage.settled()
    url = stage.server.url("/to.html", "localhost")
    assert settled.navigation == Moved(url, same_document=False, reached=True)
    assert await evaluate(page.session, "location.href + document.title") == url + "To"


async def test_a_history_entry_of_the_same_address_leads_nowhere(stage: Stage) -> None:
    page = await stage.open(_BUTTON % "history.replaceState({ seen: 1 }, '', location.href)")
    settled = await stage.settled()
    assert settled.navigation is None
    assert await page.evaluate("history.state") == {"seen": 1}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("<a id=t href=#there>Go</a><p id=there>", "/from.html#there"),
        (_BUTTON % "history.pushState({}, '', '/pushed')", "/pushed"),
        (_BUTTON % "setTimeout(() => history.replaceState({}, '', '/replaced'))", "/replaced"),
        (_BUTTON % "location.hash = 'x'", "/from.html#x"),
    ],
)
async def test_within_the_document(stage: Stage, body: str, path: str) -> None:
    page = await stage.open(body)
    committed = page._context.attachment.main.committed
    settled = await stage.settled()
    assert settled.navigation == Moved(stage.server.url(path), same_document=True, reached=True)
    assert settled.ended_by in _AT_REST
    assert page.url == stage.server.url(path)
    assert page._context.attachment.main.committed == committed


async def test_a_page_that_never_answers_ends_at_the_deadline(stage: Stage) -> None:
    page = await stage.open("<a id=t href=/hang>Go</a>")
    settled = await stage.settled(seconds=1)
    assert settled.navigation == Moved(stage.server.url("/hang"), same_document=False, reached=False)
    assert settled.ended_by == "deadline"
    assert page.url == stage.server.url("/from.html")


async def test_sent_round_and_round_has_an_end(stage: Stage) -> None:
    await stage.open("<a id=t href=/round.html>Go</a>")
    settled = await stage.settled()
    assert settled.ended_by == "loaded"
    assert settled.navigation is not None
    assert settled.navigation.url.startswith(stage.server.url("/round.html"))


async def test_a_refused_address_brings_the_browsers_own_page(stage: Stage) -> None:
    await stage.open("<a id=t href=http://127.0.0.1:1/>Go</a>")
    settled = await stage.settled()
    assert settled.navigation == Moved("chrome-error://chromewebdata/", same_document=False, reached=True)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("<a id=t href=/empty>Go</a>", "/empty"),
        (_BUTTON % "location.href = '/slow.html'; setTimeout(() => stop(), 30)", "/slow.html"),
    ],
)
async def test_a_navigation_without_a_document(stage: Stage, body: str, path: str) -> None:
    page = await stage.open(body)
    settled = await stage.settled()
    assert settled.navigation is None
    assert (settled.no_document, settled.ended_by) == (stage.server.url(path), "no document")
    assert settled.downloads == ()
    assert page.url == stage.server.url("/from.html")
    assert not page._context.attachment.main.navigating


#: A link that only a script knows, and clicks.
_LINK = (
    _BUTTON % "const one = document.createElement('a'); one.href = %s; one.download = 'bill.bin'; one.click()"
)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("<a id=t href=/file>Go</a>", "/file"),
        ("<a id=t download=bill.bin href=/to.html>Go</a>", "/to.html"),
        ("<a id=t download=bill.bin href=/slow_file>Go</a>", "/slow_file"),
        (_LINK % "'/slow_file'", "/slow_file"),
    ],
)
async def test_a_download_instead_of_a_navigation(stage: Stage, body: str, path: str) -> None:
    page = await stage.open(body)
    settled = await stage.settled()
    assert settled.navigation is None
    (offered,) = settled.downloads
    assert (offered.url, offered.suggested_name) == (stage.server.url(path), "bill.bin")
    assert settled.ended_by in ("no document", *_AT_REST)
    assert page.url == stage.server.url("/from.html")


async def test_a_download_of_what_a_script_has_made(stage: Stage) -> None:
    await stage.open(_LINK % "window.URL.createObjectURL(new Blob(['x']))")
    (offered,) = (await stage.settled()).downloads
    assert offered.url.startswith("blob:")


async def test_a_download_that_has_not_begun_is_said_to_be_under_way(stage: Stage) -> None:
    await stage.open("<a id=t download=bill.bin href=/hang>Go</a>")
    settled = await stage.settled()
    assert (settled.downloads, settled.under_way) == ((), (stage.server.url("/hang"),))


async def test_a_download_that_the_page_prevents_is_not_waited_for(stage: Stage) -> None:
    await stage.open("<a id=t download=bill.bin href=/hang onclick='event.preventDefault()'>Go</a>")
    assert (await stage.settled()).under_way == ()
    await stage.open(
        "<a id=t download=bill.bin href=/hang>Go</a>"
        "<script>navigation.onnavigate = (event) => event.preventDefault()</script>"
    )
    assert (await stage.settled()).under_way == ()


async def test_a_document_that_is_written_anew(stage: Stage) -> None:
    page = await stage.open(_BUTTON % "document.write('<p id=new>new'); document.close()")
    settled = await stage.settled()
    assert settled.navigation is None
    assert settled.ended_by in _AT_REST
    assert await evaluate(page.session, "document.body.innerHTML") == '<p id="new">new</p>'


async def test_a_document_that_is_written_and_never_closed(stage: Stage) -> None:
    await stage.open(_BUTTON % "document.write('<p id=new>new')")
    settled = await stage.settled()
    assert settled.navigation is None
    assert settled.ended_by in _AT_REST


# Frames


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_frame_that_is_sent_elsewhere(stage: Stage, host: str) -> None:
    page = await stage.open(
        f"<a id=t target=f href=http://{host}:{{PORT}}/to.html>Go</a><iframe name=f src=/frame.html></iframe>"
    )
    settled = await stage.settled()
    assert settled.navigation is None
    assert [(one.same_document, one.reached) for one in settled.frame_navigations] == [(False, True)]
    snapshot = await page.snapshot()
    assert [frame.url for frame in snapshot.report.frames] == [
        stage.server.url("/from.html"),
        stage.server.url("/to.html", host),
    ]


async def test_a_frame_of_another_process_that_is_sent_where_no_document_is(stage: Stage) -> None:
    page = await stage.open(
        "<a id=t target=f href=http://localhost:{PORT}/empty>Go</a>"
        "<iframe name=f src=http://localhost:{PORT}/frame.html></iframe>"
    )
    await page.settled(Deadline.after(10))
    assert len(page.sessions) == 2
    settled = await stage.settled()
    assert (settled.navigation, settled.frame_navigations) == (None, ())


#: A frame in a process of its own is 0 by 0 at first.
_SIZED = """() => new Promise(done => {
  const look = () => innerWidth && innerHeight ? done(1) : setTimeout(look, 20);
  look();
})"""


async def test_a_frame_that_sends_the_page_elsewhere(stage: Stage) -> None:
    page = await stage.open(
        """<iframe id=t src="http://localhost:{PORT}/inner.html"></iframe>""",
        inner='<body style="margin:0"><a target=_top href=/to.html style="display:block;height:90px">Go</a>',
    )
    await page.settled(Deadline.after(10))
    await page.wait_for(text="Go", load_state="load", timeout=10)
    assert len(page.sessions) == 2
    (link,) = (await page.snapshot()).find(role="link")
    await page.evaluate(_SIZED, element=str(link.id))
    settled = await stage.settled()
    url = stage.server.url("/to.html", "localhost")
    assert settled.navigation == Moved(url, same_document=False, reached=True)


async def test_a_new_frame_is_no_navigation_of_the_page(stage: Stage) -> None:
    await stage.open(
        _BUTTON
        % """const frame = document.createElement('iframe');
        frame.src = '/hang'; document.body.append(frame)"""
    )
    settled = await stage.settled(seconds=5)
    assert (settled.navigation, settled.frame_navigations) == (None, ())
    assert settled.ended_by in _AT_REST


# What else may come of it


async def test_a_frame_that_was_on_its_way_before_is_not_told_without_its_address(stage: Stage) -> None:
    page = await stage.open(_BUTTON % "fetch('/slow.html').then(one => one.text())")
    url = stage.server.url("/slow.html", "localhost")
    await page.evaluate(
        "(url) => { document.body.append(document.createElement('iframe')); frames[0].location = url }", url
    )
    settled = await stage.settled()
    assert all(one.url for one in settled.frame_navigations)


async def test_a_dialog_ends_it_at_once(stage: Stage) -> None:
    page = await stage.open(_BUTTON % "document.title = confirm('Sure?')")
    settled = await stage.settled()
    assert settled.ended_by == "dialog"
    assert settled.dialog is not None
    assert (settled.dialog.type, settled.dialog.message) == ("confirm", "Sure?")
    await page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True})
    assert await evaluate(page.session, "document.title") == "true"


async def test_a_page_that_does_not_want_to_be_left(stage: Stage) -> None:
    await stage.open(
        "<a id=t href=/to.html>Go</a><script>onbeforeunload = (event) => event.preventDefault()</script>"
    )
    settled = await stage.settled()
    assert settled.dialog is not None
    assert (settled.ended_by, settled.dialog.type) == ("dialog", "beforeunload")
    assert settled.navigation is None
    settled = await stage.settled_after_answer(accept=True)
    assert settled.navigation == Moved(stage.server.url("/to.html"), same_document=False, reached=True)


async def test_a_page_that_is_not_left(stage: Stage) -> None:
    await stage.open(
        "<a id=t href=/to.html>Go</a><script>onbeforeunload = (event) => event.preventDefault()</script>"
    )
    assert (await stage.settled()).ended_by == "dialog"
    settled = await stage.settled_after_answer(accept=False)
    assert settled.ended_by in _AT_REST
    assert settled.navigation is None


@pytest.mark.parametrize(
    "body",
    [
        "<a id=t target=_blank href=/to.html>Go</a>",
        "<a id=t target=_blank rel=opener href=/to.html>Go</a>",
        _BUTTON % "open('/to.html')",
        _BUTTON % "open('/to.html', '', 'noopener,width=300')",
    ],
)
async def test_a_tab_that_is_opened(stage: Stage, body: str) -> None:
    page = await stage.open(body)
    before = set(await stage.page.browser.page_ids())
    settled = await stage.settled()
    assert set(settled.new_targets) == set(await stage.page.browser.page_ids()) - before
    assert len(settled.new_targets) == 1
    assert settled.navigation is None
    again = await stage.settled()  # the page is in the background now
    assert len(again.new_targets) == 1
    assert again.new_targets != settled.new_targets
    assert page.url == stage.server.url("/from.html")


@pytest.mark.parametrize("how", [{"modifiers": 2}, {"button": "middle"}, {"modifiers": 8}])
async def test_a_tab_that_is_opened_by_how_one_clicks(stage: Stage, how: dict[str, object]) -> None:
    page = await stage.open("<a id=t href=/to.html>Go</a>")
    before = set(await stage.page.browser.page_ids())
    settled = await stage.settled(how=how)
    assert set(settled.new_targets) == set(await stage.page.browser.page_ids()) - before
    assert len(settled.new_targets) == 1
    assert (settled.navigation, page.url) == (None, stage.server.url("/from.html"))


async def test_a_tab_that_a_frame_opens(stage: Stage) -> None:
    page = await stage.open(
        """<iframe id=t src="http://localhost:{PORT}/inner.html"></iframe>""",
        inner='<body style="margin:0"><a target=_blank href=/to.html style="display:block">Go<br><br></a>',
    )
    await page.wait_for(text="Go", load_state="load", timeout=10)
    await until_sized(page)
    await page.screenshot()  # once it has been drawn, the browser's own input reaches the frame
    settled = await stage.settled()
    assert len(settled.new_targets) == 1


async def test_errors_of_the_console(stage: Stage) -> None:
    await stage.open(
        _BUTTON
        % """console.error('bad', 7, {a: 1}, [true], null, undefined, new TypeError('odd'));
        console.assert(1 > 2, 'sums'); console.log('fine'); console.warn('careful');
        new Image().src = '/nothing.png'; Promise.reject(new Error('unheard')); throw new RangeError('far')"""
        + "<script>console.error('before'); setTimeout(() => { throw new Error('early') })</script>"
    )
    await evaluate(stage.page.session, "new Promise((done) => setTimeout(done, 50))")
    settled = await stage.settled()
    wanted = [
        "bad 7 {a: 1} [true] null undefined TypeError: odd",
        "assertion failed: sums",
        "Uncaught RangeError: far",
        "Uncaught (in promise) Error: unheard",
    ]
    # The image is refused when it likes.
    assert [text for text in settled.console_errors if "/nothing.png" not in text] == wanted
    settled = await stage.settled()
    assert [text for text in settled.console_errors if "/nothing.png" not in text] == wanted


@pytest.mark.parametrize("left_on", [console_feed.LEFT_ON_SECONDS, 0.0])
async def test_a_loud_console_is_counted(
    stage: Stage, left_on: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console_feed, "LEFT_ON_SECONDS", left_on)
    await stage.open(_BUTTON % "for (let n = 0; n < 100; n++) console.error('no ' + n)")
    for _ in range(3):  # switched off in between, the second finds many old messages; then it is left on
        settled = await stage.settled()
        await trio.sleep(0.1)
        assert len(settled.console_errors) == 21
        assert settled.console_errors[0] == "no 0"
        assert settled.console_errors[-1] == "and 80 more errors"


async def test_a_crash_ends_it_at_once(stage: Stage) -> None:
    # What is asked to crash while it is on its way elsewhere does not; this page has arrived.
    page = await stage.open(
        "<a id=t href=/half.html>Go</a>", half="<title>Half</title><script src=/hang></script>"
    )
    ends: list[str] = []

    async def settle() -> None:
        ends.append((await stage.settled(seconds=60)).ended_by)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(settle)
        await until(lambda: "/hang" in stage.server.requests)  # which is waited for
        page.sessions[0].post("Page.crash", {}, ignore_reply)
    assert ends == ["crashed"]


async def test_a_tab_that_closes_itself(stage: Stage) -> None:
    opener = await stage.open(_BUTTON % "open('/closes.html')", closes=_HEAD + _BUTTON % "close()")
    (target,) = (await stage.settled()).new_targets
    stage.page = await stage.page.browser.page(target)
    await until(lambda: stage.page._context.attachment.main.loaded or stage.page.url.endswith("/closes.html"))
    settled = await stage.settled()
    assert settled.ended_by in ("closed", *_AT_REST)  # it may go a moment after the answer to the click
    await until(lambda: stage.page.sessions[0].ended == "detached")
    assert opener.url == stage.server.url("/from.html")


# Quiet


async def quiet(stage: Stage) -> Settled:
    """A machine that is under load may not manage two frames in 250 ms at once."""
    for _ in range(5):
        settled = await stage.settled()
        if settled.ended_by != "busy":
            break
    return settled


async def test_nothing_happens(stage: Stage) -> None:
    page = await stage.open(_BUTTON % "")
    settled = await quiet(stage)
    assert settled == Settled(ended_by="quiet", seen=settled.seen)
    assert [one["count"] for one in settled.seen] == [0]
    await check_clean(page, set(page.session.connection._sessions))


@pytest.mark.parametrize(
    "script",
    [
        "document.body.append('new')",
        "setTimeout(() => document.body.append('new'))",
        "requestAnimationFrame(() => document.body.append('new'))",
        "requestIdleCallback(() => document.body.append('new'))",
        "Promise.resolve().then(() => document.body.append('new'))",
        "onmessage = () => document.body.append('new'); postMessage(1)",
        "onscroll = () => document.body.append('new'); scrollTo(0, 9)",
    ],
)
async def test_what_a_click_brings_is_there(stage: Stage, script: str) -> None:
    page = await stage.open(_BUTTON % script + "<p style='height: 5000px'></p>")
    assert (await stage.settled()).ended_by in _AT_REST
    assert (await evaluate(page.session, "document.body.textContent")).endswith("new")


async def test_a_page_that_goes_on_changing_is_not_waited_for(stage: Stage) -> None:
    await stage.open(
        _BUTTON
        % """const go = () => { document.body.dataset.n = Math.random(); requestAnimationFrame(go) };
        go()"""
    )
    assert (await stage.settled()).ended_by == "busy"


async def test_styles_that_scripts_animate_are_quiet(stage: Stage) -> None:
    await stage.open(
        _BUTTON
        % """const go = () => { document.body.style.opacity = Math.random(); requestAnimationFrame(go) };
        go()"""
    )
    assert (await quiet(stage)).ended_by == "quiet"


_LEAVING = """<style>
  #d.closing { transition: opacity 120ms; opacity: 0 }
  #d.leaving { animation: leave 120ms forwards } #d.slow { animation: leave 60s }
  @keyframes leave { to { opacity: 0 } }
  #d { height: 90px } #d.away { transition: transform 120ms; transform: translateX(calc(100% + 9px)) }
  #d.below { transition: translate 120ms; translate: 0 500px }
  #d.folded { transition: height 120ms; height: 0 }
  #d.unseen { transition: visibility 0s 120ms; visibility: hidden }
  #d.undone { transition: display 120ms allow-discrete; display: none }
  </style>
  <div role=dialog id=d><template shadowrootmode=open><p><slot></slot></p></template>
  Sure? <button>Yes</button></div>"""


_STEPS = """let one = 1; const step = () => {
  if ((one -= 0.2) < 0) d.remove(); else { d.style.%s = %s; requestAnimationFrame(step) } }; step()"""


@pytest.mark.parametrize(
    "closes",
    [
        "d.className = 'closing'; d.ontransitionend = () => setTimeout(() => d.remove(), 5)",
        "d.className = 'leaving'; d.onanimationend = () => d.remove()",
        "d.animate([{ opacity: 1 }, { opacity: 0 }], 120).onfinish = () => d.remove(); d.id = 'e'",
        "d.className = 'away'; d.ontransitionend = () => d.remove()",
        "d.className = 'below'; d.ontransitionend = () => setTimeout(() => d.remove(), 5)",
        "d.className = 'folded'; d.ontransitionend = () => d.remove()",
        "let p = d.shadowRoot.firstChild; p.id = 1; p.animate({opacity: 0}, 90).onfinish = () => d.remove()",
        "d.className = 'unseen'; d.ontransitionend = () => d.remove()",
        "d.className = 'undone'; d.ontransitionend = () => d.remove()",
        _STEPS % ("opacity", "one"),
        _STEPS % ("height", "`${one * 90}px`"),
    ],
    ids=[
        *("transition", "animation", "script", "moves away", "moves below", "folds up", "in a shadow root"),
        *("becomes hidden", "is displayed no more"),
        *("step by step", "folds step by step"),
    ],
)
@pytest.mark.alone
async def test_a_dialog_that_leaves_is_gone(stage: Stage, closes: str) -> None:
    page = await stage.open(
        _LEAVING + _BUTTON % f"const d = document.querySelector('[role=dialog]'); {closes}"
    )
    assert (await stage.settled()).ended_by == "quiet"
    assert await evaluate(page.session, "document.querySelector('[role=dialog]')") is None


_DRAWER = """<style>#d { position: fixed; right: 0; top: 60px; width: 300px; height: 200px; margin: 0;
    background: #eee; transition: %s 120ms }</style><div id=d><h2>Edit node</h2></div>"""


@pytest.mark.parametrize(
    ("of", "closes"),
    [
        ("right", "right = '-350px'"),
        ("right", "right = '-100%'"),
        ("margin-right", "marginRight = '-350px'"),
        ("top", "top = '-200px'"),
        ("width", "width = 0"),
        ("max-width", "maxWidth = 0"),
        ("transform", "transform = 'translateX(100%)'"),
        ("transform", "transform = 'translate3d(350px, 0, 0)'"),
        ("transform", "transform = 'translateY(calc(-100% - 60px))'"),
        ("translate", "translate = '100%'"),
    ],
)
@pytest.mark.alone
async def test_a_drawer_without_controls_that_leaves_is_gone(stage: Stage, of: str, closes: str) -> None:
    """The button that closes it stands beside it."""
    page = await stage.open(
        "<style>#d { max-width: 300px; transform: none; translate: none }</style>"
        + _DRAWER % of
        + _BUTTON % f"d.style.{closes}; d.ontransitionend = () => setTimeout(() => d.remove(), 5)"
    )
    assert (await stage.settled()).ended_by == "quiet"
    assert await evaluate(page.session, "document.querySelector('#d')") is None


@pytest.mark.parametrize(
    ("of", "opens"),
    [("right", "right = '0px'"), ("transform", "transform = 'none'"), ("width", "width = '300px'")],
)
@pytest.mark.alone
async def test_a_drawer_that_comes_is_not_waited_for(stage: Stage, of: str, opens: str) -> None:
    away = {"right": "right: -350px", "transform": "transform: translateX(350px)", "width": "width: 0"}
    page = await stage.open(
        _DRAWER.replace("120ms", _LONG_ENOUGH) % of
        + f"<style>#d {{ {away[of]} }}</style>"
        + _BUTTON % f"d.style.{opens}"
    )
    assert (await stage.settled()).ended_by == "quiet"
    assert await evaluate(page.session, "document.getAnimations()[0].playState") == "running"


#: What is to be seen moving when the page has settled moves so long; what takes 500 ms is not waited for.
_LONG_ENOUGH = "400ms"
_BACKDROP = """<style>
  .backdrop { position: fixed; inset: 0; background: #000; opacity: 0; transition: opacity %s }
  .backdrop.in { opacity: .5 }
  #d { position: fixed; inset: %s; background: #fff }
  </style>
  <dialog id=d aria-modal=true>Sure? <button>Yes</button></dialog>"""
_COMES = """const b = document.createElement('div'); b.className = 'backdrop'; document.body.append(b);
  b.offsetWidth; b.classList.add('in'); const d = document.getElementById('d');"""


@pytest.mark.alone
async def test_a_dialog_that_comes_when_its_backdrop_is_there_is_waited_for(stage: Stage) -> None:
    """As Bootstrap has it."""
    page = await stage.open(
        _BACKDROP % ("120ms", "200px")
        + _BUTTON % f"{_COMES} b.ontransitionend = () => setTimeout(() => d.show(), 5)"
    )
    assert (await stage.settled()).ended_by == "quiet"
    assert await evaluate(page.session, "d.open")


@pytest.mark.alone
async def test_the_backdrop_of_a_dialog_that_is_there_is_not_waited_for(stage: Stage) -> None:
    page = await stage.open(
        _BACKDROP % (_LONG_ENOUGH, "0 auto 0 0") + _BUTTON % f"{_COMES} b.after(d); d.show()"
    )
    assert (await stage.settled()).ended_by == "quiet"
    assert await evaluate(page.session, "document.getAnimations()[0].playState") == "running"


@pytest.mark.alone
async def test_the_label_that_moves_above_its_field_is_not_waited_for(stage: Stage) -> None:
    page = await stage.open(
        "<style>label { display: block }"
        f".up {{ transition: transform {_LONG_ENOUGH}; transform: translateY(-106%) }}</style>"
        "<div><label for=t>Name</label></div>"
        + _BUTTON
        % "const one = document.querySelector('label'); one.className = 'up'; "
        "one.ontransitionend = () => one.remove()"
    )
    assert (await stage.settled()).ended_by == "quiet"
    assert await evaluate(page.session, "document.getAnimations()[0].playState") == "running"


async def test_what_fades_for_long_is_not_waited_for(stage: Stage) -> None:
    page = await stage.open(_LEAVING + _BUTTON % "document.getElementById('d').className = 'slow'")
    assert (await stage.settled()).ended_by == "quiet"
    assert await evaluate(page.session, "document.getAnimations()[0].playState") == "running"


async def test_a_page_that_computes_is_not_waited_for(stage: Stage) -> None:
    page = await stage.open(
        _BUTTON % "setTimeout(() => { for (const end = Date.now() + 800; Date.now() < end;); })"
    )
    settled = await stage.settled()
    assert settled.ended_by == "busy"
    await until_quiet(page)


async def test_quiet_of_a_frame_in_another_process(stage: Stage) -> None:
    page = await stage.open(
        """<iframe id=t src="http://localhost:{PORT}/inner.html"></iframe>""",
        inner="""<body style="margin:0"><button style="height:90px" onclick="go()">Go</button><script>
            const {port1, port2} = new MessageChannel();  // frames and timers may be late
            const go = port1.onmessage = () => { document.body.id = Math.random(); port2.postMessage(1) };
            </script>""",
    )
    await page.settled(Deadline.after(10))
    await page.wait_for(text="Go", load_state="load", timeout=10)
    assert (await quiet(stage)).ended_by == "quiet"
    assert (await stage.settled(inside=True)).ended_by == "busy"


async def test_clobbered_names_do_no_harm(stage: Stage) -> None:
    await stage.open(
        "<form name=hidden></form><form name=readyState></form><img name=performance>" + _BUTTON % ""
    )
    assert (await quiet(stage)).ended_by == "quiet"


async def test_cancelled_it_leaves_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console_feed, "LEFT_ON_SECONDS", 0.5)
    page = await stage.open("<a id=t href=/hang>Go</a>")
    listeners = list(page._context.attachment.listeners)
    known = set(page.session.connection._sessions)
    with trio.move_on_after(0.3) as scope:
        await stage.settled()
    assert scope.cancelled_caught
    assert page._context.attachment.listeners == listeners
    await page.session.send("Page.stopLoading")
    await check_clean(page, known)
    with page.sessions[0].events("Runtime.consoleAPICalled") as events, trio.fail_after(30):
        heard = -1
        while len(events._events) > heard:  # the console is left on for a moment
            heard = len(events._events)
            await evaluate(page.session, "console.error('off?')")
            await page.sessions[0].send("Page.getFrameTree")
            await trio.sleep(0.2)
