"""The DOM side of one session: fetch it whole, and index it in one pass.

`get_dom_tree_with_fallback` asks for a flat list of nodes where Chromium cannot write the tree as JSON, or,
without that command, for a limited depth; `hydrate_dom_tree` fills in what was cut. `build_session_dom_index`
turns the tree into flat lists: nothing here recurses, a page may nest fifty thousand levels deep.

On purpose: ``<template>`` content is not part of the index (it is not part of the document that is shown);
doctypes have an entry but no XPath; comments, CDATA sections and processing instructions have both;
pseudo-elements are known by id only.

Stagehand's ``domMapsForSession`` (maps of tag names, XPaths and scrollables for each node) is left out:
`SessionDomIndex` answers those three questions from the nodes themselves, so no such maps are built.
"""

from __future__ import annotations

import array
import collections
import functools
from typing import TYPE_CHECKING, Any, TypeVar

from hybridsnap.capture.element_ids import split_id
from hybridsnap.capture.xpath import (
    DOCUMENT,
    FRAGMENT,
    build_child_xpath_segments,
    tag_name,
)
from hybridsnap.errors import CommandRefused, HybridsnapError
from hybridsnap.protocol.commands import (
    describe_node,
    disable_dom,
    enable_dom,
    get_document,
    get_flattened_document,
)
from hybridsnap.protocol.plan import Failure, Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.model import BackendNodeId, ElementId, FrameId, SessionId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import DOMNode, FlatDOMNode

T = TypeVar("T")
#: Chromium writes at most 300 nested CBOR containers as JSON; an element's level costs two, the envelope a
#: few (measured: 148 levels pass, 149 fail).
PASSING_DEPTH = 140
#: `DOM.describeNode` commands in one batch: enough to hide the round trip, few enough to bound memory.
_HYDRATION_BATCH = 256
#: Elements that hold a frame.
OWNER_TAGS = frozenset({"iframe", "frame", "object", "embed", "fencedframe"})
#: They begin a line of their own, and end it, unless a style says otherwise.
BLOCK_TAGS = frozenset(
    [
        *("address", "article", "aside", "blockquote", "caption", "center", "dd", "details", "dialog", "dir"),
        *("div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4"),
        *("h5", "h6", "header", "hgroup", "hr", "legend", "li", "listing", "main", "menu", "nav", "ol"),
        *("optgroup", "option", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot"),
        *("th", "thead", "tr", "ul", "xmp"),
    ]
)
#: Elements whose content is not page text.
UNREAD_TAGS = frozenset(
    {
        *("audio", "datalist", "head", "iframe", "noscript", "object"),
        *("script", "style", "svg", "template", "video"),
    }
)
#: Attributes that handle clicks.
CLICK_HANDLERS = frozenset({"onclick", "onmousedown", "onmouseup"})
#: Attributes that say a state which Chromium's accessibility tree leaves out (version 156), of some roles.
STATE_ATTRIBUTES = frozenset({"aria-checked", "aria-current", "aria-pressed", "aria-sort"})
#: Attributes that hide what an element holds from the accessibility tree, ``aria-hidden`` if it is "true".
_HIDING = frozenset({"aria-hidden", "inert"})
_LOOKED_FOR = CLICK_HANDLERS | STATE_ATTRIBUTES
#: Elements that Chromium itself handles clicks on, whether script listens or not; and the page's own frame,
#: where listeners stand for everything in it.
_TAKE_CLICKS = frozenset(
    {"html", "body", "label", "summary", "video", "audio", "embed", "object", "option", "select", "input"}
    | {"button", "textarea"}
)
#: The same where they have an address.
_LINKS = frozenset({"a", "area"})
#: Local names of forms, and of the controls that can submit one.
FORM_TAGS = frozenset({"form", "input", "button"})
_MOST_INTEGER = 2**63 - 1


def is_nesting_error(error: HybridsnapError) -> bool:
    """Whether Chromium refused because the reply nests too deep for its JSON writer."""
    return isinstance(error, CommandRefused) and "stack limit exceeded" in error.reason


def attribute_of(attributes: Sequence[str], name: str) -> str | None:
    """An attribute's value, by its lower-case name.

    Args:
        attributes: as they come: name, value, name, value.
        name: in lower case.
    """
    names = attributes[: len(attributes) - 1 : 2]  # a last name without a value is left out
    if name in names:
        return attributes[2 * names.index(name) + 1]
    for at, written in enumerate(names):
        if written.lower() == name:
            return attributes[2 * at + 1]
    return None


class SessionDomIndex:
    """All nodes of one session's documents, in document order, with their parents.

    A shadow root stands before its host's children, a child document after its owner's. What is asked of
    every node later is looked up here, while the browser is still busy with the accessibility tree.

    Attributes:
        nodes: every node but pseudo-elements and template content.
        tags: for each node its tag name; "" for nodes that are not elements.
        packed_ids: for each node its backend node id, in little memory.
        takes_clicks: for each node whether Chromium itself handles clicks on it.
        handling: positions of the nodes that have an attribute (or a value) of `CLICK_HANDLERS`.
        stated: positions of the nodes that have one of `STATE_ATTRIBUTES`.
        forms: positions of the nodes whose local name is one of `FORM_TAGS`.
        hosts: positions of the nodes that have shadow roots, the browser's own included.
        parents: for each node the position of its parent, host or owner element; -1 for the first.
        position: backend node id → position in `nodes`.
        pseudo_elements: the backend node ids that have no node here.
        documents: for each node the position of its document.
        document_sizes: position of each document → number of nodes in it.
        owners: frame id → position of the element that holds it.
        truncated: positions of nodes that have more children than came.
        outside: positions of nodes that are here for the paths of others only.
        is_part: some of the documents' nodes were left out on purpose.
        unrendered: elements whose content is not rendered (`hybridsnap.capture.unrendered`).
        passwords: positions of fields that hold a password (`hybridsnap.capture.passwords`).
        clickable: elements that script makes clickable (`hybridsnap.capture.clickable`).
    """

    def __init__(self, root: DOMNode) -> None:
        self.nodes: list[DOMNode] = []
        self.tags: list[str] = []
        self.packed_ids: array.array[int] = array.array("q")
        self.takes_clicks: bytearray = bytearray()
        self.handling: list[int] = []
        self.stated: frozenset[int] = frozenset()
        self.forms: list[int] = []
        self.hosts: list[int] = []
        self.parents: list[int] = []
        self.documents: list[int] = []
        self.position: dict[BackendNodeId, int] = {}
        self.pseudo_elements: set[BackendNodeId] = set()
        self.owners: dict[FrameId, int] = {}
        self.truncated: list[int] = []
        self.outside: frozenset[int] = frozenset()
        self.is_part = False
        self.unrendered: frozenset[BackendNodeId] = frozenset()
        self.passwords: set[int] = set()
        self.clickable: frozenset[BackendNodeId] = frozenset()
        self._segments: dict[int, str | None] = {}
        #: Of the positions that were asked about: a page may nest as deep as it likes.
        self._in_user_agent_shadow: dict[int, bool] = {}
        self._index(root)
        self.document_sizes: collections.Counter[int] = collections.Counter(self.documents)

    def _index(self, root: DOMNode) -> None:
        nodes, parents, position, documents = self.nodes, self.parents, self.position, self.documents
        open_nodes = [root]
        open_parents = [-1]
        while open_nodes:
            node = open_nodes.pop()
            here = len(nodes)
            nodes.append(node)
            parent = open_parents.pop()
            parents.append(parent)
            documents.append(here if node.node_type == DOCUMENT or parent < 0 else documents[parent])
            position[node.backend_node_id] = here
            before = len(open_nodes)
            if node.frame_id is not None and node.local_name.lower() in OWNER_TAGS:
                self.owners[node.frame_id] = here
                if node.content_document is not None:
                    open_nodes.append(node.content_document)
            children = node.children
            if node.child_node_count > len(children):
                self.truncated.append(here)
            if children:
                open_nodes.extend(children[::-1])
            if node.shadow_roots:
                self.hosts.append(here)
                open_nodes.extend(node.shadow_roots[::-1])
            if node.pseudo_elements:
                self.pseudo_elements.update(pseudo.backend_node_id for pseudo in node.pseudo_elements)
            open_parents.extend([here] * (len(open_nodes) - before))
        self.tags = [tag_name(node) for node in nodes]
        self.takes_clicks = bytearray(
            tag in _TAKE_CLICKS or (tag in _LINKS and attribute_of(node.attributes, "href") is not None)
            for tag, node in zip(self.tags, nodes, strict=True)
        )
        self.packed_ids.extend([node.backend_node_id & _MOST_INTEGER for node in nodes])
        found = [here for here, node in enumerate(nodes) if not _LOOKED_FOR.isdisjoint(node.attributes)]
        self.handling = [here for here in found if not CLICK_HANDLERS.isdisjoint(nodes[here].attributes)]
        self.stated = frozenset(
            here for here in found if not STATE_ATTRIBUTES.isdisjoint(nodes[here].attributes)
        )
        self.forms = [here for here, node in enumerate(nodes) if node.local_name in FORM_TAGS]
        self.passwords = {
            here
            for here in self.forms
            if nodes[here].local_name == "input"
            and (self.attribute(here, "type") or "").lower() == "password"
        }

    @functools.cached_property
    def in_author_shadow(self) -> list[bool]:
        """For each node whether it stands in an open or closed shadow root (frames below one included)."""
        inside: list[bool] = []
        for node, parent in zip(self.nodes, self.parents, strict=True):
            inside.append(
                (parent >= 0 and inside[parent])
                or (node.node_type == FRAGMENT and node.shadow_root_type in ("open", "closed"))
            )
        return inside

    @functools.cached_property
    def hiding(self) -> list[int]:
        """Positions of the nodes that have ``aria-hidden`` or ``inert``, whatever its value."""
        return [at for at, node in enumerate(self.nodes) if not _HIDING.isdisjoint(node.attributes)]

    def in_user_agent_shadow(self, here: int) -> bool:
        """Whether the node is an inner part of a form control or the like."""
        known, nodes, way = self._in_user_agent_shadow, self.nodes, []
        while (inside := known.get(here)) is None:
            way.append(here)
            if here < 0 or nodes[here].node_type == DOCUMENT:
                inside = False
            elif nodes[here].shadow_root_type == "user-agent":
                inside = True
            if inside is not None:
                break
            here = self.parents[here]
        known.update(dict.fromkeys(way, inside))
        return inside

    def node_of(self, backend_node_id: BackendNodeId | None) -> DOMNode | None:
        """The node with this id, if it is here."""
        here = None if backend_node_id is None else self.position.get(backend_node_id)
        return None if here is None else self.nodes[here]

    def position_of(self, element_id: ElementId) -> int:
        """Where the node is that an element id of one of these documents names; -1 where it is not here."""
        return self.position.get(split_id(element_id)[1], -1)

    def attribute(self, here: int, name: str) -> str | None:
        """An attribute's value, by its lower-case name."""
        return attribute_of(self.nodes[here].attributes, name)

    def has_xpath(self, here: int) -> bool:
        """Whether the node has a path of its own (a doctype and a shadow root have none)."""
        node = self.nodes[here]
        return node.node_type == DOCUMENT or self._segment(here) is not None

    def xpath(self, here: int) -> str | None:
        """The node's path within its own document, by the rules of `hybridsnap.capture.xpath`.

        Cost: its depth, plus once the number of siblings at each level.
        """
        if not self.has_xpath(here):
            return None
        steps: list[str] = []
        while self.nodes[here].node_type != DOCUMENT:
            parent = self.parents[here]
            if parent < 0:
                break
            steps.append(self._segment(here) or "")
            if self.nodes[parent].node_type == FRAGMENT:
                steps.append("")
                parent = self.parents[parent]
                if parent < 0:
                    break
            here = parent
        return "/" + "/".join(reversed(steps))

    def end_of(self, here: int) -> int:
        """The position behind a node's subtree; shadow roots and frames below it are part of it."""
        end = here + 1
        while end < len(self.parents) and self.parents[end] >= here:
            end += 1
        return end

    def narrowed(self, kept: Sequence[int]) -> SessionDomIndex:
        """The index of some of the nodes, with the paths that they have here. The nodes lose the others.

        Args:
            kept: for each position whether it stays; a node's parent stays with it.
        """
        # Paths count siblings: what has been counted, and what has to be before they are gone.
        for here, node in enumerate(self.nodes):
            if kept[here] and not all(kept[self.position[child.backend_node_id]] for child in node.children):
                for child in node.children:
                    self._segment(self.position[child.backend_node_id])
        for here, node in enumerate(self.nodes):
            if not kept[here]:
                continue
            staying = tuple(one for one in node.children if kept[self.position[one.backend_node_id]])
            if len(staying) != len(node.children):
                node.child_node_count -= len(node.children) - len(staying)
                node.children = staying
            node.shadow_roots = tuple(
                one for one in node.shadow_roots if kept[self.position[one.backend_node_id]]
            )
            inner = node.content_document
            if inner is not None and not kept[self.position.get(inner.backend_node_id, here)]:
                node.content_document = None
        narrow = SessionDomIndex(self.nodes[0])
        narrow.is_part = True
        narrow.unrendered = self.unrendered
        narrow.clickable = self.clickable
        for here, step in self._segments.items():
            at = narrow.position.get(self.nodes[here].backend_node_id)
            if at is not None and kept[here]:
                narrow._segments[at] = step
        narrow.outside = frozenset(
            narrow.position[self.nodes[here].backend_node_id] for here in self.outside if kept[here]
        )
        return narrow

    def _segment(self, here: int) -> str | None:
        segment = self._segments.get(here, "")
        if segment == "":
            if self.nodes[here].node_type == FRAGMENT or self.parents[here] < 0:
                segment = self._segments[here] = None
            else:
                parent = self.parents[here]
                siblings = self.nodes[parent].children
                steps: dict[int, str | None] = {}
                for sibling, step in zip(siblings, build_child_xpath_segments(siblings), strict=True):
                    at = self.position[sibling.backend_node_id]
                    if self.parents[at] == parent:  # ids are unique, but a reply may say otherwise
                        steps[at] = step
                # What was counted before siblings were left out stays (`narrowed`).
                for at, step in steps.items():
                    self._segments.setdefault(at, step)
                segment = self._segments.setdefault(here, None)
        return segment


def build_session_dom_index(root: DOMNode) -> SessionDomIndex:
    """Index a session's documents in one pass over `root`, without recursion."""
    return SessionDomIndex(root)


def join_flat_nodes(nodes: Sequence[FlatDOMNode]) -> DOMNode:
    """Give the nodes of a flat list their children.

    Returns:
        The root.

    Raises:
        ValueError: there is not one root, but more or none.
    """
    below: collections.defaultdict[int, list[DOMNode]] = collections.defaultdict(list)
    for node in nodes:
        below[node.parent_id].append(node)
    roots = below.pop(0, [])
    if len(roots) != 1:
        raise ValueError(f"a document has {len(roots)} roots")
    for node in nodes:
        inner = () if node.content_document is None else (node.content_document,)
        for one in (node, *node.shadow_roots, *inner):
            one.children = tuple(below.pop(one.node_id, ()))
    return roots[0]


def gather_with_dom(session: SessionId | None, *commands: Command[T]) -> Plan[list[Outcome[T]]]:
    """What comes of commands while the session's DOM domain is on: white space counts."""
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(
        enable_dom(session), *commands, disable_dom(session)
    )
    return outcomes[1:-1]


def get_flat_dom_tree(session: SessionId | None) -> Command[SessionDomIndex]:
    """What fetches the DOM however deep it nests; the session's DOM domain is on."""
    return get_flattened_document(session, lambda nodes: build_session_dom_index(join_flat_nodes(nodes)))


def get_dom_tree_with_fallback(session: SessionId | None, error: HybridsnapError) -> Plan[SessionDomIndex]:
    """Fetch the DOM as a flat list; where that is refused, in a depth that passes, then hydrate it.

    Args:
        session: whose documents.
        error: what the whole tree was refused with.

    Raises:
        HybridsnapError: `error`, when it is not about nesting, or what the last attempt failed with.
    """
    if not is_nesting_error(error):
        raise error
    (flat,) = yield from gather_with_dom(session, get_flat_dom_tree(session))
    if isinstance(flat, Reply):
        return (yield from hydrate_dom_tree(session, flat.value))
    if not isinstance(flat.error, CommandRefused):
        raise flat.error
    depth = PASSING_DEPTH
    while is_nesting_error(error) and depth >= 1:
        command = get_document(session, build_session_dom_index, depth=depth)
        (outcome,) = yield from gather_with_dom(session, command)
        if isinstance(outcome, Reply):
            return (yield from hydrate_dom_tree(session, outcome.value, depth=depth))
        error = outcome.error
        depth //= 2
    raise error


def hydrate_dom_tree(
    session: SessionId | None, index: SessionDomIndex, *, depth: int = PASSING_DEPTH
) -> Plan[SessionDomIndex]:
    """Fill in the children of every node that was cut short, level by level, in batches.

    Where a part still nests too deep (frames and shadow roots cost extra levels), half the depth is asked.
    A node that is gone meanwhile stays in `SessionDomIndex.truncated` of the result.

    Raises:
        HybridsnapError: a node was refused for another reason than that it is gone.
    """
    if not index.truncated:
        return index
    root = index.nodes[0]
    wanted = [(index.nodes[here], depth) for here in index.truncated]
    while wanted:
        round_, wanted = wanted[:_HYDRATION_BATCH], wanted[_HYDRATION_BATCH:]
        outcomes = yield from gather_with_dom(
            session,
            *(
                describe_node(session, {"backendNodeId": node.backend_node_id}, depth=levels)
                for node, levels in round_
            ),
        )
        for (node, levels), outcome in zip(round_, outcomes, strict=True):
            if isinstance(outcome, Failure):
                if is_nesting_error(outcome.error) and levels > 1:
                    wanted.append((node, levels // 2))
                elif not isinstance(outcome.error, CommandRefused):
                    raise outcome.error
                continue
            node.children = outcome.value.children
            node.child_node_count = outcome.value.child_node_count
            wanted.extend((cut, levels) for cut in _truncated_below(node))
    return build_session_dom_index(root)


def _truncated_below(node: DOMNode) -> list[DOMNode]:
    """Nodes below `node` that have more children than came."""
    found: list[DOMNode] = []
    open_nodes = list(node.children)
    while open_nodes:
        here = open_nodes.pop()
        if here.child_node_count > len(here.children):
            found.append(here)
        open_nodes.extend(here.children)
        open_nodes.extend(here.shadow_roots)
        if here.content_document is not None:
            open_nodes.append(here.content_document)
    return found
