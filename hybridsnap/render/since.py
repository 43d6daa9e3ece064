r"""An outline that says what is new in it: ``[new]`` and ``[changed]`` at the ends of lines.

- ``[new]``: the row of the line was not there before. ``[changed]``: it is otherwise, or stands elsewhere; or
  a row whose text the line tells is new or otherwise; or something that stood right below it is gone.
- Where a line without a mark would end like one, because the page says so, the bracket is escaped:
  ``Inbox \[new]``.
- In ``role``, a node that was there before keeps its ref, and nodes that were not have refs of their own,
  greater than all that were given before.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from hybridsnap.render.match import IDENTITY
from hybridsnap.render.moves import rewrapped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.model import ElementId
    from hybridsnap.render.diff import Diff
    from hybridsnap.render.differences import Differences
    from hybridsnap.render.line_document import Line, LineDocument
    from hybridsnap.render.role import Ref

#: The formats that can say what is new.
FORMATS_WITH_MARKS = frozenset({"tree", "role", "ai"})
NEW, CHANGED = " [new]", " [changed]"
_MARK_AT_END = re.compile(r"(?<!\\)\[(?=(?:new|changed)\]\Z)", re.IGNORECASE)


def mark_changes(document: LineDocument, diff: Diff, *, only_changes: bool = False) -> LineDocument:
    """The lines of a newer snapshot, with marks for what is new and changed since an older one.

    Args:
        document: as the format built it.
        diff: between the two.
        only_changes: keep the marked lines only, what stands above them, and what is missing.
    """
    new = {entry.id for entry in diff.told.added}
    changed = _changed_ids(diff.told)
    lines: list[Line] = []
    for line in document.lines:
        mark = ""
        if line.id is not None and line.id in new:
            mark = NEW
        elif line.id in changed or any(id_ in new or id_ in changed for id_ in line.tells):
            mark = CHANGED
        text = _MARK_AT_END.sub(r"\\[", line.text) if line.text.endswith("]") else line.text
        # Before all else within a budget.
        lines.append(dataclasses.replace(line, text=text + mark, kept=line.kept or bool(mark)))
    return dataclasses.replace(document, lines=_kept_with_ancestors(lines) if only_changes else lines)


def _changed_ids(diff: Differences) -> set[ElementId | None]:
    """Rows that are otherwise, and those from right below which something is gone; without None."""
    no_news = rewrapped(diff)
    found = {change.id for change in diff.changed if change.fields or change.at not in no_news}
    matching = diff.matching
    for entry in diff.removed:
        above = entry.place.parent
        if above >= 0 and (now := matching.new_of[above]) >= 0:
            found.add(matching.new.rows[now].id)
    return found - {None}


def _kept_with_ancestors(lines: list[Line]) -> list[Line]:
    """The lines that are kept, or a head, and those they stand below."""
    chosen: list[Line] = []
    deepest = 0  # lines less deep than this stand above a line that is kept
    for line in reversed(lines):
        if line.head or line.kept or line.depth < deepest:
            chosen.append(line)
            deepest = line.depth
    return chosen[::-1]


def keep_refs(document: LineDocument, diff: Diff, older: Mapping[str, Ref]) -> LineDocument:
    """The lines of a role snapshot, with the refs that its nodes had before.

    Args:
        document: as `build_role` made it.
        diff: from the snapshot that `older` belongs to.
        older: the refs of that snapshot, or of a rendering of it.
    """
    refs: dict[str, Ref] = document.extras["refs"]
    matching = diff.matching
    first_row: dict[ElementId, int] = {}
    for at, row in enumerate(matching.new.rows):
        if row.id is not None and diff.frames.get(row.frame) == IDENTITY:
            first_row.setdefault(row.id, at)
    given = {ref.element_id: name for name, ref in older.items()}
    number = max((int(name[1:]) for name in older), default=0)
    renamed: dict[str, str] = {}
    for name, ref in refs.items():
        at = first_row.get(ref.element_id, -1)
        was = matching.old.rows[matching.old_of[at]].id if at >= 0 and matching.old_of[at] >= 0 else None
        before = given.pop(was, None) if was is not None else None
        if before is None:
            number += 1
            before = f"e{number}"
        renamed[name] = before
    lines = [
        # No page text holds "[ref=": the format escapes it.
        dataclasses.replace(
            line,
            text=line.text.replace(f"[ref={line.ref}]", f"[ref={renamed[line.ref]}]"),
            ref=renamed[line.ref],
        )
        if line.ref
        else line
        for line in document.lines
    ]
    extras = {**document.extras, "refs": {renamed[name]: ref for name, ref in refs.items()}}
    return dataclasses.replace(document, lines=lines, extras=extras)
