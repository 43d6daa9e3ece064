"""A trace and its summary, as far as they may be shown: for all faces of a server."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.client.network import origin_of
from hybridsnap.client.trace_events import TraceEvents

if TYPE_CHECKING:
    from hybridsnap.client.trace_summary import TraceSummary
    from hybridsnap.deadline import Deadline
    from hybridsnap.service.content_policy import CheckedTab, ContentPolicy

#: Events of the browser's own process that are of the page only (Chromium 156, measured): which frames it has
#: in which processes, and pictures of it.
_OF_PAGE = frozenset(
    {
        "TracingStartedInBrowser",
        "FrameCommittedInBrowser",
        "FrameDeletedInBrowser",
        "ProcessReadyInBrowser",
        "Screenshot",
    }
)
#: Metadata of threads and processes; others have titles of tabs (``process_labels``).
_NAMES = frozenset({"thread_name", "process_name", "thread_sort_index", "process_sort_index"})
_METADATA = "M"
#: The beginnings of addresses, wherever they are in a trace.
_ORIGINS = re.compile(rb"""(?:https?|file):\\?/\\?/[^/\\"'?#\s]*""")
#: A trace with more different ones is not shown where they have to be held against the rules.
_MOST_ORIGINS = 1_000
#: What a summary has that tells of an address.
_WITH_ADDRESSES = ("long_tasks", "scripts", "requests", "navigations")


async def shown_summary(
    content: ContentPolicy, tab: CheckedTab, summary: TraceSummary, deadline: Deadline
) -> TraceSummary:
    """A summary without what tells of refused addresses; a note says how much that is."""
    if not tab.is_checked:
        return summary
    parts: dict[str, Any] = {name: getattr(summary, name) for name in _WITH_ADDRESSES}
    urls = {one.url for part in parts.values() for one in part if one.url}
    may = await content.addresses.may_show(map(origin_of, urls), deadline)
    left: dict[str, Any] = {
        name: tuple(one for one in part if not one.url or origin_of(one.url) in may)
        for name, part in parts.items()
    }
    hidden = sum(map(len, parts.values())) - sum(map(len, left.values()))
    note = f"{hidden} tasks, scripts or requests of addresses that are not shown here"
    return dataclasses.replace(summary, **left, notes=(*summary.notes, *([note] if hidden else [])))


class _Named(msgspec.Struct, gc=False):
    name: str = ""
    ph: str = ""
    pid: int = 0


class _Lines(msgspec.Struct):
    traceEvents: list[msgspec.Raw]  # noqa: N815 - as the file has it


def only_of_tab(data: bytes) -> bytes:
    """A trace, in Chrome's JSON format, without what is of other processes than those that show the page.

    Processes are shared by tabs of one browser context, never by tabs of two.

    Returns:
        Another one, which begins with the names of processes and threads, so that these are still there
        when its end is cut off.
    """
    processes = TraceEvents(data).processes
    names, events = [], []
    browsers: set[int] = set()
    for raw in msgspec.json.decode(data, type=_Lines).traceEvents:
        one = msgspec.json.decode(raw, type=_Named)
        if one.ph == _METADATA:
            if one.name in _NAMES:
                names.append((one.pid, raw))
        elif one.pid in processes:
            events.append(raw)
        elif one.name in _OF_PAGE:
            browsers.add(one.pid)
            events.append(raw)
    kept = [raw for pid, raw in names if pid in processes | browsers]
    return b'{"traceEvents":[' + b",\n".join(map(bytes, [*kept, *events])) + b"\n]}\n"


async def may_show_trace(content: ContentPolicy, tab: CheckedTab, data: bytes, deadline: Deadline) -> bool:
    """Whether none of the addresses in a trace of a tab is one that the rules refuse."""
    if not tab.is_checked:
        return True
    origins = {one.replace(b"\\", b"").decode("ascii", "replace") for one in _ORIGINS.findall(data)}
    if len(origins) > _MOST_ORIGINS:
        return False
    return origins == await content.addresses.may_show(origins, deadline)
