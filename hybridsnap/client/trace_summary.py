"""What was slow, out of a Chrome trace: `hybridsnap.Trace.summarize`."""

from __future__ import annotations

import bisect
import dataclasses
from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

from hybridsnap.client.trace_events import KINDS, MS, TraceEvents, samples_of
from hybridsnap.json_data import to_json
from hybridsnap.render.report import shorten_url
from hybridsnap.text import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hybridsnap.client.trace_events import Event, Function, Sample, Span

_T = TypeVar("_T")
#: A task of more than so many ms is long, and blocks the page for the rest (as ``longtask`` entries have it).
LONG_MS = 50.0
#: Of long tasks, scripts and requests so many are kept, and in words so many are told of each.
_KEPT, _TOLD = 20, 5
_NAME_CHARACTERS = 80
#: Event → what to call the reason of a task.
_CAUSES = {
    "TimerFire": "timer",
    "FireAnimationFrame": "animation frame",
    "FireIdleCallback": "idle callback",
    "RunMicrotasks": "promise callbacks",
    "HandlePostMessage": "message",
    "XHRReadyStateChange": "response",
    "ParseHTML": "parsing HTML",
    "EvaluateScript": "script's top level",
    "v8.evaluateModule": "module's top level",
}
_LAYOUT = ("Layout", "UpdateLayoutTree")


@dataclasses.dataclass(frozen=True, slots=True)
class LongTask:
    """A task of a main thread that was long: the page answered nothing meanwhile.

    Attributes:
        start_ms: since the trace's beginning.
        duration_ms: of the task.
        cause: in words: what it was for, such as ``timer`` or ``click event``, or the kind of most of it.
        function: that ran longest in it; "" where none has a name.
        url: of that function's script; "" where no script with an address ran.
        line: of that function, counted from 1; 0 where there is none.
    """

    start_ms: float
    duration_ms: float
    cause: str
    function: str = ""
    url: str = ""
    line: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class ScriptTime:
    """What one script took on the page's main threads, by samples.

    Attributes:
        url: of the script, or of the page that it stands in.
        own_ms: running, what it called of the browser included.
        layout_ms: layout and style that it forced, by asking for sizes between changes.
        function: the one that took most of both; "" where it has no name.
        line: of that function, counted from 1.
        function_ms: what it took.
    """

    url: str
    own_ms: float
    layout_ms: float
    function: str
    line: int
    function_ms: float


@dataclasses.dataclass(frozen=True, slots=True)
class TracedRequest:
    """A request of the page's frames.

    Attributes:
        url: that was asked for.
        status: of the response; None where none came.
        mime_type: of the response, "" where none came.
        size: bytes that came, compressed as they were, headers included; 0 from a cache.
        start_ms: since the trace's beginning.
        duration_ms: None where it was not over when the trace ended.
        failed: the browser gave up, or the page did not take what came (a response of 404 to a script).
    """

    url: str
    status: int | None
    mime_type: str
    size: int
    start_ms: float
    duration_ms: float | None
    failed: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class TracedNavigation:
    """A document that the main frame began to load.

    Attributes:
        url: of the document.
        start_ms: since the trace's beginning.
        first_contentful_paint_ms, largest_contentful_paint_ms, dom_content_loaded_ms, loaded_ms: since then;
            None where the trace ended before.
        layout_shift: the page's cumulative score of unexpected moves.
    """

    url: str
    start_ms: float
    first_contentful_paint_ms: float | None = None
    largest_contentful_paint_ms: float | None = None
    dom_content_loaded_ms: float | None = None
    loaded_ms: float | None = None
    layout_shift: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class TraceSummary:
    """What was slow while a trace was recorded, of the page that it was asked of. ``str`` says it in words.

    Threads of workers, and of other tabs, are not counted.

    Attributes:
        duration_ms: of the trace.
        busy_ms: kind of work → ms of the page's main threads: ``scripts``, ``layout and style``,
            ``painting``, ``parsing``, ``garbage collection``, ``other``; each without what it called.
        blocking_ms: what long tasks took beyond 50 ms each.
        long_task_count: all of them.
        long_tasks: the longest, longest first, 20 at most.
        script_count: scripts that were seen running.
        scripts: those that took most, 20 at most.
        request_count: all of them.
        request_bytes: of all of them.
        requests: the largest and the slowest, 20 at most, the largest first.
        navigations: of the main frame, by time.
        notes: what is missing.
    """

    duration_ms: float
    busy_ms: dict[str, float]
    blocking_ms: float
    long_task_count: int
    long_tasks: tuple[LongTask, ...]
    script_count: int
    scripts: tuple[ScriptTime, ...]
    request_count: int
    request_bytes: int
    requests: tuple[TracedRequest, ...]
    navigations: tuple[TracedNavigation, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        data: dict[str, Any] = to_json(self)
        return data

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """In words, some 300 tokens: what took longest, five of each sort at most."""
        busy = sorted(self.busy_ms.items(), key=lambda one: -one[1])
        spent = ", ".join(f"{kind} {ms:.0f}" for kind, ms in busy if ms >= 1)
        total = f"main thread busy for {sum(self.busy_ms.values()):.0f} ms"
        lines = [f"{self.duration_ms / 1000:.1f} s recorded; {total}{': ' if spent else ''}{spent}"]
        lines += [_navigation_words(one) for one in self.navigations[-_TOLD:]]
        lines.append(
            f"tasks over {LONG_MS:.0f} ms: {self.long_task_count}"
            + (f", blocking for {self.blocking_ms:.0f} ms" if self.long_task_count else "")
        )
        lines += [f"  {_task_words(one)}" for one in self.long_tasks[:_TOLD]]
        if self.scripts:
            lines.append(f"scripts: {self.script_count}, by time")
            lines += [f"  {_script_words(one)}" for one in self.scripts[:_TOLD]]
        lines.append(f"requests: {self.request_count}, {self.request_bytes / 1000:,.0f} kB")
        lines += [f"  {_request_words(one)}" for one in _chosen(self.requests, (_TOLD + 1) // 2)]
        return [*lines, *self.notes]


def summarize(data: bytes, notes: Sequence[str] = ()) -> TraceSummary:
    """Sum up a trace; notes say what is known to be missing.

    Raises:
        ValueError: this is no trace, or it has not the categories for it.
    """
    trace = TraceEvents(data)
    if not trace.frames:
        raise ValueError(
            "the trace does not say which page it is of; start it with the default categories,"
            " or with disabled-by-default-devtools.timeline and devtools.timeline"
        )
    tasks = list(trace.tasks())
    samples = _within(samples_of(trace), [one[0].event for one in tasks])
    busy = dict.fromkeys(dict.fromkeys(KINDS.values()), 0.0)
    for task in tasks:
        for span in task:
            busy[KINDS[span.event.name]] += span.self_us
    long = [one for one in tasks if one[0].event.dur > LONG_MS * MS]
    long.sort(key=lambda one: -one[0].event.dur)
    scripts = _scripts(samples, tasks)
    requests = _requests(trace)
    missing = [] if samples or not busy["scripts"] else ["no script with an address was seen running"]
    return TraceSummary(
        duration_ms=(trace.end - trace.start) / MS,
        busy_ms={kind: us / MS for kind, us in busy.items()},
        blocking_ms=sum(one[0].event.dur - LONG_MS * MS for one in long) / MS,
        long_task_count=len(long),
        long_tasks=tuple(_long_task(one, samples, trace.start) for one in long[:_KEPT]),
        script_count=len(scripts),
        scripts=tuple(scripts[:_KEPT]),
        request_count=len(requests),
        request_bytes=sum(one.size for one in requests),
        requests=_chosen(requests, _KEPT // 2),
        navigations=tuple(_navigations(trace)),
        notes=(*notes, *missing),
    )


def _within(samples: Iterable[Sample], events: Iterable[Event]) -> list[Sample]:
    """The samples that began within events of their thread, of which none overlap, by time."""
    spans: defaultdict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for event in sorted(events, key=lambda one: one.ts):
        spans[event.pid, event.tid].append((event.ts, event.end))
    starts = {thread: [start for start, _ in own] for thread, own in spans.items()}
    found = []
    for one in samples:
        at = bisect.bisect_right(starts.get(one.thread, ()), one.start) - 1
        if at >= 0 and one.start < (end := spans[one.thread][at][1]):
            found.append(one._replace(end=min(one.end, end)))
    return sorted(found)


def _scripts(samples: Sequence[Sample], tasks: Iterable[Sequence[Span]]) -> list[ScriptTime]:
    """What each script took, the most first."""
    layouts = [one.event for task in tasks for one in task if one.event.name in _LAYOUT]
    forced = {(one.thread, one.start) for one in _within(samples, layouts)}
    own: defaultdict[str, float] = defaultdict(float)
    layout: defaultdict[str, float] = defaultdict(float)
    functions: defaultdict[str, defaultdict[Function, float]] = defaultdict(lambda: defaultdict(float))
    for one in samples:
        took = (one.end - one.start) / MS
        (layout if (one.thread, one.start) in forced else own)[one.function.url] += took
        functions[one.function.url][one.function] += took
    found = []
    for url, taken in functions.items():
        function, took = _most(taken)
        found.append(ScriptTime(url, own[url], layout[url], function.name, function.line, took))
    return sorted(found, key=lambda one: -(one.own_ms + one.layout_ms))


def _long_task(task: Sequence[Span], samples: Sequence[Sample], start: float) -> LongTask:
    event = task[0].event
    low = bisect.bisect_left(samples, event.ts, key=lambda one: one.start)
    high = bisect.bisect_left(samples, event.end, key=lambda one: one.start)
    functions: defaultdict[Function, float] = defaultdict(float)
    for one in samples[low:high]:
        if one.thread == (event.pid, event.tid):
            functions[one.function] += one.end - one.start
    told = LongTask((event.ts - start) / MS, event.dur / MS, _cause(task))
    if not functions:
        return told
    function, _ = _most(functions)
    return dataclasses.replace(told, function=function.name, url=function.url, line=function.line)


def _cause(task: Sequence[Span]) -> str:
    """What a task was for: the longest event in it that says so, or else the kind that took most."""
    events = [one.event for one in task[1:]]
    longest = max(events, key=lambda one: one.dur, default=None)
    if longest is not None and longest.name == "EventDispatch":
        return f"{excerpt(str(longest.details.get('type', '')), _NAME_CHARACTERS)} event".strip()
    if longest is not None and longest.name in _CAUSES:
        return _CAUSES[longest.name]
    kinds: defaultdict[str, float] = defaultdict(float)
    for one in task:
        kinds[KINDS[one.event.name]] += one.self_us
    return _most(kinds)[0]


def _most(taken: Mapping[_T, float]) -> tuple[_T, float]:
    """Of those that took time, the one that took most, and how much."""
    return max(taken.items(), key=lambda one: one[1])


def _requests(trace: TraceEvents) -> list[TracedRequest]:
    found: dict[str, TracedRequest] = {}
    for one, data in trace.named("ResourceSendRequest", "ResourceReceiveResponse", "ResourceFinish"):
        id_ = str(data.get("requestId", ""))
        known = found.get(id_)
        if one.name == "ResourceSendRequest":
            if data.get("frame") in trace.frames:
                start = (one.ts - trace.start) / MS if known is None else known.start_ms  # redirected
                found[id_] = TracedRequest(str(data.get("url", "")), None, "", 0, start, None)
        elif known is None:
            continue
        elif one.name == "ResourceReceiveResponse":
            size = 0 if data.get("fromCache") else int(data.get("encodedDataLength", 0))
            found[id_] = dataclasses.replace(
                known, status=data.get("statusCode"), mime_type=str(data.get("mimeType", "")), size=size
            )
        else:
            took = (one.ts - trace.start) / MS - known.start_ms
            size = max(known.size, int(data.get("encodedDataLength", 0)))
            failed = bool(data.get("didFail"))
            found[id_] = dataclasses.replace(known, size=size, duration_ms=took, failed=failed)
    return list(found.values())


def _slowness(one: TracedRequest) -> float:
    """Those that are not over are slowest."""
    return float("inf") if one.duration_ms is None else one.duration_ms


def _chosen(requests: Sequence[TracedRequest], most: int) -> tuple[TracedRequest, ...]:
    """The largest and the slowest, so many of each, the largest first."""
    by_size = sorted(requests, key=lambda one: -one.size)
    chosen = {id(one) for one in [*by_size[:most], *sorted(requests, key=_slowness, reverse=True)[:most]]}
    return tuple(one for one in by_size if id(one) in chosen)


def _navigations(trace: TraceEvents) -> list[TracedNavigation]:
    fields = {
        "firstContentfulPaint": "first_contentful_paint_ms",
        "largestContentfulPaint::Candidate": "largest_contentful_paint_ms",
        "MarkDOMContent": "dom_content_loaded_ms",
        "MarkLoad": "loaded_ms",
    }
    found: list[TracedNavigation] = []
    for one, data in trace.named("navigationStart", "LayoutShift", *fields):
        if data.get("frame") != trace.main_frame:
            continue
        since = (one.ts - trace.start) / MS
        if one.name == "navigationStart":
            if url := data.get("documentLoaderURL"):
                found.append(TracedNavigation(str(url), since))
        elif found and one.name == "LayoutShift":
            score = float(data.get("cumulative_score", 0.0))
            found[-1] = dataclasses.replace(found[-1], layout_shift=score)
        elif found:
            change: dict[str, Any] = {fields[one.name]: since - found[-1].start_ms}
            found[-1] = dataclasses.replace(found[-1], **change)
    return found


def _place(function: str, url: str, line: int) -> str:
    name = excerpt(function, _NAME_CHARACTERS)
    return f"{name + ' ' if name else ''}{shorten_url(url)}:{line}"


def _navigation_words(one: TracedNavigation) -> str:
    times = {
        "first paint": one.first_contentful_paint_ms,
        "largest paint": one.largest_contentful_paint_ms,
        "DOM ready": one.dom_content_loaded_ms,
        "loaded": one.loaded_ms,
    }
    said = [f"{name} {ms:.0f} ms" if ms is not None else f"{name}: not yet" for name, ms in times.items()]
    shift = [f"layout shift {one.layout_shift:.2f}"] if one.layout_shift >= 0.01 else []  # noqa: PLR2004 - shown so
    return f"{shorten_url(one.url)}: {', '.join([*said, *shift])}"


def _task_words(one: LongTask) -> str:
    place = f": {_place(one.function, one.url, one.line)}" if one.url else ""
    return f"{one.duration_ms:.0f} ms at {one.start_ms:.0f} ms, {one.cause}{place}"


def _script_words(one: ScriptTime) -> str:
    layout = f", and {one.layout_ms:.0f} ms of layout that it forced" if one.layout_ms >= 1 else ""
    name = excerpt(one.function, _NAME_CHARACTERS) or "its top level or a nameless function"
    return (
        f"{one.own_ms:.0f} ms {shorten_url(one.url)}{layout}; most in {name}, line {one.line}"
        f" ({one.function_ms:.0f} ms)"
    )


def _request_words(one: TracedRequest) -> str:
    took = "not over" if one.duration_ms is None else f"{one.duration_ms:.0f} ms"
    came = one.status or ("failed" if one.failed else "no response")
    return f"{one.size / 1000:,.0f} kB, {took}, {came} {shorten_url(one.url)}"
