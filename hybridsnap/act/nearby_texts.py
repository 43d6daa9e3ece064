"""The texts near a row: which there are, how far each is from the row, and in what form they are compared.

The value of a control does not count as text. Of another control of the same role and name (a *peer*) only
the position is read, and nothing that stands in it.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from typing import TYPE_CHECKING

from hybridsnap.capture.roles import CLICKABLE, EDITABLE, INTERACTIVE_ROLES
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.act.structure import Joins, PartStructure
    from hybridsnap.model import ElementId, Row

#: Rows before and behind an element among which its texts and its peers are sought.
_NEAR = 400
#: So much of a text is compared; the live side is cut likewise.
_COMPARED = 200
_DIGITS = re.compile(r"\d+")
#: A number as names have it ("iPhone 14", "Pixel 8 Pro"), where nothing or a word with a capital follows;
#: counters and times stand before what they count ("3 new", "(3)", "5 min ago").
_NUMBER_IN_NAME = re.compile(r"[^\W\d_][\s#_-]*\d+(?:$|\s+(?P<next>\w))")
#: One word that is made to be unique: a mail address, an article's or a customer's number.
_IDENTIFIER = re.compile(r"[^\W\d_][\w.+/-]*[@\d][\w.@+/-]*")
#: What is called by its label, shows what was typed or chosen, or stands in no document of the page's.
FIELDS = frozenset({
    "ColorWell", "Date", "DateTime", "InputTime", "MenuListPopup", "combobox", "listbox", "meter", "option",
    "progressbar", "searchbox", "slider", "spinbutton", "textbox",
})  # fmt: skip
#: Fields whose value is text.
TEXT_FIELDS = frozenset({"searchbox", "textbox"})
#: No texts of theirs: fields, and the numbers of list items, that tell where an item stands, and not which.
_SILENT = FIELDS | {"ListMarker"}
#: What stands in these was typed, chosen or drawn by the browser; `injected/proof.js` passes it over.
_HOLD_VALUES = frozenset({"input", "select", "textarea"})
_OPTIONS = frozenset({"optgroup", "option"})
#: What stands in these says their value; `injected/proof.js` passes it over, too.
_OF_RANGE = frozenset({"meter", "progressbar", "scrollbar", "slider", "spinbutton"})
#: Containers whose name is an attribute of theirs, and not the sum of the texts in them.
_NAMED_CONTAINERS = frozenset({
    "alertdialog", "article", "dialog", "figure", "form", "group", "listitem", "region",
})  # fmt: skip
#: What is called by the text in it, and may hold controls beside that.
_NAMED_BY_TEXT = frozenset({
    "LayoutTableCell", "button", "cell", "checkbox", "columnheader", "gridcell", "link", "menuitem",
    "menuitemcheckbox", "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab", "treeitem",
})  # fmt: skip
#: So much of a picture's address is compared, as `injected/proof.js` cuts it.
_PICTURES, _END_OF_URL = frozenset({"image", "img"}), 150


@dataclasses.dataclass(frozen=True, slots=True)
class NearbyText:
    """One text near an element, in the forms in which texts are compared.

    Attributes:
        plain: without case and white space.
        masked: likewise, and digits as ``#``.
        shown: as it was shown, for messages.
        of_control: what a control is called, that may change as it is used.
        is_state: several peers have it, too, in the same place.
        is_distinct: in the same place each peer has another, counters aside.
        is_heading: of a heading, or in one.
        is_position: a number that counts the peers: where a row stands, and not which it is.
        id: of its row.
        level: how many levels above the element the text joins it; 0 of what the element itself holds.
    """

    plain: str
    masked: str
    shown: str
    of_control: bool = False
    is_state: bool = False
    is_distinct: bool = False
    is_heading: bool = False
    is_position: bool = False
    id: ElementId | None = dataclasses.field(default=None, compare=False)
    level: int = dataclasses.field(default=0, compare=False)

    @property
    def has_letters(self) -> bool:
        """Whether it is more than digits and signs."""
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


def fold_text(
    text: str, *, of_control: bool = False, id_: ElementId | None = None, level: int = 0
) -> NearbyText:
    """A text in the forms in which texts are compared; for the other arguments see `NearbyText`."""
    shown = clean_text(text)
    # As `injected/proof.js` folds it. ASCII is normal as it is.
    normal = shown if shown.isascii() else unicodedata.normalize("NFKC", shown)
    plain = "".join(normal.lower().split())
    masked = _DIGITS.sub("#", plain)[:_COMPARED]
    return NearbyText(plain[:_COMPARED], masked, shown[:_COMPARED], of_control, id=id_, level=level)


def text_of(rows: Sequence[Row], at: int, level: int = 0) -> NearbyText | None:
    """The text that a row says to those beside it; None where it says none.

    Args:
        rows: of one frame, in document order.
        at: position of the row.
        level: see `NearbyText`.
    """
    row = rows[at]
    is_leaf = at + 1 == len(rows) or rows[at + 1].depth <= row.depth
    if row.role in _SILENT and (is_leaf or row.role != "option" or row.tag in _OPTIONS):
        # The value of a read-only field counts as text, unless it has digits: a button may change those.
        if "readonly" not in row.states or row.role not in TEXT_FIELDS:
            return None
        held = fold_text(row.value, level=level)
        return held if held.has_letters and held.masked == held.plain else None
    if not row.name:
        return None
    if not (is_leaf or row.role in _NAMED_CONTAINERS or _says_own_text(rows, at)):
        return None
    of_control = row.role in INTERACTIVE_ROLES and row.role != "link"
    found = fold_text(row.name, of_control=of_control, id_=row.id, level=level)
    return found if found.plain else None


def _says_own_text(rows: Sequence[Row], at: int) -> bool:
    """Whether a row's name is the text in it, which therefore has no row of its own ("tab: Inbox")."""
    row = rows[at]
    if row.role not in _NAMED_BY_TEXT:
        return False
    within = [rows[n] for n in range(at + 1, end_of(rows, at))]
    # What was typed into a part of it, or chosen there, is not its own.
    holds_value = any(one.role in FIELDS or EDITABLE in one.states for one in within)
    return not (holds_value or any(one.name and one.name in row.name for one in within))


def value_to_hold(row: Row, url: str | None) -> str:
    """What a field holds, what is chosen in a select, or where a picture comes from that is called nothing.

    Not whether a box is checked: actions change that, and pages do for many at once.

    Args:
        row: of a snapshot.
        url: where it comes from.

    Returns:
        "" of anything else.
    """
    if row.role in TEXT_FIELDS or row.tag == "select":
        held = fold_text(row.value)
        # A button may change a number: "1 pc". That of a mail address stays.
        is_name = held.has_letters and (held.masked == held.plain or held.is_identifier)
        return row.value if is_name and "readonly" not in row.states else ""
    return (url or "")[-_END_OF_URL:] if row.role in _PICTURES and not row.name else ""


def is_alike(one: Row, other: Row) -> bool:
    """Whether a node of the page may stand for the one after it stood for the other.

    A node keeps its tag, whatever a framework reuses it for, so a node with another tag cannot be confused
    with it.
    """
    return (one.role, one.name, one.tag) == (other.role, other.name, other.tag)


def without_options(rows: Sequence[Row], own: Row) -> Sequence[Row]:
    """The rows but for what selects offer, unless that is what a row of its own is about.

    Hundreds of options would leave nothing else near, and say nothing of what stands beside the select.
    """
    return rows if own.tag in _OPTIONS else [one for one in rows if one.tag not in _OPTIONS]


def near(rows: Sequence[Row], at: int) -> range:
    """The positions of the rows near a row, its own included."""
    return range(max(0, at - _NEAR), min(len(rows), at + _NEAR + 1))


def end_of(rows: Sequence[Row], at: int) -> int:
    """The position of the first row behind a row that it does not hold."""
    return next((n for n in range(at + 1, len(rows)) if rows[n].depth <= rows[at].depth), len(rows))


def rows_above(rows: Sequence[Row], at: int) -> list[int]:
    """The positions of the rows around a row, as far as they are near, the innermost first."""
    found: list[int] = []
    depth = rows[at].depth
    for n in range(at - 1, near(rows, at).start - 1, -1):
        if rows[n].depth < depth:
            found.append(n)
            depth = rows[n].depth
    return found


def peers_and_texts(
    rows: Sequence[Row], at: int, joins: Joins, value_of: Callable[[Row], str] | None = None
) -> tuple[dict[int, int], dict[int, NearbyText]]:
    """The peers near a row, and the texts.

    Args:
        rows: of one frame, in document order.
        at: position of the row.
        joins: the structure behind them.
        value_of: what a field holds, or where a picture comes from, where these count as texts.

    Returns:
        Position of a peer → the level at which it joins the row; position of a text → the text.
    """
    own = rows[at]
    peers: dict[int, int] = {}
    texts: dict[int, NearbyText] = {}
    passed: int | None = None  # the depth of the row whose content counts for nothing: a peer, a field
    around = frozenset(rows_above(rows, at))
    for n, level in _levels(rows, at, joins, around).items():
        if n == at + 1:
            passed = own.depth if _holds_value(own) else None
        if passed is not None and rows[n].depth <= passed:
            passed = None
        if passed is not None or level is None:
            continue
        if level and n not in around and is_alike(rows[n], own):
            peers[n], passed = level, rows[n].depth
            continue
        text = text_of(rows, n, level)
        if value_of is not None and (value := fold_text(value_of(rows[n]), level=level)).plain:
            text = value
        if text is not None:
            texts[n] = text
        if n not in around and _holds_value(rows[n]):
            passed = rows[n].depth
    if own.role == "slider":
        # What says the value of a slider changes as that is moved, and so it does beside the next one.
        values = {fold_text(rows[n].value).plain for n in (at, *peers)}
        texts = {n: text for n, text in texts.items() if text.has_letters or text.plain not in values}
    return peers, texts


def _levels(rows: Sequence[Row], at: int, joins: Joins, around: frozenset[int]) -> dict[int, int | None]:
    """The level at which each row near a row joins it; 0 of what it holds, wherever that is in the DOM."""
    ids = {n: id_ for n in near(rows, at) if n != at and (id_ := rows[n].id) is not None}
    own = rows[at].id
    assert own is not None
    known = dict(zip(ids, joins.levels(own, list(ids.values())), strict=True))
    beside = (level for n, level in known.items() if level is not None and n not in around)
    farthest = max(beside, default=1)
    end = end_of(rows, at)
    levels: dict[int, int | None] = {}
    above: list[int] = []
    for n in near(rows, at):
        if n == at:
            continue
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


def _holds_value(row: Row) -> bool:
    """Whether what stands in a row was typed or chosen, or says where between two ends it stands."""
    return row.tag in _HOLD_VALUES or row.role in _OF_RANGE or (row.role in FIELDS and EDITABLE in row.states)


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
    peers, texts = peers_and_texts(rows, at, joins)
    own = fold_text(rows[at].name).plain if CLICKABLE in rows[at].states else ""
    said: dict[int, str | None] = {n: text.shown for n, text in texts.items()}
    for n, text in texts.items():
        # Nothing is known of what has become clickable since: what says the same may be another such control.
        if text.plain == own and text.level == joins.TOP and rows[n].role not in INTERACTIVE_ROLES:
            said[n] = None
    # Those that share more with the row than its context share that, too.
    said |= dict.fromkeys(n for n, level in peers.items() if level == joins.TOP)
    end = end_of(rows, at)
    return [said[n] for n in sorted(said) if n < at], [
        said[n] for n in sorted(said) if n >= end or (inside and n > at)
    ]
