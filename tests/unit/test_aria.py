"""The AX tree as it is: every node once, whatever the child ids say; lines that can be read back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.errors import HybridsnapError, TargetCrashed
from hybridsnap.render.aria import place_nodes
from hybridsnap.render.ax_frames import FrameTree
from hybridsnap.snapshot import Snapshot
from hybridsnap.text import clean_text
from tests.support.aria_lines import read, refs_of
from tests.support.fake_browser import (
    Data,
    FakeBrowser,
    ax,
    ax_tree,
    body,
    document,
    element,
    frame_tree,
    text,
)
from tests.support.strategies import page_texts, reply_makers

if TYPE_CHECKING:
    from hybridsnap.protocol.ax_tree import AXNode
    from tests.support.strategies import ReplyMaker

PAGE = body(element(4, "button", text(5, "Go")), element(6, "p", text(7, "words")))


def snapshot_of(*nodes: Data, dom: Data = PAGE) -> Snapshot:
    return FakeBrowser(dom, list(nodes)).snapshot()


def lines(*nodes: Data, dom: Data = PAGE, **options: Any) -> list[str]:
    return snapshot_of(*nodes, dom=dom).render("aria", **options).splitlines()


def placed_of(nodes: list[AXNode]) -> list[tuple[int, AXNode]]:
    return place_nodes(FrameTree(nodes, 0, None))


# Nodes


def test_a_line_says_all_there_is() -> None:
    nodes = (
        ax(1, "RootWebArea", "Shop", 4, 6, focusable=True),
        ax(
            4,
            "button",
            'Go "on"',
            5,
            value="1",
            description="[it]",
            level=2,
            url="a b",
            labelledby=None,
        ),
        ax(5, "StaticText", "Go", -1),
        ax(-1, "InlineTextBox", "Go"),
        ax(6, "paragraph", "", 7),
        ax(7, "StaticText", "words"),
    )
    assert lines(*nodes) == [
        'ax1 RootWebArea "Shop" [focusable=true] (0-1)',
        r'  ax2 button "Go \"on\"" value="1" description="[it]" [level=2 url="a b" labelledby] (0-4)',
        '    ax3 StaticText "Go" (0-5)',
        '      ax4 InlineTextBox "Go"',
        "  ax5 paragraph (0-6)",
        '    ax6 StaticText "words" (0-7)',
    ]
    second = json.loads(lines(*nodes, json_lines=True)[1])
    assert second == {
        "ref": "ax2",
        "depth": 1,
        "role": "button",
        "name": 'Go "on"',
        "description": "[it]",
        "value": "1",
        "properties": {"level": 2, "url": "a b", "labelledby": None},
        "id": "0-4",
        "frame": 0,
    }


def test_ignored_nodes_are_transparent() -> None:
    got = lines(
        ax(1, "RootWebArea", "", 2, 3),
        ax(2, "none", "", 4, 6, ignored=True),
        ax(3, "none", "", ignored=True),
        ax(4, "button"),
        ax(6, "none", "", 7, ignored=True),
        ax(7, "StaticText", "words"),
    )
    assert got == ["ax1 RootWebArea (0-1)", "  ax2 button (0-4)", '  ax3 StaticText "words" (0-7)']


def test_the_first_of_a_node_id_wins_and_ids_are_printed_once() -> None:
    got = lines(
        ax(1, "RootWebArea", "", 4, 6),
        ax(4, "button", "first", 5),
        ax(6, "paragraph", "", 4),
        ax(5, "StaticText", "Go"),
        ax(4, "button", "second", 7),
        ax(-3, "marker", nodeId="-3"),
        ax(4, "image", "same element", nodeId="90"),
    )
    assert got == [
        "ax1 RootWebArea (0-1)",
        '  ax2 button "first" (0-4)',
        '    ax3 StaticText "Go" (0-5)',
        "  ax4 paragraph (0-6)",
        "  ax5 marker",
        '  ax6 image "same element"',
    ]


def test_what_the_dom_does_not_know_has_no_id_but_its_number() -> None:
    rendering = snapshot_of(ax(1, "RootWebArea", "", 99), ax(99, "StaticText", "made")).render("aria")
    assert rendering.splitlines()[1] == '  ax2 StaticText "made"'
    assert msgspec.to_builtins(refs_of(rendering)["ax2"]) == {
        "role": "StaticText",
        "name": "made",
        "element_id": None,
        "backendDOMNodeId": 99,
        "frame": 0,
    }


@pytest.mark.parametrize("ignored", [False, True])
def test_orphans_and_circles_are_not_lost(*, ignored: bool) -> None:
    placed = placed_of(
        ax_tree(
            ax(1, "RootWebArea", "", 2, 1, 2, 88, ignored=ignored),
            ax(2, "list", "", 1, 3),
            ax(3, "listitem", "", 2, 3),
            ax(10, "button", "", 11),
            ax(11, "StaticText", "", 10),
            ax(20, "list", "", 21, 10),
            ax(21, "listitem"),
            ax(30, "link", "", 30),
        ).nodes
    )
    base = 0 if ignored else 1
    shape = [(depth - base, node.node_id) for depth, node in placed if node.node_id != 1]
    assert shape == [(0, 2), (1, 3), (0, 20), (1, 21), (1, 10), (2, 11), (0, 30)]


def test_every_child_of_every_node_is_placed_in_no_time() -> None:
    count = 500
    everything = range(1, count)
    placed = placed_of(ax_tree(*(ax(number, "generic", "", *everything) for number in everything)).nodes)
    assert len(placed) == count - 1
    assert [depth for depth, _ in placed] == list(range(count - 1))


def test_a_deep_page() -> None:
    count = 20_000
    nodes = [ax(number, "generic", "", number + 1) for number in range(1, count)]
    assert placed_of(ax_tree(*nodes).nodes)[-1][0] == count - 2


_NODES = st.lists(
    st.builds(
        lambda id_, children, ignored: ax(id_, "generic", str(id_), *children, ignored=ignored),
        st.integers(1, 9),
        st.lists(st.integers(0, 10), max_size=5),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@given(_NODES)
def test_each_node_once_and_none_deeper_than_one_below(nodes: list[Data]) -> None:
    placed = placed_of(ax_tree(*nodes).nodes)
    first: dict[str, bool] = {}
    for node in nodes:
        first.setdefault(node["nodeId"], node["ignored"])
    assert sorted(str(node.node_id) for _, node in placed) == sorted(
        id_ for id_, ignored in first.items() if not ignored
    )
    depths = [depth for depth, _ in placed]
    assert all(depth <= above + 1 for depth, above in zip(depths, [-1, *depths], strict=False))


# Text


@given(page_texts, page_texts, page_texts, page_texts)
def test_a_line_reads_back(name: str, value: str, description: str, url: str) -> None:
    made = snapshot_of(
        ax(1, "RootWebArea", "", 4), ax(4, "link", name, value=value, description=description, url=url)
    )
    rendering = made.render("aria")
    assert len(rendering.splitlines()) == 2
    got = read(rendering.splitlines()[1])
    assert (got["ref"], got["role"], got["id"]) == ("ax2", "link", "0-4")
    assert got["name"] == clean_text(name)
    assert got["value"] == clean_text(value)
    assert got["description"] == clean_text(description)
    shown_url = got["properties"].partition("=")[2]
    assert (json.loads(shown_url) if shown_url[:1] == '"' else shown_url) == clean_text(url)


@given(page_texts, page_texts)
def test_json_lines_are_exact(name: str, value: str) -> None:
    made = snapshot_of(ax(1, "RootWebArea", "", 4), ax(4, "link", name, value=value))
    text = made.render("aria", json_lines=True)
    assert text.isprintable() or text.replace("\n", "").isprintable()
    _, got = (json.loads(line) for line in text.splitlines())
    mended = [
        "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in one)
        for one in (name, value)
    ]
    assert [got["name"], got["value"]] == mended


# Options


FORM = (
    ax(1, "RootWebArea", "T", 4, 6),
    ax(4, "button", "Go", 5),
    ax(5, "StaticText", "Go"),
    ax(6, "paragraph", "", 7),
    ax(7, "StaticText", "words"),
)


def test_limit_and_depth() -> None:
    assert lines(*FORM, limit=2) == [
        'ax1 RootWebArea "T" (0-1)',
        '  ax2 button "Go" (0-4)',
        "… 3 more nodes (limit=2)",
    ]
    assert lines(*FORM, max_depth=1) == [
        'ax1 RootWebArea "T" (0-1)',
        '  ax2 button "Go" (0-4)',
        "  ax4 paragraph (0-6)",
    ]
    assert lines(*FORM, max_depth=1, limit=2)[-1] == "… 1 more node (limit=2)"
    assert lines(*FORM, limit=5) == lines(*FORM)
    last = lines(*FORM, limit=1, json_lines=True)[-1]
    assert json.loads(last) == {"depth": 0, "left_out": 4}


@pytest.mark.parametrize("limit", [0, -1, "5", True, 1.5])
def test_a_limit_is_a_number_of_nodes(limit: Any) -> None:
    with pytest.raises(ValueError, match="limit"):
        snapshot_of(*FORM).render("aria", limit=limit)


def test_a_snapshot_read_from_json_has_no_ax_tree() -> None:
    with pytest.raises(ValueError, match="aria"):
        Snapshot.from_json(snapshot_of(*FORM).to_json()).render("aria")


def test_stats_and_interactive_lines() -> None:
    rendering = snapshot_of(*FORM).render("aria", max_depth=1)
    assert (rendering.stats.refs, rendering.stats.interactive, rendering.stats.lines) == (3, 1, 3)
    assert rendering.ids == {"0-1", "0-4", "0-6"}
    assert len(refs_of(rendering)) == 5


# Frames


def framed(*, owner_ignored: bool = False, c: HybridsnapError | None = None) -> Snapshot:
    inner = document(20, element(21, "html", element(22, "body", element(23, "a", text(24, "in")))))
    inmost = document(30, element(31, "html"))
    main = body(
        element(4, "iframe", frameId="a", contentDocument=inner),
        element(5, "p"),
        element(6, "iframe", frameId="b", contentDocument=inmost),
        element(7, "iframe", frameId="c"),
    )
    made = FakeBrowser(
        main,
        [
            ax(1, "RootWebArea", "T", 4, 5, 6, 7),
            ax(4, "Iframe", "A"),
            ax(5, "paragraph"),
            ax(6, "none", ignored=owner_ignored),
            ax(7, "Iframe", "C"),
        ],
        tree=frame_tree("main", frame_tree("a"), frame_tree("b")),
    )
    made.processes[None].ax["a"] = [ax(20, "RootWebArea", "A", 23), ax(23, "link", "in")]
    made.processes[None].ax["b"] = [ax(30, "RootWebArea", "B")]
    made.add_process(
        "c",
        document(1, element(2, "html")),
        {"c": [ax(1, "RootWebArea", "C")]},
        tree=frame_tree("c"),
        parent="main",
    )
    if c is not None:
        answer = made.answers["Accessibility.getFullAXTree"]
        assert callable(answer)
        made.answers["Accessibility.getFullAXTree"] = lambda command: (
            answer(command) if command.session is None else _raised(c)
        )
    return made.snapshot()


def _raised(error: HybridsnapError) -> Data:
    raise error


def test_frames_stand_below_their_owners() -> None:
    assert framed().render("aria").splitlines() == [
        'ax1 RootWebArea "T" (0-1)',
        '  ax2 Iframe "A" (0-4)',
        '    ax3 RootWebArea "A" (1-20)',
        '      ax4 link "in" (1-23)',
        "  ax5 paragraph (0-5)",
        "  ax6 none (0-6)",
        '    ax7 RootWebArea "B" (2-30)',
        '  ax8 Iframe "C" (0-7)',
        '    ax9 RootWebArea "C" (3-1)',
    ]


def test_a_frame_whose_owner_is_not_shown_says_which_it_is() -> None:
    snapshot = framed(owner_ignored=True)
    rendering = snapshot.render("aria")
    assert rendering.splitlines()[-2:] == [
        "  frame 2 in 0-6: http://b.test/",
        '    ax8 RootWebArea "B" (2-30)',
    ]
    assert "0-6" in rendering.ids
    head = json.loads(snapshot.render("aria", json_lines=True).splitlines()[-2])
    assert head == {"depth": 1, "frame": 2, "url": "http://b.test/", "owner": "0-6"}


def test_a_frame_that_is_missing_is_said_to_be() -> None:
    snapshot = framed(c=TargetCrashed("gone"))
    assert snapshot.render("aria").splitlines()[-2:] == [
        '  ax8 Iframe "C" (0-7)',
        "    ! frame 3 not captured: crashed (http://c.test/)",
    ]
    last = json.loads(snapshot.render("aria", json_lines=True).splitlines()[-1])
    assert (last["frame"], last["missing"], last["url"]) == (3, "crashed", "http://c.test/")
    assert snapshot.render("aria", frame=3) == "! frame 3 not captured: crashed (http://c.test/)"


def test_one_frame_alone_keeps_its_refs() -> None:
    assert framed().render("aria", frame=1).splitlines() == [
        'ax3 RootWebArea "A" (1-20)',
        '  ax4 link "in" (1-23)',
    ]
    main = framed(owner_ignored=True).render("aria", frame=0)
    assert [read(line)["ref"] for line in main.splitlines()] == ["ax1", "ax2", "ax5", "ax6"]


@given(reply_makers)
def test_any_reply_gives_lines_whose_refs_and_ids_are_unique(maker: ReplyMaker) -> None:
    made = FakeBrowser(
        maker.document(), [maker.ax_node() for _ in range(10)], tree=frame_tree("main", frame_tree("a"))
    )
    made.processes[None].ax["a"] = [maker.ax_node() for _ in range(10)]
    try:
        snapshot = made.snapshot()
    except (HybridsnapError, ValueError):
        return
    rendering = snapshot.render("aria")
    got = [read(line) for line in rendering.splitlines() if re.match(r" *ax", line)]
    refs = refs_of(rendering)
    assert [line["ref"] for line in got] == list(refs)
    shown = [line["id"] for line in got if line["id"]]
    assert len(shown) == len(set(shown))
    assert shown == [ref.element_id for ref in refs.values() if ref.element_id is not None]
    objects = [json.loads(line) for line in snapshot.render("aria", json_lines=True).splitlines()]
    assert [one["ref"] for one in objects if "ref" in one] == list(refs)
