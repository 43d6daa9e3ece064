"""What a snapshot's DOM says beyond its rows, in little memory: the snapshot itself goes.

Rows leave out the generic elements that hold a card together. To tell what stands beside a control in the
same card, `Joins` tells how many levels above a node another node joins its line of ancestors.
"""

from __future__ import annotations

import array
import dataclasses
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import BackendNodeId, ElementId

_MOST_INTEGER = 2**63 - 1
_BUTTON_TYPES = frozenset({"submit", "reset", "button"})
_INPUT_TYPES = frozenset({
    "button", "checkbox", "color", "date", "datetime-local", "email", "file", "hidden", "image", "month",
    "number", "password", "radio", "range", "reset", "search", "submit", "tel", "text", "time", "url", "week",
})  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Control:
    """What an input or a button was, beside its role and name.

    Attributes:
        type: as HTML has it: ``submit``, ``password``.
        action: of the form that it submits, as written; None where it submits none.
    """

    type: str
    action: str | None


class Joins(Protocol):
    """The structure behind the rows of one frame."""

    def levels(self, id_: ElementId, others: Sequence[ElementId]) -> list[int | None]:
        """How far above an element each of others joins it: 0 inside of it, 1 in its parent; None unknown."""
        ...


class DomStructure:
    """The parents of a session's nodes, and its controls."""

    def __init__(self, index: SessionDomIndex) -> None:
        self._parents = array.array("i", index.parents)
        self._nodes = array.array("q", [node.backend_node_id & _MOST_INTEGER for node in index.nodes])
        tags = [node.local_name for node in index.nodes]
        forms = [at for at, tag in enumerate(tags) if tag == "form"]
        by_id = {(index.documents[at], index.attribute(at, "id")): at for at in reversed(forms)}
        self.controls: dict[BackendNodeId, Control] = {
            index.nodes[at].backend_node_id: _control(index, at, by_id)
            for at, tag in enumerate(tags)
            if tag in {"input", "button"}
        }

    def levels(self, id_: ElementId, others: Sequence[ElementId]) -> list[int | None]:
        """See `Joins`."""
        numbers = [int(one.partition("-")[2]) for one in (id_, *others)]
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


def _control(index: SessionDomIndex, at: int, forms: Mapping[tuple[int, str | None], int]) -> Control:
    """What Chromium makes of the attributes. ``forms``: by document and id."""
    given = (index.attribute(at, "type") or "").lower()
    if index.nodes[at].local_name == "button":
        kind = given if given in _BUTTON_TYPES else "submit"
    else:
        kind = given if given in _INPUT_TYPES else "text"
    if kind not in {"submit", "image"}:
        return Control(kind, None)
    action = index.attribute(at, "formaction")
    if action is not None:
        return Control(kind, action)
    form: int | None
    named = index.attribute(at, "form")
    if named is not None:
        form = forms.get((index.documents[at], named))
    else:
        form = index.parents[at]
        while form >= 0 and index.nodes[form].local_name != "form":
            form = index.parents[form] if index.documents[form] == index.documents[at] else -1
    return Control(kind, (index.attribute(form, "action") or "") if form is not None and form >= 0 else "")
