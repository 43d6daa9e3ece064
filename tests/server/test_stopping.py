"""``hybridsnap serve`` as a process: started, told to stop, and gone."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import trio

from hybridsnap.cli import main
from tests.support import http
from tests.support.pages import ENDLESS, serve_pages
from tests.support.server_stage import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import hybridsnap
    from tests.support.pages import Content

_HEADERS = {"Authorization": "Bearer secret"}


def _children(pid: int) -> Iterator[int]:
    """All processes below one, as far as they still have their parents."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[1]) == pid:
                child = int(path.parent.name)
                yield child
                yield from _children(child)


@contextlib.asynccontextmanager
async def _served(*options: str) -> AsyncIterator[tuple[trio.Process, str, list[str]]]:
    """The process, its address, and what it printed."""
    command = [sys.executable, "-m", "hybridsnap", "serve", "--port", "0", *options]
    environment = {**os.environ, "HYBRIDSNAP_TOKEN": "secret", "PYTHONUNBUFFERED": "1"}
    process = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    text = b""
    try:
        with trio.fail_after(60):
            while b"listening on" not in text:
                piece = await process.stdout.receive_some()
                assert piece, text
                text += piece
        lines = text.decode().splitlines()
        yield process, lines[-1].rpartition(" ")[2], lines
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        await process.stdout.aclose()


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


async def test_sigterm_with_captures_in_flight() -> None:
    answers: dict[str, Any] = {}
    # It says so before it hangs.
    hangs = f"const word = new XMLHttpRequest(); word.open('GET', '/hangs', false); word.send(); {ENDLESS}"
    go_on = trio.Event()

    async def held(_: http.Request) -> http.Response:
        await go_on.wait()
        return http.Response(status=204)

    pages_: dict[str, Content] = {
        "/": "<p>here<script>fetch('/held').then(() => document.body.append('done'))</script>",
        "/held": held,
        "/endless.html": f"<p>x<script>onclick = () => {{ {hangs} }}</script>",
        "/at-once.html": f"<p>x<script>{ENDLESS}</script>",
    }
    options = ("--allow-private", "--grace", "3", "--captures", "4")
    async with serve_pages(pages_) as pages, _served(*options) as (process, url, _):
        async with httpx.AsyncClient(base_url=url, headers=_HEADERS, timeout=60, trust_env=False) as client:
            fine = (await client.post("/tabs", json={"url": pages.url("/")})).json()["targetId"]
            hung = (await client.post("/tabs", json={"url": pages.url("/endless.html")})).json()["targetId"]
            click = {"targetId": hung, "action": "click", "element": "p", "timeoutMs": 60_000}
            async with trio.open_nursery() as nursery:
                nursery.start_soon(lambda: client.post("/control/act", json=click))
                await eventually(lambda: "/hangs" in pages.requests)
                nursery.cancel_scope.cancel()
            below = set(_children(process.pid))
            assert len(below) > 2

            async def ask(name: str, path: str, **body: Any) -> None:
                answers[name] = await client.post(path, json={"timeoutMs": 60_000, **body})

            async with trio.open_nursery() as nursery:
                nursery.start_soon(lambda: ask("hung", "/control/snapshot", targetId=hung))
                opened = {"url": pages.url("/at-once.html"), "wait": "none"}
                nursery.start_soon(lambda: ask("opened", "/control/snapshot", **opened))
                wait = {"targetId": fine, "action": "wait_for", "text": "done"}
                nursery.start_soon(lambda: ask("fine", "/control/act", **wait))
                with trio.fail_after(20):
                    while (await client.get("/health")).json()["captures"]["stalled"] != 2:  # noqa: ASYNC110
                        await trio.sleep(0.02)
                process.send_signal(signal.SIGTERM)
                go_on.set()
        # The one that could finish has finished, the others were told.
        assert answers["fine"].status_code == 200
        for name in ("hung", "opened"):
            assert (answers[name].status_code, answers[name].json()["error"]) == (503, "Stopping")
        with trio.fail_after(20):
            assert await process.wait() == 0
        await eventually(lambda: not any(map(_alive, below)))


async def test_sigterm_ends_streams_and_closes_tabs_in_a_browser_that_runs_on(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    before = set(await browser.page_ids())
    async with _served("--cdp", f"mine={browser_endpoint}") as (process, url, _):
        async with httpx.AsyncClient(base_url=url, headers=_HEADERS, timeout=60, trust_env=False) as client:
            assert (await client.post("/tabs", json={"browserId": "mine"})).status_code == 201
            assert set(await browser.page_ids()) != before
            stream = await trio.open_tcp_stream("127.0.0.1", int(url.rpartition(":")[2]))
            async with stream:
                head = f"GET /events HTTP/1.1\r\nHost: {url[7:]}\r\nAuthorization: Bearer secret\r\n\r\n"
                await stream.send_all(head.encode())
                assert b"200" in await stream.receive_some()
                process.send_signal(signal.SIGTERM)
                with trio.fail_after(20):
                    while await stream.receive_some():
                        pass
        with trio.fail_after(20):
            assert await process.wait() == 0
    assert set(await browser.page_ids()) == before


async def test_a_token_is_made_and_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-m", "hybridsnap", "serve", "--port", "0", "--demo"]
    monkeypatch.delenv("HYBRIDSNAP_TOKEN", raising=False)
    process = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    async with process.stdout:
        text = b""
        with trio.fail_after(60):
            while b"listening on" not in text:
                text += await process.stdout.receive_some()
        said = dict(line.rsplit(" ", 1) for line in text.decode().splitlines())
        token, url = said["the token of this run:"], said["listening on"]
        assert len(token) >= 32
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
            shop = said["the bundled shop is at"]
            seen = await client.post("/control/snapshot", json={"url": shop})
            assert "Lantern" in seen.json()["combinedTree"]
            # The shop's own address, and no other of this machine.
            assert (await client.post("/tabs", json={"url": f"{url}/health"})).status_code == 403
        process.send_signal(signal.SIGINT)
        with trio.fail_after(20):
            assert await process.wait() == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--token", ""], "--token"),
        (["--token", "ä"], "--token"),
        (["--uploads", "/none"], "not a folder"),
        (["--cdp", "http://x", "--cdp", "http://y"], "two browsers"),
        (["--cdp", "http://x", "--headful"], "--headful"),
        (["--cdp", "nope"], "endpoint 'nope' has no scheme"),
        (["--cdp", "mine=nope"], "endpoint 'nope' has no scheme"),
        (["--port", "70000"], "port"),
        (["--captures", "0"], "number"),
    ],
)
def test_wrong_usage_is_said_in_one_line(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *options]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_wrong_usage_ends_the_process() -> None:
    command = [sys.executable, "-m", "hybridsnap", "serve", "--captures", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_port_that_is_taken_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        started = time.monotonic()
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 1
        assert time.monotonic() - started < 30
    said = capsys.readouterr()
    assert "cannot listen on 127.0.0.1" in said.err
    assert said.err.count("\n") == 1


def test_without_the_extra_there_is_one_clear_line() -> None:
    # As where it is not installed: importing it fails.
    script = (
        "import sys; sys.modules['starlette'] = None\n"
        "from hybridsnap.cli import main; sys.exit(main(['serve']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "pip install 'hybridsnap[server]'" in done.stderr
    assert done.stderr.count("\n") == 1
