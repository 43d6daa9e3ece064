"""What has just been opened, and where the focus is: a small budget shows it before the page around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.model import ElementId
from hybridsnap.render.dom import find_documents, find_openers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import Row
    from hybridsnap.protocol.replies import DOMNode
    from hybridsnap.render.content import Content

#: Roles of what a control opens. Dialogs come first anyhow.
_POPUP_ROLES = frozenset({"grid", "listbox", "menu", "tree"})
#: The focus is moved into these when they open; in grids and trees, which stay, it just may be.
_ENTERED_ROLES = frozenset({"listbox", "menu"})


def find_opened(content: Content) -> frozenset[ElementId]:
    """Popups that are open, the controls that opened them, and the control with the focus.

    A popup is open where an expanded control names it, or an element around it, in ``aria-controls`` or
    ``aria-owns``, or where it holds the focus.

    Cost: one look at each row; where there is a popup, one at the attributes of each node.
    """
    rows = content.rows
    found: set[ElementId] = set()
    popups: list[tuple[int, ElementId]] = []
    for at, row in enumerate(rows):
        if row.role in _POPUP_ROLES and row.id is not None:
            popups.append((row.frame, row.id))
        if "focused" in row.states:
            found.update(_entered(rows, at))
            holds_rows = at + 1 < len(rows) and rows[at + 1].depth > row.depth
            if row.role in INTERACTIVE_ROLES and row.id is not None and not holds_rows:
                found.add(row.id)  # not a `<select>` with all its options
    documents = find_documents(content.capture) if popups else {}
    openers: dict[int, Mapping[tuple[int, str], int]] = {}
    for frame, popup in popups:
        if frame in documents:
            session, index, _ = documents[frame]
            if session not in openers:
                openers[session] = find_openers(index)
            if (opener := _opener(index, popup, openers[session])) is not None:
                found |= {popup, ElementId(f"{frame}-{opener.backend_node_id}")}
    return frozenset(found)


def _entered(rows: Sequence[Row], at: int) -> Iterator[ElementId]:
    """The popups among a row and those that hold it."""
    depth = rows[at].depth + 1
    for row in rows[at::-1]:
        if row.depth < depth:
            depth = row.depth
            if row.role in _ENTERED_ROLES and row.id is not None:
                yield row.id


def _opener(
    index: SessionDomIndex, popup: ElementId, openers: Mapping[tuple[int, str], int]
) -> DOMNode | None:
    """The control that has a popup, or an element around it, open."""
    here = index.position_of(popup) if openers else -1
    while here >= 0:
        opener = openers.get((index.documents[here], index.attribute(here, "id") or ""))
        if opener is not None:
            return index.nodes[opener]
        here = index.parents[here]
    return None
