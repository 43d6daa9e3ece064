"""What is kept of what comes by itself: the last so many."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")


class Ring(Generic[T]):
    """The last items, at most so many.

    Args:
        size: how many.

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
