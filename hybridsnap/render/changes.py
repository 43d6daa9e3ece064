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
- What is gone with all that stood in it is one line, with the number of the rows below. So is the page behind
  a modal dialog that has opened, or has closed (with snapshots that know the DOM). Where a row came or moved
  to is told by the sibling that it stands before now, where that one's line is not printed.
- What the page drew anew with the same content is counted on the line that it stands in: ``500 rebuilt
  unchanged``; `Diff.rebuilt` has the ids. Of three such controls at most, each has a line with its new id.
- Each change is told once. Text that came, went or changed in a row that stays is told on that row's line,
  one text a row. What the changed name of a row above says already is not told again; nor is text that a new
  or gone row says by its name. A row without a name takes over the text that stands alone in it. Wrappers
  without a name that came or went around rows that stay are not listed, nor is a text in the place of the
  same text, nor a new or gone row that says nothing and holds nothing, unless there is nothing else. Nor are
  the name of a new cell that new rows in it say, a new label beside the control of its name, and what is
  cleaned away (glyphs of icon fonts), nor an item around one control in a new list. A new row of a table
  whose cells are texts, links and buttons is one line, ``Ann | [0-7] button: Edit``; boxes and fields in
  it have lines below. Where all cells of another row are new, those that say no more than the controls in
  them have no line. The options of a new closed select are named on its line, as many as have room there.
  The data (`Diff.added` and so on) has all of it.
  Links to places in the document itself are not listed when its address has changed.
- Where the document is another one, lines that begin with ``#`` say so first.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.ax_node import VALUE_CHARACTERS
from hybridsnap.capture.roles import FRAME_ROLE, INTERACTIVE_ROLES, ROOT_ROLE
from hybridsnap.render.ai_item import clean, is_closed_select, is_date_field, name_of_option, said_options
from hybridsnap.render.ai_text import BULLETS
from hybridsnap.render.gone import SortKey, count_below, find_gone, sort_keys
from hybridsnap.render.match import PLACE, name_at_or_below
from hybridsnap.render.moves import (
    is_page,
    is_text_or_marker,
    is_wrapper,
    moved_note,
    place_note,
    quote,
    rewrapped,
)
from hybridsnap.render.repeats import Repeats, said_by_control
from hybridsnap.render.report import shorten_url
from hybridsnap.render.select import description_of, with_known_description
from hybridsnap.render.tree import format_tree_line
from hybridsnap.text import clean_text, cut_alike, cut_text, squeeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from hybridsnap.model import ElementId, Row
    from hybridsnap.render.differences import Behind, Changed, Differences, DiffPosition, FieldChange
    from hybridsnap.render.match import RowTree

#: Longer names are not searched for what they might tell: that would cost more than it saves.
_LONGEST_TELLER = 2000
#: Punctuation that may stand beside a word.
_POINTS = ",.;:!?()\"'"
#: In more rows than these what was drawn anew is counted where all of them stand, as in a grid of tick boxes.
_MOST_REBUILT_IN = 3
#: So few controls that were drawn anew and say the same have a line each, with their new ids.
_MOST_REBUILT_CONTROLS = 3
#: The text is printed of so many elements that are gone from behind a dialog.
_LOST = 3
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
    for wrappers, moves_by_wrappers in ((False, False), (True, False), (True, True)):
        telling = _Telling(diff)
        if not moves_by_wrappers:
            telling.drop_rewrapped()
        if not wrappers:
            telling.drop_wrappers()
            telling.drop_unseen()
        telling.count_rebuilt(texts=wrappers)
        telling.tell_text()
        telling.drop_told()
        telling.drop_edited()
        telling.shorten(diff.matching.new, telling.added)
        telling.shorten(diff.matching.old, telling.removed)
        telling.drop_repeats(empty=not wrappers)
        lines = _print(telling)
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


@dataclasses.dataclass(slots=True)
class _Part:
    """Rows of one side that are printed with a sign.

    Attributes:
        shown: their numbers.
        taken: number of a row without a name → the text it takes over; or "" where rows below say its name.
        records: numbers of table rows that are printed as one line, with the ids of what is operated in them.
        told: numbers of the rows whose text stands in such a line.
        options: numbers of closed selects, with what their lines say of the options.
    """

    shown: set[int]
    taken: dict[int, str] = dataclasses.field(default_factory=dict)
    records: set[int] = dataclasses.field(default_factory=set)
    told: set[int] = dataclasses.field(default_factory=set)
    options: dict[int, str] = dataclasses.field(default_factory=dict)


class _Telling:
    """What is told of each row, before it is lines.

    Attributes:
        renamed: number of a new row that stays → its name before and now.
        texts: number of a new row that stays → the one text in it that changed: before and now.
        rebuilt: number of a new row → how many rows right below it were drawn anew, and say the same; of many
            such rows the one that holds them → how many in all.
        remade: number of a new row that was drawn anew and holds something else → its old id.
    """

    def __init__(self, diff: Differences) -> None:
        self.diff = diff
        self.matching = diff.matching
        uncovered = (at for behind in diff.uncovered for at in behind.rows)
        self.added = _Part({entry.at for entry in diff.added}.difference(uncovered))
        self.removed = _Part({entry.at for entry in diff.removed})
        self.changes: dict[int, Changed] = {change.at: change for change in diff.changed}
        self._drop_readdressed()
        self.renamed: dict[int, tuple[str, str]] = {
            change.at: (one.old, one.new)
            for change in diff.changed
            for one in change.fields
            if one.field == "name"
        }
        self.texts: dict[int, tuple[str, str]] = {}
        self.rebuilt: collections.Counter[int] = collections.Counter()
        self.remade: dict[int, ElementId] = {}

    def _drop_readdressed(self) -> None:
        """Drop what a document's new address made of its links to places in itself, as ``href="#top"``."""
        addresses = {
            change.row.frame: (one.old.partition("#")[0], one.new.partition("#")[0])
            for change in self.diff.changed
            if change.role == ROOT_ROLE
            for one in change.fields
            if one.field == "url"
        }
        for at, change in list(self.changes.items()) if addresses else ():
            fields = tuple(
                one for one in change.fields if not _is_place_in(addresses.get(change.row.frame), one)
            )
            if fields or change.moved is not None:
                self.changes[at] = dataclasses.replace(change, fields=fields)
            else:
                del self.changes[at]

    def count_rebuilt(self, *, texts: bool) -> None:
        """Count what was drawn anew, without what stands below; texts only where `texts` says so."""
        if not self.diff.rebuilt:
            return
        new, old, old_of = self.matching.new, self.matching.old, self.matching.old_of
        anew: dict[int, ElementId] = {}
        for at, row in enumerate(new.rows):
            was = old.rows[old_of[at]].id if old_of[at] >= 0 else None
            if was is not None and self.diff.rebuilt.get(was) == row.id:
                anew[at] = was
        dirty = self._dirty()
        controls = [at for at in anew if new.rows[at].role in INTERACTIVE_ROLES - {"option"}]
        named = controls if len(controls) <= _MOST_REBUILT_CONTROLS else []
        for at, was in anew.items():
            parent = new.parents[at]
            if at in dirty or parent < 0 or at in named:
                self.remade[at] = was
            elif (parent not in anew or parent in dirty) and (texts or not is_text(new, at)):
                self.rebuilt[parent] += 1
        if len(self.rebuilt) > _MOST_REBUILT_IN:
            self._count_rebuilt_together()

    def _count_rebuilt_together(self) -> None:
        """Count on the innermost row that holds all of them."""
        total = self.rebuilt.total()
        held = self.rebuilt.copy()
        for at, parent in reversed([*enumerate(self.matching.new.parents)]):
            if held[at] == total:
                self.rebuilt = collections.Counter({at: total})
                return
            if held[at]:
                held[parent] += held[at]

    def _dirty(self) -> set[int]:
        """New rows that are otherwise than before, or hold what is."""
        new = self.matching.new
        gone_from = (self.matching.new_of[entry.place.parent] for entry in self.diff.removed)
        dirty: set[int] = {-1}
        for start in [*self.changes, *self.added.shown, *gone_from]:
            at = start
            while at not in dirty:
                dirty.add(at)
                at = new.parents[at]
        return dirty

    def drop_rewrapped(self) -> None:
        """Drop the moves that are due to rows around that came or went."""
        for at in rewrapped(self.diff):
            change = self.changes[at]
            if change.fields:
                self.changes[at] = dataclasses.replace(change, moved=None)
            else:
                del self.changes[at]

    def drop_wrappers(self) -> None:
        """Drop new wrappers around anything that stays, and gone ones likewise.

        A body that listens to clicks has a row as long as it holds several elements: when a dialog in it
        opens or closes, that dialog is new or gone, and nothing else.
        """
        for tree, part in ((self.matching.new, self.added), (self.matching.old, self.removed)):
            for at in sorted(part.shown, reverse=True):
                around = is_wrapper(tree.rows[at]) and not part.shown.issuperset(tree.children[at])
                if around or is_page(tree.rows[at]):
                    part.shown.discard(at)

    def tell_text(self) -> None:
        """Take the text that came, went or changed to the row it stands in, where it is one text."""
        matching = self.matching
        came, went = self._moving_texts()
        for parent in came.keys() | went.keys():
            new, old = came.get(parent, []), went.get(parent, [])
            if len(new) > 1 or len(old) > 1:
                continue
            was = matching.old.rows[old[0]].name if old else ""
            now = matching.new.rows[new[0]].name if new else ""
            if clean_text(now) != clean_text(was):
                self.texts[parent] = was, now
            self.added.shown.difference_update(new)
            self.removed.shown.difference_update(old)
            for at in new:
                self.changes.pop(at, None)
                self.renamed.pop(at, None)

    def _moving_texts(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """New row that stays → the texts that came into it; likewise those that went from it."""
        matching = self.matching
        came: dict[int, list[int]] = {}
        went: dict[int, list[int]] = {}
        for at in self.added.shown:
            parent = matching.new.parents[at]
            if parent >= 0 and matching.old_of[parent] >= 0 and is_text(matching.new, at):
                came.setdefault(parent, []).append(at)
        for at in self.removed.shown:
            parent = matching.old.parents[at]
            if parent >= 0 and matching.new_of[parent] >= 0 and is_text(matching.old, at):
                went.setdefault(matching.new_of[parent], []).append(at)
        for at, change in self.changes.items():
            parent = matching.new.parents[at]
            only_name = len(change.fields) == 1 and change.fields[0].field == "name"
            stays = change.moved is None and parent >= 0
            if stays and only_name and is_text(matching.new, at) and is_text(matching.old, change.was_at):
                came.setdefault(parent, []).append(at)
                went.setdefault(parent, []).append(change.was_at)
        return came, went

    def drop_unseen(self) -> None:
        """Drop changes that no line would show: glyphs and fillers are cleaned away."""
        for at, change in list(self.changes.items()):
            fields = tuple(one for one in change.fields if not _looks_the_same(change, one))
            if fields or change.moved is not None:
                self.changes[at] = dataclasses.replace(change, fields=fields)
            else:
                del self.changes[at]
            if not any(one.field == "name" for one in fields):
                self.renamed.pop(at, None)

    def drop_told(self) -> None:
        """Drop names and texts whose change the changed name of a row above, or their own row's, says."""
        if not self.renamed:
            return
        parents = self.matching.new.parents
        told_names: list[int] = []
        # For each row the nearest one above it whose name changed.
        teller = [-1] * (len(parents) + 1)
        for at, parent in enumerate(parents):
            above = parent if parent in self.renamed else teller[parent]
            teller[at] = above
            own = self.renamed.get(at)
            if own is not None and above >= 0 and _tells(self.renamed[above], own):
                told_names.append(at)
            text = self.texts.get(at)
            by = at if own is not None else above
            if text is not None and by >= 0 and _tells(self.renamed[by], text):
                del self.texts[at]
        for at in told_names:
            del self.renamed[at]
            change = self.changes[at]
            if len(change.fields) == 1 and change.moved is None and at not in self.texts:
                del self.changes[at]

    def drop_edited(self) -> None:
        """Drop the texts in an editor that its changed value says: of code each word is a text of its own."""
        for at, change in list(self.changes.items()):
            if any(one.field == "value" for one in change.fields):
                said = said_by_control(self.matching.new, at)
                self.added.shown.difference_update(said)
                self.removed.shown.difference_update(said_by_control(self.matching.old, change.was_at))
                for inner in said:
                    for told in (self.texts, self.renamed, self.changes, self.rebuilt, self.remade):
                        told.pop(inner, None)
                if said:
                    self.rebuilt.pop(at, None)
                if is_closed_select(self.matching.new.rows[at]):
                    self._drop_chosen(at)

    def _drop_chosen(self, select: int) -> None:
        """Drop which options are selected: the changed value of their closed select says that."""
        children = self.matching.new.children
        open_rows = [*children[select]]
        while open_rows:
            at = open_rows.pop()
            open_rows += children[at]
            fields = self.changes[at].fields if at in self.changes else ()
            states = [set(one.old) ^ set(one.new) for one in fields if one.field == "states"]
            if len(fields) == 1 and states == [{"selected"}] and self.changes[at].moved is None:
                del self.changes[at]

    @staticmethod
    def shorten(tree: RowTree, part: _Part) -> None:
        """Leave out what the line of a new or gone row says of the rows below it."""
        for at in sorted(part.shown):
            row = tree.rows[at]
            below = [child for child in tree.children[at] if child in part.shown]
            if len(below) < len(tree.children[at]):
                continue
            part.shown.difference_update(
                child for child in below if tree.rows[child].role == "ListMarker" and not tree.children[child]
            )
            below = [child for child in below if child in part.shown]
            texts = [child for child in below if is_text(tree, child)]
            if row.role == "LabelText":
                names = {squeeze(tree.rows[child].name) for child in below if child not in texts}
                said = {child for child in texts if squeeze(tree.rows[child].name) in names}
                part.shown.difference_update(said)
                below = [child for child in below if child not in said]
                texts = [child for child in texts if child not in said]
            if not row.name and len(below) == len(texts) == 1 and row.role != ROOT_ROLE:
                part.taken[at] = tree.rows[texts[0]].name
                part.shown.discard(texts[0])
            elif row.name:
                part.shown.difference_update(
                    child
                    for child in texts
                    if _says(row.name, tree.rows[child].name) or _is_bullet(tree.rows[child])
                )

    def drop_repeats(self, *, empty: bool) -> None:
        """Drop what new rows say of others that say it themselves; with `empty`, also rows that say nothing.

        Of gone rows only these: the guards that keep the focus in a popup, its shadow, the arrow at its edge.
        """
        if empty:
            gone = Repeats(self.matching.old, self.removed.shown, self.removed.taken)
            self.removed.shown.difference_update(
                [at for at in sorted(self.removed.shown, reverse=True) if gone.is_empty(at)]
            )
        part = self.added
        for at in sorted(part.shown):
            if self.matching.new.children[at]:
                part.shown.difference_update(said_by_control(self.matching.new, at))
        self._name_options()
        self._drop_parts_of_dates()
        repeats = Repeats(self.matching.new, part.shown, part.taken)
        for at in sorted(part.shown, reverse=True):
            if empty and repeats.is_empty(at):
                part.shown.discard(at)
            elif repeats.is_label(at):
                part.shown.difference_update({at, *self.matching.new.children[at]})
            elif repeats.is_label_around(at):
                part.told.add(at)
                part.shown.discard(at)
                inside = self.matching.new.children[at]
                part.shown.difference_update(
                    one for one in inside if is_text_or_marker(self.matching.new, one)
                )
            elif (record := repeats.record_of(at)) is not None:
                part.taken[at], below = record
                part.records.add(at)
                part.told.update(below)
                part.shown.difference_update(below)
            elif self.matching.new.rows[at].name and repeats.is_said_below(at):
                part.taken[at] = ""
        said_within = {at for at in part.shown if repeats.is_said_within(at)}
        part.told.update(said_within)
        part.shown.difference_update(said_within)
        parents = self.matching.new.parents
        around_one = {at for at in part.shown if parents[at] in part.shown and repeats.is_around_one(at)}
        part.told.update(around_one)
        part.shown.difference_update(around_one)

    def _name_options(self) -> None:
        """Name the options of a new closed select on its line, as outlines for a model do."""
        rows, part = self.matching.new.rows, self.added
        for at in sorted(part.shown):
            if not is_closed_select(rows[at]):
                continue
            below = self.matching.new.below(at)
            options = [rows[one] for one in below if rows[one].role == "option"]
            names = [name_of_option(one, rows[at], clean(one.name)) for one in options]
            part.options[at] = said_options(names)[0]
            part.told.update(below)
            part.shown.difference_update(below)

    def _drop_parts_of_dates(self) -> None:
        """Drop the parts of new date and time fields, where they say no more than the field."""
        rows, part = self.matching.new.rows, self.added
        for at in sorted(part.shown):
            field = rows[at]
            if not is_date_field(field):
                continue
            below = self.matching.new.below(at)
            if all(
                (field.value or not rows[one].value) and set(rows[one].states).issubset(field.states)
                for one in below
            ):
                part.told.update(below)
                part.shown.difference_update(below)


def _is_place_in(addresses: tuple[str, str] | None, one: FieldChange) -> bool:
    """Whether a link leads to the same place in its document, whose addresses were and are these."""
    if addresses is None or one.field != "url":
        return False
    (was, _, old_place), (now, _, new_place) = one.old.partition("#"), one.new.partition("#")
    return (was, now) == addresses and old_place == new_place != ""


def is_text(tree: RowTree, at: int) -> bool:
    """Whether a row is text and nothing else."""
    row = tree.rows[at]
    return row.role == "StaticText" and not tree.children[at] and not row.states


def _is_bullet(row: Row) -> bool:
    """Whether a text is a bullet: Chromium has it as a marker in a list item only, not in an option."""
    return row.id is None and not row.name.strip(BULLETS)


def _looks_the_same(change: Changed, one: FieldChange) -> bool:
    """Whether a text reads as before once it is cleaned; a description, as far as a line prints it."""
    if one.field == "description":
        return description_of(change.was) == description_of(change.row)
    return one.field in {"name", "value"} and clean_text(one.old) == clean_text(one.new)


def _says(name: str, text: str) -> bool:
    """Whether a name holds a text, as words of their own: ``November 1, 2026`` holds ``1``."""
    if len(name) > _LONGEST_TELLER:
        return False
    name, text = squeeze(name), squeeze(text)
    return text in name and f" {_without_points(text)} " in f" {_without_points(name)} "


def _without_points(text: str) -> str:
    """The words of a text without the punctuation around them."""
    return " ".join(word.strip(_POINTS) or word for word in text.split())


def _tells(teller: tuple[str, str], change: tuple[str, str]) -> bool:
    return all(_says(name, text) for name, text in zip(teller, change, strict=True))


def _print(telling: _Telling) -> list[str]:
    """All lines with their context, in document order; a gone row where it stood."""
    new, old = telling.matching.new, telling.matching.old
    signed = telling.added.shown | telling.changes.keys() | telling.texts.keys()
    signed |= telling.rebuilt.keys() | telling.remade.keys()
    gone_below = find_gone(telling.matching, telling.removed.shown)
    covered = {min(behind.rows & gone_below.keys(), default=-1): behind for behind in telling.diff.covered}
    told = {at for behind in telling.diff.covered for at in behind.rows}
    gone_below = {at: parent for at, parent in gone_below.items() if at not in told or at in covered}
    uncovered = {min(behind.rows): behind for behind in telling.diff.uncovered}
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
    below = count_below(telling.removed.shown, old)
    for at, parent_now in gone_below.items():
        note = ""
        if below[at]:
            is_said = old.rows[at].name or at in telling.removed.taken
            label = "" if is_said else name_at_or_below(old, at, telling.matching.new_of)
            gist = f": {quote(label, VALUE_CHARACTERS)}" if label else ""
            note = f"   (with {below[at]} line{'s' if below[at] > 1 else ''}{gist})"
        text = f"- {_line(old.rows[at], telling.removed.taken.get(at))}{note}"
        if at in covered:
            text = f"- {_behind(covered[at])}"
        lines.append((keys[at], depths[shown_above[parent_now]] + 1, text))
    lines.sort(key=lambda line: line[0])
    return [f"{text[:2]}{'  ' * depth}{text[2:]}" for _, depth, text in lines]


def _behind(behind: Behind) -> str:
    count = len(behind.rows)
    text = f"behind the {behind.word}: {count:,} line{'s' if count > 1 else ''}"
    if behind.lost:
        shown = ", ".join(quote(one, VALUE_CHARACTERS) for one in behind.lost[:_LOST])
        text += f"; gone there: {shown}{', …' if len(behind.lost) > _LOST else ''}"
    return text


def _context(telling: _Telling, signed: set[int], gone_below: Iterable[int]) -> set[int]:
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
    return {at for at in found - signed - {-1} if not (is_page(new.rows[at]) or _is_new_wrapper(telling, at))}


def _is_new_wrapper(telling: _Telling, at: int) -> bool:
    return telling.matching.old_of[at] < 0 and is_wrapper(telling.matching.new.rows[at])


def _needs_no_path(telling: _Telling, at: int) -> bool:
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
    telling: _Telling, at: int, places: Mapping[int, DiffPosition], printed: AbstractSet[int]
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
        return f"+ {_line(row, name)}{note}"
    if notes := _notes(telling, at):
        change = telling.changes.get(at)
        moved = change is not None and change.moved is not None and not row.name
        if row.description and (change is None or change.was.description == row.description):
            row = with_known_description(row)
        return f"~ {_line(row, name_at_or_below(new, at) if moved else None)}   ({'; '.join(notes)})"
    # It only says where the others stand: the beginning of a long name does.
    return f"  {_line(row, cut_text(row.name, VALUE_CHARACTERS))}"


def _notes(telling: _Telling, at: int) -> list[str]:
    """What the line of a row that stays says of its change."""
    notes: list[str] = []
    if at in telling.remade:
        notes.append(f"rebuilt, was [{telling.remade[at]}]")
    if at in telling.texts:
        notes.append(_text_note(*telling.texts[at]))
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
