"""What an element stands in, where its role and name do not tell it from others: its row, list item, card.

When ten buttons are called "Delete", only the text beside each tells which one was meant. Frameworks also
reuse nodes: after Ann's row has gone, Bob's button stands beside "Cid". So the element's id also holds its
*context*: texts beside it, as the snapshot's rows had them (`hybridsnap.act.context_finding`).

Much may change in a context that is still the same: counters, times, prices, marks. What may not are its
*keys*, the texts that tell it from the others beside it. `Context.holds` compares; `injected/proof.js` asks
the same of the keys in the turn in which the page gets the press.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.act.nearby_texts import end_of, fold_text, is_alike, rows_above, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hybridsnap.act.nearby_texts import NearbyText
    from hybridsnap.model import ElementId, Row

#: A container with more texts than this is neither a row nor a card: then the nearest texts count.
MOST_TEXTS = 40
#: The side of what a field holds itself.
OWN = "own"


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """A text that has to stay.

    Attributes:
        text: as it was shown.
        masked: its digits may change.
    """

    text: NearbyText
    masked: bool

    @property
    def form(self) -> str:
        """The text, as it is compared."""
        return self.form_of(self.text)

    def form_of(self, text: NearbyText) -> str:
        """Another text, as it is compared with this one."""
        return text.masked if self.masked else text.plain


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """The texts on one side of an element.

    Attributes:
        side: "before" or "behind" the element, up to the next such control; "" for all around; `OWN`.
        texts: as they were shown, in document order.
        keys: those of them that have to stay; the one that names the part first.
        foreign: texts of the others beside it.
        is_whole: these are all texts on that side.
        ahead: so many of them stand before the element.
        together: only all keys together tell it from the others, which have each of them, too.
    """

    side: str
    texts: tuple[NearbyText, ...]
    keys: tuple[Key, ...]
    foreign: frozenset[str]
    is_whole: bool = True
    ahead: int = 0
    together: bool = False

    @property
    def label(self) -> str:
        """What its element is called in messages."""
        return ", ".join(key.text.shown for key in (self.keys if self.together else self.keys[:1]))

    def holds(self, before: Sequence[str | None], behind: Sequence[str | None]) -> bool:
        """Whether each key stays among the texts on this side; see `Context.holds`."""
        now = [fold_text(one) for one in self._on_side(before, behind) if one is not None]
        return all(self._keeps(key, now) for key in self.keys)

    def is_of_another(self, key: Key, text: NearbyText) -> bool:
        """Whether a text was not among these: beside another element of the same name it names that one.

        Counters go on, and what a control is called may change as it is used.
        """
        if any(one.plain == text.plain for one in self.texts):
            return False
        if not key.masked and text.masked == key.text.masked:
            return True  # "Order 2", where the key is "Order 1"
        lasting = (_lasting(key, one) for one in self.texts)
        return not text.of_control and _lasting(key, text) not in lasting

    def _on_side(self, before: Sequence[str | None], behind: Sequence[str | None]) -> Iterable[str | None]:
        if self.side == "before":
            return before[next((n + 1 for n in range(len(before) - 1, -1, -1) if before[n] is None), 0) :]
        if self.side == "behind":
            return behind[: next((n for n, one in enumerate(behind) if one is None), len(behind))]
        return (*before, *behind)

    def _keeps(self, key: Key, now: Sequence[NearbyText]) -> bool:
        shown = [key.form_of(one) for one in self.texts]
        forms = [key.form_of(one) for one in now]
        if self.side == OWN:
            return key.form in forms or not any(one.plain in self.foreign for one in now)
        if key.form not in forms:
            # What only lost something, a badge for instance, is what it was, as long as it says something.
            says_own = any(one.has_letters and one.plain not in self.foreign for one in now)
            return not self.side and says_own and all(one in shown for one in forms)
        if not self.is_whole:
            return True
        at = shown.index(key.form)
        behind_key = set(shown[at + 1 :]) - set(shown[:at])
        # Named by another first, or told after what it told before: another's, that speaks of this one.
        lasting = {_lasting(key, one) for one in self.texts}
        return not any(
            form in behind_key
            or (text.plain in self.foreign and text.has_letters and _lasting(key, text) not in lasting)
            for form, text in zip(forms[: forms.index(key.form)], now, strict=False)
        )


def _are_said(keys: Iterable[Key], texts: Sequence[NearbyText]) -> bool:
    """Whether each of some keys is among some texts."""
    return all(any(key.form_of(text) == key.form for text in texts) for key in keys)


def _texts_near(rows: Sequence[Row], at: int, end: int, step: int) -> Iterator[NearbyText]:
    """The texts between a row and the next of its kind, on one side."""
    for n in range(at + step, end if step > 0 else end - 1, step):
        if abs(n - at) > MOST_TEXTS or is_alike(rows[n], rows[at]):
            return
        if (text := text_of(rows, n)) is not None:
            yield text


def _lasting(key: Key, text: NearbyText) -> str:
    """What stays of a text while its counters go on."""
    return text.masked if key.masked or not text.is_numbered else text.plain


@dataclasses.dataclass(frozen=True, slots=True)
class Context:
    """What an element was shown in.

    Attributes:
        level: how many levels above the element it begins; 0 for what the element itself holds.
        parts: one for each side; all have to be what they were.
        is_only: no other element had its role and name.
        of_values: the values of fields and the addresses of pictures count among its texts.
        is_common: all others of its role and name stand in it, too.
    """

    level: int
    parts: tuple[Part, ...]
    is_only: bool = False
    of_values: bool = False
    is_common: bool = False

    @property
    def tells_apart(self) -> bool:
        """Whether a text is held that none of the others beside it has, or texts that none has together."""
        return not self.is_common and any(
            part.together or key.text.plain not in part.foreign for part in self.parts for key in part.keys
        )

    @property
    def is_counted(self) -> bool:
        """Whether nothing but a number that counts the others tells it from them."""
        return any(key.text.is_position for part in self.parts for key in part.keys)

    @property
    def label(self) -> str:
        """What it is called in messages; "" where nothing is held."""
        return next((part.label for part in self.parts if part.keys), "")

    @property
    def telling(self) -> str:
        """`label`, where it tells from each other record beside it; else ""."""
        return self.label if self.tells_apart and not self.of_values else ""

    def found_near(
        self, rows: Sequence[Row], at: int, stale: ElementId | None = None
    ) -> tuple[str, Context | None]:
        """`label`, when it stands between a row and the next of its kind, and what is held of the row then.

        Args:
            rows: of one frame, in document order; nothing is known of the structure behind them.
            at: position of the row.
            stale: the element that had this context, where its node is still in these rows.

        Returns:
            "" and None otherwise.
        """
        # A header's button is not that of the row below it.
        holder = next((n for n in rows_above(rows, at) if rows[n].role == "row"), None)
        start, end = (0, len(rows)) if holder is None else (holder, end_of(rows, holder))
        for part in reversed(self.parts):
            if not part.keys:
                continue
            if part.together:
                ahead = [key for key in part.keys if key.text in part.texts[: part.ahead]]
                behind = [key for key in part.keys if key not in ahead]
                # On the other side stands what tells the next row apart.
                before_it, behind_it = _texts_near(rows, at, start, -1), _texts_near(rows, at, end, 1)
                if _are_said(ahead, list(before_it)) and _are_said(behind, list(behind_it)):
                    return part.label, self
                continue
            key = part.keys[0]
            step = -1 if key.text in part.texts[: part.ahead] else 1
            n = at + step
            while start <= n < end and abs(n - at) <= MOST_TEXTS and not is_alike(rows[n], rows[at]):
                text = text_of(rows, n)
                if text is not None and key.form_of(text) == key.form:
                    only = dataclasses.replace(part, keys=(key,))
                    return text.shown, dataclasses.replace(self, parts=(only,))
                if stale is not None and rows[n].id == stale:
                    break
                if text is not None and part.is_of_another(key, text):
                    break
                n += step
        return "", None

    @property
    def keys(self) -> list[dict[str, str | bool]]:
        """The texts that have to stay, as `injected/proof.js` takes them."""
        return [
            {"side": part.side, "text": key.form, "masked": key.masked}
            for part in self.parts
            if part.side != OWN
            for key in part.keys
        ]

    @property
    def key_ids(self) -> list[ElementId]:
        """The elements whose texts have to stay."""
        ids = (key.text.id for part in self.parts for key in part.keys)
        return [id_ for id_ in ids if id_ is not None]

    def says(self, other: Context) -> bool:
        """Whether the texts that have to stay in another context stand in this one."""
        texts = [text for part in self.parts for text in part.texts]
        return all(_are_said(part.keys, texts) for part in other.parts)

    @property
    def taken_values(self) -> list[str]:
        """What a field must not hold, since others hold it, as `injected/proof.js` takes it."""
        return sorted(one for part in self.parts if part.side == OWN for one in part.foreign)

    def difference(self, now: Iterable[str]) -> tuple[str, str]:
        """The text that had to stay and is not among those that stand there now; the first that is new."""
        found = [fold_text(one) for one in now]
        keys = [key for part in self.parts for key in part.keys]
        lost = (key for key in keys if key.form not in {key.form_of(one) for one in found})
        gone = next(lost, keys[0] if keys else None)
        shown = {one.plain for part in self.parts for one in part.texts}
        new = next((one.shown for one in found if one.plain not in shown), "")
        return ("" if gone is None else gone.text.shown), new

    def holds(self, before: Sequence[str | None], behind: Sequence[str | None]) -> bool:
        """Whether it still is what it was.

        Args:
            before: the texts before the element now; None stands for another such control.
            behind: likewise.
        """
        return all(part.holds(before, behind) for part in self.parts)
