"""What has just been opened, and where the focus is: a small budget shows it before the page around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.render.dom import find_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hybridsnap.capture.merge import DocumentPlace
    from hybridsnap.model import ElementId, Row
    from hybridsnap.render.content import Content

#: Roles of what a control opens. Dialogs come first anyhow.
_POPUP_ROLES = frozenset({"grid", "listbox", "menu", "tree"})
#: The focus is moved into these when they open; in grids and trees, which stay, it just may be.
_ENTERED_ROLES = frozenset({"listbox", "menu"})


def find_opened(content: Content) -> frozenset[ElementId]:
    """Popups that are open, the controls that opened them, and the control with the focus.

    A popup is open where an expanded control names it, or an element around it, in ``aria-controls`` or
    ``aria-owns``, or where it holds the focus.

    Cost: one look at each row; where a control is expanded, one at the attributes of each node.
    """
    rows = content.rows
    found: set[ElementId] = set()
    for at, row in enumerate(rows):
        if "focused" in row.states:
            found.update(_entered(rows, at))
            holds_rows = at + 1 < len(rows) and rows[at + 1].depth > row.depth
            if row.role in INTERACTIVE_ROLES and row.id is not None and not holds_rows:
                found.add(row.id)  # not a `<select>` with all its options
    expanded = [row for row in rows if "expanded" in row.states and row.id is not None]
    popups = [row for row in rows if row.role in _POPUP_ROLES and row.id is not None]
    if expanded and popups:
        documents = find_documents(content.capture)
        for frame in {row.frame for row in expanded} & {row.frame for row in popups} & documents.keys():
            found.update(
                _controlled(
                    documents[frame],
                    [row.id for row in expanded if row.frame == frame and row.id is not None],
                    [row.id for row in popups if row.frame == frame and row.id is not None],
                )
            )
    return frozenset(found)


def _entered(rows: Sequence[Row], at: int) -> Iterator[ElementId]:
    """The popups among a row and those that hold it."""
    depth = rows[at].depth + 1
    for row in rows[at::-1]:
        if row.depth < depth:
            depth = row.depth
            if row.role in _ENTERED_ROLES and row.id is not None:
                yield row.id


def _controlled(
    place: DocumentPlace, expanded: Iterable[ElementId], popups: Iterable[ElementId]
) -> Iterator[ElementId]:
    """The controls of a document that have popups open, and these."""
    _, index, document = place
    controls: dict[str, list[ElementId]] = {}
    for control in expanded:
        here = index.position_of(control)
        for name in ("aria-controls", "aria-owns"):
            for id_ in (index.attribute(here, name) or "").split() if here >= 0 else ():
                controls.setdefault(id_, []).append(control)
    if not controls:
        return
    named = {
        at: controls[id_]
        for at in range(document, index.end_of(document))
        if "id" in index.nodes[at].attributes and (id_ := index.attribute(at, "id") or "") in controls
    }
    for popup in popups:
        here = index.position_of(popup)
        while here >= 0 and here not in named:
            here = index.parents[here]
        if here >= 0:
            yield popup
            yield from named[here]
