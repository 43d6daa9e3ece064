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
#: Those that seldom stay in a page. Grids and trees do: in sections that fold, and with the focus.
_PASSING_ROLES = frozenset({"listbox", "menu"})


def find_opened(content: Content) -> frozenset[ElementId]:
    """Popups that are open, the controls that opened them, and the control with the focus.

    A popup is open where an expanded control names it in ``aria-controls`` or ``aria-owns``. A menu or list
    box is also open where such a control names an element around it, or where it holds the focus.

    Cost: one look at each row; where there is a popup, one at the attributes of each node.
    """
    rows = content.rows
    found: set[ElementId] = set()
    popups: list[tuple[Row, ElementId]] = []
    for at, row in enumerate(rows):
        if row.role in _POPUP_ROLES and row.id is not None:
            popups.append((row, row.id))
        if "focused" in row.states:
            found.update(_entered(rows, at))
            holds_rows = at + 1 < len(rows) and rows[at + 1].depth > row.depth
            if row.role in INTERACTIVE_ROLES and row.id is not None and not holds_rows:
                found.add(row.id)  # not a `<select>` with all its options
    documents = find_documents(content.capture) if popups else {}
    openers: dict[int, Mapping[tuple[int, str], int]] = {}
    for row, popup in popups:
        if row.frame in documents:
            session, index, _ = documents[row.frame]
            if session not in openers:
                openers[session] = find_openers(index)
            opener = _opener(index, popup, openers[session], around=row.role in _PASSING_ROLES)
            if opener is not None:
                found |= {popup, ElementId(f"{row.frame}-{opener.backend_node_id}")}
    return frozenset(found)


def _entered(rows: Sequence[Row], at: int) -> Iterator[ElementId]:
    """The popups among a row and those that hold it."""
    depth = rows[at].depth + 1
    for row in rows[at::-1]:
        if row.depth < depth:
            depth = row.depth
            if row.role in _PASSING_ROLES and row.id is not None:
                yield row.id


def _opener(
    index: SessionDomIndex, popup: ElementId, openers: Mapping[tuple[int, str], int], *, around: bool
) -> DOMNode | None:
    """The control that has a popup open, or with `around` an element that holds it."""
    here = index.position_of(popup) if openers else -1
    while here >= 0:
        opener = openers.get((index.documents[here], index.attribute(here, "id") or ""))
        if opener is not None:
            return index.nodes[opener]
        here = index.parents[here] if around else -1
    return None
