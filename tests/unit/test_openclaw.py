"""How OpenClaw's requests are read: values, actions and their budgets, names of tabs, errors, marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridsnap import errors
from hybridsnap.client.har import timestamp
from hybridsnap.model import BackendNodeId, ElementId, LoaderId
from hybridsnap.render.role import Ref
from hybridsnap.server.openclaw import fields
from hybridsnap.server.openclaw.acts import parse_act
from hybridsnap.server.openclaw.media import Media
from hybridsnap.server.openclaw.news import News, length_of_marks, mark_new, shown_refs
from hybridsnap.server.openclaw.refusals import present
from hybridsnap.server.openclaw.tab_names import TabNames
from hybridsnap.service.errors import ApiError
from hybridsnap.service.problems import problem_of


@pytest.mark.parametrize(
    ("field", "given", "expected"),
    [
        (fields.text("a"), " x ", "x"),
        (fields.text("a"), 12, "12"),
        (fields.text("a"), True, "true"),
        (fields.text("a"), "  ", None),
        (fields.text("a"), ["x"], None),
        (fields.exact("a"), " x ", " x "),
        (fields.exact("a"), 3, None),
        (fields.boolean("a"), "YES", True),
        (fields.boolean("a"), 0, False),
        (fields.boolean("a"), "maybe", None),
        (fields.whole("a"), "12", 12),
        (fields.whole("a"), "", None),
        (fields.positive("a"), 3, 3),
        (fields.number("a"), "-1.5", -1.5),
        (fields.texts("a"), ["x", 2, "", None], ["x", "2"]),
        (fields.texts("a"), [], None),
        (fields.mapping("a"), [1], None),
        (fields.listing("a"), {"b": 1}, None),
    ],
)
def test_values_are_read_leniently(field: fields.Field, given: Any, expected: Any) -> None:
    assert fields.read_fields([field], {"a": given, "unknown": 1}) == {"a": expected}


@pytest.mark.parametrize(
    ("field", "given"),
    [
        (fields.whole("a"), -1),
        (fields.whole("a"), 1.5),
        (fields.whole("a"), "9" * 20),
        (fields.whole("a"), True),
        (fields.positive("a"), 0),
        (fields.positive("a"), "soon"),
        (fields.number("a"), "1e999"),
        (fields.number("a"), float("inf")),
        (fields.text("a", "a word", required=True), None),
    ],
)
def test_values_that_mean_nothing_are_refused(field: fields.Field, given: Any) -> None:
    with pytest.raises(ApiError, match=r"^a\b"):
        fields.read_fields([field], {"a": given})


def steps(**data: Any) -> list[dict[str, Any]]:
    return [one.data for one in parse_act(data).steps]


def test_actions_stand_for_ours() -> None:
    on: dict[str, Any] = {"element": "e3", "wait": 8.0}
    assert steps(kind="hover", ref="3") == [{"action": "hover", **on}]
    assert steps(kind="click", ref="e3", doubleClick=True, delayMs=20) == [
        {"action": "hover", **on},
        {"action": "wait_for", "time": 0.02},
        {"action": "click", **on, "modifiers": [], "button": "left", "count": 2},
    ]
    typed = steps(kind="type", ref="e3", text="ab", slowly=True, submit="true")
    assert [one["action"] for one in typed] == ["click", "type", "press"]
    assert steps(kind="type", ref="e3", text="") == [{"action": "clear", **on}]
    filled = steps(kind="fill", fields=[{"ref": "e3", "type": "radio"}, {"ref": 3, "value": 2}])
    assert filled == [{"action": "uncheck", **on}, {"action": "fill", **on, "value": "2"}]
    assert steps(kind="press", key="ctrl+a") == [{"action": "press", "chord": "Control+a"}]
    held = steps(kind="press", key="Shift+a", delayMs=10)
    assert [one["action"] for one in held] == ["key_down", "key_down", "wait_for", "key_up", "key_up"]
    assert steps(kind="press", key=" ") == [{"action": "press", "chord": "Space"}]
    # One condition after the other.
    waits = steps(kind="wait", timeMs=5, text="a", url="**/b", loadState="never", fn="1")
    assert [list(one)[1] for one in waits] == ["time", "text", "url", "function"]
    assert steps(kind="hover", selector="12") == [{"action": "hover", "element": "12", "wait": 8.0}]


@pytest.mark.parametrize(
    ("data", "seconds"),
    [
        ({"kind": "hover", "ref": "e1"}, 8),
        ({"kind": "hover", "ref": "e1", "timeoutMs": 1}, 0.5),
        ({"kind": "hover", "ref": "e1", "timeoutMs": 90_000}, 60),
        ({"kind": "scrollIntoView", "ref": "e1"}, 20),
        ({"kind": "wait", "text": "a", "timeMs": 1000}, 21),
        ({"kind": "wait", "text": "a", "url": "b", "timeoutMs": 500_000}, 240),
        ({"kind": "evaluate", "fn": "1", "timeoutMs": 700}, 0.7),
        ({"kind": "fill", "fields": [{"ref": "e1"}, {"ref": "e2"}]}, 16),
        ({"kind": "batch", "actions": [{"kind": "hover", "ref": "e1"}, {"kind": "close"}]}, 8),
    ],
)
def test_budgets_are_those_of_all_steps(data: dict[str, Any], seconds: float) -> None:
    assert parse_act(data).seconds == seconds


def test_batches_nest_five_deep() -> None:
    batch: dict[str, Any] = {"kind": "close"}
    for _ in range(6):
        batch = {"kind": "batch", "actions": [batch]}
    assert parse_act(batch).stop_on_error
    with pytest.raises(ApiError, match="levels"):
        parse_act({"kind": "batch", "actions": [batch]})


def test_tabs_have_short_names() -> None:
    names = TabNames()
    names.update(["AA1", "AB2"])
    names.label("AB2", "shop")
    assert names.of("AA1") == {"suggestedTargetId": "t1", "tabId": "t1"}
    assert names.of("AB2") == {"suggestedTargetId": "shop", "tabId": "t2", "label": "shop"}
    assert [names.resolve(one) for one in ("AA1", "t2", "shop", "ab")] == ["AA1", "AB2", "AB2", "AB2"]
    for wrong, status in (("A", 409), ("t3", 404), ("Shop", 404)):
        with pytest.raises(ApiError) as refused:
            names.resolve(wrong)
        assert refused.value.status == status
    names.label("AA1", "shop")  # which is another's no longer
    assert names.resolve("shop") == "AA1"
    names.use("AB2")
    names.update(["AB2", "AC3"])
    assert names.of("AC3")["tabId"] == "t3", "a number is not given twice"
    lasts = []
    for closed in ("AA1", "AB2"):
        names.closed(closed)
        lasts.append(names.last)
    assert lasts == ["AB2", None]
    with pytest.raises(ApiError, match="label"):
        names.label("AB2", "a b")


@pytest.mark.parametrize(
    ("path", "error", "status", "beside"),
    [
        ("/act", ApiError(400, "BadRequest", "x"), 400, {"code": "ACT_INVALID_REQUEST"}),
        ("/tabs", ApiError(400, "BadRequest", "x"), 400, {}),
        ("/act", ApiError(403, "EvaluateOff", "x"), 403, {"code": "ACT_EVALUATE_DISABLED"}),
        ("/navigate", ApiError(403, "AddressRefused", "x"), 400, {"reason": "navigation_blocked"}),
        ("/act", ApiError(503, "QueueFull", "x"), 503, {}),
        ("/act", ValueError("x"), 400, {"code": "ACT_INVALID_REQUEST"}),
        ("/act", errors.SelectorError("x", selector="a"), 500, {"code": "ACT_OPERATION_FAILED"}),
        ("/act", errors.WaitTimeout("x", missing=()), 500, {}),
        ("/pdf", errors.TargetError("no tab"), 404, {}),
        ("/pdf", errors.TargetError("several tabs"), 409, {}),
        ("/pdf", errors.TargetDetached("x"), 404, {}),
        ("/pdf", errors.ConnectionLost("x"), 503, {}),
        ("/pdf", errors.DeadlineExceeded("x"), 500, {}),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Exception) else None,
)
def test_errors_have_their_shape(path: str, error: Exception, status: int, beside: dict[str, str]) -> None:
    problem = problem_of(error)
    assert problem is not None
    shown = present(path, error, problem)
    assert shown.status == status
    assert shown.headers["content-type"] == "application/json"
    told = shown.body.pop("error")
    assert isinstance(told, str)
    assert shown.body == beside


def ref(name: str, nth: int = 0) -> Ref:
    return Ref("button", name, nth, ElementId("0-1"), BackendNodeId(1), 0)


def test_new_elements_are_marked() -> None:
    news, loader = News(), LoaderId("L")
    refs = {"e1": ref("Buy"), "e2": ref("Buy", 1)}
    assert news.take("kind", loader, refs) is None
    assert news.take("kind", loader, refs) == frozenset()
    assert news.take("other kind", loader, refs) is None
    assert news.take("kind", loader, {"e1": ref("Buy"), "e2": ref("Sell")}) == frozenset({"e2"})
    assert news.take("kind", LoaderId("M"), refs) is None
    text = '- button "Buy" [ref=e1]\n- button "Sell" [ref=e2]\n- text "ref=e2"'
    assert shown_refs(text) == ["e1", "e2"]
    marked = mark_new(text, frozenset({"e2"}))
    lines = marked.split("\n")
    assert lines[1] == '- button "Sell" [ref=e2] [new]'
    assert lines[-1] == "1 new element(s) since last snapshot"
    assert len(marked) - len(text) <= length_of_marks(frozenset({"e2"}))
    assert mark_new(text, frozenset()) == text
    assert mark_new(text, frozenset({"e9"})) == text
    for number in range(40):
        news.take(number, loader, refs)
    assert news.take("kind", LoaderId("M"), refs) is None, "the oldest kinds are forgotten"


def test_moments_are_written_as_in_javascript() -> None:
    assert timestamp(0) == "1970-01-01T00:00:00.000Z"
    assert timestamp(1_795_000_000.1239) == "2026-11-18T11:06:40.123Z"


async def test_media_is_bounded_and_goes_with_the_server() -> None:
    media = Media()
    paths = [Path(await media.save(b"x", ".png")) for _ in range(102)]
    check_files(paths, [False, False, *[True] * 100])
    media.close()
    check_files(paths, [False] * 102)


def check_files(paths: list[Path], there: list[bool]) -> None:
    assert [path.exists() for path in paths] == there
    folder = paths[0].parent
    assert folder.exists() is any(there)
    assert not folder.exists() or folder.stat().st_mode & 0o077 == 0
