"""What changed: which row is which, the data, and the text that tells each change once."""

from __future__ import annotations

import dataclasses
import re

import msgspec
import pytest

from hybridsnap.model import MISSING_FRAME, ElementId, Row
from hybridsnap.render.changes import render_diff
from hybridsnap.render.diff_budget import fit_diff
from hybridsnap.render.match import match_rows
from hybridsnap.snapshot import Snapshot
from tests.support.row_trees import SHOP, edited, frame, outline, snapshot


def told(old: str, new: str, *, loader: str = "l") -> list[str]:
    return str(snapshot(outline(new), frame(loader=loader)).diff(snapshot(outline(old)))).split("\n")


# As data


def test_rows_that_came_went_and_changed() -> None:
    new = edited(
        ("        [0-5] StaticText: 0\n", "        [0-20] StaticText: 1\n"),
        ("      [0-10] listitem\n        [0-11] StaticText: Rice\n", ""),
        ("[0-14] button: Pay", "[0-14] button: Pay now (disabled)"),
    )
    diff = snapshot(outline(new)).diff(snapshot(outline(SHOP)))
    assert diff
    assert [(entry.id, entry.role, entry.name) for entry in diff.added] == [("0-20", "StaticText", "1")]
    assert [(entry.id, entry.role, entry.name) for entry in diff.removed] == [
        ("0-5", "StaticText", "0"),
        ("0-10", "listitem", ""),
        ("0-11", "StaticText", "Rice"),
    ]
    assert diff.removed[1].place.parent_id == "0-7"
    assert diff.removed[1].place.index == 1
    (change,) = diff.changed
    assert (change.id, change.role, change.name, change.moved) == ("0-14", "button", "Pay now", None)
    assert [(one.field, one.old, one.new) for one in change.fields] == [
        ("name", "Pay", "Pay now"),
        ("states", (), ("disabled",)),
    ]
    assert diff.matched_by == "identity"
    assert diff.frames == {0: "identity"}


def test_every_field_is_told() -> None:
    old = Row(ElementId("0-1"), 0, "button", "a", "b", "c", ("focused",), "d", 0)
    new = Row(ElementId("0-1"), 0, "link", "A", "B", "C", ("checked",), "D", 0)
    diff = snapshot([new], urls={ElementId("0-1"): "http://new/"}).diff(
        snapshot([old], urls={ElementId("0-1"): "http://old/"})
    )
    assert {one.field: (one.old, one.new) for one in diff.changed[0].fields} == {
        "role": ("button", "link"),
        "name": ("a", "A"),
        "description": ("b", "B"),
        "value": ("c", "C"),
        "states": (("focused",), ("checked",)),
        "tag": ("d", "D"),
        "url": ("http://old/", "http://new/"),
    }
    assert str(diff) == (
        '~ [0-1] link: A [checked] [value="C"]   (role was: "button"; was: "a"; description: "B", was: "b";'
        ' value was: "c"; now checked, no longer focused; tag was: "d"; url: "http://new/", was: "http://old/")'
    )


def test_a_shift_is_no_change_and_a_move_is_one() -> None:
    inserted = edited(("    [0-7] list\n", "    [0-30] heading: New\n    [0-7] list\n"))
    diff = snapshot(outline(inserted)).diff(snapshot(outline(SHOP)))
    assert (len(diff.added), diff.removed, diff.changed) == (1, (), ())

    swapped = edited(
        ("      [0-10] listitem\n        [0-11] StaticText: Rice\n", ""),
        (
            "      [0-8] listitem\n",
            "      [0-10] listitem\n        [0-11] StaticText: Rice\n      [0-8] listitem\n",
        ),
    )
    (change,) = snapshot(outline(swapped)).diff(snapshot(outline(SHOP))).changed
    assert change.fields == ()
    assert change.moved is not None
    assert {place.parent_id for place in change.moved} == {"0-7"}

    elsewhere = edited(
        ("      [0-14] button: Pay\n", ""), ("    [0-3] link", "    [0-14] button: Pay\n    [0-3] link")
    )
    (change,) = snapshot(outline(elsewhere)).diff(snapshot(outline(SHOP))).changed
    assert change.moved is not None
    assert [place.parent_id for place in change.moved] == ["0-12", "0-2"]


def test_of_siblings_in_another_order_the_fewest_have_moved() -> None:
    rows = [Row(ElementId(f"0-{at}"), min(at, 1), "link", str(at), "", "", (), "", 0) for at in range(40)]
    first_last = [rows[0], *rows[2:], rows[1]]
    (change,) = snapshot(first_last).diff(snapshot(rows)).changed
    assert change.id == "0-1"
    assert [place.index for place in change.moved or ()] == [0, 38]


def test_parent_and_child_may_change_places() -> None:
    old = outline("[0-1] RootWebArea\n  [0-2] group: a\n    [0-3] group: b")
    new = outline("[0-1] RootWebArea\n  [0-3] group: b\n    [0-2] group: a")
    diff = snapshot(new).diff(snapshot(old))
    assert diff.apply(old) == new
    assert {change.id for change in diff.changed} == {"0-2", "0-3"}


def test_rows_without_an_id_are_matched_below_their_parent() -> None:
    old = outline("[0-1] RootWebArea\n  [0-2] list\n    ListMarker: 1.\n    ListMarker: 2.\n  StaticText: x")
    new = outline("[0-1] RootWebArea\n  [0-2] list\n    ListMarker: 0.\n    ListMarker: 1.\n  StaticText: x")
    diff = snapshot(new).diff(snapshot(old))
    assert [entry.name for entry in diff.added] == ["0."]
    assert [entry.name for entry in diff.removed] == ["2."]
    assert diff.changed == ()


def test_ids_of_another_document_mean_nothing() -> None:
    new = edited(("[0-14] button: Pay", "[0-14] button: Delete"))
    diff = snapshot(outline(new), frame(loader="m")).diff(snapshot(outline(SHOP)))
    assert diff.matched_by == "role, name and place"
    assert [entry.name for entry in (*diff.added, *diff.removed)] == ["Delete", "Pay"]
    assert diff.changed == ()
    # The same, with all ids new: by place nothing else is different.
    renumbered = re.sub(r"\[0-(\d+)\]", lambda found: f"[0-{int(found[1]) + 500}]", new)
    diff = snapshot(outline(renumbered), frame(loader="m")).diff(snapshot(outline(SHOP)))
    assert [entry.id for entry in (*diff.added, *diff.removed)] == ["0-514", "0-14"]
    assert diff.changed == ()
    assert diff.apply(outline(SHOP)) == outline(renumbered)


@pytest.mark.parametrize("loaders", [(None, None), ("l", None), (None, "l"), ("l", "m")])
def test_a_document_is_the_same_only_when_that_is_known(loaders: tuple[str | None, str | None]) -> None:
    new, old = (snapshot(outline(SHOP), frame(loader=loader)) for loader in loaders)
    assert new.diff(old).matched_by == "role, name and place"
    assert not new.diff(old)


def test_a_frame_that_navigates_is_matched_by_place_and_the_page_by_identity() -> None:
    page = outline("[0-1] RootWebArea: Shop\n  [0-2] Iframe: Pay")
    inner = "    [1-1] RootWebArea: Card\n      [1-2] textbox: Number\n      [1-3] button: {}"
    old = [*page, *deeper(inner.format("Next"))]
    new = [*page, *deeper(inner.replace("1-3", "1-9").format("Next")), *deeper("      [1-10] link: Help")]
    diff = snapshot(new, frame(), frame(1, "b")).diff(snapshot(old, frame(), frame(1, "a")))
    assert (diff.matched_by, diff.frames) == ("identity", {0: "identity", 1: "role, name and place"})
    assert [entry.id for entry in diff.added] == ["1-10"]
    assert (diff.removed, diff.changed) == ((), ())
    assert str(diff).split("\n")[0] == (
        "# frame 1 holds another document than before: its rows are matched by role, name and place"
    )


def deeper(text: str) -> list[Row]:
    base = (len(text) - len(text.lstrip())) // 2
    return [msgspec.structs.replace(row, depth=row.depth + base, frame=1) for row in outline(text)]


def test_frames_numbered_otherwise_are_the_same_frames() -> None:
    """Two connections to one page may number its frames in another order."""
    page = outline("[0-1] RootWebArea: Shop")
    one = Row(ElementId("1-5"), 1, "button", "Pay", "", "", (), "", 1)
    two = msgspec.structs.replace(one, id=ElementId("2-5"), frame=2)
    old = snapshot([*page, one], frame(), frame(1, frame_id="a"), frame(2, frame_id="b"))
    new = snapshot([*page, two], frame(), frame(2, frame_id="a"), frame(1, frame_id="b"))
    diff = new.diff(old)
    assert not diff
    assert diff.renumbered == {1: ("2-5", 2)}
    assert diff.apply(old.rows) == list(new.rows)


def test_across_navigations_an_inserted_item_is_one_change() -> None:
    old = "[0-1] RootWebArea: Shop\n  [0-2] list\n" + "".join(
        f"    [0-{10 + at}] listitem\n      [0-{50 + at}] StaticText: item {at}\n" for at in range(9)
    )
    new = old.replace("  [0-2] list\n", "  [0-2] list\n    [0-8] listitem\n      [0-9] StaticText: first\n")
    diff = snapshot(outline(new), frame(loader="m")).diff(snapshot(outline(old)))
    assert [entry.name for entry in diff.added] == ["", "first"]
    assert (diff.removed, diff.changed) == ((), ())


def test_across_navigations_what_moved_elsewhere_is_found() -> None:
    old = "[0-1] RootWebArea\n  [0-2] banner\n    [0-3] button: Pay\n  [0-4] main\n    [0-5] link: x"
    new = "[0-1] RootWebArea\n  [0-2] banner\n  [0-4] main\n    [0-5] link: x\n    [0-3] button: Pay"
    (change,) = snapshot(outline(new), frame(loader="m")).diff(snapshot(outline(old))).changed
    assert change.name == "Pay"
    assert change.moved is not None


def test_apply_refuses_other_rows() -> None:
    diff = snapshot(outline(edited(("Pay", "Buy")))).diff(snapshot(outline(SHOP)))
    with pytest.raises(ValueError, match="not the rows of the older snapshot"):
        diff.apply(outline(SHOP)[:3])
    with pytest.raises(ValueError, match="not the rows of the older snapshot"):
        diff.apply(outline(edited(("Pay", "Sell"))))


# As text


def test_a_page_that_was_only_scrolled_has_not_changed() -> None:
    old = snapshot(outline(SHOP))
    rows = [
        msgspec.structs.replace(row, states=(*row.states, mark))
        for row, mark in zip(old.rows, ["offscreen", "covered by 0-77"] * len(old.rows), strict=False)
    ]
    new = Snapshot(rows, {}, {}, old.report)
    diff = new.diff(old)
    assert not diff
    assert diff.apply(rows) == list(old.rows)


def test_text_that_changes_is_told_on_the_line_it_stands_in() -> None:
    new = edited(
        ("[0-5] StaticText: 0", "[0-20] StaticText: 1"),
        (
            "      [0-10] listitem\n",
            "      [0-21] listitem\n        [0-22] StaticText: Salt\n      [0-10] listitem\n",
        ),
        ("      [0-13] StaticText: Total\n", ""),
    )
    assert told(SHOP, new) == [
        "  [0-1] RootWebArea: Shop",
        "    [0-2] banner",
        "      [0-3] link: Cart",
        '~       [0-4] status: Items   (text: "1", was: "0")',
        "    [0-6] main",
        "      [0-7] list",
        '+       [0-21] listitem: Salt   (before [0-10] "Rice")',
        '~     [0-12] paragraph   (text gone: "Total")',
    ]
    assert told(new, SHOP)[3:] == [
        '~       [0-4] status: Items   (text: "0", was: "1")',
        "    [0-6] main",
        "      [0-7] list",
        "-       [0-21] listitem: Salt",
        '~     [0-12] paragraph   (new text: "Total")',
    ]


def test_a_changed_name_tells_what_stands_below() -> None:
    old = (
        "[0-1] RootWebArea\n  [0-2] link: Cart 1 item\n    [0-3] heading: Cart 1\n      [0-4] StaticText: 1\n"
        "    [0-5] button: 1 of 5"
    )
    new = old.replace("1", "2").replace("[0-2] RootWebArea", "[0-1] RootWebArea")
    assert told(old, new) == [
        "  [0-1] RootWebArea",
        '~   [0-2] link: Cart 2 item   (was: "Cart 1 item")',
        '~     [0-5] button: 2 of 5   (was: "1 of 5")',
    ]
    data = snapshot(outline(new)).diff(snapshot(outline(old)))
    assert len(data.changed) == 4


def test_gone_rows_stand_where_they_stood() -> None:
    old = """
    [0-1] RootWebArea
      [0-2] list: first
        [0-3] link: a
        [0-4] link: b
      [0-5] link: between
      [0-6] list: second
        [0-7] group
          [0-8] link: c
          [0-9] link: kept
    """
    new = (
        "[0-1] RootWebArea\n  [0-2] list: first\n    [0-3] link: a\n"
        "  [0-6] list: second\n    [0-9] link: kept"
    )
    assert told(old, new) == [
        "  [0-1] RootWebArea",
        "    [0-2] list: first",
        "-     [0-4] link: b",
        "-   [0-5] link: between",
        "    [0-6] list: second",
        '-     [0-7] group   (with 1 line: "c")',
    ]


def test_wrappers_around_what_stays_are_no_news() -> None:
    old = "[0-1] RootWebArea\n  [0-3] button: Pay\n  [0-4] link: x"
    new = "[0-1] RootWebArea\n  [0-2] generic\n    [0-3] button: Pay (disabled)\n  [0-4] link: x"
    assert told(old, new) == [
        "  [0-1] RootWebArea",
        "~   [0-3] button: Pay [disabled]   (now disabled)",
    ]
    assert len(snapshot(outline(new)).diff(snapshot(outline(old))).changed) == 1
    # Where there is no other, it is.
    assert told(old, new.replace(" (disabled)", "")) == [
        "  [0-1] RootWebArea",
        "+   [0-2] generic   (around what was there)",
    ]
    # Nor where it holds something new, too.
    assert told(old, new.replace("  [0-4]", "    [0-5] link: y\n  [0-4]")) == [
        "  [0-1] RootWebArea",
        "~   [0-3] button: Pay [disabled]   (now disabled)",
        "+   [0-5] link: y",
    ]
    # That it scrolls is news, but not what it holds.
    assert told(old, new.replace("generic", "generic:  (scrollable)").replace(" (disabled)", "")) == [
        "  [0-1] RootWebArea",
        "+   [0-2] scrollable, generic   (around what was there)",
    ]


def test_the_focus_takes_a_line_not_a_path() -> None:
    old = (
        "[0-1] RootWebArea: Shop\n  [0-2] main\n    [0-3] group: Form\n"
        "      [0-4] button: Pay\n  [0-5] status"
    )
    new = old.replace("Pay", "Pay (focused)") + "\n    [0-6] alert: Paid"
    assert told(old, new) == [
        "  [0-1] RootWebArea: Shop",
        "~   [0-4] button: Pay [focused]   (now focused)",
        "    [0-5] status",
        "+     [0-6] alert: Paid",
    ]


def test_another_document_is_said_to_be_one() -> None:
    lines = told(SHOP, edited(("Pay", "Buy")), loader="m")
    assert lines[0].startswith("# another document than before: rows are matched by role, name and place")
    assert lines[-2:] == ["-       [0-14] button: Pay", "+       [0-14] button: Buy"]
    assert str(snapshot(outline(SHOP), frame(loader="m")).diff(snapshot(outline(SHOP)))) == ""


def test_in_another_document_no_stranger_stands_for_what_was_at_its_place() -> None:
    old = """[0-1] RootWebArea: Wiki
  [0-2] main: Syntax
    [0-3] heading: Formatting
    [0-4] StaticText: Edit the page and hit
    [0-5] link: syntax
      [0-6] image: icon"""
    new = """[0-11] RootWebArea: Wiki
  [0-12] main: Lantern
    [0-13] heading: Lantern
    [0-14] StaticText: Paper is
    [0-15] link: lantern.png
      [0-16] image: thumb"""
    diff = snapshot(outline(new), frame(loader="m")).diff(snapshot(outline(old)))
    assert [change.id for change in diff.changed] == ["0-12"], "the group"
    assert {entry.name for entry in diff.removed} == {"Formatting", "Edit the page and hit", "syntax", "icon"}
    assert 'was: "syntax"' not in str(diff)


def test_in_another_document_a_label_is_its_text() -> None:
    old = """[0-1] RootWebArea: Shop
  [0-2] form
    [0-3] LabelText
      [0-4] StaticText: Search
      [0-5] textbox: Search"""
    new = """[0-11] RootWebArea: Shop
  [0-12] form
    [0-13] LabelText
      [0-14] StaticText: Delivery
      [0-15] InputTime: Delivery"""
    diff = snapshot(outline(new), frame(loader="m")).diff(snapshot(outline(old)))
    assert diff.changed == ()
    assert "was:" not in str(diff)


def test_a_missing_frame_comes_and_goes() -> None:
    missing = Row(None, 1, MISSING_FRAME, "frame 1 not captured: crashed (http://ads/)", "", "", (), "", 1)
    page = outline("[0-1] RootWebArea: Shop")
    old = snapshot(page, frame(), frame(1))
    new = snapshot([*page, missing], frame(), frame(1, None))
    assert str(new.diff(old)).split("\n") == [
        "  [0-1] RootWebArea: Shop",
        "+   ! frame 1 not captured: crashed (http://ads/)",
    ]


def test_matching_needs_no_report() -> None:
    rows = outline(SHOP)
    assert match_rows(rows, rows, {}).old_of[:-1] == list(range(len(rows)))


def test_a_diff_is_a_value() -> None:
    old, new = snapshot(outline(SHOP)), snapshot(outline(edited(("Pay", "Buy"))))
    diff = new.diff(old)
    assert diff == new.diff(old)
    assert hash(diff) == hash(new.diff(old))
    assert diff != old.diff(new)
    assert str(diff) == render_diff(diff)
    with pytest.raises(dataclasses.FrozenInstanceError):
        diff.added = ()  # type: ignore[misc]  # that it cannot be set is the test


def test_text_that_was_only_drawn_anew_is_no_news() -> None:
    redrawn = ("[0-5] StaticText: 0", "[0-20] StaticText: 0")
    assert told(SHOP, edited(redrawn, ("Total", "Sum")))[-1] == (
        '~     [0-12] paragraph   (text: "Sum", was: "Total")'
    )
    assert not any("Items" in line for line in told(SHOP, edited(redrawn, ("Total", "Sum"))))
    # What is not empty is told.
    assert told(SHOP, edited(redrawn))[-1] == "~       [0-4] status: Items   (1 rebuilt unchanged)"


@pytest.mark.parametrize("count", [1, 10, 11])
def test_of_few_controls_that_were_drawn_anew_the_new_ids_are_told(count: int) -> None:
    def buttons(first_id: int) -> str:
        lines = (f"      [0-{first_id + at}] button: B{at}" for at in range(count))
        return "\n".join(["[0-1] RootWebArea", "  [0-2] main", f"    [0-{first_id + 90}] group", *lines])

    lines = told(buttons(10), buttons(30))
    assert lines[1] == "~   [0-2] main   (1 rebuilt unchanged)"
    shown = [f"~     [0-{30 + at}] button: B{at}   (rebuilt, was [0-{10 + at}])" for at in range(count)]
    assert lines[2:] == (shown if count < 11 else [])
    # Such a control takes no path to it.
    alone = "[0-1] RootWebArea\n  [0-2] main\n    [0-3] button: Pay"
    assert told(alone, alone.replace("0-3", "0-5")) == ["~ [0-5] button: Pay   (rebuilt, was [0-3])"]


def test_what_holds_only_something_empty_that_is_drawn_anew_has_no_line() -> None:
    """PrimeReact makes the cells of all rows below a deleted one again, with an empty anchor in each."""

    def table(first_id: int) -> str:
        rows = "".join(
            f"\n    [0-{900 + n}] row\n      [0-{first_id + n}] cell: Name {n}"
            f"\n        [0-{first_id + 20 + n}] image"
            f"\n      [0-{first_id + 40 + n}] cell: Delete"
            f"\n        [0-{first_id + 60 + n}] button: Delete"
            for n in range(9)
        )
        return f"[0-1] RootWebArea\n  [0-2] table: Mail{rows}"

    lines = told(table(100), table(300))
    assert lines[1] == "~   [0-2] table: Mail   (18 rebuilt unchanged)"
    assert lines[2:] == [
        f"~     [0-{360 + n}] button: Delete   (rebuilt, was [0-{160 + n}])" for n in range(9)
    ]


def test_a_neighbour_that_says_nothing_tells_no_place() -> None:
    marks = "[0-1] RootWebArea\n  [0-2] graphics-document: Chart\n    [0-9] graphics-symbol"
    lines = told(marks, marks.replace("    [0-9]", "    [0-8] graphics-symbol: May\n    [0-9]"))
    assert lines[-1] == "+     [0-8] graphics-symbol: May"


@pytest.mark.parametrize("kept", [0, 1, 10, 14])
def test_many_siblings_that_are_gone_are_one_line_with_what_is_left(kept: int) -> None:
    def listbox(numbers: range) -> str:
        options = "".join(f"\n    [0-{100 + n}] option: Land {n}" for n in numbers)
        return f"[0-1] RootWebArea\n  [0-2] listbox: Country{options}"

    lines = told(listbox(range(25)), listbox(range(5, 5 + kept)))
    first = "-     " + f'{25 - kept} × option: "Land 0", "Land 1", "Land 2" … "Land 24"'
    if kept == 14:  # more than are gone
        assert len(lines) == 2 + 11
    else:
        assert lines[2:] == [f'{first}; left: [0-105] "Land 5"' if kept == 1 else first]


def test_what_came_in_the_place_of_many_siblings_is_not_what_is_left() -> None:
    lines = "".join(f"\n    [0-{100 + n}] option: Land {n}" for n in range(25))
    start = "[0-1] RootWebArea\n  [0-2] listbox: Country"
    words = told(start + lines, f"{start}\n    [0-100] option: Land 0\n    [0-200] option: Sea 1")
    assert words[-2].endswith('… "Land 24"; left: [0-100] "Land 0"')
    assert words[-1] == "+     [0-200] option: Sea 1"


def items(names: list[str], first_id: int) -> str:
    return "[0-1] RootWebArea\n  [0-2] list\n" + "".join(
        f"    [0-{first_id + 2 * at}] listitem\n      [0-{first_id + 2 * at + 1}] StaticText: {name}\n"
        for at, name in enumerate(names)
    )


def test_a_list_that_is_drawn_anew_is_matched_by_content() -> None:
    names = [f"item {number}" for number in range(500)]
    old, new = items(names, 10), items([*names[:250], "fresh", *names[250:]], 5000)
    assert told(old, new) == [
        "  [0-1] RootWebArea",
        "~   [0-2] list   (500 rebuilt unchanged)",
        '+     [0-5500] listitem: fresh   (before [0-5502] "item 250")',
    ]
    older, newer = snapshot(outline(old)), snapshot(outline(new))
    diff = newer.diff(older)
    assert diff.rebuilt[ElementId("0-10")] == "0-5000"
    assert diff.rebuilt[ElementId("0-1009")] == "0-6001"
    assert len(diff.rebuilt) == 1000
    assert diff.apply(older.rows) == list(newer.rows)
    marked = str(newer.render("tree", since=older))
    assert marked.count("[new]") == 2, "the item and its text"
    # Nothing else changed: the ids did, which is news.
    same = snapshot(outline(items(names, 5000))).diff(older)
    assert same
    assert str(same).splitlines()[-1] == "~   [0-2] list   (500 rebuilt unchanged)"


def test_a_list_whose_own_element_is_drawn_anew_is_that_list() -> None:
    names = [f"item {number}" for number in range(30)]
    new = items([*names, "fresh"], 5000).replace("[0-2] list", "[0-3] list")
    assert told(items(names, 10), new) == [
        "  [0-1] RootWebArea",
        "~   [0-3] list   (rebuilt, was [0-2]; 30 rebuilt unchanged)",
        "+     [0-5060] listitem: fresh",
    ]


def staff(names: dict[str, str], first_id: int) -> str:
    lines = ["[0-1] RootWebArea", "  [0-2] table"]
    for id_, (name, states) in zip(range(first_id, first_id + 900, 9), names.items(), strict=False):
        lines += [
            f"    [0-{id_}] row",
            f"      [0-{id_ + 1}] cell: Choose",
            f"        [0-{id_ + 2}] checkbox: Choose{states}",
            f"      [0-{id_ + 3}] cell: {name}",
            f"      [0-{id_ + 4}] cell: Delete",
            f"        [0-{id_ + 5}] button: Delete",
        ]
    return "\n".join(lines)


def test_a_row_that_has_only_its_buttons_in_common_with_another_is_not_that_one() -> None:
    old = staff({"Ann": "", "Bob": "", "Eve": ""}, 100)
    assert told(old, staff({"Zoe": "", "Eve": " (checked)", "Kim": ""}, 500)) == [
        "  [0-1] RootWebArea",
        "    [0-2] table",
        '-     [0-100] row   (with 5 lines: "Ann")',
        '-     [0-109] row   (with 5 lines: "Bob")',
        "+     [0-500] row: | Zoe | [0-505] button: Delete",
        "+       [0-502] checkbox: Choose",
        "~     [0-509] row   (rebuilt, was [0-118]; 2 rebuilt unchanged)",
        "-       [0-119] cell: Choose   (with 1 line)",
        '+       [0-510] cell   (before [0-512] "Eve")',
        "+         [0-511] checkbox: Choose [checked]",
        "~       [0-514] button: Delete   (rebuilt, was [0-123])",
        "+     [0-518] row: | Kim | [0-523] button: Delete",
        "+       [0-520] checkbox: Choose",
    ]


@pytest.mark.parametrize("around", ["generic: Select this row", "LabelText"])
def test_a_gone_row_is_named_by_its_text_where_its_box_stands_in_a_label(around: str) -> None:
    old = (
        "[0-1] RootWebArea\n  [0-2] table\n    [0-3] row\n      [0-4] cell\n"
        f"        [0-5] {around}\n          [0-6] checkbox\n      [0-7] cell: Ann"
    )
    assert told(old, "[0-1] RootWebArea\n  [0-2] table")[-1] == '-     [0-3] row   (with 4 lines: "Ann")'


def test_rows_that_say_nothing_are_not_taken_for_rebuilt() -> None:
    old = "[0-1] RootWebArea\n  [0-2] button\n  [0-3] link: x"
    new = "[0-1] RootWebArea\n  [0-9] button\n  [0-3] link: x"
    assert told(old, new) == ["  [0-1] RootWebArea", "-   [0-2] button", "+   [0-9] button"]


def test_a_move_says_what_moved_and_where_to() -> None:
    old = items(["Ann", "Bob", "Cid"], 10)
    lines = old.splitlines()
    new = "\n".join([*lines[:2], *lines[6:8], *lines[2:6]])
    assert told(old, new) == [
        "  [0-1] RootWebArea",
        '~   [0-14] listitem: Cid   (moved before [0-10] "Ann")',
    ]
    last = "\n".join([*lines[:2], *lines[4:8], *lines[2:4]])
    assert told(old, last)[1:] == ['~   [0-10] listitem: Ann   (moved behind [0-14] "Cid")']


def test_a_move_out_of_a_row_names_that_once() -> None:
    old = "[0-1] RootWebArea\n  [0-2] list: A\n    [0-3] button: x"
    new = "[0-1] RootWebArea\n  [0-2] list: A\n  [0-3] button: x"
    assert told(old, new)[-1] == '~   [0-3] button: x   (moved out of [0-2] "A", behind it)'


def test_a_move_to_another_parent_says_both() -> None:
    old = "[0-1] RootWebArea\n  [0-2] list: A\n    [0-3] button: x\n  [0-4] list: B\n    [0-5] button: y"
    new = "[0-1] RootWebArea\n  [0-2] list: A\n  [0-4] list: B\n    [0-3] button: x\n    [0-5] button: y"
    assert told(old, new)[-1] == '~     [0-3] button: x   (moved from below [0-2] before [0-5] "y")'


def test_a_section_that_goes_is_one_line() -> None:
    rows = "".join(f"    [0-{10 + at}] link: offer {at}\n" for at in range(20))
    old = f"[0-1] RootWebArea\n  [0-2] region: Offers\n{rows}  [0-3] button: Pay"
    new = "[0-1] RootWebArea\n  [0-3] button: Pay"
    assert told(old, new) == ["  [0-1] RootWebArea", "-   [0-2] region: Offers   (with 20 lines)"]


def test_a_new_wrapper_with_a_name_moves_nothing() -> None:
    old = "[0-1] RootWebArea\n  [0-3] button: Pay\n  [0-4] link: x\n  [0-5] link: y"
    new = "[0-1] RootWebArea\n  [0-2] region: New\n    [0-3] button: Pay\n    [0-4] link: x\n  [0-5] link: y"
    assert told(old, new) == ["  [0-1] RootWebArea", "+   [0-2] region: New   (around what was there)"]
    older, newer = snapshot(outline(old)), snapshot(outline(new))
    assert "[changed]" not in str(newer.render("tree", since=older))
    # In another order they have moved all the same.
    turned = new.replace(
        "    [0-3] button: Pay\n    [0-4] link: x", "    [0-4] link: x\n    [0-3] button: Pay"
    )
    assert any("moved" in line for line in told(old, turned))


def test_a_new_row_of_a_table_whose_cells_are_texts_and_buttons_is_one_line() -> None:
    old = "[0-1] RootWebArea\n  [0-2] grid: Staff"
    new = old + (
        "\n    [0-3] row: Ann Bern\n      [0-4] gridcell: Ann\n        [0-5] StaticText: Ann\n"
        "      [0-6] gridcell\n        [0-17] image\n      [0-18] gridcell: Here (checked)\n"
        "      [0-7] gridcell: Where\n        [0-8] generic\n"
        "          [0-9] StaticText: Bern\n"
        "    [0-10] row: Bob Delete\n      [0-11] gridcell: Bob\n      [0-12] gridcell: Delete\n"
        "        [0-13] button: Delete\n"
        "    [0-20] row: Week 45\n      [0-21] gridcell: 1\n      [0-22] gridcell: 2\n"
        "    [0-14] row: 1 2\n      [0-15] gridcell: 1 (clickable)\n      [0-16] gridcell: 2\n"
        "    [0-21] row: [0-9] x Go Off\n      [0-22] gridcell: [0-9] x\n        [0-23] StaticText: [0-9] x\n"
        "      [0-24] gridcell: Go Off\n        [0-25] link: Go\n          [0-26] StaticText: Go\n"
        "        [0-27] button: Off (disabled)\n"
        "    [0-33] row: [0-9] y\n      [0-34] textbox: City\n"
        "    [0-28] row\n      [0-29] gridcell: Eve\n      [0-30] gridcell\n        [0-31] textbox: City\n"
        "    [0-36] row\n      [0-37] gridcell\n        [0-38] textbox: By name\n      [0-39] gridcell\n"
    )
    assert told(old, new) == [
        "  [0-1] RootWebArea",
        "    [0-2] grid: Staff",
        "+     [0-3] row: Ann | | Here (checked) | Where Bern",
        "+     [0-10] row: Bob | [0-13] button: Delete",
        "+     [0-20] row: Week 45: 1 | 2",
        "+     [0-14] row: [0-15] 1 | 2",
        "+     [0-21] row: \\[0-9] x | [0-25] link: Go [0-27] button: Off (disabled)",
        "+     [0-33] row: \\[0-9] y",
        "+       [0-34] textbox: City",
        "+     [0-28] row: Eve |",
        "+       [0-31] textbox: City",
        "+     [0-36] row",
        "+       [0-38] textbox: By name",
    ]


def test_titles_of_cells_and_links_that_no_line_prints_do_not_keep_a_row_from_being_one_line() -> None:
    """Ant Design's calendar: the title of each day is its date."""
    old = "[0-1] RootWebArea\n  [0-2] table"
    new = old + (
        "\n    [0-3] row\n      [0-4] cell: 1 (clickable)\n      [0-5] cell: 2 (clickable)\n"
        "    [0-6] row\n      [0-7] cell: Bob\n      [0-8] cell\n        [0-9] link: Mail\n"
        "    [0-10] row\n      [0-11] cell: Eve\n      [0-12] cell\n        [0-13] button: Mail\n"
    )
    described = [
        msgspec.structs.replace(row, description="In words" if row.role in {"cell", "link", "button"} else "")
        for row in outline(new)
    ]
    assert str(snapshot(described).diff(snapshot(outline(old)))).split("\n")[2:] == [
        "+     [0-3] row: [0-4] 1 | [0-5] 2",
        "+     [0-6] row: Bob | [0-9] link: Mail",
        "+     [0-10] row: Eve |",
        '+       [0-13] button: Mail [description="In words"]',
    ]


def test_what_no_line_would_show_is_no_news() -> None:
    """Fillers that an editor puts around its caret, and glyphs of an icon font."""
    old = "[0-1] RootWebArea\n  [0-2] textbox: Text\n  [0-3] button: Save"
    new = (
        "[0-1] RootWebArea\n  [0-2] textbox: Text (focused)\n  [0-3] button: Save\n    StaticText: \ue001\n"
        "  [0-4] button: Undo\n    StaticText: \ue002\n    StaticText: \ue003"
    )
    before, after = (
        [msgspec.structs.replace(row, value=value if row.id == "0-2" else "") for row in outline(text)]
        for text, value in ((old, "Hello"), (new, "\u2060Hello"))
    )
    assert str(snapshot(after).diff(snapshot(before))).split("\n") == [
        "  [0-1] RootWebArea",
        '~   [0-2] textbox: Text [focused] [value="Hello"]   (now focused)',
        "+   [0-4] button: Undo",
    ]


def test_a_name_says_a_text_whatever_points_stand_around_it() -> None:
    old = "[0-1] RootWebArea"
    new = old + "\n  [0-2] generic: November 1, 2026 (clickable)\n    [0-3] StaticText: 1"
    assert told(old, new)[-1] == "+   [0-2] generic: November 1, 2026 [clickable]"
    within = old + "\n  [0-2] generic: 1,000 items (clickable)\n    [0-3] StaticText: 1"
    assert told(old, within)[-1] == "+     [0-3] StaticText: 1"


@pytest.mark.parametrize("max_tokens", [200, 350])
def test_within_a_budget_what_is_new_comes_before_what_is_gone(max_tokens: int) -> None:
    """A table that was sorted: its old rows left no room for its new ones."""

    def table(names: range) -> str:
        cells = "\n      [0-{0}1] gridcell: Person {0}\n      [0-{0}2] gridcell: 1960-03-01"
        return "".join(f"\n    [0-{name}] row: Person {name}{cells.format(name)}" for name in names)

    page = "[0-1] RootWebArea: Staff\n  [0-2] grid: Staff"
    old, new = page + table(range(100, 120)), page + table(range(200, 220))
    lines = str(fit_diff(snapshot(outline(new)).diff(snapshot(outline(old))), max_tokens)).split("\n")
    shown = [line.strip() for line in lines if " row: " in line]
    assert shown[0] == "+ [0-200] row: Person 200 | 1960-03-01"
    assert not any(line.startswith("-") for line in shown)
    assert len(shown) > 3


def test_a_fold_shows_the_buttons_of_new_rows() -> None:
    page = "[0-1] RootWebArea: Staff\n  [0-2] grid: Staff"
    cells = "\n    [0-{0}] row\n      [0-{0}1] gridcell: Person {0}\n      [0-{0}2] gridcell"
    new = page + "".join(cells.format(name) + ": 1960-03-01" for name in range(100, 130))
    new += cells.format(200) + "\n        [0-2003] button: Fire"
    changes = fit_diff(snapshot(outline(new)).diff(snapshot(outline(page))), 200)
    (fold,) = changes.folds
    assert fold.words.startswith("… 25 × + row")
    assert "button: Fire" in fold.words
    assert "+ [0-200] row: Person 200 | [0-2003] button: Fire" in str(
        changes.expand(fold.id, max_tokens=2000)
    )


def test_a_fold_of_rows_that_are_gone_says_what_they_held() -> None:
    old, new = (dict.fromkeys((f"{name} {n}" for n in range(9)), "") for name in ("Ann", "Bob"))
    diff = snapshot(outline(staff(new, 500))).diff(snapshot(outline(staff(old, 100))))
    folded = [line.strip() for line in str(fit_diff(diff, 200)).split("\n") if " × - " in line]
    assert folded == ['… 9 × - row, "Ann 0 … Ann 8" [0-100..0-172]']


def test_a_description_that_no_line_prints_is_no_news() -> None:
    """A wrapper that a popup describes while it is open, by all that it says: Element Plus."""
    page = "[0-1] RootWebArea: Order\n  [0-2] generic: City\n    [0-3] button: Choose"
    opened = page + "\n  [0-4] tooltip\n    [0-5] button: Oslo\n    [0-6] button: Rome"
    described = [
        msgspec.structs.replace(row, description="Oslo Rome" if row.id in {"0-2", "0-3"} else "")
        for row in outline(opened)
    ]
    lines = str(snapshot(described).diff(snapshot(outline(page)))).split("\n")
    assert [line for line in lines if "Oslo" in line or "~" in line] == [
        '~     [0-3] button: Choose [description="Oslo Rome"]   (description: "Oslo Rome", was: "")',
        "+     [0-5] button: Oslo",
    ]


def test_a_description_that_is_as_it_was_is_cut() -> None:
    rows = outline("[0-1] RootWebArea\n  [0-2] button: Milk")
    said = "To pick up an item, press the space bar. Arrow keys move it."
    before = [msgspec.structs.replace(row, description=said if row.id == "0-2" else "") for row in rows]
    after = [msgspec.structs.replace(row, states=("pressed",) if row.id == "0-2" else ()) for row in before]
    assert str(snapshot(after).diff(snapshot(before))).split("\n")[-1] == (
        '~   [0-2] button: Milk [pressed] [description="To pick up an item, press the …"]   (now pressed)'
    )


def test_what_is_drawn_anew_in_many_rows_is_counted_where_they_stand() -> None:
    """A grid that makes the tick boxes of all its cells again, as Handsontable does at each change."""

    def grid(first_id: int) -> str:
        rows = "".join(
            f"\n    [0-1{n}] row: Item {n}\n      [0-2{n}] gridcell"
            f"\n        [0-{first_id + n}] checkbox: Paid"
            for n in range(12)
        )
        return f"[0-1] RootWebArea: Sheet\n  [0-2] grid: Sheet{rows}\n  [0-3] button: Save"

    assert told(grid(300), grid(400)) == [
        "  [0-1] RootWebArea: Sheet",
        "~   [0-2] grid: Sheet   (12 rebuilt unchanged)",
    ]


def test_a_new_table_with_nothing_in_it_has_no_line() -> None:
    old = "[0-1] RootWebArea: Sheet\n  [0-2] grid: Sheet"
    new = old + "\n    [0-3] table\n      [0-4] rowgroup\n    [0-5] listbox\n      [0-6] option: red"
    assert told(old, new) == [
        "  [0-1] RootWebArea: Sheet",
        "    [0-2] grid: Sheet",
        "+     [0-5] listbox",
        "+       [0-6] option: red",
    ]


def test_what_got_the_focus_comes_first_in_a_budget_with_what_came_around_it() -> None:
    page = "[0-1] RootWebArea: Editor\n  [0-2] main\n    [0-3] button: List View"
    view = """
  [0-10] region: List View
    [0-11] StaticText: Blocks
    [0-12] link: Paragraph (focused)
    [0-13] link: Picture"""
    panels = "".join(
        f"\n    [0-{n}0] heading: Panel {n}\n    [0-{n}1] button: Open {n}\n    [0-{n}2] textbox: Field {n}"
        for n in range(20, 34)
    )
    new = f"{page}{view}\n  [0-15] region: Settings{panels}"
    text = str(fit_diff(snapshot(outline(new)).diff(snapshot(outline(page))), 120))
    for told in ("region: List View", "[0-12] link: Paragraph [focused]", "[0-13] link: Picture"):
        assert told in text
    # What was there, and has only got the focus.
    new = f"{page.replace('List View', 'List View (focused)')}\n  [0-15] region: Settings{panels}"
    assert "~ [0-3] button: List View [focused]" in str(
        fit_diff(snapshot(outline(new)).diff(snapshot(outline(page))), 100)
    )
