"""What an open dialog, menu or list box takes out of the accessibility tree.

- A modal ``<dialog>`` takes all of its document that is not in it.
- Libraries do the same by hand: with ``aria-hidden`` or ``inert`` they hide what stands beside the element
  that they show, and beside those it is in (Radix, MUI, React Aria, Angular's CDK, WordPress).
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from hybridsnap.capture.dom import attribute_of
from hybridsnap.render.dom import find_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import ElementId, Row
    from hybridsnap.protocol.replies import DOMNode

#: Roles of what opens over a page, and what a reader calls it.
_WORDS = {
    "dialog": "dialog",
    "alertdialog": "dialog",
    "menu": "menu",
    "listbox": "listbox",
    "tree": "tree",
    "grid": "grid",
}
#: What is operated; without any of it, what stands hidden beside a dialog is decoration.
_OPERATED = frozenset({"a", "button", "input", "select", "summary", "textarea"})


@dataclasses.dataclass(frozen=True)
class Modal:
    """What hides the page beside it.

    Attributes:
        word: what a reader calls it.
        index: the DOM it is in.
        tops: the positions of the elements that it hides, with all below them.
        but: the position of the dialog, which is below one of `tops` and not hidden; -1 where it is not.
    """

    word: str
    index: SessionDomIndex
    tops: tuple[int, ...]
    but: int = -1

    def hides(self, element: ElementId) -> bool:
        """Whether an element of this document is below one that is hidden."""
        here = self.index.position_of(element)
        while here >= 0 and here not in self.tops:
            if here == self.but:
                return False
            here = self.index.parents[here]
        return here >= 0

    def holds_hidden(self, element: ElementId) -> bool:
        """Whether an element of this document holds something that is hidden."""
        return self.index.position_of(element) in self._around

    @functools.cached_property
    def _around(self) -> frozenset[int]:
        found: set[int] = set()
        for top in self.tops:
            here = self.index.parents[top]
            while here >= 0 and here not in found:
                found.add(here)
                here = self.index.parents[here]
        return frozenset(found)


def find_modals(rows: Sequence[Row], capture: Capture | None) -> dict[int, Modal]:
    """The modal of each frame that has one open, by the frame's ordinal; nothing without a capture.

    Cost: one look at each row; the rest grows with the popups and with what stands beside them.
    """
    popups = [row for row in rows if row.role in _WORDS and row.id is not None]
    found: dict[int, Modal] = {}
    if not popups or capture is None:
        return found
    documents = find_documents(capture)
    frames = {report.ordinal: report.frame_id for report in capture.frames}
    seen: set[tuple[int, int]] = set()
    for row in popups:
        if row.frame in found or row.frame not in documents or row.id is None:
            continue
        _, index, document = documents[row.frame]
        here = index.position_of(row.id)
        tree = capture.ax_trees.get(frames[row.frame])
        if here < 0 or tree is None:
            continue
        if (
            row.tag == "dialog"
            and "modal" in row.states
            and any(node.ignored_reason == "activeModalDialog" for node in tree.nodes)
        ):  # otherwise it only says so, and the page behind it is in the tree
            found[row.frame] = Modal("dialog", index, positions_in_body(index, document), here)
        elif tops := tuple(_hidden_beside(index, here, seen, at_body=_WORDS[row.role] != "dialog")):
            found[row.frame] = Modal(_WORDS[row.role], index, tops)
    return found


def positions_in_body(index: SessionDomIndex, document: int) -> tuple[int, ...]:
    """The positions of what stands right in a document's body."""
    for at in range(document, index.end_of(document)):
        if index.documents[at] == document and index.tags[at] == "body":
            return tuple(index.position[child.backend_node_id] for child in index.nodes[at].children)
    return ()


def _hidden_beside(
    index: SessionDomIndex, here: int, seen: set[tuple[int, int]], *, at_body: bool
) -> list[int]:
    """What is hidden beside an element, and beside those it is in, as far as these are not `seen`.

    Menus and list boxes may stand in a page for good: for them it must be all of the page, `at_body`.
    """
    tops: list[int] = []
    reaches_body = False
    while (parent := index.parents[here]) >= 0 and (id(index), parent) not in seen:
        seen.add((id(index), parent))
        beside = [index.position[child.backend_node_id] for child in index.nodes[parent].children]
        hidden = [at for at in beside if at != here and _is_hidden(index.nodes[at])]
        tops += hidden
        reaches_body = reaches_body or (bool(hidden) and index.tags[parent] == "body")
        if index.documents[parent] == parent:
            break
        here = parent
    holds_controls = any(
        index.nodes[at].local_name.lower() in _OPERATED
        for top in tops
        for at in range(top, index.end_of(top))
    )
    return sorted(tops) if holds_controls and (reaches_body or not at_body) else []


def _is_hidden(node: DOMNode) -> bool:
    attributes = node.attributes
    return bool(attributes) and (
        attribute_of(attributes, "aria-hidden") == "true" or attribute_of(attributes, "inert") is not None
    )
