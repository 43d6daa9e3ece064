"""A snapshot's accessibility trees as the browser's own nodes, in one list; and such a list as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.capture.ax_node import without_password
from hybridsnap.capture.xpath import DOCTYPE, FRAGMENT
from hybridsnap.model import MISSING_FRAME
from hybridsnap.render.webarena import DROPPED_WITHOUT_NAME, STATIC_TEXT, property_text
from hybridsnap.text import clean_text
from hybridsnap.webarena.shown import ELEMENT, SESSION_TARGET, SNAPSHOT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import BackendNodeId, FrameId
    from hybridsnap.protocol.ax_tree import AXNode
    from hybridsnap.snapshot import Snapshot


def build_ax_nodes(snapshot: Snapshot) -> list[dict[str, Any]]:
    """All frames' AX nodes as `Accessibility.AXNode`, the main frame's root first.

    Of the protocol's fields those that a snapshot reads are there. A child frame's root is among the
    ``childIds`` of the node that holds the frame, or of the nearest one above; what no node names is among
    those of its frame's root; a frame that could not be read is a node of role ``!``, without an id of the
    DOM's.

    Raises:
        ValueError: the snapshot holds rows only.
    """
    content = snapshot.content
    capture = content.source("get_accessibility_tree")
    boxes = {} if content.layout is None else content.layout.boxes
    frames: dict[FrameId, _Frame] = {}
    nodes: list[dict[str, Any]] = []
    for frame in capture.context.frames:
        if frame in capture.ax_trees and capture.ax_trees[frame].nodes:
            frames[frame] = _Frame(capture, frame)
            made = frames[frame].build(snapshot.report.snapshot_id)
            for node in made:
                box = boxes.get(node.get(ELEMENT, ""))
                node["union_bound"] = None if box is None else list(box.bounds)
            nodes += made
    ordinals = capture.ordinals.by_frame
    missing = {row.frame: row.name for row in content.rows if row.role == MISSING_FRAME}
    for frame in capture.context.frames:
        root = frames[frame].root if frame in frames else None
        if root is None and ordinals[frame] in missing:
            root = _missing_node(ordinals[frame], missing[ordinals[frame]])
            nodes.append(root)
        if root is not None and frame != capture.context.root_id:
            holder = _holder(capture, frames, frame)
            if holder is not None:
                holder["childIds"].append(root["nodeId"])
    return nodes


def _missing_node(ordinal: int, words: str) -> dict[str, Any]:
    return {
        "nodeId": f"{MISSING_FRAME}{ordinal}",
        "ignored": False,
        "role": {"type": "internalRole", "value": MISSING_FRAME},
        "name": {"type": "computedString", "value": words},
        "properties": [],
        "childIds": [],
        "union_bound": None,
    }


class _Frame:
    """One frame's nodes, as they are made."""

    def __init__(self, capture: Capture, frame: FrameId) -> None:
        self._tree: Sequence[AXNode] = capture.ax_trees[frame].nodes
        state = capture.context.frames[frame]
        self._index = None if state.session is None else capture.indexes[state.session]
        self._ordinal: int = capture.ordinals.by_frame[frame]
        self._frame = frame
        self._target = _session_root(capture, frame)
        self.root: dict[str, Any] = {}
        self.by_backend: dict[BackendNodeId, dict[str, Any]] = {}

    def build(self, snapshot_id: str) -> list[dict[str, Any]]:
        """The nodes; of two of one id the first counts."""
        by_id: dict[int, dict[str, Any]] = {}
        for node in self._tree:
            if node.node_id not in by_id:
                by_id[node.node_id] = self._node(node, snapshot_id)
        made = list(by_id.values())
        self.root = made[0]
        self.root["frameId"] = self._frame
        named = {child for node in made for child in node["childIds"]}
        self.root["childIds"] += [
            node["nodeId"] for node in made if node["nodeId"] not in named and node is not self.root
        ]
        return made

    def _node(self, node: AXNode, snapshot_id: str) -> dict[str, Any]:
        made: dict[str, Any] = {
            "nodeId": self._id(node.node_id),
            "ignored": node.ignored,
            "properties": [
                {"name": name, "value": {"value": value}} for name, value in node.properties.items()
            ],
            "childIds": [self._id(child) for child in node.child_ids],
        }
        for field, value in (
            ("role", node.role),
            ("name", None if node.ignored else node.name),
            ("description", node.description or None),
            ("value", node.value),
        ):
            if value is not None:
                said = without_password(node, value) if isinstance(value, str) else value
                made[field] = {"value": said}
        backend_id = node.backend_node_id
        if backend_id is not None and self._has_place(backend_id):
            made["backendDOMNodeId"] = backend_id
            made[ELEMENT] = f"{self._ordinal}-{backend_id}"
            made[SNAPSHOT] = snapshot_id
            made[SESSION_TARGET] = self._target
        if backend_id is not None:
            self.by_backend.setdefault(backend_id, made)
        return made

    def _id(self, number: int) -> str:
        return f"{self._ordinal}-{number}" if self._ordinal else str(number)

    def _has_place(self, backend_id: BackendNodeId) -> bool:
        """Whether it is an element or a text of the DOM's, so that something can be done to it."""
        if self._index is None:
            return True
        node = self._index.node_of(backend_id)
        return node is not None and node.node_type not in (DOCTYPE, FRAGMENT)


def _session_root(capture: Capture, frame: FrameId) -> str:
    """The target that a frame is reached by: its process's topmost frame has the same id."""
    context = capture.context
    session = context.frames[frame].session
    here = frame
    while True:
        above = context.parent_by_frame.get(here)
        if above is None or above not in context.frames or context.frames[above].session != session:
            return str(here)
        here = above


def _holder(capture: Capture, frames: Mapping[FrameId, _Frame], frame: FrameId) -> dict[str, Any] | None:
    """The node below which a child frame stands."""
    context = capture.context
    above = context.parent_by_frame.get(frame)
    while above is not None and above not in frames:
        above = context.parent_by_frame.get(above)
    if above is None:
        above = context.root_id
    if above not in frames:
        return None
    owner = capture.owners.get(frame)
    index = None if owner is None else capture.indexes[owner.session]
    if owner is not None and index is not None:
        here = owner.position
        while here >= 0:
            found = frames[above].by_backend.get(index.nodes[here].backend_node_id)
            if found is not None:
                return found
            here = index.parents[here]
    return frames[above].root


def print_ax_nodes(
    nodes: Sequence[Mapping[str, Any]],
    ignored_properties: Collection[str],
    dropped_roles: Collection[str],
) -> tuple[str, dict[str, dict[str, Any]]]:
    """The nodes below the first one as text, a tab a level, and what stands behind each line."""
    by_id: dict[str, Mapping[str, Any]] = {}
    for node in nodes:
        by_id.setdefault(node["nodeId"], node)
    lines: list[str] = []
    info: dict[str, dict[str, Any]] = {}
    given: set[object] = set()
    seen: set[str] = set()
    todo = [(nodes[0], 0)] if nodes else []
    while todo:
        node, depth = todo.pop()
        node_id: str = node["nodeId"]
        if node_id in seen:
            continue
        seen.add(node_id)
        words = _words(node, ignored_properties, dropped_roles)
        place = node.get(ELEMENT, node.get("backendDOMNodeId"))
        role = _value(node, "role")
        if role == MISSING_FRAME:
            lines.append("\t" * depth + f"{MISSING_FRAME} {clean_text(_value(node, 'name'))}")
        elif words and place is not None and place not in given:
            given.add(place)
            text = f"[{node_id}] {words}"
            lines.append("\t" * depth + text)
            info[node_id] = {
                "backend_id": node["backendDOMNodeId"],
                "union_bound": node.get("union_bound"),
                "text": text,
            }
            # Below a text are pieces of its lines.
            depth += role != STATIC_TEXT
        children = [by_id[child] for child in node.get("childIds", ()) if child in by_id]
        todo += [(child, depth) for child in reversed(children)]
    return "\n".join(lines), info


def _words(node: Mapping[str, Any], ignored: Collection[str], dropped: Collection[str]) -> str:
    """A line without its id; "" for a node that has none."""
    if node.get("ignored") or "role" not in node or "name" not in node:
        return ""
    role, name = clean_text(_value(node, "role")), clean_text(_value(node, "name"))
    properties = list(_properties(node.get("properties", ()), ignored))
    if not name and role in dropped and (not properties or role == DROPPED_WITHOUT_NAME):
        return ""
    return " ".join([role, repr(name), *properties])


def _value(node: Mapping[str, Any], field: str) -> str:
    value = node[field].get("value", "") if field in node else ""
    return value if isinstance(value, str) else str(value)


def _properties(properties: Iterable[Mapping[str, Any]], ignored: Collection[str]) -> Iterator[str]:
    for one in properties:
        # A property that names nodes (``labelledby``) has no value of its own.
        name, value = one.get("name"), one.get("value", {}).get("value")
        if name is not None and value is not None and name not in ignored:
            yield property_text(name, value)
