"""Typing, pressing and filling on a scripted page: whatever command fails, nothing stays down or in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hybridsnap.act.choosing import select_option
from hybridsnap.act.element import Element
from hybridsnap.act.files import set_input_files
from hybridsnap.act.focusing import DIALOG_NOTE, Done, focus_element
from hybridsnap.act.forms import fill, fill_form
from hybridsnap.act.keyboard import Key, modifier_bits, parse_chord, press_commands
from hybridsnap.act.text_entry import key_commands, key_down, key_up, press_chord, type_text
from hybridsnap.capture.frames import Ordinals, SessionInfo
from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
from hybridsnap.drivers.base import refused, unanswered
from hybridsnap.errors import HybridsnapError, NotInteractable
from hybridsnap.model import BackendNodeId, ElementId, FrameId, SessionId
from tests.support.fake_browser import ScriptedDriver

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hybridsnap.protocol.plan import Command, Plan

_ROOT, _FRAME = SessionId("root"), SessionId("frame")
_PLACE = NodeRef(1, FrameId("f"), BackendNodeId(7), "handle")
#: How long the key of a guard is.
_KEY = 32
_FIELD = Element(ElementId("1-7"), _PLACE, "textbox", "Name")


class Field(ScriptedDriver):
    """A text field in a frame of another process. Nothing of the script runs; it says what it is told to.

    Attributes:
        down: codes of the keys that are down.
        guarded: keys of the guards that stand.
        text: what was inserted.
        fails: the n-th command, and what comes of it.
    """

    def __init__(self, fails: tuple[int, HybridsnapError] | None = None, **began: Any) -> None:
        super().__init__(
            {
                "Page.createIsolatedWorld": {"executionContextId": 3},
                "Runtime.callFunctionOn": self._called,
                "Runtime.releaseObjectGroup": {},
                "Input.dispatchKeyEvent": self._key,
                "Input.insertText": self._inserted,
                "DOM.setFileInputFiles": {},
            }
        )
        self.began = {
            "kind": "text",
            "opens": False,
            "empty": False,
            "changes": True,
            "hides": False,
            "kept": True,
            "invalid": "",
            **began,
        }
        self.ended: dict[str, Any] = {"stray": 0, "cut": None, "same": True, "invalid": ""}
        self.holds = True
        self.down: list[str] = []
        self.guarded = set[str]()
        self.text = ""
        self.fails = fails

    def execute(self, command: Command[Any], deadline: Any) -> Any:
        payload = super().execute(command, deadline)
        if self.fails is not None and len(self.sent) == self.fails[0]:
            raise self.fails[1]  # it was done, and the reply is lost
        return payload

    def _called(self, command: Command[Any]) -> dict[str, Any]:
        arguments = [one["value"] for one in command.params["arguments"]]
        assert command.session == _FRAME
        assert command.params["returnByValue"]
        value: Any = self.began
        if "executionContextId" in command.params:
            value = self.holds
            if len(arguments) > 2:
                self.guarded.discard(arguments[0])
                value = self.ended
        elif arguments and len(str(arguments[0])) == _KEY and not self.began.get("refused"):
            self.guarded.add(arguments[0])
        return {"result": {"type": "object", "value": value}}

    def _key(self, command: Command[Any]) -> dict[str, Any]:
        code = command.params["code"]
        if command.params["type"] != "keyUp":
            assert command.session == (_FRAME if self.guarded else _ROOT), "an element's keys go to its frame"
            assert code not in self.down
            self.down.append(code)
        elif code in self.down:
            self.down.remove(code)
        return {}

    def _inserted(self, command: Command[Any]) -> dict[str, Any]:
        assert command.session == (_FRAME if self.guarded else _ROOT)
        self.text += command.params["text"]
        return {}


def resolver() -> NodeResolver:
    return NodeResolver([SessionInfo(_ROOT), SessionInfo(_FRAME, FrameId("f"))], Ordinals())


def typing(**options: Any) -> Plan[Done]:
    return type_text(resolver(), _FIELD, "aB\né", **options)


_PLANS: dict[str, Callable[[], Plan[Any]]] = {
    "type": typing,
    "type by keys": lambda: typing(by_keys=True, submit=True),
    "type anew": lambda: typing(clear=True, submit=True),
    "press on": lambda: press_chord(resolver(), "Ctrl+Shift+a", _FIELD),
    "press": lambda: press_chord(resolver(), "Ctrl+Shift+a"),
    "focus": lambda: focus_element(resolver(), _FIELD),
    "fill": lambda: fill(resolver(), _FIELD, "new"),
    "select": lambda: select_option(resolver(), _FIELD, label="a"),
    "empty": lambda: fill(resolver(), _FIELD, ""),
}


#: Their first command does nothing: a dialog that keeps it from being answered was there before.
_LOOKED_AT_FIRST = {"fill", "empty"}


def outcome(field: Field, plan: Plan[Any]) -> Any:
    try:
        return field.run(plan)
    except HybridsnapError as error:
        return error


@pytest.mark.parametrize("name", _PLANS)
@pytest.mark.parametrize("cause", ["refused", "dialog", "timeout"])
def test_failing_at_every_command(name: str, cause: str) -> None:
    whole = Field(refused="")
    whole.run(_PLANS[name]())
    assert whole.down == []
    assert not whole.guarded
    count = len(whole.sent)
    assert count >= 1
    for number in range(1, count + 1):
        error: HybridsnapError = refused("X", -32000, "Cannot find context with specified id")
        if cause != "refused":
            error = unanswered("X", "dialog" if cause == "dialog" else "timeout")
        field = Field((number, error), refused="")
        came = outcome(field, _PLANS[name]())
        if cause == "timeout":
            assert came is error
        elif cause == "dialog" and not (number == 1 and name in _LOOKED_AT_FIRST):
            assert isinstance(came, Done)
        assert "\n" not in str(came)
        assert field.down == [], (number, field.methods)
        assert not field.guarded, (number, field.methods)


def test_a_dialog_is_said() -> None:
    for number in range(2, 5):
        field = Field((number, unanswered("X", "dialog")))
        assert field.run(typing()).notes == (DIALOG_NOTE,)


def test_round_trips() -> None:
    """So many commands, one after the other, are what a person waits for."""
    calls = "Runtime.callFunctionOn"
    for plan, methods in (
        (type_text(resolver(), _FIELD, "abc"), [calls, "Input.insertText", calls]),
        (focus_element(resolver(), _FIELD), [calls]),
        (select_option(resolver(), _FIELD, index=0), [calls]),
        (press_chord(resolver(), "a"), ["Input.dispatchKeyEvent"] * 2),
        (press_chord(resolver(), "a", _FIELD), [calls, *["Input.dispatchKeyEvent"] * 2, calls]),
        (fill(resolver(), _FIELD, "abc"), [calls, calls, "Input.insertText", calls]),
    ):
        field = Field(refused="")
        field.run(plan)
        assert [one for one in field.methods if one != "Page.createIsolatedWorld"] == methods


def test_the_focus_that_moved_stops_the_keys() -> None:
    field = Field()
    field.holds = False
    with pytest.raises(
        NotInteractable, match="after 1 of 3 characters; no other element has got the rest"
    ) as caught:
        field.run(type_text(resolver(), _FIELD, "abc", by_keys=True))
    assert caught.value.reason == "focus moved"
    assert field.methods.count("Input.dispatchKeyEvent") == 2
    assert not field.guarded
    field = Field()
    field.ended["stray"] = 1
    with pytest.raises(NotInteractable, match="after 0 of 3 characters"):
        field.run(type_text(resolver(), _FIELD, "abc"))


def test_a_page_that_sleeps_is_woken() -> None:
    field = Field(asleep=True)
    asked = []

    def insert(command: Command[Any]) -> dict[str, Any]:
        asked.append(command.params["text"])
        field.began["asleep"] = len(asked) < 3
        return {}

    field.answers["Input.insertText"] = insert
    assert field.run(focus_element(resolver(), _FIELD)) == Done()
    assert asked == [""] * 3
    field.answers["Input.insertText"] = {}
    field.began["asleep"] = True
    with pytest.raises(NotInteractable, match="the page does not get the focus"):
        field.run(focus_element(resolver(), _FIELD))


def test_a_key_owes_its_going_up() -> None:
    commands = key_commands(_ROOT, press_commands(parse_chord("Ctrl+a")))
    assert [one.params["type"] for one in commands] == ["rawKeyDown", "rawKeyDown", "keyUp", "keyUp"]
    assert [one.cleanup for one in commands] == [commands[3], commands[2], None, None]


def test_keys_that_are_held() -> None:
    held: list[Key] = []
    field = Field()
    field.run(key_down(resolver(), "Shift", held))
    field.run(key_down(resolver(), "ControlLeft", held))
    assert modifier_bits(held) == 10
    field.run(press_chord(resolver(), "Ctrl+Shift+x", held=held))
    assert [one.params["code"] for one in field.sent] == ["ShiftLeft", "ControlLeft", "KeyX", "KeyX"]
    assert field.sent[2].params["modifiers"] == 10
    assert field.run(key_up(resolver(), "Alt", held)).notes == ("the key was not down",)
    field.run(key_up(resolver(), "shift", held))
    assert modifier_bits(held) == 2
    # A reply that is lost leaves it held: it may be down.
    field.fails = (len(field.sent) + 1, unanswered("X", "timeout"))
    with pytest.raises(HybridsnapError):
        field.run(key_down(resolver(), "Alt", held))
    assert modifier_bits(held) == 3


def test_the_shape_of_entries_is_checked_before_anything_is_asked() -> None:
    field = Field()

    def resolve(_: str) -> Plan[Element]:
        raise AssertionError("nothing is looked for")

    entries: Any
    for entries in (
        "text",
        {"id": "a", "value": 1},
        5,
        [1],
        [{"id": "a"}],
        [{"id": "a", "value": 1, "b": 2}],
    ):
        with pytest.raises((TypeError, ValueError)):
            field.run(fill_form(resolver(), resolve, entries))
    assert field.sent == []


def test_paths_are_checked_before_anything_is_asked(tmp_path: Path) -> None:
    field = Field()
    with pytest.raises(ValueError, match="there is no file"):
        field.run(set_input_files(resolver(), _FIELD, tmp_path / "none"))
    assert field.sent == []
    (tmp_path / "a").write_text("a")
    field.began |= {"kind": "file", "refused": "", "multiple": False, "directory": False}
    field.run(set_input_files(resolver(), _FIELD, [tmp_path / "a"]))
    assert field.sent[-1].params == {"files": [str(tmp_path / "a")], "objectId": _PLACE.object_id}
    assert field.sent[-1].session == _FRAME
