"""What users hold: maps, JSON, ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.element_ids import parse_element_id
from hybridsnap.capture.frames import Ordinals
from hybridsnap.drivers.base import replay, unanswered
from hybridsnap.drivers.testing import load_transcript
from hybridsnap.errors import CaptureFailed, DeadlineExceeded, TargetCrashed
from hybridsnap.model import BackendNodeId, ElementId
from hybridsnap.snapshot import Snapshot, build_snapshot
from tests.support.fake_browser import (
    FakeBrowser,
    ax,
    body,
    document,
    element,
    frame_tree,
    node,
    shadow,
    text,
    xpath,
)

_TRANSCRIPTS = Path(__file__).parents[1] / "transcripts"


def browser() -> FakeBrowser:
    inner = document(20, element(21, "html", element(22, "body", element(23, "a", text(24, "in")))))
    made = FakeBrowser(
        body(
            element(4, "x-y", shadowRoots=[shadow(5, "open", element(6, "button", text(7, "Go")))]),
            node(8, 8, "#comment"),
            element(9, "iframe", frameId="a", contentDocument=inner),
        ),
        [
            ax(1, "RootWebArea", "T", 6, 9, url="http://main.test/"),
            ax(6, "button", "Go", 7, focused=True),
            ax(7, "StaticText", "Go"),
            ax(9, "Iframe"),
        ],
        tree=frame_tree("main", frame_tree("a")),
    )
    made.processes[None].ax["a"] = [
        ax(20, "RootWebArea", "A", 23, -1),
        ax(23, "link", "in", url="http://b/"),
        ax(-1, "StaticText", "made"),
    ]
    return made


def snapshot() -> Snapshot:
    return browser().snapshot()


def recorded(name: str) -> Snapshot:
    transcript = load_transcript(_TRANSCRIPTS / name)
    capture = replay(capture_hybrid_snapshot(transcript.sessions, Ordinals()), transcript)
    return build_snapshot(capture, transport="replay", elapsed_ms=1.5)


# Maps


def test_the_map_covers_every_node_in_document_order() -> None:
    paths = snapshot().combined_xpath_map
    assert dict(paths) == {
        "0-1": "/",
        "0-2": "/html[1]",
        "0-3": "/html[1]/body[1]",
        "0-4": "/html[1]/body[1]/x-y[1]",
        "0-6": "/html[1]/body[1]/x-y[1]//button[1]",
        "0-7": "/html[1]/body[1]/x-y[1]//button[1]/text()[1]",
        "0-8": "/html[1]/body[1]/comment()[1]",
        "0-9": "/html[1]/body[1]/iframe[1]",
        "1-20": "/html[1]/body[1]/iframe[1]",
        "1-21": "/html[1]/body[1]/iframe[1]/html[1]",
        "1-22": "/html[1]/body[1]/iframe[1]/html[1]/body[1]",
        "1-23": "/html[1]/body[1]/iframe[1]/html[1]/body[1]/a[1]",
        "1-24": "/html[1]/body[1]/iframe[1]/html[1]/body[1]/a[1]/text()[1]",
    }
    assert len(paths) == 13


def test_a_frame_s_own_map_is_relative_to_it() -> None:
    main, a = snapshot().per_frame
    assert (main.frame_id, main.ordinal, a.frame_id, a.ordinal) == ("main", 0, "a", 1)
    assert a.xpath_map[ElementId("1-23")] == "/html[1]/body[1]/a[1]"
    assert a.xpath_map[ElementId("1-20")] == "/"
    assert len(a.xpath_map) == 5
    assert ElementId("0-1") not in a.xpath_map
    assert a.outline == "[1-20] RootWebArea: A\n  [1-23] link: in\n  StaticText: made"
    assert main.outline == "[0-1] RootWebArea: T\n  [0-6] button: Go [focused]\n  [0-9] Iframe"


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "-",
        "0-",
        "-1",
        "0",
        "0-99",
        "7-1",
        "0-5",
        "1-1",
        "00-1",
        "0-01",
        " 0-1",
        "0-1 ",
        "0-1-1",
        "0-x",
        "+0-1",
        "٠-١",
        "0-" + "9" * 30,
        "0-" + "9" * 10_000,
    ],
)
def test_what_is_no_id_is_a_key_error(wrong: str) -> None:
    paths = snapshot().combined_xpath_map
    with pytest.raises(KeyError):
        xpath(snapshot(), wrong)
    assert paths.get(ElementId(wrong)) is None
    assert ElementId(wrong) not in paths


def test_ids_are_taken_apart() -> None:
    assert parse_element_id("12-345") == (12, BackendNodeId(345))


def test_urls() -> None:
    assert dict(snapshot().combined_url_map) == {"0-1": "http://main.test/", "1-23": "http://b/"}


# JSON


def test_json_has_the_shape_of_the_interface() -> None:
    data = snapshot().to_dict()
    assert list(data) == [
        "version",
        "combinedTree",
        "combinedXpathMap",
        "combinedUrlMap",
        "perFrame",
        "rows",
        "report",
    ]
    assert data["version"] == 1
    assert set(data["perFrame"][0]) == {"frameId", "ordinal", "url", "outline", "xpathMap", "urlMap"}
    assert set(data["rows"][0]) == {
        "id",
        "depth",
        "role",
        "name",
        "description",
        "value",
        "states",
        "tag",
        "frame",
    }
    assert set(data["report"]) == {
        "complete",
        "consistent",
        "url",
        "title",
        "elapsedMs",
        "transport",
        "snapshotId",
        "frames",
        "notes",
    }
    assert set(data["report"]["frames"][0]) == {
        "frameId",
        "ordinal",
        "url",
        "parentFrameId",
        "ownerId",
        "loaderId",
        "status",
        "cause",
        "domNodes",
        "axNodes",
        "elapsedMs",
    }
    assert data["report"]["title"] == "T"
    assert data["report"]["frames"][1]["parentFrameId"] == "main"


def test_json_carries_the_paths_of_the_outline_and_of_owners() -> None:
    data = snapshot().to_dict()
    assert list(data["combinedXpathMap"]) == ["0-1", "0-6", "0-9", "1-20", "1-23"]
    assert data["perFrame"][1]["xpathMap"] == {"1-20": "/", "1-23": "/html[1]/body[1]/a[1]"}
    whole = snapshot().to_dict(all_xpaths=True)
    assert len(whole["combinedXpathMap"]) == 13
    assert len(whole["perFrame"][1]["xpathMap"]) == 5


@pytest.mark.parametrize("all_xpaths", [False, True])
def test_json_is_read_back(all_xpaths: bool) -> None:
    saved = snapshot()
    again = Snapshot.from_json(saved.to_json(all_xpaths=all_xpaths))
    assert again.to_dict(all_xpaths=all_xpaths) == saved.to_dict(all_xpaths=all_xpaths)
    assert again == saved
    assert saved == again
    assert again.combined_tree == saved.combined_tree
    assert again.rows == saved.rows
    assert again.report == saved.report
    assert Snapshot.from_json(again.to_json()) == again
    assert again.to_json(all_xpaths=all_xpaths) == saved.to_json(all_xpaths=all_xpaths)


@pytest.mark.parametrize("name", ["frames.jsonl", "form.jsonl"])
def test_recorded_pages_are_read_back(name: str) -> None:
    saved = recorded(name)
    assert saved.report.complete
    assert saved.report.consistent
    assert Snapshot.from_json(saved.to_json(all_xpaths=True)) == saved
    for row in saved.rows:
        assert row.id is None or xpath(saved, row.id).startswith("/")


def test_other_snapshots_are_not_equal() -> None:
    one, two = snapshot(), snapshot()
    assert one == one  # noqa: PLR0124 - equality is what is tested
    assert one != two  # another snapshot id
    assert one != "snapshot"


@pytest.mark.parametrize(
    "wrong", ["", "[]", "{}", '{"version": 1}', "\ud800", b"\xff", "null", "[" * 100_000]
)
def test_what_is_no_snapshot_is_a_value_error(wrong: str | bytes) -> None:
    with pytest.raises(ValueError, match="snapshot"):
        Snapshot.from_json(wrong)


def test_another_version_is_said() -> None:
    data = snapshot().to_dict()
    data["version"] = 2
    with pytest.raises(ValueError, match="version 2"):
        Snapshot.from_json(json.dumps(data))


def test_strings_of_the_page_are_valid_in_json_whatever_they_hold() -> None:
    made = FakeBrowser(
        body(element(4, "p")),
        [
            ax(1, "RootWebArea", "\ud800", 4),
            ax(4, "paragraph", "a\udc00b", value="\udfff", url="http://\ud800/"),
        ],
    )
    saved = made.snapshot()
    text_ = saved.to_json()
    text_.encode("utf-8")
    assert "a\ufffdb" in json.loads(text_)["rows"][1]["name"]
    assert Snapshot.from_json(text_) == saved


# Failures


def test_without_the_main_frame_there_is_no_snapshot() -> None:
    made = FakeBrowser(body(), [ax(1, "RootWebArea", "T")])
    made.answers["Accessibility.getFullAXTree"] = unanswered("x", "busy")
    with pytest.raises(DeadlineExceeded, match="timeout") as late:
        made.snapshot()
    assert late.value.report is not None
    # It was given no time to answer, so nobody says that it is busy.
    assert late.value.report.frames[0].cause == "timeout"
    made.answers["Accessibility.getFullAXTree"] = TargetCrashed("crashed")
    with pytest.raises(CaptureFailed, match="crashed") as failed:
        made.snapshot()
    assert not isinstance(failed.value, DeadlineExceeded)


def test_it_says_what_it_is() -> None:
    assert repr(snapshot()) == "<Snapshot of 'http://main.test/': 6 rows, 2 frame(s)>"
