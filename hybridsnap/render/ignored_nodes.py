"""Whether content below ``aria-hidden`` is rendered, as far as the accessibility tree tells without layout.

Chromium lists ignored AX nodes of hidden elements, of buttons, links and their texts only where these are
rendered (measured in Chromium 156). What it lists in any case says nothing.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from hybridsnap.capture.dom import UNREAD_TAGS
from hybridsnap.capture.xpath import ELEMENT, FRAGMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId
    from hybridsnap.protocol.ax_tree import AXNode

#: Chromium lists these, and what is in them, whether they are rendered or not.
_LISTED_UNRENDERED = frozenset(
    {"label", "select", "input", "textarea", "details", "audio", "video", "meter", "progress"}
)
#: These, too, but what is in their cells as elsewhere: a button and its text only where they are rendered.
_TABLE_PARTS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "th", "td"})
#: Chromium lists an element whose id stands in one of these, and its texts, whether it is rendered or not:
#: the heading of a dialog that is not open, for one.
_REFERRING = frozenset({"aria-labelledby", "aria-describedby"})
#: Of a style attribute.
_PUT_AWAY = re.compile(r"(?:^|;)\s*display\s*:\s*none\s*(?:;|!|$)", re.IGNORECASE)


class IgnoredNodes:
    """The ignored nodes of one accessibility tree.

    Args:
        index: the DOM of the tree's session.
        nodes: the tree's.

    Attributes:
        ids: their backend node ids; not of elements in which a style sheet puts something. These
            (``::before``, list items for their markers) Chromium lists also with ``visibility: hidden``.
    """

    def __init__(self, index: SessionDomIndex, nodes: Sequence[AXNode]) -> None:
        self._index = index
        self._unrendered = {node.backend_node_id for node in nodes if node.ignored_reason == "notRendered"}
        generated = {
            node.node_id
            for node in nodes
            if node.backend_node_id is not None and node.backend_node_id not in index.position
        }
        self.ids: set[BackendNodeId | None] = {
            node.backend_node_id for node in nodes if node.ignored and generated.isdisjoint(node.child_ids)
        }

    def show_rendered(self, here: int) -> bool:
        """Whether something below the element at a position, or itself, is known to be rendered."""
        index, end = self._index, self._index.end_of(here)
        if self._listed_unrendered[here]:
            return False
        while here < end:
            node = index.nodes[here]
            if (
                self._listed_unrendered[here]
                or self._is_put_away(here)
                or (node.backend_node_id in self.ids and index.attribute(here, "id") in self._referred)
            ):
                here = index.end_of(here)
                continue
            # Parts of what the browser makes (copies of an icon by `use`, for one) are listed all the same.
            if (
                node.backend_node_id in self.ids
                and node.local_name not in _TABLE_PARTS
                and not index.in_user_agent_shadow(here)
                and not self._is_top_of_host(here)
            ):
                return True
            here += 1
        return False

    def _is_put_away(self, here: int) -> bool:
        """Whether a shadow host shows nothing, as all of its shadow root is put away by its own markup.

        Chromium lists a host with a role of ElementInternals all the same (Material Web's menus).
        """
        index = self._index
        shown = [
            index.position[child.backend_node_id]
            for root in index.nodes[here].shadow_roots
            if root.shadow_root_type != "user-agent"
            for child in root.children
            if child.node_type == ELEMENT and child.local_name not in UNREAD_TAGS
        ]
        return bool(shown) and all(
            index.attribute(at, "hidden") is not None or _PUT_AWAY.search(index.attribute(at, "style") or "")
            for at in shown
        )

    def _is_top_of_host(self, here: int) -> bool:
        """Whether a node stands right below a shadow host or its root: Chromium lists these in any case."""
        above = self._index.parents[here]
        return above >= 0 and (
            self._index.nodes[above].node_type == FRAGMENT or bool(self._index.nodes[above].shadow_roots)
        )

    @functools.cached_property
    def _listed_unrendered(self) -> bytearray:
        """For each position whether it is in an element that Chromium lists whether it is rendered or not.

        Or in one that Chromium says is not: below what names or describes another element, and is not
        rendered, it lists all, what is below ``aria-hidden`` as if that were rendered.
        """
        index = self._index
        found = bytearray(len(index.nodes))
        here = 0
        while here < len(found):
            end = here + 1
            node = index.nodes[here]
            if node.local_name in _LISTED_UNRENDERED or node.backend_node_id in self._unrendered:
                end = index.end_of(here)
                found[here:end] = bytes([1]) * (end - here)
            here = end
        return found

    @functools.cached_property
    def _referred(self) -> set[str]:
        """The ids of what names or describes other elements."""
        return {
            id_
            for node in self._index.nodes
            if node.attributes and not _REFERRING.isdisjoint(node.attributes)
            for name, value in zip(node.attributes[::2], node.attributes[1::2], strict=False)
            if name in _REFERRING
            for id_ in value.split()
        }
