"""Replies that hold AX nodes, read as an `AXTree`.

CBOR is read straight into it (`hybridsnap.protocol.cbor_decoder`). JSON, and what a foreign driver has
decoded, is read in the protocol's own shape first, where each value stands in an object of its own.

Roles and property names are known words, and AX node ids, strings that hold numbers, are read as numbers: so
a tree takes half the memory, which is what a capture of 300,000 elements waits for. The protocol promises
neither. Where a word or an id is another, the reply is read a second time, and the ids are numbered here.
"""

from __future__ import annotations

import collections
import re
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.model import BackendNodeId
from hybridsnap.protocol import cbor_decoder
from hybridsnap.protocol.ax_tree import NO_PROPERTIES, AXNode, AXTree
from hybridsnap.protocol.ax_vocabulary import KnownProperty, KnownRole
from hybridsnap.protocol.cbor import CborPayload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.protocol.codec import Payload


class _Text(msgspec.Struct, gc=False):
    """An `Accessibility.AXValue` that holds text; its ``sources`` are most of a reply's bytes."""

    value: str = ""


class _Value(msgspec.Struct, gc=False):
    """An `Accessibility.AXValue` that holds anything."""

    value: str | int | float | bool | None = None


class _Role(msgspec.Struct, gc=False):
    """An `Accessibility.AXValue` that holds a role."""

    value: KnownRole = "none"


class _Property(msgspec.Struct, gc=False):
    """An `Accessibility.AXProperty`."""

    name: KnownProperty
    value: _Value


class _Reason(msgspec.Struct, gc=False):
    """An `Accessibility.AXProperty` that says why a node is ignored."""

    name: KnownProperty


class _Node(msgspec.Struct, gc=False, rename="camel"):
    """An `Accessibility.AXNode`."""

    node_id: int
    ignored: bool = False
    ignored_reasons: tuple[_Reason, ...] = ()
    role: _Role | None = None
    name: _Text | None = None
    description: _Text | None = None
    value: _Value | None = None
    properties: tuple[_Property, ...] = ()
    child_ids: tuple[int, ...] = ()
    backend_node_id: BackendNodeId | None = msgspec.field(default=None, name="backendDOMNodeId")


class _Tree(msgspec.Struct):
    nodes: list[_Node]


class _UnknownProperty(msgspec.Struct, gc=False):
    name: str
    value: _Value


class _UnknownReason(msgspec.Struct, gc=False):
    name: str


class _UnknownNode(msgspec.Struct, gc=False, rename="camel"):
    """A `_Node` in words that are not known here."""

    node_id: str
    ignored: bool = False
    ignored_reasons: tuple[_UnknownReason, ...] = ()
    role: _Text | None = None
    name: _Text | None = None
    description: _Text | None = None
    value: _Value | None = None
    properties: tuple[_UnknownProperty, ...] = ()
    child_ids: tuple[str, ...] = ()
    backend_node_id: BackendNodeId | None = msgspec.field(default=None, name="backendDOMNodeId")


class _UnknownTree(msgspec.Struct):
    nodes: list[_UnknownNode]


_NUMBER = re.compile(r"-?[0-9]{1,18}")


def read_ax_tree(payload: Payload) -> AXTree:
    """The reply to `Accessibility.getFullAXTree` and its like.

    Raises:
        msgspec.MsgspecError, ValueError: it has another shape.
    """
    if isinstance(payload, CborPayload):
        try:
            return AXTree(cbor_decoder.ax_nodes(payload.message))
        except cbor_decoder.Unexpected:
            pass  # read again below, which says what is wrong, if anything is
    try:
        nodes = payload.result(_Tree, strict=False).nodes
    except msgspec.ValidationError:
        return AXTree(_numbered(payload.result(_UnknownTree).nodes))
    # Each node is let go before the next is made, which then takes its memory.
    nodes.reverse()
    flat: list[AXNode] = []
    while nodes:
        node = nodes.pop()
        flat.append(_flat(node, node.node_id, node.child_ids))
    return AXTree(flat)


def _flat(node: _Node | _UnknownNode, node_id: int, child_ids: tuple[int, ...]) -> AXNode:
    role, name, description, value = node.role, node.name, node.description, node.value
    return AXNode(
        node_id,
        node.ignored,
        "none" if role is None else role.value,
        "" if name is None else name.value,
        "" if description is None else description.value,
        None if value is None else value.value,
        {prop.name: prop.value.value for prop in node.properties} if node.properties else NO_PROPERTIES,
        child_ids,
        node.backend_node_id,
        next((reason.name for reason in node.ignored_reasons if reason.name), ""),
    )


def _numbered(nodes: Sequence[_UnknownNode]) -> list[AXNode]:
    """The nodes, with numbers for ids that may be anything."""
    number: collections.defaultdict[str, int] = collections.defaultdict(lambda: len(number))
    ids = {one for node in nodes for one in (node.node_id, *node.child_ids)}
    if all(_NUMBER.fullmatch(one) for one in ids):
        number.update((one, int(one)) for one in ids)
    return [_flat(node, number[node.node_id], tuple(number[one] for one in node.child_ids)) for node in nodes]
