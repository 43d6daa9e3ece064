"""The hybrid tree as a document: its form, what XML cannot hold, queries, and the format `xml`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from hybridsnap.errors import HybridsnapError
from hybridsnap.render.document import HS_ID, xml_name, xml_text
from hybridsnap.snapshot import Snapshot
from tests.support.fake_browser import (
    Data,
    FakeBrowser,
    ax,
    body,
    document,
    element,
    foreign,
    frame_tree,
    node,
    shadow,
    text,
)
from tests.support.strategies import html_tags, page_texts, reply_makers

if TYPE_CHECKING:
    from tests.support.strategies import ReplyMaker

HS = {"hs": "urn:hybridsnap"}


def snapshot_of(*children: Data, nodes: tuple[Data, ...] = ()) -> Snapshot:
    return FakeBrowser(body(*children), [ax(1, "RootWebArea", "T"), *nodes]).snapshot()


def source(*children: Data, nodes: tuple[Data, ...] = ()) -> str:
    """What is in the body, without its own tag."""
    tree = snapshot_of(*children, nodes=nodes).to_lxml()
    found = etree.tostring(tree, encoding="unicode")
    inner = re.search(r'<body hs:id="0-3"(?:/>|>(.*)</body>)', found, re.DOTALL)
    assert inner is not None
    return inner[1] or ""


# The form


def test_a_page_of_one_frame() -> None:
    tree = snapshot_of(element(4, "p", text(5, "one"))).to_lxml()
    assert etree.tostring(tree, encoding="unicode") == (
        '<hs:document xmlns:hs="urn:hybridsnap" xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' url="http://main.test/" frame="0" hs:id="0-1" hs:role="RootWebArea" hs:name="T">'
        '<html hs:id="0-2"><body hs:id="0-3"><p hs:id="0-4">one</p></body></html></hs:document>'
    )


def test_what_the_ax_tree_says() -> None:
    nodes = (
        ax(4, "textbox", " Your\n name ", value="Ann", description="as in  your passport", required="true"),
        ax(5, "button", "More", expanded="false", pressed="mixed"),
        ax(6, "checkbox", "", checked="mixed", disabled="true"),
        ax(7, "heading", "Top", level=2),
    )
    elements = [element(id_, tag) for id_, tag in ((4, "input"), (5, "button"), (6, "input"), (7, "h2"))]
    assert source(*elements, nodes=nodes) == (
        '<input hs:id="0-4" hs:role="textbox" hs:name="Your name" hs:description="as in your passport"'
        ' hs:value="Ann" hs:required="true"/>'
        '<button hs:id="0-5" hs:role="button" hs:name="More" hs:pressed="mixed" hs:expanded="false"/>'
        '<input hs:id="0-6" hs:role="checkbox" hs:checked="mixed" hs:disabled="true"/>'
        '<h2 hs:id="0-7" hs:role="heading" hs:name="Top" hs:level="2"/>'
    )


def test_a_role_that_the_outline_leaves_out() -> None:
    nodes = (ax(4, "generic", "", 5), ax(5, "button", "Go"), ax(6, "none", ignored=True))
    snapshot = snapshot_of(element(4, "div", element(5, "button")), element(6, "i"), nodes=nodes)
    assert "0-4" not in {row.id for row in snapshot.rows}
    assert snapshot.xpath("//*[@hs:role='generic']") == ["0-4"]
    assert snapshot.xpath("//i[not(@hs:role)]") == ["0-6"]


def test_mixed_content_keeps_its_place() -> None:
    children = (
        text(4, "a"),
        element(5, "b", text(6, "b")),
        text(7, "c"),
        node(8, 8, "#comment", nodeValue="note"),
        text(9, "d"),
        node(10, 4, "#cdata-section", nodeValue="<e>"),
        node(11, 7, "target", nodeValue="some data"),
        text(12, " f"),
    )
    assert source(*children) == ('a<b hs:id="0-5">b</b>c<!--note-->d&lt;e&gt;<?target some data?> f')


def test_shadow_roots_come_before_the_children() -> None:
    host = element(
        4, "x-card", text(5, "light"), shadowRoots=[shadow(6, "closed", element(7, "p", text(8, "dark")))]
    )
    assert source(host) == (
        '<x-card hs:id="0-4"><hs:shadow-root mode="closed"><p hs:id="0-7">dark</p></hs:shadow-root>'
        "light</x-card>"
    )


def test_what_the_browser_builds_into_controls_is_not_the_pages_own() -> None:
    inner = shadow(
        5,
        "user-agent",
        element(6, "input", attributes=["type", "button"]),
        element(7, "div", text(8, "inner")),
    )
    field = element(4, "input", attributes=["type", "file"], shadowRoots=[inner])
    snapshot = snapshot_of(field, nodes=(ax(6, "button", "Choose File"),))
    assert snapshot.xpath("//input") == snapshot.css("input") == ["0-4"]
    assert snapshot.xpath("//*[contains(., 'inner')]") == []
    assert snapshot.css("[type], div, *:not(html):not(body)") == ["0-4"]
    assert snapshot.xpath("//hs:part[@hs:tag='input']") == snapshot.xpath("//*[@hs:role='button']") == ["0-6"]


@pytest.mark.parametrize("kind", ["password", "PassWord"])
def test_a_password_is_nowhere(kind: str) -> None:
    inner = shadow(5, "user-agent", element(6, "div", text(7, "hunter2")))
    field = element(4, "input", attributes=["type", kind, "value", "hunter2"], shadowRoots=[inner])
    nodes = (ax(4, "textbox", "P", value="hunter2"), ax(7, "StaticText", "•••••••"))
    assert "hunter2" not in source(field, nodes=nodes)
    snapshot = snapshot_of(field, nodes=nodes)
    assert "hunter2" not in snapshot.render("xml")
    for id_ in ("0-4", "0-6", "0-7"):
        found = snapshot.node(id_)
        assert (
            "hunter2" not in f"{found} {found.attributes.get('value') if id_ == '0-4' else ''} {found.text}"
        )


def test_urls_and_states_of_the_rows() -> None:
    nodes = (ax(4, "link", "x", url="http://main.test/x"),)
    link = element(4, "a", attributes=["href", "/x"], isScrollable=True)
    snapshot = snapshot_of(link, nodes=nodes)
    assert snapshot.xpath("//a[@hs:url='http://main.test/x' and @href='/x' and @hs:scrollable]") == ["0-4"]


# Names and characters that XML has not


def test_names_that_are_no_xml_names() -> None:
    attributes = ["@click", "go", ":key", "1", "xmlns", "urn:x", "hs:id", "0-9", "_x0040_click", "forged"]
    assert source(element(4, "a--b", attributes=attributes), element(5, "x:y"), element(6, 'p"1')) == (
        '<a--b _x0040_click="go" _x003A_key="1" _x0078_mlns="urn:x" hs_x003A_id="0-9"'
        ' _x005F_x0040_click="forged" hs:id="0-4"/>'
        '<x_x003A_y hs:tag="x:y" hs:id="0-5"/><p_x0022_1 hs:tag="p&quot;1" hs:id="0-6"/>'
    )


def test_prefixes() -> None:
    picture = foreign(4, "svg:svg", foreign(5, "use"), attributes=["xlink:href", "#a", "xml:lang", "de"])
    assert source(picture) == (
        '<svg xlink:href="#a" xml:lang="de" hs:tag="svg:svg" hs:id="0-4"><use hs:id="0-5"/></svg>'
    )
    snapshot = snapshot_of(picture)
    assert snapshot.xpath("//svg[@xlink:href and @xml:lang='de']/use") == ["0-5"]
    assert snapshot.css(r"svg[xlink\:href] > use") == ["0-5"]


def test_characters_that_xml_cannot_hold() -> None:
    children = (
        element(4, "p", text(5, "a\x00b\x1b\ud800\ufffe"), attributes=["title", "x\x00\udfff"]),
        node(6, 8, "#comment", nodeValue="a--b---\x00-"),
        node(7, 7, "xml", nodeValue="?>"),
    )
    assert source(*children) == (
        '<p title="x\ufffd\ufffd" hs:id="0-4">a\ufffdb\ufffd\ufffd\ufffd</p>'
        "<!--a- -b- - -\ufffd- --><?_x0078_ml ? >?>"
    )


@given(page_texts, page_texts)
def test_every_name_and_text_is_taken(first: str, second: str) -> None:
    one, two = xml_name(first), xml_name(second)
    made = etree.Element(one, {two: xml_text(second)})
    again = etree.fromstring(etree.tostring(made))
    assert (again.tag, dict(again.attrib)) == (one, {two: xml_text(second)})
    assert (one == two) == (first == second) or not (first and second)


@given(st.text(st.sampled_from("_x0405Fg:"), max_size=9), st.text(st.sampled_from("_x0405Fg:"), max_size=9))
def test_no_two_names_become_the_same(first: str, second: str) -> None:
    assert first == second or {first, second} == {"", "_"} or xml_name(first) != xml_name(second)


# Frames


def framed(*, missing: bool = False) -> FakeBrowser:
    """The main frame holds `inner` (same process) and `other` (another process, `missing` or not)."""
    inner = document(20, element(21, "html", element(22, "button")))
    page = body(
        element(4, "iframe", frameId="inner", contentDocument=inner),
        element(5, "iframe", frameId="other"),
        element(6, "p", text(7, "after")),
    )
    browser = FakeBrowser(
        page, [ax(1, "RootWebArea", "T", 4, 5)], tree=frame_tree("main", frame_tree("inner"))
    )
    browser.processes[None].ax["inner"] = [ax(20, "RootWebArea", "In", 22), ax(22, "button", "Go")]
    if not missing:
        browser.add_process(
            "s",
            document(4, element(5, "html", element(6, "button"))),
            {"other": [ax(4, "RootWebArea", "Other", 6), ax(6, "button", "Pay")]},
            tree=frame_tree("other"),
            parent="main",
        )
    return browser


def test_frames_below_their_owners() -> None:
    snapshot = framed().snapshot()
    assert snapshot.xpath("//iframe/hs:document/html/button[@hs:role='button']") == ["1-22", "2-6"]
    assert snapshot.xpath("//iframe[.//*[@hs:name='Pay']]") == ["0-5"]
    assert snapshot.xpath("//hs:document[@frame='2']/@url/..") == ["2-4"]
    assert snapshot.css("body button") == ["1-22", "2-6"]
    assert snapshot.css("body > iframe + iframe button") == ["2-6"]
    assert snapshot.css("html:root") == ["0-2", "1-21", "2-5"]


def test_a_missing_frame_says_so() -> None:
    snapshot = framed(missing=True).snapshot()
    (missing,) = snapshot.to_lxml().xpath("//hs:document[@status]", namespaces=HS)
    assert dict(missing.attrib) == {"url": "", "frame": "2", "status": "missing", "cause": "unreachable"}
    assert missing.getparent().get(HS_ID) == "0-5"
    assert snapshot.xpath("//hs:document") == ["0-1", "1-20"]


def test_a_frame_without_a_known_owner_hangs_at_the_root() -> None:
    browser = framed()
    browser.processes[None].dom["children"][0]["children"][0]["children"].pop(1)
    browser.processes[None].dom["children"][0]["children"][0]["childNodeCount"] = 2
    assert browser.snapshot().xpath("/hs:document/hs:document/html/button") == ["2-6"]


def test_a_captured_frame_in_one_that_is_missing() -> None:
    browser = framed()
    del browser.processes[None].ax["main"]
    with pytest.raises(HybridsnapError):
        browser.snapshot()
    inmost = document(30, element(31, "html", element(32, "button")))
    inner = document(20, element(21, "html", element(22, "iframe", frameId="inmost", contentDocument=inmost)))
    page = body(element(4, "iframe", frameId="inner", contentDocument=inner))
    tree = frame_tree("main", frame_tree("inner", frame_tree("inmost")))
    browser = FakeBrowser(page, [ax(1, "RootWebArea", "T")], tree=tree)
    browser.processes[None].ax["inmost"] = [ax(30, "RootWebArea", "In", 32), ax(32, "button", "Go")]
    snapshot = browser.snapshot()
    assert snapshot.xpath("//button") == ["2-32"]
    assert snapshot.xpath("//iframe") == ["0-4"]


def test_a_snapshot_from_json_has_no_document() -> None:
    snapshot = Snapshot.from_json(snapshot_of().to_json())
    with pytest.raises(ValueError, match="read from JSON"):
        snapshot.to_lxml()
    with pytest.raises(ValueError, match="read from JSON"):
        snapshot.xpath("//p")


# Queries

FORMS = (
    element(
        4,
        "form",
        element(5, "input", attributes=["name", "a", "type", "checkbox", "checked", ""]),
        element(6, "div", element(7, "button", text(8, "Pay"))),
    ),
    element(9, "form", element(10, "input", attributes=["name", "b", "type", "checkbox"])),
    element(
        11, "x-card", element(12, "i"), shadowRoots=[shadow(13, "open", element(14, "b"), element(15, "b"))]
    ),
    element(16, "p"),
)
FORM_NODES = (
    ax(5, "checkbox", "first", checked="false"),
    ax(7, "button", "Pay"),
    ax(10, "checkbox", "second", checked="true"),
)


@pytest.mark.parametrize(
    ("expression", "ids"),
    [
        ("//form[.//*[@hs:role='button' and @hs:name='Pay']]", ["0-4"]),
        ("//button/ancestor::*[self::form or self::div]", ["0-4", "0-6"]),
        ("//button | //input", ["0-5", "0-7", "0-10"]),
        ("//*[re:test(@hs:name, '^PAY$', 'i')]", ["0-7"]),
        ("//hs:shadow-root", []),
        ("//hs:shadow-root/b[2]", ["0-15"]),
        ("//nothing", []),
        ("/hs:document", ["0-1"]),
    ],
)
def test_xpath(expression: str, ids: list[str]) -> None:
    assert snapshot_of(*FORMS, nodes=FORM_NODES).xpath(expression) == ids


@pytest.mark.parametrize(
    "expression",
    [
        "//form[",
        "//x:form",
        "count(//form)",
        "string(//form)",
        "true()",
        "//form/@name",
        "//b/text()",
        "f()",
        "",
        "\x00",
    ],
)
def test_xpath_that_is_none_or_asks_for_something_else(expression: str) -> None:
    snapshot = snapshot_of(
        element(4, "form", element(5, "b", text(6)), attributes=["name", "n"]), nodes=FORM_NODES
    )
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        snapshot.xpath(expression)


@pytest.mark.parametrize(
    ("selector", "ids"),
    [
        ("form input", ["0-5", "0-10"]),
        ("form input[name=b]", ["0-10"]),
        ("form > button", []),
        ("form > div > button, p", ["0-7", "0-16"]),
        ("FORM Input", ["0-5", "0-10"]),
        ("[NAME='A' i]", ["0-5"]),
        (":checked", ["0-10"]),
        ("x-card b", ["0-14", "0-15"]),
        ("x-card > *", ["0-12"]),
        ("i:first-child, i:only-child", ["0-12"]),
        ("b:nth-child(2)", ["0-15"]),
        ("b + b", ["0-15"]),
        ("* + i", []),
        ("p:empty", ["0-16"]),
        ("form:has(button)", ["0-4"]),
        ("body > :not(form):not(x-card)", ["0-16"]),
    ],
)
def test_css(selector: str, ids: list[str]) -> None:
    assert snapshot_of(*FORMS, nodes=FORM_NODES).css(selector) == ids


def test_css_does_not_count_or_find_our_own_elements() -> None:
    host = element(4, "div", shadowRoots=[shadow(5, "open")])
    snapshot = snapshot_of(host)
    assert snapshot.css("div:empty, body > *") == ["0-4"]
    assert snapshot.css("*") == ["0-2", "0-3", "0-4"]
    literal = snapshot_of(element(4, "p", attributes=["title", "preceding-sibling::*"]))
    assert literal.css("p[title='preceding-sibling::*']") == ["0-4"]


@pytest.mark.parametrize(
    "selector",
    ["form[", "::before", "p::text", ":nonsense", ":hover", "a:visited", "hs|document", "[hs|id]", "", "a >"],
)
def test_css_that_is_none(selector: str) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        snapshot_of().css(selector)


def test_css_by_names_that_are_no_xml_names() -> None:
    snapshot = snapshot_of(
        element(4, "p", attributes=["@click", "go"]),
        element(5, "x:y"),
        foreign(6, "linearGradient", attributes=["viewBox", "0"]),
        element(7, "p", attributes=["tabindex", "1"]),
    )
    assert snapshot.css(r"[\@click=go]") == ["0-4"]
    assert snapshot.css(r"x\:y") == ["0-5"]
    assert snapshot.css("linearGradient[viewBox]") == ["0-6"]
    assert snapshot.css("[tabIndex]") == ["0-7"]


# The format


def test_xml() -> None:
    children = (
        element(4, "p", text(5, "  one \n two "), attributes=["title", 'a\n"b" & \u202e<c>']),
        element(6, "p", text(7, "a"), element(8, "b", text(9, "b")), text(10, " ")),
        node(11, 8, "#comment", nodeValue=" … 37 more like this [0-4..0-9] "),
        element(12, "p", text(13, "long " * 50)),
    )
    rendering = snapshot_of(*children).render("xml")
    assert rendering.splitlines()[1:] == [
        '  <html hs:id="0-2">',
        '    <body hs:id="0-3">',
        '      <p title="a&#xA;&quot;b&quot; &amp; &#x202E;&lt;c&gt;" hs:id="0-4">one two</p>',
        '      <p hs:id="0-6">',
        "        a",
        '        <b hs:id="0-8">b</b>',
        "      </p>",
        '      <p hs:id="0-12">',
        "        " + " ".join(["long"] * 50),
        "      </p>",
        "    </body>",
        "  </html>",
        "</hs:document>",
    ]
    assert rendering.ids == {f"0-{id_}" for id_ in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13)}
    assert len(etree.fromstring(rendering).xpath("//*[@hs:id]", namespaces=HS)) == 7


def test_xml_of_some_levels() -> None:
    rendering = snapshot_of(element(4, "p", element(5, "b", text(6)))).render("xml", max_depth=3)
    assert rendering.splitlines()[3] == '      <p hs:id="0-4"/>'
    assert (
        snapshot_of(element(4, "p", text(6))).render("xml", max_depth=3).splitlines()[3].endswith(">text</p>")
    )


def test_xml_of_one_frame() -> None:
    snapshot = framed().snapshot()
    assert etree.fromstring(snapshot.render("xml", frame=1)).xpath("//@hs:id", namespaces=HS) == [
        "1-20",
        "1-21",
        "1-22",
    ]
    assert "hs:document" not in "".join(snapshot.render("xml", frame=0).splitlines()[1:-1])
    with pytest.raises(ValueError, match="frame 7"):
        snapshot.render("xml", frame=7)


def test_folds_are_comments_even_where_names_have_two_hyphens() -> None:
    rows = [
        element(10 * id_, "tr--row", element(10 * id_ + 1, "td", text(10 * id_ + 2, f"cell {id_}")))
        for id_ in range(1, 300)
    ]
    rendering = snapshot_of(*rows).render("xml", max_tokens=600)
    assert rendering.folds
    assert rendering.stats.tokens <= 600
    comments = etree.fromstring(rendering).xpath("//comment()")
    assert len(comments) == len(rendering.folds)


def test_a_budget_cuts_no_tag_and_no_reference() -> None:
    address = "data:," + "x" * 3000
    children = (
        element(4, "img", attributes=["src", address]),
        element(5, "a", text(6, "to the picture"), attributes=["href", address]),
        element(7, "div", element(8, "b", text(9, "bold")), attributes=["style", address]),
        element(10, "pre", text(11, "&" * 2000)),
        element(12, "p", text(13, "a & b " * 1000)),
    )
    snapshot = snapshot_of(*children)
    for max_tokens in range(500, 1000, 7):
        rendering = snapshot.render("xml", max_tokens=max_tokens)
        assert rendering.stats.tokens <= max_tokens
        assert etree.fromstring(rendering).xpath("//*[@hs:id='0-1']", namespaces=HS)
    assert '<div hs:id="0-7">' in rendering
    (fold,) = re.findall(r"more characters \[(0-5@0)\] --><a", rendering)
    assert rendering.expand(fold, 4000).startswith('<a href="data:,xxx')


# Whatever a page or a browser says


@given(html_tags, page_texts, page_texts, page_texts)
def test_any_page(tag: str, name: str, value: str, label: str) -> None:
    page = body(
        element(4, tag, text(5, value), node(6, 8, "#comment", nodeValue=value), attributes=[name, value]),
        foreign(7, tag, attributes=["title", label]),
        node(8, 7, name, nodeValue=value),
    )
    nodes = [ax(1, "RootWebArea", label), ax(4, "button", label, description=value), ax(7, "generic", value)]
    snapshot = FakeBrowser(page, nodes).snapshot()
    assert check(snapshot) == ["0-1", "0-2", "0-3", "0-4", "0-7"]
    assert snapshot.node("0-4").attributes == {name: value}


@given(reply_makers)
def test_any_reply(maker: ReplyMaker) -> None:
    browser = FakeBrowser(body())
    browser.answers |= {
        method: lambda command: maker.reply(command.method)
        for method in (
            "Page.getFrameTree",
            "DOM.getDocument",
            "DOM.describeNode",
            "Accessibility.getFullAXTree",
        )
    }
    try:
        snapshot = browser.snapshot()
    except HybridsnapError:
        return
    check(snapshot)


def check(snapshot: Snapshot) -> list[str]:
    tree = snapshot.to_lxml()
    ids = [str(id_) for id_ in tree.xpath("//@hs:id", namespaces=HS)]
    assert len(ids) == len(set(ids))
    assert etree.fromstring(etree.tostring(tree)).xpath("//@hs:id", namespaces=HS) == ids
    assert etree.fromstring(snapshot.render("xml")).xpath("//@hs:id", namespaces=HS) == ids
    return ids


# Depth


def test_ten_thousand_levels() -> None:
    levels = 10_000
    here = element(10, "p", text(11, "deep"))
    for id_ in range(12, 12 + levels):
        here = element(id_, "div", text(100_000 + id_, "a"), here, text(200_000 + id_, "z"))
    nodes = (ax(10, "button", "deep", 11), ax(11, "StaticText", "deep"), ax(levels, "button", "half way"))
    snapshot = snapshot_of(here, nodes=nodes)
    tree = snapshot.to_lxml()
    whole = etree.tostring(tree)
    assert whole.count(b"<div") == levels
    assert whole.count(b"xmlns:hs") == 1
    assert tree.getroot().xpath("string()") == "a" * levels + "deep" + "z" * levels
    assert snapshot.css("div > p") == snapshot.xpath("//p[@hs:role='button']") == ["0-10"]
    assert len(snapshot.xpath("//p/ancestor::div")) == levels
    rendering = snapshot.render("xml", max_depth=300)
    assert len(etree.fromstring(rendering, etree.XMLParser(huge_tree=True)).xpath("//div")) == 298
    assert snapshot.node("0-10").text == "deep"
    assert len(snapshot.find("button", "deep", within=f"0-{levels - 1}")) == 1
    del tree, snapshot
