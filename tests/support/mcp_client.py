"""A host for tests: the SDK's own client, which counts what it is told."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import httpx2
import trio
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from hybridsnap.cli.parser import build_parser
from hybridsnap.mcp.http import serve_http
from hybridsnap.mcp.options import Options
from hybridsnap.mcp.server import open_tool_server
from hybridsnap.mcp.serving import options_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp_types import CallToolResult

COMMAND = [sys.executable, "-m", "hybridsnap", "mcp", "--allow-private"]
TOKEN = "of-a-test"
_FENCE = re.compile(r"<page-([0-9a-f]{8}) untrusted>(.*)</page-\1>\Z", re.DOTALL)


def text_of(result: CallToolResult) -> str:
    """All text of a result."""
    return "".join(part.text for part in result.content if part.type == "text")


def page_text(result: CallToolResult) -> str:
    """What stands in the fence of a result."""
    found = _FENCE.search(text_of(result))
    assert found is not None, text_of(result)
    return found[2].strip("\n")


def tokens(text: str) -> int:
    return -(-len(text) // 4)


class Host:
    """Calls tools, and counts tokens: of text, and of structured content."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.text_tokens = 0
        self.structured_tokens = 0

    async def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Whatever comes of it."""
        result = await self.client.call_tool(tool, arguments)
        self.text_tokens += tokens(text_of(result))
        if result.structured_content is not None:
            self.structured_tokens += tokens(json.dumps(result.structured_content, ensure_ascii=False))
        return result

    async def do(self, tool: str, **arguments: Any) -> str:
        """The text of a result that is not an error."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    async def refused(self, tool: str, **arguments: Any) -> str:
        """The line of an error."""
        result = await self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        assert result.structured_content is None
        line = text_of(result)
        assert "\n" not in line
        assert line.startswith(f"{tool}: ")
        return line

    async def find(self, text: str, **more: Any) -> str:
        """The id of the one element that has this text."""
        ids = re.findall(
            r"^\[([\d-]+)\]", page_text(await self.call("find", text=text, **more)), re.MULTILINE
        )
        assert len(ids) == 1, ids
        return str(ids[0])


@contextlib.asynccontextmanager
async def over_stdio(*arguments: str) -> AsyncIterator[Host]:
    """`hybridsnap mcp`, as a host starts it."""
    command, *rest = COMMAND
    async with Client(StdioServerParameters(command=command, args=[*rest, *arguments])) as client:
        yield Host(client)


@contextlib.asynccontextmanager
async def serving_http(*arguments: str) -> AsyncIterator[str]:
    """The address of `hybridsnap mcp --transport http`."""
    command = [*COMMAND, "--transport", "http", "--port", "0", "--token", TOKEN, *arguments]
    process = await trio.lowlevel.open_process(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert process.stderr is not None
    try:
        said = b""
        while b"\n" not in said:
            chunk = await process.stderr.receive_some()
            assert chunk, said
            said += chunk
        found = re.search(rb"http://\S+/mcp", said)
        assert found is not None, said
        yield found[0].decode()
    finally:
        with trio.CancelScope(shield=True):
            process.send_signal(signal.SIGTERM)
            with trio.move_on_after(10):
                await process.wait()
            ended = process.returncode
            if ended is None:
                process.kill()
                await process.wait()
            await process.stderr.aclose()
    assert ended == 0


@contextlib.asynccontextmanager
async def serving_http_here(*arguments: str) -> AsyncIterator[str]:
    """As `serving_http`, in this process: for what does not depend on how the server begins and ends."""
    given = build_parser("").parse_args(["mcp", "--allow-private", "--transport", "http", *arguments])
    serve = functools.partial(serve_http, options_of(given), host="127.0.0.1", port=0, token=TOKEN)
    async with trio.open_nursery() as nursery:
        yield await nursery.start(serve)
        nursery.cancel_scope.cancel()


@contextlib.asynccontextmanager
async def connected(url: str, *, token: str = TOKEN) -> AsyncIterator[Host]:
    """A client of an address."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield Host(client)


@contextlib.asynccontextmanager
async def over_http(*arguments: str) -> AsyncIterator[Host]:
    """A server of its own over HTTP, and a client."""
    async with serving_http_here(*arguments) as url, connected(url) as host:
        yield host


@contextlib.asynccontextmanager
async def in_process(endpoint: str | None, **options: Any) -> AsyncIterator[Host]:
    """The server in this process, on a browser that runs already (None: on one of its own)."""
    options = {"allow_private": True, **options}
    async with (
        open_tool_server(Options(cdp=endpoint, **options)) as server,
        Client(server.sdk) as client,
    ):
        yield Host(client)
