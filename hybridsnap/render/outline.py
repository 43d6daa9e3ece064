"""The format ``tree``: every row of the outline as one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.render.detail import row_and_looks_printers
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.role import line_of
from hybridsnap.render.select import select_rows
from hybridsnap.render.tree import NOT_SHOWN, format_viewport, label_of
from hybridsnap.render.unexposed import with_unexposed

if TYPE_CHECKING:
    from hybridsnap.render.content import Content, RenderOptions


def build_outline(content: Content, options: RenderOptions) -> LineDocument:
    """The outline as lines."""
    lines: list[Line] = []
    if content.layout is not None:
        lines.append(Line(0, format_viewport(content.layout.viewport), "viewport", kept=True, head=True))
    print_row, _ = row_and_looks_printers(content, options.detail)
    above = ""
    content = with_unexposed(content)
    for row in select_rows(content, options):
        above = row.role if row.depth == 0 else above
        line = line_of(row, print_row(row), label_of(row), content, urls=options.urls)
        line.folded = above == NOT_SHOWN and row.depth == 1
        lines.append(line)
    return LineDocument(lines)
