"""Which texts beside an element are held as its context: `find_context` has the rules, in their order.

The context is the largest part of the page that holds only this one of its *peers*, the controls that have
its role and name. Where the controls and their texts are siblings (``<p>Ann</p><button>…``), the texts
between two of them are the context.

Its key is the first text that none of the others beside it has, with its digits masked if that is enough to
tell it apart ("Bob (3 new)"), as it stands where they are all that does, or a part of a name ("Order 1001").
A heading comes before other texts. A text that several of the others have in the same place, as a state is
("Paid"), is a key only where nothing else is: another record may come to have it. A mail address, or another
word that is made to be unique, is held beside the key. A number that counts the rows says where one stands,
and not which it is: the next record comes to have it. It is held beside a text where nothing else tells them
apart. Where each text stands beside some other, too, as few
as none of them has together are the keys ("Ann" and "Smith").
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from hybridsnap.act.context import MOST_TEXTS, OWN, Context, Key, Part
from hybridsnap.act.nearby_texts import (
    FIELDS,
    TEXT_FIELDS,
    end_of,
    fold_text,
    is_alike,
    near,
    peers_and_texts,
    rows_above,
    text_of,
)
from hybridsnap.capture.roles import CLICKABLE, INTERACTIVE_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from hybridsnap.act.nearby_texts import NearbyText
    from hybridsnap.act.structure import Joins
    from hybridsnap.model import Row

#: Texts in the same place of an element and of the nearest peers: so many peers are looked at; with no more
#: than two texts nothing is known; where at most this share of them differ they are states, and else names.
_COMPARED_PEERS, _FEW, _OF_STATES = 12, 2, 3 / 4
#: So many texts at most are held together, and sought among.
_MOST_TOGETHER = 10
#: What holds one record each.
_RECORDS = frozenset({"LayoutTableRow", "article", "group", "listitem", "row", "treeitem"})
#: What asks about a record, and what is pressed in it.
_DIALOGS, _PRESSED = frozenset({"alertdialog", "dialog"}), frozenset({"button", "link"})
#: Rows of a record at most: longer ones hold more than one thing.
_LONGEST_RECORD = 100
#: So many days at least has a month, each called by its number of at most so many digits.
_DAYS, _LONGEST_DAY = 28, 2
#: A month and its year, without a day: that changes as a day is chosen.
_MONTH = re.compile(
    r"[^\W\d_]+(?:\.|\s+de)?[\s,/-]{0,3}(?:19|20)\d\d|(?:19|20)\d\d\D{1,5}(?:[^\W\d_]+|\d\d?月)"
)
#: A year alone, and a word that may be its month.
_YEAR, _MONTH_ALONE = re.compile(r"(?:19|20)\d\d[年년]?"), re.compile(r"[^\W\d_]{2,}\.?|\d\d?[月월]")
_LONG_NUMBER = re.compile(r"\d{3}")
#: A number that may count rows: one with more digits is a number of its own.
_COUNT = re.compile(r"#?(\d{1,4})[.)]?")
_HEADINGS = frozenset({"heading", "rowheader"})


def find_context(
    rows: Sequence[Row], at: int, joins: Joins, value_of: Callable[[Row], str], *, is_shared: bool
) -> Context | None:
    """What is held of a row beside its role and name.

    1. Of a day in a calendar: its month.
    2. Of a row whose role and name no other has: what the list item, table row or article around it says.
    3. Of other rows: the texts beside it, if one of them tells it from its peers;
    4. else these texts with the values of fields and the addresses of pictures, if one of all these does;
    5. else several texts beside it, if no peer has them all ("Ann" and "Smith"), or with values;
    6. else, of a text field, that it holds no value of its peers';
    7. else the texts beside it, though peers have them, too.

    Args:
        rows: of one frame, in document order.
        at: position of the row, which has an id.
        joins: the structure behind them.
        value_of: what a field holds, or where a picture comes from.
        is_shared: another row has its role and name.

    Returns:
        None where nothing is held.
    """
    if month := _find_month(rows, at, joins):
        return month
    if not is_shared:
        return _find_record(rows, at, joins)
    beside = _find_beside(rows, at, joins)
    if beside is not None and beside.tells_apart and not (beside.is_counted or beside.parts[0].together):
        return beside
    by_value = _find_beside(rows, at, joins, value_of)
    if by_value is not None:
        by_value = dataclasses.replace(by_value, of_values=True)
    telling = [one for one in (beside, by_value) if one is not None and one.tells_apart]
    if not telling:
        return _find_own_value(rows, at, value_of) or beside
    return min(telling, key=lambda one: (one.is_counted, one.parts[0].together))


def _find_month(rows: Sequence[Row], at: int, joins: Joins) -> Context | None:
    """Of a day in a calendar that is called by its number alone: the month above it ("May 2026").

    Or the year above it and the month beside that, each in a text, a button or a select of its own.
    """
    own = rows[at]
    if not _is_day(own.name):
        return None
    days = {rows[n].name for n in near(rows, at) if rows[n].role == own.role and _is_day(rows[n].name)}
    if len(days) < _DAYS:
        return None
    for n in range(at - 1, near(rows, at).start - 1, -1):
        month = _in_header(rows, n)
        if month is not None and _MONTH.fullmatch(month.shown):
            return _of_month(rows, at, joins, [month])
        if month is not None and _YEAR.fullmatch(month.shown):
            return _of_month(rows, at, joins, [*_months_beside(rows, n, joins), month])
    return None


def _of_month(rows: Sequence[Row], at: int, joins: Joins, texts: Sequence[NearbyText]) -> Context | None:
    own, ids = rows[at].id, [text.id for text in texts if text.id is not None]
    assert own is not None
    levels = [level for level in joins.levels(own, ids) if level is not None]
    if len(levels) < len(texts):
        return None
    of_values = any(rows[n].id in ids and rows[n].tag == "select" for n in near(rows, at))
    return dataclasses.replace(_of_texts(texts, max(levels), masked=False), of_values=of_values)


def _months_beside(rows: Sequence[Row], year: int, joins: Joins) -> list[NearbyText]:
    """The words that stand nearest to a year, and may be its month."""
    said = [_in_header(rows, n) for n in near(rows, year) if n != year and abs(n - year) <= MOST_TEXTS]
    words = [one for one in said if one is not None and _MONTH_ALONE.fullmatch(one.shown)]
    id_ = rows[year].id
    assert id_ is not None
    levels = joins.levels(id_, [one.id for one in words if one.id is not None])
    known = [(level, one) for level, one in zip(levels, words, strict=True) if level is not None]
    nearest = min((level for level, _ in known), default=0)
    return [one for level, one in known if level == nearest]


def _in_header(rows: Sequence[Row], at: int) -> NearbyText | None:
    """What a row of a calendar's header says, or what is chosen in it."""
    row = rows[at]
    if row.id is None:
        return None
    return fold_text(row.value, id_=row.id) if row.tag == "select" else text_of(rows, at)


def _is_day(name: str) -> bool:
    return name.isdecimal() and len(name) <= _LONGEST_DAY


def _find_record(rows: Sequence[Row], at: int, joins: Joins) -> Context | None:
    """What the list item, table row or article around a row says.

    A list of one record may show another in the same nodes. Held is its heading, an identifier, or the first
    text before the control: what stands behind that may be its state, which an action changes. A dialog may
    ask about another record, too: its name or heading is held of what is pressed in it.
    """
    own = rows[at]
    if own.role not in INTERACTIVE_ROLES and CLICKABLE not in own.states:
        return None
    roles = _RECORDS | _DIALOGS if own.role in _PRESSED else _RECORDS
    holder = next((n for n in rows_above(rows, at) if rows[n].role in roles), None)
    if holder is None or (end := end_of(rows, holder)) - holder > _LONGEST_RECORD:
        return None
    # What describes a field, as an error does, comes and goes as that is used, or as a press takes the focus.
    described = {fold_text(rows[n].description).plain for n in range(holder, end) if rows[n].description}
    names: list[tuple[bool, bool, bool, int]] = []
    _, texts = peers_and_texts(rows, at, joins)
    for n, text in texts.items():
        is_within = holder <= n < end and abs(n - at) <= MOST_TEXTS and text.level > 0
        if is_within and text.has_letters and not text.of_control and text.plain not in described:
            names.append((n != holder and not _is_heading(rows, n), not text.is_identifier, n > at, n))
    if not names:
        return None
    is_no_heading, *_, first = min(names)
    if is_no_heading and (first > at or rows[holder].role in _DIALOGS):
        return None
    key = texts[first]
    # "Order 1001", and not "Adults 2".
    is_masked = not (key.is_numbered and _LONG_NUMBER.search(key.shown))
    return _of_texts([key], key.level, masked=is_masked)


def _of_texts(texts: Sequence[NearbyText], level: int, *, masked: bool) -> Context:
    """Where all of some texts have to stay."""
    part = Part("", tuple(texts), tuple(Key(one, masked) for one in texts), frozenset(), is_whole=False)
    return Context(level, (part,), is_only=True)


def _find_own_value(rows: Sequence[Row], at: int, value_of: Callable[[Row], str]) -> Context | None:
    """Of a field that only its value tells from others: it may get another, but none of theirs."""
    own = fold_text(value_of(rows[at]))
    peers = (n for n in near(rows, at) if n != at and is_alike(rows[n], rows[at]))
    others = frozenset(fold_text(value_of(rows[n])).plain for n in peers) - {""}
    if not others or own.plain in others or rows[at].role not in TEXT_FIELDS:
        return None
    part = Part(OWN, (own,), (Key(own, masked=False),), others, is_whole=False)
    return Context(0, (part,), of_values=True)


def _find_beside(
    rows: Sequence[Row], at: int, joins: Joins, value_of: Callable[[Row], str] | None = None
) -> Context | None:
    """The texts that stand nearer to a row than its peers, or between it and the next of them."""
    own = rows[at]
    if own.role == "MenuListPopup":
        return None
    peers, texts = peers_and_texts(rows, at, joins, value_of)
    texts |= _judged(rows, at, peers, texts)
    within = [text for text in texts.values() if text.level == 0]
    beside = {n: text for n, text in texts.items() if text.level > 0}
    if not own.name and within and own.role not in FIELDS:
        # A row or a list item that is called nothing is what it holds.
        if len(within) > MOST_TEXTS:
            return None
        return Context(0, (_build_part("", within, beside.values(), ahead=0),))
    for bound in sorted(set(peers.values())):
        at_bound = {n: text for n, text in beside.items() if text.level == bound}
        inside = {n: text for n, text in beside.items() if text.level < bound}
        if inside:
            around = _around(at, inside, at_bound.values())
            is_told = around.tells_apart and not around.is_counted
            columns = {} if is_told else _columns(rows, at, texts, inside, peers, peers)
            return _together(around, inside, columns)
        if value_of is not None and not own.name and own.role == "generic":
            continue  # script does not tell its peers from whatever else says nothing
        if parts := _between(at, [n for n, level in peers.items() if level == bound], at_bound):
            return Context(bound, parts)
    return dataclasses.replace(_around(at, beside, ()), is_common=bool(peers)) if beside else None


def _around(at: int, texts: Mapping[int, NearbyText], others: Collection[NearbyText]) -> Context:
    """The texts around an element, up to the highest level that holds no more of them than a card does."""
    inside = texts
    for level in sorted({text.level for text in texts.values()}, reverse=True):
        inside = {n: text for n, text in texts.items() if text.level <= level}
        if len(inside) <= MOST_TEXTS:
            break
    nearest = sorted(sorted(inside, key=lambda n: abs(n - at))[:MOST_TEXTS])
    part = _build_part(
        "",
        [inside[n] for n in nearest],
        others,
        ahead=bisect_left(nearest, at),
        is_whole=len(nearest) == len(inside),
    )
    return Context(max(text.level for text in inside.values()), (part,))


def _between(at: int, peers: Collection[int], texts: Mapping[int, NearbyText]) -> tuple[Part, ...]:
    """The texts between an element and the next of its peers, where all are siblings."""
    line = sorted([at, *peers])
    here = line.index(at)
    start = line[here - 1] if here else -1
    end = line[here + 1] if here + 1 < len(line) else None
    before = [n for n in texts if start < n < at]
    behind = [n for n in texts if n > at and (end is None or n < end)]
    leads, trails = any(n < line[0] for n in texts), any(n > line[-1] for n in texts)
    sides = {"before": before, "behind": behind}
    if leads != trails and before and behind:
        # A list that begins with a text and ends with a control has each control behind its text.
        sides.pop("behind" if leads else "before")
    # Before the first of them and behind the last anything may stand: no more counts than between two others.
    gaps = [sum(1 for n in texts if one < n < other) for one, other in itertools.pairwise(line)]
    most = min(MOST_TEXTS, max(1, *gaps))
    parts: list[Part] = []
    for side, own in sides.items():
        if own:
            nearest = own[-most:] if side == "before" else own[:most]
            part = _build_part(
                side,
                [texts[n] for n in nearest],
                [text for n, text in texts.items() if n not in own],
                ahead=len(nearest) if side == "before" else 0,
                is_whole=len(nearest) == len(own),
            )
            parts.append(part)
    return tuple(parts)


def _together(
    around: Context, texts: Mapping[int, NearbyText], columns: Mapping[int, Mapping[int, NearbyText]]
) -> Context:
    """What is around an element with as few keys as no peer has together; as it is where any has them all.

    `columns` is empty where one of the texts of its record tells the element apart.
    """
    (part,) = around.parts
    peers = {peer for column in columns.values() for peer in column}

    def is_telling(positions: Collection[int], form: Callable[[int, NearbyText], str]) -> bool:
        return not any(
            all(peer in columns[n] and form(n, columns[n][peer]) == form(n, texts[n]) for n in positions)
            for peer in peers
        )

    named = (n for n in columns if not (texts[n].of_control or texts[n].is_position))
    kept = [n for n in named if texts[n] in part.texts][:_MOST_TOGETHER]
    if not peers or not is_telling(kept, lambda _, text: text.plain):
        return around
    # The first texts stay, and words rather than numbers.
    for n in sorted(kept, key=lambda n: (texts[n].has_letters and texts[n].plain == texts[n].masked, -n)):
        fewer = [one for one in kept if one != n]
        if fewer and is_telling(fewer, lambda _, text: text.plain):
            kept = fewer
    masked = {n for n in kept if texts[n].has_letters and not texts[n].is_numbered}
    if not is_telling(kept, lambda n, text: text.masked if n in masked else text.plain):
        masked = set()
    keys = tuple(Key(texts[n], n in masked) for n in kept)
    return dataclasses.replace(around, parts=(dataclasses.replace(part, keys=keys, together=True),))


def _columns(
    rows: Sequence[Row],
    at: int,
    texts: Mapping[int, NearbyText],
    own: Collection[int],
    peers: Mapping[int, int],
    compared: Collection[int],
) -> dict[int, dict[int, NearbyText]]:
    """Position of each of a row's own texts → peer → the text in the same place beside that peer.

    Of the texts near the row `own` are compared, with those of the `compared` peers.
    """
    line = sorted((at, *peers))

    def place_of(n: int, by: int) -> tuple[str, int, int]:
        first, last = sorted((n, by))
        return (
            rows[n].role,
            rows[n].depth - rows[by].depth,
            bisect_left(line, last) - bisect_right(line, first),
        )

    columns: dict[int, dict[int, NearbyText]] = {}
    for n in own:
        if abs(n - at) > MOST_TEXTS:
            continue
        place = place_of(n, at)
        others = ((peer, peer + n - at) for peer in compared if peers[peer] >= texts[n].level)
        columns[n] = {peer: texts[m] for peer, m in others if m in texts and place_of(m, peer) == place}
    return columns


def _judged(
    rows: Sequence[Row], at: int, peers: Mapping[int, int], texts: Mapping[int, NearbyText]
) -> dict[int, NearbyText]:
    """Texts near a row, judged by the texts in the same place beside its peers."""
    nearest = sorted(peers, key=lambda n: abs(n - at))[:_COMPARED_PEERS]
    others_near = (rows[n] for n in near(rows, at) if n != at and n not in peers)
    labels = {fold_text(row.name).plain for row in others_near if row.name and row.role in FIELDS}
    found: dict[int, NearbyText] = {}
    for n, others in _columns(rows, at, texts, texts, peers, nearest).items():
        text = texts[n]
        column = [text, *others.values()]
        share = len({one.plain for one in column}) / len(column) if len(column) > _FEW else None
        is_distinct = share == 1 and (text.is_numbered or len({one.masked for one in column}) == len(column))
        found[n] = dataclasses.replace(
            text,
            of_control=(text.of_control or text.plain in labels) and share != 1,
            is_state=share is not None and share <= _OF_STATES,
            is_distinct=is_distinct,
            is_heading=_is_heading(rows, n),
            is_position=_is_count([one.plain for _, one in sorted({at: text, **others}.items())]),
        )
    return found


def _is_count(texts: Sequence[str]) -> bool:
    """Whether some texts, in document order, are numbers that go on by one."""
    counts = [_COUNT.fullmatch(one) for one in texts]
    numbers = [int(one[1]) for one in counts if one is not None]
    pairs = itertools.pairwise(numbers)
    return len(numbers) == len(texts) > 1 and all(other == one + 1 for one, other in pairs)


def _is_heading(rows: Sequence[Row], at: int) -> bool:
    """Whether a row is a heading, or stands in one."""
    parent = next((n for n in range(at - 1, -1, -1) if rows[n].depth < rows[at].depth), at)
    return rows[at].role in _HEADINGS or rows[parent].role in _HEADINGS


def _build_part(
    side: str,
    texts: Sequence[NearbyText],
    others: Collection[NearbyText],
    *,
    ahead: int,
    is_whole: bool = True,
) -> Part:
    """The texts on one side, with their keys; see `Part`."""
    plain = frozenset(one.plain for one in others)
    masked = frozenset(one.masked for one in others)
    keys = _choose_keys(texts, plain, masked)
    return Part(side, tuple(texts), keys, plain, is_whole, ahead)


def _choose_keys(
    texts: Sequence[NearbyText], plain: frozenset[str], masked: frozenset[str]
) -> tuple[Key, ...]:
    """Those of some texts that tell them from the others, whose texts are given plain and masked."""
    own = [one for one in texts if not one.of_control] or list(texts)
    said = [one for one in own if not one.is_position] or own
    names = sorted((one for one in said if not one.is_state), key=lambda one: not one.is_heading)
    key = _first_apart(names, plain, masked) or _first_apart(said, plain, masked)
    if key is None:
        # The same stands beside another: what both are called has to stay, and how the row is counted.
        count = next((one for one in texts if one.is_position and one.plain not in plain), None)
        shared = next((one for one in said if one.has_letters), None)
        return tuple(Key(one, masked=one is shared) for one in (count, shared) if one is not None)
    is_masked = key.has_letters and key.masked not in masked and not key.is_numbered
    keys = [Key(key, is_masked)]
    # "Order 1001" before a word that no other record has: one of the next page's may have that.
    said_first = names[: names.index(key)] if key in names else names
    number = next((one for one in said_first if one.is_numbered and one.plain not in plain), None)
    if number is not None:
        keys.insert(0, Key(number, masked=False))
    # The next page may have another Ann: her mail address is held, too; where names repeat, any text that
    # differs in each record.
    further = (one for one in names if one.is_distinct and one is not key and one is not number)
    second = next((one for one in further if one.is_identifier or not key.is_distinct), None)
    if second is not None and second.plain not in plain:
        keys.append(Key(second, not second.is_numbered))
    return tuple(keys)


def _first_apart(
    texts: Sequence[NearbyText], plain: frozenset[str], masked: frozenset[str]
) -> NearbyText | None:
    """The first text that none of the others has: with its digits masked, else as it stands."""
    found = next((one for one in texts if one.has_letters and one.masked not in masked), None)
    return found or next((one for one in texts if one.plain not in plain), None)
