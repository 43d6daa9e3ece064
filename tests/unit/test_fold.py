"""Budgets and folds: never exceeded, nothing lost, only like siblings together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.errors import UnknownElement
from hybridsnap.model import ElementId
from hybridsnap.render.fold import count_tokens
from hybridsnap.render.fold_tree import FoldTree
from hybridsnap.render.lines import Line, Sketch
from hybridsnap.render.rendering import Rendering

if TYPE_CHECKING:
    from collections.abc import Callable

#: No text in the trees below is cut at a smaller budget than this, and every fold fits.
ENOUGH = 150
_CUT = re.compile(r"more characters \[([^\]]+)\]$")


def line(depth: int, text: str, kind: str = "item", number: int = 0) -> Line:
    return Line(depth, text, kind, ElementId(f"0-{number}") if number else None)


def rows_of(count: int, kind: str = "item", depth: int = 1, start: int = 10) -> list[Line]:
    return [line(depth, f"[0-{start + at}] {kind}: number {at}", kind, start + at) for at in range(count)]


@st.composite
def sketches(draw: st.DrawFn) -> Sketch:
    lines: list[Line] = []
    depth = 0
    for number in range(draw(st.integers(1, 80))):
        depth = draw(st.integers(0, min(depth + 1, 6))) if lines else 0
        kind = draw(st.sampled_from("abcd"))
        has_id = draw(st.booleans())
        lines.append(
            Line(
                depth,
                f"{kind}{number} " + "x" * draw(st.integers(0, 60)),
                kind,
                ElementId(f"0-{number}") if has_id else None,
                interactive=draw(st.booleans()),
                in_view=draw(st.sampled_from([None, True, False])),
                folded=draw(st.integers(0, 9)) == 0 and number > 0,
            )
        )
    return Sketch(lines, most_alike=draw(st.sampled_from([0, 0, 2])))


def folds_of(part: Rendering) -> list[str]:
    cut = [match[1] for text in part.splitlines() if (match := _CUT.search(text))]
    return [fold.id for fold in part.folds] + cut


def walk(whole: Rendering, most: int, tokenizer: Callable[[str], int] = count_tokens) -> list[Rendering]:
    """The rendering and everything behind its folds, each within the budget."""
    parts = [whole]
    todo = folds_of(whole)
    opened: set[str] = set()
    while todo:
        id_ = todo.pop()
        assert id_ not in opened, f"{id_} leads back to itself"
        opened.add(id_)
        part = whole.expand(id_)
        assert tokenizer(part) <= most
        parts.append(part)
        todo += folds_of(part)
    return parts


@given(sketches(), st.integers(ENOUGH, 600))
def test_no_budget_is_exceeded_and_every_line_is_behind_some_fold(sketch: Sketch, most: int) -> None:
    whole = Rendering.of("test", sketch, most)
    assert count_tokens(whole) <= most
    said = {text.strip() for part in walk(whole, most) for text in part.split("\n")}
    assert {one.text.strip() for one in sketch.lines} <= said


@given(sketches(), st.integers(ENOUGH, 600))
def test_a_fold_holds_like_siblings_or_what_stands_below_one_line(sketch: Sketch, most: int) -> None:
    tree = FoldTree(sketch)
    for fold in Rendering.of("test", sketch, most).folds:
        if fold.id.endswith("/*"):
            continue
        first, _, last = fold.id.partition("..")
        start, end = tree.find(first), tree.find(last or first)
        assert tree.parents[start] == tree.parents[end]
        kinds = [tree.lines[at].kind for at in tree.children(tree.parents[start]) if start <= at <= end]
        record = kinds[: kinds.index(kinds[-1]) + 1]
        alone = [kind for kind in kinds if kind == kinds[0]]
        assert kinds[0] == kinds[-1] or kinds == record * (len(kinds) // len(record)), fold
        assert fold.lines >= len(alone) if kinds[0] == kinds[-1] else fold.lines >= len(kinds)


@given(sketches())
def test_without_a_budget_everything_is_printed_but_what_is_always_folded(sketch: Sketch) -> None:
    sketch.most_alike = 0
    whole = Rendering.of("test", sketch)
    hidden = any(one.folded for one in sketch.lines)
    assert bool(whole.folds) == hidden
    if not hidden:
        assert whole.split("\n") == ["  " * one.depth + one.text for one in sketch.lines]


@given(sketches(), st.integers(3, 12))
def test_a_callers_tokenizer_is_obeyed(sketch: Sketch, words: int) -> None:
    def tokenizer(text: str) -> int:
        return len(text.split())

    most = words * 20
    whole = Rendering.of("test", sketch, most, tokenizer)
    assert tokenizer(whole) <= most
    walk(whole, most, tokenizer)


def test_a_long_row_of_like_siblings_is_one_fold() -> None:
    sketch = Sketch([line(0, "[0-1] list", "list", 1), *rows_of(500)])
    whole = Rendering.of("test", sketch, 200)
    assert len(whole.folds) == 1
    assert whole.splitlines()[-1].strip().startswith("… ")
    assert " more like this [0-" in whole.splitlines()[-1]


def test_records_are_folded_as_records() -> None:
    lines = [line(0, "[0-1] list", "list", 1)]
    for at in range(200):
        lines.append(line(1, f"[0-{10 + 2 * at}] term: {at}", "term", 10 + 2 * at))
        lines.append(line(1, f"[0-{11 + 2 * at}] definition: {at}", "definition", 11 + 2 * at))
    whole = Rendering.of("test", Sketch(lines), 200)
    (fold,) = whole.folds
    assert "more like this" in fold.words
    assert fold.lines % 2 == 0
    assert whole.expand(fold.id).startswith("[0-")


def test_unlike_siblings_never_share_a_fold() -> None:
    lines = [line(0, "[0-1] main", "main", 1)]
    lines += [
        line(1, f"[0-{10 + at}] {'abcdefg'[at * at % 7]}: {at} {'x' * 40}", "abcdefg"[at * at % 7], 10 + at)
        for at in range(300)
    ]
    whole = Rendering.of("test", Sketch(lines), 300)
    for fold in whole.folds:
        kinds = {
            text.split("] ")[1].partition(":")[0]
            for text in whole.expand(fold.id).splitlines()
            if text[0] == "["
        }
        assert len(kinds) == 1


def test_what_can_be_operated_in_the_viewport_goes_last() -> None:
    lines = [line(0, "[0-1] main", "main", 1), *rows_of(300)]
    for one in lines[250:260]:
        one.interactive = one.in_view = True
    whole = Rendering.of("test", Sketch(lines), 220)
    assert all(one.text in whole for one in lines[250:260])


def test_a_line_longer_than_the_budget_goes_on_in_a_fold() -> None:
    text = "[0-9] text: " + " ".join(f"word{at}" for at in range(3000))
    whole = Rendering.of("test", Sketch([line(0, "[0-1] main", "main", 1), line(1, text, "text", 9)]), 300)
    assert "more characters [0-9@" in whole
    parts = walk(whole, 300)
    said = set(re.findall(r"word\d+", " ".join(parts)))
    assert len(said) == 3000


def test_a_single_short_line_is_not_folded() -> None:
    lines = [line(0, "[0-1] main", "main", 1), *rows_of(30)]
    lines.insert(15, line(1, "[0-5] text: a", "text", 5))
    whole = Rendering.of("test", Sketch(lines), 120)
    assert not any(fold.lines == 1 and fold.id == "0-5" for fold in whole.folds)


@pytest.mark.parametrize(
    "id_", ["0-99", "#99", "#x", "", "0-1..0-99", "0-10/*", "0-10@99999", "0-10@x", "0-11..0-10"]
)
def test_what_is_no_fold_is_refused_with_a_remedy(id_: str) -> None:
    whole = Rendering.of("test", Sketch([line(0, "[0-1] main", "main", 1), *rows_of(5)]))
    with pytest.raises(UnknownElement, match=r"use|stands below"):
        whole.expand(id_)


def test_a_budget_for_nothing_is_refused() -> None:
    sketch = Sketch([line(0, "[0-1] main", "main", 1), *rows_of(50)])
    with pytest.raises(ValueError, match="too small"):
        Rendering.of("test", sketch, 3)


def test_a_very_deep_tree_is_folded_without_recursion() -> None:
    lines = [line(depth, f"[0-{depth + 1}] group", "group", depth + 1) for depth in range(20_000)]
    whole = Rendering.of("test", Sketch(lines), 2_000)
    assert count_tokens(whole) <= 2_000
    assert len(whole.folds) == 1
