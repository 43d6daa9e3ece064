"""Folds: what is printed in place of lines, or of the rest of one."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.render.budget_tree import BudgetTree

#: A text that has more characters than this for each token of the budget is not counted: it is too long.
MOST_CHARACTERS_PER_TOKEN = 8
#: A fold costs at most one part in so many of what it hides.
FOLD_SHARE = 3
#: Tokens of a fold: at the end of a line, on a line of its own, and at most.
END_COST, FOLD_COST, MOST_FOLD_COST = 8, 16, 60
_SENTENCE_END = re.compile(r"[.!?…]['\")\]»”’]*\s|[。！？]")
_LINE_START = re.compile(r"(?:[+~-] )?(?:\[\d+-\d+\] )?[^:\[]*:? ?")
#: What a diff says of a row without a name that went with all that stood in it.
_GONE = re.compile(r'   \(with [\d,]+ lines?: "(.*)"\)')
#: What a diff says of a row follows these.
_NOTE = "   ("
_STATES = re.compile(r"(?: \[[a-z][^\]]*\])+$")
_IDS = re.compile(r"\[\d+-\d+\] ?")
_GIST_CHARACTERS = 28
#: So much of a line is read for it: enough where each of its words has an id.
_GIST_SOURCE = _GIST_CHARACTERS * 20


@dataclasses.dataclass(frozen=True, slots=True)
class Fold:
    """One place where lines, or the rest of one, were left out.

    Attributes:
        id: what `open_fold` takes.
        words: what is printed.
    """

    id: str
    words: str


def kinds_of(tree: BudgetTree, start: int, end: int) -> str:
    """What a range of lines holds: ``12 paragraphs, 3 tables``.

    Of one thing that has no words, such as a list, it is what stands in that.
    """
    while tree.ends[start] == end > start + 1 and not tree.lines[start].level and not _said(tree, start):
        start += 1
    kinds = Counter(
        "section" if tree.lines[at].level and tree.ends[at] > at + 1 else tree.lines[at].kind
        for at in tree.members(start, end)
        if tree.lines[at].text
    )
    parts = [_plural(count, kind) for kind, count in kinds.most_common(2)]
    rest = kinds.total() - sum(count for _, count in kinds.most_common(2))
    return ", ".join([*parts, f"{rest:,} more"] if rest else parts)


def _plural(count: int, kind: str) -> str:
    if len(kind) == 1 or not (kind.isascii() and kind.isalpha()):  # "4 × i": "4 is" reads as a sentence
        return f"{count:,} × {kind}"
    ending = "" if count == 1 else "es" if kind[-1] in "sx" else "s"
    return f"{count:,} {kind}{ending}"


def gist_of(tree: BudgetTree, start: int, end: int) -> str:
    """``, "Early life … Later work"``: how a range of lines begins and ends; "" without words."""
    if tree.document.fold != "{}":
        return ""
    first = next(filter(None, (_said(tree, at) for at in range(start, min(end, start + 8)))), "")
    last = next(filter(None, (_said(tree, at) for at in range(end - 1, max(start, end - 9), -1))), "")
    if not first:
        return ""
    return f', "{first} … {last}"' if last and last != first else f', "{first} …"'


def _said(tree: BudgetTree, at: int) -> str:
    """The beginning of a line's words, in which nothing looks like an id."""
    text = tree.lines[at].text
    gone, text = _GONE.search(text), text.partition(_NOTE)[0]
    start = _LINE_START.match(text)
    words = gone[1] if gone else text[start.end() if start else 0 :]
    said = _IDS.sub("", _STATES.sub("", words[:_GIST_SOURCE]))
    if said.startswith("["):  # a state: it has no name
        return ""
    if len(said) > _GIST_CHARACTERS:
        space = said.rfind(" ", _GIST_CHARACTERS // 2, _GIST_CHARACTERS)
        said = said[: space if space > 0 else _GIST_CHARACTERS]
    return said.translate(_QUOTED).strip(" -")


_QUOTED = str.maketrans({'"': "'", "[": "(", "]": ")", "\\": ""})


def cut_line(
    tree: BudgetTree, at: int, offset: int, most: int, count: Callable[[str], int], *, brief: bool = True
) -> tuple[str, Fold]:
    """The beginning of a line from `offset` on, at a sentence's end if possible; the fold of the rest."""
    line, key = tree.lines[at], tree.key(at)
    if line.brief and brief:
        id_ = f"{key}@0"
        words = f"… {len(line.text):,} more characters [{id_}]"
        return f"{tree.document.fold.format(words)}{line.brief}", Fold(id_, words)
    text = line.text[offset:]
    most = max(most - FOLD_COST, 1)
    keep = min(len(text), most * MOST_CHARACTERS_PER_TOKEN)
    while keep > 1 and count(text[keep:]) < FOLD_SHARE * FOLD_COST < most:
        keep = keep * 9 // 10
    while keep > 1 and count(text[:keep]) > most:
        keep = keep * 4 // 5
    sentences = [end for found in _SENTENCE_END.finditer(text, keep // 3, keep) if (end := found.end())]
    space = text.rfind(" ", keep // 2, keep)
    if sentences:
        keep = sentences[-1]
    elif space > 0:
        keep = space + 1
    id_ = f"{key}@{offset + keep}"
    words = f"… {len(text) - keep:,} more characters [{id_}]"
    return f"{text[:keep]}{tree.document.fold.format(words)}", Fold(id_, words)
