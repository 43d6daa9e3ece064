"""Short names of tabs: ``t1``, ``t2``, …, and labels that clients give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hybridsnap.server.messages import bad_request
from hybridsnap.server.openclaw.refusals import tab_not_found
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterable

_LABEL = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


class TabNames:
    """The short names of one session's tabs in one browser.

    Attributes:
        last: the target id of the tab that was used last; None after it was closed.
    """

    def __init__(self) -> None:
        self.last: str | None = None
        self._ids: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._count = 0

    def __contains__(self, target_id: str) -> bool:
        return target_id in self._ids

    def update(self, target_ids: Iterable[str]) -> None:
        """Name the tabs that there are; a name of one that is gone is not given again."""
        there = list(target_ids)
        for gone in self._ids.keys() - set(there):
            del self._ids[gone]
            self._labels.pop(gone, None)
        for one in there:
            self._name(one)

    def use(self, target_id: str) -> None:
        """Take a tab as the one that is meant when none is named."""
        self._name(target_id)
        self.last = target_id

    def closed(self, target_id: str) -> None:
        """Forget that a tab was used: it is gone."""
        if self.last == target_id:
            self.last = None

    def label(self, target_id: str, label: str) -> None:
        """Give a tab a label; another tab that had it loses it."""
        check_label(label)
        self._name(target_id)
        self._labels = {one: other for one, other in self._labels.items() if other != label}
        self._labels[target_id] = label

    def of(self, target_id: str) -> dict[str, str]:
        """The names of a tab, as answers have them."""
        label = self._labels.get(target_id)
        own = self._ids[target_id]
        named = {"suggestedTargetId": label or own, "tabId": own}
        return named if label is None else {**named, "label": label}

    def resolve(self, named: str) -> str:
        """The target id that is meant: by itself or by its beginning, by the tab's number or label.

        Raises:
            ApiError: no tab has it, or several.
        """
        found = [one for one, own in self._ids.items() if named in {one, own, self._labels.get(one)}]
        found = found or [one for one in self._ids if one.lower().startswith(named.lower())]
        if len(found) > 1:
            raise ApiError(409, "TabAmbiguous", f"several tabs may be meant by {named[:60]!r}", "name one")
        if not found:
            raise tab_not_found(named)
        return found[0]

    def _name(self, target_id: str) -> None:
        if target_id not in self._ids:
            self._count += 1
            self._ids[target_id] = f"t{self._count}"


def check_label(label: str) -> None:
    """Refuse a label that could not be told from other names.

    Raises:
        ApiError: it is none.
    """
    if _LABEL.fullmatch(label) is None:
        raise bad_request(f"label: expected 1 to 64 of letters, digits, _ . : -, got {label[:80]!r}")
