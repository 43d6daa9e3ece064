"""From an id that a model has read to the element it stands for.

A tree of `get_accessibility_tree` shows the main frame's AX node ids (``7``), and those of other frames with
the frame's ordinal (``1-7``). The ``info`` of a webarena rendering has element ids (``0-7``). AX nodes with a
DOM node have that node's backend id for their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.errors import UnknownElement
from hybridsnap.render.rendering import Rendering

if TYPE_CHECKING:
    from hybridsnap.act.finding import ElementQuery

#: What a model was shown: a webarena rendering or its ``info``, AX nodes (`get_accessibility_tree`, or the
#: browser's own reply) or the info of `parse_accessibility_tree`; None where that is not known.
Shown: TypeAlias = Rendering | Sequence[Mapping[str, Any]] | Mapping[str, Any] | None

#: What element ids of the main frame begin with.
_MAIN = "0-"
#: Where `get_accessibility_tree` notes, in each node, what the browser's own nodes do not say.
ELEMENT = "elementId"
SNAPSHOT = "snapshotId"
SESSION_TARGET = "targetId"


class ElementNotFound(UnknownElement, ValueError):
    """The tree has no such id. Also a `ValueError`, which is what MetaGPT raises.

    Attributes:
        element_id: the id as given.
    """


class ShownNode(int):
    """A backend node id that remembers which element of which snapshot it was read from.

    A backend node id by itself is one of several: each process counts its own. It is an `int` all the same,
    so it can stand wherever MetaGPT's functions take one.

    Attributes:
        element_id: of the element.
        snapshot_id: of the snapshot that showed it.
        target_id: of the session that its frame is reached by.
    """

    element_id: str
    snapshot_id: str
    target_id: str

    @classmethod
    def of(cls, node: Mapping[str, Any]) -> ShownNode:
        """The backend node id of a node of `get_accessibility_tree`."""
        made = cls(node["backendDOMNodeId"])
        made.element_id = node[ELEMENT]
        made.snapshot_id = node[SNAPSHOT]
        made.target_id = node[SESSION_TARGET]
        return made


def find_node(element_id: str, nodes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The node of this id: its AX node id, or else its element id.

    Raises:
        ElementNotFound: there is none, or it has no DOM node.
    """
    by_element: Mapping[str, Any] | None = None
    for node in nodes:
        if node["nodeId"] == element_id:
            break
        if by_element is None and node.get(ELEMENT) == element_id:
            by_element = node
    else:
        if by_element is None:
            raise _not_found(element_id, [str(node["nodeId"]) for node in nodes])
        node = by_element
    if node.get("backendDOMNodeId") is None:
        raise ElementNotFound(
            f"Element {element_id} has no DOM node (it is generated content, say): nothing can be done to it",
            element_id=element_id,
        )
    return node


def backend_node_id_of(node: Mapping[str, Any]) -> int:
    """A node's backend node id; of a node of `get_accessibility_tree` one that remembers the element."""
    return ShownNode.of(node) if SNAPSHOT in node else int(node["backendDOMNodeId"])


def name_node(backend_node_id: int) -> tuple[str | None, ElementQuery]:
    """How an action names the element of a backend node id."""
    if isinstance(backend_node_id, ShownNode):
        return backend_node_id.element_id, {"as_of": backend_node_id.snapshot_id}
    return None, {"backend_node_id": int(backend_node_id)}


def name_element(element_id: str, shown: Shown) -> tuple[str | None, ElementQuery]:
    """How an action names the element of an id in a step.

    Args:
        element_id: as the step has it.
        shown: what the model was shown; with None a number by itself is one of the main frame.

    Raises:
        ElementNotFound: what was shown has no such id, or (only the number was given) has it in several
            frames.
    """
    if shown is None:
        return _full(element_id), {}
    info: Mapping[str, Any]
    if isinstance(shown, Rendering):
        info = shown.extras["info"]
    elif isinstance(shown, Mapping):
        info = shown
    else:
        return name_node(backend_node_id_of(find_node(element_id, shown)))
    ids = [one for one in (element_id, element_id.removeprefix(_MAIN)) if one in info][:1]
    if not ids and "-" not in element_id:
        ids = [one for one in info if one.rpartition("-")[2] == element_id]
    if len(ids) != 1:
        raise _not_found(element_id, ids or list(info))
    return _full(ids[0]), {}


#: So many ids stand in a message.
_LISTED = 3


def _full(element_id: str) -> str:
    return element_id if "-" in element_id else _MAIN + element_id


def _not_found(element_id: str, ids: list[str]) -> ElementNotFound:
    number = element_id.rpartition("-")[2]
    near = [one for one in ids if one.rpartition("-")[2] == number and not one.startswith("-")]
    remedy = (
        f"did you mean {' or '.join(near[:_LISTED])}?" if near else "take a new tree, and an id out of it"
    )
    return ElementNotFound(
        f"Element {element_id} not found in the accessibility tree; {remedy}", element_id=element_id
    )
