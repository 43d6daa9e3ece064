"""The summary of a trace, as far as it may be shown: for all faces of a server."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.service.records import origin_of

if TYPE_CHECKING:
    from hybridsnap.client.trace_summary import TraceSummary
    from hybridsnap.deadline import Deadline
    from hybridsnap.service.content_policy import CheckedTab, ContentPolicy


async def shown_summary(
    content: ContentPolicy, tab: CheckedTab, summary: TraceSummary, deadline: Deadline
) -> TraceSummary:
    """A summary without what tells of refused addresses; a note says how much that is.

    Args:
        content: what may be shown.
        tab: that was traced.
        summary: of its trace.
        deadline: of the request.
    """
    if not tab.is_checked:
        return summary
    parts = (summary.long_tasks, summary.scripts, summary.requests, summary.navigations)
    may = await content.addresses.may_show(
        {origin_of(one.url) for part in parts for one in part if one.url}, deadline
    )

    def is_shown(url: str) -> bool:
        return not url or origin_of(url) in may

    shown = dataclasses.replace(
        summary,
        long_tasks=tuple(one for one in summary.long_tasks if is_shown(one.url)),
        scripts=tuple(one for one in summary.scripts if is_shown(one.url)),
        requests=tuple(one for one in summary.requests if is_shown(one.url)),
        navigations=tuple(one for one in summary.navigations if is_shown(one.url)),
    )
    left = (shown.long_tasks, shown.scripts, shown.requests, shown.navigations)
    hidden = sum(map(len, parts)) - sum(map(len, left))
    if hidden:
        note = f"{hidden} tasks, scripts or requests of addresses that are not shown here"
        shown = dataclasses.replace(shown, notes=(*shown.notes, note))
    return shown
