"""Elements of a snapshot, named as clients name them: by id, role, CSS selector or XPath."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.element_ids import is_element_id
from hybridsnap.capture.selectors import parse_selector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.selectors import Part
    from hybridsnap.model import ElementId
    from hybridsnap.render.nodes import Node
    from hybridsnap.snapshot import Snapshot

#: Of a larger page the paths of the XPath map are not all made.
MOST_PATHS = 5_000


def select_ids(snapshot: Snapshot, selector: str) -> list[ElementId]:
    """The ids of what a selector matches in a snapshot: by role in every frame, CSS or an XPath.

    Paths of the XPath map are taken as they are printed.

    Raises:
        SelectorError, ValueError: it is none of them.
    """
    parts = parse_selector(selector).parts
    found: list[ElementId] = []
    for number, part in enumerate(parts):
        inside = _ids_below(snapshot, found) if number else None
        found = [id_ for id_ in _ids_of(snapshot, part) if inside is None or id_ in inside]
        if part.nth is not None:
            found = found[part.nth :][:1] if -len(found) <= part.nth else []
    return found


def _ids_of(snapshot: Snapshot, part: Part) -> list[ElementId]:
    """What a part of a selector matches in the whole page."""
    if part.role is not None:
        rows = snapshot.rows
        return [row.id for row in rows if row.id is not None and part.role.fits(row.role, row.name)]
    if part.kind == "css":
        # In the snapshot's tree a frame's document, and a shadow root, stand below their owner.
        return snapshot.css(part.text.removeprefix(":host >"))
    found = snapshot.xpath(part.text)
    if found or len(snapshot.rows) > MOST_PATHS:
        return found
    paths = snapshot.combined_xpath_map
    return [row.id for row in snapshot.rows if row.id is not None and paths.get(row.id) == part.text]


def _ids_below(snapshot: Snapshot, tops: Sequence[ElementId]) -> set[ElementId]:
    """The ids of all elements below some."""
    meant = " or ".join(f"@hs:id='{id_}'" for id_ in tops)
    return set(snapshot.xpath(f"//*[{meant}]//*")) if tops else set()


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
