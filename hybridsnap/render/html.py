"""The page's serialised HTML, all frames in one document.

Put together without folds, it parses into the page's own tree (as far as any HTML can say that tree: what
script has put where the parser would not leave it, moves). On purpose:

- A child frame's document stands in ``<template data-frame="1" data-url="…">`` right after its owner element:
  what is inside an ``<iframe>`` would be read as its text. The frames of a ``<frameset>`` stand before the
  outermost one, since a parser takes nothing else inside it.
- Author shadow roots are declarative, the host's first child: ``<template shadowrootmode="open">``. Inner
  parts of controls are left out, as ``outerHTML`` leaves them out, and what ``<template>`` elements hold too;
  where a page's own template has one of these attributes, the attribute's name begins with ``page-``.
- Without ``scripts`` the contents of ``script`` and ``noscript`` are left out; their tags stay. Where scripts
  run, a ``noscript`` is not part of the page.
- A password field's ``value`` is left out.
- Controls and what turns the order of reading stand as character references. Where HTML has none for them
  (U+0000, U+0080 to U+009F; all of them in raw text and comments), U+FFFD stands instead; a name that holds
  one is a name that no tag, or no attribute, can have.
- Markup that is valid in a DOM only is written so that it parses: ``-->`` in a comment and an end tag in
  raw text are broken up, ``plaintext`` (which nothing can end) is printed as ``pre``, a name that no tag can
  have as ``unknown-element``.
- A tag that is too long for a budget loses its attributes, and a fold before it says so.
- A fold is a comment that begins with ``…``; a page's own comment that does begins with ``...``.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from hybridsnap.capture.xpath import (
    CDATA,
    COMMENT,
    DOCTYPE,
    ELEMENT,
    PROCESSING_INSTRUCTION,
    TEXT,
    tag_name,
)
from hybridsnap.model import MISSING_FRAME, ElementId
from hybridsnap.render.dom import is_password
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.select import is_interactive
from hybridsnap.render.selectors import frames_by_document
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.replies import DOMNode
    from hybridsnap.render.content import Content, RenderOptions

VOID = frozenset(
    {
        "area",
        "base",
        "basefont",
        "bgsound",
        "br",
        "col",
        "embed",
        "frame",
        "hr",
        "img",
        "input",
        "keygen",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    }
)
#: Elements whose text a parser takes as it stands, up to their end tag.
RAW_TEXT = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes", "noscript"})
#: A parser drops a line break at their beginning.
_DROP_FIRST_LINE_BREAK = frozenset({"pre", "textarea", "listing"})
_FOREIGN_ROOTS = frozenset({"svg", "math"})
#: Within SVG and MathML, the elements that hold HTML again.
_HTML_AGAIN = frozenset({"foreignObject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"})
#: What marks templates that are not the page's.
_TEMPLATE_ATTRIBUTES = frozenset({"data-frame", "data-url", "shadowrootmode", "shadowroot"})
_SCRIPTING = frozenset({"script", "noscript"})
#: Whoever prints them obeys them, is misled by them, or takes them for a line's end.
_CONTROLS = frozenset(
    chr(code)
    for low, high in [
        (0, 8), (0xB, 0x1F), (0x7F, 0x9F),
        (0x61C, 0x61C), (0x200E, 0x200F), (0x2028, 0x202E), (0x2066, 0x2069),
    ]
    for code in range(low, high + 1)
)  # fmt: skip
_NO_NAME = "".join(sorted(_CONTROLS))
_TAG_NAME = re.compile(rf"[A-Za-z][^\s/>{_NO_NAME}]*\Z")
_ATTRIBUTE_NAME = re.compile(rf"[^\s/>={_NO_NAME}]+\Z")
#: A longer text is cut into several lines, so that a fold can hold a part of it.
_TEXT_PIECE = 1000

_NO_REFERENCE = {"\0", *map(chr, range(0x80, 0xA0))}
_REFERENCES = {one: "\ufffd" if one in _NO_REFERENCE else f"&#{ord(one)};" for one in _CONTROLS}
_IN_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\xa0": "&nbsp;", **_REFERENCES}
_IN_ATTRIBUTE = {**_IN_TEXT, '"': "&quot;"}
_TEXT_TABLE = str.maketrans(_IN_TEXT)
_ATTRIBUTE_TABLE = str.maketrans(_IN_ATTRIBUTE)
#: Where references mean nothing; a parser takes the first for a line break, to CSS and scripts the others are
#: spaces.
_AS_IT_STANDS = str.maketrans({**dict.fromkeys(_CONTROLS, "\ufffd"), "\r": "\n", "\x0b": " ", "\x0c": " "})


def build_html(content: Content, options: RenderOptions) -> LineDocument:
    """The page's HTML as lines: one for an element, its end tag as closing, one for a text or a comment.

    Args:
        content: the snapshot's; it needs the DOM.
        options: special ``scripts`` (True keeps what ``script`` and ``noscript`` hold). `max_depth` counts
            elements: the ``html`` element is 0. `frame` gives that frame's document alone.

    Raises:
        ValueError: the snapshot has rows only.
    """
    capture = content.source("html")
    writer = _Writer(content, capture, options)
    return LineDocument(writer.lines(), indent="", separator="", fold="<!-- {} -->")


@dataclasses.dataclass(slots=True)
class _Step:
    """A node to come, or a line that is ready.

    Attributes:
        foreign: whether it stands in SVG or MathML.
        raw: the element whose raw text it is; "" for ordinary text.
    """

    depth: int
    session: int = 0
    node: DOMNode | None = None
    foreign: bool = False
    raw: str = ""
    line: Line | None = None


class _Writer:
    """Goes through the DOM of all frames in order."""

    def __init__(self, content: Content, capture: Capture, options: RenderOptions) -> None:
        self._capture = capture
        self._scripts = bool(options.special.get("scripts", False))
        self._max_depth = options.max_depth
        self._only = options.frame
        self._interactive = {row.id for row in content.rows if is_interactive(row)}
        self._roles = {row.id: row.role for row in content.rows}
        self._missing = {row.frame: row.name for row in content.rows if row.role == MISSING_FRAME}
        self._in_view = content.in_view
        self._frames = frames_by_document(capture)
        present = {report.frame_id for report in capture.frames if report.status in ("captured", "partial")}
        self._documents = {frame: place for place, frame in self._frames.items() if frame in present}
        self._held = {(owner.session, owner.position): frame for frame, owner in capture.owners.items()}
        self._written: set[tuple[int, int]] = set()
        #: Frames that stand before their frameset.
        self._placed: set[FrameId] = set()

    def lines(self) -> list[Line]:
        """The whole page, or the one frame."""
        by_frame = self._capture.ordinals.by_frame
        root = self._capture.context.root_id
        if self._only is not None:
            root = next(frame for frame, ordinal in by_frame.items() if ordinal == self._only)
        lines: list[Line] = []
        self._write(self._document(root, 0), lines)
        if self._only is None:
            for frame in self._capture.context.frames:
                if frame != root and not self._is_placed(frame):
                    self._write(self._frame(frame, 0), lines)
        return lines

    def _is_placed(self, frame: FrameId) -> bool:
        """Whether the frame's owner element is in a document that is here."""
        owner = self._capture.owners.get(frame)
        if owner is None:
            return False
        document = self._capture.index(owner.session).documents[owner.position]
        return self._frames.get((owner.session, document)) in self._documents

    def _write(self, steps: list[_Step], lines: list[Line]) -> None:
        """Everything that the steps lead to."""
        todo = steps[::-1]
        while todo:
            step = todo.pop()
            if self._max_depth is not None and step.depth > self._max_depth:
                continue
            if step.line is not None:
                lines.append(step.line)
            elif step.node is not None:
                todo += reversed(self._node(step, step.node, lines))

    def _document(self, frame: FrameId, depth: int) -> list[_Step]:
        """The children of a frame's document; the line of a missing frame where there is none."""
        words = self._missing.get(self._capture.ordinals.by_frame[frame])
        place = self._documents.get(frame)
        if words is not None or place is None:
            if words is None:
                return []
            text = f"<!-- {_comment(clean_text(words))} -->"
            return [_Step(depth, line=Line(depth, text, MISSING_FRAME, kept=True))]
        if place in self._written:
            return []
        self._written.add(place)
        session, position = place
        return [
            _Step(depth, session, child) for child in self._capture.index(session).nodes[position].children
        ]

    def _frame(self, frame: FrameId, depth: int) -> list[_Step]:
        """A child frame's template and what is in it."""
        inner = self._document(frame, depth + 1)
        if not inner:
            return []
        if inner[0].line is not None:
            inner[0].depth = inner[0].line.depth = depth
            return inner
        ordinal = self._capture.ordinals.by_frame[frame]
        url = self._capture.context.frames[frame].url.translate(_ATTRIBUTE_TABLE)
        text = f'<template data-frame="{ordinal}" data-url="{url}">'
        line = Line(depth, text, "template data-frame", closing="</template>")
        line.brief = f'<template data-frame="{ordinal}">'
        return [_Step(depth, line=line), *inner]

    def _node(self, step: _Step, node: DOMNode, lines: list[Line]) -> list[_Step]:
        """Write a node; what comes next because of it."""
        if node.node_type == ELEMENT:
            return self._element(step, node, lines)
        if node.node_type in (TEXT, CDATA):
            self._text(step, node, lines)
        elif node.node_type in (COMMENT, PROCESSING_INSTRUCTION):
            if node.node_type == COMMENT:
                text = f"<!--{_comment(node.node_value)}-->"
            else:
                text = f"<!--?{_comment(f'{node.node_name} {node.node_value}')}?-->"
            lines.append(Line(step.depth, text, "#comment", self._id(step.session, node)))
        elif node.node_type == DOCTYPE:
            lines.append(Line(step.depth, f"<!DOCTYPE {_doctype(node)}>", "#doctype"))
        return []

    def _id(self, session: int, node: DOMNode) -> ElementId | None:
        index = self._capture.index(session)
        here = index.position.get(node.backend_node_id)
        if here is None or node.backend_node_id < 0 or index.nodes[here] is not node:
            return None
        frame = self._frames.get((session, index.documents[here]))
        if frame is None or here in index.outside:
            return None
        return ElementId(f"{self._capture.ordinals.by_frame[frame]}-{node.backend_node_id}")

    def _text(self, step: _Step, node: DOMNode, lines: list[Line]) -> None:
        text = node.node_value
        text = _raw_text(text, step.raw) if step.raw else text.translate(_TEXT_TABLE)
        id_ = self._id(step.session, node)
        for at in range(0, len(text), _TEXT_PIECE):
            piece = Line(step.depth, text[at : at + _TEXT_PIECE], "#text", id_ if at == 0 else None)
            piece.in_view = self._in_view(id_)
            lines.append(piece)

    def _element(self, step: _Step, node: DOMNode, lines: list[Line]) -> list[_Step]:
        depth, session = step.depth, step.session
        index = self._capture.index(session)
        name = tag_name(node)
        foreign = step.foreign or name in _FOREIGN_ROOTS
        attributes = _attributes(node, _TEMPLATE_ATTRIBUTES if name == "template" else frozenset())
        if not _TAG_NAME.match(name):
            attributes += f' data-name="{name.translate(_ATTRIBUTE_TABLE)}"'
            name = "unknown-element"
        elif name == "plaintext" and not foreign:
            name = "pre"
        here = index.position.get(node.backend_node_id, -1)
        before = self._frames_of_frameset(session, here, depth) if name == "frameset" else []
        if before:
            return [*before, dataclasses.replace(step)]
        is_void = name in VOID and not foreign
        inside = [] if is_void else self._inside(step, node, name, foreign=foreign)
        closing = "" if is_void else f"</{name}>"
        id_ = self._id(session, node)
        lines.append(
            Line(
                depth,
                f"<{name}{attributes}>" if inside else f"<{name}{attributes}>{closing}",
                _kind(name),
                id_,
                role=self._roles.get(id_, ""),
                interactive=id_ in self._interactive,
                in_view=self._in_view(id_),
                closing=closing if inside else "",
                brief=f"<{name}>" if inside else f"<{name}>{closing}",  # half a tag is not a tag
            )
        )
        child = self._held.get((session, here))
        if child is not None and self._only is None and child not in self._placed:
            inside += self._frame(child, depth)
        return inside

    def _inside(self, step: _Step, node: DOMNode, name: str, *, foreign: bool) -> list[_Step]:
        """An element's shadow roots and children."""
        depth, session = step.depth + 1, step.session
        raw = name if name in RAW_TEXT and not foreign else ""
        if raw in _SCRIPTING and not self._scripts:
            return []
        steps: list[_Step] = []
        for root in node.shadow_roots:
            steps += self._shadow(session, root, depth)
        if name in _DROP_FIRST_LINE_BREAK and not foreign and _begins_with_line_break(node):
            steps.append(_Step(depth, line=Line(depth, "\n", "#text")))
        # Within SVG, markup is markup again below these.
        inner_foreign = foreign and not (step.foreign and name in _HTML_AGAIN)
        steps += [
            _Step(depth, session, child, inner_foreign, raw)
            for child in node.children
            if not raw or child.node_type == TEXT  # other markup in it would be read as its text
        ]
        return steps

    def _shadow(self, session: int, root: DOMNode, depth: int) -> list[_Step]:
        """A shadow root of the page's, as a template."""
        if root.shadow_root_type not in ("open", "closed"):
            return []
        text = f'<template shadowrootmode="{root.shadow_root_type}">'
        line = Line(depth, text, "template shadowrootmode", closing="</template>")
        return [
            _Step(depth, line=line),
            *(_Step(depth + 1, session, child) for child in root.children),
        ]

    def _frames_of_frameset(self, session: int, here: int, depth: int) -> list[_Step]:
        """The frames of a frameset that are not placed yet, as templates to stand before it."""
        index = self._capture.index(session)
        if self._only is not None or here < 0 or index.tags[index.parents[here]] == "frameset":
            return []
        steps: list[_Step] = []
        open_nodes = list(reversed(index.nodes[here].children))
        while open_nodes:
            node = open_nodes.pop()
            open_nodes.extend(reversed(node.children))
            child = self._held.get((session, index.position.get(node.backend_node_id, -1)))
            if child is not None and child not in self._placed:
                self._placed.add(child)
                steps += self._frame(child, depth)
        return steps


def _kind(name: str) -> str:
    """What a fold calls elements of this name: a comment cannot hold two hyphens in a row."""
    return re.sub("-{2,}", "-", clean_text(name)).rstrip("-") or "element"


def _attributes(node: DOMNode, reserved: frozenset[str]) -> str:
    own, secret = node.attributes, is_password(node)
    made = ""
    for at in range(0, len(own) - 1, 2):
        if _ATTRIBUTE_NAME.match(own[at]) and not (secret and own[at].lower() == "value"):
            name = f"page-{own[at]}" if own[at].lower() in reserved else own[at]
            made += f' {name}="{own[at + 1].translate(_ATTRIBUTE_TABLE)}"'
    return made


def _doctype(node: DOMNode) -> str:
    return node.node_name if _TAG_NAME.match(node.node_name) else "html"


def _comment(text: str) -> str:
    """A comment's text, so that it neither ends the comment nor looks like a fold."""
    text = text.translate(_AS_IT_STANDS)
    stripped = text.lstrip()
    if stripped.startswith("…"):
        text = stripped.replace("…", "...", 1)
    text = re.sub(r"--(?=!?>)", "- -", text)
    text = re.sub(r"<!--", "<! --", text)
    if text.startswith((">", "->")):
        text = f" {text}"
    return f"{text} " if text.endswith(("-", "<!")) else text


def _raw_text(text: str, element: str) -> str:
    """Raw text, without its element's end tag and without what would hide it."""
    text = text.translate(_AS_IT_STANDS)
    text = re.sub(f"</(?={element})", r"<\\/", text, flags=re.IGNORECASE)
    if element == "script" and "<script" in text.lower():
        text = text.replace("<!--", r"<\!--")
    return text


def _begins_with_line_break(node: DOMNode) -> bool:
    first = next((child for child in node.children if child.node_type == TEXT and child.node_value), None)
    return first is not None and first is node.children[0] and first.node_value.startswith("\n")
