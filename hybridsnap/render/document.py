"""The hybrid tree as one lxml document: the DOM of all frames, with what the AX trees say of each element.

The form::

    <hs:document url="http://…" frame="0" hs:id="0-1" hs:role="RootWebArea" hs:name="Shop">
      <html hs:id="0-2">
        <form action="/pay" hs:id="0-9" hs:role="form">
          <button type="submit" hs:id="0-14" hs:role="button" hs:name="Pay" hs:disabled="true">Pay</button>
          <x-card hs:id="0-20"><hs:shadow-root mode="open">…</hs:shadow-root>…</x-card>
          <iframe hs:id="0-23"><hs:document url="…" frame="1" hs:id="1-1">…</hs:document></iframe>

- Elements have their local name and no namespace, whatever they are: ``//form``, ``//svg``, ``//math``. Their
  DOM attributes have none either, but those written ``xml:…`` and ``xlink:…``.
- Attributes of ours are in the namespace ``urn:hybridsnap``: ``hs:id``, ``hs:role``, ``hs:name``,
  ``hs:description``, ``hs:value``, ``hs:url`` (of the outline's links and images), and the states:
  ``hs:checked`` and ``hs:pressed`` ("true", "mixed"), ``hs:expanded`` ("true", "false"), ``hs:level`` (a
  number), and as "true" ``hs:selected``, ``hs:disabled``, ``hs:required``, ``hs:readonly``, ``hs:invalid``,
  ``hs:focused``, ``hs:modal``, ``hs:multiselectable``, ``hs:scrollable``, ``hs:file`` (a file input); with
  layout ``hs:clickable``, ``hs:offscreen``, ``hs:covered-by`` (an id) and what else the rows' states say.
  What is not so, or is empty, has no attribute. Text in them is cleaned as in the outline, and not cut.
- ``hs:role`` is there for every element with an accessible object, also for those that the outline leaves
  out; an ignored element has none.
- A document is ``hs:document`` with ``url`` and ``frame`` (its ordinal), below its owner element; the main
  frame's is the root, and holds those whose owner is not here. One that is not here is empty, and one that
  is not whole has ``status`` and ``cause`` as in the report.
- Of a capture with a focus, what stands above the focus is there for its names only, without ``hs:id``.
- A shadow root is ``<hs:shadow-root mode="open">`` before its host's children. What the browser itself builds
  into controls (``mode="user-agent"``) is made of ``<hs:part hs:tag="input">`` without text, so that
  ``//input`` and ``//option[. = "two"]`` find the page's own; what it says is the control's name and value.
- Names that are not XML names in ASCII are written as SQL/XML and .NET do: ``_x0040_click`` for ``@click``,
  ``_x005F_x`` where the name itself has such a thing, ``_x0078_mlns`` for ``xmlns``. An element whose name
  this changes, or that has a prefix, says its own in ``hs:tag``.
- Characters that XML cannot hold (controls, lone surrogates, U+FFFE) become U+FFFD. In comments a space
  stands between two hyphens. A password is nowhere in it. Doctypes are left out.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import TYPE_CHECKING

from lxml import etree

from hybridsnap.capture.xpath import (
    CDATA,
    COMMENT,
    DOCUMENT,
    ELEMENT,
    FRAGMENT,
    PROCESSING_INSTRUCTION,
    TEXT,
    tag_name,
)
from hybridsnap.gc_pause import paused_collector
from hybridsnap.model import ElementId
from hybridsnap.render.dom import attributes_of
from hybridsnap.render.nodes import NodeIndex, attribute_names
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import FrameReport, Row
    from hybridsnap.protocol.replies import DOMNode
    from hybridsnap.render.content import Content

HS_NAMESPACE = "urn:hybridsnap"
XLINK_NAMESPACE = "http://www.w3.org/1999/xlink"
#: The prefixes of the document, beside ``xml``.
PREFIXES = {"hs": HS_NAMESPACE, "xlink": XLINK_NAMESPACE}
_HS = f"{{{HS_NAMESPACE}}}"
_KNOWN_PREFIXES = {"xlink": XLINK_NAMESPACE, "xml": "http://www.w3.org/XML/1998/namespace"}
HS_ID, HS_DOCUMENT, HS_SHADOW_ROOT, HS_PART = f"{_HS}id", f"{_HS}document", f"{_HS}shadow-root", f"{_HS}part"

_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9.-]*\Z")
#: What a name does not keep, and an underscore that would read as the beginning of such an escape. Other
#: letters are allowed in XML, but lxml writes them as references when it serialises to ASCII, its default.
_NOT_IN_NAME = re.compile(r"_(?=x[0-9A-Fa-f]{4,6}_)|^[^A-Za-z_]|[^A-Za-z0-9_.-]")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HYPHENS = re.compile("-(?=-)|-$")

#: lxml looks for a namespace from the element upwards; every so many levels a tree of its own is begun, and
#: all are put together at the end, so that deep pages do not cost the square of their depth.
_LEVELS = 128


def xml_name(name: str) -> str:
    """`name` as an XML name without a colon; no two names become the same."""
    if _PLAIN_NAME.match(name) and name != "xmlns":
        return name
    if name == "xmlns":
        return "_x0078_mlns"
    return _NOT_IN_NAME.sub(lambda match: f"_x{ord(match[0]):04X}_", name) or "_"


def attribute_name(name: str) -> str:
    """The same of an attribute, ``xml:…`` and ``xlink:…`` as they are."""
    prefix, colon, local = name.partition(":")
    return f"{prefix}:{xml_name(local)}" if local and colon and prefix in _KNOWN_PREFIXES else xml_name(name)


def xml_text(text: str) -> str:
    """`text` with U+FFFD for what XML cannot hold."""
    return text if text.isascii() and text.isprintable() else _NOT_XML.sub("\ufffd", text)


@dataclasses.dataclass(slots=True)
class Piece:
    """One node of the hybrid tree.

    Attributes:
        parent: number of the piece above it; -1 for the root.
        depth: 0 for the root.
        name: ``{namespace}name`` of an element; "" for text, ``!`` for a comment, ``?target`` for a
            processing instruction.
        attributes: by their names in the same form; of an element only.
        text: of the other kinds.
        id: as the outline and the XPath map know it.
        row: what is known of it beyond the DOM.
        frame: ordinal.
    """

    parent: int
    depth: int
    name: str
    attributes: dict[str, str]
    text: str
    id: ElementId | None
    row: Row | None
    frame: int


def _attribute(name: str) -> str:
    """The name of an attribute as lxml has it."""
    prefix, colon, local = attribute_name(name).partition(":")
    return f"{{{_KNOWN_PREFIXES[prefix]}}}{local}" if colon else prefix


def _own(name: str) -> str:
    """The name of an attribute of ours, for a state."""
    return _HS + xml_name(name.replace(" ", "-"))


_ROLE, _NAME, _DESCRIPTION, _VALUE, _URL, _TAG = (
    f"{_HS}{name}" for name in ("role", "name", "description", "value", "url", "tag")
)


@dataclasses.dataclass(slots=True)
class _Cursor:
    """How far a session's nodes have been read, from a document on.

    Attributes:
        number: of the session.
        frame: the document's.
        above: the piece that holds it.
        start: position of the document.
        end: where its subtree ends, exclusive.
        at: position of the node that comes next.
        pieces: for each node from `start` its piece; -1 for one that is left out with all below it.
        in_control: for each of them whether the browser itself has built it into a control.
        ordinals: for each of them its frame.
    """

    number: int
    index: SessionDomIndex
    frame: FrameReport
    above: int
    start: int
    end: int
    at: int
    pieces: list[int] = dataclasses.field(default_factory=list)
    in_control: list[bool] = dataclasses.field(default_factory=list)
    ordinals: list[int] = dataclasses.field(default_factory=list)


class _Gathering:
    """Puts the pieces of all frames in order."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.capture: Capture = content.source("xml")
        self.nodes = NodeIndex(content)
        # A page has few names, and each many times.
        self.element_name = functools.cache(xml_name)
        self.attribute_name = functools.cache(_attribute)
        self.own_name = functools.cache(_own)
        self.pieces: list[Piece] = []
        reports = {frame.frame_id: frame for frame in self.capture.frames}
        self.frame_by_owner = {
            (owner.session, owner.position): reports[frame]
            for frame, owner in self.capture.owners.items()
            if frame in reports
        }
        self.open: list[_Cursor] = []
        self.done: set[int] = set()

    def run(self) -> list[Piece]:
        main = self.capture.frames[0]
        self._enter(main, -1)
        self._read()
        for frame in self.capture.frames:
            if frame.ordinal not in self.done:  # its owner element is not here
                self._enter(frame, 0)
                self._read()
        return self.pieces

    def _read(self) -> None:
        while self.open:
            cursor = self.open[-1]
            if cursor.at == cursor.end:
                self.open.pop()
            else:
                cursor.at += 1
                self._take(cursor, cursor.at - 1)

    def _enter(self, frame: FrameReport, above: int) -> None:
        """Begin with a frame's document, or say that it is missing."""
        place = self.nodes.frames.get(frame.ordinal)
        if place is None:
            self._document(frame, above)
            return
        number, index, start = place
        end = index.end_of(start)
        self.open.append(_Cursor(number, index, frame, above, start, end, start))

    def _document(
        self, frame: FrameReport, above: int, node: DOMNode | None = None, id_: ElementId | None = None
    ) -> int:
        """A frame's document; without an id it is missing, or only stands above what was captured."""
        self.done.add(frame.ordinal)
        attributes = {"url": xml_text(frame.url), "frame": str(frame.ordinal)}
        if frame.status != "captured":
            attributes["status"] = frame.status
            if frame.cause is not None:
                attributes["cause"] = frame.cause
        row = None
        if id_ is not None and node is not None:
            row = self._describe(id_, frame.ordinal, node, attributes)
        return self._add(above, HS_DOCUMENT, attributes, "", id_, row, frame.ordinal)

    def _add(
        self,
        above: int,
        name: str,
        attributes: dict[str, str],
        text: str,
        id_: ElementId | None,
        row: Row | None,
        frame: int,
    ) -> int:
        depth = self.pieces[above].depth + 1 if above >= 0 else 0
        self.pieces.append(Piece(above, depth, name, attributes, text, id_, row, frame))
        return len(self.pieces) - 1

    def _take(self, cursor: _Cursor, at: int) -> None:
        """One node; children come after their parents, so what stands above it has its piece."""
        index = cursor.index
        node, parent = index.nodes[at], index.parents[at]
        if at == cursor.start:
            above, inner, ordinal = cursor.above, False, cursor.frame.ordinal
        else:
            beside = parent - cursor.start
            above, inner, ordinal = cursor.pieces[beside], cursor.in_control[beside], cursor.ordinals[beside]
        piece = -1
        if at != cursor.start and above < 0:
            pass  # left out with what is above it
        elif at == cursor.start or node.node_type == DOCUMENT:
            frame = cursor.frame if at == cursor.start else self._frame_held(cursor.number, parent)
            if frame is not None and frame.ordinal not in self.done:
                inner, ordinal = False, frame.ordinal
                piece = self._document(frame, above, node, self._id(index, at, ordinal))
        elif node.node_type == FRAGMENT:
            mode = node.shadow_root_type or "open"
            inner = inner or mode == "user-agent"
            piece = self._add(above, HS_SHADOW_ROOT, {"mode": xml_text(mode)}, "", None, None, ordinal)
        elif node.node_type == ELEMENT:
            piece = self._element(cursor, at, above, inner, ordinal)
        else:
            self._leaf(cursor, at, above, inner, ordinal)
        cursor.pieces.append(piece)
        cursor.in_control.append(inner)
        cursor.ordinals.append(ordinal)

    def _frame_held(self, session: int, owner: int) -> FrameReport | None:
        """The frame whose document stands in its owner's session; None when it does not, or is missing."""
        frame = self.frame_by_owner.get((session, owner))
        place = None if frame is None else self.nodes.frames.get(frame.ordinal)
        return None if place is None or place.session != session else frame

    def _element(self, cursor: _Cursor, at: int, above: int, inner: bool, ordinal: int) -> int:
        node = cursor.index.nodes[at]
        attributes: dict[str, str] = {}
        if node.attributes:
            attribute_name = self.attribute_name
            for key, value in attributes_of(node).items():
                attributes[attribute_name(key)] = xml_text(value)
        tag = tag_name(node)
        name = self.element_name(node.local_name or tag)
        if inner:
            name = HS_PART
        if name != tag:
            attributes[_TAG] = xml_text(tag)
        id_ = self._id(cursor.index, at, ordinal)
        row = None if id_ is None else self._describe(id_, ordinal, node, attributes)
        made = self._add(above, name, attributes, "", id_, row, ordinal)
        frame = self.frame_by_owner.get((cursor.number, at))
        if frame is not None and frame.ordinal not in self.done and not self._frame_held(cursor.number, at):
            self._enter(frame, made)
        return made

    def _id(self, index: SessionDomIndex, at: int, ordinal: int) -> ElementId | None:
        backend_id = index.nodes[at].backend_node_id
        # Two nodes of one id: no browser says so, but a reply may.
        if backend_id < 0 or index.position[backend_id] != at or at in index.outside:
            return None
        return ElementId(f"{ordinal}-{backend_id}")

    def _leaf(self, cursor: _Cursor, at: int, above: int, inner: bool, ordinal: int) -> None:
        node = cursor.index.nodes[at]
        text = xml_text(node.node_value)
        id_ = self._id(cursor.index, at, ordinal)
        if node.node_type in (TEXT, CDATA):
            if not inner:
                self._add(above, "", {}, text, id_, None, ordinal)
        elif node.node_type == COMMENT:
            self._add(above, "!", {}, _HYPHENS.sub("- ", text), id_, None, ordinal)
        elif node.node_type == PROCESSING_INSTRUCTION:
            target = xml_name(node.node_name)
            target = f"_x{ord(target[0]):04X}_{target[1:]}" if target.lower() == "xml" else target
            self._add(above, f"?{target}", {}, text.replace("?>", "? >"), id_, None, ordinal)

    def _describe(
        self, id_: ElementId, ordinal: int, node: DOMNode, attributes: dict[str, str]
    ) -> Row | None:
        """Put what is known of a node beyond the DOM into `attributes`."""
        attributes[HS_ID] = id_
        row = self.nodes.described(id_, ordinal, node)
        if row is None:
            return None
        for key, text in (
            (_ROLE, row.role),
            (_NAME, row.name),
            (_DESCRIPTION, "" if row.description == attributes.get("placeholder") else row.description),
            (_VALUE, row.value),
        ):
            if text and (cleaned := clean_text(text)):
                attributes[key] = xml_text(cleaned)
        if row.states:
            for state, value in attribute_names(row.states, row.role).items():
                attributes.setdefault(self.own_name(state), xml_text(value))
        if url := self.content.urls.get(id_):
            attributes[_URL] = xml_text(clean_text(url))
        return row


def gather_pieces(content: Content) -> list[Piece]:
    """The hybrid tree as a flat list, children after their parents, in document order.

    Raises:
        ValueError: the snapshot was read from JSON and has no DOM.
    """
    with paused_collector():
        return _Gathering(content).run()


def build_document(content: Content) -> etree._ElementTree:
    """The hybrid tree of all frames; see this module's docstring for its form.

    Raises:
        ValueError: the snapshot was read from JSON and has no DOM.

    Cost: some 20 µs an element. Nothing here recurses, nor does lxml when it serialises or frees a tree; but
    its parser reads no more than 256 levels (2,048 with ``huge_tree``).
    """
    with paused_collector():
        return _build(gather_pieces(content))


def _build(pieces: list[Piece]) -> etree._ElementTree:
    made: list[etree._Element | None] = []
    #: Trees of their own, and where they go.
    apart: list[tuple[etree._Element, etree._Element]] = []
    #: Text that has not been written yet, by the element it stands in, and what stands before it there.
    texts: dict[int, list[str]] = {}
    before: dict[int, etree._Element] = {}
    for piece in pieces:
        above = piece.parent
        if not piece.name:
            texts.setdefault(above, []).append(piece.text)
            made.append(None)
            continue
        if above in texts:
            _write(made[above], before.get(above), texts.pop(above))
        parent = None if above < 0 else made[above]
        if parent is not None and piece.depth % _LEVELS and piece.name[0] not in "!?":
            child = etree.SubElement(parent, piece.name, piece.attributes)
        else:
            child = _new_tree(piece)
            if parent is not None and piece.depth % _LEVELS:
                parent.append(child)
            elif parent is not None:
                apart.append((parent, child))
        made.append(child)
        before[above] = child
    for above, parts in texts.items():
        _write(made[above], before.get(above), parts)
    for parent, child in apart:
        parent.append(child)
    assert made[0] is not None
    tree = etree.ElementTree(made[0])
    apart.clear()
    before.clear()
    while made:
        # From the end. An element that lxml lets go of looks upwards for one that is still held: at best its
        # parent is, at worst none, and a deep page costs the square of its depth.
        made.pop()
    return tree


def _new_tree(piece: Piece) -> etree._Element:
    if piece.name == "!":
        return etree.Comment(piece.text)
    if piece.name[0] == "?":
        return etree.ProcessingInstruction(piece.name[1:], piece.text)
    return etree.Element(piece.name, piece.attributes, nsmap=PREFIXES)


def _write(parent: etree._Element | None, before: etree._Element | None, parts: list[str]) -> None:
    """Put text where it belongs: after what stands before it, or first in its element."""
    assert parent is not None
    if before is None:
        parent.text = "".join(parts)
    else:
        before.tail = "".join(parts)
