"""What has been shown is remembered: the newest of each id, each snapshot for a while, and not too much."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from hybridsnap.act import element_history as history_module
from hybridsnap.act import history_store
from hybridsnap.act.element_history import ElementHistory
from hybridsnap.act.history_store import HistoryStore, place_of
from hybridsnap.act.identity import Identity, is_same
from hybridsnap.capture import frames as frames_module
from hybridsnap.capture.frames import Ordinals
from hybridsnap.errors import UnknownElement
from hybridsnap.model import BackendNodeId, ElementId, FrameId, FrameReport, LoaderId, Report, Row, TargetId
from hybridsnap.render.content import Content
from hybridsnap.render.role import Ref, number_refs

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBERS = itertools.count(1)


def row(id_: str | None, name: str, role: str = "button", depth: int = 1) -> Row:
    ordinal = 0 if id_ is None else int(id_.partition("-")[0])
    return Row(None if id_ is None else ElementId(id_), depth, role, name, "", "", (), "", ordinal)


def content(
    rows: Sequence[Row], loaders: Sequence[str] = ("L",), *, name: str = "", extra: Sequence[str] = ()
) -> Content:
    """A snapshot's content; frame ``F0``, ``F1`` … holds the document that is given for it."""
    snapshot_id = name or f"snapshot {next(_NUMBERS)}"
    frames = tuple(
        FrameReport(
            FrameId(f"F{at}"), at, "", None, None, LoaderId(loader), "captured", None, 1, 1, elapsed_ms=0.0
        )
        for at, loader in enumerate(loaders)
    )
    report = Report(
        complete=True,
        consistent=True,
        url="",
        title="",
        elapsed_ms=0.0,
        transport="test",
        snapshot_id=snapshot_id,
        frames=frames,
        notes=(),
    )
    ids = [*(one.id for one in rows if one.id is not None), *map(ElementId, extra)]
    return Content(rows, dict.fromkeys(ids, "/x"), {}, report, None, None)


def shown(
    history: ElementHistory, id_: str, as_of: str | None = None
) -> tuple[str | None, str, str, str | None]:
    found = history.look_up(ElementId(id_), as_of=as_of)
    assert found.id == id_
    assert found.backend_node_id == int(id_.partition("-")[2])
    return found.role, found.name, found.loader, found.snapshot_id


def test_the_newest_showing_counts() -> None:
    history = ElementHistory()
    history.show(content([row("0-1", "Buy"), row("0-2", "Sell"), row(None, "·")], name="a"))
    history.show(content([row("0-1", "Bought")], name="b"))
    assert shown(history, "0-1") == ("button", "Bought", "L", "b")
    assert shown(history, "0-1", "a") == ("button", "Buy", "L", "a")
    assert shown(history, "0-2") == ("button", "Sell", "L", "a")
    with pytest.raises(UnknownElement, match="snapshot b has not shown 0-2"):
        history.look_up(ElementId("0-2"), as_of="b")
    with pytest.raises(UnknownElement, match="none of this page's"):
        history.look_up(ElementId("0-2"), as_of="c")
    with pytest.raises(UnknownElement, match="no known snapshot of this page has shown 0-3"):
        history.look_up(ElementId("0-3"))


def test_frames_have_documents_of_their_own() -> None:
    history = ElementHistory()
    history.show(content([row("0-5", "Main"), row("1-5", "Frame")], ("L", "M"), name="a"))
    history.show(content([row("0-5", "Main"), row("1-6", "Other")], ("L", "N"), name="b"))
    assert shown(history, "0-5") == ("button", "Main", "L", "b")
    assert shown(history, "1-5") == ("button", "Frame", "M", "a")
    assert shown(history, "1-6") == ("button", "Other", "N", "b")
    assert history.look_up(ElementId("1-6")).frame == "F1"


def test_what_a_row_said_goes_before_what_a_map_holds() -> None:
    """An id that was read as a row of one document may be some node of the next: the reader means the row."""
    history = ElementHistory()
    history.show(content([row("0-5", "Buy")], ("L",), name="a"))
    history.show(content([row("0-9", "Other")], ("M",), name="b", extra=("0-5", "0-6")))
    assert shown(history, "0-5") == ("button", "Buy", "L", "a")
    assert shown(history, "0-6") == (None, "", "M", "b")
    assert shown(history, "0-5", "b") == (None, "", "M", "b")


def test_single_elements_are_shown_too() -> None:
    history = ElementHistory()
    history.show(content([row("0-1", "Buy")], name="a"))
    history.show_single(ElementId("0-1"), FrameId("F0"), LoaderId("L"), "button", "Sell")
    history.show_single(ElementId("0-7"), FrameId("F0"), LoaderId("L"), "link", "New")
    assert shown(history, "0-1") == ("button", "Sell", "L", None)
    assert shown(history, "0-7") == ("link", "New", "L", None)
    assert shown(history, "0-1", "a") == ("button", "Buy", "L", "a")
    history.show(content([row("0-1", "Buy again")], name="b"))
    assert shown(history, "0-1") == ("button", "Buy again", "L", "b")


def test_a_row_that_was_not_printed_is_what_it_was_shown_as_before() -> None:
    history = ElementHistory()
    history.show(content([row("0-1", "Buy"), row("0-2", "Sell")], name="a"))
    history.show(content([row("0-1", "Bought"), row("0-2", "Sell"), row("0-3", "New")], name="b"))
    history.note_printed("b", ())
    assert shown(history, "0-1") == ("button", "Buy", "L", "a")
    # What is as it was, or had not been shown before, is known as it is now.
    assert shown(history, "0-2")[3] == shown(history, "0-3")[3] == "b"
    assert shown(history, "0-1", "b") == ("button", "Bought", "L", "b")
    history.show(content([row("0-1", "Bought")], name="c"))
    history.note_printed("c", ())
    assert shown(history, "0-1") == ("button", "Buy", "L", "a")
    history.note_printed("c", [ElementId("0-1")])
    assert shown(history, "0-1") == ("button", "Bought", "L", "c")
    history.note_printed("forgotten", ())


def test_a_row_stays_what_it_was_shown_as_when_its_snapshot_is_folded() -> None:
    history = ElementHistory()
    history.show(content([row("0-1", "Buy"), row("0-2", "Cut")], name="a"))
    history.show_single(ElementId("0-2"), FrameId("F0"), LoaderId("L"), "button", "Sell")
    history.show(content([row("0-1", "Bought"), row("0-2", "Sold")], name="b"))
    history.note_printed("b", ())
    for _ in range(40):
        history.show(content([row("0-9", "Else")]))
    assert shown(history, "0-1") == ("button", "Buy", "L", "a")
    assert shown(history, "0-2")[1] == "Sell"
    # In the next document the same id is another element, which was never printed.
    history.show(content([row("0-1", "Other")], ["M"], name="c"))
    history.note_printed("c", ())
    assert shown(history, "0-1") == ("button", "Buy", "L", "a")


def test_many_snapshots_are_folded_and_nothing_is_lost() -> None:
    history = ElementHistory()
    history.show(content([row("0-1", "First"), row("0-2", "Old")], name="first"))
    history.show_single(ElementId("0-2"), FrameId("F0"), LoaderId("L"), "button", "New")
    for number in range(history_module._SNAPSHOTS + 5):
        history.show(content([row("0-3", f"Round {number}")], name=f"round {number}"))
    assert shown(history, "0-1") == ("button", "First", "L", "first")
    assert shown(history, "0-2") == ("button", "New", "L", None)
    assert shown(history, "0-3")[1] == f"Round {history_module._SNAPSHOTS + 4}"
    with pytest.raises(UnknownElement, match="snapshot first is too old to tell"):
        history.look_up(ElementId("0-1"), as_of="first")
    assert [one.name for one in history.rows_around(history.look_up(ElementId("0-1")))][:2] == [
        "First",
        "Old",
    ]


def test_large_snapshots_are_folded_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "_ROWS", 30)
    history = ElementHistory()
    for number in range(6):
        history.show(
            content([row(f"0-{at + 1}", f"{number}") for at in range(number * 10, number * 10 + 20)], ("L",))
        )
    assert len(history._showings) == 3
    folded = sum(len(one.folded) for one in history._documents.values())
    assert folded == 30
    assert shown(history, "0-70")[1] == "5"
    with pytest.raises(UnknownElement):
        history.look_up(ElementId("0-1"))  # of all that was pushed out it was the oldest


def test_a_frame_s_last_documents_are_kept() -> None:
    history = ElementHistory()
    for number in range(8):
        history.show(content([row(f"0-{number + 1}", "x")], (f"L{number}",)))
    for _ in range(history_module._SNAPSHOTS):
        history.show(content([row("0-20", "x")], ("L7",)))
    assert shown(history, "0-8")[2] == "L7"
    assert shown(history, "0-4")[2] == "L3"
    with pytest.raises(UnknownElement):
        history.look_up(ElementId("0-1"))


def test_refs() -> None:
    history = ElementHistory()
    old = content([row("0-1", "Buy"), row("0-2", "Sell")], name="a")
    new = content([row("0-2", "Sell")], name="b")
    for one in (old, new):
        history.show(one)
        history.note_refs(one.report, number_refs(one.rows))
    found = history.look_up_ref("e1")
    assert (found.id, found.role, found.name, found.snapshot_id) == ("0-2", "button", "Sell", "b")
    assert history.look_up_ref("e1", as_of="a").id == "0-1"
    assert history.look_up_ref("e2").id == "0-2"
    for ref, as_of in (("e3", None), ("e2", "b"), ("e1", "c")):
        with pytest.raises(UnknownElement, match=f"has given the ref {ref}"):
            history.look_up_ref(ref, as_of=as_of)
    history.show_single(ElementId("0-2"), FrameId("F0"), LoaderId("L"), "button", "Sold")
    assert history.look_up_ref("e1").name == "Sold"
    assert history.look_up_ref("e1", as_of="b").name == "Sell"


def test_a_ref_without_a_place() -> None:
    history = ElementHistory()
    one = content([row("0-1", "Buy")])
    lost = Ref("button", "Buy", 0, ElementId("3-1"), BackendNodeId(1), 3)
    history.note_refs(one.report, {"e1": lost})
    with pytest.raises(UnknownElement, match="without an element of its own"):
        history.look_up_ref("e1")


def test_only_the_last_renderings_are_kept() -> None:
    history = ElementHistory()
    many = [content([row("0-1", f"{number}")]) for number in range(history_module._RENDERINGS + 2)]
    for one in many:
        history.note_refs(one.report, number_refs(one.rows))
        history.note_refs(one.report, number_refs(one.rows))
    assert [one.snapshot_id for one in history._renderings] == [one.report.snapshot_id for one in many[2:]]


def test_numbers_of_frames_are_taken_over() -> None:
    history = ElementHistory()
    history.adopt(content([], ("L", "M", "N")).report)
    assert history.ordinals.by_frame == {"F0": 0, "F1": 1, "F2": 2}
    history.adopt(content([], ("L", "M")).report)
    assert history.frame_of(1) == "F1"
    assert history.frame_of(5) is None
    other = ElementHistory()
    other.ordinals.assign([FrameId("F1")])
    with pytest.raises(ValueError, match="numbers the page's frames otherwise"):
        other.adopt(content([], ("L", "M")).report)


def test_a_number_is_never_given_twice() -> None:
    """A snapshot that was saved late lacks the frames that had gone by then."""
    ordinals = Ordinals({FrameId("main"): 0, FrameId("late"): 7})
    ordinals.assign([FrameId("late"), FrameId("new"), FrameId("newer")])
    assert ordinals.by_frame == {"main": 0, "late": 7, "new": 8, "newer": 9}


def test_of_frames_that_come_and_go_the_last_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that makes frames all the time is open for a week."""
    monkeypatch.setattr(frames_module, "MOST_FRAMES", 10)
    ordinals, stays = Ordinals(), [FrameId("main"), FrameId("stays")]
    for number in range(30):
        ordinals.assign([*stays, FrameId(f"goes {number}")])
        ordinals.note_world(FrameId(f"goes {number}"), number)
    kept = {f"goes {number}": number + 2 for number in range(22, 30)}
    assert ordinals.by_frame == {"main": 0, "stays": 1, **kept}
    assert list(ordinals.worlds) == [f"goes {number}" for number in range(20, 30)]


def test_of_documents_that_no_snapshot_shows_the_last_are_remembered() -> None:
    """Elements are named by selectors only, in frames that come and go."""
    history = ElementHistory()
    for number in range(2 * history_module._DOCUMENTS):
        history.show_single(ElementId(f"{number}-1"), FrameId(f"{number}"), LoaderId("L"), "button", "Go")
    assert len(history._documents) == history_module._DOCUMENTS
    assert shown(history, f"{number}-1")[:2] == ("button", "Go")
    with pytest.raises(UnknownElement):
        shown(history, "0-1")


@pytest.mark.parametrize(
    ("role", "name", "now", "same"),
    [
        ("button", "Buy", Identity("button", "Buy"), True),
        ("button", "Buy\n it", Identity("button", " Buy it"), True),
        ("button", "Buy", Identity("button", "Sell"), False),
        ("button", "Buy", Identity("link", "Buy"), False),
        ("button", "", Identity("button", ""), True),
        ("button", "", Identity("button", "Sell"), False),
        ("generic", "", Identity("none", ""), True),
        ("generic", "", Identity("button", ""), False),
        ("button", "Buy", Identity("", ""), None),
        ("Iframe", "", Identity("", ""), True),
    ],
)
def test_what_counts_as_the_same(role: str, name: str, now: Identity, same: bool | None) -> None:
    assert is_same(role, name, now) is same


def test_the_memory_keeps_what_was_used_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_store, "TARGETS", 2)
    memory = HistoryStore()
    one, two, three = (TargetId(name) for name in ("one", "two", "three"))
    address = "ws://127.0.0.1:9222/devtools/browser/x"
    first, second = memory.recall(address, one), memory.recall(address, two)
    assert memory.recall("ws://localhost:9222/devtools/page/one", one) is first
    memory.recall(address, three)
    assert len(memory) == 2
    assert memory.recall(address, one) is first
    assert memory.recall(address, two) is not second
    memory.forget(address, one)
    assert memory.recall(address, one) is not first


def test_browsers_are_told_apart() -> None:
    places = [
        "ws://127.0.0.1:9222/devtools/browser/x",
        "ws://127.0.0.1:9223/devtools/browser/x",
        "wss://farm.test/devtools/browser/x?token=1",
        "pipe 1",
        "pipe 2",
        "ws://[broken",
    ]
    assert len({place_of(one) for one in places}) == len(places)
