"""Back, forward and reload: whole documents, steps within one, frames, and documents that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio

from hybridsnap import NavigationFailed, TargetCrashed
from hybridsnap.deadline import Deadline
from tests.support.http import Request, Response, attachment
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page
    from tests.support.pages import Content, PageServer

_SHOWN = (
    "<script>onpageshow = (event) => { document.title += event.persisted ? ' kept' : ' loaded' }</script>"
)
_PAGES: dict[str, Content] = {
    "/a": f"<!doctype html><title>A</title><p>a{_SHOWN}",
    "/b": f"<!doctype html><title>B</title><p>b{_SHOWN}",
    "/steps": "<!doctype html><title>Steps</title><p>steps"
    "<script>history.pushState({}, '', '/step-1'); history.pushState({}, '', '/step-2#end')</script>",
    "/frames": f"<!doctype html><title>Frames</title>{_SHOWN}<iframe src='/a'></iframe>"
    "<iframe src='http://localhost:{PORT}/b'></iframe>",
    "/outer": "<!doctype html><title>Outer</title><iframe name=inner src='/a'></iframe>"
    "<a href='/b' target=inner>on</a>",
    "/never": '<!doctype html><title>Never</title><p>here<img src="/hang">',
}


class Changing:
    """A page that answers otherwise each time."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answer: Response | None = None
        self.hold: trio.Event | None = None
        self.body = ""

    async def __call__(self, request: Request) -> Response:
        self.requests.append(request)
        if self.hold is not None:
            await self.hold.wait()
        number = len(self.requests)
        headers = {"Cache-Control": "no-store"}
        return self.answer or Response(f"<title>Number {number}</title>{self.body}".encode(), headers=headers)


@pytest.fixture
def changing() -> Changing:
    return Changing()


@pytest.fixture
async def pages(changing: Changing) -> AsyncIterator[PageServer]:
    async with serve_pages({**_PAGES, "/changing": changing}) as server:
        yield server


async def value(page: Page, expression: str) -> Any:
    result = await page.session.send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
    return result["result"].get("value")


async def visit(browser: Browser, *urls: str) -> Page:
    page = await browser.new_page()
    for url in urls:
        await page.goto(url, timeout=10)
    return page


async def test_back_and_forward(browser: Browser, pages: PageServer) -> None:
    page = await visit(browser, pages.url("/a"), pages.url("/changing"), pages.url("/b", "localhost"))
    for step, path, host in (
        (page.go_back, "/changing", "127.0.0.1"),
        (page.go_back, "/a", "127.0.0.1"),
        (page.go_forward, "/changing", "127.0.0.1"),
        (page.go_forward, "/b", "localhost"),
    ):
        went = await step(timeout=10)
        assert (went.reached, went.ended_by) == (True, "load")
        assert went.url == page.url == pages.url(path, host)
        assert await value(page, "location.href") == page.url


async def test_a_document_that_was_kept_is_loaded_at_once(browser: Browser, pages: PageServer) -> None:
    page = await visit(browser, pages.url("/frames"), pages.url("/a"))
    for _ in range(2):
        went = await page.go_back(timeout=10)
        assert (went.reached, went.ended_by) == (True, "load")
        # Chromium keeps it as a rule, not always.
        assert await value(page, "document.title") in {"Frames loaded kept", "Frames loaded"}
        snapshot = await page.snapshot(timeout=10)
        assert snapshot.report.complete
        assert [frame.url.rpartition("/")[2] for frame in snapshot.report.frames] == ["frames", "a", "b"]
        assert (await page.go_forward(timeout=10)).reached
        assert len((await page.snapshot(timeout=10)).report.frames) == 1


@pytest.mark.parametrize("times", [4, pytest.param(20, marks=pytest.mark.soak)])
async def test_the_history_is_asked_for_until_it_is_told(
    browser: Browser, pages: PageServer, times: int
) -> None:
    """Chromium refuses to tell it while a document that was kept takes its place again."""
    page = await visit(browser, pages.url("/a"), pages.url("/b"))
    deadline = Deadline.after(60)

    async def ask() -> None:
        while True:
            await page._navigator._entry(0, deadline)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        nursery.start_soon(ask)
        for _ in range(times):
            assert (await page.go_back(timeout=deadline)).reached
            assert (await page.go_forward(timeout=deadline)).reached
        nursery.cancel_scope.cancel()


async def test_a_step_within_the_document(browser: Browser, pages: PageServer) -> None:
    page = await visit(browser, pages.url("/a"), pages.url("/steps"))
    assert page.url == pages.url("/step-2#end")
    for step, path in ((page.go_back, "/step-1"), (page.go_back, "/steps"), (page.go_forward, "/step-1")):
        went = await step(timeout=10)
        assert (went.reached, went.ended_by, went.url) == (True, "same-document", pages.url(path))
    await page.go_back()
    assert (await page.go_back(timeout=10)).url == pages.url("/a")


async def test_a_step_of_a_frame(browser: Browser, pages: PageServer) -> None:
    page = await visit(browser, pages.url("/outer"))
    await value(page, "document.querySelector('a').click()")
    with trio.fail_after(30):
        while await value(page, "frames[0].location.pathname") != "/b":
            await page.sessions[0].send("Page.getFrameTree")
    went = await page.go_back(timeout=10)
    assert (went.reached, went.ended_by, went.url) == (True, "frame", pages.url("/outer"))
    assert await value(page, "frames[0].location.pathname") == "/a"
    assert (await page.go_forward(timeout=10)).ended_by == "frame"
    assert await value(page, "frames[0].location.pathname") == "/b"


async def test_there_is_nothing_to_go_to(browser: Browser) -> None:
    page = await browser.new_page()
    for step, word in ((page.go_back, "back"), (page.go_forward, "forward")):
        with pytest.raises(NavigationFailed, match=f"nothing to go {word} to") as caught:
            await step()
        assert caught.value.reason == "no history entry"
    with pytest.raises(ValueError, match="wait is one of"):
        await page.go_back(wait="ready")  # type: ignore[arg-type]  # the point


async def test_what_is_waited_for(browser: Browser, pages: PageServer, subtests: pytest.Subtests) -> None:
    waits: list[Any] = ["load", "domcontentloaded", "networkidle", "none"]
    page = await browser.new_page()
    for wait in waits:
        with subtests.test(wait):
            await page.goto(pages.url("/changing"), timeout=10)
            await page.goto(pages.url("/b"), timeout=10)
            for travel in (page.go_back, page.reload):
                went = await travel(wait=wait, timeout=10)
                assert (went.reached, went.ended_by) == (True, wait)
                assert (went.elapsed_ms >= 500) or wait != "networkidle"


async def test_reload(browser: Browser, pages: PageServer, changing: Changing) -> None:
    page = await visit(browser, pages.url("/changing"))
    assert (await page.reload(timeout=10)).reached
    assert await value(page, "document.title") == "Number 2"
    await page.reload(ignore_cache=True, timeout=10)
    assert changing.requests[-1].headers["cache-control"] == "no-cache"
    assert (await page.goto(pages.url("/steps"), timeout=10)).reached
    assert (await page.goto(pages.url("/a"), timeout=10)).reached
    assert (await page.reload(timeout=10)).url == pages.url("/a")


async def test_a_document_that_does_not_come_in_time(browser: Browser, pages: PageServer) -> None:
    page = await visit(browser, pages.url("/b"))
    await page.goto(pages.url("/never"), wait="domcontentloaded", timeout=10)
    went = await page.reload(timeout=0.7)
    assert (went.reached, went.ended_by) == (False, "deadline")
    assert (await page.go_back(timeout=10)).url == pages.url("/b")


async def test_a_page_that_still_loads_gives_way_to_one_that_is_slow(
    browser: Browser, pages: PageServer, changing: Changing
) -> None:
    page = await browser.new_page()
    changing.body = "<img src=/hang>"
    await page.goto(pages.url("/changing"), wait="domcontentloaded", timeout=10)
    changing.hold = trio.Event()
    went = await page.reload(timeout=1.2)
    assert (went.reached, went.ended_by) == (False, "deadline")
    changing.hold.set()


async def test_a_slow_answer_is_not_taken_for_none(
    browser: Browser, pages: PageServer, changing: Changing
) -> None:
    page = await visit(browser, pages.url("/changing"))
    hold = changing.hold = trio.Event()
    async with trio.open_nursery() as nursery:

        async def let_go() -> None:
            with trio.fail_after(30):
                while len(changing.requests) < 2:  # noqa: ASYNC110 - the server's list
                    await trio.sleep(0.02)
            await trio.sleep(0.8)
            hold.set()

        nursery.start_soon(let_go)
        went = await page.reload(timeout=10)
    assert (went.reached, went.ended_by) == (True, "load")
    assert await value(page, "document.title") == "Number 2"


@pytest.mark.parametrize(
    "answer", [Response(status=204), attachment(b"x", "x.bin")], ids=["no content", "download"]
)
async def test_an_answer_that_is_no_document(
    browser: Browser, pages: PageServer, changing: Changing, answer: Response
) -> None:
    page = await visit(browser, pages.url("/changing"))
    changing.answer = answer
    with trio.fail_after(20), pytest.raises(NavigationFailed, match="brought no document"):
        await page.reload(timeout=30)
    assert await value(page, "document.title") == "Number 1"


async def test_a_server_that_has_gone(browser: Browser, pages: PageServer) -> None:
    page = await visit(browser, pages.url("/b"))
    async with serve_pages({"/": Response(b"<p>here", headers={"Cache-Control": "no-store"})}) as other:
        await page.goto(other.url(), timeout=10)
    for _ in range(2):  # the second time from the browser's error page
        with pytest.raises(NavigationFailed, match="could not be loaded again") as caught:
            await page.reload(timeout=10)
        assert caught.value.url == other.url()
        assert str(caught.value).startswith(other.url())
    async with serve_pages({"/": "<title>Up again</title>"}, port=other.port):
        assert (await page.reload(timeout=10)).status == 200
        assert (page.url, await page.evaluate("document.title")) == (other.url(), "Up again")
    with pytest.raises(NavigationFailed, match="could not be loaded again"):
        await page.reload(timeout=10)
    await page.goto(pages.url("/b"), timeout=10)
    with pytest.raises(NavigationFailed, match="could not be loaded again"):
        await page.go_back(timeout=10)


async def test_reload_brings_a_crashed_page_back(browser: Browser, pages: PageServer) -> None:
    page = await visit(browser, pages.url("/a"))
    page.sessions[0].post("Page.crash", {}, lambda _: None)
    with trio.fail_after(30):
        await page.sessions[0].wait_ended()
    with pytest.raises(TargetCrashed):
        await page.go_back()
    went = await page.reload(timeout=10)
    assert (went.reached, went.ended_by) == (True, "load")
    assert "a" in (await page.snapshot(timeout=10)).combined_tree
