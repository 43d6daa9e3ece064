"""Which nodes of the accessibility tree become rows: whether something is in the outline is decided here.

Children before parents, without recursion: Chromium lists nodes breadth first, so that is the list from its
end. First of each ``nodeId`` wins; pieces of text lines are left out; ignored nodes are transparent, never
losing what is below them; a structural node goes when it has neither name nor children, gives way to its
only child, and stays otherwise; one that has a name, is focusable, editable or scrolls stays in any case,
but for the host of a web component with the name of the control that is all it holds;
StaticText that only repeats its parent's name or printed value goes; so does text that is blank or invisible.
What no parent names hangs below the root, so that nothing is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.ax_node import VALUE_CHARACTERS, stated_number, value_of
from hybridsnap.capture.dom import BLOCK_TAGS
from hybridsnap.capture.roles import DROPPED_ROLES, INTERACTIVE_ROLES, STRUCTURAL_ROLES
from hybridsnap.capture.xpath import DOCUMENT, ELEMENT
from hybridsnap.text import clean_text, is_unseen, squeeze

if TYPE_CHECKING:
    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId
    from hybridsnap.protocol.ax_tree import AXNode


#: Roles that may go even where the node is not ignored.
_ASKED_ROLES = STRUCTURAL_ROLES | {"StaticText"}
#: Why a node is ignored that a person does not see, or cannot reach.
_OUT_OF_REACH = frozenset(
    {
        "activeFullscreenElement",
        "activeModalDialog",
        "ariaHiddenElement",
        "ariaHiddenSubtree",
        "inertElement",
        "inertSubtree",
        "notRendered",
        "notVisible",
    }
)
#: How a property says that it is not so, or says nothing.
_NOT_SO = (None, False, "", "false")


class Pruning:
    """Which nodes of one frame stay, with what the DOM knows about them.

    Attributes:
        kids: node id → the rows below a node that stayed, in document order; none where there are none.
        names: node id → what a clickable element without a name says.
    """

    def __init__(
        self,
        index: SessionDomIndex | None,
        *,
        pierce_shadow: bool,
        clickable: frozenset[BackendNodeId] = frozenset(),
    ) -> None:
        self.index = index
        self.clickable = clickable
        self.names: dict[int, str] = {}
        # One more entry, for position -1: what is not in the index is in no shadow root.
        self.in_shadow: list[bool] | None = (
            None if index is None or pierce_shadow else [*index.in_author_shadow, False]
        )
        self.kids: dict[int, list[AXNode]] = {}

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
            # The inner part of a text field scrolls as soon as its value is wider; the field says it all.
            return not self.index.in_user_agent_shadow(here)
        parent = self.index.parents[here]
        if parent < 0:
            return False
        above = self.index.nodes[parent]
        return above.node_type == DOCUMENT and above.is_scrollable

    def _stays(self, node: AXNode, here: int) -> bool:
        """Whether a structural node without a name stays all the same."""
        if self.scrolls(here):
            return True
        properties = node.properties
        if properties.get("focusable") not in _NOT_SO:
            return True
        # The inner parts of a text field are editable too, and say nothing of their own.
        return properties.get("editable") not in _NOT_SO and (
            here < 0 or self.index is None or not self.index.in_user_agent_shadow(here)
        )

    def is_clickable(self, node: AXNode) -> bool:
        """Whether script makes it clickable, and its role does not say so."""
        return (
            node.backend_node_id in self.clickable
            and node.role not in INTERACTIVE_ROLES
            and node.ignored_reason not in _OUT_OF_REACH
            # In what can be edited Chromium calls everything clickable.
            and "editable" not in node.properties
        )

    def prune(self, nodes: list[AXNode]) -> list[AXNode]:
        """The topmost rows; `kids` has those below them. A node that goes passes on its rows."""
        # Node id → the node itself when it stays, else the rows that it passes on. One node is not put into
        # a list of its own: a large page has a hundred thousand.
        unclaimed: dict[int, AXNode | list[AXNode]] = {}
        kids, clickable, in_shadow = self.kids, self.clickable, self.in_shadow
        for node in reversed(nodes):
            role = node.role
            if role == "InlineTextBox" or role in DROPPED_ROLES:
                continue
            node_id = node.node_id
            if (copy := unclaimed.get(node_id)) is not None:
                # Here a second time; the first in the list, which is this one, wins.
                if not isinstance(copy, list) and copy.node_id == node_id:
                    unclaimed[node_id] = node
                continue
            own: list[AXNode] = []
            if role != "StaticText":  # below it are pieces of its line only
                for child_id in node.child_ids:
                    below = unclaimed.pop(child_id, None)
                    if below is None:
                        continue
                    if isinstance(below, list):
                        own += below
                    else:
                        own.append(below)
            # Most nodes stay for their role alone.
            asked = in_shadow is not None or node.ignored or role in _ASKED_ROLES
            if asked and self._goes(node, role, own):
                if own:
                    unclaimed[node_id] = own[0] if len(own) == 1 else own
                continue
            if own:
                if node.name or node.value is not None:
                    self._drop_repeated_text(node, own)
                if node.backend_node_id in clickable and self.is_clickable(node):
                    self._name_by_text(node, own)
                if own:
                    kids[node_id] = own
            unclaimed[node_id] = node
        return self._top(nodes, unclaimed)

    def _top(self, nodes: list[AXNode], unclaimed: dict[int, AXNode | list[AXNode]]) -> list[AXNode]:
        """The root's rows, with what no parent has named below it."""
        if not nodes:
            return []
        first = unclaimed.pop(nodes[0].node_id, [])
        top = first if isinstance(first, list) else [first]
        if not unclaimed:
            return top
        # A node that is listed a second time, before its parent, has been placed already.
        placed = {kid.node_id for own in self.kids.values() for kid in own}
        orphans = [
            node
            for rows in reversed(unclaimed.values())
            for node in (rows if isinstance(rows, list) else [rows])
            if node.node_id not in placed
        ]
        if orphans and len(top) == 1:
            self.kids[top[0].node_id] = self.kids.get(top[0].node_id, []) + orphans
            return top
        return top + orphans

    def _goes(self, node: AXNode, role: str, own: list[AXNode]) -> bool:
        """Whether the node itself is not shown."""
        if self.in_shadow is not None and self.in_shadow[self.position(node)]:
            # What a style sheet made below it goes too; what is slotted into it is the page's own, and stays.
            own[:] = [kid for kid in own if self.position(kid) >= 0]
            return True
        if role == "StaticText":
            return node.ignored or self._shows_nothing(node)
        if self.clickable and self.is_clickable(node):
            return False
        if node.ignored:
            return not self.scrolls(self.position(node))
        return (
            role in STRUCTURAL_ROLES
            and len(own) <= 1
            and (not node.name or _is_of_control(node, own))
            and not self._stays(node, self.position(node))
        )

    def _shows_nothing(self, node: AXNode) -> bool:
        """Whether a text is blank, or an icon that a style sheet made, whose row would have no id either."""
        name = node.name.strip()
        if not name or name[0].isascii():  # nearly always
            return not name
        return is_unseen(name) or (node.backend_node_id is None and not clean_text(name))

    def _name_by_text(self, node: AXNode, own: list[AXNode]) -> None:
        """Let the text of a clickable element be its name, when it has none and nothing else is in it."""
        if not node.name and all(kid.role == "StaticText" for kid in own):
            said = squeeze("".join([kid.name for kid in own[:1]] + list(map(self._after, own, own[1:]))))
            if len(said) <= VALUE_CHARACTERS:
                self.names[node.node_id] = said
                own.clear()

    def _only_repeats(self, inner: AXNode, control: AXNode) -> bool:
        """Whether an element says no more than its control's name, and stays only because it is clickable.

        Web components wrap the text that is slotted into a menu item in such an element.
        """
        said = self.names.get(inner.node_id)
        return (
            bool(said)
            and said == squeeze(control.name)
            and control.role in INTERACTIVE_ROLES
            and inner.role in STRUCTURAL_ROLES
            and not self._stays(inner, self.position(inner))
        )

    def _after(self, left: AXNode, right: AXNode) -> str:
        """The text of `right`, with a space before it unless both texts are parts of one line."""
        here, there = self.position(left), self.position(right)
        if here < 0 or there < 0 or self.index is None:
            return right.name
        nodes, parents = self.index.nodes, self.index.parents
        above, other = parents[here], parents[there]
        inner = other if parents[other] == above else above if parents[above] == other else -1
        is_one_line = above == other or (inner >= 0 and nodes[inner].local_name not in BLOCK_TAGS)
        return right.name if is_one_line else f" {right.name}"

    def _drop_repeated_text(self, node: AXNode, own: list[AXNode]) -> None:
        """Take the StaticText out of `own` that only repeats the name, or the value as it is printed."""
        name = node.name
        if len(own) == 1 and (
            (own[0].name == name and own[0].role == "StaticText") or self._only_repeats(own[0], node)
        ):
            own.clear()  # as in most links
            return
        if node.role == "combobox" and node.value is not None:
            # Its text or its field, and the chosen option of the list in it: Chromium has both (version 156).
            said = [kid.name if kid.role == "StaticText" else value_of(kid) for kid in own]
            shown = squeeze(" ".join(filter(None, said)))
            if shown and value_of(node) == f"{shown} {shown}":
                node.value = shown
        texts = [kid.name for kid in own if kid.role == "StaticText"]
        if not texts:
            return
        repeated = bool(name) and (texts == [name] or _says(texts, name))
        if not repeated and node.value is not None and (value := self._value(node)):
            is_password = self.index is not None and self.position(node) in self.index.passwords
            repeated = is_password or (len(value) <= VALUE_CHARACTERS and _says(texts, value))
        if repeated:
            own[:] = [kid for kid in own if kid.role != "StaticText"]

    def _value(self, node: AXNode) -> str:
        """The value as the row has it."""
        here = self.position(node) if "valuemax" in node.properties else -1
        if here < 0 or self.index is None:
            return value_of(node)
        return stated_number(node, self.index.nodes[here].attributes, self.index.tags[here])


def _is_of_control(node: AXNode, own: list[AXNode]) -> bool:
    """Whether a node's name is that of the one control in it."""
    return bool(own) and own[0].name == node.name and own[0].role in INTERACTIVE_ROLES


def _says(texts: list[str], whole: str) -> bool:
    """Whether the texts together are `whole` as printed, capitals (of a style sheet) aside."""
    said, joined = clean_text(whole), clean_text("".join(texts))
    if joined == said:  # nearly always
        return True
    return said.casefold() in {joined.casefold(), clean_text(" ".join(texts)).casefold()}
