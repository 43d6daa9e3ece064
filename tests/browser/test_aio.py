"""`hybridsnap.aio`: the client for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import os
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import pytest
from anyio.from_thread import start_blocking_portal

import hybridsnap
from hybridsnap import aio, sync
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator

    from tests.support.pages import Content, PageServer

P = ParamSpec("P")
_PAGES: dict[str, Content] = {
    "/": "<title>Home</title><button onclick=\"this.textContent = 'Done'\">Go</button>"
    '<a href="/other.html" target="_blank">Other</a><a id="file" href="/file.csv" download>File</a>',
    "/other.html": "<title>Other</title><p>Other",
    "/file.csv": b"one,two",
}


@pytest.fixture(scope="module")
def pages() -> Iterator[PageServer]:
    with (
        start_blocking_portal("trio") as portal,
        portal.wrap_async_context_manager(serve_pages(_PAGES)) as served,
    ):
        yield served


def in_asyncio(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """The test runs in asyncio's loop; trio's has the others."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


@contextlib.asynccontextmanager
async def a_page(endpoint: str, pages: PageServer) -> AsyncIterator[aio.Page]:
    async with aio.connect(endpoint) as browser:
        page = await browser.new_page(pages.url("/"))
        try:
            yield page
        finally:
            await page.close()


@in_asyncio
async def test_what_a_program_does(browser_endpoint: str, pages: PageServer, tmp_path: Path) -> None:
    async with a_page(browser_endpoint, pages) as page:
        button = (await page.snapshot()).find(role="button", name="Go")[0]
        await page.click(button.id)
        assert await page.text(button.id) == "Done"
        async with page.expect_popup() as popup:
            await page.click("a", nth=0)
        assert popup.page.opener is page
        await popup.page.close()
        async with page.expect_download(tmp_path) as download:
            await page.click("#file")
        assert download.path is not None
        assert download.path.read_bytes() == b"one,two"
        with page.arm_dialog(accept=False) as armed:
            assert await page.evaluate("confirm('Sure?')") is False
        assert len(armed.given) == 1


@in_asyncio
async def test_proxies_are_stable_and_errors_the_clients(browser_endpoint: str, pages: PageServer) -> None:
    async with a_page(browser_endpoint, pages) as page:
        assert page in await page.browser.pages()
        assert page.browser.session is page.browser.session
        assert isinstance(page, aio.Page)
        with pytest.raises(hybridsnap.SelectorError) as caught:
            await page.click("#nothing", wait=False, timeout=5)
        frames = traceback.extract_tb(caught.value.__traceback__)
        assert frames[0].name == "test_proxies_are_stable_and_errors_the_clients"
        assert not [frame for frame in frames if f"{os.sep}anyio{os.sep}" in frame.filename]
        with pytest.raises(hybridsnap.WaitTimeout):
            async with page.expect_popup(timeout=0.2):
                pass
        with pytest.raises(KeyError, match="mine"):
            async with page.expect_popup():
                raise KeyError("mine")


@in_asyncio
async def test_events_are_iterated(browser_endpoint: str, pages: PageServer) -> None:
    async with a_page(browser_endpoint, pages) as page:
        await page.session.send("Page.enable")
        seen = []
        with page.session.events("Page.loadEventFired", "Page.frameNavigated") as events:
            await page.reload()
            async for method, _ in events:
                seen.append(method)
                if len(seen) == 2:
                    events.close()
        assert sorted(seen) == ["Page.frameNavigated", "Page.loadEventFired"]


@in_asyncio
async def test_calls_run_side_by_side_and_the_loop_goes_on(browser_endpoint: str, pages: PageServer) -> None:
    async with a_page(browser_endpoint, pages) as page:
        waiting = asyncio.create_task(page.evaluate("new Promise(go => window.go = go)", timeout=60))
        values = await asyncio.gather(*(page.attributes("button", timeout=60) for _ in range(5)))
        assert values == [values[0]] * 5
        assert not waiting.done()
        # The lane of another evaluation is this one's session: it goes round the one that waits.
        await page.session.send("Runtime.evaluate", {"expression": "go('gone')"})
        assert await waiting == "gone"


@in_asyncio
async def test_cancelling_a_task_ends_the_script_it_waits_for(
    browser_endpoint: str, pages: PageServer
) -> None:
    """When the cancellation is through, so is the clean-up: the script was ended, the page answers."""
    async with a_page(browser_endpoint, pages) as page:
        metrics = page.browser.metrics
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await page.evaluate("while (true) {}", timeout=60)
        assert (metrics.evaluations.count, metrics.terminations) == (1, 1)
        assert await page.evaluate("1 + 1", timeout=5) == 2


@in_asyncio
async def test_cancelling_detaches(browser_endpoint: str, pages: PageServer) -> None:
    """A task that is cancelled in its block, or while it opens a browser, leaves no session behind."""

    async def attached(browser: aio.Browser) -> set[str]:
        infos = (await browser.session.send("Target.getTargets"))["targetInfos"]
        return {info["targetId"] for info in infos if info["type"] == "page" and info["attached"]}

    async def hold(begun: asyncio.Event) -> None:
        async with a_page(browser_endpoint, pages) as page:
            targets.append(page.target_id)
            begun.set()
            await page.wait_for(text="never", timeout=60)

    targets: list[str] = []
    async with aio.connect(browser_endpoint) as watching:
        before = await attached(watching)
        begun = asyncio.Event()
        task = asyncio.create_task(hold(begun))
        await begun.wait()
        assert targets[0] in await attached(watching)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await attached(watching) <= before
        assert targets[0] not in await watching.page_ids()


def guardians() -> set[int]:
    """Of the browsers that this process has launched."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            ours = f"PPid:\t{os.getpid()}\n" in status.read_text()
            if ours and b"watchdog.py" in status.with_name("cmdline").read_bytes():
                found.add(int(status.parent.name))
    return found


@in_asyncio
async def test_cancelled_while_it_launches_leaves_no_browser() -> None:
    before = guardians()
    for seconds in (0.0, 0.03, 0.2):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), aio.launch():
                await asyncio.sleep(60)
        assert guardians() == before


@in_asyncio
async def test_context_variables_are_the_callers(browser_endpoint: str) -> None:
    request: contextvars.ContextVar[str] = contextvars.ContextVar("request")

    def version() -> Generator[dict[str, Any], dict[str, Any], str]:
        yield {"method": "Browser.getVersion", "params": {}}
        return request.get()

    async def one(session: aio.Session, name: str) -> str:
        request.set(name)
        return await session.execute(version())

    async with aio.connect(browser_endpoint) as browser:
        names = await asyncio.gather(one(browser.session, "a"), one(browser.session, "b"))
    assert list(names) == ["a", "b"]
    with sync.connect(browser_endpoint) as blocking:
        request.set("c")
        assert blocking.session.execute(version()) == "c"


def test_one_browser_from_two_loops_and_beside_sync(browser_endpoint: str, pages: PageServer) -> None:
    """A page belongs to no loop: each call is waited for where it is made."""
    opened: list[aio.Page] = []
    release = threading.Event()

    async def first(ready: threading.Event) -> None:
        async with a_page(browser_endpoint, pages) as page:
            opened.append(page)
            ready.set()
            await asyncio.to_thread(release.wait)

    async def second() -> str:
        return (await opened[0].snapshot()).report.title

    ready = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(first(ready)))
    thread.start()
    try:
        assert ready.wait(30)
        assert asyncio.run(second()) == "Home"
        with sync.connect(browser_endpoint) as browser:
            assert browser.page(opened[0].target_id).snapshot().report.title == "Home"
    finally:
        release.set()
        thread.join()
