"""Finds the tables, repeated cards and definition lists of a page (`hybridsnap.render.records`)."""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.capture.xpath import ELEMENT
from hybridsnap.model import ElementId
from hybridsnap.render.records import Record, RecordSet
from hybridsnap.render.records_columns import SEVERAL, Field, Step, align_fields
from hybridsnap.render.records_rows import DELETION, VALUED, RecordRows
from hybridsnap.render.records_tables import read_table
from hybridsnap.render.select import is_interactive
from hybridsnap.render.table_headers import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.render.content import Content

_DEFINITIONS = "DescriptionList"
#: So many siblings of one structure are cards.
_CARDS = 3
#: So many are, where each holds parts of one structure.
_WHOLES = 2
#: A card has at least so many fields; what has fewer is a list of links or words.
_FIELDS = 2
#: Cards share at least this part of their fields with the most common card.
_SHARED_FIELDS = 0.5
_SHOWN = frozenset({"image", "img"})
#: Roles whose name is their content.
_NAMED = frozenset({"heading", "link", "button", "StaticText", DELETION, *_SHOWN, *INTERACTIVE_ROLES})


def find_records(content: Content) -> list[RecordSet]:
    """The tables, cards and definition lists of a page, in document order."""
    return _Finder(content).find()


class _Group(NamedTuple):
    """Siblings that may be cards.

    Attributes:
        holder: the element that holds them; None where it has no id.
        kind: what they have in common: tag and class, or role and tag.
        cards: the rows of each.
        tops: the position of each in the DOM.
        dom: the session's; None without it.
    """

    holder: ElementId | None
    kind: tuple[str, str]
    cards: list[range]
    tops: list[int]
    dom: SessionDomIndex | None = None

    @property
    def start(self) -> int:
        """The first row."""
        return self.cards[0].start

    @property
    def end(self) -> int:
        """Behind the last row."""
        return self.cards[-1].stop


class _Finder(RecordRows):
    """Looks for records in the rows of a page."""

    def find(self) -> list[RecordSet]:
        """All sets; what stands in a card is not a set of its own, but a table is."""
        found: list[tuple[int, RecordSet]] = []
        for at, row in enumerate(self.rows):
            if row.role in TABLES:
                found.append((at, read_table(self, at)))
            elif row.role == _DEFINITIONS:
                found.append((at, self._definitions(at)))
        taken = [(at, self.ends[at]) for at, _ in found]
        cards = self._all_cards(taken)
        found += ((group.start, one) for group, one in cards)
        cards_at = {group.start: group.end for group, _ in cards}
        heading_at = self._headings(cards_at)
        return [
            one if one.name else msgspec.structs.replace(one, name=heading_at[at])
            for at, one in sorted(found, key=lambda entry: entry[0])
            if one.records
        ]

    def _headings(self, cards_at: Mapping[int, int]) -> list[str]:
        """For each row the heading before it; the headings in cards name nothing behind the cards."""
        headings: list[str] = []
        heading, before, until = "", "", 0
        for at, row in enumerate(self.rows):
            if at == until:
                heading = before if until else heading
            headings.append(heading)
            if at in cards_at:
                before, until = heading, cards_at[at]
            heading = row.name if row.role == "heading" else heading
        return headings

    # Definition lists

    def _definitions(self, list_: int) -> RecordSet:
        values: dict[str, list[str]] = {}
        urls: dict[str, list[str]] = {}
        terms: list[str] = []  # those that the next definitions are of
        is_defined = False
        at = list_ + 1
        while at < self.ends[list_]:
            role = self.rows[at].role
            if role == "term":
                terms = [*([] if is_defined else terms), self.said(at) or "term"]
                values.setdefault(terms[-1], [])
                is_defined = False
            elif role == "definition":
                is_defined = True
                for term in terms:
                    values[term].append(self.told(at))
                    if url := self.urls(range(at, self.ends[at])):
                        urls.setdefault(term, []).append(url)
            at = self.ends[at] if role in {"term", "definition"} else at + 1
        row = self.rows[list_]
        record = Record(
            row.id,
            {name: SEVERAL.join(said) for name, said in values.items()},
            self.controls(range(list_, self.ends[list_])),
            urls={name: " ".join(found) for name, found in urls.items()},
        )
        records = (record,) if values else ()
        return RecordSet("definitions", row.id, row.name, tuple(values), records)

    # Cards

    def _all_cards(self, taken: Sequence[tuple[int, int]]) -> list[tuple[_Group, RecordSet]]:
        """The sets of cards outside of what is taken, none within another."""
        groups = self._groups_of_rows() if self.nodes.content.capture is None else self._groups_of_elements()
        firsts = [first for first, _ in taken]  # in document order
        lasts = [0, *itertools.accumulate((last for _, last in taken), max)]
        outside = [one for one in groups if lasts[bisect.bisect_right(firsts, one.start)] < one.end]
        found: list[tuple[_Group, RecordSet]] = []
        until = 0
        for group in sorted(outside, key=lambda group: (group.start, -group.end)):
            if len(group.cards) < _CARDS or group.start < until:
                continue
            one = self._cards(group)
            if one is not None:
                found.append((group, one))
                until = group.end
        return self._with_wholes(found, outside)

    def _with_wholes(
        self, found: list[tuple[_Group, RecordSet]], groups: list[_Group]
    ) -> list[tuple[_Group, RecordSet]]:
        """The sets; where several are parts of siblings that have more to show, these are the cards."""
        kinds: dict[tuple[str, str], list[_Group]] = {}
        for group, one in found:
            if sum(not record.controls for record in one.records) * 2 > len(one.records):
                kinds.setdefault(group.kind, []).append(group)
        smallest_first = sorted(groups, key=lambda group: group.end - group.start)
        for parts in kinds.values():
            open_parts = sorted(parts, key=lambda part: part.start)
            starts = [part.start for part in open_parts]
            for whole in smallest_first if len(parts) >= _WHOLES else ():
                if bisect.bisect_left(starts, whole.end) - bisect.bisect_left(starts, whole.start) < _WHOLES:
                    continue
                holders = [card for card in whole.cards if self._is_whole(card, open_parts)]
                if len(holders) < _WHOLES or len(holders) * 2 < len(whole.cards):
                    continue
                cards = self._cards(whole, are_wholes=True)
                if cards is not None:
                    found = [one for one in found if not whole.start <= one[0].start < whole.end]
                    found.append((whole, cards))
                    open_parts = [part for part in open_parts if not whole.start <= part.start < whole.end]
                    starts = [part.start for part in open_parts]
        return found

    def _is_whole(self, card: range, parts: Sequence[_Group]) -> bool:
        """Whether parts stand in a card, and a picture or something to operate beside them."""
        inside = [part for part in parts if card.start <= part.start and part.end <= card.stop]
        if not inside:
            return False
        around = (at for at in card if not any(part.start <= at < part.end for part in inside))
        return any(self.rows[at].role in _SHOWN or is_interactive(self.rows[at]) for at in around)

    def _groups_of_rows(self) -> Iterator[_Group]:
        """Children of one row that have one role and tag, with what each holds."""
        for parent, children in enumerate(self.children):
            kinds: dict[tuple[str, str], list[int]] = {}
            for at in children:
                if self.ends[at] > at + 1:
                    kinds.setdefault((self.rows[at].role, self.rows[at].tag), []).append(at)
            for kind, cards in kinds.items():
                if len(cards) >= _WHOLES and kind[1] not in _NO_CARDS:
                    ranges = [range(at, self.ends[at]) for at in cards]
                    yield _Group(self.rows[parent].id, kind, ranges, cards)

    def _groups_of_elements(self) -> Iterator[_Group]:
        """Children of one element that have one tag and first class, with the rows that each holds.

        Chromium leaves most ``div`` elements out of the accessibility tree, so the DOM says where cards end.
        """
        for ordinal, (_, index, document) in self.nodes.frames.items():
            places = self._places(ordinal, index)
            positions = [position for position, _ in places]
            end = index.end_of(document)
            for here in range(document, end):
                children = index.nodes[here].children
                if len(children) < _WHOLES or index.documents[here] != document:
                    continue
                kinds: dict[tuple[str, str], dict[int, range]] = {}
                for child in children:
                    tag = child.local_name.lower()
                    if not tag or tag in _NO_CARDS or not child.children:
                        continue
                    at = index.position[child.backend_node_id]
                    first = bisect.bisect_left(positions, at)
                    last = bisect.bisect_left(positions, index.end_of(at))
                    if last - first >= _FIELDS:
                        rows = sorted(number for _, number in places[first:last])
                        class_ = (index.attribute(at, "class") or "").partition(" ")[0]
                        kinds.setdefault((tag, class_), {})[at] = range(rows[0], rows[-1] + 1)
                for kind, cards in kinds.items():
                    if len(cards) >= _WHOLES:
                        holder = ElementId(f"{ordinal}-{index.nodes[here].backend_node_id}")
                        yield _Group(holder, kind, list(cards.values()), list(cards), index)

    def _places(self, ordinal: int, index: SessionDomIndex) -> list[tuple[int, int]]:
        """The frame's rows by the position of their nodes, each with its number."""
        prefix = f"{ordinal}-"
        found = [
            (index.position_of(row.id), at)
            for at, row in enumerate(self.rows)
            if row.id is not None and row.id.startswith(prefix)
        ]
        return sorted(place for place in found if place[0] >= 0)

    def _cards(self, group: _Group, *, are_wholes: bool = False) -> RecordSet | None:
        """Siblings of one kind as records; None where too few are alike.

        Args:
            group: the siblings.
            are_wholes: it is known that each holds parts of one kind: how many parts makes no difference.
        """
        parent, cards = group.holder, group.cards
        fields = [
            list(self._fields(card, group.dom, top)) for card, top in zip(cards, group.tops, strict=True)
        ]
        keys = [frozenset(_structure(one, are_wholes=are_wholes)) for one in fields]
        common = Counter(keys).most_common(1)[0][0]
        if len(common) < _FIELDS:
            return None
        alike = [
            (card, one)
            for card, one, names in zip(cards, fields, keys, strict=True)
            if len(common & names) >= _SHARED_FIELDS * len(common | names) and len(one) >= _FIELDS
        ]
        if len(alike) < (_WHOLES if are_wholes else _CARDS) or len(alike) * 2 < len(cards):
            return None
        columns = align_fields([one for _, one in alike])
        records = tuple(
            Record(
                self.rows[card.start].id,
                {
                    column.name: said
                    for column in columns
                    if (said := SEVERAL.join(one.text for one in column.fields.get(number, ()) if one.text))
                },
                self.controls(card),
                self.number(card.start, "aria-posinset"),
                {
                    column.name: urls
                    for column in columns
                    if (urls := " ".join(one.url for one in column.fields.get(number, ()) if one.url))
                },
            )
            for number, (card, _) in enumerate(alike)
        )
        left = len(cards) - len(alike)
        notes: tuple[str, ...] = (f"{left} siblings of another structure are left out",) if left else ()
        total = self.number(cards[0].start, "aria-setsize")
        if total is not None and total > len(cards):
            notes += (f"{len(cards)} of {total} are drawn; scroll the list for the others",)
        else:
            total = None
        at = None if parent is None else self.nodes.row_at.get(parent)
        name = self.rows[at].name if at is not None and self.rows[at].role not in _ROOTS else ""
        tables = sum(self.rows[at].role in TABLES for card, _ in alike for at in card)
        if tables:
            notes += (f"{tables} tables in cards are sets of their own",)
        names = tuple(column.name for column in columns)
        return RecordSet("cards", parent, name, names, records, total, notes)

    def _fields(self, card: range, index: SessionDomIndex | None, top: int) -> Iterator[Field]:
        """What a card says, but for tables in it and lists of definitions that it is.

        Args:
            card: its rows.
            index: of its session; None without the DOM.
            top: the position of its element there.
        """
        at = card.start
        while at < card.stop:
            row = self.rows[at]
            if row.role in TABLES or (row.role == _DEFINITIONS and at == card.start):
                at = self.ends[at]
                continue
            is_prose = row.role == "paragraph" and self._is_prose(at)
            if self.ends[at] > at + 1 and row.role not in _NAMED and not is_prose:
                at += 1
                continue
            text = self.told(at, self.nodes.text(row.id) if is_prose and row.id is not None else None)
            if (text or row.role in VALUED) and row.role != "ListMarker":
                label = row.role if row.role in _NAMED - _TEXTS else "text"
                url = self.urls(range(at, self.ends[at]))
                yield Field(label, text, self._path(at, card.start, index, top), url)
            at = self.ends[at]

    def _is_prose(self, at: int) -> bool:
        """Whether a paragraph has words of its own around what stands in it, links for example."""
        inside = range(at + 1, self.ends[at])
        if any(is_interactive(self.rows[one]) and self.rows[one].role != "link" for one in inside):
            return False
        position = self.position(at)
        index = None if position < 0 else self.nodes.frames[self.rows[at].frame].dom
        return any(
            self.rows[one].role == "StaticText"
            and (index is None or index.parents[self.position(one)] == position)
            and any(map(str.isalnum, self.rows[one].name))
            for one in self.children[at]
        )

    def _path(self, at: int, first: int, index: SessionDomIndex | None, top: int) -> tuple[Step, ...]:
        """The elements from a card, without it, to a row; without the DOM, the rows."""
        path: list[Step] = []
        if index is None:
            while at > first:
                if self.rows[at].role != "StaticText":
                    path.append(Step(at, f"{self.rows[at].role} {self.rows[at].tag}", frozenset()))
                at = self.parents[at]
            return tuple(reversed(path))
        here = self.position(at)
        while here >= 0 and here != top:
            if index.nodes[here].node_type == ELEMENT:
                classes = frozenset((index.attribute(here, "class") or "").split())
                path.append(Step(here, index.tags[here], classes))
            here = index.parents[here]
        return tuple(reversed(path))


#: Roles of what is a text, whatever it is for.
_TEXTS = frozenset({"StaticText", DELETION})
_ROOTS = frozenset({"RootWebArea", "main", "generic", "none"})


def _structure(fields: Sequence[Field], *, are_wholes: bool) -> Iterator[str]:
    """What kinds of fields a card has, and unless the cards are `are_wholes`, how many of each."""
    seen: Counter[str] = Counter()
    for one in fields:
        seen[one.label] += 1
        yield one.label if are_wholes else f"{one.label} {seen[one.label]}"


#: Elements that are text or parts of tables, never cards.
_NO_CARDS = frozenset(
    {
        *("tr", "td", "th", "tbody", "thead", "tfoot", "caption", "col", "colgroup", "option", "dt", "dd"),
        *(
            "p",
            "span",
            "a",
            "b",
            "i",
            "em",
            "strong",
            "code",
            "br",
            "pre",
            "blockquote",
            "sup",
            "sub",
            "label",
        ),
        *("h1", "h2", "h3", "h4", "h5", "h6", "script", "style", "head", "body", "iframe"),
    }
)
