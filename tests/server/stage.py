"""A server for a test, and a client of it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
from typing import TYPE_CHECKING, Any

import httpx
import trio

from hybridsnap.server.running import Server, serve
from hybridsnap.server.settings import BrowserPlan, Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap.server.addresses import Resolve

TOKEN = "a token of the tests"


@dataclasses.dataclass(frozen=True)
class Served:
    """A running server, and a client that has the token."""

    server: Server
    client: httpx.AsyncClient

    async def post(self, path: str, _headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
        return await self.client.post(path, json=body, headers=_headers)

    async def done(self, path: str, _headers: dict[str, str] | None = None, **body: Any) -> Any:
        """What a request answers that must succeed."""
        answer = await self.post(path, _headers, **body)
        assert answer.is_success, answer.text
        return answer.json()

    async def open(self, url: str, **headers: str) -> str:
        """A new tab's target id."""
        tab = await self.done("/tabs", headers, url=url)
        return str(tab["targetId"])

    def reader(self, headers: dict[str, str] | None = None) -> contextlib.AbstractAsyncContextManager[Events]:
        """Listen to ``/events``."""
        return _reader(self.client, headers or {})


class Events:
    """A stream of events."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines
        self.last_id = ""

    async def next(self) -> tuple[str, dict[str, Any]]:
        name, data = "", {}
        async for line in self._lines:
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                data = json.loads(value)
            elif field == "id":
                self.last_id = value
            elif not line and name:
                return name, data
        raise EOFError

    async def until(self, name: str, **fields: Any) -> dict[str, Any]:
        """The next event of this name that has these fields."""
        with trio.fail_after(20):
            while True:
                found, data = await self.next()
                if found == name and all(data.get(key) == value for key, value in fields.items()):
                    return data


@contextlib.asynccontextmanager
async def _reader(client: httpx.AsyncClient, headers: dict[str, str]) -> AsyncIterator[Events]:
    async with client.stream("GET", "/events", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/event-stream"
        yield Events(answer.aiter_lines())


@contextlib.asynccontextmanager
async def serving(
    endpoint: str | None, *, resolve: Resolve | None = None, **settings: Any
) -> AsyncIterator[Served]:
    """A server on a browser that runs (None: on one of its own), for the length of the block."""
    browsers = settings.pop("browsers", (BrowserPlan(endpoint=endpoint),))
    settings = {"allow_private": True, "grace_seconds": 5.0, **settings}
    chosen = Settings(token=TOKEN, port=0, browsers=browsers, **settings)
    async with trio.open_nursery() as nursery:
        server: Server = await nursery.start(functools.partial(serve, chosen, resolve=resolve))
        async with httpx.AsyncClient(
            base_url=server.url,
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=60,
            trust_env=False,
            limits=httpx.Limits(max_connections=None),
        ) as client:
            try:
                yield Served(server, client)
            finally:
                server.stop.set()
