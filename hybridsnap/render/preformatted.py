"""Preformatted text (``<pre>``) with its line breaks, which the accessibility tree does not keep.

A ``pre`` element of several lines becomes one row, whose name is its text with line breaks. Where something
in it can be operated, such as a link, its rows stay as they are. Only ``ai`` prints it so.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from hybridsnap.capture.xpath import CDATA, ELEMENT, TEXT
from hybridsnap.model import ElementId, Row
from hybridsnap.render.dom import INLINE_TAGS, find_documents
from hybridsnap.render.select import is_interactive
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.protocol.replies import DOMNode
    from hybridsnap.render.content import Content

#: The role of such a row; never a role of Chromium's.
PREFORMATTED = "pre"
_TAB = 4
#: Runs of blanks, which set columns.
_COLUMNS = re.compile("( {2,})")
_CELL_TAGS = frozenset({"td", "th"})


def with_preformatted(content: Content) -> tuple[Content, dict[ElementId, list[ElementId]]]:
    """The content with a row for each ``pre`` of several lines; and the ids that each stands for."""
    stands_for: dict[ElementId, list[ElementId]] = {}
    made: dict[int, tuple[int, Row]] = {}  # number of the first row that is replaced → of the last, the row
    for ordinal, (_, index, document) in find_documents(content.capture).items():
        for first, last, row, ids in _found(content, index, ordinal, document):
            made[first] = last, row
            stands_for[ElementId(row.id or "")] = ids
    if not made:
        return content, stands_for
    kept: list[Row] = []
    skip_to = 0
    for number, row in enumerate(content.rows):
        if number < skip_to:
            continue
        if number in made:
            last, row_made = made[number]
            kept.append(row_made)
            skip_to = last + 1
        else:
            kept.append(row)
    return dataclasses.replace(content, rows=kept), stands_for


def _found(
    content: Content, index: SessionDomIndex, ordinal: int, document: int
) -> Iterator[tuple[int, int, Row, list[ElementId]]]:
    """For each ``pre`` of a document the numbers of its first and last row, a row for both, and their ids."""
    nodes, documents = index.nodes, index.documents
    found = [at for at, node in enumerate(nodes) if node.local_name == "pre" and documents[at] == document]
    if not found:
        return
    row_at = {row.id: number for number, row in enumerate(content.rows)}
    for at in found:
        inside = (f"{ordinal}-{node.backend_node_id}" for node in nodes[at : index.end_of(at)])
        numbers = [number for one in inside if (number := row_at.get(ElementId(one))) is not None]
        text = _text_with_breaks(nodes[at]) if numbers else ""
        if "\n" not in text:
            continue
        start, end = min(numbers), max(numbers)
        rows = content.rows[start : end + 1]
        ids = [row.id for row in rows if row.id is not None]
        if len(ids) != len(numbers) or any(map(is_interactive, rows)):
            continue
        id_ = ElementId(f"{ordinal}-{nodes[at].backend_node_id}")
        depth = min(row.depth for row in rows)
        made = Row(id_, depth, PREFORMATTED, text, "", "", (), "pre", ordinal)
        yield start, end, made, [one for one in ids if one != id_]


def lines_of(text: str) -> list[str]:
    """The lines of a preformatted text, each cleaned, with its indentation as spaces."""
    lines = []
    for line in text.expandtabs(_TAB).split("\n"):
        words = line.lstrip(" ")
        columns = (part if part.isspace() else clean_text(part) for part in _COLUMNS.split(words))
        lines.append(" " * (len(line) - len(words)) + "".join(columns))
    return lines


def _text_with_breaks(pre: DOMNode) -> str:
    """The text of an element with its line breaks; empty lines at its ends are left out.

    Block elements begin and end a line, cells of a table are a tab apart.
    """
    parts: list[str] = []
    open_nodes: list[DOMNode | str] = list(reversed(pre.children))
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, str):
            if node != "\n" or (parts and not parts[-1].endswith("\n")):
                parts.append(node)
        elif node.node_type in (TEXT, CDATA):
            parts.append(node.node_value)
        elif node.local_name == "br":
            parts.append("\n")
        elif node.local_name not in {"script", "style"}:
            edge = "\t" if node.local_name in _CELL_TAGS else "\n"
            is_block = node.node_type == ELEMENT and node.local_name not in INLINE_TAGS
            open_nodes.extend([edge] if is_block else [])
            open_nodes.extend(reversed(node.children))
            open_nodes.extend(["\n"] if is_block and edge == "\n" else [])
    lines = "".join(parts).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(line.rstrip() for line in lines)
