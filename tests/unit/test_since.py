"""Outlines that say what is new: marks, refs that stay, and pages that would like to mark themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from hybridsnap.model import ElementId, Row
from tests.support.row_trees import SHOP, edited, frame, outline, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.render.formats import FormatName


def marked(old: str, new: str, format_: FormatName = "tree", *, only_changes: bool = True) -> list[str]:
    rendering = snapshot(outline(new)).render(
        format_, since=snapshot(outline(old)), only_changes=only_changes
    )
    return rendering.split("\n")


_LATER = edited(
    ("[0-5] StaticText: 0", "[0-20] StaticText: 1"),
    ("      [0-10] listitem\n        [0-11] StaticText: Rice\n", ""),
    ("[0-14] button: Pay", "[0-14] button: Pay (disabled)\n      [0-30] button: Cancel"),
)


def test_marks_in_the_outline() -> None:
    assert marked(SHOP, _LATER) == [
        "[0-1] RootWebArea: Shop",
        "  [0-2] banner",
        "    [0-3] link: Cart",
        "      [0-4] status: Items [changed]",
        "        [0-20] StaticText: 1 [new]",
        "  [0-6] main",
        "    [0-7] list [changed]",
        "    [0-12] paragraph",
        "      [0-14] button: Pay [disabled] [changed]",
        "      [0-30] button: Cancel [new]",
    ]
    whole = marked(SHOP, _LATER, only_changes=False)
    assert [line for line in whole if line not in marked(SHOP, _LATER)] == [
        "      [0-8] listitem",
        "        [0-9] StaticText: Tea",
        "      [0-13] StaticText: Total",
    ]


def test_marks_in_ai() -> None:
    lines = [line.strip() for line in marked(SHOP, _LATER, "ai")]
    assert [line for line in lines if line.endswith(("[new]", "[changed]"))] == [
        "[0-4] status: Items [changed]",
        "[0-20] text: 1 [new]",
        "[0-7] list [changed]",
        "[0-14] button: Pay [disabled] [changed]",
        "[0-30] button: Cancel [new]",
    ]
    assert lines[0].startswith("page Shop")
    # A line that tells text tells of its change.
    renamed = edited(("[0-9] StaticText: Tea", "[0-9] StaticText: Salt"))
    assert marked(SHOP, renamed, "ai")[-1].strip() == "[0-8] listitem: Salt [changed]"


def test_nodes_that_live_on_keep_their_refs() -> None:
    old, new = (
        snapshot(outline(SHOP)),
        snapshot(outline(edited(("    [0-3] link", "    [0-40] button: Pay\n    [0-3] link"), of=_LATER))),
    )
    first = old.render("role").extras["refs"]
    second = new.render("role", since=old)
    refs = second.extras["refs"]
    kept = {ref: one.element_id for ref, one in first.items()}
    assert {ref: one.element_id for ref, one in refs.items() if ref in first} == kept
    fresh = {one.element_id: ref for ref, one in refs.items() if ref not in first}
    assert fresh.keys() == {"0-40", "0-30"}
    for ref, one in refs.items():
        (line,) = (line for line in second.split("\n") if f"[ref={ref}]" in line)
        assert f'- {one.role} "{one.name}"' in line
        assert line.endswith(" [new]") == (one.element_id in fresh)
    # Numbers by themselves are others: that is why since= is needed.
    assert {
        ref: one.element_id for ref, one in new.render("role").extras["refs"].items() if ref in first
    } != kept
    # And from rendering to rendering.
    third = new.render("role", since=new, since_refs=refs).extras["refs"]
    assert third == refs
    # In another document nothing lives on.
    elsewhere = snapshot(outline(SHOP), frame(loader="m")).render("role", since=old).extras["refs"]
    assert elsewhere.keys().isdisjoint(first)


@pytest.mark.parametrize("name", ["Inbox [new]", "Inbox [changed]", "[New]", "x [new] [new]"])
def test_a_page_marks_nothing(name: str) -> None:
    old = [Row(ElementId("0-1"), 0, "RootWebArea", "x", "", "", (), "", 0)]
    new = [*old, Row(ElementId("0-2"), 1, "StaticText", name, "", "", (), "", 0)]
    for format_ in ("tree", "ai", "role"):
        same = snapshot(new).render(format_, since=snapshot(new)).split("\n")[-1]
        assert re.search(r"(?<!\\)\[(new|changed)\]$", same, re.IGNORECASE) is None
        fresh = snapshot(new).render(format_, since=snapshot(old)).split("\n")[-1]
        assert fresh.endswith(("] [new]", '" [new]'))
    url = {ElementId("0-2"): "javascript:x [new]"}
    linked = snapshot(new, urls=url)
    line = linked.render(urls=True, since=linked).split("\n")[-1]
    assert line.endswith("-> javascript:x%20\\[new]")


def test_what_changed_is_not_folded_among_what_did_not() -> None:
    old = "[0-1] RootWebArea: x\n  [0-2] list\n" + "".join(
        f"    [0-{10 + at}] link: item {at}\n" for at in range(80)
    )
    newer = snapshot(outline(old.replace("item 60", "item sixty")))
    text = newer.render("ai", since=snapshot(outline(old)), max_tokens=200)
    assert "[0-70] link: item sixty [changed]" in text
    assert text.folds


@pytest.mark.parametrize("format_", ["json", "aria", "html", "webarena", "controls", "xml"])
def test_other_formats_have_no_marks(format_: str) -> None:
    one = snapshot(outline(SHOP))
    render: Callable[..., object] = one.render
    with pytest.raises(ValueError, match="since means nothing to the format"):
        render(format_, since=one)


def test_options_of_since_need_it() -> None:
    one = snapshot(outline(SHOP))
    with pytest.raises(ValueError, match="without since"):
        one.render(only_changes=True)
    with pytest.raises(ValueError, match="without since"):
        one.render("role", since_refs={})
    with pytest.raises(ValueError, match="since_refs means nothing to the format 'tree'"):
        one.render(since=one, since_refs={})


def test_a_page_is_the_same_or_another() -> None:
    old, new = snapshot(outline(SHOP)), snapshot(outline(SHOP))
    with pytest.raises(ValueError, match="since, of the same page, or after, of another one"):
        new.render("ai", since=old, after=old)
    with pytest.raises(TypeError, match="after is a snapshot, not 'old'"):
        new.render("ai", after="old")  # type: ignore[arg-type]
