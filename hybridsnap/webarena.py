r"""WebArena's action strings: what an agent writes, as values and back.

::

    click [7]   hover [7]   clear [7]          an AX node id of the webarena format, or an element id (0-29)
    type [7] [some text] [1]                   1 presses Enter afterwards, 0 does not; no flag means 1
    select [7] [an option]   upload [7] [a path]
    press [Ctrl+v]   scroll [down]   scroll up
    goto [https://example.org/]   new_tab   go_back   go_forward   tab_focus [0]   close_tab
    stop [the answer]   stop("the answer")   stop   None

One space between the parts, nothing before and after but white space. The last text of an action runs to the
last bracket, so that it may hold brackets and newlines itself: ``type [7] [a[0] = "b]"]``. In `Type` the flag
is looked for first, behind that text: ``type [7] [1]`` types "1" and presses Enter. A text that would look
like a text and a flag (``a] [1``) needs a flag of its own, which `format_step` always writes; without one, a
number in the flag's place that is neither 0 nor 1 is refused rather than typed.

The grammar is that of WebArena and of MetaGPT's ``execute_step``, which differ in ``stop``; ``clear``,
``select`` and ``upload`` are ours. ``lenient=True`` accepts what those two accept: any or no white space
between the parts, and words behind an action.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from typing import TYPE_CHECKING, ClassVar, Literal, NoReturn, TypeAlias

from hybridsnap.errors import HybridsnapError
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "Action",
    "Clear",
    "Click",
    "CloseTab",
    "GoBack",
    "GoForward",
    "Goto",
    "Hover",
    "NewTab",
    "NoAction",
    "Press",
    "Scroll",
    "Select",
    "StepError",
    "Stop",
    "TabFocus",
    "Type",
    "Upload",
    "extract_step",
    "format_step",
    "parse_step",
]

#: Negative AX node ids belong to nodes without a DOM node: nothing could be done to them.
_ELEMENT_ID = re.compile(r"[0-9]+(?:-[0-9]+)?")
#: Nine digits: more tabs than any browser holds, and no number that int() would refuse.
_TAB = re.compile(r"[0-9]{1,9}")
_DIRECTION = re.compile(r"up|down")
_NAME = re.compile(r"[^\s\[(]*")
_SPACE = re.compile(r"\s*")
#: Behind a typed text: the flag, or what was meant for one. Prompts say ``[press_enter_after=0|1]``.
_FLAG = re.compile(r"\](?P<gap>\s*)\[(?P<label>press_enter_after=)?(?P<flag>[0-9]*)\]\Z")
#: So much of a step stands in a message.
_SHOWN = 80
#: So much of a name is compared with the actions there are, which takes its length squared.
_COMPARED = 30


class StepError(HybridsnapError, ValueError):
    """A step that is no action.

    Attributes:
        action: its name as given, such as ``click``; empty when there is none.
        position: where it first goes wrong, counted from 0 in the text as given.
        example: the right form of that action, or of the one most like it.
    """

    def __init__(self, message: str, *, action: str, position: int, example: str) -> None:
        super().__init__(message)
        self.action = action
        self.position = position
        self.example = example


def _check_element_id(element_id: str) -> None:
    if not _ELEMENT_ID.fullmatch(element_id):
        raise ValueError(f"an element id is a number or two (7, 0-29), not {element_id!r}")


def _check_filled(text: str, what: str) -> None:
    if not text:
        raise ValueError(f"{what} cannot be empty")


@dataclasses.dataclass(frozen=True, slots=True)
class Click:
    """``click [id]``."""

    example: ClassVar[str] = "click [7]"
    element_id: str

    def __post_init__(self) -> None:
        _check_element_id(self.element_id)


@dataclasses.dataclass(frozen=True, slots=True)
class Hover:
    """``hover [id]``: the pointer is put on the element."""

    example: ClassVar[str] = "hover [7]"
    element_id: str

    def __post_init__(self) -> None:
        _check_element_id(self.element_id)


@dataclasses.dataclass(frozen=True, slots=True)
class Type:
    """``type [id] [text] [0|1]``. An empty text clears the field; ``enter`` presses Enter afterwards."""

    example: ClassVar[str] = "type [7] [some text] [1]"
    element_id: str
    text: str
    enter: bool = True

    def __post_init__(self) -> None:
        _check_element_id(self.element_id)


@dataclasses.dataclass(frozen=True, slots=True)
class Press:
    """``press [keys]``: a chord as `hybridsnap.act.keyboard.parse_chord` reads it, not checked here."""

    example: ClassVar[str] = "press [Ctrl+v]"
    keys: str

    def __post_init__(self) -> None:
        _check_filled(self.keys, "the keys to press")


@dataclasses.dataclass(frozen=True, slots=True)
class Scroll:
    """``scroll [up|down]``: by the height of the viewport."""

    example: ClassVar[str] = "scroll [down]"
    direction: Literal["up", "down"]

    def __post_init__(self) -> None:
        if not _DIRECTION.fullmatch(self.direction):
            raise ValueError(f"a direction is up or down, not {self.direction!r}")


@dataclasses.dataclass(frozen=True, slots=True)
class Goto:
    """``goto [url]``."""

    example: ClassVar[str] = "goto [https://example.org/]"
    url: str

    def __post_init__(self) -> None:
        _check_filled(self.url, "the address to go to")


@dataclasses.dataclass(frozen=True, slots=True)
class NewTab:
    """``new_tab``."""

    example: ClassVar[str] = "new_tab"


@dataclasses.dataclass(frozen=True, slots=True)
class GoBack:
    """``go_back``."""

    example: ClassVar[str] = "go_back"


@dataclasses.dataclass(frozen=True, slots=True)
class GoForward:
    """``go_forward``."""

    example: ClassVar[str] = "go_forward"


@dataclasses.dataclass(frozen=True, slots=True)
class TabFocus:
    """``tab_focus [n]``: tabs are counted from 0."""

    example: ClassVar[str] = "tab_focus [0]"
    index: int

    def __post_init__(self) -> None:
        if not _TAB.fullmatch(str(self.index)):
            raise ValueError(f"tabs are counted from 0, in nine digits at most; {self.index!r} is no tab")


@dataclasses.dataclass(frozen=True, slots=True)
class CloseTab:
    """``close_tab``."""

    example: ClassVar[str] = "close_tab"


@dataclasses.dataclass(frozen=True, slots=True)
class Stop:
    """``stop [answer]``: the task is done; the answer may be empty."""

    example: ClassVar[str] = "stop [the answer]"
    answer: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class NoAction:
    """``None``: nothing is to be done."""

    example: ClassVar[str] = "None"


@dataclasses.dataclass(frozen=True, slots=True)
class Clear:
    """``clear [id]``: the field is emptied."""

    example: ClassVar[str] = "clear [7]"
    element_id: str

    def __post_init__(self) -> None:
        _check_element_id(self.element_id)


@dataclasses.dataclass(frozen=True, slots=True)
class Select:
    """``select [id] [option]``: the option by its value or its label, which may be empty."""

    example: ClassVar[str] = "select [7] [Blue]"
    element_id: str
    option: str

    def __post_init__(self) -> None:
        _check_element_id(self.element_id)


@dataclasses.dataclass(frozen=True, slots=True)
class Upload:
    """``upload [id] [path]``: one file."""

    example: ClassVar[str] = "upload [7] [/tmp/photo.png]"
    element_id: str
    path: str

    def __post_init__(self) -> None:
        _check_element_id(self.element_id)
        _check_filled(self.path, "the path to upload")


Action: TypeAlias = (
    Click
    | Hover
    | Type
    | Press
    | Scroll
    | Goto
    | NewTab
    | GoBack
    | GoForward
    | TabFocus
    | CloseTab
    | Stop
    | NoAction
    | Clear
    | Select
    | Upload
)


class _Reader:
    """A step and how far it was read."""

    def __init__(self, text: str, *, lenient: bool) -> None:
        self.text = text
        self.lenient = lenient
        self.position = len(text) - len(text.lstrip())
        self.end = len(text.rstrip())
        name = _NAME.match(text, self.position, max(self.end, self.position))
        self.name = name[0] if name else ""
        self.start = self.position
        self.position += len(self.name)

    def fail(self, wanted: str, position: int | None = None) -> NoReturn:
        """The first error is here, or at the position given."""
        at = self.position if position is None else position
        example = _FORMS[self.name][1]
        found = repr(self.text[at]) if at < self.end else "the end"
        raise StepError(
            f"Invalid {self.name} action {_shown(self.text)}: "
            f"at position {at} stands {found} instead of {wanted}; the right form is: {example}",
            action=self.name,
            position=at,
            example=example,
        )

    def here(self, literal: str) -> bool:
        return self.text.startswith(literal, self.position, self.end)

    def expect(self, literal: str) -> None:
        if not self.here(literal):
            self.fail(f"{literal!r}")
        self.position += len(literal)

    def separate(self) -> None:
        """The one space between two parts."""
        if not self.lenient:
            self.expect(" ")
        elif space := _SPACE.match(self.text, self.position, self.end):
            self.position = space.end()

    def short(self, pattern: re.Pattern[str], wanted: str) -> str:
        """An argument that holds no brackets, with those around it."""
        self.separate()
        self.expect("[")
        found = pattern.match(self.text, self.position, self.end)
        if found is None:
            self.fail(wanted)
        self.position = found.end()
        self.expect("]")
        return found[0]

    def element_id(self) -> str:
        return self.short(_ELEMENT_ID, "an element id")

    def last(self, *, opening: str = "[", closing: str = "]", wanted: str | None = None) -> str:
        """The last argument: all there is to the last closing bracket. ``wanted`` says that it is needed."""
        self.expect(opening)
        stop = self.text.rfind(closing, self.position, self.end)
        if stop < 0:
            self.fail(f"{closing!r}", self.end)
        if wanted and stop == self.position:
            self.fail(wanted)
        found = self.text[self.position : stop]
        self.position = stop + len(closing)
        return found

    def done(self) -> None:
        if not self.lenient and self.position < self.end:
            self.fail("the end")


def _shown(text: str) -> str:
    """In a message: one line, and not too long."""
    shown = clean_text(text[: 2 * _SHOWN])
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"


def _read_type(reader: _Reader) -> Action:
    element_id = reader.element_id()
    reader.separate()
    start = reader.position + 1
    text = reader.last()
    flag = _FLAG.search(text + "]")
    if flag is None or (reader.lenient and flag["flag"] not in {"0", "1"}):
        return Type(element_id, text)
    if not reader.lenient:
        at = start + flag.start("gap")
        if flag["gap"] != " ":
            reader.fail("' '", at + flag["gap"].startswith(" "))
        if flag["label"] or flag["flag"] not in {"0", "1"}:
            valid = flag["flag"][:1] in {"0", "1"} and not flag["label"]
            reader.fail("']'" if valid else "the flag, 0 or 1", at + 2 + valid)
    return Type(element_id, text[: flag.start()], flag["flag"] == "1")


def _read_press(reader: _Reader) -> Action:
    reader.separate()
    return Press(reader.last(wanted="keys"))


def _read_scroll(reader: _Reader) -> Action:
    reader.separate()
    bracket = reader.here("[")
    reader.position += bracket
    found = _DIRECTION.match(reader.text, reader.position, reader.end)
    if found is None:
        reader.fail("up or down")
    reader.position = found.end()
    if bracket and not reader.lenient:
        reader.expect("]")
    return Scroll("up" if found[0] == "up" else "down")


def _read_goto(reader: _Reader) -> Action:
    reader.separate()
    return Goto(reader.last(wanted="an address"))


def _read_stop(reader: _Reader) -> Action:
    if reader.position == reader.end:
        return Stop()
    if reader.here("("):
        return Stop(reader.last(opening='("', closing='")'))
    reader.separate()
    if not reader.lenient:
        return Stop(reader.last())
    # Both projects take any word behind stop, and then no answer.
    for opening, closing in (("[", "]"), ('("', '")')):
        start = reader.position + len(opening)
        if reader.here(opening) and reader.text.rfind(closing, start, reader.end) >= 0:
            return Stop(reader.last(opening=opening, closing=closing))
    return Stop()


def _read_select(reader: _Reader) -> Action:
    element_id = reader.element_id()
    reader.separate()
    return Select(element_id, reader.last())


def _read_upload(reader: _Reader) -> Action:
    element_id = reader.element_id()
    reader.separate()
    return Upload(element_id, reader.last(wanted="a path"))


def _read_tab_focus(reader: _Reader) -> Action:
    return TabFocus(int(reader.short(_TAB, "a tab's number")))


#: Each action's name: how it is read, its right form, and its class.
_FORMS: dict[str, tuple[Callable[[_Reader], Action], str, type[Action]]] = {
    name: (read, form.example, form)
    for name, read, form in (
        ("click", lambda reader: Click(reader.element_id()), Click),
        ("hover", lambda reader: Hover(reader.element_id()), Hover),
        ("type", _read_type, Type),
        ("press", _read_press, Press),
        ("scroll", _read_scroll, Scroll),
        ("goto", _read_goto, Goto),
        ("new_tab", lambda _: NewTab(), NewTab),
        ("go_back", lambda _: GoBack(), GoBack),
        ("go_forward", lambda _: GoForward(), GoForward),
        ("tab_focus", _read_tab_focus, TabFocus),
        ("close_tab", lambda _: CloseTab(), CloseTab),
        ("stop", _read_stop, Stop),
        ("None", lambda _: NoAction(), NoAction),
        ("clear", lambda reader: Clear(reader.element_id()), Clear),
        ("select", _read_select, Select),
        ("upload", _read_upload, Upload),
    )
}
_NAMES = {form: name for name, (_, _, form) in _FORMS.items()}


def parse_step(text: str, *, lenient: bool = False) -> Action:
    """What an agent's step says.

    Args:
        text: one step, such as ``type [7] [hello] [0]``. White space around it is ignored.
        lenient: also accept what WebArena and MetaGPT accept: missing or more white space between the parts,
            and words behind an action. Whatever is read strictly means the same then.

    Raises:
        StepError: it is no action; it says where, and how that action is written.
    """
    reader = _Reader(text, lenient=lenient)
    if reader.name not in _FORMS:
        name = _shown(reader.name)
        like = difflib.get_close_matches(reader.name[:_COMPARED], _FORMS, n=1) or ["click"]
        example = _FORMS[like[0]][1]
        raise StepError(
            f"Unknown action {name or '(none)'} at position {reader.start}; "
            f"actions are {', '.join(_FORMS)}, written as in: {example}",
            action=reader.name,
            position=reader.start,
            example=example,
        )
    action = _FORMS[reader.name][0](reader)
    reader.done()
    return action


def format_step(action: Action) -> str:
    """The action as a step that `parse_step` reads back as the same action, strictly."""
    words = [_NAMES[type(action)]]
    for field in dataclasses.fields(action):
        value = getattr(action, field.name)
        words.append(f"[{int(value) if isinstance(value, bool) else value}]")
    return words[0] if action == Stop("") else " ".join(words)


def extract_step(response: str, action_splitter: str | Sequence[str] = "```") -> str:
    """The step in what a model answered: ``In summary, I will ```click [7]``` ``.

    Args:
        response: the model's words.
        action_splitter: what stands before and behind a step; several are tried in turn.

    Returns:
        The first text between two splitters that is a step (a language's name may stand before it, on a line
        of its own); else the first text between two splitters, for `parse_step` to say what is wrong with
        it; and where there are no splitters, the first well-formed action. ``stop``, ``None`` and a scroll
        without brackets are also common words: those are only seen on a line of their own.

    Raises:
        StepError: there is none of these.
        ValueError: no splitter, or an empty one.
    """
    splitters = (action_splitter,) if isinstance(action_splitter, str) else tuple(action_splitter)
    if not splitters or "" in splitters:
        raise ValueError("an action splitter cannot be empty")
    blocks = [block.strip() for splitter in splitters for block in response.split(splitter)[1:-1:2]]
    for block in blocks:
        language, _, rest = block.partition("\n")
        if _well_formed(block):
            return block
        if language.strip().isalnum() and _well_formed(rest):
            return rest.strip()
    for block in blocks:
        return block
    for step in _candidates(response):
        if _well_formed(step):
            return step
    raise StepError(
        f"Cannot find an action in {_shown(response)!r}; one is written as in: ```{Click.example}```",
        action="",
        position=0,
        example=f"```{Click.example}```",
    )


def _well_formed(text: str) -> bool:
    try:
        parse_step(text)
    except StepError:
        return False
    return True


#: An action in a sentence: one that is a word no language has, or one with arguments.
_MENTION = re.compile(
    r"(?<![\w-])(?:(?P<bare>new_tab|go_back|go_forward|close_tab)(?![\w\[(-]| [\[(])"
    rf"|(?P<name>{'|'.join(_FORMS)})(?=\(\"| \[))"
)
#: The third argument of `Type`, or what was meant for it.
_THIRD = re.compile(r" \[[0-9]*\]")
_FLAG_NUMBER = 2
#: A line that is a step, but for a label before it (``Action: stop``).
_ALONE = re.compile(
    r"^[^\S\n]*(?:\w+:[^\S\n]*)?(?P<word>stop|None|scroll (?:up|down))[^\S\n]*$", re.MULTILINE
)
#: A longer step is only seen between splitters, or where its brackets are closed: each mention of an action
#: would cost the length of its line.
_LONGEST = 10_000
#: What a step may be set in, or followed by, in a sentence.
_TRIMMED = " \t\r.,;:!`'\"*"


def _candidates(response: str) -> Iterator[str]:
    """What may be a step, in the order in which it stands there."""
    partners = _partners(response)
    found = [(match.start(), match) for match in _MENTION.finditer(response)]
    found += [(match.start("word"), match) for match in _ALONE.finditer(response)]
    for start, match in sorted(found, key=lambda pair: pair[0]):
        if match.re is _ALONE:
            yield match["word"]
        elif match["bare"]:
            yield match["bare"]
        else:
            end = match.end()
            if response.startswith("(", end):
                closing = response.find('")', end + 2, end + _LONGEST)
                yield response[start : closing + 2]
                continue
            # Brackets that are closed end an action, and the sentence may go on behind it.
            for number, _ in enumerate(dataclasses.fields(_FORMS[match["name"]][2])):
                argument = number < _FLAG_NUMBER or _THIRD.match(response, end)
                if argument and response.startswith(" [", end) and end + 1 in partners:
                    end = partners[end + 1] + 1
            if end > match.end() and not response.startswith(("]", "["), end):
                yield response[start:end]
            line, newline, _ = response[start : start + _LONGEST].partition("\n")
            if newline or len(line) < _LONGEST:
                yield line.rstrip(_TRIMMED)


def _partners(text: str) -> dict[int, int]:
    """Where each bracket that opens is closed."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(r"[\[\]]", text):
        if match[0] == "[":
            opened.append(match.start())
        elif opened:
            partners[opened.pop()] = match.start()
    return partners
