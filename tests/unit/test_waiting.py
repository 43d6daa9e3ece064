"""Conditions: which can be waited for, and which addresses a pattern fits."""

from __future__ import annotations

import math
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.act.conditions import check_conditions, normalised, parse_url_glob
from hybridsnap.client.waits import is_true
from hybridsnap.errors import SelectorError

_CART = "https://shop.example/de/cart"


@pytest.mark.parametrize(
    ("glob", "url", "fits"),
    [
        (_CART, _CART, True),
        (_CART, _CART + "/", False),
        (_CART, _CART + "?a=1", False),
        ("https://shopXexample/de/cart", _CART, False),
        ("**/cart", _CART, True),
        ("**/cart*", _CART + "?a=1#b", True),
        ("**/cart*", _CART + "?next=/home", False),
        ("**/cart**", _CART + "?next=/home", True),
        ("**/cart*", "https://shop.example/cart/items", False),
        ("https://*/de/cart", _CART, True),
        ("https://*/cart", _CART, False),
        ("https://**/cart", _CART, True),
        ("https://***/cart", _CART, True),
        ("**/c?rt", _CART, True),
        ("**/de?cart", _CART, False),
        ("**/cart?a=1", _CART + "?a=1", True),
        (r"**/cart\?a=1", _CART + "?a=1", True),
        (r"**/cart\?a=1", _CART + "&a=1", False),
        (r"**/\**", "https://shop.example/*star", True),
        (r"**/\**", _CART, False),
        (r"**/\\x", "https://shop.example/\\x", True),
        ("**/[ab]{1,2}", "https://shop.example/[ab]{1,2}", True),
        ("**/[ab]", "https://shop.example/a", False),
        ("**", "about:blank", True),
        ("*", "about:blank", True),
        ("*", _CART, False),
        ("data:*,a\nb", "data:text/html,a\nb", False),
        ("data:**,a\nb", "data:text/html,a\nb", True),
    ],
)
def test_an_address_fits(glob: str, url: str, fits: bool) -> None:
    assert (parse_url_glob(glob).fullmatch(url) is not None) is fits
    assert check_conditions(9, url=glob).url_fits(url) is fits


@given(
    st.lists(st.sampled_from(["**", "*", "?", "a", "b", "/"]), min_size=1, max_size=9).map("".join),
    st.text("ab/", max_size=12),
)
def test_a_pattern_fits_as_if_all_combinations_were_tried(glob: str, url: str) -> None:
    plain = re.sub(r"\*\*+|[*?]", lambda star: {"*": "[^/]*", "?": "[^/]"}.get(star[0], ".*"), glob)
    assert (parse_url_glob(glob).fullmatch(url) is None) == (re.fullmatch(plain, url) is None)


@pytest.mark.parametrize(
    ("glob", "unit"), [("**/a/**/b/**/c", "/a/b"), ("*a*a*a*b", "a"), ("**a**a**a**b", "a")]
)
def test_no_address_of_a_page_holds_a_pattern_up(glob: str, unit: str) -> None:
    begun = time.process_time()
    assert parse_url_glob(glob).fullmatch(unit * (20_000 // len(unit))) is None
    assert time.process_time() - begun < 5  # all combinations take hours


@pytest.mark.parametrize("glob", ["", "**/cart\\", r"**\/cart", r"a\b"])
def test_no_pattern(glob: str) -> None:
    with pytest.raises(ValueError, match="is not a pattern for an address") as caught:
        parse_url_glob(glob)
    assert "\n" not in str(caught.value)


@given(st.text())
def test_escaped_all_is_literal(url: str) -> None:
    escaped = "".join("\\" + one if one in "*?\\" else one for one in url)
    if url:
        assert parse_url_glob(escaped).fullmatch(url)
        assert not parse_url_glob(escaped).fullmatch(url + "x")


def test_a_very_long_address_is_cut() -> None:
    url = "data:text/html," + "x" * 300_000
    assert check_conditions(9, url="data:**").url_fits(url)
    assert not check_conditions(9, url="**y**y**y").url_fits(url)
    assert check_conditions(9, url=url).url_fits(url)


@pytest.mark.parametrize(
    ("given_", "error", "words"),
    [
        ({}, ValueError, "nothing to wait for; give one or more of time, text"),
        ({"text": None}, ValueError, "nothing to wait for"),
        ({"text": ""}, ValueError, "text='' is empty"),
        ({"text_gone": " \n"}, ValueError, "text_gone=' \\\\n' is empty"),
        ({"text": "\u200b\u00ad"}, ValueError, "is empty"),
        ({"text": 7}, TypeError, "text is a str, not int"),
        ({"text": b"x"}, TypeError, "text is a str, not bytes"),
        ({"function": ""}, ValueError, "function='' is empty"),
        ({"load_state": "loaded"}, ValueError, "load_state is one of domcontentloaded, load, networkidle"),
        ({"load_state": True}, TypeError, "load_state is a str"),
        ({"url": "a\\"}, ValueError, "not a pattern"),
        ({"url": ""}, ValueError, "url='' is empty"),
        ({"time": -1}, ValueError, "0 or more"),
        ({"time": math.nan}, ValueError, "finite"),
        ({"time": "1"}, TypeError, "time is a number of seconds, not str"),
        ({"time": True}, TypeError, "time is a number"),
        ({"time": 10}, ValueError, "time=10 does not fit into a timeout of 10 s"),
        ({"selector": ">> a"}, SelectorError, "something is missing"),
        ({"selector_gone": "css="}, SelectorError, "something is missing"),
        ({"enabled": ""}, ValueError, "enabled='' is empty"),
        ({"checked": True}, TypeError, "checked is a str, not bool"),
        ({"uncovered": ">> a"}, SelectorError, "something is missing"),
        ({"value": "#q"}, TypeError, r"expected value=\(element, text\), got '#q'"),
        ({"value": ("#q", 3)}, TypeError, "give the text as a str"),
        ({"value": (" ", "x")}, ValueError, "the element is empty"),
        ({"count": 3}, TypeError, r"expected count=\(selector, number\), got 3"),
        ({"count": ("li", "3")}, TypeError, "give a whole number"),
        ({"count": ("li", True)}, TypeError, "give a whole number"),
        ({"count": ("li", -1)}, ValueError, "give 0 or more"),
        ({"count": ("0-29", 1)}, ValueError, "'0-29', which names one element only"),
        ({"enabled": "#a", "disabled": "#a"}, ValueError, "enabled='#a' and disabled='#a' never hold"),
        ({"selector": "#a", "selector_gone": "#a"}, ValueError, "never hold together; wait for one"),
        ({"uncovered": "#a", "selector_gone": "#a"}, ValueError, "never hold together"),
        ({"checked": "#a", "count": ["#a", 0]}, ValueError, r"checked='#a' and count=\('#a', 0\) never hold"),
        ({"value": ("#a", ""), "count": ("#a", 0)}, ValueError, "never hold together"),
        ({"text": "All done", "text_gone": "done"}, ValueError, "never hold together"),
    ],
)
def test_what_makes_no_sense(given_: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        check_conditions(10, **given_)
    assert "\n" not in str(caught.value)


def test_conditions_in_words() -> None:
    conditions = check_conditions(9, text="It's\nDone", time=0, url="**/x")
    assert conditions.names == ("time", "text", "url")
    assert [conditions.words(name) for name in conditions.names] == [
        "time=0",
        'text="It\'s\\nDone"',
        "url='**/x'",
    ]
    assert conditions.in_page == ("text",)
    assert check_conditions(9, selector="@e12").in_page == ("selector",)


def test_text_is_normalised() -> None:
    assert normalised(" a\n\t b\u00a0c\u200b d\u00ade ") == "a b c de"


@pytest.mark.parametrize(
    ("value", "true"),
    [
        (None, False),
        (False, False),
        (0, False),
        (-0.0, False),
        (math.nan, False),
        ("", False),
        (True, True),
        (-1, True),
        (math.inf, True),
        ("0", True),
        ([], True),
        ({}, True),
        ("<HTMLDivElement>", True),
    ],
)
def test_what_javascript_takes_for_true(value: object, true: bool) -> None:
    assert is_true(value) is true
