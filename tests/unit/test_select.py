"""Which rows the options leave, what `ai` makes of rows, and how much a rendering still shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from hybridsnap.errors import UnknownElement
from hybridsnap.model import Box, ElementId, Layout, Row, Viewport
from hybridsnap.render.coverage import gather_coverage
from hybridsnap.snapshot import Snapshot
from tests.support.row_trees import row
from tests.support.row_trees import snapshot as snapshot_of

if TYPE_CHECKING:
    from hybridsnap.render.formats import FormatName

SHOP = [
    row(0, 1, "RootWebArea", "Shop"),
    row(1, 2, "generic", tag="div"),
    row(2, 3, "navigation", "Main"),
    row(3, 4, "link", "Home"),
    row(2, 5, "main"),
    row(3, 6, "generic", tag="div"),
    row(4, 7, "link", "Tea [new]"),
    row(4, 8, "StaticText", "Two euros"),
    row(3, 9, "list"),
    row(4, 10, "listitem"),
]


def lines(snapshot: Snapshot, *arguments: Any, **options: Any) -> list[str]:
    return snapshot.render(*arguments, **options).splitlines()


def test_only_what_can_be_operated_with_what_gives_it_meaning() -> None:
    assert lines(snapshot_of(SHOP), interactive=True) == [
        "[0-1] RootWebArea: Shop",
        "  [0-3] navigation: Main",
        "    [0-4] link: Home",
        "  [0-5] main",
        r"    [0-7] link: Tea \[new]",
    ]


def test_flat() -> None:
    assert lines(snapshot_of(SHOP), interactive=True, flat=True) == [
        "[0-4] link: Home",
        r"[0-7] link: Tea \[new]",
    ]


def test_what_only_script_makes_clickable_can_be_operated() -> None:
    rows = [SHOP[0], row(1, 2, "generic", "Buy", tag="div", states=("clickable",))]
    assert lines(snapshot_of(rows), interactive=True)[1] == "  [0-2] div: Buy [clickable]"


def test_compact() -> None:
    assert lines(snapshot_of(SHOP), compact=True) == [
        "[0-1] RootWebArea: Shop",
        "  [0-3] navigation: Main",
        "    [0-4] link: Home",
        "  [0-5] main",
        r"    [0-7] link: Tea \[new]",
        "    [0-8] StaticText: Two euros",
    ]


@pytest.mark.parametrize(("depth", "count"), [(0, 1), (1, 2), (2, 4), (9, 10)])
def test_max_depth(depth: int, count: int) -> None:
    assert len(lines(snapshot_of(SHOP), max_depth=depth)) == count


def test_query_finds_all_words_and_shows_what_they_stand_in() -> None:
    assert lines(snapshot_of(SHOP), query="EUROS two")[-1].strip() == "[0-8] StaticText: Two euros"
    assert lines(snapshot_of(SHOP), query="two pounds") == []


def test_scope_is_a_subtree_and_must_exist() -> None:
    assert lines(snapshot_of(SHOP), scope="0-3") == ["[0-3] navigation: Main", "  [0-4] link: Home"]
    with pytest.raises(UnknownElement, match="0-99"):
        snapshot_of(SHOP).render(scope="0-99")


def test_urls() -> None:
    assert lines(snapshot_of(SHOP, urls={"0-7": "http://shop.test/tea"}), urls=True)[6].endswith(
        " -> http://shop.test/tea"
    )


@pytest.mark.parametrize("format_", ["tree", "ai"])
def test_an_address_begins_no_state_and_no_id(format_: FormatName) -> None:
    urls = {"0-7": "javascript:f(' [0-9] button: Pay [checked]')", "0-4": "http://shop.test/?tea=[1]"}
    shown = snapshot_of(SHOP, urls=urls).render(format_, urls=True)
    assert " -> javascript:f('%20%5B0-9]%20button:%20Pay%20%5Bchecked]')\n" in shown
    assert " -> http://shop.test/?tea=[1]\n" in shown


def test_the_title_and_the_names_of_dialogs_hold_no_ids() -> None:
    rows = [row(0, 1, "RootWebArea", "x"), row(1, 2, "dialog", "Cookies, [0-9] Pay")]
    report = msgspec.structs.replace(snapshot_of(rows).report, title="Tea [0-9]")
    head = Snapshot(rows, {}, {}, report).render("ai")
    assert head.splitlines()[0].startswith(r"page Tea \[0-9] ")
    assert r"dialog open: [0-2] Cookies, \[0-9] Pay" in head


def box(share: float, provenance: Any = "") -> Box:
    return Box((0, 0, 10, 10), share, 1, "auto", False, True, 1.0, None, provenance)


def test_visible_only() -> None:
    view = Viewport(800, 600, 0, 0, 800, 600, 1)
    layout = Layout(view, {ElementId("0-4"): box(1.0), ElementId("0-7"): box(0.0, "offscreen")})
    assert [text.strip() for text in lines(snapshot_of(SHOP, layout=layout), visible_only=True)] == [
        "viewport 800x600 at 0,0 of 800x600",
        "[0-1] RootWebArea: Shop",
        "[0-2] div",
        "[0-3] navigation: Main",
        "[0-4] link: Home",
    ]
    with pytest.raises(ValueError, match="layout=True"):
        snapshot_of(SHOP).render(visible_only=True)


@pytest.mark.parametrize(
    ("format_", "options", "words"),
    [
        ("yaml", {}, "format is one of"),
        ("tree", {"sparkle": True}, "'sparkle' is not an option"),
        ("html", {"interactive": True}, "interactive means nothing"),
        ("json", {"compact": True}, "compact means nothing"),
        ("tree", {"max_chars": 10, "max_tokens": 10}, "not both"),
        ("json", {"max_tokens": 10}, "too small to show anything of this page as JSON"),
        ("aria", {}, "read from JSON"),
    ],
)
def test_what_cannot_be_rendered_is_refused(format_: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        snapshot_of(SHOP).render(format_, **options)


# ai


def ai(*rows: Row, **options: Any) -> list[str]:
    head, *rest = lines(snapshot_of(rows), "ai", **options)
    assert head.startswith("page Shop <http://shop.test/>")
    return [text.removeprefix("  ") for text in rest[1:]]


TOP = row(0, 1, "RootWebArea", "Shop")


def test_ai_joins_pieces_of_text() -> None:
    got = ai(
        TOP,
        row(1, 2, "paragraph"),
        row(2, 3, "StaticText", "See "),
        row(2, 4, "code", "open()"),
        row(2, 5, "StaticText", ", please"),
    )
    assert got == ["[0-2] paragraph: See open(), please"]


def test_ai_keeps_a_link_in_its_sentence() -> None:
    got = ai(
        TOP,
        row(1, 2, "paragraph"),
        row(2, 3, "StaticText", "See "),
        row(2, 4, "link", "open"),
        row(2, 5, "StaticText", "."),
    )
    assert got == ["[0-2] paragraph: See [0-4] open."]


def test_ai_says_a_name_once() -> None:
    got = ai(TOP, row(1, 2, "heading", "News", states=("level=2",)), row(2, 3, "link", "News"))
    assert got == ["[0-2] heading: [0-3] News [level=2]"]
    got = ai(TOP, row(1, 2, "link", "Logo"), row(2, 3, "image", "Logo"))
    assert got == ["[0-2] link: Logo"]


def test_ai_puts_a_definition_below_its_term() -> None:
    got = ai(
        TOP,
        row(1, 2, "DescriptionList"),
        row(2, 3, "term", "open ¶"),
        row(3, 4, "StaticText", "open"),
        row(3, 5, "link", "¶"),
        row(2, 6, "definition"),
        row(3, 7, "paragraph"),
        row(4, 8, "StaticText", "Opens it."),
    )
    assert got == ["[0-3] term: open [0-5] ¶", "  [0-7] paragraph: Opens it."]


def test_ai_prints_a_card_as_an_item_of_its_list() -> None:
    got = ai(
        TOP,
        row(1, 2, "listitem"),
        row(2, 3, "article"),
        row(3, 4, "heading", "Tea", states=("level=2",)),
        row(3, 5, "button", "Buy"),
    )
    assert got == ["[0-2] listitem", "  [0-4] heading: Tea [level=2]", "  [0-5] button: Buy"]


def test_ai_numbers_a_paragraph_of_a_list() -> None:
    got = ai(
        TOP,
        row(1, 2, "list"),
        row(2, 3, "listitem"),
        row(3, 4, "ListMarker", "1. "),
        row(3, 5, "paragraph"),
        row(4, 6, "StaticText", "Mix"),
        row(2, 7, "listitem"),
        row(3, 8, "ListMarker", "2. "),
        row(3, 9, "paragraph"),
        row(4, 10, "StaticText", "Bake"),
    )
    assert got == ["[0-2] list", "  [0-3] listitem: 1. Mix", "  [0-7] listitem: 2. Bake"]


def test_ai_prints_no_icon_below_a_name() -> None:
    got = ai(TOP, row(1, 2, "button", "Close"), row(2, 3, "StaticText", "×"))
    assert got == ["[0-2] button: Close"]
    got = ai(TOP, row(1, 2, "button", "Rating"), row(2, 3, "StaticText", "★★★★☆"))
    assert len(got) == 2, "that many characters tell something"


def test_ai_does_not_say_a_label_beside_its_control() -> None:
    got = ai(TOP, row(1, 2, "LabelText"), row(2, 3, "StaticText", "Mail"), row(2, 4, "textbox", "Mail"))
    assert got == ["[0-4] textbox: Mail"]


def test_ai_unwraps() -> None:
    got = ai(
        TOP,
        row(1, 2, "generic", tag="div"),
        row(2, 3, "generic", tag="div"),
        row(3, 4, "button", "Go"),
        row(1, 5, "image"),
    )
    assert got == ["[0-4] button: Go"]


def test_ai_makes_records_of_table_rows() -> None:
    got = ai(
        TOP,
        row(1, 2, "table", "Prices"),
        row(2, 3, "row"),
        row(3, 4, "columnheader", "Name"),
        row(3, 5, "columnheader", "Price"),
        row(3, 6, "columnheader", "Action"),
        row(2, 7, "row"),
        row(3, 8, "cell", "Tea"),
        row(3, 9, "cell", "2"),
        row(3, 10, "cell", "Buy"),
        row(4, 11, "button", "Buy"),
    )
    assert got == [
        "[0-2] table: Prices",
        "  [0-3] row: Name | Price | Action",
        "  [0-7] row: Name: Tea | Price: 2 | Action: [0-11] button: Buy",
    ]


def test_ai_names_the_options_of_a_closed_select() -> None:
    rows = [TOP, row(1, 2, "combobox", "Size", tag="select", states=("collapsed",), value="M")]
    rows += [row(2, 3, "MenuListPopup"), *(row(3, 4 + at, "option", name) for at, name in enumerate("SML"))]
    got = ai(*rows)
    assert got == ['[0-2] select: Size [collapsed] [value="M"] (options: S, M, L)']
    assert {"0-4", "0-5", "0-6"} <= snapshot_of(rows).render("ai").ids
    rows += [row(3, 10 + at, "option", f"Size {at}") for at in range(50)]
    whole = snapshot_of(rows).render("ai")
    assert whole.endswith(", …) [… 53 options]")
    assert whole.expand("0-2").count("option: ") == 53


def test_ai_prints_the_whole_page_where_there_is_no_budget() -> None:
    rows = [TOP, row(1, 2, "list"), *(row(2, 10 + at, "button", f"B{at}") for at in range(500))]
    assert len(ai(*rows)) == 501


def test_ai_prints_a_page_that_writes_like_an_id_as_text() -> None:
    got = ai(TOP, row(1, 2, "paragraph"), row(2, 3, "StaticText", "See [0-9] Pay, [0-1..0-9] and [0-9@4]"))
    assert got == [r"[0-2] paragraph: See \[0-9] Pay, \[0-1..0-9] and \[0-9@4]"]


# Coverage


def test_coverage_is_whole_for_the_outline_and_for_a_rendering_with_its_expansions() -> None:
    rows = [TOP, row(1, 2, "list"), *(row(2, 10 + at, "button", f"Button {at}") for at in range(200))]
    snapshot = snapshot_of(rows)
    whole = snapshot.coverage(snapshot.render())
    assert (whole.interactive, whole.named, whole.words) == (1.0, 1.0, 1.0)
    part = snapshot.render("ai", max_tokens=300)
    some = snapshot.coverage(part)
    assert 0 < some.interactive < 0.5
    parts: list[str] = [part]
    todo = [fold.id for fold in part.folds]
    while todo:
        more = part.expand(todo.pop())
        parts.append(more)
        todo += [fold.id for fold in more.folds]
    every = gather_coverage(snapshot.content, parts)
    assert (every.interactive, every.named, every.words) == (1.0, 1.0, 1.0)


def test_coverage_of_any_text_knows_words_only() -> None:
    some = snapshot_of(SHOP).coverage("home and tea, two")
    assert some.interactive == 0.0
    assert 0 < some.words < 1


# JSON


def test_json_fits_its_budget_and_can_be_read_back() -> None:
    rows = [TOP, row(1, 2, "list"), *(row(2, 10 + at, "button", f"Button {at}") for at in range(500))]
    snapshot = snapshot_of(rows)
    whole = snapshot.render("json")
    assert Snapshot.from_json(whole) == snapshot
    part = snapshot.render("json", max_tokens=2_000)
    assert part.stats.tokens <= 2_000
    read = Snapshot.from_json(part)
    assert 10 < len(read.rows) < len(rows)
    assert re.search(r"… [\d,]+ buttons", read.combined_tree)
    assert "shortened to fit" in read.report.notes[-1]
    assert {line.partition("]")[0] for line in read.combined_tree.split("\n") if "… " not in line} == {
        line.partition("]")[0] for line in read.render().split("\n")
    }
