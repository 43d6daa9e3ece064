"""Results as text: the table, and the bounds of the project, each met, not met or not measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from benchmarks.acting import Clicks
from benchmarks.action_times import BARE_LIMIT, LIMITS, READINGS, Actions
from benchmarks.aria_looks import AriaLooks
from benchmarks.driver_looks import Drivers
from benchmarks.imports import Imports
from benchmarks.measure import Alone, Depth, Flatness, Rounds, Transport, median
from benchmarks.memory import WARM_UP, Memory
from benchmarks.pages import ELEMENT_COUNTS, LARGE_PAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# The bounds that the project set itself for these figures.
LARGE_RATIO = 1.10
LARGE_RATIO_AIM = 1.0
CBOR_RATIO = 0.75
SMALL_RATIO = 3.0
SMALL_MS = 10.0
FLATNESS = 1.30
GROWTH_MB = 10.0
PEAK_MB = 400.0
IMPORT_SECONDS = 0.5
CLICK_MS = 60.0
#: Of so many actions of a kind a share says something.
FEWEST_ACTIONS = 30
#: Medians of fewer looks are not judged.
FEWEST_RUNS = 5


class Result(msgspec.Struct):
    """One page over one transport.

    Attributes:
        absent: why it was not measured; empty when it was.
        depth: of the page whose depth is searched for.
        aria: captures beside Playwright's.
        floor_alone, capture_alone: first looks and memory, each in a process of its own.
    """

    page: str
    transport: Transport
    absent: str = ""
    rounds: Rounds | None = None
    depth: Depth | None = None
    floor_alone: Alone | None = None
    capture_alone: Alone | None = None
    aria: AriaLooks | None = None

    @property
    def floor_ms(self) -> float:
        """Median."""
        return median(self.rounds.looks[self.transport].floor_ms) if self.rounds else float("nan")

    @property
    def capture_ms(self) -> float:
        """Median."""
        return median(self.rounds.looks[self.transport].capture_ms) if self.rounds else float("nan")

    @property
    def ratio(self) -> float:
        """Capture / floor, of the medians."""
        return self.capture_ms / self.floor_ms

    @property
    def at_once_ms(self) -> float:
        """Median of the floor whose requests were sent at once."""
        return median(self.rounds.looks[self.transport].at_once_ms) if self.rounds else float("nan")

    @property
    def to_json(self) -> float:
        """Capture / floor over the JSON pipe, of the medians."""
        if self.rounds is None or "pipe" not in self.rounds.looks:
            return float("nan")
        return self.capture_ms / median(self.rounds.looks["pipe"].floor_ms)

    @property
    def runs(self) -> int:
        """How many looks of each kind there were."""
        return len(self.rounds.looks[self.transport].capture_ms) if self.rounds else 0

    @property
    def client_ms(self) -> float:
        """The client's own share: median."""
        return median(self.rounds.client_ms) if self.rounds else float("nan")

    @property
    def microseconds_per_node(self) -> float:
        """The client's own share by elements and AX nodes together."""
        if self.rounds is None:
            return float("nan")
        return self.client_ms * 1000 / (self.rounds.elements + self.rounds.ax_nodes)


class Results(msgspec.Struct):
    """Everything one run measured, as it is written to the JSON file."""

    when: str
    machine: dict[str, str]
    runs: int
    pages: list[Result]
    flatness: Flatness | None = None
    memory: Memory | None = None
    clicks: Clicks | None = None
    actions: dict[str, Actions] = {}
    drivers: Drivers | None = None
    imports: Imports | None = None
    failures: list[str] = []


class Bound(NamedTuple):
    """One bound.

    Attributes:
        words: what is asked.
        measured: what was found.
        met: None when it was not measured.
    """

    words: str
    measured: str
    met: bool | None


_COLUMNS: tuple[tuple[str, Callable[[Result, Rounds], str]], ...] = (
    ("runs", lambda result, _: f"{result.runs}"),
    ("elements", lambda _, rounds: f"{rounds.elements:,}"),
    ("AX nodes", lambda _, rounds: f"{rounds.ax_nodes:,}"),
    ("frames", lambda _, rounds: f"{rounds.frames}"),
    ("floor ms", lambda result, _: _ms(result.floor_ms)),
    ("capture ms", lambda result, _: _ms(result.capture_ms)),
    ("ratio", lambda result, _: f"{result.ratio:.2f}"),
    ("at once", lambda result, _: f"{result.capture_ms / result.at_once_ms:.2f}"),
    ("JSON floor", lambda result, _: "–" if math.isnan(result.to_json) else f"{result.to_json:.2f}"),
    ("Playwright", lambda result, _: _aria(result.aria)),
    ("first floor", lambda result, _: _first(result.floor_alone)),
    ("first capture", lambda result, _: _first(result.capture_alone)),
    ("client ms", lambda result, _: _ms(result.client_ms)),
    ("+ layout ms", lambda _, rounds: _layout(rounds)),
    ("µs/node", lambda result, _: f"{result.microseconds_per_node:.2f}"),
    ("outline", lambda _, rounds: f"{rounds.outline_characters:,}"),
    ("ids", lambda _, rounds: f"{rounds.ids:,}"),
    ("commands", lambda _, rounds: f"{rounds.commands}"),
    ("floor MB", lambda result, _: _peak(result.floor_alone)),
    ("capture MB", lambda result, _: _peak(result.capture_alone)),
)


def _aria(aria: AriaLooks | None) -> str:
    if aria is None or not aria.theirs_ms:
        return "–"
    theirs = median(aria.theirs_ms)
    return f"{median(aria.ours_ms) / theirs:.2f} ({median(aria.ai_ms) / theirs:.2f})"


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:,.1f}"


def _layout(rounds: Rounds) -> str:
    with_layout, without = rounds.layout_ms
    return _ms(median(with_layout) - median(without))


def _first(alone: Alone | None) -> str:
    return _ms(alone.looks_ms[0]) if alone is not None and alone.looks_ms else "–"


def _peak(alone: Alone | None) -> str:
    return f"{alone.peak_rss_mb:.0f}" if alone is not None else "–"


def render_table(results: Iterable[Result]) -> str:
    """One line a page and transport; below it what a reader has to know beside the figures."""
    lines = [["page", *(name for name, _ in _COLUMNS)]]
    notes: list[str] = []
    for result in results:
        label = result.page if result.transport == "websocket" else f"{result.page} ({result.transport})"
        if result.depth is not None:
            notes.append(f"{label}: {'; '.join(result.depth.tries)}")
        if result.rounds is None:
            lines.append([label, *("–" for _ in _COLUMNS)])
            notes.append(f"{label}: {result.absent}")
            continue
        rounds = result.rounds
        lines.append([label, *(render(result, rounds) for _, render in _COLUMNS)])
        state = [
            words
            for words, holds in (
                ("INCOMPLETE", not rounds.complete),
                ("INCONSISTENT", not rounds.consistent),
            )
            if holds
        ]
        notes.extend(f"{label}: {words}" for words in (*state, *rounds.notes))
        notes.extend(f"{label}: the floor was refused: {words}" for words in rounds.refused)
    widths = [max(len(line[number]) for line in lines) for number in range(len(lines[0]))]
    text = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    legend = (
        "Medians; ratio: capture by floor; at once: by the floor whose requests are sent at once; JSON floor:"
        " by the floor over the JSON pipe; Playwright: over the fastest transport, by its aria_snapshot"
        " (printed as ai). First looks and peak memory (of the client's process) are those of fresh browsers"
        " and processes. client: recorded replies decoded, indexed, merged and printed, by elements and AX"
        " nodes. + layout: what a capture with layout takes longer."
    )
    return "\n".join([*text, "", legend, *notes])


def judge(results: Results) -> list[Bound]:
    """Hold the results against the bounds."""
    by_name = {
        (result.page, result.transport): result for result in results.pages if result.rounds is not None
    }
    bounds: list[Bound] = []
    for page in LARGE_PAGES:
        result = by_name.get((page, "websocket"))
        bounds.append(_ratio_bound(f"{page}: capture / floor <= {LARGE_RATIO}", result, LARGE_RATIO))
        bounds.append(
            _ratio_bound(f"{page}: capture / floor <= {LARGE_RATIO_AIM} (the aim)", result, LARGE_RATIO_AIM)
        )
        bounds.append(_pipe_bound(page, result, by_name.get((page, "pipe"))))
    bounds += [_cbor_bound(page, by_name.get((page, "cbor"))) for page in (*LARGE_PAGES, "elements300k")]
    small = by_name.get(("small", "websocket"))
    bounds.append(_ratio_bound(f"small: capture / floor < {SMALL_RATIO}", small, SMALL_RATIO))
    words = f"small: median < {SMALL_MS} ms"
    if small is None or small.runs < FEWEST_RUNS:
        bounds.append(_unmeasured(words))
    else:
        bounds.append(Bound(words, f"{small.capture_ms:.2f} ms", small.capture_ms < SMALL_MS))
    bounds.append(_flatness_bound(results.flatness))
    bounds.extend(
        _peak_bound(page, by_name.get((page, "websocket"))) for page in ("deep", "deepest", "contents")
    )
    bounds.append(_click_bound(results.clicks))
    bounds.extend(_action_bounds(next(iter(results.actions.values()), None)))
    bounds.extend(_memory_bounds(results.memory))
    bounds.extend(_import_bounds(results.imports))
    return bounds


def _unmeasured(words: str) -> Bound:
    return Bound(words, "not measured", None)


def _ratio_bound(words: str, result: Result | None, bound: float) -> Bound:
    if result is None or result.runs < FEWEST_RUNS:
        return _unmeasured(words)
    return Bound(words, f"{result.ratio:.3f}", result.ratio <= bound)


def _pipe_bound(page: str, websocket: Result | None, pipe: Result | None) -> Bound:
    words = f"{page}: capture no slower over the pipe"
    if websocket is None or pipe is None or min(websocket.runs, pipe.runs) < FEWEST_RUNS:
        return _unmeasured(words)
    measured = f"{pipe.capture_ms:,.0f} ms against {websocket.capture_ms:,.0f} ms"
    return Bound(words, measured, pipe.capture_ms <= websocket.capture_ms)


def _cbor_bound(page: str, result: Result | None) -> Bound:
    words = f"{page}: capture over CBOR / floor over the JSON pipe <= {CBOR_RATIO}"
    if result is None or result.runs < FEWEST_RUNS:
        return _unmeasured(words)
    return Bound(words, f"{result.to_json:.3f}", result.to_json <= CBOR_RATIO)


def _flatness_bound(flatness: Flatness | None) -> Bound:
    counts = ELEMENT_COUNTS.values()
    words = f"client time per node flat from {min(counts):,} to {max(counts):,} elements (within 30 %)"
    if flatness is None or not ELEMENT_COUNTS.keys() <= flatness.microseconds.keys():
        return _unmeasured(words)
    figures = [median(rounds) for rounds in flatness.microseconds.values()]
    spread = max(figures) / min(figures)
    return Bound(words, f"{' / '.join(f'{f:.2f}' for f in figures)} µs: {spread:.2f}", spread <= FLATNESS)


def _peak_bound(page: str, result: Result | None) -> Bound:
    words = f"{page}: peak memory of the client < {PEAK_MB:.0f} MB"
    if result is None or result.capture_alone is None:
        return _unmeasured(words)
    peak = result.capture_alone.peak_rss_mb
    return Bound(words, f"{peak:.0f} MB", peak < PEAK_MB)


def _click_bound(clicks: Clicks | None) -> Bound:
    words = f"median click, id to receipt, < {CLICK_MS:.0f} ms"
    if clicks is None or len(clicks.call_ms) < FEWEST_RUNS:
        return _unmeasured(words)
    return Bound(words, f"{median(clicks.call_ms):.1f} ms", median(clicks.call_ms) < CLICK_MS)


def _action_bounds(actions: Actions | None) -> list[Bound]:
    bounds: list[Bound] = []
    for name, limit in LIMITS.items():
        times = None if actions is None else actions.actions.get(name)
        words = f"{name} / Playwright's <= {limit}"
        if times is None or len(times.ours_ms) < FEWEST_ACTIONS:
            bounds.append(_unmeasured(words))
            continue
        bounds.append(Bound(words, f"{times.share:.2f}", times.share <= limit))
        if name not in READINGS:
            words = f"{name} without a receipt / Playwright's <= {BARE_LIMIT}"
            bounds.append(Bound(words, f"{times.bare_share:.2f}", times.bare_share <= BARE_LIMIT))
    return bounds


def _memory_bounds(memory: Memory | None) -> list[Bound]:
    words = f"captures in one process: RSS growth after the first {WARM_UP} < {GROWTH_MB:.0f} MB"
    left = "nothing left enabled or attached afterwards"
    if memory is None:
        return [_unmeasured(words), _unmeasured(left)]
    rest = [*memory.events, *memory.attached]
    return [
        Bound(
            f"{memory.captures:,} {words}",
            f"{memory.growth_mb:.1f} MB ({memory.incomplete} incomplete)",
            memory.growth_mb < GROWTH_MB and not memory.incomplete,
        ),
        Bound(left, "; ".join(rest) or "nothing", not rest),
    ]


def _import_bounds(imports: Imports | None) -> list[Bound]:
    words = f"import hybridsnap < {IMPORT_SECONDS} s"
    lazy = "faces import what they need lazily"
    if imports is None:
        return [_unmeasured(words), _unmeasured(lazy)]
    seconds = imports.median_seconds
    return [
        Bound(words, f"{seconds:.3f} s", seconds < IMPORT_SECONDS),
        Bound(lazy, f"loaded: {', '.join(imports.eager) or 'none'}", not imports.eager),
    ]


def render_clicks(clicks: Clicks) -> str:
    """The steps of a click: medians."""
    steps = "  ".join(f"{step} {median(figures):.1f}" for step, figures in clicks.steps_ms.items())
    return (
        f"{len(clicks.call_ms)} clicks, medians in ms: {median(clicks.call_ms):.1f} = {steps};"
        f" moved, pressed and released by raw commands: {median(clicks.floor_ms):.1f}"
    )


def render_actions(transport: str, actions: Actions) -> str:
    """Each action: medians, by turns with Playwright."""
    lines = [
        f"actions ({transport}), medians in ms, by turns; shares of Playwright's time, and limits:",
        f"  {'':9} {'ours':>7} {'bare':>7} {'theirs':>7}   {'ours':>5}  asked    {'bare':>5}  asked",
    ]
    for name, times in actions.actions.items():
        medians = map(median, (times.ours_ms, times.bare_ms, times.theirs_ms))
        limit = f"<= {LIMITS[name]}" if name in LIMITS else "–"
        line = f"  {name:9} {' '.join(f'{one:7.1f}' for one in medians)}   {times.share:5.2f} {limit:>6}"
        if name not in READINGS:
            line += f"   {times.bare_share:5.2f} {f'<= {BARE_LIMIT}' if name in LIMITS else '–':>6}"
        lines.append(line)
    lines.append("bare: receipt=False. theirs: Playwright's, through the same browser, over its websocket.")
    return "\n".join(lines)


def render_drivers(drivers: Drivers) -> str:
    """What foreign drivers cost: medians, by turns with our client."""
    lines = ["captures of table5000 through foreign drivers, by turns with our client, medians in ms:"]
    for name, looks in drivers.looks.items():
        ours, theirs = median(looks.ours_ms), median(looks.theirs_ms)
        other = "" if looks.same else ", and ANOTHER OUTLINE"
        lines.append(f"  {name}: {_ms(theirs)} against {_ms(ours)}: {theirs / ours:.2f}{other}")
    return "\n".join(lines)


def render_bounds(bounds: Iterable[Bound]) -> str:
    """One line a bound."""
    states = {True: "met", False: "NOT met", None: "–"}
    return "\n".join(f"{states[bound.met]:>8}  {bound.words}: {bound.measured}" for bound in bounds)
