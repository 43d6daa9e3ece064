"""One connection: calls and their replies, flat sessions, events.

- Calls are queued, and written in the order in which they were made; several made at once stay adjacent on
  the wire. A reply is handed on undecoded; only events are decoded here.
- A call's entry leaves `Connection._waiting` when its reply comes or when the caller stops waiting,
  whichever is first. The end of the connection, a crash or a detachment fails all open calls of
  the sessions concerned at once; each caller makes its own error, so a traceback points at the call.
- An `EventSubscription` holds a bounded number of events; when a reader falls behind, the oldest go and
  are counted.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import math
from collections import deque
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

import msgspec
import trio

from hybridsnap.client.subscriptions import EventSubscription, Subscription
from hybridsnap.client.transport import MessageTooLarge, background_nursery
from hybridsnap.drivers.base import crashed, refused, unanswered, unreadable
from hybridsnap.errors import (
    ConnectionLost,
    HybridsnapError,
    ReplyTooLarge,
    TargetDetached,
)
from hybridsnap.model import Cause, SessionId, TargetId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping

    from hybridsnap.client.transport import Transport
    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.codec import Head, Payload

T = TypeVar("T")
#: Takes what comes of a command; called by the reader, so it must be quick.
Deliver: TypeAlias = "Callable[[Payload | HybridsnapError], None]"
_log = logging.getLogger("hybridsnap")

#: How many events a subscription holds by default before the oldest go.
EVENT_BUFFER = 1000
#: Commands that a crashed page still answers, because the browser does, and that bring it back.
_REVIVES = frozenset({"Page.navigate", "Page.reload"})
#: Whoever holds a page that was closed reads this.
_GONE = (
    "the page or frame behind this session is gone; where the page was closed, take one that is open"
    " (browser.pages()) or open another (browser.new_page())"
)
#: At closing time, how long what is still queued may take to be written.
_FLUSH_SECONDS = 1.0


class _Call:
    """A command on its way: what it was, and who gets the outcome."""

    __slots__ = ("deliver", "method", "of_channel", "session")

    def __init__(self, session: Session, method: str, deliver: Deliver, *, of_channel: bool) -> None:
        self.of_channel = of_channel
        self.session = session
        self.method = method
        self.deliver = deliver


class Connection:
    """Everything that is said over one transport.

    Args:
        transport: connected.
    """

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self._codec = transport.codec
        self._numbers = itertools.count(1)
        self._waiting: dict[int, _Call] = {}
        self._outbox: deque[bytes] = deque()
        self._outbox_filled = trio.Event()
        self._outbox_empty = trio.Event()
        self._outbox_empty.set()
        self._lost: str | None = None
        self._ended = trio.Event()
        self._nursery: trio.Nursery | None = None
        self.root: Session = Session(self, None, None)
        self._sessions: dict[SessionId | None, Session] = {None: self.root}

    @property
    def lost(self) -> bool:
        """Whether the connection is gone."""
        return self._lost is not None

    def session_of(self, session_id: SessionId | None) -> Session:
        """The session a command names; None is the connection's own. One that is not known is over."""
        session = self._sessions.get(session_id)
        if session is None:
            session = Session(self, session_id, None)
            session.ended = "detached"
        return session

    def session(self, session_id: SessionId, target_id: TargetId | None = None) -> Session:
        """The session with this id; made if this is the first that is heard of it."""
        session = self._sessions.get(session_id)
        if session is None:
            session = self._sessions[session_id] = Session(self, session_id, target_id)
        return session

    def drop(self, session_id: SessionId) -> None:
        """A session is over: fail its open calls, and forget it."""
        if ended := self._sessions.pop(session_id, None):
            ended.end("detached")

    def post(
        self,
        session: Session,
        method: str,
        params: Mapping[str, Any],
        deliver: Deliver,
        *,
        of_channel: bool = False,
    ) -> int:
        """Queue a command; `deliver` is called with the outcome. Never blocks.

        Args:
            session: for which.
            method: as the protocol has it.
            params: JSON data.
            deliver: called by the reader.
            of_channel: a `ConnectionChannel` waits for it, which can do without.

        Returns:
            The call's number, for `forget`.
        """
        number = next(self._numbers)
        if self._lost is not None:
            deliver(ConnectionLost(self._lost))
        elif session.ended is not None and not (session.ended == "crashed" and method in _REVIVES):
            deliver(session.error())
        else:
            self._waiting[number] = _Call(session, method, deliver, of_channel=of_channel)
            self._outbox.append(self._codec.encode(number, method, params, session.id))
            self._outbox_filled.set()
            if self._outbox_empty.is_set():
                self._outbox_empty = trio.Event()
        return number

    def forget(self, number: int) -> None:
        """Drop a call that is no longer awaited."""
        self._waiting.pop(number, None)

    def fail(self, session: Session, error: Callable[[str], HybridsnapError], *, captures_only: bool) -> None:
        """Fail the open calls of a session.

        Args:
            session: whose.
            error: method → the error to hand out.
            captures_only: True leaves alone what was called with `Session.send`.
        """
        for number, call in list(self._waiting.items()):
            if call.session is session and (call.of_channel or not captures_only):
                del self._waiting[number]
                call.deliver(error(call.method))

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Read and write until the connection ends. Runs as a task of whoever opened it."""
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._write)
                task_status.started()
                await self._read()
                nursery.cancel_scope.cancel()
        finally:
            self._end("the connection to the browser was closed; connect or launch anew")

    async def wait_ended(self) -> None:
        """Wait until the connection is gone."""
        await self._ended.wait()

    def call_later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call a function after some time, if the connection still stands then. Never waits."""

        async def wait() -> None:
            await trio.sleep(seconds)
            if self._lost is None:
                call()

        self.start_soon(wait)

    def start_soon(self, work: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Have a task done beside, as long as the connection stands. It must not raise."""
        if self._nursery is not None and self._lost is None:
            self._nursery.start_soon(work, *args)

    async def flush(self) -> None:
        """Wait, within a second, until everything queued is written. Shielded."""
        with trio.move_on_after(_FLUSH_SECONDS, shield=True):
            await self._outbox_empty.wait()

    async def _write(self) -> None:
        while True:
            await self._outbox_filled.wait()
            self._outbox_filled = trio.Event()
            try:
                while self._outbox:
                    await self.transport.send(self._outbox[0])
                    if self._outbox:  # the end of the connection, meanwhile, empties it
                        self._outbox.popleft()
            except ConnectionLost:
                return  # the reader hears of it too, after the last replies
            self._outbox_empty.set()

    async def _read(self) -> None:
        while True:
            try:
                message = await self.transport.receive()
            except MessageTooLarge as error:
                self._too_large(error)
                continue
            except ConnectionLost as error:
                self._end(error.message)
                return
            try:
                head = self._codec.head(message)
            except msgspec.MsgspecError:
                _log.warning("the browser sent something that is not a message: %r", message[:100])
                continue
            if head.id is None:
                self._event(head)
            elif call := self._waiting.pop(head.id, None):
                if head.error is None:
                    call.deliver(self._codec.payload(message))
                else:
                    call.deliver(refused(call.method, head.error.code, head.error.message))

    def _too_large(self, error: MessageTooLarge) -> None:
        """A reply was dropped for its size: fail the call it was for.

        Where nothing says which, all that `Session.send` waits for; a channel finds out by itself.
        """
        try:
            number = self._codec.head(error.head).id if error.head else None
        except msgspec.MsgspecError:
            number = None
        for waiting, call in list(self._waiting.items()):
            if waiting == number or (number is None and not call.of_channel):
                del self._waiting[waiting]
                call.deliver(self.too_large(call.method, error.cap_bytes))

    def too_large(self, method: str, cap_bytes: int) -> ReplyTooLarge:
        """A reply that was too large for the transport, as an error."""
        return ReplyTooLarge(
            f"{method}: the reply is larger than the {self.transport.name} takes ({cap_bytes // 2**20} MiB);"
            " use the pipe (transport='pipe', --transport pipe)",
            method=method,
            cap_bytes=cap_bytes,
        )

    def waits_for(self, number: int) -> bool:
        """Whether this call is still to be answered."""
        return number in self._waiting

    def _event(self, head: Head) -> None:
        session = self._sessions.get(None if head.session_id is None else SessionId(head.session_id))
        if session is None:
            return
        try:
            if head.method == "Inspector.targetCrashed":
                session.end("crashed")
            elif head.method == "Inspector.targetReloadedAfterCrash":
                session.ended = None
            elif head.method == "Target.detachedFromTarget":
                self.drop(self._codec.params(head, _Detached).session_id)
            session.take_event(head.method, head, self._codec)
        except (msgspec.MsgspecError, LookupError, TypeError, AttributeError) as error:
            _log.warning("the browser sent an event that cannot be read: %s (%s)", head.method, error)

    def _end(self, words: str) -> None:
        if self._lost is not None:
            return
        self._lost = words
        self._outbox.clear()
        self._outbox_empty.set()
        waiting, self._waiting = self._waiting, {}
        for call in waiting.values():
            call.deliver(ConnectionLost(words))
        for session in self._sessions.values():
            session.close_subscriptions()
            if session.on_end is not None:
                session.on_end()
        self._ended.set()


class _Detached(msgspec.Struct, rename="camel"):
    session_id: SessionId


class Session:
    """One flat session: commands to one target, and its events.

    Attributes:
        id: None for the connection's own root session (the browser, or one page's own socket).
        target_id: what it is attached to, when known.
        ended: None, or why no command can be answered any more.
        muted: event methods that `on_event` is not called with, and how many such events came: what is not
            wanted is not decoded.
    """

    def __init__(self, connection: Connection, id_: SessionId | None, target_id: TargetId | None) -> None:
        self.connection = connection
        self.id = id_
        self.target_id = target_id
        self.ended: Cause | None = None
        self.on_event: Callable[[str, dict[str, Any]], None] | None = None
        self.on_end: Callable[[], None] | None = None
        self.muted: dict[str, int] = {}
        self._subscriptions: list[Subscription[Any]] = []
        self._ending = trio.Event()

    async def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, deadline: Deadline | None = None
    ) -> dict[str, Any]:
        """Send any command, and return its result.

        Args:
            method: such as ``Runtime.evaluate``.
            params: JSON data.
            deadline: None waits as long as the session lives.

        Raises:
            CommandRefused: the browser answered with an error.
            CommandUnanswered: the deadline passed.
            ConnectionLost, TargetCrashed, TargetDetached, ReplyTooLarge: no answer can come.
        """
        payload = await self._call(method, params or {}, deadline)
        try:
            return payload.result(dict)
        except (msgspec.MsgspecError, ValueError) as error:
            raise unreadable(method, error) from error

    def post(self, method: str, params: Mapping[str, Any], deliver: Deliver) -> int:
        """Queue a command without waiting; returns the call's number for `Connection.forget`."""
        return self.connection.post(self, method, params, deliver)

    async def send_raw(self, method: str, params: Mapping[str, Any] | None = None) -> Payload:
        """Send any command, and return its reply undecoded. Raises as `send`."""
        return await self._call(method, params or {}, None)

    async def execute(self, command: Generator[dict[str, Any], dict[str, Any], T]) -> T:
        """Send a PyCDP command: ``await session.execute(cdp.page.navigate(url))``.

        Returns:
            PyCDP's typed result.

        Raises:
            HybridsnapError: as `send`; `ReplyUnreadable` when PyCDP does not know what the browser answered.
        """
        request = next(command)
        result = await self.send(request["method"], request.get("params"))
        try:
            command.send(result)
        except StopIteration as stop:
            value: T = stop.value
            return value
        except (ValueError, KeyError, TypeError) as error:
            raise unreadable(request["method"], error) from error
        raise TypeError(f"{request['method']}: this PyCDP command asks for a second request")

    @contextlib.contextmanager
    def events(self, *methods: str, buffer: int = EVENT_BUFFER) -> Generator[EventSubscription, None, None]:
        """Subscribe to events of these methods for the length of the block.

        The domain must be enabled (``await session.send("Network.enable")``).
        """
        subscription = EventSubscription(methods, buffer)
        with self.closing(subscription):
            yield subscription

    @contextlib.contextmanager
    def closing(self, subscription: Subscription[Any]) -> Generator[None, None, None]:
        """Close a subscription when this session ends, for the length of the block."""
        if self.ended is not None or self.connection.lost:
            subscription.close()
        self._subscriptions.append(subscription)
        try:
            yield
        finally:
            self._subscriptions.remove(subscription)

    async def wait_ended(self) -> None:
        """Wait until no command can be answered any more: crashed, detached, or the connection gone."""
        while self.ended is None and not self.connection.lost:
            await self._ending.wait()

    def error(self) -> HybridsnapError:
        """Why no command can be answered, as a new error."""
        if self.ended == "crashed":
            return crashed(self.id)
        return TargetDetached(_GONE, session=self.id)

    def end(self, cause: Cause) -> None:
        """No command will be answered any more: fail those that are open."""
        self.ended = cause
        self._ending.set()
        self._ending = trio.Event()
        self.connection.fail(self, lambda _: self.error(), captures_only=False)
        if cause == "detached":
            self.close_subscriptions()
        if self.on_end is not None:
            self.on_end()

    def close_subscriptions(self) -> None:
        """End everybody's ``async for`` over this session's events."""
        self._ending.set()
        for subscription in self._subscriptions:
            subscription.close()

    def take_event(self, method: str, head: Head, codec: Any) -> None:
        """Hand an event on. Called by the reader; decodes it only when there is a listener."""
        wanted = [
            one for one in self._subscriptions if isinstance(one, EventSubscription) and method in one.methods
        ]
        heard = self.on_event is not None and method not in self.muted
        if not heard and method in self.muted:
            self.muted[method] += 1
        if not wanted and not heard:
            return
        params = codec.params(head, dict)
        for subscription in wanted:
            subscription.put(method, params)
        if heard and self.on_event is not None:
            self.on_event(method, params)

    async def _call(self, method: str, params: Mapping[str, Any], deadline: Deadline | None) -> Payload:
        await trio.lowlevel.checkpoint_if_cancelled()
        done = trio.Event()
        reply: Payload | HybridsnapError | None = None

        def deliver(came: Payload | HybridsnapError) -> None:
            nonlocal reply
            reply = came
            done.set()

        number = self.connection.post(self, method, params, deliver)
        try:
            with trio.move_on_after(math.inf if deadline is None else deadline.remaining):
                await done.wait()
        finally:
            self.connection.forget(number)
        if reply is None:
            raise unanswered(method, "timeout")
        if isinstance(reply, HybridsnapError):
            raise_here(reply)
        return reply

    def __repr__(self) -> str:
        return f"<Session {self.id or 'root'} of {self.target_id or 'the browser'}>"


def raise_here(error: HybridsnapError) -> NoReturn:
    """Raise an error that came as a value, so that its traceback starts where the call was made."""
    raise error.with_traceback(None)


@contextlib.asynccontextmanager
async def open_connection(transport: Transport) -> AsyncIterator[Connection]:
    """Run a connection on a transport for the length of the block."""
    connection = Connection(transport)
    async with background_nursery() as nursery:
        await nursery.start(connection.run)
        try:
            yield connection
        finally:
            await connection.flush()
