"""A snapshot's accessibility trees as the browser's own nodes, in one list; and such a list as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.capture.ax_node import without_password
from hybridsnap.model import MISSING_FRAME
from hybridsnap.render.ax_frames import holder_of, read_frame_trees
from hybridsnap.render.webarena import DROPPED_WITHOUT_NAME, STATIC_TEXT, property_text
from hybridsnap.text import clean_text
from hybridsnap.webarena.shown import ELEMENT, SESSION_TARGET, SNAPSHOT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.ax_tree import AXNode
    from hybridsnap.render.ax_frames import FrameTree
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
    trees = read_frame_trees(capture)
    made: dict[FrameId, dict[int, dict[str, Any]]] = {}
    nodes: list[dict[str, Any]] = []
    for frame, tree in trees.items():
        target = _session_root(capture, frame)
        by_id = made[frame] = {node.node_id: _made(tree, node) for node in tree.nodes.values()}
        root = by_id[tree.root.node_id]
        root["childIds"] += [_node_id(tree, node.node_id) for node in tree.orphans]
        for one in by_id.values():
            box = None
            if ELEMENT in one:
                one[SNAPSHOT] = snapshot.report.snapshot_id
                one[SESSION_TARGET] = target
                box = boxes.get(one[ELEMENT])
            if one is root:
                one["frameId"] = frame
            one["union_bound"] = None if box is None else list(box.bounds)
        nodes += by_id.values()
    ordinals = capture.ordinals.by_frame
    missing = {row.frame: row.name for row in content.rows if row.role == MISSING_FRAME}
    for frame in capture.context.frames:
        if frame in trees:
            root_id = _node_id(trees[frame], trees[frame].root.node_id)
        elif ordinals[frame] in missing:
            nodes.append(_missing_node(ordinals[frame], missing[ordinals[frame]]))
            root_id = nodes[-1]["nodeId"]
        else:
            continue
        above, node_id = holder_of(capture, trees, frame)
        if frame != capture.context.root_id and above in trees:
            holder = trees[above].root.node_id if node_id is None else node_id
            made[above][holder]["childIds"].append(root_id)
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


def _node_id(tree: FrameTree, number: int) -> str:
    return f"{tree.ordinal}-{number}" if tree.ordinal else str(number)


def _made(tree: FrameTree, node: AXNode) -> dict[str, Any]:
    made: dict[str, Any] = {
        "nodeId": _node_id(tree, node.node_id),
        "ignored": node.ignored,
        "properties": [{"name": name, "value": {"value": value}} for name, value in node.properties.items()],
        "childIds": [_node_id(tree, child) for child in node.child_ids],
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
    id_ = tree.id_of(node)
    if id_ is not None:
        made["backendDOMNodeId"] = node.backend_node_id
        made[ELEMENT] = id_
    return made


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
