"""Which rows a rendering is about, before any format sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.roles import CLICKABLE, EDITABLE, INTERACTIVE_ROLES, STRUCTURAL_ROLES
from hybridsnap.model import MISSING_FRAME
from hybridsnap.text import clean_text, cut_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.model import Row
    from hybridsnap.render.content import Content, RenderOptions


#: What has a description that is printed, and how much of it; of a ruby text it is the reading.
_DESCRIBED = INTERACTIVE_ROLES - {"link", "option", "menuitem", "treeitem"} | {"Ruby"}
_DESCRIPTION_CHARACTERS = 80
#: A longer one that has been printed already, of an element before or of the same, is cut at so many.
_KNOWN_CHARACTERS = 30


def is_interactive(row: Row) -> bool:
    """Whether a person can operate the element: by its role, as script listens to clicks, or by typing."""
    if row.id is None:
        return False
    return row.role in INTERACTIVE_ROLES or CLICKABLE in row.states or EDITABLE in row.states


def description_of(row: Row) -> str:
    """What the page says of a control beside its name and value (``title``, a description, a placeholder).

    Not of links and options: their titles mostly repeat their texts in other words.
    """
    if not row.description or row.role not in _DESCRIBED:
        return ""
    said = clean_text(row.description)
    known = f"{clean_text(row.name)}\n{clean_text(row.value)}".casefold()
    if said.casefold() in known:
        return ""
    return cut_text(said, _DESCRIPTION_CHARACTERS)


def with_known_description(row: Row) -> Row:
    """The row whose description has been printed before: its beginning says which one it is."""
    said = cut_text(description_of(row), _KNOWN_CHARACTERS)
    return msgspec.structs.replace(row, description=said)


def is_editor(row: Row) -> bool:
    """Whether the element is printed as a textbox because it can be typed into and has no role of its own."""
    return row.role in STRUCTURAL_ROLES and EDITABLE in row.states


def parents_of(rows: Sequence[Row]) -> list[int]:
    """For each row the number of the row it stands below; -1 at the top."""
    parents: list[int] = []
    open_rows: list[int] = []
    for at, row in enumerate(rows):
        while open_rows and rows[open_rows[-1]].depth >= row.depth:
            open_rows.pop()
        parents.append(open_rows[-1] if open_rows else -1)
        open_rows.append(at)
    return parents


def ends_of(parents: Sequence[int]) -> list[int]:
    """For each row where its subtree ends, exclusive."""
    ends = list(range(1, len(parents) + 1))
    for at in range(len(parents) - 1, -1, -1):
        if (parent := parents[at]) >= 0:
            ends[parent] = max(ends[parent], ends[at])
    return ends


def select_rows(content: Content, options: RenderOptions) -> list[Row]:
    """The rows that the options leave, each as deep as it has rows above it.

    Raises:
        ValueError: `visible_only` without layout.
    """
    rows = content.rows
    keep = [True] * len(rows)
    parents = parents_of(rows)
    if options.frame is not None:
        keep = [row.frame == options.frame for row in rows]
    if options.scope is not None:
        _keep_scope(rows, parents, keep, frozenset(options.scope))
    if options.visible_only:
        _keep_visible(content, parents, keep)
    if options.query:
        keep_with_ancestors(holding(rows, options.query), parents, keep)
    if options.interactive:
        # What could not be read is said in any case.
        chosen = [
            kept and (is_interactive(row) or row.role == MISSING_FRAME)
            for row, kept in zip(rows, keep, strict=True)
        ]
        if options.flat:
            keep = chosen
        else:
            _choose_labels(rows, parents, chosen)
            meaning = [row.role not in STRUCTURAL_ROLES or bool(row.name) for row in rows]
            keep_with_ancestors(chosen, parents, keep, meaning)
    if options.compact:
        _compact(rows, parents, keep)
    return rebased(rows, parents, keep, options)


def _choose_labels(rows: Sequence[Row], parents: Sequence[int], chosen: list[bool]) -> None:
    """Choose the first text in what listens to clicks and has no name, as a row with buttons may."""
    #: For each row the nameless one that a text in it names; -1 for none.
    to_name: list[int] = []
    named: set[int] = set()
    for at, (row, parent) in enumerate(zip(rows, parents, strict=True)):
        above = to_name[parent] if parent >= 0 else -1
        is_control = chosen[at]
        if above >= 0 and row.name and row.role != "ListMarker" and not is_control and above not in named:
            named.add(above)
            chosen[at] = True
        is_nameless = CLICKABLE in row.states and not (row.name or row.value)
        to_name.append((at if is_nameless else -1) if is_control else above)


def holding(rows: Sequence[Row], query: str) -> list[bool]:
    """For each row whether it holds all words of a query."""
    words = query.casefold().split()
    return [
        all(word in f"{row.role} {row.name} {row.description} {row.value}".casefold() for word in words)
        for row in rows
    ]


def _keep_scope(rows: Sequence[Row], parents: list[int], keep: list[bool], scope: frozenset[str]) -> None:
    inside = [False] * len(rows)
    for at, (row, parent) in enumerate(zip(rows, parents, strict=True)):
        inside[at] = row.id in scope or (parent >= 0 and inside[parent])
        keep[at] = keep[at] and inside[at]


def _keep_visible(content: Content, parents: list[int], keep: list[bool]) -> None:
    layout = content.layout
    if layout is None:
        raise ValueError("visible_only needs layout; capture with layout=True")
    visible = [
        row.id is not None and (box := layout.boxes.get(row.id)) is not None and not box.provenance
        for row in content.rows
    ]
    for at, row in enumerate(content.rows):
        if row.role == MISSING_FRAME:
            visible[at] = True
        elif row.id is None and parents[at] >= 0:  # text without a box of its own is where its parent is
            visible[at] = visible[parents[at]]
    keep_with_ancestors(visible, parents, keep)


def keep_with_ancestors(
    chosen: Sequence[bool], parents: Sequence[int], keep: list[bool], meaning: Sequence[bool] | None = None
) -> None:
    """Narrow `keep` to the chosen rows and those above them (where `meaning` is given, those it names)."""
    above = list(chosen)
    for at in range(len(above) - 1, -1, -1):
        if above[at] and keep[at] and parents[at] >= 0:
            above[parents[at]] = True
    for at, wanted in enumerate(above):
        keep[at] = keep[at] and wanted and (chosen[at] or meaning is None or meaning[at])


def _compact(rows: Sequence[Row], parents: Sequence[int], keep: list[bool]) -> None:
    """Leave out unnamed structural rows, and branches with neither a name nor anything to operate."""
    worth = [bool(row.name or row.value) or is_interactive(row) or row.role == MISSING_FRAME for row in rows]
    for at in range(len(rows) - 1, -1, -1):
        if worth[at] and parents[at] >= 0:
            worth[parents[at]] = True
    for at, row in enumerate(rows):
        structural = row.role in STRUCTURAL_ROLES and not row.name and not is_interactive(row)
        keep[at] = keep[at] and worth[at] and not structural


def rebased(
    rows: Sequence[Row], parents: Sequence[int], keep: Sequence[bool], options: RenderOptions
) -> list[Row]:
    """The rows to keep, each as deep as it has rows above it."""
    flat, max_depth = options.flat, options.max_depth
    if all(keep) and max_depth is None and not flat:
        return list(rows)
    depths: list[int] = []  # of the row itself if it is kept, else of the row that stands for it
    selected: list[Row] = []
    for at, (row, parent) in enumerate(zip(rows, parents, strict=True)):
        above = depths[parent] if parent >= 0 else -1
        depth = 0 if flat else above + 1
        depths.append(depth if keep[at] else above)
        if keep[at] and (flat or max_depth is None or depth <= max_depth):
            selected.append(row if row.depth == depth else msgspec.structs.replace(row, depth=depth))
    return selected
