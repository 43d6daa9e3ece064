"""`hybridsnap.sync`: the client for code that blocks, from several threads, to whatever end."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trio
from anyio.from_thread import start_blocking_portal

import hybridsnap
from hybridsnap import sync
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.pages import PageServer

_PAGES = {
    "/": "<title>Home</title><button onclick=\"this.textContent = 'Done'\">Go</button>"
    '<a href="/other.html" target="_blank">Other</a><input type="file">',
    "/other.html": "<title>Other</title><p>Other",
    "/file": "one,two",
}


@pytest.fixture(scope="module")
def pages() -> Iterator[PageServer]:
    with (
        start_blocking_portal("trio") as portal,
        portal.wrap_async_context_manager(serve_pages(_PAGES)) as served,
    ):
        yield served


@pytest.fixture
def browser(browser_endpoint: str) -> Iterator[sync.Browser]:
    with sync.connect(browser_endpoint) as browser:
        yield browser


@pytest.fixture
def page(browser: sync.Browser, pages: PageServer) -> Iterator[sync.Page]:
    page = browser.new_page(pages.url("/"))
    yield page
    page.close()


def test_what_the_readme_of_a_blocking_program_does(page: sync.Page) -> None:
    snapshot = page.snapshot()
    button = snapshot.find(role="button", name="Go")[0]
    receipt = page.click(button.id or "")
    assert receipt.action == "click"
    assert page.text(button.id) == "Done"
    assert "Done" in str(page.snapshot().diff(snapshot))
    assert page.wait_for(text="Done").conditions == ("text='Done'",)


def test_one_object_has_one_proxy(browser: sync.Browser, page: sync.Page) -> None:
    assert page.browser is browser
    assert page.session is page.session
    assert page in browser.pages()
    assert browser.page(page.target_id) is page
    assert browser.known_page(page.target_id) is page
    assert isinstance(page, sync.Page)
    assert repr(page).startswith(f"<sync Page {page.target_id}")


def test_popups_know_their_opener_as_a_proxy_too(browser: sync.Browser, page: sync.Page) -> None:
    with page.expect_popup() as popup:
        page.click("a")
    assert popup.page.opener is page
    popup.page.close()
    page.click("a")
    other = browser.wait_for_page(page)
    assert other.opener is page
    other.close()


def test_choosers_dialogs_events(page: sync.Page, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a")
    with page.expect_file_chooser() as chooser:
        page.click("input")
    chooser.set_files(file)
    assert page.evaluate("document.querySelector('input').files[0].name") == "a.txt"
    with page.arm_dialog(accept=False) as armed:
        assert page.evaluate("confirm('Sure?')") is False
    assert [seen.dialog.message for seen in armed.given] == ["Sure?"]
    page.session.send("Page.enable")
    with page.session.events("Page.loadEventFired", "Page.frameNavigated") as events:
        page.reload()
        methods = [next(events)[0], next(events)[0]]
        events.close()
        assert list(events) == []
    assert sorted(methods) == ["Page.frameNavigated", "Page.loadEventFired"]


def test_errors_are_the_clients_and_begin_with_the_caller(page: sync.Page) -> None:
    with pytest.raises(hybridsnap.SelectorError) as caught:
        page.click("#nothing", wait=False, timeout=5)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[0].name == "test_errors_are_the_clients_and_begin_with_the_caller"
    assert not [frame for frame in frames if {"anyio", "trio"} & {*Path(frame.filename).parts}]
    assert "click" in [frame.name for frame in frames]
    with pytest.raises(TypeError, match="url"):
        page.goto()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="positive"):
        page.snapshot(timeout=0)
    with pytest.raises(hybridsnap.WaitTimeout), page.expect_popup(timeout=0.2):
        pass
    with pytest.raises(KeyError, match="mine"), page.expect_popup():
        raise KeyError("mine")


def test_several_threads_at_once(browser: sync.Browser, pages: PageServer) -> None:
    """A thread that waits on a page delays no other, on that page or on others."""
    tabs = [browser.new_page(pages.url("/")) for _ in range(2)]
    together = threading.Barrier(4)

    def work(number: int) -> tuple[str, int]:
        page = tabs[number % 2]
        together.wait(30)
        values = [page.evaluate("n => n", number * 100 + step) for step in range(5)]
        return page.snapshot().report.title, sum(values)

    with ThreadPoolExecutor(5) as pool:
        waiting = pool.submit(tabs[0].evaluate, "new Promise(go => window.go = go)")
        found = list(pool.map(work, range(4)))
        tabs[0].evaluate("go('gone')")
        assert waiting.result() == "gone"
    assert found == [("Home", 500 * number + 10) for number in range(4)]
    for page in tabs:
        page.close()


def test_leaving_the_block_ends_what_other_threads_do(browser: sync.Browser, browser_endpoint: str) -> None:
    with ThreadPoolExecutor(1) as pool:
        with sync.connect(browser_endpoint) as other:
            page = other.new_page()
            begun = threading.Event()

            def watch() -> None:
                with page.session.events("Page.loadEventFired"):
                    begun.set()
                    page.wait_for(text="never", timeout=600)

            waiting = pool.submit(watch)
            begun.wait()
        with pytest.raises(hybridsnap.ConnectionLost):
            waiting.result()
    with pytest.raises(hybridsnap.ConnectionLost):
        other.page_ids()
    assert page.url == "about:blank"  # what is known is known still
    browser.page(page.target_id).close()


def test_a_deadline_cancels_calls_from_another_thread(page: sync.Page) -> None:
    deadline = hybridsnap.Deadline.after(600)
    begun = threading.Event()
    page.evaluate("document.title = 'waits'")

    def wait() -> None:
        begun.set()
        page.wait_for(text="never", timeout=deadline)

    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(wait), pool.submit(page.evaluate, "new Promise(() => {})", timeout=deadline)]
        begun.wait()
        assert concurrent.futures.wait(waiting, 0.2).not_done == set(waiting)
        deadline.cancel()
        for one in waiting:
            with pytest.raises(hybridsnap.DeadlineExceeded, match="was cancelled"):
                one.result(60)
    assert deadline.cancelled
    with pytest.raises(hybridsnap.DeadlineExceeded):
        page.snapshot(timeout=deadline)
    assert page.evaluate("document.title") == "waits", "the page goes on"
    deadline.cancel()


def test_callbacks_run_on_the_background_thread_and_cannot_wait(browser: sync.Browser) -> None:
    told: list[Any] = []
    done = threading.Event()

    def deliver(_: object) -> None:
        told.append(threading.current_thread() is not threading.main_thread())
        told.append(browser.session.target_id)
        try:
            browser.page_ids()
        except RuntimeError as error:
            told.append(str(error))
        done.set()

    browser.session.post("Browser.getVersion", {}, deliver)
    assert done.wait(10)
    assert told[:2] == [True, None]
    assert "callback" in told[2]


def test_inside_a_running_asyncio_loop(browser_endpoint: str, pages: PageServer) -> None:
    async def cell() -> str:
        with sync.connect(browser_endpoint) as browser:
            page = browser.new_page(pages.url("/other.html"))
            tree = page.snapshot().combined_tree
            page.close()
            return tree

    assert "RootWebArea: Other" in asyncio.run(cell())


def test_cells_of_a_notebook(browser_endpoint: str, pages: PageServer) -> None:
    """One asyncio loop runs all the time, in the thread that the cells run in; a browser spans cells."""
    cells = [
        "stack = contextlib.ExitStack()",
        "page = stack.enter_context(sync.connect(endpoint)).new_page(address)",
        "page.click('button')",
        "shown = page.text('button')",
        "page.close(); stack.close()",
    ]
    names: dict[str, Any] = {"contextlib": contextlib, "sync": sync, "endpoint": browser_endpoint}
    names["address"] = pages.url("/")

    async def kernel() -> None:
        for cell in cells:
            exec(cell, names)
            await asyncio.sleep(0)

    asyncio.run(kernel())
    assert names["shown"] == "Done"


def test_a_trio_task_is_told_what_to_use(browser_endpoint: str) -> None:
    async def main() -> None:
        with sync.connect(browser_endpoint):
            pass

    with pytest.raises(RuntimeError, match=r"trio task.*use hybridsnap itself"):
        trio.run(main)


def test_renderings_are_noted_on_the_pages_thread(page: sync.Page) -> None:
    snapshot = page.snapshot()
    ref = re.search(r'button "Go" \[ref=(\w+)\]', snapshot.render("role"))
    assert ref is not None
    assert page.text(ref[1]) == "Go"


def test_a_block_is_entered_once(browser_endpoint: str) -> None:
    opening = sync.connect(browser_endpoint)
    with pytest.raises(RuntimeError, match="not been entered"):
        opening.__exit__(None, None, None)
    with opening:
        pass
    with pytest.raises(RuntimeError, match="entered before"), opening:
        pass


def test_a_failed_launch_says_why() -> None:
    with pytest.raises(hybridsnap.BrowserNotFound), sync.launch("/no/such/browser"):
        pass
    with pytest.raises(TypeError, match="unexpected"):
        sync.launch(what=1)  # type: ignore[call-arg]


# Ends. Each in a process of its own, which tells its browser's pid and profile first.

_BEGIN = """
import os, signal, sys, threading, contextlib
from hybridsnap.sync import launch
def tell(browser):
    print(browser.process.pid, flush=True)
"""


@contextlib.contextmanager
def program(code: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A program that has told its browser's pid."""
    with subprocess.Popen(
        [sys.executable, "-c", _BEGIN + textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,  # what a buffer has read ahead of the first line, `communicate` would not have
    ) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def told(process: subprocess.Popen[bytes]) -> tuple[str, str]:
    """What else a program has said when it has ended, and its errors."""
    out, err = process.communicate(timeout=60)
    return out.decode(), err.decode()


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_ctrl_c_leaves_no_browser(pages: PageServer) -> None:
    """Whether a script, an address or an event is waited for."""
    code = """
    hangs = (
        lambda page: page.evaluate("while (true) {}", timeout=600),
        lambda page: (page.expect_popup(timeout=600).__enter__(), page.goto(address, timeout=600)),
        lambda page: list(page.session.events("Page.loadEventFired").__enter__()),
    )
    for hang in hangs:
        try:
            with launch() as browser:
                page = browser.new_page()
                tell(browser)
                threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
                hang(page)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            try:
                os.kill(browser.process.pid, 0)
            except ProcessLookupError:
                print("gone", flush=True)
    """
    with program(f"address = {pages.url('/hang')!r}\n" + textwrap.dedent(code)) as (process, first):
        out, err = told(process)
        assert err == ""
        lines = [str(first), *out.splitlines()]
        assert lines[1::3] == ["interrupted"] * 3
        assert lines[2::3] == ["gone"] * 3
        assert not [pid for pid in lines[::3] if exists(int(pid))]


#: A request that the script waits for tells that it runs.
_LOOP = """const request = new XMLHttpRequest(); request.open('GET', '/file', false); request.send();
    while (true) {}"""


def test_ctrl_c_leaves_a_browser_that_goes_on_clean(page: sync.Page, pages: PageServer) -> None:
    """The interrupted call is over, cleaned up after, and the next one works."""
    metrics = page.browser.metrics
    before = pages.requests.count("/file")
    over = threading.Event()

    def interrupt() -> None:
        while not over.wait(0.01):
            if pages.requests.count("/file") > before:
                os.kill(os.getpid(), signal.SIGINT)
                return

    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            page.evaluate(_LOOP, timeout=60)
    finally:
        over.set()
        interrupting.join()
    assert (metrics.evaluations.count, metrics.terminations) == (1, 1)
    assert page.evaluate("1 + 1", timeout=20) == 2


#: What the program does last, its status, what it prints.
FORGOTTEN = {
    "in blocks": ("page.expect_popup(timeout=600).__enter__()", 0, ""),
    "while a thread waits": (
        """
threading.excepthook = lambda args: print(args.exc_type.__name__)
never = {"text": "never", "timeout": 600}
threading.Thread(target=page.wait_for, kwargs=never, daemon=True).start()
""",
        0,
        "",
    ),
    "but closed late": ("atexit.register(opening.__exit__, None, None, None); sys.exit(3)", 3, ""),
    "while a thread works": (
        "threading.Thread(target=lambda: print(page.snapshot().report.complete)).start()",
        0,
        "True\n",
    ),
}


_GENERATORS = """
class Late:
    def __del__(self):
        for attempt in (browser.page_ids, page.snapshot, launch().__enter__):
            try:
                attempt()
            except Exception as error:
                print(type(error).__name__, str(error).partition(":")[0], flush=True)

def opened():
    with launch() as browser:
        late = Late()
        page = browser.new_page()
        with page.arm_dialog(), page.session.events("Page.loadEventFired"), page.expect_popup():
            yield browser, page

held = opened()
browser, page = next(held)
tell(browser)
"""


def test_a_block_that_a_generator_holds_to_the_very_end() -> None:
    """Python finalizes it after `atexit`, when no other thread runs any more."""
    with program(_GENERATORS) as (process, pid):
        out, err = told(process)
        assert err == ""
        assert process.returncode == 0
        assert out == "ConnectionLost Python is ending\n" * 3
        assert not exists(pid)


@pytest.mark.parametrize("end", FORGOTTEN)
def test_a_forgotten_browser_ends_with_the_program(end: str) -> None:
    last, status, printed = FORGOTTEN[end]
    code = "import atexit\nopening = launch()\nbrowser = opening.__enter__()\npage = browser.new_page()\n"
    with program(f"{code}tell(browser)\n{last}") as (process, pid):
        out, err = told(process)
        assert err == ""
        assert process.returncode == status
        assert out.removeprefix("ConnectionLost\n") == printed
        assert not exists(pid)


def test_a_child_after_a_fork_has_none_of_it() -> None:
    code = """
    import warnings; warnings.simplefilter("ignore")
    with launch() as browser:
        tell(browser)
        child = os.fork()
        if not child:
            try:
                browser.page_ids()
            except RuntimeError as error:
                print(error, flush=True)
            with launch() as own:
                print(len(own.page_ids()), flush=True)
        else:
            os.waitpid(child, 0)
            print(len(browser.page_ids()), flush=True)
    """
    with program(code) as (process, pid):
        out, err = told(process)
        assert err == ""
        first, *counts = out.splitlines()
        assert "forked" in first
        assert counts == ["1", "1"]
        assert not exists(pid)
