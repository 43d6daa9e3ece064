"""What a field suggests: the options of its ``<datalist>``, which no accessibility tree has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.capture.xpath import TEXT
from hybridsnap.render.nodes import NodeIndex
from hybridsnap.text import squeeze

if TYPE_CHECKING:
    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import ElementId
    from hybridsnap.render.content import Content


class Suggestions:
    """The datalists of a snapshot, looked up when a field names one."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._nodes: NodeIndex | None = None
        #: Session's DOM and position of the document → id of a datalist → its options.
        self._lists: dict[tuple[int, int], dict[str, list[str]]] = {}

    def of(self, id_: ElementId) -> list[str]:
        """What the element suggests, in order; nothing where it has no list."""
        if self._nodes is None:
            self._nodes = NodeIndex(self._content)
        place = self._nodes.place(id_)
        if place is None:
            return []
        index, here = place
        wanted = index.attribute(here, "list")
        if not wanted:
            return []
        document = index.documents[here]
        known = self._lists.get((id(index), document))
        if known is None:
            known = self._lists[id(index), document] = _datalists(index, document)
        return known.get(wanted, [])


def _datalists(index: SessionDomIndex, document: int) -> dict[str, list[str]]:
    """The options of a document's datalists, by the lists' ids; of two with one id the first counts."""
    found: dict[str, list[str]] = {}
    options: list[str] = []
    end = document
    for here in range(document, index.end_of(document)):
        tag = index.tags[here]
        if tag == "datalist":
            options, end = [], index.end_of(here)
            found.setdefault(index.attribute(here, "id") or "", options)
        elif tag == "option" and here < end:
            said = squeeze(index.attribute(here, "value") or _text(index, here))
            if said:
                options.append(said)
    return found


def _text(index: SessionDomIndex, here: int) -> str:
    return " ".join(node.node_value for node in index.nodes[here].children if node.node_type == TEXT)
