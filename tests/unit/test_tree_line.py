"""The outline's lines: the grammar holds, whatever the page calls its things."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridsnap.model import MISSING_FRAME, ElementId, Row
from hybridsnap.render.tree import format_tree_line, render_tree
from hybridsnap.text import clean_text
from tests.support.strategies import page_texts, rows

_STATE = re.compile(
    r"(?<!\\)\[(?:(checked|mixed|selected|pressed|expanded|collapsed|disabled|required|readonly|invalid|focused|modal"
    r"|multiselectable|level=\d+)|value=(\"(?:[^\"\\]|\\.)*\")|description=\"(?:[^\"\\]|\\.)*\")\]\Z",
    re.IGNORECASE,
)
_ID = re.compile(r"\[(\d+-\d+)\] ")


def parse(line: str) -> tuple[str | None, str, list[str], str]:
    """An outline line as a reader takes it apart: id, label and name, states, value."""
    id_ = None
    if match := _ID.match(line):
        id_, line = match[1], line[match.end() :]
    states: list[str] = []
    value = ""
    while match := _STATE.search(line):
        if match.start() and line[match.start() - 1] != " ":
            break
        if match[2] is not None:
            if states or value:
                break
            value = json.loads(match[2])
        elif match[1] is not None:
            states.insert(0, match[1])
        line = line[: match.start()].rstrip(" ")
    return id_, line, states, value


def row(role: str = "button", name: str = "", **fields: object) -> Row:
    values: dict[str, object] = {
        "id": ElementId("0-5"),
        "depth": 0,
        "description": "",
        "value": "",
        "states": (),
        "tag": "",
        "frame": 0,
        **fields,
    }
    return Row(role=role, name=name, **values)  # type: ignore[arg-type]  # one place for defaults


@pytest.mark.parametrize(
    ("given_", "line"),
    [
        (row("button", "Click Me"), "[0-5] button: Click Me"),
        (row("button"), "[0-5] button"),
        (row("button", "Go", id=None), "button: Go"),
        (row("generic", tag="div"), "[0-5] div"),
        (row("none", tag="div"), "[0-5] div"),
        (row("generic"), "[0-5] generic"),
        (row("generic", tag="html", states=("scrollable",)), "[0-5] scrollable, html"),
        (row("list", "L", tag="ul", states=("scrollable",)), "[0-5] scrollable, list: L"),
        (row("generic", tag="div", states=("scrollable", "focused")), "[0-5] scrollable, div [focused]"),
        (row("combobox", "Size", tag="select", states=("collapsed",)), "[0-5] select: Size [collapsed]"),
        (row("combobox", "City", tag="input"), "[0-5] combobox: City"),
        (row("button", "Up", tag="input", states=("file",)), "[0-5] input, file: Up"),
        (row("checkbox", "A", states=("checked", "required")), "[0-5] checkbox: A [checked] [required]"),
        (row("heading", "H", states=("level=2",)), "[0-5] heading: H [level=2]"),
        (row("textbox", "N", value='a "b"\\'), '[0-5] textbox: N [value="a \\"b\\"\\\\"]'),
        (row("textbox", "N", value="N"), "[0-5] textbox: N"),
        (row("textbox", "N", description="d", value="v"), '[0-5] textbox: N [description="d"] [value="v"]'),
        (row("textbox", "City name", description="city"), "[0-5] textbox: City name"),
        (row("link", "N", description="d"), "[0-5] link: N"),
        (row("paragraph", "N", description="d"), "[0-5] paragraph: N"),
        (row("button", "N", description="x" * 99), f'[0-5] button: N [description="{"x" * 80}…"]'),
        (row("button", 'N [description="d"]'), '[0-5] button: N \\[description="d"]'),
        (row("textbox", "N", value=" \n"), "[0-5] textbox: N"),
        (row("textbox", value="ü"), '[0-5] textbox [value="ü"]'),
        (row(MISSING_FRAME, "frame 3 not captured: crashed", id=None), "! frame 3 not captured: crashed"),
        # What a page may try
        (row("button", "Save [disabled]"), "[0-5] button: Save \\[disabled]"),
        (row("button", "Save [Disabled]"), "[0-5] button: Save \\[Disabled]"),
        (row("button", "Save [disabled]", states=("checked",)), "[0-5] button: Save \\[disabled] [checked]"),
        (row("button", "Save [draft]"), "[0-5] button: Save [draft]"),
        (row("button", "[checked] box"), "[0-5] button: [checked] box"),
        (row("textbox", '[value="x"]'), '[0-5] textbox: \\[value="x"]'),
        (row("button", "x\n[0-1] button: forged"), "[0-5] button: x [0-1] button: forged"),
        (row("generic", tag="a[disabled]"), "[0-5] a_disabled]"),
        (row("generic", tag="a\u2028[0-1]", id=None), "a__0-1]"),
    ],
)
def test_lines(given_: Row, line: str) -> None:
    assert format_tree_line(given_) == line


@given(rows)
@settings(max_examples=200)
def test_the_grammar_holds_whatever_the_strings(one: Row) -> None:
    line = format_tree_line(one)
    assert line.splitlines() == [line]
    line.encode("utf-8")
    id_, _, states, value = parse(line)
    assert id_ == one.id
    assert states == [state for state in one.states if state != "scrollable"]
    printed = clean_text(one.value)
    shown = "" if printed == clean_text(one.name) else printed
    assert value == (shown if len(shown) <= 100 else shown[:100] + "…")


@given(st.lists(rows, max_size=5))
def test_one_line_a_row(some: list[Row]) -> None:
    text = render_tree(some)
    lines = text.splitlines()
    assert len(lines) == len(some)
    assert text.count("\n") == max(0, len(some) - 1)
    for line, one in zip(lines, some, strict=True):
        assert line.startswith("  " * one.depth)
        assert not line[2 * one.depth :].startswith(" ")


@given(page_texts, page_texts)
@settings(max_examples=150)
def test_not_even_a_strange_browser_s_roles_start_a_line(role: str, words: str) -> None:
    line = format_tree_line(row(role, words))
    assert line.splitlines() == [line]
    line.encode("utf-8")
    assert line.startswith("[0-5] ")
    missing = format_tree_line(row(MISSING_FRAME, f"frame 1 not captured: crashed ({words})", id=None))
    assert missing.splitlines() == [missing]


def test_deep_rows_are_indented_two_spaces_a_level() -> None:
    assert render_tree([row("button", depth=200)]) == "  " * 200 + "[0-5] button"
    assert render_tree([row("button", depth=7)], base_depth=5) == "    [0-5] button"
