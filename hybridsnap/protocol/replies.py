"""The replies and events that the engine reads: of each, only the fields that are read.

Unknown fields are skipped, enums are plain strings: a new Chromium must not break an old hybridsnap.
Structs without ``gc`` are invisible to the cyclic collector, and so are tuples of them after its first look;
a large page has a hundred thousand of each.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import msgspec

from hybridsnap.model import BackendNodeId, FrameId, LoaderId

if TYPE_CHECKING:
    from hybridsnap.protocol.wire import Payload


class AXText(msgspec.Struct, gc=False):
    """An `Accessibility.AXValue` that holds text; its ``sources`` are most of a reply's bytes."""

    value: str = ""


class AXValue(msgspec.Struct, gc=False):
    """An `Accessibility.AXValue` that holds anything."""

    value: str | int | float | bool | None = None


class AXProperty(msgspec.Struct, gc=False):
    """An `Accessibility.AXProperty`."""

    name: str
    value: AXValue


Id = TypeVar("Id", int, str)


class AXNodeOf(msgspec.Struct, Generic[Id], gc=False, rename="camel"):
    """An `Accessibility.AXNode`."""

    node_id: Id
    ignored: bool = False
    role: AXText | None = None
    name: AXText | None = None
    description: AXText | None = None
    value: AXValue | None = None
    properties: tuple[AXProperty, ...] = ()
    child_ids: tuple[Id, ...] = ()
    backend_node_id: BackendNodeId | None = msgspec.field(default=None, name="backendDOMNodeId")


class AXTreeOf(msgspec.Struct, Generic[Id]):
    """The result of `Accessibility.getFullAXTree`: flat, breadth first, some nodes twice."""

    nodes: list[AXNodeOf[Id]]


AXNode: TypeAlias = AXNodeOf[int]
AXTree: TypeAlias = AXTreeOf[int]


def read_ax_tree(payload: Payload) -> AXTree:
    """The reply to `Accessibility.getFullAXTree`.

    AX node ids are strings that hold numbers. Read as numbers they take half the memory, and neighbours stand
    together in a dict, which counts on a page of 500,000 nodes. The protocol does not promise numbers: where
    an id is none, all of them are numbered here.

    Raises:
        msgspec.MsgspecError, ValueError: it has another shape.
    """
    try:
        return payload.result(AXTree, strict=False)
    except msgspec.ValidationError:
        named = payload.result(AXTreeOf[str])
    number: collections.defaultdict[str, int] = collections.defaultdict(lambda: len(number))
    return AXTree(
        [
            AXNode(
                number[node.node_id],
                node.ignored,
                node.role,
                node.name,
                node.description,
                node.value,
                node.properties,
                tuple(number[child] for child in node.child_ids),
                node.backend_node_id,
            )
            for node in named.nodes
        ]
    )


class PseudoElement(msgspec.Struct, gc=False, rename="camel"):
    """A ``::before``, ``::after``, ``::marker`` and the like: it has an id but no XPath."""

    backend_node_id: BackendNodeId


class DOMNode(msgspec.Struct, gc=False, rename="camel"):
    """A `DOM.Node`. ``templateContent`` is not read: it is not part of the document that is shown."""

    backend_node_id: BackendNodeId
    node_type: int
    node_name: str
    local_name: str = ""
    node_value: str = ""
    #: True even where `children` were cut short.
    child_node_count: int = 0
    children: tuple[DOMNode, ...] = ()
    attributes: tuple[str, ...] = ()
    shadow_roots: tuple[DOMNode, ...] = ()
    shadow_root_type: str = ""
    content_document: DOMNode | None = None
    pseudo_elements: tuple[PseudoElement, ...] = ()
    frame_id: FrameId | None = None
    is_scrollable: bool = False


class DOMDocument(msgspec.Struct):
    """The result of `DOM.getDocument`."""

    root: DOMNode


class DescribedNode(msgspec.Struct):
    """The result of `DOM.describeNode`."""

    node: DOMNode


class Frame(msgspec.Struct, rename="camel"):
    """A `Page.Frame`."""

    id: FrameId
    loader_id: LoaderId
    url: str = ""
    url_fragment: str = ""
    parent_id: FrameId | None = None


class FrameTree(msgspec.Struct, rename="camel"):
    """A `Page.FrameTree`: the frames of one renderer process."""

    frame: Frame
    child_frames: list[FrameTree] = []

    def frames(self) -> list[Frame]:
        """All frames, parents before their children."""
        found: list[Frame] = []
        open_trees = [self]
        while open_trees:
            tree = open_trees.pop()
            found.append(tree.frame)
            open_trees.extend(reversed(tree.child_frames))
        return found


class FrameTreeResult(msgspec.Struct, rename="camel"):
    """The result of `Page.getFrameTree`."""

    frame_tree: FrameTree


#: What a command whose reply says nothing is parsed as.
Nothing = dict[str, Any]
