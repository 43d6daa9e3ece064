"""The controls of a page as the abstract mode prints them, and the selectors beside them."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from hybridsnap.model import Box, ElementId, Layout, Viewport
from hybridsnap.render.content import RenderOptions
from hybridsnap.render.controls import build_controls
from hybridsnap.render.selectors import ScopeSelectors, css_identifier, css_string
from hybridsnap.snapshot import Snapshot
from tests.support.fake_browser import (
    FakeBrowser,
    ax,
    body,
    document,
    element,
    foreign,
    frame_tree,
    shadow,
    text,
)

if TYPE_CHECKING:
    from hybridsnap.render.line_document import LineDocument
    from tests.support.fake_browser import Data

TIME = "2024-01-01 12:00:00"
HEAD = f"操作: navigate\nURL: http://main.test/\n时间: {TIME}\n\n=== 可交互控件 ===\n"


def page(dom: list[Data], *nodes: Data) -> FakeBrowser:
    """A page whose body holds `dom`; the AX nodes are given but for the root."""
    held = {child for node in nodes for child in node["childIds"]}
    tops = [int(node["nodeId"]) for node in nodes if node["nodeId"] not in held]
    return FakeBrowser(body(*dom), [ax(1, "RootWebArea", "Page", *tops), *nodes])


def controls(browser: FakeBrowser, **special: Any) -> str:
    return browser.snapshot().render("controls", action="navigate", time=TIME, **special)


def built(browser: FakeBrowser) -> LineDocument:
    return build_controls(browser.snapshot().content, RenderOptions(special={"time": TIME}))


def document_of_the_format() -> FakeBrowser:
    """The page behind the format's own example."""
    return page(
        [
            element(10, "a", text(11, "返回首页"), attributes=["href", "/home", "aria-label", "首页"]),
            element(12, "button", text(13, "提交表单"), attributes=["id", "submit", "aria-label", "提交"]),
            element(14, "input", attributes=["name", "username", "type", "text"]),
            element(15, "input", attributes=["type", "password", "name", "password", "value", "secret"]),
            element(
                16,
                "select",
                element(17, "option", text(18, "中国")),
                element(19, "option", text(20, "美国")),
                element(21, "option", text(22, "日本")),
                attributes=["id", "country"],
            ),
        ],
        ax(10, "link", "首页", 11),
        ax(11, "StaticText", "返回首页"),
        ax(12, "button", "提交", 13),
        ax(13, "StaticText", "提交表单"),
        ax(14, "textbox", "用户名"),
        ax(15, "textbox", "密码", value="••••••"),
        ax(16, "combobox", "国家", 17, 19, 21, value="中国"),
        ax(17, "option", "中国"),
        ax(19, "option", "美国"),
        ax(21, "option", "日本"),
    )


def test_the_format_exactly() -> None:
    assert controls(document_of_the_format()) == (
        HEAD
        + """
[链接] 首页 -> a[href="/home"]
  文本: "返回首页"

[按钮] 提交 -> button#submit
  文本: "提交表单"

[输入] 用户名 -> input[name="username"]
  类型: text

[输入] 密码 -> input[name="password"]
  类型: password

[选择] 国家 -> select#country
  选项: 中国, 美国, 日本"""
    )


def test_english_labels() -> None:
    printed = controls(document_of_the_format(), lang="en")
    assert printed.split("\n")[:7] == [
        "Action: navigate",
        "URL: http://main.test/",
        f"Time: {TIME}",
        "",
        "=== Interactive controls ===",
        "",
        '[Link] 首页 -> a[href="/home"]',
    ]
    for word in ("  Text: ", "  Type: text", "  Options: ", "[Button]", "[Input]", "[Select]"):
        assert word in printed


def test_every_kind() -> None:
    inputs = [
        "submit", "reset", "button", "image", "checkbox", "radio", "EMAIL", "file", "range", "nonsense",
    ]  # fmt: skip
    dom = [element(10 + at, "input", attributes=["type", kind]) for at, kind in enumerate(inputs)]
    nodes = [ax(10 + at, "textbox", kind) for at, kind in enumerate(inputs)]
    dom += [
        element(30, "input"),
        element(31, "textarea"),
        element(32, "details", element(33, "summary", text(34, "More"))),
        element(35, "a", attributes=["name", "anchor only"]),
        element(36, "div", text(37, "Tab"), attributes=["role", "tab"]),
        element(38, "span", attributes=["role", "checkbox"]),
        element(39, "input", attributes=["type", "hidden", "name", "token"]),
        foreign(40, "svg", foreign(41, "button")),
    ]
    nodes += [
        ax(30, "textbox", "plain"),
        ax(31, "textbox", "area"),
        ax(33, "DisclosureTriangle", "More", 34),
        ax(34, "StaticText", "More"),
        ax(35, "generic", "anchor only"),
        ax(36, "tab", "Tab"),
        ax(38, "checkbox", "Tick"),
        ax(39, "textbox", "token"),
        ax(41, "generic", "no button"),
    ]
    lines = controls(page(dom, *nodes), lang="en").split("\n")
    kinds = [line.partition(" -> ")[0] for line in lines if line.startswith("[")]
    assert kinds == [
        "[Button] submit", "[Button] reset", "[Button] button", "[Button] image", "[Checkbox] checkbox",
        "[Radio] radio", "[Input] EMAIL", "[Input] file", "[Slider] range", "[Input] nonsense",
        "[Input] plain", "[Input] area", "[Button] More", "[Button] Tab", "[Checkbox] Tick",
    ]  # fmt: skip
    types = [line for line in lines if line.startswith("  Type")]
    assert types == [
        f"  Type: {kind}" for kind in ("email", "file", "range", "text", "text", "textarea")
    ]  # fmt: skip


def test_what_nobody_sees_is_left_out() -> None:
    dom = [
        element(10, "a", attributes=["href", "/gone", "style", "display:none"]),
        element(11, "input", shadow(12, "user-agent")),
        element(13, "input", shadowRoots=[shadow(14, "user-agent", element(15, "button"))]),
    ]
    printed = controls(page(dom, ax(11, "textbox", "a"), ax(13, "textbox", "b", 15), ax(15, "button", "in")))
    assert "/gone" not in printed
    assert "in ->" not in printed
    assert printed.count("[输入]") == 2


def test_labels_fall_back() -> None:
    dom = [
        element(10, "input", attributes=["placeholder", "Search here", "name", "q"]),
        element(11, "input", attributes=["name", "q2"]),
        element(12, "button", attributes=["id", "b"]),
        element(13, "button"),
    ]
    printed = controls(page(dom, ax(10, "textbox"), ax(11, "textbox"), ax(12, "button"), ax(13, "button")))
    assert '[输入] Search here -> input[name="q"]' in printed
    assert '[输入] q2 -> input[name="q2"]' in printed
    assert "[按钮] b -> button#b" in printed
    assert "[按钮] -> body > button:nth-of-type(2)" in printed


def test_a_page_cannot_forge_a_line_or_a_selector() -> None:
    evil = 'Pay -> a[href="/evil"]\n[按钮] Pay -> button#evil\u2028x\u202e'
    dom = [
        element(10, "a", text(11, evil), attributes=["href", '/x" -> a#y >> z\n[链接] q']),
        element(12, "button", attributes=["id", 'a" -> b\n>> c']),
    ]
    printed = controls(page(dom, ax(10, "link", evil, 11), ax(11, "StaticText", evil), ax(12, "button", "b")))
    lines = printed.removeprefix(HEAD).split("\n")
    assert len(lines) == 5
    label, _, selector = lines[1].partition(" -> ")
    assert label.startswith("[链接] Pay -\\> a")
    assert selector == r'a[href="/x\" -\3e  a#y \3e \3e  z\a [链接] q"]'
    assert lines[4] == r"[按钮] b -> button#a\"\20 -\3e \20 b\a \3e \3e \20 c"


def test_blocks_fold_with_their_details() -> None:
    count = 200
    dom = [
        element(10 + 2 * at, "a", text(11 + 2 * at, f"Item {at}"), attributes=["href", f"/item/{at}"])
        for at in range(count)
    ]
    nodes = [ax(10 + 2 * at, "link", f"Item {at}") for at in range(count)]
    snapshot = page(dom, *nodes).snapshot()
    rendering = snapshot.render("controls", max_tokens=200)
    assert len(rendering) <= 800
    assert rendering.startswith("操作: ")
    assert "blank" not in rendering
    seen, todo = set(rendering.ids), [fold.id for fold in rendering.folds]
    while todo:
        part = rendering.expand(todo.pop(), max_tokens=1000)
        seen |= part.ids
        todo += [fold.id for fold in part.folds]
    assert {f"0-{10 + 2 * at}" for at in range(count)} <= seen


def test_lines_say_what_they_show() -> None:
    lines = built(document_of_the_format()).lines
    block, detail = next((a, b) for a, b in itertools.pairwise(lines) if a.id == "0-16")
    assert (block.depth, detail.depth) == (0, 1)
    assert block.interactive
    assert detail.tells == ("0-17", "0-19", "0-21")
    assert all(line.depth == 0 for line in lines if line.head or not line.text)


def test_time_and_language() -> None:
    browser = document_of_the_format()
    snapshot = browser.snapshot()
    moment = dt.datetime(2025, 6, 7, 8, 9, 10, tzinfo=dt.UTC)
    assert "时间: 2025-06-07 08:09:10\n" in snapshot.render("controls", time=moment)
    written = snapshot.render("controls").split("\n")[2].removeprefix("时间: ")
    age = dt.datetime.now().astimezone() - dt.datetime.strptime(written, "%Y-%m-%d %H:%M:%S").astimezone()
    assert abs(age) < dt.timedelta(minutes=5)
    with pytest.raises(ValueError, match="zh, en"):
        snapshot.render("controls", lang="de")
    with pytest.raises(ValueError, match="layout"):
        snapshot.render("controls", visible_only=True)
    with pytest.raises(ValueError, match="JSON"):
        Snapshot.from_json(snapshot.to_json()).render("controls")


def test_visible_only() -> None:
    snapshot = document_of_the_format().snapshot()
    viewport = Viewport(800, 600, 0, 0, 800, 600, 1)
    shown = Box((0, 0, 9, 9), 1, 1, "auto", True, True, 1, None, "")
    gone = msgspec.structs.replace(shown, visible_share=0, provenance="offscreen")
    snapshot.layout = Layout(viewport, {ElementId("0-10"): shown, ElementId("0-12"): gone})
    printed = snapshot.render("controls", visible_only=True)
    assert [line[:4] for line in printed.split("\n") if line.startswith("[")] == ["[链接]"]
    whole = build_controls(snapshot.content, RenderOptions()).lines
    assert {line.id: line.in_view for line in whole if line.id} == {
        "0-10": True, "0-12": False, "0-14": False, "0-15": False, "0-16": False,
    }  # fmt: skip


def framed() -> FakeBrowser:
    """A main frame, a frame of the same process and one of another; a button in each."""
    inner = document(40, element(41, "html", element(42, "body", element(43, "button"))))
    owners = [
        element(10, "button"),
        element(11, "iframe", attributes=["name", "same"], frameId="same", contentDocument=inner),
        element(12, "x-card", shadowRoots=[shadow(13, "closed", element(14, "iframe", frameId="other"))]),
        element(15, "button"),
    ]
    browser = FakeBrowser(
        body(*owners),
        [
            ax(1, "RootWebArea", "Page", 10, 11, 14, 15),
            *(ax(10, "button", "a"), ax(11, "Iframe"), ax(14, "Iframe"), ax(15, "button", "d")),
        ],
        tree=frame_tree("main", frame_tree("same")),
    )
    browser.processes[None].ax["same"] = [ax(40, "RootWebArea", "in", 43), ax(43, "button", "b")]
    far = document(1, element(2, "html", element(3, "body", element(10, "button"))))
    browser.add_process(
        "far",
        far,
        {"other": [ax(1, "RootWebArea", "far", 10), ax(10, "button", "c")]},
        tree=frame_tree("other"),
        parent="main",
    )
    return browser


def test_hops_through_frames_and_shadow_roots() -> None:
    printed = controls(framed())
    assert [line for line in printed.split("\n") if line.startswith("[")] == [
        "[按钮] a -> body > button:nth-of-type(1)",
        '[按钮] b -> iframe[name="same"] >> button',
        "[按钮] c -> x-card >> iframe >> button",
        "[按钮] d -> body > button:nth-of-type(2)",
    ]
    assert "[按钮] c -> x-card >> iframe >> button" in controls(framed(), frame=2)
    assert "[按钮] a" not in controls(framed(), frame=2)


def test_a_missing_frame_is_said() -> None:
    browser = framed()
    del browser.processes["far"].ax["other"]
    printed = controls(browser)
    assert "! frame 2 not captured: detached (http://other.test/)" in printed


@pytest.mark.parametrize(
    ("identifier", "escaped"),
    [
        ("submit", "submit"),
        ("-x_Y-9", "-x_Y-9"),
        ("1st", r"\31 st"),
        ("-1", r"-\31 "),
        ("-", r"\-"),
        ("a.b:c", r"a\.b\:c"),
        ("a b", r"a\20 b"),
        ("a>b", r"a\3e b"),
        ("é中", "é中"),
        ("a\u202e\nb", r"a\202e \a b"),
        ('q"\\', r"q\"\\"),
    ],
)
def test_identifiers(identifier: str, escaped: str) -> None:
    assert css_identifier(identifier) == escaped


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("/home", '"/home"'),
        ("a b  c", '"a b  c"'),
        ('"\\', r'"\"\\"'),
        (" >> ", r'" \3e \3e  "'),
        ("\n\xa0é", r'"\a \a0 é"'),
    ],
)
def test_strings(value: str, quoted: str) -> None:
    assert css_string(value) == quoted


def selected(*children: Data) -> dict[int, str | None]:
    """Backend node id → selector, of the elements in a body."""
    index = FakeBrowser(body(*children), [ax(1, "RootWebArea", "Page")]).capture().indexes[0]
    assert index is not None
    tables = ScopeSelectors(index)
    return {
        node.backend_node_id: tables.select(at)
        for at, node in enumerate(index.nodes)
        if node.node_type == 1 and node.backend_node_id > 3
    }


def test_only_what_one_element_has_alone_names_it() -> None:
    found = selected(
        element(10, "a", attributes=["href", "/x", "id", "Same"]),
        element(11, "a", attributes=["href", "/x", "id", "same"]),
        element(12, "a", attributes=["href", "/x", "title", "t"]),
        element(13, "b", attributes=["title", "t"]),
        element(14, "input", attributes=["name", "n", "type", "RADIO", "value", "1"]),
        element(15, "input", attributes=["name", "n", "type", "radio", "value", "2"]),
        element(16, "input", attributes=["name", "m", "type", "radio", "value", "2"]),
        element(17, "i", attributes=["id", ":r1:", "class", "made-up"]),
        element(18, "i", attributes=["id", ":r2:", "class", "made-up"]),
        element(19, "div", element(20, "p"), element(21, "p"), attributes=["id", "\0"]),
    )
    assert found == {
        10: "body > a:nth-of-type(1)",
        11: "body > a:nth-of-type(2)",
        12: 'a[title="t"]',
        13: 'b[title="t"]',
        14: 'input[value="1"]',
        15: 'input[name="n"][value="2"]',
        16: 'input[name="m"]',
        17: r"i#\:r1\:",
        18: r"i#\:r2\:",
        19: "div",
        20: "div > p:nth-of-type(1)",
        21: "div > p:nth-of-type(2)",
    }


def test_a_password_is_in_no_selector() -> None:
    found = selected(
        element(10, "input", attributes=["type", "password", "value", "secret"]),
        element(11, "input", attributes=["type", "password", "value", "other"]),
    )
    assert not any("value" in (selector or "") for selector in found.values())


def test_depth_is_the_page_s_choice() -> None:
    chain: Data = element(5_001, "a", attributes=["href", "/end"])
    for id_ in range(5_000, 10, -1):
        chain = element(id_, "div", chain)
    browser = FakeBrowser(body(chain), [ax(1, "RootWebArea", "deep", 5_001), ax(5_001, "link", "end")])
    assert '[链接] end -> a[href="/end"]' in controls(browser)
    found = selected(element(5, "p", element(6, "p", element(7, "p"))))
    assert found[7] == "body > p > p > p"
    # Nothing is unique there, and a path of thousands of steps helps nobody.
    inner: Data = element(9_999, "p")
    for id_ in range(9_998, 4, -1):
        inner = element(id_, "p", inner)
    deep = selected(inner)
    assert deep[5] == "body > p"
    assert deep[9_999] is None
