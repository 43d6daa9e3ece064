"""The events of a Chrome trace, as far as a summary needs them: whose threads, tasks, samples, requests.

Chromium 156 (measured): ``TracingStartedInBrowser`` and ``FrameCommittedInBrowser`` name the frames of the
page that the trace was asked of, and their processes; the rest of the trace has the other tabs, too. It may
begin with events of the trace before, of a process that had not handed them out when that one ended. An event
that was under way at the end is a ``B`` without its ``E``. The page chooses names of its own for events in
the categories ``blink.user_timing`` and ``blink.console``, so no event is known by its name alone.

The samples of V8's profiler say what ran when: a ``Profile`` event of a thread is followed by
``ProfileChunk`` events of the same process and id, which hold new nodes of the call tree (each names its
parent, which came before), the nodes that were sampled, and the µs between samples. Lines are counted from 0
there.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Microseconds.
MS = 1000.0
_BROWSER, _TIMELINE = "disabled-by-default-devtools.timeline", "devtools.timeline"
_PROFILER = "disabled-by-default-v8.cpu_profiler"
_TASK, _STARTED = "RunTask", "TracingStartedInBrowser"
#: Event of a main thread → what its time is spent on. What is not here counts for the event around it.
KINDS = {
    _TASK: "other",
    **dict.fromkeys(
        (
            *("FunctionCall", "EvaluateScript", "EventDispatch", "TimerFire", "FireAnimationFrame"),
            *("FireIdleCallback", "RunMicrotasks", "v8.compile", "v8.compileModule", "v8.evaluateModule"),
            *("v8.run", "V8.HandleInterrupts", "HandlePostMessage", "XHRReadyStateChange"),
        ),
        "scripts",
    ),
    **dict.fromkeys(("UpdateLayoutTree", "Layout", "ParseAuthorStyleSheet", "HitTest"), "layout and style"),
    **dict.fromkeys(
        ("PrePaint", "Paint", "Layerize", "UpdateLayer", "Commit", "Decode Image", "ImageDecodeTask"),
        "painting",
    ),
    "ParseHTML": "parsing",
    **dict.fromkeys(("MinorGC", "MajorGC"), "garbage collection"),
}


class Event(msgspec.Struct, gc=False):
    """One event; times in µs."""

    name: str = ""
    ph: str = ""
    cat: str = ""
    ts: float = 0.0
    dur: float = 0.0
    pid: int = 0
    tid: int = 0
    id: str | int = ""
    args: msgspec.Raw = msgspec.Raw(b"{}")

    @property
    def end(self) -> float:
        """When it was over."""
        return self.ts + self.dur

    @property
    def details(self) -> dict[str, Any]:
        """Its arguments: those of ``data``, or of the beginning, and those beside."""
        args = msgspec.json.decode(self.args)
        if not isinstance(args, dict):
            return {}
        inner = args.get("data", args.get("beginData"))
        return {**args, **inner} if isinstance(inner, dict) else args

    def is_of(self, category: str) -> bool:
        """Whether the event is the browser's own in this category, and none that the page named."""
        return category in self.cat.split(",")


class _File(msgspec.Struct):
    traceEvents: list[Event]  # noqa: N815 - as the file has it


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """A part of a main thread's time: an event that is one of `KINDS`.

    Attributes:
        event: itself.
        self_us: its time less that of the spans within it.
    """

    event: Event
    self_us: float


class TraceEvents:
    """A trace, read.

    Attributes:
        events: all but metadata, by time, from the start of the trace.
        start, end: of all, in µs.
        frames: ids of the page's frames.
        main_frame: the id of the page's main frame; "" when the trace does not say.
        processes: pids of the processes that show the page.
        threads: main threads of the processes that show the page, (pid, tid).

    Raises:
        ValueError: this is no trace in Chrome's JSON format.
    """

    def __init__(self, data: bytes) -> None:
        try:
            found = msgspec.json.decode(data, type=_File).traceEvents
        except msgspec.MsgspecError as error:
            raise ValueError(f"expected a trace in Chrome's JSON format: {error}") from None
        started = max((one.ts for one in found if one.name == _STARTED and one.is_of(_BROWSER)), default=0.0)
        events = (one for one in found if one.ph != "M" and one.ts >= started)
        self.events: list[Event] = sorted(events, key=lambda one: one.ts)
        self.start: float = self.events[0].ts if self.events else 0.0
        self.end: float = max((one.end for one in self.events), default=0.0)
        self.frames: set[str] = set()
        self.main_frame: str = ""
        self.processes: set[int] = set()
        for frame in self._page_frames():
            self.frames.add(str(frame.get("frame")))
            self.processes.add(frame.get("processId", 0))
            if not self.main_frame and frame.get("isOutermostMainFrame"):
                self.main_frame = str(frame["frame"])
        self.threads: set[tuple[int, int]] = {
            (one.pid, one.tid)
            for one in found
            if one.ph == "M" and one.name == "thread_name" and one.pid in self.processes
            if one.details.get("name") == "CrRendererMain"
        }

    def _page_frames(self) -> Iterator[dict[str, Any]]:
        for one in self.events:
            if not one.is_of(_BROWSER):
                continue
            if one.name == _STARTED:
                yield from one.details.get("frames", ())
            elif one.name == "FrameCommittedInBrowser":
                yield one.details

    def named(self, *names: str) -> Iterator[tuple[Event, dict[str, Any]]]:
        """The browser's events of these names, with their details."""
        for one in self.events:
            if one.name in names and (one.ph == "R" or one.is_of(_TIMELINE) or one.is_of("loading")):
                yield one, one.details

    def tasks(self) -> Iterator[list[Span]]:
        """The tasks of the page's main threads: each the task itself, and what it consists of, by time.

        Left out are tasks of other pages in the same process.
        """
        for thread in sorted(self.threads):
            for task in _tasks_of(self._closed(thread)):
                named = {frame for span in task if (frame := span.event.details.get("frame")) is not None}
                if not named or named & self.frames:
                    yield task

    def _closed(self, thread: tuple[int, int]) -> list[Event]:
        """The events of a thread that are of one kind, those that never ended up to the trace's end.

        None of them is the page's: its own measures are in other phases.
        """
        found: list[Event] = []
        begun: list[Event] = []
        for one in self.events:
            if (one.pid, one.tid) != thread or one.name not in KINDS:
                continue
            if one.ph == "X":
                found.append(one)
            elif one.ph == "B":
                begun.append(one)
            elif one.ph == "E" and begun:
                last = begun.pop()
                found.append(msgspec.structs.replace(last, ph="X", dur=one.ts - last.ts))
        found += [msgspec.structs.replace(one, ph="X", dur=self.end - one.ts) for one in begun]
        return sorted(found, key=lambda one: (one.ts, -one.dur, one.name != _TASK))


def _tasks_of(events: list[Event]) -> Iterator[list[Span]]:
    """Group the events of a thread by task, with the time of each that is its own."""
    task: list[Event] = []
    for one in events:
        if task and one.ts < task[0].end:
            task.append(one)
            continue
        if task:
            yield _spans(task)
        task = [one] if one.name == _TASK else []
    if task:
        yield _spans(task)


def _spans(task: list[Event]) -> list[Span]:
    own = [one.dur for one in task]
    open_: list[int] = []
    for number, one in enumerate(task):
        while open_ and task[open_[-1]].end <= one.ts:
            open_.pop()
        if open_:
            own[open_[-1]] -= min(one.dur, task[open_[-1]].end - one.ts)
        open_.append(number)
    return [Span(one, max(0.0, us)) for one, us in zip(task, own, strict=True)]


class Function(NamedTuple):
    """A function of a script with an address.

    Attributes:
        name: "" for one without, and for a script's own top level.
        url: of its script.
        line: counted from 1.
    """

    name: str
    url: str
    line: int


class Sample(NamedTuple):
    """What ran.

    Attributes:
        start, end: µs of the trace.
        function: the innermost one that has an address.
        thread: where: process and thread.
    """

    start: float
    end: float
    function: Function
    thread: tuple[int, int]


@dataclasses.dataclass(slots=True)
class _Profile:
    time: float
    thread: tuple[int, int]
    #: Node → the innermost function at or above it.
    functions: dict[int, Function | None] = dataclasses.field(default_factory=dict)
    taken: list[tuple[float, Function | None]] = dataclasses.field(default_factory=list)

    def add(self, chunk: dict[str, Any]) -> None:
        """Take a chunk."""
        profile = chunk.get("cpuProfile", {})
        for node in profile.get("nodes", ()):
            self.functions[node["id"]] = _function(node["callFrame"]) or self.functions.get(
                node.get("parent", 0)
            )
        for node_id, delta in zip(profile.get("samples", ()), chunk.get("timeDeltas", ()), strict=False):
            self.time += delta
            self.taken.append((self.time, self.functions.get(node_id)))


def samples_of(trace: TraceEvents) -> Iterator[Sample]:
    """The samples of the page's main threads that are of a script with an address, by time in each thread."""
    profiles: dict[tuple[int, str | int], _Profile] = {}
    for one in (one for one in trace.events if one.is_of(_PROFILER)):
        if one.name == "Profile" and (one.pid, one.tid) in trace.threads:
            thread = (one.pid, one.tid)
            profiles[one.pid, one.id] = _Profile(one.details.get("startTime", one.ts), thread)
        elif one.name == "ProfileChunk" and (one.pid, one.id) in profiles:
            profiles[one.pid, one.id].add(one.details)
    for profile in profiles.values():
        taken = sorted(profile.taken, key=lambda one: one[0])
        for (start, function), (end, _) in itertools.pairwise(taken):
            if function is not None:
                yield Sample(start, end, function, profile.thread)


def _function(frame: dict[str, Any]) -> Function | None:
    url = frame.get("url")
    return Function(frame.get("functionName", ""), url, frame.get("lineNumber", 0) + 1) if url else None
