"""`python -m benchmarks.floods`: pages that say more than can be followed, and what captures take of them.

Four floods, each in a page whose console and network are recorded: messages of its console, requests, changes
of its document, and a worker that logs beside it. While a flood is on, captures go on one after the other:
each has to return by its deadline. Then the same page is captured by turns with a page of the same contents
that was left alone (of the worker: with the same page while the worker is silent). The bound is on the ratio
of the medians, so both kinds meet the same load of the machine. While a script runs in a loop, the page
answers no command: then a capture is in time when it raises `DeadlineExceeded` by its deadline.

Memory is what this process grew by, at its peak; the browser's is not counted.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
from typing import TYPE_CHECKING

import msgspec
import trio

import hybridsnap
from benchmarks.memory import rss_mb

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from hybridsnap import Browser, Page

#: Captures may take so much of their quiet time.
MOST_RATIO = 1.5
#: This process may grow by so much, MB: Chromium's messages are read in blocks, and 500 requests are kept.
MOST_MB = 64
#: For each capture, seconds; and for it to return when that is over.
CAPTURE_SECONDS, GRACE_SECONDS = 20.0, 1.0
#: For a flood to be over: a million messages take a minute.
FLOOD_SECONDS = 600.0
#: For a record to go on after a flood: its longest pause is 30 s.
EBB_SECONDS = 90.0
WARM_UP = 3
#: In the worker's flood: seconds between captures, and captures before the worker is silent for as many.
PAUSE_SECONDS, BLOCK = 0.2, 5
#: Of each kind, for each capture during a flood.
_ROWS = "".join(
    f"<tr><td>row {row}<td><a href='?'>link {row}</a><td><button>{row}</button>" for row in range(400)
)
_PAGE = f"data:text/html,<title>flood</title><h1>Here</h1><table>{_ROWS}</table><p id=out>0"
_MESSAGES = "for (let i = 0; i < %d; i++) console.log('message ' + i, {i})"
_REQUESTS = """(async () => { for (let i = 0; i < %d; i += 50) await Promise.all(
  Array.from({length: 50}, async (_, n) => (await fetch('data:,' + i + n)).text())) })()"""
_CHANGES = """new Promise((done) => {
  const end = performance.now() + %d * 1000, body = document.querySelector("tbody");
  const timer = setInterval(() => {
    document.getElementById("out").textContent = performance.now();
    body.append(body.rows[0]);
    body.rows[3].cells[0].textContent = "changed " + performance.now();
    if (performance.now() > end) { clearInterval(timer); done(); }
  }, 1000 / 60);
})"""
_WORKER = """{
  const code = `let timer, n = 0; onmessage = (it) => {
    clearInterval(timer);
    if (it.data) timer = setInterval(() => {
      for (let i = 0; i < it.data / 100; i++) console.log("from the worker", n++, {n});
    }, 10);
  }`;
  window.worker = new Worker(URL.createObjectURL(new Blob([code])));
}"""


class Flood(msgspec.Struct):
    """What came of a flood.

    Attributes:
        name: of the flood.
        quiet_ms, after_ms: medians of captures of a page that was left alone, and of the one that flooded (of
            the worker: while it logs).
        worst_ms: the longest of the latter.
        during: how many captures there were while it was on; `busy`: of these, told that the page did not
            answer; `late`: came after their deadline.
        during_ms: the median of them.
        grown_mb: by what this process grew.
    """

    name: str
    quiet_ms: float
    after_ms: float
    worst_ms: float
    during: int
    busy: int
    late: int
    during_ms: float
    grown_mb: float

    @property
    def ratio(self) -> float:
        """After, or beside, to quiet."""
        return self.after_ms / self.quiet_ms

    @property
    def holds(self) -> bool:
        """Whether it is within the bounds."""
        return self.ratio <= MOST_RATIO and not self.late and self.grown_mb <= MOST_MB

    def __str__(self) -> str:
        return (
            f"{self.name:<40} quiet {self.quiet_ms:6.0f} ms  after {self.after_ms:6.0f} ms  "
            f"ratio {self.ratio:4.2f}  worst {self.worst_ms:6.0f} ms  "
            f"during {self.during:4} (busy {self.busy}, late {self.late}, median {self.during_ms:.0f} ms)  "
            f"memory +{self.grown_mb:.0f} MB  {'ok' if self.holds else 'NOT WITHIN BOUNDS'}"
        )


class _Peak:
    """What this process grows by, sampled as captures come."""

    def __init__(self) -> None:
        self._before = rss_mb()
        self.grown_mb = 0.0

    def sample(self) -> None:
        self.grown_mb = max(self.grown_mb, rss_mb() - self._before)


async def _capture(page: Page) -> float:
    """Capture a page; how long it took, ms."""
    started = trio.current_time()
    await page.snapshot(timeout=CAPTURE_SECONDS)
    return (trio.current_time() - started) * 1000


async def _capture_during(
    page: Page, work: Callable[[], Awaitable[object]], peak: _Peak
) -> tuple[list[float], int]:
    """Capture a page, again and again, until some work is done: ms of each, and how many met a busy page."""
    times: list[float] = []
    busy = 0
    first = trio.Event()
    async with trio.open_nursery() as nursery:

        async def go_on() -> None:
            nonlocal busy
            while True:
                started = trio.current_time()
                try:
                    await page.snapshot(timeout=CAPTURE_SECONDS)
                except hybridsnap.DeadlineExceeded:
                    busy += 1
                times.append((trio.current_time() - started) * 1000)
                first.set()
                peak.sample()

        nursery.start_soon(go_on)
        await work()
        if not times:  # as the page did not answer; the one that was asked then has to come all the same
            await first.wait()
        nursery.cancel_scope.cancel()
    return times, busy


async def _ebbed(page: Page) -> None:
    """Wait until the records go on."""
    with trio.fail_after(EBB_SECONDS):
        for part, ask in ((page.console, page.console.messages), (page.network, page.network.requests)):
            while part.notices and " again" not in str(part.notices[-1]):
                await ask(limit=1)
                await trio.sleep(0.1)


async def _by_turns(quiet: Page, loud: Page, runs: int, peak: _Peak) -> tuple[list[float], list[float]]:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        times[0].append(await _capture(quiet))
        times[1].append(await _capture(loud))
        peak.sample()
    return times


def _result(
    name: str, quiet: Sequence[float], loud: Sequence[float], during: Sequence[float], busy: int, peak: _Peak
) -> Flood:
    latest = (CAPTURE_SECONDS + GRACE_SECONDS) * 1000
    return Flood(
        name,
        statistics.median(quiet),
        statistics.median(loud),
        max(loud),
        len(during),
        busy,
        sum(one > latest for one in during),
        statistics.median(during),
        peak.grown_mb,
    )


async def measure_script(browser: Browser, name: str, script: str, runs: int) -> Flood:
    """A flood that a script of the page makes: what comes after it."""
    quiet, loud = [await browser.new_page(_PAGE) for _ in range(2)]
    for page in (quiet, loud):
        for _ in range(WARM_UP):
            await _capture(page)
    peak = _Peak()
    work = functools.partial(
        loud.session.send, "Runtime.evaluate", {"expression": script, "awaitPromise": True}
    )
    with trio.fail_after(FLOOD_SECONDS):
        during, busy = await _capture_during(loud, work, peak)
    await _ebbed(loud)
    found = await _by_turns(quiet, loud, runs, peak)
    for page in (quiet, loud):
        await page.close()
    return _result(name, *found, during, busy, peak)


async def measure_worker(browser: Browser, name: str, per_second: int, runs: int) -> Flood:
    """A worker that logs while its page is captured."""
    page = await browser.new_page(_PAGE)
    await page.evaluate(_WORKER)
    for _ in range(WARM_UP):
        await _capture(page)
    peak = _Peak()
    times: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(2 * max(1, runs // BLOCK)):
        loud = bool(turn % 2)
        await page.evaluate(f"worker.postMessage({per_second if loud else 0})")
        await trio.sleep(1)
        for _ in range(BLOCK):
            times[loud].append(await _capture(page))
            peak.sample()
            await trio.sleep(PAUSE_SECONDS)
    await page.close()
    return _result(name, times[False], times[True], times[True], 0, peak)


async def measure(options: argparse.Namespace) -> list[Flood]:
    """All that was asked for, each in a browser of its own."""
    messages, requests, seconds = options.messages, options.requests, options.seconds
    scripts = {
        "console": (f"{messages:,} messages", _MESSAGES % messages),
        "network": (f"{requests:,} requests", _REQUESTS % requests),
        "changes": (f"60 changes a second for {seconds} s", _CHANGES % seconds),
    }
    found = []
    for kind in options.only or (*scripts, "worker"):
        # A pipe: of a websocket Chromium drops what would make it hold more than 256 MB, replies included.
        async with hybridsnap.launch(
            args=options.browser_arg, transport="pipe", record=["console", "network"]
        ) as browser:
            if kind == "worker":
                name = f"a worker logging {options.per_second:,} messages/s"
                flood = await measure_worker(browser, name, options.per_second, options.runs)
            else:
                flood = await measure_script(browser, *scripts[kind], options.runs)
        print(flood, flush=True)
        found.append(flood)
    return found


def main() -> int:
    """Measure, print; 1 where something is not within its bounds."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.floods", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--only", action="append", choices=("console", "network", "changes", "worker"))
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--seconds", type=int, default=60, help="of changes")
    parser.add_argument("--per-second", type=int, default=5_000, help="messages of the worker")
    parser.add_argument("--runs", type=int, default=30, help="captures of each kind")
    parser.add_argument("--browser-arg", action="append", default=[], help="such as --no-sandbox, as root")
    floods = trio.run(measure, parser.parse_args())
    return 0 if all(one.holds for one in floods) else 1


if __name__ == "__main__":
    sys.exit(main())
