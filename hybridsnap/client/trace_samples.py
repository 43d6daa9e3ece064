"""What ran when: the samples of V8's profiler in a Chrome trace.

Chromium 156 (measured): a ``Profile`` event of a thread is followed by ``ProfileChunk`` events of the same
process and id, which hold new nodes of the call tree (each names its parent, which came before), the nodes
that were sampled, and the µs between samples. Lines are counted from 0.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.client.trace_events import TraceEvents

_CATEGORY = "disabled-by-default-v8.cpu_profiler"


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
    """One profile that is being put together."""

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
    for one in (one for one in trace.events if one.is_of(_CATEGORY)):
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
