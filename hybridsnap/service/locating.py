"""Elements of a snapshot, named as clients name them: by id, role, CSS selector or XPath."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.element_ids import is_element_id
from hybridsnap.capture.selectors import parse_selector
from hybridsnap.render.selectors import HOP

if TYPE_CHECKING:
    from hybridsnap.model import ElementId
    from hybridsnap.render.nodes import Node
    from hybridsnap.snapshot import Snapshot

#: Of a larger page the paths of the XPath map are not all made.
MOST_PATHS = 5_000


def select_ids(snapshot: Snapshot, selector: str) -> list[ElementId]:
    """The ids of what a selector matches in a snapshot: by role in every frame, CSS or an XPath.

    Selectors with hops, and paths of the XPath map, are taken as they are printed.

    Raises:
        SelectorError: it is none of them.
    """
    parts = parse_selector(selector).parts
    if len(parts) == 1 and (query := parts[0].role) is not None:
        rows = snapshot.rows
        return [row.id for row in rows if row.id is not None and query.fits(row.role, row.name)]
    if not selector.startswith(("/", "(")):
        # In the snapshot's tree a frame's document, and a shadow root, stand below their owner.
        return snapshot.css(selector.replace(f"{HOP}:host >", " ").replace(HOP, " "))
    found = snapshot.xpath(selector)
    if found or len(snapshot.rows) > MOST_PATHS:
        return found
    paths = snapshot.combined_xpath_map
    return [row.id for row in snapshot.rows if row.id is not None and paths.get(row.id) == selector]


def find_node(snapshot: Snapshot, element: str) -> Node:
    """The one element that is meant.

    Raises:
        LookupError: there is none, or there are several.
        SelectorError: it is no selector.
    """
    if is_element_id(element):
        return snapshot.node(element)
    ids = select_ids(snapshot, element)
    if not ids:
        raise LookupError("it matches nothing that the page shows; give an id of the last snapshot")
    if len(ids) != 1:
        raise LookupError(f"it matches {len(ids)} elements; name one by its id")
    return snapshot.node(ids[0])
