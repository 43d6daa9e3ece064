"""Selectors taken apart, parts of trees, and scoped plans over recorded transcripts, whatever comes back."""

from __future__ import annotations

import functools
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridsnap.capture.partial_ax import cut_ax_tree
from hybridsnap.capture.pointing import FoundElement, shares_of
from hybridsnap.capture.reading import Capture
from hybridsnap.capture.scope import graft
from hybridsnap.capture.selectors import Selector, parse_selector
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import replay, run_sync
from hybridsnap.drivers.testing import load_transcript
from hybridsnap.errors import CommandUnanswered, HybridsnapError, SelectorError
from hybridsnap.model import BackendNodeId
from hybridsnap.protocol.replies import BoxModel
from hybridsnap.snapshot import Snapshot, build_snapshot
from tests.support.any_driver import FAILURE_KINDS, failing_at
from tests.support.fake_browser import ax, ax_tree, body, document, dom_index, dom_node, element, shadow, text
from tests.transcripts.record_scope import SCOPED, path_of

if TYPE_CHECKING:
    from random import Random

    from tests.support.any_driver import AnyDriver

# Selectors


def parts(text: str) -> list[tuple[str, str]]:
    return [(part.kind, part.text) for part in parse_selector(text).parts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("form", [("css", "form")]),
        (" form > b ", [("css", "form > b")]),
        ("css=form", [("css", "form")]),
        ("//form", [("xpath", "//form")]),
        ("(//form)[2]", [("xpath", "(//form)[2]")]),
        ("./b", [("xpath", "./b")]),
        ("XPATH= id('x') ", [("xpath", "id('x')")]),
        ("a >> b", [("css", "a"), ("css", "b")]),
        ("a>>//b>>c", [("css", "a"), ("xpath", "//b"), ("css", "c")]),
        ("[title='a >> b'] >> c", [("css", "[title='a >> b']"), ("css", "c")]),
        ('//a[.="x >> y"]', [("xpath", '//a[.="x >> y"]')]),
        (":is(a >> b)", [("css", ":is(a >> b)")]),
        ("a\\>> b", [("css", "a\\>> b")]),
        ("a >> Role=cell", [("css", "a"), ("role", "cell")]),
        ('role=cell[name="x >> y"]', [("role", 'cell[name="x >> y"]')]),
    ],
)
def test_selectors(text: str, expected: list[tuple[str, str]]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    "text", ["", "  ", ">>", "a >>", ">> a", "a >> >> b", "css=", "xpath= ", "role=", "role=a b"]
)
def test_no_selectors(text: str) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_selector(text)
    assert caught.value.reason == "syntax"
    assert repr(text) in str(caught.value)


def test_a_selector_of_a_million_characters_is_read_in_one_go() -> None:
    begun = time.process_time()
    assert parts(f"a >> {'b' * 1_000_000}")[1] == ("css", "b" * 1_000_000)
    assert time.process_time() - begun < 20  # it took minutes, in which nothing else ran


def test_element_ids() -> None:
    assert parse_selector(" 0-29 ") == Selector(" 0-29 ", (), (0, BackendNodeId(29)))
    for one in ("0-", "00-1", "0-01", "-1", "0-1-2"):
        assert parse_selector(one).element is None


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("/", []),
        ("/html[1]/body[1]", ["html[1]", "body[1]"]),
        ("/a[1]//text()[2]", ["a[1]", "> text()[2]"]),
        ('/*[name()="svg"][1]', ['*[name()="svg"][1]']),
        ("/*[name()='a]b'][1]/b[1]", ["*[name()='a]b'][1]", "b[1]"]),
        ('/*[local-name()=concat("a", \'"\', "b")][3]', ['*[local-name()=concat("a", \'"\', "b")][3]']),
    ],
)
def test_paths_of_the_maps(text: str, steps: list[str]) -> None:
    (part,) = parse_selector(text).parts
    assert part.path is not None
    assert [("> " if step.enters else "") + step.segment for step in part.path] == steps


@pytest.mark.parametrize("text", ["//html[1]", "/html", "/html[0]", "/html[@a]", "/html[1]/", "/html[1]b"])
def test_other_xpaths(text: str) -> None:
    assert parse_selector(text).parts[0].path is None


# Parts of trees


def test_a_line_of_nodes_becomes_a_tree() -> None:
    line = [
        dom_node(document(1, element(2, "html"))),
        dom_node(element(2, "html", text(3), element(4, "div", shadowRoots=[shadow(5, "closed")]))),
        dom_node(element(4, "div", text(9), shadowRoots=[shadow(5, "closed")])),
        dom_node(shadow(5, "", element(6, "p"))),
        dom_node(element(6, "p", text(7))),
    ]
    root = graft(line)
    assert root is line[0]
    assert root.children[0].children[1].shadow_roots[0].children[0].children[0].backend_node_id == 7
    assert root.children[0].children[1].shadow_roots[0].shadow_root_type == "closed"
    assert graft([dom_node(document(1, element(2, "html"))), dom_node(element(3, "html"))]) is None


def test_what_is_left_of_an_index_keeps_its_paths() -> None:
    whole = dom_index(
        body(
            element(4, "p", text(5)),
            text(6),
            element(7, "p", text(8), element(9, "b"), text(10)),
            element(11, "div", element(12, "i"), shadowRoots=[shadow(13, "open", element(14, "u"))]),
            element(15, "p"),
        )
    )
    kept = [1 if node.backend_node_id in {1, 2, 3, 7, 10, 11, 13, 14, 15} else 0 for node in whole.nodes]
    paths = {node.backend_node_id: whole.xpath(here) for here, node in enumerate(whole.nodes) if kept[here]}
    narrow = whole.narrowed(kept)
    found = {node.backend_node_id: narrow.xpath(here) for here, node in enumerate(narrow.nodes)}
    assert found == paths
    assert paths[BackendNodeId(10)] == "/html[1]/body[1]/p[2]/text()[2]"
    assert not narrow.truncated
    again = narrow.narrowed([node.backend_node_id != 14 for node in narrow.nodes])
    assert again.xpath(again.position[BackendNodeId(15)]) == "/html[1]/body[1]/p[3]"


def test_a_part_of_an_ax_tree_may_have_several_tops() -> None:
    index = dom_index(body(element(4, "div", element(5, "p"), element(6, "p")), element(7, "p")))
    tree = ax_tree(
        ax(1, "RootWebArea", "", 6, 7, 5),
        ax(7, "paragraph"),
        ax(6, "paragraph", "", -9),
        ax(5, "p"),
        ax(-9, "x"),
    )
    part = cut_ax_tree(tree, index, index.position[BackendNodeId(4)])
    assert part.nodes[0].ignored
    assert part.nodes[0].child_ids == (5, 6)
    assert {node.node_id for node in part.nodes} == {0, 5, 6, -9}
    assert cut_ax_tree(tree, index, 0) is tree


def test_points_in_boxes() -> None:
    straight = BoxModel((10, 20, 110, 20, 110, 70, 10, 70))
    assert shares_of(straight, 60, 45) == (0.5, 0.5)
    assert shares_of(straight, 10, 20) == (0, 0)
    assert shares_of(straight, 110, 45) is None
    assert shares_of(straight, 9, 45) is None
    turned = BoxModel((100, 0, 100, 200, 0, 200, 0, 0))
    assert shares_of(turned, 75, 20) == (0.1, 0.25)
    assert shares_of(BoxModel((1, 1, 1, 1, 1, 1, 1, 1)), 1, 1) is None


# Recorded plans


#: Each is read once: no test changes it.
_loaded = functools.cache(load_transcript)


def outcome(name: str, driver: AnyDriver) -> Snapshot | FoundElement | HybridsnapError | None:
    sessions = _loaded(path_of(name)).sessions
    try:
        came = run_sync(SCOPED[name][1](sessions), driver, Deadline.after(60))
        return build_snapshot(came, transport="any", elapsed_ms=1.0) if isinstance(came, Capture) else came
    except HybridsnapError as error:
        return error


def check_clean(driver: AnyDriver) -> None:
    """Everything that was switched on, or taken hold of, is given back."""
    driver.check_clean()
    holding = {
        "DOM.resolveNode",
        "Runtime.callFunctionOn",
        "Runtime.getProperties",
        "Runtime.releaseObjectGroup",
    }
    for session in {session for session, _ in driver.sent}:
        for last, methods in (
            ("Accessibility.disable", {"Accessibility.enable", "Accessibility.disable"}),
            ("Runtime.releaseObjectGroup", holding),
        ):
            sent = [method for whose, method in driver.sent if whose == session and method in methods]
            assert not sent or sent[-1] == last, sent


@pytest.mark.parametrize("name", SCOPED)
def test_recorded_plans(name: str) -> None:
    transcript = load_transcript(path_of(name))
    came = replay(SCOPED[name][1](transcript.sessions), transcript)
    assert came is not None
    if isinstance(came, Capture):
        snapshot = build_snapshot(came, transport="replay", elapsed_ms=1.0)
        assert snapshot.report.complete
        assert snapshot.report.consistent
        assert snapshot.rows
        assert Snapshot.from_json(snapshot.to_json(all_xpaths=True)) == snapshot


@pytest.mark.parametrize("name", SCOPED)
@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_every_command_may_fail(name: str, kind: str) -> None:
    transcript = _loaded(path_of(name))
    whole = outcome(name, failing_at(transcript, -1, kind))
    assert not isinstance(whole, HybridsnapError)
    for number in range(len(transcript.exchanges)):
        driver = failing_at(transcript, number, kind)
        came = outcome(name, driver)
        if kind == "unanswered" and isinstance(came, HybridsnapError):
            assert "dialog" in str(came)
        if isinstance(came, Snapshot) and isinstance(whole, Snapshot):
            # What is said to be whole is whole.
            said = came.report.complete and came.report.consistent and not came.report.notes
            assert not said or came.rows == whole.rows, number
        check_clean(driver)


_ODD: list[Any] = [None, 0, -1, 10**30, 1.5, "", "x", "0", [], {}, [[]], True]


def mutate(value: Any, random: Random) -> Any:
    """JSON data with one thing in it replaced, removed or doubled."""
    inner = value
    for _ in range(random.randint(1, 12)):
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        if not keys:
            break
        key = random.choice(keys)
        if isinstance(inner[key], dict | list) and inner[key] and random.random() < 0.85:
            inner = inner[key]
            continue
        if random.random() < 0.3:
            del inner[key]
        elif isinstance(inner, list) and random.random() < 0.5:
            inner.append(inner[key])
        else:
            inner[key] = random.choice([*_ODD, random.randint(0, 40), str(random.randint(0, 40))])
        break
    return value


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCOPED)))
@settings(max_examples=500)
def test_any_reply_gives_a_result_or_a_typed_error(random: Random, name: str) -> None:
    transcript = load_transcript(path_of(name))
    for _ in range(random.choice([1, 1, 1, 3])):
        exchange = random.choice(transcript.exchanges)
        assert exchange.reply is not None
        exchange.reply = json.dumps(mutate(json.loads(exchange.reply), random)).encode()
    driver = failing_at(transcript, -1, "refused")
    came = outcome(name, driver)
    if isinstance(came, Snapshot):
        assert Snapshot.from_json(came.to_json(all_xpaths=True)) == came
        assert len(came.combined_tree.split("\n")) >= len(came.rows)
    check_clean(driver)


def test_an_unanswered_point_is_an_error_of_its_own() -> None:
    came = outcome("point", failing_at(load_transcript(path_of("point")), 0, "unanswered"))
    assert isinstance(came, CommandUnanswered)
