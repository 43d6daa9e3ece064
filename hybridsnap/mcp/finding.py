"""What the tool `find` lists: elements by text, role or selector, a line each.

Where several lines would be the same, each also quotes the text of its element's row or card:
``[0-41] button: Delete [beside="Ann"]``; where that row has several, their columns, too. What even that does
not tell apart, as the 28th of April and of May in the calendar of May, is counted: ``[1 of 2]``.
"""

from __future__ import annotations

import collections
import dataclasses
import difflib
import itertools
import json
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.act.shown_rows import Showing
from hybridsnap.capture.roles import INTERACTIVE_ROLES, STRUCTURAL_ROLES
from hybridsnap.render.table_cells import TableCells
from hybridsnap.render.tree import format_tree_line
from hybridsnap.service.locating import select_ids
from hybridsnap.text import clean_text, clip_text, excerpt, squeeze

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.model import ElementId, Row
    from hybridsnap.render.nodes import Node
    from hybridsnap.snapshot import Snapshot

#: Where found elements do not fit, each line is cut to so many characters.
FOUND_CHARACTERS = 120
#: How many elements with equal lines get the text beside them, and how many characters of it.
_MOST_TOLD_APART, _LABEL_CHARACTERS = 100, 60
#: So many elements around a text are looked at for a name that says it.
_MOST_AROUND = 8


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """Elements that were found, in the order of the page.

    Attributes:
        ids: theirs.
        lines: one for each.
        beside: an element's id → the elements whose texts its line tells.
    """

    ids: Sequence[ElementId]
    lines: Sequence[str]
    beside: Mapping[ElementId, Sequence[ElementId]]

    def read(self, count: int) -> list[ElementId]:
        """The elements that a reader of the first lines knows."""
        listed = self.ids[:count]
        return [*listed, *itertools.chain.from_iterable(self.beside.get(id_, ()) for id_ in listed)]


def find_elements(snapshot: Snapshot, asked: Mapping[str, str]) -> Found:
    """The elements of a snapshot that are asked for.

    Args:
        snapshot: of the page.
        asked: ``selector``; or ``text``, ``role`` or both.

    Raises:
        SelectorError, ValueError: the selector is none.
    """
    pieces: dict[ElementId, str] = {}
    if "selector" in asked:
        ids = select_ids(snapshot, asked["selector"])
    else:
        if "role" not in asked:
            pieces = _in_pieces(snapshot, asked["text"])
        named = _named(snapshot, asked.get("role"), asked.get("text"))
        said = {node.id: node.name for node in named} | pieces
        ids = [
            row.id
            for row in snapshot.shown_rows
            if row.id is not None and row.id in said and not _is_said(snapshot, row.id, said)
        ]
    rows = {
        row.id: msgspec.structs.replace(row, name=pieces[row.id]) if row.id in pieces else row
        for row in snapshot.shown_rows
    }
    lines = [_found_line(snapshot.node(id_), rows.get(id_)) for id_ in ids]
    called = [_called(rows.get(id_)) for id_ in ids]
    return Found(ids, *_told_apart(snapshot, lines, ids, called))


def role_hint(snapshot: Snapshot, asked: Mapping[str, str]) -> str:
    """What to say where nothing was found by a role: what has the text and another one, or a role like it.

    "" where the page has elements of it, and the text stands nowhere.
    """
    role = asked["role"]
    if text := asked.get("text"):
        named = (node for node in snapshot.find(None, text) if node.role in INTERACTIVE_ROLES)
        others = dict.fromkeys(f"{node.role} {json.dumps(node.name, ensure_ascii=False)}" for node in named)
        if others:
            return f"; of another role: {clip_text(', '.join(others), FOUND_CHARACTERS)}"
    roles = {row.role for row in snapshot.shown_rows}  # the browser's words, not the page's
    if snapshot.find(role):
        return ""
    near = difflib.get_close_matches(role, roles - STRUCTURAL_ROLES, 1)
    return "; nothing has this role" + (f", did you mean {near[0]}?" if near else "")


def _found_line(node: Node, row: Row | None) -> str:
    """An element with its name, or the beginning of its text; the outline leaves out those without a row."""
    if row is not None and (row.name or row.value or row.hint):
        return format_tree_line(row)
    words = excerpt(node.name or node.text, FOUND_CHARACTERS)
    if row is not None:
        return format_tree_line(msgspec.structs.replace(row, name=words))
    label = f"[{node.id}] {node.role or node.tag}"
    return f"{label}: {words}" if words else label


def _called(row: Row | None) -> str:
    """Role and name of a row, without its states: "Heat" of one list may be selected, that of another not.

    A hint is a guess, which may differ where nothing that is seen does.
    """
    return f" {row.role}: {row.name}" if row is not None and (row.name or row.hint) else ""


def _told_apart(
    snapshot: Snapshot, lines: list[str], ids: Sequence[ElementId], called: Sequence[str]
) -> tuple[list[str], dict[ElementId, list[ElementId]]]:
    """The lines, and the elements whose texts they tell.

    Those `called` as others of the page or the list are have the text that tells their row or card apart.
    """
    lines = [line.replace("[beside=", r"\[beside=") for line in lines]  # a page may have written that
    words = [
        name or line.removeprefix(f"[{id_}]") for line, id_, name in zip(lines, ids, called, strict=True)
    ]
    on_page = collections.Counter(_called(row) for row in snapshot.shown_rows if row.id is not None)
    often = {one for one, count in collections.Counter(words).items() if max(count, on_page[one]) > 1}
    content = dataclasses.replace(snapshot.content, rows=snapshot.shown_rows)
    shown, cells = Showing(content, 0), TableCells(content)
    left = _MOST_TOLD_APART
    told: dict[ElementId, list[ElementId]] = {}
    equal: dict[str, list[int]] = {}
    for at, (line, id_) in enumerate(zip(lines, ids, strict=True)):
        if words[at] not in often or left == 0:
            continue
        left -= 1
        binding = shown.binding(id_)
        context = None if binding is None else binding.context
        label = ""
        if context is not None and context.tells_apart and context.label:
            told[id_] = context.key_ids
            label = clip_text(context.label, _LABEL_CHARACTERS)
        if beside := cells.beside(id_, label, told.get(id_, ())):
            lines[at] = f"{line} [beside={json.dumps(beside, ensure_ascii=False)}]"
            equal.setdefault(lines[at].removeprefix(f"[{id_}]"), []).append(at)
    for alike in equal.values():
        for number, at in enumerate(alike if len(alike) > 1 else (), 1):
            lines[at] += f" [{number} of {len(alike)}]"
    return lines, told


def _named(snapshot: Snapshot, role: str | None, text: str | None) -> list[Node]:
    """What is found by role and name, or by what the outline prints in its place (``button ?times``).

    Of a role whose elements have no names, such as paragraphs, by text.
    """
    found = snapshot.find(role, text)
    if text is None:
        return found
    words = squeeze(text).casefold()
    hints = {row.id: row.hint.casefold() for row in snapshot.shown_rows if row.hint and not row.name}
    if hint := words.removeprefix("?"):
        found += [node for node in snapshot.find(role) if hint in hints.get(node.id, "")]
    if found or role is None:
        return found
    return [node for node in snapshot.find(role) if not node.name and words in squeeze(node.text).casefold()]


def _in_pieces(snapshot: Snapshot, text: str) -> dict[ElementId, str]:
    """The first of several texts in a row that hold the words together only, and what they say.

    What a script fills in is a text of its own: ``v1.`` and ``7`` stand for ``v1.7`` (React).
    """
    words = clean_text(text).casefold()
    found: dict[ElementId, str] = {}
    runs = itertools.groupby(
        snapshot.shown_rows, lambda row: (row.frame, row.depth) if row.role == "StaticText" else None
    )
    for key, run in runs:
        texts = [] if key is None else list(run)
        if not texts or (first := texts[0].id) is None:
            continue
        said = clean_text("".join(row.name for row in texts))
        alone = any(words in clean_text(row.name).casefold() for row in texts)
        if words in said.casefold() and not alone:
            found[first] = said
    return found


def _is_said(snapshot: Snapshot, id_: ElementId, found: Mapping[ElementId, str]) -> bool:
    """Whether a text is all or part of the name of a found element around it: `link: Help`, then `Help`."""
    node = snapshot.node(id_)
    if node.role != "StaticText":
        return False
    around = node.parent
    for _ in range(_MOST_AROUND):
        if around is None:
            return False
        if around in found:
            return node.name in found[around]
        around = snapshot.node(around).parent
    return False
