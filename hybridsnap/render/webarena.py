r"""The accessibility tree as WebArena's agents read it: ``[id] role 'name' prop: value``, a tab a level.

::

    Tab 0 (current): Shop | Tab 1: Mail

    [0-4] RootWebArea 'Shop' focused: True
        [0-29] button 'Buy' hasPopup: menu
        [0-31] StaticText 'In stock'

As in WebArena's ``parse_accessibility_tree`` and ``clean_accesibility_tree``: its ignored properties, its
roles that are dropped without a name and a property, children of a dropped node at that node's own depth, and
a StaticText whose text stands in the three lines above it left out. Other than there:

- ids are the snapshot's (a backend node id alone is not unique over frames); all frames are here, each below
  its owner element. A node without an id (generated content, list markers, pieces of text lines, a second AX
  node of one element) is not printed, its children are: what is printed can be acted on, and is in the
  ``info`` map.
- The StaticText rule does not look at the lines' ids (in which a digit would always be found), and counts a
  name with quotes as it counts any other (WebArena drops those). A StaticText without text is left out.
- Names are cleaned before they are quoted. A property's value that holds ``word: `` or a quote is quoted too,
  and a tab's title cannot begin another tab: no page can add a property, a line or a tab.
- What can be typed into without having a role (``contenteditable``) is a ``textbox``, and not dropped.
- What no parent names hangs below the root; rings and repetitions in a tree's child ids do no harm.
"""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hybridsnap.capture.ax_node import without_password
from hybridsnap.capture.roles import INTERACTIVE_ROLES, ROOT_ROLE
from hybridsnap.model import MISSING_FRAME
from hybridsnap.render.ax_frames import holder_of, read_frame_trees
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.select import is_editor, is_interactive
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import BackendNodeId, Box, ElementId, FrameId
    from hybridsnap.protocol.ax_tree import AXNode
    from hybridsnap.render.ax_frames import FrameTree
    from hybridsnap.render.content import Content, RenderOptions

#: WebArena's ``IGNORED_ACTREE_PROPERTIES``.
IGNORED_PROPERTIES = ("focusable", "editable", "readonly", "level", "settable", "multiline", "invalid")
#: Roles that WebArena drops when they have neither a name nor a property.
DROPPED_ROLES = frozenset(
    {
        "generic",
        "img",
        "list",
        "strong",
        "paragraph",
        "banner",
        "navigation",
        "Section",
        "LabelText",
        "Legend",
        "listitem",
    }
)
#: Dropped without a name, whatever its properties (its ``level`` was one).
DROPPED_WITHOUT_NAME = "listitem"
STATIC_TEXT = "StaticText"
#: Lines above a StaticText in which its text is looked for.
_LINES_ABOVE = 3
#: WebArena's ``IN_VIEWPORT_RATIO_THRESHOLD``: how much of a node must be visible.
_VISIBLE_SHARE = 0.6
_LIKE_A_PROPERTY = re.compile(r"\S: |['\"]")
_LIKE_A_TAB = re.compile(r"\|(?= Tab \d+(?: \(current\))?:)")


def build_webarena(content: Content, options: RenderOptions) -> LineDocument:
    """The accessibility tree as lines; extras: ``info``, {id: {backend_id, union_bound, text}}.

    Args:
        content: the snapshot's; it needs the AX trees.
        options: special ``ignored_properties`` and ``dropped_roles`` (in place of WebArena's),
            ``static_text`` (False: StaticText is never left out), ``viewport_only`` (only what is in the
            viewport, by its visible area), ``tabs`` (titles, or (title, current) pairs; the page alone).

    Raises:
        ValueError: the snapshot has rows only, or `viewport_only` without layout.
    """
    capture = content.source("webarena")
    special = options.special
    if special.get("viewport_only") and content.layout is None:
        raise ValueError("viewport_only needs layout; capture with layout=True")
    view = _View(content, capture, options)
    header = _tab_header(special.get("tabs"), content)
    lines = [Line(0, text, "head", kept=True, head=True) for text in ([header, ""] if header else [])]
    info: dict[ElementId, dict[str, Any]] = {}
    above: deque[str] = deque(maxlen=_LINES_ABOVE)
    for printed in view.printed():
        line = printed.line
        if options.max_depth is not None and line.depth > options.max_depth:
            continue
        if special.get("static_text", True) and printed.is_repeated(above):
            continue
        above.append(printed.said)
        lines.append(line)
        if line.id is not None:
            info[line.id] = {
                "backend_id": printed.backend_id,
                "union_bound": None if printed.box is None else list(printed.box.bounds),
                "text": line.text,
            }
    return LineDocument(lines, indent="\t", extras={"info": info})


def _tab_header(tabs: Iterable[Any] | None, content: Content) -> str:
    """``Tab 0 (current): title | Tab 1: title``; "" for no tabs."""
    own = clean_text(content.report.title)
    given: list[tuple[str, bool]] = []
    if tabs is None:
        given = [(own, True)]
    elif isinstance(tabs, str) or not isinstance(tabs, Iterable):
        raise TypeError(f"tabs: expected a list of titles, or of (title, current) pairs, got {tabs!r}")
    else:
        for tab in tabs:
            if isinstance(tab, str):
                # Of titles alone, the first that is the page's own is the current one.
                is_current = clean_text(tab) == own and not any(current for _, current in given)
                given.append((tab, is_current))
            else:
                title, current = tab
                given.append((title, bool(current)))
    header: list[str] = []
    for number, (title, is_current) in enumerate(given):
        shown = _LIKE_A_TAB.sub(r"\\|", clean_text(title))
        header.append(f"Tab {number}{' (current)' if is_current else ''}: {shown}")
    return " | ".join(header)


@dataclasses.dataclass(slots=True)
class _Printed:
    """A node that is printed.

    Attributes:
        said: the line without its id, which is what the StaticText rule looks through.
        text: of a StaticText, as its line has it; None of any other node.
    """

    line: Line
    said: str
    text: str | None
    backend_id: BackendNodeId | None = None
    box: Box | None = None

    def is_repeated(self, above: Iterable[str]) -> bool:
        """Whether the StaticText rule leaves it out below these lines."""
        text = self.text
        return text is not None and (not text or any(text in line for line in above))


@dataclasses.dataclass(slots=True)
class _Step:
    """A node to come, and how deep: or a whole frame, when `node` is None."""

    frame: FrameId
    node: AXNode | None
    depth: int
    box: Box | None


class _View:
    """Goes through all frames' AX trees in order."""

    def __init__(self, content: Content, capture: Capture, options: RenderOptions) -> None:
        special = options.special
        self._capture = capture
        self._only = options.frame
        self._layout = content.layout
        self._viewport_only = bool(special.get("viewport_only"))
        self._ignored = frozenset(special.get("ignored_properties", IGNORED_PROPERTIES))
        self._dropped = frozenset(special.get("dropped_roles", DROPPED_ROLES))
        self._interactive = {row.id for row in content.rows if is_interactive(row)}
        self._editors = {row.id for row in content.rows if is_editor(row)}
        self._missing = {row.frame: row.name for row in content.rows if row.role == MISSING_FRAME}
        self._trees = read_frame_trees(capture)
        self._given: set[ElementId] = set()
        #: What holds frames (`holder_of`) → these.
        self._below: dict[tuple[FrameId, int | None], list[FrameId]] = {}
        for frame in capture.context.frames:
            is_shown = frame in self._trees or capture.ordinals.by_frame[frame] in self._missing
            if is_shown and frame != capture.context.root_id:
                self._below.setdefault(holder_of(capture, self._trees, frame), []).append(frame)

    def printed(self) -> Iterator[_Printed]:
        """Everything that is printed, before the StaticText rule and `max_depth`."""
        seen: set[tuple[FrameId, int]] = set()
        todo = [_Step(frame, None, 0, None) for frame in self._start()]
        while todo:
            step = todo.pop()
            tree = self._trees.get(step.frame)
            if tree is None:
                yield from self._gap(step)
                todo += self._held((step.frame, None), step.depth, None)
                continue
            node = step.node or tree.root
            key = (step.frame, node.node_id)
            if key in seen:
                continue
            seen.add(key)
            printed = self._print(tree, node, step)
            if printed is not None:
                yield printed
            # Below a StaticText are pieces of its lines; and the rule may yet leave it out.
            depth = step.depth + (printed is not None and printed.text is None)
            box = self._box_of(tree, node) or step.box
            below = [
                _Step(step.frame, child, depth, box)
                for child in map(tree.nodes.get, node.child_ids)
                if child is not None
            ]
            if node is tree.root:
                below += [_Step(step.frame, orphan, depth, box) for orphan in tree.orphans]
                below += self._held((step.frame, None), depth, box)
            below += self._held(key, depth, box)
            todo += reversed(below)

    def _start(self) -> list[FrameId]:
        if self._only is None:
            return [self._capture.context.root_id]
        by_frame = self._capture.ordinals.by_frame
        return [frame for frame in self._capture.context.frames if by_frame[frame] == self._only]

    def _held(self, holder: tuple[FrameId, int | None], depth: int, box: Box | None) -> list[_Step]:
        frames = self._below.get(holder, ()) if self._only is None else ()
        return [_Step(frame, None, depth, box) for frame in frames]

    def _gap(self, step: _Step) -> Iterator[_Printed]:
        """The line that stands where a frame would that could not be read."""
        words = self._missing.get(self._capture.ordinals.by_frame[step.frame])
        if words is not None:
            text = f"{MISSING_FRAME} {clean_text(words)}"
            yield _Printed(Line(step.depth, text, MISSING_FRAME, kept=True), text, None)

    def _box_of(self, tree: FrameTree, node: AXNode) -> Box | None:
        id_ = None if self._layout is None else tree.id_of(node)
        return None if id_ is None or self._layout is None else self._layout.boxes.get(id_)

    def _print(self, tree: FrameTree, node: AXNode, step: _Step) -> _Printed | None:
        """The node's line; None when it has none."""
        id_ = tree.id_of(node)
        if node.ignored or id_ is None or id_ in self._given:
            return None
        role, name = clean_text(node.role), clean_text(without_password(node, node.name))
        properties = self._properties(node)
        if id_ in self._editors:
            role = "textbox"
        if not name and role in self._dropped and (not properties or role == DROPPED_WITHOUT_NAME):
            return None
        own = self._box_of(tree, node)
        box = own or (step.box if role == STATIC_TEXT else None)  # text stands where its element stands
        if self._viewport_only and not self._is_in_viewport(role, box, step):
            return None
        self._given.add(id_)
        said = " ".join([role, repr(name), *properties])
        in_view = None if self._layout is None else box is not None and box.visible_share > 0
        line = Line(
            step.depth,
            f"[{id_}] {said}",
            role,
            id_,
            role=role,
            interactive=role in INTERACTIVE_ROLES or id_ in self._interactive,
            in_view=in_view,
        )
        return _Printed(
            line, said, repr(name)[1:-1] if role == STATIC_TEXT else None, node.backend_node_id, own
        )

    def _is_in_viewport(self, role: str, box: Box | None, step: _Step) -> bool:
        if role == ROOT_ROLE:
            # A document is as much there as the element that holds it; the main one always is.
            return step.box is None or step.box.visible_share > 0
        return box is not None and box.visible_share >= _VISIBLE_SHARE

    def _properties(self, node: AXNode) -> list[str]:
        made: list[str] = []
        for name, value in node.properties.items():
            if name not in self._ignored and value is not None:
                made.append(property_text(name, value))
        return made


def property_text(name: str, value: str | float) -> str:
    """A property as a line has it; a value of the page's cannot look like another property."""
    if isinstance(value, str):
        value = clean_text(value)
        if _LIKE_A_PROPERTY.search(value):
            value = repr(value)
    return f"{clean_text(name)}: {value}"
