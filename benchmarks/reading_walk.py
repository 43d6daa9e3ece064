"""Reading all of a page through folds, as an agent would with the MCP server's `expand`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hybridsnap.render.coverage import gather_coverage
from hybridsnap.render.select import is_interactive
from hybridsnap.render.tokens import tokenizer_of

if TYPE_CHECKING:
    from hybridsnap.model import ElementId
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.snapshot import Snapshot

#: More folds than any page has: a walk that is longer never ends.
_MOST_CALLS = 5_000
_LISTED = 5


class Walk(NamedTuple):
    """A whole reading.

    Attributes:
        calls: renderings that were asked for, the first included.
        tokens: of all of them.
        words: share of the snapshot's words that they tell together.
        interactive: share of its interactive elements whose id they show together.
        missed: ids of interactive elements that none of them shows, a few.
    """

    calls: int
    tokens: int
    words: float
    interactive: float
    missed: list[ElementId]


def open_all_folds(first: Rendering) -> list[Rendering]:
    """A rendering, and what its folds hold, and the folds in those, each within the budget of the first."""
    renderings, waiting, opened = [first], [first], set[str]()
    while waiting:
        rendering = waiting.pop()
        for fold in rendering.folds:
            if fold.id in opened:
                continue
            opened.add(fold.id)
            waiting.append(rendering.expand(fold.id))
            renderings.append(waiting[-1])
        if len(renderings) > _MOST_CALLS:
            raise RuntimeError(f"{len(renderings)} folds were opened, and there are more")
    return renderings


def walk(snapshot: Snapshot, first: Rendering) -> Walk:
    """Read all of a page: open every fold, and every fold in those."""
    renderings = open_all_folds(first)
    coverage = gather_coverage(snapshot.content, list(renderings))
    shown = frozenset[str]().union(*(rendering.ids for rendering in renderings))
    missed = [row.id for row in snapshot.rows if row.id and is_interactive(row) and row.id not in shown]
    tokens = sum(map(tokenizer_of("o200k"), renderings))
    return Walk(len(renderings), tokens, coverage.words, coverage.interactive, missed[:_LISTED])
