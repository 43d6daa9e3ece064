"""Selects what a diff prints of each row: each change once, and only what a reader does not know already.

`Telling` starts with every row that is new, gone or changed. Its passes remove what means nothing, and what
another line says or can hold; `tell` calls them in order.
"""

from __future__ import annotations

import collections
import dataclasses
import re
from typing import TYPE_CHECKING

from hybridsnap.capture.roles import INTERACTIVE_ROLES, ROOT_ROLE
from hybridsnap.render.ai_item import clean, is_closed_select, is_date_field, name_of_option, said_options
from hybridsnap.render.ai_text import BULLETS
from hybridsnap.render.match import name_at_or_below
from hybridsnap.render.moves import is_page, is_text_or_marker, is_wrapper, rewrapped
from hybridsnap.render.repeats import Repeats, said_by_control
from hybridsnap.render.select import description_of
from hybridsnap.text import clean_text, squeeze

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from hybridsnap.model import ElementId, Row
    from hybridsnap.render.differences import Changed, Differences, FieldChange
    from hybridsnap.render.match import Matching, RowTree

#: Longer names are not searched for what they might tell: that would cost more than it saves.
_LONGEST_TELLER = 2000
#: Punctuation that may stand beside a word.
_POINTS = ",.;:!?()\"'"
#: The query of a URL, and its fragment where that comes behind it.
_QUERY = re.compile(r"\?([^#]*)")
#: What is called by the text in it, as the control in it is.
_LABEL = "LabelText"
#: In more rows than these what was drawn anew is counted where all of them stand, as in a grid of tick boxes.
_MOST_REBUILT_IN = 3
#: So few controls that were drawn anew and say the same have a line each, with their new ids: tables of
#: component libraries show ten rows a page.
_MOST_REBUILT_CONTROLS = 10


def tell(diff: Differences, *, wrappers: bool, moves: bool) -> Telling:
    """Select what a diff prints.

    Args:
        diff: all that changed.
        wrappers: keep wrappers, rows without content, and changes that no line would show.
        moves: keep moves that are due to rows around that came or went.
    """
    telling = Telling(diff, wrappers=wrappers, moves=moves)
    if not wrappers:
        telling.drop_wrappers()
    # Gives `rebuilt` and `remade`; needs all that changed: what holds a change was not drawn anew the same.
    telling.count_rebuilt(texts=wrappers)
    # Gives `texts`: what is one text moves there from `added`, `removed` and `changes`.
    telling.take_texts()
    # Need `renamed` and `texts`: what the line of a changed row says goes from other rows' lines.
    telling.drop_said_above()
    telling.drop_said_by_value()
    # Gives `taken`; needs in `added` and `removed` all that a row holds, also what says nothing.
    telling.shorten()
    if not wrappers:
        telling.drop_empty()
    # Gives `options`; leaves in `added` what new controls do not say themselves.
    telling.drop_said_by_control()
    # Gives `records`; needs in `added` only what has a line by now: that is what others repeat.
    telling.drop_repeats()
    return telling


@dataclasses.dataclass(slots=True)
class Part:
    """Rows of one snapshot that are printed with a sign.

    Attributes:
        shown: their numbers.
        taken: number of a row without a name → the text it takes over; or "" where rows below say its name.
        records: numbers of table rows that are printed as one line, with the ids of what is operated in them.
        told: numbers of the rows whose text stands in the line of another row.
        options: numbers of closed selects, with what their lines say of the options.
    """

    shown: set[int]
    taken: dict[int, str] = dataclasses.field(default_factory=dict)
    records: set[int] = dataclasses.field(default_factory=set)
    told: set[int] = dataclasses.field(default_factory=set)
    options: dict[int, str] = dataclasses.field(default_factory=dict)

    def tell_elsewhere(self, rows: Iterable[int]) -> None:
        """Some rows have no lines of their own: another line says all that they say."""
        told = set(rows)
        self.told |= told
        self.shown -= told


class Telling:
    """What a diff prints of each row. `tell` calls its passes.

    Attributes:
        added: the new rows.
        removed: the old rows that are gone.
        changes: number of a new row that stays → the part of its change that is printed.
        renamed: number of a new row that stays → its name before and now.
        texts: number of a new row that stays → the one text in it that changed: before and now.
        doubled: numbers of those of `texts` whose text is gone, while something below still says the same.
        rebuilt: number of a new row → how many rows right below it were drawn anew, and say the same; of many
            such rows the one that holds them → how many in all.
        remade: number of a new row that was drawn anew and holds something else, or has a line of its own →
            its old id.
        behind: number of a new row → what its element said before, as `Behind.changed` has it.
        holders: number of a row that holds such a control → its text, which tells that control from others.
    """

    def __init__(self, diff: Differences, *, wrappers: bool, moves: bool) -> None:
        self.diff: Differences = diff
        self.matching: Matching = diff.matching
        uncovered = (at for behind in diff.uncovered for at in behind.rows)
        self.added: Part = Part({entry.at for entry in diff.added}.difference(uncovered))
        self.removed: Part = Part({entry.at for entry in diff.removed})
        self.changes: dict[int, Changed] = {
            change.at: change for change in _news(diff, wrappers=wrappers, moves=moves)
        }
        self.renamed: dict[int, tuple[str, str]] = {
            at: (one.old, one.new)
            for at, change in self.changes.items()
            for one in change.fields
            if one.field == "name"
        }
        self.texts: dict[int, tuple[str, str]] = {}
        self.doubled: set[int] = set()
        self.rebuilt: collections.Counter[int] = collections.Counter()
        self.remade: dict[int, ElementId] = {}
        self.behind: dict[int, str] = {at: was for one in diff.uncovered for at, was in one.changed.items()}
        self.holders: dict[int, str] = {}

    def _sides(self) -> tuple[tuple[RowTree, Part], tuple[RowTree, Part]]:
        return (self.matching.new, self.added), (self.matching.old, self.removed)

    def drop_wrappers(self) -> None:
        """Drop new wrappers around anything that stays, and gone ones likewise.

        A body that listens to clicks has a row as long as it holds several elements: when a dialog in it
        opens or closes, that dialog is new or gone, and nothing else.
        """
        for tree, part in self._sides():
            for at in sorted(part.shown, reverse=True):
                around = is_wrapper(tree.rows[at]) and not part.shown.issuperset(tree.children[at])
                if around or is_page(tree.rows[at]):
                    part.shown.discard(at)

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
        dirty = self._dirty(empty=not texts)
        controls = [at for at in anew if new.rows[at].role in INTERACTIVE_ROLES - {"option"}]
        named = controls if len(controls) <= _MOST_REBUILT_CONTROLS else []
        self._find_holders(named)
        for at, was in anew.items():
            parent = new.parents[at]
            if at in dirty or parent < 0 or at in named or at in self.holders:
                self.remade[at] = was
            elif (parent not in anew or parent in dirty) and (texts or not _is_text(new, at)):
                self.rebuilt[parent] += 1
        if len(self.rebuilt) > _MOST_REBUILT_IN:
            self._count_rebuilt_together()

    def _find_holders(self, controls: list[int]) -> None:
        """Find what says which of several controls of one name each is: the text in the item around it."""
        new = self.matching.new
        if not controls:
            return
        skipped = [-1] * (len(new.rows) + 1)
        for at in controls:
            skipped[at] = 0
        for at in controls:
            holder = new.parents[at]
            while holder >= 0 and (new.rows[holder].role == _LABEL or is_wrapper(new.rows[holder])):
                holder = new.parents[holder]
            text = name_at_or_below(new, holder, skipped) if holder >= 0 else ""
            if text and clean_text(text) != clean_text(new.rows[at].name):
                self.holders[holder] = text

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

    def _dirty(self, *, empty: bool) -> set[int]:
        """New rows that are otherwise than before, or hold what is; not for what says nothing if `empty`."""
        new, old = self.matching.new, self.matching.old
        gone = {entry.at: self.matching.new_of[entry.place.parent] for entry in self.diff.removed}
        came = self.added.shown
        if empty:
            came = came.difference(_empty(new, came))
            for at in _empty(old, gone):
                del gone[at]
        dirty: set[int] = {-1}
        for start in [*self.changes, *came, *gone.values()]:
            at = start
            while at not in dirty:
                dirty.add(at)
                at = new.parents[at]
        return dirty

    def take_texts(self) -> None:
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
        self._find_doubled()

    def _find_doubled(self) -> None:
        """Find where a gone text stood twice: a live region repeats what a control shows, and is emptied."""
        new = self.matching.new
        wanted: dict[str, set[int]] = {}
        for at, (was, now) in self.texts.items():
            if not now:
                wanted.setdefault(clean_text(was), set()).add(at)
        if not wanted:
            return
        seen: set[tuple[str, int]] = set()
        for start, row in enumerate(new.rows):
            for text in {clean_text(row.name), clean_text(row.value)} & wanted.keys():
                at = new.parents[start]
                while at >= 0 and (text, at) not in seen:
                    seen.add((text, at))
                    at = new.parents[at]
        self.doubled = {at for text, rows in wanted.items() for at in rows if (text, at) in seen}

    def _moving_texts(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """New row that stays → the texts that came into it; likewise those that went from it."""
        matching = self.matching
        came: dict[int, list[int]] = {}
        went: dict[int, list[int]] = {}
        for at in self.added.shown:
            parent = matching.new.parents[at]
            if parent >= 0 and matching.old_of[parent] >= 0 and _is_text(matching.new, at):
                came.setdefault(parent, []).append(at)
        for at in self.removed.shown:
            parent = matching.old.parents[at]
            if parent >= 0 and matching.new_of[parent] >= 0 and _is_text(matching.old, at):
                went.setdefault(matching.new_of[parent], []).append(at)
        for at, change in self.changes.items():
            parent = matching.new.parents[at]
            only_name = len(change.fields) == 1 and change.fields[0].field == "name"
            stays = change.moved is None and parent >= 0
            if stays and only_name and _is_text(matching.new, at) and _is_text(matching.old, change.was_at):
                came.setdefault(parent, []).append(at)
                went.setdefault(parent, []).append(change.was_at)
        return came, went

    def drop_said_above(self) -> None:
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

    def drop_said_by_value(self) -> None:
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

    def shorten(self) -> None:
        """Leave out what the line of a new or gone row says of the rows below it."""
        for tree, part in self._sides():
            _shorten(tree, part)

    def drop_empty(self) -> None:
        """Drop new and gone rows that say nothing: the guards that keep the focus in a popup, its shadow."""
        for tree, part in self._sides():
            part.shown.difference_update(_empty(tree, part.shown))

    def drop_said_by_control(self) -> None:
        """Drop what stands in new controls and says no more than these: than their name, value or options."""
        tree, part = self.matching.new, self.added
        for at in sorted(part.shown):
            if at not in part.shown or not tree.children[at]:
                continue
            row = tree.rows[at]
            part.shown.difference_update(said_by_control(tree, at))
            if is_closed_select(row):
                # Its options are named on its line, as outlines for a model do.
                below = tree.below(at)
                options = [tree.rows[one] for one in below if tree.rows[one].role == "option"]
                names = [name_of_option(one, row, clean(one.name)) for one in options]
                part.options[at] = said_options(names)[0]
                part.tell_elsewhere(below)
            elif is_date_field(row):
                below = tree.below(at)
                inside = [tree.rows[one] for one in below]
                if all((row.value or not one.value) and set(one.states) <= set(row.states) for one in inside):
                    part.tell_elsewhere(below)

    def drop_repeats(self) -> None:
        """Drop what new rows say of others that say it themselves, and join the cells of a table row."""
        tree, part = self.matching.new, self.added
        repeats = Repeats(tree, part.shown, part.taken)
        for at in sorted(part.shown, reverse=True):
            if repeats.is_label(at):
                part.shown.difference_update({at, *tree.children[at]})
            elif repeats.is_label_around(at):
                part.tell_elsewhere([at])
                part.shown.difference_update(one for one in tree.children[at] if is_text_or_marker(tree, one))
            elif (record := repeats.record_of(at)) is not None:
                part.taken[at], below = record
                part.records.add(at)
                part.tell_elsewhere(below)
            elif tree.rows[at].name and repeats.is_said_below(at):
                part.taken[at] = ""
        part.tell_elsewhere([at for at in part.shown if repeats.is_said_within(at)])
        part.tell_elsewhere(
            [at for at in part.shown if tree.parents[at] in part.shown and repeats.is_around_one(at)]
        )


def _empty(tree: RowTree, numbers: Collection[int]) -> list[int]:
    """Those of some rows that say nothing."""
    repeats = Repeats(tree, frozenset(), {})
    return [at for at in sorted(numbers, reverse=True) if repeats.is_empty(at)]


def _news(diff: Differences, *, wrappers: bool, moves: bool) -> Iterator[Changed]:
    """The changes of rows that stay, as far as they are printed; see `tell`.

    When a document's address changes, its links to places in itself (``href="#top"``) change with it, and so
    do links that repeat its query. These are left out.
    """
    addresses = {
        change.row.frame: (one.old, one.new)
        for change in diff.changed
        if change.role == ROOT_ROLE
        for one in change.fields
        if one.field == "url"
    }
    only_rewrapped = set[int]() if moves else rewrapped(diff)
    for change in diff.changed:
        address = None if change.role == ROOT_ROLE else addresses.get(change.row.frame)
        fields = tuple(
            one
            for one in change.fields
            if not (_follows(address, one) or (not wrappers and _looks_the_same(change, one)))
        )
        moved = None if change.at in only_rewrapped else change.moved
        if fields or moved is not None:
            yield dataclasses.replace(change, fields=fields, moved=moved)


def _shorten(tree: RowTree, part: Part) -> None:
    for at in sorted(part.shown):
        row = tree.rows[at]
        below = [child for child in tree.children[at] if child in part.shown]
        if len(below) < len(tree.children[at]):
            continue
        part.shown.difference_update(
            child for child in below if tree.rows[child].role == "ListMarker" and not tree.children[child]
        )
        below = [child for child in below if child in part.shown]
        texts = [child for child in below if _is_text(tree, child)]
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


def _follows(addresses: tuple[str, str] | None, one: FieldChange) -> bool:
    """Whether a link leads elsewhere only as its document's address is another, which was and is this."""
    if addresses is None or one.field != "url":
        return False
    (was, _, old_place), (now, _, new_place) = one.old.partition("#"), one.new.partition("#")
    if old_place == new_place != "" and (was, now) == tuple(url.partition("#")[0] for url in addresses):
        return True
    change = _change_of_query(one.old, one.new)
    return change is not None and change == _change_of_query(*addresses)


def _change_of_query(old: str, new: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The parameters that went and came; None where a URL is otherwise in anything else.

    A router's addresses have their query behind the ``#``.
    """
    was, now = (_QUERY.split(url, 1) for url in (old, new))
    before, after = (frozenset("".join(parts[1:2]).split("&")) - {""} for parts in (was, now))
    alike = was[0] == now[0] and was[2:] == now[2:]
    return (before - after, after - before) if alike and before != after else None


def _is_text(tree: RowTree, at: int) -> bool:
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
    if not text:  # where a text came there was none before
        return True
    return text in name and f" {_without_points(text)} " in f" {_without_points(name)} "


def _without_points(text: str) -> str:
    """The words of a text without the punctuation around them."""
    return " ".join(word.strip(_POINTS) or word for word in text.split())


def _tells(teller: tuple[str, str], change: tuple[str, str]) -> bool:
    return all(_says(name, text) for name, text in zip(teller, change, strict=True))
