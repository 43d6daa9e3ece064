"""The dialogs of a page as OpenClaw's answers have them: with ids, pending or recent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.client.har import timestamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    import trio

    from hybridsnap.client.browser import Page
    from hybridsnap.client.dialog_tracker import ArmedAnswer
    from hybridsnap.model import SeenDialog

#: So many closed ones are told.
_RECENT = 20


class PageDialogs:
    """Numbers of a page's dialogs, and who answered them.

    Attributes:
        armed: the answer that waits for a dialog, and what ends its time.
    """

    def __init__(self) -> None:
        self.armed: tuple[ArmedAnswer, trio.CancelScope] | None = None
        self._numbered: list[tuple[SeenDialog, str]] = []
        self._count = 0
        self._by_agent: set[str] = set()

    def number(self, page: Page) -> list[tuple[SeenDialog, str]]:
        """The dialogs that are remembered, with their ids, oldest first."""
        known = {id(seen): name for seen, name in self._numbered}
        numbered = []
        for seen in page.dialogs_seen:
            if id(seen) not in known:
                self._count += 1
            numbered.append((seen, known.get(id(seen), f"d{self._count}")))
        self._numbered = numbered
        self._by_agent &= {name for _, name in numbered}
        return numbered

    def pending(self, page: Page) -> list[tuple[SeenDialog, str]]:
        """Those that are open."""
        open_ = page.dialogs
        return [(seen, name) for seen, name in self.number(page) if any(seen.dialog is one for one in open_)]

    def answered(self, name: str) -> None:
        """A client answered this one."""
        self._by_agent.add(name)

    def to_data(self, page: Page, hidden: Sequence[SeenDialog] = ()) -> dict[str, Any]:
        """``browserState``, without dialogs whose words may not be told (`hidden`)."""
        pending = self.pending(page)
        closed = [one for one in self.number(page) if one[0].accepted is not None]
        return {
            "dialogs": {
                "pending": [self._record(*one) for one in pending if one[0] not in hidden],
                "recent": [self._record(*one) for one in closed[-_RECENT:] if one[0] not in hidden],
            }
        }

    def _record(self, seen: SeenDialog, name: str) -> dict[str, Any]:
        dialog = seen.dialog
        record = {
            "id": name,
            "type": dialog.type,
            "message": dialog.message,
            **({"defaultValue": dialog.default} if dialog.type == "prompt" else {}),
            "openedAt": timestamp(seen.opened_at),
        }
        if seen.accepted is None:
            return record
        by = "armed" if seen.armed else "agent" if name in self._by_agent else "remote"
        return {**record, "closedAt": timestamp(seen.closed_at or seen.opened_at), "closedBy": by}
