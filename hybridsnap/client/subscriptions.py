"""Events, messages and requests as they come: kept, and for ``async for``; bounded, what was lost counted."""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hybridsnap.client.changes import Changes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class Dropped:
    """Stands in the place of records that were lost.

    Attributes:
        count: how many, at least; 0 where that is not known: the page was attached to anew, as after a
            connection that dropped.
    """

    count: int

    def __str__(self) -> str:
        return f"{self.count:,} lost" if self.count else "an unknown number of records was lost"


class Ring(Generic[T]):
    """The last items, at most so many.

    Attributes:
        dropped: how many had to go for others.
    """

    def __init__(self, size: int) -> None:
        self._items: deque[T] = deque(maxlen=size)
        self.dropped: int = 0

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: T) -> T | None:
        """Take one more; the one that had to go for it, if one had."""
        gone = self._items[0] if len(self._items) == self._items.maxlen else None
        self.dropped += gone is not None
        self._items.append(item)
        return gone

    def clear(self) -> None:
        """Forget all items."""
        self._items.clear()
        self.dropped = 0


class Subscription(Generic[T]):
    """A bounded queue from the connection's reader to one ``async for``.

    Attributes:
        dropped: how many items were lost so far, the oldest first, because the reader fell behind.
        closed: no more come.
    """

    def __init__(self, buffer: int) -> None:
        self._events: deque[T] = deque(maxlen=buffer)
        self._changes = Changes()
        self.dropped: int = 0
        self.closed: bool = False

    def close(self) -> None:
        """No more items come; those that are here can still be read."""
        self.closed = True
        self._changes.notify()

    def _take(self, item: T) -> None:
        if len(self._events) == self._events.maxlen:
            self.dropped += 1
        self._events.append(item)
        self._changes.notify()

    def lose(self, count: int) -> None:
        """Count items that were never read."""
        self.dropped += count
        self._changes.notify()


class RecordSubscription(Subscription[T]):
    """Records in order, with a `Dropped` in the place of those that were lost."""

    def __init__(self, buffer: int) -> None:
        super().__init__(buffer)
        self._told = 0
        self._interrupted = False

    def put(self, record: T) -> None:
        """Take a record. Called by the reader."""
        self._take(record)

    def interrupt(self) -> None:
        """Nobody knows how many were lost, or whether any were."""
        self._interrupted = True
        self.lose(0)

    async def _next_record(self) -> T | Dropped:
        def lost() -> int:
            return self.dropped - self._told + self._interrupted

        await self._changes.wait_until(lambda: bool(lost() or self._events or self.closed))
        if lost():
            count, self._told, self._interrupted = self.dropped - self._told, self.dropped, False
            return Dropped(count)
        if self._events:
            return self._events.popleft()
        raise StopAsyncIteration


class EventSubscription(Subscription["tuple[str, dict[str, Any]]"]):
    """The events of some methods on one session, in order, for ``async for``.

    It holds at most `buffer` events. When the reader falls further behind, the oldest go first, and
    `dropped` counts them. It ends when the session or the connection does.

    Attributes:
        dropped: how many events were lost so far.
    """

    def __init__(self, methods: Sequence[str], buffer: int) -> None:
        super().__init__(buffer)
        self.methods: frozenset[str] = frozenset(methods)

    def put(self, method: str, params: dict[str, Any]) -> None:
        """Take an event. Called by the reader."""
        self._take((method, params))

    def __aiter__(self) -> EventSubscription:
        return self

    async def __anext__(self) -> tuple[str, dict[str, Any]]:
        await self._changes.wait_until(lambda: bool(self._events or self.closed))
        if self._events:
            return self._events.popleft()
        raise StopAsyncIteration
