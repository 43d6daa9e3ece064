"""Measuring one page. Each function here is the work of one child process (`python -m benchmarks --child`).

`measure_rounds` times floor and capture in turn, `measure_alone` takes only one of the two in a fresh
browser and process (the first look, and the peak of the memory), `find_depth` searches for the deepest page.
"""

from __future__ import annotations

import gc
import statistics
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
import trio

import hybridsnap
from benchmarks.floor import count_ax_nodes, count_elements, take_floor
from benchmarks.memory import peak_rss_mb
from benchmarks.replaying import record, time_replays
from hybridsnap.errors import HybridsnapError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.pages import Page
    from hybridsnap.drivers.base import Transcript

Transport: TypeAlias = Literal["websocket", "pipe", "cbor"]
LookKind: TypeAlias = Literal["floor", "at once", "capture"]

#: Seconds for one capture; the largest page takes a tenth of it here.
CAPTURE_SECONDS = 120.0
#: Seconds of replays of each page in each round of `measure_flatness`.
FLATNESS_SECONDS = 1.0
#: Seconds for one try at the deepest page: a renderer that is stuck counts as one that did not survive.
DEPTH_SECONDS = 30.0
#: Below this depth there is nothing to search for: the page "deep" covers it.
SHALLOWEST = 500
#: Where looks are short, more rounds are taken than asked for, until this much time is measured, but not
#: more than MOST_ROUNDS: the median of five looks of 2 ms would be noise.
SETTLED_MS = 3_000.0
MOST_ROUNDS = 40
#: Captures with layout, and as many beside them without.
LAYOUT_RUNS = 3
#: Looks of one kind in a child that measures memory: the first, and some after it.
ALONE_LOOKS = 3

# A paragraph is appended; the one of the change before goes, or forty looks would make a small page large.
_CHANGE = """{
    document.getElementById('change')?.remove();
    const changed = document.createElement('p');
    changed.id = 'change';
    changed.textContent = 'Change %d';
    document.body.append(changed);
}"""


class Looks(msgspec.Struct):
    """How long each look took over one transport, in the order taken.

    Attributes:
        floor_ms: one request after the other, see `benchmarks.floor`.
        at_once_ms: the same requests sent at once.
        capture_ms: captures, printed.
    """

    floor_ms: list[float]
    at_once_ms: list[float]
    capture_ms: list[float]

    def of(self, kind: LookKind) -> list[float]:
        """Those of one kind."""
        return {"floor": self.floor_ms, "at once": self.at_once_ms, "capture": self.capture_ms}[kind]


class Rounds(msgspec.Struct):
    """What `measure_rounds` found of a page.

    Attributes:
        looks: by transport; the first round is not in them.
        elements: of all documents and shadow roots.
        ax_nodes: as sent, ignored ones included.
        sessions, frames: as the report has them.
        outline_characters, ids: of the last outline.
        xpaths_ms: for computing the paths of all ids of the outline, which a capture does not.
        complete, consistent, notes: of the last report.
        refused: what the browser refused the floor.
        client_ms: decode, index, merge and render of recorded replies.
        layout_ms: captures with layout, as `Looks.capture_ms`, and as many without, by turns with them.
        commands: of one capture.
        reply_megabytes: of one capture.
    """

    looks: dict[str, Looks]
    elements: int
    ax_nodes: int
    sessions: int
    frames: int
    outline_characters: int
    ids: int
    xpaths_ms: float
    complete: bool
    consistent: bool
    notes: list[str]
    refused: list[str]
    client_ms: list[float]
    layout_ms: tuple[list[float], list[float]]
    commands: int
    reply_megabytes: float


class Alone(msgspec.Struct):
    """What `measure_alone` found.

    Attributes:
        looks_ms: the first look at a page, in a fresh browser and a fresh process.
        before_mb: peak RSS of the process before the first look.
        peak_rss_mb: after the last.
    """

    looks_ms: list[float]
    before_mb: float
    peak_rss_mb: float


class Flatness(msgspec.Struct):
    """What the client needs for a node, on pages of growing size.

    Attributes:
        microseconds: page → for each round the median of its replays.
    """

    microseconds: dict[str, list[float]]


class Depth(msgspec.Struct):
    """What `find_depth` found: the levels survived (0: none), and each try in words."""

    levels: int
    tries: list[str]


class _View:
    """One open page, looked at again and again."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.changes = 0
        self.snapshot: Any = None

    async def change(self) -> None:
        self.changes += 1
        await self.page.session.send("Runtime.evaluate", {"expression": _CHANGE % self.changes})

    async def look(self, kind: LookKind, *, layout: bool = False) -> float:
        """One look, in milliseconds; a capture's ends when its outline is printed."""
        self.snapshot = None
        gc.collect()
        if kind != "capture":
            return (await take_floor(self.page.sessions, at_once=kind == "at once")).elapsed_ms
        started = time.perf_counter()
        self.snapshot = await self.page.snapshot(timeout=CAPTURE_SECONDS, layout=layout)
        _ = self.snapshot.combined_tree
        return (time.perf_counter() - started) * 1000


def build_url(page: Page, origin: str, levels: int) -> str:
    """What is opened."""
    return f"{origin}{page.path}{f'?levels={levels}' if levels else ''}"


async def measure_rounds(
    page: Page, url: str, transports: tuple[Transport, ...], runs: int, *, settle: bool = True
) -> Rounds:
    """Look at the page by turns: floors and capture, over each transport, a change between any two looks.

    Args:
        page: which.
        url: where.
        transports: a browser is started for each; only one of them is looked at at a time.
        runs: rounds, after a first one that does not count.
        settle: whether short looks are repeated until SETTLED_MS are measured.
    """
    kinds: list[tuple[Transport, LookKind]] = [
        (transport, kind) for transport in transports for kind in ("floor", "at once", "capture")
    ]
    looks = {transport: Looks([], [], []) for transport in transports}
    async with AsyncExitStack() as stack:
        views: dict[Transport, _View] = {}
        for transport in transports:
            browser = await stack.enter_async_context(
                hybridsnap.launch(transport=transport, args=list(page.arguments))
            )
            views[transport] = _View(await browser.new_page(url))
        measured = 0.0
        number = 0
        while number <= runs or (settle and measured < SETTLED_MS and number <= MOST_ROUNDS):
            # Each round begins elsewhere, so that no look always comes after the same other.
            for transport, kind in kinds[number % len(kinds) :] + kinds[: number % len(kinds)]:
                await views[transport].change()
                elapsed = await views[transport].look(kind)
                if number:
                    looks[transport].of(kind).append(elapsed)
                    measured += elapsed
            number += 1
        rounds, transcript = await _describe(views[transports[0]], looks)
    # Without a browser beside: it goes on working on a page that it has just been asked about.
    rounds.client_ms = time_replays(transcript, runs)
    return rounds


async def _describe(view: _View, looks: dict[Transport, Looks]) -> tuple[Rounds, Transcript]:
    """What was looked at, and a recorded capture of it; `Rounds.client_ms` is still to come."""
    await view.look("capture")
    snapshot = view.snapshot
    shown = [row.id for row in snapshot.rows if row.id is not None]
    started = time.perf_counter()
    for element_id in shown:
        snapshot.combined_xpath_map.get(element_id)
    xpaths_ms = (time.perf_counter() - started) * 1000
    floor = await take_floor(view.page.sessions, keep=True)
    elements = count_elements(floor)
    if elements is None:
        # The DOM was refused, as on the deep pages, which have neither frames nor shadow roots.
        counted = await view.page.session.send(
            "Runtime.evaluate", {"expression": "document.querySelectorAll('*').length"}
        )
        elements = int(counted["result"]["value"])
    ax_nodes = count_ax_nodes(floor)
    refused = floor.refused
    report = snapshot.report
    outline_characters = len(snapshot.combined_tree)
    del floor, snapshot
    view.snapshot = None
    transcript = await record(view.page.sessions)
    layout_ms: tuple[list[float], list[float]] = ([], [])
    for number in range(2 * LAYOUT_RUNS):
        await view.change()
        layout_ms[number % 2].append(await view.look("capture", layout=number % 2 == 0))
    view.snapshot = None
    rounds = Rounds(
        looks={str(transport): found for transport, found in looks.items()},
        elements=elements,
        ax_nodes=ax_nodes,
        sessions=len(view.page.sessions),
        frames=len(report.frames),
        outline_characters=outline_characters,
        ids=len(shown),
        xpaths_ms=xpaths_ms,
        complete=report.complete,
        consistent=report.consistent,
        notes=list(report.notes),
        refused=refused,
        client_ms=[],
        layout_ms=layout_ms,
        commands=len(transcript.exchanges),
        reply_megabytes=sum(len(exchange.reply or b"") for exchange in transcript.exchanges) / 1e6,
    )
    return rounds, transcript


async def measure_flatness(pages: Sequence[Page], origin: str, runs: int) -> Flatness:
    """The client's time per node on pages of growing size, by turns, so that each meets the same machine.

    Args:
        pages: the same page in several sizes.
        origin: where they are served.
        runs: rounds.
    """
    recorded: list[tuple[Page, Transcript, int]] = []
    for page in pages:
        async with hybridsnap.launch(args=list(page.arguments)) as browser:
            opened = await browser.new_page(build_url(page, origin, 0))
            floor = await take_floor(opened.sessions, keep=True)
            nodes = (count_elements(floor) or 0) + count_ax_nodes(floor)
            recorded.append((page, await record(opened.sessions), nodes))
    figures: dict[str, list[float]] = {page.name: [] for page, _, _ in recorded}
    for _ in range(runs):
        for page, transcript, nodes in recorded:
            elapsed_ms = median(time_replays(transcript, 1, seconds=FLATNESS_SECONDS))
            figures[page.name].append(elapsed_ms * 1000 / nodes)
    return Flatness(figures)


async def measure_alone(page: Page, url: str, transport: Transport, kind: LookKind) -> Alone:
    """Look at a fresh page in a fresh browser, in one way only."""
    looks: list[float] = []
    async with hybridsnap.launch(transport=transport, args=list(page.arguments)) as browser:
        view = _View(await browser.new_page(url))
        before = peak_rss_mb()
        for number in range(ALONE_LOOKS):
            if number:
                await view.change()
            looks.append(await view.look(kind))
    return Alone(looks, before, peak_rss_mb())


async def find_depth(page: Page, origin: str, transport: Transport) -> Depth:
    """The deepest page the renderer survives: load and floor, halving the levels where it does not."""
    tries: list[str] = []
    levels = page.levels
    while levels >= SHALLOWEST:
        outcome = await _try_depth(page, build_url(page, origin, levels), transport)
        tries.append(f"{levels} levels: {outcome or 'survived'}")
        if not outcome:
            return Depth(levels, tries)
        levels //= 2
    return Depth(0, tries)


async def _try_depth(page: Page, url: str, transport: Transport) -> str:
    """What went wrong; empty when nothing did."""
    outcome = "stuck"
    try:
        with trio.move_on_after(DEPTH_SECONDS):
            async with hybridsnap.launch(transport=transport, args=list(page.arguments)) as browser:
                opened = await browser.new_page(url)
                await take_floor(opened.sessions)
                outcome = ""
    except* HybridsnapError as errors:
        outcome = "; ".join(str(error) for error in _leaves(errors))
    return outcome


def _leaves(group: BaseExceptionGroup[Any]) -> list[BaseException]:
    waiting: list[BaseException] = [group]
    found: list[BaseException] = []
    while waiting:
        error = waiting.pop()
        if isinstance(error, BaseExceptionGroup):
            waiting.extend(error.exceptions)
        else:
            found.append(error)
    return found


def median(figures: list[float]) -> float:
    """The median; NaN where nothing was measured."""
    return statistics.median(figures) if figures else float("nan")
