"""The trace of a tab, as answers of the server: what was slow, and what the browser did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import trio
from msgspec import UNSET, UnsetType

from hybridsnap.client.trace_summary import TraceSummary
from hybridsnap.client.tracing import cut_trace
from hybridsnap.errors import CommandRefused
from hybridsnap.server.answers import OfTab, answer_of
from hybridsnap.server.messages import bad_request
from hybridsnap.service.errors import ApiError
from hybridsnap.service.problems import data_of
from hybridsnap.service.tracing import may_show_trace, only_of_tab, shown_summary

if TYPE_CHECKING:
    from hybridsnap.client.tracing import Trace
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.part_messages import TraceRequest
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.service.content_policy import ContentPolicy


if TYPE_CHECKING:
    TraceSummaryAnswer = TraceSummary
else:
    TraceSummaryAnswer = answer_of(TraceSummary)


class TraceAnswer(OfTab):
    """What was recorded; after ``start`` only that a trace is being recorded.

    Attributes:
        recording: whether a trace of this tab is being recorded now.
        lines: the summary in words.
        trace: in Chrome's JSON format, of the processes that show the tab; absent where it was not asked
            for, or has addresses that are not shown.
        truncated: events at the end were left out, of the trace or before it was summed up.
        lost: the browser's buffer was full, so the last events were not recorded.
    """

    recording: bool
    lines: list[str] | UnsetType = UNSET
    summary: TraceSummaryAnswer | UnsetType = UNSET
    trace: dict[str, Any] | UnsetType = UNSET
    truncated: bool | UnsetType = UNSET
    lost: bool | UnsetType = UNSET


async def answer_trace(
    request: TraceRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    """The fields of `TraceAnswer`, without whose tab it is."""
    if request.action == "start":
        if request.max_bytes:
            raise bad_request("maxBytes cannot stand beside the action start")
        return await _start(request, held, content, deadline)
    if request.screenshots:
        raise bad_request("screenshots cannot stand beside the action stop")
    return await _stop(request, held, content, deadline)


async def _start(
    request: TraceRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    tracing = held.page.trace
    await content.check(held, deadline)
    if tracing.recording:
        raise ApiError(
            409, "TraceRecording", "a trace of this tab is being recorded already", "end it with action stop"
        )
    try:
        await tracing.start(screenshots=request.screenshots, timeout=deadline)
    except CommandRefused as error:
        raise ApiError(
            409,
            "TraceRecording",
            "the browser records one trace at a time, and records one of another tab or for another client",
            "end that one first, with action stop and the targetId of its tab, or wait until it is over",
        ) from error
    return {"recording": True}


async def _stop(
    request: TraceRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    tracing = held.page.trace
    if not tracing.recording:
        raise ApiError(
            409, "NoTrace", "no trace of this tab is being recorded", "begin one with action start"
        )
    if request.max_bytes and not held.isolated:
        raise ApiError(
            403,
            "TraceNotShown",
            "the trace itself is not shown: tabs of others can be in it, as this one shares their profile",
            "leave maxBytes out for the summary; the trace of a tab that POST /tabs opens is shown, where the"
            " server was not started with --shared-profile",
        )
    trace = await tracing.stop(timeout=deadline)
    try:
        summary = await trio.to_thread.run_sync(trace.summarize)
    except ValueError as error:
        raise ApiError(502, "TraceUnreadable", str(error), "record anew, for less time") from error
    shown = await shown_summary(content, held, summary, deadline)
    told = data_of(shown)
    answer: dict[str, Any] = {"recording": False, "lost": trace.lost, "truncated": trace.truncated}
    if request.max_bytes:
        data = await trio.to_thread.run_sync(only_of_tab, trace.data)
        if await may_show_trace(content, held, data, deadline):
            answer |= _bounded(data, trace, request.max_bytes)
        else:
            told["notes"].append("the trace itself is left out: it has addresses that are not shown here")
    await content.check_done(held, deadline)
    return {**answer, "lines": shown.lines(), "summary": told}


def _bounded(data: bytes, trace: Trace, max_bytes: int) -> dict[str, Any]:
    is_cut = len(data) > max_bytes
    cut = cut_trace(data, max_bytes) if is_cut else data
    return {"trace": msgspec.Raw(cut), "truncated": trace.truncated or is_cut}
