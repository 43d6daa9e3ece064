"""What clients send: the bodies of requests, as JSON has them.

Unknown fields are refused: one that is misspelt would otherwise be ignored without a word.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from hybridsnap.model import MOST_INTEGER
from hybridsnap.render.content import RenderOptions
from hybridsnap.server.problems import bad_request

#: Actions of one batch.
MOST_ACTIONS = 100
#: The longest budget, ms.
MOST_MS = 600_000
#: As everywhere.
DEFAULT_MS = 30_000
#: As `Page.evaluate` has it.
EVALUATION_MS = 20_000

Milliseconds = Annotated[
    float,
    msgspec.Meta(gt=0, le=MOST_MS, description="one budget for all: the request, the queue, the work"),
]
Natural = Annotated[int, msgspec.Meta(ge=0)]
Index = Annotated[int, msgspec.Meta(ge=0, le=MOST_INTEGER)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Wait = Literal["load", "domcontentloaded", "networkidle", "none"]
Format = Literal["tree", "json", "role", "aria", "ai", "webarena", "controls", "html", "xml"]


class Message(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What all requests may have.

    Attributes:
        browser_id: which browser; the server's first one if left out.
        timeout_ms: the budget.
    """

    browser_id: str | None = None
    timeout_ms: Milliseconds = DEFAULT_MS


class Rendered(Message, kw_only=True):
    """What a snapshot is answered as.

    Attributes:
        target_id: which tab; may be left out where there is only one.
        format: ``tree`` is the outline; ``json`` is everything; others are rendered as ``text`` beside it.
    """

    target_id: str | None = None
    format: Format = "tree"
    interactive: bool = False
    compact: bool = False
    max_depth: Natural | None = None
    max_tokens: Positive | None = None
    urls: bool = False
    query: str = ""
    visible_only: bool = False
    all_xpaths: bool = False

    def options(self) -> dict[str, Any]:
        """What `Snapshot.render` is told."""
        given = {
            name: getattr(self, name)
            for name in ("interactive", "compact", "max_depth", "urls", "query", "visible_only")
        }
        defaults = RenderOptions()
        return {name: value for name, value in given.items() if value != getattr(defaults, name)}


class SnapshotRequest(Rendered, kw_only=True):
    """``POST /control/snapshot``.

    Attributes:
        url: where to go first: in the tab of `target_id`, or else in a new one.
        wait: for what, in 60 % of the budget.
        close: the new tab is closed after.
        focus: only the subtree of what this selector matches.
        ignore: selectors of what is left out.
    """

    url: str | None = None
    wait: Wait = "load"
    close: bool = False
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

    Attributes:
        element_id: of an earlier snapshot.
    """

    element_id: str


class DownloadWish(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """That an action's download be saved.

    Attributes:
        folder: within the server's folder for downloads; that folder itself if left out.
        max_bytes: a larger one is cancelled.
    """

    folder: str | None = None
    max_bytes: Natural | None = None


class ActRequest(Message, kw_only=True):
    """``POST /control/act``: one action, its fields beside these, or a batch.

    Attributes:
        target_id: which tab; may be left out where there is only one.
        actions: a batch, done in order.
        stop_on_error: those after the first that fails are not done.
        download: the download that the action, or one of the batch, begins is saved.
    """

    target_id: str | None = None
    actions: list[dict[str, Any]] | None = None
    stop_on_error: bool = True
    download: DownloadWish | None = None


class EvaluateRequest(Message, kw_only=True):
    """``POST /control/evaluate``.

    Attributes:
        target_id: which tab; may be left out where there is only one.
        expression: or a function, which is called.
        args: of the function.
        element_id: id, ref or selector of the function's first argument.
        isolated_world: in a world of its own, which the page's script cannot touch.
    """

    timeout_ms: Milliseconds = EVALUATION_MS
    target_id: str | None = None
    expression: str
    args: list[Any] = []
    element_id: str | None = None
    isolated_world: bool = False


class TabRequest(Message, kw_only=True):
    """``POST /tabs``: a new tab.

    Attributes:
        url: where to; ``about:blank`` if left out.
        wait: for what.
    """

    url: str | None = None
    wait: Wait = "load"


class SessionRequest(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """``POST /sessions``.

    Attributes:
        idle_seconds: unused for so long it ends; never longer than the server has it.
    """

    idle_seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None


#: Fields of `ActRequest`, by their names in JSON: all others are of the action.
_OF_REQUEST = frozenset(field.encode_name for field in msgspec.structs.fields(ActRequest))


def split_act(data: Any) -> tuple[ActRequest, list[dict[str, Any]], bool]:
    """The request, its actions, and whether they are a batch.

    Raises:
        Refused: it is neither one action nor a batch of at most 100, or a field has the wrong type.
    """
    if not isinstance(data, dict):
        raise bad_request('the body is an object, such as {"elementId": "0-29", "action": "click"}')
    try:
        request = msgspec.convert({key: one for key, one in data.items() if key in _OF_REQUEST}, ActRequest)
    except msgspec.ValidationError as error:
        raise bad_request(f"the body: {error}") from None
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
