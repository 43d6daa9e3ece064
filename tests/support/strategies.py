"""Hypothesis strategies: texts as pages have them, and replies of browsers, right, wrong and in between.

Identifiers are drawn from small ranges, so that they collide, refer to each other, and form cycles.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.model import ElementId, Row
from tests.support.fake_browser import flatten

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

__all__ = [
    "ReplyMaker",
    "html_tags",
    "json_values",
    "page_texts",
    "reply_makers",
    "rows",
    "states",
]

#: What a page might call its things to deceive a reader of the outline.
_FORGED = [
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
    "\u200c\u200d",
    "\ufe0f\ufe0e",
    "\u3164",
    "\U000e0141",
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
_FORGERIES = st.sampled_from(_FORGED)
page_texts: SearchStrategy[str] = st.lists(
    st.text(st.characters(exclude_categories=()), max_size=8) | _FORGERIES, max_size=5
).map("".join)

json_values: SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)

#: Names that the HTML parser lets a page make: a letter, then anything but white space, ``/`` and ``>``.
html_tags: SearchStrategy[str] = st.sampled_from(
    ["div", "input", "select", "iframe", "html", "body", "svg", "x-y", "a:b", "p"]
) | st.builds(
    str.__add__,
    st.sampled_from("abcxyz"),
    st.text(
        st.characters(exclude_categories=("Cs", "Zs"), exclude_characters="\t\n\x0c\r />\x00"), max_size=6
    )
    | st.sampled_from(["[disabled]", "[0-1]", "]", ":[checked]"]),
)

_ROLES = [
    "RootWebArea",
    "generic",
    "none",
    "StaticText",
    "InlineTextBox",
    "Iframe",
    "heading",
    *sorted(INTERACTIVE_ROLES),
]
#: Ids of nodes: few, so that they meet.
_IDS = st.integers(1, 12)


@st.composite
def _states(draw: st.DrawFn) -> tuple[str, ...]:
    order = ["scrollable", "checked", "mixed", "expanded", "disabled", "focused", "level=2"]
    return tuple(state for state in order if draw(st.booleans()))


states: SearchStrategy[tuple[str, ...]] = _states()

rows: SearchStrategy[Row] = st.builds(
    Row,
    id=st.none() | st.builds(lambda frame, node: ElementId(f"{frame}-{node}"), _IDS, _IDS),
    depth=st.integers(0, 70),
    role=st.sampled_from(_ROLES),
    name=page_texts,
    description=page_texts,
    value=page_texts,
    states=states,
    tag=html_tags | st.just(""),
    frame=_IDS,
)


class ReplyMaker:
    """Answers a capture's commands: right, damaged, or anything at all.

    Drawn as one number, and expanded by a generator of its own: a reply has hundreds of parts, and drawing
    them one by one costs more than capturing them.

    Args:
        seed: the same makes the same replies.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def __repr__(self) -> str:
        return f"ReplyMaker({self.random})"

    def _one(self, *of: Any) -> Any:
        return self.random.choice(of)

    def _maybe(self, chance: float = 0.5) -> bool:
        return self.random.random() < chance

    def _some(self, make: Callable[[], Any], most: int) -> list[Any]:
        return [make() for _ in range(self.random.randint(0, most))]

    def text(self) -> str:
        return "".join(self._some(lambda: self._one("a", "x y", "é", *_FORGED), 4))

    def value(self, depth: int = 3) -> Any:
        """Any JSON."""
        if depth and self._maybe(0.4):
            if self._maybe():
                return self._some(lambda: self.value(depth - 1), 3)
            return {self.text(): self.value(depth - 1) for _ in range(self.random.randint(0, 3))}
        return self._one(None, True, False, 0, 1, -1, 2.5, 10**40, -(10**30), "", "main", self.text())

    def _id(self) -> int:
        return self.random.randint(1, 12)

    def _frame(self) -> str:
        return str(self._one("main", "a", "b", "c", "d"))

    def node(self, depth: int = 4) -> dict[str, Any]:
        """A `DOM.Node`, more or less."""
        tag = self._one(
            "div", "input", "select", "iframe", "object", "html", "body", "svg", "a[disabled]", "x:y"
        )
        made: dict[str, Any] = {
            "backendNodeId": self._id(),
            "nodeId": self.random.randrange(12),
            "nodeType": self._one(1, 1, 1, 1, 3, 4, 7, 8, 9, 10, 11, 2, 99),
            "nodeName": self._one(tag, tag.upper(), self.text()),
        }
        fields: dict[str, Callable[[], Any]] = {
            "localName": lambda: self._one(tag, tag, self.text()),
            "nodeValue": self.text,
            "childNodeCount": lambda: self.random.randint(-1, 4),
            "attributes": lambda: self._some(lambda: self._one("type", "file", "password", "id", ""), 5),
            "shadowRootType": lambda: self._one("open", "closed", "user-agent", "other"),
            "pseudoElements": lambda: self._some(lambda: {"backendNodeId": self._id()}, 2),
            "frameId": self._frame,
            "isScrollable": self._maybe,
            "unknown": self.value,
        }
        if depth:
            fields["children"] = lambda: self._some(lambda: self.node(depth - 1), 3)
            fields["shadowRoots"] = lambda: self._some(lambda: self.node(depth - 1), 1)
            fields["contentDocument"] = lambda: self.node(depth - 1)
        made.update({name: make() for name, make in fields.items() if self._maybe()})
        return made

    def document(self) -> dict[str, Any]:
        """A document whose owner elements hold frames, around anything."""
        owners = [
            {
                "backendNodeId": self._id(),
                "nodeType": 1,
                "nodeName": "IFRAME",
                "localName": "iframe",
                "frameId": self._frame(),
            }
            for _ in range(self.random.randint(0, 2))
        ]
        below = [self.node(), *owners]
        return {
            "backendNodeId": self._id(),
            "nodeType": 9,
            "nodeName": "#document",
            "childNodeCount": len(below),
            "children": below,
        }

    def _ax_text(self) -> dict[str, Any]:
        return {"type": "string", "value": self.text()} if self._maybe(0.9) else {"type": "string"}

    def _ax_property(self) -> dict[str, Any]:
        name = self._one(
            "checked", "pressed", "expanded", "disabled", "focused", "level", "url", "editable", "new"
        )
        value = self._one("true", "false", "mixed", "", True, False, 3, 2.5, None, self.text())
        return {"name": name, "value": {"type": "any", "value": value}}

    def ax_node(self) -> dict[str, Any]:
        """An `Accessibility.AXNode`, more or less."""
        fields: dict[str, Callable[[], Any]] = {
            "ignored": self._maybe,
            "role": lambda: {"type": "role", "value": self._one(*_ROLES, self.text())},
            "name": self._ax_text,
            "description": self._ax_text,
            "value": lambda: {"type": "any", "value": self._one(self.text(), 1, 2.5, True, None)},
            "properties": lambda: self._some(self._ax_property, 4),
            "ignoredReasons": lambda: self._some(self._ax_property, 2),
            "childIds": lambda: self._some(lambda: str(self.random.randint(-2, 12)), 4),
            "backendDOMNodeId": self._id,
            "unknown": self.value,
        }
        made: dict[str, Any] = {"nodeId": str(self.random.randint(-2, 12))}
        made.update({name: make() for name, make in fields.items() if self._maybe(0.7)})
        return made

    def frame_tree(self, depth: int = 3) -> dict[str, Any]:
        """A `Page.FrameTree`; its frames may name any parent."""
        frame: dict[str, Any] = {"id": self._frame(), "loaderId": self._one("l1", "l2"), "url": self.text()}
        if self._maybe():
            frame["parentId"] = self._frame()
        tree: dict[str, Any] = {"frame": frame}
        if depth and self._maybe():
            tree["childFrames"] = self._some(lambda: self.frame_tree(depth - 1), 3)
        return tree

    def _damaged(self, reply: Any) -> Any:
        """One thing in it replaced or taken out."""
        here = reply
        while here:
            key = self.random.choice(list(here) if isinstance(here, dict) else range(len(here)))
            if isinstance(here[key], dict | list) and here[key] and self._maybe(0.8):
                here = here[key]
            elif self._maybe():
                here[key] = self.value()
                break
            else:
                del here[key]
                break
        return reply

    def reply(self, method: str) -> Any:
        """What a browser might answer."""
        right: Any = {}
        if method == "Page.getFrameTree":
            right = {"frameTree": self.frame_tree()}
        elif method == "DOM.getDocument":
            right = {"root": self.document() if self._maybe(0.7) else self.node()}
        elif method == "DOM.getFlattenedDocument":
            right = {"nodes": flatten(self.document())}
        elif method == "DOM.describeNode":
            right = {"node": self.node()}
        elif method == "DOM.getNodesForSubtreeByStyle":
            right = {"nodeIds": self._some(lambda: self.random.randrange(12), 12)}
        elif method == "Accessibility.getFullAXTree":
            right = {"nodes": self._some(self.ax_node, 12)}
        if self._maybe(0.05):
            return self.value()
        return self._damaged(right) if self._maybe(0.15) else right


reply_makers: SearchStrategy[ReplyMaker] = st.integers(0, 2**64 - 1).map(ReplyMaker)
