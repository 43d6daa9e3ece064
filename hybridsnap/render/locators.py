"""How an element of a snapshot is named in test code: Playwright's locators, a CSS selector, an XPath.

A locator by role and name is preferred, where it means one element of its frame and Playwright computes the
same role and name as the browser; otherwise the CSS selector (`hybridsnap.render.selectors`), hop by hop:
``frameLocator`` into frames, ``locator`` into open shadow roots.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from hybridsnap.capture.aria_words import aria_word
from hybridsnap.capture.xpath import ELEMENT, FRAGMENT
from hybridsnap.model import ElementId
from hybridsnap.render.dom import is_password
from hybridsnap.render.selectors import HOP, PageSelectors
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import Row
    from hybridsnap.render.content import Content

#: Roles that Playwright gives the same elements as Chromium does.
_ROLES = frozenset(
    {
        *("button", "checkbox", "combobox", "heading", "link", "listbox", "menuitem", "option", "radio"),
        *("searchbox", "slider", "spinbutton", "switch", "tab", "textbox"),
    }
)
#: Longer names change with the page's words.
_LONGEST_NAME = 80


@dataclasses.dataclass(frozen=True, slots=True)
class Locators:
    """One element, as test code names it; None where there is no such way to it.

    Attributes:
        playwright: an expression in JavaScript, beginning with ``page``; None within a closed shadow root.
        python: the same in Python.
        css: a selector, with ``>>`` into frames and shadow roots, as `hybridsnap.Page` takes it.
        xpath: a path through all frames, likewise.
    """

    playwright: str | None
    python: str | None
    css: str | None
    xpath: str | None


_Kind: TypeAlias = Literal["frame", "shadow", "closed"]


class _Hop(NamedTuple):
    """What leads from one document or shadow root into the next: its owner's selector."""

    kind: _Kind
    selector: str


_Language: TypeAlias = Literal["js", "python"]


def find_locators(content: Content, place: tuple[int, int] | None, described: Row) -> Locators:
    """`Locators` of an element; of a text, those of the element around it.

    Args:
        content: of the snapshot.
        place: the element's session, and its position there; None where the DOM has no such element.
        described: its id, its role, its name and its frame.

    Raises:
        ValueError: the snapshot was read from JSON.
    """
    capture = content.source("locators")
    if place is None:
        return Locators(None, None, None, None)
    index, at = capture.index(place[0]), place[1]
    while at >= 0 and index.nodes[at].node_type != ELEMENT:
        at = index.parents[at]
    if at < 0:  # a document
        return Locators(None, None, None, None)
    node = index.nodes[at]
    xpath = content.xpaths.get(ElementId(f"{described.frame}-{node.backend_node_id}"))
    selectors = PageSelectors(capture)
    css = selectors.select(place[0], at)
    if css is None:
        return Locators(None, None, None, xpath)
    *owners, own = css.split(HOP)
    kinds = _kinds(capture, selectors, (place[0], at))
    if "closed" in kinds:
        return Locators(None, None, css, xpath)
    hops = [_Hop(kind, owner) for kind, owner in zip(kinds, owners, strict=True)]
    role = None if at != place[1] or is_password(node) else _role(content, described)
    return Locators(_written(hops, own, role, "js"), _written(hops, own, role, "python"), css, xpath)


def _kinds(capture: Capture, selectors: PageSelectors, place: tuple[int, int]) -> list[_Kind]:
    """The hops from the main document to an element, outermost first."""
    found: list[_Kind] = []
    while True:
        scope = selectors.scope_selectors(place[0]).scopes[place[1]]
        host = selectors.host(place[0], scope)
        if host is None:
            return found[::-1]
        root = capture.index(place[0]).nodes[scope]
        if root.node_type != FRAGMENT:
            found.append("frame")
        else:
            found.append("shadow" if root.shadow_root_type == "open" else "closed")
        place = host


def _role(content: Content, described: Row) -> tuple[str, str] | None:
    """Role and name, where they mean this element and no other of its frame."""
    role, name = _called(described)
    if role not in _ROLES or not name or name != clean_text(described.name) or len(name) > _LONGEST_NAME:
        return None
    same = [row for row in content.rows if row.frame == described.frame and _called(row) == (role, name)]
    return (role, name) if len(same) == 1 else None


def _called(row: Row) -> tuple[str, str]:
    return aria_word(row.role), " ".join(row.name.split())


def _written(hops: list[_Hop], own: str, role: tuple[str, str] | None, language: _Language) -> str:
    frame, by_role = ("frameLocator", "getByRole") if language == "js" else ("frame_locator", "get_by_role")
    last_frame = max((at for at, hop in enumerate(hops) if hop.kind == "frame"), default=-1)
    parts = ["page"]
    # Within a frame, Playwright looks through open shadow roots by itself.
    parts += [
        f"{frame if hop.kind == 'frame' else 'locator'}({_css(hop.selector)})"
        for hop in (hops if role is None else hops[: last_frame + 1])
    ]
    if role is None:
        parts.append(f"locator({_css(own)})")
    elif language == "js":
        parts.append(f"{by_role}({_quoted(role[0])}, {{ name: {_quoted(role[1])}, exact: true }})")
    else:
        parts.append(f"{by_role}({_quoted(role[0])}, name={_quoted(role[1])}, exact=True)")
    return ".".join(parts)


def _css(selector: str) -> str:
    """A selector as Playwright takes it: of a shadow root's host it says ``:scope``."""
    host = ":host"
    return _quoted(f":scope{selector.removeprefix(host)}" if selector.startswith(host) else selector)


def _quoted(text: str) -> str:
    """A string of both languages."""
    return json.dumps(text, ensure_ascii=False)
