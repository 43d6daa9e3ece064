"""One element by its id, and elements by role and name.

Where an element stands, what it is called and what it can do comes from the outline's row; where the outline
leaves the element out, from its AX node; where that is ignored, only the DOM tells of it, and role and name
are "". Parent and children are the outline's for an element that has a row (the nearest rows with an id), and
the DOM's otherwise (elements only; a shadow root's content stands below its host, a frame's document below
its owner, which the outline always has).
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import TYPE_CHECKING

from hybridsnap.argument_checks import check_str
from hybridsnap.capture.ax import states_of
from hybridsnap.capture.ax_node import REDACTED, value_of, without_password
from hybridsnap.capture.element_ids import is_element_id, parse_element_id
from hybridsnap.capture.xpath import DOCUMENT, ELEMENT, FRAGMENT
from hybridsnap.errors import UnknownElement
from hybridsnap.model import BackendNodeId, ElementId, Row
from hybridsnap.render.dom import (
    attributes_of,
    find_documents,
    in_password,
    is_password,
    text_of,
)
from hybridsnap.render.locators import Locators, find_locators
from hybridsnap.render.select import ends_of, parents_of
from hybridsnap.render.tree import label_of
from hybridsnap.text import clean_text, squeeze

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.merge import DocumentPlace
    from hybridsnap.model import Box, FrameId
    from hybridsnap.protocol.ax_tree import AXNode
    from hybridsnap.protocol.replies import DOMNode
    from hybridsnap.render.content import Content

#: Their name is their content (WAI-ARIA 1.2, "name from content"), so it tells the text that the outline
#: leaves out below them. Without checkbox, radio and switch, which HTML names by a label beside them.
_NAMED_BY_CONTENT = frozenset(
    {
        "StaticText",
        "button",
        "cell",
        "columnheader",
        "gridcell",
        "heading",
        "link",
        "menuitem",
        "option",
        "row",
        "rowheader",
        "tab",
        "treeitem",
        "DisclosureTriangle",
    }
)


@dataclasses.dataclass(frozen=True)
class Node:
    """All there is to know of one element; strings are the page's own, not cleaned.

    `attributes`, `text`, `xpath` and `locators` are computed when asked for.

    Attributes:
        id: such as ``0-29``.
        role: Chromium's; "" where it has no accessible object.
        name: accessible name.
        description: accessible description.
        value: what a control holds; never a password.
        states: as `hybridsnap.model.Row.states`.
        tag: lower-case for HTML elements; "" where it is not an element (text, a document).
        url: where a link leads, an image or a document comes from; None where there is none.
        frame: ordinal.
        parent: the element above it; None at the top.
        children: those below it.
        bounds: x, y, width, height in CSS px of the main viewport; None where they are not known.
        box: all that layout tells; None without.
    """

    id: ElementId
    role: str
    name: str
    description: str
    value: str
    states: tuple[str, ...]
    tag: str
    url: str | None
    frame: int
    parent: ElementId | None
    children: tuple[ElementId, ...]
    bounds: tuple[float, float, float, float] | None
    box: Box | None
    _index: NodeIndex = dataclasses.field(repr=False, compare=False)

    @functools.cached_property
    def attributes(self) -> dict[str, str]:
        """Of the DOM, by their names in the page, but a password's value; {} in a snapshot from JSON."""
        place = self._index.place(self.id)
        return {} if place is None else attributes_of(place[0].nodes[place[1]])

    @functools.cached_property
    def text(self) -> str:
        """The element's text and that of its descendants, runs of white space as one space.

        Only text that the accessibility tree exposes: nothing of what ``display: none``,
        ``visibility: hidden``, ``aria-hidden``, ``inert`` or a closed ``<details>`` hides, no scripts and no
        style sheets, no fallback content (``<noscript>``, ``<video>``), no shadow roots, no documents of
        frames; "" for an element that is itself hidden. Of a collapsed ``<select>`` Chromium exposes hidden
        options, too. Block elements stand a space apart. In a snapshot from JSON: the text of the rows below.
        """
        return self._index.text(self.id)

    @functools.cached_property
    def xpath(self) -> str | None:
        """Its path through all frames; None where it has none."""
        return self._index.content.xpaths.get(self.id)

    @functools.cached_property
    def locators(self) -> Locators:
        """How test code names the element (or the one around a text): by Playwright, CSS, XPath.

        Raises:
            ValueError: the snapshot was read from JSON.
        """
        place = self._index.place(self.id)
        at = None if place is None else (self._index.frames[self.frame].session, place[1])
        described = Row(self.id, 0, self.role, self.name, "", "", (), self.tag, self.frame)
        return find_locators(self._index.content, at, described)


class NodeIndex:
    """What the rows, the AX trees and the DOM of one snapshot tell of an element, by its id.

    Attributes:
        content: the snapshot's.
        rows: the outline.
        row_at: element id → number of its row.
        frames: ordinal → where the document stands, for each frame whose DOM is here.
    """

    def __init__(self, content: Content) -> None:
        self.content = content
        self.rows: Sequence[Row] = content.rows
        self.row_at: dict[ElementId, int] = {
            row.id: at for at, row in enumerate(content.rows) if row.id is not None
        }
        self.frames: dict[int, DocumentPlace] = find_documents(content.capture)
        self._ax: dict[int, dict[BackendNodeId, AXNode]] = {}
        self._ignored: dict[int, dict[BackendNodeId, bool]] = {}
        self._reasons: dict[int, dict[BackendNodeId | None, str]] = {}

    # What is known of an element

    def place(self, element_id: str) -> tuple[SessionDomIndex, int] | None:
        """A node's session and its position there; None where the DOM has no such node."""
        if not is_element_id(element_id):
            return None
        ordinal, backend_node_id = parse_element_id(element_id)
        document = self.frames.get(ordinal)
        if document is None:
            return None
        index = document.dom
        here = index.position.get(backend_node_id)
        if here is None or index.documents[here] != document.position:
            return None
        if here in index.outside or not index.has_xpath(here):
            return None
        return index, here

    def described(self, element_id: ElementId, ordinal: int, node: DOMNode) -> Row | None:
        """What is known of a DOM node beyond the DOM, as a row; None where it has no accessible object."""
        at = self.row_at.get(element_id)
        if at is not None:
            return self.rows[at]
        found = self._ax_nodes(ordinal).get(node.backend_node_id)
        if found is None:
            return None
        value = value_of(found)
        return Row(
            element_id,
            0,
            found.role,
            found.name,
            found.description,
            "" if is_password(node) or without_password(found, value) == REDACTED else value,
            states_of(found.properties, found.role),
            "",
            ordinal,
        )

    def _ax_nodes(self, ordinal: int) -> dict[BackendNodeId, AXNode]:
        """A frame's AX nodes that are not ignored, by DOM node; the first of each."""
        found = self._ax.get(ordinal)
        if found is None:
            found = self._ax[ordinal] = {}
            for node in self._ax_tree(ordinal):
                if not node.ignored and node.backend_node_id is not None:
                    found.setdefault(node.backend_node_id, node)
        return found

    def _ignored_by_ax(self, ordinal: int) -> dict[BackendNodeId, bool]:
        """The DOM nodes that have a node in a frame's AX tree → whether that is ignored."""
        found = self._ignored.get(ordinal)
        if found is None:
            nodes = ((node.backend_node_id, node.ignored) for node in self._ax_tree(ordinal))
            found = self._ignored[ordinal] = {id_: ignored for id_, ignored in nodes if id_ is not None}
        return found

    def ignored_reason(self, ordinal: int, node: DOMNode) -> str:
        """Why Chromium leaves a DOM node out of a frame's tree; "" where it does not say, or shows it."""
        found = self._reasons.get(ordinal)
        if found is None:
            found = self._reasons[ordinal] = {
                one.backend_node_id: one.ignored_reason for one in self._ax_tree(ordinal) if one.ignored
            }
        return found.get(node.backend_node_id, "")

    def _ax_tree(self, ordinal: int) -> Sequence[AXNode]:
        capture = self.content.capture
        frame = None if capture is None else self._frame_ids.get(ordinal)
        if capture is None or frame is None or frame not in capture.ax_trees:
            return ()
        return capture.ax_trees[frame].nodes

    @functools.cached_property
    def _frame_ids(self) -> dict[int, FrameId]:
        return {frame.ordinal: frame.frame_id for frame in self.content.report.frames}

    # One element

    def node(self, element_id: str) -> Node:
        """All there is to know of one element.

        Raises:
            UnknownElement: the snapshot has no such element.
        """
        at = self.row_at.get(ElementId(element_id))
        if at is not None:
            parent = self._parents_with_id[at]
            return self._made(
                self.rows[at],
                None if parent < 0 else self.rows[parent].id,
                self._children_with_id.get(at, []),
            )
        place = self.place(element_id)
        if place is None:
            raise self._unknown(element_id)
        index, here = place
        id_ = ElementId(element_id)
        ordinal = int(element_id.partition("-")[0])
        known = self.described(id_, ordinal, index.nodes[here]) or Row(
            id_, 0, "", "", "", "", (), "", ordinal
        )
        tag = index.tags[here]
        made = Row(id_, 0, known.role, known.name, known.description, known.value, known.states, tag, ordinal)
        return self._made(made, self._parent_in_dom(ordinal, index, here), self._below(ordinal, index, here))

    def _made(self, row: Row, parent: ElementId | None, children: Sequence[ElementId]) -> Node:
        assert row.id is not None
        layout = self.content.layout
        box = None if layout is None else layout.boxes.get(row.id)
        return Node(
            row.id,
            row.role,
            row.name,
            row.description,
            row.value,
            row.states,
            row.tag,
            self.content.urls.get(row.id),
            row.frame,
            parent,
            tuple(children),
            None if box is None else box.bounds,
            box,
            self,
        )

    def _unknown(self, element_id: str) -> UnknownElement:
        if not is_element_id(element_id):
            words = "is not an element id; give one as the outline prints it, such as 0-29"
        elif self.content.capture is None:
            words = (
                "is not in this snapshot, which was read from JSON and knows only the ids of its outline;"
                " give one that it prints, or capture the page anew"
            )
        else:
            words = "is not in this snapshot; give an id that its outline prints, or capture the page anew"
        return UnknownElement(f"{element_id!r} {words}", element_id=element_id)

    # The outline as a tree of ids

    @functools.cached_property
    def _parents(self) -> list[int]:
        return parents_of(self.rows)

    @functools.cached_property
    def _ends(self) -> list[int]:
        """For each row where its subtree ends, exclusive."""
        return ends_of(self._parents)

    @functools.cached_property
    def _parents_with_id(self) -> list[int]:
        above: list[int] = []
        for parent in self._parents:
            above.append(parent if parent < 0 or self.rows[parent].id is not None else above[parent])
        return above

    @functools.cached_property
    def _children_with_id(self) -> dict[int, list[ElementId]]:
        children: dict[int, list[ElementId]] = {}
        for row, parent in zip(self.rows, self._parents_with_id, strict=True):
            if row.id is not None and parent >= 0:
                children.setdefault(parent, []).append(row.id)
        return children

    # The DOM as a tree of ids

    def _parent_in_dom(self, ordinal: int, index: SessionDomIndex, here: int) -> ElementId | None:
        if index.nodes[here].node_type == DOCUMENT:
            return self._owner_ids.get(ordinal)
        above = index.parents[here]
        while above >= 0 and index.nodes[above].node_type == FRAGMENT:
            above = index.parents[above]
        if above < 0 or above in index.outside:
            return None
        return ElementId(f"{ordinal}-{index.nodes[above].backend_node_id}")

    def _below(self, ordinal: int, index: SessionDomIndex, here: int) -> list[ElementId]:
        node = index.nodes[here]
        children = [child for root in node.shadow_roots for child in root.children]
        return [
            ElementId(f"{ordinal}-{child.backend_node_id}")
            for child in [*children, *node.children]
            if child.node_type == ELEMENT
        ]

    @functools.cached_property
    def _owner_ids(self) -> dict[int, ElementId]:
        return {
            frame.ordinal: frame.owner_id
            for frame in self.content.report.frames
            if frame.owner_id is not None
        }

    # Text

    def text(self, element_id: ElementId) -> str:
        """As `Node.text`."""
        place = self.place(element_id)
        if place is None:
            at = self.row_at.get(element_id)
            return "" if at is None else self._text_of_rows(at)
        index, here = place
        if in_password(index, here):
            return ""
        return text_of(index.nodes[here], self._ignored_by_ax(int(element_id.partition("-")[0])))

    def _text_of_rows(self, at: int) -> str:
        """The names of the lowest rows, as far as their name is their content."""
        frame, end = self.rows[at].frame, self._ends[at]
        return squeeze(
            " ".join(
                row.name
                for below, row in enumerate(self.rows[at:end], at)
                if self._ends[below] == below + 1 and row.frame == frame and row.role in _NAMED_BY_CONTENT
            )
        )

    # Many elements

    def find(
        self,
        role: str | None = None,
        name: str | re.Pattern[str] | None = None,
        *,
        exact: bool = False,
        within: str | None = None,
    ) -> list[Node]:
        """As `hybridsnap.Snapshot.find`."""
        check_str("role", role, "button", optional=True)
        check_str("within", within, "0-29", optional=True)
        fits = _name_test(name, exact=exact)
        below = None if within is None else self._below_test(within)
        wanted = None if role is None else role.casefold()
        found: list[Node] = []
        for at, row in enumerate(self.rows):
            if (
                row.id is not None
                and (wanted is None or wanted in (row.role.casefold(), label_of(row).casefold()))
                and (fits is None or fits(clean_text(row.name)))
                and (below is None or below(at))
            ):
                found.append(self.node(row.id))
        return found

    def _below_test(self, within: str) -> Callable[[int], bool]:
        """Whether the row of a number is below an element."""
        start = self.row_at.get(ElementId(within))
        if start is not None:
            return range(start + 1, self._ends[start]).__contains__
        path = None if self.place(within) is None else self.content.xpaths.get(ElementId(within))
        if path is None:
            raise self._unknown(within)

        def is_below(at: int) -> bool:
            id_ = self.rows[at].id
            return id_ is not None and self.content.xpaths.get(id_, "").startswith(f"{path}/")

        return is_below


def _name_test(name: str | re.Pattern[str] | None, *, exact: bool) -> Callable[[str], bool] | None:
    if name is None:
        return None
    if isinstance(name, re.Pattern):
        if exact:
            raise ValueError("exact means nothing with a regular expression; anchor it with ^ and $")
        pattern = name
        return lambda text: pattern.search(text) is not None
    check_str("name", name, "Buy")
    wanted = clean_text(name)
    if exact:
        return wanted.__eq__
    folded = wanted.casefold()
    return lambda text: folded in text.casefold()


def attribute_names(states: Sequence[str], role: str) -> Mapping[str, str]:
    """A row's states as attributes: ``collapsed`` → expanded="false", ``level=2`` → level="2".

    ``mixed`` says what is mixed by the role: a button is pressed, anything else checked. ``covered by 0-77``
    → covered-by="0-77". Every other state is its own name, "true".
    """
    found: dict[str, str] = {}
    for state in states:
        if state == "collapsed":
            found["expanded"] = "false"
        elif state == "mixed":
            found["pressed" if "button" in role.lower() else "checked"] = "mixed"
        elif "=" in state:
            name, _, value = state.partition("=")
            found[name] = value
        elif state.startswith("covered by "):
            found["covered-by"] = state.removeprefix("covered by ")
        else:
            found[state] = "true"
    return found
