"""One constructor for each command that a capture sends. Small commands of other kinds are PyCDP's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from hybridsnap.protocol.plan import Command
from hybridsnap.protocol.replies import (
    DescribedNode,
    DOMDocument,
    DOMNode,
    FrameTree,
    FrameTreeResult,
    Nothing,
    read_ax_tree,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from hybridsnap.model import BackendNodeId, FrameId, SessionId
    from hybridsnap.protocol.replies import AXTree
    from hybridsnap.protocol.wire import Payload

T = TypeVar("T")


def _nothing(payload: Payload) -> None:
    payload.result(Nothing)


def get_frame_tree(session: SessionId | None) -> Command[FrameTree]:
    """`Page.getFrameTree`: the frames of the session's own process."""
    return Command(
        method="Page.getFrameTree",
        params={},
        session=session,
        parse=lambda payload: payload.result(FrameTreeResult).frame_tree,
    )


def enable_dom(session: SessionId | None) -> Command[None]:
    """`DOM.enable` with white space: ``text()[n]`` counts right only when every text node is there."""
    return Command(
        method="DOM.enable",
        params={"includeWhitespace": "all"},
        session=session,
        parse=_nothing,
        undo=disable_dom(session),
    )


def disable_dom(session: SessionId | None) -> Command[None]:
    """`DOM.disable`: no event for each of the page's mutations any more."""
    return Command(method="DOM.disable", params={}, session=session, parse=_nothing)


def get_document(session: SessionId | None, parse: Callable[[DOMNode], T], *, depth: int = -1) -> Command[T]:
    """`DOM.getDocument` with shadow roots and same-process frames.

    Args:
        session: whose documents.
        parse: what to make of the root node the moment it is here.
        depth: levels below the root; -1 for all.
    """
    return Command(
        method="DOM.getDocument",
        params={"depth": depth, "pierce": True},
        session=session,
        parse=lambda payload: parse(payload.result(DOMDocument).root),
    )


def describe_node(session: SessionId | None, node: BackendNodeId, *, depth: int) -> Command[DOMNode]:
    """`DOM.describeNode`: a node with `depth` levels below it, shadow roots and frames included."""
    return Command(
        method="DOM.describeNode",
        params={"backendNodeId": node, "depth": depth, "pierce": True},
        session=session,
        parse=lambda payload: payload.result(DescribedNode).node,
    )


def get_full_ax_tree(session: SessionId | None, frame: FrameId | None) -> Command[AXTree]:
    """`Accessibility.getFullAXTree` of one in-process frame; None for the session's root frame."""
    return Command(
        method="Accessibility.getFullAXTree",
        params={} if frame is None else {"frameId": frame},
        session=session,
        parse=read_ax_tree,
    )


def from_pycdp(
    command: Generator[dict[str, Any], dict[str, Any], T], session: SessionId | None
) -> Command[T]:
    """A PyCDP command (``cdp.page.navigate(url)``) as one that can stand in a batch."""
    request = next(command)

    def parse(payload: Payload) -> T:
        try:
            command.send(payload.result(dict))
        except StopIteration as stop:
            value: T = stop.value
            return value
        raise ValueError(f"the PyCDP command {request['method']} asked for a second request")

    return Command(method=request["method"], params=request.get("params", {}), session=session, parse=parse)
