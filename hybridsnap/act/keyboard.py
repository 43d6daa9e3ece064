"""The keys of a US keyboard, chords of them, and the commands that press them. Nothing is sent here.

::

    chord = parse_chord("Ctrl+Shift+a")     # names, aliases, characters; UnknownKey says what comes near
    press_commands(chord)                   # modifiers down, key down, key up, modifiers up
    type_commands("Größe 1")                # a group for each character: key events, or Input.insertText

Sources: ``key`` and ``code`` are those of W3C's UI Events (uievents-key, uievents-code) for the US layout;
``key_code`` is the Windows virtual key code (WinUser.h, Chromium's keyboard_codes.h), of which Chromium makes
``KeyboardEvent.keyCode`` and by which it knows its own shortcuts. Shift, Control and Alt have one such code
for both sides: the side is ``location``. The number pad is one with NumLock on.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import unicodedata
from typing import TYPE_CHECKING, Any, Literal

from hybridsnap.errors import UnknownKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: `Input.dispatchKeyEvent`'s bit field.
_MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
_SHIFT = _MODIFIERS["Shift"]
#: ``KeyboardEvent.DOM_KEY_LOCATION_*``.
_LEFT, _RIGHT, _NUMPAD = 1, 2, 3
#: No chord is longer; what is longer is not looked at.
_LONGEST = 100


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """One key.

    Attributes:
        code: where it sits: ``KeyA``, ``ShiftLeft``.
        key: what it means: ``a``, ``Shift``.
        key_code: the Windows virtual key code.
        location: 0 standard, 1 left, 2 right, 3 number pad.
        text: what it enters; empty for keys that enter nothing.
        shifted: what it means and enters with Shift; empty where that is the same.
    """

    code: str
    key: str
    key_code: int
    location: int = 0
    text: str = ""
    shifted: str = ""

    @property
    def modifier(self) -> int:
        """Its bit among the modifiers; 0 for other keys."""
        return _MODIFIERS.get(self.key, 0)


def _layout() -> Iterator[Key]:
    """The table. Of two keys that mean the same, the one that a name alone means comes first."""
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        yield Key(f"Key{letter}", letter.lower(), ord(letter), text=letter.lower(), shifted=letter)
    for digit, shifted in zip("0123456789", ")!@#$%^&*(", strict=True):
        yield Key(f"Digit{digit}", digit, ord(digit), text=digit, shifted=shifted)
    for code, key, shifted, key_code in (
        ("Backquote", "`", "~", 192),
        ("Minus", "-", "_", 189),
        ("Equal", "=", "+", 187),
        ("BracketLeft", "[", "{", 219),
        ("BracketRight", "]", "}", 221),
        ("Backslash", "\\", "|", 220),
        ("Semicolon", ";", ":", 186),
        ("Quote", "'", '"', 222),
        ("Comma", ",", "<", 188),
        ("Period", ".", ">", 190),
        ("Slash", "/", "?", 191),
    ):
        yield Key(code, key, key_code, text=key, shifted=shifted)
    yield Key("Space", " ", 32, text=" ")
    # A carriage return, as the key itself gives it: Chromium makes a line break or a submit of it.
    yield Key("Enter", "Enter", 13, text="\r")
    for name, key_code in (
        ("Backspace", 8),
        ("Tab", 9),
        ("Pause", 19),
        ("CapsLock", 20),
        ("Escape", 27),
        ("PageUp", 33),
        ("PageDown", 34),
        ("End", 35),
        ("Home", 36),
        ("ArrowLeft", 37),
        ("ArrowUp", 38),
        ("ArrowRight", 39),
        ("ArrowDown", 40),
        ("PrintScreen", 44),
        ("Insert", 45),
        ("Delete", 46),
        ("Help", 47),
        ("ContextMenu", 93),
        ("NumLock", 144),
        ("ScrollLock", 145),
        ("BrowserBack", 166),
        ("BrowserForward", 167),
        ("BrowserRefresh", 168),
        ("BrowserStop", 169),
        ("BrowserSearch", 170),
        ("BrowserFavorites", 171),
        ("BrowserHome", 172),
        ("AudioVolumeMute", 173),
        ("AudioVolumeDown", 174),
        ("AudioVolumeUp", 175),
        ("MediaTrackNext", 176),
        ("MediaTrackPrevious", 177),
        ("MediaStop", 178),
        ("MediaPlayPause", 179),
    ):
        yield Key(name, name, key_code)
    for number in range(1, 25):
        yield Key(f"F{number}", f"F{number}", 111 + number)
    for name, key_code in (("Shift", 16), ("Control", 17), ("Alt", 18)):
        yield Key(f"{name}Left", name, key_code, _LEFT)
        yield Key(f"{name}Right", name, key_code, _RIGHT)
    yield Key("MetaLeft", "Meta", 91, _LEFT)
    yield Key("MetaRight", "Meta", 92, _RIGHT)
    for number in range(10):
        yield Key(f"Numpad{number}", str(number), 96 + number, _NUMPAD, str(number))
    for code, key, key_code in (
        ("NumpadMultiply", "*", 106),
        ("NumpadAdd", "+", 107),
        ("NumpadSubtract", "-", 109),
        ("NumpadDecimal", ".", 110),
        ("NumpadDivide", "/", 111),
    ):
        yield Key(code, key, key_code, _NUMPAD, key)
    yield Key("NumpadEnter", "Enter", 13, _NUMPAD, "\r")


#: Every key by its code.
KEYS = {key.code: key for key in _layout()}

#: What people and other tools call keys, besides their ``code`` and ``key``. Case, blanks, - and _ do not
#: count.
_ALIASES = {
    "esc": "Escape",
    "return": "Enter",
    "del": "Delete",
    "ins": "Insert",
    "bksp": "Backspace",
    "spacebar": "Space",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "pgup": "PageUp",
    "pgdn": "PageDown",
    "caps": "CapsLock",
    "prtsc": "PrintScreen",
    "break": "Pause",
    "menu": "ContextMenu",
    "ctrl": "ControlLeft",
    "ctl": "ControlLeft",
    "cmd": "MetaLeft",
    "command": "MetaLeft",
    "super": "MetaLeft",
    "win": "MetaLeft",
    "windows": "MetaLeft",
    "option": "AltLeft",
    "opt": "AltLeft",
}
#: Names without a key of their own.
_CONTROL_OR_META = "controlormeta"
_PLUS = "plus"


def _names() -> dict[str, Key]:
    """Every name of more than one character, in small letters."""
    names = {key.code.lower(): key for key in KEYS.values()}
    for key in KEYS.values():
        if len(key.key) > 1:
            names.setdefault(key.key.lower(), key)
    return names | {alias: KEYS[code] for alias, code in _ALIASES.items()}


def _characters() -> dict[str, tuple[Key, bool]]:
    """Every character that a key outside the number pad enters: that key, and whether with Shift."""
    characters = {"\n": (KEYS["Enter"], False)}
    for key in KEYS.values():
        if key.text and key.location != _NUMPAD:
            characters[key.text] = (key, False)
            if key.shifted:
                characters[key.shifted] = (key, True)
    return characters


_BY_NAME = _names()
_BY_CHARACTER = _characters()


@dataclasses.dataclass(frozen=True, slots=True)
class Chord:
    """Keys pressed together: the modifiers first, in this order, then the key."""

    modifiers: tuple[Key, ...]
    key: Key


@dataclasses.dataclass(frozen=True, slots=True)
class InputCommand:
    """A command of the Input domain: its method and its parameters, JSON data."""

    method: Literal["Input.dispatchKeyEvent", "Input.insertText"]
    params: dict[str, Any]


def parse_chord(text: str, *, mac: bool = False) -> Chord:
    """The keys that ``Ctrl+Shift+a`` names.

    A key is named by its ``key`` (``Enter``), its ``code`` (``NumpadEnter``), an alias (``esc``, ``return``,
    ``del``, ``ctrl``, ``cmd``, ``up``), or the character it enters. Case counts for characters only. The plus
    sign is itself at the end (``+``, ``Ctrl++``), or ``plus``.

    A character that needs Shift (``A``, ``?``) presses Shift too. Only a capital letter behind other
    modifiers does not: ``Ctrl+A`` is how ``Ctrl+a`` is commonly written, and ``Ctrl+Shift+a`` another chord.

    Args:
        text: the chord; all but its last key are modifiers.
        mac: whether the browser runs on macOS, where ``ControlOrMeta`` is Meta; elsewhere it is Control.

    Raises:
        UnknownKey: a part is not a key, or not a modifier where one must stand.
    """
    if not isinstance(text, str):
        raise TypeError(f"keys are a text such as 'Enter' or 'Control+a', not {text!r}")
    *before, last = _parts(text)
    modifiers: list[Key] = []
    for name in before:
        found, _ = _find(name, text, mac=mac)
        if not found.modifier:
            raise UnknownKey(
                f"{name!r} in {text!r} is not a modifier (Shift, Control, Alt, Meta, ControlOrMeta); "
                f"only the last key may be another",
                chord=text,
                key=name,
            )
        if found not in modifiers:
            modifiers.append(found)
    key, shifted = _find(last, text, mac=mac)
    if key in modifiers:
        modifiers.remove(key)
    held = {one.key for one in modifiers}
    if shifted and "Shift" not in held and not (held and key.text.isalpha()):
        modifiers.append(KEYS["ShiftLeft"])
    return Chord(tuple(modifiers), key)


def _parts(text: str) -> list[str]:
    if len(text) > _LONGEST:
        raise UnknownKey(f"{text[:20]!r}… is too long for a chord", chord=text, key=text)
    if text in _BY_CHARACTER or text == "\t":
        return [text]
    plus = re.fullmatch(r"\s*(.*\S)\s*\+\s*\+\s*", text, re.DOTALL)
    parts = [*plus[1].split("+"), "+"] if plus else text.split("+")
    # A blank between two plus signs is the space bar; beside a name it is only a blank.
    return [part.strip() or part[:1] for part in parts]


def _find(name: str, chord: str, *, mac: bool) -> tuple[Key, bool]:
    """The key, and whether it takes Shift to mean that."""
    if name in _BY_CHARACTER:
        return _BY_CHARACTER[name]
    if name == "\t":
        return KEYS["Tab"], False
    plain = re.sub(r"[\s_-]", "", name).lower()
    if plain == _CONTROL_OR_META:
        return KEYS["MetaLeft" if mac else "ControlLeft"], False
    if plain == _PLUS:
        return _BY_CHARACTER["+"]
    if plain in _BY_NAME:
        return _BY_NAME[plain], False
    if not name:
        raise UnknownKey(
            f"a key is missing in the chord {chord!r}; write one such as Enter or Control+a",
            chord=chord,
            key=name,
        )
    if len(name) == 1:
        raise UnknownKey(f"{name!r} is not a key of a US keyboard: enter it as text", chord=chord, key=name)
    near = difflib.get_close_matches(plain, [*_BY_NAME, _CONTROL_OR_META], n=5)
    suggestions = tuple(dict.fromkeys(_display(one) for one in near))[:3]
    remedy = (
        f"did you mean {' or '.join(suggestions)}?" if suggestions else "use the names of UI Events, as Enter"
    )
    if " " in name.strip():
        remedy += " (press takes one key or chord; type enters text)"
    raise UnknownKey(f"unknown key {name!r}; {remedy}", chord=chord, key=name, suggestions=suggestions)


def _display(name: str) -> str:
    """A name as one would write it: the side of a modifier only where it was asked for."""
    if name == _CONTROL_OR_META:
        return "ControlOrMeta"
    key = _BY_NAME[name]
    return key.code if name == key.code.lower() or len(key.key) == 1 else key.key


def modifier_bits(held: Sequence[Key]) -> int:
    """The modifiers among keys, as the Input domain's bit field; for the pointer's events too."""
    bits = 0
    for key in held:
        bits |= key.modifier
    return bits


def _event(kind: str, key: Key, held: Sequence[Key]) -> dict[str, Any]:
    bits = modifier_bits(held)
    params: dict[str, Any] = {
        "type": kind,
        "modifiers": bits,
        "key": key.shifted if key.shifted and bits & _SHIFT else key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.key_code,
    }
    # The protocol's location is left or right only; the number pad has a field of its own.
    if key.location == _NUMPAD:
        params["isKeypad"] = True
    elif key.location:
        params["location"] = key.location
    return params


def key_down(key: Key, held: Sequence[Key] = (), *, repeat: bool = False) -> InputCommand:
    """The key goes down. With a modifier other than Shift it enters no text: it is a shortcut then.

    Args:
        key: the key.
        held: the keys that are down already.
        repeat: it was down before, and repeats.
    """
    now = (*held, key)
    params = _event("rawKeyDown", key, now)
    if key.text and not modifier_bits(now) & ~_SHIFT:
        text = key.shifted if key.shifted and modifier_bits(now) & _SHIFT else key.text
        # Without text Chromium raises no keypress; rawKeyDown says that there is none to come.
        params |= {"type": "keyDown", "text": text, "unmodifiedText": text}
    if repeat:
        params["autoRepeat"] = True
    return InputCommand("Input.dispatchKeyEvent", params)


def key_up(key: Key, held: Sequence[Key] = ()) -> InputCommand:
    """The key goes up. ``held``: the keys that stay down."""
    return InputCommand("Input.dispatchKeyEvent", _event("keyUp", key, held))


def press_commands(chord: Chord, held: Sequence[Key] = ()) -> list[InputCommand]:
    """The chord pressed and let go: modifiers down in their order, the key down and up, modifiers up in turn.

    ``held`` are keys that are down already and stay so, but for the chord's own key. A modifier of which
    either side is down is not pressed again.
    """
    down = list(held)
    pressed = [key for key in chord.modifiers if not key.modifier & modifier_bits(held)]
    commands = []
    for key in pressed:
        commands.append(key_down(key, down))
        down.append(key)
    commands.append(key_down(chord.key, down, repeat=chord.key in down))
    down = [key for key in down if key != chord.key]
    commands.append(key_up(chord.key, down))
    for key in reversed(pressed):
        down.remove(key)
        commands.append(key_up(key, down))
    return commands


def type_commands(text: str) -> list[tuple[InputCommand, ...]]:
    r"""The text as keys, one group for each character, so that a caller may pause in between.

    What the US keyboard can enter is pressed, with Shift where that takes Shift; a line break is Enter
    (``\r\n`` once). Everything else is `Input.insertText`: letters of other scripts with their marks, emoji,
    and the tabulator, whose key would move the focus and send the rest elsewhere. Lone surrogates become
    U+FFFD.
    """
    groups: list[tuple[InputCommand, ...]] = []
    for character in _clusters(sound_text(text).replace("\r\n", "\n")):
        if character in _BY_CHARACTER:
            key, shifted = _BY_CHARACTER[character]
            chord = Chord((KEYS["ShiftLeft"],) if shifted else (), key)
            groups.append(tuple(press_commands(chord)))
        else:
            groups.append((InputCommand("Input.insertText", {"text": character}),))
    return groups


def last_key(text: str) -> dict[str, str | int | bool] | None:
    """What a `KeyboardEvent` says of the key of the text's last character that is not white space, if any."""
    *_, last = "", *_clusters(text.rstrip()[-_LONGEST:])
    if not last:
        return None
    key, shifted = _BY_CHARACTER.get(last, (Key("", last, 0), False))
    return {"key": last, "code": key.code, "keyCode": key.key_code, "shiftKey": shifted}


def sound_text(text: str) -> str:
    """The text as it can be sent: halves of a surrogate pair put together, those left alone U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_JOINER = "\N{ZERO WIDTH JOINER}"
_SKINS = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


def _clusters(text: str) -> Iterator[str]:
    """Characters; those that no key enters with the marks and joined signs behind them."""
    cluster = ""
    for character in text:
        joins = cluster.endswith(_JOINER) or character in {_JOINER, *_SKINS}
        if character in _BY_CHARACTER or not (
            cluster and (joins or unicodedata.category(character)[0] == "M")
        ):
            if cluster:
                yield cluster
            cluster = ""
        if character in _BY_CHARACTER:
            yield character
        else:
            cluster += character
    if cluster:
        yield cluster
