"""Which fields hold a password, and how it is kept out of a capture while the page shows it.

A password field is masked by the browser, in the accessibility tree too, until the page makes it a text field
("Show password"); some pages begin with that. Chromium tells of no node that it once was a password field. So
a field holds a password where

- it is an ``<input type=password>``,
- its ``autocomplete`` says ``current-password`` or ``new-password``, or
- it was a password field when this target was last looked at, or typed into (`Ordinals.passwords`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.ax_node import BULLET
from hybridsnap.capture.dom import attribute_of
from hybridsnap.capture.xpath import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.frames import Ordinals
    from hybridsnap.capture.reading import SessionResult
    from hybridsnap.model import BackendNodeId
    from hybridsnap.protocol.ax_tree import AXNode

_PASSWORDS = frozenset({"current-password", "new-password"})


def hide_passwords(reading: SessionResult, ordinals: Ordinals) -> None:
    """Mask what fields hold a password in plain text, as Chromium masks the others; learn of all of them.

    Cost: one look at each form control.

    Args:
        reading: of one session; its DOM and AX trees are changed.
        ordinals: of the page, with what is known of its documents.
    """
    index = reading.index
    if index is None or not reading.tree:
        return
    loader = reading.tree[0].loader_id
    known = ordinals.passwords.get(loader, frozenset())
    masked: list[BackendNodeId] = []
    plain: set[BackendNodeId] = set()
    for here in index.forms:
        node = index.nodes[here]
        if here in index.passwords:
            masked.append(node.backend_node_id)
        elif node.local_name == "input" and (
            node.backend_node_id in known or _says_password(node.attributes)
        ):
            index.passwords.add(here)
            _hide_in_dom(index, here)
            plain.add(node.backend_node_id)
    if masked or plain:
        ordinals.note_passwords(loader, (*masked, *plain))
    for tree in reading.ax_trees.values() if plain else ():
        _hide_in_ax(tree.nodes, plain)


def _says_password(attributes: Sequence[str]) -> bool:
    said = attribute_of(attributes, "autocomplete")
    return said is not None and not _PASSWORDS.isdisjoint(said.lower().split())


def _hide_in_dom(index: SessionDomIndex, here: int) -> None:
    node = index.nodes[here]
    own = node.attributes
    node.attributes = tuple(
        part for at in range(0, len(own) - 1, 2) if own[at].lower() != "value" for part in own[at : at + 2]
    )
    # The inner parts of the field stand behind it.
    for at in range(here + 1, len(index.nodes)):
        if index.parents[at] < here:
            break
        if index.nodes[at].node_type == TEXT:
            index.nodes[at].node_value = ""


def _hide_in_ax(nodes: list[AXNode], fields: set[BackendNodeId]) -> None:
    parts: set[int] = set()
    for node in nodes:  # breadth first: a field comes before its parts
        if node.backend_node_id in fields:
            node.value = BULLET if node.value else None
        elif node.node_id in parts:
            node.name = BULLET if node.name else ""
        else:
            continue
        parts.update(node.child_ids)
