"""The hybrid tree as text: `hybridsnap.render.document` with one line for each element.

A view of data, and well-formed XML: lines are indented, white space in text is squeezed and blank text left
out. Text stands in its element's line when it is short and alone, in a line of its own otherwise. The page's
comments and processing instructions are left out, so that each comment is a fold of ours. In text what hides
or breaks a line is cleaned away; in attributes it is written as a character reference. A budget folds
elements and cuts text, never a tag: what it leaves is well-formed too. An expansion has no root.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hybridsnap.render.document import HS_DOCUMENT, HS_NAMESPACE, PREFIXES, gather_pieces
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.select import is_interactive
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.render.content import Content, RenderOptions
    from hybridsnap.render.document import Piece

#: Text up to this length stands in its element's line.
_SHORT_TEXT = 160
_PRINTED_PREFIXES = {
    HS_NAMESPACE: "hs",
    PREFIXES["xlink"]: "xlink",
    "http://www.w3.org/XML/1998/namespace": "xml",
}
_DECLARATIONS = "".join(f' xmlns:{prefix}="{namespace}"' for prefix, namespace in PREFIXES.items())
#: U+200C and U+200D, which Persian and emoji need, are not printable, but harmless.
_JOINERS = frozenset("\u200c\u200d")
_TO_ESCAPE = re.compile('[&<>"]')
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
#: How the names of comments and processing instructions begin.
_NOT_ELEMENTS = frozenset("!?")
_HYPHENS = re.compile("-(?=-)")


def build_xml(content: Content, options: RenderOptions) -> LineDocument:
    """The hybrid tree as lines.

    Args:
        content: the snapshot's.
        options: `max_depth` counts the levels of the document, the root being 0; `frame` makes one frame's
            document the root, without those of the frames below it.

    Raises:
        ValueError: the snapshot was read from JSON, or has no such frame.
    """
    pieces = _chosen(gather_pieces(content), options)
    base = pieces[0].depth
    names: dict[str, str] = {}
    lines: list[Line] = []
    tags: list[str] = []
    for piece in pieces:
        depth = piece.depth - base
        if piece.name:
            tag = _printed_name(piece.name, names)
            row = piece.row
            line = Line(
                depth,
                _start_tag(tag, piece, names, is_root=not lines),
                _HYPHENS.sub("- ", tag if row is None or not row.role else f"{tag} {clean_text(row.role)}"),
                piece.id,
                role="" if row is None else row.role,
                interactive=row is not None and is_interactive(row),
                in_view=content.in_view(piece.id),
                kept="status" in piece.attributes and piece.name == HS_DOCUMENT,
            )
        elif text := clean_text(piece.text):
            tag = ""
            line = Line(depth, _escaped(text), "text", piece.id)
            # Text is cut at a space, and so in no reference, when it has one.
            line.brief = "" if " " in text or "&" not in line.text else "…"
        else:
            continue
        lines.append(line)
        tags.append(tag)
    return LineDocument(_closed(lines, tags), fold="<!-- {} -->")


def _chosen(pieces: list[Piece], options: RenderOptions) -> list[Piece]:
    """The pieces that the options leave; never none."""
    if options.frame is not None:
        pieces = _of_frame(pieces, options.frame)
    base = pieces[0].depth
    most = options.max_depth
    return [
        piece
        for piece in pieces
        if piece.name[:1] not in _NOT_ELEMENTS
        and (most is None or piece.depth - base - (not piece.name) <= most)
    ]


def _of_frame(pieces: list[Piece], frame: int) -> list[Piece]:
    start = next(
        (at for at, piece in enumerate(pieces) if piece.name == HS_DOCUMENT and piece.frame == frame), None
    )
    if start is None:
        raise ValueError(f"frame {frame} is not in this snapshot; its report lists those that are")
    base = pieces[start].depth
    found = [pieces[start]]
    for piece in pieces[start + 1 :]:
        if piece.depth <= base:
            break
        if piece.frame == frame:  # a frame's pieces are in one document
            found.append(piece)
    return found


def _printed_name(name: str, names: dict[str, str]) -> str:
    """``{urn:hybridsnap}role`` → ``hs:role``."""
    made = names.get(name)
    if made is None:
        namespace, _, local = name[1:].rpartition("}") if name[0] == "{" else ("", "", name)
        made = names[name] = f"{_PRINTED_PREFIXES[namespace]}:{local}" if namespace else name
    return made


def _start_tag(tag: str, piece: Piece, names: dict[str, str], *, is_root: bool) -> str:
    """``<a href="/x" hs:id="0-5"``, without its end."""
    parts = [f"<{tag}"]
    if is_root:
        parts[0] += _DECLARATIONS
    parts += [f'{_printed_name(name, names)}="{_escaped(text)}"' for name, text in piece.attributes.items()]
    return " ".join(parts)


def _escaped(text: str) -> str:
    """`text` for an attribute or between tags, on one line."""
    if _TO_ESCAPE.search(text):
        text = _TO_ESCAPE.sub(lambda match: _ESCAPES[match[0]], text)
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in _JOINERS else f"&#x{ord(letter):X};" for letter in text
    )


def _brief(line: Line, tag: str) -> str:
    """What a start tag says at least; the root, the prefixes."""
    id_ = f' hs:id="{line.id}"' if line.id is not None else ""
    return f"<{tag}{'' if line.depth else _DECLARATIONS}{id_}"


def _closed(lines: list[Line], tags: list[str]) -> list[Line]:
    """The lines with their tags closed; short text that is alone in its element is put into its line."""
    closed: list[Line] = []
    at = 0
    while at < len(lines):
        line, tag = lines[at], tags[at]
        at += 1
        below = at < len(lines) and lines[at].depth > line.depth
        closed.append(line)
        if not tag:
            continue
        if not below:
            line.text += "/>"
            line.brief = f"{_brief(line, tag)}/>"
            continue
        line.text += ">"
        line.brief = f"{_brief(line, tag)}>"
        text = lines[at]
        alone = not tags[at] and (at + 1 == len(lines) or lines[at + 1].depth <= line.depth)
        if alone and len(text.text) <= _SHORT_TEXT:
            line.text += f"{text.text}</{tag}>"
            line.brief += f"</{tag}>"
            line.tells = () if text.id is None else (text.id,)
            at += 1
        else:
            line.closing = f"</{tag}>"
    return closed
