r"""The accessibility tree as the browser gives it, of all frames: nothing merged, nothing pruned.

::

    ax1 RootWebArea "Shop" [focusable=true url="https://shop.test/"] (0-2)
      ax2 textbox "Name" value="Ada" [invalid=false focusable=true editable=plaintext settable=true] (0-14)
        ax3 generic [editable=plaintext] (0-15)
      ax4 Iframe "Ads" (0-20)
        ! frame 1 not captured: crashed (https://ads.test/)
      frame 2 in 0-31: https://shop.test/hidden
        ax5 RootWebArea "Hidden" (2-3)
    … 41 more nodes (limit=5)

- A line is ``REF ROLE``, then what the node has of: name, ``value=``, ``description=``, properties in one
  pair of brackets, the element id in parentheses. Text is a JSON string of cleaned text; a property's value
  stands bare when it is a number, true, false or a word, and is left out where Chromium gives nodes instead.
- With ``json_lines=True`` a line is an object: ref, depth, role, name, description, value, properties, id,
  frame. Its text is exact: what could break a line is escaped; only lone surrogates are replaced (U+FFFD).
  Other lines are objects without ref: ``{"depth", "frame", "url", "owner"}`` (a frame), the same with
  ``"missing"`` (its cause), and ``{"depth", "left_out"}``.
- Ignored nodes are transparent: what is below them moves up. Of nodes with the same id the first counts. Each
  node stands once, below the first that names it; a node that no other names hangs below the root.
- A frame's tree stands below its owner's node; where that is not shown, below the document that holds it,
  with a line that says which frame it is.
- Refs are numbered over the whole snapshot, whatever a rendering leaves out. An element id is printed for the
  first node of an element.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from hybridsnap.capture.ax_node import without_password
from hybridsnap.model import MISSING_FRAME, BackendNodeId, ElementId, FrameReport
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.role import quote, word
from hybridsnap.render.select import is_interactive
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.ax_tree import AXNode, AXScalar
    from hybridsnap.render.content import Content, RenderOptions

#: A property's value that needs no quotes.
_BARE = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_Scalar: TypeAlias = "str | int | float | bool | None"


class AxRef(msgspec.Struct, frozen=True):
    """What a ref stands for.

    Attributes:
        role: Chromium's.
        name: cleaned.
        element_id: None where no DOM node stands behind the node, or an earlier node has it.
        backend_node_id: ``backendDOMNodeId`` in JSON; of pseudo-elements too.
        frame: the frame's ordinal.
    """

    role: str
    name: str
    element_id: ElementId | None
    backend_node_id: BackendNodeId | None = msgspec.field(name="backendDOMNodeId")
    frame: int


@dataclasses.dataclass(slots=True)
class _Entry:
    """A node, or a frame that a line of its own speaks of: because it is missing, or before its tree.

    Attributes:
        what: a node of `frame`; `frame` itself, missing; or a frame that `frame` holds.
        depth: in the page.
        own_depth: in its frame's tree.
    """

    what: AXNode | FrameReport
    frame: FrameReport
    depth: int
    own_depth: int
    ref: str = ""
    id: ElementId | None = None

    @property
    def is_head(self) -> bool:
        """Whether it is the line before a frame's tree."""
        return isinstance(self.what, FrameReport) and self.what is not self.frame


@dataclasses.dataclass(slots=True)
class _Reading:
    """How far a frame's tree has been read.

    Attributes:
        waiting: child frames by their owner element, until it is met.
        due: child frames to read next, the last one first; with their depth, and whether they need a line.
    """

    frame: FrameReport
    depth: int
    placed: list[tuple[int, AXNode]]
    waiting: dict[ElementId | None, list[FrameReport]]
    at: int = 0
    due: list[tuple[FrameReport, int, bool]] = dataclasses.field(default_factory=list)


def place_nodes(nodes: Sequence[AXNode]) -> list[tuple[int, AXNode]]:
    """One frame's nodes that are not ignored, each once, with their depth, in document order.

    Args:
        nodes: as they came; whatever their child ids say.
    """
    left: dict[int, AXNode] = {}
    for node in nodes:
        left.setdefault(node.node_id, node)
    placed: list[tuple[int, AXNode]] = []

    def place(start: int, depth: int) -> None:
        open_nodes = [(start, depth)]
        while open_nodes:
            node_id, depth = open_nodes.pop()
            node = left.pop(node_id, None)
            if node is None:
                continue
            if not node.ignored:
                placed.append((depth, node))
                depth += 1
            open_nodes.extend((child, depth) for child in reversed(node.child_ids))

    if nodes:
        place(nodes[0].node_id, 0)
    if left:
        depth = 0 if nodes[0].ignored else 1
        named = {child for node in left.values() for child in node.child_ids}
        # The second time round: nodes that name each other in a circle.
        for start in [*(node_id for node_id in left if node_id not in named), *left]:
            place(start, depth)
    return placed


def _all_entries(content: Content, capture: Capture) -> list[_Entry]:
    """Every node of every frame, in document order, and the lines of frames."""
    held = _held_frames(content)
    entries: list[_Entry] = []

    def begin(frame: FrameReport, depth: int) -> _Reading:
        tree = capture.ax_trees.get(frame.frame_id)
        if tree is None and frame.status != "excluded":
            entries.append(_Entry(frame, frame, depth, 0))
        waiting: dict[ElementId | None, list[FrameReport]] = {}
        for child in held.get(frame.frame_id, ()):
            waiting.setdefault(child.owner_id, []).append(child)
        return _Reading(frame, depth, [] if tree is None else place_nodes(tree.nodes), waiting)

    open_frames = [begin(content.report.frames[0], 0)]
    while open_frames:
        reading = open_frames[-1]
        frame = reading.frame
        if reading.due:
            child, depth, unowned = reading.due.pop()
            if unowned and child.frame_id in capture.ax_trees:
                entries.append(_Entry(child, frame, depth, depth - reading.depth))
                depth += 1
            open_frames.append(begin(child, depth))
        elif reading.at < len(reading.placed):
            own_depth, node = reading.placed[reading.at]
            reading.at += 1
            depth = reading.depth + own_depth
            entries.append(_Entry(node, frame, depth, own_depth))
            if reading.waiting and node.backend_node_id is not None:
                owner_id = ElementId(f"{frame.ordinal}-{node.backend_node_id}")
                owned = reading.waiting.pop(owner_id, ())
                reading.due = [(child, depth + 1, False) for child in reversed(owned)]
        elif reading.waiting:
            tops = sum(not own_depth for own_depth, _ in reading.placed)
            depth = reading.depth + (tops == 1 or frame.frame_id not in capture.ax_trees)
            unplaced = [child for children in reading.waiting.values() for child in children]
            unplaced.sort(key=lambda child: -child.ordinal)
            reading.waiting = {}
            reading.due = [(child, depth, True) for child in unplaced]
        else:
            open_frames.pop()
    return entries


def _held_frames(content: Content) -> dict[FrameId, list[FrameReport]]:
    """For each frame the frames next below it that are not excluded, by ordinal."""
    main = content.report.frames[0]
    reports = {frame.frame_id: frame for frame in content.report.frames}
    held: dict[FrameId, list[FrameReport]] = {}
    for frame in content.report.frames[1:]:
        if frame.status == "excluded":
            continue
        above = frame.parent_frame_id
        while above is not None and above in reports and reports[above].status == "excluded":
            above = reports[above].parent_frame_id
        held.setdefault(main.frame_id if above not in reports else above, []).append(frame)
    return held


class _Ids:
    """Which node gets which element id: the first of each element that the frame's DOM knows."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.given: set[ElementId] = set()

    def id_of(self, node: AXNode, frame: FrameReport) -> ElementId | None:
        backend_id = node.backend_node_id
        if backend_id is None:
            return None
        state = self.capture.context.frames.get(frame.frame_id)
        index = None if state is None or state.session is None else self.capture.indexes[state.session]
        if index is not None:
            here = index.position.get(backend_id, -1)
            if here < 0 or not index.has_xpath(here):
                return None
        return self.first(ElementId(f"{frame.ordinal}-{backend_id}"))

    def first(self, element_id: ElementId | None) -> ElementId | None:
        if element_id is None or element_id in self.given:
            return None
        self.given.add(element_id)
        return element_id


def _number(entries: list[_Entry], capture: Capture) -> dict[str, AxRef]:
    """Give every node its ref and, where it has one, its element id."""
    ids = _Ids(capture)
    refs: dict[str, AxRef] = {}
    for entry in entries:
        node, frame = entry.what, entry.frame
        if isinstance(node, FrameReport):
            # The owner element has no node of its own that is shown; this line stands for it.
            entry.id = ids.first(node.owner_id) if entry.is_head else None
            continue
        entry.ref = f"ax{len(refs) + 1}"
        entry.id = ids.id_of(node, frame)
        name = clean_text(without_password(node, node.name))
        refs[entry.ref] = AxRef(node.role, name, entry.id, node.backend_node_id, frame.ordinal)
    return refs


def build_aria(content: Content, options: RenderOptions) -> LineDocument:
    """The AX tree's lines.

    Returns:
        A document whose `extras` hold ``refs`` (ref → `AxRef`, of the whole snapshot), ``mode`` (``aria``)
        and ``frame``.

    Raises:
        ValueError: `limit` is not a positive number, or the snapshot was read from JSON.
    """
    limit = options.special.get("limit")
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise ValueError(f"limit is a number of nodes from 1 on, not {limit!r}")
    as_json = bool(options.special.get("json_lines", False))
    capture = content.source("aria")
    entries = _all_entries(content, capture)
    refs = _number(entries, capture)
    if options.frame is not None:
        entries = [
            dataclasses.replace(entry, depth=entry.own_depth)
            for entry in entries
            if entry.frame.ordinal == options.frame and not entry.is_head
        ]
    if options.max_depth is not None:
        entries = [entry for entry in entries if entry.depth <= options.max_depth]
    left_out = 0
    if limit is not None:
        nodes = [at for at, entry in enumerate(entries) if entry.ref]
        if len(nodes) > limit:
            left_out = len(nodes) - limit
            entries = entries[: nodes[limit]]
    lines = _lines(entries, content, as_json=as_json)
    if left_out:
        said = f"… {left_out:,} more node{'s' * (left_out != 1)} (limit={limit})"
        text = _dump({"depth": 0, "left_out": left_out}) if as_json else said
        lines.append(Line(0, text, "limit", kept=True))
    extras = {"refs": refs, "mode": "aria", "frame": options.frame}
    if as_json:
        return LineDocument(lines, indent="", fold='{{"fold":"{}"}}', extras=extras)
    return LineDocument(lines, extras=extras)


def _lines(entries: Sequence[_Entry], content: Content, *, as_json: bool) -> list[Line]:
    interactive = {row.id for row in content.rows if is_interactive(row)}
    lines: list[Line] = []
    for entry in entries:
        what, id_ = entry.what, entry.id
        if isinstance(what, FrameReport):
            kind = "frame"
            text = _frame_line(what, entry, as_json=as_json)
        else:
            kind = word(what.role)
            text = (_json_line if as_json else _text_line)(what, entry)
        lines.append(
            Line(
                entry.depth,
                text,
                kind,
                id_,
                role="" if isinstance(what, FrameReport) else what.role,
                interactive=id_ is not None and id_ in interactive,
                in_view=content.in_view(id_),
                kept=not entry.ref and not entry.is_head,
                ref=entry.ref,
            )
        )
    return lines


def _frame_line(frame: FrameReport, entry: _Entry, *, as_json: bool) -> str:
    """What is said of a frame that is missing, or whose owner is not shown."""
    if as_json:
        data: dict[str, Any] = {
            "depth": entry.depth,
            "frame": frame.ordinal,
            "url": frame.url,
            "owner": frame.owner_id,
        }
        return _dump(data if entry.is_head else {**data, "missing": frame.cause})
    url = clean_text(frame.url)
    if entry.is_head:
        owner = "" if frame.owner_id is None else f" in {frame.owner_id}"
        return f"frame {frame.ordinal}{owner}: {url}".rstrip(" ")
    return f"{MISSING_FRAME} frame {frame.ordinal} not captured: {frame.cause}{url and f' ({url})'}"


def _text_line(node: AXNode, entry: _Entry) -> str:
    parts = [entry.ref, word(node.role)]
    if name := without_password(node, node.name):
        parts.append(quote(name))
    value = _value(node)
    if value is not None and value != "":
        parts.append(f"value={quote(value if isinstance(value, str) else json.dumps(_finite(value)))}")
    if node.description:
        parts.append(f"description={quote(node.description)}")
    if node.properties:
        parts.append(f"[{' '.join(_property(*each) for each in node.properties.items())}]")
    if entry.id is not None:
        parts.append(f"({entry.id})")
    return " ".join(parts)


def _property(name: str, value: AXScalar) -> str:
    if value is None:
        return word(name)
    if not isinstance(value, str):
        return f"{word(name)}={json.dumps(value)}"
    return f"{word(name)}={value if _BARE.fullmatch(value) else quote(value)}"


def _json_line(node: AXNode, entry: _Entry) -> str:
    return _dump(
        {
            "ref": entry.ref,
            "depth": entry.depth,
            "role": node.role,
            "name": without_password(node, node.name),
            "description": node.description,
            "value": _finite(_value(node)),
            "properties": {name: _finite(value) for name, value in node.properties.items()},
            "id": entry.id,
            "frame": entry.frame.ordinal,
        }
    )


def _value(node: AXNode) -> _Scalar:
    """A node's value as it is, but no password."""
    value = node.value
    return without_password(node, value) if isinstance(value, str) else value


def _finite(value: _Scalar) -> _Scalar:
    """JSON knows no infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _dump(data: dict[str, Any]) -> str:
    """`data` on one line, in characters that are seen."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    return "\ufffd" if "\ud800" <= character <= "\udfff" else json.dumps(character)[1:-1]
