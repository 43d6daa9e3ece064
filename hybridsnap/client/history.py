"""Back, forward, and the same once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.client.external_protocols import shown_address
from hybridsnap.client.navigating import Navigator, check_wait
from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandRefused, HybridsnapError, NavigationFailed

if TYPE_CHECKING:
    from hybridsnap.client.navigating import Navigation, NavigationWaiter, Wait

_BEING_REPLACED = "Not attached to an active page"
#: Seconds before asking again.
_BREATH = 0.02
#: A document that was kept for going back comes 2 ms after the browser says that loading has stopped.
_KEPT_SECONDS = 0.5


class HistoryNavigator(Navigator):
    """A navigator that also goes back, forward, and to the same document once more."""

    async def reload(self, *, ignore_cache: bool, wait: Wait, deadline: Deadline) -> Navigation:
        """Load the document once more: `hybridsnap.Page.reload`."""
        check_wait(wait)
        url = self._context.url
        with await self.prepare(url, wait, deadline) as waiter:
            departures = self._attachment.departures
            ended = await _begin(waiter, "Page.reload", {"ignoreCache": ignore_cache})
            if ended is None and wait != "none":
                await waiter.until(lambda: waiter.committed or self._halted(departures))
                ended = await self._without_document(waiter, url)
            return waiter.ended(ended or await waiter.loaded())

    async def travel(self, steps: int, wait: Wait, deadline: Deadline) -> Navigation:
        """Go so many steps forward in the tab's history, or back: `hybridsnap.Page.go_back`."""
        check_wait(wait)
        with await self.prepare(self._context.url, wait, deadline) as waiter:
            entry, _ = await self._entry(steps, deadline)
            if entry is None:
                raise NavigationFailed(
                    f"there is nothing to go {'back' if steps < 0 else 'forward'} to",
                    url=self._context.url,
                    reason="no history entry",
                )
            ended = await self._go_to_entry(waiter, entry)
            return waiter.ended(ended or await waiter.loaded())

    async def _entry(self, steps: int, deadline: Deadline) -> tuple[dict[str, Any] | None, int]:
        """The history's entry so many steps away, and the id of the current one."""
        session = self._attachment.root.session
        while True:
            try:
                history = await session.send("Page.getNavigationHistory", deadline=deadline)
                break
            except CommandRefused as error:
                await _wait_for_the_kept(error, deadline)
        index, entries = history["currentIndex"], history["entries"]
        found = entries[index + steps] if 0 <= index + steps < len(entries) else None
        return found, entries[index]["id"]

    async def _go_to_entry(self, waiter: NavigationWaiter, entry: dict[str, Any]) -> str | None:
        """Go there. Returns what ended the navigation, unless that was a new document."""
        attachment = self._attachment
        departures, moves, arrivals = attachment.departures, attachment.moves, attachment.arrivals
        ended = await _begin(waiter, "Page.navigateToHistoryEntry", {"entryId": entry["id"]})
        if ended is not None or waiter.wait == "none":
            return ended

        def stirred() -> bool:
            return waiter.committed or attachment.arrivals != arrivals or self._halted(departures)

        while await waiter.until(stirred):
            if waiter.committed or self._halted(departures):
                break
            # Something arrived, and the main frame has no new document: was that all?
            arrivals = attachment.arrivals
            _, current = await self._entry(0, waiter.deadline)
            if current == entry["id"] and not waiter.committed:
                return "same-document" if attachment.moves != moves else "frame"
        return await self._without_document(waiter, entry["url"])

    async def _without_document(self, waiter: NavigationWaiter, url: str) -> str | None:
        """What ended a navigation, if it brought no document.

        Raises:
            NavigationFailed: nothing came, or the browser's own error page.
        """
        if not waiter.committed and waiter.obstacle() is None and not waiter.deadline.expired:
            await waiter.until(lambda: waiter.committed, within=Deadline.after(_KEPT_SECONDS))
        if waiter.committed:
            if failed := self._attachment.main.unreachable_url:
                words = f"{shown_address(failed)} could not be loaded again"
                raise NavigationFailed(words, url=failed, reason="unreachable")
            return None
        if ended := waiter.obstacle():
            return ended
        if waiter.deadline.expired:
            return "deadline"
        if self._context.browser.downloads.expects(self._context.target_id):
            return "download"
        raise NavigationFailed(
            f"{url} brought no document: a download, an empty answer, or the page left by itself",
            url=url,
            reason="net::ERR_ABORTED",
        )

    def _halted(self, departures: int) -> bool:
        """Whether a navigation that began since then is not under way any more."""
        attachment = self._attachment
        return attachment.departures > departures and not attachment.main.navigating


async def _begin(waiter: NavigationWaiter, method: str, params: dict[str, Any]) -> str | None:
    """Send a command that is answered when it has begun. Returns what prevented it.

    Raises:
        HybridsnapError: it was refused.
    """
    while True:
        obstacle = await waiter.begin(method, params)
        reply = None if obstacle else waiter.reply
        if not isinstance(reply, HybridsnapError):
            return obstacle
        await _wait_for_the_kept(reply, waiter.deadline)


async def _wait_for_the_kept(refusal: HybridsnapError, deadline: Deadline) -> None:
    """Wait a moment, if a command was refused only because a kept document is taking its place again.

    Chromium refuses so for some ms (measured).

    Raises:
        HybridsnapError: the refusal itself, if it had another cause, or there is no time left.
    """
    replaced = isinstance(refusal, CommandRefused) and _BEING_REPLACED in refusal.reason
    if not replaced or deadline.expired:
        raise refusal
    await trio.sleep(min(_BREATH, deadline.remaining))
