"""Which texts of cards stand in one column: those at the same place of each card.

A place is the path of elements from the card to the text: their tags and classes. Elements whose classes
differ, but not all of them, are one kind where each card has exactly one of them at a place (``price``,
``price sale``); so are headings of any level. Elements before and behind one that each card has once are two
kinds. What a card lacks leaves its column empty there, and moves nothing else into it.

Several texts at one place have a column each where all cards that have any have as many of them; else it is
not known which is which (one card has "New" before its price), and they share one.
"""

from __future__ import annotations

import bisect
import collections
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Between several texts in one column, as between the definitions of one term.
SEVERAL = "; "
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HEADING = "<heading>"  # no class has such a name

#: Tag, classes, and how many elements that each card has once stand before.
_Kind: TypeAlias = tuple[str, frozenset[str], int]


class Step(NamedTuple):
    """An element on the path to a text.

    Attributes:
        at: its position, which no other element of the card has.
        tag: lower-case; without the DOM, its role.
        classes: all of them.
    """

    at: int
    tag: str
    classes: frozenset[str]

    @property
    def family(self) -> str:
        """Elements of one family may be of one kind."""
        return _HEADING if self.tag in _HEADINGS else self.tag

    @property
    def marks(self) -> frozenset[str]:
        """What two elements of one kind share some of."""
        return self.classes | {_HEADING, f"<{self.tag}>"} if self.tag in _HEADINGS else self.classes


class Field(NamedTuple):
    """What a card says in one place.

    Attributes:
        label: ``heading``, ``link``, ``text``, …
        text: "" where a field is empty.
        path: from the card, without it, to the element of the text.
        url: where the links in it lead; "" where there are none.
    """

    label: str
    text: str
    path: tuple[Step, ...] = ()
    url: str = ""


class Column(NamedTuple):
    """A column: its name, and by the number of a card what the card has there."""

    name: str
    fields: dict[int, list[Field]]


def align_fields(cards: Sequence[Sequence[Field]]) -> list[Column]:
    """The columns of cards, in the order in which the cards have them.

    Cost: linear in the steps of all paths.
    """
    places = _places(cards)
    counts: dict[tuple[str, int], collections.Counter[int]] = {}
    for card, fields in enumerate(cards):
        for number, one in enumerate(fields):
            place = (one.label, places[card, number])
            counts.setdefault(place, collections.Counter())[card] += 1
    are_alike = {place: len(set(count.values())) == 1 for place, count in counts.items()}
    columns: dict[tuple[str, int, int], dict[int, list[Field]]] = {}
    rows: list[list[tuple[str, int, int]]] = []
    for card, fields in enumerate(cards):
        seen: collections.Counter[tuple[str, int]] = collections.Counter()
        row: dict[tuple[str, int, int], None] = {}
        for number, one in enumerate(fields):
            place = (one.label, places[card, number])
            key = (*place, seen[place] if are_alike[place] else 0)
            seen[place] += 1
            row[key] = None
            columns.setdefault(key, {}).setdefault(card, []).append(one)
        rows.append(list(row))
    names: collections.Counter[str] = collections.Counter()
    found: list[Column] = []
    for key in _merged(rows):
        label = key[0]
        names[label] += 1
        name = label if names[label] == 1 else f"{label} {names[label]}"
        found.append(Column(name, columns[key]))
    return found


def _places(cards: Sequence[Sequence[Field]]) -> dict[tuple[int, int], int]:
    """For each field, by the numbers of its card and of itself in it, the number of its place."""
    place = {(card, number): 0 for card, fields in enumerate(cards) for number in range(len(fields))}
    numbers = 0
    depth = 0
    open_fields = list(place)
    while open_fields:
        open_fields = [field for field in open_fields if len(cards[field[0]][field[1]].path) > depth]
        below: dict[int, dict[tuple[int, int], Step]] = {}
        for card, number in open_fields:
            step = cards[card][number].path[depth]
            below.setdefault(place[card, number], {})[card, number] = step
        for steps in below.values():
            kind_of = _kinds_at({(card, step.at): step for (card, _), step in steps.items()})
            number_of: dict[_Kind, int] = {}
            for field, step in steps.items():
                kind = kind_of[field[0], step.at]
                if kind not in number_of:
                    numbers += 1
                    number_of[kind] = numbers
                place[field] = number_of[kind]
        depth += 1
    return place


def _kinds_at(elements: dict[tuple[int, int], Step]) -> dict[tuple[int, int], _Kind]:
    """For each element at one place, by the numbers of its card and of itself, what kind it is of."""
    families: dict[str, dict[tuple[int, int], frozenset[str]]] = {}
    for element, step in elements.items():
        families.setdefault(step.family, {})[element] = step.marks
    kinds: dict[tuple[int, int], tuple[str, frozenset[str]]] = {}
    for family, marks in families.items():
        kind_of = _kinds(marks)
        kinds |= {element: (family, kind_of[one]) for element, one in marks.items()}
    cards_of: dict[tuple[str, frozenset[str]], list[int]] = {}
    for (card, _), kind in kinds.items():
        cards_of.setdefault(kind, []).append(card)
    all_cards = {card for card, _ in kinds}
    single = {kind for kind, cards in cards_of.items() if len(cards) == len(all_cards) == len(set(cards))}
    order: dict[int, list[int]] = {card: [] for card in all_cards}
    in_order: dict[int, list[tuple[str, frozenset[str]]]] = {card: [] for card in all_cards}
    for (card, at), kind in sorted(kinds.items(), key=lambda entry: entry[0]):
        if kind in single:
            order[card].append(at)
            in_order[card].append(kind)
    is_same = len(set(map(tuple, in_order.values()))) == 1
    return {
        (card, at): (*kind, bisect.bisect_left(order[card], at) if is_same else 0)
        for (card, at), kind in kinds.items()
    }


def _kinds(elements: dict[tuple[int, int], frozenset[str]]) -> dict[frozenset[str], frozenset[str]]:
    """The classes of elements of one tag at one place → the classes that stand for their kind.

    Args:
        elements: the classes of each, by the numbers of its card and of itself.
    """
    kind_of = {classes: classes for classes in elements.values()}
    if len(kind_of) == 1:
        return kind_of
    # Classes that elements share, beside others that they do not, tie them together.
    with_class: dict[str, frozenset[str]] = {}
    for classes in kind_of:
        for class_ in sorted(classes):
            first = _last(kind_of, with_class.setdefault(class_, classes))
            kind_of[_last(kind_of, classes)] = first
    tied = {classes: _last(kind_of, classes) for classes in kind_of}
    cards: dict[frozenset[str], collections.Counter[int]] = {}
    for (card, _), classes in elements.items():
        cards.setdefault(tied[classes], collections.Counter())[card] += 1
    all_cards = len({card for card, _ in elements})
    is_one = {kind: len(count) == all_cards == count.total() for kind, count in cards.items()}
    return {classes: kind if is_one[kind] else classes for classes, kind in tied.items()}


def _last(kind_of: dict[frozenset[str], frozenset[str]], classes: frozenset[str]) -> frozenset[str]:
    while kind_of[classes] != classes:
        classes = kind_of[classes]
    return classes


def _merged(rows: Iterable[Sequence[tuple[str, int, int]]]) -> list[tuple[str, int, int]]:
    """All keys once: each behind the one that it is behind in the first row that has it."""
    start = ("", -1, 0)
    next_of: dict[tuple[str, int, int], tuple[str, int, int] | None] = {start: None}
    for row in rows:
        before = start
        for key in row:
            if key not in next_of:
                next_of[key] = next_of[before]
                next_of[before] = key
            before = key
    merged: list[tuple[str, int, int]] = []
    following = next_of[start]
    while following is not None:
        merged.append(following)
        following = next_of[following]
    return merged
