"""What an element stands in, where its role and name do not tell it from others: its row, list item, card.

When ten buttons are called "Delete", only the text beside each tells which one was meant. Frameworks also
reuse nodes: after Ann's row has gone, Bob's button stands beside "Cid". So the element's id also holds its
*context*: the texts of the largest part of the page that holds this one such control, as the snapshot's rows
had them. Where the controls and their texts are siblings (``<p>Ann</p><button>…``), the texts between two
such controls are the context.

Much may change in a context that is still the same: counters, times, prices, marks. What may not is its
*key*: the first text that none of the others beside it has, with its digits masked if that is enough to tell
it apart ("Bob (3 new)"), as it stands where they are all that does, or a part of a name ("Order 1001"). A
heading comes before other texts. A text that several of the others have in the same place, as a state is
("Paid"), is a key only where nothing else is: another record may come to have it. A mail address, or another
word that is made to be unique, is held beside the key.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import unicodedata
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from hybridsnap.capture.roles import CLICKABLE, EDITABLE, INTERACTIVE_ROLES
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hybridsnap.act.structure import Joins, PartStructure
    from hybridsnap.model import ElementId, Row

#: Rows before and behind an element among which its context, and the others beside it, are sought.
_NEAR = 400
#: A container with more texts than this is neither a row nor a card: then the nearest texts count.
_MOST_TEXTS = 40
#: So much of a text is compared; the live side is cut likewise.
_COMPARED = 200
_DIGITS = re.compile(r"\d+")
#: A number as names have it ("iPhone 14", "Pixel 8 Pro"), where nothing or a word with a capital follows;
#: counters and times stand before what they count ("3 new", "(3)", "5 min ago").
_NUMBER_IN_NAME = re.compile(r"[^\W\d_][\s#_-]*\d+(?:$|\s+(?P<next>\w))")
#: One word that is made to be unique: a mail address, an article's or a customer's number.
_IDENTIFIER = re.compile(r"[^\W\d_][\w.+/-]*[@\d][\w.@+/-]*")
#: Texts in the same place of an element and of the nearest others: so many others are looked at; with no more
#: than two texts nothing is known; where at most this share of them differ they are states, and else names.
_COMPARED_PEERS, _FEW, _OF_STATES = 12, 2, 3 / 4
#: What is called by its label, shows what was typed or chosen, or stands in no document of the page's.
_FIELDS = frozenset({
    "ColorWell", "Date", "DateTime", "InputTime", "MenuListPopup", "combobox", "listbox", "meter", "option",
    "progressbar", "searchbox", "slider", "spinbutton", "textbox",
})  # fmt: skip
#: The side of what a field holds itself.
_OWN = "own"
#: So much of a picture's address is compared, as `injected/proof.js` cuts it.
_PICTURES, _END_OF_URL = frozenset({"image", "img"}), 150
#: Fields whose value is text.
_TYPED = frozenset({"searchbox", "textbox"})
#: No texts of theirs: fields, and the numbers of list items, that tell where an item stands, and not which.
_SILENT = _FIELDS | {"ListMarker"}
#: What stands in these was typed, chosen or drawn by the browser; `injected/proof.js` passes it over.
_HOLD_VALUES = frozenset({"input", "select", "textarea"})
#: What stands in these says their value; `injected/proof.js` passes it over, too.
_OF_RANGE = frozenset({"meter", "progressbar", "scrollbar", "slider", "spinbutton"})
#: What holds one record each.
_RECORDS = frozenset({"LayoutTableRow", "article", "group", "listitem", "row", "treeitem"})
#: Rows of a record at most: longer ones hold more than one thing.
_LONGEST_RECORD = 100
#: So many days at least has a month, each called by its number of at most so many digits.
_DAYS, _LONGEST_DAY = 28, 2
_LONG_NUMBER = re.compile(r"\d{3}")
#: A month and its year, without a day: that changes as a day is chosen.
_MONTH = re.compile(r"(?:[^\W\d_]+\D{0,5}(?:19|20)\d\d|(?:19|20)\d\d\D{1,5}(?:[^\W\d_]+|\d\d?月))")
_HEADINGS = frozenset({"heading", "rowheader"})
#: Containers whose name is an attribute of theirs, and not the sum of the texts in them.
_NAMED_CONTAINERS = frozenset({"article", "dialog", "figure", "form", "group", "listitem", "region"})


@dataclasses.dataclass(frozen=True, slots=True)
class _Text:
    """One text of a context, in the form in which texts are compared."""

    plain: str
    #: Digits as ``#``.
    masked: str
    #: As it was shown, for messages.
    shown: str
    #: What a control is called, that may change as it is used.
    of_control: bool = False
    #: What several of the others have, too, each in the same place.
    is_state: bool = False
    #: In the same place each of the others has another, counters aside.
    is_distinct: bool = False
    #: Of a heading, or in one.
    is_heading: bool = False
    #: Of its row.
    id: ElementId | None = dataclasses.field(default=None, compare=False)

    @property
    def has_letters(self) -> bool:
        return any(one.isalpha() for one in self.masked)

    @property
    def is_numbered(self) -> bool:
        """Whether a number is a part of what it names."""
        found = (one["next"] for one in _NUMBER_IN_NAME.finditer(self.shown))
        return self.is_identifier or any(one is None or one.isupper() or one.isdigit() for one in found)

    @property
    def is_identifier(self) -> bool:
        """Whether it is one word that is made to be unique."""
        return _IDENTIFIER.fullmatch(self.shown) is not None


@dataclasses.dataclass(frozen=True, slots=True)
class _Part:
    """Texts of which one is the key.

    Attributes:
        side: "before" or "behind" the element, up to the next such control; "" for all around; `_OWN`.
        texts: as they were shown, in document order.
        key: the one that tells it from the others; None where none does.
        masked: the key counts with its digits masked.
        foreign: texts of the others beside it.
        is_whole: these are all texts on that side.
        ahead: so many of them stand before the element.
    """

    side: str
    texts: tuple[_Text, ...]
    key: _Text | None
    masked: bool
    foreign: frozenset[str]
    is_whole: bool = True
    ahead: int = 0

    def form(self, text: _Text) -> str:
        """A text as it is compared here."""
        return text.masked if self.masked else text.plain


@dataclasses.dataclass(frozen=True, slots=True)
class Context:
    """What an element was shown in.

    Attributes:
        level: how many levels above the element it begins; 0 for what the element itself holds.
        parts: each of which has to be what it was.
        is_only: no other element had its role and name.
        is_common: all others of its role and name stand in it, too.
        of_values: the values of fields and the addresses of pictures count among its texts.
    """

    level: int
    parts: tuple[_Part, ...]
    is_only: bool = False
    of_values: bool = False
    is_common: bool = False

    @property
    def tells(self) -> bool:
        """Whether a text is held that none of the others beside it has."""
        return not self.is_common and any(
            part.key is not None and part.key.plain not in part.foreign for part in self.parts
        )

    @property
    def label(self) -> str:
        """What it is called in messages; "" where nothing tells it apart."""
        return next((part.key.shown for part in self.parts if part.key is not None), "")

    @property
    def telling(self) -> str:
        """`label`, where it is a text that no other record beside it has; else ""."""
        return self.label if self.tells and not self.of_values else ""

    def found_near(self, rows: Sequence[Row], at: int) -> tuple[str, Context | None]:
        """`label`, when it stands between a row and the next of its kind, and what is held of the row then.

        Args:
            rows: of one frame, in document order; nothing is known of the structure behind them.
            at: position of the row.

        Returns:
            "" and None otherwise.
        """
        # A header's button is not that of the row below it.
        holder = max((n for n in _ancestors(rows, at) if rows[n].role == "row"), default=-1)
        end = len(rows) if holder < 0 else _end(rows, holder)
        # Of several on one side the first is what names it.
        for part in {one.side: one for one in reversed(self.parts)}.values():
            if part.key is None:
                continue
            # On the other side stands what tells the next row apart.
            step = -1 if part.key in part.texts[: part.ahead] else 1
            n = at + step
            while (
                max(holder, 0) <= n < end and abs(n - at) <= _MOST_TEXTS and not is_alike(rows[n], rows[at])
            ):
                text = _text_of(rows, n)
                if text is not None and part.form(text) == part.form(part.key):
                    return text.shown, dataclasses.replace(self, parts=(part,))
                n += step
        return "", None

    @property
    def keys(self) -> list[dict[str, str | bool]]:
        """The texts that have to stay, as `injected/proof.js` takes them."""
        return [
            {"side": part.side, "text": part.form(part.key), "masked": part.masked}
            for part in self.parts
            if part.key is not None and part.side != _OWN
        ]

    @property
    def key_ids(self) -> list[ElementId]:
        """The elements whose texts have to stay."""
        return [part.key.id for part in self.parts if part.key is not None and part.key.id is not None]

    def says(self, other: Context) -> bool:
        """Whether the texts that have to stay in another context stand in this one."""
        said = {text.plain for part in self.parts for text in part.texts}
        masked = {text.masked for part in self.parts for text in part.texts}
        return all(
            part.key is None or part.form(part.key) in (masked if part.masked else said)
            for part in other.parts
        )

    @property
    def taken_values(self) -> list[str]:
        """What a field must not hold, since others hold it, as `injected/proof.js` takes it."""
        return sorted(one for part in self.parts if part.side == _OWN for one in part.foreign)

    def holds(self, before: Sequence[str | None], behind: Sequence[str | None]) -> bool:
        """Whether it still is what it was.

        Args:
            before: the texts before the element now; None stands for another such control.
            behind: likewise.
        """
        return all(_holds(part, before, behind) for part in self.parts)


def find_context(
    rows: Sequence[Row], at: int, joins: Joins, value_of: Callable[[Row], str]
) -> Context | None:
    """The context of a row.

    Args:
        rows: of one frame, in document order.
        at: position of the row.
        joins: the structure behind them.
        value_of: what a field holds, or where a picture comes from: held where no text tells rows apart.

    Returns:
        None where nothing stands beside it.
    """
    found = _find_context(rows, at, joins, None)
    if found is not None and found.tells:
        return found
    by_value = _find_context(rows, at, joins, value_of)
    if by_value is None or not by_value.tells:
        by_value = _own_value(rows, at, value_of)
    if by_value is None:
        return found
    return dataclasses.replace(by_value, of_values=True)


def _own_value(rows: Sequence[Row], at: int, value_of: Callable[[Row], str]) -> Context | None:
    """Of a field that only its value tells from others: it may get another, but none of theirs."""
    own = _text(value_of(rows[at]))
    near = (n for n in range(max(0, at - _NEAR), min(len(rows), at + _NEAR + 1)) if n != at)
    others = frozenset(_text(value_of(rows[n])).plain for n in near if is_alike(rows[n], rows[at])) - {""}
    if not others or own.plain in others or rows[at].role not in _TYPED:
        return None
    return Context(0, (_Part(_OWN, (own,), own, False, others, is_whole=False),), of_values=True)


def _find_context(
    rows: Sequence[Row], at: int, joins: Joins, value_of: Callable[[Row], str] | None
) -> Context | None:
    own = rows[at]
    if own.role == "MenuListPopup":
        return None
    peers, texts = _around(rows, at, joins, value_of)
    texts |= _judged(rows, at, peers, texts)
    within = {n: texts.pop(n) for n in list(texts) if not texts[n][0]}
    if not own.name and within and own.role not in _FIELDS:
        # A row or a list item that is called nothing is what it holds.
        others = [text for _, text in texts.values()]
        if len(within) > _MOST_TEXTS:
            return None
        return Context(0, _parts("", [text for _, text in within.values()], others, ahead=0))
    for bound in (*sorted(set(peers.values())), None):
        inside = {n: one for n, one in texts.items() if bound is None or one[0] < bound}
        if inside:
            inside = _limited(inside)
            level = max(level for level, _ in inside.values())
            near = sorted(inside, key=lambda n: abs(n - at))[:_MOST_TEXTS]
            others = [text for n, (its, text) in texts.items() if its == bound and n not in inside]
            near.sort()
            own_texts = [inside[n][1] for n in near]
            ahead, is_whole = bisect_left(near, at), len(near) == len(inside)
            parts = _parts("", own_texts, others, ahead=ahead, is_whole=is_whole)
            return Context(level, parts, is_common=bound is None and bool(peers))
        if bound is not None:
            parts = _between(at, bound, peers, texts)
            if parts:
                return Context(bound, parts)
    return None


def find_single_context(rows: Sequence[Row], at: int, joins: Joins) -> Context | None:
    """The context of a row that no other has the role and name of: what its list item says.

    A list of one record may show another in the same nodes. Held is its heading, an identifier, or the first
    text before the control: what stands behind that may be its state, which an action changes.

    Args:
        rows: of one frame, in document order.
        at: position of the row.
        joins: the structure behind them.

    Returns:
        None outside of list items, table rows and articles.
    """
    own = rows[at]
    if own.role not in INTERACTIVE_ROLES and CLICKABLE not in own.states:
        return None
    holder = next((n for n in sorted(_ancestors(rows, at), reverse=True) if rows[n].role in _RECORDS), None)
    if holder is None or _end(rows, holder) - holder > _LONGEST_RECORD:
        return None
    _, texts = _around(rows, at, joins)
    end = _end(rows, holder)
    inside = {n: one for n, one in _judged(rows, at, {}, texts).items() if holder <= n < end and one[0]}
    # What describes a field, as an error does, comes and goes as that is used, or as a press takes the focus.
    said = {_text(rows[n].description).plain for n in range(holder, end) if rows[n].description}
    inside = {n: one for n, one in inside.items() if one[1].plain not in said}
    named = [n for n in sorted(inside) if inside[n][1].has_letters and not inside[n][1].of_control]
    named.sort(key=lambda n: (not inside[n][1].is_heading, not inside[n][1].is_identifier, n > at))
    if not named or not (named[0] < at or inside[named[0]][1].is_heading):
        return None
    level, key = inside[named[0]]
    # "Order 1001", and not "Adults 2".
    is_masked = not (key.is_numbered and _LONG_NUMBER.search(key.shown))
    part = _Part("", (key,), key, is_masked, frozenset(), is_whole=False)
    return Context(level, (part,), is_only=True)


def find_month(rows: Sequence[Row], at: int, joins: Joins) -> Context | None:
    """Of a day in a calendar that is called by its number alone: the month above it ("May 2026").

    Args:
        rows: of one frame, in document order.
        at: position of the row.
        joins: the structure behind them.

    Returns:
        None if the row is not such a day, or if no row before it names a month and a year.
    """
    own = rows[at]
    if not _is_day(own.name) or own.id is None:
        return None
    near = range(max(0, at - _NEAR), min(len(rows), at + _NEAR + 1))
    days = {rows[n].name for n in near if rows[n].role == own.role and _is_day(rows[n].name)}
    if len(days) < _DAYS:
        return None
    for n in range(at - 1, near.start - 1, -1):
        said, id_ = _text_of(rows, n), rows[n].id
        if said is None or id_ is None or not _MONTH.fullmatch(said.shown):
            continue
        (level,) = joins.levels(own.id, [id_])
        if level is None:
            return None
        part = _Part("", (said,), said, False, frozenset(), is_whole=False)
        return Context(level, (part,), is_only=True)
    return None


def _is_day(name: str) -> bool:
    return name.isdecimal() and len(name) <= _LONGEST_DAY


def texts_beside(
    rows: Sequence[Row], at: int, joins: PartStructure, *, inside: bool = False
) -> tuple[list[str | None], list[str | None]]:
    """The texts before and behind a row, as `Context.holds` takes them.

    Args:
        rows: of the part of the page that the context begins at, in document order.
        at: position of the row.
        joins: the structure behind them.
        inside: what the row holds is its context.
    """
    peers, texts = _around(rows, at, joins)
    own = _text(rows[at].name).plain if CLICKABLE in rows[at].states else ""
    said: dict[int, str | None] = {n: text.shown for n, (_, text) in texts.items()}
    for n, (level, text) in texts.items():
        # Nothing is known of what has become clickable since: what says the same may be another such control.
        if text.plain == own and level == joins.TOP and rows[n].role not in INTERACTIVE_ROLES:
            said[n] = None
    # Those that share more with the row than its context share that, too.
    said |= dict.fromkeys(n for n, level in peers.items() if level == joins.TOP)
    end = _end(rows, at)
    return [said[n] for n in sorted(said) if n < at], [
        said[n] for n in sorted(said) if n >= end or (inside and n > at)
    ]


def _around(
    rows: Sequence[Row], at: int, joins: Joins, value_of: Callable[[Row], str] | None = None
) -> tuple[dict[int, int], dict[int, tuple[int, _Text]]]:
    """Other rows of a row's role and name, with the level at which each joins it; and the texts, likewise."""
    own = rows[at]
    levels = _levels(rows, at, joins)
    peers: dict[int, int] = {}
    texts: dict[int, tuple[int, _Text]] = {}
    passed: int | None = None  # the depth of the row whose content counts for nothing: a peer, a field
    around = _ancestors(rows, at)
    for n, level in levels.items():
        if n == at + 1:
            passed = own.depth if _holds_value(own) else None
        if passed is not None and rows[n].depth <= passed:
            passed = None
        if passed is not None or level is None:
            continue
        if level and n not in around and is_alike(rows[n], rows[at]):
            peers[n], passed = level, rows[n].depth
            continue
        text = _text_of(rows, n)
        if value_of is not None and (value := _text(value_of(rows[n]))).plain:
            text = value
        if text is not None:
            texts[n] = (level, text)
        if n not in around and _holds_value(rows[n]):
            passed = rows[n].depth
    if own.role == "slider":
        # What says the value of a slider changes as that is moved, and so it does beside the next one.
        values = {_text(rows[n].value).plain for n in (at, *peers)}
        texts = {n: one for n, one in texts.items() if one[1].has_letters or one[1].plain not in values}
    return peers, texts


def _levels(rows: Sequence[Row], at: int, joins: Joins) -> dict[int, int | None]:
    """The level at which each row near a row joins it; 0 of what it holds, wherever that is in the DOM."""
    near = [n for n in range(max(0, at - _NEAR), min(len(rows), at + _NEAR + 1)) if n != at]
    ids = {n: id_ for n in near if (id_ := rows[n].id) is not None}
    own = rows[at].id
    assert own is not None
    known = dict(zip(ids, joins.levels(own, list(ids.values())), strict=True))
    around = _ancestors(rows, at)
    beside = (level for n, level in known.items() if level is not None and n not in around)
    farthest = max(beside, default=1)
    end = _end(rows, at)
    levels: dict[int, int | None] = {}
    above: list[int] = []
    for n in near:
        while above and rows[above[-1]].depth >= rows[n].depth:
            above.pop()
        if at < n < end:
            levels[n] = 0
        elif n in known:
            levels[n] = known[n]
        else:
            # What a style sheet made has no id: it stands in the row around it. The body may have no row.
            level = levels[above[-1]] if above else farthest
            levels[n] = None if level is None else min(level, farthest)
        above.append(n)
    return levels


def _end(rows: Sequence[Row], at: int) -> int:
    """The position of the first row behind a row that it does not hold."""
    return next((n for n in range(at + 1, len(rows)) if rows[n].depth <= rows[at].depth), len(rows))


def _holds_value(row: Row) -> bool:
    """Whether what stands in a row was typed or chosen, or says where between two ends it stands."""
    return (
        row.tag in _HOLD_VALUES or row.role in _OF_RANGE or (row.role in _FIELDS and EDITABLE in row.states)
    )


def _ancestors(rows: Sequence[Row], at: int) -> set[int]:
    """The positions of the rows around a row, as far as they are near."""
    found: set[int] = set()
    depth = rows[at].depth
    for n in range(at - 1, max(-1, at - _NEAR - 1), -1):
        if rows[n].depth < depth:
            found.add(n)
            depth = rows[n].depth
    return found


def _limited(inside: dict[int, tuple[int, _Text]]) -> dict[int, tuple[int, _Text]]:
    """The texts up to the highest level that holds no more than a card does."""
    found = inside
    for level in sorted({level for level, _ in inside.values()}, reverse=True):
        found = {n: one for n, one in inside.items() if one[0] <= level}
        if len(found) <= _MOST_TEXTS:
            break
    return found


def _between(
    at: int, bound: int, peers: dict[int, int], texts: dict[int, tuple[int, _Text]]
) -> tuple[_Part, ...]:
    """The texts between an element and the next of its kind, where all are siblings."""
    line = sorted([at, *(n for n, level in peers.items() if level == bound)])
    here = line.index(at)
    start = line[here - 1] if here else -1
    end = line[here + 1] if here + 1 < len(line) else None
    beside = {n: text for n, (level, text) in texts.items() if level == bound}
    before = [n for n in beside if start < n < at]
    behind = [n for n in beside if n > at and (end is None or n < end)]
    leads, trails = any(n < line[0] for n in beside), any(n > line[-1] for n in beside)
    sides = {"before": before, "behind": behind}
    if leads != trails and before and behind:
        # A list that begins with a text and ends with a control has each control behind its text.
        sides.pop("behind" if leads else "before")
    # Before the first of them and behind the last anything may stand: no more counts than between two others.
    gaps = [sum(1 for n in beside if one < n < other) for one, other in itertools.pairwise(line)]
    most = min(_MOST_TEXTS, max(1, *gaps))
    parts: list[_Part] = []
    for side, own in sides.items():
        if own:
            near = own[-most:] if side == "before" else own[:most]
            others = [text for n, text in beside.items() if n not in own]
            ahead = len(near) if side == "before" else 0
            own_texts, is_whole = [beside[n] for n in near], len(near) == len(own)
            parts += _parts(side, own_texts, others, ahead=ahead, is_whole=is_whole)
    return tuple(parts)


def _judged(
    rows: Sequence[Row], at: int, peers: dict[int, int], texts: dict[int, tuple[int, _Text]]
) -> dict[int, tuple[int, _Text]]:
    """Texts near a row, judged by the texts in the same place beside the others: states, names, headings."""
    line = sorted((at, *peers))
    near = sorted(peers, key=lambda n: abs(n - at))[:_COMPARED_PEERS]

    def place_of(n: int, by: int) -> tuple[str, int, int]:
        first, last = sorted((n, by))
        return (
            rows[n].role,
            rows[n].depth - rows[by].depth,
            bisect_left(line, last) - bisect_right(line, first),
        )

    found: dict[int, tuple[int, _Text]] = {}
    for n, (level, text) in texts.items():
        if abs(n - at) > _MOST_TEXTS:
            continue
        place = place_of(n, at)
        column = [text] + [
            texts[other][1]
            for peer in near
            if peers[peer] >= level and (other := peer + n - at) in texts and place_of(other, peer) == place
        ]
        is_known = len(column) > _FEW
        differing = len({one.plain for one in column}) / len(column) if is_known else None
        is_distinct = differing == 1 and (
            text.is_numbered or len({one.masked for one in column}) == len(column)
        )
        found[n] = (
            level,
            dataclasses.replace(
                text,
                of_control=text.of_control and differing != 1,
                is_state=differing is not None and differing <= _OF_STATES,
                is_distinct=is_distinct,
                is_heading=rows[n].role in _HEADINGS or rows[_parent(rows, n)].role in _HEADINGS,
            ),
        )
    return found


def _parent(rows: Sequence[Row], at: int) -> int:
    """The position of the row around a row; its own where there is none."""
    return next((n for n in range(at - 1, -1, -1) if rows[n].depth < rows[at].depth), at)


def _parts(
    side: str, texts: Sequence[_Text], others: Iterable[_Text], *, ahead: int, is_whole: bool = True
) -> tuple[_Part, ...]:
    foreign = list(others)
    plain = frozenset(one.plain for one in foreign)
    masked = frozenset(one.masked for one in foreign)
    said = [one for one in texts if not one.of_control] or list(texts)
    telling = sorted((one for one in said if not one.is_state), key=lambda one: not one.is_heading)
    part = _Part(side, tuple(texts), None, True, plain, is_whole, ahead)
    for some in (telling, said):
        key = next((one for one in some if one.has_letters and one.masked not in masked), None)
        if key is None:
            key = next((one for one in some if one.plain not in plain), None)
        if key is None:
            continue
        is_masked = key.has_letters and key.masked not in masked and not key.is_numbered
        # "Order 1001" before a word that no other record has: one of the next page's may have that.
        said_first = telling[: telling.index(key)] if key in telling else telling
        number = next((one for one in said_first if one.is_numbered and one.plain not in plain), None)
        parts = [dataclasses.replace(part, key=key, masked=is_masked)]
        if number is not None:
            parts.insert(0, dataclasses.replace(part, key=number, masked=False))
        # The next page may have another Ann: her mail address is held, too; where names repeat, any text that
        # differs in each record.
        further = (one for one in telling if one.is_distinct and one is not key and one is not number)
        second = next((one for one in further if one.is_identifier or not key.is_distinct), None)
        if second is not None and second.plain not in plain:
            parts.append(dataclasses.replace(part, key=second, masked=not second.is_numbered))
        return tuple(parts)
    # The same stands beside another: what both are called has to stay.
    return (dataclasses.replace(part, key=next((one for one in said if one.has_letters), None)),)


def _holds(part: _Part, before: Sequence[str | None], behind: Sequence[str | None]) -> bool:
    key = part.key
    if key is None:
        return True
    live = [_text(one) for one in _side(part.side, before, behind)]
    shown = [part.form(one) for one in part.texts]
    now = [part.form(one) for one in live]
    wanted = part.form(key)
    if part.side == _OWN:
        return wanted in now or not any(one.plain in part.foreign for one in live)
    if wanted not in now:
        # What only lost something, a badge for instance, is what it was, as long as it says something.
        return (
            not part.side
            and any(one in shown and one != wanted for one in now)
            and all(one in shown for one in now)
            and any(one.has_letters and one.plain not in part.foreign for one in live)
        )
    if not part.is_whole:
        return True
    ahead = now[: now.index(wanted)]
    behind_it = set(shown[shown.index(wanted) + 1 :]) - set(shown[: shown.index(wanted)])
    # Named by another first, or told after what it told before: another's, that speaks of this one.
    lasting = {_lasting(part, one) for one in part.texts}
    return not any(
        one in behind_it
        or (text.plain in part.foreign and text.has_letters and _lasting(part, text) not in lasting)
        for one, text in zip(ahead, live, strict=False)
    )


def _lasting(part: _Part, text: _Text) -> str:
    """What stays of a text while its counters go on."""
    return text.masked if part.masked or not text.is_numbered else text.plain


def _side(side: str, before: Sequence[str | None], behind: Sequence[str | None]) -> list[str]:
    if side == "before":
        start = next((n + 1 for n in range(len(before) - 1, -1, -1) if before[n] is None), 0)
        chosen: Iterable[str | None] = before[start:]
    elif side == "behind":
        end = next((n for n, one in enumerate(behind) if one is None), len(behind))
        chosen = behind[:end]
    else:
        chosen = (*before, *behind)
    return [one for one in chosen if one is not None]


def is_alike(one: Row, other: Row) -> bool:
    """Whether a node of the page may stand for the one after it stood for the other.

    A node keeps its tag, whatever a framework reuses it for, so a node with another tag cannot be confused
    with it.
    """
    return (one.role, one.name, one.tag) == (other.role, other.name, other.tag)


def value_to_hold(row: Row, url: str | None) -> str:
    """What a field holds, or where a picture comes from that is called nothing.

    Not whether a box is checked: actions change that, and pages do for many at once.

    Args:
        row: of a snapshot.
        url: where it comes from.

    Returns:
        "" of anything else.
    """
    if row.role in _TYPED:
        held = _text(row.value)
        # A button may change a number: "1 pc". That of a mail address stays.
        is_name = held.has_letters and (held.masked == held.plain or held.is_identifier)
        return row.value if is_name and "readonly" not in row.states else ""
    return (url or "")[-_END_OF_URL:] if row.role in _PICTURES and not row.name else ""


def _text_of(rows: Sequence[Row], at: int) -> _Text | None:
    row = rows[at]
    is_leaf = at + 1 == len(rows) or rows[at + 1].depth <= row.depth
    if row.role in _SILENT:
        # The value of a read-only field counts as text, unless it has digits: a button may change those.
        held = _text(row.value) if "readonly" in row.states and row.role in _TYPED else None
        return held if held is not None and held.has_letters and held.masked == held.plain else None
    if not row.name or not (is_leaf or row.role in _NAMED_CONTAINERS):
        return None
    found = _text(row.name, of_control=row.role in INTERACTIVE_ROLES and row.role != "link", id_=row.id)
    return found if found.plain else None


def _text(text: str, *, of_control: bool = False, id_: ElementId | None = None) -> _Text:
    shown = clean_text(text)
    # As `injected/proof.js` folds it. ASCII is normal as it is.
    normal = shown if shown.isascii() else unicodedata.normalize("NFKC", shown)
    plain = "".join(normal.lower().split())
    masked = _DIGITS.sub("#", plain)[:_COMPARED]
    return _Text(plain[:_COMPARED], masked, shown[:_COMPARED], of_control, id=id_)
