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
import itertools
import json
import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.capture.ax_node import without_password
from hybridsnap.model import MISSING_FRAME, BackendNodeId, ElementId, FrameReport
from hybridsnap.render.ax_frames import read_frame_trees
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.role import quote, word
from hybridsnap.render.select import is_interactive
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.ax_tree import AXNode, AXScalar
    from hybridsnap.render.ax_frames import FrameTree
    from hybridsnap.render.content import Content, RenderOptions

#: A property's value that needs no quotes.
_BARE = re.compile(r"[A-Za-z][\w-]*", re.ASCII)


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


def place_nodes(tree: FrameTree) -> list[tuple[int, AXNode]]:
    """One frame's nodes that are not ignored, each once, with their depth, in document order."""
    left = dict(tree.nodes)
    depth = 0 if tree.root.ignored else 1
    # The last ones: nodes that name each other in a circle.
    starts = [(node.node_id, depth) for node in (*tree.orphans, *tree.nodes.values())]
    open_nodes = [*reversed(starts), (tree.root.node_id, 0)]
    placed: list[tuple[int, AXNode]] = []
    while open_nodes:
        node_id, depth = open_nodes.pop()
        node = left.pop(node_id, None)
        if node is None:
            continue
        if not node.ignored:
            placed.append((depth, node))
            depth += 1
        open_nodes.extend((child, depth) for child in reversed(node.child_ids))
    return placed


def _all_entries(content: Content, capture: Capture, trees: Mapping[FrameId, FrameTree]) -> list[_Entry]:
    """Every node of every frame, in document order, and the lines of frames."""
    held = _held_frames(content)
    entries: list[_Entry] = []
    todo: list[_Entry | tuple[FrameReport, int]] = [(content.report.frames[0], 0)]
    while todo:
        step = todo.pop()
        if isinstance(step, _Entry):
            entries.append(step)
            continue
        frame, top = step
        tree = trees.get(frame.frame_id)
        placed = [] if tree is None else place_nodes(tree)
        #: Child frames by their owner element, until it is met.
        waiting: dict[ElementId | None, list[FrameReport]] = {}
        for child in held.get(frame.frame_id, ()):
            waiting.setdefault(child.owner_id, []).append(child)
        steps: list[_Entry | tuple[FrameReport, int]] = []
        is_read = frame.frame_id in capture.ax_trees
        if not is_read and frame.status != "excluded":
            steps.append(_Entry(frame, frame, top, 0))
        for own_depth, node in placed:
            steps.append(_Entry(node, frame, top + own_depth, own_depth))
            if waiting and node.backend_node_id is not None:
                owned = waiting.pop(ElementId(f"{frame.ordinal}-{node.backend_node_id}"), ())
                steps += [(child, top + own_depth + 1) for child in owned]
        own_depth = int(not is_read or sum(not depth for depth, _ in placed) == 1)
        for child in sorted(itertools.chain(*waiting.values()), key=lambda child: child.ordinal):
            if child.frame_id in capture.ax_trees:
                steps.append(_Entry(child, frame, top + own_depth, own_depth))
                steps.append((child, top + own_depth + 1))
            else:
                steps.append((child, top + own_depth))
        todo += reversed(steps)
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


def _number(entries: list[_Entry], trees: Mapping[FrameId, FrameTree]) -> dict[str, AxRef]:
    """Give every node its ref and, where it has one that no earlier node has, its element id."""
    given: set[ElementId] = set()
    refs: dict[str, AxRef] = {}
    for entry in entries:
        node, frame = entry.what, entry.frame
        if not isinstance(node, FrameReport):
            id_ = trees[frame.frame_id].id_of(node)
        else:
            # The owner element has no node of its own that is shown; the line before its tree stands for it.
            id_ = node.owner_id if entry.is_head else None
        if id_ is not None and id_ not in given:
            given.add(id_)
            entry.id = id_
        if not isinstance(node, FrameReport):
            entry.ref = f"ax{len(refs) + 1}"
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
    trees = read_frame_trees(capture)
    entries = _all_entries(content, capture, trees)
    refs = _number(entries, trees)
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


def _value(node: AXNode) -> AXScalar:
    """A node's value as it is, but no password."""
    value = node.value
    return without_password(node, value) if isinstance(value, str) else value


def _finite(value: AXScalar) -> AXScalar:
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
