"""``[new]``: which elements of a snapshot the one before it, of the same kind, did not have."""

from __future__ import annotations

import collections
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from hybridsnap.model import LoaderId
    from hybridsnap.render.role import Ref

#: So many kinds of snapshots of a page are remembered.
_MOST_KINDS = 32
_MARK = " [new]"
#: The role format writes this for refs only, whatever a page says.
_REF = re.compile(r"\[ref=(e[0-9]+)\]")


class _Shown(NamedTuple):
    """A snapshot's document, and what identifies its elements: frame, role, name, and which of those."""

    loader: LoaderId | None
    keys: frozenset[Hashable]


class News:
    """What snapshots of one page have shown, by their kind: the options they were taken with."""

    def __init__(self) -> None:
        self._shown: collections.OrderedDict[Hashable, _Shown] = collections.OrderedDict()

    def take(self, kind: Hashable, loader: LoaderId | None, refs: Mapping[str, Ref]) -> frozenset[str] | None:
        """Take a snapshot as shown.

        Returns:
            The refs that are new; None where there is nothing to compare with: the first snapshot of its
            kind, or of another document.
        """
        keys = {ref: (one.frame, one.role, one.name, one.nth) for ref, one in refs.items()}
        former = self._shown.pop(kind, None)
        self._shown[kind] = _Shown(loader, frozenset(keys.values()))
        if len(self._shown) > _MOST_KINDS:
            self._shown.popitem(last=False)
        if former is None or former.loader != loader:
            return None
        return frozenset(ref for ref, key in keys.items() if key not in former.keys)


def shown_refs(text: str) -> list[str]:
    """The refs that a text shows."""
    return _REF.findall(text)


def mark_new(text: str, new: frozenset[str]) -> str:
    """A text whose lines of new elements say so, with their number at the end."""
    if not new:
        return text
    count, lines = 0, []
    for line in text.split("\n"):
        found = _REF.search(line)
        is_new = found is not None and found[1] in new
        count += is_new
        lines.append(line + _MARK * is_new)
    return "\n".join([*lines, _footer(count)] if count else lines)


def length_of_marks(new: frozenset[str]) -> int:
    """How much longer a text may become by `mark_new`."""
    return len(new) * len(_MARK) + len(_footer(len(new))) + 1 if new else 0


def _footer(count: int) -> str:
    return f"{count} new element(s) since last snapshot"
