"""What a snapshot's DOM says beyond its rows, in little memory: the snapshot itself goes.

Rows leave out the generic elements that hold a card together. To tell what stands beside a control in the
same card, `Joins` tells how many levels above a node another node joins its line of ancestors.
"""

from __future__ import annotations

import array
import dataclasses
from typing import TYPE_CHECKING, Protocol

import msgspec

from hybridsnap.capture.dom import attribute_of
from hybridsnap.capture.element_ids import split_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId, ElementId
    from hybridsnap.protocol.ax_tree import AXTree

_BUTTON_TYPES = frozenset({"submit", "reset", "button"})
#: A button with one of these and without a type submits no form where the browser knows them.
_COMMANDS = ("command", "commandfor")
_INPUT_TYPES = frozenset({
    "button", "checkbox", "color", "date", "datetime-local", "email", "file", "hidden", "image", "month",
    "number", "password", "radio", "range", "reset", "search", "submit", "tel", "text", "time", "url", "week",
})  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Control:
    """What an input or a button was, beside its role and name.

    Attributes:
        type: as HTML has it: ``submit``, ``password``; None where it depends on the browser.
        action: of the form that it submits, as written; None where it submits none, or it is not known which.
    """

    type: str | None
    action: str | None


class Joins(Protocol):
    """The structure behind the rows of one frame."""

    def levels(self, id_: ElementId, others: Sequence[ElementId]) -> list[int | None]:
        """How far above an element each of others joins it: 0 inside of it, 1 in its parent; None unknown."""
        ...


class _Field(msgspec.Struct, frozen=True):
    """A form, an input or a button: its tag, its attributes (name, value, …), where its document stands."""

    tag: str
    attributes: tuple[str, ...]
    document: int

    def attribute(self, name: str) -> str | None:
        return attribute_of(self.attributes, name)


class DomStructure:
    """The parents of a session's nodes, and its controls."""

    def __init__(self, index: SessionDomIndex) -> None:
        self._parents = array.array("i", index.parents)
        self._is_part = index.is_part
        self._nodes = index.packed_ids
        nodes, documents = index.nodes, index.documents
        self._fields = {
            at: _Field(nodes[at].local_name, nodes[at].attributes, documents[at]) for at in index.forms
        }
        self._field_of = {nodes[at].backend_node_id: at for at in index.forms}
        roots = (root for at in index.hosts for root in nodes[at].shadow_roots)
        self._shadow_roots = frozenset(index.position[root.backend_node_id] for root in roots)

    def control(self, node: BackendNodeId) -> Control | None:
        """What Chromium makes of the attributes of an input or a button; None of any other node."""
        at = self._field_of.get(node)
        if at is None or (field := self._fields[at]).tag == "form":
            return None
        given = (field.attribute("type") or "").lower()
        kind: str | None
        if field.tag == "button":
            kind = given if given in _BUTTON_TYPES else "submit"
            if kind != given and any(field.attribute(name) is not None for name in _COMMANDS):
                kind = None
        else:
            kind = given if given in _INPUT_TYPES else "text"
        if kind not in {"submit", "image"}:
            return Control(kind, None)
        action = field.attribute("formaction")
        return Control(kind, self._action_of(at, field) if action is None else action)

    def _action_of(self, at: int, field: _Field) -> str | None:
        """Where the form leads that a control submits: the one that it names, or that it is in.

        None outside of any form: the parser may have given it one (``<table><form><tr>``), which the tree of
        nodes does not show.
        """
        named = field.attribute("form")
        tree = self._tree_of(at, field)
        if named is not None:
            forms = [(where, one) for where, one in self._fields.items() if one.tag == "form"]
            so_called = ((where, one) for where, one in forms if one.attribute("id") == named)
            form = next((one for where, one in so_called if self._tree_of(where, one) == tree), None)
            if form is None:
                return None if self._is_part else ""
            return form.attribute("action") or ""
        while at != tree:
            around = self._fields.get(at)
            if around is not None and around.tag == "form":
                return around.attribute("action") or ""
            at = self._parents[at]
        return None

    def _tree_of(self, at: int, field: _Field) -> int:
        """The position of the document or shadow root that a field stands in: no form reaches beyond."""
        while at not in self._shadow_roots and at != field.document:
            at = self._parents[at]
        return at

    def levels(self, id_: ElementId, others: Sequence[ElementId]) -> list[int | None]:
        """See `Joins`."""
        numbers = [split_id(one)[1] for one in (id_, *others)]
        wanted = frozenset(numbers)
        position = {node: at for at, node in enumerate(self._nodes) if node in wanted}
        parents = self._parents
        line: dict[int, int] = {}
        here = position.get(numbers[0], -1)
        while here >= 0:
            line[here] = len(line)
            here = parents[here]
        found: list[int | None] = []
        for number in numbers[1:]:
            here = position.get(number, -1)
            while here >= 0 and here not in line:
                here = parents[here]
            found.append(line.get(here))
        return found


class PathStructure:
    """The same of a snapshot that was read from JSON: from its XPaths."""

    def __init__(self, xpaths: Mapping[ElementId, str]) -> None:
        self._xpaths = xpaths

    def levels(self, id_: ElementId, others: Sequence[ElementId]) -> list[int | None]:
        """See `Joins`."""
        own = self._xpaths.get(id_)
        if own is None:
            return [None] * len(others)
        steps = own.split("/")
        found: list[int | None] = []
        for other in others:
            path = self._xpaths.get(other)
            if path is None:
                found.append(None)
                continue
            shared = 0
            for one, its in zip(steps, path.split("/"), strict=False):
                if one != its:
                    break
                shared += 1
            found.append(len(steps) - shared)
        return found


class PartStructure:
    """The same of a part of the page, from the accessibility tree of its top; coarser.

    Args:
        tree: the top, and all below it.
    """

    #: The level of what joins an element in the top; all that joins it nearer has level 1.
    TOP = 2

    def __init__(self, tree: AXTree) -> None:
        self._branches: list[frozenset[BackendNodeId]] = []
        children = {node.node_id: node for node in reversed(tree.nodes)}
        for start in tree.nodes[0].child_ids if tree.nodes else ():
            found: set[BackendNodeId] = set()
            open_ids = [start]
            while open_ids:
                node = children.pop(open_ids.pop(), None)
                if node is not None:
                    open_ids += node.child_ids
                    if node.backend_node_id is not None:
                        found.add(node.backend_node_id)
            self._branches.append(frozenset(found))

    def levels(self, id_: ElementId, others: Sequence[ElementId]) -> list[int | None]:
        """See `Joins`."""
        own, *numbers = (split_id(one)[1] for one in (id_, *others))
        branch = next((one for one in self._branches if own in one), frozenset())
        return [1 if number in branch else self.TOP for number in numbers]
