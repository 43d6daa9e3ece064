"""How much of a snapshot a rendering still shows: what people lose by a setting."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from typing import TYPE_CHECKING

from hybridsnap.render.rendering import Rendering
from hybridsnap.render.select import is_interactive
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.render.content import Content

_WORD = re.compile(r"\w+")


@dataclasses.dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of what the snapshot holds, 0 to 1; 1 where it holds none.

    Attributes:
        interactive: of the elements that can be operated, those whose id (or ref) is shown.
        named: of the elements with a name, those that are shown, or whose text the rendering tells.
        words: of the words of all names and values, each as often as it occurs, those in the text. Elements
            that another one's line tells count with that line.
    """

    interactive: float
    named: float
    words: float


def gather_coverage(content: Content, renderings: Sequence[str]) -> Coverage:
    """Compare renderings of this content, such as one and its expansions, with the content.

    Args:
        content: the snapshot's.
        renderings: what `Snapshot.render` and `Rendering.expand` gave; of any other text only words are
            known.
    """
    shown = frozenset().union(*(part.ids for part in renderings if isinstance(part, Rendering)))
    interactive = [row.id for row in content.rows if is_interactive(row)]
    named = [row.id for row in content.rows if row.id is not None and row.name.strip()]
    told = frozenset().union(*(part.told for part in renderings if isinstance(part, Rendering)))
    words = Counter(
        word
        for row in content.rows
        if row.id not in told
        for text in {clean_text(row.name), clean_text(row.value)}
        for word in _WORD.findall(text.casefold())
    )
    said: Counter[str] = Counter()
    for part in renderings:
        said.update(_WORD.findall(part.casefold()))
    return Coverage(
        _share(sum(id_ in shown for id_ in interactive), len(interactive)),
        _share(sum(id_ in shown for id_ in named), len(named)),
        _share((words & said).total(), words.total()),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
