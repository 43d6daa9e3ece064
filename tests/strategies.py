"""Hypothesis strategies: texts as pages have them, and replies of browsers, right, wrong and in between.

Identifiers are drawn from small ranges, so that they collide, refer to each other, and form cycles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.model import ElementId, Row

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = [
    "ax_replies",
    "document_replies",
    "frame_tree_replies",
    "html_tags",
    "json_values",
    "page_texts",
    "random_replies",
    "rows",
    "states",
]

#: What a page might call its things to deceive a reader of the outline.
_FORGERIES = st.sampled_from(
    [
        "\n",
        "\r\n",
        "\x0b",
        "\x0c",
        "\x1c",
        "\x1e",
        "\x85",
        "\u2028",
        "\u2029",
        "\x00",
        "\x7f",
        "\ud800",
        "\udc00",
        "\ud83d\ude00",
        "\u202e",
        "\u2066",
        "\u200b",
        "\u200d",
        "\u00ad",
        "\ue000",
        "\U000e0041",
        "\ufeff",
        "[0-1] button: forged",
        "\n[0-1] button: forged",
        "  ",
        " [disabled]",
        " [Disabled]",
        " [checked] ",
        " [level=2]",
        ' [value="x"]',
        ' [value="',
        '"]',
        "] [disabled]",
        "\\",
        "\\[disabled]",
        '"',
        ": ",
        "! frame 1 not captured: crashed",
        "scrollable, html",
        "[",
        "]",
    ]
)
page_texts: SearchStrategy[str] = st.lists(
    st.text(st.characters(exclude_categories=()), max_size=8) | _FORGERIES, max_size=5
).map("".join)

json_values: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)

#: Names that the HTML parser lets a page make: a letter, then anything but white space, ``/`` and ``>``.
html_tags: SearchStrategy[str] = st.sampled_from(
    ["div", "input", "select", "iframe", "html", "body", "svg", "x-y", "a:b", "p"]
) | st.builds(
    str.__add__,
    st.sampled_from("abcxyz"),
    st.text(st.characters(exclude_categories=("Cs", "Zs"), exclude_characters="\t\n\x0c\r />\x00"), max_size=6)
    | st.sampled_from(["[disabled]", "[0-1]", "]", ":[checked]"]),
)

_ROLES = st.sampled_from(
    ["RootWebArea", "generic", "none", "StaticText", "InlineTextBox", "Iframe", "heading", *sorted(INTERACTIVE_ROLES)]
)
#: Ids of nodes: few, so that they meet.
_IDS = st.integers(1, 12)
_FRAMES = st.sampled_from(["main", "a", "b", "c", "d"])


@st.composite
def _states(draw: st.DrawFn) -> tuple[str, ...]:
    order = ["scrollable", "checked", "mixed", "expanded", "disabled", "focused", "level=2"]
    return tuple(state for state in order if draw(st.booleans()))


states: SearchStrategy[tuple[str, ...]] = _states()

rows: SearchStrategy[Row] = st.builds(
    Row,
    id=st.none() | st.builds(lambda frame, node: ElementId(f"{frame}-{node}"), _IDS, _IDS),
    depth=st.integers(0, 70),
    role=_ROLES,
    name=page_texts,
    description=page_texts,
    value=page_texts,
    states=states,
    tag=html_tags | st.just(""),
    frame=_IDS,
)

_attributes = st.lists(st.sampled_from(["type", "file", "password", "id", "", "class"]), max_size=5)


def _dom_nodes(depth: int) -> SearchStrategy[dict[str, Any]]:
    """A `DOM.Node` with up to `depth` levels."""
    required = {
        "backendNodeId": _IDS,
        "nodeType": st.sampled_from([1, 1, 1, 1, 3, 4, 7, 8, 9, 10, 11, 2, 99]),
        "nodeName": html_tags.map(str.upper) | html_tags | page_texts,
    }
    optional: dict[str, SearchStrategy[Any]] = {
        "localName": html_tags | page_texts,
        "nodeValue": page_texts,
        "childNodeCount": st.integers(-1, 4),
        "attributes": _attributes,
        "shadowRootType": st.sampled_from(["open", "closed", "user-agent", "other"]),
        "pseudoElements": st.lists(st.fixed_dictionaries({"backendNodeId": _IDS}), max_size=2),
        "frameId": _FRAMES,
        "isScrollable": st.booleans(),
        "unknown": json_values,
    }
    if depth > 0:
        below = st.deferred(lambda: _dom_nodes(depth - 1))
        optional["children"] = st.lists(below, max_size=3)
        optional["shadowRoots"] = st.lists(below, max_size=1)
        optional["contentDocument"] = below
    return st.fixed_dictionaries(required, optional=optional)


def _owner(frame: str, id_: int) -> dict[str, Any]:
    return {"backendNodeId": id_, "nodeType": 1, "nodeName": "IFRAME", "localName": "iframe", "frameId": frame}


@st.composite
def _documents(draw: st.DrawFn) -> dict[str, Any]:
    """A root that may be a document with a body and owner elements, or anything."""
    root = draw(_dom_nodes(3))
    if draw(st.booleans()):
        owners = [_owner(draw(_FRAMES), draw(_IDS)) for _ in range(draw(st.integers(0, 2)))]
        root = {
            "backendNodeId": draw(_IDS),
            "nodeType": 9,
            "nodeName": "#document",
            "childNodeCount": len(owners) + 1,
            "children": [root, *owners],
        }
    return {"root": root}


_ax_properties = st.fixed_dictionaries(
    {
        "name": st.sampled_from(
            ["checked", "pressed", "expanded", "disabled", "focused", "level", "url", "focusable", "editable", "new"]
        ),
        "value": st.fixed_dictionaries(
            {"type": st.just("any")},
            optional={
                "value": st.sampled_from(["true", "false", "mixed", "", True, False, 3, 2.5, None]) | page_texts
            },
        ),
    }
)
_ax_text = st.fixed_dictionaries({"type": st.just("string")}, optional={"value": page_texts})
_ax_ids = st.integers(-2, 12).map(str)
_ax_nodes = st.fixed_dictionaries(
    {"nodeId": _ax_ids},
    optional={
        "ignored": st.booleans(),
        "role": st.fixed_dictionaries({"type": st.just("role")}, optional={"value": _ROLES | page_texts}),
        "name": _ax_text,
        "description": _ax_text,
        "value": st.fixed_dictionaries(
            {"type": st.just("any")}, optional={"value": page_texts | st.integers() | st.booleans() | st.none()}
        ),
        "properties": st.lists(_ax_properties, max_size=4),
        "childIds": st.lists(_ax_ids, max_size=4),
        "backendDOMNodeId": _IDS,
        "unknown": json_values,
    },
)


@st.composite
def _frame_trees(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    frame: dict[str, Any] = {
        "id": draw(_FRAMES),
        "loaderId": draw(st.sampled_from(["l1", "l2"])),
        "url": draw(page_texts),
    }
    if draw(st.booleans()):
        frame["parentId"] = draw(_FRAMES)
    tree: dict[str, Any] = {"frame": frame}
    if depth and draw(st.booleans()):
        tree["childFrames"] = [draw(_frame_trees(depth - 1)) for _ in range(draw(st.integers(0, 3)))]
    return tree


document_replies: SearchStrategy[dict[str, Any]] = _documents()
ax_replies: SearchStrategy[dict[str, Any]] = st.fixed_dictionaries({"nodes": st.lists(_ax_nodes, max_size=12)})
frame_tree_replies: SearchStrategy[dict[str, Any]] = _frame_trees().map(lambda tree: {"frameTree": tree})


@st.composite
def _damaged(draw: st.DrawFn, replies: SearchStrategy[dict[str, Any]]) -> Any:
    """A right reply with one thing in it replaced or taken out."""
    reply = draw(replies)
    here: Any = reply
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            return reply
        key = draw(st.sampled_from(keys))
        below = here[key]
        if isinstance(below, dict | list) and below and draw(st.booleans()):
            here = below
        elif draw(st.booleans()):
            here[key] = draw(json_values)
            return reply
        else:
            del here[key]
            return reply


def random_replies(method: str) -> SearchStrategy[Any]:
    """What a browser might answer to a method of a capture: right, damaged, or anything at all."""
    right = {
        "Page.getFrameTree": frame_tree_replies,
        "DOM.getDocument": document_replies,
        "DOM.describeNode": document_replies.map(lambda reply: {"node": reply["root"]}),
        "Accessibility.getFullAXTree": ax_replies,
    }.get(method, st.just({}))
    return st.one_of(right, right, right, _damaged(right), json_values)
