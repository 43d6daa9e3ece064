"""A server's answer that is saved as a file, and comes in two pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.support.http import Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.support.http import Request


class SlowFile:
    """A download of 100,000 bytes that waits for `go` before its second half."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.go = trio.Event()

    async def __call__(self, _: Request) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"x" * 50_000
            await self.go.wait()
            yield b"y" * 50_000

        headers = {"Content-Disposition": f"attachment; filename={self._name}"}
        return Response(pieces(), "application/octet-stream", headers=headers)
