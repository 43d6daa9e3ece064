"""New documents are guarded where the session may hear of the page's dialogs, and only there."""

from __future__ import annotations

from typing import Any

import pytest

from hybridsnap.act.aiming import Aim
from hybridsnap.act.element import Element
from hybridsnap.act.newcomers import Newcomers
from hybridsnap.capture.frames import Ordinals, SessionInfo
from hybridsnap.capture.locating import Locator, Place
from hybridsnap.drivers.base import refused
from hybridsnap.model import BackendNodeId, ElementId, FrameId, SessionId
from hybridsnap.protocol.plan import Answer, Failure, Outcome
from hybridsnap.protocol.replies import CallResult, RemoteObject

_REFUSED: Outcome[Any] = Failure(refused("Browser.getVersion", -32601, "wasn't found"), 0.0, 9.0)


def commands_for(*outcomes: Outcome[Any], bare: bool) -> list[tuple[str, SessionId | None]]:
    """What is sent to a page with a frame in another process, once its clock and product are known."""
    names = SessionId("page"), SessionId("frame")
    locator = Locator([SessionInfo(one, bare=bare) for one in names], Ordinals())
    place = Place(1, FrameId("f"), BackendNodeId(2), "object")
    newcomers = Newcomers(locator, Element(ElementId("1-2"), place, "button", "Go"))
    clock = Answer(CallResult(RemoteObject("number", value=1e12)), 0.0, 9.0)
    assert len(newcomers.asking()) == 1 + len(outcomes)
    newcomers.note([clock, *outcomes], Aim(action="click"))
    return [(one.method, one.session) for one in newcomers.arming()]


_SCRIPTS = [("Page.addScriptToEvaluateOnNewDocument", one) for one in ("page", "frame")]


def test_on_the_drivers_own_session() -> None:
    assert commands_for(bare=False) == _SCRIPTS


def test_on_a_bare_session() -> None:
    chrome = Answer("Chrome/156.0.8078.79", 0.0, 9.0)
    assert commands_for(chrome, bare=True) == [("Page.enable", "page"), ("Page.enable", "frame"), *_SCRIPTS]


@pytest.mark.parametrize("product", [Answer("HeadlessChrome/156.0.8078.79", 0.0, 9.0), _REFUSED])
def test_where_a_dialog_might_be_cancelled_with_the_session(product: Outcome[Any]) -> None:
    assert commands_for(product, bare=True) == []
