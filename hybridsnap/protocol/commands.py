"""One constructor for each command that plans send to look at a page. Those that act on it are in
`hybridsnap.protocol.input_commands`.
"""

from __future__ import annotations

import base64
import functools
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from hybridsnap.model import BackendNodeId
from hybridsnap.protocol.ax_reply import read_ax_tree
from hybridsnap.protocol.plan import Command
from hybridsnap.protocol.replies import (
    BoxModel,
    CallResult,
    DescribedNode,
    DOMDocument,
    DOMNode,
    FlattenedDocument,
    FrameTree,
    FrameTreeResult,
    IsolatedWorld,
    LayoutMetrics,
    LayoutSnapshot,
    NodeAt,
    Nothing,
    Properties,
    RemoteObject,
    Screenshot,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from hybridsnap.model import FrameId, SessionId
    from hybridsnap.protocol.ax_tree import AXTree
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.replies import FlatDOMNode

T = TypeVar("T")

#: Our own world in each document; the page's script cannot touch its built-ins.
WORLD = "hybridsnap"


def _nothing(payload: Payload) -> None:
    payload.result(Nothing)


def ask(
    session: SessionId | None,
    method: str,
    params: Mapping[str, Any],
    parse: Callable[[Payload], T],
    **effects: Any,
) -> Command[T]:
    """A command whose reply is read."""
    return Command(method=method, params=params, session=session, parse=parse, **effects)


def ask_for(
    session: SessionId | None,
    method: str,
    params: Mapping[str, Any],
    field: str,
    shape: type[T],
    **effects: Any,
) -> Command[T]:
    """A command of whose reply one field is read."""
    reply = _reply_with(field, cast("Hashable", shape))
    return ask(session, method, params, lambda payload: getattr(payload.result(reply), field), **effects)


@functools.cache
def _reply_with(field: str, shape: Hashable) -> type[msgspec.Struct]:
    return msgspec.defstruct("Reply", [(field, shape)])


def tell(
    session: SessionId | None, method: str, params: Mapping[str, Any] | None = None, **effects: Any
) -> Command[None]:
    """A command whose reply says nothing."""
    return ask(session, method, params or {}, _nothing, **effects)


def get_frame_tree(session: SessionId | None) -> Command[FrameTree]:
    """`Page.getFrameTree`: the frames of the session's own process."""
    return ask(session, "Page.getFrameTree", {}, lambda payload: payload.result(FrameTreeResult).frame_tree)


def enable_dom(session: SessionId | None) -> Command[None]:
    """`DOM.enable` with white space: ``text()[n]`` counts right only when every text node is there."""
    return tell(session, "DOM.enable", {"includeWhitespace": "all"}, cleanup=disable_dom(session))


def disable_dom(session: SessionId | None) -> Command[None]:
    """`DOM.disable`: no event for each of the page's mutations any more."""
    return tell(session, "DOM.disable")


def get_document(session: SessionId | None, parse: Callable[[DOMNode], T], *, depth: int = -1) -> Command[T]:
    """`DOM.getDocument` with shadow roots and same-process frames, so many levels deep; -1 is all.

    The root node is parsed the moment it is here.
    """
    return ask(
        session,
        "DOM.getDocument",
        {"depth": depth, "pierce": True},
        lambda payload: parse(payload.result(DOMDocument).root),
    )


def get_flattened_document(session: SessionId | None, parse: Callable[[list[FlatDOMNode]], T]) -> Command[T]:
    """`DOM.getFlattenedDocument`, as `get_document`, in a reply that nests as little as the page nests deep.

    Chromium calls it deprecated: it may go.
    """
    return ask(
        session,
        "DOM.getFlattenedDocument",
        {"depth": -1, "pierce": True},
        lambda payload: parse(payload.result(FlattenedDocument).nodes),
    )


def find_by_style(session: SessionId | None, node_id: int, name: str, value: str) -> Command[list[int]]:
    """`DOM.getNodesForSubtreeByStyle`: the session's numbers of all nodes with a computed style.

    Args:
        session: whose documents; its DOM domain is on, and `DOM.getDocument` was answered.
        node_id: the node to begin at. Shadow roots and same-process frames below it are searched.
        name: of the style, such as ``cursor``.
        value: as the browser computes it.
    """
    params = {"nodeId": node_id, "computedStyles": [{"name": name, "value": value}], "pierce": True}
    return ask_for(session, "DOM.getNodesForSubtreeByStyle", params, "nodeIds", list[int])


def request_node(session: SessionId | None, object_id: str) -> Command[int]:
    """`DOM.requestNode`: the session's number of a node; `DOM.getDocument` was sent before."""
    return ask_for(session, "DOM.requestNode", {"objectId": object_id}, "nodeId", int)


def get_full_ax_tree(session: SessionId | None, frame: FrameId | None) -> Command[AXTree]:
    """`Accessibility.getFullAXTree` of one in-process frame; None for the session's root frame."""
    return ask(
        session, "Accessibility.getFullAXTree", {} if frame is None else {"frameId": frame}, read_ax_tree
    )


def capture_layout(
    session: SessionId | None, styles: Sequence[str], parse: Callable[[LayoutSnapshot], T]
) -> Command[T]:
    """`DOMSnapshot.captureSnapshot`: where each node of the session's documents is laid out, and how.

    The domain need not be enabled (measured). ``includeDOMRects`` is left out: it more than doubles the
    browser's time (measured: 0.5 s to 1.2 s for 55,000 nodes).

    Args:
        session: whose documents.
        styles: the computed styles that are wanted.
        parse: what to make of the reply the moment it is here.
    """
    return ask(
        session,
        "DOMSnapshot.captureSnapshot",
        {"computedStyles": list(styles), "includePaintOrder": True},
        lambda payload: parse(payload.result(LayoutSnapshot)),
    )


def get_layout_metrics(session: SessionId | None) -> Command[LayoutMetrics]:
    """`Page.getLayoutMetrics`: viewport, scroll position and size of the session's own document."""
    return ask(session, "Page.getLayoutMetrics", {}, lambda payload: payload.result(LayoutMetrics))


def get_device_pixel_ratio(session: SessionId | None) -> Command[float]:
    """``devicePixelRatio``, by `Runtime.evaluate`; 0 where the page made something else of it."""
    return ask(
        session,
        "Runtime.evaluate",
        {"expression": "+devicePixelRatio", "returnByValue": True, "throwOnSideEffect": True},
        _read_number,
    )


def _read_number(payload: Payload) -> float:
    value = payload.result(CallResult).result.value
    return (
        value if isinstance(value, float | int) else 0.0
    )  # an object, a string, an exception: the page's own


def capture_screenshot(session: SessionId | None) -> Command[bytes]:
    """`Page.captureScreenshot`: the viewport as PNG, in device pixels."""
    return ask(
        session,
        "Page.captureScreenshot",
        {"format": "png"},
        lambda payload: base64.b64decode(payload.result(Screenshot).data, validate=True),
    )


def describe_node(session: SessionId | None, node: Mapping[str, Any], *, depth: int) -> Command[DOMNode]:
    """`DOM.describeNode`: a node with `depth` levels below it, shadow roots and frames included.

    Args:
        session: of the node.
        node: ``{"objectId": …}``, ``{"backendNodeId": …}``, or ``{"nodeId": …}`` by the session's own number.
        depth: levels below it; -1 for all.
    """
    return ask(
        session,
        "DOM.describeNode",
        {**node, "depth": depth, "pierce": True},
        lambda payload: payload.result(DescribedNode).node,
    )


def resolve_node(
    session: SessionId | None, node: BackendNodeId, context: int | None, group: str
) -> Command[RemoteObject]:
    """`DOM.resolveNode`: a handle on a node in one execution context; None is the page's own world."""
    world = {} if context is None else {"executionContextId": context}
    return ask_for(
        session,
        "DOM.resolveNode",
        {"backendNodeId": node, **world, "objectGroup": group},
        "object",
        RemoteObject,
        cleanup=release_objects(session, group),
    )


def get_frame_owner(session: SessionId | None, frame: FrameId) -> Command[BackendNodeId]:
    """`DOM.getFrameOwner`: the element that holds a frame, asked in the process of that element."""
    return ask_for(session, "DOM.getFrameOwner", {"frameId": frame}, "backendNodeId", BackendNodeId)


def create_isolated_world(session: SessionId | None, frame: FrameId) -> Command[int]:
    """`Page.createIsolatedWorld`: an execution context whose built-ins the page's script cannot touch.

    Asked again it is the same one; it goes with the document.
    """
    return ask(
        session,
        "Page.createIsolatedWorld",
        {"frameId": frame, "worldName": WORLD},
        lambda payload: payload.result(IsolatedWorld).execution_context_id,
    )


def enable_page(session: SessionId | None) -> Command[None]:
    """`Page.enable`, without a cleanup: to disable it would take it from whoever else wants it."""
    return tell(session, "Page.enable")


def get_product(session: SessionId | None) -> Command[str]:
    """`Browser.getVersion`: which browser this is, such as "Chrome/156.0.8078.79"."""
    return ask_for(session, "Browser.getVersion", {}, "product", str)


def get_user_agent(session: SessionId | None) -> Command[str]:
    """`Browser.getVersion`: how the browser names itself to servers, its platform included."""
    return ask_for(session, "Browser.getVersion", {}, "userAgent", str)


def add_new_document_script(session: SessionId | None, script: str) -> Command[Command[None]]:
    """`Page.addScriptToEvaluateOnNewDocument` in our own world; its value takes it back."""

    def removal(payload: Payload) -> Command[None]:
        return tell(
            session,
            "Page.removeScriptToEvaluateOnNewDocument",
            {"identifier": payload.result(dict)["identifier"]},
        )

    return ask(
        session,
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": script, "worldName": WORLD},
        removal,
        cleanup_from_reply=lambda taking_back: taking_back,
    )


def call_function(
    session: SessionId | None,
    function: str,
    on: Mapping[str, Any],
    arguments: Sequence[Mapping[str, Any]],
    group: str,
    *,
    by_value: bool = False,
    awaited: bool = False,
) -> Command[CallResult]:
    """`Runtime.callFunctionOn`.

    Args:
        session: where.
        function: its source.
        on: ``{"objectId": …}`` (its ``this``) or ``{"executionContextId": …}``.
        arguments: each ``{"value": …}`` or ``{"objectId": …}``.
        group: that the handles it makes belong to.
        by_value: the result as JSON data, not as a handle.
        awaited: the function may be async; what it comes to is the result.
    """
    return ask(
        session,
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": function,
            **on,
            "arguments": list(arguments),
            "objectGroup": group,
            "returnByValue": by_value,
            "silent": True,
            **({"awaitPromise": True} if awaited else {}),
        },
        lambda payload: payload.result(CallResult),
        cleanup=release_objects(session, group),
    )


def get_properties(session: SessionId | None, object_id: str, group: str) -> Command[list[RemoteObject]]:
    """`Runtime.getProperties` of an array: its items, in order."""

    def parse(payload: Payload) -> list[RemoteObject]:
        described = payload.result(Properties).result
        return [one.value for one in described if one.name.isdigit() and one.value is not None]

    return ask(
        session,
        "Runtime.getProperties",
        {"objectId": object_id, "ownProperties": True},
        parse,
        cleanup=release_objects(session, group),
    )


def release_objects(session: SessionId | None, group: str) -> Command[None]:
    """`Runtime.releaseObjectGroup`: the page may collect what handles have kept alive."""
    return tell(session, "Runtime.releaseObjectGroup", {"objectGroup": group})


def enable_ax(session: SessionId | None) -> Command[None]:
    """`Accessibility.enable`: AX nodes can be asked for by their ids."""
    return tell(session, "Accessibility.enable", cleanup=disable_ax(session))


def disable_ax(session: SessionId | None) -> Command[None]:
    """`Accessibility.disable`: no event for changes of nodes that were asked for."""
    return tell(session, "Accessibility.disable")


def get_ax_line(session: SessionId | None, node: BackendNodeId) -> Command[AXTree]:
    """`Accessibility.getAXNodeAndAncestors`: a DOM node's AX node, its parent, …, the root."""
    return ask(session, "Accessibility.getAXNodeAndAncestors", {"backendNodeId": node}, read_ax_tree)


def get_ax_children(session: SessionId | None, frame: FrameId, node: int) -> Command[AXTree]:
    """`Accessibility.getChildAXNodes`: the children of an AX node, by its own id."""
    return ask(session, "Accessibility.getChildAXNodes", {"id": str(node), "frameId": frame}, read_ax_tree)


def get_ax_node(session: SessionId | None, node: Mapping[str, Any]) -> Command[AXTree]:
    """`Accessibility.getPartialAXTree` of one node alone."""
    return ask(session, "Accessibility.getPartialAXTree", {**node, "fetchRelatives": False}, read_ax_tree)


def get_node_at(session: SessionId | None, x: int, y: int, *, through: bool = True) -> Command[NodeAt]:
    """`DOM.getNodeForLocation`: what a click there would reach. Shadow roots and same-process frames are seen
    into, inner parts of controls and text are not.

    Args:
        session: whose documents.
        x: CSS px of the session's own document, scrolled part included.
        y: likewise.
        through: elements that let the pointer through do so; False finds them too.
    """
    params = {"x": x, "y": y, "ignorePointerEventsNone": not through}
    return ask(session, "DOM.getNodeForLocation", params, lambda payload: payload.result(NodeAt))


def get_box_model(session: SessionId | None, node: BackendNodeId) -> Command[BoxModel]:
    """`DOM.getBoxModel`: where an element stands in the viewport of its session's root frame."""
    return ask_for(session, "DOM.getBoxModel", {"backendNodeId": node}, "model", BoxModel)


def get_outer_html(session: SessionId | None, node: BackendNodeId) -> Command[str]:
    """`DOM.getOuterHTML`: of elements, text nodes and documents."""
    return ask_for(session, "DOM.getOuterHTML", {"backendNodeId": node}, "outerHTML", str)
