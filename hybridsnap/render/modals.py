"""What an open dialog, menu or list box takes out of the accessibility tree.

- A modal ``<dialog>`` takes all of its document that is not in it.
- Libraries do the same by hand: with ``aria-hidden`` or ``inert`` they hide what stands beside the element
  that they show, and beside those it is in (Radix, MUI, React Aria, Angular's CDK, WordPress), or what
  stands beside the control that has opened it (Headless UI, React Aria). They spare live regions (Radix): of
  what one stands in, all else is hidden. What they have closed is hidden there, too, by style as well
  (Element Plus, Bootstrap): that is behind nothing.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from hybridsnap.render.dom import find_documents, find_openers
from hybridsnap.render.ignored_nodes import IgnoredNodes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import ElementId, Row
    from hybridsnap.protocol.ax_tree import AXNode

#: Roles of what opens over a page, and what a reader calls it.
_WORDS = {
    "dialog": "dialog",
    "alertdialog": "dialog",
    "menu": "menu",
    "listbox": "listbox",
    "tree": "tree",
    "grid": "grid",
}
#: Only so many popups are examined: a page can have one in each row of a table.
_MOST_POPUPS = 200
#: A page has a few for messages; what a table of live cells hides is not looked at.
_MOST_LIVE = 20
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
        while here >= 0 and here not in self.hidden:
            if here == self.but:
                return False
            here = self.index.parents[here]
        return here >= 0

    def holds_hidden(self, element: ElementId) -> bool:
        """Whether an element of this document holds something that is hidden."""
        return self.index.position_of(element) in self._around

    @functools.cached_property
    def hidden(self) -> frozenset[int]:
        """`tops`, to look one up in."""
        return frozenset(self.tops)

    @functools.cached_property
    def own(self) -> frozenset[int]:
        """Positions of what changes with the modal: what is hidden for it, or what a ``<dialog>`` is in."""
        if self.but < 0:
            return self.hidden
        found: set[int] = set()
        here = self.but
        while here >= 0:
            found.add(here)
            here = self.index.parents[here]
        return frozenset(found)

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

    Cost: one look at each row; where there are popups, one at the attributes of each node, and one at what
    is hidden beside them.
    """
    popups = [row for row in rows if row.role in _WORDS and row.id is not None]
    found: dict[int, Modal] = {}
    if not popups or capture is None:
        return found
    # What opened last stands last, mostly; a list box in a dialog hides nothing by itself.
    popups.reverse()
    popups.sort(key=lambda row: _WORDS[row.role] != "dialog")
    documents = find_documents(capture)
    frames = {report.ordinal: report.frame_id for report in capture.frames}
    hidden: dict[int, dict[int, list[int]]] = {}
    openers: dict[int, Mapping[tuple[int, str], int]] = {}
    pages: dict[int, _HiddenElements] = {}
    for row in popups[:_MOST_POPUPS]:
        if row.frame in found or row.frame not in documents or row.id is None:
            continue
        session, index, document = documents[row.frame]
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
            continue
        if session not in hidden:
            hidden[session] = _hidden_children(index)
            openers[session] = find_openers(index)
        if row.frame not in pages:
            pages[row.frame] = _HiddenElements(index, tree.nodes, hidden[session])
        word = "panel" if row.tag == "select" else _WORDS[row.role]  # such a list box opens over nothing
        opener = openers[session].get((document, index.attribute(here, "id") or ""), -1)
        if tops := pages[row.frame].beside(here, opener, at_body=word != "dialog"):
            found[row.frame] = Modal(word, index, tops)
    return found


def positions_in_body(index: SessionDomIndex, document: int) -> tuple[int, ...]:
    """The positions of what stands right in a document's body."""
    for at in range(document, index.end_of(document)):
        if index.documents[at] == document and index.tags[at] == "body":
            return tuple(index.position[child.backend_node_id] for child in index.nodes[at].children)
    return ()


def _hidden_children(index: SessionDomIndex) -> dict[int, list[int]]:
    """The positions of hidden elements, by that of what they stand in."""
    found: dict[int, list[int]] = {}
    for at in index.hiding:
        if index.attribute(at, "inert") is not None or index.attribute(at, "aria-hidden") == "true":
            found.setdefault(index.parents[at], []).append(at)
    return found


class _HiddenElements:
    """The elements that a document hides with ``aria-hidden`` or ``inert``.

    Args:
        index: the DOM of its session.
        nodes: its accessibility tree.
        by_parent: the positions of the session's hidden elements, by that of what they stand in.
    """

    def __init__(
        self, index: SessionDomIndex, nodes: Sequence[AXNode], by_parent: Mapping[int, Sequence[int]]
    ) -> None:
        self._index = index
        self._ignored = IgnoredNodes(index, nodes)
        self._by_parent = by_parent
        self._live = [
            at for at, node in enumerate(index.nodes) if node.attributes and "aria-live" in node.attributes
        ][:_MOST_LIVE]
        #: As `_holds_controls` told: what stands beside many popups is read once.
        self._known: dict[int, bool | None] = {}

    def beside(self, here: int, opener: int, *, at_body: bool) -> tuple[int, ...]:
        """What is hidden beside an element and its opener, and beside those they are in.

        Menus and list boxes may stand in a page for good: for them it must be all of the page, `at_body`, or
        stand beside the opener. There also counts what is not known to be rendered, as fields with labels
        are not.
        """
        index = self._index
        tops: set[int] = set()
        reaches_body = holds_controls = False
        document = index.documents[here]
        for start in (here, opener, *self._spared(here)):
            inner = start
            while inner not in (document, -1) and (parent := index.parents[inner]) >= 0:
                for at in self._by_parent.get(parent, ()):
                    if at in (inner, here):
                        continue
                    if at not in self._known:
                        self._known[at] = self._holds_controls(at)
                    if (controls := self._known[at]) is None and start != opener:
                        continue
                    tops.add(at)
                    holds_controls = holds_controls or controls is True
                    reaches_body = reaches_body or start == opener or index.tags[parent] == "body"
                inner = parent
        return tuple(sorted(tops)) if holds_controls and (reaches_body or not at_body) else ()

    def _spared(self, here: int) -> list[int]:
        """The live regions that are spared in the midst of what is hidden for an element."""
        index = self._index
        kept = (here, *self._live)
        spared = []
        for live in self._live:
            inner, is_spared = live, False
            while (parent := index.parents[inner]) >= 0 and not parent <= here < index.end_of(parent):
                hidden = self._by_parent.get(parent, ())
                children = (index.position[child.backend_node_id] for child in index.nodes[parent].children)
                is_spared = all(
                    one in hidden or not index.tags[one] or any(one <= at < index.end_of(one) for at in kept)
                    for one in children
                )
                if inner in hidden or not is_spared:
                    break
                inner = parent
            else:
                spared += [live] if is_spared else []
        return spared

    def _holds_controls(self, at: int) -> bool | None:
        """Whether a hidden element holds controls; None where nothing of them is rendered: it was closed."""
        index = self._index
        inside = range(at, index.end_of(at))
        if not any(index.nodes[one].local_name.lower() in _OPERATED for one in inside):
            return False
        is_shown = index.attribute(at, "inert") is not None or self._ignored.show_rendered(at)
        return True if is_shown else None
