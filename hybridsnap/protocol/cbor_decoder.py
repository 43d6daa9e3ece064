# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, binding=False
"""Chromium's CBOR to replies: the loops over every byte of a reply that is read.

This file is compiled by Cython when a wheel is built where a C compiler is, with the types of
``cbor_decoder.pxd``; as it stands it is ordinary Python that gives the same, twenty times slower. Both are
tested against each other.

The format (``third_party/inspector_protocol/crdtp/cbor.cc``, Chromium 156) is a small part of CBOR: maps and
arrays are of indefinite length, each inside an envelope that says its size in bytes (``D8 18 5A``, four
bytes, ``BF … FF`` or ``9F … FF``); strings are UTF-8 text or, as byte strings, UTF-16LE; integers have 32
bits; other numbers are doubles; binary data carries tag 22. Anything else is refused.

Nothing here recurses: nesting is the page's choice. Every length is checked against the envelope around it.
A read behind the end of the message is an `IndexError`, compiled too, and leaves here as
`msgspec.DecodeError`. What stands in an envelope that is skipped is not looked at.
"""

from __future__ import annotations

import binascii
import math
import struct
from typing import Any

import msgspec

from hybridsnap.protocol.ax_tree import NO_PROPERTIES, AXNode
from hybridsnap.protocol.replies import DOMNode, PseudoElement

# First bytes of values. Compiled, these are C integers, and so are all of a Reader's.
ENVELOPE = 0xD8
MAP = 0xBF
ARRAY = 0x9F
#: The last byte of a map and of an array.
STOP = 0xFF
FALSE = 0xF4
TRUE = 0xF5
NULL = 0xF6
DOUBLE = 0xFB
BINARY = 0xD6
#: Below the first are integers, below the second byte strings (UTF-16), below the third text (UTF-8). Text of
#: fewer than 24 bytes has its length in its first byte.
BYTES = 0x40
TEXT = 0x60
NO_STRING = 0x80

# What of a node is being read: see `OpenNode.into`.
CHILDREN = 1
SHADOW_ROOTS = 2
DOCUMENT = 3

#: Words of a page that are kept to be shared. Above it, equal words are several strings, which costs memory.
_WORDS = 8192
#: A power of two.
_SLOTS = 1024
#: The documents inside each other that are read. Chromium has at most 1,000 frames in a page.
_DOCUMENTS = 1000

#: What of a message says whose it is.
_HEAD_FIELDS = frozenset(("id", "method", "sessionId", "error"))

_read_double = struct.Struct(">d").unpack_from
_to_base64 = binascii.b2a_base64
_is_finite = math.isfinite
_INT64 = 2.0**63


class Unexpected(Exception):
    """The reply is not what the quick ways read; the general way says what it is."""


def _broken(why: str, pos: int) -> msgspec.DecodeError:
    return msgspec.DecodeError(f"CBOR is malformed: {why} (byte {pos})")


class OpenNode:
    """A DOM node whose bytes are not all read yet."""

    __slots__ = (
        "attributes",
        "backend_node_id",
        "child_node_count",
        "children",
        "content_document",
        "end",
        "frame_id",
        "into",
        "is_scrollable",
        "items",
        "items_end",
        "local_name",
        "node_id",
        "node_name",
        "node_type",
        "node_value",
        "pseudo_elements",
        "shadow_root_type",
        "shadow_roots",
    )

    def begin(self, end: int) -> int:
        """Forget what was read of another node."""
        self.end: int = end
        self.backend_node_id: Any = None
        self.node_type: Any = None
        self.node_name: Any = None
        self.local_name: Any = ""
        self.node_value: Any = ""
        self.child_node_count: Any = 0
        self.children: tuple[Any, ...] = ()
        self.attributes: tuple[Any, ...] = ()
        self.shadow_roots: tuple[Any, ...] = ()
        self.shadow_root_type: Any = ""
        self.content_document: Any = None
        self.pseudo_elements: tuple[Any, ...] = ()
        self.frame_id: Any = None
        self.is_scrollable: Any = False
        self.node_id: Any = 0
        #: The nodes read of the list that is open, where it ends, and which field it becomes.
        self.items: Any = None
        self.items_end: int = 0
        self.into: int = 0
        return 0


class Reader:
    """A place in a message. Methods read one value at that place and move it behind the value.

    ``limit`` is where the enclosing envelope ends.
    """

    __slots__ = ("data", "known", "pos", "slots", "spare", "texts", "words")

    def __init__(self, data: bytes) -> None:
        self.data: bytes = data
        self.pos: int = 0
        # Words are found by a few of their bytes in `slots`, and by all of them in `words`.
        self.slots: list[Any] = [None] * _SLOTS
        self.texts: list[Any] = [None] * _SLOTS
        self.words: dict[Any, Any] = {}
        #: Made once, and used for one node after the other.
        self.spare: list[Any] = []

    def length(self, limit: int) -> int:
        """The length that a string's first bytes say; the place is then at its content."""
        data = self.data
        pos = self.pos
        info = data[pos] & 0x1F
        pos += 1
        if info < 24:
            size = info
        elif info == 24:
            size = data[pos]
            pos += 1
        elif info == 25:
            size = (data[pos] << 8) | data[pos + 1]
            pos += 2
        elif info == 26:
            size = data[pos]
            size = (size << 24) | (data[pos + 1] << 16) | (data[pos + 2] << 8) | data[pos + 3]
            pos += 4
        else:
            raise _broken("a string without a length of at most 32 bits", self.pos)
        if size > limit - pos:
            raise _broken("a string is longer than what it stands in", self.pos)
        self.pos = pos
        return size

    def envelope(self, limit: int) -> int:
        """Where the envelope here ends; the place is then at its first byte inside."""
        data = self.data
        pos = self.pos
        if data[pos] != ENVELOPE or data[pos + 1] != 0x18 or data[pos + 2] != 0x5A:
            raise _broken("a map or array without an envelope", pos)
        size = data[pos + 3]
        size = (size << 24) | (data[pos + 4] << 16) | (data[pos + 5] << 8) | data[pos + 6]
        pos += 7
        if size < 2 or size > limit - pos:
            raise _broken("an envelope of a size that cannot be", self.pos)
        self.pos = pos
        return pos + size

    def enter(self, limit: int, kind: int) -> int:
        """Where the map or array here ends; the place is then at its first entry.

        Raises:
            Unexpected: another value is here.
        """
        if self.data[self.pos] != ENVELOPE:
            raise Unexpected
        end = self.envelope(limit)
        if self.data[self.pos] != kind:
            raise Unexpected
        self.pos += 1
        return end

    def leave(self, end: int) -> int:
        """Step over a map's or array's last byte, which must be its envelope's."""
        self.pos += 1
        if self.pos != end:
            raise _broken("an envelope's size is not its content's", self.pos)
        return 0

    def skip(self, limit: int) -> int:
        """Step over one value, whatever it holds."""
        initial = self.data[self.pos]
        if initial == ENVELOPE:
            self.pos = self.envelope(limit)
        elif BYTES <= initial < NO_STRING:
            size = self.length(limit)
            self.pos += size
        elif initial < BYTES:
            self.integer()
        else:
            self.scalar(limit)
        return 0

    def key(self, limit: int) -> int:
        """The length of the key here, whose first byte follows the place; 0 for one that is none of ours.

        The place stays where it is for a key of ours, and moves behind any other.
        """
        size = self.data[self.pos] - TEXT
        if 0 < size < 24:
            if size >= limit - self.pos:
                raise _broken("a key is longer than what it stands in", self.pos)
            return size
        if size != 24 or self.data[self.pos + 1] < 24:
            # Ours are ASCII, and Chromium writes ASCII as text with the shortest head.
            raise Unexpected
        size = self.length(limit)
        self.pos += size
        return 0

    def text(self, limit: int) -> str:
        """The string here."""
        initial = self.data[self.pos]
        if TEXT <= initial < NO_STRING:
            size = self.length(limit)
            start = self.pos
            self.pos = start + size
            return self.data[start : start + size].decode("utf-8", "replace")
        if BYTES <= initial < TEXT:
            size = self.length(limit)
            if size & 1:
                raise _broken("half a UTF-16 unit", self.pos)
            start = self.pos
            self.pos = start + size
            return self.data[start : start + size].decode("utf-16-le", "replace")
        raise Unexpected

    def word(self, limit: int) -> str:
        """The string here, which is the same object for the same word where that can be had cheaply."""
        data = self.data
        start = self.pos + 1
        size = data[start - 1] - TEXT
        if size < 1 or size > 23:
            return self.text(limit)
        if size > limit - start:
            raise _broken("a string is longer than what it stands in", self.pos)
        slot = (
            size * 67 + data[start] * 7 + data[start + size // 2] * 139 + data[start + size - 1] * 31
        ) & 1023
        known = self.slots[slot]
        if known is not None and len(known) == size and data.startswith(known, start):
            self.pos = start + size
            return self.texts[slot]  # type: ignore[no-any-return]  # holds strings once `slots` holds bytes
        text = self.text(limit)
        shared = self.words.get(text)
        if shared is None:
            shared = text
            if len(self.words) < _WORDS:
                self.words[text] = text
        self.slots[slot] = data[start : start + size]
        self.texts[slot] = shared
        return shared

    def small_int(self) -> int:
        """The integer here.

        Raises:
            Unexpected: another value is here.
        """
        if self.data[self.pos] >= BYTES:
            raise Unexpected
        return self.integer()

    def integer(self) -> int:
        """The integer that is here."""
        data = self.data
        pos = self.pos
        initial = data[pos]
        info = initial & 0x1F
        pos += 1
        if info < 24:
            size = info
        elif info == 24:
            size = data[pos]
            pos += 1
        elif info == 25:
            size = (data[pos] << 8) | data[pos + 1]
            pos += 2
        elif info == 26:
            size = data[pos]
            size = (size << 24) | (data[pos + 1] << 16) | (data[pos + 2] << 8) | data[pos + 3]
            pos += 4
        else:
            raise _broken("an integer of more than 32 bits", self.pos)
        if size > 0x7FFFFFFF:
            raise _broken("an integer of more than 32 bits", self.pos)
        self.pos = pos
        return -1 - size if initial >= 0x20 else size

    def number_text(self, limit: int) -> int:
        """The number that the string here holds.

        Raises:
            Unexpected: another value is here, or a number in another form than ``-12``.
        """
        data = self.data
        pos = self.pos + 1
        size = data[pos - 1] - TEXT
        if size < 1 or size > 18:
            raise Unexpected
        if size > limit - pos:
            raise _broken("a string is longer than what it stands in", self.pos)
        end = pos + size
        negative = data[pos] == 0x2D
        if negative:
            pos += 1
        if pos == end or (data[pos] == 0x30 and end - pos > 1):
            raise Unexpected
        number = 0
        while pos < end:
            digit = data[pos] - 0x30
            if digit < 0 or digit > 9:
                raise Unexpected
            number = number * 10 + digit
            pos += 1
        self.pos = end
        return -number if negative else number

    def boolean(self) -> bool:
        """The boolean here.

        Raises:
            Unexpected: another value is here.
        """
        initial = self.data[self.pos]
        if initial != TRUE and initial != FALSE:  # noqa: PLR1714  # in C, a set would be one
            raise Unexpected
        self.pos += 1
        return initial == TRUE

    def scalar(self, limit: int) -> Any:
        """The value here that is no map and no array, as Chromium's JSON has it.

        Raises:
            Unexpected: a map or an array is here.
        """
        data = self.data
        initial = data[self.pos]
        if initial < BYTES:
            return self.integer()
        if initial < NO_STRING:
            return self.text(limit)
        if initial == ENVELOPE:
            raise Unexpected
        self.pos += 1
        if initial == TRUE:
            return True
        if initial == FALSE:
            return False
        if initial == NULL:
            return None
        if initial == DOUBLE:
            if limit - self.pos < 8:
                raise _broken("half a number", self.pos)
            number = _read_double(data, self.pos)[0]
            self.pos += 8
            if not _is_finite(number):
                return None
            if -_INT64 <= number < _INT64 and number == math.floor(number):
                return int(number)
            return number
        if initial == BINARY and BYTES <= data[self.pos] < TEXT:
            size = self.length(limit)
            start = self.pos
            self.pos = start + size
            return _to_base64(data[start : start + size], newline=False).decode("ascii")
        raise _broken("a value that the protocol has not", self.pos - 1)

    def value(self, limit: int) -> Any:
        """The value here as plain data: dictionaries, lists, strings, numbers, booleans, None."""
        if self.data[self.pos] != ENVELOPE:
            return self.scalar(limit)
        outer: list[Any] = []
        ends: list[Any] = []
        data = self.data
        end = self.envelope(limit)
        container: Any = self._opened()
        is_map = type(container) is dict
        key: Any = None
        while True:
            initial = data[self.pos]
            if initial == STOP:
                self.leave(end)
                if not outer:
                    return container
                container = outer.pop()
                end = ends.pop()
                is_map = type(container) is dict
                continue
            if is_map:
                if not BYTES <= initial < NO_STRING:
                    raise _broken("a key that is no string", self.pos)
                key = self.word(end)
                initial = data[self.pos]
            inner: Any
            if initial == ENVELOPE:
                inner_end = self.envelope(end)
                inner = self._opened()
            else:
                inner_end = 0
                inner = self.scalar(end)
            if is_map:
                container[key] = inner
            else:
                container.append(inner)
            if inner_end:
                outer.append(container)
                ends.append(end)
                container = inner
                end = inner_end
                is_map = type(container) is dict

    def _opened(self) -> Any:
        """The empty container for the map or array that begins here."""
        kind = self.data[self.pos]
        self.pos += 1
        if kind == MAP:
            return {}
        if kind == ARRAY:
            return []
        raise _broken("an envelope of neither a map nor an array", self.pos - 1)

    def message(self) -> int:
        """Go to the first key of the whole message; where the message ends."""
        size = len(self.data)
        self.pos = 0
        end = self.envelope(size)
        if end != size:
            raise _broken("bytes behind the message", end)
        if self.data[self.pos] != MAP:
            raise _broken("a message that is no map", self.pos)
        self.pos += 1
        return end

    def result(self) -> int:
        """Go to the message's ``result``; where the message ends.

        Raises:
            Unexpected: it has none.
        """
        data = self.data
        end = self.message()
        while data[self.pos] != STOP:
            size = self.key(end)
            if size == 6 and data.startswith(b"result", self.pos + 1):
                self.pos += 7
                return end
            if size:
                self.pos += 1 + size
            self.skip(end)
        raise Unexpected

    def head(self) -> tuple[dict[str, Any], bytes | None]:
        """What `head` gives."""
        data = self.data
        end = self.message()
        fields: dict[Any, Any] = {}
        params: Any = None
        while data[self.pos] != STOP:
            key = self.text_or_word(end)
            start = self.pos
            if key == "params":
                self.skip(end)
                params = data[start : self.pos]
            elif key in _HEAD_FIELDS:
                fields[key] = self.value(end)
            else:
                self.skip(end)
        self.leave(end)
        return fields, params

    # -- the accessibility tree --------------------------------------------------------------------------

    def ax_nodes(self, limit: int) -> list[Any]:
        """The nodes of a list of them."""
        data = self.data
        end = self.enter(limit, MAP)
        nodes: list[Any] = []
        found = False
        while data[self.pos] != STOP:
            size = self.key(end)
            if size == 5 and data.startswith(b"nodes", self.pos + 1):
                self.pos += 6
                nodes = []
                found = True
                nodes_end = self.enter(end, ARRAY)
                while data[self.pos] != STOP:
                    nodes.append(self.ax_node(nodes_end))
                self.leave(nodes_end)
                continue
            if size:
                self.pos += 1 + size
            self.skip(end)
        self.leave(end)
        if not found:
            raise Unexpected
        return nodes

    def ax_node(self, limit: int) -> Any:
        """An `AXNode`."""
        data = self.data
        end = self.enter(limit, MAP)
        node_id: Any = None
        ignored: Any = False
        role: Any = "none"
        name: Any = ""
        description: Any = ""
        value: Any = None
        properties: Any = NO_PROPERTIES
        child_ids: Any = ()
        backend_node_id: Any = None
        ignored_reason: Any = ""
        while data[self.pos] != STOP:
            size = self.key(end)
            start = self.pos + 1
            if size:
                self.pos = start + size
            if size == 4:
                if data.startswith(b"role", start):
                    role = self.ax_role(end)
                    continue
                if data.startswith(b"name", start):
                    name = self.ax_text(end)
                    continue
            elif size == 6:
                if data.startswith(b"nodeId", start):
                    node_id = self.number_text(end)
                    continue
            elif size == 7:
                if data.startswith(b"ignored", start):
                    ignored = self.boolean()
                    continue
            elif size == 8:
                if data.startswith(b"childIds", start):
                    child_ids = self.ax_ids(end)
                    continue
            elif size == 10:
                if data.startswith(b"properties", start):
                    properties = self.ax_properties(end)
                    continue
            elif size == 16:
                if data.startswith(b"backendDOMNodeId", start):
                    backend_node_id = self.small_int()
                    continue
            elif size == 5:
                if data.startswith(b"value", start):
                    value = self.ax_value(end)
                    continue
            elif size == 14:
                if data.startswith(b"ignoredReasons", start):
                    ignored_reason = self.ax_reason(end)
                    continue
            elif size == 11 and data.startswith(b"description", start):
                description = self.ax_text(end)
                continue
            self.skip(end)
        self.leave(end)
        if node_id is None:
            raise Unexpected
        return AXNode(
            node_id,
            ignored,
            role,
            name,
            description,
            value,
            properties,
            child_ids,
            backend_node_id,
            ignored_reason,
        )

    def ax_role(self, limit: int) -> Any:
        """The word in the `Accessibility.AXValue` here; equal ones are one object."""
        data = self.data
        end = self.enter(limit, MAP)
        word: Any = "none"
        while data[self.pos] != STOP:
            size = self.key(end)
            if size == 5 and data.startswith(b"value", self.pos + 1):
                self.pos += 6
                word = self.word(end)
                continue
            if size:
                self.pos += 1 + size
            self.skip(end)
        self.leave(end)
        return word

    def ax_text(self, limit: int) -> Any:
        """The text in the `Accessibility.AXValue` here."""
        data = self.data
        end = self.enter(limit, MAP)
        text: Any = ""
        while data[self.pos] != STOP:
            size = self.key(end)
            if size == 5 and data.startswith(b"value", self.pos + 1):
                self.pos += 6
                text = self.text(end)
                continue
            if size:
                self.pos += 1 + size
            self.skip(end)
        self.leave(end)
        return text

    def ax_value(self, limit: int) -> Any:
        """What the `Accessibility.AXValue` here holds."""
        data = self.data
        end = self.enter(limit, MAP)
        value: Any = None
        while data[self.pos] != STOP:
            size = self.key(end)
            if size == 5 and data.startswith(b"value", self.pos + 1):
                self.pos += 6
                value = self.scalar(end)
                continue
            if size:
                self.pos += 1 + size
            self.skip(end)
        self.leave(end)
        return value

    def ax_properties(self, limit: int) -> Any:
        """The properties of a node by their names."""
        data = self.data
        end = self.enter(limit, ARRAY)
        if data[self.pos] == STOP:
            self.leave(end)
            return NO_PROPERTIES
        properties: dict[Any, Any] = {}
        while data[self.pos] != STOP:
            inner = self.enter(end, MAP)
            name: Any = None
            value: Any = None
            has_value = False
            while data[self.pos] != STOP:
                size = self.key(inner)
                start = self.pos + 1
                if size:
                    self.pos = start + size
                if size == 4 and data.startswith(b"name", start):
                    if not BYTES <= data[self.pos] < NO_STRING:
                        raise Unexpected
                    name = self.word(inner)
                elif size == 5 and data.startswith(b"value", start):
                    value = self.ax_value(inner)
                    has_value = True
                else:
                    self.skip(inner)
            self.leave(inner)
            if name is None or not has_value:
                raise Unexpected
            properties[name] = value
        self.leave(end)
        return properties

    def ax_reason(self, limit: int) -> Any:
        """The name of the first of the properties here; "" where there is none."""
        data = self.data
        end = self.enter(limit, ARRAY)
        reason: Any = ""
        while data[self.pos] != STOP:
            inner = self.enter(end, MAP)
            name: Any = None
            while data[self.pos] != STOP:
                size = self.key(inner)
                start = self.pos + 1
                if size:
                    self.pos = start + size
                if size == 4 and data.startswith(b"name", start):
                    if not BYTES <= data[self.pos] < NO_STRING:
                        raise Unexpected
                    name = self.word(inner)
                else:
                    self.skip(inner)
            self.leave(inner)
            if name is None:
                raise Unexpected
            reason = reason or name
        self.leave(end)
        return reason

    def ax_ids(self, limit: int) -> tuple[Any, ...]:
        """The ids of a node's children."""
        end = self.enter(limit, ARRAY)
        data = self.data
        ids: list[Any] = []
        while data[self.pos] != STOP:
            ids.append(self.number_text(end))
        self.leave(end)
        return tuple(ids)

    # -- the DOM -----------------------------------------------------------------------------------------

    def dom_tree(self, limit: int, name: bytes) -> Any:
        """The `DOMNode` under the key `name` of the map here."""
        data = self.data
        end = self.enter(limit, MAP)
        node: Any = None
        while data[self.pos] != STOP:
            size = self.key(end)
            start = self.pos + 1
            if size:
                self.pos = start + size
            if size == len(name) and data.startswith(name, start):
                node = self.dom_node(end)
                continue
            self.skip(end)
        self.leave(end)
        if node is None:
            raise Unexpected
        return node

    def dom_node(self, limit: int) -> Any:
        """A `DOMNode` with all below it."""
        data = self.data
        stack: list[Any] = []
        documents = 0
        node: OpenNode = self.opened_node(limit)
        while True:
            if data[self.pos] != STOP:
                self.dom_fields(node)
                if node.into:
                    # A field of `node` holds nodes: the first of them comes next.
                    if node.into == DOCUMENT:
                        documents += 1
                        if documents > _DOCUMENTS:
                            raise _broken("documents in documents without end", self.pos)
                    stack.append(node)
                    node = self.opened_node(node.items_end)
                    continue
            self.leave(node.end)
            built: Any = self.dom_built(node)
            self.spare.append(node)
            if not stack:
                return built
            node = stack[len(stack) - 1]
            if node.into == DOCUMENT:
                documents -= 1
                node.content_document = built
            else:
                node.items.append(built)
                if data[self.pos] != STOP:
                    node = self.opened_node(node.items_end)
                    continue
                self.leave(node.items_end)
                if node.into == CHILDREN:
                    node.children = tuple(node.items)
                else:
                    node.shadow_roots = tuple(node.items)
                node.items = None
            node.into = 0
            stack.pop()

    def opened_node(self, limit: int) -> OpenNode:
        """The node that begins here."""
        end = self.enter(limit, MAP)
        node: OpenNode = self.spare.pop() if self.spare else OpenNode()
        node.begin(end)
        return node

    def dom_built(self, node: OpenNode) -> Any:
        """What has been read of `node`, as a `DOMNode`."""
        if node.backend_node_id is None or node.node_type is None or node.node_name is None:
            raise Unexpected
        return DOMNode(
            node.backend_node_id,
            node.node_type,
            node.node_name,
            node.local_name,
            node.node_value,
            node.child_node_count,
            node.children,
            node.attributes,
            node.shadow_roots,
            node.shadow_root_type,
            node.content_document,
            node.pseudo_elements,
            node.frame_id,
            node.is_scrollable,
            node.node_id,
        )

    def dom_fields(self, node: OpenNode) -> int:
        """Read fields of `node` up to its end, or up to the first node of a field that holds nodes."""
        data = self.data
        end = node.end
        while data[self.pos] != STOP:
            size = self.key(end)
            start = self.pos + 1
            if size:
                self.pos = start + size
            if size == 6:
                if data.startswith(b"nodeId", start):
                    node.node_id = self.small_int()
                    continue
            elif size == 13:
                if data.startswith(b"backendNodeId", start):
                    node.backend_node_id = self.small_int()
                    continue
            elif size == 8:
                if data.startswith(b"nodeType", start):
                    node.node_type = self.small_int()
                    continue
                if data.startswith(b"nodeName", start):
                    node.node_name = self.text_or_word(end)
                    continue
                if data.startswith(b"children", start):
                    if self.dom_list(node, CHILDREN):
                        return 0
                    continue
            elif size == 9:
                if data.startswith(b"localName", start):
                    node.local_name = self.text_or_word(end)
                    continue
                if data.startswith(b"nodeValue", start):
                    node.node_value = self.text(end)
                    continue
            elif size == 10:
                if data.startswith(b"attributes", start):
                    node.attributes = self.dom_attributes(end)
                    continue
            elif size == 14:
                if data.startswith(b"childNodeCount", start):
                    node.child_node_count = self.small_int()
                    continue
                if data.startswith(b"shadowRootType", start):
                    node.shadow_root_type = self.text_or_word(end)
                    continue
                if data.startswith(b"pseudoElements", start):
                    node.pseudo_elements = self.dom_pseudo_elements(end)
                    continue
            elif size == 15:
                if data.startswith(b"contentDocument", start):
                    if data[self.pos] == NULL:
                        raise Unexpected
                    node.into = DOCUMENT
                    node.items_end = end
                    return 0
            elif size == 11:
                if data.startswith(b"shadowRoots", start):
                    if self.dom_list(node, SHADOW_ROOTS):
                        return 0
                    continue
            elif size == 7:
                if data.startswith(b"frameId", start):
                    node.frame_id = self.text(end)
                    continue
            elif size == 12 and data.startswith(b"isScrollable", start):
                node.is_scrollable = self.boolean()
                continue
            self.skip(end)
        return 0

    def text_or_word(self, limit: int) -> str:
        """The string here, from the words where it is short."""
        if not BYTES <= self.data[self.pos] < NO_STRING:
            raise Unexpected
        return self.word(limit)

    def dom_list(self, node: OpenNode, into: int) -> bool:
        """Open the list of nodes here; False for an empty one."""
        end = self.enter(node.end, ARRAY)
        if self.data[self.pos] == STOP:
            self.leave(end)
            if into == CHILDREN:
                node.children = ()
            else:
                node.shadow_roots = ()
            return False
        node.items = []
        node.items_end = end
        node.into = into
        return True

    def dom_attributes(self, limit: int) -> tuple[Any, ...]:
        """An element's attributes: names and values by turns."""
        data = self.data
        end = self.enter(limit, ARRAY)
        attributes: list[Any] = []
        is_name = True
        while data[self.pos] != STOP:
            attributes.append(self.text_or_word(end) if is_name else self.text(end))
            is_name = not is_name
        self.leave(end)
        return tuple(attributes)

    def dom_pseudo_elements(self, limit: int) -> tuple[Any, ...]:
        """The `PseudoElement` list of an element."""
        data = self.data
        end = self.enter(limit, ARRAY)
        found: list[Any] = []
        while data[self.pos] != STOP:
            inner = self.enter(end, MAP)
            number: Any = None
            while data[self.pos] != STOP:
                size = self.key(inner)
                start = self.pos + 1
                if size:
                    self.pos = start + size
                if size == 13 and data.startswith(b"backendNodeId", start):
                    number = self.small_int()
                else:
                    self.skip(inner)
            self.leave(inner)
            if number is None:
                raise Unexpected
            found.append(PseudoElement(number))
        self.leave(end)
        return tuple(found)


def head(message: bytes) -> tuple[dict[str, Any], bytes | None]:
    """The ``id``, ``method``, ``sessionId`` and ``error`` of a message, and the bytes of its ``params``.

    Cost: that of these fields; a result is stepped over.

    Raises:
        msgspec.DecodeError: the message is no CBOR of this protocol.
    """
    reader = Reader(message)
    try:
        return reader.head()
    except Unexpected:
        raise _broken("a key that is no string", reader.pos) from None
    except IndexError:
        raise _broken("it ends early", len(message)) from None


def result(message: bytes) -> Any:
    """A reply's ``result`` as plain data.

    Raises:
        msgspec.DecodeError: the message is no CBOR of this protocol, or has no result.
    """
    reader = Reader(message)
    try:
        return reader.value(reader.result())
    except Unexpected:
        raise msgspec.ValidationError("Object missing required field `result`") from None
    except IndexError:
        raise _broken("it ends early", len(message)) from None


def ax_nodes(message: bytes) -> list[AXNode]:
    """The nodes of `Accessibility.getFullAXTree` and its like, any word a role or a property's name.

    Raises:
        Unexpected: the result has another shape, or an id is no number.
        msgspec.DecodeError: the message is no CBOR of this protocol.
    """
    reader = Reader(message)
    try:
        return reader.ax_nodes(reader.result())
    except IndexError:
        raise _broken("it ends early", len(message)) from None


def dom_node(message: bytes, key: bytes) -> DOMNode:
    """The node under `key` of a result.

    Raises:
        Unexpected: the result has another shape.
        msgspec.DecodeError: the message is no CBOR of this protocol.
    """
    reader = Reader(message)
    try:
        node: DOMNode = reader.dom_tree(reader.result(), key)
    except IndexError:
        raise _broken("it ends early", len(message)) from None
    return node


def plain(message: bytes) -> Any:
    """A whole message, or a part of one, as plain data.

    Raises:
        msgspec.DecodeError: the message is no CBOR of this protocol.
    """
    reader = Reader(message)
    try:
        value = reader.value(len(message))
    except IndexError:
        raise _broken("it ends early", len(message)) from None
    if reader.pos != len(message):
        raise _broken("bytes behind the message", reader.pos)
    return value
