"""HTML out of DOM indexes: escaping, raw text, frames, shadow roots, folds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from lxml import html as lxml_html

from hybridsnap.render.content import RenderOptions
from hybridsnap.render.html import build_html
from tests.support.fake_browser import (
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

if TYPE_CHECKING:
    from tests.support.fake_browser import Data


def page(*dom: Data) -> FakeBrowser:
    return FakeBrowser(body(*dom), [ax(1, "RootWebArea", "Page")])


def html_of(*dom: Data, **options: Any) -> str:
    """What is printed inside the body."""
    printed = str(page(*dom).snapshot().render("html", **options))
    assert printed.startswith("<html><body>")
    assert printed.endswith("</body></html>")
    return printed[len("<html><body>") : -len("</body></html>")]


def test_a_document() -> None:
    root = document(
        1,
        node(2, 10, "html"),
        node(3, 8, "#comment", nodeValue=" c "),
        element(
            4,
            "html",
            element(5, "head", element(6, "title", text(7, "A & B"))),
            element(8, "body", element(9, "p", text(10, "Hi"))),
            attributes=["lang", "en"],
        ),
    )
    printed = FakeBrowser(root, [ax(1, "RootWebArea", "A & B")]).snapshot().render("html")
    assert printed == (
        '<!DOCTYPE html><!-- c --><html lang="en"><head><title>A &amp; B</title></head>'
        "<body><p>Hi</p></body></html>"
    )


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        (element(10, "p", text(11, "a<b> & \xa0\r")), "<p>a&lt;b&gt; &amp; &nbsp;&#13;</p>"),
        (element(10, "p", attributes=["title", "\"<b>'&\xa0\n"]),
         '<p title="&quot;&lt;b&gt;\'&amp;&nbsp;\n"></p>'),
        (element(10, "input", attributes=["disabled", ""]), '<input disabled="">'),
        (element(10, "br", element(11, "b")), "<br>"),
        (element(10, "pre", text(11, "\n\nx")), "<pre>\n\n\nx</pre>"),
        (element(10, "textarea", text(11, "</textarea><b>")),
         "<textarea>&lt;/textarea&gt;&lt;b&gt;</textarea>"),
        (element(10, "style", text(11, "a > b {}")), "<style>a > b {}</style>"),
        (element(10, "style", text(11, "</STYLE><b>")), "<style><\\/STYLE><b></style>"),
        (element(10, "noscript", text(11, "<p>no")), "<noscript></noscript>"),
        (element(10, "script", text(11, "x"), attributes=["src", "/a.js"]), '<script src="/a.js"></script>'),
        (element(10, "plaintext", text(11, "<b>")), "<pre>&lt;b&gt;</pre>"),
        (foreign(10, "svg", foreign(11, "style", text(12, "a>b")), foreign(13, "linearGradient")),
         "<svg><style>a&gt;b</style><linearGradient></linearGradient></svg>"),
        (foreign(10, "svg", foreign(11, "foreignObject", element(12, "style", text(13, "a>b")))),
         "<svg><foreignObject><style>a>b</style></foreignObject></svg>"),
        (foreign(10, "svg", foreign(11, "image")), "<svg><image></image></svg>"),
        (foreign(10, "_x", attributes=["a", "<b>"]),
         '<unknown-element a="&lt;b&gt;" data-name="_x"></unknown-element>'),
        (element(10, "p", attributes=["a/b", "1", "c>d", "2", "@e", "3", "", "4"]), '<p @e="3"></p>'),
        (element(10, "template", attributes=["shadowrootmode", "open", "DATA-FRAME", "9"]),
         '<template page-shadowrootmode="open" page-DATA-FRAME="9"></template>'),
        (element(10, "input", attributes=["type", "Password", "value", "secret"]), '<input type="Password">'),
        (element(10, "b", shadowRoots=[shadow(11, "user-agent", element(12, "i"))]), "<b></b>"),
        (element(10, "b", text(13, "light"), shadowRoots=[shadow(11, "closed", element(12, "i"))]),
         '<b><template shadowrootmode="closed"><i></i></template>light</b>'),
        (node(10, 4, "#cdata-section", nodeValue="<x>"), "&lt;x&gt;"),
        (node(10, 7, "go", nodeValue="now"), "<!--?go now?-->"),
        (element(10, "p", text(11, "\x1b[1m\x7f\x9b\x85\u2028\u202e\0\t\n\u200d"),
                 attributes=["title", "\x1b\u2066"]),
         '<p title="&#27;&#8294;">&#27;[1m&#127;\ufffd\ufffd&#8232;&#8238;\ufffd\t\n\u200d</p>'),
        (element(10, "style", text(11, "a\x1b\x9b\u202e\r\x0c{}")),
         "<style>a\ufffd\ufffd\ufffd\n {}</style>"),
        (node(10, 8, "#comment", nodeValue="a\x1b\u2028"), "<!--a\ufffd\ufffd-->"),
        (element(10, "p", attributes=["a\x1b", "1", "b\x9b", "2", "c\u202e", "3", "d", "4"]),
         '<p d="4"></p>'),
        (foreign(10, "x\x9b"), '<unknown-element data-name="x\ufffd"></unknown-element>'),
    ],
)  # fmt: skip
def test_elements(given: Data, printed: str) -> None:
    assert html_of(given) == printed


@pytest.mark.parametrize(
    "comment",
    [
        "--><b>", "--!><b>", "><b>", "-><b>", "a-", "--", "--->", "<!-", "<!--><b>", "x<!-- y", "-", "",
        " … 3 lines below [0-5/*] ",
    ],
)  # fmt: skip
def test_a_comment_stays_one(comment: str) -> None:
    printed = html_of(node(10, 8, "#comment", nodeValue=comment), element(11, "i"))
    assert printed.endswith("--><i></i>")
    inner = printed.removeprefix("<!--").removesuffix("--><i></i>")
    # What ends a comment, by the HTML standard's tokenizer.
    assert not re.search(r"--!?>", inner)
    assert not inner.startswith((">", "->"))
    assert not inner.endswith("-")
    assert not inner.strip().startswith("…")


def test_scripts_on_request() -> None:
    dom = [
        element(10, "script", text(11, "if (a < b && c) x('</script><script><!--')")),
        element(12, "noscript", text(13, "<p>off</p>")),
    ]
    assert html_of(*dom) == "<script></script><noscript></noscript>"
    assert html_of(*dom, scripts=True) == (
        "<script>if (a < b && c) x('<\\/script><script><\\!--')</script><noscript><p>off</p></noscript>"
    )


def framed() -> FakeBrowser:
    same = document(40, element(41, "html", element(42, "body", element(43, "p", text(44, "same")))))
    dom = [
        element(10, "iframe", text(12, "fallback"), frameId="same", contentDocument=same),
        element(13, "x-card", shadowRoots=[shadow(14, "open", element(15, "iframe", frameId="far"))]),
        element(16, "iframe", frameId="lost"),
    ]
    browser = FakeBrowser(
        body(*dom),
        [ax(1, "RootWebArea", "Page", 10)],
        tree=frame_tree("main", frame_tree("same"), frame_tree("lost", url='http://x/"--><b>')),
    )
    browser.processes[None].ax["same"] = [ax(40, "RootWebArea", "same")]
    far = document(1, element(2, "html", element(3, "body", text(4, "far"))))
    browser.add_process("far", far, {"far": [ax(1, "RootWebArea")]}, tree=frame_tree("far"), parent="main")
    return browser


def test_frames() -> None:
    snapshot = framed().snapshot()
    printed = snapshot.render("html")
    assert printed == (
        '<html><body><iframe>fallback</iframe><template data-frame="1" data-url="http://same.test/">'
        "<html><body><p>same</p></body></html></template>"
        '<x-card><template shadowrootmode="open"><iframe></iframe>'
        '<template data-frame="2" data-url="http://far.test/"><html><body>far</body></html></template>'
        "</template></x-card>"
        '<iframe></iframe><!-- frame 3 not captured: detached (http://x/"- -><b>) --></body></html>'
    )
    assert snapshot.render("html", frame=1) == "<html><body><p>same</p></body></html>"
    assert snapshot.render("html", frame=0).count("template") == 2
    parsed = lxml_html.fromstring(printed)
    assert [one.get("data-frame") for one in parsed.iter("template")] == ["1", None, "2"]
    with pytest.raises(ValueError, match="JSON"):
        type(snapshot).from_json(snapshot.to_json()).render("html")


def test_framesets() -> None:
    inner = document(40, element(41, "html", element(42, "body", text(43, "in"))))
    frames = element(
        5, "frameset", element(6, "frameset", element(7, "frame", frameId="in", contentDocument=inner))
    )
    root = document(1, element(2, "html", element(3, "head"), frames))
    browser = FakeBrowser(root, [ax(1, "RootWebArea")], tree=frame_tree("main", frame_tree("in")))
    browser.processes[None].ax["in"] = [ax(40, "RootWebArea")]
    assert browser.snapshot().render("html") == (
        '<html><head></head><template data-frame="1" data-url="http://in.test/"><html><body>in</body></html>'
        "</template><frameset><frameset><frame></frameset></frameset></html>"
    )


def test_lines_ids_and_levels() -> None:
    browser = page(element(10, "p", text(11, "a"), element(12, "my--el")), element(13, "br"))
    document = build_html(browser.snapshot().content, RenderOptions())
    shown = [(line.depth, line.text, line.closing, line.id, line.kind) for line in document.lines]
    assert shown == [
        (0, "<html>", "</html>", "0-2", "html"),
        (1, "<body>", "</body>", "0-3", "body"),
        (2, "<p>", "</p>", "0-10", "p"),
        (3, "a", "", "0-11", "#text"),
        (3, "<my--el></my--el>", "", "0-12", "my-el"),
        (2, "<br>", "", "0-13", "br"),
    ]
    snapshot = browser.snapshot()
    assert snapshot.render("html", max_depth=1) == "<html><body></body></html>"
    assert snapshot.render("html", max_depth=2) == "<html><body><p></p><br></body></html>"


def test_folds_are_comments() -> None:
    rows = [
        element(10 + 4 * at, "x--row", element(11 + 4 * at, "a", text(12 + 4 * at, f"Row {at}")))
        for at in range(300)
    ]
    long = element(5, "p", text(6, "long text " * 60))
    snapshot = page(*rows, long).snapshot()
    printed = snapshot.render("html", max_tokens=800)
    assert len(printed) <= 3200
    assert printed.folds
    comments = re.findall(r"<!--(.*?)-->", printed)
    assert len(comments) == len(printed.folds)
    assert all(comment.startswith(" … ") and "--" not in comment for comment in comments)
    parsed = lxml_html.fromstring(printed)
    assert len(parsed.findall(".//x--row")) == printed.count("<x--row>") > 3
    part = printed.expand(printed.folds[0].id)
    assert part.ids


def test_a_budget_cuts_no_tag() -> None:
    style = "a: b; " * 2000
    snapshot = page(
        element(10, "p", text(11, "x"), attributes=["style", style]),
        element(12, "img", attributes=["src", f"data:{style}"]),
    ).snapshot()
    printed = snapshot.render("html", max_tokens=200)
    assert printed == (
        "<html><body><!-- … 12,012 more characters [0-10@0] --><p>x</p>"
        "<!-- … 12,017 more characters [0-12@0] --><img></body></html>"
    )
    assert printed.expand("0-10@0", max_tokens=10_000) == f'<p style="{style}">'


def test_depth_is_the_page_s_choice() -> None:
    chain: Data = element(10_010, "b")
    for id_ in range(10_009, 9, -1):
        chain = element(id_, "div", chain)
    assert html_of(chain) == "<div>" * 10_000 + "<b></b>" + "</div>" * 10_000
