"""A browser for unit tests: pages as plain data, and a blocking driver that answers from them.

    page = document(1, element(2, "html", element(3, "body", element(4, "button", text(5, "Go")))))
    nodes = [ax(1, "RootWebArea", "", 4), ax(4, "button", "Go")]
    snapshot = FakeBrowser(page, nodes).snapshot()

`FakeBrowser` cuts a DOM reply at the depth asked for, as Chromium does, and refuses what nests deeper than
its JSON writer goes.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.dom import SessionDomIndex
from hybridsnap.capture.frames import Ordinals, SessionInfo
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import refused, run_sync
from hybridsnap.errors import HybridsnapError
from hybridsnap.model import Cause, ElementId, FrameId, SessionId
from hybridsnap.protocol.ax_reply import read_ax_tree
from hybridsnap.protocol.codec import Payload, PlainPayload
from hybridsnap.protocol.replies import DOMNode
from hybridsnap.snapshot import Snapshot, build_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.capture.reading import Capture
    from hybridsnap.protocol.ax_tree import AXTree
    from hybridsnap.protocol.plan import Command, Plan

Data: TypeAlias = dict[str, Any]
Answer: TypeAlias = "Mapping[str, Any] | HybridsnapError | Callable[[Command[Any]], Mapping[str, Any]]"
T = TypeVar("T")

NESTING = "Failed to convert response to JSON: CBOR: stack limit exceeded"


def node(id_: int, type_: int, name: str, *children: Data, **fields: Any) -> Data:
    """A `DOM.Node`; `fields` are the protocol's own, such as ``contentDocument``."""
    made: Data = {"nodeId": id_, "backendNodeId": id_, "nodeType": type_, "nodeName": name, **fields}
    if children:
        made["children"] = list(children)
        made["childNodeCount"] = len(children)
    return made


def document(id_: int, *children: Data, **fields: Any) -> Data:
    return node(id_, 9, "#document", *children, **fields)


def element(id_: int, tag: str, *children: Data, **fields: Any) -> Data:
    """An HTML element; ``attributes`` is a flat list."""
    # Chromium raises ASCII letters only.
    shown = "".join(letter.upper() if letter.isascii() else letter for letter in tag)
    return node(id_, 1, shown, *children, localName=tag, **fields)


def foreign(id_: int, tag: str, *children: Data, **fields: Any) -> Data:
    """An element that is not HTML."""
    return node(id_, 1, tag, *children, localName=tag.rpartition(":")[2], **fields)


def text(id_: int, value: str = "text") -> Data:
    return node(id_, 3, "#text", nodeValue=value)


def shadow(id_: int, kind: str, *children: Data) -> Data:
    return node(id_, 11, "#document-fragment", *children, shadowRootType=kind)


def body(*children: Data) -> Data:
    """A document with ids 1 (document), 2 (html) and 3 (body)."""
    return document(1, element(2, "html", element(3, "body", *children)))


def ax(id_: int, role: str, name: str = "", *children: int, **fields: Any) -> Data:
    """An `Accessibility.AXNode` whose DOM node has the same id; negative ids have none.

    Args:
        fields: the protocol's own (``ignored``, ``value``, …), or a property: ``checked="true"``.
    """
    own: Data = {key: fields.pop(key) for key in ("ignored", "nodeId") if key in fields}
    for key in ("value", "description"):
        if key in fields:
            own[key] = {"type": "string", "value": fields.pop(key)}
    made: Data = {
        "nodeId": str(id_),
        "ignored": False,
        "role": {"type": "role", "value": role},
        "name": {"type": "computedString", "value": name},
        "childIds": [str(child) for child in children],
        "properties": [
            {"name": key, "value": {"type": "token", "value": value}} for key, value in fields.items()
        ],
        **own,
    }
    if id_ >= 0:
        made["backendDOMNodeId"] = id_
    return made


def dom_node(data: Data) -> DOMNode:
    return PlainPayload(data).result(DOMNode)


def dom_index(root: Data) -> SessionDomIndex:
    return SessionDomIndex(dom_node(root))


def ax_tree(*nodes: Data) -> AXTree:
    return read_ax_tree(PlainPayload({"nodes": list(nodes)}))


def frame_tree(frame: str, *children: Data, **fields: Any) -> Data:
    """A `Page.FrameTree`."""
    made: Data = {
        "frame": {"id": frame, "loaderId": f"loader of {frame}", "url": f"http://{frame}.test/", **fields}
    }
    if children:
        for child in children:
            child["frame"].setdefault("parentId", frame)
        made["childFrames"] = list(children)
    return made


def xpath(snapshot: Snapshot, element_id: str) -> str:
    return snapshot.combined_xpath_map[ElementId(element_id)]


def _copied(of: Data) -> Data:
    return {
        key: value for key, value in of.items() if key not in {"children", "shadowRoots", "contentDocument"}
    }


def cut(root: Data, depth: int) -> tuple[Data, int]:
    """`root` with `depth` levels below it (-1: all), and how many levels that came to.

    As in Chromium, shadow roots and frame documents do not count as levels when they are cut, but do nest.
    """
    top = _copied(root)
    deepest = 0
    open_nodes = [(root, top, depth, 1)]
    while open_nodes:
        from_, to, left, level = open_nodes.pop()
        deepest = max(deepest, level)
        if "contentDocument" in from_:
            inner = to["contentDocument"] = _copied(from_["contentDocument"])
            open_nodes.append((from_["contentDocument"], inner, left, level + 1))
        if "shadowRoots" in from_:
            to["shadowRoots"] = [_copied(one) for one in from_["shadowRoots"]]
            pairs = zip(from_["shadowRoots"], to["shadowRoots"], strict=True)
            open_nodes.extend((one, copy, left, level + 1) for one, copy in pairs)
        if left != 0 and "children" in from_:
            to["children"] = [_copied(one) for one in from_["children"]]
            pairs = zip(from_["children"], to["children"], strict=True)
            open_nodes.extend((one, copy, left - 1, level + 1) for one, copy in pairs)
    return top, deepest


def by_id(root: Data) -> dict[int, Data]:
    """Every node of a tree."""
    found: dict[int, Data] = {}
    open_nodes = [root]
    while open_nodes:
        one = open_nodes.pop()
        found[one["backendNodeId"]] = one
        open_nodes.extend(one.get("children", ()))
        open_nodes.extend(one.get("shadowRoots", ()))
        if "contentDocument" in one:
            open_nodes.append(one["contentDocument"])
    return found


class ScriptedDriver:
    """Answers each method with what it was told to; an unknown method is refused.

    Attributes:
        sent: every command, in order.
        answers: method → result, error, or a function of the command.
    """

    name = "scripted"

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = dict(answers)
        self.sent: list[Command[Any]] = []

    @property
    def methods(self) -> list[str]:
        return [command.method for command in self.sent]

    def execute(self, command: Command[Any], deadline: Deadline) -> Payload:  # noqa: ARG002 - the protocol's
        self.sent.append(command)
        answer = self.answers.get(command.method)
        if answer is None:
            raise refused(command.method, -32601, f"'{command.method}' wasn't found")
        if callable(answer):
            answer = answer(command)
        if isinstance(answer, HybridsnapError):
            raise answer
        return PlainPayload(answer)

    def cause_of_silence(self, session: SessionId | None) -> Cause:  # noqa: ARG002 - the protocol's
        return "busy"

    def run(self, plan: Plan[T], seconds: float = 60) -> T:
        return run_sync(plan, self, Deadline.after(seconds))


@dataclasses.dataclass
class _Process:
    """One session: its frame tree, DOM and AX trees by frame."""

    tree: Data
    nodes: dict[int, Data]
    dom: Data
    ax: dict[str, Sequence[Data]]


def flatten(root: Data) -> list[Data]:
    """The nodes of a tree as Chromium lists them, children before their parents; `nodeId` is their id."""
    listed: list[Data] = []

    def taken(one: Data) -> Data:
        """A node without its children, which are still to be listed."""
        open_nodes.extend((child, one["backendNodeId"]) for child in one.get("children", ()))
        alone = {**one, "nodeId": one["backendNodeId"], "children": []}
        if "shadowRoots" in one:
            alone["shadowRoots"] = [taken(inner) for inner in one["shadowRoots"]]
        if "contentDocument" in one:
            alone["contentDocument"] = taken(one["contentDocument"])
        return alone

    open_nodes = [(root, 0)]
    while open_nodes:
        one, parent = open_nodes.pop()
        listed.append({**taken(one), **({"parentId": parent} if parent else {})})
    return listed[::-1]


class FakeBrowser(ScriptedDriver):
    """One page in one process, or more with `add_process`.

    Args:
        dom: the document.
        ax_nodes: the main frame's AX nodes.
        tree: the frame tree; one frame ``main`` when left out.
        max_levels: what nests deeper is refused, as Chromium refuses it.
        flattens: it knows `DOM.getFlattenedDocument`.
    """

    def __init__(
        self,
        dom: Data,
        ax_nodes: Sequence[Data] = (),
        *,
        tree: Data | None = None,
        max_levels: int = 150,
        flattens: bool = True,
    ) -> None:
        super().__init__(
            {
                "Page.getFrameTree": lambda command: {"frameTree": self._of(command).tree},
                "DOM.enable": {},
                "DOM.disable": {},
                "DOM.getDocument": self._document,
                "DOM.getFlattenedDocument": self._flattened,
                "DOM.describeNode": self._described,
                "DOM.getNodesForSubtreeByStyle": {"nodeIds": []},
                "Accessibility.getFullAXTree": self._ax_tree,
            }
        )
        self.max_levels = max_levels
        self.flattens = flattens
        self.processes: dict[str | None, _Process] = {}
        self.sessions: list[SessionInfo] = []
        tree = tree or frame_tree("main")
        self.add_process(None, dom, {tree["frame"]["id"]: ax_nodes}, tree=tree)

    def add_process(
        self,
        session: str | None,
        dom: Data,
        ax_by_frame: Mapping[str, Sequence[Data]],
        *,
        tree: Data,
        parent: str | None = None,
    ) -> None:
        """Another session; its frame tree's root is its root frame."""
        self.processes[session] = _Process(tree, by_id(dom), dom, dict(ax_by_frame))
        self.sessions.append(
            SessionInfo(
                None if session is None else SessionId(session),
                FrameId(tree["frame"]["id"]),
                None if parent is None else FrameId(parent),
                tree["frame"]["url"],
            )
        )

    def capture(self, *, ordinals: Ordinals | None = None) -> Capture:
        return self.run(capture_hybrid_snapshot(self.sessions, Ordinals() if ordinals is None else ordinals))

    def snapshot(self) -> Snapshot:
        return build_snapshot(self.capture(), transport=self.name, elapsed_ms=1.5)

    def _of(self, command: Command[Any]) -> _Process:
        return self.processes[command.session]

    def _nested(self, method: str, root: Data, depth: int) -> Data:
        made, levels = cut(root, depth)
        if levels > self.max_levels:
            raise refused(method, -32000, NESTING)
        return made

    def _document(self, command: Command[Any]) -> Data:
        return {"root": self._nested(command.method, self._of(command).dom, command.params["depth"])}

    def _flattened(self, command: Command[Any]) -> Data:
        if not self.flattens:
            raise refused(command.method, -32601, "'DOM.getFlattenedDocument' wasn't found")
        return {"nodes": flatten(self._of(command).dom)}

    def _described(self, command: Command[Any]) -> Data:
        wanted = self._of(command).nodes.get(command.params["backendNodeId"])
        if wanted is None:
            raise refused(command.method, -32000, "Could not find node with given id")
        return {"node": self._nested(command.method, wanted, command.params["depth"])}

    def _ax_tree(self, command: Command[Any]) -> Data:
        process = self._of(command)
        frame = command.params.get("frameId", process.tree["frame"]["id"])
        if frame not in process.ax:
            raise refused(command.method, -32602, "Frame with the given frameId is not found.")
        return {"nodes": list(process.ax[frame])}
