"""Whatever a browser answers: a snapshot or a typed error, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.frames import Ordinals, SessionInfo
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import refused, replay, run_sync
from hybridsnap.drivers.testing import load_transcript
from hybridsnap.errors import (
    CommandRefused,
    HybridsnapError,
)
from hybridsnap.model import CaptureOptions, FrameId, SessionId
from hybridsnap.protocol.ax_reply import read_ax_tree
from hybridsnap.protocol.codec import JsonPayload
from hybridsnap.snapshot import Snapshot, build_snapshot
from tests.support.any_driver import FAILURE_KINDS, AnyDriver, failing_at, make_error
from tests.support.strategies import ReplyMaker, reply_makers
from tests.support.uncompiled import check_as_uncompiled

if TYPE_CHECKING:
    from random import Random

    from hybridsnap.protocol.plan import Command

_TRANSCRIPTS = sorted((Path(__file__).parents[1] / "transcripts").glob("*.jsonl"))
_METHODS = [
    "Page.getFrameTree",
    "DOM.getDocument",
    "DOM.describeNode",
    "DOM.getNodesForSubtreeByStyle",
    "Accessibility.getFullAXTree",
]


def check(snapshot: Snapshot) -> None:
    """What holds of every snapshot."""
    lines = snapshot.combined_tree.split("\n") if snapshot.rows else []
    assert len(lines) == len(snapshot.rows)
    assert not any(line.splitlines() != [line] for line in lines)
    snapshot.combined_tree.encode()
    ids = [row.id for row in snapshot.rows if row.id is not None]
    assert len(ids) == len(set(ids))
    assert snapshot.report.frames[0].status in {"captured", "partial"}
    ordinals = [frame.ordinal for frame in snapshot.report.frames]
    assert len(ordinals) == len(set(ordinals))
    for id_ in ids:
        path = snapshot.combined_xpath_map.get(id_)
        assert path is None or path.startswith("/")
    assert len(dict(snapshot.combined_xpath_map)) == len(snapshot.combined_xpath_map)
    assert Snapshot.from_json(snapshot.to_json(all_xpaths=True)) == snapshot
    check_as_uncompiled(snapshot)


_SESSIONS = [None, SessionId("s"), SessionId("t")]
_FRAMES = [None, FrameId("main"), FrameId("a"), FrameId("b")]


def make_sessions(random: Random) -> list[SessionInfo]:
    return [
        SessionInfo(
            random.choice(_SESSIONS),
            random.choice(_FRAMES),
            random.choice(_FRAMES),
            "http://x/",
            tuple(random.sample([FrameId("main"), FrameId("a"), FrameId("z")], random.randint(0, 2))),
        )
        for _ in range(random.randint(1, 3))
    ]


_options = st.builds(CaptureOptions, pierce_shadow=st.booleans(), include_iframes=st.booleans())


@given(reply_makers, _options)
@settings(max_examples=150)
def test_any_replies_give_a_snapshot_or_a_typed_error(maker: ReplyMaker, options: CaptureOptions) -> None:
    def answer(command: Command[Any]) -> bytes | HybridsnapError:
        if len(driver.sent) > 60 or maker.random.random() < 0.05:
            return make_error(maker.random.choice(FAILURE_KINDS), command.method)
        return json.dumps({"id": 1, "result": maker.reply(command.method)}).encode()

    driver = AnyDriver(answer)
    ordinals = Ordinals()
    for _ in range(2):  # a page's ordinals outlive a capture
        driver.sent.clear()
        sessions = make_sessions(maker.random)
        try:
            capture = run_sync(
                capture_hybrid_snapshot(sessions, ordinals, options), driver, Deadline.after(60)
            )
            check(build_snapshot(capture, transport="any", elapsed_ms=1.0))
        except HybridsnapError:
            pass
        driver.check_clean()


@given(reply_makers, st.sampled_from(_METHODS), st.sampled_from(_TRANSCRIPTS))
@settings(max_examples=100)
def test_one_strange_reply_in_a_real_capture(maker: ReplyMaker, method: str, path: Path) -> None:
    """Around it all is right, so what is made of it goes further."""
    transcript = load_transcript(path)
    chosen = maker.random.choice([one for one in transcript.exchanges if one.method == method] or [None])
    if chosen is not None:
        chosen.reply = json.dumps({"result": maker.reply(method)}).encode()
    try:
        capture = replay(capture_hybrid_snapshot(transcript.sessions, Ordinals()), transcript)
        check(build_snapshot(capture, transport="replay", elapsed_ms=1.0))
    except HybridsnapError:
        pass


# Every n-th command of a recorded capture fails


_CAUSES = {
    "refused": "error",
    "nesting": "error",
    "gone": "detached",
    "crashed": "crashed",
    "detached": "detached",
    "lost": "error",
    "unanswered": "dialog",
    "large": "too_large",
    "unreadable": "error",
}


@pytest.mark.parametrize("path", _TRANSCRIPTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_every_command_may_fail(path: Path, kind: str) -> None:
    transcript = load_transcript(path)
    whole = build_snapshot(
        replay(capture_hybrid_snapshot(transcript.sessions, Ordinals()), transcript),
        transport="replay",
        elapsed_ms=1.0,
    )
    assert whole.report.complete
    for number, exchange in enumerate(transcript.exchanges):
        driver = failing_at(load_transcript(path), number, kind)
        where = f"{kind} at {number}: {exchange.method} on {exchange.session}"
        failure: HybridsnapError | None = None
        try:
            capture = run_sync(
                capture_hybrid_snapshot(transcript.sessions, Ordinals()), driver, Deadline.after(60)
            )
            snapshot = build_snapshot(capture, transport="any", elapsed_ms=1.0)
        except HybridsnapError as caught:
            failure = caught
        driver.check_clean()
        if failure is not None:
            # Only the main frame's own AX tree is worth an exception.
            assert exchange.method == "Accessibility.getFullAXTree", where
            assert exchange.session == transcript.sessions[0].session, where
            assert _CAUSES[kind] in str(failure), where
            continue
        check(snapshot)
        bad = [frame for frame in snapshot.report.frames if frame.status in {"missing", "partial"}]
        assert snapshot.report.complete == (not bad), where
        # Each frame that is not whole says why.
        assert all(frame.cause == _CAUSES[kind] for frame in bad if frame.cause != "unreachable"), (
            where,
            bad,
        )
        if exchange.method == "Accessibility.getFullAXTree":
            assert [frame.status for frame in bad] == ["missing"], where
        elif exchange.method == "DOM.getDocument" and kind != "nesting":
            assert bad, where
            assert len(snapshot.rows) >= 1
        elif exchange.method in {"DOM.enable", "DOM.disable"}:
            assert bad == [], where
        elif exchange.method == "DOM.getNodesForSubtreeByStyle":
            assert bad == [], where
            assert any("pointer" in note for note in snapshot.report.notes), where


# What does not come from random data


@pytest.mark.parametrize(
    "nested",
    [
        '{"frameTree":' + '{"frame":{"id":"f","loaderId":"l"},"childFrames":[' * 50_000,
        '{"root":' + '{"backendNodeId":1,"nodeType":1,"nodeName":"A","children":[' * 50_000,
        '{"nodes":[{"nodeId":"1","value":{"value":' + "[" * 100_000,
        '{"nodes":' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
    ids=["frames", "nodes", "value", "list"],
)
def test_replies_nested_without_end(nested: str) -> None:
    driver = AnyDriver(lambda _: b'{"id":1,"result":' + nested.encode() + b"}")
    capture = run_sync(
        capture_hybrid_snapshot([SessionInfo(None, FrameId("f"))], Ordinals()), driver, Deadline.after(60)
    )
    with pytest.raises(HybridsnapError):
        build_snapshot(capture, transport="any", elapsed_ms=1.0)
    driver.check_clean()


def test_a_driver_that_knows_no_frame_and_a_browser_that_says_none() -> None:
    driver = AnyDriver(lambda command: refused(command.method, -32000, "no"))
    capture = run_sync(capture_hybrid_snapshot([SessionInfo(None)], Ordinals()), driver, Deadline.after(60))
    with pytest.raises(HybridsnapError, match="no"):
        build_snapshot(capture, transport="any", elapsed_ms=1.0)


def test_numbers_of_any_size() -> None:
    big = 10**40
    message = json.dumps({"result": {"nodes": [{"nodeId": "1", "backendDOMNodeId": big}]}}).encode()
    assert read_ax_tree(JsonPayload(message)).nodes[0].backend_node_id == big


def test_the_refused_keep_their_words() -> None:
    driver = AnyDriver(lambda command: refused(command.method, -32000, "Not allowed here"))
    capture = run_sync(
        capture_hybrid_snapshot([SessionInfo(None, FrameId("f"))], Ordinals()), driver, Deadline.after(60)
    )
    with pytest.raises(HybridsnapError, match="Not allowed here") as caught:
        build_snapshot(capture, transport="any", elapsed_ms=1.0)
    assert not isinstance(caught.value, CommandRefused)
