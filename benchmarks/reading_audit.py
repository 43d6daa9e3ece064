"""What our rendering of long pages has to show at 4,000 tokens, and how well the estimate keeps a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.peers.words import words_of_rows
from benchmarks.reading_gold import PARAGRAPH_CHARACTERS, is_control, paragraphs_of, seen_ids, squeezed
from benchmarks.reading_walk import walk
from hybridsnap.render.tokens import tokenizer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.reading_gold import Gold
    from benchmarks.reading_walk import Walk
    from hybridsnap.model import ElementId
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.snapshot import Snapshot

#: Pages longer than the first are audited at the second.
LEAST_TOKENS, BUDGET = 5_000, 4_000
#: A line of fewer letters is not prose, unless it is a paragraph or one of a preformatted text.
_PROSE_LETTERS = 40
#: Letters that are looked for in the main content at a time.
_PIECE = 12
#: A fold may cost one part in so many of what it hides.
_FOLD_SHARE = 3
_ALL = 1_000_000
#: A class of lines has had its part when it took about a quarter of the budget.
_QUARTER = 0.24
#: What is asked for: of all headings, of all controls, of the budget for prose; folds, at most.
_HEADINGS, _CONTROLS, _PROSE, _FOLDS = 0.9, 0.95, 0.4, 0.08


class Audit(NamedTuple):
    """Of one page; shares 0 to 1, None where the page has none.

    Attributes:
        titles: headings of the first two levels that are shown.
        headings: all headings.
        heading_tokens: part of the budget that they take, with the lines that hold them.
        controls_in_view: named form controls in the viewport.
        controls: all named form controls.
        control_tokens: part of the budget that they take, with the lines that hold them.
        sentences: of the main content; where no expected text exists, all paragraphs of the page.
        prose_tokens: part of the budget that lines of the main content take.
        fold_tokens: part of the rendering that folds take.
        folds: how many.
        dear_folds: those that cost more than a third of what they hide.
        walk: opening all folds.
    """

    titles: float | None
    headings: float | None
    heading_tokens: float
    controls_in_view: float | None
    controls: float | None
    control_tokens: float
    sentences: float | None
    prose_tokens: float
    fold_tokens: float
    folds: int
    dear_folds: list[str]
    walk: Walk


#: What the rendering of each long page has to show: words → whether it does.
RULES: dict[str, Callable[[Audit], bool]] = {
    "all headings of the first two levels": lambda one: one.titles in {None, 1.0},
    "90 % of all headings, or a quarter of the budget": lambda one: (
        one.headings is None or one.headings >= _HEADINGS or one.heading_tokens >= _QUARTER
    ),
    "all form controls in view": lambda one: one.controls_in_view in {None, 1.0},
    "95 % of all form controls, or a quarter of the budget": lambda one: (
        one.controls is None or one.controls >= _CONTROLS or one.control_tokens >= _QUARTER
    ),
    "the main content whole, or 40 % of the budget": lambda one: (
        one.sentences == 1.0 or one.prose_tokens >= _PROSE
    ),
    "folds at most 8 % of the tokens": lambda one: one.fold_tokens <= _FOLDS,
    "no fold that costs over a third of what it hides": lambda one: not one.dear_folds,
    "all words by opening folds": lambda one: one.walk.words == 1.0,
    "all ids by opening folds": lambda one: one.walk.interactive == 1.0,
}


def audit(snapshot: Snapshot, gold: Gold) -> Audit:
    """Look at a rendering within the budget.

    Args:
        snapshot: of the page, with layout.
        gold: of the page.
    """
    count = tokenizer_of("o200k")
    rendering = snapshot.render("ai", max_tokens=BUDGET, tokenizer="o200k")
    shown = rendering.ids
    seen = seen_ids(snapshot)
    headings = {row.id: row for row in snapshot.rows if row.id is not None and row.role == "heading"}
    titles = {id_ for id_, row in headings.items() if {"level=1", "level=2"} & set(row.states)}
    controls = {row.id for row in snapshot.rows if row.id is not None and is_control(row)}

    def share(ids: set[ElementId]) -> float | None:
        return len(ids & shown) / len(ids) if ids else None

    sentences = gold.sentences or paragraphs_of(snapshot, PARAGRAPH_CHARACTERS)
    lines = rendering.splitlines()
    run = squeezed(words_of_rows(rendering))
    prose = _prose_of(lines, gold.content)
    return Audit(
        share(titles),
        share(set(headings)),
        _share_of(lines, ["heading:"]),
        share({id_ for id_ in controls if id_ in seen}),
        share(set(controls)),
        _share_of(lines, [f"[{id_}]" for id_ in controls]),
        sum(map(run.__contains__, sentences)) / len(sentences) if sentences else None,
        sum(map(count, prose)) / BUDGET,
        sum(count(fold.words) for fold in rendering.folds) / count(rendering),
        len(rendering.folds),
        dear_folds(rendering),
        walk(snapshot, rendering),
    )


def _share_of(lines: Sequence[str], marks: Sequence[str]) -> float:
    """Part of the budget that the lines with one of some marks take, and the lines that hold them."""
    count = tokenizer_of("o200k")
    total = 0
    above: list[int] = []
    counted: set[int] = set()
    for at, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        while above and len(lines[above[-1]]) - len(lines[above[-1]].lstrip()) >= depth:
            above.pop()
        above.append(at)
        if any(mark in line for mark in marks):
            total += sum(count(lines[one]) + 1 for one in above if one not in counted)
            counted.update(above)
    return total / BUDGET


def _prose_of(lines: Sequence[str], content: str) -> list[str]:
    """The lines that are text of the main content, with the terms it defines and the headings of cards."""
    prose: list[str] = []
    titles: list[str] = []  # terms and headings of cards, as yet without a text
    card = -1  # how far the card is indented
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if depth <= card:
            card, titles = -1, []
        if card < 0 and "] listitem" in line:
            card = depth
        if "] term: " in line or (card >= 0 and "] heading: " in line):
            titles.append(line)
        elif _is_prose(line, content):
            prose += [*titles, line]
            titles = []
        else:
            titles = []
    return prose


def _is_prose(line: str, content: str) -> bool:
    """Whether a line is text of the main content: a paragraph, a long line, or one of a preformatted text."""
    code = line.lstrip().startswith("|")
    said = squeezed(line if code else words_of_rows(line))
    pieces = [said[at : at + _PIECE] for at in range(0, max(len(said) - _PIECE, 0) + 1, _PIECE)]
    # Half is enough: the mark of a link or the words of a formula are not in the main content's own text.
    is_text = code or "paragraph:" in line or len(said) >= _PROSE_LETTERS
    return is_text and bool(said) and sum(map(content.__contains__, pieces)) > len(pieces) / 2


def dear_folds(rendering: Rendering) -> list[str]:
    """The folds that cost more than a third of what they hide, with both numbers."""
    count = tokenizer_of("o200k")
    dear = []
    for fold in rendering.folds:
        lines = rendering.expand(fold.id, _ALL).splitlines()
        if fold.words.startswith("["):  # at the end of a line that is shown
            lines = lines[1:]
        hidden = sum(map(count, lines))
        cost = count(fold.words)
        if cost * _FOLD_SHARE > hidden:
            dear.append(f"{fold.words!r}: {cost} for {hidden}")
    return dear


def estimate_ratios(snapshot: Snapshot, budgets: tuple[int, ...], whole: int) -> dict[int, float]:
    """Budget → real tokens of a rendering by the built-in estimate, divided by the budget."""
    count = tokenizer_of("o200k")
    return {
        budget: count(snapshot.render("ai", max_tokens=budget)) / budget
        for budget in budgets
        if whole > budget * 1.2  # shorter pages do not fill it
    }
