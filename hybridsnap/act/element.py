"""An element of the live page that an action has been proven to mean."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.capture.roles import STRUCTURAL_ROLES
from hybridsnap.text import clean_text, excerpt

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.capture.node_resolver import NodeRef
    from hybridsnap.model import ElementId, Successor
    from hybridsnap.protocol.plan import Plan


@dataclasses.dataclass(frozen=True, slots=True)
class Element:
    """One element, found and checked.

    Attributes:
        id: as snapshots of the page have it.
        place: its session, frame and backend node id, with a handle on it in the frame's isolated world.
        role: as the page has it now; "" where the accessibility tree leaves it out.
        name: likewise, the page's own text.
        verify: holds it once more against what was shown; None for what was only just found.
    """

    id: ElementId
    place: NodeRef
    role: str
    name: str
    verify: Callable[[NodeRef], Plan[Element]] | None = dataclasses.field(
        default=None, compare=False, repr=False
    )

    @property
    def description(self) -> str:
        """In words, for messages: ``button "Buy" [0-29]``."""
        return f"{describe(self.role, self.name)} [{self.id}]"


#: So much of a name stands in a message.
_SHOWN = 60


def clip(text: str) -> str:
    """The page's text made harmless, and short enough for a message."""
    return excerpt(text, _SHOWN)


def said_beside(one: Successor) -> str:
    """`` beside "Ann"``: what tells an element from its likes; "" where nothing is known to."""
    return f' beside "{clip(one.beside)}"' if one.beside else ""


def describe(role: str, name: str) -> str:
    """A role and a name in words: ``button "Buy"``; ``element "Buy"`` of what only groups, or has no role."""
    words, kind = clip(name), clean_text(role)
    kind = "element" if kind in STRUCTURAL_ROLES or not kind else kind
    return f'{kind} "{words}"' if words else kind
