"""What a page is in the middle of when its connection drops: each goes on, or ends and says what was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

import hybridsnap
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import ConnectionLost, DownloadFailed, TargetDetached, WaitTimeout
from tests.support.faults import cut, until
from tests.support.hosted_browser import borrow_browser
from tests.support.http import Response
from tests.support.pages import serve_pages
from tests.support.relay import Relay, relaying
from tests.support.server_stage import serving
from tests.support.slow_file import SlowFile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    from hybridsnap import Browser, Page
    from tests.support.pages import PageServer

_PAGES = {
    "/": """<!doctype html><title>Here</title>
<a id=file href=/file>file</a> <input type=file id=it>
<button id=choose onclick="it.click()">Choose</button> <p id=log></p>
<script>it.onchange = () => log.append(it.files[0].name)</script>""",
    "/workers": """<!doctype html><title>Workers</title><script>
const dedicated = new Worker('/dedicated.js');
const shared = new SharedWorker('/shared.js');
navigator.serviceWorker.register('/service.js');
const say = async (text) => {
  dedicated.postMessage(text);
  shared.port.postMessage(text);
  (await navigator.serviceWorker.ready).active.postMessage(text);
};
</script>""",
}
_WORKERS = {
    "/dedicated.js": "onmessage = (event) => console.log('dedicated', event.data);",
    "/shared.js": "onconnect = ({ports: [port]}) => {"
    " port.onmessage = (event) => console.log('shared', event.data); };",
    "/service.js": "onmessage = (event) => console.log('service', event.data);",
}


@pytest.fixture
def relay(browser_endpoint: str) -> Iterator[Relay]:
    with relaying(browser_endpoint) as relay:
        yield relay


@pytest.fixture
async def browser(relay: Relay, browser_endpoint: str) -> AsyncIterator[Browser]:
    endpoint = f"ws://{relay.address}/{browser_endpoint.split('/', 3)[3]}"
    async with borrow_browser(endpoint, reconnect=True) as browser:
        yield browser


@pytest.fixture
def held() -> SlowFile:
    return SlowFile("held.bin")


@pytest.fixture
async def pages(held: SlowFile) -> AsyncIterator[PageServer]:
    scripts = {path: Response(text.encode(), "text/javascript") for path, text in _WORKERS.items()}
    async with serve_pages({**_PAGES, **scripts, "/file": held}) as pages:
        yield pages


@pytest.fixture
async def page(browser: Browser, pages: PageServer) -> Page:
    return await browser.new_page(pages.url("/"))


async def paint(page: Page, colour: str) -> None:
    await page.evaluate("(colour) => { document.documentElement.style.background = colour; }", colour)


async def beside(browser_endpoint: str, page: Page, script: str) -> None:
    """Run a script as a user's doing, over a connection that stands."""
    async with hybridsnap.connect(browser_endpoint) as direct:
        session = (await direct.page(page.target_id)).session
        await session.send("Runtime.evaluate", {"expression": script, "userGesture": True})


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


# Sessions of frames.


async def test_frames_are_waited_for_over_a_drop(relay: Relay, browser: Browser, page: Page) -> None:
    stood: list[bool] = []

    async def settle() -> None:
        await page.settled(Deadline.after(20))
        stood.append(browser.connection.standing)

    page._context.attachment.root.attached = False  # as before the browser confirms it
    async with trio.open_nursery() as nursery:
        nursery.start_soon(settle)
        await trio.testing.wait_all_tasks_blocked(0.05)
        await cut(relay, browser)
    assert stood == [True]


# Dialogs.


async def test_of_a_dialog_that_is_open_nothing_is_known_any_more(
    relay: Relay, browser: Browser, page: Page, pages: PageServer
) -> None:
    page.session.post("Runtime.evaluate", {"expression": "alert('open')"}, ignore_reply)
    await until(lambda: bool(page.dialogs))
    await cut(relay, browser)
    await until(lambda: browser.connection.standing)
    assert page.dialogs == ()
    assert (await page.goto(pages.url("/workers"), timeout=10)).reached


# Frames.


async def test_frames_are_recorded_on(relay: Relay, browser: Browser, page: Page, tmp_path: Path) -> None:
    await page.bring_to_front()
    async with page.record_frames(tmp_path) as recording:
        await until(lambda: bool(recording.frames))
        await cut(relay, browser)
        await page.snapshot()
        before = len(recording.frames)
        await paint(page, "rgb(0, 0, 255)")
        await until(lambda: len(recording.frames) > before)
    assert recording.interruptions == 1


async def test_a_recording_whose_connection_is_gone_says_so(
    relay: Relay, browser: Browser, page: Page, tmp_path: Path
) -> None:
    recordings = []

    async def record() -> None:
        async with page.record_frames(tmp_path) as recording:
            recordings.append(recording)
            await until(lambda: bool(recording.frames))
            relay.shut = True
            await cut(relay, browser)

    with pytest.raises(ConnectionLost, match="could not be made again within 5"), trio.fail_after(15):
        await record()
    relay.shut = False
    assert recordings[0].frames


# A trace.


async def test_a_trace_ends_and_says_so(relay: Relay, browser: Browser, page: Page) -> None:
    await page.trace.start()
    await cut(relay, browser)
    await page.snapshot()
    assert not page.trace.recording
    with pytest.raises(TargetDetached, match="the trace is lost"):
        await page.trace.stop()
    await page.trace.start()
    assert (await page.trace.stop()).data.startswith(b"{")


async def test_a_trace_that_is_ended_while_the_connection_is_down(
    relay: Relay, browser: Browser, page: Page
) -> None:
    await page.trace.start()
    relay.shut = True
    await cut(relay, browser)
    with pytest.raises(ConnectionLost, match="could not be made again"):
        await page.trace.stop(timeout=0.3)
    relay.shut = False
    await page.trace.start()
    await cut(relay, browser)
    with pytest.raises(TargetDetached, match="the trace is lost"):
        await page.trace.stop()
    relay.shut = True
    await cut(relay, browser)
    with pytest.raises(ConnectionLost, match="could not be made again"):
        await page.trace.start(timeout=0.3)
    relay.shut = False
    await page.trace.start()
    assert (await page.trace.stop()).data.startswith(b"{")


# Downloads.


async def test_a_download_that_was_under_way(
    relay: Relay, browser: Browser, page: Page, held: SlowFile, tmp_path: Path
) -> None:
    async def download() -> None:
        async with page.expect_download(tmp_path) as download:
            await page.click("#file")
            await until(lambda: download.received > 0)
            await cut(relay, browser)
            await page.snapshot()

    with pytest.raises(ConnectionLost, match="during a download") as caught, trio.fail_after(20):
        await download()
    assert caught.value.may_have_been_executed
    held.go.set()
    assert not files(tmp_path)


async def test_a_download_that_begins_after_the_drop(
    relay: Relay, browser: Browser, page: Page, held: SlowFile, tmp_path: Path
) -> None:
    held.go.set()
    async with page.expect_download(tmp_path) as download:
        await cut(relay, browser)
        await page.click("#file")
    assert download.path is not None
    assert download.path.stat().st_size == 100_000


async def test_what_begins_unheard(
    relay: Relay, browser: Browser, pages: PageServer, held: SlowFile, tmp_path: Path, browser_endpoint: str
) -> None:
    """A download and a file chooser: each is waited for to its deadline."""
    held.go.set()
    downloads, chooses = [await browser.new_page(pages.url("/")) for _ in range(2)]
    begun = trio.Event()

    async def download(*, task_status: trio.TaskStatus[None]) -> None:
        with pytest.raises(DownloadFailed, match="the connection dropped meanwhile"):  # noqa: PT012 - a block in a block
            async with downloads.expect_download(tmp_path, timeout=5):
                task_status.started()
                await begun.wait()

    async def choose(*, task_status: trio.TaskStatus[None]) -> None:
        with pytest.raises(WaitTimeout, match="the connection dropped meanwhile"):  # noqa: PT012 - a block in a block
            async with chooses.expect_file_chooser(timeout=5):
                task_status.started()
                await begun.wait()

    async with trio.open_nursery() as nursery:
        await nursery.start(download)
        await nursery.start(choose)
        relay.shut = True
        await cut(relay, browser)
        await beside(browser_endpoint, downloads, "file.click()")
        await beside(browser_endpoint, chooses, "it.click()")
        relay.shut = False
        begun.set()


# Workers.


async def test_workers_are_heard_again(relay: Relay, browser: Browser, pages: PageServer) -> None:
    browser.record = ("console",)
    page = await browser.new_page(pages.url("/workers"))

    async def say(what: str, count: int) -> list[str]:
        """What has been said, as soon as there is so much."""
        await page.evaluate(f"say('{what}')")
        said: list[str] = []
        with trio.fail_after(30):
            while len(said) < count:
                await trio.sleep(0.05)
                said = sorted(one.text for one in await page.console.messages())
        return said

    await say("before", 3)
    await cut(relay, browser)
    await say("between", 6)
    await cut(relay, browser)
    whose = ("dedicated", "service", "shared")
    assert await say("then", 9) == [
        f"{one} {when}" for one in whose for when in ("before", "between", "then")
    ]


# A file chooser.


async def test_a_chooser_that_opens_after_the_drop(
    relay: Relay, browser: Browser, page: Page, tmp_path: Path
) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a")
    async with page.expect_file_chooser([file]):
        await cut(relay, browser)
        await page.click("#choose")
    assert await page.evaluate("log.textContent") == "a.txt"


async def test_a_chooser_that_was_open_at_the_drop(
    relay: Relay, browser: Browser, page: Page, tmp_path: Path
) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a")
    async with page.expect_file_chooser() as chooser:
        await page.click("#choose")
        await until(lambda: chooser.opened)
        await cut(relay, browser)
    await chooser.set_files([file])
    assert await page.evaluate("log.textContent") == "a.txt"


# What is waited for.


async def test_waits_go_on_and_scripts_say_that_they_do_not(
    relay: Relay, browser: Browser, page: Page, browser_endpoint: str, held: SlowFile
) -> None:
    held.go.set()
    came: dict[str, object] = {}

    async def keep(name: str, work: Callable[[], Awaitable[object]]) -> None:
        try:
            came[name] = await work()
        except ConnectionLost as error:
            came[name] = error

    await page.network.start()
    async with trio.open_nursery() as nursery:
        for name, work in {
            "text": lambda: page.wait_for(text="words came"),
            "response": lambda: page.network.wait_for_response("**/workers"),
            "tab": browser.wait_for_page,
            "script": lambda: page.evaluate("new Promise(() => 0)"),
        }.items():
            nursery.start_soon(keep, name, work)
        await trio.testing.wait_all_tasks_blocked(0.2)
        await cut(relay, browser)
        with trio.fail_after(10):
            await until(lambda: "script" in came)
        await page.snapshot()
        assert set(came) == {"script"}
        script = "log.append('words came'); fetch('/workers').then((it) => it.text()); open('about:blank')"
        await beside(browser_endpoint, page, script)
        with trio.fail_after(20):
            await until(lambda: len(came) == 4)
    assert isinstance(came.pop("script"), ConnectionLost)
    assert not any(isinstance(one, ConnectionLost) for one in came.values())


async def test_who_follows_requests_is_told_of_the_gap(relay: Relay, browser: Browser, page: Page) -> None:
    await page.network.start()
    with page.network.follow() as requests:
        await cut(relay, browser)
        await page.evaluate("fetch('/workers').then((it) => it.text())")
        came = []
        with trio.fail_after(20):
            async for one in requests:  # the browser asks for an icon, too
                came.append(one)
                if isinstance(one, hybridsnap.NetworkRequest) and one.url.endswith("/workers"):
                    break
    assert hybridsnap.Dropped(0) in came[:-1]


# A server's stream of events.


async def test_events_of_a_server_go_on(relay: Relay, browser_endpoint: str, pages: PageServer) -> None:
    endpoint = f"ws://{relay.address}/{browser_endpoint.split('/', 3)[3]}"
    async with serving(endpoint) as served, served.reader() as events:
        mine = {"Hybridsnap-Session": (await events.until("session"))["sessionId"]}
        target = await served.open(pages.url("/"), **mine)
        await events.until("navigation", targetId=target)
        for number in (1, 2):
            relay.cut()
            told = await events.until("reattached", targetId=target)
            where = pages.url("/") + ("#1" if number == 2 else "")
            assert told["url"] == where
            await served.done(
                "/control/act", mine, targetId=target, action="goto", url=pages.url(f"/#{number}")
            )
            await events.until("navigation", url=pages.url(f"/#{number}"), sameDocument=True)
        await served.done("/control/act", mine, targetId=target, action="goto", url=pages.url("/workers"))
        await events.until("navigation", url=pages.url("/workers"))


# One page's own socket.


async def test_a_page_s_own_socket(relay: Relay, browser_endpoint: str, pages: PageServer) -> None:
    async with hybridsnap.connect(browser_endpoint) as direct:
        tab = await direct.new_page(pages.url("/"))
        own = f"ws://{relay.address}/devtools/page/{tab.target_id}"
        async with hybridsnap.connect(own, reconnect=True, record=["console", "network"]) as only:
            page = await only.page()
            await page.emulation.set(time_zone="Asia/Tokyo")
            before = await page.snapshot()
            await page.evaluate("console.log('before')")
            await cut(relay, only)
            await page.evaluate("console.log('after')")
            after = await page.snapshot()
            assert after.combined_tree == before.combined_tree
            assert any("made again" in note for note in after.report.notes)
            assert [one.text for one in await page.console.messages()] == ["before", "after"]
            zone = await page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
            assert zone == "Asia/Tokyo"
            await page.click(str(before.find(name="Choose")[0].id))
            relay.shut = True
            await cut(relay, only)
            await tab.close()
            relay.shut = False
            with pytest.raises(ConnectionLost, match="is not there any more"):
                await page.snapshot()
