"""What formats ask of a captured DOM: where documents stand, attributes, text. Passwords are never told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.merge import find_document
from hybridsnap.capture.xpath import CDATA, DOCUMENT, ELEMENT, FRAGMENT, TEXT
from hybridsnap.text import squeeze

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.merge import DocumentPlace
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import BackendNodeId
    from hybridsnap.protocol.replies import DOMNode

#: Between their text and the text around them no space is meant. (HTML, phrasing content.)
INLINE_TAGS = frozenset(
    [
        *(
            "a",
            "abbr",
            "acronym",
            "b",
            "bdi",
            "bdo",
            "big",
            "cite",
            "code",
            "data",
            "del",
            "dfn",
            "em",
            "font",
        ),
        *("i", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "slot", "small", "span", "strike"),
        *("strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    ]
)
#: What stands in them is not text of the page.
_UNREAD_TAGS = frozenset({"script", "style"})


def find_documents(capture: Capture | None) -> dict[int, DocumentPlace]:
    """Where each captured frame's document stands, by ordinal; nothing without a capture."""
    found: dict[int, DocumentPlace] = {}
    if capture is None:
        return found
    for report in capture.frames:
        if report.status in ("captured", "partial"):
            place = find_document(capture.context, capture.owners, capture.indexes, report.frame_id)
            if place is not None:
                found[report.ordinal] = place
    return found


def find_openers(index: SessionDomIndex) -> dict[tuple[int, str], int]:
    """The positions of expanded elements, by the document and the id of what they have opened.

    Cost: one look at the attributes of each node.
    """
    return {
        (index.documents[at], id_): at
        for at, node in enumerate(index.nodes)
        if "aria-expanded" in node.attributes and index.attribute(at, "aria-expanded") == "true"
        for name in ("aria-controls", "aria-owns")
        for id_ in (index.attribute(at, name) or "").split()
    }


def is_password(node: DOMNode) -> bool:
    """Whether a DOM node is a password field."""
    if node.local_name.lower() != "input":
        return False
    attributes = node.attributes
    return any(
        attributes[at].lower() == "type" and attributes[at + 1].strip().lower() == "password"
        for at in range(0, len(attributes) - 1, 2)
    )


def in_password(index: SessionDomIndex, here: int) -> bool:
    """Whether a node is an inner part of a password field, which holds what was typed."""
    while here >= 0 and index.nodes[here].node_type != DOCUMENT:
        node, here = index.nodes[here], index.parents[here]
        if node.node_type == FRAGMENT and here >= 0 and is_password(index.nodes[here]):
            return True
    return False


def attributes_of(node: DOMNode) -> dict[str, str]:
    """A DOM node's attributes; a password field's without its value."""
    attributes = node.attributes
    pairs = dict(zip(attributes[::2], attributes[1::2], strict=False))
    if is_password(node):
        pairs.pop("value", None)
    return pairs


def text_of(node: DOMNode, ignored: Mapping[BackendNodeId, bool]) -> str:
    """The visible text of a DOM node and its children, as `hybridsnap.render.nodes.Node.text` tells it.

    Args:
        node: where to begin.
        ignored: DOM nodes that have an AX node → whether that is ignored. Chromium builds no AX node for text
            that is not rendered, not visible, ``aria-hidden`` or inert, and one for each other text; the text
            of an ``<option>`` has none of its own (measured in Chromium 156).
    """
    parts: list[str] = []
    # A string stands for itself: the space around a block element. The flag: below an exposed option.
    open_nodes: list[tuple[DOMNode | str, bool]] = [(node, False)]
    while open_nodes:
        here, in_option = open_nodes.pop()
        if isinstance(here, str):
            parts.append(here)
        elif here.node_type in (TEXT, CDATA):
            if in_option or not here.node_value.strip() or here.backend_node_id in ignored:
                parts.append(here.node_value)
        else:
            tag = here.local_name.lower()
            if tag in _UNREAD_TAGS:
                continue
            if here.node_type == ELEMENT and tag not in INLINE_TAGS:
                parts.append(" ")
                open_nodes.append((" ", False))
            in_option = in_option or (tag == "option" and ignored.get(here.backend_node_id) is False)
            open_nodes.extend((child, in_option) for child in here.children[::-1])
    return squeeze("".join(parts))
