"""Keys, chords and key events: the layout's figures, names and aliases, and that nothing stays pressed."""

from __future__ import annotations

import json
import pickle
import string
from typing import TYPE_CHECKING, Any

import pytest
from cdp import input_
from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.act.keyboard import (
    KEYS,
    Chord,
    InputCommand,
    Key,
    key_down,
    key_up,
    parse_chord,
    press_commands,
    type_commands,
)
from hybridsnap.errors import HybridsnapError, UnknownKey
from tests.support.strategies import page_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

_MODIFIERS = [
    "ControlLeft",
    "ControlRight",
    "ShiftLeft",
    "ShiftRight",
    "AltLeft",
    "AltRight",
    "MetaLeft",
    "MetaRight",
]
_BITS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}


def codes(chord: Chord) -> list[str]:
    return [key.code for key in (*chord.modifiers, chord.key)]


def brief(commands: Iterable[InputCommand]) -> list[str]:
    """``down KeyA 8 A``: what happens, to which key, the modifiers, the text."""
    lines = []
    for command in commands:
        params = command.params
        if command.method == "Input.insertText":
            lines.append(f"insert {params['text']}")
            continue
        kind = {"keyDown": "down", "rawKeyDown": "down", "keyUp": "up"}[params["type"]]
        assert (params["type"] == "keyDown") == ("text" in params)
        text = f" {params['text']!r}" if "text" in params else ""
        lines.append(f"{kind} {params['code']} {params['modifiers']}{text}")
    return lines


@pytest.mark.parametrize(
    ("code", "key", "key_code", "location", "text", "shifted"),
    [
        ("KeyA", "a", 65, 0, "a", "A"),
        ("KeyZ", "z", 90, 0, "z", "Z"),
        ("Digit0", "0", 48, 0, "0", ")"),
        ("Digit2", "2", 50, 0, "2", "@"),
        ("Digit9", "9", 57, 0, "9", "("),
        ("Semicolon", ";", 186, 0, ";", ":"),
        ("Equal", "=", 187, 0, "=", "+"),
        ("Quote", "'", 222, 0, "'", '"'),
        ("Backslash", "\\", 220, 0, "\\", "|"),
        ("Space", " ", 32, 0, " ", ""),
        ("Enter", "Enter", 13, 0, "\r", ""),
        ("Tab", "Tab", 9, 0, "", ""),
        ("Backspace", "Backspace", 8, 0, "", ""),
        ("Delete", "Delete", 46, 0, "", ""),
        ("Escape", "Escape", 27, 0, "", ""),
        ("ArrowDown", "ArrowDown", 40, 0, "", ""),
        ("F1", "F1", 112, 0, "", ""),
        ("F24", "F24", 135, 0, "", ""),
        ("ShiftLeft", "Shift", 16, 1, "", ""),
        ("ControlRight", "Control", 17, 2, "", ""),
        ("AltLeft", "Alt", 18, 1, "", ""),
        ("MetaRight", "Meta", 92, 2, "", ""),
        ("Numpad7", "7", 103, 3, "7", ""),
        ("NumpadDecimal", ".", 110, 3, ".", ""),
        ("NumpadEnter", "Enter", 13, 3, "\r", ""),
    ],
)
def test_the_layout(code: str, key: str, key_code: int, location: int, text: str, shifted: str) -> None:
    assert KEYS[code] == Key(code, key, key_code, location, text, shifted)


def test_every_printable_ascii_character_has_one_key() -> None:
    entered = [text for key in KEYS.values() if key.location != 3 for text in (key.text, key.shifted)]
    characters = [text for text in entered if text.isprintable() and text]
    assert sorted(characters) == sorted(set(string.printable) - set("\t\n\r\x0b\x0c"))


def test_keys_of_one_side_have_one_code_each() -> None:
    figures = [(key.key_code, key.location) for key in KEYS.values()]
    assert len(set(figures)) == len(figures)
    assert all(key.code == code for code, key in KEYS.items())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ["KeyA"]),
        ("A", ["ShiftLeft", "KeyA"]),
        ("?", ["ShiftLeft", "Slash"]),
        ("Ctrl+a", ["ControlLeft", "KeyA"]),
        ("Control+A", ["ControlLeft", "KeyA"]),
        ("Ctrl+Shift+a", ["ControlLeft", "ShiftLeft", "KeyA"]),
        ("Shift+Ctrl+A", ["ShiftLeft", "ControlLeft", "KeyA"]),
        ("Shift+a", ["ShiftLeft", "KeyA"]),
        ("Shift+A", ["ShiftLeft", "KeyA"]),
        ("ShiftRight+A", ["ShiftRight", "KeyA"]),
        ("Ctrl+?", ["ControlLeft", "ShiftLeft", "Slash"]),
        ("+", ["ShiftLeft", "Equal"]),
        ("plus", ["ShiftLeft", "Equal"]),
        ("Ctrl++", ["ControlLeft", "ShiftLeft", "Equal"]),
        ("Ctrl + +", ["ControlLeft", "ShiftLeft", "Equal"]),
        ("Ctrl+plus", ["ControlLeft", "ShiftLeft", "Equal"]),
        ("Ctrl+-", ["ControlLeft", "Minus"]),
        ("Ctrl+minus", ["ControlLeft", "Minus"]),
        ("cmd+c", ["MetaLeft", "KeyC"]),
        ("Meta+v", ["MetaLeft", "KeyV"]),
        ("option+shift+up", ["AltLeft", "ShiftLeft", "ArrowUp"]),
        ("esc", ["Escape"]),
        ("ESC", ["Escape"]),
        ("return", ["Enter"]),
        ("del", ["Delete"]),
        ("left", ["ArrowLeft"]),
        ("arrow-right", ["ArrowRight"]),
        ("Page Down", ["PageDown"]),
        ("page_up", ["PageUp"]),
        ("space", ["Space"]),
        (" ", ["Space"]),
        ("Ctrl+ ", ["ControlLeft", "Space"]),
        ("Ctrl + a ", ["ControlLeft", "KeyA"]),
        ("\n", ["Enter"]),
        ("\t", ["Tab"]),
        ("f5", ["F5"]),
        ("Enter", ["Enter"]),
        ("NumpadEnter", ["NumpadEnter"]),
        ("numpad5", ["Numpad5"]),
        ("Digit1", ["Digit1"]),
        ("Shift", ["ShiftLeft"]),
        ("Ctrl+Shift", ["ControlLeft", "ShiftLeft"]),
        ("Ctrl+Ctrl+a", ["ControlLeft", "KeyA"]),
        ("ctrl+ctrl", ["ControlLeft"]),
    ],
)
def test_chords(text: str, expected: list[str]) -> None:
    assert codes(parse_chord(text)) == expected


@pytest.mark.parametrize(("mac", "expected"), [(True, "MetaLeft"), (False, "ControlLeft")])
def test_control_or_meta_is_the_platforms(*, mac: bool, expected: str) -> None:
    assert codes(parse_chord("ControlOrMeta+a", mac=mac)) == [expected, "KeyA"]
    assert codes(parse_chord("Ctrl+a", mac=mac)) == ["ControlLeft", "KeyA"]


@pytest.mark.parametrize(
    ("chord", "key", "suggestion"),
    [
        ("Entre", "Entre", "Enter"),
        ("Ctrl+ArowLeft", "ArowLeft", "ArrowLeft"),
        ("Crtl+a", "Crtl", "Control"),
        ("Shfit+a", "Shfit", "Shift"),
        ("ControlMeta+a", "ControlMeta", "ControlOrMeta"),
        ("page dwon", "page dwon", "PageDown"),
        ("ShiftLeftt", "ShiftLeftt", "ShiftLeft"),
    ],
)
def test_an_unknown_key_says_what_comes_near(chord: str, key: str, suggestion: str) -> None:
    with pytest.raises(UnknownKey, match=suggestion) as caught:
        parse_chord(chord)
    error = caught.value
    assert isinstance(error, ValueError)
    assert isinstance(error, HybridsnapError)
    assert (error.chord, error.key) == (chord, key)
    assert error.suggestions[0] == suggestion
    for one in error.suggestions:
        parse_chord(one)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))


@pytest.mark.parametrize(
    ("chord", "key", "message"),
    [
        ("", "", "a key is missing"),
        ("Ctrl+", "", "a key is missing"),
        ("+a", "", "a key is missing"),
        ("Ctrl++a", "", "a key is missing"),
        ("++", "", "a key is missing"),
        ("a+b", "a", "not a modifier"),
        ("Enter+Ctrl", "Enter", "not a modifier"),
        ("é", "é", "enter it as text"),
        ("Ctrl+日", "日", "enter it as text"),
        ("qqqqqq", "qqqqqq", "names of UI Events"),
        ("x" * 101, "x" * 101, "too long"),
    ],
)
def test_what_is_no_chord(chord: str, key: str, message: str) -> None:
    with pytest.raises(UnknownKey, match=message) as caught:
        parse_chord(chord)
    assert caught.value.key == key
    assert caught.value.suggestions == ()


@given(
    page_texts | st.lists(st.sampled_from(["+", " ", "Ctrl", "a", "up", "\n", "é"]), max_size=6).map("".join)
)
def test_any_text_is_a_chord_or_an_unknown_key(text: str) -> None:
    try:
        chord = parse_chord(text)
    except UnknownKey as error:
        assert str(error).isprintable()  # noqa: PT017
    else:
        assert all(key.modifier for key in chord.modifiers)


def test_a_chord_is_pressed_from_the_outside_in() -> None:
    assert brief(press_commands(parse_chord("Ctrl+Shift+a"))) == [
        "down ControlLeft 2",
        "down ShiftLeft 10",
        "down KeyA 10",
        "up KeyA 10",
        "up ShiftLeft 2",
        "up ControlLeft 0",
    ]


def test_the_parameters_of_an_event() -> None:
    down, up = press_commands(parse_chord("a"))
    assert down == InputCommand(
        "Input.dispatchKeyEvent",
        {
            "type": "keyDown",
            "modifiers": 0,
            "key": "a",
            "code": "KeyA",
            "windowsVirtualKeyCode": 65,
            "text": "a",
            "unmodifiedText": "a",
        },
    )
    assert up.params == {
        "type": "keyUp",
        "modifiers": 0,
        "key": "a",
        "code": "KeyA",
        "windowsVirtualKeyCode": 65,
    }


def test_the_side_and_the_number_pad_are_told() -> None:
    assert key_down(KEYS["ShiftRight"]).params["location"] == 2
    assert "isKeypad" not in key_down(KEYS["ShiftRight"]).params
    pad = key_down(KEYS["NumpadEnter"]).params
    assert (pad["isKeypad"], pad["text"]) == (True, "\r")
    assert "location" not in pad
    assert "location" not in key_down(KEYS["KeyA"]).params


@pytest.mark.parametrize(
    ("chord", "text"),
    [
        ("a", "a"),
        ("A", "A"),
        ("Shift+1", "!"),
        ("Enter", "\r"),
        ("Shift+Enter", "\r"),
        ("Ctrl+Enter", None),
        ("Ctrl+a", None),
        ("Alt+a", None),
        ("Meta+Shift+a", None),
        ("Tab", None),
        ("F5", None),
        ("Numpad5", "5"),
    ],
)
def test_only_what_enters_text_has_text(chord: str, text: str | None) -> None:
    parsed = parse_chord(chord)
    [down] = [
        one.params
        for one in press_commands(parsed)
        if one.params["code"] == parsed.key.code and one.params["type"] != "keyUp"
    ]
    assert down.get("text") == down.get("unmodifiedText") == text


def test_a_shifted_key_is_named_by_what_it_enters() -> None:
    named = [one.params["key"] for one in press_commands(parse_chord("Ctrl+?"))]
    assert named == ["Control", "Shift", "?", "?", "Shift", "Control"]


def test_held_keys_are_not_pressed_again_and_stay() -> None:
    held = [KEYS["ShiftRight"]]
    assert brief(press_commands(parse_chord("Shift+a"), held)) == ["down KeyA 8 'A'", "up KeyA 8"]
    assert brief(press_commands(parse_chord("Ctrl+a"), held)) == [
        "down ControlLeft 10",
        "down KeyA 10",
        "up KeyA 10",
        "up ControlLeft 8",
    ]


def test_a_repeated_key_says_so() -> None:
    assert key_down(KEYS["KeyA"], [KEYS["KeyA"]], repeat=True).params["autoRepeat"] is True
    assert "autoRepeat" not in key_down(KEYS["KeyA"]).params


def test_text_is_typed_character_by_character() -> None:
    groups = type_commands("aB é\n\t\r\n+")
    assert [brief(group) for group in groups] == [
        ["down KeyA 0 'a'", "up KeyA 0"],
        ["down ShiftLeft 8", "down KeyB 8 'B'", "up KeyB 8", "up ShiftLeft 0"],
        ["down Space 0 ' '", "up Space 0"],
        ["insert é"],
        ["down Enter 0 '\\r'", "up Enter 0"],
        ["insert \t"],
        ["down Enter 0 '\\r'", "up Enter 0"],
        ["down ShiftLeft 8", "down Equal 8 '+'", "up Equal 8", "up ShiftLeft 0"],
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("日本", ["日", "本"]),
        ("e\u0301", ["e", "\u0301"]),
        ("ệ\u0323x", ["ệ\u0323", "x"]),
        ("👩\u200d👩\u200d👧!", ["👩\u200d👩\u200d👧", "!"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("❤\ufe0f", ["❤\ufe0f"]),
        ("é\u200da", ["é\u200d", "a"]),
        ("\ud83d\ude00", ["😀"]),
        ("a\ud800b", ["a", "\ufffd", "b"]),
        ("\ufeff", ["\ufeff"]),
        ("", []),
    ],
)
def test_what_belongs_together_is_entered_together(text: str, parts: list[str]) -> None:
    assert [entered(group) for group in type_commands(text)] == parts


def entered(commands: Iterable[InputCommand]) -> str:
    """What a text field holds afterwards."""
    return "".join(command.params.get("text", "") for command in commands).replace("\r", "\n")


class Keyboard:
    """What a page knows of the keys, kept as a browser keeps it."""

    def __init__(self, held: Iterable[Key] = ()) -> None:
        self.down = [key.code for key in held]

    def take(self, command: InputCommand) -> None:
        params = command.params
        if command.method == "Input.insertText":
            return
        if params["type"] == "keyUp":
            self.down.remove(params["code"])
        elif params["code"] not in self.down:
            self.down.append(params["code"])
        else:
            assert params["autoRepeat"]
        bits = 0
        for code in self.down:
            bits |= _BITS.get(KEYS[code].key, 0)
        assert params["modifiers"] == bits


@given(page_texts)
def test_typing_enters_the_text_and_holds_nothing(text: str) -> None:
    sound = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    groups = type_commands(text)
    assert "".join(entered(group) for group in groups) == sound.replace("\r\n", "\n").replace("\r", "\n")
    for group in groups:
        keyboard = Keyboard()
        for command in group:
            keyboard.take(command)
        assert keyboard.down == []
    json.dumps([command.params for group in groups for command in group]).encode()


_KEYS = st.sampled_from(list(KEYS.values()))
_CHORDS = st.builds(
    Chord,
    st.lists(st.sampled_from([KEYS[code] for code in _MODIFIERS]), unique=True, max_size=4).map(tuple),
    _KEYS,
).filter(lambda chord: chord.key not in chord.modifiers)


@given(_CHORDS)
def test_names_lead_back_to_their_chord(chord: Chord) -> None:
    names = "+".join(codes(chord))
    assert parse_chord(names) == chord


@given(_CHORDS)
def test_the_events_are_what_the_protocol_takes(chord: Chord) -> None:
    for command in press_commands(chord):
        sent = next(input_.dispatch_key_event(**snake(command.params)))
        assert sent == {"method": command.method, "params": command.params}
    [[insert]] = type_commands("é")
    assert next(input_.insert_text(**insert.params)) == {"method": insert.method, "params": insert.params}


def snake(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters as PyCDP names them."""
    names = {
        "type": "type_",
        "windowsVirtualKeyCode": "windows_virtual_key_code",
        "unmodifiedText": "unmodified_text",
        "isKeypad": "is_keypad",
        "autoRepeat": "auto_repeat",
    }
    return {names.get(name, name): value for name, value in params.items()}


def test_a_key_goes_up_with_what_stays_down() -> None:
    assert brief([key_up(KEYS["KeyA"], [KEYS["AltLeft"]])]) == ["up KeyA 1"]
