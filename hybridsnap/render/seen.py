"""What stood on the page before, too: the header and the menus of a site, when a link leads on within it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hybridsnap.model import Row
    from hybridsnap.render.line_document import LineDocument


def mark_seen(document: LineDocument, rows: Iterable[Row], older: Iterable[Row]) -> LineDocument:
    """The lines, marked where a reader of an older page knows them: one that said the same stood there, too.

    Args:
        document: as a format built it.
        rows: the snapshot's.
        older: of the page before.
    """
    known = {_said(row) for row in older}
    new = {row.id for row in rows if row.id is not None and _said(row) not in known}
    lines = [
        dataclasses.replace(line, seen=line.id is not None and new.isdisjoint((line.id, *line.tells)))
        for line in document.lines
    ]
    return dataclasses.replace(document, lines=lines)


def _said(row: Row) -> tuple[str, ...]:
    return (row.role, row.name, row.value, row.description, *row.states)
