"""The replies and events that the engine reads: of each, only the fields that are read.

Unknown fields are skipped, enums are plain strings: a new Chromium must not break an old hybridsnap.
Structs without ``gc`` are invisible to the cyclic collector, and so are tuples of them after its first look;
a large page has a hundred thousand of each.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.model import BackendNodeId, FrameId, LoaderId
from hybridsnap.protocol.words import KnownProperty, KnownRole

if TYPE_CHECKING:
    from hybridsnap.protocol.wire import Payload


class AXText(msgspec.Struct, gc=False):
    """An `Accessibility.AXValue` that holds text; its ``sources`` are most of a reply's bytes."""

    value: str = ""


class AXValue(msgspec.Struct, gc=False):
    """An `Accessibility.AXValue` that holds anything."""

    value: str | int | float | bool | None = None


class AXRole(msgspec.Struct, gc=False):
    """An `Accessibility.AXValue` that holds a role."""

    value: KnownRole = "none"


class AXProperty(msgspec.Struct, gc=False):
    """An `Accessibility.AXProperty`."""

    name: KnownProperty
    value: AXValue


class AXNode(msgspec.Struct, gc=False, rename="camel"):
    """An `Accessibility.AXNode`; its id and its children's as numbers, see `read_ax_tree`."""

    node_id: int
    ignored: bool = False
    role: AXRole | None = None
    name: AXText | None = None
    description: AXText | None = None
    value: AXValue | None = None
    properties: tuple[AXProperty, ...] = ()
    child_ids: tuple[int, ...] = ()
    backend_node_id: BackendNodeId | None = msgspec.field(default=None, name="backendDOMNodeId")


class AXTree(msgspec.Struct):
    """The result of `Accessibility.getFullAXTree`: flat, breadth first, some nodes twice."""

    nodes: list[AXNode]


class _UnknownProperty(msgspec.Struct, gc=False):
    name: str
    value: AXValue


class _UnknownNode(msgspec.Struct, gc=False, rename="camel"):
    """An `AXNode` in words that are not known here."""

    node_id: str
    ignored: bool = False
    role: AXText | None = None
    name: AXText | None = None
    description: AXText | None = None
    value: AXValue | None = None
    properties: tuple[_UnknownProperty, ...] = ()
    child_ids: tuple[str, ...] = ()
    backend_node_id: BackendNodeId | None = msgspec.field(default=None, name="backendDOMNodeId")


class _UnknownTree(msgspec.Struct):
    nodes: list[_UnknownNode]


def read_ax_tree(payload: Payload) -> AXTree:
    """The reply to `Accessibility.getFullAXTree`.

    Roles and property names are known words, and AX node ids, strings that hold numbers, are read as numbers:
    so a node takes half the memory, which is what a capture of 300,000 elements waits for. The protocol
    promises neither. Where a word or an id is another, the reply is read a second time, and the ids are
    numbered here.

    Raises:
        msgspec.MsgspecError, ValueError: it has another shape.
    """
    try:
        return payload.result(AXTree, strict=False)
    except msgspec.ValidationError:
        unknown = payload.result(_UnknownTree)
    number: collections.defaultdict[str, int] = collections.defaultdict(lambda: len(number))
    return AXTree(
        [
            AXNode(
                number[node.node_id],
                node.ignored,
                None if node.role is None else AXRole(node.role.value),
                node.name,
                node.description,
                node.value,
                tuple(AXProperty(prop.name, prop.value) for prop in node.properties),
                tuple(number[child] for child in node.child_ids),
                node.backend_node_id,
            )
            for node in unknown.nodes
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
