"""The record of a page's console: the last messages, errors and notices, and who follows them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from hybridsnap.client.console_feed import MOST_A_SECOND
from hybridsnap.client.console_messages import ConsoleMessage, PageError, read_event
from hybridsnap.client.flood import Notice
from hybridsnap.client.subscriptions import Dropped, RecordSubscription, Ring

if TYPE_CHECKING:
    from hybridsnap.client.attachment import AttachedSession
    from hybridsnap.client.console_feed import ConsoleFeed
    from hybridsnap.client.workers import PageWorkers

#: So many messages, errors and notices are kept.
MESSAGES, ERRORS, NOTICES = 500, 200, 20
#: For how many sessions the time of the last message is remembered.
_SESSIONS = 200


class ConsoleSubscription(RecordSubscription["ConsoleMessage | PageError"]):
    """Messages and errors as they come, for ``async for``; `Console.follow` makes it.

    Where the reader fell behind, or the page said more than could be followed, a `Dropped` stands in the
    place of what was lost.

    Attributes:
        dropped: how many were lost so far.
        closed: no more come.
    """

    def __aiter__(self) -> ConsoleSubscription:
        return self

    async def __anext__(self) -> ConsoleMessage | PageError | Dropped:
        return await self._next_record()


class ConsoleRecord:
    """Records what a page's console says. It is a `hybridsnap.client.console_feed.ConsoleListener`.

    Attributes:
        recording: between `start` and `stop`.
        messages, errors, notices: the last of them.
        followers: who is handed each as it comes.
    """

    def __init__(self, feed: ConsoleFeed, workers: PageWorkers) -> None:
        self._feed = feed
        self._workers = workers
        self.recording: bool = False
        self.messages: Ring[ConsoleMessage] = Ring(MESSAGES)
        self.errors: Ring[PageError] = Ring(ERRORS)
        self.notices: Ring[Notice] = Ring(NOTICES)
        self.followers: list[ConsoleSubscription] = []
        self._missed = 0
        #: Messages from before that came late, as old ones, since the last flood.
        self._recovered = 0
        #: Target and event → the time of the last that came: old messages are told again and again.
        self._last: dict[tuple[object, str], float] = {}

    @property
    def dropped(self) -> int:
        """How many are not kept any more, or were never read: at least so many."""
        return self.messages.dropped + self.errors.dropped + self._missed

    def start(self) -> None:
        """Record from now on. Never waits."""
        if not self.recording:
            self.recording = True
            # First the workers: what they said is in the page's log, too, and is taken once.
            self._workers.start()
            self._feed.add(self, backlog=True)

    def stop(self) -> None:
        """Record no more."""
        if self.recording:
            self.recording = False
            self._workers.stop()
            self._feed.remove(self)

    def clear(self) -> None:
        """Forget what is recorded."""
        for ring in (self.messages, self.errors, self.notices):
            ring.clear()
        self._missed = 0

    def take(self, one: AttachedSession, method: str, params: dict[str, Any], *, old: bool) -> None:
        """Record an event."""
        said = read_event(method, params, worker=one.worker, worker_url=one.url if one.worker else "")
        if said is None:
            return
        key = one.session.target_id, method
        if old and said.time <= self._last.get(key, -1.0):
            return
        self._recovered += old
        self._last.pop(key, None)
        self._last[key] = said.time
        if len(self._last) > _SESSIONS:
            del self._last[next(iter(self._last))]
        if isinstance(said, PageError):
            self.errors.add(said)
        else:
            self.messages.add(said)
        for follower in self.followers:
            follower.put(said)

    def flooded(self) -> None:
        """The console was switched off."""
        self._recovered = 0
        self._note(
            f"the page logged more than {MOST_A_SECOND:,} messages within a second: its console is switched"
            " off for a while"
        )

    def resumed(self, missed: int) -> None:
        """It was switched on again."""
        lost = max(0, missed - self._recovered)
        self._missed += lost
        for follower in self.followers:
            follower.lose(lost)
        self._note(f"the console is switched on again; at least {lost:,} messages were not read")

    def _note(self, words: str) -> None:
        self.notices.add(Notice(words, time.time()))
