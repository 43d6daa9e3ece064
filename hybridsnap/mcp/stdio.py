"""The server over stdin and stdout: it lives as long as its client keeps stdin open."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import trio
from mcp.server.stdio import stdio_server

from hybridsnap.mcp.server import ToolServer
from hybridsnap.mcp.signals import ended_by_signal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap.mcp.desk import Options

_STDIN = 0
_CHUNK = 1 << 16


async def serve_stdio(options: Options) -> None:
    """Serve until stdin is closed, or a signal comes. The browser has ended then."""
    async with trio.open_nursery() as nursery:
        server = ToolServer(nursery, options)
        with trio.CancelScope() as serving:
            nursery.start_soon(ended_by_signal, serving.cancel)
            try:
                # The SDK keeps stdout for itself, and what else is printed goes to stderr.
                async with stdio_server(stdin=cast("Any", _lines(_STDIN))) as (incoming, outgoing):
                    await server.sdk.run(incoming, outgoing, server.sdk.create_initialization_options())
            except* (BrokenPipeError, ConnectionError):
                pass  # the client is gone, and reads no more
        with trio.CancelScope(shield=True):
            await server.close()
        nursery.cancel_scope.cancel()


async def _lines(fd: int) -> AsyncIterator[str]:
    """The lines that come in.

    A thread that waits for them is left behind when we end, and must hold nothing that the interpreter's end
    would wait for: the SDK's own reader, a thread in a buffered file, cannot be cancelled.
    """
    rest = b""
    while chunk := await trio.to_thread.run_sync(os.read, fd, _CHUNK, abandon_on_cancel=True):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace")
