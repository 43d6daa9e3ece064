"""XPath steps, and paths put together and taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from hybridsnap.capture.xpath import (
    build_child_xpath_segments,
    normalize_xpath,
    prefix_xpath,
    relativize_xpath,
    xpath_literal,
)
from tests.support.fake_browser import Data, dom_index, dom_node, element, foreign, node, text


def segments(*siblings: Data) -> list[str | None]:
    return build_child_xpath_segments([dom_node(one) for one in siblings])


def test_same_named_siblings_are_counted() -> None:
    found = segments(element(1, "div"), element(2, "p"), element(3, "div"), element(4, "x-y"))
    assert found == ["div[1]", "p[1]", "div[2]", "x-y[1]"]


def test_every_text_node_counts_on_its_own_and_cdata_with_them() -> None:
    cdata = node(3, 4, "#cdata-section", nodeValue="c")
    assert segments(text(1, " "), element(2, "p"), cdata, text(4)) == [
        "text()[1]",
        "p[1]",
        "text()[2]",
        "text()[3]",
    ]


def test_comments_and_processing_instructions_have_steps_and_a_doctype_none() -> None:
    found = segments(
        node(1, 10, "html"), node(2, 8, "#comment"), node(3, 7, "xml-stylesheet"), node(4, 8, "#comment")
    )
    assert found == [None, "comment()[1]", "processing-instruction()[1]", "comment()[2]"]


def test_elements_that_are_not_html_are_asked_for_by_name() -> None:
    found = segments(foreign(1, "svg"), element(2, "svg"), foreign(3, "svg"), foreign(4, "x:y"))
    # name()="svg" also finds the HTML element of that name; an unprefixed test finds only that.
    assert found == ['*[name()="svg"][1]', "svg[1]", '*[name()="svg"][3]', '*[name()="x:y"][1]']


def test_html_names_that_no_name_test_could_write() -> None:
    found = segments(element(1, "a:b"), element(2, "a[b]"), element(3, "a'b"), element(4, "ü"))
    assert found == [
        '*[name()="a:b"][1]',
        '*[name()="a[b]"][1]',
        '*[name()="a\'b"][1]',
        '*[name()="ü"][1]',
    ]


@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), max_size=20) | st.text("a'\"", max_size=9)
)
def test_a_literal_means_its_text(words: str) -> None:
    assert etree.XPath(f"string({xpath_literal(words)})")(etree.Element("a")) == words


@pytest.mark.parametrize(
    ("given_", "normal"),
    [
        ("", "/"),
        ("/", "/"),
        ("  /html[1] ", "/html[1]"),
        ("xpath=/html[1]", "/html[1]"),
        ("XPath= /html[1]", "/html[1]"),
        ("xpath=", "/"),
        ("html[1]/body[1]", "/html[1]/body[1]"),
        ("/html[1]/", "/html[1]"),
        ("//div", "//div"),
        ("/html[1]//div[1]", "/html[1]//div[1]"),
    ],
)
def test_normal_form(given_: str, normal: str) -> None:
    assert normalize_xpath(given_) == normal
    assert normalize_xpath(normal) == normal


_steps = st.sampled_from(["html[1]", "body[1]", "div[2]", "text()[1]", '*[name()="svg"][1]', "/div[1]"])
_paths = st.lists(_steps, max_size=4).map(lambda steps: "/" + "/".join(steps))


@given(_paths, _paths)
def test_a_prefix_comes_off_as_it_went_on(prefix: str, path: str) -> None:
    whole = prefix_xpath(prefix, path)
    assert relativize_xpath(whole, prefix) == normalize_xpath(path)
    assert prefix_xpath("/", whole) == whole


def test_a_document_s_own_path_becomes_its_owner_s() -> None:
    assert prefix_xpath("/html[1]/body[1]/iframe[1]", "/") == "/html[1]/body[1]/iframe[1]"
    assert prefix_xpath("/", "/") == "/"


def test_what_is_not_below_a_prefix_has_no_relative_path() -> None:
    assert relativize_xpath("/html[1]/body[1]/iframe[1]/html[1]", "/html[1]/body[1]/iframe[2]") is None
    assert relativize_xpath("/html[1]/div[1]", "/html[1]/div") is None
    assert relativize_xpath("/html[1]/div[10]", "/html[1]/div[1]") is None


def test_text_of_a_tree_is_found_where_the_path_says() -> None:
    tree = node(
        1, 9, "#document",
        element(2, "html", text(3), element(4, "body", text(5), element(6, "p"), text(7),
                                            element(8, "p", text(9)))),
    )  # fmt: skip
    index = dom_index(tree)
    assert [index.xpath(here) for here in range(9)] == [
        "/",
        "/html[1]",
        "/html[1]/text()[1]",
        "/html[1]/body[1]",
        "/html[1]/body[1]/text()[1]",
        "/html[1]/body[1]/p[1]",
        "/html[1]/body[1]/text()[2]",
        "/html[1]/body[1]/p[2]",
        "/html[1]/body[1]/p[2]/text()[1]",
    ]
