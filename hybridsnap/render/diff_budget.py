"""A diff's text within a budget, folded as other renderings are.

The lines are those of `hybridsnap.render.changes`, with the sign after the indentation. What the budget has
no room for is folded where it stood, counted, and can be opened (`Rendering.expand`)::

    [0-1] RootWebArea: Shop
      [0-50] list
        + [0-90] listitem: Tea
        … 37 listitems [0-94..0-480]
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hybridsnap.capture.roles import INTERACTIVE_ROLES, ROOT_ROLE
from hybridsnap.model import ElementId
from hybridsnap.render.changes import render_diff
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.rendering import Rendering
from hybridsnap.render.tokens import budget_of
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.render.differences import Differences

#: The sign, the indentation, the id, what the row is, the rest; the diff's own words follow three spaces.
_LINE = re.compile(r"([-+~ ]) ((?:  )*)((?:\[(\d+-\d+)\] )?((?:(?!   )[^:\[])*).*)")
#: Links and buttons in a record.
_IN_RECORD = re.compile(r"(?<!\\)\[(\d+-\d+)\]")
#: Of a text so many characters are sought in the line that may tell it: the rest may be cut off.
_TOLD_CHARACTERS = 40
#: Roles that are printed by another word.
_ROLES = {"select": "combobox"}


def fit_diff(diff: Differences, max_tokens: int) -> Rendering:
    """The diff as text that takes no more than so many tokens; "" when nothing changed.

    Args:
        diff: of `Snapshot.diff`.
        max_tokens: the budget.

    Raises:
        ValueError: the budget is too small for anything.
    """
    lines: list[Line] = []
    for text in render_diff(diff).splitlines():
        if text.startswith("#"):
            lines.append(Line(0, text, "#", head=True, kept=True))
            continue
        found = _LINE.fullmatch(text)
        assert found is not None, "every line has its sign"
        sign, indent, words, id_, kind = found.groups()
        word = kind.partition(" ?")[0].strip()  # without the hint of what has no name
        role = _ROLES.get(word, word) if sign in "+~" else ""
        # In new table rows, page text that looks like an id is escaped: these are the ids of a record.
        links = (
            [ElementId(one) for one in _IN_RECORD.findall(words, 1)] if (sign, role) == ("+", "row") else []
        )
        lines.append(
            Line(
                len(indent) // 2,
                words if sign == " " else f"{sign} {words}",
                f"{'' if sign == ' ' else sign + ' '}{word}",
                None if id_ is None else ElementId(id_),
                tells=tuple(links),
                role=role,
                interactive=(role in INTERACTIVE_ROLES) + len(links),
                # What is otherwise than before comes before what is new; what is gone, last.
                in_view=sign == "~",
                minor=sign == "-",
            )
        )
    _note_told(diff, lines)
    document = LineDocument(lines, opened=_came_to_focus(diff, lines))
    return Rendering.of("diff", document, budget_of(max_tokens, None), None)


def _came_to_focus(diff: Differences, lines: list[Line]) -> frozenset[ElementId]:
    """What a page goes to with what it has made is what was asked for: the lines that come first.

    That is the line of the row that has got the focus, or of the uppermost new row around it.
    """
    new, old = diff.matching.new, diff.matching.old
    printed = {line.id for line in lines}
    first: set[ElementId] = set()
    for at, row in enumerate(new.rows):
        was = diff.matching.old_of[at]
        if "focused" not in row.states or (was >= 0 and "focused" in old.rows[was].states):
            continue
        here, shown = at, row.id
        while here >= 0 and diff.matching.old_of[here] < 0:
            shown = new.rows[here].id if new.rows[here].id in printed else shown
            here = new.parents[here]
        if shown is not None and row.role != ROOT_ROLE:
            first.add(shown)
    return frozenset(first)


def _note_told(diff: Differences, lines: list[Line]) -> None:
    """Note with each line which texts of rows without a line of their own it tells."""
    new = diff.matching.new
    by_id: dict[ElementId | None, Line] = {line.id: line for line in lines if line.id is not None}
    behind = {at for one in diff.uncovered for at in one.rows}
    told: dict[ElementId, list[ElementId]] = {}
    for at in sorted({*(one.at for one in diff.added), *(one.at for one in diff.changed)} - behind):
        id_, around = new.rows[at].id, at
        while around >= 0 and new.rows[around].id not in by_id:
            around = new.parents[around]
        line = by_id.get(new.rows[around].id) if around >= 0 else None
        if id_ is None or line is None or line.id is None or line.id == id_:
            continue
        words = clean_text(new.rows[at].name)[:_TOLD_CHARACTERS]
        if words and (words in line.text or json.dumps(words, ensure_ascii=False)[1:-1] in line.text):
            told.setdefault(line.id, []).append(id_)
    for id_, ids in told.items():
        by_id[id_].tells += tuple(ids)
