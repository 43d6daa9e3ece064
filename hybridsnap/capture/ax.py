"""The accessibility side of one frame: from a flat list of AX nodes to pruned, decorated rows.

Two passes over flat lists; neither recurses, neither reads text back:

1. *Prune* (`hybridsnap.capture.pruning`): which nodes stay, children before parents.
2. *Rows* (`_rows`), in document order: roles decorated (`decorate_roles`), states read, ids given.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from hybridsnap.capture.ax_node import BULLET, stated_number, value_of
from hybridsnap.capture.dom import attribute_of
from hybridsnap.capture.hints import hint_of
from hybridsnap.capture.pruning import Pruning
from hybridsnap.capture.roles import (
    CHECKABLE_ROLES,
    CLICKABLE,
    EDITABLE,
    INTERACTIVE_ROLES,
    ROOT_ROLE,
    STRUCTURAL_ROLES,
)
from hybridsnap.capture.xpath import (
    CDATA,
    COMMENT,
    DOCUMENT,
    ELEMENT,
    PROCESSING_INSTRUCTION,
    TEXT,
)
from hybridsnap.model import BackendNodeId, ElementId, Row
from hybridsnap.protocol.commands import get_full_ax_tree
from hybridsnap.text import clean_text, squeeze

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import FrameId, SessionId
    from hybridsnap.protocol.ax_tree import AXNode, AXScalar, AXTree
    from hybridsnap.protocol.plan import Command
    from hybridsnap.protocol.replies import DOMNode

_WITH_XPATH = frozenset({ELEMENT, TEXT, CDATA, PROCESSING_INSTRUCTION, COMMENT, DOCUMENT})


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
    tree: AXTree,
    index: SessionDomIndex | None,
    ordinal: int,
    *,
    pierce_shadow: bool = True,
    left_out: frozenset[int] = frozenset(),
    clickable: frozenset[BackendNodeId] = frozenset(),
) -> FrameRows:
    """Make a frame's rows from its AX tree.

    Args:
        tree: the frame's `Accessibility.getFullAXTree`.
        index: the DOM of the session the frame belongs to; None when it could not be read.
        ordinal: the frame's number in element ids.
        pierce_shadow: False leaves out rows of nodes in author shadow roots.
        left_out: AX node ids whose rows go, when everything else is decided; what is below one goes too.
        clickable: elements that script makes clickable: they stay, marked as such.
    """
    pruning = Pruning(index, pierce_shadow=pierce_shadow, clickable=clickable)
    top = pruning.prune(tree.nodes)
    rows = _rows(top, pruning, ordinal, left_out)
    rows.ax_nodes = len(tree.nodes)
    return rows


def decorate_roles(tag: str, role: str, *, scrolls: bool, is_file: bool) -> tuple[str, ...]:
    """What is printed before a row's role, kept as leading states of the row.

    ``scrollable`` for what scrolls, ``file`` for a file input (printed ``input, file``). How role and tag
    make the printed label is `hybridsnap.render.tree.label_of`'s matter.
    """
    if is_file and tag == "input" and role not in STRUCTURAL_ROLES:
        return ("scrollable", "file") if scrolls else ("file",)
    return ("scrollable",) if scrolls else ()


_FLAGS = (
    "selected",
    "pressed",
    "expanded",
    "disabled",
    "required",
    "readonly",
    "invalid",
    "focused",
    "modal",
)
_SORTED_CELLS = frozenset({"columnheader", "rowheader"})
_CURRENT = frozenset({"page", "step", "location", "date", "time"})
_SORTED = frozenset({"ascending", "descending", "other"})
#: The state of a control that has a range: ``range=1–5``, ``range=≥1``.
_RANGE = "range="
#: ``Number.MAX_SAFE_INTEGER``.
_NO_LIMIT = 2**53 - 1
_STATE_PROPERTIES = frozenset({"checked", "multiselectable", "level", *_FLAGS})


@functools.lru_cache(maxsize=64, typed=True)
def _level(value: str | float | bool | None) -> tuple[str, ...]:
    return (f"level={value}",) if isinstance(value, int | float) and value else ()


def states_of(properties: Mapping[str, AXScalar], role: str) -> tuple[str, ...]:
    """A node's states in printing order, without its value; a list item's level is how it is indented."""
    level = () if role == "listitem" else _level(properties.get("level"))
    if len(properties) == 1 and "level" in properties:
        return level
    found = {
        name: value
        for name, value in properties.items()
        if name in _STATE_PROPERTIES
        and value is not None
        and value != ""
        and (value not in _NO or name == "expanded")
    }
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
        if flag == "expanded" and found[flag] in _NO:
            states.append("collapsed")
        elif flag != "pressed" or pressed != "mixed":
            states.append(flag)
    if "multiselectable" in found:
        states.append("multiselectable")
    return (*states, *level)


def _with_attributes(
    states: tuple[str, ...], attributes: Sequence[str], role: str, tag: str
) -> tuple[str, ...]:
    """The states, with those that attributes say: ``current=page``, ``sort=other``, ``checked`` of some."""
    current = attribute_of(attributes, "aria-current") or "false"
    if current != "false":
        states += (f"current={current}" if current in _CURRENT else "current",)
    if role == "gridcell" or (role in CHECKABLE_ROLES and tag != "input"):
        checked = attribute_of(attributes, "aria-checked")
        if role != "gridcell":
            # Chromium tells that one. Where it lacks, the other says it, as to those who check it (Directus).
            checked = attribute_of(attributes, "aria-pressed") if checked is None else None
        if checked in {"true", "mixed"}:
            states = ("checked" if checked == "true" else "mixed", *states)
    elif role in _SORTED_CELLS and (order := attribute_of(attributes, "aria-sort")) in _SORTED:
        states += (f"sort={order}",)
    return states


def _range_of(properties: Mapping[str, AXScalar], value: str, words: str) -> tuple[tuple[str, ...], str]:
    """The range of a slider, meter or spin button as a state, and its value with the words for it.

    Libraries give a field without a limit the largest whole number that a script counts with as its limit.
    Chromium gives a range of 0 to 0 to what has none, and does not tell ``aria-valuetext`` (version 156).

    Args:
        properties: of the AX node.
        value: as `value_of` has it.
        words: the page's own for the value; "" where it has none.
    """
    if words and words.lstrip("0") != value:
        value = f"{value} ({words})" if value else words
    low, high = properties.get("valuemin"), properties.get("valuemax")
    if not isinstance(low, int | float) or not isinstance(high, int | float) or not low < high:
        return (), value
    has_low, has_high = low > -_NO_LIMIT, high < _NO_LIMIT
    if not (has_low and has_high):
        end = f"≥{low:.7g}" if has_low else f"≤{high:.7g}"
        return (f"{_RANGE}{end}",) if has_low or has_high else (), value
    return (f"{_RANGE}{low:.7g}–{high:.7g}",), value


#: How a property says that it is not so. (0 == False: a level of 0 is none.)
_NO = (False, "false")


#: Elements whose placeholder is no part of the AX node where something else names them.
_WITH_PLACEHOLDER = frozenset({"input", "textarea"})


def _placeholder(node: DOMNode, name: str) -> str:
    """A field's placeholder, unless it is its name."""
    if "placeholder" not in node.attributes:
        return ""  # most fields, and most of the time
    said = attribute_of(node.attributes, "placeholder") or ""
    return "" if squeeze(said) == squeeze(name) else said


def _rows(top: list[AXNode], pruning: Pruning, ordinal: int, left_out: frozenset[int]) -> FrameRows:
    """The rows of the nodes that stayed, in document order."""
    index = pruning.index
    rows: list[Row] = []
    backend_ids: list[BackendNodeId | None] = []
    urls: dict[ElementId, str] = {}
    unknown: list[BackendNodeId] = []
    given: set[BackendNodeId] = set()
    in_host: set[int] = set()
    kids = pruning.kids
    position: dict[BackendNodeId, int] = {} if index is None else index.position
    dom_nodes: list[DOMNode] = [] if index is None else index.nodes
    tags: list[str] = [] if index is None else index.tags
    stated: frozenset[int] = frozenset() if index is None else index.stated
    prefix = f"{ordinal}-"
    clickable = pruning.clickable
    open_rows = top[::-1]
    open_depths = [0] * len(top)
    while open_rows:
        node = open_rows.pop()
        depth = open_depths.pop()
        if left_out and node.node_id in left_out:
            continue
        role, properties = node.role, node.properties
        backend_id = node.backend_node_id
        tag = url = ""
        states: tuple[str, ...] = ()
        if properties:
            url = str(properties.get("url") or "")
            if not _STATE_PROPERTIES.isdisjoint(properties):
                states = states_of(properties, role)
        value = value_of(node) if node.value is not None else ""
        element_id: ElementId | None = None
        dom_node: DOMNode | None = None
        if backend_id is not None:
            if index is not None:
                here = position.get(backend_id, -1)
                if here >= 0:
                    dom_node = dom_nodes[here]
                    tag = tags[here]
                    if tag and (dom_node.is_scrollable or tag in {"input", "html"}):
                        states, value = _known_by_dom(pruning, here, tag, role, states, value)
                    if here in stated:
                        states = _with_attributes(states, dom_node.attributes, role, tag)
                elif backend_id not in index.pseudo_elements:
                    unknown.append(backend_id)
            elif value and not value.strip(BULLET):
                value = ""
            if backend_id not in given and (
                tag or index is None or (dom_node is not None and dom_node.node_type in _WITH_XPATH)
            ):
                given.add(backend_id)
                element_id = ElementId(f"{prefix}{backend_id}")
                if url:
                    urls[element_id] = url
        if "valuemax" in properties:
            here = -1 if dom_node is None else position[dom_node.backend_node_id]
            words, is_cut = "", False
            if index is not None and dom_node is not None:
                words = index.attribute(here, "aria-valuetext") or ""
                number = stated_number(node, dom_node.attributes, tag)
                is_cut = number not in {value, ""}
                value = number
            range_, value = _range_of(properties, value, squeeze(words))
            range_ = () if is_cut else range_  # a value outside of it: it is none that the page has
            if index is None or here < 0 or not index.in_user_agent_shadow(here):
                states += range_  # the parts of a date say nothing with theirs
            elif index.attribute(here, "aria-valuenow") is None:
                value = ""  # an empty part of a date, whose value Chromium gives as 0
        name = node.name
        by_script = backend_id in clickable and element_id is not None and pruning.is_clickable(node)
        if by_script:
            name = name or pruning.names.get(node.node_id, "")
            states = (*states, CLICKABLE)
        # What is in an editing host is editable, too.
        is_editable = "editable" in properties
        is_host = (
            is_editable
            and element_id is not None
            and role not in INTERACTIVE_ROLES
            and node.node_id not in in_host
        )
        if is_host:
            states = (*states, EDITABLE)
        hint = ""
        is_operated = by_script or is_host or role in INTERACTIVE_ROLES
        # The character of an icon font is a name that says nothing.
        if is_operated and not clean_text(name) and dom_node is not None and element_id is not None:
            hint = _hint(pruning, node, position[dom_node.backend_node_id], clickable=by_script)
        description = node.description
        if tag in _WITH_PLACEHOLDER and dom_node is not None and not (description or value):
            description = _placeholder(dom_node, name)
        rows.append(Row(element_id, depth, role, name, description, value, states, tag, ordinal, "", hint))
        backend_ids.append(backend_id if dom_node is not None else None)
        # Taken out: a node that is listed twice, with other children, could come round for ever.
        if role != "StaticText" and (own := kids.pop(node.node_id, None)) is not None:
            depth += 1
            if is_editable:
                in_host.update(kid.node_id for kid in own)
            if len(own) == 1:
                open_rows.append(own[0])
                open_depths.append(depth)
            else:
                open_rows.extend(own[::-1])
                open_depths.extend([depth] * len(own))
    return FrameRows(rows, backend_ids, urls, 0, unknown)


def _hint(pruning: Pruning, node: AXNode, here: int, *, clickable: bool) -> str:
    """A word for a node without a name that can be operated."""
    index = pruning.index
    if index is None or (node.role == "option" and index.tags[here] != "a"):
        return ""  # the empty choice of a list; a menu of links that shows its icons only has addresses
    if clickable and any(kid.name for kid in pruning.kids.get(node.node_id, ())):
        return ""  # what stands in it says what it is
    return "" if index.in_user_agent_shadow(here) else hint_of(index, here)


def _known_by_dom(
    pruning: Pruning, here: int, tag: str, role: str, states: tuple[str, ...], value: str
) -> tuple[tuple[str, ...], str]:
    """States and value with what only the DOM says: scrolling, file inputs, passwords."""
    index = pruning.index
    assert index is not None
    kind = (index.attribute(here, "type") or "").lower() if tag == "input" else ""
    scrolls = (index.nodes[here].is_scrollable or tag == "html") and pruning.scrolls(here)
    if scrolls or kind == "file":
        states = decorate_roles(tag, role, scrolls=scrolls, is_file=kind == "file") + states
    return states, "" if here in index.passwords else value
