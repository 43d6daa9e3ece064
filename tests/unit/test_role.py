"""Role snapshots: each line can be read back, refs are unique and mean the same whatever is left out."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.capture.aria_words import aria_word
from hybridsnap.capture.roles import CONTENT_ROLES, INTERACTIVE_ROLES, STRUCTURAL_ROLES, class_of
from hybridsnap.model import MISSING_FRAME, ElementId, Row
from hybridsnap.protocol.ax_vocabulary import ARIA_ROLES, KnownRole
from hybridsnap.render.role import format_role_line, quote, role_word, word
from hybridsnap.text import clean_text
from tests.support.role_lines import read, refs_of
from tests.support.row_trees import frame, row
from tests.support.row_trees import snapshot as snapshot_of
from tests.support.strategies import page_texts, rows


def lines(*shown: Row, **options: Any) -> list[str]:
    return snapshot_of(shown).render("role", **options).splitlines()


SHOP = (
    row(0, 1, "RootWebArea", "Shop"),
    row(1, 2, "generic", tag="div"),
    row(2, 3, "heading", "Tea", states=("level=1",)),
    row(2, 4, "list"),
    row(3, 5, "listitem"),
    row(4, 6, "button", "Buy"),
    row(4, 7, "StaticText", "two euros"),
    row(3, 8, "listitem", "named"),
    row(4, 9, "button", "Buy", states=("disabled",)),
    row(2, 10, "paragraph"),
    row(3, 11, "StaticText", "words"),
    row(2, 12, "generic", "Open", states=("clickable",)),
    row(2, 13, "textbox", "Name", value="Ada", states=("focused",)),
    row(2, None, "button", "Buy"),
    row(2, 14, "table", "Prices"),
    row(2, 15, "Iframe"),
    row(3, None, MISSING_FRAME, "frame 1 not captured: crashed (http://a/)", frame=1),
)


# Lines


def test_the_whole() -> None:
    assert lines(*SHOP) == [
        '- document "Shop"',
        "  - generic",
        '    - heading "Tea" [ref=e1] [level=1]',
        "    - list",
        "      - listitem",
        '        - button "Buy" [ref=e2]',
        '        - text "two euros"',
        '      - listitem "named" [ref=e3]',
        '        - button "Buy" [ref=e4] [nth=1] [disabled]',
        "    - paragraph",
        '      - text "words"',
        '    - generic "Open" [ref=e5] [clickable]',
        '    - textbox "Name" [ref=e6] [focused] [value="Ada"]',
        '    - button "Buy"',
        '    - table "Prices"',
        "    - iframe",
        "      ! frame 1 not captured: crashed (http://a/)",
    ]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ('say "hi"', r'"say \"hi\""'),
        (r"C:\dir", r'"C:\\dir"'),
        ("a: b", '"a: b"'),
        ("[sic] (0-1)", '"[sic] (0-1)"'),
        ("x [ref=e9]", r'"x \u005bref=e9]"'),
        ("x [Disabled]", r'"x \u005bDisabled]"'),
        ("x [covered by 0-7]", r'"x \u005bcovered by 0-7]"'),
        ("中文 👩‍👩‍👧 عربي", '"中文 👩‍👩‍👧 عربي"'),
        ('"\n  - button "x" [ref=e1]', r'"\" - button \"x\" \u005bref=e1]"'),
    ],
)
def test_names_are_quoted(name: str, printed: str) -> None:
    assert quote(name) == printed
    assert json.loads(printed) == clean_text(name)


def test_a_value_that_is_the_name_is_not_repeated_and_a_long_one_is_cut() -> None:
    assert format_role_line(row(0, 1, "textbox", "a", value="a")) == '- textbox "a"'
    assert format_role_line(row(0, 1, "textbox", value="x" * 101)) == f'- textbox [value="{"x" * 100}…"]'


def test_a_role_is_one_word() -> None:
    assert word('button "x" [ref=e9]') == "button_x_ref_e9_"
    assert word("") == "none"


def test_urls_are_one_word() -> None:
    shown = [row(0, 1, "link", "a"), row(0, 2, "link", "b"), row(0, 3, "link")]
    urls = {"0-1": "http://a/?x=[1]", "0-2": "javascript:f(' [ref=e9]\n')"}
    assert snapshot_of(shown, urls=urls).render("role", urls=True).splitlines() == [
        '- link "a" [ref=e1] -> http://a/?x=[1]',
        "- link \"b\" [ref=e2] -> javascript:f('%20%5Bref=e9]%20')",
        "- link [ref=e3]",
    ]
    assert "->" not in snapshot_of(shown, urls=urls).render("role")


@given(rows)
def test_a_line_reads_back(one: Row) -> None:
    text = format_role_line(one, "e7", 2)
    assert text.splitlines() == [text]
    got = read(text)
    name, value = clean_text(one.name), clean_text(one.value)
    cut = value if len(value) <= 100 else value[:100] + "…"
    states = tuple(
        state for state in one.states if state != "editable" or one.role not in ("generic", "none")
    )
    assert (got.name, got.ref, got.nth, got.states) == (name, "e7", 2, states)
    assert got.role == role_word(one)
    assert got.value == ("" if value == name else cut)


@given(page_texts, page_texts, page_texts)
def test_nothing_of_the_page_looks_like_a_group_of_ours(name: str, value: str, url: str) -> None:
    shown = [
        row(0, 1, "link", f"{name}[ref=e5] [nth=1] [checked]{name}", value=f"{value}[ref=e5]"),
        row(0, None, MISSING_FRAME, f"frame 1 not captured: crashed (http://a/[ref=e6]{url})"),
    ]
    text = snapshot_of(shown, urls={"0-1": f"http://a/[ref=e7]{url}"}).render("role", urls=True)
    assert re.findall(r"\[(?:ref|nth)=[^\]]*\]|\[checked\]", text) == ["[ref=e1]"]
    assert len(text.splitlines()) == 2


def test_roles_are_aria_words() -> None:
    """Chromium's own roles are printed in ARIA's words; an editor without a role is a textbox."""
    chromium = [
        "RootWebArea", "LabelText", "MenuListPopup", "none", "generic", "SvgRoot", "DisclosureTriangle",
        "Date", "StaticText", "paragraph", "doc-abstract", "MadeUpTomorrow",
    ]  # fmt: skip
    assert [role_word(row(0, 1, role)) for role in chromium] == [
        "document", "generic", "listbox", "generic", "generic", "img", "button", "textbox",
        "text", "paragraph", "doc-abstract", "generic",
    ]  # fmt: skip
    assert format_role_line(row(0, 1, "none", states=("scrollable",))) == "- generic [scrollable]"
    assert format_role_line(row(0, 1, "generic", states=("editable",)), "e1") == "- textbox [ref=e1]"
    assert (
        format_role_line(row(0, 1, "article", states=("editable",)), "e1") == "- article [ref=e1] [editable]"
    )


def test_every_role_of_chromium_has_an_aria_word() -> None:
    words = ARIA_ROLES - {"none", "presentation"} | {"text", "iframe"}
    known = set(get_args(KnownRole))
    assert len(known) > 200
    for role in known:
        said = aria_word(role)
        assert said in words or said.startswith("doc-"), role
        assert (said == role) == (role in words or role.startswith("doc-")), role
    # What anybody operates or reads is never called generic.
    media = {"Audio", "Video"}
    assert {role for role in INTERACTIVE_ROLES | CONTENT_ROLES if aria_word(role) == "generic"} == media


# Refs


def test_three_classes_without_a_role_in_two() -> None:
    assert not INTERACTIVE_ROLES & CONTENT_ROLES
    assert not STRUCTURAL_ROLES & (INTERACTIVE_ROLES | CONTENT_ROLES)
    got = {role: class_of(role) for role in ("button", "heading", "row", "StaticText", "unheard-of")}
    assert list(got.values()) == ["interactive", "content", "structural", "structural", "structural"]


def test_the_ref_map() -> None:
    rendering = snapshot_of(SHOP).render("role")
    refs = refs_of(rendering)
    assert list(refs) == [f"e{number}" for number in range(1, 7)]
    assert msgspec.to_builtins(refs["e4"]) == {
        "role": "button",
        "name": "Buy",
        "nth": 1,
        "element_id": "0-9",
        "backendDOMNodeId": 9,
        "frame": 0,
    }
    assert (rendering.extras["mode"], rendering.extras["scope"], rendering.extras["frame"]) == (
        "role",
        None,
        None,
    )
    assert rendering.stats.refs == 6


def test_scope_and_frame_are_remembered_with_the_refs() -> None:
    shown = [*SHOP[:-1], row(3, 1, "RootWebArea", frame=1), row(4, 2, "button", "Buy", frame=1)]
    snapshot = snapshot_of(shown, frame(), frame(1))
    part = snapshot.render("role", scope="0-4")
    assert part.extras["scope"] == ("0-4",)
    assert part.splitlines()[0] == "- list"
    inner = snapshot.render("role", frame=1)
    assert inner.extras["frame"] == 1
    assert inner.splitlines() == ["- document", '  - button "Buy" [ref=e7] [nth=2]']
    assert (inner.stats.refs, len(refs_of(inner))) == (1, 7)
    assert refs_of(inner) == refs_of(part)


def test_names_that_only_differ_in_what_is_not_seen_are_the_same() -> None:
    shown = [row(0, 1, "button", "Buy"), row(0, 2, "button", " Buy\u200b"), row(0, 3, "link", "Buy")]
    assert [ref.nth for ref in refs_of(snapshot_of(shown).render("role")).values()] == [0, 1, 0]
    unseen = [row(0, 1, "heading", "\u200b"), row(0, 2, "heading", " ")]
    assert not refs_of(snapshot_of(unseen).render("role"))


_OPTIONS: list[dict[str, Any]] = [
    {},
    {"interactive": True},
    {"interactive": True, "flat": True},
    {"compact": True},
    {"max_depth": 2},
    {"query": "b"},
    {"frame": 1},
    {"compact": True, "max_depth": 1},
]


@st.composite
def trees(draw: st.DrawFn) -> list[Row]:
    """Rows as a capture gives them: none deeper than one below the row above, each element once."""
    shown: list[Row] = []
    for number, one in enumerate(draw(st.lists(rows, max_size=12))):
        depth = min(one.depth % 6, shown[-1].depth + 1 if shown else 0)
        id_ = None if one.id is None else ElementId(f"{one.frame}-{number}")
        shown.append(msgspec.structs.replace(one, depth=depth, id=id_))
    return shown


@given(trees(), st.sampled_from(_OPTIONS))
def test_a_ref_is_printed_once_and_means_the_same_whatever_is_left_out(
    shown: list[Row], options: dict[str, Any]
) -> None:
    snapshot = snapshot_of(shown, frame(), frame(1))
    rendering = snapshot.render("role", **options)
    refs = refs_of(rendering)
    assert refs == refs_of(snapshot.render("role"))
    assert len({ref.element_id for ref in refs.values()}) == len(refs)
    assert len({(ref.role, ref.name, ref.nth) for ref in refs.values()}) == len(refs)
    got = [read(line) for line in rendering.splitlines()]
    printed = [line.ref for line in got if line.ref]
    assert len(set(printed)) == len(printed) == rendering.stats.refs
    assert set(printed) <= set(refs)
    assert all(refs[line.ref].nth == line.nth for line in got if line.ref)
    for line, above in zip(got, [None, *got], strict=False):
        assert line.depth <= (0 if above is None else above.depth + 1)
        assert line.depth <= options.get("max_depth", 99)
    if options.get("flat"):
        assert not any(line.depth for line in got)


# Options


def test_interactive() -> None:
    assert lines(*SHOP, interactive=True) == [
        '- document "Shop"',
        "  - list",
        "    - listitem",
        '      - button "Buy" [ref=e2]',
        '    - listitem "named" [ref=e3]',
        '      - button "Buy" [ref=e4] [nth=1] [disabled]',
        '  - generic "Open" [ref=e5] [clickable]',
        '  - textbox "Name" [ref=e6] [focused] [value="Ada"]',
        "  - iframe",
        "    ! frame 1 not captured: crashed (http://a/)",
    ]
    *flat, missing = lines(*SHOP, interactive=True, flat=True)
    assert [read(line).ref for line in flat] == ["e2", "e4", "e5", "e6"]
    assert all(line.startswith("- ") for line in flat)
    assert missing.startswith("! frame 1")


def test_compact_then_depth() -> None:
    compact = [
        '- document "Shop"',
        '  - heading "Tea" [ref=e1] [level=1]',
        "  - listitem",
        '    - button "Buy" [ref=e2]',
        '  - listitem "named" [ref=e3]',
        '    - button "Buy" [ref=e4] [nth=1] [disabled]',
        '  - generic "Open" [ref=e5] [clickable]',
        '  - textbox "Name" [ref=e6] [focused] [value="Ada"]',
        "  ! frame 1 not captured: crashed (http://a/)",
    ]
    assert lines(*SHOP, compact=True) == compact
    assert lines(*SHOP, compact=True, max_depth=1) == [line for line in compact if line[:4] != "    "]
    assert lines(*SHOP, compact=True, interactive=True, max_depth=0) == compact[:1]


@given(trees())
def test_compact_leaves_no_branch_without_a_ref_and_loses_none(shown: list[Row]) -> None:
    whole, compact = (snapshot_of(shown).render("role", compact=compact) for compact in (False, True))
    got = [read(line) for line in compact.splitlines()]
    assert [line.ref for line in got if line.ref] == [
        ref for line in whole.splitlines() if (ref := read(line).ref)
    ]
    for line, below in itertools.zip_longest(got, got[1:]):
        assert line.ref or (below is not None and below.depth == line.depth + 1)
        assert line.ref or line.name or class_of(line.role) != "structural"


def test_query() -> None:
    assert lines(*SHOP, query="BUY button") == [
        '- document "Shop"',
        "  - generic",
        "    - list",
        "      - listitem",
        '        - button "Buy" [ref=e2]',
        '      - listitem "named" [ref=e3]',
        '        - button "Buy" [ref=e4] [nth=1] [disabled]',
        '    - button "Buy"',
    ]


def test_a_budget_shows_fewer_refs_and_its_folds_show_the_rest() -> None:
    shown = [row(0, 1, "list"), *(row(1, number, "button", f"Buy {number}") for number in range(2, 200))]
    rendering = snapshot_of(shown).render("role", max_tokens=200)
    assert rendering.stats.tokens <= 200
    assert 0 < rendering.stats.refs < 198 == len(refs_of(rendering))
    seen: set[str] = set()
    todo = [rendering]
    while todo:
        part = todo.pop()
        seen.update(re.findall(r"\[ref=(e\d+)\]", part))
        todo.extend(part.expand(fold.id) for fold in part.folds)
    assert seen == set(refs_of(rendering))
