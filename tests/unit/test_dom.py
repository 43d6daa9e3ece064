"""A session's DOM: the index, what is cut short, and hydration, on a browser of plain data."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap.capture.dom import PASSING_DEPTH, build_session_dom_index, get_dom_tree_with_fallback
from hybridsnap.capture.dom import hydrate_dom_tree as hydrate
from hybridsnap.drivers.base import refused, unanswered
from hybridsnap.errors import CommandRefused, CommandUnanswered, ReplyUnreadable
from hybridsnap.model import BackendNodeId
from tests.support.fake_browser import (
    NESTING,
    Data,
    FakeBrowser,
    ax,
    body,
    by_id,
    cut,
    document,
    dom_index,
    dom_node,
    element,
    foreign,
    node,
    shadow,
    text,
)
from tests.support.fake_browser import xpath as xpath_of

if TYPE_CHECKING:
    from hybridsnap.protocol.plan import Command

NESTED = refused("DOM.getDocument", -32000, NESTING)


def xpath(tree: Data, id_: int) -> str | None:
    index = dom_index(tree)
    return index.xpath(index.position[BackendNodeId(id_)])


def nested(levels: int, first: int = 10) -> Data:
    """`levels` divs in each other; the innermost has the id ``first + levels - 1``."""
    here = element(first + levels - 1, "div", text(first + levels, "deep"))
    for id_ in range(first + levels - 2, first - 1, -1):
        here = element(id_, "div", text(id_ + 100_000_000), here)
    return here


# The index


def test_nodes_stand_in_document_order_with_their_parents() -> None:
    index = dom_index(body(element(4, "p", text(5)), element(6, "p")))
    assert [one.backend_node_id for one in index.nodes] == [1, 2, 3, 4, 5, 6]
    assert index.parents == [-1, 0, 1, 2, 3, 2]
    assert [index.tags[here] for here in range(6)] == ["", "html", "body", "p", "", "p"]
    assert index.node_of(BackendNodeId(6)) is index.nodes[5]
    assert index.node_of(BackendNodeId(7)) is None
    assert index.node_of(None) is None


def test_a_shadow_root_stands_before_its_host_s_children_and_has_no_path() -> None:
    host = element(4, "x-host", element(5, "b"), shadowRoots=[shadow(6, "open", element(7, "b"))])
    tree = body(host)
    index = dom_index(tree)
    assert [one.backend_node_id for one in index.nodes] == [1, 2, 3, 4, 6, 7, 5]
    assert xpath(tree, 6) is None
    assert xpath(tree, 7) == "/html[1]/body[1]/x-host[1]//b[1]"
    assert xpath(tree, 5) == "/html[1]/body[1]/x-host[1]/b[1]"


def test_shadow_roots_nest_in_paths() -> None:
    inner = element(7, "x-in", shadowRoots=[shadow(8, "closed", text(9), element(10, "i"))])
    tree = body(element(4, "x-out", shadowRoots=[shadow(6, "open", inner)]))
    assert xpath(tree, 10) == "/html[1]/body[1]/x-out[1]//x-in[1]//i[1]"
    assert xpath(tree, 9) == "/html[1]/body[1]/x-out[1]//x-in[1]//text()[1]"


def test_author_shadow_is_told_from_the_browser_s_own() -> None:
    tree = body(
        element(4, "x-a", shadowRoots=[shadow(5, "open", element(6, "b"))]),
        element(7, "x-b", shadowRoots=[shadow(8, "closed", element(9, "b"))]),
        element(10, "input", shadowRoots=[shadow(11, "user-agent", element(12, "div"))]),
    )
    index = dom_index(tree)
    in_author = {
        one.backend_node_id for one, yes in zip(index.nodes, index.in_author_shadow, strict=True) if yes
    }
    assert in_author == {5, 6, 8, 9}
    own = {one.backend_node_id for here, one in enumerate(index.nodes) if index.in_user_agent_shadow(here)}
    assert own == {11, 12}


def test_frames_have_documents_of_their_own() -> None:
    inner = document(20, element(21, "html", element(22, "body", element(23, "p"))), frameId="ignored")
    tree = body(element(4, "p"), element(5, "iframe", frameId="F", contentDocument=inner))
    index = dom_index(tree)
    at = {one.backend_node_id: here for here, one in enumerate(index.nodes)}
    assert index.owners == {"F": at[BackendNodeId(5)]}
    assert index.documents[at[BackendNodeId(23)]] == at[BackendNodeId(20)]
    assert index.documents[at[BackendNodeId(5)]] == 0
    assert index.document_sizes == {0: 5, at[BackendNodeId(20)]: 4}
    assert xpath(tree, 20) == "/"
    assert xpath(tree, 23) == "/html[1]/body[1]/p[1]"


@pytest.mark.parametrize("tag", ["iframe", "frame", "object", "embed", "fencedframe"])
def test_owner_elements(tag: str) -> None:
    assert dom_index(body(element(4, tag, frameId="F"))).owners == {"F": 3}


def test_a_root_element_s_own_frame_id_makes_it_no_owner() -> None:
    assert dom_index(document(1, element(2, "html", frameId="main"))).owners == {}


def test_doctype_comment_cdata_and_processing_instruction() -> None:
    tree = document(
        1,
        node(2, 7, "xml-stylesheet"),
        node(3, 10, "html"),
        node(4, 8, "#comment"),
        element(5, "html", node(6, 4, "#cdata-section"), node(7, 8, "#comment"), text(8)),
    )
    paths = [xpath(tree, id_) for id_ in range(2, 9)]
    assert paths == [
        "/processing-instruction()[1]",
        None,
        "/comment()[1]",
        "/html[1]",
        "/html[1]/text()[1]",
        "/html[1]/comment()[1]",
        "/html[1]/text()[2]",
    ]


def test_template_content_is_no_part_of_the_document() -> None:
    content = node(5, 11, "#document-fragment", element(6, "b"))
    index = dom_index(body(element(4, "template", templateContent=content)))
    assert [one.backend_node_id for one in index.nodes] == [1, 2, 3, 4]


def test_pseudo_elements_are_known_by_id_only() -> None:
    pseudo = node(5, 1, "::before", pseudoType="before")
    index = dom_index(body(element(4, "p", pseudoElements=[pseudo])))
    assert index.pseudo_elements == {5}
    assert 5 not in index.position


def test_attributes_are_found_whatever_their_case() -> None:
    index = dom_index(body(element(4, "input", attributes=["id", "type", "TYPE", "File", "odd"])))
    assert index.attribute(3, "type") == "File"
    assert index.attribute(3, "id") == "type"
    assert index.attribute(3, "file") is None
    assert index.attribute(2, "type") is None


def test_xml_documents_keep_their_names() -> None:
    tree = document(1, foreign(2, "feed", foreign(3, "x:entry"), foreign(4, "entry"), foreign(5, "entry")))
    assert xpath(tree, 5) == '/*[name()="feed"][1]/*[name()="entry"][2]'
    assert xpath(tree, 3) == '/*[name()="feed"][1]/*[name()="x:entry"][1]'


def test_a_fragment_without_a_host_ends_a_path() -> None:
    assert xpath(node(1, 11, "#document-fragment", element(2, "p")), 2) == "//p[1]"


# Truncation and hydration


def whole(tree: Data) -> list[tuple[int, int]]:
    """(id, parent's id) of every node: shadow roots, then children, then a frame's document."""
    found: list[tuple[int, int]] = []
    open_nodes = [(tree, 0)]
    while open_nodes:
        one, parent = open_nodes.pop()
        own = one["backendNodeId"]
        found.append((own, parent))
        below = [*one.get("shadowRoots", ()), *one.get("children", ())]
        if "contentDocument" in one:
            below.append(one["contentDocument"])
        open_nodes.extend((child, own) for child in reversed(below))
    return found


@pytest.mark.parametrize("levels", [140, 150, 1500])
def test_a_deep_tree_comes_as_a_list(levels: int) -> None:
    inner = document(20, element(21, "html", element(22, "body", element(23, "p"), text(24))))
    host = element(
        25, "x-y", text(26), shadowRoots=[shadow(27, "closed", element(28, "b", text(29)), text(30))]
    )
    bottom = element(31, "div", host, element(32, "iframe", frameId="F", contentDocument=inner))
    here = element(1000, "div", bottom)
    for id_ in range(1001, 1000 + levels):
        here = element(id_, "div", text(id_ + 100_000_000), here, text(id_ + 200_000_000))
    tree = body(here)
    browser = FakeBrowser(tree)
    assert fallback(browser) == whole(tree)
    assert browser.methods == ["DOM.enable", "DOM.getFlattenedDocument", "DOM.disable"]


@pytest.mark.parametrize("nodes", [[], [element(1, "a"), element(2, "b")]])
def test_a_list_without_one_root_is_not_read(nodes: list[Data]) -> None:
    browser = FakeBrowser(body())
    browser.answers["DOM.getFlattenedDocument"] = {"nodes": nodes}
    with pytest.raises(ReplyUnreadable, match=f"a document has {len(nodes)} roots"):
        browser.run(get_dom_tree_with_fallback(None, NESTED))


def fallback(browser: FakeBrowser) -> list[tuple[int, int]]:
    index = browser.run(get_dom_tree_with_fallback(None, NESTED))
    assert index.truncated == []
    return [
        (one.backend_node_id, 0 if parent < 0 else index.nodes[parent].backend_node_id)
        for one, parent in zip(index.nodes, index.parents, strict=True)
    ]


def test_a_whole_tree_is_not_asked_for_again() -> None:
    browser = FakeBrowser(body(element(4, "p")))
    index = dom_index(body(element(4, "p")))
    assert browser.run(hydrate(None, index)) is index
    assert browser.sent == []


def test_another_refusal_is_no_reason_to_ask_again() -> None:
    browser = FakeBrowser(body())
    with pytest.raises(CommandRefused):
        browser.run(get_dom_tree_with_fallback(None, refused("DOM.getDocument", -32000, "no document")))
    assert browser.sent == []


@pytest.mark.parametrize("levels", [139, 140, 141, 150, 300, 1500, 50_000])
def test_a_deep_tree_comes_in_parts_and_is_whole(levels: int) -> None:
    tree = body(nested(levels))
    browser = FakeBrowser(tree, flattens=False)
    assert fallback(browser) == whole(tree)
    asked = [sent.params.get("depth") for sent in browser.sent if sent.params.get("depth", -1) > 0]
    assert set(asked) == {PASSING_DEPTH}
    # Every switching on is followed by a switching off.
    switches = [sent.method for sent in browser.sent if sent.method in {"DOM.enable", "DOM.disable"}]
    assert switches == ["DOM.enable", "DOM.disable"] * (len(switches) // 2)


def test_the_depth_is_halved_where_shadow_roots_nest_deeper_than_they_count() -> None:
    here = element(10, "p")
    for id_ in range(11, 250, 2):
        here = element(id_, "x-y", shadowRoots=[shadow(id_ + 1, "open", here)])
    tree = body(here)
    browser = FakeBrowser(tree, flattens=False)
    assert fallback(browser) == whole(tree)
    depths = [sent.params["depth"] for sent in browser.sent if sent.method == "DOM.getDocument"]
    assert depths == [140, 70]


def test_a_part_that_still_nests_too_deep_is_asked_for_in_halves() -> None:
    here = element(10, "p")
    for id_ in range(11, 250, 2):
        here = element(id_, "x-y", shadowRoots=[shadow(id_ + 1, "open", here)])
    deep = element(1000, "div", here)
    for id_ in range(1001, 1140):
        deep = element(id_, "div", deep)
    tree = body(deep)
    browser = FakeBrowser(tree, flattens=False)
    assert fallback(browser) == whole(tree)
    depths = [sent.params["depth"] for sent in browser.sent if sent.method == "DOM.describeNode"]
    assert {140, 70} <= set(depths)


def test_what_nests_too_deep_at_any_depth_is_said() -> None:
    browser = FakeBrowser(body(nested(10)), max_levels=1, flattens=False)
    with pytest.raises(CommandRefused, match="stack limit"):
        browser.run(get_dom_tree_with_fallback(None, NESTED))
    assert len(browser.sent) < 40


def test_many_cut_nodes_are_asked_for_in_batches() -> None:
    wide = [nested(141, first=10_000 * number) for number in range(1, 301)]
    tree = body(*wide)
    browser = FakeBrowser(tree, flattens=False)
    assert fallback(browser) == whole(tree)
    described = browser.methods.count("DOM.describeNode")
    batches = browser.methods.count("DOM.enable") - 1
    assert described >= 300
    assert batches <= described / 256 + 4


def test_a_tree_cut_short_for_any_reason_is_filled() -> None:
    tree = body(element(4, "p", text(5)), element(6, "div", element(7, "b")))
    short, _ = cut(tree, 2)
    browser = FakeBrowser(tree)
    index = browser.run(hydrate(None, dom_index(short)))
    assert [one.backend_node_id for one in index.nodes] == [1, 2, 3, 4, 5, 6, 7]
    assert index.truncated == []


def test_frames_and_shadow_roots_that_were_cut_are_filled() -> None:
    inner = document(20, element(21, "html", element(22, "body", element(23, "p"))))
    host = element(8, "x-y", shadowRoots=[shadow(9, "closed", element(10, "b", text(11)))])
    tree = body(element(4, "div", host, element(5, "iframe", frameId="F", contentDocument=inner)))
    for depth in range(5):
        index = FakeBrowser(tree).run(hydrate(None, dom_index(cut(tree, depth)[0])))
        assert {one.backend_node_id for one in index.nodes} == set(by_id(tree)), depth


def test_a_node_that_is_gone_stays_cut() -> None:
    tree = body(element(4, "div", element(5, "p")), element(6, "div", element(7, "p")))
    short, _ = cut(tree, 3)
    gone = body(element(6, "div", element(7, "p")))
    browser = FakeBrowser(gone)
    index = browser.run(hydrate(None, dom_index(short)))
    assert [index.nodes[here].backend_node_id for here in index.truncated] == [4]
    assert 7 in index.position


def test_silence_while_hydrating_is_an_error() -> None:
    browser = FakeBrowser(body(element(4, "p", text(5))))
    browser.answers["DOM.describeNode"] = unanswered("DOM.describeNode", "busy")
    with pytest.raises(CommandUnanswered):
        browser.run(hydrate(None, dom_index(cut(body(element(4, "p", text(5))), 2)[0])))
    assert browser.methods[-1] == "DOM.disable"


def test_a_part_that_cannot_be_read_is_an_error() -> None:
    browser = FakeBrowser(body(element(4, "p", text(5))))
    browser.answers["DOM.describeNode"] = {"node": {"backendNodeId": "x"}}
    with pytest.raises(ReplyUnreadable):
        browser.run(hydrate(None, dom_index(cut(body(element(4, "p", text(5))), 2)[0])))


# Depth is the page's choice, the stack is ours.


def test_the_memory_that_ten_thousand_levels_take() -> None:
    levels = 10_000
    tree = body(nested(levels))
    bottom = BackendNodeId(10 + levels - 1)
    browser = FakeBrowser(tree)
    tracemalloc.start()
    try:
        index = browser.run(get_dom_tree_with_fallback(None, NESTED))
        path = index.xpath(index.position[bottom])
        inside = index.in_user_agent_shadow(index.position[bottom])
        sizes = index.document_sizes[0]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert path == "/html[1]/body[1]" + "/div[1]" * levels
    assert not inside
    assert sizes == 2 * levels + 3
    # Some hundred bytes a node; 10,000 paths of 100 kilobytes would be a gigabyte.
    assert peak < 40 * 2**20


def test_a_tree_of_any_depth_is_built_and_dropped_without_recursion() -> None:
    here = dom_node(element(1, "div"))
    for id_ in range(2, 100_000):
        outer = dom_node(element(id_, "div"))
        outer.children = (here,)
        outer.child_node_count = 1
        here = outer
    index = build_session_dom_index(here)
    assert len(index.nodes) == 99_999
    del index, here, outer


def test_a_frame_whose_dom_came_in_part_is_partial() -> None:
    tree = body(element(4, "div", element(5, "p")), element(6, "div", element(7, "p")))
    browser = FakeBrowser(
        tree, [ax(1, "RootWebArea", "T", 5, 7), ax(5, "paragraph", "a"), ax(7, "paragraph", "b")]
    )
    browser.answers["DOM.getDocument"] = {"root": cut(tree, 3)[0]}

    def described(command: Command[Any]) -> Data:
        if command.params["backendNodeId"] == 6:
            raise unanswered("DOM.describeNode", "busy")
        return {"node": by_id(tree)[4]}

    browser.answers["DOM.describeNode"] = described
    snapshot = browser.snapshot()
    report = snapshot.report
    assert (report.frames[0].status, report.frames[0].cause) == ("partial", "busy")
    assert (report.complete, report.consistent) == (False, False)
    assert [row.id for row in snapshot.rows] == ["0-1", "0-5", None]
    assert xpath_of(snapshot, "0-5") == "/html[1]/body[1]/div[1]/p[1]"
    assert browser.methods[-1] != "DOM.enable"
