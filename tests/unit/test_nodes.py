"""One element by its id, and elements by role and name."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hybridsnap.errors import UnknownElement
from hybridsnap.model import Box, ElementId, Layout, Viewport
from hybridsnap.snapshot import Snapshot, build_snapshot
from tests.support.fake_browser import (
    FakeBrowser,
    ax,
    body,
    document,
    element,
    frame_tree,
    node,
    shadow,
    text,
)

PAGE = body(
    element(4, "h1", text(5, "Shop")),
    element(
        6,
        "form",
        element(7, "label", text(8, " Your \n name ")),
        element(9, "input", attributes=["type", "text", "name", "n"]),
        element(10, "div", element(11, "button", text(12, "Pay"), attributes=["class", "big"])),
        attributes=["action", "/pay"],
    ),
    element(
        13,
        "x-card",
        element(14, "p", text(15, "light")),
        shadowRoots=[shadow(16, "open", element(17, "b", text(18, "dark")))],
    ),
    element(
        19, "iframe", frameId="inner", contentDocument=document(20, element(21, "html", element(22, "a")))
    ),
    element(23, "iframe", frameId="other"),
    element(24, "script", text(25, "let x = 1")),
    node(26, 8, "#comment", nodeValue="note"),
)
NODES = [
    ax(1, "RootWebArea", "Shop page", 4, 6, 13, 19, 23),
    ax(4, "heading", "Shop", 5, level=1),
    ax(5, "StaticText", "Shop"),
    ax(6, "form", "", 8, 9, 10),
    ax(8, "none", ignored=True),
    ax(9, "textbox", "Your  name", value="Ann", description="as it is written", required="true"),
    ax(10, "generic", "", 11),
    ax(11, "button", "Pay", 12),
    ax(12, "StaticText", "Pay"),
    ax(13, "generic", "", 17, 14),
    ax(14, "paragraph", "", 15),
    ax(15, "StaticText", "light"),
    ax(17, "strong", "", 18),
    ax(18, "StaticText", "dark"),
    ax(19, "Iframe", ""),
    ax(23, "Iframe", "pay here"),
]
INNER = [ax(20, "RootWebArea", "In", 22), ax(22, "link", "Home", url="http://main.test/home")]
OTHER = [ax(4, "RootWebArea", "Other", 6), ax(6, "button", "Pay later")]


@pytest.fixture(name="browser", scope="module")
def fixture_browser() -> FakeBrowser:
    browser = FakeBrowser(PAGE, NODES, tree=frame_tree("main", frame_tree("inner")))
    browser.processes[None].ax["inner"] = INNER
    browser.add_process(
        "s",
        document(4, element(5, "html", element(6, "button", text(7, "Pay later")))),
        {"other": OTHER},
        tree=frame_tree("other"),
        parent="main",
    )
    return browser


@pytest.fixture(name="snapshot", scope="module")
def fixture_snapshot(browser: FakeBrowser) -> Snapshot:
    return browser.snapshot()


# One element


def test_an_element_of_the_outline(snapshot: Snapshot) -> None:
    field = snapshot.node("0-9")
    assert (field.id, field.role, field.name, field.value) == ("0-9", "textbox", "Your  name", "Ann")
    assert (field.description, field.states, field.tag) == ("as it is written", ("required",), "input")
    assert (field.attributes, field.text) == ({"type": "text", "name": "n"}, "")
    assert (field.xpath, field.url, field.frame) == ("/html[1]/body[1]/form[1]/input[1]", None, 0)
    assert (field.parent, field.children) == ("0-6", ())
    assert (field.bounds, field.box) == (None, None)


def test_parents_and_children_in_the_outline(snapshot: Snapshot) -> None:
    assert snapshot.node("0-6").children == ("0-9", "0-11")
    assert snapshot.node("0-11").parent == "0-6"
    assert snapshot.node("0-1").parent is None
    assert snapshot.node("0-1").children == ("0-4", "0-6", "0-13", "0-19", "0-23")
    assert snapshot.node("0-19").children == ("1-20",)
    assert snapshot.node("2-4").parent == "0-23"


def test_rows_without_an_id_are_looked_through() -> None:
    nodes = [
        ax(1, "RootWebArea", "", -5),
        ax(-5, "group", "", 4),
        ax(4, "button", "Go", -6),
        ax(-6, "StaticText", "!"),
    ]
    snapshot = FakeBrowser(body(element(4, "button")), nodes).snapshot()
    assert [row.id for row in snapshot.rows] == ["0-1", None, "0-4", None]
    assert snapshot.node("0-1").children == ("0-4",)
    assert snapshot.node("0-4").parent == "0-1"
    assert [found.id for found in snapshot.find()] == ["0-1", "0-4"]


def test_an_element_that_the_outline_leaves_out(snapshot: Snapshot) -> None:
    wrapper = snapshot.node("0-10")
    assert (wrapper.role, wrapper.tag, wrapper.text) == ("generic", "div", "Pay")
    assert (wrapper.parent, wrapper.children) == ("0-6", ("0-11",))
    label = snapshot.node("0-7")
    assert (label.role, label.name, label.tag, label.text) == ("", "", "label", "Your name")


def test_the_dom_between_shadow_roots_and_frames(snapshot: Snapshot) -> None:
    html = snapshot.node("1-21")
    assert (html.parent, html.children, html.frame) == ("1-20", ("1-22",), 1)
    main = snapshot.node("0-3")
    assert main.children == ("0-4", "0-6", "0-13", "0-19", "0-23", "0-24")
    page = body(element(4, "x-a", element(5, "p"), shadowRoots=[shadow(6, "open", element(7, "b"))]))
    bare = FakeBrowser(page, [ax(1, "RootWebArea")]).snapshot()
    assert bare.node("0-4").children == ("0-7", "0-5")
    assert bare.node("0-7").parent == "0-4"
    assert bare.node("0-7").xpath == "/html[1]/body[1]/x-a[1]//b[1]"


def test_a_document_that_the_outline_leaves_out() -> None:
    inner = document(20, element(21, "html"))
    page = body(element(4, "div", element(5, "iframe", frameId="inner", contentDocument=inner)))
    browser = FakeBrowser(page, [ax(1, "RootWebArea", "T")], tree=frame_tree("main", frame_tree("inner")))
    browser.processes[None].ax["inner"] = [ax(20, "none", ignored=True)]
    snapshot = browser.snapshot()
    assert [row.id for row in snapshot.rows] == ["0-1", "0-5"]
    assert (snapshot.node("1-20").parent, snapshot.node("1-20").children) == ("0-5", ("1-21",))
    assert [found.id for found in snapshot.find(within="0-4")] == ["0-5"]


def test_text(snapshot: Snapshot) -> None:
    assert snapshot.node("0-6").text == "Your name Pay"
    assert snapshot.node("0-8").text == "Your name"
    assert snapshot.node("0-13").text == "light", "shadow roots are not part of it"
    assert snapshot.node("0-1").text == "Shop Your name Pay light", "nor are scripts, frames and comments"
    assert snapshot.node("0-24").text == ""


def test_text_without_what_is_hidden() -> None:
    page = body(
        element(4, "p", text(5, "seen "), element(6, "b", text(7, "hidden")), text(8, "too")),
        element(9, "select", element(10, "option", text(11, "Ann")), element(12, "option", text(13, "Bob"))),
    )
    nodes = [
        ax(1, "RootWebArea", "", 4, 9),
        ax(4, "paragraph", "", 5, 8),
        ax(5, "StaticText", "seen"),
        ax(8, "StaticText", "too"),
        ax(9, "combobox", "", 10),
        ax(10, "option", "Ann"),
    ]
    snapshot = FakeBrowser(page, nodes).snapshot()
    assert snapshot.node("0-3").text == "seen too Ann"
    assert [snapshot.node(id_).text for id_ in ("0-6", "0-7", "0-8", "0-10", "0-12")] == [
        "",
        "",
        "too",
        "Ann",
        "",
    ]


def test_text_of_blocks_and_inline_elements() -> None:
    page = body(
        element(4, "p", text(5, "one"), element(6, "b", text(7, "two")), element(8, "br"), text(9, "three")),
        element(10, "p", text(11, "four")),
    )
    nodes = [ax(1, "RootWebArea", "", 5, 7, 9, 11), *(ax(n, "StaticText", "") for n in (5, 7, 9, 11))]
    assert FakeBrowser(page, nodes).snapshot().node("0-3").text == "onetwo three four"


def test_urls(snapshot: Snapshot) -> None:
    assert snapshot.node("1-22").url == "http://main.test/home"


def test_bounds(browser: FakeBrowser) -> None:
    capture = browser.capture()
    box = Box((1, 2, 30, 4), 1.0, 3, "pointer", True, True, 1.0, None, "")
    viewport = Viewport(800, 600, 0, 0, 800, 600, 1)
    capture.layout = Layout(viewport, {ElementId("0-11"): box})
    found = build_snapshot(capture, transport="test", elapsed_ms=1).node("0-11")
    assert (found.bounds, found.box) == ((1, 2, 30, 4), box)


def test_nodes_are_values(snapshot: Snapshot) -> None:
    assert snapshot.node("0-11") == snapshot.node("0-11")
    assert len({snapshot.node("0-11"), snapshot.node("0-11"), snapshot.node("0-9")}) == 2
    assert repr(snapshot.node("0-11")).startswith("Node(id='0-11', role='button', name='Pay'")


@pytest.mark.parametrize(
    "id_", ["0-99", "3-1", "1-4", "0-16", "11", "0-", "0-07", "-1-2", "", "button", "0-1\n"]
)
def test_an_unknown_id(snapshot: Snapshot, id_: str) -> None:
    for ask in (snapshot.node, lambda within: snapshot.find(within=within)):
        with pytest.raises(UnknownElement, match=r"\A[^\n]+; [^\n]+\Z") as caught:
            ask(id_)
        assert caught.value.element_id == id_
    assert ("not an element id" in caught.value.message) == (not re.fullmatch(r"\d+-[1-9]\d*", id_))


# Many


def ids(snapshot: Snapshot, *args: object, **options: object) -> list[str]:
    return [found.id for found in snapshot.find(*args, **options)]  # type: ignore[arg-type]


def test_find_by_role_and_name(snapshot: Snapshot) -> None:
    assert ids(snapshot, "button") == ["0-11", "2-6"]
    assert ids(snapshot, "button", "PAY") == ids(snapshot, "Button", "pay") == ["0-11", "2-6"]
    assert ids(snapshot, "button", "pay", exact=True) == []
    assert ids(snapshot, "button", "Pay", exact=True) == ["0-11"]
    assert ids(snapshot, name="your name") == ["0-9"]
    assert ids(snapshot, name=re.compile(r"^Pay\b.+r$")) == ["2-6"]
    assert ids(snapshot, "link", None) == ["1-22"]
    assert ids(snapshot, "nothing") == []
    assert ids(snapshot) == [row.id for row in snapshot.rows if row.id is not None]
    assert snapshot.find("button", "Pay", exact=True) == [snapshot.node("0-11")]
    with pytest.raises(ValueError, match="exact"):
        snapshot.find(name=re.compile("x"), exact=True)


def test_find_by_the_printed_role() -> None:
    page = body(
        element(4, "select"), element(5, "input"), element(6, "div", element(7, "p"), element(8, "p"))
    )
    nodes = [ax(1, "RootWebArea", "", 4, 5, 6), ax(4, "combobox", "a"), ax(5, "combobox", "b")]
    nodes += [ax(6, "generic", "", 7, 8), ax(7, "paragraph"), ax(8, "paragraph")]
    snapshot = FakeBrowser(page, nodes).snapshot()
    assert ids(snapshot, "select") == ["0-4"]
    assert ids(snapshot, "combobox") == ["0-4", "0-5"]
    assert ids(snapshot, "div") == ids(snapshot, "generic") == ["0-6"]


def test_find_within(snapshot: Snapshot) -> None:
    assert ids(snapshot, "button", within="0-6") == ["0-11"]
    assert ids(snapshot, "button", within="0-11") == []
    assert ids(snapshot, "button", within="0-10") == ["0-11"], "the outline leaves 0-10 out"
    assert ids(snapshot, "button", within="0-23") == ["2-6"]
    assert ids(snapshot, within="0-3")[-2:] == ["2-4", "2-6"], "frames below it are inside"
    assert ids(snapshot, within="0-3")[0] == "0-4"
    assert "0-1" not in ids(snapshot, within="0-3")


# Read from JSON


def test_a_snapshot_from_json(snapshot: Snapshot) -> None:
    read = Snapshot.from_json(snapshot.to_json())
    for id_ in ("0-1", "0-9", "0-11", "1-22", "2-6"):
        saved, live = read.node(id_), snapshot.node(id_)
        assert saved == live
        assert (saved.xpath, saved.attributes) == (live.xpath, {})
    assert read.node("0-11").text == "Pay"
    assert read.node("0-9").text == ""
    assert read.node("0-13").text == "dark light"
    assert read.node("0-6").text == "Pay"
    assert read.node("0-19").text == ""
    assert ids(read, "button", within="0-6") == ["0-11"]
    for id_ in ("0-10", "0-3", "0-999"):
        with pytest.raises(UnknownElement, match="JSON"):
            read.node(id_)


def test_what_cannot_be_meant_is_refused(snapshot: Snapshot) -> None:
    wrong: Any = 5
    with pytest.raises(TypeError, match="an element id is a string such as '0-29', not None"):
        snapshot.node(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="query is a string"):
        snapshot.render(query=wrong)
    with pytest.raises(ValueError, match="max_depth is 0 for the top level only"):
        snapshot.render(max_depth=-1)
    for format_ in ("tree", "aria"):
        with pytest.raises(ValueError, match="no frame 9; its frames are 0, 1, 2"):
            snapshot.render(format_, frame=9)
    assert snapshot.render(frame=1, max_depth=0)
