"""Many frames, one outline: where child rows go, whoever holds them and whatever is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap.capture import frames as frames_module
from hybridsnap.capture.capture import capture_hybrid_snapshot, capture_simple_snapshot
from hybridsnap.capture.frames import Ordinals
from hybridsnap.drivers.base import unanswered
from hybridsnap.errors import TargetCrashed
from hybridsnap.model import CaptureOptions, ElementId, FrameId
from hybridsnap.render.tree import render_tree
from hybridsnap.snapshot import build_snapshot
from tests.support.fake_browser import (
    Data,
    FakeBrowser,
    ax,
    body,
    document,
    element,
    frame_tree,
    shadow,
    text,
    xpath,
)

if TYPE_CHECKING:
    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command


def inner(first: int, *held: Data) -> Data:
    """A frame's document with a paragraph; ids from `first` on."""
    return document(
        first, element(first + 1, "html", element(first + 2, "body", element(first + 3, "p"), *held))
    )


def inner_ax(first: int, name: str, *held: int) -> list[Data]:
    return [
        ax(first, "RootWebArea", name, first + 3, *held),
        ax(first + 3, "paragraph", f"in {name}"),
        *(ax(id_, "Iframe") for id_ in held),
    ]


def outline(browser: FakeBrowser) -> list[str]:
    return browser.snapshot().combined_tree.splitlines()


def test_a_child_frame_stands_below_its_owner() -> None:
    dom = body(
        element(4, "p"), element(5, "iframe", frameId="a", contentDocument=inner(20)), element(6, "button")
    )
    browser = FakeBrowser(
        dom,
        [
            ax(1, "RootWebArea", "main", 4, 5, 6),
            ax(4, "paragraph"),
            ax(5, "Iframe", "box"),
            ax(6, "button", "Go"),
        ],
        tree=frame_tree("main", frame_tree("a")),
    )
    browser.processes[None].ax["a"] = inner_ax(20, "a")
    snapshot = browser.snapshot()
    assert snapshot.combined_tree.splitlines() == [
        "[0-1] RootWebArea: main",
        "  [0-4] paragraph",
        "  [0-5] Iframe: box",
        "    [1-20] RootWebArea: a",
        "      [1-23] paragraph: in a",
        "  [0-6] button: Go",
    ]
    assert xpath(snapshot, "1-23") == "/html[1]/body[1]/iframe[1]/html[1]/body[1]/p[1]"
    assert xpath(snapshot, "1-20") == xpath(snapshot, "0-5")
    assert [frame.owner_id for frame in snapshot.report.frames] == [None, "0-5"]
    assert [frame.dom_nodes for frame in snapshot.report.frames] == [6, 4]


def test_frames_in_other_processes_nest_through_both() -> None:
    """main → a (own process) → b (in a's process) → c (own process, below a closed shadow root)."""
    host = element(30, "x-y", shadowRoots=[shadow(31, "closed", element(32, "iframe", frameId="c"))])
    b = document(25, element(26, "html", element(27, "body", element(28, "p"), host)))
    a = inner(20, element(24, "iframe", frameId="b", contentDocument=b))
    browser = FakeBrowser(
        body(element(5, "iframe", frameId="a")), [ax(1, "RootWebArea", "main", 5), ax(5, "Iframe")]
    )
    browser.add_process(
        "A",
        a,
        {
            "a": inner_ax(20, "a", 24),
            "b": [ax(25, "RootWebArea", "b", 28, 32), ax(28, "paragraph", "in b"), ax(32, "Iframe")],
        },
        tree=frame_tree("a", frame_tree("b")),
        parent="main",
    )
    browser.add_process("C", inner(20), {"c": inner_ax(20, "c")}, tree=frame_tree("c"), parent="b")
    snapshot = browser.snapshot()
    assert snapshot.combined_tree.splitlines() == [
        "[0-1] RootWebArea: main",
        "  [0-5] Iframe",
        "    [1-20] RootWebArea: a",
        "      [1-23] paragraph: in a",
        "      [1-24] Iframe",
        "        [2-25] RootWebArea: b",
        "          [2-28] paragraph: in b",
        "          [2-32] Iframe",
        "            [3-20] RootWebArea: c",
        "              [3-23] paragraph: in c",
    ]
    assert xpath(snapshot, "3-23") == (
        "/html[1]/body[1]/iframe[1]/html[1]/body[1]/iframe[1]/html[1]/body[1]/x-y[1]//iframe[1]"
        "/html[1]/body[1]/p[1]"
    )
    assert snapshot.report.complete
    assert snapshot.report.consistent


def test_an_owner_that_the_ax_tree_leaves_out_is_printed_where_it_stands() -> None:
    dom = body(
        element(4, "section", element(5, "p"), element(6, "iframe", frameId="a"), element(7, "b")),
        element(8, "button"),
    )
    nodes = [
        ax(1, "RootWebArea", "main", 4, 8),
        ax(4, "region", "R", 5, 7),
        ax(5, "paragraph", "before"),
        ax(7, "strong", "after"),
        ax(8, "button", "Go"),
    ]
    browser = FakeBrowser(dom, nodes)
    browser.add_process("A", inner(20), {"a": inner_ax(20, "a")}, tree=frame_tree("a"), parent="main")
    assert outline(browser) == [
        "[0-1] RootWebArea: main",
        "  [0-4] region: R",
        "    [0-5] paragraph: before",
        "    [0-6] Iframe",
        "      [1-20] RootWebArea: a",
        "        [1-23] paragraph: in a",
        "    [0-7] strong: after",
        "  [0-8] button: Go",
    ]


def test_several_unprinted_owners_keep_their_order() -> None:
    dom = body(*(element(id_, "iframe", frameId=name) for id_, name in [(4, "a"), (5, "b"), (6, "c")]))
    browser = FakeBrowser(dom, [ax(1, "RootWebArea", "main")])
    for name in "cab":
        browser.add_process(name, inner(20), {name: inner_ax(20, name)}, tree=frame_tree(name), parent="main")
    assert [line.strip() for line in outline(browser)] == [
        "[0-1] RootWebArea: main",
        "[0-4] Iframe",
        "[1-20] RootWebArea: a",
        "[1-23] paragraph: in a",
        "[0-5] Iframe",
        "[2-20] RootWebArea: b",
        "[2-23] paragraph: in b",
        "[0-6] Iframe",
        "[3-20] RootWebArea: c",
        "[3-23] paragraph: in c",
    ]


def test_a_missing_frame_says_so_below_its_owner() -> None:
    browser = FakeBrowser(
        body(element(4, "iframe", frameId="a"), element(5, "p")),
        [ax(1, "RootWebArea", "main", 4, 5), ax(4, "Iframe"), ax(5, "paragraph", "after")],
    )
    browser.add_process("A", inner(20), {}, tree=frame_tree("a"), parent="main")
    execute = browser.execute

    def crash(command: Command[Any], deadline: Deadline) -> Payload:
        if command.session == "A":
            raise TargetCrashed("crashed", session="A")
        return execute(command, deadline)

    browser.execute = crash  # type: ignore[method-assign]  # a crash in the middle
    snapshot = browser.snapshot()
    assert snapshot.combined_tree.splitlines() == [
        "[0-1] RootWebArea: main",
        "  [0-4] Iframe",
        "    ! frame 1 not captured: crashed (http://a.test/)",
        "  [0-5] paragraph: after",
    ]
    report = snapshot.report.frames[1]
    assert (report.status, report.cause, report.owner_id) == ("missing", "crashed", "0-4")
    assert not snapshot.report.complete


def test_a_frame_below_a_missing_one_is_still_shown() -> None:
    """main → a (its AX tree never came) → b (own process)."""
    browser = FakeBrowser(
        body(element(4, "iframe", frameId="a"), element(5, "p")),
        [ax(1, "RootWebArea", "main", 4, 5), ax(4, "Iframe"), ax(5, "paragraph", "after")],
    )
    browser.add_process(
        "A", inner(20, element(24, "iframe", frameId="b")), {}, tree=frame_tree("a"), parent="main"
    )
    browser.add_process("B", inner(20), {"b": inner_ax(20, "b")}, tree=frame_tree("b"), parent="a")
    snapshot = browser.snapshot()
    assert snapshot.combined_tree.splitlines() == [
        "[0-1] RootWebArea: main",
        "  [0-4] Iframe",
        "    ! frame 1 not captured: detached (http://a.test/)",
        "      [2-20] RootWebArea: b",
        "        [2-23] paragraph: in b",
        "  [0-5] paragraph: after",
    ]
    # Its DOM is known, so b's paths are whole.
    assert xpath(snapshot, "2-23") == (
        "/html[1]/body[1]/iframe[1]/html[1]/body[1]/iframe[1]/html[1]/body[1]/p[1]"
    )


def test_a_frame_that_no_session_reaches_is_unreachable() -> None:
    browser = FakeBrowser(
        body(element(4, "iframe", frameId="lost")), [ax(1, "RootWebArea", "main", 4), ax(4, "Iframe")]
    )
    snapshot = browser.snapshot()
    assert snapshot.combined_tree.splitlines()[-1] == "    ! frame 1 not captured: unreachable"
    assert snapshot.report.frames[1].cause == "unreachable"


def test_a_frame_without_a_known_owner_stands_at_the_end() -> None:
    browser = FakeBrowser(body(element(4, "p")), [ax(1, "RootWebArea", "main", 4), ax(4, "paragraph")])
    browser.add_process("A", inner(20), {"a": inner_ax(20, "a")}, tree=frame_tree("a"), parent="main")
    snapshot = browser.snapshot()
    assert snapshot.combined_tree.splitlines() == [
        "[0-1] RootWebArea: main",
        "  [0-4] paragraph",
        "  [1-20] RootWebArea: a",
        "    [1-23] paragraph: in a",
    ]
    assert "1-23" not in snapshot.combined_xpath_map
    assert snapshot.per_frame[1].xpath_map[ElementId("1-23")] == "/html[1]/body[1]/p[1]"


def test_without_a_dom_rows_have_ids_and_no_paths() -> None:
    browser = FakeBrowser(body(), [ax(1, "RootWebArea", "main", 4), ax(4, "button", "Go")])
    browser.answers["DOM.getDocument"] = unanswered("DOM.getDocument", "busy")
    snapshot = browser.snapshot()
    assert snapshot.combined_tree.splitlines() == ["[0-1] RootWebArea: main", "  [0-4] button: Go"]
    assert (snapshot.report.frames[0].status, snapshot.report.frames[0].cause) == ("partial", "busy")
    assert dict(snapshot.combined_xpath_map) == {}


def test_an_owner_in_another_process_s_dom_is_not_taken_for_the_parent_s() -> None:
    """While a frame moves between processes, an old DOM may still hold an owner element of the same id."""
    browser = FakeBrowser(
        body(element(4, "iframe", frameId="a"), element(5, "button")),
        [ax(1, "RootWebArea", "main", 4, 5), ax(4, "Iframe"), ax(5, "button", "Go")],
    )
    stale = inner(20, element(5, "iframe", frameId="b"))
    browser.add_process("A", stale, {"a": inner_ax(20, "a")}, tree=frame_tree("a"), parent="main")
    moved = frame_tree("b", parentId="main")
    browser.add_process("B", inner(20), {"b": inner_ax(20, "b")}, tree=moved, parent="main")
    snapshot = browser.snapshot()
    assert "[2-23] paragraph: in b" in snapshot.combined_tree
    lines = snapshot.combined_tree.splitlines()
    # Not below the button that happens to have the owner's number.
    assert lines.index("  [0-5] button: Go") + 1 == lines.index("  [2-20] RootWebArea: b")


def test_ordinals_last() -> None:
    ordinals = Ordinals()
    dom = body(element(4, "iframe", frameId="a"), element(5, "iframe", frameId="b"))
    nodes = [ax(1, "RootWebArea", "main", 4, 5), ax(4, "Iframe"), ax(5, "Iframe")]
    browser = FakeBrowser(dom, nodes)
    browser.capture(ordinals=ordinals)
    assert ordinals.by_frame == {"main": 0, "a": 1, "b": 2}
    browser = FakeBrowser(body(element(6, "iframe", frameId="new"), element(5, "iframe", frameId="b")), nodes)
    capture = browser.capture(ordinals=ordinals)
    assert ordinals.by_frame == {"main": 0, "a": 1, "b": 2, "new": 3}
    assert [frame.ordinal for frame in capture.frames] == [0, 2, 3]
    assert [row.role for row in capture.rows][:1] == ["RootWebArea"]


def test_a_capture_keeps_its_frames_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames_module, "MOST_FRAMES", 10)
    ordinals = Ordinals()
    dom = body(element(4, "iframe", frameId="a"))
    capture = FakeBrowser(dom, [ax(1, "RootWebArea", "main", 4), ax(4, "Iframe")]).capture(ordinals=ordinals)
    for number in range(10):
        ordinals.assign([FrameId("main"), FrameId(f"goes {number}")])
    assert "a" not in ordinals.by_frame
    assert capture.ordinals.by_frame == {"main": 0, "a": 1}


def test_the_main_frame_is_reported_first_whatever_its_number() -> None:
    ordinals = Ordinals()
    FakeBrowser(body(), [ax(1, "RootWebArea", "old")]).capture(ordinals=ordinals)
    browser = FakeBrowser(
        body(element(4, "iframe", frameId="main")),
        [ax(1, "RootWebArea", "new", 4), ax(4, "Iframe")],
        tree=frame_tree("other"),
    )
    capture = browser.capture(ordinals=ordinals)
    assert [frame.frame_id for frame in capture.frames] == ["other", "main"]
    assert build_snapshot(capture, transport="x", elapsed_ms=1).report.url == "http://other.test/"


@pytest.mark.parametrize("shown", [True, False])
def test_a_displayed_frame_that_renders_nothing_yet_is_asked_again(shown: bool) -> None:
    browser = FakeBrowser(
        body(element(4, "iframe", frameId="a")),
        [ax(1, "RootWebArea", "main", 4), ax(4, "Iframe", ignored=not shown)],
    )
    browser.add_process("A", inner(20), {"a": inner_ax(20, "a")}, tree=frame_tree("a"), parent="main")
    # What Chromium answered for a cross-site frame that had loaded, as for one with `display: none`.
    reasons = [{"name": "notRendered", "value": {"type": "boolean", "value": True}}]
    early = [ax(20, "RootWebArea", "a", 21), ax(21, "none", ignored=True) | {"ignoredReasons": reasons}]
    answer = browser.answers["Accessibility.getFullAXTree"]
    assert callable(answer)
    asked: list[str | None] = []

    def answer_early(command: Command[Any]) -> Data:
        asked.append(command.session)
        return {"nodes": early} if asked.count("A") == 1 and command.session else dict(answer(command))

    browser.answers["Accessibility.getFullAXTree"] = answer_early
    rows = ["[0-1] RootWebArea: main", "  [0-4] Iframe", "    [1-20] RootWebArea: a"]
    assert outline(browser) == [*rows, *(["      [1-23] paragraph: in a"] if shown else [])]
    assert asked.count("A") == (2 if shown else 1)
    assert asked.count(None) == 1


def test_main_frame_only() -> None:
    browser = FakeBrowser(
        body(element(4, "iframe", frameId="a", contentDocument=inner(20))),
        [ax(1, "RootWebArea", "main", 4), ax(4, "Iframe")],
        tree=frame_tree("main", frame_tree("a")),
    )
    browser.add_process("B", inner(20), {"b": inner_ax(20, "b")}, tree=frame_tree("b"), parent="a")
    capture = browser.run(capture_simple_snapshot(browser.sessions, Ordinals()))
    assert render_tree(capture.rows).splitlines() == ["[0-1] RootWebArea: main", "  [0-4] Iframe"]
    assert [(frame.frame_id, frame.status) for frame in capture.frames] == [
        ("main", "captured"),
        ("a", "excluded"),
        ("b", "excluded"),
    ]
    assert capture.complete
    assert {sent.session for sent in browser.sent} == {None}
    assert browser.methods.count("Accessibility.getFullAXTree") == 1


def test_a_simple_snapshot_honours_every_option() -> None:
    def page() -> FakeBrowser:
        root = shadow(5, "open", element(6, "b"))
        return FakeBrowser(
            body(element(4, "x-y", shadowRoots=[root]), element(7, "p", text(8))),
            [ax(1, "RootWebArea", "main", 6, 7), ax(6, "button", "in the shadow"), ax(7, "paragraph", "p")],
            tree=frame_tree("main"),
        )

    for options in (CaptureOptions(pierce_shadow=False), CaptureOptions(layout=True, screenshot=True)):
        simple, full = page(), page()
        rows = simple.run(capture_simple_snapshot(simple.sessions, Ordinals(), options)).rows
        assert rows == full.run(capture_hybrid_snapshot(full.sessions, Ordinals(), options)).rows
        assert simple.methods == full.methods
    assert "Page.captureScreenshot" in simple.methods


def test_frames_in_author_shadow_are_excluded_with_it() -> None:
    root = shadow(5, "open", element(6, "iframe", frameId="a", contentDocument=inner(20)))
    browser = FakeBrowser(
        body(element(4, "x-y", shadowRoots=[root]), element(7, "p", text(8))),
        [ax(1, "RootWebArea", "main", 6, 7), ax(6, "Iframe"), ax(7, "paragraph", "p")],
        tree=frame_tree("main", frame_tree("a")),
    )
    browser.processes[None].ax["a"] = inner_ax(20, "a")
    options = CaptureOptions(pierce_shadow=False)
    capture = browser.run(capture_hybrid_snapshot(browser.sessions, Ordinals(), options))
    assert render_tree(capture.rows).splitlines() == ["[0-1] RootWebArea: main", "  [0-7] paragraph: p"]
    assert [frame.status for frame in capture.frames] == ["captured", "excluded"]


def test_frames_that_hold_each_other_end() -> None:
    """No browser says so, but a reply may."""
    browser = FakeBrowser(body(), [ax(1, "RootWebArea", "main")])
    for name, parent in [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")]:
        tree = frame_tree(name, parentId=parent)
        browser.add_process(name, inner(20), {name: inner_ax(20, name)}, tree=tree, parent=parent)
    for options in (
        CaptureOptions(),
        CaptureOptions(include_iframes=False),
        CaptureOptions(pierce_shadow=False),
    ):
        capture = browser.run(capture_hybrid_snapshot(browser.sessions, Ordinals(), options))
        assert {frame.frame_id for frame in capture.frames} == {"main", "a", "b", "c", "d"}


def test_two_hundred_nested_frames() -> None:
    browser = FakeBrowser(
        body(element(4, "iframe", frameId="f1")), [ax(1, "RootWebArea", "", 4), ax(4, "Iframe")]
    )
    for number in range(1, 201):
        held = element(24, "iframe", frameId=f"f{number + 1}") if number < 200 else element(24, "hr")
        browser.add_process(
            f"s{number}",
            inner(20, held),
            {f"f{number}": inner_ax(20, "x", *([24] if number < 200 else []))},
            tree=frame_tree(f"f{number}"),
            parent=f"f{number - 1}" if number > 1 else "main",
        )
    snapshot = browser.snapshot()
    assert len(snapshot.report.frames) == 201
    assert xpath(snapshot, "200-24").count("/iframe[1]") == 200
    assert snapshot.rows[-1].depth == 2 * 200 + 1
