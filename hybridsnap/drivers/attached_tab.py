"""A tab of a foreign driver with sessions of ours attached, ready for plans."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.act.history_store import history_store

if TYPE_CHECKING:
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.drivers.asyncio_driver import AsyncioDriver
    from hybridsnap.drivers.blocking_driver import BlockingDriver
    from hybridsnap.model import TargetId


@dataclasses.dataclass(slots=True)
class AttachedTab:
    """A tab, ready for plans.

    Attributes:
        driver: to run them on.
        target_id: of the tab.
        sessions: the page's own first, then those of its out-of-process frames.
        notes: what a reader of the report should know of them.
    """

    driver: AsyncioDriver | BlockingDriver
    target_id: TargetId
    sessions: list[SessionInfo]
    notes: list[str] = dataclasses.field(default_factory=list)

    @property
    def history(self) -> ElementHistory:
        """What has been shown of the tab."""
        return history_store.recall("", self.target_id)
