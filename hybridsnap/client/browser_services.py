"""What pages need of their browser: the connection to it, its tabs, its downloads, its counters."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from hybridsnap.client.download_tracker import DOWNLOAD_EVENTS, DownloadTracker
from hybridsnap.client.endpoint import PIPE_NAME
from hybridsnap.client.evaluation_connections import EvaluationConnections
from hybridsnap.client.metrics import Metrics
from hybridsnap.client.tab_tracker import TAB_EVENTS, TabTracker
from hybridsnap.client.workers import SharedWorkers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from hybridsnap.act.files import Permit
    from hybridsnap.client.connection import Connection, Session
    from hybridsnap.client.launcher import BrowserProcess
    from hybridsnap.deadline import Deadline
    from hybridsnap.model import ContextId, TargetId


class BrowserServices:
    """One browser as its pages see it; `hybridsnap.Browser` adds the pages.

    Attributes:
        shared_workers: those of the browser, for its pages. `hybridsnap.Browser` describes the other
            attributes.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        own_contexts: AbstractSet[ContextId],
        process: BrowserProcess | None,
        only_target: TargetId | None,
        endpoint: str | None,
        headers: Mapping[str, str] | None,
    ) -> None:
        self.endpoint: str = endpoint or f"{PIPE_NAME}{uuid.uuid4()}"
        self.metrics: Metrics = Metrics()
        self.evaluations: EvaluationConnections = EvaluationConnections(
            connection, self.endpoint, headers, only_target, self.metrics
        )
        self.connection = connection
        self.process = process
        self.only_target = only_target
        self.tabs: TabTracker = TabTracker(connection)
        self.shared_workers: SharedWorkers = SharedWorkers()
        self.downloads: DownloadTracker = DownloadTracker(
            connection, self.tabs, own_contexts, process, only_target
        )
        self.permit_upload: Permit | None = None
        if only_target is None:
            connection.root.on_event = self._take_event
            connection.root.on_end = self.tabs.notify
        self.tabs.start()
        connection.restore = self.restore

    @property
    def session(self) -> Session:
        """The browser's own session, for commands such as ``Target.getTargets``."""
        return self.connection.root

    async def restore(self, deadline: Deadline) -> None:
        """Set up again what the browser no longer knows, over a connection that was made again.

        Raises:
            HybridsnapError: it cannot be: this is another browser, or it does not answer.
        """
        self.shared_workers.known.clear()
        if self.only_target is None:
            await self.tabs.restart(deadline)
        self.downloads.renew()

    def _take_event(self, method: str, params: dict[str, Any]) -> None:
        if method in TAB_EVENTS:
            self.tabs.take(method, params)
            self.shared_workers.take(method, params)
        elif method in DOWNLOAD_EVENTS:
            self.downloads.take(method, params)
