"""The server over stdin and stdout: it lives as long as its client keeps stdin open."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import trio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError

from hybridsnap.mcp.rpc import InvalidMessageError, read_message
from hybridsnap.mcp.server import open_tool_server
from hybridsnap.service.signals import ended_by_signal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap.mcp.options import Options

_STDIN = 0
_CHUNK = 1 << 16


async def serve_stdio(options: Options) -> None:
    """Serve until stdin is closed, or a signal comes. The browser has ended then."""
    async with open_tool_server(options) as server, trio.open_nursery() as nursery:
        with trio.CancelScope() as serving:
            nursery.start_soon(ended_by_signal, serving.cancel)
            try:
                # The SDK keeps stdout for itself, and what else is printed goes to stderr.
                send, refusals = trio.open_memory_channel[JSONRPCError](0)
                lines = cast("Any", _messages(_STDIN, send))
                async with stdio_server(stdin=lines) as (incoming, outgoing), trio.open_nursery() as inner:

                    async def refuse() -> None:
                        async for refusal in refusals:
                            await outgoing.send(SessionMessage(refusal))

                    inner.start_soon(refuse)
                    await server.sdk.run(incoming, outgoing, server.sdk.create_initialization_options())
                    inner.cancel_scope.cancel()
            except* (BrokenPipeError, ConnectionError):
                pass  # the client is gone, and reads no more
        nursery.cancel_scope.cancel()


async def _messages(fd: int, refuse: trio.MemorySendChannel[JSONRPCError]) -> AsyncIterator[str]:
    """The messages that come in; what is none is refused, where the SDK would drop it and never answer."""
    async for line in _lines(fd):
        if not line.strip():
            continue
        try:
            _, text = read_message(line, "line")
        except InvalidMessageError as error:
            await refuse.send(error.refusal)
        else:
            yield text


async def _lines(fd: int) -> AsyncIterator[bytes]:
    """The lines that come in.

    A thread that waits for them is left behind when we end, and must hold nothing that the interpreter's end
    would wait for: the SDK's own reader, a thread in a buffered file, cannot be cancelled.
    """
    rest = b""
    while chunk := await trio.to_thread.run_sync(os.read, fd, _CHUNK, abandon_on_cancel=True):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line
