"""The accessibility side of one frame: from a flat list of AX nodes to pruned, decorated rows.

Three passes over flat lists, in this order; none recurses, none reads text back:

1. *Order* (`_in_order`): first of each ``nodeId`` wins; pieces of text lines are left out; nodes that no
   parent names hang below the root, so that none is lost.
2. *Prune* (`_prune`), children before parents:
   ignored nodes are transparent, never losing what is below them; a structural node goes when it has neither
   name nor children, gives way to its only child, and stays otherwise; one that has a name, is focusable,
   editable or scrolls stays in any case; StaticText that only repeats its parent's name or printed value
   goes; blank text goes.
3. *Rows* (`_rows`): roles decorated (`decorate_roles`), states read, ids given.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.capture.roles import DROPPED_ROLES, ROOT_ROLE, STRUCTURAL_ROLES
from hybridsnap.capture.xpath import CDATA, COMMENT, DOCUMENT, ELEMENT, PROCESSING_INSTRUCTION, TEXT
from hybridsnap.model import BackendNodeId, ElementId, Row
from hybridsnap.protocol.commands import get_full_ax_tree

if TYPE_CHECKING:
    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import FrameId, SessionId
    from hybridsnap.protocol.plan import Command
    from hybridsnap.protocol.replies import AXNode, AXTree

#: A value longer than this is cut in the outline; see `hybridsnap.render.tree`.
VALUE_CHARACTERS = 100
#: Chromium shows a password's characters as bullets, in the AX tree too.
_BULLET = "\u2022"
_WITH_XPATH = frozenset({ELEMENT, TEXT, CDATA, PROCESSING_INSTRUCTION, COMMENT, DOCUMENT})
_NO_KIDS: list[int] = []


@dataclasses.dataclass(slots=True)
class FrameRows:
    """One frame's share of the outline.

    Attributes:
        rows: depth counts from the frame's own root.
        backend_node_ids: of each row; None where no DOM node stands behind it.
        urls: element id → URL, for links, images and documents.
        ax_nodes: how many AX nodes came.
        unknown: backend node ids that only the AX side knows.
    """

    rows: list[Row]
    backend_node_ids: list[BackendNodeId | None]
    urls: dict[ElementId, str]
    ax_nodes: int
    unknown: list[BackendNodeId]


def a11y_for_frame(session: SessionId | None, frame: FrameId | None) -> Command[AXTree]:
    """The command that fetches a frame's AX tree; its reply goes to `build_hierarchical_tree`."""
    return get_full_ax_tree(session, frame)


def build_hierarchical_tree(
    tree: AXTree, index: SessionDomIndex | None, ordinal: int, *, pierce_shadow: bool = True
) -> FrameRows:
    """Make a frame's rows from its AX tree.

    Args:
        tree: the frame's `Accessibility.getFullAXTree`.
        index: the DOM of the session the frame belongs to; None when it could not be read.
        ordinal: the frame's number in element ids.
        pierce_shadow: False leaves out rows of nodes in author shadow roots.
    """
    pruning = _Pruning(index, pierce_shadow=pierce_shadow)
    order, parents = _in_order(tree.nodes)
    kids = pruning.prune(order, parents)
    rows = _rows(order, kids, pruning, ordinal)
    rows.ax_nodes = len(tree.nodes)
    return rows


def _in_order(nodes: list[AXNode]) -> tuple[list[AXNode], list[int]]:
    """The nodes in document order, and for each the position of its parent (-1 for the root)."""
    unplaced: dict[str, AXNode] = {}
    for node in nodes:
        role = node.role
        if (role is None or role.value not in DROPPED_ROLES) and node.node_id not in unplaced:
            unplaced[node.node_id] = node
    order: list[AXNode] = []
    parents: list[int] = []
    # The first node is the root; others start a tree of their own only when no parent names them.
    for start in nodes:
        if not unplaced:
            break
        if unplaced.pop(start.node_id, None) is not start:
            continue
        open_nodes = [start]
        open_parents = [0 if order else -1]
        while open_nodes:
            node = open_nodes.pop()
            here = len(order)
            order.append(node)
            parents.append(open_parents.pop())
            for child_id in reversed(node.child_ids):
                child = unplaced.pop(child_id, None)
                if child is not None:
                    open_nodes.append(child)
                    open_parents.append(here)
    return order, parents


def role_of(node: AXNode) -> str:
    """Chromium's role of the node."""
    return node.role.value if node.role is not None else "none"


def name_of(node: AXNode) -> str:
    """The node's accessible name, as the page has it."""
    return node.name.value if node.name is not None else ""


def value_of(node: AXNode) -> str:
    """The node's value as text."""
    value = None if node.value is None else node.value.value
    if value is None or value is False:
        return ""
    return "true" if value is True else str(value)


def squeeze(text: str) -> str:
    """`text` with runs of white space as one space, none around."""
    return " ".join(text.split())


class _Pruning:
    """Which nodes of one frame stay, with what the DOM knows about them."""

    def __init__(self, index: SessionDomIndex | None, *, pierce_shadow: bool) -> None:
        self.index = index
        self.hidden = None if index is None or pierce_shadow else index.in_author_shadow
        self.nothing_known = index is None

    def position(self, node: AXNode) -> int:
        """Where the node stands in the DOM index, or -1."""
        if self.index is None or node.backend_node_id is None:
            return -1
        return self.index.position.get(node.backend_node_id, -1)

    def scrolls(self, here: int) -> bool:
        """Whether the element scrolls; a document's flag counts for its root element."""
        if here < 0 or self.index is None:
            return False
        node = self.index.nodes[here]
        if node.node_type != ELEMENT:
            return False
        if node.is_scrollable:
            return True
        parent = self.index.parents[here]
        if parent < 0:
            return False
        above = self.index.nodes[parent]
        return above.node_type == DOCUMENT and above.is_scrollable

    def is_password(self, here: int) -> bool:
        """Whether the node is a password field."""
        if here < 0 or self.index is None or self.index.nodes[here].local_name.lower() != "input":
            return False
        return (self.index.attribute(here, "type") or "").lower() == "password"

    def _stays(self, node: AXNode, here: int) -> bool:
        """Whether a structural node without a name stays all the same."""
        if self.scrolls(here):
            return True
        for prop in node.properties:
            value = prop.value.value
            if not value or value == "false":
                continue
            if prop.name == "focusable":
                return True
            if prop.name == "editable":
                # The inner parts of a text field are editable too, and say nothing of their own.
                return here < 0 or self.index is None or not self.index.in_user_agent_shadow(here)
        return False

    def prune(self, order: list[AXNode], parents: list[int]) -> list[list[int]]:
        """For each node the positions of the rows below it, last first; the root's at the very end.

        A node that does not stay passes its rows on to its parent.
        """
        kids: list[list[int]] = [_NO_KIDS] * len(order)
        top: list[int] = []
        hidden_below = self._hidden(order, parents)
        for here in range(len(order) - 1, -1, -1):
            node = order[here]
            own = kids[here]
            role = role_of(node)
            passes_on: list[int] | None = None
            if node.ignored or role in STRUCTURAL_ROLES:
                at = self.position(node)
                if node.ignored:
                    if not self.scrolls(at):
                        passes_on = own
                elif len(own) <= 1 and not name_of(node) and not self._stays(node, at):
                    passes_on = own
            elif role == "StaticText" and not name_of(node).strip():
                passes_on = own
            if hidden_below is not None and hidden_below[here]:
                passes_on = own if order[here].backend_node_id is not None else _NO_KIDS
            if passes_on is None:
                if own:
                    self._drop_repeated_text(node, own, order)
                passes_on = [here]
            if passes_on:
                parent = parents[here]
                if parent < 0:
                    top.extend(passes_on)
                elif kids[parent] is _NO_KIDS:
                    kids[parent] = list(passes_on)
                else:
                    kids[parent].extend(passes_on)
        kids.append(top)
        return kids

    def _hidden(self, order: list[AXNode], parents: list[int]) -> list[bool] | None:
        """Which nodes stand in an author shadow root; one without a DOM node is where its parent is."""
        if self.hidden is None:
            return None
        hidden: list[bool] = []
        for node, parent in zip(order, parents, strict=True):
            at = self.position(node)
            hidden.append(self.hidden[at] if at >= 0 else parent >= 0 and hidden[parent])
        return hidden

    def _drop_repeated_text(self, node: AXNode, own: list[int], order: list[AXNode]) -> None:
        """Take the StaticText out of `own` that only repeats the name, or the value as it is printed."""
        texts = [name_of(order[kid]) for kid in own if role_of(order[kid]) == "StaticText"]
        if not texts:
            return
        name = name_of(node)
        if len(texts) == 1:
            repeated = bool(name) and (texts[0] == name or squeeze(texts[0]) == squeeze(name))
        else:
            texts.reverse()
            squeezed = squeeze(name)
            repeated = bool(name) and squeezed in (squeeze("".join(texts)), squeeze(" ".join(texts)))
        if not repeated:
            value = value_of(node)
            repeated = bool(value) and (
                self.is_password(self.position(node))
                or (len(value) <= VALUE_CHARACTERS and squeeze("".join(texts)) == squeeze(value))
            )
        if repeated:
            own[:] = [kid for kid in own if role_of(order[kid]) != "StaticText"]


def decorate_roles(tag: str, role: str, *, scrolls: bool, is_file: bool) -> tuple[str, ...]:
    """What is printed before a row's role, kept as leading states of the row.

    ``scrollable`` for what scrolls, ``file`` for a file input (printed ``input, file``). How role and tag
    make the printed label is `hybridsnap.render.tree.label_of`'s matter.
    """
    if is_file and tag == "input" and role not in STRUCTURAL_ROLES:
        return ("scrollable", "file") if scrolls else ("file",)
    return ("scrollable",) if scrolls else ()


_FLAGS = ("selected", "pressed", "expanded", "disabled", "required", "readonly", "invalid", "focused", "modal")
_STATE_PROPERTIES = frozenset({"checked", "multiselectable", "level", *_FLAGS})


def states_of(node: AXNode, role: str) -> tuple[str, ...]:
    """The node's states in printing order, without its value."""
    found: dict[str, str | int | float | bool | None] = {}
    for prop in node.properties:
        if prop.name in _STATE_PROPERTIES:
            value = prop.value.value
            if value is False or value == "false":
                value = None if prop.name != "expanded" else False
            if value is not None and value != "":
                found[prop.name] = value
    if not found:
        return ()
    states: list[str] = []
    checked, pressed = found.get("checked"), found.get("pressed")
    if checked is not None and checked != "mixed":
        states.append("checked")
    if "mixed" in (checked, pressed):
        states.append("mixed")
    for flag in _FLAGS:
        if flag not in found or (flag == "focused" and role == ROOT_ROLE):
            continue
        if flag == "expanded" and found[flag] is False:
            states.append("collapsed")
        elif flag != "pressed" or pressed != "mixed":
            states.append(flag)
    if "multiselectable" in found:
        states.append("multiselectable")
    if "level" in found:
        states.append(f"level={found['level']}")
    return tuple(states)


def _rows(order: list[AXNode], kids: list[list[int]], pruning: _Pruning, ordinal: int) -> FrameRows:
    """The rows of the nodes that stayed, in document order."""
    index = pruning.index
    rows: list[Row] = []
    backend_ids: list[BackendNodeId | None] = []
    urls: dict[ElementId, str] = {}
    unknown: list[BackendNodeId] = []
    given: set[BackendNodeId] = set()
    open_rows = list(kids[-1])
    open_depths = [0] * len(open_rows)
    while open_rows:
        at = open_rows.pop()
        depth = open_depths.pop()
        node = order[at]
        role = role_of(node)
        backend_id = node.backend_node_id
        here = -1
        tag = ""
        states: tuple[str, ...] = states_of(node, role) if node.properties else ()
        value = value_of(node) if node.value is not None else ""
        element_id: ElementId | None = None
        if backend_id is not None:
            if index is not None:
                here = index.position.get(backend_id, -1)
                if here < 0 and backend_id not in index.pseudo_elements:
                    unknown.append(backend_id)
            if here >= 0 and index is not None:
                dom_node = index.nodes[here]
                if dom_node.node_type == ELEMENT:
                    tag = index.tag(here)
                    scrolls = dom_node.is_scrollable or (tag == "html" and pruning.scrolls(here))
                    is_file = tag == "input" and (index.attribute(here, "type") or "").lower() == "file"
                    if scrolls or is_file:
                        states = decorate_roles(tag, role, scrolls=scrolls, is_file=is_file) + states
                    if value and pruning.is_password(here):
                        value = ""
            elif value and not value.strip(_BULLET):
                value = ""
            if backend_id not in given and (
                index is None or (here >= 0 and index.nodes[here].node_type in _WITH_XPATH)
            ):
                given.add(backend_id)
                element_id = ElementId(f"{ordinal}-{backend_id}")
                for prop in node.properties:
                    if prop.name == "url" and prop.value.value:
                        urls[element_id] = str(prop.value.value)
        name = name_of(node)
        description = node.description.value if node.description is not None else ""
        rows.append(Row(element_id, depth, role, name, description, value, states, tag, ordinal))
        backend_ids.append(backend_id if here >= 0 else None)
        own = kids[at]
        if own:
            open_rows.extend(own)
            open_depths.extend([depth + 1] * len(own))
    return FrameRows(rows, backend_ids, urls, 0, unknown)
