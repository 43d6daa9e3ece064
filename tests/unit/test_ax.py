"""From a flat AX tree to rows: the pruning rules, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap.capture.ax import build_hierarchical_tree
from hybridsnap.render.tree import render_tree
from tests.support.fake_browser import (
    Data,
    ax,
    ax_tree,
    body,
    dom_index,
    element,
    foreign,
    node,
    shadow,
    text,
)

if TYPE_CHECKING:
    from hybridsnap.capture.ax import FrameRows


def rows_of(dom: Data | None, *nodes: Data, pierce_shadow: bool = True) -> FrameRows:
    index = None if dom is None else dom_index(dom)
    return build_hierarchical_tree(ax_tree(*nodes), index, 0, pierce_shadow=pierce_shadow)


def outline(dom: Data | None, *nodes: Data) -> list[str]:
    return render_tree(rows_of(dom, *nodes).rows).splitlines()


PAGE = body(
    element(4, "div", element(5, "button", text(6, "Go"))),
    element(7, "div", element(8, "p", text(9, "one")), element(10, "p", text(11, "two"))),
)


# Ignored nodes


def test_ignored_nodes_are_transparent() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "T", 2),
        ax(2, "none", "", 3, ignored=True),
        ax(3, "none", "", 5, 8, ignored=True),
        ax(5, "button", "Go"),
        ax(8, "paragraph", "", 9),
        ax(9, "StaticText", "one"),
    )
    assert got == [
        "[0-1] RootWebArea: T",
        "  [0-5] button: Go",
        "  [0-8] paragraph",
        "    [0-9] StaticText: one",
    ]


def test_an_ignored_root_keeps_what_is_below() -> None:
    got = outline(PAGE, ax(1, "none", "", 5, ignored=True), ax(5, "button", "Go"))
    assert got == ["[0-5] button: Go"]


# Structural nodes


def test_a_generic_without_name_and_children_goes() -> None:
    assert outline(PAGE, ax(1, "RootWebArea", "", 4), ax(4, "generic")) == ["[0-1] RootWebArea"]


def test_a_generic_gives_way_to_its_only_child() -> None:
    got = outline(PAGE, ax(1, "RootWebArea", "", 4), ax(4, "generic", "", 5), ax(5, "button", "Go"))
    assert got == ["[0-1] RootWebArea", "  [0-5] button: Go"]


def test_a_chain_of_generics_gives_way_as_a_whole() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 2),
        ax(2, "generic", "", 3),
        ax(3, "none", "", 4),
        ax(4, "generic", "", 5),
        ax(5, "button", "Go"),
    )
    assert got == ["[0-1] RootWebArea", "  [0-5] button: Go"]


def test_a_generic_with_several_children_is_printed_with_its_tag() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 7),
        ax(7, "generic", "", 8, 10),
        ax(8, "paragraph"),
        ax(10, "paragraph"),
    )
    assert got == ["[0-1] RootWebArea", "  [0-7] div", "    [0-8] paragraph", "    [0-10] paragraph"]


def test_children_count_after_pruning() -> None:
    got = outline(
        PAGE, ax(1, "RootWebArea", "", 7), ax(7, "generic", "", 8, 10), ax(8, "generic"), ax(10, "paragraph")
    )
    assert got == ["[0-1] RootWebArea", "  [0-10] paragraph"]


def test_a_generic_with_a_name_stays() -> None:
    got = outline(PAGE, ax(1, "RootWebArea", "", 4), ax(4, "generic", "Box"))
    assert got == ["[0-1] RootWebArea", "  [0-4] div: Box"]


@pytest.mark.parametrize(
    ("name", "value"), [("focusable", True), ("editable", "plaintext"), ("editable", "richtext")]
)
def test_a_generic_that_can_be_operated_stays(name: str, value: Any) -> None:
    got = outline(PAGE, ax(1, "RootWebArea", "", 4), ax(4, "generic", **{name: value}))
    # What can be typed into without having a role is a textbox.
    assert got == ["[0-1] RootWebArea", f"  [0-4] {'textbox' if name == 'editable' else 'div'}"]


@pytest.mark.parametrize(("name", "value"), [("focusable", False), ("editable", ""), ("focusable", "false")])
def test_a_generic_that_cannot_goes(name: str, value: Any) -> None:
    assert outline(PAGE, ax(1, "RootWebArea", "", 4), ax(4, "generic", **{name: value})) == [
        "[0-1] RootWebArea"
    ]


def test_inner_parts_of_a_text_field_say_nothing() -> None:
    inner = shadow(5, "user-agent", element(6, "div", text(7, "typed")))
    dom = body(element(4, "input", shadowRoots=[inner]))
    got = outline(
        dom,
        ax(1, "RootWebArea", "", 4),
        ax(4, "textbox", "Name", 6, value="typed"),
        ax(6, "generic", "", 7, editable="plaintext"),
        ax(7, "StaticText", "typed"),
    )
    assert got == ["[0-1] RootWebArea", '  [0-4] textbox: Name [value="typed"]']


# What scrolls


def test_scrolling_generics_stay_and_say_so() -> None:
    dom = body(element(4, "div", element(5, "p"), isScrollable=True), element(6, "ul", isScrollable=True))
    got = outline(
        dom, ax(1, "RootWebArea", "", 4, 6), ax(4, "generic", "", 5), ax(5, "paragraph"), ax(6, "list", "L")
    )
    assert got == [
        "[0-1] RootWebArea",
        "  [0-4] scrollable, div",
        "    [0-5] paragraph",
        "  [0-6] scrollable, list: L",
    ]


def test_a_scrolling_element_stays_even_when_ignored() -> None:
    dom = body(element(4, "div", element(5, "p"), isScrollable=True))
    got = outline(dom, ax(1, "RootWebArea", "", 4), ax(4, "none", "", 5, ignored=True), ax(5, "paragraph"))
    assert got == ["[0-1] RootWebArea", "  [0-4] scrollable, div", "    [0-5] paragraph"]


def test_a_document_that_scrolls_says_so_at_its_root_element() -> None:
    dom = body()
    dom["isScrollable"] = True
    got = outline(dom, ax(1, "RootWebArea", "T", 2), ax(2, "none", "", 3, ignored=True), ax(3, "paragraph"))
    assert got == ["[0-1] RootWebArea: T", "  [0-2] scrollable, html", "    [0-3] paragraph"]


def test_a_row_s_role_in_data_is_chromium_s() -> None:
    dom = body(element(4, "select"), element(5, "div", isScrollable=True))
    rows = rows_of(dom, ax(1, "RootWebArea", "", 4, 5), ax(4, "combobox"), ax(5, "generic")).rows
    assert [row.role for row in rows] == ["RootWebArea", "combobox", "generic"]


# Text


def test_text_that_repeats_the_name_goes() -> None:
    got = outline(
        PAGE, ax(1, "RootWebArea", "", 5), ax(5, "button", "Go on", 6), ax(6, "StaticText", "  Go\n on ")
    )
    assert got == ["[0-1] RootWebArea", "  [0-5] button: Go on"]


@pytest.mark.parametrize("parts", [["Go ", "on"], ["Go", "on"], ["Go", " ", "on"]])
def test_joined_texts_that_repeat_the_name_go(parts: list[str]) -> None:
    texts = [ax(-number - 1, "StaticText", part) for number, part in enumerate(parts)]
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 5),
        ax(5, "button", "Go on", *(-n - 1 for n in range(len(parts)))),
        *texts,
    )
    assert got == ["[0-1] RootWebArea", "  [0-5] button: Go on"]


@pytest.mark.parametrize(
    ("shown", "value", "printed"),
    [
        ("Plum", "Plum Plum", ['  [0-4] combobox: Fruit [value="Plum"]']),
        ("Duran Duran", "Duran Duran", ['  [0-4] combobox: Fruit [value="Duran Duran"]']),
        ("pick", "pick Plum", ['  [0-4] combobox: Fruit [value="pick Plum"]', "    [0-6] StaticText: pick"]),
    ],
)
def test_a_combobox_that_holds_its_list_has_what_is_chosen_once(
    shown: str, value: str, printed: list[str]
) -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 4),
        ax(4, "combobox", "Fruit", 6, 7, value=value),
        ax(6, "StaticText", shown),
        ax(7, "listbox", "", 9),
        ax(9, "option", "Plum"),
    )
    assert got == ["[0-1] RootWebArea", *printed, "    [0-7] listbox", "      [0-9] option: Plum"]


def test_a_combobox_with_a_field_in_it_has_what_is_chosen_once() -> None:
    for value, shown in (("en - English en - English", "en - English"), ("en - English", "en - English")):
        got = outline(
            PAGE,
            ax(1, "RootWebArea", "", 4),
            ax(4, "combobox", "Language", 6, 7, value=value),
            ax(6, "textbox", "", value="en - English"),
            ax(7, "listbox", "", 9),
            ax(9, "option", "en - English"),
        )
        assert got[1:3] == [
            f'  [0-4] combobox: Language [value="{shown}"]',
            '    [0-6] textbox [value="en - English"]',
        ]


def test_text_that_says_more_than_the_name_stays_with_all_its_siblings() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 5),
        ax(5, "button", "Go", 6, 9),
        ax(6, "StaticText", "Go"),
        ax(9, "StaticText", "on"),
    )
    assert got == [
        "[0-1] RootWebArea",
        "  [0-5] button: Go",
        "    [0-6] StaticText: Go",
        "    [0-9] StaticText: on",
    ]


def test_only_the_texts_go_other_children_stay() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 5),
        ax(5, "link", "Go", 6, 8),
        ax(6, "StaticText", "Go"),
        ax(8, "image", "arrow"),
    )
    assert got == ["[0-1] RootWebArea", "  [0-5] link: Go", "    [0-8] image: arrow"]


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\xa0"])
def test_blank_text_goes(blank: str) -> None:
    assert outline(PAGE, ax(1, "RootWebArea", "", 6), ax(6, "StaticText", blank)) == ["[0-1] RootWebArea"]


def test_pieces_of_lines_never_stand_in_the_outline() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 8),
        ax(8, "paragraph", "", 9, -3),
        ax(9, "StaticText", "one", -1, -2),
        ax(-1, "InlineTextBox", "o"),
        ax(-2, "InlineTextBox", "ne"),
        ax(-3, "LineBreak", "\n"),
    )
    assert got == ["[0-1] RootWebArea", "  [0-8] paragraph", "    [0-9] StaticText: one"]


def test_generated_text_is_a_line_without_an_id() -> None:
    before = node(12, 1, "::before", pseudoType="before")
    marker = node(13, 1, "::marker", pseudoType="marker")
    dom = body(element(4, "li", text(5, "item"), pseudoElements=[before, marker]))
    got = rows_of(
        dom,
        ax(1, "RootWebArea", "", 4),
        ax(4, "listitem", "", 13, 12, 5),
        ax(13, "ListMarker", "1. "),
        ax(12, "none", "", -1, ignored=True),
        ax(-1, "StaticText", "New!"),
        ax(5, "StaticText", "item"),
    )
    assert render_tree(got.rows).splitlines() == [
        "[0-1] RootWebArea",
        "  [0-4] listitem",
        "    ListMarker: 1.",
        "    StaticText: New!",
        "    [0-5] StaticText: item",
    ]
    assert got.unknown == []


# Roles


def test_a_combobox_that_is_a_select_is_printed_so() -> None:
    dom = body(element(4, "select"), element(5, "input"))
    got = outline(dom, ax(1, "RootWebArea", "", 4, 5), ax(4, "combobox", "Size"), ax(5, "combobox", "City"))
    assert got[1:] == ["  [0-4] select: Size", "  [0-5] combobox: City"]


@pytest.mark.parametrize("kind", ["file", "FILE"])
def test_a_file_input(kind: str) -> None:
    dom = body(element(4, "input", attributes=["type", kind]))
    got = outline(dom, ax(1, "RootWebArea", "", 4), ax(4, "button", "Upload", value="No file"))
    assert got[1:] == ['  [0-4] input, file: Upload [value="No file"]']


def test_elements_that_are_not_html_are_printed_with_their_own_name() -> None:
    dom = body(foreign(4, "linearGradient"))
    assert outline(dom, ax(1, "RootWebArea", "", 4), ax(4, "generic", "x"))[1:] == [
        "  [0-4] linearGradient: x"
    ]


# States and values


def test_states_stand_in_their_order() -> None:
    properties: dict[str, object] = {
        "level": 2,
        "multiselectable": True,
        "modal": True,
        "focused": True,
        "invalid": "true",
        "readonly": True,
        "required": True,
        "disabled": True,
        "expanded": True,
        "pressed": "true",
        "selected": True,
        "checked": "true",
    }
    got = outline(PAGE, ax(1, "RootWebArea", "", 4), ax(4, "button", "B", value="v", **properties))
    assert got[1] == (
        "  [0-4] button: B [checked] [selected] [pressed] [expanded] [disabled] [required] [readonly]"
        ' [invalid] [focused] [modal] [multiselectable] [level=2] [value="v"]'
    )


@pytest.mark.parametrize(
    ("properties", "states"),
    [
        ({"checked": "mixed"}, " [mixed]"),
        ({"pressed": "mixed"}, " [mixed]"),
        ({"checked": "false", "pressed": "false"}, ""),
        ({"checked": False, "selected": False, "disabled": False}, ""),
        ({"expanded": False}, " [collapsed]"),
        ({"expanded": "false"}, " [collapsed]"),
        ({"invalid": "false"}, ""),
        ({"invalid": "spelling"}, " [invalid]"),
        ({"settable": True, "focusable": True, "hasPopup": "menu"}, ""),
        ({"level": 3}, " [level=3]"),
    ],
)
def test_states(properties: dict[str, object], states: str) -> None:
    assert (
        outline(PAGE, ax(1, "RootWebArea", "", 4), ax(4, "button", "B", **properties))[1]
        == f"  [0-4] button: B{states}"
    )


def test_a_document_is_never_said_to_be_focused() -> None:
    assert outline(PAGE, ax(1, "RootWebArea", "T", focused=True)) == ["[0-1] RootWebArea: T"]


def test_a_value_that_equals_the_name_is_not_repeated() -> None:
    got = outline(PAGE, ax(1, "RootWebArea", "", 5), ax(5, "textbox", "Ann", value=" Ann "))
    assert got[1] == "  [0-5] textbox: Ann"


def test_long_values_are_cut() -> None:
    got = outline(PAGE, ax(1, "RootWebArea", "", 5), ax(5, "textbox", "N", value="x" * 101))
    assert got[1] == f'  [0-5] textbox: N [value="{"x" * 100}…"]'


@pytest.mark.parametrize("with_dom", [True, False])
def test_a_password_is_never_shown(with_dom: bool) -> None:
    dom = body(
        element(4, "input", attributes=["type", "Password"], shadowRoots=[shadow(5, "user-agent", text(6))])
    )
    secret = "hunter2" if with_dom else "\u2022" * 7
    got = outline(
        dom if with_dom else None,
        ax(1, "RootWebArea", "", 4),
        ax(4, "textbox", "Password", 6, value=secret),
        ax(6, "StaticText", secret),
    )
    assert secret not in "\n".join(got) or not with_dom
    assert got[1] == "  [0-4] textbox: Password"
    assert f'value="{secret}"' not in "\n".join(got)


def test_numbers_are_values_too() -> None:
    slider = ax(5, "slider", "S")
    slider["value"] = {"type": "number", "value": 3.5}
    assert outline(PAGE, ax(1, "RootWebArea", "", 5), slider)[1] == '  [0-5] slider: S [value="3.5"]'


# Trees that are no trees


def test_the_first_of_each_node_wins() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 5),
        ax(5, "button", "first"),
        ax(5, "button", "second"),
        ax(1, "RootWebArea", "b"),
    )
    assert got == ["[0-1] RootWebArea", "  [0-5] button: first"]


def test_a_child_of_two_parents_stands_in_the_outline_once() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 4, 7),
        ax(4, "group", "a", 5),
        ax(7, "group", "b", 5),
        ax(5, "button", "Go"),
    )
    assert sorted(line.strip() for line in got) == [
        "[0-1] RootWebArea",
        "[0-4] group: a",
        "[0-5] button: Go",
        "[0-7] group: b",
    ]


def test_what_no_parent_names_hangs_below_the_root() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "T"),
        ax(7, "group", "lost", 8),
        ax(8, "paragraph", "below"),
        ax(5, "button", "Go"),
    )
    assert got == [
        "[0-1] RootWebArea: T",
        "  [0-7] group: lost",
        "    [0-8] paragraph: below",
        "  [0-5] button: Go",
    ]


def test_cycles_end() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "T", 4),
        ax(4, "group", "a", 7, 1),
        ax(7, "group", "b", 4, 7),
    )
    assert got == ["[0-1] RootWebArea: T", "  [0-4] group: a", "    [0-7] group: b"]


def test_children_that_did_not_come_are_left_out() -> None:
    assert outline(PAGE, ax(1, "RootWebArea", "T", 99)) == ["[0-1] RootWebArea: T"]


def test_no_nodes_no_rows() -> None:
    got = rows_of(PAGE)
    assert (got.rows, got.backend_node_ids, got.unknown, got.ax_nodes) == ([], [], [], 0)


def test_a_second_row_of_the_same_element_has_no_id() -> None:
    twin = ax(5, "group", "b", nodeId="77")
    got = outline(PAGE, ax(1, "RootWebArea", "", 5, 77), ax(5, "button", "a"), twin)
    assert got == ["[0-1] RootWebArea", "  [0-5] button: a", "  group: b"]


def test_ids_that_the_dom_does_not_know_are_noted_and_not_given() -> None:
    got = rows_of(PAGE, ax(1, "RootWebArea", "", 99), ax(99, "button", "new", url="http://x/"))
    assert [row.id for row in got.rows] == ["0-1", None]
    assert got.unknown == [99]
    assert got.urls == {}


def test_without_a_dom_ids_are_given_and_tags_are_not() -> None:
    got = rows_of(None, ax(1, "RootWebArea", "", 5), ax(5, "combobox", "x"))
    assert [(row.id, row.tag) for row in got.rows] == [("0-1", ""), ("0-5", "")]
    assert got.unknown == []


def test_urls_are_kept_by_id() -> None:
    got = rows_of(PAGE, ax(1, "RootWebArea", "", 5, url="http://a/"), ax(5, "link", "Go", url="http://b/"))
    assert got.urls == {"0-1": "http://a/", "0-5": "http://b/"}


# Shadow roots left out


def test_rows_in_author_shadow_can_be_left_out_and_slotted_ones_stay() -> None:
    root = shadow(5, "open", element(6, "button"), element(7, "slot"))
    dom = body(element(4, "x-y", element(8, "p", text(9)), shadowRoots=[root]))
    nodes = [
        ax(1, "RootWebArea", "", 4),
        ax(4, "generic", "", 6, 7),
        ax(6, "button", "inside", -1),
        ax(-1, "StaticText", "generated inside"),
        ax(7, "generic", "", 8),
        ax(8, "paragraph", "", 9),
        ax(9, "StaticText", "slotted"),
    ]
    got = render_tree(rows_of(dom, *nodes, pierce_shadow=False).rows).splitlines()
    assert got == ["[0-1] RootWebArea", "  [0-8] paragraph", "    [0-9] StaticText: slotted"]


def test_generated_content_in_author_shadow_is_left_out_with_it() -> None:
    marker = node(12, 1, "::marker", pseudoType="marker")
    root = shadow(5, "closed", element(6, "li", text(7), pseudoElements=[marker]))
    dom = body(element(4, "x-y", shadowRoots=[root]), element(8, "p"))
    nodes = [
        ax(1, "RootWebArea", "", 4, 8),
        ax(4, "generic", "", 6),
        ax(6, "listitem", "", 12, 7),
        ax(12, "ListMarker", "1. ", -1),
        ax(-1, "StaticText", "1. "),
        ax(7, "StaticText", "item"),
        ax(8, "paragraph", "outside"),
    ]
    got = render_tree(rows_of(dom, *nodes, pierce_shadow=False).rows).splitlines()
    assert got == ["[0-1] RootWebArea", "  [0-8] paragraph: outside"]


def test_generated_content_outside_author_shadow_stays_whatever_comes_last() -> None:
    root = shadow(5, "closed", element(6, "b"))
    dom = body(element(3, "p"), element(4, "x-y", shadowRoots=[root]))
    nodes = [ax(1, "RootWebArea", "", 3), ax(3, "paragraph", "", -1), ax(-1, "StaticText", "made")]
    got = render_tree(rows_of(dom, *nodes, pierce_shadow=False).rows).splitlines()
    assert got == ["[0-1] RootWebArea", "  [0-3] paragraph", "    StaticText: made"]


@pytest.mark.parametrize("level", ["2] [checked", None, "", True])
def test_a_level_is_a_number(level: object) -> None:
    line = outline(PAGE, ax(1, "RootWebArea", "", 4), ax(4, "heading", "H", level=level))[1]
    assert "checked" not in line
    assert "None" not in line


def test_a_node_that_comes_again_after_its_parent_stands_once() -> None:
    got = outline(
        PAGE,
        ax(1, "RootWebArea", "", 4),
        ax(-5, "StaticText", "made"),
        ax(4, "group", "g", -5, 5),
        ax(-5, "StaticText", "made"),
        ax(5, "button", "Go"),
    )
    assert got == ["[0-1] RootWebArea", "  [0-4] group: g", "    StaticText: made", "    [0-5] button: Go"]


# Size and depth


def test_fifty_thousand_levels() -> None:
    levels = 50_000
    nodes = [ax(id_, "group", "g", id_ + 1) for id_ in range(1, levels)]
    got = rows_of(None, *nodes, ax(levels, "button", "deep"))
    assert len(got.rows) == levels
    assert got.rows[-1].depth == levels - 1
    chain = [ax(id_, "generic", "", id_ + 1) for id_ in range(1, levels)]
    assert [row.role for row in rows_of(None, *chain, ax(levels, "button", "deep")).rows] == ["button"]


# Node ids


def test_node_ids_need_not_be_numbers() -> None:
    nodes = [ax(1, "RootWebArea", "", 4), ax(4, "generic", "Box", 5), ax(5, "button", "Go")]
    numbered = outline(PAGE, *nodes)
    for node_ in nodes:
        node_["nodeId"] = f"ax-{node_['nodeId']}"
        node_["childIds"] = [f"ax-{child}" for child in node_["childIds"]]
    nodes[2]["nodeId"] = nodes[1]["childIds"][0] = "7"  # one that looks like a number among others
    assert outline(PAGE, *nodes) == numbered
    assert len(numbered) == 3


def test_a_role_or_a_property_that_nobody_knows_is_read_all_the_same() -> None:
    nodes = [ax(1, "RootWebArea", "", 4), ax(4, "holodeck", "Box", sparkling="true", focusable=True)]
    assert outline(PAGE, *nodes) == ["[0-1] RootWebArea", "  [0-4] holodeck: Box"]
