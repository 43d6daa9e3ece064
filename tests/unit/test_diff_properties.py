"""Diffs of random rows: they make the new rows out of the old, mirror each other, and forge nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridsnap.model import ElementId, Row
from hybridsnap.render.moves import longest_increasing
from tests.support.row_trees import frame, snapshot
from tests.support.strategies import page_texts
from tests.support.strategies import rows as any_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.render.diff import Diff
    from hybridsnap.snapshot import Snapshot

_TREE_ROLES = ["RootWebArea", "generic", "StaticText", "list", "listitem", "button", "link", "ListMarker"]
_WORDS = st.sampled_from(["", "a", "b", "a b", "Pay"]) | page_texts


@st.composite
def row_trees(draw: st.DrawFn) -> list[Row]:
    """Rows as captures have them: ids once, depths without gaps, two frames."""
    rows: list[Row] = []
    depth = -1
    for number in range(draw(st.integers(0, 14))):
        depth = draw(st.integers(0, depth + 1))
        rows.append(draw(new_rows(number, depth)))
    return rows


def new_rows(number: int, depth: int) -> st.SearchStrategy[Row]:
    frames = st.sampled_from([0, 0, 0, 1])

    def build(frame_: int, named: bool, role: str, name: str, value: str, states: tuple[str, ...]) -> Row:
        id_ = ElementId(f"{frame_}-{number}") if named else None
        return Row(id_, depth, role, name, "", value, states, "", frame_)

    flags = st.sampled_from([(), ("focused",), ("checked", "disabled")])
    return st.builds(
        build,
        frames,
        st.integers(0, 4).map(bool),
        st.sampled_from(_TREE_ROLES),
        _WORDS,
        st.just("") | page_texts,
        flags,
    )


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """Rows, and what some edits make of them: fields set, subtrees taken out, put elsewhere, rows put in."""
    old = draw(row_trees())
    new = list(old)
    for number in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(new)))
        kind = draw(st.sampled_from(["set", "drop", "unwrap", "move", "insert"]))
        if kind == "insert" or at == len(new):
            deepest = new[at - 1].depth + 1 if at else 0
            depth = draw(st.integers(min(new[at].depth if at < len(new) else 0, deepest), deepest))
            new.insert(at, draw(new_rows(100 + number, depth)))
        elif kind == "set":
            other = draw(new_rows(0, 0))
            new[at] = msgspec.structs.replace(
                new[at], role=other.role, name=other.name, value=other.value, states=other.states
            )
        else:
            until = at + 1
            while until < len(new) and new[until].depth > new[at].depth:
                until += 1
            part = new[at:until]
            if kind == "unwrap":
                new[at:until] = [msgspec.structs.replace(row, depth=row.depth - 1) for row in part[1:]]
                continue
            del new[at:until]
            if kind == "move":
                to = draw(st.integers(0, len(new)))
                shift = draw(st.integers(0, new[to - 1].depth + 1 if to else 0)) - part[0].depth
                new[to:to] = [msgspec.structs.replace(row, depth=row.depth + shift) for row in part]
    return old, new


def captures(old: Sequence[Row], new: Sequence[Row], loaders: tuple[str, str]) -> tuple[Snapshot, Snapshot]:
    main, inner = loaders
    return (
        snapshot(old, frame(), frame(1)),
        snapshot(new, frame(loader=main), frame(1, inner)),
    )


_LOADERS = st.tuples(st.sampled_from("llm"), st.sampled_from("llm"))


@given(edits(), _LOADERS)
@settings(max_examples=80)
def test_applying_a_diff_to_the_old_rows_gives_the_new_ones(
    drawn: tuple[list[Row], list[Row]], loaders: tuple[str, str]
) -> None:
    old, new = captures(*drawn, loaders)
    diff = new.diff(old)
    assert diff.apply(old.rows) == list(new.rows)
    check_text(diff)


@given(st.lists(any_rows, max_size=8), st.lists(any_rows, max_size=8), _LOADERS)
@settings(max_examples=60)
def test_it_does_so_for_any_rows_at_all(old: list[Row], new: list[Row], loaders: tuple[str, str]) -> None:
    """Depths with gaps, ids that stand twice, frames that the report does not know."""
    older, newer = captures(old, new, loaders)
    diff = newer.diff(older)
    assert diff.apply(older.rows) == new
    assert set(diff.frames) == {row.frame for row in new}
    check_text(diff)


@given(row_trees(), _LOADERS)
@settings(max_examples=60)
def test_a_diff_with_itself_is_empty(rows: list[Row], loaders: tuple[str, str]) -> None:
    old, new = captures(rows, rows, loaders)
    diff = new.diff(old)
    assert not diff
    assert (diff.added, diff.removed, diff.changed, str(diff)) == ((), (), (), "")
    assert diff.apply(old.rows) == rows


@given(edits(), _LOADERS)
@settings(max_examples=60)
def test_there_and_back_are_mirrored(drawn: tuple[list[Row], list[Row]], loaders: tuple[str, str]) -> None:
    old, new = captures(*drawn, loaders)
    there, back = new.diff(old), old.diff(new)
    assert there.added == back.removed
    assert there.removed == back.added
    assert fields_of(there) == {
        (now, was): {(field, after, before) for field, before, after in fields}
        for (was, now), fields in fields_of(back).items()
    }
    moved = [[change for change in diff.changed if change.moved is not None] for diff in (there, back)]
    assert len(moved[0]) == len(moved[1])
    assert back.apply(new.rows) == list(old.rows)


def fields_of(diff: Diff) -> dict[tuple[int, int], set[tuple[str, object, object]]]:
    """Row numbers before and now → what changed."""
    return {
        (change.was_at, change.at): {(one.field, one.old, one.new) for one in change.fields}
        for change in diff.changed
        if change.fields
    }


def check_text(diff: Diff) -> None:
    """Lines are signed, say what is in the data, and nothing that the page forged."""
    text = str(diff)
    assert bool(text) == bool(diff)
    if not diff:
        return
    text.encode()
    lines = text.split("\n")
    assert text.splitlines() == lines
    added = {entry.id for entry in diff.added} | {None}
    removed = {entry.id for entry in diff.removed} | {None}
    stay = {row.id for at, row in enumerate(diff.matching.new.rows) if diff.matching.old_of[at] >= 0} | {None}
    deepest = 0
    for line in lines:
        if line[0] == "#":
            assert deepest == 0
            continue
        assert line[0] in "+-~ "
        body = line[2:].lstrip(" ")
        depth = (len(line) - 2 - len(body)) / 2
        assert depth <= deepest
        deepest = int(depth) + 1
        found = re.match(r"\[(\d+-\d+)\] ", body)
        own = ElementId(found[1]) if found else None
        assert own in {"+": added, "-": removed}.get(line[0], stay)
        row, gap, note = body.partition("   (")
        assert gap or line[0] != "~"
        assert not gap or line[0] != " "
        assert "  " not in row
        assert not gap or note.endswith(")")


@given(st.lists(st.integers(), unique=True, max_size=9))
def test_the_longest_increasing_subsequence(numbers: list[int]) -> None:
    kept = longest_increasing(numbers)
    in_order = [number for number in numbers if number in kept]
    assert in_order == sorted(kept)
    best: list[int] = []
    for at, number in enumerate(numbers):
        best.append(1 + max((best[one] for one in range(at) if numbers[one] < number), default=0))
    assert len(kept) == max(best, default=0)


def test_large_and_deep_pages_cost_no_more_than_their_size() -> None:
    """Twenty thousand siblings turned round, a tree deeper than the stack: quadratic would take minutes."""
    top = Row(ElementId("0-1"), 0, "RootWebArea", "", "", "", (), "", 0)
    flat = [
        top,
        *(Row(ElementId(f"0-{at}"), 1, "link", f"x{at}", "", "", (), "", 0) for at in range(2, 20_000)),
    ]
    turned = [top, *flat[:0:-1]]
    for loader in ("l", "m"):
        diff = snapshot(turned, frame(loader=loader)).diff(snapshot(flat))
        assert len(diff.changed) == len(flat) - 2
        assert diff.apply(flat) == turned
        assert len(str(diff).split("\n")) >= len(diff.changed)
    deep = [Row(ElementId(f"0-{at}"), at, "group", "", "", "", (), "", 0) for at in range(4_000)]
    changed = [*deep[:-1], msgspec.structs.replace(deep[-1], name="end")]
    for loader in ("l", "m"):
        diff = snapshot(changed, frame(loader=loader)).diff(snapshot(deep))
        assert diff.apply(deep) == changed
        lines = {"l": '~ [0-3999] group: end   (was: "")', "m": "+   [0-3999] group: end"}
        assert lines[loader] in str(diff).split("\n")
