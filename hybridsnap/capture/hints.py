"""What a person would call a control without a name: a guess from its markup, printed as one: ``link ?cart``.

A hint is one word of letters, digits, ``.``, ``@``, ``_`` and ``-``: no page text can look like anything else
in it. It comes, in this order, from the tooltip of what is in the control (``<a><i title="Choose a date">``,
which Chromium does not count as a name), a link's address (its last part), a test id, the icon or image in
the control (``<use href="#trash">``, ``data-icon``, ``class="fa fa-trash"``, ``src="/img/cart.png"``, and the
text of an icon font, ``<i aria-hidden="true">delete</i>``), its
``name``, ``id``, handler, what it states of itself (``data-color``), how it looks (``red-circle``, of a shape
in an SVG; ``purple``, of a background), and classes: of ``box`` and ``box-checked`` the one that says the
state, as nothing else does of a box that is only drawn. What looks generated says nothing and is passed over;
an id that is a letter or two and a number, as of elements that a library counts, comes last of all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from hybridsnap.capture.dom import UNREAD_TAGS
from hybridsnap.capture.xpath import ELEMENT, TEXT
from hybridsnap.text import squeeze

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.capture.dom import SessionDomIndex

_LONGEST = 40
#: So many classes of an element are told.
_MOST_CLASSES = 6
#: Nodes below a control in which its icon is looked for.
_MOST_NODES = 40
_TEST_IDS = ("data-testid", "data-test-id", "data-test", "data-qa", "data-cy")
_OWN = ("data-icon", "data-action", "data-title", "data-tooltip", "data-original-title", "data-placeholder")
_STATED = ("data-name", "data-label", "data-color", "data-value")
#: What is chosen from a control, and does not say what the control is.
_OPTIONS = frozenset({"option", "optgroup"})
_HANDLERS = ("onclick", "onmousedown", "onmouseup")
#: Words of classes that say how a thing looks, or that it is a control.
_SAYS_NOTHING = frozenset(
    {
        "active",
        "anchor",
        "bold",
        "block",
        "bg",
        "border",
        "btn",
        "button",
        "center",
        "clickable",
        "col",
        "container",
        "control",
        "cursor",
        "default",
        "disabled",
        "far",
        "fas",
        "fab",
        "fal",
        "fa",
        "flex",
        "focus",
        "glyphicon",
        "grid",
        "group",
        "hidden",
        "hover",
        "icon",
        "icon-only",
        "icons",
        "icn",
        "image",
        "img",
        "inline",
        "input",
        "item",
        "items",
        "large",
        "left",
        "light",
        "link",
        "lg",
        "main",
        "mantine-active",
        "mantine-focus-always",
        "mantine-focus-auto",
        "mantine-focus-never",
        "material",
        "md",
        "mdi",
        "medium",
        "mid",
        "nav",
        "notranslate",
        "only",
        "outline",
        "pointer",
        "primary",
        "px",
        "py",
        "ref",
        "regular",
        "right",
        "root",
        "round",
        "row",
        "secondary",
        "selected",
        "sm",
        "small",
        "solid",
        "span",
        "svg",
        "text",
        "toggle",
        "top",
        "visible",
        "wrapper",
        "xs",
    }
)
#: How a class ends that says a state of what a shorter one names: ``box-checked``, ``switcher_open``.
_STATES = frozenset({
    "active", "checked", "close", "closed", "collapsed", "disabled", "expanded", "halfchecked",
    "indeterminate", "off", "on", "open", "opened", "pressed", "selected", "unchecked",
})  # fmt: skip
_ICON_CLASS = re.compile(
    r"(?:fa|icons?|bi|ti|mdi|ri|la|pi|glyphicon|codicon|octicon|lucide|feather|uil|bx|anticon|i)[-_]+(.+)"
)
_NOT_IN_WORDS = re.compile(r"[^\w.@-]+")
_GENERATED = re.compile(r"[0-9a-fA-F]{6,}|.*\d.*[a-zA-Z].*\d.*|[^a-zA-Z\u00c0-\U0010ffff]*|.")
#: What React's `useId` makes, in versions 19.2, 19.0 and 18: libraries set their own name before or after it.
_MADE_BY_REACT = re.compile(
    r"(?<![0-9a-zA-Z])_[rR]_[0-9a-z]+_(?![0-9a-zA-Z])|«[rR][0-9a-z]+»|:[rR][0-9a-z]+:"
)
#: An id of the library nanoid, as long as it makes them by default.
_NANOID = re.compile(r"(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9_-])[0-9A-Za-z_-]{21}")
_RUN = re.compile(r"[A-Z]+|[a-z]+|[0-9]+")
#: Random letters make more runs of small letters, capitals and digits: of 1,000 such ids 945 do. Of 34,364
#: ids, classes and parts of addresses in 9,330 pages, each of 16 letters or more, two do.
_MOST_RUNS = 9
#: An id that may count elements: ``c9``, ``ember123``. It is another one when its element has been made anew.
_COUNTED = re.compile(r"(?:[a-z]{1,2}|ember)\d+")
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\s*\(")
_SHAPES = frozenset({"circle", "ellipse", "line", "path", "polygon", "polyline", "rect"})
#: A colour that has a name, in an element's own style.
_FILL = re.compile(r"(?:^|;)\s*(?:fill|stroke)\s*:\s*([a-z]+)\s*(?:;|$)", re.IGNORECASE)
_BACKGROUND = re.compile(r"(?:^|;)\s*background(?:-color)?\s*:\s*([a-z]+)\s*(?:;|$)", re.IGNORECASE)
_NO_COLOURS = frozenset({"", "currentcolor", "inherit", "initial", "none", "transparent", "unset"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def hint_of(index: SessionDomIndex, here: int) -> str:
    """A word for the element at a position; "" where its markup suggests none."""
    return next((word for word in _candidates(index, here) if word), "")


def _candidates(index: SessionDomIndex, here: int) -> Iterator[str]:
    """Words for an element, the best first; "" among them says nothing."""

    def attribute(name: str) -> str:
        return index.attribute(here, name) or ""

    for at in _with_below(index, here):
        if index.tags[at] not in _OPTIONS and index.attribute(at, "role") is None:
            yield _word(index.attribute(at, "title") or "")
    address = attribute("href") if index.tags[here] in {"a", "area"} else ""
    yield from _from_address(address)
    yield from (_word(attribute(name)) for name in _TEST_IDS)
    for at in _with_below(index, here):
        yield from _from_icon(index, at)
    yield _word(_hidden_text(index, here))
    is_counted = _COUNTED.fullmatch(attribute("id")) is not None
    for name in (attribute("name"), "" if is_counted else attribute("id")):
        yield name if len(name) == 1 and name.isalpha() else _word(name)
    yield from (_called(attribute(name)) for name in _HANDLERS)
    yield from (_word(attribute(name)) for name in _STATED)
    yield _look(index.nodes[here].local_name.lower(), attribute("fill"), attribute("style"))
    yield from _from_classes(attribute("class").split())
    if address.startswith(("http:", "https:")):
        yield _word(address.partition("//")[2].partition("/")[0])
    yield _word(attribute("id"))


def _look(tag: str, fill: str, style: str) -> str:
    """A shape with its colour, or the colour of a background; "" where no colour has a name."""
    found = (_FILL if tag in _SHAPES else _BACKGROUND).search(style)
    colour = found[1] if found else fill if tag in _SHAPES and fill.isalpha() else ""
    if colour.lower() in _NO_COLOURS:
        return ""
    return _word(f"{colour}-{tag}" if tag in _SHAPES else colour)


def _from_classes(classes: list[str]) -> Iterator[str]:
    """What an element's classes call it, with its state where one of them says that."""
    for one in classes:
        if one.lower() not in _SAYS_NOTHING:
            stated = (
                other
                for other in classes
                if other.startswith((f"{one}-", f"{one}_")) and other[len(one) :].strip("-_") in _STATES
            )
            yield _word(next(stated, one))


def test_id_of(index: SessionDomIndex, here: int) -> str:
    """What an element's attribute for tests calls it; "" where it has none, or no plain word."""
    values = (index.attribute(here, name) for name in _TEST_IDS)
    value = next(filter(None, values), "")
    return _NOT_IN_WORDS.sub("-", value)[:_LONGEST]


def own_classes(index: SessionDomIndex, here: int) -> list[str]:
    """The classes of an element that a person may have written: those that do not look generated."""
    found: list[str] = []
    for name in (index.attribute(here, "class") or "").split():
        word = _word(name)
        if word == name and len(found) < _MOST_CLASSES:
            found.append(word)
    return found


def _with_below(index: SessionDomIndex, here: int) -> Iterator[int]:
    """The position and those of the nodes below, in document order."""
    yield here
    for at in range(here + 1, min(here + _MOST_NODES, len(index.nodes))):
        if index.parents[at] < here:
            return
        if index.nodes[at].node_type == ELEMENT:
            yield at


def _hidden_text(index: SessionDomIndex, here: int) -> str:
    """What an icon font draws: the text in an element that is hidden from the accessibility tree only.

    Not the value of a field, which the browser itself draws in such an element.
    """
    for at in _with_below(index, here):
        is_read = index.tags[at] not in UNREAD_TAGS | _OPTIONS and not index.in_user_agent_shadow(at)
        if is_read and index.attribute(at, "aria-hidden") == "true":
            texts = (
                index.nodes[one].node_value
                for one in range(at + 1, min(at + _MOST_NODES, index.end_of(at)))
                if index.nodes[one].node_type == TEXT and index.tags[index.parents[one]] not in UNREAD_TAGS
            )
            return squeeze(" ".join(texts))
    return ""


def _from_icon(index: SessionDomIndex, at: int) -> Iterator[str]:
    """What the icon or image that an element is, or shows, may be called."""

    def attribute(name: str) -> str:
        return index.attribute(at, name) or ""

    yield from (_word(attribute(name)) for name in _OWN)
    tag = index.nodes[at].local_name.lower()
    address = attribute("href") or attribute("xlink:href")
    if tag == "use":
        yield _without_prefix(address.rpartition("#")[2])
    elif tag in {"img", "image", "input"}:
        yield _from_file(attribute("src") or address)
    for name in attribute("class").split():
        icon = _ICON_CLASS.fullmatch(name)
        if icon is not None and icon[1].lower() not in _SAYS_NOTHING:
            yield _word(icon[1])


def _without_prefix(name: str) -> str:
    icon = _ICON_CLASS.fullmatch(name)
    return _word(icon[1] if icon else name)


def _from_file(address: str) -> str:
    """The name of a file without its extension; "" for data in the address itself."""
    if address.startswith(("data:", "blob:")):
        return ""
    name = address.partition("?")[0].partition("#")[0].rpartition("/")[2]
    return _word(unquote(name).rpartition(".")[0] or name)


def _called(script: str) -> str:
    """The function that a handler calls."""
    called = _CALLED.search(script)
    return _word(called[1]) if called else ""


def _from_address(address: str) -> Iterator[str]:
    """The parts of a link's address that may name it, the last part first; the host is none of them."""
    if address.startswith("javascript:"):
        yield _called(address)
        return
    scheme = _SCHEME.match(address)
    if scheme and scheme[0].lower() not in {"http:", "https:", "file:"}:
        yield _word(address[scheme.end() :].partition("?")[0])
        return
    rest, _, fragment = address.partition("#")
    path, _, query = rest.partition("?")
    if "//" in path[:8]:
        path = path.partition("//")[2].partition("/")[2]
    yield _word(fragment)
    yield _word(query.partition("&")[0])
    yield from map(_word, path.split("/")[:-4:-1])


def _is_nanoid(text: str) -> bool:
    return _NANOID.fullmatch(text) is not None and len(_RUN.findall(text)) > _MOST_RUNS


def _word(text: str) -> str:
    """A text as one short word; "" where it looks generated."""
    if _MADE_BY_REACT.search(text) or _is_nanoid(text):
        return ""
    word = _NOT_IN_WORDS.sub("-", unquote(text) if "%" in text else text).strip("-._")[:_LONGEST]
    return "" if _GENERATED.fullmatch(word) or len(text) > 4 * _LONGEST else word
