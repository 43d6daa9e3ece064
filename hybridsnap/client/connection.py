"""One connection: calls and their replies, flat sessions, events.

- A call's entry leaves `Connection._waiting` when its reply comes or when the caller stops waiting,
  whichever is first. The end of the connection, a crash or a detachment fails all open calls of
  the sessions concerned at once; each caller makes its own error, so a traceback points at the call.
- An `EventSubscription` holds a bounded number of events; when a reader falls behind, the oldest go and
  are counted.
- Several connections can be served over one `Wire`. Each then has a browser session of its own as its root,
  with whose end the browser takes back everything that the connection has set up.
- Where the wire is opened again, a drop fails what is open, and what begins later waits until all is set up
  again (`Connection.stand`). A `Session` lives on then, under another id (`Connection.rebind`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import math
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

import msgspec
import trio

from hybridsnap.client.changes import Changes
from hybridsnap.client.subscriptions import EventSubscription, Subscription
from hybridsnap.client.transport import background_nursery
from hybridsnap.client.wire import Wire
from hybridsnap.deadline import Deadline
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
    from hybridsnap.client.wire import Reopen
    from hybridsnap.protocol.codec import Head, Payload

T = TypeVar("T")
#: Takes what comes of a command; called by the reader, so it must be quick.
Deliver: TypeAlias = "Callable[[Payload | HybridsnapError], None]"
_log = logging.getLogger("hybridsnap")

#: How many events a subscription holds by default before the oldest go.
EVENT_BUFFER = 1000
#: Commands that a crashed page still answers, because the browser does. The first ones bring it back, the
#: third only a tab that the browser has discarded. Requests go on being stopped for the next renderer.
_ANSWERED = frozenset({"Page.navigate", "Page.reload", "Page.bringToFront", "Fetch.enable", "Fetch.disable"})
#: Commands that the browser carries out for the next renderer, and answers when that is there, with an error.
_NOTED = frozenset({"Network.enable", "Network.disable"})
#: What says that there is a renderer again. Of a tab that was discarded only the second comes (measured).
_REVIVED = frozenset({"Inspector.targetReloadedAfterCrash", "Page.frameNavigated"})
#: Whoever holds a page that was closed reads this.
_GONE = (
    "the page or frame behind this session is gone; where the page was closed, take one that is open"
    " (browser.pages()) or open another (browser.new_page())"
)
#: What a connection has set up is set up again within so many seconds, or it is given up.
_RESTORING_SECONDS = 20.0


@dataclasses.dataclass(slots=True, eq=False)
class _Call:
    session: Session
    method: str
    deliver: Deliver
    of_channel: bool
    sent: bool = False


class Connection:
    """What one user of a browser says to it; `open_connection` makes one with a wire of its own.

    Attributes:
        root: the session of the browser, or of the one page whose own socket this is.
        drops: how often the transport has ended; who follows something compares it.
        restore: sets up again what it has set up, within a deadline, when the wire was opened again.
    """

    def __init__(self, wire: Wire) -> None:
        self.root: Session = Session(self, None, None)
        self.drops: int = 0
        self.restore: Callable[[Deadline], Awaitable[None]] | None = None
        self._wire = wire
        self._waiting: dict[int, _Call] = {}
        self._lost: str | None = None
        #: What was set up is being set up again, or has to be.
        self._restoring: trio.CancelScope | None = None
        self._changes = Changes()
        self._nursery: trio.Nursery | None = None
        self._sessions: dict[SessionId | None, Session] = {None: self.root}

    @property
    def transport(self) -> Transport:
        """What carries it now."""
        return self._wire.transport

    @property
    def reopens(self) -> bool:
        """Whether the end of a transport is not the end of the connection."""
        return self._wire.reopens

    @property
    def lost(self) -> bool:
        """Whether the connection is gone for good."""
        return self._lost is not None

    @property
    def standing(self) -> bool:
        """Whether the browser can be asked, and knows all that was set up."""
        return self._lost is None and self._wire.gap is None and self._restoring is None

    async def stand(self, deadline: Deadline | None) -> None:
        """Wait until the connection stands, if it has dropped. Where it is lost, the next call says so.

        Raises:
            ConnectionLost: it did not in time.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        if self.standing or self.lost:
            return
        began = trio.current_time()
        if not await self._changes.wait_until(lambda: self.standing or self.lost, deadline):
            seconds = trio.current_time() - began
            words = self._wire.gap or "the browser was reached again, and does not answer"
            raise ConnectionLost(
                f"{words}; the connection could not be made again within {seconds:.1f} s",
                may_have_been_executed=False,
            )

    def check(self, drops: int, doing: str, *, may_have_been_executed: bool) -> None:
        """See whether the connection has held.

        Args:
            drops: `drops` as it was.
            doing: what was done meanwhile, as in ``while the page was loading``.
            may_have_been_executed: of the error.

        Raises:
            ConnectionLost: it has not.
        """
        if self.lost or self.drops != drops:
            more = f": {self._lost}" if self.lost else "; it is made again: ask again"
            raise ConnectionLost(
                f"the connection to the browser was lost {doing}{more}",
                may_have_been_executed=may_have_been_executed,
            )

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

    def rebind(self, session: Session, session_id: SessionId) -> None:
        """Go on with another session of the same target: who holds the object need not know.

        What is open fails. Subscriptions to its events end: whoever wants more switches the domain on again.
        """
        self._sessions.pop(session.id, None)
        self._sessions[session_id] = session
        session.take_id(session_id)

    def drop(self, session: Session) -> None:
        """A session is over: fail its open calls, and forget it."""
        if self._sessions.pop(session.id, None) is not None:
            session.end("detached")

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
        number = self._wire.next_number()
        if (words := self._lost or self._wire.gap) is not None:
            deliver(ConnectionLost(f"{words}; {method} was not sent", may_have_been_executed=False))
        elif session.ended is not None and not (session.ended == "crashed" and method in _ANSWERED):
            if session.ended == "crashed" and method in _NOTED:
                self._wire.queue(self.transport.codec.encode(number, method, params, session.id))
            deliver(session.error())
        else:
            call = self._waiting[number] = _Call(session, method, deliver, of_channel=of_channel)
            self._wire.queue(self.transport.codec.encode(number, method, params, session.id), call)
        return number

    def forget(self, number: int) -> None:
        """Drop a call that is no longer awaited."""
        self._waiting.pop(number, None)

    def fail(
        self,
        session: Session,
        error: Callable[[str], HybridsnapError],
        *,
        captures_only: bool,
        methods: str = "",
    ) -> None:
        """Fail the open calls of a session.

        Args:
            session: whose.
            error: method → the error to hand out.
            captures_only: True leaves alone what was called with `Session.send`.
            methods: what the names of the methods begin with.
        """
        for number, call in list(self._waiting.items()):
            of_kind = call.of_channel or not captures_only
            if call.session is session and of_kind and call.method.startswith(methods):
                del self._waiting[number]
                call.deliver(error(call.method))

    async def wait_ended(self) -> None:
        """Wait until the connection is gone for good."""
        await self._changes.wait_until(lambda: self.lost)

    def call_later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call a function after some time, if the connection is not lost then. Never waits."""

        async def wait() -> None:
            await trio.sleep(seconds)
            if self._lost is None:
                call()

        self.start_soon(wait)

    def start_soon(self, work: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Have a task done beside, as long as the connection is not lost. It must not raise."""
        if self._nursery is not None and self._lost is None:
            self._nursery.start_soon(work, *args)

    async def flush(self) -> None:
        """Wait, within a second, until everything queued is written. Shielded."""
        await self._wire.flush()

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

    @contextlib.asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        """Receive for the length of the block."""
        words = "the connection to the browser was closed; connect or launch anew"
        async with background_nursery() as self._nursery:
            self._wire.receivers.append(self)
            if self._wire.lost is not None:
                self.end(self._wire.lost)
            elif self._wire.gap is not None:
                self.dropped(self._wire.gap)
            try:
                yield
            finally:
                if self.root.id is not None and self._wire.gap is None and not self.lost:
                    params = {"sessionId": self.root.id}
                    number = self._wire.next_number()
                    self._wire.queue(
                        self.transport.codec.encode(number, "Target.detachFromTarget", params, None)
                    )
                await self.flush()
                self._wire.receivers.remove(self)
                self.end(words)

    # As `hybridsnap.client.wire.Receiver`.

    def take_reply(self, number: int, head: Head, message: bytes) -> bool:
        """Take a reply; False where no call of this number is open."""
        call = self._waiting.pop(number, None)
        if call is None:
            return False
        if head.error is None:
            call.deliver(self.transport.codec.payload(message))
        else:
            call.deliver(refused(call.method, head.error.code, head.error.message))
        return True

    def take_event(self, head: Head) -> bool:
        """Take an event; False where it is of no session of ours."""
        session = self._sessions.get(None if head.session_id is None else SessionId(head.session_id))
        if session is None:
            return False
        codec = self.transport.codec
        try:
            if head.method == "Inspector.targetCrashed":
                session.end("crashed")
            elif head.method in _REVIVED and session.ended == "crashed":
                session.ended = None
            elif head.method == "Target.detachedFromTarget":
                self.drop(self.session_of(codec.params(head, dict)["sessionId"]))
            session.take_event(head.method, head, codec)
        except (msgspec.MsgspecError, LookupError, TypeError, AttributeError) as error:
            _log.warning("the browser sent an event that cannot be read: %s (%s)", head.method, error)
        return True

    def take_too_large(self, number: int | None, cap_bytes: int) -> None:
        """A reply was dropped for its size; to a call that is not known where `number` is None."""
        for waiting, call in list(self._waiting.items()):
            if waiting == number or (number is None and not call.of_channel):
                del self._waiting[waiting]
                call.deliver(self.too_large(call.method, cap_bytes))

    def dropped(self, words: str) -> None:
        """The transport has ended, and will be opened again if it can be."""
        if self._restoring is not None:
            self._restoring.cancel()
        self._restoring = trio.CancelScope()
        self._interrupt(words)

    def reopened(self) -> None:
        """The wire is open again: set up what was set up."""
        assert self._restoring is not None, "it has dropped"
        self.start_soon(self._set_up, self._restoring)

    def end(self, words: str) -> None:
        """The connection has ended for good."""
        if self._lost is not None:
            return
        self._lost = words
        self._interrupt(words)
        for session in self._sessions.values():
            session.close_subscriptions()

    def _interrupt(self, words: str) -> None:
        """Fail what is open, and have everybody look who waits."""
        self.drops += 1
        waiting, self._waiting = self._waiting, {}
        for call in waiting.values():
            outcome = "may have been executed" if call.sent else "was not sent"
            call.deliver(
                ConnectionLost(f"{words}; {call.method} {outcome}", may_have_been_executed=call.sent)
            )
        for session in list(self._sessions.values()):
            if session.on_end is not None:
                session.on_end()
        self._changes.notify()

    async def _set_up(self, scope: trio.CancelScope) -> None:
        """Have everything set up again, and end what is not there any more."""
        before = dict(self._sessions)
        deadline = Deadline.after(_RESTORING_SECONDS)
        with scope:
            try:
                if self.root.id is not None:
                    await self.take_own_root(deadline)
                if self.restore is not None:
                    await self.restore(deadline)
            except HybridsnapError as error:
                if not scope.cancel_called:
                    self.end(f"the connection to the browser was lost, and cannot be made again: {error}")
                return
            for id_, session in before.items():
                if id_ is not None and session.id == id_:
                    self.drop(session)
            self._restoring = None
            self._changes.notify()

    async def take_own_root(self, deadline: Deadline) -> None:
        """Speak to the browser over a session of our own, not over that of the wire.

        Raises:
            CommandRefused: it has none to give: it is no browser of Chromium's kind.
            CommandUnanswered, ConnectionLost: it does not answer, or is gone.
        """
        plain = Session(self, None, None)
        reply = await plain.ask("Target.attachToBrowserTarget", {}, deadline)
        try:
            session_id = SessionId(reply.result(dict)["sessionId"])
        except (msgspec.MsgspecError, ValueError, KeyError) as error:
            raise unreadable("Target.attachToBrowserTarget", error) from error
        self.rebind(self.root, session_id)


class Session:
    """One flat session: commands to one target, and its events.

    Attributes:
        id: None for the connection's own root session (the browser, or one page's own socket).
        target_id: what it is attached to, when known.
        ended: None, or why no command can be answered any more.
        cause_of_silence: called when a command was not answered by its deadline: why not. None where that is
            not known.
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
        self.cause_of_silence: Callable[[], Cause] | None = None
        self.muted: dict[str, int] = {}
        self._subscriptions: list[Subscription[Any]] = []
        self._endings = Changes()

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
        await self._endings.wait_until(lambda: self.ended is not None or self.connection.lost)

    def error(self) -> HybridsnapError:
        """Why no command can be answered, as a new error."""
        if self.ended == "crashed":
            return crashed(self.id)
        return TargetDetached(_GONE, session=self.id)

    def end(self, cause: Cause) -> None:
        """No command will be answered any more: fail those that are open."""
        self.ended = cause
        self._endings.notify()
        self.connection.fail(self, lambda _: self.error(), captures_only=False)
        if cause == "detached":
            self.close_subscriptions()
        if self.on_end is not None:
            self.on_end()

    def take_id(self, id_: SessionId) -> None:
        """Go on under another id, of another session of the same target: `Connection.rebind`."""
        self.connection.fail(
            self,
            lambda _: TargetDetached("the session was attached anew", session=self.id),
            captures_only=False,
        )
        self.id, self.ended = id_, None
        for subscription in self._subscriptions:
            if isinstance(subscription, EventSubscription):
                subscription.close()
        if self.on_end is not None:
            self.on_end()

    def close_subscriptions(self) -> None:
        """End everybody's ``async for`` over this session's events."""
        self._endings.notify()
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
        await self.connection.stand(deadline)
        return await self.ask(method, params, deadline)

    async def ask(self, method: str, params: Mapping[str, Any], deadline: Deadline | None) -> Payload:
        """As `send_raw`, also while the connection is being set up again."""
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
            raise unanswered(method, "timeout" if self.cause_of_silence is None else self.cause_of_silence())
        if isinstance(reply, HybridsnapError):
            raise_here(reply)
        return reply

    def __repr__(self) -> str:
        return f"<Session {self.id or 'root'} of {self.target_id or 'the browser'}>"


def raise_here(error: HybridsnapError) -> NoReturn:
    """Raise an error that came as a value, so that its traceback starts where the call was made."""
    raise error.with_traceback(None)


@contextlib.asynccontextmanager
async def open_connection(transport: Transport, reopen: Reopen | None = None) -> AsyncIterator[Connection]:
    """Run a connection on a transport of its own for the length of the block."""
    wire = Wire(transport, reopen)
    async with background_nursery() as nursery:
        await nursery.start(wire.run)
        connection = Connection(wire)
        async with connection.served():
            yield connection
