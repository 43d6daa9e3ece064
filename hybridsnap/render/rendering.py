"""A rendering: the text, and what stands behind it."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from hybridsnap.render.budget import fit, open_fold
from hybridsnap.render.budget_tree import BudgetTree
from hybridsnap.render.tokens import budget_of, tokenizer_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.model import ElementId
    from hybridsnap.render.budget import Fitted
    from hybridsnap.render.folds import Fold
    from hybridsnap.render.line_document import LineDocument
    from hybridsnap.render.tokens import Budget, Tokenizer


@dataclasses.dataclass(frozen=True, slots=True)
class Stats:
    """The size of a rendering.

    Attributes:
        lines: of text, folds included.
        chars: characters.
        refs: shown; 0 in formats without.
        interactive: interactive elements shown.
        tokens: by the tokenizer, or as `hybridsnap.render.tokens` estimates them.
    """

    lines: int
    chars: int
    refs: int
    interactive: int
    tokens: int


class Rendering(str):
    """A snapshot as text; a `str` that knows what it shows.

    Attributes:
        format_name: of the format.
        ids: the elements that it shows.
        told: those among them whose text another element's line tells.
        shown: the numbers of the document's lines that are printed.
        folds: where something was left out.
        extras: what the format gives beside: ``refs`` (role), ``info`` (webarena).
    """

    __slots__ = ("__dict__",)

    format_name: str
    ids: frozenset[ElementId]
    told: frozenset[ElementId]
    shown: tuple[int, ...]
    folds: tuple[Fold, ...]
    extras: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        format_: str,
        document: LineDocument,
        budget: Budget | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> Rendering:
        """Render a document within a budget; `tokenizer` counts for `stats`.

        Raises:
            ValueError: the budget is too small for anything.
        """
        tree = BudgetTree(document)
        return cls._made(format_, tree, fit(tree, budget), budget, tokenizer)

    @classmethod
    def _made(
        cls,
        format_: str,
        tree: BudgetTree,
        fitted: Fitted,
        budget: Budget | None,
        tokenizer: Tokenizer | None,
    ) -> Rendering:
        document = tree.document
        made = cls(fitted.text(document))
        made.format_name = format_
        made.shown = tuple(at for _, _, at in fitted.printed if at >= 0)
        shown = [document.lines[at] for at in made.shown]
        made.told = frozenset(id_ for line in shown for id_ in line.tells)
        made.ids = made.told.union(line.id for line in shown if line.id is not None)
        made.folds = tuple(fitted.folds)
        made.extras = document.extras
        made._tree, made._budget, made._tokenizer = tree, budget, tokenizer
        made._size = (
            len(fitted.printed),
            sum(bool(line.ref) for line in shown),
            sum(line.interactive for line in shown),
        )
        return made

    _tree: BudgetTree
    _budget: Budget | None
    _tokenizer: Tokenizer | None
    _size: tuple[int, int, int]

    @functools.cached_property
    def stats(self) -> Stats:
        """Its size."""
        lines, refs, interactive = self._size
        tokens = tokenizer_of(self._tokenizer)(self)
        return Stats(lines, len(self), refs, interactive, tokens)

    def expand(self, id_: str, max_tokens: int | None = None) -> Rendering:
        """What a fold holds, or one element's subtree, in the same format.

        Args:
            id_: as a fold prints it (``0-120..0-480``, ``0-9@900``), or an element's; a heading's opens its
                section.
            max_tokens: the budget; None for the one of this rendering.

        Raises:
            UnknownElement: this rendering has no such fold or element.
            ValueError: the budget is too small.
        """
        budget = self._budget if max_tokens is None else budget_of(max_tokens, self._tokenizer)
        return self._made(
            self.format_name, self._tree, open_fold(self._tree, id_, budget), budget, self._tokenizer
        )
