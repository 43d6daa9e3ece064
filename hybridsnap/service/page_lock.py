"""One request per page at a time, and a limited number of captures at once.

- A page has one turn, and whoever waits for it does so in order. So a page that hangs keeps its own requests
  waiting and no other's.
- Captures share a number of places. A capture takes one when its page answers, and gives it back when it has
  ended, or when its page has stopped answering: then it merely waits, for its own budget, and costs no other
  caller anything. So a page that hangs takes no place from another one.

Waiting is part of a request's budget. Where too many wait already, a request is told to come again (503).
"""

from __future__ import annotations

import contextlib
import weakref
from typing import TYPE_CHECKING

import trio

from hybridsnap.client.changes import acquire_within
from hybridsnap.client.transport import background_nursery
from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandError, ConnectionLost, DeadlineExceeded, SessionEnded
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from hybridsnap.client.browser import Page
    from hybridsnap.client.connection import Session

#: How long a page may take to say that it is there, seconds; it takes about a millisecond.
_PATIENCE = 0.5
#: How often a page that is being captured is asked, seconds.
_ASKING = 1.0
#: Answered only by the process that the page is in; nothing of the page's is touched.
_QUESTION = ("Runtime.evaluate", {"expression": "0", "silent": True})


class PageLocks:
    """One turn for each page, which `queue` requests may wait for."""

    def __init__(self, queue: int) -> None:
        self._queue = queue
        self._turns: weakref.WeakKeyDictionary[Page, trio.Lock] = weakref.WeakKeyDictionary()

    @contextlib.asynccontextmanager
    async def hold(self, page: Page, deadline: Deadline) -> AsyncIterator[None]:
        """Have the turn of a page for the length of the block.

        Raises:
            ApiError: too many wait.
            DeadlineExceeded: it did not come in time.
        """
        turn = self._turns.setdefault(page, trio.Lock())
        waiting = turn.statistics().tasks_waiting
        if waiting >= self._queue:
            raise _queue_full(f"{waiting} requests wait for this page")
        if not await acquire_within(turn, deadline):
            raise DeadlineExceeded(
                "the time was up while other requests for this page ran; allow more time, or go on with"
                " another page"
            )
        try:
            yield
        finally:
            turn.release()


class CaptureSlots:
    """The places of captures: `count` of them, and `queue` captures may wait for one."""

    def __init__(self, count: int, queue: int) -> None:
        self._limiter = trio.CapacityLimiter(count)
        self._queue = queue
        #: Captures that wait for their page, and have no place.
        self.stalled: int = 0

    @property
    def taken(self) -> int:
        """How many captures run."""
        return int(self._limiter.borrowed_tokens)

    @property
    def waiting(self) -> int:
        """How many captures wait for a place."""
        return self._limiter.statistics().tasks_waiting

    @contextlib.asynccontextmanager
    async def take(self, page: Page, deadline: Deadline) -> AsyncIterator[None]:
        """Have a place for the length of the block, as long as the page answers.

        Raises:
            ApiError: too many wait.
            DeadlineExceeded: there was none in time.
        """
        if not await answers(page, Deadline.after(_PATIENCE).earlier(deadline)):
            with self._stalling():
                yield
            return
        place = object()
        await self._take(place, deadline)
        try:
            async with background_nursery() as nursery:
                nursery.start_soon(self._watch, page, place)
                yield
        finally:
            self._give_back(place)

    async def _take(self, place: object, deadline: Deadline) -> None:
        if self._limiter.available_tokens < 1 and self.waiting >= self._queue:
            raise _queue_full(f"{self.waiting} captures wait")
        with contextlib.suppress(trio.WouldBlock):  # a free one is had whatever the time
            self._limiter.acquire_on_behalf_of_nowait(place)
            return
        with trio.move_on_after(deadline.remaining) as patience:
            await self._limiter.acquire_on_behalf_of(place)
        if patience.cancelled_caught:
            raise DeadlineExceeded("the time was up while other captures ran; allow more time")

    def _give_back(self, place: object) -> None:
        with contextlib.suppress(RuntimeError):  # it was given back before
            self._limiter.release_on_behalf_of(place)

    async def _watch(self, page: Page, place: object) -> None:
        """Give the place back as soon as the page does not answer any more."""
        while True:
            await trio.sleep(_ASKING)
            if not await answers(page, Deadline.after(_PATIENCE)):
                self._give_back(place)
                with self._stalling():
                    await trio.sleep_forever()

    @contextlib.contextmanager
    def _stalling(self) -> Iterator[None]:
        self.stalled += 1
        try:
            yield
        finally:
            self.stalled -= 1


async def answers(page: Page, deadline: Deadline) -> bool:
    """Whether every process of a page answers."""
    silent = False

    async def ask(session: Session) -> None:
        nonlocal silent
        method, params = _QUESTION
        try:
            await session.send(method, params, deadline=deadline)
        except TimeoutError:
            silent = True
            nursery.cancel_scope.cancel()
        except (CommandError, SessionEnded, ConnectionLost):
            pass  # an answer, too

    async with trio.open_nursery() as nursery:
        for session in page.sessions:
            nursery.start_soon(ask, session)
    return not silent


def _queue_full(what: str) -> ApiError:
    return ApiError(
        503, "QueueFull", f"{what} already", "ask again in a second", headers={"Retry-After": "1"}
    )
