"""A server for a test, and a client of it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
from typing import TYPE_CHECKING, Any

import h11
import httpx
import trio

from hybridsnap.server.lifecycle import Server, serve
from hybridsnap.server.settings import Settings
from hybridsnap.service.browser_pool import BrowserPlan

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from hybridsnap.service.addresses import Resolve

TOKEN = "a token of the tests"


@dataclasses.dataclass(frozen=True)
class Served:
    """A running server, and a client that has the token."""

    server: Server
    client: httpx.AsyncClient

    async def post(self, path: str, headers: dict[str, str] | None = None, /, **body: Any) -> httpx.Response:
        return await self.client.post(path, json=body, headers=headers)

    async def done(self, path: str, headers: dict[str, str] | None = None, /, **body: Any) -> Any:
        """What a request answers that must succeed."""
        answer = await self.post(path, headers, **body)
        assert answer.is_success, answer.text
        return answer.json()

    async def open(self, url: str, **headers: str) -> str:
        """A new tab's target id."""
        tab = await self.done("/tabs", headers, url=url)
        return str(tab["targetId"])

    def waiting_for(self, target: str) -> int:
        """How many requests have, or wait for, the turn of a tab."""
        return sum(
            turn.statistics().tasks_waiting + turn.locked()
            for page, turn in self.server.control.locks._turns.items()
            if page.target_id == target
        )

    def reader(self, headers: dict[str, str] | None = None) -> contextlib.AbstractAsyncContextManager[Events]:
        """Listen to ``/events``."""
        return _reader(self.server.port, headers or {})


class Events:
    """A stream of events, read off the socket."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._wire = h11.Connection(h11.CLIENT)
        self._text = b""
        self.last_id = ""

    async def ask(self, port: int, headers: dict[str, str]) -> None:
        fields = {"Host": f"127.0.0.1:{port}", "Authorization": f"Bearer {TOKEN}", **headers}
        request = h11.Request(method="GET", target="/events", headers=list(fields.items()))
        data = [self._wire.send(one) or b"" for one in (request, h11.EndOfMessage())]
        await self._stream.send_all(b"".join(data))
        answer = await self._event()
        assert isinstance(answer, h11.Response)
        assert answer.status_code == 200
        assert dict(answer.headers)[b"content-type"] == b"text/event-stream"

    async def next(self) -> tuple[str, dict[str, Any]]:
        fields: dict[str, str] = {}
        while "event" not in fields:  # but a sign of life
            while b"\n\n" not in self._text:
                event = await self._event()
                assert isinstance(event, h11.Data), "the stream is over"
                self._text += event.data
            one, _, self._text = self._text.partition(b"\n\n")
            fields = dict(line.split(": ", 1) for line in one.decode().split("\n"))
        self.last_id = fields.get("id", self.last_id)
        return fields["event"], json.loads(fields["data"])

    async def _event(self) -> h11.Event:
        while (event := self._wire.next_event()) is h11.NEED_DATA:
            self._wire.receive_data(await self._stream.receive_some())
        assert isinstance(event, h11.Event)
        return event

    async def until(self, name: str, **fields: Any) -> dict[str, Any]:
        """The next event of this name that has these fields."""
        with trio.fail_after(60):
            while True:
                found, data = await self.next()
                if found == name and all(data.get(key) == value for key, value in fields.items()):
                    return data


@contextlib.asynccontextmanager
async def _reader(port: int, headers: dict[str, str]) -> AsyncIterator[Events]:
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        events = Events(stream)
        await events.ask(port, headers)
        yield events


async def answer_to(port: int, request: str, *, seconds: float = 30) -> bytes:
    """All that the server sends for a request as it stands, until it closes the connection."""
    answer = b""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(request.encode())
        with trio.fail_after(seconds):
            while piece := await stream.receive_some():
                answer += piece
    return answer


async def eventually(condition: Callable[[], Any]) -> None:
    """Wait for what nobody tells of."""
    with trio.fail_after(30):
        while not condition():  # noqa: ASYNC110 - see above
            await trio.sleep(0.01)


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
            verify=False,  # there is no TLS, and to read the certificates of the machine takes 0.02 s
            limits=httpx.Limits(max_connections=None),
        ) as client:
            try:
                yield Served(server, client)
            finally:
                server.stop.set()
