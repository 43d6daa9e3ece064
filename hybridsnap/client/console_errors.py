"""The errors that a page logs or throws during an action, as its receipt names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.client.console_feed import MOST_A_SECOND
from hybridsnap.client.console_messages import read_error

if TYPE_CHECKING:
    from hybridsnap.client.attachment import AttachedSession

#: So many errors are kept; the rest is counted.
_ERRORS = 20
_ERROR_CHARACTERS = 300
_FLOOD = f"the page logs more than {MOST_A_SECOND:,} messages a second: its errors are not followed now"


class ConsoleErrors:
    """What was heard while one listened: one line for each error, as the page has it.

    What counts as an error: uncaught exceptions, unhandled rejections, ``console.error`` and
    ``console.assert``, and what the browser itself reports (a file that could not be loaded, a policy that
    forbids something).
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._more = 0
        self._flooded = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The first of them, and how many more there were."""
        rest = (f"and {self._more} more errors",) if self._more else ()
        flood = (_FLOOD,) if self._flooded else ()
        return (*self._texts, *rest, *flood)

    def clear(self) -> None:
        """Forget what was heard."""
        self._texts.clear()
        self._more = 0

    def take(self, _: AttachedSession, method: str, params: dict[str, Any], *, old: bool) -> None:
        """Look at an event."""
        text = "" if old else read_error(method, params)
        if text and len(self._texts) < _ERRORS:
            self._texts.append(text[:_ERROR_CHARACTERS])
        elif text:
            self._more += 1

    def flooded(self) -> None:
        """Too much came: nothing is heard any more."""
        self._flooded = True

    def resumed(self, missed: int) -> None:
        """Nothing to do: errors that were missed during the flood stay unknown."""
