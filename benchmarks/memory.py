"""A thousand captures of one page in one process: what the process keeps, and what the browser keeps.

The page belongs to none of the subjects: an observer with its own socket opens it and looks at it when
hybridsnap is gone, so what is seen there is what a user's browser would be left with.
"""

from __future__ import annotations

import json
import resource
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import trio
import trio_websocket

import hybridsnap
from hybridsnap.errors import CommandRefused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from benchmarks.pages import Page

CAPTURES = 1_000
QUICK_CAPTURES = 150
#: Caches, interned strings and the allocator's own pools fill up during the first captures.
WARM_UP = 50
SAMPLE_EVERY = 50
#: Seconds for one capture.
CAPTURE_SECONDS = 30.0
#: Seconds in which an event of a mutation would have come; one takes some milliseconds.
LISTEN_SECONDS = 0.5
#: Seconds for Chromium to notice that a client is gone.
DETACH_SECONDS = 0.5

#: What an enabled domain would send after the mutation below.
EVENTS = (
    "DOM.attributeModified",
    "DOM.characterDataModified",
    "DOM.childNodeCountUpdated",
    "DOM.childNodeInserted",
    "DOM.setChildNodes",
    "DOM.documentUpdated",
    "Accessibility.nodesUpdated",
    "CSS.styleSheetAdded",
    "Overlay.nodeHighlightRequested",
    "Runtime.consoleAPICalled",
    "Log.entryAdded",
)
# The text of one paragraph changes; nothing grows.
_CHANGE = """{
    const changed = document.getElementById('change') ??
        document.body.appendChild(Object.assign(document.createElement('p'), {id: 'change'}));
    changed.textContent = 'Change %d'; changed.title = '%d'; console.log('change');
}"""


class Memory(msgspec.Struct):
    """What is left after many captures.

    Attributes:
        captures: how many there were.
        rss_mb: of the process, by the number of captures taken.
        growth_mb: the most it ever had after the first WARM_UP captures, less what it had then.
        incomplete: captures that lacked something.
        events: what still arrived after a mutation, with the captures over and the session open.
        attached: targets that were still attached when the client was gone.
    """

    captures: int
    rss_mb: dict[int, float]
    growth_mb: float
    incomplete: int
    events: list[str]
    attached: list[str]


def peak_rss_mb() -> float:
    """The most memory this process ever had.

    Linux keeps ``ru_maxrss`` across exec: a child would begin with its parent's. ``VmHWM`` is its own.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024


def rss_mb() -> float:
    """The memory this process has now; where that cannot be told, the most it ever had."""
    statm = Path("/proc/self/statm")
    if statm.is_file():
        return int(statm.read_text().split()[1]) * resource.getpagesize() / 2**20
    return peak_rss_mb()


class _Observer:
    """A DevTools client that shares nothing with hybridsnap, and attaches to nothing."""

    def __init__(self, socket: trio_websocket.WebSocketConnection) -> None:
        self._socket = socket
        self._number = 0

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_message(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            reply: dict[str, Any] = json.loads(await self._socket.get_message())
            if reply.get("id") == self._number:
                result: dict[str, Any] = reply["result"]
                return result


@asynccontextmanager
async def _observe(endpoint: str) -> AsyncIterator[_Observer]:
    async with trio_websocket.open_websocket_url(endpoint) as socket:
        yield _Observer(socket)


async def measure_memory(page: Page, url: str, captures: int) -> Memory:
    """Capture the page again and again, with a change before each look."""
    found = Memory(captures, {}, 0.0, 0, [], [])
    async with AsyncExitStack() as stack:
        browser = await stack.enter_async_context(
            hybridsnap.launch(transport="websocket", args=list(page.arguments))
        )
        endpoint = None if browser.process is None else browser.process.endpoint
        assert endpoint is not None, "a launched browser has an endpoint over websocket"
        observer = await stack.enter_async_context(_observe(endpoint))
        target_id = (await observer.ask("Target.createTarget", {"url": url}))["targetId"]
        before = {target["targetId"] for target in await _attached(observer)}
        async with hybridsnap.connect(endpoint) as client:
            opened = await client.page(target_id)
            await _wait_loaded(opened.session)
            for number in range(1, captures + 1):
                await opened.session.send("Runtime.evaluate", {"expression": _CHANGE % (number, number)})
                snapshot = await opened.snapshot(timeout=CAPTURE_SECONDS)
                _ = snapshot.combined_tree
                found.incomplete += not snapshot.report.complete
                if number % SAMPLE_EVERY == 0 or number == WARM_UP:
                    found.rss_mb[number] = rss_mb()
            found.events = await _listen(opened.sessions)
        await trio.sleep(DETACH_SECONDS)
        found.attached = [
            f"{target['type']} {target['url']}"
            for target in await _attached(observer)
            if target["targetId"] not in before
        ]
    after = [rss for number, rss in found.rss_mb.items() if number > WARM_UP]
    found.growth_mb = max(after, default=float("nan")) - found.rss_mb[WARM_UP]
    return found


async def _wait_loaded(session: Any) -> None:
    """Wait until the tab has left about:blank and loaded; the page itself is asked to tell."""
    loaded = "document.readyState == 'complete' && location.protocol == 'http:'"
    expression = f"new Promise(tell => {{ setInterval(() => {loaded} && tell(true), 20) }})"
    while True:
        try:
            await session.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True})
        except CommandRefused:
            continue  # the document that was asked has gone
        return


async def _attached(observer: _Observer) -> list[dict[str, Any]]:
    targets = (await observer.ask("Target.getTargets", {}))["targetInfos"]
    return [target for target in targets if target["attached"]]


async def _listen(sessions: Sequence[Any]) -> list[str]:
    """Change every frame once more, and note which events of EVENTS come."""
    came: list[str] = []

    async def listen(session: Any, started: trio.Event) -> None:
        with session.events(*EVENTS) as subscription:
            started.set()
            async for method, _params in subscription:
                came.append(f"{method} on {session.target_id}")

    async with trio.open_nursery() as nursery:
        for session in sessions:
            started = trio.Event()
            nursery.start_soon(listen, session, started)
            await started.wait()
        for session in sessions:
            await session.send("Runtime.evaluate", {"expression": _CHANGE % (0, 0)})
        await trio.sleep(LISTEN_SECONDS)
        nursery.cancel_scope.cancel()
    return came
