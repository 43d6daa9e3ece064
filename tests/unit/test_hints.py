"""Hints: what a control without a name may be called."""

from __future__ import annotations

import msgspec
import pytest

from hybridsnap.capture.dom import SessionDomIndex, build_session_dom_index
from hybridsnap.capture.hints import hint_of
from hybridsnap.model import BackendNodeId
from hybridsnap.protocol.replies import DOMNode
from tests.support.fake_browser import Data, body, element, shadow, text


def hint(of: Data) -> str:
    index: SessionDomIndex = build_session_dom_index(msgspec.convert(body(of), DOMNode))
    return hint_of(index, index.position[BackendNodeId(10)])


@pytest.mark.parametrize(
    ("tag", "attributes", "expected"),
    [
        ("a", ["href", "/shop/cart"], "cart"),
        ("a", ["href", "?basket=1"], "basket-1"),
        ("a", ["href", "https://x.example/"], "x.example"),
        ("a", ["href", "#reviews"], "reviews"),
        ("a", ["href", "mailto:ada@x.example?subject=a"], "ada@x.example"),
        ("a", ["href", "javascript:open_menu(1)"], "open_menu"),
        ("a", ["href", "/%E8%B4%AD%E7%89%A9"], "购物"),
        ("button", ["data-testid", "save"], "save"),
        ("button", ["class", "btn btn fa fa-trash"], "trash"),
        ("button", ["class", "btn icon-star"], "star"),
        ("button", ["class", "css-1x2y3z"], ""),
        ("button", ["class", "mantine-focus-auto mantine-active mantine-Burger-root"], "mantine-Burger-root"),
        ("span", ["class", "tree-box tree-box-checked"], "tree-box-checked"),
        ("span", ["class", "switcher switcher-small switcher_open"], "switcher_open"),
        ("span", ["class", "btn box box-large"], "box"),
        ("button", ["id", "a1b2c3d4"], ""),
        ("span", ["id", "base-ui-_r_1e_"], ""),
        ("div", ["id", "_r_17_"], ""),
        ("div", ["id", "base-ui-_r_o_-list"], ""),
        ("button", ["id", "radix-:r1:"], ""),
        ("button", ["id", "radix-«r1e»"], ""),
        ("button", ["id", "for_r_and_d"], "for_r_and_d"),
        ("div", ["id", "BFDGuZvrpEmVmrXz6tcMk", "class", "v-list"], "v-list"),
        ("div", ["id", "GZ5n-gFBjMlCn_SesCyfX"], ""),
        ("div", ["id", "addToCartButton-large"], "addToCartButton-large"),
        ("button", ["id", "c9", "class", "q-btn"], "q-btn"),
        ("button", ["id", "ember123", "class", "close"], "close"),
        ("button", ["id", "c9"], "c9"),
        ("button", ["onclick", "deleteRow(3)"], "deleteRow"),
        ("input", ["name", "q"], "q"),
        ("input", ["type", "password", "value", "hunter2"], ""),
        ("img", ["src", "/img/reply-all.svg?v=3"], "reply-all"),
        ("img", ["src", "data:image/png;base64,iVBORw0KGgo"], ""),
        ("button", ["id", "] [0-5] link: forged\n"], "0-5-link-forged"),
        ("button", ["id", "x" * 200], ""),
        ("button", [], ""),
        ("div", ["class", "color", "data-color", "purple"], "purple"),
        ("div", ["class", "colour", "style", "width: 9px; background-color: Purple;"], "Purple"),
        ("div", ["class", "colour", "style", "background: url(a.png)"], "colour"),
        ("circle", ["class", "shape", "fill", "red"], "red-circle"),
        ("rect", ["style", "cursor: pointer; fill: aqua"], "aqua-rect"),
        ("path", ["fill", "none"], ""),
        ("polygon", ["fill", "#e60000", "class", "shape"], "shape"),
    ],
)
def test_where_a_hint_comes_from(tag: str, attributes: list[str], expected: str) -> None:
    assert hint(element(10, tag, attributes=attributes)) == expected


def test_the_icon_in_a_control_names_it() -> None:
    icon = element(12, "svg", element(13, "use", attributes=["href", "#icon-home"]))
    assert hint(element(10, "a", element(11, "span"), icon, attributes=["href", "/"])) == "home"


def test_the_tooltip_of_what_is_in_a_control_names_it() -> None:
    icon = element(11, "span", attributes=["class", "date-icon", "title", "Choose a Date"])
    assert hint(element(10, "a", icon, attributes=["href", "/x", "id", "calendarlink0"])) == "Choose-a-Date"
    for tag, attributes in (("option", []), ("li", ["role", "option"])):
        option = element(11, tag, attributes=["title", "Tea", *attributes])
        assert hint(element(10, "select", option, attributes=["name", "drink"])) == "drink"


def test_the_text_of_an_icon_font_names_it() -> None:
    icon = element(12, "i", text(13, "delete"), attributes=["class", "material-icons", "aria-hidden", "true"])
    content = element(11, "span", icon)
    assert hint(element(10, "button", content, attributes=["id", "remove"])) == "delete"
    style = element(11, "svg", element(12, "style", text(13, "a{}")), attributes=["aria-hidden", "true"])
    assert hint(element(10, "button", style, attributes=["id", "remove"])) == "remove"
    value = element(11, "div", text(12, "One"), attributes=["aria-hidden", "true"])
    drawn = shadow(13, "user-agent", value)
    assert hint(element(10, "select", shadowRoots=[drawn], attributes=["id", "drink"])) == "drink"
    unseen = element(11, "span", text(12, "Loading"), attributes=["hidden", ""])
    assert hint(element(10, "button", unseen, attributes=["id", "remove"])) == "remove"
