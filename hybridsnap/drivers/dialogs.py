"""The dialogs that a foreign driver's page opens while we act on it, as our own session beside hears of them.

The driver, or its user, answers them; the receipt says that one opened and what became of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.model import Dialog, SeenDialog

if TYPE_CHECKING:
    from collections.abc import Mapping


class DialogLog:
    """Dialogs of one call.

    Attributes:
        seen: oldest first.
    """

    def __init__(self) -> None:
        self.seen: list[SeenDialog] = []

    def opened(self, event: Mapping[str, Any]) -> None:
        """Take a `Page.javascriptDialogOpening`."""
        self.seen.append(
            SeenDialog(Dialog(str(event["type"]), str(event.get("message", "")), str(event.get("url", ""))))
        )

    def closed(self, event: Mapping[str, Any]) -> None:
        """Take a `Page.javascriptDialogClosed`: a tab has one open dialog, the newest."""
        if self.seen:
            self.seen[-1].accepted = bool(event["result"])

    def take(self, method: str, params: Mapping[str, Any]) -> None:
        """Take an event of any kind."""
        if method == "Page.javascriptDialogOpening":
            self.opened(params)
        elif method == "Page.javascriptDialogClosed":
            self.closed(params)

    @property
    def left_open(self) -> Dialog | None:
        """The dialog that has not been answered yet."""
        return self.seen[-1].dialog if self.seen and self.seen[-1].accepted is None else None

    def answered(self) -> tuple[str, ...]:
        """Those that were answered, in words."""
        return tuple(str(one) for one in self.seen if one.accepted is not None)
