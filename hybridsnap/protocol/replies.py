"""The replies and events that the engine reads: of each, only the fields that are read.

Unknown fields are skipped, enums are plain strings: a new Chromium must not break an old hybridsnap.
Structs without ``gc`` are invisible to the cyclic collector, and so are tuples of them after its first look;
a large page has a hundred thousand of each.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hybridsnap.model import BackendNodeId, FrameId, LoaderId


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
    #: The session's own number of the node while its DOM domain is on; 0 where it has none.
    node_id: int = 0


class DOMDocument(msgspec.Struct):
    """The result of `DOM.getDocument`."""

    root: DOMNode


class FlatDOMNode(DOMNode, gc=False, rename="camel"):
    """A `DOM.Node` in a list of all; `children` has none of its children."""

    #: The session's number of its parent; 0 for the root, and for shadow roots and documents of frames, which
    #: are fields of their hosts and owners.
    parent_id: int = 0


class FlattenedDocument(msgspec.Struct):
    """The result of `DOM.getFlattenedDocument`: siblings in their order."""

    nodes: list[FlatDOMNode]


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


class Indexed(msgspec.Struct, rename="camel"):
    """A `DOMSnapshot.RareBooleanData`, and of the other rare kinds the nodes that have it."""

    index: list[int] = []


class IndexedNumbers(msgspec.Struct, rename="camel"):
    """A `DOMSnapshot.RareIntegerData`: ``value[n]`` is that of node ``index[n]``."""

    index: list[int] = []
    value: list[int] = []


class SnapshotNodes(msgspec.Struct, rename="camel"):
    """A `DOMSnapshot.NodeTreeSnapshot`: columns, parents before their children."""

    parent_index: list[int]
    node_type: list[int]
    backend_node_id: list[BackendNodeId]
    pseudo_type: Indexed = msgspec.field(default_factory=Indexed)
    is_clickable: Indexed = msgspec.field(default_factory=Indexed)
    content_document_index: IndexedNumbers = msgspec.field(default_factory=IndexedNumbers)


class SnapshotLayout(msgspec.Struct, rename="camel"):
    """A `DOMSnapshot.LayoutTreeSnapshot`; `styles` point into the reply's strings, a document's are empty."""

    node_index: list[int]
    styles: list[tuple[int, ...]]
    bounds: list[tuple[float, float, float, float]]
    paint_orders: list[int] = []


class SnapshotTextBoxes(msgspec.Struct, rename="camel"):
    """A `DOMSnapshot.TextBoxSnapshot`: each line of each text."""

    layout_index: list[int] = []
    bounds: list[tuple[float, float, float, float]] = []


class SnapshotDocument(msgspec.Struct, rename="camel"):
    """A `DOMSnapshot.DocumentSnapshot`."""

    frame_id: int
    nodes: SnapshotNodes
    layout: SnapshotLayout
    text_boxes: SnapshotTextBoxes = msgspec.field(default_factory=SnapshotTextBoxes)
    scroll_offset_x: float = 0.0
    scroll_offset_y: float = 0.0


class LayoutSnapshot(msgspec.Struct):
    """The result of `DOMSnapshot.captureSnapshot`: the session's own document first."""

    documents: list[SnapshotDocument]
    strings: list[str]


class LayoutViewport(msgspec.Struct, rename="camel"):
    """A `Page.LayoutViewport`."""

    page_x: float
    page_y: float
    client_width: float
    client_height: float


class ContentSize(msgspec.Struct):
    """Of a `DOM.Rect` what says how large it is."""

    width: float
    height: float


class LayoutMetrics(msgspec.Struct, rename="camel"):
    """The result of `Page.getLayoutMetrics`: in the px that layout counts in, and in CSS px."""

    layout_viewport: LayoutViewport
    css_layout_viewport: LayoutViewport
    css_content_size: ContentSize


class Screenshot(msgspec.Struct):
    """The result of `Page.captureScreenshot`: base64."""

    data: str


#: What a command whose reply says nothing is parsed as.
Nothing = dict[str, Any]


class RemoteObject(msgspec.Struct, rename="camel"):
    """A `Runtime.RemoteObject`: a value, or a handle on an object of the page."""

    type: str = ""
    value: Any = None
    description: str = ""
    object_id: str | None = None
    class_name: str = ""
    #: A number or BigInt that JSON has no form for: ``-0``, ``NaN``, ``12n``.
    unserializable_value: str = ""


class ExceptionDetails(msgspec.Struct):
    """A `Runtime.ExceptionDetails`."""

    text: str = ""
    exception: RemoteObject | None = None


class CallResult(msgspec.Struct, rename="camel"):
    """The result of `Runtime.callFunctionOn`."""

    result: RemoteObject
    exception_details: ExceptionDetails | None = None


class PropertyDescriptor(msgspec.Struct):
    """A `Runtime.PropertyDescriptor`."""

    name: str
    value: RemoteObject | None = None


class Properties(msgspec.Struct):
    """The result of `Runtime.getProperties`."""

    result: list[PropertyDescriptor]


class IsolatedWorld(msgspec.Struct, rename="camel"):
    """The result of `Page.createIsolatedWorld`."""

    execution_context_id: int


class NodeAt(msgspec.Struct, rename="camel"):
    """The result of `DOM.getNodeForLocation`, with the frame it is in."""

    backend_node_id: BackendNodeId
    frame_id: FrameId | None = None


class BoxModel(msgspec.Struct):
    """A `DOM.BoxModel`: the corners of the content box, x and y of each, clockwise."""

    content: tuple[float, float, float, float, float, float, float, float]
