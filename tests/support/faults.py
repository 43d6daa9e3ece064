"""Faults put on the wire behind the n-th command of an operation, waits, and what must hold afterwards."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Self

import trio

from hybridsnap import (
    CaptureFailed,
    HybridsnapError,
    Snapshot,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import pytest

    from hybridsnap import Browser, Page, Session
    from hybridsnap.client.connection import Connection
    from hybridsnap.client.transport import Transport
    from tests.support.relay import Relay


#: On top of a timeout: what a busy machine may add to a capture that is back "by the deadline".
_GRACE = 5.0


_DOM_EVENTS = [
    "DOM.attributeModified",
    "DOM.childNodeInserted",
    "DOM.childNodeRemoved",
    "DOM.childNodeCountUpdated",
    "DOM.documentUpdated",
    "DOM.setChildNodes",
]


async def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    with trio.fail_after(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for is the engine's state, not ours
            await trio.sleep(0.005)


async def cut(relay: Relay, browser: Browser) -> None:
    """Cut, and wait until the client has noticed."""
    drops = browser.connection.drops
    relay.cut()
    await until(lambda: browser.connection.drops != drops)


async def until_quiet(page: Page) -> None:
    await until(lambda: not page.session.connection._waiting)


async def until_loaded_at(page: Page, ending: str) -> None:
    await until(lambda: page.url.endswith(ending))
    while (await page.snapshot(timeout=5)).report.frames[0].cause == "loading":
        pass


async def evaluate(session: Session, expression: str) -> Any:
    result = await session.send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
    return result["result"].get("value")


class Injecting:
    """A transport that acts right behind the n-th message of a capture.

    Attributes:
        sent: how many messages have been sent since.
    """

    def __init__(
        self, connection: Connection, number: int, act: Callable[[Transport], Awaitable[None]]
    ) -> None:
        self._connection = connection
        self._transport = connection.transport
        self._number = number
        self._act = act
        self.sent = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    async def send(self, message: bytes, *, more: bool = False) -> None:  # noqa: ARG002 - one by one
        await self._transport.send(message)
        self.sent += 1
        if self.sent == self._number:
            await self._act(self._transport)

    def __enter__(self) -> Self:
        self._connection._wire.transport = self
        return self

    def __exit__(self, *_: object) -> None:
        self._connection._wire.transport = self._transport


def injecting(
    page: Page, number: int, method: str, params: dict[str, Any], session: Session | None = None
) -> Injecting:
    """A command put on the wire behind the capture's n-th; nobody waits for its reply."""
    connection = page.session.connection
    own = (session or page.session).id

    async def act(transport: Transport) -> None:
        await transport.send(transport.codec.encode(10**9, method, params, own))

    return Injecting(connection, number, act)


async def outcome(page: Page, timeout: float) -> Snapshot | HybridsnapError:
    """What a capture came to; in time, and with nothing open afterwards."""
    started = time.monotonic()
    try:
        return await page.snapshot(timeout=timeout)
    except HybridsnapError as error:
        return error
    finally:
        assert time.monotonic() - started < timeout + _GRACE


def causes(came: Snapshot | HybridsnapError) -> set[str]:
    """Why frames are not whole; of an error without a report, its class."""
    report = came.report if isinstance(came, Snapshot | CaptureFailed) else None
    if report is None:
        return {type(came).__name__}
    return {frame.cause or "" for frame in report.frames if frame.status != "captured"}


async def commands_of(page: Page) -> int:
    """How many commands a capture of the page takes."""

    async def nothing(_: Transport) -> None:
        pass

    with Injecting(page.session.connection, 0, nothing) as counting:
        await page.snapshot(timeout=10)
    return counting.sent


async def check_clean(page: Page, known: set[Any]) -> None:
    """Nothing is waited for, attached or switched on that was not before."""
    connection = page.session.connection
    await until(lambda: not connection._waiting)
    assert set(connection._sessions) <= known
    engine = page.sessions[0]
    with engine.events(*_DOM_EVENTS) as events:
        await evaluate(
            page.session, "document.body.append('more'); document.body.setAttribute('x', Date.now())"
        )
        await engine.send("Page.getFrameTree")  # events come before it
        assert list(events._events) == []


def lacks_flat_documents(page: Page, patch: pytest.MonkeyPatch) -> None:
    """Let the browser know no `DOM.getFlattenedDocument`: it is deprecated."""
    connection = page.session.connection
    post = connection.post

    def posted(session: Any, method: str, params: Mapping[str, Any], deliver: Any, **options: Any) -> int:
        method = "DOM.gone" if method == "DOM.getFlattenedDocument" else method
        return post(session, method, params, deliver, **options)

    patch.setattr(connection, "post", posted)
