"""Fitting lines into a budget: the skeleton first, then prose from its beginning.

Lines are printed by their worth (`hybridsnap.render.budget_tree.Worth`), each with the lines that hold it:
open dialogs and popups, and the focus; headings; form controls; what else is in the viewport, the main
content first; landmarks; prose in whole paragraphs from the beginning; rows, the first of each list or table
before the others; navigation and footers last. What a reader has seen on the page before follows in the same
order. Skeleton classes have a share of the budget each, so that prose keeps its part.

Whatever is left out between two printed lines is one fold. A fold costs less than a third of what it hides;
where it would cost more, it says less, or the lines are printed instead. Folds look like this::

    [0-79] heading: Early life [level=2] [… 12 paragraphs]          open it: 0-79
    … 12 paragraphs, "Born in … Later work" [0-80..0-141]          open it: 0-80..0-141
    [0-9] paragraph: Lorem ipsum. … 8,100 more characters [0-9@900]

Where folds would take too much of the budget, they only name what opens them: ``… [0-80..0-141]``, ``[…]``.
An expansion is fitted in the same way, and always prints at least one line that its fold held.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.errors import UnknownElement
from hybridsnap.render.budget_tree import BudgetTree, Worth
from hybridsnap.render.folds import (
    END_COST,
    FOLD_COST,
    FOLD_SHARE,
    MOST_CHARACTERS_PER_TOKEN,
    MOST_FOLD_COST,
    Fold,
    cut_line,
    gist_of,
    kinds_of,
)
from hybridsnap.render.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hybridsnap.render.line_document import LineDocument
    from hybridsnap.render.tokens import Budget

#: A line may take this part of a budget; what is longer continues in a fold of its own.
_LINE_SHARE = 3
#: Where folds say little, only those say more that cost one part in so many.
_TERSE_FOLD_SHARE = 90
#: A fold that says little counts as so many tokens, so that none of them stands for one short line.
_LEAST_TERSE_COST = 12
#: Attempts at the amount of lines that fills the budget.
_ATTEMPTS = 9
#: Folds may take this part of a budget; where they would take more they say less, and fewer rows are opened.
_FOLDS_SHARE = 0.06
#: Targets of two attempts that differ by less give the same.
_CLOSE = 4
#: So many folds always say what they hold.
_FEW_FOLDS = 3
#: A rendering that uses this part of its budget is full.
_FULL = 0.985
#: The part of the budget that the lines of each class may take while there is something else to print.
_SHARES = {
    Worth.DIALOG: 0.5,
    Worth.HEADING: 0.25,
    Worth.CONTROL: 0.25,
    Worth.IN_VIEW: 0.5,
    Worth.LANDMARK: 0.08,
}
#: What has only that part of the budget that is not kept for prose.
_AFTER_PROSE = frozenset({Worth.IN_VIEW, Worth.LANDMARK})
#: The part of the budget that is kept for prose and what holds it, where there is so much of it.
_PROSE_SHARE = 0.47
#: What a viewport and the headings of most pages take; a smaller budget keeps nothing for prose.
_SKELETON_TOKENS = 1_400
#: Of most lines.
_CHARACTERS_PER_TOKEN = 4
#: So many lines in a row that do not fit end the search for one that does.
_MOST_MISSES = 40
#: A paragraph is cut to fill what is left of a budget when at least so many tokens are.
_WORTH_CUTTING = 40


@dataclasses.dataclass(frozen=True, slots=True)
class Fitted:
    """What is printed.

    Attributes:
        printed: depth, text, and the line's number in the whole document; -1 for folds and closings.
        folds: those among it.
    """

    printed: list[tuple[int, str, int]]
    folds: list[Fold]

    def text(self, document: LineDocument) -> str:
        """All of it, put together."""
        indent = document.indent
        if not indent:
            return document.separator.join(text for _, text, _ in self.printed)
        return document.separator.join(indent * depth + text for depth, text, _ in self.printed)


def fit(tree: BudgetTree, budget: Budget | None) -> Fitted:
    """Print a document within a budget.

    Args:
        tree: the document's.
        budget: the most it may take; None for all lines but those that are always folded.

    Raises:
        ValueError: the budget is too small for anything.
    """
    printer = _Printer(tree, budget)
    everything = [at for at in range(len(tree.lines)) if at not in printer.folded]
    if budget is None:
        return printer.print(everything)
    most = budget.most * MOST_CHARACTERS_PER_TOKEN
    if sum(len(line.text) for line in tree.lines) <= most and not printer.cut:
        whole = printer.print(everything)
        if budget.count(whole.text(tree.document)) <= budget.most:
            return whole
    return _fill(tree, printer, budget)


def _fill(tree: BudgetTree, printer: _Printer, budget: Budget) -> Fitted:
    """The best of several attempts to fill a budget."""
    max_tokens, count, name = budget
    best: Fitted | None = None
    low, high, target = 0.0, float(max_tokens) * 1.5, float(max_tokens)
    for _ in range(_ATTEMPTS):
        chosen = sorted(_Choice(tree, printer, max_tokens, target).lines)
        found = printer.print(chosen)
        many = len(found.folds) > _FEW_FOLDS
        if not printer.terse and many and printer.fold_tokens(found) > _FOLDS_SHARE * max_tokens:
            printer.terse = True
            found = printer.print(chosen)
        used = count(found.text(tree.document))
        if used <= max_tokens:
            best, low = found, target
            if used >= max_tokens * _FULL:
                break
        else:
            high = target
        guess = target * max_tokens * 0.995 / max(used, 1)
        target = guess if low * 1.01 < guess < high * 0.99 else (low + high) / 2
        if high - low < _CLOSE:
            break
    if best is None:
        best = printer.print(sorted(_Choice(tree, printer, max_tokens, 0).lines))
        if count(best.text(tree.document)) > max_tokens:
            raise ValueError(
                f"{name}={max_tokens} is too small to show anything of this page; allow some hundred"
            )
    return best


class _Choice:
    """The lines to print, by worth, until they and their folds take about `target` tokens."""

    def __init__(self, tree: BudgetTree, printer: _Printer, max_tokens: int, target: float) -> None:
        self._tree = tree
        self._printer = printer
        self._target = target
        self._spent = 0.0
        #: Elements of which something is printed: each may need a fold for the rest.
        self._opened: set[int] = set()
        self._most_opened = _FOLDS_SHARE * max_tokens / FOLD_COST
        self.lines: set[int] = set()
        printer.cut_here.clear()
        for at in _first(tree):
            self._take(at, float("inf"))
        for_prose = min(_PROSE_SHARE * max_tokens, max_tokens - _SKELETON_TOKENS)
        kept_for_prose = self._prose_within(max(for_prose, 0.0))
        for classes in tree.in_turn():
            self._take_by_worth(classes, max_tokens, kept_for_prose)

    def _take(self, at: int, limit: float) -> bool:
        """Take a line with those that hold it; False when more than `limit` would be spent."""
        tree, printer = self._tree, self._printer
        self._opened.add(tree.parents[at])
        needed = self._needed(at)
        cost = sum(printer.cost(one) + (END_COST if tree.ends[one] > one + 1 else 0) for one in needed)
        if self._spent + cost > limit:
            return False
        self._spent += cost
        self.lines.update(needed)
        return True

    def _needed(self, at: int) -> list[int]:
        """A line and those that hold it, as far as they are not taken."""
        needed = []
        while at >= 0 and at not in self.lines:
            needed.append(at)
            at = self._tree.parents[at]
        return needed

    def _take_by_worth(
        self, classes: Iterable[tuple[Worth, list[int]]], max_tokens: int, kept_for_prose: float
    ) -> None:
        tree = self._tree
        left: list[int] = []  # what the share of its class has no room for
        held_back: list[int] = []  # what would open one element too many
        for worth, lines in classes:
            own, share = 0, _SHARES.get(worth, 1.0) * max_tokens
            limit = self._target - (kept_for_prose if worth in _AFTER_PROSE else 0)
            if worth is Worth.FIRST_ROW:
                self._take_left(left)
            for at in lines:
                if at in self.lines:
                    continue
                if worth > Worth.PROSE and self._opens_too_many(at):
                    held_back.append(at)
                    continue
                own += sum(self._printer.cost(one) for one in self._needed(at))
                if own > share or not self._take(at, limit):
                    if worth not in _SHARES:
                        if self._printer.cut_to_fit(at, self._target - self._spent):
                            self._take(at, self._target)
                        self._take_left(left)
                        return
                    left += lines
                    break
        # In the page's order, as fewer folds need it; what is minor last all the same.
        held_back.sort(key=lambda at: (tree.lines[at].minor, at))
        self._take_left(left + held_back)

    def _take_left(self, left: Iterable[int]) -> None:
        misses = 0
        for at in left:
            misses = 0 if self._take(at, self._target) else misses + 1
            if self._spent + _WORTH_CUTTING / 2 > self._target or misses == _MOST_MISSES:
                break

    def _opens_too_many(self, at: int) -> bool:
        return len(self._opened) > self._most_opened and self._tree.parents[at] not in self._opened

    def _prose_within(self, most: float) -> float:
        """Tokens of prose, `most` where there are more."""
        total = 0
        for at in self._tree.by_worth[Worth.PROSE]:
            total += self._printer.cost(at)
            if total >= most:
                return most
        return total


def _first(tree: BudgetTree) -> Iterable[int]:
    """What any rendering shows: its head, and a line beyond it; of one element also what it holds first."""
    at = next((at for at, line in enumerate(tree.lines) if not line.head), len(tree.lines) - 1)
    yield from range(at + 1)
    if tree.ends[at] == len(tree.lines) > at + 1:
        yield at + 1


class _Printer:
    """Prints chosen lines, and folds for the others."""

    def __init__(self, tree: BudgetTree, budget: Budget | None) -> None:
        self.tree = tree
        self._count = count = count_tokens if budget is None else budget.count
        self._costs: dict[int, int] = {}
        #: Lines that are too long for the budget, as they are printed, with the fold of the rest.
        self.cut: dict[int, tuple[str, Fold]] = {}
        #: The line that is cut in this attempt, because the budget ends in it.
        self.cut_here: dict[int, tuple[str, Fold]] = {}
        #: Whether folds say as little as can be.
        self.terse = False
        self.folded: set[int] = set()
        for at, line in enumerate(tree.lines):
            if line.folded:
                self.folded.update(range(at, tree.ends[at]))
        if budget is not None:
            share = max(budget.most // _LINE_SHARE, _WORTH_CUTTING)
            for at, line in enumerate(tree.lines):
                if len(line.text) > share and count(line.text) > share:
                    self.cut[at] = cut_line(tree, at, 0, share, count)

    def fold_tokens(self, fitted: Fitted) -> int:
        """What the folds of a rendering take."""
        return sum(self._count(fold.words) for fold in fitted.folds)

    def cut_to_fit(self, at: int, room: float) -> bool:
        """Cut a line so that it takes about `room`; whether that is worth it."""
        if room < _WORTH_CUTTING or self.cost(at) < room + FOLD_SHARE * FOLD_COST:
            return False
        self.cut_here[at] = cut_line(self.tree, at, 0, int(room), self._count)
        return True

    def cost(self, at: int) -> int:
        """Tokens of a line."""
        if at in self.cut_here:
            return self._count(self.cut_here[at][0])
        cost = self._costs.get(at)
        if cost is None:
            document, line = self.tree.document, self.tree.lines[at]
            text = self.cut[at][0] if at in self.cut else line.text
            cost = self._count(f"{document.indent * line.depth}{text}{line.closing}{document.separator}")
            self._costs[at] = cost
        return cost

    def hidden_tokens(self, start: int, end: int, most: int) -> int:
        """Tokens of lines that are left out, without their ends; `most` where there are more.

        What is more than any fold's cost asks for is taken from the number of characters.
        """
        total = 0
        for at in range(start, end):
            if total < FOLD_SHARE * MOST_FOLD_COST:
                total += self.cost(at) - 1
            else:
                total += len(self.tree.lines[at].text) // _CHARACTERS_PER_TOKEN
            if total >= most:
                break
        return total

    def print(self, chosen: Sequence[int]) -> Fitted:
        """Print the lines of these numbers, in order."""
        self._printed: list[tuple[int, str, int]] = []
        self._folds: list[Fold] = []
        self._open: list[int] = []
        after = 0
        for at in chosen:
            if at > after:
                self._gap(after, at)
            self._line(at)
            after = at + 1
        if after < len(self.tree.lines):
            self._gap(after, len(self.tree.lines))
        self._close(len(self.tree.lines))
        return Fitted(self._printed, self._folds)

    def _line(self, at: int) -> None:
        self._close(at)
        line = self.tree.lines[at]
        text = line.text
        cut = self.cut_here.get(at) or self.cut.get(at)
        if cut is not None:
            text, fold = cut
            self._folds.append(fold)
        self._printed.append((line.depth, text, at))
        if line.closing:
            self._open.append(at)

    def _close(self, at: int) -> None:
        """Print the closings of what ends before a line."""
        while self._open and self.tree.ends[self._open[-1]] <= at:
            line = self.tree.lines[self._open.pop()]
            self._printed.append((line.depth, line.closing, -1))

    def _gap(self, start: int, end: int) -> None:
        """Folds for lines that are left out, one in each element that is closed by a tag."""
        while start < end:
            self._close(start)
            until = min(end, self.tree.ends[self._open[-1]]) if self._open else end
            self._fold_or_lines(start, until)
            start = until

    def _fold_or_lines(self, start: int, end: int) -> None:
        tree, lines = self.tree, self.tree.lines
        if end - start == 1 and not lines[start].text:
            return  # an empty line needs no fold
        always = bool(self.folded) and not self.folded.isdisjoint(range(start, end))
        before = start - 1
        at_end = (
            tree.document.fold == "{}"
            and before >= 0
            and tree.ends[before] == end
            and bool(self._printed)
            and self._printed[-1][2] == before
            and before not in self.cut
            and before not in self.cut_here
        )
        if at_end:
            key = tree.key(before)
            id_, depth, own = key, self._printed[-1][0], "" if key == lines[before].id else f" {key}"
            kinds = kinds_of(tree, start, end)
            # A heading says it itself; what is always folded is of no use yet.
            gist = "" if lines[before].level or always else gist_of(tree, start, end)
            forms = [f"[… {kinds}{gist}{own}]", f"[… {kinds}{own}]", f"[…{own}]"]
        else:
            members = list(tree.members(start, end))
            depth = min(lines[at].depth for at in members)
            id_ = tree.key(start) if len(members) == 1 else f"{tree.key(start)}..{tree.key(members[-1])}"
            kinds = kinds_of(tree, start, end)
            forms = [
                f"… {kinds}{gist_of(tree, start, end)} [{id_}]",
                f"… {kinds} [{id_}]",
                f"… [{id_}]",
            ]
        hidden = self.hidden_tokens(start, end, _TERSE_FOLD_SHARE * MOST_FOLD_COST)
        least = (
            max(_LEAST_TERSE_COST, self._count(forms[-1]) + 1)
            if self.terse
            else END_COST
            if at_end
            else FOLD_COST
        )
        if hidden < FOLD_SHARE * least and not always:
            for at in range(start, end):
                self._line(at)
            return
        share = _TERSE_FOLD_SHARE if self.terse else FOLD_SHARE
        words = next((one for one in forms[:-1] if (self._count(one) + 1) * share <= hidden), forms[-1])
        self._folds.append(Fold(id_, words))
        if at_end:
            _, text, at = self._printed[-1]
            self._printed[-1] = (depth, f"{text} {words}", at)
        else:
            self._printed.append((depth, tree.document.fold.format(words), -1))


def open_fold(whole: BudgetTree, id_: str, budget: Budget | None) -> Fitted:
    """Print what a fold, or one element's subtree (a heading's section), holds.

    Args:
        whole: the whole rendering's.
        id_: as a fold prints it, or an element's.
        budget: as in `fit`.

    Raises:
        UnknownElement: the rendering has no such fold or element.
        ValueError: the budget is too small.
    """
    key, is_rest, offset = id_.partition("@")
    if is_rest:
        return _rest_of_line(whole, key, offset, budget)
    first_key, is_range, last_key = id_.partition("..")
    first = whole.find(first_key)
    last = whole.find(last_key) if is_range else first
    if last < first:
        raise UnknownElement(
            f"{id_!r} is not a fold of this rendering; use one that it prints", element_id=id_
        )
    numbers = range(first, max(whole.ends[last], whole.ends[first]))
    base = min(whole.lines[at].depth for at in numbers)
    lines = [dataclasses.replace(whole.lines[at], depth=whole.lines[at].depth - base) for at in numbers]
    for line in lines:
        line.folded = False
    part = dataclasses.replace(whole.document, lines=lines)
    fitted = fit(BudgetTree(part, [whole.key(at) for at in numbers]), budget)
    printed = [(depth, text, numbers[at] if at >= 0 else -1) for depth, text, at in fitted.printed]
    return Fitted(printed, fitted.folds)


def _rest_of_line(tree: BudgetTree, key: str, offset: str, budget: Budget | None) -> Fitted:
    at = tree.find(key)
    text = tree.lines[at].text
    start = int(offset) if offset.isascii() and offset.isdigit() else -1
    if not 0 <= start < len(text):
        raise UnknownElement(
            f"'{key}@{offset}' is not a fold of this rendering; use one that it prints", element_id=key
        )
    rest = text[start:]
    if budget is None or budget.count(rest) <= budget.most:
        return Fitted([(0, rest, at)], [])
    rest, fold = cut_line(tree, at, start, budget.most, budget.count, brief=False)
    return Fitted([(0, rest, at)], [fold])
