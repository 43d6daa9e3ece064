"""The floor: the least a client must ask the browser for, one request after the other, replies unread.

For each session one `DOM.getDocument`, then for each of its frames one `Accessibility.getFullAXTree`, with
the capture's own parameters and transport. Switching the DOM domain on and learning which frames there are
is not counted, so the floor is rather too low than too high. Sent at once, it is the least that a client can
wait for at all: round trips are hidden, and several renderers work at the same time.
"""

from __future__ import annotations

import functools
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec
import trio

from hybridsnap.errors import CommandRefused, HybridsnapError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.protocol.codec import Payload

DOM_PARAMETERS = {"depth": -1, "pierce": True}
DOM_ENABLE_PARAMETERS = {"includeWhitespace": "all"}
ELEMENT_NODE = 1


class RawSession(Protocol):
    """What the floor needs of a session of the client."""

    async def send(self, method: str, params: dict[str, Any]) -> Any:
        """The result as a dict."""
        ...  # pragma: no cover - a protocol

    async def send_raw(self, method: str, params: dict[str, Any]) -> Payload:
        """The reply as it was received, not decoded."""
        ...  # pragma: no cover - a protocol

    def post(
        self, method: str, params: dict[str, Any], deliver: Callable[[Payload | HybridsnapError], None]
    ) -> int:
        """Queue the request."""
        ...  # pragma: no cover - a protocol


#: To which session, method, parameters, and where the reply is kept.
_Request: TypeAlias = "tuple[RawSession, str, dict[str, Any], list[Payload] | None]"


@dataclass(slots=True)
class Floor:
    """One look at a page, unread.

    Attributes:
        elapsed_ms: from the first request to the last reply.
        dom: the DOM replies, one a session that answered.
        ax: the AX replies, one a frame.
        refused: what the browser refused; on the deep page its DOM.
        failed: why there is no floor.
    """

    elapsed_ms: float
    dom: list[Payload]
    ax: list[Payload]
    refused: list[str]
    failed: HybridsnapError | None = None


async def list_frames(session: RawSession) -> list[str]:
    """The ids of the frames that live in the session's process, the session's own root first."""
    tree = (await session.send("Page.getFrameTree", {}))["frameTree"]
    frames: list[str] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        frames.append(node["frame"]["id"])
        waiting.extend(reversed(node.get("childFrames", ())))
    return frames


async def take_floor(sessions: Sequence[RawSession], *, at_once: bool = False, keep: bool = False) -> Floor:
    """Ask for everything once.

    Args:
        sessions: of the page, the root first.
        at_once: send all requests before the first reply; otherwise one after the other.
        keep: whether the replies are kept; otherwise each is dropped when it has come, as a client could.
    """
    floor = Floor(0.0, [], [], [])
    frames = [await list_frames(session) for session in sessions]
    async with AsyncExitStack() as stack:
        for session in sessions:
            await session.send("DOM.enable", DOM_ENABLE_PARAMETERS)
            stack.push_async_callback(session.send, "DOM.disable", {})
        dom, ax = (floor.dom, floor.ax) if keep else (None, None)
        requests: list[_Request] = []
        for session, frame_ids in zip(sessions, frames, strict=True):
            requests.append((session, "DOM.getDocument", DOM_PARAMETERS, dom))
            requests += [
                (session, "Accessibility.getFullAXTree", {"frameId": frame_id}, ax) for frame_id in frame_ids
            ]
        started = time.perf_counter()
        if at_once:
            await _ask_at_once(floor, requests)
        else:
            for request in requests:
                await _ask(floor, *request)
        floor.elapsed_ms = (time.perf_counter() - started) * 1000
    return floor


async def _ask(
    floor: Floor, session: RawSession, method: str, params: dict[str, Any], into: list[Payload] | None
) -> None:
    try:
        reply = await session.send_raw(method, params)
    except CommandRefused as error:
        # Known and wanted on the deep page: the attempt costs what it costs, for the floor as for a capture.
        floor.refused.append(str(error))
        return
    if into is not None:
        into.append(reply)


async def _ask_at_once(floor: Floor, requests: Sequence[_Request]) -> None:
    """In this order, which a task for each would not keep."""
    waiting = len(requests)
    done = trio.Event()

    def deliver(into: list[Payload] | None, came: Payload | HybridsnapError) -> None:
        nonlocal waiting
        if isinstance(came, CommandRefused):
            floor.refused.append(str(came))
        elif isinstance(came, HybridsnapError):
            floor.failed = came
        elif into is not None:
            into.append(came)
        waiting -= 1
        if not waiting:
            done.set()

    for session, method, params, into in requests:
        session.post(method, params, functools.partial(deliver, into))
    await done.wait()
    if floor.failed is not None:
        raise floor.failed


class _DomNode(msgspec.Struct, rename="camel", gc=False):
    node_type: int = 0
    children: list[_DomNode] = []
    shadow_roots: list[_DomNode] = []
    content_document: _DomNode | None = None
    template_content: _DomNode | None = None


class _DomResult(msgspec.Struct):
    root: _DomNode


class _AxNode(msgspec.Struct, rename="camel", gc=False):
    node_id: str


class _AxResult(msgspec.Struct):
    nodes: list[_AxNode]


def count_elements(floor: Floor) -> int | None:
    """Elements of all documents, shadow roots included; None when a session's DOM was refused."""
    if floor.refused:
        return None
    count = 0
    waiting = [reply.result(_DomResult).root for reply in floor.dom]
    while waiting:
        node = waiting.pop()
        count += node.node_type == ELEMENT_NODE
        waiting.extend(node.children)
        waiting.extend(node.shadow_roots)
        waiting.extend(inner for inner in (node.content_document, node.template_content) if inner is not None)
    return count


def count_ax_nodes(floor: Floor) -> int:
    """AX nodes of all frames, ignored ones included, as sent."""
    return sum(len(reply.result(_AxResult).nodes) for reply in floor.ax)
