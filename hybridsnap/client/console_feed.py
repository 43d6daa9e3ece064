"""The console events of a page's processes and workers, switched on while somebody listens.

A console keeps its last 1,000 messages, and tells them all to whoever begins to listen. They come before the
reply to the command that switches it on, so what comes after that is new: no clock is needed.

Measured in Chromium 156: switching on costs 1 to 2 ms where the console is empty, and 50 to 80 ms where it
holds 1,000 messages. It therefore stays on for `LEFT_ON_SECONDS` after the last listener has left, because
one action often follows another, and permanently where it holds many messages. Without a listener, its events
are dropped before they are decoded.

A page that logs faster than `MOST_A_SECOND` would keep this process from everything else. Its consoles are
switched off for a second, or longer when it goes on; the browser's own 1,000 last messages are read then.

What a dedicated worker says is also in the log of the document or worker that started it, in one line of
text. That copy is left out where the worker itself is listened to, and stands in where it was gone too soon.
"""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any, Protocol

from hybridsnap.client.console_messages import CONSOLE_EVENTS
from hybridsnap.client.flood import FloodBreaker
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import HybridsnapError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.client.attachment import AttachedSession, PageAttachment
    from hybridsnap.client.workers import PageWorkers
    from hybridsnap.model import SessionId
    from hybridsnap.protocol.codec import Payload

#: Without a listener, the console stays on for so many seconds.
LEFT_ON_SECONDS = 2.0
#: With more old messages than this, it stays on permanently.
_MANY = 50
#: More new messages within a second are a flood. One message costs this process some 50 µs.
MOST_A_SECOND = 1000
#: What the report of a capture says of a flood.
FLOOD_WORDS = (
    f"the page logs more than {MOST_A_SECOND:,} messages a second: its console is switched off for a while"
)
#: What so many messages hold in the page (objects that were logged) is let go of.
_HELD = 200
_DOMAINS = ("Runtime", "Log")
#: Of so many workers it is remembered that they were listened to; of one that is not yet listened to, so many
#: copies of messages are held.
_WORKERS, _COPIES = 500, 1000


class ConsoleListener(Protocol):
    """Somebody who listens to a page's console. Called by the connection's reader: must be quick."""

    def take(self, one: AttachedSession, method: str, params: dict[str, Any], *, old: bool) -> None:
        """An event came; `old`: of before the console was switched on."""
        ...  # pragma: no cover - a protocol

    def flooded(self) -> None:
        """The console was switched off: too much came."""
        ...  # pragma: no cover - a protocol

    def resumed(self, missed: int) -> None:
        """It was switched on again, and has told its old messages once more.

        So many events, or more, were not read as they came.
        """
        ...  # pragma: no cover - a protocol


@dataclasses.dataclass(slots=True)
class _Told:
    """What a session's console has told since it was switched on.

    Attributes:
        telling: how many of its domains still tell old messages.
        old: how many there were.
        held: how many messages with objects came since these were last let go of.
    """

    telling: int
    old: int = 0
    held: int = 0


class ConsoleFeed:
    """The consoles of a page's processes and workers, for all who listen to them.

    Args:
        attachment: the page's sessions.
        workers: those of its workers.
        shared: another client uses them too: what is switched on stays so.
    """

    def __init__(self, attachment: PageAttachment, workers: PageWorkers, *, shared: bool) -> None:
        self._attachment = attachment
        self._workers = workers
        self._shared = shared
        self._listeners: list[ConsoleListener] = []
        #: When the last listener left (`time.monotonic`).
        self._left_at = 0.0
        #: `_switch_off_unheard` is scheduled.
        self._off_is_due = False
        #: The consoles that are on.
        self._told: dict[SessionId | None, _Told] = {}
        #: Worker → copies of its messages until it is known to be listened to; None from then on.
        self._copies: dict[str, list[tuple[AttachedSession, dict[str, Any], bool]] | None] = {}
        self._breaker = FloodBreaker(MOST_A_SECOND, self._stop, self._start)
        self._missed = 0
        #: How many events were missed in the last flood; None once the listeners have been told.
        self._resuming: int | None = None
        attachment.listeners.append(self._take)
        attachment.renewals.append(self._renew)
        workers.listeners.append(self._take)
        workers.beginnings.append(self._worker_begins)

    @property
    def flooding(self) -> bool:
        """Whether the page's consoles are switched off because it logged too much."""
        return self._breaker.flooding

    def add(self, listener: ConsoleListener, *, backlog: bool = False) -> None:
        """Begin to listen. Never waits.

        Args:
            listener: it is called from now on.
            backlog: it wants the old messages: consoles that are on are made to tell them once more.
        """
        self._listeners.append(listener)
        if not self.flooding:
            self._switch_on(again=backlog)

    def remove(self, listener: ConsoleListener) -> None:
        """Listen no more. Some time after the last listener the consoles are switched off."""
        # Not `remove`: two with the same contents must not count as equal.
        self._listeners = [one for one in self._listeners if one is not listener]
        if not self._listeners:
            self._copies.clear()
            self._mute()
            self._left_at = time.monotonic()
            if not self._off_is_due:
                self._have_switched_off(LEFT_ON_SECONDS)

    def _have_switched_off(self, seconds: float) -> None:
        self._off_is_due = True
        self._attachment.root.session.connection.call_later(seconds, self._switch_off_unheard)

    def _switch_off_unheard(self) -> None:
        """Switch the consoles off, unless somebody has listened within the last seconds."""
        self._off_is_due = False
        left = self._left_at + LEFT_ON_SECONDS - time.monotonic()
        if not self._listeners and left > 0:
            self._have_switched_off(left)
        elif not self._listeners:
            self._switch_off(keep_full=True)

    def _sessions(self) -> Iterator[AttachedSession]:
        yield from self._attachment
        yield from self._workers

    def _mute(self) -> None:
        """Let events be dropped as they come."""
        if not self._shared:
            for one in self._sessions():
                for method in CONSOLE_EVENTS:
                    one.session.muted.setdefault(method, 0)

    def _switch_on(self, *, again: bool = False) -> None:
        if not self._listeners:
            return
        for one in self._sessions():
            for method in CONSOLE_EVENTS:
                one.session.muted.pop(method, None)
            if one.session.id not in self._told:
                self._enable(one)
            elif again and not self._shared:
                self._disable(one)
                self._enable(one)

    def _enable(self, one: AttachedSession) -> None:
        told = self._told[one.session.id] = _Told(len(_DOMAINS))

        def done(_: Payload | HybridsnapError) -> None:
            # Where all is over before the reply comes, it must not count for the next time.
            told.telling -= 1
            self._tell_resumed()

        def runtime_done(reply: Payload | HybridsnapError) -> None:
            done(reply)
            if one.worker:
                self._worker_answered(one, lost=isinstance(reply, HybridsnapError))

        for domain in _DOMAINS:
            one.session.post(f"{domain}.enable", {}, runtime_done if domain == "Runtime" else done)

    # Workers.

    def _worker_begins(self, one: AttachedSession) -> None:
        if not self._listeners:
            return
        self._copies[str(one.session.target_id)] = []
        while len(self._copies) > _WORKERS:
            del self._copies[next(iter(self._copies))]
        if not self.flooding:
            self._switch_on()

    def _worker_answered(self, one: AttachedSession, *, lost: bool) -> None:
        """A worker is listened to from now on, or was gone before it could be."""
        worker = str(one.session.target_id)
        held = self._copies.get(worker)
        if held is None:
            return
        if not lost:
            self._copies[worker] = None
            return
        del self._copies[worker]
        for by, params, old in held:
            for listener in self._listeners:
                listener.take(by, "Log.entryAdded", params, old=old)

    def _is_copy(self, one: AttachedSession, method: str, params: dict[str, Any]) -> bool:
        """Whether the worker itself has told this, or will; held if that is not sure."""
        if method == "Runtime.exceptionThrown" and one.worker:
            # What nothing catches in a worker comes to the one that started it, too, without the exception.
            details = params["exceptionDetails"]
            passed_on = details.get("exception", {}).get("subtype") == "null"
            return passed_on and any(
                each.parent is one and each.url == details.get("url") for each in self._workers
            )
        worker = params["entry"].get("workerId") if method == "Log.entryAdded" else None
        if worker not in self._copies:
            return False
        held = self._copies[worker]
        if held is not None and len(held) < _COPIES:
            told = self._told.get(one.session.id)
            held.append((one, params, told is not None and told.telling > 0))
        return True

    @staticmethod
    def _disable(one: AttachedSession) -> None:
        for domain in _DOMAINS:
            one.session.post(f"{domain}.disable", {}, ignore_reply)

    def _switch_off(self, *, keep_full: bool) -> None:
        """Let go of what the messages held, and switch off: all, or only where few messages are kept."""
        self._mute()
        attached = {one.session.id: one for one in self._sessions()}
        for id_, told in list(self._told.items()):
            one = attached.get(id_)
            if one is not None and not self._shared:
                if told.old or told.held:
                    self._release(one)
                if keep_full and told.old > _MANY:
                    continue
                self._disable(one)
            del self._told[id_]

    @staticmethod
    def _release(one: AttachedSession) -> None:
        one.session.post("Runtime.releaseObjectGroup", {"objectGroup": "console"}, ignore_reply)

    def _renew(self) -> None:
        """The page was attached to anew."""
        self._told.clear()
        if not self.flooding:
            self._switch_on()

    def _follow(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        """Keep up with the processes that the page has."""
        if method == "Inspector.targetReloadedAfterCrash":  # the new process need not know (measured)
            self._told.pop(one.session.id, None)
        if method in {"Target.attachedToTarget", "Inspector.targetReloadedAfterCrash"} and not self.flooding:
            self._switch_on()
        elif method == "Target.detachedFromTarget":
            self._told.pop(params["sessionId"], None)

    def _take(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        """Look at an event."""
        if method not in CONSOLE_EVENTS:
            self._follow(one, method, params)
            return
        if not self._listeners or self._is_copy(one, method, params):
            return
        told = self._told.get(one.session.id)
        if told is None:
            self._missed += self.flooding
            return
        old = told.telling > 0
        if old:
            told.old += 1
        elif self._breaker.floods(one.session):
            return
        for listener in self._listeners:
            listener.take(one, method, params, old=old)
        if method != "Log.entryAdded" and not self._shared:
            told.held += 1
            if told.held > _HELD:
                told.held = 0
                self._release(one)

    def _stop(self) -> None:
        """Too much comes: switch off for a while."""
        self._missed = 1
        self._switch_off(keep_full=False)
        self._told.clear()
        for listener in self._listeners:
            listener.flooded()

    def _start(self) -> None:
        """Switch on again after a flood."""
        missed, self._missed = self._missed, 0
        # Among the entries of a log are copies of what workers said; those are counted where they were said.
        methods = [one for one in CONSOLE_EVENTS if one != "Log.entryAdded" or not self._copies]
        missed += sum(one.session.muted.get(method, 0) for one in self._sessions() for method in methods)
        self._resuming = missed
        self._switch_on()
        self._tell_resumed()

    def _tell_resumed(self) -> None:
        """Say how much was missed, once the browser has told what it has kept of that."""
        if self._resuming is not None and all(told.telling <= 0 for told in self._told.values()):
            missed, self._resuming = self._resuming, None
            for listener in self._listeners:
                listener.resumed(missed)
