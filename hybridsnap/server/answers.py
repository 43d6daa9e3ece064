"""What the server answers, as types: the description (`hybridsnap.server.openapi`) is made of these.

Unknown fields are refused here, too: an answer with a field that no type lists does not fit the description.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from hybridsnap.client.console_messages import ConsoleMessage, PageError
from hybridsnap.client.request_records import SocketMessage
from hybridsnap.client.trace_summary import TraceSummary
from hybridsnap.model import Layout, Report, Row
from hybridsnap.render.locators import Locators
from hybridsnap.render.rendering import Stats
from hybridsnap.server.part_messages import EmulationBody


class Answered(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What all answers have in common: every field is declared."""


class ProblemBody(Answered):
    """An error, as ``application/problem+json`` (RFC 9457).

    Attributes:
        error: the name of the class, the same as `title`.
        fields: the public attributes of the error. Where the rules on addresses hide a result, ``done`` is
            true, and ``failed`` names the class of the error that they hide.
        remedy: what to do.
    """

    type: str
    title: str
    status: int
    detail: str
    error: str
    fields: dict[str, Any]
    remedy: str


class OfTab(Answered):
    """Whose tab an answer is about."""

    browser_id: str
    target_id: str
    session_id: str


def answer_of(record: Any, base: type[Answered] = Answered, *, name: str = "") -> type[Any]:
    """The answer that `hybridsnap.service.problems.data_of` makes of a dataclass, and of those in it.

    It is called ``LongTaskAnswer`` for `LongTask`, unless it is named.
    """
    hints = get_type_hints(record)
    fields = [(one.name, _answered(hints[one.name])) for one in dataclasses.fields(record)]
    namespace = {"__doc__": record.__doc__}
    return msgspec.defstruct(name or f"{record.__name__}Answer", fields, bases=(base,), namespace=namespace)


def _answered(type_: Any) -> Any:
    if get_origin(type_) is tuple:
        return list[_answered(get_args(type_)[0])]  # type: ignore[misc]  # made as it runs
    return answer_of(type_) if dataclasses.is_dataclass(type_) else type_


class FrameAnswer(Answered):
    """One frame of a snapshot."""

    frame_id: str
    ordinal: int
    url: str
    outline: str
    xpath_map: dict[str, str]
    url_map: dict[str, str]


class SnapshotAnswer(OfTab):
    """A snapshot.

    Attributes:
        combined_tree: the outline.
        combined_xpath_map: element id → XPath.
        combined_url_map: element id → URL of a link.
        report: what the snapshot holds and what it lacks.
        version, per_frame, rows: with ``"format": "json"`` only.
        layout: with ``"layout": true`` or ``"visibleOnly": true`` only.
        screenshot: PNG, in base64; with ``"screenshot": true`` only.
        text: the rendering that was asked for; absent where the outline is all that was asked for.
        stats: the size of `text`.
        refs: of the formats ``role`` and ``aria``: ref → the element's id, role, name, ….
        info: of the format ``webarena``: id → node, bounds and text.
    """

    combined_tree: str
    combined_xpath_map: dict[str, str]
    combined_url_map: dict[str, str]
    report: Report
    version: int | UnsetType = UNSET
    per_frame: list[FrameAnswer] | UnsetType = UNSET
    rows: list[Row] | UnsetType = UNSET
    layout: Layout | UnsetType = UNSET
    screenshot: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    stats: Stats | UnsetType = UNSET
    refs: dict[str, dict[str, Any]] | UnsetType = UNSET
    info: dict[str, Any] | UnsetType = UNSET


class DownloadAnswer(Answered):
    """A download that was saved."""

    url: str
    file_name: str
    path: str | None
    received_bytes: int


class DoneAnswer(Answered, kw_only=True):
    """What one action came to.

    Attributes:
        receipt: what the action did; of actions that do something.
        receipts: of a step of several parts; `receipt` is the last of them.
        text: the receipt in words, or the receipts.
        value: of actions that read something.
        download: where one was asked for.
        refused: addresses that the page led to and that the rules refuse.
    """

    action: str
    receipt: dict[str, Any] | UnsetType = UNSET
    receipts: list[dict[str, Any]] | UnsetType = UNSET
    text: str | UnsetType = UNSET
    value: Any = UNSET
    download: DownloadAnswer | UnsetType = UNSET
    refused: list[ProblemBody] | UnsetType = UNSET


class ActAnswer(DoneAnswer, kw_only=True):
    """The result of one action; another answer has the problem."""

    ok: Literal[True]


class BatchResult(DoneAnswer, kw_only=True):
    """The result of one action of a batch: as `ActAnswer`, or with the problem.

    Attributes:
        index: of the action, from 0.
        problem: where `ok` is false.
    """

    index: int
    ok: bool
    problem: ProblemBody | UnsetType = UNSET


class BatchAnswer(Answered):
    """What came of a batch: `ok` where every action was done."""

    ok: bool
    results: list[BatchResult]


class EvaluateAnswer(OfTab):
    """The value of a script, as JSON data."""

    value: Any


if TYPE_CHECKING:
    MessageAnswer = ConsoleMessage
    PageErrorAnswer = PageError
    SocketMessageAnswer = SocketMessage
    TraceSummaryAnswer = TraceSummary
else:
    MessageAnswer = answer_of(ConsoleMessage, name="MessageAnswer")
    PageErrorAnswer = answer_of(PageError)
    SocketMessageAnswer = answer_of(SocketMessage)
    TraceSummaryAnswer = answer_of(TraceSummary)


class ConsoleAnswer(OfTab):
    """What a page said.

    Attributes:
        dropped: how many are not kept any more, at least.
        hidden: how many are not here, being of addresses that the rules refuse.
        notices: that recording was switched off for a while, for instance.
    """

    messages: list[MessageAnswer]
    errors: list[PageErrorAnswer]
    dropped: int
    hidden: int
    notices: list[str]


class DevicesAnswer(Answered):
    """The names of the devices that can be emulated."""

    devices: list[str]


class RouteAnswer(Answered):
    """What is done with some requests of a page.

    Attributes:
        url: the pattern.
        does: in words, such as ``abort as blockedbyclient`` or ``fulfill 404``.
        narrowed: types and method that it is for; none are all.
        times: for how many; null for all.
        count: on how many it has decided.
    """

    url: str
    does: str
    narrowed: list[str]
    times: int | None
    count: int


class RoutesAnswer(OfTab):
    """The routes of a tab, in the order in which they are asked.

    Attributes:
        removed: so many were just removed.
    """

    routes: list[RouteAnswer]
    removed: int


class PermissionsAnswer(OfTab):
    """What was granted.

    Attributes:
        origin: to which; null where nothing was.
    """

    origin: str | None
    granted: list[str]


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


LocatorsAnswer: type[OfTab] = answer_of(Locators, OfTab)


class SocketAnswer(Answered):
    """What went through a WebSocket; its last messages where it was asked for by its id."""

    sent: int
    received: int
    sent_bytes: int
    received_bytes: int
    messages: list[SocketMessageAnswer] | UnsetType = UNSET


class RequestAnswer(Answered):
    """A request of a page; headers and timing of one that was asked for by its id only."""

    id: str
    url: str
    method: str
    resource_type: str
    state: Literal["pending", "answered", "finished", "failed", "redirected"]
    status: int | None
    ok: bool
    failure: str | None
    mime_type: str
    transferred_bytes: int
    body_bytes: int
    started: float
    duration_ms: float | None
    initiator: str
    redirected_from: str | None
    status_text: str | UnsetType = UNSET
    protocol: str | UnsetType = UNSET
    remote_address: str | UnsetType = UNSET
    served_from: str | UnsetType | None = UNSET
    request_headers: dict[str, str] | UnsetType = UNSET
    response_headers: dict[str, str] | UnsetType = UNSET
    post_data: str | UnsetType | None = UNSET
    request_body_bytes: int | UnsetType | None = UNSET
    timing: dict[str, float] | UnsetType | None = UNSET
    redirects: list[dict[str, Any]] | UnsetType = UNSET
    socket: SocketAnswer | UnsetType = UNSET


class BodyAnswer(Answered):
    """The body of a response: its first bytes as text, or in base64 where they are none."""

    size: int
    truncated: bool
    mime_type: str
    text: str | UnsetType = UNSET
    base64: str | UnsetType = UNSET


class NetworkAnswer(OfTab):
    """What a page requested.

    Attributes:
        dropped: how many are not kept any more, at least.
        hidden: how many are not here, being of addresses that the rules refuse.
        notices: that recording was switched off for a while, for instance.
        body: of the response of the one request that was asked for; absent where the browser has none.
        har: where it was asked for.
    """

    requests: list[RequestAnswer]
    dropped: int
    hidden: int
    notices: list[str]
    body: BodyAnswer | UnsetType = UNSET
    har: dict[str, Any] | UnsetType = UNSET


class CookieAnswer(Answered):
    """A cookie; its value only where values were asked for."""

    name: str
    domain: str
    path: str
    expires: float
    http_only: bool
    secure: bool
    same_site: Literal["Strict", "Lax", "None"]
    value: str | UnsetType = UNSET
    partition_key: str | UnsetType = UNSET
    has_cross_site_ancestor: bool | UnsetType = msgspec.field(default=UNSET, name="_crHasCrossSiteAncestor")


class StorageAnswer(OfTab):
    """What is kept; which fields there are depends on the action.

    Attributes:
        hidden: how many cookies and origins are not here, being of addresses that the rules refuse.
        done: how many cookies or items were set or removed; of a state, cookies and origins.
        origin: whose items or databases these are.
        origins: those of the tab's frames.
        state: in Playwright's format.
    """

    hidden: int | UnsetType = UNSET
    done: int | UnsetType = UNSET
    cookies: list[CookieAnswer] | UnsetType = UNSET
    origin: str | UnsetType = UNSET
    items: dict[str, str] | UnsetType = UNSET
    origins: list[str] | UnsetType = UNSET
    databases: list[str] | UnsetType = UNSET
    state: dict[str, Any] | UnsetType = UNSET


class EmulationAnswer(OfTab):
    """What is set, without passwords."""

    active: EmulationBody


class NavigationAnswer(Answered):
    """How far a new tab came.

    Attributes:
        reached: what was waited for came in time.
        ended_by: what ended the waiting: ``deadline``, for instance; ``traffic`` when the network was not
            idle in time.
        status: of HTTP; null where there is none.
        under_way: host → how many of its requests were still open.
    """

    url: str
    reached: bool
    ended_by: str
    elapsed_ms: float
    status: int | None
    under_way: dict[str, int]


class OpenedTab(OfTab):
    """A tab that was opened; `navigation` is null where no URL was given."""

    url: str
    navigation: NavigationAnswer | None


class ListedTab(Answered):
    """A tab that the session may use; `own` where the session closes it."""

    browser_id: str
    target_id: str
    url: str
    title: str
    opener_id: str | None
    own: bool


class TabsAnswer(Answered):
    """The tabs that the session may use."""

    tabs: list[ListedTab]


class SessionAnswer(Answered):
    """A session that was registered: unused for so many seconds, it ends."""

    session_id: str
    idle_seconds: float


class BrowserHealth(Answered):
    """One browser; `starts` counts how often it was started or connected to."""

    browser_id: str
    up: bool
    launched: bool
    starts: int


class Captures(Answered):
    """Captures at this moment; those that are stalled run on a page that does not answer."""

    running: int
    waiting: int
    stalled: int


class HealthAnswer(Answered):
    """How the server is: ``degraded`` where a browser is gone."""

    status: Literal["ok", "degraded"]
    version: str
    browsers: list[BrowserHealth]
    sessions: int
    tabs: int
    captures: Captures
