"""A diff as text: a line for each row that came, went or is otherwise, and where it stands.

::

      [0-1] RootWebArea: Shop
        [0-40] banner
    ~     [0-44] status: Items in the cart   (text: "1", was: "0")
        [0-50] list
    +     [0-90] listitem: Tea
    -   [0-61] region: Offers   (with 12 lines)
    ~   [0-70] button: Close   (was: "Open"; now expanded; moved from below [0-12] before [0-72] "Help")

- ``+`` rows are new, ``-`` rows are gone (with the ids they had), ``~`` rows are otherwise. Rows without a
  sign did not change and say where the others stand: what has a name above them, landmarks, documents, and
  whatever a row came to or went from. A row that only got or lost the focus has no such rows of its own.
- The line is the outline's. What follows it after three spaces is the diff's: page text has no such run of
  spaces, and what is quoted there is a JSON string, cut at 100 characters where it is the old one, and
  an address in its middle.
- What is gone with all that stood in it is one line, with the number of the rows below. So are more than ten
  siblings of one role where fewer stand now (``243 × option: "Albania", … "Zambia"; left: [0-90] "France"``),
  and so is the page behind a modal dialog that has opened, or has closed (with snapshots that know the DOM);
  what changed there meanwhile has lines of its own. A row that came or moved names the sibling that it stands
  before, where that sibling has no line; one that came, only a sibling that has words.
- What the page drew anew with the same content is counted on the line that it stands in: ``500 rebuilt
  unchanged``; `Diff.rebuilt` has the ids. Of ten such controls at most, each has a line with its new id,
  and so has the item around it whose text says which one it is.
- Each change is told once. Text that came, went or changed in a row that stays is told on that row's line,
  one text a row; where another there still says what is gone, the line says so. What the changed name of a
  row above says already is not told again; nor is text that a new or gone row says by its name. A row without
  a name takes over the text that stands alone in it. Wrappers without a name that came or went around rows
  that stay are not listed, nor is a text in the place of the same text, nor a new or gone row that says
  nothing and holds nothing, unless there is nothing else. Nor are the name of a new cell that new rows in it
  say, a new label beside the control of its name, and what is cleaned away (glyphs of icon fonts), nor an
  item around one control in a new list. A new row of a table whose cells are texts, links and buttons is one
  line, ``Name: Ann | [0-7] button: Edit``, with the names of its columns; boxes and fields in it have lines
  below. Where all cells of another row are new, those that say no more than the controls in them have no
  line. The options of a new closed select are named on its line, as many as have room there. The data
  (`Diff.added` and so on) has all of it.
  When the document's address has changed, links to places in it are not listed, nor are those in whose
  query the same has changed.
- Where the document is another one, lines that begin with ``#`` say so first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.ax_node import VALUE_CHARACTERS
from hybridsnap.capture.roles import FRAME_ROLE, ROOT_ROLE
from hybridsnap.render.ai_item import clean
from hybridsnap.render.gone import SortKey, count_below, find_gone, find_many_gone, sort_keys
from hybridsnap.render.match import PLACE, name_at_or_below
from hybridsnap.render.moves import (
    is_page,
    is_text_or_marker,
    is_wrapper,
    moved_note,
    named,
    place_note,
    quote,
)
from hybridsnap.render.report import shorten_url
from hybridsnap.render.select import with_known_description
from hybridsnap.render.telling import tell
from hybridsnap.render.tree import format_tree_line
from hybridsnap.text import clean_text, cut_alike, cut_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from hybridsnap.model import Row
    from hybridsnap.render.differences import Behind, Differences, DiffPosition, FieldChange
    from hybridsnap.render.match import RowTree
    from hybridsnap.render.telling import Telling

#: The text is printed of so many elements that are gone from behind a dialog.
_LOST = 3
#: Of many siblings that are gone, and of those that are left, so many are named.
_MANY_NAMED = 3
#: What says where something stands even without a name; the landmarks of WAI-ARIA, dialogs and documents.
_LANDMARKS = frozenset(
    {
        ROOT_ROLE,
        FRAME_ROLE,
        "alertdialog",
        "banner",
        "complementary",
        "contentinfo",
        "dialog",
        "form",
        "main",
        "navigation",
        "region",
        "search",
    }
)


def render_diff(diff: Differences) -> str:
    """The diff as text; "" when nothing changed.

    Cost: linear in the rows of both snapshots, n log n in what is printed.
    """
    if not diff:
        return ""
    lines: list[str] = []
    # What is no news is told where there is nothing else.
    for wrappers, moves in ((False, False), (True, False), (True, True)):
        lines = _print(tell(diff, wrappers=wrappers, moves=moves))
        if lines:
            break
    return "\n".join([*_head(diff), *lines])


def _head(diff: Differences) -> list[str]:
    if diff.matched_by == PLACE:
        return [f"# another document than before: rows are matched by {PLACE}; - lines have their old ids"]
    # A frame that is new altogether has nothing that could be matched.
    matched = diff.matching.old_of
    known = {row.frame for at, row in enumerate(diff.matching.new.rows) if matched[at] >= 0}
    return [
        f"# frame {ordinal} holds another document than before: its rows are matched by {PLACE}"
        for ordinal, by in diff.frames.items()
        if by == PLACE and ordinal in known
    ]


def _print(telling: Telling) -> list[str]:
    """All lines with their context, in document order; a gone row where it stood."""
    new = telling.matching.new
    signed = telling.added.shown | telling.changes.keys() | telling.texts.keys()
    signed |= telling.rebuilt.keys() | telling.remade.keys()
    gone_below = find_gone(telling.matching, telling.removed.shown)
    covered = {min(behind.rows & gone_below.keys(), default=-1): behind for behind in telling.diff.covered}
    told = {at for behind in telling.diff.covered for at in behind.rows}
    gone_below = {at: parent for at, parent in gone_below.items() if at not in told or at in covered}
    uncovered = {min(behind.rows): behind for behind in telling.diff.uncovered if behind.rows}
    around = [*gone_below.values(), *(new.parents[at] for at in uncovered)]
    context = _context(telling, signed, around)
    depths: dict[int, int] = {-1: -1}
    lines: list[tuple[SortKey, int, str]] = []
    printed = signed | context
    places = {entry.at: entry.place for entry in telling.diff.added}
    shown_above = [-1] * (len(new.rows) + 1)
    for at, parent in enumerate(new.parents):
        above = shown_above[parent]
        if at in uncovered:
            text = f"+ no longer {_behind(uncovered[at])}"
            lines.append(((at, 0, 0, 0), depths[above] + 1, text))
        if at not in printed:
            shown_above[at] = above
            continue
        shown_above[at] = at
        depths[at] = depths[above] + 1
        lines.append(((at, 1, 0, 0), depths[at], _new_line(telling, at, places, printed)))
    # A gone row follows the sibling that it followed; where several levels end, the deepest comes first.
    moved = {change.at for change in telling.diff.changed if change.moved is not None}
    keys = sort_keys(telling.matching, gone_below, moved)
    below = count_below(telling.removed.shown, telling.matching.old)
    many = find_many_gone(telling.matching, {at: to for at, to in gone_below.items() if at not in covered})
    for at in {at for together in many.values() for at in together[1:]}:
        del gone_below[at]
    for at, parent_now in gone_below.items():
        if at in many:
            text = _many_gone_line(telling, many[at], parent_now)
        else:
            text = f"- {_behind(covered[at])}" if at in covered else _gone_line(telling, at, below[at])
        lines.append((keys[at], depths[shown_above[parent_now]] + 1, text))
    lines.sort(key=lambda line: line[0])
    return [f"{text[:2]}{'  ' * depth}{text[2:]}" for _, depth, text in lines]


def _gone_line(telling: Telling, at: int, below: int) -> str:
    """The line of a row that is gone, with so many printed rows below it."""
    old, taken = telling.matching.old, telling.removed.taken
    note = ""
    if below:
        is_said = old.rows[at].name or at in taken
        label = "" if is_said else name_at_or_below(old, at, telling.matching.new_of)
        gist = f": {quote(label, VALUE_CHARACTERS)}" if label else ""
        note = f"   (with {below} line{'s' if below > 1 else ''}{gist})"
    return f"- {_line(old.rows[at], taken.get(at))}{note}"


def _many_gone_line(telling: Telling, gone: list[int], parent_now: int) -> str:
    """The line of many siblings that are gone, with what they said and what is left of their kind."""
    old, new = telling.matching.old, telling.matching.new
    role = old.rows[gone[0]].role
    said = [name_at_or_below(old, at) for at in (*gone[:_MANY_NAMED], gone[-1])]
    quoted = [quote(one, VALUE_CHARACTERS) for one in said if one]
    names = f": {', '.join(quoted[:-1])} … {quoted[-1]}" if len(quoted) > 1 else ""
    stayed = (at for at in new.children[parent_now] if telling.matching.old_of[at] >= 0)
    left = [at for at in stayed if new.rows[at].role == role]
    names += f"; left: {', '.join(named(new, at) for at in left)}" if 0 < len(left) <= _MANY_NAMED else ""
    return f"- {len(gone):,} × {clean_text(role)}{names}"


def _behind(behind: Behind) -> str:
    count = len(behind.rows)
    text = f"behind the {behind.word}: {count:,} line{'s' if count > 1 else ''}"
    if behind.lost:
        shown = ", ".join(quote(one, VALUE_CHARACTERS) for one in behind.lost[:_LOST])
        text += f"; gone there: {shown}{', …' if len(behind.lost) > _LOST else ''}"
    return text


def _context(telling: Telling, signed: set[int], gone_below: Iterable[int]) -> set[int]:
    """Unchanged rows to print: those that say where the told ones stand."""
    new = telling.matching.new
    placed = {at for at in signed if not _needs_no_path(telling, at)}
    # What came or went is in something; what changed is told by its own line.
    found = {new.parents[at] for at in placed & telling.added.shown} - telling.added.told | set(gone_below)
    seen: set[int] = {-1}
    for start in [*placed, *found]:
        at = start
        while at not in seen:
            seen.add(at)
            row = new.rows[at]
            if (row.name or row.role in _LANDMARKS) and at not in telling.added.told:
                found.add(at)
            at = new.parents[at]
    # Below a line that holds others, a control would read as one of those.
    found |= {at for at in telling.holders if _has_line_above(new, at, found | signed)}
    return {at for at in found - signed - {-1} if not (is_page(new.rows[at]) or _is_new_wrapper(telling, at))}


def _has_line_above(tree: RowTree, at: int, printed: AbstractSet[int]) -> bool:
    above = tree.parents[at]
    while above >= 0 and above not in printed:
        above = tree.parents[above]
    return above >= 0


def _is_new_wrapper(telling: Telling, at: int) -> bool:
    return telling.matching.old_of[at] < 0 and is_wrapper(telling.matching.new.rows[at])


def _needs_no_path(telling: Telling, at: int) -> bool:
    """Whether the row has only got or lost the focus, or got another id: that takes no path to it."""
    change = telling.changes.get(at)
    if at in telling.texts or at in telling.rebuilt:
        return False
    if change is None:
        return at in telling.remade
    if at in telling.remade or change.moved is not None or len(change.fields) != 1:
        return False
    field = change.fields[0]
    return field.field == "states" and set(field.old) ^ set(field.new) == {"focused"}


def _line(row: Row, name: str | None = None) -> str:
    return format_tree_line(row if name is None else msgspec.structs.replace(row, name=name))


def _new_line(
    telling: Telling, at: int, places: Mapping[int, DiffPosition], printed: AbstractSet[int]
) -> str:
    new = telling.matching.new
    row = new.rows[at]
    if at in telling.added.shown:
        name = telling.added.taken.get(at)
        if row.role == "row" and at not in telling.added.records:
            # Ids in page text are escaped: only a record prints ids.
            name = clean(row.name if name is None else name)
        stays = any(telling.matching.old_of[child] >= 0 for child in new.children[at] if child not in printed)
        note = "   (around what was there)" if stays else _before_note(new, at, places[at], printed)
        options = telling.added.options.get(at)
        if options:
            note = f"   (options: {quote(options)}){note}"
        if at in telling.behind:
            if new.parents[at] not in telling.behind:
                was = telling.behind[at]
                note = f"   (was: {quote(was)})" if was else "   (changed there)"
            return f"~ {_line(row, name)}{note}"
        return f"+ {_line(row, name)}{note}"
    if notes := _notes(telling, at):
        change = telling.changes.get(at)
        moved = change is not None and change.moved is not None and not row.name
        if row.description and (change is None or change.was.description == row.description):
            row = with_known_description(row)
        name = name_at_or_below(new, at) if moved else _name_of_holder(telling, at)
        return f"~ {_line(row, name)}   ({'; '.join(notes)})"
    # It only says where the others stand: the beginning of a long name does.
    name = _name_of_holder(telling, at) or row.name
    return f"  {_line(row, cut_text(name, VALUE_CHARACTERS))}"


def _name_of_holder(telling: Telling, at: int) -> str | None:
    """The text by which an item without a name says which control stands in it."""
    row = telling.matching.new.rows[at]
    is_named = row.name or row.role in _LANDMARKS or at in telling.texts
    return None if is_named else telling.holders.get(at)


def _notes(telling: Telling, at: int) -> list[str]:
    """What the line of a row that stays says of its change."""
    notes: list[str] = []
    if at in telling.remade:
        notes.append(f"rebuilt, was [{telling.remade[at]}]")
    if at in telling.texts:
        old = telling.texts[at][0]
        notes.append(
            f"one of the texts {quote(old, VALUE_CHARACTERS)} gone, another is still there"
            if at in telling.doubled
            else _text_note(*telling.texts[at])
        )
    change = telling.changes.get(at)
    if change is not None:
        for one in change.fields:
            if one.field == "hint" and telling.matching.new.rows[at].name:
                continue  # it has a name now, and the line says it
            if one.field != "name":
                notes.append(_note(one))
            elif at in telling.renamed:
                notes.append(f"was: {_old(one.old, one.new)}")
        if change.moved is not None:
            notes.append(moved_note(telling.matching, change))
    if at in telling.rebuilt:
        notes.append(f"{telling.rebuilt[at]} rebuilt unchanged")
    return notes


def _before_note(tree: RowTree, at: int, place: DiffPosition, printed: AbstractSet[int]) -> str:
    """What a new row stands before, where its neighbour is of its kind and not printed."""
    siblings = tree.children[place.parent]
    after = siblings[place.index + 1] if place.index + 1 < len(siblings) else -1
    parent = place.parent
    if not (parent in printed or (parent >= 0 and is_page(tree.rows[parent]))):
        return ""
    if after < 0 or after in printed:
        return ""
    if tree.rows[after].role != tree.rows[at].role or is_text_or_marker(tree, after):
        return ""
    if not name_at_or_below(tree, after):  # an outline may have no line for it, as for a part of a drawing
        return ""
    return f"   ({place_note(tree, at, place)})"


def _note(change: FieldChange) -> str:
    if change.field == "states":
        now = [f"now {clean_text(state)}" for state in change.new if state not in change.old]
        before = [f"no longer {clean_text(state)}" for state in change.old if state not in change.new]
        return ", ".join([*now, *before]) or "states in another order"
    if change.field in ("role", "tag", "hint"):
        return f"{change.field} was: {quote(change.old, VALUE_CHARACTERS)}"
    if change.field == "value":
        old, new = cut_alike(clean_text(change.old), clean_text(change.new), VALUE_CHARACTERS)
        if new.startswith("…"):  # behind what the line shows of it
            return f"value: {quote(new)}, was: {quote(old)}"
        return f"value was: {quote(old)}"
    if change.field == "url":
        return f"url: {quote(shorten_url(change.new))}, was: {quote(change.old, VALUE_CHARACTERS)}"
    return f"{change.field}: {quote(change.new)}, was: {_old(change.old, change.new)}"


def _old(old: str, new: str) -> str:
    """What a text was, from shortly before where it changed if it is long."""
    return quote(cut_alike(clean_text(old), clean_text(new), VALUE_CHARACTERS)[0])


def _text_note(old: str, new: str) -> str:
    if not old:
        return f"new text: {quote(new)}"
    return (
        f"text: {quote(new)}, was: {_old(old, new)}" if new else f"text gone: {quote(old, VALUE_CHARACTERS)}"
    )
