"""The accessibility tree as the engine reads it, whatever encoding it came in.

Of each node only the fields that are read, each as a plain value: a large page has a hundred thousand nodes,
and every object around a value is one more to make, to keep and to look into. The structs have no ``gc``, so
they are invisible to the cyclic collector.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec

from hybridsnap.model import BackendNodeId

#: What a property or a value may be.
AXScalar: TypeAlias = "str | int | float | bool | None"

#: Of a node that has none; never written to.
NO_PROPERTIES: Mapping[str, AXScalar] = {}


class AXNode(msgspec.Struct, gc=False):
    """An `Accessibility.AXNode`.

    Attributes:
        node_id: its own id; numbers, see `hybridsnap.protocol.ax_reply`.
        ignored: it is left out of the tree that assistive technology sees.
        role: Chromium's; ``none`` where it says none.
        name: the accessible name, as the page has it; "" where there is none.
        description: likewise; "" where there is none.
        value: of a control that has one.
        properties: name → value, in the order in which they came.
        child_ids: of its children, ignored ones included.
        backend_node_id: the DOM node behind it.
        ignored_reason: the first that Chromium gives, such as ``ariaHiddenSubtree``; "" where it gives none.
    """

    node_id: int
    ignored: bool = False
    role: str = "none"
    name: str = ""
    description: str = ""
    value: AXScalar = None
    properties: Mapping[str, AXScalar] = NO_PROPERTIES
    child_ids: tuple[int, ...] = ()
    backend_node_id: BackendNodeId | None = None
    ignored_reason: str = ""


class AXTree(msgspec.Struct):
    """The result of `Accessibility.getFullAXTree`: flat, breadth first, some nodes twice."""

    nodes: list[AXNode]


def with_descendants(ids: Iterable[int], children: Mapping[int, Iterable[int]]) -> set[int]:
    """The nodes, and all below them."""
    found: set[int] = set()
    open_ids = list(ids)
    while open_ids:
        node_id = open_ids.pop()
        if node_id not in found:
            found.add(node_id)
            open_ids.extend(children.get(node_id, ()))
    return found
