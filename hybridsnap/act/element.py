"""An element of the live page that an action has been proven to mean."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from hybridsnap.capture.locating import Place
    from hybridsnap.model import ElementId


@dataclasses.dataclass(frozen=True, slots=True)
class Element:
    """One element, found and checked.

    Attributes:
        id: as snapshots of the page have it.
        place: its session, frame and backend node id, with a handle on it in the frame's isolated world.
        role: as the page has it now; "" where the accessibility tree leaves it out.
        name: likewise, the page's own text.
    """

    id: ElementId
    place: Place
    role: str
    name: str

    @property
    def description(self) -> str:
        """In words, for messages: ``button "Buy" [0-29]``."""
        return f"{describe(self.role, self.name)} [{self.id}]"


#: So much of a name stands in a message.
_SHOWN = 60


def describe(role: str, name: str) -> str:
    """A role and a name in words, with the page's text made harmless: ``button "Buy"``."""
    words = clean_text(name)
    if len(words) > _SHOWN:
        words = words[: _SHOWN - 1] + "…"
    return f'{clean_text(role) or "element"} "{words}"' if words else clean_text(role) or "element"
