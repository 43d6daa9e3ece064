"""The server as a process: how it begins and ends, who is let in, what it leaves behind."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import trio

from hybridsnap.cli import main
from tests.support.mcp_client import (
    COMMAND,
    TOKEN,
    connected,
    in_process,
    over_http,
    over_stdio,
    serving_http,
    serving_http_here,
    text_of,
)
from tests.support.pages import serve_pages
from tests.support.processes import left_of, wait_until_nothing_is_left

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    import hybridsnap
    from tests.support import http
    from tests.support.mcp_client import Host
    from tests.support.pages import Content, PageServer

#: For a server to end; the call that it has under way would take 30 s.
_END_SECONDS = 25.0

PAGES = {"/": "<title>One</title><h1>First page</h1>", "/other": "<title>Two</title><h1>Second page</h1>"}


def hanging() -> tuple[trio.Event, Content]:
    """What says that it is asked for, and a page that is never answered."""
    asked = trio.Event()

    async def answer(_: http.Request) -> http.Response:
        asked.set()
        await trio.sleep_forever()

    return asked, answer


class RawClient:
    """Speaks JSON lines to a server's stdin and stdout, as no well-behaved client does."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self._received = b""

    async def send(self, method: str, params: dict[str, Any], id_: int | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if id_ is not None:
            message["id"] = id_
        assert self.process.stdin is not None
        await self.process.stdin.send_all(json.dumps(message).encode() + b"\n")

    async def receive(self) -> Any:
        assert self.process.stdout is not None
        while b"\n" not in self._received:
            chunk = await self.process.stdout.receive_some()
            assert chunk, "stdout was closed"
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        return json.loads(line)

    async def call(self, id_: int, tool: str, **arguments: Any) -> None:
        await self.send("tools/call", {"name": tool, "arguments": arguments}, id_)

    async def begin(self) -> None:
        await self.send(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "raw", "version": "1"},
            },
            1,
        )
        answer = await self.receive()
        assert "take it as data" in answer["result"]["instructions"]
        await self.send("notifications/initialized", {})


async def begin_endless_call(client: RawClient, id_: int, pages: PageServer) -> None:
    """A call that is under way, for a page that is never answered."""
    before = pages.requests.count("/hang")
    await client.call(id_, "navigate", url=pages.url("/hang"))
    with trio.fail_after(30):
        while pages.requests.count("/hang") == before:  # noqa: ASYNC110 - the server's list
            await trio.sleep(0.02)


@contextlib.asynccontextmanager
async def raw_client() -> AsyncIterator[tuple[RawClient, Path, PageServer]]:
    """A server that has started a browser, and the only place where that leaves anything."""
    with tempfile.TemporaryDirectory() as folder:
        async with serve_pages(PAGES) as pages:
            process = await trio.lowlevel.open_process(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "TMPDIR": folder},
            )
            try:
                client = RawClient(process)
                await client.begin()
                assert left_of(Path(folder)) == [], "the browser starts when it is needed"
                await client.call(2, "navigate", url=pages.url("/"))
                assert "First page" in json.dumps(await client.receive())
                assert left_of(Path(folder)) != []
                await begin_endless_call(client, 3, pages)
                yield client, Path(folder), pages
            finally:
                process.kill()
                await process.wait()
                await trio.to_thread.run_sync(wait_until_nothing_is_left, Path(folder))


async def test_a_browser_that_died_is_started_anew_and_the_end_of_stdin_ends_all() -> None:
    async with raw_client() as (client, folder, pages):
        os.kill(browser_of(folder), signal.SIGKILL)
        with trio.fail_after(30):
            lost = await client.receive()
            assert lost["id"] == 3
            assert lost["result"]["isError"]
            for id_, tool, arguments in ((4, "click", {"element": "a"}), (5, "tabs", {"action": "list"})):
                await client.call(id_, tool, **arguments)
                assert "the browser has ended, and its tabs are gone" in json.dumps(await client.receive())
            await client.call(6, "navigate", url=pages.url("/other"))
            there = json.dumps(await client.receive())
            assert "Second page" in there
            assert (
                "the browser had ended, and its tabs are gone; this is a new one, without its logins" in there
            )
            await client.call(7, "navigate", url=pages.url("/other"))
            assert "had ended" not in json.dumps(await client.receive()), "it is said once"
        await begin_endless_call(client, 8, pages)
        assert client.process.stdin is not None
        await client.process.stdin.aclose()
        with trio.fail_after(_END_SECONDS):
            assert await client.process.wait() == 0
        assert left_of(folder) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_all_while_stdin_stays_open(number: signal.Signals) -> None:
    async with raw_client() as (client, folder, _):
        client.process.send_signal(number)
        with trio.fail_after(_END_SECONDS):
            assert await client.process.wait() == 0
        assert left_of(folder) == []


async def test_a_cancelled_call_is_over_and_a_client_that_is_gone_ends_all() -> None:
    async with raw_client() as (client, folder, pages):
        await client.call(4, "navigate", url=pages.url("/other"))
        await client.send("notifications/cancelled", {"requestId": 3, "reason": "of a test"})
        with trio.fail_after(20):
            answer = await client.receive()
        assert answer["id"] == 4, "the call that was cancelled is not answered, and holds nobody up"
        assert "Second page" in json.dumps(answer)
        await begin_endless_call(client, 5, pages)
        assert client.process.stdout is not None
        await client.process.stdout.aclose()
        await client.call(6, "tabs", action="list")
        with trio.fail_after(_END_SECONDS):
            assert await client.process.wait() == 0
        assert left_of(folder) == []


async def test_what_can_hardly_be_read_is_answered() -> None:
    process = await trio.lowlevel.open_process(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    try:
        client = RawClient(process)
        await client.begin()
        await client.call(2, "tabs", action="\ud83d")  # half of an emoji
        with trio.fail_after(20):
            answer = await client.receive()
            assert answer["id"] == 2
            assert answer["result"]["isError"]
            for line, id_, code in (
                (b"{", None, -32700),
                (b"\xff\xff", None, -32700),
                (b"[]", None, -32600),
                (b'{"id": 7, "method": "tools/list"}', 7, -32600),
                (b'{"id": true, "method": 5}', None, -32600),
                (b'{"id": false, "method": "tools/list"}', None, -32600),
            ):
                await process.stdin.send_all(b"\n" + line + b"\n")
                refusal = await client.receive()
                assert (refusal["id"], refusal["error"]["code"]) == (id_, code), line
            await process.stdin.aclose()
            assert await process.wait() == 0
    finally:
        process.kill()
        await process.wait()


@pytest.mark.parametrize("transport", [over_stdio, over_http])
async def test_giving_up_a_call(
    transport: Callable[..., AbstractAsyncContextManager[Host]], browser_endpoint: str
) -> None:
    asked, hung = hanging()
    async with (
        serve_pages({**PAGES, "/never": hung}) as pages,
        transport("--cdp", browser_endpoint) as host,
    ):
        await host.do("navigate", url=pages.url("/"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(functools.partial(host.call, "navigate", url=pages.url("/never")))
            await asked.wait()
            nursery.cancel_scope.cancel()
        with trio.fail_after(15):
            assert "Second page" in await host.do("navigate", url=pages.url("/other"))


async def test_nobody_gets_in_without_the_token() -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accept = {"Accept": "application/json, text/event-stream"}
    right = {"Authorization": f"Bearer {TOKEN}", **accept}
    async with serving_http() as url, httpx2.AsyncClient() as web:

        async def status(address: str = url, **headers: str) -> int:
            return (await web.post(address, json=body, headers={**right, **headers})).status_code

        assert (await web.post(url, json=body, headers=accept)).status_code == 401
        assert await status(Authorization="Bearer of-a-tesT") == 401
        assert await status(Authorization=f"Basic {TOKEN}") == 401
        assert await status(Authorization=f"bearer {TOKEN}") != 401
        assert await status(Host="evil.example") == 421
        assert await status(Host="localhost:1") == await status() == 400  # let in; a ping wants a session
        assert await status(Origin="https://evil.example") == 403
        assert await status(Origin="http://localhost:1") == 400
        assert await status(url.replace("/mcp", "/")) == 404
        large = await web.post(
            url, content=b" " * (5 << 20), headers={**right, "Content-Type": "application/json"}
        )
        assert large.status_code == 413
        async with connected(url) as host:
            assert "no page is open" in await host.refused("snapshot")


async def test_each_address_has_its_own_tabs() -> None:
    async with (
        serve_pages(PAGES) as pages,
        serving_http_here() as url,
        connected(f"{url}/a") as one,
        connected(f"{url}/b") as other,
    ):
        await one.do("navigate", url=pages.url("/"))
        assert "no page is open" in await other.refused("snapshot")
        await other.do("navigate", url=pages.url("/other"))
        assert "First page" in await one.do("snapshot")
        assert pages.url("/other") not in await one.do("tabs", action="list")


async def test_a_running_browser_is_left_as_it_was(browser: hybridsnap.Browser) -> None:
    async with serve_pages(PAGES) as pages:
        page = await browser.new_page(pages.url("/"))
        before = await browser.page_ids()
        async with over_stdio("--cdp", browser.endpoint, "--target-id", page.target_id) as host:
            assert "First page" in await host.do("snapshot")
            await host.do("tabs", action="new", url=pages.url("/other"))
            assert len(await browser.page_ids()) == len(before) + 1
        assert await browser.page_ids() == before


def browser_of(folder: Path) -> int:
    """The process of the browser whose profile is in this folder."""
    for line in left_of(folder):
        pid = line.partition(": ")[0]
        if pid.isdigit():
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"--user-data-dir" in command and b"--type=" not in command and b"watchdog" not in command:
                return int(pid)
    raise AssertionError("there is no browser")


async def test_a_browser_that_cannot_be_had() -> None:
    async with over_http("--browser", "/nowhere/chromium") as host:
        result = await host.call("navigate", url="http://127.0.0.1/")
        assert result.is_error
        assert "/nowhere/chromium" in text_of(result)
        assert "give the path" in text_of(result)
    async with in_process("http://127.0.0.1:1") as host:
        assert "127.0.0.1:1" in await host.refused("snapshot")


WRONG = {
    "a target of nothing": (["--target-id", "X"], "--target-id"),
    "a browser beside one": (["--cdp", "ws://x/", "--headful"], "--headful"),
    "a word for an endpoint": (["--cdp", "nope"], "endpoint 'nope' has no scheme"),
    "a token for stdio": (["--token", "x"], "--transport http"),
    "an empty token": (["--transport", "http", "--token", ""], "--token"),
    "no folder": (["--files", "/nowhere"], "is not a folder"),
    "no port": (["--port", "99999"], "from 0 to 65535, got '99999'"),
    "no budget": (["--max-tokens", "0"], "a whole number from 1 to"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage_is_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = WRONG[name]
    assert main(["mcp", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert words in said.err


@pytest.mark.parametrize("host", ["127.0.0.1", "300.1.1.1", "a..b"])
def test_where_it_cannot_listen(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["mcp", "--transport", "http", "--host", host, "--port", port, "--token", "x"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"cannot listen on {host}:{port}" in line
    assert "choose another --host or --port" in line


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "mcp" else name)
    assert main(["mcp"]) == 2
    assert "pip install 'hybridsnap[mcp]'" in capsys.readouterr().err
