"""What has been shown of the last pages, beyond the life of a `Page` or of a connection.

A reader that has seen ``e12`` may come back through a new connection, or ask the browser for the same tab
anew: its refs and ids hold on. So what was shown is kept by endpoint and target, for the whole process, and
what has not been used for the longest goes first.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hybridsnap.act.element_history import ElementHistory

if TYPE_CHECKING:
    from hybridsnap.model import TargetId

#: Pages whose ids are remembered.
TARGETS = 50
#: Names of one and the same machine.
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class HistoryStore:
    """Endpoint and target → what has been shown there. Safe to use from several threads."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, TargetId], ElementHistory] = {}
        self._lock = threading.Lock()

    def recall(self, endpoint: str, target_id: TargetId) -> ElementHistory:
        """What is remembered of a target; new when nothing is.

        Args:
            endpoint: of the browser; "" where it is not known, as through a foreign driver. Such a target is
                taken for the one of the same id elsewhere.
            target_id: of the page.
        """
        place = place_of(endpoint)
        with self._lock:
            kept = self._kept.get((place, target_id)) or next(
                (
                    one
                    for (other, id_), one in self._kept.items()
                    if id_ == target_id and "" in (place, other)
                ),
                None,
            )
        return self.use(endpoint, target_id, kept or ElementHistory())

    def use(self, endpoint: str, target_id: TargetId, history: ElementHistory) -> ElementHistory:
        """Note that a target is used; its history."""
        key = place_of(endpoint), target_id
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = history
            while len(self._kept) > TARGETS:
                del self._kept[next(iter(self._kept))]
        return history

    def forget(self, endpoint: str, target_id: TargetId) -> None:
        """The target is closed, and its id will not come back."""
        with self._lock:
            self._kept.pop((place_of(endpoint), target_id), None)
            self._kept.pop(("", target_id), None)

    def __len__(self) -> int:
        return len(self._kept)


def place_of(endpoint: str) -> str:
    """What the addresses of one browser and of its pages have in common.

    Target ids are random: two browsers that follow each other on one port do not share any.
    """
    try:
        address = urlsplit(endpoint)
        host, port = address.hostname, address.port
    except ValueError:
        return endpoint
    if host is None:
        return endpoint
    return f"{'loopback' if host in _LOOPBACK else host}:{port}"


#: The one of this process.
history_store: HistoryStore = HistoryStore()
