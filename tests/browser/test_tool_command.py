"""``hybridsnap tool``: browsers that stay open from one call to the next, in a process in the background."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trio

from hybridsnap.background.place import Place, user_place
from tests.support.command_line import COMMAND, run, run_here
from tests.support.ended import end, ended, send, watched
from tests.support.http import Response
from tests.support.pages import serve_pages
from tests.support.processes import left_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.support.http import Request
    from tests.support.pages import Content

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the tests watch processes as Linux has them")

_FORM = """<title>Form</title><input id=name value=old>
<button onclick="document.title = 'Hello ' + document.getElementById('name').value">Greet</button>"""


@pytest.fixture
async def place(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    """A user's folder of the test's own, short enough for a socket. What runs there in the end is ended."""
    base = Path(tempfile.mkdtemp(prefix="hs-"))
    for name in ("run", "tmp"):
        (base / name).mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base / "run"))
    monkeypatch.setenv("TMPDIR", str(base / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(base / "tmp"))
    place = Place(base / "run" / "hybridsnap")
    try:
        yield place
    finally:
        for one in (place, user_place()):  # a test may have named another folder
            await end(one.process_id(), str(one.folder))
        shutil.rmtree(base)


#: Of a call that does not wait for the network to be quiet.
AT_ONCE: dict[str, Any] = {"wait_condition": "timeout", "timeout": 0.01}


async def call(place: Place, **arguments: Any) -> dict[str, Any]:
    """A call that succeeds, and what it says."""
    del place  # it has to be set up
    done = await run_here("tool", json.dumps(arguments))
    result: dict[str, Any] = json.loads(done.stdout)
    assert (done.code, result["success"], result["stderr"], done.stderr) == (0, True, "", "")
    return result


async def refused(*options: str, **arguments: Any) -> str:
    """What the tool says of a call that it refuses."""
    done = await run_here("tool", json.dumps(arguments), *options)
    result: dict[str, Any] = json.loads(done.stdout)
    assert (done.code, result["success"], result["output_files"], done.stderr) == (1, False, [], "")
    said: str = result["stderr"]
    return said


def is_png(path: str) -> bool:
    return Path(path).read_bytes().startswith(b"\x89PNG")


def number(place: Place) -> int:
    pid = place.process_id()
    assert pid is not None
    return pid


def browsers(place: Place) -> list[int]:
    """Processes of browsers, and of those that watch over them."""
    left = left_of(place.folder.parents[1] / "tmp")
    return [int(one.partition(":")[0]) for one in left if one.partition(":")[0].isdigit()]


async def test_browsers_stay_open_between_calls(place: Place, tmp_path: Path) -> None:
    async with serve_pages({"/": _FORM}) as pages:
        # Nothing is started for what needs no browser.
        assert (await call(place, action="list"))["stdout"] == "没有浏览器会话"
        assert "launch" in await refused(action="click", selector="button")
        assert "视为已关闭" in (await call(place, action="close"))["stdout"]
        assert not place.socket.exists()

        launched = await run("tool", '{"action": "launch"}')
        assert (launched.code, launched.stderr) == (0, "")
        (path,) = json.loads(launched.stdout)["output_files"]
        assert Path(path).parent == place.folder.parents[1] / "tmp" / "playwright_browser"
        with watched(number(place)) as process:
            await call(place, action="navigate", url=pages.url("/"), **AT_ONCE)
            await call(place, action="type", selector="#name", text='"Ada"\n \ud83d', **AT_ONCE)
            await call(place, action="click", selector="button", **AT_ONCE)
            assert 'Hello "Ada"' in (await call(place, action="list"))["stdout"]
            assert "元素不存在" in await refused(action="click", selector="#none", timeout=0.5)
            done = await run_here("tool", '{"action": "screenshot"}', "--directory", "here", cwd=tmp_path)
            (picture,) = json.loads(done.stdout)["output_files"]
            assert Path(picture).parent == tmp_path / "here"
            assert is_png(picture)
            await call(place, action="launch", browser_id="b")
            await call(place, action="close")
            assert "browser_id: b" in (await call(place, action="list"))["stdout"]
            await call(place, action="close", browser_id="b")
            await ended(process)
        assert not place.socket.exists()
        assert browsers(place) == []
        assert place.log.read_text(encoding="utf-8") == ""
        assert (await call(place, action="list"))["stdout"] == "没有浏览器会话"


async def test_two_launches_at_once_start_one_process(place: Place) -> None:
    done = {}

    async def launch(name: str) -> None:
        done[name] = await run("tool", json.dumps({"action": "launch", "browser_id": name}))

    async with trio.open_nursery() as nursery:
        for name in ("a", "b", "c"):
            nursery.start_soon(launch, name)
    assert [one.code for one in done.values()] == [0, 0, 0], done
    listed = (await call(place, action="list"))["stdout"]
    assert sorted(line.split()[1] for line in listed.splitlines() if line.startswith("browser_id")) == [
        *"abc"
    ]


async def test_no_browser_outlives_the_process(place: Place) -> None:
    for how in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        await call(place, action="launch")
        assert "状态: 活跃" in (await call(place, action="list"))["stdout"]
        left = browsers(place)
        assert left
        with watched(number(place), *left) as processes:
            send(processes[0], how)
            await ended(processes)
        assert browsers(place) == []
        assert place.socket.exists() == (how == signal.SIGKILL), (
            "a killed process leaves its socket; the next call starts a new process"
        )
        assert (await call(place, action="list"))["stdout"] == "没有浏览器会话"
    await call(place, action="launch")
    assert "状态: 活跃" in (await call(place, action="list"))["stdout"], "over a stale socket"


async def test_the_process_ends_when_nobody_calls(place: Place) -> None:
    done = await run_here("tool", '{"action": "launch"}', "--idle", "0.2")
    assert done.code == 0
    with watched(number(place)) as process:
        await ended(process)
    assert browsers(place) == []
    assert not place.socket.exists()


async def test_the_process_ends_without_its_folder(place: Place) -> None:
    done = await run_here("tool", '{"action": "launch"}', "--idle", "3600")
    assert done.code == 0
    left = [number(place), *browsers(place)]
    stream = await trio.open_unix_socket(os.fspath(place.socket))
    assert b"version" in await stream.receive_some()
    shutil.rmtree(place.folder)
    with watched(*left) as processes:
        await stream.send_all(b'{"arguments": {"action": "close"}, "directory": null, "idle": null}\n')
        await ended(processes)
    await stream.aclose()
    assert browsers(place) == []


async def test_the_process_ends_with_a_browser_that_cannot_be_launched(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYBRIDSNAP_BROWSER", "/no/such/browser")
    assert "浏览器未安装" in await refused(action="launch")
    with contextlib.suppress(ProcessLookupError), watched(number(place)) as process:
        await ended(process)
    assert not place.socket.exists()


class _Held:
    """A page whose answer is held back."""

    def __init__(self) -> None:
        self.asked, self.let_go = trio.Event(), trio.Event()
        self.pages: dict[str, Content] = {"/held": self._answer, "/": "<title>Quiet</title>"}

    async def _answer(self, _: Request) -> Response:
        self.asked.set()
        await self.let_go.wait()
        return Response(b"<title>Held</title>", "text/html")


async def test_callers_leave_the_browsers_as_they_are(place: Place, tmp_path: Path) -> None:
    """Those that say nothing or nonsense, whose time is up, or that Ctrl-C ends."""
    await call(place, action="launch")
    for words in (b"", b"\n", b"{]\n", b"[]\n", b"{}\n", b"x" * 100):
        stream = await trio.open_unix_socket(os.fspath(place.socket))
        await stream.receive_some()
        if words:
            await stream.send_all(words)
        await stream.aclose()
    assert "状态: 活跃" in (await call(place, action="list"))["stdout"]

    with watched(number(place)) as (process,):
        send(process, signal.SIGSTOP)
        try:
            done = await run_here("tool", '{"action": "list"}', "--timeout", "0.5")
        finally:
            send(process, signal.SIGCONT)
    assert (done.code, done.stdout) == (1, "")
    assert f"the background process {number(place)} did not greet within 0." in done.line
    assert f"kill {number(place)}" in done.line
    assert "状态: 活跃" in (await call(place, action="list"))["stdout"]

    held = _Held()
    async with serve_pages(held.pages) as pages:
        going = json.dumps({"action": "navigate", "url": pages.url("/held")})
        with (tmp_path / "stderr").open("w+b") as stderr:
            caller = await trio.lowlevel.open_process(
                [*COMMAND, "tool", going], stdout=subprocess.DEVNULL, stderr=stderr
            )
            with trio.fail_after(60):
                await held.asked.wait()
            await call_and_go(place, {"action": "close"})
            caller.send_signal(signal.SIGINT)
            assert await caller.wait() == 130
            stderr.seek(0)
            assert stderr.read() == b"hybridsnap: interrupted\n"
        held.let_go.set()
        listed = (await call(place, action="list"))["stdout"]
        assert "状态: 活跃" in listed
        assert "页面标题: Held" in listed, "what was begun goes on to its end"


async def call_and_go(place: Place, arguments: dict[str, Any]) -> None:
    """A call whose caller has gone before its turn."""
    stream = await trio.open_unix_socket(os.fspath(place.socket))
    assert b"version" in await stream.receive_some()
    await stream.send_all(
        json.dumps({"arguments": arguments, "directory": None, "idle": None}).encode() + b"\n"
    )
    await stream.aclose()


async def test_a_process_that_ends_while_it_is_started_says_why(
    place: Place,  # noqa: ARG001 - pytest-trio runs no fixture of usefixtures
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "trio.py").write_text("raise RuntimeError('no trio today')\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = await run_here("tool", '{"action": "launch"}')
    assert (done.code, done.stdout) == (1, "")
    assert "ended before it answered (RuntimeError: no trio today)" in done.line


async def test_another_version_is_not_spoken_to(place: Place) -> None:
    place.folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(place.socket))
        listener.listen()

        def greet() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b'{"version": "0.0.0", "pid": 123}\n')
                connection.recv(1)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, greet)
            done = await run_here("tool", '{"action": "list"}')
    assert (done.code, done.stdout) == (1, "")
    assert "kept by hybridsnap 0.0.0" in done.line
    assert "kill 123" in done.line


async def test_arguments_from_stdin_and_schemas(place: Place) -> None:
    openai = json.loads((await run_here("tool", "--schema", "openai")).stdout)
    anthropic = json.loads((await run_here("tool", "--schema", "anthropic")).stdout)
    assert openai["function"]["parameters"] == anthropic["input_schema"]
    assert openai["function"]["name"] == anthropic["name"] == "playwright_browser"
    assert not place.folder.exists()
    done = await trio.run_process(
        [*COMMAND, "tool", "-"], stdin=b'{"action":\n "list"}\n', capture_stdout=True, check=False
    )
    assert json.loads(done.stdout)["stdout"] == "没有浏览器会话"


async def test_a_folder_for_run_time_files_that_is_not_there(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium would make it, as root can, and the next call would look for the browsers in there."""
    gone = place.folder.parents[1] / "gone"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(gone))
    await call(place, action="launch")
    assert "browser_id: default" in (await call(place, action="list"))["stdout"]
    await call(place, action="close")
    assert not gone.exists()
