"""Fitting lines into a budget: what is folded, what each fold says, and what it opens to.

Every line has a rank. The first lines by rank that fit are printed, with what stands above them; the rest is
folded where it stood. A fold holds like siblings only (the same kind, or the same short sequence of kinds
again and again), or everything below one line::

    … 37 more like this (74 interactive) [0-120..0-480]     open it: those siblings
    … 3 × table [0-31..0-77]                                  the same, no other of them is printed
    … 812 lines below (40 interactive) [0-5/*]               open it: the children of 0-5
    [0-9] paragraph: Lorem ipsum … 8,100 more characters [0-9@900]

What goes first: siblings far down a row of alike ones; text that a line above has said; structure without an
interactive element below; what is off the screen. Interactive elements in the viewport go last of all.
An expansion is fitted in the same way, and always prints at least one line that its fold held.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING, TypeAlias

from hybridsnap.errors import UnknownElement
from hybridsnap.render.fold_tree import FoldTree, Group, gather, runs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.render.lines import Sketch

#: Text → its number of tokens.
Tokenizer: TypeAlias = "Callable[[str], int]"
CHARACTERS_PER_TOKEN = 4
#: A single line that is longer than its fold by no more characters than this is printed.
_NO_GAIN = 8
#: A line may take this part of a budget; what is longer continues in a fold of its own.
_LINE_SHARE = 3


def count_tokens(text: str) -> int:
    """The number of tokens of a text, where nobody gives a tokenizer: four characters each."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


@dataclasses.dataclass(frozen=True, slots=True)
class Fold:
    """One place where lines were left out.

    Attributes:
        id: what `open_fold` takes.
        words: what is printed.
        depth: of the line that is printed.
        lines: how many it stands for.
        interactive: how many of those can be operated.
    """

    id: str
    words: str
    depth: int
    lines: int
    interactive: int


@dataclasses.dataclass(frozen=True, slots=True)
class Fitted:
    """What is printed.

    Attributes:
        printed: depth, text, and the line's number in the whole sketch; -1 for folds and closings.
        folds: those among it.
    """

    printed: list[tuple[int, str, int]]
    folds: list[Fold]

    def text(self, sketch: Sketch) -> str:
        """All of it, put together."""
        indent = sketch.indent
        if not indent:
            return sketch.separator.join(text for _, text, _ in self.printed)
        return sketch.separator.join(indent * depth + text for depth, text, _ in self.printed)


class _Printer:
    """Prints the lines that `shown` names, and folds for the others."""

    def __init__(self, tree: FoldTree, shown: Callable[[int], bool]) -> None:
        self.tree = tree
        self.shown = shown
        self.printed: list[tuple[int, str, int]] = []
        self.folds: list[Fold] = []

    def run(self, most: int | None = None) -> bool:
        """Print; False when it was given up because it took more than `most` characters."""
        tree = self.tree
        lines, indent, gap = tree.lines, len(tree.sketch.indent), len(tree.sketch.separator)
        size = 0
        todo: list[int | Fold | str] = self._items(-1)[::-1]
        depths: list[int] = [0] * len(todo)
        while todo:
            item, depth = todo.pop(), depths.pop()
            at = -1
            if isinstance(item, int):
                at = item
                text, closing = lines[at].text, lines[at].closing
                below = self._items(at)
                if closing:
                    todo.append(closing)
                    depths.append(depth)
                todo.extend(reversed(below))
                depths.extend([depth + 1] * len(below))
            elif isinstance(item, Fold):
                fold = dataclasses.replace(item, depth=depth)
                self.folds.append(fold)
                text = tree.sketch.fold.format(fold.words)
            else:
                text = item
            self.printed.append((depth, text, at))
            size += indent * depth + len(text) + gap
            if most is not None and size > most:
                return False
        return True

    def _items(self, parent: int) -> list[int | Fold | str]:
        """What is printed one level below a line."""
        tree, shown = self.tree, self.shown
        children = list(tree.children(parent))
        if not children:
            return []
        flags = [shown(at) for at in children]
        if all(flags):
            return list(children)
        items: list[int | Fold | str] = []
        if not any(flags) and parent >= 0:
            runs = runs_of(tree, children)
            return [self._fold_or_line(runs[0], None) if len(runs) == 1 else self._below(parent)]
        hidden: list[int] = []
        last: int | None = None
        for at, flag in zip(children, flags, strict=True):
            if not flag:
                hidden.append(at)
                continue
            items += self._gap(hidden, last)
            hidden = []
            items.append(at)
            last = at if tree.lines[at].text else last
        return items + self._gap(hidden, last)

    def _gap(self, hidden: Sequence[int], last: int | None) -> list[int | Fold]:
        """Folds for what is hidden between two printed siblings; an empty line needs none."""
        told = [at for at in hidden if self.tree.lines[at].text]
        return [self._fold_or_line(group, last) for group in gather(self.tree, told or hidden)]

    def _fold_or_line(self, group: Group, last: int | None) -> int | Fold:
        """The fold; a line that is hardly longer than its fold would be stands for itself."""
        fold = self._fold(group, last)
        at = group.members[0]
        line = self.tree.lines[at]
        if fold.lines == 1 and not line.folded and len(line.text) <= len(fold.words) + _NO_GAIN:
            return at
        return fold

    def _below(self, parent: int) -> Fold:
        tree = self.tree
        count = tree.ends[parent] - parent - 1
        interactive = tree.interactive_within(list(tree.children(parent)))
        id_ = f"{tree.key(parent)}/*"
        return Fold(id_, f"… {count:,} lines below{_interactive(interactive)} [{id_}]", 0, count, interactive)

    def _fold(self, group: Group, last: int | None) -> Fold:
        tree, members = self.tree, group.members
        lines = sum(tree.ends[at] - at for at in members)
        interactive = tree.interactive_within(members)
        first, final = tree.key(members[0]), tree.key(members[-1])
        id_ = first if len(members) == 1 else f"{first}..{final}"
        count = len(members) // group.record
        kinds = [tree.lines[at].kind for at in members[: group.record]]
        if last is not None and tree.lines[last].kind == kinds[-1]:
            words = f"{count:,} more like this"
        else:
            like = kinds[0] if group.record == 1 else f"({', '.join(kinds)})"
            words = like if count == 1 else f"{count:,} × {like}"
        return Fold(id_, f"… {words}{_interactive(interactive)} [{id_}]", 0, lines, interactive)


def _interactive(count: int) -> str:
    return f" ({count:,} interactive)" if count else ""


def fit(tree: FoldTree, max_tokens: int | None, tokenizer: Tokenizer | None = None) -> Fitted:
    """Print a sketch within a budget.

    Args:
        tree: the sketch's.
        max_tokens: the budget; None for all lines (but for rows of like siblings, where the sketch says so).
        tokenizer: how tokens are counted; four characters each without one.

    Raises:
        ValueError: the budget is too small for anything.
    """
    return _fit(tree, max_tokens, tokenizer or count_tokens)


def open_fold(
    whole: FoldTree, id_: str, max_tokens: int | None, tokenizer: Tokenizer | None = None
) -> Fitted:
    """Print what a fold, or one element's subtree, holds.

    Args:
        whole: the whole rendering's.
        id_: as a fold prints it, or an element's.
        max_tokens: as in `fit`.
        tokenizer: as in `fit`.

    Raises:
        UnknownElement: the rendering has no such fold or element.
        ValueError: the budget is too small.
    """
    count = tokenizer or count_tokens
    key, is_rest, offset = id_.partition("@")
    if is_rest:
        return _rest_of_line(whole, key, offset, max_tokens, count)
    members = _members(whole, id_)
    base = whole.lines[members[0]].depth
    numbers = [number for member in members for number in range(member, whole.ends[member])]
    lines = [dataclasses.replace(whole.lines[at], depth=whole.lines[at].depth - base) for at in numbers]
    asked_for = set(members)
    for line, at in zip(lines, numbers, strict=True):
        line.folded = line.folded and at not in asked_for
    part = dataclasses.replace(whole.sketch, lines=lines)
    fitted = _fit(FoldTree(part, [whole.key(at) for at in numbers]), max_tokens, count)
    printed = [(depth, text, numbers[at] if at >= 0 else -1) for depth, text, at in fitted.printed]
    return Fitted(printed, fitted.folds)


def _members(tree: FoldTree, id_: str) -> list[int]:
    """The lines that a fold's id stands for; each with its subtree."""
    if id_.endswith("/*"):
        below = list(tree.children(tree.find(id_[:-2])))
        if not below:
            raise UnknownElement(f"{id_!r}: nothing stands below that line", element_id=id_)
        return below
    first_key, is_range, final_key = id_.partition("..")
    first = tree.find(first_key)
    if not is_range:
        return [first]
    final = tree.find(final_key)
    parent = tree.parents[first]
    if tree.parents[final] != parent or final < first:
        raise UnknownElement(f"{id_!r} is no fold of this rendering; use one that it prints", element_id=id_)
    between = [at for at in tree.children(parent) if first <= at <= final]
    kind = tree.lines[first].kind
    # A row of one kind may have been gathered from among others; a row of records is printed as it stands.
    return (
        [at for at in between if tree.lines[at].kind == kind] if tree.lines[final].kind == kind else between
    )


def _rest_of_line(tree: FoldTree, key: str, offset: str, max_tokens: int | None, count: Tokenizer) -> Fitted:
    at = tree.find(key)
    text = tree.lines[at].text
    start = int(offset) if offset.isascii() and offset.isdigit() else -1
    if not 0 <= start < len(text):
        raise UnknownElement(
            f"'{key}@{offset}' is no fold of this rendering; use one that it prints", element_id=key
        )
    rest = text[start:]
    if max_tokens is not None:
        rest = _beginning(rest, key, start, max_tokens, count)
    return Fitted([(0, rest, at)], [])


def _fit(tree: FoldTree, max_tokens: int | None, count: Tokenizer) -> Fitted:
    if max_tokens is None:
        return _print_all(tree)
    tree = _shortened(tree, max_tokens, count)
    whole = _print_all(tree)
    if count(whole.text(tree.sketch)) <= max_tokens:
        return whole
    order = tree.order
    place = [0] * len(order)
    for number, at in enumerate(order):
        place[at] = number
    # Whatever is kept, and one line more than the page's head.
    least = 1 + max(
        next((number for number, at in enumerate(order) if not tree.lines[at].head), 0),
        max((number for number, at in enumerate(order) if tree.lines[at].kept), default=0),
    )
    # Characters beyond which nothing is counted any more; a tokenizer's tokens may be many characters.
    most = max_tokens * CHARACTERS_PER_TOKEN * (1 if count is count_tokens else 8)

    def attempt(shown: int) -> Fitted | None:
        printer = _Printer(tree, lambda at: place[at] < shown)
        if not printer.run(most + len(tree.sketch.separator)):
            return None
        fitted = Fitted(printer.printed, printer.folds)
        return fitted if count(fitted.text(tree.sketch)) <= max_tokens else None

    best = attempt(least)
    if best is None:
        raise ValueError(
            f"max_tokens={max_tokens} is too small to show anything of this page; allow some hundred"
        )
    low, high = least, least * 2
    while high < len(order) and (found := attempt(high)) is not None:
        best, low, high = found, high, high * 2
    high = min(high, len(order))
    while high - low > 1:
        middle = (low + high) // 2
        if (found := attempt(middle)) is None:
            high = middle
        else:
            best, low = found, middle
    return best


def _print_all(tree: FoldTree) -> Fitted:
    """Everything but what is always folded and, where the sketch asks for it, the tails of long rows."""
    folded = {at for at, line in enumerate(tree.lines) if line.folded}
    if tree.sketch.most_alike:
        folded |= _long_rows(tree, tree.sketch.most_alike)
    printer = _Printer(tree, lambda at: at not in folded)
    printer.run()
    return Fitted(printer.printed, printer.folds)


def _long_rows(tree: FoldTree, most: int) -> set[int]:
    """The lines beyond the first `most` of a row of like siblings that is half as long again.

    A row that is hardly longer is printed whole: a fold in place of two lines saves nothing.
    """
    folded: set[int] = set()
    for parent in range(-1, len(tree.lines)):
        if parent >= 0 and tree.ends[parent] == parent + 1:
            continue
        for group in runs_of(tree, list(tree.children(parent))):
            if len(group.members) > group.record * most * 3 // 2:
                folded.update(
                    at
                    for at in group.members[group.record * most :]
                    if not tree.lines[at].kept and not (tree.lines[at].interactive and tree.lines[at].in_view)
                )
    return folded


def _cut(tree: FoldTree, at: int, max_tokens: int, count: Tokenizer) -> str:
    """A line that is too long, with the place where it goes on."""
    line, key = tree.lines[at], tree.key(at)
    if not line.brief:
        return _beginning(line.text, key, 0, max_tokens, count)
    fold = tree.sketch.fold.format(f"… {len(line.text):,} more characters [{key}@0]")
    return f"{fold}{line.brief}"


def _shortened(tree: FoldTree, max_tokens: int, count: Tokenizer) -> FoldTree:
    """The tree with lines that would take too much of the budget cut, saying where they go on."""
    share = max_tokens // _LINE_SHARE
    cut = {
        at: dataclasses.replace(line, text=_cut(tree, at, max_tokens, count), tells=())
        for at, line in enumerate(tree.lines)
        if len(line.text) > share and count(line.text) > share
    }
    if not cut:
        return tree
    shortened = copy.copy(tree)
    shortened.lines = [cut.get(at, line) for at, line in enumerate(tree.lines)]
    return shortened


def _beginning(text: str, key: str, offset: int, max_tokens: int, count: Tokenizer) -> str:
    """As much of `text` as a line may hold, and where the rest is."""
    share = max_tokens // _LINE_SHARE
    keep = min(len(text), max_tokens * CHARACTERS_PER_TOKEN)
    while keep > 1 and count(text[:keep]) > share:
        keep = keep * 3 // 4
    if keep >= len(text):
        return text
    space = text.rfind(" ", keep // 2, keep)
    keep = space + 1 if space > 0 else keep
    return f"{text[:keep]}… {len(text) - keep:,} more characters [{key}@{offset + keep}]"
