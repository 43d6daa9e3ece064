"""A connection on a transport of plain data: whatever the browser says, the reader goes on."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from hybridsnap.client.attachment import PageAttachment
from hybridsnap.client.browser import Browser, Page
from hybridsnap.client.connection import Connection, open_connection
from hybridsnap.client.creation import attach_to
from hybridsnap.client.network import RequestTracker
from hybridsnap.client.page_context import PageContext
from hybridsnap.client.transport import MessageTooLarge
from hybridsnap.client.wire import Wire
from hybridsnap.deadline import Deadline
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    ConnectionLost,
    ReplyTooLarge,
    ReplyUnreadable,
    TargetCrashed,
    TargetDetached,
)
from hybridsnap.model import SessionId, TargetId
from hybridsnap.protocol.codec import JSON

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap.errors import HybridsnapError


class FakeTransport:
    """What is said can be read in `sent`, what is to be heard goes into `say`."""

    name = "fake"
    cap_bytes = 2**20
    codec = JSON

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self._say, self._hear = trio.open_memory_channel[bytes | Exception](100)

    def say(self, message: object) -> None:
        if isinstance(message, bytes | Exception):
            self._say.send_nowait(message)
        else:
            self._say.send_nowait(json.dumps(message).encode())

    async def send(self, message: bytes, *, more: bool = False) -> None:  # noqa: ARG002 - one by one
        await trio.lowlevel.checkpoint()
        self.sent.append(json.loads(message))

    async def receive(self) -> bytes:
        message = await self._hear.receive()
        if isinstance(message, Exception):
            raise message
        return message

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


def event(method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"method": method, "params": params}
    if session is not None:
        said["sessionId"] = session
    return said


async def test_replies_find_their_calls_in_any_order() -> None:
    transport = FakeTransport()
    results: dict[str, Any] = {}

    async def ask(method: str) -> None:
        results[method] = await connection.root.send(method)

    async with open_connection(transport) as connection, trio.open_nursery() as nursery:
        for method in ("A", "B", "C"):
            nursery.start_soon(ask, method)
        await trio.testing.wait_all_tasks_blocked()
        for said in reversed(transport.sent):
            transport.say({"id": said["id"], "result": {"is": said["method"]}})
    assert results == {method: {"is": method} for method in "ABC"}
    assert connection._waiting == {}


async def failed(*said: object, session: str | None = None) -> HybridsnapError:
    """What a call comes to when the browser says this."""
    transport = FakeTransport()
    async with open_connection(transport) as connection:
        own = connection.root if session is None else connection.session(SessionId(session))
        for one in said:
            transport.say(one)
        with pytest.raises(Exception) as caught:  # noqa: PT011 - looked at by the caller
            await own.send("Page.x")
        assert connection._waiting == {}
        # The traceback starts where the call was made.
        assert any(entry.name == "failed" for entry in caught.traceback)
        return caught.value  # type: ignore[return-value]  # looked at by the caller


async def test_refusals() -> None:
    error = await failed({"id": 1, "error": {"code": -32000, "message": "no such page"}})
    assert isinstance(error, CommandRefused)
    assert (error.method, error.code, error.reason) == ("Page.x", -32000, "no such page")


@pytest.mark.parametrize(
    "noise",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"id":"x"}',
        b'{"method":7}',
        b'{"method":"A","params":' + b"[" * 100_000,
        event("Target.detachedFromTarget"),
        event("Target.detachedFromTarget", sessionId=7),
        event("Target.detachedFromTarget", sessionId="unknown"),
        event("Anything.else", "unknown session", a=1),
        {"id": 4711, "result": {}},
    ],
    ids=lambda noise: str(noise)[:40],
)
async def test_noise_is_passed_over(noise: object) -> None:
    assert isinstance(await failed(noise, {"id": 1, "error": {"code": 1, "message": "m"}}), CommandRefused)


@pytest.mark.parametrize("result", [b'{"id":1,"result":[1]}', b'{"id":1,"result":{"a":}}', b'{"id":1}'])
async def test_unreadable_replies(result: bytes) -> None:
    assert isinstance(await failed(result), ReplyUnreadable)


async def test_the_end_of_the_stream_fails_every_call() -> None:
    assert isinstance(await failed(ConnectionLost("gone")), ConnectionLost)


async def test_crash_and_detachment_fail_the_session_s_calls() -> None:
    assert isinstance(await failed(event("Inspector.targetCrashed", "S"), session="S"), TargetCrashed)
    detached = event("Target.detachedFromTarget", sessionId="S")
    assert isinstance(await failed(detached, session="S"), TargetDetached)


async def test_a_reply_too_large_fails_its_call_or_all_when_nothing_says_whose() -> None:
    named = await failed(MessageTooLarge(2**20, size_bytes=2**21, head=b'{"id":1,"result":{"nodes":['))
    assert isinstance(named, ReplyTooLarge)
    assert "pipe" in str(named)
    assert isinstance(await failed(MessageTooLarge(2**20, size_bytes=2**21)), ReplyTooLarge)
    other = await failed(
        MessageTooLarge(2**20, size_bytes=2**21, head=b'{"id":77,"result":'), ConnectionLost("end")
    )
    assert isinstance(other, ConnectionLost)


async def test_a_deadline_leaves_nothing_waiting(autojump_clock: trio.testing.MockClock) -> None:
    transport = FakeTransport()
    async with open_connection(transport) as connection:
        with pytest.raises(CommandUnanswered):
            await connection.root.send("A", deadline=Deadline.after(0.01))
        assert connection._waiting == {}
        with trio.move_on_after(5) as scope:
            await connection.root.send("B")
        assert scope.cancelled_caught
        assert connection._waiting == {}
    assert autojump_clock.current_time() >= 5


async def test_calls_after_the_end_fail_at_once() -> None:
    transport = FakeTransport()
    async with open_connection(transport) as connection:
        transport.say(ConnectionLost("gone"))
        await connection.wait_ended()
        with pytest.raises(ConnectionLost):
            await connection.root.send("A")
        with connection.root.events("A") as events:
            assert [one async for one in events] == []


@pytest.mark.parametrize(
    "strange",
    [
        event("Target.attachedToTarget", "S"),
        event("Target.attachedToTarget", "S", targetInfo=7, sessionId="T"),
        event("Target.attachedToTarget", "S", targetInfo={}, sessionId="T"),
        event("Page.frameNavigated", "S", frame=None),
        event("Page.frameAttached", "S"),
        event("Page.javascriptDialogOpening", "S"),
        event("Page.frameStartedNavigating", "S", frameId={}),
        {"id": "of the frame tree", "result": {"frameTree": 7}},
        {"id": "of the frame tree", "result": 7},
    ],
    ids=lambda strange: str(strange)[:60],
)
async def test_a_page_lives_through_strange_news(strange: dict[str, Any]) -> None:
    transport = FakeTransport()
    async with open_connection(transport) as connection:
        session = connection.session(SessionId("S"), TargetId("page"))
        browser = Browser(connection)
        page = Page(browser, PageContext(browser, TargetId("page"), session, session))
        await trio.testing.wait_all_tasks_blocked()
        asked = {said["method"]: said["id"] for said in transport.sent}
        transport.say({**strange, "id": asked["Page.getFrameTree"]} if "id" in strange else strange)
        transport.say(
            event("Page.frameNavigated", "S", frame={"id": "page", "loaderId": "L", "url": "http://x/"})
        )
        with trio.fail_after(5):
            while page.url != "http://x/":
                await trio.testing.wait_all_tasks_blocked()


async def test_events_are_bounded_and_the_oldest_go() -> None:
    transport = FakeTransport()
    async with open_connection(transport) as connection:
        with connection.root.events("A.b", buffer=3) as events:
            for number in range(10):
                transport.say(event("A.b", n=number))
                transport.say(event("A.other"))
            await trio.testing.wait_all_tasks_blocked()
            assert events.dropped == 7
            transport.say(ConnectionLost("end"))
            assert [params["n"] async for _, params in events] == [7, 8, 9]
        assert connection.root._subscriptions == []


async def test_a_session_that_comes_as_its_caller_is_cancelled_is_detached() -> None:
    transport = FakeTransport()
    async with open_connection(transport) as connection:
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(attach_to, connection, TargetId("T"), Deadline.after(20))
                await trio.testing.wait_all_tasks_blocked()
                (asked,) = transport.sent
                answer = json.dumps({"id": asked["id"], "result": {"sessionId": "S"}}).encode()
                scope.cancel()
                connection.take_reply(asked["id"], JSON.head(answer), answer)
    assert transport.sent[-1]["method"] == "Target.detachFromTarget"
    assert transport.sent[-1]["params"] == {"sessionId": "S"}


async def test_a_document_whose_end_is_not_told_ends_with_its_load_event() -> None:
    transport = FakeTransport()
    async with open_connection(transport) as connection:
        session = connection.session(SessionId("S"), TargetId("page"))
        attachment = PageAttachment(connection, session, TargetId("page"))
        attachment.start()
        with RequestTracker(attachment, own_socket=True).watch() as requests:
            document = {"requestId": "L", "loaderId": "L", "frameId": "page", "type": "Document"}
            address, initiator = {"url": "http://shop.test/"}, {"type": "other"}
            transport.say(
                event("Network.requestWillBeSent", "S", **document, request=address, initiator=initiator)
            )
            frame = {"id": "page", "loaderId": "L", **address}
            transport.say(event("Page.frameNavigated", "S", frame=frame))
            await trio.testing.wait_all_tasks_blocked()
            assert requests.under_way == {"shop.test": 1}
            transport.say(event("Page.loadEventFired", "S"))
            await trio.testing.wait_all_tasks_blocked()
            assert requests.under_way == {}


async def test_a_connection_that_comes_while_the_wire_is_down_stands_when_it_is_open_again() -> None:
    before, after = FakeTransport(), FakeTransport()
    may_open = trio.Event()

    @contextlib.asynccontextmanager
    async def reopen(_: Deadline) -> AsyncIterator[FakeTransport]:
        await may_open.wait()
        yield after

    async with trio.open_nursery() as nursery:
        wire = Wire(before, reopen)
        await nursery.start(wire.run)
        before.say(ConnectionLost("gone"))
        await trio.testing.wait_all_tasks_blocked()
        connection = Connection(wire)
        async with connection.served():
            assert not connection.standing
            may_open.set()
            await connection.stand(Deadline.after(20))
            connection.root.post("A", {}, lambda _: None)
            await trio.testing.wait_all_tasks_blocked()
            assert [one["method"] for one in after.sent] == ["A"]
        nursery.cancel_scope.cancel()
