"""Which nodes of a document a snapshot's maps held, in little memory: the snapshot itself goes."""

from __future__ import annotations

import array
import dataclasses
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId


@dataclasses.dataclass(frozen=True, slots=True)
class SnapshotNodeIds:
    """The nodes of a document that a snapshot's maps hold; of one that is gone, the range of their ids."""

    snapshot_id: str
    nodes: Collection[BackendNodeId] | range


def nodes_by_document(index: SessionDomIndex) -> dict[int, Sequence[BackendNodeId]]:
    """The position of each of the session's documents → its nodes that are in the maps."""
    if len(index.document_sizes) == 1 and not index.outside:
        return {next(iter(index.document_sizes)): cast("Sequence[BackendNodeId]", index.packed_ids)}
    found: dict[int, list[BackendNodeId]] = {}
    for node, here in index.position.items():
        if here not in index.outside:
            found.setdefault(index.documents[here], []).append(node)
    return {document: _packed(nodes) for document, nodes in found.items()}


def _packed(nodes: Collection[BackendNodeId]) -> Sequence[BackendNodeId]:
    """Ids in a twelfth of the memory that an index takes for them, which goes with its snapshot."""
    try:
        return cast("Sequence[BackendNodeId]", array.array("q", nodes))
    except OverflowError:
        return tuple(nodes)  # no browser has such ids
