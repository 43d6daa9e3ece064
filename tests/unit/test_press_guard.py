"""New documents are guarded in every session: for good, or for the time of the press; where that can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap.act.element import Element
from hybridsnap.act.hit_target import HitRequest
from hybridsnap.act.press_guard import PressGuard
from hybridsnap.capture.frames import Ordinals, SessionInfo
from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
from hybridsnap.drivers.base import refused
from hybridsnap.model import BackendNodeId, ElementId, FrameId, SessionId
from hybridsnap.protocol.plan import Failure, Outcome, Reply
from hybridsnap.protocol.replies import CallResult, Frame, RemoteObject

if TYPE_CHECKING:
    from hybridsnap.protocol.plan import Command, Plan

_REFUSED: Outcome[Any] = Failure(refused("Browser.getVersion", -32601, "wasn't found"), 0.0, 9.0)
_FRAME = FrameId("f")


def commands_for(
    *products: Outcome[Any], bare: bool = False, guards_new_documents: bool = False
) -> list[tuple[str, SessionId | None]]:
    """What is sent to a page with a frame in another process before a point of it is looked for."""
    names = SessionId("page"), SessionId("frame")
    sessions = [
        SessionInfo(one, _FRAME, bare=bare, guards_new_documents=guards_new_documents) for one in names
    ]
    resolver = NodeResolver(sessions, Ordinals())
    for number in range(2):
        resolver.trees[number] = [Frame(id=_FRAME, loader_id="l", url="")]  # type: ignore[arg-type]
    place = NodeRef(1, _FRAME, BackendNodeId(2), "object")
    guard = PressGuard(resolver, Element(ElementId("1-2"), place, "button", "Go"), HitRequest(action="click"))
    preparing = guard.prepare()
    try:
        asked = next(preparing)
        assert [one.method for one in asked.commands] == ["Browser.getVersion"] * len(products)
        preparing.send([*enumerate(products)])
    except StopIteration:
        pass
    sent = [(one.method, one.session) for one in next(guard.aim()).commands]
    return [one for one in sent if one[0].startswith("Page.")]


_SCRIPTS = [("Page.addScriptToEvaluateOnNewDocument", one) for one in ("page", "frame")]
_ENABLES = [("Page.enable", one) for one in ("page", "frame")]


def test_on_the_drivers_own_session() -> None:
    assert commands_for() == _SCRIPTS


def test_on_a_clients_session() -> None:
    assert commands_for(guards_new_documents=True) == []


def test_on_a_bare_session() -> None:
    chrome = Reply("Chrome/156.0.8078.79", 0.0, 9.0)
    assert commands_for(chrome, bare=True) == _ENABLES + _SCRIPTS


@pytest.mark.parametrize("product", [Reply("HeadlessChrome/156.0.8078.79", 0.0, 9.0), _REFUSED])
def test_where_a_dialog_might_be_cancelled_with_the_session(product: Outcome[Any]) -> None:
    assert commands_for(product, bare=True) == []


def test_a_guard_that_went_while_frames_beside_were_asked_is_put_up_anew() -> None:
    """Its document may have gone in that time, and the press would be for what has come in its place."""
    resolver = NodeResolver([SessionInfo(None, _FRAME, guards_new_documents=True)], Ordinals())
    resolver.trees[0] = [
        Frame(id=_FRAME, loader_id="l", url=""),  # type: ignore[arg-type]
        Frame(id=FrameId("beside"), parent_id=_FRAME, loader_id="l", url=""),  # type: ignore[arg-type]
    ]
    element = Element(ElementId("0-2"), NodeRef(0, _FRAME, BackendNodeId(2), "object"), "button", "Go")
    guard = PressGuard(resolver, element, HitRequest(action="click", guarded=True))
    stands = iter([False, True])
    keys: list[str] = []

    def answer(command: Command[Any]) -> Any:
        if command.method == "Page.createIsolatedWorld":
            return 7
        source, given = command.params["functionDeclaration"], command.params["arguments"]
        if "clock: performance.timeOrigin" in source:
            keys.append(given[0]["value"]["key"])
            return CallResult(RemoteObject(value={"reason": "", "points": [[5, 5]]}))
        if source.startswith("function (key) {") and "?.has(key)" in source:
            return CallResult(RemoteObject(value=next(stands)))
        if "unlessStray" in source.partition("\n")[0]:
            return CallResult(RemoteObject(value={"reached": 0, "arrived": 0, "stray": False}))
        return CallResult(RemoteObject(value=False))

    def run(plan: Plan[Any]) -> Any:
        arrived: list[tuple[int, Outcome[Any]]] | None = None
        while True:
            try:
                asked = next(plan) if arrived is None else plan.send(arrived)
            except StopIteration as stop:
                return stop.value
            replies = (Reply(answer(one), 0.0, 9.0) for one in asked.commands)
            arrived = list(enumerate(replies, asked.first))

    run(guard.prepare())
    sight = run(guard.aim())
    assert len(keys) == 2
    assert sight.key == keys[1]
    assert next(stands, None) is None
