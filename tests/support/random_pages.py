"""Hypothesis strategies for whole pages: everything that makes ids, paths and roles hard, at random.

A page is drawn as a tree of plain values and written as HTML or as XHTML. What markup cannot say (closed
roots in XHTML, odd names, split and empty text nodes) is left to `MAKE_JS` in ``data-`` attributes; it runs
at the end of the body, before the load event.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from typing import Any

from hypothesis import strategies as st

MAKE_JS = r"""
const roots = [document];
for (const host of [...document.querySelectorAll("[data-shadow]")]) {
  const template = host.querySelector("template");
  const root = host.attachShadow({mode: host.getAttribute("data-shadow")});
  roots.push(root);
  if (template) root.appendChild(template.content);
  if (template) template.remove();
}
for (const parent of [...document.querySelectorAll("[data-make]")]) {
  for (const [namespace, name, text] of JSON.parse(parent.getAttribute("data-make"))) {
    let made;
    try { made = document.createElementNS(namespace, name); } catch (error) { continue; }
    made.append(text);
    parent.append(made, "", "a", "b");
  }
}
for (const parent of [...document.querySelectorAll("[data-split]")]) {
  for (const child of [...parent.childNodes])
    if (child.nodeType === 3 && child.length > 1) child.splitText(1).before("");
}
for (const parent of [...document.querySelectorAll("[data-open]")]) parent.showModal ? parent.showModal() : 0;
// In what waits to be opened or found a frame may come with the first layout, as may the parts of an image's
// input, and what it holds is in the accessibility tree or not, as somebody has asked for its style before
// (Chromium 156).
for (const root of roots)
  for (const one of root.querySelectorAll("iframe, frame, embed, object, input[type=image]"))
    for (let above = one; above; above = above.parentNode ?? above.host) {
      if (above.localName === "details") above.setAttribute("open", "");
      if (above.hidden === "until-found") above.removeAttribute("hidden");
    }
"""

_HTML, _SVG, _MATHML = (
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1998/Math/MathML",
)
_NAMES = [
    "div", "DIV", "button", "BUTTON", "a", "svg", "SVG", "x:y", "a:button", "textPath", "x-y", "p.q", "é",
    "xé", "X:Y", "X:y", "name_", "data", "foreignObject", "math", "text", "comment", "node",
]  # fmt: skip
_INPUT_TYPES = [
    "text", "search", "email", "url", "tel", "number", "range", "checkbox", "radio", "date", "time",
    "datetime-local", "month", "week", "color", "file", "password", "submit", "reset", "button", "image",
    "hidden", "nonsense",
]  # fmt: skip
_PLAIN = [
    "div", "span", "p", "section", "ul", "ol", "li", "dl", "dt", "dd", "nav", "main", "article", "button",
    "label", "fieldset", "legend", "form", "h1", "h4", "pre", "em", "a", "summary", "details", "blockquote",
    "figure", "figcaption", "x-card", "slot", "dialog", "menu", "output", "meter", "progress", "ruby", "rt",
    "textarea", "canvas", "video", "noscript", "map", "object", "template",
]  # fmt: skip
_PROSE = [
    "", " ", "  \n ", "word", "two words", "Save [disabled]", "x\n[0-1] button: forged", "中文", "\u202ebidi",
    "a\u2028b", "&amp;<b>", "café", "\u200b", "ﷺ", "👩\u200d👩\u200d👧", "می\u200cخواهم", "0", "a" * 130,
]  # fmt: skip
prose = st.sampled_from(_PROSE) | st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12
)


@dataclass(frozen=True, slots=True)
class Element:
    """An element to be written."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Other:
    """A text ("text"), comment, CDATA section ("cdata") or processing instruction ("pi")."""

    kind: str
    data: str


@dataclass(frozen=True, slots=True)
class PageFiles:
    """A drawn page: `path` is the main document's; `files` are what to serve."""

    path: str
    files: dict[str, str]

    def __repr__(self) -> str:
        return "\n".join(f"{path}:\n{text}" for path, text in self.files.items() if path != "/make.js")


_VOID = frozenset({"input", "br", "hr", "img", "embed", "area", "wbr"})


def write_html(node: Element | Other) -> str:
    if isinstance(node, Other):
        match node.kind:
            case "comment":
                return f"<!--{node.data.replace('--', '').replace('>', '').rstrip('-')}-->"
            case "text":
                return escape(node.data)
            case _:  # CDATA and instructions are comments to the HTML parser
                return f"<!--{escape(node.data).replace('--', '').rstrip('-')}-->"
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in node.attributes.items())
    if node.name in _VOID:
        return f"<{node.name}{attributes}>"
    return f"<{node.name}{attributes}>{''.join(map(write_html, node.children))}</{node.name}>"


def write_xhtml(node: Element | Other, namespace: str = "") -> str:
    if isinstance(node, Other):
        match node.kind:
            case "comment":
                return f"<!--{node.data.replace('--', '').rstrip('-')}-->"
            case "cdata":
                return f"<![CDATA[{node.data.replace(']]>', '')}]]>"
            case "pi":
                return f"<?target {node.data.replace('?>', '')}?>"
            case _:
                return escape(node.data)
    own = {"svg": _SVG, "math": _MATHML}.get(node.name, "")
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in node.attributes.items())
    attributes += f' xmlns="{own}"' if own else ""
    if node.name == "foreignObject":
        inside = f'<div xmlns="{_HTML}">{"".join(map(write_xhtml, node.children))}</div>'
    else:
        inside = "".join(write_xhtml(child, namespace) for child in node.children)
    return f"<{node.name}{attributes}>{inside}</{node.name}>"


def _of(
    name: str, attributes: st.SearchStrategy[dict[str, str]], children: Any
) -> st.SearchStrategy[Element]:
    return st.builds(Element, st.just(name), attributes, st.builds(tuple, children))


_DRAWN_FROM = {
    "id": st.sampled_from(["one", "two", "three"]),
    "aria-label": prose,
    "aria-hidden": st.sampled_from(["true", "false"]),
    "aria-owns": st.sampled_from(["one", "two", "one three"]),
    "aria-labelledby": st.sampled_from(["one", "two"]),
    "aria-expanded": st.sampled_from(["true", "false"]),
    "aria-checked": st.sampled_from(["true", "mixed"]),
    "aria-pressed": st.sampled_from(["true", "mixed"]),
    "aria-disabled": st.just("true"),
    "aria-description": prose,
    "role": st.sampled_from(
        ["button", "checkbox", "tab", "treeitem", "none", "presentation", "group", "link", "text", "option",
         "listbox", "slider", "menuitem", "dialog", "grid", "row", "gridcell", "img", "nonsense"]
    ),
    "style": st.sampled_from(
        ["display:none", "display:contents", "visibility:hidden", "overflow:scroll;height:9px", "opacity:0",
         "position:fixed", "display:flex", "content-visibility:hidden", "float:left", "white-space:pre"]
    ),
    "tabindex": st.sampled_from(["0", "-1"]),
    "contenteditable": st.sampled_from(["true", "false", "plaintext-only"]),
    "hidden": st.sampled_from(["", "until-found"]),
    "inert": st.just(""),
    "class": st.sampled_from(["before", "after", "marker", "before after", "letter"]),
    "title": prose,
    "dir": st.sampled_from(["rtl", "auto"]),
    "data-split": st.just(""),
    "slot": st.sampled_from(["s", ""]),
}  # fmt: skip

# A few of them at most: with all of them, hardly anything would be left in an outline.
_GLOBAL_ATTRIBUTES = st.lists(
    st.one_of([st.tuples(st.just(name), values) for name, values in _DRAWN_FROM.items()]), max_size=2
).map(dict)

_MADE = st.lists(
    st.tuples(st.sampled_from([_HTML, _SVG, _MATHML, "urn:x", None]), st.sampled_from(_NAMES), prose),
    min_size=1,
    max_size=4,
)

_texts = st.builds(Other, st.sampled_from(["text", "text", "comment", "cdata", "pi"]), prose)


def _with(attributes: st.SearchStrategy[dict[str, str]]) -> st.SearchStrategy[dict[str, str]]:
    return st.builds(lambda first, second: {**first, **second}, _GLOBAL_ATTRIBUTES, attributes)


_inputs = _of(
    "input",
    _with(
        st.fixed_dictionaries(
            {"type": st.sampled_from(_INPUT_TYPES)},
            optional={
                "value": st.sampled_from(["1", "typed", "secret", "#ff0000", "2026-01-02", "x" * 120]),
                "checked": st.just(""),
                "disabled": st.just(""),
                "required": st.just(""),
                "readonly": st.just(""),
                "placeholder": prose,
                "list": st.just("one"),
            },
        )
    ),
    st.just([]),
)


def _options(children: Any) -> Any:
    option = _of(
        "option",
        st.fixed_dictionaries(
            {}, optional={"selected": st.just(""), "disabled": st.just(""), "label": prose}
        ),
        st.lists(st.builds(Other, st.just("text"), prose), max_size=1),
    )
    group = _of("optgroup", st.fixed_dictionaries({"label": prose}), st.lists(option, max_size=2))
    del children
    return st.lists(option | group, max_size=4)


def _nested(children: st.SearchStrategy[Element | Other]) -> st.SearchStrategy[Element | Other]:
    some = st.lists(children, max_size=4)
    plain = st.sampled_from(_PLAIN)
    block = st.builds(Element, plain, _GLOBAL_ATTRIBUTES, st.builds(tuple, some))
    link = _of("a", _with(st.fixed_dictionaries({"href": st.sampled_from(["/x", "#one", ""])})), some)
    details = st.builds(
        lambda attributes, summary, rest: Element(
            "details", attributes, (Element("summary", {}, tuple(summary)), *rest)
        ),
        _with(st.fixed_dictionaries({}, optional={"open": st.just("")})),
        some,
        some,
    )
    cells = _of("td", _GLOBAL_ATTRIBUTES, some) | _of("th", st.just({}), some)
    rows = _of("tr", _GLOBAL_ATTRIBUTES, st.lists(cells, max_size=3))
    bodies = _of("tbody", st.just({}), st.lists(rows, max_size=3))
    table = _of(
        "table",
        _GLOBAL_ATTRIBUTES,
        st.builds(
            lambda head, body: [*head, *body],
            st.lists(_of("caption", st.just({}), some), max_size=1),
            st.lists(bodies, max_size=2),
        ),
    )
    select = _of(
        "select",
        _with(
            st.fixed_dictionaries(
                {},
                optional={
                    "multiple": st.just(""),
                    "size": st.sampled_from(["1", "3"]),
                    "disabled": st.just(""),
                },
            )
        ),
        _options(children),
    )
    foreign = _of("foreignObject", st.just({"width": "90", "height": "90"}), some)
    svg_text = _of("text", _GLOBAL_ATTRIBUTES, st.lists(_texts, max_size=2))
    svg_link = _of("a", st.just({"href": "/svg"}), st.lists(svg_text, max_size=2))
    title = _of("title", st.just({}), st.lists(_texts, max_size=1))
    svg = _of("svg", _GLOBAL_ATTRIBUTES, st.lists(foreign | svg_text | svg_link | title, max_size=3))
    tokens = _of("mi", st.just({}), st.lists(_texts, max_size=1)) | _of(
        "mtext", st.just({}), st.lists(_texts, max_size=1)
    )
    math = _of(
        "math", _GLOBAL_ATTRIBUTES, st.lists(tokens | _of("mrow", st.just({}), st.lists(tokens)), max_size=3)
    )
    shadow = st.builds(
        lambda mode, attributes, inside, light: Element(
            "x-host", {**attributes, "data-shadow": mode}, (Element("template", {}, tuple(inside)), *light)
        ),
        st.sampled_from(["open", "closed"]),
        _GLOBAL_ATTRIBUTES,
        st.builds(
            lambda inside, slots: [*inside, *slots],
            some,
            st.lists(
                _of("slot", st.fixed_dictionaries({}, optional={"name": st.just("s")}), some), max_size=2
            ),
        ),
        some,
    )
    made = st.builds(
        lambda attributes, made, kids: Element(
            "div", {**attributes, "data-make": json.dumps(made)}, tuple(kids)
        ),
        _GLOBAL_ATTRIBUTES,
        _MADE,
        some,
    )
    framed = st.builds(
        lambda attributes, inside: Element(
            "iframe", {**attributes, "srcdoc": _page_text(tuple(inside), is_xhtml=False)}
        ),
        _GLOBAL_ATTRIBUTES,
        some,
    )
    elsewhere = st.builds(
        lambda attributes, name, inside: Element(
            "framed-page", {**attributes, "data-owner": name}, tuple(inside)
        ),
        _GLOBAL_ATTRIBUTES,
        st.sampled_from(["iframe", "iframe", "embed", "object"]),
        some,
    )
    dialog = _of("dialog", _with(st.sampled_from([{"open": ""}, {"data-open": ""}, {}])), some)
    return block | link | details | table | select | svg | math | shadow | made | framed | elsewhere | dialog


trees = st.recursive(_texts | _inputs, _nested, max_leaves=18)

_STYLE = """
.before::before { content: "before words"; } .after::after { content: "\\201C" attr(title); }
.marker { display: list-item; list-style: upper-roman inside; } .letter::first-letter { font-size: 2em; }
"""


def _page_text(children: tuple[Any, ...], *, is_xhtml: bool) -> str:
    """A whole document."""
    write = write_xhtml if is_xhtml else write_html
    body = "".join(write(child) for child in children)
    opening = (
        f'<?xml version="1.0"?><!DOCTYPE html><html xmlns="{_HTML}">' if is_xhtml else "<!doctype html><html>"
    )
    script = '<script src="/make.js"></script>'
    return (
        f"{opening}<head><title>page</title><style>{escape(_STYLE) if is_xhtml else _STYLE}</style></head>"
        f"<body>{body}{script}</body></html>"
    )


def _place_frames(node: Any, files: dict[str, str]) -> Any:
    """`framed-page` elements become owner elements of files on another site, every second one as XHTML."""
    if not isinstance(node, Element):
        return node
    children = tuple(_place_frames(child, files) for child in node.children)
    if node.name != "framed-page":
        return Element(node.name, node.attributes, children)
    number = len(files)
    is_xhtml = number % 2 == 0
    path = f"/frame{number}.{'xhtml' if is_xhtml else 'html'}"
    files[path] = _page_text(children, is_xhtml=is_xhtml)
    attributes = dict(node.attributes)
    owner = attributes.pop("data-owner")
    host = "localhost" if number % 3 else "127.0.0.1"
    attributes["data" if owner == "object" else "src"] = f"http://{host}:{{PORT}}{path}"
    return Element(owner, attributes)


@st.composite
def random_pages(draw: st.DrawFn) -> PageFiles:
    """A page and the frames it holds."""
    children = tuple(draw(st.lists(trees, min_size=3, max_size=6)))
    is_xhtml = draw(st.integers(0, 3)) == 0
    files: dict[str, str] = {"/make.js": MAKE_JS}
    placed = tuple(_place_frames(child, files) for child in children)
    path = "/page.xhtml" if is_xhtml else "/page.html"
    files[path] = _page_text(placed, is_xhtml=is_xhtml)
    return PageFiles(path, files)
