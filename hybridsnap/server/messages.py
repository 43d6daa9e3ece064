"""What clients send: the bodies of requests, as JSON has them.

Unknown fields are refused: one that is misspelt would otherwise be ignored without a word.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import msgspec

from hybridsnap.client.requests import ALIASES
from hybridsnap.client.viewport import MOST_PX
from hybridsnap.json_data import words_of_mismatch
from hybridsnap.model import MOST_INTEGER
from hybridsnap.render.detail import DetailName
from hybridsnap.render.formats import FormatName
from hybridsnap.render.tokens import MOST_TOKENS
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from hybridsnap.act.finding import ElementQuery

#: Actions of one batch.
MOST_ACTIONS = 100
#: The longest budget, ms.
MOST_MS = 600_000
#: As everywhere.
DEFAULT_MS = 30_000
#: As `Page.evaluate` has it.
EVALUATION_MS = 20_000

#: What names an element, by the names that `Page`'s methods have for it.
_NAMING = frozenset({"element", "nth", "as_of", "backend_node_id", "frame"})


def bad_request(detail: str) -> ApiError:
    """A request that cannot mean anything."""
    return ApiError(400, "BadRequest", detail, "see /openapi.json for what this takes")


Milliseconds = Annotated[
    float,
    msgspec.Meta(gt=0, le=MOST_MS, description="one budget for all: the request, the queue, the work"),
]
Natural = Annotated[int, msgspec.Meta(ge=0)]
Index = Annotated[int, msgspec.Meta(ge=0, le=MOST_INTEGER)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Records = Annotated[int, msgspec.Meta(ge=1, le=500)]
Level = Literal["debug", "info", "warning", "error"]
#: One side of a viewport, in CSS px.
ViewportSide = Annotated[int, msgspec.Meta(ge=1, le=MOST_PX)]
Wait = Literal["settled", "load", "domcontentloaded", "networkidle", "none"]


class Message(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What all requests may have.

    Attributes:
        browser_id: which browser; the server's first one if left out.
        timeout_ms: the budget.
        deadline_at_ms: when the budget ends, in ms since 1970; the earlier of both counts.
    """

    browser_id: str | None = None
    timeout_ms: Milliseconds = DEFAULT_MS
    deadline_at_ms: float | None = None

    @property
    def budget_ms(self) -> float:
        """What is left from now on.

        Raises:
            ApiError: the moment is past, or none that a clock shows.
        """
        if self.deadline_at_ms is None:
            return self.timeout_ms
        left = self.deadline_at_ms - time.time() * 1000
        if not math.isfinite(left) or left <= 0:
            raise bad_request(
                "deadlineAtMs is past: expected a moment to come, in ms since 1970 (Date.now())"
            )
        return min(left, self.timeout_ms)


class TabMessage(Message, kw_only=True):
    """What all requests about a tab may have.

    Attributes:
        target_id: which tab; may be left out where there is only one.
    """

    target_id: (
        Annotated[str, msgspec.Meta(description="which tab; may be left out where there is only one")] | None
    ) = None


class Rendered(TabMessage, kw_only=True):
    """What a snapshot is answered as.

    Attributes:
        format: ``tree`` is the outline; ``json`` is everything; others are rendered as ``text`` beside it.
        scope: only the subtrees of these elements: an id, an XPath of the map, or a CSS selector.
        detail: how much is printed of each row.
        limit: of ``aria``: lines.
        lang, action, time: of ``controls``, as in `Snapshot.render`.
        csv: of ``records``: CSV instead of JSON lines.
    """

    format: FormatName = "tree"
    interactive: bool = False
    compact: bool = False
    max_depth: Natural | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1, le=MOST_TOKENS)] | None = None
    urls: bool = False
    query: str = ""
    visible_only: bool = False
    flat: bool = False
    scope: str | None = None
    detail: DetailName = "lean"
    limit: Positive | None = None
    lang: str | None = None
    action: str | None = None
    time: str | None = None
    csv: bool = False
    all_xpaths: bool = False


class NamedElement(TabMessage, kw_only=True):
    """How a request names an element: as actions do, in all their spellings.

    Attributes:
        element_id: id, ref or selector.
        element: the same.
        ref: the same.
        nth: which of a selector's matches, from 0.
        as_of: the id of the snapshot in which an id was read.
        snapshot_id: the same.
        backend_node_id: names the element by itself.
        backend_dom_node_id: the same, as the protocol writes it.
        frame: of that node: its frame's ordinal or id.
        frame_id: the same.
    """

    element_id: str | None = None
    element: str | None = None
    ref: str | None = None
    nth: Index | None = None
    as_of: str | None = None
    snapshot_id: str | None = None
    backend_node_id: Index | None = None
    backend_dom_node_id: Index | None = msgspec.field(default=None, name="backendDOMNodeId")
    frame: Index | str | None = None
    frame_id: Index | str | None = None


class SnapshotRequest(Rendered, kw_only=True):
    """``POST /control/snapshot``.

    Attributes:
        url: where to go first: in the tab of `target_id`, or else in a new one.
        wait: for what, in 60 % of the budget.
        close: the new tab is closed after.
        viewport: of the new tab, width and height in CSS px.
        focus: only the subtree of what this selector matches.
        ignore: selectors of what is left out.
    """

    url: str | None = None
    wait: Wait = "settled"
    close: bool = False
    viewport: tuple[ViewportSide, ViewportSide] | None = None
    focus: str | None = None
    focus_nth: Index = 0
    focus_missing: Literal["error", "full"] = "error"
    ignore: str | list[str] = []
    pierce_shadow: bool = True
    include_iframes: bool = True
    layout: bool = False
    screenshot: bool = False


class ExpandRequest(Rendered, kw_only=True):
    """``POST /control/expand``: one element, as it is now, with all that is below it.

    Its element is named as in `NamedElement`: a struct has one base only.
    """

    element_id: str | None = None
    element: str | None = None
    ref: str | None = None
    nth: Index | None = None
    as_of: str | None = None
    snapshot_id: str | None = None
    backend_node_id: Index | None = None
    backend_dom_node_id: Index | None = msgspec.field(default=None, name="backendDOMNodeId")
    frame: Index | str | None = None
    frame_id: Index | str | None = None


class DownloadWish(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """That an action's download be saved.

    Attributes:
        folder: within the server's folder for downloads; that folder itself if left out.
        max_bytes: a larger one is cancelled.
    """

    folder: str | None = None
    max_bytes: Natural | None = None


class ActRequest(TabMessage, kw_only=True):
    """``POST /control/act``: one action, its fields beside these, or a batch.

    Attributes:
        actions: a batch, done in order; an action is an object, or a step such as ``click [0-29]``.
        stop_on_error: those after the first that fails are not done.
        download: the download that the action, or one of the batch, begins is saved.
    """

    actions: list[dict[str, Any] | str] | None = None
    stop_on_error: bool = True
    download: DownloadWish | None = None


class EvaluateRequest(NamedElement, kw_only=True):
    """``POST /control/evaluate``.

    Attributes:
        expression: or a function, which is called.
        args: of the function.
        isolated_world: in a world of its own, which the page's script cannot touch.
    """

    timeout_ms: Milliseconds = EVALUATION_MS
    expression: str
    args: list[Any] = []
    isolated_world: bool = False


class ConsoleRequest(TabMessage, kw_only=True):
    """``POST /control/console``: what the tab's page logged, and the errors that nothing in it caught.

    Attributes:
        level: only of these levels.
        text: only what has this in it.
        url: only of scripts with such addresses.
        limit: of each list, the last so many.
        clear: forget all of it after.
    """

    level: Level | list[Level] | None = None
    text: str | None = None
    url: str | None = None
    limit: Records = 100
    clear: bool = False


class NetworkQuery(TabMessage, kw_only=True):
    """``POST /control/network``: what the tab's page requested.

    Attributes:
        id: one request, with its headers, and with the body of its response.
        max_bytes: of that body; 0 leaves it out.
        url: only of such addresses: ``**/api/*``.
        resource_type: only of these types.
        status: only with this status, or with one of a class: ``4xx``.
        method: only of this method.
        failed: only what has failed, or was answered with an error; false: only the rest.
        after: only what began after the request of this id.
        limit: the last so many.
        har: as a HAR 1.2 log, too.
        clear: forget all of it after.
    """

    id: str | None = None
    max_bytes: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 100_000
    url: str | None = None
    resource_type: str | list[str] | None = None
    status: int | str | None = None
    method: str | None = None
    failed: bool | None = None
    after: str | None = None
    limit: Records = 100
    har: bool = False
    clear: bool = False


class TabRequest(Message, kw_only=True):
    """``POST /tabs``: a new tab.

    Attributes:
        url: where to; ``about:blank`` if left out.
        wait: for what.
        viewport: width and height in CSS px; the browser's own if left out.
    """

    url: str | None = None
    wait: Wait = "settled"
    viewport: tuple[ViewportSide, ViewportSide] | None = None


class SessionRequest(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """``POST /sessions``.

    Attributes:
        idle_seconds: unused for so long it ends; never longer than the server has it.
    """

    idle_seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None


def read_naming(request: NamedElement | ExpandRequest) -> tuple[str | None, ElementQuery]:
    """The element that a request names: its id, ref or selector, and the rest of its name.

    Raises:
        ApiError: it is named twice.
    """
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(NamedElement):
        name, value = ALIASES.get(field.name, field.name), getattr(request, field.name)
        if value is None or name not in _NAMING:
            continue
        if name in found:
            raise bad_request(f"the element is named twice: {field.encode_name} is the same as {name}")
        found[name] = value
    element = found.pop("element", None)
    return element, cast("ElementQuery", found)


#: Fields of `ActRequest`, by their names in JSON: all others are of the action.
_OF_REQUEST = frozenset(field.encode_name for field in msgspec.structs.fields(ActRequest))


def split_act(data: Any) -> tuple[ActRequest, list[dict[str, Any] | str], bool]:
    """The request, its actions, and whether they are a batch.

    Raises:
        ApiError: it is neither one action nor a batch of at most 100, or a field has the wrong type.
    """
    if not isinstance(data, dict):
        raise bad_request('the body is an object, such as {"elementId": "0-29", "action": "click"}')
    try:
        request = msgspec.convert({key: one for key, one in data.items() if key in _OF_REQUEST}, ActRequest)
    except msgspec.ValidationError as error:
        raise bad_request(f"the body: {words_of_mismatch(error, ActRequest)}") from None
    action = {key: one for key, one in data.items() if key not in _OF_REQUEST}
    if request.actions is None:
        if not action:
            raise bad_request('there is no action; such as {"elementId": "0-29", "action": "click"}')
        return request, [action], False
    if action:
        raise bad_request(f"actions are a batch; {', '.join(sorted(action))[:100]} cannot stand beside it")
    if not 1 <= len(request.actions) <= MOST_ACTIONS:
        raise bad_request(f"a batch has 1 to {MOST_ACTIONS} actions, not {len(request.actions)}")
    return request, request.actions, True
