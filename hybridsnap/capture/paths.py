"""Element id → XPath, for every node of a capture, computed when asked for."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hybridsnap.capture.element_ids import parse_element_id
from hybridsnap.capture.merge import compute_frame_prefixes, find_document
from hybridsnap.capture.xpath import prefix_xpath
from hybridsnap.model import BackendNodeId, ElementId, FrameId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.frames import FrameContext
    from hybridsnap.capture.merge import DocumentPlace
    from hybridsnap.capture.reading import Capture


class Paths:
    """Where every node of a live capture stands, computed when asked for."""

    def __init__(self, capture: Capture) -> None:
        self._context: FrameContext = capture.context
        self._indexes: Sequence[SessionDomIndex | None] = capture.indexes
        self._owners = capture.owners
        captured = {
            frame.ordinal: frame.frame_id
            for frame in capture.frames
            if frame.status in ("captured", "partial") and frame.frame_id in capture.context.frames
        }
        self.frame_by_ordinal: dict[int, FrameId] = captured

    @functools.cached_property
    def prefixes(self) -> dict[FrameId, str | None]:
        """Each frame's path; see `compute_frame_prefixes`."""
        return compute_frame_prefixes(self._context, self._owners, self._indexes)

    def document_of(self, frame: FrameId) -> DocumentPlace | None:
        """Where a frame's document stands; None where its DOM is not here."""
        return find_document(self._context, self._owners, self._indexes, frame)

    def relative(self, ordinal: int, backend_node_id: BackendNodeId) -> str | None:
        """The node's path within its frame; None when the frame has no such node, or it has no path."""
        frame = self.frame_by_ordinal.get(ordinal)
        place = None if frame is None else self.document_of(frame)
        if place is None:
            return None
        _, index, document = place
        here = index.position.get(backend_node_id)
        if here is None or index.documents[here] != document:
            return None
        return index.xpath(here)

    def absolute(self, ordinal: int, backend_node_id: BackendNodeId) -> str | None:
        """The node's path in the page, through all frames."""
        own = self.relative(ordinal, backend_node_id)
        prefix = None if own is None else self.prefixes.get(self.frame_by_ordinal[ordinal])
        return None if own is None or prefix is None else prefix_xpath(prefix, own)

    def ids(self, ordinal: int) -> Iterator[ElementId]:
        """Every id of a frame that has a path, in document order."""
        frame = self.frame_by_ordinal.get(ordinal)
        place = None if frame is None else self.document_of(frame)
        if place is None:
            return
        _, index, document = place
        for here, its_document in enumerate(index.documents):
            backend_id = index.nodes[here].backend_node_id
            # Two nodes of one id: no browser says so, but a reply may.
            once = backend_id >= 0 and index.position[backend_id] == here and here not in index.outside
            if once and its_document == document and index.has_xpath(here):
                yield ElementId(f"{ordinal}-{backend_id}")


class XpathMap(Mapping[ElementId, str]):
    """Element id → XPath, for every node of the snapshot, computed when asked for.

    Cost: a look-up takes the node's depth, plus once for each parent the number of its children.

    Args:
        paths: of the capture.
        ordinal: one frame, with paths within it; None for all, with paths in the page.
    """

    def __init__(self, paths: Paths, ordinal: int | None = None) -> None:
        self.paths = paths
        self._ordinal = ordinal

    def __getitem__(self, element_id: ElementId | str) -> str:
        ordinal, backend_id = parse_element_id(element_id)
        if self._ordinal is None:
            path = self.paths.absolute(ordinal, backend_id)
        else:
            path = self.paths.relative(ordinal, backend_id) if ordinal == self._ordinal else None
        if path is None:
            raise KeyError(element_id)
        return path

    def __iter__(self) -> Iterator[ElementId]:
        ordinals = sorted(self.paths.frame_by_ordinal) if self._ordinal is None else [self._ordinal]
        for ordinal in ordinals:
            # Below an owner element that is not known, nodes have a place in their frame only.
            placed = self.paths.prefixes.get(self.paths.frame_by_ordinal[ordinal]) is not None
            if placed or self._ordinal is not None:
                yield from self.paths.ids(ordinal)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<XpathMap of {len(self.paths.frame_by_ordinal) if self._ordinal is None else 1} frame(s)>"
