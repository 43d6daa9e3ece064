"""Browsers that start, that do not, and what is left of them: nothing."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
import trio

import hybridsnap
from hybridsnap.client import browsers
from hybridsnap.client.browsers import find_browser
from hybridsnap.client.launcher import STDERR_BYTES, BrowserProcess, fastest_transport, launch_process
from hybridsnap.deadline import Deadline
from hybridsnap.errors import BrowserLaunchFailed, BrowserNotFound, ConnectionLost, DeadlineExceeded
from hybridsnap.protocol import cbor
from tests.support.headless_shell import not_in_headless_shell
from tests.support.processes import left_of, wait_until_nothing_is_left

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Kind = Literal["websocket", "pipe", "cbor"]
#: The plain pipe is begun and ended as the other.
KINDS: tuple[Kind, ...] = ("websocket", "cbor")
both = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A temporary directory of the test's own: whatever a browser leaves is seen in it, or names it."""
    # Not tmp_path: that is longer than a browser can use. And not below this one: tmp_path lives longer.
    tmp_path_factory.getbasetemp()
    with tempfile.TemporaryDirectory(prefix="t-") as place:
        monkeypatch.setenv("TMPDIR", place)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(place)
        monkeypatch.undo()


def wait_until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, "waited in vain"
        time.sleep(0.02)


async def version(process: BrowserProcess) -> bytes:
    transport = process.transport
    await transport.send(transport.codec.encode(7, "Browser.getVersion", {}, None))
    message = await transport.receive()
    assert transport.codec.head(message).id == 7
    return message


def script(directory: Path, body: str, *, head: str = "#!/bin/sh\n") -> Path:
    path = directory / "browser"
    path.write_text(head + textwrap.dedent(body))
    path.chmod(0o755)
    return path


#: Starts the browser with the plain pipe.
OLDER_BROWSER = """
for argument do
    shift
    [ "$argument" = --remote-debugging-pipe=cbor ] && argument=--remote-debugging-pipe
    set -- "$@" "$argument"
done
exec {browser} "$@"
"""


# -- what works ----------------------------------------------------------------------------------------------


@pytest.mark.alone
@pytest.mark.parametrize("kind", [*KINDS, "pipe"])
async def test_starts_answers_and_leaves_nothing(kind: Kind, temporary: Path) -> None:
    async with launch_process(transport=kind) as process:
        assert b"protocolVersion" in await version(process)
        assert process.transport.name == kind
        assert (process.endpoint is None) == (kind != "websocket")
        assert process.alive
        assert process.pid > 1
        assert len(left_of(temporary)) > 4
        began = time.monotonic()
    assert time.monotonic() - began < 1.0
    assert left_of(temporary) == []


@both
async def test_the_body_s_own_error_comes_out_bare(kind: Kind, temporary: Path) -> None:
    with pytest.raises(KeyError, match="mine"):
        async with launch_process(transport=kind):
            raise KeyError("mine")
    assert left_of(temporary) == []


@both
@pytest.mark.parametrize("after", [0.0, 0.01, 0.03, 0.1, 0.2, 1.0])
async def test_cancellation_at_any_time_leaves_nothing(kind: Kind, after: float, temporary: Path) -> None:
    with trio.move_on_after(after) as scope:
        async with launch_process(transport=kind):
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert left_of(temporary) == []


async def test_a_long_temporary_path_is_avoided(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / ("long" * 20)
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    async with launch_process() as process:
        await version(process)


async def test_root_s_missing_sandbox_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="hybridsnap"):
        async with launch_process():
            pass
    assert ("--no-sandbox" in caplog.text) == (os.geteuid() == 0)


async def test_arguments_reach_the_browser() -> None:
    async with launch_process(transport="pipe", args=["--user-agent=Mine/1"]) as process:
        assert b"Mine/1" in await version(process)


def test_features_add_to_our_own() -> None:
    # Chromium reads the last list only: one's own would bring back the swipe through the history.
    args = ["--disable-features=Mine", "--lang=de", "--enable-features=Translate<Trial,Other:a/1"]
    flags = browsers.build_flags(args, headless=True, transport="pipe", profile="/tmp/p")
    lists = [flag for flag in flags if "-features=" in flag]
    assert len(lists) == 2
    disabled, enabled = (flag.split("=", 1)[1].split(",") for flag in lists)
    assert enabled == ["Translate<Trial", "Other:a/1"]
    assert {"Mine", "OverscrollHistoryNavigation"} < set(disabled)
    assert "Translate" not in disabled
    assert "--lang=de" in flags


@not_in_headless_shell("has no page of its settings")
async def test_nothing_is_filled_in() -> None:
    async with hybridsnap.launch() as browser:
        page = await browser.new_page("chrome://prefs-internals/")
        told = json.loads(await page.evaluate("document.body.innerText"))
    autofill = told["autofill"]
    kinds = (autofill["profile_enabled"], autofill["credit_card_enabled"], told["credentials_enable_service"])
    assert [one["value"] for one in kinds] == [False, False, False]


async def test_a_port_beside_the_pipe() -> None:
    async with launch_process(transport="cbor", args=["--remote-debugging-port=0"]) as process:
        assert process.transport.name == "cbor"
        assert process.endpoint is not None
        async with hybridsnap.connect(process.endpoint) as browser:
            assert await browser.pages()


async def test_a_browser_that_does_not_know_cbor_is_spoken_to_in_json(tmp_path: Path) -> None:
    wrapped = script(tmp_path, OLDER_BROWSER.format(browser=find_browser(None)))
    async with hybridsnap.launch(wrapped, transport="cbor") as browser:
        page = await browser.new_page("data:text/html,<button>Click Me</button>")
        snapshot = await page.snapshot()
        assert snapshot.report.transport == "pipe"
        assert "button: Click Me" in snapshot.combined_tree


def test_the_fastest_transport_is_the_default() -> None:
    assert fastest_transport() == ("cbor" if cbor.is_compiled() else "pipe")


@not_in_headless_shell("has no windows")
async def test_a_window_without_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(BrowserLaunchFailed, match="leave headful out, or use xvfb-run"):
        async with launch_process(headless=False):
            pass


@pytest.mark.parametrize("name", ["chrome-headless-shell", "chromium-headless-shell", "headless_shell"])
async def test_a_browser_without_windows_is_not_started_for_one(
    name: str, tmp_path: Path, temporary: Path
) -> None:
    path = script(tmp_path, "true").rename(tmp_path / name)
    with pytest.raises(BrowserLaunchFailed, match=f"{name} has no windows; leave headful out, or name"):
        async with launch_process(path, headless=False):
            pass
    assert left_of(temporary) == []


async def test_an_unknown_transport_is_refused() -> None:
    with pytest.raises(ValueError, match='"websocket", "pipe" or "cbor"'):
        async with launch_process(transport="carrier pigeon"):  # type: ignore[arg-type]
            pass


# -- finding it ----------------------------------------------------------------------------------------------


def test_a_given_path_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = script(tmp_path, "true")
    assert find_browser(path) == path
    monkeypatch.setenv("HYBRIDSNAP_BROWSER", str(path))
    assert find_browser() == path


def test_a_given_path_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for path, problem in (
        (tmp_path / "absent", "does not exist"),
        (tmp_path, "is a directory"),
        (plain, "is not executable"),
        (Path("/dev/null"), "is not a file"),
    ):
        with pytest.raises(BrowserNotFound, match=problem) as caught:
            find_browser(path)
        assert str(path) in str(caught.value)
    with pytest.raises(BrowserNotFound, match="is empty"):
        find_browser("")
    monkeypatch.setenv("HYBRIDSNAP_BROWSER", str(plain))
    with pytest.raises(BrowserNotFound, match=r"HYBRIDSNAP_BROWSER .* is not executable"):
        find_browser()


def test_path_is_searched_by_the_usual_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HYBRIDSNAP_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    script(tmp_path, "true").rename(tmp_path / "microsoft-edge")
    assert find_browser() == tmp_path / "microsoft-edge"


def test_none_anywhere_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HYBRIDSNAP_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browsers, "_usual_places", lambda: iter([tmp_path / "chrome"]))
    with pytest.raises(BrowserNotFound, match="apt-get update && apt-get install chromium"):
        find_browser()


# -- what does not start -------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 0", "ended with status 0"),
        ("echo 'libnss3.so: cannot open' >&2; exit 127", "status 127 .*libnss3.so: cannot open"),
        ("kill -SEGV $$", "SIGSEGV"),
    ],
)
async def test_a_browser_that_dies_is_quoted(
    kind: Kind, body: str, words: str, tmp_path: Path, temporary: Path
) -> None:
    path = script(tmp_path, body)
    with pytest.raises(BrowserLaunchFailed, match=words) as caught:
        async with launch_process(path, transport=kind):
            pass
    assert "\n" not in str(caught.value)
    assert ("libnss3" in caught.value.stderr) == ("libnss3" in body)
    assert left_of(temporary) == []


@both
async def test_a_file_that_cannot_be_executed_is_named(kind: Kind, tmp_path: Path, temporary: Path) -> None:
    path = script(tmp_path, "\0\1\2", head="")
    with pytest.raises(BrowserLaunchFailed, match="Exec format error"):
        async with launch_process(path, transport=kind):
            pass
    assert left_of(temporary) == []


@not_in_headless_shell("has no windows")
@both
async def test_a_real_browser_that_dies_is_quoted(
    kind: Kind, monkeypatch: pytest.MonkeyPatch, temporary: Path
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BrowserLaunchFailed, match=r"DISPLAY"):
        async with launch_process(transport=kind, headless=False):
            pass
    assert left_of(temporary) == []


@both
async def test_a_silent_browser_is_given_until_the_deadline(
    kind: Kind, tmp_path: Path, temporary: Path
) -> None:
    path = script(tmp_path, "echo thinking >&2\nsleep 100\n")
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded, match=r"was not ready within [12]\.\d s; .*thinking"):
        async with launch_process(path, transport=kind, deadline=Deadline.after(2)):
            pass
    assert time.monotonic() - began < 30
    assert left_of(temporary) == []


async def test_a_browser_that_listens_nowhere(tmp_path: Path, temporary: Path) -> None:
    path = script(tmp_path, "echo DevTools listening on ws://127.0.0.1:1/devtools/browser/x >&2; sleep 100")
    with pytest.raises(BrowserLaunchFailed) as caught:
        async with launch_process(path, transport="websocket"):
            pass
    assert "refused" in str(caught.value.__cause__)
    assert left_of(temporary) == []


async def test_a_flood_on_stderr_is_drained_and_cut(tmp_path: Path) -> None:
    path = script(
        tmp_path, "i=0; while [ $i -lt 6000 ]; do i=$((i+1)); echo line $i of many, many >&2; done; exit 1"
    )
    with pytest.raises(BrowserLaunchFailed, match="line 6000 of many") as caught:
        async with launch_process(path):
            pass
    assert STDERR_BYTES - 100 < len(caught.value.stderr) <= STDERR_BYTES


async def test_no_place_for_a_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/dev/null")
    with pytest.raises(BrowserLaunchFailed, match=r"could not be started: .*Not a directory"):
        async with launch_process():
            pass


# -- what ends in between ------------------------------------------------------------------------------------


@both
async def test_a_killed_browser_is_noticed(kind: Kind, temporary: Path) -> None:
    async with launch_process(transport=kind) as process:
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(ConnectionLost), trio.fail_after(30):
            await process.transport.receive()
        await trio.to_thread.run_sync(wait_until, lambda: not process.alive)
        assert process.returncode == -signal.SIGKILL
        with pytest.raises(ConnectionLost):
            await process.transport.send(b"{}")
    assert left_of(temporary) == []


@pytest.mark.alone
async def test_a_stopped_browser_ends_as_fast(temporary: Path) -> None:
    async with launch_process() as process:
        os.kill(process.pid, signal.SIGSTOP)
        began = time.monotonic()
    assert time.monotonic() - began < 2.0
    assert left_of(temporary) == []


async def test_daemons_of_the_browser_go_too(tmp_path: Path, temporary: Path) -> None:
    path = script(tmp_path, "setsid sh -c 'sleep 100 & sleep 100' &\necho hello >&2\nsleep 100\n")
    with pytest.raises(DeadlineExceeded):
        async with launch_process(path, deadline=Deadline.after(2)):
            pass
    assert left_of(temporary) == []


async def test_a_killed_guardian_is_replaced(temporary: Path) -> None:
    async with launch_process() as process:
        guard = parent_of(process.pid)
        os.kill(guard, signal.SIGKILL)
    wait_until_nothing_is_left(temporary)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


CLIENT = """
import os, sys, trio
from hybridsnap.client.launcher import launch_process

async def main():
    async with launch_process(transport=sys.argv[1]) as process:
        print("up", flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("websocket", signal.SIGKILL),
        ("cbor", signal.SIGKILL),
        ("websocket", signal.SIGINT),
        ("cbor", signal.SIGTERM),
        pytest.param("cbor", signal.SIGINT, marks=pytest.mark.soak),
        pytest.param("websocket", signal.SIGTERM, marks=pytest.mark.soak),
    ],
)
def test_a_client_that_is_ended_leaves_nothing(kind: Kind, number: signal.Signals, temporary: Path) -> None:
    with client(kind) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
        wait_until(lambda: len(left_of(temporary)) > 4)
        child.send_signal(number)
        _, words = child.communicate(timeout=60)
        assert (b"KeyboardInterrupt" in words) == (number == signal.SIGINT)
        assert b"ExceptionGroup" not in words
    wait_until_nothing_is_left(temporary)


@both
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_client_that_is_ended_while_the_browser_starts(
    kind: Kind, number: signal.Signals, temporary: Path
) -> None:
    with client(kind) as child:
        # A directory: Python tries a file of its own first, and removes it again.
        wait_until(lambda: any(one.is_dir() for one in temporary.iterdir()))
        child.send_signal(number)
        child.communicate(timeout=60)
    wait_until_nothing_is_left(temporary)


@contextlib.contextmanager
def client(kind: Kind) -> Iterator[subprocess.Popen[bytes]]:
    # In a process group of its own, as a shell would start it.
    arguments: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "process_group": 0}
    with subprocess.Popen([sys.executable, "-c", CLIENT, kind], **arguments) as child:
        try:
            yield child
        finally:
            child.kill()
