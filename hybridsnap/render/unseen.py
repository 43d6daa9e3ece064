"""What the outline has and a person does not see, or cannot point at: a line at the end for each cause.

Content with ``opacity: 0`` and content that is cut off by an element without a size are in the accessibility
tree, and can often be operated all the same (a checkbox below its own picture, a button that shows when the
pointer is over its row). So their rows stay where they are, and the line names them::

    not shown, opacity: 0: 3 elements, above as [0-15] [0-52]
    not clickable, pointer-events: none: 1 button, above as [0-29]

All of it is known with layout only: the styles come with it. Without, the markup tells of one case, a list
box for screen readers beside the options that are drawn (Ant Design), which cannot be clicked. An element of
1 × 1 px, which holds words for screen readers, counts as shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hybridsnap.capture.layout import TRANSPARENT
from hybridsnap.model import BackendNodeId, ElementId, Row
from hybridsnap.render.dom import find_documents
from hybridsnap.render.select import is_interactive
from hybridsnap.render.tree import NOT_SHOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridsnap.model import Box
    from hybridsnap.render.content import Content

#: So many elements are named on a line.
_MOST_NAMED = 8
#: Styles of an element, in its markup, that leave nothing of what it holds.
_CUT_OFF = tuple(
    re.compile(rf"(?:^|;)\s*{style}\s*(?:;|$)")
    for style in (r"width:\s*0(?:px)?", r"height:\s*0(?:px)?", r"overflow:\s*(?:hidden|clip)")
)


def unseen_lines(content: Content) -> Iterator[Row]:
    """The lines, as rows.

    Cost: one look at each box; without layout, at each row.
    """
    if content.layout is None:
        yield from _told("not shown, zero size", content.rows, _in_cut_off_lists(content))
        return
    boxes, rows = content.layout.boxes, content.rows
    clear = [at for at, row in enumerate(rows) if _is_clear(_box(boxes, row))]
    yield from _told("not shown, opacity: 0", rows, clear)
    yield from _told("not shown, zero size", rows, _without_size(content, boxes))
    through = [
        at
        for at, row in enumerate(rows)
        if is_interactive(row) and (box := _box(boxes, row)) is not None and not box.pointer_events
    ]
    yield from _told("not clickable, pointer-events: none", rows, through)


def _box(boxes: Mapping[ElementId, Box], row: Row) -> Box | None:
    return None if row.id is None else boxes.get(row.id)


def _is_clear(box: Box | None) -> bool:
    """Whether it is transparent by its opacity; with ``visibility: hidden`` it is not, and has no row."""
    return box is not None and box.provenance == "transparent" and box.opacity < TRANSPARENT


def _is_empty(box: Box) -> bool:
    return box.provenance == "zero-size" and not (box.bounds[2] and box.bounds[3])


def _without_size(content: Content, boxes: Mapping[ElementId, Box]) -> list[int]:
    """The numbers of the rows that an element without a size cuts off, in document order."""
    empty = [id_ for id_, box in boxes.items() if _is_empty(box)]
    if not empty:
        return []
    documents = find_documents(content.capture)
    row_at = {row.id: at for at, row in enumerate(content.rows) if row.id is not None}
    found: set[int] = set()
    for id_ in empty:
        ordinal, _, backend_id = id_.partition("-")
        document = documents.get(int(ordinal))
        here = -1 if document is None else document.dom.position.get(BackendNodeId(int(backend_id)), -1)
        if document is None or here < 0:
            continue
        for node in document.dom.nodes[here : document.dom.end_of(here)]:
            below = ElementId(f"{ordinal}-{node.backend_node_id}")
            box = boxes.get(below)
            if below in row_at and box is not None and box.visible_share <= 0:
                found.add(row_at[below])
    return sorted(found)


def _in_cut_off_lists(content: Content) -> list[int]:
    """The numbers of list boxes without a size, as their markup has it, and of the rows below them."""
    found: list[int] = []
    lists = [at for at, row in enumerate(content.rows) if row.role == "listbox" and row.id is not None]
    documents = find_documents(content.capture) if lists else {}
    for at in lists:
        row = content.rows[at]
        dom = documents[row.frame].dom if row.frame in documents else None
        here = -1 if dom is None or row.id is None else dom.position_of(row.id)
        style = "" if dom is None or here < 0 else dom.attribute(here, "style") or ""
        if style and all(one.search(style) for one in _CUT_OFF):
            end = at + 1
            while end < len(content.rows) and content.rows[end].depth > row.depth:
                end += 1
            found += range(at, end)
    return found


def _told(words: str, rows: Sequence[Row], found: Sequence[int]) -> Iterator[Row]:
    """One line for the rows of these numbers, which names those that stand below none of the others."""
    said = [at for at in found if rows[at].role != "generic" or is_interactive(rows[at])]
    if not any(rows[at].name or is_interactive(rows[at]) for at in said):
        return
    tops: list[ElementId] = []
    end = 0  # of the subtree of the last one
    for at in found:
        id_ = rows[at].id
        if at < end or id_ is None:
            continue
        end = at + 1
        while end < len(rows) and rows[end].depth > rows[at].depth:
            end += 1
        tops.append(id_)
    names = " ".join(f"[{id_}]" for id_ in tops[:_MOST_NAMED]) + (" …" if len(tops) > _MOST_NAMED else "")
    count = f"{len(said):,} element{'s' if len(said) > 1 else ''}"
    yield Row(None, 0, NOT_SHOWN, f"{words}: {count}, above as {names}", "", "", (), "", 0)
