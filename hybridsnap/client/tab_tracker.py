"""The tabs of a browser, in the order in which they were opened, and who opened which.

`TabTracker` hears of every tab (`Target.setDiscoverTargets`, for tabs and shared workers only). It stays on
for the whole connection, as it costs next to nothing: one event for a tab that opens, one when it closes, and
one for each change of address or title, which Chromium bundles (20,000 changes of a title in a loop came as 2
events; measured in Chromium 156).

A tab that a page opened names its opener, with ``rel=noopener`` too. It is named before `window.open`
returns, with an empty address until its first document is there. `Target.getTargets` lists tabs in no order.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import TYPE_CHECKING, Any

from hybridsnap.client.changes import Changes
from hybridsnap.client.creation import TAB, create, in_context
from hybridsnap.errors import ConnectionLost
from hybridsnap.model import ContextId, TargetId

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hybridsnap.client.connection import Connection
    from hybridsnap.deadline import Deadline

#: So many tabs that were opened are remembered, closed ones included.
_REMEMBERED = 500
_DISCOVER = {"discover": True, "filter": [{"type": "page"}, {"type": "shared_worker"}, {"exclude": True}]}
#: Events of the browser that are for the `TabTracker`.
TAB_EVENTS = ("Target.targetCreated", "Target.targetInfoChanged", "Target.targetDestroyed")


@dataclasses.dataclass(slots=True, eq=False)
class Tab:
    """A tab, as the browser tells of it.

    Attributes:
        target_id: its id.
        opener: the tab that opened it, when one did.
        context: the browser context (profile) it belongs to.
        url: where it is; empty until its first document is there.
        found: it was open when we came.
        given: its `Page` has been handed out.
        closed: it no longer exists.
        used: it is one of those that WebArena's tab numbers count, though it may be blank.
        first_entry: id of the first entry of its history, where that was asked for; see `numbering`.
    """

    target_id: TargetId
    opener: TargetId | None
    context: ContextId | None
    url: str = ""
    found: bool = False
    given: bool = False
    closed: bool = False
    used: bool = False
    first_entry: int | None = None


class TabTracker:
    """Every tab of a browser.

    Attributes:
        count: how many have been heard of so far: a mark for `since`.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open: dict[TargetId, Tab] = {}
        self._heard: deque[Tab] = deque(maxlen=_REMEMBERED)
        self._changes = Changes()
        self.count: int = 0
        #: How many tabs we are just opening ourselves: they cannot be told apart from others yet, and
        #: meanwhile no waiter is given a tab without an opener.
        self._opening = 0
        #: While the browser tells anew which tabs there are: those that it has told of.
        self._told: set[TargetId] | None = None

    def start(self) -> None:
        """Begin to listen."""
        self._connection.root.post("Target.setDiscoverTargets", _DISCOVER, self._first_told)

    async def restart(self, deadline: Deadline) -> None:
        """Listen to the browser again, over another connection. Those that are gone are closed then.

        Raises:
            ConnectionLost: this is another browser: it has none of the tabs that were open.
            CommandUnanswered, CommandRefused: it does not answer, or does not want to.
        """
        before = list(self._open)
        told = self._told = set()
        await self._connection.root.ask("Target.setDiscoverTargets", _DISCOVER, deadline)
        self._told = None
        if before and told.isdisjoint(before):
            raise ConnectionLost(
                "another browser answers at this address: it has none of the tabs that were open",
                may_have_been_executed=False,
            )
        for gone in set(before) - told:
            self.take("Target.targetDestroyed", {"targetId": gone})

    def _first_told(self, _: object) -> None:
        for tab in self._open.values():
            tab.found = True

    def take(self, method: str, params: dict[str, Any]) -> None:
        """Take one of `TAB_EVENTS`. Called by the reader."""
        if method == "Target.targetDestroyed":
            tab = self._open.pop(TargetId(params["targetId"]), None)
            if tab is not None:
                tab.closed = True
        elif (info := params["targetInfo"])["type"] == "page" and not info.get("subtype"):
            tab = self._open.get(TargetId(info["targetId"]))
            if tab is None:
                tab = self._add(info)
            if self._told is not None:
                self._told.add(tab.target_id)
            tab.url = info["url"]
        self.notify()

    def notify(self) -> None:
        """Something changed: whoever waits looks again."""
        self._changes.notify()

    def _add(self, info: dict[str, Any]) -> Tab:
        opener = info.get("openerId")
        tab = Tab(
            TargetId(info["targetId"]),
            TargetId(opener) if opener else None,
            ContextId(info["browserContextId"]) if info.get("browserContextId") else None,
        )
        self._open[tab.target_id] = tab
        self._heard.append(tab)
        self.count += 1
        return tab

    def since(self, mark: int, opener: TargetId | None = None) -> list[Tab]:
        """The tabs that were opened since `count` was `mark`, in order, closed ones included."""
        new = self.count - mark
        tabs = list(self._heard)[-new:] if new > 0 else []
        return [tab for tab in tabs if opener in {None, tab.opener}]

    def get(self, target_id: TargetId) -> Tab | None:
        """A tab that is open, or was not long ago."""
        found = self._open.get(target_id)
        return found or next((tab for tab in reversed(self._heard) if tab.target_id == target_id), None)

    def context_of(self, target_id: TargetId) -> ContextId | None:
        """The browser context of a tab; None where it is not known."""
        tab = self.get(target_id)
        return None if tab is None else tab.context

    def give(self, target_id: TargetId) -> None:
        """The page of this tab is handed out."""
        tab = self._open.get(target_id)
        if tab is not None:
            tab.given = True

    def place(self, target_id: str) -> int:
        """Index of this tab among the open tabs; those not heard of yet come last."""
        for place, known in enumerate(self._open):
            if known == target_id:
                return place
        return len(self._open)

    async def open(self, context: ContextId | None, deadline: Deadline) -> TargetId:
        """Open a tab of our own.

        Args:
            context: the browser context it belongs to; None is the browser's own profile.
            deadline: for the tab to be there; one that comes too late is closed.

        Raises:
            CommandUnanswered: the time was up.
            HybridsnapError: the browser refuses, or is gone.
        """
        self._opening += 1
        try:
            params = {"url": "about:blank", **in_context(context)}
            target_id = TargetId(await create(self._connection, TAB, params, deadline))
            self.give(target_id)
        finally:
            self._opening -= 1
            self.notify()
        return target_id

    def not_given(self, opener: TargetId | None) -> Tab | None:
        """The first open tab that was opened since we connected and has not been handed out."""
        for tab in self._open.values():
            ours = self._opening and tab.opener is None
            if not (tab.found or tab.given or ours) and opener in {None, tab.opener}:
                return tab
        return None

    async def wait_until(self, reached: Callable[[], bool], deadline: Deadline) -> bool:
        """Wait for something that tabs bring about; whether it came before the deadline.

        Raises:
            ConnectionLost: the browser is gone.
        """
        await self._changes.wait_until(lambda: reached() or self._connection.lost, deadline)
        if not reached() and self._connection.lost:
            raise ConnectionLost(
                "the connection to the browser was lost while waiting for a page",
                may_have_been_executed=False,
            )
        return reached()


def is_blank(info: Mapping[str, Any]) -> bool:
    """Whether a tab is unused, such as the one a browser has after its launch."""
    return info["url"] == "about:blank" and not info.get("openerId")
